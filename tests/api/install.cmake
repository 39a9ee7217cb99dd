# SPDX-License-Identifier: MIT
cmake_minimum_required(VERSION 3.20)
# Install into a folder of its own, then use what is there as a stranger would:
# pkg-config finds the library, the example compiles and plays the scenarios
# that are installed, tutti-fmu makes an FMU from bin/, and the program runs it.
set(root ${BUILD}/tests/install)
set(prefix ${root}/prefix)
file(REMOVE_RECURSE ${root})
file(MAKE_DIRECTORY ${root})

function(must out)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${root}
    OUTPUT_VARIABLE said ERROR_VARIABLE words RESULT_VARIABLE code
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGN} ended with ${code}:\n${said}\n${words}")
  endif()
  set(${out} "${said}" PARENT_SCOPE)
endfunction()

must(ignored ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})

file(GLOB man_pages RELATIVE ${SOURCE}/docs/man ${SOURCE}/docs/man/*.1)
list(TRANSFORM man_pages PREPEND share/man/man1/)
file(GLOB kit RELATIVE ${SOURCE}/kit ${SOURCE}/kit/tutti_kit*.[ch])
list(TRANSFORM kit PREPEND share/tutti/kit/)
foreach(file IN ITEMS bin/tutti bin/tutti-fmu include/tutti/tutti.h
    ${LIBDIR}/tutti/tutti-engine-fmi2.so ${LIBDIR}/tutti/tutti-engine-fmi3.so
    ${LIBDIR}/libtutti.so ${LIBDIR}/pkgconfig/tutti.pc
    share/tutti/kit/TuttiKit.cmake share/man/man1/tutti.1
    share/tutti/kit/tutti_kit.h ${man_pages} ${kit} ${PLUGIN})
  if(NOT EXISTS ${prefix}/${file})
    message(SEND_ERROR "not installed: ${file}")
  endif()
endforeach()

set(ENV{PKG_CONFIG_PATH} ${prefix}/${LIBDIR}/pkgconfig)
must(flags ${PKG_CONFIG} --cflags --libs tutti)
separate_arguments(flags UNIX_COMMAND "${flags}")
must(ignored ${CC} -std=c17 ${FLAGS} ${SOURCE}/examples/c-api/main.c ${flags}
  -Wl,-rpath,${prefix}/${LIBDIR} -o ${root}/example)
set(examples ${prefix}/share/tutti/examples)
must(said ${root}/example ${examples}/double-mass-spring-damper/scenario.json)
if(NOT said MATCHES "completed: 50 steps to t=10 s$")
  message(SEND_ERROR "the example said:\n${said}")
endif()

must(said ${prefix}/bin/tutti --version)
if(NOT said MATCHES "^tutti ${VERSION} ")
  message(SEND_ERROR "tutti --version said: ${said}")
endif()
must(said ${prefix}/bin/tutti-fmu ${SOURCE}/kit/test_models/tank.c -o ${root})
must(said ${prefix}/bin/tutti run ${root}/tank.fmu --until 1
  --step 0.1 --quiet)
if(NOT EXISTS ${root}/outputs.csv)
  message(SEND_ERROR "the FMU that tutti-fmu made gave no results")
endif()

# the engine is found where it is installed
must(said ${prefix}/bin/tutti export
  ${examples}/water-tank/scenario.json -o ${root}/it.fmu --fmi 3)
if(NOT said MATCHES "it.fmu: FMI 3, 18 variables, 2 FMUs inside$")
  message(SEND_ERROR "tutti export said: ${said}")
endif()
must(said ${prefix}/bin/tutti check ${root}/it.fmu --walk)
