# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.20)
# Every public header compiles alone: as C17, as C11 and as C++; the kit's,
# whose macros want designated initialisers, as C and C++20.
set(warn -fsyntax-only -Wall -Wextra -Wpedantic -Wshadow -Wconversion
  -Wstrict-prototypes -Werror)
set(warn_cxx ${warn})
list(REMOVE_ITEM warn_cxx -Wstrict-prototypes)

function(compile)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code ERROR_VARIABLE words)
  if(NOT code EQUAL 0)
    message(SEND_ERROR "${ARGN}\n${words}")
  endif()
endfunction()

file(GLOB headers ${SOURCE}/include/tutti/*.h)
if(NOT headers)
  message(FATAL_ERROR "no public header in ${SOURCE}/include/tutti")
endif()
foreach(header IN LISTS headers)
  foreach(std IN ITEMS c17 c11)
    compile(${CC} ${warn} -std=${std} -x c ${header})
  endforeach()
  foreach(std IN ITEMS c++11 c++20)
    compile(${CXX} ${warn_cxx} -std=${std} -x c++ ${header})
  endforeach()
endforeach()
compile(${CC} ${warn} -std=c17 -x c ${SOURCE}/kit/tutti_kit.h)
compile(${CXX} ${warn_cxx} -std=c++20 -x c++ ${SOURCE}/kit/tutti_kit.h)
