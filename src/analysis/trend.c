/* SPDX-License-Identifier: MIT */
#include "analysis/trend.h"

#include <math.h>
#include <string.h>

#include "analysis/fit.h"

#define STEPS 20000u
#define ROWS  48u
#define FEW   8u /* fewer rows fit anything */
#define NOISE 1e-7
#define MUCH  1e-2 /* more that is not explained leaves no estimate */

struct tape {
    struct tt_response r; /* of one cause: rates of change from row to row */
    double *last, *now;   /* owned: values */
};

uint32_t tt_trend_numbers(struct tt_probe_number *x, uint32_t n)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < n; i++)
        if (x[i].of == TT_PROBE_SLOT && !x[i].movable)
            x[kept++] = x[i];
    return kept;
}

static enum tt_code open_tape(struct tape *t, const tt_run *run, tt_err *err)
{
    enum tt_code rc = tt_probe_list(run, &t->r.number, &t->r.n, err);

    if (rc != TT_OK)
        return rc;
    t->r.n = tt_trend_numbers(t->r.number, t->r.n);
    t->r.n_cause = 1;
    if (t->r.n == 0 || !TT_NEW_ARRAY(t->last, t->r.n) ||
        !TT_NEW_ARRAY(t->now, t->r.n) ||
        !TT_NEW_ARRAY(t->r.at, (size_t)t->r.n * ROWS))
        return TT_ENOMEM;
    return TT_OK;
}

/* The oldest goes when there is no room. */
static enum tt_code add_row(struct tape *t, tt_run *run, int first, tt_err *err)
{
    struct tt_response *r = &t->r;
    double h = tt_run_time(run) - r->time;
    size_t n = r->n;
    enum tt_code rc = tt_probe_read(run, r->number, r->n, t->now, err);

    for (uint32_t i = 0; rc == TT_OK && i < n; i++)
        if (!isfinite(t->now[i]))
            rc = TT_EUNIT;
    if (rc != TT_OK || (!first && !(h > 0))) /* another look at an instant */
        return rc;
    if (!first && fabs(h - r->step) > 1e-6 * h) { /* another matrix */
        if (tt_run_done(run))
            return TT_OK; /* cut short by the end */
        r->n_time = 0;
        r->step = h;
    }
    if (!first && r->n_time == ROWS)
        memmove(r->at, r->at + n, (ROWS - 1) * n * sizeof(*r->at));
    else if (!first)
        r->n_time++;
    for (uint32_t i = 0; !first && i < n; i++)
        r->at[(r->n_time - 1) * n + i] =
            (t->now[i] - t->last[i]) / (h * r->number[i].nominal);
    memcpy(t->last, t->now, n * sizeof(*t->now));
    r->time = tt_run_time(run);
    return TT_OK;
}

/* As far as it gets. */
static void play(struct tape *t, tt_run *run)
{
    tt_err err = {0};
    enum tt_code rc = tt_run_start(run, &err);

    for (uint32_t i = 0; rc == TT_OK && i < STEPS && !tt_run_done(run); i++) {
        if (i)
            rc = tt_run_step(run, &err);
        if (rc == TT_OK)
            rc = add_row(t, run, i == 0, &err);
    }
}

/* The fewest instants together that determine what follows. */
static void fit(struct tt_trend *out, const struct tt_response *r)
{
    static const uint32_t instants[] = {1, 2, 3, 5, 8};

    for (uint32_t i = 0; i < sizeof(instants) / sizeof(*instants) &&
                         3 * instants[i] < r->n_time;
         i++) {
        struct tt_fit f = {0};

        if (tt_fit_make(&f, r, instants[i], 0, NOISE, NULL) == TT_OK &&
            2 * f.order < f.answers &&
            !(isfinite(out->rho) && out->residual <= f.residual)) {
            out->rho = f.rho;
            out->residual = f.residual;
        }
        tt_fit_fini(&f);
        if (isfinite(out->rho) && out->residual < NOISE)
            return;
    }
}

void tt_trend_find(struct tt_trend *out, const struct tt_case *c)
{
    struct tape t = {0};
    struct tt_case_opened o;
    tt_err err = {0};
    enum tt_code rc = tt_case_open(&o, c, &err);

    *out = (struct tt_trend){.rho = (double)NAN, .residual = (double)NAN};
    if (rc == TT_OK)
        rc = open_tape(&t, o.run, &err);
    if (rc == TT_OK) {
        play(&t, o.run);
        if (t.r.n_time >= FEW)
            fit(out, &t.r);
        if (!(out->residual < MUCH))
            out->rho = (double)NAN;
        out->rows = t.r.n_time;
        out->time = t.r.time;
    }
    TT_FREE_ALL(t.last, t.now);
    tt_response_fini(&t.r);
    tt_case_close(&o);
}
