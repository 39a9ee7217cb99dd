/* SPDX-License-Identifier: MIT */
/* Runs that begin with what another one led to, whatever its settings. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "kinds/kinds.h"
#include "run/testing.h"

#define T     1.0 /* s: where they begin */
#define GRID  "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.125}"
#define MODEL "tutti:"
#define BALL  TT_BUILD_DIR "/examples/bouncing-ball/bouncing_ball.fmu"

/* A counter by a clock that ticks at 0.1, 0.4, 0.7, 1.0, 1.3 ... */
enum { CLOCK, COUNT, N };
static const struct tt_mock_port counter_port[] = {
    {.name = "c",
     .type = TT_CLOCK,
     .causality = TT_CAUS_INPUT,
     .ticks = {.interval = TT_INTERVAL_FIXED,
               .period = {3, 10},
               .shift = {1, 10}}},
    {.name = "count", .type = TT_I32},
    {.name = "n",
     .type = TT_I32,
     .causality = TT_CAUS_OUTPUT,
     .deps = "c",
     .clock = "c"}};

static void count_outputs(const struct tt_mock_view *v)
{
    *(int32_t *)v->value[N] =
        *(int32_t *)v->value[COUNT] + *(uint8_t *)v->value[CLOCK];
}

static void count_event(const struct tt_mock_view *v, struct tt_event_result *r)
{
    (void)r;
    *(int32_t *)v->value[COUNT] += *(uint8_t *)v->value[CLOCK];
    *(uint8_t *)v->value[CLOCK] = 0;
}

static const struct tt_mock_spec counter = {
    .model = "counter",
    .port = counter_port,
    .n_port = 3,
    .caps = {.evaluates = TT_EVAL_EVENT,
             .save = 1,
             .serialise = 1,
             .variable_step = 1,
             .event_mode = 1,
             .clocks = 1},
    .behaviour = {.outputs = count_outputs, .event = count_event},
    .starts_in_event_mode = 1};

#define CLOCKED(more)                                                          \
    "{\"fmus\": {\"{c}\": \"c\", \"{i}\": \"i\"}, \"instances\": {\"{c}\": "   \
    "[\"a\"], \"{i}\": [\"x\"]}, \"record\": [\"{c}.a.n\", \"{i}.x.y\"], "     \
    "\"parameters\": {\"{i}.x.u\": 1}, " GRID more ", \"endTime\": 3}"

/* One that has an event every quarter of a second, by its own time. */
static const struct tt_mock_port ticker_port[] = {
    {.name = "n", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""}};

static void tick(const struct tt_mock_view *v, struct tt_event_result *r)
{
    ++*(int32_t *)v->value[0];
    r->next_defined = 1;
    r->next = v->t + 0.25;
}

static const struct tt_mock_spec ticker = {.model = "ticker",
                                           .port = ticker_port,
                                           .n_port = 1,
                                           .caps = {.evaluates = TT_EVAL_EVENT,
                                                    .save = 1,
                                                    .serialise = 1,
                                                    .variable_step = 1,
                                                    .event_mode = 1},
                                           .behaviour = {.event = tick},
                                           .starts_in_event_mode = 1};

static const char ticked[] =
    "{\"fmus\": {\"{t}\": \"t\"}, \"instances\": {\"{t}\": [\"a\"]}, "
    "\"record\": [\"{t}.a.n\"], " GRID ", \"endTime\": 3}";

/* One whose clock ticks at 0, 0.4, 0.8, 1.2 ..., and what comes with it. */
enum { CHIME, STROKE };
static const struct tt_mock_port chime_port[] = {
    {.name = "c", .type = TT_CLOCK, .causality = TT_CAUS_OUTPUT, .deps = ""},
    {.name = "stroke",
     .type = TT_I32,
     .causality = TT_CAUS_OUTPUT,
     .deps = "",
     .clock = "c"}};

static void chime_outputs(const struct tt_mock_view *v)
{
    *(uint8_t *)v->value[CHIME] = 1; /* whenever there is an event */
}

static void chime(const struct tt_mock_view *v, struct tt_event_result *r)
{
    ++*(int32_t *)v->value[STROKE];
    r->next_defined = 1;
    r->next = v->t + 0.4;
}

static const struct tt_mock_spec chimes = {
    .model = "chimes",
    .port = chime_port,
    .n_port = 2,
    .caps = {.evaluates = TT_EVAL_EVENT,
             .save = 1,
             .serialise = 1,
             .variable_step = 1,
             .event_mode = 1},
    .behaviour = {.outputs = chime_outputs, .event = chime},
    .starts_in_event_mode = 1};

static const char chimed[] =
    "{\"fmus\": {\"{m}\": \"m\"}, \"instances\": {\"{m}\": [\"a\"]}, "
    "\"record\": [\"{m}.a.stroke\"], " GRID ", \"endTime\": 3}";

/* Random numbers, a queue and what waits in it. */
static const char queue[] =
    "{\"fmus\": {\"{g}\": \"tutti:generator\", \"{s}\": \"tutti:server\"}, "
    "\"parameters\": {\"{g}.g.mean\": 0.3, \"{s}.s.mean\": 0.25}, "
    "\"connections\": {\"{g}.g.out\": [\"{s}.s.in\"]}, "
    "\"record\": [\"{s}.s.in\", \"{s}.s.out\"], " GRID ", \"endTime\": 3}";

static enum tt_code kind_of(const struct tt_kind_ops **kind,
                            const struct tt_source *s, tt_err *err)
{
    if (strncmp(s->path, MODEL, strlen(MODEL)) == 0 || strstr(s->path, ".fmu"))
        return tt_kind_for(kind, s, err);
    return st_kind_of_mocks(kind, s, err);
}

static const struct tt_mock_spec *shown = &counter; /* "c" */

static struct stage *stage_of(void)
{
    struct stage *st = st_new();

    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    tt_mock_register("c", shown);
    tt_mock_register("t", &ticker);
    tt_mock_register("m", &chimes);
    st->opts.kind_cb = kind_of;
    return st;
}

struct kept {
    struct tt_bytes bytes;
    const struct stage *of;
    uint32_t row; /* the last one shown by then */
};

static enum tt_code keep(void *ctx, const struct tt_bytes *state, tt_err *err)
{
    struct kept *k = ctx;

    (void)err;
    if (k->bytes.data)
        return TT_OK;
    k->bytes = (struct tt_bytes){tt_alloc(state->n), state->n};
    assert_non_null(k->bytes.data);
    memcpy(k->bytes.data, state->data, state->n);
    k->row = k->of->n_row - 1;
    return TT_OK;
}

/* The whole run; what it was at T. */
static struct stage *whole_of(const char *json, struct kept *kept)
{
    const struct tt_run_checkpoint c = {
        .every = T, .take_cb = keep, .ctx = kept, .carried = 1};
    struct stage *st = stage_of();

    *kept = (struct kept){.of = st};
    st->opts.checkpoint = &c;
    if (st_play(st, json) != TT_OK)
        fail_msg("%s", st->err.msg);
    st->opts.checkpoint = NULL;
    assert_non_null(kept->bytes.data);
    assert_true(st->row_t[kept->row] == T);
    return st;
}

/* One that begins there. */
static struct stage *begin(const char *json, const struct tt_bytes *state,
                           enum tt_code expected)
{
    const struct tt_run_begin b = {.state = *state, .start = 0};
    struct tt_sc_options over = TT_SC_OPTIONS_INIT;
    struct stage *st = stage_of();
    enum tt_code rc;

    over.start = T;
    st->over = &over;
    st->opts.begin = &b;
    rc = st_play(st, json);
    if (rc != expected)
        fail_msg("%s: %s", json, st->err.msg);
    st->over = NULL;
    return st;
}

/* Is it absent now and then? */
static int is_clocked(const struct stage *whole, uint32_t column)
{
    int any = 0;

    for (uint32_t i = 0; i < whole->n_row; i++)
        any |= whole->row_absent[i][column];
    return any;
}

/* In the first row no clock ticks. */
static void assert_same_row(const struct stage *rest, uint32_t i,
                            const struct stage *whole, uint32_t j)
{
    uint32_t n = rest->rows->n;

    assert_true(rest->row_t[i] == whole->row_t[j]);
    assert_memory_equal(rest->row_v[i], whole->row_v[j],
                        n * sizeof(rest->row_v[i][0]));
    for (uint32_t k = 0; k < n; k++)
        assert_int_equal(rest->row_absent[i][k],
                         i ? whole->row_absent[j][k] : is_clocked(whole, k));
}

static void same_rows(const char *json)
{
    struct kept kept;
    struct stage *whole = whole_of(json, &kept);
    struct stage *rest = begin(json, &kept.bytes, TT_OK);

    assert_int_equal(rest->n_row, whole->n_row - kept.row);
    assert_in_range(rest->n_row, 8, 64);
    for (uint32_t i = 0; i < rest->n_row; i++)
        assert_same_row(rest, i, whole, kept.row + i);
    st_free(whole);
    st_free(rest);
    tt_free(kept.bytes.data);
}

static void with_the_same_settings_it_is_the_rest_of_the_run(void **state)
{
    (void)state;
    same_rows(ST_RINGS(GRID));
    same_rows(ST_RINGS(GRID ", \"master\": \"gauss-seidel\""));
    same_rows(ST_RINGS(GRID ", \"approximation\": \"hold\", \"threads\": 2"));
    same_rows(ST_RINGS(GRID ", \"rates\": {\"{i}.a\": 2}"));
    same_rows(CLOCKED(""));
    same_rows(ticked);
    same_rows(chimed); /* what ticked at the start did not tick at T */
    same_rows(queue);
}

/* --- other settings --------------------------------------------------------
 */

/* y' = -y, as rings have it. */
static double error_of(const struct tt_bytes *state, double y0,
                       const char *size, const char *more)
{
    char json[1200];
    struct stage *st;
    double worst = 0;

    (void)snprintf(json, sizeof(json),
                   ST_RINGS("\"record\": [\"{i}.a.y\"], \"algorithm\": "
                            "{\"type\": \"fixed-step\", \"size\": %s}%s"),
                   size, more);
    st = begin(json, state, TT_OK);
    assert_true(st->row_t[0] == T && st->row_v[0][0] == y0);
    for (uint32_t i = 0; i < st->n_row; i++)
        worst =
            fmax(worst, fabs(st->row_v[i][0] - y0 * exp(-(st->row_t[i] - T))));
    assert_true(st->row_t[st->n_row - 1] == 2);
    st_free(st);
    return worst;
}

#define RECORDED "\"record\": [\"{i}.a.y\"], "

static void other_masters_converge_from_there(void **state)
{
    static const struct {
        const char *more;
        double order;
    } way[] = {
        {", \"master\": \"jacobi\"", 1},
        {", \"master\": \"gauss-seidel\"", 1},
        {", \"master\": \"gauss-seidel\", \"approximation\": \"linear\", "
         "\"iterate\": 3",
         2},
    };
    struct kept kept;
    struct stage *whole = whole_of(ST_RINGS(RECORDED GRID), &kept);
    double y0 = whole->row_v[kept.row][0];

    (void)state;
    for (size_t i = 0; i < sizeof(way) / sizeof(*way); i++) {
        double a = error_of(&kept.bytes, y0, "0.0625", way[i].more);
        double b = error_of(&kept.bytes, y0, "0.03125", way[i].more);

        if (!(fabs(log2(a / b) - way[i].order) < 0.2))
            fail_msg("%s: %g, %g", way[i].more, a, b);
    }
    st_free(whole);
    tt_free(kept.bytes.data);
}

/* The first step is as with held inputs, the next ones are not. */
static void inputs_have_no_past_there(void **state)
{
    struct kept kept;
    struct stage *whole =
        whole_of(ST_RINGS(GRID ", \"approximation\": \"linear\""), &kept);
    struct stage *line = begin(ST_RINGS(GRID ", \"approximation\": \"linear\""),
                               &kept.bytes, TT_OK);
    struct stage *held = begin(ST_RINGS(GRID), &kept.bytes, TT_OK);
    size_t size = line->rows->n * sizeof(line->row_v[0][0]);

    (void)state;
    assert_memory_equal(line->row_v[0], whole->row_v[kept.row], size);
    assert_memory_equal(line->row_v[1], held->row_v[1], size);
    assert_memory_not_equal(line->row_v[1], whole->row_v[kept.row + 1], size);
    assert_memory_not_equal(line->row_v[2], held->row_v[2], size);
    st_free(whole);
    st_free(line);
    st_free(held);
    tt_free(kept.bytes.data);
}

/* Instances are made as for the whole run, and put there then. */
static void instances_start_where_they_did(void **state)
{
    struct tt_mock_spec taped = tt_mock_gain;
    struct kept kept;
    struct stage *whole = whole_of(ST_RINGS(GRID), &kept), *st = stage_of();
    const struct tt_run_begin b = {.state = kept.bytes, .start = -0.5};
    struct tt_sc_options over = TT_SC_OPTIONS_INIT;

    (void)state;
    taped.tape = &st->tape;
    taped.tape_verbs = 1u << TT_MOCK_ENTER_INIT | 1u << TT_MOCK_STEP;
    tt_mock_register("g", &taped);
    over.start = T;
    st->over = &over;
    st->opts.begin = &b;
    assert_int_equal(st_load(st, ST_RINGS(GRID)), TT_OK);
    assert_int_equal(tt_run_start(st->run, &st->err), TT_OK);
    assert_string_equal(st->tape.data, "c.enter_init -0.5; d.enter_init -0.5");
    assert_int_equal(tt_run_step(st->run, &st->err), TT_OK);
    assert_true(tt_run_time(st->run) == T + 0.125);
    st_free(whole);
    st_free(st);
    tt_free(kept.bytes.data);
}

/* One that can have its events inside its steps leaves the run's there: its
 * clock ticks no more, and another one has its events as ever. */
static void events_that_are_left_inside_are_not_waited_for(void **state)
{
    static const char both[] =
        "{\"fmus\": {\"{c}\": \"c\", \"{t}\": \"t\"}, \"instances\": {\"{c}\": "
        "[\"a\"], \"{t}\": [\"b\"]}, " GRID "%s, \"endTime\": 3}";
    struct tt_mock_spec able = counter;
    struct stage *whole, *rest;
    struct kept kept;
    char json[512];
    uint32_t last;

    (void)state;
    able.caps.events_inside = 1;
    shown = &able;
    (void)snprintf(json, sizeof(json), both, ", \"rollback\": true");
    whole = whole_of(json, &kept);
    (void)snprintf(json, sizeof(json), both, "");
    rest = begin(json, &kept.bytes, TT_OK);
    last = rest->n_row - 1;
    assert_true(rest->row_t[last] == 3);
    assert_true(rest->row_v[0][0] == 4 && rest->row_v[last][0] == 4);
    assert_true(rest->row_v[0][1] == 5 && rest->row_v[last][1] == 13);
    st_free(whole);
    st_free(rest);
    tt_free(kept.bytes.data);
    shown = &counter;
}

/* One that finds its events itself ends the run's steps at them from there on,
 * though the next one is not known. */
static void events_that_were_left_inside_are_found(void **state)
{
#define BOUNCES(more)                                                          \
    "{\"fmus\": {\"{b}\": \"" BALL "\"}, \"instances\": {\"{b}\": [\"b\"]}, "  \
    "\"interface\": \"me\", \"record\": [\"{b}.b.h\"], " GRID more             \
    ", \"endTime\": 2}"
    struct kept kept;
    struct stage *whole = whole_of(BOUNCES(""), &kept);
    struct stage *rest =
        begin(BOUNCES(", \"rollback\": true"), &kept.bytes, TT_OK);
    uint32_t bounces = 0;

    (void)state;
    for (uint32_t i = 0; i < rest->n_row; i++) {
        uint32_t j = kept.row;

        while (whole->row_t[j] < rest->row_t[i])
            j++;
        bounces += whole->row_t[j] > rest->row_t[i];
        if (whole->row_t[j] == rest->row_t[i])
            assert_true(fabs(whole->row_v[j][0] - rest->row_v[i][0]) < 1e-5);
    }
    assert_true(bounces > 0); /* between points of the grid */
    assert_int_equal(rest->n_row, whole->n_row - kept.row + bounces);
    st_free(whole);
    st_free(rest);
    tt_free(kept.bytes.data);
}

/* --- what is refused -------------------------------------------------------
 */

static void refuses_events(const char *there, const char *here, const char *why)
{
    struct kept kept;
    struct stage *whole = whole_of(there, &kept), *st;

    st = begin(here, &kept.bytes, TT_EINPUT);
    assert_string_equal(st->err.msg, why);
    assert_null(st->run); /* before anything was made */
    st_free(st);
    st_free(whole);
    tt_free(kept.bytes.data);
}

static void an_instance_that_has_its_events_elsewhere_is_named(void **state)
{
#define TWICE ", \"rates\": {\"{c}.a\": 2}"
#define OTHER                                                                  \
    "beginning: the saved state does not go with these settings: instance "    \
    "'{c}.a' has its events "

    (void)state;
    refuses_events(CLOCKED(TWICE), CLOCKED(""),
                   OTHER "inside its steps there, and in event mode here");
    refuses_events(CLOCKED(""), CLOCKED(TWICE),
                   OTHER "in event mode there, and inside its steps here");
}

static void what_is_of_another_system_is_refused(void **state)
{
    static const char other[] = "beginning: the saved state is of other "
                                "instances, or of another time";
    struct kept kept;
    struct tt_bytes cut;
    struct stage *whole = whole_of(ST_RINGS(GRID), &kept), *st;

    (void)state;
    st = begin(CLOCKED(""), &kept.bytes, TT_EINPUT);
    assert_string_equal(st->err.msg, other);
    st_free(st);
    for (cut = kept.bytes; cut.n--;) {
        st = begin(ST_RINGS(GRID), &cut, TT_EINPUT);
        assert_string_equal(st->err.msg,
                            "beginning: the saved state is damaged: it is too "
                            "short");
        st_free(st);
    }
    st_free(whole);
    tt_free(kept.bytes.data);
}

static void an_instance_that_cannot_be_packed_is_named(void **state)
{
    struct tt_mock_spec mute = tt_mock_gain;
    const struct tt_run_checkpoint c = {.every = T, .carried = 1};
    struct stage *st = stage_of();

    (void)state;
    mute.caps.serialise = 0;
    tt_mock_register("g", &mute);
    st->opts.checkpoint = &c;
    assert_int_equal(st_load(st, ST_RINGS(GRID)), TT_EUNSUPPORTED);
    assert_string_equal(
        st->err.msg,
        "no checkpoint can be made of this scenario: '{g}.c' (mock) cannot "
        "turn its state into bytes, '{g}.d' (mock) cannot turn its state into "
        "bytes; an FMU must offer canGetAndSetFMUstate and "
        "canSerializeFMUstate for that, which many tools can export");
    st_free(st);
}

static struct kept remembered;

static enum tt_code play_starved(struct stage *st, uint64_t n)
{
    const struct tt_run_begin b = {.state = remembered.bytes, .start = 0};
    struct tt_sc_options over = TT_SC_OPTIONS_INIT;
    enum tt_code rc;

    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    over.start = T;
    st->over = &over;
    st->opts.begin = &b;
    tt_mem_fail_after(n);
    rc = st_play(st, ST_RINGS(GRID));
    tt_mem_fail_after(0);
    st->over = NULL;
    return rc;
}

static void without_memory_nothing_leaks(void **state)
{
    (void)state;
    st_free(whole_of(ST_RINGS(GRID), &remembered));
    st_torture(play_starved);
    tt_free(remembered.bytes.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(with_the_same_settings_it_is_the_rest_of_the_run),
        cmocka_unit_test(other_masters_converge_from_there),
        cmocka_unit_test(inputs_have_no_past_there),
        cmocka_unit_test(instances_start_where_they_did),
        cmocka_unit_test(events_that_are_left_inside_are_not_waited_for),
        cmocka_unit_test(events_that_were_left_inside_are_found),
        cmocka_unit_test(what_is_of_another_system_is_refused),
        cmocka_unit_test(an_instance_that_has_its_events_elsewhere_is_named),
        cmocka_unit_test(an_instance_that_cannot_be_packed_is_named),
        cmocka_unit_test(without_memory_nothing_leaks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
