/* SPDX-License-Identifier: MIT */
/* The part of the FMI 2.0 C interface that a unit implements. */
#ifndef TUTTI_KIT_FMI2_H
#define TUTTI_KIT_FMI2_H

#include <stddef.h>

typedef void *fmi2Component;
typedef void *fmi2ComponentEnvironment;
typedef void *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer;
typedef int fmi2Boolean;
typedef char fmi2Char;
typedef const fmi2Char *fmi2String;
typedef char fmi2Byte;

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

typedef void (*fmi2CallbackLogger)(fmi2ComponentEnvironment environment,
                                   fmi2String instance, fmi2Status status,
                                   fmi2String category, fmi2String message,
                                   ...);

struct fmi2_callbacks {
    fmi2CallbackLogger logger;
    void *(*allocate)(size_t n, size_t size);
    void (*release)(void *object);
    void (*step_finished)(fmi2ComponentEnvironment environment,
                          fmi2Status status);
    fmi2ComponentEnvironment environment;
};
typedef struct fmi2_callbacks fmi2CallbackFunctions;

typedef struct {
    fmi2Boolean newDiscreteStatesNeeded;
    fmi2Boolean terminateSimulation;
    fmi2Boolean nominalsOfContinuousStatesChanged;
    fmi2Boolean valuesOfContinuousStatesChanged;
    fmi2Boolean nextEventTimeDefined;
    fmi2Real nextEventTime;
} fmi2EventInfo;

/* Inside the face of FMI 1 it is private, and not all of it is used. */
#if defined(TUTTI_KIT_FMI) && TUTTI_KIT_FMI == 1
#define FMI2_EXPORT static __attribute__((unused))
#elif defined(__GNUC__)
#define FMI2_EXPORT __attribute__((visibility("default")))
#else
#define FMI2_EXPORT
#endif

FMI2_EXPORT const char *fmi2GetTypesPlatform(void);
FMI2_EXPORT const char *fmi2GetVersion(void);
FMI2_EXPORT fmi2Component
fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                fmi2String resources, const fmi2CallbackFunctions *functions,
                fmi2Boolean visible, fmi2Boolean logging);
FMI2_EXPORT void fmi2FreeInstance(fmi2Component c);
FMI2_EXPORT fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on,
                                           size_t n,
                                           const fmi2String categories[]);
FMI2_EXPORT fmi2Status fmi2SetupExperiment(fmi2Component c,
                                           fmi2Boolean tolerance_defined,
                                           fmi2Real tolerance, fmi2Real start,
                                           fmi2Boolean stop_defined,
                                           fmi2Real stop);
FMI2_EXPORT fmi2Status fmi2EnterInitializationMode(fmi2Component c);
FMI2_EXPORT fmi2Status fmi2ExitInitializationMode(fmi2Component c);
FMI2_EXPORT fmi2Status fmi2Terminate(fmi2Component c);
FMI2_EXPORT fmi2Status fmi2Reset(fmi2Component c);
FMI2_EXPORT fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state);
FMI2_EXPORT fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state);
FMI2_EXPORT fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state);
FMI2_EXPORT fmi2Status fmi2SerializedFMUstateSize(fmi2Component c,
                                                  fmi2FMUstate state,
                                                  size_t *size);
FMI2_EXPORT fmi2Status fmi2SerializeFMUstate(fmi2Component c,
                                             fmi2FMUstate state,
                                             fmi2Byte bytes[], size_t size);
FMI2_EXPORT fmi2Status fmi2DeSerializeFMUstate(fmi2Component c,
                                               const fmi2Byte bytes[],
                                               size_t size,
                                               fmi2FMUstate *state);
FMI2_EXPORT fmi2Status fmi2GetDirectionalDerivative(
    fmi2Component c, const fmi2ValueReference unknown[], size_t n_unknown,
    const fmi2ValueReference known[], size_t n_known, const fmi2Real seed[],
    fmi2Real out[]);
FMI2_EXPORT fmi2Status fmi2SetRealInputDerivatives(
    fmi2Component c, const fmi2ValueReference vr[], size_t n,
    const fmi2Integer order[], const fmi2Real value[]);
FMI2_EXPORT fmi2Status fmi2GetRealOutputDerivatives(
    fmi2Component c, const fmi2ValueReference vr[], size_t n,
    const fmi2Integer order[], fmi2Real value[]);
FMI2_EXPORT fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h,
                                  fmi2Boolean no_rollback);
FMI2_EXPORT fmi2Status fmi2CancelStep(fmi2Component c);
FMI2_EXPORT fmi2Status fmi2GetMaxStepsize(fmi2Component c, fmi2Real *size);
FMI2_EXPORT fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind kind,
                                     fmi2Status *value);
FMI2_EXPORT fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind,
                                         fmi2Real *value);
FMI2_EXPORT fmi2Status fmi2GetIntegerStatus(fmi2Component c,
                                            fmi2StatusKind kind,
                                            fmi2Integer *value);
FMI2_EXPORT fmi2Status fmi2GetBooleanStatus(fmi2Component c,
                                            fmi2StatusKind kind,
                                            fmi2Boolean *value);
FMI2_EXPORT fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind kind,
                                           fmi2String *value);

FMI2_EXPORT fmi2Status fmi2EnterEventMode(fmi2Component c);
FMI2_EXPORT fmi2Status fmi2NewDiscreteStates(fmi2Component c,
                                             fmi2EventInfo *info);
FMI2_EXPORT fmi2Status fmi2EnterContinuousTimeMode(fmi2Component c);
FMI2_EXPORT fmi2Status fmi2CompletedIntegratorStep(fmi2Component c,
                                                   fmi2Boolean no_rollback,
                                                   fmi2Boolean *event,
                                                   fmi2Boolean *terminate);
FMI2_EXPORT fmi2Status fmi2SetTime(fmi2Component c, fmi2Real t);
FMI2_EXPORT fmi2Status fmi2SetContinuousStates(fmi2Component c,
                                               const fmi2Real x[], size_t n);
FMI2_EXPORT fmi2Status fmi2GetContinuousStates(fmi2Component c, fmi2Real x[],
                                               size_t n);
FMI2_EXPORT fmi2Status fmi2GetDerivatives(fmi2Component c, fmi2Real dx[],
                                          size_t n);
FMI2_EXPORT fmi2Status fmi2GetEventIndicators(fmi2Component c, fmi2Real z[],
                                              size_t n);
FMI2_EXPORT fmi2Status fmi2GetNominalsOfContinuousStates(fmi2Component c,
                                                         fmi2Real x[],
                                                         size_t n);

#define TUTTI_KIT_FMI2_ACCESS(Name, type)                                      \
    FMI2_EXPORT fmi2Status fmi2Get##Name(fmi2Component c,                      \
                                         const fmi2ValueReference vr[],        \
                                         size_t n, type value[]);              \
    FMI2_EXPORT fmi2Status fmi2Set##Name(fmi2Component c,                      \
                                         const fmi2ValueReference vr[],        \
                                         size_t n, const type value[]);

TUTTI_KIT_FMI2_ACCESS(Real, fmi2Real)
TUTTI_KIT_FMI2_ACCESS(Integer, fmi2Integer)
TUTTI_KIT_FMI2_ACCESS(Boolean, fmi2Boolean)
TUTTI_KIT_FMI2_ACCESS(String, fmi2String)

#endif
