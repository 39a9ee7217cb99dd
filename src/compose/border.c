/* SPDX-License-Identifier: MIT */
/* Courses from outside reach the units inside: each unit that takes inputs
 * from outside is wrapped, and before each of its steps, however many are made
 * and repeated inside, it is given the courses again. Units that take none are
 * sub-stepped, as the scenario inside would do it, or else held at the mean of
 * the course over their step. */
#include <string.h>

#include "compose/compose_impl.h"
#include "base/lists.h"
#include "unit/substep.h"

struct edge_port {
    uint32_t outside, inside; /* of the composite, of the unit */
};

struct border {
    const tt_plan *plan;        /* borrowed */
    const struct tt_desc *desc; /* borrowed: the composite's */
    uint32_t *first;            /* owned, per port: its first course */
    struct tt_poly *poly;       /* owned: one per element */
    uint8_t *live;              /* owned, per port */
    struct edge_port *of; /* owned: inputs that take courses, by unit ... */
    uint32_t *of_first;   /* owned: ... those of u: of_first[u] .. [u+1] */
    double *value;        /* owned: room for the largest */
};

/* --- what is live --------------------------------------------------------- */

void border_free(struct border *b)
{
    if (!b)
        return;
    TT_FREE_ALL(b->first, b->poly, b->live, b->of, b->of_first, b->value, b);
}

/* Each input of a unit that comes from outside and takes a course: counted, or
 * filed. */
static void each_input(void *ctx, int file)
{
    struct border *b = ctx;

    for (uint32_t i = 0; i < b->plan->n_port; i++) {
        const struct tt_plan_port *p = &b->plan->port[i];

        for (uint32_t k = 0; b->desc->port[i].course_ok && k < p->n_target;
             k++) {
            uint32_t *at = &b->of_first[p->target[k].unit];

            if (file)
                b->of[(*at)++] = (struct edge_port){i, p->target[k].port};
            else
                at[1]++;
        }
    }
}

static int make_room(struct border *b)
{
    uint32_t n = 0, most = 1;

    if (!TT_NEW_ARRAY(b->first, b->desc->n_port) ||
        !TT_NEW_ARRAY(b->live, b->desc->n_port))
        return 0;
    for (uint32_t i = 0; i < b->desc->n_port; i++) {
        uint32_t of = b->desc->port[i].course_ok ? b->desc->port[i].n : 0;

        b->first[i] = n;
        n += of;
        most = of > most ? of : most;
    }
    return TT_NEW_ARRAY(b->poly, n) && TT_NEW_ARRAY(b->value, most);
}

enum tt_code border_new(struct border **out, const struct composite_type *t,
                        tt_err *err)
{
    struct border *b;

    if (!TT_NEW(b))
        return composite_nomem(err);
    b->plan = tt_run_plan(t->run);
    b->desc = &t->base.desc;
    if (!make_room(b) ||
        !TT_LISTS_MAKE(b->of_first, b->plan->n_unit, b->of, each_input, b)) {
        border_free(b);
        return composite_nomem(err);
    }
    *out = b;
    return TT_OK;
}

void border_keep(struct border *b, const struct tt_span *s,
                 const struct tt_poly *p)
{
    for (size_t i = 0; i < s->n; i++) {
        uint32_t port = s->port[i], n = b->desc->port[port].n;

        memcpy(b->poly + b->first[port], p, n * sizeof(*p));
        b->live[port] = 1;
        p += n;
    }
}

void border_forget(struct border *b, const struct tt_span *s)
{
    if (!s)
        memset(b->live, 0, b->desc->n_port);
    for (size_t i = 0; s && i < s->n; i++)
        b->live[s->port[i]] = 0;
}

/* --- the wrapper ---------------------------------------------------------- */

struct edge {
    tt_unit base;
    const struct border *border;  /* borrowed */
    const struct edge_port *port; /* borrowed: its part of the border's */
    uint32_t n;
    int evaluates; /* read after setting: inputs are set at the end, too */
};

static struct edge *edge_of(tt_unit *u)
{
    return (struct edge *)(void *)u;
}

static enum tt_code set_mean(struct edge *e, const struct edge_port *p,
                             double from, double to, tt_err *err)
{
    const struct border *b = e->border;
    uint32_t n = b->desc->port[p->outside].n;

    for (uint32_t k = 0; k < n; k++)
        b->value[k] =
            tt_poly_mean(b->poly + b->first[p->outside] + k, from, to);
    return tt_unit_set(e->base.inner,
                       &(struct tt_span){&p->inside, 1, b->value}, err);
}

static int takes(const struct edge *e)
{
    return e->base.inner->desc->caps.course_order > 0;
}

static enum tt_code deliver(struct edge *e, double to, tt_err *err)
{
    const struct border *b = e->border;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < e->n && rc == TT_OK; i++) {
        const struct edge_port *p = &e->port[i];

        if (!b->live[p->outside])
            continue;
        if (takes(e))
            rc = tt_unit_course(e->base.inner,
                                &(struct tt_span){&p->inside, 1, NULL},
                                b->poly + b->first[p->outside], err);
        else
            rc = set_mean(e, p, e->base.now, to, err);
    }
    return rc;
}

/* What is read at this instant goes by the end of the course so far; what is
 * integrated stands there, or will. */
static enum tt_code arrive(struct edge *e, double t, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (takes(e) && (!e->evaluates || e->base.inner->desc->caps.joins))
        return TT_OK;
    for (uint32_t i = 0; i < e->n && rc == TT_OK; i++)
        if (e->border->live[e->port[i].outside])
            rc = set_mean(e, &e->port[i], t, t, err);
    return rc;
}

static enum tt_code edge_step(tt_unit *u, const struct tt_step *s,
                              struct tt_stepped *r, tt_err *err)
{
    struct edge *e = edge_of(u);
    enum tt_code rc = deliver(e, s->to, err);

    if (rc == TT_OK)
        rc = tt_unit_step(u->inner, s, r, err);
    if (rc == TT_OK && !(r->flags & TT_STEP_REJECT))
        rc = arrive(e, r->reached, err);
    return rc;
}

/* --- wrapping ------------------------------------------------------------- */

static const struct tt_unit_ops edge_ops = {TT_FWD_BUT_STEP, .step = edge_step};

static enum tt_code wrap(const struct border *b, uint32_t unit, tt_unit **u,
                         const struct tt_make *m, tt_err *err)
{
    tt_unit *inner = *u;
    struct edge *e;
    enum tt_code rc;

    *u = NULL;
    if (!TT_NEW(e)) {
        tt_unit_free(inner);
        return composite_nomem(err);
    }
    rc = tt_unit_init(&e->base, &edge_ops, inner->desc, m, err);
    tt_unit_wrap(&e->base, inner, inner->kind);
    e->border = b;
    e->evaluates = b->plan->unit[unit].consistent;
    e->port = b->of + b->of_first[unit];
    e->n = b->of_first[unit + 1] - b->of_first[unit];
    return TT_HAND_OVER(rc, u, &e->base, tt_fwd_free);
}

enum tt_code border_wrap(void *ctx, uint32_t unit, tt_unit **u,
                         const struct tt_make *m, tt_err *err)
{
    const struct border *b = ctx;
    struct tt_substeps substeps = tt_plan_substeps(b->plan, unit);
    enum tt_code rc = TT_OK;

    if (b->of_first[unit] == b->of_first[unit + 1])
        return TT_OK;
    if ((*u)->desc->caps.course_order == 0 && substeps.n) {
        tt_unit *inner = *u;

        *u = NULL; /* taken, also when it fails */
        rc = tt_substep_new(u, inner, substeps, m, err);
    }
    return rc == TT_OK ? wrap(b, unit, u, m, err) : rc;
}
