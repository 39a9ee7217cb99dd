# SPDX-License-Identifier: MIT
# TUTTI_HAVE_SUNDIALS, TUTTI_SUNDIALS_INCLUDE, TUTTI_SUNDIALS_LIBS: the static
# libraries of SUNDIALS 6, in the system's folders or under SUNDIALS_ROOT. Its own
# package file is not used, since that wants all of what it was built with.
set(TUTTI_HAVE_SUNDIALS OFF)
set(TUTTI_SUNDIALS_LIBS "")
if(NOT TUTTI_SUNDIALS)
  return()
endif()
find_path(TUTTI_SUNDIALS_INCLUDE sundials/sundials_context.h
  HINTS ${SUNDIALS_ROOT} PATH_SUFFIXES include)
set(found ${TUTTI_SUNDIALS_INCLUDE})
if(found)
  file(STRINGS ${TUTTI_SUNDIALS_INCLUDE}/sundials/sundials_config.h found
    REGEX "SUNDIALS_VERSION_MAJOR 6")
endif()
foreach(part IN ITEMS cvode arkode sunlinsoldense sunmatrixdense
    sunnonlinsolnewton sunmatrixband sunlinsolband nvecserial generic)
  find_library(TUTTI_SUNDIALS_${part} NAMES libsundials_${part}.a
    HINTS ${SUNDIALS_ROOT}
    PATH_SUFFIXES lib lib/${CMAKE_LIBRARY_ARCHITECTURE})
  mark_as_advanced(TUTTI_SUNDIALS_${part})
  if(TUTTI_SUNDIALS_${part})
    list(APPEND TUTTI_SUNDIALS_LIBS ${TUTTI_SUNDIALS_${part}})
  else()
    set(found "")
  endif()
endforeach()
if(found)
  set(TUTTI_HAVE_SUNDIALS ON)
else()
  set(TUTTI_SUNDIALS_LIBS "")
endif()
