/* SPDX-License-Identifier: MIT */
/* Units with a rate of their own: what is called when. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "run/testing.h"

#define UNITS "{\"fmus\": {\"{i}\": \"i\"}, \"connections\": "
#define FIXED                                                                  \
    ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, \"endTime\": "  \
    "3}"
#define CHAIN UNITS "{\"{i}.a.y\": [\"{i}.b.u\"], \"{i}.b.y\": [\"{i}.c.u\"]}"

static struct stage *integrators(struct tt_mock_spec *i)
{
    struct stage *st = st_new();

    *i = tt_mock_integrator;
    i->tape = &st->tape;
    tt_mock_register("i", i);
    return st;
}

static void a_fast_unit_steps_often(void **state)
{
    struct tt_mock_spec i;
    struct stage *st = integrators(&i);

    (void)state;
    assert_string_equal(
        st_step_tape(st, CHAIN ", \"rates\": {\"{i}.b\": 4}" FIXED, 1),
        "a.step 1; b.step 0.25; b.step 0.5; b.step 0.75; b.step 1; c.step 1; "
        "a.get y; b.set u; b.get y; c.set u");
    st_free(st);
}

/* b and c are connected and of one rate: they exchange at every half. */
static void a_group_exchanges_inside(void **state)
{
    struct tt_mock_spec i;
    struct stage *st = integrators(&i);

    (void)state;
    assert_string_equal(
        st_step_tape(
            st, CHAIN ", \"rates\": {\"{i}.b\": 2, \"{i}.c\": 2}" FIXED, 2),
        "a.step 2; b.step 1.5; c.step 1.5; b.get y; c.set u; b.step 2; c.step "
        "2; b.get y; c.set u; a.get y; b.set u; b.get y; c.set u");
    st_free(st);
}

/* Other rates, other groups. */
static void rates_that_differ_do_not_exchange_inside(void **state)
{
    struct tt_mock_spec i;
    struct stage *st = integrators(&i);

    (void)state;
    assert_string_equal(
        st_step_tape(
            st, CHAIN ", \"rates\": {\"{i}.b\": 2, \"{i}.c\": 3}" FIXED, 1),
        "a.step 1; b.step 0.5; b.step 1; c.step 0.3333333333333333; c.step "
        "0.6666666666666666; c.step 1; a.get y; b.set u; b.get y; c.set u");
    st_free(st);
}

static void in_gauss_seidel_the_group_is_sequential(void **state)
{
    struct tt_mock_spec i;
    struct stage *st = integrators(&i);

    (void)state;
    assert_string_equal(
        st_step_tape(st,
                     CHAIN ", \"master\": \"gauss-seidel\", \"rates\": "
                           "{\"{i}.b\": 2, \"{i}.c\": 2}" FIXED,
                     1),
        "a.step 1; a.get y; b.set u; b.step 0.5; b.get y; c.set u; c.step 0.5; "
        "b.get y; c.set u; b.step 1; b.get y; c.set u; c.step 1; b.get y; "
        "c.set u; b.get y; c.set u");
    st_free(st);
}

static void a_rate_is_a_number_of_steps(void **state)
{
    static const char *const bad[][2] = {
        {"0", "a rate must be a number of steps from 1 to 1000000, not 0"},
        {"-3", "a rate must be a number of steps from 1 to 1000000, not -3"},
        {"2.5", "'{i}.b' must be an integer, not a number"},
        {"\"x\"", "'{i}.b' must be an integer, not a string"},
    };
    struct tt_mock_spec i;

    (void)state;
    for (size_t k = 0; k < sizeof(bad) / sizeof(*bad); k++) {
        struct stage *st = integrators(&i);
        char json[512];

        snprintf(json, sizeof(json), CHAIN ", \"rates\": {\"{i}.b\": %s}" FIXED,
                 bad[k][0]);
        assert_int_equal(st_load(st, json), TT_EINPUT);
        assert_non_null(strstr(st->err.msg, bad[k][1]));
        st_free(st);
    }
}

static void an_unknown_unit_has_no_rate(void **state)
{
    struct tt_mock_spec i;
    struct stage *st = integrators(&i);

    (void)state;
    assert_int_equal(st_load(st, CHAIN ", \"rates\": {\"{i}.d\": 2}" FIXED),
                     TT_EINPUT);
    assert_non_null(strstr(st->err.msg, "there is no instance '{i}.d'"));
    st_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_fast_unit_steps_often),
        cmocka_unit_test(a_group_exchanges_inside),
        cmocka_unit_test(rates_that_differ_do_not_exchange_inside),
        cmocka_unit_test(in_gauss_seidel_the_group_is_sequential),
        cmocka_unit_test(a_rate_is_a_number_of_steps),
        cmocka_unit_test(an_unknown_unit_has_no_rate),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
