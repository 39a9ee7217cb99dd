/* SPDX-License-Identifier: MIT */
/* Expressions: whatever the text is, it is refused with a place, or its program
 * gives the same value with and without derivatives. Names are variables of a
 * type that their first letter chooses. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "expr/expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int find(void *ctx, const char *name, struct tt_expr_variable *v)
{
    unsigned char c = (unsigned char)*name;

    (void)ctx;
    v->type = c ? (enum tt_type)(c % TT_TYPE_N) : TT_F64;
    v->unit = (struct tt_expr_unit){.known = c % 3 == 0,
                                    .exponent = {[1] = (int8_t)(c % 5)},
                                    .factor = 1 + c % 2};
    return c == 'Q' ? -1 : 0;
}

static const char *candidate(const void *ctx, size_t i)
{
    (void)ctx;
    return i ? "level" : "speed";
}

static void evaluate(const tt_expr *e, tt_arena *arena)
{
    static const struct tt_text zero; /* whatever the type, it is 0 */
    const void **value = tt_arena_alloc(arena, e->n_ref, sizeof(*value));
    double *one = tt_arena_alloc(arena, e->n_ref, sizeof(*one));
    struct tt_expr_at at = {1, 2, value};
    struct tt_expr_jet j;
    double v;

    for (uint32_t i = 0; i < e->n_ref; i++) {
        value[i] = &zero;
        one[i] = 1;
    }
    if (e->kind >= TT_EXPR_TEXT) {
        TT_ASSERT(tt_expr_text(e, &at) != NULL);
        return;
    }
    v = tt_expr_value(e, &at);
    j = tt_expr_jet(e, &at, &(struct tt_expr_way){one, one, one, 1, 1});
    TT_ASSERT(j.v == v || (isnan(j.v) && isnan(v)));
    TT_ASSERT(e->kind == TT_EXPR_NUMBER || v == 0 || v == 1);
}

static void compile(const uint8_t *data, size_t size, unsigned offers)
{
    const struct tt_expr_scope scope = {
        .offers = offers, .find = find, .near = candidate, .n_near = 2};
    tt_arena *arena = tt_arena_new();
    char *text = tt_arena_strndup(arena, (const char *)data, size);
    tt_expr e;
    tt_err err;

    if (tt_expr_compile(&e, text, &scope, arena, &err) == TT_OK)
        evaluate(&e, arena);
    else
        TT_ASSERT(err.msg[0] >= '1' && err.msg[0] <= '9');
    tt_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    compile(data, size, ~0u & ~(unsigned)TT_EXPR_INFER);
    compile(data, size, ~0u);
    return 0;
}
