/* SPDX-License-Identifier: MIT */
/* What a variable step is limited by: the ports its constraints name. */
#include "plan/plan_impl.h"

static enum tt_code mark_one(struct build *b, const struct tt_sc_constraint *c,
                             const struct tt_sc_ref *ref, tt_err *err)
{
    const struct tt_plan_unit *u = &b->plan->unit[ref->unit];
    uint32_t port;
    enum tt_code rc = plan_find_port(b, ref, &port, err);

    if (rc != TT_OK)
        return rc;
    if (!tt_type_is_number(u->desc->port[port].type) ||
        u->desc->port[port].n != 1)
        return tt_scenario_fail_ref(
            b->sc, ref, err, TT_EINPUT,
            "constraint '%s' needs a number, but '%s.%s' "
            "is %s%s",
            c->name, u->name, ref->variable,
            u->desc->port[port].n == 1 ? "" : "an array of ",
            tt_type_name(u->desc->port[port].type));
    b->mark[ref->unit][port] |= MARK_WATCH;
    return TT_OK;
}

/* Maestro 2 does not ask. */
static enum tt_code need_variable_step(const struct build *b, tt_err *err)
{
    for (uint32_t u = 0; u < b->plan->n_unit; u++) {
        const struct tt_plan_unit *unit = &b->plan->unit[u];

        if (unit->desc->caps.variable_step)
            continue;
        if (b->plan->dialect != TT_SC_MAESTRO2)
            return tt_scenario_fail(
                b->sc, b->sc->step_where, err, TT_EINPUT,
                "the step cannot vary: instance '%s' (%s) takes steps of one "
                "length only",
                unit->name, unit->desc->kind);
        tt_log(b->log, TT_LOG_WARN,
               "instance '%s' (%s) declares that it takes steps of one length "
               "only, and the step varies, as with Maestro 2",
               unit->name, unit->desc->kind);
    }
    return TT_OK;
}

enum tt_code plan_mark_watched(struct build *b, tt_err *err)
{
    enum tt_code rc = TT_OK;

    plan_mark_located(b);
    if (b->plan->rejects)
        rc = need_variable_step(b, err);
    if (!b->plan->variable)
        return rc;
    for (uint32_t i = 0; i < b->sc->n_constraint && rc == TT_OK; i++) {
        const struct tt_sc_constraint *c = &b->sc->constraint[i];

        for (uint32_t k = 0; k < c->n_port && rc == TT_OK; k++)
            rc = mark_one(b, c, &c->port[k], err);
    }
    return rc;
}

/* What an error constraint that names no ports looks at: outputs for a step
 * that is compared with another, inputs for their courses; but not inputs that
 * know the end of a step beforehand, as those that follow a signal, or that
 * change with their source within it. */
static enum tt_slot_dir usual_dir(const struct tt_sc_constraint *c)
{
    return c->method == TT_ERROR_RICHARDSON || c->method == TT_ERROR_EMBEDDED
               ? TT_SLOT_OUT
               : TT_SLOT_IN;
}

static int looks_at_all(const struct tt_sc_constraint *c)
{
    return c->kind == TT_CONSTRAINT_ERROR && c->method != TT_ERROR_ENERGY &&
           c->n_port == 0;
}

static int is_usual(const struct build *b, const struct tt_sc_constraint *c,
                    uint32_t slot)
{
    const struct tt_slot *s = &b->plan->slot[slot];

    return s->dir == usual_dir(c) && s->type == TT_F64 &&
           !(s->dir == TT_SLOT_IN && (s->reactivity == TT_REACT_REACTIVE ||
                                      tt_plan_flows(b->plan, s->feed))) &&
           tt_plan_port(b->plan, slot)->variability == TT_VAR_CONTINUOUS;
}

static uint32_t count_numbers(const struct build *b,
                              const struct tt_sc_constraint *c)
{
    uint32_t n = 0;

    if (!looks_at_all(c))
        return c->n_port;
    for (uint32_t s = 0; s < b->plan->n_slot; s++)
        n += is_usual(b, c, s) ? b->plan->slot[s].n : 0;
    return n;
}

static void add_watch(tt_plan *p, struct tt_watched *w, uint32_t slot,
                      uint32_t element)
{
    w->at[w->n++] = p->n_watch;
    p->watch[p->n_watch++] = (struct tt_watch){slot, element};
}

static void watch_ports(struct build *b, const struct tt_sc_constraint *c,
                        struct tt_watched *w)
{
    for (uint32_t k = 0; k < c->n_port; k++) {
        uint32_t unit = c->port[k].unit;
        uint32_t port =
            tt_desc_find(b->plan->unit[unit].desc, c->port[k].variable);

        add_watch(b->plan, w, b->slot_of[unit][port], 0);
    }
}

static void watch_all(struct build *b, const struct tt_sc_constraint *c,
                      struct tt_watched *w)
{
    for (uint32_t s = 0; s < b->plan->n_slot; s++)
        if (is_usual(b, c, s))
            for (uint32_t e = 0; e < b->plan->slot[s].n; e++)
                add_watch(b->plan, w, s, e);
}

/* Inputs are compared with their own past, and so must be connected ones. */
static enum tt_code check_inputs(const struct build *b,
                                 const struct tt_sc_constraint *c,
                                 const struct tt_watched *w, tt_err *err)
{
    for (uint32_t k = 0; k < w->n; k++) {
        const struct tt_watch *at = &b->plan->watch[w->at[k]];
        char name[512];

        if (b->plan->slot[at->slot].dir == TT_SLOT_IN)
            continue;
        return tt_scenario_fail(
            b->sc, c->port[k].where, err, TT_EINPUT,
            "constraint '%s' needs connected inputs, but '%s' is none", c->name,
            tt_plan_slot_name(b->plan, at->slot, name, sizeof(name)));
    }
    return TT_OK;
}

/* Steps that are compared with others are repeated, so every unit must go back.
 */
static enum tt_code check_repeating(const struct build *b,
                                    const struct tt_sc_constraint *c,
                                    tt_err *err)
{
    for (uint32_t u = 0; u < b->plan->n_unit; u++)
        if (!b->plan->unit[u].desc->caps.save)
            return tt_scenario_fail(
                b->sc, c->where, err, TT_EINPUT,
                "constraint '%s' repeats every step, but instance '%s' (%s) "
                "cannot "
                "save its state; methods 'milne', 'orders' and 'energy' do "
                "without",
                c->name, b->plan->unit[u].name, b->plan->unit[u].desc->kind);
    if (c->method == TT_ERROR_RICHARDSON)
        b->plan->doubles = 1;
    else
        b->plan->embeds = 1;
    if (b->plan->doubles && b->plan->embeds)
        return tt_scenario_fail(b->sc, c->where, err, TT_EINPUT,
                                "constraint '%s': 'richardson' and 'embedded' "
                                "exclude each other",
                                c->name);
    return TT_OK;
}

static enum tt_code check_error(const struct build *b,
                                const struct tt_sc_constraint *c,
                                const struct tt_watched *w, tt_err *err)
{
    if (c->method == TT_ERROR_ENERGY)
        return b->sc->n_bond
                   ? TT_OK
                   : tt_scenario_fail(b->sc, c->where, err, TT_EINPUT,
                                      "constraint '%s' watches energy, but the "
                                      "scenario has no 'powerBonds'",
                                      c->name);
    if (w->n == 0)
        return tt_scenario_fail(
            b->sc, c->where, err, TT_EINPUT,
            "constraint '%s' has nothing to look at: no continuous Float64 %s "
            "is connected",
            c->name, usual_dir(c) == TT_SLOT_OUT ? "output" : "input");
    if (c->method == TT_ERROR_OWN)
        return TT_OK;
    return usual_dir(c) == TT_SLOT_OUT ? check_repeating(b, c, err)
                                       : check_inputs(b, c, w, err);
}

static enum tt_code watch_one(struct build *b, uint32_t i, tt_err *err)
{
    const struct tt_sc_constraint *c = &b->sc->constraint[i];
    struct tt_watched *w = &b->plan->watched_by[i];

    if (!TT_NEW_IN(b->plan->arena, w->at, count_numbers(b, c)))
        return plan_nomem(err);
    if (looks_at_all(c))
        watch_all(b, c, w);
    else
        watch_ports(b, c, w);
    return c->kind == TT_CONSTRAINT_ERROR ? check_error(b, c, w, err) : TT_OK;
}

/* Slots exist now: one entry per number a constraint looks at. */
enum tt_code plan_watch(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;
    uint32_t n = b->sc->n_locate;

    if (p->variable)
        p->n_constraint = b->sc->n_constraint;
    for (uint32_t i = 0; i < p->n_constraint; i++)
        n += count_numbers(b, &b->sc->constraint[i]);
    if (!TT_NEW_IN(p->arena, p->watch, n) ||
        !TT_NEW_IN(p->arena, p->watched_by, p->n_constraint))
        return plan_nomem(err);
    for (uint32_t i = 0; i < p->n_constraint && rc == TT_OK; i++)
        rc = watch_one(b, i, err);
    return rc == TT_OK ? plan_locate(b, err) : rc;
}
