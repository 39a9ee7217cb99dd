/* SPDX-License-Identifier: MIT */
/* Every kind keeps the unit contract. */
#include "kinds/test_help.h"

#include "sys/file.h"
#include "unit/contract.h"

#define EXAMPLES TT_BUILD_DIR "/examples/"

struct subject {
    tt_unit_type *type;
    int event_mode, want_course;
};

static enum tt_code make(const void *ctx, const char *name, tt_unit **out,
                         tt_err *err)
{
    const struct subject *s = ctx;
    const struct tt_make m = {.name = name,
                              .instance = "same", /* random numbers follow it */
                              .logging = 1,
                              .event_mode = s->event_mode,
                              .early_return = 1,
                              .want_course = s->want_course};

    return s->type->kind->make(out, s->type, &m, err);
}

/* misbehave, asked to fail at the second step of the suite. */
static enum tt_code make_failing(const void *ctx, const char *name,
                                 tt_unit **out, tt_err *err)
{
    enum tt_code rc = make(ctx, name, out, err);
    uint32_t what, when;
    int32_t fail = 1;
    double at = 0.2;

    if (rc != TT_OK)
        return rc;
    what = port_of(*out, "what");
    when = port_of(*out, "when");
    rc = tt_unit_set(*out, &(struct tt_span){&what, 1, &fail}, err);
    if (rc == TT_OK)
        rc = tt_unit_set(*out, &(struct tt_span){&when, 1, &at}, err);
    return rc;
}

/* The kit differentiates doubles only, and alltypes has a float. */
static void violated(void *ctx, const char *rule, const char *sentence,
                     const char *detail)
{
    int *count = ctx;

    if (strcmp(rule, "jvp") == 0 && strstr(detail, "'f32_"))
        return;
    print_error("%s (%s): %s\n", rule, sentence, detail);
    ++*count;
}

static void check_as(const char *path, enum tt_interface interface,
                     int event_mode, int want_course, int failing)
{
    /* The suite would choose misdeeds and micro-step counts at random, and
     * sets bound inputs to 0, which is no item of an enumeration. */
    static const char *const alone[] = {
        "what", "when", "amount", "microsteps", "mode_in", "distribution"};
    int count = 0;
    struct subject ctx = {.type = open_as(path, interface),
                          .event_mode = event_mode,
                          .want_course = want_course};
    const struct tt_contract_subject s = {.make = make,
                                          .make_failing =
                                              failing ? make_failing : NULL,
                                          .ctx = &ctx,
                                          .leave_alone = alone,
                                          .n_leave_alone = 6,
                                          .violated_cb = violated,
                                          .violated_ctx = &count};

    (void)tt_unit_contract_run(&s);
    assert_int_equal(count, 0);
    close_type(ctx.type);
}

static void check(const char *path, int event_mode, int want_course,
                  int failing)
{
    check_as(path, TT_INTERFACE_ANY, event_mode, want_course, failing);
}

static void fmi1_units_keep_the_contract(void **state)
{
    (void)state;
    check(MSD "msd1-fmi1.fmu", 0, 1, 0);
    check(MSD "msd2-fmi1.fmu", 0, 1, 0);
    check(UNITS "alltypes-fmi1.fmu", 0, 1, 0);
    check(UNITS "misbehave-fmi1.fmu", 0, 1, 1);
}

static void model_exchange_units_keep_the_contract(void **state)
{
    static const char *const path[] = {
        EXAMPLES "pendulum/mass.fmu",
        EXAMPLES "pendulum/mass-fmi1.fmu",
        EXAMPLES "pendulum/mass-fmi3.fmu",
        EXAMPLES "bouncing-ball/bouncing_ball.fmu",
        EXAMPLES "bouncing-ball/bouncing_ball-fmi3.fmu",
        EXAMPLES "bouncing-ball/bouncing_ball-fmi1.fmu",
        UNITS "slider.fmu",
        UNITS "slider-fmi1.fmu"};

    (void)state;
    for (size_t i = 0; i < sizeof(path) / sizeof(path[0]); i++)
        for (int events = 0; events < 2; events++)
            check_as(path[i], TT_INTERFACE_MODEL_EXCHANGE, events, 1, 0);
}

static void fmi2_units_keep_the_contract(void **state)
{
    (void)state;
    check(MSD "msd1.fmu", 0, 1, 0);
    check(MSD "msd2.fmu", 0, 1, 0);
    check(UNITS "alltypes.fmu", 0, 1, 0);
    check(UNITS "misbehave.fmu", 0, 1, 1);
}

static void fmi3_units_keep_the_contract(void **state)
{
    (void)state;
    check(MSD "msd1-fmi3.fmu", 0, 1, 0);
    check(MSD "msd2-fmi3.fmu", 1, 1, 0);
    check(UNITS "alltypes-fmi3.fmu", 0, 1, 0);
    check(UNITS "misbehave-fmi3.fmu", 0, 1, 1);
    check(UNITS "alarm-fmi3.fmu", 1, 1, 0);
}

static void scheduled_units_keep_the_contract(void **state)
{
    (void)state;
    check(UNITS "partitions-fmi3.fmu", 1, 0, 0);
}

static void signals_keep_the_contract(void **state)
{
    static const char text[] = "time,a,b,c\n"
                               "0,1,0,true\n"
                               "0.1,2,0,true\n"
                               "0.1,5,1,false\n"
                               "0.4,6,1,true\n";
    const char *path = TT_BUILD_DIR "/kinds_contract_test.csv";

    (void)state;
    assert_ok(tt_file_write(path, text, sizeof(text) - 1, err));
    check(path, 0, 0, 0);
    (void)remove(path);
}

static void couplings_keep_the_contract(void **state)
{
    (void)state;
    check("tutti:coupling", 0, 0, 0);
    check("tutti:coupling: x^2*sin(y) + exp(z/10)*t = L", 0, 0, 0);
    check("tutti:coupling: der(x)*sin(phi) = der(y)*cos(phi)", 0, 0, 0);
}

static void locators_keep_the_contract(void **state)
{
    (void)state;
    for (int events = 0; events < 2; events++) {
        check("tutti:locate: {a}.b.x - 21", events, 0, 0);
        check("tutti:locate: x > 2 and y < t", events, 0, 0);
        check("tutti:locate up leaps: on and pre(x) < 2 => x + held => \"a\"",
              events, 0, 0);
    }
}

static void blocks_keep_the_contract(void **state)
{
    (void)state;
    check("tutti:quantize", 0, 0, 0);
    check("tutti:dead-time", 0, 0, 0);
    check("tutti:formula: 2*a - b + t", 0, 0, 0);
    for (int events = 0; events < 2; events++)
        check("tutti:sample", events, 0, 0);
}

static void discrete_events_keep_the_contract(void **state)
{
    static const char text[] =
        "{\"variables\": {\"n\": 0, \"on\": false, \"word\": \"a\"},"
        "\"parameters\": {\"T\": 0.1},"
        "\"inputs\": {\"u\": \"number\", \"v\": [\"x\", \"y\"]},"
        "\"outputs\": {\"y\": \"number\", \"z\": \"text\"},"
        "\"states\": {\"a\": {\"after\": \"T\","
        "\"output\": {\"y\": \"n\", \"z\": {\"is\": \"word\"}},"
        "\"then\": {\"next\": \"b\", \"set\": {\"n\": \"n + 1\"}},"
        "\"on\": {\"u\": \"b\", \"v\": {\"x\": \"b\"}}},"
        "\"b\": {\"on\": {\"u\": \"a\"}}}}";
    const char *path = TT_BUILD_DIR "/kinds_contract_test.devs.json";

    (void)state;
    assert_ok(tt_file_write(path, text, sizeof(text) - 1, err));
    check(path, 1, 0, 0);
    check(path, 0, 0, 0);
    (void)remove(path);
}

static void the_library_keeps_the_contract(void **state)
{
    static const char *const path[] = {
        "tutti:generator",  "tutti:queue: 5",
        "tutti:server",     "tutti:delay",
        "tutti:switch",     "tutti:counter",
        "tutti:scope",      "tutti:hold",
        "tutti:hold: text", "tutti:map: {\"a\": \"b\"}"};

    (void)state;
    for (size_t i = 0; i < sizeof(path) / sizeof(*path); i++)
        check(path[i], 1, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fmi1_units_keep_the_contract),
        cmocka_unit_test(fmi2_units_keep_the_contract),
        cmocka_unit_test(fmi3_units_keep_the_contract),
        cmocka_unit_test(model_exchange_units_keep_the_contract),
        cmocka_unit_test(scheduled_units_keep_the_contract),
        cmocka_unit_test(signals_keep_the_contract),
        cmocka_unit_test(couplings_keep_the_contract),
        cmocka_unit_test(locators_keep_the_contract),
        cmocka_unit_test(blocks_keep_the_contract),
        cmocka_unit_test(discrete_events_keep_the_contract),
        cmocka_unit_test(the_library_keeps_the_contract),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
