/* SPDX-License-Identifier: MIT */
#include "run/event_network.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "player/event.h"
#include "player/local_ranks.h"
#include "run/testing.h"

#define MOD 17
#define END 6

enum {
    IN0,
    IN1,
    IN2,
    M,
    Y,
    Z,
    STATE,
    COUNT,
    TICKS,
    C,
    TI,
    CO,
    CU,
    CY,
    ZEROS,
    ARMED,
    DU,
    DY
};

static const struct tt_mock_port all_ports[EN_PORTS] = {
    {.name = "in0", .type = TT_I32, .causality = TT_CAUS_INPUT},
    {.name = "in1", .type = TT_I32, .causality = TT_CAUS_INPUT},
    {.name = "in2", .type = TT_I32, .causality = TT_CAUS_INPUT},
    {.name = "m", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""},
    {.name = "y", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = "in0"},
    {.name = "z", .type = TT_I32, .causality = TT_CAUS_OUTPUT},
    {.name = "state", .type = TT_I32},
    {.name = "count", .type = TT_I32},
    {.name = "ticks", .type = TT_I32},
    {.name = "c", .type = TT_CLOCK, .causality = TT_CAUS_INPUT},
    {.name = "ti", .type = TT_CLOCK, .causality = TT_CAUS_INPUT},
    {.name = "co",
     .type = TT_CLOCK,
     .causality = TT_CAUS_OUTPUT,
     .deps = "c,ti"},
    {.name = "cu", .type = TT_I32, .causality = TT_CAUS_INPUT, .clock = "ti"},
    {.name = "cy",
     .type = TT_I32,
     .causality = TT_CAUS_OUTPUT,
     .deps = "c,ti,cu",
     .clock = "co"},
    {.name = "zeros", .type = TT_I32},
    {.name = "armed", .type = TT_I32},
    {.name = "du", .type = TT_I32, .causality = TT_CAUS_INPUT, .clock = "c,ti"},
    {.name = "dy",
     .type = TT_I32,
     .causality = TT_CAUS_OUTPUT,
     .deps = "c,ti,du",
     .clock = "co,ti"},
};

/* --- what a unit does, for both sides -------------------------------------
 */

struct values {
    int32_t *in[EN_INPUTS], *out[3], *state, *count, *ticks;
    uint8_t *c, *ti, *co;
    int32_t *cu, *cy, *zeros, *armed; /* armed: 1 now, 2 counting */
    int32_t *du, *dy;
};

static int32_t mod(int32_t v)
{
    return (v % MOD + MOD) % MOD;
}

static void outputs(const struct en_type *t, const struct values *v)
{
    *v->out[0] = *v->state;
    *v->out[1] = mod(*v->state + t->b * *v->in[0]);
    *v->out[2] = mod(*v->state + t->c * (*v->in[0] + *v->in[1] + *v->in[2]));
    *v->co = (*v->c || *v->ti) && (*v->state + t->b) % 3 != 0;
    *v->cy = mod(*v->state + 2 * *v->cu + *v->c + 5 * *v->ti);
    *v->dy = mod(3 * *v->state + 4 * *v->du + *v->c + *v->ti);
}

static double next_of(const struct en_type *t, const struct values *v)
{
    return t->first + t->period * *v->ticks;
}

/* A countdown is armed now and then; at once, but not for ever. */
static void arm(const struct values *v)
{
    if (*v->armed == 1 || (*v->armed == 2 && *v->c))
        *v->armed = *v->c ? 0 : 2;
    if (*v->state % 2 || (*v->state % 3 == 0 && *v->zeros >= 6))
        return;
    *v->armed = 1;
    *v->zeros += *v->state % 3 == 0;
}

static struct tt_timing timing(const struct values *v)
{
    return (struct tt_timing){.known = *v->armed == 1   ? TT_KNOWN_CHANGED
                                       : *v->armed == 2 ? TT_KNOWN_UNCHANGED
                                                        : TT_KNOWN_NOT_YET,
                              .interval = {(uint32_t)(*v->state % 3), 4}};
}

static int change(const struct en_type *t, const struct values *v, double time);

/* Clocks that ticked do so no more. */
static int update(const struct en_type *t, const struct values *v, double time)
{
    int again = change(t, v, time);

    if (t->kind == TT_INTERVAL_COUNTDOWN)
        arm(v);
    *v->c = *v->ti = 0;
    return again;
}

/* It changes its mind a few times after each of its own events. */
static int change(const struct en_type *t, const struct values *v, double time)
{
    if (time >= next_of(t, v)) {
        ++*v->ticks;
        *v->count = 0;
    }
    if (*v->c || *v->ti)
        *v->count = 0;
    if (*v->count >= t->most)
        return 0;
    ++*v->count;
    *v->state = mod(3 * *v->state + t->a[0] * *v->in[0] + t->a[1] * *v->in[1] +
                    t->a[2] * *v->in[2] + 1 + 7 * *v->c +
                    *v->ti * (11 + *v->cu) + (*v->c || *v->ti) * *v->du);
    return *v->count < t->again;
}

/* --- as mocks ------------------------------------------------------------
 */

static struct values values_of(const struct tt_mock_view *v)
{
    void *const *p = v->value;

    return (struct values){{p[IN0], p[IN1], p[IN2]},
                           {p[M], p[Y], p[Z]},
                           p[STATE],
                           p[COUNT],
                           p[TICKS],
                           p[C],
                           p[TI],
                           p[CO],
                           p[CU],
                           p[CY],
                           p[ZEROS],
                           p[ARMED],
                           p[DU],
                           p[DY]};
}

static void mock_outputs(const struct tt_mock_view *v)
{
    struct values of = values_of(v);

    outputs(v->ctx, &of);
}

static void mock_event(const struct tt_mock_view *v, struct tt_event_result *r)
{
    struct values of = values_of(v);

    r->again = update(v->ctx, &of, v->t);
    r->next_defined = 1;
    r->next = next_of(v->ctx, &of);
}

static void mock_interval(const struct tt_mock_view *v, struct tt_timing *t)
{
    const struct en_type *type = v->ctx;
    struct values of = values_of(v);
    struct tt_timing is = timing(&of);

    if (type->kind != TT_INTERVAL_COUNTDOWN)
        return;
    t->known = is.known;
    t->interval = is.interval;
}

/* --- networks ------------------------------------------------------------
 */

static uint32_t below(uint64_t *seed, uint32_t n)
{
    *seed =
        *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % n;
}

static void make_type(struct en_network *w, uint32_t u, uint64_t *seed)
{
    struct en_type *t = &w->type[u];

    *t = (struct en_type){.b = (int32_t)below(seed, 3),
                          .c = (int32_t)below(seed, 3),
                          .most = 1 + (int32_t)below(seed, 4),
                          .again = (int32_t)below(seed, 4),
                          .first = 0.25 * (1 + below(seed, 12)),
                          .period = 0.25 * (1 + below(seed, 12))};
    for (int k = 0; k < EN_INPUTS; k++)
        t->a[k] = (int32_t)below(seed, 5);
    memcpy(t->port, all_ports, sizeof(all_ports));
    t->kind =
        (const enum tt_interval[]){TT_INTERVAL_TRIGGERED, TT_INTERVAL_CONSTANT,
                                   TT_INTERVAL_COUNTDOWN}[below(seed, 3)];
    t->interval = 1 + below(seed, 8);
    t->shift = below(seed, 5);
    if (t->kind != TT_INTERVAL_TRIGGERED)
        t->port[C].ticks =
            (struct tt_clock){.interval = t->kind, .shift = {t->shift, 4}};
    if (t->kind == TT_INTERVAL_CONSTANT)
        t->port[C].ticks.period = (struct tt_ratio){t->interval, 4};
    w->spec[u] = (struct tt_mock_spec){
        .model = "random",
        .port = t->port,
        .n_port = EN_PORTS,
        .caps = {.evaluates = TT_EVAL_EVENT,
                 .save = 1,
                 .serialise = 1,
                 .variable_step = 1,
                 .event_mode = 1,
                 .clocks = t->kind != TT_INTERVAL_TRIGGERED},
        .behaviour = {.outputs = mock_outputs,
                      .event = mock_event,
                      .interval = mock_interval},
        .ctx = t,
        .starts_in_event_mode = 1};
}

/* What follows at once comes from before, so that nothing goes in a circle. */
static void connect_at_random(struct en_network *w, uint32_t u, uint64_t *seed)
{
    for (uint32_t k = 0; k < EN_INPUTS; k++) {
        uint32_t from = below(seed, w->n);

        w->from[u][k].is = below(seed, 4) > 0;
        w->from[u][k].unit = from;
        w->from[u][k].out = from < u ? below(seed, 3) : 0;
    }
    w->clock[u].unit = below(seed, w->n);
    if (w->type[w->clock[u].unit].kind != TT_INTERVAL_TRIGGERED &&
        below(seed, 2))
        w->clock[u].is = EN_BY_C;
    else if (w->clock[u].unit < u)
        w->clock[u].is = EN_BY_CO;
    w->cy[u] = u ? below(seed, u) : TT_NONE;
    w->dy[u] = u ? below(seed, u) : TT_NONE;
}

void en_make(struct en_network *w, uint64_t seed)
{
    memset(w, 0, sizeof(*w));
    w->n = 2 + below(&seed, EN_UNITS - 1);
    for (uint32_t u = 0; u < w->n; u++)
        make_type(w, u, &seed);
    for (uint32_t u = 0; u < w->n; u++)
        connect_at_random(w, u, &seed);
}

void en_leave_clocks_out(struct en_network *w)
{
    static const uint32_t port[] = {C, TI, CO, CU, CY, DU, DY};

    w->plain = 1;
    for (uint32_t u = 0; u < w->n; u++) {
        w->clock[u].is = EN_NOTHING;
        w->cy[u] = w->dy[u] = TT_NONE;
        w->type[u].kind = TT_INTERVAL_TRIGGERED;
        w->spec[u].caps.clocks = 0;
        for (size_t i = 0; i < sizeof(port) / sizeof(*port); i++) {
            struct tt_mock_port *p = &w->type[u].port[port[i]];

            *p = (struct tt_mock_port){.name = p->name,
                                       .type = p->type == TT_CLOCK ? TT_BOOL
                                                                   : p->type};
        }
    }
}

static int is_in(const struct en_network *w, uint32_t k, uint32_t u)
{
    return k == 0 || (k < w->deep && u >= w->lo[k] && u < w->hi[k]);
}

static uint32_t level_of(const struct en_network *w, uint32_t u)
{
    uint32_t k = 0;

    while (is_in(w, k + 1, u))
        k++;
    return k;
}

/* No clock is a port. */
static void keep_clocks_inside(struct en_network *w)
{
    for (uint32_t u = 0; u < w->n; u++) {
        if (level_of(w, w->clock[u].unit) != level_of(w, u))
            w->clock[u].is = EN_NOTHING;
        if (w->cy[u] != TT_NONE && level_of(w, w->cy[u]) != level_of(w, u))
            w->cy[u] = TT_NONE;
        if (w->dy[u] != TT_NONE && level_of(w, w->dy[u]) != level_of(w, u))
            w->dy[u] = TT_NONE;
    }
}

void en_nest(struct en_network *w, uint64_t seed)
{
    w->lo[0] = 0;
    w->hi[0] = w->n;
    for (w->deep = 1; w->deep < EN_DEEP; w->deep++) {
        uint32_t k = w->deep, n = w->hi[k - 1] - w->lo[k - 1];

        if (k > 1 && below(&seed, 2))
            break;
        w->lo[k] = w->lo[k - 1] + below(&seed, n);
        w->hi[k] = w->lo[k] + 1 + below(&seed, w->hi[k - 1] - w->lo[k]);
    }
    keep_clocks_inside(w);
}

void en_register(const struct en_network *w)
{
    static const char *const name[EN_UNITS] = {"t0", "t1", "t2", "t3",
                                               "t4", "t5", "t6"};

    for (uint32_t u = 0; u < w->n; u++)
        tt_mock_register(name[u], &w->spec[u]);
}

/* --- as scenarios ---------------------------------------------------------
 */

static void separate(struct tt_buf *b)
{
    if (b->data[b->len - 1] != '{' && b->data[b->len - 1] != '[')
        tt_buf_str(b, ", ");
}

/* As scenario k names it: "{c}.u.{t1}.u". */
static void write_name(const struct en_network *w, uint32_t k, uint32_t u,
                       struct tt_buf *b)
{
    for (k++; k < w->deep && is_in(w, k, u); k++)
        tt_buf_str(b, "{c}.u.");
    tt_buf_fmt(b, "{t%u}.u", u);
}

/* Both ends are in this scenario, and not in one inside it. */
static int is_here(const struct en_network *w, uint32_t k, uint32_t from,
                   uint32_t to)
{
    return is_in(w, k, from) && is_in(w, k, to) &&
           !(is_in(w, k + 1, from) && is_in(w, k + 1, to));
}

/* "{t1}.u.m": ["{t0}.u.in1", ...] */
static void write_feeds(const struct en_network *w, uint32_t deep,
                        uint32_t from, uint32_t out, struct tt_buf *b)
{
    uint32_t n = 0;

    for (uint32_t u = 0; u < w->n; u++)
        for (uint32_t k = 0; k < EN_INPUTS; k++) {
            if (!w->from[u][k].is || w->from[u][k].unit != from ||
                w->from[u][k].out != out || !is_here(w, deep, from, u))
                continue;
            if (!n++) {
                separate(b);
                tt_buf_char(b, '"');
                write_name(w, deep, from, b);
                tt_buf_fmt(b, ".%c\": [", "myz"[out]);
            }
            separate(b);
            tt_buf_char(b, '"');
            write_name(w, deep, u, b);
            tt_buf_fmt(b, ".in%u\"", k);
        }
    if (n)
        tt_buf_char(b, ']');
}

/* "{t1}.u.co": ["{t0}.u.ti", ...], of clocks and what comes with them. */
static void write_links(const struct en_network *w, uint32_t deep,
                        uint32_t from, const char *out, const char *in,
                        struct tt_buf *b)
{
    uint32_t n = 0;

    for (uint32_t u = 0; u < w->n; u++) {
        int is = strcmp(in, "cu") == 0 ? w->cy[u] == from
                 : strcmp(in, "du") == 0
                     ? w->dy[u] == from
                     : w->clock[u].unit == from &&
                           w->clock[u].is ==
                               (strcmp(out, "co") == 0 ? EN_BY_CO : EN_BY_C);

        if (!is || !is_here(w, deep, from, u))
            continue;
        if (!n++) {
            separate(b);
            tt_buf_char(b, '"');
            write_name(w, deep, from, b);
            tt_buf_fmt(b, ".%s\": [", out);
        }
        separate(b);
        tt_buf_char(b, '"');
        write_name(w, deep, u, b);
        tt_buf_fmt(b, ".%s\"", in);
    }
    if (n)
        tt_buf_char(b, ']');
}

static void write_connections(const struct en_network *w, uint32_t deep,
                              struct tt_buf *b)
{
    tt_buf_str(b, "\"connections\": {");
    for (uint32_t from = 0; from < w->n; from++)
        for (uint32_t k = 0; k < 3; k++)
            write_feeds(w, deep, from, k, b);
    for (uint32_t from = 0; from < w->n; from++) {
        write_links(w, deep, from, "co", "ti", b);
        write_links(w, deep, from, "c", "ti", b);
        write_links(w, deep, from, "cy", "cu", b);
        write_links(w, deep, from, "dy", "du", b);
    }
    tt_buf_char(b, '}');
}

/* Scenario k without its last brace; those inside have no step of their own. */
static void write_scenario(const struct en_network *w, uint32_t deep,
                           struct tt_buf *b)
{
    tt_buf_str(b, "{\"fmus\": {");
    for (uint32_t u = 0; u < w->n; u++)
        if (is_in(w, deep, u) && !is_in(w, deep + 1, u)) {
            separate(b);
            tt_buf_fmt(b, "\"{t%u}\": \"t%u\"", u, u);
        }
    if (deep + 1 < w->deep) {
        separate(b);
        tt_buf_str(b, "\"{c}\": ");
        write_scenario(w, deep + 1, b);
        tt_buf_char(b, '}');
    }
    tt_buf_str(b, "}, \"instances\": {");
    for (uint32_t u = 0; u < w->n; u++)
        if (is_in(w, deep, u) && !is_in(w, deep + 1, u)) {
            separate(b);
            tt_buf_fmt(b, "\"{t%u}\": [\"u\"]", u);
        }
    if (deep + 1 < w->deep) {
        separate(b);
        tt_buf_str(b, "\"{c}\": [\"u\"]");
    }
    tt_buf_str(b, "}, ");
    write_connections(w, deep, b);
}

void en_write(const struct en_network *w, const char *more, struct tt_buf *b)
{
    write_scenario(w, 0, b);
    tt_buf_fmt(b,
               ", \"record\": [\"*.m\", \"*.y\", \"*.z\"%s], "
               "\"algorithm\": "
               "{\"type\": \"fixed-step\", \"size\": 1}, \"endTime\": %d%s}",
               w->plain ? "" : ", \"*.cy\", \"*.dy\", \"*.cu\", \"*.du\"", END,
               more);
}

/* --- the reference -------------------------------------------------------
 */

static struct values ref_values(struct en_ref *r, uint32_t u)
{
    int32_t *v = r->value[u];

    return (struct values){{v + IN0, v + IN1, v + IN2},
                           {v + M, v + Y, v + Z},
                           v + STATE,
                           v + COUNT,
                           v + TICKS,
                           &r->clock[u][0],
                           &r->clock[u][1],
                           &r->clock[u][2],
                           v + CU,
                           v + CY,
                           v + ZEROS,
                           v + ARMED,
                           v + DU,
                           v + DY};
}

static int32_t *source(struct en_ref *r, uint32_t u, uint32_t k)
{
    return &r->value[r->w->from[u][k].unit][M + r->w->from[u][k].out];
}

/* Takes what others have; 1: something is another. */
static int take(struct en_ref *r, uint32_t u, int all)
{
    const struct en_network *w = r->w;
    struct values v = ref_values(r, u);
    const uint8_t *from = r->clock[w->clock[u].unit];
    int changed = 0;

    for (uint32_t k = 0; k < EN_INPUTS; k++)
        if (w->from[u][k].is && *v.in[k] != *source(r, u, k)) {
            *v.in[k] = *source(r, u, k);
            changed = 1;
        }
    if (w->clock[u].is && !*v.ti && from[w->clock[u].is == EN_BY_C ? 0 : 2])
        changed = *v.ti = 1;
    if ((*v.ti || all) && w->cy[u] != TT_NONE && *v.cu != r->held[w->cy[u]]) {
        *v.cu = r->held[w->cy[u]];
        changed = 1;
    }
    if ((*v.c || *v.ti || all) && w->dy[u] != TT_NONE &&
        *v.du != r->held_d[w->dy[u]]) {
        *v.du = r->held_d[w->dy[u]];
        changed = 1;
    }
    r->part[u] |= changed;
    return changed;
}

/* What is read of it; what comes with a clock when that ticks. */
static int give(struct en_ref *r, uint32_t u, int all)
{
    struct values v = ref_values(r, u);
    uint8_t co = *v.co;
    int changed;

    outputs(&r->w->type[u], &v);
    changed = co != *v.co;
    if ((*v.co || all) && r->held[u] != *v.cy) {
        r->held[u] = *v.cy;
        changed = 1;
    }
    if ((*v.co || *v.ti || all) && r->held_d[u] != *v.dy) {
        r->held_d[u] = *v.dy;
        changed = 1;
    }
    return changed;
}

/* Values go round; what gets another takes part, and is read again. all: at
 * initialisation everything is. */
static void go_round(struct en_ref *r, int all)
{
    for (int again = 1; again;) {
        again = 0;
        for (uint32_t u = 0; u < r->w->n; u++) {
            again |= take(r, u, all);
            if (r->part[u] || all)
                again |= give(r, u, all);
        }
    }
}

static int is_pending(struct en_ref *r)
{
    for (uint32_t u = 0; u < r->w->n; u++) {
        struct values v = ref_values(r, u);

        if (r->again[u] || r->t >= next_of(&r->w->type[u], &v))
            return 1;
        for (uint32_t k = 0; k < EN_INPUTS; k++)
            if (r->w->from[u][k].is && *v.in[k] != *source(r, u, k))
                return 1;
    }
    return 0;
}

static double next_tick(const struct en_ref *r, uint32_t u)
{
    const struct en_type *t = &r->w->type[u];

    if (t->kind == TT_INTERVAL_CONSTANT)
        return (t->shift + t->interval * r->beats[u]) / 4.0;
    return t->kind == TT_INTERVAL_COUNTDOWN ? r->countdown[u]
                                            : (double)INFINITY;
}

static int is_due(const struct en_ref *r, uint32_t u)
{
    return next_tick(r, u) <= r->t &&
           !(r->done[u] && r->w->type[u].kind == TT_INTERVAL_CONSTANT);
}

static int is_any_due(const struct en_ref *r)
{
    for (uint32_t u = 0; u < r->w->n; u++)
        if (is_due(r, u))
            return 1;
    return 0;
}

static void tick(struct en_ref *r, uint32_t u)
{
    r->done[u] = r->part[u] = 1;
    r->clock[u][0] = 1;
    r->beats[u]++;
    r->countdown[u] = (double)INFINITY;
}

static void update_one(struct en_ref *r, uint32_t u)
{
    struct values v = ref_values(r, u);
    struct tt_timing is;

    r->again[u] = update(&r->w->type[u], &v, r->t);
    outputs(&r->w->type[u], &v);
    is = timing(&v);
    if (is.known == TT_KNOWN_CHANGED)
        r->countdown[u] = r->t + tt_ratio_value(is.interval);
    else if (is.known == TT_KNOWN_NOT_YET)
        r->countdown[u] = (double)INFINITY;
}

static void microstep(struct en_ref *r)
{
    int quiet = !is_pending(r);

    r->n++;
    for (uint32_t u = 0; u < r->w->n; u++) {
        struct values v = ref_values(r, u);

        r->part[u] = r->again[u] || r->t >= next_of(&r->w->type[u], &v);
        r->again[u] = 0;
        if (quiet && is_due(r, u))
            tick(r, u);
    }
    go_round(r, 0);
    for (uint32_t u = 0; u < r->w->n; u++)
        if (r->part[u])
            update_one(r, u);
    memset(r->clock, 0, sizeof(r->clock));
}

static int goes_on(struct en_ref *r)
{
    if (is_pending(r) || is_any_due(r))
        return 1;
    memset(r->done, 0, sizeof(r->done));
    return 0;
}

/* All leave initialisation in event mode. */
static void start(struct en_ref *r)
{
    memset(r->part, 0, sizeof(r->part));
    go_round(r, 1);
    for (uint32_t u = 0; u < r->w->n; u++) {
        r->again[u] = 1;
        r->countdown[u] = (double)INFINITY;
    }
    while (goes_on(r))
        microstep(r);
    r->n = 0;
}

/* The next row. */
static void advance(struct en_ref *r)
{
    double next = (double)(int)r->t + 1;

    if (goes_on(r)) {
        microstep(r);
        return;
    }
    for (uint32_t u = 0; u < r->w->n; u++) {
        struct values v = ref_values(r, u);

        next = fmin(next, next_of(&r->w->type[u], &v));
        next = fmin(next, next_tick(r, u));
    }
    r->t = next;
    r->n = 0;
}

/* --- the comparison ------------------------------------------------------
 */

static enum tt_code see_begin(tt_observer *o, const struct tt_rows *rows,
                              tt_err *err)
{
    (void)err;
    ((struct en_seen *)(void *)o)->rows = rows;
    return TT_OK;
}

/* "{c}.u.{t3}.u.y" */
static int32_t expected(struct en_ref *r, const char *column)
{
    uint32_t u = (uint32_t)(strstr(column, "{t")[2] - '0');
    const char *out = strrchr(column, '.') + 1;

    if (strcmp(out, "cy") == 0)
        return r->held[u];
    if (strcmp(out, "dy") == 0)
        return r->held_d[u];
    if (strcmp(out, "cu") == 0 || strcmp(out, "du") == 0)
        return r->value[u][*out == 'c' ? CU : DU];
    return r->value[u][*out == 'm' ? M : *out == 'y' ? Y : Z];
}

/* "(1.5, 2)" */
static const char *words(double t, uint32_t n, char *out, size_t size)
{
    char text[TT_NUM_MAX];

    tt_num_print_short(text, t);
    (void)snprintf(out, size, "(%s, %u)", text, n);
    return out;
}

static enum tt_code see_row(tt_observer *o, struct tt_instant at, double h,
                            tt_err *err)
{
    struct en_seen *s = (struct en_seen *)(void *)o;
    char is[64], not [64];

    (void)h;
    (void)err;
    if (s->n_row++ > 0)
        advance(&s->ref);
    words(at.t, at.n, is, sizeof(is));
    words(s->ref.t, s->ref.n, not, sizeof(not ));
    if (strcmp(is, not ) != 0 && !*s->wrong)
        snprintf(s->wrong, sizeof(s->wrong), "%s, not %s", is, not );
    for (uint32_t i = 0; i + 1 < s->rows->n && !*s->wrong; i++) {
        int32_t want = expected(&s->ref, s->rows->column[i].name);
        int32_t got = *(const int32_t *)s->rows->column[i].value;

        s->compared++;
        if (want != got)
            snprintf(s->wrong, sizeof(s->wrong), "%s at %s: %d, not %d",
                     s->rows->column[i].name, is, got, want);
    }
    return TT_OK;
}

static const struct tt_observer_ops see_ops = {.begin = see_begin,
                                               .row = see_row,
                                               .end = st_observer_end,
                                               .free = st_observer_free};

void en_see(struct en_seen *s, const struct en_network *w)
{
    *s = (struct en_seen){.base = {&see_ops}, .ref = {.w = w}};
    start(&s->ref);
}

/* --- plays -----------------------------------------------------------------
 */

#define MOST_RANKS 8

struct band {
    const struct en_network *w;
    const struct en_how *how;
    tt_local_ranks *ranks; /* NULL: alone */
    struct tt_buf json;
    struct en_seen seen;
    struct stage *at[MOST_RANKS];
    enum tt_code rc[MOST_RANKS];
};

/* The first rank shows the rows. */
static void play_rank(void *ctx, uint32_t rank)
{
    struct band *b = ctx;
    struct stage *st = b->at[rank];
    tt_observer *const observer[] = {&b->seen.base};

    st->unseen = 1;
    st->opts.observer = observer;
    st->opts.n_observer = rank == 0;
    st->opts.microsteps = 1;
    st->opts.kind_cb = b->how->kind_cb;
    st->opts.link = b->ranks ? tt_local_ranks_link(b->ranks, rank) : NULL;
    b->rc[rank] = st_play(st, b->json.data);
}

static void play_all(struct band *b)
{
    if (!b->how->ranks) {
        play_rank(b, 0);
        return;
    }
    b->ranks = tt_local_ranks_new(b->how->ranks);
    tt_local_ranks_play(b->ranks, play_rank, b);
    tt_local_ranks_free(b->ranks);
}

void en_play(const struct en_network *w, const struct en_how *how,
             struct en_result *out)
{
    struct band b = {.w = w, .how = how};
    uint32_t n = how->ranks ? how->ranks : 1;

    TT_ASSERT(n <= MOST_RANKS);
    en_see(&b.seen, w);
    tt_buf_init(&b.json, 1 << 16);
    en_write(w, how->more, &b.json);
    for (uint32_t i = 0; i < n; i++)
        b.at[i] = st_new();
    en_register(w);
    play_all(&b);
    *out =
        (struct en_result){.compared = b.seen.compared, .rows = b.seen.n_row};
    if (b.rc[0] == TT_OK)
        out->is_short = tt_part_event_is_short(tt_run_part(b.at[0]->run));
    for (uint32_t i = 0; i < n; i++) {
        if ((b.rc[i] != TT_OK || *b.seen.wrong) && !*out->wrong)
            (void)snprintf(out->wrong, sizeof(out->wrong), "rank %u: %.*s", i,
                           TT_ERR_MAX,
                           b.rc[i] == TT_OK ? b.seen.wrong : b.at[i]->err.msg);
        st_free(b.at[i]);
    }
    tt_buf_fini(&b.json);
}
