/* SPDX-License-Identifier: MIT */
/* The part of the FMI 1.0 C interface that a stand-alone unit implements, for
 * co-simulation and for model exchange. The names of its functions begin with
 * TUTTI_KIT_ID, the model identifier. */
#ifndef TUTTI_KIT_FMI1_H
#define TUTTI_KIT_FMI1_H

#include <stddef.h>

typedef void *fmiComponent;
typedef unsigned int fmiValueReference;
typedef double fmiReal;
typedef int fmiInteger;
typedef char fmiBoolean;
typedef const char *fmiString;

typedef enum {
    fmiOK,
    fmiWarning,
    fmiDiscard,
    fmiError,
    fmiFatal,
    fmiPending
} fmiStatus;

typedef enum {
    fmiDoStepStatus,
    fmiPendingStatus,
    fmiLastSuccessfulTime
} fmiStatusKind;

struct fmi1_callbacks {
    void (*logger)(fmiComponent c, fmiString instance, fmiStatus status,
                   fmiString category, fmiString message, ...);
    void *(*allocate)(size_t n, size_t size);
    void (*release)(void *object);
    void (*step_finished)(fmiComponent c, fmiStatus status);
};
typedef struct fmi1_callbacks fmiCallbackFunctions;

/* Those of model exchange, which the standard gives the same name. */
struct fmi1_me_callbacks {
    void (*logger)(fmiComponent c, fmiString instance, fmiStatus status,
                   fmiString category, fmiString message, ...);
    void *(*allocate)(size_t n, size_t size);
    void (*release)(void *object);
};

typedef struct {
    fmiBoolean iterationConverged;
    fmiBoolean stateValueReferencesChanged;
    fmiBoolean stateValuesChanged;
    fmiBoolean terminateSimulation;
    fmiBoolean upcomingTimeEvent;
    fmiReal nextEventTime;
} fmiEventInfo;

#ifdef TUTTI_KIT_ID

#if defined(__GNUC__)
#define FMI1_EXPORT __attribute__((visibility("default")))
#else
#define FMI1_EXPORT
#endif

#define FMI1_JOIN(id, name)  id##_##name
#define FMI1_PASTE(id, name) FMI1_JOIN(id, name)
#define FMI1(name)           FMI1_PASTE(TUTTI_KIT_ID, name)

FMI1_EXPORT const char *FMI1(fmiGetTypesPlatform)(void);
FMI1_EXPORT const char *FMI1(fmiGetVersion)(void);
FMI1_EXPORT fmiComponent FMI1(fmiInstantiateSlave)(
    fmiString name, fmiString guid, fmiString location, fmiString mime,
    fmiReal timeout, fmiBoolean visible, fmiBoolean interactive,
    fmiCallbackFunctions functions, fmiBoolean logging);
FMI1_EXPORT fmiStatus FMI1(fmiInitializeSlave)(fmiComponent c, fmiReal start,
                                               fmiBoolean stop_defined,
                                               fmiReal stop);
FMI1_EXPORT fmiStatus FMI1(fmiTerminateSlave)(fmiComponent c);
FMI1_EXPORT fmiStatus FMI1(fmiResetSlave)(fmiComponent c);
FMI1_EXPORT void FMI1(fmiFreeSlaveInstance)(fmiComponent c);
FMI1_EXPORT fmiStatus FMI1(fmiSetDebugLogging)(fmiComponent c, fmiBoolean on);
FMI1_EXPORT fmiStatus FMI1(fmiSetRealInputDerivatives)(
    fmiComponent c, const fmiValueReference vr[], size_t n,
    const fmiInteger order[], const fmiReal value[]);
FMI1_EXPORT fmiStatus FMI1(fmiGetRealOutputDerivatives)(
    fmiComponent c, const fmiValueReference vr[], size_t n,
    const fmiInteger order[], fmiReal value[]);
FMI1_EXPORT fmiStatus FMI1(fmiDoStep)(fmiComponent c, fmiReal t, fmiReal h,
                                      fmiBoolean new_step);
FMI1_EXPORT fmiStatus FMI1(fmiCancelStep)(fmiComponent c);
FMI1_EXPORT fmiStatus FMI1(fmiGetStatus)(fmiComponent c, fmiStatusKind kind,
                                         fmiStatus *value);
FMI1_EXPORT fmiStatus FMI1(fmiGetRealStatus)(fmiComponent c, fmiStatusKind kind,
                                             fmiReal *value);
FMI1_EXPORT fmiStatus FMI1(fmiGetIntegerStatus)(fmiComponent c,
                                                fmiStatusKind kind,
                                                fmiInteger *value);
FMI1_EXPORT fmiStatus FMI1(fmiGetBooleanStatus)(fmiComponent c,
                                                fmiStatusKind kind,
                                                fmiBoolean *value);
FMI1_EXPORT fmiStatus FMI1(fmiGetStringStatus)(fmiComponent c,
                                               fmiStatusKind kind,
                                               fmiString *value);

/* Model exchange. */
FMI1_EXPORT const char *FMI1(fmiGetModelTypesPlatform)(void);
FMI1_EXPORT
fmiComponent FMI1(fmiInstantiateModel)(fmiString name, fmiString guid,
                                       struct fmi1_me_callbacks functions,
                                       fmiBoolean logging);
FMI1_EXPORT void FMI1(fmiFreeModelInstance)(fmiComponent c);
FMI1_EXPORT fmiStatus FMI1(fmiSetTime)(fmiComponent c, fmiReal t);
FMI1_EXPORT fmiStatus FMI1(fmiInitialize)(fmiComponent c,
                                          fmiBoolean tolerance_controlled,
                                          fmiReal tolerance,
                                          fmiEventInfo *info);
FMI1_EXPORT fmiStatus FMI1(fmiSetContinuousStates)(fmiComponent c,
                                                   const fmiReal x[], size_t n);
FMI1_EXPORT fmiStatus FMI1(fmiGetContinuousStates)(fmiComponent c, fmiReal x[],
                                                   size_t n);
FMI1_EXPORT fmiStatus FMI1(fmiGetNominalContinuousStates)(fmiComponent c,
                                                          fmiReal x[],
                                                          size_t n);
FMI1_EXPORT fmiStatus FMI1(fmiGetStateValueReferences)(fmiComponent c,
                                                       fmiValueReference vr[],
                                                       size_t n);
FMI1_EXPORT fmiStatus FMI1(fmiGetDerivatives)(fmiComponent c, fmiReal dx[],
                                              size_t n);
FMI1_EXPORT fmiStatus FMI1(fmiGetEventIndicators)(fmiComponent c, fmiReal z[],
                                                  size_t n);
FMI1_EXPORT fmiStatus FMI1(fmiCompletedIntegratorStep)(fmiComponent c,
                                                       fmiBoolean *event);
FMI1_EXPORT fmiStatus FMI1(fmiEventUpdate)(fmiComponent c,
                                           fmiBoolean intermediate,
                                           fmiEventInfo *info);
FMI1_EXPORT fmiStatus FMI1(fmiTerminate)(fmiComponent c);

#define TUTTI_KIT_FMI1_ACCESS(Name, type)                                      \
    FMI1_EXPORT fmiStatus FMI1(fmiGet##Name)(                                  \
        fmiComponent c, const fmiValueReference vr[], size_t n, type value[]); \
    FMI1_EXPORT fmiStatus FMI1(fmiSet##Name)(fmiComponent c,                   \
                                             const fmiValueReference vr[],     \
                                             size_t n, const type value[]);

TUTTI_KIT_FMI1_ACCESS(Real, fmiReal)
TUTTI_KIT_FMI1_ACCESS(Integer, fmiInteger)
TUTTI_KIT_FMI1_ACCESS(Boolean, fmiBoolean)
TUTTI_KIT_FMI1_ACCESS(String, fmiString)

#endif

#endif
