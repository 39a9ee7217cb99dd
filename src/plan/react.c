/* SPDX-License-Identifier: MIT */
/* Reactivity of inputs: as the unit declares it, unless the scenario states
 * otherwise. */
#include "plan/plan_impl.h"

enum tt_code plan_reactivity(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;

    for (uint32_t i = 0; i < b->sc->n_input_reactivity; i++) {
        const struct tt_sc_input_reactivity *r = &b->sc->input_reactivity[i];
        uint32_t slot = 0;
        enum tt_code rc = plan_find_input(b, &r->ref, "reactivity", &slot, err);

        if (rc != TT_OK)
            return rc;
        p->slot[slot].reactivity = (enum tt_reactivity)r->reactivity;
        tt_plan_note(p, "reactivity", "%s.%s: %s (set in the scenario)",
                     p->unit[r->ref.unit].name, r->ref.variable,
                     tt_reactivity_name(p->slot[slot].reactivity));
    }
    for (uint32_t f = 0; f < p->n_feed; f++)
        if (tt_plan_flows(p, f)) /* it changes with its source */
            p->slot[p->feed[f].to].reactivity = TT_REACT_EITHER;
    return TT_OK;
}
