/* SPDX-License-Identifier: MIT */
/*
 * A basin of a cascade: what flows in comes from above, and while the valve at
 * the bottom is open water leaves in proportion to the level:
 *     outflow = conductance * level   if the valve is open, else 0
 *     area * level' = inflow - outflow
 * The volumes that went in and out are counted beside.
 */
#include <math.h>

#include "tutti_kit.h"

struct basin {
    double inflow;
    bool valve;
    double level, volumeIn, volumeOut, outflow;
    double area, conductance;
    double dLevel, dIn, dOut;
};

static const struct tutti_unit units[] = {{.name = "m2/s", .m = 2, .s = -1}};

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct basin, inflow, .unit = "m3/s", .max = HUGE_VAL,
                     .description = "what comes from above"),
    TUTTI_VAR(struct basin, valve, TUTTI_BOOLEAN, TUTTI_INPUT,
              .description = "true: the valve is open"),
    TUTTI_STATE(struct basin, level, .unit = "m", .start = 1, .max = HUGE_VAL,
                .nominal = 5, .description = "level of the water"),
    TUTTI_STATE(struct basin, volumeIn, .unit = "m3", .max = HUGE_VAL,
                .description = "volume that flowed in since the start"),
    TUTTI_STATE(struct basin, volumeOut, .unit = "m3", .max = HUGE_VAL,
                .description = "volume that flowed out since the start"),
    TUTTI_REAL_OUTPUT(struct basin, outflow, .unit = "m3/s",
                      .depends = "valve level conductance",
                      .description = "flow through the valve"),
    TUTTI_REAL_PARAMETER(struct basin, area, .unit = "m2", .start = 1,
                         .min = 1e-6, .max = HUGE_VAL,
                         .description = "cross section"),
    TUTTI_REAL_PARAMETER(struct basin, conductance, .unit = "m2/s",
                         .start = 0.25, .max = HUGE_VAL,
                         .description = "flow through the open valve per "
                                        "metre of level"),
    TUTTI_REAL_LOCAL(struct basin, dLevel, .unit = "m/s",
                     .derivative_of = "level",
                     .depends = "valve level inflow area conductance"),
    TUTTI_REAL_LOCAL(struct basin, dIn, .unit = "m3/s",
                     .derivative_of = "volumeIn", .depends = "inflow"),
    TUTTI_REAL_LOCAL(struct basin, dOut, .unit = "m3/s",
                     .derivative_of = "volumeOut",
                     .depends = "valve level conductance"),
};

/* The states are level, volumeIn, volumeOut. */
static void linear(void *model, struct tutti_linear *sys)
{
    const struct basin *m = model;
    double open = m->valve ? m->conductance : 0;

    sys->a[0][0] = -open / m->area;
    sys->a[2][0] = open;
    sys->b[0][0] = 1 / m->area;
    sys->b[1][0] = 1;
}

static void outputs(void *model, double t)
{
    struct basin *m = model;

    (void)t;
    m->outflow = m->valve ? m->conductance * m->level : 0;
}

const struct tutti_model tutti_model = {
    .name = "basin",
    .description = "Basin of a cascade with a valve at the bottom",
    .size = sizeof(struct basin),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .units = units,
    .n_units = TUTTI_COUNT(units),
    .linear = linear,
    .outputs = outputs,
    .stop_time = 100,
    .step_size = 0.1,
};
