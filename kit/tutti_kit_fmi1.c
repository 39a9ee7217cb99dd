/* SPDX-License-Identifier: MIT */
/* The FMI 1.0 face of a unit: that of FMI 2.0, which is private then, with
 * other names, without initialisation mode and states. */

#ifndef TUTTI_KIT_ID
#error "FMI 1 needs TUTTI_KIT_ID, the model identifier"
#endif

/* Life. */

static void fmi1_log_message(struct instance *k, enum status status,
                             const char *category, const char *message)
{
    if (k->fmi1.logger)
        k->fmi1.logger(k, k->name ? k->name : "", (fmiStatus)status, category,
                       "%s", message);
}

const char *FMI1(fmiGetTypesPlatform)(void)
{
    return "standard32";
}

const char *FMI1(fmiGetVersion)(void)
{
    return "1.0";
}

/* An instance for an importer that gives this name and token; NULL: not of
 * this unit, or no memory. */
static struct instance *fmi1_new(struct instance *importer, const char *name,
                                 const char *guid, const char *folder,
                                 bool logging)
{
    struct instance *k = NULL;

    importer->log_message = fmi1_log_message;
    importer->early_allowed = true;
    log_all(importer, true); /* trouble is logged in any case */
    if (!identity_ok(importer, name, guid))
        return NULL;
    k = instance_new(importer, name, folder);
    if (!k)
        (void)report(importer, ST_ERROR, "out of memory");
    else
        k->log_on[CAT_EVENTS] = logging;
    return k;
}

/* "<folder>resources/" of the FMU's own folder. Owned by the caller. */
static char *fmi1_resources(const char *location)
{
    static const char inside[] = "resources/";
    char *folder = fmi2_folder(location);
    char *path = folder ? malloc(strlen(folder) + sizeof(inside)) : NULL;

    if (path)
        (void)snprintf(path, strlen(folder) + sizeof(inside), "%s%s", folder,
                       inside);
    free(folder);
    return path;
}

fmiComponent FMI1(fmiInstantiateSlave)(fmiString name, fmiString guid,
                                       fmiString location, fmiString mime,
                                       fmiReal timeout, fmiBoolean visible,
                                       fmiBoolean interactive,
                                       fmiCallbackFunctions functions,
                                       fmiBoolean logging)
{
    struct instance importer = {
        .fmi1 = {functions.logger, functions.allocate, functions.release}};
    char *folder = fmi1_resources(location);
    struct instance *k = fmi1_new(&importer, name, guid, folder, logging != 0);

    (void)mime;
    (void)timeout;
    (void)visible;
    (void)interactive;
    free(folder);
    return k;
}

fmiStatus FMI1(fmiInitializeSlave)(fmiComponent c, fmiReal start,
                                   fmiBoolean stop_defined, fmiReal stop)
{
    struct instance *k = c;
    enum status status;

    if (!k)
        return fmiError;
    status = allowed(k, "fmiInitializeSlave", PH_INSTANTIATED);
    if (status == ST_OK && (!isfinite(start) || (stop_defined && stop < start)))
        status = report(k, ST_ERROR,
                        "fmiInitializeSlave: stop time before start time");
    if (status != ST_OK)
        return (fmiStatus)status;
    k->time = k->last_successful = start;
    k->phase = PH_INIT;
    return (fmiStatus)leave_init(k);
}

fmiStatus FMI1(fmiTerminateSlave)(fmiComponent c)
{
    return c ? (fmiStatus)terminate(c, "fmiTerminateSlave", PH_STEP) : fmiError;
}

fmiStatus FMI1(fmiResetSlave)(fmiComponent c)
{
    return (fmiStatus)fmi2_reset(c, "fmiResetSlave");
}

void FMI1(fmiFreeSlaveInstance)(fmiComponent c)
{
    instance_free(c);
}

fmiStatus FMI1(fmiSetDebugLogging)(fmiComponent c, fmiBoolean on)
{
    return c ? (fmiStatus)set_logging(c, "fmiSetDebugLogging", on != 0, 0, NULL)
             : fmiError;
}

/* Values. */

/* Before initialisation there is nothing to get. */
static fmiStatus fmi1_get(struct instance *k, const char *function,
                          enum fmi2_class class, const fmiValueReference *vr,
                          size_t n, void *value)
{
    enum status status;

    if (!k)
        return fmiError;
    status = allowed(k, function, PH_ANY & ~PH_INSTANTIATED);
    return status == ST_OK
               ? (fmiStatus)fmi2_get(k, function, class, vr, n, value)
               : (fmiStatus)status;
}

#define FMI1_ACCESS(Name, type, class)                                         \
    fmiStatus FMI1(fmiGet##Name)(fmiComponent c, const fmiValueReference vr[], \
                                 size_t n, type value[])                       \
    {                                                                          \
        return fmi1_get(c, "fmiGet" #Name, class, vr, n, value);               \
    }                                                                          \
    fmiStatus FMI1(fmiSet##Name)(fmiComponent c, const fmiValueReference vr[], \
                                 size_t n, const type value[])                 \
    {                                                                          \
        return (fmiStatus)fmi2_set(c, "fmiSet" #Name, class, vr, n, value);    \
    }

FMI1_ACCESS(Real, fmiReal, FMI2_REAL)
FMI1_ACCESS(Integer, fmiInteger, FMI2_INTEGER)
FMI1_ACCESS(String, fmiString, FMI2_STRING)

fmiStatus FMI1(fmiGetBoolean)(fmiComponent c, const fmiValueReference vr[],
                              size_t n, fmiBoolean value[])
{
    fmiStatus status = fmiOK;

    for (size_t i = 0; i < n && status == fmiOK; i++) {
        fmi2Boolean one = 0;

        status = fmi1_get(c, "fmiGetBoolean", FMI2_BOOLEAN, &vr[i], 1, &one);
        value[i] = one != 0;
    }
    return status;
}

fmiStatus FMI1(fmiSetBoolean)(fmiComponent c, const fmiValueReference vr[],
                              size_t n, const fmiBoolean value[])
{
    fmiStatus status = fmiOK;

    for (size_t i = 0; i < n && status == fmiOK; i++) {
        fmi2Boolean one = value[i] != 0;

        status = (fmiStatus)fmi2_set(c, "fmiSetBoolean", FMI2_BOOLEAN, &vr[i],
                                     1, &one);
    }
    return status;
}

fmiStatus FMI1(fmiSetRealInputDerivatives)(fmiComponent c,
                                           const fmiValueReference vr[],
                                           size_t n, const fmiInteger order[],
                                           const fmiReal value[])
{
    return (fmiStatus)set_rates(c, "fmiSetRealInputDerivatives", vr, n, order,
                                value);
}

fmiStatus FMI1(fmiGetRealOutputDerivatives)(fmiComponent c,
                                            const fmiValueReference vr[],
                                            size_t n, const fmiInteger order[],
                                            fmiReal value[])
{
    const struct reals y = {"fmiGetRealOutputDerivatives", vr, n, false};

    return c ? (fmiStatus)output_rates(c, &y, order, value, n) : fmiError;
}

/* Stepping. */

fmiStatus FMI1(fmiDoStep)(fmiComponent c, fmiReal t, fmiReal h,
                          fmiBoolean new_step)
{
    struct instance *k = c;

    if (!k)
        return fmiError;
    if (!new_step)
        return (fmiStatus)report(k, ST_ERROR,
                                 "fmiDoStep: steps cannot be repeated");
    return (fmiStatus)fmi2_step(k, "fmiDoStep", t, h);
}

fmiStatus FMI1(fmiCancelStep)(fmiComponent c)
{
    return c ? (fmiStatus)report(c, ST_ERROR,
                                 "fmiCancelStep: steps are not asynchronous")
             : fmiError;
}

/* Status. */

fmiStatus FMI1(fmiGetStatus)(fmiComponent c, fmiStatusKind kind,
                             fmiStatus *value)
{
    struct instance *k = c;

    if (!k || !value)
        return fmiError;
    if (kind != fmiDoStepStatus)
        return (fmiStatus)fmi2_no_status(k, "fmiGetStatus");
    *value = (fmiStatus)k->last_step;
    return fmiOK;
}

fmiStatus FMI1(fmiGetRealStatus)(fmiComponent c, fmiStatusKind kind,
                                 fmiReal *value)
{
    struct instance *k = c;

    if (!k || !value)
        return fmiError;
    if (kind != fmiLastSuccessfulTime)
        return (fmiStatus)fmi2_no_status(k, "fmiGetRealStatus");
    *value = k->last_successful;
    return fmiOK;
}

fmiStatus FMI1(fmiGetIntegerStatus)(fmiComponent c, fmiStatusKind kind,
                                    fmiInteger *value)
{
    (void)kind;
    (void)value;
    return c ? (fmiStatus)fmi2_no_status(c, "fmiGetIntegerStatus") : fmiError;
}

fmiStatus FMI1(fmiGetBooleanStatus)(fmiComponent c, fmiStatusKind kind,
                                    fmiBoolean *value)
{
    (void)kind;
    (void)value;
    return c ? (fmiStatus)fmi2_no_status(c, "fmiGetBooleanStatus") : fmiError;
}

fmiStatus FMI1(fmiGetStringStatus)(fmiComponent c, fmiStatusKind kind,
                                   fmiString *value)
{
    if (!c || !value)
        return fmiError;
    if (kind != fmiPendingStatus)
        return (fmiStatus)fmi2_no_status(c, "fmiGetStringStatus");
    *value = "";
    return fmiOK;
}

/* Model exchange. There are no modes: the functions that FMI 2 has for them
 * are called around an update. */

const char *FMI1(fmiGetModelTypesPlatform)(void)
{
    return "standard32";
}

fmiComponent FMI1(fmiInstantiateModel)(fmiString name, fmiString guid,
                                       struct fmi1_me_callbacks functions,
                                       fmiBoolean logging)
{
    struct instance importer = {
        .fmi1 = functions, .exchange = true, .event_mode = true};

    if (model_exchanges(&tutti_model))
        return fmi1_new(&importer, name, guid, NULL, logging != 0);
    importer.log_message = fmi1_log_message;
    log_all(&importer, true);
    (void)report(&importer, ST_ERROR, "the model is for co-simulation only");
    return NULL;
}

void FMI1(fmiFreeModelInstance)(fmiComponent c)
{
    instance_free(c);
}

fmiStatus FMI1(fmiSetTime)(fmiComponent c, fmiReal t)
{
    return c ? (fmiStatus)me_set_time(c, "fmiSetTime", PH_INSTANTIATED | PH_RUN,
                                      t)
             : fmiError;
}

/* Rounds of the event hook: one, or all there are. */
static enum status fmi1_update(struct instance *k, bool one, fmiEventInfo *info)
{
    struct tutti_event e;
    enum status status = ST_OK;
    int rounds = 0;

    do
        status = run_event(k, &e);
    while (!one && status == ST_OK && e.again && ++rounds < EVENT_ROUNDS);
    *info = (fmiEventInfo){.iterationConverged = !e.again,
                           .stateValuesChanged = k->model->event != NULL,
                           .terminateSimulation = e.terminate,
                           .upcomingTimeEvent = e.next_known,
                           .nextEventTime = e.next};
    if (status == ST_OK)
        k->phase = PH_STEP;
    return status;
}

fmiStatus FMI1(fmiInitialize)(fmiComponent c, fmiBoolean tolerance_controlled,
                              fmiReal tolerance, fmiEventInfo *info)
{
    struct instance *k = c;
    enum status status;

    (void)tolerance_controlled;
    (void)tolerance;
    if (!k)
        return fmiError;
    status = me_allowed(k, "fmiInitialize", PH_INSTANTIATED, info, 1, 1);
    if (status != ST_OK)
        return (fmiStatus)status;
    k->last_successful = k->time;
    k->phase = PH_INIT;
    status = leave_init(k);
    return (fmiStatus)(status == ST_OK ? fmi1_update(k, false, info) : status);
}

fmiStatus FMI1(fmiEventUpdate)(fmiComponent c, fmiBoolean intermediate,
                               fmiEventInfo *info)
{
    enum status status;

    if (!c)
        return fmiError;
    status = me_allowed(c, "fmiEventUpdate", PH_STEP, info, 1, 1);
    return (fmiStatus)(status == ST_OK ? fmi1_update(c, intermediate != 0, info)
                                       : status);
}

fmiStatus FMI1(fmiCompletedIntegratorStep)(fmiComponent c, fmiBoolean *event)
{
    enum status status;

    if (!c)
        return fmiError;
    status = me_completed(c, "fmiCompletedIntegratorStep", event, c);
    if (status == ST_OK)
        *event = 0;
    return (fmiStatus)status;
}

fmiStatus FMI1(fmiGetStateValueReferences)(fmiComponent c,
                                           fmiValueReference vr[], size_t n)
{
    struct instance *k = c;
    enum status status;

    if (!k)
        return fmiError;
    status = me_allowed(k, "fmiGetStateValueReferences", PH_RUN, vr, n, k->nx);
    for (size_t i = 0; i < n && status == ST_OK; i++) {
        uint32_t first;
        const struct tutti_var *v = var_of_state(k, k->slot[i].state, &first);

        vr[i] = k->row_vr[v - k->model->vars] + k->slot[i].state - first;
    }
    return (fmiStatus)status;
}

fmiStatus FMI1(fmiTerminate)(fmiComponent c)
{
    return c ? (fmiStatus)terminate(c, "fmiTerminate", PH_RUN) : fmiError;
}

#define FMI1_REALS(Name, call, type)                                           \
    fmiStatus FMI1(Name)(fmiComponent c, type v[], size_t n)                   \
    {                                                                          \
        return c ? (fmiStatus)call(c, #Name, v, n) : fmiError;                 \
    }

FMI1_REALS(fmiSetContinuousStates, me_set_states, const fmiReal)
FMI1_REALS(fmiGetContinuousStates, me_get_states, fmiReal)
FMI1_REALS(fmiGetNominalContinuousStates, me_get_nominals, fmiReal)
FMI1_REALS(fmiGetDerivatives, me_get_derivatives, fmiReal)
FMI1_REALS(fmiGetEventIndicators, me_get_indicators, fmiReal)
