/* SPDX-License-Identifier: MIT */
/* Events across the border of a scenario inside another one, on mocks: the rows
 * are those of the flat scenario. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "compose/compose.h"
#include "run/testing.h"
#include "unit/test_ok.h"

static enum tt_code kinds(const struct tt_kind_ops **kind,
                          const struct tt_source *s, tt_err *err)
{
    (void)err;
    *kind = tt_kind_composite.accepts(s) ? &tt_kind_composite : &tt_mock_kind;
    return TT_OK;
}

/* --- units: a source that counts its events, relays that follow ------------
 */

static int32_t *i32(const struct tt_mock_view *v, uint32_t port)
{
    return v->value[port];
}

enum { IN, OUT };
static const struct tt_mock_port port[] = {
    {.name = "in", .type = TT_I32, .causality = TT_CAUS_INPUT},
    {.name = "out", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""}};

static void source_event(const struct tt_mock_view *v,
                         struct tt_event_result *r)
{
    (void)r;
    ++*i32(v, OUT);
}

static void relay_event(const struct tt_mock_view *v, struct tt_event_result *r)
{
    (void)r;
    *i32(v, OUT) = *i32(v, IN) + 10;
}

#define UNIT(handler)                                                          \
    {                                                                          \
        .model = "unit", .port = port, .n_port = 2,                            \
        .caps = {.evaluates = TT_EVAL_EVENT,                                   \
                 .save = 1,                                                    \
                 .serialise = 1,                                               \
                 .variable_step = 1,                                           \
                 .event_mode = 1,                                              \
                 .early_return = 1},                                           \
        .behaviour = {                                                         \
            .event = (handler)                                                 \
        }                                                                      \
    }

static const struct tt_mock_spec relay = UNIT(relay_event);

/* What a source does. */
struct habit {
    const struct tt_mock_cue *cue;
    uint32_t n;
};

static struct tt_mock_spec source_of(struct habit h)
{
    struct tt_mock_spec s = UNIT(source_event);

    s.cue = h.cue;
    s.n_cue = h.n;
    return s;
}

/* --- the same scenario, flat and nested -------------------------------------
 */

#define END(more)                                                              \
    ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, "               \
    "\"endTime\": 3" more "}"
#define UNITS                                                                  \
    "\"{s}\": \"s\", \"{a}\": \"r\", \"{b}\": \"r\"}, \"instances\": "         \
    "{\"{s}\": [\"s\"], \"{a}\": [\"a\"], \"{b}\": [\"b\"]}"
#define CHAIN                                                                  \
    "\"connections\": {\"{s}.s.out\": [\"{a}.a.in\"], \"{a}.a.out\": "         \
    "[\"{b}.b.in\"]}"

#define FLAT(more)                                                             \
    "{\"fmus\": {" UNITS ", " CHAIN                                            \
    ", \"record\": [\"{s}.s.out\", \"{a}.a.out\", \"{b}.b.out\"]" END(more)

/* All of it, the end of the chain, its beginning, and its middle inside. */
static const char *const nested[] = {
    "{\"fmus\": {\"{c}\": {\"fmus\": {" UNITS ", " CHAIN
    "}}, \"instances\": {\"{c}\": [\"c\"]}, \"record\": "
    "[\"{c}.c.{s}.s.out\", \"{c}.c.{a}.a.out\", \"{c}.c.{b}.b.out\"]",
    "{\"fmus\": {\"{s}\": \"s\", \"{c}\": {\"fmus\": {\"{a}\": \"r\", \"{b}\": "
    "\"r\"}, \"connections\": {\"{a}.a.out\": [\"{b}.b.in\"]}}}, "
    "\"connections\": {\"{s}.s.out\": [\"{c}.c.{a}.a.in\"]}, \"record\": "
    "[\"{s}.s.out\", \"{c}.c.{a}.a.out\", \"{c}.c.{b}.b.out\"]",
    "{\"fmus\": {\"{c}\": {\"fmus\": {\"{s}\": \"s\", \"{a}\": \"r\"}, "
    "\"connections\": {\"{s}.s.out\": [\"{a}.a.in\"]}}, \"{b}\": \"r\"}, "
    "\"connections\": {\"{c}.c.{a}.a.out\": [\"{b}.b.in\"]}, \"record\": "
    "[\"{c}.c.{s}.s.out\", \"{c}.c.{a}.a.out\", \"{b}.b.out\"]",
    "{\"fmus\": {\"{s}\": \"s\", \"{c}\": {\"fmus\": {\"{a}\": \"r\"}, "
    "\"instances\": {\"{a}\": [\"a\"]}}, \"{b}\": \"r\"}, "
    "\"connections\": {\"{s}.s.out\": [\"{c}.c.{a}.a.in\"], "
    "\"{c}.c.{a}.a.out\": [\"{b}.b.in\"]}, \"record\": "
    "[\"{s}.s.out\", \"{c}.c.{a}.a.out\", \"{b}.b.out\"]",
};
#define N_NESTED (sizeof(nested) / sizeof(*nested))

static struct stage *played(const char *json, const struct tt_mock_spec *s,
                            enum tt_code want)
{
    struct stage *st = st_new();

    tt_mock_register("s", s);
    tt_mock_register("r", &relay);
    st->opts.microsteps = 1;
    st->opts.kind_cb = kinds;
    if (st_play(st, json) != want)
        fail_msg("%s\n%s", st->err.msg, json);
    return st;
}

/* Which column of `of` is this one of another, flat or nested? */
static uint32_t column_of(const struct stage *of, const char *name)
{
    const char *last = strrchr(name, '{');

    for (uint32_t i = 0; i < of->rows->n; i++) {
        const char *one = strrchr(of->rows->column[i].name, '{');

        if (last ? one && strcmp(one, last) == 0 : !one)
            return i;
    }
    fail_msg("no '%s'", name);
    return 0;
}

static void same_rows(const struct stage *a, const struct stage *b)
{
    assert_int_equal(a->n_row, b->n_row);
    assert_memory_equal(a->row_t, b->row_t, sizeof(a->row_t));
    assert_memory_equal(a->row_n, b->row_n, sizeof(a->row_n));
    for (uint32_t i = 0; i < a->rows->n; i++) {
        uint32_t k = column_of(b, a->rows->column[i].name);

        for (uint32_t n = 0; n < a->n_row; n++)
            assert_true(a->row_v[n][i] == b->row_v[n][k]);
    }
}

/* Returns the flat one, of units that are there until the next call; more:
 * further fields. */
static struct stage *compare(struct habit h, const char *flat, const char *more,
                             enum tt_code want)
{
    static struct tt_mock_spec s;
    struct stage *st;

    s = source_of(h);
    st = played(flat, &s, want);
    for (size_t i = 0; i < N_NESTED; i++) {
        struct tt_buf json;
        struct stage *one;

        tt_buf_init(&json, 1 << 16);
        tt_buf_fmt(&json, "%s%s", nested[i], more);
        one = played(json.data, &s, want);
        same_rows(one, st);
        tt_buf_fini(&json);
        st_free(one);
    }
    return st;
}

#define COMPARE(does, more, want)                                              \
    compare((struct habit){does, sizeof(does) / sizeof(*(does))}, FLAT(more),  \
            END(more), want)

static void an_event_at_the_end_of_a_step(void **state)
{
    static const struct tt_mock_cue at_2[] = {
        {.at = TT_MOCK_STEP, .time = 2, .act = TT_MOCK_EVENT}};
    struct stage *st = COMPARE(at_2, "", TT_OK);

    (void)state;
    assert_int_equal(st->n_row, 7);
    assert_true(st->row_v[5][2] == 21 && st->row_n[5] == 3);
    st_free(st);
}

#define ROLLBACK ", \"rollback\": true"

static void an_event_in_the_middle_of_a_step(void **state)
{
    static const struct tt_mock_cue early[] = {
        {.at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EARLY, .value = 1.25},
        {.at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EVENT}};
    struct stage *st = COMPARE(early, ROLLBACK, TT_OK);

    (void)state;
    assert_int_equal(st->n_row, 8);
    assert_true(st->row_t[2] == 1.25 && st->row_t[5] == 1.25);
    assert_true(st->row_v[5][2] == 21 && st->row_n[5] == 3);
    st_free(st);
}

static void an_event_where_a_step_begins(void **state)
{
    static const struct tt_mock_cue early[] = {
        {.at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EARLY, .value = 1},
        {.at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EVENT}};
    struct stage *st = COMPARE(early, ROLLBACK, TT_OK);

    (void)state;
    assert_int_equal(st->n_row, 7);
    assert_true(st->row_t[4] == 1 && st->row_n[4] == 3);
    st_free(st);
}

static void an_event_may_end_the_run(void **state)
{
    static const struct tt_mock_cue ends[] = {
        {.at = TT_MOCK_STEP, .time = 2, .act = TT_MOCK_EVENT},
        {.at = TT_MOCK_EVENT_UPDATE, .nth = 1, .act = TT_MOCK_TERMINATE}};
    struct stage *st = COMPARE(ends, "", TT_OK);

    (void)state;
    assert_int_equal(tt_run_why(st->run), TT_RUN_TERMINATED);
    assert_int_equal(st->n_row, 4);
    st_free(st);
}

static void a_failure_in_an_event_names_the_unit_inside(void **state)
{
    static const struct tt_mock_cue fails[] = {
        {.at = TT_MOCK_STEP, .time = 2, .act = TT_MOCK_EVENT},
        {.at = TT_MOCK_EVENT_UPDATE,
         .nth = 1,
         .act = TT_MOCK_ERROR,
         .text = "stuck"}};
    struct tt_mock_spec s = source_of((struct habit){fails, 2});
    struct tt_buf json;
    struct stage *st;

    (void)state;
    st_free(COMPARE(fails, "", TT_EUNIT));
    tt_buf_init(&json, 1 << 16);
    tt_buf_fmt(&json, "%s%s", nested[0], END(""));
    st = played(json.data, &s, TT_EUNIT);
    assert_string_equal(st->err.msg,
                        "instance '{c}.c' (composite): event_update at t=2: "
                        "instance '{c}.c/{s}.s' (mock): event_update at t=2: "
                        "stuck");
    tt_buf_fini(&json);
    st_free(st);
}

/* --- clocks inside ----------------------------------------------------------
 */

/* n belongs to its clock, and counts its ticks */
enum { C_CLOCK, C_N, C_COUNT };
static const struct tt_mock_port counter_port[] = {
    {.name = "c",
     .type = TT_CLOCK,
     .causality = TT_CAUS_INPUT,
     .ticks = {.interval = TT_INTERVAL_FIXED,
               .period = {3, 10},
               .shift = {1, 10}}},
    {.name = "n",
     .type = TT_I32,
     .causality = TT_CAUS_OUTPUT,
     .deps = "c",
     .clock = "c"},
    {.name = "count", .type = TT_I32}};

static void count_outputs(const struct tt_mock_view *v)
{
    *i32(v, C_N) = *i32(v, C_COUNT) + *(const uint8_t *)v->value[C_CLOCK];
}

static void count_event(const struct tt_mock_view *v, struct tt_event_result *r)
{
    uint8_t *tick = v->value[C_CLOCK];

    (void)r;
    *i32(v, C_COUNT) += *tick;
    *tick = 0;
}

/* A clock inside ticks once, at its instants, and what comes with it reaches
 * the outside in the same microstep. */
static void clocks_inside_tick_at_their_instants(void **state)
{
    struct tt_mock_spec s = UNIT(count_event);
    struct stage *flat, *st;

    (void)state;
    s.port = counter_port;
    s.n_port = 3;
    s.caps.clocks = 1;
    s.behaviour.outputs = count_outputs;
    s.starts_in_event_mode = 1;
    flat = played("{\"fmus\": {\"{s}\": \"s\", \"{b}\": \"r\"}, "
                  "\"connections\": {\"{s}.s.n\": [\"{b}.b.in\"]}, "
                  "\"record\": [\"{s}.s.n\", \"{b}.b.out\"]" END(""),
                  &s, TT_OK);
    st = played("{\"fmus\": {\"{c}\": {\"fmus\": {\"{s}\": \"s\"}, "
                "\"instances\": {\"{s}\": [\"s\"]}}, \"{b}\": \"r\"}, "
                "\"connections\": {\"{c}.c.{s}.s.n\": [\"{b}.b.in\"]}, "
                "\"record\": [\"{c}.c.{s}.s.n\", \"{b}.b.out\"]" END(""),
                &s, TT_OK);
    /* at 0.1, 0.4, ... 2.8: ten ticks */
    assert_true(flat->row_v[flat->n_row - 1][column_of(flat, "{s}.s.n")] == 10);
    assert_true(flat->row_v[flat->n_row - 1][column_of(flat, "{b}.b.out")] ==
                20);
    same_rows(st, flat);
    st_free(flat);
    st_free(st);
}

/* --- where events stay inside -----------------------------------------------
 */

/* Between two communication points, without rollback: handled there, and
 * reported. */
static void
an_event_between_the_points_of_others_is_handled_inside(void **state)
{
    static const struct tt_mock_cue at_half[] = {
        {.at = TT_MOCK_STEP, .time = 1.5, .act = TT_MOCK_EVENT}};
    struct tt_mock_spec s = source_of((struct habit){at_half, 1});
    struct stage *st;

    (void)state;
    st = played("{\"fmus\": {\"{c}\": {\"fmus\": {\"{s}\": \"s\", \"{a}\": "
                "\"r\"}, \"connections\": {\"{s}.s.out\": [\"{a}.a.in\"]}, "
                "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.5}}, "
                "\"{b}\": \"r\"}, \"connections\": {\"{c}.c.{a}.a.out\": "
                "[\"{b}.b.in\"]}, \"record\": [\"{b}.b.out\"]" END(""),
                &s, TT_OK);
    /* b has its event where the others see what became of it */
    assert_int_equal(st->n_row, 5);
    assert_true(st->row_t[2] == 2 && st->row_n[2] == 0);
    assert_true(st->row_t[3] == 2 && st->row_n[3] == 1);
    assert_true(st->row_v[2][column_of(st, "{b}.b.out")] == 0);
    assert_true(st->row_v[3][column_of(st, "{b}.b.out")] == 21);
    assert_non_null(strstr(
        st->logged.data,
        "note: instance '{c}.c' has an event at t=1.5 inside, between two "
        "communication points: it is handled there without the others, since "
        "steps are not rolled back (reported once)\n"));
    st_free(st);
}

static tt_unit_type *open_chain(const tt_scenario *inner)
{
    const struct tt_source src = {
        .path = "chain", .inner = inner, .kind_cb = kinds};
    tt_unit_type *t = NULL;

    assert_ok(tt_kind_composite.open(&t, &src, err));
    return t;
}

static int32_t out_of(tt_unit *u)
{
    uint32_t p = tt_desc_find(u->desc, "{b}.b.out");
    int32_t v = -1;

    assert_ok(tt_unit_get(u, &(struct tt_span){&p, 1, &v}, err));
    return v;
}

static void set_in(tt_unit *u, int32_t v)
{
    uint32_t p = tt_desc_find(u->desc, "{a}.a.in");

    assert_ok(tt_unit_set(u, &(struct tt_span){&p, 1, &v}, err));
}

static tt_unit *made_ready(tt_unit_type *t, const struct tt_make *m)
{
    static const struct tt_experiment e = {.start = 0, .end = 5};
    tt_unit *u = NULL;

    assert_ok(t->kind->make(&u, t, m, err));
    assert_ok(tt_unit_configure(u, err));
    assert_ok(tt_unit_enter_init(u, &e, err));
    assert_ok(tt_unit_exit_init(u, err));
    assert_ok(tt_unit_prepare(u, 1, err));
    return u;
}

/* Used without event mode it handles what it is given at once, and can go back
 * behind that. */
static void without_event_mode_what_is_set_is_an_event_inside(void **state)
{
    static const char text[] =
        "{\"fmus\": {\"{a}\": \"r\", \"{b}\": \"r\"}, \"connections\": "
        "{\"{a}.a.out\": [\"{b}.b.in\"]}}";
    const struct tt_make m = {.name = "c", .instance = "c"};
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    tt_scenario *inner = NULL;
    struct tt_stepped r;
    tt_unit_type *t;
    tt_unit *u;

    (void)state;
    tt_mock_register(NULL, NULL);
    tt_mock_register("r", &relay);
    o.inside = 1;
    assert_ok(tt_scenario_parse(&inner, "chain", "/", text, strlen(text), &o,
                                NULL, err));
    t = open_chain(inner);
    assert_true(t->desc.caps.event_mode);
    u = made_ready(t, &m);
    assert_int_equal(out_of(u), 0);
    set_in(u, 3);
    assert_int_equal(out_of(u), 23);
    set_in(u, 5);
    assert_ok(tt_unit_save(u, 0, err));
    assert_ok(tt_unit_step(u, &(struct tt_step){.to = 1}, &r, err));
    assert_int_equal(r.flags, 0);
    assert_int_equal(out_of(u), 25);
    set_in(u, 6);
    assert_int_equal(out_of(u), 26);
    assert_ok(tt_unit_restore(u, 0, err));
    assert_int_equal(out_of(u), 25);
    assert_true(u->now == 0);
    set_in(u, 5);
    assert_ok(tt_unit_step(u, &(struct tt_step){.to = 1}, &r, err));
    assert_int_equal(out_of(u), 25);
    tt_unit_free(u);
    t->kind->close(t);
    tt_scenario_free(inner);
}

/* named: at 0.7, and then every 1.5 s */
static void named_event(const struct tt_mock_view *v, struct tt_event_result *r)
{
    while (v->t >= 0.7 + 1.5 * *i32(v, OUT))
        ++*i32(v, OUT);
    r->next_defined = 1;
    r->next = 0.7 + 1.5 * *i32(v, OUT);
}

static int32_t step_to(tt_unit *u, double to)
{
    struct tt_stepped r;

    assert_ok(tt_unit_step(u, &(struct tt_step){.to = to}, &r, err));
    assert_int_equal(r.flags, 0);
    return out_of(u);
}

/* A step with events in it that is rolled back leaves no trace: neither of
 * values nor of when the next one is. */
static void a_step_with_events_that_is_rolled_back_leaves_no_trace(void **state)
{
    static const char text[] = "{\"fmus\": {\"{b}\": \"s\"}, \"instances\": "
                               "{\"{b}\": [\"b\"]}}";
    const struct tt_make m = {.name = "c", .instance = "c"};
    struct tt_mock_spec s = UNIT(named_event);
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    tt_scenario *inner = NULL;
    tt_unit_type *t;
    tt_unit *u;

    (void)state;
    s.starts_in_event_mode = 1;
    tt_mock_register(NULL, NULL);
    tt_mock_register("s", &s);
    o.inside = 1;
    assert_ok(tt_scenario_parse(&inner, "named", "/", text, strlen(text), &o,
                                NULL, err));
    t = open_chain(inner);
    u = made_ready(t, &m);
    assert_int_equal(step_to(u, 0.5), 0);
    assert_ok(tt_unit_save(u, 0, err));
    assert_int_equal(step_to(u, 4), 3); /* 0.7, 2.2, 3.7 */
    assert_ok(tt_unit_restore(u, 0, err));
    assert_int_equal(out_of(u), 0);
    assert_int_equal(step_to(u, 0.6), 0);
    assert_int_equal(step_to(u, 0.7), 1);
    assert_int_equal(step_to(u, 2), 1);
    assert_int_equal(step_to(u, 4), 3);
    tt_unit_free(u);
    t->kind->close(t);
    tt_scenario_free(inner);
}

/* --- where a root moves ------------------------------------------------------
 */

#define ULP (1.0 / ((uint64_t)1 << 52)) /* of 1 to 2 */

/* Stepped again it finds its event one ulp before or behind, or where it was,
 * or not at all: it stays where it named it, or has it there whatever it finds.
 */
static void a_root_that_moves_by_an_ulp(void **state)
{
    static const double again[] = {1.25 - ULP, 1.25, 1.25 + ULP};

    (void)state;
    for (size_t i = 0; i < sizeof(again) / sizeof(*again); i++)
        for (uint32_t n = 2; n <= 4; n += 2) {
            const struct tt_mock_cue cue[] = {
                {.at = TT_MOCK_STEP,
                 .nth = 2,
                 .act = TT_MOCK_EARLY,
                 .value = 1.25},
                {.at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EVENT},
                {.at = TT_MOCK_STEP,
                 .nth = 3,
                 .act = TT_MOCK_EARLY,
                 .value = again[i]},
                {.at = TT_MOCK_STEP, .nth = 3, .act = TT_MOCK_EVENT}};
            struct tt_mock_spec s = source_of((struct habit){cue, 2});
            struct stage *flat = played(FLAT(ROLLBACK), &s, TT_OK), *st;
            struct tt_buf json;

            tt_buf_init(&json, 1 << 16);
            tt_buf_fmt(&json, "%s%s", nested[0], END(ROLLBACK));
            s.n_cue = n;
            st = played(json.data, &s, TT_OK);
            same_rows(st, flat);
            assert_int_equal(flat->n_row, 8);
            tt_buf_fini(&json);
            st_free(flat);
            st_free(st);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_event_at_the_end_of_a_step),
        cmocka_unit_test(an_event_in_the_middle_of_a_step),
        cmocka_unit_test(an_event_where_a_step_begins),
        cmocka_unit_test(an_event_may_end_the_run),
        cmocka_unit_test(a_failure_in_an_event_names_the_unit_inside),
        cmocka_unit_test(clocks_inside_tick_at_their_instants),
        cmocka_unit_test(
            an_event_between_the_points_of_others_is_handled_inside),
        cmocka_unit_test(without_event_mode_what_is_set_is_an_event_inside),
        cmocka_unit_test(
            a_step_with_events_that_is_rolled_back_leaves_no_trace),
        cmocka_unit_test(a_root_that_moves_by_an_ulp),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
