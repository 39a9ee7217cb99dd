/* SPDX-License-Identifier: MIT */
#include "run/probe.h"

#include <math.h>
#include <string.h>

#include "run/run_impl.h"
#include "unit/linear.h"

struct numbers {
    struct tt_probe_number *at;
    size_t n, cap;
};

static int add(struct numbers *l, const struct tt_port *port,
               struct tt_probe_number one)
{
    if (TT_GROW(l->at, l->n, l->cap))
        return -1;
    one.nominal = tt_port_scale(port);
    l->at[l->n++] = one;
    return 0;
}

/* Can a start value of it be given, so that the unit takes it? */
static int starts_anywhere(const struct tt_port *p)
{
    return p->variability != TT_VAR_CONSTANT &&
           (p->initial == TT_INIT_EXACT || p->initial == TT_INIT_APPROX);
}

static int list_states(const tt_run *r, struct numbers *l)
{
    const tt_plan *p = r->plan;
    int rc = 0;

    for (uint32_t u = 0; u < p->n_unit; u++) {
        const struct tt_desc *d = p->unit[u].desc;
        int open = r->opts.tangent && !p->unit[u].events && tt_linear_can(d);

        for (uint32_t i = 0; i < d->n_port; i++) {
            uint32_t x = d->port[i].derivative_of;

            if (x == TT_NONE || d->port[x].type != TT_F64 ||
                d->port[x].causality == TT_CAUS_INPUT)
                continue;
            for (uint32_t e = 0; e < d->port[x].n && !rc; e++)
                rc =
                    add(l, &d->port[x],
                        (struct tt_probe_number){
                            .of = TT_PROBE_STATE,
                            .unit = u,
                            .port = x,
                            .element = e,
                            .movable = open || (!r->opts.tangent_late &&
                                                starts_anywhere(&d->port[x]))});
        }
    }
    return rc;
}

static int list_slots(const tt_plan *p, struct numbers *l)
{
    int rc = 0;

    for (uint32_t s = 0; s < p->n_slot; s++) {
        const struct tt_slot *slot = &p->slot[s];

        if (slot->type != TT_F64 || slot->dir == TT_SLOT_EXTRA ||
            slot->event_only)
            continue;
        for (uint32_t e = 0; e < slot->n && !rc; e++)
            rc = add(
                l, tt_plan_port(p, s),
                (struct tt_probe_number){.of = TT_PROBE_SLOT,
                                         .unit = slot->unit,
                                         .port = slot->port,
                                         .element = e,
                                         .slot = s,
                                         .movable = slot->dir == TT_SLOT_IN});
    }
    return rc;
}

static int list_pasts(const tt_plan *p, struct numbers *l)
{
    int rc = 0;

    for (uint32_t c = 0; c < p->n_course; c++) {
        const struct tt_course *course = &p->course[c];
        const struct tt_slot *slot = &p->slot[course->slot];
        uint32_t each = course->kind == TT_COURSE_HERMITE ? 2 : 1;

        for (uint32_t k = 0; k < course->depth * slot->n * each && !rc; k++)
            rc = add(
                l, tt_plan_port(p, course->slot),
                (struct tt_probe_number){.of = TT_PROBE_PAST,
                                         .unit = slot->unit,
                                         .port = slot->port,
                                         .element = k / course->depth % slot->n,
                                         .slot = course->slot,
                                         .course = c,
                                         .at = k,
                                         .age = k % course->depth});
    }
    return rc;
}

enum tt_code tt_probe_list(const tt_run *r, struct tt_probe_number **out,
                           uint32_t *n, tt_err *err)
{
    struct numbers l = {0};

    if (list_states(r, &l) || list_slots(r->plan, &l) ||
        list_pasts(r->plan, &l)) {
        tt_free(l.at);
        return run_nomem(err);
    }
    *out = l.at;
    *n = (uint32_t)l.n;
    return TT_OK;
}

/* --- reading and moving ---------------------------------------------------
 */

static struct tt_values *values_of(const tt_run *r)
{
    return tt_frame_at(r->frame, r->part_blocks.values);
}

static double *slot_at(const tt_run *r, uint32_t slot)
{
    return (double *)(void *)(values_of(r)->value + r->plan->slot[slot].offset);
}

static struct tt_past *past_at(const tt_run *r, uint32_t course)
{
    return (struct tt_past *)(void *)(values_of(r)->value +
                                      r->plan->course[course].history);
}

/* A state, from its unit. */
static enum tt_code ask(tt_run *r, const struct tt_probe_number *x, double *out,
                        tt_err *err)
{
    uint32_t n = r->plan->unit[x->unit].desc->port[x->port].n;
    double *all;
    enum tt_code rc;

    if (n == 1)
        return tt_run_get(r, x->unit, x->port, out, err);
    if (!TT_NEW_ARRAY(all, n))
        return run_nomem(err);
    rc = tt_run_get(r, x->unit, x->port, all, err);
    *out = all[x->element];
    tt_free(all);
    return rc;
}

enum tt_code tt_probe_read(tt_run *r, const struct tt_probe_number *of,
                           uint32_t n, double *out, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        if (of[i].of == TT_PROBE_STATE)
            rc = ask(r, &of[i], &out[i], err);
        else if (of[i].of == TT_PROBE_SLOT)
            out[i] = of[i].movable ? 0 : slot_at(r, of[i].slot)[of[i].element];
        else
            out[i] = past_at(r, of[i].course)->value[of[i].at];
    }
    return rc;
}

/* What an input has: where its source's value is passed on as it is, nothing
 * keeps its own place up to date. */
static void refresh(tt_run *r, const struct tt_slot *slot, double *value)
{
    const struct tt_feed *f =
        slot->feed == TT_NONE ? NULL : &r->plan->feed[slot->feed];

    if (f && f->how == TT_FEED_COPY && slot->course == TT_NONE &&
        r->plan->slot[f->from].type == TT_F64)
        memcpy(value, slot_at(r, f->from), slot->n * sizeof(*value));
}

enum tt_code tt_probe_linearise(tt_run *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        rc = tt_linear_begin(r->unit[u], err);
    return rc;
}

static enum tt_code move_input(tt_run *r, const struct tt_probe_number *of,
                               double by, tt_err *err)
{
    const struct tt_slot *slot = &r->plan->slot[of->slot];
    double *value = slot_at(r, of->slot);
    struct tt_span s = {.port = &of->port, .n = 1, .value = value};

    refresh(r, slot, value);
    value[of->element] += by;
    if (slot->course != TT_NONE)
        past_at(r, slot->course)
            ->value[(size_t)of->element *
                    r->plan->course[slot->course].depth] += by;
    return tt_unit_set(r->unit[of->unit], &s, err);
}

enum tt_code tt_probe_move(tt_run *r, const struct tt_probe_number *of,
                           double by, tt_err *err)
{
    TT_ASSERT(of->of != TT_PROBE_PAST && of->movable);
    if (of->of == TT_PROBE_SLOT)
        return move_input(r, of, by, err);
    tt_linear_move(r->unit[of->unit], of->port, by);
    return TT_OK;
}

/* --- start values ----------------------------------------------------------
 */

/* What the scenario gives, or else the description. */
static const double *start_of(const tt_run *r, const struct tt_run_nudge *g)
{
    const struct tt_plan *p = r->plan;

    for (uint32_t i = 0; i < p->n_start; i++)
        if (p->start[i].unit == g->unit && p->start[i].port == g->port)
            return p->start[i].value;
    return p->unit[g->unit].desc->port[g->port].start;
}

enum tt_code run_nudge_start(tt_run *r, tt_err *err)
{
    const struct tt_run_nudge *g = r->opts.nudge;
    const double *start;
    struct tt_span s = {.n = 1};
    double *value;
    uint32_t n;
    enum tt_code rc;

    if (!g)
        return TT_OK;
    s.port = &g->port;
    n = r->plan->unit[g->unit].desc->port[g->port].n;
    if (!TT_NEW_ARRAY(value, n))
        return run_nomem(err);
    start = start_of(r, g);
    if (start)
        memcpy(value, start, n * sizeof(*value));
    value[g->element] += g->by;
    s.value = value;
    rc = tt_unit_set(r->unit[g->unit], &s, err);
    tt_free(value);
    return rc;
}

/* --- without playing ------------------------------------------------------
 */

enum tt_code tt_probe_enter(tt_run *r, tt_err *err)
{
    enum tt_code rc = run_make_units(r, err);

    if (rc == TT_OK)
        rc = run_configure(r, err);
    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        rc = run_enter_init(r, u, err);
    return rc;
}

enum tt_code tt_probe_set(tt_run *r, uint32_t unit, const struct tt_span *s,
                          tt_err *err)
{
    return tt_unit_set(r->unit[unit], s, err);
}

enum tt_code tt_probe_get(tt_run *r, uint32_t unit, const struct tt_span *s,
                          tt_err *err)
{
    return tt_unit_get(r->unit[unit], s, err);
}

/* --- what it is of ---------------------------------------------------------
 */

uint64_t tt_probe_unit_steps(const tt_run *r)
{
    uint64_t n = 0;

    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        n += r->unit[u]->n_step;
    return n;
}

static int has_clocks(const tt_plan *p)
{
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (p->unit[u].desc->caps.clocks)
            return 1;
    return p->n_clock > 0;
}

uint32_t tt_probe_discrete(const tt_run *r)
{
    const tt_plan *p = r->plan;
    uint32_t n = 0;

    for (uint32_t f = 0; f < p->n_feed; f++)
        n += (uint32_t)(!tt_type_is_float(p->slot[p->feed[f].to].type) ||
                        p->slot[p->feed[f].to].event_only);
    return n;
}

static int has_models(const tt_plan *p)
{
    for (uint32_t i = 0; i < p->n_course; i++)
        if (p->course[i].kind == TT_COURSE_MODEL)
            return 1;
    return 0;
}

const char *tt_probe_refusal(const tt_run *r)
{
    const tt_plan *p = r->plan;

    if (p->by_events || p->discrete)
        return "time goes from event to event, and there is no macro step";
    if (has_clocks(p))
        return "clocks tick, so that macro steps are not all alike";
    if (p->n_locate)
        return "crossings are located, so that macro steps are not all alike";
    if (has_models(p))
        return "inputs are predicted by models that are fitted as it goes, so "
               "that macro steps are not all alike";
    if (p->variable)
        return "the step varies, so that macro steps are not all alike; give "
               "one with --step and leave error control out";
    return NULL;
}
