# libchangeaware: everything in include/changeaware as one shared library, for programs that are
# built elsewhere. The static libraries that implement those headers go in whole; what they need of
# the other ones is linked.
include(GNUInstallDirs)

add_library(changeaware_library SHARED
  $<TARGET_OBJECTS:ca_api>
  $<TARGET_OBJECTS:ca_base>
  $<TARGET_OBJECTS:ca_compiler>
  $<TARGET_OBJECTS:ca_engine>
  $<TARGET_OBJECTS:ca_package>
  $<TARGET_OBJECTS:ca_runtime>
  $<TARGET_OBJECTS:ca_tensor>)
target_link_libraries(changeaware_library PRIVATE ca_api)
target_include_directories(changeaware_library
  INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# The C++ interface may change from minor to minor while the major is 0.
set_target_properties(changeaware_library PROPERTIES
  OUTPUT_NAME changeaware
  EXPORT_NAME changeaware
  LINKER_LANGUAGE CXX
  VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})

# Of what is not hidden, only what is ours: not the instances of other libraries' templates.
set(exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
target_link_options(changeaware_library PRIVATE -Wl,--version-script=${exports})
set_property(TARGET changeaware_library APPEND PROPERTY LINK_DEPENDS ${exports})
