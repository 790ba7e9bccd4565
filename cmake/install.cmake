# `cmake --install build --prefix DIR`: the program and its documents. OpenVINO's libraries stay
# where they are.
include(GNUInstallDirs)

if(TARGET changeaware)
  install(TARGETS changeaware RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(FILES LICENSE README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})
