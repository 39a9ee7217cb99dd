/* SPDX-License-Identifier: MIT */
/* Expressions in scenarios, and the instances that evaluate them. */
#include "scenario/build_impl.h"

#include <stdlib.h>
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

/* A byte of a text that is written as it is read. */
static struct tt_where within(const struct tt_doc *v, size_t byte)
{
    struct tt_where w = v->where;

    w.offset += 1 + (uint32_t)byte;
    return w;
}

/* Messages of expressions begin "line:column: ", in characters. */
static enum tt_code fail(struct tt_sc_build *b, const struct tt_doc *v,
                         const char *message)
{
    const char *s = v->u.text, *fact = strstr(message, ": ");
    const char *column = strchr(message, ':');
    unsigned long n = column ? strtoul(column + 1, NULL, 10) : 0;

    if (!fact || !n || strncmp(message, "1:", 2) != 0)
        return tt_sc_fail(b, v->where, TT_EINPUT, "'%s': %s", v->key, message);
    for (; n > 1 && *s; n--)
        do
            s++;
        while (((unsigned char)*s & 0xc0) == 0x80);
    return tt_sc_fail(b, within(v, (size_t)(s - v->u.text)), TT_EINPUT,
                      "'%s': %s", v->key, fact + 2);
}

/* Which variables there are is the plan's matter: all are taken for numbers. */
static int find(void *ctx, const char *name, struct tt_expr_variable *v)
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
                                               .find = find};
    tt_err err = {.code = TT_OK};
    enum tt_code rc = tt_expr_compile(e, v->u.text, &scope, b->nodes, &err);

    if (rc == TT_ENOMEM)
        return tt_sc_no_memory(b);
    if (rc != TT_OK)
        return fail(b, v, err.msg);
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
    struct tt_sc_word from = {tt_sc_keep(b, variable),
                              at ? within(v, (size_t)(at - v->u.text))
                                 : v->where};
    struct tt_sc_word to = {.where = from.where};

    tt_num_print_short(number, i);
    to.text = tt_sc_join(b, name, ".x", number);
    return from.text && to.text ? tt_sc_connect(b, from, &to, 1)
                                : tt_sc_no_memory(b);
}
