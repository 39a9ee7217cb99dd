/* SPDX-License-Identifier: MIT */
/* Whatever is wrong with the input: one message that says what, exit code 2,
 * and no file of results. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "desk.h"
#include "sys/file.h"

#define TANK     EXAMPLES "water-tank/watertank.fmu"
#define CONTROL  EXAMPLES "water-tank/watertankcontroller.fmu"
#define SCENARIO EXAMPLES "water-tank/scenario.json"

/* --- files ------------------------------------------------------------- */

static void a_missing_file_is_named(void **state)
{
    (void)state;
    refuse(at("no.json"), "tutti: cannot read %s: No such file or directory\n",
           at("no.json"));
    refuse(at("no.fmu"), "tutti: %s: no such file or folder\n", at("no.fmu"));
}

static void a_missing_fmu_of_a_scenario_is_named_with_its_place(void **state)
{
    (void)state;
    put_text("lost.json", "{\n  \"fmus\": {\"{a}\": \"lost.fmu\"},\n"
                          "  \"instances\": {\"{a}\": [\"a\"]},\n"
                          "  \"endTime\": 1\n}\n");
    refuse(at("lost.json"),
           "tutti: %s:2:19: FMU '{a}': %s: no such file or folder\n",
           at("lost.json"), at("lost.fmu"));
}

static void a_truncated_zip_is_refused(void **state)
{
    struct tt_buf b;

    (void)state;
    tt_buf_init(&b, (size_t)1 << 24);
    assert_int_equal(tt_file_read(&b, TANK, NULL), TT_OK);
    put("half.fmu", b.data, b.len / 2);
    tt_buf_fini(&b);
    refuse(at("half.fmu"),
           "tutti: %s: not a readable zip archive: Not a zip archive\n",
           at("half.fmu"));
}

static int climb(char *name, struct tt_buf *data)
{
    (void)data;
    if (strstr(name, ".so"))
        (void)snprintf(name, 1024, "../evil.so");
    return 1;
}

static void a_zip_that_leaves_its_folder_is_refused(void **state)
{
    (void)state;
    put_fmu("climb.fmu", TANK, climb);
    refuse(at("climb.fmu"),
           "tutti: %s: entry '../evil.so' leaves the archive by '..'\n",
           at("climb.fmu"));
}

static int explode(char *name, struct tt_buf *data)
{
    if (strcmp(name, "modelDescription.xml") != 0)
        return 1;
    tt_buf_clear(data);
    tt_buf_str(data, "<!DOCTYPE x [<!ENTITY a \"aaaaaaaaaa\">");
    for (char c = 'b'; c <= 'p'; c++) {
        tt_buf_fmt(data, "<!ENTITY %c \"", c);
        for (int i = 0; i < 10; i++)
            tt_buf_fmt(data, "&%c;", c - 1);
        tt_buf_str(data, "\">");
    }
    tt_buf_str(data, "]>\n<fmiModelDescription fmiVersion=\"2.0\">&p;"
                     "</fmiModelDescription>");
    return 1;
}

static void an_xml_bomb_is_refused(void **state)
{
    (void)state;
    put_fmu("bomb.fmu", TANK, explode);
    refuse(at("bomb.fmu"),
           "tutti: %s: modelDescription.xml:1: it has a DOCTYPE, which may "
           "define harmful entities and is refused\n",
           at("bomb.fmu"));
}

static int become_new(char *name, struct tt_buf *data)
{
    if (strcmp(name, "modelDescription.xml") == 0)
        replace(data, "fmiVersion=\"2.0\"", "fmiVersion=\"4.0\"");
    return 1;
}

static void another_version_of_fmi_is_refused(void **state)
{
    (void)state;
    put_fmu("new.fmu", TANK, become_new);
    refuse(at("new.fmu"),
           "tutti: %s: FMI 4 is not supported, only 1, 2 and 3\n",
           at("new.fmu"));
}

static int move_away(char *name, struct tt_buf *data)
{
    (void)data;
    if (strstr(name, ".so"))
        (void)snprintf(name, 1024, "binaries/win64/watertank.dll");
    return 1;
}

static void the_platforms_there_are_get_listed(void **state)
{
    (void)state;
    put_fmu("windows.fmu", TANK, move_away);
    refuse(
        at("windows.fmu"),
        "tutti: instance '{windows}.windows' (fmi2): %s: it has no library for "
        "this platform (linux64); it has: win64\n",
        at("windows.fmu"));
}

/* --- scenarios --------------------------------------------------------- */

/* The water tank with these connections. */
static const char *tank_with(const char *name, const char *connections)
{
    char text[2048];

    (void)snprintf(text, sizeof(text),
                   "{\"fmus\": {\"{t}\": \"%s\", \"{c}\": \"%s\"},\n"
                   "\"connections\": {\n%s},\n"
                   "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1},\n"
                   "\"startTime\": 0, \"endTime\": 1}\n",
                   TANK, CONTROL, connections);
    put_text(name, text);
    return at(name);
}

static void an_unknown_variable_brings_a_suggestion(void **state)
{
    const char *file =
        tank_with("typo.json", "\"{t}.t.levl\": [\"{c}.c.level\"]");

    (void)state;
    refuse(
        file,
        "tutti: %s:3:1: instance '{t}.t' has no variable 'levl', did you mean "
        "'level'?\n",
        file);
}

/* Two units that repeat their inputs, with these connections. */
static const char *echoes_with(const char *name, const char *connections)
{
    char text[2048];

    (void)snprintf(text, sizeof(text),
                   "{\"fmus\": {\"{e}\": \"" UNITS "alltypes.fmu\"},\n"
                   "\"connections\": {\n%s},\n"
                   "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1},\n"
                   "\"endTime\": 1}\n",
                   connections);
    put_text(name, text);
    return at(name);
}

static void a_type_mismatch_names_both_ends(void **state)
{
    const char *file =
        echoes_with("types.json", "\"{e}.a.f64_out\": [\"{e}.b.i32_in\"]");

    (void)state;
    refuse(file,
           "tutti: %s:3:19: '{e}.a.f64_out' is Float64 and cannot drive "
           "'{e}.b.i32_in', which is Int32\n",
           file);
    file = echoes_with("texts.json", "\"{e}.a.f64_out\": [\"{e}.b.text_in\"]");
    refuse(file,
           "tutti: %s:3:19: '{e}.a.f64_out' is Float64 and cannot drive "
           "'{e}.b.text_in', which is String\n",
           file);
}

static void bad_json_has_a_line_and_a_column(void **state)
{
    (void)state;
    put_text("bad.json", "{\n  \"fmus\": {,}\n}\n");
    refuse(at("bad.json"),
           "tutti: %s:2:12: not valid JSON: string or '}' expected near ','\n",
           at("bad.json"));
}

static void a_step_that_is_not_positive_is_refused(void **state)
{
    static const char *const wrong[] = {"0", "-0.1", "abc", "nan", "inf", ""};
    struct output s;

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        TUTTI(&s, "run", SCENARIO, "--step", wrong[i], "-o", at("refused.csv"));
        if (*wrong[i])
            expect_err(&s, "tutti: --step needs a positive number, not '%s'\n",
                       wrong[i]);
        else
            expect_err(&s, "tutti: --step needs a value: --step H\n");
        assert_int_equal(s.code, 2);
        assert_false(exists("refused.csv"));
        output_fini(&s);
    }
}

static void a_span_that_ends_before_it_starts_is_refused(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "--start", "2", "--until", "1", "-o",
          at("refused.csv"));
    expect_err(&s, "tutti: command line: the end time 1 s is not after the "
                   "start time 2 s\n");
    assert_int_equal(s.code, 2);
    assert_false(exists("refused.csv"));
    output_fini(&s);
}

/* --- the disk ---------------------------------------------------------- */

static void a_full_disk_is_reported(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "--output", "/dev/full");
    expect_err(&s, "tutti: cannot write /dev/full: No space left on device\n");
    assert_int_equal(s.code, 2);
    output_fini(&s);
    TUTTI(&s, "run", SCENARIO, "--output", at("no/such/folder.csv"));
    expect_err(&s, "tutti: cannot write %s: No such file or directory\n",
               at("no/such/folder.csv"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

static void a_full_disk_for_the_report_is_reported(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "--report", "/dev/full", "-o", at("kept.csv"));
    expect_err(&s, "tutti: cannot write /dev/full: No space left on device\n");
    assert_int_equal(s.code, 2);
    assert_int_equal(count_lines("kept.csv"), 1002);
    output_fini(&s);
}

static void a_report_with_no_place_is_reported_before_the_run(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "--report", at("no/r.html"), "-o",
          at("refused.csv"));
    assert_non_null(strstr(s.err.data, "/no/r.html: there is no folder '"));
    assert_int_equal(s.code, 2);
    assert_false(exists("refused.csv"));
    output_fini(&s);
}

static void an_old_result_survives_bad_input(void **state)
{
    struct output s;

    (void)state;
    put_text("old.csv", "precious\n");
    TUTTI(&s, "run", at("no.json"), "-o", at("old.csv"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
    TUTTI(&s, "run", at("windows.fmu"), "-o", at("old.csv"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
    assert_int_equal(count_lines("old.csv"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_missing_file_is_named),
        cmocka_unit_test(a_missing_fmu_of_a_scenario_is_named_with_its_place),
        cmocka_unit_test(a_truncated_zip_is_refused),
        cmocka_unit_test(a_zip_that_leaves_its_folder_is_refused),
        cmocka_unit_test(an_xml_bomb_is_refused),
        cmocka_unit_test(another_version_of_fmi_is_refused),
        cmocka_unit_test(the_platforms_there_are_get_listed),
        cmocka_unit_test(an_unknown_variable_brings_a_suggestion),
        cmocka_unit_test(a_type_mismatch_names_both_ends),
        cmocka_unit_test(bad_json_has_a_line_and_a_column),
        cmocka_unit_test(a_step_that_is_not_positive_is_refused),
        cmocka_unit_test(a_span_that_ends_before_it_starts_is_refused),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(a_full_disk_for_the_report_is_reported),
        cmocka_unit_test(a_report_with_no_place_is_reported_before_the_run),
        cmocka_unit_test(an_old_result_survives_bad_input),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
