# cuda_sources.cmake: how CUDA sources are compiled: for which types, and for which architectures.
# SPDX-License-Identifier: BSD-3-Clause

# Compiles the sources once for each type, as XBATCH_TYPE: in parallel, and each into a module of its own, so that the
# first call of a type loads no more than its kernels. ANY_ARCHITECTURE: xbatch_sources_for_any_architecture.
function(xbatch_sources_by_type)
    cmake_parse_arguments(PARSE_ARGV 0 by_type "ANY_ARCHITECTURE" "" "")
    set(letters c z d s)  # the slowest first
    set(types ::xbatch::Complex<float> ::xbatch::Complex<double> double float)
    foreach(source IN LISTS by_type_UNPARSED_ARGUMENTS)
        cmake_path(GET source STEM name)
        foreach(letter type IN ZIP_LISTS letters types)
            set(of_type ${CMAKE_CURRENT_BINARY_DIR}/${name}_${letter}.cu)
            file(CONFIGURE OUTPUT ${of_type}
                CONTENT "#define XBATCH_TYPE ${type}\n#include \"${CMAKE_CURRENT_SOURCE_DIR}/${source}\"\n" @ONLY)
            target_sources(xbatch PRIVATE ${of_type})
            if(by_type_ANY_ARCHITECTURE)
                xbatch_sources_for_any_architecture(${of_type})
            endif()
        endforeach()
    endforeach()
endfunction()

# Sources whose code is the same for all architectures are compiled to PTX once, for the oldest of them, and assembled for
# each; most of the time goes into the former. core/dependent_launch.cuh and core/cluster.cuh refuse such sources.
function(xbatch_sources_for_any_architecture)
    set_property(TARGET xbatch APPEND PROPERTY XBATCH_FOR_ANY_ARCHITECTURE ${ARGN})
endfunction()

# Sets the architectures of all sources.
function(xbatch_set_architectures)
    set(own)
    set(numbers)
    foreach(code IN LISTS XBATCH_CUDA_CODES)
        string(REGEX REPLACE "^.*_" "" number ${code})
        list(APPEND own "--generate-code=arch=compute_${number},code=[${code}]")
        list(APPEND numbers ${number})
    endforeach()
    list(SORT numbers COMPARE NATURAL)
    list(GET numbers 0 oldest)
    string(REGEX REPLACE "compute_[0-9]+" compute_${oldest} codes "${XBATCH_CUDA_CODES}")
    list(REMOVE_DUPLICATES codes)
    list(JOIN codes "," codes)
    set(shared "--generate-code=arch=compute_${oldest},code=[${codes}]")
    if(numbers MATCHES "[a-z]")  # PTX for one architecture, as 90a
        set(shared ${own})
    endif()

    get_target_property(sources xbatch SOURCES)
    get_target_property(for_any xbatch XBATCH_FOR_ANY_ARCHITECTURE)
    list(FILTER sources INCLUDE REGEX "\\.cu$")
    foreach(source IN LISTS sources)
        if(source IN_LIST for_any)
            set_source_files_properties(${source} TARGET_DIRECTORY xbatch PROPERTIES
                COMPILE_OPTIONS "${shared}" COMPILE_DEFINITIONS XBATCH_FOR_ANY_ARCHITECTURE)
        else()
            set_source_files_properties(${source} TARGET_DIRECTORY xbatch PROPERTIES COMPILE_OPTIONS "${own}")
        endif()
    endforeach()
    set_target_properties(xbatch PROPERTIES CUDA_ARCHITECTURES OFF)
endfunction()
