/* SPDX-License-Identifier: MIT */
/* Unit kind fmi2: values, derivatives of inputs and outputs, bound calls. */
#include "kinds/fmi2_impl.h"

#include <string.h>

static const struct tt_kfmi_calls *calls(const struct tt_k2_unit *u)
{
    return &u->k.type->version->calls;
}

/* --- one FMI call each --------------------------------------------------- */

TT_KFMI_BOUND(bound_get_real, double *v)
TT_KFMI_BOUND(bound_set_real, const double *v)
TT_KFMI_BOUND(bound_get_int, int *v)
TT_KFMI_BOUND(bound_set_int, const int *v)

#define ACCESS(get_fn, set_fn, member, words)                                  \
    TT_KFMI_ACCESS(2, get_fn, set_fn, member, words)

const struct tt_kfmi_access tt_k2_access[TT_TYPE_N] = {
    [TT_F64] = ACCESS(bound_get_real, bound_set_real, real, "Real"),
    [TT_I32] = ACCESS(bound_get_int, bound_set_int, integer, "Integer"),
    [TT_ENUM32] = ACCESS(bound_get_int, bound_set_int, integer, "Integer"),
    [TT_BOOL32] = ACCESS(bound_get_int, bound_set_int, boolean, "Boolean"),
    [TT_TEXT] = ACCESS(NULL, NULL, string, "String"),
};

/* --- cold path ---------------------------------------------------------- */

enum tt_code tt_k2_get_texts(struct tt_kfmi_unit *k, const struct tt_span *s,
                             const uint32_t *vr, tt_err *err)
{
    const struct tt_fmi2_fns *f = tt_k2_fns(tt_k2_unit(&k->base));
    struct tt_text *to = s->value;

    for (size_t i = 0; i < s->n; i += TT_KFMI_CHUNK) {
        const char *text[TT_KFMI_CHUNK] = {NULL};
        size_t n = s->n - i < TT_KFMI_CHUNK ? s->n - i : TT_KFMI_CHUNK;
        enum tt_code rc =
            tt_kfmi_check(k, tt_kfmi_call_name(k, TT_TEXT, 0),
                          f->get_string(k->comp, vr + i, n, text), err);

        if (rc != TT_OK)
            return rc;
        /* The pointers die at the next call into the FMU. */
        for (size_t j = 0; j < n && rc == TT_OK; j++)
            rc = tt_kfmi_take_text(k, s->port[i + j], &to[i + j], text[j], err);
        if (rc != TT_OK)
            return rc;
    }
    return TT_OK;
}

enum tt_code tt_k2_set_texts(struct tt_kfmi_unit *k, const struct tt_span *s,
                             const uint32_t *vr, tt_err *err)
{
    const struct tt_fmi2_fns *f = tt_k2_fns(tt_k2_unit(&k->base));
    const struct tt_text *from = s->value;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && i < s->n; i += TT_KFMI_CHUNK) {
        const char *text[TT_KFMI_CHUNK];
        size_t n = s->n - i < TT_KFMI_CHUNK ? s->n - i : TT_KFMI_CHUNK;

        for (size_t j = 0; j < n; j++) {
            text[j] = tt_text_data(k->base.texts, &from[i + j], err);
            if (!text[j])
                return TT_EUNSUPPORTED;
        }
        rc = tt_kfmi_check(k, tt_kfmi_call_name(k, TT_TEXT, 1),
                           f->set_string(k->comp, vr + i, n, text), err);
    }
    return rc;
}

static enum tt_code take_back(struct tt_k2_unit *u, const uint32_t *port,
                              size_t n, tt_err *err);

enum tt_code tt_k2_set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    enum tt_code rc = tt_kfmi_move(&u->k, s, 1, err);

    if (rc == TT_OK && u->n_sent && base->desc->port[s->port[0]].type == TT_F64)
        rc = take_back(u, s->port, s->n, err);
    return rc;
}

/* --- courses ------------------------------------------------------------ */

/* Derivatives on their way to the FMU. */
struct batch {
    struct tt_k2_unit *u;
    uint32_t vr[TT_KFMI_CHUNK];
    int order[TT_KFMI_CHUNK];
    double value[TT_KFMI_CHUNK];
    size_t n;
};

static enum tt_code flush(struct batch *b, tt_err *err)
{
    size_t n = b->n;

    b->n = 0;
    if (!n)
        return TT_OK;
    return tt_kfmi_check(&b->u->k, calls(b->u)->set_rates,
                         tt_k2_fns(b->u)->set_real_input_derivatives(
                             b->u->k.comp, b->vr, n, b->order, b->value),
                         err);
}

static enum tt_code send(struct batch *b, uint32_t port, uint32_t order,
                         double value, tt_err *err)
{
    b->vr[b->n] = b->u->k.type->vr[port];
    b->order[b->n] = (int)order;
    b->value[b->n++] = value;
    return b->n == TT_KFMI_CHUNK ? flush(b, err) : TT_OK;
}

static void note_sent(struct tt_k2_unit *u, uint32_t port, uint32_t order)
{
    if (!u->sent[port] && order)
        u->n_sent++;
    if (u->sent[port] && !order)
        u->n_sent--;
    u->sent[port] = (uint8_t)order;
    if (order > u->ever[port])
        u->ever[port] = (uint8_t)order;
}

/* All derivatives of one input: those of p (NULL: none), then 0 for what the
 * FMU still holds above them. */
static enum tt_code send_rates(struct batch *b, uint32_t port,
                               const struct tt_poly *p, tt_err *err)
{
    struct tt_k2_unit *u = b->u;
    uint32_t order = p ? p->order : 0;
    uint32_t most = u->sent[port] > order ? u->sent[port] : order;
    enum tt_code rc = TT_OK;

    for (uint32_t k = 1; rc == TT_OK && k <= most; k++)
        rc = send(b, port, k,
                  k <= order ? tt_poly_rate(p, u->k.base.now, k) : 0, err);
    note_sent(u, port, order);
    return rc;
}

/* A plain set: the inputs hold from now on. */
static enum tt_code take_back(struct tt_k2_unit *u, const uint32_t *port,
                              size_t n, tt_err *err)
{
    struct batch b = {.u = u};
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && i < n; i++)
        if (u->sent[port[i]])
            rc = send_rates(&b, port[i], NULL, err);
    return rc == TT_OK ? flush(&b, err) : rc;
}

void tt_k2_distrust(struct tt_k2_unit *u)
{
    if (!u->sent)
        return;
    u->n_sent = 0;
    for (uint32_t i = 0; i < u->k.base.desc->n_port; i++) {
        u->sent[i] = u->ever[i];
        u->n_sent += u->sent[i] > 0;
    }
}

/* FMI 2.0.5, 4.2.1: the value and its derivatives at the communication
 * point. */
enum tt_code tt_k2_course(tt_unit *base, const struct tt_span *s,
                          const struct tt_poly *p, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    struct batch b = {.u = u};
    enum tt_code rc = TT_OK;

    if (!u->sent)
        return tt_fail(err, TT_EUNSUPPORTED, "it was made without courses");
    for (size_t i = 0; rc == TT_OK && i < s->n; i += TT_KFMI_CHUNK) {
        uint32_t vr[TT_KFMI_CHUNK];
        double value[TT_KFMI_CHUNK];
        size_t n = s->n - i < TT_KFMI_CHUNK ? s->n - i : TT_KFMI_CHUNK;

        for (size_t k = 0; k < n; k++) {
            vr[k] = u->k.type->vr[s->port[i + k]];
            value[k] = tt_poly_at(&p[i + k], base->now);
        }
        rc =
            tt_kfmi_check(&u->k, tt_kfmi_call_name(&u->k, TT_F64, 1),
                          tt_k2_fns(u)->set_real(u->k.comp, vr, n, value), err);
    }
    for (size_t i = 0; rc == TT_OK && i < s->n; i++)
        rc = send_rates(&b, s->port[i], &p[i], err);
    return rc == TT_OK ? flush(&b, err) : rc;
}

enum tt_fmi_status tt_k2_rates(struct tt_kfmi_unit *k, const uint32_t *vr,
                               size_t n, const int *order, double *value,
                               size_t n_value)
{
    (void)n_value; /* all are scalars */
    return tt_k2_fns(tt_k2_unit(&k->base))
        ->get_real_output_derivatives(k->comp, vr, n, order, value);
}

/* --- hot path ----------------------------------------------------------- */

TT_COLD static enum tt_call_result bound_take_back(const struct tt_call *c)
{
    struct tt_k2_unit *u = c->unit;
    uint32_t first;
    const uint32_t *port = tt_kfmi_ports(u->k.type, c->what->vr, &first);
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; rc == TT_OK && i < c->what->n; i++) {
        uint32_t p = port ? port[i] : first + i;

        rc = take_back(u, &p, 1, NULL);
    }
    if (rc == TT_OK)
        return TT_CALL_OK;
    return tt_kfmi_call_failed(&u->k, u->k.fatal ? TT_FMI_FATAL : TT_FMI_ERROR);
}

/* For units that take courses: a plain set ends one. */
static enum tt_call_result bound_set_held(const struct tt_call *c,
                                          struct tt_now *now)
{
    const struct tt_k2_unit *u = c->unit;
    enum tt_call_result r = bound_set_real(c, now);

    if (TT_UNLIKELY(u->n_sent) && r == TT_CALL_OK)
        return bound_take_back(c);
    return r;
}

/* The step is booked already; books it anew. */
TT_COLD static enum tt_call_result step_outcome(struct tt_k2_unit *u,
                                                enum tt_fmi_status s)
{
    tt_unit *b = &u->k.base;
    double to = b->now;
    struct tt_stepped r = {.reached = u->k.was,
                           .after = TT_AFTER_NEEDS_RESTORE,
                           .flags = TT_STEP_REJECT};

    b->now = u->k.was;
    if (s != TT_K2_RESTORE_FIRST)
        s = tt_k2_outcome(u, s, b->now, to, &r);
    if (s > TT_FMI_DISCARD) {
        r.reached = b->now;
        b->n_step--;
    }
    tt_unit_report(b, r);
    if (s > TT_FMI_DISCARD)
        return tt_kfmi_call_failed(&u->k, s);
    if (!(r.flags & TT_STEP_REJECT))
        b->now = r.reached;
    return r.flags ? TT_CALL_OUTCOME : TT_CALL_OK;
}

static enum tt_call_result bound_step(const struct tt_call *c,
                                      struct tt_now *now)
{
    double was, h;
    struct tt_k2_unit *u = tt_k2_bound_step(c, now, &was, &h);

    return u ? (enum tt_call_result)u->k.do_step.v2(u->k.comp, was, h,
                                                    u->k.no_prior)
             : TT_CALL_OK;
}

enum tt_call_result tt_k2_settle(tt_unit *base, const struct tt_call *c,
                                 const struct tt_now *now, int status)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    enum tt_fmi_status s = (enum tt_fmi_status)status;

    (void)now;
    return c->what->verb == TT_VERB_STEP ? step_outcome(u, s)
                                         : tt_kfmi_call_failed(&u->k, s);
}

enum tt_code tt_k2_bind_with(tt_unit *base, enum tt_verb verb,
                             const struct tt_span *s,
                             const struct tt_what *step, struct tt_call *c,
                             tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    const struct tt_kfmi_bound b = {step, u->sent ? bound_set_held : NULL};

    return tt_kfmi_bind(&u->k, verb, s, &b, c, err);
}

enum tt_code tt_k2_bind(tt_unit *base, enum tt_verb verb,
                        const struct tt_span *s, struct tt_call *c, tt_err *err)
{
    static const struct tt_what step = {.fn = bound_step, .verb = TT_VERB_STEP};

    return tt_k2_bind_with(base, verb, s, &step, c, err);
}

enum tt_code tt_k2_explain(tt_unit *base, const struct tt_call *c, int status,
                           tt_err *err)
{
    if (c->what->verb == TT_VERB_STEP &&
        tt_k2_unit(base)->k.status == (int)TT_K2_RESTORE_FIRST)
        return tt_fail(err, TT_ESTATE,
                       "it rejected its last step and needs a restore first");
    return tt_kfmi_explain(base, c, status, err);
}
