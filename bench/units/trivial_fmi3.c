/* SPDX-License-Identifier: MIT */
/* The least a unit can be, FMI 3.0: see trivial_fmi2.c. With BENCH_WORK_NS each
 * step burns so much CPU time. */
#include <stdlib.h>
#include <time.h>

#include "tutti_kit_fmi3.h"

enum { VR_U, VR_Y, N_VALUE };

struct unit {
    double value[N_VALUE];
};

#ifdef BENCH_WORK_NS
static void work(void)
{
    struct timespec from, now;

    (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
    do {
        (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    } while ((now.tv_sec - from.tv_sec) * 1000000000L + now.tv_nsec -
                 from.tv_nsec <
             BENCH_WORK_NS);
}
#endif

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
    fmi3Boolean early, const fmi3ValueReference required[], size_t n_required,
    fmi3InstanceEnvironment env, fmi3LogMessageCallback log,
    fmi3IntermediateUpdateCallback update)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)event_mode;
    (void)early;
    (void)required;
    (void)n_required;
    (void)env;
    (void)log;
    (void)update;
    return calloc(1, sizeof(struct unit));
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
    (void)c;
    (void)has_tolerance;
    (void)tolerance;
    (void)start;
    (void)has_stop;
    (void)stop;
    return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

fmi3Status fmi3Terminate(fmi3Instance c)
{
    (void)c;
    return fmi3OK;
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 now, fmi3Float64 h,
                      fmi3Boolean no_prior, fmi3Boolean *event,
                      fmi3Boolean *terminate, fmi3Boolean *early,
                      fmi3Float64 *last)
{
#ifdef BENCH_WORK_NS
    work();
#endif
    struct unit *u = c;

    (void)no_prior;
    u->value[VR_Y] = 0.7 * u->value[VR_U] + (now + h);
    *event = *terminate = *early = false;
    *last = now + h;
    return fmi3OK;
}

fmi3Status fmi3GetFloat64(fmi3Instance c, const fmi3ValueReference vr[],
                          size_t n, fmi3Float64 value[], size_t n_value)
{
    const struct unit *u = c;

    (void)n_value;
    for (size_t i = 0; i < n; i++)
        value[i] = u->value[vr[i]];
    return fmi3OK;
}

fmi3Status fmi3SetFloat64(fmi3Instance c, const fmi3ValueReference vr[],
                          size_t n, const fmi3Float64 value[], size_t n_value)
{
    struct unit *u = c;

    (void)n_value;
    for (size_t i = 0; i < n; i++)
        u->value[vr[i]] = value[i];
    return fmi3OK;
}
