/* SPDX-License-Identifier: MIT */
/* What a scenario declares of itself as a unit. */
#include <string.h>

#include "compose/compose_impl.h"

static const struct tt_port *inner_port(const tt_plan *p,
                                        const struct tt_plan_target *t)
{
    return &p->unit[t->unit].desc->port[t->port];
}

/* --- ports ---------------------------------------------------------------- */

/* Of several that do not agree: either. */
static enum tt_reactivity reactivity_of(const tt_plan *p,
                                        const struct tt_plan_port *port)
{
    enum tt_reactivity first = inner_port(p, &port->target[0])->reactivity;

    for (uint32_t k = 1; k < port->n_target; k++)
        if (inner_port(p, &port->target[k])->reactivity != first)
            return TT_REACT_EITHER;
    return first;
}

/* Inputs can be followed within a step: by units that take courses, by
 * sub-steps, or held at their mean over the steps inside. */
static int takes_course(const tt_plan *p, const struct tt_plan_port *port)
{
    const struct tt_port *first = inner_port(p, &port->target[0]);

    if (port->causality != TT_CAUS_INPUT || first->type != TT_F64 ||
        first->variability != TT_VAR_CONTINUOUS)
        return 0;
    for (uint32_t k = 0; k < port->n_target; k++) {
        const struct tt_plan_target *t = &port->target[k];
        const struct tt_caps *caps = &p->unit[t->unit].desc->caps;

        if (caps->implicit ||
            (caps->course_order > 0 && !inner_port(p, t)->course_ok))
            return 0;
    }
    return 1;
}

/* What is no port of its own can still get another value before the start, as
 * far as its unit allows. */
static enum tt_initial initial_of(const struct tt_plan_port *port,
                                  const struct tt_port *is)
{
    if (is->causality == TT_CAUS_STRUCTURAL)
        return TT_INIT_CALCULATED;
    if (port->causality == TT_CAUS_LOCAL &&
        (is->causality == TT_CAUS_PARAMETER ||
         (is->causality == TT_CAUS_INPUT && port->settable)))
        return TT_INIT_EXACT;
    return is->initial;
}

static struct tt_port describe_port(const tt_plan *p,
                                    const struct tt_plan_port *port)
{
    struct tt_port is = *inner_port(p, &port->target[0]);

    is.initial = initial_of(port, &is);
    is.name = port->name;
    is.causality = port->causality;
    is.reactivity = is.causality == TT_CAUS_INPUT ? reactivity_of(p, port)
                                                  : TT_REACT_EITHER;
    is.derivative_of = TT_NONE;
    is.leaps = port->left != TT_NONE;
    is.left = is.leaps ? port->left : 0;
    is.is_guess = is.begins_by = 0;
    is.clock = is.n_also = 0;
    is.ticks = NULL;
    is.guess_of = is.guess_with = is.guess_unless = is.begins_at = 0;
    is.course_ok = takes_course(p, port);
    is.trail_ok &= port->slot != TT_NONE;
    return is;
}

/* The port that is this one inside, plus 1; 0: none. */
static uint32_t port_of(const tt_plan *p, uint32_t unit, uint32_t port)
{
    for (uint32_t k = 0; k < p->n_port; k++)
        if (p->port[k].target[0].unit == unit &&
            p->port[k].target[0].port == port)
            return k + 1;
    return 0;
}

/* Where the clocks a value comes with are ports, too. Without one of them there
 * may be a value at any time. */
static enum tt_code name_clocks(struct composite_type *t, const tt_plan *p,
                                struct tt_port *port, tt_err *err)
{
    for (uint32_t i = 0; i < p->n_port; i++) {
        const struct tt_plan_target *at = &p->port[i].target[0];
        const struct tt_port *is = inner_port(p, at);
        uint32_t *also = NULL, n = 0;

        if (!is->clock)
            continue;
        if (!TT_NEW_IN(t->arena, also, is->n_also))
            return composite_nomem(err);
        port[i].clock = port_of(p, at->unit, is->clock - 1);
        for (; n < is->n_also && port[i].clock; n++) {
            uint32_t k = port_of(p, at->unit, is->also[n]);

            port[i].clock = k ? port[i].clock : 0;
            also[n] = k - 1;
        }
        port[i].also = also;
        port[i].n_also = port[i].clock ? n : 0;
    }
    return TT_OK;
}

/* What the scenario gives goes before what units declare. */
static enum tt_code give_starts(const tt_plan *p, struct tt_port *port,
                                tt_err *err)
{
    uint32_t *base, *at, n = 0;

    if (!TT_NEW_ARRAY(base, p->n_unit))
        return composite_nomem(err);
    for (uint32_t u = 0; u < p->n_unit; u++) {
        base[u] = n;
        n += p->unit[u].desc->n_port;
    }
    if (!TT_NEW_ARRAY(at, n)) {
        tt_free(base);
        return composite_nomem(err);
    }
    for (uint32_t i = 0; i < p->n_port; i++)
        at[base[p->port[i].target[0].unit] + p->port[i].target[0].port] = i + 1;
    for (uint32_t i = 0; i < p->n_start; i++) {
        uint32_t of = at[base[p->start[i].unit] + p->start[i].port];

        if (of)
            port[of - 1].start = p->start[i].value;
    }
    TT_FREE_ALL(base, at);
    return TT_OK;
}

static enum tt_code describe_ports(struct composite_type *t, const tt_plan *p,
                                   tt_err *err)
{
    struct tt_desc *d = &t->base.desc;
    struct tt_port *port = tt_arena_alloc(t->arena, p->n_port, sizeof(*port));

    if (!port)
        return composite_nomem(err);
    for (uint32_t i = 0; i < p->n_port; i++) {
        port[i] = describe_port(p, &p->port[i]);
        if (tt_names_add(&d->by_name, port[i].name, i) != 0)
            return composite_nomem(err);
    }
    d->port = port;
    d->n_port = p->n_port;
    if (name_clocks(t, p, port, err) != TT_OK)
        return TT_ENOMEM;
    return give_starts(p, port, err);
}

/* --- capabilities --------------------------------------------------------- */

/* Does an output follow inputs at one instant? */
static int feeds_through(const struct tt_desc *d)
{
    for (uint32_t i = 0; i < d->n_port; i++)
        if (d->port[i].causality == TT_CAUS_OUTPUT &&
            (!d->run[i].known || d->run[i].n))
            return 1;
    return 0;
}

static void meet(struct tt_caps *c, const struct tt_plan_unit *u,
                 int *all_evaluate)
{
    const struct tt_caps *k = &u->desc->caps;

    c->save &= k->save;
    c->serialise &= k->serialise;
    c->variable_step &= k->variable_step;
    c->max_step |= k->max_step;
    c->once_per_process |= k->once_per_process;
    *all_evaluate &= u->consistent;
}

/* Of the units that take inputs from outside, or give outputs to it. */
static void meet_ports(struct tt_caps *c, const tt_plan *p,
                       const struct tt_desc *d)
{
    int inputs = 0, outputs = 0;

    c->course_exact = c->course_pieces = 1;
    for (uint32_t i = 0; i < p->n_port; i++)
        for (uint32_t k = 0; k < p->port[i].n_target; k++) {
            const struct tt_caps *of =
                &p->unit[p->port[i].target[k].unit].desc->caps;

            if (d->port[i].causality == TT_CAUS_OUTPUT) {
                outputs = 1;
                if (of->rate_order < c->rate_order)
                    c->rate_order = of->rate_order;
            }
            if (!d->port[i].course_ok)
                continue;
            inputs = 1;
            c->course_exact &= of->course_order > 0 && of->course_exact;
            c->course_pieces &= of->course_order == 0 || of->course_pieces;
            if (of->course_order > 0 && of->course_order < c->course_order)
                c->course_order = of->course_order;
        }
    c->rate_order = outputs ? c->rate_order : 0;
    c->course_order = inputs ? c->course_order : 0;
    c->course_exact &= inputs;
    c->course_pieces &= inputs;
}

static void describe_caps(struct composite_type *t, const tt_plan *p)
{
    struct tt_desc *d = &t->base.desc;
    int all_evaluate = 1;

    d->caps = (struct tt_caps){.threads = TT_THREADS_MAIN,
                               .save = 1,
                               .serialise = 1,
                               .variable_step = 1,
                               .course_order = TT_POLY_MAX,
                               .rate_order = TT_POLY_MAX,
                               .early_return = 1};
    for (uint32_t u = 0; u < p->n_unit; u++)
        meet(&d->caps, &p->unit[u], &all_evaluate);
    meet_ports(&d->caps, p, d);
    d->caps.event_mode = p->n_event > 0;
    d->caps.discrete = p->discrete;
    d->internal = p->internal;
    if (all_evaluate || feeds_through(d))
        d->caps.evaluates = TT_EVAL_ALWAYS;
    else
        d->caps.evaluates = p->n_event ? TT_EVAL_EVENT : TT_EVAL_NEVER;
}

/* ... where steps inside can be taken back. */
static int locates(const tt_plan *p)
{
    int any = p->n_locate > 0;

    for (uint32_t u = 0; u < p->n_unit; u++)
        any |= p->unit[u].desc->locates;
    return any && p->rejects;
}

static uint32_t count_inside(const tt_plan *p)
{
    uint32_t n = 0;

    for (uint32_t u = 0; u < p->n_unit; u++)
        n += p->unit[u].desc && p->unit[u].desc->inside
                 ? p->unit[u].desc->inside
                 : 1;
    return n;
}

enum tt_code composite_describe(struct composite_type *t, tt_err *err)
{
    const tt_plan *p = tt_run_plan(t->run);
    struct tt_desc *d = &t->base.desc;
    struct tt_deps *run = tt_arena_alloc(t->arena, p->n_port, sizeof(*run));
    struct tt_deps *init = tt_arena_alloc(t->arena, p->n_port, sizeof(*init));
    enum tt_code rc;

    d->kind = tt_kind_composite.name;
    d->model = t->scenario->name;
    d->inside = count_inside(p);
    d->has_texts = p->has_texts;
    d->locates = locates(p);
    if (!run || !init)
        return composite_nomem(err);
    rc = describe_ports(t, p, err);
    if (rc == TT_OK)
        rc = composite_depend(t, run, 0, err);
    if (rc == TT_OK)
        rc = composite_depend(t, init, 1, err);
    if (rc != TT_OK)
        return rc;
    d->run = run;
    d->init = init;
    d->standard = (struct tt_experiment){t->scenario->start, t->scenario->end,
                                         t->scenario->tolerance};
    d->standard_step = p->follows || p->variable ? (double)NAN : p->step;
    d->inner_step = p->follows || p->rejects ? 0 : p->step;
    describe_caps(t, p);
    return composite_has_tangent(t, &d->caps.directional, err);
}
