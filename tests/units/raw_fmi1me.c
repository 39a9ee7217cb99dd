/* SPDX-License-Identifier: MIT */
/* An FMU of FMI 1.0 for model exchange, written by hand: x' = u - x from 1 on,
 * an event each second that adds the input `step` to the number of ticks, and a
 * state event where x falls to 1/2. It notes the calls it gets but those that
 * come with every evaluation, and misbehaves as told by `what`: 1 fails to
 * initialise, 2 adds 1 to x at each tick, 3 ends the simulation at the second
 * one, 4 asks for an event when a step is completed behind t = 0.3, 5 says once
 * at each event that it has not converged, 6 has no derivative behind t = 0.5,
 * 7 never converges. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tutti_kit_fmi1.h"

struct raw {
    struct fmi1_me_callbacks functions;
    double t, x, u, next;
    int what, step, ticks, below, asked, rounds;
    char calls[512];
};

static void note(struct raw *r, const char *call)
{
    size_t n = strlen(r->calls);

    (void)snprintf(r->calls + n, sizeof(r->calls) - n, "%s%s", n ? " " : "",
                   call);
}

const char *FMI1(fmiGetModelTypesPlatform)(void)
{
    return "standard32";
}

const char *FMI1(fmiGetVersion)(void)
{
    return "1.0";
}

fmiComponent FMI1(fmiInstantiateModel)(fmiString name, fmiString guid,
                                       struct fmi1_me_callbacks functions,
                                       fmiBoolean logging)
{
    struct raw *r = functions.allocate(1, sizeof(*r));

    if (!r || !logging || strcmp(guid, "{raw}") != 0)
        return NULL;
    r->functions = functions;
    functions.logger(r, NULL, fmiOK, NULL, "made %s", name);
    return r;
}

void FMI1(fmiFreeModelInstance)(fmiComponent c)
{
    struct raw *r = c;

    r->functions.release(r);
}

fmiStatus FMI1(fmiSetDebugLogging)(fmiComponent c, fmiBoolean on)
{
    note(c, on ? "log" : "quiet");
    return fmiOK;
}

fmiStatus FMI1(fmiSetTime)(fmiComponent c, fmiReal t)
{
    struct raw *r = c;

    r->t = t;
    return fmiOK;
}

/* One round; what it came to. */
static fmiEventInfo update(struct raw *r)
{
    fmiEventInfo i = {.upcomingTimeEvent = 1};
    int tick = r->t >= r->next;

    if (tick) {
        r->ticks += r->step;
        r->next += 1;
        r->x += r->what == 2;
        i.stateValuesChanged = r->what == 2;
        i.terminateSimulation = r->what == 3 && r->next > 2;
    }
    r->below = r->x <= 0.5;
    r->rounds = r->what == 5 && !r->rounds;
    i.iterationConverged = !r->rounds && r->what != 7;
    i.nextEventTime = r->next;
    return i;
}

fmiStatus FMI1(fmiInitialize)(fmiComponent c, fmiBoolean tolerance_controlled,
                              fmiReal tolerance, fmiEventInfo *info)
{
    struct raw *r = c;
    char text[64];

    (void)snprintf(text, sizeof(text), "initialize(%g,%d,%g)", r->t,
                   tolerance_controlled, tolerance);
    note(r, text);
    r->x = 1;
    r->next = r->t + 1;
    if (r->what == 1)
        r->functions.logger(r, "", fmiError, "", "no %s", "licence");
    if (r->what == 1)
        return fmiError;
    *info = update(r);
    return fmiOK;
}

fmiStatus FMI1(fmiEventUpdate)(fmiComponent c, fmiBoolean intermediate,
                               fmiEventInfo *info)
{
    struct raw *r = c;
    char text[32];

    (void)snprintf(text, sizeof(text), "update%s(%.3g)",
                   intermediate ? "-once" : "", r->t);
    note(r, text);
    *info = update(r);
    return fmiOK;
}

fmiStatus FMI1(fmiCompletedIntegratorStep)(fmiComponent c, fmiBoolean *event)
{
    struct raw *r = c;

    *event = r->what == 4 && r->t > 0.3 && !r->asked;
    r->asked |= *event;
    return fmiOK;
}

fmiStatus FMI1(fmiTerminate)(fmiComponent c)
{
    note(c, "terminate");
    return fmiOK;
}

fmiStatus FMI1(fmiSetContinuousStates)(fmiComponent c, const fmiReal x[],
                                       size_t n)
{
    ((struct raw *)c)->x = x[0];
    return n == 1 ? fmiOK : fmiError;
}

fmiStatus FMI1(fmiGetContinuousStates)(fmiComponent c, fmiReal x[], size_t n)
{
    x[0] = ((struct raw *)c)->x;
    return n == 1 ? fmiOK : fmiError;
}

fmiStatus FMI1(fmiGetNominalContinuousStates)(fmiComponent c, fmiReal x[],
                                              size_t n)
{
    note(c, "nominals");
    x[0] = 2;
    return n == 1 ? fmiOK : fmiError;
}

fmiStatus FMI1(fmiGetStateValueReferences)(fmiComponent c,
                                           fmiValueReference vr[], size_t n)
{
    (void)c;
    vr[0] = 7;
    return n == 1 ? fmiOK : fmiError;
}

fmiStatus FMI1(fmiGetDerivatives)(fmiComponent c, fmiReal dx[], size_t n)
{
    const struct raw *r = c;

    dx[0] = r->what == 6 && r->t > 0.5 ? (double)NAN : r->u - r->x;
    return n == 1 ? fmiOK : fmiError;
}

fmiStatus FMI1(fmiGetEventIndicators)(fmiComponent c, fmiReal z[], size_t n)
{
    const struct raw *r = c;

    z[0] = r->below ? 1 : r->x - 0.5;
    return n == 1 ? fmiOK : fmiError;
}

fmiStatus FMI1(fmiGetReal)(fmiComponent c, const fmiValueReference vr[],
                           size_t n, fmiReal value[])
{
    const struct raw *r = c;

    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == 7 ? r->x : r->u;
    return fmiOK;
}

fmiStatus FMI1(fmiSetReal)(fmiComponent c, const fmiValueReference vr[],
                           size_t n, const fmiReal value[])
{
    for (size_t i = 0; i < n; i++)
        if (vr[i] == 3)
            ((struct raw *)c)->u = value[i];
    return fmiOK;
}

static int *integer_at(struct raw *r, fmiValueReference vr)
{
    int *const at[] = {&r->what, &r->step, &r->ticks};

    return at[vr];
}

fmiStatus FMI1(fmiGetInteger)(fmiComponent c, const fmiValueReference vr[],
                              size_t n, fmiInteger value[])
{
    for (size_t i = 0; i < n; i++)
        value[i] = *integer_at(c, vr[i]);
    return fmiOK;
}

fmiStatus FMI1(fmiSetInteger)(fmiComponent c, const fmiValueReference vr[],
                              size_t n, const fmiInteger value[])
{
    for (size_t i = 0; i < n; i++)
        *integer_at(c, vr[i]) = value[i];
    return fmiOK;
}

fmiStatus FMI1(fmiGetString)(fmiComponent c, const fmiValueReference vr[],
                             size_t n, fmiString value[])
{
    (void)vr;
    for (size_t i = 0; i < n; i++)
        value[i] = ((struct raw *)c)->calls;
    return fmiOK;
}
