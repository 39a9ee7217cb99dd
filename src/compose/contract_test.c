/* SPDX-License-Identifier: MIT */
/* Composites keep the unit contract. */
#include "compose/test_contract.h"

static void check(const char *text, const char *failing)
{
    for (int start = 0; start <= 2; start += 2) /* not the scenario's */
        keeps_contract(
            (struct subject){.type = open_text("contract.json", text),
                             .failing = failing,
                             .start = start});
}

static void a_closed_loop(void **state)
{
    (void)state;
    check("{" MSD ", " LOOP ", " STEP("0.1") "}", NULL);
}

static void steps_inside_that_do_not_divide_those_outside(void **state)
{
    (void)state;
    check("{" MSD ", " LOOP ", " STEP("0.03") ", \"approximation\": \"linear\""
                                              "}",
          NULL);
}

static void a_scenario_without_a_step(void **state)
{
    (void)state;
    check("{" MSD ", " LOOP ", \"master\": \"gauss-seidel\"}", NULL);
}

static void repeated_and_rolled_back_inside(void **state)
{
    (void)state;
    check(REPEATED, NULL);
}

#define VARIABLE(constraint)                                                   \
    "{" MSD ", " LOOP ", \"algorithm\": {\"type\": \"var-step\", "             \
    "\"size\": [1e-4, 0.1], \"initsize\": 0.01, \"constraints\": {\"c\": "     \
    "{" constraint "}, \"f\": {\"type\": \"fmumaxstepsize\"}}}}"

static void variable_steps_inside(void **state)
{
    (void)state;
    check(VARIABLE("\"type\": \"error\", \"method\": \"richardson\", "
                   "\"abstol\": 1e-3, \"reltol\": 1e-3"),
          NULL);
    check(VARIABLE("\"type\": \"error\", \"method\": \"milne\", "
                   "\"abstol\": 1e-3, \"reltol\": 1e-3"),
          NULL);
    check(VARIABLE("\"type\": \"boundeddifference\", \"ports\": "
                   "[\"{a}.a.x1\"], \"abstol\": 1e-3, \"reltol\": 1e-3"),
          NULL);
}

static void power_bonds_inside(void **state)
{
    (void)state;
    check("{" MSD ", " LOOP
          ", " STEP("0.05") ", \"powerBonds\": {\"p\": "
                            "{\"a\": {\"input\": \"{a}.a.F\", \"output\": "
                            "\"{a}.a.v1\"}, "
                            "\"b\": {\"input\": \"{b}.b.v1\", \"output\": "
                            "\"{b}.b.F\"}, "
                            "\"correction\": true}}}",
          NULL);
}

static void open_ends_and_ports_of_its_own(void **state)
{
    (void)state;
    check(OPEN_ENDS, NULL);
}

static void all_types(void **state)
{
    (void)state;
    check(ALL_TYPES, NULL);
    check("{\"fmus\": {\"{t}\": \"#alltypes-fmi3.fmu\"}, \"instances\": "
          "{\"{t}\": [\"t\"]}}",
          NULL);
}

static void a_unit_that_fails(void **state)
{
    (void)state;
    check(FAILING, "{m}.b");
    check("{\"fmus\": {\"{m}\": \"#misbehave-fmi3.fmu\"}, \"connections\": "
          "{\"{m}.a.y\": [\"{m}.b.u\"]}, " STEP("0.1") "}",
          "{m}.b");
}

static void a_composite_in_a_composite(void **state)
{
    char *inner = put("inner.json", "{" MSD ", \"connections\": {\"{a}.a.x1\": "
                                    "[\"{b}.b.x1\"]}, " STEP("0.05") "}");

    (void)state;
    check("{\"fmus\": {\"{sub}\": \"inner.json\"}, \"connections\": "
          "{\"{sub}.s.{a}.a.v1\": [\"{sub}.s.{b}.b.v1\"]}, " STEP("0.1") "}",
          NULL);
    tt_free(inner);
}

/* Events are its host's to handle, or stay inside. */
static void events_inside(void **state)
{
    (void)state;
    for (int event_mode = 0; event_mode < 2; event_mode++)
        keeps_contract((struct subject){
            .type = open_text("contract.json",
                              "{\"fmus\": {\"{b}\": "
                              "\"@bouncing-ball/bouncing_ball-fmi3.fmu\"}, "
                              "\"instances\": {\"{b}\": [\"a\", \"b\"]}}"),
            .event_mode = event_mode});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_loop),
        cmocka_unit_test(steps_inside_that_do_not_divide_those_outside),
        cmocka_unit_test(a_scenario_without_a_step),
        cmocka_unit_test(repeated_and_rolled_back_inside),
        cmocka_unit_test(variable_steps_inside),
        cmocka_unit_test(power_bonds_inside),
        cmocka_unit_test(open_ends_and_ports_of_its_own),
        cmocka_unit_test(all_types),
        cmocka_unit_test(a_unit_that_fails),
        cmocka_unit_test(a_composite_in_a_composite),
        cmocka_unit_test(events_inside),
    };

    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
