/* SPDX-License-Identifier: MIT */
/* Unit kind coupling: finds what makes two quantities of other units equal,
 * the force in a rigid link, say. It does not simulate anything: its output is
 * an unknown, which the step is repeated for until
 *
 *     residual = leftGain left - rightGain right - offset
 *
 * is zero at the end of the step. Whoever solves sees action = guess -
 * residual, a fixed point exactly where the residual vanishes. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "kinds/kinds.h"

enum port {
    LEFT,
    RIGHT,
    GUESS,
    ACTION,
    REACTION,
    RESIDUAL,
    LEFT_GAIN,
    RIGHT_GAIN,
    OFFSET,
    START,
    N_PORT
};

struct coupling {
    tt_unit base;
    double value[N_PORT];   /* inputs and parameters; outputs follow */
    double (*kept)[N_PORT]; /* owned: per state register */
};

static struct coupling *coupling_of(tt_unit *u)
{
    return (struct coupling *)(void *)u;
}

/* --- unit --------------------------------------------------------------- */

static double residual(const struct coupling *c)
{
    const double *v = c->value;

    return v[LEFT_GAIN] * v[LEFT] - v[RIGHT_GAIN] * v[RIGHT] - v[OFFSET];
}

/* At initialisation nothing can be made right yet: the action is as given. */
static double action(const struct coupling *c)
{
    if (c->base.life == TT_LIFE_INIT || c->base.life == TT_LIFE_MADE ||
        c->base.life == TT_LIFE_CONFIGURED)
        return c->value[START];
    return c->value[GUESS] - residual(c);
}

static double read_port(const struct coupling *c, uint32_t port)
{
    switch (port) {
    case ACTION:
        return action(c);
    case REACTION:
        return -action(c);
    case RESIDUAL:
        return residual(c);
    default:
        return c->value[port];
    }
}

static enum tt_code get(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    double *value = s->value;

    (void)err;
    for (size_t i = 0; i < s->n; i++)
        value[i] = read_port(coupling_of(u), s->port[i]);
    return TT_OK;
}

static enum tt_code set(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    const double *value = s->value;

    for (size_t i = 0; i < s->n; i++) {
        if (s->port[i] >= ACTION && s->port[i] <= RESIDUAL)
            return tt_fail(err, TT_EINPUT, "'%s' is an output",
                           u->desc->port[s->port[i]].name);
        coupling_of(u)->value[s->port[i]] = value[i];
    }
    return TT_OK;
}

static void begin(struct coupling *c)
{
    for (uint32_t i = 0; i < N_PORT; i++)
        if (c->base.desc->port[i].start)
            c->value[i] = *(const double *)c->base.desc->port[i].start;
}

static enum tt_code reset(tt_unit *u, tt_err *err)
{
    (void)err;
    begin(coupling_of(u));
    return TT_OK;
}

static enum tt_code prepare(tt_unit *u, uint32_t n_state, tt_err *err)
{
    struct coupling *c = coupling_of(u);

    tt_free(c->kept);
    c->kept = tt_zalloc(n_state, sizeof(*c->kept));
    return c->kept ? TT_OK : tt_fail(err, TT_ENOMEM, "room for states");
}

static enum tt_code save(tt_unit *u, uint32_t reg, tt_err *err)
{
    (void)err;
    memcpy(coupling_of(u)->kept[reg], coupling_of(u)->value,
           sizeof(coupling_of(u)->value));
    return TT_OK;
}

static enum tt_code restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    (void)err;
    memcpy(coupling_of(u)->value, coupling_of(u)->kept[reg],
           sizeof(coupling_of(u)->value));
    return TT_OK;
}

static enum tt_code pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                         tt_err *err)
{
    b->n = sizeof(coupling_of(u)->value);
    b->data = tt_alloc(b->n);
    if (!b->data)
        return tt_fail(err, TT_ENOMEM, "packing a state");
    memcpy(b->data, coupling_of(u)->kept[reg], b->n);
    return TT_OK;
}

static enum tt_code unpack(tt_unit *u, uint32_t reg, const struct tt_bytes *b,
                           tt_err *err)
{
    if (b->n != sizeof(coupling_of(u)->value))
        return tt_fail(err, TT_EINPUT, "the state is of something else");
    memcpy(coupling_of(u)->kept[reg], b->data, b->n);
    return TT_OK;
}

static void free_unit(tt_unit *u)
{
    tt_free(coupling_of(u)->kept);
    tt_unit_fini(u);
    tt_free(u);
}

static const struct tt_unit_ops unit_ops = {
    .kind = "coupling",
    .enter_init = tt_unit_idle_init,
    .exit_init = tt_unit_idle,
    .end = tt_unit_idle,
    .free = free_unit,
    .get = get,
    .set = set,
    .step = tt_unit_idle_step,
    .prepare = prepare,
    .save = save,
    .restore = restore,
    .pack = pack,
    .unpack = unpack,
    .reset = reset,
};

/* --- kind --------------------------------------------------------------- */

static const double zero = 0, one = 1;

#define PORT(id, caus, var, first, words)                                      \
    .name = (id), .text = (words), .type = TT_F64, .causality = (caus),        \
    .variability = (var), .n = 1, .start = (first), .min = -(double)INFINITY,  \
    .max = (double)INFINITY, .nominal = 1, .derivative_of = TT_NONE
/* what is to be equal must be of the end of the step */
#define INPUT(id, words)                                                       \
    {                                                                          \
        PORT(id, TT_CAUS_INPUT, TT_VAR_CONTINUOUS, &zero, words),              \
            .reactivity = TT_REACT_REACTIVE                                    \
    }
#define OUTPUT(id, words)                                                      \
    {                                                                          \
        PORT(id, TT_CAUS_OUTPUT, TT_VAR_CONTINUOUS, NULL, words),              \
            .initial = TT_INIT_CALCULATED                                      \
    }
#define PARAMETER(id, first, words)                                            \
    {                                                                          \
        PORT(id, TT_CAUS_PARAMETER, TT_VAR_FIXED, first, words),               \
            .initial = TT_INIT_EXACT                                           \
    }

static const struct tt_port ports[N_PORT] = {
    [LEFT] = INPUT("left", "what is to equal ..."),
    [RIGHT] = INPUT("right", "... this"),
    [GUESS] = {PORT("guess", TT_CAUS_INPUT, TT_VAR_CONTINUOUS, &zero,
                    "the action tried"),
               .is_guess = 1, .guess_of = ACTION, .hidden = 1},
    [ACTION] = OUTPUT("action", "makes them equal"),
    [REACTION] = OUTPUT("reaction", "the opposite of the action"),
    [RESIDUAL] = OUTPUT("residual", "leftGain left - rightGain right - offset"),
    [LEFT_GAIN] = PARAMETER("leftGain", &one, NULL),
    [RIGHT_GAIN] = PARAMETER("rightGain", &one, NULL),
    [OFFSET] = PARAMETER("offset", &zero, NULL),
    [START] = PARAMETER("start", &zero, "the action at the start"),
};

/* The guess is left out: it comes out as it went in. */
static const uint32_t sides[] = {LEFT, RIGHT};
static const struct tt_deps run_deps[N_PORT] = {
    [ACTION] = {.known = 1, .n = 2, .port = sides},
    [REACTION] = {.known = 1, .n = 2, .port = sides},
    [RESIDUAL] = {.known = 1, .n = 2, .port = sides},
};
static const struct tt_deps init_deps[N_PORT] = {
    [ACTION] = {.known = 1},
    [REACTION] = {.known = 1},
    [RESIDUAL] = {.known = 1, .n = 2, .port = sides},
};

#define SOURCE "tutti:coupling"

static int accepts(const struct tt_source *s)
{
    return !strcmp(s->path, SOURCE);
}

static void close_type(tt_unit_type *t)
{
    if (!t)
        return;
    tt_names_fini(&t->desc.by_name);
    tt_free(t);
}

static enum tt_code open_type(tt_unit_type **out, const struct tt_source *s,
                              tt_err *err)
{
    tt_unit_type *t;
    int failed = 0;

    if (!TT_NEW(t))
        return tt_fail(err, TT_ENOMEM, "opening %s", s->path);
    t->kind = &tt_kind_coupling;
    t->desc = (struct tt_desc){
        .kind = "coupling",
        .model = "coupling",
        .port = ports,
        .n_port = N_PORT,
        .run = run_deps,
        .init = init_deps,
        .caps = {.evaluates = TT_EVAL_ALWAYS,
                 .threads = TT_THREADS_ANY,
                 .save = 1,
                 .serialise = 1,
                 .variable_step = 1,
                 .implicit = 1},
        .standard = {.start = (double)NAN,
                     .end = (double)NAN,
                     .tolerance = (double)NAN},
        .standard_step = (double)NAN,
    };
    tt_names_init(&t->desc.by_name);
    for (uint32_t i = 0; i < N_PORT; i++)
        failed |= tt_names_add(&t->desc.by_name, ports[i].name, i) < 0;
    if (failed) {
        close_type(t);
        return tt_fail(err, TT_ENOMEM, "opening %s", s->path);
    }
    *out = t;
    return TT_OK;
}

static enum tt_code make(tt_unit **out, tt_unit_type *t,
                         const struct tt_make *m, tt_err *err)
{
    struct coupling *c;
    enum tt_code rc;

    if (!TT_NEW(c))
        return tt_fail(err, TT_ENOMEM, "unit '%s' (coupling): out of memory",
                       m->name);
    rc = tt_unit_init(&c->base, &unit_ops, &t->desc, m, err);
    if (rc != TT_OK) {
        free_unit(&c->base);
        return rc;
    }
    begin(c);
    *out = &c->base;
    return TT_OK;
}

const struct tt_kind_ops tt_kind_coupling = {
    .name = "coupling",
    .accepts = accepts,
    .open = open_type,
    .close = close_type,
    .make = make,
};
