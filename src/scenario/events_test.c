/* SPDX-License-Identifier: MIT */
/* "events": what is due at one time. */
#include "scenario/test_scenario.h"

static void select_ties_and_limit_are_read(void **state)
{
    tt_scenario *s = gives(PAIR "\"events\":{\"select\":[\"c1\",\"{p}.p1\"],"
                                "\"ties\":\"parallel\",\"limit\":7,"
                                "\"confluence\":\"warn\"}}");

    (void)state;
    assert_int_equal(s->events.n_select, 2);
    assert_string_equal(s->unit[s->events.select[0]].name, "{c}.c1");
    assert_string_equal(s->unit[s->events.select[1]].name, "{p}.p1");
    assert_int_equal(s->events.parallel, 1);
    assert_int_equal(s->events.limit, 7);
    assert_int_equal(s->events.confluence, TT_CONFLUENCE_WARN);
    tt_scenario_free(s);
    s = gives(PAIR "\"events\":{}}");
    assert_int_equal(s->events.n_select, 0);
    assert_int_equal(s->events.parallel, 0);
    assert_int_equal(s->events.limit, 10000);
    assert_int_equal(s->events.confluence, TT_CONFLUENCE_OFF);
    tt_scenario_free(s);
}

static void what_is_wrong_is_refused(void **state)
{
    (void)state;
    fails(PAIR "\"events\":{\"selekt\":[]}}",
          "a.json:3:11: unknown field 'selekt'; did you mean 'select'?");
    fails(PAIR "\"events\":{\"select\":[\"c1\",\"{c}.c1\"]}}",
          "a.json:3:26: 'select' names '{c}.c1' twice");
    fails(PAIR "\"events\":{\"select\":[\"c2\"]}}",
          "a.json:3:21: there is no instance 'c2'; did you mean 'c1'?");
    fails(PAIR "\"events\":{\"ties\":\"serial\"}}",
          "a.json:3:18: 'ties' must be 'sequential' or 'parallel', not "
          "'serial'");
    fails(PAIR "\"events\":{\"confluence\":true}}",
          "a.json:3:24: 'confluence' must be a string, not a boolean");
    fails(PAIR "\"events\":{\"limit\":0}}",
          "a.json:3:19: 'limit' must be from 1 to 2147483647, not 0");
}

/* The map is an instance of its own, in the middle. */
static void a_map_divides_its_connection(void **state)
{
    tt_scenario *s = gives(PAIR "\"events\":{\"map\":{\"{p}.p1.y->{c}.c1.y\":"
                                "{\"a\":\"b\",\"c\":null}}}}");
    const struct tt_sc_connection *c = s->connection;

    (void)state;
    assert_int_equal(s->n_connection, 3);
    assert_string_equal(s->unit[c[0].from.unit].name, "{map 1}.map");
    assert_string_equal(c[0].from.variable, "out");
    assert_string_equal(s->unit[c[0].to.unit].name, "{c}.c1");
    assert_string_equal(s->unit[c[2].from.unit].name, "{p}.p1");
    assert_string_equal(s->unit[c[2].to.unit].name, "{map 1}.map");
    assert_string_equal(c[2].to.variable, "in");
    assert_string_equal(s->fmu[s->unit[c[2].to.unit].fmu].path,
                        "tutti:map: {\n  \"a\": \"b\",\n  \"c\": null\n}");
    tt_scenario_free(s);
}

static void maps_of_no_connection_are_refused(void **state)
{
    (void)state;
    fails(PAIR "\"events\":{\"map\":{\"{p}.p1.y\":{}}}}",
          "a.json:3:18: '{p}.p1.y' is no connection: write "
          "'{a}.a.y->{b}.b.u'");
    fails(PAIR "\"events\":{\"map\":{\"{c}.c1.u->{c}.c1.y\":{}}}}",
          "a.json:3:18: there is no connection from '{c}.c1.u' to "
          "'{c}.c1.y'");
    fails(PAIR "\"events\":{\"map\":{\"{p}.p2.y->{c}.c1.y\":{}}}}",
          "a.json:3:18: there is no instance '{p}.p2', named by '{p}.p2.y'; "
          "did you mean '{p}.p1'?");
    fails(PAIR "\"events\":{\"map\":{\"{p}.p1.y->{c}.c1.y\":3}}}",
          "a.json:3:39: '{p}.p1.y->{c}.c1.y' must be an object, not an "
          "integer");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(select_ties_and_limit_are_read),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(a_map_divides_its_connection),
        cmocka_unit_test(maps_of_no_connection_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
