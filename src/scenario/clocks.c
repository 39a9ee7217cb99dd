/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include <string.h>

/* When clocks tick: "clocks", an interval and a shift by clock, each a number
 * or a text that is a decimal or a fraction. */

static struct tt_ratio time_of(const struct tt_doc *v)
{
    if (v->kind == TT_DOC_TEXT)
        return tt_ratio_parse(v->u.text, strlen(v->u.text));
    if (v->kind == TT_DOC_INTEGER)
        return tt_ratio_of((double)v->u.integer);
    return v->kind == TT_DOC_NUMBER ? tt_ratio_of(v->u.number)
                                    : (struct tt_ratio){0, 0};
}

static enum tt_code read_time(struct tt_sc_build *b, const struct tt_doc *clock,
                              const char *name, int zero_too,
                              struct tt_ratio *to)
{
    const struct tt_doc *v = tt_sc_member(clock, name);

    if (!v)
        return TT_OK;
    *to = time_of(v);
    if (tt_ratio_is(*to) && (zero_too || to->num))
        return TT_OK;
    return tt_sc_fail(b, v->where, TT_EINPUT,
                      "'%s' of clock '%s' must be a time %s, a number or a "
                      "text like \"1/3\"",
                      name, clock->key,
                      zero_too ? "that is not negative" : "greater than 0");
}

static enum tt_code read_one(struct tt_sc_build *b, const struct tt_doc *v,
                             struct tt_sc_clock *to)
{
    enum tt_code rc = tt_sc_check_members(b, v, "clock");

    if (rc == TT_OK)
        rc = tt_sc_get_ref(b, v->key, v->key_where, &to->ref);
    if (rc == TT_OK)
        rc = read_time(b, v, "interval", 0, &to->interval);
    return rc == TT_OK ? read_time(b, v, "shift", 1, &to->shift) : rc;
}

enum tt_code tt_sc_read_clocks(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct tt_sc_clock *list;
    enum tt_code rc = tt_sc_object(b, v);

    if (rc != TT_OK)
        return rc;
    if (!TT_NEW_IN(b->s->arena, list, v->n))
        return tt_sc_no_memory(b);
    b->s->clock = list;
    b->s->n_clock = v->n;
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++)
        rc = read_one(b, &v->u.child[i], &list[i]);
    return rc;
}
