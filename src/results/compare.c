/* SPDX-License-Identifier: MIT */
#include "results/compare.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "results/compare_impl.h"
#include "results/eventlist.h"
#include "results/pattern.h"

void tt_compare_fini(struct tt_compare *c)
{
    tt_arena_free(c->arena);
    tt_table_free(c->own[0]);
    tt_table_free(c->own[1]);
    *c = (struct tt_compare){0};
}

enum tt_code tt_compare_parse_tol(const char *text,
                                  struct tt_compare_opts *opts, tt_err *err)
{
    const char *comma = strchr(text, ',');
    size_t n = comma ? (size_t)(comma - text) : strlen(text);
    double atol = 0, rtol = 0;

    if (tt_num_parse_n(text, n, &atol) != 0 ||
        (comma && tt_num_parse(comma + 1, &rtol) != 0) || !(atol >= 0) ||
        !(rtol >= 0) || isinf(atol) || isinf(rtol))
        return tt_fail(err, TT_EINPUT,
                       "tolerance '%s' is not ABS or ABS,REL with numbers of "
                       "0 or more",
                       text);
    opts->atol = atol;
    opts->rtol = rtol;
    return TT_OK;
}

double compare_time_tol(const struct tt_compare_opts *o)
{
    return o->time_tol > 0 ? o->time_tol : 1e-9;
}

/* --- rows -------------------------------------------------------------- */

/* Row `b` of the reference beside what a has at its time: row `left`, or
 * `part` of the way from there to row left + 1. */
struct pair {
    size_t left, b;
    double part;
};

struct pairing {
    struct pair *pair; /* in the arena */
    size_t n;
    uint8_t *taken; /* per column of a: it has a partner; in the arena */
};

int compare_same_time(double x, double y, double tol)
{
    return fabs(x - y) <= tol * fmax(1, fmax(fabs(x), fabs(y)));
}

static void alone(struct tt_compare *c, size_t *counter, double t)
{
    if (c->alone_a + c->alone_b == 0 || t < c->first_alone)
        c->first_alone = t;
    (*counter)++;
}

/* Walk both grids; rows at the same time are partners in their order. */
static void pair_exactly(struct tt_compare *c, struct pairing *p,
                         const tt_table *a, const tt_table *b, double tol)
{
    const double *ta = tt_table_time(a), *tb = tt_table_time(b);
    size_t i = 0, k = 0;

    while (i < c->rows_a && k < c->rows_b) {
        if (compare_same_time(ta[i], tb[k], tol))
            p->pair[p->n++] = (struct pair){i++, k++, 0};
        else if (ta[i] < tb[k])
            alone(c, &c->alone_a, ta[i++]);
        else
            alone(c, &c->alone_b, tb[k++]);
    }
    while (i < c->rows_a)
        alone(c, &c->alone_a, ta[i++]);
    while (k < c->rows_b)
        alone(c, &c->alone_b, tb[k++]);
}

/* Which of the rows first .. last of a, all of one time, row k of b is beside:
 * limits from the left and from the right are partners. Where b has one row
 * only, it is what holds after the event. */
static size_t at_instant(const struct tt_compare *c, const double *tb, size_t k,
                         size_t first, size_t last, double tol)
{
    size_t before = 0;

    if (k + 1 >= c->rows_b || !compare_same_time(tb[k], tb[k + 1], tol))
        return last;
    while (before < k && before < last - first &&
           compare_same_time(tb[k - before - 1], tb[k], tol))
        before++;
    return first + before;
}

/* Every row of b that lies within a's times has a partner. */
static void pair_between(struct tt_compare *c, struct pairing *p,
                         const tt_table *a, const tt_table *b, double tol)
{
    const double *ta = tt_table_time(a), *tb = tt_table_time(b);
    size_t i = 0, first = 0;

    for (size_t k = 0; k < c->rows_b; k++) {
        double t = tb[k];

        while (i + 1 < c->rows_a &&
               (ta[i + 1] <= t || compare_same_time(ta[i + 1], t, tol)))
            if (!compare_same_time(ta[++i], ta[first], tol))
                first = i;
        if (c->rows_a > 0 && compare_same_time(ta[i], t, tol))
            p->pair[p->n++] =
                (struct pair){at_instant(c, tb, k, first, i, tol), k, 0};
        else if (c->rows_a > 0 && t > ta[i] && i + 1 < c->rows_a)
            p->pair[p->n++] =
                (struct pair){i, k, (t - ta[i]) / (ta[i + 1] - ta[i])};
        else
            alone(c, &c->alone_b, t);
    }
}

/* --- values ------------------------------------------------------------ */

double compare_excess(const struct tt_compare *c, double a, double b,
                      double *distance)
{
    *distance = 0;
    if ((isnan(a) && isnan(b)) || a == b)
        return -(c->atol + c->rtol * (isfinite(b) ? fabs(b) : 0));
    *distance = fabs(a - b);
    if (isnan(*distance))
        *distance = (double)INFINITY;
    if (!isfinite(b))
        return (double)INFINITY;
    return *distance - (c->atol + c->rtol * fabs(b));
}

struct sums {
    double worst;          /* excess of the pair shown */
    double scale, squares; /* rms without overflow: scale * sqrt(squares) */
};

static void add_square(struct sums *s, double d)
{
    if (d == 0 || !isfinite(d))
        return;
    if (d > s->scale) {
        s->squares = s->squares * (s->scale / d) * (s->scale / d) + 1;
        s->scale = d;
    } else {
        s->squares += (d / s->scale) * (d / s->scale);
    }
}

/* A column, and which of its rows lie within steps, where it may have no value;
 * NULL: none does. */
struct values {
    const double *t, *v, *between;
    size_t n;
};

static int is_unknown(const struct values *x, size_t row)
{
    return x->between && x->between[row] != 0 && isnan(x->v[row]);
}

/* Between the nearest rows that have a value. */
static double line_at(const struct values *x, size_t left, double t)
{
    size_t right = left + 1 < x->n ? left + 1 : left;

    while (left > 0 && is_unknown(x, left))
        left--;
    while (right + 1 < x->n && is_unknown(x, right))
        right++;
    if (!(x->t[right] > x->t[left]))
        return x->v[left];
    return x->v[left] + (t - x->t[left]) / (x->t[right] - x->t[left]) *
                            (x->v[right] - x->v[left]);
}

static double value_at(const struct values *x, const struct pair *p, double t,
                       int held)
{
    const double *v = x->v;

    if (!held && (is_unknown(x, p->left) ||
                  (p->part != 0 && is_unknown(x, p->left + 1))))
        return line_at(x, p->left, t);
    if (p->part == 0 || held)
        return v[p->left];
    return v[p->left] + p->part * (v[p->left + 1] - v[p->left]);
}

static void compare_numbers(const struct tt_compare *c,
                            struct tt_compare_column *col,
                            const struct pairing *p, const struct values *x,
                            const struct values *y, int held)
{
    struct sums s = {.worst = -(double)INFINITY};

    for (size_t i = 0; i < p->n; i++) {
        size_t row = p->pair[i].b;
        double a, b = y->v[row], d, e;
        int further;

        if (is_unknown(y, row))
            continue;
        a = value_at(x, &p->pair[i], y->t[row], held || !c->interpolated);
        e = compare_excess(c, a, b, &d);
        further = col->beyond > 0 || e > 0 ? e > s.worst : d > col->max_abs;
        if (e > 0)
            col->beyond++;
        if (further || s.worst == -(double)INFINITY) {
            s.worst = e;
            col->at = y->t[row];
            col->a = a;
            col->b = b;
        }
        col->max_abs = fmax(col->max_abs, d);
        add_square(&s, d);
    }
    col->rms = isinf(col->max_abs) ? col->max_abs
               : p->n              ? s.scale * sqrt(s.squares / (double)p->n)
                                   : 0;
}

static void compare_texts(struct tt_compare_column *col,
                          const struct pairing *p, const tt_table *a,
                          uint32_t ca, const tt_table *b, uint32_t cb)
{
    char na[TT_NUM_MAX], nb[TT_NUM_MAX];

    col->is_text = 1;
    col->a = col->b = (double)NAN;
    for (size_t i = 0; i < p->n; i++) {
        const struct pair *q = &p->pair[i];

        if (strcmp(tt_table_cell(a, ca, q->left, na),
                   tt_table_cell(b, cb, q->b, nb)) == 0)
            continue;
        if (col->beyond++ == 0)
            col->at = tt_table_time(b)[q->b];
    }
}

static struct values values_of(const tt_table *t, uint32_t column)
{
    uint32_t between = tt_table_find(t, "intermediate");

    return (struct values){.t = tt_table_time(t),
                           .v = tt_table_values(t, column),
                           .between = between != TT_NONE &&
                                              !tt_table_is_text(t, between)
                                          ? tt_table_values(t, between)
                                          : NULL,
                           .n = tt_table_rows(t)};
}

/* The column of that name, or the only one whose name ends in it: another
 * tool's "tank.level" is our "{t}.tank.level". */
static uint32_t partner_of(const tt_table *a, const char *name)
{
    uint32_t exact = tt_table_find(a, name), found = TT_NONE;
    size_t n = strlen(name), m;

    for (uint32_t i = 0; exact == TT_NONE && i < tt_table_columns(a); i++) {
        m = strlen(tt_table_name(a, i));
        if (m <= n + 1 || tt_table_name(a, i)[m - n - 1] != '.' ||
            strcmp(tt_table_name(a, i) + m - n, name) != 0)
            continue;
        if (found != TT_NONE)
            return TT_NONE;
        found = i;
    }
    return exact == TT_NONE ? found : exact;
}

static void compare_column(struct tt_compare *c, struct tt_compare_column *col,
                           const struct pairing *p, const tt_table *a,
                           const tt_table *b, uint32_t cb)
{
    struct values x, y;
    uint32_t ca;

    col->name = tt_table_name(b, cb);
    ca = partner_of(a, col->name);
    if (ca == TT_NONE) {
        col->verdict = TT_COMPARE_MISSING;
        c->same = 0;
        return;
    }
    p->taken[ca] = 1;
    x = values_of(a, ca);
    y = values_of(b, cb);
    if (tt_table_is_text(a, ca) || tt_table_is_text(b, cb))
        compare_texts(col, p, a, ca, b, cb);
    else
        compare_numbers(c, col, p, &x, &y,
                        tt_table_is_discrete(a, ca) &&
                            tt_table_is_discrete(b, cb));
    if (col->beyond > 0) {
        col->verdict = TT_COMPARE_DIFFERENT;
        c->same = 0;
    }
}

/* --- tables ------------------------------------------------------------ */

/* Columns only a has, among those the patterns ask for. */
static void list_extra(struct tt_compare *c, const struct pairing *p,
                       const tt_table *a, const tt_table *b,
                       const struct tt_compare_opts *o)
{
    for (uint32_t i = 0; i < tt_table_columns(a); i++) {
        const char *name = tt_table_name(a, i);

        if (tt_pattern_any(o->pattern, o->n_pattern, name) &&
            tt_table_find(b, name) == TT_NONE && !p->taken[i])
            c->extra[c->n_extra++] = name;
    }
}

static enum tt_code compare(struct tt_compare *c, const tt_table *a,
                            const tt_table *b, const struct tt_compare_opts *o,
                            const uint32_t *column, tt_err *err)
{
    double tol = compare_time_tol(o);
    struct pairing p = {0};

    if (!TT_NEW_IN(c->arena, c->column, c->n) ||
        !TT_NEW_IN(c->arena, c->extra, tt_table_columns(a)) ||
        !TT_NEW_IN(c->arena, p.pair, c->rows_b) ||
        !TT_NEW_IN(c->arena, p.taken, tt_table_columns(a)))
        return tt_fail(err, TT_ENOMEM, "comparing %s with %s", c->file_a,
                       c->file_b);
    if (o->interpolate)
        pair_between(c, &p, a, b, tol);
    else
        pair_exactly(c, &p, a, b, tol);
    c->pairs = p.n;
    c->same = c->alone_a + c->alone_b == 0;
    for (size_t i = 0; i < c->n; i++)
        compare_column(c, &c->column[i], &p, a, b, column[i]);
    list_extra(c, &p, a, b, o);
    return TT_OK;
}

enum tt_code tt_compare(struct tt_compare *out, const tt_table *a,
                        const tt_table *b, const struct tt_compare_opts *opts,
                        tt_err *err)
{
    struct tt_compare_opts o = opts ? *opts : (struct tt_compare_opts){0};
    struct tt_compare c = {.file_a = tt_table_file(a),
                           .file_b = tt_table_file(b),
                           .rows_a = tt_table_rows(a),
                           .rows_b = tt_table_rows(b),
                           .interpolated = o.interpolate,
                           .atol = o.atol,
                           .rtol = o.rtol};
    uint32_t *column = NULL;
    enum tt_code rc;

    if (tt_eventlist_is(a) || tt_eventlist_is(b))
        return compare_events(out, a, b, &o, err);
    rc = tt_pattern_select(b, o.pattern, o.n_pattern, &column, &c.n, err);
    if (rc != TT_OK)
        return rc;
    c.arena = tt_arena_new();
    if (c.arena)
        rc = compare(&c, a, b, &o, column, err);
    else
        rc =
            tt_fail(err, TT_ENOMEM, "comparing %s with %s", c.file_a, c.file_b);
    tt_free(column);
    if (rc != TT_OK)
        tt_compare_fini(&c);
    else
        *out = c;
    return rc;
}

enum tt_code tt_compare_files(struct tt_compare *out, const char *a,
                              const char *b, const struct tt_compare_opts *opts,
                              tt_err *err)
{
    tt_table *left = NULL, *right = NULL;
    enum tt_code rc = tt_table_load(&left, a, err);

    if (rc == TT_OK)
        rc = tt_table_load(&right, b, err);
    if (rc == TT_OK)
        rc = tt_compare(out, left, right, opts, err);
    if (rc == TT_OK) {
        out->own[0] = left;
        out->own[1] = right;
        return TT_OK;
    }
    tt_table_free(left);
    tt_table_free(right);
    return rc;
}
