/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include <math.h>

#include "base/num.h"

/* Pacing to the wall clock: "realTime", and Maestro's flag for the same. */

/* In the order of enum tt_sc_overrun. */
static const char *const overrun_word[] = {"continue", "stop"};
const struct tt_sc_choice tt_sc_overruns = {"'onOverrun'", overrun_word, 2};

/* Maestro 1 waits out the rest of each step, Maestro 2 until an absolute
 * instant; both go on when late. */
enum tt_code tt_sc_read_delay(struct tt_sc_build *b, const struct tt_doc *v)
{
    int on = 0;
    enum tt_code rc = tt_sc_bool(b, v, &on);

    if (rc == TT_OK && on)
        b->s->real_time.factor = 1;
    return rc;
}

/* Of partitions: seconds by clock. */
static enum tt_code read_budgets(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct tt_sc_real_time *p = &b->s->real_time;
    struct tt_sc_budget *list;
    enum tt_code rc;

    if (!v || tt_sc_is_null(v))
        return TT_OK;
    rc = tt_sc_object(b, v);
    if (rc != TT_OK)
        return rc;
    if (!TT_NEW_IN(b->s->arena, list, v->n))
        return tt_sc_no_memory(b);
    p->budget = list;
    p->n_budget = v->n;
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++) {
        const struct tt_doc *one = &v->u.child[i];

        list[i].seconds = (double)INFINITY;
        rc = tt_sc_get_ref(b, one->key, one->key_where, &list[i].ref);
        if (rc == TT_OK)
            rc = tt_sc_member_number(b, v, one->key, &list[i].seconds, 0);
    }
    return rc;
}

enum tt_code tt_sc_read_real_time(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct tt_sc_real_time *p = &b->s->real_time;
    uint32_t overrun = TT_OVERRUN_CONTINUE;
    enum tt_code rc = tt_sc_check_members(b, v, "realTime");

    if (rc != TT_OK)
        return rc;
    p->factor = 1;
    rc = tt_sc_member_number(b, v, "factor", &p->factor, 0);
    if (rc == TT_OK)
        rc = tt_sc_member_number(b, v, "tolerance", &p->tolerance, 1);
    if (rc == TT_OK)
        rc = tt_sc_member_word(b, v, "onOverrun", &tt_sc_overruns, &overrun);
    p->overrun = (enum tt_sc_overrun)overrun;
    return rc == TT_OK ? read_budgets(b, tt_doc_find(v, "budgets")) : rc;
}
