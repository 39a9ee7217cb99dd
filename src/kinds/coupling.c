/* SPDX-License-Identifier: MIT */
/* Unit kind coupling: finds what makes a constraint between quantities of other
 * units hold, the force in a rigid link, for example. It does not simulate
 * anything: its output is an unknown, which the step is repeated for until
 *
 *     residual = g(x)        (left - right, where nothing else is given)
 *
 * is zero at the end of the step. The solver sees action = guess - residual, a
 * fixed point exactly where the residual vanishes.
 *
 * Where the rates of what is in it are connected, too, there are two equations,
 * g = 0 and its rate g'(x) dx/dt = 0 (Gomes 2019, Eq. 3.29), and they take two
 * unknowns: the action runs in a straight line from `first` to `action` in each
 * step. That is what Gear, Gupta and Leimkuhler (1985) do with a second
 * multiplier: the mean of the line makes the rates right, its slope moves the
 * positions. With damping, one unknown has to serve both, as Baumgarte (1972)
 * has it: rateResidual + damping residual = 0, so that a residual dies away
 * like exp(-damping t).
 *
 * On a single variable x acts action times dg/dx, as forces of constraints do.
 * The derivative changes within the step: a line runs from what it was at the
 * beginning to what it is at the end, an action that is held takes the mean. */
#include <math.h>
#include <string.h>

#include "kinds/coupling_impl.h"
#include "kinds/kinds.h"

static struct tt_coupling *coupling_of(tt_unit *u)
{
    return (struct tt_coupling *)(void *)u;
}

/* --- what came of it ------------------------------------------------------ */

#define TURNS   6u   /* as often in a row is no accident */
#define AUDIBLE 0.02 /* of the largest action */

/* Rings: each step takes back at least half of what the one before did, and it
 * is not just noise. */
static void look_for_ringing(struct tt_coupling_account *a, double action,
                             double now)
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
static void look_back(struct tt_coupling *c)
{
    struct tt_coupling_account *a = &c->is->so_far;

    if (!(c->k.base.now > a->until))
        return;
    a->until = c->k.base.now;
    a->worst = fmax(a->worst, fabs(tt_coupling_residual(c, NULL).v));
    if (c->rates)
        a->worst_rate =
            fmax(a->worst_rate, fabs(tt_coupling_rate_residual(c, NULL).v));
    look_for_ringing(a, tt_coupling_own(c, COUPLING_GUESS, NULL).v,
                     c->k.base.now);
}

/* --- ports ---------------------------------------------------------------- */

/* The account follows steps, not ports. */
static struct tt_coupling_pair reported(const struct tt_coupling *c,
                                        uint8_t role)
{
    const struct tt_coupling_account *a = &c->is->so_far;

    switch (role) {
    case COUPLING_WORST:
        return (struct tt_coupling_pair){a->worst, 0};
    case COUPLING_WORST_RATE:
        return (struct tt_coupling_pair){c->rates ? a->worst_rate : (double)NAN,
                                         0};
    case COUPLING_RANG:
        return (struct tt_coupling_pair){a->rang, 0};
    default:
        return (struct tt_coupling_pair){a->rang_since, 0};
    }
}

static int is_reported(uint8_t role)
{
    return role >= COUPLING_WORST && role <= COUPLING_RANG_SINCE;
}

static struct tt_coupling_pair read_port(struct tt_coupling *c, uint32_t port,
                                         const double *d)
{
    const struct tt_coupling_port *is = &c->type->is[port];
    struct tt_coupling_pair a;

    switch (is->role) {
    case COUPLING_ACTION:
        return tt_coupling_action(c, d);
    case COUPLING_REACTION:
        a = tt_coupling_action(c, d);
        return (struct tt_coupling_pair){-a.v, -a.d};
    case COUPLING_RESIDUAL:
        return tt_coupling_residual(c, d);
    case COUPLING_FIRST:
        return tt_coupling_first(c, d);
    case COUPLING_RATE_RESIDUAL:
        return tt_coupling_rate_residual(c, d);
    case COUPLING_TERM:
        return tt_coupling_term(c, is->ref, d);
    case COUPLING_TERM_FIRST:
        return tt_coupling_term_first(c, is->ref, d);
    default:
        break;
    }
    if (is_reported(is->role))
        return reported(c, is->role);
    return (struct tt_coupling_pair){c->is->number[port], d ? d[port] : 0};
}

static enum tt_code get(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    struct tt_coupling *c = coupling_of(u);
    double *value = s->value;

    (void)err;
    c->is_found = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (is_reported(c->type->is[s->port[i]].role))
            look_back(c);
        value[i] = read_port(c, s->port[i], NULL).v;
    }
    return TT_OK;
}

/* A rate that is set since initialisation is connected: a value given for it
 * alone comes before. */
static enum tt_code set(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    struct tt_coupling *c = coupling_of(u);
    const double *value = s->value;
    int connected = u->life != TT_LIFE_MADE && u->life != TT_LIFE_CONFIGURED;

    for (size_t i = 0; i < s->n; i++) {
        uint32_t port = s->port[i];
        uint8_t role = c->type->is[port].role;

        if (u->desc->port[port].causality == TT_CAUS_OUTPUT)
            return tt_fail(err, TT_EINPUT, "'%s' is an output",
                           u->desc->port[port].name);
        c->is->number[port] = value[i];
        c->rates |= connected && role == COUPLING_RATE;
        c->both |= connected && role == COUPLING_FIRST_GUESS;
    }
    return TT_OK;
}

static enum tt_code jvp(tt_unit *u, const struct tt_jvp *j, tt_err *err)
{
    struct tt_coupling *c = coupling_of(u);

    (void)err;
    c->is_found = 0;
    memset(c->d, 0, u->desc->n_port * sizeof(*c->d));
    for (size_t i = 0; i < j->n_known; i++)
        c->d[j->known[i]] = j->dv_known[i];
    for (size_t i = 0; i < j->n_unknown; i++)
        j->dv_unknown[i] = read_port(c, j->unknown[i], c->d).d;
    return TT_OK;
}

/* --- life ----------------------------------------------------------------- */

static void begin(struct tt_coupling *c)
{
    const struct tt_desc *desc = c->k.base.desc;

    for (uint32_t i = 0; i < desc->n_port; i++)
        if (desc->port[i].start)
            c->is->number[i] = *(const double *)desc->port[i].start;
    c->rates = c->both = 0;
}

static enum tt_code enter_init(tt_unit *u, const struct tt_experiment *e,
                               tt_err *err)
{
    (void)err;
    coupling_of(u)->is->so_far =
        (struct tt_coupling_account){.until = e->start};
    return TT_OK;
}

static enum tt_code reset(tt_unit *u, tt_err *err)
{
    (void)err;
    begin(coupling_of(u));
    return TT_OK;
}

/* A step begins here. */
static enum tt_code save(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct tt_coupling *c = coupling_of(u);

    look_back(c);
    for (uint32_t i = 0; i < c->type->e.n_ref; i++)
        if (c->type->ref[i].is_term)
            tt_coupling_began(c)[i] = tt_coupling_gradient(c, i, NULL).v;
    return tt_kept_save(u, reg, err);
}

static void free_unit(tt_unit *u)
{
    struct tt_coupling *c = coupling_of(u);

    TT_FREE_ALL(c->a, c->d);
    tt_arena_free(c->arena);
    tt_kept_free(u);
}

static const struct tt_unit_ops unit_ops = {
    TT_BUILTIN_IDLE, .exit_init = tt_unit_idle, .free = free_unit,
    TT_HOOKS(, enter_init, get, set, jvp, save, reset),
    TT_HOOKS(tt_kept_, prepare, restore, pack, unpack)};

/* --- kind ----------------------------------------------------------------- */

static int make_room(struct tt_coupling *c)
{
    uint32_t n_ref = c->type->e.n_ref, n_port = c->type->b.base.desc.n_port;

    c->is = tt_kept_new(&c->k, sizeof(struct tt_coupling_state) +
                                   ((size_t)n_port + n_ref) * sizeof(double));
    if (!c->is || !TT_NEW_ARRAY(c->k.where, n_ref) ||
        !TT_NEW_ARRAY(c->a, 3 * (size_t)n_ref) || !TT_NEW_ARRAY(c->d, n_port))
        return 0;
    c->b = c->a + n_ref;
    c->ab = c->b + n_ref;
    for (uint32_t i = 0; i < n_ref; i++)
        c->k.where[i] = &c->is->number[c->type->ref[i].value];
    c->at.value = c->k.where;
    return 1;
}

/* Where a unit is written it counts which ones variables have. */
static enum tt_code take_measures(tt_unit *u, const struct tt_make *m,
                                  tt_err *err)
{
    struct tt_coupling *c = coupling_of(u);
    const char *text = c->type->b.base.desc.expression;
    tt_expr *e;

    if (!m->fed || !text || !strchr(text, '['))
        return TT_OK;
    c->arena = tt_arena_new();
    e = c->arena ? tt_arena_alloc(c->arena, 1, sizeof(*e)) : NULL;
    c->e = e;
    return e ? tt_coupling_compile(e, c->type, m->fed, c->arena, err)
             : tt_fail(err, TT_ENOMEM,
                       "instance '%s' (coupling): out of memory", m->name);
}

static int begin_unit(tt_unit *u, const struct tt_builtin_type *t,
                      const struct tt_make *m)
{
    struct tt_coupling *c = coupling_of(u);

    (void)m;
    c->type = (const struct tt_coupling_type *)(const void *)t;
    c->e = &c->type->e;
    if (!make_room(c))
        return 0;
    begin(c);
    return 1;
}

const struct tt_builtin tt_builtin_coupling = {
    TT_BUILTIN_OF(struct tt_coupling_type, struct tt_coupling),
    .source = TT_COUPLING_SOURCE,
    .caps = {.evaluates = TT_EVAL_ALWAYS, .directional = 1, .implicit = 1},
    .read = tt_coupling_read,
    .begin = begin_unit,
    .check = take_measures,
};
