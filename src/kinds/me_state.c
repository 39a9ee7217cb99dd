/* SPDX-License-Identifier: MIT */
/* Model exchange: a saved state is the FMU's own and, beside it, an image of
 * what we remember: modes, next event, inputs and, of the first member of a
 * system, the integrator. Of an FMU that cannot save itself, or whose state is
 * no bytes (by_states), the image has time and states, too, which are set again
 * where there is nothing else. */
#include <string.h>

#include "kinds/me_impl.h"

/* Where the parts of an image begin. */
struct parts {
    size_t held, states, system, end;
};

static struct parts parts_of(const struct tt_kme *m)
{
    struct parts p = {.held = sizeof(m->kept)};

    p.states = p.held + m->n_held;
    p.system =
        p.states + (m->by_states ? (m->n_x + (size_t)1) * sizeof(double) : 0);
    p.end = p.system;
    if (m->leads)
        p.end += sizeof(m->system->kept) + tt_ode_size(m->system->ode);
    return p;
}

void tt_kme_plan_image(struct tt_kme *m)
{
    m->image = parts_of(m).end;
}

static void write_image(const struct tt_kme *m, char *to)
{
    const struct tt_kme_system *s = m->system;
    struct parts p = parts_of(m);
    double t = tt_ode_time(s->ode);

    memcpy(to, &m->kept, sizeof(m->kept));
    memcpy(to + p.held, m->held, m->n_held);
    if (m->by_states) {
        memcpy(to + p.states, &t, sizeof(t));
        memcpy(to + p.states + sizeof(t), tt_ode_states(s->ode) + m->first_x,
               m->n_x * sizeof(double));
    }
    if (!m->leads)
        return;
    memcpy(to + p.system, &s->kept, sizeof(s->kept));
    tt_ode_pack(s->ode, to + p.system + sizeof(s->kept));
}

static void read_image(struct tt_kme *m, const char *from)
{
    struct tt_kme_system *s = m->system;
    struct parts p = parts_of(m);

    memcpy(&m->kept, from, sizeof(m->kept));
    memcpy(m->held, from + p.held, m->n_held);
    if (!m->leads)
        return;
    memcpy(&s->kept, from + p.system, sizeof(s->kept));
    tt_ode_unpack(s->ode, from + p.system + sizeof(s->kept));
}

/* The FMU itself as the image has it: its mode, time, states, inputs. */
static enum tt_code put_back(struct tt_kfmi_unit *k, const char *from,
                             tt_err *err)
{
    struct tt_kme *m = k->me;
    const char *at = from + parts_of(m).states;
    struct tt_kme_kept kept;
    enum tt_code rc = TT_OK;
    double t;
    int placed;

    if (m->kept.event)
        rc = tt_kme_system_settle(m->system, k->base.now, err);
    if (rc != TT_OK)
        return rc;
    read_image(m, from);
    kept = m->kept;
    memcpy(&t, at, sizeof(t));
    memcpy(m->x, at + sizeof(t), m->n_x * sizeof(double));
    m->system->err = err;
    placed = tt_kme_place(k, t, m->x);
    m->system->err = NULL;
    if (placed > 0)
        return tt_fail(err, TT_EUNIT, "it discards states it had before");
    rc = placed ? TT_EUNIT : tt_kme_set_held(k, err);
    m->kept.event = 0;
    if (rc == TT_OK && kept.event)
        rc = tt_kme_enter_event(k, err);
    m->kept = kept;
    return rc;
}

static char *image_of(const struct tt_kme *m, uint32_t reg)
{
    return m->saved + reg * m->image;
}

enum tt_code tt_kme_prepare(tt_unit *u, uint32_t n_state, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    char *more = tt_resize(k->me->saved, n_state + 1, k->me->image);
    enum tt_code rc;

    if (!more)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    k->me->saved = more;
    if (n_state > u->n_spare && !k->me->saves)
        tt_log(u->log, TT_LOG_INFO,
               "instance '%s': its FMU cannot save its state; steps are taken "
               "back by setting time, states and inputs",
               u->name);
    rc = tt_kfmi_prepare(k, n_state, err);
    if (rc != TT_OK || u->life != TT_LIFE_EVENT)
        return rc;
    /* the event at the start, for callers that did not play it themselves */
    rc = tt_kme_system_settle(k->me->system, u->now, err);
    if (rc == TT_OK)
        u->life = TT_LIFE_READY;
    return rc;
}

enum tt_code tt_kme_save(tt_unit *u, uint32_t reg, tt_err *err)
{
    const struct tt_kme *m = tt_kfmi_unit(u)->me;
    enum tt_code rc = m->saves ? tt_kfmi_save(u, reg, err) : TT_OK;

    if (rc == TT_OK)
        write_image(m, image_of(m, reg));
    return rc;
}

enum tt_code tt_kme_restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    struct tt_kme *m = k->me;
    enum tt_code rc;

    tt_kme_end_courses(k);
    if (m->by_states && !k->state[reg])
        return put_back(k, image_of(m, reg), err);
    rc = tt_kfmi_restore(u, reg, err);
    if (rc == TT_OK)
        read_image(m, image_of(m, reg));
    return rc;
}

enum tt_code tt_kme_packable(tt_unit *u, tt_err *err)
{
    return tt_kfmi_unit(u)->me->by_states ? TT_OK : tt_kfmi_packable(u, err);
}

static struct tt_kfmi_image packed(const struct tt_kme *m, uint32_t reg)
{
    return (struct tt_kfmi_image){image_of(m, reg), m->image, m->by_states};
}

enum tt_code tt_kme_pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                         tt_err *err)
{
    return tt_kfmi_pack_with(u, reg, packed(tt_kfmi_unit(u)->me, reg), b, err);
}

enum tt_code tt_kme_unpack(tt_unit *u, uint32_t reg, const struct tt_bytes *b,
                           tt_err *err)
{
    return tt_kfmi_unpack_with(u, reg, packed(tt_kfmi_unit(u)->me, reg), b,
                               err);
}
