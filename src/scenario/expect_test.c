/* SPDX-License-Identifier: MIT */
/* "expect": what a run is to show. */
#include <math.h>

#include "scenario/test_scenario.h"

#define EXPECT(entry) PAIR "\"expect\":[" entry "]}"

static void families_are_read(void **state)
{
    tt_scenario *s =
        gives(EXPECT("{\"range\":\"{p}.p1.y\",\"min\":-1},"
                     "{\"name\":\"n\",\"never\":\"{p}.p1.y > 2\",\"after\":"
                     "\"{c}.c1.y > 1 and t > 5\",\"fail\":true},"
                     "{\"settles\":\"{p}.p1.y\",\"to\":2,\"tolerance\":0.5,"
                     "\"within\":3}"));
    const struct tt_sc_expect *e = s->expect;

    (void)state;
    assert_int_equal(s->n_expect, 3);
    assert_int_equal(e[0].kind, TT_EXPECT_RANGE);
    assert_string_equal(e[0].name, "{p}.p1.y");
    assert_true(e[0].low == -1 && e[0].high == (double)INFINITY);
    assert_true(isinf(e[0].within) && !e[0].part[TT_EXPECT_AFTER].text &&
                !e[0].fail);
    assert_int_equal(e[1].kind, TT_EXPECT_NEVER);
    assert_string_equal(e[1].name, "n");
    assert_int_equal(e[1].n_variable, 2);
    assert_string_equal(e[1].variable[0].name, "{p}.p1.y");
    assert_string_equal(s->unit[e[1].variable[1].ref.unit].name, "{c}.c1");
    assert_string_equal(e[1].variable[1].ref.variable, "y");
    assert_int_equal(e[1].fail, 1);
    assert_int_equal(e[2].kind, TT_EXPECT_SETTLES);
    assert_true(e[2].low == 1.5 && e[2].high == 2.5 && e[2].within == 3);
    tt_scenario_free(s);
    s = gives(PAIR "\"hints\":[{\"always\":\"{p}.p1.y > 1\"}],"
                   "\"expect\":[{\"never\":\"{p}.p1.y > 1\"}]}");
    assert_int_equal(s->n_expect, 2);
    assert_int_equal(s->expect[0].kind, TT_EXPECT_NEVER);
    assert_true(!s->expect[0].hint && s->expect[1].hint);
    tt_scenario_free(s);
    s = gives(EXPECT(""));
    assert_int_equal(s->n_expect, 0);
    tt_scenario_free(s);
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    fails(PAIR "\"expect\":{}}",
          "a.json:3:10: 'expect' must be an array of expectations, not an "
          "object");
    fails(PAIR "\"hints\":3}",
          "a.json:3:9: 'hints' must be an array of hints, not an integer");
    fails(PAIR "\"hints\":[3]}",
          "a.json:3:10: each element of 'hints' must be an object, not an "
          "integer");
    fails(EXPECT("1"),
          "a.json:3:11: each element of 'expect' must be an object, not an "
          "integer");
    fails(EXPECT("{}"),
          "a.json:3:11: an expectation lacks 'range', 'always', 'never', "
          "'eventually', 'final', 'settles', 'occurs', 'follows', 'stays', "
          "'lasts', 'recurs', 'period', 'falls', 'rises' or 'smooth'");
    fails(EXPECT("{\"alway\":\"t > 1\"}"),
          "a.json:3:12: unknown field 'alway'; did you mean 'always'?");
    fails(EXPECT("{\"always\":\"t > 1\"}"),
          "a.json:3:21: 'always' names no variable");
    fails(EXPECT("{\"always\":3}"),
          "a.json:3:21: 'always' must be a string, not an integer");
    fails(EXPECT("{\"always\":\"{p}.p1.y >\"}"),
          "a.json:3:32: 'always': expected a value, found the end");
    fails(EXPECT("{\"always\":\"{p}.p1.y > 1\",\"never\":\"{p}.p1.y > 1\"}"),
          "a.json:3:36: an expectation has one of 'always' and 'never', not "
          "both");
    fails(EXPECT("{\"always\":\"0 < {p}.p2.y\"}"),
          "a.json:3:26: there is no instance '{p}.p2', named by '{p}.p2.y'; "
          "did you mean '{p}.p1'?");
    fails(EXPECT("{\"always\":\"{p}.p1.y > 1\",\"min\":1}"),
          "a.json:3:36: 'min' does not go with 'always'");
    fails(EXPECT("{\"final\":\"{p}.p1.y\",\"after\":\"t > 1\"}"),
          "a.json:3:31: 'after' does not go with 'final'");
    fails(EXPECT("{\"range\":\"{p}.p1.y\"}"),
          "a.json:3:11: a range lacks 'min' or 'max'");
    fails(EXPECT("{\"range\":\"{p}.p1.y\",\"min\":2,\"max\":1}"),
          "a.json:3:45: 'max' is 1, less than 'min', which is 2");
    fails(EXPECT("{\"range\":\"{p}.p1.y\",\"min\":\"a\"}"),
          "a.json:3:37: 'min' must be a number, not a string");
    fails(EXPECT("{\"final\":\"{p}.p1.y\",\"tolerance\":1}"),
          "a.json:3:11: an expectation with 'final' lacks 'to'");
    fails(EXPECT("{\"settles\":\"{p}.p1.y\",\"to\":1}"),
          "a.json:3:11: an expectation with 'settles' lacks 'tolerance'");
    fails(EXPECT("{\"final\":\"{p}.p1.y\",\"to\":1,\"tolerance\":0}"),
          "a.json:3:50: 'tolerance' must be greater than 0, not 0");
    fails(EXPECT("{\"eventually\":\"{p}.p1.y > 1\",\"within\":-1}"),
          "a.json:3:49: 'within' must not be negative, not -1");
    fails(EXPECT("{\"never\":\"{p}.p1.y > 1\",\"fail\":1}"),
          "a.json:3:42: 'fail' must be true or false, not an integer");
    fails(EXPECT("{\"name\":\"a\",\"never\":\"{p}.p1.y > 1\"},"
                 "{\"name\":\"a\",\"never\":\"{p}.p1.y > 2\"}"),
          "a.json:3:55: there is an expectation 'a' already");
}

static void families_of_time_are_read(void **state)
{
    tt_scenario *s = gives(
        EXPECT("{\"follows\":[\"{p}.p1.y > 1\",\"{p}.p1.y > 2\"],\"when\":"
               "\"{c}.c1.y > 0\",\"within\":2,\"after\":\"t > 1\",\"before\":"
               "\"t > 5\"},"
               "{\"occurs\":\"{p}.p1.y > 1\",\"most\":3},"
               "{\"smooth\":\"{p}.p1.y\",\"until\":\"t > 3\"},"
               "{\"stays\":\"{p}.p1.y > 1\",\"when\":\"t > 1\",\"for\":4}"));
    const struct tt_sc_expect *e = s->expect;

    (void)state;
    assert_int_equal(s->n_expect, 4);
    assert_int_equal(e[0].kind, TT_EXPECT_FOLLOWS);
    assert_string_equal(e[0].part[1].text, "{p}.p1.y > 2");
    assert_null(e[0].part[2].text);
    assert_string_equal(e[0].part[TT_EXPECT_WHEN].text, "{c}.c1.y > 0");
    assert_string_equal(e[0].part[TT_EXPECT_UNTIL].text, "t > 5");
    assert_true(e[0].pending && e[0].within == 2);
    assert_int_equal(e[0].n_variable, 3);
    assert_true(e[1].low == -(double)INFINITY && e[1].high == 3);
    assert_true(e[2].high == 1.5 && !e[2].pending);
    assert_true(e[3].within == 4);
    tt_scenario_free(s);
}

static void wrong_families_of_time_are_refused(void **state)
{
    (void)state;
    fails(EXPECT("{\"follows\":\"{p}.p1.y > 1\"}"),
          "a.json:3:11: an expectation with 'follows' lacks 'when'");
    fails(EXPECT("{\"follows\":[],\"when\":\"t > 1\"}"),
          "a.json:3:22: 'follows' has 1 to 4 conditions, not 0");
    fails(EXPECT("{\"follows\":[1],\"when\":\"t > 1\"}"),
          "a.json:3:23: each element of 'follows' must be a string, not an "
          "integer");
    fails(EXPECT("{\"always\":[\"{p}.p1.y > 1\"]}"),
          "a.json:3:21: 'always' must be a string, not an array");
    fails(EXPECT("{\"recurs\":\"{p}.p1.y > 1\"}"),
          "a.json:3:11: an expectation with 'recurs' lacks 'within'");
    fails(EXPECT("{\"stays\":\"{p}.p1.y > 1\",\"when\":\"t > 1\"}"),
          "a.json:3:11: an expectation with 'stays' lacks 'for'");
    fails(EXPECT("{\"occurs\":\"{p}.p1.y > 1\"}"),
          "a.json:3:11: an expectation lacks 'least' or 'most'");
    fails(EXPECT("{\"occurs\":\"{p}.p1.y > 1\",\"least\":3,\"most\":2}"),
          "a.json:3:53: 'most' is 2, less than 'least', which is 3");
    fails(EXPECT("{\"always\":\"{p}.p1.y > 1\",\"when\":\"t > 1\"}"),
          "a.json:3:36: 'when' does not go with 'always'");
    fails(EXPECT("{\"always\":\"{p}.p1.y > 1\",\"before\":\"t > 1\","
                 "\"until\":\"t > 2\"}"),
          "a.json:3:53: an expectation has one of 'before' and 'until', not "
          "both");
    fails(EXPECT("{\"period\":\"{p}.p1.y > 1\",\"to\":2}"),
          "a.json:3:11: an expectation with 'period' lacks 'tolerance'");
}

static void what_instances_are_is_read(void **state)
{
    tt_scenario *s =
        gives(PAIR "\"hints\":[{\"name\":\"ctl\",\"software\":\"{c}.c1\","
                   "\"rate\":\"1.5 mhz\"},{\"never\":\"{p}.p1.y > 1\"},"
                   "{\"powerBond\":[\"{p}.p1.y\",\"{c}.c1.y\"]},"
                   "{\"software\":\"{p}.p1\",\"rate\":50}]}");
    const struct tt_sc_known *k = s->known;

    (void)state;
    assert_int_equal(s->n_expect, 1);
    assert_true(s->expect[0].hint);
    assert_int_equal(s->n_known, 3);
    assert_string_equal(k[0].name, "ctl");
    assert_string_equal(s->unit[k[0].unit].name, "{c}.c1");
    assert_true(!k[0].bond && k[0].rate == 1.5e6);
    assert_true(k[1].bond);
    assert_string_equal(k[1].name, "{p}.p1.y");
    assert_string_equal(k[1].end[1].variable, "y");
    assert_string_equal(k[2].name, "{p}.p1");
    assert_true(k[2].rate == 50);
    tt_scenario_free(s);
    s = gives(PAIR "\"hints\":[{\"software\":\"{c}.c1\"}]}");
    assert_true(isnan(s->known[0].rate));
    tt_scenario_free(s);
}

#define HINT(entry) PAIR "\"hints\":[" entry "]}"

static void wrong_statements_of_instances_are_refused(void **state)
{
    (void)state;
    fails(EXPECT("{\"software\":\"{c}.c1\"}"),
          "a.json:3:11: an expectation lacks 'range', 'always', 'never', "
          "'eventually', 'final', 'settles', 'occurs', 'follows', 'stays', "
          "'lasts', 'recurs', 'period', 'falls', 'rises' or 'smooth'");
    fails(HINT("{\"software\":\"{c}.c2\"}"),
          "a.json:3:22: there is no instance '{c}.c2'; did you mean "
          "'{c}.c1'?");
    fails(HINT("{\"software\":\"{c}.c1\",\"rate\":\"often\"}"),
          "a.json:3:38: 'rate' is a number and Hz, kHz, MHz or GHz, not "
          "'often'");
    fails(HINT("{\"software\":\"{c}.c1\",\"rate\":-1}"),
          "a.json:3:38: 'rate' must be greater than 0");
    fails(HINT("{\"software\":\"{c}.c1\"},{\"software\":\"{c}.c1\"}"),
          "a.json:3:44: '{c}.c1' is stated to be software already");
    fails(HINT("{\"powerBond\":[\"{p}.p1.y\"]}"),
          "a.json:3:23: 'powerBond' names two variables, not 1");
    fails(HINT("{\"powerBond\":\"{p}.p1.y\"}"),
          "a.json:3:23: 'powerBond' must be an array of strings, not a string");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(families_are_read),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(families_of_time_are_read),
        cmocka_unit_test(wrong_families_of_time_are_refused),
        cmocka_unit_test(what_instances_are_is_read),
        cmocka_unit_test(wrong_statements_of_instances_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
