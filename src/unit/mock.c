/* SPDX-License-Identifier: MIT */
/* The mock's type: a description made from a spec, the registry, and the
 * ready-made behaviours. */
#include "unit/mock_impl.h"

#include <math.h>
#include <string.h>

/* --- description ------------------------------------------------------- */

static enum tt_variability variability(const struct tt_mock_port *p)
{
    if (p->causality == TT_CAUS_PARAMETER ||
        p->causality == TT_CAUS_CALCULATED ||
        p->causality == TT_CAUS_STRUCTURAL)
        return TT_VAR_FIXED;
    return tt_type_is_float(p->type) ? TT_VAR_CONTINUOUS : TT_VAR_DISCRETE;
}

static int has_start(const struct tt_mock_port *p)
{
    return p->causality == TT_CAUS_INPUT || p->causality == TT_CAUS_PARAMETER ||
           p->causality == TT_CAUS_STRUCTURAL;
}

static const void *make_start(tt_arena *a, const struct tt_mock_port *p,
                              uint32_t n)
{
    size_t size = tt_type_size(p->type);
    unsigned char *start = tt_arena_alloc(a, n, size);

    for (uint32_t i = 0; start && i < n; i++) {
        void *element = start + i * size;

        if (p->type == TT_TEXT || p->type == TT_BYTES)
            (void)tt_text_set(element, p->start_text);
        else
            (void)tt_value_from_double(p->type, element, p->start);
    }
    return start;
}

/* The next of a list of ports, "c,d", plus 1; 0: none is left. */
static uint32_t next_port(const struct tt_mock_spec *s, const char **list)
{
    size_t n = *list ? strcspn(*list, ",") : 0;

    for (uint32_t i = 0; n && i < s->n_port; i++)
        if (strlen(s->port[i].name) == n &&
            strncmp(s->port[i].name, *list, n) == 0) {
            *list += n + ((*list)[n] == ',');
            return i + 1;
        }
    return 0;
}

static int make_clocks(const struct mock_type *t, const char *list,
                       struct tt_port *p)
{
    uint32_t *also = tt_arena_alloc(t->arena, t->spec->n_port, sizeof(*also));

    if (!also)
        return 0;
    p->clock = next_port(t->spec, &list);
    p->also = also;
    for (uint32_t k = next_port(t->spec, &list); k;
         k = next_port(t->spec, &list))
        also[p->n_also++] = k - 1;
    return 1;
}

static int make_port(struct mock_type *t, uint32_t i, struct tt_port *p)
{
    const struct tt_mock_port *from = &t->spec->port[i];
    const char *state = from->derivative_of;
    uint32_t n = from->n > 1 ? from->n : 1;

    *p = (struct tt_port){
        .name = from->name,
        .type = from->type,
        .causality = from->causality,
        .variability = variability(from),
        .initial = has_start(from) ? TT_INIT_EXACT : TT_INIT_CALCULATED,
        .reactivity = from->reactivity,
        .n = n,
        .n_dim = n > 1,
        .min = -HUGE_VAL,
        .max = HUGE_VAL,
        .nominal = from->nominal != 0 ? from->nominal : 1,
        .derivative_of = next_port(t->spec, &state) - 1, /* TT_NONE */
        .ticks = from->ticks.interval ? &from->ticks : NULL,
        .course_ok = from->causality == TT_CAUS_INPUT &&
                     tt_type_is_float(from->type) &&
                     t->spec->caps.course_order > 0,
    };
    if (n > 1)
        p->dim = tt_arena_dup(t->arena, &n, 1, sizeof(n));
    p->start = make_start(t->arena, from, n);
    return (n == 1 || p->dim) && p->start && make_clocks(t, from->clock, p)
               ? 0
               : -1;
}

/* "u,v" to indices; all that is named exists. */
static enum tt_code make_deps(struct mock_type *t, const char *text,
                              struct tt_deps *d, tt_err *err)
{
    uint32_t *port = tt_arena_alloc(t->arena, t->spec->n_port, sizeof(*port));

    if (!port)
        return tt_nomem(err, NULL);
    *d = (struct tt_deps){.known = text != NULL, .port = port};
    while (text && *text) {
        size_t n = strcspn(text, ",");
        char *name = tt_arena_strndup(t->arena, text, n);
        uint32_t i = name ? tt_desc_find(&t->base.desc, name) : TT_NONE;

        if (i == TT_NONE || d->n == t->spec->n_port)
            return tt_fail(err, TT_EINPUT, "mock '%s' has no port '%s'",
                           t->spec->model, name ? name : "");
        port[d->n++] = i;
        text += n + (text[n] == ',');
    }
    return TT_OK;
}

static enum tt_code make_all_deps(struct mock_type *t, tt_err *err)
{
    uint32_t n = t->spec->n_port;
    struct tt_deps *run = tt_arena_alloc(t->arena, n, sizeof(*run));
    struct tt_deps *init = tt_arena_alloc(t->arena, n, sizeof(*init));
    enum tt_code rc = TT_OK;

    if (!run || !init)
        return tt_nomem(err, NULL);
    for (uint32_t i = 0; rc == TT_OK && i < n; i++) {
        const struct tt_mock_port *p = &t->spec->port[i];

        rc = make_deps(t, p->deps, &run[i], err);
        if (rc == TT_OK)
            rc = make_deps(t, p->init_deps ? p->init_deps : p->deps, &init[i],
                           err);
    }
    t->base.desc.run = run;
    t->base.desc.init = init;
    return rc;
}

static enum tt_code make_desc(struct mock_type *t, tt_err *err)
{
    const struct tt_mock_spec *spec = t->spec;
    struct tt_desc *d = &t->base.desc;
    struct tt_port *port =
        tt_arena_alloc(t->arena, spec->n_port, sizeof(*port));

    if (!port)
        return tt_nomem(err, NULL);
    *d = (struct tt_desc){
        .kind = "mock",
        .model = spec->model ? spec->model : "mock",
        .port = port,
        .n_port = spec->n_port,
        .caps = spec->caps,
        .standard = {.start = (double)NAN,
                     .end = (double)NAN,
                     .tolerance = (double)NAN},
        .standard_step = (double)NAN,
    };
    tt_names_init(&d->by_name);
    for (uint32_t i = 0; i < spec->n_port; i++) {
        if (make_port(t, i, &port[i]) != 0)
            return tt_nomem(err, NULL);
        if (tt_names_add(&d->by_name, port[i].name, i) < 0)
            return tt_nomem(err, NULL);
    }
    return make_all_deps(t, err);
}

static void type_close(tt_unit_type *base)
{
    struct mock_type *t = (struct mock_type *)base;

    if (!t)
        return;
    tt_names_fini(&t->base.desc.by_name);
    tt_arena_free(t->arena);
    tt_free(t);
}

enum tt_code tt_mock_type_new(tt_unit_type **out,
                              const struct tt_mock_spec *spec, tt_err *err)
{
    struct mock_type *t;
    enum tt_code rc;

    TT_ASSERT(spec->n_cue <= 64);
    if (!TT_NEW(t))
        return tt_nomem(err, NULL);
    t->base.kind = &tt_mock_kind;
    t->spec = spec;
    t->arena = tt_arena_new();
    rc = t->arena ? make_desc(t, err) : tt_nomem(err, NULL);
    if (rc == TT_OK)
        *out = &t->base;
    else
        type_close(&t->base);
    return rc;
}

enum tt_code tt_mock_make(tt_unit **out, const struct tt_mock_spec *spec,
                          const char *name, tt_err *err)
{
    struct tt_make mk = {
        .name = name, .instance = name, .event_mode = 1, .early_return = 1};
    tt_unit_type *type = NULL;
    enum tt_code rc = tt_mock_type_new(&type, spec, err);

    if (rc != TT_OK)
        return rc;
    rc = mock_make(out, type, &mk, err);
    if (rc == TT_OK)
        mock_of(*out)->own_type = type;
    else
        type_close(type);
    return rc;
}

/* --- kind -------------------------------------------------------------- */

#define REGISTRY_MAX 64

static struct {
    const char *name;
    const struct tt_mock_spec *spec;
} registry[REGISTRY_MAX];

void tt_mock_register(const char *name, const struct tt_mock_spec *spec)
{
    int i = 0;

    if (!name) {
        memset(registry, 0, sizeof(registry));
        return;
    }
    while (i < REGISTRY_MAX && registry[i].name &&
           strcmp(registry[i].name, name) != 0)
        i++;
    TT_ASSERT(i < REGISTRY_MAX);
    registry[i].name = name;
    registry[i].spec = spec;
}

static const struct tt_mock_spec *registered(const char *path)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;

    for (int i = 0; i < REGISTRY_MAX && registry[i].name; i++)
        if (strcmp(registry[i].name, path) == 0 ||
            strcmp(registry[i].name, base) == 0)
            return registry[i].spec;
    return NULL;
}

static int kind_accepts(const struct tt_source *s)
{
    return registered(s->path) != NULL;
}

static enum tt_code kind_open(tt_unit_type **out, const struct tt_source *s,
                              tt_err *err)
{
    const struct tt_mock_spec *spec = registered(s->path);

    if (!spec)
        return tt_fail(err, TT_EINPUT, "no mock '%s' is registered", s->path);
    return tt_mock_type_new(out, spec, err);
}

const struct tt_kind_ops tt_mock_kind = {
    .name = "mock",
    .traits = TT_KIND_FOREIGN,
    .accepts = kind_accepts,
    .open = kind_open,
    .close = type_close,
    .make = mock_make,
};

/* --- ready-made -------------------------------------------------------- */

static void integrator_start(const struct tt_mock_view *v)
{
    v->x[0] = *tt_mock_f64(v, TT_MOCK_INTEGRATOR_Y0);
}

static void integrator_derivative(const struct tt_mock_view *v, double *dx)
{
    dx[0] = *tt_mock_f64(v, TT_MOCK_INTEGRATOR_U);
}

static void integrator_outputs(const struct tt_mock_view *v)
{
    *tt_mock_f64(v, TT_MOCK_INTEGRATOR_Y) = v->x[0];
}

static double integrator_rate(const struct tt_mock_view *v, uint32_t port,
                              uint32_t k)
{
    if (port != TT_MOCK_INTEGRATOR_Y)
        return 0;
    if (k == 1)
        return *tt_mock_f64(v, TT_MOCK_INTEGRATOR_U);
    return tt_poly_rate(v->course[TT_MOCK_INTEGRATOR_U], v->t, k - 1);
}

static const struct tt_mock_port integrator_port[] = {
    [TT_MOCK_INTEGRATOR_U] = {.name = "u", .causality = TT_CAUS_INPUT},
    [TT_MOCK_INTEGRATOR_Y] = {.name = "y",
                              .causality = TT_CAUS_OUTPUT,
                              .deps = "",
                              .init_deps = "y0"},
    [TT_MOCK_INTEGRATOR_Y0] = {.name = "y0", .causality = TT_CAUS_PARAMETER},
};

const struct tt_mock_spec tt_mock_integrator = {
    .model = "integrator",
    .port = integrator_port,
    .n_port = 3,
    .caps = {.evaluates = TT_EVAL_ALWAYS,
             .save = 1,
             .serialise = 1,
             .variable_step = 1,
             .course_order = 3,
             .course_exact = 1,
             .course_pieces = 1,
             .rate_order = 3,
             .early_return = 1},
    .behaviour = {.n_x = 1,
                  .start = integrator_start,
                  .derivative = integrator_derivative,
                  .outputs = integrator_outputs,
                  .rate = integrator_rate},
};

static void gain_outputs(const struct tt_mock_view *v)
{
    *tt_mock_f64(v, TT_MOCK_GAIN_Y) =
        *tt_mock_f64(v, TT_MOCK_GAIN_K) * *tt_mock_f64(v, TT_MOCK_GAIN_U);
}

static const struct tt_mock_port gain_port[] = {
    [TT_MOCK_GAIN_U] = {.name = "u", .causality = TT_CAUS_INPUT},
    [TT_MOCK_GAIN_Y] = {.name = "y",
                        .causality = TT_CAUS_OUTPUT,
                        .deps = "u",
                        .init_deps = "u,k"},
    [TT_MOCK_GAIN_K] = {.name = "k",
                        .causality = TT_CAUS_PARAMETER,
                        .start = 1},
};

const struct tt_mock_spec tt_mock_gain = {
    .model = "gain",
    .port = gain_port,
    .n_port = 3,
    .caps = {.evaluates = TT_EVAL_ALWAYS,
             .save = 1,
             .serialise = 1,
             .variable_step = 1,
             .directional = 1},
    .behaviour = {.outputs = gain_outputs},
};

static void counter_update(const struct tt_mock_view *v, double h)
{
    (void)h;
    ++*(int32_t *)v->value[0];
}

static const struct tt_mock_port counter_port[] = {
    {.name = "n", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""},
};

const struct tt_mock_spec tt_mock_counter = {
    .model = "counter",
    .port = counter_port,
    .n_port = 1,
    .caps = {.evaluates = TT_EVAL_ALWAYS,
             .save = 1,
             .serialise = 1,
             .variable_step = 1},
    .behaviour = {.update = counter_update},
};

static const struct tt_mock_port recorder_port[] = {
    {.name = "u", .causality = TT_CAUS_INPUT},
};

const struct tt_mock_spec tt_mock_recorder = {
    .model = "recorder",
    .port = recorder_port,
    .n_port = 1,
    .caps = {.evaluates = TT_EVAL_ALWAYS,
             .save = 1,
             .serialise = 1,
             .variable_step = 1},
};
