/* SPDX-License-Identifier: MIT */
/* Events at shared instants, on mocks. */
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
#include "player/local_ranks.h"
#include "run/testing.h"

/* --- units ---------------------------------------------------------------
 */

static int32_t *i32(const struct tt_mock_view *v, uint32_t port)
{
    return v->value[port];
}

/* source: counts its events */
enum { S_OUT };
static const struct tt_mock_port source_port[] = {
    {.name = "out", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""}};

static void source_event(const struct tt_mock_view *v,
                         struct tt_event_result *r)
{
    (void)r;
    ++*i32(v, S_OUT);
}

/* relay: its output is its input plus 10, once updated */
enum { R_IN, R_OUT };
static const struct tt_mock_port relay_port[] = {
    {.name = "in", .type = TT_I32, .causality = TT_CAUS_INPUT},
    {.name = "out", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""}};

static void relay_event(const struct tt_mock_view *v, struct tt_event_result *r)
{
    (void)r;
    *i32(v, R_OUT) = *i32(v, R_IN) + 10;
}

/* wire: the same at once, in event mode */
static const struct tt_mock_port wire_port[] = {
    {.name = "in", .type = TT_I32, .causality = TT_CAUS_INPUT},
    {.name = "out", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = "in"}};

static void wire_outputs(const struct tt_mock_view *v)
{
    *i32(v, R_OUT) = *i32(v, R_IN) + 10;
}

/* what counts its events, besides an input */
enum { F_IN, F_OUT };
static void relay_like_event(const struct tt_mock_view *v,
                             struct tt_event_result *r)
{
    (void)r;
    ++*i32(v, F_OUT);
}

static void doubling_event(const struct tt_mock_view *v,
                           struct tt_event_result *r)
{
    (void)r;
    *tt_mock_f64(v, F_OUT) += 2;
}

#define EVENTFUL                                                               \
    {                                                                          \
        .evaluates = TT_EVAL_EVENT, .save = 1, .serialise = 1,                 \
        .variable_step = 1, .event_mode = 1, .early_return = 1                 \
    }

static const struct tt_mock_cue at_2 = {
    .at = TT_MOCK_STEP, .time = 2, .act = TT_MOCK_EVENT};

static struct tt_mock_spec source_of(struct stage *st,
                                     const struct tt_mock_cue *cue)
{
    return (struct tt_mock_spec){.model = "source",
                                 .port = source_port,
                                 .n_port = 1,
                                 .caps = EVENTFUL,
                                 .behaviour = {.event = source_event},
                                 .cue = cue,
                                 .n_cue = cue != NULL,
                                 .tape = &st->tape};
}

static struct tt_mock_spec relay_of(struct stage *st)
{
    return (struct tt_mock_spec){.model = "relay",
                                 .port = relay_port,
                                 .n_port = 2,
                                 .caps = EVENTFUL,
                                 .behaviour = {.event = relay_event},
                                 .tape = &st->tape};
}

static struct tt_mock_spec wire_of(struct stage *st)
{
    return (struct tt_mock_spec){.model = "wire",
                                 .port = wire_port,
                                 .n_port = 2,
                                 .caps = EVENTFUL,
                                 .behaviour = {.outputs = wire_outputs},
                                 .tape = &st->tape};
}

/* --- rows ----------------------------------------------------------------
 */

/* "0: 0 0; 1: 0 0; 2: ..." */
static const char *rows(const struct stage *st)
{
    static char text[4096];
    struct tt_buf b;
    char t[TT_NUM_MAX], v[TT_NUM_MAX];

    tt_buf_init(&b, sizeof(text));
    for (uint32_t i = 0; i < st->n_row && i < 64; i++) {
        tt_num_print_short(t, st->row_t[i]);
        tt_buf_fmt(&b, "%s%s.%u:", i ? "; " : "", t, st->row_n[i]);
        for (uint32_t k = 0; k < st->rows->n; k++) {
            tt_num_print_short(v, st->row_v[i][k]);
            tt_buf_fmt(&b, " %s", v);
        }
    }
    (void)snprintf(text, sizeof(text), "%s", b.data ? b.data : "");
    tt_buf_fini(&b);
    return text;
}

#define FIXED    ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}"
#define UNTIL(t) ", \"endTime\": " #t "}"
#define CHAIN                                                                  \
    "{\"fmus\": {\"{s}\": \"s\", \"{r}\": \"r\"}, \"connections\": "           \
    "{\"{s}.s.out\": [\"{r}.a.in\"], \"{r}.a.out\": [\"{r}.b.in\"]}, "         \
    "\"record\": [\"{s}.s.out\", \"{r}.a.out\", \"{r}.b.out\"]"

#define RANKS 3

struct band {
    tt_local_ranks *ranks;
    struct stage *at[RANKS];
    enum tt_code rc[RANKS];
    const char *json;
};

static void play_rank(void *ctx, uint32_t rank)
{
    struct band *b = ctx;

    b->at[rank]->opts.link = tt_local_ranks_link(b->ranks, rank);
    b->rc[rank] = st_play(b->at[rank], b->json);
}

static void same_as_alone(const struct stage *one, const struct stage *alone)
{
    assert_string_equal(one->err.msg, alone->err.msg);
    assert_string_equal(tt_run_sentence(one->run), tt_run_sentence(alone->run));
    assert_int_equal(tt_run_steps(one->run), tt_run_steps(alone->run));
    assert_int_equal(one->n_row, alone->n_row);
    assert_memory_equal(one->row_t, alone->row_t, sizeof(one->row_t));
    assert_memory_equal(one->row_n, alone->row_n, sizeof(one->row_n));
    assert_memory_equal(one->row_v, alone->row_v, sizeof(one->row_v));
}

/* What one has played several play alike. */
static void same_on_ranks(const struct stage *alone, enum tt_code rc,
                          struct tt_mock_spec s, struct tt_mock_spec r,
                          const char *json)
{
    s.tape = r.tape = NULL;
    for (uint32_t n = 2; n <= RANKS; n++) {
        struct band b = {.json = json, .ranks = tt_local_ranks_new(n)};

        for (uint32_t i = 0; i < n; i++) {
            b.at[i] = st_new();
            b.at[i]->opts = alone->opts;
        }
        tt_mock_register("s", &s);
        tt_mock_register("r", &r);
        tt_local_ranks_play(b.ranks, play_rank, &b);
        same_as_alone(b.at[0], alone);
        for (uint32_t i = 0; i < n; i++) {
            assert_int_equal(b.rc[i], rc);
            assert_string_equal(b.at[i]->err.msg, alone->err.msg);
            st_free(b.at[i]);
        }
        tt_local_ranks_free(b.ranks);
    }
}

static struct stage *play_to(struct stage *st, enum tt_code want,
                             const struct tt_mock_spec *s,
                             const struct tt_mock_spec *r, const char *json)
{
    enum tt_code rc;

    tt_mock_register("s", s);
    tt_mock_register("r", r);
    rc = st_play(st, json);
    if (rc != want)
        fail_msg("%s", st->err.msg);
    same_on_ranks(st, rc, *s, *r, json);
    return st;
}

static struct stage *play(struct stage *st, const struct tt_mock_spec *s,
                          const struct tt_mock_spec *r, const char *json)
{
    return play_to(st, TT_OK, s, r, json);
}

/* --- microsteps ----------------------------------------------------------
 */

static void an_event_runs_down_a_chain_by_microsteps(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, &at_2), r = relay_of(st);

    (void)state;
    st->opts.microsteps = 1;
    play(st, &s, &r, CHAIN FIXED UNTIL(3));
    assert_string_equal(
        rows(st), "0.0: 0 0 0 0; 1.0: 0 0 0 0; 2.0: 0 0 0 0; 2.1: 1 0 0 1; "
                  "2.2: 1 11 0 2; 2.3: 1 11 21 3; 3.0: 1 11 21 0");
    st_free(st);
}

static void both_limits_are_rows(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, &at_2), r = relay_of(st);

    (void)state;
    play(st, &s, &r, CHAIN FIXED UNTIL(3));
    assert_string_equal(rows(st), "0.0: 0 0 0; 1.0: 0 0 0; 2.0: 0 0 0; "
                                  "2.3: 1 11 21; 3.0: 1 11 21");
    st_free(st);
}

/* What follows without an update follows in the same microstep. */
static void what_evaluates_follows_at_once(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, &at_2), r = wire_of(st);

    (void)state;
    st->opts.microsteps = 1;
    play(st, &s, &r, CHAIN FIXED UNTIL(2));
    assert_string_equal(rows(st),
                        "0.0: 0 10 20 0; 1.0: 0 10 20 0; 2.0: 0 10 20 0; 2.1: "
                        "1 10 20 1; 2.2: 1 11 21 2");
    st_free(st);
}

/* Discrete inputs are set in event mode and nowhere else; who does not take
 * part is left alone. */
static void the_calls_of_an_event(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, &at_2), r = relay_of(st);

    (void)state;
    tt_mock_register("s", &s);
    tt_mock_register("r", &r);
    assert_string_equal(
        st_step_tape(st, CHAIN FIXED UNTIL(3), 2),
        "s.step 2; a.step 2; b.step 2; s.get out; a.get out; b.get out; "
        "s.event_enter; s.get out; s.event_update; s.get out; "
        "a.event_enter; a.set in; a.get out; a.event_update; a.get out; "
        "b.event_enter; b.set in; b.get out; b.event_update; b.get out; "
        "s.event_leave; a.event_leave; b.event_leave");
    tt_buf_clear(&st->tape);
    assert_int_equal(tt_run_step(st->run, &st->err), TT_OK);
    assert_string_equal(st->tape.data,
                        "s.step 3; a.step 3; b.step 3; s.get out; a.get out; "
                        "b.get out");
    st_free(st);
}

/* --- when ----------------------------------------------------------------
 */

/* ticker: an event at 0.7, then every 1.5 s */
static void ticker_event(const struct tt_mock_view *v,
                         struct tt_event_result *r)
{
    if (v->t >= 0.7)
        ++*i32(v, S_OUT);
    r->next_defined = 1;
    r->next = 0.7 + 1.5 * *i32(v, S_OUT);
}

static struct tt_mock_spec ticker_of(struct stage *st)
{
    struct tt_mock_spec s = source_of(st, NULL);

    s.behaviour.event = ticker_event;
    s.starts_in_event_mode = 1;
    return s;
}

#define ALONE                                                                  \
    "{\"fmus\": {\"{s}\": \"s\"}, \"instances\": {\"{s}\": [\"s\"]}, "         \
    "\"record\": [\"{s}.s.out\"]"

/* The grid goes on behind an event between its points. */
static void next_events_are_instants(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec s = ticker_of(st), r = relay_of(st);

    (void)state;
    play(st, &s, &r, ALONE FIXED UNTIL(3));
    assert_string_equal(rows(st),
                        "0.0: 0; 0.7.0: 0; 0.7.1: 1; 1.0: 1; 2.0: 1; 2.2.0: 1; "
                        "2.2.1: 2; 3.0: 2");
    assert_int_equal(tt_run_steps(st->run), 5);
    st_free(st);
}

/* No rank begins with events where another could not begin at all. */
static void a_start_that_fails_has_no_event(void **state)
{
    static const struct tt_mock_cue cue = {.at = TT_MOCK_EXIT_INIT,
                                           .nth = 1,
                                           .act = TT_MOCK_ERROR,
                                           .text = "not ready"};
    struct stage *st = st_new();
    struct tt_mock_spec s = ticker_of(st), r = relay_of(st);

    (void)state;
    s.cue = &cue;
    s.n_cue = 1;
    play_to(st, TT_EUNIT, &s, &r, CHAIN FIXED UNTIL(3));
    assert_string_equal(st->err.msg,
                        "instance '{s}.s' (mock): exit_init: not ready");
    st_free(st);
}

static void variable_steps_end_at_events_too(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec s = ticker_of(st), r = relay_of(st);

    (void)state;
    play(st, &s, &r,
         ALONE ", \"algorithm\": {\"type\": \"var-step\", \"size\": [1e-3, "
               "1], \"initsize\": 1, \"constraints\": {}}" UNTIL(2));
    assert_string_equal(rows(st),
                        "0.0: 0; 0.7.0: 0; 0.7.1: 1; 1.7.0: 1; 2.0: 1");
    st_free(st);
}

static void an_event_waits_for_units_that_cannot_vary_their_step(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec s = ticker_of(st), r = relay_of(st);

    (void)state;
    s.caps.variable_step = 0;
    play(st, &s, &r, ALONE FIXED UNTIL(2));
    assert_string_equal(rows(st), "0.0: 0; 1.0: 0; 1.1: 1; 2.0: 1");
    assert_non_null(strstr(
        st->logged.data,
        "warning: instance '{s}.s' has an event at t=0.7, handled at the "
        "communication point t=1: not all instances can vary their step "
        "(reported once)\n"));
    st_free(st);
}

/* An event at the end of the run is played. */
static void the_last_instant_has_its_event(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, &at_2), r = relay_of(st);

    (void)state;
    play(st, &s, &r, ALONE FIXED UNTIL(2));
    assert_string_equal(rows(st), "0.0: 0; 1.0: 0; 2.0: 0; 2.1: 1");
    assert_int_equal(tt_run_why(st->run), TT_RUN_COMPLETE);
    st_free(st);
}

/* --- early returns -------------------------------------------------------
 */

#define ROLLBACK ", \"rollback\": true"

/* Stepped again it would not find its event: it stays where it named it. */
static void the_unit_that_names_an_event_stays(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EARLY, .value = 1.25},
        {.at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EVENT}};
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, cue), r = relay_of(st);

    (void)state;
    s.n_cue = 2;
    play(st, &s, &r, CHAIN FIXED ROLLBACK UNTIL(3));
    assert_string_equal(rows(st),
                        "0.0: 0 0 0; 1.0: 0 0 0; 1.25.0: 0 0 0; 1.25.3: 1 11 "
                        "21; 2.0: 1 11 21; 3.0: 1 11 21");
    assert_non_null(strstr(st->tape.data,
                           "s.step 2; a.restore 0; b.restore 0; a.step 1.25; "
                           "b.step 1.25; s.get out"));
    st_free(st);
}

static const struct tt_mock_port fed_port[] = {
    {.name = "u", .causality = TT_CAUS_INPUT, .reactivity = TT_REACT_REACTIVE},
    {.name = "out", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""}};

#define ULP (1.0 / ((uint64_t)1 << 52)) /* of 1 to 2 */

/* One that is fed by others in the step may be given something else in a
 * shorter one: it steps again, and has its event whatever it finds: nothing, or
 * its event where it was, or an ulp before or behind. */
static void a_fed_unit_steps_again_and_has_its_event(void **state)
{
    static const double again[] = {1.25, 1.25 - ULP, 1.25 + ULP, 1.25 - 3 * ULP,
                                   9};

    (void)state;
    for (size_t i = 0; i < sizeof(again) / sizeof(*again); i++) {
        const struct tt_mock_cue cue[] = {
            {.at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EARLY, .value = 1.25},
            {.at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EVENT},
            {.at = TT_MOCK_STEP,
             .nth = 3,
             .act = TT_MOCK_EARLY,
             .value = again[i]},
            {.at = TT_MOCK_STEP, .nth = 3, .act = TT_MOCK_EVENT}};
        struct stage *st = st_new();
        struct tt_mock_spec s = source_of(st, cue);

        s.n_cue = again[i] > 2 ? 2 : 4;
        s.port = fed_port;
        s.n_port = 2;
        s.behaviour.event = relay_like_event;
        play(st, &s, &tt_mock_integrator,
             "{\"fmus\": {\"{s}\": \"s\", \"{r}\": \"r\"}, \"connections\": "
             "{\"{r}.i.y\": [\"{s}.s.u\"]}, \"record\": [\"{s}.s.out\"]" FIXED
                 ROLLBACK UNTIL(2));
        assert_string_equal(
            rows(st), "0.0: 0 0; 1.0: 0 0; 1.25.0: 0 0; 1.25.1: 0 1; 2.0: 0 1");
        assert_non_null(strstr(st->tape.data, "s.restore 0"));
        st_free(st);
    }
}

/* --- steps that are repeated, doubled, or several ------------------------ */

/* in a ring with another */
static const struct tt_mock_port ring_port[] = {
    {.name = "u", .causality = TT_CAUS_INPUT, .reactivity = TT_REACT_EITHER},
    {.name = "out", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""},
    {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = ""}};

/* Flags of a turn that does not stand do not count. */
static void events_of_turns_that_do_not_stand_do_not_count(void **state)
{
    /* steps 1, 2 and 3 are the turns of the first macro step */
    static const struct tt_mock_cue trial[] = {
        {.at = TT_MOCK_STEP, .nth = 5, .act = TT_MOCK_EVENT}};
    static const struct tt_mock_cue last[] = {
        {.at = TT_MOCK_STEP, .nth = 6, .act = TT_MOCK_EVENT}};
    static const struct tt_mock_cue *const cue[] = {trial, last};
    static const char *const want[] = {
        "0.0: 0 0 0; 1.0: 0 0 0; 2.0: 0 0 0; 3.0: 0 0 0",
        "0.0: 0 0 0; 1.0: 0 0 0; 2.0: 0 0 0; 2.1: 0 0 1; 3.0: 0 0 1"};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct stage *st = st_new();
        struct tt_mock_spec s = source_of(st, cue[i]);

        s.port = ring_port;
        s.n_port = 3;
        s.behaviour.event = relay_like_event;
        play(st, &s, &tt_mock_integrator,
             "{\"fmus\": {\"{s}\": \"s\", \"{r}\": \"r\"}, \"connections\": "
             "{\"{r}.i.y\": [\"{s}.s.u\"], \"{s}.s.y\": [\"{r}.i.u\"]}, "
             "\"record\": [\"{s}.s.out\"], \"iterate\": 3" FIXED UNTIL(3));
        assert_string_equal(rows(st), want[i]);
        st_free(st);
    }
}

/* Nor is an instant that such a turn names more than a place to step to. */
static void an_instant_of_a_turn_is_no_event(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .nth = 4, .act = TT_MOCK_EARLY, .value = 1.25},
        {.at = TT_MOCK_STEP, .nth = 4, .act = TT_MOCK_EVENT}};
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, cue);

    (void)state;
    s.n_cue = 2;
    s.port = ring_port;
    s.n_port = 3;
    s.behaviour.event = relay_like_event;
    play(st, &s, &tt_mock_integrator,
         "{\"fmus\": {\"{s}\": \"s\", \"{r}\": \"r\"}, \"connections\": "
         "{\"{r}.i.y\": [\"{s}.s.u\"], \"{s}.s.y\": [\"{r}.i.u\"]}, "
         "\"record\": [\"{s}.s.out\"], \"iterate\": 3" FIXED ROLLBACK UNTIL(2));
    assert_string_equal(rows(st),
                        "0.0: 0 0 0; 1.0: 0 0 0; 1.25.0: 0 0 0; 2.0: 0 0 0");
    st_free(st);
}

/* The third of four steps in a macro step ends at 1.75 with an event: so does
 * the macro step, and all are there. */
static void an_event_at_a_sub_step_ends_the_macro_step(void **state)
{
    static const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 7, .act = TT_MOCK_EVENT};
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, &cue), r = relay_of(st);

    (void)state;
    play(st, &s, &r,
         CHAIN ", \"rates\": {\"{s}.s\": 4}" FIXED ROLLBACK UNTIL(3));
    assert_string_equal(rows(st),
                        "0.0: 0 0 0; 1.0: 0 0 0; 1.75.0: 0 0 0; 1.75.3: 1 11 "
                        "21; 2.0: 1 11 21; 3.0: 1 11 21");
    st_free(st);
}

/* Where that cannot be rolled back, it keeps its events to itself. */
static void without_rollback_sub_steps_have_no_events(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec s = ticker_of(st), r = relay_of(st);

    (void)state;
    play(st, &s, &r, CHAIN ", \"rates\": {\"{s}.s\": 4}" FIXED UNTIL(2));
    assert_string_equal(rows(st), "0.0: 0 0 0; 1.0: 0 0 0; 2.0: 0 0 0");
    assert_non_null(strstr(st->logged.data,
                           "events: {s}.s: inside the instance, since it makes "
                           "several steps in one macro step, which cannot be "
                           "rolled back"));
    st_free(st);
}

/* Steps 1 to 3 are the whole and the halves of the first; the fifth is the
 * first half of the second, which ends in an event. */
static void an_event_in_the_middle_of_halves_ends_the_step_there(void **state)
{
    static const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 5, .act = TT_MOCK_EVENT};
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, &cue);

    (void)state;
    s.port = ring_port;
    s.n_port = 3;
    s.behaviour.event = relay_like_event;
    play(st, &s, &tt_mock_integrator,
         "{\"fmus\": {\"{s}\": \"s\", \"{r}\": \"r\"}, \"connections\": "
         "{\"{r}.i.y\": [\"{s}.s.u\"], \"{s}.s.y\": [\"{r}.i.u\"]}, "
         "\"record\": [\"{s}.s.out\"], \"algorithm\": {\"type\": "
         "\"var-step\", \"size\": [1e-3, 1], \"initsize\": 1, "
         "\"constraints\": {\"e\": {\"type\": \"error\", \"method\": "
         "\"richardson\", \"abstol\": 1e-3, \"reltol\": 1e-3}}}" UNTIL(2));
    assert_string_equal(rows(st),
                        "0.0: 0 0 0; 1.0: 0 0 0; 1.5.0: 0 0 0; 1.5.1: 0 0 1; "
                        "2.0: 0 0 1");
    st_free(st);
}

/* An event where a step was to begin is handled before it is made. */
static void an_event_where_a_step_begins(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EARLY, .value = 1},
        {.at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_EVENT}};
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, cue), r = relay_of(st);

    (void)state;
    s.n_cue = 2;
    play(st, &s, &r, CHAIN FIXED ROLLBACK UNTIL(2));
    assert_string_equal(rows(st),
                        "0.0: 0 0 0; 1.0: 0 0 0; 1.3: 1 11 21; 2.0: 1 11 21");
    assert_int_equal(tt_run_steps(st->run), 2);
    st_free(st);
}

/* --- ends ----------------------------------------------------------------
 */

static void again_event(const struct tt_mock_view *v, struct tt_event_result *r)
{
    ++*i32(v, S_OUT);
    r->again = *(const int32_t *)v->ctx == 0 || *i32(v, S_OUT) < 3;
}

static void a_unit_may_ask_for_more(void **state)
{
    static const int32_t thrice = 1;
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, &at_2), r = relay_of(st);

    (void)state;
    s.behaviour.event = again_event;
    s.ctx = &thrice;
    play(st, &s, &r, ALONE FIXED UNTIL(2));
    assert_string_equal(rows(st), "0.0: 0; 1.0: 0; 2.0: 0; 2.3: 3");
    st_free(st);
}

static void events_without_end_are_named(void **state)
{
    static const int32_t for_ever = 0;
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, &at_2), r = relay_of(st);

    (void)state;
    s.behaviour.event = again_event;
    s.ctx = &for_ever;
    play_to(st, TT_EUNIT, &s, &r, ALONE FIXED UNTIL(2));
    assert_string_equal(st->err.msg,
                        "events at t=2 do not come to an end: after 10000 "
                        "microsteps instance '{s}.s' asks for another");
    assert_int_equal(st->n_row, 3);
    st_free(st);
}

static void values_that_never_settle_are_named(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, &at_2), r = relay_of(st);

    (void)state;
    s.port = relay_port; /* both add 10 to what the other states */
    s.n_port = 2;
    s.behaviour.event = relay_event;
    play_to(st, TT_EUNIT, &s, &r,
            "{\"fmus\": {\"{s}\": \"s\", \"{r}\": \"r\"}, \"connections\": "
            "{\"{s}.s.out\": [\"{r}.a.in\"], \"{r}.a.out\": "
            "[\"{s}.s.in\"]}" FIXED UNTIL(2));
    assert_string_equal(st->err.msg,
                        "events at t=2 do not come to an end: after 10000 "
                        "microsteps '{s}.s.in' has another value every time");
    st_free(st);
}

static void an_event_may_end_the_run(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .time = 2, .act = TT_MOCK_EVENT},
        {.at = TT_MOCK_EVENT_UPDATE, .nth = 1, .act = TT_MOCK_TERMINATE}};
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, cue), r = relay_of(st);

    (void)state;
    s.n_cue = 2;
    play(st, &s, &r, ALONE FIXED UNTIL(5));
    assert_string_equal(rows(st), "0.0: 0; 1.0: 0; 2.0: 0; 2.1: 1");
    assert_int_equal(tt_run_why(st->run), TT_RUN_TERMINATED);
    assert_string_equal(tt_run_sentence(st->run),
                        "ended by instance '{s}.s' at t=2 s");
    st_free(st);
}

static void a_failure_in_an_event_names_call_and_time(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .time = 2, .act = TT_MOCK_EVENT},
        {.at = TT_MOCK_EVENT_UPDATE,
         .nth = 1,
         .act = TT_MOCK_ERROR,
         .text = "the valve is stuck"}};
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, cue), r = relay_of(st);

    (void)state;
    s.n_cue = 2;
    play_to(st, TT_EUNIT, &s, &r, CHAIN FIXED UNTIL(5));
    assert_string_equal(st->err.msg,
                        "instance '{s}.s' (mock): event_update at t=2: the "
                        "valve is stuck");
    assert_int_equal(st->n_row, 3);
    st_free(st);
}

/* --- units of both sorts --------------------------------------------------
 */

/* A unit without event mode is set, and read again where it evaluates; what it
 * states changes others in turn. */
static void units_without_event_mode_are_merely_set(void **state)
{
    static const struct tt_mock_port port[] = {
        {.name = "u", .causality = TT_CAUS_INPUT},
        {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = ""}};
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, &at_2), g = tt_mock_gain;

    (void)state;
    s.port = port;
    s.n_port = 2;
    s.behaviour.event = doubling_event;
    g.tape = &st->tape;
    play(st, &s, &g,
         "{\"fmus\": {\"{s}\": \"s\", \"{r}\": \"r\"}, \"connections\": "
         "{\"{s}.s.y\": [\"{r}.g.u\"]}, \"parameters\": {\"{r}.g.k\": 3}, "
         "\"record\": [\"{s}.s.y\", \"{r}.g.y\"]" FIXED UNTIL(3));
    assert_string_equal(rows(st), "0.0: 0 0; 1.0: 0 0; 2.0: 0 0; 2.2: 2 6; "
                                  "3.0: 2 6");
    assert_non_null(strstr(st->tape.data, "s.event_update; s.get y; g.set u; "
                                          "g.get y; s.event_leave"));
    st_free(st);
}

/* What comes from a unit without event mode is an event for one that has. */
static void a_discrete_input_that_changed_is_an_event(void **state)
{
    struct stage *st = st_new();
    struct tt_mock_spec s = tt_mock_counter, r = relay_of(st);

    (void)state;
    play(st, &s, &r,
         "{\"fmus\": {\"{s}\": \"s\", \"{r}\": \"r\"}, \"connections\": "
         "{\"{s}.s.n\": [\"{r}.a.in\"]}, \"record\": [\"{s}.s.n\", "
         "\"{r}.a.out\"]" FIXED UNTIL(2));
    assert_string_equal(rows(st),
                        "0.0: 0 0; 1.0: 1 0; 1.1: 1 11; 2.0: 2 11; 2.1: 2 12");
    st_free(st);
}

/* --- clocks --------------------------------------------------------------
 */

/* clock: ticks at every second update of it, and states how often */
enum { C_TICK, C_VALUE, C_N };
static const struct tt_mock_port clock_port[] = {
    {.name = "tick", .type = TT_CLOCK, .causality = TT_CAUS_OUTPUT, .deps = ""},
    {.name = "value",
     .type = TT_I32,
     .causality = TT_CAUS_OUTPUT,
     .deps = "",
     .clock = "tick"},
    {.name = "n", .type = TT_I32}};

static void clock_event(const struct tt_mock_view *v, struct tt_event_result *r)
{
    (void)r;
    ++*i32(v, C_N);
}

static void clock_outputs(const struct tt_mock_view *v)
{
    *(uint8_t *)v->value[C_TICK] = *i32(v, C_N) % 2 == 1;
    *i32(v, C_VALUE) = 100 + *i32(v, C_N);
}

/* counter of ticks: what came with them */
enum { T_TICK, T_IN, T_SUM, T_UPDATES };
static const struct tt_mock_port ticked_port[] = {
    {.name = "tick", .type = TT_CLOCK, .causality = TT_CAUS_INPUT},
    {.name = "in", .type = TT_I32, .causality = TT_CAUS_INPUT, .clock = "tick"},
    {.name = "sum", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""},
    {.name = "updates",
     .type = TT_I32,
     .causality = TT_CAUS_OUTPUT,
     .deps = ""}};

static void ticked_event(const struct tt_mock_view *v,
                         struct tt_event_result *r)
{
    (void)r;
    *i32(v, T_SUM) += *i32(v, T_IN);
    ++*i32(v, T_UPDATES);
}

/* The values of a clock are moved in the microstep it ticks in, and only
 * then; a unit whose clock does not tick does not take part. */
static void values_come_with_their_clock(void **state)
{
    static const struct tt_mock_cue each = {
        .at = TT_MOCK_STEP, .nth = 1, .every = 1, .act = TT_MOCK_EVENT};
    struct stage *st = st_new();
    struct tt_mock_spec s = source_of(st, &each), r = relay_of(st);

    (void)state;
    s.port = clock_port;
    s.n_port = 3;
    s.behaviour = (struct tt_mock_behaviour){.event = clock_event,
                                             .outputs = clock_outputs};
    r.port = ticked_port;
    r.n_port = 4;
    r.behaviour.event = ticked_event;
    play(st, &s, &r,
         "{\"fmus\": {\"{s}\": \"s\", \"{r}\": \"r\"}, \"connections\": "
         "{\"{s}.s.tick\": [\"{r}.a.tick\"], \"{s}.s.value\": "
         "[\"{r}.a.in\"]}, \"record\": [\"{r}.a.sum\", "
         "\"{r}.a.updates\"]" FIXED UNTIL(4));
    /* n is 0, 1, 2, 3 when it is read: it ticks at t = 2 and 4 */
    assert_string_equal(rows(st),
                        "0.0: 100 0 0; 1.0: 100 0 0; 1.1: 100 0 0; 2.0: 100 0 "
                        "0; 2.1: 101 101 1; 3.0: 101 101 1; 3.1: 101 101 1; "
                        "4.0: 101 101 1; 4.1: 103 204 2");
    st_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(next_events_are_instants),
        cmocka_unit_test(a_start_that_fails_has_no_event),
        cmocka_unit_test(variable_steps_end_at_events_too),
        cmocka_unit_test(an_event_waits_for_units_that_cannot_vary_their_step),
        cmocka_unit_test(the_last_instant_has_its_event),
        cmocka_unit_test(the_unit_that_names_an_event_stays),
        cmocka_unit_test(a_fed_unit_steps_again_and_has_its_event),
        cmocka_unit_test(an_event_where_a_step_begins),
        cmocka_unit_test(events_of_turns_that_do_not_stand_do_not_count),
        cmocka_unit_test(an_instant_of_a_turn_is_no_event),
        cmocka_unit_test(an_event_at_a_sub_step_ends_the_macro_step),
        cmocka_unit_test(without_rollback_sub_steps_have_no_events),
        cmocka_unit_test(an_event_in_the_middle_of_halves_ends_the_step_there),
        cmocka_unit_test(a_unit_may_ask_for_more),
        cmocka_unit_test(events_without_end_are_named),
        cmocka_unit_test(values_that_never_settle_are_named),
        cmocka_unit_test(an_event_may_end_the_run),
        cmocka_unit_test(a_failure_in_an_event_names_call_and_time),
        cmocka_unit_test(units_without_event_mode_are_merely_set),
        cmocka_unit_test(a_discrete_input_that_changed_is_an_event),
        cmocka_unit_test(values_come_with_their_clock),
        cmocka_unit_test(an_event_runs_down_a_chain_by_microsteps),
        cmocka_unit_test(both_limits_are_rows),
        cmocka_unit_test(what_evaluates_follows_at_once),
        cmocka_unit_test(the_calls_of_an_event),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
