/* SPDX-License-Identifier: MIT */
/* An FMU of FMI 1.0 written by hand. It notes the calls it gets, answers with
 * the input it was initialised with, and misbehaves as told by `what`:
 * 1: fails to initialise, 2: fatally, 3: steps are pending and finish when
 * asked thrice, 4: discards steps beyond t=0.25, 5: logs with words of no
 * value. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tutti_kit_fmi1.h"

struct raw {
    fmiCallbackFunctions functions;
    double u, begun, time, last;
    int what, steps, asked;
    fmiBoolean on;
    char calls[512], location[1024], guid[64];
};

static void note(struct raw *r, const char *call)
{
    size_t n = strlen(r->calls);

    (void)snprintf(r->calls + n, sizeof(r->calls) - n, "%s%s", n ? " " : "",
                   call);
}

const char *FMI1(fmiGetTypesPlatform)(void)
{
    return "standard32";
}

const char *FMI1(fmiGetVersion)(void)
{
    return "1.0";
}

fmiComponent FMI1(fmiInstantiateSlave)(fmiString name, fmiString guid,
                                       fmiString location, fmiString mime,
                                       fmiReal timeout, fmiBoolean visible,
                                       fmiBoolean interactive,
                                       fmiCallbackFunctions functions,
                                       fmiBoolean logging)
{
    struct raw *r = functions.allocate(1, sizeof(*r));

    (void)name;
    if (!r || strcmp(mime, "application/x-fmu-sharedlibrary") != 0 ||
        timeout != 0 || visible || interactive || !logging)
        return NULL;
    r->functions = functions;
    (void)snprintf(r->location, sizeof(r->location), "%s", location);
    (void)snprintf(r->guid, sizeof(r->guid), "%s", guid);
    functions.logger(r, NULL, fmiOK, NULL, "made %s", name);
    return r;
}

fmiStatus FMI1(fmiInitializeSlave)(fmiComponent c, fmiReal start,
                                   fmiBoolean stop_defined, fmiReal stop)
{
    struct raw *r = c;
    char text[64];

    (void)snprintf(text, sizeof(text), "initialize(%g,%d,%g)", start,
                   stop_defined, stop);
    note(r, text);
    if (r->what == 1)
        r->functions.logger(r, "", fmiError, "", "no %s", "licence");
    r->begun = r->u;
    r->time = start;
    return r->what == 1 ? fmiError : r->what == 2 ? fmiFatal : fmiOK;
}

fmiStatus FMI1(fmiTerminateSlave)(fmiComponent c)
{
    note(c, "terminate");
    return fmiOK;
}

fmiStatus FMI1(fmiResetSlave)(fmiComponent c)
{
    struct raw *r = c;

    r->calls[0] = '\0';
    r->u = 0;
    r->steps = 0;
    note(r, "reset");
    return fmiOK;
}

void FMI1(fmiFreeSlaveInstance)(fmiComponent c)
{
    struct raw *r = c;

    r->functions.release(r);
}

fmiStatus FMI1(fmiSetDebugLogging)(fmiComponent c, fmiBoolean on)
{
    note(c, on ? "log" : "quiet");
    return fmiOK;
}

fmiStatus FMI1(fmiGetReal)(fmiComponent c, const fmiValueReference vr[],
                           size_t n, fmiReal value[])
{
    struct raw *r = c;
    const double v[] = {r->u, r->begun, r->time};

    note(r, "get");
    for (size_t i = 0; i < n; i++)
        value[i] = v[vr[i]];
    return fmiOK;
}

fmiStatus FMI1(fmiSetReal)(fmiComponent c, const fmiValueReference vr[],
                           size_t n, const fmiReal value[])
{
    struct raw *r = c;

    note(r, "set");
    for (size_t i = 0; i < n; i++)
        if (vr[i] == 0)
            r->u = value[i];
    return fmiOK;
}

fmiStatus FMI1(fmiGetInteger)(fmiComponent c, const fmiValueReference vr[],
                              size_t n, fmiInteger value[])
{
    struct raw *r = c;

    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == 0 ? r->what : r->steps;
    return fmiOK;
}

fmiStatus FMI1(fmiSetInteger)(fmiComponent c, const fmiValueReference vr[],
                              size_t n, const fmiInteger value[])
{
    struct raw *r = c;

    for (size_t i = 0; i < n; i++)
        if (vr[i] == 0)
            r->what = value[i];
    return fmiOK;
}

fmiStatus FMI1(fmiGetBoolean)(fmiComponent c, const fmiValueReference vr[],
                              size_t n, fmiBoolean value[])
{
    struct raw *r = c;

    for (size_t i = 0; i < n; i++)
        value[i] = vr[i] == 0 ? r->on : !r->on;
    return fmiOK;
}

fmiStatus FMI1(fmiSetBoolean)(fmiComponent c, const fmiValueReference vr[],
                              size_t n, const fmiBoolean value[])
{
    struct raw *r = c;

    for (size_t i = 0; i < n; i++)
        if (vr[i] == 0)
            r->on = value[i];
    return fmiOK;
}

fmiStatus FMI1(fmiGetString)(fmiComponent c, const fmiValueReference vr[],
                             size_t n, fmiString value[])
{
    struct raw *r = c;
    const char *const v[] = {r->calls, r->location, NULL};

    for (size_t i = 0; i < n; i++)
        value[i] = v[vr[i]];
    return fmiOK;
}

fmiStatus FMI1(fmiDoStep)(fmiComponent c, fmiReal t, fmiReal h,
                          fmiBoolean new_step)
{
    struct raw *r = c;

    note(r, new_step == 1 ? "step" : "again");
    r->asked = 0;
    if (r->what == 5)
        r->functions.logger(NULL, NULL, fmiWarning, NULL, "%s %n");
    r->last = r->what == 4 && t + h > 0.25 ? 0.25 : t + h;
    if (r->what == 4 && t + h > 0.25)
        return fmiDiscard;
    r->time = t + h;
    r->steps++;
    return r->what == 3 ? fmiPending : fmiOK;
}

fmiStatus FMI1(fmiGetStatus)(fmiComponent c, fmiStatusKind kind,
                             fmiStatus *value)
{
    struct raw *r = c;

    *value = kind == fmiDoStepStatus && ++r->asked >= 3 ? fmiOK : fmiPending;
    return fmiOK;
}

fmiStatus FMI1(fmiGetRealStatus)(fmiComponent c, fmiStatusKind kind,
                                 fmiReal *value)
{
    struct raw *r = c;

    *value = r->last;
    return kind == fmiLastSuccessfulTime ? fmiOK : fmiDiscard;
}
