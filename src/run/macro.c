/* SPDX-License-Identifier: MIT */
/* One macro step: playing it, what an outcome means, and what follows. */
#include <stdio.h>

#include "base/num.h"
#include "run/run_impl.h"

/* What a unit's outcome means for a run without rollback. */
TT_COLD enum tt_code run_take_outcome(tt_run *r, const struct tt_halt *halt,
                                      tt_err *err)
{
    char t[TT_NUM_MAX], reached[TT_NUM_MAX];
    const tt_unit *u = halt->unit;

    tt_num_print_short(t, r->now->t[TT_T1]);
    tt_num_print_short(reached, tt_unit_last(u).reached);
    if (halt->flags & TT_STEP_TERMINATE) {
        r->why = TT_RUN_TERMINATED;
        snprintf(r->sentence, sizeof(r->sentence),
                 "ended by unit '%s' at t=%s s", u->name, reached);
        return TT_OK;
    }
    if (halt->flags & TT_STEP_REJECT)
        return tt_fail(err, TT_EUNIT,
                       "unit '%s' (%s) rejected the step to t=%s: it could "
                       "reach t=%s only, and the step cannot be taken back%s",
                       u->name, u->ops->kind, t, reached,
                       r->plan->rejects
                           ? ", for not all units can"
                           : "; a smaller step may help, or --rollback");
    if (halt->flags & TT_STEP_EVENT)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "unit '%s' (%s) asks for event handling at t=%s, which "
                       "is not available",
                       u->name, u->ops->kind, reached);
    return tt_fail(err, TT_EUNIT,
                   "unit '%s' (%s) returned early from the step to t=%s, at "
                   "t=%s, again and again",
                   u->name, u->ops->kind, t, reached);
}

/* Was the step not made whole: halted, or ended by a unit on the way? Then
 * there is no exchange and no row: the last complete instant stands. */
static inline int cut_short(const struct tt_halt *halt,
                            const struct tt_now *now)
{
    const unsigned halts = TT_STEP_REJECT | TT_STEP_EARLY | TT_STEP_EVENT;

    return halt->lost ||
           (halt->unit && ((halt->flags & halts) ||
                           tt_unit_last(halt->unit).reached < now->t[TT_T1]));
}

/* Is the clock read around every call of this step? */
static inline int is_timed(const tt_run *r)
{
    return ((r->agenda.n - 1) & r->timed_mask) == 0;
}

static enum tt_code play_section(tt_run *r, enum tt_section section,
                                 struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc;

    r->crumb->playing = TT_PLAYING_STEP;
    rc = is_timed(r) ? tt_part_play_timed(r->part, section, halt, err)
                     : tt_part_play(r->part, section, halt, err);
    r->crumb->playing = TT_PLAYING_NOT;
    return rc;
}

#define MOST_ALONE 1000 /* early returns of a unit in one step */

static void warn_alone(tt_run *r, const tt_unit *u)
{
    char t[TT_NUM_MAX];

    if (r->warned_alone)
        return;
    r->warned_alone = 1;
    tt_num_print_short(t, tt_unit_last(u).reached);
    tt_log(r->opts.log, TT_LOG_WARN,
           "unit '%s' (%s) returned early at t=%s, and the step cannot be "
           "taken back: it goes on alone, with the inputs it has (said once)",
           u->name, u->ops->kind, t);
}

/* Did a unit just stop early, and nothing else? */
static int only_early(const struct tt_halt *halt)
{
    return halt->unit && (halt->flags & TT_STEP_EARLY) &&
           !(halt->flags &
             (TT_STEP_REJECT | TT_STEP_EVENT | TT_STEP_TERMINATE));
}

/* Where nothing can be taken back a unit that returned early is stepped on to
 * the end, and the play goes on behind it. */
static enum tt_code go_on_alone(tt_run *r, enum tt_section section,
                                struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc = TT_OK;
    uint32_t n = 0;

    if (section == TT_SEC_STEP && r->score->section[TT_SEC_UNDO].n)
        return TT_OK;
    if (r->guest && r->guest->host.takes_back)
        return TT_OK;
    while (rc == TT_OK && only_early(halt) && n++ < MOST_ALONE) {
        warn_alone(r, halt->unit);
        r->crumb->playing = TT_PLAYING_STEP;
        rc = tt_part_play_on(r->part, section, halt, err);
        r->crumb->playing = TT_PLAYING_NOT;
    }
    return rc;
}

static enum tt_code play_exchange(tt_run *r, tt_err *err)
{
    struct tt_halt none;
    enum tt_code rc;

    run_bonds_between(r);
    rc = play_section(r, TT_SEC_EXCHANGE, &none, err);
    if (rc == TT_OK)
        run_bonds_after(r);
    return rc;
}

int run_has_last(const tt_run *r)
{
    return r->score->section[TT_SEC_LAST].n > 0;
}

enum tt_code run_play(tt_run *r, enum tt_section section, tt_err *err)
{
    struct tt_halt halt;
    enum tt_code rc;

    r->crumb->playing =
        section == TT_SEC_BEGIN ? TT_PLAYING_BETWEEN : TT_PLAYING_STEP;
    rc = tt_part_play(r->part, section, &halt, err);
    r->crumb->playing = TT_PLAYING_NOT;
    return rc;
}

/* The step and the exchange at once. */
static inline enum tt_code play_plain(tt_run *r, struct tt_halt *halt,
                                      tt_err *err)
{
    enum tt_code rc;

    r->crumb->playing = TT_PLAYING_STEP;
    rc = tt_part_play_step(r->part, halt, err);
    r->crumb->playing = TT_PLAYING_NOT;
    return rc;
}

static inline int is_whole(enum tt_code rc, const struct tt_halt *halt)
{
    return rc == TT_OK && !halt->unit && !halt->lost;
}

/* What follows when a unit has spoken. */
static enum tt_code play_rest(tt_run *r, struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc = go_on_alone(r, TT_SEC_STEP, halt, err);

    if (rc == TT_OK && !run_has_last(r) && !cut_short(halt, r->now))
        rc = play_exchange(r, err);
    return rc;
}

enum tt_code run_play_step(tt_run *r, struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc;

    if (r->plain && !is_timed(r)) {
        rc = play_plain(r, halt, err);
        if (is_whole(rc, halt))
            return TT_OK;
    } else {
        *halt = (struct tt_halt){0};
        rc = run_bonds_before(r, err);
        if (rc == TT_OK)
            rc = play_section(r, TT_SEC_STEP, halt, err);
    }
    return rc == TT_OK ? play_rest(r, halt, err) : rc;
}

enum tt_code run_play_last(tt_run *r, struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc = play_section(r, TT_SEC_LAST, halt, err);

    if (rc == TT_OK)
        rc = go_on_alone(r, TT_SEC_LAST, halt, err);
    return rc == TT_OK && !cut_short(halt, r->now) ? play_exchange(r, err) : rc;
}

int run_cut_short(const tt_run *r, const struct tt_halt *halt)
{
    return cut_short(halt, r->now);
}

static void look_around(tt_run *r)
{
    if (r->opts.stop && *r->opts.stop)
        run_want_stop(r);
    if (r->opts.link && tt_part_wishes(r->part) && r->why == TT_RUN_NOT_ENDED)
        r->why = TT_RUN_STOPPED;
    if (r->opts.progress_cb && r->agenda.n % TT_RUN_TELL == 0)
        r->opts.progress_cb(r->opts.progress_ctx, r->t, r->agenda.n);
}

/* Which step is the next that is more than its operations: timed, told to
 * somebody, or off the grid? */
static uint64_t find_easy(const tt_run *r)
{
    const struct tt_agenda *a = &r->agenda;
    uint64_t end = ((a->n - 1) | r->timed_mask) + 2; /* the next timed one */
    uint64_t tell = a->n | (TT_RUN_TELL - 1);

    if (!r->plain || r->vary || r->accompanied || r->opts.link || is_timed(r) ||
        !a->n_full || a->sum || (r->growing && run_growth_due(r, a->n + 1)))
        return 0;
    if (r->opts.progress_cb && end > tell)
        end = tell;
    return end < a->n_full ? end : a->n_full - 1; /* the last ends at the end */
}

static inline void advance(tt_run *r)
{
    tt_agenda_advance(&r->agenda);
    r->now->steps = r->agenda.n;
    r->t = r->now->t[TT_T1];
}

/* The step stands: whoever looks sees it. */
static enum tt_code show_step(tt_run *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (r->opts.n_observer)
        rc = run_row(r, r->now->h[TT_T1], err);
    if (r->accompanied && rc == TT_OK)
        rc = run_accompany(r, err);
    if (rc != TT_OK) {
        r->alone = 1;
        return run_failed(r, rc);
    }
    look_around(r);
    return TT_OK;
}

static enum tt_code end_step(tt_run *r, enum tt_code rc, struct tt_halt *halt,
                             tt_err *err)
{
    if (rc == TT_OK && halt->lost)
        rc = tt_part_explain_lost(r->part, err);
    else if (rc == TT_OK && halt->unit)
        rc = run_take_outcome(r, halt, err);
    if (rc != TT_OK || cut_short(halt, r->now)) {
        run_tell_cut(r, halt, rc, err);
        return rc == TT_OK ? TT_OK : run_failed(r, rc);
    }
    advance(r);
    r->agenda.t = r->t;
    if (r->growing)
        run_growth_look(r);
    run_between_calls(r);
    rc = show_step(r, err);
    r->easy = find_easy(r);
    return rc;
}

static enum tt_code any_step(tt_run *r, tt_err *err)
{
    struct tt_now *now = r->now;
    struct tt_halt halt;
    enum tt_code rc;

    if (tt_run_done(r))
        return tt_fail(err, TT_ESTATE, "the run is at its end");
    if (r->vary) {
        rc = run_vary_step(r, &halt, err);
    } else {
        tt_agenda_next(&r->agenda, &now->t[TT_T0], &now->t[TT_T1],
                       &now->h[TT_T1]);
        rc = run_play_step(r, &halt, err);
    }
    return end_step(r, rc, &halt, err);
}

/* Most steps are easy, and of two small units they would be half of the
 * cost. */
enum tt_code tt_run_step(tt_run *r, tt_err *err)
{
    struct tt_now *now = r->now;
    struct tt_halt halt;
    enum tt_code rc;

    if (TT_UNLIKELY(r->phase != PHASE_STARTED || r->why != TT_RUN_NOT_ENDED))
        return tt_fail(err, TT_ESTATE, "the run is not playing");
    if (TT_UNLIKELY(r->agenda.n >= r->easy))
        return any_step(r, err);
    now->t[TT_T0] = r->t;
    now->t[TT_T1] = tt_agenda_grid(&r->agenda, r->agenda.n + 1);
    now->h[TT_T1] = r->agenda.step;
    rc = play_plain(r, &halt, err);
    if (TT_UNLIKELY(!is_whole(rc, &halt))) {
        if (rc == TT_OK)
            rc = play_rest(r, &halt, err);
        return end_step(r, rc, &halt, err);
    }
    advance(r);
    if (TT_LIKELY(!r->opts.n_observer && !(r->opts.stop && *r->opts.stop)))
        return TT_OK;
    return show_step(r, err);
}
