/* SPDX-License-Identifier: MIT */
/* The functions of FMI 2.0 for Co-Simulation on an engine. */
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "tutti_kit_fmi2.h"

struct instance {
    struct tt_engine *engine;        /* owned */
    fmi2CallbackFunctions callbacks; /* a copy */
    char *name;                      /* owned: what the logger is given */
    double reached; /* of the last step, when it was not made whole */
    int terminated;
};

#define FMI(name)                  fmi2##name
#define fmi2Instance               fmi2Component
#define fmi2FMUState               fmi2FMUstate
#define fmi2GetFMUState            fmi2GetFMUstate
#define fmi2SetFMUState            fmi2SetFMUstate
#define fmi2FreeFMUState           fmi2FreeFMUstate
#define fmi2SerializedFMUStateSize fmi2SerializedFMUstateSize
#define fmi2SerializeFMUState      fmi2SerializeFMUstate
#define fmi2DeserializeFMUState    fmi2DeSerializeFMUstate
/* Values as parameters of calls, and how many they are. */
#define VALUES(element)            element value[]
#define N_VALUES                   n
#include "export/engine_alike.h"

static void pass_on(const struct instance *i, fmi2Status status,
                    const char *category, const char *text)
{
    if (i->callbacks.logger)
        i->callbacks.logger(i->callbacks.environment, i->name, status, category,
                            "%s", text);
}

const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

/* --- life ----------------------------------------------------------------- */

static void free_instance(struct instance *i)
{
    tt_engine_free(i->engine);
    TT_FREE_ALL(i->name, i);
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                              fmi2String resources,
                              const fmi2CallbackFunctions *functions,
                              fmi2Boolean visible, fmi2Boolean logging)
{
    struct tt_engine_opts o = {.fmi = 2,
                               .instance = name,
                               .token = guid,
                               TT_HOOKS(, resources, visible, logging),
                               .early_return = 1,
                               .log_cb = report};
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

void fmi2FreeInstance(fmi2Component instance)
{
    if (instance)
        free_instance(instance);
}

fmi2Status fmi2SetupExperiment(fmi2Component instance,
                               fmi2Boolean tolerance_defined,
                               fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
    struct instance *i = instance;

    if (!i)
        return fmi2Error;
    i->engine->exp =
        experiment(tolerance_defined, tolerance, start, stop_defined, stop);
    return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component instance)
{
    CALL(EnterInitializationMode, tt_engine_enter(e, &err));
}

/* --- values --------------------------------------------------------------- */

ACCESS(Real, TT_F64)
ACCESS(Integer, TT_I32)
ACCESS(Boolean, TT_BOOL32)
ACCESS_BY(String, TT_TEXT, tt_engine_get_texts, tt_engine_set_texts)

fmi2Status fmi2SetRealInputDerivatives(fmi2Component instance,
                                       const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[],
                                       const fmi2Real value[])
{
    const struct tt_engine_vars v = {TT_F64, vr, n, n};

    CALL(SetRealInputDerivatives,
         tt_engine_set_rates(e, &v, order, value, &err));
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component instance,
                                        const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[],
                                        fmi2Real value[])
{
    const struct tt_engine_vars v = {TT_F64, vr, n, n};

    CALL(GetRealOutputDerivatives,
         tt_engine_get_rates(e, &v, order, value, &err));
}

fmi2Status fmi2GetDirectionalDerivative(fmi2Component instance,
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

    CALL(GetDirectionalDerivative, tt_engine_jvp(e, &j, &err));
}

/* --- time ----------------------------------------------------------------- */

/* FMI 2 knows one answer for a step that is not made whole. */
fmi2Status fmi2DoStep(fmi2Component instance, fmi2Real t, fmi2Real h,
                      fmi2Boolean no_rollback)
{
    const struct tt_engine_step s = {t, h, !no_rollback};
    struct instance *i = instance;
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

fmi2Status fmi2CancelStep(fmi2Component instance)
{
    return absent(instance, "fmi2CancelStep");
}

static fmi2Status max_step(fmi2Component instance, fmi2Real *size)
{
    CALL(GetMaxStepsize, tt_unit_max_step(e->unit, size, &err));
}

fmi2Status fmi2GetMaxStepsize(fmi2Component instance, fmi2Real *size)
{
    fmi2Status s = max_step(instance, size);

    return s == fmi2OK && isnan(*size) ? fmi2Discard : s; /* none reports */
}

/* Kinds of status that no engine has. */
#define NO_STATUS(Name, Type)                                                  \
    fmi2Status fmi2Get##Name(fmi2Component instance, fmi2StatusKind kind,      \
                             fmi2##Type *value)                                \
    {                                                                          \
        (void)kind;                                                            \
        (void)value;                                                           \
        return absent(instance, "fmi2Get" #Name);                              \
    }

NO_STATUS(Status, Status)
NO_STATUS(IntegerStatus, Integer)
NO_STATUS(StringStatus, String)

#define STATUS(Type, what, member)                                             \
    fmi2Status fmi2Get##Type##Status(fmi2Component instance,                   \
                                     fmi2StatusKind kind, fmi2##Type *value)   \
    {                                                                          \
        const struct instance *i = instance;                                   \
                                                                               \
        if (!i || kind != (what))                                              \
            return absent(instance, "fmi2Get" #Type "Status");                 \
        *value = i->member;                                                    \
        return fmi2OK;                                                         \
    }

STATUS(Real, fmi2LastSuccessfulTime, reached)
STATUS(Boolean, fmi2Terminated, terminated)
