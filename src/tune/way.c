/* SPDX-License-Identifier: MIT */
#include "tune/way.h"

#include <math.h>
#include <string.h>

#include "base/show.h"
#include "tune/space.h"

struct approach {
    const char *master, *iterate, *acceleration;
    int backwards; /* instances in the opposite order */
    const char *name;
    double weight;
};

/* Documented in docs/concepts/tuning.md. */
static const struct approach approach[] = {
    {"gauss-seidel", NULL, NULL, 0, "Gauss-Seidel", 0.30},
    {"jacobi", NULL, NULL, 0, "Jacobi", 0.25},
    {"gauss-seidel", NULL, NULL, 1, "Gauss-Seidel, opposite order", 0.20},
    {"gauss-seidel", "2", NULL, 0, "Gauss-Seidel twice", 0.15},
    {"gauss-seidel", "\"converged\"", "newton", 0, "converged by Newton", 0.10},
};
#define APPROACHES (sizeof(approach) / sizeof(*approach))

static const char *const course[] = {"linear", "hold"};
#define COURSES (sizeof(course) / sizeof(*course))

/* All instances, the last one first. */
static const char *opposite(const tt_plan *p, tt_arena *arena)
{
    struct tt_buf b;
    const char *text;

    tt_buf_init(&b, (size_t)1 << 20);
    tt_buf_char(&b, '[');
    for (uint32_t u = p->n_unit; u-- > 0;) {
        tt_buf_str(&b, b.len > 1 ? ", " : "");
        tt_buf_json(&b, p->unit[u].name);
    }
    tt_buf_char(&b, ']');
    text = b.failed ? NULL : tt_arena_strdup(arena, b.data);
    tt_buf_fini(&b);
    return text;
}

static const char *in_words(const struct approach *a, const char *approximation,
                            tt_arena *arena)
{
    struct tt_buf b;
    const char *text;

    tt_buf_init(&b, 256);
    tt_buf_fmt(&b, "%s, %s", a->name, approximation);
    text = b.failed ? NULL : tt_arena_strdup(arena, b.data);
    tt_buf_fini(&b);
    return text;
}

uint32_t tt_ways_list(struct tt_tune_way *out, const tt_plan *p,
                      tt_arena *arena)
{
    static const double of_course[COURSES] = {0.5, 0.4};
    double of_approach[APPROACHES];
    const struct tt_space_level level[] = {{APPROACHES, of_approach},
                                           {COURSES, of_course}};
    uint32_t visit[2 * APPROACHES * COURSES], n = 0;
    const char *order = p->n_unit > 1 ? opposite(p, arena) : NULL;

    for (uint32_t i = 0; i < APPROACHES; i++)
        of_approach[i] = approach[i].weight;
    tt_space_visit(level, 2, visit);
    for (uint32_t i = 0; i < tt_space_size(level, 2); i++) {
        const struct approach *a = &approach[visit[(size_t)2 * i]];
        struct tt_tune_way *w = &out[n];

        if (a->backwards && !order)
            continue;
        *w = (struct tt_tune_way){.master = a->master,
                                  .approximation =
                                      course[visit[(size_t)2 * i + 1]],
                                  .iterate = a->iterate,
                                  .acceleration = a->acceleration,
                                  .order = a->backwards ? order : NULL};
        w->name = in_words(a, w->approximation, arena);
        if (!w->name)
            return 0;
        n++;
    }
    return n;
}

static void put_word(struct tt_buf *b, const char *name, const char *word)
{
    tt_buf_fmt(b, ", \"%s\": ", name);
    tt_buf_json(b, word);
}

static void put_fixed(struct tt_buf *b, double step)
{
    tt_json_num(b, "{\"type\": \"fixed-step\", \"size\": ", step);
    tt_buf_str(b, ", \"initsize\": null, \"constraints\": null}");
}

/* Steps also end where results are compared, if that is in whole nanoseconds.
 */
static void put_variable(struct tt_buf *b, const struct tt_tune_way *w,
                         double step)
{
    double every = w->widest * 1e9, start = w->start * 1e9;

    tt_json_num(b, "{\"type\": \"var-step\", \"size\": [", step / 1e5);
    tt_json_num(b, ", ", step);
    tt_json_num(b, "], \"initsize\": ", step / 100);
    tt_json_num(b,
                ", \"constraints\": {\"accuracy\": {\"type\": \"error\", "
                "\"method\": \"milne\", \"abstol\": ",
                w->tolerance * step / w->widest);
    tt_json_num(b, ", \"reltol\": ", w->tolerance * step / w->widest);
    tt_buf_char(b, '}');
    if (fabs(every - rint(every)) < 1e-3 && fabs(start - rint(start)) < 1e-3 &&
        every < 1e15 && fabs(start) < 1e15)
        tt_buf_fmt(b,
                   ", \"instants\": {\"type\": \"samplingrate\", "
                   "\"base\": -9, \"rate\": %lld, \"startTime\": %lld}",
                   llrint(every), llrint(start));
    tt_buf_str(b, "}}");
}

/* Of the instance that has its own, and of software. */
static void put_rates(struct tt_buf *b, const struct tt_tune_way *w,
                      double step)
{
    const char *before = "{";

    if (w->twice) {
        tt_json_text(b, before, w->twice);
        tt_buf_str(b, ": 2");
        before = ", ";
    }
    for (uint32_t i = 0; i < w->known->n_beat; i++) {
        uint32_t rate = tt_known_rate(&w->known->beat[i], step);

        if (rate == 1)
            continue;
        tt_json_text(b, before, w->known->beat[i].name);
        tt_buf_fmt(b, ": %u", rate);
        before = ", ";
    }
    tt_buf_str(b, *before == '{' ? "null" : "}");
}

static void put_known(struct tt_buf *b, const struct tt_tune_way *w)
{
    const struct tt_tune_known *k = w->known;

    if (k->approximation) {
        tt_json_text(b,
                     ", \"approximation\": {\"default\": ", w->approximation);
        tt_buf_fmt(b, "%s}", k->approximation);
    } else {
        put_word(b, "approximation", w->approximation);
    }
    if (k->reactivity)
        tt_buf_fmt(b, ", \"reactivity\": %s", k->reactivity);
    if (k->bonds)
        tt_buf_fmt(b, ", \"powerBonds\": %s", k->bonds);
}

void tt_way_put(struct tt_buf *b, const struct tt_tune_way *w, double step)
{
    tt_buf_str(b, "{\"algorithm\": ");
    if (w->tolerance > 0)
        put_variable(b, w, step);
    else
        put_fixed(b, step);
    tt_buf_str(b, ", \"score\": null, \"stabalizationEnabled\": null, "
                  "\"sequence\": null");
    put_word(b, "master", w->master);
    put_known(b, w);
    put_word(b, "acceleration", w->acceleration);
    tt_buf_str(b, ", \"rates\": ");
    put_rates(b, w, step);
    tt_buf_fmt(b, ", \"iterate\": %s, \"order\": %s}",
               w->iterate ? w->iterate : "null", w->order ? w->order : "null");
}
