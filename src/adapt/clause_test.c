/* SPDX-License-Identifier: MIT */
/* Clauses of a scenario, each against a closed form. */
#include "adapt/test_adapt.h"

#include <math.h>

#include "unit/contract.h"

#define MOST 8

static tt_unit_type *type;
static struct tt_clause given[MOST];

/* The clauses are in the first column of one line each. */
static struct tt_source about(const char *path, const char *const *text)
{
    struct tt_source s = {.path = path, .clause = given, .kind_cb = kind_for};

    for (; text[s.n_clause]; s.n_clause++)
        given[s.n_clause] =
            (struct tt_clause){text[s.n_clause], "s.json", s.n_clause + 1, 1};
    return s;
}

#define CLAUSES(...) ((const char *const[]){__VA_ARGS__, NULL})

static tt_unit *ready(const char *path, const char *const *text)
{
    const struct tt_source s = about(path, text);
    tt_unit *u;

    assert_ok(tt_kind_adapted.open(&type, &s, err));
    u = make_unit(type, "{a}.a");
    get_ready(u, 2);
    return u;
}

static void done(tt_unit *u)
{
    assert_ok(tt_unit_end(u, err));
    tt_unit_free(u);
    type->kind->close(type);
}

static void near(double is, double wanted)
{
    if (!(fabs(is - wanted) <= 1e-12))
        fail_msg("%.17g is not %.17g", is, wanted);
}

/* --- algebra -------------------------------------------------------------- */

/* The gain is of cm inside, and of m outside: 3 m are 300 cm. */
static void convert_is_between_inside_and_outside(void **state)
{
    tt_unit *u = ready("gain", CLAUSES("convert u cm m"));
    double k = get_f64(u, "k");

    (void)state;
    assert_string_equal(u->desc->port[port_of(u, "u")].quantity->name, "m");
    set_f64(u, "u", 3);
    near(get_f64(u, "y"), 300 * k);
    done(u);
    u = ready("gain", CLAUSES("convert y cm m", "convert y mm"));
    set_f64(u, "u", 3);
    near(get_f64(u, "y"), 30 * k);
    done(u);
    u = ready("gain", CLAUSES("convert u degC K"));
    set_f64(u, "u", 300);
    near(get_f64(u, "y"), (300 - 273.15) * k);
    done(u);
}

/* outside = gain inside + offset, whichever way the value goes. */
static void frame_is_one_relation(void **state)
{
    tt_unit *u = ready("gain", CLAUSES("frame u gain 2 offset -1"));
    double k = get_f64(u, "k");

    (void)state;
    set_f64(u, "u", 5);
    near(get_f64(u, "y"), 3 * k);
    done(u);
    u = ready("gain", CLAUSES("frame y gain 2 offset -1"));
    set_f64(u, "u", 5);
    near(get_f64(u, "y"), 2 * 5 * k - 1);
    done(u);
    u = ready("gain", CLAUSES("negate u"));
    set_f64(u, "u", 5);
    near(get_f64(u, "y"), -5 * k);
    done(u);
}

/* Innermost first: 2 y + 1 negated is not 2 (-y) + 1. */
static void order_is_nesting(void **state)
{
    tt_unit *u = ready("gain", CLAUSES("frame y gain 2 offset 1", "negate y"));
    double k = get_f64(u, "k");

    (void)state;
    set_f64(u, "u", 5);
    near(get_f64(u, "y"), -(2 * 5 * k + 1));
    done(u);
    u = ready("gain", CLAUSES("negate y", "frame y gain 2 offset 1"));
    set_f64(u, "u", 5);
    near(get_f64(u, "y"), 2 * (-5 * k) + 1);
    done(u);
}

/* --- delay ---------------------------------------------------------------- */

static void delay_is_one_step(void **state)
{
    tt_unit *u = ready("gain", CLAUSES("delay u start 7"));
    double k = get_f64(u, "k");

    (void)state;
    assert_int_equal(u->desc->run[port_of(u, "y")].n, 0);
    set_f64(u, "u", 1);
    near(get_f64(u, "y"), 7 * k);
    (void)step_to(u, 0.1);
    set_f64(u, "u", 2);
    near(get_f64(u, "y"), 1 * k);
    (void)step_to(u, 0.2);
    set_f64(u, "u", 3);
    near(get_f64(u, "y"), 2 * k);
    done(u);
    /* y' = 1 */
    u = ready("integrator", CLAUSES("delay y"));
    set_f64(u, "u", 1);
    for (int i = 1; i <= 4; i++) {
        (void)step_to(u, 0.5 * i);
        near(get_f64(u, "y"), 0.5 * (i - 1));
    }
    done(u);
}

/* --- blocks --------------------------------------------------------------- */

/* u = t at the begin of each step; the first 0.25 s there is only what was at
 * the start. */
static void delay_by_a_time(void **state)
{
    tt_unit *u = ready("gain", CLAUSES("delay u by 0.25"));
    double k = get_f64(u, "k");

    (void)state;
    assert_int_equal(tt_desc_find(u->desc, "time"), TT_NONE);
    for (int i = 1; i <= 10; i++) {
        set_f64(u, "u", 0.1 * (i - 1));
        (void)step_to(u, 0.1 * i);
        near(get_f64(u, "y"), k * fmax(0.1 * i - 0.25, 0));
    }
    done(u);
}

static void quantize_is_of_multiples(void **state)
{
    static const char *const port[] = {"quantize u step 0.5",
                                       "quantize y step 0.5"};

    (void)state;
    for (int which = 0; which < 2; which++) {
        tt_unit *u = ready("gain", CLAUSES(port[which]));
        double k = get_f64(u, "k"), in = which ? k : 1, out = which ? 1 : k;

        for (int i = 1; i <= 10; i++) {
            set_f64(u, "u", 0.13 * i);
            (void)step_to(u, 0.1 * i);
            near(get_f64(u, "y"), out * 0.5 * round(in * 0.13 * i / 0.5));
        }
        done(u);
    }
}

/* --- rates ---------------------------------------------------------------- */

/* y' = u, u a line over each step, by the right end points of ten. */
static void a_rate_with_interpolation(void **state)
{
    const char *const *const text[] = {
        CLAUSES("interpolate u", "multiply rate 10"),
        CLAUSES("multiply rate 10", "interpolate u")};

    (void)state;
    for (int which = 0; which < 2; which++) {
        tt_unit *u = ready("integrator", text[which]);
        double sum = 0;

        for (int k = 1; k <= 5; k++) {
            set_f64(u, "u", 2.0 * k);
            (void)step_to(u, 0.1 * k);
            for (int j = 1; j <= 10; j++)
                sum += 0.01 * (2.0 * (k - 1) + 2.0 * j / 10);
            near(get_f64(u, "y"), sum);
        }
        done(u);
    }
}

/* Without it all steps have the same input, and the sum is that of one. */
static void a_rate_alone(void **state)
{
    tt_unit *u = ready("integrator", CLAUSES("multiply rate 4"));

    (void)state;
    for (int k = 1; k <= 5; k++) {
        set_f64(u, "u", 3);
        (void)step_to(u, 0.1 * k);
        near(get_f64(u, "y"), 0.3 * k);
    }
    done(u);
}

/* y' = u in steps of four: between them y stays. A gain follows its input at
 * once, but for the hold. */
static void a_divided_rate_holds(void **state)
{
    tt_unit *u = ready("integrator", CLAUSES("divide rate 4 with hold"));
    double k;

    (void)state;
    set_f64(u, "u", 2);
    for (int i = 1; i <= 9; i++) {
        (void)step_to(u, 0.25 * i);
        near(get_f64(u, "y"), 2 * floor(i / 4.0));
    }
    done(u);
    u = ready("gain", CLAUSES("divide rate 2 with hold"));
    k = get_f64(u, "k");
    for (int i = 1; i <= 5; i++) {
        set_f64(u, "u", i);
        (void)step_to(u, 0.25 * i);
        near(get_f64(u, "y"), 2 * floor(i / 2.0) * k);
    }
    done(u);
}

/* Half as often ten times as many steps: five inside of each outer two. */
static void rates_in_each_other(void **state)
{
    tt_unit *u = ready("integrator",
                       CLAUSES("multiply rate 10", "divide rate 2 with hold"));

    (void)state;
    set_f64(u, "u", 2);
    for (int i = 1; i <= 5; i++) {
        (void)step_to(u, 0.5 * i);
        near(get_f64(u, "y"), 2 * floor(i / 2.0));
    }
    done(u);
}

/* --- run when ------------------------------------------------------------- */

/* It stands still while u is small, and makes up for it with the u it is then
 * given. */
static void it_runs_when_a_condition_holds(void **state)
{
    tt_unit *u =
        ready("integrator", CLAUSES("run when u > 1 and t < 10 // big"));

    (void)state;
    set_f64(u, "u", 2);
    (void)step_to(u, 1);
    near(get_f64(u, "y"), 2);
    set_f64(u, "u", 1);
    (void)step_to(u, 2);
    (void)step_to(u, 3);
    near(get_f64(u, "y"), 2);
    set_f64(u, "u", 4);
    (void)step_to(u, 4);
    near(get_f64(u, "y"), 2 + 3 * 4);
    done(u);
}

/* --- derivatives ----------------------------------------------------------
 */

static double along(tt_unit *u, const char *from, const char *to, double d)
{
    uint32_t in = port_of(u, from), out = port_of(u, to);
    double got = 0;
    const struct tt_jvp j = {&out, &in, 1, 1, &d, &got};

    assert_ok(tt_unit_jvp(u, &j, err));
    return got;
}

/* Outside in m, inside in cm, and four times the offset: only the factors
 * count, and those of the FMU. */
static void derivatives_go_through_what_computes(void **state)
{
    tt_unit *u =
        ready("gain", CLAUSES("convert u cm m", "frame y gain 3 offset "
                                                "4"));
    double k = get_f64(u, "k");

    (void)state;
    set_f64(u, "u", 7);
    near(along(u, "u", "y", 2), 2 * 100 * k * 3);
    done(u);
    u = ready("integrator", CLAUSES("divide rate 2 with hold"));
    assert_int_equal(u->desc->caps.directional, 0);
    done(u);
}

static void derivatives_by_differences(void **state)
{
    tt_unit *u = ready("integrator", CLAUSES("derivatives by differences"));
    uint32_t y = port_of(u, "y");
    double rate = 0;

    (void)state;
    set_f64(u, "u", 3);
    (void)step_to(u, 1);
    set_f64(u, "u", 5);
    assert_ok(tt_unit_rates(u, &(struct tt_span){&y, 1, &rate}, 1, err));
    if (fabs(rate - 5) > 1e-9)
        fail_msg("%.17g", rate);
    near(get_f64(u, "y"), 3); /* and it has not moved */
    (void)step_to(u, 2);
    near(get_f64(u, "y"), 8);
    done(u);
    u = ready("gain", CLAUSES("multiply rate 2", "derivatives by differences"));
    set_f64(u, "u", 4);
    if (fabs(along(u, "u", "y", 2) - 2 * get_f64(u, "k")) > 1e-9)
        fail_msg("%.17g", along(u, "u", "y", 2));
    near(get_f64(u, "y"), 4 * get_f64(u, "k"));
    done(u);
}

/* --- what is wrong -------------------------------------------------------- */

#define THERE                                                                  \
    "; there are 'convert', 'delay', 'derivatives', 'divide', 'frame', "       \
    "'interpolate', 'iterate', 'locate', 'multiply', 'negate', 'quantize', "   \
    "'reinitialise', 'run'"
#define FRAME                                                                  \
    "a clause 'frame' is 'frame VARIABLE ... [gain NUMBER | matrix NUMBER "    \
    "...] [offset NUMBER ...]'"
#define RUN                                                                    \
    "a clause 'run' is 'run when CONDITION [or at next event] | at next "      \
    "event'"
#define ITERATE                                                                \
    "a clause 'iterate' is 'iterate INPUT from OUTPUT [start NUMBER] "         \
    "[absolute NUMBER] [relative NUMBER] [turns N] [aitken | newton]'"
#define LOCATE                                                                 \
    "a clause 'locate' is 'locate VARIABLE crosses NUMBER [up | down] "        \
    "[tolerance NUMBER]'"
#define REINITIALISE                                                           \
    "a clause 'reinitialise' is 'reinitialise on INPUT jump > NUMBER [within " \
    "SECONDS] [keep OUTPUT [as VARIABLE]] ...'"

static void wrong_clauses(void **state)
{
    static const struct {
        const char *text, *message;
    } wrong[] = {
        {"negat u", "s.json:1:1: there is no clause 'negat'; did you mean "
                    "'negate'?" THERE},
        {"locate u at 1", "s.json:1:10: " LOCATE},
        {"locate u crosses 1 sideways", "s.json:1:20: " LOCATE},
        {"locate u crosses 1 tolerance 0",
         "s.json:1:30: expected a number greater than 0, found '0'"},
        {"iterate y from u", "s.json:1:9: 'y' is not an input"},
        {"iterate u from u", "s.json:1:16: 'u' is not an output"},
        {"iterate u", "s.json:1:10: " ITERATE},
        {"iterate u from y quickly", "s.json:1:18: " ITERATE},
        {"iterate u from y turns 2.5",
         "s.json:1:1: turns are a whole number from 1 to 1000"},
        {"reinitialise u", "s.json:1:14: " REINITIALISE},
        {"reinitialise on y jump > 1", "s.json:1:17: 'y' is not an input"},
        {"reinitialise on u jump > 1 keep u",
         "s.json:1:33: 'u' is not an output"},
        {"reinitialise on u jump > 1 keep y as kk",
         "s.json:1:38: there is no real variable 'kk'; did you mean 'k'?"},
        {"derivatives by magic",
         "s.json:1:16: a clause 'derivatives' is 'derivatives by differences "
         "[of SECONDS]'"},
        {"quantize u at 2 1", "s.json:1:17: levels are in rising order"},
        {"quantize u at", "s.json:1:14: expected a number, found ''"},
        {"frame u u gain 2", "s.json:1:9: 'u' is in the frame twice"},
        {"frame u y gain 2",
         "s.json:1:9: 'u' is an input and 'y' is not: a frame is of either"},
        {"frame u matrix", "s.json:1:15: expected a number, found ''"},
        {"interpolate u in 0 steps",
         "s.json:1:18: the number of steps is a whole number from 1 to "
         "1000000, not '0'"},
        {"quantize u 1", "s.json:1:12: a clause 'quantize' is 'quantize "
                         "VARIABLE step NUMBER [hysteresis NUMBER] | at NUMBER "
                         "...'"},
        {"quantize u step 0", "s.json:1:17: expected a number greater than 0, "
                              "found '0'"},
        {"quantize u step 1 hysteresis -1",
         "s.json:1:30: expected a number that is not negative, found '-1'"},
        {"delay u by 0", "s.json:1:12: expected a number greater than 0, found "
                         "'0'"},
        {"", "s.json:1:1: there is no clause ''" THERE},
        {"negate", "s.json:1:7: a clause 'negate' is 'negate VARIABLE'"},
        {"negate u y", "s.json:1:10: a clause 'negate' is 'negate VARIABLE'"},
        {"negate uu", "s.json:1:8: there is no input or output 'uu'; did you "
                      "mean 'u'?"},
        {"negate k",
         "s.json:1:8: 'k' is not an input or output with one number"},
        {"convert u", "s.json:1:10: a clause 'convert' is 'convert VARIABLE "
                      "[UNIT] UNIT'"},
        {"convert u m", "s.json:1:11: 'u' has no unit: state the one it has, "
                        "and the one it is to have"},
        {"convert u m s", "s.json:1:1: the units 's' and 'm' do not fit"},
        {"convert u m elbow", "s.json:1:1: there is no way from the unit "
                              "'elbow' to 'm': one of them "
                              "is not known"},
        {"frame u", "s.json:1:8: " FRAME},
        {"frame u gain", "s.json:1:13: expected a number, found ''"},
        {"frame u gain x", "s.json:1:14: expected a number, found 'x'"},
        {"frame u gain 0", "s.json:1:1: a gain of 0 has no way back"},
        {"frame u shift 1", "s.json:1:9: there is no input or output 'shift'"},
        {"multiply 3", "s.json:1:10: a clause 'multiply' is 'multiply rate N'"},
        {"multiply rate 2.5", "s.json:1:15: a rate is a whole number from 1 to "
                              "1000000, not '2.5'"},
        {"divide rate 2 with foh", "s.json:1:20: a clause 'divide' is 'divide "
                                   "rate N with hold'"},
        {"interpolate u",
         "s.json:1:1: 'interpolate' needs a number of steps, or 'multiply "
         "rate' beside it: a single step has nothing in between"},
        {"interpolate y", "s.json:1:13: 'y' is not an input"},
        {"run at next event",
         "s.json:1:1: 'run at next event': the instance does not state when "
         "its "
         "next event is (fmi2GetMaxStepSize, a table, a discrete-event unit)"},
        {"run at once", "s.json:1:8: " RUN},
        {"run u > 1", "s.json:1:5: " RUN},
        {"run when", "s.json:1:9: expected an expression, found the end"},
        {"run when u > 1; t", "s.json:1:15: ';' is not of an expression"},
        {"run when (u > 1", "s.json:1:10: a '(' lacks its ')'"},
        {"run when v > 1", "s.json:1:1: there is no variable 'v'"},
        {"run when u", "s.json:1:1: expected a Boolean, found a number"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        const struct tt_source s = about("gain", CLAUSES(wrong[i].text));
        tt_unit_type *t = NULL;
        tt_err err;

        assert_int_not_equal(tt_kind_adapted.open(&t, &s, &err), TT_OK);
        assert_string_equal(err.msg, wrong[i].message);
    }
}

static void refused_of(const char *path, const char *const *text,
                       const char *message)
{
    const struct tt_source s = about(path, text);
    tt_unit_type *t = NULL;
    tt_err err;

    assert_int_not_equal(tt_kind_adapted.open(&t, &s, &err), TT_OK);
    assert_string_equal(err.msg, message);
}

static void refused(const char *const *text, const char *message)
{
    refused_of("gain", text, message);
}

/* What a unit lacks: it cannot save its state, and its output is a count. */
static void of_units_that_lack_it(void **state)
{
    struct tt_mock_spec poor = tt_mock_gain, counts = tt_mock_counter;
    struct tt_mock_port dotted[3];

    (void)state;
    poor.model = "poor";
    poor.caps.save = poor.caps.serialise = 0;
    memcpy(dotted, poor.port, sizeof(dotted));
    dotted[TT_MOCK_GAIN_U].name = "a.u";
    dotted[TT_MOCK_GAIN_Y].deps = "";
    dotted[TT_MOCK_GAIN_Y].init_deps = "";
    tt_mock_register("poor", &poor);
    tt_mock_register("counts", &counts);
    refused_of("poor", CLAUSES("iterate u from y"),
               "s.json:1:1: 'inside' cannot save its state, so that "
               "'save_state' is not possible");
    refused_of("poor", CLAUSES("locate y crosses 1"),
               "s.json:1:1: 'inside' cannot save its state, so that "
               "'save_state' is not possible");
    refused_of("poor", CLAUSES("reinitialise on u jump > 1"),
               "s.json:1:1: 'inside' cannot give its state as bytes, so that "
               "'reinitialise' is not possible");
    refused_of("poor", CLAUSES("derivatives by differences"),
               "s.json:1:1: derivatives by differences need steps that are "
               "taken back, and 'inside' cannot save its state");
    refused_of("counts", CLAUSES("negate n"),
               "s.json:1:8: 'n' is not a real number");
    refused_of("tutti:clock: 1/3", CLAUSES("multiply rate 2"),
               "s.json:1:1: inner unit 'inside' has clocks, and an adaptation "
               "has none");
    poor.port = dotted;
    refused_of("poor", CLAUSES("negate a.u"),
               "s.json:1:8: 'a.u' has a '.' in its name, which clauses do not "
               "take");
}

/* More than there is room for. */
static void of_too_many(void **state)
{
    struct tt_buf text;

    (void)state;
    tt_buf_init(&text, 4096);
    tt_buf_str(&text, "quantize u at");
    for (int i = 0; i < 65; i++)
        tt_buf_fmt(&text, " %d", i);
    refused(CLAUSES(text.data), "s.json:1:197: there are at most 64 levels");
    tt_buf_clear(&text);
    tt_buf_str(&text, "reinitialise on u jump > 1");
    for (int i = 0; i < 9; i++)
        tt_buf_str(&text, " keep y");
    refused(CLAUSES(text.data), "s.json:1:89: at most 8 variables are kept");
    tt_buf_fini(&text);
}

#define MADE "where it would be found the step has been made: put it behind"
#define HELD "outputs are held inside, so that repeating a step changes nothing"

static void wrong_pairs(void **state)
{
    (void)state;
    refused(CLAUSES("interpolate u", "multiply rate 2", "interpolate u"),
            "s.json:3:1: 'u' is interpolated twice");
    refused(CLAUSES("interpolate u in 3 steps", "multiply rate 2"),
            "s.json:2:1: 'interpolate u in 3 steps' and 'multiply rate 2' want "
            "different numbers of steps");
    refused(CLAUSES("locate u crosses 1", "divide rate 2 with hold"),
            "s.json:2:1: 'divide rate 2 with hold' cannot be around 'locate u "
            "crosses 1': " MADE);
    refused(CLAUSES("locate u crosses 1", "negate y", "run when u > 1"),
            "s.json:3:1: 'run when u > 1' cannot be around 'locate u crosses "
            "1': " MADE);
    refused(CLAUSES("run when u > 1", "run when u > 2"),
            "s.json:2:1: 'run when u > 2' cannot be around 'run when u > 1': "
            "both decide when it runs: 'run when CONDITION or at next event' "
            "is one");
    refused(CLAUSES("divide rate 2 with hold", "iterate u from y"),
            "s.json:2:1: 'iterate u from y' cannot be around 'divide rate 2 "
            "with hold': " HELD);
    refused(CLAUSES("run when u > 1", "locate y crosses 1"),
            "s.json:2:1: 'locate y crosses 1' cannot be around 'run when u > "
            "1': " HELD);
    refused(CLAUSES("delay y", "iterate u from y"),
            "s.json:2:1: 'iterate u from y' cannot be around 'delay y': a "
            "delay opens the circle, so that there is nothing to be iterated");
    refused(CLAUSES("interpolate u in 2 steps", "quantize u step 1"),
            "s.json:2:1: 'quantize u step 1' cannot be around 'interpolate u "
            "in 2 steps': between two levels there would be a line");
    refused(CLAUSES("reinitialise on u jump > 1", "interpolate u in 2 steps"),
            "s.json:2:1: 'interpolate u in 2 steps' cannot be around "
            "'reinitialise on u jump > 1': a jump would become a line, and "
            "none be seen");
    refused(CLAUSES("derivatives by differences", "multiply rate 2"),
            "s.json:2:1: 'multiply rate 2' cannot be around 'derivatives by "
            "differences': they would be lost in it: put 'derivatives by "
            "differences' last");
}

/* --- the contract --------------------------------------------------------- */

static enum tt_code make(const void *ctx, const char *name, tt_unit **out,
                         tt_err *err)
{
    const struct tt_make m = {.name = name, .instance = name};

    (void)ctx;
    return type->kind->make(out, type, &m, err);
}

static void all_keep_the_contract(void **state)
{
    static const char *const text[] = {"convert u cm m",
                                       "frame y offset 3",
                                       "delay u",
                                       "delay y",
                                       "multiply rate 3",
                                       "run when u > 0",
                                       "divide rate 2 with hold",
                                       "negate u",
                                       "quantize u step 0.1",
                                       "delay u by 5",
                                       "derivatives by differences",
                                       "quantize y at -1 0 1",
                                       "interpolate u in 3 steps",
                                       "locate y crosses 0.1",
                                       "reinitialise on u jump > 0.5"};

    (void)state;
    for (size_t i = 0; i < sizeof(text) / sizeof(text[0]); i++) {
        const struct tt_contract_subject subject = {.make = make};
        const struct tt_source s = about("integrator", CLAUSES(text[i]));

        assert_ok(tt_kind_adapted.open(&type, &s, err));
        assert_int_equal(tt_unit_contract_run(&subject), 0);
        type->kind->close(type);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(convert_is_between_inside_and_outside),
        cmocka_unit_test(frame_is_one_relation),
        cmocka_unit_test(order_is_nesting),
        cmocka_unit_test(delay_is_one_step),
        cmocka_unit_test(delay_by_a_time),
        cmocka_unit_test(quantize_is_of_multiples),
        cmocka_unit_test(a_rate_with_interpolation),
        cmocka_unit_test(a_rate_alone),
        cmocka_unit_test(a_divided_rate_holds),
        cmocka_unit_test(rates_in_each_other),
        cmocka_unit_test(it_runs_when_a_condition_holds),
        cmocka_unit_test(derivatives_go_through_what_computes),
        cmocka_unit_test(derivatives_by_differences),
        cmocka_unit_test(wrong_clauses),
        cmocka_unit_test(of_units_that_lack_it),
        cmocka_unit_test(of_too_many),
        cmocka_unit_test(wrong_pairs),
        cmocka_unit_test(all_keep_the_contract),
    };

    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
