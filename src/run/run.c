/* SPDX-License-Identifier: MIT */
#include "run/run.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "player/event.h"
#include "run/orders.h"
#include "run/twin.h"

/* --- describe, check, plan, write ---------------------------------------- */

static void log_note(const struct tt_log *log, const struct tt_note *n)
{
    if (n->warns)
        tt_log(log, TT_LOG_WARN, "%s", n->text);
    else
        tt_log(log, TT_LOG_NOTE, "%s: %s", n->topic, n->text);
}

void run_note(tt_run *r, const char *topic, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    tt_notes_add(&r->notes, r->arena, r->opts.host ? NULL : r->opts.log, topic,
                 fmt, ap);
    va_end(ap);
}

const struct tt_desc **run_descs(const tt_run *r)
{
    const struct tt_desc **desc;

    if (TT_NEW_ARRAY(desc, r->scenario->n_fmu))
        for (uint32_t i = 0; i < r->scenario->n_fmu; i++)
            desc[i] = r->type[i] ? &r->type[i]->desc : NULL;
    return desc;
}

static enum tt_code plan_and_write(tt_run *r, const struct tt_log *log,
                                   tt_err *err)
{
    const struct tt_desc **desc = run_descs(r);
    enum tt_code rc;

    if (!desc)
        return run_nomem(err);
    rc = tt_plan_new_within(&r->plan, r->guest ? r->guest->name : NULL,
                            r->scenario, desc, log, err);
    tt_free(desc);
    if (rc == TT_OK)
        rc = tt_score_new_in_order(&r->score, r->plan,
                                   run_first_order(r->scenario), err);
    if (rc == TT_OK)
        rc = run_write_orders(r, err);
    if (rc == TT_OK)
        rc = run_split(r, err);
    for (uint32_t i = 0; rc == TT_OK && i < r->score->n_note; i++)
        log_note(log, &r->score->note[i]);
    return rc;
}

/* Where steps may be taken back, whether units can is not left to them. What
 * the plan had to report was reported the first time. */
static enum tt_code plan_on_trial(tt_run *r, tt_err *err)
{
    /* the like of a host has reported all */
    enum tt_code rc = plan_and_write(r, r->opts.host ? NULL : r->opts.log, err);

    if (rc != TT_OK || !r->opts.trial || r->opts.link || !r->score->n_state)
        return rc;
    if (!TT_NEW_ARRAY(r->tried, r->scenario->n_fmu))
        return run_nomem(err);
    if (!run_doubt(r))
        return TT_OK;
    run_free_orders(r);
    tt_score_free(r->score);
    tt_plan_free(r->plan);
    r->score = NULL;
    r->plan = NULL;
    return plan_and_write(r, NULL, err);
}

/* Rule for the last step: shortened where H does not divide the span, left
 * out where a unit cannot vary its step. */
static void plan_time(tt_run *r)
{
    const struct tt_experiment *e = &r->experiment;
    char end[TT_NUM_MAX], h[TT_NUM_MAX];

    tt_agenda_init(r->agenda, e->start, e->end, r->plan->step);
    if (r->plan->dialect)
        tt_agenda_sum(r->agenda, r->plan->dialect == TT_SC_MAESTRO1
                                     ? TT_AGENDA_SUM_FIRST
                                     : TT_AGENDA_SUM);
    if (r->plan->rejects || r->plan->by_events || !r->agenda->short_last)
        return;
    tt_num_print_short(h, r->plan->step);
    tt_num_print_short(end, e->end);
    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        if (r->plan->unit[u].desc->caps.variable_step || r->agenda->n_full == 0)
            continue;
        tt_agenda_drop_short(r->agenda);
        tt_log(
            r->opts.log, TT_LOG_WARN,
            "the step %s s does not divide the span and instance '%s' cannot "
            "vary its step: the last, shorter step to t=%s is left out",
            h, r->plan->unit[u].name, end);
        return;
    }
    run_note(r, "step",
             "%s s does not divide the span: the last step is shortened "
             "to end at t=%s",
             h, end);
}

static enum tt_code take_options(tt_run *r, const struct tt_run_opts *o,
                                 tt_err *err)
{
    r->opts = *o;
    r->opts.observer = NULL;
    r->now = o->stage ? &o->stage->now : &r->own_now;
    r->activity = o->stage ? &o->stage->activity : &r->own_activity;
    r->activity->stage = o->stage;
    r->texts = o->host ? o->host->texts : tt_texts_new();
    r->grown = o->host ? o->host->grown : run_grown_new();
    if (!o->host && (!r->texts || !r->grown))
        return run_nomem(err);
    if (o->host) {
        enum tt_code rc = run_guest_new(r, o->host, err);

        if (rc != TT_OK)
            return rc;
    }
    if (!TT_NEW_ARRAY(r->observer, o->n_observer))
        return run_nomem(err);
    for (uint32_t i = 0; i < o->n_observer; i++)
        r->observer[i] = o->observer[i];
    r->opts.observer = r->observer;
    return TT_OK;
}

/* A copy of the frame, or of its first region, keeps texts alive. */
enum tt_code run_copy_room(tt_run *r, void **room, size_t n, tt_err *err)
{
    *room = tt_zalloc(1, n);
    return *room ? tt_texts_hold(r->texts, *room, n, err) : run_nomem(err);
}

static void drop_copy(tt_run *r, void *room)
{
    tt_texts_release(r->texts, room);
    tt_free(room);
}

void run_reserve(tt_run *r, enum tt_region region, const char *owner, size_t n,
                 void *pointer)
{
    r->reserved[tt_frame_reserve(&r->layout, region, owner, n)] = pointer;
}

static void set_reserved(tt_run *r)
{
    for (uint32_t i = 0; i < r->layout.n_block; i++) {
        void *at = tt_frame_at(r->frame, i);

        if (r->reserved[i])
            memcpy(r->reserved[i], &at, sizeof(at));
    }
}

static void reserve_part(tt_run *r)
{
    const tt_score *score[RUN_ORDERS] = {r->score};
    uint32_t n = 1;

    for (; r->orders && n < r->orders->n; n++)
        score[n] = r->orders->score[n];
    r->part_blocks = tt_part_reserve(&r->layout, score, n);
}

/* All that the run changes besides its units. */
static enum tt_code make_frame(tt_run *r, tt_err *err)
{
    enum tt_code rc;

    r->experiment = r->plan->experiment;
    r->protocol = r->score->protocol;
    run_look_at_recovery(r);
    run_reserve(r, TT_REGION_RUN, "run", sizeof(*r->memory), &r->memory);
    reserve_part(r);
    if (r->plan->n_event && r->plan->n_column)
        run_reserve(r, TT_REGION_RUN, "presence", r->plan->n_column,
                    &r->present);
    rc = run_make_companions(r, err);
    if (rc == TT_OK)
        rc = tt_frame_new(&r->frame, &r->layout, err);
    if (rc != TT_OK)
        return rc;
    set_reserved(r);
    r->agenda = &r->memory->agenda;
    rc = tt_texts_hold(r->texts, tt_frame_bytes(r->frame),
                       tt_frame_size(r->frame), err);
    if (rc == TT_OK && r->plan->rejects)
        rc = run_copy_room(r, &r->kept, tt_frame_step_size(r->frame), err);
    if (rc != TT_OK)
        return rc;
    return run_vary_begin(r, err);
}

static enum tt_code open_types(tt_run *r, tt_err *err)
{
    enum tt_code rc = run_open_types(r, err);

    if (rc == TT_OK)
        rc = run_sum_flows(r, err);
    if (!TT_NEW_ARRAY(r->source, r->scenario->n_fmu) && rc == TT_OK)
        rc = run_nomem(err);
    tt_activity_clear(r->activity);
    return rc;
}

enum tt_code tt_run_new(tt_run **out, const tt_scenario *s,
                        const struct tt_run_opts *o, tt_err *err)
{
    static enum tt_code (*const stage[])(tt_run *, tt_err *) = {
        open_types, run_check_late, plan_on_trial, make_frame, run_plan_copies};
    tt_run *r;
    enum tt_code rc;

    if (!TT_NEW(r))
        return run_nomem(err);
    r->scenario = s;
    r->arena = tt_arena_new();
    if (!r->arena) {
        tt_free(r);
        return run_nomem(err);
    }
    rc = take_options(r, o, err);
    for (uint32_t i = 0; rc == TT_OK && i < sizeof(stage) / sizeof(*stage); i++)
        rc = stage[i](r, err);
    rc = run_agree(r, rc, err);
    if (rc == TT_OK) {
        if (!s->inside)
            plan_time(r);
        run_note_places(r);
        r->timed_mask = r->wait ? 0 : TT_RUN_TIMED - 1;
        *out = r;
        r = NULL;
    }
    tt_run_free(r);
    return rc;
}

void tt_run_free(tt_run *r)
{
    if (!r)
        return;
    (void)run_guest_busy(r, 1);
    if (r->phase == PHASE_STARTED)
        (void)!tt_run_end(r, NULL);
    run_twin_end(r);
    run_free_orders(r);
    tt_part_free(r->part);
    run_join_crew(r);
    TT_FREE_ALL(r->own_mate, r->copy, r->limit);
    run_close(r);
    run_free_ensembles(r);
    tt_activity_clear(r->activity);
    run_free_companions(r);
    run_presence_free(r);
    tt_free(r->source);
    (void)run_guest_busy(r, 0);
    run_guest_free(r->guest);
    tt_score_free(r->score);
    tt_plan_free(r->plan);
    for (uint32_t i = 0; i < r->n_saved; i++)
        drop_copy(r, r->saved[i]);
    tt_free(r->saved);
    drop_copy(r, r->kept);
    if (r->frame)
        tt_texts_release(r->texts, tt_frame_bytes(r->frame));
    tt_frame_free(r->frame);
    if (!r->opts.host) {
        tt_texts_free(r->texts);
        run_grown_free(r->grown);
    }
    tt_free(r->notes.note);
    tt_arena_free(r->arena);
    TT_FREE_ALL(r->column, r->look, r->texts_at, r->observer, r->tried, r);
}

/* --- play ------------------------------------------------------------------
 */

enum tt_code tt_run_start(tt_run *r, tt_err *err)
{
    struct tt_bytes rest = {0};
    enum tt_code rc;

    if (r->phase != PHASE_NEW)
        return tt_fail(err, TT_ESTATE, "the run was started already");
    r->phase = PHASE_STARTED;
    rc = run_agree(r, run_make_units(r, err), err);
    if (rc == TT_OK)
        rc = run_initialise(r, err);
    tt_activity_clear(r->activity);
    if (rc == TT_OK)
        rc = run_make_crew(r, err);
    if (rc == TT_OK)
        rc = run_start_companions(r, err);
    if (rc == TT_OK)
        run_twin_start(r);
    if (r->opts.resume)
        rc = run_agree(r, rc == TT_OK ? run_resume(r, &rest, err) : rc, err);
    if (rc == TT_OK)
        rc = run_begin_rows(r, err);
    if (rc == TT_OK)
        rc = r->opts.resume ? run_resume_rows(r, &rest, err)
                            : run_row(r, 0, err);
    rc = run_agree(r, rc, err);
    if (rc == TT_OK)
        RUN_NOTIFY(r, begun, r);
    run_between_calls(r);
    return rc == TT_OK ? TT_OK : run_failed(r, rc);
}

/* Time goes from event to event, and there is none. */
static int is_passive(const tt_run *r)
{
    return r->plan->by_events && !r->guest && isinf(r->agenda->event);
}

int tt_run_done(const tt_run *r)
{
    if (r->why != TT_RUN_NOT_ENDED)
        return 1;
    if (r->memory->in_event)
        return 0;
    if (run_varies(r))
        return run_vary_done(r) || is_passive(r);
    return tt_agenda_is_empty(r->agenda) || is_passive(r);
}

static void log_how_it_ended(tt_run *r)
{
    char t[TT_NUM_MAX];
    const char *how = "completed";

    tt_num_print_digits(t, r->agenda->t, 12);
    if (r->why == TT_RUN_TERMINATED) /* the sentence names the unit already */
        return;
    if (r->why == TT_RUN_STOPPED)
        how = "stopped";
    if (r->why == TT_RUN_FAILED)
        how = "failed";
    if (r->why == TT_RUN_COMPLETE && is_passive(r))
        how = "no further events";
    snprintf(r->sentence, sizeof(r->sentence), "%s: %llu step%s to t=%s s", how,
             (unsigned long long)run_steps(r), run_steps(r) == 1 ? "" : "s", t);
}

/* What repeating the steps took, for the report. */
static void report_iteration(tt_run *r)
{
    struct tt_part_stats s = tt_run_stats(r);
    char mean[TT_NUM_MAX];

    if (!s.evaluations || !run_steps(r))
        return;
    tt_num_print_digits(mean, (double)s.evaluations / (double)run_steps(r), 3);
    run_note(r, "iteration", "%s evaluations per step on average", mean);
}

/* How Newton came to know how couplings follow their actions. */
static void report_jacobians(tt_run *r)
{
    struct tt_part_stats s = tt_run_stats(r);

    if (!s.given && !s.tried)
        return;
    run_note(r, "coupling",
             "Newton's Jacobian: %llu from directional derivatives, %llu "
             "by trial steps%s%s",
             (unsigned long long)s.given, (unsigned long long)s.tried,
             s.refused ? "; derivatives were given up: " : "",
             s.refused ? s.refused : "");
}

/* Where courses within steps are less than what units did. */
static void warn_courses(const tt_run *r)
{
    char at[TT_NUM_MAX];
    uint32_t unit;
    double t;
    uint64_t n = r->part ? tt_part_thinned(r->part, &unit, &t) : 0;

    if (n) {
        tt_num_print_short(at, t);
        tt_log(r->opts.log, TT_LOG_WARN,
               "courses follow %d points within a step at most: of %llu steps "
               "some were left out, first of instance '%s' in the step to t=%s",
               TT_POLY_PIECES - 1, (unsigned long long)n,
               r->plan->unit[unit].name, at);
    }
    for (uint32_t u = 0; r->part && run_steps(r) && u < r->plan->n_unit; u++)
        if (tt_part_unfollowed(r->part, u))
            tt_log(r->opts.log, TT_LOG_WARN,
                   "instance '%s' notes nothing within steps, so that what "
                   "follows it goes in straight lines",
                   r->plan->unit[u].name);
}

static void warn_unconverged(const tt_run *r)
{
    struct tt_part_stats s = tt_run_stats(r);

    if (s.unconverged && r->why != TT_RUN_FAILED)
        tt_log(
            r->opts.log, TT_LOG_WARN,
            "%llu of %llu steps were accepted although the instances did not "
            "agree within the tolerance",
            (unsigned long long)s.unconverged,
            (unsigned long long)run_steps(r));
}

static void warn_lags(const tt_run *r)
{
    char lag[TT_NUM_MAX];

    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        if (!r->unit || !r->unit[u] || !(r->unit[u]->max_lag > 0))
            continue;
        tt_num_print_short(lag, r->unit[u]->max_lag);
        tt_log(
            r->opts.log, TT_LOG_WARN,
            "instance '%s': its own time differed from the communication point "
            "by up to %s of a step",
            r->unit[u]->name, lag);
    }
}

/* Results first: a unit may crash while it ends. */
enum tt_code tt_run_end(tt_run *r, tt_err *err)
{
    enum tt_code rc;

    if (r->phase != PHASE_STARTED)
        return tt_fail(err, TT_ESTATE, "the run is not playing");
    r->phase = PHASE_ENDED;
    if (r->part)
        (void)!tt_part_catch_up(r->part, NULL); /* it has ended anyway */
    run_join_crew(r);
    rc = run_end_rows(r, err);
    if (rc != TT_OK)
        run_failed(r, rc);
    if (r->why == TT_RUN_NOT_ENDED)
        r->why = tt_run_done(r) ? TT_RUN_COMPLETE : TT_RUN_STOPPED;
    log_how_it_ended(r);
    if (r->opts.link && r->part && !r->alone)
        (void)!run_share_stats(r, NULL); /* less is known of units, no more */
    RUN_NOTIFY(r, end, r);
    report_iteration(r);
    warn_lags(r);
    warn_unconverged(r);
    warn_courses(r);
    report_jacobians(r);
    run_report_couplings(r);
    for (uint32_t u = 0; r->unit && u < r->plan->n_unit; u++) {
        tt_unit *unit = r->unit[u];
        tt_err words;

        if (!unit ||
            (unit->life != TT_LIFE_READY && unit->life != TT_LIFE_EVENT))
            continue;
        if (tt_unit_end(unit, &words) != TT_OK)
            tt_log(r->opts.log, TT_LOG_WARN, "%s", words.msg);
    }
    RUN_NOTIFY(r, ended, r);
    run_twin_end(r);
    tt_activity_clear(r->activity);
    return rc;
}

enum tt_code tt_run_perform(tt_run *r, tt_err *err)
{
    enum tt_code rc = tt_run_start(r, err);

    while (rc == TT_OK && !tt_run_done(r))
        rc = tt_run_step(r, err);
    if (rc != TT_OK)
        (void)!tt_run_end(r, NULL);
    else
        rc = tt_run_end(r, err);
    return rc;
}

const char *run_cannot_save(const tt_run *r, const char **who)
{
    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        if (!r->plan->unit[u].desc->caps.save) {
            *who = r->plan->unit[u].name;
            return "cannot save its state";
        }
    return NULL;
}
