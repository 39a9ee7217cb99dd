/* SPDX-License-Identifier: MIT */
#ifndef fmiShared_h
#define fmiShared_h

/* What FMI 1 has alike for co-simulation and model exchange. Names begin with
 * MODEL_IDENTIFIER. */

#include <stddef.h>

#include "fmiPlatformTypes.h"

#define fmiVersion "1.0"
#define DllExport  __attribute__((visibility("default")))

#define fmiPaste(a, b)    a##b
#define fmiPasteB(a, b)   fmiPaste(a, b)
#define fmiFullName(name) fmiPasteB(MODEL_IDENTIFIER, name)

typedef enum {
    fmiOK,
    fmiWarning,
    fmiDiscard,
    fmiError,
    fmiFatal,
    fmiPending
} fmiStatus;

typedef void (*fmiCallbackLogger)(fmiComponent, fmiString, fmiStatus, fmiString,
                                  fmiString, ...);
typedef void *(*fmiCallbackAllocateMemory)(size_t, size_t);
typedef void (*fmiCallbackFreeMemory)(void *);
typedef void (*fmiStepFinished)(fmiComponent, fmiStatus);

typedef struct {
    fmiBoolean iterationConverged;
    fmiBoolean stateValueReferencesChanged;
    fmiBoolean stateValuesChanged;
    fmiBoolean terminateSimulation;
    fmiBoolean upcomingTimeEvent;
    fmiReal nextEventTime;
} fmiEventInfo;

#define fmiGetVersion      fmiFullName(_fmiGetVersion)
#define fmiSetDebugLogging fmiFullName(_fmiSetDebugLogging)
#define fmiSetReal         fmiFullName(_fmiSetReal)
#define fmiSetInteger      fmiFullName(_fmiSetInteger)
#define fmiSetBoolean      fmiFullName(_fmiSetBoolean)
#define fmiSetString       fmiFullName(_fmiSetString)
#define fmiGetReal         fmiFullName(_fmiGetReal)
#define fmiGetInteger      fmiFullName(_fmiGetInteger)
#define fmiGetBoolean      fmiFullName(_fmiGetBoolean)
#define fmiGetString       fmiFullName(_fmiGetString)

#define FMI1_REFS const fmiValueReference[], size_t

DllExport const char *fmiGetVersion(void);
DllExport fmiStatus fmiSetDebugLogging(fmiComponent, fmiBoolean);
DllExport fmiStatus fmiSetReal(fmiComponent, FMI1_REFS, const fmiReal[]);
DllExport fmiStatus fmiSetInteger(fmiComponent, FMI1_REFS, const fmiInteger[]);
DllExport fmiStatus fmiSetBoolean(fmiComponent, FMI1_REFS, const fmiBoolean[]);
DllExport fmiStatus fmiSetString(fmiComponent, FMI1_REFS, const fmiString[]);
DllExport fmiStatus fmiGetReal(fmiComponent, FMI1_REFS, fmiReal[]);
DllExport fmiStatus fmiGetInteger(fmiComponent, FMI1_REFS, fmiInteger[]);
DllExport fmiStatus fmiGetBoolean(fmiComponent, FMI1_REFS, fmiBoolean[]);
DllExport fmiStatus fmiGetString(fmiComponent, FMI1_REFS, fmiString[]);

#endif
