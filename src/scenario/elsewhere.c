/* SPDX-License-Identifier: MIT */
/* Where units live: "isolate", "deadline", "late", "hosts", "tokenFile"; and
 * what they are reported: "noStopTime". */
#include "scenario/build_impl.h"

#include <math.h>

#include "sys/file.h"

/* A list of units, each of which gets this member, or a flag for all. */
static enum tt_code read_units(struct tt_sc_build *b, const struct tt_doc *v,
                               int *all, size_t member)
{
    enum tt_code rc;

    if (v->kind == TT_DOC_BOOL)
        return tt_sc_bool(b, v, all);
    if (v->kind != TT_DOC_ARRAY)
        return tt_sc_wrong(b, v, NULL, "true, false or an array of instances");
    rc = tt_sc_texts(b, v);
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++) {
        const struct tt_doc *d = &v->u.child[i];
        uint32_t unit = 0;

        rc = tt_sc_get_unit(b, d->u.text, d->where, &unit);
        if (rc == TT_OK)
            *(bool *)((char *)&b->unit[unit].unit + member) = true;
    }
    return rc;
}

enum tt_code tt_sc_read_isolate(struct tt_sc_build *b, const struct tt_doc *v)
{
    return read_units(b, v, &b->s->isolate,
                      offsetof(struct tt_sc_unit, isolate));
}

enum tt_code tt_sc_read_no_stop(struct tt_sc_build *b, const struct tt_doc *v)
{
    return read_units(b, v, &b->s->no_stop_time,
                      offsetof(struct tt_sc_unit, no_stop_time));
}

#define MOST_OWED 1000

static enum tt_code late_one(struct tt_sc_build *b, const struct tt_doc *v,
                             struct tt_sc_late *out)
{
    const struct tt_doc *most;
    enum tt_code rc = tt_sc_get_unit(b, v->key, v->key_where, &out->unit);

    *out = (struct tt_sc_late){.unit = out->unit,
                               .after = (double)INFINITY,
                               .most = TT_SC_LATE_MOST,
                               .where = v->where};
    if (rc == TT_OK)
        rc = tt_sc_check_members(b, v, "late");
    if (rc == TT_OK)
        rc = tt_sc_member_number(b, v, "after", &out->after, 1);
    most = rc == TT_OK ? tt_sc_member(v, "most") : NULL;
    return most ? tt_sc_steps(b, most, MOST_OWED, &out->most) : rc;
}

enum tt_code tt_sc_read_late(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc = tt_sc_object(b, v);
    struct tt_sc_late *list =
        rc == TT_OK ? tt_arena_alloc(b->s->arena, v->n, sizeof(*list)) : NULL;

    if (rc == TT_OK && !list)
        return tt_sc_no_memory(b);
    b->s->late = list;
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++)
        if (!tt_sc_is_null(&v->u.child[i]))
            rc = late_one(b, &v->u.child[i], &list[b->s->n_late++]);
    return rc;
}

static const char *fmu_key(const void *ctx, size_t i)
{
    return ((const tt_scenario *)ctx)->fmu[i].key;
}

enum tt_code tt_sc_read_hosts(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc = tt_sc_object(b, v);
    const char **host;

    if (rc != TT_OK)
        return rc;
    if (!TT_NEW_IN(b->s->arena, host, b->s->n_fmu))
        return tt_sc_no_memory(b);
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++) {
        const struct tt_doc *d = &v->u.child[i];
        uint32_t fmu = tt_names_find(&b->fmu_by_key, d->key);
        const char *text = NULL;

        if (fmu == TT_NONE)
            return tt_sc_fail(b, d->key_where, TT_EINPUT,
                              "there is no FMU '%s'%s", d->key,
                              tt_sc_hint(d->key, b->s->n_fmu, fmu_key, b->s).s);
        rc = tt_sc_text(b, d, NULL, &text);
        if (rc == TT_OK && b->s->only_base)
            rc = tt_sc_fail(
                b, d->where, TT_EINPUT,
                "FMU '%s': its instances may not go to '%s': those of "
                "a session stay on its machine",
                d->key, text);
        if (rc == TT_OK) {
            host[fmu] = tt_arena_strdup(b->s->arena, text);
            rc = host[fmu] ? TT_OK : tt_sc_no_memory(b);
        }
    }
    b->s->host = host;
    return rc;
}

static enum tt_code read_path(struct tt_sc_build *b, const struct tt_doc *v,
                              const char **out)
{
    const char *text = NULL;
    enum tt_code rc = tt_sc_text(b, v, NULL, &text);
    char *path;

    if (rc != TT_OK)
        return rc;
    path = tt_sc_find_file(b, v->where, text);
    *out = path ? tt_arena_strdup(b->s->arena, path) : NULL;
    tt_free(path);
    if (!*out)
        return tt_sc_no_memory(b);
    if (tt_sc_is_outside(b, *out))
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'%s': '%s' is not in the session", v->key, text);
    return TT_OK;
}

enum tt_code tt_sc_read_score(struct tt_sc_build *b, const struct tt_doc *v)
{
    return read_path(b, v, &b->score);
}

enum tt_code tt_sc_read_allowed(struct tt_sc_build *b, const struct tt_doc *v)
{
    return read_path(b, v, &b->s->allowed);
}

enum tt_code tt_sc_read_token_file(struct tt_sc_build *b,
                                   const struct tt_doc *v)
{
    return read_path(b, v, &b->s->token_file);
}

enum tt_code tt_sc_read_origin(struct tt_sc_build *b, const struct tt_doc *v)
{
    return read_path(b, v, &b->s->origin);
}

enum tt_code tt_sc_read_tls_ca(struct tt_sc_build *b, const struct tt_doc *v)
{
    return read_path(b, v, &b->s->tls_ca);
}
