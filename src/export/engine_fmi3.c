/* SPDX-License-Identifier: MIT */
/* The functions of FMI 3.0 for Co-Simulation on an engine. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "export/engine.h"
#include "tutti_kit_fmi3.h"

struct instance {
    tt_engine *engine; /* owned */
    fmi3InstanceEnvironment environment;
    fmi3LogMessageCallback log;
};

/* --- messages ------------------------------------------------------------- */

static void say(void *ctx, enum tt_engine_said said, const char *text)
{
    static const struct {
        fmi3Status status;
        const char *category;
    } as[] = {
        [TT_SAID_PLAIN] = {fmi3OK, "logAll"},
        [TT_SAID_WARNING] = {fmi3Warning, "logStatusWarning"},
        [TT_SAID_ERROR] = {fmi3Error, "logStatusError"},
    };
    const struct instance *i = ctx;

    if (i->log)
        i->log(i->environment, as[said].status, as[said].category, text);
}

/* The end of a call: what went wrong is said. */
static fmi3Status done(const struct instance *i, const char *call,
                       enum tt_code rc, tt_err *err)
{
    if (rc == TT_OK)
        return fmi3OK;
    (void)tt_context(err, rc, "%s", call);
    say((void *)(uintptr_t)i, TT_SAID_ERROR, err->msg);
    return fmi3Error;
}

static fmi3Status absent(const struct instance *i, const char *call)
{
    tt_err err;

    return i ? done(i, call,
                    tt_fail(&err, TT_EUNSUPPORTED,
                            "an exported scenario does not have it"),
                    &err)
             : fmi3Error;
}

const char *fmi3GetVersion(void)
{
    return "3.0";
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t n,
                               const fmi3String categories[])
{
    struct instance *i = instance;

    (void)n;
    (void)categories;
    if (!i)
        return fmi3Error;
    tt_engine_logging(i->engine, on);
    return fmi3OK;
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
                               .token = token,
                               .resources = resources,
                               .visible = visible,
                               .logging = logging,
                               .early_return = early_return,
                               .say_cb = say};
    struct instance *i;
    enum tt_code rc;
    tt_err err;

    (void)event_mode; /* it has none, and says so */
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
        (struct tt_experiment){.start = start,
                               .end = stop_defined ? stop : (double)INFINITY,
                               .tolerance = tolerance_defined ? tolerance : 0};
    return done(i, "fmi3EnterInitializationMode",
                tt_engine_enter(i->engine, &err), &err);
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
    struct instance *i = instance;
    tt_err err;

    return i ? done(i, "fmi3ExitInitializationMode",
                    tt_engine_leave(i->engine, &err), &err)
             : fmi3Error;
}

fmi3Status fmi3Terminate(fmi3Instance instance)
{
    struct instance *i = instance;
    tt_err err;

    return i ? done(i, "fmi3Terminate", tt_unit_end(i->engine->unit, &err),
                    &err)
             : fmi3Error;
}

fmi3Status fmi3Reset(fmi3Instance instance)
{
    struct instance *i = instance;
    tt_err err;

    return i ? done(i, "fmi3Reset", tt_engine_reset(i->engine, &err), &err)
             : fmi3Error;
}

/* --- values --------------------------------------------------------------- */

static fmi3Status get(struct instance *i, const char *call,
                      const struct tt_engine_vars *v, void *value)
{
    tt_err err;

    return i ? done(i, call, tt_engine_get(i->engine, v, value, &err), &err)
             : fmi3Error;
}

static fmi3Status set(struct instance *i, const char *call,
                      const struct tt_engine_vars *v, const void *value)
{
    tt_err err;

    return i ? done(i, call, tt_engine_set(i->engine, v, value, &err), &err)
             : fmi3Error;
}

#define ACCESS(Name, type)                                                     \
    fmi3Status fmi3Get##Name(fmi3Instance instance,                            \
                             const fmi3ValueReference vr[], size_t n,          \
                             fmi3##Name values[], size_t n_values)             \
    {                                                                          \
        const struct tt_engine_vars v = {type, vr, n, n_values};               \
                                                                               \
        return get(instance, "fmi3Get" #Name, &v, values);                     \
    }                                                                          \
    fmi3Status fmi3Set##Name(fmi3Instance instance,                            \
                             const fmi3ValueReference vr[], size_t n,          \
                             const fmi3##Name values[], size_t n_values)       \
    {                                                                          \
        const struct tt_engine_vars v = {type, vr, n, n_values};               \
                                                                               \
        return set(instance, "fmi3Set" #Name, &v, values);                     \
    }

ACCESS(Float64, TT_F64)
ACCESS(Float32, TT_F32)
ACCESS(Int8, TT_I8)
ACCESS(UInt8, TT_U8)
ACCESS(Int16, TT_I16)
ACCESS(UInt16, TT_U16)
ACCESS(Int32, TT_I32)
ACCESS(UInt32, TT_U32)
ACCESS(Int64, TT_I64)
ACCESS(UInt64, TT_U64)
ACCESS(Boolean, TT_BOOL)

fmi3Status fmi3GetString(fmi3Instance instance, const fmi3ValueReference vr[],
                         size_t n, fmi3String values[], size_t n_values)
{
    const struct tt_engine_vars v = {TT_TEXT, vr, n, n_values};
    struct instance *i = instance;
    tt_err err;

    return i ? done(i, "fmi3GetString",
                    tt_engine_get_texts(i->engine, &v, values, &err), &err)
             : fmi3Error;
}

fmi3Status fmi3SetString(fmi3Instance instance, const fmi3ValueReference vr[],
                         size_t n, const fmi3String values[], size_t n_values)
{
    const struct tt_engine_vars v = {TT_TEXT, vr, n, n_values};
    struct instance *i = instance;
    tt_err err;

    return i ? done(i, "fmi3SetString",
                    tt_engine_set_texts(i->engine, &v, values, &err), &err)
             : fmi3Error;
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance,
                                    const fmi3ValueReference vr[], size_t n,
                                    const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t n_values)
{
    const struct tt_engine_vars v = {TT_F64, vr, n, n_values};
    struct instance *i = instance;
    tt_err err;

    return i ? done(i, "fmi3GetOutputDerivatives",
                    tt_engine_get_rates(i->engine, &v, orders, values, &err),
                    &err)
             : fmi3Error;
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
    struct instance *i = instance;
    tt_err err;

    return i ? done(i, "fmi3GetDirectionalDerivative",
                    tt_engine_jvp(i->engine, &j, &err), &err)
             : fmi3Error;
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

/* --- states --------------------------------------------------------------- */

static struct tt_engine_state **state_at(fmi3FMUState *state)
{
    return (struct tt_engine_state **)(void *)state;
}

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *state)
{
    struct instance *i = instance;
    tt_err err;

    return i ? done(i, "fmi3GetFMUState",
                    tt_engine_save(i->engine, state_at(state), &err), &err)
             : fmi3Error;
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state)
{
    struct instance *i = instance;
    tt_err err;

    return i && state ? done(i, "fmi3SetFMUState",
                             tt_engine_restore(i->engine, state, &err), &err)
                      : fmi3Error;
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *state)
{
    struct instance *i = instance;

    if (!i || !state)
        return fmi3Error;
    tt_engine_drop(i->engine, *state);
    *state = NULL;
    return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state,
                                      size_t *size)
{
    struct instance *i = instance;
    tt_err err;

    return i && state
               ? done(i, "fmi3SerializedFMUStateSize",
                      tt_engine_packed_size(i->engine, state, size, &err), &err)
               : fmi3Error;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state,
                                 fmi3Byte bytes[], size_t size)
{
    struct instance *i = instance;
    tt_err err;

    return i && state
               ? done(i, "fmi3SerializeFMUState",
                      tt_engine_pack(i->engine, state, bytes, size, &err), &err)
               : fmi3Error;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance,
                                   const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState *state)
{
    const struct tt_bytes b = {.data = (void *)(uintptr_t)bytes, .n = size};
    struct instance *i = instance;
    tt_err err;

    return i && state
               ? done(i, "fmi3DeserializeFMUState",
                      tt_engine_unpack(i->engine, &b, state_at(state), &err),
                      &err)
               : fmi3Error;
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
                       "the step is rejected inside and cannot be taken back");
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
    *terminate = (r.flags & TT_STEP_TERMINATE) != 0;
    *early = (r.flags & TT_STEP_EARLY) != 0;
    *reached = r.reached;
    return fmi3OK;
}

/* --- what it does not have ------------------------------------------------ */

fmi3Status fmi3EnterEventMode(fmi3Instance instance)
{
    return absent(instance, "fmi3EnterEventMode");
}

fmi3Status fmi3EnterStepMode(fmi3Instance instance)
{
    return absent(instance, "fmi3EnterStepMode");
}

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance)
{
    return absent(instance, "fmi3EvaluateDiscreteStates");
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *again,
                                    fmi3Boolean *terminate,
                                    fmi3Boolean *nominals_changed,
                                    fmi3Boolean *states_changed,
                                    fmi3Boolean *next_known, fmi3Float64 *next)
{
    (void)again;
    (void)terminate;
    (void)nominals_changed;
    (void)states_changed;
    (void)next_known;
    (void)next;
    return absent(instance, "fmi3UpdateDiscreteStates");
}

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#define DEFINE_ABSENT(Name, parameters)                                        \
    fmi3Status fmi3##Name parameters                                           \
    {                                                                          \
        return absent(instance, "fmi3" #Name);                                 \
    }

TUTTI_KIT_FMI3_ABSENT(DEFINE_ABSENT)
#pragma GCC diagnostic pop
