/* SPDX-License-Identifier: MIT */
/* Opening a scenario as a type of units. */
#include <string.h>

#include "adapt/adapt.h"
#include "compose/compose_impl.h"
#include "kinds/kinds.h"
#include "remote/remote.h"
#include "sys/file.h"

#define COE         "coe:"
#define MOST_DEPTH  32    /* scenarios in scenarios */
#define MOST_OPENED 2000u /* ... and side by side, all together */

enum tt_code composite_nomem(tt_err *err)
{
    return tt_nomem(err, "composite");
}

static int is_json(const char *path)
{
    return tt_path_ends(path, ".json") || tt_path_ends(path, ".JSON");
}

static int composite_accepts(const struct tt_source *s)
{
    return s->inner || strncmp(s->path, COE, strlen(COE)) == 0 ||
           (is_json(s->path) && !tt_devs_is(s->path));
}

enum tt_code tt_compose_kind_for(const struct tt_kind_ops **kind,
                                 const struct tt_source *s, tt_err *err)
{
    if (tt_remote_is(s))
        *kind = &tt_kind_remote;
    else if (tt_kind_adapted.accepts(s))
        *kind = &tt_kind_adapted;
    else if (composite_accepts(s))
        *kind = &tt_kind_composite;
    else
        return tt_kind_for(kind, s, err);
    return TT_OK;
}

/* --- scenarios in scenarios ------------------------------------------------
 */

static const char *place_of(const struct tt_source *s)
{
    return strncmp(s->path, COE, strlen(COE)) == 0 ? s->path + strlen(COE)
                                                   : s->path;
}

static int same_place(const struct tt_source *a, const struct tt_source *b)
{
    return !a->inner && !b->inner && !a->n_clause && !b->n_clause &&
           tt_file_same(place_of(a), place_of(b));
}

/* "a.json -> b.json -> a.json" */
static void report_chain(const struct tt_source *s,
                         const struct tt_source *from, struct tt_buf *out)
{
    if (s->within && s != from)
        report_chain(s->within, from, out);
    tt_buf_fmt(out, "%s%s", out->len ? " -> " : "", place_of(s));
}

static enum tt_code check_depth(const struct tt_source *s, tt_err *err)
{
    uint32_t depth = 0;

    for (const struct tt_source *o = s->within; o; o = o->within) {
        struct tt_buf chain;

        if (++depth > MOST_DEPTH)
            return tt_fail(err, TT_EINPUT,
                           "%s: scenarios are more than %d deep in each other",
                           s->path, MOST_DEPTH);
        if (!same_place(o, s))
            continue;
        tt_buf_init(&chain, TT_ERR_MAX / 2);
        report_chain(s, o, &chain);
        (void)tt_fail(err, TT_EINPUT, "a scenario contains itself: %s",
                      chain.failed ? place_of(s) : chain.data);
        tt_buf_fini(&chain);
        return TT_EINPUT;
    }
    return TT_OK;
}

/* A scenario that names another under two keys opens it twice, and so does the
 * next: the count doubles with each. */
static enum tt_code check_opened(const struct tt_source *s, tt_err *err)
{
    if (!s->opened || ++*s->opened <= MOST_OPENED)
        return TT_OK;
    return tt_fail(err, TT_EINPUT,
                   "%s: with those in each other these are more than %u "
                   "scenarios; name each under one key only",
                   s->path, MOST_OPENED);
}

/* --- the scenario ----------------------------------------------------------
 */

static enum tt_code load(struct composite_type *t, const struct tt_source *s,
                         const char *path, const char *base, tt_err *err)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;

    o.inside = 1;
    o.base = base;
    o.only_base = s->only_base;
    return tt_scenario_load(&t->loaded, &path, 1, &o, &t->log, err);
}

/* What may only be in the base and was packed is somewhere else now: it may
 * name what was packed with it. */
static const char *base_in(const struct tt_source *s, const char *dir)
{
    return s->only_base && !tt_path_is_below(dir, s->base) ? dir : s->base;
}

/* Maestro's: a folder or an archive, made like an FMU. */
static enum tt_code load_packed(struct composite_type *t,
                                const struct tt_source *s, tt_err *err)
{
    static const char config[] = "resources/config.json";
    const char *path = place_of(s), *dir;
    char *file;
    enum tt_code rc = tt_archive_open(&t->archive, path, err);

    if (rc == TT_OK && !tt_archive_has(t->archive, config))
        rc = tt_fail(err, TT_EINPUT, "%s: there is no %s in it", path, config);
    if (rc == TT_OK)
        rc = tt_archive_unpack(t->archive, &dir, err);
    if (rc != TT_OK)
        return rc;
    file = tt_path_join(dir, config);
    rc = file ? load(t, s, file, base_in(s, dir), err) : composite_nomem(err);
    tt_free(file);
    return rc;
}

/* --- the type --------------------------------------------------------------
 */

static void composite_close(tt_unit_type *base)
{
    struct composite_type *t = (struct composite_type *)(void *)base;

    if (!t)
        return;
    tt_run_free(t->run);
    tt_scenario_free(t->loaded);
    tt_archive_close(t->archive);
    tt_names_fini(&t->base.desc.by_name);
    tt_arena_free(t->arena);
    tt_free(t);
}

/* Decisions inside do not name their file. */
static void pass_on(void *ctx, const struct tt_log_record *r)
{
    const struct composite_type *t = ctx;

    if (!t->outer_log || !t->outer_log->sink_cb)
        return;
    if (r->unit || r->level != TT_LOG_NOTE || !t->scenario)
        t->outer_log->sink_cb(t->outer_log->ctx, r);
    else
        tt_log(t->outer_log, r->level, "in %s: %s", t->scenario->name, r->text);
}

static enum tt_code fill(struct composite_type *t, const struct tt_source *s,
                         tt_err *err)
{
    const char *path = place_of(s);
    struct tt_run_opts o = {.log = &t->log,
                            .within = s,
                            .no_event_mode = s->no_event_mode,
                            .kind_cb =
                                s->kind_cb ? s->kind_cb : tt_compose_kind_for};
    enum tt_code rc = check_depth(s, err);

    if (rc == TT_OK)
        rc = check_opened(s, err);
    t->base.kind = &tt_kind_composite;
    t->outer_log = s->log;
    t->log = (struct tt_log){.sink_cb = pass_on,
                             .ctx = t,
                             .least = s->log ? s->log->least : TT_LOG_ERROR};
    tt_names_init(&t->base.desc.by_name);
    t->arena = tt_arena_new();
    if (!t->arena)
        return composite_nomem(err);
    if (rc == TT_OK && !s->inner)
        rc = is_json(path) ? load(t, s, path, s->base, err)
                           : load_packed(t, s, err);
    t->scenario = s->inner ? s->inner : t->loaded;
    if (rc == TT_OK)
        rc = tt_run_new(&t->run, t->scenario, &o, err);
    t->outer_log = NULL;
    return rc == TT_OK ? composite_describe(t, err) : rc;
}

static enum tt_code composite_open(tt_unit_type **out,
                                   const struct tt_source *s, tt_err *err)
{
    struct composite_type *t;
    enum tt_code rc;

    if (!TT_NEW(t))
        return composite_nomem(err);
    rc = fill(t, s, err);
    return TT_HAND_OVER(rc, out, &t->base, composite_close);
}

static enum tt_code composite_unpack(tt_unit_type *base, tt_err *err)
{
    return tt_run_unpack_units(((struct composite_type *)(void *)base)->run,
                               err);
}

static int composite_known_to_restore(const tt_unit_type *base)
{
    return tt_run_known_to_restore(
        ((const struct composite_type *)(const void *)base)->run);
}

const struct tt_kind_ops tt_kind_composite = {
    .name = "composite",
    .traits = TT_KIND_MADE_OF,
    TT_HOOKS(composite_, accepts, open, close, make, unpack, known_to_restore)};
