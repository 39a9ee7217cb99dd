/* SPDX-License-Identifier: MIT */
/* Rollback leaves no trace, and a unit without rollback steps last and once. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "run/testing.h"

/* A mass on a spring: two integrators and a gain. */
#define CIRCLE(extra)                                                          \
    "{\"fmus\": {\"{x}\": \"x\", \"{v}\": \"v\", \"{g}\": \"g\"}, "            \
    "\"connections\": {\"{x}.x.y\": [\"{g}.g.u\"], \"{g}.g.y\": "              \
    "[\"{v}.v.u\"], \"{v}.v.y\": [\"{x}.x.u\"]}, \"parameters\": "             \
    "{\"{g}.g.k\": -1, \"{x}.x.y0\": 1}" extra
#define FIXED                                                                  \
    ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.25}, "            \
    "\"endTime\": 6}"
#define FIXED_SHORT                                                            \
    ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.25}, "            \
    "\"endTime\": 2}"
#define ROLLBACK ", \"rollback\": true" FIXED
#define VARIABLE(constraints)                                                  \
    ", \"algorithm\": {\"type\": \"var-step\", \"size\": [1e-4, 0.5], "        \
    "\"initsize\": 0.1, \"constraints\": {" constraints "}}, \"endTime\": 6}"
#define CROSSING                                                               \
    "\"c\": {\"type\": \"zerocrossing\", \"ports\": [\"{x}.x.y\"], "           \
    "\"order\": 1, \"abstol\": 1e-3, \"safety\": 0.5}"

struct cast {
    struct tt_mock_spec x, v, g;
    struct tt_mock_cue cue; /* of one of them */
};

static struct stage *circle(struct cast *c)
{
    struct stage *st = st_new();

    c->x = c->v = tt_mock_integrator;
    c->g = tt_mock_gain;
    tt_mock_register("x", &c->x);
    tt_mock_register("v", &c->v);
    tt_mock_register("g", &c->g);
    return st;
}

static void same_rows(const struct stage *a, const struct stage *b)
{
    assert_int_equal(a->n_row, b->n_row);
    assert_memory_equal(a->row_t, b->row_t, a->n_row * sizeof(*a->row_t));
    assert_memory_equal(a->row_v, b->row_v, a->n_row * sizeof(*a->row_v));
}

/* Whatever master, course, acceleration and rate have in mind. */
static const char *const way[] = {
    "",
    ", \"master\": \"gauss-seidel\", \"approximation\": \"cubic\"",
    ", \"approximation\": \"linear\", \"iterate\": \"converged\", "
    "\"acceleration\": \"anderson\"",
    ", \"approximation\": \"quadratic\", \"iterate\": \"converged\", "
    "\"acceleration\": \"newton\", \"rates\": {\"{v}.v\": 3}",
};
#define WAYS (sizeof(way) / sizeof(*way))

static struct stage *play_way(size_t i, const char *rest, struct cast *c,
                              double longest)
{
    struct stage *st = circle(c);
    char json[2048];

    c->x.caps.max_step = c->g.caps.max_step = longest > 0;
    c->x.max_step = c->g.max_step = longest;
    snprintf(json, sizeof(json), CIRCLE("%s") "%s", way[i], rest);
    if (st_play(st, json) != TT_OK)
        fail_msg("way %zu: %s", i, st->err.msg);
    return st;
}

/* Two units make steps of 1/8 at most. They are asked before each step, or
 * they reject each. */
static void rejections_leave_no_trace(void **state)
{
    static const char asked[] =
        ", \"algorithm\": {\"type\": \"var-step\", \"size\": [1e-4, 0.25], "
        "\"initsize\": 0.25, \"constraints\": {\"m\": {\"type\": "
        "\"fmumaxstepsize\"}}}, \"endTime\": 6}";
    static const char not_asked[] =
        ", \"algorithm\": {\"type\": \"var-step\", \"size\": [1e-4, 0.25], "
        "\"initsize\": 0.25}, \"endTime\": 6}";

    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        struct cast one, two;
        struct stage *a = play_way(i, asked, &one, 0.125);
        struct stage *b = play_way(i, not_asked, &two, 0.125);

        assert_int_equal(tt_run_step_account(a->run).rejected, 0);
        assert_true(tt_run_step_account(b->run).rejected >= 10);
        same_rows(a, b);
        st_free(b);
        st_free(a);
    }
}

/* To be able to go back costs nothing but time. */
static void rollback_alone_changes_nothing(void **state)
{
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        struct cast one, two;
        struct stage *a = play_way(i, FIXED, &one, 0);
        struct stage *b = play_way(i, ROLLBACK, &two, 0);

        same_rows(a, b);
        st_free(b);
        st_free(a);
    }
}

/* A step that stops half-way goes on from there to the next point of the
 * grid. */
static void a_fixed_step_returns_to_its_grid(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP,
         .time = 0.75,
         .act = TT_MOCK_REJECT_RESTORE,
         .value = 0.6},
        {.at = TT_MOCK_STEP, .time = 2, .act = TT_MOCK_EARLY, .value = 1.8},
    };
    struct cast c;
    struct stage *st = circle(&c);

    (void)state;
    c.x.cue = cue;
    c.x.n_cue = 2;
    assert_int_equal(st_play(st, CIRCLE("") ROLLBACK), TT_OK);
    assert_int_equal(st->n_row, 27);
    assert_true(st->row_t[3] == 0.6 && st->row_t[4] == 0.75);
    assert_true(st->row_t[9] == 1.8 && st->row_t[10] == 2);
    assert_int_equal(tt_run_step_account(st->run).rejected, 2);
    st_free(st);
}

/* Where a unit states its largest step the fixed one is divided, without any
 * rollback, and leads to its grid again. */
static void a_fixed_step_is_divided_as_units_state(void **state)
{
    (void)state;
    for (size_t i = 0; i < WAYS; i++) {
        struct cast one, two;
        struct stage *a = play_way(i, FIXED_SHORT, &one, 0.1);
        struct stage *b =
            play_way(i, ", \"rollback\": true" FIXED_SHORT, &two, 0.1);

        assert_int_equal(a->n_row, 25); /* 0.1 + 0.1 + 0.05, eight times */
        for (uint32_t k = 0; k < 25; k++)
            assert_true(fabs(a->row_t[k] - (0.25 * (k / 3) + 0.1 * (k % 3))) <
                        1e-12);
        assert_true(a->row_t[12] == 1 && a->row_t[24] == 2);
        assert_int_equal(tt_run_step_account(a->run).rejected, 0);
        assert_int_equal(tt_run_step_account(b->run).rejected, 0);
        same_rows(a, b);
        st_free(b);
        st_free(a);
    }
}

static void a_division_names_who_cannot_take_part(void **state)
{
    struct cast c;
    struct stage *st = circle(&c);

    (void)state;
    c.v.caps.variable_step = 0;
    c.x.caps.max_step = 1;
    c.x.max_step = 0.1;
    assert_int_equal(st_play(st, CIRCLE("") FIXED), TT_EUNIT);
    assert_string_equal(st->err.msg,
                        "instance '{x}.x' accepts a step of 0.1 s at most at "
                        "t=0, less than 0.25 s, and instance '{v}.v' cannot "
                        "vary its step; a smaller step may help");
    st_free(st);
}

/* How often a unit was stepped, and how often the others were. */
static uint64_t steps_of(const tt_run *r, const char *name)
{
    for (uint32_t u = 0; u < tt_run_units(r); u++)
        if (!strcmp(tt_run_unit(r, u).name, name))
            return tt_run_unit(r, u).steps;
    fail_msg("no instance %s", name);
    return 0;
}

static void who_cannot_go_back_steps_last_and_once(void **state)
{
    struct cast c;
    struct stage *st = circle(&c);
    uint64_t rejected;

    (void)state;
    c.v.caps.save = c.v.caps.serialise = 0;
    c.x.max_step = 0.1875; /* so each step of 0.25 becomes two */
    assert_int_equal(st_play(st, CIRCLE("") ROLLBACK), TT_OK);
    rejected = tt_run_step_account(st->run).rejected;
    assert_int_equal(rejected, 24);
    assert_int_equal(steps_of(st->run, "{v}.v"), tt_run_steps(st->run));
    assert_int_equal(steps_of(st->run, "{x}.x"),
                     tt_run_steps(st->run) + rejected);
    assert_non_null(strstr(
        st->logged.data,
        "note: rollback: instance '{v}.v' (mock) cannot save its state, so it "
        "steps last, once the others have shown that the step may stand; what "
        "it finds itself is accepted with a warning\n"));
    st_free(st);
}

/* x of cos t is located by zero crossing though v cannot go back. */
static void a_crossing_is_located_before_the_last_step(void **state)
{
    struct cast c;
    struct stage *st = circle(&c);
    double nearest = 1;

    (void)state;
    c.v.caps.save = c.v.caps.serialise = 0;
    assert_int_equal(st_play(st, CIRCLE("") VARIABLE(CROSSING)), TT_OK);
    for (uint32_t i = 0; i < st->n_row && i < 64; i++)
        nearest = fmin(nearest, fabs(st->row_v[i][0]));
    assert_true(nearest <= 1e-3);
    st_free(st);
}

/* v cannot go back, and does this in the step to 1, at 0.9. */
static enum tt_code play_last_with(struct stage *st, struct cast *c,
                                   enum tt_mock_act act)
{
    c->cue = (struct tt_mock_cue){
        .at = TT_MOCK_STEP, .time = 1, .act = act, .value = 0.9};
    c->v.caps.save = c->v.caps.serialise = 0;
    c->v.cue = &c->cue;
    c->v.n_cue = 1;
    return st_play(st, CIRCLE("") ROLLBACK);
}

static void a_last_unit_that_rejects_ends_the_run(void **state)
{
    struct cast c;
    struct stage *st = circle(&c);

    (void)state;
    assert_int_equal(play_last_with(st, &c, TT_MOCK_REJECT), TT_EUNIT);
    assert_string_equal(
        st->err.msg,
        "instance '{v}.v' (mock) rejected the step to t=1: it could reach "
        "t=0.9 "
        "only, and the step cannot be rolled back, for not all instances can");
    st_free(st);
}

static void a_last_unit_that_is_early_goes_on_alone(void **state)
{
    struct cast c;
    struct stage *st = circle(&c);

    (void)state;
    assert_int_equal(play_last_with(st, &c, TT_MOCK_EARLY), TT_OK);
    assert_non_null(strstr(
        st->logged.data, "instance '{v}.v' (mock) returned early at t=0.9, and "
                         "the step cannot be rolled back: it goes on alone"));
    assert_int_equal(st->n_row, 25);
    st_free(st);
}

/* v must have its new value before x steps, and it cannot go back: nothing
 * can. */
static void who_must_step_first_keeps_all_from_going_back(void **state)
{
    struct cast c;
    struct stage *st = circle(&c);

    (void)state;
    c.v.caps.save = c.v.caps.serialise = 0;
    assert_int_equal(
        st_play(st, CIRCLE(", \"reactivity\": {\"{x}.x.u\": \"reactive\"}")
                        VARIABLE(CROSSING)),
        TT_OK);
    assert_int_equal(tt_run_step_account(st->run).rejected, 0);
    assert_non_null(
        strstr(st->logged.data,
               "instance '{v}.v' (mock) cannot save its state, so no step can "
               "be rolled back: what a constraint rejects is accepted with a "
               "warning\n"));
    st_free(st);
}

/* x and v exchange at every sub-step: v cannot wait until x has shown that the
 * step may stand, not even where it comes last anyway. */
static void a_group_is_not_split(void **state)
{
    struct cast c;
    struct stage *st = circle(&c);

    (void)state;
    c.v.caps.save = c.v.caps.serialise = 0;
    assert_int_equal(st_play(st, CIRCLE(", \"order\": [\"{g}.g\", \"{x}.x\", "
                                        "\"{v}.v\"], \"rates\": {\"{x}.x\": 2, "
                                        "\"{v}.v\": 2}") ROLLBACK),
                     TT_OK);
    assert_non_null(
        strstr(st->logged.data,
               "instance '{v}.v' (mock) cannot save its state, so no step can "
               "be rolled back: what a constraint rejects is accepted with a "
               "warning\n"));
    st_free(st);
}

/* k = -40: steps of 0.25 expand by 40/16, shorter ones contract. */
static void what_does_not_converge_is_tried_shorter(void **state)
{
    struct cast c;
    struct stage *st = circle(&c);
    double energy;

    (void)state;
    assert_int_equal(
        st_play(st, CIRCLE(", \"iterate\": \"converged\", \"iteration\": "
                           "{\"unconverged\": \"reduce\", \"maximum\": "
                           "60}") ", \"algorithm\": {\"type\": "
                                  "\"fixed-step\", \"size\": "
                                  "0.25}, \"endTime\": 1}"),
        TT_OK);
    assert_int_equal(tt_run_step_account(st->run).rejected, 0);
    st_free(st);
    st = circle(&c);
    assert_int_equal(
        st_play(st,
                "{\"fmus\": {\"{x}\": \"x\", \"{v}\": \"v\", \"{g}\": \"g\"}, "
                "\"connections\": {\"{x}.x.y\": [\"{g}.g.u\"], \"{g}.g.y\": "
                "[\"{v}.v.u\"], \"{v}.v.y\": [\"{x}.x.u\"]}, \"parameters\": "
                "{\"{g}.g.k\": -40, \"{x}.x.y0\": 1}, \"iterate\": "
                "\"converged\", \"iteration\": {\"unconverged\": \"reduce\", "
                "\"maximum\": 60}, \"algorithm\": {\"type\": \"fixed-step\", "
                "\"size\": 0.25}, \"endTime\": 1}"),
        TT_OK);
    assert_true(tt_run_step_account(st->run).rejected >= 4);
    assert_true(st->row_t[st->n_row - 1] == 1);
    /* implicit Euler damps: what came out is a solution, not an explosion */
    energy = 40 * st->row_v[st->n_row - 1][0] * st->row_v[st->n_row - 1][0];
    assert_true(energy < 40);
    st_free(st);
}

/* No length helps: the loop is named, and how it was tried. */
static void what_never_converges_is_named(void **state)
{
    struct cast c;
    struct stage *st = circle(&c);

    (void)state;
    assert_int_equal(
        st_play(st,
                CIRCLE(", \"iterate\": \"converged\", \"iteration\": "
                       "{\"unconverged\": \"reduce\", \"maximum\": 1}") FIXED),
        TT_EUNIT);
    assert_non_null(strstr(st->err.msg,
                           "the instances did not agree; giving up at "
                           "the smallest step"));
    assert_non_null(strstr(st->err.msg, "did not converge in 1 evaluations"));
    st_free(st);
}

/* Two gains that feed each other are solved at every instant; from 0.75 on they
 * give no numbers. */
static enum tt_code play_instant_loop(struct stage *st, struct cast *c,
                                      const char *unconverged)
{
    char json[1024];

    c->cue = (struct tt_mock_cue){
        .at = TT_MOCK_GET, .time = 0.75, .every = 1, .act = TT_MOCK_NAN};
    c->g.cue = &c->cue;
    c->g.n_cue = 1;
    snprintf(json, sizeof(json),
             "{\"fmus\": {\"{g}\": \"g\"}, \"connections\": {\"{g}.a.y\": "
             "[\"{g}.b.u\"], \"{g}.b.y\": [\"{g}.a.u\"]}, \"parameters\": "
             "{\"{g}.a.k\": 0.5, \"{g}.b.k\": 0.5}, \"iteration\": "
             "{\"unconverged\": \"%s\"}, \"algorithm\": {\"type\": "
             "\"fixed-step\", \"size\": 0.25}, \"endTime\": 1}",
             unconverged);
    return st_play(st, json);
}

/* It comes as near to where there is no solution as it can. */
static void a_loop_at_an_instant_asks_for_a_shorter_step(void **state)
{
    struct cast c;
    struct stage *st = circle(&c);

    (void)state;
    assert_int_equal(play_instant_loop(st, &c, "stop"), TT_EUNIT);
    assert_int_equal(st->n_row, 3);
    st_free(st);
    st = circle(&c);
    assert_int_equal(play_instant_loop(st, &c, "reduce"), TT_EUNIT);
    assert_string_equal(
        st->err.msg,
        "step from 0.7499999545084004 s to 0.75 s: the "
        "instances did not agree; giving up at the smallest step: the loop of "
        "{g}.a.y (off by nan) gave NaN after 4 evaluations (fixed point, then "
        "newton) at t=0.75");
    assert_true(st->n_row > 20 && st->row_t[3] == 0.5625);
    st_free(st);
}

/* A unit that makes tiny steps only, for ever: the run ends and states it. */
static void chattering_ends_the_run(void **state)
{
    struct cast c;
    struct stage *st = circle(&c);

    (void)state;
    c.x.caps.max_step = 1;
    c.x.max_step = 0x1p-20;
    assert_int_equal(st_play(st, CIRCLE("") VARIABLE(CROSSING)), TT_EUNIT);
    assert_string_equal(st->err.msg,
                        "step from 9.5367431640625e-5 s to "
                        "9.632110595703125e-5 s: chattering: 101 smallest "
                        "steps within 0.1 s; giving up");
    st_free(st);
}

/* No length of the step makes a number of it. */
static void what_is_no_number_ends_the_run(void **state)
{
    struct cast c;
    struct stage *st = circle(&c);

    (void)state;
    c.cue = (struct tt_mock_cue){
        .at = TT_MOCK_GET, .time = 1, .every = 1, .act = TT_MOCK_NAN};
    c.x.cue = &c.cue;
    c.x.n_cue = 1;
    assert_int_equal(st_play(st, CIRCLE("") VARIABLE(CROSSING)), TT_EUNIT);
    assert_non_null(strstr(st->err.msg,
                           "instance '{x}.x' (mock) gave NaN for its "
                           "output '{x}.x.y' at t="));
    st_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rejections_leave_no_trace),
        cmocka_unit_test(rollback_alone_changes_nothing),
        cmocka_unit_test(a_fixed_step_returns_to_its_grid),
        cmocka_unit_test(a_fixed_step_is_divided_as_units_state),
        cmocka_unit_test(a_division_names_who_cannot_take_part),
        cmocka_unit_test(who_cannot_go_back_steps_last_and_once),
        cmocka_unit_test(a_crossing_is_located_before_the_last_step),
        cmocka_unit_test(a_last_unit_that_rejects_ends_the_run),
        cmocka_unit_test(a_last_unit_that_is_early_goes_on_alone),
        cmocka_unit_test(who_must_step_first_keeps_all_from_going_back),
        cmocka_unit_test(a_group_is_not_split),
        cmocka_unit_test(what_does_not_converge_is_tried_shorter),
        cmocka_unit_test(what_never_converges_is_named),
        cmocka_unit_test(a_loop_at_an_instant_asks_for_a_shorter_step),
        cmocka_unit_test(chattering_ends_the_run),
        cmocka_unit_test(what_is_no_number_ends_the_run),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
