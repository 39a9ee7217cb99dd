/* SPDX-License-Identifier: MIT */
#include "analysis/late.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/trend.h"
#include "base/num.h"
#include "base/show.h"

#define STEPS_MOST 200000u
#define NUMBERS    16u  /* connected ones that are looked at */
#define NEAR       1e-3 /* relative: how far the bisection goes */
#define FADED      1e-3 /* of the largest swing: at rest */

/* How one number swings: the farthest from one turn to the next, in the third
 * and in the last quarter of the run, and at all. */
struct swing {
    double t[2], y[2]; /* the last two that differ */
    double turn;       /* its last turn; NaN: none yet */
    double third, last, most;
    unsigned n; /* values so far, at most 2 */
};

struct lab {
    const struct tt_case *c;
    const struct tt_axis *late, *from;
    struct tt_late *out;
};

/* --- one run ---------------------------------------------------------------
 */

/* The top of the parabola through three points. */
static double top(const struct swing *s, double t, double y)
{
    double a = s->t[1] - s->t[0], b = t - s->t[1];
    double rise = (s->y[1] - s->y[0]) / a, fall = (y - s->y[1]) / b;
    double bend = (fall - rise) / (a + b), slope = rise + bend * a;

    return s->y[1] - slope * slope / (4 * bend);
}

/* part: of the run, 0 to 1. */
static void follow(struct swing *s, double t, double y, double part)
{
    if (s->n && !(t > s->t[s->n - 1] && y != s->y[s->n - 1]))
        return;
    if (s->n == 2 && (y > s->y[1]) != (s->y[1] > s->y[0])) {
        double at = top(s, t, y), size = fabs(at - s->turn);

        if (isfinite(size)) {
            s->most = fmax(s->most, size);
            if (part > 0.75)
                s->last = fmax(s->last, size);
            else if (part > 0.5)
                s->third = fmax(s->third, size);
        }
        s->turn = at;
    }
    if (s->n == 2) {
        s->t[0] = s->t[1];
        s->y[0] = s->y[1];
    }
    s->n = s->n < 2 ? s->n + 1 : 2;
    s->t[s->n - 1] = t;
    s->y[s->n - 1] = y;
}

static int farther(const struct swing *s, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (s[i].last > FADED * s[i].most && s[i].last > s[i].third)
            return 1;
    return 0;
}

static enum tt_code watch(tt_run *run, const struct tt_probe_number *number,
                          struct swing *s, uint32_t n, tt_err *err)
{
    const tt_plan *p = tt_run_plan(run);
    double from = p->experiment.start, over = p->experiment.end - from;
    double now[NUMBERS];
    enum tt_code rc = tt_run_start(run, err);

    for (uint32_t k = 0; rc == TT_OK && k < STEPS_MOST && !tt_run_done(run);
         k++) {
        rc = tt_run_step(run, err);
        if (rc == TT_OK)
            rc = tt_probe_read(run, number, n, now, err);
        for (uint32_t i = 0; rc == TT_OK && i < n; i++)
            follow(&s[i], tt_run_time(run), now[i],
                   (tt_run_time(run) - from) / over);
    }
    if (rc == TT_OK && !tt_run_done(run))
        rc = tt_fail(err, TT_EUNSUPPORTED,
                     "a run has more than %u steps; give an earlier end with "
                     "--until",
                     STEPS_MOST);
    return rc;
}

static enum tt_code measure(tt_run *run, int *grows, tt_err *err)
{
    struct tt_probe_number *number = NULL;
    struct swing s[NUMBERS] = {0};
    uint32_t n = 0;
    enum tt_code rc = tt_probe_list(run, &number, &n, err);

    if (rc == TT_OK)
        n = tt_trend_numbers(number, n);
    n = n < NUMBERS ? n : NUMBERS;
    for (uint32_t i = 0; i < n; i++)
        s[i].turn = (double)NAN;
    if (rc == TT_OK && n == 0)
        rc = tt_fail(err, TT_EUNSUPPORTED,
                     "no number is connected: nothing shows how far it swings");
    if (rc == TT_OK)
        rc = watch(run, number, s, n, err);
    *grows = farther(s, n);
    tt_free(number);
    return rc;
}

/* With these settings, which win over those of the case. */
static enum tt_code play(struct lab *l, const char *const *more,
                         uint32_t n_more, int *grows, tt_err *err)
{
    struct tt_case one = *l->c;
    const char **set =
        tt_zalloc(one.o.n_set + (size_t)n_more + 1, sizeof(*set));
    struct tt_case_opened o = {0};
    enum tt_code rc = set ? TT_OK : tt_nomem(err, "the analysis");

    for (uint32_t i = 0; set && i < one.o.n_set + n_more; i++)
        set[i] = i < one.o.n_set ? one.o.set[i] : more[i - one.o.n_set];
    one.o.set = set;
    one.o.n_set += n_more;
    if (rc == TT_OK)
        rc = tt_case_open(&o, &one, err);
    if (rc == TT_OK) {
        const tt_plan *p = tt_run_plan(o.run);

        (void)snprintf(l->out->name, sizeof(l->out->name), "%s", o.s->name);
        l->out->time = p->experiment.end - p->experiment.start;
        rc = measure(o.run, grows, err);
    }
    l->out->runs++;
    tt_case_close(&o);
    tt_free(set);
    return rc;
}

/* --- many ------------------------------------------------------------------
 */

/* From all starts; *grows: from one of them. late: NaN: as it is. */
static enum tt_code from_all(struct lab *l, double late, int *grows,
                             tt_err *err)
{
    char setting[2][TT_AXIS_SETTING];
    const char *const more[2] = {setting[0], setting[1]};
    uint32_t first = 0, starts = l->from ? l->from->n : 1;
    enum tt_code rc = TT_OK;

    *grows = 0;
    if (isnan(late))
        first = 1;
    else
        tt_axis_setting(l->late, late, setting[0]);
    for (uint32_t i = 0; i < starts && !*grows && rc == TT_OK; i++) {
        if (l->from)
            tt_axis_setting(l->from, tt_axis_at(l->from, i), setting[1]);
        rc = play(l, more + first, 1 - first + (l->from != NULL), grows, err);
    }
    l->out->starts = starts;
    return rc;
}

static enum tt_code check_end(struct lab *l, double late, int wanted,
                              tt_err *err)
{
    char text[TT_NUM_MAX];
    int grows;
    enum tt_code rc = from_all(l, late, &grows, err);

    if (rc != TT_OK || grows == wanted)
        return rc;
    tt_num_print_short(text, late);
    return tt_fail(err, TT_EUNSUPPORTED,
                   wanted ? "with %s=%s all runs still come to rest; try more"
                          : "with %s=%s a run does not come to rest; try less",
                   l->late->parameter, text);
}

enum tt_code tt_late_make(struct tt_late *out, const struct tt_case *c,
                          const struct tt_axis *late,
                          const struct tt_axis *from, tt_err *err)
{
    struct lab l = {.c = c, .late = late, .from = from, .out = out};
    int grows = 0;
    enum tt_code rc;

    *out = (struct tt_late){.rests = late->first, .grows = late->last};
    (void)snprintf(out->parameter, sizeof(out->parameter), "%s",
                   late->parameter);
    rc = check_end(&l, late->first, 0, err);
    if (rc == TT_OK)
        rc = check_end(&l, late->last, 1, err);
    while (rc == TT_OK && out->grows - out->rests > NEAR * fabs(out->grows)) {
        double middle = 0.5 * (out->rests + out->grows);

        rc = from_all(&l, middle, &grows, err);
        *(grows ? &out->grows : &out->rests) = middle;
    }
    if (rc == TT_OK)
        rc = from_all(&l, (double)NAN, &grows, err);
    out->verdict = grows ? TT_STABILITY_UNSTABLE : TT_STABILITY_STABLE;
    return rc;
}

/* --- showing it ------------------------------------------------------------
 */

void tt_late_text(struct tt_buf *b, const struct tt_late *e)
{
    tt_show_clean(b, e->name);
    tt_buf_str(b, ": an experiment with ");
    tt_show_clean(b, e->parameter);
    tt_show_digits(b, "\nmay be late: by ", e->rests, 5);
    tt_buf_fmt(b, " s: it comes to rest from %u start%s; with ", e->starts,
               e->starts == 1 ? "" : "s");
    tt_show_digits(b, "", e->grows, 5);
    tt_buf_fmt(b, " s it swings ever farther\nhow:         %u runs of ",
               e->runs);
    tt_show_digits(b, "", e->time, 4);
    tt_buf_fmt(b,
               " s, by bisection; no proof: other starts may end otherwise\n"
               "as it is:    %s\n",
               e->verdict == TT_STABILITY_STABLE ? "comes to rest"
                                                 : "swings ever farther");
}

void tt_late_json(struct tt_buf *b, const struct tt_late *e)
{
    tt_json_text(b, "{\n  \"scenario\": ", e->name);
    tt_json_num(b, ",\n  \"delay\": ", e->rests);
    tt_json_text(b, ",\n  \"experiment\": {\"parameter\": ", e->parameter);
    tt_buf_fmt(b, ", \"runs\": %u, \"starts\": %u, \"grows\": ", e->runs,
               e->starts);
    tt_show_json_num(b, e->grows);
    tt_json_num(b, ", \"time\": ", e->time);
    tt_buf_fmt(b, "},\n  \"verdict\": \"%s\"\n}\n",
               tt_stability_name(e->verdict));
}
