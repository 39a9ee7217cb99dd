/* SPDX-License-Identifier: MIT */
/* `tutti check` of scenarios: every problem, at its place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "desk.h"

#define TANK    EXAMPLES "water-tank/watertank.fmu"
#define CONTROL EXAMPLES "water-tank/watertankcontroller.fmu"
#define FMUS    "\"fmus\": {\"{x1}\": \"" CONTROL "\",\n\"{x2}\": \"" TANK "\""
#define TIME                                                                   \
    "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1},\n"              \
    "\"startTime\": 0, \"endTime\": 1"

/* What `tutti check --json` says of this text: its problems, then its
 * warnings, as they are written there. "FILE" stands for the file,
 * "DESK/" for the folder. */
static void expect(const char *text, const char *problems, const char *warnings)
{
    struct output s;
    struct tt_buf b;

    put_text("s.json", text);
    TUTTI(&s, "check", "--json", at("s.json"));
    expect_json(&s);
    tt_buf_init(&b, 1 << 20);
    tt_buf_fmt(&b, "{\n  \"ok\": %s,\n  \"problems\": [",
               *problems ? "false" : "true");
    tt_buf_str(&b, problems);
    tt_buf_str(&b, "],\n  \"warnings\": [");
    tt_buf_str(&b, warnings);
    tt_buf_str(&b, "],\n  \"decisions\": [");
    while (strstr(b.data, "FILE"))
        replace(&b, "FILE", at("s.json"));
    while (strstr(b.data, "DESK/"))
        replace(&b, "DESK/", at(""));
    if (s.out.len < b.len || memcmp(s.out.data, b.data, b.len) != 0)
        assert_string_equal(s.out.data, b.data);
    assert_int_equal(s.code, *problems ? 2 : 0);
    tt_buf_fini(&b);
    output_fini(&s);
}

#define AT(line, column, unit, port)                                           \
    "\", \"file\": \"FILE\", \"line\": " #line ", \"column\": " #column        \
    ", \"unit\": " unit ", \"port\": " port "}"
#define MESSAGE "\n    {\"message\": \""

static void every_bad_connection_is_reported(void **state)
{
    (void)state;
    expect(
        "{" FMUS "},\n"
        "\"connections\": {\n"
        "\"{x1}.controller.valv\": [\"{x2}.tank.valve\"],\n"
        "\"{x2}.tank.level\": [\"{x1}.controller.level\",\n"
        "\"{x1}.controller.level\",\n"
        "\"{x1}.controller.wantLevl\",\n"
        "\"{x2}.tank.outflow\"],\n"
        "\"{x9}.a.b\": [\"{x1}.controller.level\"],\n"
        "\"nonsense\": [\"{x1}.controller.level\"]},\n" TIME "}",
        MESSAGE
        "the input '{x1}.controller.level' is already connected from "
        "'{x2}.tank.level' at FILE:5:21" AT(
            6, 1, "\"{x1}.controller\"",
            "\"level\"") "," MESSAGE "there is no FMU '{x9}', named by "
                         "'{x9}.a.b'; did you mean "
                         "'{x1}'?" AT(
                             9, 1, "\"{x9}.a\"",
                             "\"b\"") "," MESSAGE "'nonsense' does not name a "
                                      "variable; write "
                                      "'{key}.instance.variable'" AT(
                                          10, 1, "null",
                                          "null") "," MESSAGE
                                                  "instance '{x1}.controller' "
                                                  "has "
                                                  "no variable 'valv', did you "
                                                  "mean "
                                                  "'valve'?" AT(
                                                      4, 1,
                                                      "\"{x1}.controller\"",
                                                      "\"valv\"") "," MESSAGE
                                                                  "instance "
                                                                  "'{x1}."
                                                                  "controller' "
                                                                  "has no "
                                                                  "variable "
                                                                  "'wantLevl"
                                                                  "'" AT(
                                                                      7, 1,
                                                                      "\"{x1}."
                                                                      "controll"
                                                                      "er\"",
                                                                      "\"wantLe"
                                                                      "vl\"") "," MESSAGE
                                                                              "'{x2}.tank.outflow' is local, but a connection ends at an "
                                                                              "input" AT(
                                                                                  8,
                                                                                  1,
                                                                                  "\"{x2}.tank\"",
                                                                                  "\"outflow\""),
        "");
}

static void every_bad_parameter_is_reported(void **state)
{
    (void)state;
    expect("{" FMUS "},\n"
           "\"connections\": {\"{x2}.tank.level\": "
           "[\"{x1}.controller.level\"]},\n"
           "\"parameters\": {\n"
           "\"{x1}.controller.maxLevl\": 3,\n"
           "\"{x1}.controller.maxLevel\": \"many\",\n"
           "\"{x2}.tank.level\": 4,\n"
           "\"{x2}.tank.area\": {},\n"
           "\"{x2}.tnk.area\": 4},\n" TIME "}",
           MESSAGE "'{x2}.tank.area' lacks 'value'" AT(
               8, 19, "\"{x2}.tank\"",
               "\"area\"") "," MESSAGE
                           "instance '{x1}.controller' has no variable "
                           "'maxLevl', did you mean "
                           "'maxLevel'?" AT(
                               5, 1, "\"{x1}.controller\"",
                               "\"maxLevl\"") "," MESSAGE
                                              "'{x1}.controller.maxLevel' is "
                                              "Float64 and cannot be set to "
                                              "\\\"many\\\"" AT(
                                                  6, 1, "\"{x1}.controller\"",
                                                  "\"maxLevel\""),
           MESSAGE "unused parameter '{x2}.tnk.area': there is no instance "
                   "'{x2}.tnk'; did you mean '{x2}.tank'?" AT(
                       9, 1, "\"{x2}.tnk\"", "\"area\""));
}

static void every_bad_fmu_is_reported(void **state)
{
    (void)state;
    put_text("empty.fmu", "");
    expect("{" FMUS ",\n\"{a}\": \"nowhere.fmu\",\n\"{b}\": \"ftp://b.fmu\","
           "\n\"{c}\": \"empty.fmu\"},\n"
           "\"connections\": {\n"
           "\"{a}.a.y\": [\"{b}.b.u\"],\n\"{b}.b.y\": [\"{c}.c.u\"],\n"
           "\"{x2}.tank.levl\": [\"{x1}.controller.level\"]},\n" TIME "}",
           MESSAGE
           "FMU '{b}': 'ftp:' locations are not supported here: give a path "
           "or a file: URI" AT(
               4, 8, "null",
               "null") "," MESSAGE
                       "FMU '{a}': DESK/nowhere.fmu: no such file or folder" AT(
                           3, 8, "\"{a}.a\"",
                           "null") "," MESSAGE
                                   "FMU '{c}': DESK/empty.fmu: the file is "
                                   "empty" AT(
                                       5, 8, "\"{c}.c\"",
                                       "null") "," MESSAGE
                                               "instance '{x2}.tank' has no "
                                               "variable 'levl', did you mean "
                                               "'level'?" AT(9, 1,
                                                             "\"{x2}.tank\"",
                                                             "\"levl\""),
           "");
}

static void fields_and_names_are_reported_together(void **state)
{
    (void)state;
    expect(
        "{" FMUS "},\n\"speling\": 1,\n"
        "\"connections\": {\n"
        "\"{x2}.tank.level\": 7},\n"
        "\"algorithm\": {\"type\": \"guess\"},\n"
        "\"endTime\": \"late\"}",
        MESSAGE
        "'{x2}.tank.level' must be an array of strings, not an integer" AT(
            5, 20, "\"{x2}.tank\"",
            "\"level\"") "," MESSAGE "'type' of 'algorithm' must be "
                         "'fixed-step' or 'var-step', not "
                         "'guess'" AT(
                             6, 23, "null",
                             "null") "," MESSAGE "'endTime' must be a number, "
                                     "not a string" AT(7, 12, "null", "null"),
        MESSAGE "unknown field 'speling' is ignored" AT(3, 1, "null", "null"));
}

static void a_text_that_is_no_json_has_a_place(void **state)
{
    (void)state;
    expect("{\n  \"fmus\": [}",
           MESSAGE "not valid JSON: unexpected token near '}'" AT(2, 12, "null",
                                                                  "null"),
           "");
}

static void what_is_wrong_with_the_whole_has_no_place(void **state)
{
    (void)state;
    expect("{" FMUS "},\n"
           "\"connections\": {\"{x2}.tank.level\": "
           "[\"{x1}.controller.lvl\"]}}",
           MESSAGE
           "no end time: set \\\"endTime\\\" in the scenario or --until on "
           "the command line\", \"file\": null, \"line\": null, "
           "\"column\": null, \"unit\": null, \"port\": null}," MESSAGE
           "instance '{x1}.controller' has no variable 'lvl'" AT(
               3, 37, "\"{x1}.controller\"", "\"lvl\""),
           "");
}

static void people_read_every_problem(void **state)
{
    struct output s;

    (void)state;
    put_text("s.json",
             "{" FMUS "},\n\"connections\": {\n"
             "\"{x1}.controller.valv\": [\"{x2}.tank.valve\"],\n"
             "\"{x2}.tank.levl\": [\"{x1}.controller.level\"]},\n" TIME "}");
    TUTTI(&s, "check", at("s.json"));
    assert_int_equal(s.code, 2);
    assert_int_equal(s.out.len, 0);
    expect_err(
        &s,
        "tutti: %s:4:1: instance '{x1}.controller' has no variable 'valv', "
        "did you mean 'valve'?\n"
        "tutti: %s:5:1: instance '{x2}.tank' has no variable 'levl', did "
        "you mean 'level'?\n",
        at("s.json"), at("s.json"));
    output_fini(&s);
    TUTTI(&s, "run", at("s.json")); /* which has no use for the second */
    expect_err(
        &s,
        "tutti: %s:4:1: instance '{x1}.controller' has no variable 'valv', "
        "did you mean 'valve'?\n",
        at("s.json"));
    output_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bad_connection_is_reported),
        cmocka_unit_test(every_bad_parameter_is_reported),
        cmocka_unit_test(every_bad_fmu_is_reported),
        cmocka_unit_test(fields_and_names_are_reported_together),
        cmocka_unit_test(a_text_that_is_no_json_has_a_place),
        cmocka_unit_test(what_is_wrong_with_the_whole_has_no_place),
        cmocka_unit_test(people_read_every_problem),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
