# SPDX-License-Identifier: MIT
# tt_module(<name> SOURCES ... [LIBS ...] [TESTS ...] [TEST_SOURCES ...])
#
# A module is an object library: its objects go into libtutti.so, into the
# program and into tutti_testing (which every test links, so that tests reach
# what the product hides). TESTS are files <x>_test.c beside the sources; each
# is one program and one CTest named <module>.<x>_test. With PROGRAM the objects
# go into the program alone. TEST_SOURCES help tests (mocks, contract suites):
# they are in tutti_testing and not in the product.
set(TT_OBJECTS "" CACHE INTERNAL "")
set(TT_TEST_OBJECTS "" CACHE INTERNAL "")
set(TT_LIBS "" CACHE INTERNAL "")
set(TT_PROGRAM_OBJECTS "" CACHE INTERNAL "")
set(TT_PROGRAM_LIBS "" CACHE INTERNAL "")

function(tt_module name)
  cmake_parse_arguments(M "PROGRAM" "" "SOURCES;LIBS;TESTS;TEST_SOURCES" ${ARGN})
  if(M_SOURCES)
    add_library(tt_${name} OBJECT ${M_SOURCES})
    set_target_properties(tt_${name} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_include_directories(tt_${name} PUBLIC
      ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(tt_${name} PRIVATE tt_flags ${M_LIBS})
    if(M_PROGRAM)
      set(TT_PROGRAM_OBJECTS ${TT_PROGRAM_OBJECTS}
        $<TARGET_OBJECTS:tt_${name}> CACHE INTERNAL "")
      set(TT_PROGRAM_LIBS ${TT_PROGRAM_LIBS} ${M_LIBS} CACHE INTERNAL "")
    else()
      set(TT_OBJECTS ${TT_OBJECTS} $<TARGET_OBJECTS:tt_${name}>
        CACHE INTERNAL "")
      set(TT_LIBS ${TT_LIBS} ${M_LIBS} CACHE INTERNAL "")
    endif()
  endif()
  if(M_TEST_SOURCES AND TUTTI_TESTS)
    add_library(tt_${name}_testing OBJECT ${M_TEST_SOURCES})
    target_include_directories(tt_${name}_testing PUBLIC
      ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
    target_link_libraries(tt_${name}_testing PRIVATE tt_flags ${M_LIBS})
    set(TT_TEST_OBJECTS ${TT_TEST_OBJECTS}
      $<TARGET_OBJECTS:tt_${name}_testing> CACHE INTERNAL "")
  endif()
  foreach(test IN LISTS M_TESTS)
    tt_test(${name} ${test})
  endforeach()
endfunction()

# tt_test(<module> <file_test.c> [ARGS ...] [LABEL l]): one test program. Limits
# of time are for what hangs: a sanitizer on a machine full of other work is ten
# times as slow as usual, and must not come near them.
function(tt_test module file)
  cmake_parse_arguments(T "" "LABEL" "DEFINES;SOURCES;LIBS" ${ARGN})
  if(NOT TUTTI_TESTS)
    return()
  endif()
  if(NOT T_LABEL)
    set(T_LABEL unit)
  endif()
  get_filename_component(stem ${file} NAME_WE)
  set(target ${module}_${stem})
  add_executable(${target} ${file} ${T_SOURCES})
  target_include_directories(${target} PRIVATE
    ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/include)
  target_compile_definitions(${target} PRIVATE
    TT_BUILD_DIR="${CMAKE_BINARY_DIR}"
    TT_SOURCE_DIR="${PROJECT_SOURCE_DIR}" ${T_DEFINES})
  target_link_libraries(${target} PRIVATE tt_flags tutti_testing cmocka
    ${T_LIBS})
  set_target_properties(${target} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  add_test(NAME ${module}.${stem} COMMAND ${target})
  set_tests_properties(${module}.${stem} PROPERTIES
    LABELS ${T_LABEL} TIMEOUT 600)
endfunction()

# Called once all modules are known.
function(tt_link_product)
  add_library(tutti_testing STATIC ${TT_OBJECTS} ${TT_TEST_OBJECTS})
  set_target_properties(tutti_testing PROPERTIES LINKER_LANGUAGE C
    ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(tutti_testing PUBLIC ${TT_LIBS} Threads::Threads m
    ${CMAKE_DL_LIBS})

  add_library(tutti SHARED ${TT_OBJECTS})
  target_link_libraries(tutti PRIVATE tt_flags ${TT_LIBS} Threads::Threads m
    ${CMAKE_DL_LIBS})
  # Only tutti_* leaves the library; include/tutti/exports.txt lists it.
  set(exports ${PROJECT_SOURCE_DIR}/cmake/tutti.map)
  target_link_options(tutti PRIVATE LINKER:--version-script=${exports})
  target_include_directories(tutti INTERFACE ${PROJECT_SOURCE_DIR}/include)
  set_target_properties(tutti PROPERTIES LINKER_LANGUAGE C
    LINK_DEPENDS ${exports}
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR})

  # The program carries the engine inside, so build/tutti runs from anywhere.
  add_executable(tutti_program ${TT_PROGRAM_OBJECTS})
  set_target_properties(tutti_program PROPERTIES OUTPUT_NAME tutti
    LINKER_LANGUAGE C)
  target_link_libraries(tutti_program PRIVATE tt_flags tutti_testing
    ${TT_PROGRAM_LIBS})
endfunction()
