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

set(cuda_version)
if(XBATCH_HAVE_CUDA)
    set(cuda_version ${CUDAToolkit_VERSION_MAJOR}.${CUDAToolkit_VERSION_MINOR})
endif()
list(JOIN XBATCH_CUDA_CODES " " architectures)
string(REPLACE "x86_64" "x86-64" processor "${CMAKE_SYSTEM_PROCESSOR}")

set_source_files_properties(${PROJECT_SOURCE_DIR}/src/core/property.cpp TARGET_DIRECTORY xbatch
    PROPERTIES COMPILE_DEFINITIONS "XBATCH_BUILD_COMMIT=\"${commit}\";XBATCH_BUILD_TYPE=\"$<CONFIG>\";\
XBATCH_BUILD_CUDA=\"${cuda_version}\";XBATCH_BUILD_CUDA_ARCHITECTURES=\"${architectures}\";\
XBATCH_BUILD_OPENMP=\"${OpenMP_CXX_VERSION}\";XBATCH_BUILD_PROCESSOR=\"${processor}\"")
