/* SPDX-License-Identifier: MIT */
#ifndef fmiModelFunctions_h
#define fmiModelFunctions_h

#include "fmiShared.h"

typedef struct {
    fmiCallbackLogger logger;
    fmiCallbackAllocateMemory allocateMemory;
    fmiCallbackFreeMemory freeMemory;
} fmiCallbackFunctions;

#define fmiGetModelTypesPlatform   fmiFullName(_fmiGetModelTypesPlatform)
#define fmiInstantiateModel        fmiFullName(_fmiInstantiateModel)
#define fmiFreeModelInstance       fmiFullName(_fmiFreeModelInstance)
#define fmiSetTime                 fmiFullName(_fmiSetTime)
#define fmiSetContinuousStates     fmiFullName(_fmiSetContinuousStates)
#define fmiCompletedIntegratorStep fmiFullName(_fmiCompletedIntegratorStep)
#define fmiInitialize              fmiFullName(_fmiInitialize)
#define fmiGetDerivatives          fmiFullName(_fmiGetDerivatives)
#define fmiGetEventIndicators      fmiFullName(_fmiGetEventIndicators)
#define fmiEventUpdate             fmiFullName(_fmiEventUpdate)
#define fmiGetContinuousStates     fmiFullName(_fmiGetContinuousStates)
#define fmiGetNominalContinuousStates                                          \
    fmiFullName(_fmiGetNominalContinuousStates)
#define fmiGetStateValueReferences fmiFullName(_fmiGetStateValueReferences)
#define fmiTerminate               fmiFullName(_fmiTerminate)

DllExport const char *fmiGetModelTypesPlatform(void);
DllExport fmiComponent fmiInstantiateModel(fmiString, fmiString,
                                           fmiCallbackFunctions, fmiBoolean);
DllExport void fmiFreeModelInstance(fmiComponent);
DllExport fmiStatus fmiSetTime(fmiComponent, fmiReal);
DllExport fmiStatus fmiSetContinuousStates(fmiComponent, const fmiReal[],
                                           size_t);
DllExport fmiStatus fmiCompletedIntegratorStep(fmiComponent, fmiBoolean *);
DllExport fmiStatus fmiInitialize(fmiComponent, fmiBoolean, fmiReal,
                                  fmiEventInfo *);
DllExport fmiStatus fmiGetDerivatives(fmiComponent, fmiReal[], size_t);
DllExport fmiStatus fmiGetEventIndicators(fmiComponent, fmiReal[], size_t);
DllExport fmiStatus fmiEventUpdate(fmiComponent, fmiBoolean, fmiEventInfo *);
DllExport fmiStatus fmiGetContinuousStates(fmiComponent, fmiReal[], size_t);
DllExport fmiStatus fmiGetNominalContinuousStates(fmiComponent, fmiReal[],
                                                  size_t);
DllExport fmiStatus fmiGetStateValueReferences(fmiComponent,
                                               fmiValueReference[], size_t);
DllExport fmiStatus fmiTerminate(fmiComponent);

#endif
