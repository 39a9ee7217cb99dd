/* SPDX-License-Identifier: MIT */
/* Options checked, and the block laid out. */
#include "step/policy_impl.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define MIN_OF_INIT 1e-6 /* smallest step, where none is given */

/* --- layout ------------------------------------------------------------ */

struct layout {
    size_t tracks, ring, instants, ports, names, size;
};

static const char *name_of(const struct tt_policy_opts *o)
{
    return o->name ? o->name : tt_policy_kind_name(o->kind);
}

static uint32_t zeno_steps(const struct tt_policy_limits *lim)
{
    return lim->zeno_steps ? lim->zeno_steps : 100;
}

/* In order of falling alignment. */
static struct layout lay(const struct tt_policy_limits *lim,
                         const struct tt_policy_opts *o, uint32_t n)
{
    size_t instants = 0, ports = 0, names = 0;
    struct layout l;

    for (uint32_t i = 0; i < n; i++) {
        instants += o[i].n_instants;
        ports += o[i].n_ports;
        names += strlen(name_of(&o[i])) + 1;
    }
    l.tracks = sizeof(struct tt_policy) + n * sizeof(struct member);
    l.ring = l.tracks + lim->n_watched * sizeof(struct track);
    l.instants = l.ring + zeno_steps(lim) * sizeof(double);
    l.ports = l.instants + instants * sizeof(double);
    l.names = l.ports + ports * sizeof(uint32_t);
    l.size = l.names + names;
    return l;
}

size_t tt_policy_size(const struct tt_policy_limits *lim,
                      const struct tt_policy_opts *o, uint32_t n)
{
    /* whole doubles, so that blocks can follow one another */
    return (lay(lim, o, n).size + sizeof(double) - 1) / sizeof(double) *
           sizeof(double);
}

static int by_value(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static double otherwise(double given, double standard)
{
    return given != 0 ? given : standard;
}

static void fill_defaults(struct member *m)
{
    struct tt_policy_control *c = &m->control;

    m->zero.order = m->zero.order ? m->zero.order : 2;
    m->zero.abstol = otherwise(m->zero.abstol, 1e-3);
    m->bounded.abstol = otherwise(m->bounded.abstol, 1e-3);
    m->bounded.reltol = otherwise(m->bounded.reltol, 1e-2);
    if (c->ki == 0 && c->kp == 0) {
        c->ki = 0.3;
        c->kp = 0.4;
    }
    c->safety = otherwise(c->safety, 0.9);
    c->shrink = otherwise(c->shrink, 0.2);
    c->grow = otherwise(c->grow, 5);
    if (!m->locate.up && !m->locate.down)
        m->locate.up = m->locate.down = 1;
    m->locate.tolerance = otherwise(m->locate.tolerance, 1e-9);
}

/* Fill one member and its arrays; *l moves past what it took. */
static void fill(struct tt_policy *p, struct member *m,
                 const struct tt_policy_opts *o, struct layout *l)
{
    char *block = (char *)p;
    const char *name = name_of(o);

    *m = (struct member){.ports_at = l->ports,
                         .instants_at = l->instants,
                         .name_at = l->names,
                         TT_SAME(o, kind, n_ports, n_instants, step, zero,
                                 bounded, sampling, control, locate)};
    fill_defaults(m);
    if (o->n_ports)
        memcpy(block + l->ports, o->ports, o->n_ports * sizeof(*o->ports));
    if (o->n_instants) {
        memcpy(block + l->instants, o->instants,
               o->n_instants * sizeof(*o->instants));
        qsort(block + l->instants, o->n_instants, sizeof(double), by_value);
    }
    memcpy(block + l->names, name, strlen(name) + 1);
    l->ports += o->n_ports * sizeof(*o->ports);
    l->instants += o->n_instants * sizeof(*o->instants);
    l->names += strlen(name) + 1;
}

static void fill_limits(struct tt_policy_limits *l)
{
    if (l->max != 0 && l->min > l->max) {
        double swap = l->min;

        l->min = l->max;
        l->max = swap;
    }
    if (l->max == 0)
        l->max = (double)INFINITY;
    if (l->init == 0 || l->init > l->max)
        l->init = l->max;
    if (l->init < l->min)
        l->init = l->min;
    l->zeno_steps = zeno_steps(l);
}

/* Without a smallest step retries near t = 0 would go on to 1e-308. */
static void fill_min(struct tt_policy *p)
{
    double scale = p->lim.init;

    for (uint32_t i = 0; i < p->n; i++)
        if (p->members[i].kind == TT_POLICY_FIXED)
            scale = fmin(scale, p->members[i].step);
    if (p->lim.min == 0 && isfinite(scale))
        p->lim.min = MIN_OF_INIT * scale;
}

struct tt_policy *tt_policy_init(void *block,
                                 const struct tt_policy_limits *lim,
                                 const struct tt_policy_opts *o, uint32_t n)
{
    struct layout l = lay(lim, o, n);
    struct tt_policy *p = block;

    memset(block, 0, tt_policy_size(lim, o, n));
    p->lim = *lim;
    fill_limits(&p->lim);
    p->n = n;
    p->tracks_at = l.tracks;
    p->ring_at = l.ring;
    for (uint32_t i = 0; i < n; i++)
        fill(p, &p->members[i], &o[i], &l);
    fill_min(p);
    return p;
}

/* --- checks ------------------------------------------------------------ */

enum tt_code tt_policy_check(const struct tt_policy_limits *lim,
                             const struct tt_policy_opts *o, uint32_t n,
                             tt_err *err)
{
    if (!(lim->min >= 0) || !(lim->max >= 0) || !(lim->init >= 0) ||
        !isfinite(lim->min))
        return tt_fail(err, TT_EINPUT, "step sizes must be positive");
    if (lim->zeno_steps > TT_POLICY_ZENO_MAX || !(lim->zeno_window >= 0))
        return tt_fail(err, TT_EINPUT, "zeno_steps %u, at most %d",
                       lim->zeno_steps, TT_POLICY_ZENO_MAX);
    for (uint32_t i = 0; i < n; i++) {
        const struct policy_ops *ops = tt_policy_ops_of(o[i].kind);
        enum tt_code rc = ops->check ? ops->check(lim, &o[i], err) : TT_OK;

        if (rc != TT_OK)
            return tt_context(err, rc, "%s '%s'",
                              tt_policy_kind_name(o[i].kind), name_of(&o[i]));
    }
    return TT_OK;
}
