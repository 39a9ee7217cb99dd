/* SPDX-License-Identifier: MIT */
/* Parts on live mocks: values move right, outcomes and failures are reported.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "player/testing.h"
#include "score/testing.h"

struct act {
    struct tt_stand st;
    struct tt_buf tape;
    tt_score *score;
    struct tt_rig rig;
    tt_err err;
};

static void begin(struct act *a)
{
    *a = (struct act){.score = NULL};
    tt_stand_init(&a->st);
    tt_buf_init(&a->tape, 1 << 20);
}

static void end(struct act *a)
{
    tt_rig_fini(&a->rig);
    tt_score_free(a->score);
    tt_stand_fini(&a->st);
    tt_buf_fini(&a->tape);
}

static void plan(struct act *a, const char *json)
{
    if (tt_stand_plan(&a->st, json) != TT_OK)
        fail_msg("%s", a->st.err.msg);
    if (tt_score_new(&a->score, a->st.plan, &a->err) != TT_OK)
        fail_msg("%s", a->err.msg);
}

static enum tt_code start(struct act *a)
{
    tt_unit_type *type[TT_STAND_KEYS] = {0};

    tt_rig_types(&a->st, type);
    return tt_rig_start(&a->rig, a->st.plan, a->score, type);
}

static void started(struct act *a, const char *json)
{
    plan(a, json);
    if (start(a) != TT_OK)
        fail_msg("%s", a->rig.err.msg);
}

static void stepped(struct act *a, double h)
{
    if (tt_rig_step(&a->rig, h) != TT_OK)
        fail_msg("%s", a->rig.err.msg);
}

static double live(struct act *a, const char *name)
{
    return tt_rig_number(&a->rig, tt_stand_slot(a->st.plan, name));
}

static double in_frame(struct act *a, const char *name)
{
    uint32_t s = tt_stand_slot(a->st.plan, name);

    return tt_value_as_double(a->st.plan->slot[s].type,
                              tt_part_value(a->rig.part, s));
}

#define REST                                                                   \
    ", \"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, \"endTime\": "  \
    "9}"
#define A_TO_B                                                                 \
    "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"}, \"connections\": "           \
    "{\"{a}.a.y\": [\"{b}.b.u\"]}" REST

/* --- conversions --------------------------------------------------------- */

/* A unit whose one output of any type is a parameter's value. */
static struct tt_mock_port source_port[] = {
    {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = ""},
    {.name = "k", .causality = TT_CAUS_PARAMETER},
};

static void source_outputs(const struct tt_mock_view *v)
{
    const enum tt_type *type = v->ctx;

    for (uint32_t i = 0; i < 3; i++)
        (void)tt_value_from_double(
            *type, (char *)v->value[0] + i * tt_type_size(*type),
            *tt_mock_f64(v, 1) +
                (*type == TT_BOOL || *type == TT_BOOL32 ? 0 : (double)i));
}

/* Three elements from..., to...; what should arrive. */
static void check_move(enum tt_type from, enum tt_type to, double value,
                       const double *want)
{
    const struct tt_mock_port in[] = {
        {.name = "u", .type = to, .causality = TT_CAUS_INPUT, .n = 3}};
    const struct tt_mock_spec a = {.port = source_port,
                                   .n_port = 2,
                                   .caps = {.evaluates = TT_EVAL_ALWAYS},
                                   .behaviour = {.outputs = source_outputs},
                                   .ctx = &from};
    const struct tt_mock_spec b = {.port = in, .n_port = 1};
    unsigned char got[3 * 8];
    struct act act;
    char json[512];

    source_port[0].type = from;
    source_port[0].n = 3;
    begin(&act);
    tt_stand_mock(&act.st, "{a}", &a);
    tt_stand_mock(&act.st, "{b}", &b);
    snprintf(json, sizeof(json),
             "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"}, \"connections\": "
             "{\"{a}.a.y\": [\"{b}.b.u\"]}, \"parameters\": {\"{a}.a.k\": "
             "%d}" REST,
             (int)value);
    started(&act, json);
    tt_rig_get(&act.rig, tt_stand_slot(act.st.plan, "{b}.b.u"), got);
    for (uint32_t i = 0; i < 3; i++)
        if (tt_value_as_double(to, got + i * tt_type_size(to)) != want[i])
            fail_msg("%s to %s: element %u", tt_type_name(from),
                     tt_type_name(to), i);
    end(&act);
}

static void every_conversion_keeps_the_value(void **state)
{
    static const double number[] = {99, 100, 101}, truth[] = {1, 1, 1};
    static const double one_of_three[] = {1, 0, 0};
    static const enum tt_type whole[] = {TT_I8,  TT_U8,    TT_I16,    TT_U16,
                                         TT_I32, TT_U32,   TT_ENUM32, TT_I64,
                                         TT_U64, TT_ENUM64};

    (void)state;
    for (int i = 0; i < 10; i++) {
        check_move(whole[i], TT_F64, 99, number);
        check_move(whole[i], TT_F32, 99, number);
        check_move(whole[i], whole[i], 99, number);
        check_move(whole[i], TT_BOOL, 1, one_of_three); /* 1, 2, 3 */
        check_move(whole[i], TT_BOOL32, 1, one_of_three);
        check_move(TT_BOOL, whole[i], 1, truth);
        check_move(TT_BOOL32, whole[i], 1, truth);
    }
    check_move(TT_I8, TT_I64, 99, number);
    check_move(TT_U8, TT_U64, 99, number);
    check_move(TT_U32, TT_ENUM64, 99, number);
    check_move(TT_ENUM32, TT_I32, 99, number);
    check_move(TT_F64, TT_F32, 99, number);
    check_move(TT_F32, TT_F64, 99, number);
    check_move(TT_F64, TT_BOOL, 1, one_of_three);
    check_move(TT_F32, TT_BOOL32, 1, one_of_three);
    check_move(TT_BOOL, TT_F64, 1, truth);
    check_move(TT_BOOL, TT_BOOL32, 1, truth);
    check_move(TT_BOOL32, TT_BOOL, 1, truth);
}

static void wide_outputs(const struct tt_mock_view *v)
{
    *(int64_t *)v->value[0] = INT64_C(9007199254740993); /* 2^53 + 1 */
}

static void an_enumeration_takes_a_wide_integer_exactly(void **state)
{
    static const struct tt_mock_port out[] = {
        {.name = "y", .type = TT_I64, .causality = TT_CAUS_OUTPUT, .deps = ""}};
    static const struct tt_mock_port in[] = {
        {.name = "u", .type = TT_ENUM64, .causality = TT_CAUS_INPUT}};
    const struct tt_mock_spec a = {
        .port = out, .n_port = 1, .behaviour = {.outputs = wide_outputs}};
    const struct tt_mock_spec b = {.port = in, .n_port = 1};
    struct act act;
    int64_t got = 0;

    (void)state;
    begin(&act);
    tt_stand_mock(&act.st, "{a}", &a);
    tt_stand_mock(&act.st, "{b}", &b);
    started(&act, A_TO_B);
    tt_rig_get(&act.rig, tt_stand_slot(act.st.plan, "{b}.b.u"), &got);
    assert_true(got == INT64_C(9007199254740993));
    end(&act);
}

static void units_are_converted_by_factor_and_offset(void **state)
{
    struct act a;

    (void)state;
    begin(&a);
    tt_stand_mock(&a.st, "{a}", &tt_mock_integrator);
    tt_stand_mock(&a.st, "{b}", &tt_mock_gain);
    plan(&a, "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"}, \"connections\": "
             "{\"{a}.a.y\": [\"{b}.b.u\"]}, \"parameters\": {\"{a}.a.y0\": "
             "20}" REST);
    a.st.plan->feed[0].how = TT_FEED_LINEAR; /* degC to K */
    a.st.plan->feed[0].factor = 1;
    a.st.plan->feed[0].offset = 273.15;
    assert_int_equal(start(&a), TT_OK);
    assert_true(live(&a, "{b}.b.u") == 20 + 273.15);
    stepped(&a, 1);
    assert_true(live(&a, "{b}.b.u") == 20 + 273.15);
    end(&a);
    begin(&a);
    tt_stand_mock(&a.st, "{a}", &tt_mock_integrator);
    tt_stand_mock(&a.st, "{b}", &tt_mock_gain);
    plan(&a, "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"}, \"connections\": "
             "{\"{a}.a.y\": [\"{b}.b.u\"]}, \"parameters\": {\"{a}.a.y0\": "
             "90}" REST);
    a.st.plan->feed[0].how = TT_FEED_LINEAR; /* km/h to m/s */
    a.st.plan->feed[0].factor = 1 / 3.6;
    assert_int_equal(start(&a), TT_OK);
    assert_true(live(&a, "{b}.b.u") == 1 / 3.6 * 90);
    end(&a);
}

static void big_outputs(const struct tt_mock_view *v)
{
    *tt_mock_f64(v, 0) = v->t < 1.5 ? 1.5 : 1e300;
}

static void a_value_that_does_not_fit_is_named(void **state)
{
    static const struct tt_mock_port out[] = {
        {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = ""}};
    static const struct tt_mock_port in[] = {
        {.name = "u", .type = TT_F32, .causality = TT_CAUS_INPUT}};
    const struct tt_mock_spec a = {.port = out,
                                   .n_port = 1,
                                   .caps = {.evaluates = TT_EVAL_ALWAYS},
                                   .behaviour = {.outputs = big_outputs}};
    const struct tt_mock_spec b = {.port = in, .n_port = 1};
    struct act act;

    (void)state;
    begin(&act);
    tt_stand_mock(&act.st, "{a}", &a);
    tt_stand_mock(&act.st, "{b}", &b);
    started(&act, A_TO_B);
    stepped(&act, 1);
    assert_true(live(&act, "{b}.b.u") == 1.5);
    assert_int_equal(tt_rig_step(&act.rig, 1), TT_EUNIT);
    assert_string_equal(act.rig.err.msg,
                        "instance '{a}.a' (mock) gave 1.0E300 for its output "
                        "'{a}.a.y' at t=2, which does not fit '{b}.b.u': that "
                        "is Float32");
    end(&act);
}

static void texts_booleans_and_enumerations_pass(void **state)
{
    struct act a;
    struct tt_text text;

    (void)state;
    begin(&a);
    tt_stand_mock(&a.st, "{m}", &tt_testing_mixed);
    started(&a,
            "{\"fmus\": {\"{m}\": \"m\"}, \"connections\": {\"{m}.a.ys\": "
            "[\"{m}.b.us\"], \"{m}.a.yb\": [\"{m}.b.ub\"], \"{m}.a.ye\": "
            "[\"{m}.b.ue\"], \"{m}.a.yi\": [\"{m}.b.ui\"]}, \"parameters\": "
            "{\"{m}.a.us\": \"hello\", \"{m}.a.ub\": true, \"{m}.a.ue\": -7, "
            "\"{m}.a.ui\": 12}" REST);
    stepped(&a, 1);
    tt_rig_get(&a.rig, tt_stand_slot(a.st.plan, "{m}.b.us"), &text);
    assert_string_equal(text.s, "hello");
    assert_true(live(&a, "{m}.b.ub") == 1);
    assert_true(live(&a, "{m}.b.ue") == -7);
    assert_true(live(&a, "{m}.b.ui") == 12);
    end(&a);
}

/* --- batches that lie apart ----------------------------------------------- */

/* y_k = u_k + k, each output through its own input */
static void three_outputs(const struct tt_mock_view *v)
{
    for (uint32_t k = 0; k < 3; k++)
        *tt_mock_f64(v, 3 + k) = *tt_mock_f64(v, k) + k + 1;
}

static const struct tt_mock_port three_port[] = {
    {.name = "u0", .causality = TT_CAUS_INPUT},
    {.name = "u1", .causality = TT_CAUS_INPUT},
    {.name = "u2", .causality = TT_CAUS_INPUT},
    {.name = "y0", .causality = TT_CAUS_OUTPUT, .deps = "u0"},
    {.name = "y1", .causality = TT_CAUS_OUTPUT, .deps = "u1"},
    {.name = "y2", .causality = TT_CAUS_OUTPUT, .deps = "u2"},
};

/* From i and j through t.y0 and t.y2, which lie around t.y1, to s, and from
 * there back to t.u1, which lies between t.u0 and t.u2. */
static void batches_that_lie_apart_are_moved_by_one_call(void **state)
{
    struct tt_mock_spec three = {
        .port = three_port,
        .n_port = 6,
        .caps = {.evaluates = TT_EVAL_ALWAYS, .variable_step = 1},
        .behaviour = {.outputs = three_outputs}};
    struct act a;

    (void)state;
    begin(&a);
    three.tape = &a.tape;
    tt_stand_mock(&a.st, "{i}", &tt_mock_integrator);
    tt_stand_mock(&a.st, "{s}", &tt_testing_sum);
    tt_stand_mock(&a.st, "{t}", &three);
    started(&a, "{\"fmus\": {\"{i}\": \"i\", \"{s}\": \"s\", \"{t}\": \"t\"}, "
                "\"connections\": {\"{i}.i.y\": [\"{t}.t.u0\"], \"{i}.j.y\": "
                "[\"{t}.t.u2\"], \"{t}.t.y0\": [\"{s}.s.a\"], \"{t}.t.y2\": "
                "[\"{s}.s.b\"], \"{s}.s.w\": [\"{t}.t.u1\"]}, \"parameters\": "
                "{\"{i}.i.y0\": 10, \"{i}.j.y0\": 20}, \"logVariables\": "
                "{\"{t}.t\": [\"y1\"]}" REST);
    tt_buf_clear(&a.tape);
    stepped(&a, 1);
    assert_string_equal(a.tape.data,
                        "t.step 1; t.set u0,u2; t.get y0,y2; t.set u1; t.get "
                        "y1");
    assert_true(live(&a, "{t}.t.u0") == 10 && live(&a, "{t}.t.u2") == 20);
    assert_true(live(&a, "{s}.s.a") == 11 && live(&a, "{s}.s.b") == 23);
    assert_true(live(&a, "{t}.t.u1") == 34);
    assert_true(in_frame(&a, "{t}.t.y0") == 11);
    assert_true(in_frame(&a, "{t}.t.y1") == 36);
    assert_true(in_frame(&a, "{t}.t.y2") == 23);
    end(&a);
}

/* An input that is not looked at is set straight from its source's storage; one
 * that is recorded keeps its own value. */
static void inputs_are_aliased_unless_they_are_read(void **state)
{
    struct act a;

    (void)state;
    for (int recorded = 0; recorded < 2; recorded++) {
        char json[512];

        begin(&a);
        tt_stand_mock(&a.st, "{a}", &tt_mock_integrator);
        tt_stand_mock(&a.st, "{b}", &tt_mock_gain);
        snprintf(json, sizeof(json),
                 "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"}, "
                 "\"connections\": {\"{a}.a.y\": [\"{b}.b.u\"]}, "
                 "\"parameters\": {\"{a}.a.y0\": 5}%s" REST,
                 recorded ? ", \"logVariables\": {\"{b}.b\": [\"u\"]}" : "");
        started(&a, json);
        assert_true(live(&a, "{b}.b.u") == 5);
        assert_true(in_frame(&a, "{b}.b.u") == (recorded ? 5 : 0));
        stepped(&a, 1);
        assert_true(live(&a, "{b}.b.u") == 5);
        assert_true(in_frame(&a, "{b}.b.u") == (recorded ? 5 : 0));
        end(&a);
    }
}

static void rows_outputs(const struct tt_mock_view *v)
{
    for (int i = 0; i < 3; i++) {
        tt_mock_f64(v, 0)[i] = i + 1;
        tt_mock_f64(v, 1)[i] = i == 2 && v->t >= 2 ? (double)NAN : i + 10;
    }
}

/* Two arrays side by side: every element arrives, in the recorded copies too,
 * and a NaN in the very last one is found. */
static void arrays_move_and_are_watched_to_their_last_element(void **state)
{
    static const struct tt_mock_port out[] = {
        {.name = "y", .n = 3, .causality = TT_CAUS_OUTPUT, .deps = ""},
        {.name = "z", .n = 3, .causality = TT_CAUS_OUTPUT, .deps = ""}};
    static const struct tt_mock_port in[] = {
        {.name = "u", .n = 3, .causality = TT_CAUS_INPUT},
        {.name = "v", .n = 3, .causality = TT_CAUS_INPUT}};
    const struct tt_mock_spec a = {.port = out,
                                   .n_port = 2,
                                   .caps = {.evaluates = TT_EVAL_ALWAYS},
                                   .behaviour = {.outputs = rows_outputs}};
    const struct tt_mock_spec b = {.port = in, .n_port = 2};
    static const double want[] = {10, 11, 12, 1, 2, 3};
    struct act act;
    double got[3];

    (void)state;
    begin(&act);
    tt_stand_mock(&act.st, "{a}", &a);
    tt_stand_mock(&act.st, "{b}", &b);
    started(&act, "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"}, "
                  "\"connections\": {\"{a}.a.y\": [\"{b}.b.v\"], "
                  "\"{a}.a.z\": [\"{b}.b.u\"]}, \"logVariables\": "
                  "{\"{b}.b\": [\"u\", \"v\"]}" REST);
    tt_rig_get(&act.rig, tt_stand_slot(act.st.plan, "{b}.b.u"), got);
    assert_memory_equal(got, want, sizeof(got));
    tt_rig_get(&act.rig, tt_stand_slot(act.st.plan, "{b}.b.v"), got);
    assert_memory_equal(got, want + 3, sizeof(got));
    assert_memory_equal(
        tt_part_value(act.rig.part, tt_stand_slot(act.st.plan, "{b}.b.u")),
        want, sizeof(want));
    stepped(&act, 1);
    assert_int_equal(tt_rig_step(&act.rig, 1), TT_EUNIT);
    assert_string_equal(
        act.rig.err.msg,
        "instance '{a}.a' (mock) gave NaN for its output '{a}.a.z' "
        "at t=2");
    end(&act);
}

/* --- courses ------------------------------------------------------------- */

static void square_outputs(const struct tt_mock_view *v)
{
    *tt_mock_f64(v, 0) = v->t * v->t + 1;
}

static const struct tt_mock_port square_port[] = {
    {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = ""}};
static const struct tt_mock_spec square = {
    .port = square_port,
    .n_port = 1,
    .caps = {.evaluates = TT_EVAL_ALWAYS, .variable_step = 1},
    .behaviour = {.outputs = square_outputs}};

static double y(double t)
{
    return t * t + 1;
}

/* What the integrator adds over steps of different lengths. */
static void check_course(const char *more,
                         double (*area)(double before, double t, double h))
{
    static const double h[] = {0.5, 0.25, 1, 0.125};
    double x = 0, t = 0, before = 0;
    struct act a;
    char json[512];

    begin(&a);
    tt_stand_mock(&a.st, "{q}", &square);
    tt_stand_mock(&a.st, "{i}", &tt_mock_integrator);
    snprintf(json, sizeof(json),
             "{\"fmus\": {\"{q}\": \"q\", \"{i}\": \"i\"}, \"connections\": "
             "{\"{q}.q.y\": [\"{i}.i.u\"]}, \"logVariables\": {\"{i}.i\": "
             "[\"y\"]}%s" REST,
             more);
    started(&a, json);
    for (int n = 0; n < 4; n++) {
        stepped(&a, h[n]);
        x += area(before, t, h[n]);
        before = t;
        t += h[n];
        assert_true(fabs(in_frame(&a, "{i}.i.y") - x) < 1e-14);
        assert_true(live(&a, "{i}.i.u") == y(t)); /* exact, after rounding */
    }
    end(&a);
}

static double hold_area(double before, double t, double h)
{
    (void)before;
    return h * y(t);
}

static double hold_new_area(double before, double t, double h)
{
    (void)before;
    return h * y(t + h);
}

/* In the first step there is nothing to extrapolate from. */
static double extrapolated_area(double before, double t, double h)
{
    double slope = t > before ? (y(t) - y(before)) / (t - before) : 0;

    return h * y(t) + slope * h * h / 2;
}

static double interpolated_area(double before, double t, double h)
{
    (void)before;
    return h * (y(t) + y(t + h)) / 2;
}

#define LINEAR ", \"approximation\": \"linear\""
#define GS     ", \"master\": \"gauss-seidel\""

static void courses_have_the_area_of_their_polynomial(void **state)
{
    (void)state;
    check_course("", hold_area);
    check_course(GS, hold_new_area);
    check_course(LINEAR, extrapolated_area);
    check_course(LINEAR GS, interpolated_area);
}

/* --- NaN ----------------------------------------------------------------- */

enum { N_BAD = 7 };
struct bad {
    enum tt_type type;
    uint32_t at; /* the element that gets bad */
};

static void bad_outputs(const struct tt_mock_view *v)
{
    const struct bad *bad = v->ctx;

    for (uint32_t i = 0; i < N_BAD; i++)
        (void)tt_value_from_double(
            bad->type, (char *)v->value[0] + i * tt_type_size(bad->type),
            i == bad->at && v->t >= 2 ? (double)NAN : (double)i);
}

static void a_nan_is_found_in_any_element_of_any_float(void **state)
{
    (void)state;
    for (uint32_t i = 0; i < 2 * N_BAD; i++) {
        struct bad bad = {i % 2 ? TT_F64 : TT_F32, i / 2};
        const struct tt_mock_port out[] = {{.name = "y",
                                            .type = bad.type,
                                            .n = N_BAD,
                                            .causality = TT_CAUS_OUTPUT,
                                            .deps = ""}};
        const struct tt_mock_port in[] = {{.name = "u",
                                           .type = bad.type,
                                           .n = N_BAD,
                                           .causality = TT_CAUS_INPUT}};
        const struct tt_mock_spec a = {.port = out,
                                       .n_port = 1,
                                       .caps = {.evaluates = TT_EVAL_ALWAYS},
                                       .behaviour = {.outputs = bad_outputs},
                                       .ctx = &bad};
        const struct tt_mock_spec b = {.port = in, .n_port = 1};
        struct act act;

        begin(&act);
        tt_stand_mock(&act.st, "{a}", &a);
        tt_stand_mock(&act.st, "{b}", &b);
        started(&act, A_TO_B);
        stepped(&act, 1);
        assert_int_equal(tt_rig_step(&act.rig, 1), TT_EUNIT);
        assert_string_equal(act.rig.err.msg,
                            "instance '{a}.a' (mock) gave NaN for its output "
                            "'{a}.a.y' at t=2");
        end(&act);
    }
}

/* The gain comes first in the scenario, and passes on what it gets. */
static void the_first_nan_is_blamed_not_its_victims(void **state)
{
    const struct tt_mock_cue cue = {
        .at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_NAN};
    struct tt_mock_spec i = tt_mock_integrator;

    (void)state;
    i.caps.evaluates = TT_EVAL_NEVER;
    i.cue = &cue;
    i.n_cue = 1;
    for (int gs = 0; gs < 2; gs++) {
        struct act a;
        char json[512];

        begin(&a);
        tt_stand_mock(&a.st, "{g}", &tt_mock_gain);
        tt_stand_mock(&a.st, "{i}", &i);
        snprintf(json, sizeof(json),
                 "{\"fmus\": {\"{g}\": \"g\", \"{i}\": \"i\"}, "
                 "\"connections\": {\"{g}.g.y\": [\"{g}.h.u\"], \"{i}.i.y\": "
                 "[\"{g}.g.u\"]}%s" REST,
                 gs ? GS : "");
        started(&a, json);
        stepped(&a, 1);
        assert_int_equal(tt_rig_step(&a.rig, 1), TT_EUNIT);
        assert_string_equal(a.rig.err.msg,
                            "instance '{i}.i' (mock) gave NaN for its output "
                            "'{i}.i.y' at t=2");
        end(&a);
    }
}

static void a_nan_at_initialisation_is_found(void **state)
{
    const struct tt_mock_cue cue = {
        .at = TT_MOCK_GET, .nth = 1, .act = TT_MOCK_NAN};
    struct tt_mock_spec i = tt_mock_integrator;
    struct act a;

    (void)state;
    i.cue = &cue;
    i.n_cue = 1;
    begin(&a);
    tt_stand_mock(&a.st, "{a}", &i);
    tt_stand_mock(&a.st, "{b}", &tt_mock_gain);
    plan(&a, A_TO_B);
    assert_int_equal(start(&a), TT_EUNIT);
    assert_string_equal(
        a.rig.err.msg,
        "instance '{a}.a' (mock) gave NaN for its output '{a}.a.y' "
        "at t=0");
    end(&a);
}

/* What is only recorded does no harm; a table may well hold gaps. */
static void a_nan_that_is_only_recorded_passes(void **state)
{
    const struct tt_mock_cue cue = {
        .at = TT_MOCK_GET, .nth = 1, .every = 1, .act = TT_MOCK_NAN};
    struct tt_mock_spec i = tt_mock_integrator;
    struct act a;

    (void)state;
    i.cue = &cue;
    i.n_cue = 1;
    begin(&a);
    tt_stand_mock(&a.st, "{i}", &i);
    started(&a, "{\"fmus\": {\"{i}\": \"i\"}, \"instances\": {\"{i}\": "
                "[\"i\"]}, \"connections\": {}" REST);
    stepped(&a, 1);
    assert_true(isnan(in_frame(&a, "{i}.i.y")));
    end(&a);
}

/* --- loops and states ---------------------------------------------------- */

/* What is read first is the first guess; each turn sets it, and reads it
 * again when its inputs have come round. */
static void a_loop_at_one_instant_turns_until_it_is_solved(void **state)
{
    struct tt_mock_spec b = tt_testing_blurred;
    struct act a;

    (void)state;
    begin(&a);
    b.tape = &a.tape;
    tt_stand_mock(&a.st, "{b}", &b);
    started(&a, "{\"fmus\": {\"{b}\": \"b\"}, \"connections\": {\"{b}.a.y\": "
                "[\"{b}.b.u\"], \"{b}.b.y\": [\"{b}.a.u\"]}, \"iteration\": "
                "{\"absoluteTolerance\": 1, \"relativeTolerance\": 0}" REST);
    assert_string_equal(a.tape.data, "a.get y; b.set u; b.get y; a.set u; "
                                     "a.get y");
    end(&a);
}

/* y = 3 (2 y + 1): three substitutions, the best again, and one step with the
 * true derivative 6. With any other it would take more. */
static void derivatives_pass_conversions(void **state)
{
    struct act a;

    (void)state;
    begin(&a);
    tt_stand_mock(&a.st, "{g}", &tt_mock_gain);
    plan(&a, "{\"fmus\": {\"{g}\": \"g\"}, \"connections\": {\"{g}.a.y\": "
             "[\"{g}.a.u\"]}, \"parameters\": {\"{g}.a.k\": 3}" REST);
    a.st.plan->feed[0].how = TT_FEED_LINEAR;
    a.st.plan->feed[0].factor = 2;
    a.st.plan->feed[0].offset = 1;
    if (start(&a) != TT_OK)
        fail_msg("%s", a.rig.err.msg);
    assert_true(fabs(live(&a, "{g}.a.y") + 0.6) < 1e-12);
    assert_int_equal(tt_part_stats(a.rig.part).evaluations, 5);
    end(&a);
}

/* Save, step, look, back, step again: by hand, as an iteration would. */
static void states_are_saved_and_restored(void **state)
{
    struct tt_mock_spec i = tt_mock_integrator;
    struct tt_op op[8];
    struct act a;
    tt_score s;

    (void)state;
    begin(&a);
    i.tape = &a.tape;
    tt_stand_mock(&a.st, "{i}", &i);
    plan(&a, "{\"fmus\": {\"{i}\": \"i\"}, \"connections\": {\"{i}.i.y\": "
             "[\"{i}.i.u\"]}, \"parameters\": {\"{i}.i.y0\": 1}" REST);
    s = *a.score; /* init: get set commit, step: step, exchange: get set commit
                   */
    assert_int_equal(s.n_op, 7); /* the start is get set of the exchange */
    s.section[TT_SEC_START].n = 0;
    memcpy(op, s.op, 3 * sizeof(*op));
    s.op = tt_zalloc(12, sizeof(*op));
    assert_non_null(s.op);
    memcpy(s.op, op, 3 * sizeof(*op));
    s.op[3] = (struct tt_op){.code = TT_OP_SAVE, .unit = 0, .arg = 1};
    s.op[4] = (struct tt_op){.code = TT_OP_LOOP, .unit = TT_NONE, .arg = 3};
    s.op[5] = (struct tt_op){.code = TT_OP_RESTORE, .unit = 0, .arg = 1};
    s.op[6] = a.score->op[3];
    s.op[7] = (struct tt_op){.code = TT_OP_END, .unit = TT_NONE};
    memcpy(s.op + 8, a.score->op + 4, 3 * sizeof(*op));
    s.section[TT_SEC_STEP].n = 5;
    s.section[TT_SEC_EXCHANGE].first = 8;
    s.n_op = 11;
    s.n_state = 2;
    if (tt_score_check(&s, &a.err) != TT_OK)
        fail_msg("%s", a.err.msg);
    {
        tt_unit_type *type[TT_STAND_KEYS] = {0};

        tt_rig_types(&a.st, type);
        assert_int_equal(tt_rig_start(&a.rig, a.st.plan, &s, type), TT_OK);
    }
    tt_buf_clear(&a.tape);
    stepped(&a, 1);
    assert_string_equal(a.tape.data,
                        "i.save 1; i.restore 1; i.step 1; i.restore 1; i.step "
                        "1; i.restore 1; i.step 1; i.get y; i.set u");
    assert_true(in_frame(&a, "{i}.i.y") == 2); /* one step, not three */
    tt_free(s.op);
    s.op = NULL;
    end(&a);
}

/* --- outcomes ------------------------------------------------------------ */

#define TWO                                                                    \
    "{\"fmus\": {\"{a}\": \"a\", \"{b}\": \"b\"}, \"instances\": {\"{a}\": "   \
    "[\"a\"], \"{b}\": [\"b\"]}, \"connections\": {}" REST

static void two_outcomes(enum tt_mock_act first, enum tt_mock_act second,
                         const char *halted, unsigned flags)
{
    const struct tt_mock_cue one = {
        .at = TT_MOCK_STEP, .nth = 1, .act = first, .value = 0.5};
    const struct tt_mock_cue two = {
        .at = TT_MOCK_STEP, .nth = 1, .act = second, .value = 0.5};
    struct tt_mock_spec i = tt_mock_integrator, k = tt_mock_integrator;
    struct act a;

    begin(&a);
    i.cue = &one;
    k.cue = &two;
    i.n_cue = k.n_cue = 1;
    i.caps.event_mode = k.caps.event_mode = 1;
    tt_stand_mock(&a.st, "{a}", &i);
    tt_stand_mock(&a.st, "{b}", &k);
    started(&a, TWO);
    assert_int_equal(tt_rig_step(&a.rig, 1), TT_OK);
    if (halted) {
        assert_non_null(a.rig.halt.unit);
        assert_string_equal(a.rig.halt.unit->name, halted);
    } else {
        assert_null(a.rig.halt.unit);
    }
    assert_int_equal(a.rig.halt.flags, flags);
    end(&a);
}

static void what_halts_the_play_reports_why(void **state)
{
    (void)state;
    two_outcomes(TT_MOCK_NOTHING, TT_MOCK_NOTHING, NULL, 0);
    two_outcomes(TT_MOCK_LAG, TT_MOCK_LAG, NULL, 0);
    two_outcomes(TT_MOCK_TERMINATE, TT_MOCK_NOTHING, "{a}.a",
                 TT_STEP_TERMINATE);
    two_outcomes(TT_MOCK_TERMINATE, TT_MOCK_TERMINATE, "{a}.a",
                 TT_STEP_TERMINATE);
    two_outcomes(TT_MOCK_REJECT, TT_MOCK_TERMINATE, "{a}.a", TT_STEP_REJECT);
    two_outcomes(TT_MOCK_TERMINATE, TT_MOCK_REJECT, "{b}.b", TT_STEP_REJECT);
    two_outcomes(TT_MOCK_TERMINATE, TT_MOCK_EARLY, "{b}.b", TT_STEP_EARLY);
    two_outcomes(TT_MOCK_EVENT, TT_MOCK_NOTHING, "{a}.a", TT_STEP_EVENT);
}

/* --- failures ------------------------------------------------------------ */

static void check_failure(enum tt_mock_verb at, const char *more,
                          const char *message)
{
    const struct tt_mock_cue cue = {
        .at = at, .nth = 2, .act = TT_MOCK_ERROR, .text = "no luck"};
    struct tt_mock_spec i = tt_mock_integrator;
    struct act a;
    char json[512];
    enum tt_code rc = TT_OK;

    i.cue = &cue;
    i.n_cue = 1;
    begin(&a);
    tt_stand_mock(&a.st, "{i}", &i);
    tt_stand_mock(&a.st, "{q}", &square);
    snprintf(json, sizeof(json),
             "{\"fmus\": {\"{i}\": \"i\", \"{q}\": \"q\"}, \"connections\": "
             "{\"{q}.q.y\": [\"{i}.i.u\"]}, \"logVariables\": {\"{i}.i\": "
             "[\"y\"]}%s" REST,
             more);
    started(&a, json);
    for (int n = 0; n < 2 && rc == TT_OK; n++)
        rc = tt_rig_step(&a.rig, 0.5);
    assert_int_equal(rc, TT_EUNIT);
    assert_string_equal(a.rig.err.msg, message);
    end(&a);
}

static void a_failure_names_unit_call_and_time(void **state)
{
    (void)state;
    check_failure(TT_MOCK_GET, "",
                  "instance '{i}.i' (mock): get at t=0.5: 'y': no luck");
    check_failure(TT_MOCK_SET, "",
                  "instance '{i}.i' (mock): set at t=0.5: 'u': no luck");
    check_failure(TT_MOCK_STEP, "",
                  "instance '{i}.i' (mock): step at t=0.5: no luck");
    check_failure(TT_MOCK_COURSE, LINEAR,
                  "instance '{i}.i' (mock): course at t=0.5: 'u': no luck");
}

static void changed_sizes_are_refused_before_they_hurt(void **state)
{
    struct tt_desc other;
    struct tt_port port[3];
    struct act a;
    tt_part *part = NULL;

    (void)state;
    begin(&a);
    tt_stand_mock(&a.st, "{a}", &tt_mock_integrator);
    tt_stand_mock(&a.st, "{b}", &tt_mock_gain);
    started(&a, A_TO_B);
    other = *a.rig.unit[0]->desc; /* as configure may replace it */
    memcpy(port, other.port, sizeof(port));
    port[TT_MOCK_INTEGRATOR_Y].n = 5;
    other.port = port;
    a.rig.unit[0]->desc = &other;
    assert_int_equal(
        tt_part_new(&part, a.score, a.rig.unit, &a.rig.place, &a.err),
        TT_EUNSUPPORTED);
    assert_string_equal(a.err.msg,
                        "'{a}.a.y' has 5 elements since its instance was "
                        "configured, but its description gives 1");
    a.rig.unit[0]->desc = a.st.plan->unit[0].desc;
    end(&a);
}

/* --- playing ------------------------------------------------------------- */

static void timed_and_plain_play_give_the_same_bits(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 60; seed++) {
        const struct tt_crowd_opts o = {.seed = seed,
                                        .n_type = 3,
                                        .n_unit = 6,
                                        .n_in = 3,
                                        .n_out = 3,
                                        .through = 30,
                                        .unknown = 20,
                                        .standard = 30,
                                        .connected = 80,
                                        .linear = seed % 2 ? 50 : 0,
                                        .acyclic = 1,
                                        .gauss_seidel = seed % 3 == 0};
        struct tt_rig r[2] = {{.timed = 0}, {.timed = 1}};
        struct tt_crowd c;
        tt_plan *p = NULL;
        tt_score *s = NULL;
        const struct tt_frame *one, *two;
        tt_err err;
        size_t n;
        uint64_t total;

        tt_crowd_init(&c, &o);
        assert_int_equal(tt_plan_new(&p, &c.scenario, c.desc, NULL, &err),
                         TT_OK);
        assert_int_equal(tt_score_new(&s, p, &err), TT_OK);
        for (int i = 0; i < 2; i++) {
            assert_int_equal(tt_rig_start(&r[i], p, s, c.made), TT_OK);
            for (int k = 0; k < 5; k++)
                assert_int_equal(tt_rig_step(&r[i], 0.25), TT_OK);
        }
        one = tt_rig_values(&r[0], &n);
        two = tt_rig_values(&r[1], &n);
        assert_memory_equal(one, two, n);
        assert_true(n >= sizeof(struct tt_values) + p->frame_size);
        tt_part_time(r[0].part, &total);
        assert_true(total == 0);
        tt_part_time(r[1].part, &total);
        assert_true(total > 0);
        tt_rig_fini(&r[0]);
        tt_rig_fini(&r[1]);
        tt_score_free(s);
        tt_plan_free(p);
        tt_crowd_fini(&c);
    }
}

static void playing_allocates_nothing(void **state)
{
    struct act a;
    uint64_t before;

    (void)state;
    begin(&a);
    tt_stand_mock(&a.st, "{q}", &square);
    tt_stand_mock(&a.st, "{i}", &tt_mock_integrator);
    started(&a, "{\"fmus\": {\"{q}\": \"q\", \"{i}\": \"i\"}, "
                "\"connections\": {\"{q}.q.y\": [\"{i}.i.u\"]}" LINEAR REST);
    stepped(&a, 1);
    before = tt_mem_count();
    stepped(&a, 1);
    a.rig.timed = 1;
    stepped(&a, 1);
    assert_true(tt_mem_count() == before);
    end(&a);
}

static void every_call_can_be_described(void **state)
{
    const char *unit = NULL, *call = NULL;
    struct act a;
    uint32_t n = 0;
    int steps = 0;

    (void)state;
    begin(&a);
    tt_stand_mock(&a.st, "{a}", &tt_mock_integrator);
    tt_stand_mock(&a.st, "{b}", &tt_mock_gain);
    started(&a, A_TO_B);
    while (tt_part_describe(a.rig.part, n, &unit, &call)) {
        assert_true(*unit == '\0' || *unit == '{');
        if (strcmp(call, "step") == 0) {
            steps++;
            assert_true(strcmp(unit, "{a}.a") == 0 ||
                        strcmp(unit, "{b}.b") == 0);
        }
        n++;
    }
    assert_int_equal(steps, 2);
    /* get set watch, step step, get set watch; and where sections end, but the
     * start, whose calls are the exchange's */
    assert_int_equal(n, 8 + TT_SEC_N - 1);
    end(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_conversion_keeps_the_value),
        cmocka_unit_test(an_enumeration_takes_a_wide_integer_exactly),
        cmocka_unit_test(units_are_converted_by_factor_and_offset),
        cmocka_unit_test(a_value_that_does_not_fit_is_named),
        cmocka_unit_test(texts_booleans_and_enumerations_pass),
        cmocka_unit_test(batches_that_lie_apart_are_moved_by_one_call),
        cmocka_unit_test(inputs_are_aliased_unless_they_are_read),
        cmocka_unit_test(arrays_move_and_are_watched_to_their_last_element),
        cmocka_unit_test(courses_have_the_area_of_their_polynomial),
        cmocka_unit_test(a_nan_is_found_in_any_element_of_any_float),
        cmocka_unit_test(the_first_nan_is_blamed_not_its_victims),
        cmocka_unit_test(a_nan_at_initialisation_is_found),
        cmocka_unit_test(a_nan_that_is_only_recorded_passes),
        cmocka_unit_test(a_loop_at_one_instant_turns_until_it_is_solved),
        cmocka_unit_test(derivatives_pass_conversions),
        cmocka_unit_test(states_are_saved_and_restored),
        cmocka_unit_test(what_halts_the_play_reports_why),
        cmocka_unit_test(a_failure_names_unit_call_and_time),
        cmocka_unit_test(changed_sizes_are_refused_before_they_hurt),
        cmocka_unit_test(timed_and_plain_play_give_the_same_bits),
        cmocka_unit_test(playing_allocates_nothing),
        cmocka_unit_test(every_call_can_be_described),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
