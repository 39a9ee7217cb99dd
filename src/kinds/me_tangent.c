/* SPDX-License-Identifier: MIT */
/* Model exchange: how the derivatives of several that are integrated together
 * change along a direction of their states, by the directional derivatives of
 * each and the chain rule along what they feed each other. Not for loops of
 * feed-through, which would have to be solved. */
#include <stdlib.h>

#include "kinds/me_impl.h"

/* A feed whose values change with the states; several into one input add up.
 * Those of a level follow feeds of
 * lower levels only. */
struct leg {
    uint32_t from, out, to, in; /* members and ports */
    uint32_t known;             /* place of `in` among the known ones of `to` */
    uint32_t level;             /* 0: not known yet */
    int open;                   /* on the way that is followed */
    double factor;
};

/* What is known of a member: changes of its states, then of fed inputs. */
struct part {
    uint32_t *port, *rate;
    double *change;
    uint32_t n;
};

struct tt_kme_tangent {
    struct part *part; /* owned; per member */
    struct leg *leg;   /* owned; by level, then member */
    uint32_t *out;     /* owned: their outputs, in this order */
    double *change;    /* owned: of these */
    uint32_t n_leg;
    uint32_t *port; /* owned: of all parts */
    double *value;  /* owned: of all parts */
};

void tt_kme_tangent_free(struct tt_kme_tangent *t)
{
    if (t)
        TT_FREE_ALL(t->part, t->leg, t->out, t->change, t->port, t->value, t);
}

/* --- can it be done? ------------------------------------------------------ */

static const struct tt_port *port_of(const struct tt_kme_system *s,
                                     uint32_t member, uint32_t port)
{
    return &s->member[member]->base.desc->port[port];
}

/* Inputs that are not continuous do not follow states. */
static int flows(const struct tt_kme_system *s, const struct tt_join_feed *f)
{
    return port_of(s, f->to, f->in)->variability == TT_VAR_CONTINUOUS;
}

static int is_number(const struct tt_port *p)
{
    return p->type == TT_F64 && p->n == 1;
}

static int all_can(const struct tt_kme_system *s)
{
    for (uint32_t i = 0; i < s->n; i++)
        if (!s->member[i]->base.desc->caps.directional)
            return 0;
    for (uint32_t f = 0; f < s->exchange.n_feed; f++) {
        const struct tt_join_feed *x = &s->exchange.feed[f];

        if (flows(s, x) && !(is_number(port_of(s, x->from, x->out)) &&
                             is_number(port_of(s, x->to, x->in))))
            return 0;
    }
    return 1;
}

/* Gives it its level, and those it follows; 0: it follows itself. */
static uint32_t level_of(struct tt_kme_tangent *t,
                         const struct tt_kme_system *s, struct leg *l)
{
    uint32_t level = 1;

    if (l->level || l->open)
        return l->level;
    l->open = 1;
    for (uint32_t i = 0; i < t->n_leg && level; i++) {
        struct leg *x = &t->leg[i];
        uint32_t below;

        if (x->to != l->from ||
            !tt_kme_output_follows(s->member[l->from]->type->md, l->out, x->in))
            continue;
        below = level_of(t, s, x);
        level = !below ? 0 : below >= level ? below + 1 : level;
    }
    l->open = 0;
    l->level = level;
    return level;
}

static int by_level(const void *a, const void *b)
{
    const struct leg *x = a, *y = b;

    if (x->level != y->level)
        return x->level < y->level ? -1 : 1;
    return x->from < y->from ? -1 : x->from > y->from;
}

/* --- layout --------------------------------------------------------------- */

static int make_room(struct tt_kme_tangent *t, const struct tt_kme_system *s)
{
    size_t feeds = s->exchange.n_feed + 1, n = (size_t)s->n_x + feeds;

    return TT_NEW_ARRAY(t->part, s->n) && TT_NEW_ARRAY(t->leg, feeds) &&
           TT_NEW_ARRAY(t->out, feeds) && TT_NEW_ARRAY(t->change, feeds) &&
           TT_NEW_ARRAY(t->port, n + s->n_x) && TT_NEW_ARRAY(t->value, n);
}

/* 0: they go round. */
static int list_legs(struct tt_kme_tangent *t, const struct tt_kme_system *s)
{
    int ok = 1;

    for (uint32_t f = 0; f < s->exchange.n_feed; f++) {
        const struct tt_join_feed *x = &s->exchange.feed[f];

        if (flows(s, x))
            t->leg[t->n_leg++] =
                (struct leg){TT_SAME(x, from, out, to, in, factor)};
    }
    for (uint32_t i = 0; i < t->n_leg && ok; i++)
        ok = level_of(t, s, &t->leg[i]) > 0;
    qsort(t->leg, t->n_leg, sizeof(*t->leg), by_level);
    for (uint32_t i = 0; i < t->n_leg; i++)
        t->out[i] = t->leg[i].out;
    return ok;
}

static void list_parts(struct tt_kme_tangent *t, const struct tt_kme_system *s)
{
    uint32_t *port = t->port;
    double *value = t->value;

    for (uint32_t m = 0; m < s->n; m++) {
        const struct tt_md *md = s->member[m]->type->md;
        struct part *p = &t->part[m];

        p->rate = port;
        p->port = port + md->derivative.n;
        p->change = value;
        for (; p->n < md->derivative.n; p->n++) {
            p->rate[p->n] = md->derivative.item[p->n].var;
            p->port[p->n] = md->var[p->rate[p->n]].derivative_of;
        }
        for (uint32_t i = 0; i < t->n_leg; i++)
            if (t->leg[i].to == m) {
                uint32_t k = md->derivative.n;

                while (k < p->n && p->port[k] != t->leg[i].in)
                    k++;
                t->leg[i].known = k;
                p->port[k] = t->leg[i].in;
                p->n += k == p->n;
            }
        port = p->port + p->n;
        value += p->n;
    }
}

enum tt_code tt_kme_plan_tangent(struct tt_kme_system *s, tt_err *err)
{
    struct tt_kme_tangent *t;

    if (s->n == 1 || !s->pattern || !all_can(s))
        return TT_OK;
    if (!TT_NEW(t) || !make_room(t, s)) {
        tt_kme_tangent_free(t);
        return tt_fail(err, TT_ENOMEM, "derivatives of %u states", s->n_x);
    }
    if (!list_legs(t, s)) {
        tt_kme_tangent_free(t);
        return TT_OK;
    }
    list_parts(t, s);
    s->tangent = t;
    return TT_OK;
}

/* --- along -----------------------------------------------------------------
 */

/* What becomes of these ports of a member, by what is known of it. */
static int follow(struct tt_kme_system *s, uint32_t member,
                  const uint32_t *unknown, uint32_t n, double *change)
{
    const struct part *p = &s->tangent->part[member];
    tt_unit *u = &s->member[member]->base;
    int moved = 0;

    for (uint32_t i = 0; i < n; i++)
        change[i] = 0;
    for (uint32_t i = 0; i < p->n; i++)
        moved |= p->change[i] != 0;
    if (!moved || !n)
        return 0;
    return u->ops->jvp(u,
                       &(struct tt_jvp){.unknown = unknown,
                                        .n_unknown = n,
                                        .dv_unknown = change,
                                        .known = p->port,
                                        .n_known = p->n,
                                        .dv_known = p->change},
                       s->err) == TT_OK
               ? 0
               : -1;
}

int tt_kme_tangent_along(struct tt_kme_system *s, const double *seed,
                         double *out)
{
    struct tt_kme_tangent *t = s->tangent;
    uint32_t end;
    int rc = 0;

    for (uint32_t m = 0; m < s->n; m++)
        for (uint32_t i = 0; i < t->part[m].n; i++)
            t->part[m].change[i] = i < s->member[m]->me->n_x
                                       ? seed[s->member[m]->me->first_x + i]
                                       : 0;
    for (uint32_t i = 0; i < t->n_leg && rc == 0; i = end) {
        for (end = i + 1;
             end < t->n_leg && !by_level(&t->leg[i], &t->leg[end]);)
            end++;
        rc = follow(s, t->leg[i].from, t->out + i, end - i, t->change + i);
        for (uint32_t k = i; k < end; k++)
            t->part[t->leg[k].to].change[t->leg[k].known] +=
                t->leg[k].factor * t->change[k];
    }
    for (uint32_t m = 0; m < s->n && rc == 0; m++)
        rc = follow(s, m, t->part[m].rate, s->member[m]->me->n_x,
                    out + s->member[m]->me->first_x);
    return rc;
}
