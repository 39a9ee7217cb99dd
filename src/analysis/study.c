/* SPDX-License-Identifier: MIT */
#include "analysis/study.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/place.h"
#include "base/hooks.h"
#include "base/num.h"

#define CONNECTIONS_MOST 32u /* that are held one by one */
#define ROWS_WITH_STEPS  3u  /* of which the largest step is looked for */
#define UNITS_WITH_RATES 4u  /* at most, to try rates */
#define RATE             4   /* that is tried */

double tt_study_time(const struct tt_radius *r)
{
    double rate = fabs(log(r->rho)) / r->step;

    return rate > 0 ? 1 / rate : (double)INFINITY;
}

double tt_study_period(const struct tt_radius *r)
{
    const struct tt_fit *f = &r->fit;
    double angle = f->re ? fabs(atan2(f->im[f->first], f->re[f->first])) : 0;

    return angle > 0 ? 2 * acos(-1) * r->step / angle : 0;
}

/* --- what carries the mode -------------------------------------------------
 */

static int by_part(const void *a, const void *b)
{
    const struct tt_study_part *x = a, *y = b;

    return (x->part < y->part) - (x->part > y->part);
}

static enum tt_code find_instances(struct tt_study *s, const tt_plan *p,
                                   tt_err *err)
{
    const struct tt_radius *r = &s->now;

    if (!TT_NEW_ARRAY(s->instance, p->n_unit))
        return tt_nomem(err, "the analysis");
    s->n_instance = p->n_unit;
    for (uint32_t u = 0; u < p->n_unit; u++)
        (void)snprintf(s->instance[u].name, sizeof(s->instance->name), "%s",
                       p->unit[u].name);
    for (uint32_t i = 0; r->fit.part && i < r->response.n; i++)
        s->instance[r->response.number[i].unit].part += r->fit.part[i];
    qsort(s->instance, s->n_instance, sizeof(*s->instance), by_part);
    return TT_OK;
}

/* How much of the mode passes along a connection: its output's part of what
 * all connected outputs have. */
static double passes(const struct tt_study *s, uint32_t from)
{
    const struct tt_radius *r = &s->now;
    double own = 0, all = 0;

    for (uint32_t i = 0; r->fit.mode && i < r->response.n; i++) {
        if (r->response.number[i].of != TT_PROBE_SLOT)
            continue;
        all += r->fit.mode[i];
        if (r->response.number[i].slot == from)
            own += r->fit.mode[i];
    }
    return all > 0 ? own / all : 0;
}

static void hold(struct tt_study_part *c, const struct tt_case *now,
                 uint32_t connection)
{
    struct tt_case one = *now;
    struct tt_radius r;

    one.held = connection;
    tt_radius_find(&r, &one);
    c->held = r.verdict;
    c->held_rho = r.rho;
    tt_radius_fini(&r);
}

static enum tt_code find_connections(struct tt_study *s,
                                     const struct tt_case *c, const tt_plan *p,
                                     tt_err *err)
{
    const tt_scenario *sc = p->scenario;

    if (!TT_NEW_ARRAY(s->connection, p->n_feed))
        return tt_nomem(err, "the analysis");
    for (uint32_t f = 0; f < p->n_feed; f++) {
        const struct tt_feed *feed = &p->feed[f];
        struct tt_study_part *one = &s->connection[s->n_connection];
        char from[TT_STUDY_NAME], to[TT_STUDY_NAME];

        if (feed->connection >= sc->n_connection ||
            s->n_connection == CONNECTIONS_MOST)
            continue;
        (void)snprintf(one->name, sizeof(one->name), "%s -> %s",
                       tt_plan_slot_name(p, feed->from, from, sizeof(from)),
                       tt_plan_slot_name(p, feed->to, to, sizeof(to)));
        one->part = passes(s, feed->from);
        hold(one, c, feed->connection);
        s->n_connection++;
    }
    qsort(s->connection, s->n_connection, sizeof(*s->connection), by_part);
    return TT_OK;
}

/* --- what does not deviate -------------------------------------------------
 */

static void put_state(struct tt_study_state *to, const tt_plan *p,
                      const struct tt_probe_number *x)
{
    const struct tt_plan_unit *u = &p->unit[x->unit];
    const struct tt_port *port = &u->desc->port[x->port];
    char element[32] = "";

    if (port->n_dim)
        (void)snprintf(element, sizeof(element), "[%u]", x->element + 1);
    (void)snprintf(to->name, sizeof(to->name), "%s.%s%s", u->name, port->name,
                   element);
}

static enum tt_code find_affine(struct tt_study *s, const struct tt_case *c,
                                const tt_plan *p, tt_err *err)
{
    struct tt_rest r;
    enum tt_code rc = TT_OK;

    tt_rest_find(&r, c, &s->now);
    if (r.n && !TT_NEW_ARRAY(s->state, r.n))
        rc = tt_nomem(err, "the analysis");
    for (uint32_t i = 0; rc == TT_OK && i < r.n; i++) {
        const struct tt_probe_number *x = &s->now.response.number[i];
        struct tt_study_state *to = &s->state[s->n_state];

        if (x->of != TT_PROBE_STATE)
            continue;
        put_state(to, p, x);
        to->constant = r.constant[i];
        to->rest = r.at ? r.at[i] : (double)NAN;
        s->n_state++;
    }
    s->affine_residual = r.residual;
    tt_rest_fini(&r);
    return rc;
}

/* --- what else there is ----------------------------------------------------
 */

struct other {
    const char *master, *approximation, *iterate, *acceleration;
};

static const struct other others[] = {
    {"jacobi", "hold", NULL, NULL},
    {"gauss-seidel", "hold", NULL, NULL},
    {"jacobi", "linear", NULL, NULL},
    {"gauss-seidel", "linear", NULL, NULL},
    {"jacobi", "hold", "2", NULL},
    {"gauss-seidel", "hold", "2", NULL},
    {NULL, "hold", "converged", "newton"},
    {NULL, "linear", "converged", "newton"},
};

static void put_option(struct tt_buf *b, const char *name, const char *value)
{
    if (value)
        tt_buf_fmt(b, "%s--%s %s", b->len ? " " : "", name, value);
}

static void add_row(struct tt_study *s, const struct tt_case *c,
                    const char *options)
{
    struct tt_study_row *row = &s->row[s->n_row];
    struct tt_radius r;

    tt_radius_find(&r, c);
    *row = (struct tt_study_row){.o = c->o,
                                 TT_SAME(&r, verdict, rho, step, cost),
                                 .largest = (double)NAN,
                                 .plan = r.response.plan,
                                 .score = r.response.score};
    (void)snprintf(row->options, sizeof(row->options), "%s", options);
    (void)snprintf(row->reason, sizeof(row->reason), "%s", r.reason);
    tt_radius_fini(&r);
    s->n_row++;
}

/* Is it what is played now, or in the list already? Steps of equal scores
 * differ in their plans. */
static int is_known(const struct tt_study *s)
{
    const struct tt_study_row *last = &s->row[s->n_row - 1];

    if (last->plan == s->now.response.plan &&
        last->score == s->now.response.score)
        return 1;
    for (uint32_t i = 0; i + 1 < s->n_row; i++)
        if (s->row[i].plan == last->plan && s->row[i].score == last->score &&
            last->plan)
            return 1;
    return 0;
}

static void try_other(struct tt_study *s, const struct tt_case *now,
                      const struct other *o, const char *order)
{
    struct tt_case c = *now;
    struct tt_buf text;

    c.o.master = o->master;
    c.o.approximation = o->approximation;
    c.o.score = NULL;
    c.o.iterate = o->iterate ? o->iterate : s->repeats ? "1" : NULL;
    c.o.acceleration = o->acceleration;
    c.o.order = order;
    tt_buf_init(&text, sizeof(s->row->options));
    put_option(&text, "master", c.o.master);
    put_option(&text, "order", order);
    put_option(&text, "approximation", c.o.approximation);
    put_option(&text, "iterate", c.o.iterate);
    put_option(&text, "acceleration", c.o.acceleration);
    if (!text.failed) {
        add_row(s, &c, text.data);
        s->n_row -= (uint32_t)is_known(s);
    }
    tt_buf_fini(&text);
}

/* A little less than the largest, in two digits. */
static void try_step(struct tt_study *s, const struct tt_case *now)
{
    struct tt_case c = *now;
    char text[TT_NUM_MAX + 16], h[TT_NUM_MAX];
    double most = 0.95 * s->scan.largest, digit;

    if (!isfinite(most) || s->now.step <= s->scan.largest)
        return;
    digit = pow(10, floor(log10(most)) - 1);
    c.o.step = floor(most / digit) * digit;
    tt_num_print_digits(h, c.o.step, 2);
    if (tt_num_parse(h, &c.o.step) != 0)
        return;
    (void)snprintf(text, sizeof(text), "--step %s", h);
    add_row(s, &c, text);
    s->row[s->n_row - 1].largest = s->scan.largest;
}

/* Short steps of one instance, or of all of them side by side, within the
 * scenario's own; u: n_unit, all. */
static void try_rates(struct tt_study *s, const struct tt_case *now,
                      const tt_plan *p, uint32_t u)
{
    struct tt_case c = *now;
    char text[TT_STUDY_NAME + 16];
    struct tt_buf b;

    tt_buf_init(&b, TT_STUDY_NAME);
    for (uint32_t i = 0; i < p->n_unit; i++)
        if (u == i || u == p->n_unit)
            tt_buf_fmt(&b, "%s%s=%d", b.len ? "," : "", p->unit[i].name, RATE);
    if (!b.failed) {
        (void)snprintf(s->rates[u], sizeof(s->rates[u]), "%s", b.data);
        c.o.rates = s->rates[u];
        (void)snprintf(text, sizeof(text), "--rates %s", c.o.rates);
        add_row(s, &c, text);
        s->n_row -= (uint32_t)is_known(s);
    }
    tt_buf_fini(&b);
}

/* "b,a": against the order of the scenario. */
static void put_reverse(struct tt_buf *b, const tt_plan *p)
{
    for (uint32_t u = p->n_unit; u-- > 0;)
        tt_buf_fmt(b, "%s%s", b->len ? "," : "", p->unit[u].name);
}

/* Has it rates of its own, or a file's score, that others would change? */
static int rated(const tt_plan *p)
{
    for (uint32_t u = 0; u < p->scenario->n_unit; u++)
        if (p->scenario->unit[u].rate > 1)
            return 1;
    return p->scenario->score != NULL;
}

static int rank_of(enum tt_stability v)
{
    static const int rank[] = {[TT_STABILITY_STABLE] = 0,
                               [TT_STABILITY_MARGINAL] = 1,
                               [TT_STABILITY_UNSTABLE] = 2,
                               [TT_STABILITY_UNKNOWN] = 3};

    return rank[v];
}

/* Stable ones first; the cheapest first; the most damped first; of what is the
 * same but for rounding the shortest to type. */
static int by_worth(const void *a, const void *b)
{
    const struct tt_study_row *x = a, *y = b;

    if (x->verdict != y->verdict)
        return rank_of(x->verdict) - rank_of(y->verdict);
    if (x->cost != y->cost)
        return x->cost < y->cost ? -1 : 1;
    if (fabs(x->rho - y->rho) > 1e-9 * x->rho)
        return x->rho < y->rho ? -1 : 1;
    return (int)strlen(x->options) - (int)strlen(y->options);
}

/* Of the best: how long their steps may be. */
static void find_steps(struct tt_study *s, const struct tt_case *now)
{
    for (uint32_t i = 0; i < s->n_row && i < ROWS_WITH_STEPS; i++) {
        struct tt_study_row *row = &s->row[i];
        struct tt_case c = *now;
        struct tt_scan scan;

        if (row->verdict != TT_STABILITY_STABLE || isfinite(row->largest))
            continue;
        c.o = row->o;
        tt_scan_make(&scan, &c, s->now.step);
        row->largest = scan.largest;
        tt_scan_fini(&scan);
    }
}

static enum tt_code find_rows(struct tt_study *s, const struct tt_case *now,
                              const tt_plan *p, tt_err *err)
{
    uint32_t n = sizeof(others) / sizeof(*others);
    struct tt_buf order;

    tt_buf_init(&order, TT_STUDY_NAME);
    put_reverse(&order, p);
    s->order = tt_buf_take(&order);
    tt_buf_fini(&order);
    if (!TT_NEW_ARRAY(s->row, (size_t)2 * n + UNITS_WITH_RATES + 2) ||
        !TT_NEW_ARRAY(s->rates, UNITS_WITH_RATES + 1))
        return tt_nomem(err, "the analysis");
    for (uint32_t i = 0; i < n; i++) {
        int turns =
            others[i].master && strcmp(others[i].master, "gauss-seidel") == 0;

        try_other(s, now, &others[i], NULL);
        if (turns && p->n_unit > 1 && s->order)
            try_other(s, now, &others[i], s->order);
    }
    for (uint32_t u = 0; p->n_unit <= UNITS_WITH_RATES && !rated(p) &&
                         u < p->n_unit + (p->n_unit > 1);
         u++)
        try_rates(s, now, p, u);
    try_step(s, now);
    qsort(s->row, s->n_row, sizeof(*s->row), by_worth);
    find_steps(s, now);
    return TT_OK;
}

/* --- all of it -------------------------------------------------------------
 */

static void describe(struct tt_study *s, const tt_plan *p)
{
    const tt_scenario *sc = p->scenario;

    s->repeats = sc->iteration.turns || sc->iteration.converged;
    (void)snprintf(s->name, sizeof(s->name), "%s", sc->name);
    (void)snprintf(s->master, sizeof(s->master), "%s%s%s",
                   sc->score ? "a score from a file"
                   : sc->master == TT_MASTER_GAUSS_SEIDEL ? "gauss-seidel"
                                                          : "jacobi",
                   sc->iteration.converged ? ", iterated until converged"
                   : sc->iteration.turns   ? ", iterated"
                                           : "",
                   p->n_course ? ", inputs by courses" : "");
}

static enum tt_code study(struct tt_study *s, const struct tt_case *c,
                          unsigned wants, const tt_plan *p, tt_err *err)
{
    enum tt_code rc;

    describe(s, p);
    tt_radius_find(&s->now, c);
    rc = find_instances(s, p, err);
    if (s->now.verdict == TT_STABILITY_UNKNOWN || rc != TT_OK)
        return rc;
    rc = find_affine(s, c, p, err);
    s->gained = (wants & TT_STUDY_GAIN) != 0;
    if (rc == TT_OK && s->gained)
        rc = tt_gain_find(&s->gain, &s->now, p, err);
    if (rc == TT_OK && (wants & TT_STUDY_CONNECTIONS))
        rc = find_connections(s, c, p, err);
    if (wants & TT_STUDY_STEPS)
        tt_scan_make(&s->scan, c, s->now.step);
    if (rc == TT_OK && (wants & TT_STUDY_ALTERNATIVES))
        rc = find_rows(s, c, p, err);
    return rc;
}

void tt_study_unknown(struct tt_study *out, const char *reason)
{
    *out = (struct tt_study){
        .now = {.rho = (double)NAN, .error = (double)NAN, .cost = (double)NAN},
        .trend = {.rho = (double)NAN},
        .scan = {.largest = (double)NAN, .abscissa = (double)NAN}};
    (void)snprintf(out->now.reason, sizeof(out->now.reason), "%s", reason);
}

static enum tt_code study_here(struct tt_study *out, const struct tt_case *c,
                               unsigned wants, tt_err *err)
{
    struct tt_study s;
    struct tt_case_opened o;
    enum tt_code rc = tt_case_open(&o, c, err);

    tt_study_unknown(&s, "");
    if (rc == TT_OK)
        rc = study(&s, c, wants, tt_run_plan(o.run), err);
    tt_case_close(&o);
    return TT_HAND_OVER_VALUE(rc, out, s, tt_study_fini);
}

/* What hinders on the way there is a reason; a wrong question is a mistake. */
enum tt_code tt_study_make(struct tt_study *out, const struct tt_case *c,
                           unsigned wants, tt_err *err)
{
    struct tt_place place = {0};
    enum tt_code rc = tt_place_find(&place, c, err);

    if (rc == TT_EUNSUPPORTED && err) {
        tt_study_unknown(out, err->msg);
        return TT_OK;
    }
    if (rc == TT_OK)
        rc = study_here(out, &place.c, wants, err);
    if (rc == TT_OK)
        out->placed = c->at != NULL;
    if (rc == TT_OK && out->now.verdict == TT_STABILITY_UNKNOWN &&
        (wants & TT_STUDY_TREND))
        tt_trend_find(&out->trend, c);
    tt_place_fini(&place);
    return rc;
}

void tt_study_fini(struct tt_study *s)
{
    tt_radius_fini(&s->now);
    tt_scan_fini(&s->scan);
    tt_gain_fini(&s->gain);
    TT_FREE_ALL(s->instance, s->connection, s->state, s->row, s->order,
                s->rates);
    *s = (struct tt_study){0};
}
