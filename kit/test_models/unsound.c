/* SPDX-License-Identifier: MIT */
/* Every mistake in a table that the kit refuses. */
#include "tutti_kit.h"

struct unsound {
    double a, b, x, y, z;
    int32_t n, mode;
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
};

const struct tutti_model tutti_model = {
    .name = "unsound",
    .size = sizeof(struct unsound),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .microsteps_from = "a",
};
