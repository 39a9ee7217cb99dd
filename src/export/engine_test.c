/* SPDX-License-Identifier: MIT */
/* An exported FMU through the functions of FMI, as an importer calls them. */
#include "compose/test_compose.h"

#include <math.h>

#include "export/export.h"
#include "fmi/fmi2.h"
#include "fmi/fmi3.h"
#include "fmi/fmu.h"

static char last_error[4096]; /* the last error */

static void keep_error2(void *env, const char *instance,
                        enum tt_fmi_status status, const char *category,
                        const char *message, ...)
{
    va_list ap;

    (void)env;
    (void)instance;
    (void)category;
    if (status < TT_FMI_ERROR)
        return;
    va_start(ap, message); /* it is "%s" */
    (void)snprintf(last_error, sizeof(last_error), "%s",
                   va_arg(ap, const char *));
    va_end(ap);
}

static void keep_error3(void *env, enum tt_fmi_status status,
                        const char *category, const char *message)
{
    (void)env;
    (void)category;
    if (status >= TT_FMI_ERROR)
        (void)snprintf(last_error, sizeof(last_error), "%s", message);
}

/* --- importing ------------------------------------------------------------ */

static tt_fmu *fmu;
static struct tt_fmi2_fns f2;
static struct tt_fmi3_fns f3;

static void open_fmu(const char *text, int fmi)
{
    char *scenario = put("it.json", text);
    char *path = tt_path_join(test_dir, "it.fmu");
    const struct tt_export x = {
        .scenario = scenario,
        .output = path,
        .engine = fmi == 3 ? TT_BUILD_DIR "/tutti-engine-fmi3.so"
                           : TT_BUILD_DIR "/tutti-engine-fmi2.so",
        .fmi = fmi};
    struct tt_exported made;
    tt_lib *lib = NULL;

    assert_ok(tt_export_write(&x, &made, err));
    assert_ok(tt_fmu_open(&fmu, path, err));
    assert_ok(tt_fmu_library(fmu, &lib, err));
    if (fmi == 3)
        assert_ok(tt_fmi3_bind(lib, TT_FMI_CS, &f3, err));
    else
        assert_ok(tt_fmi2_bind(lib, TT_FMI_CS, &f2, err));
    tt_free(scenario);
    tt_free(path);
}

static uint32_t vr_of(const char *name)
{
    const struct tt_md *md = tt_fmu_md(fmu);
    uint32_t i = tt_md_find(md, name);

    if (i == TT_NONE)
        fail_msg("no variable '%s'", name);
    return md->var[i].vr;
}

static void *instantiate2(void)
{
    static const struct tt_fmi2_callbacks callbacks = {.of.logger =
                                                           keep_error2};
    const char *place = NULL;
    void *c;

    assert_ok(tt_fmu_resources(fmu, &place, err));
    c = f2.instantiate("it", TT_FMI2_CO_SIMULATION, tt_fmu_md(fmu)->token,
                       place, &callbacks, 0, 0);
    assert_non_null(c);
    return c;
}

static void *start2(double start)
{
    void *c = instantiate2();

    assert_int_equal(f2.setup_experiment(c, 0, 0, start, 0, 0), 0);
    assert_int_equal(f2.enter_initialization(c), 0);
    assert_int_equal(f2.all.exit_initialization(c), 0);
    return c;
}

static double real2(void *c, const char *name)
{
    uint32_t vr = vr_of(name);
    double v;

    assert_int_equal(f2.get_real(c, &vr, 1, &v), 0);
    return v;
}

static void *start3_with(bool event_mode, bool early_return)
{
    const char *place = NULL;
    void *c;

    assert_ok(tt_fmu_resources(fmu, &place, err));
    c = f3.instantiate_cs("it", tt_fmu_md(fmu)->token, place, false, false,
                          event_mode, early_return, NULL, 0, NULL, keep_error3,
                          NULL);
    assert_non_null(c);
    return c;
}

static void *start3(bool early_return)
{
    return start3_with(false, early_return);
}

static void enter3(void *c)
{
    assert_int_equal(f3.enter_initialization(c, false, 0, 0, false, 0), 0);
    assert_int_equal(f3.all.exit_initialization(c), 0);
}

static void assert_printed(const char *words)
{
    assert_string_equal(last_error, words);
    last_error[0] = '\0';
}

#define LOOP                                                                   \
    "{\"fmus\": {\"{a}\": \"@double-mass-spring-damper/msd1.fmu\", "           \
    "\"{b}\": \"@double-mass-spring-damper/msd2.fmu\"}, "                      \
    "\"connections\": {\"{a}.a.x1\": [\"{b}.b.x1\"], "                         \
    "\"{a}.a.v1\": [\"{b}.b.v1\"], \"{b}.b.F\": [\"{a}.a.F\"]}, "              \
    "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1}}"
#define X1 "{a}.a.x1"

/* --- states --------------------------------------------------------------- */

static void more_states_than_registers_are_held(void **state)
{
    enum { N = 40 };
    void *kept[N] = {NULL};
    double x[N + 1];
    void *c;

    (void)state;
    open_fmu(LOOP, 2);
    c = start2(0);
    for (int i = 0; i < N; i++) {
        x[i] = real2(c, X1);
        assert_int_equal(f2.all.get_state(c, &kept[i]), 0);
        assert_int_equal(f2.do_step(c, i * 0.1, 0.1, 0), 0);
    }
    x[N] = real2(c, X1);
    for (int i = N - 1; i >= 0; i--) {
        assert_int_equal(f2.all.set_state(c, kept[i]), 0);
        assert_true(real2(c, X1) == x[i]);
        assert_int_equal(f2.do_step(c, i * 0.1, 0.1, 0), 0);
        assert_true(real2(c, X1) == x[i + 1]);
        assert_int_equal(f2.all.free_state(c, &kept[i]), 0);
        assert_null(kept[i]);
    }
    f2.all.free_instance(c);
    tt_fmu_close(fmu);
}

static size_t pack2(void *c, char **bytes)
{
    void *s = NULL;
    size_t n = 0;

    assert_int_equal(f2.all.get_state(c, &s), 0);
    assert_int_equal(f2.all.serialized_state_size(c, s, &n), 0);
    *bytes = tt_alloc(n);
    assert_int_equal(f2.all.serialize_state(c, s, *bytes, n - 1), TT_FMI_ERROR);
    assert_int_equal(f2.all.serialize_state(c, s, *bytes, n), 0);
    assert_int_equal(f2.all.free_state(c, &s), 0);
    return n;
}

static void a_fresh_instance_goes_on_from_bytes(void **state)
{
    void *a, *b;
    void *s = NULL;
    char *bytes = NULL;
    size_t n;

    (void)state;
    open_fmu(LOOP, 2);
    a = start2(1);
    assert_int_equal(f2.do_step(a, 1, 0.1, 0), 0);
    n = pack2(a, &bytes);
    assert_int_equal(f2.do_step(a, 1.1, 0.1, 0), 0);
    b = instantiate2();
    assert_int_equal(f2.all.deserialize_state(b, bytes, n, &s), 0);
    assert_int_equal(f2.all.set_state(b, s), 0);
    assert_int_equal(f2.do_step(b, 1.1, 0.1, 0), 0);
    assert_true(real2(a, X1) == real2(b, X1));
    assert_int_equal(f2.all.free_state(b, &s), 0);
    f2.all.free_instance(b);

    b = start2(0);
    assert_int_equal(f2.all.deserialize_state(b, bytes, n, &s), TT_FMI_ERROR);
    assert_printed(
        "fmi2DeSerializeFMUstate: the state is of an experiment with "
        "another start time");
    bytes[0] ^= 1;
    assert_int_equal(f2.all.deserialize_state(a, bytes, n, &s), TT_FMI_ERROR);
    assert_printed("fmi2DeSerializeFMUstate: these bytes are not its state");
    bytes[0] ^= 1;
    for (size_t k = 0; k < n; k++) /* any part of it is too short */
        assert_int_equal(f2.all.deserialize_state(a, bytes, k, &s),
                         TT_FMI_ERROR);
    assert_null(s);
    tt_free(bytes);
    f2.all.free_instance(a);
    f2.all.free_instance(b);
    tt_fmu_close(fmu);
}

static void before_initialisation_there_is_no_state(void **state)
{
    void *s = NULL;
    void *c;

    (void)state;
    open_fmu(LOOP, 2);
    c = instantiate2();
    assert_int_equal(f2.all.get_state(c, &s), TT_FMI_ERROR);
    assert_printed("fmi2GetFMUstate: its state can be saved when it is "
                   "initialised, not before");
    f2.all.free_instance(c);
    tt_fmu_close(fmu);
}

/* --- steps ---------------------------------------------------------------- */

#define MISBEHAVE(what)                                                        \
    "{\"fmus\": {\"{m}\": \"#misbehave-fmi3.fmu\"}, \"connections\": "         \
    "{\"{m}.a.y\": [\"{m}.b.u\"]}, \"parameters\": {\"{m}.a.u\": 2, "          \
    "\"{m}.b.what\": " what ", \"{m}.b.when\": 0.55}, "                        \
    "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1}}"

static enum tt_fmi_status step3(void *c, double t, double h, bool *terminate,
                                double *reached)
{
    bool event, early;

    return f3.do_step(c, t, h, false, &event, terminate, &early, reached);
}

static void after_a_discarded_step_all_is_as_before(void **state)
{
    uint32_t vr;
    bool terminate;
    double reached, before, after;
    void *c;

    (void)state;
    open_fmu(MISBEHAVE("3"), 3);
    vr = vr_of("{m}.a.y");
    c = start3(true);
    enter3(c);
    assert_int_equal(step3(c, 0, 0.5, &terminate, &reached), 0);
    assert_true(reached == 0.5);
    assert_int_equal(f3.get_float64(c, &vr, 1, &before, 1), 0);
    assert_true(before > 0.99 && before < 1.01); /* 2 t */
    assert_int_equal(step3(c, 0.5, 0.1, &terminate, &reached), TT_FMI_DISCARD);
    assert_int_equal(f3.get_float64(c, &vr, 1, &after, 1), 0);
    assert_true(before == after);
    assert_int_equal(step3(c, 0.5, 0.04, &terminate, &reached), 0);
    assert_true(reached == 0.54);
    f3.all.free_instance(c);

    c = start3(false); /* no unit takes steps back: an error, with words */
    enter3(c);
    assert_int_equal(step3(c, 0, 0.5, &terminate, &reached), 0);
    assert_int_equal(step3(c, 0.5, 0.1, &terminate, &reached), TT_FMI_ERROR);
    assert_non_null(strstr(last_error,
                           "fmi3DoStep: instance 'it' (composite): step at "
                           "t=0.5: "));
    assert_non_null(strstr(last_error, "'it/{m}.b'"));
    f3.all.free_instance(c);
    tt_fmu_close(fmu);
}

static void a_unit_inside_ends_the_simulation(void **state)
{
    bool terminate;
    double reached, last = -1;
    int ended = 0;
    void *c3;
    void *c2;

    (void)state;
    open_fmu(MISBEHAVE("4"), 3);
    c3 = start3(true);
    enter3(c3);
    assert_int_equal(step3(c3, 0, 1, &terminate, &reached), 0);
    assert_true(terminate);
    assert_true(reached > 0.5 && reached < 0.65);
    f3.all.free_instance(c3);
    tt_fmu_close(fmu);
    open_fmu(MISBEHAVE("4"), 2);
    c2 = start2(0);
    assert_int_equal(f2.do_step(c2, 0, 1, 1), TT_FMI_DISCARD);
    assert_int_equal(f2.get_boolean_status(c2, TT_FMI2_TERMINATED, &ended), 0);
    assert_int_equal(
        f2.get_real_status(c2, TT_FMI2_LAST_SUCCESSFUL_TIME, &last), 0);
    assert_true(ended);
    assert_true(last == reached);
    f2.all.free_instance(c2);
    tt_fmu_close(fmu);
}

/* --- events --------------------------------------------------------------- */

#define LIGHT                                                                  \
    "{\"fmus\": {\"{l}\": \"@traffic-light/light-fmi3.fmu\"}, "                \
    "\"instances\": {\"{l}\": [\"l\"]}}"

static bool is_green(void *c)
{
    uint32_t vr = vr_of("{l}.l.go");
    bool go;

    assert_int_equal(f3.get_boolean(c, &vr, 1, &go, 1), 0);
    return go;
}

/* One event: returns when the next one is. */
static double handle(void *c)
{
    bool again = true, terminate, nominals, values, known = false;
    double next = 0;

    while (again)
        assert_int_equal(f3.update_discrete_states(c, &again, &terminate,
                                                   &nominals, &values, &known,
                                                   &next),
                         0);
    assert_true(known && !terminate && !nominals && !values);
    assert_int_equal(f3.enter_step_mode(c), 0);
    return next;
}

static void events_are_the_importers(void **state)
{
    bool event, terminate, early;
    double reached;
    void *c;

    (void)state;
    open_fmu(LIGHT, 3);
    assert_true(tt_fmu_md(fmu)->cs.event_mode);
    c = start3_with(true, false);
    enter3(c); /* ends in event mode */
    assert_true(handle(c) == 30);
    assert_int_equal(
        f3.do_step(c, 0, 20, true, &event, &terminate, &early, &reached), 0);
    assert_false(event);
    assert_int_equal(
        f3.do_step(c, 20, 10, true, &event, &terminate, &early, &reached), 0);
    assert_true(event && !early && reached == 30);
    assert_false(is_green(c));
    assert_int_equal(f3.enter_event_mode(c), 0);
    assert_true(handle(c) == 50);
    assert_true(is_green(c));
    f3.all.free_instance(c);
    tt_fmu_close(fmu);
}

static void without_event_mode_events_stay_inside(void **state)
{
    bool terminate;
    double reached;
    void *c;

    (void)state;
    open_fmu(LIGHT, 3);
    c = start3(false);
    enter3(c);
    assert_int_equal(step3(c, 0, 40, &terminate, &reached), 0);
    assert_true(is_green(c));
    assert_int_equal(step3(c, 40, 60, &terminate, &reached), 0);
    assert_false(is_green(c)); /* red again at 50, green at 80, red at 100 */
    assert_int_equal(f3.enter_event_mode(c), TT_FMI_ERROR);
    assert_string_equal(last_error,
                        "fmi3EnterEventMode: event mode is not in use");
    f3.all.free_instance(c);
    tt_fmu_close(fmu);
}

/* --- what is refused ------------------------------------------------------ */

static void bad_calls_are_refused_with_words(void **state)
{
    static const struct tt_fmi2_callbacks mute = {0};
    uint32_t vr = 4711;
    double v = 0;
    int b = 0;
    void *c;

    (void)state;
    open_fmu(LOOP, 2);
    c = start2(0);
    assert_int_equal(f2.get_real(c, &vr, 1, &v), TT_FMI_ERROR);
    assert_printed(
        "fmi2GetReal: there is no variable with value reference 4711");
    vr = vr_of(X1);
    assert_int_equal(f2.get_boolean(c, &vr, 1, &b), TT_FMI_ERROR);
    assert_non_null(strstr(last_error, "is Float64, not Boolean"));
    assert_int_equal(f2.do_step(c, 0.3, 0.1, 0), TT_FMI_ERROR);
    assert_printed("fmi2DoStep: a step from t=0.3, but it is at t=0");
    assert_int_equal(f2.do_step(c, 0, -1, 0), TT_FMI_ERROR);
    assert_printed("fmi2DoStep: a step from t=0 of -1 s");
    assert_int_equal(f2.do_step(c, 0, 0.1, 0), 0); /* no harm was done */
    f2.all.free_instance(c);
    assert_null(
        f2.instantiate("it", TT_FMI2_CO_SIMULATION, "x", NULL, &mute, 0, 0));
    assert_null(
        f2.instantiate(NULL, TT_FMI2_CO_SIMULATION, NULL, "/none", NULL, 0, 0));
    f2.all.free_instance(NULL);
    tt_fmu_close(fmu);
}

/* The input runs along a ramp: y' = u, u = 2 t, in two steps of Euler. */
static void derivatives_of_inputs_are_followed(void **state)
{
    static const int32_t first = 1;
    static const double slope = 2;
    void *c;
    uint32_t u;
    double y;

    (void)state;
    open_fmu("{\"fmus\": {\"{p}\": \"#misbehave.fmu\"}, \"instances\": "
             "{\"{p}\": [\"p\"]}}",
             2);
    if (!tt_fmu_md(fmu)->cs.interpolate_inputs)
        fail_msg("it does not interpolate");
    c = start2(0);
    u = vr_of("{p}.p.u");
    assert_int_equal(f2.set_real_input_derivatives(c, &u, 1, &first, &slope),
                     0);
    assert_int_equal(f2.do_step(c, 0, 1, 0), 0);
    y = real2(c, "{p}.p.y");
    assert_true(y == 0.5); /* held, it would be 0 */
    f2.all.free_instance(c);
    tt_fmu_close(fmu);
}

/* A drum of radius 0.11 m lifts a glass against an obstacle of 1e5 N/m, which
 * gets the height in metres, not in the window's cm. */
#define WINDOW                                                                 \
    "{\"fmus\": {\"{w}\": \"@power-window/window.fmu\", "                      \
    "\"{o}\": \"@power-window/obstacle.fmu\"}, \"connections\": {"             \
    "\"{w}.w.height\": [\"{o}.o.displacement\"], "                             \
    "\"{o}.o.reactionForce\": [\"{w}.w.reactionForce\"]}}"

static void directional_derivatives_go_through_the_units_inside(void **state)
{
    const double at = 5, seed[] = {1, 100}; /* rad, 1 and rad/s */
    double torque = 0;

    (void)state;
    for (int fmi = 2; fmi <= 3; fmi++) {
        uint32_t u[2], y;

        open_fmu(WINDOW, fmi);
        u[0] = vr_of("{w}.w.displacement");
        u[1] = vr_of("{w}.w.speed");
        y = vr_of("{w}.w.reactionTorque");
        assert_true(tt_fmu_md(fmu)->cs.directional_derivatives);
        if (fmi == 2) {
            void *c = start2(0);

            assert_int_equal(f2.set_real(c, u, 1, &at), 0);
            assert_int_equal(
                f2.get_directional_derivative(c, &y, 1, u, 2, seed, &torque),
                0);
            u[1] = 4711;
            assert_int_equal(
                f2.get_directional_derivative(c, &y, 1, u, 2, seed, &torque),
                TT_FMI_ERROR);
            assert_printed("fmi2GetDirectionalDerivative: there is no variable "
                           "with value reference 4711 that could be "
                           "differentiated");
            f2.all.free_instance(c);
        } else {
            void *c = start3(false);

            enter3(c);
            assert_int_equal(f3.set_float64(c, u, 1, &at, 1), 0);
            assert_int_equal(f3.get_directional_derivative(c, &y, 1, u, 2, seed,
                                                           2, &torque, 1),
                             0);
            assert_int_equal(f3.get_directional_derivative(c, &y, 1, u, 2, seed,
                                                           1, &torque, 1),
                             TT_FMI_ERROR);
            assert_printed(
                "fmi3GetDirectionalDerivative: room for 1 values, but "
                "these 2 variables have 2");
            f3.all.free_instance(c);
        }
        assert_true(fabs(torque -
                         (0.11 * 0.11 * 1e5 + 100 * 10 * 0.11 * 0.11)) <= 1e-6);
        tt_fmu_close(fmu);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(more_states_than_registers_are_held),
        cmocka_unit_test(a_fresh_instance_goes_on_from_bytes),
        cmocka_unit_test(before_initialisation_there_is_no_state),
        cmocka_unit_test(after_a_discarded_step_all_is_as_before),
        cmocka_unit_test(a_unit_inside_ends_the_simulation),
        cmocka_unit_test(events_are_the_importers),
        cmocka_unit_test(without_event_mode_events_stay_inside),
        cmocka_unit_test(bad_calls_are_refused_with_words),
        cmocka_unit_test(derivatives_of_inputs_are_followed),
        cmocka_unit_test(directional_derivatives_go_through_the_units_inside),
    };

    return cmocka_run_group_tests(tests, test_setup, test_teardown);
}
