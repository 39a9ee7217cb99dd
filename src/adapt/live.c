/* SPDX-License-Identifier: MIT */
/* An inner unit at work: values between slots and its ports, and its steps.
 * While it begins by checked calls, later by bound ones. */
#include <math.h>

#include "adapt/adapt_impl.h"
#include "base/lists.h"
#include "base/num.h"

/* --- making ---------------------------------------------------------------
 */

static int is_read(const struct sa_code *c, uint32_t slot)
{
    if (tt_list_has(c->ref, c->n_ref, slot))
        return 1;
    for (uint32_t i = 0; i < c->n_wire; i++)
        if (c->wire[i].from == slot)
            return 1;
    return 0;
}

static int is_moved(const struct sa_code *c, const struct sa_sym *s,
                    uint32_t inner, enum sa_sym_kind kind)
{
    return s->kind == kind && s->inner == inner && s->kept == TT_NONE &&
           (kind == SA_SYM_INNER_IN ? s->set : is_read(c, s->slot));
}

static int make_batch(struct sa_batch *b, enum tt_type type, size_t most)
{
    b->type = type;
    return TT_NEW_ARRAY(b->slot, most) && TT_NEW_ARRAY(b->port, most) &&
                   (b->value = tt_zalloc(most, sizeof(uint64_t)))
               ? 0
               : -1;
}

/* The batch of this type, perhaps a new one. */
static struct sa_batch *batch_of(struct sa_batch *b, uint32_t *n,
                                 enum tt_type type, size_t most)
{
    uint32_t i = 0;

    while (i < *n && b[i].type != type)
        i++;
    if (i < *n)
        return &b[i];
    ++*n;
    return make_batch(&b[i], type, most) == 0 ? &b[i] : NULL;
}

static int make_batches(struct sa_batch **out, uint32_t *n,
                        const struct sa_live *l, const struct sa_code *c,
                        uint32_t inner, enum sa_sym_kind kind)
{
    size_t most = 0;

    for (size_t i = 0; i < c->n_sym; i++)
        most += (size_t)is_moved(c, &c->sym[i], inner, kind);
    if (!TT_NEW_ARRAY(*out, most + 1))
        return -1;
    for (size_t i = 0; i < c->n_sym; i++) {
        const struct sa_sym *s = &c->sym[i];
        struct sa_batch *b;

        if (!is_moved(c, s, inner, kind))
            continue;
        b = batch_of(*out, n, l->u->desc->port[s->port].type, most);
        if (!b)
            return -1;
        b->slot[b->n] = s->slot;
        b->port[b->n++] = s->port;
    }
    return 0;
}

int sa_live_make(struct sa_live *l, const struct sa_code *c, uint32_t inner)
{
    return make_batches(&l->in, &l->n_in, l, c, inner, SA_SYM_INNER_IN) |
           make_batches(&l->out, &l->n_out, l, c, inner, SA_SYM_INNER_OUT) |
           sa_events_make(l, c, inner);
}

static void fini_batches(struct sa_batch *b, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        TT_FREE_ALL(b[i].slot, b[i].port, b[i].value);
    tt_free(b);
}

void sa_live_fini(struct sa_live *l)
{
    tt_unit_free(l->u);
    fini_batches(l->in, l->n_in);
    fini_batches(l->out, l->n_out);
    tt_free(l->event);
}

static struct tt_span span_of(const struct sa_batch *b)
{
    return (struct tt_span){b->port, b->n, b->value};
}

static enum tt_code bind_batches(tt_unit *u, enum tt_verb verb,
                                 struct sa_batch *b, uint32_t n, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        struct tt_span s = span_of(&b[i]);

        rc = tt_unit_bind(u, verb, &s, &b[i].call, err);
    }
    return rc;
}

enum tt_code sa_live_bind(struct sa_live *l, tt_err *err)
{
    enum tt_code rc = TT_OK;

    l->bound = 1;
    if (l->step.what) /* before a reset */
        return TT_OK;
    rc = bind_batches(l->u, TT_VERB_SET, l->in, l->n_in, err);
    if (rc == TT_OK)
        rc = bind_batches(l->u, TT_VERB_GET, l->out, l->n_out, err);
    if (rc == TT_OK)
        rc = tt_unit_bind(l->u, TT_VERB_STEP, NULL, &l->step, err);
    l->step.from = TT_T0;
    l->step.to = TT_T1;
    return rc;
}

/* --- values ---------------------------------------------------------------
 */

enum tt_code sa_live_no_fit(const struct sa_live *l, uint32_t port, double v,
                            tt_err *err)
{
    const struct tt_port *p = &l->u->desc->port[port];
    char text[TT_NUM_MAX];

    tt_num_print_short(text, v);
    return tt_fail(err, TT_EINPUT, "input '%s' is %s and cannot be %s", p->name,
                   tt_type_name(p->type), text);
}

static enum tt_code made(struct sa_machine *m, const struct sa_live *l,
                         const struct tt_call *c, tt_err *err)
{
    return TT_LIKELY(tt_call_make(c, &m->now) == TT_CALL_OK)
               ? TT_OK
               : tt_unit_explain(l->u, c, &m->now, err);
}

/* Numbers of the usual type are as they are in the slots. */
static enum tt_code put(const struct sa_machine *m, const struct sa_live *l,
                        const struct sa_batch *b, uint32_t shift, tt_err *err)
{
    double *plain = b->value;
    char *v = b->value;
    size_t size;

    if (TT_LIKELY(b->type == TT_F64)) {
        for (uint32_t i = 0; i < b->n; i++)
            plain[i] = m->slot[b->slot[i] + shift].f;
        return TT_OK;
    }
    size = tt_type_size(b->type);
    for (uint32_t i = 0; i < b->n; i++, v += size) {
        const union sa_slot *s = &m->slot[b->slot[i] + shift];
        double d = tt_type_is_bool(b->type) ? s->b : s->f;

        if (tt_value_from_double(b->type, v, d) != 0)
            return sa_live_no_fit(l, b->port[i], d, err);
    }
    return TT_OK;
}

static void take(const struct sa_machine *m, const struct sa_batch *b)
{
    const double *plain = b->value;
    const char *v = b->value;
    size_t size;

    if (TT_LIKELY(b->type == TT_F64)) {
        for (uint32_t i = 0; i < b->n; i++)
            m->slot[b->slot[i]].f = plain[i];
        return;
    }
    size = tt_type_size(b->type);
    for (uint32_t i = 0; i < b->n; i++, v += size) {
        double d = tt_value_as_double(b->type, v);

        if (tt_type_is_bool(b->type))
            m->slot[b->slot[i]].b = d != 0;
        else
            m->slot[b->slot[i]].f = d;
    }
}

enum tt_code sa_live_set(struct sa_machine *m, struct sa_live *l,
                         uint32_t shift, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (TT_UNLIKELY(l->n_event))
        sa_events_set(m, l, shift);
    for (uint32_t i = 0; i < l->n_in && rc == TT_OK; i++) {
        const struct sa_batch *b = &l->in[i];
        struct tt_span s = span_of(b);

        rc = put(m, l, b, shift, err);
        if (rc == TT_OK)
            rc = l->bound ? made(m, l, &b->call, err)
                          : tt_unit_set(l->u, &s, err);
    }
    return rc;
}

enum tt_code sa_live_get(struct sa_machine *m, struct sa_live *l, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (TT_UNLIKELY(l->n_event))
        sa_events_get(m, l);
    for (uint32_t i = 0; i < l->n_out && rc == TT_OK; i++) {
        const struct sa_batch *b = &l->out[i];
        struct tt_span s = span_of(b);

        rc = l->bound ? made(m, l, &b->call, err) : tt_unit_get(l->u, &s, err);
        if (rc == TT_OK)
            take(m, b);
    }
    return rc;
}

/* --- steps ----------------------------------------------------------------
 */

enum tt_code sa_live_step(struct sa_machine *m, struct sa_live *l, double to,
                          double h, struct tt_stepped *r, tt_err *err)
{
    enum tt_call_result got;

    if (TT_UNLIKELY(l->next != TT_NONE))
        return sa_events_step(m, l, to, r, err);
    m->now.t[TT_T0] = l->u->now;
    m->now.t[TT_T1] = to;
    m->now.h[TT_T1] = tt_h_within(l->u->now, h, m->experiment.end);
    got = tt_call_make(&l->step, &m->now);
    if (TT_UNLIKELY(got == TT_CALL_FAILED))
        return tt_unit_explain(l->u, &l->step, &m->now, err);
    *r = tt_unit_last(l->u);
    return TT_OK;
}

enum tt_code sa_live_max_step(const struct sa_machine *m,
                              const struct sa_live *l, double *h, tt_err *err)
{
    *h = (double)NAN;
    if (l->next != TT_NONE)
        *h = sa_events_next(m, l);
    else if (l->u->desc->caps.max_step)
        return tt_unit_max_step(l->u, h, err);
    return TT_OK;
}
