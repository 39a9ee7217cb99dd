/* SPDX-License-Identifier: MIT */
/* How far results can be trusted: the same run with half and a quarter of the
 * step, and with another master, compared variable by variable. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "base/show.h"
#include "cli/beside.h"
#include "cli/print.h"
#include "compose/compose.h"
#include "formats/formats.h"
#include "table/table.h"

enum { WHOLE, HALF, QUARTER, OTHER, PLAYS };

struct assess {
    const struct tt_cli *cli;
    const struct tt_source_args *source;
    const char *temp;
    double step, sample;
    const char *other;
    tt_table *table[PLAYS]; /* owned */
};

/* Of one variable. */
struct agreement {
    const char *name;
    double size;         /* largest less least value */
    double half;         /* largest difference with half the step, ... */
    double order, error; /* ... and what follows from that; NaN: nothing */
    double other;        /* ... with the other master */
};

/* --- plays -----------------------------------------------------------------
 */

static enum tt_code open_as(tt_scenario **out, const struct assess *a,
                            const struct tt_sc_options *o, tt_err *err)
{
    return tt_format_open(out, a->cli->words.word, a->cli->words.n,
                          a->source->variant, o, NULL, err);
}

static enum tt_code look(struct assess *a, tt_err *err)
{
    struct tt_sc_options o = tt_source_options(a->source);
    tt_scenario *s = NULL;
    tt_run *run = NULL;
    enum tt_code rc = open_as(&s, a, &o, err);

    if (rc == TT_OK)
        rc = tt_run_new(&run, s,
                        &(struct tt_run_opts){.kind_cb = tt_compose_kind_for},
                        err);
    if (rc == TT_OK) {
        const tt_plan *p = tt_run_plan(run);

        a->step = p->step;
        a->sample = isfinite(s->sample) ? s->sample : p->step;
        a->other = s->master == TT_MASTER_JACOBI ? "gauss-seidel" : "jacobi";
        if (s->score || s->m1_dialect)
            a->other = NULL;
        if (p->variable || p->by_events)
            rc = tt_fail(err, TT_EINPUT,
                         "--assess halves a fixed step, and this run has none; "
                         "give --step H");
    }
    tt_run_free(run);
    tt_scenario_free(s);
    return rc;
}

static enum tt_code play(struct assess *a, int which, tt_err *err)
{
    static const char *const what[PLAYS] = {"the same step", "half the step",
                                            "a quarter of the step",
                                            "another master"};
    static const double part[PLAYS] = {1, 0.5, 0.25, 1};
    struct tt_sc_options o = tt_source_options(a->source);
    char path[4096];
    const char *const file[] = {path};
    struct tt_sink sink = {0};
    struct tt_play p = {.temp = a->temp,
                        .files = {.path = file, .n = 1},
                        .quiet = 1,
                        .n_rank = 1,
                        .sink = &sink};
    tt_scenario *s = NULL;
    enum tt_code rc;

    (void)snprintf(path, sizeof(path), "%s/assess-%d.csv", a->temp, which);
    o.step = a->step * part[which];
    o.sample = a->sample;
    o.real_time = (double)NAN;
    if (which == OTHER)
        o.master = a->other;
    rc = tt_sink_init(&sink, &(struct tt_sink_opts){.quiet = 1}, err);
    if (rc == TT_OK)
        rc = open_as(&s, a, &o, err);
    if (rc == TT_OK) {
        tt_scenario_at_leisure(s);
        p.scenario = s;
        if (tt_play(&p) != TT_EXIT_OK)
            rc = tt_fail(err, TT_EUNIT, "--assess: the run with %s failed",
                         what[which]);
    }
    if (rc == TT_OK)
        rc = tt_table_load(&a->table[which], path, err);
    tt_scenario_free(s);
    tt_sink_fini(&sink);
    return rc;
}

/* --- comparing -------------------------------------------------------------
 */

/* The largest difference in rows of the same time; NaN: not comparable. */
static double differ(const tt_table *a, const tt_table *b, const char *name)
{
    uint32_t i = tt_table_find(a, name), j = tt_table_find(b, name);
    const double *s = tt_table_time(a), *t = tt_table_time(b);
    double most = 0;
    size_t m = 0;

    if (i == TT_NONE || j == TT_NONE)
        return (double)NAN;
    for (size_t n = 0; n < tt_table_rows(a); n++) {
        double near = 1e-9 * fmax(1, fabs(s[n]));

        while (m + 1 < tt_table_rows(b) && t[m] < s[n] - near)
            m++;
        if (fabs(t[m] - s[n]) <= near)
            most = fmax(most, fabs(tt_table_values(a, i)[n] -
                                   tt_table_values(b, j)[m]));
    }
    return most;
}

static double size_of(const tt_table *t, uint32_t column)
{
    const double *v = tt_table_values(t, column);
    double least = (double)INFINITY, most = (double)-INFINITY;

    for (size_t n = 0; n < tt_table_rows(t); n++) {
        least = fmin(least, v[n]);
        most = fmax(most, v[n]);
    }
    return most - least;
}

/* Differences d1 = |y(H) - y(H/2)| and d2 = |y(H/2) - y(H/4)| of order p are
 * C H^p (1 - 2^-p) and 2^-p times that: the error of y(H) is C H^p. */
static struct agreement agree(const struct assess *a, uint32_t column)
{
    struct agreement g = {.name = tt_table_name(a->table[WHOLE], column),
                          .size = size_of(a->table[WHOLE], column),
                          .order = (double)NAN,
                          .error = (double)NAN,
                          .other = (double)NAN};
    double finer = differ(a->table[HALF], a->table[QUARTER], g.name);

    g.half = differ(a->table[WHOLE], a->table[HALF], g.name);
    if (a->table[OTHER])
        g.other = differ(a->table[WHOLE], a->table[OTHER], g.name);
    if (g.half > 1e-12 * g.size && finer > 1e-12 * g.size) {
        g.order = log2(g.half / finer);
        if (g.order > 0.3)
            g.error = g.half / (1 - exp2(-g.order));
    }
    return g;
}

static double relative(double d, const struct agreement *g)
{
    return g->size > 0 ? d / g->size : d > 0 ? 1 : 0;
}

static int by_distance(const void *x, const void *y)
{
    double a = relative(((const struct agreement *)x)->half, x);
    double b = relative(((const struct agreement *)y)->half, y);

    return (a < b) - (a > b);
}

/* --- stating ---------------------------------------------------------------
 */

static void put_percent(struct tt_buf *b, double part)
{
    char text[TT_NUM_MAX];

    tt_num_print_digits(text, 100 * part, 2);
    tt_buf_fmt(b, "%s %%", text);
}

static void state(struct tt_beside *b, const struct assess *a,
                  const struct agreement *g, size_t n)
{
    struct tt_buf words;
    char text[TT_NUM_MAX];
    double other = 0;

    for (size_t i = 0; i < n; i++)
        other = fmax(other, relative(g[i].other, &g[i]));
    tt_buf_init(&words, TT_ERR_MAX);
    tt_buf_str(&words, "half the step changes results by up to ");
    put_percent(&words, relative(g->half, g));
    tt_buf_fmt(&words, " of what they span (%s)", g->name);
    if (isfinite(g->error)) {
        tt_num_print_digits(text, g->order, 2);
        tt_buf_fmt(&words, ", by order %s, so that its error is about ", text);
        put_percent(&words, relative(g->error, g));
    } else if (isfinite(g->order)) {
        tt_buf_str(&words, ", and a quarter does not bring them together: the "
                           "step is too long to estimate an error");
    }
    if (a->other) {
        tt_buf_fmt(&words, "; %s differs by up to ", a->other);
        put_percent(&words, other);
    }
    if (!words.failed)
        tt_beside_note(b, "assessment", words.data);
    tt_buf_fini(&words);
}

static void put_json(struct tt_buf *b, const struct assess *a,
                     const struct agreement *g, size_t n)
{
    tt_json_num(b, "  \"assessment\": {\"step\": ", a->step);
    tt_buf_fmt(b, ", \"other\": %s%s%s, \"variables\": [", a->other ? "\"" : "",
               a->other ? a->other : "null", a->other ? "\"" : "");
    for (size_t i = 0; i < n; i++) {
        tt_buf_fmt(b, "%s\n    {\"name\": ", i ? "," : "");
        tt_buf_json(b, g[i].name);
        tt_json_member(b, "span", g[i].size);
        tt_json_member(b, "half_step", g[i].half);
        tt_json_member(b, "order", g[i].order);
        tt_json_member(b, "error", g[i].error);
        tt_json_member(b, "other_master", g[i].other);
        tt_buf_char(b, '}');
    }
    tt_buf_str(b, "\n  ]},\n");
}

static enum tt_code compare(struct tt_beside *b, const struct assess *a,
                            tt_err *err)
{
    const tt_table *t = a->table[WHOLE];
    struct agreement *g;
    size_t n = 0;

    if (!TT_NEW_ARRAY(g, tt_table_columns(t)))
        return tt_nomem(err, "--assess");
    for (uint32_t i = 0; i < tt_table_columns(t); i++)
        if (!tt_table_is_text(t, i) && !tt_table_is_discrete(t, i) &&
            strcmp(tt_table_name(t, i), "step-size") != 0)
            g[n++] = agree(a, i);
    qsort(g, n, sizeof(*g), by_distance);
    put_json(&b->json, a, g, n);
    if (n)
        state(b, a, g, n);
    tt_free(g);
    return TT_OK;
}

enum tt_code tt_beside_assess(struct tt_beside *b, const struct tt_cli *cli,
                              const struct tt_source_args *source,
                              const char *temp, tt_err *err)
{
    struct assess a = {.cli = cli, .source = source, .temp = temp};
    enum tt_code rc = look(&a, err);

    for (int i = 0; i < PLAYS && rc == TT_OK; i++)
        if (i != OTHER || a.other)
            rc = play(&a, i, err);
    if (rc == TT_OK)
        rc = compare(b, &a, err);
    for (int i = 0; i < PLAYS; i++)
        tt_table_free(a.table[i]);
    return rc;
}
