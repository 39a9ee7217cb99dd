/* SPDX-License-Identifier: MIT */
/* A run inside a unit: life, values, steps. */
#include "run/guest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "run/run_impl.h"
#include "step/policy.h"

/* Where it is watched, if there is room. */
static void take_seat(tt_run *r)
{
    struct tt_stage *stage =
        r->guest->host.crumb ? r->guest->host.crumb->stage : NULL;

    r->guest->seat = TT_NONE;
    r->crumb->stage = stage; /* for guests of its units */
    if (!stage || stage->n_guest >= TT_STAGE_GUESTS)
        return;
    r->guest->seat = stage->n_guest++;
    r->now = &stage->guest[r->guest->seat].now;
    r->crumb = &stage->guest[r->guest->seat].crumb;
    r->crumb->stage = stage;
}

uint32_t run_guest_busy(const tt_run *r, uint32_t busy)
{
    struct tt_stage *stage = r->crumb->stage;
    uint32_t was;

    if (!r->guest || r->guest->seat == TT_NONE)
        return 0;
    was = stage->guest[r->guest->seat].busy;
    stage->guest[r->guest->seat].busy = busy;
    return was;
}

uint32_t tt_guest_begin(tt_run *r)
{
    return run_guest_busy(r, 1);
}

enum tt_code tt_guest_done(tt_run *r, uint32_t was, enum tt_code rc)
{
    (void)run_guest_busy(r, was);
    return rc;
}

enum tt_code run_guest_new(tt_run *r, const struct tt_run_host *h, tt_err *err)
{
    struct tt_guest *g;

    if (!TT_NEW(g))
        return run_nomem(err);
    r->guest = g;
    g->host = *h;
    g->name = tt_strdup(h->name);
    g->host.name = g->name;
    r->opts.host = &g->host;
    take_seat(r);
    return g->name ? TT_OK : run_nomem(err);
}

void run_guest_free(struct tt_guest *g)
{
    if (!g)
        return;
    for (uint32_t i = 0; g->kept && i < g->n_kept; i++)
        tt_free(g->kept[i]);
    tt_free(g->kept);
    tt_free(g->first);
    tt_free(g->name);
    tt_free(g);
}

enum tt_code run_name_guests(tt_run *r, tt_err *err)
{
    size_t n = strlen(r->guest->name) + 2;

    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        size_t m = n + strlen(r->plan->unit[u].name);
        char *name = tt_arena_alloc(r->plan->arena, m, 1);

        if (!name)
            return run_nomem(err);
        snprintf(name, m, "%s/%s", r->guest->name, r->plan->unit[u].name);
        r->plan->unit[u].name = name;
    }
    return TT_OK;
}

tt_unit *tt_guest_unit(const tt_run *r, uint32_t unit)
{
    return r->unit[unit];
}

/* --- life ---------------------------------------------------------------- */

/* In the host's experiment, with a tolerance of its own if it has one. */
static void take_experiment(tt_run *r, const struct tt_experiment *e)
{
    struct tt_experiment *own = &r->plan->experiment;

    own->start = e->start;
    own->end = e->end;
    if (own->tolerance == 0)
        own->tolerance = e->tolerance;
}

enum tt_code tt_guest_make(tt_run *r, tt_err *err)
{
    const struct tt_experiment *e = r->guest->host.experiment;
    enum tt_code rc;

    TT_ASSERT(r->guest && r->phase == PHASE_NEW);
    r->phase = PHASE_STARTED;
    if (e)
        take_experiment(r, e);
    rc = run_make_units(r, err);
    return rc == TT_OK ? run_set_start_values(r, err) : rc;
}

enum tt_code tt_guest_configure(tt_run *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        rc = tt_unit_configure(r->unit[u], err);
    return rc;
}

/* What was played is forgotten when the init section is played again. */
static enum tt_code keep_first_frame(tt_run *r, tt_err *err)
{
    size_t size;
    const void *frame = tt_part_frame(r->part, &size);

    r->guest->first = tt_alloc(size);
    if (!r->guest->first)
        return run_nomem(err);
    memcpy(r->guest->first, frame, size);
    return TT_OK;
}

enum tt_code tt_guest_enter(tt_run *r, const struct tt_experiment *e,
                            tt_err *err)
{
    struct tt_guest *g = r->guest;
    enum tt_code rc = TT_OK;

    take_experiment(r, e);
    r->t = r->agenda.start = e->start;
    r->until = e->end;
    g->on_grid = 1;
    g->initialising = g->stale = 1;
    if (r->vary)
        rc = run_vary_begin(r, err);
    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        rc = run_enter_init(r, u, err);
    if (rc == TT_OK)
        rc = run_bind(r, err);
    return rc == TT_OK ? keep_first_frame(r, err) : rc;
}

enum tt_code tt_guest_leave(tt_run *r, tt_err *err)
{
    enum tt_code rc = tt_guest_refresh(r, err);

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        rc = tt_unit_exit_init(r->unit[u], err);
    r->guest->initialising = 0;
    return rc;
}

enum tt_code tt_guest_prepare(tt_run *r, uint32_t n_state, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++) {
        uint32_t own = r->plan->unit[u].desc->caps.save ? r->score->n_state : 0;

        rc = tt_unit_prepare(r->unit[u], own + n_state, err);
    }
    if (rc == TT_OK)
        rc = run_exchange_start(r, err);
    if (rc == TT_OK && r->vary)
        rc = run_vary_start(r, err);
    return rc == TT_OK ? run_guest_registers(r, n_state, err) : rc;
}

/* --- values -------------------------------------------------------------- */

void tt_guest_touch(tt_run *r)
{
    r->guest->stale = 1;
}

static enum tt_code play_init_anew(tt_run *r, tt_err *err)
{
    size_t size;
    void *frame = tt_part_frame(r->part, &size);

    memcpy(frame, r->guest->first, size);
    return run_play_init(r, err);
}

static enum tt_code play_again(tt_run *r, tt_err *err)
{
    enum tt_code rc;

    if (!r->score->section[TT_SEC_AGAIN].n)
        return TT_OK;
    rc = run_play(r, TT_SEC_AGAIN, err);
    return rc == TT_OK ? tt_part_recommit(r->part, err) : rc;
}

enum tt_code tt_guest_refresh(tt_run *r, tt_err *err)
{
    enum tt_code rc;

    if (!r->guest->stale || r->phase != PHASE_STARTED)
        return TT_OK;
    rc = r->guest->initialising ? play_init_anew(r, err) : play_again(r, err);
    r->guest->stale = rc != TT_OK;
    return rc;
}

/* --- steps --------------------------------------------------------------- */

/* Between points of the grid only units that vary their step can stop. */
static enum tt_code check_short(const tt_run *r, double to, tt_err *err)
{
    char t[TT_NUM_MAX], h[TT_NUM_MAX];

    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        if (r->plan->unit[u].desc->caps.variable_step)
            continue;
        tt_num_print_short(t, to);
        tt_num_print_short(h, r->plan->step);
        return tt_fail(err, TT_EUNIT,
                       "t=%s is between two communication points inside, %s s "
                       "apart, and unit '%s' cannot vary its step",
                       t, h, r->plan->unit[u].name);
    }
    return TT_OK;
}

/* The next macro step, into the registers; *passes: it ends on the grid. */
static enum tt_code next_step(tt_run *r, const struct tt_step *s, int *passes,
                              tt_err *err)
{
    struct tt_now *now = r->now;
    double h = r->plan->step, next, tol;

    now->t[TT_T0] = r->t;
    now->t[TT_T1] = s->to;
    now->h[TT_T1] = s->h;
    *passes = 0;
    if (r->plan->follows)
        return TT_OK;
    next = r->agenda.start + (double)(r->guest->grid + 1) * h;
    tol = tt_policy_instant_tol(s->to, h);
    *passes = next <= s->to + tol;
    if (next < s->to - tol)
        now->t[TT_T1] = next;
    if (*passes && r->guest->on_grid) {
        now->h[TT_T1] = tt_h_within(now->t[TT_T0], h, r->plan->experiment.end);
        return TT_OK;
    }
    now->h[TT_T1] = tt_h_after(now->t[TT_T0], now->t[TT_T1]);
    return check_short(r, now->t[TT_T1], err);
}

/* Told once, for the host's own words do not name the unit. */
static void tell_reject(tt_run *r, const tt_unit *u, const char *what)
{
    char t[TT_NUM_MAX];

    if (r->guest->told)
        return;
    r->guest->told = 1;
    tt_num_print_short(t, r->now->t[TT_T1]);
    tt_log(r->opts.log, TT_LOG_NOTE,
           "step to t=%s: %s '%s' %s, so the whole is taken back (said once)",
           t, u ? "unit" : "units inside", u ? u->name : r->guest->name, what);
}

static void reject(double reached, struct tt_stepped *out)
{
    out->flags |= TT_STEP_REJECT;
    out->after = TT_AFTER_NEEDS_RESTORE;
    out->reached = reached;
}

static enum tt_code take_lost(tt_run *r, struct tt_stepped *out, tt_err *err)
{
    double t0 = r->now->t[TT_T0];

    if (!r->guest->host.takes_back)
        return tt_part_explain_lost(r->part, err);
    tell_reject(r, NULL, "do not agree");
    reject(t0 + (r->now->t[TT_T1] - t0) / 2, out);
    return TT_OK;
}

/* What a unit's outcome means for the host. */
static enum tt_code take_outcome(tt_run *r, const struct tt_halt *halt,
                                 struct tt_stepped *out, tt_err *err)
{
    const tt_unit *u = halt->unit;

    if (halt->flags & TT_STEP_TERMINATE) {
        tt_log(r->opts.log, TT_LOG_NOTE, "ended by unit '%s'", u->name);
        out->flags |= TT_STEP_TERMINATE;
        out->reached =
            run_cut_short(r, halt) ? tt_unit_last(u).reached : r->now->t[TT_T1];
        return TT_OK;
    }
    if (!r->guest->host.takes_back || (halt->flags & TT_STEP_EVENT))
        return run_take_outcome(r, halt, err);
    tell_reject(r, u,
                halt->flags & TT_STEP_REJECT ? "rejects it" : "returned early");
    reject(fmax(tt_unit_last(u).reached, r->t), out);
    return TT_OK;
}

static enum tt_code play_one(tt_run *r, const struct tt_step *s,
                             struct tt_stepped *out, tt_err *err)
{
    struct tt_halt halt;
    int passes = 0;
    enum tt_code rc;

    if (r->vary) {
        r->until = s->to;
        rc = run_vary_step(r, &halt, err);
    } else {
        rc = next_step(r, s, &passes, err);
        if (rc == TT_OK)
            rc = run_play_step(r, &halt, err);
    }
    if (rc == TT_OK && halt.lost)
        rc = take_lost(r, out, err);
    else if (rc == TT_OK && halt.unit)
        rc = take_outcome(r, &halt, out, err);
    if (rc != TT_OK || run_cut_short(r, &halt))
        return rc;
    tt_agenda_advance(&r->agenda);
    r->now->steps = r->agenda.n;
    r->t = r->now->t[TT_T1];
    r->guest->grid += (uint64_t)passes;
    r->guest->on_grid = passes;
    if (r->guest->early && r->guest->host.takes_back && r->t < s->to) {
        out->flags |= TT_STEP_EARLY; /* the others may want to be there, too */
        out->reached = r->t;
    }
    return TT_OK;
}

/* Half a step was perhaps made: nothing is as it was. */
static enum tt_code as_failure(enum tt_code rc, tt_err *err)
{
    if (rc != TT_ESTATE && rc != TT_EINPUT && rc != TT_EUNSUPPORTED)
        return rc;
    if (err)
        err->code = TT_EUNIT;
    return TT_EUNIT;
}

enum tt_code tt_guest_step(tt_run *r, const struct tt_step *s,
                           struct tt_stepped *out, tt_err *err)
{
    enum tt_code rc = tt_guest_refresh(r, err);

    while (rc == TT_OK && r->t < s->to && !out->flags)
        rc = play_one(r, s, out, err);
    return as_failure(rc, err);
}

enum tt_code tt_guest_max_step(tt_run *r, double *h, tt_err *err)
{
    enum tt_code rc = TT_OK;

    *h = (double)INFINITY;
    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++) {
        double one;

        rc = tt_unit_max_step(r->unit[u], &one, err);
        if (rc == TT_OK)
            *h = fmin(*h, one);
    }
    return rc;
}
