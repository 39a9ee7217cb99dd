/* SPDX-License-Identifier: MIT */
/* The files a run writes: results, in any number and format, the log of
 * attempts at steps, the report. */
#include <math.h>
#include <string.h>

#include "api/api_impl.h"
#include "base/mem.h"
#include "results/record.h"

static enum tt_code keep(char **to, const char *path, tt_err *err)
{
    if (!path)
        return TT_OK;
    if (!*path)
        return tt_fail(err, TT_EINPUT, "the name of a file is empty");
    *to = tt_strdup(path);
    return *to ? TT_OK : tt_nomem(err, "preparing the run");
}

static int is_stdout(const char *path)
{
    return strcmp(path, "-") == 0;
}

static enum tt_code check_names(const tutti_run *r, tt_err *err)
{
    const char *other[] = {r->trace, r->events, r->report};
    int twice = 0;

    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; other[i] && k < r->n_file; k++)
            twice |= strcmp(other[i], r->file[k]) == 0;
        for (size_t k = 0; other[i] && k < i; k++)
            twice |= other[k] && strcmp(other[i], other[k]) == 0;
        if (twice)
            return tt_fail(err, TT_EINPUT, "the file '%s' is named twice",
                           other[i]);
    }
    if (r->trace && is_stdout(r->trace))
        return tt_fail(err, TT_EINPUT, "the trace needs a file, not '-'");
    if (r->events && is_stdout(r->events))
        return tt_fail(err, TT_EINPUT,
                       "the list of events needs a file, not '-'");
    return TT_OK;
}

enum tt_code api_outputs_take(tutti_run *r, const struct tutti_run_options *o,
                              tt_err *err)
{
    size_t n = o->n_output + (o->csv != NULL);
    enum tt_code rc = TT_OK;

    if (n > TT_FILES_MAX)
        return tt_fail(err, TT_EINPUT, "%zu result files; there may be %u", n,
                       TT_FILES_MAX);
    if (o->n_output && !o->output)
        return tt_fail(err, TT_EINPUT, "n_output is %zu, but output is NULL",
                       o->n_output);
    if (!TT_NEW_ARRAY(r->file, n + 1))
        return tt_nomem(err, "preparing the run");
    if (o->csv)
        rc = keep(&r->file[r->n_file++], o->csv, err);
    for (size_t i = 0; i < o->n_output && rc == TT_OK; i++)
        rc = o->output[i] ? keep(&r->file[r->n_file++], o->output[i], err)
                          : tt_fail(err, TT_EINPUT, "output[%zu] is NULL", i);
    if (rc == TT_OK)
        rc = keep(&r->trace, o->trace, err);
    if (rc == TT_OK)
        rc = keep(&r->events, o->events, err);
    if (rc == TT_OK)
        rc = keep(&r->report, o->report, err);
    return rc == TT_OK ? check_names(r, err) : rc;
}

void api_outputs_fini(tutti_run *r)
{
    for (size_t i = 0; i < r->n_file; i++)
        tt_free(r->file[i]);
    TT_FREE_ALL(r->file, r->trace, r->events, r->report);
}

static enum tt_code choose_dialect(enum tt_csv_dialect *out, const char *word,
                                   const tt_scenario *s, tt_err *err)
{
    *out = s->m1_dialect ? TT_CSV_MAESTRO1 : TT_CSV_MAESTRO2;
    if (!word)
        return TT_OK;
    *out = strcmp(word, "maestro1") == 0 ? TT_CSV_MAESTRO1 : TT_CSV_MAESTRO2;
    if (*out == TT_CSV_MAESTRO1 || strcmp(word, "maestro2") == 0 ||
        strcmp(word, "maestro") == 0)
        return TT_OK;
    return tt_fail(err, TT_EINPUT,
                   "--dialect needs maestro1 or maestro2, not '%s'", word);
}

enum tt_code api_outputs_record(tutti_run *r, const char *dialect,
                                const tt_scenario *s, tt_observer **out,
                                tt_err *err)
{
    struct tt_files files = {
        .path = (const char *const *)(const void *)r->file,
        .n = (uint32_t)r->n_file,
    };
    enum tt_code rc = choose_dialect(&files.dialect, dialect, s, err);

    if (rc != TT_OK || !r->n_file)
        return rc;
    return tt_record_files(out, &files, isnan(s->sample) ? 0 : s->sample, err);
}

enum tt_code api_outputs_log_steps(tutti_run *r, const tt_scenario *s,
                                   tt_err *err)
{
    const char *path[] = {r->trace};
    const struct tt_files files = {.path = path, .n = 1};
    struct tt_steplog_opts o = {.orders = tt_steplog_orders(s),
                                .picture = r->report &&
                                           tt_steplog_is_worth_a_picture(s)};
    enum tt_code rc = TT_OK;

    if (!r->trace && !o.picture)
        return TT_OK;
    if (r->trace)
        rc = tt_record_files(&r->step_file, &files, 0, err);
    o.file = r->step_file;
    return rc == TT_OK ? tt_steplog_new(&r->steps, &o, err) : rc;
}

enum tt_code api_outputs_log_events(tutti_run *r, tt_err *err)
{
    const char *path[] = {r->events};
    const struct tt_files files = {.path = path, .n = 1};
    enum tt_code rc = TT_OK;

    if (!r->events)
        return TT_OK;
    rc = tt_record_files(&r->event_file, &files, 0, err);
    return rc == TT_OK ? tt_eventlog_new(&r->event_log, r->event_file, err)
                       : rc;
}
