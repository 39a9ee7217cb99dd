/* SPDX-License-Identifier: MIT */
/*
 * Model exchange: the importer integrates. States and derivatives are in the
 * order in which the table publishes derivatives, event indicators in table
 * order. Continuous-time mode is the phase that is step mode in co-simulation.
 */

/* May `function` be called now, and is it model exchange at all? */
static enum status me_allowed(struct instance *k, const char *function,
                              unsigned phases, const void *argument, size_t n,
                              size_t wanted)
{
    enum status status = allowed(k, function, phases);

    if (status == ST_OK && !k->exchange)
        return report(k, ST_ERROR,
                      "%s: the model was instantiated for co-simulation",
                      function);
    if (status == ST_OK && n != wanted)
        return report(k, ST_ERROR, "%s: %zu values given, there are %zu",
                      function, n, wanted);
    if (status == ST_OK && wanted && !argument)
        return report(k, ST_ERROR, "%s: missing arguments", function);
    return status;
}

/* In and out of event mode. */
static enum status me_go(struct instance *k, const char *function,
                         enum phase from, enum phase to)
{
    enum status status = me_allowed(k, function, from, NULL, 0, 0);

    if (status == ST_OK)
        k->phase = to;
    return status;
}

static enum status me_set_time(struct instance *k, const char *function,
                               unsigned phases, double t)
{
    enum status status = me_allowed(k, function, phases, NULL, 0, 0);

    if (status == ST_OK) {
        k->time = t;
        k->dirty = true;
    }
    return status;
}

static enum status me_set_states(struct instance *k, const char *function,
                                 const double *x, size_t n)
{
    enum status status = me_allowed(k, function, PH_STEP, x, n, k->nx);

    for (size_t i = 0; i < n && status == ST_OK; i++)
        *real_at(k, k->x_at[k->slot[i].state]) = x[i];
    k->dirty = true;
    return status;
}

static enum status me_get_states(struct instance *k, const char *function,
                                 double *x, size_t n)
{
    enum status status = me_allowed(k, function, PH_INIT | PH_RUN, x, n, k->nx);

    for (size_t i = 0; i < n && status == ST_OK; i++)
        x[i] = *real_at(k, k->x_at[k->slot[i].state]);
    return status;
}

static enum status me_get_derivatives(struct instance *k, const char *function,
                                      double *dx, size_t n)
{
    enum status status =
        me_allowed(k, function, PH_INIT | PH_RUN, dx, n, k->nx);

    if (status != ST_OK)
        return status;
    if (!k->model->derivatives)
        refresh_linear(k);
    derivatives(k, k->time, k->w.dx);
    for (size_t i = 0; i < n; i++)
        dx[i] = k->w.dx[k->slot[i].state];
    return finish(k, ST_OK);
}

/* The variable that state i is in, whose elements begin with state *first. */
static const struct tutti_var *var_of_state(const struct instance *k,
                                            uint32_t i, uint32_t *first)
{
    const struct tutti_var *v = k->model->vars;

    for (;; v++) {
        *first = k->row_x[v - k->model->vars];
        if (v->state && *first <= i && i < *first + var_count(v))
            return v;
    }
}

static enum status me_get_nominals(struct instance *k, const char *function,
                                   double *nominal, size_t n)
{
    enum status status =
        me_allowed(k, function, PH_INIT | PH_RUN, nominal, n, k->nx);

    for (size_t i = 0; i < n && status == ST_OK; i++) {
        uint32_t first;
        const struct tutti_var *v = var_of_state(k, k->slot[i].state, &first);

        nominal[i] = v->nominal != 0 ? v->nominal : 1;
    }
    return status;
}

static enum status me_get_indicators(struct instance *k, const char *function,
                                     double *z, size_t n)
{
    enum status status = me_allowed(k, function, PH_INIT | PH_RUN, z, n,
                                    count_indicators(k->model));

    if (status != ST_OK)
        return status;
    evaluate(k);
    for (size_t i = 0; i < k->model->n_vars; i++) {
        const struct tutti_var *v = &k->model->vars[i];

        for (uint32_t j = 0; v->indicator && j < var_count(v); j++)
            *z++ = *real_at(k, v->offset + j * sizeof(double));
    }
    return finish(k, ST_OK);
}

/* Nothing happens in a unit when the importer has made a step. */
static enum status me_completed(struct instance *k, const char *function,
                                const void *event, const void *terminate)
{
    return me_allowed(k, function, PH_STEP, event && terminate ? k : NULL, 1,
                      1);
}

/* One round of the event hook, which the importer repeats while it asks. */
static enum status run_event(struct instance *k, struct tutti_event *e)
{
    *e = (struct tutti_event){.time = k->time};
    if (k->events) {
        update_events(k, e);
    } else {
        if (k->model->event)
            k->model->event(model_of(k), e);
        clear_clocks(k, TUTTI_INPUT);
        clear_clocks(k, TUTTI_OUTPUT);
    }
    k->next_known = e->next_known;
    k->next = e->next;
    k->dirty = true;
    return finish(k, ST_OK);
}

/* The functions that FMI 2 and 3 have alike, but for their types. */
#define TUTTI_KIT_EXCHANGE(v, Boolean, Derivatives)                            \
    fmi##v##Status fmi##v##EnterContinuousTimeMode(void *c)                    \
    {                                                                          \
        return c ? (fmi##v##Status)me_go(c,                                    \
                                         "fmi" #v "EnterContinuousTimeMode",   \
                                         PH_EVENT, PH_STEP)                    \
                 : fmi##v##Error;                                              \
    }                                                                          \
    fmi##v##Status fmi##v##SetTime(void *c, double t)                          \
    {                                                                          \
        return c ? (fmi##v##Status)me_set_time(c, "fmi" #v "SetTime", PH_RUN,  \
                                               t)                              \
                 : fmi##v##Error;                                              \
    }                                                                          \
    fmi##v##Status fmi##v##SetContinuousStates(void *c, const double x[],      \
                                               size_t n)                       \
    {                                                                          \
        return c ? (fmi##v##Status)me_set_states(                              \
                       c, "fmi" #v "SetContinuousStates", x, n)                \
                 : fmi##v##Error;                                              \
    }                                                                          \
    fmi##v##Status fmi##v##GetContinuousStates(void *c, double x[], size_t n)  \
    {                                                                          \
        return c ? (fmi##v##Status)me_get_states(                              \
                       c, "fmi" #v "GetContinuousStates", x, n)                \
                 : fmi##v##Error;                                              \
    }                                                                          \
    fmi##v##Status fmi##v##Derivatives(void *c, double dx[], size_t n)         \
    {                                                                          \
        return c ? (fmi##v##Status)me_get_derivatives(                         \
                       c, "fmi" #v #Derivatives, dx, n)                        \
                 : fmi##v##Error;                                              \
    }                                                                          \
    fmi##v##Status fmi##v##GetEventIndicators(void *c, double z[], size_t n)   \
    {                                                                          \
        return c ? (fmi##v##Status)me_get_indicators(                          \
                       c, "fmi" #v "GetEventIndicators", z, n)                 \
                 : fmi##v##Error;                                              \
    }                                                                          \
    fmi##v##Status fmi##v##GetNominalsOfContinuousStates(void *c, double x[],  \
                                                         size_t n)             \
    {                                                                          \
        return c ? (fmi##v##Status)me_get_nominals(                            \
                       c, "fmi" #v "GetNominalsOfContinuousStates", x, n)      \
                 : fmi##v##Error;                                              \
    }                                                                          \
    fmi##v##Status fmi##v##CompletedIntegratorStep(                            \
        void *c, Boolean no_rollback, Boolean *event, Boolean *terminate)      \
    {                                                                          \
        fmi##v##Status s;                                                      \
                                                                               \
        (void)no_rollback;                                                     \
        if (!c)                                                                \
            return fmi##v##Error;                                              \
        s = (fmi##v##Status)me_completed(                                      \
            c, "fmi" #v "CompletedIntegratorStep", event, terminate);          \
        if (s == fmi##v##OK)                                                   \
            *event = *terminate = 0;                                           \
        return s;                                                              \
    }
