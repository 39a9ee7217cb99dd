/* SPDX-License-Identifier: MIT */
/* One macro step: playing it, what an outcome means, and what follows. */
#include <stdio.h>

#include "base/num.h"
#include "run/perform.h"

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
        if (run_script_end(r))
            return TT_OK;
        snprintf(r->sentence, sizeof(r->sentence),
                 "ended by instance '%s' at t=%s s", u->name, reached);
        return TT_OK;
    }
    if (halt->flags & TT_STEP_REJECT)
        return tt_fail(err, TT_EUNIT,
                       "instance '%s' (%s) rejected the step to t=%s: it could "
                       "reach t=%s only, and the step cannot be rolled back%s",
                       u->name, u->kind, t, reached,
                       r->plan->rejects
                           ? ", for not all instances can"
                           : "; a smaller step may help, or --rollback");
    if (halt->flags & TT_STEP_EVENT)
        return tt_fail(
            err, TT_EUNIT,
            "instance '%s' (%s) returned early from the step to t=%s, "
            "for an event at t=%s, although it may not",
            u->name, u->kind, t, reached);
    return tt_fail(
        err, TT_EUNIT,
        "instance '%s' (%s) returned early from the step to t=%s, at "
        "t=%s, again and again",
        u->name, u->kind, t, reached);
}

enum tt_code run_play(tt_run *r, enum tt_section section, tt_err *err)
{
    struct tt_halt halt;
    enum tt_code rc;

    r->activity->playing =
        section == TT_SEC_BEGIN ? TT_PLAYING_BETWEEN : TT_PLAYING_STEP;
    rc = tt_part_play(run_part_of(r, section), section, &halt, err);
    r->activity->playing = TT_PLAYING_NOT;
    return rc == TT_OK && halt.lost ? tt_part_explain_lost(r->part, err) : rc;
}

/* The step and the exchange at once. */
static inline enum tt_code play_plain(tt_run *r, struct tt_halt *halt,
                                      tt_err *err)
{
    enum tt_code rc;

    r->activity->playing = TT_PLAYING_STEP;
    rc = tt_part_play_step(r->part, halt, err);
    r->activity->playing = TT_PLAYING_NOT;
    return rc;
}

enum tt_code run_play_plain(tt_run *r, struct tt_halt *halt, tt_err *err)
{
    return play_plain(r, halt, err);
}

static inline int is_whole(enum tt_code rc, const struct tt_halt *halt)
{
    return rc == TT_OK && !halt->unit && !halt->lost;
}

static void look_around(tt_run *r)
{
    /* a run that stops has a checkpoint of its last step */
    if (r->opts.stop && *r->opts.stop &&
        (!r->checkpoint || r->stop_seen || r->opts.link))
        run_want_stop(r);
    if (r->opts.link && (tt_part_wishes(r->part) & RUN_WISH_STOP) &&
        r->why == TT_RUN_NOT_ENDED)
        r->why = TT_RUN_STOPPED;
    if (r->opts.progress_cb && r->now->steps % TT_RUN_PROGRESS == 0)
        r->opts.progress_cb(r->opts.progress_ctx, r->agenda->t, r->now->steps);
}

/* Which step is the next that is more than its operations: timed, reported to a
 * companion, or off the grid? */
static uint64_t find_easy(const tt_run *r)
{
    const struct tt_agenda *a = r->agenda;
    uint64_t end = ((a->n - 1) | r->timed_mask) + 2; /* the next timed one */
    uint64_t report_at = a->n | (TT_RUN_PROGRESS - 1);

    if (!r->plain || run_varies(r) || r->accompanied || r->opts.link ||
        r->expecting || r->plan->n_event || r->scenario->n_instant ||
        r->plan->has_texts || ((a->n - 1) & r->timed_mask) == 0 || !a->n_full ||
        a->sum || (r->growing && run_growth_due(r, a->n + 1)))
        return 0;
    if (r->opts.progress_cb && end > report_at)
        end = report_at;
    if (end > run_recovery_due(r) - 1)
        end = run_recovery_due(r) - 1;
    return end < a->n_full ? end : a->n_full - 1; /* the last ends at the end */
}

static inline void advance(tt_run *r)
{
    tt_agenda_advance(r->agenda);
    r->now->steps++;
    r->agenda->t = r->now->t[TT_T1];
}

void run_advance(tt_run *r)
{
    if (r->switching)
        run_switch_reach(r);
    else
        tt_agenda_reach(r->agenda, r->now->t[TT_T1]);
    r->now->steps++;
    if (r->scenario->n_instant)
        run_plan_events(r);
}

static enum tt_code shown(tt_run *r, enum tt_code rc)
{
    if (rc == TT_OK)
        return TT_OK;
    r->alone = 1;
    return run_failed(r, rc);
}

enum tt_code run_show_step(tt_run *r, tt_err *err)
{
    enum tt_code rc = r->trails ? run_show_trails(r, err) : TT_OK;

    if (rc == TT_OK && r->opts.n_observer)
        rc = run_row(r, r->now->h[TT_T1], err);
    return shown(r, rc);
}

enum tt_code run_show_event(tt_run *r, tt_err *err)
{
    return shown(r, r->opts.n_observer ? run_row(r, 0, err) : TT_OK);
}

enum tt_code run_after_step(tt_run *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; r->accompanied && i < r->n_with && rc == TT_OK; i++)
        if (r->with[i]->shown)
            rc = r->with[i]->shown(r, err);
    if (rc == TT_OK)
        look_around(r);
    return shown(r, rc);
}

static enum tt_code any_step(tt_run *r, tt_err *err)
{
    struct run_macro m = {.attempts = 0};
    enum tt_code rc;

    if (tt_run_done(r))
        return tt_fail(err, TT_ESTATE, "the run is at its end");
    rc = run_perform(r, &m, err);
    tt_texts_sweep(r->texts); /* all that counts is in frames now */
    r->easy = find_easy(r);
    return rc == TT_OK ? TT_OK : run_failed(r, rc);
}

static enum tt_code not_so_easy(tt_run *r, struct tt_halt halt, enum tt_code rc,
                                tt_err *err)
{
    struct run_macro m = {.halt = halt};

    rc = run_perform_on(r, &m, rc, err);
    r->easy = find_easy(r);
    return rc == TT_OK ? TT_OK : run_failed(r, rc);
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
    if (TT_UNLIKELY(r->agenda->n >= r->easy))
        return any_step(r, err);
    now->t[TT_T0] = r->agenda->t;
    now->t[TT_T1] = tt_agenda_grid(r->agenda, r->agenda->n + 1);
    now->h[TT_T1] = r->agenda->step;
    rc = play_plain(r, &halt, err);
    if (TT_UNLIKELY(!is_whole(rc, &halt)))
        return not_so_easy(r, halt, rc, err);
    advance(r);
    if (r->declared)
        run_declared_look(r);
    if (TT_LIKELY(!r->opts.n_observer && !(r->opts.stop && *r->opts.stop)))
        return TT_OK;
    rc = run_show_step(r, err);
    return rc == TT_OK ? run_after_step(r, err) : rc;
}
