/* SPDX-License-Identifier: MIT */
/* How outputs of composites follow their inputs, against closed forms. */
#include "compose/test_compose.h"

#include <math.h>
#include <stdbool.h>

#include "unit/mock.h"

/* --- mocks ---------------------------------------------------------------- */

enum { MIX_U, MIX_V, MIX_Y };

static void mix_outputs(const struct tt_mock_view *v)
{
    *tt_mock_f64(v, MIX_Y) =
        *tt_mock_f64(v, MIX_U) + *tt_mock_f64(v, MIX_V) / 2;
}

/* Instantly a function of both; while running v counts from the next step. */
static const struct tt_mock_port mix_port[] = {
    [MIX_U] = {.name = "u", .causality = TT_CAUS_INPUT},
    [MIX_V] = {.name = "v", .causality = TT_CAUS_INPUT},
    [MIX_Y] = {.name = "y",
               .causality = TT_CAUS_OUTPUT,
               .deps = "u",
               .init_deps = "u,v"},
};

static const struct tt_mock_port always_port[] = {
    [MIX_U] = {.name = "u", .causality = TT_CAUS_INPUT},
    [MIX_V] = {.name = "v", .causality = TT_CAUS_INPUT},
    [MIX_Y] = {.name = "y", .causality = TT_CAUS_OUTPUT, .deps = "u,v"},
};

/* A loop that is only assumed is not solved while running. */
static const struct tt_mock_port undeclared_port[] = {
    [MIX_U] = {.name = "u", .causality = TT_CAUS_INPUT},
    [MIX_V] = {.name = "v", .causality = TT_CAUS_INPUT},
    [MIX_Y] = {.name = "y", .causality = TT_CAUS_OUTPUT},
};

enum { SIGN_U, SIGN_UP };

static void sign_outputs(const struct tt_mock_view *v)
{
    *(bool *)v->value[SIGN_UP] = *tt_mock_f64(v, SIGN_U) > 0;
}

static const struct tt_mock_port sign_port[] = {
    [SIGN_U] = {.name = "u", .causality = TT_CAUS_INPUT},
    [SIGN_UP] = {.name = "up",
                 .type = TT_BOOL,
                 .causality = TT_CAUS_OUTPUT,
                 .deps = "u"},
};

enum { TURN_U, TURN_Y };

/* A quarter turn: (y1, y2) = (-u2, u1). */
static void turn_outputs(const struct tt_mock_view *v)
{
    const double *u = tt_mock_f64(v, TURN_U);
    double *y = tt_mock_f64(v, TURN_Y);

    y[0] = -u[1];
    y[1] = u[0];
}

static const struct tt_mock_port turn_port[] = {
    [TURN_U] = {.name = "u", .causality = TT_CAUS_INPUT, .n = 2},
    [TURN_Y] = {.name = "y", .causality = TT_CAUS_OUTPUT, .n = 2, .deps = "u"},
};

static struct tt_mock_spec gain, mute, mix, always, undeclared, sign, turn;

static struct tt_mock_spec
like_gain(const struct tt_mock_port *port, uint32_t n,
          void (*outputs)(const struct tt_mock_view *v))
{
    struct tt_mock_spec s = gain;

    s.port = port;
    s.n_port = n;
    s.behaviour.outputs = outputs;
    return s;
}

static int setup(void **state)
{
    gain = mute = tt_mock_gain;
    mute.caps.directional = 0;
    mix = like_gain(mix_port, 3, mix_outputs);
    always = like_gain(always_port, 3, mix_outputs);
    undeclared = like_gain(undeclared_port, 3, mix_outputs);
    sign = like_gain(sign_port, 2, sign_outputs);
    turn = like_gain(turn_port, 2, turn_outputs);
    tt_mock_register(NULL, NULL);
    tt_mock_register("gain", &gain);
    tt_mock_register("mute", &mute);
    tt_mock_register("mix", &mix);
    tt_mock_register("always", &always);
    tt_mock_register("undeclared", &undeclared);
    tt_mock_register("sign", &sign);
    tt_mock_register("turn", &turn);
    return test_setup(state);
}

static enum tt_code kinds(const struct tt_kind_ops **kind,
                          const struct tt_source *s, tt_err *err)
{
    (void)err;
    *kind = tt_kind_composite.accepts(s) ? &tt_kind_composite : &tt_mock_kind;
    return TT_OK;
}

/* --- a composite, and what is asked of it --------------------------------- */

struct asked {
    tt_unit_type *type;
    tt_unit *unit;
};

static struct asked open_mocks(const char *text)
{
    char *path = put("tangent.json", text);
    const struct tt_source s = {.path = path, .kind_cb = kinds};
    struct asked a = {0};

    assert_ok(tt_kind_composite.open(&a.type, &s, err));
    a.unit = make_unit(a.type, "c");
    tt_free(path);
    return a;
}

static void initialise(const struct asked *a)
{
    assert_ok(tt_unit_configure(a->unit, err));
    assert_ok(
        tt_unit_enter_init(a->unit, &(struct tt_experiment){.end = 10}, err));
}

static void start(const struct asked *a)
{
    assert_ok(tt_unit_exit_init(a->unit, err));
    assert_ok(tt_unit_prepare(a->unit, 0, err));
}

static void done(const struct asked *a)
{
    tt_unit_free(a->unit);
    a->type->kind->close(a->type);
}

static enum tt_code ask(const struct asked *a, const char *unknown,
                        const char *known, double *out, tt_err *err)
{
    uint32_t y = port_of(a->type, unknown), u = port_of(a->type, known);
    const double one = 1;

    *out = (double)NAN;
    return tt_unit_jvp(a->unit, &(struct tt_jvp){&y, &u, 1, 1, &one, out}, err);
}

static double slope(const struct asked *a, const char *unknown,
                    const char *known)
{
    double out;

    assert_ok(ask(a, unknown, known, &out, err));
    return out;
}

#define assert_slope(a, unknown, known, want)                                  \
    assert_true(fabs(slope(&(a), unknown, known) - (want)) <= 1e-14)

static void set(const struct asked *a, const char *name, double v)
{
    uint32_t port = port_of(a->type, name);

    assert_ok(tt_unit_set(a->unit, &(struct tt_span){&port, 1, &v}, err));
}

#define GAINS                                                                  \
    "{\"fmus\": {\"{k}\": \"gain\"}, "                                         \
    "\"connections\": {\"{k}.a.y\": [\"{k}.b.u\", \"{k}.c.u\"]}, "             \
    "\"parameters\": {\"{k}.a.k\": 3, \"{k}.b.k\": 5, \"{k}.c.k\": 7}"

/* --- claims --------------------------------------------------------------- */

static void derivatives_multiply_along_a_chain(void **state)
{
    struct asked a = open_mocks(GAINS "}");

    (void)state;
    assert_true(a.type->desc.caps.directional);
    initialise(&a);
    assert_slope(a, "{k}.a.y", "{k}.a.u", 3);
    assert_slope(a, "{k}.b.y", "{k}.a.u", 15);
    start(&a);
    assert_slope(a, "{k}.a.y", "{k}.a.u", 3);
    assert_slope(a, "{k}.c.y", "{k}.a.u", 21);
    done(&a);
}

static void an_input_that_sets_several_counts_for_all(void **state)
{
    struct asked a = open_mocks(
        "{\"fmus\": {\"{k}\": \"gain\", \"{m}\": \"always\"}, "
        "\"connections\": {\"{k}.a.y\": [\"{m}.m.u\"], "
        "\"{k}.b.y\": [\"{m}.m.v\"]}, \"parameters\": {\"{k}.a.k\": 3, "
        "\"{k}.b.k\": 5}, \"ports\": {\"inputs\": {\"u\": [\"{k}.a.u\", "
        "\"{k}.b.u\"]}, \"outputs\": {\"y\": \"{m}.m.y\"}}}");

    (void)state;
    initialise(&a);
    assert_slope(a, "y", "u", 3 + 2.5);
    start(&a);
    assert_slope(a, "y", "u", 3 + 2.5);
    done(&a);
}

static void several_are_answered_at_once_element_by_element(void **state)
{
    struct asked a =
        open_mocks("{\"fmus\": {\"{t}\": \"turn\", \"{k}\": \"gain\"}, "
                   "\"instances\": {\"{k}\": [\"k\"]}, "
                   "\"connections\": {\"{t}.a.y\": [\"{t}.b.u\"]}, "
                   "\"parameters\": {\"{k}.k.k\": 9}}");
    const uint32_t y[] = {port_of(a.type, "{k}.k.y"),
                          port_of(a.type, "{t}.b.y"),
                          port_of(a.type, "{t}.a.y")};
    const uint32_t u[] = {port_of(a.type, "{t}.a.u"),
                          port_of(a.type, "{k}.k.u")};
    const double du[] = {2, 3, 5}, want[] = {45, -2, -3, -3, 2};
    double dy[5];

    (void)state;
    initialise(&a);
    assert_ok(tt_unit_jvp(a.unit, &(struct tt_jvp){y, u, 3, 2, du, dy}, err));
    for (int i = 0; i < 5; i++)
        assert_true(fabs(dy[i] - want[i]) <= 1e-14);
    done(&a);
}

/* y = u + k y / 2, so that dy/du = 1 / (1 - k/2). */
#define LOOPED(mixer)                                                          \
    "{\"fmus\": {\"{m}\": \"" mixer "\", \"{k}\": \"gain\"}, "                 \
    "\"connections\": {\"{m}.m.y\": [\"{k}.k.u\", \"{k}.out.u\"], "            \
    "\"{k}.k.y\": [\"{m}.m.v\"]}, \"parameters\": {\"{k}.k.k\": 1.5, "         \
    "\"{k}.out.k\": 10}}"

static void a_loop_is_followed_as_it_is_solved(void **state)
{
    struct asked a = open_mocks(LOOPED("mix"));

    (void)state;
    assert_true(a.type->desc.caps.directional);
    initialise(&a);
    assert_slope(a, "{m}.m.y", "{m}.m.u", 4);
    assert_slope(a, "{k}.k.y", "{m}.m.u", 6);
    assert_slope(a, "{k}.out.y", "{m}.m.u", 40);
    start(&a);
    assert_slope(a, "{m}.m.y", "{m}.m.u", 1); /* v is of the next step */
    assert_slope(a, "{k}.out.y", "{m}.m.u", 10);
    done(&a);
}

static void a_loop_without_an_answer_is_reported(void **state)
{
    struct asked a = open_mocks(LOOPED("mix"));
    tt_err err;
    double out;

    (void)state;
    set(&a, "{k}.k.k", 2); /* y = u + y: for u = 0 any */
    initialise(&a);
    assert_int_equal(ask(&a, "{m}.m.y", "{m}.m.u", &out, &err), TT_EUNIT);
    assert_string_equal(
        err.msg, "instance 'c' (composite): jvp: a loop inside does not give "
                 "its derivatives: its equations are singular here");
    done(&a);
}

static void a_loop_that_is_solved_while_running_is_followed_then(void **state)
{
    struct asked a = open_mocks(LOOPED("always"));

    (void)state;
    assert_true(a.type->desc.caps.directional);
    initialise(&a);
    assert_slope(a, "{m}.m.y", "{m}.m.u", 4);
    start(&a);
    assert_slope(a, "{m}.m.y", "{m}.m.u", 4);
    assert_slope(a, "{k}.k.y", "{m}.m.u", 6);
    assert_slope(a, "{k}.out.y", "{m}.m.u", 40);
    done(&a);
}

static void a_loop_that_is_cut_while_running_is_not_offered(void **state)
{
    struct asked a = open_mocks(LOOPED("undeclared"));

    (void)state;
    assert_false(a.type->desc.caps.directional);
    done(&a);
}

#define BEHIND_A(key)                                                          \
    "{\"fmus\": {\"{k}\": \"gain\", \"{s}\": \"mute\"}, "                      \
    "\"connections\": {\"{k}.a.y\": [\"{" key "}.b.u\"]}, \"ports\": "         \
    "{\"inputs\": {\"u\": \"{k}.a.u\"}}, \"instances\": {\"{s}\": [\"b\"], "   \
    "\"{k}\": [\"a\", \"b\"]}}"

static void who_is_mute_counts_only_on_the_way(void **state)
{
    struct asked a = open_mocks(BEHIND_A("s"));

    (void)state;
    assert_false(a.type->desc.caps.directional);
    done(&a);
    a = open_mocks(BEHIND_A("k"));
    assert_true(a.type->desc.caps.directional);
    done(&a);
}

static void what_is_no_number_is_constant(void **state)
{
    struct asked a =
        open_mocks("{\"fmus\": {\"{k}\": \"gain\", \"{s}\": \"sign\"}, "
                   "\"connections\": {\"{k}.a.y\": [\"{s}.s.u\"], "
                   "\"{s}.s.up\": [\"{k}.b.u\"]}, "
                   "\"parameters\": {\"{k}.a.k\": 3}}");

    (void)state;
    initialise(&a);
    assert_slope(a, "{k}.a.y", "{k}.a.u", 3);
    assert_slope(a, "{k}.b.y", "{k}.a.u", 0);
    done(&a);
}

static void parameters_are_known_while_it_is_initialised(void **state)
{
    struct asked a = open_mocks(GAINS "}");
    tt_err err;
    double out;

    (void)state;
    initialise(&a);
    set(&a, "{k}.a.u", 2);
    assert_slope(a, "{k}.b.y", "{k}.a.k", 10);
    start(&a);
    assert_int_equal(ask(&a, "{k}.b.y", "{k}.a.k", &out, &err),
                     TT_EUNSUPPORTED);
    assert_string_equal(err.msg,
                        "instance 'c' (composite): jvp at t=0: '{k}.a.k' is "
                        "not an input: there is no derivative by it");
    assert_slope(a, "{k}.b.y", "{k}.a.u", 15); /* a refusal harms nothing */
    done(&a);
}

static void nonsense_is_refused(void **state)
{
    struct asked a = open_mocks(GAINS "}");
    const uint32_t y = port_of(a.type, "{k}.b.y");
    const uint32_t u[] = {port_of(a.type, "{k}.a.u"),
                          port_of(a.type, "{k}.a.u")};
    const double du[] = {1, 1};
    double dy;
    tt_err err;

    (void)state;
    initialise(&a);
    assert_int_equal(
        tt_unit_jvp(a.unit, &(struct tt_jvp){&y, u, 1, 2, du, &dy}, &err),
        TT_EINPUT);
    assert_string_equal(
        err.msg, "instance 'c' (composite): jvp: '{k}.a.u' is named twice");
    assert_int_equal(ask(&a, "{k}.a.k", "{k}.a.u", &dy, &err), TT_EUNSUPPORTED);
    assert_string_equal(err.msg,
                        "instance 'c' (composite): jvp: '{k}.a.k' is not an "
                        "output: it has no derivatives");
    done(&a);
}

static void composites_inside_are_asked_in_turn(void **state)
{
    char *inner = put("inner.json", GAINS "}");
    struct asked a =
        open_mocks("{\"fmus\": {\"{s}\": \"inner.json\", \"{k}\": \"gain\"}, "
                   "\"connections\": {\"{s}.s.{k}.b.y\": [\"{k}.k.u\"]}, "
                   "\"parameters\": {\"{k}.k.k\": 2}}");

    (void)state;
    initialise(&a);
    assert_slope(a, "{k}.k.y", "{s}.s.{k}.a.u", 30);
    start(&a);
    assert_slope(a, "{k}.k.y", "{s}.s.{k}.a.u", 30);
    done(&a);
    tt_free(inner);
}

/* Set from outside, stepped, and reset: each time at the values there are. */
static void it_is_asked_of_the_run_there_is(void **state)
{
    struct asked a = open_mocks(GAINS "}");

    (void)state;
    initialise(&a);
    assert_slope(a, "{k}.b.y", "{k}.a.u", 15);
    assert_ok(tt_unit_reset(a.unit, err));
    set(&a, "{k}.a.k", 4);
    initialise(&a);
    assert_slope(a, "{k}.b.y", "{k}.a.u", 20);
    done(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(derivatives_multiply_along_a_chain),
        cmocka_unit_test(an_input_that_sets_several_counts_for_all),
        cmocka_unit_test(several_are_answered_at_once_element_by_element),
        cmocka_unit_test(a_loop_is_followed_as_it_is_solved),
        cmocka_unit_test(a_loop_without_an_answer_is_reported),
        cmocka_unit_test(a_loop_that_is_solved_while_running_is_followed_then),
        cmocka_unit_test(a_loop_that_is_cut_while_running_is_not_offered),
        cmocka_unit_test(who_is_mute_counts_only_on_the_way),
        cmocka_unit_test(what_is_no_number_is_constant),
        cmocka_unit_test(parameters_are_known_while_it_is_initialised),
        cmocka_unit_test(nonsense_is_refused),
        cmocka_unit_test(composites_inside_are_asked_in_turn),
        cmocka_unit_test(it_is_asked_of_the_run_there_is),
    };

    return cmocka_run_group_tests(tests, setup, test_teardown);
}
