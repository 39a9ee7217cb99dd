/* SPDX-License-Identifier: MIT */
/*
 * Adds its inputs up, each with its weight:
 *     s = w[1] u[1] + ... + w[n] u[n]
 * How many there are is a structural parameter.
 */
#include "tutti_kit.h"

enum { MOST = 64 };

struct mixer {
    uint64_t n;
    double u[MOST], w[MOST], s;
};

static const struct tutti_var vars[] = {
    TUTTI_SIZE(struct mixer, n, .start = 1, .min = 1, .max = MOST,
               .description = "how many inputs there are"),
    TUTTI_REAL_INPUT(struct mixer, u, .dim = {MOST}, .size_from = {"n"},
                     .description = "what is mixed"),
    TUTTI_REAL_PARAMETER(struct mixer, w, .dim = {MOST}, .size_from = {"n"},
                         .start = 1, .description = "weights"),
    TUTTI_REAL_OUTPUT(struct mixer, s, .depends = "u w",
                      .description = "the sum"),
};

static void outputs(void *model, double t)
{
    struct mixer *m = model;

    (void)t;
    m->s = 0;
    for (uint64_t k = 0; k < m->n; k++)
        m->s += m->w[k] * m->u[k];
}

const struct tutti_model tutti_model = {
    .name = "mixer",
    .description = "A weighted sum",
    .size = sizeof(struct mixer),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .outputs = outputs,
    .affine_outputs = true,
};
