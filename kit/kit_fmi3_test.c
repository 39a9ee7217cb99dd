/* SPDX-License-Identifier: MIT */
/* The unit kit through its FMI 3.0 functions, and FMI 2 against FMI 3. */
#include "kit_test_util.h"
#include "tutti_kit_fmi2.h"
#include "tutti_kit_fmi3.h"

#define FMI3_FUNCTIONS(X)                                                      \
    X(GetVersion)                                                              \
    X(SetDebugLogging)                                                         \
    X(InstantiateCoSimulation)                                                 \
    X(InstantiateModelExchange)                                                \
    X(InstantiateScheduledExecution)                                           \
    X(FreeInstance)                                                            \
    X(EnterInitializationMode)                                                 \
    X(ExitInitializationMode)                                                  \
    X(EnterEventMode)                                                          \
    X(EnterStepMode)                                                           \
    X(UpdateDiscreteStates)                                                    \
    X(EvaluateDiscreteStates)                                                  \
    X(Terminate)                                                               \
    X(Reset)                                                                   \
    X(GetFloat64)                                                              \
    X(SetFloat64)                                                              \
    X(GetFloat32)                                                              \
    X(SetFloat32)                                                              \
    X(GetInt8)                                                                 \
    X(SetInt8)                                                                 \
    X(GetUInt8)                                                                \
    X(SetUInt8)                                                                \
    X(GetInt16)                                                                \
    X(SetInt16)                                                                \
    X(GetUInt16)                                                               \
    X(SetUInt16)                                                               \
    X(GetInt32)                                                                \
    X(SetInt32)                                                                \
    X(GetUInt32)                                                               \
    X(SetUInt32)                                                               \
    X(GetInt64)                                                                \
    X(SetInt64)                                                                \
    X(GetUInt64)                                                               \
    X(SetUInt64)                                                               \
    X(GetBoolean)                                                              \
    X(SetBoolean)                                                              \
    X(GetString)                                                               \
    X(SetString)                                                               \
    X(GetFMUState)                                                             \
    X(SetFMUState)                                                             \
    X(FreeFMUState)                                                            \
    X(SerializedFMUStateSize)                                                  \
    X(SerializeFMUState)                                                       \
    X(DeserializeFMUState)                                                     \
    X(GetDirectionalDerivative)                                                \
    X(GetAdjointDerivative)                                                    \
    X(GetOutputDerivatives)                                                    \
    X(DoStep)                                                                  \
    X(GetClock)                                                                \
    X(EnterConfigurationMode)                                                  \
    X(ExitConfigurationMode)                                                   \
    X(GetNumberOfContinuousStates)

#define MEMBER(Name) __typeof__(fmi3##Name) *Name;
#define BIND(Name)   test_bind(u->library, "fmi3" #Name, (void *)&(u->Name));

/* What the importer answers when it is asked for an input. */
struct course {
    double begin, p[4];
    double asked[64];
    int n_asked;
    bool hold, try_parameter;
    fmi3Status parameter_status;
};

/* A test unit: its functions and one instance. */
struct unit {
    void *library;
    fmi3Instance c;
    struct course course;
    FMI3_FUNCTIONS(MEMBER)
};

static void take_log(fmi3InstanceEnvironment environment, fmi3Status status,
                     fmi3String category, fmi3String message)
{
    (void)environment;
    test_take_log((int)status, category, message);
}

static void update(fmi3InstanceEnvironment environment, fmi3Float64 t,
                   fmi3Boolean set_requested, fmi3Boolean get_allowed,
                   fmi3Boolean step_finished, fmi3Boolean can_return_early,
                   fmi3Boolean *early, fmi3Float64 *early_time)
{
    struct unit *u = environment;
    struct course *k = &u->course;
    const fmi3ValueReference in = OSC_U, g = OSC_G;
    double s = t - k->begin;
    double value =
        k->p[0] + s * (k->p[1] + s / 2 * (k->p[2] + s / 3 * k->p[3]));

    assert_true(set_requested);
    assert_false(get_allowed);
    assert_false(step_finished);
    assert_false(can_return_early);
    assert_non_null(early);
    assert_non_null(early_time);
    assert_true(k->n_asked < 64);
    k->asked[k->n_asked++] = t;
    if (!k->hold)
        assert_int_equal(u->SetFloat64(u->c, &in, 1, &value, 1), fmi3OK);
    if (k->try_parameter)
        k->parameter_status = u->SetFloat64(u->c, &g, 1, &value, 1);
}

enum { UPDATE = 1, EVENTS = 2, EARLY = 4, QUIET = 8 };

static void open_unit(struct unit *u, const char *model, unsigned flags)
{
    char token[64];

    memset(u, 0, sizeof(*u));
    memset(&logged, 0, sizeof(logged));
    u->library = test_library(model);
    FMI3_FUNCTIONS(BIND)
    test_token(model, token);
    u->c = u->InstantiateCoSimulation(
        model, token, NULL, false, !(flags & QUIET), flags & EVENTS,
        flags & EARLY, NULL, 0, u, take_log, flags & UPDATE ? update : NULL);
    assert_non_null(u->c);
}

static void start(struct unit *u)
{
    assert_int_equal(u->EnterInitializationMode(u->c, false, 0, 0, true, 100),
                     fmi3OK);
    assert_int_equal(u->ExitInitializationMode(u->c), fmi3OK);
}

static void close_unit(struct unit *u)
{
    u->FreeInstance(u->c);
    assert_int_equal(dlclose(u->library), 0);
}

static double get(struct unit *u, fmi3ValueReference vr)
{
    double x = 0;

    assert_int_equal(u->GetFloat64(u->c, &vr, 1, &x, 1), fmi3OK);
    return x;
}

static int get_int(struct unit *u, fmi3ValueReference vr)
{
    int32_t x = 0;

    assert_int_equal(u->GetInt32(u->c, &vr, 1, &x, 1), fmi3OK);
    return x;
}

static void set(struct unit *u, fmi3ValueReference vr, double x)
{
    assert_int_equal(u->SetFloat64(u->c, &vr, 1, &x, 1), fmi3OK);
}

static void set_int(struct unit *u, fmi3ValueReference vr, int32_t x)
{
    assert_int_equal(u->SetInt32(u->c, &vr, 1, &x, 1), fmi3OK);
}

/* What fmi3DoStep answers. */
struct answer {
    bool event, terminate, early;
    double reached;
};

static fmi3Status try_step(struct unit *u, double t, double h, struct answer *a)
{
    return u->DoStep(u->c, t, h, true, &a->event, &a->terminate, &a->early,
                     &a->reached);
}

static void step(struct unit *u, double t, double h)
{
    struct answer a;

    assert_int_equal(try_step(u, t, h, &a), fmi3OK);
    assert_true(a.reached == t + h);
    assert_false(a.event || a.terminate || a.early);
}

/* Life and values. */

static void
other_interface_types_and_wrong_tokens_give_no_instance(void **state)
{
    struct unit u;
    char token[64];

    (void)state;
    open_unit(&u, "oscillator", 0);
    test_token("oscillator", token);
    assert_string_equal(u.GetVersion(), "3.0");
    assert_null(u.InstantiateScheduledExecution(
        "a", token, NULL, false, true, NULL, take_log, NULL, NULL, NULL));
    assert_string_equal(logged.message, "the model has no scheduled execution");
    assert_null(u.InstantiateCoSimulation("a", "x", NULL, false, true, false,
                                          false, NULL, 0, NULL, take_log,
                                          NULL));
    assert_null(u.InstantiateCoSimulation("a", token, NULL, false, true, true,
                                          false, NULL, 0, NULL, take_log,
                                          NULL));
    assert_string_equal(logged.message, "the model has no event mode");
    close_unit(&u);
    open_unit(&u, "tank", 0);
    test_token("tank", token);
    assert_null(u.InstantiateModelExchange("a", token, NULL, false, true, NULL,
                                           take_log));
    assert_string_equal(logged.message, "the model is for co-simulation only");
    close_unit(&u);
}

static void calls_out_of_order_are_errors_that_report_it(void **state)
{
    struct unit u;
    struct answer a;

    (void)state;
    open_unit(&u, "oscillator", 0);
    assert_int_equal(try_step(&u, 0, 1, &a), fmi3Error);
    assert_string_equal(logged.message,
                        "fmi3DoStep: not allowed before initialisation");
    assert_int_equal(u.EnterStepMode(u.c), fmi3Error);
    start(&u);
    assert_int_equal(u.EnterEventMode(u.c), fmi3Error);
    assert_string_equal(logged.message,
                        "fmi3EnterEventMode: event mode is not in use");
    assert_int_equal(u.DoStep(u.c, 0, 1, true, NULL, NULL, NULL, NULL),
                     fmi3Error);
    assert_int_equal(u.Terminate(u.c), fmi3OK);
    assert_int_equal(u.Terminate(u.c), fmi3Error);
    assert_int_equal(u.Reset(u.c), fmi3OK);
    start(&u);
    assert_int_equal(u.EnterInitializationMode(NULL, 0, 0, 0, 0, 0), fmi3Error);
    assert_int_equal(u.GetFloat64(NULL, NULL, 0, NULL, 0), fmi3Error);
    close_unit(&u);
}

static void what_a_unit_cannot_do_is_an_error_not_a_crash(void **state)
{
    struct unit u;
    size_t n;

    (void)state;
    open_unit(&u, "oscillator", 0);
    start(&u);
    assert_int_equal(u.GetClock(u.c, NULL, 0, NULL), fmi3Error);
    assert_int_equal(u.GetNumberOfContinuousStates(u.c, &n), fmi3OK);
    assert_int_equal(n, 2);
    assert_int_equal(u.GetNumberOfContinuousStates(u.c, NULL), fmi3Error);
    assert_int_equal(u.EnterConfigurationMode(u.c), fmi3Error);
    assert_string_equal(
        logged.message,
        "fmi3EnterConfigurationMode: the model does not support this");
    assert_int_equal(u.EnterConfigurationMode(NULL), fmi3Error);
    close_unit(&u);
}

/* Of kit/test_models/sized.c: references count elements. */
enum { ROWS = 1, COLUMNS, M, U = M + 16, Y = U + 4 };

static fmi3Status resize(struct unit *u, fmi3ValueReference vr, uint64_t n)
{
    return u->SetUInt64(u->c, &vr, 1, &n, 1);
}

static void sizes_are_set_in_configuration_mode(void **state)
{
    const fmi3ValueReference m = M, in = U, out = Y;
    double v[6] = {1, 2, 3, 4, 5, 6}, y[2];
    struct unit u;

    (void)state;
    open_unit(&u, "sized", 0);
    assert_int_equal(u.GetFloat64(u.c, &m, 1, v, 6), fmi3Error);
    assert_int_equal(u.GetFloat64(u.c, &m, 1, v, 2), fmi3OK);
    assert_true(v[0] == 1 && v[1] == 1);
    assert_int_equal(resize(&u, ROWS, 2), fmi3Error);
    assert_int_equal(u.EnterConfigurationMode(u.c), fmi3OK);
    assert_int_equal(u.SetFloat64(u.c, &m, 1, v, 2), fmi3Error);
    assert_string_equal(logged.message, "fmi3SetFloat64: variable 'm' cannot "
                                        "be set in configuration mode");
    assert_int_equal(resize(&u, ROWS, 5), fmi3Error);
    assert_string_equal(logged.message,
                        "fmi3SetUInt64: 'rows' is a size and cannot be 5");
    assert_int_equal(resize(&u, COLUMNS, 4), fmi3Error);
    assert_int_equal(resize(&u, COLUMNS, 0), fmi3Error);
    assert_int_equal(resize(&u, ROWS, 2), fmi3OK);
    assert_int_equal(resize(&u, COLUMNS, 3), fmi3OK);
    assert_int_equal(u.ExitConfigurationMode(u.c), fmi3OK);
    assert_int_equal(u.ExitConfigurationMode(u.c), fmi3Error);
    v[0] = 1;
    v[1] = 2;
    assert_int_equal(u.SetFloat64(u.c, &m, 1, v, 6), fmi3OK);
    start(&u);
    assert_int_equal(u.EnterConfigurationMode(u.c), fmi3Error);
    assert_int_equal(u.GetFloat64(u.c, &out, 1, y, 2), fmi3OK);
    assert_true(y[0] == 2 * (1 + 2 + 3) && y[1] == 2 * (4 + 5 + 6));
    assert_int_equal(u.SetFloat64(u.c, &in, 1, (double[]){1, 0, -1}, 3),
                     fmi3OK);
    assert_int_equal(u.GetFloat64(u.c, &out, 1, y, 2), fmi3OK);
    assert_true(y[0] == 1 - 3 && y[1] == 4 - 6);
    assert_int_equal(u.Reset(u.c), fmi3OK);
    assert_int_equal(u.GetFloat64(u.c, &m, 1, v, 2), fmi3OK);
    close_unit(&u);
}

static void with_logging_off_nothing_is_logged(void **state)
{
    struct unit u;
    struct answer a;
    const fmi3String errors = "logStatusError";

    (void)state;
    open_unit(&u, "oscillator", QUIET);
    assert_int_equal(try_step(&u, 0, 1, &a), fmi3Error);
    assert_int_equal(logged.count, 0);
    assert_int_equal(u.SetDebugLogging(u.c, true, 1, &errors), fmi3OK);
    assert_int_equal(try_step(&u, 0, 1, &a), fmi3Error);
    assert_int_equal(logged.count, 1);
    close_unit(&u);
}

/* Sets the input `vr` of a type and reads the output behind it. */
#define ECHO(Name, vr, number)                                                 \
    do {                                                                       \
        const fmi3ValueReference in = (vr), out = (vr) + 1;                    \
        const fmi3##Name there = (number);                                     \
        fmi3##Name back = 0;                                                   \
                                                                               \
        assert_int_equal(u.Set##Name(u.c, &in, 1, &there, 1), fmi3OK);         \
        assert_int_equal(u.Get##Name(u.c, &out, 1, &back, 1), fmi3OK);         \
        assert_true(back == there);                                            \
    } while (0)

static void every_type_goes_in_and_comes_out(void **state)
{
    const fmi3ValueReference text_in = 23, text_out = 24, mode = 25;
    struct unit u;
    fmi3String text = "Grüße";
    int64_t none = 4;

    (void)state;
    open_unit(&u, "types", 0);
    start(&u);
    ECHO(Float64, 1, DBL_MAX);
    ECHO(Float32, 3, FLT_MAX);
    ECHO(Int8, 5, INT8_MIN);
    ECHO(UInt8, 7, UINT8_MAX);
    ECHO(Int16, 9, INT16_MIN);
    ECHO(UInt16, 11, UINT16_MAX);
    ECHO(Int32, 13, INT32_MIN);
    ECHO(UInt32, 15, UINT32_MAX);
    ECHO(Int64, 17, INT64_MIN);
    ECHO(UInt64, 19, UINT64_MAX - 1);
    ECHO(Boolean, 21, true);
    ECHO(Int64, 25, 3); /* an enumeration */
    assert_int_equal(u.SetInt64(u.c, &mode, 1, &none, 1), fmi3Error);
    assert_string_equal(logged.message,
                        "fmi3SetInt64: 'mode_in' has no item 4");
    assert_int_equal(u.SetString(u.c, &text_in, 1, &text, 1), fmi3OK);
    assert_int_equal(u.GetString(u.c, &text_out, 1, &text, 1), fmi3OK);
    assert_string_equal(text, "Grüße");
    close_unit(&u);
}

static void arrays_travel_whole(void **state)
{
    const fmi3ValueReference in = 27, inner = 28, matrix_in = 33,
                             matrix_out = 39;
    const fmi3ValueReference both[2] = {30, 2};
    const double there[3] = {1, 2, 3};
    struct unit u;
    double back[4];
    int32_t matrix[6];

    (void)state;
    open_unit(&u, "types", 0);
    start(&u);
    set(&u, 45, 10);
    assert_int_equal(u.SetFloat64(u.c, &in, 1, there, 3), fmi3OK);
    assert_int_equal(u.GetFloat64(u.c, both, 2, back, 4), fmi3OK);
    assert_true(back[0] == 10 && back[1] == 20 && back[2] == 30 &&
                back[3] == 0);
    assert_int_equal(u.GetInt32(u.c, &matrix_out, 1, matrix, 6), fmi3OK);
    assert_int_equal(matrix[4], 5);
    matrix[4] = 55;
    assert_int_equal(u.SetInt32(u.c, &matrix_in, 1, matrix, 6), fmi3OK);
    assert_int_equal(u.GetInt32(u.c, &matrix_out, 1, matrix, 6), fmi3OK);
    assert_int_equal(matrix[4], 55);
    assert_int_equal(u.SetFloat64(u.c, &in, 1, there, 2), fmi3Error);
    assert_string_equal(logged.message,
                        "fmi3SetFloat64: number of values does not match");
    assert_int_equal(u.GetFloat64(u.c, both, 1, back, 4), fmi3Error);
    assert_int_equal(u.GetFloat64(u.c, &inner, 1, back, 1), fmi3Error);
    assert_string_equal(logged.message,
                        "fmi3GetFloat64: no variable has value reference 28");
    close_unit(&u);
}

/* Courses. */

static void an_exact_unit_samples_a_cubic_course_and_solves_it(void **state)
{
    static const double p[4] = {1.5, -2, 3, -7};
    struct unit u;
    double x = 1, v = 0.25;

    (void)state;
    open_unit(&u, "oscillator", UPDATE);
    set(&u, OSC_V, v);
    start(&u);
    for (int i = 0; i < 3; i++) {
        double t = i * 0.7;

        u.course = (struct course){.begin = t, .p = {p[0], p[1], p[2], p[3]}};
        step(&u, t, 0.7);
        test_close(get(&u, OSC_X), test_oscillation(2, p, x, v, 0.7), 1e-12);
        test_close(get(&u, OSC_U), 1.5 - 2 * 0.7 + 1.5 * 0.49 - 7.0 / 6 * 0.343,
                   1e-14);
        assert_int_equal(u.course.n_asked, 4);
        assert_true(u.course.asked[0] == t);
        assert_true(u.course.asked[3] == t + 0.7);
        for (int j = 0; j < 3; j++)
            assert_true(u.course.asked[j] < u.course.asked[j + 1]);
        x = get(&u, OSC_X);
        v = get(&u, OSC_V);
    }
    close_unit(&u);
}

static void micro_steps_ask_at_their_own_times(void **state)
{
    struct unit u;
    double v = 0;

    (void)state;
    open_unit(&u, "oscillator", UPDATE);
    set(&u, OSC_C, 0);
    set_int(&u, OSC_MICROSTEPS, 4);
    start(&u);
    u.course = (struct course){.p = {1, 10, 0, 0}};
    step(&u, 0, 1);
    for (int i = 0; i < 4; i++)
        v += 0.25 * (1 + 10 * (i * 0.25));
    assert_true(get(&u, OSC_V) == v);
    assert_int_equal(u.course.n_asked, 5); /* four begins and the end */
    for (int i = 0; i < 5; i++)
        assert_true(u.course.asked[i] == i * 0.25);
    assert_true(get(&u, OSC_U) == 11);
    close_unit(&u);
}

static void only_inputs_may_be_set_in_the_update(void **state)
{
    struct unit u;

    (void)state;
    open_unit(&u, "oscillator", UPDATE);
    start(&u);
    u.course = (struct course){.try_parameter = true};
    step(&u, 0, 1);
    assert_int_equal(u.course.parameter_status, fmi3Error);
    assert_string_equal(logged.message,
                        "fmi3SetFloat64: variable 'g' cannot be "
                        "set in intermediate update mode");
    close_unit(&u);
}

/* The same run in FMI 2: an input course per step, x at the end of each. */
static void run_fmi2(int method, int microsteps, double rate, double x[10])
{
    void *library = test_library("oscillator");
    __typeof__(fmi2Instantiate) *instantiate;
    __typeof__(fmi2FreeInstance) *release;
    __typeof__(fmi2EnterInitializationMode) *enter, *leave;
    __typeof__(fmi2SetReal) *set_real;
    __typeof__(fmi2SetInteger) *set_integer;
    __typeof__(fmi2GetReal) *get_real;
    __typeof__(fmi2SetRealInputDerivatives) *set_rate;
    __typeof__(fmi2DoStep) *do_step;
    const fmi2CallbackFunctions callbacks = {.logger = NULL};
    const fmi2ValueReference choice[2] = {OSC_METHOD, OSC_MICROSTEPS};
    const fmi2ValueReference in = OSC_U, out = OSC_X, damping = OSC_D;
    const int chosen[2] = {method, microsteps}, order = 1;
    const double d = 0.3;
    char token[64];
    fmi2Component c;

    test_bind(library, "fmi2Instantiate", (void *)&instantiate);
    test_bind(library, "fmi2FreeInstance", (void *)&release);
    test_bind(library, "fmi2EnterInitializationMode", (void *)&enter);
    test_bind(library, "fmi2ExitInitializationMode", (void *)&leave);
    test_bind(library, "fmi2SetReal", (void *)&set_real);
    test_bind(library, "fmi2SetInteger", (void *)&set_integer);
    test_bind(library, "fmi2GetReal", (void *)&get_real);
    test_bind(library, "fmi2SetRealInputDerivatives", (void *)&set_rate);
    test_bind(library, "fmi2DoStep", (void *)&do_step);
    test_token("oscillator", token);
    c = instantiate("u", fmi2CoSimulation, token, NULL, &callbacks, 0, 0);
    assert_int_equal(set_integer(c, choice, 2, chosen), fmi2OK);
    assert_int_equal(set_real(c, &damping, 1, &d), fmi2OK);
    assert_int_equal(enter(c), fmi2OK);
    assert_int_equal(leave(c), fmi2OK);
    for (int i = 0; i < 10; i++) {
        double value = cos(i);

        assert_int_equal(set_real(c, &in, 1, &value), fmi2OK);
        if (rate != 0)
            assert_int_equal(set_rate(c, &in, 1, &order, &rate), fmi2OK);
        assert_int_equal(do_step(c, i * 0.2, 0.2, 1), fmi2OK);
        assert_int_equal(get_real(c, &out, 1, &x[i]), fmi2OK);
    }
    release(c);
    assert_int_equal(dlclose(library), 0);
}

static void run_fmi3(int method, int microsteps, double rate, unsigned flags,
                     double x[10])
{
    struct unit u;

    open_unit(&u, "oscillator", flags);
    set_int(&u, OSC_METHOD, method);
    set_int(&u, OSC_MICROSTEPS, microsteps);
    set(&u, OSC_D, 0.3);
    start(&u);
    for (int i = 0; i < 10; i++) {
        set(&u, OSC_U, cos(i));
        u.course = (struct course){
            .begin = i * 0.2, .p = {cos(i), rate, 0, 0}, .hold = rate == 0};
        step(&u, i * 0.2, 0.2);
        x[i] = get(&u, OSC_X);
    }
    close_unit(&u);
}

static void held_inputs_give_the_same_bits_in_fmi_2_and_fmi_3(void **state)
{
    (void)state;
    for (int method = 0; method <= 3; method++) {
        double two[10], three[10], asked[10];
        int n = method ? 7 : 0; /* 0: exact */

        run_fmi2(method, n, 0, two);
        run_fmi3(method, n, 0, 0, three);
        run_fmi3(method, n, 0, UPDATE, asked);
        assert_memory_equal(two, three, sizeof(two));
        assert_memory_equal(two, asked, sizeof(two));
    }
}

static void linear_courses_agree_between_fmi_2_and_fmi_3(void **state)
{
    (void)state;
    for (int method = 0; method <= 3; method++) {
        double two[10], three[10];

        run_fmi2(method, method ? 7 : 0, 1.7, two);
        run_fmi3(method, method ? 7 : 0, 1.7, UPDATE, three);
        for (int i = 0; i < 10; i++)
            test_close(three[i], two[i], 1e-13);
    }
}

/* State and derivatives. */

static void restoring_is_bit_exact_also_from_bytes(void **state)
{
    struct unit u;
    fmi3FMUState saved = NULL, loaded = NULL;
    uint8_t bytes[4096];
    size_t size = 0;
    double first;

    (void)state;
    open_unit(&u, "oscillator", 0);
    start(&u);
    step(&u, 0, 0.1);
    set(&u, OSC_U, 0.3);
    assert_int_equal(u.GetFMUState(u.c, &saved), fmi3OK);
    step(&u, 0.1, 0.3);
    first = get(&u, OSC_X);
    assert_int_equal(u.SetFMUState(u.c, saved), fmi3OK);
    step(&u, 0.1, 0.3);
    assert_true(get(&u, OSC_X) == first);
    assert_int_equal(u.SerializedFMUStateSize(u.c, saved, &size), fmi3OK);
    assert_true(size <= sizeof(bytes));
    assert_int_equal(u.SerializeFMUState(u.c, saved, bytes, size), fmi3OK);
    assert_int_equal(u.Reset(u.c), fmi3OK);
    assert_int_equal(u.DeserializeFMUState(u.c, bytes, size, &loaded), fmi3OK);
    assert_int_equal(u.SetFMUState(u.c, loaded), fmi3OK);
    step(&u, 0.1, 0.3);
    assert_true(get(&u, OSC_X) == first);
    assert_int_equal(u.FreeFMUState(u.c, &saved), fmi3OK);
    assert_int_equal(u.FreeFMUState(u.c, &loaded), fmi3OK);
    close_unit(&u);
}

static void
adjoint_derivatives_are_the_transpose_of_directional_ones(void **state)
{
    static const fmi3ValueReference unknown[] = {OSC_Y, OSC_DV};
    static const fmi3ValueReference known[] = {OSC_U, OSC_X, OSC_V};
    static const double seed[] = {2, 3, 5};
    struct unit u;
    double out[3];

    (void)state;
    open_unit(&u, "oscillator", 0);
    set(&u, OSC_D, 0.5);
    start(&u);
    assert_int_equal(
        u.GetDirectionalDerivative(u.c, unknown, 2, known, 3, seed, 3, out, 2),
        fmi3OK);
    assert_true(out[0] == 3 * 3 - 2 * 2.0);
    assert_true(out[1] == 2 - 4 * 3 - 0.5 * 5);
    assert_int_equal(
        u.GetAdjointDerivative(u.c, unknown, 2, known, 3, seed, 2, out, 3),
        fmi3OK);
    assert_true(out[0] == 2 * -2 + 3 * 1.0);
    assert_true(out[1] == 2 * 3 + 3 * -4.0);
    assert_true(out[2] == 3 * -0.5);
    assert_int_equal(
        u.GetDirectionalDerivative(u.c, unknown, 2, known, 3, seed, 2, out, 2),
        fmi3Error);
    assert_string_equal(
        logged.message,
        "fmi3GetDirectionalDerivative: number of values does not match");
    close_unit(&u);
}

static void derivatives_of_arrays_are_element_by_element(void **state)
{
    const fmi3ValueReference in = 27, out = 30;
    const double seed[3] = {1, 20, 300};
    struct unit u;
    double back[3];

    (void)state;
    open_unit(&u, "types", 0);
    set(&u, 45, 2);
    start(&u);
    assert_int_equal(u.SetFloat64(u.c, &in, 1, (const double[]){1, 2, 3}, 3),
                     fmi3OK);
    assert_int_equal(
        u.GetDirectionalDerivative(u.c, &out, 1, &in, 1, seed, 3, back, 3),
        fmi3OK);
    for (int i = 0; i < 3; i++)
        test_close(back[i], 2 * seed[i], 1e-10);
    close_unit(&u);
}

static void output_derivatives_follow_the_states(void **state)
{
    const fmi3ValueReference out[2] = {OSC_X, OSC_DV};
    const int32_t order[2] = {1, 1};
    struct unit u;
    double rate[2];

    (void)state;
    open_unit(&u, "oscillator", 0);
    start(&u);
    step(&u, 0, 0.4);
    assert_int_equal(u.GetOutputDerivatives(u.c, out, 2, order, rate, 2),
                     fmi3OK);
    test_close(rate[0], -2 * sin(0.8), 1e-12);
    test_close(rate[1], 8 * sin(0.8), 1e-12);
    close_unit(&u);
}

/* Outcomes of a step and events. */

static void a_rejected_step_is_discarded_and_changes_nothing(void **state)
{
    struct unit u;
    struct answer a;

    (void)state;
    open_unit(&u, "hooks", 0);
    start(&u);
    set_int(&u, HOOK_COMMAND, REJECT);
    assert_int_equal(try_step(&u, 0, 1, &a), fmi3Discard);
    assert_true(a.reached == 0);
    set_int(&u, HOOK_COMMAND, NOTHING);
    step(&u, 0, 0.5);
    test_close(get(&u, HOOK_X), 0.5, 1e-15);
    close_unit(&u);
}

static void early_return_needs_the_importers_permission(void **state)
{
    struct unit u;
    struct answer a;

    (void)state;
    open_unit(&u, "hooks", EARLY);
    start(&u);
    set(&u, HOOK_WHEN, 0.35);
    set_int(&u, HOOK_COMMAND, STOP_EARLY);
    assert_int_equal(try_step(&u, 0, 1, &a), fmi3OK);
    assert_true(a.early && !a.terminate && !a.event);
    assert_true(a.reached == 0.4);
    test_close(get(&u, HOOK_Y), 0.8, 1e-15);
    close_unit(&u);

    open_unit(&u, "hooks", 0);
    start(&u);
    set(&u, HOOK_WHEN, 0.35);
    set_int(&u, HOOK_COMMAND, STOP_EARLY);
    step(&u, 0, 1);
    test_close(get(&u, HOOK_X), 1, 1e-15);
    close_unit(&u);
}

static void a_unit_can_end_the_simulation(void **state)
{
    struct unit u;
    struct answer a;

    (void)state;
    open_unit(&u, "hooks", EARLY);
    start(&u);
    set(&u, HOOK_WHEN, 0.45);
    set_int(&u, HOOK_COMMAND, TERMINATE);
    assert_int_equal(try_step(&u, 0, 1, &a), fmi3OK);
    assert_true(a.terminate && a.early);
    assert_true(a.reached == 0.5);
    assert_int_equal(u.Terminate(u.c), fmi3OK);
    close_unit(&u);
}

static void a_failing_unit_returns_error_and_a_dying_one_fatal(void **state)
{
    struct unit u;
    struct answer a;

    (void)state;
    open_unit(&u, "hooks", 0);
    start(&u);
    set_int(&u, HOOK_COMMAND, FAIL);
    assert_int_equal(try_step(&u, 0, 1, &a), fmi3Error);
    assert_int_equal(u.Reset(u.c), fmi3OK);
    start(&u);
    set_int(&u, HOOK_COMMAND, FAIL_FATALLY);
    assert_int_equal(try_step(&u, 0, 1, &a), fmi3Fatal);
    assert_int_equal(u.Reset(u.c), fmi3Fatal);
    close_unit(&u);
}

static void settle(struct unit *u, bool *next_known, double *next)
{
    bool again = true, terminate, nominals, states;

    while (again)
        assert_int_equal(u->UpdateDiscreteStates(u->c, &again, &terminate,
                                                 &nominals, &states, next_known,
                                                 next),
                         fmi3OK);
    assert_int_equal(u->EnterStepMode(u->c), fmi3OK);
}

static void in_event_mode_the_importer_runs_events(void **state)
{
    struct unit u;
    struct answer a;
    bool known = false;
    double next = 0;

    (void)state;
    open_unit(&u, "hooks", EVENTS | EARLY);
    set(&u, HOOK_PERIOD, 0.3);
    start(&u); /* ends in event mode */
    assert_int_equal(get_int(&u, HOOK_EVENTS), 0);
    settle(&u, &known, &next);
    assert_true(known && next == 0.3);
    assert_int_equal(try_step(&u, 0, 1, &a), fmi3OK);
    assert_true(a.event && a.early && a.reached == 0.3);
    assert_int_equal(u.EnterEventMode(u.c), fmi3OK);
    assert_int_equal(u.EvaluateDiscreteStates(u.c), fmi3OK);
    settle(&u, &known, &next);
    assert_true(known && next == 0.6);
    assert_int_equal(get_int(&u, HOOK_EVENTS), 2);
    set_int(&u, HOOK_COMMAND, EVENT);
    set(&u, HOOK_WHEN, 0.4);
    assert_int_equal(try_step(&u, 0.3, 0.1, &a), fmi3OK);
    assert_true(a.event && !a.early && a.reached == 0.3 + 0.1);
    close_unit(&u);
}

static void without_event_mode_the_kit_runs_events(void **state)
{
    struct unit u;

    (void)state;
    open_unit(&u, "hooks", EARLY);
    set(&u, HOOK_PERIOD, 0.3);
    start(&u);
    step(&u, 0, 1);
    assert_int_equal(get_int(&u, HOOK_EVENTS), 4);
    close_unit(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(
            other_interface_types_and_wrong_tokens_give_no_instance),
        cmocka_unit_test(calls_out_of_order_are_errors_that_report_it),
        cmocka_unit_test(what_a_unit_cannot_do_is_an_error_not_a_crash),
        cmocka_unit_test(sizes_are_set_in_configuration_mode),
        cmocka_unit_test(with_logging_off_nothing_is_logged),
        cmocka_unit_test(every_type_goes_in_and_comes_out),
        cmocka_unit_test(arrays_travel_whole),
        cmocka_unit_test(an_exact_unit_samples_a_cubic_course_and_solves_it),
        cmocka_unit_test(micro_steps_ask_at_their_own_times),
        cmocka_unit_test(only_inputs_may_be_set_in_the_update),
        cmocka_unit_test(held_inputs_give_the_same_bits_in_fmi_2_and_fmi_3),
        cmocka_unit_test(linear_courses_agree_between_fmi_2_and_fmi_3),
        cmocka_unit_test(restoring_is_bit_exact_also_from_bytes),
        cmocka_unit_test(
            adjoint_derivatives_are_the_transpose_of_directional_ones),
        cmocka_unit_test(derivatives_of_arrays_are_element_by_element),
        cmocka_unit_test(output_derivatives_follow_the_states),
        cmocka_unit_test(a_rejected_step_is_discarded_and_changes_nothing),
        cmocka_unit_test(early_return_needs_the_importers_permission),
        cmocka_unit_test(a_unit_can_end_the_simulation),
        cmocka_unit_test(a_failing_unit_returns_error_and_a_dying_one_fatal),
        cmocka_unit_test(in_event_mode_the_importer_runs_events),
        cmocka_unit_test(without_event_mode_the_kit_runs_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
