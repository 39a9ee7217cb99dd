/* SPDX-License-Identifier: MIT */
/* An inner unit begins anew (thesis, 7.2.3.7): its state is kept, it is reset
 * and initialised, and gets its state back, or start values. A reset forgets
 * what registers hold, so they go through bytes; this is the one thing of
 * control rules that allocates. */
#include <string.h>

#include "adapt/adapt_impl.h"

struct restart {
    tt_unit *u;
    char *value; /* owned: of each parameter, one after the other */
    struct tt_bytes state[TT_UNIT_STATES];
    uint64_t saved;
    uint32_t n_state;
};

static int is_kept(const struct tt_port *p)
{
    return p->causality == TT_CAUS_PARAMETER && !p->hidden;
}

static size_t parameter_bytes(const struct tt_desc *d)
{
    size_t n = 1;

    for (uint32_t i = 0; i < d->n_port; i++)
        n += is_kept(&d->port[i]) ? tt_port_size(&d->port[i]) : 0;
    return n;
}

typedef enum tt_code (*move_fn)(tt_unit *u, const struct tt_span *s,
                                tt_err *err);

static enum tt_code parameters(struct restart *r, move_fn move, tt_err *err)
{
    const struct tt_desc *d = r->u->desc;
    char *v = r->value;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < d->n_port && rc == TT_OK; i++) {
        if (!is_kept(&d->port[i]))
            continue;
        rc = move(r->u, &(struct tt_span){&i, 1, v}, err);
        v += tt_port_size(&d->port[i]);
    }
    return rc;
}

static enum tt_code pack_all(struct restart *r, uint32_t reg, tt_err *err)
{
    enum tt_code rc = tt_unit_save(r->u, reg, err);

    r->saved = r->u->saved;
    r->n_state = r->u->n_state;
    for (uint32_t i = 0; i < r->n_state && rc == TT_OK; i++)
        if (r->saved & (UINT64_C(1) << i))
            rc = tt_unit_pack(r->u, i, &r->state[i], err);
    return rc;
}

static enum tt_code unpack_all(struct restart *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < r->n_state && rc == TT_OK; i++)
        if (r->saved & (UINT64_C(1) << i))
            rc = tt_unit_unpack(r->u, i, &r->state[i], err);
    return rc;
}

static enum tt_code begin_anew(const struct sa_machine *m, struct restart *r,
                               const struct sa_op *o, tt_err *err)
{
    struct tt_experiment e = m->experiment;
    enum tt_code rc;

    e.start = r->u->now;
    rc = tt_unit_reset(r->u, err);
    if (rc == TT_OK)
        rc = parameters(r, tt_unit_set, err);
    for (uint32_t i = 0; i < o->to && rc == TT_OK; i++) {
        const struct sa_give *g = &m->code->give[o->other + i];
        double v = sa_value(m, g->e);
        union {
            double f64;
            float f32;
        } as = {.f64 = v};

        if (r->u->desc->port[g->port].type == TT_F32)
            as.f32 = (float)v;
        rc = tt_unit_set(r->u, &(struct tt_span){&g->port, 1, &as}, err);
    }
    if (rc == TT_OK)
        rc = tt_unit_configure(r->u, err);
    return rc == TT_OK ? tt_unit_enter_init(r->u, &e, err) : rc;
}

static enum tt_code restart(struct sa_machine *m, struct sa_live *l,
                            struct restart *r, const struct sa_op *o,
                            tt_err *err)
{
    enum tt_code rc = parameters(r, tt_unit_get, err);

    if (rc == TT_OK)
        rc = pack_all(r, m->reg, err);
    if (rc == TT_OK)
        rc = begin_anew(m, r, o, err);
    l->bound = 0;
    if (rc == TT_OK)
        rc = sa_live_set(m, l, 0, err);
    if (rc == TT_OK)
        rc = tt_unit_exit_init(r->u, err);
    if (rc == TT_OK)
        rc = tt_unit_prepare(r->u, r->n_state, err);
    if (rc == TT_OK)
        rc = unpack_all(r, err);
    if (rc == TT_OK && !o->to)
        rc = tt_unit_restore(r->u, m->reg, err);
    return rc == TT_OK ? sa_live_bind(l, err) : rc;
}

enum tt_code sa_live_restart(struct sa_machine *m, struct sa_live *l,
                             const struct sa_op *o, tt_err *err)
{
    struct restart r = {.u = l->u};
    enum tt_code rc;

    r.value = tt_zalloc(parameter_bytes(l->u->desc), 1);
    rc = r.value ? restart(m, l, &r, o, err) : tt_nomem(err, m->instance);
    for (uint32_t i = 0; i < TT_UNIT_STATES; i++)
        tt_free(r.state[i].data);
    tt_free(r.value);
    return rc;
}
