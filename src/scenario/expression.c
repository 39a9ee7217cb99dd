/* SPDX-License-Identifier: MIT */
/* Expressions in scenarios, and the instances that evaluate them. */
#include "scenario/build_impl.h"

#include <string.h>

#include "base/num.h"

const char *tt_sc_join(struct tt_sc_build *b, const char *front,
                       const char *text, const char *back)
{
    struct tt_buf t;
    const char *copy;

    tt_buf_init(&t, TT_DOC_MAX);
    tt_buf_fmt(&t, "%s%s%s", front, text, back);
    copy = t.failed ? NULL : tt_sc_keep(b, t.data);
    tt_buf_fini(&t);
    return copy;
}

enum tt_code tt_sc_compile(struct tt_sc_build *b, const struct tt_sc_expr *x,
                           const struct tt_expr_scope *scope, tt_expr *e)
{
    tt_err err = {.code = TT_OK};
    const char *fact = err.msg;
    enum tt_code rc = tt_expr_compile(e, x->text, scope, b->nodes, &err);
    struct tt_where w;

    if (rc == TT_ENOMEM)
        return tt_sc_no_memory(b);
    if (rc == TT_OK)
        return TT_OK;
    w = tt_scenario_within(b->s, x, &fact);
    return tt_sc_fail(b, w, TT_EINPUT, "'%s': %s", x->of, fact);
}

static struct tt_sc_expr expr_of(const struct tt_doc *v)
{
    return (struct tt_sc_expr){v->u.text, v->key, v->where, 0};
}

int tt_sc_find_any(void *ctx, const char *name, struct tt_expr_variable *v)
{
    struct tt_sc_parts p;

    (void)ctx;
    (void)v;
    return tt_sc_split(name, &p);
}

enum tt_code tt_sc_expression(struct tt_sc_build *b, const struct tt_doc *v,
                              tt_expr *e)
{
    static const struct tt_expr_scope scope = {.offers = TT_EXPR_WITH_T,
                                               .find = tt_sc_find_any};
    const struct tt_sc_expr x = expr_of(v);
    enum tt_code rc = tt_sc_compile(b, &x, &scope, e);

    if (rc != TT_OK)
        return rc;
    if (e->kind != TT_EXPR_NUMBER && e->kind != TT_EXPR_BOOL)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'%s' is a number or a condition, not %s", v->key,
                          tt_expr_kind_name(e->kind));
    return TT_OK;
}

enum tt_code tt_sc_add_builtin(struct tt_sc_build *b, struct tt_sc_word key,
                               struct tt_sc_word source, const char *instance,
                               uint32_t *unit)
{
    const char *name = tt_sc_join(b, key.text, ".", instance);
    struct tt_sc_parts p;
    enum tt_code rc = tt_sc_add_fmu(b, key, source);

    if (!name)
        return tt_sc_no_memory(b);
    if (rc == TT_OK)
        rc = tt_sc_split_unit(b, name, key.where, &p);
    return rc == TT_OK
               ? tt_sc_mention(b, &p, key.where, TT_SC_BY_CONNECTION, unit)
               : rc;
}

enum tt_code tt_sc_connect_variable(struct tt_sc_build *b,
                                    const struct tt_doc *v,
                                    const char *variable, const char *name,
                                    uint32_t i)
{
    const char *at = v->kind == TT_DOC_TEXT ? strstr(v->u.text, variable) : 0;
    char number[TT_NUM_MAX];
    struct tt_sc_word from = {tt_sc_keep(b, variable), v->where}, to;

    if (at) {
        const struct tt_sc_expr x = expr_of(v);

        from.where = tt_scenario_byte(b->s, &x, (size_t)(at - x.text));
    }
    to.where = from.where;
    tt_num_print_short(number, i);
    to.text = tt_sc_join(b, name, ".x", number);
    return from.text && to.text ? tt_sc_connect(b, from, &to, 1)
                                : tt_sc_no_memory(b);
}
