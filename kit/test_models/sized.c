/* SPDX-License-Identifier: MIT */
/* Arrays of sizes that are set: y = m u, m of rows x columns. */
#include "tutti_kit.h"

enum { MOST = 4 };

struct sized {
    uint64_t rows, columns;
    double m[MOST * MOST], u[MOST], y[MOST];
};

static const struct tutti_var vars[] = {
    TUTTI_SIZE(struct sized, rows, .start = 1),
    TUTTI_SIZE(struct sized, columns, .start = 2, .min = 1, .max = 3),
    TUTTI_REAL_PARAMETER(struct sized, m, .dim = {MOST, MOST},
                         .size_from = {"rows", "columns"}, .start = 1),
    TUTTI_REAL_INPUT(struct sized, u, .dim = {MOST}, .size_from = {"columns"},
                     .start = 2),
    TUTTI_REAL_OUTPUT(struct sized, y, .dim = {MOST}, .size_from = {"rows"},
                      .depends = "m u"),
};

static void outputs(void *model, double t)
{
    struct sized *s = model;

    (void)t;
    for (uint64_t i = 0; i < s->rows; i++) {
        s->y[i] = 0;
        for (uint64_t j = 0; j < s->columns; j++)
            s->y[i] += s->m[i * s->columns + j] * s->u[j];
    }
}

static const struct tutti_member members[] = {
    {"in", "u", TUTTI_SIGNAL},
    {"out", "y", TUTTI_OUTFLOW},
};
static const struct tutti_terminal terminals[] = {
    {.name = "side",
     .kind = "org.tutti.side",
     .description = "in & out",
     .matching = TUTTI_BUS,
     .members = members,
     .n_members = 2},
};

const struct tutti_model tutti_model = {
    .name = "sized",
    .size = sizeof(struct sized),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .terminals = terminals,
    .n_terminals = TUTTI_COUNT(terminals),
    .outputs = outputs,
};
