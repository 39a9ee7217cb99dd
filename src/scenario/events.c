/* SPDX-License-Identifier: MIT */
/* What happens when several events are due at once: "events". */
#include "scenario/build_impl.h"

#include <string.h>

static enum tt_code read_select(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct tt_sc_events *e = &b->s->events;
    uint32_t *unit;
    struct tt_where *where;
    enum tt_code rc;

    if (!v)
        return TT_OK;
    rc = tt_sc_room_for_units(b, v, &unit, &where);
    for (uint32_t i = 0; i < v->n && rc == TT_OK; i++) {
        where[i] = v->u.child[i].where;
        rc = tt_sc_get_unit(b, v->u.child[i].u.text, where[i], &unit[i]);
        for (uint32_t k = 0; rc == TT_OK && k < i; k++)
            if (unit[k] == unit[i])
                rc = tt_sc_fail(b, where[i], TT_EINPUT,
                                "'select' names '%s' twice",
                                b->unit[unit[i]].unit.name);
    }
    e->select = unit;
    e->select_where = where;
    e->n_select = v->n;
    return rc;
}

/* --- maps ----------------------------------------------------------------- */

/* "a->b", as the two words. */
static enum tt_code split(struct tt_sc_build *b, const struct tt_doc *v,
                          const char **from, const char **to)
{
    const char *arrow = strstr(v->key, "->");

    if (!arrow)
        return tt_sc_fail(b, v->key_where, TT_EINPUT,
                          "'%s' is no connection: write "
                          "'{a}.a.y->{b}.b.u'",
                          v->key);
    *from = tt_arena_strndup(b->s->arena, v->key, (size_t)(arrow - v->key));
    *to = tt_sc_keep(b, arrow + 2);
    return *from && *to ? TT_OK : tt_sc_no_memory(b);
}

/* Of the connections to the input of this one: that from `from`. */
static uint32_t from_here(const struct tt_sc_build *b, uint32_t first,
                          const struct tt_sc_ref *from)
{
    const struct tt_sc_ref *to = &b->connection[first].to;

    for (uint32_t c = first; c < b->s->n_connection; c++)
        if (tt_sc_ref_same(&b->connection[c].to, to) &&
            tt_sc_ref_same(&b->connection[c].from, from))
            return c;
    return TT_NONE;
}

static enum tt_code find_connection(struct tt_sc_build *b,
                                    const struct tt_doc *v, uint32_t *out)
{
    const char *from = NULL, *to = NULL;
    struct tt_sc_ref ref;
    enum tt_code rc = split(b, v, &from, &to);

    if (rc == TT_OK)
        rc = tt_sc_get_ref(b, from, v->key_where, &ref);
    if (rc != TT_OK)
        return rc;
    *out = tt_names_find(&b->input, to);
    if (*out != TT_NONE)
        *out = from_here(b, *out, &ref);
    if (*out == TT_NONE)
        return tt_sc_fail(b, v->key_where, TT_EINPUT,
                          "there is no connection from '%s' to '%s'", from, to);
    return TT_OK;
}

/* A unit of its own, in the middle of the connection. */
static enum tt_code add_map(struct tt_sc_build *b, const struct tt_doc *v,
                            uint32_t number, struct tt_sc_ref *ref)
{
    struct tt_buf text;
    struct tt_sc_parts p;
    const char *key, *source, *name;
    enum tt_code rc;

    tt_buf_init(&text, TT_DOC_MAX);
    tt_buf_fmt(&text, "{map %u}.map", number + 1);
    name = text.failed ? NULL : tt_sc_keep(b, text.data);
    tt_buf_clear(&text);
    tt_buf_fmt(&text, "{map %u}", number + 1);
    key = text.failed ? NULL : tt_sc_keep(b, text.data);
    tt_buf_clear(&text);
    tt_buf_str(&text, "tutti:map: ");
    tt_doc_print(&text, v);
    source = text.failed ? NULL : tt_sc_keep(b, text.data);
    tt_buf_fini(&text);
    if (!key || !source || !name)
        return tt_sc_no_memory(b);
    rc = tt_sc_add_fmu(b, (struct tt_sc_word){key, v->key_where},
                       (struct tt_sc_word){source, v->where});
    if (rc == TT_OK)
        rc = tt_sc_split_unit(b, name, v->key_where, &p);
    if (rc == TT_OK)
        rc =
            tt_sc_mention(b, &p, v->key_where, TT_SC_BY_CONNECTION, &ref->unit);
    ref->where = v->key_where;
    return rc;
}

static enum tt_code map_one(struct tt_sc_build *b, const struct tt_doc *v,
                            uint32_t number)
{
    uint32_t c = TT_NONE, n = b->s->n_connection;
    struct tt_sc_ref map;
    enum tt_code rc = v->kind == TT_DOC_OBJECT ? find_connection(b, v, &c)
                                               : tt_sc_object(b, v);

    if (rc == TT_OK)
        rc = add_map(b, v, number, &map);
    if (rc != TT_OK)
        return rc;
    if (TT_GROW(b->connection, n, b->cap_connection) != 0)
        return tt_sc_no_memory(b);
    b->connection[n] = b->connection[c];
    b->connection[n].to = map;
    b->connection[n].to.variable = "in";
    b->connection[c].from = map;
    b->connection[c].from.variable = "out";
    b->s->n_connection = n + 1;
    return TT_OK;
}

static enum tt_code read_maps(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc = v ? tt_sc_object(b, v) : TT_OK;

    for (uint32_t i = 0; v && i < v->n && rc == TT_OK; i++)
        rc = map_one(b, &v->u.child[i], i);
    return rc;
}

static enum tt_code read_limit(struct tt_sc_build *b, const struct tt_doc *v)
{
    int64_t n = 0;
    enum tt_code rc = v ? tt_sc_integer(b, v, &n) : TT_OK;

    if (!v || rc != TT_OK)
        return rc;
    if (n < 1 || n > UINT32_MAX / 2)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'limit' must be from 1 to %u, not %lld",
                          UINT32_MAX / 2, (long long)n);
    b->s->events.limit = (uint32_t)n;
    return TT_OK;
}

/* Asked for by a name that other tools have: more than an unknown field. */
static enum tt_code refuse_optimistic(struct tt_sc_build *b,
                                      const struct tt_doc *v)
{
    return v ? tt_sc_fail(b, v->key_where, TT_EUNSUPPORTED,
                          "'optimistic' is refused: " TT_NOT_OPTIMISTIC)
             : TT_OK;
}

enum tt_code tt_sc_read_events(struct tt_sc_build *b, const struct tt_doc *v)
{
    static const char *const tie[] = {"sequential", "parallel"};
    static const char *const check[] = {"off", "warn", "error"};
    static const char *const zeno[] = {"continue", "stop", "regularise"};
    static const struct tt_sc_choice zenos = {"'zeno'", zeno, 3};
    static const struct tt_sc_choice ties = {"'ties'", tie, 2};
    static const struct tt_sc_choice checks = {"'confluence'", check, 3};
    struct tt_sc_events *e = &b->s->events;
    uint32_t parallel = 0, confluence = TT_CONFLUENCE_OFF,
             is = TT_ZENO_CONTINUE;
    enum tt_code rc = refuse_optimistic(b, tt_doc_find(v, "optimistic"));

    if (rc == TT_OK)
        rc = tt_sc_check_members(b, v, "events");
    if (rc == TT_OK)
        rc = read_select(b, tt_doc_find(v, "select"));
    if (rc == TT_OK)
        rc = tt_sc_member_word(b, v, "ties", &ties, &parallel);
    if (rc == TT_OK)
        rc = tt_sc_member_word(b, v, "confluence", &checks, &confluence);
    if (rc == TT_OK)
        rc = tt_sc_member_word(b, v, "zeno", &zenos, &is);
    if (rc == TT_OK)
        rc = read_limit(b, tt_doc_find(v, "limit"));
    if (rc == TT_OK)
        rc = tt_sc_connect_locators(b, v);
    if (rc == TT_OK)
        rc = read_maps(b, tt_doc_find(v, "map"));
    b->s->zeno = (enum tt_sc_zeno)is;
    e->parallel = (int)parallel;
    e->confluence = (enum tt_sc_confluence)confluence;
    return rc;
}
