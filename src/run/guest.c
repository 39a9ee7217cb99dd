/* SPDX-License-Identifier: MIT */
/* A run inside a unit: life, values, steps. */
#include "player/event.h"
#include "run/guest.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "run/perform.h"

/* Where it is watched, if there is room. */
static void take_seat(tt_run *r)
{
    struct tt_stage *stage =
        r->guest->host.activity ? r->guest->host.activity->stage : NULL;

    r->guest->seat = TT_NONE;
    r->activity->stage = stage; /* for guests of its units */
    if (!stage || stage->n_guest >= TT_STAGE_GUESTS)
        return;
    r->guest->seat = stage->n_guest++;
    r->now = &stage->guest[r->guest->seat].now;
    r->activity = &stage->guest[r->guest->seat].activity;
    r->activity->stage = stage;
}

uint32_t run_guest_busy(const tt_run *r, uint32_t busy)
{
    struct tt_stage *stage = r->activity->stage;
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
    TT_FREE_ALL(g->first, g->name, g);
}

tt_unit *tt_guest_unit(const tt_run *r, uint32_t unit)
{
    return r->unit[unit];
}

/* --- life ---------------------------------------------------------------- */

/* In the host's experiment, with a tolerance of its own if it has one. */
static void take_experiment(tt_run *r, const struct tt_experiment *e)
{
    struct tt_experiment *own = &r->experiment;

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
    return rc == TT_OK ? run_configure(r, err) : rc;
}

/* What was played is forgotten when the init section is played again. */
static enum tt_code keep_first_frame(tt_run *r, tt_err *err)
{
    r->guest->first = tt_alloc(tt_frame_step_size(r->frame));
    if (!r->guest->first)
        return run_nomem(err);
    tt_frame_step_copy(r->frame, r->guest->first);
    return TT_OK;
}

enum tt_code tt_guest_enter(tt_run *r, const struct tt_experiment *e,
                            tt_err *err)
{
    enum tt_code rc;

    take_experiment(r, e);
    r->agenda->t = r->agenda->start = e->start;
    r->memory->on_grid = 1;
    r->memory->stale = 1;
    r->guest->initialising = 1;
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

    if (rc == TT_OK)
        rc = run_start_clocks(r, err);
    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        rc = tt_unit_exit_init(r->unit[u], err);
    r->guest->initialising = 0;
    return rc == TT_OK ? run_join(r, err) : rc;
}

enum tt_code tt_guest_prepare(tt_run *r, uint32_t n_state, tt_err *err)
{
    enum tt_code rc =
        r->guest->host.event_mode ? TT_OK : run_start_event(r, err);

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        rc = tt_unit_prepare(r->unit[u], run_registers(r, u, n_state), err);
    if (rc == TT_OK)
        rc = run_exchange_start(r, err);
    if (rc == TT_OK)
        rc = run_start_companions(r, err);
    if (rc == TT_OK)
        run_warn_of_restarts(r, n_state);
    return rc == TT_OK ? run_make_registers(r, n_state, err) : rc;
}

/* --- values -------------------------------------------------------------- */

void tt_guest_touch(tt_run *r)
{
    r->memory->stale = 1;
}

static enum tt_code play_init_anew(tt_run *r, tt_err *err)
{
    tt_frame_step_bring_back(r->frame, r->guest->first);
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
    enum tt_code rc =
        r->guest->host.event_mode ? TT_OK : run_guest_finish_event(r, err);

    if (rc != TT_OK || !r->memory->stale || r->phase != PHASE_STARTED)
        return rc;
    rc = r->guest->initialising ? play_init_anew(r, err) : play_again(r, err);
    if (tt_part_events(r->part))
        tt_part_event_moved(r->part);
    r->memory->stale = rc != TT_OK;
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
                       "apart, and instance '%s' cannot vary its step",
                       t, h, r->plan->unit[u].name);
    }
    return TT_OK;
}

/* The point of the grid after the last one passed. */
static double next_point(const tt_run *r)
{
    return r->agenda->start + (double)(r->memory->grid + 1) * r->plan->step;
}

/* Does a step to here end on the grid, or pass a point of it? */
static int passes(const tt_run *r, double to)
{
    double h = r->plan->step;

    return !r->plan->follows && !r->vary &&
           next_point(r) <= to + tt_policy_instant_tol(to, h);
}

/* No unit inside makes a longer step than it accepts. */
static enum tt_code divide(tt_run *r, struct run_macro *m, tt_err *err)
{
    double most;
    uint32_t by;
    enum tt_code rc = run_ask_limits(r, &most, &by, err);

    if (rc != TT_OK || most == 0 || m->s.h <= most * (1 + 1e-9))
        return rc;
    m->s.h = most;
    m->s.t1 = m->t0 + most;
    return run_check_division(r, m->t0, most, by, err);
}

/* No step goes beyond an event that a unit inside has named. */
static int ends_at_event(const tt_run *r, struct run_macro *m)
{
    double at = r->agenda->event;

    if (!(at > m->t0) || at >= m->s.t1 - tt_policy_instant_tol(m->s.t1, m->s.h))
        return 0;
    m->s.t1 = at;
    m->s.h = tt_h_after(m->t0, at);
    return 1;
}

/* Of the host's step: all of it, but for rounding, or what is left behind an
 * event. */
static double length_of_rest(const tt_run *r, const struct tt_step *s)
{
    double rest = tt_h_after(r->agenda->t, s->to);

    return rest < s->h * (1 - 1e-9) ? rest : s->h;
}

enum tt_code run_guest_propose(tt_run *r, struct run_macro *m, tt_err *err)
{
    const struct tt_step *s = m->asked;
    double h = r->plan->step;
    enum tt_code rc;
    int whole;

    m->t0 = r->agenda->t;
    m->s = (struct tt_policy_step){.t1 = s->to, .h = length_of_rest(r, s)};
    if (r->plan->follows) {
        (void)ends_at_event(r, m);
        return divide(r, m, err);
    }
    if (next_point(r) < s->to - tt_policy_instant_tol(s->to, h))
        m->s.t1 = next_point(r);
    whole = passes(r, s->to) && r->memory->on_grid;
    m->s.h = whole ? h : tt_h_after(m->t0, m->s.t1);
    whole &= !ends_at_event(r, m);
    rc = whole ? TT_OK : check_short(r, m->s.t1, err);
    return rc == TT_OK ? divide(r, m, err) : rc;
}

void run_guest_commit(tt_run *r, const struct run_macro *m)
{
    int passed = passes(r, m->s.t1);

    r->memory->on_grid = passed;
    r->memory->grid += (uint64_t)passed;
    r->memory->crossed = run_locate_ended(r);
    r->memory->early =
        m->early != NULL || (r->guest->host.ends_early && r->memory->crossed);
    run_guest_ask_namer(r);
}

/* Reported once, for the host's own words do not name the unit. */
static void report_reject(tt_run *r, const tt_unit *u, const char *what)
{
    char t[TT_NUM_MAX];

    if (r->guest->warned)
        return;
    r->guest->warned = 1;
    tt_num_print_short(t, r->now->t[TT_T1]);
    tt_log(
        r->opts.log, TT_LOG_NOTE,
        "step to t=%s: %s '%s' %s, so the whole is rolled back (reported once)",
        t, u ? "instance" : "instances inside", u ? u->name : r->guest->name,
        what);
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
    report_reject(r, NULL, "do not agree");
    reject(t0 + (r->now->t[TT_T1] - t0) / 2, out);
    return TT_OK;
}

enum tt_code run_guest_outcome(tt_run *r, const struct run_macro *m,
                               tt_err *err)
{
    const struct tt_halt *halt = &m->halt;
    const tt_unit *u = halt->unit;
    double reached;

    if (halt->lost)
        return take_lost(r, m->stepped, err);
    reached = tt_unit_last(u).reached;
    if (halt->flags & TT_STEP_TERMINATE) {
        tt_log(r->opts.log, TT_LOG_NOTE, "ended by instance '%s'", u->name);
        m->stepped->flags |= TT_STEP_TERMINATE;
        m->stepped->reached = m->ends ? r->now->t[TT_T1] : reached;
        return TT_OK;
    }
    if (!r->guest->host.takes_back)
        return run_take_outcome(r, halt, err);
    if (run_asks_early(r, halt))
        run_guest_name(r, u, reached);
    report_reject(
        r, u, halt->flags & TT_STEP_REJECT ? "rejects it" : "returned early");
    reject(fmax(reached, r->agenda->t), m->stepped);
    return TT_OK;
}

static enum tt_code play_one(tt_run *r, const struct tt_step *s,
                             struct tt_stepped *out, tt_err *err)
{
    struct run_macro m = {.asked = s, .stepped = out};
    enum tt_code rc = run_perform(r, &m, err);

    if (rc != TT_OK || !m.stands)
        return rc;
    if (r->memory->early && r->guest->host.takes_back && r->agenda->t < s->to) {
        out->flags |= TT_STEP_EARLY; /* the others may want to be there, too */
        out->reached = r->agenda->t;
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

/* At an event that was handled here, without the host. */
static void take_end(const tt_run *r, struct tt_stepped *out)
{
    const struct tt_events *e = tt_part_events(r->part);

    if (out->flags || ((!e || !e->ender) && !run_zeno_stops(r)))
        return;
    out->flags |= TT_STEP_TERMINATE;
    out->reached = r->agenda->t;
}

enum tt_code tt_guest_step(tt_run *r, const struct tt_step *s,
                           struct tt_stepped *out, tt_err *err)
{
    enum tt_code rc = tt_guest_refresh(r, err);

    if (rc == TT_OK)
        rc = run_guest_events_before(r, s->to, out, err);
    take_end(r, out);
    while (rc == TT_OK && r->agenda->t < s->to && !out->flags) {
        rc = play_one(r, s, out, err);
        take_end(r, out);
    }
    return as_failure(rc, err);
}

enum tt_code tt_guest_max_step(tt_run *r, double *h, tt_err *err)
{
    enum tt_code rc = TT_OK;

    *h = (double)NAN;
    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++) {
        double one;

        rc = tt_unit_max_step(r->unit[u], &one, err);
        if (rc == TT_OK)
            *h = fmin(*h, one); /* which passes over NaN */
    }
    return rc;
}
