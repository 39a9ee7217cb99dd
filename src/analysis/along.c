/* SPDX-License-Identifier: MIT */
#include "analysis/along.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/algebra.h"
#include "analysis/place.h"
#include "base/num.h"
#include "base/show.h"
#include "results/svg.h"

#define SIZE      1e-5 /* of changes of the start, in nominals */
#define CAUSES    64u
#define STEPS_ALL 200000u /* longer runs are not played for every state */

/* --- from start to end -----------------------------------------------------
 */

struct states { /* of runs that differ by their start */
    const struct tt_case *c;
    const tt_scenario *s;
    tt_run *like;
    const struct tt_probe_number *x;
    uint32_t n;
};

/* Adds weight times the states at the end to out, with one of them moved. */
static enum tt_code play(const struct states *st, uint32_t moved, double by,
                         double weight, double *out, tt_err *err)
{
    const struct tt_probe_number *x = st->x;
    const struct tt_run_nudge nudge = {x[moved].unit, x[moved].port,
                                       x[moved].element, by};
    tt_run *run = NULL;
    double *row = tt_zalloc(st->n, sizeof(*row));
    enum tt_code rc =
        row ? tt_case_run(&run, st->c, st->s, st->like, &nudge, err)
            : tt_nomem(err, "the analysis");

    if (rc == TT_OK)
        rc = tt_run_start(run, err);
    while (rc == TT_OK && !tt_run_done(run))
        rc = tt_run_step(run, err);
    if (rc == TT_OK)
        rc = tt_probe_read(run, x, st->n, row, err);
    for (uint32_t i = 0; rc == TT_OK && i < st->n; i++)
        out[i] += weight * row[i] / x[i].nominal;
    tt_run_free(run);
    tt_free(row);
    return rc;
}

/* The matrix from states at the start to those at the end, by columns. */
static enum tt_code find_transition(const struct states *st, double *a,
                                    tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t k = 0; k < st->n && rc == TT_OK; k++)
        for (int sign = -1; sign <= 1 && rc == TT_OK; sign += 2)
            rc = play(st, k, sign * SIZE * st->x[k].nominal, sign / (2 * SIZE),
                      a + (size_t)k * st->n, err);
    return rc;
}

/* Its largest singular value; NaN: not to be had. */
static double spread(const struct tt_case *c, const tt_scenario *s,
                     tt_run *like)
{
    const tt_plan *p = tt_run_plan(like);
    double steps = (p->experiment.end - p->experiment.start) / p->step;
    struct tt_probe_number *x = NULL;
    uint32_t all = 0, n = 0;
    double *w = NULL, most = (double)NAN;

    if (steps < STEPS_ALL && tt_probe_list(like, &x, &all, NULL) == TT_OK &&
        !tt_response_hides(p, x, all))
        while (n < all && x[n].of == TT_PROBE_STATE)
            n++;
    if (n && n <= CAUSES)
        w = tt_zalloc((size_t)n * (3 * n + 1), sizeof(*w));
    if (w &&
        find_transition(&(struct states){c, s, like, x, n}, w, NULL) == TT_OK &&
        tt_svd(n, n, w, w + (size_t)n * n, w + (size_t)n * (n + 1),
               w + (size_t)n * (2 * n + 1), NULL) == TT_OK)
        most = w[(size_t)n * n];
    TT_FREE_ALL(x, w);
    return most;
}

/* --- instants --------------------------------------------------------------
 */

static enum tt_code add_point(struct tt_along *a, const struct tt_case *c,
                              double at, tt_err *err)
{
    struct tt_along_point *p = &a->point[a->n];
    struct tt_case there = *c;
    struct tt_place place;
    struct tt_radius r;
    enum tt_code rc;

    there.at = &at;
    rc = tt_place_find(&place, &there, err);
    if (rc != TT_OK)
        return rc;
    tt_radius_find(&r, &place.c);
    *p = (struct tt_along_point){r.response.number ? r.response.time : at,
                                 r.rho, r.verdict};
    if (r.verdict == TT_STABILITY_UNKNOWN)
        (void)snprintf(a->reason, sizeof(a->reason), "%s", r.reason);
    else
        a->step = r.step;
    if (!(r.rho <= a->point[a->worst].rho))
        a->worst = a->n;
    a->n_stable += r.verdict == TT_STABILITY_STABLE;
    a->n_unstable += r.verdict == TT_STABILITY_UNSTABLE;
    a->n++;
    tt_radius_fini(&r);
    tt_place_fini(&place);
    return TT_OK;
}

/* Only what is alike everywhere is a verdict. */
static void judge(struct tt_along *a)
{
    if (a->n_stable == a->n)
        a->verdict = TT_STABILITY_STABLE;
    else if (a->n_unstable == a->n)
        a->verdict = TT_STABILITY_UNSTABLE;
    else if (!a->reason[0])
        (void)snprintf(a->reason, sizeof(a->reason),
                       "deviations fade at %u of %u instants and grow at %u; "
                       "what that adds up to single steps do not show",
                       a->n_stable, a->n, a->n_unstable);
}

static enum tt_code find(struct tt_along *a, const struct tt_case *c,
                         uint32_t n, const tt_scenario *s, tt_run *like,
                         tt_err *err)
{
    const tt_plan *p = tt_run_plan(like);
    const char *why = tt_probe_refusal(like);
    enum tt_code rc = TT_OK;

    (void)snprintf(a->name, sizeof(a->name), "%s", s->name);
    a->from = p->experiment.start;
    a->to = p->experiment.end;
    if (!isfinite(a->to))
        why = "the run has no end: give one with --until";
    if (why) {
        (void)snprintf(a->reason, sizeof(a->reason), "%s", why);
        return TT_OK;
    }
    if (!TT_NEW_ARRAY(a->point, n))
        return tt_nomem(err, "the analysis");
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        rc = add_point(a, c, a->from + (a->to - a->from) * (i + 1) / n, err);
    if (rc == TT_EUNSUPPORTED && err) { /* the run itself does not get there */
        (void)snprintf(a->reason, sizeof(a->reason), "%s", err->msg);
        return TT_OK;
    }
    if (rc != TT_OK)
        return rc;
    judge(a);
    a->deviations = spread(c, s, like);
    return TT_OK;
}

enum tt_code tt_along_find(struct tt_along *out, const struct tt_case *c,
                           uint32_t n, tt_err *err)
{
    struct tt_along a = {.deviations = (double)NAN};
    struct tt_case_opened o;
    enum tt_code rc = tt_case_open(&o, c, err);

    if (rc == TT_OK)
        rc = find(&a, c, n, o.s, o.run, err);
    tt_case_close(&o);
    return TT_HAND_OVER_VALUE(rc, out, a, tt_along_fini);
}

void tt_along_fini(struct tt_along *a)
{
    tt_free(a->point);
    *a = (struct tt_along){0};
}

/* --- showing it ------------------------------------------------------------
 */

static void put_verdict(struct tt_buf *b, const struct tt_along *a)
{
    tt_buf_fmt(b, "verdict:   %s", tt_stability_name(a->verdict));
    if (a->verdict == TT_STABILITY_UNKNOWN)
        tt_buf_fmt(b, ": %s\n", a->reason);
    else
        tt_buf_fmt(b,
                   " along this trajectory at %u instants: near each of them "
                   "small deviations %s; farther away it may be otherwise\n",
                   a->n, a->verdict == TT_STABILITY_STABLE ? "fade" : "grow");
}

void tt_along_text(struct tt_buf *b, const struct tt_along *a)
{
    tt_show_clean(b, a->name);
    tt_show_digits(b, ": along the run, ", a->from, 6);
    tt_show_digits(b, " to ", a->to, 6);
    tt_buf_str(b, " s\n");
    put_verdict(b, a);
    if (isfinite(a->deviations)) {
        tt_show_digits(
            b,
            "from start to end: a small change of the start is multiplied "
            "by up to ",
            a->deviations, 5);
        tt_buf_char(b, '\n');
    }
    for (uint32_t i = 0; i < a->n; i++) {
        tt_show_digits(b, "  t = ", a->point[i].time, 6);
        tt_show_digits(b, " s: rho ", a->point[i].rho, 6);
        tt_buf_fmt(b, ", %s%s\n", tt_stability_name(a->point[i].verdict),
                   i == a->worst ? " (the largest)" : "");
    }
}

void tt_along_json(struct tt_buf *b, const struct tt_along *a)
{
    tt_json_text(b, "{\n  \"scenario\": ", a->name);
    tt_buf_fmt(b, ",\n  \"verdict\": \"%s\",\n  \"reason\": ",
               tt_stability_name(a->verdict));
    tt_buf_json(b, a->reason[0] ? a->reason : NULL);
    tt_json_num(b,
                ",\n  \"rho\": ", a->n ? a->point[a->worst].rho : (double)NAN);
    tt_json_num(b, ",\n  \"step\": ", a->step > 0 ? a->step : (double)NAN);
    tt_buf_fmt(b, ",\n  \"stable\": %u,\n  \"unstable\": %u", a->n_stable,
               a->n_unstable);
    tt_json_num(b, ",\n  \"deviations\": ", a->deviations);
    tt_buf_str(b, ",\n  \"points\": [");
    for (uint32_t i = 0; i < a->n; i++) {
        tt_buf_str(b, i ? "," : "");
        tt_json_num(b, "\n    {\"time\": ", a->point[i].time);
        tt_json_num(b, ", \"rho\": ", a->point[i].rho);
        tt_buf_fmt(b, ", \"verdict\": \"%s\"}",
                   tt_stability_name(a->point[i].verdict));
    }
    tt_buf_str(b, a->n ? "\n  ]\n}\n" : "]\n}\n");
}

void tt_along_svg(struct tt_buf *b, const struct tt_along *a)
{
    double *w = tt_zalloc((size_t)2 * (a->n + 1), sizeof(*w));
    const double ends[2] = {a->from, a->to}, one[2] = {1, 1};
    const struct tt_series line[] = {
        {.name = "1", .t = ends, .y = one, .n = 2},
        {.name = "spectral radius", .t = w, .y = w + a->n + 1, .n = a->n}};
    const struct tt_panel panel = {.title = "Spectral radius along the run",
                                   .x_name = "time, s",
                                   .series = line,
                                   .n = 2};

    for (uint32_t i = 0; w && i < a->n; i++) {
        w[i] = a->point[i].time;
        w[a->n + 1 + i] = a->point[i].rho;
    }
    if (w)
        tt_svg_panels(b, &panel, 1, &(struct tt_svg_opts){.title = a->name});
    tt_free(w);
}
