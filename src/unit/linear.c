/* SPDX-License-Identifier: MIT */
#include "unit/linear.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "unit/unit_impl.h"

#define CHAIN (TT_POLY_MAX + 1) /* an input and its derivatives */

enum role { NONE, STATE, RATE, INPUT, OUTPUT };

struct place {
    enum role role;
    uint32_t at; /* among those of its role */
};

struct linear {
    tt_unit base;
    struct tt_desc desc;
    /* Since configure, when sizes are final; owned: */
    struct place *place; /* per port */
    uint32_t *port;      /* states, their rates, inputs, outputs */
    uint32_t n, m, k;    /* states, inputs, outputs */
    double *all;         /* what follows */
    double *jacobian; /* rates and outputs by states and inputs, by columns */
    double *begin;    /* rates and outputs there ... */
    double *from;     /* ... and states and inputs */
    double *moved;    /* states, before there is a linearisation */
    double *is;       /* states and inputs now */
    double *work;     /* of a step: four matrices of its order, and a vector */
    struct tt_poly *poly; /* owned: per input, its course over the next step */
    uint8_t *live;        /* owned: ... if there is one */
    double *saved;        /* owned: n + m per register */
    int late;  /* ... when tt_linear_begin() comes, not at the start */
    int ready; /* it is linearised */
};

static struct linear *linear_of(tt_unit *u)
{
    return (struct linear *)(void *)u;
}

/* --- what there is ----------------------------------------------------- */

static int is_number(const struct tt_port *p)
{
    return p->type == TT_F64 && p->n == 1 && p->n_dim == 0;
}

int tt_linear_can(const struct tt_desc *d)
{
    uint32_t n = 0;

    if (!d->caps.directional || d->caps.joins || d->caps.clocks ||
        d->caps.discrete || d->caps.implicit)
        return 0;
    for (uint32_t i = 0; i < d->n_port; i++) {
        uint32_t x = d->port[i].derivative_of;

        if (x == TT_NONE)
            continue;
        if (!is_number(&d->port[i]) || !is_number(&d->port[x]))
            return 0;
        n++;
    }
    return n > 0;
}

static uint32_t *ports_of(const struct linear *w, enum role r)
{
    return w->port + (r == STATE   ? 0
                      : r == RATE  ? w->n
                      : r == INPUT ? 2 * w->n
                                   : 2 * w->n + w->m);
}

static void take(struct linear *w, enum role r, uint32_t port, uint32_t at)
{
    w->place[port] = (struct place){r, at};
    ports_of(w, r)[at] = port;
}

static int is_course(const struct tt_port *p, enum tt_causality c)
{
    return p->causality == c && is_number(p) &&
           p->variability == TT_VAR_CONTINUOUS && p->derivative_of == TT_NONE;
}

static void count(struct linear *w)
{
    w->n = w->m = w->k = 0;
    for (uint32_t i = 0; i < w->desc.n_port; i++) {
        const struct tt_port *p = &w->desc.port[i];

        w->n += p->derivative_of != TT_NONE;
        w->m += (uint32_t)is_course(p, TT_CAUS_INPUT);
        w->k += (uint32_t)is_course(p, TT_CAUS_OUTPUT); /* states, too */
    }
}

/* An output that is a state is that. */
static void find_places(struct linear *w)
{
    uint32_t n = 0, m = 0, k = 0;

    for (uint32_t i = 0; i < w->desc.n_port; i++)
        if (w->desc.port[i].derivative_of != TT_NONE) {
            take(w, STATE, w->desc.port[i].derivative_of, n);
            take(w, RATE, i, n++);
        }
    for (uint32_t i = 0; i < w->desc.n_port; i++) {
        if (w->place[i].role != NONE)
            continue;
        if (is_course(&w->desc.port[i], TT_CAUS_INPUT))
            take(w, INPUT, i, m++);
        else if (is_course(&w->desc.port[i], TT_CAUS_OUTPUT))
            take(w, OUTPUT, i, k++);
    }
    w->m = m;
    w->k = k;
}

/* --- life -------------------------------------------------------------- */

static void forget(struct linear *w)
{
    TT_FREE_ALL(w->place, w->port, w->all, w->poly, w->live, w->saved);
    w->place = NULL;
    w->port = NULL;
    w->all = w->saved = NULL;
    w->poly = NULL;
    w->live = NULL;
}

static void describe(struct linear *w)
{
    w->desc = *w->base.inner->desc;
    w->desc.caps.serialise = 0;
    w->desc.caps.rate_order = 0;
    w->desc.caps.max_step = w->desc.caps.event_mode = 0;
    w->desc.caps.save = w->late ? w->desc.caps.save : 1;
}

/* Of states, inputs with their derivatives, and 1. */
static uint32_t order_of(const struct linear *w)
{
    return w->n + CHAIN * w->m + 1;
}

static enum tt_code make_room(struct linear *w, tt_err *err)
{
    size_t rows, columns, order;

    forget(w);
    count(w);
    rows = (size_t)w->n + w->k;
    columns = (size_t)w->n + w->m;
    order = order_of(w);
    if (!TT_NEW_ARRAY(w->place, w->desc.n_port) ||
        !TT_NEW_ARRAY(w->port, rows + columns + w->n) ||
        !TT_NEW_ARRAY(w->all, rows * columns + rows + 2 * columns + w->n +
                                  (4 * order + 1) * order) ||
        !TT_NEW_ARRAY(w->poly, w->m + 1) || !TT_NEW_ARRAY(w->live, w->m + 1))
        return tt_fail(err, TT_ENOMEM, "linearised %u ports", w->desc.n_port);
    find_places(w);
    w->jacobian = w->all;
    w->begin = w->jacobian + rows * columns;
    w->from = w->begin + rows;
    w->is = w->from + columns;
    w->moved = w->is + columns;
    w->work = w->moved + w->n;
    return TT_OK;
}

static enum tt_code linear_configure(tt_unit *u, tt_err *err)
{
    struct linear *w = linear_of(u);
    enum tt_code rc = tt_fwd_configure(u, err);

    if (rc != TT_OK)
        return rc;
    describe(w);
    return make_room(w, err);
}

static void linear_free(tt_unit *u)
{
    forget(linear_of(u));
    tt_fwd_free(u);
}

/* --- linearising ------------------------------------------------------- */

static enum tt_code read(const struct linear *w, enum role r, uint32_t n,
                         double *to, tt_err *err)
{
    struct tt_span s = {.port = ports_of(w, r), .n = n, .value = to};

    return n ? tt_unit_get(w->base.inner, &s, err) : TT_OK;
}

/* The answer of rates and outputs to one state or input. */
static enum tt_code differ(struct linear *w, uint32_t column, tt_err *err)
{
    uint32_t rows = w->n + w->k;
    uint32_t known = column < w->n ? ports_of(w, STATE)[column]
                                   : ports_of(w, INPUT)[column - w->n];
    const double one = 1;
    double *to = w->jacobian + (size_t)column * rows;
    struct tt_jvp j = {.unknown = ports_of(w, RATE),
                       .n_unknown = w->n,
                       .known = &known,
                       .n_known = 1,
                       .dv_known = &one,
                       .dv_unknown = to};
    enum tt_code rc = tt_unit_jvp(w->base.inner, &j, err);

    j.unknown = ports_of(w, OUTPUT);
    j.n_unknown = w->k;
    j.dv_unknown = to + w->n;
    return rc == TT_OK && w->k ? tt_unit_jvp(w->base.inner, &j, err) : rc;
}

static enum tt_code linearise(struct linear *w, tt_err *err)
{
    enum tt_code rc = read(w, RATE, w->n, w->begin, err);

    if (rc == TT_OK)
        rc = read(w, OUTPUT, w->k, w->begin + w->n, err);
    if (rc == TT_OK)
        rc = read(w, STATE, w->n, w->from, err);
    if (rc == TT_OK)
        rc = read(w, INPUT, w->m, w->from + w->n, err);
    for (uint32_t i = 0; i < w->n + w->m && rc == TT_OK; i++)
        rc = differ(w, i, err);
    for (uint32_t i = 0; i < w->n + w->m; i++)
        w->is[i] = w->from[i] + (i < w->n ? w->moved[i] : 0);
    w->ready = rc == TT_OK;
    return rc;
}

static enum tt_code linear_exit_init(tt_unit *u, tt_err *err)
{
    struct linear *w = linear_of(u);
    enum tt_code rc = tt_fwd_exit_init(u, err);

    return rc == TT_OK && !w->late ? linearise(w, err) : rc;
}

/* --- values ------------------------------------------------------------ */

/* Of a rate or an output. */
static double follows(const struct linear *w, uint32_t row)
{
    uint32_t rows = w->n + w->k;
    double sum = w->begin[row];

    for (uint32_t i = 0; i < w->n + w->m; i++)
        sum += w->jacobian[row + (size_t)i * rows] * (w->is[i] - w->from[i]);
    return sum;
}

static double value_of(const struct linear *w, struct place p)
{
    return p.role == STATE   ? w->is[p.at]
           : p.role == INPUT ? w->is[w->n + p.at]
           : p.role == RATE  ? follows(w, p.at)
                             : follows(w, w->n + p.at);
}

static enum tt_code linear_get(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    const struct linear *w = linear_of(u);
    enum tt_code rc = tt_fwd_get(u, s, err);
    char *v = s->value;

    for (size_t i = 0; i < s->n && rc == TT_OK && w->ready; i++) {
        struct place p = w->place[s->port[i]];

        if (p.role != NONE)
            *(double *)(void *)v = value_of(w, p);
        v += tt_port_size(&w->desc.port[s->port[i]]);
    }
    return rc;
}

static int is_calculated(const struct tt_port *p)
{
    return p->initial != TT_INIT_EXACT && p->initial != TT_INIT_APPROX;
}

/* Returns whether the unit itself is not to be given it. */
static int keep(struct linear *w, uint32_t port, const double *v)
{
    const struct tt_port *p = &w->desc.port[port];
    struct place at = w->place ? w->place[port] : (struct place){NONE, 0};

    if (at.role == INPUT && w->ready) {
        w->is[w->n + at.at] = *v;
        w->live[at.at] = 0;
        return 1;
    }
    if (at.role != STATE || w->ready || !is_calculated(p))
        return 0;
    w->moved[at.at] = *v - (p->start ? *(const double *)p->start : 0);
    return 1;
}

static enum tt_code linear_set(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    struct linear *w = linear_of(u);
    const char *v = s->value;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
        struct tt_span one = {
            .port = &s->port[i], .n = 1, .value = (void *)(uintptr_t)v};

        if (!keep(w, s->port[i], (const double *)(const void *)v))
            rc = tt_fwd_set(u, &one, err);
        v += tt_port_size(&w->desc.port[s->port[i]]);
    }
    return rc;
}

static enum tt_code linear_course(tt_unit *u, const struct tt_span *s,
                                  const struct tt_poly *p, tt_err *err)
{
    struct linear *w = linear_of(u);

    if (!w->ready)
        return tt_fwd_course(u, s, p, err);
    for (size_t i = 0; i < s->n; i++) {
        struct place at = w->place[s->port[i]];

        if (at.role != INPUT || p[i].n_next)
            return tt_fail(err, TT_EUNSUPPORTED,
                           "a linearised instance takes single polynomials for "
                           "its continuous inputs only");
        w->poly[at.at] = p[i];
        w->live[at.at] = 1;
    }
    return TT_OK;
}

/* --- time -------------------------------------------------------------- */

/* z' = M z, by rows, times h. */
static void put_system(const struct linear *w, double h, double *m)
{
    uint32_t n = w->n, rows = n + w->k, size = order_of(w);

    memset(m, 0, (size_t)size * size * sizeof(*m));
    for (uint32_t i = 0; i < n; i++) {
        double constant = w->begin[i];

        for (uint32_t j = 0; j < n + w->m; j++) {
            double a = w->jacobian[i + (size_t)j * rows];

            m[(size_t)i * size + (j < n ? j : n + (j - n) * CHAIN)] = h * a;
            constant -= a * w->from[j];
        }
        m[(size_t)i * size + size - 1] = h * constant;
    }
    for (uint32_t j = 0; j < w->m; j++)
        for (uint32_t d = 0; d + 1 < CHAIN; d++) {
            uint32_t at = n + j * CHAIN + d;

            m[(size_t)at * size + at + 1] = h;
        }
}

static void put_start(const struct linear *w, double t, double *z)
{
    memset(z, 0, order_of(w) * sizeof(*z));
    memcpy(z, w->is, w->n * sizeof(*z));
    for (uint32_t j = 0; j < w->m; j++) {
        double *u = z + w->n + (size_t)j * CHAIN;

        u[0] = w->live[j] ? tt_poly_at(&w->poly[j], t) : w->is[w->n + j];
        for (uint32_t d = 1; w->live[j] && d < CHAIN; d++)
            u[d] = tt_poly_rate(&w->poly[j], t, d);
    }
    z[order_of(w) - 1] = 1;
}

static double largest_row(const double *m, uint32_t n)
{
    double most = 0;

    for (uint32_t i = 0; i < n; i++) {
        double sum = 0;

        for (uint32_t j = 0; j < n; j++)
            sum += fabs(m[(size_t)i * n + j]);
        most = fmax(most, sum);
    }
    return most;
}

/* out = a b; by rows. */
static void multiply(const double *a, const double *b, uint32_t n, double *out)
{
    memset(out, 0, (size_t)n * n * sizeof(*out));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t j = 0; j < n; j++)
                out[(size_t)i * n + j] +=
                    a[(size_t)i * n + k] * b[(size_t)k * n + j];
}

#define TERMS 20

/* exp(m) into sum, by Taylor's series of m / 2^s, squared s times; room: two
 * matrices. m is destroyed. */
static void exponential(double *m, uint32_t n, double *sum, double *room)
{
    size_t all = (size_t)n * n;
    double *term = room, *next = room + all, size = largest_row(m, n);
    int halved = size > 0.125 ? (int)ceil(log2(size)) + 3 : 0;

    memset(sum, 0, all * sizeof(*sum));
    for (uint32_t i = 0; i < n; i++)
        sum[(size_t)i * n + i] = 1;
    memcpy(term, sum, all * sizeof(*term));
    for (size_t i = 0; i < all; i++)
        m[i] = ldexp(m[i], -halved);
    for (int k = 1; k < TERMS; k++) {
        multiply(term, m, n, next);
        for (size_t i = 0; i < all; i++) {
            term[i] = next[i] / k;
            sum[i] += term[i];
        }
    }
    for (; halved > 0; halved--) {
        memcpy(term, sum, all * sizeof(*term));
        multiply(term, term, n, sum);
    }
}

static void end_inputs(struct linear *w, double t)
{
    for (uint32_t j = 0; j < w->m; j++)
        if (w->live[j])
            w->is[w->n + j] = tt_poly_at(&w->poly[j], t);
    memset(w->live, 0, w->m);
}

static enum tt_code linear_step(tt_unit *u, const struct tt_step *s,
                                struct tt_stepped *r, tt_err *err)
{
    struct linear *w = linear_of(u);
    uint32_t n = order_of(w);
    size_t all = (size_t)n * n;
    double h = s->h > 0 ? s->h : s->to - u->now;
    double *m = w->work, *z = m + 4 * all;

    if (!w->ready)
        return tt_fwd_step(u, s, r, err);
    put_system(w, h, m);
    put_start(w, u->now, z);
    exponential(m, n, m + all, m + 2 * all);
    for (uint32_t i = 0; i < w->n; i++) {
        double sum = 0;

        for (uint32_t j = 0; j < n; j++)
            sum += m[all + (size_t)i * n + j] * z[j];
        w->is[i] = sum;
    }
    end_inputs(w, s->to);
    *r = (struct tt_stepped){.reached = s->to};
    return TT_OK;
}

/* --- states ------------------------------------------------------------ */

static enum tt_code linear_prepare(tt_unit *u, uint32_t n, tt_err *err)
{
    struct linear *w = linear_of(u);
    double *saved = tt_resize(w->saved, (size_t)n + 1,
                              ((size_t)w->n + w->m) * sizeof(*saved));

    if (!saved)
        return tt_fail(err, TT_ENOMEM, "%u states", n);
    w->saved = saved;
    return w->late && w->desc.caps.save ? tt_fwd_prepare(u, n, err) : TT_OK;
}

static enum tt_code linear_save(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct linear *w = linear_of(u);
    size_t n = (size_t)w->n + w->m;

    if (!w->ready)
        return tt_fwd_save(u, reg, err);
    memcpy(w->saved + reg * n, w->is, n * sizeof(*w->is));
    return TT_OK;
}

static enum tt_code linear_restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct linear *w = linear_of(u);
    size_t n = (size_t)w->n + w->m;

    if (!w->ready)
        return tt_fwd_restore(u, reg, err);
    memcpy(w->is, w->saved + reg * n, n * sizeof(*w->is));
    memset(w->live, 0, w->m);
    return TT_OK;
}

/* --- making ------------------------------------------------------------ */

static const struct tt_unit_ops linear_ops = {
    TT_HOOKS(linear_, configure, exit_init, prepare, get, set, course, step,
             save, restore, free),
    TT_HOOKS(tt_fwd_, enter_init, end, reset, jvp)};

enum tt_code tt_linear_new(tt_unit **out, tt_unit *inner, int late,
                           const struct tt_make *m, tt_err *err)
{
    struct linear *w;
    enum tt_code rc;

    if (!TT_NEW(w)) {
        tt_unit_free(inner);
        return tt_fail(err, TT_ENOMEM,
                       "instance '%s' (linearised): out of memory", m->name);
    }
    w->base.inner = inner;
    w->late = late;
    describe(w);
    rc = tt_unit_init(&w->base, &linear_ops, &w->desc, m, err);
    tt_unit_wrap(&w->base, inner, "linearised");
    return TT_HAND_OVER(rc, out, &w->base, linear_free);
}

static struct linear *find_linear(tt_unit *u)
{
    while (u && u->ops != &linear_ops)
        u = u->inner;
    return u ? linear_of(u) : NULL;
}

enum tt_code tt_linear_begin(tt_unit *u, tt_err *err)
{
    struct linear *w = find_linear(u);

    return w && !w->ready ? linearise(w, err) : TT_OK;
}

void tt_linear_move(tt_unit *u, uint32_t port, double by)
{
    struct linear *w = find_linear(u);

    if (w && w->ready && w->place[port].role == STATE)
        w->is[w->place[port].at] += by;
}
