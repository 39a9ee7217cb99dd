/* SPDX-License-Identifier: MIT */
/* Being a unit: everything goes to the run inside. */
#include <string.h>

#include "compose/compose_impl.h"

/* --- life ----------------------------------------------------------------- */

static enum tt_code new_run(struct composite *c, tt_err *err)
{
    const struct tt_make *m = &c->make;
    struct tt_run_host host = {.name = c->base.name,
                               .texts = c->base.texts,
                               .like = c->type->run,
                               .takes_back = m->early_return || m->takes_back,
                               .ends_early = m->takes_back,
                               TT_SAME(m, activity, grown, early_return,
                                       event_mode, visible, logging, experiment,
                                       n_trail, trail_fine),
                               .wrap_cb = c->border ? border_wrap : NULL,
                               .wrap_ctx = c->border,
                               .trail = c->base.trail,
                               .trail_slot = c->trail_slot};
    struct tt_run_opts o = {.log = m->log, .host = &host};
    enum tt_code rc = tt_run_new(&c->run, c->type->scenario, &o, err);
    uint32_t was;

    if (rc != TT_OK)
        return rc;
    was = tt_guest_begin(c->run);
    return tt_guest_done(c->run, was, tt_guest_make(c->run, err));
}

static enum tt_code
composite_enter_init(tt_unit *u, const struct tt_experiment *e, tt_err *err)
{
    tt_run *r = composite_of(u)->run;
    uint32_t was = tt_guest_begin(r);

    return tt_guest_done(r, was, tt_guest_enter(r, e, err));
}

static enum tt_code composite_exit_init(tt_unit *u, tt_err *err)
{
    struct composite *c = composite_of(u);
    uint32_t was = tt_guest_begin(c->run);
    enum tt_code rc = tt_guest_leave(c->run, err);

    if (rc == TT_OK && c->make.event_mode && tt_guest_starts_in_event(c->run))
        u->life = TT_LIFE_EVENT;
    return tt_guest_done(c->run, was, rc);
}

static enum tt_code composite_prepare(tt_unit *u, uint32_t n_state, tt_err *err)
{
    tt_run *r = composite_of(u)->run;
    uint32_t was = tt_guest_begin(r);

    return tt_guest_done(r, was, tt_guest_prepare(r, n_state, err));
}

static enum tt_code composite_end(tt_unit *u, tt_err *err)
{
    tt_run *r = composite_of(u)->run;
    uint32_t was = tt_guest_begin(r);

    return tt_guest_done(r, was, tt_run_end(r, err));
}

static enum tt_code composite_reset(tt_unit *u, tt_err *err)
{
    struct composite *c = composite_of(u);

    tt_run_free(c->run);
    c->run = NULL;
    tangent_free(c->tangent); /* of that run */
    c->tangent = NULL;
    if (c->border)
        border_forget(c->border, NULL);
    return new_run(c, err);
}

static void composite_free(tt_unit *u)
{
    struct composite *c = composite_of(u);

    tt_run_free(c->run);
    border_free(c->border);
    tangent_free(c->tangent);
    TT_FREE_ALL(c->value, c->trail_slot);
    tt_unit_fini(u);
    tt_free(u);
}

/* --- values --------------------------------------------------------------- */

/* Outputs have the value the play inside gave them: right after a step where
 * the unit may not be read later, and with what follows from inputs where it
 * may. The rest is asked for. */
static enum tt_code get_one(struct composite *c, uint32_t port, void *value,
                            tt_err *err)
{
    const struct tt_plan_port *p = &c->port[port];
    const struct tt_plan_target *t = &p->target[0];

    if (p->slot == TT_NONE)
        return tt_unit_get(tt_guest_unit(c->run, t->unit),
                           &(struct tt_span){&t->port, 1, value}, err);
    if (c->base.desc->port[port].type == TT_CLOCK)
        *(uint8_t *)value = (uint8_t)tt_guest_ticks(c->run, p->slot);
    else
        memcpy(value, tt_part_value(tt_run_part(c->run), p->slot),
               tt_port_size(&c->base.desc->port[port]));
    return TT_OK;
}

static enum tt_code composite_get(tt_unit *u, const struct tt_span *s,
                                  tt_err *err)
{
    struct composite *c = composite_of(u);
    uint32_t was = tt_guest_begin(c->run);
    enum tt_code rc = tt_guest_refresh(c->run, err);
    char *value = s->value;

    if (rc == TT_OK && tt_guest_in_event(c->run))
        rc = composite_show(c, s, err);
    for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
        rc = get_one(c, s->port[i], value, err);
        value += tt_port_size(&u->desc->port[s->port[i]]);
    }
    return tt_guest_done(c->run, was, rc);
}

static enum tt_code set_one(struct composite *c, uint32_t port, void *value,
                            tt_err *err)
{
    const struct tt_plan_port *p = &c->port[port];
    enum tt_code rc = TT_OK;

    if (port + 1 == c->base.desc->internal) {
        if (*(const uint8_t *)value)
            tt_guest_event_go(c->run);
        return TT_OK;
    }
    for (uint32_t k = 0; k < p->n_target && rc == TT_OK; k++) {
        if (composite_is_event(c, port, &p->target[k]))
            rc = composite_event_set(c, &p->target[k], value, err);
        else
            rc = tt_unit_set(tt_guest_unit(c->run, p->target[k].unit),
                             &(struct tt_span){&p->target[k].port, 1, value},
                             err);
    }
    return rc;
}

static enum tt_code composite_set(tt_unit *u, const struct tt_span *s,
                                  tt_err *err)
{
    struct composite *c = composite_of(u);
    uint32_t was = tt_guest_begin(c->run);
    enum tt_code rc = TT_OK;
    char *value = s->value;

    if (c->border)
        border_forget(c->border, s);
    for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
        rc = set_one(c, s->port[i], value, err);
        value += tt_port_size(&u->desc->port[s->port[i]]);
    }
    if (u->life != TT_LIFE_EVENT)
        tt_guest_touch(c->run);
    return tt_guest_done(c->run, was, rc);
}

static enum tt_code composite_course(tt_unit *u, const struct tt_span *s,
                                     const struct tt_poly *p, tt_err *err)
{
    struct composite *c = composite_of(u);

    if (!c->border)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "it was made without courses in mind");
    border_keep(c->border, s, p);
    return TT_OK;
}

static enum tt_code composite_rates(tt_unit *u, const struct tt_span *s,
                                    uint32_t order, tt_err *err)
{
    struct composite *c = composite_of(u);
    uint32_t was = tt_guest_begin(c->run);
    enum tt_code rc = TT_OK;
    char *value = s->value;

    for (size_t i = 0; i < s->n && rc == TT_OK; i++) {
        const struct tt_plan_target *t = &c->port[s->port[i]].target[0];

        rc = tt_unit_rates(tt_guest_unit(c->run, t->unit),
                           &(struct tt_span){&t->port, 1, value}, order, err);
        value += tt_port_size(&u->desc->port[s->port[i]]);
    }
    return tt_guest_done(c->run, was, rc);
}

/* --- time and states ------------------------------------------------------ */

static enum tt_code composite_step(tt_unit *u, const struct tt_step *s,
                                   struct tt_stepped *r, tt_err *err)
{
    struct composite *c = composite_of(u);
    uint32_t was = tt_guest_begin(c->run);
    enum tt_code rc = tt_guest_step(c->run, s, r, err);

    if (c->border)
        border_forget(c->border, NULL);
    return tt_guest_done(c->run, was, rc);
}

static enum tt_code composite_max_step(tt_unit *u, double *h, tt_err *err)
{
    tt_run *r = composite_of(u)->run;
    uint32_t was = tt_guest_begin(r);

    return tt_guest_done(r, was, tt_guest_max_step(r, h, err));
}

static enum tt_code composite_save(tt_unit *u, uint32_t reg, tt_err *err)
{
    tt_run *r = composite_of(u)->run;
    uint32_t was = tt_guest_begin(r);
    enum tt_code rc = tt_guest_in_event(r) ? tt_guest_refresh(r, err) : TT_OK;

    return tt_guest_done(r, was, rc == TT_OK ? tt_run_save(r, reg, err) : rc);
}

static enum tt_code composite_restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct composite *c = composite_of(u);
    uint32_t was = tt_guest_begin(c->run);

    if (c->border)
        border_forget(c->border, NULL);
    return tt_guest_done(c->run, was, tt_run_restore(c->run, reg, err));
}

static enum tt_code composite_pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                                   tt_err *err)
{
    tt_run *r = composite_of(u)->run;
    uint32_t was = tt_guest_begin(r);

    return tt_guest_done(r, was, tt_run_pack(r, reg, b, err));
}

/* Names the unit inside that cannot. */
static enum tt_code composite_packable(tt_unit *u, tt_err *err)
{
    tt_run *r = composite_of(u)->run;
    uint32_t was = tt_guest_begin(r);
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < tt_run_plan(r)->n_unit && rc == TT_OK; i++)
        rc = tt_unit_packable(tt_guest_unit(r, i), err);
    return tt_guest_done(r, was, rc);
}

static enum tt_code composite_unpack(tt_unit *u, uint32_t reg,
                                     const struct tt_bytes *b, tt_err *err)
{
    tt_run *r = composite_of(u)->run;
    uint32_t was = tt_guest_begin(r);

    return tt_guest_done(r, was, tt_run_unpack(r, reg, b, err));
}

/* --- making --------------------------------------------------------------- */

static const struct tt_unit_ops composite_ops = {
    TT_HOOKS(composite_, enter_init, exit_init, prepare, end, reset, free, get,
             set, course, rates, jvp, step, event_enter, event_update,
             event_leave, max_step, save, restore, pack, unpack, packable)};

static enum tt_code keep_trail(struct composite *c, const struct tt_make *m,
                               tt_err *err)
{
    enum tt_code rc = tt_unit_keep_trail(&c->base, m, err);

    if (rc != TT_OK || !m->n_trail)
        return rc;
    if (!TT_NEW_ARRAY(c->trail_slot, m->n_trail))
        return composite_nomem(err);
    for (uint32_t i = 0; i < m->n_trail; i++)
        c->trail_slot[i] = c->port[m->trail[i]].slot;
    c->make.n_trail = m->n_trail;
    c->make.trail_fine = m->trail_fine;
    return TT_OK;
}

static enum tt_code fill(struct composite *c, struct composite_type *t,
                         const struct tt_make *m, tt_err *err)
{
    enum tt_code rc =
        tt_unit_init(&c->base, &composite_ops, &t->base.desc, m, err);

    c->type = t;
    c->port = tt_run_plan(t->run)->port;
    c->make =
        (struct tt_make){TT_SAME(m, log, activity, grown, visible, logging,
                                 event_mode, early_return, takes_back)};
    if (m->experiment) {
        c->experiment = *m->experiment;
        c->make.experiment = &c->experiment;
    }
    if (rc == TT_OK)
        rc = keep_trail(c, m, err);
    if (rc == TT_OK && m->want_course && t->base.desc.caps.course_order)
        rc = border_new(&c->border, t, err);
    if (rc == TT_OK && t->base.desc.caps.event_mode)
        rc = composite_event_room(c, err);
    return rc == TT_OK ? new_run(c, err) : rc;
}

enum tt_code composite_make(tt_unit **out, tt_unit_type *t,
                            const struct tt_make *m, tt_err *err)
{
    struct composite *c;
    enum tt_code rc;

    if (!TT_NEW(c))
        return composite_nomem(err);
    rc = fill(c, (struct composite_type *)(void *)t, m, err);
    if (rc == TT_OK) {
        *out = &c->base;
        return TT_OK;
    }
    composite_free(&c->base);
    return tt_context(err, rc, "instance '%s' (composite)", m->name);
}
