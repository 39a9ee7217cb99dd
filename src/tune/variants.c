/* SPDX-License-Identifier: MIT */
/* The variants that hints lead to, by the rules of Gomes, Property Preservation
 * in Co-simulation (2019), 8.5.5, in the order in which 8.5.2 visits them. What
 * a hint is about is the same in all (known.h); step, rates of the other
 * instances and what their inputs are given are left to choose. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "base/show.h"
#include "tune/space.h"
#include "tune/tune_impl.h"

/* Documented in docs/concepts/tuning.md. */
static const double of_step[] = {0.7, 0.3}, of_rate[] = {0.6, 0.4},
                    of_course[] = {0.55, 0.45};
static const double of_any_step[] = {0.4, 0.3, 0.2, 0.1};
static const uint32_t rates[] = {100, 10};

enum what { STEP, RATE, COURSE };

struct choices {
    uint32_t n;
    struct tt_space_level level[TT_SPACE_LEVELS];
    enum what what[TT_SPACE_LEVELS];
    uint32_t unit[TT_SPACE_LEVELS];
    double step[4];
};

static void add_level(struct choices *c, enum what what, uint32_t unit,
                      uint32_t n, const double *weight)
{
    c->level[c->n] = (struct tt_space_level){n, weight};
    c->what[c->n] = what;
    c->unit[c->n++] = unit;
}

/* Rules 2 and 5: one step where several rates state it, orders of magnitude
 * otherwise. */
static void add_steps(const struct search *s, struct choices *c)
{
    const struct tt_tune_known *k = &s->known;
    int several = 0;

    for (uint32_t i = 0; i < k->n_beat; i++)
        several |= k->beat[i].period < k->slowest;
    for (uint32_t i = 0; i < 4; i++)
        c->step[i] = k->n_beat ? k->slowest * (i || several ? 1 : 0.1)
                               : (s->end - s->start) * pow(10, (double)i - 5);
    add_level(c, STEP, 0,
              several     ? 1
              : k->n_beat ? 2
                          : 4,
              k->n_beat ? of_step : of_any_step);
}

/* May it choose what an input is given? */
static int is_fed(const struct search *s, uint32_t unit)
{
    const tt_plan *p = tt_run_plan(s->like);

    for (uint32_t i = 0; i < p->n_feed; i++)
        if (p->slot[p->feed[i].to].unit == unit &&
            !s->known.stated[p->feed[i].to])
            return 1;
    return 0;
}

/* Rule 4: instances that no hint is about. */
static void add_others(const struct search *s, struct choices *c)
{
    const tt_plan *p = tt_run_plan(s->like);

    for (uint32_t u = 0; u < p->n_unit && c->n + 2 <= TT_SPACE_LEVELS; u++) {
        if (s->known.touched[u])
            continue;
        add_level(c, RATE, u, 2, of_rate);
        if (is_fed(s, u))
            add_level(c, COURSE, u, 2, of_course);
    }
}

static void put_rates(struct tt_buf *b, const struct search *s,
                      const struct choices *c, const uint32_t *choice,
                      double step)
{
    const tt_plan *p = tt_run_plan(s->like);
    const char *before = "{";

    for (uint32_t i = 0; i < c->n; i++) {
        if (c->what[i] != RATE)
            continue;
        tt_json_text(b, before, p->unit[c->unit[i]].name);
        tt_buf_fmt(b, ": %u", rates[choice[i]]);
        before = ", ";
    }
    for (uint32_t i = 0; i < s->known.n_beat; i++) {
        tt_json_text(b, before, s->known.beat[i].name);
        tt_buf_fmt(b, ": %u", tt_known_rate(&s->known.beat[i], step));
        before = ", ";
    }
    tt_buf_str(b, *before == '{' ? "{}" : "}");
}

/* Of the inputs of instances that are left to choose, and of the others. */
static void put_reactivity(struct tt_buf *b, const struct search *s,
                           const struct choices *c, const uint32_t *choice)
{
    static const char *const word[] = {"reactive", "delayed"};
    const tt_plan *p = tt_run_plan(s->like);
    const char *known = s->known.reactivity, *before = known ? ", " : "";
    char name[512];

    tt_buf_str(b, known ? known : "{}");
    b->len -= b->failed ? 0 : 1;
    for (uint32_t i = 0; i < c->n; i++)
        for (uint32_t k = 0; k < p->n_feed && c->what[i] == COURSE; k++) {
            uint32_t to = p->feed[k].to;

            if (p->slot[to].unit != c->unit[i] || s->known.stated[to])
                continue;
            tt_json_text(b, before,
                         tt_plan_slot_name(p, to, name, sizeof(name)));
            tt_buf_fmt(b, ": \"%s\"", word[choice[i]]);
            before = ", ";
        }
    tt_buf_char(b, '}');
}

static void put_settings(struct tt_buf *b, const struct search *s,
                         const struct choices *c, const uint32_t *choice,
                         double step)
{
    const struct tt_tune_known *k = &s->known;

    tt_json_num(b,
                "{\"algorithm\": {\"type\": \"fixed-step\", \"size\": ", step);
    tt_buf_str(b, "}, \"master\": \"gauss-seidel\", \"approximation\": "
                  "{\"default\": \"linear\"");
    tt_buf_str(b, k->approximation ? k->approximation : "");
    tt_buf_str(b, k->held ? k->held : "");
    tt_buf_str(b, "}, \"rates\": ");
    put_rates(b, s, c, choice, step);
    tt_buf_str(b, ", \"reactivity\": ");
    put_reactivity(b, s, c, choice);
    if (k->bonds)
        tt_buf_fmt(b, ", \"powerBonds\": %s", k->bonds);
    tt_buf_char(b, '}');
}

static void put_words(struct tt_buf *b, const struct search *s,
                      const struct choices *c, const uint32_t *choice,
                      double step)
{
    static const char *const word[] = {"interpolated", "extrapolated"};
    const tt_plan *p = tt_run_plan(s->like);
    char text[TT_NUM_MAX];

    tt_num_print_digits(text, step, 6);
    tt_buf_fmt(b, "step %s s", text);
    for (uint32_t i = 0; i < c->n; i++)
        if (c->what[i] == RATE)
            tt_buf_fmt(b, ", %s at rate %u", p->unit[c->unit[i]].name,
                       rates[choice[i]]);
        else if (c->what[i] == COURSE)
            tt_buf_fmt(b, " %s", word[choice[i]]);
}

enum tt_code search_list_variants(struct search *s, tt_err *err)
{
    struct choices c = {.n = 0};
    uint32_t *visit, n;
    struct tt_buf words, settings;
    struct tt_tune *t = s->t;

    add_steps(s, &c);
    add_others(s, &c);
    n = tt_space_size(c.level, c.n);
    t->variant = tt_arena_alloc(t->arena, n, sizeof(*t->variant));
    if (!t->variant || !TT_NEW_ARRAY(visit, (size_t)n * c.n))
        return search_no_memory(err);
    tt_space_visit(c.level, c.n, visit);
    tt_buf_init(&words, TT_SHOW_MAX);
    tt_buf_init(&settings, TT_SHOW_MAX);
    for (uint32_t i = 0; i < n; i++) {
        const uint32_t *choice = visit + (size_t)i * c.n;
        double step = c.step[choice[0]];

        tt_buf_clear(&words);
        tt_buf_clear(&settings);
        put_words(&words, s, &c, choice, step);
        put_settings(&settings, s, &c, choice, step);
        if (words.failed || settings.failed)
            break;
        t->variant[i].words = tt_arena_strdup(t->arena, words.data);
        t->variant[i].settings = tt_arena_strdup(t->arena, settings.data);
        if (!t->variant[i].words || !t->variant[i].settings)
            break;
        t->n_variant++;
    }
    TT_FREE_ALL(visit);
    tt_buf_fini(&words);
    tt_buf_fini(&settings);
    return t->n_variant == n ? TT_OK : search_no_memory(err);
}
