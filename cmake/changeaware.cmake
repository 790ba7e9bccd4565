# One static library per folder of src/, one test executable beside it.

# ca_library(<folder> SOURCES … [DEPS …])
function(ca_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_library(ca_${name} STATIC ${ARG_SOURCES})
  target_include_directories(ca_${name}
    PUBLIC ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_link_libraries(ca_${name} PUBLIC ${ARG_DEPS} PRIVATE ca_warnings)
endfunction()

# ca_test(<folder> SOURCES … [DEPS …]): an executable <folder>_test, found by ctest case by case.
function(ca_test name)
  if(NOT CHANGEAWARE_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPS" ${ARGN})
  add_executable(${name}_test ${ARG_SOURCES})
  target_link_libraries(${name}_test PRIVATE ca_${name} ${ARG_DEPS} ca_warnings GTest::gmock_main)
  target_compile_definitions(${name}_test PRIVATE CHANGEAWARE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  gtest_discover_tests(${name}_test TEST_PREFIX ${name}. DISCOVERY_TIMEOUT 60)
endfunction()
