/* SPDX-License-Identifier: MIT */
/* Clocks that tick by time and by each other, on mocks. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "base/num.h"
#include "run/testing.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))
#define CLOCKED                                                                \
    {                                                                          \
        .evaluates = TT_EVAL_EVENT, .save = 1, .serialise = 1,                 \
        .variable_step = 1, .event_mode = 1, .clocks = 1                       \
    }
#define TRIGGERED                                                              \
    {                                                                          \
        .evaluates = TT_EVAL_EVENT, .save = 1, .serialise = 1,                 \
        .variable_step = 1, .event_mode = 1                                    \
    }

/* --- units ---------------------------------------------------------------
 */

static int32_t *i32(const struct tt_mock_view *v, uint32_t port)
{
    return v->value[port];
}

static uint8_t *tick(const struct tt_mock_view *v, uint32_t port)
{
    return v->value[port];
}

/* counter: n belongs to its clock, and counts its ticks */
enum { C_CLOCK, C_N, C_COUNT };
#define COUNTER(...)                                                           \
    {                                                                          \
        {.name = "c",                                                          \
         .type = TT_CLOCK,                                                     \
         .causality = TT_CAUS_INPUT,                                           \
         .ticks = {__VA_ARGS__}},                                              \
            {.name = "n",                                                      \
             .type = TT_I32,                                                   \
             .causality = TT_CAUS_OUTPUT,                                      \
             .deps = "c",                                                      \
             .clock = "c"},                                                    \
        {                                                                      \
            .name = "count", .type = TT_I32                                    \
        }                                                                      \
    }

static const struct tt_mock_port
    fifths[] = COUNTER(.interval = TT_INTERVAL_CONSTANT, .period = {1, 5},
                       .shift = {0, 1}),
    tenths[] = COUNTER(.interval = TT_INTERVAL_FIXED, .period = {3, 10},
                       .shift = {1, 10}),
    changing[] = COUNTER(.interval = TT_INTERVAL_CHANGING, .shift = {0, 1}),
    countdown[] = COUNTER(.interval = TT_INTERVAL_COUNTDOWN, .shift = {0, 1}),
    tunable[] = COUNTER(.interval = TT_INTERVAL_TUNABLE, .shift = {0, 1}),
    triggered[] = COUNTER(.interval = TT_INTERVAL_TRIGGERED);

static void count_outputs(const struct tt_mock_view *v)
{
    *i32(v, C_N) = *i32(v, C_COUNT) + *tick(v, C_CLOCK);
}

/* A clock that is active is deactivated by the unit. */
static void count_event(const struct tt_mock_view *v, struct tt_event_result *r)
{
    (void)r;
    *i32(v, C_COUNT) += *tick(v, C_CLOCK);
    *tick(v, C_CLOCK) = 0;
}

static struct tt_mock_spec counter_of(struct stage *st,
                                      const struct tt_mock_port *port)
{
    return (struct tt_mock_spec){
        .model = "counter",
        .port = port,
        .n_port = COUNT(fifths),
        .caps = CLOCKED,
        .behaviour = {.outputs = count_outputs, .event = count_event},
        .starts_in_event_mode = 1,
        .tape = st ? &st->tape : NULL};
}

/* passes its clock on, in the same microstep, with a number */
enum { P_IN, P_U, P_OUT, P_Y };
static const struct tt_mock_port passer_port[] = {
    {.name = "ci", .type = TT_CLOCK, .causality = TT_CAUS_INPUT},
    {.name = "u", .type = TT_I32, .causality = TT_CAUS_INPUT, .clock = "ci"},
    {.name = "co", .type = TT_CLOCK, .causality = TT_CAUS_OUTPUT, .deps = "ci"},
    {.name = "y",
     .type = TT_I32,
     .causality = TT_CAUS_OUTPUT,
     .deps = "ci,u",
     .clock = "co"}};

static void pass_outputs(const struct tt_mock_view *v)
{
    *tick(v, P_OUT) = *tick(v, P_IN);
    *i32(v, P_Y) = *i32(v, P_U) + 10;
}

static void pass_event(const struct tt_mock_view *v, struct tt_event_result *r)
{
    (void)r;
    *tick(v, P_IN) = 0;
}

static struct tt_mock_spec passer_of(struct stage *st)
{
    return (struct tt_mock_spec){
        .model = "passer",
        .port = passer_port,
        .n_port = COUNT(passer_port),
        .caps = TRIGGERED,
        .behaviour = {.outputs = pass_outputs, .event = pass_event},
        .tape = st ? &st->tape : NULL};
}

/* --- rows ----------------------------------------------------------------
 */

static void put_row(struct tt_buf *b, const struct stage *st, uint32_t i,
                    int presence)
{
    char v[TT_NUM_MAX];

    tt_num_print_short(v, st->row_t[i]);
    tt_buf_fmt(b, "%s%s/%u:", i ? "; " : "", v, st->row_n[i]);
    for (uint32_t k = 0; k < st->rows->n; k++) {
        tt_num_print_short(v, st->row_v[i][k]);
        tt_buf_fmt(b, " %s", presence && st->row_absent[i][k] ? "-" : v);
    }
}

static const char *rows_of(const struct stage *st, int presence)
{
    static char text[4096];
    struct tt_buf b;

    tt_buf_init(&b, sizeof(text));
    for (uint32_t i = 0; i < st->n_row && i < 64; i++)
        put_row(&b, st, i, presence);
    (void)snprintf(text, sizeof(text), "%s", b.data ? b.data : "");
    tt_buf_fini(&b);
    return text;
}

/* "0.0: 1; 0.2.0: 1; ..." */
static const char *rows(const struct stage *st)
{
    return rows_of(st, 0);
}

#define FIXED    ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}"
#define UNTIL(t) ", \"endTime\": " #t "}"
#define ALONE    "{\"fmus\": {\"{a}\": \"a\"}, \"instances\": {\"{a}\": [\"a\"]}"
#define BOTH                                                                   \
    "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"}, \"instances\": {\"{a}\": "   \
    "[\"a\"], \"{b}\": [\"b\"]}"

static struct stage *play(struct stage *st, const struct tt_mock_spec *a,
                          const struct tt_mock_spec *b, const char *json)
{
    enum tt_code rc;

    tt_mock_register("a", a);
    if (b)
        tt_mock_register("b", b);
    rc = st_play(st, json);
    if (rc != TT_OK)
        fail_msg("%s", st->err.msg);
    return st;
}

/* --- periodic ------------------------------------------------------------
 */

static void a_constant_clock_ticks_from_the_start_on(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(st, fifths);

    (void)state;
    play(st, &a, NULL, ALONE FIXED UNTIL(1));
    assert_string_equal(rows(st), "0/0: 1; 0.2/0: 1; 0.2/1: 2; 0.4/0: 2; "
                                  "0.4/1: 3; 0.6/0: 3; 0.6/1: 4; 0.8/0: 4; "
                                  "0.8/1: 5; 1/0: 5; 1/1: 6");
    st_free(st);
}

/* The first ticks at k/5, the second at 1/10 + 3k/10. */
static void values_are_present_where_their_clock_ticks(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(st, fifths), b = counter_of(st, tenths);

    (void)state;
    play(st, &a, &b, BOTH FIXED UNTIL(0.4));
    assert_string_equal(rows_of(st, 1),
                        "0/0: 1 -; 0.1/0: - -; 0.1/1: - 1; 0.2/0: - -; "
                        "0.2/1: 2 -; 0.4/0: - -; 0.4/1: 3 2");
    st_free(st);
}

/* Its first tick is after its shift; its interval is set. */
static void the_interval_of_a_fixed_clock_is_set(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(st, tenths);

    (void)state;
    a.tape_verbs = 1u << TT_MOCK_SET_INTERVALS | 1u << TT_MOCK_INTERVALS;
    play(st, &a, NULL, ALONE FIXED UNTIL(1));
    assert_string_equal(rows(st), "0/0: 0; 0.1/0: 0; 0.1/1: 1; 0.4/0: 1; "
                                  "0.4/1: 2; 0.7/0: 2; 0.7/1: 3; 1/0: 3; "
                                  "1/1: 4");
    assert_string_equal(st->tape.data, "a.set_intervals c=0.3");
    st_free(st);
}

#define SET_BEAT(is) ", \"clocks\": {\"{a}.a.c\": " is "}"

/* At 1/2, 5/6, 7/6, ... and never drifting from the grid at 3/2. */
static void the_scenario_states_when_a_fixed_clock_ticks(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(st, tenths);

    (void)state;
    a.tape_verbs = 1u << TT_MOCK_SET_INTERVALS | 1u << TT_MOCK_INTERVALS;
    play(st, &a, NULL,
         ALONE SET_BEAT("{\"interval\": \"1/2\", \"shift\": 0.75}")
             FIXED UNTIL(2));
    assert_string_equal(rows(st), "0/0: 0; 0.75/0: 0; 0.75/1: 1; 1/0: 1; "
                                  "1.25/0: 1; 1.25/1: 2; 1.75/0: 2; 1.75/1: "
                                  "3; 2/0: 3");
    assert_string_equal(st->tape.data, "a.set_intervals c=0.5");
    st_free(st);
}

/* A third is no decimal: three of them are exactly one. */
static void a_fraction_stays_exact(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(st, tenths);

    (void)state;
    play(st, &a, NULL,
         ALONE SET_BEAT("{\"interval\": \"1/3\", \"shift\": 0}")
             FIXED UNTIL(1));
    assert_int_equal(st->n_row, 1 + 2 * 3);
    assert_true(st->row_t[6] == 1 && st->row_v[6][0] == 4);
    st_free(st);
}

static void refuse_set(const struct tt_mock_port *port, const char *words)
{
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(st, port);
    char all[512];

    if (tt_clock_is_timed(&port[C_CLOCK].ticks) == 0)
        a.caps.clocks = 0;
    tt_mock_register("a", &a);
    assert_int_equal(
        st_load(st, ALONE SET_BEAT("{\"interval\": 1}") FIXED UNTIL(1)),
        TT_EINPUT);
    (void)snprintf(all, sizeof(all),
                   "test.json:1:64: when '{a}.a.c' ticks cannot be set: it "
                   "is %s",
                   words);
    assert_string_equal(st->err.msg, all);
    st_free(st);
}

static void clocks_that_follow_their_instance_cannot_be_set(void **state)
{
    (void)state;
    refuse_set(fifths, "constant: its interval is declared and stays");
    refuse_set(changing, "changing: its instance states each interval");
    refuse_set(countdown, "a countdown: its instance states each interval");
    refuse_set(tunable, "declared without an interval: that follows from "
                        "parameters");
    refuse_set(triggered, "triggered: it ticks with the clock that is "
                          "connected to it");
}

/* What the last row had, and how many there were. */
struct last {
    tt_observer base;
    const struct tt_rows *rows;
    struct tt_instant at;
    int32_t n[2];
    uint64_t n_row, missed; /* rows not at a multiple of a tenth */
};

static enum tt_code last_begin(tt_observer *o, const struct tt_rows *rows,
                               tt_err *err)
{
    (void)err;
    ((struct last *)(void *)o)->rows = rows;
    return TT_OK;
}

static enum tt_code last_row(tt_observer *o, struct tt_instant at, double h,
                             tt_err *err)
{
    struct last *l = (struct last *)(void *)o;

    (void)h;
    (void)err;
    l->at = at;
    l->n_row++;
    l->missed += at.t != nearbyint(at.t * 10) / 10;
    for (int i = 0; i < 2; i++)
        l->n[i] = *(const int32_t *)l->rows->column[i].value;
    return TT_OK;
}

static const struct tt_observer_ops last_ops = {.begin = last_begin,
                                                .row = last_row,
                                                .end = st_observer_end,
                                                .free = st_observer_free};

/* Fifths and tenths of 3: a million ticks of one, and the last of both is in
 * one event. Counted in integers, they neither drift nor miss each other. */
static void a_million_ticks_do_not_drift(void **state)
{
    static const struct tt_mock_port slow[] =
        COUNTER(.interval = TT_INTERVAL_CONSTANT, .period = {3, 10},
                .shift = {0, 1});
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(NULL, fifths),
                        b = counter_of(NULL, slow);
    struct last l = {.base = {&last_ops}};
    tt_observer *const observer[] = {&l.base};

    (void)state;
    st->unseen = 1;
    st->opts.observer = observer;
    st->opts.n_observer = 1;
    tt_mock_register("a", &a);
    tt_mock_register("b", &b);
    assert_int_equal(st_load(st,
                             BOTH ", \"algorithm\": {\"type\": \"fixed-step\", "
                                  "\"size\": 1000}, \"endTime\": 200000}"),
                     TT_OK);
    if (tt_run_perform(st->run, &st->err) != TT_OK)
        fail_msg("%s", st->err.msg);
    assert_true(l.at.t == 200000 && l.at.n == 1 && !l.missed);
    assert_int_equal(l.n[0], 1000001);
    assert_int_equal(l.n[1], 666667);
    assert_int_equal(l.n_row, 1 + 2 * (1000000 + 666666 - 333333));
    st_free(st);
}

/* --- aperiodic -----------------------------------------------------------
 */

static struct tt_ratio quarters(uint32_t n)
{
    return (struct tt_ratio){n, 4};
}

/* The first after a quarter, then each a quarter later than the one before. */
static void longer_each_time(const struct tt_mock_view *v, struct tt_timing *t)
{
    t->known = TT_KNOWN_CHANGED;
    t->interval = quarters(1 + (uint32_t)*i32(v, C_COUNT));
}

static void a_changing_clock_is_asked_when_it_ticked(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(st, changing);

    (void)state;
    a.behaviour.interval = longer_each_time;
    a.tape_verbs = 1u << TT_MOCK_INTERVALS;
    play(st, &a, NULL, ALONE FIXED UNTIL(2));
    assert_string_equal(rows(st),
                        "0/0: 0; 0.25/0: 0; 0.25/1: 1; 0.75/0: 1; 0.75/1: 2; "
                        "1/0: 2; 1.5/0: 2; 1.5/1: 3; 2/0: 3");
    assert_string_equal(st->tape.data,
                        "a.intervals c=0.25; a.intervals c=0.5; a.intervals "
                        "c=0.75; a.intervals c=1");
    st_free(st);
}

/* Armed when it ticks: at once, then after a half; then it does not know. */
static void rearmed(const struct tt_mock_view *v, struct tt_timing *t)
{
    static const uint32_t after[] = {4, 0, 2};
    uint32_t n = (uint32_t)*i32(v, C_COUNT);

    t->known = n < COUNT(after) ? TT_KNOWN_CHANGED : TT_KNOWN_NOT_YET;
    if (t->known == TT_KNOWN_CHANGED)
        t->interval = quarters(after[n]);
}

static void a_countdown_is_armed_again_inside_its_event(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(st, countdown);

    (void)state;
    a.behaviour.interval = rearmed;
    st->opts.microsteps = 1;
    play(st, &a, NULL, ALONE FIXED UNTIL(3));
    assert_string_equal(rows(st),
                        "0/0: 0 0; 1/0: 0 0; 1/1: 1 1; 1/2: 2 2; 1.5/0: 2 0; "
                        "1.5/1: 3 1; 2/0: 3 0; 3/0: 3 0");
    st_free(st);
}

static void at_once(const struct tt_mock_view *v, struct tt_timing *t)
{
    (void)v;
    t->known = TT_KNOWN_CHANGED;
    t->interval = quarters(0);
}

static void a_clock_that_ticks_for_ever_is_named(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(NULL, countdown);

    (void)state;
    a.behaviour.interval = at_once;
    tt_mock_register("a", &a);
    assert_int_equal(st_play(st, ALONE FIXED UNTIL(3)), TT_EUNIT);
    assert_string_equal(st->err.msg,
                        "events at t=0 do not come to an end: after 10000 "
                        "microsteps clock '{a}.a.c' ticks again");
    st_free(st);
}

/* Halves, and from its second tick on quarters: counted from that tick. */
static void tuned(const struct tt_mock_view *v, struct tt_timing *t)
{
    t->known = TT_KNOWN_CHANGED;
    t->interval = quarters(*i32(v, C_COUNT) < 2 ? 2 : 1);
}

static void a_tunable_clock_without_an_interval_is_asked(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(st, tunable);

    (void)state;
    a.behaviour.interval = tuned;
    play(st, &a, NULL, ALONE FIXED UNTIL(1));
    assert_string_equal(rows(st), "0/0: 1; 0.5/0: 1; 0.5/1: 2; 0.75/0: 2; "
                                  "0.75/1: 3; 1/0: 3; 1/1: 4");
    st_free(st);
}

static void no_interval(const struct tt_mock_view *v, struct tt_timing *t)
{
    (void)v;
    t->known = TT_KNOWN_CHANGED;
    t->interval = quarters(0);
}

static void a_periodic_interval_of_0_is_refused(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(NULL, tunable);

    (void)state;
    a.behaviour.interval = no_interval;
    tt_mock_register("a", &a);
    assert_int_equal(st_play(st, ALONE FIXED UNTIL(3)), TT_EUNIT);
    assert_string_equal(st->err.msg, "instance '{a}.a' (mock): intervals: the "
                                     "interval of 'c' is 0");
    st_free(st);
}

/* --- nets ----------------------------------------------------------------
 */

#define TREE                                                                   \
    "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\", \"{t}\": \"t\"}, "            \
    "\"connections\": {\"{a}.a.c\": [\"{b}.x.ci\"], \"{a}.a.n\": "             \
    "[\"{b}.x.u\"], \"{b}.x.co\": [\"{b}.y.ci\"], \"{b}.x.y\": "               \
    "[\"{b}.y.u\"], \"{b}.y.co\": [\"{t}.t.c\"]}, \"record\": [\"{a}.a.n\", "  \
    "\"{b}.x.y\", \"{b}.y.y\", \"{t}.t.n\"]"

/* A timed clock ticks three others, one by one, in one microstep. */
static void a_chain_ticks_in_one_microstep_in_its_order(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(st, tenths), b = passer_of(st),
                        t = counter_of(st, triggered);

    (void)state;
    t.caps.clocks = 0;
    a.tape_values = b.tape_values = t.tape_values = 1;
    a.tape_verbs = b.tape_verbs = t.tape_verbs =
        1u << TT_MOCK_SET | 1u << TT_MOCK_GET | 1u << TT_MOCK_EVENT_UPDATE;
    tt_mock_register("t", &t);
    tt_mock_register("b", &b);
    tt_mock_register("a", &a);
    assert_int_equal(st_load(st, TREE FIXED ", \"endTime\": 0.1}"), TT_OK);
    assert_int_equal(tt_run_start(st->run, &st->err), TT_OK);
    tt_buf_clear(&st->tape);
    while (!tt_run_done(st->run))
        assert_int_equal(tt_run_step(st->run, &st->err), TT_OK);
    assert_string_equal(rows(st), "0/0: 0 10 20 0; 0.1/0: 0 10 20 0; 0.1/1: 1 "
                                  "11 21 1");
    assert_string_equal(
        st->tape.data,
        "a.set c=true; a.get n=1; x.set ci=true; x.set u=1; x.get co=true; "
        "x.get y=11; y.set ci=true; y.set u=11; y.get co=true; t.set c=true; "
        "y.get y=21; t.get n=1; a.event_update; x.event_update; "
        "y.event_update; t.event_update");
    st_free(st);
}

/* late: its clock ticks when its input is 3, which it does not declare */
enum { L_U, L_OUT };
static const struct tt_mock_port late_port[] = {
    {.name = "u", .type = TT_I32, .causality = TT_CAUS_INPUT},
    {.name = "co", .type = TT_CLOCK, .causality = TT_CAUS_OUTPUT, .deps = ""}};

static void late_outputs(const struct tt_mock_view *v)
{
    *tick(v, L_OUT) = *i32(v, L_U) == 3;
}

/* between: hands a number on, and counts ticks */
enum { B_CLOCK, B_U, B_Y, B_HITS };
static const struct tt_mock_port between_port[] = {
    {.name = "c", .type = TT_CLOCK, .causality = TT_CAUS_INPUT},
    {.name = "u", .type = TT_I32, .causality = TT_CAUS_INPUT},
    {.name = "y", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = "c,u"},
    {.name = "hits", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""}};

static void between_outputs(const struct tt_mock_view *v)
{
    *i32(v, B_Y) = *i32(v, B_U);
}

static void between_event(const struct tt_mock_view *v,
                          struct tt_event_result *r)
{
    (void)r;
    *i32(v, B_HITS) += *tick(v, B_CLOCK);
    *tick(v, B_CLOCK) = 0;
}

#define LATE                                                                   \
    "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\", \"{l}\": \"l\"}, "            \
    "\"connections\": {\"{a}.a.n\": [\"{b}.b.u\"], \"{b}.b.y\": "              \
    "[\"{l}.l.u\"], \"{l}.l.co\": [\"{b}.b.c\"]}, \"record\": [\"{a}.a.n\", "  \
    "\"{b}.b.y\", \"{b}.b.hits\"]"

/* Its input gets there behind what its clock ticks: that is read once more
 * before the update, and is there in the next microstep. */
static void a_clock_that_ticks_late_is_carried_on(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(NULL, fifths);
    struct tt_mock_spec b = {
        .model = "between",
        .port = between_port,
        .n_port = COUNT(between_port),
        .caps = TRIGGERED,
        .behaviour = {.outputs = between_outputs, .event = between_event}};
    struct tt_mock_spec l = {.model = "late",
                             .port = late_port,
                             .n_port = COUNT(late_port),
                             .caps = TRIGGERED,
                             .behaviour = {.outputs = late_outputs}};

    (void)state;
    tt_mock_register("l", &l);
    st->opts.microsteps = 1;
    play(st, &a, &b, LATE FIXED ", \"endTime\": 0.6}");
    assert_string_equal(rows(st),
                        "0/0: 1 1 0 0; 0.2/0: 1 1 0 0; 0.2/1: 2 2 0 1; 0.4/0: "
                        "2 2 0 0; 0.4/1: 3 3 0 1; 0.4/2: 3 3 1 2; 0.6/0: 3 3 1 "
                        "0; 0.6/1: 4 4 1 1");
    st_free(st);
}

static void a_circle_of_clocks_is_refused(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec b = passer_of(st);

    (void)state;
    tt_mock_register("b", &b);
    assert_int_equal(
        st_load(st,
                "{\"fmus\": {\"{b}\": \"b\"}, \"connections\": "
                "{\"{b}.x.co\": [\"{b}.y.ci\"], \"{b}.y.co\": "
                "[\"{b}.z.ci\"], \"{b}.z.co\": [\"{b}.x.ci\"]}" FIXED UNTIL(1)),
        TT_EINPUT);
    assert_string_equal(st->err.msg,
                        "test.json:1:105: clocks tick each other in a circle: "
                        "'{b}.y.ci' -> '{b}.y.co' -> '{b}.z.ci' -> "
                        "'{b}.z.co' -> '{b}.x.ci' -> '{b}.x.co' -> "
                        "'{b}.y.ci'");
    st_free(st);
}

static void nothing_else_ticks_a_timed_clock(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(st, fifths), b = passer_of(st);

    (void)state;
    tt_mock_register("a", &a);
    tt_mock_register("b", &b);
    assert_int_equal(st_load(st, BOTH ", \"connections\": {\"{b}.b.co\": "
                                      "[\"{a}.a.c\"]}" FIXED UNTIL(1)),
                     TT_EINPUT);
    assert_string_equal(st->err.msg,
                        "test.json:1:108: '{a}.a.c' is a clock that ticks by "
                        "time (constant): a connection ends at one that is "
                        "triggered");
    st_free(st);
}

/* --- the same -------------------------------------------------------------
 */

static void late_ticks_are_named_and_missed_ones_left_out(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec a = counter_of(st, fifths);

    (void)state;
    a.caps.variable_step = 0;
    play(st, &a, NULL, ALONE FIXED UNTIL(2));
    assert_string_equal(rows(st), "0/0: 1; 1/0: 1; 1/1: 2; 2/0: 2; 2/1: 3");
    assert_non_null(strstr(st->logged.data,
                           "clock '{a}.a.c' is due at t=0.2, handled at the "
                           "communication point t=1: not all instances can "
                           "vary their step (reported once)"));
    st_free(st);
}

static void threads_and_rollback_give_the_same(void **state)
{
    static const char *const more[] = {"", ", \"threads\": 2",
                                       ", \"rollback\": true"};
    char first[4096] = "";

    (void)state;
    for (size_t i = 0; i < COUNT(more); i++) {
        struct stage *st = st_new();
        struct tt_mock_spec a = counter_of(NULL, fifths),
                            b = counter_of(NULL, tenths);
        char json[1024];

        (void)snprintf(json, sizeof(json), BOTH FIXED "%s" UNTIL(2), more[i]);
        play(st, &a, &b, json);
        if (!i)
            (void)snprintf(first, sizeof(first), "%s", rows(st));
        assert_string_equal(rows(st), first);
        st_free(st);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_constant_clock_ticks_from_the_start_on),
        cmocka_unit_test(values_are_present_where_their_clock_ticks),
        cmocka_unit_test(the_interval_of_a_fixed_clock_is_set),
        cmocka_unit_test(the_scenario_states_when_a_fixed_clock_ticks),
        cmocka_unit_test(a_fraction_stays_exact),
        cmocka_unit_test(clocks_that_follow_their_instance_cannot_be_set),
        cmocka_unit_test(a_million_ticks_do_not_drift),
        cmocka_unit_test(a_changing_clock_is_asked_when_it_ticked),
        cmocka_unit_test(a_countdown_is_armed_again_inside_its_event),
        cmocka_unit_test(a_clock_that_ticks_for_ever_is_named),
        cmocka_unit_test(a_tunable_clock_without_an_interval_is_asked),
        cmocka_unit_test(a_periodic_interval_of_0_is_refused),
        cmocka_unit_test(a_chain_ticks_in_one_microstep_in_its_order),
        cmocka_unit_test(a_clock_that_ticks_late_is_carried_on),
        cmocka_unit_test(a_circle_of_clocks_is_refused),
        cmocka_unit_test(nothing_else_ticks_a_timed_clock),
        cmocka_unit_test(late_ticks_are_named_and_missed_ones_left_out),
        cmocka_unit_test(threads_and_rollback_give_the_same),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
