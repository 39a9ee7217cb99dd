/* SPDX-License-Identifier: MIT */
#include "base/test_locale.h"

#include "scenario/test_scenario.h"

#include <math.h>

#define OPTIONS(name) struct tt_sc_options name = TT_SC_OPTIONS_INIT

/* The value that --set `text` gives in the pair. */
static struct tt_sc_value set_gives(tt_scenario **s, const char *text,
                                    const char *unit, const char *variable)
{
    OPTIONS(o);
    const struct tt_sc_parameter *p;

    o.set = &text;
    o.n_set = 1;
    *s = gives_with(PAIR "\"parameters\":{\"{c}.c1.k\":1}}", &o, "");
    assert_int_equal((*s)->n_parameter, 2); /* the later one wins */
    p = &(*s)->parameter[1];
    assert_string_equal((*s)->unit[p->ref.unit].name, unit);
    assert_string_equal(p->ref.variable, variable);
    assert_int_equal(p->ref.where.file, TT_NONE);
    return p->value;
}

static void set_fails(const char *scenario, const char *text,
                      const char *message)
{
    OPTIONS(o);

    o.set = &text;
    o.n_set = 1;
    fails_with(scenario, &o, TT_EINPUT, message);
}

static void set_names_variables(void **state)
{
    static const struct {
        const char *text, *unit, *variable;
    } good[] = {
        {"{c}.c1.k=1", "{c}.c1", "k"},
        {"c1.k=1", "{c}.c1", "k"},
        {"c1.a.b[2]=1", "{c}.c1", "a.b[2]"},
        {"{p}.p1.x.y==1", "{p}.p1", "x.y"},
    };
    tt_scenario *s;

    (void)state;
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        set_gives(&s, good[i].text, good[i].unit, good[i].variable);
        tt_scenario_free(s);
    }
}

static void set_types_by_content(void **state)
{
    static const struct {
        const char *value;
        enum tt_sc_value_kind kind;
        double number;
        const char *text;
    } good[] = {
        {"true", TT_SC_BOOL, 1, "true"},
        {"false", TT_SC_BOOL, 0, "false"},
        {"-12", TT_SC_INTEGER, -12, "-12"},
        {"2.50", TT_SC_NUMBER, 2.5, "2.50"},
        {"1e3", TT_SC_NUMBER, 1000, "1e3"},
        {"9223372036854775808", TT_SC_NUMBER, 9223372036854775808.0,
         "9223372036854775808"},
        {"abc", TT_SC_TEXT, 0, "abc"},
        {"True", TT_SC_TEXT, 0, "True"},
        {"nan", TT_SC_TEXT, 0, "nan"},
        {"1 2", TT_SC_TEXT, 0, "1 2"},
        {"a=b", TT_SC_TEXT, 0, "a=b"},
        {"", TT_SC_TEXT, 0, ""},
        {"\"12\"", TT_SC_TEXT, 0, "12"},
        {"\"a\\nb\"", TT_SC_TEXT, 0, "a\nb"},
        {"\"", TT_SC_TEXT, 0, "\""},
        {"[1,2.5,true]", TT_SC_ARRAY, 0, "[1,2.5,true]"},
    };
    tt_scenario *s;
    char text[64];

    (void)state;
    if (!test_locale_enter())
        fail_msg("there is no comma locale and none could be made");
    for (size_t i = 0; i < sizeof(good) / sizeof(*good); i++) {
        struct tt_sc_value v;

        snprintf(text, sizeof(text), "{c}.c1.k=%s", good[i].value);
        v = set_gives(&s, text, "{c}.c1", "k");
        assert_int_equal(v.kind, good[i].kind);
        assert_true(v.number == good[i].number);
        assert_string_equal(v.text, good[i].text);
        if (v.kind == TT_SC_ARRAY) {
            assert_int_equal(v.n, 3);
            assert_true(v.item[1].number == 2.5);
            assert_int_equal(v.item[2].kind, TT_SC_BOOL);
        }
        tt_scenario_free(s);
    }
    setlocale(LC_ALL, "C");
}

static void wrong_sets_are_refused(void **state)
{
    (void)state;
    set_fails(PAIR "\"endTime\":1}", "{c}.c1.k",
              "command line: --set '{c}.c1.k' lacks a value; write --set "
              "'{key}.instance.variable=value'");
    set_fails(PAIR "\"endTime\":1}", "{c}.c2.k=1",
              "command line: there is no instance '{c}.c2', named by "
              "'{c}.c2.k'; did you mean '{c}.c1'?");
    set_fails(PAIR "\"endTime\":1}", "c2.k=1",
              "command line: there is no instance 'c2'; did you mean 'c1'?");
    set_fails(PAIR "\"endTime\":1}", "=1",
              "command line: '' does not name a variable; write "
              "'{key}.instance.variable'");
    set_fails(PAIR "\"endTime\":1}", "c1.k=1e999",
              "command line: --set 'c1.k=1e999': the number is too large");
    set_fails(PAIR "\"endTime\":1}", "c1.k=[1,",
              "command line: --set 'c1.k=[1,': value:1:4: JSON ends too "
              "early: ']' expected near end of file");
    set_fails(PAIR "\"endTime\":1}", "c1.k=[[1]]",
              "command line: each element of '--set' must be a number, a "
              "boolean or a string (matrices are written row by row in one "
              "array), not an array");
    set_fails("{\"fmus\":{\"{b}\":\"b.fmu\",\"{c}\":\"c.fmu\"},"
              "\"instances\":{\"{b}\":[\"x\"],\"{c}\":[\"x\"]}}",
              "x.k=1",
              "command line: several FMUs have an instance 'x'; write "
              "'{key}.instance', for example '{b}.x'");
}

static void options_win_over_the_file(void **state)
{
    static const char text[] =
        PAIR "\"startTime\":1,\"endTime\":2,\"algorithm\":{\"type\":"
             "\"var-step\",\"size\":[1,2],\"initsize\":1},"
             "\"approximation\":{\"{p}.p1.u\":\"hold\"},"
             "\"substeps\":{\"p1\":7},\"record\":[\"a\"]}";
    OPTIONS(o);
    tt_scenario *s;

    (void)state;
    o.start = 3;
    o.end = 4;
    o.step = 0.25;
    o.sample = 0.5;
    o.tolerance = 1e-3;
    o.master = "gauss-seidel";
    o.order = "c1, {p}.p1";
    o.rates = "c1=3, {p}.p1=2";
    o.approximation = "linear";
    o.substeps = 4;
    o.record = (const char *const[]){"*.y,m[1,2]", "all"};
    o.n_record = 2;
    s = gives_with(text, &o, "");
    assert_true(s->start == 3 && s->end == 4 && s->step == 0.25);
    assert_true(s->sample == 0.5 && s->tolerance == 1e-3);
    assert_int_equal(s->algorithm, TT_ALG_FIXED);
    assert_int_equal(s->step_where.file, TT_NONE);
    assert_int_equal(s->master, TT_MASTER_GAUSS_SEIDEL);
    assert_int_equal(s->n_order, 2);
    assert_int_equal(s->unit[0].rate, 2);
    assert_int_equal(s->unit[1].rate, 3);
    assert_int_equal(s->order[0], 1);
    assert_int_equal(s->approx, TT_APPROX_LINEAR);
    assert_int_equal(s->n_input_approx, 0);
    assert_int_equal(s->substeps, 4); /* for all units */
    assert_int_equal(s->unit[0].substeps, -1);
    assert_int_equal(s->n_record, 3);
    assert_string_equal(s->record[1], "m[1,2]");
    tt_scenario_free(s);
}

static void wrong_options_are_refused(void **state)
{
    static const char text[] = PAIR "\"startTime\":1,\"endTime\":2}";
    OPTIONS(o);

    (void)state;
    o.master = "jacobo";
    fails_with(text, &o, TT_EINPUT,
               "command line: --master must be 'jacobi' or 'gauss-seidel', "
               "not 'jacobo'; did you mean 'jacobi'?");
    o.master = NULL;
    o.approximation = "quintic";
    fails_with(text, &o, TT_EINPUT,
               "command line: --approximation must be 'hold', 'linear', "
               "'quadratic', 'cubic', 'hermite', "
               "'extrapolated-interpolation', "
               "'linear-extrapolated-interpolation', 'waveform' or 'model', "
               "not 'quintic'");
    o.approximation = NULL;
    o.substeps = 2.5;
    fails_with(text, &o, TT_EINPUT,
               "command line: --substeps must be a whole number from 0 to "
               "10000, not 2.5");
    o.substeps = (double)NAN;
    o.order = "p1,,c1";
    fails_with(text, &o, TT_EINPUT,
               "command line: --order 'p1,,c1' contains an empty name");
    o.order = "p1,c2";
    fails_with(text, &o, TT_EINPUT,
               "command line: there is no instance 'c2'; did you mean 'c1'?");
    o.order = "p1";
    fails_with(text, &o, TT_EINPUT,
               "command line: the order does not name '{c}.c1'; it must name "
               "every instance once");
    o.order = NULL;
    o.rates = "p1";
    fails_with(text, &o, TT_EINPUT,
               "command line: --rates wants INSTANCE=N, not 'p1'");
    o.rates = "p1=x";
    fails_with(text, &o, TT_EINPUT,
               "command line: --rates wants INSTANCE=N, not 'p1=x'");
    o.rates = "p1=2,c2=3";
    fails_with(text, &o, TT_EINPUT,
               "command line: there is no instance 'c2'; did you mean 'c1'?");
    o.rates = "p1=0";
    fails_with(text, &o, TT_EINPUT,
               "command line: a rate must be a number of steps from 1 to "
               "1000000, not 0");
    o.rates = NULL;
    o.step = 0;
    fails_with(text, &o, TT_EINPUT,
               "command line: --step must be greater than 0 and finite, not "
               "0");
    o.step = (double)NAN;
    o.start = (double)INFINITY;
    fails_with(text, &o, TT_EINPUT,
               "command line: the start time must be finite");
    o.start = 2;
    fails_with(text, &o, TT_EINPUT,
               "a.json:3:25: the end time 2 s is not after the start time 2 "
               "s");
    o.start = (double)NAN;
    o.end = -5;
    fails_with(text, &o, TT_EINPUT,
               "command line: the end time -5 s is not after the start time "
               "1 s");
    o.start = 2;
    o.end = 1.5;
    fails_with(text, &o, TT_EINPUT,
               "command line: the end time 1.5 s is not after the start time "
               "2 s");
}

static void one_fmu_is_a_scenario(void **state)
{
    static const char *const set[] = {"e=0.8", "bouncing_ball.g=9.8",
                                      "mass.m=2"};
    OPTIONS(o);
    tt_scenario *s = NULL;
    tt_err err = {.code = TT_OK};

    (void)state;
    o.set = set;
    o.n_set = 3;
    o.end = 3;
    assert_int_equal(tt_scenario_single(&s, "/m/bouncing_ball.fmu", &o, &err),
                     TT_OK);
    assert_string_equal(s->name, "bouncing_ball");
    assert_int_equal(s->n_fmu, 1);
    assert_string_equal(s->fmu[0].key, "{bouncing_ball}");
    assert_string_equal(s->fmu[0].path, "/m/bouncing_ball.fmu");
    assert_int_equal(s->n_unit, 1);
    assert_string_equal(s->unit[0].name, "{bouncing_ball}.bouncing_ball");
    assert_string_equal(s->unit[0].instance, "bouncing_ball");
    assert_int_equal(s->n_connection, 0);
    assert_int_equal(s->n_parameter, 3);
    assert_string_equal(s->parameter[0].ref.variable, "e");
    assert_string_equal(s->parameter[1].ref.variable, "g");
    assert_string_equal(s->parameter[2].ref.variable, "mass.m");
    assert_true(s->end == 3 && isnan(s->step));
    tt_scenario_free(s);

    assert_int_equal(tt_scenario_single(&s, "/m/a.b{c}.v2.fmu", NULL, &err),
                     TT_OK);
    assert_string_equal(s->unit[0].name, "{a_b_c__v2}.a_b_c__v2");
    tt_scenario_free(s);
    assert_int_equal(tt_scenario_single(&s, "/m/unpacked/", NULL, &err), TT_OK);
    assert_string_equal(s->unit[0].name, "{unpacked}.unpacked");
    tt_scenario_free(s);
    assert_int_equal(tt_scenario_single(&s, "", NULL, &err), TT_EINPUT);
    assert_string_equal(err.msg, "the path of the FMU is empty");
}

static void real_time_wins_over_the_file(void **state)
{
    OPTIONS(o);
    tt_scenario *s;

    (void)state;
    o.real_time = 4;
    s = gives_with(PAIR "\"realTime\":{\"factor\":2,\"onOverrun\":\"stop\"}}",
                   &o, "");
    assert_true(s->real_time.factor == 4);
    assert_int_equal(s->real_time.overrun, TT_OVERRUN_STOP);
    tt_scenario_free(s);
    o.overrun = "continue";
    s = gives_with(PAIR "\"realTime\":{\"onOverrun\":\"stop\"}}", &o, "");
    assert_int_equal(s->real_time.overrun, TT_OVERRUN_CONTINUE);
    tt_scenario_free(s);
    o.real_time = (double)INFINITY;
    fails_with(PAIR "\"visible\":true}", &o, TT_EINPUT,
               "command line: --real-time must be greater than 0 and finite, "
               "not inf");
    o.real_time = (double)NAN;
    fails_with(PAIR "\"visible\":true}", &o, TT_EINPUT,
               "command line: --overrun goes with --real-time, or with "
               "'realTime' in the scenario");
    o.real_time = 1;
    o.overrun = "stopp";
    fails_with(
        PAIR "\"visible\":true}", &o, TT_EINPUT,
        "command line: --overrun must be 'continue' or 'stop', not 'stopp'; "
        "did you mean 'stop'?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(set_names_variables),
        cmocka_unit_test(set_types_by_content),
        cmocka_unit_test(wrong_sets_are_refused),
        cmocka_unit_test(options_win_over_the_file),
        cmocka_unit_test(wrong_options_are_refused),
        cmocka_unit_test(one_fmu_is_a_scenario),
        cmocka_unit_test(real_time_wins_over_the_file),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
