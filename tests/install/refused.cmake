# An installation of SOURCE before it is built is refused with a reason, and leaves nothing behind.
file(REMOVE_RECURSE ${BUILD})
execute_process(COMMAND ${CMAKE_COMMAND} -S ${SOURCE} -B ${BUILD} -G ${GENERATOR} -DCMAKE_C_COMPILER=${C}
    -DCMAKE_CXX_COMPILER=${CXX} -DXBATCH_CUDA=OFF -DXBATCH_TESTS=OFF -DXBATCH_EXAMPLES=OFF
    OUTPUT_QUIET COMMAND_ERROR_IS_FATAL ANY)
foreach(component IN ITEMS "" "--component;lapack")
    execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${BUILD}/prefix ${component}
        RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE reason)
    if(status EQUAL 0 OR NOT reason MATCHES "Nothing is installed.*libxbatch" OR EXISTS ${BUILD}/prefix)
        message(SEND_ERROR "installed before it is built: exit ${status}\n${reason}")
    endif()
endforeach()
