# Installs the build BUILD, then moves the installation to PREFIX, as an archive may be unpacked anywhere. No text file
# may contain the path of the build or the source tree.
set(first_prefix ${PREFIX}_first)
file(REMOVE_RECURSE ${PREFIX} ${first_prefix})
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${first_prefix} COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${first_prefix} ${PREFIX})

file(GLOB_RECURSE texts ${PREFIX}/*.cmake ${PREFIX}/*.pc ${PREFIX}/*.h ${PREFIX}/*.hpp ${PREFIX}/*.cuh)
foreach(file IN LISTS texts)
    file(READ ${file} text)
    foreach(path IN ITEMS ${BUILD} ${SOURCE} ${first_prefix})
        string(FIND "${text}" "${path}" position)
        if(NOT position EQUAL -1)
            message(SEND_ERROR "${file} names ${path}")
        endif()
    endforeach()
endforeach()
