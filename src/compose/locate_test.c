/* SPDX-License-Identifier: MIT */
/* Crossings that are located inside a scenario inside another one: a ball that
 * bounces there, beside one that falls outside. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "compose/compose.h"
#include "kinds/kinds.h"
#include "run/testing.h"

static enum tt_code kinds(const struct tt_kind_ops **kind,
                          const struct tt_source *s, tt_err *err)
{
    if (strncmp(s->path, "tutti:", 6) == 0)
        return tt_kind_for(kind, s, err);
    *kind = tt_kind_composite.accepts(s) ? &tt_kind_composite : &tt_mock_kind;
    return TT_OK;
}

/* It knows no floor: when its clock ticks it keeps 0.7 of its speed and
 * turns. */
enum { HIT, H, V };
static const struct tt_mock_port port[] = {
    {.name = "hit", .type = TT_CLOCK, .causality = TT_CAUS_INPUT},
    {.name = "h", .causality = TT_CAUS_OUTPUT, .deps = "", .start = 1},
    {.name = "v", .causality = TT_CAUS_OUTPUT, .deps = ""}};

static void start(const struct tt_mock_view *v)
{
    v->x[0] = 1;
}

static void fall(const struct tt_mock_view *v, double *dx)
{
    dx[0] = v->x[1];
    dx[1] = -9.81;
}

static void show(const struct tt_mock_view *v)
{
    *tt_mock_f64(v, H) = v->x[0];
    *tt_mock_f64(v, V) = v->x[1];
}

static void turn(const struct tt_mock_view *v, struct tt_event_result *r)
{
    uint8_t *hit = v->value[HIT];

    (void)r;
    if (*hit)
        v->x[1] *= -0.7;
    *hit = 0;
}

static const struct tt_mock_spec ball = {.model = "ball",
                                         .port = port,
                                         .n_port = 3,
                                         .caps = {.evaluates = TT_EVAL_EVENT,
                                                  .save = 1,
                                                  .serialise = 1,
                                                  .variable_step = 1,
                                                  .event_mode = 1},
                                         .behaviour = {.n_x = 2,
                                                       .start = start,
                                                       .derivative = fall,
                                                       .outputs = show,
                                                       .event = turn}};

static double bounce(int k)
{
    double t = sqrt(2 / 9.81), flight = 2 * t;

    for (; k > 1; k--)
        t += flight *= 0.7;
    return t;
}

#define LOCATE(emit)                                                           \
    "\"events\": {\"locate\": [{\"name\": \"floor\", \"when\": \"{b}.b.h\", "  \
    "\"direction\": \"down\", \"tolerance\": 1e-12" emit "}]}"
#define STEP(h) "\"algorithm\": {\"type\": \"fixed-step\", \"size\": " h "}"
/* The ball inside, with its crossing, and {f}.f, an integrator outside that
 * follows its speed or not. */
#define OUTSIDE(inside, more)                                                  \
    "{\"fmus\": {\"{c}\": {\"fmus\": {\"{b}\": \"b\"}, \"connections\": {}, "  \
    "\"instances\": {\"{b}\": [\"b\"]}, " inside "}, \"{f}\": \"i\"}, "        \
    "\"instances\": {\"{c}\": [\"c\"]}, \"connections\": {\"{c}.c.{b}.b.v\": " \
    "[\"{f}.f.u\"]}, \"record\": [\"{c}.c.{b}.b.h\", \"{c}.c.{b}.b.v\", "      \
    "\"{f}.f.y\"], \"endTime\": 1.6, " STEP("0.3") more "}"

static struct stage *played(const char *json)
{
    struct stage *st = st_new();

    tt_mock_register("b", &ball);
    tt_mock_register("i", &tt_mock_integrator);
    st->opts.kind_cb = kinds;
    if (st_play(st, json) != TT_OK)
        fail_msg("%s", st->err.msg);
    return st;
}

static uint32_t column(const struct stage *st, const char *name)
{
    uint32_t i = 0;

    while (!strstr(st->rows->column[i].name, name))
        i++;
    return i;
}

/* Both limits of each bounce, in time. */
static void bounces(const struct stage *st, const char *name)
{
    uint32_t v = column(st, name);
    double speed = 9.81 * bounce(1);
    int n = 0;

    for (uint32_t i = 1; i < st->n_row; i++) {
        if (!st->row_n[i])
            continue;
        assert_true(fabs(st->row_t[i] - bounce(++n)) < 1e-10);
        assert_true(st->row_t[i - 1] == st->row_t[i]);
        assert_true(fabs(st->row_v[i - 1][v] + speed) < 1e-9);
        speed *= 0.7;
        assert_true(fabs(st->row_v[i][v] - speed) < 1e-9);
    }
    assert_int_equal(n, 3);
}

static void same_rows(const struct stage *a, const struct stage *b)
{
    assert_int_equal(a->n_row, b->n_row);
    assert_memory_equal(a->row_t, b->row_t, sizeof(a->row_t));
    assert_memory_equal(a->row_n, b->row_n, sizeof(a->row_n));
    assert_memory_equal(a->row_v, b->row_v, sizeof(a->row_v));
}

#define EMIT ", \"emit\": \"{b}.b.hit\""

/* With steps of its own, and with those of the outside. */
static void all_come_to_where_a_ball_inside_bounces(void **state)
{
    static const char *const json[] = {
        OUTSIDE(LOCATE(EMIT) ", " STEP("0.3"), ""),
        OUTSIDE(LOCATE(EMIT), ""),
        OUTSIDE(LOCATE(EMIT), ", \"threads\": 2"),
        OUTSIDE(LOCATE(EMIT), ", \"isolate\": [\"{c}.c\"]"),
    };

    (void)state;
    for (size_t i = 0; i < sizeof(json) / sizeof(*json); i++) {
        struct stage *one = played(json[1]), *st = played(json[i]);

        bounces(st, "{b}.b.v");
        if (i)
            same_rows(one, st);
        st_free(one);
        st_free(st);
    }
}

/* Finer steps inside: what is outside is there all the same. */
static void a_finer_grid_inside_ends_there_too(void **state)
{
    struct stage *st = played(OUTSIDE(LOCATE(EMIT) ", " STEP("0.04"), ""));

    (void)state;
    bounces(st, "{b}.b.v");
    st_free(st);
}

/* What ticks inside is a port, and turns a ball outside. */
static void a_crossing_inside_is_an_event_outside(void **state)
{
    struct stage *st = played(
        "{\"fmus\": {\"{c}\": {\"fmus\": {\"{b}\": \"b\"}, \"connections\": "
        "{}, \"instances\": {\"{b}\": [\"b\"]}, \"ports\": {\"outputs\": "
        "{\"h\": \"{b}.b.h\", \"v\": \"{b}.b.v\", \"floor\": "
        "\"{floor}.locate.crossed\"}}, " LOCATE(
            EMIT) "}, \"{b}\": \"b\"}, "
                  "\"connections\": {\"{c}.c.floor\": [\"{b}.b.hit\"]}, "
                  "\"record\": "
                  "[\"{c}.c.h\", \"{c}.c.v\", \"{b}.b.h\", \"{b}.b.v\"], "
                  "\"endTime\": "
                  "1.6, " STEP("0.3") "}");

    (void)state;
    bounces(st, "{c}.c.v");
    for (uint32_t i = 0; i < st->n_row; i++) {
        const double *row = st->row_v[i];

        assert_true(fabs(row[column(st, "{b}.b.h")] -
                         row[column(st, "{c}.c.h")]) < 1e-12);
        assert_true(fabs(row[column(st, "{b}.b.v")] -
                         row[column(st, "{c}.c.v")]) < 1e-12);
    }
    st_free(st);
}

/* Nothing is emitted: the step outside ends there, and nothing more. */
static void without_an_emission_only_the_step_ends(void **state)
{
    struct stage *st = played(OUTSIDE(LOCATE(""), ""));
    uint32_t there = 0;

    (void)state;
    for (uint32_t i = 0; i < st->n_row; i++) {
        assert_int_equal(st->row_n[i], 0);
        there += fabs(st->row_t[i] - bounce(1)) < 1e-11;
    }
    assert_int_equal(there, 1);
    st_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_come_to_where_a_ball_inside_bounces),
        cmocka_unit_test(a_finer_grid_inside_ends_there_too),
        cmocka_unit_test(a_crossing_inside_is_an_event_outside),
        cmocka_unit_test(without_an_emission_only_the_step_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
