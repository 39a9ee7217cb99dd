/* SPDX-License-Identifier: MIT */
/* From the best of the rounds on: what differs from it in one thing, and costs
 * less if it is good. Courses of higher order and rates at larger steps, and
 * variable steps. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "tune/tune_impl.h"

#define UNITS_MOST 6u /* of which each gets a rate of its own */

/* A way like another one, with room for its name. */
static struct tt_tune_way *add_way(struct search *s, uint32_t like,
                                   const char *fmt, ...) TT_PRINTF(3, 4);
static struct tt_tune_way *add_way(struct search *s, uint32_t like,
                                   const char *fmt, ...)
{
    struct tt_tune *t = s->t;
    char name[512];
    va_list ap;

    if (t->n_way == TT_WAYS_MOST)
        return NULL;
    va_start(ap, fmt);
    (void)vsnprintf(name, sizeof(name), fmt, ap);
    va_end(ap);
    s->way[t->n_way] = s->way[like];
    s->way[t->n_way].name = tt_arena_strdup(t->arena, name);
    if (!s->way[t->n_way].name)
        return NULL;
    t->way[t->n_way] = s->way[t->n_way].name;
    s->per_step[t->n_way] = (double)NAN;
    s->out[t->n_way] = 0;
    return &s->way[t->n_way++];
}

static void add_courses(struct search *s, uint32_t like)
{
    static const char *const course[] = {"quadratic", "hermite"};

    if (strcmp(s->way[like].approximation, "linear") != 0)
        return;
    for (size_t i = 0; i < 2; i++) {
        const char *name = s->way[like].name;
        size_t stem = strlen(name) - strlen("linear");
        struct tt_tune_way *w =
            add_way(s, like, "%.*s%s", (int)stem, name, course[i]);

        if (w)
            w->approximation = course[i];
    }
}

/* Software has the rate that it has. */
static int is_beating(const struct search *s, uint32_t unit)
{
    for (uint32_t i = 0; i < s->known.n_beat; i++)
        if (s->known.beat[i].unit == unit)
            return 1;
    return 0;
}

static void add_rates(struct search *s, uint32_t like)
{
    const tt_plan *p = tt_run_plan(s->like);

    for (uint32_t u = 0; p->n_unit > 1 && u < p->n_unit; u++) {
        struct tt_tune_way *w;

        if (is_beating(s, u))
            continue;
        w = p->n_unit > UNITS_MOST
                ? NULL
                : add_way(s, like, "%s, 2 x %.200s", s->way[like].name,
                          p->unit[u].instance);
        if (!w)
            return;
        w->twice = p->unit[u].name;
    }
}

static void add_variable(struct search *s, uint32_t like)
{
    static const double part[] = {3, 1, 0.3};

    for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++) {
        double tolerance = part[i] * s->o->tolerance;
        char text[TT_NUM_MAX];
        struct tt_tune_way *w;

        tt_num_print_digits(text, tolerance, 2);
        w = add_way(s, like, "%s, variable %s", s->way[like].name, text);
        if (!w)
            return;
        w->tolerance = tolerance;
        w->start = s->start;
        w->widest = (s->end - s->start) / (INSTANTS - 1);
    }
}

static uint32_t steps_of(const struct search *s, const struct tt_tune_try *t)
{
    return (uint32_t)llround((s->end - s->start) / t->step);
}

/* The best one at ever larger steps, while it is good. */
static enum tt_code stretch(struct search *s, tt_err *err)
{
    enum tt_code rc = TT_OK;

    while (rc == TT_OK && !s->starved) {
        uint32_t best = s->t->best, first = s->t->n_tried;
        uint32_t n = steps_of(s, &s->t->tried[best]) / 2;

        if (n % (INSTANTS - 1) || !n || !search_has_room(s, 0) ||
            !search_fits(s, n))
            return TT_OK;
        if (search_add(s, s->t->tried[best].way, n, TT_TUNE_CANDIDATE) ==
            TT_NONE)
            return search_no_memory(err);
        rc = search_run(s, first, err);
        search_judge(s, first);
        if (s->t->best == best)
            return rc;
    }
    return rc;
}

/* Those that can be played, and play something of their own, if steps may be so
 * long; of variable ones, the largest. */
static enum tt_code run_ways(struct search *s, uint32_t from, uint32_t like,
                             uint32_t n, tt_err *err)
{
    uint32_t first;
    enum tt_code rc = TT_OK;

    for (uint32_t i = from; i < s->t->n_way && rc == TT_OK; i++)
        rc = search_cut_way(s, i, s->way[i].tolerance > 0 ? i : like, err);
    first = s->t->n_tried;
    for (uint32_t i = from; i < s->t->n_way && rc == TT_OK; i++) {
        uint32_t steps = s->way[i].tolerance > 0 ? INSTANTS - 1 : n;

        if (!s->out[i] && search_fits(s, steps) &&
            search_has_room(s, s->t->n_tried - first) &&
            search_add(s, i, steps, TT_TUNE_CANDIDATE) == TT_NONE)
            rc = search_no_memory(err);
    }
    if (rc == TT_OK)
        rc = search_run(s, first, err);
    search_judge(s, first);
    return rc;
}

enum tt_code search_improve(struct search *s, tt_err *err)
{
    uint32_t best = s->t->best, from = s->t->n_way, like, n;
    enum tt_code rc;

    if (!s->t->within)
        return TT_OK;
    like = s->t->tried[best].way;
    n = steps_of(s, &s->t->tried[best]);
    if (n >= 2 * (INSTANTS - 1)) {
        add_courses(s, like);
        add_rates(s, like);
        if (!s->known.n_beat) /* they would not meet its periods */
            add_variable(s, like);
    }
    rc = run_ways(s, from, like, n / 2, err);
    if (rc == TT_OK && s->t->best != best)
        rc = stretch(s, err);
    return rc;
}
