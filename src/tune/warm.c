/* SPDX-License-Identifier: MIT */
#include "tune/warm.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/value.h"

/* --- which variables ------------------------------------------------------ */

static const char *refusal(const tt_plan *p, uint32_t unit, uint32_t port)
{
    const struct tt_port *v = &p->unit[unit].desc->port[port];

    if (v->n != 1 || v->type == TT_TEXT || v->type == TT_BYTES)
        return "it is no single number";
    if (v->causality == TT_CAUS_PARAMETER)
        return v->variability == TT_VAR_TUNABLE ? NULL : "it is not tunable";
    if (v->causality != TT_CAUS_INPUT)
        return "it is neither a tunable parameter nor an input";
    for (uint32_t i = 0; i < p->n_feed; i++) {
        const struct tt_slot *to = &p->slot[p->feed[i].to];

        if (to->unit == unit && tt_plan_port(p, p->feed[i].to) == v)
            return "it is connected";
    }
    return NULL;
}

static enum tt_code find_one(const tt_plan *p, const struct tt_sc_ref *ref,
                             struct tt_warm_target *to, tt_err *err)
{
    const struct tt_desc *d = p->unit[ref->unit].desc;
    const char *why = "there is no such variable";

    for (uint32_t i = 0; i < d->n_port; i++)
        if (!strcmp(d->port[i].name, ref->variable)) {
            *to = (struct tt_warm_target){ref->unit, i};
            why = refusal(p, ref->unit, i);
            if (!why)
                return TT_OK;
        }
    return tt_fail(err, TT_EINPUT,
                   "--warm: '%s.%s' cannot change while it is running: %s",
                   p->unit[ref->unit].name, ref->variable, why);
}

enum tt_code tt_warm_check(double until, double start, double end, tt_err *err)
{
    char at[TT_NUM_MAX], from[TT_NUM_MAX], to[TT_NUM_MAX];

    if (until > start && until < end)
        return TT_OK;
    tt_num_print_short(at, until);
    tt_num_print_short(from, start);
    tt_num_print_short(to, end);
    return tt_fail(err, TT_EINPUT,
                   "--warm %s: the experiment is from %s to %s s", at, from,
                   to);
}

enum tt_code tt_warm_find(struct tt_warm *w, const tt_run *run,
                          const struct tt_points *p, tt_arena *arena,
                          tt_err *err)
{
    const tt_plan *plan = tt_run_plan(run);
    const tt_scenario *sc = plan->scenario;
    enum tt_code rc = tt_warm_check(w->until, plan->experiment.start,
                                    plan->experiment.end, err);

    if (rc != TT_OK)
        return rc;
    if (!TT_NEW_IN(arena, w->target, p->n_name))
        return tt_nomem(err, "the sweep");
    TT_ASSERT(sc->n_parameter >= p->n_name);
    for (uint32_t i = 0; i < p->n_name && rc == TT_OK; i++)
        rc = find_one(plan, &sc->parameter[sc->n_parameter - p->n_name + i].ref,
                      &w->target[i], err);
    return rc;
}

/* --- playing -------------------------------------------------------------- */

static enum tt_code take(void *ctx, const struct tt_bytes *state, tt_err *err)
{
    struct tt_warm *w = ctx;

    if (w->state.data)
        return TT_OK;
    w->state.data = tt_alloc(state->n);
    if (!w->state.data)
        return tt_nomem(err, "the sweep");
    memcpy(w->state.data, state->data, state->n);
    w->state.n = state->n;
    return TT_OK;
}

struct tt_run_checkpoint tt_warm_checkpoint(struct tt_warm *w, double start)
{
    return (struct tt_run_checkpoint){
        .every = w->until - start, .take_cb = take, .ctx = w};
}

enum tt_code tt_warm_play(struct tt_warm *w, tt_run *run, tt_err *err)
{
    enum tt_code rc = tt_run_start(run, err);

    while (rc == TT_OK && !w->state.data && !tt_run_done(run))
        rc = tt_run_step(run, err);
    if (rc == TT_OK && !w->state.data)
        rc = tt_fail(err, TT_EINPUT, "the run ended before --warm");
    return rc;
}

static enum tt_code set(tt_run *run, const struct tt_warm_target *to,
                        const char *text, tt_err *err)
{
    const struct tt_plan_unit *u = &tt_run_plan(run)->unit[to->unit];
    const struct tt_port *port = &u->desc->port[to->port];
    char value[sizeof(double)] = {0};
    double v;

    if (tt_type_is_bool(port->type) && !strcmp(text, "true"))
        v = 1;
    else if (tt_type_is_bool(port->type) && !strcmp(text, "false"))
        v = 0;
    else if (tt_num_parse(text, &v) != 0)
        v = (double)NAN;
    if (isnan(v) || tt_value_from_double(port->type, value, v) != 0)
        return tt_fail(err, TT_EINPUT, "'%s.%s' cannot hold '%s'", u->name,
                       port->name, text);
    return tt_run_set(run, to->unit, to->port, value, err);
}

enum tt_code tt_warm_go_on(const struct tt_warm *w, tt_run *run,
                           const struct tt_points *p, uint32_t point,
                           tt_err *err)
{
    enum tt_code rc = tt_run_start(run, err);

    for (uint32_t i = 0; i < p->n_name && rc == TT_OK; i++)
        rc = set(run, &w->target[i], tt_points_at(p, point, i), err);
    while (rc == TT_OK && !tt_run_done(run))
        rc = tt_run_step(run, err);
    return rc == TT_OK ? tt_run_end(run, err) : rc;
}

void tt_warm_fini(struct tt_warm *w)
{
    tt_free(w->state.data);
    w->state = (struct tt_bytes){0};
}
