/* SPDX-License-Identifier: MIT */
/* The child's half of a play. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/profile.h"
#include "base/mem.h"
#include "base/num.h"
#include "cli/among.h"
#include "cli/play_impl.h"
#include "cli/print.h"
#include "compose/compose.h"
#include "mpi/mpi_link.h"
#include "results/record.h"
#include "sys/clock.h"
#include "sys/crash.h"
#include "sys/proc.h"
#include "sys/tick.h"

static enum tt_code make_observers(struct child *c, tt_err *err)
{
    const struct tt_play *p = c->play;
    double sample = p->scenario->sample;
    enum tt_code rc = tt_record_new(&c->observer[0], c->tape,
                                    isnan(sample) ? 0 : sample, err);

    if (rc != TT_OK)
        return rc;
    c->n_observer = 1;
    if (!p->report && !p->plot)
        return TT_OK;
    rc = tt_curves_new(&c->curves, 0, err);
    if (rc == TT_OK)
        c->observer[c->n_observer++] = tt_curves_observer(c->curves);
    return rc;
}

/* A report shows steps where there is something to see. */
static int wants_picture(const struct tt_play *p)
{
    return p->report && tt_steplog_is_worth_a_picture(p->scenario);
}

static void take_attempt(void *ctx, const struct tt_run_attempt *a)
{
    tt_steplog_add(((struct child *)ctx)->steps, a);
}

static void take_event(void *ctx, const struct tt_run_event *e)
{
    struct child *c = ctx;
    int more = 0;

    if (c->play->report)
        more = tt_logbook_event(&c->play->sink->logbook, e);
    if (c->events)
        tt_eventlog_add(c->events, e);
    else if (!more)
        tt_run_list_no_more(c->run);
}

static enum tt_code log_events(struct child *c, tt_err *err)
{
    tt_observer **file = &c->side_file[TT_SIDE_EVENTS];
    enum tt_code rc = tt_record_new(file, c->side_tape[TT_SIDE_EVENTS], 0, err);

    return rc == TT_OK ? tt_eventlog_new(&c->events, *file, err) : rc;
}

static enum tt_code log_steps(struct child *c, tt_err *err)
{
    struct tt_steplog_opts o = {.orders = tt_steplog_orders(c->play->scenario),
                                .picture = wants_picture(c->play)};
    enum tt_code rc = TT_OK;

    if (c->play->side[TT_SIDE_TRACE])
        rc = tt_record_new(&c->side_file[TT_SIDE_TRACE],
                           c->side_tape[TT_SIDE_TRACE], 0, err);
    o.file = c->side_file[TT_SIDE_TRACE];
    return rc == TT_OK ? tt_steplog_new(&c->steps, &o, err) : rc;
}

static enum tt_code take_checkpoint(void *ctx, const struct tt_bytes *state,
                                    tt_err *err)
{
    struct child *c = ctx;
    const struct tt_keep at = {.record = c->observer[0],
                               .side = {c->side_file[0], c->side_file[1]},
                               .steps = tt_run_steps(c->run),
                               .t = tt_run_time(c->run),
                               .alone = c->play->no_child};

    return tt_keeper_take(c->keeper, &at, state, err);
}

static enum tt_code open_run(struct child *c, tt_err *err)
{
    const struct tt_run_checkpoint checkpoint = {
        .every = c->play->every.sim,
        .wanted = &c->shared->kept.wanted,
        .take_cb = c->play->rank ? NULL : take_checkpoint,
        .ctx = c};
    int steps = c->play->side[TT_SIDE_TRACE] || wants_picture(c->play);
    int events = c->play->side[TT_SIDE_EVENTS] != NULL;
    struct tt_run_opts o = {
        .log = &c->play->sink->log,
        .stage = &c->shared->stage,
        .observer = c->observer,
        .n_observer = c->n_observer,
        .profile = c->play->profile,
        .microsteps = c->play->microsteps,
        .no_event_mode = c->play->no_event_mode,
        .trial = 1,
        .stop = &c->shared->stop,
        .kind_cb = tt_compose_kind_for,
        .attempt_cb = steps ? take_attempt : NULL,
        .attempt_ctx = c,
        .event_cb = events || c->play->report ? take_event : NULL,
        .event_ctx = c,
        .link = c->link,
        .cost = c->play->cost,
        .held = !c->play->no_child,
        .checkpoint = c->play->checkpoint ? &checkpoint : NULL,
        .resume = c->play->resume ? &c->play->resume->state : NULL,
    };
    enum tt_code rc = tt_run_new(&c->run, c->play->scenario, &o, err);

    if (rc == TT_OK && steps)
        rc = log_steps(c, err);
    if (rc == TT_OK && events)
        rc = log_events(c, err);
    if (rc != TT_OK)
        return rc;
    if (steps)
        tt_run_keep(c->run, tt_steplog_keeper(c->steps));
    c->shared->outcome.start = tt_run_plan(c->run)->experiment.start;
    c->shared->outcome.end = tt_run_plan(c->run)->experiment.end;
    c->shared->outcome.factor = c->play->scenario->real_time.factor;
    c->shared->outcome.variable = tt_run_plan(c->run)->variable;
    c->shared->outcome.playing = 1;
    return TT_OK;
}

static void give_text(struct tt_outcome *o, const struct tt_buf *b)
{
    if (b->failed || b->len > sizeof(o->text))
        return;
    if (b->len)
        memcpy(o->text, b->data, b->len);
    o->n_text = b->len;
}

static void put_profile(struct tt_buf *b, const tt_run *run)
{
    int width = tt_tty_is(1) ? tt_tty_width(1) : 0;

    tt_buf_char(b, '\n');
    tt_profile_text(
        b, run,
        (struct tt_profile_look){.colours = tt_print_colours(1),
                                 .width = width > 0 ? (size_t)width : 0,
                                 .more = " (--json has all)"});
}

/* The report and the words are made while the run is still there. */
static enum tt_code conclude(struct child *c, enum tt_code rc, double wall,
                             tt_err *err)
{
    struct tt_outcome *o = &c->shared->outcome;
    struct tt_played p = {
        TT_SAME(c, play, run, curves, steps),
        .code = rc,
        .msg = rc == TT_OK ? NULL : err->msg,
        .report = c->page,
        .wall = wall,
        .rows = c->n_observer ? tt_record_rows(c->observer[0]) : 0,
        .warnings = c->play->sink->warnings,
    };
    enum tt_code late =
        TT_OK; /* what fails now is reported if the run did not */
    struct tt_run_verdict verdict;
    struct tt_buf b;
    tt_err words;

    for (int i = 0; i < TT_SIDES; i++)
        p.n_side[i] = c->side_file[i] ? tt_record_rows(c->side_file[i]) : 0;
    o->concluding = 1;
    o->why = tt_run_why(c->run);
    o->failed = (tt_run_verdict(c->run, &verdict) && verdict.failed) ||
                tt_run_expectations_fail(c->run);
    o->steps = tt_run_steps(c->run);
    o->rows = p.rows;
    o->t = tt_run_time(c->run);
    o->wall = wall;
    if (c->steps)
        late = tt_steplog_end(c->steps, &words);
    if (late == TT_OK && c->events)
        late = tt_eventlog_end(c->events, &words);
    if (late == TT_OK && c->play->report && p.rows)
        late = tt_play_report(&p, &words);
    tt_buf_init(&b, TT_OUTCOME_TEXT);
    if (c->play->json) {
        tt_summary_json(&b, &p);
    } else {
        if (c->play->plot)
            tt_play_plot(&b, &p);
        if (rc == TT_OK && !c->play->quiet &&
            !tt_play_to_stdout(&c->play->files))
            tt_summary_text(&b, &p);
        if (c->play->profile && !tt_play_to_stdout(&c->play->files))
            put_profile(&b, c->run);
    }
    give_text(o, &b);
    tt_buf_fini(&b);
    if (rc == TT_OK && late != TT_OK)
        *err = words;
    return rc == TT_OK ? late : rc;
}

/* *wall: s, without what it was paused. */
static enum tt_code perform(struct child *c, double *wall, tt_err *err)
{
    struct tt_lead lead = {.control = c->control,
                           .run = c->run,
                           .record = c->observer[0],
                           .side = c->side_file,
                           .n_side = TT_SIDES,
                           .stop = &c->shared->stop,
                           .paused = c->play->paused};
    uint64_t began = tt_clock_ns();
    enum tt_code rc =
        c->control ? tt_lead(&lead, err) : tt_run_perform(c->run, err);

    *wall = (double)(tt_clock_ns() - began) * 1e-9 - lead.paused_for;
    return rc;
}

/* With --strict a warning is an error. */
static enum tt_code need_silence(const struct child *c, const char *what,
                                 tt_err *err)
{
    uint32_t n = c->play->sink->warnings->n;

    if (!c->play->strict || !n)
        return TT_OK;
    return tt_fail(err, TT_EINPUT, "--strict: the run has %u warning%s; %s",
                   (unsigned)n, n == 1 ? "" : "s", what);
}

/* What any rank was warned of counts for all. One that failed and is the only
 * one to know does not meet the others any more. */
static enum tt_code share_warnings(const struct child *c, enum tt_code rc,
                                   tt_err *err)
{
    enum tt_code shared;
    tt_err words;

    if (!c->link || tt_run_failed_alone(c->run))
        return rc;
    shared = tt_among_warnings(c->link, c->play->sink, &words);
    if (rc != TT_OK || shared == TT_OK)
        return rc;
    *err = words;
    return shared;
}

/* No unit is loaded before the sandbox is entered. */
static enum tt_code begin(struct child *c, tt_err *err)
{
    const struct tt_sandbox *box = c->play->sandbox;
    enum tt_code rc = TT_OK;

    if (c->play->n_rank > 1)
        rc = tt_mpi_open(&c->link, box && box->guards ? c->play->temp : NULL,
                         err);
    if (rc == TT_OK && box)
        rc = tt_box_enter(&c->box, err);
    if (rc == TT_OK &&
        c->play->rank == 0) /* the others have nothing to report */
        rc = make_observers(c, err);
    if (rc == TT_OK)
        rc = open_run(c, err);
    if (rc == TT_OK && c->play->strict)
        rc = share_warnings(c, rc, err);
    return rc == TT_OK ? need_silence(c, "it was not begun", err) : rc;
}

static enum tt_code child_play(struct child *c, tt_err *err)
{
    enum tt_code rc = begin(c, err);
    int begun = rc == TT_OK;
    double wall = 0;

    if (begun)
        rc = share_warnings(c, perform(c, &wall, err), err);
    if (rc == TT_OK)
        rc = need_silence(c, "its results are kept", err);
    if (rc == TT_OK && c->play->event_shift > 0)
        rc = tt_run_shift_events(c->run, c->play->event_shift, err);
    if (rc != TT_OK && c->play->sandbox)
        tt_confine_explain(err, c->play->sandbox);
    return begun ? conclude(c, rc, wall, err) : rc;
}

/* In a signal handler of the thread that crashes. */
static void note_culprit(void *ctx)
{
    struct tt_shared *shared = ctx;
    struct tt_stage *s = &shared->stage;
    int32_t id = tt_thread_id();

    shared->used = tt_memory_used();
    for (uint32_t i = 0; i <= s->n_mate && i < TT_CREW_MAX; i++)
        if (s->id[i] == id)
            s->culprit = i + 1;
}

int tt_play_child(void *ctx)
{
    struct child *c = ctx;
    struct tt_outcome *o = &c->shared->outcome;
    tt_err err = {0};

    /* A child that crashes cannot tidy up: what it unpacks goes where its
     * parent will. */
    if (!c->play->no_child) {
        tt_tick_stop();
        setenv("TMPDIR", c->play->temp, 1);
    }
    tt_sink_play(c->play->sink, &c->shared->stage.now.t[TT_T0],
                 tt_progress_wanted(c->play), &c->shared->last,
                 &c->shared->warnings);
    tt_signal_watch(&c->shared->stop);
    tt_crash_watch(note_culprit, c->shared);
    o->code = c->play->no_child ? TT_OK : tt_capture_begin(c->capture, &err);
    if (o->code == TT_OK)
        o->code = child_play(c, &err);
    tt_crash_watch(NULL, NULL);
    memcpy(o->msg, err.msg, sizeof(o->msg));
    fflush(stdout);
    o->ready = 1;
    o->concluding = 0;
    if (c->link && c->run && tt_run_failed_alone(c->run))
        tt_mpi_abort(c->link, TT_EXIT_FAILED);
    tt_mpi_close(c->link); /* first: a unit may crash while it is freed */
    o->together = c->link != NULL;
    tt_run_free(c->run);
    for (uint32_t i = 0; i < c->n_observer; i++)
        tt_observer_free(c->observer[i]);
    tt_steplog_free(c->steps);
    tt_eventlog_free(c->events);
    for (int i = 0; i < TT_SIDES; i++)
        tt_observer_free(c->side_file[i]);
    tt_capture_end(c->capture); /* units may log to their last */
    tt_signal_watch(NULL);
    return 0;
}
