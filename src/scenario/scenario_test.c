/* SPDX-License-Identifier: MIT */
#include "scenario/test_scenario.h"

#include "unit/unit.h"

#include <math.h>

#include "scenario/build_impl.h"
#include "unit/desc.h"

static void where_is(const tt_scenario *s, struct tt_where w,
                     const char *expected)
{
    char at[128];

    assert_string_equal(tt_scenario_at(s, w, at, sizeof(at)), expected);
}

/* Structure */

static void a_maestro_scenario_is_read_whole(void **state)
{
    static const char text[] =
        PAIR "\"parameters\":{\"{c}.c1.kp\":4,\"{p}.p1.heater.on\":true,"
             "\"{p}.p1.s\":\"x\",\"{p}.p1.r\":2.5,\"{p}.p1.a\":[1,2.5]},\n"
             "\"logVariables\":{\"{p}.p1\":[\"heater.T[1]\"]},\n"
             "\"livestream\":{\"{p}.p1\":[\"y\"]},\n"
             "\"logLevels\":{\"{c}.c1\":[\"logAll\"]},\n"
             "\"algorithm\":{\"type\":\"fixed-step\",\"size\":0.05},\n"
             "\"startTime\":1,\"endTime\":10.5,\"visible\":true,"
             "\"loggingOn\":true,\"parallelSimulation\":true,"
             "\"stabalizationEnabled\":false,"
             "\"global_absolute_tolerance\":0,"
             "\"global_relative_tolerance\":0.01,\"convergenceAttempts\":5,"
             "\"overrideLogLevel\":\"WARN\",\"simulationProgramDelay\":false,"
             "\"hasExternalSignals\":false,\"liveLogInterval\":0.5,"
             "\"faultInjectConfigurationPath\":null,"
             "\"faultInjectInstances\":{},\"externalSpecs\":[],"
             "\"modelTransfers\":null,\"modelSwaps\":{},"
             "\"reportProgress\":true,\"multimodel_path\":\"x\","
             "\"multimodel_crc\":\"y\",\"liveGraphColumns\":2,"
             "\"liveGraphVisibleRowCount\":1,\"graphs\":[],"
             "\"postProcessingScript\":\"\","
             "\"enableAllLogCategoriesPerInstance\":false}";
    tt_scenario *s = gives(text);

    (void)state;
    assert_string_equal(s->name, "a");
    assert_int_equal(s->n_fmu, 2);
    assert_string_equal(s->fmu[1].key, "{c}");
    assert_string_equal(s->fmu[1].uri, "c.fmu");
    assert_string_equal(s->fmu[1].path, "/m/c.fmu");
    assert_int_equal(s->n_unit, 2);
    assert_string_equal(s->unit[1].name, "{c}.c1");
    assert_string_equal(s->unit[1].instance, "c1");
    assert_int_equal(s->unit[1].fmu, 1);
    assert_int_equal(s->unit[1].evaluates, -1);
    where_is(s, s->unit[1].where, "a.json:2:28");
    assert_int_equal(s->n_connection, 2);
    assert_string_equal(s->connection[1].from.variable, "u");
    assert_int_equal(s->connection[1].from.unit, 1);
    assert_int_equal(s->connection[1].to.unit, 0);
    where_is(s, s->connection[1].to.where, "a.json:2:52");
    assert_int_equal(s->n_log_variable, 1);
    assert_string_equal(s->log_variable[0].variable, "heater.T[1]");
    assert_int_equal(s->n_live_variable, 1);
    assert_int_equal(s->n_log_level, 1);
    assert_int_equal(s->log_level[0].unit, 1);
    assert_string_equal(s->log_level[0].variable, "logAll");
    assert_true(s->step == 0.05 && s->start == 1 && s->end == 10.5);
    where_is(s, s->end_where, "a.json:8:25");
    assert_true(s->visible && s->logging_on && s->parallel);
    assert_true(s->real_time.factor == 0);
    assert_true(s->loop_abstol == 0 && s->loop_reltol == 0.01);
    assert_int_equal(s->loop_attempts, 5);
    assert_string_equal(s->log_level_override, "WARN");
    assert_true(s->live_interval == 0.5);
    tt_scenario_free(s);
}

static void parameters_keep_their_kind(void **state)
{
    tt_scenario *s =
        gives(PAIR "\"parameters\":{\"{c}.c1.i\":4,\"{c}.c1.b\":true,"
                   "\"{c}.c1.s\":\"x\",\"{c}.c1.r\":2.5,\"{c}.c1.a\":[1,\"z\"],"
                   "\"{c}.c1.n\":null}}");
    const struct tt_sc_parameter *p = s->parameter;

    (void)state;
    assert_int_equal(s->n_parameter, 5);
    assert_int_equal(p[0].value.kind, TT_SC_INTEGER);
    assert_true(p[0].value.integer == 4 && p[0].value.number == 4.0);
    assert_int_equal(p[1].value.kind, TT_SC_BOOL);
    assert_int_equal(p[1].value.integer, 1);
    assert_int_equal(p[2].value.kind, TT_SC_TEXT);
    assert_string_equal(p[2].value.text, "x");
    assert_int_equal(p[3].value.kind, TT_SC_NUMBER);
    assert_true(p[3].value.number == 2.5);
    assert_int_equal(p[4].value.kind, TT_SC_ARRAY);
    assert_int_equal(p[4].value.n, 2);
    assert_string_equal(p[4].value.item[1].text, "z");
    where_is(s, p[1].ref.where, "a.json:3:28");
    tt_scenario_free(s);
}

static void undeclared_is_undeclared(void **state)
{
    tt_scenario *s = gives(BALL "\"connections\":{}}");

    (void)state;
    assert_true(isnan(s->step) && isnan(s->start) && isnan(s->end));
    assert_true(isnan(s->tolerance) && isnan(s->sample));
    assert_true(isnan(s->loop_abstol) && isnan(s->live_interval));
    assert_int_equal(s->loop_attempts, -1);
    assert_int_equal(s->n_order, 0);
    assert_int_equal(s->n_record, 0);
    assert_int_equal(s->master, TT_MASTER_JACOBI);
    assert_int_equal(s->approx, TT_APPROX_HOLD);
    assert_true(s->substeps == TT_SC_SUBSTEPS);
    assert_false(s->m1_dialect);
    where_is(s, s->end_where, "command line");
    tt_scenario_free(s);
}

static void a_key_in_braces_may_contain_dots(void **state)
{
    tt_scenario *s =
        gives("{\"fmus\":{\"{a.b}\":\"x.fmu\",\"t\":\"y.fmu\"},"
              "\"connections\":{\"{a.b}.i.v.w[1].z\":[\"t.i.u\"]}}");

    (void)state;
    assert_string_equal(s->unit[0].name, "{a.b}.i");
    assert_string_equal(s->connection[0].from.variable, "v.w[1].z");
    assert_string_equal(s->unit[1].name, "t.i");
    assert_string_equal(s->connection[0].to.variable, "u");
    tt_scenario_free(s);
}

static void instances_come_from_mentions(void **state)
{
    tt_scenario *s = gives("{\"fmus\":{\"{b}\":\"b.fmu\",\"{c}\":\"c.fmu\"},"
                           "\"instances\":{\"{b}\":[\"x\",\"y\"]},"
                           "\"logVariables\":{\"{b}.z\":[]},"
                           "\"parameters\":{\"{c}.v.k\":1,\"{c}.w.k\":1}}");

    (void)state;
    assert_int_equal(s->n_unit, 5);
    assert_string_equal(s->unit[0].name, "{b}.x");
    assert_string_equal(s->unit[2].name, "{b}.z");
    assert_string_equal(s->unit[4].name, "{c}.w");
    assert_int_equal(s->n_parameter, 2);
    tt_scenario_free(s);
}

static void what_nothing_uses_is_warned_of(void **state)
{
    (void)state;
    warns(PAIR "\"parameters\":{\"{p}.p2.k\":1,\"{cc}.c1.k\":1}}",
          "a.json:3:15: unused parameter '{p}.p2.k': there is no instance "
          "'{p}.p2'; did you mean '{p}.p1'?\n"
          "a.json:3:28: unused parameter '{cc}.c1.k': there is no FMU "
          "'{cc}'; did you mean '{c}'?");
    warns(BALL "\"parameters\":{\"{b}.y.k\":1}}",
          "a.json:2:15: unused parameter '{b}.y.k': there is no instance "
          "'{b}.y'; did you mean '{b}.x'?");
    warns(PAIR "\"logVariables\":{\"{p}.p2\":[\"y\"]}}",
          "a.json:3:17: instance '{p}.p2' is in no connection");
    warns(PAIR "\"logLevels\":{\"{p}.p2\":[\"y\"]}}",
          "a.json:3:14: there is no instance '{p}.p2'; did you mean "
          "'{p}.p1'?");
    warns("{\"fmus\":{\"{b}\":\"b.fmu\",\"{c}\":\"c.fmu\"},"
          "\"instances\":{\"{b}\":[\"x\"]}}",
          "a.json:1:30: FMU '{c}' is not used: nothing names an instance of "
          "it");
    warns(PAIR "\"environmentParameters\":[\"{p}.p1.a\",\"{p}.p1.b\"],"
               "\"parameters\":{\"{p}.p1.b\":2}}",
          "a.json:3:26: the environment parameter '{p}.p1.a' has no value; "
          "give one in 'parameters' or with --set");
}

static void real_time_is_read(void **state)
{
    tt_scenario *s = gives(PAIR "\"simulationProgramDelay\":true}");

    (void)state;
    assert_true(s->real_time.factor == 1 && s->real_time.tolerance == 0);
    assert_int_equal(s->real_time.overrun, TT_OVERRUN_CONTINUE);
    tt_scenario_free(s);
    s = gives(PAIR "\"realTime\":{}}");
    assert_true(s->real_time.factor == 1);
    tt_scenario_free(s);
    s = gives(PAIR "\"realTime\":{\"factor\":0.5,\"tolerance\":0.01,"
                   "\"onOverrun\":\"stop\"},"
                   "\"simulationProgramDelay\":false}");
    assert_true(s->real_time.factor == 0.5 && s->real_time.tolerance == 0.01);
    assert_int_equal(s->real_time.overrun, TT_OVERRUN_STOP);
    tt_scenario_free(s);
    s = gives(PAIR "\"realTime\":{\"budgets\":{\"{c}.c1.k\":0.002}}}");
    assert_int_equal(s->real_time.n_budget, 1);
    assert_string_equal(s->real_time.budget[0].ref.variable, "k");
    assert_true(s->real_time.budget[0].seconds == 0.002);
    tt_scenario_free(s);
    s = gives(PAIR "\"realTime\":null}");
    assert_true(s->real_time.factor == 0);
    tt_scenario_free(s);
}

static void clocks_are_given_exact_times(void **state)
{
    tt_scenario *s =
        gives(PAIR "\"clocks\":{\"{c}.c1.k\":{\"interval\":\"1/3\"},"
                   "\"{c}.c1.l\":{\"interval\":0.1,\"shift\":2}}}");

    (void)state;
    assert_int_equal(s->n_clock, 2);
    assert_string_equal(s->clock[0].ref.variable, "k");
    assert_true(s->clock[0].interval.num == 1 && s->clock[0].interval.den == 3);
    assert_false(tt_ratio_is(s->clock[0].shift));
    assert_true(s->clock[1].interval.num == 1 &&
                s->clock[1].interval.den == 10);
    assert_true(s->clock[1].shift.num == 2 && s->clock[1].shift.den == 1);
    tt_scenario_free(s);
}

static void bad_clocks_are_refused(void **state)
{
#define CLOCK(is) PAIR "\"clocks\":{\"{c}.c1.k\":{" is "}}}"
#define MUST(what, time)                                                       \
    "'" what "' of clock '{c}.c1.k' must be a time " time                      \
    ", a number or a text like \"1/3\""
    (void)state;
    fails(PAIR "\"clocks\":1}",
          "a.json:3:10: 'clocks' must be an object, not an integer");
    fails(CLOCK("\"interval\":0"),
          "a.json:3:34: " MUST("interval", "greater than 0"));
    fails(CLOCK("\"interval\":-0.5"),
          "a.json:3:34: " MUST("interval", "greater than 0"));
    fails(CLOCK("\"interval\":\"1/0\""),
          "a.json:3:34: " MUST("interval", "greater than 0"));
    fails(CLOCK("\"interval\":[1]"),
          "a.json:3:34: " MUST("interval", "greater than 0"));
    fails(CLOCK("\"shift\":\"-1/3\""),
          "a.json:3:31: " MUST("shift", "that is not negative"));
    fails(CLOCK("\"intervall\":1"),
          "a.json:3:23: unknown field 'intervall'; did you mean 'interval'?");
    fails(PAIR "\"clocks\":{\"{c}.nothing\":{}}}",
          "a.json:3:11: '{c}.nothing' does not name a variable; write "
          "'{key}.instance.variable'");
}

static void bad_real_time_is_refused(void **state)
{
    (void)state;
    fails(PAIR "\"realTime\":true}",
          "a.json:3:12: 'realTime' must be an object, not a boolean");
    fails(PAIR "\"realTime\":{\"factor\":0}}",
          "a.json:3:22: 'factor' must be greater than 0, not 0");
    fails(PAIR "\"realTime\":{\"factor\":\"fast\"}}",
          "a.json:3:22: 'factor' must be a number, not a string");
    fails(PAIR "\"realTime\":{\"budgets\":{\"{c}.c1.k\":0}}}",
          "a.json:3:35: '{c}.c1.k' must be greater than 0, not 0");
    fails(PAIR "\"realTime\":{\"budgets\":1}}",
          "a.json:3:23: 'budgets' must be an object, not an integer");
    fails(PAIR "\"realTime\":{\"tolerance\":-1}}",
          "a.json:3:25: 'tolerance' must not be negative, not -1");
    fails(PAIR "\"realTime\":{\"onOverrun\":\"stopp\"}}",
          "a.json:3:25: 'onOverrun' must be 'continue' or 'stop', not 'stopp'; "
          "did you mean 'stop'?");
    fails(PAIR "\"simulationProgramDelay\":1}",
          "a.json:3:26: 'simulationProgramDelay' must be true or false, not an "
          "integer");
}

static void unknown_fields_are_warned_of(void **state)
{
    (void)state;
    warns(PAIR "\"quux\":1}", "a.json:3:1: unknown field 'quux' is ignored");
    warns(PAIR "\"csv\":{\"delimiter\":1}}",
          "a.json:3:8: unknown field 'delimiter' is ignored");
}

static void fields_that_are_nearly_known_are_refused(void **state)
{
    (void)state;
    fails("{\"fmus\":{\"{b}\":\"b.fmu\"},\n\"conections\":{},"
          "\"instances\":{\"{b}\":[\"x\"]}}",
          "a.json:2:1: unknown field 'conections'; did you mean "
          "'connections'?");
    fails(PAIR "\"stabilizationEnabled\":true}",
          "a.json:3:1: unknown field 'stabilizationEnabled'; did you mean "
          "'stabalizationEnabled'?");
    fails(PAIR "\"algorithm\":{\"type\":\"fixed-step\",\"size\":1,"
               "\"sise\":1}}",
          "a.json:3:43: unknown field 'sise'; did you mean 'size'?");
    fails(PAIR "\"csv\":{\"dialekt\":1}}",
          "a.json:3:8: unknown field 'dialekt'; did you mean 'dialect'?");
    fails(PAIR "\"realTime\":{\"faktor\":1}}",
          "a.json:3:13: unknown field 'faktor'; did you mean 'factor'?");
}

static void a_stream_of_what_is_gone_is_warned_of(void **state)
{
    (void)state;
    warns(PAIR "\"livestream\":{\"{engine}.e\":[\"y\"],\"{p}.p1\":[\"T\"]}}",
          "a.json:3:15: there is no instance '{engine}.e'");
    fails(PAIR "\"livestream\":{\"{q}.p1\":[\"y\"]}}",
          "a.json:3:15: there is no FMU '{q}', named by '{q}.p1'; did you mean "
          "'{p}'?");
}

static void an_order_need_not_name_tables(void **state)
{
    tt_scenario *s = gives("{\"fmus\":{\"{p}\":\"p.fmu\",\"{t}\":\"t.tsv\","
                           "\"{c}\":\"c.fmu\",\"{v}\":\"v.csv\"},"
                           "\"instances\":{\"{p}\":[\"p\"],\"{t}\":[\"t\"],"
                           "\"{c}\":[\"c\"],\"{v}\":[\"v\"]},"
                           "\"order\":[\"c\",\"v\",\"p\"]}");

    (void)state;
    assert_int_equal(s->n_order, 4);
    assert_string_equal(s->unit[s->order[0]].instance, "t");
    assert_string_equal(s->unit[s->order[1]].instance, "c");
    assert_string_equal(s->unit[s->order[2]].instance, "v");
    assert_string_equal(s->unit[s->order[3]].instance, "p");
    tt_scenario_free(s);
}

static void warnings_of_one_kind_are_limited(void **state)
{
    char text[4096];
    struct logged h;
    tt_scenario *s;
    tt_err err;
    size_t n = (size_t)snprintf(text, sizeof(text), "%s\"parameters\":{", PAIR);

    (void)state;
    for (int i = 0; i < 25; i++)
        n += (size_t)snprintf(text + n, sizeof(text) - n, "%s\"{p}.q%d.x\":1",
                              i ? "," : "", i);
    snprintf(text + n, sizeof(text) - n, "}}");
    assert_int_equal(try_text(&s, text, NULL, &h, &err), TT_OK);
    assert_int_equal(h.lines, TT_SC_WARN_MAX + 1);
    assert_non_null(
        strstr(h.text, "\na: 15 more unused parameters are not listed"));
    tt_scenario_free(s);
}

static void wrong_names_are_refused(void **state)
{
    (void)state;
    fails("{\"fmus\":{\"{tank}\":\"t.fmu\"},"
          "\"connections\":{\"{tnk}.t.y\":[]}}",
          "a.json:1:43: there is no FMU '{tnk}', named by '{tnk}.t.y'; did "
          "you mean '{tank}'?");
    fails(BALL "\"connections\":{\"{b}.x\":[]}}",
          "a.json:2:16: '{b}.x' does not name a variable; write "
          "'{key}.instance.variable'");
    fails(BALL "\"connections\":{\"{b}.x.y\":[\"{b.x.u\"]}}",
          "a.json:2:27: '{b.x.u' does not name a variable; write "
          "'{key}.instance.variable'");
    fails(BALL "\"connections\":{\"{b}..y\":[]}}",
          "a.json:2:16: the instance name in '{b}..y' is empty");
    fails(BALL "\"connections\":{\"{b}.x.\":[]}}",
          "a.json:2:16: the variable name in '{b}.x.' is empty");
    fails(BALL "\"connections\":{\".x.y\":[]}}",
          "a.json:2:16: the FMU key in '.x.y' is empty");
    fails(BALL "\"logVariables\":{\"{b}\":[\"h\"]}}",
          "a.json:2:17: '{b}' does not name an instance; write "
          "'{key}.instance'");
    fails(BALL "\"logVariables\":{\"{b}.x.y\":[\"h\"]}}",
          "a.json:2:17: the instance name 'x.y' in '{b}.x.y' contains a dot");
    fails(BALL "\"logVariables\":{\"{b}.x\":[\"\"]}}",
          "a.json:2:26: a name in the list of '{b}.x' is empty");
    fails("{\"fmus\":{\"\":\"t.fmu\"}}", "a.json:1:10: an FMU key is empty");
    fails("{\"fmus\":{\"{}\":\"t.fmu\"}}", "a.json:1:10: an FMU key is empty");
    fails("{\"fmus\":{\"{a\":\"t.fmu\"}}",
          "a.json:1:10: the FMU key '{a' lacks its closing brace");
    fails("{\"fmus\":{\"a.b\":\"t.fmu\"}}",
          "a.json:1:10: the FMU key 'a.b' contains a dot outside braces");
    fails("{\"fmus\":{\"{b}\":\"t.fmu\"},\"instances\":{\"{B}\":[\"x\"]}}",
          "a.json:1:38: there is no FMU '{B}'; did you mean '{b}'?");
    fails("{\"fmus\":{\"{b}\":\"t.fmu\"},"
          "\"instances\":{\"{b}\":[\"x\",\"x\"]}}",
          "a.json:1:49: the instance '{b}.x' is listed twice");
    fails("{\"fmus\":{\"{b}\":\"t.fmu\"},\"instances\":{\"{b}\":[\"x.y\"]}}",
          "a.json:1:45: the instance name 'x.y' in '{b}.x.y' contains a dot");
}

/* ... from one output; whether several may feed it is the plan's to know. */
static void an_input_is_connected_once(void **state)
{
    (void)state;
    fails(BALL "\"connections\":{\"{b}.x.y\":[\"{b}.z.u\",\"{b}.z.u\"]}}",
          "a.json:2:37: the input '{b}.z.u' is already connected from "
          "'{b}.x.y' at a.json:2:27");
}

static void wrong_types_are_refused(void **state)
{
    (void)state;
    fails("[]", "a.json:1:1: the scenario must be an object, not an array");
    fails("12", "a.json:1:1: the scenario must be an object, not an integer");
    fails("{}", "a.json:1:1: the scenario lacks 'fmus'");
    fails("{\"fmus\":null}", "a.json:1:1: the scenario lacks 'fmus'");
    fails("{\"fmus\":[]}", "a.json:1:9: 'fmus' must be an object, not an "
                           "array");
    fails("{\"fmus\":{}}", "a.json:1:9: 'fmus' names no FMU");
    fails("{\"fmus\":{\"{b}\":1.5}}",
          "a.json:1:16: '{b}' must be a string or an object, not a number");
    fails("{\"fmus\":{\"{b}\":\"b.fmu\"}}",
          "a.json: there is nothing to simulate: no instance is named in "
          "'connections', 'logVariables', 'parameters' or 'instances'");
    fails(BALL "\"connections\":{\"{b}.x.y\":\"{b}.z.u\"}}",
          "a.json:2:26: '{b}.x.y' must be an array of strings, not a string");
    fails(BALL "\"connections\":{\"{b}.x.y\":[1]}}",
          "a.json:2:27: each element of '{b}.x.y' must be a string, not an "
          "integer");
    fails(BALL "\"parameters\":{\"{b}.x.y\":{}}}",
          "a.json:2:25: '{b}.x.y' lacks 'value'");
    fails(BALL "\"parameters\":{\"{b}.x.y\":[[1]]}}",
          "a.json:2:26: each element of '{b}.x.y' must be a number, a "
          "boolean or a string (matrices are written row by row in one "
          "array), not an array");
    fails(BALL "\"visible\":1}",
          "a.json:2:11: 'visible' must be true or false, not an integer");
    fails(BALL "\"endTime\":\"10\"}",
          "a.json:2:11: 'endTime' must be a number, not a string");
    fails(BALL "\"convergenceAttempts\":1.5}",
          "a.json:2:23: 'convergenceAttempts' must be an integer, not a "
          "number");
    fails(BALL "\"record\":{}}",
          "a.json:2:10: 'record' must be an array of strings, not an object");
    fails(BALL "\"approximation\":[]}",
          "a.json:2:17: 'approximation' must be a string or an object, not "
          "an array");
}

/* Experiment */

static void wrong_numbers_are_refused(void **state)
{
    (void)state;
    fails(BALL "\"algorithm\":{\"type\":\"fixed-step\",\"size\":0}}",
          "a.json:2:41: the step size must be greater than 0, not 0");
    fails(BALL "\"algorithm\":{\"type\":\"fixed-step\",\"size\":-0.5}}",
          "a.json:2:41: the step size must be greater than 0, not -0.5");
    fails(BALL "\"algorithm\":{\"type\":\"fixed-step\"}}",
          "a.json:2:13: 'algorithm' lacks 'size'");
    fails(BALL "\"algorithm\":{\"size\":1}}",
          "a.json:2:13: 'algorithm' lacks 'type'");
    fails(BALL "\"algorithm\":{\"type\":\"fixedstep\",\"size\":1}}",
          "a.json:2:21: 'type' of 'algorithm' must be 'fixed-step' or "
          "'var-step', not 'fixedstep'; did you mean 'fixed-step'?");
    fails(BALL "\"startTime\":5,\"endTime\":5}",
          "a.json:2:25: the end time 5 s is not after the start time 5 s");
    fails(BALL "\"tolerance\":0}",
          "a.json:2:13: 'tolerance' must be greater than 0, not 0");
    fails(BALL "\"sampleInterval\":-1}",
          "a.json:2:18: 'sampleInterval' must be greater than 0, not -1");
    fails(BALL "\"global_absolute_tolerance\":-1e-3}",
          "a.json:2:29: 'global_absolute_tolerance' must not be negative, "
          "not -0.001");
    fails(BALL "\"convergenceAttempts\":-1}",
          "a.json:2:23: 'convergenceAttempts' must not be negative, not -1");
}

static void constraints_of_fixed_steps_are_warned_of(void **state)
{
    (void)state;
    warns(BALL "\"algorithm\":{\"type\":\"fixed-step\",\"size\":1,"
               "\"constraints\":{\"a\":{\"type\":\"zerocrossing\"}}}}",
          "a.json:2:43: 'constraints' are not looked at: steps are fixed; "
          "'type' 'var-step' varies them");
    warns(BALL "\"algorithm\":{\"type\":\"fixed-step\",\"size\":1,"
               "\"constraints\":{}}}",
          "");
}

static void an_end_of_null_is_open(void **state)
{
    tt_scenario *s = gives(BALL "\"startTime\":null,\"endTime\":null}");

    (void)state;
    assert_true(isinf(s->end) && s->end > 0 && isnan(s->start));
    tt_scenario_free(s);
}

static void variable_steps_are_read_and_judged(void **state)
{
    tt_scenario *s;

#define VAR "\"algorithm\":{\"type\":\"var-step\",\"size\":[0.5,1e-5],"
    (void)state;
    s = gives(BALL VAR "\"initsize\":1e-3,\"constraints\":{"
                       "\"a\":{\"type\":\"zeroCrossing\","
                       "\"ports\":[\"{b}.x.h\"]},"
                       "\"b\":{\"type\":\"boundeddifference\",\"ports\":["
                       "\"{b}.x.h\",\"{b}.x.v\"],\"skipDiscrete\":false},"
                       "\"c\":{\"type\":\"samplingrate\",\"base\":-3,"
                       "\"rate\":5,\"startTime\":0},"
                       "\"d\":{\"type\":\"fmumaxstepsize\"}}}}");
    assert_int_equal(s->algorithm, TT_ALG_VARIABLE);
    assert_int_equal(s->n_constraint, 4);
    assert_true(s->step_min == 1e-5 && s->step_max == 0.5);
    assert_true(s->step_init == 1e-3);
    assert_int_equal(s->constraint[1].n_port, 2);
    assert_false(s->constraint[1].skip_discrete);
    tt_scenario_free(s);
    fails(BALL VAR "\"initsize\":-1}}",
          "a.json:2:61: the step size must be greater than 0, not -1");
    fails(BALL VAR "\"x\":1}}", "a.json:2:13: 'algorithm' lacks 'initsize'");
    fails(BALL VAR "\"initsize\":1,\"constraints\":{\"a\":{\"type\":"
                   "\"zerocross\"}}}}",
          "a.json:2:90: the 'type' of a constraint must be 'zerocrossing', "
          "'boundeddifference', 'samplingrate', 'fmumaxstepsize' or 'error', "
          "not 'zerocross'; did you mean 'zerocrossing'?");
    fails(BALL VAR "\"initsize\":1,\"constraints\":{\"a\":{\"type\":"
                   "\"zerocrossing\",\"ports\":[]}}}}",
          "a.json:2:113: 'ports' of 'a' must name one or two variables, not "
          "0");
    fails(BALL VAR "\"initsize\":1,\"constraints\":{\"a\":{\"type\":"
                   "\"samplingrate\",\"base\":1}}}}",
          "a.json:2:82: 'a' lacks 'rate'");
    fails(BALL "\"algorithm\":{\"type\":\"var-step\",\"size\":0.1}}",
          "a.json:2:39: 'size' of a 'var-step' algorithm must be [smallest, "
          "largest]");
}

static void maestros_stabilisation_is_an_iteration(void **state)
{
    tt_scenario *s = gives(BALL "\"stabalizationEnabled\":true,"
                                "\"global_absolute_tolerance\":1e-3}");

    (void)state;
    assert_true(s->iteration.converged);
    assert_true(s->iteration.abstol == 1e-3 && s->iteration.reltol == 0.01);
    assert_int_equal(s->iteration.max, 6);
    assert_int_equal(s->iteration.unconverged, TT_UNCONVERGED_ACCEPT);
    tt_scenario_free(s);
}

static void iteration_is_read_and_checked(void **state)
{
    tt_scenario *s =
        gives(BALL "\"iterate\":3,\"acceleration\":\"anderson\","
                   "\"iteration\":{\"maximum\":7,\"scope\":\"loops\","
                   "\"relativeTolerance\":1e-6,\"unconverged\":\"accept\"}}");

    (void)state;
    assert_int_equal(s->iteration.turns, 3);
    assert_int_equal(s->iteration.accel, TT_ACCEL_ANDERSON);
    assert_int_equal(s->iteration.max, 7);
    assert_true(s->iteration.loops_only && s->iteration.reltol == 1e-6);
    assert_int_equal(s->iteration.unconverged, TT_UNCONVERGED_ACCEPT);
    tt_scenario_free(s);
    fails(BALL "\"iterate\":0}",
          "a.json:2:11: 'iterate' must be \"converged\" or a number of turns "
          "from 1 to 10000, not 0");
    fails(BALL "\"iterate\":\"often\"}",
          "a.json:2:11: 'iterate' must be \"converged\" or a number of turns "
          "from 1 to 10000, not 'often'");
    fails(BALL "\"iteration\":{\"relaxation\":0}}",
          "a.json:2:27: 'relaxation' must be greater than 0, not 0");
}

static void places_of_units_are_read_and_checked(void **state)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    tt_scenario *s = gives(BALL "\"isolate\":true,\"deadline\":2.5}");

    (void)state;
    assert_int_equal(s->isolate, 1);
    assert_int_equal(s->unit[0].isolate, 0);
    assert_true(s->deadline == 2.5);
    assert_null(s->host);
    tt_scenario_free(s);
    s = gives(BALL "\"isolate\":[\"{b}.x\"]}");
    assert_int_equal(s->isolate, 0);
    assert_int_equal(s->unit[0].isolate, 1);
    assert_true(isnan(s->deadline));
    tt_scenario_free(s);
    s = gives(BALL "\"hosts\":{\"{b}\":\"lab2:7117\"}}");
    assert_string_equal(s->host[0], "lab2:7117");
    tt_scenario_free(s);
    fails(
        BALL "\"isolate\":3}",
        "a.json:2:11: 'isolate' must be true, false or an array of instances, "
        "not an integer");
    fails(BALL "\"isolate\":[\"{b}.y\"]}",
          "a.json:2:12: there is no instance '{b}.y'; did you mean "
          "'{b}.x'?");
    fails(BALL "\"deadline\":0}",
          "a.json:2:12: 'deadline' must be greater than 0, not 0");
    fails(BALL "\"hosts\":{\"{c}\":\"lab2:7117\"}}",
          "a.json:2:10: there is no FMU '{c}'; did you mean '{b}'?");
    fails(BALL "\"hosts\":{\"{b}\":7117}}",
          "a.json:2:16: '{b}' must be a string, not an integer");
    o.deadline = -1;
    fails_with(BALL "\"visible\":false}", &o, TT_EINPUT,
               "command line: --deadline must be greater than 0 and finite, "
               "not -1");
}

static void threads_are_read_and_checked(void **state)
{
    tt_scenario *s = gives(BALL "\"threads\":3}");
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;

    (void)state;
    assert_int_equal(s->threads, 3);
    tt_scenario_free(s);
    s = gives(BALL "\"threads\":\"auto\"}");
    assert_int_equal(s->threads, TT_SC_THREADS_AUTO);
    tt_scenario_free(s);
    s = gives(BALL "\"threads\":null}");
    assert_int_equal(s->threads, 0);
    tt_scenario_free(s);
    fails(BALL "\"threads\":0}",
          "a.json:2:11: 'threads' must be \"auto\" or a number of threads "
          "from 1 to 64, not 0");
    fails(BALL "\"threads\":\"all\"}",
          "a.json:2:11: 'threads' must be \"auto\" or a number of threads "
          "from 1 to 64, not 'all'");
    o.threads = "65";
    fails_with(BALL "\"threads\":3}", &o, TT_EINPUT,
               "command line: --threads must be \"auto\" or a number of "
               "threads from 1 to 64, not 65");
}

static void what_cannot_be_done_is_refused(void **state)
{
    (void)state;
    refused(BALL "\"hasExternalSignals\":true}",
            "a.json:2:22: 'hasExternalSignals': some of its signals come from "
            "outside; run the scenario it is a part of");
    refused(BALL "\"modelTransfers\":{\"a\":\"a\"}}",
            "a.json:2:1: 'modelTransfers' is not supported: no instance is "
            "taken over from a run that is under way");
    fails(BALL "\"modelSwaps\":{\"x\":{}}}",
          "a.json:2:19: 'x' lacks 'swapInstance'");
    fails(BALL "\"faultInjectInstances\":{\"x\":\"id\"}}",
          "a.json:2:1: 'faultInjectInstances' needs "
          "'faultInjectConfigurationPath'");
}

/* Coupling */

static void coupling_is_read(void **state)
{
    tt_scenario *s = gives(
        PAIR "\"master\":\"gauss-seidel\",\"order\":[\"c1\",\"{p}.p1\"],"
             "\"approximation\":{\"default\":\"linear\",\"{p}.p1.u\":\"hold\"},"
             "\"record\":[\"*.y\",\"all\"],\"sampleInterval\":0.5,"
             "\"tolerance\":1e-6,\"csv\":{\"dialect\":\"maestro1\"},"
             "\"evaluates\":{\"{c}.c1\":\"always\",\"p1\":\"never\"},"
             "\"reactivity\":{\"{p}.p1.u\":\"reactive\"},"
             "\"sigver\":{\"reactivity\":{\"{p}.p1.u\":\"Delayed\","
             "\"{c}.c1.y\":\"Reactive\"},\"verification\":true}}");

    (void)state;
    assert_int_equal(s->master, TT_MASTER_GAUSS_SEIDEL);
    assert_int_equal(s->n_order, 2);
    assert_int_equal(s->order[0], 1);
    assert_int_equal(s->order[1], 0);
    assert_int_equal(s->approx, TT_APPROX_LINEAR);
    assert_int_equal(s->n_input_approx, 1);
    assert_int_equal(s->input_approx[0].approx, TT_APPROX_HOLD);
    assert_string_equal(s->input_approx[0].ref.variable, "u");
    assert_int_equal(s->n_record, 2);
    assert_string_equal(s->record[0], "*.y");
    assert_true(s->sample == 0.5 && s->tolerance == 1e-6);
    assert_true(s->m1_dialect);
    assert_int_equal(s->unit[0].evaluates, TT_EVAL_NEVER);
    assert_int_equal(s->unit[1].evaluates, TT_EVAL_ALWAYS);
    assert_int_equal(s->n_input_reactivity, 3);
    assert_int_equal(s->input_reactivity[0].reactivity, TT_REACT_DELAYED);
    assert_int_equal(s->input_reactivity[1].reactivity, TT_REACT_REACTIVE);
    assert_int_equal(s->input_reactivity[2].reactivity, TT_REACT_REACTIVE);
    tt_scenario_free(s);

    s = gives(PAIR "\"approximation\":\"hermite\",\"record\":\"*\","
                   "\"substeps\":{\"default\":4,\"p1\":0}}");
    assert_int_equal(s->approx, TT_APPROX_HERMITE);
    assert_int_equal(s->substeps, 4);
    assert_int_equal(s->unit[0].substeps, 0);
    assert_int_equal(s->unit[1].substeps, -1);
    assert_string_equal(s->record[0], "*");
    tt_scenario_free(s);
}

#define LOCATE(text) PAIR "\"events\":{\"locate\":[" text "]}}"

static void crossings_are_instances(void **state)
{
    tt_scenario *s = gives(
        LOCATE("{\"when\":\"{p}.p1.y - 2*{c}.c1.u\",\"direction\":\"up\"},"
               "{\"name\":\"late\",\"when\":\"{p}.p1.y > t\",\"tolerance\":"
               "0.5,\"emit\":[\"{c}.c1.k\",\"{p}.p1.k\"]}"));

    (void)state;
    assert_int_equal(s->n_locate, 2);
    assert_string_equal(s->unit[s->locate[0].unit].name, "{crossing1}.locate");
    assert_string_equal(s->fmu[s->unit[s->locate[0].unit].fmu].path,
                        "tutti:locate up: {p}.p1.y - 2*{c}.c1.u");
    assert_true(s->locate[0].up && !s->locate[0].down);
    assert_true(s->locate[0].tolerance == 1e-9);
    assert_string_equal(s->unit[s->locate[1].unit].name, "{late}.locate");
    assert_true(s->locate[1].up && s->locate[1].down);
    assert_true(s->locate[1].tolerance == 0.5);
    /* two of the pair, two and one of variables, two of the clock */
    assert_int_equal(s->n_connection, 7);
    assert_string_equal(s->connection[2].from.variable, "y");
    assert_string_equal(s->connection[2].to.variable, "x1");
    assert_string_equal(s->connection[3].from.variable, "u");
    assert_string_equal(s->connection[3].to.variable, "x2");
    assert_string_equal(s->connection[6].from.variable, "crossed");
    assert_string_equal(s->connection[6].to.variable, "k");
    tt_scenario_free(s);
}

static void the_start_may_be_iterated(void **state)
{
    tt_scenario *s = gives(PAIR "\"start\":\"iterate\"}");

    (void)state;
    assert_true(s->iteration.converged && s->iteration.at_start);
    tt_scenario_free(s);
    s = gives(PAIR "\"iterate\":3,\"start\":\"iterate\"}");
    assert_true(!s->iteration.at_start && s->iteration.turns == 3);
    tt_scenario_free(s);
    s = gives(PAIR "\"start\":\"hold\"}");
    assert_true(!s->iteration.converged && !s->iteration.at_start);
    tt_scenario_free(s);
    fails(PAIR "\"start\":\"iterated\"}",
          "a.json:3:9: 'start' must be 'hold' or 'iterate', not 'iterated'; "
          "did you mean 'iterate'?");
}

static void wrong_crossings_are_refused_where_they_stand(void **state)
{
    (void)state;
    fails(PAIR "\"events\":{\"locate\":{}}}",
          "a.json:3:20: 'locate' must be an array of crossings, not an object");
    fails(LOCATE("3"),
          "a.json:3:21: each element of 'locate' must be an object, not an "
          "integer");
    fails(LOCATE("{}"), "a.json:3:21: a crossing lacks 'when'");
    fails(LOCATE("{\"when\":\"{p}.p1.y +\"}"),
          "a.json:3:40: 'when': expected a value, found the end");
    fails(LOCATE("{\"when\":\"sine({p}.p1.y)\"}"),
          "a.json:3:30: 'when': there is no function 'sine'; did you mean "
          "'sin'?");
    fails(LOCATE("{\"when\":\"2*x + 1\"}"),
          "a.json:3:32: 'when': there is no variable 'x'");
    fails(LOCATE("{\"when\":\"1 + h*{p}.p1.y\"}"),
          "a.json:3:34: 'when': 'h' stands for the step, which has no value "
          "here; a variable of that name is 'h' in quotes");
    fails(LOCATE("{\"when\":\"{p}.p1.y - held\"}"),
          "a.json:3:41: 'when': there is no variable 'held'");
    /* escapes count as what they stand for */
    fails(LOCATE("{\"when\":\"{p}.p1.y == \\\"a\\\" and\"}"),
          "a.json:3:51: 'when': expected a value, found the end");
    fails(LOCATE("{\"when\":\"\\u00e4 + {p}.p1.y and 1\"}"),
          "a.json:3:30: 'when': there is no variable '\xc3\xa4'");
    fails(LOCATE("{\"when\":\"{p}.p1.y\",\"emit\":{\"{c}.c1.u\":\"sin()\"}}"),
          "a.json:3:64: '{c}.c1.u': expected a value, found ')'");
    fails(LOCATE("{\"when\":\"{p}.p1.y\",\"emit\":{\"{c}.c1.u\":[]}}"),
          "a.json:3:59: '{c}.c1.u' must be an expression, not an array");
    fails(LOCATE("{\"when\":\"t - 1\"}"),
          "a.json:3:29: 'when' names no variable");
    fails(LOCATE("{\"when\":\"1 + {q}.p1.y\"}"),
          "a.json:3:34: there is no FMU '{q}', named by '{q}.p1.y'; did you "
          "mean '{p}'?");
    fails(LOCATE("{\"when\":\"{p}.p1.y\",\"direction\":\"upp\"}"),
          "a.json:3:52: 'direction' must be 'both', 'up' or 'down', not 'upp'; "
          "did you mean 'up'?");
    fails(LOCATE("{\"when\":\"{p}.p1.y\",\"tolerance\":0}"),
          "a.json:3:52: 'tolerance' must be greater than 0, not 0");
    fails(LOCATE("{\"when\":\"{p}.p1.y\",\"name\":\"p\"}"),
          "a.json:3:47: a crossing is called as the FMU '{p}': give it another "
          "'name'");
    fails(LOCATE("{\"when\":\"{p}.p1.y\",\"wen\":1}"),
          "a.json:3:40: unknown field 'wen'; did you mean 'when'?");
    fails(LOCATE("{\"when\":\"{p}.p1.y\",\"emit\":3}"),
          "a.json:3:47: 'emit' must be an array of strings, not an integer");
    fails(PAIR "\"events\":{\"zeno\":\"halt\"}}",
          "a.json:3:18: 'zeno' must be 'continue', 'stop' or 'regularise', "
          "not 'halt'");
    refused(PAIR "\"dialect\":\"maestro2\",\"events\":{\"locate\":[]}}",
            "a.json:3:41: crossings cannot be located where steps are "
            "Maestro's ('dialect')");
}

static void wrong_coupling_is_refused(void **state)
{
    (void)state;
    fails(PAIR "\"master\":\"gauss-seidle\"}",
          "a.json:3:10: 'master' must be 'jacobi' or 'gauss-seidel', not "
          "'gauss-seidle'; did you mean 'gauss-seidel'?");
    fails(PAIR "\"order\":[\"p1\",\"c2\"]}",
          "a.json:3:15: there is no instance 'c2'; did you mean 'c1'?");
    fails(PAIR "\"order\":[\"p1\",\"{p}.p1\"]}",
          "a.json:3:15: the order names '{p}.p1' twice");
    fails(PAIR "\"order\":[\"p1\"]}",
          "a.json:3:9: the order does not name '{c}.c1'; it must name every "
          "instance once");
    fails("{\"fmus\":{\"{b}\":\"b.fmu\",\"{c}\":\"c.fmu\"},\"instances\":"
          "{\"{b}\":[\"x\"],\"{c}\":[\"x\"]},\n\"order\":[\"x\",\"{c}.x\"]}",
          "a.json:2:10: several FMUs have an instance 'x'; write "
          "'{key}.instance', for example '{b}.x'");
    fails(PAIR "\"approximation\":\"lineal\"}",
          "a.json:3:17: an approximation must be 'hold', 'linear', "
          "'quadratic', 'cubic', 'hermite', 'extrapolated-interpolation', "
          "'linear-extrapolated-interpolation', 'waveform' or 'model', not "
          "'lineal'; did you mean "
          "'linear'?");
    fails(PAIR "\"approximation\":{\"default\":\"hermit\"}}",
          "a.json:3:28: an approximation must be 'hold', 'linear', "
          "'quadratic', 'cubic', 'hermite', 'extrapolated-interpolation', "
          "'linear-extrapolated-interpolation', 'waveform' or 'model', not "
          "'hermit'; did you mean "
          "'hermite'?");
    fails(PAIR "\"substeps\":-1}",
          "a.json:3:12: 'substeps' must be a whole number from 0 to 10000, not "
          "-1");
    fails(PAIR "\"substeps\":\"many\"}",
          "a.json:3:12: 'substeps' must be a number, not a string");
    fails(PAIR "\"substeps\":{\"default\":1.5}}",
          "a.json:3:23: 'substeps' must be a whole number from 0 to 10000, not "
          "1.5");
    fails(PAIR "\"substeps\":{\"p1\":10001}}",
          "a.json:3:18: 'substeps' of an instance must be a whole number from "
          "0 to 10000, not 10001");
    fails(PAIR "\"substeps\":{\"p2\":1}}",
          "a.json:3:13: there is no instance 'p2'; did you mean 'p1'?");
    fails(PAIR "\"approximation\":{\"{p}.p2.u\":\"hold\"}}",
          "a.json:3:18: there is no instance '{p}.p2', named by '{p}.p2.u'; "
          "did you mean '{p}.p1'?");
    fails(PAIR "\"evaluates\":{\"{p}.p1\":\"sometimes\"}}",
          "a.json:3:23: 'evaluates' of an instance must be 'never', 'event' "
          "or 'always', not 'sometimes'");
    fails(PAIR "\"reactivity\":{\"{p}.p1.u\":\"reactiv\"}}",
          "a.json:3:26: a reactivity must be 'either', 'reactive' or "
          "'delayed', not 'reactiv'; did you mean 'reactive'?");
    fails(PAIR "\"csv\":{\"dialect\":\"maestro3\"}}",
          "a.json:3:18: 'dialect' must be 'maestro2' or 'maestro1', not "
          "'maestro3'; did you mean 'maestro2'?");
    fails(PAIR "\"overrideLogLevel\":\"WARNING\"}",
          "a.json:3:20: 'overrideLogLevel' must be 'OFF', 'FATAL', 'ERROR', "
          "'WARN', 'INFO', 'DEBUG', 'TRACE', 'ALL' or 'Not set', not "
          "'WARNING'");
}

static void plain_facts_can_be_stated_later(void **state)
{
    tt_scenario *s = gives(PAIR "\"endTime\":3}");
    tt_err err;

    (void)state;
    assert_int_equal(tt_scenario_fail(s, s->connection[0].to.where, &err,
                                      TT_EINPUT, "no variable '%s'", "y"),
                     TT_EINPUT);
    assert_string_equal(err.msg, "a.json:2:28: no variable 'y'");
    tt_scenario_free(s);
}

static void interfaces_and_integrators_are_read(void **state)
{
    tt_scenario *s =
        gives("{\"fmus\":{\"{b}\":\"b.fmu\"},\"instances\":{\"{b}\":[\"x\","
              "\"y\"]},\"interface\":{\"{b}.y\":\"me\"},"
              "\"integrator\":{\"{b}.y\":{\"method\":\"rk4\",\"step\":0.5}},"
              "\"connections\":{},\"endTime\":1}");

    (void)state;
    assert_int_equal(s->n_fmu, 2); /* opened once for each interface */
    assert_int_equal(s->fmu[s->unit[0].fmu].interface, TT_INTERFACE_ANY);
    assert_int_equal(s->fmu[s->unit[1].fmu].interface,
                     TT_INTERFACE_MODEL_EXCHANGE);
    assert_int_equal(s->unit[1].integrator.method, TT_ODE_RK4);
    assert_true(s->unit[1].integrator.step == 0.5);
    tt_scenario_free(s);
}

static void unknown_interfaces_and_integrators_are_refused(void **state)
{
    (void)state;
    fails(BALL "\"interface\":\"mee\"}",
          "a.json:2:13: 'interface' must be 'cs', 'me' or 'se', not 'mee'; did "
          "you mean 'me'?");
    fails(BALL "\"interface\":{\"{b}.z\":\"me\"}}",
          "a.json:2:14: there is no instance '{b}.z'; did you mean '{b}.x'?");
    fails(BALL "\"interface\":3}", "a.json:2:13: 'interface' must be a string "
                                   "or an object of instances, not an integer");
    fails(BALL "\"integrator\":\"stif\"}",
          "a.json:2:14: 'integrator' must be 'auto', 'explicit', 'stiff', "
          "'euler', 'rk4', 'cvode' or 'arkode', not 'stif'; did you mean "
          "'stiff'?");
    if (!tt_ode_method_there(TT_ODE_CVODE))
        fails(
            BALL "\"integrator\":\"cvode\"}",
            "a.json:2:14: 'integrator': 'cvode' needs SUNDIALS, and Tutti was "
            "built without it");
    fails(BALL "\"integrator\":{\"step\":-1}}",
          "a.json:2:22: 'step' must be greater than 0, not -1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(interfaces_and_integrators_are_read),
        cmocka_unit_test(unknown_interfaces_and_integrators_are_refused),
        cmocka_unit_test(a_maestro_scenario_is_read_whole),
        cmocka_unit_test(parameters_keep_their_kind),
        cmocka_unit_test(undeclared_is_undeclared),
        cmocka_unit_test(a_key_in_braces_may_contain_dots),
        cmocka_unit_test(instances_come_from_mentions),
        cmocka_unit_test(what_nothing_uses_is_warned_of),
        cmocka_unit_test(real_time_is_read),
        cmocka_unit_test(clocks_are_given_exact_times),
        cmocka_unit_test(bad_clocks_are_refused),
        cmocka_unit_test(bad_real_time_is_refused),
        cmocka_unit_test(unknown_fields_are_warned_of),
        cmocka_unit_test(fields_that_are_nearly_known_are_refused),
        cmocka_unit_test(a_stream_of_what_is_gone_is_warned_of),
        cmocka_unit_test(an_order_need_not_name_tables),
        cmocka_unit_test(warnings_of_one_kind_are_limited),
        cmocka_unit_test(wrong_names_are_refused),
        cmocka_unit_test(an_input_is_connected_once),
        cmocka_unit_test(wrong_types_are_refused),
        cmocka_unit_test(wrong_numbers_are_refused),
        cmocka_unit_test(constraints_of_fixed_steps_are_warned_of),
        cmocka_unit_test(an_end_of_null_is_open),
        cmocka_unit_test(variable_steps_are_read_and_judged),
        cmocka_unit_test(maestros_stabilisation_is_an_iteration),
        cmocka_unit_test(iteration_is_read_and_checked),
        cmocka_unit_test(places_of_units_are_read_and_checked),
        cmocka_unit_test(threads_are_read_and_checked),
        cmocka_unit_test(what_cannot_be_done_is_refused),
        cmocka_unit_test(coupling_is_read),
        cmocka_unit_test(the_start_may_be_iterated),
        cmocka_unit_test(crossings_are_instances),
        cmocka_unit_test(wrong_crossings_are_refused_where_they_stand),
        cmocka_unit_test(wrong_coupling_is_refused),
        cmocka_unit_test(plain_facts_can_be_stated_later),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
