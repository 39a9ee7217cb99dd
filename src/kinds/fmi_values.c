/* SPDX-License-Identifier: MIT */
/* Values of FMUs of all versions: which call moves a type, cold and bound. */
#include "kinds/fmi_common.h"

static const struct tt_kfmi_access *access_of(const struct tt_kfmi_unit *k,
                                              enum tt_type type)
{
    return &k->type->version->access[type];
}

const char *tt_kfmi_call_name(const struct tt_kfmi_unit *k, enum tt_type type,
                              int set)
{
    const struct tt_kfmi_access *a = access_of(k, type);

    return set ? a->set_name : a->get_name;
}

/* The type of a span's ports, and the library's function, which it must have.
 */
static enum tt_code target_of(const struct tt_kfmi_unit *k,
                              const struct tt_span *s, int set,
                              enum tt_type *type, void (**fn)(void),
                              tt_err *err)
{
    const struct tt_kfmi_access *a;

    *type = k->base.desc->port[s->port[0]].type;
    a = access_of(k, *type);
    TT_ASSERT(a->get_name); /* the version has no other types */
    *fn = tt_kfmi_fn(k, set ? a->set_at : a->get_at);
    return *fn ? TT_OK : tt_kfmi_missing(tt_kfmi_call_name(k, *type, set), err);
}

/* The bound call, made once. */
enum tt_code tt_kfmi_move(struct tt_kfmi_unit *k, const struct tt_span *s,
                          int set, tt_err *err)
{
    struct tt_what w = {.n = s->n};
    struct tt_call c = {
        .what = &w, .unit = k, .handle = k->comp, .val = s->value};
    const struct tt_kfmi_access *a;
    enum tt_type type;
    enum tt_code rc = target_of(k, s, set, &type, &w.target, err);

    if (rc == TT_OK)
        rc = tt_kfmi_refs_now(k, s->port, s->n, &w.vr, err);
    if (rc != TT_OK)
        return rc;
    a = access_of(k, type);
    if (!a->get)
        return (set ? k->type->version->set_texts
                    : k->type->version->get_texts)(k, s, w.vr, err);
    w.n_val = tt_desc_elements(k->base.desc, s->port, s->n);
    return tt_kfmi_check(k, tt_kfmi_call_name(k, type, set),
                         (enum tt_fmi_status)(set ? a->set : a->get)(&c, NULL),
                         err);
}

enum tt_code tt_kfmi_get(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    return tt_kfmi_move(tt_kfmi_unit(u), s, 0, err);
}

enum tt_code tt_kfmi_note(struct tt_kfmi_unit *k, double t, tt_err *err)
{
    uint32_t n;
    const uint32_t *port = tt_trail_ports(k->base.trail, &n);
    struct tt_span s = {port, n, tt_trail_add(k->base.trail, t)};
    enum tt_code rc = s.value ? tt_kfmi_move(k, &s, 0, err) : TT_OK;

    if (rc != TT_OK)
        tt_trail_drop(k->base.trail);
    return rc;
}

enum tt_code tt_kfmi_bind(struct tt_kfmi_unit *k, enum tt_verb verb,
                          const struct tt_span *s,
                          const struct tt_kfmi_bound *b, struct tt_call *c,
                          tt_err *err)
{
    struct tt_what w = *c->what;
    int set = verb == TT_VERB_SET;
    enum tt_type type;
    enum tt_code rc;

    c->unit = k;
    c->handle = verb == TT_VERB_STEP ? (void *)&k->base.now : k->comp;
    c->what = b->step;
    if (verb == TT_VERB_STEP)
        return TT_OK;
    rc = target_of(k, s, set, &type, &w.target, err);
    if (rc != TT_OK)
        return rc;
    w.fn = set ? access_of(k, type)->set : access_of(k, type)->get;
    if (!w.fn) { /* texts: the default will do, with all it needs in place */
        rc = tt_kfmi_refs(k->type, s->port, s->n, &w.vr, err);
        if (rc == TT_OK && k->type->version->text_room)
            rc = k->type->version->text_room(k, w.n_val, err);
        return rc == TT_OK ? TT_EUNSUPPORTED : rc;
    }
    if (set && type == TT_F64 && b->set_held)
        w.fn = b->set_held;
    return tt_kfmi_what(k->type, s, w, &c->what, err);
}

enum tt_call_result tt_kfmi_call_failed(struct tt_kfmi_unit *k,
                                        enum tt_fmi_status s)
{
    if (s == TT_FMI_WARNING)
        return TT_CALL_OK;
    if (s == TT_FMI_FATAL)
        k->fatal = 1;
    k->status = (int)s;
    return TT_CALL_FAILED;
}

enum tt_call_result tt_kfmi_settle(tt_unit *base, const struct tt_call *c,
                                   const struct tt_now *now, int status)
{
    (void)c;
    (void)now;
    return tt_kfmi_call_failed(tt_kfmi_unit(base), (enum tt_fmi_status)status);
}

enum tt_code tt_kfmi_explain(tt_unit *u, const struct tt_call *c, int status,
                             tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    enum tt_fmi_status s = (enum tt_fmi_status)k->status;
    enum tt_code rc;

    (void)status; /* ours is in the unit */
    if (c->what->verb == TT_VERB_STEP)
        return tt_kfmi_check(k, k->type->version->calls.do_step, s, err);
    rc = tt_kfmi_check(k,
                       tt_kfmi_call_name(k, (enum tt_type)c->what->type,
                                         c->what->verb == TT_VERB_SET),
                       s, err);
    return tt_kfmi_name_ports(k, c, rc, err);
}
