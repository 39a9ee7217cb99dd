/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "api/api_impl.h"
#include "scenario/scenario.h"

struct ear {
    tutti_log_fn log_cb;
    void *ctx;
};

static void pass_on(void *ctx, const struct tt_log_record *rec)
{
    const struct ear *e = ctx;

    e->log_cb(e->ctx, (enum tutti_level)rec->level, rec->unit, rec->text);
}

static double number(const double *v)
{
    return v ? *v : (double)NAN;
}

/* Options in our own words; `log` stays without a sink when nobody listens. */
static struct tt_sc_options read_options(const struct tutti_options *o,
                                         struct ear *ear, struct tt_log *log)
{
    struct tt_sc_options in = TT_SC_OPTIONS_INIT;

    *log = (struct tt_log){.ctx = ear};
    if (!o)
        return in;
    in.set = o->set;
    in.n_set = (uint32_t)o->n_set;
    in.start = number(o->start);
    in.end = number(o->end);
    in.step = number(o->step);
    in.sample = number(o->sample);
    in.tolerance = number(o->tolerance);
    in.master = o->master;
    in.order = o->order;
    in.approximation = o->approximation;
    in.record = o->record;
    *ear = (struct ear){o->log_cb, o->log_ctx};
    if (o->log_cb)
        log->sink_cb = pass_on;
    return in;
}

enum tutti_code tutti_scenario_load_many(tutti_scenario **out,
                                         const char *const *path, size_t n,
                                         const struct tutti_options *options,
                                         tutti_error *error)
{
    struct ear ear;
    struct tt_log log;
    struct tt_sc_options o = read_options(options, &ear, &log);
    tt_scenario *s = NULL;
    tt_err err = {0};
    enum tt_code rc = tt_scenario_open(&s, path, n, &o, &log, &err);

    if (rc == TT_OK)
        *out = (tutti_scenario *)(void *)s;
    return api_code(rc, &err, error);
}

enum tutti_code tutti_scenario_load(tutti_scenario **out, const char *path,
                                    const struct tutti_options *options,
                                    tutti_error *error)
{
    return tutti_scenario_load_many(out, &path, 1, options, error);
}

enum tutti_code tutti_scenario_parse(tutti_scenario **out, const char *json,
                                     size_t n, const char *base_dir,
                                     const struct tutti_options *options,
                                     tutti_error *error)
{
    struct ear ear;
    struct tt_log log;
    struct tt_sc_options o = read_options(options, &ear, &log);
    tt_scenario *s = NULL;
    tt_err err = {0};
    enum tt_code rc =
        tt_scenario_parse(&s, "scenario", base_dir, json, n, &o, &log, &err);

    if (rc == TT_OK)
        *out = (tutti_scenario *)(void *)s;
    return api_code(rc, &err, error);
}

void tutti_scenario_free(tutti_scenario *s)
{
    tt_scenario_free((tt_scenario *)(void *)s);
}
