# The texts of xbatchGetProperty that depend on the build, as compile definitions of core/property.cpp.
#
# The commit is that of the last run of CMake: a build does not run CMake again for a new commit.
set(commit unknown)
find_package(Git QUIET)
if(Git_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)  # not the repository of a project around this one
    execute_process(
        COMMAND ${GIT_EXECUTABLE} -c safe.directory=${PROJECT_SOURCE_DIR} describe --always --dirty --abbrev=12 --exclude=*
        WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
        OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE result)
    if(result EQUAL 0)
        set(commit ${described})
    endif()
endif()

# sm_80: machine code for compute capability 8.0; compute_80: PTX, which a driver can translate for later devices
set(architectures)
if(XBATCH_HAVE_CUDA)
    set(wanted ${CMAKE_CUDA_ARCHITECTURES})
    string(REGEX REPLACE "^native$" "${CMAKE_CUDA_ARCHITECTURES_NATIVE}" wanted "${wanted}")
    string(REGEX REPLACE "^all-major$" "${CMAKE_CUDA_ARCHITECTURES_ALL_MAJOR}" wanted "${wanted}")
    string(REGEX REPLACE "^all$" "${CMAKE_CUDA_ARCHITECTURES_ALL}" wanted "${wanted}")
    foreach(architecture IN LISTS wanted)
        string(REGEX REPLACE "-(real|virtual)$" "" number ${architecture})
        if(NOT architecture MATCHES "-virtual$")
            list(APPEND architectures sm_${number})
        endif()
        if(NOT architecture MATCHES "-real$")
            list(APPEND architectures compute_${number})
        endif()
    endforeach()
    set(cuda_version ${CUDAToolkit_VERSION_MAJOR}.${CUDAToolkit_VERSION_MINOR})
endif()
list(JOIN architectures " " architectures)
string(REPLACE "x86_64" "x86-64" processor "${CMAKE_SYSTEM_PROCESSOR}")

set_source_files_properties(${PROJECT_SOURCE_DIR}/src/core/property.cpp TARGET_DIRECTORY xbatch
    PROPERTIES COMPILE_DEFINITIONS "XBATCH_BUILD_COMMIT=\"${commit}\";XBATCH_BUILD_TYPE=\"$<CONFIG>\";\
XBATCH_BUILD_CUDA=\"${cuda_version}\";XBATCH_BUILD_CUDA_ARCHITECTURES=\"${architectures}\";\
XBATCH_BUILD_OPENMP=\"${OpenMP_CXX_VERSION}\";XBATCH_BUILD_PROCESSOR=\"${processor}\"")
