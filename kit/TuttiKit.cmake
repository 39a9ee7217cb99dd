# SPDX-License-Identifier: MIT
# tutti_add_fmu(<name> SOURCES a.c ... [VERSIONS 2 3] [MODEL_IDENTIFIER id]
#               [RESOURCES dir] [TERMINALS] OUTPUT_DIR dir)
#
# Builds <dir>/<name>.fmu (FMI 2.0) and <dir>/<name>-fmi3.fmu (FMI 3.0) from a
# unit written with the kit, for the platform of the build (Linux on x86_64);
# with 1 among the versions also <dir>/<name>-fmi1.fmu (FMI 1.0). The target
# <name>-fmu makes them; it is part of ALL. The libraries inside are the targets
# <name>-fmi2 and so on. With TERMINALS those that the unit declares go into the
# FMUs of FMI 2 and 3.

function(tutti_add_fmu name)
  cmake_parse_arguments(F "TERMINALS" "MODEL_IDENTIFIER;RESOURCES;OUTPUT_DIR"
    "SOURCES;VERSIONS" ${ARGN})
  if(NOT F_SOURCES OR NOT F_OUTPUT_DIR)
    message(FATAL_ERROR "tutti_add_fmu(${name}): SOURCES and OUTPUT_DIR needed")
  endif()
  if(NOT F_VERSIONS)
    set(F_VERSIONS 2 3)
  endif()
  if(NOT F_MODEL_IDENTIFIER)
    string(MAKE_C_IDENTIFIER ${name} F_MODEL_IDENTIFIER)
  endif()

  _tutti_kit_target(${name}-describe EXECUTABLE "${F_SOURCES}")
  target_compile_definitions(${name}-describe PRIVATE TUTTI_KIT_DESCRIBE)
  set(fmus "")
  foreach(version IN LISTS F_VERSIONS)
    _tutti_kit_target(${name}-fmi${version} MODULE "${F_SOURCES}")
    target_compile_definitions(${name}-fmi${version} PRIVATE
      TUTTI_KIT_FMI=${version} TUTTI_KIT_ID=${F_MODEL_IDENTIFIER})
    set_target_properties(${name}-fmi${version} PROPERTIES
      PREFIX "" SUFFIX .so OUTPUT_NAME ${F_MODEL_IDENTIFIER}
      LIBRARY_OUTPUT_DIRECTORY
        ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/fmi${version})
    _tutti_kit_pack(${name} ${version} ${F_MODEL_IDENTIFIER}
      "${F_RESOURCES}" ${F_TERMINALS} ${F_OUTPUT_DIR} fmu)
    list(APPEND fmus ${fmu})
  endforeach()
  add_custom_target(${name}-fmu ALL DEPENDS ${fmus})
endfunction()

# A program or module of the unit's sources and the kit.
function(_tutti_kit_target target kind sources)
  if(kind STREQUAL EXECUTABLE)
    add_executable(${target} ${sources} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/tutti_kit.c)
    set_target_properties(${target} PROPERTIES
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${target}.dir)
  else()
    add_library(${target} MODULE ${sources} ${CMAKE_CURRENT_FUNCTION_LIST_DIR}/tutti_kit.c)
  endif()
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  target_compile_options(${target} PRIVATE -ffp-contract=off)
  set_target_properties(${target} PROPERTIES
    C_STANDARD 17 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF
    C_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(${target} PRIVATE m)
  # Inside Tutti's own build its warnings apply, but never its sanitizers: any
  # program must be able to load an FMU.
  if(TARGET tt_flags)
    get_target_property(options tt_flags INTERFACE_COMPILE_OPTIONS)
    list(FILTER options EXCLUDE REGEX sanitize)
    target_compile_options(${target} PRIVATE ${options})
  endif()
endfunction()

# Writes the description, lays the archive's folder out and packs it; the path
# of the FMU goes to `out`.
function(_tutti_kit_pack name version identifier resources terminals output_dir out)
  set(root ${CMAKE_CURRENT_BINARY_DIR}/${name}.dir/archive${version})
  set(folder binaries/linux64)
  set(fmu ${output_dir}/${name}-fmi${version}.fmu)
  if(version EQUAL 3)
    set(folder binaries/x86_64-linux)
  elseif(version EQUAL 2)
    set(fmu ${output_dir}/${name}.fmu)
  endif()
  set(content modelDescription.xml binaries)
  set(copy_resources "")
  set(resource_files "")
  if(resources)
    get_filename_component(resources ${resources} ABSOLUTE)
    file(GLOB_RECURSE resource_files CONFIGURE_DEPENDS ${resources}/*)
    list(APPEND content resources)
    set(copy_resources COMMAND ${CMAKE_COMMAND} -E copy_directory
      ${resources} ${root}/resources)
  endif()
  set(put_terminals "")
  if(terminals AND version GREATER 1)
    list(APPEND content terminalsAndIcons)
    set(put_terminals
      COMMAND ${CMAKE_COMMAND} -E make_directory ${root}/terminalsAndIcons
      COMMAND ${name}-describe t
        > ${root}/terminalsAndIcons/terminalsAndIcons.xml)
  endif()
  add_custom_command(OUTPUT ${fmu}
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${root} ${fmu}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${root}/${folder} ${output_dir}
    COMMAND ${name}-describe ${version} ${identifier}
      > ${root}/modelDescription.xml
    COMMAND ${CMAKE_COMMAND} -E copy $<TARGET_FILE:${name}-fmi${version}>
      ${root}/${folder}/${identifier}.so
    ${copy_resources} ${put_terminals}
    COMMAND ${CMAKE_COMMAND} -E chdir ${root}
      ${CMAKE_COMMAND} -E tar cf ${fmu} --format=zip ${content}
    DEPENDS ${name}-describe ${name}-fmi${version} ${resource_files}
    COMMENT "Packing ${name} for FMI ${version}"
    VERBATIM)
  set(${out} ${fmu} PARENT_SCOPE)
endfunction()
