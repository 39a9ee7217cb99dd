/* SPDX-License-Identifier: MIT */
/* "expect": what a run is to show, and "hints": what is known of the system,
 * which is the same to a run, and guides a search for settings. Each entry is
 * of one family: a range of an expression, a condition that always, never or
 * eventually holds, where an expression ends, or settles. */
#include "scenario/build_impl.h"

#include <math.h>

#include "base/num.h"

/* In the order of enum tt_sc_expect_kind. */
static const char *const family[] = {"range",      "always", "never",
                                     "eventually", "final",  "settles"};
#define FAMILIES (sizeof(family) / sizeof(*family))

#define RANGE      (1u << TT_EXPECT_RANGE)
#define EVENTUALLY (1u << TT_EXPECT_EVENTUALLY)
#define FINAL      (1u << TT_EXPECT_FINAL)
#define SETTLES    (1u << TT_EXPECT_SETTLES)

/* Members that not every family has. */
static const struct {
    const char *name;
    unsigned of;
} special[] = {
    {"min", RANGE},
    {"max", RANGE},
    {"to", FINAL | SETTLES},
    {"tolerance", FINAL | SETTLES},
    {"within", EVENTUALLY | SETTLES},
    {"after", ~FINAL},
};

const char *tt_sc_expect_word(enum tt_sc_expect_kind k)
{
    return family[k];
}

int tt_sc_expect_is_number(enum tt_sc_expect_kind k)
{
    return k == TT_EXPECT_RANGE || k == TT_EXPECT_FINAL ||
           k == TT_EXPECT_SETTLES;
}

static const struct tt_doc *member(const struct tt_doc *v, const char *name)
{
    const struct tt_doc *d = tt_doc_find(v, name);

    return d && !tt_sc_is_null(d) ? d : NULL;
}

static enum tt_code find_family(struct tt_sc_build *b, const struct tt_doc *v,
                                struct tt_sc_expect *to)
{
    const struct tt_doc *found = NULL;

    for (size_t i = 0; i < FAMILIES; i++) {
        const struct tt_doc *d = member(v, family[i]);

        if (d && found)
            return tt_sc_fail(b, d->key_where, TT_EINPUT,
                              "an expectation has one of '%s' and '%s', not "
                              "both",
                              found->key, d->key);
        if (!d)
            continue;
        found = d;
        to->kind = (enum tt_sc_expect_kind)i;
    }
    if (!found)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "an expectation lacks 'range', 'always', 'never', "
                          "'eventually', 'final' or 'settles'");
    for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++) {
        const struct tt_doc *d = member(v, special[i].name);

        if (d && !(special[i].of & 1u << to->kind))
            return tt_sc_fail(b, d->key_where, TT_EINPUT,
                              "'%s' does not go with '%s'", d->key, found->key);
    }
    return TT_OK;
}

/* --- expressions ---------------------------------------------------------- */

/* Which variables there are, and of what type, is the plan's matter. */
static int find(void *ctx, const char *name, struct tt_expr_variable *v)
{
    struct tt_sc_parts p;

    (void)ctx;
    (void)v;
    return tt_sc_split(name, &p);
}

static enum tt_code take_expression(struct tt_sc_build *b,
                                    const struct tt_doc *v,
                                    struct tt_sc_expr *to, tt_expr *e)
{
    static const struct tt_expr_scope scope = {
        .offers = TT_EXPR_WITH_T | TT_EXPR_INFER, .find = find};
    const char *text = NULL;
    enum tt_code rc = tt_sc_text(b, v, NULL, &text);

    if (rc != TT_OK)
        return rc;
    *to = (struct tt_sc_expr){tt_sc_keep(b, text), tt_sc_keep(b, v->key),
                              v->where, 0};
    if (!to->text || !to->of)
        return tt_sc_no_memory(b);
    return tt_sc_compile(b, to, &scope, e);
}

static enum tt_code take_refs(struct tt_sc_build *b, const struct tt_sc_expr *x,
                              const tt_expr *e, struct tt_sc_expect *to)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < e->n_ref && rc == TT_OK; i++) {
        struct tt_sc_variable *v = &to->variable[to->n_variable++];
        const char *at = strstr(x->text, e->ref[i].name);
        struct tt_where w =
            at ? tt_scenario_byte(b->s, x, (size_t)(at - x->text)) : x->where;

        v->name = tt_sc_keep(b, e->ref[i].name);
        rc = v->name ? tt_sc_get_ref(b, v->name, w, &v->ref)
                     : tt_sc_no_memory(b);
    }
    return rc;
}

static enum tt_code take_expressions(struct tt_sc_build *b,
                                     const struct tt_doc *v,
                                     struct tt_sc_expect *to)
{
    const struct tt_doc *what = member(v, family[to->kind]);
    const struct tt_doc *after = member(v, "after");
    tt_expr e[2] = {{.n_ref = 0}, {.n_ref = 0}};
    enum tt_code rc = take_expression(b, what, &to->what, &e[0]);

    if (rc == TT_OK && after)
        rc = take_expression(b, after, &to->after, &e[1]);
    if (rc != TT_OK)
        return rc;
    if (!e[0].n_ref)
        return tt_sc_fail(b, what->where, TT_EINPUT, "'%s' names no variable",
                          what->key);
    to->variable = tt_arena_alloc(b->s->arena, (size_t)e[0].n_ref + e[1].n_ref,
                                  sizeof(*to->variable));
    if (!to->variable)
        return tt_sc_no_memory(b);
    rc = take_refs(b, &to->what, &e[0], to);
    return rc == TT_OK ? take_refs(b, &to->after, &e[1], to) : rc;
}

/* --- numbers ---------------------------------------------------------------
 */

static enum tt_code take_number(struct tt_sc_build *b, const struct tt_doc *v,
                                const char *name, double *to)
{
    const struct tt_doc *d = member(v, name);

    return d ? tt_sc_number(b, d, NULL, to) : TT_OK;
}

static enum tt_code take_range(struct tt_sc_build *b, const struct tt_doc *v,
                               struct tt_sc_expect *to)
{
    char low[TT_NUM_MAX], high[TT_NUM_MAX];
    enum tt_code rc = take_number(b, v, "min", &to->low);

    if (rc == TT_OK)
        rc = take_number(b, v, "max", &to->high);
    if (rc != TT_OK)
        return rc;
    if (!member(v, "min") && !member(v, "max"))
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "a range lacks 'min' or 'max'");
    if (to->low <= to->high)
        return TT_OK;
    tt_num_print_short(low, to->low);
    tt_num_print_short(high, to->high);
    return tt_sc_fail(b, member(v, "max")->where, TT_EINPUT,
                      "'max' is %s, less than 'min', which is %s", high, low);
}

static enum tt_code take_target(struct tt_sc_build *b, const struct tt_doc *v,
                                struct tt_sc_expect *to)
{
    double target = 0, tolerance = 0;
    const char *lacks = !member(v, "to")          ? "to"
                        : !member(v, "tolerance") ? "tolerance"
                                                  : NULL;
    enum tt_code rc;

    if (lacks)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "an expectation with '%s' lacks '%s'",
                          family[to->kind], lacks);
    rc = take_number(b, v, "to", &target);
    if (rc == TT_OK)
        rc = tt_sc_read_tolerance(b, v, &tolerance);
    to->low = target - tolerance;
    to->high = target + tolerance;
    return rc;
}

static enum tt_code take_numbers(struct tt_sc_build *b, const struct tt_doc *v,
                                 struct tt_sc_expect *to)
{
    enum tt_code rc = TT_OK;

    if (to->kind == TT_EXPECT_RANGE)
        rc = take_range(b, v, to);
    else if (tt_sc_expect_is_number(to->kind))
        rc = take_target(b, v, to);
    return rc == TT_OK ? tt_sc_member_number(b, v, "within", &to->within, 1)
                       : rc;
}

/* --- one of them -----------------------------------------------------------
 */

static enum tt_code take_name(struct tt_sc_build *b, const struct tt_doc *v,
                              uint32_t i, struct tt_sc_expect *list)
{
    const struct tt_doc *d = member(v, "name");
    const char *name = list[i].what.text;
    enum tt_code rc = d ? tt_sc_text(b, d, NULL, &name) : TT_OK;

    if (rc != TT_OK)
        return rc;
    for (uint32_t k = 0; d && k < i; k++)
        if (strcmp(list[k].name, name) == 0)
            return tt_sc_fail(b, d->where, TT_EINPUT,
                              "there is an expectation '%s' already", name);
    list[i].name = tt_sc_keep(b, name);
    return list[i].name ? TT_OK : tt_sc_no_memory(b);
}

static enum tt_code read_one(struct tt_sc_build *b, const struct tt_doc *v,
                             uint32_t i, struct tt_sc_expect *list)
{
    struct tt_sc_expect *to = &list[i];
    const struct tt_doc *fail = NULL;
    enum tt_code rc = tt_sc_check_members(b, v, "expect");

    *to = (struct tt_sc_expect){.low = -(double)INFINITY,
                                .high = (double)INFINITY,
                                .within = (double)INFINITY,
                                .where = v->where};
    if (rc == TT_OK)
        rc = find_family(b, v, to);
    if (rc == TT_OK)
        rc = take_expressions(b, v, to);
    if (rc == TT_OK)
        rc = take_numbers(b, v, to);
    if (rc == TT_OK)
        rc = take_name(b, v, i, list);
    if (rc == TT_OK)
        fail = member(v, "fail");
    return fail ? tt_sc_bool(b, fail, &to->fail) : rc;
}

/* Behind those there are. */
static enum tt_code read_list(struct tt_sc_build *b, const struct tt_doc *v,
                              int hint)
{
    uint32_t first = b->s->n_expect;
    struct tt_sc_expect *list;
    enum tt_code rc = TT_OK;

    if (v->kind != TT_DOC_ARRAY)
        return tt_sc_wrong(b, v, NULL,
                           hint ? "an array of hints"
                                : "an array of expectations");
    list = tt_arena_alloc(b->s->arena, (size_t)first + v->n, sizeof(*list));
    if (!list)
        return tt_sc_no_memory(b);
    if (first)
        memcpy(list, b->s->expect, first * sizeof(*list));
    for (uint32_t i = 0; i < v->n && rc == TT_OK; i++) {
        const struct tt_doc *one = &v->u.child[i];

        rc = one->kind == TT_DOC_OBJECT
                 ? read_one(b, one, first + i, list)
                 : tt_sc_wrong(b, one, v->key, "an object");
        list[first + i].hint = hint;
    }
    b->s->expect = list;
    b->s->n_expect = first + v->n;
    return rc;
}

enum tt_code tt_sc_read_expect(struct tt_sc_build *b, const struct tt_doc *v)
{
    return read_list(b, v, 0);
}

enum tt_code tt_sc_read_hints(struct tt_sc_build *b, const struct tt_doc *v)
{
    return read_list(b, v, 1);
}
