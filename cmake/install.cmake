# `cmake --install build --prefix DIR`: headers, libchangeaware, the program, and what
# find_package(changeaware) and pkg-config read. DIR may be moved afterwards. OpenVINO's libraries
# stay where they are: the library and the program have their path.
include(CMakePackageConfigHelpers)

if(TARGET changeaware)
  install(TARGETS changeaware RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(TARGETS changeaware_library EXPORT changeaware-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/changeaware DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

set(cmake_folder ${CMAKE_INSTALL_LIBDIR}/cmake/changeaware)
install(EXPORT changeaware-targets NAMESPACE changeaware:: DESTINATION ${cmake_folder})
configure_package_config_file(cmake/changeaware-config.cmake.in
  ${PROJECT_BINARY_DIR}/changeaware-config.cmake
  INSTALL_DESTINATION ${cmake_folder}
  NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/changeaware-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES
    ${PROJECT_BINARY_DIR}/changeaware-config.cmake
    ${PROJECT_BINARY_DIR}/changeaware-config-version.cmake
  DESTINATION ${cmake_folder})

# pkg-config finds the prefix from the folder of the file itself.
set(pkgconfig_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH PREFIX_FROM_PKGCONFIG /prefix/${pkgconfig_folder} /prefix)
string(REGEX REPLACE "/$" "" PREFIX_FROM_PKGCONFIG "${PREFIX_FROM_PKGCONFIG}")
configure_file(cmake/changeaware.pc.in ${PROJECT_BINARY_DIR}/changeaware.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/changeaware.pc DESTINATION ${pkgconfig_folder})
