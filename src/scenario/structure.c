/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include <string.h>

/* Units and what joins them: fmus, instances, connections, and the lists of
 * variables kept per instance. */

static enum tt_code check_key(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct tt_sc_parts p;

    if (!*v->key || strcmp(v->key, "{}") == 0)
        return tt_sc_fail(b, v->key_where, TT_EINPUT, "an FMU key is empty");
    if (v->key[0] == '{' && !strchr(v->key, '}'))
        return tt_sc_fail(b, v->key_where, TT_EINPUT,
                          "the FMU key '%s' lacks its closing brace", v->key);
    if (tt_sc_split(v->key, &p) == 0)
        return tt_sc_fail(b, v->key_where, TT_EINPUT,
                          "the FMU key '%s' contains a dot outside braces",
                          v->key);
    return TT_OK;
}

static enum tt_code read_fmu(struct tt_sc_build *b, const struct tt_doc *v,
                             struct tt_sc_fmu *fmu)
{
    enum tt_code rc = check_key(b, v);

    if (rc != TT_OK)
        return rc;
    *fmu = (struct tt_sc_fmu){.key = v->key, .where = v->where};
    rc = tt_sc_text(b, v, NULL, &fmu->uri);
    if (rc != TT_OK)
        return rc;
    return tt_sc_resolve_uri(b, fmu, b->dir[v->where.file]);
}

enum tt_code tt_sc_read_fmus(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct tt_sc_fmu *fmu;
    enum tt_code rc = tt_sc_object(b, v);

    if (rc != TT_OK)
        return rc;
    if (v->n == 0)
        return tt_sc_fail(b, v->where, TT_EINPUT, "'fmus' names no FMU");
    fmu = tt_arena_alloc(b->s->arena, v->n, sizeof(*fmu));
    if (!fmu)
        return tt_sc_no_memory(b);
    b->s->fmu = fmu;
    for (uint32_t i = 0; i < v->n; i++) {
        uint32_t n = b->s->n_fmu;
        int stub;

        rc = read_fmu(b, &v->u.child[i], &fmu[n]);
        if (!tt_sc_pass(b, rc, NULL))
            return rc;
        stub = rc == TT_OK && !fmu[n].path;
        if (rc != TT_OK) /* its key is known, so that references are good */
            fmu[n] = (struct tt_sc_fmu){.key = v->u.child[i].key,
                                        .uri = fmu[n].uri ? fmu[n].uri : "",
                                        .where = v->u.child[i].where};
        if (tt_names_add(stub ? &b->stub : &b->fmu_by_key, fmu[n].key, n) != 0)
            return tt_sc_no_memory(b);
        b->s->n_fmu += !stub;
    }
    return TT_OK;
}

static enum tt_code add_instance(struct tt_sc_build *b, const char *key,
                                 const struct tt_doc *name)
{
    struct tt_sc_parts p;
    struct tt_buf full;
    const char *text;
    enum tt_code rc;
    uint32_t unit;

    tt_buf_init(&full, TT_DOC_MAX);
    tt_buf_str(&full, key);
    tt_buf_char(&full, '.');
    tt_buf_str(&full, name->u.text);
    text = full.failed ? NULL : tt_arena_strdup(b->s->arena, full.data);
    tt_buf_fini(&full);
    if (!text)
        return tt_sc_no_memory(b);
    rc = tt_sc_split_unit(b, text, name->where, &p);
    if (rc != TT_OK)
        return rc;
    if (tt_sc_find_unit(b, &p) != TT_NONE)
        return tt_sc_fail(b, name->where, TT_EINPUT,
                          "the instance '%s' is listed twice", text);
    return tt_sc_mention(b, &p, name->where, TT_SC_BY_INSTANCES, &unit);
}

enum tt_code tt_sc_read_instances(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc = tt_sc_object(b, v);

    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++) {
        const struct tt_doc *list = &v->u.child[i];

        if (tt_names_find(&b->fmu_by_key, list->key) == TT_NONE)
            return tt_sc_fail(b, list->key_where, TT_EINPUT,
                              "there is no FMU '%s'%s", list->key,
                              tt_sc_fmu_hint(b, list->key).s);
        rc = tt_sc_texts(b, list);
        for (uint32_t j = 0; rc == TT_OK && j < list->n; j++)
            rc = add_instance(b, list->key, &list->u.child[j]);
    }
    return rc;
}

/* Connections */

static enum tt_code mention_ref(struct tt_sc_build *b,
                                const struct tt_sc_parts *p, struct tt_where w,
                                struct tt_sc_ref *ref)
{
    *ref = (struct tt_sc_ref){.variable = p->variable, .where = w};
    return tt_sc_mention(b, p, w, TT_SC_BY_CONNECTION, &ref->unit);
}

static enum tt_code fail_twice(struct tt_sc_build *b, const char *input,
                               struct tt_where w,
                               const struct tt_sc_connection *first)
{
    char at[512];

    return tt_sc_fail(b, w, TT_EINPUT,
                      "the input '%s' is already connected from '%s.%s' at %s",
                      input, b->unit[first->from.unit].unit.name,
                      first->from.variable,
                      tt_scenario_at(b->s, first->to.where, at, sizeof(at)));
}

static enum tt_code read_target(struct tt_sc_build *b, const struct tt_doc *to,
                                const struct tt_sc_ref *from,
                                struct tt_sc_connection *all)
{
    uint32_t n = b->s->n_connection;
    struct tt_sc_parts p;
    enum tt_code rc = tt_sc_split_ref(b, to->u.text, to->where, &p);
    int added;

    if (rc == TT_OK && tt_sc_is_stub(b, &p))
        return tt_sc_feeds_stub(b, &p, to->where, from);
    all[n].from = *from;
    if (rc == TT_OK)
        rc = mention_ref(b, &p, to->where, &all[n].to);
    if (rc != TT_OK)
        return rc;
    added = tt_names_add(&b->input, to->u.text, n);
    if (added < 0)
        return tt_sc_no_memory(b);
    if (added > 0)
        return fail_twice(b, to->u.text, to->where,
                          &all[tt_names_find(&b->input, to->u.text)]);
    b->s->n_connection = n + 1;
    return TT_OK;
}

static enum tt_code read_source(struct tt_sc_build *b, const struct tt_doc *v,
                                struct tt_sc_connection *all)
{
    struct tt_sc_ref from;
    struct tt_sc_parts p;
    enum tt_code rc = tt_sc_split_ref(b, v->key, v->key_where, &p);

    if (rc == TT_OK && tt_sc_is_stub(b, &p)) {
        rc = tt_sc_stub_feeds(b, &p, v);
        return tt_sc_pass(b, rc, v->key) ? TT_OK : rc;
    }
    if (rc == TT_OK)
        rc = mention_ref(b, &p, v->key_where, &from);
    if (rc == TT_OK)
        rc = tt_sc_texts(b, v);
    if (rc != TT_OK)
        return tt_sc_pass(b, rc, v->key) ? TT_OK : rc;
    for (uint32_t i = 0; i < v->n; i++) {
        rc = read_target(b, &v->u.child[i], &from, all);
        if (!tt_sc_pass(b, rc, v->u.child[i].u.text))
            return rc;
    }
    return TT_OK;
}

/* How many strings the lists of an object hold, at most. */
static size_t count_elements(const struct tt_doc *v)
{
    size_t n = 0;

    for (uint32_t i = 0; i < v->n; i++)
        if (v->u.child[i].kind == TT_DOC_ARRAY)
            n += v->u.child[i].n;
    return n;
}

enum tt_code tt_sc_read_connections(struct tt_sc_build *b,
                                    const struct tt_doc *v)
{
    struct tt_sc_connection *all;
    enum tt_code rc = tt_sc_object(b, v);

    if (rc != TT_OK)
        return rc;
    all = tt_arena_alloc(b->s->arena, count_elements(v), sizeof(*all));
    if (!all)
        return tt_sc_no_memory(b);
    b->s->connection = all;
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++)
        rc = read_source(b, &v->u.child[i], all);
    return rc;
}

/* Lists of names per instance. One that nothing else names comes to be with
 * CREATE, and is warned of and skipped with FIND. STREAM is the first where its
 * FMU is meant, else the second: tools leave behind what is gone. */
enum list_how { LIST_FIND, LIST_CREATE, LIST_STREAM };

struct list_request {
    enum list_how how;
    const struct tt_sc_ref **list;
    uint32_t *n;
};

/* Its FMU is there, or nearly, which is a mistake to be told. */
static int is_meant(struct tt_sc_build *b, const struct tt_sc_parts *p)
{
    return tt_sc_find_fmu(b, p) != TT_NONE ||
           tt_sc_fmu_hint(b, tt_sc_word(b, p->text, p->n_key)).s[0];
}

static enum tt_code list_unit(struct tt_sc_build *b, const struct tt_doc *v,
                              enum list_how how, uint32_t *unit)
{
    struct tt_sc_parts p;
    enum tt_code rc = tt_sc_split_unit(b, v->key, v->key_where, &p);

    if (rc != TT_OK)
        return rc;
    if (how == LIST_CREATE || (how == LIST_STREAM && is_meant(b, &p)))
        return tt_sc_mention(b, &p, v->key_where, TT_SC_BY_LOG, unit);
    *unit = tt_sc_find_unit(b, &p);
    if (*unit == TT_NONE && tt_sc_may_warn(b, TT_SC_WARN_UNIT))
        tt_sc_warn(b, v->key_where, NULL, "there is no instance '%s'%s", v->key,
                   tt_sc_unit_hint(b, v->key).s);
    return TT_OK;
}

static enum tt_code read_lists(struct tt_sc_build *b, const struct tt_doc *v,
                               const struct list_request *q)
{
    struct tt_sc_ref *list;
    enum tt_code rc = tt_sc_object(b, v);

    if (rc != TT_OK)
        return rc;
    list = tt_arena_alloc(b->s->arena, count_elements(v), sizeof(*list));
    if (!list)
        return tt_sc_no_memory(b);
    *q->list = list;
    for (uint32_t i = 0; i < v->n; i++) {
        const struct tt_doc *names = &v->u.child[i];
        uint32_t unit = TT_NONE;

        rc = tt_sc_texts(b, names);
        if (rc == TT_OK)
            rc = list_unit(b, names, q->how, &unit);
        if (rc != TT_OK)
            return rc;
        for (uint32_t j = 0; unit != TT_NONE && j < names->n; j++) {
            const struct tt_doc *name = &names->u.child[j];

            if (!*name->u.text)
                return tt_sc_fail(b, name->where, TT_EINPUT,
                                  "a name in the list of '%s' is empty",
                                  names->key);
            list[(*q->n)++] =
                (struct tt_sc_ref){unit, name->u.text, name->where};
        }
    }
    return TT_OK;
}

enum tt_code tt_sc_read_log(struct tt_sc_build *b, const struct tt_doc *v)
{
    return read_lists(b, v,
                      &(struct list_request){LIST_CREATE, &b->s->log_variable,
                                             &b->s->n_log_variable});
}

enum tt_code tt_sc_read_live(struct tt_sc_build *b, const struct tt_doc *v)
{
    return read_lists(b, v,
                      &(struct list_request){LIST_STREAM, &b->s->live_variable,
                                             &b->s->n_live_variable});
}

enum tt_code tt_sc_read_levels(struct tt_sc_build *b, const struct tt_doc *v)
{
    return read_lists(b, v,
                      &(struct list_request){LIST_FIND, &b->s->log_level,
                                             &b->s->n_log_level});
}
