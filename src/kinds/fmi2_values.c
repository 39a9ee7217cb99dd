/* SPDX-License-Identifier: MIT */
/* Unit kind fmi2: values, derivatives of inputs and outputs, bound calls. */
#include "kinds/fmi2_impl.h"

#include <string.h>

static const struct tt_fmi2_fns *fns(const struct tt_k2_unit *u)
{
    return u->k.fns;
}

/* --- one FMI call, one check -------------------------------------------- */

/* Nothing is kept over the FMI call: a bound call ends in a jump to it, and its
 * status is the answer. Only what is not fmi2OK comes here, so a warning, which
 * is fine, takes the long way. */
TT_COLD static enum tt_call_result failed(struct tt_k2_unit *u,
                                          enum tt_fmi2_status s)
{
    if (s == TT_FMI2_WARNING)
        return TT_CALL_OK;
    if (s == TT_FMI2_FATAL)
        u->k.fatal = 1;
    u->k.status = (int)s;
    return TT_CALL_FAILED;
}

#define BOUND(name, value)                                                     \
    typedef enum tt_fmi2_status name##_fn(                                     \
        tt_fmi2_component *c, const uint32_t *vr, size_t n, value);            \
    static enum tt_call_result name(const struct tt_call *c,                   \
                                    struct tt_now *now)                        \
    {                                                                          \
        const struct tt_what *w = c->what;                                     \
                                                                               \
        (void)now;                                                             \
        return (enum tt_call_result)((name##_fn *)w->target)(c->handle, w->vr, \
                                                             w->n, c->val);    \
    }

BOUND(bound_get_real, double *v)
BOUND(bound_set_real, const double *v)
BOUND(bound_get_int, int *v)
BOUND(bound_set_int, const int *v)

/* How values of a type move. Texts are copied one by one and have no bound
 * call of their own. */
struct access {
    enum tt_call_result (*get)(const struct tt_call *c, struct tt_now *now);
    enum tt_call_result (*set)(const struct tt_call *c, struct tt_now *now);
    const char *get_name, *set_name;
    size_t get_at, set_at; /* in the table of functions */
};

#define ACCESS(get_fn, set_fn, member, words)                                  \
    {                                                                          \
        .get = (get_fn), .set = (set_fn), .get_name = "fmi2Get" words,         \
        .set_name = "fmi2Set" words,                                           \
        .get_at = offsetof(struct tt_fmi2_fns, get_##member),                  \
        .set_at = offsetof(struct tt_fmi2_fns, set_##member)                   \
    }

static const struct access access_of[TT_TYPE_N] = {
    [TT_F64] = ACCESS(bound_get_real, bound_set_real, real, "Real"),
    [TT_I32] = ACCESS(bound_get_int, bound_set_int, integer, "Integer"),
    [TT_ENUM32] = ACCESS(bound_get_int, bound_set_int, integer, "Integer"),
    [TT_BOOL32] = ACCESS(bound_get_int, bound_set_int, boolean, "Boolean"),
    [TT_TEXT] = ACCESS(NULL, NULL, string, "String"),
};

static const char *call_name(enum tt_type type, int set)
{
    return set ? access_of[type].set_name : access_of[type].get_name;
}

static void (*target_of(const struct tt_k2_unit *u, enum tt_type type,
                        int set))(void)
{
    const struct access *a = &access_of[type];

    return tt_kfmi_fn(&u->k, set ? a->set_at : a->get_at);
}

/* The type of a span's ports, which the library must have a call for. */
static enum tt_code type_of(const struct tt_k2_unit *u, const struct tt_span *s,
                            int set, enum tt_type *type, tt_err *err)
{
    const struct access *a;

    *type = u->k.base.desc->port[s->port[0]].type;
    a = &access_of[*type];
    TT_ASSERT(a->get_name); /* FMI 2 has no other types */
    if (!tt_kfmi_fn(&u->k, set ? a->set_at : a->get_at))
        return tt_kfmi_missing(call_name(*type, set), err);
    return TT_OK;
}

/* --- cold path ---------------------------------------------------------- */

static enum tt_code get_texts(struct tt_k2_unit *u, const struct tt_span *s,
                              const uint32_t *vr, tt_err *err)
{
    struct tt_text *to = s->value;

    for (size_t i = 0; i < s->n; i += TT_KFMI_CHUNK) {
        const char *text[TT_KFMI_CHUNK] = {NULL};
        size_t n = s->n - i < TT_KFMI_CHUNK ? s->n - i : TT_KFMI_CHUNK;
        enum tt_code rc =
            tt_k2_check(u, "fmi2GetString",
                        fns(u)->get_string(u->k.comp, vr + i, n, text), err);

        if (rc != TT_OK)
            return rc;
        /* The pointers die at the next call into the FMU. */
        for (size_t k = 0; k < n; k++)
            if (tt_text_set(&to[i + k], text[k]))
                return tt_kfmi_too_long(&u->k, s->port[i + k], strlen(text[k]),
                                        err);
    }
    return TT_OK;
}

static enum tt_code set_texts(struct tt_k2_unit *u, const struct tt_span *s,
                              const uint32_t *vr, tt_err *err)
{
    const struct tt_text *from = s->value;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && i < s->n; i += TT_KFMI_CHUNK) {
        const char *text[TT_KFMI_CHUNK];
        size_t n = s->n - i < TT_KFMI_CHUNK ? s->n - i : TT_KFMI_CHUNK;

        for (size_t k = 0; k < n; k++)
            text[k] = from[i + k].s;
        rc = tt_k2_check(u, "fmi2SetString",
                         fns(u)->set_string(u->k.comp, vr + i, n, text), err);
    }
    return rc;
}

/* The bound call, made once. */
static enum tt_code move(struct tt_k2_unit *u, enum tt_type type, int set,
                         const struct tt_span *s, const uint32_t *vr,
                         tt_err *err)
{
    const struct access *a = &access_of[type];
    const struct tt_what w = {
        .target = target_of(u, type, set), .vr = vr, .n = s->n};
    const struct tt_call c = {.what = &w, .handle = u->k.comp, .val = s->value};
    enum tt_fmi2_status said =
        (enum tt_fmi2_status)(set ? a->set : a->get)(&c, NULL);

    return tt_k2_check(u, call_name(type, set), said, err);
}

enum tt_code tt_k2_get(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    enum tt_type type;
    const uint32_t *vr;
    enum tt_code rc = type_of(u, s, 0, &type, err);

    if (rc == TT_OK)
        rc = tt_kfmi_refs_now(&u->k, s->port, s->n, &vr, err);
    if (rc != TT_OK)
        return rc;
    if (type == TT_TEXT)
        return get_texts(u, s, vr, err);
    return move(u, type, 0, s, vr, err);
}

static enum tt_code take_back(struct tt_k2_unit *u, const uint32_t *port,
                              size_t n, tt_err *err);

enum tt_code tt_k2_set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    enum tt_type type;
    const uint32_t *vr;
    enum tt_code rc = type_of(u, s, 1, &type, err);

    if (rc == TT_OK)
        rc = tt_kfmi_refs_now(&u->k, s->port, s->n, &vr, err);
    if (rc != TT_OK)
        return rc;
    if (type == TT_TEXT)
        return set_texts(u, s, vr, err);
    rc = move(u, type, 1, s, vr, err);
    if (rc == TT_OK && u->n_sent && type == TT_F64)
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
    return tt_k2_check(b->u, "fmi2SetRealInputDerivatives",
                       fns(b->u)->set_real_input_derivatives(
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
        return tt_fail(err, TT_EUNSUPPORTED,
                       "it was not told that courses would come");
    for (size_t i = 0; rc == TT_OK && i < s->n; i += TT_KFMI_CHUNK) {
        uint32_t vr[TT_KFMI_CHUNK];
        double value[TT_KFMI_CHUNK];
        size_t n = s->n - i < TT_KFMI_CHUNK ? s->n - i : TT_KFMI_CHUNK;

        for (size_t k = 0; k < n; k++) {
            vr[k] = u->k.type->vr[s->port[i + k]];
            value[k] = tt_poly_at(&p[i + k], base->now);
        }
        rc = tt_k2_check(u, "fmi2SetReal",
                         fns(u)->set_real(u->k.comp, vr, n, value), err);
    }
    for (size_t i = 0; rc == TT_OK && i < s->n; i++)
        rc = send_rates(&b, s->port[i], &p[i], err);
    return rc == TT_OK ? flush(&b, err) : rc;
}

enum tt_code tt_k2_rates(tt_unit *base, const struct tt_span *s, uint32_t order,
                         tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    int orders[TT_KFMI_CHUNK];
    double *value = s->value;
    const uint32_t *vr;
    enum tt_code rc;

    if (!fns(u)->get_real_output_derivatives)
        return tt_kfmi_missing("fmi2GetRealOutputDerivatives", err);
    rc = tt_kfmi_refs_now(&u->k, s->port, s->n, &vr, err);
    for (size_t k = 0; k < TT_KFMI_CHUNK; k++)
        orders[k] = (int)order;
    for (size_t i = 0; rc == TT_OK && i < s->n; i += TT_KFMI_CHUNK) {
        size_t n = s->n - i < TT_KFMI_CHUNK ? s->n - i : TT_KFMI_CHUNK;

        rc = tt_k2_check(u, "fmi2GetRealOutputDerivatives",
                         fns(u)->get_real_output_derivatives(
                             u->k.comp, vr + i, n, orders, value + i),
                         err);
    }
    return rc;
}

enum tt_code tt_k2_jvp(tt_unit *base, const struct tt_jvp *j, tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    const uint32_t *unknown, *known;
    enum tt_code rc;

    if (!fns(u)->get_directional_derivative)
        return tt_kfmi_missing("fmi2GetDirectionalDerivative", err);
    rc = tt_kfmi_refs_jvp(&u->k, j, &unknown, &known, err);
    if (rc != TT_OK)
        return rc;
    return tt_k2_check(u, "fmi2GetDirectionalDerivative",
                       fns(u)->get_directional_derivative(
                           u->k.comp, unknown, j->n_unknown, known, j->n_known,
                           j->dv_known, j->dv_unknown),
                       err);
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
    return failed(u, u->k.fatal ? TT_FMI2_FATAL : TT_FMI2_ERROR);
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
                                                enum tt_fmi2_status s)
{
    tt_unit *b = &u->k.base;
    double to = b->now;
    struct tt_stepped r = {.reached = u->k.was,
                           .after = TT_AFTER_NEEDS_RESTORE,
                           .flags = TT_STEP_REJECT};

    b->now = u->k.was;
    if (s != TT_K2_RESTORE_FIRST)
        s = tt_k2_outcome(u, s, b->now, to, &r);
    if (s > TT_FMI2_DISCARD) {
        r.reached = b->now;
        b->n_step--;
    }
    tt_unit_tell(b, r);
    if (s > TT_FMI2_DISCARD)
        return failed(u, s);
    if (!(r.flags & TT_STEP_REJECT))
        b->now = r.reached;
    return r.flags ? TT_CALL_OUTCOME : TT_CALL_OK;
}

static enum tt_call_result bound_step(const struct tt_call *c,
                                      struct tt_now *now)
{
    struct tt_k2_unit *u = c->unit;
    tt_unit *b = &u->k.base;
    double was = b->now, h = tt_call_h(c, b, now);

    if (TT_UNLIKELY(!(h > 0)))
        return TT_CALL_OK;
    u->k.was = was;
    b->now = now->t[c->to];
    b->n_step++;
    return (enum tt_call_result)u->k.do_step.v2(u->k.comp, was, h,
                                                u->k.no_prior);
}

enum tt_call_result tt_k2_settle(tt_unit *base, const struct tt_call *c,
                                 const struct tt_now *now, int status)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    enum tt_fmi2_status s = (enum tt_fmi2_status)status;

    (void)now;
    return c->what->verb == TT_VERB_STEP ? step_outcome(u, s) : failed(u, s);
}

enum tt_code tt_k2_bind(tt_unit *base, enum tt_verb verb,
                        const struct tt_span *s, struct tt_call *c, tt_err *err)
{
    static const struct tt_what step = {.fn = bound_step, .verb = TT_VERB_STEP};
    struct tt_k2_unit *u = tt_k2_unit(base);
    struct tt_what w = *c->what;
    int set = verb == TT_VERB_SET;
    enum tt_type type;
    enum tt_code rc;

    c->unit = u;
    c->handle = verb == TT_VERB_STEP ? (void *)&base->now : u->k.comp;
    c->what = &step;
    if (verb == TT_VERB_STEP)
        return TT_OK;
    rc = type_of(u, s, set, &type, err);
    if (rc != TT_OK)
        return rc;
    w.fn = set ? access_of[type].set : access_of[type].get;
    if (!w.fn) /* texts: the default will do, with all it needs in place */
        rc = tt_kfmi_refs(u->k.type, s->port, s->n, &w.vr, err);
    if (!w.fn)
        return rc == TT_OK ? TT_EUNSUPPORTED : rc;
    if (set && type == TT_F64 && u->sent)
        w.fn = bound_set_held;
    w.target = target_of(u, type, set);
    return tt_kfmi_what(u->k.type, s, w, &c->what, err);
}

enum tt_code tt_k2_explain(tt_unit *base, const struct tt_call *c, int status,
                           tt_err *err)
{
    struct tt_k2_unit *u = tt_k2_unit(base);
    enum tt_fmi2_status s = (enum tt_fmi2_status)u->k.status;
    enum tt_code rc;

    (void)status; /* ours is in the unit */
    if (c->what->verb == TT_VERB_STEP && s == TT_K2_RESTORE_FIRST)
        return tt_fail(err, TT_ESTATE,
                       "it rejected its last step and needs a restore first");
    if (c->what->verb == TT_VERB_STEP)
        return tt_k2_check(u, "fmi2DoStep", s, err);
    rc = tt_k2_check(
        u, call_name((enum tt_type)c->what->type, c->what->verb == TT_VERB_SET),
        s, err);
    return tt_kfmi_name_ports(&u->k, c, rc, err);
}
