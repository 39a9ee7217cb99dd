/* SPDX-License-Identifier: MIT */
#ifndef fmiFunctions_h
#define fmiFunctions_h

#include "fmiShared.h"

typedef struct {
    fmiCallbackLogger logger;
    fmiCallbackAllocateMemory allocateMemory;
    fmiCallbackFreeMemory freeMemory;
    fmiStepFinished stepFinished;
} fmiCallbackFunctions;

typedef enum {
    fmiDoStepStatus,
    fmiPendingStatus,
    fmiLastSuccessfulTime
} fmiStatusKind;

#define fmiGetTypesPlatform         fmiFullName(_fmiGetTypesPlatform)
#define fmiInstantiateSlave         fmiFullName(_fmiInstantiateSlave)
#define fmiInitializeSlave          fmiFullName(_fmiInitializeSlave)
#define fmiTerminateSlave           fmiFullName(_fmiTerminateSlave)
#define fmiResetSlave               fmiFullName(_fmiResetSlave)
#define fmiFreeSlaveInstance        fmiFullName(_fmiFreeSlaveInstance)
#define fmiSetRealInputDerivatives  fmiFullName(_fmiSetRealInputDerivatives)
#define fmiGetRealOutputDerivatives fmiFullName(_fmiGetRealOutputDerivatives)
#define fmiDoStep                   fmiFullName(_fmiDoStep)
#define fmiCancelStep               fmiFullName(_fmiCancelStep)
#define fmiGetStatus                fmiFullName(_fmiGetStatus)
#define fmiGetRealStatus            fmiFullName(_fmiGetRealStatus)
#define fmiGetIntegerStatus         fmiFullName(_fmiGetIntegerStatus)
#define fmiGetBooleanStatus         fmiFullName(_fmiGetBooleanStatus)
#define fmiGetStringStatus          fmiFullName(_fmiGetStringStatus)

DllExport const char *fmiGetTypesPlatform(void);
DllExport fmiComponent fmiInstantiateSlave(fmiString, fmiString, fmiString,
                                           fmiString, fmiReal, fmiBoolean,
                                           fmiBoolean, fmiCallbackFunctions,
                                           fmiBoolean);
DllExport fmiStatus fmiInitializeSlave(fmiComponent, fmiReal, fmiBoolean,
                                       fmiReal);
DllExport fmiStatus fmiTerminateSlave(fmiComponent);
DllExport fmiStatus fmiResetSlave(fmiComponent);
DllExport void fmiFreeSlaveInstance(fmiComponent);
DllExport fmiStatus fmiSetRealInputDerivatives(fmiComponent, FMI1_REFS,
                                               const fmiInteger[],
                                               const fmiReal[]);
DllExport fmiStatus fmiGetRealOutputDerivatives(fmiComponent, FMI1_REFS,
                                                const fmiInteger[], fmiReal[]);
DllExport fmiStatus fmiDoStep(fmiComponent, fmiReal, fmiReal, fmiBoolean);
DllExport fmiStatus fmiCancelStep(fmiComponent);
DllExport fmiStatus fmiGetStatus(fmiComponent, const fmiStatusKind,
                                 fmiStatus *);
DllExport fmiStatus fmiGetRealStatus(fmiComponent, const fmiStatusKind,
                                     fmiReal *);
DllExport fmiStatus fmiGetIntegerStatus(fmiComponent, const fmiStatusKind,
                                        fmiInteger *);
DllExport fmiStatus fmiGetBooleanStatus(fmiComponent, const fmiStatusKind,
                                        fmiBoolean *);
DllExport fmiStatus fmiGetStringStatus(fmiComponent, const fmiStatusKind,
                                       fmiString *);

#endif
