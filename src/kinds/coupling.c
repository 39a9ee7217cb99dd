/* SPDX-License-Identifier: MIT */
/* Unit kind coupling: finds what makes two quantities of other units equal,
 * the force in a rigid link, say. It does not simulate anything: its output is
 * an unknown, which the step is repeated for until
 *
 *     residual = leftGain left - rightGain right - offset
 *
 * is zero at the end of the step. Whoever solves sees action = guess -
 * residual, a fixed point exactly where the residual vanishes.
 *
 * Where the rates of both are connected, too, there are two equations (Gomes
 * 2019, Eq. 3.29), and they take two unknowns: the action runs in a straight
 * line from `first` to `action` in each step. That is what Gear, Gupta and
 * Leimkuhler (1985) do with a second multiplier: the mean of the line makes the
 * rates equal, its slope moves the positions. With damping, one unknown has to
 * serve both, as Baumgarte (1972) has it: rateResidual + damping residual = 0,
 * so that a residual dies away like exp(-damping t). */
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
    LEFT_RATE,
    RIGHT_RATE,
    FIRST_GUESS,
    FIRST,
    RATE_RESIDUAL,
    DAMPING,
    WORST,
    WORST_RATE,
    RANG,
    RANG_SINCE,
    N_PORT
};

/* What came of it, over the steps that stand. */
struct account {
    double until;             /* looked at up to this time */
    double worst, worst_rate; /* the largest residuals */
    double action, change;    /* the last action, and how it differed */
    double most;              /* the largest action */
    double rang, rang_since;  /* steps in which it rang, and the first */
    uint32_t turned;          /* steps in a row it went back on itself */
};

/* What goes back with the time: a step taken back leaves no trace in the
 * account, whoever saved a state in the midst of it. */
struct state {
    double value[N_PORT]; /* inputs and parameters; outputs follow */
    struct account so_far;
};

struct coupling {
    tt_unit base;
    struct state is;
    struct state *kept; /* owned: per state register */
    int rates;          /* they are connected ... */
    int both;           /* ... and there are two unknowns */
};

static struct coupling *coupling_of(tt_unit *u)
{
    return (struct coupling *)(void *)u;
}

/* --- unit --------------------------------------------------------------- */

static double residual(const struct coupling *c)
{
    const double *v = c->is.value;

    return v[LEFT_GAIN] * v[LEFT] - v[RIGHT_GAIN] * v[RIGHT] - v[OFFSET];
}

static double rate_residual(const struct coupling *c)
{
    const double *v = c->is.value;

    return v[LEFT_GAIN] * v[LEFT_RATE] - v[RIGHT_GAIN] * v[RIGHT_RATE];
}

/* At initialisation nothing can be made right yet: the action is as given. */
static int at_start(const struct coupling *c)
{
    return c->base.life == TT_LIFE_INIT || c->base.life == TT_LIFE_MADE ||
           c->base.life == TT_LIFE_CONFIGURED;
}

static double action(const struct coupling *c)
{
    if (at_start(c))
        return c->is.value[START];
    if (!c->rates)
        return c->is.value[GUESS] - residual(c);
    return c->is.value[GUESS] - rate_residual(c) -
           (c->both ? 0 : c->is.value[DAMPING] * residual(c));
}

static double first(const struct coupling *c)
{
    return at_start(c) ? c->is.value[START]
                       : c->is.value[FIRST_GUESS] - residual(c);
}

/* --- what came of it ------------------------------------------------------ */

#define TURNS   6u   /* as often in a row is no accident */
#define AUDIBLE 0.02 /* of the largest action */

/* Rings: each step takes back at least half of what the one before did, and it
 * is not just noise. */
static void look_for_ringing(struct account *a, double action, double now)
{
    double change = action - a->action;

    if (change * a->change < 0 && fabs(change) > fabs(a->change) / 2)
        a->turned++;
    else
        a->turned = 0;
    a->most = fmax(a->most, fabs(action));
    a->action = action;
    a->change = change;
    if (a->turned < TURNS || !(fabs(change) > AUDIBLE * a->most))
        return;
    if (a->rang == 0)
        a->rang_since = now;
    a->rang++;
}

/* Where a step begins, and when it is asked, the last one stands. */
static void look_back(struct coupling *c)
{
    struct account *a = &c->is.so_far;

    if (!(c->base.now > a->until))
        return;
    a->until = c->base.now;
    a->worst = fmax(a->worst, fabs(residual(c)));
    if (c->rates)
        a->worst_rate = fmax(a->worst_rate, fabs(rate_residual(c)));
    look_for_ringing(a, c->is.value[GUESS], c->base.now);
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
    case FIRST:
        return first(c);
    case RATE_RESIDUAL:
        return rate_residual(c);
    case WORST:
        return c->is.so_far.worst;
    case WORST_RATE:
        return c->rates ? c->is.so_far.worst_rate : (double)NAN;
    case RANG:
        return c->is.so_far.rang;
    case RANG_SINCE:
        return c->is.so_far.rang_since;
    default:
        return c->is.value[port];
    }
}

static enum tt_code get(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    double *value = s->value;

    (void)err;
    for (size_t i = 0; i < s->n; i++) {
        if (s->port[i] >= WORST)
            look_back(coupling_of(u));
        value[i] = read_port(coupling_of(u), s->port[i]);
    }
    return TT_OK;
}

/* A rate that is set since initialisation is connected: a value given for it
 * alone comes before. */
static enum tt_code set(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    struct coupling *c = coupling_of(u);
    const double *value = s->value;
    int connected = u->life != TT_LIFE_MADE && u->life != TT_LIFE_CONFIGURED;

    for (size_t i = 0; i < s->n; i++) {
        uint32_t port = s->port[i];

        if (u->desc->port[port].causality == TT_CAUS_OUTPUT)
            return tt_fail(err, TT_EINPUT, "'%s' is an output",
                           u->desc->port[port].name);
        c->is.value[port] = value[i];
        c->rates |= connected && (port == LEFT_RATE || port == RIGHT_RATE);
        c->both |= connected && port == FIRST_GUESS;
    }
    return TT_OK;
}

/* --- how it follows ------------------------------------------------------- */

static double residual_follows(const double *v, const double *d)
{
    return d[LEFT_GAIN] * v[LEFT] + v[LEFT_GAIN] * d[LEFT] -
           d[RIGHT_GAIN] * v[RIGHT] - v[RIGHT_GAIN] * d[RIGHT] - d[OFFSET];
}

static double rate_follows(const double *v, const double *d)
{
    return d[LEFT_GAIN] * v[LEFT_RATE] + v[LEFT_GAIN] * d[LEFT_RATE] -
           d[RIGHT_GAIN] * v[RIGHT_RATE] - v[RIGHT_GAIN] * d[RIGHT_RATE];
}

static double action_follows(const struct coupling *c, const double *d)
{
    const double *v = c->is.value;

    if (at_start(c))
        return d[START];
    if (!c->rates)
        return d[GUESS] - residual_follows(v, d);
    return d[GUESS] - rate_follows(v, d) -
           (c->both ? 0
                    : d[DAMPING] * residual(c) +
                          v[DAMPING] * residual_follows(v, d));
}

static double port_follows(const struct coupling *c, uint32_t port,
                           const double *d)
{
    switch (port) {
    case ACTION:
        return action_follows(c, d);
    case REACTION:
        return -action_follows(c, d);
    case RESIDUAL:
        return residual_follows(c->is.value, d);
    case FIRST:
        return at_start(c) ? d[START]
                           : d[FIRST_GUESS] - residual_follows(c->is.value, d);
    case RATE_RESIDUAL:
        return rate_follows(c->is.value, d);
    default: /* the account follows steps; the rest, itself */
        return port >= WORST ? 0 : d[port];
    }
}

static enum tt_code jvp(tt_unit *u, const struct tt_jvp *j, tt_err *err)
{
    double d[N_PORT] = {0};

    (void)err;
    for (size_t i = 0; i < j->n_known; i++)
        d[j->known[i]] = j->dv_known[i];
    for (size_t i = 0; i < j->n_unknown; i++)
        j->dv_unknown[i] = port_follows(coupling_of(u), j->unknown[i], d);
    return TT_OK;
}

static void begin(struct coupling *c)
{
    for (uint32_t i = 0; i < N_PORT; i++)
        if (c->base.desc->port[i].start)
            c->is.value[i] = *(const double *)c->base.desc->port[i].start;
    c->rates = c->both = 0;
}

static enum tt_code enter_init(tt_unit *u, const struct tt_experiment *e,
                               tt_err *err)
{
    (void)err;
    coupling_of(u)->is.so_far = (struct account){.until = e->start};
    return TT_OK;
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
    look_back(coupling_of(u));
    coupling_of(u)->kept[reg] = coupling_of(u)->is;
    return TT_OK;
}

static enum tt_code restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    (void)err;
    coupling_of(u)->is = coupling_of(u)->kept[reg];
    return TT_OK;
}

static enum tt_code pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                         tt_err *err)
{
    b->n = sizeof(struct state);
    b->data = tt_alloc(b->n);
    if (!b->data)
        return tt_fail(err, TT_ENOMEM, "packing a state");
    memcpy(b->data, &coupling_of(u)->kept[reg], b->n);
    return TT_OK;
}

static enum tt_code unpack(tt_unit *u, uint32_t reg, const struct tt_bytes *b,
                           tt_err *err)
{
    if (b->n != sizeof(struct state))
        return tt_fail(err, TT_EINPUT, "the state is of something else");
    memcpy(&coupling_of(u)->kept[reg], b->data, b->n);
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
    .enter_init = enter_init,
    .exit_init = tt_unit_idle,
    .end = tt_unit_idle,
    .free = free_unit,
    .get = get,
    .set = set,
    .jvp = jvp,
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
/* the action of a step runs from `first`, or its opposite, to this */
#define LINE(id, words, by)                                                    \
    {                                                                          \
        PORT(id, TT_CAUS_OUTPUT, TT_VAR_CONTINUOUS, NULL, words),              \
            .initial = TT_INIT_CALCULATED, .begins_at = FIRST,                 \
            .begins_by = (by)                                                  \
    }
#define TOLD(id, words)                                                        \
    {                                                                          \
        PORT(id, TT_CAUS_OUTPUT, TT_VAR_CONTINUOUS, NULL, words),              \
            .initial = TT_INIT_CALCULATED, .hidden = 1                         \
    }
#define PARAMETER(id, value, words)                                            \
    {                                                                          \
        PORT(id, TT_CAUS_PARAMETER, TT_VAR_FIXED, value, words),               \
            .initial = TT_INIT_EXACT                                           \
    }

static const struct tt_port ports[N_PORT] = {
    [LEFT] = INPUT("left", "what is to equal ..."),
    [RIGHT] = INPUT("right", "... this"),
    [GUESS] = {PORT("guess", TT_CAUS_INPUT, TT_VAR_CONTINUOUS, &zero,
                    "the action tried"),
               .is_guess = 1, .guess_of = ACTION, .hidden = 1},
    [ACTION] = LINE("action", "makes them equal", 1),
    [REACTION] = LINE("reaction", "the opposite of the action", -1),
    [RESIDUAL] = OUTPUT("residual", "leftGain left - rightGain right - offset"),
    [LEFT_GAIN] = PARAMETER("leftGain", &one, NULL),
    [RIGHT_GAIN] = PARAMETER("rightGain", &one, NULL),
    [OFFSET] = PARAMETER("offset", &zero, NULL),
    [START] = PARAMETER("start", &zero, "the action at the start"),
    [LEFT_RATE] = INPUT("leftRate", "the rate of left, to equal ..."),
    [RIGHT_RATE] = INPUT("rightRate", "... that of right"),
    [FIRST_GUESS] = {PORT("firstGuess", TT_CAUS_INPUT, TT_VAR_CONTINUOUS, &zero,
                          "the first action tried"),
                     .is_guess = 1, .guess_of = FIRST, .hidden = 1,
                     .guess_with = LEFT_RATE, .guess_unless = DAMPING},
    [FIRST] = TOLD("first", "the action at the beginning of the step"),
    [RATE_RESIDUAL] =
        OUTPUT("rateResidual", "leftGain leftRate - rightGain rightRate"),
    [DAMPING] = PARAMETER("damping", &zero,
                          "how fast a residual dies away, 1/s; 0: at once"),
    [WORST] = TOLD("worstResidual", "the largest residual after a step"),
    [WORST_RATE] =
        TOLD("worstRateResidual", "the largest rateResidual after a step"),
    [RANG] = TOLD("ringing", "steps in which the action rang"),
    [RANG_SINCE] = TOLD("ringingSince", "the first of them"),
};

/* The guess is left out: it comes out as it went in. */
static const uint32_t sides[] = {LEFT, RIGHT, LEFT_RATE, RIGHT_RATE};
#define RATES (sides + 2)
#define TOLD_DEPS                                                              \
    [WORST] = {.known = 1}, [WORST_RATE] = {.known = 1},                       \
    [RANG] = {.known = 1}, [RANG_SINCE] = {.known = 1}
static const struct tt_deps run_deps[N_PORT] = {
    [ACTION] = {.known = 1, .n = 4, .port = sides},
    [REACTION] = {.known = 1, .n = 4, .port = sides},
    [RESIDUAL] = {.known = 1, .n = 2, .port = sides},
    [FIRST] = {.known = 1, .n = 2, .port = sides},
    [RATE_RESIDUAL] = {.known = 1, .n = 2, .port = RATES},
    TOLD_DEPS,
};
static const struct tt_deps init_deps[N_PORT] = {
    [ACTION] = {.known = 1},
    [REACTION] = {.known = 1},
    [RESIDUAL] = {.known = 1, .n = 2, .port = sides},
    [FIRST] = {.known = 1},
    [RATE_RESIDUAL] = {.known = 1, .n = 2, .port = RATES},
    TOLD_DEPS,
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
                 .directional = 1,
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
