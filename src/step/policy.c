/* SPDX-License-Identifier: MIT */
/* The set: the smallest proposal, any objection, histories on commit. */
#include "step/policy_impl.h"

#include <math.h>

#define STRETCH 1.1 /* of the proposal, to reach an instant ahead */

/* --- the block --------------------------------------------------------- */

static struct track *tracks_of(struct tt_policy *p)
{
    return (struct track *)(void *)((char *)p + p->tracks_at);
}

const struct track *tt_policy_ctracks(const struct tt_policy *p)
{
    return (const struct track *)(const void *)((const char *)p + p->tracks_at);
}

const uint32_t *tt_policy_ports(const struct tt_policy *p,
                                const struct member *m)
{
    return (const uint32_t *)(const void *)((const char *)p + m->ports_at);
}

static double *ring_of(struct tt_policy *p)
{
    return (double *)(void *)((char *)p + p->ring_at);
}

const double *tt_policy_cring(const struct tt_policy *p)
{
    return (const double *)(const void *)((const char *)p + p->ring_at);
}

double tt_policy_saturate(const struct tt_policy *p, double h)
{
    return h < p->lim.min ? p->lim.min : h > p->lim.max ? p->lim.max : h;
}

double tt_policy_least(const struct tt_policy *p, double t)
{
    return fmax(p->lim.min, tt_policy_instant_tol(t, 0));
}

static struct tt_policy_count *count_of(struct tt_policy *p, uint32_t i)
{
    return i < p->n ? &p->members[i].count : &p->own[i - p->n];
}

uint32_t tt_policy_members(const struct tt_policy *p)
{
    return p->n;
}

struct tt_policy_count tt_policy_counts(const struct tt_policy *p, uint32_t i)
{
    return i < p->n ? p->members[i].count : p->own[i - p->n];
}

void tt_policy_start(struct tt_policy *p, double t, const double *v)
{
    struct track *k = tracks_of(p);

    (void)t;
    for (uint32_t i = 0; i < p->lim.n_watched; i++)
        tt_track_start(&k[i], v[i]);
    p->points = 1;
    for (uint32_t i = 0; i < p->n; i++) {
        p->members[i].state = ZERO_UNKNOWN;
        p->members[i].factor = 0;
        p->members[i].err_prev = 0;
        if (p->members[i].kind == TT_POLICY_LOCATE)
            tt_policy_begin_crossing(&p->members[i],
                                     v[tt_policy_ports(p, &p->members[i])[0]]);
    }
}

/* --- proposals --------------------------------------------------------- */

/* What is proposed before instants are looked at. */
struct wish {
    double h; /* by continuous members */
    uint32_t by;
    double cap; /* of units; not a matter of accuracy */
    uint32_t cap_by;
};

double tt_policy_wish(const struct tt_policy *p, struct member *m)
{
    const struct policy_ops *ops = tt_policy_ops_of(m->kind);

    return ops->propose ? ops->propose(p, m) : (double)INFINITY;
}

static void cap_by_units(const struct tt_policy *p, struct wish *w,
                         double unit_max)
{
    w->cap = (double)INFINITY;
    w->cap_by = w->by;
    for (uint32_t i = 0; i < p->n; i++)
        if (p->members[i].kind == TT_POLICY_UNIT_MAX && unit_max > 0) {
            w->cap = fmax(unit_max, p->lim.min);
            w->cap_by = i;
            return;
        }
}

static struct wish collect(struct tt_policy *p)
{
    struct wish w = {.h = p->lim.max, .by = p->n + TT_POLICY_OWN_MAX};

    if (p->steps == 0) { /* nothing is known yet */
        w.h = p->lim.init;
        w.by = p->n + TT_POLICY_OWN_INIT;
        return w;
    }
    for (uint32_t i = 0; i < p->n; i++) {
        double h = tt_policy_wish(p, &p->members[i]);

        if (h < w.h) {
            w.h = h;
            w.by = i;
        }
    }
    return w;
}

static struct tt_policy_step at(double t, double t1, uint32_t by)
{
    return (struct tt_policy_step){t1, t1 - t, by};
}

/* A step of the length that was chosen: units are given that, and not what is
 * left of it once it was added to t. */
static struct tt_policy_step over(double t, double h, uint32_t by)
{
    return (struct tt_policy_step){t + h, h, by};
}

/* No instant is reached by h. Leave no sliver before the next one. */
static double spare_sliver(const struct tt_policy *p, double h, double rest,
                           double hard)
{
    if (rest - h >= p->lim.min)
        return h;
    if (rest <= hard * SLACK && (rest <= STRETCH * h || rest < 2 * p->lim.min))
        return rest;
    return rest / 2;
}

/* The length that was chosen leads to this instant: it is reported as it is
 * where a unit that adds it to t comes out there, too, or where nothing
 * follows. */
static struct tt_policy_step reach(const struct tt_policy *p, double t,
                                   double h, const struct target *next)
{
    if (t + h == next->t || next->by == p->n + TT_POLICY_OWN_END)
        return (struct tt_policy_step){next->t, h, p->by};
    return at(t, next->t, p->by);
}

/* From a wish to an instant. Sets what limits the attempt. */
static struct tt_policy_step land(struct tt_policy *p, const struct wish *w,
                                  const struct tt_policy_ask *ask)
{
    struct target next = tt_policy_target(p, ask);
    double t = ask->t, tol = tt_policy_instant_tol(t, p->lim.min);
    double rest = next.t - t, h = w->h;

    p->by = w->by;
    p->attempt_discrete = 0;
    if (w->cap < h) {
        h = w->cap;
        p->by = w->cap_by;
        p->attempt_discrete = 1;
    }
    if (h < rest - tol && next.soft)
        h = spare_sliver(p, h, rest, fmin(p->lim.max, w->cap));
    if (h < rest - tol)
        return over(t, fmax(h, tt_policy_instant_tol(t, 0)), p->by);
    if (rest < fmin(w->h, w->cap) - tol) { /* the instant came first */
        p->by = next.by;
        p->attempt_discrete = 1;
        return at(t, next.t, p->by);
    }
    return reach(p, t, h, &next);
}

struct tt_policy_step tt_policy_propose(struct tt_policy *p,
                                        const struct tt_policy_ask *ask)
{
    struct wish w;
    struct tt_policy_step s;

    p->rejected = 0;
    if (p->lim.maestro)
        return tt_maestro_propose(p, ask);
    if (!(ask->end - ask->t > tt_policy_instant_tol(ask->t, p->lim.min)))
        return (struct tt_policy_step){ask->t, 0, p->n + TT_POLICY_OWN_END};
    w = collect(p);
    cap_by_units(p, &w, ask->unit_max);
    s = land(p, &w, ask);
    if (s.by < p->n && p->members[s.by].kind == TT_POLICY_FIXED &&
        fabs(s.h - p->members[s.by].step) <= 1e-9 * s.h)
        s.h = p->members[s.by].step; /* a full step of the grid is H itself */
    return s;
}

struct tt_policy_step tt_policy_retry(struct tt_policy *p,
                                      const struct tt_policy_ruling *r,
                                      const struct tt_policy_ask *ask)
{
    /* capped, lest it be stretched back to the end that was rejected */
    struct wish w = {r->h, r->by, r->h, r->by};
    struct tt_policy_step s;

    if (p->lim.maestro) {
        s = tt_maestro_retry(p, r, ask);
    } else {
        s = r->exact ? at(ask->t, r->t1, r->by) : land(p, &w, ask);
        p->attempt_discrete = r->exact;
    }
    p->by = s.by = r->by;
    p->rejected = 1;
    count_of(p, r->by)->rejected++;
    return s;
}

/* --- histories --------------------------------------------------------- */

static void feed(struct tt_policy *p, const struct tt_policy_evidence *ev)
{
    struct track *k = tracks_of(p);
    double h = p->lim.maestro ? p->size : ev->t1 - ev->t0;

    for (uint32_t i = 0; i < p->lim.n_watched; i++) {
        struct track_in in = {.x = ev->v1[i],
                              .d = ev->d1 ? ev->d1[i] : (double)NAN,
                              .dd = ev->dd1 ? ev->dd1[i] : (double)NAN,
                              .h1 = h,
                              .h2 = p->h1,
                              .points = p->points,
                              .boundless = p->lim.maestro};

        tt_track_feed(&k[i], &in);
    }
    p->h2 = p->h1;
    p->h1 = h;
    if (p->points < 3)
        p->points++;
}

static void remember_zeno(struct tt_policy *p,
                          const struct tt_policy_evidence *ev)
{
    if (!tt_policy_counts_for_zeno(p, ev))
        return;
    ring_of(p)[p->zeno_at] = ev->t1;
    p->zeno_at = (p->zeno_at + 1) % p->lim.zeno_steps;
    if (p->zeno_n < p->lim.zeno_steps)
        p->zeno_n++;
}

void tt_policy_commit(struct tt_policy *p, const struct tt_policy_evidence *ev,
                      const struct tt_policy_ruling *r)
{
    remember_zeno(p, ev);
    feed(p, ev);
    for (uint32_t i = 0; i < p->n; i++) {
        struct member *m = &p->members[i];
        const struct policy_ops *ops = tt_policy_ops_of(m->kind);

        if (ops->commit)
            ops->commit(p, m, ev);
    }
    count_of(p, p->by)->limited++;
    if (r->verdict == TT_POLICY_ACCEPT_WARN)
        count_of(p, r->by)->warned++;
    p->discrete = p->attempt_discrete;
    if (!p->discrete)
        p->last_cont = p->h1;
    else if (p->steps == 0)
        p->last_cont = isfinite(p->lim.init) ? p->lim.init : p->h1;
    p->steps++;
}
