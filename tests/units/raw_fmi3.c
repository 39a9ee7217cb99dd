/* SPDX-License-Identifier: MIT */
/* An FMI 3.0 unit without the kit, for what the kit would never do. `mode` says
 * what is odd; its description is raw_fmi3.xml. */
#include <stdlib.h>
#include <string.h>

#include "tutti_kit_fmi3.h"

enum mode {
    GOOD,
    LAG,             /* its own time stays a tenth of a step behind */
    OVERSHOOT,       /* ... or runs ahead */
    EARLY,           /* returns half way */
    TERMINATE,       /* ends half way */
    EVENT,           /* wants an event at the end of the step */
    DISCARD,         /* does not want the step */
    NOT_A_TIME,      /* lastSuccessfulTime is not a number */
    UNASKED,         /* intermediate update with strange arguments */
    FATAL,           /* nothing may follow */
    ERROR,           /* with a message */
    REPORTS_NOTHING, /* leaves the four results untouched */
    EVENT_FOREVER,   /* wants one event update after the other */
};

enum {
    VR_TIME,
    VR_MODE,
    VR_U,
    VR_Y,
    VR_BLOB_IN,
    VR_BLOB_OUT,
    VR_TEXT,
    VR_N,
    VR_A,
    VR_TICK,
    VR_HELD,
    VR_CONFIGURED
};

enum { A_MOST = 8 }; /* elements */

struct unit {
    fmi3InstanceEnvironment env;
    fmi3LogMessageCallback log;
    fmi3IntermediateUpdateCallback update;
    double time, u, y, held, a[A_MOST];
    int32_t mode;
    uint64_t n;
    size_t blob_n;
    uint8_t blob[3000];
    bool event_mode, tick, dead, configuring;
    int32_t configured;
};

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
    fmi3Boolean early, const fmi3ValueReference required[], size_t n_required,
    fmi3InstanceEnvironment env, fmi3LogMessageCallback log,
    fmi3IntermediateUpdateCallback update)
{
    struct unit *u;
    size_t n = strlen(resources);

    (void)visible;
    (void)logging;
    (void)early;
    (void)required;
    (void)n_required;
    if (strcmp(token, "raw") != 0 || n == 0 || resources[n - 1] != '/')
        return NULL;
    if (event_mode && strcmp(name, "no events") == 0)
        return NULL;
    u = calloc(1, sizeof(*u));
    if (!u)
        return NULL;
    u->env = env;
    u->log = log;
    u->update = update;
    u->event_mode = event_mode;
    u->n = 3;
    return u;
}

void fmi3FreeInstance(fmi3Instance c)
{
    struct unit *u = c;

    if (u->dead)
        abort();
    free(u);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c,
                                       fmi3Boolean has_tolerance,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean has_stop, fmi3Float64 stop)
{
    struct unit *u = c;

    (void)has_tolerance;
    (void)tolerance;
    (void)has_stop;
    (void)stop;
    u->time = start;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance c)
{
    const struct unit *u = c;

    return u->dead ? (abort(), fmi3Fatal) : fmi3OK;
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance c)
{
    struct unit *u = c;

    u->configuring = true;
    return fmi3OK;
}

fmi3Status fmi3ExitConfigurationMode(fmi3Instance c)
{
    struct unit *u = c;

    u->configuring = false;
    u->configured++;
    return fmi3OK;
}

fmi3Status fmi3EnterEventMode(fmi3Instance c)
{
    const struct unit *u = c;

    return u->event_mode ? fmi3OK : fmi3Error;
}

fmi3Status fmi3EnterStepMode(fmi3Instance c)
{
    const struct unit *u = c;

    return u->event_mode ? fmi3OK : fmi3Error;
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance c, fmi3Boolean *again,
                                    fmi3Boolean *terminate,
                                    fmi3Boolean *nominals, fmi3Boolean *values,
                                    fmi3Boolean *has_next, fmi3Float64 *next)
{
    struct unit *u = c;

    *again = u->mode == EVENT_FOREVER;
    *terminate = *nominals = false;
    *values = true;
    *has_next = true;
    *next = u->time + 1;
    u->tick = true;
    return fmi3OK;
}

/* What `update` gives in return is kept to itself. */
static void ask(struct unit *u, double t, bool set)
{
    bool early = true;
    double when = -1;

    u->update(u->env, t, set, true, true, true, &early, &when);
    u->held = early ? -1 : when;
    u->update(u->env, t, set, false, false, false, NULL, NULL);
}

static fmi3Status answer(struct unit *u, double h, bool *event, bool *terminate,
                         bool *early, double *last)
{
    switch ((enum mode)u->mode) {
    case LAG:
        *last = u->time - 0.1 * h;
        break;
    case OVERSHOOT:
        *last = u->time + 0.1 * h;
        break;
    case EARLY:
    case TERMINATE:
        u->time -= h / 2;
        *last = u->time;
        *early = u->mode == EARLY;
        *terminate = u->mode == TERMINATE;
        break;
    case EVENT:
        *event = true;
        break;
    case NOT_A_TIME:
        memset(last, 0xff, sizeof(*last));
        break;
    case GOOD:
    case DISCARD:
    case UNASKED:
    case FATAL:
    case ERROR:
    case REPORTS_NOTHING:
    case EVENT_FOREVER:
        break;
    }
    return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 now, fmi3Float64 h,
                      fmi3Boolean no_prior, fmi3Boolean *event,
                      fmi3Boolean *terminate, fmi3Boolean *early,
                      fmi3Float64 *last)
{
    struct unit *u = c;

    (void)no_prior;
    if (u->mode == DISCARD)
        return fmi3Discard;
    if (u->mode == ERROR) {
        u->log(u->env, fmi3Error, "error", "100%s wrong");
        return fmi3Error;
    }
    if (u->mode == FATAL) {
        u->dead = true;
        return fmi3Fatal;
    }
    ask(u, now, true);
    u->y += h / 2 * u->u; /* trapezoidal along the course, if there is one */
    ask(u, now + h, u->mode != UNASKED);
    u->y += h / 2 * u->u;
    u->time = now + h;
    if (u->mode == REPORTS_NOTHING)
        return fmi3OK;
    *event = *terminate = *early = false;
    *last = u->time;
    return answer(u, h, event, terminate, early, last);
}

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[],
                          size_t n, fmi3Float64 value[], size_t n_value)
{
    const struct unit *u = c;
    size_t k = 0;

    for (size_t i = 0; i < n; i++) {
        size_t width = vr[i] == VR_A ? u->n : 1;

        if (k + width > n_value)
            return fmi3Error;
        if (vr[i] == VR_A)
            memcpy(&value[k], u->a, width * sizeof(*u->a));
        else
            value[k] = vr[i] == VR_U      ? u->u
                       : vr[i] == VR_HELD ? u->held
                       : vr[i] == VR_TIME ? u->time
                                          : u->y;
        k += width;
    }
    return k == n_value ? fmi3OK : fmi3Error;
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[],
                          size_t n, const fmi3Float64 value[], size_t n_value)
{
    struct unit *u = c;
    size_t k = 0;

    if (u->configuring)
        return fmi3Error;
    for (size_t i = 0; i < n; i++) {
        size_t width = vr[i] == VR_A ? u->n : 1;

        if (k + width > n_value)
            return fmi3Error;
        if (vr[i] == VR_A)
            memcpy(u->a, &value[k], width * sizeof(*u->a));
        else
            u->u = value[k];
        k += width;
    }
    return fmi3OK;
}

fmi3Status fmi3GetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                        fmi3Int32 value[], size_t n_value)
{
    const struct unit *u = c;

    (void)n_value;
    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == VR_CONFIGURED ? u->configured : u->mode;
    return fmi3OK;
}

fmi3Status fmi3SetInt32(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                        const fmi3Int32 value[], size_t n_value)
{
    struct unit *u = c;

    (void)vr;
    (void)n_value;
    for (size_t i = 0; i < n; i++)
        u->mode = value[i];
    return fmi3OK;
}

fmi3Status fmi3SetUInt64(fmi3Instance c, const fmi3ValueReference vr[],
                         size_t n, const fmi3UInt64 value[], size_t n_value)
{
    struct unit *u = c;

    (void)vr;
    if (n != 1 || n_value != 1 || !u->configuring || value[0] > A_MOST)
        return fmi3Error;
    u->n = value[0];
    return fmi3OK;
}

fmi3Status fmi3GetString(fmi3Instance c, const fmi3ValueReference vr[],
                         size_t n, fmi3String value[], size_t n_value)
{
    (void)c;
    (void)vr;
    (void)n_value;
    for (size_t i = 0; i < n; i++)
        value[i] = NULL;
    return fmi3OK;
}

fmi3Status fmi3GetBinary(fmi3Instance c, const fmi3ValueReference vr[],
                         size_t n, size_t size[], fmi3Binary value[],
                         size_t n_value)
{
    const struct unit *u = c;

    (void)vr;
    (void)n_value;
    for (size_t i = 0; i < n; i++) {
        size[i] = u->blob_n;
        value[i] = u->blob_n ? u->blob : NULL;
    }
    return fmi3OK;
}

/* Gives back what it got; a single 'L' makes it lengthy. */
fmi3Status fmi3SetBinary(fmi3Instance c, const fmi3ValueReference vr[],
                         size_t n, const size_t size[],
                         const fmi3Binary value[], size_t n_value)
{
    struct unit *u = c;

    (void)vr;
    if (n != 1 || n_value != 1 || size[0] > sizeof(u->blob))
        return fmi3Error;
    memcpy(u->blob, value[0], size[0]);
    u->blob_n = size[0] == 1 && u->blob[0] == 'L' ? sizeof(u->blob) : size[0];
    return fmi3OK;
}

fmi3Status fmi3GetClock(fmi3Instance c, const fmi3ValueReference vr[], size_t n,
                        fmi3Clock value[])
{
    const struct unit *u = c;

    (void)vr;
    for (size_t i = 0; i < n; i++)
        value[i] = u->tick;
    return fmi3OK;
}
