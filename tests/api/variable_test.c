/* SPDX-License-Identifier: MIT */
/* Variables by name, between steps: every type, elements, and refusals. The
 * unit's outputs repeat its inputs. */
#include "rig.h"

#define V "{alltypes-fmi3}.alltypes-fmi3."

struct play {
    tutti_scenario *s;
    tutti_run *r;
};

static int begin(void **state)
{
    static struct play p;

    if (rig_begin(state) != 0)
        return -1;
    p.s = rig_unit("alltypes-fmi3.fmu", NULL);
    p.r = rig_run(p.s, NULL);
    OK(tutti_run_start(p.r, &e));
    *state = &p;
    return 0;
}

static int end(void **state)
{
    struct play *p = *state;

    OK(tutti_run_end(p->r, &e));
    tutti_run_free(p->r);
    tutti_scenario_free(p->s);
    return rig_end(state);
}

static double get(const struct play *p, const char *name)
{
    double v = -1;

    OK(tutti_run_get(p->r, name, &v, &e));
    return v;
}

static void says(const struct play *p, const char *name, const char *wanted)
{
    char *text = NULL;

    OK(tutti_run_get_text(p->r, name, &text, &e));
    assert_string_equal(text, wanted);
    tutti_free(text);
}

static void every_number_travels_as_double(void **state)
{
    static const struct {
        const char *in, *out;
        double value;
    } row[] = {
        {V "f64_in", V "f64_out", 0.1},
        {V "f32_in", V "f32_out", 0.75},
        {V "i8_in", V "i8_out", -128},
        {V "u8_in", V "u8_out", 255},
        {V "i16_in", V "i16_out", -32768},
        {V "u16_in", V "u16_out", 65535},
        {V "i32_in", V "i32_out", -2147483648.0},
        {V "u32_in", V "u32_out", 4294967295.0},
        {V "i64_in", V "i64_out", -9007199254740992.0},
        {V "u64_in", V "u64_out", 9007199254740992.0},
        {V "bool_in", V "bool_out", 0},
        {V "mode_in", V "mode_out", 3},
    };
    const struct play *p = *state;

    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++)
        OK(tutti_run_set(p->r, row[i].in, row[i].value, &e));
    OK(tutti_run_step(p->r, &e));
    for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
        assert_true(get(p, row[i].in) == row[i].value);
        assert_true(get(p, row[i].out) == row[i].value);
    }
}

static void elements_of_arrays_have_indices(void **state)
{
    const struct play *p = *state;

    assert_true(get(p, V "vector_in[3]") == 3);
    assert_true(get(p, V "matrix_in[2,1]") == 4);
    OK(tutti_run_set(p->r, V "vector_in[2]", 20.5, &e));
    OK(tutti_run_set(p->r, V "matrix_in[1,3]", -7, &e));
    OK(tutti_run_step(p->r, &e));
    assert_true(get(p, V "vector_out[1]") == 1); /* the others stay */
    assert_true(get(p, V "vector_out[2]") == 20.5);
    assert_true(get(p, V "vector_out[3]") == 3);
    assert_true(get(p, V "matrix_out[1,2]") == 2);
    assert_true(get(p, V "matrix_out[1,3]") == -7);
    assert_true(get(p, V "matrix_out[2,3]") == 6);
}

static void everything_travels_as_text(void **state)
{
    const struct play *p = *state;

    OK(tutti_run_set_text(p->r, V "text_in", "gr\xc3\xbc\xc3\x9f dich", &e));
    OK(tutti_run_set_text(p->r, V "f64_in", "2.5", &e));
    OK(tutti_run_set_text(p->r, V "bool_in", "true", &e));
    OK(tutti_run_set_text(p->r, V "i64_in", "9007199254740993", &e));
    OK(tutti_run_step(p->r, &e));
    says(p, V "text_out", "gr\xc3\xbc\xc3\x9f dich");
    says(p, V "f64_out", "2.5");
    says(p, V "bool_out", "true");
    says(p, V "i64_out", "9007199254740993"); /* no double holds it */
    OK(tutti_run_set_text(p->r, V "text_in", "", &e));
    says(p, V "text_in", "");
}

static void wrong_names_are_reported_with_the_nearest(void **state)
{
    const struct play *p = *state;
    double v = 5;

    REFUSED(
        tutti_run_get(p->r, V "f64_oot", &v, &e), TUTTI_BAD_INPUT,
        "instance '{alltypes-fmi3}.alltypes-fmi3' has no variable 'f64_oot'; "
        "did you mean 'f64_out'?");
    REFUSED(tutti_run_get(p->r, V "qqqqqqqqqqqq", &v, &e), TUTTI_BAD_INPUT,
            "instance '{alltypes-fmi3}.alltypes-fmi3' has no variable "
            "'qqqqqqqqqqqq'");
    REFUSED(
        tutti_run_get(p->r, "{alltypes-fmi3}.altypes-fmi3.f64_out", &v, &e),
        TUTTI_BAD_INPUT,
        "'{alltypes-fmi3}.altypes-fmi3.f64_out' is a variable of no instance; "
        "did you mean '{alltypes-fmi3}.alltypes-fmi3.f64_out'?");
    REFUSED(
        tutti_run_get(p->r, "f64", &v, &e), TUTTI_BAD_INPUT,
        "'f64' is a variable of no instance; write {key}.instance.variable");
    REFUSED(tutti_run_get(p->r, V "vector_in[4]", &v, &e), TUTTI_BAD_INPUT,
            "'" V "vector_in[4]' names no element: 'vector_in' is an array of "
            "size [3]");
    REFUSED(tutti_run_get(p->r, V "matrix_in[2]", &v, &e), TUTTI_BAD_INPUT,
            "'" V "matrix_in[2]' names no element: 'matrix_in' is an array of "
            "size [2,3]");
    REFUSED(tutti_run_get(p->r, V "vector_in", &v, &e), TUTTI_BAD_INPUT,
            "'" V "vector_in' names no element: 'vector_in' is an array of "
            "size [3]");
    REFUSED(tutti_run_get(p->r, V "f64_in[1]", &v, &e), TUTTI_BAD_INPUT,
            "'" V "f64_in[1]' names no element: 'f64_in' is no array");
    assert_true(v == 5);
}

static void values_that_do_not_fit_are_refused(void **state)
{
    const struct play *p = *state;
    double v;

    REFUSED(tutti_run_set(p->r, V "i8_in", 128, &e), TUTTI_BAD_INPUT,
            "'" V "i8_in' (Int8) cannot hold 128");
    REFUSED(tutti_run_set(p->r, V "i32_in", 0.5, &e), TUTTI_BAD_INPUT,
            "'" V "i32_in' (Int32) cannot hold 0.5");
    REFUSED(tutti_run_set(p->r, V "text_in", 1, &e), TUTTI_BAD_INPUT,
            "'" V "text_in' (String) cannot hold 1");
    REFUSED(tutti_run_set_text(p->r, V "f64_in", "much", &e), TUTTI_BAD_INPUT,
            "'" V "f64_in' (Float64) cannot hold much");
    REFUSED(tutti_run_get(p->r, V "text_in", &v, &e), TUTTI_BAD_INPUT,
            "'" V "text_in' (String) is not a number");
    REFUSED(tutti_run_set(p->r, V "f64_out", 1, &e), TUTTI_BAD_INPUT,
            "'" V "f64_out' (output) cannot be set; inputs and tunable "
            "parameters can");
    OK(tutti_run_step(p->r, &e)); /* it did no harm */
}

static void fixed_parameters_are_set_at_loading(void **state)
{
    tutti_scenario *s = rig_load(MASSES, NULL);
    tutti_run *r = rig_run(s, NULL);

    (void)state;
    OK(tutti_run_start(r, &e));
    REFUSED(tutti_run_set(r, "{msd1}.msd1.m1", 2, &e), TUTTI_BAD_INPUT,
            "'{msd1}.msd1.m1' is a parameter that is fixed when the run "
            "starts; set it when the scenario is loaded");
    OK(tutti_run_perform(r, &e));
    tutti_run_free(r);
    tutti_scenario_free(s);
}

/* FMI 2 has no arrays: the kit names the elements. */
static void elements_are_variables_in_fmi2(void **state)
{
    static const char name[] = "{alltypes}.alltypes.vector_in[2]";
    tutti_scenario *s = rig_unit("alltypes.fmu", NULL);
    tutti_run *r = rig_run(s, NULL);
    double v = 0;

    (void)state;
    OK(tutti_run_start(r, &e));
    OK(tutti_run_set(r, name, 9, &e));
    OK(tutti_run_step(r, &e));
    OK(tutti_run_get(r, "{alltypes}.alltypes.vector_out[2]", &v, &e));
    assert_true(v == 9);
    tutti_run_free(r);
    tutti_scenario_free(s);
}

static void a_connected_input_keeps_it_for_one_step(void **state)
{
    static const char force[] = "{msd1}.msd1.F";
    double end = 0.4, f = 0, v[2] = {0};
    struct tutti_options o = {.end = &end};
    tutti_scenario *s = rig_load(MASSES, &o);

    (void)state;
    for (int pushed = 0; pushed < 2; pushed++) {
        tutti_run *r = rig_run(s, NULL);

        OK(tutti_run_start(r, &e));
        OK(tutti_run_get(r, force, &f, &e));
        OK(tutti_run_set(r, force, f + 10 * pushed, &e));
        OK(tutti_run_step(r, &e));
        OK(tutti_run_get(r, "{msd1}.msd1.v1", &v[pushed], &e));
        OK(tutti_run_get(r, force, &f, &e));
        assert_true(f < 5); /* the exchange has put its own there */
        tutti_run_free(r);
    }
    /* x'' + x' + 5 x = 10: v(H) = 10/w exp(-H/2) sin(w H), H = 0.2 s */
    assert_true(v[1] - v[0] > 1.752910 && v[1] - v[0] < 1.752911);
    tutti_scenario_free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(elements_of_arrays_have_indices),
        cmocka_unit_test(every_number_travels_as_double),
        cmocka_unit_test(everything_travels_as_text),
        cmocka_unit_test(wrong_names_are_reported_with_the_nearest),
        cmocka_unit_test(values_that_do_not_fit_are_refused),
        cmocka_unit_test(fixed_parameters_are_set_at_loading),
        cmocka_unit_test(elements_are_variables_in_fmi2),
        cmocka_unit_test(a_connected_input_keeps_it_for_one_step),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
