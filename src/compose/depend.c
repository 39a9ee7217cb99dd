/* SPDX-License-Identifier: MIT */
/* On which inputs from outside an output depends, through the graph inside. */
#include <string.h>

#include "compose/compose_impl.h"

/* What brings the value of an input: both TT_NONE when nothing does. */
struct source {
    uint32_t outside; /* port of the composite */
    uint32_t slot;    /* output inside */
};

struct walk {
    const tt_plan *p;
    int init;
    uint32_t *base;       /* per unit: of its first port in `from` */
    struct source *from;  /* per port of all units */
    uint32_t *seen, *hit; /* per slot, per port: the last walk that met it */
    uint32_t number;      /* of this walk */
    uint32_t *stack, n;   /* slots */
    uint32_t *in, n_in;   /* inputs from outside found */
    int unknown;          /* some unit does not state what depends on what */
};

static void visit(struct walk *w, uint32_t slot)
{
    TT_ASSERT(w->seen && w->stack);
    if (w->seen[slot] == w->number)
        return;
    w->seen[slot] = w->number;
    w->stack[w->n++] = slot;
}

/* An output depends on this input of its unit. */
static void reach(struct walk *w, uint32_t unit, uint32_t port, int assumed)
{
    const struct source *s = &w->from[w->base[unit] + port];

    if (s->slot != TT_NONE)
        visit(w, s->slot);
    if (s->outside == TT_NONE)
        return;
    w->unknown |= assumed;
    if (w->hit[s->outside] == w->number)
        return;
    w->hit[s->outside] = w->number;
    w->in[w->n_in++] = s->outside;
}

static void expand(struct walk *w, uint32_t slot)
{
    const struct tt_slot *s = &w->p->slot[slot];
    const struct tt_plan_unit *u = &w->p->unit[s->unit];
    const struct tt_deps *d =
        w->init ? &u->desc->init[s->port] : &u->desc->run[s->port];

    if (!w->init && !u->consistent && !u->events)
        return; /* its outputs are those of its last step */
    for (uint32_t i = 0; d->known && i < d->n; i++)
        reach(w, s->unit, d->port[i], 0);
    for (uint32_t i = 0; !d->known && i < u->desc->n_port; i++)
        reach(w, s->unit, i, 1);
}

static enum tt_code depend_one(const struct composite_type *t, struct walk *w,
                               uint32_t port, struct tt_deps *out, tt_err *err)
{
    w->number++;
    w->n_in = 0;
    w->unknown = 0;
    visit(w, w->p->port[port].slot);
    while (w->n)
        expand(w, w->stack[--w->n]);
    *out =
        (struct tt_deps){.known = !w->unknown, .n = w->unknown ? 0 : w->n_in};
    out->port = tt_arena_dup(t->arena, w->in, out->n, sizeof(*w->in));
    return out->port ? TT_OK : composite_nomem(err);
}

/* What is not an output is read when its unit may be: of one that evaluates,
 * when all is set. */
static struct tt_deps of_others(const struct walk *w, uint32_t port)
{
    const struct tt_plan_target *at = &w->p->port[port].target[0];

    return (struct tt_deps){.known = !w->init &&
                                     !w->p->unit[at->unit].consistent &&
                                     !w->p->unit[at->unit].events};
}

/* --- making ready --------------------------------------------------------- */

static int number_ports(struct walk *w, size_t *n)
{
    *n = 0;
    if (!TT_NEW_ARRAY(w->base, w->p->n_unit))
        return 0;
    for (uint32_t u = 0; u < w->p->n_unit; u++) {
        w->base[u] = (uint32_t)*n;
        *n += w->p->unit[u].desc->n_port;
    }
    return TT_NEW_ARRAY(w->from, *n) != NULL;
}

static int allocate(struct walk *w)
{
    const tt_plan *p = w->p;
    size_t n;

    if (!number_ports(w, &n) || !TT_NEW_ARRAY(w->seen, p->n_slot) ||
        !TT_NEW_ARRAY(w->stack, p->n_slot) ||
        !TT_NEW_ARRAY(w->hit, p->n_port) || !TT_NEW_ARRAY(w->in, p->n_port))
        return 0;
    if (n)
        memset(w->from, 0xff, n * sizeof(*w->from)); /* TT_NONE */
    return 1;
}

static void find_sources(struct walk *w)
{
    const tt_plan *p = w->p;

    for (uint32_t f = 0; f < p->n_feed; f++) {
        const struct tt_slot *to = &p->slot[p->feed[f].to];

        w->from[w->base[to->unit] + to->port].slot = p->feed[f].from;
    }
    for (uint32_t i = 0; i < p->n_port; i++)
        for (uint32_t k = 0;
             p->port[i].causality == TT_CAUS_INPUT && k < p->port[i].n_target;
             k++) {
            const struct tt_plan_target *t = &p->port[i].target[k];

            w->from[w->base[t->unit] + t->port].outside = i;
        }
}

enum tt_code composite_depend(const struct composite_type *t,
                              struct tt_deps *deps, int init, tt_err *err)
{
    struct walk w = {.p = tt_run_plan(t->run), .init = init};
    enum tt_code rc = allocate(&w) ? TT_OK : composite_nomem(err);

    if (rc == TT_OK)
        find_sources(&w);
    for (uint32_t i = 0; i < w.p->n_port && rc == TT_OK; i++) {
        if (w.p->port[i].causality == TT_CAUS_OUTPUT)
            rc = depend_one(t, &w, i, &deps[i], err);
        else
            deps[i] = of_others(&w, i);
    }
    TT_FREE_ALL(w.base, w.from, w.seen, w.hit, w.stack, w.in);
    return rc;
}
