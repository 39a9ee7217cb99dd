/* SPDX-License-Identifier: MIT */
/* Going back: what is kept before a step that may be rejected, and how it is
 * brought back. Units that cannot go back step last, once the others have
 * shown that the step may stand. */
#include <string.h>

#include "score/write.h"
#include "unit/call.h"

static int can_go_back(const tt_plan *p, uint32_t u)
{
    return p->unit[u].desc->caps.save != 0;
}

/* An input that wants its new value steps later still. */
static int feeds_reactive(const tt_plan *p, uint32_t u)
{
    const struct tt_plan_unit *pu = &p->unit[u];
    uint32_t first = p->out_first[pu->slot];
    uint32_t end = p->out_first[pu->slot + pu->n_read];

    for (uint32_t k = first; k < end; k++) {
        const struct tt_slot *to = &p->slot[p->feed[p->out_feed[k]].to];

        if (to->reactivity == TT_REACT_REACTIVE && can_go_back(p, to->unit))
            return 1;
    }
    return 0;
}

/* A group stays together: its sub-steps alternate. */
static int is_tied(const tt_plan *p, uint32_t u)
{
    uint32_t group = p->unit[u].group;

    for (uint32_t v = 0; v < p->n_unit && group != TT_NONE; v++)
        if (p->unit[v].group == group && can_go_back(p, v))
            return 1;
    return 0;
}

/* Would stepping it last break a promise? `moved`: it would not be last
 * anyway. */
static int must_come_earlier(const tt_plan *p, uint32_t u, int moved)
{
    if (is_tied(p, u))
        return 1;
    return moved && (p->scenario->n_order || feeds_reactive(p, u));
}

static void note_stuck(struct tt_draft *w, uint32_t u, const char *what)
{
    tt_write_note(w, "rollback", "instance '%s' (%s) cannot save its state, %s",
                  w->plan->unit[u].name, w->plan->unit[u].desc->kind, what);
}

/* The first unit that keeps steps from being taken back, or TT_NONE. With
 * Maestro all can or none does. */
static uint32_t obstacle(const tt_plan *p, const uint32_t *order,
                         uint32_t n_stuck)
{
    for (uint32_t i = 0; i < p->n_unit; i++) {
        uint32_t u = order[i];
        int moved = i < p->n_unit - n_stuck;

        if (!can_go_back(p, u) && (p->dialect || n_stuck == p->n_unit ||
                                   must_come_earlier(p, u, moved)))
            return u;
    }
    return TT_NONE;
}

static enum tt_code move_last(const tt_plan *p, uint32_t *order, tt_err *err)
{
    uint32_t *was = tt_zalloc(p->n_unit, sizeof(*was)), n = 0;

    if (!was)
        return tt_nomem(err, "ordering instances");
    memcpy(was, order, p->n_unit * sizeof(*was));
    for (uint32_t i = 0; i < p->n_unit; i++)
        if (can_go_back(p, was[i]))
            order[n++] = was[i];
    for (uint32_t i = 0; i < p->n_unit; i++)
        if (!can_go_back(p, was[i]))
            order[n++] = was[i];
    tt_free(was);
    return TT_OK;
}

/* May a constraint object to a step that was made? */
static int objects(const struct tt_sc_constraint *c)
{
    if (c->kind == TT_CONSTRAINT_ERROR)
        return !c->next || c->method == TT_ERROR_RICHARDSON ||
               c->method == TT_ERROR_EMBEDDED;
    return c->kind != TT_CONSTRAINT_SAMPLING_RATE &&
           c->kind != TT_CONSTRAINT_MAX_STEP;
}

/* Do all errors shorten the next step only, and is nothing else to be taken
 * back? */
static int lets_stand(const tt_plan *p)
{
    const tt_scenario *s = p->scenario;
    int next = 0;

    if (!p->variable || p->n_locate || s->rollback || p->dialect ||
        s->iteration.unconverged == TT_UNCONVERGED_REDUCE)
        return 0;
    for (uint32_t i = 0; i < s->n_constraint; i++) {
        if (objects(&s->constraint[i]))
            return 0;
        next |= s->constraint[i].next;
    }
    return next;
}

enum tt_code tt_write_arrange(struct tt_draft *w, uint32_t *order, tt_err *err)
{
    const tt_plan *p = w->plan;
    uint32_t n_stuck = 0, u;

    if (!p->rejects)
        return TT_OK;
    if (lets_stand(p)) {
        tt_write_note(w, "rollback",
                      "no step is taken back: errors shorten the next one");
        return TT_OK;
    }
    for (uint32_t i = 0; i < p->n_unit; i++)
        n_stuck += !can_go_back(p, i);
    u = obstacle(p, order, n_stuck);
    if (u != TT_NONE) {
        note_stuck(w, u,
                   "so no step can be rolled back: what a constraint rejects "
                   "is accepted with a warning");
        return TT_OK;
    }
    w->goes_back = 1;
    w->n_last = n_stuck;
    for (uint32_t i = 0; i < p->n_unit; i++)
        if (!can_go_back(p, i))
            note_stuck(w, i,
                       "so it steps last, once the others have shown that the "
                       "step may stand; what it finds itself is accepted with "
                       "a warning");
    return n_stuck ? move_last(p, order, err) : TT_OK;
}

static void all_units(struct tt_draft *w, enum tt_section section,
                      enum tt_op_code code)
{
    uint32_t n = w->goes_back ? w->plan->n_unit : 0;

    tt_write_begin(w, section);
    for (uint32_t u = 0; u < n; u++)
        if (can_go_back(w->plan, u))
            tt_write_op(w, (struct tt_op){.code = (uint8_t)code,
                                          .unit = u,
                                          .at = TT_T0,
                                          .to = TT_T0});
    tt_write_end(w, section);
}

uint32_t tt_write_loop_register(const tt_plan *p)
{
    return p->doubles ? 1 : 0;
}

void tt_write_keep(struct tt_draft *w)
{
    if (w->goes_back)
        w->score->n_state = 1;
    all_units(w, TT_SEC_BEGIN, TT_OP_SAVE);
}

void tt_write_undo(struct tt_draft *w)
{
    all_units(w, TT_SEC_UNDO, TT_OP_RESTORE);
}
