/* SPDX-License-Identifier: MIT */
/* Every mistake in a table that the kit refuses. */
#include "tutti_kit.h"

struct unsound {
    double a, b, x, y, z;
    int32_t n, mode;
    struct tutti_clock k;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct unsound, a, .unit = "parsec"),
    TUTTI_REAL_OUTPUT(struct unsound, b, .depends = "a q"),
    TUTTI_REAL_OUTPUT(struct unsound, x, .depends = "b"),
    TUTTI_REAL_OUTPUT(struct unsound, y, .name = "b"),
    TUTTI_REAL_LOCAL(struct unsound, z, .derivative_of = "x"),
    TUTTI_VAR(struct unsound, y, TUTTI_INT32, TUTTI_OUTPUT, .unit = "m"),
    TUTTI_VAR(struct unsound, n, TUTTI_INT32, TUTTI_INPUT,
              .variability = TUTTI_CONTINUOUS),
    TUTTI_VAR(struct unsound, mode, TUTTI_ENUM, TUTTI_INPUT, .start = 1),
    TUTTI_REAL_PARAMETER(struct unsound, a, .name = "p", .start = 3, .min = 0,
                         .max = 2, .variability = TUTTI_DISCRETE),
    TUTTI_VAR(struct unsound, n, TUTTI_INT32, TUTTI_LOCAL, .name = "s",
              .state = true),
    TUTTI_INPUT_CLOCK(struct unsound, k, .interval = 1, .shift = -1),
    TUTTI_OUTPUT_CLOCK(struct unsound, k, .name = "o",
                       .ticks = TUTTI_TICKS_COUNTDOWN),
    TUTTI_VAR(struct unsound, k, TUTTI_CLOCK, TUTTI_LOCAL, .name = "l",
              .ticks = TUTTI_TICKS_PERIODIC, .interval = 1),
    TUTTI_REAL_LOCAL(struct unsound, z, .name = "c", .clocks = "k n"),
    TUTTI_REAL_INPUT(struct unsound, a, .name = "d", .size_from = {"a"}),
    TUTTI_VAR(struct unsound, mode, TUTTI_INT32, TUTTI_STRUCTURAL,
              .name = "size"),
};

static const struct tutti_member members[] = {{.variable = "w"}};
static const struct tutti_terminal terminals[] = {
    {.name = "t", .members = members, .n_members = 1},
};

const struct tutti_model tutti_model = {
    .name = "unsound",
    .size = sizeof(struct unsound),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .terminals = terminals,
    .n_terminals = TUTTI_COUNT(terminals),
    .microsteps_from = "a",
};
