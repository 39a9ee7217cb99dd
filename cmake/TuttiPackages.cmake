# SPDX-License-Identifier: MIT
# make deb: Debian packages, one for each thing that is wanted alone. Python's
# modules and the documents are only in these; 'make install' leaves the former
# to pip.
install(DIRECTORY clients/python/tutti COMPONENT python EXCLUDE_FROM_ALL
  DESTINATION lib/python3/dist-packages FILES_MATCHING PATTERN "*.py"
  PATTERN "__pycache__" EXCLUDE)
install(DIRECTORY docs/ COMPONENT doc EXCLUDE_FROM_ALL
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tutti-doc
  PATTERN "man" EXCLUDE PATTERN "site" EXCLUDE)
install(FILES README.md LICENSE COMPONENT doc EXCLUDE_FROM_ALL
  DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/tutti-doc)

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The Tutti authors <tutti@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL program library dev python doc)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR})
set(CPACK_DEBIAN_PACKAGE_SECTION science)

# The name, one line of what it is, and the packages it needs besides the
# libraries that its files are linked with.
function(tt_package component name what)
  string(TOUPPER ${component} C)
  set(CPACK_DEBIAN_${C}_PACKAGE_NAME ${name} PARENT_SCOPE)
  set(CPACK_COMPONENT_${C}_DESCRIPTION ${what} PARENT_SCOPE)
  set(CPACK_DEBIAN_${C}_DESCRIPTION ${what} PARENT_SCOPE)
  list(JOIN ARGN ", " needs)
  set(CPACK_DEBIAN_${C}_PACKAGE_DEPENDS "${needs}" PARENT_SCOPE)
endfunction()

set(same "= ${PROJECT_VERSION}")
tt_package(program tutti "co-simulation of FMUs: the program")
tt_package(library libtutti0 "co-simulation of FMUs: the library")
tt_package(dev libtutti-dev
  "co-simulation of FMUs: headers, and the kit to write FMUs"
  "libtutti0 (${same})" "gcc, libc6-dev, zip")
tt_package(python python3-tutti "co-simulation of FMUs from Python"
  "tutti (${same})" "python3 (>= 3.8)")
tt_package(doc tutti-doc "co-simulation of FMUs: documents and examples")
if(TUTTI_HAVE_MPI)
  list(APPEND CPACK_COMPONENTS_ALL mpi)
  tt_package(mpi tutti-mpi "co-simulation of FMUs: runs over several ranks"
    "tutti (${same})")
endif()
# HDF5 is loaded when the first file needs it.
if(TUTTI_HAVE_HDF5)
  set(CPACK_DEBIAN_PROGRAM_PACKAGE_RECOMMENDS libhdf5-103-1)
endif()
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SUGGESTS "tutti-doc, gcc")
include(CPack)
