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
    refused(PAIR "\"events\":{\"optimistic\":true}}",
            "a.json:3:11: 'optimistic' is refused: " TT_NOT_OPTIMISTIC);
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

/* --- wrappers ------------------------------------------------------------- */

#define EVENTS(text) PAIR "\"events\":{" text "}}"

static void wired(const tt_scenario *s, const char *from, const char *to)
{
    char a[128], b[128];

    for (uint32_t i = 0; i < s->n_connection; i++) {
        const struct tt_sc_connection *c = &s->connection[i];

        (void)snprintf(a, sizeof(a), "%s.%s", s->unit[c->from.unit].name,
                       c->from.variable);
        (void)snprintf(b, sizeof(b), "%s.%s", s->unit[c->to.unit].name,
                       c->to.variable);
        if (!strcmp(a, from) && !strcmp(b, to))
            return;
    }
    fail_msg("'%s' does not feed '%s'", from, to);
}

static void made_of(const tt_scenario *s, const char *unit, const char *path)
{
    for (uint32_t i = 0; i < s->n_unit; i++)
        if (!strcmp(s->unit[i].name, unit)) {
            assert_string_equal(s->fmu[s->unit[i].fmu].path, path);
            return;
        }
    fail_msg("there is no '%s'", unit);
}

static void given(const tt_scenario *s, const char *ref, double value)
{
    char name[128];

    for (uint32_t i = 0; i < s->n_parameter; i++) {
        const struct tt_sc_parameter *p = &s->parameter[i];

        (void)snprintf(name, sizeof(name), "%s.%s", s->unit[p->ref.unit].name,
                       p->ref.variable);
        if (!strcmp(name, ref)) {
            assert_true(p->value.number == value);
            return;
        }
    }
    fail_msg("'%s' has no value", ref);
}

static void wrappers_are_instances(void **state)
{
    tt_scenario *s = gives(EVENTS(
        "\"hold\":{\"{p}.p1.y\":[\"{c}.c1.a\",\"{c}.c1.b\"],"
        "\"{p}.p1.z\":{\"start\":\"off\",\"to\":\"{c}.c1.c\"}},"
        "\"sample\":{\"{p}.p1.y\":[{\"period\":0.5,\"jitter\":0.1,\"to\":"
        "\"{c}.c1.d\"},{\"name\":\"slow\",\"period\":2,\"to\":\"{c}.c1.e\"}]},"
        "\"delay\":{\"{p}.p1.y\":{\"time\":3,\"to\":\"{c}.c1.f\"}},"
        "\"dead-time\":{\"{p}.p1.y\":{\"time\":4,\"to\":\"{c}.c1.g\"}}"));

    (void)state;
    wired(s, "{p}.p1.y", "{hold 1}.hold.in");
    wired(s, "{hold 1}.hold.y", "{c}.c1.a");
    wired(s, "{hold 1}.hold.y", "{c}.c1.b");
    made_of(s, "{hold 1}.hold", "tutti:hold");
    made_of(s, "{hold 2}.hold", "tutti:hold: text");
    wired(s, "{p}.p1.y", "{sample 1}.sample.u");
    wired(s, "{sample 1}.sample.y", "{c}.c1.d");
    wired(s, "{slow}.sample.y", "{c}.c1.e");
    given(s, "{sample 1}.sample.period", 0.5);
    given(s, "{sample 1}.sample.jitter", 0.1);
    given(s, "{slow}.sample.period", 2);
    wired(s, "{p}.p1.y", "{delay 1}.delay.in");
    wired(s, "{delay 1}.delay.out", "{c}.c1.f");
    given(s, "{delay 1}.delay.delay", 3);
    wired(s, "{dead-time 1}.dead-time.y", "{c}.c1.g");
    given(s, "{dead-time 1}.dead-time.time", 4);
    tt_scenario_free(s);
}

static void a_quantizer_is_a_crossing(void **state)
{
    tt_scenario *s =
        gives(EVENTS("\"locate\":[{\"when\":\"{p}.p1.y\"}],"
                     "\"quantize\":{\"{p}.p1.y\":{\"step\":2,\"hysteresis\":"
                     "0.25,\"tolerance\":1e-6,\"to\":\"{c}.c1.a\"}}"));

    (void)state;
    assert_int_equal(s->n_locate, 2);
    assert_true(!s->locate[1].up && s->locate[1].down && s->locate[1].leaps);
    assert_true(s->locate[1].tolerance == 1e-6);
    made_of(s, "{quantize 1}.quantize",
            "tutti:locate down leaps: 1.25 - abs({p}.'p1'.'y' - held) => "
            "2.0*round((held + 2.0*sign({p}.'p1'.'y' - held)*"
            "round(abs({p}.'p1'.'y' - held)/2.0))/2.0)");
    wired(s, "{p}.p1.y", "{quantize 1}.quantize.x1");
    wired(s, "{quantize 1}.quantize.y1", "{c}.c1.a");
    tt_scenario_free(s);
}

/* What a hold gets can be mapped, as on any connection. */
static void a_wrapper_has_connections_like_any_other(void **state)
{
    tt_scenario *s =
        gives(EVENTS("\"hold\":{\"{p}.p1.y\":\"{c}.c1.a\"},\"map\":{"
                     "\"{p}.p1.y->{hold 1}.hold.in\":{\"on\":1}}"));

    (void)state;
    wired(s, "{p}.p1.y", "{map 1}.map.in");
    wired(s, "{map 1}.map.out", "{hold 1}.hold.in");
    tt_scenario_free(s);
}

static void wrong_wrappers_are_refused_where_they_stand(void **state)
{
    (void)state;
    fails(EVENTS("\"hold\":3"),
          "a.json:3:18: 'hold' must be an object, not an integer");
    fails(
        EVENTS("\"hold\":{\"{p}.p1.y\":3}"),
        "a.json:3:30: '{p}.p1.y' must be an array of strings, not an integer");
    fails(EVENTS("\"hold\":{\"{p}.p1.y\":{}}"),
          "a.json:3:30: 'hold' lacks 'to'");
    fails(EVENTS("\"hold\":{\"{p}.p1.y\":{\"to\":\"{c}.c1.a\",\"strat\":0}}"),
          "a.json:3:47: unknown field 'strat'; did you mean 'start'?");
    fails(EVENTS("\"hold\":{\"{q}.p1.y\":\"{c}.c1.a\"}"),
          "a.json:3:19: there is no FMU '{q}', named by '{q}.p1.y'; did you "
          "mean '{p}'?");
    fails(EVENTS("\"sample\":{\"{p}.p1.y\":\"{c}.c1.a\"}"),
          "a.json:3:32: '{p}.p1.y' must be an object, not a string");
    fails(EVENTS("\"sample\":{\"{p}.p1.y\":{\"to\":\"{c}.c1.a\"}}"),
          "a.json:3:32: 'sample' lacks 'period'");
    fails(
        EVENTS("\"sample\":{\"{p}.p1.y\":{\"to\":\"{c}.c1.a\",\"period\":0}}"),
        "a.json:3:58: 'period' must be greater than 0, not 0");
    fails(
        EVENTS("\"quantize\":{\"{p}.p1.y\":{\"to\":\"{c}.c1.a\",\"step\":-1}}"),
        "a.json:3:58: 'step' must be greater than 0, not -1");
    fails(EVENTS("\"quantize\":{\"{p}.p1.y\":{\"to\":\"{c}.c1.a\",\"step\":1,"
                 "\"hysteresis\":-1}}"),
          "a.json:3:73: 'hysteresis' must not be negative, not -1");
    fails(EVENTS("\"dead-time\":{\"{p}.p1.y\":{\"to\":\"{c}.c1.a\",\"time\":"
                 "\"1\"}}"),
          "a.json:3:59: 'time' must be a number, not a string");
    fails(EVENTS("\"delay\":{\"{p}.p1.y\":{\"to\":\"{c}.c1.a\",\"time\":1,"
                 "\"name\":\"p\"}}"),
          "a.json:3:64: 'delay' is called as the FMU '{p}': give it another "
          "'name'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(select_ties_and_limit_are_read),
        cmocka_unit_test(what_is_wrong_is_refused),
        cmocka_unit_test(a_map_divides_its_connection),
        cmocka_unit_test(maps_of_no_connection_are_refused),
        cmocka_unit_test(wrappers_are_instances),
        cmocka_unit_test(a_quantizer_is_a_crossing),
        cmocka_unit_test(a_wrapper_has_connections_like_any_other),
        cmocka_unit_test(wrong_wrappers_are_refused_where_they_stand),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
