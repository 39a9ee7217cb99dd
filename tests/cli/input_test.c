/* SPDX-License-Identifier: MIT */
/* One FMU driven by a table. The unit integrates its input: y' = u. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "desk.h"
#include "support/run_tutti.h"
#include "sys/file.h"
#include "table/table.h"

#define FMI2   UNITS "misbehave.fmu"
#define ECHOES UNITS "alltypes.fmu"

static tt_table *results(const char *name)
{
    tt_table *t = NULL;

    assert_int_equal(tt_table_load(&t, at(name), NULL), TT_OK);
    return t;
}

static void expect_near(double is, double want, double tolerance)
{
    if (!(fabs(is - want) <= tolerance))
        fail_msg("%.17g is not %.17g", is, want);
}

/* A ramp u = t. The unit makes two Euler steps of H/2 per step H = 0.1, so a
 * linear course gives y = t^2/2 - t H/4. */
static void a_ramp_is_integrated_as_a_ramp(void **state)
{
    struct output s;
    tt_table *t;
    const double *y;

    (void)state;
    put_text("ramp.csv", "time,u\n0,0\n10,10\n");
    TUTTI(&s, "run", FMI2, "--input", at("ramp.csv"), "-o", at("ramp_out.csv"));
    expect_err(&s, "%s", "");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    t = results("ramp_out.csv");
    y = column(t, "{misbehave}.misbehave.y");
    for (size_t i = 0; i < tt_table_rows(t); i++) {
        double time = tt_table_time(t)[i];

        expect_near(y[i], time * time / 2 - time * 0.025, 1e-9);
    }
    tt_table_free(t);
}

/* Held over steps of H: y = t^2/2 - t H/2. */
static void a_held_input_keeps_the_value_of_the_beginning(void **state)
{
    struct output s;
    tt_table *t;
    size_t last;

    (void)state;
    TUTTI(&s, "run", FMI2, "--input", at("ramp.csv"), "--approximation", "hold",
          "-o", at("held.csv"));
    assert_int_equal(s.code, 0);
    output_fini(&s);
    t = results("held.csv");
    last = tt_table_rows(t) - 1;
    expect_near(tt_table_time(t)[last], 10, 1e-12);
    expect_near(column(t, "{misbehave}.misbehave.y")[last], 49.5, 1e-9);
    tt_table_free(t);
}

/* A unit that holds its inputs: only if asked it is sub-stepped, and then it
 * gets the whole area. */
static void a_unit_without_courses_is_sub_stepped_when_asked(void **state)
{
    static const struct {
        const char *option, *value;
        double end;
    } of[] = {{"--until", "10", 49.5},
              {"--approximation", "linear", 50},
              {"--substeps", "3", 50}};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct output s;
        tt_table *t;

        TUTTI(&s, "run", UNITS "raw2-holds.fmu", "--step", "0.1", "--input",
              at("ramp.csv"), of[i].option, of[i].value, "-o", at("sub.csv"));
        expect_err(&s, "%s", "");
        assert_int_equal(s.code, 0);
        output_fini(&s);
        t = results("sub.csv");
        expect_near(column(t, "{raw2-holds}.raw2-holds.y")[100], of[i].end,
                    1e-9);
        tt_table_free(t);
    }
}

static void unknown_columns_bring_a_warning(void **state)
{
    struct output s;

    (void)state;
    put_text("typo.csv", "time,U,u\n0,0,0\n10,10,1\n");
    TUTTI(&s, "run", FMI2, "--input", at("typo.csv"), "-o", at("typo_out.csv"));
    expect_err(&s,
               "tutti: warning: %s: column 'U' is no input or tunable "
               "parameter of %s and is not used; did you mean 'u'?\n",
               at("typo.csv"), FMI2);
    assert_int_equal(s.code, 0);
    output_fini(&s);
    put_text("none.csv", "time,foo\n0,0\n10,10\n");
    TUTTI(&s, "run", FMI2, "--input", at("none.csv"), "-q", "-o",
          at("none_out.csv"));
    expect_err(&s,
               "tutti: %s: no column is an input or a tunable parameter of %s, "
               "which has 'u'\n",
               at("none.csv"), FMI2);
    assert_int_equal(s.code, 2);
    assert_false(exists("none_out.csv"));
    output_fini(&s);
}

/* The same table by its seconds and by its milliseconds. */
static void times_are_in_what_their_column_states(void **state)
{
    struct tt_buf sec, ms;
    struct output s;

    (void)state;
    put_text("s.csv", "time,u\n0,0\n1,1\n");
    put_text("ms.csv", "time [ms],u\n0,0\n1000,1\n");
    put_text("m.csv", "time [m],u\n0,0\n1000,1\n");
    TUTTI(&s, "run", FMI2, "-q", "--input", at("s.csv"), "-o", at("s_out.csv"));
    assert_int_equal(s.code, 0);
    output_fini(&s);
    TUTTI(&s, "run", FMI2, "-q", "--input", at("ms.csv"), "-o",
          at("ms_out.csv"));
    assert_int_equal(s.code, 0);
    output_fini(&s);
    tt_buf_init(&sec, 1 << 20);
    tt_buf_init(&ms, 1 << 20);
    assert_int_equal(tt_file_read(&sec, at("s_out.csv"), NULL), TT_OK);
    assert_int_equal(tt_file_read(&ms, at("ms_out.csv"), NULL), TT_OK);
    assert_true(sec.len > 100);
    assert_string_equal(sec.data, ms.data);
    tt_buf_fini(&sec);
    tt_buf_fini(&ms);
    TUTTI(&s, "run", FMI2, "--input", at("m.csv"), "-o", at("m_out.csv"));
    expect_err(&s,
               "tutti: %s: 'time [m]' is the time, in s, ms, us, min, h or d\n",
               at("m.csv"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

/* The exact unit follows the table exactly, so the step does not matter. */
static void a_jump_on_the_grid_is_met_exactly(void **state)
{
    static const char *const step[] = {"0.25", "0.125"};
    struct output s;
    tt_table *t[2];
    const double *x[2];

    (void)state;
    put_text("leap.csv", "time,F\n0,0\n1,2\n1,5\n3,5\n3,-1\n6,-1\n");
    for (int i = 0; i < 2; i++) {
        TUTTI(&s, "run", EXAMPLES "double-mass-spring-damper/msd1.fmu",
              "--input", at("leap.csv"), "--until", "6", "--step", step[i],
              "-o", at("leap_out.csv"));
        assert_int_equal(s.code, 0);
        output_fini(&s);
        t[i] = results("leap_out.csv");
        x[i] = column(t[i], "{msd1}.msd1.x1");
    }
    assert_int_equal(tt_table_rows(t[0]), 25);
    for (size_t i = 0; i < 25; i++)
        expect_near(x[0][i], x[1][2 * i], 1e-12);
    tt_table_free(t[0]);
    tt_table_free(t[1]);
}

/* One that cannot vary its step. */
static int fix_steps(char *name, struct tt_buf *data)
{
    if (strcmp(name, "modelDescription.xml") == 0)
        replace(data, "canHandleVariableCommunicationStepSize=\"true\"",
                "canHandleVariableCommunicationStepSize=\"false\"");
    return 1;
}

static void a_jump_between_points_is_met_or_reported(void **state)
{
    struct output s;

    (void)state;
    put_text("jump.csv", "time,u\n0,0\n0.55,0\n0.55,1\n10,1\n");
    TUTTI(&s, "run", FMI2, "--input", at("jump.csv"), "-o", at("jump_out.csv"));
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data, "steps end where inputs leap, too: 1 "
                                       "time from t=0.55 on\n"));
    output_fini(&s);
    put_fmu("fixed.fmu", FMI2, fix_steps);
    TUTTI(&s, "run", at("fixed.fmu"), "--input", at("jump.csv"), "-o",
          at("jump_out.csv"));
    assert_int_equal(s.code, 0);
    assert_non_null(strstr(s.out.data,
                           "the jump at t=0.55 lies between communication "
                           "points and takes effect at the next"));
    output_fini(&s);
    TUTTI(&s, "run", FMI2, "--input", at("jump.csv"), "--step", "0.05", "-o",
          at("jump_out.csv"));
    assert_null(strstr(s.out.data, "leap, too"));
    output_fini(&s);
}

/* Whole numbers, booleans and enumerations keep their values between rows. */
static void discrete_inputs_are_held_between_rows(void **state)
{
    struct output s;
    tt_table *t;
    const double *whole, *flag, *mode;

    (void)state;
    put_text("types.csv", "time,i32_in,bool_in,mode_in,f64_in\n"
                          "0,1,0,1,0\n0.5,4,1,2,1\n1,9,0,3,2\n");
    TUTTI(&s, "run", ECHOES, "--input", at("types.csv"), "-o",
          at("types_out.csv"));
    expect_err(&s, "%s", "");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    t = results("types_out.csv");
    whole = column(t, "{alltypes}.alltypes.i32_out");
    flag = column(t, "{alltypes}.alltypes.bool_out");
    mode = column(t, "{alltypes}.alltypes.mode_out");
    for (size_t i = 0; i < tt_table_rows(t); i++) {
        double time = tt_table_time(t)[i];
        int part = time < 0.5 - 1e-9 ? 0 : time < 1 - 1e-9 ? 1 : 2;

        expect_near(whole[i], (double[]){1, 4, 9}[part], 0);
        expect_near(flag[i], (double[]){0, 1, 0}[part], 0);
        expect_near(mode[i], (double[]){1, 2, 3}[part], 0);
    }
    tt_table_free(t);
}

static void a_value_an_input_cannot_take_is_refused(void **state)
{
    struct output s;

    (void)state;
    put_text("half.csv", "time,i32_in\n0,1\n0.5,1.5\n");
    TUTTI(&s, "run", ECHOES, "--input", at("half.csv"), "-o", at("x.csv"));
    expect_err(&s,
               "tutti: %s: column 'i32_in' is 1.5 at t=0.5, which input "
               "'i32_in' (Int32) cannot take\n",
               at("half.csv"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

/* The outputs of all types are the inputs, as they were a step before. */
static void texts_are_held_between_rows(void **state)
{
    struct output s;
    tt_table *t;
    uint32_t in, out;

    (void)state;
    put_text("texts.csv", "time,text_in\n0,one\n1,\"two, or more\"\n2,\n");
    TUTTI(&s, "run", ECHOES, "--input", at("texts.csv"), "--until", "2.5",
          "--step", "0.5", "-q", "-o", at("x.csv"));
    expect_err(&s, "%s", "");
    assert_int_equal(s.code, 0);
    output_fini(&s);
    t = results("x.csv");
    in = tt_table_find(t, "{input}.input.text_in");
    out = tt_table_find(t, "{alltypes}.alltypes.text_out");
    assert_true(in != TT_NONE && out != TT_NONE);
    for (size_t r = 0; r < tt_table_rows(t); r++) {
        double at = tt_table_time(t)[r];

        assert_string_equal(tt_table_text(t, in, r), at < 1   ? "one"
                                                     : at < 2 ? "two, or more"
                                                              : "");
    }
    assert_string_equal(tt_table_text(t, out, tt_table_rows(t) - 1), "");
    assert_string_equal(tt_table_text(t, out, 0), "one");
    tt_table_free(t);
}

static void a_text_a_table_cannot_pass_is_refused(void **state)
{
    static const char *const cell[] = {"one\n1,\"say \"\"two\"\"\"",
                                       "1\n1,two"};
    static const char *const when[] = {"1", "0"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        struct output s;
        char text[128];

        (void)snprintf(text, sizeof(text), "time,text_in\n0,%s\n", cell[i]);
        put_text("texts.csv", text);
        TUTTI(&s, "run", ECHOES, "--input", at("texts.csv"), "-o", at("x.csv"));
        expect_err(&s,
                   "tutti: %s: column 'text_in' at t=%s: a text has at most "
                   "1019 bytes, without quotes and line ends, and the first is "
                   "no number\n",
                   at("texts.csv"), when[i]);
        assert_int_equal(s.code, 2);
        output_fini(&s);
    }
}

/* k becomes 2 at t=1, on the grid and between its points: x is exp(-1) there
 * and exp(-3) at the end. By co-simulation x' = -k x is stepped by Euler. */
static void a_tunable_parameter_follows_a_table(void **state)
{
    static const char *const form[] = {"tuned.fmu", "tuned-fmi3.fmu"};

    (void)state;
    put_text("k.csv", "time,k\n0,1\n1,1\n1,2\n2,2\n");
    for (size_t i = 0; i < 4; i++) {
        int me = i % 2 == 1;
        char path[256];
        struct output s;
        tt_table *t;

        (void)snprintf(path, sizeof(path), UNITS "%s", form[i / 2]);
        TUTTI(&s, "run", path, "--input", at("k.csv"), "--interface",
              me ? "me" : "cs", "--tolerance", "1e-10", "-q", "-o",
              at("k_out.csv"), me ? "--step" : "-q", me ? "0.4" : NULL);
        expect_err(&s, "%s", "");
        assert_int_equal(s.code, 0);
        output_fini(&s);
        t = results("k_out.csv");
        expect_near(
            tt_table_values(t, tt_table_columns(t) - 1)[tt_table_rows(t) - 1],
            me ? exp(-3) : pow(0.75, 4) * pow(0.5, 4), me ? 1e-9 : 1e-15);
        tt_table_free(t);
    }
}

static void input_goes_with_one_fmu(void **state)
{
    struct output s;

    (void)state;
    TUTTI(&s, "run", EXAMPLES "water-tank/scenario.json", "--input",
          at("ramp.csv"));
    expect_err(&s,
               "tutti: --input goes with a single FMU: tutti run MODEL.fmu "
               "--input FILE.csv (in a scenario, a .csv file is an instance "
               "like an FMU)\n");
    assert_int_equal(s.code, 2);
    output_fini(&s);
    TUTTI(&s, "run", FMI2, "--input", at("lost.csv"));
    expect_err(&s, "tutti: cannot read %s: No such file or directory\n",
               at("lost.csv"));
    assert_int_equal(s.code, 2);
    output_fini(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_ramp_is_integrated_as_a_ramp),
        cmocka_unit_test(a_held_input_keeps_the_value_of_the_beginning),
        cmocka_unit_test(a_unit_without_courses_is_sub_stepped_when_asked),
        cmocka_unit_test(unknown_columns_bring_a_warning),
        cmocka_unit_test(times_are_in_what_their_column_states),
        cmocka_unit_test(a_jump_on_the_grid_is_met_exactly),
        cmocka_unit_test(a_jump_between_points_is_met_or_reported),
        cmocka_unit_test(discrete_inputs_are_held_between_rows),
        cmocka_unit_test(a_value_an_input_cannot_take_is_refused),
        cmocka_unit_test(texts_are_held_between_rows),
        cmocka_unit_test(a_text_a_table_cannot_pass_is_refused),
        cmocka_unit_test(a_tunable_parameter_follows_a_table),
        cmocka_unit_test(input_goes_with_one_fmu),
    };

    return cmocka_run_group_tests(tests, desk_open, desk_close);
}
