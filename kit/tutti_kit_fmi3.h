/* SPDX-License-Identifier: MIT */
/* The part of the FMI 3.0 C interface that a co-simulation unit implements. */
#ifndef TUTTI_KIT_FMI3_H
#define TUTTI_KIT_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *fmi3Instance;
typedef void *fmi3InstanceEnvironment;
typedef void *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean;
typedef char fmi3Char;
typedef const fmi3Char *fmi3String;
typedef uint8_t fmi3Byte;
typedef const fmi3Byte *fmi3Binary;
typedef bool fmi3Clock;

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

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment environment,
                                       fmi3Status status, fmi3String category,
                                       fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment environment);
typedef void (*fmi3IntermediateUpdateCallback)(
    fmi3InstanceEnvironment environment, fmi3Float64 time,
    fmi3Boolean set_requested, fmi3Boolean get_allowed,
    fmi3Boolean step_finished, fmi3Boolean can_return_early,
    fmi3Boolean *early_return_requested, fmi3Float64 *early_return_time);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

/* What fmi3InstantiateCoSimulation was given. */
struct fmi3_callbacks {
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
    fmi3IntermediateUpdateCallback update;
    fmi3ClockUpdateCallback clock_update;
};

#if defined(__GNUC__)
#define FMI3_EXPORT __attribute__((visibility("default")))
#else
#define FMI3_EXPORT
#endif

FMI3_EXPORT const char *fmi3GetVersion(void);
FMI3_EXPORT fmi3Status fmi3SetDebugLogging(fmi3Instance instance,
                                           fmi3Boolean on, size_t n,
                                           const fmi3String categories[]);
FMI3_EXPORT fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
    fmi3Boolean early_return, const fmi3ValueReference required[],
    size_t n_required, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update);
FMI3_EXPORT fmi3Instance fmi3InstantiateModelExchange(
    fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log);
FMI3_EXPORT fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback clock_update, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock);
FMI3_EXPORT void fmi3FreeInstance(fmi3Instance instance);
FMI3_EXPORT fmi3Status fmi3EnterInitializationMode(
    fmi3Instance instance, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
    fmi3Float64 start, fmi3Boolean stop_defined, fmi3Float64 stop);
FMI3_EXPORT fmi3Status fmi3ExitInitializationMode(fmi3Instance instance);
FMI3_EXPORT fmi3Status fmi3Terminate(fmi3Instance instance);
FMI3_EXPORT fmi3Status fmi3Reset(fmi3Instance instance);
FMI3_EXPORT fmi3Status fmi3GetFMUState(fmi3Instance instance,
                                       fmi3FMUState *state);
FMI3_EXPORT fmi3Status fmi3SetFMUState(fmi3Instance instance,
                                       fmi3FMUState state);
FMI3_EXPORT fmi3Status fmi3FreeFMUState(fmi3Instance instance,
                                        fmi3FMUState *state);
FMI3_EXPORT fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance,
                                                  fmi3FMUState state,
                                                  size_t *size);
FMI3_EXPORT fmi3Status fmi3SerializeFMUState(fmi3Instance instance,
                                             fmi3FMUState state,
                                             fmi3Byte bytes[], size_t size);
FMI3_EXPORT fmi3Status fmi3DeserializeFMUState(fmi3Instance instance,
                                               const fmi3Byte bytes[],
                                               size_t size,
                                               fmi3FMUState *state);
FMI3_EXPORT fmi3Status fmi3GetDirectionalDerivative(
    fmi3Instance instance, const fmi3ValueReference unknowns[],
    size_t n_unknowns, const fmi3ValueReference knowns[], size_t n_knowns,
    const fmi3Float64 seed[], size_t n_seed, fmi3Float64 out[], size_t n_out);
FMI3_EXPORT fmi3Status fmi3GetAdjointDerivative(
    fmi3Instance instance, const fmi3ValueReference unknowns[],
    size_t n_unknowns, const fmi3ValueReference knowns[], size_t n_knowns,
    const fmi3Float64 seed[], size_t n_seed, fmi3Float64 out[], size_t n_out);
FMI3_EXPORT fmi3Status fmi3GetOutputDerivatives(
    fmi3Instance instance, const fmi3ValueReference vr[], size_t n,
    const fmi3Int32 orders[], fmi3Float64 values[], size_t n_values);
FMI3_EXPORT fmi3Status fmi3EnterEventMode(fmi3Instance instance);
FMI3_EXPORT fmi3Status fmi3EnterStepMode(fmi3Instance instance);
FMI3_EXPORT fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance);
FMI3_EXPORT fmi3Status fmi3UpdateDiscreteStates(
    fmi3Instance instance, fmi3Boolean *again, fmi3Boolean *terminate,
    fmi3Boolean *nominals_changed, fmi3Boolean *states_changed,
    fmi3Boolean *next_known, fmi3Float64 *next);
FMI3_EXPORT fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 t,
                                  fmi3Float64 h, fmi3Boolean no_rollback,
                                  fmi3Boolean *event, fmi3Boolean *terminate,
                                  fmi3Boolean *early, fmi3Float64 *reached);

#define TUTTI_KIT_FMI3_ACCESS(Name)                                            \
    FMI3_EXPORT fmi3Status fmi3Get##Name(                                      \
        fmi3Instance instance, const fmi3ValueReference vr[], size_t n,        \
        fmi3##Name values[], size_t n_values);                                 \
    FMI3_EXPORT fmi3Status fmi3Set##Name(                                      \
        fmi3Instance instance, const fmi3ValueReference vr[], size_t n,        \
        const fmi3##Name values[], size_t n_values);

TUTTI_KIT_FMI3_ACCESS(Float64)
TUTTI_KIT_FMI3_ACCESS(Float32)
TUTTI_KIT_FMI3_ACCESS(Int8)
TUTTI_KIT_FMI3_ACCESS(UInt8)
TUTTI_KIT_FMI3_ACCESS(Int16)
TUTTI_KIT_FMI3_ACCESS(UInt16)
TUTTI_KIT_FMI3_ACCESS(Int32)
TUTTI_KIT_FMI3_ACCESS(UInt32)
TUTTI_KIT_FMI3_ACCESS(Int64)
TUTTI_KIT_FMI3_ACCESS(UInt64)
TUTTI_KIT_FMI3_ACCESS(Boolean)
TUTTI_KIT_FMI3_ACCESS(String)

/*
 * What the standard wants a library to export though a co-simulation unit of
 * this kit has no use for it: X(name, parameters after the instance).
 */
#define TUTTI_KIT_FMI3_ABSENT(X)                                               \
    X(GetBinary,                                                               \
      (fmi3Instance instance, const fmi3ValueReference vr[], size_t n,         \
       size_t sizes[], fmi3Binary values[], size_t n_values))                  \
    X(SetBinary,                                                               \
      (fmi3Instance instance, const fmi3ValueReference vr[], size_t n,         \
       const size_t sizes[], const fmi3Binary values[], size_t n_values))      \
    X(GetNumberOfVariableDependencies,                                         \
      (fmi3Instance instance, fmi3ValueReference vr, size_t * n))              \
    X(GetVariableDependencies,                                                 \
      (fmi3Instance instance, fmi3ValueReference dependent,                    \
       size_t element_of_dependent[], fmi3ValueReference independents[],       \
       size_t element_of_independents[], fmi3DependencyKind kinds[],           \
       size_t n))

/* Model exchange. */
#define TUTTI_KIT_FMI3_EXCHANGE(X)                                             \
    X(EnterContinuousTimeMode, (fmi3Instance instance))                        \
    X(CompletedIntegratorStep,                                                 \
      (fmi3Instance instance, fmi3Boolean no_rollback, fmi3Boolean * event,    \
       fmi3Boolean * terminate))                                               \
    X(SetTime, (fmi3Instance instance, fmi3Float64 time))                      \
    X(SetContinuousStates,                                                     \
      (fmi3Instance instance, const fmi3Float64 states[], size_t n))           \
    X(GetContinuousStateDerivatives,                                           \
      (fmi3Instance instance, fmi3Float64 derivatives[], size_t n))            \
    X(GetEventIndicators,                                                      \
      (fmi3Instance instance, fmi3Float64 indicators[], size_t n))             \
    X(GetContinuousStates,                                                     \
      (fmi3Instance instance, fmi3Float64 states[], size_t n))                 \
    X(GetNominalsOfContinuousStates,                                           \
      (fmi3Instance instance, fmi3Float64 nominals[], size_t n))               \
    X(GetNumberOfEventIndicators, (fmi3Instance instance, size_t * n))         \
    X(GetNumberOfContinuousStates, (fmi3Instance instance, size_t * n))

/* Scheduled execution, and sizes. */
#define TUTTI_KIT_FMI3_PARTITIONS(X)                                           \
    X(ActivateModelPartition,                                                  \
      (fmi3Instance instance, fmi3ValueReference clock, fmi3Float64 time))     \
    X(EnterConfigurationMode, (fmi3Instance instance))                         \
    X(ExitConfigurationMode, (fmi3Instance instance))

/* Clocks. */
#define TUTTI_KIT_FMI3_CLOCKS(X)                                               \
    X(GetClock, (fmi3Instance instance, const fmi3ValueReference vr[],         \
                 size_t n, fmi3Clock values[]))                                \
    X(SetClock, (fmi3Instance instance, const fmi3ValueReference vr[],         \
                 size_t n, const fmi3Clock values[]))

#define TUTTI_KIT_FMI3_INTERVALS(X)                                            \
    X(GetIntervalDecimal,                                                      \
      (fmi3Instance instance, const fmi3ValueReference vr[], size_t n,         \
       fmi3Float64 intervals[], fmi3IntervalQualifier qualifiers[]))           \
    X(GetIntervalFraction,                                                     \
      (fmi3Instance instance, const fmi3ValueReference vr[], size_t n,         \
       fmi3UInt64 counters[], fmi3UInt64 resolutions[],                        \
       fmi3IntervalQualifier qualifiers[]))                                    \
    X(GetShiftDecimal, (fmi3Instance instance, const fmi3ValueReference vr[],  \
                        size_t n, fmi3Float64 shifts[]))                       \
    X(GetShiftFraction,                                                        \
      (fmi3Instance instance, const fmi3ValueReference vr[], size_t n,         \
       fmi3UInt64 counters[], fmi3UInt64 resolutions[]))                       \
    X(SetIntervalDecimal,                                                      \
      (fmi3Instance instance, const fmi3ValueReference vr[], size_t n,         \
       const fmi3Float64 intervals[]))                                         \
    X(SetIntervalFraction,                                                     \
      (fmi3Instance instance, const fmi3ValueReference vr[], size_t n,         \
       const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]))           \
    X(SetShiftDecimal, (fmi3Instance instance, const fmi3ValueReference vr[],  \
                        size_t n, const fmi3Float64 shifts[]))                 \
    X(SetShiftFraction,                                                        \
      (fmi3Instance instance, const fmi3ValueReference vr[], size_t n,         \
       const fmi3UInt64 counters[], const fmi3UInt64 resolutions[]))

#define TUTTI_KIT_FMI3_DECLARE(Name, parameters)                               \
    FMI3_EXPORT fmi3Status fmi3##Name parameters;

TUTTI_KIT_FMI3_ABSENT(TUTTI_KIT_FMI3_DECLARE)
TUTTI_KIT_FMI3_EXCHANGE(TUTTI_KIT_FMI3_DECLARE)
TUTTI_KIT_FMI3_PARTITIONS(TUTTI_KIT_FMI3_DECLARE)
TUTTI_KIT_FMI3_CLOCKS(TUTTI_KIT_FMI3_DECLARE)
TUTTI_KIT_FMI3_INTERVALS(TUTTI_KIT_FMI3_DECLARE)

#endif
