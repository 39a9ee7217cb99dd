/* SPDX-License-Identifier: MIT */
/* What is told and nobody asked for: warnings, findings about FMUs, the name
 * that was meant. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "desk.h"
#include "ode/ode.h"
#include "support/run_tutti.h"
#include "table/table.h"

#define TANK  EXAMPLES "water-tank/watertank.fmu"
#define BREAK UNITS "misbehave.fmu"
#define TIME                                                                   \
    "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1}, \"endTime\": "  \
    "1}"

/* The tank with a description that breaks two rules. */
static int break_rules(char *name, struct tt_buf *data)
{
    if (strcmp(name, "modelDescription.xml") == 0)
        replace(data, "<ModelVariables", "<Surplus/><Surplus/><ModelVariables");
    return 1;
}

static void put_scenario(const char *extra)
{
    char text[2048];

    put_fmu("odd.fmu", TANK, break_rules);
    (void)snprintf(text, sizeof(text),
                   "{\"fmus\": {\"{a}\": \"odd.fmu\", \"{b}\": \"odd.fmu\"},\n"
                   "\"instances\": {\"{a}\": [\"a\"], \"{b}\": [\"b\"]},\n"
                   "%s" TIME,
                   extra);
    put_text("odd.json", text);
}

static size_t count(const char *text, const char *what)
{
    size_t n = 0;

    for (; (text = strstr(text, what)); text++)
        n++;
    return n;
}

static void a_run_reports_the_first_finding_of_each_fmu_once(void **state)
{
    struct output s;
    const char *first;

    (void)state;
    put_scenario("");
    TUTTI(&s, "run", at("odd.json"), "-o", at("out.csv"));
    assert_int_equal(s.code, 0);
    first =
        strstr(s.err.data, "tutti: warning: odd.fmu: modelDescription.xml:");
    assert_ptr_equal(first, s.err.data);
    assert_int_equal(count(s.err.data, "tutti: warning: "), 1);
    assert_non_null(strstr(first, "element <Surplus> is not known"));
    assert_non_null(strstr(first, ", and 1 more ('tutti check' of it "
                                  "lists them)\n"));
    assert_non_null(strstr(s.out.data, "warnings"));
    output_fini(&s);
}

static void a_check_reports_all_of_them(void **state)
{
    struct output s;

    (void)state;
    put_scenario("");
    TUTTI(&s, "check", at("odd.json"));
    assert_int_equal(s.code, 0);
    assert_int_equal(count(s.err.data, "tutti: warning: odd.fmu: "), 2);
    output_fini(&s);
    TUTTI(&s, "check", "--json", at("odd.json"));
    expect_json(&s);
    assert_int_equal(count(s.out.data, "{\"message\": \"odd.fmu: "), 2);
    output_fini(&s);
}

static void strict_makes_them_errors(void **state)
{
    struct output s;

    (void)state;
    put_scenario("\"quux\": 1,\n");
    TUTTI(&s, "check", "--strict", at("odd.json"));
    assert_int_equal(s.code, 2);
    assert_non_null(strstr(s.err.data, "odd.json has 3 warnings\n"));
    assert_int_equal(s.out.len, 0);
    output_fini(&s);
    TUTTI(&s, "run", "--strict", at("odd.json"), "-o", at("none.csv"));
    assert_int_equal(s.code, 2);
    assert_non_null(strstr(s.err.data, "tutti: --strict: the run has 2 "
                                       "warnings; it was not begun\n"));
    assert_false(exists("none.csv"));
    output_fini(&s);
    TUTTI(&s, "run", "--strict", BREAK, "-o", at("fine.csv"));
    expect_err(&s, "%s", "");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    TUTTI(&s, "check", "--strict", at("odd.fmu"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

/* One that comes while it plays fails the run, and the rows stay. */
static void strict_keeps_the_results(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", "--strict", UNITS "raw2.fmu", "--set",
          "{raw2}.raw2.mode=4", "--step", "0.1", "--until", "0.3", "-o",
          at("late.csv"));
    assert_int_equal(s.code, 2);
    assert_non_null(strstr(s.err.data, "; its results are kept; results so "
                                       "far: "));
    assert_int_equal(count_lines("late.csv"), 5);
    output_fini(&s);
}

static void the_summary_lists_them(void **state)
{
    struct output s;

    (void)state;
    put_scenario("\"quux\": 1,\n");
    TUTTI(&s, "run", "--json", at("odd.json"), "-o", at("out.csv"));
    expect_json(&s);
    assert_non_null(strstr(s.out.data, "\"warnings\": [\n    \""));
    assert_non_null(strstr(s.out.data, "unknown field 'quux' is ignored\","));
    assert_non_null(strstr(s.out.data, "\"odd.fmu: modelDescription.xml:"));
    output_fini(&s);
    TUTTI(&s, "run", "--json", BREAK, "-o", at("out.csv"));
    assert_non_null(strstr(s.out.data, "\"warnings\": [],\n"));
    output_fini(&s);
    TUTTI(&s, "run", "--json", "--strict", at("odd.json"), "-o", at("out.csv"));
    expect_json(&s);
    assert_non_null(strstr(s.out.data, "unknown field 'quux' is ignored"));
    output_fini(&s);
}

/* --- the name that was meant ---------------------------------------------- */

/* The history of CVODE is not saved: said where a state may be restored, and
 * nowhere else. */
static void a_multistep_method_that_starts_anew_is_reported(void **state)
{
    static const char *const when[] = {NULL, "where a step is taken back",
                                       "resumed from a checkpoint",
                                       "resumed from the checkpoint"};
    char want[512];

    (void)state;
    if (!tt_ode_method_there(TT_ODE_CVODE)) {
        print_message("skipped: SUNDIALS was not there at build time\n");
        return;
    }
    for (int i = 0; i < 4; i++) {
        struct output s;

        const char *resumed[] = {"run", "--resume", at("ball.check"), NULL};
        const char *argv[] = {"run",
                              EXAMPLES "bouncing-ball/bouncing_ball.fmu",
                              "--interface",
                              "me",
                              "--integrator",
                              "cvode",
                              "--until",
                              "1.5", /* before bounces accumulate */
                              "-o",
                              at("ball.csv"),
                              i == 1   ? "--rollback"
                              : i == 2 ? "--checkpoint"
                                       : NULL,
                              i == 2 ? resumed[2] : NULL,
                              "--every",
                              "sim:1",
                              NULL};

        tutti(&s, i < 3 ? argv : resumed);
        assert_int_equal(s.code, 0);
        (void)snprintf(want, sizeof(want),
                       "tutti: warning: instance "
                       "'{bouncing_ball}.bouncing_ball': the history of CVODE "
                       "cannot be saved; %s it starts anew, so results are not "
                       "the same to the bit\n",
                       i ? when[i] : "");
        assert_string_equal(s.err.data ? s.err.data : "", i ? want : "");
        output_fini(&s);
    }
}

static void files_that_are_not_there_get_a_suggestion(void **state)
{
    struct output s;

    (void)state;
    put_scenario("");
    TUTTI(&s, "run", at("ood.json"));
    expect_err(&s,
               "tutti: cannot read %s: No such file or directory; did you mean "
               "'%s'?\n",
               at("ood.json"), at("odd.json"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
    TUTTI(&s, "info", at("od.fmu"));
    expect_err(&s, "tutti: %s: no such file or folder; did you mean '%s'?\n",
               at("od.fmu"), at("odd.fmu"));
    output_fini(&s);
    TUTTI(&s, "plot", at("ou.csv"));
    expect_err(&s,
               "tutti: cannot read %s: No such file or directory; did you mean "
               "'%s'?\n",
               at("ou.csv"), at("out.csv"));
    output_fini(&s);
    put_text("gone.json", "{\"fmus\": {\"{a}\": \"oddd.fmu\"},\n"
                          "\"instances\": {\"{a}\": [\"a\"]}, " TIME);
    refuse(
        at("gone.json"),
        "tutti: %s:1:18: FMU '{a}': %s: no such file or folder; did you mean "
        "'%s'?\n",
        at("gone.json"), at("oddd.fmu"), at("odd.fmu"));
}

static void several_records_add_up(void **state)
{
    struct output s;
    char *text;

    (void)state;
    TUTTI(&s, "run", BREAK, "--record", "u,what", "--record", "misbehave.y",
          "-qo", at("both.csv"));
    expect_err(&s, "%s", "");
    output_fini(&s);
    text = read_text("both.csv");
    assert_non_null(strstr(text, "{misbehave}.misbehave.u"));
    assert_non_null(strstr(text, "{misbehave}.misbehave.what"));
    assert_non_null(strstr(text, "{misbehave}.misbehave.y"));
    tt_free(text);
    TUTTI(&s, "run", BREAK, "--record", "u", "--record", "missbehave.*", "-qo",
          at("both.csv"));
    expect_err(&s, "tutti: nothing to record is called 'missbehave.*', did you "
                   "mean 'misbehave.*'?\n");
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

/* --- tables --------------------------------------------------------------- */

/* Speeds in km/h for an input in m/s. */
static int give_unit(char *name, struct tt_buf *data)
{
    if (strcmp(name, "modelDescription.xml") == 0) {
        replace(data, "<ModelVariables",
                "<UnitDefinitions><Unit name=\"m/s\"><BaseUnit m=\"1\" "
                "s=\"-1\"/></Unit></UnitDefinitions><ModelVariables");
        replace(data, "name=\"u\"", "name=\"u\" description=\"speed\"");
        replace(data, "<Real start=\"0\"", "<Real unit=\"m/s\" start=\"0\"");
    }
    return 1;
}

static void the_unit_of_a_column_counts(void **state)
{
    struct output s;
    tt_table *t = NULL;

    (void)state;
    put_fmu("raw.fmu", UNITS "raw2.fmu", give_unit);
    put_text("v.tsv", "time [s]\tu [km/h]\n0\t36\n1\t36\n");
    TUTTI(&s, "run", at("raw.fmu"), "--input", at("v.tsv"), "--step", "0.5",
          "--until", "1", "--record", "u", "-o", at("v.csv"));
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, "[km/h]"));
    output_fini(&s);
    assert_int_equal(tt_table_load(&t, at("v.csv"), NULL), TT_OK);
    assert_true(column(t, "{raw}.raw.u")[1] == 10);
    assert_true(column(t, "{raw}.raw.y")[2] == 10);
    tt_table_free(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_reports_the_first_finding_of_each_fmu_once),
        cmocka_unit_test(a_check_reports_all_of_them),
        cmocka_unit_test(strict_makes_them_errors),
        cmocka_unit_test(strict_keeps_the_results),
        cmocka_unit_test(the_summary_lists_them),
        cmocka_unit_test(a_multistep_method_that_starts_anew_is_reported),
        cmocka_unit_test(files_that_are_not_there_get_a_suggestion),
        cmocka_unit_test(several_records_add_up),
        cmocka_unit_test(the_unit_of_a_column_counts),
    };

    return cmocka_run_group_tests_name("cli.warnings", tests, desk_open,
                                       desk_close);
}
