/* SPDX-License-Identifier: MIT */
/* The type of a coupling: its constraint and its ports. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "kinds/coupling_impl.h"
#include "kinds/kinds.h"
#include "unit/measure.h"

/* Without a constraint: two values, one equation, and names of their own. */
#define PLAIN "leftGain*left - rightGain*right - offset"

static const double zero = 0, one = 1;

struct building {
    struct tt_coupling_type *t;
    struct tt_port *port; /* in the arena */
    uint32_t n;
    int is_plain;
    int is_rate;       /* the constraint is one of rates */
    int failed;        /* no memory */
    const char *twice; /* a name that is there already */
};

/* --- names ---------------------------------------------------------------- */

static const char *name_of(struct building *b, const char *front,
                           const char *name, const char *back)
{
    struct tt_buf text;
    const char *copy;

    tt_buf_init(&text, TT_EXPR_TEXT_MAX + 64);
    tt_buf_fmt(&text, "%s%s%s", front, name, back);
    copy = text.failed ? NULL : tt_arena_strdup(b->t->b.arena, text.data);
    tt_buf_fini(&text);
    b->failed |= !copy;
    return copy;
}

/* --- ports ---------------------------------------------------------------- */

static struct tt_port *add(struct building *b, enum tt_coupling_role role,
                           uint32_t ref, const char *name)
{
    struct tt_port *p = &b->port[b->n];
    int added =
        name ? tt_names_add(&b->t->b.base.desc.by_name, name, b->n) : -1;

    b->failed |= added < 0;
    if (added > 0)
        b->twice = name;
    b->t->is[b->n] = (struct tt_coupling_port){(uint8_t)role, ref};
    if (role < COUPLING_ROLES)
        b->t->port_of[role] = b->n;
    *p = (struct tt_port){TT_PORT_SCALAR, .name = name, .type = TT_F64,
                          .variability = TT_VAR_CONTINUOUS};
    b->n++;
    return p;
}

/* What is to be equal must be of the end of the step. */
static uint32_t add_input(struct building *b, enum tt_coupling_role role,
                          uint32_t ref, const char *name, const char *text)
{
    struct tt_port *p = add(b, role, ref, name);

    p->text = text;
    p->causality = TT_CAUS_INPUT;
    p->reactivity = TT_REACT_REACTIVE;
    p->start = &zero;
    return b->n - 1;
}

static struct tt_port *add_output(struct building *b,
                                  enum tt_coupling_role role, uint32_t ref,
                                  const char *name, const char *text)
{
    struct tt_port *p = add(b, role, ref, name);

    p->text = text;
    p->causality = TT_CAUS_OUTPUT;
    p->initial = TT_INIT_CALCULATED;
    return p;
}

static void add_hidden(struct building *b, enum tt_coupling_role role,
                       uint32_t ref, const char *name, const char *text)
{
    add_output(b, role, ref, name, text)->hidden = 1;
}

static uint32_t add_parameter(struct building *b, enum tt_coupling_role role,
                              uint32_t ref, const char *name,
                              const double *start, const char *text)
{
    struct tt_port *p = add(b, role, ref, name);

    p->text = text;
    p->causality = TT_CAUS_PARAMETER;
    p->variability = TT_VAR_FIXED;
    p->initial = TT_INIT_EXACT;
    p->start = start;
    return b->n - 1;
}

static struct tt_port *add_guess(struct building *b, enum tt_coupling_role role,
                                 uint32_t ref, const char *name,
                                 const char *text)
{
    struct tt_port *p = add(b, role, ref, name);

    p->text = text;
    p->causality = TT_CAUS_INPUT;
    p->start = &zero;
    p->is_guess = p->hidden = 1;
    return p;
}

/* --- of variables --------------------------------------------------------- */

static int is_parameter(const struct building *b, const char *name)
{
    return b->is_plain && strcmp(name, "left") != 0 &&
           strcmp(name, "right") != 0;
}

static void add_values(struct building *b)
{
    const tt_expr *e = &b->t->e;

    for (uint32_t i = 0; i < e->n_ref; i++)
        if (!is_parameter(b, e->ref[i].name))
            b->t->ref[i].value = add_input(
                b, COUPLING_VALUE, i,
                e->ref[i].form == TT_EXPR_DER
                    ? name_of(b, "der(", e->ref[i].name, ")")
                    : e->ref[i].name,
                b->is_plain ? (i == 1 ? "what is to equal ..." : "... this")
                            : "a variable of the constraint");
}

static void add_parameters(struct building *b)
{
    const tt_expr *e = &b->t->e;

    for (uint32_t i = 0; i < e->n_ref; i++)
        if (is_parameter(b, e->ref[i].name))
            b->t->ref[i].value = add_parameter(
                b, COUPLING_VALUE, i, e->ref[i].name,
                strcmp(e->ref[i].name, "offset") != 0 ? &one : &zero, NULL);
}

static void add_rates(struct building *b)
{
    const tt_expr *e = &b->t->e;

    for (uint32_t i = 0; i < e->n_ref; i++) {
        const char *name = e->ref[i].name;

        b->t->ref[i].rate = TT_NONE;
        if (b->is_rate || is_parameter(b, name))
            continue;
        b->t->ref[i].rate =
            add_input(b, COUPLING_RATE, i,
                      b->is_plain ? name_of(b, "", name, "Rate")
                                  : name_of(b, "der(", name, ")"),
                      b->is_plain ? (i == 1 ? "the rate of left, to equal ..."
                                            : "... that of right")
                                  : "the rate of a variable of the constraint");
        b->port[b->n - 1].derivative_of = b->t->ref[i].value;
    }
}

/* The action on each variable: the action times the derivative of the
 * constraint by the variable, as forces of constraints are. */
static void add_terms(struct building *b)
{
    const tt_expr *e = &b->t->e;

    for (uint32_t i = 0; i < e->n_ref; i++) {
        const char *name = e->ref[i].name;
        struct tt_port *term, *guess;

        b->t->ref[i].is_term =
            !b->is_plain &&
            e->ref[i].form == (b->is_rate ? TT_EXPR_DER : TT_EXPR_VALUE);
        if (!b->t->ref[i].is_term)
            continue;
        term = add_output(b, COUPLING_TERM, i, name_of(b, "action(", name, ")"),
                          "the action on a variable of the constraint");
        if (b->is_rate)
            continue;
        term->begins_by = 1;
        term->begins_at = b->n;
        add_hidden(b, COUPLING_TERM_FIRST, i, name_of(b, "first(", name, ")"),
                   "the same at the beginning of the step");
        guess = add_guess(b, COUPLING_TERM_FIRST_GUESS, i,
                          name_of(b, "firstGuess(", name, ")"),
                          "the same as tried");
        guess->guess_of = b->n - 2;
        guess->guess_with = b->n - 3;
        guess->guess_unless = b->t->port_of[COUPLING_DAMPING];
    }
}

/* --- all of them ---------------------------------------------------------- */

/* What a second unknown takes: none where the constraint is one of rates. */
static void add_second(struct building *b)
{
    uint32_t *at = b->t->port_of;
    struct tt_port *guess;

    if (b->is_rate)
        return;
    guess = add_guess(b, COUPLING_FIRST_GUESS, 0, "firstGuess",
                      "the first action tried");
    guess->guess_of = b->n;
    add_hidden(b, COUPLING_FIRST, 0, "first",
               "the action at the beginning of the step");
    add_output(b, COUPLING_RATE_RESIDUAL, 0, "rateResidual",
               b->is_plain ? "leftGain leftRate - rightGain rightRate"
                           : "the rate of the residual");
    guess->guess_unless =
        add_parameter(b, COUPLING_DAMPING, 0, "damping", &zero,
                      "how fast a residual dies away, 1/s; 0: at once");
    for (int i = COUPLING_ACTION; i <= COUPLING_REACTION; i++) {
        b->port[at[i]].begins_at = at[COUPLING_FIRST];
        b->port[at[i]].begins_by = i == COUPLING_ACTION ? 1 : -1;
    }
}

static void add_ports(struct building *b)
{
    struct tt_port *guess;

    for (int i = 0; i < COUPLING_ROLES; i++)
        b->t->port_of[i] = TT_NONE;
    add_values(b);
    guess = add_guess(b, COUPLING_GUESS, 0, "guess", "the action tried");
    guess->guess_of = b->n;
    add_output(b, COUPLING_ACTION, 0, "action",
               b->is_plain ? "makes them equal" : "makes the constraint hold");
    add_output(b, COUPLING_REACTION, 0, "reaction",
               "the opposite of the action");
    add_output(b, COUPLING_RESIDUAL, 0, "residual",
               b->is_plain ? "leftGain left - rightGain right - offset"
                           : "how far the constraint is off");
    add_parameters(b);
    add_parameter(b, COUPLING_START, 0, "start", &zero,
                  "the action at the start");
    add_rates(b);
    add_second(b);
    add_hidden(b, COUPLING_WORST, 0, "worstResidual",
               "the largest residual after a step");
    if (!b->is_rate)
        add_hidden(b, COUPLING_WORST_RATE, 0, "worstRateResidual",
                   "the largest rateResidual after a step");
    add_hidden(b, COUPLING_RANG, 0, "ringing",
               "steps in which the action rang");
    add_hidden(b, COUPLING_RANG_SINCE, 0, "ringingSince", "the first of them");
    add_terms(b);
}

/* --- dependencies --------------------------------------------------------- */

/* Values first, then rates: outputs depend on the ones, the others, or all. The
 * guess is left out: it comes out as it went in. */
struct sides {
    uint32_t *port;
    uint32_t n_value, n;
};

static struct tt_deps deps_of(const struct building *b, const struct sides *s,
                              uint8_t role, int init)
{
    struct tt_deps all = {.known = 1, .n = s->n, .port = s->port};
    struct tt_deps values = {.known = 1, .n = s->n_value, .port = s->port};

    switch (role) {
    case COUPLING_ACTION:
    case COUPLING_REACTION:
        return init ? (struct tt_deps){.known = 1} : all;
    case COUPLING_FIRST:
        return init ? (struct tt_deps){.known = 1} : values;
    case COUPLING_TERM:
        return init ? values : all;
    case COUPLING_RESIDUAL:
    case COUPLING_TERM_FIRST:
        return values;
    case COUPLING_RATE_RESIDUAL:
        if (b->is_plain) {
            all.port += s->n_value;
            all.n -= s->n_value;
        }
        return all;
    default:
        return (struct tt_deps){.known = 1};
    }
}

static void add_deps(struct building *b)
{
    struct tt_coupling_type *t = b->t;
    struct tt_deps *run = tt_arena_alloc(t->b.arena, b->n, sizeof(*run));
    struct tt_deps *init = tt_arena_alloc(t->b.arena, b->n, sizeof(*init));
    struct sides s = {tt_arena_alloc(t->b.arena, b->n, sizeof(*s.port)), 0, 0};

    if (!run || !init || !s.port) {
        b->failed = 1;
        return;
    }
    for (int rate = 0; rate < 2; rate++)
        for (uint32_t i = 0; i < b->n; i++)
            if (b->port[i].causality == TT_CAUS_INPUT &&
                t->is[i].role == (rate ? COUPLING_RATE : COUPLING_VALUE)) {
                s.port[s.n++] = i;
                s.n_value += !rate;
            }
    for (uint32_t i = 0; i < b->n; i++)
        if (b->port[i].causality == TT_CAUS_OUTPUT) {
            run[i] = deps_of(b, &s, t->is[i].role, 0);
            init[i] = deps_of(b, &s, t->is[i].role, 1);
        }
    t->b.base.desc.run = run;
    t->b.base.desc.init = init;
}

/* --- the constraint ------------------------------------------------------- */

struct measures {
    const struct tt_desc *d;
    const struct tt_quantity *const *fed;
};

/* Every name is a variable, and what it is connected to is a Float64. */
static int find(void *ctx, const char *name, struct tt_expr_variable *v)
{
    const struct measures *m = ctx;
    uint32_t port = m->fed ? tt_desc_find(m->d, name) : TT_NONE;

    if (port != TT_NONE)
        v->unit = tt_quantity_measure(m->fed[port]);
    return 0;
}

enum tt_code tt_coupling_compile(tt_expr *e, const struct tt_coupling_type *t,
                                 const struct tt_quantity *const *fed,
                                 tt_arena *arena, tt_err *err)
{
    struct measures m = {&t->b.base.desc, fed};
    const struct tt_expr_scope scope = {
        .offers = TT_EXPR_WITH_DER | TT_EXPR_WITH_T | TT_EXPR_EQUATION,
        .ctx = &m,
        .find = find};
    const char *text = t->b.base.desc.expression;

    return tt_expr_compile(e, text ? text : PLAIN, &scope, arena, err);
}

static enum tt_code compile(struct building *b, tt_err *err)
{
    tt_expr *e = &b->t->e;
    enum tt_code rc = tt_coupling_compile(e, b->t, NULL, b->t->b.arena, err);

    if (rc != TT_OK)
        return rc;
    if (e->kind != TT_EXPR_NUMBER)
        return tt_fail(err, TT_EINPUT,
                       "a constraint is a number that is to be 0, or an "
                       "equation, and this is %s",
                       tt_expr_kind_name(e->kind));
    if (!e->n_ref)
        return tt_fail(err, TT_EINPUT, "there is no variable in it");
    for (uint32_t i = 0; i < e->n_ref; i++)
        b->is_rate |= e->ref[i].form == TT_EXPR_DER;
    return TT_OK;
}

static enum tt_code describe(struct building *b, tt_err *err)
{
    size_t n_ref = b->t->e.n_ref, most = COUPLING_ROLES + 5 * n_ref;
    struct tt_coupling_type *t = b->t;

    if (!TT_NEW_IN(t->b.arena, t->ref, n_ref) ||
        !TT_NEW_IN(t->b.arena, t->is, most) ||
        !TT_NEW_IN(t->b.arena, b->port, most))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    add_ports(b);
    add_deps(b);
    if (b->failed)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    if (b->twice)
        return tt_fail(err, TT_EINPUT,
                       "'%s' is a port of every coupling: call the variable "
                       "something else",
                       b->twice);
    t->b.base.desc.port = b->port;
    t->b.base.desc.n_port = b->n;
    return TT_OK;
}

enum tt_code tt_coupling_read(struct tt_builtin_type *t,
                              const struct tt_source *s, tt_err *err)
{
    const char *constraint = s->path + strlen(TT_COUPLING_SOURCE);
    struct building b = {.t = (struct tt_coupling_type *)(void *)t};
    enum tt_code rc;

    constraint += *constraint == ':';
    constraint += strspn(constraint, " ");
    b.is_plain = !*constraint;
    t->base.desc.model = "coupling";
    if (*constraint)
        t->base.desc.expression = tt_arena_strdup(t->arena, constraint);
    rc = *constraint && !t->base.desc.expression
             ? tt_fail(err, TT_ENOMEM, "out of memory")
             : compile(&b, err);
    if (rc == TT_OK)
        rc = describe(&b, err);
    return rc == TT_OK ? rc
                       : tt_context(err, rc, "constraint '%.200s'", constraint);
}
