/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "api/api_impl.h"
#include "base/mem.h"
#include "compose/compose.h"
#include "results/record.h"
#include "run/page.h"
#include "sys/temp.h"

/* --- making -------------------------------------------------------------- */

static void pass_on(void *ctx, const struct tt_log_record *rec)
{
    tutti_run *r = ctx;

    if (r->report)
        tt_said_add(&r->said, rec,
                    r->started ? tt_run_time(r->run) : (double)NAN);
    if (r->log_cb)
        r->log_cb(r->log_ctx, (enum tutti_level)rec->level, rec->unit,
                  rec->text);
}

static enum tt_code add_record(tutti_run *r, const tt_scenario *s, tt_err *err)
{
    const char *const path[] = {r->csv};
    const struct tt_files files = {
        .path = path,
        .n = 1,
        .dialect = s->m1_dialect ? TT_CSV_MAESTRO1 : TT_CSV_MAESTRO2,
    };

    return tt_record_files(&r->observer[r->n_observer], &files,
                           isnan(s->sample) ? 0 : s->sample, err);
}

static enum tt_code add_trace(tutti_run *r, tt_err *err)
{
    enum tt_code rc = tt_trace_new(&r->trace, 0, err);

    if (rc == TT_OK)
        r->observer[r->n_observer] = tt_trace_observer(r->trace);
    return rc;
}

static enum tt_code add_observers(tutti_run *r,
                                  const struct tutti_run_options *o,
                                  const tt_scenario *s, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (r->csv) {
        rc = add_record(r, s, err);
        r->n_observer += rc == TT_OK;
    }
    if (rc == TT_OK && r->report) {
        rc = add_trace(r, err);
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
    enum tt_code rc = tt_said_init(&r->said, err);

    r->log_cb = o->log_cb;
    r->log_ctx = o->log_ctx;
    r->log =
        (struct tt_log){.sink_cb = pass_on, .ctx = r, .least = TT_LOG_ERROR};
    if (o->report)
        r->log.least = TT_LOG_INFO;
    if (o->log_cb)
        r->log.least = TT_LOG_DEBUG;
    r->csv = tt_strdup(o->csv);
    r->report = tt_strdup(o->report);
    if (rc == TT_OK && ((o->csv && !r->csv) || (o->report && !r->report)))
        rc = tt_fail(err, TT_ENOMEM, "preparing the run: out of memory");
    return rc;
}

static enum tt_code build(tutti_run *r, const tt_scenario *s,
                          const struct tutti_run_options *o, tt_err *err)
{
    struct tt_run_opts opts = {.log = &r->log,
                               .observer = r->observer,
                               .kind_cb = tt_compose_kind_for};
    enum tt_code rc = take_options(r, o, err);

    r->name = s->name;
    if (rc == TT_OK)
        rc = add_observers(r, o, s, err);
    opts.n_observer = r->n_observer;
    if (rc == TT_OK && r->report && tt_steplog_is_worth_a_picture(s)) {
        rc = tt_steplog_new(&r->steps, &(struct tt_steplog_opts){.picture = 1},
                            err);
        opts.attempt_cb = tt_steplog_add;
        opts.attempt_ctx = r->steps;
    }
    return rc == TT_OK ? tt_run_new(&r->run, s, &opts, err) : rc;
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
        return api_code(
            tt_fail(&err, TT_ENOMEM, "preparing the run: out of memory"), &err,
            error);
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
    tt_said_fini(&r->said);
    tt_free(r->csv);
    tt_free(r->report);
    tt_free(r);
}

/* --- playing ------------------------------------------------------------- */

/* The first failure is what the report tells. A call at the wrong moment is
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
    const char *file[2];
    struct tt_page page = {
        .run = r->run,
        .name = r->name,
        .trace = tt_run_rows(r->run) ? r->trace : NULL,
        .steps = r->steps,
        .said = &r->said,
        .version = tutti_version(),
        .file = file,
        .code = r->failure.code,
        .msg = r->failure.code == TT_OK ? NULL : r->failure.msg,
    };

    if (!r->report)
        return TT_OK;
    if (r->csv)
        file[page.n_file++] = r->csv;
    file[page.n_file++] = r->report;
    return tt_page_write(r->report, &page, err);
}

/* A run that failed is reported too. */
enum tutti_code tutti_run_end(tutti_run *r, tutti_error *error)
{
    tt_err err = {0}, words = {0};
    enum tt_code rc = note(r, tt_run_end(r->run, &err), &err), report;

    if (rc == TT_ESTATE)
        return api_code(rc, &err, error);
    report = write_report(r, &words);
    return rc == TT_OK ? api_code(report, &words, error)
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
