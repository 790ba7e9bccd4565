# -DCHANGEAWARE_SANITIZE=address,undefined: the whole build with these sanitizers.
if(CHANGEAWARE_SANITIZE)
  add_compile_options(
    -fsanitize=${CHANGEAWARE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${CHANGEAWARE_SANITIZE})
  # Known reports of libraries that are not ours, built into every program.
  add_library(ca_sanitizer_options OBJECT ${PROJECT_SOURCE_DIR}/cmake/sanitizer_options.cc)
  link_libraries($<TARGET_OBJECTS:ca_sanitizer_options>)
endif()
