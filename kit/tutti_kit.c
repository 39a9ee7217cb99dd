/* SPDX-License-Identifier: MIT */
/*
 * The unit kit: life of an instance, evaluation, access. This is the one source
 * to compile; it includes the rest (see tutti_kit_impl.h).
 *
 * TUTTI_KIT_FMI=2 or =3 leaves the other version's functions out; =1, with
 * TUTTI_KIT_ID=<model identifier>, makes those of FMI 1.
 * TUTTI_KIT_DESCRIBE makes a program that prints the model description.
 */
#include <math.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

#include "tutti_kit_impl.h"
/* One source for the user to compile, several to read. */
/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "tutti_kit_table.c"
/* NOLINTEND(bugprone-suspicious-include) */

/* The model's struct starts here in an instance's memory. */
#define MODEL_AT                                                               \
    ((sizeof(struct instance) + _Alignof(max_align_t) - 1) /                   \
     _Alignof(max_align_t) * _Alignof(max_align_t))

static void *model_of(struct instance *k)
{
    return (char *)k + MODEL_AT;
}

static struct instance *instance_of(void *model)
{
    return (struct instance *)(void *)((char *)model - MODEL_AT);
}

static struct tutti_clock *clock_of(struct instance *k,
                                    const struct tutti_var *v)
{
    return (struct tutti_clock *)(void *)((char *)model_of(k) + v->offset);
}

static double *real_at(struct instance *k, size_t offset)
{
    return (double *)(void *)((char *)model_of(k) + offset);
}

/* NOLINTNEXTLINE(bugprone-suspicious-include) */
#include "tutti_kit_log.c"

const char *tutti_resources(void *model)
{
    const char *path = instance_of(model)->resources;

    return path ? path : "";
}

/* Ends a call that ran hooks: what they raised decides over what we saw. */
static enum status finish(struct instance *k, enum status status)
{
    if (k->worst > status)
        status = k->worst;
    if (k->worst == ST_ERROR)
        k->phase = PH_ERROR;
    if (k->worst == ST_FATAL)
        k->phase = PH_FATAL;
    k->worst = ST_OK;
    return status;
}

static const char *phase_name(enum phase phase)
{
    switch (phase) {
    case PH_INSTANTIATED:
        return "before initialisation";
    case PH_INIT:
        return "in initialisation mode";
    case PH_EVENT:
        return "in event mode";
    case PH_STEP:
        return "in step mode";
    case PH_INTERMEDIATE:
        return "in intermediate update mode";
    case PH_CLOCKS:
        return "in clock update mode";
    case PH_TERMINATED:
        return "after termination";
    case PH_ERROR:
        return "after an error";
    case PH_CONFIG:
        return "in configuration mode";
    case PH_FATAL:
        break;
    }
    return "after a fatal error";
}

/* May `function` be called now? Every FMI function asks first. */
static enum status allowed(struct instance *k, const char *function,
                           unsigned phases)
{
    if (k->phase == PH_FATAL)
        return ST_FATAL;
    if (!((unsigned)k->phase & phases))
        return report(k, ST_ERROR, "%s: not allowed %s", function,
                      phase_name(k->phase));
    return ST_OK;
}

/* Life. */

static void instance_free(struct instance *k)
{
    if (!k)
        return;
    free(k->name);
    free(k->resources);
    free(k->place);
    free(k->row_x);
    free(k->x_at);
    free(k->slot);
    free(k->pool);
    free(k->rows);
    free(k->backup);
    free(k->scratch);
    free(k);
}

/* Counts elements, states and inputs, and numbers value references. */
static void count_table(struct instance *k)
{
    const struct tutti_model *m = k->model;

    k->n_place = 1; /* 0 is time */
    for (uint32_t i = 0; i < m->n_vars; i++) {
        const struct tutti_var *v = &m->vars[i];
        uint32_t n = var_count(v);

        k->row_vr[i] = k->n_place;
        k->row_x[i] = v->state ? k->nx : NONE;
        k->row_u[i] = var_has_course(v) ? k->nu : NONE;
        k->n_place += n;
        k->nx += v->state ? n : 0;
        k->nu += var_has_course(v) ? n : 0;
        k->n_slot += v->derivative_of ? n : 0;
    }
}

/* Where every element lives. */
static void fill_table(struct instance *k)
{
    const struct tutti_model *m = k->model;
    uint32_t slot = 0;

    k->place[0] = (struct place){NONE, 0};
    for (uint32_t i = 0; i < m->n_vars; i++) {
        const struct tutti_var *v = &m->vars[i];
        const struct tutti_var *x = NULL;

        if (v->derivative_of)
            x = find_var(m, v->derivative_of, strlen(v->derivative_of));
        for (uint32_t j = 0; j < var_count(v); j++) {
            size_t offset = v->offset + j * type_size(v);

            k->place[k->row_vr[i] + j] = (struct place){i, j};
            if (v->state)
                k->x_at[k->row_x[i] + j] = offset;
            if (var_has_course(v))
                k->u_at[k->row_u[i] + j] = offset;
            if (x)
                k->slot[slot++] =
                    (struct derivative_slot){offset, k->row_x[x - m->vars] + j};
        }
    }
    k->n_slot = slot;
}

static size_t workspace_doubles(const struct instance *k)
{
    size_t nx = k->nx, nu = k->nu;
    size_t n = COURSE_ORDER + 1;

    return nx * (7 + n) + nu * (2 + n + COURSE_ORDER) + nx * nx * (4 + 1 + n) +
           nx * nu;
}

/* Cuts the pool into the vectors and matrices of the workspace. */
static void carve_workspace(struct instance *k)
{
    struct workspace *w = &k->w;
    size_t nx = k->nx, nu = k->nu;
    double *p = k->pool;
    double **vector[] = {&w->x,  &w->x0, &w->dx,   &w->k1,
                         &w->k2, &w->k3, &w->sys.e};
    double **matrix[] = {&w->key_a, &w->phi, &w->p, &w->q};
    double *a, *b;

    for (size_t i = 0; i < TUTTI_COUNT(vector); i++, p += nx)
        *vector[i] = p;
    for (size_t i = 0; i <= COURSE_ORDER; i++, p += nx)
        w->f[i] = p;
    w->u0 = p;
    w->uk = p += nu;
    p += nu;
    for (size_t i = 0; i <= COURSE_ORDER; i++, p += nu)
        w->sample[i] = p;
    k->rate = p;
    p += COURSE_ORDER * nu;
    for (size_t i = 0; i < TUTTI_COUNT(matrix); i++, p += nx * nx)
        *matrix[i] = p;
    for (size_t i = 0; i <= COURSE_ORDER; i++, p += nx * nx)
        w->gamma[i] = p;
    a = p;
    b = a + nx * nx;
    w->sys.nx = nx;
    w->sys.nu = nu;
    w->sys.a = k->rows;
    w->sys.b = k->rows + nx;
    for (size_t i = 0; i < nx; i++) {
        w->sys.a[i] = a + i * nx;
        w->sys.b[i] = b + i * nu;
    }
}

static size_t snapshot_size(const struct instance *k);

static bool allocate_tables(struct instance *k)
{
    const struct tutti_model *m = k->model;

    k->row_x = calloc(3 * m->n_vars + 1, sizeof(*k->row_x));
    if (!k->row_x)
        return false;
    k->row_u = k->row_x + m->n_vars;
    k->row_vr = k->row_u + m->n_vars;
    count_table(k);

    k->place = calloc(k->n_place, sizeof(*k->place));
    k->x_at = calloc((size_t)k->nx + k->nu + 1, sizeof(*k->x_at));
    k->slot = calloc((size_t)k->n_slot + 1, sizeof(*k->slot));
    k->pool = calloc(workspace_doubles(k) + 1, sizeof(*k->pool));
    k->rows = calloc(2 * (size_t)k->nx + 1, sizeof(*k->rows));
    k->snapshot_size = snapshot_size(k);
    k->backup = calloc(1, k->snapshot_size);
    k->scratch = calloc(1, m->size);
    if (!k->place || !k->x_at || !k->slot || !k->pool || !k->rows ||
        !k->backup || !k->scratch)
        return false;
    k->u_at = k->x_at + k->nx;
    fill_table(k);
    carve_workspace(k);
    return true;
}

/* Back to the state right after instantiation. */
static void instance_reset(struct instance *k)
{
    const struct tutti_model *m = k->model;
    char *model = model_of(k);

    memset(model, 0, m->size);
    for (size_t i = 0; i < m->n_vars; i++)
        put_start(&m->vars[i], model + m->vars[i].offset);
    if (k->rate)
        memset(k->rate, 0, sizeof(*k->rate) * COURSE_ORDER * k->nu);
    k->moving = k->stale = k->next_known = k->terminated = false;
    k->time = k->last_successful = 0;
    k->last_step = ST_OK;
    k->worst = ST_OK;
    k->dirty = true;
    k->phase = PH_INSTANTIATED;
}

/* strdup() is not C17. */
static char *copy_text(const char *text)
{
    size_t n = strlen(text) + 1;
    char *copy = malloc(n);

    if (copy)
        memcpy(copy, text, n);
    return copy;
}

/* NULL if memory is short. The caller fills in the importer's part first:
 * `importer` carries log_message, ask, flags and callbacks. */
static struct instance *instance_new(const struct instance *importer,
                                     const char *name, const char *resources)
{
    const struct tutti_model *m = &tutti_model;
    struct instance *k = calloc(1, MODEL_AT + m->size);
    char text[NUMBER_SIZE];

    if (!k)
        return NULL;
    *k = *importer;
    k->model = m;
    k->name = copy_text(name);
    k->resources = resources ? copy_text(resources) : NULL;
    make_token(m, k->token, text);
    if (!k->name || (resources && !k->resources) || !allocate_tables(k)) {
        instance_free(k);
        return NULL;
    }
    if (m->ta)
        k->events = (void *)((char *)clock_of(
                                 k, find_var(m, INTERNAL, strlen(INTERNAL))) -
                             offsetof(struct tutti_events, internal));
    if (m->method_from)
        k->method_var = find_var(m, m->method_from, strlen(m->method_from));
    if (m->microsteps_from)
        k->microsteps_var =
            find_var(m, m->microsteps_from, strlen(m->microsteps_from));
    instance_reset(k);
    return k;
}

/* The importer's fingerprint must be ours, and it must be able to name us. Logs
 * through `importer`, which is not an instance yet. */
static bool identity_ok(struct instance *importer, const char *name,
                        const char *token)
{
    uint64_t bits[2];
    char ours[NUMBER_SIZE];

    if (!name || !*name) {
        (void)report(importer, ST_ERROR, "instance name is missing");
        return false;
    }
    make_token(&tutti_model, bits, ours);
    if (!token || strcmp(token, ours) != 0) {
        (void)report(importer, ST_ERROR,
                     "model description does not belong to this model: its "
                     "token is '%s', expected '%s'",
                     token ? token : "", ours);
        return false;
    }
    return true;
}

static void log_all(struct instance *k, bool on)
{
    for (int i = 0; i < CAT_COUNT; i++)
        k->log_on[i] = on;
}

/* fmi2SetDebugLogging and fmi3SetDebugLogging. "logAll" is every category. */
static enum status set_logging(struct instance *k, const char *function,
                               bool on, size_t n, const char *const *categories)
{
    enum status status = allowed(k, function, PH_ANY);

    if (status != ST_OK)
        return status;
    if (n == 0)
        log_all(k, on);
    for (size_t i = 0; i < n; i++) {
        const char *name = categories && categories[i] ? categories[i] : "";
        bool known = !strcmp(name, "logAll");

        if (known)
            log_all(k, on);
        for (int c = 0; c < CAT_COUNT; c++) {
            if (!strcmp(name, category_names[c])) {
                k->log_on[c] = on;
                known = true;
            }
        }
        if (!known)
            status = report(k, ST_ERROR, "%s: unknown log category '%s'",
                            function, name);
    }
    return status;
}

/* Evaluation. */

static void refresh_linear(struct instance *k);
static void put_out(struct instance *k);

static void gather(struct instance *k, const size_t *at, uint32_t n, double *to)
{
    for (uint32_t i = 0; i < n; i++)
        to[i] = *real_at(k, at[i]);
}

static void scatter(struct instance *k, const size_t *at, uint32_t n,
                    const double *from)
{
    for (uint32_t i = 0; i < n; i++)
        *real_at(k, at[i]) = from[i];
}

/* dx = a x + b u + e with the matrices as they are. */
static void linear_derivatives(struct instance *k, double *dx)
{
    const struct tutti_linear *sys = &k->w.sys;

    for (size_t i = 0; i < sys->nx; i++) {
        double sum = sys->e[i];

        for (size_t j = 0; j < sys->nx; j++)
            sum += sys->a[i][j] * *real_at(k, k->x_at[j]);
        for (size_t j = 0; j < sys->nu; j++)
            sum += sys->b[i][j] * *real_at(k, k->u_at[j]);
        dx[i] = sum;
    }
}

/* Derivatives of the states for what the model's struct holds now. The linear
 * form must be fresh if it is all there is. */
static void derivatives(struct instance *k, double t, double *dx)
{
    if (k->model->derivatives)
        k->model->derivatives(model_of(k), t, dx);
    else if (k->model->linear)
        linear_derivatives(k, dx);
    else
        memset(dx, 0, sizeof(*dx) * k->nx);
}

/* Everything that is calculated, for the states and inputs of the struct. */
static void compute(struct instance *k, double t)
{
    if (k->n_slot) {
        if (!k->model->derivatives && k->model->linear)
            refresh_linear(k);
        derivatives(k, t, k->w.dx);
        for (uint32_t i = 0; i < k->n_slot; i++)
            *real_at(k, k->slot[i].offset) = k->w.dx[k->slot[i].state];
    }
    if (k->model->outputs)
        k->model->outputs(model_of(k), t);
}

/* Clocks that ticked do so no more. FMI 3.0.2, 2.3.5. */
static void clear_clocks(struct instance *k, enum tutti_causality causality)
{
    const struct tutti_model *m = k->model;

    for (size_t i = 0; i < m->n_vars; i++)
        if (m->vars[i].type == TUTTI_CLOCK && m->vars[i].causality == causality)
            clock_of(k, &m->vars[i])->active = false;
}

/* Brings outputs up to date, if anything they may depend on has changed. Before
 * initialisation the start values are all there is. */
static void evaluate(struct instance *k)
{
    if (!k->dirty || !((unsigned)k->phase & (PH_INIT | PH_RUN)) ||
        (k->scheduled && k->phase != PH_INIT))
        return;
    if (k->phase == PH_INIT && k->model->init)
        k->model->init(model_of(k), k->time);
    if (k->events)
        put_out(k);
    else if (k->phase == PH_EVENT)
        clear_clocks(k, TUTTI_OUTPUT); /* `outputs` lets them tick */
    compute(k, k->time);
    k->dirty = false;
}

/* The end of a run. Values can still be read, so they are settled now. */
static enum status terminate(struct instance *k, const char *function,
                             unsigned phases)
{
    enum status status = allowed(k, function, phases);

    if (status != ST_OK)
        return status;
    evaluate(k);
    k->phase = PH_TERMINATED;
    return finish(k, ST_OK);
}

/* Access. */

/* NULL for an unknown value reference; time has the row `time_var`. */
static const struct tutti_var time_var = {
    .member = "time", .type = TUTTI_FLOAT64, .size = sizeof(double)};

static const struct tutti_var *find_place(struct instance *k,
                                          const char *function, uint32_t vr,
                                          struct place *place)
{
    if (vr >= k->n_place) {
        (void)report(k, ST_ERROR, "%s: no variable has value reference %u",
                     function, (unsigned)vr);
        return NULL;
    }
    *place = k->place[vr];
    return place->row == NONE ? &time_var : &k->model->vars[place->row];
}

static char *element_at(struct instance *k, const struct tutti_var *v,
                        uint32_t element)
{
    if (v == &time_var)
        return (char *)&k->time;
    return (char *)model_of(k) + v->offset + element * type_size(v);
}

static enum status wrong_type(struct instance *k, const char *function,
                              const struct tutti_var *v)
{
    return report(k, ST_ERROR, "%s: variable '%s' is of another type", function,
                  var_name(v));
}

/* Which variables may be set when; FMI 2.0.5, 3.2.3 and 4.2.4, FMI 3.0.2, 2.3:
 * in model exchange what is not continuous is set in event mode. */
static enum status may_set(struct instance *k, const char *function,
                           const struct tutti_var *v)
{
    bool input = v->causality == TUTTI_INPUT;
    bool ok = false;

    if (v == &time_var || v->variability == TUTTI_CONSTANT)
        ok = false;
    else if (v->causality == TUTTI_STRUCTURAL || k->phase == PH_CONFIG)
        ok = v->causality == TUTTI_STRUCTURAL && k->phase == PH_CONFIG;
    else if (k->phase == PH_INSTANTIATED || k->phase == PH_INIT)
        ok = var_has_start(v) || (input && v->type == TUTTI_CLOCK);
    else if (k->phase == PH_INTERMEDIATE ||
             (k->phase == PH_STEP && k->exchange && TUTTI_KIT_FMI != 1))
        ok = input && var_variability(v) == TUTTI_CONTINUOUS;
    else
        ok = input || (v->causality == TUTTI_PARAMETER &&
                       var_variability(v) == TUTTI_TUNABLE);
    if (ok)
        return ST_OK;
    return report(k, ST_ERROR, "%s: variable '%s' cannot be set %s", function,
                  var_name(v), phase_name(k->phase));
}

/* After a plain set: the input holds its value from here on. */
static void input_was_set(struct instance *k, struct place at)
{
    uint32_t first = k->row_u[at.row];

    if (first != NONE && k->moving)
        memset(&k->rate[(size_t)COURSE_ORDER * (first + at.element)], 0,
               sizeof(*k->rate) * COURSE_ORDER);
}

static enum status write_string(struct instance *k, const char *function,
                                const struct tutti_var *v, char *element,
                                const char *text)
{
    if (!text || strlen(text) >= v->size)
        return report(k, ST_ERROR, "%s: '%s' holds at most %zu bytes", function,
                      var_name(v), v->size - 1);
    memcpy(element, text, strlen(text) + 1);
    return ST_OK;
}

/* NOLINTBEGIN(bugprone-suspicious-include) */
#include "tutti_kit_events.c"
#include "tutti_kit_solve.c"
#include "tutti_kit_state.c"
#include "tutti_kit_me.c"

#if TUTTI_KIT_FMI <= 2
#include "tutti_kit_fmi2.c"
#endif
#if TUTTI_KIT_FMI == 1
#include "tutti_kit_fmi1.c"
#endif
#if TUTTI_KIT_FMI == 0 || TUTTI_KIT_FMI == 3
#include "tutti_kit_fmi3.c"
#endif
#ifdef TUTTI_KIT_DESCRIBE
#include "tutti_kit_xml.c"
#endif
/* NOLINTEND(bugprone-suspicious-include) */
