/* SPDX-License-Identifier: MIT */
/* Which inputs follow a polynomial course within a step, and where their
 * histories lie in the frame. */
#include "plan/plan_impl.h"

/* Why an input is held although a course was asked for, or NULL. */
static const char *why_held(const tt_plan *p, uint32_t slot)
{
    const struct tt_port *port = tt_plan_port(p, slot);
    const struct tt_caps *caps = &p->unit[p->slot[slot].unit].desc->caps;

    if (tt_plan_inner(p, p->slot[slot].feed))
        return "it is exchanged at every step of its group";
    if (port->type != TT_F64)
        return "it is not a Float64";
    if (port->variability != TT_VAR_CONTINUOUS)
        return "it is not continuous";
    if (caps->course_order == 0)
        return "its unit takes no course";
    if (!port->course_ok)
        return "its unit takes no course for it";
    return NULL;
}

static enum tt_code wanted_orders(const struct build *b, uint32_t *order,
                                  tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;

    for (uint32_t f = 0; f < p->n_feed; f++)
        order[p->feed[f].to] = (uint32_t)b->sc->approx;
    for (uint32_t i = 0; i < b->sc->n_input_approx && rc == TT_OK; i++) {
        const struct tt_sc_input_approx *a = &b->sc->input_approx[i];
        uint32_t port, slot;

        rc = plan_find_port(b, &a->ref, &port, err);
        if (rc != TT_OK)
            break;
        slot = b->slot_of[a->ref.unit][port];
        if (slot == TT_NONE || p->slot[slot].dir != TT_SLOT_IN)
            return tt_scenario_fail(
                b->sc, a->ref.where, err, TT_EINPUT,
                "'%s.%s' is not a connected input, so it has no approximation",
                p->unit[a->ref.unit].name, a->ref.variable);
        order[slot] = (uint32_t)a->approx;
    }
    return rc;
}

static void add_course(tt_plan *p, uint32_t slot, uint32_t order)
{
    p->frame_size = (p->frame_size + 7) / 8 * 8;
    p->slot[slot].course = p->n_course;
    p->course[p->n_course++] = (struct tt_course){
        .slot = slot, .order = order, .history = (uint32_t)p->frame_size};
    p->frame_size += sizeof(double) * (order + 1) * p->slot[slot].n;
    if (order + 1 > p->history_depth)
        p->history_depth = order + 1;
}

const char *tt_course_name(uint32_t order)
{
    static const char *const name[] = {"hold", "linear", "quadratic", "cubic"};

    return name[order];
}

const char *tt_plan_courses(const tt_plan *p)
{
    static const char *const text[] = {"hold", "linear where units can",
                                       "quadratic where units can",
                                       "cubic where units can"};

    return text[p->history_depth ? p->history_depth - 1 : 0];
}

static void place_course(tt_plan *p, uint32_t s, uint32_t wanted)
{
    const struct tt_caps *caps = &p->unit[p->slot[s].unit].desc->caps;
    const char *held = why_held(p, s);
    uint32_t order = wanted < caps->course_order ? wanted : caps->course_order;
    char name[512];

    tt_plan_slot_name(p, s, name, sizeof(name));
    if (held) {
        tt_plan_note(p, "approximation", "%s: hold, because %s", name, held);
        return;
    }
    add_course(p, s, order);
    tt_plan_note(p, "approximation", "%s: %s, %s%s", name,
                 tt_course_name(order),
                 caps->course_exact ? "taken exactly by its unit"
                                    : "sampled by its unit within the step",
                 order < wanted ? ", which takes no higher order" : "");
}

static void place_courses(tt_plan *p, const uint32_t *order)
{
    for (uint32_t s = 0; s < p->n_slot; s++)
        if (order[s])
            place_course(p, s, order[s]);
}

enum tt_code plan_courses(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    uint32_t *order;
    enum tt_code rc;

    p->course = tt_arena_alloc(p->arena, p->n_feed, sizeof(*p->course));
    if (!p->course || !TT_NEW_ARRAY(order, p->n_slot))
        return plan_nomem(err);
    rc = wanted_orders(b, order, err);
    if (rc == TT_OK)
        place_courses(p, order);
    tt_free(order);
    return rc;
}
