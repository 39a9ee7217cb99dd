/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "api/api_impl.h"
#include "api/profile.h"
#include "base/mem.h"
#include "base/show.h"
#include "compose/compose.h"
#include "results/scribe.h"
#include "run/page.h"
#include "sys/temp.h"

/* --- making -------------------------------------------------------------- */

static void pass_on(void *ctx, const struct tt_log_record *rec)
{
    tutti_run *r = ctx;

    if (r->report)
        tt_logbook_add(&r->logbook, rec,
                       r->started ? tt_run_time(r->run) : (double)NAN);
    if (r->log_cb)
        r->log_cb(r->log_ctx, (enum tutti_level)rec->level, rec->unit,
                  rec->text);
}

static enum tt_code add_curves(tutti_run *r, tt_err *err)
{
    enum tt_code rc = tt_curves_new(&r->curves, 0, err);

    if (rc == TT_OK)
        r->observer[r->n_observer] = tt_curves_observer(r->curves);
    return rc;
}

static enum tt_code add_observers(tutti_run *r,
                                  const struct tutti_run_options *o,
                                  const tt_scenario *s, tt_err *err)
{
    enum tt_code rc =
        api_outputs_record(r, o->dialect, s, &r->observer[0], err);

    r->n_observer = rc == TT_OK && r->n_file;
    if (rc == TT_OK && r->report) {
        rc = add_curves(r, err);
        r->n_observer += rc == TT_OK;
    }
    if (rc == TT_OK && o->row_cb) {
        rc = api_rows_new(&r->observer[r->n_observer], o->row_cb, o->row_ctx,
                          err);
        r->n_observer += rc == TT_OK;
    }
    return rc;
}

static enum tt_code take_options(tutti_run *r,
                                 const struct tutti_run_options *o, tt_err *err)
{
    enum tt_code rc = tt_logbook_init(&r->logbook, err);

    r->log_cb = o->log_cb;
    r->log_ctx = o->log_ctx;
    r->log =
        (struct tt_log){.sink_cb = pass_on, .ctx = r, .least = TT_LOG_ERROR};
    if (o->report)
        r->log.least = TT_LOG_INFO;
    if (o->log_cb)
        r->log.least = TT_LOG_DEBUG;
    r->event_cb = o->event_cb;
    r->event_ctx = o->event_ctx;
    r->profile = o->profile != 0;
    if (rc == TT_OK)
        rc = api_outputs_take(r, o, err);
    if (rc == TT_OK)
        rc = api_sandbox_take(&r->sandbox, o->sandbox, err);
    return rc;
}

/* The log of steps is made after the run: a run that is refused leaves no
 * file. */
static void take_attempt(void *ctx, const struct tt_run_attempt *a)
{
    tt_steplog_add(((tutti_run *)ctx)->steps, a);
}

static void take_event(void *ctx, const struct tt_run_event *e)
{
    tutti_run *r = ctx;
    char value[TT_TEXT_MAX];

    if (r->event_log)
        tt_eventlog_add(r->event_log, e);
    if (r->report)
        (void)tt_logbook_event(&r->logbook, e);
    if (!r->event_cb)
        return;
    tt_value_print(value, e->type, e->value);
    r->event_cb(r->event_ctx, &(struct tutti_run_event){.time = e->at.t,
                                                        .microstep = e->at.n,
                                                        .instance = e->instance,
                                                        .port = e->port,
                                                        .value = value});
}

static enum tt_code build(tutti_run *r, const tt_scenario *s,
                          const struct tutti_run_options *o, tt_err *err)
{
    struct tt_run_opts opts = {.log = &r->log,
                               .observer = r->observer,
                               .kind_cb = tt_compose_kind_for,
                               .profile = o->profile != 0,
                               .trial = 1};
    enum tt_code rc = take_options(r, o, err);

    r->name = s->name;
    if (rc == TT_OK)
        rc = add_observers(r, o, s, err);
    opts.n_observer = r->n_observer;
    if (r->sandbox.on)
        opts.sandbox = &r->sandbox.box;
    if (r->trace || (r->report && tt_steplog_is_worth_a_picture(s))) {
        opts.attempt_cb = take_attempt;
        opts.attempt_ctx = r;
    }
    if (r->events || r->event_cb || r->report) {
        opts.event_cb = take_event;
        opts.event_ctx = r;
    }
    if (rc == TT_OK)
        rc = tt_run_new(&r->run, s, &opts, err);
    if (rc == TT_OK)
        rc = api_outputs_log_steps(r, s, err);
    return rc == TT_OK ? api_outputs_log_events(r, err) : rc;
}

enum tutti_code tutti_run_new(tutti_run **out, const tutti_scenario *s,
                              const struct tutti_run_options *options,
                              tutti_error *error)
{
    static const struct tutti_run_options none;
    tutti_run *r;
    tt_err err = {0};
    enum tt_code rc;

    if (!TT_NEW(r))
        return api_code(tt_nomem(&err, "preparing the run"), &err, error);
    tt_temp_sweep(); /* what a host that was killed left */
    rc = build(r, (const tt_scenario *)(const void *)s,
               options ? options : &none, &err);
    if (rc == TT_OK)
        *out = r;
    else
        tutti_run_free(r);
    return api_code(rc, &err, error);
}

void tutti_run_free(tutti_run *r)
{
    if (!r)
        return;
    if (r->run)
        (void)tutti_run_end(r, NULL);
    tt_run_free(r->run);
    for (uint32_t i = 0; i < r->n_observer; i++)
        tt_observer_free(r->observer[i]);
    tt_steplog_free(r->steps);
    tt_observer_free(r->step_file);
    tt_eventlog_free(r->event_log);
    tt_observer_free(r->event_file);
    tt_logbook_fini(&r->logbook);
    api_outputs_fini(r);
    api_sandbox_fini(&r->sandbox);
    tt_free(r);
}

/* --- playing ------------------------------------------------------------- */

/* The first failure is what the report shows. A call at the wrong moment is
 * no failure of the run. */
static enum tt_code note(tutti_run *r, enum tt_code rc, const tt_err *err)
{
    if (rc != TT_OK && r->failure.code == TT_OK &&
        tt_run_why(r->run) == TT_RUN_FAILED)
        r->failure = *err;
    return rc;
}

enum tutti_code tutti_run_start(tutti_run *r, tutti_error *error)
{
    tt_err err = {0};
    enum tt_code rc;

    r->started = 1;
    rc = note(r, tt_run_start(r->run, &err), &err);
    return api_code(rc, &err, error);
}

enum tutti_code tutti_run_step(tutti_run *r, tutti_error *error)
{
    tt_err err = {0};
    enum tt_code rc = note(r, tt_run_step(r->run, &err), &err);

    return api_code(rc, &err, error);
}

int tutti_run_done(const tutti_run *r)
{
    return tt_run_done(r->run);
}

static enum tt_code write_report(tutti_run *r, tt_err *err)
{
    const char *file[TT_FILES_MAX + 3];
    struct tt_page page = {
        .run = r->run,
        .name = r->name,
        .curves = tt_run_rows(r->run) ? r->curves : NULL,
        .steps = r->steps,
        .logbook = &r->logbook,
        .version = tutti_version(),
        .file = file,
        .code = r->failure.code,
        .msg = r->failure.code == TT_OK ? NULL : r->failure.msg,
    };

    if (!r->report)
        return TT_OK;
    for (size_t i = 0; i < r->n_file; i++)
        file[page.n_file++] = r->file[i];
    if (r->trace)
        file[page.n_file++] = r->trace;
    if (r->events)
        file[page.n_file++] = r->events;
    file[page.n_file++] = r->report;
    return tt_page_write(r->report, &page, err);
}

/* A run that failed is reported too. */
enum tutti_code tutti_run_end(tutti_run *r, tutti_error *error)
{
    tt_err err = {0}, words = {0};
    enum tt_code rc = note(r, tt_run_end(r->run, &err), &err), late = TT_OK;

    if (rc == TT_ESTATE)
        return api_code(rc, &err, error);
    if (r->steps)
        late = tt_steplog_end(r->steps, &words);
    if (late == TT_OK && r->event_log)
        late = tt_eventlog_end(r->event_log, &words);
    if (late == TT_OK)
        late = write_report(r, &words);
    return rc == TT_OK ? api_code(late, &words, error)
                       : api_code(rc, &err, error);
}

enum tutti_code tutti_run_perform(tutti_run *r, tutti_error *error)
{
    enum tutti_code rc = TUTTI_OK;

    if (!r->started)
        rc = tutti_run_start(r, error);
    while (rc == TUTTI_OK && !tutti_run_done(r))
        rc = tutti_run_step(r, error);
    if (rc == TUTTI_OK)
        rc = tutti_run_end(r, error);
    else
        (void)tutti_run_end(r, NULL);
    if (rc == TUTTI_OK) /* it may have failed before */
        rc = api_code(r->failure.code, &r->failure, error);
    return rc;
}

/* --- to look at ---------------------------------------------------------- */

double tutti_run_time(const tutti_run *r)
{
    return tt_run_time(r->run);
}

uint64_t tutti_run_steps(const tutti_run *r)
{
    return tt_run_steps(r->run);
}

enum tutti_end tutti_run_how(const tutti_run *r)
{
    static const enum tutti_end how[] = {
        [TT_RUN_NOT_ENDED] = TUTTI_END_NOT_YET,
        [TT_RUN_COMPLETE] = TUTTI_END_COMPLETE,
        [TT_RUN_TERMINATED] = TUTTI_END_TERMINATED,
        [TT_RUN_STOPPED] = TUTTI_END_STOPPED,
        [TT_RUN_FAILED] = TUTTI_END_FAILED,
    };

    return how[tt_run_why(r->run)];
}

const char *tutti_run_sentence(const tutti_run *r)
{
    return tt_run_sentence(r->run);
}

size_t tutti_run_columns(const tutti_run *r)
{
    return tt_run_plan(r->run)->n_column;
}

const char *tutti_run_column(const tutti_run *r, size_t i)
{
    const tt_plan *p = tt_run_plan(r->run);

    return i < p->n_column ? p->column[i].name : NULL;
}

enum tutti_code tutti_run_profile(const tutti_run *r, enum tutti_form form,
                                  char **out, tutti_error *error)
{
    enum tt_code rc = TT_OK;
    struct tt_buf b;
    tt_err err = {0};

    tt_buf_init(&b, TT_SHOW_MAX);
    if (!r->profile)
        rc = tt_fail(&err, TT_ESTATE,
                     "the run measures nothing: its options have no 'profile'");
    else if (!tt_run_part(r->run))
        rc = tt_fail(&err, TT_ESTATE, "the run was not started");
    else if (form == TUTTI_TEXT)
        tt_profile_text(&b, r->run, (struct tt_profile_look){.more = ""});
    else if (form == TUTTI_JSON)
        tt_profile_json(&b, r->run);
    else
        rc = tt_fail(&err, TT_EUNSUPPORTED, "a profile is text or JSON");
    return api_text(rc, &err, &b, out, error);
}
