/* SPDX-License-Identifier: MIT */
/* The least a unit can be, FMI 2.0: one Real in, one Real out, and states.
 * No state machine, no checks, no logging: whatever an engine does beside such
 * a unit shows. */
#include <stdlib.h>
#include <string.h>

#include "tutti_kit_fmi2.h"

enum { VR_U, VR_Y, N_VALUE };

struct unit {
    double value[N_VALUE];
};

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                              fmi2String resources,
                              const fmi2CallbackFunctions *call,
                              fmi2Boolean visible, fmi2Boolean logging)
{
    (void)name;
    (void)type;
    (void)guid;
    (void)resources;
    (void)call;
    (void)visible;
    (void)logging;
    return calloc(1, sizeof(struct unit));
}

void fmi2FreeInstance(fmi2Component c)
{
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance,
                               fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop)
{
    (void)c;
    (void)has_tolerance;
    (void)tolerance;
    (void)start;
    (void)has_stop;
    (void)stop;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

/* Values with as many digits as real ones have. */
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real now, fmi2Real h,
                      fmi2Boolean no_prior)
{
    struct unit *u = c;

    (void)no_prior;
    u->value[VR_Y] = 0.7 * u->value[VR_U] + (now + h);
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       fmi2Real value[])
{
    const struct unit *u = c;

    for (size_t i = 0; i < n; i++)
        value[i] = u->value[vr[i]];
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       const fmi2Real value[])
{
    struct unit *u = c;

    for (size_t i = 0; i < n; i++)
        u->value[vr[i]] = value[i];
    return fmi2OK;
}

/* --- states ------------------------------------------------------------- */

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    if (!*state)
        *state = malloc(sizeof(struct unit));
    if (!*state)
        return fmi2Error;
    memcpy(*state, c, sizeof(struct unit));
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    memcpy(c, state, sizeof(struct unit));
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state,
                                      size_t *size)
{
    (void)c;
    (void)state;
    *size = sizeof(struct unit);
    return fmi2OK;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state,
                                 fmi2Byte bytes[], size_t size)
{
    (void)c;
    memcpy(bytes, state, size);
    return fmi2OK;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[],
                                   size_t size, fmi2FMUstate *state)
{
    if (size != sizeof(struct unit) || fmi2GetFMUstate(c, state) != fmi2OK)
        return fmi2Error;
    memcpy(*state, bytes, size);
    return fmi2OK;
}
