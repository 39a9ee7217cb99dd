/* SPDX-License-Identifier: MIT */
#ifndef fmi3FunctionTypes_h
#define fmi3FunctionTypes_h

#include <stddef.h>
#include <stdlib.h>

#include "fmi3PlatformTypes.h"

typedef enum {
    fmi3OK,
    fmi3Warning,
    fmi3Discard,
    fmi3Error,
    fmi3Fatal
} fmi3Status;

typedef enum {
    fmi3Independent,
    fmi3Constant,
    fmi3Fixed,
    fmi3Tunable,
    fmi3Discrete,
    fmi3Dependent
} fmi3DependencyKind;

typedef enum {
    fmi3IntervalNotYetKnown,
    fmi3IntervalUnchanged,
    fmi3IntervalChanged
} fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment, fmi3Status,
                                       fmi3String, fmi3String);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment,
                                               fmi3Float64, fmi3Boolean,
                                               fmi3Boolean, fmi3Boolean,
                                               fmi3Boolean, fmi3Boolean *,
                                               fmi3Float64 *);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

/* X(returns, name, arguments) for every function. */
#define FMI3_REFS const fmi3ValueReference[], size_t
#define FMI3_MADE fmi3String, fmi3String, fmi3String, fmi3Boolean, fmi3Boolean
#define FMI3_VALUES(X, T)                                                      \
    X(fmi3Status, fmi3Get##T, (fmi3Instance, FMI3_REFS, fmi3##T[], size_t))    \
    X(fmi3Status, fmi3Set##T,                                                  \
      (fmi3Instance, FMI3_REFS, const fmi3##T[], size_t))
#define FMI3_PLAIN(X, name) X(fmi3Status, name, (fmi3Instance))
#define FMI3_STATES(X, name)                                                   \
    X(fmi3Status, name, (fmi3Instance, fmi3Float64[], size_t))
#define FMI3_DERIVATIVE(X, name)                                               \
    X(fmi3Status, name,                                                        \
      (fmi3Instance, FMI3_REFS, FMI3_REFS, const fmi3Float64[], size_t,        \
       fmi3Float64[], size_t))
#define FMI3_FUNCTIONS(X)                                                      \
    X(const char *, fmi3GetVersion, (void))                                    \
    X(fmi3Status, fmi3SetDebugLogging,                                         \
      (fmi3Instance, fmi3Boolean, size_t, const fmi3String[]))                 \
    X(fmi3Instance, fmi3InstantiateModelExchange,                              \
      (FMI3_MADE, fmi3InstanceEnvironment, fmi3LogMessageCallback))            \
    X(fmi3Instance, fmi3InstantiateCoSimulation,                               \
      (FMI3_MADE, fmi3Boolean, fmi3Boolean, FMI3_REFS,                         \
       fmi3InstanceEnvironment, fmi3LogMessageCallback,                        \
       fmi3IntermediateUpdateCallback))                                        \
    X(fmi3Instance, fmi3InstantiateScheduledExecution,                         \
      (FMI3_MADE, fmi3InstanceEnvironment, fmi3LogMessageCallback,             \
       fmi3ClockUpdateCallback, fmi3LockPreemptionCallback,                    \
       fmi3UnlockPreemptionCallback))                                          \
    X(void, fmi3FreeInstance, (fmi3Instance))                                  \
    X(fmi3Status, fmi3EnterInitializationMode,                                 \
      (fmi3Instance, fmi3Boolean, fmi3Float64, fmi3Float64, fmi3Boolean,       \
       fmi3Float64))                                                           \
    FMI3_PLAIN(X, fmi3ExitInitializationMode)                                  \
    FMI3_PLAIN(X, fmi3EnterEventMode)                                          \
    FMI3_PLAIN(X, fmi3Terminate)                                               \
    FMI3_PLAIN(X, fmi3Reset)                                                   \
    FMI3_VALUES(X, Float32)                                                    \
    FMI3_VALUES(X, Float64)                                                    \
    FMI3_VALUES(X, Int8)                                                       \
    FMI3_VALUES(X, UInt8)                                                      \
    FMI3_VALUES(X, Int16)                                                      \
    FMI3_VALUES(X, UInt16)                                                     \
    FMI3_VALUES(X, Int32)                                                      \
    FMI3_VALUES(X, UInt32)                                                     \
    FMI3_VALUES(X, Int64)                                                      \
    FMI3_VALUES(X, UInt64)                                                     \
    FMI3_VALUES(X, Boolean)                                                    \
    FMI3_VALUES(X, String)                                                     \
    X(fmi3Status, fmi3GetBinary,                                               \
      (fmi3Instance, FMI3_REFS, size_t[], fmi3Binary[], size_t))               \
    X(fmi3Status, fmi3SetBinary,                                               \
      (fmi3Instance, FMI3_REFS, const size_t[], const fmi3Binary[], size_t))   \
    X(fmi3Status, fmi3GetClock, (fmi3Instance, FMI3_REFS, fmi3Clock[]))        \
    X(fmi3Status, fmi3SetClock, (fmi3Instance, FMI3_REFS, const fmi3Clock[]))  \
    X(fmi3Status, fmi3GetNumberOfVariableDependencies,                         \
      (fmi3Instance, fmi3ValueReference, size_t *))                            \
    X(fmi3Status, fmi3GetVariableDependencies,                                 \
      (fmi3Instance, fmi3ValueReference, size_t[], fmi3ValueReference[],       \
       size_t[], fmi3DependencyKind[], size_t))                                \
    X(fmi3Status, fmi3GetFMUState, (fmi3Instance, fmi3FMUState *))             \
    X(fmi3Status, fmi3SetFMUState, (fmi3Instance, fmi3FMUState))               \
    X(fmi3Status, fmi3FreeFMUState, (fmi3Instance, fmi3FMUState *))            \
    X(fmi3Status, fmi3SerializedFMUStateSize,                                  \
      (fmi3Instance, fmi3FMUState, size_t *))                                  \
    X(fmi3Status, fmi3SerializeFMUState,                                       \
      (fmi3Instance, fmi3FMUState, fmi3Byte[], size_t))                        \
    X(fmi3Status, fmi3DeserializeFMUState,                                     \
      (fmi3Instance, const fmi3Byte[], size_t, fmi3FMUState *))                \
    FMI3_DERIVATIVE(X, fmi3GetDirectionalDerivative)                           \
    FMI3_DERIVATIVE(X, fmi3GetAdjointDerivative)                               \
    FMI3_PLAIN(X, fmi3EnterConfigurationMode)                                  \
    FMI3_PLAIN(X, fmi3ExitConfigurationMode)                                   \
    X(fmi3Status, fmi3GetIntervalDecimal,                                      \
      (fmi3Instance, FMI3_REFS, fmi3Float64[], fmi3IntervalQualifier[]))       \
    X(fmi3Status, fmi3GetIntervalFraction,                                     \
      (fmi3Instance, FMI3_REFS, fmi3UInt64[], fmi3UInt64[],                    \
       fmi3IntervalQualifier[]))                                               \
    X(fmi3Status, fmi3GetShiftDecimal,                                         \
      (fmi3Instance, FMI3_REFS, fmi3Float64[]))                                \
    X(fmi3Status, fmi3GetShiftFraction,                                        \
      (fmi3Instance, FMI3_REFS, fmi3UInt64[], fmi3UInt64[]))                   \
    X(fmi3Status, fmi3SetIntervalDecimal,                                      \
      (fmi3Instance, FMI3_REFS, const fmi3Float64[]))                          \
    X(fmi3Status, fmi3SetIntervalFraction,                                     \
      (fmi3Instance, FMI3_REFS, const fmi3UInt64[], const fmi3UInt64[]))       \
    X(fmi3Status, fmi3SetShiftDecimal,                                         \
      (fmi3Instance, FMI3_REFS, const fmi3Float64[]))                          \
    X(fmi3Status, fmi3SetShiftFraction,                                        \
      (fmi3Instance, FMI3_REFS, const fmi3UInt64[], const fmi3UInt64[]))       \
    FMI3_PLAIN(X, fmi3EvaluateDiscreteStates)                                  \
    X(fmi3Status, fmi3UpdateDiscreteStates,                                    \
      (fmi3Instance, fmi3Boolean *, fmi3Boolean *, fmi3Boolean *,              \
       fmi3Boolean *, fmi3Boolean *, fmi3Float64 *))                           \
    FMI3_PLAIN(X, fmi3EnterContinuousTimeMode)                                 \
    X(fmi3Status, fmi3CompletedIntegratorStep,                                 \
      (fmi3Instance, fmi3Boolean, fmi3Boolean *, fmi3Boolean *))               \
    X(fmi3Status, fmi3SetTime, (fmi3Instance, fmi3Float64))                    \
    X(fmi3Status, fmi3SetContinuousStates,                                     \
      (fmi3Instance, const fmi3Float64[], size_t))                             \
    FMI3_STATES(X, fmi3GetContinuousStateDerivatives)                          \
    FMI3_STATES(X, fmi3GetEventIndicators)                                     \
    FMI3_STATES(X, fmi3GetContinuousStates)                                    \
    FMI3_STATES(X, fmi3GetNominalsOfContinuousStates)                          \
    X(fmi3Status, fmi3GetNumberOfEventIndicators, (fmi3Instance, size_t *))    \
    X(fmi3Status, fmi3GetNumberOfContinuousStates, (fmi3Instance, size_t *))   \
    FMI3_PLAIN(X, fmi3EnterStepMode)                                           \
    X(fmi3Status, fmi3GetOutputDerivatives,                                    \
      (fmi3Instance, FMI3_REFS, const fmi3Int32[], fmi3Float64[], size_t))     \
    X(fmi3Status, fmi3DoStep,                                                  \
      (fmi3Instance, fmi3Float64, fmi3Float64, fmi3Boolean, fmi3Boolean *,     \
       fmi3Boolean *, fmi3Boolean *, fmi3Float64 *))                           \
    X(fmi3Status, fmi3ActivateModelPartition,                                  \
      (fmi3Instance, fmi3ValueReference, fmi3Float64))

#define FMI3_TYPE(returns, name, arguments)                                    \
    typedef returns name##TYPE arguments;
#ifdef __cplusplus
extern "C" {
#endif
FMI3_FUNCTIONS(FMI3_TYPE)
#ifdef __cplusplus
}
#endif

#endif
