/* SPDX-License-Identifier: MIT */
/* Unit kind map: "tutti:map: {"toWork": "toOff", ...}". An event that comes in
 * goes out at once, as another one; what the map does not have goes nowhere. It
 * is what "events" puts onto connections. */
#include <string.h>

#include "kinds/discrete.h"
#include "kinds/kinds.h"
#include "text/json.h"

#define SOURCE "tutti:map:"

struct map {
    uint32_t in, out; /* ports */
    uint32_t n;
    struct tt_text *from;
    void *to; /* texts or numbers, by the type of `out` */
};

static enum tt_code follow(struct tt_discrete *u, tt_err *err)
{
    const struct map *m = u->type->own;
    enum tt_type type = u->type->port[m->out].type;
    size_t size = tt_type_size(type);
    uint32_t i = 0;

    (void)err;
    *tt_discrete_there(u, m->out) = 0;
    if (!*tt_discrete_there(u, m->in))
        return TT_OK;
    while (i < m->n && !tt_text_same(&m->from[i], tt_discrete_value(u, m->in)))
        i++;
    if (i == m->n)
        return TT_OK;
    memcpy(tt_discrete_value(u, m->out), (const char *)m->to + i * size, size);
    tt_discrete_emit(u, m->out);
    return TT_OK;
}

static enum tt_code external(struct tt_discrete *u, int *goes_on, tt_err *err)
{
    (void)u;
    (void)err;
    *goes_on = 1;
    return TT_OK;
}

static const struct tt_discrete_model model = {.follow = follow,
                                               .external = external};

/* --- reading -------------------------------------------------------------- */

static int is_number(const struct tt_doc *v)
{
    return v->kind == TT_DOC_NUMBER || v->kind == TT_DOC_INTEGER;
}

static enum tt_code take(struct map *m, uint32_t i, const struct tt_doc *v,
                         enum tt_type type, tt_err *err)
{
    if (tt_text_set(&m->from[i], v->key) != 0 ||
        (v->kind == TT_DOC_TEXT && strlen(v->u.text) >= TT_TEXT_MAX))
        return tt_fail(err, TT_EINPUT, "an event is too long");
    if (type == TT_F64 ? !is_number(v) : v->kind != TT_DOC_TEXT)
        return tt_fail(err, TT_EINPUT,
                       "'%s' leads to %s, and another one does not", v->key,
                       tt_doc_kind_text(v->kind));
    if (type == TT_F64)
        ((double *)m->to)[i] = tt_doc_number(v, 0);
    else
        (void)tt_text_set(&((struct tt_text *)m->to)[i], v->u.text);
    return TT_OK;
}

/* null: goes nowhere, as what is not there. */
static enum tt_code read(struct tt_discrete_type *t, struct map *m,
                         const struct tt_doc *v, tt_err *err)
{
    enum tt_type type = TT_TEXT;
    enum tt_code rc = TT_OK;
    int twice;

    if (v->kind != TT_DOC_OBJECT)
        return tt_fail(err, TT_EINPUT, "a map is an object, and this is %s",
                       tt_doc_kind_text(v->kind));
    for (uint32_t i = 0; i < v->n; i++)
        if (is_number(&v->u.child[i]))
            type = TT_F64;
    m->in = tt_discrete_add(t, "in", TT_CAUS_INPUT, TT_TEXT, NULL, &twice);
    m->out = tt_discrete_add(t, "out", TT_CAUS_OUTPUT, type, NULL, &twice);
    m->from = tt_arena_alloc(t->b.arena, v->n, sizeof(*m->from));
    m->to = tt_arena_alloc(t->b.arena, v->n, tt_type_size(type));
    if (m->in == TT_NONE || m->out == TT_NONE || !m->from || !m->to)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    t->port[m->in].hidden = t->port[m->out].hidden = 1;
    for (uint32_t i = 0; i < v->n && rc == TT_OK; i++)
        if (v->u.child[i].kind != TT_DOC_NULL)
            rc = take(m, m->n++, &v->u.child[i], type, err);
    return rc == TT_OK ? tt_discrete_finish(t, 0, err) : rc;
}

static enum tt_code parse(struct tt_discrete_type *t, const char *text,
                          tt_err *err)
{
    struct map *m = tt_arena_alloc(t->b.arena, 1, sizeof(*m));
    tt_arena *nodes = tt_arena_new();
    const struct tt_text_file f = {SOURCE, text, strlen(text)};
    struct tt_doc v;
    enum tt_code rc = m && nodes ? tt_discrete_describe(t, "map", 0, err)
                                 : tt_fail(err, TT_ENOMEM, "out of memory");

    t->model = &model;
    t->own = m;
    if (rc == TT_OK)
        rc = tt_doc_parse(&v, &f, 0, nodes, t->b.arena, err);
    if (rc == TT_OK)
        rc = read(t, m, &v, err);
    tt_arena_free(nodes);
    return rc;
}

/* --- kind ----------------------------------------------------------------- */

static int accepts(const struct tt_source *s)
{
    return !strncmp(s->path, SOURCE, strlen(SOURCE));
}

static enum tt_code open(struct tt_builtin_type *t, const struct tt_source *s,
                         tt_err *err)
{
    enum tt_code rc = parse((struct tt_discrete_type *)(void *)t,
                            s->path + strlen(SOURCE), err);

    return rc == TT_OK ? rc : tt_context(err, rc, "%.200s", s->path);
}

const struct tt_builtin tt_builtin_map = {TT_DISCRETE, .accepts = accepts,
                                          .read = open};
