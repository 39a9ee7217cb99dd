/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "api/api_impl.h"
#include "formats/formats.h"

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

/* NaN is our own word for "not given". */
static enum tt_code check_options(const struct tutti_options *o, tt_err *err)
{
    const struct {
        const char *name;
        const double *v;
    } number[] = {
        {"--start", o->start},         {"--end", o->end},
        {"--step", o->step},           {"--sample", o->sample},
        {"--tolerance", o->tolerance}, {"--step-tolerance", o->step_tolerance},
        {"--real-time", o->real_time}, {"--deadline", o->deadline}};

    for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++)
        if (number[i].v && isnan(*number[i].v))
            return tt_fail(err, TT_EINPUT,
                           "command line: %s must be a number, not NaN",
                           number[i].name);
    if (o->only_base && !o->base)
        return tt_fail(err, TT_EINPUT, "only_base goes with base");
    return TT_OK;
}

/* Options in our own words, and the sink of messages. */
struct wishes {
    struct tt_sc_options o;
    struct ear ear;
    struct tt_log log; /* without a sink when there is none */
};

static struct tt_sc_options translate(const struct tutti_options *o)
{
    struct tt_sc_options in = TT_SC_OPTIONS_INIT;

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
    in.record = &o->record;
    in.n_record = o->record != NULL;
    in.substeps = o->substeps ? (double)*o->substeps : (double)NAN;
    in.rollback = o->rollback != 0;
    in.iterate = o->iterate;
    in.acceleration = o->acceleration;
    in.error_control = o->error_control;
    in.step_tolerance = number(o->step_tolerance);
    in.real_time = number(o->real_time);
    in.overrun = o->overrun;
    in.threads = o->threads;
    in.isolate = o->isolate != 0;
    in.deadline = number(o->deadline);
    in.no_stop_time = o->no_stop_time != 0;
    in.token_file = o->token_file;
    in.tls_ca = o->tls_ca;
    in.base = o->base;
    in.only_base = o->only_base != 0;
    in.json = o->json;
    in.score = o->score;
    return in;
}

static enum tt_code take_wishes(struct wishes *w, const struct tutti_options *o,
                                tt_err *err)
{
    *w = (struct wishes){.o = TT_SC_OPTIONS_INIT, .log.ctx = &w->ear};
    if (!o)
        return TT_OK;
    w->o = translate(o);
    w->ear = (struct ear){o->log_cb, o->log_ctx};
    if (o->log_cb)
        w->log.sink_cb = pass_on;
    return check_options(o, err);
}

/* What a scenario is made from: files, or text. */
struct given {
    const char *const *path;
    size_t n; /* of files, or bytes of text */
    const char *json, *base_dir;
    int is_text;
};

static enum tutti_code make(tutti_scenario **out, const struct given *g,
                            const struct tutti_options *options,
                            tutti_error *error)
{
    struct wishes w;
    tt_scenario *s = NULL;
    tt_err err = {0};
    enum tt_code rc = take_wishes(&w, options, &err);

    if (rc == TT_OK && g->is_text)
        rc = tt_scenario_parse(&s, "scenario", g->base_dir, g->json, g->n, &w.o,
                               &w.log, &err);
    else if (rc == TT_OK)
        rc = tt_format_open(&s, g->path, g->n, NULL, &w.o, &w.log, &err);
    if (rc == TT_OK)
        *out = (tutti_scenario *)(void *)s;
    return api_code(rc, &err, error);
}

enum tutti_code tutti_scenario_load_many(tutti_scenario **out,
                                         const char *const *path, size_t n,
                                         const struct tutti_options *options,
                                         tutti_error *error)
{
    return make(out, &(struct given){.path = path, .n = n}, options, error);
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
    const struct given g = {
        .json = json, .n = n, .base_dir = base_dir, .is_text = 1};

    return make(out, &g, options, error);
}

void tutti_scenario_free(tutti_scenario *s)
{
    tt_scenario_free((tt_scenario *)(void *)s);
}
