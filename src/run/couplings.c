/* SPDX-License-Identifier: MIT */
/* What came of couplings: how well they held, and whether they rang. The units
 * keep the account; here it gets words. */
#include <math.h>

#include "base/num.h"
#include "run/run_impl.h"

/* What a coupling tells by a port of this name; NaN where it tells nothing. */
static double told(tt_unit *u, const char *name)
{
    uint32_t port = tt_names_find(&u->desc->by_name, name);
    struct tt_span s = {.port = &port, .n = 1};
    double v = (double)NAN;
    tt_err err;

    s.value = &v;
    if (port == TT_NONE || tt_unit_get(u, &s, &err) != TT_OK)
        return (double)NAN;
    return v;
}

int tt_run_coupling(const tt_run *r, uint32_t unit, struct tt_run_coupling *of)
{
    tt_unit *u = r->unit ? r->unit[unit] : NULL;

    if (!u || !r->plan->unit[unit].desc->caps.implicit ||
        u->life == TT_LIFE_BROKEN)
        return 0;
    *of = (struct tt_run_coupling){
        .name = r->plan->unit[unit].name,
        .residual = told(u, "worstResidual"),
        .rate_residual = told(u, "worstRateResidual"),
        .ringing = told(u, "ringing"),
        .ringing_since = told(u, "ringingSince"),
    };
    return 1;
}

static void note(tt_run *r, const struct tt_run_coupling *c)
{
    char x[TT_NUM_MAX], v[TT_NUM_MAX];

    tt_num_print_digits(x, c->residual, 3);
    tt_num_print_digits(v, c->rate_residual, 3);
    tt_plan_note(r->plan, "coupling",
                 "%s: off by at most %s after a step%s%s%s", c->name, x,
                 isnan(c->rate_residual) ? "" : ", its rate by ",
                 isnan(c->rate_residual) ? "" : v,
                 c->ringing > 0 ? "; its action rings" : "");
}

static void warn(const tt_run *r, const struct tt_run_coupling *c)
{
    char since[TT_NUM_MAX], n[TT_NUM_MAX];

    tt_num_print_digits(since, c->ringing_since, 6);
    tt_num_print_short(n, c->ringing);
    tt_log(r->opts.log, TT_LOG_WARN,
           "'%s': its action rings since t=%s, in %s steps: each takes back "
           "what the one before did, and so do the rates of what is coupled; "
           "%s",
           c->name, since, n,
           isnan(c->rate_residual)
               ? "connect them to 'leftRate' and 'rightRate'"
               : "lower its 'damping' below 1 over the step, or make it 0");
}

void run_tell_couplings(tt_run *r)
{
    struct tt_run_coupling c;

    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        if (!tt_run_coupling(r, u, &c) || !r->agenda.n)
            continue;
        note(r, &c);
        if (c.ringing > 0)
            warn(r, &c);
    }
}
