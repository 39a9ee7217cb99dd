/* SPDX-License-Identifier: MIT */
/* The FMI 2.0 face of a unit. */

/* Life. */

static void fmi2_log_message(struct instance *k, enum status status,
                             const char *category, const char *message)
{
    if (k->fmi2.logger)
        k->fmi2.logger(k->fmi2.environment, k->name ? k->name : "",
                       (fmi2Status)status, category, "%s", message);
}

/* The value of a hexadecimal digit, or -1. */
static int hex_digit(char c)
{
    static const char digits[] = "0123456789abcdefABCDEF";
    const char *at = c ? strchr(digits, c) : NULL;

    if (!at)
        return -1;
    return (int)(at - digits) - (at - digits > 15 ? 6 : 0);
}

/* The folder of a file: URI, with a slash at the end; NULL if there is none.
 * Owned by the caller. Percent escapes become the bytes they stand for. */
static char *fmi2_folder(const char *uri)
{
    const char *s = uri;
    size_t n = 0;
    char *path;

    if (!uri || strncmp(uri, "file:", 5) != 0)
        return NULL;
    s += 5;
    if (!strncmp(s, "//", 2)) {
        s = strchr(s + 2, '/');
        if (!s)
            return NULL;
    }
    path = malloc(strlen(s) + 2);
    if (!path)
        return NULL;
    while (*s) {
        int high = *s == '%' ? hex_digit(s[1]) : -1;
        int low = high >= 0 ? hex_digit(s[2]) : -1;

        path[n++] = low >= 0 ? (char)(16 * high + low) : *s;
        s += low >= 0 ? 3 : 1;
    }
    if (n && path[n - 1] != '/')
        path[n++] = '/';
    path[n] = '\0';
    return path;
}

const char *fmi2GetTypesPlatform(void)
{
    return "default";
}

const char *fmi2GetVersion(void)
{
    return "2.0";
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid,
                              fmi2String resources,
                              const fmi2CallbackFunctions *functions,
                              fmi2Boolean visible, fmi2Boolean logging)
{
    struct instance importer = {.log_message = fmi2_log_message,
                                .early_allowed = true};
    struct instance *k;
    char *folder;

    (void)visible;
    if (functions)
        importer.fmi2 = *functions;
    log_all(&importer, true); /* trouble is reported even without logging */
    if (!identity_ok(&importer, name, guid))
        return NULL;
    if (type != fmi2CoSimulation && !model_exchanges(&tutti_model)) {
        (void)report(&importer, ST_ERROR,
                     "the model is for co-simulation only");
        return NULL;
    }
    importer.exchange = importer.event_mode = type != fmi2CoSimulation;
    folder = fmi2_folder(resources);
    k = instance_new(&importer, name, folder);
    free(folder);
    if (!k)
        (void)report(&importer, ST_ERROR, "out of memory");
    else
        k->log_on[CAT_EVENTS] = logging;
    return k;
}

void fmi2FreeInstance(fmi2Component c)
{
    instance_free(c);
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t n,
                               const fmi2String categories[])
{
    if (!c)
        return fmi2Error;
    return (fmi2Status)set_logging(c, "fmi2SetDebugLogging", on, n, categories);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined,
                               fmi2Real tolerance, fmi2Real start,
                               fmi2Boolean stop_defined, fmi2Real stop)
{
    struct instance *k = c;
    enum status status;

    (void)tolerance_defined;
    (void)tolerance;
    if (!k)
        return fmi2Error;
    status = allowed(k, "fmi2SetupExperiment", PH_INSTANTIATED);
    if (status == ST_OK && (!isfinite(start) || (stop_defined && stop < start)))
        status = report(k, ST_ERROR,
                        "fmi2SetupExperiment: stop time before start time");
    if (status == ST_OK)
        k->time = k->last_successful = start;
    return (fmi2Status)status;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
    struct instance *k = c;
    enum status status;

    if (!k)
        return fmi2Error;
    status = allowed(k, "fmi2EnterInitializationMode", PH_INSTANTIATED);
    if (status == ST_OK)
        k->phase = PH_INIT;
    return (fmi2Status)status;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
    struct instance *k = c;
    enum status status;

    if (!k)
        return fmi2Error;
    status = allowed(k, "fmi2ExitInitializationMode", PH_INIT);
    return (fmi2Status)(status == ST_OK ? leave_init(k) : status);
}

fmi2Status fmi2Terminate(fmi2Component c)
{
    return c ? (fmi2Status)terminate(c, "fmi2Terminate", PH_RUN) : fmi2Error;
}

static fmi2Status fmi2_reset(struct instance *k, const char *function)
{
    enum status status;

    if (!k)
        return fmi2Error;
    status = allowed(k, function, PH_LIVE | PH_TERMINATED | PH_ERROR);
    if (status == ST_OK)
        instance_reset(k);
    return (fmi2Status)status;
}

fmi2Status fmi2Reset(fmi2Component c)
{
    return fmi2_reset(c, "fmi2Reset");
}

/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "tutti_kit_fmi2_values.c"

/* State. */

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    return c ? (fmi2Status)state_get(c, "fmi2GetFMUstate", state) : fmi2Error;
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
    return c ? (fmi2Status)state_set(c, "fmi2SetFMUstate", state) : fmi2Error;
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
    return c ? (fmi2Status)state_free(c, "fmi2FreeFMUstate", state) : fmi2Error;
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state,
                                      size_t *size)
{
    return c ? (fmi2Status)state_size(c, "fmi2SerializedFMUstateSize", state,
                                      size)
             : fmi2Error;
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state,
                                 fmi2Byte bytes[], size_t size)
{
    return c ? (fmi2Status)state_write(c, "fmi2SerializeFMUstate", state, bytes,
                                       size)
             : fmi2Error;
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[],
                                   size_t size, fmi2FMUstate *state)
{
    return c ? (fmi2Status)state_read(c, "fmi2DeSerializeFMUstate", bytes, size,
                                      state)
             : fmi2Error;
}

/* Derivatives. */

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c,
                                        const fmi2ValueReference unknown[],
                                        size_t n_unknown,
                                        const fmi2ValueReference known[],
                                        size_t n_known, const fmi2Real seed[],
                                        fmi2Real out[])
{
    static const char name[] = "fmi2GetDirectionalDerivative";
    const struct reals y = {name, unknown, n_unknown, false};
    const struct reals x = {name, known, n_known, false};

    if (!c)
        return fmi2Error;
    return (fmi2Status)directional(c, &y, &x, seed, n_known, out, n_unknown);
}

/* The derivatives of an input's course at the present time. A value set
 * afterwards without derivatives is held. */
static enum status set_rate(struct instance *k, const char *function,
                            uint32_t vr, fmi2Integer order, double value)
{
    struct place at;
    const struct tutti_var *v = find_place(k, function, vr, &at);

    if (!v)
        return ST_ERROR;
    if (at.row == NONE || k->row_u[at.row] == NONE)
        return report(k, ST_ERROR, "%s: '%s' is not a continuous real input",
                      function, var_name(v));
    if (order < 1 || order > COURSE_ORDER)
        return report(k, ST_ERROR, "%s: order %d is not between 1 and %d",
                      function, order, COURSE_ORDER);
    expire_courses(k);
    k->rate[(size_t)COURSE_ORDER * (k->row_u[at.row] + at.element) +
            (size_t)order - 1] = value;
    k->moving = true;
    return ST_OK;
}

static fmi2Status set_rates(struct instance *k, const char *name,
                            const fmi2ValueReference *vr, size_t n,
                            const fmi2Integer *order, const fmi2Real *value)
{
    enum status status;

    if (!k)
        return fmi2Error;
    status = allowed(k, name, PH_INSTANTIATED | PH_INIT | PH_STEP);
    if (status == ST_OK && n && (!vr || !order || !value))
        status = report(k, ST_ERROR, "%s: missing arguments", name);
    for (size_t i = 0; i < n && status == ST_OK; i++)
        status = set_rate(k, name, vr[i], order[i], value[i]);
    return (fmi2Status)status;
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c,
                                       const fmi2ValueReference vr[], size_t n,
                                       const fmi2Integer order[],
                                       const fmi2Real value[])
{
    return set_rates(c, "fmi2SetRealInputDerivatives", vr, n, order, value);
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c,
                                        const fmi2ValueReference vr[], size_t n,
                                        const fmi2Integer order[],
                                        fmi2Real value[])
{
    const struct reals y = {"fmi2GetRealOutputDerivatives", vr, n, false};

    return c ? (fmi2Status)output_rates(c, &y, order, value, n) : fmi2Error;
}

/* Stepping. */

/* A step that stops early or ends the simulation is discarded before FMI 3,
 * with the time reached as the last successful one. */
static fmi2Status fmi2_step(struct instance *k, const char *name, double t,
                            double h)
{
    struct tutti_step s;
    enum status status;
    char text[NUMBER_SIZE];

    status = allowed(k, name, PH_STEP);
    if (status == ST_OK)
        status = advance(k, name, t, h, &s);
    else
        return (fmi2Status)status;
    if (status == ST_OK && s.outcome == TUTTI_STEP_EARLY && s.reached < s.to)
        status = report(k, ST_DISCARD, "%s: stopped early at t=%s", name,
                        number(text, s.reached));
    if (status == ST_OK && s.outcome == TUTTI_STEP_TERMINATE)
        status =
            report(k, ST_DISCARD, "%s: the model ends the simulation at t=%s",
                   name, number(text, s.reached));
    k->last_step = status;
    return (fmi2Status)status;
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real t, fmi2Real h,
                      fmi2Boolean no_rollback)
{
    (void)no_rollback;
    return c ? fmi2_step(c, "fmi2DoStep", t, h) : fmi2Error;
}

fmi2Status fmi2CancelStep(fmi2Component c)
{
    if (!c)
        return fmi2Error;
    return (fmi2Status)report(c, ST_ERROR,
                              "fmi2CancelStep: steps are not asynchronous");
}

/* The largest step the unit accepts now (an extension of the standard). To
 * discard means: it has none, now or later. */
fmi2Status fmi2GetMaxStepsize(fmi2Component c, fmi2Real *size)
{
    struct instance *k = c;
    enum status status;

    if (!k)
        return fmi2Error;
    status = allowed(k, "fmi2GetMaxStepsize", PH_INIT | PH_STEP);
    if (status != ST_OK)
        return (fmi2Status)status;
    if (!size)
        return (fmi2Status)report(k, ST_ERROR,
                                  "fmi2GetMaxStepsize: missing arguments");
    if (!k->model->max_step)
        return fmi2Discard;
    *size = k->model->max_step(model_of(k), k->time);
    return (fmi2Status)finish(k, ST_OK);
}

/* Model exchange. */

TUTTI_KIT_EXCHANGE(2, fmi2Boolean, GetDerivatives)

fmi2Status fmi2EnterEventMode(fmi2Component c)
{
    return c ? (fmi2Status)me_go(c, "fmi2EnterEventMode", PH_STEP, PH_EVENT)
             : fmi2Error;
}

fmi2Status fmi2NewDiscreteStates(fmi2Component c, fmi2EventInfo *info)
{
    struct instance *k = c;
    struct tutti_event e;
    enum status status;

    if (!k)
        return fmi2Error;
    status = me_allowed(k, "fmi2NewDiscreteStates", PH_EVENT, info, 1, 1);
    if (status != ST_OK)
        return (fmi2Status)status;
    status = run_event(k, &e);
    *info = (fmi2EventInfo){.newDiscreteStatesNeeded = e.again,
                            .terminateSimulation = e.terminate,
                            .valuesOfContinuousStatesChanged =
                                k->model->event != NULL,
                            .nextEventTimeDefined = e.next_known,
                            .nextEventTime = e.next};
    return (fmi2Status)status;
}

/* Status. */

static fmi2Status fmi2_no_status(struct instance *k, const char *function)
{
    return (fmi2Status)report(k, ST_DISCARD, "%s: there is no such status",
                              function);
}

fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind kind,
                         fmi2Status *value)
{
    struct instance *k = c;

    if (!k || !value)
        return fmi2Error;
    if (kind != fmi2DoStepStatus)
        return fmi2_no_status(k, "fmi2GetStatus");
    *value = (fmi2Status)k->last_step;
    return fmi2OK;
}

fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind,
                             fmi2Real *value)
{
    struct instance *k = c;

    if (!k || !value)
        return fmi2Error;
    if (kind != fmi2LastSuccessfulTime)
        return fmi2_no_status(k, "fmi2GetRealStatus");
    *value = k->last_successful;
    return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, fmi2StatusKind kind,
                                fmi2Integer *value)
{
    (void)kind;
    (void)value;
    return c ? fmi2_no_status(c, "fmi2GetIntegerStatus") : fmi2Error;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind,
                                fmi2Boolean *value)
{
    struct instance *k = c;

    if (!k || !value)
        return fmi2Error;
    if (kind != fmi2Terminated)
        return fmi2_no_status(k, "fmi2GetBooleanStatus");
    *value = k->terminated;
    return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind kind,
                               fmi2String *value)
{
    if (!c || !value)
        return fmi2Error;
    if (kind != fmi2PendingStatus)
        return fmi2_no_status(c, "fmi2GetStringStatus");
    *value = "";
    return fmi2OK;
}
