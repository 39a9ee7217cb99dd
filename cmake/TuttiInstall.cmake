# SPDX-License-Identifier: MIT
# make install: program, library, headers, kit, man pages, pkg-config. The
# target `product` is what must be built for it, besides the examples.
add_custom_target(product DEPENDS tutti_program tutti tutti-engine-fmi2
  tutti-engine-fmi3)
if(TUTTI_HAVE_MPI)
  add_dependencies(product tutti_mpi)
  install(TARGETS tutti_mpi
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tutti)
endif()
install(TARGETS tutti_program RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS tutti LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# what 'tutti export' puts into FMUs
install(TARGETS tutti-engine-fmi2 tutti-engine-fmi3
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tutti)
install(DIRECTORY include/tutti DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.h")
file(GLOB man_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.1)
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
# relative, so that --prefix at install time holds too
file(RELATIVE_PATH TT_PC_TO_PREFIX
  /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(cmake/tutti.pc.in tutti.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tutti.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(FILES kit/TuttiKit.cmake DESTINATION ${CMAKE_INSTALL_DATADIR}/tutti/kit)
install(DIRECTORY kit/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tutti/kit
  FILES_MATCHING PATTERN "tutti_kit*.[ch]" PATTERN "test_models" EXCLUDE)
# tutti-fmu looks for the kit beside itself, then in ../share/tutti/kit.
install(PROGRAMS kit/tutti-fmu DESTINATION ${CMAKE_INSTALL_BINDIR})
