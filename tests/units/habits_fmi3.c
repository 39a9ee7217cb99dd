/* SPDX-License-Identifier: MIT */
/* FMI 3.0 of habits.h. Within a step it asks for its input by intermediate
 * update, with the environment it also logs with. */
#include <stdlib.h>

#include "habits.h"
#include "tutti_kit_fmi3.h"

struct unit {
    struct habits h;
    fmi3InstanceEnvironment env;
    fmi3LogMessageCallback log;
    fmi3IntermediateUpdateCallback update;
};

static void *first_environment;

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
    fmi3Boolean early, const fmi3ValueReference required[], size_t n_required,
    fmi3InstanceEnvironment env, fmi3LogMessageCallback log,
    fmi3IntermediateUpdateCallback update)
{
    struct unit *u;

    (void)token;
    (void)resources;
    (void)visible;
    (void)event_mode;
    (void)early;
    (void)required;
    (void)n_required;
    if (strcmp(name, "refused") == 0) {
        if (logging)
            log(env, fmi3Error, "error",
                "cannot start:\n  no licence for 'habits'");
        return NULL;
    }
    u = calloc(1, sizeof(*u));
    if (!u)
        return NULL;
    u->env = env;
    u->log = log;
    u->update = update;
    if (!first_environment)
        first_environment = env;
    u->h.value[VR_K] = 1;
    return u;
}

void fmi3FreeInstance(fmi3Instance c)
{
    free(c);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c,
                                       fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop)
{
    (void)has_tolerance;
    (void)tolerance;
    (void)start;
    habits_setup(&((struct unit *)c)->h, has_stop, stop);
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    habits_exit_init(&((struct unit *)c)->h);
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

static void ask_for_input(struct unit *u, void *env, double t)
{
    bool early = false;
    double at = t;

    if (u->update)
        u->update(env, t, true, false, false, false, &early, &at);
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 now, fmi3Float64 h,
                      fmi3Boolean no_prior, fmi3Boolean *event_needed,
                      fmi3Boolean *terminate, fmi3Boolean *early,
                      fmi3Float64 *reached)
{
    struct unit *u = c;
    void *env = strange_environment(&u->h, first_environment, u->env);
    char text[128];

    (void)no_prior;
    *event_needed = *terminate = *early = false;
    *reached = now + h;
    (void)snprintf(text, sizeof(text), "step at %g", now);
    if (logs(&u->h))
        u->log(env, fmi3Warning, log_category(&u->h), text);
    ask_for_input(u, env, now + h / 2);
    switch (habits_step(&u->h, now, h)) {
    case REFUSED:
        (void)snprintf(text, sizeof(text),
                       "%.17g + %.17g is after the stop time %.17g", now, h,
                       u->h.value[VR_STOP]);
        u->log(u->env, fmi3Error, "error", text);
        return fmi3Error;
    case DISCARDED:
        return fmi3Discard;
    case DONE:
        break;
    }
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[],
                          size_t n, fmi3Float64 value[], size_t n_value)
{
    const struct unit *u = c;

    (void)n_value;
    for (size_t i = 0; i < n; i++)
        value[i] = u->h.value[vr[i] % N_VALUE];
    return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[],
                          size_t n, const fmi3Float64 value[], size_t n_value)
{
    struct unit *u = c;

    (void)n_value;
    for (size_t i = 0; i < n; i++)
        u->h.value[vr[i] % N_VALUE] = value[i];
    return fmi3OK;
}
