/* SPDX-License-Identifier: MIT */
/* Unit kind block: what is put on a connection so that units of different
 * natures can live with each other. From u to y, with parameters:
 *
 *     tutti:quantize   multiples of a step, with hysteresis
 *     tutti:sample     the value at instants of its own, published later
 *     tutti:dead-time  the value as it was before
 *
 * The first two are constant between their leaps, so that nothing is
 * extrapolated behind them. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "base/num.h"
#include "kinds/builtin.h"
#include "kinds/kept.h"
#include "kinds/kinds.h"
#include "step/policy.h"

#define MOST_PORTS  8
#define MOST_POINTS 1024 /* of the past of a delay */

enum { U, Y, FIRST }; /* ports; parameters follow */
enum { STEP = FIRST, HYSTERESIS };
enum { PERIOD = FIRST, DELAY, JITTER, SEED, TICK, EVENT };
enum { TIME = FIRST };

struct point {
    double t, u;
};

struct state {
    double number[MOST_PORTS]; /* per port */
    double held;               /* quantize: y; sample: to be published */
    double next, publish;      /* sample */
    double start;
    uint64_t n;          /* samples taken, or points kept */
    struct point past[]; /* delay: MOST_POINTS; others do without */
};

struct block {
    const char *source, *model;
    struct tt_port port[MOST_PORTS];
    uint32_t n_port;
    struct tt_deps deps[MOST_PORTS];
    int has_events, has_max_step;
    size_t size; /* of a state */
    /* Is this value of the parameters right? Answers the one that is not. */
    uint32_t (*check)(const double *number);
    void (*begin)(struct state *s, double t);
    void (*pass)(struct state *s, double t); /* a step begins, or an event */
    double (*output)(const struct state *s, double t);
};

struct type {
    struct tt_builtin_type b;
    const struct block *block;
};

struct unit {
    struct tt_kept_unit k;
    const struct block *block;
    struct state *is; /* k.is */
    int event_mode;
};

static struct unit *unit_of(tt_unit *u)
{
    return (struct unit *)(void *)u;
}

/* --- quantize --------------------------------------------------------------
 */

static uint32_t quantize_check(const double *number)
{
    if (!(number[STEP] > 0))
        return STEP;
    return number[HYSTERESIS] >= 0 ? 0 : HYSTERESIS;
}

/* It leaves its value when it is nearer to another one by the hysteresis. */
static double quantize_output(const struct state *s, double t)
{
    double step = s->number[STEP], u = s->number[U];

    (void)t;
    if (fabs(u - s->held) <= step / 2 + s->number[HYSTERESIS])
        return s->held;
    return step * round(u / step);
}

static void quantize_begin(struct state *s, double t)
{
    (void)t;
    s->held = s->number[STEP] * round(s->number[U] / s->number[STEP]);
}

static void quantize_pass(struct state *s, double t)
{
    s->held = quantize_output(s, t);
}

/* --- sample ----------------------------------------------------------------
 */

static uint32_t sample_check(const double *number)
{
    if (!(number[PERIOD] > 0))
        return PERIOD;
    if (!(number[JITTER] >= 0 && number[JITTER] < number[PERIOD]))
        return JITTER;
    return number[DELAY] >= 0 &&
                   number[DELAY] + number[JITTER] <= number[PERIOD]
               ? 0
               : DELAY;
}

/* Uniform in [0, 1), of a counter: splitmix64 (Steele, Lea and Flood 2014). */
static double uniform(uint64_t seed, uint64_t n)
{
    uint64_t z = seed + (n + 1) * UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

static double instant(const struct state *s, uint64_t n)
{
    return s->start + (double)n * s->number[PERIOD] +
           s->number[JITTER] * uniform((uint64_t)s->number[SEED], n);
}

static int is_due(double at, double t)
{
    return at <= t + tt_policy_instant_tol(t, 0);
}

static void sample_pass(struct state *s, double t)
{
    if (is_due(s->publish, t)) {
        s->number[Y] = s->held;
        s->publish = (double)INFINITY;
    }
    if (!is_due(s->next, t))
        return;
    s->held = s->number[U];
    s->publish = s->next + s->number[DELAY];
    s->next = instant(s, ++s->n);
    if (!is_due(s->publish, t))
        return;
    s->number[Y] = s->held;
    s->publish = (double)INFINITY;
}

/* As an event y is there in the microstep in which it is published. */
static int is_published(const struct state *s, double t)
{
    return is_due(s->publish, t) ||
           (is_due(s->next, t) && is_due(s->next + s->number[DELAY], t));
}

static double published(const struct state *s, double t)
{
    if (!is_published(s, t))
        return s->number[Y];
    return is_due(s->publish, t) && !is_due(s->next, t) ? s->held
                                                        : s->number[U];
}

static void sample_begin(struct state *s, double t)
{
    s->start = t;
    s->n = 0;
    s->next = instant(s, 0);
    s->publish = (double)INFINITY;
    s->number[Y] = s->number[U]; /* until the first one is published */
}

static double sample_output(const struct state *s, double t)
{
    (void)t;
    return s->number[Y];
}

/* --- delay -----------------------------------------------------------------
 */

static uint32_t delay_check(const double *number)
{
    return number[TIME] > 0 ? 0 : TIME;
}

/* The oldest that is still needed is the last before what is asked for next.
 * Where there are too many, every other one of the older half is dropped. */
static void forget(struct state *s, double t)
{
    uint64_t drop = 0;

    while (drop + 1 < s->n && s->past[drop + 1].t <= t - s->number[TIME])
        drop++;
    if (!drop && s->n == MOST_POINTS) {
        for (size_t i = 1; i < MOST_POINTS / 4; i++)
            s->past[i] = s->past[2 * i];
        memmove(s->past + MOST_POINTS / 4, s->past + MOST_POINTS / 2,
                MOST_POINTS / 2 * sizeof(*s->past));
        s->n -= MOST_POINTS / 4;
        return;
    }
    s->n -= drop;
    memmove(s->past, s->past + drop, (size_t)s->n * sizeof(*s->past));
}

static void delay_pass(struct state *s, double t)
{
    if (s->n && s->past[s->n - 1].t >= t)
        s->n--;
    forget(s, t);
    s->past[s->n++] = (struct point){t, s->number[U]};
}

static void delay_begin(struct state *s, double t)
{
    s->n = 0;
    delay_pass(s, t);
}

/* Linear between what it was given; before the first and behind the last as
 * these. */
static double delay_output(const struct state *s, double t)
{
    double at = t - s->number[TIME];
    uint64_t i = s->n - 1;
    const struct point *a, *b;

    if (at >= s->past[i].t || s->n < 2)
        return s->past[i].u;
    while (i > 1 && s->past[i - 1].t > at)
        i--;
    a = &s->past[i - 1];
    b = &s->past[i];
    if (at <= a->t)
        return a->u;
    return a->u + (b->u - a->u) * ((at - a->t) / (b->t - a->t));
}

/* --- what there is ---------------------------------------------------------
 */

static const double zero = 0, one = 1;
static const uint32_t from_u[] = {U};

#define PORT(called, is, cause, varies, first, begins)                         \
    {                                                                          \
        .name = (called), .text = (is), .type = TT_F64, .causality = (cause),  \
        .variability = (varies), .initial = (first), .start = (begins),        \
        TT_PORT_SCALAR                                                         \
    }
#define INPUT                                                                  \
    PORT("u", "what comes in", TT_CAUS_INPUT, TT_VAR_CONTINUOUS, TT_INIT_NONE, \
         &zero)
#define OUTPUT(varies)                                                         \
    PORT("y", "what comes out", TT_CAUS_OUTPUT, varies, TT_INIT_CALCULATED,    \
         NULL)
#define PARAMETER(called, is, begins)                                          \
    PORT(called, is, TT_CAUS_PARAMETER, TT_VAR_FIXED, TT_INIT_EXACT, begins)
#define SAMPLED                                                                \
    {                                                                          \
        TT_PORT_SCALAR, .name = "y", .text = "what comes out", .type = TT_F64, \
                        .causality = TT_CAUS_OUTPUT,                           \
                        .variability = TT_VAR_DISCRETE,                        \
                        .initial = TT_INIT_CALCULATED, .event = EVENT + 1      \
    }
#define EVENT_PORT(called, is, type_is, of)                                    \
    {                                                                          \
        TT_PORT_SCALAR, .name = (called), .text = (is), .type = (type_is),     \
                        .causality = TT_CAUS_OUTPUT,                           \
                        .variability = TT_VAR_DISCRETE,                        \
                        .initial = (of) ? TT_INIT_CALCULATED : TT_INIT_NONE,   \
                        .hidden = !(of), .clock = (of)                         \
    }

static const struct block blocks[] = {
    {.source = "tutti:quantize",
     .model = "quantize",
     .port = {INPUT, OUTPUT(TT_VAR_DISCRETE),
              PARAMETER("step", "between two values", &one),
              PARAMETER("hysteresis", "beyond half a step", &zero)},
     .n_port = 4,
     .deps = {[Y] = {.known = 1, .n = 1, .port = from_u}},
     .size = sizeof(struct state),
     TT_HOOKS(quantize_, check, begin, pass, output)},
    {.source = "tutti:sample",
     .model = "sample",
     .port =
         {INPUT, SAMPLED, PARAMETER("period", "s, between two samples", &one),
          PARAMETER("delay", "s, until a sample is published", &zero),
          PARAMETER("jitter", "s: a sample is late by less", &zero),
          PARAMETER("seed", "of the jitter", &zero),
          EVENT_PORT("event (clock)", "ticks with each sample", TT_CLOCK, 0),
          EVENT_PORT("event", "each sample, as an event", TT_F64, TICK + 1)},
     .n_port = 8,
     .deps = {[Y] = {.known = 1},
              [TICK] = {.known = 1},
              [EVENT] = {.known = 1, .n = 1, .port = from_u}},
     .has_events = 1,
     .size = sizeof(struct state),
     TT_HOOKS(sample_, check, begin, pass, output)},
    {.source = "tutti:dead-time",
     .model = "dead-time",
     .port = {INPUT, OUTPUT(TT_VAR_CONTINUOUS),
              PARAMETER("time", "s, by which y follows u", &one)},
     .n_port = 3,
     .deps = {[Y] = {.known = 1}},
     .has_max_step = 1,
     .size = sizeof(struct state) + MOST_POINTS * sizeof(struct point),
     TT_HOOKS(delay_, check, begin, pass, output)},
};

static const struct block *find(const char *path)
{
    for (size_t i = 0; i < sizeof(blocks) / sizeof(*blocks); i++)
        if (strcmp(path, blocks[i].source) == 0)
            return &blocks[i];
    return NULL;
}

/* --- unit ------------------------------------------------------------------
 */

static enum tt_code get(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    const struct unit *u = unit_of(base);

    (void)err;
    for (size_t i = 0; i < s->n; i++) {
        double *to = (double *)s->value + i;

        if (base->desc->port[s->port[i]].type == TT_CLOCK)
            ((uint8_t *)s->value)[i] =
                u->event_mode && is_published(u->is, base->now);
        else if (s->port[i] == Y)
            *to = u->block->output(u->is, base->now);
        else if (base->desc->port[s->port[i]].clock)
            *to = published(u->is, base->now);
        else
            *to = u->is->number[s->port[i]];
    }
    return TT_OK;
}

static enum tt_code set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    for (size_t i = 0; i < s->n; i++) {
        if (base->desc->port[s->port[i]].causality == TT_CAUS_OUTPUT)
            return tt_fail(err, TT_EINPUT, "'%s' is an output",
                           base->desc->port[s->port[i]].name);
        unit_of(base)->is->number[s->port[i]] = ((const double *)s->value)[i];
    }
    return TT_OK;
}

static enum tt_code enter_init(tt_unit *base, const struct tt_experiment *e,
                               tt_err *err)
{
    const struct unit *u = unit_of(base);
    uint32_t wrong = u->block->check(u->is->number);
    char text[TT_NUM_MAX];

    if (!wrong) {
        u->block->begin(u->is, e->start);
        return TT_OK;
    }
    tt_num_print_short(text, u->is->number[wrong]);
    return tt_fail(err, TT_EINPUT, "parameter '%s' cannot be %s",
                   base->desc->port[wrong].name, text);
}

static enum tt_code exit_init(tt_unit *base, tt_err *err)
{
    const struct unit *u = unit_of(base);

    (void)err;
    u->block->begin(u->is, base->now);
    if (u->event_mode)
        base->life = TT_LIFE_EVENT;
    return TT_OK;
}

static enum tt_code step(tt_unit *base, const struct tt_step *s,
                         struct tt_stepped *r, tt_err *err)
{
    const struct unit *u = unit_of(base);

    (void)s;
    (void)r; /* states plain success already */
    (void)err;
    if (!u->event_mode)
        u->block->pass(u->is, base->now);
    return TT_OK;
}

static enum tt_code update(tt_unit *base, struct tt_event_result *r,
                           tt_err *err)
{
    const struct unit *u = unit_of(base);

    (void)err;
    u->block->pass(u->is, base->now);
    r->next_defined = 1;
    r->next = fmin(u->is->next, u->is->publish);
    return TT_OK;
}

static enum tt_code max_step(tt_unit *base, double *h, tt_err *err)
{
    (void)err;
    *h = unit_of(base)->is->number[TIME];
    return TT_OK;
}

static void reset_state(const struct unit *u)
{
    const struct block *b = u->block;

    memset(u->is, 0, b->size);
    for (uint32_t i = 0; i < b->n_port; i++)
        if (b->port[i].start)
            u->is->number[i] = *(const double *)b->port[i].start;
}

static enum tt_code reset(tt_unit *u, tt_err *err)
{
    (void)err;
    reset_state(unit_of(u));
    return TT_OK;
}

/* A delay has something it remembers, always, and no more than it can. */
static int may_be(const struct tt_kept_unit *k, const void *state)
{
    struct state s;

    memcpy(&s, state, sizeof(s));
    return k->size == sizeof(s) || (s.n > 0 && s.n <= MOST_POINTS);
}

static const struct tt_unit_ops unit_ops = {
    TT_KEPT_STATE,
    TT_BUILTIN_EVENTS,
    .end = tt_unit_idle,
    .event_update = update,
    TT_HOOKS(, enter_init, exit_init, get, set, step, max_step, reset),
    .free = tt_kept_free};

/* --- kind ------------------------------------------------------------------
 */

static int accepts(const struct tt_source *s)
{
    return find(s->path) != NULL;
}

static enum tt_code read(struct tt_builtin_type *t, const struct tt_source *s,
                         tt_err *err)
{
    const struct block *b = find(s->path);
    struct tt_desc *d = &t->base.desc;
    int failed = 0;

    ((struct type *)(void *)t)->block = b;
    d->model = b->model;
    d->port = b->port;
    d->n_port = b->n_port;
    d->run = d->init = b->deps;
    d->caps.event_mode = b->has_events;
    d->caps.max_step = b->has_max_step;
    for (uint32_t i = 0; i < b->n_port; i++)
        failed |= tt_names_add(&d->by_name, b->port[i].name, i);
    return failed ? tt_fail(err, TT_ENOMEM, "opening %s", s->path) : TT_OK;
}

static int begin(tt_unit *base, const struct tt_builtin_type *t,
                 const struct tt_make *m)
{
    struct unit *u = unit_of(base);

    u->block = ((const struct type *)(const void *)t)->block;
    u->event_mode = m->event_mode && base->desc->caps.event_mode;
    u->k.may_be = may_be;
    u->is = tt_kept_new(&u->k, u->block->size);
    if (u->is)
        reset_state(u);
    return u->is != NULL;
}

const struct tt_builtin tt_builtin_block = {
    TT_BUILTIN_OF(struct type, struct unit),
    .caps = {.evaluates = TT_EVAL_ALWAYS},
    TT_HOOKS(, accepts, read, begin),
};
