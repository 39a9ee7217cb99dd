/* SPDX-License-Identifier: MIT */
/* The life, the values and the steps of a unit, through FMI 2.0. */
#include <locale.h>

#include "kit_test_fmi2.h"

static void a_wrong_guid_is_refused_and_the_right_one_named(void **state)
{
    struct unit u;
    char token[64], expected[256];

    (void)state;
    open_unit(&u, "oscillator");
    test_token("oscillator", token);
    (void)snprintf(expected, sizeof(expected),
                   "model description does not belong to this model: its token "
                   "is '{0}', expected '%s'",
                   token);
    assert_null(
        u.Instantiate("a", fmi2CoSimulation, "{0}", NULL, &callbacks, 0, 0));
    assert_string_equal(logged.message, expected);
    assert_null(u.Instantiate("", fmi2CoSimulation, token, NULL, NULL, 0, 0));
    assert_string_equal(u.GetVersion(), "2.0");
    assert_string_equal(u.GetTypesPlatform(), "default");
    close_unit(&u);
}

static void
a_state_whose_derivative_is_hidden_is_for_co_simulation(void **state)
{
    struct unit u;
    char token[64];

    (void)state;
    open_unit(&u, "tank");
    test_token("tank", token);
    assert_null(
        u.Instantiate("a", fmi2ModelExchange, token, NULL, &callbacks, 0, 0));
    assert_string_equal(logged.message, "the model is for co-simulation only");
    close_unit(&u);
}

/* x'' = -c x - d x' + u + g with c = 4, in the hands of an importer. */
static void states_and_derivatives_are_exchanged(void **state)
{
    struct unit u;
    fmi2EventInfo info;
    fmi2Boolean enter = 1, end = 1;
    char token[64];
    double x[2] = {0, 0}, dx[2], nominal[2];

    (void)state;
    open_unit(&u, "oscillator");
    test_token("oscillator", token);
    assert_int_equal(u.EnterEventMode(u.c), fmi2Error);
    u.FreeInstance(u.c);
    u.c = u.Instantiate("a", fmi2ModelExchange, token, NULL, &callbacks, 0, 1);
    assert_non_null(u.c);
    assert_int_equal(u.SetupExperiment(u.c, 0, 0, 0, 0, 0), fmi2OK);
    start(&u);
    assert_int_equal(u.NewDiscreteStates(u.c, &info), fmi2OK);
    assert_false(info.newDiscreteStatesNeeded || info.terminateSimulation ||
                 info.nextEventTimeDefined);
    assert_int_equal(u.SetContinuousStates(u.c, x, 2), fmi2Error);
    assert_int_equal(u.EnterContinuousTimeMode(u.c), fmi2OK);
    assert_int_equal(u.GetContinuousStates(u.c, x, 2), fmi2OK);
    assert_true(x[0] == 1 && x[1] == 0);
    x[0] = 3;
    x[1] = 5;
    assert_int_equal(u.SetTime(u.c, 0.5), fmi2OK);
    assert_int_equal(u.SetContinuousStates(u.c, x, 2), fmi2OK);
    assert_int_equal(u.GetDerivatives(u.c, dx, 2), fmi2OK);
    assert_true(dx[0] == 5 && dx[1] == -12);
    assert_int_equal(u.GetDerivatives(u.c, dx, 3), fmi2Error);
    assert_string_equal(logged.message,
                        "fmi2GetDerivatives: 3 values given, there are 2");
    assert_int_equal(u.GetNominalsOfContinuousStates(u.c, nominal, 2), fmi2OK);
    assert_true(nominal[0] == 1 && nominal[1] == 1);
    assert_int_equal(u.GetEventIndicators(u.c, NULL, 0), fmi2OK);
    assert_int_equal(u.CompletedIntegratorStep(u.c, 1, &enter, &end), fmi2OK);
    assert_false(enter || end);
    assert_int_equal(u.DoStep(u.c, 0.5, 0.1, 1), fmi2Error);
    assert_string_equal(
        logged.message,
        "fmi2DoStep: the model was instantiated for model exchange");
    assert_int_equal(u.EnterEventMode(u.c), fmi2OK);
    assert_int_equal(u.Terminate(u.c), fmi2OK);
    close_unit(&u);
}

static void calls_out_of_order_are_errors_that_report_it(void **state)
{
    struct unit u;

    (void)state;
    open_unit(&u, "oscillator");
    assert_int_equal(u.DoStep(u.c, 0, 0.1, 1), fmi2Error);
    assert_string_equal(logged.message,
                        "fmi2DoStep: not allowed before initialisation");
    assert_string_equal(logged.category, "logStatusError");
    assert_int_equal(u.ExitInitializationMode(u.c), fmi2Error);
    assert_int_equal(u.EnterInitializationMode(u.c), fmi2OK);
    assert_int_equal(u.EnterInitializationMode(u.c), fmi2Error);
    assert_string_equal(
        logged.message,
        "fmi2EnterInitializationMode: not allowed in initialisation mode");
    assert_int_equal(u.SetupExperiment(u.c, 0, 0, 0, 0, 0), fmi2Error);
    assert_int_equal(u.Terminate(u.c), fmi2Error);
    assert_int_equal(u.ExitInitializationMode(u.c), fmi2OK);
    step(&u, 0, 0.1);
    assert_int_equal(u.Terminate(u.c), fmi2OK);
    assert_int_equal(u.DoStep(u.c, 0.1, 0.1, 1), fmi2Error);
    assert_string_equal(logged.message,
                        "fmi2DoStep: not allowed after termination");
    assert_int_equal(u.Reset(u.c), fmi2OK);
    start(&u);
    close_unit(&u);
}

static void without_an_instance_every_function_is_an_error(void **state)
{
    struct unit u;
    double x = 0;
    size_t size = 0;

    (void)state;
    open_unit(&u, "oscillator");
    assert_int_equal(u.SetDebugLogging(NULL, 1, 0, NULL), fmi2Error);
    assert_int_equal(u.SetupExperiment(NULL, 0, 0, 0, 0, 0), fmi2Error);
    assert_int_equal(u.EnterInitializationMode(NULL), fmi2Error);
    assert_int_equal(u.ExitInitializationMode(NULL), fmi2Error);
    assert_int_equal(u.Terminate(NULL), fmi2Error);
    assert_int_equal(u.Reset(NULL), fmi2Error);
    assert_int_equal(u.GetReal(NULL, NULL, 0, NULL), fmi2Error);
    assert_int_equal(u.SetString(NULL, NULL, 0, NULL), fmi2Error);
    assert_int_equal(u.GetFMUstate(NULL, NULL), fmi2Error);
    assert_int_equal(u.SerializedFMUstateSize(NULL, NULL, &size), fmi2Error);
    assert_int_equal(u.DoStep(NULL, 0, 1, 1), fmi2Error);
    assert_int_equal(u.CancelStep(NULL), fmi2Error);
    assert_int_equal(u.GetMaxStepsize(NULL, &x), fmi2Error);
    assert_int_equal(u.GetRealStatus(NULL, fmi2LastSuccessfulTime, &x),
                     fmi2Error);
    u.FreeInstance(NULL);
    close_unit(&u);
}

static void missing_arguments_are_errors_and_empty_calls_succeed(void **state)
{
    struct unit u;
    fmi2ValueReference vr = OSC_U;
    double x = 0;

    (void)state;
    open_unit(&u, "oscillator");
    start(&u);
    assert_int_equal(u.GetReal(u.c, NULL, 1, &x), fmi2Error);
    assert_string_equal(logged.message, "fmi2GetReal: missing arguments");
    assert_int_equal(u.SetReal(u.c, &vr, 1, NULL), fmi2Error);
    assert_int_equal(u.SetRealInputDerivatives(u.c, &vr, 1, NULL, &x),
                     fmi2Error);
    assert_int_equal(u.GetFMUstate(u.c, NULL), fmi2Error);
    assert_int_equal(u.SetFMUstate(u.c, NULL), fmi2Error);
    assert_int_equal(u.GetMaxStepsize(u.c, NULL), fmi2Error);
    assert_int_equal(u.GetReal(u.c, NULL, 0, NULL), fmi2OK);
    assert_int_equal(u.SetReal(u.c, NULL, 0, NULL), fmi2OK);
    assert_int_equal(
        u.GetDirectionalDerivative(u.c, NULL, 0, NULL, 0, NULL, NULL), fmi2OK);
    assert_int_equal(u.GetRealOutputDerivatives(u.c, NULL, 0, NULL, NULL),
                     fmi2OK);
    close_unit(&u);
}

static void units_without_a_logger_stay_silent(void **state)
{
    struct unit u;
    const fmi2CallbackFunctions none = {.logger = NULL};
    char token[64];
    fmi2Component c;

    (void)state;
    open_unit(&u, "oscillator");
    test_token("oscillator", token);
    assert_null(u.Instantiate("a", fmi2CoSimulation, "no", NULL, NULL, 0, 1));
    c = u.Instantiate("a", fmi2CoSimulation, token, NULL, &none, 0, 1);
    assert_int_equal(u.DoStep(c, 0, 1, 1), fmi2Error);
    u.FreeInstance(c);
    close_unit(&u);
}

static void only_fmi_functions_are_exported(void **state)
{
    void *library = test_library("oscillator");

    (void)state;
    assert_null(dlsym(library, "tutti_model"));
    assert_null(dlsym(library, "tutti_log"));
    assert_null(dlsym(library, "instance_new"));
    assert_int_equal(dlclose(library), 0);
}

static void
logging_follows_categories_and_keeps_special_characters(void **state)
{
    struct unit u;
    const fmi2String events = "logEvents", all = "logAll", bad = "loud";

    (void)state;
    open_unit(&u, "hooks");
    start(&u);
    set_int(&u, HOOK_COMMAND, LOG);
    step(&u, 0, 1);
    assert_int_equal(logged.count, 10);
    assert_string_equal(logged.message, "100% of /tmp/my unit/resources/");
    assert_string_equal(logged.category, "logEvents");
    assert_int_equal(u.SetDebugLogging(u.c, 0, 1, &events), fmi2OK);
    step(&u, 1, 1);
    assert_int_equal(logged.count, 10);
    assert_int_equal(u.SetDebugLogging(u.c, 1, 1, &all), fmi2OK);
    step(&u, 2, 1);
    assert_int_equal(logged.count, 20);
    assert_int_equal(u.SetDebugLogging(u.c, 1, 1, &bad), fmi2Error);
    assert_string_equal(logged.message,
                        "fmi2SetDebugLogging: unknown log category 'loud'");
    close_unit(&u);
}

static void values_can_be_read_after_termination(void **state)
{
    struct unit u;
    fmi2ValueReference in = OSC_U;
    double x = 1;

    (void)state;
    open_unit(&u, "oscillator");
    start(&u);
    step(&u, 0, 0.5);
    assert_int_equal(u.Terminate(u.c), fmi2OK);
    test_close(get(&u, OSC_Y), 3 * cos(1), 1e-13);
    assert_int_equal(u.SetReal(u.c, &in, 1, &x), fmi2Error);
    close_unit(&u);
}

/* Values. */

/* Value references of test_models/types.c. */
enum {
    T_F64 = 1,
    T_F32 = 3,
    T_I8 = 5,
    T_U8 = 7,
    T_I16 = 9,
    T_U16 = 11,
    T_I32 = 13,
    T_U32 = 15,
    T_I64 = 17,
    T_U64 = 19,
    T_BOOL = 21,
    T_TEXT = 23,
    T_MODE = 25,
    T_VECTOR = 27,
    T_VECTOR_OUT = 30,
    T_MATRIX = 33,
    T_MATRIX_OUT = 39,
    T_GAIN = 45,
    T_BIAS,
    T_COUNT,
    T_CELSIUS,
};

static void every_type_goes_in_and_comes_out(void **state)
{
    static const int integers[][2] = {
        {T_I8, -128},     {T_U8, 255},      {T_I16, -32768},
        {T_U16, 65535},   {T_I32, INT_MIN}, {T_U32, INT_MAX},
        {T_I64, INT_MIN}, {T_U64, 7},       {T_MODE, 3}};
    struct unit u;
    fmi2ValueReference vr;
    fmi2String text = "Grüße";
    int yes = 1, no = 0;

    (void)state;
    open_unit(&u, "types");
    start(&u);
    set(&u, T_F64, DBL_TRUE_MIN);
    assert_true(get(&u, T_F64 + 1) == DBL_TRUE_MIN);
    set(&u, T_F32, 0.1);
    assert_true(get(&u, T_F32 + 1) == (double)0.1f);
    for (size_t i = 0; i < sizeof(integers) / sizeof(integers[0]); i++) {
        set_int(&u, (fmi2ValueReference)integers[i][0], integers[i][1]);
        assert_int_equal(get_int(&u, (fmi2ValueReference)integers[i][0] + 1),
                         integers[i][1]);
    }
    vr = T_BOOL;
    assert_int_equal(u.SetBoolean(u.c, &vr, 1, &yes), fmi2OK);
    vr++;
    assert_int_equal(u.GetBoolean(u.c, &vr, 1, &no), fmi2OK);
    assert_int_equal(no, 1);
    vr = T_TEXT;
    assert_int_equal(u.SetString(u.c, &vr, 1, &text), fmi2OK);
    vr++;
    text = NULL;
    assert_int_equal(u.GetString(u.c, &vr, 1, &text), fmi2OK);
    assert_string_equal(text, "Grüße");
    close_unit(&u);
}

static void what_does_not_fit_is_refused_and_changes_nothing(void **state)
{
    struct unit u;
    fmi2ValueReference vr = T_U8;
    const fmi2String longer = "sixteen and more", missing = NULL;
    fmi2String text;
    int n = 256;

    (void)state;
    open_unit(&u, "types");
    start(&u);
    set_int(&u, T_U8, 9);
    assert_int_equal(u.SetInteger(u.c, &vr, 1, &n), fmi2Error);
    assert_string_equal(logged.message,
                        "fmi2SetInteger: 256 is out of range for 'u8_in'");
    assert_int_equal(get_int(&u, T_U8 + 1), 9);
    vr = T_MODE;
    n = 4;
    assert_int_equal(u.SetInteger(u.c, &vr, 1, &n), fmi2Error);
    vr = T_U32;
    n = -1;
    assert_int_equal(u.SetInteger(u.c, &vr, 1, &n), fmi2Error);
    vr = T_U64 + 1; /* starts at 2^64 - 1 */
    assert_int_equal(u.GetInteger(u.c, &vr, 1, &n), fmi2Error);
    assert_string_equal(
        logged.message,
        "fmi2GetInteger: value of 'u64_out' does not fit into 32 bits");
    vr = T_TEXT;
    assert_int_equal(u.SetString(u.c, &vr, 1, &longer), fmi2Error);
    assert_string_equal(logged.message,
                        "fmi2SetString: 'text_in' holds at most 15 bytes");
    assert_int_equal(u.SetString(u.c, &vr, 1, &missing), fmi2Error);
    assert_int_equal(u.GetString(u.c, &vr, 1, &text), fmi2OK);
    assert_string_equal(text, "a<b & \"c\"");
    close_unit(&u);
}

static void arrays_are_one_scalar_per_element(void **state)
{
    static const fmi2ValueReference out[3] = {T_VECTOR_OUT, T_VECTOR_OUT + 1,
                                              T_VECTOR_OUT + 2};
    struct unit u;
    double v[3];

    (void)state;
    open_unit(&u, "types");
    start(&u);
    assert_int_equal(u.GetReal(u.c, out, 3, v), fmi2OK);
    assert_true(v[0] == 0.1 && v[1] == -2.5e-300 && v[2] == 1e22);
    set(&u, T_VECTOR + 1, 4);
    set(&u, T_GAIN, 2.5);
    assert_int_equal(u.GetReal(u.c, out, 3, v), fmi2OK);
    assert_true(v[1] == 10);
    for (unsigned i = 0; i < 6; i++)
        assert_int_equal(get_int(&u, T_MATRIX_OUT + i), (int)i + 1);
    set_int(&u, T_MATRIX + 4, 50);
    assert_int_equal(get_int(&u, T_MATRIX_OUT + 4), 50);
    close_unit(&u);
}

static void a_value_reference_of_no_variable_is_named(void **state)
{
    struct unit u;
    fmi2ValueReference vr = 999, time = 0, text = T_TEXT;
    double x;

    (void)state;
    open_unit(&u, "types");
    start(&u);
    assert_int_equal(u.GetReal(u.c, &vr, 1, &x), fmi2Error);
    assert_string_equal(logged.message,
                        "fmi2GetReal: no variable has value reference 999");
    assert_int_equal(u.SetReal(u.c, &vr, 1, &x), fmi2Error);
    assert_int_equal(u.GetReal(u.c, &text, 1, &x), fmi2Error);
    assert_string_equal(logged.message,
                        "fmi2GetReal: variable 'text_in' is of another type");
    step(&u, 0, 0.5);
    assert_true(get(&u, 0) == 0.5);
    assert_int_equal(u.SetReal(u.c, &time, 1, &x), fmi2Error);
    close_unit(&u);
}

static void what_may_be_set_depends_on_the_phase(void **state)
{
    struct unit u;
    fmi2ValueReference bias = T_BIAS, count = T_COUNT, out = T_F64 + 1;
    double x = 2;
    int n = 40;

    (void)state;
    open_unit(&u, "types");
    set(&u, T_BIAS, 1);
    set_int(&u, T_COUNT, 40);
    assert_int_equal(u.SetReal(u.c, &out, 1, &x), fmi2Error);
    assert_string_equal(
        logged.message,
        "fmi2SetReal: variable 'f64_out' cannot be set before initialisation");
    assert_int_equal(u.EnterInitializationMode(u.c), fmi2OK);
    set(&u, T_BIAS, 3);
    set(&u, T_F64, 5);
    assert_true(get(&u, T_F64 + 1) == 5);
    assert_int_equal(u.ExitInitializationMode(u.c), fmi2OK);
    assert_int_equal(u.SetReal(u.c, &bias, 1, &x), fmi2Error);
    assert_string_equal(
        logged.message,
        "fmi2SetReal: variable 'offset.bias' cannot be set in step mode");
    assert_int_equal(u.SetInteger(u.c, &count, 1, &n), fmi2Error);
    set(&u, T_GAIN, 7); /* tunable */
    step(&u, 0, 1);
    assert_int_equal(get_int(&u, T_COUNT), 41);
    assert_true(get(&u, T_BIAS) == 3);
    assert_true(get(&u, T_CELSIUS) == 21);
    close_unit(&u);
}

static void outputs_follow_inputs_without_a_step(void **state)
{
    struct unit u;

    (void)state;
    open_unit(&u, "oscillator");
    set(&u, OSC_X, 2);
    start(&u);
    set(&u, OSC_U, 5);
    assert_true(get(&u, OSC_Y) == 3 * 2 - 2 * 5);
    assert_true(get(&u, OSC_DV) == -4 * 2 + 5);
    set(&u, OSC_U, 6);
    assert_true(get(&u, OSC_Y) == 3 * 2 - 2 * 6);
    close_unit(&u);
}

/* State. */

static void restoring_is_bit_exact_and_includes_courses(void **state)
{
    static const double course[4] = {0.3, 1.1, -0.7, 2.9};
    struct unit u;
    fmi2FMUstate saved = NULL;
    double first[2], second[2];

    (void)state;
    open_unit(&u, "oscillator");
    start(&u);
    step(&u, 0, 0.1);
    set_course(&u, OSC_U, course);
    assert_int_equal(u.GetFMUstate(u.c, &saved), fmi2OK);
    step(&u, 0.1, 0.3);
    first[0] = get(&u, OSC_X);
    first[1] = get(&u, OSC_Y);
    set(&u, OSC_U, -4);
    step(&u, 0.4, 0.7);
    assert_int_equal(u.SetFMUstate(u.c, saved), fmi2OK);
    assert_true(get(&u, 0) == 0.1);
    step(&u, 0.1, 0.3);
    second[0] = get(&u, OSC_X);
    second[1] = get(&u, OSC_Y);
    assert_memory_equal(first, second, sizeof(first));
    assert_int_equal(u.GetFMUstate(u.c, &saved), fmi2OK); /* reused */
    assert_int_equal(u.FreeFMUstate(u.c, &saved), fmi2OK);
    assert_null(saved);
    assert_int_equal(u.FreeFMUstate(u.c, &saved), fmi2OK);
    close_unit(&u);
}

static void a_serialised_state_moves_to_another_instance(void **state)
{
    static const double course[4] = {0.3, 1.1, -0.7, 2.9};
    struct unit u, w;
    fmi2FMUstate saved = NULL, loaded = NULL;
    char bytes[4096];
    size_t size = 0;

    (void)state;
    open_unit(&u, "oscillator");
    open_unit(&w, "oscillator");
    start(&u);
    step(&u, 0, 0.1);
    set_course(&u, OSC_U, course);
    assert_int_equal(u.GetFMUstate(u.c, &saved), fmi2OK);
    assert_int_equal(u.SerializedFMUstateSize(u.c, saved, &size), fmi2OK);
    assert_true(size > 0 && size <= sizeof(bytes));
    assert_int_equal(u.SerializeFMUstate(u.c, saved, bytes, size - 1),
                     fmi2Error);
    assert_int_equal(u.SerializeFMUstate(u.c, saved, bytes, size), fmi2OK);
    assert_int_equal(w.DeSerializeFMUstate(w.c, bytes, size, &loaded), fmi2OK);
    assert_int_equal(w.SetFMUstate(w.c, loaded), fmi2OK);
    step(&u, 0.1, 0.3);
    step(&w, 0.1, 0.3);
    assert_true(get(&u, OSC_X) == get(&w, OSC_X));
    assert_int_equal(u.FreeFMUstate(u.c, &saved), fmi2OK);
    assert_int_equal(w.FreeFMUstate(w.c, &loaded), fmi2OK);
    close_unit(&w);
    close_unit(&u);
}

static void foreign_bytes_are_not_a_state(void **state)
{
    struct unit u, w;
    fmi2FMUstate saved = NULL, loaded = NULL;
    char bytes[4096] = {0};
    size_t size = 0;

    (void)state;
    open_unit(&u, "types");
    open_unit(&w, "oscillator");
    assert_int_equal(u.GetFMUstate(u.c, &saved), fmi2OK);
    assert_int_equal(u.SerializedFMUstateSize(u.c, saved, &size), fmi2OK);
    assert_int_equal(u.SerializeFMUstate(u.c, saved, bytes, size), fmi2OK);
    assert_int_equal(w.DeSerializeFMUstate(w.c, bytes, size, &loaded),
                     fmi2Error);
    assert_string_equal(logged.message,
                        "fmi2DeSerializeFMUstate: not a state of this model");
    assert_int_equal(w.DeSerializeFMUstate(w.c, bytes, 3, &loaded), fmi2Error);
    assert_null(loaded);
    assert_int_equal(u.FreeFMUstate(u.c, &saved), fmi2OK);
    close_unit(&w);
    close_unit(&u);
}

/* Outcomes of a step. */

static double last_time(struct unit *u)
{
    double t = -1;

    assert_int_equal(u->GetRealStatus(u->c, fmi2LastSuccessfulTime, &t),
                     fmi2OK);
    return t;
}

static int terminated(struct unit *u)
{
    int flag = -1;

    assert_int_equal(u->GetBooleanStatus(u->c, fmi2Terminated, &flag), fmi2OK);
    return flag;
}

static void a_rejected_step_leaves_the_unit_as_it_was(void **state)
{
    struct unit u;
    fmi2Status status = fmi2OK;

    (void)state;
    open_unit(&u, "hooks");
    start(&u);
    step(&u, 0, 1);
    set(&u, HOOK_WHEN, 1.5);
    set_int(&u, HOOK_COMMAND, REJECT);
    assert_int_equal(u.DoStep(u.c, 1, 1, 1), fmi2Discard);
    assert_string_equal(logged.message, "fmi2DoStep: step from t=1 rejected");
    assert_string_equal(logged.category, "logStatusDiscard");
    assert_true(last_time(&u) == 1);
    assert_false(terminated(&u));
    assert_int_equal(u.GetStatus(u.c, fmi2DoStepStatus, &status), fmi2OK);
    assert_int_equal(status, fmi2Discard);
    test_close(get(&u, HOOK_X), 1, 1e-15);
    step(&u, 1, 0.25); /* a shorter one passes */
    test_close(get(&u, HOOK_Y), 2.5, 1e-15);
    close_unit(&u);
}

static void an_early_stop_is_a_discard_with_the_time_reached(void **state)
{
    struct unit u;

    (void)state;
    open_unit(&u, "hooks");
    start(&u);
    set(&u, HOOK_WHEN, 0.35);
    set_int(&u, HOOK_COMMAND, STOP_EARLY);
    assert_int_equal(u.DoStep(u.c, 0, 1, 1), fmi2Discard);
    assert_string_equal(logged.message, "fmi2DoStep: stopped early at t=0.4");
    assert_true(last_time(&u) == 0.4);
    test_close(get(&u, HOOK_X), 0.4, 1e-15);
    set_int(&u, HOOK_COMMAND, NOTHING);
    step(&u, 0.4, 0.6);
    test_close(get(&u, HOOK_X), 1, 1e-15);
    close_unit(&u);
}

static void a_unit_that_ends_the_simulation_states_terminated(void **state)
{
    struct unit u;

    (void)state;
    open_unit(&u, "hooks");
    start(&u);
    set(&u, HOOK_WHEN, 0.45);
    set_int(&u, HOOK_COMMAND, TERMINATE);
    assert_int_equal(u.DoStep(u.c, 0, 1, 1), fmi2Discard);
    assert_true(terminated(&u));
    assert_true(last_time(&u) == 0.5);
    assert_int_equal(u.DoStep(u.c, 0.5, 0.5, 1), fmi2Discard);
    assert_string_equal(logged.message,
                        "fmi2DoStep: the model has ended at t=0.5");
    assert_int_equal(u.Terminate(u.c), fmi2OK);
    close_unit(&u);
}

static void after_a_failure_a_unit_can_be_restored_or_reset(void **state)
{
    struct unit u;
    fmi2FMUstate saved = NULL;

    (void)state;
    open_unit(&u, "hooks");
    start(&u);
    step(&u, 0, 1);
    assert_int_equal(u.GetFMUstate(u.c, &saved), fmi2OK);
    set_int(&u, HOOK_COMMAND, FAIL);
    assert_int_equal(u.DoStep(u.c, 1, 1, 1), fmi2Error);
    assert_string_equal(logged.message, "asked to fail");
    assert_int_equal(u.DoStep(u.c, 1, 1, 1), fmi2Error);
    assert_string_equal(logged.message,
                        "fmi2DoStep: not allowed after an error");
    assert_int_equal(u.SetFMUstate(u.c, saved), fmi2OK);
    step(&u, 1, 1);
    test_close(get(&u, HOOK_X), 2, 1e-15);
    set_int(&u, HOOK_COMMAND, FAIL);
    assert_int_equal(u.DoStep(u.c, 2, 1, 1), fmi2Error);
    assert_int_equal(u.Reset(u.c), fmi2OK);
    start(&u);
    step(&u, 0, 1);
    assert_int_equal(u.FreeFMUstate(u.c, &saved), fmi2OK);
    close_unit(&u);
}

static void outputs_that_fail_make_the_reading_fail(void **state)
{
    struct unit u;
    fmi2ValueReference y = HOOK_Y;
    double x;

    (void)state;
    open_unit(&u, "hooks");
    start(&u);
    set_int(&u, HOOK_COMMAND, FAIL_IN_OUTPUTS);
    assert_int_equal(u.GetReal(u.c, &y, 1, &x), fmi2Error);
    assert_string_equal(logged.message, "no output for ##7"); /* # escaped */
    close_unit(&u);
}

static void after_a_fatal_failure_everything_is_fatal(void **state)
{
    struct unit u;
    double x;

    (void)state;
    open_unit(&u, "hooks");
    start(&u);
    set_int(&u, HOOK_COMMAND, FAIL_FATALLY);
    assert_int_equal(u.DoStep(u.c, 0, 1, 1), fmi2Fatal);
    assert_string_equal(logged.message, "asked to die");
    assert_int_equal(u.Reset(u.c), fmi2Fatal);
    assert_int_equal(u.GetMaxStepsize(u.c, &x), fmi2Fatal);
    close_unit(&u);
}

static void steps_beyond_the_maximum_are_discarded(void **state)
{
    struct unit u, w;
    double most = 0;

    (void)state;
    open_unit(&u, "hooks");
    set(&u, HOOK_LIMIT, 0.1);
    start(&u);
    assert_int_equal(u.GetMaxStepsize(u.c, &most), fmi2OK);
    assert_true(most == 0.1);
    assert_int_equal(u.DoStep(u.c, 0, 0.5, 1), fmi2Discard);
    assert_string_equal(logged.message,
                        "fmi2DoStep: step 0.5 s exceeds the maximum 0.1");
    assert_true(last_time(&u) == 0);
    step(&u, 0, 0.1);
    close_unit(&u);
    open_unit(&w, "oscillator");
    start(&w);
    assert_int_equal(w.GetMaxStepsize(w.c, &most), fmi2Discard);
    close_unit(&w);
}

static void steps_from_elsewhere_or_backwards_are_refused(void **state)
{
    struct unit u;

    (void)state;
    open_unit(&u, "hooks");
    start(&u);
    step(&u, 0, 0.5);
    assert_int_equal(u.DoStep(u.c, 0.25, 0.5, 1), fmi2Error);
    assert_string_equal(
        logged.message,
        "fmi2DoStep: step begins at t=0.25 but the model is at t=0.5");
    assert_int_equal(u.DoStep(u.c, 0.5, -1, 1), fmi2Error);
    assert_string_equal(logged.message,
                        "fmi2DoStep: step size -1 s is not positive");
    assert_int_equal(u.DoStep(u.c, 0.5, (double)NAN, 1), fmi2Error);
    assert_int_equal(u.DoStep(u.c, 0.5, 0, 1), fmi2Error);
    step(&u, 0.5 + 1e-13, 0.5); /* rounding of the importer's clock */
    close_unit(&u);
}

static void numbers_have_a_point_in_a_comma_locale(void **state)
{
    assert_int_equal(setenv("LOCPATH", KIT_TEST_DIR "/locale", 1), 0);
    assert_non_null(setlocale(LC_NUMERIC, "de_DE.UTF-8"));
    assert_string_equal(localeconv()->decimal_point, ",");
    steps_from_elsewhere_or_backwards_are_refused(state);
    (void)setlocale(LC_NUMERIC, "C");
}

static void the_kit_handles_events_itself_in_fmi_2(void **state)
{
    struct unit u;

    (void)state;
    open_unit(&u, "hooks");
    set(&u, HOOK_PERIOD, 0.3);
    start(&u);
    assert_int_equal(get_int(&u, HOOK_EVENTS), 1); /* at the begin */
    step(&u, 0, 1);                                /* 0.3, 0.6, 0.9 */
    assert_int_equal(get_int(&u, HOOK_EVENTS), 4);
    test_close(get(&u, HOOK_X), 1, 1e-14);
    set_int(&u, HOOK_COMMAND, EVENT);
    step(&u, 1, 0.1);
    assert_int_equal(get_int(&u, HOOK_EVENTS), 5);
    close_unit(&u);
}

static void statuses_that_do_not_exist_are_discarded(void **state)
{
    struct unit u;
    fmi2Status status;
    fmi2String text = NULL;
    int n;

    (void)state;
    open_unit(&u, "hooks");
    assert_int_equal(u.GetStatus(u.c, fmi2Terminated, &status), fmi2Discard);
    assert_int_equal(u.GetIntegerStatus(u.c, fmi2DoStepStatus, &n),
                     fmi2Discard);
    assert_int_equal(u.GetStringStatus(u.c, fmi2PendingStatus, &text), fmi2OK);
    assert_string_equal(text, "");
    assert_int_equal(u.CancelStep(u.c), fmi2Error);
    close_unit(&u);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_wrong_guid_is_refused_and_the_right_one_named),
        cmocka_unit_test(
            a_state_whose_derivative_is_hidden_is_for_co_simulation),
        cmocka_unit_test(states_and_derivatives_are_exchanged),
        cmocka_unit_test(calls_out_of_order_are_errors_that_report_it),
        cmocka_unit_test(without_an_instance_every_function_is_an_error),
        cmocka_unit_test(missing_arguments_are_errors_and_empty_calls_succeed),
        cmocka_unit_test(units_without_a_logger_stay_silent),
        cmocka_unit_test(only_fmi_functions_are_exported),
        cmocka_unit_test(
            logging_follows_categories_and_keeps_special_characters),
        cmocka_unit_test(values_can_be_read_after_termination),
        cmocka_unit_test(every_type_goes_in_and_comes_out),
        cmocka_unit_test(what_does_not_fit_is_refused_and_changes_nothing),
        cmocka_unit_test(arrays_are_one_scalar_per_element),
        cmocka_unit_test(a_value_reference_of_no_variable_is_named),
        cmocka_unit_test(what_may_be_set_depends_on_the_phase),
        cmocka_unit_test(outputs_follow_inputs_without_a_step),
        cmocka_unit_test(restoring_is_bit_exact_and_includes_courses),
        cmocka_unit_test(a_serialised_state_moves_to_another_instance),
        cmocka_unit_test(foreign_bytes_are_not_a_state),
        cmocka_unit_test(a_rejected_step_leaves_the_unit_as_it_was),
        cmocka_unit_test(an_early_stop_is_a_discard_with_the_time_reached),
        cmocka_unit_test(a_unit_that_ends_the_simulation_states_terminated),
        cmocka_unit_test(after_a_failure_a_unit_can_be_restored_or_reset),
        cmocka_unit_test(outputs_that_fail_make_the_reading_fail),
        cmocka_unit_test(after_a_fatal_failure_everything_is_fatal),
        cmocka_unit_test(steps_beyond_the_maximum_are_discarded),
        cmocka_unit_test(steps_from_elsewhere_or_backwards_are_refused),
        cmocka_unit_test(numbers_have_a_point_in_a_comma_locale),
        cmocka_unit_test(the_kit_handles_events_itself_in_fmi_2),
        cmocka_unit_test(statuses_that_do_not_exist_are_discarded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
