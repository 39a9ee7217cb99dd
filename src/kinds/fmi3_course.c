/* SPDX-License-Identifier: MIT */
/* Unit kind fmi3: courses of inputs, values of outputs within steps,
 * derivatives of outputs. */
#include "kinds/fmi3_impl.h"

#include <math.h>
#include <string.h>

/* --- courses ------------------------------------------------------------ */

static enum tt_code plan_courses(struct tt_k3_unit *u, tt_err *err)
{
    const struct tt_desc *d = u->k.base.desc;
    size_t n = 0, all = 0, most = 0;

    for (uint32_t i = 0; i < d->n_port; i++) {
        if (!d->port[i].course_ok)
            continue;
        n++;
        all += d->port[i].n;
        most = d->port[i].n > most ? d->port[i].n : most;
    }
    if (n == 0)
        return TT_OK;
    if (!TT_NEW_ARRAY(u->course, n) || !TT_NEW_ARRAY(u->poly, all) ||
        !TT_NEW_ARRAY(u->value, most))
        return tt_fail(err, TT_ENOMEM, "courses of %zu inputs", n);
    all = 0;
    for (uint32_t i = 0; i < d->n_port; i++) {
        if (!d->port[i].course_ok)
            continue;
        u->course[u->n_course++] = (struct tt_k3_course){
            .port = i, .n = d->port[i].n, .poly = u->poly + all};
        all += d->port[i].n;
    }
    return TT_OK;
}

/* FMI 3.0.2, 2.3.1: all that will be set or read while it steps. */
static enum tt_code require(struct tt_k3_unit *u, tt_err *err)
{
    const uint32_t *vr = u->k.type->vr, *port = NULL;
    uint32_t n = 0;

    if (u->k.base.trail)
        port = tt_trail_ports(u->k.base.trail, &n);
    if (!TT_NEW_ARRAY(u->vr, u->n_course + n))
        return tt_fail(err, TT_ENOMEM, "references of %u variables",
                       (unsigned)(u->n_course + n));
    for (uint32_t i = 0; i < u->n_course; i++)
        u->vr[u->n_vr++] = vr[u->course[i].port];
    for (uint32_t i = 0; i < n; i++)
        u->vr[u->n_vr++] = vr[port[i]];
    return TT_OK;
}

enum tt_code tt_k3_plan_update(struct tt_k3_unit *u, int want_course,
                               tt_err *err)
{
    enum tt_code rc = want_course ? plan_courses(u, err) : TT_OK;

    if (rc != TT_OK || (!u->n_course && !u->k.base.trail))
        return rc;
    return require(u, err);
}

enum tt_code tt_k3_resize_courses(struct tt_k3_unit *u, tt_err *err)
{
    TT_FREE_ALL(u->course, u->vr, u->poly, u->value);
    u->course = NULL;
    u->vr = NULL;
    u->poly = NULL;
    u->value = NULL;
    u->n_course = u->n_active = u->n_vr = 0;
    return tt_k3_plan_update(u, 1, err);
}

static struct tt_k3_course *find_course(struct tt_k3_unit *u, uint32_t port)
{
    for (uint32_t i = 0; i < u->n_course; i++)
        if (u->course[i].port == port)
            return &u->course[i];
    return NULL;
}

void tt_k3_end_courses(struct tt_k3_unit *u, const uint32_t *port, size_t n)
{
    for (size_t i = 0; i < n && u->n_active; i++) {
        struct tt_k3_course *c = find_course(u, port[i]);

        if (c && c->active) {
            c->active = 0;
            u->n_active--;
        }
    }
}

/* A course is for one step. Afterwards its input holds. */
void tt_k3_used_up(struct tt_k3_unit *u)
{
    for (uint32_t i = 0; u->n_active && i < u->n_course; i++)
        u->course[i].active = 0;
    u->n_active = 0;
}

static enum tt_fmi_status set_course(struct tt_k3_unit *u,
                                     const struct tt_k3_course *c, double t)
{
    for (uint32_t k = 0; k < c->n; k++)
        u->value[k] = tt_poly_at(&c->poly[k], t);
    return tt_k3_fns(u)->set_float64(u->k.comp, &u->k.type->vr[c->port], 1,
                                     u->value, c->n);
}

enum tt_code tt_k3_course(tt_unit *base, const struct tt_span *s,
                          const struct tt_poly *p, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);
    enum tt_code rc = TT_OK;

    if (!u->course)
        return tt_fail(err, TT_EUNSUPPORTED, "it was made without courses");
    if (!tt_k3_fns(u)->set_float64)
        return tt_kfmi_missing("fmi3SetFloat64", err);
    for (size_t i = 0; rc == TT_OK && i < s->n; i++) {
        struct tt_k3_course *c = find_course(u, s->port[i]);

        memcpy(c->poly, p, c->n * sizeof(*p));
        p += c->n;
        u->n_active += !c->active;
        c->active = 1;
        rc = tt_kfmi_check(&u->k, "fmi3SetFloat64", set_course(u, c, base->now),
                           err);
    }
    return rc;
}

/* For units that are given no courses. */
void tt_k3_no_update(void *env, double time, bool set_requested,
                     bool get_allowed, bool step_finished,
                     bool can_return_early, bool *return_early,
                     double *return_time)
{
    (void)env;
    (void)set_requested;
    (void)get_allowed;
    (void)step_finished;
    (void)can_return_early;
    if (return_early)
        *return_early = false;
    if (return_time)
        *return_time = time;
}

/* Another version's unit, which has no courses, is possible. */
static void give_courses(struct tt_kfmi_unit *k, double time)
{
    struct tt_k3_unit *u;

    if (!k || k->type->version->number != 3)
        return;
    u = tt_k3_unit(&k->base);
    for (uint32_t i = 0; u->n_active && i < u->n_course; i++) {
        const struct tt_k3_course *c = &u->course[i];

        if (c->active && set_course(u, c, time) > TT_FMI_WARNING)
            tt_kfmi_log(&u->k.logger, TT_LOG_WARN, NULL,
                        "fmi3SetFloat64 failed in intermediate update");
    }
}

/* What an unfinished step of its solver has may be taken back: only what stands
 * is noted. */
static void note_row(struct tt_kfmi_unit *k, double time)
{
    tt_err err;

    if (k && k->base.trail && tt_kfmi_note(k, time, &err) != TT_OK)
        tt_kfmi_log(&k->logger, TT_LOG_WARN, NULL, err.msg);
}

/* Inside fmi3DoStep. Comes unasked from some FMUs, and with arguments of all
 * sorts. */
void tt_k3_intermediate(void *env, double time, bool set_requested,
                        bool get_allowed, bool step_finished,
                        bool can_return_early, bool *return_early,
                        double *return_time)
{
    struct tt_kfmi_unit *k, *pinned;

    tt_k3_no_update(env, time, set_requested, get_allowed, step_finished,
                    can_return_early, return_early, return_time);
    get_allowed = get_allowed && step_finished;
    if ((!set_requested && !get_allowed) || !isfinite(time))
        return;
    k = tt_kfmi_played(); /* it lives as long as it is called */
    pinned = k ? NULL : tt_kfmi_pin(env);
    k = k ? k : pinned;
    if (set_requested)
        give_courses(k, time);
    if (get_allowed)
        note_row(k, time);
    tt_kfmi_unpin(pinned);
}

/* --- derivatives -------------------------------------------------------- */

enum tt_code tt_k3_rates(tt_unit *base, const struct tt_span *s, uint32_t order,
                         tt_err *err)
{
    if (base->desc->port[s->port[0]].type != TT_F64 &&
        tt_kfmi_unit(base)->type->has_rates)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "FMI 3 has derivatives of Float64 outputs only");
    return tt_kfmi_rates(base, s, order, err);
}
