/* SPDX-License-Identifier: MIT */
/* A library that exports names of FMI functions, for bind_test.c and
 * fmu_test.c. TEST_full: what every FMU must; else nothing of FMI. */

#define EXPORT __attribute__((visibility("default")))

#define STUB(name)                                                             \
    EXPORT int name(void);                                                     \
    int name(void)                                                             \
    {                                                                          \
        return 0;                                                              \
    }

#ifdef TEST_full
STUB(fmi2Instantiate)
STUB(fmi2FreeInstance)
STUB(fmi2SetupExperiment)
STUB(fmi2EnterInitializationMode)
STUB(fmi2ExitInitializationMode)
STUB(fmi2Terminate)
STUB(fmi2DoStep)
STUB(fmi2GetReal)
STUB(fmiGetMaxStepSize)
STUB(tank_fmiInstantiateSlave)
STUB(tank_fmiInitializeSlave)
STUB(tank_fmiFreeSlaveInstance)
STUB(tank_fmiTerminateSlave)
STUB(tank_fmiDoStep)
STUB(fmiGetReal)
STUB(fmi3InstantiateCoSimulation)
STUB(fmi3FreeInstance)
STUB(fmi3EnterInitializationMode)
STUB(fmi3ExitInitializationMode)
STUB(fmi3Terminate)
STUB(fmi3DoStep)
STUB(fmi3GetFloat64)
#else
STUB(something_else)
#endif
