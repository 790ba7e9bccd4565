# Every library that the project uses; docs/dependencies.md says what for and why.

add_library(ca_warnings INTERFACE)
target_compile_options(ca_warnings INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Werror
  -Wno-missing-field-initializers)  # members have initialisers of their own
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # False positives of GCC 12 in std::string (GCC bug 105651).
  target_compile_options(ca_warnings INTERFACE -Wno-restrict)
endif()

find_package(fmt REQUIRED)
find_package(OpenSSL REQUIRED COMPONENTS Crypto)
find_package(PkgConfig REQUIRED)
pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET libxxhash)
pkg_check_modules(minizip REQUIRED IMPORTED_TARGET minizip)
find_package(Boost CONFIG REQUIRED)
find_package(CLI11 REQUIRED)
find_package(Threads REQUIRED)
find_package(ZLIB REQUIRED)
find_package(OpenVINO REQUIRED COMPONENTS Runtime PyTorch)
# What is installed finds OpenVINO where the build found it. CMAKE_INSTALL_RPATH_USE_LINK_PATH would
# leave out a folder inside the project, where .venv is.
set(CMAKE_INSTALL_RPATH $<TARGET_FILE_DIR:openvino::runtime>)

# RapidJSON is headers; not every version brings a CMake target.
find_path(RAPIDJSON_INCLUDE_DIR rapidjson/document.h REQUIRED)
include_directories(SYSTEM ${RAPIDJSON_INCLUDE_DIR})

if(CHANGEAWARE_BUILD_TESTS)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  enable_testing()
endif()
