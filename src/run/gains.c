/* SPDX-License-Identifier: MIT */
#include "run/gains.h"

#include <math.h>
#include <string.h>

#define MOVE 1e-4 /* of an input, relative to its size */

static enum tt_code derive(tt_run *r, const struct run_gain *g, double *column,
                           tt_err *err)
{
    double *seed = tt_zalloc(g->n, sizeof(*seed));
    struct tt_jvp j = {.unknown = g->follower,
                       .n_unknown = g->n_follower,
                       .known = &g->port,
                       .n_known = 1,
                       .dv_known = seed};
    enum tt_code rc = seed ? TT_OK : run_nomem(err);

    for (uint32_t e = 0; e < g->n && rc == TT_OK; e++) {
        memset(seed, 0, g->n * sizeof(*seed));
        seed[e] = 1;
        j.dv_unknown = column + (size_t)e * g->n_row;
        rc = tt_unit_jvp(r->unit[g->unit], &j, err);
    }
    tt_free(seed);
    return rc;
}

static enum tt_code set(tt_run *r, const struct run_gain *g, double *value,
                        tt_err *err)
{
    const struct tt_span span = {.port = &g->port, .n = 1, .value = value};

    return tt_unit_set(r->unit[g->unit], &span, err);
}

static enum tt_code get(tt_run *r, const struct run_gain *g, double *value,
                        tt_err *err)
{
    const struct tt_span span = {
        .port = g->follower, .n = g->n_follower, .value = value};

    return tt_unit_get(r->unit[g->unit], &span, err);
}

/* room: n elements of the input, then n_row of what follows. */
static enum tt_code differ(tt_run *r, const struct run_gain *g, double *room,
                           double *column, tt_err *err)
{
    double nominal = r->plan->unit[g->unit].desc->port[g->port].nominal;
    double *value = room, *was = room + g->n;
    enum tt_code rc = get(r, g, was, err);

    for (uint32_t e = 0; e < g->n && rc == TT_OK; e++) {
        double *to = column + (size_t)e * g->n_row;
        double by = MOVE * fmax(fabs(g->value[e]), fabs(nominal));

        memcpy(value, g->value, g->n * sizeof(*value));
        value[e] += by;
        by = value[e] - g->value[e];
        rc = set(r, g, value, err);
        if (rc == TT_OK)
            rc = get(r, g, to, err);
        for (uint32_t i = 0; i < g->n_row && rc == TT_OK; i++)
            to[i] = (to[i] - was[i]) / by;
    }
    memcpy(value, g->value, g->n * sizeof(*value));
    return rc == TT_OK ? set(r, g, value, err) : rc;
}

enum tt_code run_find_gain(tt_run *r, const struct run_gain *g, double *column,
                           tt_err *err)
{
    double *room;
    enum tt_code rc;

    if (r->plan->unit[g->unit].desc->caps.directional) {
        rc = derive(r, g, column, err);
        run_between_calls(r);
        if (rc == TT_OK || !g->value)
            return rc;
    }
    if (!g->value)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "instance '%s' has no directional derivatives",
                       r->plan->unit[g->unit].name);
    room = tt_zalloc((size_t)g->n + g->n_row, sizeof(*room));
    rc = room ? differ(r, g, room, column, err) : run_nomem(err);
    tt_free(room);
    run_between_calls(r);
    return rc;
}
