/* SPDX-License-Identifier: MIT */
/* Units that sleep while nothing happens to them. */
#include <math.h>

#include "base/num.h"
#include "plan/plan_impl.h"

/* Why a unit cannot, or NULL. */
static const char *why_awake(const tt_plan *p, uint32_t unit)
{
    const struct tt_plan_unit *u = &p->unit[unit];

    if (!u->desc->caps.variable_step)
        return "cannot vary its step";
    if (u->events)
        return "has events of the run";
    if (u->together)
        return "is integrated together with others";
    if (u->desc->caps.implicit)
        return "is a coupling";
    for (uint32_t s = u->slot + u->n_read; s < u->slot + u->n_read + u->n_in;
         s++)
        if (tt_type_is_text(p->slot[s].type))
            return "takes strings or binaries";
    return NULL;
}

static int feeds_through(const tt_plan *p, const struct tt_plan_unit *u)
{
    for (uint32_t s = u->slot; s < u->slot + u->n_read; s++) {
        struct tt_plan_inputs in = tt_plan_inputs_of(p, s, 0);

        if (in.known && in.n)
            return 1;
    }
    return 0;
}

/* What is meant for all leaves out those that only pass values on, or follow
 * time alone: they are cheap, and others wait for them. */
static int is_meant(const tt_plan *p, uint32_t unit)
{
    const struct tt_plan_unit *u = &p->unit[unit];

    return u->n_in && !feeds_through(p, u) && !why_awake(p, unit);
}

static enum tt_code refuse(const struct build *b, uint32_t unit, tt_err *err)
{
    return tt_scenario_fail(b->sc, b->sc->unit[unit].quantum_where, err,
                            TT_EINPUT, "instance '%s' cannot sleep: it %s",
                            b->plan->unit[unit].name, why_awake(b->plan, unit));
}

static void note(const struct build *b, uint32_t n, double least, double most)
{
    char a[TT_NUM_MAX], z[TT_NUM_MAX];

    tt_num_print_short(a, least);
    tt_num_print_short(z, most);
    tt_plan_note(b->plan, "quanta",
                 "%u of %u instance%s step%s only when an input has moved by "
                 "more than %s%s%s of its nominal value, before an output "
                 "would, and once in %u steps at least",
                 n, b->plan->n_unit, b->plan->n_unit == 1 ? "" : "s",
                 n == 1 ? "s" : "", a, least < most ? " to " : "",
                 least < most ? z : "", b->sc->quantum_most);
}

enum tt_code plan_quanta(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    double least = (double)INFINITY, most = 0;
    uint32_t n = 0;

    for (uint32_t u = 0; u < p->n_unit; u++) {
        double given = b->sc->unit[u].quantum;
        double q = isnan(given) ? b->sc->quantum : given;

        if (!(q > 0) || (isnan(given) && !is_meant(p, u)))
            continue;
        if (why_awake(p, u))
            return refuse(b, u, err);
        p->unit[u].quantum = (struct tt_quantum){q, b->sc->quantum_most};
        least = fmin(least, q);
        most = fmax(most, q);
        n++;
    }
    if (n)
        note(b, n, least, most);
    return TT_OK;
}
