/* SPDX-License-Identifier: MIT */
#include "tune/points.h"

#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/philox.h"
#include "results/pattern.h"
#include "table/table.h"

enum law { LAW_LIST, LAW_EVEN, LAW_UNIFORM, LAW_NORMAL };

/* One NAME of --vary. */
struct axis {
    const char *name, *text;
    enum law law;
    double a, b;
    struct tt_patterns list;
    uint32_t n; /* values, of LAW_LIST and LAW_EVEN */
};

/* --- quantiles ------------------------------------------------------------ */

/* P. J. Acklam's rational approximation, 1e-9, and one step of Halley. */
double tt_normal_quantile(double p)
{
    static const double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,
                               -2.759285104469687e+02, 1.383577518672690e+02,
                               -3.066479806614716e+01, 2.506628277459239e+00};
    static const double b[] = {-5.447609879822406e+01, 1.615858368580409e+02,
                               -1.556989798598866e+02, 6.680131188771972e+01,
                               -1.328068155288572e+01};
    static const double c[] = {-7.784894002430293e-03, -3.223964580411365e-01,
                               -2.400758277161838e+00, -2.549732539343734e+00,
                               4.374664141464968e+00,  2.938163982698783e+00};
    static const double d[] = {7.784695709041462e-03, 3.224671290700398e-01,
                               2.445134137142996e+00, 3.754408661907416e+00};
    double tail = p < 0.5 ? p : 1 - p, q, r, x, e, u;

    if (tail < 0.02425) {
        q = sqrt(-2 * log(tail));
        x = (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q +
             c[5]) /
            ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
    } else {
        q = tail - 0.5;
        r = q * q;
        x = (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r +
             a[5]) *
            q /
            (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
    }
    e = 0.5 * erfc(-x / sqrt(2.0)) - tail;
    u = e * sqrt(2 * acos(-1.0)) * exp(x * x / 2);
    x -= u / (1 + x * u / 2);
    return p < 0.5 ? x : -x;
}

static double quantile(const struct axis *x, double p)
{
    return x->law == LAW_NORMAL ? x->a + x->b * tt_normal_quantile(p)
                                : x->a + (x->b - x->a) * p;
}

/* --- what the words mean -------------------------------------------------- */

/* "a:b:c" to numbers; how many there are, or -1. */
static int numbers(const char *s, double *v, int most)
{
    int n = 0;

    for (;;) {
        size_t len = strcspn(s, ":");

        if (n == most || tt_num_parse_n(s, len, &v[n]) != 0 || !isfinite(v[n]))
            return -1;
        n++;
        if (!s[len])
            return n;
        s += len + 1;
    }
}

static enum tt_code wrong(const struct axis *x, tt_err *err)
{
    return tt_fail(err, TT_EINPUT,
                   "--vary '%s=%s': enter a:b:n, a list such as 1,2,5, or for "
                   "points that are drawn a:b, uniform:a:b or "
                   "normal:mean:deviation",
                   x->name, x->text);
}

static enum tt_code take_law(struct axis *x, enum law law, const char *s,
                             tt_err *err)
{
    double v[2];

    if (numbers(s, v, 2) != 2 || (law == LAW_NORMAL && !(v[1] >= 0)))
        return wrong(x, err);
    x->law = law;
    x->a = v[0];
    x->b = v[1];
    return TT_OK;
}

static enum tt_code take_even(struct axis *x, tt_err *err)
{
    double v[3];
    int n = numbers(x->text, v, 3);

    if (n == 2)
        return take_law(x, LAW_UNIFORM, x->text, err);
    if (n != 3 || v[2] < 1 || v[2] > TT_POINTS_MOST || v[2] != floor(v[2]))
        return wrong(x, err);
    x->law = LAW_EVEN;
    x->a = v[0];
    x->b = v[1];
    x->n = (uint32_t)v[2];
    return TT_OK;
}

static enum tt_code take_list(struct axis *x, tt_arena *arena, tt_err *err)
{
    enum tt_code rc = tt_pattern_split(&x->list, &x->text, 1, arena, err);

    if (rc == TT_OK && x->list.n == 0)
        return wrong(x, err);
    x->law = LAW_LIST;
    x->n = (uint32_t)x->list.n;
    return rc;
}

/* "{k}.i.v=..." at its equals sign: braces may hold one. */
static enum tt_code part(struct axis *x, const char *word, tt_arena *arena,
                         tt_err *err)
{
    const char *from = word[0] == '{' ? strchr(word, '}') : word;
    const char *equals = from ? strchr(from, '=') : NULL;

    if (!equals || equals == word || !equals[1])
        return tt_fail(err, TT_EINPUT,
                       "--vary '%s': write NAME=a:b:n or NAME=1,2,5", word);
    x->name = tt_arena_strndup(arena, word, (size_t)(equals - word));
    x->text = equals + 1;
    return x->name ? TT_OK : tt_nomem(err, "the points");
}

static enum tt_code read_axis(struct axis *x, const char *word, tt_arena *arena,
                              tt_err *err)
{
    enum tt_code rc = part(x, word, arena, err);

    if (rc != TT_OK)
        return rc;
    if (!strncmp(x->text, "normal:", 7))
        return take_law(x, LAW_NORMAL, x->text + 7, err);
    if (!strncmp(x->text, "uniform:", 8))
        return take_law(x, LAW_UNIFORM, x->text + 8, err);
    if (x->text[0] != '[' && x->text[0] != '"' && strchr(x->text, ':') &&
        !strchr(x->text, ','))
        return take_even(x, err);
    return take_list(x, arena, err);
}

static enum tt_code read_axes(struct axis **out, const struct tt_points_opts *o,
                              tt_arena *arena, tt_err *err)
{
    struct axis *x = tt_arena_alloc(arena, o->n_vary + 1, sizeof(*x));
    enum tt_code rc = x ? TT_OK : tt_nomem(err, "the points");

    for (uint32_t i = 0; i < o->n_vary && rc == TT_OK; i++) {
        rc = read_axis(&x[i], o->vary[i], arena, err);
        for (uint32_t k = 0; k < i && rc == TT_OK; k++)
            if (!strcmp(x[k].name, x[i].name))
                rc = tt_fail(err, TT_EINPUT, "--vary names '%s' twice",
                             x[i].name);
    }
    *out = x;
    return rc;
}

/* --- points --------------------------------------------------------------- */

static enum tt_code reserve(struct tt_points *p, uint64_t n, uint32_t n_name,
                            tt_arena *arena, tt_err *err)
{
    if (n > TT_POINTS_MOST)
        return tt_fail(err, TT_EINPUT, "these are more than %u points",
                       TT_POINTS_MOST);
    p->n = (uint32_t)n;
    p->n_name = n_name;
    p->name = tt_arena_alloc(arena, n_name + 1, sizeof(*p->name));
    p->value = tt_arena_alloc(arena, (size_t)n * n_name + 1, sizeof(*p->value));
    return p->name && p->value ? TT_OK : tt_nomem(err, "the points");
}

static const char *print(double v, tt_arena *arena)
{
    char text[TT_NUM_MAX];

    tt_num_print_short(text, v);
    return tt_arena_strdup(arena, text);
}

static enum tt_code put(struct tt_points *p, uint32_t point, uint32_t name,
                        const char *text, tt_err *err)
{
    p->value[(size_t)point * p->n_name + name] = text;
    return text ? TT_OK : tt_nomem(err, "the points");
}

static const char *value_of(const struct axis *x, uint32_t i, tt_arena *arena)
{
    if (x->law == LAW_LIST)
        return x->list.item[i];
    if (x->n == 1)
        return print(x->a, arena);
    return print(i + 1 == x->n ? x->b : x->a + (x->b - x->a) * i / (x->n - 1.0),
                 arena);
}

static enum tt_code make_grid(struct tt_points *p, const struct axis *x,
                              uint32_t n, tt_arena *arena, tt_err *err)
{
    uint64_t total = 1;
    enum tt_code rc;

    for (uint32_t i = 0; i < n; i++) {
        if (x[i].law > LAW_EVEN)
            return tt_fail(err, TT_EINPUT,
                           "--vary '%s=%s' is drawn: state how many points "
                           "with --points lhs:N or random:N",
                           x[i].name, x[i].text);
        total = total > TT_POINTS_MOST ? total : total * x[i].n;
    }
    rc = reserve(p, total, n, arena, err);
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        p->name[i] = x[i].name;
    for (uint32_t k = 0; k < p->n && rc == TT_OK; k++) {
        uint32_t left = k;

        for (uint32_t i = n; i-- > 0 && rc == TT_OK; left /= x[i].n)
            rc = put(p, k, i, value_of(&x[i], left % x[i].n, arena), err);
    }
    return rc;
}

/* Strata in a random order, from a stream of its own (Fisher and Yates). */
static void shuffle(uint32_t *order, uint32_t n, uint64_t key)
{
    for (uint32_t i = 0; i < n; i++)
        order[i] = i;
    for (uint32_t i = n; i-- > 1;) {
        uint32_t k = (uint32_t)(tt_philox_uniform(i, key) * (i + 1.0));
        uint32_t was = order[i];

        order[i] = order[k];
        order[k] = was;
    }
}

static enum tt_code draw_axis(struct tt_points *p, const struct axis *x,
                              uint32_t name, const uint32_t *stratum,
                              uint64_t key, tt_arena *arena, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t k = 0; k < p->n && rc == TT_OK; k++) {
        double u = tt_philox_uniform(k, key);
        double q = stratum ? (stratum[k] + u) / p->n : u;

        rc = put(p, k, name,
                 x->law == LAW_LIST ? x->list.item[(uint32_t)(q * x->n)]
                                    : print(quantile(x, q), arena),
                 err);
    }
    return rc;
}

static enum tt_code draw(struct tt_points *p, const struct axis *x,
                         const struct tt_points_opts *o, int strata, uint32_t n,
                         tt_arena *arena, tt_err *err)
{
    uint32_t *order = strata ? tt_zalloc(n, sizeof(*order)) : NULL;
    enum tt_code rc = reserve(p, n, o->n_vary, arena, err);

    if (rc == TT_OK && strata && !order)
        rc = tt_nomem(err, "the points");
    for (uint32_t i = 0; i < o->n_vary && rc == TT_OK; i++) {
        uint64_t key = o->seed * 0x9e3779b97f4a7c15u + 2 * (uint64_t)i;

        if (x[i].law == LAW_EVEN) {
            rc = tt_fail(err, TT_EINPUT,
                         "--vary '%s=%s': points that are drawn take a range "
                         "a:b, without a number of values",
                         x[i].name, x[i].text);
            break;
        }
        p->name[i] = x[i].name;
        if (strata)
            shuffle(order, n, key);
        rc = draw_axis(p, &x[i], i, order, key + 1, arena, err);
    }
    tt_free(order);
    return rc;
}

/* --- from a table --------------------------------------------------------- */

static enum tt_code copy_cells(struct tt_points *p, const tt_table *t,
                               uint32_t first, tt_arena *arena, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t c = 0; c < tt_table_columns(t) && rc == TT_OK; c++) {
        p->name[first + c] = tt_arena_strdup(arena, tt_table_name(t, c));
        rc = p->name[first + c] ? TT_OK : tt_nomem(err, "the points");
        for (uint32_t k = 0; k < p->n && rc == TT_OK; k++) {
            char number[TT_NUM_MAX];
            const char *cell = tt_table_cell(t, c, k, number);

            if (!tt_table_is_text(t, c)) {
                tt_num_print_short(number, tt_table_values(t, c)[k]);
                cell = number;
            }
            if (!isfinite(tt_table_values(t, c)[k]) && !tt_table_is_text(t, c))
                rc = tt_fail(err, TT_EINPUT, "%s: point %u has no '%s'",
                             tt_table_file(t), k, p->name[first + c]);
            else
                rc = put(p, k, first + c, tt_arena_strdup(arena, cell), err);
        }
    }
    return rc;
}

static enum tt_code from_table(struct tt_points *p, const char *path,
                               tt_arena *arena, tt_err *err)
{
    tt_table *t = NULL;
    enum tt_code rc = tt_table_load(&t, path, err);

    if (rc == TT_OK && (tt_table_rows(t) == 0 || tt_table_columns(t) == 0))
        rc = tt_fail(err, TT_EINPUT,
                     "%s has no points: the first column numbers them, the "
                     "others are what is varied",
                     path);
    if (rc == TT_OK)
        rc = reserve(p, tt_table_rows(t), tt_table_columns(t), arena, err);
    if (rc == TT_OK)
        rc = copy_cells(p, t, 0, arena, err);
    tt_table_free(t);
    return rc;
}

/* "lhs:100": how many; 0: it is none of these; -1 of a wrong number. */
static int64_t drawn(const char *from, const char *way)
{
    size_t n = strlen(way);
    int64_t k;

    if (strncmp(from, way, n) != 0 || from[n] != ':')
        return 0;
    return tt_num_parse_i64(from + n + 1, &k) == 0 && k > 0 &&
                   k <= (int64_t)TT_POINTS_MOST
               ? k
               : -1;
}

enum tt_code tt_points_make(struct tt_points *out,
                            const struct tt_points_opts *o, tt_arena *arena,
                            tt_err *err)
{
    int64_t lhs = o->from ? drawn(o->from, "lhs") : 0;
    int64_t random = o->from ? drawn(o->from, "random") : 0;
    struct tt_points p = {0};
    struct axis *x = NULL;
    enum tt_code rc = read_axes(&x, o, arena, err);

    if (rc != TT_OK)
        return rc;
    if (lhs < 0 || random < 0)
        return tt_fail(err, TT_EINPUT,
                       "--points '%s': the number of points is 1 to %u",
                       o->from, TT_POINTS_MOST);
    if (o->from && !lhs && !random) {
        if (o->n_vary)
            return tt_fail(err, TT_EINPUT,
                           "--points %s has all values: --vary does not go "
                           "with it",
                           o->from);
        rc = from_table(&p, o->from, arena, err);
    } else if (o->n_vary == 0) {
        rc = tt_fail(err, TT_EINPUT,
                     "nothing is varied: give --vary NAME=a:b:n, or --points "
                     "FILE.csv");
    } else if (o->from) {
        rc = draw(&p, x, o, lhs > 0, (uint32_t)(lhs + random), arena, err);
    } else {
        rc = make_grid(&p, x, o->n_vary, arena, err);
    }
    if (rc == TT_OK)
        *out = p;
    return rc;
}

enum tt_code tt_points_about(struct tt_points *out,
                             const struct tt_points_opts *o, tt_arena *arena,
                             tt_err *err)
{
    uint32_t n = o->n_vary;
    struct tt_points p = {0};
    struct axis x = {0};
    double *base = tt_arena_alloc(arena, n + 1, sizeof(*base));
    double *step = tt_arena_alloc(arena, n + 1, sizeof(*step));
    enum tt_code rc = reserve(&p, 1 + 2 * (uint64_t)n, n, arena, err);

    if (rc == TT_OK && (!base || !step))
        rc = tt_nomem(err, "the points");
    if (rc == TT_OK && (n == 0 || o->from))
        rc = tt_fail(err, TT_EINPUT,
                     "--sensitivity goes with --vary NAME=value, or "
                     "NAME=value:difference");
    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        double v[2];
        int given;

        rc = part(&x, o->vary[i], arena, err);
        given = rc == TT_OK ? numbers(x.text, v, 2) : 0;
        if (rc == TT_OK && (given < 1 || (given == 2 && !(v[1] > 0))))
            rc = tt_fail(err, TT_EINPUT,
                         "--vary '%s=%s': --sensitivity takes a value, or "
                         "value:difference",
                         x.name, x.text);
        if (rc != TT_OK)
            break;
        base[i] = v[0];
        step[i] = given == 2 ? v[1] : 1e-3 * (v[0] != 0 ? fabs(v[0]) : 1);
        p.name[i] = x.name;
        for (uint32_t k = 0; k < p.n && rc == TT_OK; k++)
            rc = put(&p, k, i,
                     print(k == 1 + 2 * i   ? base[i] + step[i]
                           : k == 2 + 2 * i ? base[i] - step[i]
                                            : base[i],
                           arena),
                     err);
    }
    p.base = base;
    p.step = step;
    if (rc == TT_OK)
        *out = p;
    return rc;
}
