/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "desk.h"

#define TANK     EXAMPLES "water-tank/watertank.fmu"
#define CONTROL  EXAMPLES "water-tank/watertankcontroller.fmu"
#define SCENARIO at("tank.json")

static int open_with_a_scenario(void **state)
{
    int rc = desk_open(state);

    put_text("tank.json",
             "{\n  \"fmus\": {\"{x1}\": \"" CONTROL "\", \"{x2}\": \"" TANK
             "\"},\n  \"connections\": {\n"
             "    \"{x1}.controller.valve\": [\"{x2}.tank.valve\"],\n"
             "    \"{x2}.tank.level\": [\"{x1}.controller.level\"]\n  },\n"
             "  \"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1},\n"
             "  \"startTime\": 0,\n  \"endTime\": 100\n}\n");
    return rc;
}

/* --- run --------------------------------------------------------------- */

static void a_run_in_a_pipe_states_the_same_every_time(void **state)
{
    struct output s, t;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "-o", at("one.csv"));
    TUTTI(&t, "run", SCENARIO, "-o", at("one.csv"));
    expect_err(&s, "%s", "");
    expect_out(&s,
               "tank  completed: 1000 steps to t=100 s\n"
               "  master         jacobi, fixed step 0.1 s, inputs held\n"
               "  exchange       consistent: controller, tank\n"
               "  results        %s: 1001 rows, 2 variables\n",
               at("one.csv"));
    assert_string_equal(t.out.data, s.out.data);
    assert_int_equal(count_lines("one.csv"), 1002);
    output_fini(&s);
    output_fini(&t);
}

static void results_can_go_to_standard_output(void **state)
{
    struct output s;
    char *file;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "--output", at("same.csv"), "--quiet");
    output_fini(&s);
    TUTTI(&s, "run", SCENARIO, "--output", "-");
    file = read_text("same.csv");
    assert_int_equal(s.code, 0);
    assert_int_equal(s.err.len, 0);
    assert_string_equal(s.out.data, file);
    tt_free(file);
    output_fini(&s);
}

static void playing_here_gives_the_same_results(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "-qo", at("child.csv"));
    output_fini(&s);
    TUTTI(&s, "run", SCENARIO, "-qo", at("here.csv"), "--no-child");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    expect_same_file("child.csv", "here.csv");
}

static void later_files_are_laid_over_earlier_ones(void **state)
{
    struct output s;

    (void)state;
    put_text("more.json", "{\"endTime\": 1}\n");
    TUTTI(&s, "run", SCENARIO, at("more.json"), "-qo", at("more.csv"));
    assert_int_equal(s.code, 0);
    assert_int_equal(count_lines("more.csv"), 12);
    output_fini(&s);
}

static void the_summary_is_json_when_asked(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "--json", "-o", at("j.csv"));
    assert_int_equal(s.code, 0);
    expect_json(&s);
    assert_non_null(strstr(s.out.data, "\"outcome\": \"completed\""));
    assert_non_null(strstr(s.out.data, "\"rows\": 1001"));
    output_fini(&s);
    TUTTI(&s, "run", at("nothing.json"), "--json");
    assert_int_equal(s.code, 2);
    expect_json(&s);
    output_fini(&s);
}

static void a_report_and_a_plot_are_made(void **state)
{
    struct output s;
    char *page;

    (void)state;
    TUTTI(&s, "run", SCENARIO, "--plot", "--report", at("r.html"), "-o",
          at("r.csv"));
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, "time (s)"));
    page = read_text("r.html");
    assert_non_null(strstr(page, "1000 steps to t=100 s"));
    assert_non_null(strstr(page, ">tank</text>"));
    assert_non_null(strstr(page, "tutti compare"));
    tt_free(page);
    output_fini(&s);
}

/* --- the others --------------------------------------------------------- */

static void check_states_ok_and_what_is_decided(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "check", SCENARIO);
    expect_out(
        &s,
        "%s: ok (2 instances, 2 connections, jacobi, t=0 to 100 s in steps of "
        "0.1 s, 2 variables recorded)\n"
        "  exchange       controller: consistent (declares that it "
        "evaluates without a step)\n"
        "  exchange       tank: consistent (declares that it evaluates "
        "without a step)\n",
        SCENARIO);
    assert_int_equal(s.code, 0);
    output_fini(&s);
    TUTTI(&s, "check", SCENARIO, "--json");
    expect_json(&s);
    output_fini(&s);
    TUTTI(&s, "check", SCENARIO, "--set", "{x2}.tank.are=2", "--json");
    assert_int_equal(s.code, 2);
    expect_err(&s, "tutti: command line: instance '{x2}.tank' has no variable "
                   "'are', did you mean 'area'?\n");
    expect_json(&s);
    output_fini(&s);
}

static void check_walks_through_an_fmu(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "check", "--walk", TANK);
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, "calls, 0 problems)"));
    output_fini(&s);
    TUTTI(&s, "check", "--walk", "--json",
          EXAMPLES "water-tank/watertank-fmi3.fmu");
    assert_int_equal(s.code, 0);
    expect_json(&s);
    output_fini(&s);
    TUTTI(&s, "check", "--walk", UNITS "raw2-minimal.fmu");
    assert_int_equal(s.code, 2);
    assert_non_null(strstr(s.out.data,
                           "walk: error: save: instance 'walk' (fmi2): save at "
                           "t=0.03: needs fmi2GetFMUstate, which the library "
                           "of the FMU does not export\n"));
    output_fini(&s);
}

static int spoil(char *name, struct tt_buf *data)
{
    if (strcmp(name, "modelDescription.xml") == 0)
        replace(data, "causality=\"input\"", "causality=\"inputt\"");
    return 1;
}

static void check_gives_lines_of_a_description(void **state)
{
    struct output s;

    (void)state;
    put_fmu("spoilt.fmu", TANK, spoil);
    TUTTI(&s, "check", at("spoilt.fmu"));
    assert_int_equal(s.code, 2);
    assert_non_null(strstr(s.out.data, "modelDescription.xml:"));
    assert_non_null(strstr(
        s.out.data, ": not ok (FMI 2.0, Co-Simulation and Model Exchange, "));
    output_fini(&s);
}

static void info_shows_variables(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "info", TANK);
    assert_int_equal(s.code, 0);
    assert_ptr_equal(strstr(s.out.data, "watertank  FMI 2.0, Co-Simulation and "
                                        "Model Exchange\n"),
                     s.out.data);
    assert_non_null(strstr(s.out.data, "level of the water"));
    assert_non_null(strstr(s.out.data, "  level: on level\n"));
    output_fini(&s);
    TUTTI(&s, "info", TANK, "--json");
    expect_json(&s);
    output_fini(&s);
    TUTTI(&s, "info", UNITS "alltypes-fmi3.fmu", "--json");
    expect_json(&s);
    output_fini(&s);
    TUTTI(&s, "info", SCENARIO);
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

static void score_shows_operations(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "score", SCENARIO, "--master", "gauss-seidel", "--svg",
          at("s.svg"));
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, "gauss-seidel, 2 instances"));
    assert_true(exists("s.svg"));
    output_fini(&s);
    TUTTI(&s, "score", SCENARIO, "--json");
    expect_json(&s);
    output_fini(&s);
}

static void plot_draws_and_writes(void **state)
{
    struct output s;

    (void)state;
    put_text("p.csv", "time,a.x,b.y\n0,0,5\n1,1,4\n2,4,3\n");
    TUTTI(&s, "plot", at("p.csv"), "--columns", "x", "--width", "60");
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, "time (s)"));
    output_fini(&s);
    TUTTI(&s, "plot", at("p.csv"), "-o", at("p.svg"));
    assert_int_equal(s.code, 0);
    assert_int_equal(s.out.len, 0);
    assert_true(exists("p.svg"));
    output_fini(&s);
    TUTTI(&s, "plot", at("p.csv"), "--columns", "xx");
    assert_int_equal(s.code, 2);
    output_fini(&s);
    TUTTI(&s, "plot", at("missing.csv"));
    expect_err(&s, "tutti: cannot read %s: No such file or directory\n",
               at("missing.csv"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

static void plot_draws_one_column_over_another(void **state)
{
    struct output s;

    (void)state;
    put_text("xy.csv", "time,a.x,b.y\n0,0,5\n1,1,4\n2,4,3\n");
    TUTTI(&s, "plot", at("xy.csv"), "--xy", "x,y");
    assert_int_equal(s.code, 0);
    assert_null(strstr(s.out.data, "time"));
    output_fini(&s);
    TUTTI(&s, "plot", at("xy.csv"), "--xy", "x,y", "--xy", "y,x", "-o",
          at("xy.svg"));
    assert_int_equal(s.code, 0);
    assert_true(exists("xy.svg"));
    output_fini(&s);
    TUTTI(&s, "plot", at("xy.csv"), "--xy", "x");
    expect_err(&s, "tutti: 'x' is not a pair of columns 'X,Y'\n");
    assert_int_equal(s.code, 2);
    output_fini(&s);
    TUTTI(&s, "plot", at("xy.csv"), "--xy", "x,y", "--columns", "x");
    expect_err(&s, "tutti: --columns is for plots over time, --xy chooses its "
                   "own: give one of them\n");
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

static void compare_answers_with_the_exit_code(void **state)
{
    struct output s;

    (void)state;
    put_text("a.csv", "time,x\n0,1\n1,2\n");
    put_text("b.csv", "time,x\n0,1\n1,2.001\n");
    TUTTI(&s, "compare", at("a.csv"), at("b.csv"));
    assert_int_equal(s.code, 1);
    output_fini(&s);
    TUTTI(&s, "compare", at("a.csv"), at("b.csv"), "--tol", "0.01");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    TUTTI(&s, "compare", at("a.csv"), at("b.csv"), "--json");
    assert_int_equal(s.code, 1);
    expect_json(&s);
    output_fini(&s);
    TUTTI(&s, "compare", at("a.csv"), at("missing.csv"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

static void new_connects_what_fits(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "new", TANK, CONTROL, "-o", at("new.json"));
    expect_out(&s,
               "%s: 2 instances, 2 connections proposed\n\nconnections\n"
               "  watertankcontroller.valve -> watertank.valve: equal names\n"
               "  watertank.level -> watertankcontroller.level: equal "
               "names\n\nnext\n"
               "  tutti check %s\n  tutti run %s --plot\n",
               at("new.json"), at("new.json"), at("new.json"));
    assert_int_equal(s.code, 0);
    output_fini(&s);
    TUTTI(&s, "run", at("new.json"), "-qo", at("new.csv"));
    assert_int_equal(s.code, 0);
    assert_int_equal(count_lines("new.csv"), 1002);
    output_fini(&s);
    TUTTI(&s, "new", TANK, "-o", at("new.json"));
    expect_err(&s, "tutti: %s exists; --force overwrites it\n", at("new.json"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

static void new_lists_candidates(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "new", TANK, TANK, "-o", "-");
    assert_int_equal(s.code, 0);
    expect_json(&s);
    expect_err(&s, "standard output: 2 instances, 0 connections proposed\n\n"
                   "inputs that are not connected\n"
                   "  watertank.valve (Boolean) <- no output fits; "
                   "it keeps its start value\n"
                   "  watertank2.valve (Boolean) <- no output "
                   "fits; it keeps its start value\n"
                   "\nnext\n  tutti check scenario.json\n"
                   "  tutti run scenario.json --plot\n");
    output_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_in_a_pipe_states_the_same_every_time),
        cmocka_unit_test(results_can_go_to_standard_output),
        cmocka_unit_test(playing_here_gives_the_same_results),
        cmocka_unit_test(later_files_are_laid_over_earlier_ones),
        cmocka_unit_test(the_summary_is_json_when_asked),
        cmocka_unit_test(a_report_and_a_plot_are_made),
        cmocka_unit_test(check_states_ok_and_what_is_decided),
        cmocka_unit_test(check_walks_through_an_fmu),
        cmocka_unit_test(check_gives_lines_of_a_description),
        cmocka_unit_test(info_shows_variables),
        cmocka_unit_test(score_shows_operations),
        cmocka_unit_test(plot_draws_and_writes),
        cmocka_unit_test(plot_draws_one_column_over_another),
        cmocka_unit_test(compare_answers_with_the_exit_code),
        cmocka_unit_test(new_connects_what_fits),
        cmocka_unit_test(new_lists_candidates),
    };

    return cmocka_run_group_tests(tests, open_with_a_scenario, desk_close);
}
