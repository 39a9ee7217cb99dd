/* SPDX-License-Identifier: MIT */
/* Programs that only compute: values on the way in and out, and plain steps.
 * Derivatives go through them, and one that changes nothing is its inner unit
 * under other names. */
#include "adapt/adapt_impl.h"

/* By slot what it is for; locals, flags and such: SA_SYM_LOCAL. */
static uint8_t *kinds_of(const struct sa_code *c)
{
    uint8_t *kind = tt_zalloc((size_t)c->n_slot + 1, 1);

    for (uint32_t i = 0; kind && i < c->n_slot; i++)
        kind[i] = SA_SYM_LOCAL;
    for (size_t i = 0; kind && i < c->n_sym; i++)
        kind[c->sym[i].slot] = (uint8_t)c->sym[i].kind;
    return kind;
}

/* Assignments alone, each to one kind of variable, from another. */
static int only_moves(const struct sa_code *c, const uint8_t *kind, uint32_t at,
                      enum sa_sym_kind from, enum sa_sym_kind to)
{
    for (; c->op[at].kind != SA_OP_HALT; at++) {
        const struct sa_op *o = &c->op[at];
        const tt_expr *e = &c->e[o->e];

        if (o->kind != SA_OP_ASSIGN || kind[o->slot] != to || e->uses_t ||
            e->uses_h)
            return 0;
        for (uint32_t i = 0; i < e->n_ref; i++) {
            uint8_t k = kind[c->ref[c->first_ref[o->e] + i]];

            if (k != from && k != SA_SYM_PARAM)
                return 0;
        }
    }
    return 1;
}

static int all_move(const struct sa_code *c, const uint8_t *kind,
                    const struct sa_code_rules *r, const enum sa_sym_kind *way)
{
    for (uint32_t i = 0; i < r->n; i++)
        if (!only_moves(c, kind, r->rule[i].first, way[0], way[1]) ||
            !only_moves(c, kind, r->rule[i].second, way[1], way[2]))
            return 0;
    return r->all;
}

static const enum sa_sym_kind in[] = {SA_SYM_OWN_IN, SA_SYM_IN_VAR,
                                      SA_SYM_INNER_IN},
                              out[] = {SA_SYM_INNER_OUT, SA_SYM_OUT_VAR,
                                       SA_SYM_OWN_OUT};

static int has_plain_steps(const struct sa_linked *l)
{
    const struct sa_prog *p = &l->prog;

    return p->inner.n == 1 && p->ctrl_implied && !p->conn.n &&
           !l->inner[0].type->desc.caps.discrete &&
           !(p->react == SA_REACTIVE && p->inner.v[0].react == SA_DELAYED);
}

/* No output that a program may read follows inputs at once. */
static int is_moore(const struct tt_desc *d)
{
    for (uint32_t i = 0; i < d->n_port && !d->caps.discrete; i++)
        if (d->port[i].causality == TT_CAUS_OUTPUT &&
            (!d->run || !d->run[i].known || d->run[i].n))
            return 0;
    return 1;
}

struct sa_algebra sa_algebra_of(const struct sa_linked *l,
                                const struct sa_code *c)
{
    struct sa_algebra a = {.is = 0};
    uint8_t *kind = kinds_of(c);
    int moore = 1;

    for (uint32_t i = 0; i < l->prog.inner.n; i++)
        moore &= is_moore(&l->inner[i].type->desc);
    if (kind && all_move(c, kind, &c->out, out)) {
        a.is = has_plain_steps(l) && all_move(c, kind, &c->in, in);
        a.stands = a.is || moore;
    }
    tt_free(kind);
    return a;
}

/* --- one that changes nothing ---------------------------------------------
 */

/* Each slot is a copy of the one that `origin` has, or of none. */
static int trace(const struct sa_code *c, uint32_t at, uint32_t *origin)
{
    for (; c->op[at].kind != SA_OP_HALT; at++) {
        if (c->op[at].from == TT_NONE)
            return 0;
        origin[c->op[at].slot] = origin[c->op[at].from];
    }
    return 1;
}

static int trace_all(const struct sa_code *c, const struct sa_code_rules *r,
                     uint32_t *origin)
{
    int only = 1;

    for (uint32_t i = 0; i < r->n; i++)
        only &= trace(c, r->rule[i].first, origin);
    for (uint32_t i = 0; i < r->n; i++)
        only &= trace(c, r->rule[i].second, origin);
    return only;
}

/* An input goes to one port, and an output comes from one. */
static int meet(const struct sa_code *c, const uint32_t *origin, uint32_t n_in,
                uint32_t *to)
{
    for (size_t i = 0; i < c->n_sym; i++) {
        const struct sa_sym *s = &c->sym[i];
        uint32_t from = origin[s->slot];

        if (s->kind == SA_SYM_INNER_IN && s->set) {
            if (from == TT_NONE || to[from] != TT_NONE)
                return 0;
            to[from] = s->port;
        } else if (s->kind == SA_SYM_OWN_OUT) {
            to[n_in + s->port] = from;
        }
    }
    return 1;
}

int sa_is_identity(const struct sa_linked *l, const struct sa_code *c,
                   uint32_t *to)
{
    uint32_t n = (uint32_t)(l->prog.in.n + l->prog.out.n);
    uint32_t *origin = tt_zalloc((size_t)c->n_slot + 1, sizeof(*origin));
    int same;

    for (uint32_t i = 0; i < n; i++)
        to[i] = TT_NONE;
    for (uint32_t i = 0; origin && i < c->n_slot; i++)
        origin[i] = TT_NONE;
    for (size_t i = 0; origin && i < c->n_sym; i++)
        if (c->sym[i].kind == SA_SYM_OWN_IN ||
            c->sym[i].kind == SA_SYM_INNER_OUT)
            origin[c->sym[i].slot] = c->sym[i].port;
    same = origin && trace_all(c, &c->in, origin) &&
           trace_all(c, &c->out, origin) &&
           meet(c, origin, (uint32_t)l->prog.in.n, to);
    tt_free(origin);
    for (uint32_t i = 0; i < n && same; i++)
        same = to[i] != TT_NONE;
    return same;
}
