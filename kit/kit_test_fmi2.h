/* SPDX-License-Identifier: MIT */
/* A test unit through FMI 2.0, with short names for what tests do most. */
#ifndef KIT_TEST_FMI2_H
#define KIT_TEST_FMI2_H

#include "kit_test_util.h"
#include "tutti_kit_fmi2.h"

#define FMI2_FUNCTIONS(X)                                                      \
    X(GetTypesPlatform)                                                        \
    X(GetVersion)                                                              \
    X(SetDebugLogging)                                                         \
    X(Instantiate)                                                             \
    X(FreeInstance)                                                            \
    X(SetupExperiment)                                                         \
    X(EnterInitializationMode)                                                 \
    X(ExitInitializationMode)                                                  \
    X(Terminate)                                                               \
    X(Reset)                                                                   \
    X(GetReal)                                                                 \
    X(GetInteger)                                                              \
    X(GetBoolean)                                                              \
    X(GetString)                                                               \
    X(SetReal)                                                                 \
    X(SetInteger)                                                              \
    X(SetBoolean)                                                              \
    X(SetString)                                                               \
    X(GetFMUstate)                                                             \
    X(SetFMUstate)                                                             \
    X(FreeFMUstate)                                                            \
    X(SerializedFMUstateSize)                                                  \
    X(SerializeFMUstate)                                                       \
    X(DeSerializeFMUstate)                                                     \
    X(GetDirectionalDerivative)                                                \
    X(SetRealInputDerivatives)                                                 \
    X(GetRealOutputDerivatives)                                                \
    X(EnterEventMode)                                                          \
    X(NewDiscreteStates)                                                       \
    X(EnterContinuousTimeMode)                                                 \
    X(CompletedIntegratorStep)                                                 \
    X(SetTime)                                                                 \
    X(SetContinuousStates)                                                     \
    X(GetContinuousStates)                                                     \
    X(GetDerivatives)                                                          \
    X(GetEventIndicators)                                                      \
    X(GetNominalsOfContinuousStates)                                           \
    X(DoStep)                                                                  \
    X(CancelStep)                                                              \
    X(GetStatus)                                                               \
    X(GetRealStatus)                                                           \
    X(GetIntegerStatus)                                                        \
    X(GetBooleanStatus)                                                        \
    X(GetStringStatus)                                                         \
    X(GetMaxStepsize)

#define MEMBER(Name) __typeof__(fmi2##Name) *Name;
#define BIND(Name)   test_bind(u->library, "fmi2" #Name, (void *)&(u->Name));

/* A test unit: its functions and one instance. */
struct unit {
    void *library;
    fmi2Component c;
    FMI2_FUNCTIONS(MEMBER)
};

static inline void take_log(fmi2ComponentEnvironment environment,
                            fmi2String instance, fmi2Status status,
                            fmi2String category, fmi2String message, ...)
{
    va_list args;

    (void)environment;
    (void)instance;
    assert_string_equal(message, "%s"); /* never a model's text as a format */
    va_start(args, message);
    test_take_log((int)status, category, va_arg(args, const char *));
    va_end(args);
}

static const fmi2CallbackFunctions callbacks = {.logger = take_log};

static inline void open_unit(struct unit *u, const char *model)
{
    char token[64];

    memset(u, 0, sizeof(*u));
    memset(&logged, 0, sizeof(logged));
    u->library = test_library(model);
    FMI2_FUNCTIONS(BIND)
    test_token(model, token);
    u->c = u->Instantiate(model, fmi2CoSimulation, token,
                          "file:///tmp/my%20unit/resources", &callbacks, 0, 1);
    assert_non_null(u->c);
    assert_int_equal(u->SetupExperiment(u->c, 0, 0, 0, 1, 100), fmi2OK);
}

static inline void start(struct unit *u)
{
    assert_int_equal(u->EnterInitializationMode(u->c), fmi2OK);
    assert_int_equal(u->ExitInitializationMode(u->c), fmi2OK);
}

static inline void close_unit(struct unit *u)
{
    u->FreeInstance(u->c);
    assert_int_equal(dlclose(u->library), 0);
}

static inline double get(struct unit *u, fmi2ValueReference vr)
{
    double x = 0;

    assert_int_equal(u->GetReal(u->c, &vr, 1, &x), fmi2OK);
    return x;
}

static inline int get_int(struct unit *u, fmi2ValueReference vr)
{
    int x = 0;

    assert_int_equal(u->GetInteger(u->c, &vr, 1, &x), fmi2OK);
    return x;
}

static inline void set(struct unit *u, fmi2ValueReference vr, double x)
{
    assert_int_equal(u->SetReal(u->c, &vr, 1, &x), fmi2OK);
}

static inline void set_int(struct unit *u, fmi2ValueReference vr, int x)
{
    assert_int_equal(u->SetInteger(u->c, &vr, 1, &x), fmi2OK);
}

/* Value and derivatives of an input. */
static inline void set_course(struct unit *u, fmi2ValueReference vr,
                              const double p[4])
{
    set(u, vr, p[0]);
    for (int order = 1; order <= 3; order++)
        assert_int_equal(
            u->SetRealInputDerivatives(u->c, &vr, 1, &order, &p[order]),
            fmi2OK);
}

static inline void step(struct unit *u, double t, double h)
{
    assert_int_equal(u->DoStep(u->c, t, h, 1), fmi2OK);
}

#endif
