/* SPDX-License-Identifier: MIT */
/* FMI 2.0 of habits.h. */
#include <stdlib.h>

#include "habits.h"
#include "tutti_kit_fmi2.h"

struct unit {
    struct habits h;
    fmi2CallbackFunctions call;
    char name[64];
};

static void *first_environment;

/* Says why only when it was asked to log. */
static void refuse(const fmi2CallbackFunctions *call, fmi2String name,
                   fmi2Boolean logging)
{
    if (!logging)
        return;
    call->logger(call->environment, name, fmi2OK, "info", "looking around");
    call->logger(call->environment, name, fmi2Error, "error",
                 "cannot start:\n  no licence for 'habits'");
    call->logger(call->environment, name, fmi2Error, "error",
                 "asked licences.example for %d s", 3);
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                              fmi2String resources,
                              const fmi2CallbackFunctions *call,
                              fmi2Boolean visible, fmi2Boolean logging)
{
    struct unit *u;

    (void)type;
    (void)guid;
    (void)resources;
    (void)visible;
    if (strcmp(name, "refused") == 0) {
        refuse(call, name, logging);
        return NULL;
    }
    u = calloc(1, sizeof(*u));
    if (!u)
        return NULL;
    u->call = *call;
    if (!first_environment)
        first_environment = call->environment;
    (void)snprintf(u->name, sizeof(u->name), "%s", name);
    u->h.value[VR_K] = 1;
    return u;
}

void fmi2FreeInstance(fmi2Component c)
{
    free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance,
                               fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop)
{
    struct unit *u = c;

    (void)has_tolerance;
    (void)tolerance;
    (void)start;
    u->h = (struct habits){.value = {[VR_K] = 1}};
    habits_setup(&u->h, has_stop, stop);
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    habits_exit_init(&((struct unit *)c)->h);
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    struct unit *u = c;

    u->h = (struct habits){.value = {[VR_K] = 1, [VR_STOP] = -2}};
    return fmi2OK;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real now, fmi2Real h,
                      fmi2Boolean no_prior)
{
    struct unit *u = c;
    void *env =
        strange_environment(&u->h, first_environment, u->call.environment);

    (void)no_prior;
    if (logs(&u->h))
        u->call.logger(env, u->name, fmi2Warning, log_category(&u->h),
                       "step at %g", now);
    switch (habits_step(&u->h, now, h)) {
    case REFUSED:
        u->call.logger(u->call.environment, u->name, fmi2Error, "error",
                       "%.17g + %.17g is after the stop time %.17g", now, h,
                       u->h.value[VR_STOP]);
        return fmi2Error;
    case DISCARDED:
        return fmi2Discard;
    case DONE:
        break;
    }
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       fmi2Real value[])
{
    const struct unit *u = c;

    for (size_t i = 0; i < n; i++)
        value[i] = u->h.value[vr[i] % N_VALUE];
    return fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       const fmi2Real value[])
{
    struct unit *u = c;

    for (size_t i = 0; i < n; i++)
        u->h.value[vr[i] % N_VALUE] = value[i];
    return fmi2OK;
}

/* The whole unit is its state. */
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    const struct unit *u = c;

    if (!*state)
        *state = malloc(sizeof(u->h));
    if (!*state)
        return fmi2Error;
    memcpy(*state, &u->h, sizeof(u->h));
    return fmi2OK;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    memcpy(&((struct unit *)c)->h, state, sizeof(struct habits));
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    (void)c;
    free(*state);
    *state = NULL;
    return fmi2OK;
}
