/* SPDX-License-Identifier: MIT */
#include "tune/tune.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/show.h"
#include "scenario/hint_text.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "text/json.h"
#include "tune/deal.h"
#include "tune/tune_impl.h"

/* Steps per experiment of references. */
static const uint32_t fine[] = {1000, 5000, 20000, 100000};
#define LENGTH(a) (sizeof(a) / sizeof(*(a)))

#define AGREED   0.1 /* of the tolerance: how well the references agree */
#define DEAR     4.0 /* times what the most promising way would cost */
#define RESERVE  2u  /* runs that are left for the confirmation */
#define HOPELESS 3u  /* steps at which a way failed, one after the other */

void search_note(struct search *s, const char *fmt, ...)
{
    struct tt_tune *t = s->t;
    char text[2 * TT_TUNE_WORDS];
    va_list ap;

    va_start(ap, fmt);
    (void)vsnprintf(text, sizeof(text), fmt, ap);
    va_end(ap);
    if (TT_GROW(t->reason, t->n_reason, t->cap_reason) != 0)
        return;
    t->reason[t->n_reason] = tt_arena_strdup(t->arena, text);
    t->n_reason += t->reason[t->n_reason] != NULL;
}

static const char *num(char out[TT_NUM_MAX], double v)
{
    tt_num_print_digits(out, v, 3);
    return out;
}

/* --- what there is -------------------------------------------------------- */

/* What a solver leaves over is not a result. */
static int is_residual(const tt_plan *p, uint32_t slot)
{
    const char *name = tt_plan_port(p, slot)->name;

    return p->unit[p->slot[slot].unit].desc->caps.implicit &&
           (!strcmp(name, "residual") || !strcmp(name, "rateResidual"));
}

static void note_known(void *ctx, const char *words)
{
    search_note(ctx, "%s", words);
}

/* What is known of instances goes with the system: any way shows it. */
static enum tt_code know(struct search *s, tt_err *err)
{
    const struct tt_run_opts o = {.like = s->like};
    const tt_scenario *sc = s->scenario;
    tt_scenario *other = NULL;
    tt_run *run = NULL;
    char at[512];
    tt_err why = {0};
    enum tt_code rc = tt_known_find(&s->known, tt_run_plan(s->like),
                                    s->t->arena, note_known, s, err);

    if (rc != TT_OK || !s->known.any)
        return rc;
    rc = search_open(s, 0, 1e-3, &o, &other, &run, &why);
    if (rc != TT_OK)
        return tt_fail(err, rc, "%s: '%s': %s",
                       tt_scenario_at(sc, sc->known[0].where, at, sizeof(at)),
                       sc->known[0].name, why.msg);
    tt_run_free(run);
    tt_scenario_free(other);
    return TT_OK;
}

static enum tt_code list_columns(struct search *s, tt_err *err)
{
    const tt_plan *p = tt_run_plan(s->like);

    if (!TT_NEW_ARRAY(s->column, p->n_column + 1) ||
        !TT_NEW_ARRAY(s->discrete, p->n_column + 1) ||
        !TT_NEW_ARRAY(s->low, p->n_column + 1) ||
        !TT_NEW_ARRAY(s->range, p->n_column + 1))
        return search_no_memory(err);
    for (uint32_t i = 0; i < p->n_column; i++) {
        const struct tt_port *port = tt_plan_port(p, p->column[i].slot);

        if (port->type == TT_TEXT || port->type == TT_BYTES ||
            is_residual(p, p->column[i].slot))
            continue;
        s->discrete[s->n_column] = port->variability != TT_VAR_CONTINUOUS;
        s->range[s->n_column] = 1;
        s->column[s->n_column++] = i;
    }
    if (s->n_column == 0)
        return tt_fail(err, TT_EINPUT,
                       "no number is recorded by which variants could be "
                       "compared");
    return TT_OK;
}

/* Any way will do: which instances there are, and from when to when. */
static enum tt_code look(struct search *s, tt_err *err)
{
    static const struct tt_tune_known none;
    const struct tt_run_opts o = {0};
    const tt_plan *p;
    enum tt_code rc;

    s->way[0] = (struct tt_tune_way){
        .master = "jacobi", .approximation = "hold", .known = &none};
    rc = search_open(s, 0, 1e-3, &o, &s->scenario, &s->like, err);
    if (rc == TT_OK)
        rc = tt_run_unpack_units(s->like, err);
    if (rc != TT_OK)
        return rc;
    p = tt_run_plan(s->like);
    tt_plan_brief(p, &s->t->brief);
    s->start = p->experiment.start;
    s->end = s->t->end = p->experiment.end;
    if (!isfinite(s->end))
        return tt_fail(err, TT_EINPUT,
                       "a search needs an end time: give --until T");
    s->t->n_way = tt_ways_list(s->way, p, s->t->arena);
    s->t->way = tt_arena_alloc(s->t->arena, TT_WAYS_MOST, sizeof(*s->t->way));
    if (!s->t->n_way || !s->t->way)
        return search_no_memory(err);
    for (uint32_t i = 0; i < s->t->n_way; i++) {
        s->way[i].known = &s->known;
        s->t->way[i] = s->way[i].name;
        s->per_step[i] = (double)NAN;
    }
    rc = list_columns(s, err);
    if (rc == TT_OK)
        rc = know(s, err);
    return rc == TT_OK ? search_find_facts(s, err) : rc;
}

static enum tt_code cut(struct search *s, uint32_t way, const char *why,
                        tt_err *err)
{
    uint32_t i = search_add(s, way, 0, TT_TUNE_CANDIDATE);

    if (i == TT_NONE)
        return search_no_memory(err);
    s->out[way] = 1;
    s->t->tried[i].state = TT_TUNE_CUT;
    (void)snprintf(s->t->tried[i].why, TT_TUNE_WORDS, "%s", why);
    return TT_OK;
}

static enum tt_code cut_twin(struct search *s, uint32_t way, uint32_t of,
                             tt_err *err)
{
    char text[TT_TUNE_WORDS];

    (void)snprintf(text, sizeof(text), "plays the same as %s", s->way[of].name);
    return cut(s, way, text, err);
}

enum tt_code search_cut_way(struct search *s, uint32_t way, uint32_t like,
                            tt_err *err)
{
    const struct tt_run_opts o = {.like = s->like};
    tt_scenario *sc = NULL;
    tt_run *run = NULL;
    tt_err why = {0};

    if (search_open(s, way, (s->end - s->start) / s->steps[0], &o, &sc, &run,
                    &why) != TT_OK)
        return cut(s, way, why.msg, err);
    s->score[way] = tt_run_score(run)->hash ^
                    tt_plan_hash(tt_run_plan(run)) * 0x9e3779b97f4a7c15u;
    tt_run_free(run);
    tt_scenario_free(sc);
    for (uint32_t k = 0; k < way && like != way; k++)
        if ((!s->out[k] || k == like) && s->score[k] == s->score[way])
            return cut_twin(s, way, k, err);
    return TT_OK;
}

/* Ways that cannot be planned, or play what another one plays. */
static enum tt_code cut_ways(struct search *s, tt_err *err)
{
    enum tt_code rc = search_begin(s, err);

    if (rc == TT_OK)
        rc = search_list_steps(s, err);
    for (uint32_t i = 0; i < s->t->n_way && rc == TT_OK; i++)
        rc = search_cut_way(s, i, TT_NONE, err);
    return rc;
}

/* --- the reference -------------------------------------------------------- */

static uint32_t next_way(const struct search *s, const char *other_than)
{
    for (uint32_t i = 0; i < s->t->n_way; i++)
        if (!s->out[i] &&
            (!other_than || strcmp(s->way[i].master, other_than) != 0))
            return i;
    return TT_NONE;
}

static void measure(struct search *s, const struct tt_tune_try *t)
{
    for (uint32_t c = 0; c < s->n_column; c++) {
        const double *x = t->curve + (size_t)c * INSTANTS;
        double least = (double)INFINITY, most = (double)-INFINITY;

        for (uint32_t k = 0; k < INSTANTS; k++) {
            least = fmin(least, x[k]);
            most = fmax(most, x[k]);
        }
        s->low[c] = least;
        s->range[c] = most - least;
        if (!(s->range[c] > 1e-12 * fmax(fabs(least), fabs(most))) ||
            !isfinite(s->range[c]))
            s->range[c] = isfinite(most) && most != 0 ? fabs(most) : 1;
    }
}

/* A way unlike both in what it does wrong; TT_NONE: there is none. */
static uint32_t third_way(const struct search *s)
{
    const struct tt_tune_way *a = &s->way[s->pair[0]];

    for (uint32_t i = 0; i < s->t->n_way; i++)
        if (!s->out[i] && i != s->pair[1] &&
            strcmp(s->way[i].master, a->master) != 0 &&
            strcmp(s->way[i].approximation, a->approximation) != 0)
            return i;
    return TT_NONE;
}

/* Two that do not agree: of these and a third, the two closest ones. */
static enum tt_code vote(struct search *s, uint32_t n, double *d, tt_err *err)
{
    uint32_t way = third_way(s), third = s->t->n_tried, first = third - 2;
    enum tt_code rc;

    if (way == TT_NONE)
        return TT_OK;
    if (search_add(s, way, n, TT_TUNE_REFERENCE) == TT_NONE)
        return search_no_memory(err);
    rc = search_run(s, third, err);
    if (rc != TT_OK || s->t->n_tried <= third ||
        s->t->tried[third].state != TT_TUNE_DONE)
        return rc;
    for (uint32_t i = first; i < third; i++) {
        double near = search_distance(s, &s->t->tried[i], &s->t->tried[third]);

        if (!(near < *d))
            continue;
        *d = near;
        s->reference[0] = i;
        s->reference[1] = third;
    }
    for (int i = 0; i < 2; i++)
        s->pair[i] = s->t->tried[s->reference[i]].way;
    measure(s, &s->t->tried[s->reference[0]]);
    return rc;
}

static uint32_t next_level(struct search *s)
{
    return tt_known_finer(&s->known, s->end - s->start, fine[s->level++]);
}

/* One finer pair; *d: how far they are from each other. */
static enum tt_code run_pair(struct search *s, uint32_t n, double *d,
                             tt_err *err)
{
    uint32_t first = s->t->n_tried;
    enum tt_code rc;

    if (s->pair[0] == TT_NONE || s->out[s->pair[0]])
        s->pair[0] = next_way(s, NULL);
    if (s->pair[0] != TT_NONE && (s->pair[1] == TT_NONE || s->out[s->pair[1]]))
        s->pair[1] = next_way(s, s->way[s->pair[0]].master);
    *d = (double)NAN;
    for (int i = 0; i < 2; i++)
        if (s->pair[i] != TT_NONE &&
            search_add(s, s->pair[i], n, TT_TUNE_REFERENCE) == TT_NONE)
            return search_no_memory(err);
    rc = search_run(s, first, err);
    for (uint32_t i = first; i < s->t->n_tried; i++) {
        const struct tt_tune_try *t = &s->t->tried[i];

        if (t->state == TT_TUNE_DONE)
            s->reference[i - first] = i;
        else if (t->state == TT_TUNE_FAILED || t->state == TT_TUNE_CRASHED)
            s->out[t->way] = 1;
    }
    if (s->reference[0] == TT_NONE)
        return rc;
    measure(s, &s->t->tried[s->reference[0]]);
    if (rc != TT_OK || s->t->n_tried < first + 2 || s->reference[0] != first ||
        s->reference[1] != first + 1)
        return rc;
    *d = search_distance(s, &s->t->tried[first], &s->t->tried[first + 1]);
    return s->level > 1 && !(*d <= s->o->tolerance) && !s->starved
               ? vote(s, n, d, err)
               : rc;
}

/* Masters that play the same agree at any step: the step must not matter
 * either. */
static int is_settled(const struct search *s, uint32_t before)
{
    return before != TT_NONE && s->reference[0] != before &&
           search_distance(s, &s->t->tried[before],
                           &s->t->tried[s->reference[0]]) <= s->o->tolerance;
}

static enum tt_code find_reference(struct search *s, tt_err *err)
{
    char d_text[TT_NUM_MAX], h_text[TT_NUM_MAX];
    double d = (double)NAN;
    uint32_t used = 0, before = TT_NONE;
    enum tt_code rc = TT_OK;

    while (s->level < LENGTH(fine) && rc == TT_OK && !s->starved) {
        uint32_t n = next_level(s);
        double now;

        rc = run_pair(s, n, &now, err);
        while (rc == TT_OK && isnan(now) && !s->starved &&
               next_way(s, NULL) != TT_NONE && used++ < s->t->n_way &&
               s->reference[0] == TT_NONE)
            rc = run_pair(s, n, &now, err);
        d = isnan(now) ? d : now;
        if (d <= AGREED * s->o->tolerance && is_settled(s, before))
            break;
        before = s->reference[0];
    }
    if (s->reference[0] == TT_NONE)
        return rc;
    s->trusts_radius = !(s->t->tried[s->reference[0]].rho > 1);
    num(h_text, s->t->tried[s->reference[0]].step);
    if (s->reference[1] == TT_NONE)
        search_note(s,
                    "Only %s could be run at small steps: the reference at "
                    "%s s is not checked by another master.",
                    s->way[s->t->tried[s->reference[0]].way].name, h_text);
    else
        search_note(s,
                    d <= s->o->tolerance
                        ? "At %s s %s and %s agree within %s of each output's "
                          "range: the first is the reference."
                        : "At %s s %s and %s still differ by %s of an output's "
                          "range: what is right is not known better than that.",
                    h_text, s->way[s->t->tried[s->reference[0]].way].name,
                    s->way[s->t->tried[s->reference[1]].way].name,
                    num(d_text, d));
    return rc;
}

/* --- rounds --------------------------------------------------------------- */

static const char *column_name(const struct search *s, uint32_t column)
{
    return tt_run_plan(s->like)->column[s->column[column]].name;
}

static void judge(struct search *s, struct tt_tune_try *t)
{
    char e[TT_NUM_MAX], tol[TT_NUM_MAX];
    const char *name;

    if (t->state != TT_TUNE_DONE)
        return;
    t->error = search_distance(s, t, &s->t->tried[s->reference[0]]);
    name = column_name(s, search_farthest(s, t));
    if (!isfinite(t->error))
        (void)snprintf(t->why, TT_TUNE_WORDS, "%.200s is not finite", name);
    else if (t->error > s->o->tolerance && !t->why[0])
        (void)snprintf(t->why, TT_TUNE_WORDS,
                       "error %s of %.200s is more than the tolerance %s",
                       num(e, t->error), name, num(tol, s->o->tolerance));
}

static int is_good(const struct search *s, const struct tt_tune_try *t)
{
    return t->role == TT_TUNE_CANDIDATE && t->state == TT_TUNE_DONE &&
           t->error <= s->o->tolerance && !t->why[0];
}

static int is_better(const struct tt_tune_try *a, const struct tt_tune_try *b)
{
    return a->cost < b->cost || (a->cost <= b->cost && a->error < b->error);
}

/* The cheapest good one; else the one with the least error. */
static void find_best(struct search *s)
{
    struct tt_tune *t = s->t;

    t->best = TT_NONE;
    t->within = 0;
    for (uint32_t i = 0; i < t->n_tried; i++) {
        const struct tt_tune_try *x = &t->tried[i];

        if (is_good(s, x) && (!t->within || is_better(x, &t->tried[t->best]))) {
            t->best = i;
            t->within = 1;
        }
    }
    for (uint32_t i = 0; i < t->n_tried && !t->within; i++) {
        const struct tt_tune_try *x = &t->tried[i];

        if (x->role == TT_TUNE_CANDIDATE && x->state == TT_TUNE_DONE &&
            isfinite(x->error) &&
            (t->best == TT_NONE || x->error < t->tried[t->best].error))
            t->best = i;
    }
}

void search_judge(struct search *s, uint32_t first)
{
    for (uint32_t i = first; i < s->t->n_tried; i++)
        judge(s, &s->t->tried[i]);
    find_best(s);
}

int search_has_room(const struct search *s, uint32_t beside)
{
    return s->t->n_run + beside + RESERVE < s->o->runs;
}

void search_report(const struct search *s, uint32_t runs)
{
    const struct tt_tune *t = s->t;
    char h[TT_NUM_MAX], e[TT_NUM_MAX];
    struct tt_buf b;

    if (!s->o->progress_cb)
        return;
    tt_buf_init(&b, TT_TUNE_WORDS);
    tt_buf_fmt(&b, "%u", runs);
    if (s->o->runs != UINT32_MAX)
        tt_buf_fmt(&b, " of %u", s->o->runs);
    tt_buf_str(&b, " runs");
    if (t->best != TT_NONE)
        tt_buf_fmt(&b, "; best so far: %s, step %s s, error %s",
                   s->way[t->tried[t->best].way].name,
                   num(h, t->tried[t->best].step),
                   num(e, t->tried[t->best].error));
    if (!b.failed)
        s->o->progress_cb(s->o->ctx, b.data);
    tt_buf_fini(&b);
}

/* Would it cost more than the best? */
static int is_dear(const struct search *s, uint32_t way, uint32_t n)
{
    const struct tt_tune *t = s->t;

    return t->within && isfinite(s->per_step[way]) &&
           s->per_step[way] * n > 1.001 * t->tried[t->best].cost;
}

/* The last candidate of a way that has results; before: so many behind it. */
static const struct tt_tune_try *last_of(const struct search *s, uint32_t way,
                                         uint32_t before)
{
    for (uint32_t i = s->t->n_tried; i-- > 0;) {
        const struct tt_tune_try *t = &s->t->tried[i];

        if (t->way == way && t->role == TT_TUNE_CANDIDATE &&
            t->state == TT_TUNE_DONE && isfinite(t->error) && !before--)
            return t;
    }
    return NULL;
}

/* What it would cost to meet the tolerance, by the order that two steps show,
 * or by order 1 if that is less: errors of large steps fall by leaps. NaN: not
 * known. Results that are off by more than their range show none: a
 * smaller step may well be stable. */
static double promise(const struct search *s, uint32_t way)
{
    const struct tt_tune_try *a = last_of(s, way, 1), *b = last_of(s, way, 0);
    double order;

    if (!a || !b || !(b->error > 0) || b->error > 1)
        return (double)NAN;
    order = log(a->error / b->error) / log(a->step / b->step);
    order = fmin(fmax(order, 1), 4);
    return b->cost * pow(fmax(b->error / s->o->tolerance, 1), 1 / order);
}

/* The way before it that gave the same results, at the same cost, at the last
 * two steps; TT_NONE: none did. */
static uint32_t twin_of(const struct search *s, uint32_t way)
{
    size_t size = (size_t)s->n_column * INSTANTS * sizeof(double);

    for (uint32_t i = 0; i < way; i++) {
        uint32_t same = 0;

        for (; same < 2; same++) {
            const struct tt_tune_try *a = last_of(s, way, same),
                                     *b = last_of(s, i, same);

            if (!a || !b || a->step < b->step || a->step > b->step ||
                a->cost < b->cost || memcmp(a->curve, b->curve, size) != 0)
                break;
        }
        if (same == 2)
            return i;
    }
    return TT_NONE;
}

/* Did its last runs all fail? */
static int fails(const struct search *s, uint32_t way)
{
    uint32_t n = 0;

    for (uint32_t i = s->t->n_tried; i-- > 0 && n < HOPELESS;) {
        const struct tt_tune_try *t = &s->t->tried[i];

        if (t->way != way || t->role != TT_TUNE_CANDIDATE)
            continue;
        if (t->state != TT_TUNE_FAILED && t->state != TT_TUNE_CRASHED)
            return 0;
        n++;
    }
    return n == HOPELESS;
}

/* Ways that have nothing of their own to give. */
static void drop_idle(struct search *s)
{
    for (uint32_t i = 0; i < s->t->n_way; i++) {
        uint32_t twin = s->out[i] ? TT_NONE : twin_of(s, i);

        if (twin != TT_NONE)
            search_note(s,
                        "%s is not run at smaller steps: it gives the same "
                        "results as %s, at the same cost.",
                        s->way[i].name, s->way[twin].name);
        else if (!s->out[i] && fails(s, i))
            search_note(s, "%s is not run at smaller steps: it failed at %u.",
                        s->way[i].name, HOPELESS);
        else
            continue;
        s->out[i] = 1;
    }
}

/* Ways that promise to be dear are not run at smaller steps. */
static void drop(struct search *s)
{
    double least = (double)INFINITY;
    char text[TT_NUM_MAX];

    drop_idle(s);
    for (uint32_t i = 0; i < s->t->n_way; i++)
        least = s->out[i] ? least : fmin(least, promise(s, i));
    for (uint32_t i = 0; i < s->t->n_way; i++) {
        double cost = promise(s, i);

        if (s->out[i] || !(cost > DEAR * least))
            continue;
        s->out[i] = 1;
        search_note(s,
                    "%s is not run at smaller steps: by its order it would "
                    "cost %s times as much as the most promising way.",
                    s->way[i].name, num(text, cost / least));
    }
}

static enum tt_code play_round(struct search *s, uint32_t n, tt_err *err)
{
    uint32_t first = s->t->n_tried;
    enum tt_code rc;

    for (uint32_t i = 0; i < s->t->n_way && !s->closed; i++) {
        if (s->out[i] || is_dear(s, i, n))
            continue;
        if (!search_has_room(s, s->t->n_tried - first))
            s->closed = 1;
        else if (search_add(s, i, n, TT_TUNE_CANDIDATE) == TT_NONE)
            return search_no_memory(err);
    }
    rc = search_run(s, first, err);
    search_judge(s, first);
    for (uint32_t i = first; i < s->t->n_tried; i++)
        if (is_good(s, &s->t->tried[i]))
            s->out[s->t->tried[i].way] = 1;
    drop(s);
    if (!s->o->each_run && s->t->best != TT_NONE)
        search_report(s, s->t->n_run);
    return rc;
}

static void admit(struct search *s)
{
    memset(s->out, 0, sizeof(s->out));
    for (uint32_t i = 0; i < s->t->n_tried; i++)
        if (s->t->tried[i].state == TT_TUNE_CUT)
            s->out[s->t->tried[i].way] = 1;
}

/* A finer reference allows for finer candidates. */
static enum tt_code refine(struct search *s, tt_err *err)
{
    int out[TT_WAYS_MOST];
    double ignored;
    enum tt_code rc;

    memcpy(out, s->out, sizeof(out));
    admit(s);
    rc = run_pair(s, next_level(s), &ignored, err);
    memcpy(s->out, out, sizeof(out));
    return rc;
}

static enum tt_code play_rounds(struct search *s, tt_err *err)
{
    enum tt_code rc = TT_OK;

    admit(s);
    while (rc == TT_OK && !s->starved && !s->closed) {
        uint32_t n = search_steps(s, s->round);

        if (!n)
            break;
        if ((s->end - s->start) / n >
            1.01 * s->t->tried[s->reference[0]].step) {
            s->round++;
            rc = play_round(s, n, err);
        } else if (s->t->within || s->level == LENGTH(fine))
            break;
        else
            rc = refine(s, err);
    }
    if (s->round == 0 && !s->t->within)
        search_note(s, "No step that was thought of is one of which what is "
                       "known allows.");
    return rc;
}

/* --- confirmation --------------------------------------------------------- */

static enum tt_code confirm_once(struct search *s, int *again, tt_err *err)
{
    struct tt_tune *t = s->t;
    uint32_t best = t->best, first = t->n_tried;
    double half, other = (double)NAN;
    char a[TT_NUM_MAX], b[TT_NUM_MAX];
    uint32_t n = (uint32_t)llround((s->end - s->start) / t->tried[best].step);
    enum tt_code rc = TT_OK;

    if (search_add(s, t->tried[best].way, 2 * n, TT_TUNE_CONFIRMS) == TT_NONE)
        return search_no_memory(err);
    rc = search_run(s, first, err);
    if (rc != TT_OK || t->n_tried == first)
        return rc;
    half = search_distance(s, &t->tried[best], &t->tried[first]);
    for (int i = 0; i < 2; i++)
        if (s->reference[i] != TT_NONE &&
            strcmp(s->way[t->tried[s->reference[i]].way].master,
                   s->way[t->tried[best].way].master) != 0)
            other =
                search_distance(s, &t->tried[best], &t->tried[s->reference[i]]);
    t->confirmed = half <= s->o->tolerance &&
                   (isnan(other) || other <= 1.5 * s->o->tolerance);
    if (t->confirmed) {
        search_note(s,
                    "%s at %s s is confirmed: half the step changes results "
                    "by %s of their range%s%s.",
                    s->way[t->tried[best].way].name,
                    num(a, t->tried[best].step), num(b, half),
                    isnan(other) ? "" : ", another master is as far as ",
                    isnan(other) ? "" : num((char[TT_NUM_MAX]){0}, other));
        return rc;
    }
    (void)snprintf(t->tried[best].why, TT_TUNE_WORDS,
                   "not confirmed: half the step changes results by %s, "
                   "another master by %s",
                   num(a, half), num(b, other));
    *again = 1;
    find_best(s);
    return rc;
}

static enum tt_code confirm(struct search *s, tt_err *err)
{
    enum tt_code rc = TT_OK;
    int again = 1;

    while (again && rc == TT_OK && s->t->within && !s->starved) {
        again = 0;
        rc = confirm_once(s, &again, err);
    }
    return rc;
}

/* --- what came of it ------------------------------------------------------ */

/* The last step at which a way was not run, since it is unstable there; NULL:
 * none. */
static const struct tt_tune_try *unstable_of(const struct tt_tune *t,
                                             uint32_t way)
{
    for (uint32_t i = t->n_tried; i-- > 0;)
        if (t->tried[i].way == way && t->tried[i].state == TT_TUNE_UNSTABLE)
            return &t->tried[i];
    return NULL;
}

/* Why it is not the best one, by the last step at which it was tried. */
static void explain_way(struct search *s, uint32_t way)
{
    const struct tt_tune *t = s->t;
    const struct tt_tune_try *last = NULL, *grows = unstable_of(t, way);
    char h[TT_NUM_MAX], e[TT_NUM_MAX], at[TT_NUM_MAX];

    for (uint32_t k = 0; k < t->n_tried; k++)
        if (t->tried[k].way == way && t->tried[k].role == TT_TUNE_CANDIDATE)
            last = &t->tried[k];
    if (!last || last == &t->tried[t->best])
        return;
    if (last->why[0] && isnan(last->step))
        search_note(s, "%s is out before any run: %s.", s->way[way].name,
                    last->why);
    else if (last->why[0] && grows && grows != last)
        search_note(s, "%s is out; at %s s: %s; at %s s: %s.", s->way[way].name,
                    num(h, last->step), last->why, num(at, grows->step),
                    grows->why);
    else if (last->why[0])
        search_note(s, "%s is out; at %s s: %s.", s->way[way].name,
                    num(h, last->step), last->why);
    else
        search_note(s, "%s is good, too, at %s s, at %s times the cost.",
                    s->way[way].name, num(h, last->step),
                    num(e, last->cost / t->tried[t->best].cost));
}

static void explain(struct search *s)
{
    const struct tt_tune *t = s->t;
    char h[TT_NUM_MAX], e[TT_NUM_MAX];

    if (s->starved || s->closed)
        search_note(s, "The budget ended the search after %u runs.", t->n_run);
    if (t->best == TT_NONE) {
        search_note(s, "No variant was run to its end.");
        return;
    }
    search_note(s, "%s at %s s is chosen: error %s of each output's range%s.",
                s->way[t->tried[t->best].way].name,
                num(h, t->tried[t->best].step), num(e, t->tried[t->best].error),
                t->within ? ", and no cheaper variant that was tried is within "
                            "the tolerance"
                : t->tried[t->best].error <= s->o->tolerance
                    ? ", but it violates what is known of the system"
                    : ", the least of all, but not within the tolerance");
    for (uint32_t i = 0; i < t->n_way; i++)
        explain_way(s, i);
    if (t->within && !t->confirmed)
        search_note(s, "The choice is not confirmed: %s.",
                    s->starved ? "no run was left for that"
                               : "the search was stopped");
}

/* Locations of FMUs, from wherever the file will be. Those that the scenario
 * made itself are not in the file. */
static void put_fmus(struct tt_buf *b, const struct search *s,
                     const struct tt_doc *fmus)
{
    const char *comma = "";

    tt_buf_str(b, "{");
    for (uint32_t i = 0; i < s->scenario->n_fmu; i++) {
        const struct tt_sc_fmu *f = &s->scenario->fmu[i];
        int file = f->path && f->path[0] == '/' && tt_file_exists(f->path);

        if (!tt_doc_find(fmus, f->key))
            continue;
        tt_buf_fmt(b, "%s\n    ", comma);
        tt_buf_json(b, f->key);
        tt_json_text(b, ": ", file ? f->path : f->uri);
        comma = ",";
    }
    tt_buf_str(b, "\n  }");
}

static int is_ours(const char *key)
{
    return !strcmp(key, "best") || !strcmp(key, "tried") ||
           !strcmp(key, "reasons");
}

static enum tt_code put_scenario(struct tt_buf *b, const struct search *s,
                                 const struct tt_doc *root)
{
    tt_buf_str(b, "{");
    for (uint32_t i = 0; i < root->n; i++) {
        const struct tt_doc *v = &root->u.child[i];

        if (v->kind == TT_DOC_NULL || is_ours(v->key))
            continue;
        tt_buf_str(b, b->len > 1 ? ",\n  " : "\n  ");
        tt_buf_json(b, v->key);
        tt_buf_str(b, ": ");
        if (!strcmp(v->key, "fmus") && v->kind == TT_DOC_OBJECT)
            put_fmus(b, s, v);
        else
            tt_doc_print(b, v);
    }
    tt_buf_str(b, ",\n  ");
    tt_tune_members(b, s->t, s->o->tolerance, UINT32_MAX);
    tt_buf_str(b, "\n}\n");
    return TT_OK;
}

/* One more text, laid over what is there. */
static enum tt_code lay(struct tt_doc *root, const char *name, const char *text,
                        size_t n, int first, tt_arena *arena, tt_err *err)
{
    const struct tt_text_file f = {name, text, n};
    struct tt_doc doc;
    enum tt_code rc =
        tt_doc_parse(first ? root : &doc, &f, 0, arena, arena, err);

    return rc == TT_OK && !first ? tt_doc_merge(root, &doc, arena, err) : rc;
}

/* Hints may be a text. */
static enum tt_code lay_file(struct tt_doc *root, const char *path,
                             const struct tt_buf *text, int first,
                             tt_arena *arena, tt_err *err)
{
    struct tt_buf json;
    enum tt_code rc;

    if (!tt_hint_is_text(text->data, text->len))
        return lay(root, path, text->data, text->len, first, arena, err);
    tt_buf_init(&json, TT_DOC_MAX);
    rc = tt_hint_text(&json, path, text->data, text->len, err);
    if (rc == TT_OK)
        rc = lay(root, path, json.data, json.len, first, arena, err);
    tt_buf_fini(&json);
    return rc;
}

static void put_value(struct tt_buf *b, const struct tt_sc_value *v)
{
    if (v->kind == TT_SC_BOOL)
        tt_buf_str(b, v->integer ? "true" : "false");
    else if (v->kind == TT_SC_INTEGER || v->kind == TT_SC_NUMBER)
        tt_show_json_num(b, v->number);
    else if (v->kind == TT_SC_ARRAY)
        tt_buf_str(b, v->text ? v->text : "[]");
    else
        tt_buf_json(b, v->text);
}

/* What --set stated: the last parameters there are. */
static void put_settings(struct tt_buf *b, const struct search *s)
{
    const tt_scenario *sc = tt_run_plan(s->like)->scenario;
    uint32_t n = s->o->source.o.n_set, first = sc->n_parameter - n;

    tt_buf_str(b, "{\"parameters\": {");
    for (uint32_t i = first; n <= sc->n_parameter && i < sc->n_parameter; i++) {
        struct tt_buf name;

        tt_buf_init(&name, TT_DOC_MAX);
        tt_buf_fmt(&name, "%s.%s", sc->unit[sc->parameter[i].ref.unit].name,
                   sc->parameter[i].ref.variable);
        tt_buf_str(b, i > first ? ", " : "");
        tt_buf_json(b, name.data);
        tt_buf_str(b, ": ");
        put_value(b, &sc->parameter[i].value);
        tt_buf_fini(&name);
    }
    tt_buf_str(b, "}}");
}

static enum tt_code write_scenario(struct search *s, tt_err *err)
{
    const struct tt_tune_try *best = &s->t->tried[s->t->best];
    struct tt_doc root;
    struct tt_buf b;
    enum tt_code rc = TT_OK;

    tt_buf_init(&b, TT_DOC_MAX);
    for (size_t i = 0; i < s->o->source.n_path && rc == TT_OK; i++) {
        tt_buf_clear(&b);
        rc = tt_file_read(&b, s->o->source.path[i], err);
        if (rc == TT_OK)
            rc = lay_file(&root, s->o->source.path[i], &b, i == 0, s->t->arena,
                          err);
    }
    if (rc == TT_OK && s->o->source.o.n_set) {
        tt_buf_clear(&b);
        put_settings(&b, s);
        rc = lay(&root, "settings", b.data, b.len, 0, s->t->arena, err);
    }
    tt_buf_clear(&b);
    tt_way_put(&b, &s->way[best->way], best->step);
    if (rc == TT_OK)
        rc = lay(&root, "variant", b.data, b.len, 0, s->t->arena, err);
    tt_buf_clear(&b);
    if (rc == TT_OK)
        rc = put_scenario(&b, s, &root);
    if (rc == TT_OK)
        rc = tt_buf_check(&b, "the scenario", err);
    if (rc == TT_OK)
        s->t->scenario = tt_buf_take(&b);
    tt_buf_fini(&b);
    return rc;
}

static enum tt_code seek(struct search *s, tt_err *err)
{
    enum tt_code rc = tt_deal_agree(s->o->link, look(s, err), err), stopped;
    tt_err later = {0};

    if (rc == TT_OK && s->o->list)
        return search_list_variants(s, err);
    if (rc == TT_OK)
        rc = cut_ways(s, err);
    if (rc == TT_OK)
        rc = find_reference(s, err);
    search_weigh_facts(s);
    if (rc == TT_OK && s->reference[0] != TT_NONE)
        rc = play_rounds(s, err);
    if (rc == TT_OK && !s->starved)
        rc = search_improve(s, err);
    if (rc == TT_OK)
        rc = confirm(s, err);
    if (rc != TT_OK && rc != TT_ESTOPPED)
        return rc;
    if (s->reference[0] != TT_NONE)
        find_best(s);
    explain(s);
    if (s->t->best == TT_NONE)
        return rc;
    stopped = rc;
    rc = write_scenario(s, &later);
    if (rc == TT_OK)
        return stopped;
    *err = later;
    return rc;
}

enum tt_code tt_tune_run(struct tt_tune *out, const struct tt_tune_opts *o,
                         tt_err *err)
{
    struct tt_tune t = {.best = TT_NONE, .arena = tt_arena_new()};
    struct search s = {.o = o,
                       .t = &t,
                       .reference = {TT_NONE, TT_NONE},
                       .pair = {TT_NONE, TT_NONE},
                       .begun = tt_clock_ns()};
    enum tt_code rc = t.arena ? seek(&s, err) : search_no_memory(err);

    tt_run_free(s.like);
    tt_scenario_free(s.scenario);
    TT_FREE_ALL(s.column, s.discrete, s.low, s.range, s.begin.state.data);
    if (rc == TT_OK || rc == TT_ESTOPPED)
        *out = t;
    else
        tt_tune_fini(&t);
    return rc;
}

void tt_tune_fini(struct tt_tune *t)
{
    for (uint32_t i = 0; i < t->n_tried; i++)
        tt_free(t->tried[i].curve);
    TT_FREE_ALL(t->tried, t->reason, t->scenario);
    tt_arena_free(t->arena);
    tt_brief_fini(&t->brief);
    *t = (struct tt_tune){0};
}
