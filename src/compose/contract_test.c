/* SPDX-License-Identifier: MIT */
/* Composites keep the unit contract. */
#include "compose/test_compose.h"
#include "unit/contract.h"

struct subject {
    tt_unit_type *type;
    const char *failing; /* "{m}.b", told to fail at the second step */
    double start;
};

static enum tt_code make(const void *ctx, const char *name, tt_unit **out,
                         tt_err *err)
{
    const struct subject *s = ctx;
    const struct tt_make m = {.name = name,
                              .instance = name,
                              .logging = 1,
                              .early_return = 1,
                              .want_course = 1};

    return s->type->kind->make(out, s->type, &m, err);
}

static enum tt_code make_failing(const void *ctx, const char *name,
                                 tt_unit **out, tt_err *err)
{
    const struct subject *s = ctx;
    char what[64], when[64];
    uint32_t port;
    int32_t fail = 1;
    double at = s->start + 0.2;
    enum tt_code rc = make(ctx, name, out, err);

    (void)snprintf(what, sizeof(what), "%s.what", s->failing);
    (void)snprintf(when, sizeof(when), "%s.when", s->failing);
    port = port_of(s->type, what);
    if (rc == TT_OK)
        rc = tt_unit_set(*out, &(struct tt_span){&port, 1, &fail}, err);
    port = port_of(s->type, when);
    if (rc == TT_OK)
        rc = tt_unit_set(*out, &(struct tt_span){&port, 1, &at}, err);
    return rc;
}

/* Misdeeds and the like are not to be chosen at random. */
static int leave_alone(const char *name)
{
    static const char *const end[] = {"what", "when", "amount", "microsteps",
                                      "mode_in"};
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; i < sizeof(end) / sizeof(*end); i++)
        if (strcmp(dot ? dot + 1 : name, end[i]) == 0)
            return 1;
    return 0;
}

static void violated(void *ctx, const char *rule, const char *sentence,
                     const char *detail)
{
    print_error("%s (%s): %s\n", rule, sentence, detail);
    ++*(int *)ctx;
}

static void check(const char *text, const char *failing)
{
    for (int start = 0; start <= 2; start += 2) { /* not the scenario's */
        int count = 0;
        const char *alone[64];
        struct subject ctx = {.type = open_text("contract.json", text),
                              .failing = failing,
                              .start = start};
        struct tt_contract_subject s = {
            .make = make,
            .make_failing = failing ? make_failing : NULL,
            .ctx = &ctx,
            .leave_alone = alone,
            .violated_cb = violated,
            .violated_ctx = &count,
            .start = start,
        };

        for (uint32_t i = 0; i < ctx.type->desc.n_port; i++)
            if (leave_alone(ctx.type->desc.port[i].name))
                alone[s.n_leave_alone++] = ctx.type->desc.port[i].name;
        (void)tt_unit_contract_run(&s);
        assert_int_equal(count, 0);
        ctx.type->kind->close(ctx.type);
    }
}

#define MSD                                                                    \
    "\"fmus\": {\"{a}\": \"@double-mass-spring-damper/msd1.fmu\", "            \
    "\"{b}\": \"@double-mass-spring-damper/msd2.fmu\"}"
#define LOOP                                                                   \
    "\"connections\": {\"{a}.a.x1\": [\"{b}.b.x1\"], "                         \
    "\"{a}.a.v1\": [\"{b}.b.v1\"], \"{b}.b.F\": [\"{a}.a.F\"]}"
#define STEP(h) "\"algorithm\": {\"type\": \"fixed-step\", \"size\": " h "}"

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
    check("{" MSD ", " LOOP ", " STEP("0.1") ", \"rollback\": true, "
                                             "\"iterate\": \"converged\", "
                                             "\"acceleration\": \"anderson\"}",
          NULL);
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
    check("{" MSD ", \"connections\": {\"{a}.a.x1\": [\"{b}.b.x1\"]}, "
          "\"ports\": {\"inputs\": {\"force\": \"{a}.a.F\", "
          "\"speed\": [\"{b}.b.v1\"]}, \"outputs\": {\"back\": \"{b}.b.F\"}, "
          "\"parameters\": {\"mass\": \"{a}.a.m1\"}}, " STEP("0.05") "}",
          NULL);
}

static void all_types(void **state)
{
    (void)state;
    check("{\"fmus\": {\"{t}\": \"#alltypes.fmu\"}, \"instances\": "
          "{\"{t}\": [\"t\"]}}",
          NULL);
    check("{\"fmus\": {\"{t}\": \"#alltypes-fmi3.fmu\"}, \"instances\": "
          "{\"{t}\": [\"t\"]}}",
          NULL);
}

static void a_unit_that_fails(void **state)
{
    (void)state;
    check("{\"fmus\": {\"{m}\": \"#misbehave.fmu\"}, \"connections\": "
          "{\"{m}.a.y\": [\"{m}.b.u\"]}}",
          "{m}.b");
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
    };

    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
