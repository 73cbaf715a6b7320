# check_built.cmake: the first step of `cmake --install`: it refuses, before anything is copied, if not all is built.
# SPDX-License-Identifier: BSD-3-Clause

# xbatch_check_built(component target...): the targets of this component of the installation
function(xbatch_check_built component)
    list(TRANSFORM ARGN REPLACE ".+" "$<TARGET_FILE:\\0>")
    install(CODE "
        foreach(file IN ITEMS ${ARGN})
            if(NOT EXISTS \"\${file}\")
                message(FATAL_ERROR
                    \"Nothing is installed, because this is not built:\\n  \${file}\\nFirst:\\n  cmake --build ${PROJECT_BINARY_DIR}\")
            endif()
        endforeach()" COMPONENT ${component})
endfunction()

set(built xbatch)
if(XBATCH_HAVE_FORTRAN)
    list(APPEND built xbatch_fortran)
endif()
xbatch_check_built(Unspecified ${built})
xbatch_check_built(lapack xbatch_lapack xbatch_lapack_tune)
if(XBATCH_HAVE_MPI)
    xbatch_check_built(mpi xbatch_mpi)
    xbatch_check_built(scalapack xbatch_scalapack)
endif()
if(XBATCH_HAVE_NCCL)
    xbatch_check_built(nccl xbatch_nccl)
endif()
