/* SPDX-License-Identifier: MIT */
/* Error control and power bonds, as scenarios state them. */
#include "scenario/test_scenario.h"

#include <math.h>

#define CONSTRAINT(members)                                                    \
    PAIR "\"algorithm\":{\"type\":\"var-step\",\"size\":[1,2],"                \
         "\"initsize\":1,\"constraints\":{\"e\":{\"type\":\"error\"," members  \
         "}}}}"
#define BOND(members) PAIR "\"powerBonds\":{\"l\":{" members "}}}"
#define A             "\"a\":{\"input\":\"{p}.p1.u\",\"output\":\"{p}.p1.y\"}"
#define B             "\"b\":{\"input\":\"{c}.c1.u\",\"output\":\"{c}.c1.y\"}"

static void methods_have_their_defaults(void **state)
{
    tt_scenario *s = gives(CONSTRAINT("\"method\":\"richardson\""));
    const struct tt_sc_constraint *c = s->constraint;

    (void)state;
    assert_int_equal(c->kind, TT_CONSTRAINT_ERROR);
    assert_int_equal(c->method, TT_ERROR_RICHARDSON);
    assert_true(c->abstol == 1e-3 && c->reltol == 1e-3 && c->unit_time == 1);
    assert_int_equal(c->n_port, 0);
    tt_scenario_free(s);
    s = gives(CONSTRAINT("\"method\":\"milne\",\"ports\":[\"{c}.c1.u\"],"
                         "\"abstol\":1,\"reltol\":0,\"safety\":0.8,"
                         "\"shrink\":0.5,\"grow\":2,\"perUnitTime\":null"));
    c = s->constraint;
    assert_int_equal(c->method, TT_ERROR_MILNE);
    assert_int_equal(c->n_port, 1);
    assert_true(c->abstol == 1 && c->reltol == 0 && c->unit_time == 0);
    assert_true(c->safety == 0.8 && c->shrink == 0.5 && c->grow == 2);
    tt_scenario_free(s);
}

static void limits_are_judged(void **state)
{
    (void)state;
    fails(CONSTRAINT("\"x\":1"), "a.json:3:77: 'e' lacks 'method'");
    fails(CONSTRAINT("\"method\":\"milnes\""),
          "a.json:3:102: 'method' of a constraint must be 'richardson', "
          "'orders', 'milne', 'energy', 'embedded' or 'own', not 'milnes'; "
          "did you mean "
          "'milne'?");
    fails(CONSTRAINT("\"method\":\"orders\",\"abstol\":-1"),
          "a.json:3:120: 'abstol' of 'e' must be 0 or more, not -1");
    fails(CONSTRAINT("\"method\":\"orders\",\"reltol\":-1"),
          "a.json:3:120: 'reltol' of 'e' must be 0 or more, not -1");
    fails(CONSTRAINT("\"method\":\"orders\",\"abstol\":0,\"reltol\":0"),
          "a.json:3:77: 'e' has no tolerance: 'abstol' or 'reltol' must be "
          "greater than 0");
    fails(CONSTRAINT("\"method\":\"orders\",\"safety\":2"),
          "a.json:3:120: 'safety' of 'e' must be from 0.01 to 1, not 2");
    fails(CONSTRAINT("\"method\":\"orders\",\"shrink\":0.9"),
          "a.json:3:120: 'shrink' of 'e' must be from 0.01 to 0.8, not 0.9");
    fails(CONSTRAINT("\"method\":\"orders\",\"grow\":0.5"),
          "a.json:3:118: 'grow' of 'e' must be 1 or more, not 0.5");
    fails(CONSTRAINT("\"method\":\"orders\",\"perUnitTime\":-1"),
          "a.json:3:125: 'perUnitTime' of 'e' must be 0 or more, not -1");
    fails(CONSTRAINT("\"method\":\"energy\",\"ports\":[\"{c}.c1.u\"]"),
          "a.json:3:119: 'e' looks at the power bonds, not at 'ports'");
}

static void bonds_are_read_and_judged(void **state)
{
    tt_scenario *s = gives(BOND(A "," B ",\"energy\":5,\"correction\":true"));

    (void)state;
    assert_int_equal(s->n_bond, 1);
    assert_string_equal(s->bond->name, "l");
    assert_string_equal(s->unit[s->bond->in[0].unit].name, "{p}.p1");
    assert_string_equal(s->bond->out[1].variable, "y");
    assert_true(s->bond->energy == 5 && s->bond->correct);
    tt_scenario_free(s);
    s = gives(BOND(A "," B));
    assert_true(s->bond->energy == 1 && !s->bond->correct);
    tt_scenario_free(s);
    fails(BOND(A), "a.json:3:19: 'l' lacks 'b'");
    fails(BOND(A ",\"b\":{\"input\":\"{c}.c1.u\"}"),
          "a.json:3:69: 'b' lacks 'output'");
    fails(BOND(A ",\"b\":{\"input\":\"{c}.c2.u\",\"output\":\"x\"}"),
          "a.json:3:78: there is no instance '{c}.c2', named by '{c}.c2.u'; "
          "did you mean '{c}.c1'?");
    fails(BOND(A "," B ",\"energy\":0"),
          "a.json:3:119: 'energy' of 'l' must be greater than 0, not 0");
    fails(BOND(A "," B ",\"correction\":1"),
          "a.json:3:123: 'correction' must be true or false, not an integer");
    fails(BOND(A "," B ",\"corection\":true"),
          "a.json:3:110: unknown field 'corection'; did you mean "
          "'correction'?");
}

static void the_command_line_turns_it_on(void **state)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    tt_scenario *s;

    (void)state;
    o.error_control = "richardson";
    o.step_tolerance = 1e-5;
    s = gives_with(PAIR "\"algorithm\":{\"type\":\"fixed-step\",\"size\":0.1}}",
                   &o, "");
    assert_int_equal(s->algorithm, TT_ALG_VARIABLE);
    assert_int_equal(s->n_constraint, 2);
    assert_int_equal(s->constraint[0].kind, TT_CONSTRAINT_ERROR);
    assert_int_equal(s->constraint[1].kind, TT_CONSTRAINT_MAX_STEP);
    assert_true(s->constraint[0].abstol == 1e-5 && s->step == 0.1);
    assert_true(isnan(s->step_init)); /* the plan's matter */
    tt_scenario_free(s);
    s = gives_with(CONSTRAINT("\"method\":\"milne\""), &o, "");
    assert_int_equal(s->n_constraint, 3);
    assert_true(s->step_min == 1 && s->step_max == 2);
    tt_scenario_free(s);
    o.error_control = "richards";
    fails_with(PAIR "\"endTime\":1}", &o, TT_EINPUT,
               "command line: --error-control must be 'richardson', 'orders', "
               "'milne', 'energy' or 'embedded', not 'richards'; did you mean "
               "'richardson'?");
    o.error_control = "milne";
    o.step_tolerance = 0;
    fails_with(PAIR "\"endTime\":1}", &o, TT_EINPUT,
               "command line: --step-tolerance must be greater than 0 and "
               "finite");
    o.error_control = NULL;
    o.step_tolerance = 1;
    fails_with(PAIR "\"endTime\":1}", &o, TT_EINPUT,
               "command line: --step-tolerance needs --error-control");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_have_their_defaults),
        cmocka_unit_test(limits_are_judged),
        cmocka_unit_test(bonds_are_read_and_judged),
        cmocka_unit_test(the_command_line_turns_it_on),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
