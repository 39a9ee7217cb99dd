/* SPDX-License-Identifier: MIT */
/* Crossings that are located: "locate" of "events". Each is an instance of kind
 * locate, with the outputs that its expression names connected to it. */
#include "scenario/build_impl.h"

#include <string.h>

#include "base/num.h"
#include "expr/expr.h"

#define INSTANCE "locate"

static const struct tt_doc *list_of(const struct tt_doc *events)
{
    const struct tt_doc *v = events && events->kind == TT_DOC_OBJECT
                                 ? tt_doc_find(events, "locate")
                                 : NULL;

    return v && !tt_sc_is_null(v) ? v : NULL;
}

/* It names something that changes. */
static enum tt_code compile(struct tt_sc_build *b, const struct tt_doc *v,
                            tt_expr *e)
{
    enum tt_code rc = tt_sc_expression(b, v, e);

    if (rc == TT_OK && !e->n_ref)
        rc = tt_sc_fail(b, v->where, TT_EINPUT, "'%s' names no variable",
                        v->key);
    return rc;
}

/* --- one of them ---------------------------------------------------------- */

static enum tt_code read_name(struct tt_sc_build *b, const struct tt_doc *v,
                              uint32_t i, struct tt_sc_word *key)
{
    const struct tt_doc *d = tt_doc_find(v, "name");
    const char *name = NULL;
    char number[32];
    enum tt_code rc = d ? tt_sc_text(b, d, NULL, &name) : TT_OK;

    if (rc != TT_OK)
        return rc;
    tt_num_print_short(number, i + 1);
    key->where = d ? d->where : v->where;
    key->text = name ? tt_sc_join(b, "{", name, "}")
                     : tt_sc_join(b, "{crossing", number, "}");
    if (!key->text)
        return tt_sc_no_memory(b);
    if (tt_names_find(&b->fmu_by_key, key->text) != TT_NONE)
        return tt_sc_fail(b, key->where, TT_EINPUT,
                          "a crossing is called as the FMU '%s': give it "
                          "another 'name'",
                          key->text);
    return TT_OK;
}

static enum tt_code read_tolerance(struct tt_sc_build *b,
                                   const struct tt_doc *v, double *out)
{
    const struct tt_doc *d = tt_doc_find(v, "tolerance");
    char text[TT_NUM_MAX];
    enum tt_code rc = d ? tt_sc_number(b, d, NULL, out) : TT_OK;

    if (rc != TT_OK || *out > 0)
        return rc;
    tt_num_print_short(text, *out);
    return tt_sc_fail(b, d->where, TT_EINPUT,
                      "'tolerance' must be greater than 0, not %s", text);
}

static enum tt_code add_unit(struct tt_sc_build *b, struct tt_sc_word key,
                             const struct tt_doc *when, uint32_t *unit)
{
    const char *source = tt_sc_join(b, "tutti:locate: ", when->u.text, "");

    return source ? tt_sc_add_builtin(b, key,
                                      (struct tt_sc_word){source, when->where},
                                      INSTANCE, unit)
                  : tt_sc_no_memory(b);
}

static enum tt_code add_one(struct tt_sc_build *b, const struct tt_doc *v,
                            uint32_t i, struct tt_sc_locate *to)
{
    static const char *const word[] = {"both", "up", "down"};
    static const struct tt_sc_choice directions = {"'direction'", word, 3};
    const struct tt_doc *when = NULL;
    const char *text;
    struct tt_sc_word key;
    uint32_t direction = 0;
    tt_expr e;
    enum tt_code rc = v->kind == TT_DOC_OBJECT
                          ? tt_sc_check_members(b, v, "locate")
                          : tt_sc_wrong(b, v, "locate", "an object");

    if (rc == TT_OK && !(when = tt_doc_find(v, "when")))
        rc = tt_sc_fail(b, v->where, TT_EINPUT, "a crossing lacks 'when'");
    if (rc == TT_OK)
        rc = tt_sc_text(b, when, NULL, &text);
    if (rc == TT_OK)
        rc = compile(b, when, &e);
    if (rc == TT_OK)
        rc = tt_sc_member_word(b, v, "direction", &directions, &direction);
    *to = (struct tt_sc_locate){.up = direction != 2,
                                .down = direction != 1,
                                .tolerance = TT_SC_LOCATE_TOLERANCE,
                                .where = v->where};
    if (rc == TT_OK)
        rc = read_tolerance(b, v, &to->tolerance);
    if (rc == TT_OK)
        rc = read_name(b, v, i, &key);
    if (rc == TT_OK)
        rc = add_unit(b, key, when, &to->unit);
    return rc;
}

static enum tt_code check_use(struct tt_sc_build *b, const struct tt_doc *v)
{
    if (v->kind != TT_DOC_ARRAY)
        return tt_sc_wrong(b, v, NULL, "an array of crossings");
    if (b->s->dialect)
        return tt_sc_fail(b, v->where, TT_EUNSUPPORTED,
                          "crossings cannot be located where steps are "
                          "Maestro's ('dialect')");
    return TT_OK;
}

enum tt_code tt_sc_add_locators(struct tt_sc_build *b,
                                const struct tt_doc *events)
{
    const struct tt_doc *v = list_of(events);
    struct tt_sc_locate *l;
    enum tt_code rc = v ? check_use(b, v) : TT_OK;

    if (!v || rc != TT_OK)
        return rc;
    l = tt_arena_alloc(b->s->arena, v->n, sizeof(*l));
    if (!l)
        return tt_sc_no_memory(b);
    for (uint32_t i = 0; i < v->n && rc == TT_OK; i++)
        rc = add_one(b, &v->u.child[i], i, &l[i]);
    b->s->locate = l;
    b->s->n_locate = v->n;
    return rc;
}

/* --- connections ---------------------------------------------------------- */

static enum tt_code connect_variables(struct tt_sc_build *b,
                                      const struct tt_doc *when,
                                      const char *name)
{
    tt_expr e;
    enum tt_code rc = compile(b, when, &e);

    for (uint32_t i = 0; rc == TT_OK && i < e.n_ref; i++)
        rc = tt_sc_connect_variable(b, when, e.ref[i].name, name, i + 1);
    return rc;
}

/* A clock of the crossing to those that a member names, if it does. */
static enum tt_code connect_clock(struct tt_sc_build *b, const struct tt_doc *v,
                                  const char *name, const char *clock)
{
    struct tt_sc_word from = {tt_sc_join(b, name, clock, ""), v->where}, *to;
    uint32_t n;
    enum tt_code rc;

    if (!from.text)
        return tt_sc_no_memory(b);
    if (tt_sc_is_null(v))
        return TT_OK;
    rc = tt_sc_words(b, v, 1, &to, &n);
    return rc == TT_OK ? tt_sc_connect(b, from, to, n) : rc;
}

static enum tt_code connect_one(struct tt_sc_build *b, const struct tt_doc *v,
                                const char *name)
{
    const struct tt_doc *emit = tt_doc_find(v, "emit");
    const struct tt_doc *rest = tt_doc_find(v, "rest");
    enum tt_code rc = connect_variables(b, tt_doc_find(v, "when"), name);

    if (rc == TT_OK && emit)
        rc = connect_clock(b, emit, name, ".crossed");
    if (rc == TT_OK && rest)
        rc = connect_clock(b, rest, name, ".rests");
    return rc;
}

enum tt_code tt_sc_connect_locators(struct tt_sc_build *b,
                                    const struct tt_doc *events)
{
    const struct tt_doc *v = list_of(events);
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < b->s->n_locate && rc == TT_OK; i++)
        rc = connect_one(b, &v->u.child[i],
                         b->unit[b->s->locate[i].unit].unit.name);
    return rc;
}

enum tt_code tt_sc_locate_more(struct tt_sc_build *b, struct tt_sc_word key,
                               const struct tt_doc *when, int ends)
{
    uint32_t n = b->s->n_locate;
    struct tt_sc_locate *l =
        tt_arena_alloc(b->s->arena, (size_t)n + 1, sizeof(*l));
    enum tt_code rc;

    if (!l)
        return tt_sc_no_memory(b);
    if (n)
        memcpy(l, b->s->locate, n * sizeof(*l));
    l[n] = (struct tt_sc_locate){.up = 1,
                                 .down = ends,
                                 .of_script = 1,
                                 .tolerance = TT_SC_LOCATE_TOLERANCE,
                                 .where = when->where};
    rc = add_unit(b, key, when, &l[n].unit);
    if (rc == TT_OK)
        rc = connect_variables(b, when, b->unit[l[n].unit].unit.name);
    b->s->locate = l;
    b->s->n_locate = n + 1;
    return rc;
}
