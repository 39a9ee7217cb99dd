/* SPDX-License-Identifier: MIT */
/* The functions of FMI 3.0 for Co-Simulation on an engine. */
#include <math.h>
#include <string.h>

#include "fmi/fmi3.h"
#include "tutti_kit_fmi3.h"

struct instance {
    struct tt_engine *engine; /* owned */
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
};

#define FMI(name)       fmi3##name
/* Values as parameters of calls, and how many they are. */
#define VALUES(element) element value[], size_t n_values
#define N_VALUES        n_values
#include "export/engine_alike.h"

static void pass_on(const struct instance *i, fmi3Status status,
                    const char *category, const char *text)
{
    if (i->log)
        i->log(i->environment, status, category, text);
}

const char *fmi3GetVersion(void)
{
    return "3.0";
}

/* --- life ----------------------------------------------------------------- */

/* NOLINTNEXTLINE(readability-function-size): the standard's parameters */
fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
    fmi3Boolean early_return, const fmi3ValueReference required[],
    size_t n_required, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    struct tt_engine_opts o = {.fmi = 3,
                               .instance = name,
                               .ends_early = early_return,
                               .log_cb = report,
                               TT_HOOKS(, token, resources, visible, logging,
                                        early_return, event_mode)};
    struct instance *i;
    enum tt_code rc;
    tt_err err;

    (void)required;
    (void)n_required;
    (void)update;
    if (!TT_NEW(i))
        return NULL;
    i->environment = environment;
    i->log = log;
    o.ctx = i;
    rc = tt_engine_new(&i->engine, &o, &err);
    if (rc == TT_OK)
        return i;
    (void)done(i, "fmi3InstantiateCoSimulation", rc, &err);
    tt_free(i);
    return NULL;
}

static fmi3Instance refuse(fmi3InstanceEnvironment environment,
                           fmi3LogMessageCallback log, const char *call)
{
    const struct instance i = {.environment = environment, .log = log};

    (void)absent(&i, call);
    return NULL;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token,
                                          fmi3String resources,
                                          fmi3Boolean visible,
                                          fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    return refuse(environment, log, "fmi3InstantiateModelExchange");
}

/* NOLINTNEXTLINE(readability-function-size): the standard's parameters */
fmi3Instance fmi3InstantiateScheduledExecution(
    fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging,
    fmi3InstanceEnvironment environment, fmi3LogMessageCallback log,
    fmi3ClockUpdateCallback clock_update, fmi3LockPreemptionCallback lock,
    fmi3UnlockPreemptionCallback unlock)
{
    (void)name;
    (void)token;
    (void)resources;
    (void)visible;
    (void)logging;
    (void)clock_update;
    (void)lock;
    (void)unlock;
    return refuse(environment, log, "fmi3InstantiateScheduledExecution");
}

void fmi3FreeInstance(fmi3Instance instance)
{
    struct instance *i = instance;

    if (!i)
        return;
    tt_engine_free(i->engine);
    tt_free(i);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance,
                                       fmi3Boolean tolerance_defined,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean stop_defined,
                                       fmi3Float64 stop)
{
    struct instance *i = instance;
    tt_err err;

    if (!i)
        return fmi3Error;
    i->engine->exp =
        experiment(tolerance_defined, tolerance, start, stop_defined, stop);
    return done(i, "fmi3EnterInitializationMode",
                tt_engine_enter(i->engine, &err), &err);
}

/* --- values --------------------------------------------------------------- */

#define X(type, name, Name, value_type) ACCESS(Name, TT_##type)
TT_FMI3_TYPES(X)
#undef X
ACCESS_BY(String, TT_TEXT, tt_engine_get_texts, tt_engine_set_texts)

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance,
                                    const fmi3ValueReference vr[], size_t n,
                                    const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t n_values)
{
    const struct tt_engine_vars v = {TT_F64, vr, n, n_values};

    CALL(GetOutputDerivatives,
         tt_engine_get_rates(e, &v, orders, values, &err));
}

/* NOLINTNEXTLINE(readability-function-size): the standard's parameters */
fmi3Status fmi3GetDirectionalDerivative(
    fmi3Instance instance, const fmi3ValueReference unknowns[],
    size_t n_unknowns, const fmi3ValueReference knowns[], size_t n_knowns,
    const fmi3Float64 seed[], size_t n_seed, fmi3Float64 out[], size_t n_out)
{
    const struct tt_engine_jvp j = {
        .of = {unknowns, knowns, n_unknowns, n_knowns, seed, out},
        .n_seed = n_seed,
        .n_out = n_out};

    CALL(GetDirectionalDerivative, tt_engine_jvp(e, &j, &err));
}

/* NOLINTNEXTLINE(readability-function-size): the standard's parameters */
fmi3Status fmi3GetAdjointDerivative(
    fmi3Instance instance, const fmi3ValueReference unknowns[],
    size_t n_unknowns, const fmi3ValueReference knowns[], size_t n_knowns,
    const fmi3Float64 seed[], size_t n_seed, fmi3Float64 out[], size_t n_out)
{
    (void)unknowns;
    (void)n_unknowns;
    (void)knowns;
    (void)n_knowns;
    (void)seed;
    (void)n_seed;
    (void)out;
    (void)n_out;
    return absent(instance, "fmi3GetAdjointDerivative");
}

/* --- time ----------------------------------------------------------------- */

/* FMI 3.0.2, 4.2.1.1: after fmi3Discard everything is as before the call, so
 * that a step that may be rejected can be taken back. */
static enum tt_code step(tt_engine *e, const struct tt_engine_step *s,
                         struct tt_stepped *r, tt_err *err)
{
    int back = e->opts.early_return && e->type->desc.caps.save;
    enum tt_code rc = back ? tt_engine_keep(e, err) : TT_OK;

    if (rc == TT_OK)
        rc = tt_engine_step(e, s, r, err);
    if (rc != TT_OK || !(r->flags & TT_STEP_REJECT))
        return rc;
    if (!back)
        return tt_fail(err, TT_EUNIT,
                       "the step is rejected inside and cannot be rolled back");
    return tt_engine_undo(e, err);
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 t, fmi3Float64 h,
                      fmi3Boolean no_rollback, fmi3Boolean *event,
                      fmi3Boolean *terminate, fmi3Boolean *early,
                      fmi3Float64 *reached)
{
    const struct tt_engine_step s = {t, h, !no_rollback};
    struct instance *i = instance;
    struct tt_stepped r;
    enum tt_code rc;
    tt_err err;

    if (!i)
        return fmi3Error;
    *event = *terminate = *early = false;
    *reached = t;
    rc = step(i->engine, &s, &r, &err);
    if (rc != TT_OK)
        return done(i, "fmi3DoStep", rc, &err);
    if (r.flags & TT_STEP_REJECT)
        return fmi3Discard;
    *event = (r.flags & TT_STEP_EVENT) != 0;
    *terminate = (r.flags & TT_STEP_TERMINATE) != 0;
    *early = (r.flags & TT_STEP_EARLY) != 0;
    *reached = r.reached;
    return fmi3OK;
}

/* --- events --------------------------------------------------------------- */

fmi3Status fmi3EnterEventMode(fmi3Instance instance)
{
    CALL(EnterEventMode, tt_engine_event_enter(e, &err));
}

fmi3Status fmi3EnterStepMode(fmi3Instance instance)
{
    CALL(EnterStepMode, tt_engine_event_leave(e, &err));
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *again,
                                    fmi3Boolean *terminate,
                                    fmi3Boolean *nominals_changed,
                                    fmi3Boolean *states_changed,
                                    fmi3Boolean *next_known, fmi3Float64 *next)
{
    struct instance *i = instance;
    struct tt_event_result r = {0};
    enum tt_code rc;
    tt_err err;

    if (!i)
        return fmi3Error;
    rc = tt_engine_event_update(i->engine, &r, &err);
    *again = rc == TT_OK && r.again;
    *terminate = rc == TT_OK && r.terminate;
    *nominals_changed = *states_changed = false; /* it has no states */
    *next_known = rc == TT_OK && r.next_defined;
    *next = *next_known ? r.next : 0;
    return done(i, "fmi3UpdateDiscreteStates", rc, &err);
}

fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference vr[],
                        size_t n, fmi3Clock values[])
{
    const struct tt_engine_vars v = {TT_CLOCK, vr, n, n};

    CALL(GetClock, tt_engine_get(e, &v, values, &err));
}

fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference vr[],
                        size_t n, const fmi3Clock values[])
{
    const struct tt_engine_vars v = {TT_CLOCK, vr, n, n};

    CALL(SetClock, tt_engine_set(e, &v, values, &err));
}

/* --- what it does not have ------------------------------------------------
 * Importers look for all functions of FMI 3 when they load a library, whatever
 * its description declares. */

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance)
{
    return absent(instance, "fmi3EvaluateDiscreteStates");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define DEFINE_ABSENT(Name, parameters)                                        \
    fmi3Status fmi3##Name parameters                                           \
    {                                                                          \
        return absent(instance, "fmi3" #Name);                                 \
    }

TUTTI_KIT_FMI3_ABSENT(DEFINE_ABSENT)
TUTTI_KIT_FMI3_EXCHANGE(DEFINE_ABSENT)
TUTTI_KIT_FMI3_PARTITIONS(DEFINE_ABSENT)
TUTTI_KIT_FMI3_INTERVALS(DEFINE_ABSENT)
#pragma GCC diagnostic pop
