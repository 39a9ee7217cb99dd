/* SPDX-License-Identifier: MIT */
#include "unit/substep.h"

#include <string.h>

#include "base/mem.h"
#include "unit/unit_impl.h"

struct substep {
    tt_unit base;
    struct tt_desc desc;
    struct tt_port *port; /* owned: desc.port */
    struct tt_substeps n;
    /* Since configure, when sizes are final: */
    uint32_t *first;      /* owned, per port: its first course */
    struct tt_poly *poly; /* owned: courses, one per element */
    uint32_t *live;       /* owned: ports with a course, as they came */
    uint32_t n_live;
    double *value; /* owned: for one set of all that are live */
};

static struct substep *substep_of(tt_unit *u)
{
    return (struct substep *)(void *)u;
}

static int takes(const struct tt_port *p)
{
    return p->causality == TT_CAUS_INPUT && p->type == TT_F64 &&
           p->variability == TT_VAR_CONTINUOUS;
}

void tt_substep_describe(struct tt_desc *d, struct tt_port *port,
                         const struct tt_desc *of)
{
    *d = *of;
    d->port = port;
    d->caps.course_order = TT_POLY_MAX;
    d->caps.course_exact = 0;
    d->caps.course_pieces = 1;
    for (uint32_t i = 0; i < of->n_port; i++) {
        port[i] = of->port[i];
        port[i].course_ok = takes(&port[i]);
    }
}

/* --- life -------------------------------------------------------------- */

static void forget_sizes(struct substep *w)
{
    TT_FREE_ALL(w->first, w->poly, w->live, w->value);
    w->first = w->live = NULL;
    w->poly = NULL;
    w->value = NULL;
    w->n_live = 0;
}

/* Sizes may be new: describe again, and make room for the courses. */
static enum tt_code follow_inner(struct substep *w, tt_err *err)
{
    uint32_t n_port = w->desc.n_port, n = 0;

    TT_ASSERT(w->base.inner->desc->n_port == n_port);
    tt_substep_describe(&w->desc, w->port, w->base.inner->desc);
    forget_sizes(w);
    if (!TT_NEW_ARRAY(w->first, n_port) || !TT_NEW_ARRAY(w->live, n_port))
        return tt_fail(err, TT_ENOMEM, "courses of %u ports", n_port);
    for (uint32_t i = 0; i < n_port; i++) {
        w->first[i] = n;
        n += w->port[i].course_ok ? w->port[i].n : 0;
    }
    if (!TT_NEW_ARRAY(w->poly, n) || !TT_NEW_ARRAY(w->value, n))
        return tt_fail(err, TT_ENOMEM, "%u courses", n);
    return TT_OK;
}

static enum tt_code substep_configure(tt_unit *u, tt_err *err)
{
    enum tt_code rc = tt_fwd_configure(u, err);

    return rc == TT_OK ? follow_inner(substep_of(u), err) : rc;
}

static enum tt_code substep_reset(tt_unit *u, tt_err *err)
{
    substep_of(u)->n_live = 0;
    return tt_fwd_reset(u, err);
}

static void substep_free(tt_unit *u)
{
    struct substep *w = substep_of(u);

    forget_sizes(w);
    tt_free(w->port);
    tt_fwd_free(u);
}

/* --- courses ----------------------------------------------------------- */

static uint32_t find_live(const struct substep *w, uint32_t port)
{
    uint32_t i = 0;

    while (i < w->n_live && w->live[i] != port)
        i++;
    return i;
}

/* As tt_unit_set(): the ports were looked at when the courses came. */
static enum tt_code set_live(tt_unit *inner, const struct tt_span *s,
                             tt_err *err)
{
    enum tt_code rc = s->n ? inner->ops->set(inner, s, err) : TT_OK;

    if (TT_LIKELY(rc == TT_OK))
        return TT_OK;
    tt_unit_name_ports(inner, s, rc, err);
    return tt_uc_settle(inner, TT_UC_SET, rc, err);
}

/* Set every input that has a course to its mean over from .. to. */
static enum tt_code sample(const struct substep *w, double from, double to,
                           tt_err *err)
{
    struct tt_span s = {w->live, w->n_live, w->value};
    double *v = w->value;

    for (uint32_t i = 0; i < w->n_live; i++) {
        const struct tt_poly *p = w->poly + w->first[w->live[i]];

        for (uint32_t k = 0; k < w->port[w->live[i]].n; k++)
            *v++ = tt_poly_mean(p + k, from, to);
    }
    return set_live(w->base.inner, &s, err);
}

static enum tt_code substep_course(tt_unit *u, const struct tt_span *s,
                                   const struct tt_poly *p, tt_err *err)
{
    struct substep *w = substep_of(u);

    (void)err;
    for (size_t i = 0; i < s->n; i++) {
        uint32_t port = s->port[i], n = w->port[port].n;
        uint32_t at = find_live(w, port);

        w->live[at] = port;
        w->n_live += at == w->n_live;
        memcpy(w->poly + w->first[port], p, n * sizeof(*p));
        p += n;
    }
    return TT_OK;
}

static enum tt_code substep_set(tt_unit *u, const struct tt_span *s,
                                tt_err *err)
{
    struct substep *w = substep_of(u);

    for (size_t i = 0; i < s->n && w->n_live; i++) {
        uint32_t at = find_live(w, s->port[i]);

        if (at < w->n_live)
            w->live[at] = w->live[--w->n_live];
    }
    return tt_fwd_set(u, s, err);
}

static enum tt_code substep_restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    substep_of(u)->n_live = 0;
    return tt_fwd_restore(u, reg, err);
}

/* --- time -------------------------------------------------------------- */

/* The highest order of the courses of this step. */
static uint32_t highest_order(const struct substep *w)
{
    uint32_t most = 0;

    for (uint32_t i = 0; i < w->n_live; i++) {
        const struct tt_poly *p = w->poly + w->first[w->live[i]];

        for (uint32_t k = 0; k < w->port[w->live[i]].n; k++)
            most = p[k].n_next         ? TT_POLY_MAX
                   : p[k].order > most ? p[k].order
                                       : most;
    }
    return most;
}

static uint32_t how_many(const struct substep *w)
{
    uint32_t order;

    if (!w->n_live)
        return 1;
    if (w->n.few == w->n.n)
        return w->n.n;
    order = highest_order(w);
    return order == 0 ? 1 : order == 1 ? w->n.few : w->n.n;
}

/* As tt_unit_step(): it was asked whether the whole may be made. */
static enum tt_code advance(tt_unit *inner, const struct tt_step *s,
                            struct tt_stepped *r, tt_err *err)
{
    enum tt_code rc =
        s->to > inner->now ? tt_uc_advance(inner, s, r, err) : TT_OK;

    return TT_LIKELY(rc == TT_OK) ? TT_OK
                                  : tt_uc_settle(inner, TT_UC_STEP, rc, err);
}

static enum tt_code make_substeps(struct substep *w, const struct tt_step *s,
                                  struct tt_stepped *r, tt_err *err)
{
    uint32_t n = how_many(w);
    double t0 = w->base.now, from = t0;
    enum tt_code rc = TT_OK;

    for (uint32_t k = 1; k <= n && rc == TT_OK && tt_stepped_whole(r); k++) {
        struct tt_step sub = {
            .to = k == n ? s->to : t0 + (s->to - t0) * ((double)k / n),
            .h = s->h / n,
            .may_restore = s->may_restore};

        rc = sample(w, from, sub.to, err);
        if (rc == TT_OK)
            rc = advance(w->base.inner, &sub, r, err);
        if (rc == TT_OK && (r->flags & TT_STEP_REJECT) && k > 1)
            r->after = TT_AFTER_NEEDS_RESTORE;
        from = sub.to;
    }
    return rc;
}

static enum tt_code substep_step(tt_unit *u, const struct tt_step *s,
                                 struct tt_stepped *r, tt_err *err)
{
    struct substep *w = substep_of(u);
    enum tt_code rc = make_substeps(w, s, r, err);

    if (rc == TT_OK && !(r->flags & TT_STEP_REJECT))
        rc = sample(w, r->reached, r->reached, err);
    w->n_live = 0;
    return rc;
}

/* --- making ------------------------------------------------------------ */

static const struct tt_unit_ops substep_ops = {
    TT_FWD_REST,
    TT_HOOKS(substep_, configure, reset, set, course, step, restore, free),
    TT_HOOKS(tt_fwd_, prepare, get, rates, jvp, save, pack, unpack, bind)};

enum tt_code tt_substep_new(tt_unit **out, tt_unit *inner, struct tt_substeps n,
                            const struct tt_make *m, tt_err *err)
{
    uint32_t n_port = inner->desc->n_port;
    struct substep *w;
    enum tt_code rc;

    TT_ASSERT(n.n > 0 && n.few > 0);
    if (!TT_NEW(w)) {
        tt_unit_free(inner);
        return tt_fail(err, TT_ENOMEM,
                       "instance '%s' (sub-steps): out of memory", m->name);
    }
    w->n = n;
    if (TT_NEW_ARRAY(w->port, n_port))
        tt_substep_describe(&w->desc, w->port, inner->desc);
    rc = w->port
             ? tt_unit_init(&w->base, &substep_ops, &w->desc, m, err)
             : tt_fail(err, TT_ENOMEM, "instance '%s' (sub-steps): %u ports",
                       m->name, n_port);
    tt_unit_wrap(&w->base, inner, "sub-steps");
    return TT_HAND_OVER(rc, out, &w->base, substep_free);
}
