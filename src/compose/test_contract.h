/* SPDX-License-Identifier: MIT */
#ifndef TT_COMPOSE_TEST_CONTRACT_H
#define TT_COMPOSE_TEST_CONTRACT_H

/* For tests: a scenario, as a unit of whatever form, keeps the contract. */

#include "compose/test_compose.h"
#include "unit/contract.h"

struct subject {
    tt_unit_type *type;
    const char *failing; /* "{m}.b", asked to fail at the second step */
    double start;
    int event_mode;
};

static inline enum tt_code make(const void *ctx, const char *name,
                                tt_unit **out, tt_err *err)
{
    const struct subject *s = ctx;
    const struct tt_make m = {.name = name,
                              .instance = name,
                              .logging = 1,
                              .event_mode = s->event_mode,
                              .early_return = 1,
                              .want_course = 1};

    return s->type->kind->make(out, s->type, &m, err);
}

static inline enum tt_code make_failing(const void *ctx, const char *name,
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
static inline int leave_alone(const char *name)
{
    static const char *const end[] = {"what", "when", "amount", "microsteps",
                                      "mode_in"};
    const char *dot = strrchr(name, '.');

    for (size_t i = 0; i < sizeof(end) / sizeof(*end); i++)
        if (strcmp(dot ? dot + 1 : name, end[i]) == 0)
            return 1;
    return 0;
}

/* The kit differentiates doubles only, and alltypes has a float. */
static inline void violated(void *ctx, const char *rule, const char *sentence,
                            const char *detail)
{
    if (strcmp(rule, "jvp") == 0 && strstr(detail, "'f32_"))
        return;
    print_error("%s (%s): %s\n", rule, sentence, detail);
    ++*(int *)ctx;
}

/* Closes the type. */
static inline void keeps_contract(struct subject ctx)
{
    int count = 0;
    const char *alone[64];
    struct tt_contract_subject s = {
        .make = make,
        .make_failing = ctx.failing ? make_failing : NULL,
        .ctx = &ctx,
        .leave_alone = alone,
        .violated_cb = violated,
        .violated_ctx = &count,
        .start = ctx.start,
    };

    for (uint32_t i = 0; i < ctx.type->desc.n_port; i++)
        if (leave_alone(ctx.type->desc.port[i].name))
            alone[s.n_leave_alone++] = ctx.type->desc.port[i].name;
    (void)tt_unit_contract_run(&s);
    assert_int_equal(count, 0);
    ctx.type->kind->close(ctx.type);
}

#define MSD                                                                    \
    "\"fmus\": {\"{a}\": \"@double-mass-spring-damper/msd1.fmu\", "            \
    "\"{b}\": \"@double-mass-spring-damper/msd2.fmu\"}"
#define LOOP                                                                   \
    "\"connections\": {\"{a}.a.x1\": [\"{b}.b.x1\"], "                         \
    "\"{a}.a.v1\": [\"{b}.b.v1\"], \"{b}.b.F\": [\"{a}.a.F\"]}"
#define STEP(h) "\"algorithm\": {\"type\": \"fixed-step\", \"size\": " h "}"

/* Scenarios that keep it in every form. */
#define REPEATED                                                               \
    "{" MSD ", " LOOP ", " STEP("0.1") ", \"rollback\": true, "                \
                                       "\"iterate\": \"converged\", "          \
                                       "\"acceleration\": \"anderson\"}"
#define OPEN_ENDS                                                              \
    "{" MSD ", \"connections\": {\"{a}.a.x1\": [\"{b}.b.x1\"]}, "              \
    "\"ports\": {\"inputs\": {\"force\": \"{a}.a.F\", "                        \
    "\"speed\": [\"{b}.b.v1\"]}, \"outputs\": {\"back\": \"{b}.b.F\"}, "       \
    "\"parameters\": {\"mass\": \"{a}.a.m1\"}}, " STEP("0.05") "}"
#define ALL_TYPES                                                              \
    "{\"fmus\": {\"{t}\": \"#alltypes.fmu\"}, \"instances\": "                 \
    "{\"{t}\": [\"t\"]}}"
#define FAILING                                                                \
    "{\"fmus\": {\"{m}\": \"#misbehave.fmu\"}, \"connections\": "              \
    "{\"{m}.a.y\": [\"{m}.b.u\"]}}"

#endif
