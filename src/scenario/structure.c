/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include <string.h>

/* Units and what joins them: fmus, instances, connections, and the lists of
 * variables kept per instance. */

static enum tt_code check_key(struct tt_sc_build *b, struct tt_sc_word key)
{
    struct tt_sc_parts p;

    if (!*key.text || strcmp(key.text, "{}") == 0)
        return tt_sc_fail(b, key.where, TT_EINPUT, "an FMU key is empty");
    if (key.text[0] == '{' && !strchr(key.text, '}'))
        return tt_sc_fail(b, key.where, TT_EINPUT,
                          "the FMU key '%s' lacks its closing brace", key.text);
    if (tt_sc_split(key.text, &p) == 0)
        return tt_sc_fail(b, key.where, TT_EINPUT,
                          "the FMU key '%s' contains a dot outside braces",
                          key.text);
    return TT_OK;
}

enum tt_code tt_sc_put_fmu(struct tt_sc_build *b, const struct tt_sc_fmu *fmu,
                           struct tt_names *names)
{
    uint32_t n = b->s->n_fmu;

    if (TT_GROW(b->fmu, n, b->cap_fmu) != 0 ||
        tt_names_add(names, fmu->key, n) != 0)
        return tt_sc_no_memory(b);
    b->fmu[n] = *fmu;
    b->s->fmu = b->fmu;
    b->s->n_fmu += names == &b->fmu_by_key;
    return TT_OK;
}

enum tt_code tt_sc_add_fmu(tt_sc_build *b, struct tt_sc_word key,
                           struct tt_sc_word location)
{
    struct tt_sc_fmu fmu = {
        .key = key.text, .uri = location.text, .where = location.where};
    const char *dir =
        location.where.file < b->s->n_file ? b->dir[location.where.file] : "";
    enum tt_code rc = check_key(b, key);

    if (rc == TT_OK)
        rc = tt_sc_resolve_uri(b, &fmu, dir);
    if (!tt_sc_pass(b, rc, NULL))
        return rc;
    if (rc == TT_OK && !fmu.path)
        return tt_sc_put_fmu(b, &fmu, &b->stub);
    fmu.path = rc == TT_OK ? fmu.path : NULL;
    return tt_sc_put_fmu(b, &fmu, &b->fmu_by_key);
}

/* "file#key" stands for a place. */
static const char *place_of(struct tt_sc_build *b, const char *key,
                            struct tt_where w)
{
    struct tt_buf t;
    const char *place;

    tt_buf_init(&t, TT_DOC_MAX);
    tt_buf_fmt(&t, "%s#%s", w.file == TT_NONE ? "" : b->file[w.file].path, key);
    place = t.failed ? NULL : tt_sc_keep(b, t.data);
    tt_buf_fini(&t);
    return place;
}

enum tt_code tt_sc_add_inner(tt_sc_build *b, struct tt_sc_word key,
                             tt_scenario **inner, struct tt_where w)
{
    struct tt_sc_fmu fmu = {.key = key.text,
                            .uri = "",
                            .path = place_of(b, key.text, w),
                            .where = w};
    enum tt_code rc = fmu.path ? check_key(b, key) : tt_sc_no_memory(b);

    if (rc == TT_OK)
        rc = tt_sc_put_fmu(b, &fmu, &b->fmu_by_key);
    if (rc != TT_OK)
        return rc;
    b->fmu[b->s->n_fmu - 1].inner = *inner;
    *inner = NULL;
    return TT_OK;
}

/* An object is a scenario in place. */
static enum tt_code read_inner(struct tt_sc_build *b, const struct tt_doc *v)
{
    tt_scenario *inner = NULL;
    enum tt_code rc = tt_sc_read_inner(b, v, &inner);

    if (rc == TT_OK)
        rc = tt_sc_add_inner(b, tt_sc_key_word(v), &inner, v->where);
    tt_scenario_free(inner);
    return rc;
}

static enum tt_code read_fmu(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct tt_sc_fmu unknown = {.key = v->key, .uri = "", .where = v->where};
    enum tt_code rc;

    if (v->kind == TT_DOC_TEXT)
        return tt_sc_add_fmu(b, tt_sc_key_word(v),
                             (struct tt_sc_word){v->u.text, v->where});
    rc = v->kind == TT_DOC_OBJECT
             ? read_inner(b, v)
             : tt_sc_wrong(b, v, NULL, "a string or an object");
    if (rc == TT_OK || !tt_sc_pass(b, rc, NULL))
        return rc;
    return tt_sc_put_fmu(b, &unknown, &b->fmu_by_key);
}

enum tt_code tt_sc_read_fmus(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc = tt_sc_object(b, v);

    if (rc == TT_OK && v->n == 0)
        return tt_sc_fail(b, v->where, TT_EINPUT, "'fmus' names no FMU");
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++)
        rc = read_fmu(b, &v->u.child[i]);
    return rc;
}

enum tt_code tt_sc_add_instance(tt_sc_build *b, const char *key,
                                struct tt_sc_word name)
{
    struct tt_sc_parts p;
    struct tt_buf full;
    const char *text;
    enum tt_code rc;
    uint32_t unit;

    tt_buf_init(&full, TT_DOC_MAX);
    tt_buf_str(&full, key);
    tt_buf_char(&full, '.');
    tt_buf_str(&full, name.text);
    text = full.failed ? NULL : tt_sc_keep(b, full.data);
    tt_buf_fini(&full);
    if (!text)
        return tt_sc_no_memory(b);
    rc = tt_sc_split_unit(b, text, name.where, &p);
    if (rc != TT_OK)
        return rc;
    if (tt_sc_find_unit(b, &p) != TT_NONE)
        return tt_sc_fail(b, name.where, TT_EINPUT,
                          "the instance '%s' is listed twice", text);
    return tt_sc_mention(b, &p, name.where, TT_SC_BY_INSTANCES, &unit);
}

/* "{key}.instance" one by one, in the order in which they are to be. */
static enum tt_code list_instances(struct tt_sc_build *b,
                                   const struct tt_doc *v)
{
    struct tt_sc_word *name;
    uint32_t n = 0, unit;
    enum tt_code rc = tt_sc_words(b, v, 0, &name, &n);

    for (uint32_t i = 0; rc == TT_OK && i < n; i++) {
        struct tt_sc_parts p;

        rc = tt_sc_split_unit(b, name[i].text, name[i].where, &p);
        if (rc == TT_OK && tt_sc_find_unit(b, &p) != TT_NONE)
            return tt_sc_fail(b, name[i].where, TT_EINPUT,
                              "the instance '%s' is listed twice",
                              name[i].text);
        if (rc == TT_OK)
            rc = tt_sc_mention(b, &p, name[i].where, TT_SC_BY_INSTANCES, &unit);
    }
    return rc;
}

enum tt_code tt_sc_read_instances(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc = v->kind == TT_DOC_ARRAY ? TT_OK : tt_sc_object(b, v);

    if (v->kind == TT_DOC_ARRAY)
        return list_instances(b, v);
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++) {
        const struct tt_doc *list = &v->u.child[i];
        struct tt_sc_word *name;
        uint32_t n = 0;

        if (tt_names_find(&b->fmu_by_key, list->key) == TT_NONE)
            return tt_sc_fail(b, list->key_where, TT_EINPUT,
                              "there is no FMU '%s'%s", list->key,
                              tt_sc_fmu_hint(b, list->key).s);
        rc = tt_sc_words(b, list, 0, &name, &n);
        for (uint32_t j = 0; rc == TT_OK && j < n; j++)
            rc = tt_sc_add_instance(b, list->key, name[j]);
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

static enum tt_code fail_twice(struct tt_sc_build *b, struct tt_sc_word input,
                               const struct tt_sc_connection *first)
{
    char at[512];

    return tt_sc_fail(b, input.where, TT_EINPUT,
                      "the input '%s' is already connected from '%s.%s' at %s",
                      input.text, b->unit[first->from.unit].unit.name,
                      first->from.variable,
                      tt_scenario_at(b->s, first->to.where, at, sizeof(at)));
}

static enum tt_code connect_one(struct tt_sc_build *b, struct tt_sc_word to,
                                const struct tt_sc_ref *from)
{
    uint32_t n = b->s->n_connection;
    struct tt_sc_connection c = {.from = *from};
    struct tt_sc_parts p;
    enum tt_code rc = tt_sc_split_ref(b, to.text, to.where, &p);
    const struct tt_sc_connection *first;
    int added;

    if (rc == TT_OK && tt_sc_is_stub(b, &p))
        return tt_sc_feeds_stub(b, &p, to.where, from);
    if (rc == TT_OK)
        rc = mention_ref(b, &p, to.where, &c.to);
    if (rc != TT_OK)
        return rc;
    added = tt_names_add(&b->input, to.text, n);
    if (added < 0 || TT_GROW(b->connection, n, b->cap_connection) != 0)
        return tt_sc_no_memory(b);
    if (added > 0) { /* events may come from several: the plan knows */
        first = &b->connection[tt_names_find(&b->input, to.text)];
        if (tt_sc_ref_same(&first->from, from))
            return fail_twice(b, to, first);
    }
    b->connection[n] = c;
    b->s->n_connection = n + 1;
    return TT_OK;
}

enum tt_code tt_sc_connect(tt_sc_build *b, struct tt_sc_word from,
                           const struct tt_sc_word *to, uint32_t n)
{
    struct tt_sc_ref source;
    struct tt_sc_parts p;
    enum tt_code rc = tt_sc_split_ref(b, from.text, from.where, &p);

    if (rc == TT_OK && tt_sc_is_stub(b, &p)) {
        rc = tt_sc_stub_feeds(b, &p, from.where, to, n);
        return tt_sc_pass(b, rc, from.text) ? TT_OK : rc;
    }
    if (rc == TT_OK)
        rc = mention_ref(b, &p, from.where, &source);
    if (rc != TT_OK)
        return tt_sc_pass(b, rc, from.text) ? TT_OK : rc;
    for (uint32_t i = 0; i < n; i++) {
        rc = connect_one(b, to[i], &source);
        if (!tt_sc_pass(b, rc, to[i].text))
            return rc;
    }
    return TT_OK;
}

enum tt_code tt_sc_connect_by(tt_sc_build *b, struct tt_sc_word from,
                              struct tt_sc_word to,
                              const struct tt_sc_transform *by)
{
    uint32_t n = b->s->n_connection;
    enum tt_code rc = tt_sc_connect(b, from, &to, 1);

    if (rc == TT_OK && b->s->n_connection > n)
        b->connection[n].by = by;
    return rc;
}

void tt_sc_use_interface(tt_sc_build *b, uint8_t interface)
{
    TT_ASSERT(b->n_unit > 0);
    b->unit[b->n_unit - 1].unit.interface = interface;
}

enum tt_code tt_sc_read_connections(struct tt_sc_build *b,
                                    const struct tt_doc *v)
{
    enum tt_code rc = tt_sc_object(b, v);

    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++) {
        const struct tt_doc *list = &v->u.child[i];
        struct tt_sc_word *to;
        uint32_t n;

        rc = tt_sc_words(b, list, 0, &to, &n);
        if (rc == TT_OK)
            rc = tt_sc_connect(b, tt_sc_key_word(list), to, n);
        else if (tt_sc_pass(b, rc, list->key))
            rc = TT_OK;
    }
    return rc;
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

/* Lists of names per instance. One that nothing else names comes to be with
 * CREATE, and is warned of and skipped with FIND. STREAM is the first where its
 * FMU is meant, else the second: tools leave behind what is gone. */
enum list_how { LIST_FIND, LIST_CREATE, LIST_STREAM };

struct list_request {
    enum list_how how;
    const struct tt_sc_ref **list;
    uint32_t *n;
};

/* Its FMU is there, or nearly, which is a mistake to be reported. */
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
    if (!TT_NEW_IN(b->s->arena, list, count_elements(v)))
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
