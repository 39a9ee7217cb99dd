/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "base/glob.h"

static void stars_and_question_marks_match(void **state)
{
    (void)state;
    assert_true(tt_glob("", ""));
    assert_true(tt_glob("*", ""));
    assert_true(tt_glob("a*c", "abbbc"));
    assert_true(tt_glob("*x*y*", "aaxbbyc"));
    assert_true(tt_glob("x?", "x1"));
    assert_false(tt_glob("x?", "x"));
    assert_false(tt_glob("a*c", "abbbd"));
    assert_false(tt_glob("", "a"));
}

static void brackets_stand_for_themselves(void **state)
{
    (void)state;
    assert_true(tt_glob("x[1]", "x[1]"));
    assert_false(tt_glob("x[1]", "x1"));
    assert_true(tt_glob("x[*]", "x[12]"));
}

static void a_hostile_pattern_is_not_exponential(void **state)
{
    char text[4096];

    (void)state;
    for (size_t i = 0; i < sizeof(text) - 1; i++)
        text[i] = 'a';
    text[sizeof(text) - 1] = '\0';
    assert_false(tt_glob("*a*a*a*a*a*a*a*a*a*a*a*a*a*b", text));
}

static void a_variable_is_selected_by_any_of_its_names(void **state)
{
    (void)state;
    assert_true(tt_glob_variable("level", "{t}.tank", "tank", "level"));
    assert_true(tt_glob_variable("tank.l*", "{t}.tank", "tank", "level"));
    assert_true(
        tt_glob_variable("{t}.tank.level", "{t}.tank", "tank", "level"));
    assert_true(tt_glob_variable("all", "{t}.tank", "tank", "level"));
    assert_false(tt_glob_variable("valve", "{t}.tank", "tank", "level"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stars_and_question_marks_match),
        cmocka_unit_test(brackets_stand_for_themselves),
        cmocka_unit_test(a_hostile_pattern_is_not_exponential),
        cmocka_unit_test(a_variable_is_selected_by_any_of_its_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
