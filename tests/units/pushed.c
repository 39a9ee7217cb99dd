/* SPDX-License-Identifier: MIT */
/* The left half of the double mass-spring-damper with a second force on it,
 * from outside: m1 x1'' = -c1 x1 - d1 x1' + F + Fe, m1 = d1 = 1, c1 = 5. */
#include "tutti_kit.h"

struct pushed {
    double F, Fe, x1, v1;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct pushed, F, .unit = "N",
                     .description = "coupling force"),
    TUTTI_REAL_INPUT(struct pushed, Fe, .unit = "N",
                     .description = "force from outside"),
    TUTTI_STATE(struct pushed, x1, .unit = "m", .start = 1,
                .description = "position"),
    TUTTI_STATE(struct pushed, v1, .unit = "m/s", .description = "velocity"),
};

static void linear(void *model, struct tutti_linear *sys)
{
    (void)model;
    sys->a[0][1] = 1;
    sys->a[1][0] = -5;
    sys->a[1][1] = -1;
    sys->b[1][0] = 1;
    sys->b[1][1] = 1;
}

const struct tutti_model tutti_model = {
    .name = "pushed",
    .description = "Left half of the double mass-spring-damper, pushed",
    .size = sizeof(struct pushed),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .linear = linear,
    .affine_outputs = true,
    .stop_time = 10,
    .step_size = 0.2,
};
