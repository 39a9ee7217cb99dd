/* SPDX-License-Identifier: MIT */
/* What a coupling comes to: its constraint, the rate of that, and the actions,
 * each with how it follows a small change. */
#include <string.h>

#include "kinds/coupling_impl.h"

/* --- the constraint ------------------------------------------------------- */

/* The port of a role; what there is none of is 0, and so is its change. */
struct tt_coupling_pair tt_coupling_own(const struct tt_coupling *c,
                                        enum tt_coupling_role role,
                                        const double *d)
{
    uint32_t port = c->type->port_of[role];

    if (port == TT_NONE)
        return (struct tt_coupling_pair){0, 0};
    return (struct tt_coupling_pair){c->is->number[port], d ? d[port] : 0};
}

/* How every variable changes with d, or its rate does. */
static const double *values_of(const struct tt_coupling *c, const double *d,
                               double *out)
{
    for (uint32_t i = 0; d && i < c->type->e.n_ref; i++)
        out[i] = d[c->type->ref[i].value];
    return d ? out : NULL;
}

static const double *rates_of(const struct tt_coupling *c, const double *d,
                              double *out)
{
    for (uint32_t i = 0; d && i < c->type->e.n_ref; i++)
        out[i] = c->type->ref[i].rate == TT_NONE ? 0 : d[c->type->ref[i].rate];
    return d ? out : NULL;
}

static struct tt_expr_jet jet(struct tt_coupling *c, struct tt_expr_way way)
{
    c->at.t = c->k.base.now;
    return tt_expr_jet(c->e, &c->at, &way);
}

struct tt_coupling_pair tt_coupling_residual(struct tt_coupling *c,
                                             const double *d)
{
    struct tt_expr_jet j;

    c->at.t = c->k.base.now;
    if (!d)
        return (struct tt_coupling_pair){tt_expr_value(c->e, &c->at), 0};
    j = jet(c, (struct tt_expr_way){.a = values_of(c, d, c->a)});
    return (struct tt_coupling_pair){j.v, j.a};
}

/* The constraint along the rates, and along time. */
struct tt_coupling_pair tt_coupling_rate_residual(struct tt_coupling *c,
                                                  const double *d)
{
    struct tt_expr_jet j =
        jet(c, (struct tt_expr_way){.a = rates_of(c, c->is->number, c->a),
                                    .t_a = 1,
                                    .b = values_of(c, d, c->b),
                                    .ab = rates_of(c, d, c->ab)});

    return (struct tt_coupling_pair){j.a, j.ab};
}

/* dg/dx now, of one variable x. */
struct tt_coupling_pair tt_coupling_gradient(struct tt_coupling *c,
                                             uint32_t ref, const double *d)
{
    struct tt_expr_jet j;

    memset(c->a, 0, c->type->e.n_ref * sizeof(*c->a));
    c->a[ref] = 1;
    j = jet(c, (struct tt_expr_way){.a = c->a, .b = values_of(c, d, c->b)});
    return (struct tt_coupling_pair){j.a, j.ab};
}

/* --- what it finds -------------------------------------------------------- */

/* At initialisation nothing can be made right yet: the action is as given. */
static int at_start(const struct tt_coupling *c)
{
    return c->k.base.life == TT_LIFE_INIT || c->k.base.life == TT_LIFE_MADE ||
           c->k.base.life == TT_LIFE_CONFIGURED;
}

static struct tt_coupling_pair less(struct tt_coupling_pair x,
                                    struct tt_coupling_pair y)
{
    return (struct tt_coupling_pair){x.v - y.v, x.d - y.d};
}

static struct tt_coupling_pair times(struct tt_coupling_pair x,
                                     struct tt_coupling_pair y)
{
    return (struct tt_coupling_pair){x.v * y.v, x.d * y.v + x.v * y.d};
}

static struct tt_coupling_pair find_action(struct tt_coupling *c,
                                           const double *d)
{
    struct tt_coupling_pair a = tt_coupling_own(c, COUPLING_GUESS, d);

    if (at_start(c))
        return tt_coupling_own(c, COUPLING_START, d);
    if (!c->rates)
        return less(a, tt_coupling_residual(c, d));
    a = less(a, tt_coupling_rate_residual(c, d));
    return c->both ? a
                   : less(a, times(tt_coupling_own(c, COUPLING_DAMPING, d),
                                   tt_coupling_residual(c, d)));
}

/* Every action on something asks for it. */
struct tt_coupling_pair tt_coupling_action(struct tt_coupling *c,
                                           const double *d)
{
    if (!c->is_found)
        c->found = find_action(c, d);
    c->is_found = 1;
    return c->found;
}

struct tt_coupling_pair tt_coupling_first(struct tt_coupling *c,
                                          const double *d)
{
    return at_start(c) ? tt_coupling_own(c, COUPLING_START, d)
                       : less(tt_coupling_own(c, COUPLING_FIRST_GUESS, d),
                              tt_coupling_residual(c, d));
}

/* dg/dx where the step began, per ref. */
double *tt_coupling_began(const struct tt_coupling *c)
{
    return c->is->number + c->k.base.desc->n_port;
}

struct tt_coupling_pair tt_coupling_term(struct tt_coupling *c, uint32_t ref,
                                         const double *d)
{
    struct tt_coupling_pair g = tt_coupling_gradient(c, ref, d);

    if (!at_start(c) && !c->both)
        g = (struct tt_coupling_pair){(tt_coupling_began(c)[ref] + g.v) / 2,
                                      g.d / 2};
    return times(tt_coupling_action(c, d), g);
}

struct tt_coupling_pair tt_coupling_term_first(struct tt_coupling *c,
                                               uint32_t ref, const double *d)
{
    struct tt_coupling_pair g =
        at_start(c) ? tt_coupling_gradient(c, ref, d)
                    : (struct tt_coupling_pair){tt_coupling_began(c)[ref], 0};

    return times(tt_coupling_first(c, d), g);
}
