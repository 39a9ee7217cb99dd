/* SPDX-License-Identifier: MIT */
#include "results/pattern.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"

static void
patterns_see_the_full_name_the_instance_and_the_variable(void **state)
{
    const char *name = "{tank}.t1.water.level[1]";

    (void)state;
    assert_true(tt_pattern_match("{tank}.t1.water.level[1]", name));
    assert_true(tt_pattern_match("t1.water.level[1]", name));
    assert_true(tt_pattern_match("water.level[1]", name));
    assert_true(tt_pattern_match("{tank}.*", name));
    assert_true(tt_pattern_match("t1.*", name));
    assert_true(tt_pattern_match("*.level[?]", name));
    assert_true(tt_pattern_match("w*l*", name));
    assert_true(tt_pattern_match("*", name));
    assert_false(tt_pattern_match("level[1]", name));
    assert_false(tt_pattern_match("Water.level[1]", name));
    assert_false(tt_pattern_match("t?.water.level[2]", name));
    assert_false(tt_pattern_match("", name));
    assert_true(tt_pattern_match("x", "x"));
    assert_false(tt_pattern_match("", "{a}."));
}

static const char csv[] = "time,{a}.a.x,{a}.a.y,{b}.b.x,{b}.b.speed\n";

/* The columns chosen, as digits. */
static void expect(const char *const *pattern, size_t n, const char *want)
{
    tt_table *t = NULL;
    uint32_t *column = NULL;
    char got[16] = "";
    size_t count = 0;

    assert_int_equal(tt_table_parse(&t, "r.csv", csv, sizeof(csv) - 1, NULL),
                     TT_OK);
    assert_int_equal(tt_pattern_select(t, pattern, n, &column, &count, NULL),
                     TT_OK);
    for (size_t i = 0; i < count; i++)
        got[i] = (char)('0' + column[i]);
    assert_string_equal(got, want);
    tt_free(column);
    tt_table_free(t);
}

static void columns_come_in_the_order_asked_for_and_once(void **state)
{
    (void)state;
    expect(NULL, 0, "0123");
    expect((const char *[]){"x"}, 1, "02");
    expect((const char *[]){"speed", "x", "{a}.*"}, 3, "3021");
    expect((const char *[]){"*"}, 1, "0123");
}

static void expect_refused(const char *pattern, const char *message)
{
    tt_table *t = NULL;
    uint32_t *column = NULL;
    size_t n = 0;
    tt_err err = {0};

    assert_int_equal(tt_table_parse(&t, "r.csv", csv, sizeof(csv) - 1, NULL),
                     TT_OK);
    assert_int_equal(tt_pattern_select(t, &pattern, 1, &column, &n, &err),
                     TT_EINPUT);
    assert_string_equal(err.msg, message);
    assert_null(column);
    tt_table_free(t);
}

static void a_pattern_without_columns_gets_the_nearest_name(void **state)
{
    (void)state;
    expect_refused("{b}.b.sped", "r.csv has no column '{b}.b.sped'; did you "
                                 "mean '{b}.b.speed'?");
    expect_refused("b.sped",
                   "r.csv has no column 'b.sped'; did you mean 'b.speed'?");
    expect_refused("Speed",
                   "r.csv has no column 'Speed'; did you mean 'speed'?");
    expect_refused("voltage*", "r.csv has no column 'voltage*'");
}

static void lists_part_at_commas_outside_brackets(void **state)
{
    static const char *const list[] = {"a,m[1,2],,{x,y}.z", "", "b"};
    static const char *const wanted[] = {"a", "m[1,2]", "{x,y}.z", "b"};
    tt_arena *arena = tt_arena_new();
    struct tt_patterns p;

    (void)state;
    assert_int_equal(tt_pattern_split(&p, list, 3, arena, NULL), TT_OK);
    assert_int_equal(p.n, 4);
    for (size_t i = 0; i < 4; i++)
        assert_string_equal(p.item[i], wanted[i]);
    assert_int_equal(tt_pattern_split(&p, NULL, 0, arena, NULL), TT_OK);
    assert_int_equal(p.n, 0);
    tt_arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            patterns_see_the_full_name_the_instance_and_the_variable),
        cmocka_unit_test(columns_come_in_the_order_asked_for_and_once),
        cmocka_unit_test(lists_part_at_commas_outside_brackets),
        cmocka_unit_test(a_pattern_without_columns_gets_the_nearest_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
