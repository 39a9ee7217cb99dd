/* SPDX-License-Identifier: MIT */
/* The FMI 3.0 face of a unit. */

/* Life. */

static void fmi3_log_message(struct instance *k, enum status status,
                             const char *category, const char *message)
{
    if (k->fmi3.log)
        k->fmi3.log(k->fmi3.environment, (fmi3Status)status, category, message);
}

/* Asks the importer for the inputs at t. */
static void fmi3_ask(struct instance *k, double t)
{
    enum phase phase = k->phase;
    bool early = false;
    double early_time = 0;

    k->phase = PH_INTERMEDIATE;
    k->fmi3.update(k->fmi3.environment, t, true, false, false, false, &early,
                   &early_time);
    k->phase = phase;
}

/* A micro-step stands: outputs can be read at t. */
static void fmi3_show(struct instance *k, double t)
{
    enum phase phase = k->phase;
    bool early = false;
    double early_time = 0;

    evaluate(k);
    k->phase = PH_INTERMEDIATE;
    k->fmi3.update(k->fmi3.environment, t, false, true, true, false, &early,
                   &early_time);
    k->phase = phase;
}

/* Will the importer read outputs within steps? */
static bool wants_trail(const struct instance *k,
                        const fmi3ValueReference *required, size_t n)
{
    for (size_t i = 0; i < n && required; i++)
        for (size_t row = 0; row < k->model->n_vars; row++)
            if (k->row_vr[row] == required[i] &&
                var_has_trail(&k->model->vars[row]))
                return true;
    return false;
}

const char *fmi3GetVersion(void)
{
    return "3.0";
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t n,
                               const fmi3String categories[])
{
    if (!instance)
        return fmi3Error;
    return (fmi3Status)set_logging(instance, "fmi3SetDebugLogging", on, n,
                                   categories);
}

fmi3Instance fmi3InstantiateCoSimulation(
    fmi3String name, fmi3String token, fmi3String resources,
    fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
    fmi3Boolean early_return, const fmi3ValueReference required[],
    size_t n_required, fmi3InstanceEnvironment environment,
    fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
    struct instance importer = {
        .log_message = fmi3_log_message,
        .ask = update ? fmi3_ask : NULL,
        .event_mode = event_mode,
        .early_allowed = early_return,
        .fmi3 = {environment, log, update, NULL},
    };
    struct instance *k;

    (void)visible;
    log_all(&importer, logging);
    if (!identity_ok(&importer, name, token))
        return NULL;
    if (tutti_model.partition) {
        (void)report(&importer, ST_ERROR,
                     "the model is for scheduled execution only");
        return NULL;
    }
    if (event_mode && !tutti_model.event && !tutti_model.ta) {
        (void)report(&importer, ST_ERROR, "the model has no event mode");
        return NULL;
    }
    k = instance_new(&importer, name, resources);
    if (!k)
        (void)report(&importer, ST_ERROR, "out of memory");
    else if (update && wants_trail(k, required, n_required))
        k->show = fmi3_show; /* inputs may be set whenever we ask */
    return k;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token,
                                          fmi3String resources,
                                          fmi3Boolean visible,
                                          fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment,
                                          fmi3LogMessageCallback log)
{
    struct instance importer = {.log_message = fmi3_log_message,
                                .event_mode = true,
                                .exchange = true,
                                .fmi3 = {environment, log, NULL, NULL}};
    struct instance *k;

    (void)visible;
    log_all(&importer, logging);
    if (!identity_ok(&importer, name, token))
        return NULL;
    if (!model_exchanges(&tutti_model)) {
        (void)report(&importer, ST_ERROR,
                     "the model is for co-simulation only");
        return NULL;
    }
    k = instance_new(&importer, name, resources);
    if (!k)
        (void)report(&importer, ST_ERROR, "out of memory");
    return k;
}

void fmi3FreeInstance(fmi3Instance instance)
{
    instance_free(instance);
}

/* Sizes. */

static bool has_sizes(const struct tutti_model *m)
{
    for (size_t i = 0; i < m->n_vars; i++)
        if (m->vars[i].causality == TUTTI_STRUCTURAL)
            return true;
    return false;
}

fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance)
{
    struct instance *k = instance;
    enum status status;

    if (!k)
        return fmi3Error;
    if (!has_sizes(k->model))
        return (fmi3Status)report(k, ST_ERROR,
                                  "fmi3EnterConfigurationMode: the model does "
                                  "not support this");
    status = allowed(k, "fmi3EnterConfigurationMode", PH_INSTANTIATED);
    if (status == ST_OK)
        k->phase = PH_CONFIG;
    return (fmi3Status)status;
}

/* What has another size now begins as it starts. */
fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance)
{
    struct instance *k = instance;
    enum status status;

    if (!k)
        return fmi3Error;
    status = allowed(k, "fmi3ExitConfigurationMode", PH_CONFIG);
    if (status != ST_OK)
        return (fmi3Status)status;
    for (size_t i = 0; i < k->model->n_vars; i++)
        if (var_is_sized(&k->model->vars[i]))
            put_start(&k->model->vars[i],
                      (char *)model_of(k) + k->model->vars[i].offset);
    k->phase = PH_INSTANTIATED;
    k->dirty = true;
    return fmi3OK;
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance,
                                       fmi3Boolean tolerance_defined,
                                       fmi3Float64 tolerance, fmi3Float64 start,
                                       fmi3Boolean stop_defined,
                                       fmi3Float64 stop)
{
    struct instance *k = instance;
    enum status status;

    (void)tolerance_defined;
    (void)tolerance;
    if (!k)
        return fmi3Error;
    status = allowed(k, "fmi3EnterInitializationMode", PH_INSTANTIATED);
    if (status == ST_OK && (!isfinite(start) || (stop_defined && stop < start)))
        status =
            report(k, ST_ERROR,
                   "fmi3EnterInitializationMode: stop time before start time");
    if (status == ST_OK) {
        k->time = k->last_successful = start;
        k->phase = PH_INIT;
    }
    return (fmi3Status)status;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
    struct instance *k = instance;
    enum status status;

    if (!k)
        return fmi3Error;
    status = allowed(k, "fmi3ExitInitializationMode", PH_INIT);
    return (fmi3Status)(status == ST_OK ? leave_init(k) : status);
}

/* A change of phase that does nothing else. */
static fmi3Status fmi3_go(fmi3Instance instance, const char *function,
                          unsigned from, enum phase to)
{
    struct instance *k = instance;
    enum status status;

    if (!k)
        return fmi3Error;
    status = allowed(k, function, from);
    if (status == ST_OK)
        k->phase = to;
    return (fmi3Status)status;
}

fmi3Status fmi3Terminate(fmi3Instance instance)
{
    if (!instance)
        return fmi3Error;
    return (fmi3Status)terminate(instance, "fmi3Terminate", PH_RUN);
}

fmi3Status fmi3Reset(fmi3Instance instance)
{
    fmi3Status status =
        fmi3_go(instance, "fmi3Reset", PH_LIVE | PH_TERMINATED | PH_ERROR,
                PH_INSTANTIATED);

    if (status == fmi3OK)
        instance_reset(instance);
    return status;
}

/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "tutti_kit_fmi3_values.c"
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "tutti_kit_clocks.c"
/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "tutti_kit_se.c"

/* State. */

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *state)
{
    return instance ? (fmi3Status)state_get(instance, "fmi3GetFMUState", state)
                    : fmi3Error;
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state)
{
    return instance ? (fmi3Status)state_set(instance, "fmi3SetFMUState", state)
                    : fmi3Error;
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *state)
{
    return instance
               ? (fmi3Status)state_free(instance, "fmi3FreeFMUState", state)
               : fmi3Error;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state,
                                      size_t *size)
{
    return instance ? (fmi3Status)state_size(
                          instance, "fmi3SerializedFMUStateSize", state, size)
                    : fmi3Error;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state,
                                 fmi3Byte bytes[], size_t size)
{
    return instance ? (fmi3Status)state_write(instance, "fmi3SerializeFMUState",
                                              state, bytes, size)
                    : fmi3Error;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance,
                                   const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState *state)
{
    return instance
               ? (fmi3Status)state_read(instance, "fmi3DeserializeFMUState",
                                        bytes, size, state)
               : fmi3Error;
}

/* Derivatives. */

fmi3Status fmi3GetDirectionalDerivative(
    fmi3Instance instance, const fmi3ValueReference unknowns[],
    size_t n_unknowns, const fmi3ValueReference knowns[], size_t n_knowns,
    const fmi3Float64 seed[], size_t n_seed, fmi3Float64 out[], size_t n_out)
{
    static const char name[] = "fmi3GetDirectionalDerivative";
    const struct reals y = {name, unknowns, n_unknowns, true};
    const struct reals x = {name, knowns, n_knowns, true};

    if (!instance)
        return fmi3Error;
    return (fmi3Status)directional(instance, &y, &x, seed, n_seed, out, n_out);
}

/* Row by row: one derivative per known, weighted with the seeds. */
fmi3Status fmi3GetAdjointDerivative(
    fmi3Instance instance, const fmi3ValueReference unknowns[],
    size_t n_unknowns, const fmi3ValueReference knowns[], size_t n_knowns,
    const fmi3Float64 seed[], size_t n_seed, fmi3Float64 out[], size_t n_out)
{
    static const char name[] = "fmi3GetAdjointDerivative";
    struct instance *k = instance;
    const struct reals y = {name, unknowns, n_unknowns, true};
    const struct reals x = {name, knowns, n_knowns, true};
    enum status status;

    if (!k)
        return fmi3Error;
    status = allowed(k, name, PH_DIFFERENTIATE);
    if (status == ST_OK)
        status = reals_check(k, &y, n_seed, seed);
    if (status == ST_OK)
        status = reals_check(k, &x, n_out, out);
    if (status != ST_OK)
        return (fmi3Status)status;
    for (size_t i = 0; i < n_out; i++) {
        const struct direction d = {.of = &x, .one = i};

        out[i] = 0;
        differentiate(k, &y, &d, seed, &out[i]);
    }
    return (fmi3Status)finish(k, ST_OK);
}

fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance,
                                    const fmi3ValueReference vr[], size_t n,
                                    const fmi3Int32 orders[],
                                    fmi3Float64 values[], size_t n_values)
{
    const struct reals y = {"fmi3GetOutputDerivatives", vr, n, true};

    if (!instance)
        return fmi3Error;
    return (fmi3Status)output_rates(instance, &y, orders, values, n_values);
}

/* Stepping and events. */

fmi3Status fmi3EnterEventMode(fmi3Instance instance)
{
    struct instance *k = instance;

    if (k && !k->event_mode)
        return (fmi3Status)report(
            k, ST_ERROR, "fmi3EnterEventMode: event mode is not in use");
    if (k && k->events && k->phase == PH_STEP) {
        k->events->internal.active = is_due(k);
        k->dirty = true;
    }
    return fmi3_go(instance, "fmi3EnterEventMode", PH_STEP, PH_EVENT);
}

fmi3Status fmi3EnterStepMode(fmi3Instance instance)
{
    struct instance *k = instance;

    if (k && k->exchange)
        return (fmi3Status)report(
            k, ST_ERROR,
            "fmi3EnterStepMode: the model was instantiated for model exchange");
    return fmi3_go(instance, "fmi3EnterStepMode", PH_EVENT, PH_STEP);
}

fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance)
{
    return fmi3_go(instance, "fmi3EvaluateDiscreteStates", PH_EVENT, PH_EVENT);
}

fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *again,
                                    fmi3Boolean *terminate,
                                    fmi3Boolean *nominals_changed,
                                    fmi3Boolean *states_changed,
                                    fmi3Boolean *next_known, fmi3Float64 *next)
{
    struct instance *k = instance;
    struct tutti_event e;
    enum status status;

    if (!k)
        return fmi3Error;
    status = allowed(k, "fmi3UpdateDiscreteStates", PH_EVENT);
    if (status != ST_OK)
        return (fmi3Status)status;
    if (!again || !terminate || !nominals_changed || !states_changed ||
        !next_known || !next)
        return (fmi3Status)report(
            k, ST_ERROR, "fmi3UpdateDiscreteStates: missing arguments");
    status = run_event(k, &e);
    *again = e.again;
    *terminate = e.terminate;
    *nominals_changed = false;
    *states_changed = k->model->event || k->events;
    *next_known = e.next_known;
    *next = e.next;
    return (fmi3Status)status;
}

/* A rejected step is discarded, which in FMI 3 means that nothing happened. */
fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 t, fmi3Float64 h,
                      fmi3Boolean no_rollback, fmi3Boolean *event,
                      fmi3Boolean *terminate, fmi3Boolean *early,
                      fmi3Float64 *reached)
{
    struct instance *k = instance;
    struct tutti_step s;
    enum status status;

    (void)no_rollback;
    if (!k)
        return fmi3Error;
    status = allowed(k, "fmi3DoStep", PH_STEP);
    if (status != ST_OK)
        return (fmi3Status)status;
    if (!event || !terminate || !early || !reached)
        return (fmi3Status)report(k, ST_ERROR, "fmi3DoStep: missing arguments");
    status = advance(k, "fmi3DoStep", t, h, &s);
    *event = status == ST_OK && s.event && k->event_mode;
    *terminate = k->terminated;
    *early = status == ST_OK && k->early_allowed && s.reached < s.to;
    *reached = s.reached;
    return (fmi3Status)status;
}

/* Model exchange. */

TUTTI_KIT_EXCHANGE(3, fmi3Boolean, GetContinuousStateDerivatives)

fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *n)
{
    struct instance *k = instance;

    if (!k || !n)
        return fmi3Error;
    *n = k->nx;
    return fmi3OK;
}

fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *n)
{
    struct instance *k = instance;

    if (!k || !n)
        return fmi3Error;
    *n = count_indicators(k->model);
    return fmi3OK;
}

/* What a unit of this kit has no use for. */

static fmi3Status fmi3_absent(fmi3Instance instance, const char *function)
{
    if (!instance)
        return fmi3Error;
    return (fmi3Status)report(instance, ST_ERROR,
                              "%s: the model does not support this", function);
}

/* C17 has no way to leave the name of an unused parameter out. */
#if defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
#endif

#define FMI3_DEFINE_ABSENT(Name, parameters)                                   \
    fmi3Status fmi3##Name parameters                                           \
    {                                                                          \
        return fmi3_absent(instance, "fmi3" #Name);                            \
    }

TUTTI_KIT_FMI3_ABSENT(FMI3_DEFINE_ABSENT)

#if defined(__GNUC__)
#pragma GCC diagnostic pop
#endif
