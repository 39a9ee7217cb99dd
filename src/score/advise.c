/* SPDX-License-Identifier: MIT */
/* The order of units that feed each other, in Gauss-Seidel: which there are,
 * what decided, and which one is advised.
 *
 * Feeding units step first; in a circle every unit feeds, and something else
 * must decide: reactive inputs, the scenario's "order", or else the order in
 * which the scenario names its units. Orders that begin the same circle
 * elsewhere are products of the same matrices, begun elsewhere: with held
 * inputs they have the same eigenvalues, and differ in accuracy only. The rule
 * of thumb for the beginning (Gomes 2019, 3.7.3, on stability): the highest
 * mass first, since it is moved least by an input that is a step old. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "score/write.h"

#define MOST_COMPARED 64u /* units of a loop: no rule for more */

struct mass {
    double kg; /* NaN: the unit declares none */
    const char *name;
    double value;
    const char *unit;
};

/* In kg (1) or kg.m2 (2), else 0. */
static int is_inertia(const struct tt_quantity *q)
{
    static const int8_t kg[8] = {1}, kgm2[8] = {1, 2};

    if (!q)
        return 0;
    if (!q->has_base)
        return strcmp(q->name, "kg") == 0;
    if (memcmp(q->exponent, kg, sizeof(kg)) == 0)
        return 1;
    return memcmp(q->exponent, kgm2, sizeof(kgm2)) == 0 ? 2 : 0;
}

static const void *value_of(const tt_plan *p, uint32_t unit, uint32_t port)
{
    for (uint32_t i = 0; i < p->n_start; i++)
        if (p->start[i].unit == unit && p->start[i].port == port)
            return p->start[i].value;
    return p->unit[unit].desc->port[port].start;
}

/* The largest parameter of a unit that is a mass (or, with sort 2, a moment of
 * inertia). */
static struct mass mass_of(const tt_plan *p, uint32_t unit, int sort)
{
    const struct tt_desc *d = p->unit[unit].desc;
    struct mass m = {.kg = (double)NAN};

    for (uint32_t i = 0; i < d->n_port; i++) {
        const struct tt_port *port = &d->port[i];
        const void *at;
        double v, kg;

        if (port->causality != TT_CAUS_PARAMETER || port->n != 1 ||
            !tt_type_is_float(port->type) || is_inertia(port->quantity) != sort)
            continue;
        at = value_of(p, unit, i);
        v = at ? tt_value_as_double(port->type, at) : (double)NAN;
        kg = port->quantity->has_base ? v * port->quantity->factor : v;
        if (!isnan(kg) && !(kg <= m.kg))
            m = (struct mass){.kg = kg,
                              .name = port->name,
                              .value = v,
                              .unit = port->quantity->name};
    }
    return m;
}

static void write_order(const tt_plan *p, const uint32_t *unit, uint32_t n,
                        uint32_t from, struct tt_buf *out)
{
    for (uint32_t i = 0; i < n && i < 8; i++)
        tt_buf_fmt(out, "%s%s", i ? " -> " : "",
                   p->unit[unit[(from + i) % n]].name);
    if (n > 8)
        tt_buf_str(out, " -> ...");
}

/* "2 orders exist", "24 orders exist". */
static void write_count(uint32_t n, struct tt_buf *out)
{
    uint32_t orders = 1;

    for (uint32_t i = 2; i <= n && n <= 8; i++)
        orders *= i;
    if (n <= 8)
        tt_buf_fmt(out, "%u orders exist", orders);
    else
        tt_buf_str(out, "very many orders exist");
}

static int has_reactive(const tt_plan *p, const uint32_t *component,
                        uint32_t which)
{
    for (uint32_t f = 0; f < p->n_feed; f++)
        if (p->slot[p->feed[f].to].reactivity == TT_REACT_REACTIVE &&
            component[p->slot[p->feed[f].to].unit] == which &&
            component[p->slot[p->feed[f].from].unit] == which)
            return 1;
    return 0;
}

/* Which unit of the loop has the highest mass, if all declare one of a sort and
 * one is above the others; n: none. */
static uint32_t heaviest(const tt_plan *p, const uint32_t *unit, uint32_t n,
                         struct mass *most)
{
    for (int sort = 1; sort <= 2 && n <= MOST_COMPARED; sort++) {
        uint32_t best = n, known = 0, equal = 0;

        most->kg = (double)NAN;
        for (uint32_t i = 0; i < n; i++) {
            struct mass m = mass_of(p, unit[i], sort);

            known += isnan(m.kg) ? 0 : 1;
            equal += m.kg == most->kg ? 1 : 0;
            if (m.kg > most->kg || (isnan(most->kg) && !isnan(m.kg))) {
                *most = m;
                best = i;
                equal = 0;
            }
        }
        if (known == n && !equal)
            return best;
    }
    return n;
}

static void write_advice(const tt_plan *p, const uint32_t *unit, uint32_t n,
                         uint32_t best, const struct mass *m,
                         struct tt_buf *out)
{
    char value[TT_NUM_MAX];

    if (best == n) {
        tt_buf_str(out, "no rule prefers one (the highest mass first, but "
                        "these declare none that differ): compare them with "
                        "half the step");
        return;
    }
    tt_num_print_digits(value, m->value, 6);
    tt_buf_fmt(out, "the highest mass first: '%s' (%s = %s %s)",
               p->unit[unit[best]].name, m->name, value, m->unit);
    if (best == 0) {
        tt_buf_str(out, ", as it is");
        return;
    }
    tt_buf_str(out, ", so \"order\": ");
    write_order(p, unit, n, best, out);
}

/* The order is noted; a warning where it was not chosen, and the rule would
 * choose another one. */
static void note_loops(struct tt_draft *w, const uint32_t *unit, uint32_t n,
                       int reactive)
{
    const tt_plan *p = w->plan;
    int given = p->scenario->n_order > 0;
    struct tt_buf text;
    struct mass most = {.kg = (double)NAN};
    uint32_t best = heaviest(p, unit, n, &most);

    tt_buf_init(&text, TT_ERR_MAX - 1);
    tt_write_names(p, unit, n, &text);
    tt_buf_str(&text, " feed each other: ");
    write_count(n, &text);
    tt_buf_str(&text,
               reactive ? " less those that reactive inputs exclude, " : ", ");
    write_order(p, unit, n, 0, &text);
    tt_buf_fmt(&text, " is played because %s; advice: ",
               given      ? "from \"order\" in the scenario"
               : reactive ? "reactive inputs decide, then the order in which "
                            "the scenario names them"
                          : "the scenario names them in this order");
    write_advice(p, unit, n, best, &most, &text);
    if (text.failed)
        tt_write_note(w, "order",
                      "instances that feed each other step as listed");
    else
        (!given && !reactive && best != n && best != 0
             ? tt_write_warning
             : tt_write_note)(w, "order", "%s", text.data);
    tt_buf_fini(&text);
}

#define MOST_LOOPS 8u

/* The units of each circle, in the order they step. */
static void report_circles(struct tt_draft *w, const uint32_t *order,
                           const uint32_t *component, uint32_t *at,
                           uint32_t *unit)
{
    uint32_t n = w->plan->n_unit, noted = 0;

    for (uint32_t i = 0; i < n; i++)
        at[component[order[i]] + 1]++;
    for (uint32_t c = 0; c < n; c++)
        at[c + 1] += at[c];
    for (uint32_t i = 0; i < n; i++)
        unit[at[component[order[i]]]++] = order[i];
    for (uint32_t first = 0, i = 1; i <= n; i++) {
        if (i < n && component[unit[i]] == component[unit[first]])
            continue;
        if (i - first > 1 && noted++ < MOST_LOOPS)
            note_loops(
                w, unit + first, i - first,
                has_reactive(w->plan, component, component[unit[first]]));
        first = i;
    }
    if (noted > MOST_LOOPS)
        tt_write_note(w, "order",
                      "%u more loops step as the scenario names "
                      "their instances",
                      noted - MOST_LOOPS);
}

enum tt_code tt_write_order_notes(struct tt_draft *w, const uint32_t *order,
                                  tt_err *err)
{
    const tt_plan *p = w->plan;
    uint32_t *component, *at = NULL, *unit = NULL;
    enum tt_code rc = TT_OK;

    /* repeated until they agree, all orders come to the same */
    if (!w->sequential || p->scenario->iteration.converged)
        return TT_OK;
    if (!TT_NEW_ARRAY(component, p->n_unit) ||
        !TT_NEW_ARRAY(at, (size_t)p->n_unit + 1) ||
        !TT_NEW_ARRAY(unit, p->n_unit))
        rc = tt_nomem(err, "ordering instances");
    if (rc == TT_OK)
        rc = tt_write_components(w, 0, component, err);
    if (rc == TT_OK)
        report_circles(w, order, component, at, unit);
    TT_FREE_ALL(component, at, unit);
    return rc;
}
