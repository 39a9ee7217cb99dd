/* SPDX-License-Identifier: MIT */
/*
 * A tank with a steady inflow and a valve at the bottom. While the valve is
 * open the water leaves through a laminar pipe, in proportion to the level:
 *     outflow = conductance * level   if the valve is open, else 0
 *     area * level' = inflow - outflow
 * The volumes that went in and out are counted beside, so that
 *     area * (level - level at the start) = volumeIn - volumeOut
 * can be checked at any time.
 */
#include <math.h>

#include "tutti_kit.h"

struct tank {
    bool valve;
    double level, volumeIn, volumeOut, outflow;
    double area, inflow, conductance;
    double dLevel, dIn, dOut;
};

static const struct tutti_unit units[] = {{.name = "m2/s", .m = 2, .s = -1}};

static const struct tutti_var vars[] = {
    TUTTI_VAR(struct tank, valve, TUTTI_BOOLEAN, TUTTI_INPUT,
              .description = "true: the valve is open"),
    TUTTI_STATE(struct tank, level, .unit = "m", .start = 1, .max = HUGE_VAL,
                .nominal = 5, .description = "level of the water"),
    TUTTI_STATE(struct tank, volumeIn, .unit = "m3", .max = HUGE_VAL,
                .description = "volume that flowed in since the start"),
    TUTTI_STATE(struct tank, volumeOut, .unit = "m3", .max = HUGE_VAL,
                .description = "volume that flowed out since the start"),
    TUTTI_REAL_LOCAL(struct tank, outflow, .unit = "m3/s",
                     .depends = "valve level conductance",
                     .description = "flow through the valve"),
    TUTTI_REAL_PARAMETER(struct tank, area, .unit = "m2", .start = 1,
                         .min = 1e-6, .max = HUGE_VAL,
                         .description = "cross section of the tank"),
    TUTTI_REAL_PARAMETER(struct tank, inflow, .unit = "m3/s", .start = 0.45,
                         .max = HUGE_VAL, .description = "steady inflow"),
    TUTTI_REAL_PARAMETER(struct tank, conductance, .unit = "m2/s",
                         .start = 0.25, .max = HUGE_VAL,
                         .description = "flow through the open valve per "
                                        "metre of level"),
    TUTTI_REAL_LOCAL(struct tank, dLevel, .unit = "m/s",
                     .derivative_of = "level",
                     .depends = "valve level inflow area conductance"),
    TUTTI_REAL_LOCAL(struct tank, dIn, .unit = "m3/s",
                     .derivative_of = "volumeIn", .depends = "inflow"),
    TUTTI_REAL_LOCAL(struct tank, dOut, .unit = "m3/s",
                     .derivative_of = "volumeOut",
                     .depends = "valve level conductance"),
};

/* The states are level, volumeIn, volumeOut. */
static void linear(void *model, struct tutti_linear *sys)
{
    const struct tank *m = model;
    double open = m->valve ? m->conductance : 0;

    sys->a[0][0] = -open / m->area;
    sys->a[2][0] = open;
    sys->e[0] = m->inflow / m->area;
    sys->e[1] = m->inflow;
}

static void outputs(void *model, double t)
{
    struct tank *m = model;

    (void)t;
    m->outflow = m->valve ? m->conductance * m->level : 0;
}

const struct tutti_model tutti_model = {
    .name = "watertank",
    .description = "Tank with a steady inflow and a valve at the bottom",
    .size = sizeof(struct tank),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .units = units,
    .n_units = TUTTI_COUNT(units),
    .linear = linear,
    .outputs = outputs,
    .stop_time = 100,
    .step_size = 0.1,
};
