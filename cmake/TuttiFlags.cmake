# SPDX-License-Identifier: MIT
# Flags of our own targets, linked PRIVATE; nothing global. -ffp-contract=off,
# and never -ffast-math: results must not depend on the compiler fusing
# operations.
add_library(tt_flags INTERFACE)
target_compile_features(tt_flags INTERFACE c_std_17)
target_compile_options(tt_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
  -Wdouble-promotion -Wstrict-prototypes -Wmissing-prototypes
  -Wold-style-definition -Wvla -Wcast-qual -Wwrite-strings -Wundef -Wformat=2
  -Wswitch-enum -Wimplicit-fallthrough
  -fno-common -fvisibility=hidden -ffp-contract=off)
# No place of ours in what is shipped: assertions name their file from here.
target_compile_options(tt_flags INTERFACE
  -fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=)
# What is called for every unit in every step is a few instructions long: across
# the blocks a core decodes at once it takes a fifth longer, by chance of layout.
target_compile_options(tt_flags INTERFACE -falign-functions=32)
target_compile_definitions(tt_flags INTERFACE _POSIX_C_SOURCE=200809L)
if(TUTTI_WERROR)
  target_compile_options(tt_flags INTERFACE -Werror)
endif()
if(TUTTI_SANITIZE OR TUTTI_FUZZ)
  target_compile_options(tt_flags INTERFACE
    -fsanitize=address,undefined,float-cast-overflow -fno-omit-frame-pointer
    -fno-sanitize-recover=undefined,float-cast-overflow)
  target_link_options(tt_flags INTERFACE -fsanitize=address,undefined)
endif()
if(TUTTI_TSAN)
  target_compile_options(tt_flags INTERFACE
    -fsanitize=thread -fno-omit-frame-pointer)
  target_link_options(tt_flags INTERFACE -fsanitize=thread)
endif()
if(TUTTI_FUZZ)
  target_compile_options(tt_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
set(CMAKE_C_EXTENSIONS OFF)
