# What `cmake --install` installs: library, interposer, headers, CMake package, pkg-config file; fortran/CMakeLists.txt
# adds the module. Nothing private reaches a user: neither CUDA nor OpenMP nor C++ is needed to compile or to link.
include(CMakePackageConfigHelpers)

install(TARGETS xbatch EXPORT xbatchTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS xbatch_lapack EXPORT xbatchLapackTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT lapack)
install(TARGETS xbatch_lapack_tune RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT lapack)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md
    DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md")

# What programs may ask of the installed package
set(cuda_architectures)
if(XBATCH_HAVE_CUDA)
    list(JOIN CMAKE_CUDA_ARCHITECTURES " " cuda_architectures)
endif()

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/xbatch)
install(EXPORT xbatchTargets NAMESPACE xbatch:: DESTINATION ${package_dir})
install(EXPORT xbatchLapackTargets NAMESPACE xbatch:: DESTINATION ${package_dir} COMPONENT lapack)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/xbatchConfig.cmake.in
    ${CMAKE_CURRENT_BINARY_DIR}/xbatchConfig.cmake
    INSTALL_DESTINATION ${package_dir} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may change the interface.
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(compatibility SameMinorVersion)
else()
    set(compatibility SameMajorVersion)
endif()
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/xbatchConfigVersion.cmake COMPATIBILITY ${compatibility})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/xbatchConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/xbatchConfigVersion.cmake
    DESTINATION ${package_dir})

# pkg-config derives the prefix from the folder of its file, so that an installed tree can be moved.
function(xbatch_install_pkgconfig template)
    set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
    cmake_path(RELATIVE_PATH CMAKE_INSTALL_PREFIX BASE_DIRECTORY ${pc_dir} OUTPUT_VARIABLE pc_prefix)
    cmake_path(APPEND pc_libdir "\${prefix}" ${CMAKE_INSTALL_LIBDIR})
    cmake_path(APPEND pc_includedir "\${prefix}" ${CMAKE_INSTALL_INCLUDEDIR})
    cmake_path(GET template STEM LAST_ONLY file)
    configure_file(${template} ${file} @ONLY)
    install(FILES ${CMAKE_CURRENT_BINARY_DIR}/${file} DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()
xbatch_install_pkgconfig(${CMAKE_CURRENT_LIST_DIR}/xbatch.pc.in)
