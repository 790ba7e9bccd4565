# The compiled part of the Python package: python/core -> changeaware/_core. Included where
# CHANGEAWARE_BUILD_PYTHON is on; in a wheel's build (scikit-build-core) also installed.
find_package(Python 3.10 REQUIRED COMPONENTS Interpreter Development.Module)
if(NOT nanobind_DIR)
  execute_process(
    COMMAND ${Python_EXECUTABLE} -m nanobind --cmake_dir
    OUTPUT_VARIABLE nanobind_DIR OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
find_package(nanobind 3.1 CONFIG REQUIRED)

set(core ${PROJECT_SOURCE_DIR}/python/core)
nanobind_add_module(_core NB_STATIC NOMINSIZE NB_SUPPRESS_WARNINGS
  ${core}/array.cc
  ${core}/arrays_in.cc
  ${core}/buffer_in.cc
  ${core}/compile.cc
  ${core}/dicts.cc
  ${core}/dlpack.cc
  ${core}/dlpack_in.cc
  ${core}/errors.cc
  ${core}/external_engine.cc
  ${core}/manifest.cc
  ${core}/module.cc
  ${core}/numbers_in.cc
  ${core}/package.cc
  ${core}/reports.cc
  ${core}/session.cc
  ${core}/system.cc)
target_include_directories(_core PRIVATE ${PROJECT_SOURCE_DIR}/python)
target_link_libraries(_core PRIVATE ca_cli ca_compiler ca_runtime fmt::fmt ca_warnings)
# What is linked in stays inside: other extensions of the process have libraries of their own.
target_link_options(_core PRIVATE -Wl,--exclude-libs,ALL)
# Installed, OpenVINO is the package beside; changeaware/_load.py finds it where it is elsewhere.
set_target_properties(_core PROPERTIES
  INSTALL_RPATH "$ORIGIN/../openvino/libs"
  INSTALL_RPATH_USE_LINK_PATH OFF)

if(SKBUILD)
  install(TARGETS _core LIBRARY DESTINATION changeaware COMPONENT python)
else()
  # A package that can be imported from the build tree: links to the sources beside the extension.
  set(package ${PROJECT_BINARY_DIR}/python/changeaware)
  set_target_properties(_core PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${package})
  file(MAKE_DIRECTORY ${package})
  file(GLOB modules CONFIGURE_DEPENDS RELATIVE ${PROJECT_SOURCE_DIR}/python/changeaware
    ${PROJECT_SOURCE_DIR}/python/changeaware/*)
  foreach(module IN LISTS modules)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/python/changeaware/${module} ${package}/${module}
      SYMBOLIC)
  endforeach()
endif()
