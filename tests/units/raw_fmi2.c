/* SPDX-License-Identifier: MIT */
/* An FMI 2.0 unit without the kit, for what the kit would never do. `mode` says
 * what goes wrong; its description is raw_fmi2.xml. Compiled with RAW_MINIMAL
 * it leaves out every function that an importer can do without; with
 * RAW_FLUSH it sets flush-to-zero when loaded, as -ffast-math does; with
 * RAW_GLOBAL it computes in a global, while another instance steps. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

#include "tutti_kit_fmi2.h"

enum mode {
    GOOD,
    PENDING,        /* the step is done at the fourth question */
    NULL_TEXT,      /* fmi2GetString gives NULL */
    LONG_TEXT,      /* ... or more than anybody wants */
    LOG_STRANGE,    /* the log gets foreign with every step */
    STATUS_9,       /* fmi2DoStep returns a number that is no status */
    FATAL,          /* fmi2DoStep returns fmi2Fatal, nothing may follow */
    NO_SETUP,       /* fmi2EnterInitializationMode returns fmi2Error */
    BAD_GET,        /* fmi2GetReal returns fmi2Error */
    WARNING,        /* fmi2DoStep returns fmi2Warning */
    DISCARD_SILENT, /* fmi2Discard, and no status to ask for */
    LATE_CRASH,     /* fmi2FreeInstance does not return */
};

enum { VR_U, VR_Y, VR_RATE, VR_STOP, VR_TOLERANCE, VR_SECOND, N_REAL };

struct unit {
    const fmi2CallbackFunctions *call;
    char name[64];
    double real[N_REAL];
    int mode, asked, steps, no_prior, dead;
};

#if defined(RAW_FLUSH) && defined(__SSE__)
__attribute__((constructor)) static void flush_to_zero(void)
{
    _mm_setcsr(_mm_getcsr() | 0x8040u);
}
#endif

#ifdef RAW_GLOBAL
#include <fcntl.h>
#include <sched.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile double scratch; /* what instances of one library share */

/* A counter that all copies of the library share, in the file RAW_MEET names.
 */
static atomic_int *arrivals(void)
{
    const char *path = getenv("RAW_MEET");
    int fd = path ? open(path, O_RDWR) : -1;
    void *p = fd < 0 ? MAP_FAILED
                     : mmap(NULL, sizeof(atomic_int), PROT_READ | PROT_WRITE,
                            MAP_SHARED, fd, 0);

    if (fd >= 0)
        close(fd);
    return p == MAP_FAILED ? NULL : p;
}

/* 1 when both of two instances are in this step at once; 0 after a minute. */
static int meet(int step)
{
    atomic_int *n = arrivals();
    time_t begin = time(NULL);

    if (!n)
        return 0;
    atomic_fetch_add(n, 1);
    while (atomic_load(n) < 2 * step && time(NULL) < begin + 60)
        sched_yield();
    return atomic_load(n) >= 2 * step;
}

static void step_in_a_global(struct unit *u)
{
    scratch = u->real[VR_U];
    u->real[VR_SECOND] = meet(u->steps);
    u->real[VR_Y] += scratch;
}
#endif

static void alive(const struct unit *u)
{
    if (u->dead) {
        (void)fprintf(stderr, "raw_fmi2: called after fmi2Fatal\n");
        abort();
    }
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                              fmi2String resources,
                              const fmi2CallbackFunctions *call,
                              fmi2Boolean visible, fmi2Boolean logging)
{
    struct unit *u;

    (void)visible;
    (void)logging;
    if (strcmp(name, "refused") == 0) {
        call->logger(call->environment, name, fmi2Error, "error",
                     "no instance called '%s' (%d)", name, 42);
        return NULL;
    }
    if (type != fmi2CoSimulation || strcmp(guid, "raw") != 0 ||
        strncmp(resources, "file:///", 8) != 0)
        return NULL;
    u = call->allocate(1, sizeof(*u));
    if (!u)
        return NULL;
    u->call = call;
    (void)snprintf(u->name, sizeof(u->name), "%s", name);
    return u;
}

void fmi2FreeInstance(fmi2Component c)
{
    struct unit *u = c;

    alive(u);
    if (u->mode == LATE_CRASH)
        (void)raise(SIGSEGV);
    u->call->release(u);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean has_tolerance,
                               fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean has_stop, fmi2Real stop)
{
    struct unit *u = c;

    (void)start;
    u->real[VR_STOP] = has_stop ? stop : -1;
    u->real[VR_TOLERANCE] = has_tolerance ? tolerance : -1;
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    const struct unit *u = c;

    return u->mode == NO_SETUP ? fmi2Error : fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    (void)c;
    return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    alive(c);
    return fmi2OK;
}

/* Other tools' loggers have met all of these. */
static void log_strange(struct unit *u)
{
    fmi2CallbackLogger say = u->call->logger;
    void *env = u->call->environment;

    switch (u->steps) {
    case 1:
        say(env, u->name, fmi2OK, "info", "%d of %s at %5.2f%%", 3, "four",
            12.5);
        break;
    case 2:
        say(env, u->name, fmi2Warning, "info", "100% sure\n");
        break;
    case 3:
        say(env, NULL, fmi2Warning, NULL, NULL);
        break;
    case 4:
        say(env, u->name, fmi2Warning, "info", "write %n here", NULL);
        break;
    case 5:
        say(env, u->name, fmi2Warning, "info", "no text: %s", NULL);
        break;
    case 6:
        say(NULL, u->name, fmi2Error, "info", "of no category");
        break;
    default:
        say(env, u->name, fmi2Error, "info", "giving up%s", "");
        break;
    }
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real now, fmi2Real h,
                      fmi2Boolean no_prior)
{
    struct unit *u = c;

    (void)now;
    alive(u);
    u->steps++;
    u->asked = 0;
    u->no_prior = no_prior;
#ifdef RAW_GLOBAL
    (void)h;
    step_in_a_global(u);
#else
    u->real[VR_Y] += h * u->real[VR_U] + h * h / 2 * u->real[VR_RATE];
#endif
    switch ((enum mode)u->mode) {
    case PENDING:
        return fmi2Pending;
    case LOG_STRANGE:
        log_strange(u);
        return u->steps > 6 ? fmi2Error : fmi2OK;
    case STATUS_9:
        return (fmi2Status)9;
    case FATAL:
        u->dead = 1;
        return fmi2Fatal;
    case WARNING:
        return fmi2Warning;
    case DISCARD_SILENT:
        return fmi2Discard;
    case GOOD:
    case NULL_TEXT:
    case LONG_TEXT:
    case NO_SETUP:
    case BAD_GET:
    case LATE_CRASH:
        break;
    }
    return fmi2OK;
}

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       fmi2Real value[])
{
    const struct unit *u = c;

    for (size_t i = 0; i < n; i++)
        value[i] = u->real[vr[i] % N_REAL];
    return u->mode == BAD_GET ? fmi2Error : fmi2OK;
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference vr[], size_t n,
                       const fmi2Real value[])
{
    struct unit *u = c;

    for (size_t i = 0; i < n; i++)
        u->real[vr[i] % N_REAL] = value[i];
    return fmi2OK;
}

#ifndef RAW_MINIMAL
fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference vr[],
                          size_t n, fmi2Integer value[])
{
    const struct unit *u = c;

    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == 0 ? u->mode : u->no_prior;
    return fmi2OK;
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference vr[],
                          size_t n, const fmi2Integer value[])
{
    struct unit *u = c;

    (void)vr;
    for (size_t i = 0; i < n; i++)
        u->mode = value[i];
    return fmi2OK;
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[],
                         size_t n, fmi2String value[])
{
    static char lengthy[3000];
    const struct unit *u = c;

    (void)vr;
    memset(lengthy, 'x', sizeof(lengthy) - 1);
    for (size_t i = 0; i < n; i++)
        value[i] = u->mode == NULL_TEXT   ? NULL
                   : u->mode == LONG_TEXT ? lengthy
                                          : "fine";
    return fmi2OK;
}

fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind kind,
                         fmi2Status *value)
{
    struct unit *u = c;

    if (kind != fmi2DoStepStatus)
        return fmi2Error;
    *value = ++u->asked < 4 ? fmi2Pending : fmi2OK;
    return fmi2OK;
}

/* Keeps what it was told until it is told otherwise, as some FMUs do. */
fmi2Status fmi2SetRealInputDerivatives(fmi2Component c,
                                       const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[],
                                       const fmi2Real value[])
{
    struct unit *u = c;

    for (size_t i = 0; i < n; i++) {
        if (vr[i] != VR_U || order[i] < 1)
            return fmi2Error;
        u->real[order[i] == 1 ? VR_RATE : VR_SECOND] = value[i];
    }
    return fmi2OK;
}
#endif

#ifdef RAW_STATE
/* Going back: as it should be (1), accepted and ignored (2), ignored where more
 * than one step was made since (3), or a crash (4). */
fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    const struct unit *u = c;

    if (!*state)
        *state = u->call->allocate(1, sizeof(*u));
    if (*state)
        memcpy(*state, u, sizeof(*u));
    return *state ? fmi2OK : fmi2Error;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    struct unit *u = c;
    const struct unit *kept = state;

    if (RAW_STATE == 4)
        abort();
    if (RAW_STATE == 1 || (RAW_STATE == 3 && u->steps - kept->steps <= 1))
        memcpy(u, kept, sizeof(*u));
    if (RAW_STATE == 5) { /* goes back, and then makes no whole step */
        memcpy(u, kept, sizeof(*u));
        u->mode = DISCARD_SILENT;
    }
    return fmi2OK;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    const struct unit *u = c;

    u->call->release(*state);
    *state = NULL;
    return fmi2OK;
}
#endif
