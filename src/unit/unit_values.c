/* SPDX-License-Identifier: MIT */
/* Values of a unit, and their derivatives. */
#include "unit/unit_impl.h"

#include <stdio.h>

enum tt_code tt_uc_check_span(const tt_unit *u, enum tt_uc c,
                              const struct tt_span *s, tt_err *err)
{
    const struct tt_port *port = u->desc->port;

    for (size_t i = 0; i < s->n; i++) {
        if (s->port[i] >= u->desc->n_port)
            return tt_uc_refuse(
                u, c, TT_EINPUT, err, "there is no port %u, it has %u",
                (unsigned)s->port[i], (unsigned)u->desc->n_port);
        if (port[s->port[i]].type != port[s->port[0]].type)
            return tt_uc_refuse(
                u, c, TT_EINPUT, err,
                "'%s' is %s and '%s' is %s, one call moves "
                "one type",
                port[s->port[0]].name, tt_type_name(port[s->port[0]].type),
                port[s->port[i]].name, tt_type_name(port[s->port[i]].type));
    }
    return TT_OK;
}

enum tt_code tt_unit_name_ports(const tt_unit *u, const struct tt_span *s,
                                enum tt_code rc, tt_err *err)
{
    const struct tt_port *port = u->desc->port;

    if (s->n == 1)
        return tt_context(err, rc, "'%s'", port[s->port[0]].name);
    if (s->n == 2)
        return tt_context(err, rc, "'%s', '%s'", port[s->port[0]].name,
                          port[s->port[1]].name);
    return tt_context(err, rc, "'%s', '%s' and %zu more", port[s->port[0]].name,
                      port[s->port[1]].name, s->n - 2);
}

/* Structural parameters decide sizes, which are final after configure. */
static enum tt_code check_structural(const tt_unit *u, const struct tt_span *s,
                                     tt_err *err)
{
    if (u->life == TT_LIFE_MADE)
        return TT_OK;
    for (size_t i = 0; i < s->n; i++) {
        const struct tt_port *p = &u->desc->port[s->port[i]];

        if (p->causality == TT_CAUS_STRUCTURAL)
            return tt_uc_refuse(u, TT_UC_SET, TT_ESTATE, err,
                                "structural parameter '%s' can only be set "
                                "before configure",
                                p->name);
    }
    return TT_OK;
}

static enum tt_code admit_values(tt_unit *u, enum tt_uc c,
                                 const struct tt_span *s, tt_err *err)
{
    enum tt_code rc = tt_uc_admit(u, c, err);

    return rc == TT_OK ? tt_uc_check_span(u, c, s, err) : rc;
}

static enum tt_code settle_values(tt_unit *u, enum tt_uc c,
                                  const struct tt_span *s, enum tt_code rc,
                                  tt_err *err)
{
    if (rc != TT_OK)
        tt_unit_name_ports(u, s, rc, err);
    return tt_uc_settle(u, c, rc, err);
}

enum tt_code tt_unit_get(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    enum tt_code rc = admit_values(u, TT_UC_GET, s, err);

    if (rc != TT_OK || s->n == 0)
        return rc;
    TT_ASSERT(s->value);
    return settle_values(u, TT_UC_GET, s, u->ops->get(u, s, err), err);
}

enum tt_code tt_unit_set(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    enum tt_code rc = admit_values(u, TT_UC_SET, s, err);

    if (rc == TT_OK)
        rc = check_structural(u, s, err);
    if (rc != TT_OK || s->n == 0)
        return rc;
    TT_ASSERT(s->value);
    return settle_values(u, TT_UC_SET, s, u->ops->set(u, s, err), err);
}

/* The highest order of its pieces. */
static uint32_t order_of(const struct tt_poly *p)
{
    uint32_t order = p->order;

    for (uint32_t i = 0; i < p->n_next; i++)
        order = p->next[i].order > order ? p->next[i].order : order;
    return order;
}

static enum tt_code check_course(const tt_unit *u, const struct tt_span *s,
                                 const struct tt_poly *p, tt_err *err)
{
    uint32_t max = u->desc->caps.course_order;

    for (size_t i = 0; i < s->n; i++) {
        const struct tt_port *port = &u->desc->port[s->port[i]];

        if (!port->course_ok || !tt_type_is_float(port->type))
            return tt_uc_refuse(u, TT_UC_COURSE, TT_EINPUT, err,
                                "'%s' takes no course", port->name);
        for (uint32_t k = 0; k < port->n; k++, p++) {
            if (order_of(p) > max)
                return tt_uc_refuse(u, TT_UC_COURSE, TT_EINPUT, err,
                                    "a course of order %u for '%s', it takes "
                                    "at most order %u",
                                    (unsigned)order_of(p), port->name,
                                    (unsigned)max);
            if (p->n_next && !u->desc->caps.course_pieces)
                return tt_uc_refuse(u, TT_UC_COURSE, TT_EINPUT, err,
                                    "a course of %u pieces for '%s', it takes "
                                    "one polynomial",
                                    (unsigned)p->n_next + 1, port->name);
        }
    }
    return TT_OK;
}

enum tt_code tt_unit_course(tt_unit *u, const struct tt_span *s,
                            const struct tt_poly *p, tt_err *err)
{
    enum tt_code rc;

    if (u->desc->caps.course_order == 0)
        return tt_uc_cannot(u, "take courses of its inputs", err);
    rc = admit_values(u, TT_UC_COURSE, s, err);
    if (rc == TT_OK)
        rc = check_course(u, s, p, err);
    if (rc != TT_OK || s->n == 0)
        return rc;
    return settle_values(u, TT_UC_COURSE, s, u->ops->course(u, s, p, err), err);
}

enum tt_code tt_unit_rates(tt_unit *u, const struct tt_span *s, uint32_t order,
                           tt_err *err)
{
    enum tt_code rc;

    if (u->desc->caps.rate_order == 0)
        return tt_uc_cannot(u, "give derivatives of its outputs", err);
    rc = admit_values(u, TT_UC_RATES, s, err);
    if (rc != TT_OK)
        return rc;
    if (order < 1 || order > u->desc->caps.rate_order)
        return tt_uc_refuse(u, TT_UC_RATES, TT_EINPUT, err,
                            "derivative %u asked for, it gives 1 to %u",
                            (unsigned)order,
                            (unsigned)u->desc->caps.rate_order);
    if (s->n == 0)
        return TT_OK;
    return settle_values(u, TT_UC_RATES, s, u->ops->rates(u, s, order, err),
                         err);
}

/* --- values within steps ------------------------------------------------ */

enum tt_code tt_unit_keep_trail(tt_unit *u, const struct tt_make *m,
                                tt_err *err)
{
    for (uint32_t i = 0; i < m->n_trail; i++) {
        uint32_t p = m->trail[i];

        if (p >= u->desc->n_port || !u->desc->port[p].trail_ok)
            return tt_fail(err, TT_EINPUT, "port %u has no values within steps",
                           (unsigned)p);
    }
    u->trail_fine = m->trail_fine != 0;
    return m->n_trail ? tt_trail_new(&u->trail, m->trail, m->n_trail, err)
                      : TT_OK;
}

enum tt_code tt_unit_trail(tt_unit *u, int keep, struct tt_trail_rows *rows,
                           tt_err *err)
{
    enum tt_code rc = tt_uc_admit(u, TT_UC_TRAIL, err);

    *rows = (struct tt_trail_rows){0};
    if (rc != TT_OK)
        return rc;
    if (u->ops->trail)
        return tt_uc_settle(u, TT_UC_TRAIL, u->ops->trail(u, keep, rows, err),
                            err);
    if (!u->trail)
        return TT_OK;
    tt_trail_cut(u->trail, u->now);
    tt_trail_take(u->trail, keep, rows);
    return TT_OK;
}

/* --- derivatives at an instant ------------------------------------------ */

static enum tt_code check_floats(const tt_unit *u, const uint32_t *port,
                                 size_t n, tt_err *err)
{
    struct tt_span s = {port, n, NULL};
    enum tt_code rc = tt_uc_check_span(u, TT_UC_JVP, &s, err);

    for (size_t i = 0; rc == TT_OK && i < n; i++)
        if (!tt_type_is_float(u->desc->port[port[i]].type))
            rc = tt_uc_refuse(u, TT_UC_JVP, TT_EINPUT, err,
                              "'%s' is not a float, it has no derivative",
                              u->desc->port[port[i]].name);
    return rc;
}

enum tt_code tt_unit_jvp(tt_unit *u, const struct tt_jvp *j, tt_err *err)
{
    enum tt_code rc;

    if (!u->desc->caps.directional)
        return tt_uc_cannot(u, "give directional derivatives", err);
    rc = tt_uc_admit(u, TT_UC_JVP, err);
    if (rc == TT_OK)
        rc = check_floats(u, j->unknown, j->n_unknown, err);
    if (rc == TT_OK)
        rc = check_floats(u, j->known, j->n_known, err);
    if (rc != TT_OK || j->n_unknown == 0)
        return rc;
    return tt_uc_settle(u, TT_UC_JVP, u->ops->jvp(u, j, err), err);
}
