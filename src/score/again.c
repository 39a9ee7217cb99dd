/* SPDX-License-Identifier: MIT */
/* The again section, of a scenario inside another one: its inputs from outside
 * have got other values since the exchange, and what follows from them at this
 * instant is moved again. Units that may not be read after setting are set and
 * not read: their outputs are those of their step. */
#include "score/schedule.h"
#include "base/lists.h"

/* Outputs by the input they depend on: those of input `port` of a unit are
 * out[first[at]] .., with at = base[unit] + port. */
struct again {
    const tt_plan *p;
    uint32_t *base, *first, *out;
    uint8_t *follows; /* per slot */
    uint8_t *all;     /* per unit: outputs that do not state are followed */
    uint32_t *stack, n;
};

static const struct tt_deps *deps_of(const tt_plan *p, uint32_t slot)
{
    const struct tt_slot *s = &p->slot[slot];

    return &p->unit[s->unit].desc->run[s->port];
}

static int number_ports(struct again *a, uint32_t *n)
{
    const tt_plan *p = a->p;

    *n = 0;
    if (!TT_NEW_ARRAY(a->base, p->n_unit))
        return 0;
    for (uint32_t u = 0; u < p->n_unit; u++) {
        a->base[u] = *n;
        *n += p->unit[u].desc->n_port;
    }
    return 1;
}

/* Each dependency of an output that may be read again: counted, or filed. */
static void each_dependency(void *ctx, int file)
{
    struct again *a = ctx;
    const tt_plan *p = a->p;

    for (uint32_t s = 0; s < p->n_slot; s++) {
        const struct tt_slot *slot = &p->slot[s];
        const struct tt_deps *d = deps_of(p, s);

        if (slot->dir == TT_SLOT_IN || !p->unit[slot->unit].consistent)
            continue;
        for (uint32_t i = 0; d->known && i < d->n; i++) {
            uint32_t at = a->base[slot->unit] + d->port[i];

            if (file)
                a->out[a->first[at]++] = s;
            else
                a->first[at + 1]++;
        }
    }
}

static int file_outputs(struct again *a)
{
    uint32_t n;

    return number_ports(a, &n) &&
           TT_LISTS_MAKE(a->first, n, a->out, each_dependency, a);
}

static void push(struct again *a, uint32_t slot)
{
    if (a->follows[slot])
        return;
    a->follows[slot] = 1;
    a->stack[a->n++] = slot;
}

/* This input has a new value. */
static void set(struct again *a, uint32_t unit, uint32_t port)
{
    const struct tt_plan_unit *u = &a->p->unit[unit];
    uint32_t at = a->base[unit] + port;

    if (!u->consistent)
        return;
    for (uint32_t i = a->first[at]; i < a->first[at + 1]; i++)
        push(a, a->out[i]);
    if (a->all[unit])
        return;
    a->all[unit] = 1;
    for (uint32_t s = u->slot; s < u->slot + u->n_read; s++)
        if (!deps_of(a->p, s)->known)
            push(a, s);
}

static void follow(struct again *a)
{
    const tt_plan *p = a->p;

    for (uint32_t i = 0; i < p->n_port; i++)
        for (uint32_t t = 0;
             p->port[i].causality == TT_CAUS_INPUT && t < p->port[i].n_target;
             t++)
            set(a, p->port[i].target[t].unit, p->port[i].target[t].port);
    while (a->n) {
        uint32_t s = a->stack[--a->n];

        if (p->slot[s].dir == TT_SLOT_IN)
            set(a, p->slot[s].unit, p->slot[s].port);
        else
            for (uint32_t k = p->out_first[s]; k < p->out_first[s + 1]; k++)
                if (!p->slot[p->feed[p->out_feed[k]].to].event_only)
                    push(a, p->feed[p->out_feed[k]].to);
    }
}

static void write_moves(struct tt_draft *w)
{
    struct again a = {.p = w->plan};
    uint32_t n = w->plan->n_slot;

    if (TT_NEW_ARRAY(a.follows, n) && TT_NEW_ARRAY(a.stack, n) &&
        TT_NEW_ARRAY(a.all, w->plan->n_unit) && file_outputs(&a)) {
        follow(&a);
        for (uint32_t i = 0; i < n; i++) /* the others are done */
            a.follows[i] = !a.follows[i];
        tt_write_exchange_of(w, a.follows);
    } else {
        w->failed = 1;
    }
    TT_FREE_ALL(a.base, a.first, a.out, a.follows, a.all, a.stack);
}

void tt_write_again(struct tt_draft *w)
{
    tt_write_begin(w, TT_SEC_AGAIN);
    if (w->plan->n_port)
        write_moves(w);
    tt_write_end(w, TT_SEC_AGAIN);
}
