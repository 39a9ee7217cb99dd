/* SPDX-License-Identifier: MIT */
/* What real FMUs do, though the standard does not expect it (tests/units/
 * habits.h): it neither harms the run nor goes wrong in silence. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "desk.h"

#define H2 UNITS "habits2.fmu"
#define H3 UNITS "habits3.fmu"

/* Two units of an FMU, of which b has this habit, two steps. */
static void put_pair(const char *fmu, int habit, const char *more)
{
    char text[2000];

    (void)snprintf(text, sizeof(text),
                   "{\"fmus\": {\"{h}\": \"%s\"}, \"connections\": "
                   "{\"{h}.a.y\": [\"{h}.b.u\"]}, \"parameters\": "
                   "{\"{h}.a.k\": 3, \"{h}.b.k\": 10, \"{h}.b.habit\": %d}, "
                   "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.5}, "
                   "\"endTime\": 1%s}",
                   fmu, habit, more);
    put_text("pair.json", text);
}

/* --- environments -----------------------------------------------------------
 */

static void expect_logged(const char *fmu, int habit, const char *more,
                          const char *category)
{
    struct output s;

    put_pair(fmu, habit, more);
    TUTTI(&s, "run", at("pair.json"), "-o", at("pair.csv"));
    expect_err(&s,
               "tutti: warning: instance '{h}.b' [%s]: step at 0\n"
               "tutti: warning: instance '{h}.b' [%s]: step at 0.5\n",
               category, category);
    assert_int_equal(s.code, 0);
    output_fini(&s);
}

static void a_message_with_a_strange_environment_is_the_callers(void **state)
{
    static const char *const where[] = {
        "", ", \"isolate\": true", ", \"threads\": 2",
        ", \"approximation\": \"linear\", \"substeps\": 1"};

    (void)state;
    for (size_t i = 0; i < sizeof(where) / sizeof(*where); i++)
        for (int habit = 1; habit <= 3; habit++) {
            expect_logged(H2, habit, where[i], "info");
            expect_logged(H3, habit, where[i], "info");
        }
}

static void a_message_of_a_long_category_is_shown(void **state)
{
    char letters[128];

    (void)state;
    memset(letters, 'c', sizeof(letters));
    letters[127] = '\0';
    expect_logged(H2, 9, "", letters);
    expect_logged(H3, 9, "", letters);
    expect_logged(H2, 9, ", \"isolate\": true", letters);
}

/* --- the start
 * ---------------------------------------------------------------- */

static void expect_file(const char *name, const char *text)
{
    char *is = read_text(name);

    assert_string_equal(is, text);
    tt_free(is);
}

static void run_pair(const char *record)
{
    struct output s;

    TUTTI(&s, "run", at("pair.json"), "--record", record, "-o", at("pair.csv"));
    expect_err(&s, "%s", "");
    assert_int_equal(s.code, 0);
    output_fini(&s);
}

/* a: 3 all the time. b: 10 at the start, then 3 more a second. Both have that
 * from parameters, which the FMU forgets when it is set up, and show it only
 * after initialisation mode. */
#define RIGHT "time,{h}.a.y,{h}.b.y\n0.0,3.0,10.0\n0.5,3.0,11.5\n1.0,3.0,13.0\n"

static void parameters_survive_and_the_first_step_knows_its_inputs(void **state)
{
    static const char *const how[] = {
        "",
        ", \"isolate\": true",
        ", \"threads\": 2",
        ", \"evaluates\": {\"{h}.a\": \"always\", \"{h}.b\": \"always\"}",
        ", \"approximation\": \"linear\"",
        ", \"master\": \"gauss-seidel\", \"order\": [\"{h}.b\", "
        "\"{h}.a\"]",
        ", \"rates\": {\"{h}.b\": 2}",
        ", \"iterate\": 2",
    };

    (void)state;
    for (size_t i = 0; i < sizeof(how) / sizeof(*how); i++) {
        if (strstr(how[i], "iterate") == NULL) { /* it cannot go back */
            put_pair(H3, 0, how[i]);
            run_pair("*.y");
            expect_file("pair.csv", RIGHT);
        }
        put_pair(H2, 0, how[i]);
        run_pair("*.y");
        expect_file("pair.csv", RIGHT);
    }
}

/* As a unit of another scenario, with a consumer outside. */
static void inside_another_scenario_too(void **state)
{
    struct output s;

    (void)state;
    put_text("inner.json", "{\"fmus\": {\"{h}\": \"" H2 "\"}, \"connections\": "
                           "{\"{h}.a.y\": [\"{h}.b.u\"]}, \"parameters\": "
                           "{\"{h}.a.k\": 3, \"{h}.b.k\": 10}, \"ports\": "
                           "{\"outputs\": {\"y\": \"{h}.b.y\"}}}");
    put_text("outer.json",
             "{\"fmus\": {\"{in}\": \"inner.json\", \"{h}\": \"" H2
             "\"}, \"connections\": {\"{in}.i.y\": [\"{h}.c.u\"]}, "
             "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.5}, "
             "\"endTime\": 1}");
    TUTTI(&s, "run", at("outer.json"), "--record", "c.y", "-o",
          at("outer.csv"));
    expect_err(&s, "%s", "");
    output_fini(&s);
    expect_file("outer.csv", "time,{in}.i.y,{h}.c.y\n0.0,10.0,1.0\n"
                             "0.5,11.5,6.0\n1.0,13.0,11.75\n");
}

static void what_changed_is_reported(void **state)
{
    struct output s;

    (void)state;
    put_pair(H2, 0, "");
    TUTTI(&s, "run", at("pair.json"), "-o", at("pair.csv"));
    if (!strstr(s.out.data, "a.y got its value when initialisation mode "
                            "was left: values were exchanged once more"))
        fail_msg("%s", s.out.data);
    output_fini(&s);
}

/* --- time
 * ----------------------------------------------------------------------- */

static void run_one(struct output *s, const char *fmu, const char *const more[])
{
    const char *argv[16] = {"run", fmu, "-o", at("one.csv"), NULL};

    for (size_t i = 0; more[i]; i++)
        argv[4 + i] = more[i];
    tutti(s, argv);
    expect_err(s, "%s", "");
    assert_int_equal(s->code, 0);
    output_fini(s);
}

static void no_step_ends_after_the_stop_time(void **state)
{
    static const char *const end[] = {"0.3", "0.6", "0.7", "1.1", "1.9", "2.3"};
    static const char *const way[][3] = {
        {"--quiet"}, {"--isolate"}, {"--rollback"}};
    struct output s;

    (void)state;
    for (size_t i = 0; i < sizeof(end) / sizeof(*end); i++)
        for (size_t k = 0; k < sizeof(way) / sizeof(*way); k++) {
            run_one(&s, H2,
                    (const char *const[]){"--until", end[i], "--step", "0.1",
                                          way[k][0], NULL});
            if (k < 2) /* it cannot go back */
                run_one(&s, H3,
                        (const char *const[]){"--until", end[i], "--step",
                                              "0.1", way[k][0], NULL});
        }
}

/* 0.1 + 0.1 + 0.1, 0.8 + 0.2: the FMU discards any other length. */
static void variable_steps_report_the_length_that_was_chosen(void **state)
{
    struct output s;

    (void)state;
    put_text("vary.json",
             "{\"fmus\": {\"{h}\": \"" H2 "\"}, \"connections\": "
             "{\"{h}.a.y\": [\"{h}.b.u\"]}, \"parameters\": "
             "{\"{h}.b.habit\": 8}, \"algorithm\": {\"type\": "
             "\"var-step\", \"size\": [0.1, 0.2], \"initsize\": 0.2, "
             "\"constraints\": {}}, \"endTime\": 2}");
    TUTTI(&s, "run", at("vary.json"), "--record", "*.h", "-o", at("v.csv"));
    expect_err(&s, "%s", "");
    output_fini(&s);
    assert_int_equal(count_lines("v.csv"), 12);
}

/* One that runs to the stop time in its first step, if it is told one. */
static void a_unit_can_be_given_no_stop_time(void **state)
{
    struct output s;

    (void)state;
    put_pair(H2, 4, "");
    run_pair("b.y");
    expect_file(
        "pair.csv",
        "time,{h}.a.y,{h}.b.y\n0.0,3.0,10.0\n0.5,3.0,13.0\n1.0,3.0,14.5\n");
    TUTTI(&s, "run", at("pair.json"), "--no-stop-time", "--record", "b.y", "-o",
          at("pair.csv"));
    assert_int_equal(s.code, 0);
    output_fini(&s);
    expect_file("pair.csv", RIGHT);
    put_pair(H3, 4, ", \"noStopTime\": true");
    run_pair("b.y");
    expect_file("pair.csv", RIGHT);
    put_pair(H2, 0, ", \"noStopTime\": [\"{h}.b\"]");
    run_pair("*.stop");
    expect_file("pair.csv",
                "time,{h}.a.y,{h}.a.stop,{h}.b.stop\n0.0,3.0,1.0,-1.0\n"
                "0.5,3.0,1.0,-1.0\n1.0,3.0,1.0,-1.0\n");
}

/* --- standard output --------------------------------------------------------
 */

#define SPOKEN                                                                 \
    "time,{h}.a.y,{h}.b.y\n0.0,3.0,10.0\n0.5,3.0,11.5\n1.0,3.0,13.0\n"

static void put_out_of_run(const char *more, const char *option)
{
    struct output s;

    put_pair(H2, 5, more);
    TUTTI(&s, "run", at("pair.json"), "--record", "*.y", "-o", "-", option);
    expect_out(&s, "%s", SPOKEN);
    assert_int_equal(s.code, 0);
    output_fini(&s);
}

static void what_units_print_is_no_result(void **state)
{
    (void)state;
    put_out_of_run("", "--quiet");
    put_out_of_run("", "--no-child");
    put_out_of_run("", "--isolate");
    put_out_of_run(", \"threads\": 2", "--quiet");
}

static void what_units_print_is_no_json(void **state)
{
    struct output s;

    (void)state;
    put_pair(H2, 5, "");
    TUTTI(&s, "run", at("pair.json"), "--json", "-o", at("pair.csv"));
    expect_json(&s);
    assert_null(strstr(s.out.data, "out of"));
    output_fini(&s);
    TUTTI(&s, "check", H2, "--walk", "--json");
    expect_json(&s);
    output_fini(&s);
}

/* What follows the line that the unit printed; NULL if there is none. What it
 * writes to standard error goes its own way and may come in between. */
static const char *line_after(const char *text, const char *printed)
{
    char line[128];
    const char *at;

    (void)snprintf(line, sizeof(line),
                   "tutti: info: instance '{habits2}.habits2' [stdout]: %s\n",
                   printed);
    at = text ? strstr(text, line) : NULL;
    return at ? at + strlen(line) : NULL;
}

/* Every line, also those of a unit that died; with its name if there is but
 * one. */
static void what_units_print_is_in_the_log(void **state)
{
    struct output s;
    const char *line;

    (void)state;
    TUTTI(&s, "run", H2, "--set", "habit=5", "--until", "0.5", "--step", "0.5",
          "-v", "-o", at("one.csv"));
    line = line_after(s.err.data, "out of init");
    line = line_after(line, "and more");
    line = line_after(line, "out of step");
    line = line_after(line, "and more");
    if (!line)
        fail_msg("%s", s.err.data);
    output_fini(&s);
    put_pair(H2, 5, "");
    TUTTI(&s, "run", at("pair.json"), "-v", "-o", at("pair.csv"));
    if (!strstr(s.err.data,
                "tutti: info: an instance wrote to standard output: out "
                "of init\n"))
        fail_msg("%s", s.err.data);
    output_fini(&s);
}

/* --- units that do not come back --------------------------------------------
 */

static void a_deadline_holds_for_units_of_the_same_process(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", H2, "--set", "habit=6", "--until", "1", "--step", "0.25",
          "--deadline", "2", "-o", at("one.csv"));
    expect_err(
        &s,
        "tutti: the run was ended because instance '{habits2}.habits2' did "
        "not return from step at t=0.5 within 2 s; results so far: %s "
        "(3 rows to t=0.5)\n",
        at("one.csv"));
    assert_int_equal(s.code, 1);
    assert_int_equal(count_lines("one.csv"), 4);
    output_fini(&s);
    TUTTI(&s, "run", H3, "--set", "habit=7", "--until", "1", "--step", "0.25",
          "--deadline", "2", "-o", at("none.csv"));
    expect_err(
        &s, "%s",
        "tutti: the run was ended because instance '{habits3}.habits3' did "
        "not return from exit_init within 2 s\n");
    assert_int_equal(s.code, 1);
    output_fini(&s);
}

/* --- why there is no instance -----------------------------------------------
 */

static void refuse_run(const char *file, int code, const char *message)
{
    struct output s;

    TUTTI(&s, "run", file, "--until", "1", "--step", "0.5", "-o",
          at("none.csv"));
    if (!strstr(s.err.data, message))
        fail_msg("%s", s.err.data);
    assert_int_equal(s.code, code);
    output_fini(&s);
}

static void put_refused(const char *fmu)
{
    char text[500];

    (void)snprintf(text, sizeof(text),
                   "{\"fmus\": {\"{h}\": \"%s\"}, \"connections\": "
                   "{\"{h}.refused.y\": [\"{h}.b.u\"]}, \"algorithm\": "
                   "{\"type\": \"fixed-step\", \"size\": 0.5}, "
                   "\"endTime\": 1}",
                   fmu);
    put_text("refused.json", text);
}

static void a_unit_is_asked_why_it_cannot_be_made(void **state)
{
    (void)state;
    put_refused(H2);
    refuse_run(
        at("refused.json"), 1,
        "tutti: instance '{h}.refused' (fmi2): fmi2Instantiate returned NULL: "
        "it logged \"looking around\", \"cannot start:   no licence "
        "for 'habits'\", \"asked licences.example for 3 s\"\n");
    put_refused(H3);
    refuse_run(
        at("refused.json"), 1,
        "tutti: instance '{h}.refused' (fmi3): fmi3InstantiateCoSimulation "
        "returned NULL: it logged \"cannot start:   no licence for "
        "'habits'\"\n");
}

static int make_beta(char *name, struct tt_buf *data)
{
    if (strcmp(name, "modelDescription.xml") == 0)
        replace(data, "fmiVersion=\"3.0\"", "fmiVersion=\"3.0-beta.2\"");
    return 1;
}

static void drafts_of_the_standard_are_reported(void **state)
{
    (void)state;
    put_fmu("beta.fmu", H3, make_beta);
    put_refused(at("beta.fmu"));
    refuse_run(
        at("refused.json"), 1,
        "instance '{h}.refused' (fmi3): it is of FMI 3.0-beta.2, a draft "
        "that differs from the standard: fmi3InstantiateCoSimulation "
        "returned NULL: it logged ");
    refuse_run(UNITS "habits2-candidate.fmu", 2,
               "(fmi2): it is of a release candidate of FMI 2.0, which has "
               "'fmiDoStep' and differs from the standard: the library does "
               "not export what every FMU must: fmi2DoStep\n");
}

static void all_missing_libraries_are_listed_at_once(void **state)
{
    (void)state;
    refuse_run(UNITS "habits2-lacking.fmu", 2,
               "habits.so: the libraries 'libgfortran.so.3' (of an older "
               "Fortran compiler: install it beside the newer one), "
               "'libnowhere.so.7', 'libpython3.1.so.1.0' (of that version of "
               "Python: install it, or name it in LD_PRELOAD) are missing "
               "here\n");
}

static void a_library_in_the_folder_of_fmi_2_is_found(void **state)
{
    struct output s;

    (void)state;
    run_one(&s, UNITS "habits3-linux64.fmu",
            (const char *const[]){"--until", "1", "--step", "0.5", NULL});
}

/* --- steps ------------------------------------------------------------------
 */

/* It declares no step for the experiment, but one of the solver it brings for
 * co-simulation, as if an experiment of 1e8 s wanted 1e12 rows. */
static int give_inner_step(char *name, struct tt_buf *data)
{
    if (strcmp(name, "modelDescription.xml") == 0) {
        replace(data, "<CoSimulation",
                "<CoSimulation "
                "fixedInternalStepSize=\"0.0001\"");
        replace(data, "stopTime=\"40\" stepSize=\"1\"",
                "stopTime=\"100000000\"");
    }
    return 1;
}

static void the_step_of_an_inner_solver_is_not_that_of_ours(void **state)
{
    struct output s;

    (void)state;
    put_fmu("slow.fmu", UNITS "robertson-fmi3.fmu", give_inner_step);
    TUTTI(&s, "run", at("slow.fmu"), "--interface", "me", "-o", at("slow.csv"));
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, "500 steps to t=100000000 s"));
    assert_non_null(strstr(s.out.data,
                           "200000 s (a 500th of the span, as neither the "
                           "scenario nor the instance gives one)"));
    output_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_with_a_strange_environment_is_the_callers),
        cmocka_unit_test(a_message_of_a_long_category_is_shown),
        cmocka_unit_test(
            parameters_survive_and_the_first_step_knows_its_inputs),
        cmocka_unit_test(inside_another_scenario_too),
        cmocka_unit_test(what_changed_is_reported),
        cmocka_unit_test(no_step_ends_after_the_stop_time),
        cmocka_unit_test(variable_steps_report_the_length_that_was_chosen),
        cmocka_unit_test(a_unit_can_be_given_no_stop_time),
        cmocka_unit_test(what_units_print_is_no_result),
        cmocka_unit_test(what_units_print_is_no_json),
        cmocka_unit_test(what_units_print_is_in_the_log),
        cmocka_unit_test(a_deadline_holds_for_units_of_the_same_process),
        cmocka_unit_test(a_unit_is_asked_why_it_cannot_be_made),
        cmocka_unit_test(drafts_of_the_standard_are_reported),
        cmocka_unit_test(all_missing_libraries_are_listed_at_once),
        cmocka_unit_test(a_library_in_the_folder_of_fmi_2_is_found),
        cmocka_unit_test(the_step_of_an_inner_solver_is_not_that_of_ours),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
