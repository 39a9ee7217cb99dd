/* SPDX-License-Identifier: MIT */
/* "sequence": orders of instances, and what chooses between them. */
#include <math.h>

#include "base/num.h"
#include "scenario/build_impl.h"

#define MOST_HOLD 1000000

static const char *const word[] = {
    [TT_SEQUENCE_OFF] = "off",
    [TT_SEQUENCE_LOCAL] = "local",
    [TT_SEQUENCE_GLOBAL] = "global",
    [TT_SEQUENCE_SIGNED] = "signed",
};
const struct tt_sc_choice tt_sc_indicators = {"'adapt'", word, TT_SEQUENCE_N};

const char *tt_sc_sequence_name(enum tt_sc_sequence_by by)
{
    return word[by];
}

/* Each as "order", which is read after this. */
static enum tt_code read_orders(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct tt_sc_sequence *to = &b->s->sequence;
    enum tt_code rc = TT_OK;

    if (v->kind != TT_DOC_ARRAY)
        return tt_sc_wrong(b, v, NULL, "an array of orders");
    if (v->n < 2 || v->n > TT_SC_ORDERS_MAX)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'orders' must be 2 to %d orders, not %u",
                          TT_SC_ORDERS_MAX, v->n);
    for (uint32_t i = 0; i < v->n && rc == TT_OK; i++) {
        if (v->u.child[i].kind == TT_DOC_ARRAY && !v->u.child[i].n)
            return tt_sc_fail(b, v->u.child[i].where, TT_EINPUT,
                              "an order in 'orders' is empty");
        rc = tt_sc_read_order(b, &v->u.child[i]);
        to->order[i] = b->s->order;
    }
    to->n_order = v->n;
    b->s->order = NULL;
    b->s->n_order = 0;
    return rc;
}

static enum tt_code read_pattern(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct tt_sc_sequence *to = &b->s->sequence;
    uint32_t *all;

    if (v->kind != TT_DOC_ARRAY || !v->n)
        return tt_sc_wrong(b, v, NULL, "an array of numbers");
    if (!TT_NEW_IN(b->s->arena, all, v->n))
        return tt_sc_no_memory(b);
    for (uint32_t i = 0; i < v->n; i++) {
        int64_t n = 0;
        enum tt_code rc = tt_sc_integer(b, &v->u.child[i], &n);

        if (rc != TT_OK)
            return rc;
        if (n < 1 || n > (int64_t)to->n_order)
            return tt_sc_fail(b, v->u.child[i].where, TT_EINPUT,
                              "'pattern' has numbers of 'orders', from 1 to %u",
                              to->n_order);
        all[i] = (uint32_t)n - 1;
    }
    to->pattern = all;
    to->n_pattern = v->n;
    return TT_OK;
}

static enum tt_code read_hold(struct tt_sc_build *b, const struct tt_doc *v)
{
    return tt_sc_steps(b, v, MOST_HOLD, &b->s->sequence.hold);
}

static enum tt_code read_margin(struct tt_sc_build *b, const struct tt_doc *v)
{
    return tt_sc_number_from(b, v, 1, "'margin' must be a factor",
                             &b->s->sequence.margin);
}

static enum tt_code read_adapt(struct tt_sc_build *b, const struct tt_doc *v)
{
    uint32_t i = 0;
    enum tt_code rc = tt_sc_choose_doc(b, v, &tt_sc_indicators, &i);

    b->s->sequence.adapt = (enum tt_sc_sequence_by)i;
    return rc;
}

/* Of what it has, in this order. */
static enum tt_code read_members(struct tt_sc_build *b, const struct tt_doc *v)
{
    static const struct {
        const char *name;
        tt_sc_reader *read;
    } member[] = {{"orders", read_orders},
                  {"pattern", read_pattern},
                  {"adapt", read_adapt},
                  {"hold", read_hold},
                  {"margin", read_margin}};
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < sizeof(member) / sizeof(*member); i++) {
        const struct tt_doc *d = tt_sc_member(v, member[i].name);

        if (d && rc == TT_OK)
            rc = member[i].read(b, d);
    }
    return rc;
}

enum tt_code tt_sc_read_sequence(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc;

    if (v->kind == TT_DOC_TEXT)
        return read_adapt(b, v);
    rc = v->kind == TT_DOC_OBJECT
             ? tt_sc_check_members(b, v, "sequence")
             : tt_sc_wrong(b, v, NULL, "a string or an object");
    if (rc == TT_OK)
        rc = read_members(b, v);
    if (rc == TT_OK && b->s->sequence.adapt && b->s->sequence.n_pattern)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'sequence' takes either 'adapt' or 'pattern'");
    return rc;
}
