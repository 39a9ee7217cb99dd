/* SPDX-License-Identifier: MIT */
#include "run/signed.h"

#include <math.h>
#include <string.h>

#include "run/gains.h"

#define MOST_TERMS 40u
#define NO_MORE    1e-15 /* of the sum: a term that counts for nothing */
#define LASTS      8     /* so many spans of a run errors are looked after */
#define GROWS      1e60  /* ... unless they grow beyond all measure */
#define MOST       128u  /* states and inputs */

struct tt_signed {
    uint32_t nx, nu;        /* states; elements of inputs, as of tt_sequence */
    uint32_t *first;        /* per unit and one more: its states */
    uint32_t *from, *to;    /* per element: units */
    uint8_t *cut;           /* per order and element: it is extrapolated */
    uint8_t *held;          /* per element: it has no course */
    double *nominal;        /* per element */
    double *a, *b, *c, *d;  /* row by row */
    double *loop;           /* A of the circle closed */
    double *ahead;          /* x' W x: the squares of all that is off from here
                               on, over time */
    double *m, *m2, *w2;    /* scratch: matrices of states */
    double *out;            /* per element, and states: what is off */
    double *rate;           /* states, at the start */
    double *y, *w, *v, *v2; /* scratch: elements; states */
    double *p;              /* 3 per element: powers of the time in the step */
    double *add, *more;     /* states: what a step adds; after the next one */
    double *e;              /* in the frame: the run's, then each order's */
};

/* --- finding ---------------------------------------------------------------
 */

static int is_rate(const struct tt_desc *d, uint32_t port)
{
    uint32_t of = d->port[port].derivative_of;

    return of != TT_NONE && d->port[port].type == TT_F64 &&
           d->port[of].type == TT_F64;
}

static void look_at_elements(const tt_run *r, struct tt_signed *g)
{
    const struct tt_sequence *s = r->sequence;

    for (uint32_t i = 0; i < s->n_side; i++)
        for (uint32_t k = s->side[i].first; k < s->side[i].first + s->side[i].n;
             k++) {
            uint32_t slot = r->plan->feed[s->input[k].feed].to;
            double scale = tt_port_scale(tt_plan_port(r->plan, slot));

            for (uint32_t e = 0; e < r->plan->slot[slot].n; e++) {
                uint32_t j = s->input[k].first + e;

                g->from[j] = s->side[i].from;
                g->to[j] = s->side[i].to;
                g->held[j] = r->plan->slot[slot].course == TT_NONE;
                g->nominal[j] = scale;
                for (uint32_t o = 0; o < s->n_order; o++)
                    g->cut[o * g->nu + j] = s->cuts[o * s->n_side + i];
            }
        }
}

static int is_on_circle(const struct tt_sequence *s, uint32_t unit)
{
    for (uint32_t i = 0; i < s->n_side; i++)
        if (s->side[i].from == unit || s->side[i].to == unit)
            return 1;
    return 0;
}

static void count_states(const tt_run *r, struct tt_signed *g)
{
    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        const struct tt_desc *d = r->plan->unit[u].desc;

        g->first[u] = g->nx;
        for (uint32_t i = 0; is_on_circle(r->sequence, u) && i < d->n_port; i++)
            g->nx += is_rate(d, i) ? d->port[i].n : 0;
    }
    g->first[r->plan->n_unit] = g->nx;
}

static int allocate(tt_run *r, struct tt_signed *g)
{
    size_t x = g->nx + 1, u = g->nu + 1;

    return RUN_NEW(r, g->from, u) && RUN_NEW(r, g->to, u) &&
           RUN_NEW(r, g->held, u) && RUN_NEW(r, g->nominal, u) &&
           RUN_NEW(r, g->cut, u * RUN_ORDERS) && RUN_NEW(r, g->a, x * x) &&
           RUN_NEW(r, g->b, x * u) && RUN_NEW(r, g->c, u * x) &&
           RUN_NEW(r, g->d, u * u) && RUN_NEW(r, g->loop, x * x) &&
           RUN_NEW(r, g->ahead, x * x) && RUN_NEW(r, g->m, x * x) &&
           RUN_NEW(r, g->m2, x * x) && RUN_NEW(r, g->w2, x * x) &&
           RUN_NEW(r, g->out, u * x) && RUN_NEW(r, g->y, u) &&
           RUN_NEW(r, g->w, u) && RUN_NEW(r, g->v, x) && RUN_NEW(r, g->v2, x) &&
           RUN_NEW(r, g->p, 3 * u) && RUN_NEW(r, g->add, x) &&
           RUN_NEW(r, g->rate, x) && RUN_NEW(r, g->more, x);
}

enum tt_code run_signed_make(tt_run *r, tt_err *err)
{
    struct tt_signed *g;

    if (!RUN_NEW(r, g, 1) || !RUN_NEW(r, g->first, r->plan->n_unit + 1))
        return run_nomem(err);
    r->sequence->by_sign = g;
    g->nu = r->sequence->n_element;
    count_states(r, g);
    if (g->nx + g->nu > MOST)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "the sequence 'signed' is for at most %u states and "
                       "inputs; there are %u",
                       MOST, g->nx + g->nu);
    if (!allocate(r, g))
        return run_nomem(err);
    look_at_elements(r, g);
    run_reserve(r, TT_REGION_RUN, "signed",
                (size_t)g->nx * (1 + r->sequence->n_order) * sizeof(double),
                &g->e);
    return TT_OK;
}

/* What of a unit follows its states and inputs: rates, then what it gives. */
struct followers {
    uint32_t *port;    /* owned */
    uint32_t *element; /* owned: per row behind the rates, of the circle */
    double *factor;    /* owned, likewise */
    uint32_t n, n_row, n_rate;
};

static void free_followers(struct followers *f)
{
    TT_FREE_ALL(f->port, f->element, f->factor);
}

static enum tt_code find_followers(const tt_run *r, uint32_t unit,
                                   struct followers *f, tt_err *err)
{
    const struct tt_sequence *s = r->sequence;
    const struct tt_desc *d = r->plan->unit[unit].desc;

    *f = (struct followers){0};
    if (!TT_NEW_ARRAY(f->port, d->n_port + s->n_input) ||
        !TT_NEW_ARRAY(f->element, s->n_element) ||
        !TT_NEW_ARRAY(f->factor, s->n_element))
        return run_nomem(err);
    for (uint32_t i = 0; i < d->n_port; i++)
        if (is_rate(d, i)) {
            f->port[f->n++] = i;
            f->n_row += d->port[i].n;
        }
    f->n_rate = f->n_row;
    for (uint32_t k = 0; k < s->n_input; k++) {
        const struct tt_feed *feed = &r->plan->feed[s->input[k].feed];
        const struct tt_slot *from = &r->plan->slot[feed->from];

        if (from->unit != unit)
            continue;
        f->port[f->n++] = from->port;
        for (uint32_t e = 0; e < from->n; e++, f->n_row++) {
            f->element[f->n_row - f->n_rate] = s->input[k].first + e;
            f->factor[f->n_row - f->n_rate] =
                feed->how == TT_FEED_LINEAR ? feed->factor : 1;
        }
    }
    return TT_OK;
}

/* Columns of a port into the matrices: it is at `at` of the states (x) or the
 * inputs. */
static enum tt_code add_columns(tt_run *r, const struct followers *f,
                                struct run_gain *gain, uint32_t at, int x,
                                tt_err *err)
{
    struct tt_signed *g = r->sequence->by_sign;
    uint32_t row = g->first[gain->unit], width = x ? g->nx : g->nu;
    double *rate = x ? g->a : g->b, *out = x ? g->c : g->d;
    double *column = tt_zalloc((size_t)gain->n * f->n_row + 1, sizeof(*column));
    enum tt_code rc;

    gain->follower = f->port;
    gain->n_follower = f->n;
    gain->n_row = f->n_row;
    rc = column ? run_find_gain(r, gain, column, err) : run_nomem(err);
    for (uint32_t e = 0; e < gain->n && rc == TT_OK; e++) {
        const double *of = column + (size_t)e * f->n_row;

        for (uint32_t i = 0; i < f->n_rate; i++)
            rate[(size_t)(row + i) * width + at + e] = of[i];
        for (uint32_t i = f->n_rate; i < f->n_row; i++)
            out[(size_t)f->element[i - f->n_rate] * width + at + e] =
                f->factor[i - f->n_rate] * of[i];
    }
    tt_free(column);
    return rc;
}

static enum tt_code add_states(tt_run *r, const struct followers *f,
                               uint32_t unit, tt_err *err)
{
    const struct tt_desc *d = r->plan->unit[unit].desc;
    uint32_t at = r->sequence->by_sign->first[unit];
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < d->n_port && rc == TT_OK; i++) {
        struct run_gain gain = {
            .unit = unit, .port = d->port[i].derivative_of, .n = d->port[i].n};

        if (!is_rate(d, i))
            continue;
        rc = add_columns(r, f, &gain, at, 1, err);
        at += d->port[i].n;
    }
    return rc == TT_EUNSUPPORTED ? tt_context(err, rc, "the sequence 'signed'")
                                 : rc;
}

static enum tt_code add_inputs(tt_run *r, const struct followers *f,
                               uint32_t unit, tt_err *err)
{
    const struct tt_sequence *s = r->sequence;
    enum tt_code rc = TT_OK;

    for (uint32_t k = 0; k < s->n_input && rc == TT_OK; k++) {
        const struct tt_slot *to =
            &r->plan->slot[r->plan->feed[s->input[k].feed].to];
        struct run_gain gain = {.unit = unit, .port = to->port, .n = to->n};
        double *value;

        if (to->unit != unit)
            continue;
        if (!TT_NEW_ARRAY(value, to->n))
            return run_nomem(err);
        for (uint32_t e = 0; e < to->n; e++)
            value[e] = run_seq_taken(r, s->input[k].feed, e);
        gain.value = value;
        rc = add_columns(r, f, &gain, s->input[k].first, 0, err);
        tt_free(value);
    }
    return rc;
}

static double times(const double *row, const double *v, uint32_t n)
{
    double sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += row[i] * v[i];
    return sum;
}

/* y = C x + D y: what is connected, when states are off by x. Feed-through that
 * does not go round is done after as many turns as there are inputs. */
static void outputs(struct tt_signed *g, const double *x)
{
    memset(g->y, 0, g->nu * sizeof(*g->y));
    for (uint32_t turn = 0; turn <= g->nu; turn++) {
        int moved = 0;

        for (uint32_t j = 0; j < g->nu; j++) {
            double y = times(g->c + (size_t)j * g->nx, x, g->nx) +
                       times(g->d + (size_t)j * g->nu, g->y, g->nu);

            moved |= y != g->y[j];
            g->y[j] = y;
        }
        if (!moved)
            break;
    }
}

static void close_loop(struct tt_signed *g)
{
    for (uint32_t k = 0; k < g->nx; k++) {
        memset(g->v, 0, g->nx * sizeof(*g->v));
        g->v[k] = 1;
        outputs(g, g->v);
        for (uint32_t i = 0; i < g->nx; i++)
            g->loop[(size_t)i * g->nx + k] =
                g->a[(size_t)i * g->nx + k] +
                times(g->b + (size_t)i * g->nu, g->y, g->nu);
    }
}

/* States move by this, per second. */
static enum tt_code read_rates(tt_run *r, tt_err *err)
{
    struct tt_signed *g = r->sequence->by_sign;
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        const struct tt_desc *d = r->plan->unit[u].desc;
        double *to = g->rate + g->first[u];

        if (g->first[u] == g->first[u + 1])
            continue;
        for (uint32_t i = 0; i < d->n_port && rc == TT_OK; i++) {
            const struct tt_span span = {.port = &i, .n = 1, .value = to};

            if (!is_rate(d, i))
                continue;
            rc = tt_unit_get(r->unit[u], &span, err);
            to += d->port[i].n;
        }
    }
    run_between_calls(r);
    return rc;
}

enum tt_code run_signed_start(tt_run *r, tt_err *err)
{
    struct tt_signed *g = r->sequence->by_sign;
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++) {
        struct followers f;

        if (!is_on_circle(r->sequence, u))
            continue;
        if (g->first[u] == g->first[u + 1])
            return tt_fail(err, TT_EUNSUPPORTED,
                           "the sequence 'signed' needs to know how states "
                           "follow inputs, and instance '%s' declares no "
                           "derivatives",
                           r->plan->unit[u].name);
        rc = find_followers(r, u, &f, err);
        if (rc == TT_OK)
            rc = add_states(r, &f, u, err);
        if (rc == TT_OK)
            rc = add_inputs(r, &f, u, err);
        free_followers(&f);
    }
    if (rc == TT_OK)
        close_loop(g);
    return rc == TT_OK ? read_rates(r, err) : rc;
}

/* --- a step ----------------------------------------------------------------
 */

static double size_of(const double *v, uint32_t n)
{
    double most = 0;

    for (uint32_t i = 0; i < n; i++)
        most = fmax(most, fabs(v[i]));
    return most;
}

/* What becomes of errors x over h: the sum of the Taylor series. */
static void carry_on(struct tt_signed *g, double *x, double h)
{
    double *term = g->v, *next = g->v2;

    memcpy(term, x, g->nx * sizeof(*term));
    for (uint32_t k = 1; k < MOST_TERMS; k++) {
        for (uint32_t i = 0; i < g->nx; i++)
            next[i] = h / k * times(g->loop + (size_t)i * g->nx, term, g->nx);
        memcpy(term, next, g->nx * sizeof(*term));
        for (uint32_t i = 0; i < g->nx; i++)
            x[i] += term[i];
        if (size_of(term, g->nx) <= NO_MORE * size_of(x, g->nx))
            break;
    }
}

/* By how much an input's course is off within a step, p[0] + p[1] t + p[2] t^2:
 * extrapolated it ends off by eps, interpolated by what its source is off, w.
 */
static void course(const struct tt_signed *g, uint32_t j, double eps, double h,
                   int cut, int anew, double *p)
{
    p[0] = p[1] = p[2] = 0;
    if (g->held[j] && !cut) {
        p[0] = eps + g->w[j];
        p[1] = -eps / h;
    } else if (cut && (anew || g->held[j])) {
        p[1] = -eps / h;
    } else if (cut) {
        p[1] = -eps / (2 * h);
        p[2] = -eps / (2 * h * h);
    } else {
        p[1] = (anew ? 0 : eps / (2 * h)) + g->w[j] / h;
        p[2] = anew ? 0 : -eps / (2 * h * h);
    }
}

/* States of a unit, moved by its inputs from nothing. */
static void respond(struct tt_signed *g, uint32_t unit, double h)
{
    uint32_t first = g->first[unit], n = g->first[unit + 1] - first;
    double *term = g->v, *next = g->v2, weight = 1;

    memset(term, 0, n * sizeof(*term));
    for (uint32_t k = 1; k < MOST_TERMS; k++) {
        weight *= h / k;
        for (uint32_t i = 0; i < n; i++) {
            const double *b = g->b + (size_t)(first + i) * g->nu;

            next[i] =
                times(g->a + (size_t)(first + i) * g->nx + first, term, n);
            for (uint32_t j = 0; k <= 3 && j < g->nu; j++)
                if (g->to[j] == unit)
                    next[i] += b[j] * g->p[3 * j + k - 1] * (k == 3 ? 2 : 1);
        }
        memcpy(term, next, n * sizeof(*term));
        for (uint32_t i = 0; i < n; i++)
            g->add[first + i] += weight * term[i];
        if (k > 3 &&
            weight * size_of(term, n) <= NO_MORE * size_of(g->add + first, n))
            break;
    }
}

/* By how much a unit's inputs and then its outputs are off at the end. */
static void give(struct tt_signed *g, uint32_t unit, double h)
{
    for (uint32_t j = 0; j < g->nu; j++)
        if (g->to[j] == unit) {
            const double *p = g->p + (size_t)3 * j;

            g->y[j] = p[0] + h * (p[1] + h * p[2]);
        }
    for (uint32_t j = 0; j < g->nu; j++) {
        if (g->from[j] != unit)
            continue;
        g->w[j] = times(g->c + (size_t)j * g->nx, g->add, g->nx);
        for (uint32_t k = 0; k < g->nu; k++)
            if (g->to[k] == unit)
                g->w[j] += g->d[(size_t)j * g->nu + k] * g->y[k];
    }
}

/* What a step in this order adds: unit by unit. */
static void step(tt_run *r, uint32_t order, double h, int anew)
{
    struct tt_signed *g = r->sequence->by_sign;
    const uint32_t *unit = r->orders->score[order]->order;

    memset(g->add, 0, g->nx * sizeof(*g->add));
    memset(g->w, 0, g->nu * sizeof(*g->w));
    if (anew && r->scenario->iteration.at_start)
        return; /* it was repeated until all agreed */
    for (uint32_t i = 0; i < r->plan->n_unit; i++) {
        if (g->first[unit[i]] == g->first[unit[i] + 1])
            continue;
        for (uint32_t j = 0; j < g->nu; j++)
            if (g->to[j] == unit[i])
                course(g, j, r->sequence->eps[j], h, g->cut[order * g->nu + j],
                       anew, g->p + 3 * (size_t)j);
        respond(g, unit[i], h);
        give(g, unit[i], h);
    }
}

/* Of everything that is connected, each by its nominal value. */
static double norm(struct tt_signed *g, const double *x)
{
    double sum = 0;

    outputs(g, x);
    for (uint32_t j = 0; j < g->nu; j++)
        sum += fabs(g->y[j]) / g->nominal[j];
    return sum;
}

static void add(double *to, const double *v, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] += v[i];
}

/* to = a b, or a' b, of states. */
static void multiply(const struct tt_signed *g, const double *a, int turned,
                     const double *b, double *to)
{
    uint32_t n = g->nx;

    memset(to, 0, (size_t)n * n * sizeof(*to));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++) {
            double x = a[turned ? (size_t)k * n + i : (size_t)i * n + k];

            for (uint32_t j = 0; j < n; j++)
                to[(size_t)i * n + j] += x * b[(size_t)k * n + j];
        }
}

/* W of this instant alone, and m: a step of length h. */
static void begin_ahead(struct tt_signed *g, double h)
{
    uint32_t n = g->nx;
    double *unit = g->more;

    for (uint32_t k = 0; k < n; k++) {
        memset(unit, 0, n * sizeof(*unit));
        unit[k] = 1;
        outputs(g, unit);
        for (uint32_t j = 0; j < g->nu; j++)
            g->out[(size_t)j * n + k] = g->y[j] / g->nominal[j];
        carry_on(g, unit, h);
        for (uint32_t i = 0; i < n; i++)
            g->m[(size_t)i * n + k] = unit[i];
    }
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < n; k++)
            for (uint32_t j = 0; j < g->nu; j++)
                g->ahead[(size_t)i * n + k] +=
                    h * g->out[(size_t)j * n + i] * g->out[(size_t)j * n + k];
}

/* An error matters as long as it lasts: W over `span`, each turn twice as far
 * as the one before. */
static void look_ahead(struct tt_signed *g, double h, double span)
{
    size_t bytes = (size_t)g->nx * g->nx * sizeof(*g->m);

    begin_ahead(g, h);
    for (; h < span && size_of(g->m, g->nx * g->nx) < GROWS; h *= 2) {
        multiply(g, g->ahead, 0, g->m, g->m2);
        multiply(g, g->m, 1, g->m2, g->w2);
        for (uint32_t i = 0; i < g->nx * g->nx; i++)
            g->ahead[i] += g->w2[i];
        multiply(g, g->m, 0, g->m, g->m2);
        memcpy(g->m, g->m2, bytes);
    }
}

static double matters(const struct tt_signed *g, const double *x)
{
    double sum = 0;

    for (uint32_t i = 0; i < g->nx; i++)
        sum += x[i] * times(g->ahead + (size_t)i * g->nx, x, g->nx);
    return sqrt(fmax(sum, 0));
}

uint32_t run_signed_first(tt_run *r, double h)
{
    struct tt_signed *g = r->sequence->by_sign;
    double least = (double)INFINITY;
    uint32_t best = 0;

    look_ahead(g, h, LASTS * (r->experiment.end - r->experiment.start));
    outputs(g, g->rate);
    for (uint32_t j = 0; j < g->nu; j++)
        r->sequence->eps[j] = h * g->y[j];
    for (uint32_t o = 0; o < r->sequence->n_order; o++) {
        step(r, o, h, 1);
        if (matters(g, g->add) < least) {
            least = matters(g, g->add);
            best = o;
        }
    }
    return best;
}

double run_signed_estimate(tt_run *r, double h, int anew, double *next,
                           double *fixed)
{
    struct tt_signed *g = r->sequence->by_sign;
    uint32_t n = g->nx;
    double *own = g->e, *more = g->more;

    carry_on(g, own, h);
    for (uint32_t o = 0; o < r->sequence->n_order; o++) {
        double *e = g->e + (size_t)(o + 1) * n;

        step(r, o, h, anew);
        carry_on(g, e, h);
        add(e, g->add, n);
        fixed[o] = norm(g, e);
        if (o == r->sequence->memory->order)
            add(own, g->add, n);
    }
    for (uint32_t o = 0; o < r->sequence->n_order; o++) {
        memcpy(more, own, n * sizeof(*more));
        carry_on(g, more, h);
        step(r, o, h, 0);
        add(more, g->add, n);
        next[o] = matters(g, more);
    }
    return norm(g, own);
}
