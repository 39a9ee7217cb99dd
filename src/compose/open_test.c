/* SPDX-License-Identifier: MIT */
/* Scenarios that cannot be units, well explained; and Maestro's nested ones. */
#include "compose/test_compose.h"

/* The message, where "~/" stands for the folder of the files. */
static void refused(const char *name, const char *text, const char *message)
{
    char *path = put(name, text), *want = tt_zalloc(1, 4096);
    size_t n = 0, dir = strlen(test_dir);
    tt_unit_type *t = NULL;
    tt_err err = {.msg = ""};

    for (; *message; message++) {
        if (*message == '~') {
            memcpy(want + n, test_dir, dir);
            n += dir;
        } else {
            want[n++] = *message;
        }
    }
    assert_int_equal(open_at(path, &t, &err), TT_EINPUT);
    assert_string_equal(err.msg, want);
    tt_free(want);
    tt_free(path);
}

#define M   "{\"fmus\": {\"{m}\": \"@double-mass-spring-damper/msd1.fmu\"},\n"
#define TWO "\"instances\": {\"{m}\": [\"a\", \"b\"]},\n"

static void bad_ports_are_named_with_their_place(void **state)
{
    (void)state;
    refused(
        "p.json", M TWO "\"ports\": {\"outputs\": {\"f\": \"{m}.a.x11\"}}}",
        "~/p.json:3:28: instance '{m}.a' has no variable 'x11', did you mean "
        "'x1'?");
    refused("p.json", M TWO "\"ports\": {\"inputs\": {\"f\": \"{n}.a.F\"}}}",
            "~/p.json:3:27: there is no FMU '{n}', named by '{n}.a.F'; did "
            "you mean '{m}'?");
    refused("p.json", M TWO "\"ports\": {\"outputs\": {\"f\": \"{m}.a.F\"}}}",
            "~/p.json:3:28: '{m}.a.F' is input, but port 'f' is output");
    refused("p.json",
            M TWO "\"ports\": {\"parameters\": {\"f\": \"{m}.a.x1\"}}}",
            "~/p.json:3:31: '{m}.a.x1' is output, but port 'f' is parameter");
    refused("p.json",
            "{\"fmus\": {\"{m}\": \"#misbehave.fmu\"},\n\"connections\": "
            "{\"{m}.b.y\": [\"{m}.a.u\"]},\n"
            "\"ports\": {\"inputs\": {\"f\": \"{m}.a.u\"}}}",
            "~/p.json:3:27: '{m}.a.u' is connected inside, so port 'f' cannot "
            "set it");
    refused("p.json",
            M TWO "\"ports\": {\"inputs\": {\"f\": \"{m}.a.F\", \"g\": "
                  "\"{m}.a.F\"}}}",
            "~/p.json:3:43: '{m}.a.F' has a port already");
    refused("p.json",
            M TWO "\"ports\": {\"parameters\": {\"f\": [\"{m}.a.m1\", "
                  "\"{m}.b.c1\"]}}}",
            "~/p.json:3:44: '{m}.a.m1' and '{m}.b.c1' cannot share port 'f': "
            "they differ in type, size or unit");
    refused("p.json",
            M TWO "\"ports\": {\"inputs\": {\"f\": \"{m}.a.F\"}, "
                  "\"outputs\": {\"f\": \"{m}.b.x1\"}}}",
            "~/p.json:3:51: there are two ports 'f'");
    refused("p.json", M TWO "\"ports\": {\"inputs\": {\"\": \"{m}.a.F\"}}}",
            "~/p.json:3:22: the name of a port is empty");
    refused("p.json", M TWO "\"ports\": {\"inputs\": {\"f\": []}}}",
            "~/p.json:3:27: port 'f' names no variable");
    refused("p.json",
            M TWO "\"ports\": {\"outputs\": {\"f\": [\"{m}.a.x1\", "
                  "\"{m}.b.x1\"]}}}",
            "~/p.json:3:28: port 'f' is an output and can only be one "
            "variable, not 2");
    refused("p.json",
            M TWO "\"ports\": {\"inputs\": {\"{m}.b.F\": "
                  "\"{m}.a.F\"}}}",
            "~/p.json:3:22: port '{m}.b.F' has the full name of a variable");
}

static void a_missing_or_broken_file_is_named(void **state)
{
    tt_unit_type *t = NULL;
    tt_err err = {.msg = ""};

    (void)state;
    assert_int_equal(open_at("/nowhere/sub.json", &t, &err), TT_EINPUT);
    assert_string_equal(err.msg, "cannot read /nowhere/sub.json: No such file "
                                 "or directory");
    refused("b.json", "{\"fmus\": ",
            "~/b.json:1:10: JSON ends too early: "
            "unexpected token near end of file");
}

static void a_scenario_that_contains_itself_is_refused(void **state)
{
    char *b = put("b.json", "{\"fmus\": {\"{c}\": \"c.json\"}, \"instances\": "
                            "{\"{c}\": [\"x\"]}}");
    char *c = put("c.json", "{\"fmus\": {\"{a}\": \"./a.json\"}, "
                            "\"instances\": {\"{a}\": [\"x\"]}}");

    (void)state;
    refused("a.json",
            "{\"fmus\": {\"{b}\": \"b.json\"}, \"instances\": {\"{b}\": "
            "[\"x\"]}}",
            "~/a.json:1:18: FMU '{b}': ~/b.json:1:18: FMU '{c}': "
            "~/c.json:1:18: FMU '{a}': a scenario contains itself: ~/a.json -> "
            "~/b.json -> ~/c.json -> ~/./a.json");
    refused("self.json",
            "{\"fmus\": {\"{b}\": \"self.json\"}, \"instances\": {\"{b}\": "
            "[\"x\"]}}",
            "~/self.json:1:18: FMU '{b}': a scenario contains itself: "
            "~/self.json -> ~/self.json");
    tt_free(b);
    tt_free(c);
}

/* As Maestro 1 writes it: a folder made like an FMU, and a stub for what comes
 * from outside. */
static void nested_scenarios_of_maestro_are_understood(void **state)
{
    char *config =
        put("nest/resources/config.json",
            "{\"fmus\": {\"{m}\": \"@double-mass-spring-damper/msd1.fmu\","
            " \"{ext}\": \"external://external\"}, \"connections\": "
            "{\"{ext}.e.push\": [\"{m}.a.F\", \"{m}.b.F\"], "
            "\"{m}.b.x1\": [\"{ext}.e.where\"]}, "
            "\"hasExternalSignals\": true}");
    char path[512];
    tt_unit_type *t = NULL;

    (void)state;
    (void)snprintf(path, sizeof(path), "coe:%s/nest", test_dir);
    assert_ok(open_at(path, &t, err));
    assert_int_equal(t->desc.port[port_of(t, "push")].causality, TT_CAUS_INPUT);
    assert_int_equal(t->desc.port[port_of(t, "where")].causality,
                     TT_CAUS_OUTPUT);
    assert_int_equal(t->desc.port[port_of(t, "{m}.a.x1")].causality,
                     TT_CAUS_LOCAL);
    t->kind->close(t);
    (void)snprintf(path, sizeof(path), "coe:%s/nest/resources/config.json",
                   test_dir);
    assert_ok(open_at(path, &t, err));
    t->kind->close(t);
    tt_free(config);
}

static void a_folder_without_a_scenario_is_refused(void **state)
{
    char *other = put("empty/readme.txt", "nothing"), path[512], want[1024];
    tt_unit_type *t = NULL;
    tt_err err = {.msg = ""};

    (void)state;
    (void)snprintf(path, sizeof(path), "coe:%s/empty", test_dir);
    (void)snprintf(want, sizeof(want),
                   "%s/empty: there is no resources/config.json in it",
                   test_dir);
    assert_int_equal(open_at(path, &t, &err), TT_EINPUT);
    assert_string_equal(err.msg, want);
    tt_free(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_ports_are_named_with_their_place),
        cmocka_unit_test(a_missing_or_broken_file_is_named),
        cmocka_unit_test(a_scenario_that_contains_itself_is_refused),
        cmocka_unit_test(nested_scenarios_of_maestro_are_understood),
        cmocka_unit_test(a_folder_without_a_scenario_is_refused),
    };

    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
