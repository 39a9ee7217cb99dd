/* SPDX-License-Identifier: MIT */
/* Composites of mocks: what they declare of themselves, and what reaches the
 * units inside. */
#include "compose/test_compose.h"

#include <math.h>

#include "unit/mock.h"

static struct tt_buf tape;

static enum tt_code kinds(const struct tt_kind_ops **kind,
                          const struct tt_source *s, tt_err *err)
{
    (void)err;
    *kind = tt_kind_composite.accepts(s) ? &tt_kind_composite : &tt_mock_kind;
    return TT_OK;
}

static enum tt_code open_mocks(const char *path, tt_unit_type **t, tt_err *err)
{
    const struct tt_source s = {.path = path, .kind_cb = kinds};

    return tt_kind_composite.open(t, &s, err);
}

/* gain "k", integrator "i", and variants of them */
static struct tt_mock_spec gain, integral, stiff, forgetful, picky, hasty,
    rigid, failing, brief;
static const struct tt_mock_cue reject = {
    .at = TT_MOCK_STEP, .nth = 2, .act = TT_MOCK_REJECT, .value = 0.125};

static const struct tt_mock_cue early = {.at = TT_MOCK_STEP,
                                         .time = 0.3,
                                         .act = TT_MOCK_EARLY,
                                         .value = 0.3,
                                         .every = 1};

static const struct tt_mock_cue refuse = {
    .at = TT_MOCK_STEP, .nth = 1, .act = TT_MOCK_ERROR, .text = "no"};

static int setup(void **state)
{
    gain = tt_mock_gain;
    integral = tt_mock_integrator;
    gain.tape = integral.tape = &tape;
    stiff = integral;
    stiff.caps.variable_step = 0;
    stiff.caps.max_step = 1;
    stiff.max_step = 0.5;
    brief = integral;
    brief.caps.max_step = 1;
    brief.max_step = 0.1;
    forgetful = integral;
    forgetful.caps.save = forgetful.caps.serialise = 0;
    picky = integral;
    picky.cue = &reject;
    picky.n_cue = 1;
    hasty = integral;
    hasty.caps.early_return = 1;
    hasty.cue = &early;
    hasty.n_cue = 1;
    failing = integral;
    failing.cue = &refuse;
    failing.n_cue = 1;
    rigid = gain;
    rigid.caps.variable_step = 0;
    rigid.caps.course_order = 0;
    tt_mock_register(NULL, NULL);
    tt_mock_register("rigid", &rigid);
    tt_mock_register("failing", &failing);
    tt_mock_register("hasty", &hasty);
    tt_mock_register("gain", &gain);
    tt_mock_register("integral", &integral);
    tt_mock_register("stiff", &stiff);
    tt_mock_register("brief", &brief);
    tt_mock_register("forgetful", &forgetful);
    tt_mock_register("picky", &picky);
    tt_buf_init(&tape, 1 << 20);
    return test_setup(state);
}

static int teardown(void **state)
{
    tt_buf_fini(&tape);
    return test_teardown(state);
}

static tt_unit_type *type_of(const char *text)
{
    char *path = put("mocks.json", text);
    tt_unit_type *t = NULL;

    assert_ok(open_mocks(path, &t, err));
    tt_free(path);
    return t;
}

static double get(tt_unit *u, tt_unit_type *t, const char *name)
{
    uint32_t port = port_of(t, name);
    double v = (double)NAN;

    assert_ok(tt_unit_get(u, &(struct tt_span){&port, 1, &v}, err));
    return v;
}

static void set(tt_unit *u, tt_unit_type *t, const char *name, double v)
{
    uint32_t port = port_of(t, name);

    assert_ok(tt_unit_set(u, &(struct tt_span){&port, 1, &v}, err));
}

static struct tt_stepped step(tt_unit *u, double to)
{
    struct tt_stepped r;

    assert_ok(tt_unit_step(u, &(struct tt_step){.to = to}, &r, err));
    return r;
}

static void start(tt_unit *u, uint32_t n_state)
{
    static const struct tt_experiment e = {.end = 10};

    assert_ok(tt_unit_configure(u, err));
    assert_ok(tt_unit_enter_init(u, &e, err));
    assert_ok(tt_unit_exit_init(u, err));
    assert_ok(tt_unit_prepare(u, n_state, err));
}

static void done(tt_unit *u, tt_unit_type *t)
{
    tt_unit_free(u);
    t->kind->close(t);
}

#define FMUS(a) "{\"fmus\": {" a "}, "
#define STEP(h) "\"algorithm\": {\"type\": \"fixed-step\", \"size\": " h "}"
/* How many steps a tape of calls has. */
static int steps_on(const char *calls)
{
    int n = 0;

    for (; (calls = strstr(calls, ".step")) != NULL; calls++)
        n++;
    return n;
}

#define TWO_GAINS                                                              \
    FMUS("\"{k}\": \"gain\"")                                                  \
    "\"connections\": {\"{k}.a.y\": [\"{k}.b.u\"]}, "                          \
    "\"parameters\": {\"{k}.a.k\": 3, \"{k}.b.k\": 5}"

/* --- description ---------------------------------------------------------- */

static void what_is_free_is_a_port(void **state)
{
    tt_unit_type *t = type_of(TWO_GAINS "}");
    const struct tt_port *p = t->desc.port;

    (void)state;
    assert_int_equal(t->desc.n_port, 6);
    assert_int_equal(p[port_of(t, "{k}.a.u")].causality, TT_CAUS_INPUT);
    assert_int_equal(p[port_of(t, "{k}.b.u")].causality, TT_CAUS_LOCAL);
    assert_int_equal(p[port_of(t, "{k}.a.y")].causality, TT_CAUS_OUTPUT);
    assert_int_equal(p[port_of(t, "{k}.b.y")].causality, TT_CAUS_OUTPUT);
    assert_int_equal(p[port_of(t, "{k}.b.k")].causality, TT_CAUS_PARAMETER);
    assert_true(*(const double *)p[port_of(t, "{k}.b.k")].start == 5);
    assert_string_equal(t->desc.model, "mocks");
    assert_true(isnan(t->desc.standard_step));
    t->kind->close(t);
}

static void what_is_declared_has_its_own_name(void **state)
{
    tt_unit_type *t =
        type_of(FMUS("\"{k}\": \"gain\"") "\"ports\": {\"inputs\": {\"in\": "
                                          "[\"{k}.a.u\", \"{k}.b.u\"]}, "
                                          "\"outputs\": {\"out\": "
                                          "\"{k}.b.y\"}, \"parameters\": "
                                          "{\"k\": [\"{k}.a.k\"]}}}");
    const struct tt_port *p = t->desc.port;
    tt_unit *u = make_unit(t, "s");

    (void)state;
    assert_int_equal(p[port_of(t, "in")].causality, TT_CAUS_INPUT);
    assert_int_equal(p[port_of(t, "out")].causality, TT_CAUS_OUTPUT);
    assert_int_equal(p[port_of(t, "k")].causality, TT_CAUS_PARAMETER);
    assert_int_equal(p[port_of(t, "{k}.a.y")].causality, TT_CAUS_LOCAL);
    assert_int_equal(p[port_of(t, "{k}.b.k")].causality, TT_CAUS_LOCAL);
    assert_int_equal(t->desc.n_port, 5);
    set(u, t, "k", 7);
    start(u, 0);
    set(u, t, "in", 2); /* of both */
    assert_true(get(u, t, "{k}.a.y") == 14);
    assert_true(get(u, t, "out") == 2);
    done(u, t);
}

static int depends(const tt_unit_type *t, const struct tt_deps *of,
                   const char *out, const char *in)
{
    const struct tt_deps *d = &of[port_of(t, out)];

    assert_true(d->known);
    for (uint32_t i = 0; i < d->n; i++)
        if (d->port[i] == port_of(t, in))
            return 1;
    return 0;
}

static void outputs_depend_on_inputs_through_the_graph(void **state)
{
    tt_unit_type *t = type_of(
        FMUS("\"{k}\": \"gain\", \"{i}\": \"integral\"") "\"connections\": "
                                                         "{\"{k}.a.y\": "
                                                         "[\"{k}.b.u\"], "
                                                         "\"{k}.c.y\": "
                                                         "[\"{i}.i.u\"], "
                                                         "\"{i}.i.y\": "
                                                         "[\"{k}.d.u\"]}}");
    const struct tt_deps *run = t->desc.run;

    (void)state;
    assert_true(depends(t, run, "{k}.b.y", "{k}.a.u"));
    assert_false(depends(t, run, "{k}.b.y", "{k}.c.u"));
    assert_false(depends(t, run, "{k}.d.y", "{k}.c.u")); /* integrated */
    assert_true(depends(t, t->desc.init, "{k}.b.y", "{k}.a.u"));
    assert_int_equal(t->desc.caps.evaluates, TT_EVAL_ALWAYS);
    t->kind->close(t);

    /* what may not be read after setting follows nothing, but at first */
    t = type_of(TWO_GAINS ", \"evaluates\": {\"{k}.a\": \"never\"}}");
    assert_false(depends(t, t->desc.run, "{k}.b.y", "{k}.a.u"));
    assert_true(depends(t, t->desc.init, "{k}.b.y", "{k}.a.u"));
    assert_int_equal(t->desc.caps.evaluates, TT_EVAL_NEVER);
    t->kind->close(t);
}

static void it_can_do_what_all_can(void **state)
{
    tt_unit_type *t = type_of(
        FMUS("\"{i}\": \"integral\"") "\"instances\": "
                                      "{\"{i}\": [\"i\"]}, " STEP("0.1") "}");

    (void)state;
    assert_true(t->desc.caps.save && t->desc.caps.serialise);
    assert_true(t->desc.caps.variable_step && !t->desc.caps.max_step);
    assert_int_equal(t->desc.caps.threads, TT_THREADS_MAIN);
    assert_int_equal(t->desc.caps.course_order, 3);
    assert_true(t->desc.caps.course_exact);
    assert_true(t->desc.inner_step == 0.1 && t->desc.standard_step == 0.1);
    t->kind->close(t);

    t = type_of(FMUS("\"{i}\": \"integral\", \"{f}\": \"forgetful\", \"{s}\": "
                     "\"stiff\"") "\"instances\": {\"{i}\": [\"i\"], \"{f}\": "
                                  "[\"f\"], \"{s}\": [\"s\"]}}");
    assert_false(t->desc.caps.save || t->desc.caps.serialise);
    assert_true(!t->desc.caps.variable_step && t->desc.caps.max_step);
    t->kind->close(t);
}

/* --- values --------------------------------------------------------------- */

static void reading_after_setting_plays_the_exchange_inside(void **state)
{
    tt_unit_type *t = type_of(TWO_GAINS "}");
    tt_unit *u = make_unit(t, "s");

    (void)state;
    start(u, 0);
    set(u, t, "{k}.a.u", 2);
    assert_true(get(u, t, "{k}.b.y") == 30);
    tt_buf_clear(&tape);
    assert_true(get(u, t, "{k}.b.y") == 30);
    assert_int_equal(tape.len, 0); /* nothing was set since */
    (void)step(u, 1);
    assert_true(get(u, t, "{k}.b.y") == 30);
    set(u, t, "{k}.a.u", 4);
    (void)step(u, 2); /* set, and not read before the step */
    assert_true(get(u, t, "{k}.b.y") == 60);
    done(u, t);
}

static void so_it_is_during_initialisation(void **state)
{
    tt_unit_type *t = type_of(TWO_GAINS "}");
    tt_unit *u = make_unit(t, "s");
    static const struct tt_experiment e = {.end = 10};

    (void)state;
    set(u, t, "{k}.a.k", 1); /* over what the scenario states */
    assert_ok(tt_unit_configure(u, err));
    assert_ok(tt_unit_enter_init(u, &e, err));
    for (int i = 1; i < 4; i++) {
        set(u, t, "{k}.a.u", i);
        assert_true(get(u, t, "{k}.b.y") == 5 * i);
    }
    done(u, t);
}

/* An output that may not be read after setting is that of its step. */
static void what_does_not_evaluate_is_not_read_again(void **state)
{
    tt_unit_type *t =
        type_of(TWO_GAINS ", \"evaluates\": {\"{k}.b\": \"never\"}}");
    tt_unit *u = make_unit(t, "s");

    (void)state;
    start(u, 0);
    set(u, t, "{k}.a.u", 2);
    assert_true(get(u, t, "{k}.a.y") == 6);
    assert_true(get(u, t, "{k}.b.y") == 0);
    (void)step(u, 1);
    assert_true(get(u, t, "{k}.b.y") == 30);
    done(u, t);
}

/* --- time ----------------------------------------------------------------- */

/* What was stepped, in order: "0.1 0.2 0.25" */
static const char *steps(void)
{
    static char text[256];
    const char *at = tape.data ? tape.data : "";

    text[0] = '\0';
    while ((at = strstr(at, ".step "))) {
        size_t n = strcspn(at + 6, ";\n"), m = strlen(text);

        (void)snprintf(text + m, sizeof(text) - m, "%s%.*s", m ? " " : "",
                       (int)n, at + 6);
        at += 6;
    }
    tt_buf_clear(&tape);
    return text;
}

static void steps_inside_keep_to_their_grid(void **state)
{
    tt_unit_type *t = type_of(
        FMUS("\"{i}\": \"integral\"") "\"instances\": "
                                      "{\"{i}\": [\"i\"]}, " STEP("0.5") "}");
    tt_unit *u = make_unit(t, "s");

    (void)state;
    start(u, 1);
    tt_buf_clear(&tape);
    (void)step(u, 1);
    assert_string_equal(steps(), "0.5 1");
    (void)step(u, 1.25);
    assert_string_equal(steps(), "1.25");
    assert_ok(tt_unit_save(u, 0, err));
    (void)step(u, 2.25);
    assert_string_equal(steps(), "1.5 2 2.25");
    assert_ok(tt_unit_restore(u, 0, err));
    (void)step(u, 1.75);
    assert_string_equal(steps(), "1.5 1.75");
    done(u, t);
}

static void it_starts_when_the_outside_does(void **state)
{
    tt_unit_type *t = type_of(FMUS(
        "\"{i}\": \"integral\"") "\"instances\": "
                                 "{\"{i}\": [\"i\"]}, \"startTime\": 1, " STEP(
                                     "0.5") "}");
    static const struct tt_experiment e = {.start = 2, .end = 10};
    tt_unit *u = make_unit(t, "s");

    (void)state;
    assert_ok(tt_unit_configure(u, err));
    assert_ok(tt_unit_enter_init(u, &e, err));
    assert_ok(tt_unit_exit_init(u, err));
    assert_ok(tt_unit_prepare(u, 0, err));
    set(u, t, "{i}.i.u", 1);
    (void)step(u, 3);
    assert_true(get(u, t, "{i}.i.y") == 1);
    done(u, t);
}

static void a_step_between_two_points_needs_units_that_can(void **state)
{
    tt_unit_type *t = type_of(
        FMUS("\"{s}\": \"stiff\"") "\"instances\": "
                                   "{\"{s}\": [\"s\"]}, " STEP("0.5") "}");
    tt_unit *u = make_unit(t, "sub");
    struct tt_stepped r;
    double h = 0;
    tt_err logged;

    (void)state;
    start(u, 0);
    assert_ok(tt_unit_max_step(u, &h, err));
    assert_true(h == 0.5);
    (void)step(u, 1);
    assert_int_equal(
        tt_unit_step(u, &(struct tt_step){.to = 1.25}, &r, &logged), TT_EUNIT);
    assert_string_equal(logged.msg,
                        "instance 'sub' (composite): step at t=1: t=1.25 is "
                        "between two communication points inside, 0.5 s apart, "
                        "and instance 'sub/{s}.s' cannot vary its step");
    done(u, t);
}

/* With a step of its own or the host's: no unit inside makes a longer one than
 * it states, and a point of the grid is not passed over. */
static void steps_inside_are_divided_as_units_state(void **state)
{
    static const char *const of_its_own[] = {"", ", " STEP("0.25")};

    (void)state;
    for (int i = 0; i < 2; i++) {
        char text[512];
        tt_unit_type *t;
        tt_unit *u;

        snprintf(text, sizeof(text),
                 FMUS("\"{b}\": \"brief\"") "\"instances\": {\"{b}\": "
                                            "[\"b\"]}%s}",
                 of_its_own[i]);
        t = type_of(text);
        u = make_unit(t, "s");
        start(u, 0);
        set(u, t, "{b}.b.u", 2);
        tt_buf_clear(&tape);
        assert_int_equal(step(u, 0.5).flags, 0);
        assert_true(fabs(get(u, t, "{b}.b.y") - 1) < 1e-15);
        assert_int_equal(steps_on(tape.data), i ? 6 : 5);
        done(u, t);
    }
}

static void a_rejected_step_is_taken_back_from_outside(void **state)
{
    tt_unit_type *t = type_of(
        FMUS("\"{p}\": \"picky\"") "\"instances\": "
                                   "{\"{p}\": [\"p\"]}, " STEP("0.1") "}");
    tt_unit *u = make_unit(t, "s");
    struct tt_stepped r;

    (void)state;
    start(u, 1);
    set(u, t, "{p}.p.u", 1);
    assert_ok(tt_unit_save(u, 0, err));
    r = step(u, 0.3);
    assert_int_equal(r.flags, TT_STEP_REJECT);
    assert_int_equal(r.after, TT_AFTER_NEEDS_RESTORE);
    assert_true(r.reached == 0.125);
    assert_ok(tt_unit_restore(u, 0, err));
    r = step(u, 0.125);
    assert_int_equal(r.flags, 0);
    assert_true(fabs(get(u, t, "{p}.p.y") - 0.125) < 1e-15);
    done(u, t);
}

/* Taken back inside, it stops where the unit did, for others to be there. */
static void an_early_return_is_passed_on(void **state)
{
    tt_unit_type *t = type_of(FMUS(
        "\"{h}\": \"hasty\", \"{i}\": \"integral\"") "\"connections\": "
                                                     "{\"{h}.h.y\": "
                                                     "[\"{i}.i.u\"]}, "
                                                     "\"rollback\": "
                                                     "true, " STEP("0.5") "}");
    tt_unit *u = make_unit(t, "s");
    struct tt_stepped r;

    (void)state;
    start(u, 1);
    set(u, t, "{h}.h.u", 1);
    assert_ok(tt_unit_save(u, 0, err));
    r = step(u, 1);
    assert_int_equal(r.flags, TT_STEP_EARLY);
    assert_int_equal(r.after, TT_AFTER_AT_REACHED);
    assert_true(r.reached == 0.3 && u->now == 0.3);
    assert_true(fabs(get(u, t, "{h}.h.y") - 0.3) < 1e-15);
    assert_ok(tt_unit_restore(u, 0, err));
    r = step(u, 0.3);
    assert_int_equal(r.flags, 0);
    done(u, t);
}

/* An integral of u = t is exact only if the course itself arrives, in every
 * one of the steps inside. */
static void courses_reach_the_units_inside(void **state)
{
    tt_unit_type *t =
        type_of(FMUS("\"{i}\": \"integral\"") "\"instances\": {\"{i}\": "
                                              "[\"i\"]}, " STEP("0.25") "}");
    tt_unit *u = make_unit(t, "s");
    uint32_t port = port_of(t, "{i}.i.u");
    struct tt_poly ramp = {.t0 = 0, .c = {0, 1}, .order = 1};

    (void)state;
    start(u, 0);
    assert_ok(tt_unit_course(u, &(struct tt_span){&port, 1, NULL}, &ramp, err));
    (void)step(u, 1);
    assert_true(fabs(get(u, t, "{i}.i.y") - 0.5) < 1e-15);
    (void)step(u, 2); /* it is over: held where it ended */
    assert_true(fabs(get(u, t, "{i}.i.y") - 1.5) < 1e-15);
    done(u, t);
}

/* One that takes none and cannot be sub-stepped has the end of the course when
 * it is read: 0.25 (0 + 0.25 + 0.5 + 0.75), as held over the steps inside. */
static void what_is_read_goes_by_the_end_of_the_course(void **state)
{
    tt_unit_type *t = type_of(FMUS(
        "\"{r}\": \"rigid\", \"{i}\": \"integral\"") "\"connections\": "
                                                     "{\"{r}.r.y\": "
                                                     "[\"{i}.i.u\"]}, "
                                                     "\"parameters\": "
                                                     "{\"{r}.r.k\": 1}, " STEP(
                                                         "0.25") "}");
    tt_unit *u = make_unit(t, "s");
    uint32_t port = port_of(t, "{r}.r.u");
    struct tt_poly ramp = {.t0 = 0, .c = {0, 1}, .order = 1};

    (void)state;
    start(u, 0);
    assert_ok(tt_unit_course(u, &(struct tt_span){&port, 1, NULL}, &ramp, err));
    (void)step(u, 1);
    assert_true(get(u, t, "{r}.r.y") == 1);
    assert_true(fabs(get(u, t, "{i}.i.y") - 0.375) < 1e-15);
    done(u, t);
}

/* --- states --------------------------------------------------------------- */

/* Set, and saved before anything followed from it inside. */
static void what_was_set_and_not_played_is_in_the_state(void **state)
{
    tt_unit_type *t = type_of(TWO_GAINS "}");
    tt_unit *u = make_unit(t, "s");

    (void)state;
    start(u, 1);
    assert_true(get(u, t, "{k}.b.y") == 0);
    set(u, t, "{k}.a.u", 2);
    assert_ok(tt_unit_save(u, 0, err));
    assert_true(get(u, t, "{k}.b.y") == 30);
    assert_ok(tt_unit_restore(u, 0, err));
    assert_true(get(u, t, "{k}.b.y") == 30);
    done(u, t);
}

static void the_unit_inside_that_cannot_be_packed_is_named(void **state)
{
    tt_unit_type *t = type_of(FMUS(
        "\"{i}\": \"integral\", \"{f}\": \"forgetful\"") "\"insta"
                                                         "nces\": {\"{i}\": "
                                                         "[\"i\"], \"{f}\": "
                                                         "[\"f\"]}, " STEP(
                                                             "0.5") "}");
    tt_unit *u = make_unit(t, "sub");
    tt_err logged;

    (void)state;
    start(u, 0);
    assert_int_equal(tt_unit_packable(u, &logged), TT_EUNSUPPORTED);
    assert_string_equal(logged.msg,
                        "instance 'sub' (composite): packable at t=0: instance "
                        "'sub/{f}.f' (mock): cannot turn a state into bytes");
    done(u, t);
}

static void a_damaged_state_is_refused(void **state)
{
    tt_unit_type *t = type_of(
        FMUS("\"{i}\": \"integral\"") "\"instances\": "
                                      "{\"{i}\": [\"i\"]}, " STEP("0.5") "}");
    tt_unit *u = make_unit(t, "s");
    struct tt_bytes b = {NULL, 0};
    size_t refused = 0;

    (void)state;
    start(u, 1);
    (void)step(u, 1);
    assert_ok(tt_unit_save(u, 0, err));
    assert_ok(tt_unit_pack(u, 0, &b, err));
    for (size_t i = 0; i < b.n; i++) {
        ((char *)b.data)[i] ^= 1;
        refused += tt_unit_unpack(u, 0, &b, NULL) == TT_EINPUT;
        ((char *)b.data)[i] ^= 1;
    }
    /* but for the time, a number like any other, and the life at the end */
    assert_true(refused >= b.n - 9 && refused < b.n);
    for (size_t n = 0; n < b.n; n++)
        assert_int_equal(
            tt_unit_unpack(u, 0, &(struct tt_bytes){b.data, n}, NULL),
            TT_EINPUT);
    assert_ok(tt_unit_unpack(u, 0, &b, err));
    tt_free(b.data);
    done(u, t);
}

/* --- memory --------------------------------------------------------------- */

static enum tt_code play(const char *path, uint64_t n)
{
    const struct tt_make m = {.name = "s", .instance = "s", .want_course = 1};
    static const struct tt_experiment e = {.end = 10};
    struct tt_stepped r;
    tt_unit_type *t = NULL;
    tt_unit *u = NULL;
    enum tt_code rc;

    tt_mem_fail_after(n);
    rc = open_mocks(path, &t, NULL);
    if (rc == TT_OK)
        rc = t->kind->make(&u, t, &m, NULL);
    if (rc == TT_OK)
        rc = tt_unit_configure(u, NULL);
    if (rc == TT_OK)
        rc = tt_unit_enter_init(u, &e, NULL);
    if (rc == TT_OK)
        rc = tt_unit_exit_init(u, NULL);
    if (rc == TT_OK)
        rc = tt_unit_prepare(u, 2, NULL);
    if (rc == TT_OK)
        rc = tt_unit_step(u, &(struct tt_step){.to = 1}, &r, NULL);
    if (rc == TT_OK)
        rc = tt_unit_reset(u, NULL);
    tt_mem_fail_after(0);
    tt_unit_free(u);
    if (t)
        t->kind->close(t);
    return rc;
}

static void without_memory_it_reports_it_and_leaks_nothing(void **state)
{
    static const char text[] = FMUS(
        "\"{k}\": \"gain\", \"{i}\": \"integral\"") "\"connections\": "
                                                    "{\"{k}.a.y\": "
                                                    "[\"{i}.i.u\"]}, "
                                                    "\"iterate\": 2, "
                                                    "\"rollback\": true, " STEP(
                                                        "0.25") "}";
    char *path = put("mocks.json", text);
    uint64_t before = tt_mem_count(), n, refused = 0;

    (void)state;
    assert_int_equal(play(path, 0), TT_OK);
    n = tt_mem_count() - before;
    for (uint64_t i = 1; i <= n; i++) {
        enum tt_code rc = play(path, i);

        if (rc != TT_OK && rc != TT_ENOMEM)
            fail_msg("allocation %u: code %d", (unsigned)i, (int)rc);
        refused += rc == TT_ENOMEM;
    }
    assert_true(refused > n / 2);
    tt_free(path);
}

/* Courses come to it through a wrapper, which has nothing to add. */
static void a_failure_names_its_unit_once(void **state)
{
    tt_unit_type *t = type_of(
        FMUS("\"{f}\": \"failing\"") "\"instances\": {\"{f}\": [\"f\"]}, " STEP(
            "0.5") "}");
    tt_unit *u = make_unit(t, "c");
    struct tt_stepped r;
    tt_err err;

    (void)state;
    start(u, 0);
    assert_int_equal(tt_unit_step(u, &(struct tt_step){.to = 0.5}, &r, &err),
                     TT_EUNIT);
    assert_string_equal(err.msg,
                        "instance 'c' (composite): step at t=0: instance "
                        "'c/{f}.f' (mock): step at t=0: no");
    done(u, t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_free_is_a_port),
        cmocka_unit_test(what_is_declared_has_its_own_name),
        cmocka_unit_test(outputs_depend_on_inputs_through_the_graph),
        cmocka_unit_test(it_can_do_what_all_can),
        cmocka_unit_test(reading_after_setting_plays_the_exchange_inside),
        cmocka_unit_test(so_it_is_during_initialisation),
        cmocka_unit_test(what_does_not_evaluate_is_not_read_again),
        cmocka_unit_test(steps_inside_keep_to_their_grid),
        cmocka_unit_test(it_starts_when_the_outside_does),
        cmocka_unit_test(a_step_between_two_points_needs_units_that_can),
        cmocka_unit_test(steps_inside_are_divided_as_units_state),
        cmocka_unit_test(a_rejected_step_is_taken_back_from_outside),
        cmocka_unit_test(an_early_return_is_passed_on),
        cmocka_unit_test(courses_reach_the_units_inside),
        cmocka_unit_test(what_is_read_goes_by_the_end_of_the_course),
        cmocka_unit_test(what_was_set_and_not_played_is_in_the_state),
        cmocka_unit_test(the_unit_inside_that_cannot_be_packed_is_named),
        cmocka_unit_test(a_damaged_state_is_refused),
        cmocka_unit_test(without_memory_it_reports_it_and_leaks_nothing),
        cmocka_unit_test(a_failure_names_its_unit_once),
    };

    return cmocka_run_group_tests(tests, setup, teardown);
}
