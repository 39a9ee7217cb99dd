# SPDX-License-Identifier: MIT
# make install: program, library, headers, kit, man pages, pkg-config. The
# target `product` is what must be built for it, besides the examples.
add_custom_target(product DEPENDS tutti_program tutti tutti-engine-fmi2
  tutti-engine-fmi3 tutti-python-fmi2)
if(TUTTI_HAVE_MPI)
  add_dependencies(product tutti_mpi)
  install(TARGETS tutti_mpi COMPONENT mpi
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tutti)
endif()
install(TARGETS tutti_program COMPONENT program
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS tutti LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  COMPONENT library NAMELINK_COMPONENT dev)
# what 'tutti export' puts into FMUs
install(TARGETS tutti-engine-fmi2 tutti-engine-fmi3 COMPONENT program
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/tutti)
install(DIRECTORY include/tutti DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  COMPONENT dev
  FILES_MATCHING PATTERN "*.h")
file(GLOB man_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/man/*.1)
install(FILES ${man_pages} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1
  COMPONENT program)
# relative, so that --prefix at install time holds too
file(RELATIVE_PATH TT_PC_TO_PREFIX
  /p/${CMAKE_INSTALL_LIBDIR}/pkgconfig /p)
configure_file(cmake/tutti.pc.in tutti.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tutti.pc
  DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
install(FILES kit/TuttiKit.cmake DESTINATION ${CMAKE_INSTALL_DATADIR}/tutti/kit
  COMPONENT dev)
install(DIRECTORY kit/ DESTINATION ${CMAKE_INSTALL_DATADIR}/tutti/kit
  COMPONENT dev
  FILES_MATCHING PATTERN "tutti_kit*.[ch]" PATTERN "test_models" EXCLUDE)
# tutti-fmu looks for the kit beside itself, then in ../share/tutti/kit.
install(PROGRAMS kit/tutti-fmu DESTINATION ${CMAKE_INSTALL_BINDIR}
  COMPONENT dev)
