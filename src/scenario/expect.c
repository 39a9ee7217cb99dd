/* SPDX-License-Identifier: MIT */
/* "expect": what a run is to show, and "hints": what is known of the system,
 * which is the same to a run, and guides a search for settings. Each entry is
 * of one family: a range of an expression, a condition that always, never or
 * eventually holds, where an expression ends or settles, how often, how long
 * and after what a condition holds, how an expression goes; and it has a scope:
 * after, before or until a condition. */
#include "scenario/build_impl.h"

#include <math.h>
#include <stdio.h>

#include "base/num.h"

/* In the order of enum tt_sc_expect_kind. */
static const char *const family[] = {"range", "always",  "never",  "eventually",
                                     "final", "settles", "occurs", "follows",
                                     "stays", "lasts",   "recurs", "period",
                                     "falls", "rises",   "smooth"};
#define FAMILIES (sizeof(family) / sizeof(*family))

#define ROUGH 1.5 /* between what leaps and noise: step/monitor.h */

#define OF(kind) (1u << TT_EXPECT_##kind)
#define ALL      (~OF(FINAL))

/* Members that not every family has, and which cannot do without. */
static const struct {
    const char *name;
    unsigned of, need;
} special[] = {
    {"min", OF(RANGE) | OF(LASTS), 0},
    {"max", OF(RANGE) | OF(LASTS) | OF(SMOOTH), 0},
    {"least", OF(OCCURS), 0},
    {"most", OF(OCCURS), 0},
    {"to", OF(FINAL) | OF(SETTLES) | OF(PERIOD),
     OF(FINAL) | OF(SETTLES) | OF(PERIOD)},
    {"tolerance", OF(FINAL) | OF(SETTLES) | OF(PERIOD) | OF(FALLS) | OF(RISES),
     OF(FINAL) | OF(SETTLES) | OF(PERIOD)},
    {"within", OF(EVENTUALLY) | OF(SETTLES) | OF(FOLLOWS) | OF(RECURS),
     OF(RECURS)},
    {"for", OF(STAYS), OF(STAYS)},
    {"when", OF(FOLLOWS) | OF(STAYS), OF(FOLLOWS) | OF(STAYS)},
    {"after", ALL, 0},
    {"before", ALL, 0},
    {"until", ALL, 0},
};

const char *tt_sc_expect_word(enum tt_sc_expect_kind k)
{
    return family[k];
}

int tt_sc_expect_is_number(enum tt_sc_expect_kind k)
{
    return (1u << k & (OF(RANGE) | OF(FINAL) | OF(SETTLES) | OF(FALLS) |
                       OF(RISES) | OF(SMOOTH))) != 0;
}

static enum tt_code lacks_family(struct tt_sc_build *b, const struct tt_doc *v)
{
    char text[256];
    size_t n = 0;

    for (size_t i = 0; i < FAMILIES && n < sizeof(text); i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s'%s'",
                              i == 0              ? ""
                              : i + 1 == FAMILIES ? " or "
                                                  : ", ",
                              family[i]);
    return tt_sc_fail(b, v->where, TT_EINPUT, "an expectation lacks %s", text);
}

static enum tt_code check_members(struct tt_sc_build *b, const struct tt_doc *v,
                                  const struct tt_sc_expect *to,
                                  const char *found)
{
    for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++) {
        const struct tt_doc *d = tt_sc_member(v, special[i].name);

        if (d && !(special[i].of & 1u << to->kind))
            return tt_sc_fail(b, d->key_where, TT_EINPUT,
                              "'%s' does not go with '%s'", d->key, found);
    }
    for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
        if (special[i].need & 1u << to->kind &&
            !tt_sc_member(v, special[i].name))
            return tt_sc_fail(b, v->where, TT_EINPUT,
                              "an expectation with '%s' lacks '%s'", found,
                              special[i].name);
    if (tt_sc_member(v, "before") && tt_sc_member(v, "until"))
        return tt_sc_fail(b, tt_sc_member(v, "until")->key_where, TT_EINPUT,
                          "an expectation has one of 'before' and 'until', not "
                          "both");
    return TT_OK;
}

static enum tt_code find_family(struct tt_sc_build *b, const struct tt_doc *v,
                                struct tt_sc_expect *to)
{
    const struct tt_doc *found = NULL;

    for (size_t i = 0; i < FAMILIES; i++) {
        const struct tt_doc *d = tt_sc_member(v, family[i]);

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
    return found ? check_members(b, v, to, found->key) : lacks_family(b, v);
}

/* --- expressions ---------------------------------------------------------- */

static enum tt_code take_expression(struct tt_sc_build *b,
                                    const struct tt_doc *v, const char *of,
                                    struct tt_sc_expr *to, tt_expr *e)
{
    static const struct tt_expr_scope scope = {
        .offers = TT_EXPR_WITH_T | TT_EXPR_INFER, .find = tt_sc_find_any};
    const char *text = NULL;
    enum tt_code rc = tt_sc_text(b, v, of, &text);

    if (rc != TT_OK)
        return rc;
    *to = (struct tt_sc_expr){tt_sc_keep(b, text),
                              tt_sc_keep(b, of ? of : v->key), v->where, 0};
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

static enum tt_code make_variables(struct tt_sc_build *b, uint32_t n,
                                   struct tt_sc_expect *to)
{
    to->variable =
        tt_arena_alloc(b->s->arena, (size_t)n + 1, sizeof(*to->variable));
    return to->variable ? TT_OK : tt_sc_no_memory(b);
}

enum tt_code tt_sc_read_rule(struct tt_sc_build *b, const struct tt_doc *v,
                             struct tt_sc_expect *to)
{
    tt_expr e = {.n_ref = 0};
    enum tt_code rc = take_expression(b, v, NULL, &to->part[0], &e);

    if (rc == TT_OK)
        rc = make_variables(b, e.n_ref, to);
    return rc == TT_OK ? take_refs(b, &to->part[0], &e, to) : rc;
}

/* Those of the family: one, or of what follows several. */
static enum tt_code take_what(struct tt_sc_build *b, const struct tt_doc *v,
                              struct tt_sc_expect *to, tt_expr *e)
{
    enum tt_code rc = TT_OK;

    if (to->kind != TT_EXPECT_FOLLOWS || v->kind != TT_DOC_ARRAY) {
        rc = take_expression(b, v, NULL, &to->part[0], &e[0]);
        if (rc == TT_OK && !e[0].n_ref)
            rc = tt_sc_fail(b, v->where, TT_EINPUT, "'%s' names no variable",
                            v->key);
        return rc;
    }
    if (v->n < 1 || v->n > TT_EXPECT_CHAIN)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'%s' has 1 to %d conditions, not %u", v->key,
                          TT_EXPECT_CHAIN, v->n);
    for (uint32_t i = 0; i < v->n && rc == TT_OK; i++)
        rc = take_expression(b, &v->u.child[i], v->key, &to->part[i], &e[i]);
    return rc;
}

static const struct tt_doc *part_of(const struct tt_doc *v,
                                    enum tt_sc_expect_part part)
{
    const struct tt_doc *before = tt_sc_member(v, "before");

    if (part == TT_EXPECT_UNTIL)
        return before ? before : tt_sc_member(v, "until");
    return tt_sc_member(v, part == TT_EXPECT_AFTER ? "after" : "when");
}

static enum tt_code take_expressions(struct tt_sc_build *b,
                                     const struct tt_doc *v,
                                     struct tt_sc_expect *to)
{
    tt_expr e[TT_EXPECT_PARTS] = {{.n_ref = 0}};
    uint32_t n = 0;
    enum tt_code rc = take_what(b, tt_sc_member(v, family[to->kind]), to, e);

    for (int i = TT_EXPECT_CHAIN; i < TT_EXPECT_PARTS && rc == TT_OK; i++) {
        const struct tt_doc *d = part_of(v, (enum tt_sc_expect_part)i);

        if (d)
            rc = take_expression(b, d, NULL, &to->part[i], &e[i]);
    }
    for (int i = 0; i < TT_EXPECT_PARTS; i++)
        n += e[i].n_ref;
    to->pending = tt_sc_member(v, "before") != NULL;
    if (rc == TT_OK)
        rc = make_variables(b, n, to);
    for (int i = 0; i < TT_EXPECT_PARTS && rc == TT_OK; i++)
        rc = take_refs(b, &to->part[i], &e[i], to);
    return rc;
}

/* --- numbers ---------------------------------------------------------------
 */

/* Bounds, one at least. */
static enum tt_code take_bounds(struct tt_sc_build *b, const struct tt_doc *v,
                                const char *min, const char *max,
                                struct tt_sc_expect *to)
{
    char low[TT_NUM_MAX], high[TT_NUM_MAX];
    enum tt_code rc = tt_sc_maybe_number(b, v, min, &to->low);

    if (rc == TT_OK)
        rc = tt_sc_maybe_number(b, v, max, &to->high);
    if (rc != TT_OK)
        return rc;
    if (!tt_sc_member(v, min) && !tt_sc_member(v, max))
        return tt_sc_fail(b, v->where, TT_EINPUT, "%s lacks '%s' or '%s'",
                          to->kind == TT_EXPECT_RANGE ? "a range"
                                                      : "an expectation",
                          min, max);
    if (to->low <= to->high)
        return TT_OK;
    tt_num_print_short(low, to->low);
    tt_num_print_short(high, to->high);
    return tt_sc_fail(b, tt_sc_member(v, max)->where, TT_EINPUT,
                      "'%s' is %s, less than '%s', which is %s", max, high, min,
                      low);
}

static enum tt_code take_target(struct tt_sc_build *b, const struct tt_doc *v,
                                struct tt_sc_expect *to)
{
    double target = 0, tolerance = 0;
    enum tt_code rc = tt_sc_maybe_number(b, v, "to", &target);

    if (rc == TT_OK)
        rc = tt_sc_read_tolerance(b, v, &tolerance);
    to->low = target - tolerance;
    to->high = target + tolerance;
    return rc;
}

static enum tt_code take_limits(struct tt_sc_build *b, const struct tt_doc *v,
                                struct tt_sc_expect *to)
{
    switch (to->kind) {
    case TT_EXPECT_RANGE:
    case TT_EXPECT_LASTS:
        return take_bounds(b, v, "min", "max", to);
    case TT_EXPECT_OCCURS:
        return take_bounds(b, v, "least", "most", to);
    case TT_EXPECT_FINAL:
    case TT_EXPECT_SETTLES:
    case TT_EXPECT_PERIOD:
        return take_target(b, v, to);
    case TT_EXPECT_FALLS:
    case TT_EXPECT_RISES:
        to->high = 0;
        return tt_sc_member(v, "tolerance")
                   ? tt_sc_read_tolerance(b, v, &to->high)
                   : TT_OK;
    case TT_EXPECT_SMOOTH:
        to->high = ROUGH;
        return tt_sc_member_number(b, v, "max", &to->high, 1);
    case TT_EXPECT_ALWAYS:
    case TT_EXPECT_NEVER:
    case TT_EXPECT_EVENTUALLY:
    case TT_EXPECT_FOLLOWS:
    case TT_EXPECT_STAYS:
    case TT_EXPECT_RECURS:
        break;
    }
    return TT_OK;
}

static enum tt_code take_numbers(struct tt_sc_build *b, const struct tt_doc *v,
                                 struct tt_sc_expect *to)
{
    enum tt_code rc = take_limits(b, v, to);

    if (rc == TT_OK)
        rc = tt_sc_member_number(b, v, "within", &to->within, 1);
    return rc == TT_OK ? tt_sc_member_number(b, v, "for", &to->within, 1) : rc;
}

/* --- one of them -----------------------------------------------------------
 */

static enum tt_code take_name(struct tt_sc_build *b, const struct tt_doc *v,
                              uint32_t i, struct tt_sc_expect *list)
{
    const struct tt_doc *d = tt_sc_member(v, "name");
    const char *name = list[i].part[0].text;
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
        fail = tt_sc_member(v, "fail");
    return fail ? tt_sc_bool(b, fail, &to->fail) : rc;
}

/* One entry: of a hint, it may be what an instance is. */
static enum tt_code read_entry(struct tt_sc_build *b, const struct tt_doc *v,
                               struct tt_sc_expect *list, int hint)
{
    enum tt_code rc;

    if (v->kind != TT_DOC_OBJECT)
        return tt_sc_wrong(b, v, hint ? "hints" : "expect", "an object");
    if (hint && (tt_sc_member(v, "software") || tt_sc_member(v, "powerBond")))
        return tt_sc_read_known(b, v);
    rc = read_one(b, v, b->s->n_expect, list);
    list[b->s->n_expect].hint = hint;
    b->s->n_expect += rc == TT_OK;
    return rc;
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
    if (!TT_NEW_IN(b->s->arena, list, (size_t)first + v->n))
        return tt_sc_no_memory(b);
    if (first)
        memcpy(list, b->s->expect, first * sizeof(*list));
    b->s->expect = list;
    for (uint32_t i = 0; i < v->n && rc == TT_OK; i++)
        rc = read_entry(b, &v->u.child[i], list, hint);
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
