/* SPDX-License-Identifier: MIT */
/*
 * A capacitor: u' = i / C. Its pin gives the voltage and takes the current that
 * flows into it.
 */
#include "tutti_kit.h"

struct capacitor {
    double C, i, u, du;
};

static const struct tutti_var vars[] = {
    TUTTI_REAL_PARAMETER(struct capacitor, C, .unit = "F", .start = 1e-3,
                         .min = 1e-12, .max = 1e3,
                         .description = "capacitance"),
    TUTTI_REAL_INPUT(struct capacitor, i, .unit = "A",
                     .description = "current into it"),
    TUTTI_STATE(struct capacitor, u, .unit = "V", .description = "voltage"),
    TUTTI_REAL_LOCAL(struct capacitor, du, .unit = "V/s", .derivative_of = "u",
                     .depends = "i C"),
};

static const struct tutti_member pin[] = {
    {"u", "u", TUTTI_SIGNAL},
    {"i", "i", TUTTI_INFLOW},
};
static const struct tutti_terminal terminals[] = {
    {.name = "pin", .kind = "org.tutti.pin", .members = pin, .n_members = 2},
};
static const struct tutti_unit units[] = {
    {.name = "V/s", .kg = 1, .m = 2, .s = -4, .A = -1},
};

static void linear(void *model, struct tutti_linear *sys)
{
    const struct capacitor *m = model;

    sys->b[0][0] = 1 / m->C;
}

const struct tutti_model tutti_model = {
    .name = "capacitor",
    .description = "A capacitor against ground",
    .size = sizeof(struct capacitor),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .units = units,
    .n_units = TUTTI_COUNT(units),
    .terminals = terminals,
    .n_terminals = TUTTI_COUNT(terminals),
    .linear = linear,
};
