/* SPDX-License-Identifier: MIT */
/* The suite passes what is right, and every rule catches a unit that breaks
 * it. Wrong units are wrappers that forward all but one lie. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/mem.h"
#include "unit/test_fwd.h"
#include "unit/contract.h"
#include "unit/mock.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* --- subjects ---------------------------------------------------------- */

/* A mock, perhaps inside a wrapper with this table. */
struct recipe {
    const struct tt_mock_spec *spec;
    const struct tt_unit_ops *wrapper; /* NULL: the mock itself */
};

static enum tt_code wrap(tt_unit **out, const struct tt_unit_ops *ops,
                         tt_unit *inner, const char *name, tt_err *err)
{
    tt_unit *u;
    enum tt_code rc;

    if (!TT_NEW(u))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    rc =
        tt_unit_init(u, ops, inner->desc, &(struct tt_make){.name = name}, err);
    u->inner = inner;
    if (rc == TT_OK)
        *out = u;
    else
        tt_unit_free(u);
    return rc;
}

static enum tt_code make(const void *ctx, const char *name, tt_unit **out,
                         tt_err *err)
{
    const struct recipe *r = ctx;
    tt_unit *inner = NULL;
    enum tt_code rc =
        tt_mock_make(&inner, r->spec, r->wrapper ? "inside" : name, err);

    if (rc == TT_OK && r->wrapper)
        return wrap(out, r->wrapper, inner, name, err);
    *out = inner;
    return rc;
}

static enum tt_code make_failing(const void *ctx, const char *name,
                                 tt_unit **out, tt_err *err)
{
    static const struct tt_mock_cue cue[] = {{.at = TT_MOCK_STEP,
                                              .nth = 2,
                                              .act = TT_MOCK_ERROR,
                                              .text = "broke",
                                              .stays = 1}};
    static struct tt_mock_spec spec; /* outlives the unit */
    struct recipe r = *(const struct recipe *)ctx;

    spec = *r.spec;
    spec.cue = cue;
    spec.n_cue = 1;
    r.spec = &spec;
    return make(&r, name, out, err);
}

/* --- what is right ----------------------------------------------------- */

/* One input and one output of every type, scalars and arrays. */
#define ZOO_PORTS(t)                                                           \
    {.name = "in " #t,                                                         \
     .type = TT_##t,                                                           \
     .causality = TT_CAUS_INPUT,                                               \
     .start = 1},                                                              \
        {.name = "ins " #t,                                                    \
         .type = TT_##t,                                                       \
         .causality = TT_CAUS_INPUT,                                           \
         .n = 3},                                                              \
        {.name = "out " #t,                                                    \
         .type = TT_##t,                                                       \
         .causality = TT_CAUS_OUTPUT,                                          \
         .deps = "in " #t},                                                    \
    {                                                                          \
        .name = "p " #t, .type = TT_##t, .causality = TT_CAUS_PARAMETER,       \
        .start = 1, .start_text = "start"                                      \
    }

static const struct tt_mock_port zoo_port[] = {
    {.name = "n", .type = TT_U64, .causality = TT_CAUS_STRUCTURAL, .start = 3},
    {.name = "tick",
     .type = TT_CLOCK,
     .causality = TT_CAUS_INPUT,
     .ticks = {.interval = TT_INTERVAL_COUNTDOWN}},
    {.name = "internal"},
    ZOO_PORTS(F64),
    ZOO_PORTS(F32),
    ZOO_PORTS(I8),
    ZOO_PORTS(U8),
    ZOO_PORTS(I16),
    ZOO_PORTS(U16),
    ZOO_PORTS(I32),
    ZOO_PORTS(U32),
    ZOO_PORTS(I64),
    ZOO_PORTS(U64),
    ZOO_PORTS(BOOL),
    ZOO_PORTS(BOOL32),
    ZOO_PORTS(ENUM32),
    ZOO_PORTS(ENUM64),
    ZOO_PORTS(TEXT),
    ZOO_PORTS(BYTES),
};

/* Every output is its input, and `internal` counts time. */
static void zoo_outputs(const struct tt_mock_view *v)
{
    for (uint32_t i = 3; i < COUNT(zoo_port); i += 4)
        memcpy(v->value[i + 2], v->value[i], tt_type_size(zoo_port[i].type));
}

static void zoo_update(const struct tt_mock_view *v, double h)
{
    *tt_mock_f64(v, 2) += h;
}

static const struct tt_mock_spec zoo = {
    .model = "zoo",
    .port = zoo_port,
    .n_port = COUNT(zoo_port),
    .caps = {.evaluates = TT_EVAL_ALWAYS,
             .save = 1,
             .serialise = 1,
             .variable_step = 1,
             .course_order = 2,
             .event_mode = 1,
             .clocks = 1},
    .behaviour = {.outputs = zoo_outputs, .update = zoo_update},
};

static uint32_t run(const struct tt_mock_spec *spec,
                    const struct tt_unit_ops *wrapper)
{
    struct recipe r = {spec, wrapper};
    struct tt_contract_subject s = {
        .make = make, .make_failing = make_failing, .ctx = &r, .start = 0.5};

    return tt_unit_contract_run(&s);
}

static void run_plain_and_wrapped(const struct tt_mock_spec *spec)
{
    assert_int_equal(run(spec, NULL), 0);
    assert_int_equal(run(spec, &fwd_ops), 0);
}

static void the_ready_made_mocks_keep_the_contract(void **state)
{
    (void)state;
    run_plain_and_wrapped(&tt_mock_integrator);
    run_plain_and_wrapped(&tt_mock_gain);
    run_plain_and_wrapped(&tt_mock_counter);
    run_plain_and_wrapped(&tt_mock_recorder);
}

static void a_mock_with_every_type_keeps_the_contract(void **state)
{
    (void)state;
    run_plain_and_wrapped(&zoo);
}

static void a_mock_that_can_nothing_keeps_the_contract(void **state)
{
    struct tt_mock_spec spec = zoo;

    (void)state;
    spec.caps = (struct tt_caps){.evaluates = TT_EVAL_NEVER};
    spec.cannot_reset = 1;
    run_plain_and_wrapped(&spec);
}

static void a_mock_that_starts_in_event_mode_keeps_the_contract(void **state)
{
    struct tt_mock_spec spec = zoo;

    (void)state;
    spec.starts_in_event_mode = 1;
    spec.caps.evaluates = TT_EVAL_EVENT;
    run_plain_and_wrapped(&spec);
}

static void a_mock_without_ports_keeps_the_contract(void **state)
{
    struct tt_mock_spec spec = {.model = "nothing"};

    (void)state;
    run_plain_and_wrapped(&spec);
}

/* --- what is wrong ----------------------------------------------------- */

#define INNER fwd_ops

static enum tt_code lie_exit_init(tt_unit *u, tt_err *err)
{
    enum tt_code rc = INNER.exit_init(u, err);

    u->life = TT_LIFE_EVENT; /* without being able to */
    return rc;
}

static void bump(const struct tt_span *s, size_t i)
{
    ((double *)s->value)[i] += 1;
}

static enum tt_code lie_get_in_init(tt_unit *u, const struct tt_span *s,
                                    tt_err *err)
{
    enum tt_code rc = INNER.get(u, s, err);

    if (u->life == TT_LIFE_INIT)
        bump(s, 0);
    return rc;
}

static enum tt_code lie_set(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    (void)u;
    (void)s;
    (void)err;
    return TT_OK;
}

static enum tt_code lie_get_many(tt_unit *u, const struct tt_span *s,
                                 tt_err *err)
{
    enum tt_code rc = INNER.get(u, s, err);

    if (s->n > 1)
        bump(s, 1);
    return rc;
}

static enum tt_code lie_configure(tt_unit *u, tt_err *err)
{
    if (!err)
        return TT_EUNIT;
    return INNER.configure(u, err);
}

static enum tt_code lie_step_activity(tt_unit *u, const struct tt_step *s,
                                      struct tt_stepped *r, tt_err *err)
{
    if (u->activity)
        u->activity->unit[0] = 'X';
    return INNER.step(u, s, r, err);
}

static enum tt_code lie_step(tt_unit *u, const struct tt_step *s,
                             struct tt_stepped *r, tt_err *err)
{
    enum tt_code rc = INNER.step(u, s, r, err);

    r->reached = u->now + s->h / 2;
    return rc;
}

/* Every look changes what is seen. */
static enum tt_code lie_get_changes(tt_unit *u, const struct tt_span *s,
                                    tt_err *err)
{
    enum tt_code rc = INNER.get(u, s, err);

    u->max_lag += 1;
    ((double *)s->value)[0] += u->max_lag;
    return rc;
}

static enum tt_code lie_restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    (void)u;
    (void)reg;
    (void)err;
    return TT_OK;
}

static enum tt_code lie_save(tt_unit *u, uint32_t reg, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; rc == TT_OK && i < u->n_state; i++)
        rc = tt_unit_save(u->inner, i, err);
    (void)reg;
    return rc;
}

static enum tt_code lie_unpack(tt_unit *u, uint32_t reg,
                               const struct tt_bytes *b, tt_err *err)
{
    (void)b;
    return tt_unit_save(u->inner, reg, err);
}

static enum tt_call_result bound_lie(const struct tt_call *c,
                                     struct tt_now *now)
{
    (void)now;
    *(double *)c->val = 42;
    return TT_CALL_OK;
}

static enum tt_code lie_bind(tt_unit *u, enum tt_verb verb,
                             const struct tt_span *s, struct tt_call *c,
                             tt_err *err)
{
    static const struct tt_what lie = {
        .fn = bound_lie, .n = 1, .n_val = 1, .verb = TT_VERB_GET};

    if (verb != TT_VERB_GET)
        return INNER.bind(u, verb, s, c, err);
    c->what = &lie;
    return TT_OK;
}

static enum tt_call_result bound_step_lie(const struct tt_call *c,
                                          struct tt_now *now)
{
    tt_unit *u = c->unit;

    u->n_step++;
    u->now = now->t[c->to];
    return TT_CALL_OK;
}

static enum tt_code lie_bind_step(tt_unit *u, enum tt_verb verb,
                                  const struct tt_span *s, struct tt_call *c,
                                  tt_err *err)
{
    static const struct tt_what lie = {.fn = bound_step_lie,
                                       .verb = TT_VERB_STEP};

    if (verb != TT_VERB_STEP)
        return INNER.bind(u, verb, s, c, err);
    c->what = &lie;
    c->unit = u;
    return TT_OK;
}

static enum tt_code lie_get_allocates(tt_unit *u, const struct tt_span *s,
                                      tt_err *err)
{
    tt_free(tt_alloc(1));
    return INNER.get(u, s, err);
}

static double shared;

static enum tt_code lie_set_shared(tt_unit *u, const struct tt_span *s,
                                   tt_err *err)
{
    shared += *(double *)s->value;
    return INNER.set(u, s, err);
}

static enum tt_code lie_get_shared(tt_unit *u, const struct tt_span *s,
                                   tt_err *err)
{
    enum tt_code rc = INNER.get(u, s, err);

    ((double *)s->value)[0] += shared;
    return rc;
}

static enum tt_code lie_course(tt_unit *u, const struct tt_span *s,
                               const struct tt_poly *p, tt_err *err)
{
    struct tt_poly wrong = *p;

    wrong.c[0] += 1;
    wrong.n_next = 0;
    return INNER.course(u, s, &wrong, err);
}

static enum tt_code lie_rates(tt_unit *u, const struct tt_span *s,
                              uint32_t order, tt_err *err)
{
    (void)u;
    (void)order;
    (void)err;
    *(double *)s->value = (double)NAN;
    return TT_OK;
}

static enum tt_code lie_jvp(tt_unit *u, const struct tt_jvp *j, tt_err *err)
{
    enum tt_code rc = INNER.jvp(u, j, err);

    if (j->n_unknown > 0)
        j->dv_unknown[0] *= 1.001;
    return rc;
}

static enum tt_code lie_event_update(tt_unit *u, struct tt_event_result *r,
                                     tt_err *err)
{
    (void)u;
    (void)err;
    r->again = 1;
    return TT_OK;
}

static enum tt_code lie_event_enter(tt_unit *u, tt_err *err)
{
    return tt_unit_event_enter(u->inner, err);
}

static enum tt_code lie_event_leave(tt_unit *u, tt_err *err)
{
    return tt_unit_event_leave(u->inner, err);
}

static enum tt_code lie_intervals(tt_unit *u, struct tt_timing *t, uint32_t n,
                                  tt_err *err)
{
    (void)u;
    (void)err;
    for (uint32_t i = 0; i < n; i++)
        t[i].known = TT_KNOWN_CHANGED; /* to nothing */
    return TT_OK;
}

static enum tt_code lie_reset(tt_unit *u, tt_err *err)
{
    uint32_t port = TT_MOCK_INTEGRATOR_Y0;
    double v = 7;
    enum tt_code rc = tt_unit_reset(u->inner, err);

    if (rc == TT_OK)
        rc = tt_unit_set(u->inner, &(struct tt_span){&port, 1, &v}, err);
    return rc;
}

static enum tt_code lie_end(tt_unit *u, tt_err *err)
{
    (void)u;
    return tt_fail(err, TT_EUNIT, "never");
}

struct caught {
    uint32_t n;
    char rule[64], detail[256];
};

static void catch (void *ctx, const char *rule, const char *sentence,
                   const char *detail)
{
    struct caught *c = ctx;

    assert_true(strlen(sentence) > 10);
    if (c->n++ > 0)
        return;
    snprintf(c->rule, sizeof(c->rule), "%s", rule);
    snprintf(c->detail, sizeof(c->detail), "%s", detail);
}

/* Runs one rule on the mock inside a wrapper that makes this false claim. */
static void expect_caught(const char *rule, const struct tt_mock_spec *spec,
                          struct tt_unit_ops lie, const char *detail)
{
    struct tt_unit_ops ops = fwd_ops;
    struct recipe r = {spec, &ops};
    struct caught caught = {.n = 0};
    struct tt_contract_subject s = {.make = make,
                                    .ctx = &r,
                                    .only = rule,
                                    .violated_cb = catch,
                                    .violated_ctx = &caught};

#define TAKE(op)                                                               \
    if (lie.op)                                                                \
    ops.op = lie.op
    TAKE(exit_init);
    TAKE(end);
    TAKE(get);
    TAKE(set);
    TAKE(step);
    TAKE(configure);
    TAKE(bind);
    TAKE(course);
    TAKE(rates);
    TAKE(jvp);
    TAKE(save);
    TAKE(restore);
    TAKE(unpack);
    TAKE(reset);
    TAKE(event_enter);
    TAKE(event_update);
    TAKE(event_leave);
    TAKE(intervals);
#undef TAKE
    assert_true(tt_unit_contract_run(&s) > 0);
    assert_string_equal(caught.rule, rule);
    assert_string_equal(caught.detail, detail);
}

#define LIE(...) ((struct tt_unit_ops){__VA_ARGS__})

static void lies_about_life_are_caught(void **state)
{
    const struct tt_mock_spec *m = &tt_mock_integrator;

    (void)state;
    expect_caught("life_order", m, LIE(.exit_init = lie_exit_init),
                  "event_update failed: instance 'order' (mock): cannot handle "
                  "events");
    expect_caught("no_err", m, LIE(.configure = lie_configure),
                  "configure without err fails");
    expect_caught("activity", m, LIE(.step = lie_step_activity),
                  "after a step its activity is 'Xusy', 'step'");
    expect_caught("reset", m, LIE(.reset = lie_reset),
                  "a reset instance and a new one: 'y' differs");
    expect_caught("free_anywhere", m, LIE(.end = lie_end),
                  "end failed: instance 'ended' (mock): end at t=0: never");
}

static void lies_about_values_are_caught(void **state)
{
    const struct tt_mock_spec *m = &tt_mock_integrator;

    (void)state;
    expect_caught("starts", m, LIE(.get = lie_get_in_init),
                  "'u' does not start as declared");
    expect_caught("round_trip", m, LIE(.set = lie_set),
                  "'u' (Float64) does not keep what was set in "
                  "initialisation");
    expect_caught("batch", m, LIE(.get = lie_get_many),
                  "'u' differs when set with others");
    expect_caught("course", m, LIE(.course = lie_course),
                  "a constant course and a held value: 'u' differs");
    expect_caught("rates", m, LIE(.rates = lie_rates),
                  "derivative 1 of 'y' is not a number");
    expect_caught("jvp", &tt_mock_gain, LIE(.jvp = lie_jvp),
                  "d'y'/d'u' does not agree with differences");
    expect_caught("events", &zoo,
                  LIE(.event_enter = lie_event_enter,
                      .event_update = lie_event_update,
                      .event_leave = lie_event_leave),
                  "it asks for a hundredth event update");
    expect_caught("clocks", &zoo, LIE(.intervals = lie_intervals),
                  "intervals failed: instance 'clocks' (mock): intervals at "
                  "t=0: the interval of 'tick' is no time");
}

static void lies_about_time_are_caught(void **state)
{
    const struct tt_mock_spec *m = &tt_mock_integrator;

    (void)state;
    expect_caught("lands", m, LIE(.step = lie_step), "step 1 ends elsewhere");
    expect_caught("step_stay", m, LIE(.get = lie_get_changes),
                  "a step to where it stands: 'u' differs");
    expect_caught("step_back", m, LIE(.get = lie_get_changes),
                  "a refused step back: 'u' differs");
    expect_caught("restore", m, LIE(.restore = lie_restore),
                  "values after a restore: 'u' differs");
    expect_caught("registers", m, LIE(.save = lie_save),
                  "register 0: 'u' differs");
    expect_caught("pack", m, LIE(.unpack = lie_unpack),
                  "a step from a packed state: 'y' differs");
}

static void lies_of_bound_calls_and_between_instances_are_caught(void **state)
{
    const struct tt_mock_spec *m = &tt_mock_integrator;

    (void)state;
    expect_caught("bind", m, LIE(.bind = lie_bind),
                  "a bound get of 'y' gives another value");
    expect_caught("bind_stay", m, LIE(.bind = lie_bind_step),
                  "a bound step to where it is counts as one");
    expect_caught("no_heap", m, LIE(.get = lie_get_allocates),
                  "4 steps allocate 8 times");
    shared = 0;
    expect_caught("independent", m,
                  LIE(.get = lie_get_shared, .set = lie_set_shared),
                  "beside another instance: 'u' differs");
    expect_caught("repeatable", m,
                  LIE(.get = lie_get_shared, .set = lie_set_shared),
                  "a second instance: 'u' differs");
}

static void a_wrong_description_is_caught(void **state)
{
    static const struct tt_mock_port twice[] = {{.name = "u"}, {.name = "u"}};
    struct tt_mock_spec spec = {.model = "m", .port = twice, .n_port = 2};

    (void)state;
    expect_caught("description", &spec, LIE(0),
                  "port 1 'u' is not found by its name");
    spec.n_port = 1;
    spec.caps = (struct tt_caps){.serialise = 1};
    expect_caught("description", &spec, LIE(0),
                  "it packs states but cannot save them");
    spec.caps = (struct tt_caps){.max_step = 1};
    expect_caught("max_step", &spec, LIE(0),
                  "its largest step is not positive");
}

static void a_unit_that_should_fail_and_does_not_is_caught(void **state)
{
    struct recipe r = {&tt_mock_counter, NULL};
    struct caught caught = {.n = 0};
    struct tt_contract_subject s = {.make = make,
                                    .make_failing = make,
                                    .ctx = &r,
                                    .only = "failure",
                                    .violated_cb = catch,
                                    .violated_ctx = &caught};

    (void)state;
    assert_int_equal(tt_unit_contract_run(&s), 1);
    assert_string_equal(caught.detail, "the step that should fail did not");
}

static enum tt_code make_nothing(const void *ctx, const char *name,
                                 tt_unit **out, tt_err *err)
{
    (void)ctx;
    (void)out;
    return tt_fail(err, TT_EUNIT, "no '%s' today", name);
}

static void no_rule_passes_without_a_unit(void **state)
{
    static const char *const rule[] = {
#define X(name, sentence) #name,
        TT_CONTRACT_RULES(X)
#undef X
    };

    (void)state;
    for (size_t i = 0; i < COUNT(rule); i++) {
        struct caught caught = {.n = 0};
        struct tt_contract_subject s = {.make = make_nothing,
                                        .make_failing = make_nothing,
                                        .only = rule[i],
                                        .violated_cb = catch,
                                        .violated_ctx = &caught};

        assert_true(tt_unit_contract_run(&s) > 0);
        assert_string_equal(caught.rule, rule[i]);
        assert_non_null(strstr(caught.detail, "make failed: no '"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ready_made_mocks_keep_the_contract),
        cmocka_unit_test(a_mock_with_every_type_keeps_the_contract),
        cmocka_unit_test(a_mock_that_can_nothing_keeps_the_contract),
        cmocka_unit_test(a_mock_that_starts_in_event_mode_keeps_the_contract),
        cmocka_unit_test(a_mock_without_ports_keeps_the_contract),
        cmocka_unit_test(lies_about_life_are_caught),
        cmocka_unit_test(lies_about_values_are_caught),
        cmocka_unit_test(lies_about_time_are_caught),
        cmocka_unit_test(lies_of_bound_calls_and_between_instances_are_caught),
        cmocka_unit_test(a_wrong_description_is_caught),
        cmocka_unit_test(a_unit_that_should_fail_and_does_not_is_caught),
        cmocka_unit_test(no_rule_passes_without_a_unit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
