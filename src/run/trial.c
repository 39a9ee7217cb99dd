/* SPDX-License-Identifier: MIT */
#include "run/trial.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

#define STEPS 4 /* three make the longer way, one follows */
#define NUDGE 0.01

struct bench {
    const struct tt_trial *t;
    tt_unit *u; /* owned: the spare one */
    const struct tt_desc *d;
    double h;             /* the trial's, or the longest it accepts */
    size_t size;          /* of the outputs' values */
    char *row[STEPS + 1]; /* owned: outputs at the start, after each step */
    char *again;          /* owned: the same, when a step is repeated */
    char *why;
    tt_err err;
    int partial; /* a step was rejected, or ended early */
};

/* --- values -------------------------------------------------------------- */

static int is_seen(const struct tt_port *p)
{
    return p->causality == TT_CAUS_OUTPUT && p->type != TT_CLOCK && !p->clock;
}

static size_t room_of(const struct tt_port *p)
{
    return (tt_port_size(p) + 7) / 8 * 8;
}

static enum tt_code read_outputs(struct bench *b, char *to)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < b->d->n_port && rc == TT_OK; i++) {
        struct tt_span s = {.port = &i, .n = 1, .value = to};

        if (!is_seen(&b->d->port[i]))
            continue;
        rc = tt_unit_get(b->u, &s, &b->err);
        to += room_of(&b->d->port[i]);
    }
    return rc;
}

/* The last value given for a port, or the one it declares. */
static const void *start_of(const struct bench *b, uint32_t port)
{
    const void *v = b->d->port[port].start;

    for (uint32_t i = 0; i < b->t->n_start; i++)
        if (b->t->start[i].unit == b->t->unit && b->t->start[i].port == port)
            v = b->t->start[i].value;
    return v;
}

/* An input that moves a little, so that there is something to forget. */
static enum tt_code nudge(struct bench *b, uint32_t port, int step)
{
    const struct tt_port *p = &b->d->port[port];
    const double *start = start_of(b, port);
    double *v = tt_zalloc(p->n, sizeof(*v));
    struct tt_span s = {.port = &port, .n = 1, .value = v};
    enum tt_code rc;

    if (!v)
        return TT_ENOMEM;
    for (uint32_t i = 0; i < p->n; i++) {
        double at = start ? start[i] : 0;
        double size = at != 0 ? fabs(at) : fabs(p->nominal);

        v[i] = fmin(fmax(at + NUDGE * step * size, p->min), p->max);
    }
    rc = tt_unit_set(b->u, &s, &b->err);
    tt_free(v);
    return rc;
}

static enum tt_code nudge_inputs(struct bench *b, int step)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < b->d->n_port && rc == TT_OK; i++)
        if (b->d->port[i].causality == TT_CAUS_INPUT &&
            b->d->port[i].type == TT_F64 &&
            b->d->port[i].variability == TT_VAR_CONTINUOUS)
            rc = nudge(b, i, step);
    return rc;
}

/* --- comparing ----------------------------------------------------------- */

/* Solvers that begin anew after going back differ by their tolerance, which is
 * little of what a step changes; one that goes on from elsewhere is a whole
 * step off. */
#define OF_RANGE 0.01
#define OF_SIZE  1e-9

static int numbers_differ(const struct bench *b, const struct tt_port *p,
                          size_t at, const char *again, int step)
{
    double lo = (double)INFINITY, hi = -(double)INFINITY, v, w;

    for (int i = 0; i <= step; i++) {
        v = tt_value_as_double(p->type, b->row[i] + at);
        lo = fmin(lo, v);
        hi = fmax(hi, v);
    }
    w = tt_value_as_double(p->type, again + at);
    if (v == w || (isnan(v) && isnan(w)))
        return 0;
    return !(fabs(v - w) <=
             OF_RANGE * (hi - lo) + OF_SIZE * fmax(fabs(lo), fabs(hi)));
}

static int element_differs(const struct bench *b, const struct tt_port *p,
                           size_t at, int step)
{
    if (tt_type_is_float(p->type))
        return numbers_differ(b, p, at, b->again, step);
    return !tt_values_same(p->type, 1, b->row[step] + at, b->again + at);
}

static void put_difference(const struct bench *b, const struct tt_port *p,
                           size_t at, int step, int way)
{
    char is[TT_TEXT_MAX], was[TT_TEXT_MAX], t[TT_NUM_MAX];

    tt_value_print(was, p->type, b->row[step] + at);
    tt_value_print(is, p->type, b->again + at);
    tt_num_print_short(t, b->t->experiment.start + step * b->h);
    (void)snprintf(b->why, TT_TRIAL_WHY,
                   "repeated after a rollback of %d step%s, '%.100s' is %.80s "
                   "instead of %.80s at t=%s",
                   way, way == 1 ? "" : "s", p->name, is, was, t);
}

/* Is what came out the second time what came out the first time? `way`: from
 * how many steps further it came back. */
static int is_same(struct bench *b, int step, int way)
{
    size_t port_at = 0;

    for (uint32_t i = 0; i < b->d->n_port; i++) {
        const struct tt_port *p = &b->d->port[i];
        size_t one = tt_type_size(p->type);

        if (!is_seen(p))
            continue;
        for (uint32_t e = 0; e < p->n; e++)
            if (element_differs(b, p, port_at + e * one, step)) {
                put_difference(b, p, port_at + e * one, step, way);
                return 0;
            }
        port_at += room_of(p);
    }
    return 1;
}

/* --- steps --------------------------------------------------------------- */

/* Step number `step`, counted from 1, and the outputs after it. */
static enum tt_code make_step(struct bench *b, int step, char *to)
{
    double t0 = b->t->experiment.start;
    struct tt_step s = {.to = t0 + step * b->h, .h = b->h, .may_restore = 1};
    struct tt_stepped r;
    enum tt_code rc = nudge_inputs(b, step);

    if (rc == TT_OK)
        rc = tt_unit_step(b->u, &s, &r, &b->err);
    if (rc == TT_OK &&
        (r.flags & (TT_STEP_REJECT | TT_STEP_EARLY | TT_STEP_TERMINATE)))
        b->partial = 1;
    if (b->partial)
        return tt_fail(&b->err, TT_ESTATE, "the step was not made whole");
    return rc == TT_OK ? read_outputs(b, to) : rc;
}

static enum tt_trial_verdict refuse(struct bench *b, const char *what)
{
    (void)snprintf(b->why, TT_TRIAL_WHY, "%s: %.300s", what, b->err.msg);
    return TT_TRIAL_FAILS;
}

/* Back to register `reg`, saved before step `first`, and the `n` steps from
 * there again; they were made from `way` steps further. */
static enum tt_trial_verdict repeat(struct bench *b, uint32_t reg, int first,
                                    int n, int way)
{
    if (tt_unit_restore(b->u, reg, &b->err) != TT_OK)
        return refuse(b, "the rollback fails");
    for (int i = first; i < first + n; i++) {
        if (make_step(b, i, b->again) != TT_OK)
            return b->partial
                       ? TT_TRIAL_OPEN /* to reject a step is its right */
                       : refuse(b, "a step that was made is not made again");
        if (!is_same(b, i, way))
            return TT_TRIAL_CANNOT;
    }
    return TT_TRIAL_CAN;
}

static enum tt_trial_verdict go_and_return(struct bench *b)
{
    enum tt_trial_verdict v;

    if (tt_unit_save(b->u, 0, &b->err) != TT_OK)
        return refuse(b, "saving fails");
    if (make_step(b, 1, b->row[1]) != TT_OK)
        return TT_TRIAL_OPEN;
    v = repeat(b, 0, 1, 1, 1);
    for (int i = 2; i < STEPS && v == TT_TRIAL_CAN; i++)
        if (make_step(b, i, b->row[i]) != TT_OK)
            return TT_TRIAL_CAN; /* as far as it went */
    if (v == TT_TRIAL_CAN)
        v = repeat(b, 0, 1, STEPS - 1, STEPS - 1);
    if (v != TT_TRIAL_CAN)
        return v;
    if (tt_unit_save(b->u, 1, &b->err) != TT_OK)
        return refuse(b, "saving a second time fails");
    if (make_step(b, STEPS, b->row[STEPS]) != TT_OK)
        return v;
    return repeat(b, 1, STEPS, 1, 1);
}

/* --- a spare instance ---------------------------------------------------- */

/* Structural parameters, or all others. */
static enum tt_code set_starts(struct bench *b, int structural)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < b->t->n_start && rc == TT_OK; i++) {
        const struct tt_start *s = &b->t->start[i];
        const struct tt_port *p;
        struct tt_span span = {.port = &s->port, .n = 1};
        size_t size;

        if (s->unit != b->t->unit)
            continue;
        p = &b->u->desc->port[s->port];
        if ((p->causality == TT_CAUS_STRUCTURAL) != structural)
            continue;
        size = tt_port_size(p);
        span.value = tt_alloc(size);
        if (!span.value)
            return TT_ENOMEM;
        memcpy(span.value, s->value, size);
        rc = tt_unit_set(b->u, &span, &b->err);
        tt_free(span.value);
    }
    return rc;
}

static enum tt_code choose_step(struct bench *b)
{
    double most;
    enum tt_code rc = tt_unit_max_step(b->u, &most, &b->err);

    b->h = rc == TT_OK && most > 0 ? fmin(b->t->h, most) : b->t->h;
    return rc;
}

static enum tt_code begin(struct bench *b)
{
    struct tt_make m = {.name = "trial",
                        .instance = b->t->instance,
                        .texts = b->t->texts,
                        .experiment = &b->t->experiment};
    enum tt_code rc =
        tt_isolate_make(&b->u, b->t->type, &m, &b->t->how, &b->err);

    if (rc == TT_OK)
        rc = set_starts(b, 1);
    if (rc == TT_OK)
        rc = tt_unit_configure(b->u, &b->err);
    b->d = rc == TT_OK ? b->u->desc : NULL; /* sizes are final now */
    if (rc == TT_OK)
        rc = set_starts(b, 0);
    if (rc == TT_OK)
        rc = tt_unit_enter_init(b->u, &b->t->experiment, &b->err);
    if (rc == TT_OK)
        rc = tt_unit_exit_init(b->u, &b->err);
    if (rc == TT_OK)
        rc = tt_unit_prepare(b->u, 2, &b->err);
    return rc == TT_OK ? choose_step(b) : rc;
}

static enum tt_code make_room(struct bench *b)
{
    for (uint32_t i = 0; i < b->d->n_port; i++)
        b->size += is_seen(&b->d->port[i]) ? room_of(&b->d->port[i]) : 0;
    b->again = tt_zalloc(b->size + 1, 1);
    for (int i = 0; i <= STEPS; i++)
        b->row[i] = tt_zalloc(b->size + 1, 1);
    return b->again && b->row[STEPS] ? TT_OK : TT_ENOMEM;
}

/* A step after the state was packed; another instance makes it, too. */
static enum tt_trial_verdict go_and_hand_over(struct bench *b)
{
    struct tt_bytes packed = {NULL, 0};
    enum tt_trial_verdict v = TT_TRIAL_CAN;

    for (int i = 1; i < STEPS; i++)
        if (make_step(b, i, b->row[i]) != TT_OK)
            return TT_TRIAL_OPEN;
    if (tt_unit_save(b->u, 0, &b->err) != TT_OK)
        return refuse(b, "saving fails");
    if (tt_unit_pack(b->u, 0, &packed, &b->err) != TT_OK)
        return refuse(b, "packing fails");
    if (make_step(b, STEPS, b->row[STEPS]) != TT_OK)
        v = TT_TRIAL_OPEN;
    tt_unit_free(b->u);
    b->u = NULL;
    if (v == TT_TRIAL_CAN && begin(b) != TT_OK)
        v = TT_TRIAL_OPEN;
    if (v == TT_TRIAL_CAN && tt_unit_unpack(b->u, 0, &packed, &b->err) != TT_OK)
        v = refuse(b, "another instance does not take its packed state");
    tt_free(packed.data);
    return v == TT_TRIAL_CAN ? repeat(b, 0, STEPS, 1, 1) : v;
}

static enum tt_trial_verdict try(const struct tt_trial *t, char *why,
                                 enum tt_trial_verdict (*way)(struct bench *b))
{
    struct bench b = {.t = t, .d = &t->type->desc, .why = why};
    int max_step = t->type->desc.caps.max_step;
    enum tt_trial_verdict v = TT_TRIAL_OPEN;

    why[0] = '\0';
    if (!b.d->caps.save || !(t->h > 0) || isinf(t->h))
        return v;
    if (begin(&b) == TT_OK && make_room(&b) == TT_OK &&
        read_outputs(&b, b.row[0]) == TT_OK)
        v = way(&b);
    tt_unit_free(b.u);
    t->type->desc.caps.max_step = max_step; /* the real ones will report */
    for (int i = 0; i <= STEPS; i++)
        tt_free(b.row[i]);
    tt_free(b.again);
    return v;
}

enum tt_trial_verdict tt_trial(const struct tt_trial *t, char *why)
{
    return try(t, why, go_and_return);
}

enum tt_trial_verdict tt_trial_pack(const struct tt_trial *t, char *why)
{
    return try(t, why, go_and_hand_over);
}
