/* SPDX-License-Identifier: MIT */
#include "unit/sleeper.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "unit/unit_impl.h"

struct state {
    int32_t awake;
    int32_t stepped; /* it was awake in its last step */
    int32_t begun;   /* it has left initialisation mode */
    int32_t unused;
    double offset; /* the time outside minus its own */
};

struct sleeper {
    tt_unit base;
    struct tt_desc desc;
    struct tt_port *port; /* owned: desc.port */
    struct state is;
    int awake;                     /* at the start */
    struct tt_sleeper_start start; /* what it refers to is borrowed */
    double *value;                 /* owned: the start values given */
    struct state *kept;            /* owned, per register */
    uint32_t n_kept;
};

static struct sleeper *sleeper_of(tt_unit *u)
{
    return (struct sleeper *)(void *)u;
}

const char *tt_sleeper_refused(const struct tt_desc *of)
{
    return of->caps.discrete   ? "it changes at events only"
           : of->caps.clocks   ? "it has clocks"
           : of->caps.implicit ? "it is a coupling"
                               : NULL;
}

void tt_sleeper_describe(struct tt_desc *d, struct tt_port *port,
                         const struct tt_desc *of,
                         const struct tt_sleeper_start *start)
{
    static const struct tt_port awake = {.name = "awake",
                                         .type = TT_I32,
                                         .causality = TT_CAUS_INPUT,
                                         .variability = TT_VAR_DISCRETE,
                                         .n = 1,
                                         .min = 0,
                                         .max = 1,
                                         .nominal = 1,
                                         .derivative_of = TT_NONE,
                                         .hidden = 1};

    *d = *of;
    d->port = port;
    d->n_port = of->n_port + 1 + start->n;
    d->caps.course_order = d->caps.rate_order = 0;
    d->caps.directional = d->caps.joins = 0;
    d->caps.event_mode = d->caps.early_return = 0;
    for (uint32_t i = 0; i < of->n_port; i++) {
        port[i] = of->port[i];
        port[i].course_ok = port[i].trail_ok = 0;
    }
    port += of->n_port;
    for (uint32_t i = 0; i <= start->n; i++)
        port[i] = awake;
    for (uint32_t i = 0; i < start->n; i++) {
        port[i + 1].name = start->name[i];
        port[i + 1].type = TT_F64;
        port[i + 1].min = -(double)INFINITY;
        port[i + 1].max = (double)INFINITY;
    }
}

/* Where the added ports begin. */
static uint32_t own_of(const struct sleeper *w)
{
    return w->desc.n_port - 1 - w->start.n;
}

/* --- life ----------------------------------------------------------------- */

static enum tt_code give_start(struct sleeper *w, uint32_t i, tt_err *err)
{
    const struct tt_port *p = &w->port[w->start.port[i]];
    uint64_t value = 0;
    char text[TT_NUM_MAX];

    if (tt_value_from_double(p->type, &value, w->value[i]) == 0)
        return tt_unit_set(w->base.inner,
                           &(struct tt_span){&w->start.port[i], 1, &value},
                           err);
    tt_num_print_short(text, w->value[i]);
    return tt_fail(err, TT_EINPUT, "'%s' is %s and cannot begin with %s",
                   p->name, tt_type_name(p->type), text);
}

/* While it is woken by initialising it has what the scenario gives. */
static enum tt_code begin(struct sleeper *w, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (w->is.begun || !w->is.awake)
        return TT_OK;
    for (uint32_t i = 0; i < w->start.n && rc == TT_OK && !w->awake; i++)
        rc = give_start(w, i, err);
    if (rc == TT_OK)
        rc = tt_unit_exit_init(w->base.inner, err);
    if (rc == TT_OK && w->base.prepared)
        rc = tt_unit_prepare(w->base.inner, w->n_kept, err);
    w->is.begun = rc == TT_OK;
    return rc;
}

static enum tt_code sleeper_exit_init(tt_unit *u, tt_err *err)
{
    return begin(sleeper_of(u), err);
}

static enum tt_code sleeper_prepare(tt_unit *u, uint32_t n, tt_err *err)
{
    struct sleeper *w = sleeper_of(u);

    tt_free(w->kept);
    w->n_kept = n;
    if (!TT_NEW_ARRAY(w->kept, (size_t)n + 1))
        return tt_fail(err, TT_ENOMEM, "room for states");
    return w->is.begun ? tt_unit_prepare(u->inner, n, err) : TT_OK;
}

static enum tt_code sleeper_configure(tt_unit *u, tt_err *err)
{
    struct sleeper *w = sleeper_of(u);
    enum tt_code rc = tt_fwd_configure(u, err);

    if (rc == TT_OK)
        tt_sleeper_describe(&w->desc, w->port, u->inner->desc, &w->start);
    return rc;
}

static enum tt_code sleeper_reset(tt_unit *u, tt_err *err)
{
    sleeper_of(u)->is = (struct state){.awake = sleeper_of(u)->awake};
    return tt_fwd_reset(u, err);
}

static enum tt_code sleeper_end(tt_unit *u, tt_err *err)
{
    return sleeper_of(u)->is.begun ? tt_fwd_end(u, err) : TT_OK;
}

static void sleeper_free(tt_unit *u)
{
    TT_FREE_ALL(sleeper_of(u)->port, sleeper_of(u)->kept, sleeper_of(u)->value);
    tt_fwd_free(u);
}

/* --- values --------------------------------------------------------------- */

static void move_own(struct sleeper *w, uint32_t own, void *value, int setting)
{
    void *is = own ? (void *)&w->value[own - 1] : (void *)&w->is.awake;
    size_t size = own ? sizeof(double) : sizeof(w->is.awake);

    if (setting)
        memcpy(is, value, size);
    else
        memcpy(value, is, size);
}

static enum tt_code move(tt_unit *u, const struct tt_span *s, int setting,
                         tt_err *err)
{
    struct sleeper *w = sleeper_of(u);
    char *value = s->value;
    enum tt_code rc = TT_OK;
    size_t own = 0;

    while (own < s->n && s->port[own] < own_of(w))
        own++;
    if (own == s->n)
        return setting ? tt_fwd_set(u, s, err) : tt_fwd_get(u, s, err);
    for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
        struct tt_span one = {&s->port[i], 1, value};

        if (s->port[i] >= own_of(w))
            move_own(w, s->port[i] - own_of(w), value, setting);
        else
            rc = setting ? tt_fwd_set(u, &one, err) : tt_fwd_get(u, &one, err);
        value += tt_port_size(&w->port[s->port[i]]);
    }
    return rc;
}

static enum tt_code sleeper_get(tt_unit *u, const struct tt_span *s,
                                tt_err *err)
{
    enum tt_code rc =
        u->life >= TT_LIFE_READY ? begin(sleeper_of(u), err) : TT_OK;

    return rc == TT_OK ? move(u, s, 0, err) : rc;
}

static enum tt_code sleeper_set(tt_unit *u, const struct tt_span *s,
                                tt_err *err)
{
    return move(u, s, 1, err);
}

/* --- time ----------------------------------------------------------------- */

static enum tt_code sleeper_step(tt_unit *u, const struct tt_step *s,
                                 struct tt_stepped *r, tt_err *err)
{
    struct sleeper *w = sleeper_of(u);
    struct tt_step own = *s;
    enum tt_code rc = begin(w, err);

    if (rc == TT_OK && w->is.awake && !w->is.stepped)
        w->is.offset = u->now - u->inner->now;
    w->is.stepped = w->is.awake;
    if (rc != TT_OK || !w->is.awake)
        return rc;
    own.to -= w->is.offset;
    r->reached = own.to;
    rc = tt_uc_settle(u->inner, TT_UC_STEP,
                      tt_uc_advance(u->inner, &own, r, err), err);
    r->reached = r->reached == own.to ? s->to : r->reached + w->is.offset;
    return rc;
}

static enum tt_code sleeper_max_step(tt_unit *u, double *h, tt_err *err)
{
    if (sleeper_of(u)->is.awake && sleeper_of(u)->is.begun)
        return tt_fwd_max_step(u, h, err);
    *h = (double)INFINITY;
    return TT_OK;
}

/* --- states --------------------------------------------------------------- */

static enum tt_code sleeper_save(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct sleeper *w = sleeper_of(u);
    enum tt_code rc = begin(w, err);

    if (rc == TT_OK && w->is.begun)
        rc = tt_fwd_save(u, reg, err);
    w->kept[reg] = w->is;
    return rc;
}

static enum tt_code sleeper_restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct sleeper *w = sleeper_of(u);

    if (w->is.begun && !w->kept[reg].begun)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "there is no way back behind the switch to it");
    w->is = w->kept[reg];
    return w->is.begun ? tt_fwd_restore(u, reg, err) : TT_OK;
}

static enum tt_code sleeper_pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                                 tt_err *err)
{
    const struct sleeper *w = sleeper_of(u);
    struct tt_bytes inner = {0};
    enum tt_code rc =
        w->kept[reg].begun ? tt_fwd_pack(u, reg, &inner, err) : TT_OK;

    if (rc != TT_OK)
        return rc;
    b->n = sizeof(w->is) + inner.n;
    b->data = tt_alloc(b->n);
    if (b->data) {
        memcpy(b->data, &w->kept[reg], sizeof(w->is));
        if (inner.n)
            memcpy((char *)b->data + sizeof(w->is), inner.data, inner.n);
    }
    tt_free(inner.data);
    return b->data ? TT_OK : tt_fail(err, TT_ENOMEM, "packing a state");
}

static enum tt_code sleeper_unpack(tt_unit *u, uint32_t reg,
                                   const struct tt_bytes *b, tt_err *err)
{
    struct sleeper *w = sleeper_of(u);
    struct tt_bytes inner = {.n = b->n - sizeof(w->is)};
    struct state is;
    enum tt_code rc;

    if (b->n < sizeof(is))
        return tt_fail(err, TT_EINPUT, "the state is of something else");
    memcpy(&is, b->data, sizeof(is));
    w->kept[reg] = is;
    if (!is.begun)
        return TT_OK;
    w->is.awake = 1;
    rc = begin(w, err);
    inner.data = (char *)b->data + sizeof(is);
    return rc == TT_OK ? tt_fwd_unpack(u, reg, &inner, err) : rc;
}

static enum tt_code sleeper_packable(tt_unit *u, tt_err *err)
{
    return sleeper_of(u)->is.begun ? tt_fwd_packable(u, err) : TT_OK;
}

/* --- making --------------------------------------------------------------- */

static const struct tt_unit_ops sleeper_ops = {
    TT_HOOKS(sleeper_, configure, exit_init, prepare, end, reset, get, set,
             step, max_step, save, restore, pack, unpack, packable, free),
    .enter_init = tt_fwd_enter_init};

enum tt_code tt_sleeper_new(tt_unit **out, tt_unit *inner, int awake,
                            const struct tt_sleeper_start *start,
                            const struct tt_make *m, tt_err *err)
{
    struct sleeper *w;
    enum tt_code rc;

    if (!TT_NEW(w)) {
        tt_unit_free(inner);
        return tt_fail(err, TT_ENOMEM, "instance '%s': out of memory", m->name);
    }
    w->is.awake = w->awake = awake;
    w->start = *start;
    if (TT_NEW_ARRAY(w->value, (size_t)start->n + 1) &&
        TT_NEW_ARRAY(w->port, (size_t)inner->desc->n_port + 1 + start->n))
        tt_sleeper_describe(&w->desc, w->port, inner->desc, start);
    rc = w->port ? tt_unit_init(&w->base, &sleeper_ops, &w->desc, m, err)
                 : tt_fail(err, TT_ENOMEM, "instance '%s': %u ports", m->name,
                           inner->desc->n_port);
    tt_unit_wrap(&w->base, inner, inner->kind);
    if (rc == TT_OK)
        *out = &w->base;
    else
        sleeper_free(&w->base);
    return rc;
}
