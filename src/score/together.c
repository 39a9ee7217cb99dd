/* SPDX-License-Identifier: MIT */
/* Ensembles: units whose states one integrator advances. They are fed before
 * any of them steps, the first steps all, last of them, and what they feed each
 * other wherever the integrator looks is the rhs section. */
#include <string.h>

#include "score/schedule.h"
#include "score/step_impl.h"

void step_together(struct stepping *st, const uint32_t *order, uint32_t n)
{
    uint32_t first = st->p->unit[order[0]].group;

    for (uint32_t i = 0; i < n; i++)
        step_feed(st, order[i]);
    for (uint32_t i = 0; i < n; i++)
        if (order[i] != first)
            step_alone(st, order[i]);
    step_alone(st, first);
}

/* In dependency order; loops are solved, assumed ones too. */
static enum tt_code move(struct tt_draft *w, const uint8_t *done, tt_err *err)
{
    struct tt_schedule s;
    enum tt_code rc = tt_schedule_init(&s, w, TT_SCHEDULE_RUN, done, err);

    s.flows = 1;
    while (rc == TT_OK && s.left && !w->failed) {
        tt_schedule_run(&s);
        if (s.left)
            tt_schedule_solve(&s, 0);
    }
    tt_schedule_fini(&s);
    return rc;
}

enum tt_code tt_write_rhs(struct tt_draft *w, tt_err *err)
{
    const tt_plan *p = w->plan;
    uint8_t *done = tt_alloc(p->n_slot + 1);
    enum tt_code rc = TT_OK;

    tt_write_begin(w, TT_SEC_RHS);
    w->failed |= !done;
    for (uint32_t u = 0; u < p->n_unit && rc == TT_OK && !w->failed; u++) {
        if (!p->unit[u].together || p->unit[u].group != u)
            continue;
        memset(done, 1, p->n_slot);
        for (uint32_t f = 0; f < p->n_feed; f++)
            if (tt_plan_flows(p, f) &&
                p->unit[p->slot[p->feed[f].to].unit].group == u)
                done[p->feed[f].from] = done[p->feed[f].to] = 0;
        rc = move(w, done, err);
    }
    tt_write_end(w, TT_SEC_RHS);
    tt_free(done);
    return rc;
}
