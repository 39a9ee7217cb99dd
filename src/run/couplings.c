/* SPDX-License-Identifier: MIT */
/* What came of couplings: how well they held, and whether they rang. The units
 * keep the account; here it gets words. */
#include <math.h>

#include "base/num.h"
#include "run/run_impl.h"

/* What a coupling reports by a port of this name; NaN where it reports nothing.
 */
static double read_port(tt_unit *u, const char *name)
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
        .residual = read_port(u, "worstResidual"),
        .rate_residual = read_port(u, "worstRateResidual"),
        .ringing = read_port(u, "ringing"),
        .ringing_since = read_port(u, "ringingSince"),
    };
    return 1;
}

static void note(tt_run *r, const struct tt_run_coupling *c)
{
    char x[TT_NUM_MAX], v[TT_NUM_MAX];

    tt_num_print_digits(x, c->residual, 3);
    tt_num_print_digits(v, c->rate_residual, 3);
    run_note(r, "coupling", "%s: off by at most %s after a step%s%s%s", c->name,
             x, isnan(c->rate_residual) ? "" : ", its rate by ",
             isnan(c->rate_residual) ? "" : v,
             c->ringing > 0 ? "; its action rings" : "");
}

/* "connect them to 'leftRate' and 'rightRate'", as the ports are called. */
static void write_advice(const struct tt_desc *d, int connected,
                         struct tt_buf *out)
{
    const char *before = "connect them to ";

    if (connected)
        tt_buf_str(out, "lower its 'damping' below 1 over the step, or make it "
                        "0");
    for (uint32_t i = 0; !connected && i < d->n_port; i++)
        if (d->port[i].derivative_of != TT_NONE) {
            tt_buf_fmt(out, "%s'%s'", before, d->port[i].name);
            before = " and ";
        }
    if (!out->len) /* a constraint of rates has none */
        tt_buf_str(out, "make the step smaller");
}

static void warn(const tt_run *r, uint32_t unit,
                 const struct tt_run_coupling *c)
{
    char since[TT_NUM_MAX], n[TT_NUM_MAX];
    struct tt_buf advice;

    tt_buf_init(&advice, TT_ERR_MAX / 2);
    write_advice(r->plan->unit[unit].desc, !isnan(c->rate_residual), &advice);
    tt_num_print_digits(since, c->ringing_since, 6);
    tt_num_print_short(n, c->ringing);
    tt_log(r->opts.log, TT_LOG_WARN,
           "'%s': its action rings since t=%s, in %s steps: each takes back "
           "what the one before did, and so do the rates of what is coupled; "
           "%s",
           c->name, since, n, advice.failed ? "connect them" : advice.data);
    tt_buf_fini(&advice);
}

void run_report_couplings(tt_run *r)
{
    struct tt_run_coupling c;

    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        if (!tt_run_coupling(r, u, &c) || !run_steps(r))
            continue;
        note(r, &c);
        if (c.ringing > 0)
            warn(r, u, &c);
    }
}
