/* SPDX-License-Identifier: MIT */
/*
 * A voltage source behind a resistor. Its pin takes the voltage and gives the
 * current that flows into it: i = (u - u0) / R.
 */
#include "tutti_kit.h"

struct source {
    double u0, R, u, i;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_PARAMETER(struct source, u0, .unit = "V", .start = 10,
                         .description = "voltage without a load"),
    TUTTI_REAL_PARAMETER(struct source, R, .unit = "Ohm", .start = 100,
                         .min = 1e-6, .max = 1e9, .description = "resistance"),
    TUTTI_REAL_INPUT(struct source, u, .unit = "V",
                     .description = "voltage at the pin"),
    TUTTI_REAL_OUTPUT(struct source, i, .unit = "A", .depends = "u u0 R",
                      .description = "current into it"),
};

static const struct tutti_member pin[] = {
    {"u", "u", TUTTI_SIGNAL},
    {"i", "i", TUTTI_INFLOW},
};
static const struct tutti_terminal terminals[] = {
    {.name = "pin", .kind = "org.tutti.pin", .members = pin, .n_members = 2},
};

static void outputs(void *model, double t)
{
    struct source *m = model;

    (void)t;
    m->i = (m->u - m->u0) / m->R;
}

const struct tutti_model tutti_model = {
    .name = "source",
    .description = "A voltage source behind a resistor",
    .size = sizeof(struct source),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .terminals = terminals,
    .n_terminals = TUTTI_COUNT(terminals),
    .outputs = outputs,
    .affine_outputs = true,
};
