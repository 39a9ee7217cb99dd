/* SPDX-License-Identifier: MIT */
/* Going back: what is kept before a step that may be rejected, and how it is
 * brought back. All units or none: one that cannot go back would be out of
 * step with the others. */
#include "score/write.h"
#include "unit/call.h"

static void all_units(struct tt_writer *w, enum tt_section section,
                      enum tt_op_code code)
{
    uint32_t n = tt_write_goes_back(w->plan) ? w->plan->n_unit : 0;

    tt_write_begin(w, section);
    for (uint32_t u = 0; u < n; u++)
        tt_write_op(
            w, (struct tt_op){
                   .code = (uint8_t)code, .unit = u, .at = TT_T0, .to = TT_T0});
    tt_write_end(w, section);
}

/* The first unit that cannot go back, or TT_NONE. */
static uint32_t stuck(const tt_plan *p)
{
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (!p->unit[u].desc->caps.save)
            return u;
    return TT_NONE;
}

int tt_write_goes_back(const tt_plan *p)
{
    return p->variable && stuck(p) == TT_NONE;
}

uint32_t tt_write_loop_register(const tt_plan *p)
{
    return p->doubles ? 1 : 0;
}

void tt_write_keep(struct tt_writer *w)
{
    const tt_plan *p = w->plan;
    uint32_t u = stuck(p);

    if (p->variable && u != TT_NONE)
        tt_write_note(w, "rollback",
                      "unit '%s' (%s) cannot save its state, so no step can be "
                      "taken back: what a constraint rejects is accepted with "
                      "a warning",
                      p->unit[u].name, p->unit[u].desc->kind);
    if (tt_write_goes_back(p))
        w->score->n_state = 1;
    all_units(w, TT_SEC_BEGIN, TT_OP_SAVE);
}

void tt_write_undo(struct tt_writer *w)
{
    all_units(w, TT_SEC_UNDO, TT_OP_RESTORE);
}
