/* SPDX-License-Identifier: MIT */
/* Connections: names, directions, types, physical units. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "plan/testing.h"

#define A_TO_B                                                                 \
    "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"},\n"                           \
    "\"connections\": {\"{a}.a.y\": [\"{b}.b.u\"]},\n"                         \
    "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, \"endTime\": 2}"

struct pair {
    struct tt_fake a, b;
    struct tt_stand st;
    struct tt_port *y, *u;
};

static void begin(struct pair *p, enum tt_type from, enum tt_type to)
{
    tt_fake_init(&p->a);
    tt_fake_init(&p->b);
    p->y = tt_fake_port(&p->a, "y", TT_CAUS_OUTPUT, from);
    p->u = tt_fake_port(&p->b, "u", TT_CAUS_INPUT, to);
    tt_stand_init(&p->st);
    tt_stand_fake(&p->st, "{a}", &p->a);
    tt_stand_fake(&p->st, "{b}", &p->b);
}

static void end(struct pair *p)
{
    tt_stand_fini(&p->st);
    tt_fake_fini(&p->a);
    tt_fake_fini(&p->b);
}

/* --- names and directions ------------------------------------------------ */

static void refused(const char *json, const char *message)
{
    struct pair p;

    begin(&p, TT_F64, TT_F64);
    tt_fake_port(&p.a, "level", TT_CAUS_LOCAL, TT_F64);
    tt_fake_port(&p.b, "k", TT_CAUS_PARAMETER, TT_F64);
    assert_int_equal(tt_stand_plan(&p.st, json), TT_EINPUT);
    assert_string_equal(p.st.err.msg, message);
    assert_null(p.st.plan);
    end(&p);
}

#define CONNECT(from, to)                                                      \
    "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"},\n"                           \
    "\"connections\": {\"" from "\": [\"" to "\"]},\n"                         \
    "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, \"endTime\": 2}"

static void an_unknown_variable_is_refused_with_the_nearest_one(void **state)
{
    (void)state;
    refused(
        CONNECT("{a}.a.levl", "{b}.b.u"),
        "t.json:2:17: instance '{a}.a' has no variable 'levl', did you mean "
        "'level'?");
    refused(CONNECT("{a}.a.y", "{b}.b.nothing"),
            "t.json:2:29: instance '{b}.b' has no variable 'nothing'");
}

static void what_is_no_output_cannot_be_a_source(void **state)
{
    (void)state;
    refused(CONNECT("{b}.b.u", "{b}.b.u"),
            "t.json:2:17: '{b}.b.u' is input, but a connection starts at an "
            "output");
    refused(CONNECT("{a}.a.level", "{b}.b.u"),
            "t.json:2:17: '{a}.a.level' is local, but a connection starts at "
            "an output");
}

static void what_is_no_input_cannot_be_a_target(void **state)
{
    (void)state;
    refused(CONNECT("{a}.a.y", "{a}.a.y"),
            "t.json:2:29: '{a}.a.y' is output, but a connection ends at an "
            "input");
    refused(CONNECT("{a}.a.y", "{b}.b.k"),
            "t.json:2:29: '{b}.b.k' is parameter, but a connection ends at an "
            "input");
}

static void an_input_is_fed_by_one_unless_it_takes_events(void **state)
{
    (void)state;
    refused("{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"},\n"
            "\"connections\": {\"{a}.a.y\": [\"{b}.b.u\"],\n"
            "\"{a}.x.y\": [\"{b}.b.u\"]},\n"
            "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, "
            "\"endTime\": 2}",
            "t.json:3:13: the input '{b}.b.u' is already connected from "
            "'{a}.a.y' at t.json:2:29");
}

/* --- types --------------------------------------------------------------- */

/* Rows drive columns, both in the order of enum tt_type:
 * F64 F32 I8 U8 I16 U16 I32 U32 I64 U64 BOOL BOOL32 ENUM32 ENUM64 TEXT BYTES
 * CLOCK. 'c' is copied, 'x' converted, '.' refused. */
static const char *const drives[TT_TYPE_N] = {
    [TT_F64] = "cx........xx.....",    [TT_F32] = "xc........xx.....",
    [TT_I8] = "xxc.x.x.x.xxxx...",     [TT_U8] = "xx.cxxxxxxxxxx...",
    [TT_I16] = "xx..c.x.x.xxxx...",    [TT_U16] = "xx...cxxxxxxxx...",
    [TT_I32] = "xx....c.x.xxcx...",    [TT_U32] = "xx.....cxxxx.x...",
    [TT_I64] = "xx......c.xx.c...",    [TT_U64] = "xx.......cxx.....",
    [TT_BOOL] = "xxxxxxxxxxcxxx...",   [TT_BOOL32] = "xxxxxxxxxxxcxx...",
    [TT_ENUM32] = "xx....c.x.xxcx...", [TT_ENUM64] = "xx......c.xx.c...",
    [TT_TEXT] = "..............c..",   [TT_BYTES] = "...............c.",
    [TT_CLOCK] = "................c",
};

static void check_pair(enum tt_type from, enum tt_type to)
{
    char want = drives[from][to], words[256];
    struct pair p;
    enum tt_code rc;

    begin(&p, from, to);
    rc = tt_stand_plan(&p.st, A_TO_B);
    if (want == '.') {
        snprintf(words, sizeof(words),
                 "t.json:2:29: '{a}.a.y' is %s and cannot drive '{b}.b.u', "
                 "which is %s",
                 tt_type_name(from), tt_type_name(to));
        assert_int_equal(rc, TT_EINPUT);
        assert_string_equal(p.st.err.msg, words);
    } else {
        snprintf(words, sizeof(words),
                 "note: conversion: {a}.a.y (%s) -> {b}.b.u (%s)",
                 tt_type_name(from), tt_type_name(to));
        assert_int_equal(rc, TT_OK);
        assert_int_equal(p.st.plan->feed[0].how,
                         want == 'c' ? TT_FEED_COPY : TT_FEED_CAST);
        assert_int_equal(tt_stand_logged(&p.st, words), from != to);
    }
    end(&p);
}

static void
every_pair_of_types_is_allowed_or_refused_as_the_table_states(void **state)
{
    (void)state;
    for (int from = 0; from < TT_TYPE_N; from++) {
        assert_int_equal(strlen(drives[from]), TT_TYPE_N);
        for (int to = 0; to < TT_TYPE_N; to++)
            check_pair((enum tt_type)from, (enum tt_type)to);
    }
}

static void arrays_of_different_sizes_are_refused(void **state)
{
    static const uint32_t three = 3, four = 4;
    struct pair p;

    (void)state;
    begin(&p, TT_F64, TT_F64);
    p.y->n = 3;
    p.y->n_dim = 1;
    p.y->dim = &three;
    p.u->n = 4;
    p.u->n_dim = 1;
    p.u->dim = &four;
    assert_int_equal(tt_stand_plan(&p.st, A_TO_B), TT_EINPUT);
    assert_string_equal(p.st.err.msg,
                        "t.json:2:29: '{a}.a.y' is an array of 3 and cannot "
                        "drive '{b}.b.u', which is an array of 4");
    end(&p);
}

/* A table holds doubles, whatever its writer meant. */
static void a_signal_may_drive_integers(void **state)
{
    struct pair p;

    (void)state;
    begin(&p, TT_F64, TT_I32);
    p.a.desc.caps.untyped = 1;
    assert_int_equal(tt_stand_plan(&p.st, A_TO_B), TT_OK);
    assert_int_equal(p.st.plan->feed[0].how, TT_FEED_CAST);
    end(&p);
}

/* --- physical units ------------------------------------------------------ */

#define K_EXP                                                                  \
    {                                                                          \
        0, 0, 0, 0, 1                                                          \
    }
#define SPEED_EXP                                                              \
    {                                                                          \
        0, 1, -1                                                               \
    }

static const struct tt_quantity kelvin = {"K", 1, K_EXP, 1, 0};
static const struct tt_quantity celsius = {"degC", 1, K_EXP, 1, 273.15};
static const struct tt_quantity fahrenheit = {"degF", 1, K_EXP, 5.0 / 9.0,
                                              459.67 * 5.0 / 9.0};
static const struct tt_quantity mps = {"m/s", 1, SPEED_EXP, 1, 0};
static const struct tt_quantity kmh = {"km/h", 1, SPEED_EXP, 1 / 3.6, 0};
static const struct tt_quantity metre_per_second = {"m.s-1", 1, SPEED_EXP, 1,
                                                    0};
static const struct tt_quantity rad = {
    "rad", 1, {0, 0, 0, 0, 0, 0, 0, 1}, 1, 0};
static const struct tt_quantity deg = {
    "deg", 1, {0, 0, 0, 0, 0, 0, 0, 1}, 0.017453292519943295, 0};
static const struct tt_quantity furlongs = {"furlong", 0, {0}, 0, 0};
static const struct tt_quantity broken = {"zero", 1, SPEED_EXP, 0, 0};
static const struct tt_quantity other_kmh = {"km/h", 1, SPEED_EXP, 1, 0};

static void check_units(const struct tt_quantity *from,
                        const struct tt_quantity *to, enum tt_feed_how how,
                        double factor, double offset, const char *note)
{
    struct pair p;

    begin(&p, TT_F64, TT_F64);
    p.y->quantity = from;
    p.u->quantity = to;
    assert_int_equal(tt_stand_plan(&p.st, A_TO_B), TT_OK);
    assert_int_equal(p.st.plan->feed[0].how, how);
    if (how == TT_FEED_LINEAR) {
        assert_true(p.st.plan->feed[0].factor == factor);
        assert_true(p.st.plan->feed[0].offset == offset);
    }
    if (note)
        assert_true(tt_stand_logged(&p.st, note));
    else
        assert_null(strstr(p.st.logged.data, "conversion"));
    end(&p);
}

static void declared_units_are_converted_exactly(void **state)
{
    (void)state;
    check_units(&celsius, &kelvin, TT_FEED_LINEAR, 1, 273.15,
                "note: conversion: {a}.a.y [degC] -> {b}.b.u [K]: times 1 plus "
                "273.15");
    check_units(&kelvin, &celsius, TT_FEED_LINEAR, 1, -273.15,
                "note: conversion: {a}.a.y [K] -> {b}.b.u [degC]: times 1 plus "
                "-273.15");
    check_units(&fahrenheit, &celsius, TT_FEED_LINEAR, 5.0 / 9.0,
                459.67 * 5.0 / 9.0 - 273.15,
                "note: conversion: {a}.a.y [degF] -> {b}.b.u [degC]: times "
                "0.5555555555555556 plus -17.77777777777777");
    check_units(&celsius, &fahrenheit, TT_FEED_LINEAR, 1 / (5.0 / 9.0),
                (273.15 - 459.67 * 5.0 / 9.0) / (5.0 / 9.0),
                "note: conversion: {a}.a.y [degC] -> {b}.b.u [degF]: times "
                "1.7999999999999998 plus 31.999999999999986");
    check_units(&kmh, &mps, TT_FEED_LINEAR, 1 / 3.6, 0,
                "note: conversion: {a}.a.y [km/h] -> {b}.b.u [m/s]: times "
                "0.2777777777777778 plus 0");
    check_units(&mps, &kmh, TT_FEED_LINEAR, 1 / (1 / 3.6), 0,
                "note: conversion: {a}.a.y [m/s] -> {b}.b.u [km/h]: times "
                "3.5999999999999996 plus 0");
    check_units(&deg, &rad, TT_FEED_LINEAR, 0.017453292519943295, 0,
                "note: conversion: {a}.a.y [deg] -> {b}.b.u [rad]: times "
                "0.017453292519943295 plus 0");
}

/* 10 degC warmer is 10 K warmer. */
static void differences_are_converted_without_offset(void **state)
{
    struct pair p;

    (void)state;
    begin(&p, TT_F64, TT_F64);
    p.y->quantity = &celsius;
    p.u->quantity = &kelvin;
    p.y->relative = p.u->relative = 1;
    assert_int_equal(tt_stand_plan(&p.st, A_TO_B), TT_OK);
    assert_int_equal(p.st.plan->feed[0].how, TT_FEED_COPY);
    end(&p);
}

static void equal_units_are_copied_bit_for_bit(void **state)
{
    (void)state;
    check_units(&kelvin, &kelvin, TT_FEED_COPY, 1, 0, NULL);
    check_units(&mps, &metre_per_second, TT_FEED_COPY, 1, 0, NULL);
    check_units(&mps, NULL, TT_FEED_COPY, 1, 0, NULL);
    check_units(NULL, &kelvin, TT_FEED_COPY, 1, 0, NULL);
}

static void
units_without_a_base_pass_as_they_are_and_it_is_reported(void **state)
{
    (void)state;
    check_units(&furlongs, &mps, TT_FEED_COPY, 1, 0,
                "note: conversion: {a}.a.y [furlong] -> {b}.b.u [m/s]: passed "
                "as it is, because 'furlong' has no base unit declared");
    check_units(&kelvin, &furlongs, TT_FEED_COPY, 1, 0,
                "note: conversion: {a}.a.y [K] -> {b}.b.u [furlong]: passed as "
                "it is, because 'furlong' has no base unit declared");
    check_units(&mps, &broken, TT_FEED_COPY, 1, 0,
                "note: conversion: {a}.a.y [m/s] -> {b}.b.u [zero]: passed as "
                "it is, because 'zero' has no base unit declared");
}

static void one_name_declared_in_two_ways_is_reported(void **state)
{
    (void)state;
    check_units(&kmh, &other_kmh, TT_FEED_COPY, 1, 0,
                "note: conversion: {a}.a.y [km/h] -> {b}.b.u [km/h]: passed as "
                "it is, although the two declare 'km/h' differently");
}

static void different_quantities_are_refused_by_name(void **state)
{
    struct pair p;

    (void)state;
    begin(&p, TT_F64, TT_F64);
    p.y->quantity = &kelvin;
    p.u->quantity = &mps;
    assert_int_equal(tt_stand_plan(&p.st, A_TO_B), TT_EINPUT);
    assert_string_equal(p.st.err.msg,
                        "t.json:2:29: '{a}.a.y' is in 'K' and '{b}.b.u' in "
                        "'m/s': these units measure different quantities");
    end(&p);
}

/* --- shapes -------------------------------------------------------------- */

static void one_output_may_drive_two_inputs_of_one_unit(void **state)
{
    struct pair p;

    (void)state;
    begin(&p, TT_F64, TT_F64);
    tt_fake_port(&p.b, "v", TT_CAUS_INPUT, TT_F64);
    assert_int_equal(
        tt_stand_plan(&p.st, "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"},"
                             "\"connections\": {\"{a}.a.y\": [\"{b}.b.u\", "
                             "\"{b}.b.v\"]}, \"algorithm\": {\"type\": "
                             "\"fixed-step\", \"size\": 1}, \"endTime\": 2}"),
        TT_OK);
    assert_int_equal(p.st.plan->n_feed, 2);
    assert_int_equal(p.st.plan->n_slot, 3);
    assert_int_equal(p.st.plan->feed[0].from, p.st.plan->feed[1].from);
    assert_int_equal(p.st.plan->out_first[1] - p.st.plan->out_first[0], 2);
    end(&p);
}

static void a_unit_may_feed_itself(void **state)
{
    struct pair p;

    (void)state;
    begin(&p, TT_F64, TT_F64);
    tt_fake_port(&p.b, "w", TT_CAUS_OUTPUT, TT_F64);
    assert_int_equal(tt_stand_plan(&p.st, CONNECT("{b}.b.w", "{b}.b.u")),
                     TT_OK);
    assert_int_equal(p.st.plan->n_unit, 1);
    assert_int_equal(p.st.plan->slot[p.st.plan->feed[0].to].unit, 0);
    end(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unknown_variable_is_refused_with_the_nearest_one),
        cmocka_unit_test(what_is_no_output_cannot_be_a_source),
        cmocka_unit_test(what_is_no_input_cannot_be_a_target),
        cmocka_unit_test(an_input_is_fed_by_one_unless_it_takes_events),
        cmocka_unit_test(
            every_pair_of_types_is_allowed_or_refused_as_the_table_states),
        cmocka_unit_test(arrays_of_different_sizes_are_refused),
        cmocka_unit_test(a_signal_may_drive_integers),
        cmocka_unit_test(declared_units_are_converted_exactly),
        cmocka_unit_test(differences_are_converted_without_offset),
        cmocka_unit_test(equal_units_are_copied_bit_for_bit),
        cmocka_unit_test(
            units_without_a_base_pass_as_they_are_and_it_is_reported),
        cmocka_unit_test(one_name_declared_in_two_ways_is_reported),
        cmocka_unit_test(different_quantities_are_refused_by_name),
        cmocka_unit_test(one_output_may_drive_two_inputs_of_one_unit),
        cmocka_unit_test(a_unit_may_feed_itself),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
