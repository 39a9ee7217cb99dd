/* SPDX-License-Identifier: MIT */
/*
 * The odd harmonics of a tone, as many as the structural parameter n states:
 *     y[k] = sin((2k - 1) omega t),  k = 1 .. n
 */
#include <math.h>

#include "tutti_kit.h"

enum { MOST = 64 };

struct harmonics {
    uint64_t n;
    double omega, y[MOST];
};

static const struct tutti_var vars[] = {
    TUTTI_SIZE(struct harmonics, n, .start = 3, .min = 1, .max = MOST,
               .description = "how many there are"),
    TUTTI_REAL_PARAMETER(struct harmonics, omega, .unit = "rad/s", .start = 1,
                         .description = "of the first"),
    TUTTI_REAL_OUTPUT(struct harmonics, y, .dim = {MOST}, .size_from = {"n"},
                      .depends = "time omega", .description = "the harmonics"),
};

static void outputs(void *model, double t)
{
    struct harmonics *m = model;

    for (uint64_t k = 0; k < m->n; k++)
        m->y[k] = sin((double)(2 * k + 1) * m->omega * t);
}

const struct tutti_model tutti_model = {
    .name = "harmonics",
    .description = "Odd harmonics of a tone",
    .size = sizeof(struct harmonics),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .outputs = outputs,
    .stop_time = 10,
    .step_size = 0.01,
};
