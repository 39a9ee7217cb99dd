/* SPDX-License-Identifier: MIT */
/* Model exchange: values set, courses of inputs, bound calls.
 *
 * FMI 2.0.5, 3.1 and FMI 3.0.2, 3.1.1: an input that leaps, and any that is
 * discrete and changes, is an event. So what is set is compared with what the
 * FMU has. */
#include <math.h>
#include <string.h>

#include "kinds/me_impl.h"

/* A continuous input that changes by less has not leapt: rounding. */
#define LEAP 1e-12

/* --- what there is -------------------------------------------------------- */

static size_t held_size(const struct tt_port *p)
{
    return tt_type_is_text(p->type) ? 0 : tt_port_size(p);
}

static int is_input(const struct tt_port *p)
{
    return p->causality == TT_CAUS_INPUT && p->type != TT_CLOCK;
}

static void add_input(struct tt_kme *m, uint32_t i, const struct tt_port *p)
{
    struct tt_kme_input *in = &m->input[m->n_input];

    *in = (struct tt_kme_input){.port = i, .n = p->n};
    m->input_of[i] = m->n_input++;
}

static enum tt_code count_inputs(struct tt_kfmi_unit *k, size_t *n_poly,
                                 tt_err *err)
{
    const struct tt_desc *d = k->base.desc;
    struct tt_kme *m = k->me;

    if (!TT_NEW_ARRAY(m->input, d->n_port + 1) ||
        !TT_NEW_ARRAY(m->input_of, d->n_port + 1))
        return tt_fail(err, TT_ENOMEM, "inputs of %u ports", d->n_port);
    for (uint32_t i = 0; i < d->n_port; i++) {
        const struct tt_port *p = &d->port[i];

        m->input_of[i] = TT_NONE;
        if (!is_input(p))
            continue;
        add_input(m, i, p);
        m->n_held += held_size(p) + 1;
        *n_poly += p->course_ok ? p->n : 0;
    }
    return TT_OK;
}

enum tt_code tt_kme_plan_inputs(struct tt_kfmi_unit *k, tt_err *err)
{
    const struct tt_desc *d = k->base.desc;
    struct tt_kme *m = k->me;
    size_t n_poly = 0, at = 0, poly = 0;
    enum tt_code rc = count_inputs(k, &n_poly, err);

    if (rc != TT_OK)
        return rc;
    if (!TT_NEW_ARRAY(m->poly, n_poly + 1) ||
        !TT_NEW_ARRAY(m->value, n_poly + 1) ||
        !TT_NEW_ARRAY(m->value_vr, m->n_input + 1) ||
        !TT_NEW_ARRAY(m->held, m->n_held + 1))
        return tt_fail(err, TT_ENOMEM, "courses of %u inputs", m->n_input);
    for (uint32_t i = 0; i < m->n_input; i++) {
        struct tt_kme_input *in = &m->input[i];
        const struct tt_port *p = &d->port[in->port];

        in->held = m->held + at;
        at += held_size(p);
        if (!p->course_ok)
            continue;
        in->poly = m->poly + poly;
        poly += in->n;
    }
    for (uint32_t i = 0; i < m->n_input; i++)
        m->input[i].known = (uint8_t *)m->held + at++;
    return TT_OK;
}

/* --- leaps ---------------------------------------------------------------- */

static int leaps_double(const struct tt_port *p, const double *a,
                        const double *b)
{
    for (uint32_t i = 0; i < p->n; i++) {
        double size = fmax(fmax(fabs(a[i]), fabs(b[i])), p->nominal);

        if (!(fabs(a[i] - b[i]) <= LEAP * size))
            return 1;
    }
    return 0;
}

static int is_continuous(const struct tt_kfmi_unit *k, uint32_t port)
{
    const struct tt_port *p = &k->base.desc->port[port];

    return p->type == TT_F64 && p->variability == TT_VAR_CONTINUOUS;
}

/* Is this another value than the FMU has, so that it is an event? What comes
 * from other members changes with the time between events. */
static int leaps(const struct tt_kfmi_unit *k, const struct tt_kme_input *in,
                 const void *value)
{
    const struct tt_port *p = &k->base.desc->port[in->port];
    size_t size = held_size(p);

    if (in->inner && k->me->system->when != TT_KME_EVENT &&
        is_continuous(k, in->port))
        return 0;
    if (!size || !*in->known)
        return 1;
    if (is_continuous(k, in->port))
        return leaps_double(p, (const double *)(const void *)in->held, value);
    return memcmp(in->held, value, size) != 0;
}

static void hold(const struct tt_kfmi_unit *k, struct tt_kme_input *in,
                 const void *value)
{
    size_t size = held_size(&k->base.desc->port[in->port]);

    if (!size || !*in->known || memcmp(in->held, value, size) != 0)
        k->me->kept.note[TT_KME_CHANGED] = 1;
    memcpy(in->held, value, size);
    *in->known = 1;
}

static struct tt_kme_input *input_at(const struct tt_kme *m, uint32_t port)
{
    uint32_t i = m->input_of[port];

    return i == TT_NONE ? NULL : &m->input[i];
}

void tt_kme_input_inner(struct tt_kme *m, uint32_t port)
{
    struct tt_kme_input *in = input_at(m, port);

    if (in) /* no clock */
        in->inner = 1;
}

static void end_course(struct tt_kme *m, struct tt_kme_input *in)
{
    m->n_active -= in->active != 0;
    m->kept.note[TT_KME_CHANGED] |= in->active != 0;
    in->active = 0;
}

/* What a span sets: is any of it an event? */
static int span_leaps(const struct tt_kfmi_unit *k, const struct tt_span *s)
{
    const struct tt_desc *d = k->base.desc;
    const char *value = s->value;

    for (size_t i = 0; i < s->n; i++) {
        const struct tt_kme_input *in = input_at(k->me, s->port[i]);

        if (!in || leaps(k, in, value))
            return 1;
        value += tt_port_size(&d->port[s->port[i]]);
    }
    return 0;
}

static void hold_span(struct tt_kfmi_unit *k, const struct tt_span *s)
{
    const struct tt_desc *d = k->base.desc;
    const char *value = s->value;

    for (size_t i = 0; i < s->n; i++) {
        struct tt_kme_input *in = input_at(k->me, s->port[i]);

        if (in) {
            end_course(k->me, in);
            hold(k, in, value);
        } else {
            k->me->kept.note[TT_KME_CHANGED] = 1;
        }
        value += tt_port_size(&d->port[s->port[i]]);
    }
}

static enum tt_code set_now(struct tt_kfmi_unit *k, const struct tt_span *s,
                            tt_err *err)
{
    enum tt_code rc = tt_kfmi_move(k, s, 1, err);

    if (rc == TT_OK)
        hold_span(k, s);
    return rc;
}

/* In continuous-time mode only what is continuous may be set (FMI 2.0.5,
 * 3.2.3), and nothing else has changed. */
static enum tt_code set_flowing(struct tt_kfmi_unit *k, const struct tt_span *s,
                                tt_err *err)
{
    const struct tt_desc *d = k->base.desc;
    char *value = s->value;
    enum tt_code rc = TT_OK;
    size_t n = 0;

    while (n < s->n && is_continuous(k, s->port[n]))
        n++;
    if (n == s->n)
        return set_now(k, s, err);
    for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
        const struct tt_span one = {s->port + i, 1, value};

        if (is_continuous(k, s->port[i]))
            rc = set_now(k, &one, err);
        value += tt_port_size(&d->port[s->port[i]]);
    }
    return rc;
}

enum tt_code tt_kme_set(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    enum tt_code rc = TT_OK;

    if (k->me->system && k->me->system->when == TT_KME_FLOWS)
        return set_flowing(k, s, err);
    if (u->life == TT_LIFE_READY && span_leaps(k, s))
        rc = tt_kme_enter_event(k, err);
    if (rc != TT_OK)
        return rc;
    return u->life == TT_LIFE_READY && !k->me->kept.event
               ? set_flowing(k, s, err)
               : set_now(k, s, err);
}

enum tt_code tt_kme_set_held(struct tt_kfmi_unit *k, tt_err *err)
{
    struct tt_kme *m = k->me;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < m->n_input && rc == TT_OK; i++) {
        const struct tt_kme_input *in = &m->input[i];

        if (*in->known)
            rc = tt_kfmi_move(k, &(struct tt_span){&in->port, 1, in->held}, 1,
                              err);
    }
    return rc;
}

/* --- courses -------------------------------------------------------------- */

enum tt_fmi_status tt_kme_inputs_at(struct tt_kfmi_unit *k, double t)
{
    const struct tt_kfmi_access *a = &k->type->version->access[TT_F64];
    struct tt_kme *m = k->me;
    struct tt_what w = {.vr = m->value_vr, .target = tt_kfmi_fn(k, a->set_at)};
    const struct tt_call c = {.what = &w, .handle = k->comp, .val = m->value};

    for (uint32_t i = 0; i < m->n_input; i++) {
        const struct tt_kme_input *in = &m->input[i];

        if (!in->active)
            continue;
        m->value_vr[w.n++] = k->type->vr[in->port];
        for (uint32_t j = 0; j < in->n; j++)
            m->value[w.n_val++] = tt_poly_at(&in->poly[j], t);
    }
    return (enum tt_fmi_status)a->set(&c, NULL);
}

void tt_kme_end_courses(struct tt_kfmi_unit *k)
{
    struct tt_kme *m = k->me;

    for (uint32_t i = 0; m->n_active && i < m->n_input; i++) {
        struct tt_kme_input *in = &m->input[i];
        double *held = (double *)(void *)in->held;

        if (!in->active)
            continue;
        for (uint32_t j = 0; j < in->n; j++)
            held[j] = tt_poly_at(&in->poly[j], tt_ode_time(m->system->ode));
        *in->known = 1;
        end_course(m, in);
    }
}

/* The values a course begins with. */
static int begins_with_leap(struct tt_kfmi_unit *k, struct tt_kme_input *in,
                            const struct tt_poly *p)
{
    struct tt_kme *m = k->me;

    for (uint32_t j = 0; j < in->n; j++)
        m->value[j] = tt_poly_at(&p[j], k->base.now);
    return leaps(k, in, m->value);
}

enum tt_code tt_kme_course(tt_unit *u, const struct tt_span *s,
                           const struct tt_poly *p, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    struct tt_kme *m = k->me;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && i < s->n; i++) {
        struct tt_kme_input *in = input_at(m, s->port[i]);

        if (begins_with_leap(k, in, p))
            rc = tt_kme_enter_event(k, err);
        memcpy(in->poly, p, in->n * sizeof(*p));
        p += in->n;
        m->n_active += !in->active;
        in->active = 1;
        m->kept.note[TT_KME_CHANGED] = 1;
    }
    return rc == TT_OK && s->n
               ? tt_kfmi_check(k, tt_kfmi_call_name(k, TT_F64, 1),
                               tt_kme_inputs_at(k, u->now), err)
               : rc;
}

/* --- bound calls -----------------------------------------------------------
 */

/* GET is a call of the FMU's function; set and step have to look first. */
enum tt_code tt_kme_bind(tt_unit *u, enum tt_verb verb, const struct tt_span *s,
                         struct tt_call *c, tt_err *err)
{
    static const struct tt_kfmi_bound nothing = {NULL, NULL};
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    const uint32_t *unused;
    enum tt_code rc;

    if (verb == TT_VERB_GET)
        return tt_kfmi_bind(k, verb, s, &nothing, c, err);
    if (verb == TT_VERB_STEP)
        return TT_EUNSUPPORTED;
    /* so that nothing is allocated when it is made */
    rc = tt_kfmi_refs(k->type, s->port, s->n, &unused, err);
    return rc == TT_OK ? TT_EUNSUPPORTED : rc;
}
