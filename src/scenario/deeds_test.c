/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "scenario/deeds.h"

static const struct tt_sc_action action[] = {
    {.act = TT_SC_ACT_FAULT, .label = "override a with\t1"},
    {.act = TT_SC_ACT_STOP, .label = "stop: fail, too high"},
    {.act = TT_SC_ACT_RELEASE, .label = "release a"}};
static const struct tt_sc_cue cue[] = {
    {.name = "one\ntwo", .first = 0, .n = 2},
    {.name = "one\ntwo", .first = 2, .n = 1, .ends = 1}};
static const struct tt_sc_script script = {
    .cue = cue, .n_cue = 2, .action = action, .n_action = 3};

static void what_is_written_is_read(void **state)
{
    tt_arena *a = tt_arena_new();
    const char *at = tt_deeds_begin(tt_deeds_text(&script, a));
    struct tt_deed act;

    (void)state;
    assert_non_null(at);
    assert_true(tt_deeds_next(&at, a, &act));
    assert_string_equal(act.entry, "one two");
    assert_string_equal(act.label, "override a with 1");
    assert_int_equal(act.cue, 0);
    assert_int_equal(act.ends, 0);
    assert_true(tt_deeds_next(&at, a, &act));
    assert_string_equal(act.label, "stop: fail, too high");
    assert_true(tt_deeds_next(&at, a, &act));
    assert_string_equal(act.label, "release a");
    assert_int_equal(act.cue, 1);
    assert_int_equal(act.ends, 1);
    assert_false(tt_deeds_next(&at, a, &act));
    tt_arena_free(a);
}

static void other_texts_are_none(void **state)
{
    static const char *const text[] = {"", "script", "scripts\n0\t0\ta\tb\n"};
    static const char *const line[] = {"",       "0",       "0\t0",
                                       "0\t0\t", "0\t0\ta", "0\t0\ta\tb"};
    tt_arena *a = tt_arena_new();
    struct tt_deed act;

    (void)state;
    assert_null(tt_deeds_begin(NULL));
    for (size_t i = 0; i < sizeof(text) / sizeof(*text); i++)
        assert_null(tt_deeds_begin(text[i]));
    for (size_t i = 0; i < sizeof(line) / sizeof(*line); i++) {
        const char *at = line[i];

        assert_false(tt_deeds_next(&at, a, &act));
    }
    tt_arena_free(a);
}

static void a_stop_has_its_verdict(void **state)
{
    struct tt_deed_stop stop;

    (void)state;
    assert_true(tt_deed_stops("stop: fail, too high", &stop));
    assert_string_equal(stop.word, "fail");
    assert_true(stop.failed);
    assert_string_equal(stop.because, "too high");
    assert_true(tt_deed_stops("stop: pass", &stop));
    assert_string_equal(stop.word, "pass");
    assert_false(stop.failed);
    assert_null(stop.because);
    assert_true(tt_deed_stops("stop: end", &stop));
    assert_false(tt_deed_stops("stop: perhaps", &stop));
    assert_false(tt_deed_stops("release a", &stop));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(other_texts_are_none),
        cmocka_unit_test(a_stop_has_its_verdict)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
