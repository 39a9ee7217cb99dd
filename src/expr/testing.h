/* SPDX-License-Identifier: MIT */
#ifndef TT_EXPR_TESTING_H
#define TT_EXPR_TESTING_H

/* For the tests of expressions: a scope of variables with values. Every rate is
 * 33, every value before was 3, only the first variable is present. */

#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "expr/expr.h"

struct test_variable {
    const char *name;
    struct {
        enum tt_type type;
        struct tt_expr_unit unit;
    } is;
    const void *value;
};

/* Of all enumerations. */
static const struct tt_item test_item[] = {
    {"red", 1}, {"dark red", 4}, {"blue", -2}};
static const struct tt_items test_items = {3, test_item};

struct test_scope {
    const struct test_variable *variable;
    size_t n;
    unsigned offers;
};

struct test_compiled {
    tt_arena *arena;
    tt_expr e;
    struct tt_expr_at at;
};

static const struct test_variable *test_find(const struct test_scope *s,
                                             const char *name)
{
    for (size_t i = 0; i < s->n; i++)
        if (!strcmp(s->variable[i].name, name))
            return &s->variable[i];
    return NULL;
}

static int test_look_up(void *ctx, const char *name, struct tt_expr_variable *v)
{
    const struct test_variable *found = test_find(ctx, name);

    if (found)
        *v = (struct tt_expr_variable){
            found->is.type, found->is.unit,
            tt_type_is_enum(found->is.type) ? &test_items : NULL};
    return found ? 0 : -1;
}

static const char *test_candidate(const void *ctx, size_t i)
{
    return ((const struct test_scope *)ctx)->variable[i].name;
}

static struct tt_expr_scope test_scope_of(const struct test_scope *s)
{
    return (struct tt_expr_scope){.offers = s->offers,
                                  .ctx = (void *)(uintptr_t)s,
                                  .find = test_look_up,
                                  .near = test_candidate,
                                  .n_near = s->n};
}

static const void *test_place(const struct test_scope *s,
                              const struct tt_expr_ref *r)
{
    static const double rate = 33, before = 3;
    static const bool flag[] = {false, true};

    if (r->form == TT_EXPR_DER)
        return &rate;
    if (r->form == TT_EXPR_PRE)
        return &before;
    if (r->form == TT_EXPR_PRESENT)
        return &flag[!strcmp(r->name, s->variable[0].name)];
    return test_find(s, r->name)->value;
}

/* t is 2, h is 5. */
static struct test_compiled test_compile(const struct test_scope *s,
                                         const char *text)
{
    struct tt_expr_scope scope = test_scope_of(s);
    struct test_compiled c = {.arena = tt_arena_new(), .at = {2, 5, NULL}};
    const void **value;
    tt_err err;

    if (tt_expr_compile(&c.e, text, &scope, c.arena, &err) != TT_OK)
        fail_msg("%s: %s", text, err.msg);
    value = tt_arena_alloc(c.arena, c.e.n_ref, sizeof(*value));
    for (uint32_t i = 0; i < c.e.n_ref; i++)
        value[i] = test_place(s, &c.e.ref[i]);
    c.at.value = value;
    return c;
}

static void test_drop(struct test_compiled *c)
{
    tt_arena_free(c->arena);
}

static inline double test_value(const struct test_scope *s, const char *text)
{
    struct test_compiled c = test_compile(s, text);
    double v = tt_expr_value(&c.e, &c.at);
    test_drop(&c);
    return v;
}

static inline void test_refused(const struct test_scope *s, const char *text,
                                const char *message)
{
    struct tt_expr_scope scope = test_scope_of(s);
    tt_arena *arena = tt_arena_new();
    tt_expr e;
    tt_err err = {.code = TT_OK};

    if (tt_expr_compile(&e, text, &scope, arena, &err) == TT_OK)
        fail_msg("'%s' was taken", text);
    assert_int_equal(err.code, TT_EINPUT);
    assert_string_equal(err.msg, message);
    tt_arena_free(arena);
}

#endif
