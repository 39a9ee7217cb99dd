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
    return events && events->kind == TT_DOC_OBJECT
               ? tt_sc_member(events, "locate")
               : NULL;
}

/* --- expressions ---------------------------------------------------------- */

/* Which variables there are, and of what type, is the plan's matter. `held` is
 * what the crossing put out last, if it puts out values. */
static int find(void *ctx, const char *name, struct tt_expr_variable *v)
{
    struct tt_sc_parts p;

    (void)v;
    return ctx && !strcmp(name, "held") ? 0 : tt_sc_split(name, &p);
}

static enum tt_code compile(struct tt_sc_build *b, const struct tt_sc_locate *l,
                            uint32_t i, tt_expr *e)
{
    const struct tt_expr_scope scope = {
        .offers = TT_EXPR_WITH_T | TT_EXPR_WITH_PRE | TT_EXPR_WITH_PRESENT |
                  TT_EXPR_WITH_DER | TT_EXPR_INFER,
        .ctx = l->n_expr > 1 ? b : NULL,
        .find = find};

    return tt_sc_compile(b, &l->expr[i], &scope, e);
}

static enum tt_code compile_all(struct tt_sc_build *b,
                                const struct tt_sc_locate *l, tt_expr **out)
{
    tt_expr *e = tt_arena_alloc(b->nodes, l->n_expr, sizeof(*e));
    enum tt_code rc = e ? TT_OK : tt_sc_no_memory(b);

    for (uint32_t i = 0; i < l->n_expr && rc == TT_OK; i++)
        rc = compile(b, l, i, &e[i]);
    *out = e;
    return rc;
}

static enum tt_code check(struct tt_sc_build *b, struct tt_sc_locate *l)
{
    tt_expr *e;
    enum tt_code rc = compile_all(b, l, &e);

    if (rc != TT_OK)
        return rc;
    if (e->kind != TT_EXPR_NUMBER && e->kind != TT_EXPR_BOOL)
        return tt_sc_fail(b, l->expr->where, TT_EINPUT,
                          "'when' is a number or a condition, not %s",
                          tt_expr_kind_name(e->kind));
    l->leaps = e->kind == TT_EXPR_BOOL;
    return e->n_ref ? TT_OK
                    : tt_sc_fail(b, l->expr->where, TT_EINPUT,
                                 "'when' names no variable");
}

/* A value as written is an expression, too. */
static enum tt_code take_value(struct tt_sc_build *b, const struct tt_doc *v,
                               struct tt_sc_expr *to)
{
    char number[TT_NUM_MAX];
    double n;
    enum tt_code rc = TT_OK;

    *to = (struct tt_sc_expr){
        .where = v->where, .of = v->key, .made = v->kind != TT_DOC_TEXT};
    if (v->kind == TT_DOC_TEXT) {
        to->text = tt_sc_keep(b, v->u.text);
    } else if (v->kind == TT_DOC_BOOL) {
        to->text = v->u.integer ? "true" : "false";
    } else {
        rc = tt_sc_number(b, v, NULL, &n);
        if (rc != TT_OK)
            return tt_sc_wrong(b, v, NULL, "an expression");
        tt_num_print(number, n);
        to->text = tt_sc_keep(b, number);
    }
    return to->text ? TT_OK : tt_sc_no_memory(b);
}

/* What it is made of: when; then, for each that is to have a value, that. */
static enum tt_code take_expressions(struct tt_sc_build *b,
                                     const struct tt_doc *v,
                                     struct tt_sc_locate *l)
{
    const struct tt_doc *when = tt_doc_find(v, "when");
    const struct tt_doc *emit = tt_doc_find(v, "emit");
    uint32_t n = emit && emit->kind == TT_DOC_OBJECT ? emit->n : 0;
    struct tt_sc_expr *x;
    const char *text;
    enum tt_code rc =
        when ? tt_sc_text(b, when, NULL, &text)
             : tt_sc_fail(b, v->where, TT_EINPUT, "a crossing lacks 'when'");

    if (rc != TT_OK)
        return rc;
    if (!TT_NEW_IN(b->s->arena, x, (size_t)n + 1))
        return tt_sc_no_memory(b);
    rc = take_value(b, when, &x[0]);
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        rc = take_value(b, &emit->u.child[i], &x[i + 1]);
    l->expr = x;
    l->n_expr = n + 1;
    return rc == TT_OK ? check(b, l) : rc;
}

/* --- one of them ---------------------------------------------------------- */

enum tt_code tt_sc_read_name(struct tt_sc_build *b, const struct tt_doc *v,
                             const char *what, const char *front, uint32_t i,
                             struct tt_sc_word *key)
{
    const struct tt_doc *d =
        v->kind == TT_DOC_OBJECT ? tt_doc_find(v, "name") : NULL;
    const char *name = NULL;
    char number[32];
    enum tt_code rc = d ? tt_sc_text(b, d, NULL, &name) : TT_OK;

    if (rc != TT_OK)
        return rc;
    tt_num_print_short(number, i + 1);
    key->where = d ? d->where : v->where;
    key->text = name ? tt_sc_join(b, "{", name, "}")
                     : tt_sc_join(b, front, number, "}");
    if (!key->text)
        return tt_sc_no_memory(b);
    if (tt_names_find(&b->fmu_by_key, key->text) != TT_NONE)
        return tt_sc_fail(b, key->where, TT_EINPUT,
                          "%s is called as the FMU '%s': give it "
                          "another 'name'",
                          what, key->text);
    return TT_OK;
}

enum tt_code tt_sc_read_tolerance(struct tt_sc_build *b, const struct tt_doc *v,
                                  double *out)
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

enum tt_code tt_sc_add_crossing(struct tt_sc_build *b, struct tt_sc_word key,
                                const char *instance, struct tt_sc_locate *l)
{
    static const char *const way[2][2] = {{"tutti:locate", "tutti:locate down"},
                                          {"tutti:locate up", "tutti:locate"}};
    const char *source =
        tt_sc_join(b, way[!!l->up][!!l->down], l->leaps ? " leaps" : "", ": ");

    for (uint32_t i = 0; i < l->n_expr && source; i++)
        source = tt_sc_join(b, source, i ? " " TT_EXPR_NEXT " " : "",
                            l->expr[i].text);
    return source ? tt_sc_add_builtin(b, key,
                                      (struct tt_sc_word){source, key.where},
                                      instance, &l->unit)
                  : tt_sc_no_memory(b);
}

static enum tt_code add_one(struct tt_sc_build *b, const struct tt_doc *v,
                            uint32_t i, struct tt_sc_locate *to)
{
    static const char *const word[] = {"both", "up", "down"};
    static const struct tt_sc_choice directions = {"'direction'", word, 3};
    struct tt_sc_word key;
    uint32_t direction = 0;
    enum tt_code rc = v->kind == TT_DOC_OBJECT
                          ? tt_sc_check_members(b, v, "locate")
                          : tt_sc_wrong(b, v, "locate", "an object");

    *to = (struct tt_sc_locate){.tolerance = TT_SC_LOCATE_TOLERANCE,
                                .where = v->where};
    if (rc == TT_OK)
        rc = take_expressions(b, v, to);
    if (rc == TT_OK)
        rc = tt_sc_member_word(b, v, "direction", &directions, &direction);
    to->up = direction != 2;
    to->down = direction != 1;
    if (rc == TT_OK)
        rc = tt_sc_read_tolerance(b, v, &to->tolerance);
    if (rc == TT_OK)
        rc = tt_sc_read_name(b, v, "a crossing", "{crossing", i, &key);
    return rc == TT_OK ? tt_sc_add_crossing(b, key, INSTANCE, to) : rc;
}

enum tt_code tt_sc_may_locate(struct tt_sc_build *b, const struct tt_doc *v)
{
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
    uint32_t n = v ? v->n : 0, more = tt_sc_count_quantizers(events);
    struct tt_sc_locate *l =
        tt_arena_alloc(b->s->arena, (size_t)n + more, sizeof(*l));
    enum tt_code rc = l ? TT_OK : tt_sc_no_memory(b);

    if (rc == TT_OK && v && v->kind != TT_DOC_ARRAY)
        rc = tt_sc_wrong(b, v, NULL, "an array of crossings");
    if (rc == TT_OK && v)
        rc = tt_sc_may_locate(b, v);
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        rc = add_one(b, &v->u.child[i], i, &l[i]);
    b->s->locate = l;
    b->s->n_locate = n;
    return rc == TT_OK ? tt_sc_add_wrappers(b, events, l) : rc;
}

/* --- connections ---------------------------------------------------------- */

/* Where it is named first. */
static struct tt_where place_of(struct tt_sc_build *b,
                                const struct tt_sc_locate *l, const char *name)
{
    for (uint32_t i = 0; i < l->n_expr; i++) {
        const char *at = strstr(l->expr[i].text, name);

        if (at)
            return tt_scenario_byte(b->s, &l->expr[i],
                                    (size_t)(at - l->expr[i].text));
    }
    return l->where;
}

/* "{key}.instance.variable", or "...der(variable)", "...present(variable)". */
static const char *source_of(struct tt_sc_build *b,
                             const struct tt_expr_ref *ref)
{
    struct tt_sc_parts p;
    const char *front;

    if (ref->form == TT_EXPR_VALUE || tt_sc_split(ref->name, &p) != 0)
        return tt_sc_keep(b, ref->name);
    front = tt_sc_keep(
        b, tt_sc_word(b, ref->name, (size_t)(p.variable - ref->name)));
    return front ? tt_sc_join(b, front,
                              ref->form == TT_EXPR_DER ? "der(" : "present(",
                              tt_sc_join(b, p.variable, ")", ""))
                 : NULL;
}

static enum tt_code connect_variables(struct tt_sc_build *b,
                                      const struct tt_sc_locate *l,
                                      const char *name)
{
    struct tt_expr_united u;
    tt_expr *e;
    uint32_t x = 0;
    enum tt_code rc = compile_all(b, l, &e);

    if (rc == TT_OK)
        rc = tt_expr_unite(&u, e, l->n_expr, b->nodes, b->err);
    for (uint32_t i = 0; rc == TT_OK && i < u.n; i++) {
        struct tt_sc_word from, to;
        char number[TT_NUM_MAX];

        if (l->n_expr > 1 && tt_expr_is_held(&u.variable[i]))
            continue;
        from.text = source_of(b, &u.variable[i]);
        from.where = to.where = place_of(b, l, u.variable[i].name);
        tt_num_print_short(number, ++x);
        to.text = tt_sc_join(b, name, ".x", number);
        if (!from.text || !to.text)
            return tt_sc_no_memory(b);
        rc = tt_sc_connect(b, from, &to, 1);
    }
    return rc;
}

static enum tt_code connect_values(struct tt_sc_build *b,
                                   const struct tt_sc_locate *l,
                                   const char *name)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 1; i < l->n_expr && rc == TT_OK; i++) {
        const struct tt_sc_word to = {l->expr[i].of, l->expr[i].where};
        struct tt_sc_word from = {.where = to.where};
        char number[TT_NUM_MAX];

        tt_num_print_short(number, i);
        from.text = tt_sc_join(b, name, ".y", number);
        if (!from.text)
            return tt_sc_no_memory(b);
        rc = tt_sc_connect(b, from, &to, 1);
    }
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

enum tt_code tt_sc_connect_crossing(struct tt_sc_build *b,
                                    const struct tt_sc_locate *l)
{
    return connect_variables(b, l, b->unit[l->unit].unit.name);
}

static enum tt_code connect_one(struct tt_sc_build *b, const struct tt_doc *v,
                                const struct tt_sc_locate *l)
{
    const struct tt_doc *emit = tt_doc_find(v, "emit");
    const struct tt_doc *rest = tt_doc_find(v, "rest");
    const char *name = b->unit[l->unit].unit.name;
    enum tt_code rc = connect_variables(b, l, name);

    if (rc == TT_OK && emit && emit->kind == TT_DOC_OBJECT)
        rc = connect_values(b, l, name);
    else if (rc == TT_OK && emit)
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

    for (uint32_t i = 0; v && i < v->n && rc == TT_OK; i++)
        rc = connect_one(b, &v->u.child[i], &b->s->locate[i]);
    return rc == TT_OK ? tt_sc_connect_wrappers(b, events) : rc;
}

enum tt_code tt_sc_locate_more(struct tt_sc_build *b, struct tt_sc_word key,
                               const struct tt_doc *when, int ends)
{
    uint32_t n = b->s->n_locate;
    struct tt_sc_locate *l =
        tt_arena_alloc(b->s->arena, (size_t)n + 1, sizeof(*l));
    struct tt_sc_expr *x = tt_arena_alloc(b->s->arena, 1, sizeof(*x));
    enum tt_code rc = l && x ? take_value(b, when, x) : tt_sc_no_memory(b);

    if (rc != TT_OK)
        return rc;
    if (n)
        memcpy(l, b->s->locate, n * sizeof(*l));
    l[n] = (struct tt_sc_locate){.up = 1,
                                 .down = ends,
                                 .of_script = 1,
                                 .tolerance = TT_SC_LOCATE_TOLERANCE,
                                 .where = when->where,
                                 .expr = x,
                                 .n_expr = 1};
    rc = check(b, &l[n]);
    l[n].leaps = 0; /* the script looks at every instant itself */
    if (rc == TT_OK)
        rc = tt_sc_add_crossing(b, key, INSTANCE, &l[n]);
    if (rc == TT_OK)
        rc = tt_sc_connect_crossing(b, &l[n]);
    b->s->locate = l;
    b->s->n_locate = n + 1;
    return rc;
}
