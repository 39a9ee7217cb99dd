/* SPDX-License-Identifier: MIT */
/* The functions of FMI 2.0 for Co-Simulation on an engine. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "export/engine.h"
#include "tutti_kit_fmi2.h"

struct instance {
    tt_engine *engine;               /* owned */
    fmi2CallbackFunctions callbacks; /* a copy */
    char *name;                      /* owned: what the logger is told */
    double reached; /* of the last step, when it was not made whole */
    int terminated;
};

/* --- messages ------------------------------------------------------------- */

static void say(void *ctx, enum tt_engine_said said, const char *text)
{
    static const struct {
        fmi2Status status;
        const char *category;
    } as[] = {
        [TT_SAID_PLAIN] = {fmi2OK, "logAll"},
        [TT_SAID_WARNING] = {fmi2Warning, "logStatusWarning"},
        [TT_SAID_ERROR] = {fmi2Error, "logStatusError"},
    };
    const struct instance *i = ctx;

    if (i->callbacks.logger)
        i->callbacks.logger(i->callbacks.environment, i->name, as[said].status,
                            as[said].category, "%s", text);
}

/* The end of a call: what went wrong is said. */
static fmi2Status done(const struct instance *i, const char *call,
                       enum tt_code rc, tt_err *err)
{
    if (rc == TT_OK)
        return fmi2OK;
    (void)tt_context(err, rc, "%s", call);
    say((void *)(uintptr_t)i, TT_SAID_ERROR, err->msg);
    return fmi2Error;
}

static fmi2Status absent(const struct instance *i, const char *call)
{
    tt_err err;

    return i ? done(i, call,
                    tt_fail(&err, TT_EUNSUPPORTED,
                            "an exported scenario does not have it"),
                    &err)
             : fmi2Error;
}

const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n,
                               const fmi2String categories[])
{
    struct instance *i = c;

    (void)n;
    (void)categories;
    if (!i)
        return fmi2Error;
    tt_engine_logging(i->engine, on);
    return fmi2OK;
}

/* --- life ----------------------------------------------------------------- */

static void free_instance(struct instance *i)
{
    tt_engine_free(i->engine);
    tt_free(i->name);
    tt_free(i);
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                              fmi2String resources,
                              const fmi2CallbackFunctions *functions,
                              fmi2Boolean visible, fmi2Boolean logging)
{
    struct tt_engine_opts o = {.fmi = 2,
                               .instance = name,
                               .token = guid,
                               .resources = resources,
                               .visible = visible,
                               .logging = logging,
                               .early_return = 1,
                               .say_cb = say};
    struct instance *i;
    enum tt_code rc = TT_OK;
    tt_err err;

    if (!TT_NEW(i))
        return NULL;
    o.ctx = i;
    if (functions)
        i->callbacks = *functions;
    i->name = tt_strdup(name ? name : "");
    if (type != fmi2CoSimulation)
        rc = tt_fail(&err, TT_EUNSUPPORTED, "it is for Co-Simulation only");
    if (rc == TT_OK)
        rc = i->name ? tt_engine_new(&i->engine, &o, &err)
                     : tt_fail(&err, TT_ENOMEM, "out of memory");
    if (rc == TT_OK)
        return i;
    (void)done(i, "fmi2Instantiate", rc, &err);
    free_instance(i);
    return NULL;
}

void fmi2FreeInstance(fmi2Component c)
{
    if (c)
        free_instance(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined,
                               fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
    struct instance *i = c;

    if (!i)
        return fmi2Error;
    i->engine->exp =
        (struct tt_experiment){.start = start,
                               .end = stop_defined ? stop : (double)INFINITY,
                               .tolerance = tolerance_defined ? tolerance : 0};
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    struct instance *i = c;
    tt_err err;

    return i ? done(i, "fmi2EnterInitializationMode",
                    tt_engine_enter(i->engine, &err), &err)
             : fmi2Error;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    struct instance *i = c;
    tt_err err;

    return i ? done(i, "fmi2ExitInitializationMode",
                    tt_engine_leave(i->engine, &err), &err)
             : fmi2Error;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    struct instance *i = c;
    tt_err err;

    return i ? done(i, "fmi2Terminate", tt_unit_end(i->engine->unit, &err),
                    &err)
             : fmi2Error;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    struct instance *i = c;
    tt_err err;

    return i ? done(i, "fmi2Reset", tt_engine_reset(i->engine, &err), &err)
             : fmi2Error;
}

/* --- values --------------------------------------------------------------- */

static fmi2Status get(struct instance *i, const char *call,
                      const struct tt_engine_vars *v, void *value)
{
    tt_err err;

    return i ? done(i, call, tt_engine_get(i->engine, v, value, &err), &err)
             : fmi2Error;
}

static fmi2Status set(struct instance *i, const char *call,
                      const struct tt_engine_vars *v, const void *value)
{
    tt_err err;

    return i ? done(i, call, tt_engine_set(i->engine, v, value, &err), &err)
             : fmi2Error;
}

#define ACCESS(Name, type)                                                     \
    fmi2Status fmi2Get##Name(fmi2Component c, const fmi2ValueReference vr[],   \
                             size_t n, fmi2##Name value[])                     \
    {                                                                          \
        const struct tt_engine_vars v = {type, vr, n, n};                      \
                                                                               \
        return get(c, "fmi2Get" #Name, &v, value);                             \
    }                                                                          \
    fmi2Status fmi2Set##Name(fmi2Component c, const fmi2ValueReference vr[],   \
                             size_t n, const fmi2##Name value[])               \
    {                                                                          \
        const struct tt_engine_vars v = {type, vr, n, n};                      \
                                                                               \
        return set(c, "fmi2Set" #Name, &v, value);                             \
    }

ACCESS(Real, TT_F64)
ACCESS(Integer, TT_I32)
ACCESS(Boolean, TT_BOOL32)

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference vr[],
                         size_t n, fmi2String value[])
{
    const struct tt_engine_vars v = {TT_TEXT, vr, n, n};
    struct instance *i = c;
    tt_err err;

    return i ? done(i, "fmi2GetString",
                    tt_engine_get_texts(i->engine, &v, value, &err), &err)
             : fmi2Error;
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference vr[],
                         size_t n, const fmi2String value[])
{
    const struct tt_engine_vars v = {TT_TEXT, vr, n, n};
    struct instance *i = c;
    tt_err err;

    return i ? done(i, "fmi2SetString",
                    tt_engine_set_texts(i->engine, &v, value, &err), &err)
             : fmi2Error;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c,
                                       const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[],
                                       const fmi2Real value[])
{
    const struct tt_engine_vars v = {TT_F64, vr, n, n};
    struct instance *i = c;
    tt_err err;

    return i ? done(i, "fmi2SetRealInputDerivatives",
                    tt_engine_set_rates(i->engine, &v, order, value, &err),
                    &err)
             : fmi2Error;
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c,
                                        const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[],
                                        fmi2Real value[])
{
    const struct tt_engine_vars v = {TT_F64, vr, n, n};
    struct instance *i = c;
    tt_err err;

    return i ? done(i, "fmi2GetRealOutputDerivatives",
                    tt_engine_get_rates(i->engine, &v, order, value, &err),
                    &err)
             : fmi2Error;
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c,
                                        const fmi2ValueReference unknown[],
                                        size_t n_unknown,
                                        const fmi2ValueReference known[],
                                        size_t n_known, const fmi2Real seed[],
                                        fmi2Real out[])
{
    const struct tt_engine_jvp j = {
        .of = {unknown, known, n_unknown, n_known, seed, out},
        .n_seed = n_known,
        .n_out = n_unknown};
    struct instance *i = c;
    tt_err err;

    return i ? done(i, "fmi2GetDirectionalDerivative",
                    tt_engine_jvp(i->engine, &j, &err), &err)
             : fmi2Error;
}

/* --- states --------------------------------------------------------------- */

static struct tt_engine_state **state_at(fmi2FMUstate *state)
{
    return (struct tt_engine_state **)(void *)state;
}

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    struct instance *i = c;
    tt_err err;

    return i ? done(i, "fmi2GetFMUstate",
                    tt_engine_save(i->engine, state_at(state), &err), &err)
             : fmi2Error;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    struct instance *i = c;
    tt_err err;

    return i && state ? done(i, "fmi2SetFMUstate",
                             tt_engine_restore(i->engine, state, &err), &err)
                      : fmi2Error;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    struct instance *i = c;

    if (!i || !state)
        return fmi2Error;
    tt_engine_drop(i->engine, *state);
    *state = NULL;
    return fmi2OK;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state,
                                      size_t *size)
{
    struct instance *i = c;
    tt_err err;

    return i && state
               ? done(i, "fmi2SerializedFMUstateSize",
                      tt_engine_packed_size(i->engine, state, size, &err), &err)
               : fmi2Error;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state,
                                 fmi2Byte bytes[], size_t size)
{
    struct instance *i = c;
    tt_err err;

    return i && state
               ? done(i, "fmi2SerializeFMUstate",
                      tt_engine_pack(i->engine, state, bytes, size, &err), &err)
               : fmi2Error;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[],
                                   size_t size, fmi2FMUstate *state)
{
    const struct tt_bytes b = {.data = (void *)(uintptr_t)bytes, .n = size};
    struct instance *i = c;
    tt_err err;

    return i && state
               ? done(i, "fmi2DeSerializeFMUstate",
                      tt_engine_unpack(i->engine, &b, state_at(state), &err),
                      &err)
               : fmi2Error;
}

/* --- time ----------------------------------------------------------------- */

/* FMI 2 knows one answer for a step that is not made whole. */
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h,
                      fmi2Boolean no_rollback)
{
    const struct tt_engine_step s = {t, h, !no_rollback};
    struct instance *i = c;
    struct tt_stepped r;
    enum tt_code rc;
    tt_err err;

    if (!i)
        return fmi2Error;
    i->terminated = 0;
    rc = tt_engine_step(i->engine, &s, &r, &err);
    if (rc != TT_OK)
        return done(i, "fmi2DoStep", rc, &err);
    i->reached = r.reached;
    i->terminated = (r.flags & TT_STEP_TERMINATE) != 0;
    return r.flags & (TT_STEP_TERMINATE | TT_STEP_REJECT | TT_STEP_EARLY)
               ? fmi2Discard
               : fmi2OK;
}

fmi2Status fmi2CancelStep(fmi2Component c)
{
    return absent(c, "fmi2CancelStep");
}

fmi2Status fmi2GetMaxStepsize(fmi2Component c, fmi2Real *size)
{
    struct instance *i = c;
    tt_err err;

    return i ? done(i, "fmi2GetMaxStepsize",
                    tt_unit_max_step(i->engine->unit, size, &err), &err)
             : fmi2Error;
}

fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind kind,
                         fmi2Status *value)
{
    (void)kind;
    (void)value;
    return absent(c, "fmi2GetStatus");
}

fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind,
                             fmi2Real *value)
{
    struct instance *i = c;

    if (!i || kind != fmi2LastSuccessfulTime)
        return absent(c, "fmi2GetRealStatus");
    *value = i->reached;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, fmi2StatusKind kind,
                                fmi2Integer *value)
{
    (void)kind;
    (void)value;
    return absent(c, "fmi2GetIntegerStatus");
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind,
                                fmi2Boolean *value)
{
    struct instance *i = c;

    if (!i || kind != fmi2Terminated)
        return absent(c, "fmi2GetBooleanStatus");
    *value = i->terminated;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind kind,
                               fmi2String *value)
{
    (void)kind;
    (void)value;
    return absent(c, "fmi2GetStringStatus");
}
