/* SPDX-License-Identifier: MIT */
/* Opening what an exported FMU holds, and its life. */
#include "export/engine.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hooks.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/uri.h"
#include "compose/compose.h"
#include "step/policy.h"
#include "sys/file.h"
#include "sys/lib.h"
#include "text/json.h"

#define FILE_MAX ((size_t)1 << 20) /* of TT_EXPORT_FILE */

/* --- messages ------------------------------------------------------------- */

static void put_log(const tt_engine *e, enum tt_engine_level level,
                    const char *text)
{
    e->opts.log_cb(e->opts.ctx, level, text);
}

static void sink(void *ctx, const struct tt_log_record *r)
{
    const tt_engine *e = ctx;
    enum tt_engine_level level = r->level == TT_LOG_ERROR  ? TT_ENGINE_ERROR
                                 : r->level == TT_LOG_WARN ? TT_ENGINE_WARNING
                                                           : TT_ENGINE_INFO;
    char line[TT_ERR_MAX];

    if (!r->unit) {
        put_log(e, level, r->text);
        return;
    }
    (void)snprintf(line, sizeof(line), "%s: %s", r->unit, r->text);
    put_log(e, level, line);
}

void tt_engine_logging(tt_engine *e, int on)
{
    e->log.least = on ? TT_LOG_DEBUG : TT_LOG_WARN;
}

/* --- what is in there ----------------------------------------------------- */

static enum tt_code check_contents(const struct tt_doc *d, const char *path,
                                   const char *token, const char **scenario,
                                   tt_err *err)
{
    const struct tt_doc *version = tt_doc_find(d, "version");
    const struct tt_doc *has = tt_doc_find(d, "token");
    const struct tt_doc *name = tt_doc_find(d, "scenario");

    if (!version || version->kind != TT_DOC_INTEGER || !has ||
        has->kind != TT_DOC_TEXT || !name || name->kind != TT_DOC_TEXT ||
        !*name->u.text || strchr(name->u.text, '/'))
        return tt_fail(err, TT_EINPUT,
                       "%s: it is not that of an exported scenario", path);
    if (version->u.integer != TT_EXPORT_VERSION)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "%s: its version is %lld, this engine reads %d", path,
                       (long long)version->u.integer, TT_EXPORT_VERSION);
    if (!token || strcmp(token, has->u.text) != 0)
        return tt_fail(err, TT_EINPUT,
                       "the token '%s' is not that of this FMU, '%s'",
                       token ? token : "", has->u.text);
    *scenario = name->u.text;
    return TT_OK;
}

/* The path of the scenario, owned by the caller. */
static enum tt_code read_contents(const char *dir, const char *token,
                                  char **scenario, tt_err *err)
{
    tt_arena *arena = tt_arena_new();
    char *path = tt_path_join(dir, TT_EXPORT_FILE);
    struct tt_text_file f = {.path = path};
    const char *name = NULL;
    struct tt_buf b;
    struct tt_doc d;
    enum tt_code rc;

    tt_buf_init(&b, FILE_MAX);
    rc = arena && path ? tt_file_read(&b, path, err) : tt_nomem(err, NULL);
    f.text = b.data ? b.data : "";
    f.n = b.len;
    if (rc == TT_OK)
        rc = tt_doc_parse(&d, &f, 0, arena, arena, err);
    if (rc == TT_OK && d.kind != TT_DOC_OBJECT)
        rc = tt_fail(err, TT_EINPUT, "%s: it is not an object", path);
    if (rc == TT_OK)
        rc = check_contents(&d, path, token, &name, err);
    if (rc == TT_OK) {
        *scenario = tt_path_join(dir, name);
        rc = *scenario ? TT_OK : tt_nomem(err, NULL);
    }
    tt_buf_fini(&b);
    tt_free(path);
    tt_arena_free(arena);
    return rc;
}

static enum tt_code find_scenario(const struct tt_engine_opts *o,
                                  char **scenario, tt_err *err)
{
    char *dir = NULL;
    enum tt_code rc;

    if (!o->resources || !*o->resources)
        return tt_fail(err, TT_EINPUT,
                       "it was not given the place of its resources");
    dir = tt_uri_path(o->resources);
    rc =
        dir ? read_contents(dir, o->token, scenario, err) : tt_nomem(err, NULL);
    tt_free(dir);
    return rc;
}

/* --- making --------------------------------------------------------------- */

static enum tt_code make_room(tt_engine *e, tt_err *err)
{
    const struct tt_desc *d = &e->type->desc;
    size_t most = sizeof(double);

    for (uint32_t i = 0; i < d->n_port; i++) {
        size_t size = tt_port_size(&d->port[i]);

        most = size > most ? size : most;
    }
    e->scratch = tt_zalloc(1, most);
    e->texts = tt_texts_new();
    if (d->caps.course_order) {
        TT_NEW_ARRAY(e->course, d->n_port);
        TT_NEW_ARRAY(e->has_course, d->n_port);
    }
    if (!e->scratch || !e->texts ||
        (d->caps.course_order && (!e->course || !e->has_course)))
        return tt_nomem(err, NULL);
    return TT_OK;
}

static enum tt_code make_unit(tt_engine *e, tt_err *err)
{
    const struct tt_make m = {
        .name = e->opts.instance,
        .instance = e->opts.instance,
        .log = &e->log,
        .texts = e->texts,
        TT_SAME(&e->opts, visible, logging, event_mode, early_return),
        .takes_back = e->opts.ends_early,
        .want_course = 1};

    return e->type->kind->make(&e->unit, e->type, &m, err);
}

static enum tt_code fill(tt_engine *e, const char *scenario, tt_err *err)
{
    const struct tt_source s = {.path = scenario, .log = &e->log};
    enum tt_code rc = tt_kind_composite.open(&e->type, &s, err);

    if (rc == TT_OK && e->opts.fmi == 2)
        e->opts.event_mode = tt_export_has_events(&e->type->desc);
    if (rc == TT_OK && !e->type->desc.caps.event_mode)
        e->opts.event_mode = 0;
    if (rc == TT_OK)
        rc = make_room(e, err);
    if (rc == TT_OK)
        rc = tt_engine_event_room(e, err);
    return rc == TT_OK ? make_unit(e, err) : rc;
}

enum tt_code tt_engine_new(tt_engine **out, const struct tt_engine_opts *o,
                           tt_err *err)
{
    char *scenario = NULL;
    tt_engine *e;
    enum tt_code rc;

    if (!TT_NEW(e))
        return tt_nomem(err, NULL);
    e->opts = *o;
    if (!o->instance || !*o->instance)
        e->opts.instance = "exported";
    e->log = (struct tt_log){.sink_cb = sink, .ctx = e};
    e->exp = (struct tt_experiment){.start = 0, .end = (double)INFINITY};
    tt_engine_logging(e, o->logging);
    rc = find_scenario(o, &scenario, err);
    if (rc == TT_OK)
        rc = fill(e, scenario, err);
    tt_free(scenario);
    e->opts.instance = e->opts.token = e->opts.resources = NULL;
    return TT_HAND_OVER(rc, out, e, tt_engine_free);
}

void tt_engine_free(tt_engine *e)
{
    if (!e)
        return;
    tt_unit_free(e->unit);
    if (e->type)
        e->type->kind->close(e->type);
    for (uint32_t i = 0; e->in_register && i < e->n_register; i++)
        tt_engine_drop(e, e->in_register[i]);
    tt_texts_free(e->texts);
    TT_FREE_ALL(e->in_register, e->scratch, e->course, e->has_course, e->text,
                e->own, e->value_at, e->kept, e);
}

/* --- life ----------------------------------------------------------------- */

enum tt_code tt_engine_enter(tt_engine *e, tt_err *err)
{
    enum tt_code rc = tt_unit_configure(e->unit, err);

    return rc == TT_OK ? tt_unit_enter_init(e->unit, &e->exp, err) : rc;
}

enum tt_code tt_engine_leave(tt_engine *e, tt_err *err)
{
    enum tt_code rc = tt_unit_exit_init(e->unit, err);

    if (rc == TT_OK)
        rc = tt_engine_prepare(e, err);
    if (rc == TT_OK && e->opts.event_mode && e->unit->life == TT_LIFE_READY)
        rc = tt_unit_event_enter(e->unit, err);
    return rc == TT_OK ? tt_engine_event_begin(e, err) : rc;
}

static enum tt_code check_event_mode(const tt_engine *e, tt_err *err)
{
    return e->opts.event_mode
               ? TT_OK
               : tt_fail(err, TT_ESTATE, "event mode is not in use");
}

/* An importer states nothing of what else happens at this instant, so what is
 * due inside happens: clocks, and the events of discrete-event units. */
static enum tt_code enter(tt_engine *e, tt_err *err)
{
    uint32_t internal = e->unit->desc->internal - 1;
    uint8_t ticks = 1;
    enum tt_code rc;

    tt_unit_quiet(e->unit);
    rc = tt_unit_event_enter(e->unit, err);
    if (rc == TT_OK && e->unit->desc->internal && !e->driven)
        rc = tt_unit_set(e->unit, &(struct tt_span){&internal, 1, &ticks}, err);
    return rc;
}

enum tt_code tt_engine_event_enter(tt_engine *e, tt_err *err)
{
    enum tt_code rc = check_event_mode(e, err);

    return rc == TT_OK ? enter(e, err) : rc;
}

/* What is due inside happens in the next microstep. A clock that is not due yet
 * is an event to come, as far as the importer knows. */
static enum tt_code take_due(tt_engine *e, struct tt_event_result *r,
                             tt_err *err)
{
    double now = e->unit->now;

    if (r->tick_defined) {
        r->next = r->next_defined ? fmin(r->next, r->tick) : r->tick;
        r->next_defined = 1;
    }
    e->own->next = r->next_defined ? r->next : (double)INFINITY;
    if (r->again || !r->next_defined || e->driven ||
        r->next > now + tt_policy_instant_tol(now, 0))
        return TT_OK;
    r->again = 1;
    return enter(e, err);
}

enum tt_code tt_engine_event_update(tt_engine *e, struct tt_event_result *r,
                                    tt_err *err)
{
    enum tt_code rc = check_event_mode(e, err);

    if (rc == TT_OK)
        rc = tt_unit_event_update(e->unit, r, err);
    return rc == TT_OK ? take_due(e, r, err) : rc;
}

enum tt_code tt_engine_event_leave(tt_engine *e, tt_err *err)
{
    enum tt_code rc = check_event_mode(e, err);

    return rc == TT_OK ? tt_unit_event_leave(e->unit, err) : rc;
}

enum tt_code tt_engine_reset(tt_engine *e, tt_err *err)
{
    tt_engine_forget_courses(e);
    tt_engine_event_forget(e);
    e->driven = 0;
    return tt_unit_reset(e->unit, err);
}

/* --- time ----------------------------------------------------------------- */

/* A grid it has inside, or that its own steps would have. */
static double grid_of(const struct tt_desc *d)
{
    return d->inner_step > 0 ? d->inner_step : d->standard_step;
}

/* The sum of an instant and a length is the point of the grid it means. */
static double end_of(const tt_engine *e, const struct tt_engine_step *s)
{
    double to = s->t + s->h, h = grid_of(&e->type->desc), at;

    if (!(h > 0))
        return to;
    at = e->exp.start + round((to - e->exp.start) / h) * h;
    return fabs(at - to) <= tt_policy_instant_tol(to, h) ? at : to;
}

static enum tt_code check_step(const tt_engine *e,
                               const struct tt_engine_step *s, tt_err *err)
{
    char asked[TT_NUM_MAX], now[TT_NUM_MAX], h[TT_NUM_MAX];

    tt_num_print_short(asked, s->t);
    tt_num_print_short(now, e->unit->now);
    tt_num_print_short(h, s->h);
    if (!isfinite(s->t) || !isfinite(s->h) ||
        !(s->h > 0 || (s->h == 0 && tt_engine_event_steps(e))))
        return tt_fail(err, TT_EINPUT, "a step from t=%s of %s s", asked, h);
    if (fabs(s->t - e->unit->now) > tt_policy_instant_tol(s->t, s->h))
        return tt_fail(err, TT_EINPUT, "a step from t=%s, but it is at t=%s",
                       asked, now);
    return TT_OK;
}

enum tt_code tt_engine_step(tt_engine *e, const struct tt_engine_step *s,
                            struct tt_stepped *r, tt_err *err)
{
    const struct tt_step step = {
        .to = end_of(e, s), .h = s->h, .may_restore = s->may_restore};
    enum tt_code rc = check_step(e, s, err);

    if (rc == TT_OK && e->n_course)
        rc = tt_engine_send_courses(e, err);
    if (rc == TT_OK && tt_engine_event_steps(e))
        return tt_engine_event_step(e, step.to, r, err);
    return rc == TT_OK ? tt_unit_step(e->unit, &step, r, err) : rc;
}
