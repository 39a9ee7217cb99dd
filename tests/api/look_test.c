/* SPDX-License-Identifier: MIT */
/* What can be looked at: score, FMU, results. */
#include "rig.h"

static int begins(const char *text, const char *with)
{
    return strncmp(text, with, strlen(with)) == 0;
}

static void the_version_is_that_of_the_library(void **state)
{
    (void)state;
    assert_true(tutti_version()[0] >= '0' && tutti_version()[0] <= '9');
    assert_non_null(strchr(tutti_version(), '.'));
}

static void a_score_has_three_forms(void **state)
{
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = rig_run(s, NULL);
    char *text = NULL, *json = NULL, *svg = NULL, *none = NULL;

    (void)state;
    OK(tutti_score(r, TUTTI_TEXT, &text, &e));
    OK(tutti_score(r, TUTTI_JSON, &json, &e));
    OK(tutti_score(r, TUTTI_SVG, &svg, &e));
    assert_non_null(strstr(text, "step    msd1  T0 -> T1"));
    assert_int_equal(json[0], '{');
    assert_non_null(strstr(json, "\"jacobi\""));
    assert_true(begins(svg, "<svg"));
    REFUSED(tutti_score(r, (enum tutti_form)7, &none, &e), TUTTI_BAD_INPUT,
            "there is no form 7");
    assert_null(none);
    tutti_free(text);
    tutti_free(json);
    tutti_free(svg);
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void an_fmu_reports_what_it_is(void **state)
{
    char *text = NULL, *json = NULL, *none = NULL;

    (void)state;
    OK(tutti_info(UNITS "alltypes-fmi3.fmu", TUTTI_TEXT, &text, &e));
    assert_true(begins(text, "alltypes  FMI 3.0, Co-Simulation\n"));
    assert_non_null(strstr(text, "matrix_out"));
    assert_null(strchr(text, '\033')); /* no colours */
    OK(tutti_info(UNITS "alltypes-fmi3.fmu", TUTTI_JSON, &json, &e));
    assert_non_null(strstr(json, "\"modelName\": \"alltypes\""));
    REFUSED(tutti_info(UNITS "alltypes.fmu", TUTTI_SVG, &none, &e),
            TUTTI_BAD_INPUT, "what an FMU is cannot be had as SVG");
    REFUSED(tutti_info("/nowhere/x.fmu", TUTTI_TEXT, &none, &e),
            TUTTI_BAD_INPUT, "/nowhere/x.fmu: no such file or folder");
    assert_null(none);
    tutti_free(text);
    tutti_free(json);
}

static void an_fmu_is_checked(void **state)
{
    size_t n = 99;
    char *text = NULL, *json = NULL, *none = NULL;

    (void)state;
    OK(tutti_check(UNITS "alltypes.fmu", TUTTI_TEXT, &text, &n, &e));
    assert_int_equal(n, 0);
    assert_non_null(strstr(text, "alltypes.fmu: ok (FMI 2.0, Co-Simulation, "));
    OK(tutti_check(UNITS "alltypes.fmu", TUTTI_JSON, &json, NULL, &e));
    assert_non_null(strstr(json, "\"ok\": true,\n  \"errors\": 0,"));
    REFUSED(tutti_check(UNITS "alltypes.fmu", TUTTI_SVG, &none, &n, &e),
            TUTTI_BAD_INPUT, "a check cannot be had as SVG");
    tutti_free(text);
    tutti_free(json);
}

/* A folder is an unpacked FMU. */
static void broken_rules_are_counted(void **state)
{
    char *text = NULL;
    size_t n = 0;

    (void)state;
    rig_write(rig_file("modelDescription.xml"),
              "<?xml version=\"1.0\"?>\n"
              "<fmiModelDescription fmiVersion=\"2.0\" modelName=\"bad\" "
              "guid=\"g\">\n"
              "<CoSimulation modelIdentifier=\"bad\"/>\n"
              "<ModelVariables>\n"
              "<ScalarVariable name=\"x\" valueReference=\"1\"><Real/>"
              "</ScalarVariable>\n"
              "<ScalarVariable name=\"x\" valueReference=\"2\"><Real/>"
              "</ScalarVariable>\n"
              "</ModelVariables><ModelStructure/></fmiModelDescription>\n");
    OK(tutti_check(rig_file(""), TUTTI_TEXT, &text, &n, &e));
    assert_true(n > 0);
    assert_non_null(strstr(text, "modelDescription.xml:6: error: "));
    assert_non_null(strstr(text, ": not ok (FMI 2.0, Co-Simulation, 2 "));
    tutti_free(text);
}

static const char table[] = "time,{a}.a.x,{a}.a.y\n0,1,10\n1,2,20\n2,4,40\n";

static void results_are_drawn(void **state)
{
    const char *csv = rig_file("plot.csv");
    char *text = NULL, *svg = NULL, *none = NULL, message[256];

    (void)state;
    rig_write(csv, table);
    OK(tutti_plot(csv, NULL, TUTTI_TEXT, &text, &e));
    assert_non_null(strstr(text, " a  "));
    OK(tutti_plot(csv, "x", TUTTI_SVG, &svg, &e));
    assert_true(begins(svg, "<svg"));
    assert_non_null(strstr(svg, "plot.csv"));
    REFUSED(tutti_plot(csv, NULL, TUTTI_JSON, &none, &e), TUTTI_BAD_INPUT,
            "a plot cannot be had as JSON");
    snprintf(message, sizeof(message), "%s has no column 'z'", csv);
    REFUSED(tutti_plot(csv, "x,z", TUTTI_TEXT, &none, &e), TUTTI_BAD_INPUT,
            message);
    assert_null(none);
    tutti_free(text);
    tutti_free(svg);
}

static void results_are_compared(void **state)
{
    const char *a = rig_file("a.csv"), *b = rig_file("b.csv");
    struct tutti_tolerance tol = {.absolute = 0.2};
    char *text = NULL, *none = NULL;
    int same = -1;

    (void)state;
    rig_write(a, table);
    rig_write(b, "time,{a}.a.x\n0,1.1\n1,2\n2,4\n");
    OK(tutti_compare(a, b, &tol, &same, TUTTI_TEXT, NULL, &e));
    assert_int_equal(same, 1);
    OK(tutti_compare(a, b, NULL, &same, TUTTI_JSON, &text, &e));
    assert_int_equal(same, 0);
    assert_int_equal(text[0], '{');
    tutti_free(text);
    tol.relative = -1;
    same = -1;
    REFUSED(tutti_compare(a, b, &tol, &same, TUTTI_TEXT, &none, &e),
            TUTTI_BAD_INPUT, "a tolerance is 0 or more");
    REFUSED(tutti_compare(a, b, NULL, &same, TUTTI_SVG, &none, &e),
            TUTTI_BAD_INPUT, "a comparison cannot be had as SVG");
    assert_int_equal(same, -1);
    assert_null(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_version_is_that_of_the_library),
        cmocka_unit_test(a_score_has_three_forms),
        cmocka_unit_test(an_fmu_reports_what_it_is),
        cmocka_unit_test(an_fmu_is_checked),
        cmocka_unit_test(broken_rules_are_counted),
        cmocka_unit_test(results_are_drawn),
        cmocka_unit_test(results_are_compared),
    };

    return cmocka_run_group_tests(tests, rig_begin, rig_end);
}
