/* SPDX-License-Identifier: MIT */
/* Unit kind fmi3: values and bound calls. */
#include "kinds/fmi3_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- one FMI call each --------------------------------------------------- */

#define BOUND(name, value)                                                     \
    typedef enum tt_fmi_status name##_fn(void *c, const uint32_t *vr,          \
                                         size_t n, value, size_t n_value);     \
    static enum tt_call_result name(const struct tt_call *c,                   \
                                    struct tt_now *now)                        \
    {                                                                          \
        const struct tt_what *w = c->what;                                     \
                                                                               \
        (void)now;                                                             \
        return (enum tt_call_result)((name##_fn *)w->target)(                  \
            c->handle, w->vr, w->n, c->val, w->n_val);                         \
    }
/* NOLINTBEGIN(bugprone-macro-parentheses): types */
#define X(type, name, Name, value_type)                                        \
    BOUND(bound_get_##name, value_type *v)                                     \
    BOUND(bound_set_##name, const value_type *v)
/* NOLINTEND(bugprone-macro-parentheses) */
TT_FMI3_TYPES(X)
#undef X
TT_KFMI_BOUND(bound_get_clock, bool *v)
TT_KFMI_BOUND(bound_set_clock, const bool *v)

#define ACCESS(get_fn, set_fn, member, words)                                  \
    TT_KFMI_ACCESS(3, get_fn, set_fn, member, words)
#define ACCESS_BOUND(member, words)                                            \
    ACCESS(bound_get_##member, bound_set_##member, member, words)

const struct tt_kfmi_access tt_k3_access[TT_TYPE_N] = {
    [TT_ENUM64] = ACCESS_BOUND(int64, "Int64"),
    [TT_CLOCK] = ACCESS_BOUND(clock, "Clock"),
    [TT_TEXT] = ACCESS(NULL, NULL, string, "String"),
    [TT_BYTES] = ACCESS(NULL, NULL, binary, "Binary"),
#define X(type, name, Name, value_type) [TT_##type] = ACCESS_BOUND(name, #Name),
    TT_FMI3_TYPES(X)
#undef X
};

/* --- texts and binaries ------------------------------------------------- */

static int grow(void *array, size_t n, size_t size)
{
    void *old, *more;

    memcpy(&old, array, sizeof(old));
    more = tt_resize(old, n, size);
    if (more)
        memcpy(array, &more, sizeof(more));
    return more != NULL;
}

enum tt_code tt_k3_text_room(struct tt_kfmi_unit *k, size_t n, tt_err *err)
{
    struct tt_k3_texts *t = &tt_k3_unit(&k->base)->texts;

    if (n <= t->n)
        return TT_OK;
    if (!grow(&t->text, n, sizeof(*t->text)) ||
        !grow(&t->bytes, n, sizeof(*t->bytes)) ||
        !grow(&t->size, n, sizeof(*t->size)))
        return tt_fail(err, TT_ENOMEM, "%zu texts", n);
    t->n = n;
    return TT_OK;
}

/* Copies what the FMU pointed to, before it is called again. */
static enum tt_code texts_copy(struct tt_k3_unit *u, const struct tt_span *s,
                               int binary, tt_err *err)
{
    const struct tt_k3_texts *t = &u->texts;
    struct tt_text *to = s->value;
    size_t i = 0;
    enum tt_code rc = TT_OK;

    for (size_t p = 0; p < s->n; p++) {
        uint32_t n = u->k.base.desc->port[s->port[p]].n;

        for (uint32_t k = 0; k < n && rc == TT_OK; k++, i++)
            rc = binary ? tt_kfmi_take(&u->k, s->port[p], &to[i], t->bytes[i],
                                       t->bytes[i] ? t->size[i] : 0, err)
                        : tt_kfmi_take_text(&u->k, s->port[p], &to[i],
                                            t->text[i], err);
    }
    return rc;
}

enum tt_code tt_k3_get_texts(struct tt_kfmi_unit *k, const struct tt_span *s,
                             const uint32_t *vr, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(&k->base);
    enum tt_type type = k->base.desc->port[s->port[0]].type;
    int binary = type == TT_BYTES;
    size_t n = tt_desc_elements(k->base.desc, s->port, s->n);
    struct tt_k3_texts *t = &u->texts;
    enum tt_fmi_status status;
    enum tt_code rc = tt_k3_text_room(k, n, err);

    if (rc != TT_OK)
        return rc;
    memset(t->text, 0, n * sizeof(*t->text));
    memset(t->bytes, 0, n * sizeof(*t->bytes));
    memset(t->size, 0, n * sizeof(*t->size));
    status = binary ? tt_k3_fns(u)->get_binary(u->k.comp, vr, s->n, t->size,
                                               t->bytes, n)
                    : tt_k3_fns(u)->get_string(u->k.comp, vr, s->n, t->text, n);
    rc = tt_kfmi_check(k, tt_kfmi_call_name(k, type, 0), status, err);
    return rc == TT_OK ? texts_copy(u, s, binary, err) : rc;
}

enum tt_code tt_k3_set_texts(struct tt_kfmi_unit *k, const struct tt_span *s,
                             const uint32_t *vr, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(&k->base);
    enum tt_type type = k->base.desc->port[s->port[0]].type;
    int binary = type == TT_BYTES;
    size_t n = tt_desc_elements(k->base.desc, s->port, s->n);
    const struct tt_text *from = s->value;
    struct tt_k3_texts *t = &u->texts;
    enum tt_fmi_status status;
    enum tt_code rc = tt_k3_text_room(k, n, err);

    if (rc != TT_OK)
        return rc;
    for (size_t i = 0; i < n; i++) {
        t->text[i] = tt_text_data(k->base.texts, &from[i], err);
        if (!t->text[i])
            return TT_EUNSUPPORTED;
        t->bytes[i] = (const uint8_t *)t->text[i];
        t->size[i] = from[i].n;
    }
    status = binary ? tt_k3_fns(u)->set_binary(u->k.comp, vr, s->n, t->size,
                                               t->bytes, n)
                    : tt_k3_fns(u)->set_string(u->k.comp, vr, s->n, t->text, n);
    return tt_kfmi_check(k, tt_kfmi_call_name(k, type, 1), status, err);
}

/* --- cold path ---------------------------------------------------------- */

enum tt_code tt_k3_set(tt_unit *base, const struct tt_span *s, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);

    if (u->n_active)
        tt_k3_end_courses(u, s->port, s->n);
    if (tt_k3_is_configured_by(u, s))
        return tt_k3_set_structural(u, s, err);
    return tt_kfmi_move(&u->k, s, 1, err);
}

/* --- bound calls -------------------------------------------------------- */

TT_COLD static void bound_end_courses(const struct tt_call *c)
{
    struct tt_k3_unit *u = c->unit;
    uint32_t first;
    const uint32_t *port = tt_kfmi_ports(u->k.type, c->what->vr, &first);

    for (uint32_t i = 0; i < c->what->n; i++) {
        uint32_t p = port ? port[i] : first + i;

        tt_k3_end_courses(u, &p, 1);
    }
}

/* For units that take courses: a plain set ends one. */
static enum tt_call_result bound_set_held(const struct tt_call *c,
                                          struct tt_now *now)
{
    const struct tt_k3_unit *u = c->unit;

    if (TT_UNLIKELY(u->n_active))
        bound_end_courses(c);
    return bound_set_float64(c, now);
}

/* The step is booked already; books it anew. */
TT_COLD static enum tt_call_result
step_outcome(struct tt_k3_unit *u, enum tt_fmi_status s, struct tt_k3_answer a)
{
    tt_unit *b = &u->k.base;
    double h = b->now - u->k.was;
    struct tt_k3_span t = {u->k.was, b->now, h};
    struct tt_stepped r;

    b->now = u->k.was;
    if (s > TT_FMI_DISCARD) {
        b->n_step--;
        tt_unit_report(b, (struct tt_stepped){.reached = b->now});
        return tt_kfmi_call_failed(&u->k, s);
    }
    r = tt_k3_outcome(u, s, &a, &t);
    tt_unit_report(b, r);
    if (!(r.flags & TT_STEP_REJECT))
        b->now = r.reached;
    if ((r.flags & TT_STEP_LAG) && fabs(r.lag) / h > b->max_lag)
        b->max_lag = fabs(r.lag) / h;
    return r.flags & ~(unsigned)TT_STEP_LAG ? TT_CALL_OUTCOME : TT_CALL_OK;
}

/* Is the unit where it should be? It is exactly, or it added up otherwise. */
static inline int is_there(const struct tt_k3_unit *u, double own)
{
    double now = u->k.base.now;

    return own == now ||
           fabs(own - now) <= TT_K3_LAG_TOLERANCE * (now - u->k.was);
}

/* Mostly nothing but an event, where the step ends. */
static enum tt_call_result outcome_of(struct tt_k3_unit *u,
                                      enum tt_fmi_status s,
                                      const struct tt_k3_answer *a)
{
    if (s != TT_FMI_OK || !a->flags[TT_K3_EVENT] || !u->event_mode ||
        a->flags[TT_K3_TERMINATE] || a->flags[TT_K3_EARLY] ||
        !is_there(u, a->own_time))
        return step_outcome(u, s, *a);
    tt_unit_report(&u->k.base, (struct tt_stepped){.reached = u->k.base.now,
                                                   .flags = TT_STEP_EVENT});
    return TT_CALL_OUTCOME;
}

static enum tt_call_result bound_step(const struct tt_call *c,
                                      struct tt_now *now)
{
    struct tt_k3_unit *u = c->unit;
    tt_unit *b = &u->k.base;
    double was = b->now, to = now->t[c->to], h = tt_call_h(c, b, now);
    struct tt_k3_answer a = {.own_time = to};
    bool *flags = a.flags;
    enum tt_fmi_status s;

    if (TT_UNLIKELY(!(h > 0)))
        return TT_CALL_OK;
    u->k.was = was;
    b->now = to;
    b->n_step++;
    s = u->k.do_step.v3(u->k.comp, was, h, u->k.no_prior, &flags[TT_K3_EVENT],
                        &flags[TT_K3_TERMINATE], &flags[TT_K3_EARLY],
                        &a.own_time);
    /* byte by byte, as they were written: all at once would have to wait */
    if (TT_LIKELY(s == TT_FMI_OK && !(flags[0] | flags[1] | flags[2]) &&
                  is_there(u, a.own_time)))
        return TT_CALL_OK;
    return outcome_of(u, s, &a);
}

/* For units that take courses: a step uses them up. */
static enum tt_call_result bound_step_course(const struct tt_call *c,
                                             struct tt_now *now)
{
    struct tt_k3_unit *u = c->unit;
    enum tt_call_result r = bound_step(c, now);

    if (u->n_active && r != TT_CALL_FAILED &&
        !(tt_unit_last(&u->k.base).flags & TT_STEP_REJECT))
        tt_k3_used_up(u);
    return r;
}

enum tt_code tt_k3_bind(tt_unit *base, enum tt_verb verb,
                        const struct tt_span *s, struct tt_call *c, tt_err *err)
{
    static const struct tt_what step = {.fn = bound_step, .verb = TT_VERB_STEP},
                                step_course = {.fn = bound_step_course,
                                               .verb = TT_VERB_STEP};
    struct tt_k3_unit *u = tt_k3_unit(base);
    struct tt_kfmi_bound b = {&step, NULL};

    if (u->course)
        b = (struct tt_kfmi_bound){&step_course, bound_set_held};
    return tt_kfmi_bind(&u->k, verb, s, &b, c, err);
}
