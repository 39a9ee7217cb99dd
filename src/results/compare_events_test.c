/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "results/compare.h"

#define HEADER "time,microstep,instance,port,value\n"
#define GREEN  "60.0,1,{l}.l,colour,green\n"
#define LEVEL  "60.0,2,{t}.t,level,0.5\n"
#define WORK   "100.0,1,{p}.p,order,toWork\n"

static tt_table *table(const char *file, const char *text)
{
    tt_table *t = NULL;
    tt_err err = {0};

    if (tt_table_parse(&t, file, text, strlen(text), &err) != TT_OK)
        fail_msg("%s", err.msg);
    return t;
}

/* What is printed, or the message that refuses it. */
static void expect(const char *a, const char *b,
                   const struct tt_compare_opts *o, int same, const char *words)
{
    tt_table *ta = table("a.csv", a), *tb = table("b.csv", b);
    struct tt_compare c = {0};
    struct tt_buf out;
    tt_err err = {0};
    int failed = tt_compare(&c, ta, tb, o, &err) != TT_OK;

    tt_buf_init(&out, 1 << 16);
    if (failed)
        tt_buf_str(&out, err.msg);
    else
        tt_compare_text(&out, &c);
    assert_string_equal(out.data, words);
    assert_int_equal(c.same, same);
    tt_buf_fini(&out);
    tt_compare_fini(&c);
    tt_table_free(ta);
    tt_table_free(tb);
}

#define DIFFERENT(n, a, b, counts, within)                                     \
    "the first " n " events agree, then\n"                                     \
    "  a.csv  " a "\n"                                                         \
    "  b.csv  " b "\n"                                                         \
    "different: " counts " events, not the same " within "\n"
#define IS_GREEN "t=60 s, microstep 1, l.colour = green"
#define IS_LEVEL "t=60 s, microstep 2, t.level = 0.5"

static void equal_lists_are_the_same(void **state)
{
    (void)state;
    expect(HEADER GREEN LEVEL WORK, HEADER GREEN LEVEL WORK, NULL, 1,
           "same: 3 of 3 events agree to the last bit, their times to 0 s\n");
    expect(HEADER, HEADER, NULL, 1,
           "same: 0 of 0 events agree to the last bit, their times to 0 s\n");
}

static void times_agree_as_those_of_rows_do(void **state)
{
    const char *late = HEADER "60.0000001,1,{l}.l,colour,green\n";
    const struct tt_compare_opts o = {.atol = 1e-3};

    (void)state;
    expect(HEADER "60.00000000000001,1,{l}.l,colour,green\n", HEADER GREEN,
           NULL, 1,
           "same: 1 of 1 events agree to the last bit, their times to "
           "7.11e-15 s\n");
    expect(late, HEADER GREEN, NULL, 0,
           DIFFERENT("0",
                     "event 1: t=60.0000001 s, microstep 1, l.colour = "
                     "green",
                     "event 1: " IS_GREEN, "1 and 1", "to the last bit"));
    expect(late, HEADER GREEN, &o, 1,
           "same: 1 of 1 events agree within 0.001, their times to 1e-7 s\n");
}

static void the_first_difference_is_named(void **state)
{
    (void)state;
    expect(HEADER GREEN LEVEL, HEADER GREEN WORK, NULL, 0,
           DIFFERENT("1", "event 2: " IS_LEVEL,
                     "event 2: t=100 s, microstep 1, p.order = toWork",
                     "2 and 2", "to the last bit"));
    expect(HEADER GREEN, HEADER GREEN LEVEL, NULL, 0,
           DIFFERENT("1", "has ended", "event 2: " IS_LEVEL, "1 and 2",
                     "to the last bit"));
}

static void names_have_keys_where_they_need_them(void **state)
{
    (void)state;
    expect(HEADER GREEN LEVEL, HEADER GREEN "60.0,1,{u}.t,level,0.5\n", NULL, 0,
           DIFFERENT("1", "event 2: t=60 s, microstep 2, {t}.t.level = 0.5",
                     "event 2: t=60 s, microstep 1, {u}.t.level = 0.5",
                     "2 and 2", "to the last bit"));
}

static void values_have_tolerances_and_texts_have_none(void **state)
{
    const struct tt_compare_opts o = {.rtol = 0.1};

    (void)state;
    expect(HEADER "60.0,2,{t}.t,level,0.52\n", HEADER LEVEL, &o, 1,
           "same: 1 of 1 events agree within 0 + 0.1*|b|, their times to 0 "
           "s\n");
    expect(HEADER "60.0,2,{t}.t,level,0.6\n", HEADER LEVEL, &o, 0,
           DIFFERENT("0", "event 1: t=60 s, microstep 2, t.level = 0.6",
                     "event 1: " IS_LEVEL, "1 and 1", "within 0 + 0.1*|b|"));
    expect(HEADER "60.0,1,{l}.l,colour,red\n", HEADER GREEN, &o, 0,
           DIFFERENT("0", "event 1: t=60 s, microstep 1, l.colour = red",
                     "event 1: " IS_GREEN, "1 and 1", "within 0 + 0.1*|b|"));
}

static void order_and_microsteps_count(void **state)
{
    (void)state;
    expect(HEADER LEVEL GREEN, HEADER GREEN LEVEL, NULL, 0,
           DIFFERENT("0", "event 1: " IS_LEVEL, "event 1: " IS_GREEN, "2 and 2",
                     "to the last bit"));
    expect(HEADER "60.0,2,{l}.l,colour,green\n", HEADER GREEN, NULL, 0,
           DIFFERENT("0", "event 1: t=60 s, microstep 2, l.colour = green",
                     "event 1: " IS_GREEN, "1 and 1", "to the last bit"));
}

static void patterns_choose_events(void **state)
{
    static const char *const colour[] = {"colour"}, *const none[] = {"hue"};
    struct tt_compare_opts o = {.pattern = colour, .n_pattern = 1};

    (void)state;
    expect(HEADER LEVEL GREEN WORK, HEADER GREEN LEVEL, &o, 1,
           "same: 1 of 1 events agree to the last bit, their times to 0 s\n");
    o.pattern = none;
    expect(HEADER GREEN, HEADER GREEN, &o, 0,
           "b.csv: there is no event of 'hue'");
}

static void what_is_no_list_is_refused(void **state)
{
    const struct tt_compare_opts o = {.interpolate = 1};

    (void)state;
    expect(HEADER GREEN, "time,x\n0,1\n", NULL, 0,
           "a.csv is a list of events, and b.csv is none: they cannot be "
           "compared");
    expect("time,x\n0,1\n", HEADER GREEN, NULL, 0,
           "b.csv is a list of events, and a.csv is none: they cannot be "
           "compared");
    expect(HEADER GREEN, HEADER GREEN, &o, 0,
           "a.csv is a list of events, and between them there is nothing to "
           "interpolate");
}

static void json_has_the_first_difference(void **state)
{
    tt_table *a = table("a.csv", HEADER GREEN);
    tt_table *b = table("b.csv", HEADER);
    struct tt_compare c = {0};
    struct tt_buf out;
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_compare(&c, a, b, NULL, &err), TT_OK);
    tt_buf_init(&out, 1 << 16);
    tt_compare_json(&out, &c);
    assert_string_equal(
        out.data,
        "{\"same\":false,\"a\":\"a.csv\",\"b\":\"b.csv\",\"atol\":0,\"rtol\":0,"
        "\"events\":{\"a\":1,\"b\":0,\"agree\":0,\"maxLate\":0,\"firstA\":"
        "{\"event\":1,\"time\":60,\"microstep\":1,\"signal\":\"{l}.l.colour\","
        "\"value\":\"green\"},\"firstB\":null}}\n");
    tt_buf_fini(&out);
    tt_compare_fini(&c);
    tt_table_free(a);
    tt_table_free(b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_lists_are_the_same),
        cmocka_unit_test(times_agree_as_those_of_rows_do),
        cmocka_unit_test(the_first_difference_is_named),
        cmocka_unit_test(names_have_keys_where_they_need_them),
        cmocka_unit_test(values_have_tolerances_and_texts_have_none),
        cmocka_unit_test(order_and_microsteps_count),
        cmocka_unit_test(patterns_choose_events),
        cmocka_unit_test(what_is_no_list_is_refused),
        cmocka_unit_test(json_has_the_first_difference),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
