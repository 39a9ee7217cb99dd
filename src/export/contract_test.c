/* SPDX-License-Identifier: MIT */
/* Exported FMUs keep the unit contract, played as the FMUs they are. */
#include "compose/test_compose.h"
#include "export/export.h"
#include "kinds/kinds.h"
#include "unit/contract.h"

static enum tt_code export_to(const char *scenario, const char *fmu, int fmi,
                              tt_err *err)
{
    const struct tt_export x = {
        .scenario = scenario,
        .output = fmu,
        .engine = fmi == 3 ? TT_BUILD_DIR "/tutti-engine-fmi3.so"
                           : TT_BUILD_DIR "/tutti-engine-fmi2.so",
        .fmi = fmi};
    struct tt_exported made;

    return tt_export_write(&x, &made, err);
}

static tt_unit_type *export_text(const char *text, int fmi)
{
    char *scenario = put("it.json", text);
    char *fmu = tt_path_join(test_dir, "it.fmu");
    const struct tt_source s = {.path = fmu};
    const struct tt_kind_ops *kind = NULL;
    tt_unit_type *t = NULL;

    assert_ok(export_to(scenario, fmu, fmi, err));
    assert_ok(tt_kind_for(&kind, &s, err));
    assert_ok(kind->open(&t, &s, err));
    tt_free(scenario);
    tt_free(fmu);
    return t;
}

/* --- the contract --------------------------------------------------------- */

struct subject {
    tt_unit_type *type;
    const char *failing; /* "{m}.b", told to fail at the second step */
};

static enum tt_code make(const void *ctx, const char *name, tt_unit **out,
                         tt_err *err)
{
    const struct subject *s = ctx;
    const struct tt_make m = {
        .name = name, .instance = name, .early_return = 1, .want_course = 1};

    return s->type->kind->make(out, s->type, &m, err);
}

static void set_of(const struct subject *s, tt_unit *u, const char *variable,
                   void *value)
{
    char name[64];
    uint32_t port;

    (void)snprintf(name, sizeof(name), "%s.%s", s->failing, variable);
    port = port_of(s->type, name);
    assert_ok(tt_unit_set(u, &(struct tt_span){&port, 1, value}, err));
}

static enum tt_code make_failing(const void *ctx, const char *name,
                                 tt_unit **out, tt_err *err)
{
    const struct subject *s = ctx;
    int32_t fail = 1;
    double at = 0.2;
    enum tt_code rc = make(ctx, name, out, err);

    if (rc == TT_OK) {
        set_of(s, *out, "what", &fail);
        set_of(s, *out, "when", &at);
    }
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
    for (int fmi = 2; fmi <= 3; fmi++) {
        int count = 0;
        const char *alone[64];
        struct subject ctx = {export_text(text, fmi), failing};
        struct tt_contract_subject s = {
            .make = make,
            .make_failing = failing ? make_failing : NULL,
            .ctx = &ctx,
            .leave_alone = alone,
            .violated_cb = violated,
            .violated_ctx = &count,
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

static void repeated_and_rolled_back_inside(void **state)
{
    (void)state;
    check("{" MSD ", " LOOP ", " STEP("0.1") ", \"rollback\": true, "
                                             "\"iterate\": \"converged\", "
                                             "\"acceleration\": \"anderson\"}",
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
}

static void a_unit_that_fails(void **state)
{
    (void)state;
    check("{\"fmus\": {\"{m}\": \"#misbehave.fmu\"}, \"connections\": "
          "{\"{m}.a.y\": [\"{m}.b.u\"]}}",
          "{m}.b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_closed_loop),
        cmocka_unit_test(repeated_and_rolled_back_inside),
        cmocka_unit_test(open_ends_and_ports_of_its_own),
        cmocka_unit_test(all_types),
        cmocka_unit_test(a_unit_that_fails),
    };

    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
