/* SPDX-License-Identifier: MIT */
/* Terminals of a new scenario: those of one name that two units have, and that
 * match. */
#include <string.h>

#include "cli/scaffold.h"

static const struct tt_desc *desc_of(const struct tt_scaffold *s, uint32_t u)
{
    return &s->unit[u].type->desc;
}

/* The member that this one meets, or NULL. */
static const struct tt_member *partner(const struct tt_terminal *a, uint32_t i,
                                       const struct tt_terminal *b)
{
    if (a->match == TT_MATCH_SEQUENCE)
        return i < b->n_member ? &b->member[i] : NULL;
    for (uint32_t k = 0; k < b->n_member; k++)
        if (strcmp(a->member[i].name, b->member[k].name) == 0)
            return &b->member[k];
    return NULL;
}

/* Does one give what the other takes? */
static int meets(const struct tt_desc *d, const struct tt_member *m,
                 const struct tt_desc *e, const struct tt_member *n)
{
    const struct tt_port *p = &d->port[m->port], *q = &e->port[n->port];

    if (!tt_member_same_kind(m, n))
        return 0;
    if (m->kind == TT_MEMBER_STREAM)
        return tt_scaffold_fits(p, &e->port[n->in]) &&
               tt_scaffold_fits(q, &d->port[m->in]);
    return (q->causality == TT_CAUS_INPUT && tt_scaffold_fits(p, q)) ||
           (p->causality == TT_CAUS_INPUT && tt_scaffold_fits(q, p));
}

/* Would connecting them connect every member? */
static int matches(const struct tt_desc *d, const struct tt_terminal *a,
                   const struct tt_desc *e, const struct tt_terminal *b)
{
    if (a->match != b->match || a->match == TT_MATCH_NONE || !a->n_member ||
        a->n_member != b->n_member || a->parent != TT_NONE ||
        b->parent != TT_NONE ||
        (a->kind && b->kind && strcmp(a->kind, b->kind) != 0))
        return 0;
    for (uint32_t i = 0; i < a->n_member; i++) {
        const struct tt_member *m = partner(a, i, b);

        if (!m || !meets(d, &a->member[i], e, m))
            return 0;
    }
    return 1;
}

static void take_inputs(struct tt_scaffold *s, uint32_t u, uint32_t t)
{
    const struct tt_terminal *is = &desc_of(s, u)->terminal[t];

    for (uint32_t i = 0; i < is->n_member; i++)
        s->unit[u].source[is->member[i].in].by_terminal = 1;
}

/* The only other unit that has this terminal, or TT_NONE. */
static uint32_t other_with(const struct tt_scaffold *s, uint32_t u,
                           const char *name)
{
    uint32_t found = TT_NONE;

    for (uint32_t i = 0; i < s->n; i++) {
        if (i == u || tt_desc_terminal(desc_of(s, i), name) == TT_NONE)
            continue;
        if (found != TT_NONE)
            return TT_NONE;
        found = i;
    }
    return found;
}

enum tt_code tt_scaffold_terminals(struct tt_scaffold *s, tt_err *err)
{
    for (uint32_t u = 0; u < s->n; u++)
        for (uint32_t t = 0; t < desc_of(s, u)->n_terminal; t++) {
            const struct tt_terminal *a = &desc_of(s, u)->terminal[t];
            uint32_t v = other_with(s, u, a->name), at;

            if (v == TT_NONE || v < u)
                continue;
            at = tt_desc_terminal(desc_of(s, v), a->name);
            if (!matches(desc_of(s, u), a, desc_of(s, v),
                         &desc_of(s, v)->terminal[at]))
                continue;
            if (TT_GROW(s->joint, s->n_joint, s->cap_joint))
                return tt_nomem(err, "connecting terminals");
            s->joint[s->n_joint++] = (struct tt_scaffold_joint){u, v, a->name};
            take_inputs(s, u, t);
            take_inputs(s, v, at);
        }
    return TT_OK;
}
