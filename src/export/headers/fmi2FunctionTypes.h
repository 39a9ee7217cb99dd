/* SPDX-License-Identifier: MIT */
#ifndef fmi2FunctionTypes_h
#define fmi2FunctionTypes_h

#include <stddef.h>
#include <stdlib.h>

#include "fmi2TypesPlatform.h"

typedef enum {
    fmi2OK,
    fmi2Warning,
    fmi2Discard,
    fmi2Error,
    fmi2Fatal,
    fmi2Pending
} fmi2Status;

typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;

typedef enum {
    fmi2DoStepStatus,
    fmi2PendingStatus,
    fmi2LastSuccessfulTime,
    fmi2Terminated
} fmi2StatusKind;

typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment, fmi2String,
                                   fmi2Status, fmi2String, fmi2String, ...);
typedef void *(*fmi2CallbackAllocateMemory)(size_t, size_t);
typedef void (*fmi2CallbackFreeMemory)(void *);
typedef void (*fmi2StepFinished)(fmi2ComponentEnvironment, fmi2Status);

typedef struct {
    const fmi2CallbackLogger logger;
    const fmi2CallbackAllocateMemory allocateMemory;
    const fmi2CallbackFreeMemory freeMemory;
    const fmi2StepFinished stepFinished;
    const fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded;
    fmi2Boolean terminateSimulation;
    fmi2Boolean nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged;
    fmi2Boolean nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

/* X(returns, name, arguments) for every function. */
#define FMI2_REFS const fmi2ValueReference[], size_t
#define FMI2_FUNCTIONS(X)                                                      \
    X(const char *, fmi2GetTypesPlatform, (void))                              \
    X(const char *, fmi2GetVersion, (void))                                    \
    X(fmi2Status, fmi2SetDebugLogging,                                         \
      (fmi2Component, fmi2Boolean, size_t, const fmi2String[]))                \
    X(fmi2Component, fmi2Instantiate,                                          \
      (fmi2String, fmi2Type, fmi2String, fmi2String,                           \
       const fmi2CallbackFunctions *, fmi2Boolean, fmi2Boolean))               \
    X(void, fmi2FreeInstance, (fmi2Component))                                 \
    X(fmi2Status, fmi2SetupExperiment,                                         \
      (fmi2Component, fmi2Boolean, fmi2Real, fmi2Real, fmi2Boolean, fmi2Real)) \
    X(fmi2Status, fmi2EnterInitializationMode, (fmi2Component))                \
    X(fmi2Status, fmi2ExitInitializationMode, (fmi2Component))                 \
    X(fmi2Status, fmi2Terminate, (fmi2Component))                              \
    X(fmi2Status, fmi2Reset, (fmi2Component))                                  \
    X(fmi2Status, fmi2GetReal, (fmi2Component, FMI2_REFS, fmi2Real[]))         \
    X(fmi2Status, fmi2GetInteger, (fmi2Component, FMI2_REFS, fmi2Integer[]))   \
    X(fmi2Status, fmi2GetBoolean, (fmi2Component, FMI2_REFS, fmi2Boolean[]))   \
    X(fmi2Status, fmi2GetString, (fmi2Component, FMI2_REFS, fmi2String[]))     \
    X(fmi2Status, fmi2SetReal, (fmi2Component, FMI2_REFS, const fmi2Real[]))   \
    X(fmi2Status, fmi2SetInteger,                                              \
      (fmi2Component, FMI2_REFS, const fmi2Integer[]))                         \
    X(fmi2Status, fmi2SetBoolean,                                              \
      (fmi2Component, FMI2_REFS, const fmi2Boolean[]))                         \
    X(fmi2Status, fmi2SetString,                                               \
      (fmi2Component, FMI2_REFS, const fmi2String[]))                          \
    X(fmi2Status, fmi2GetFMUstate, (fmi2Component, fmi2FMUstate *))            \
    X(fmi2Status, fmi2SetFMUstate, (fmi2Component, fmi2FMUstate))              \
    X(fmi2Status, fmi2FreeFMUstate, (fmi2Component, fmi2FMUstate *))           \
    X(fmi2Status, fmi2SerializedFMUstateSize,                                  \
      (fmi2Component, fmi2FMUstate, size_t *))                                 \
    X(fmi2Status, fmi2SerializeFMUstate,                                       \
      (fmi2Component, fmi2FMUstate, fmi2Byte[], size_t))                       \
    X(fmi2Status, fmi2DeSerializeFMUstate,                                     \
      (fmi2Component, const fmi2Byte[], size_t, fmi2FMUstate *))               \
    X(fmi2Status, fmi2GetDirectionalDerivative,                                \
      (fmi2Component, FMI2_REFS, FMI2_REFS, const fmi2Real[], fmi2Real[]))     \
    X(fmi2Status, fmi2EnterEventMode, (fmi2Component))                         \
    X(fmi2Status, fmi2NewDiscreteStates, (fmi2Component, fmi2EventInfo *))     \
    X(fmi2Status, fmi2EnterContinuousTimeMode, (fmi2Component))                \
    X(fmi2Status, fmi2CompletedIntegratorStep,                                 \
      (fmi2Component, fmi2Boolean, fmi2Boolean *, fmi2Boolean *))              \
    X(fmi2Status, fmi2SetTime, (fmi2Component, fmi2Real))                      \
    X(fmi2Status, fmi2SetContinuousStates,                                     \
      (fmi2Component, const fmi2Real[], size_t))                               \
    X(fmi2Status, fmi2GetDerivatives, (fmi2Component, fmi2Real[], size_t))     \
    X(fmi2Status, fmi2GetEventIndicators, (fmi2Component, fmi2Real[], size_t)) \
    X(fmi2Status, fmi2GetContinuousStates,                                     \
      (fmi2Component, fmi2Real[], size_t))                                     \
    X(fmi2Status, fmi2GetNominalsOfContinuousStates,                           \
      (fmi2Component, fmi2Real[], size_t))                                     \
    X(fmi2Status, fmi2SetRealInputDerivatives,                                 \
      (fmi2Component, FMI2_REFS, const fmi2Integer[], const fmi2Real[]))       \
    X(fmi2Status, fmi2GetRealOutputDerivatives,                                \
      (fmi2Component, FMI2_REFS, const fmi2Integer[], fmi2Real[]))             \
    X(fmi2Status, fmi2DoStep,                                                  \
      (fmi2Component, fmi2Real, fmi2Real, fmi2Boolean))                        \
    X(fmi2Status, fmi2CancelStep, (fmi2Component))                             \
    X(fmi2Status, fmi2GetStatus,                                               \
      (fmi2Component, const fmi2StatusKind, fmi2Status *))                     \
    X(fmi2Status, fmi2GetRealStatus,                                           \
      (fmi2Component, const fmi2StatusKind, fmi2Real *))                       \
    X(fmi2Status, fmi2GetIntegerStatus,                                        \
      (fmi2Component, const fmi2StatusKind, fmi2Integer *))                    \
    X(fmi2Status, fmi2GetBooleanStatus,                                        \
      (fmi2Component, const fmi2StatusKind, fmi2Boolean *))                    \
    X(fmi2Status, fmi2GetStringStatus,                                         \
      (fmi2Component, const fmi2StatusKind, fmi2String *))

#define FMI2_TYPE(returns, name, arguments)                                    \
    typedef returns name##TYPE arguments;
#ifdef __cplusplus
extern "C" {
#endif
FMI2_FUNCTIONS(FMI2_TYPE)
#ifdef __cplusplus
}
#endif

#endif
