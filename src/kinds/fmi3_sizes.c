/* SPDX-License-Identifier: MIT */
/* Unit kinds fmi3 and fmi3me: structural parameters, which are set in
 * configuration mode, and the sizes that follow them.
 *
 * FMI 3.0.2, 2.3.1: configuration mode is entered from the state a unit is
 * made in, and left to it. It is entered when the first one is set, and left
 * when something else is or when the unit is configured. */
#include "kinds/fmi3_impl.h"

#include <string.h>

#include "kinds/me_impl.h"

static enum tt_code enter(struct tt_k3_unit *u, tt_err *err)
{
    if (u->sizes.configuring)
        return TT_OK;
    if (!tt_k3_fns(u)->enter_configuration)
        return tt_kfmi_missing("fmi3EnterConfigurationMode", err);
    if (!tt_k3_fns(u)->exit_configuration)
        return tt_kfmi_missing("fmi3ExitConfigurationMode", err);
    u->sizes.configuring = 1;
    return tt_kfmi_check(&u->k, "fmi3EnterConfigurationMode",
                         tt_k3_fns(u)->enter_configuration(u->k.comp), err);
}

static enum tt_code leave(struct tt_k3_unit *u, tt_err *err)
{
    if (!u->sizes.configuring)
        return TT_OK;
    u->sizes.configuring = 0;
    return tt_kfmi_check(&u->k, "fmi3ExitConfigurationMode",
                         tt_k3_fns(u)->exit_configuration(u->k.comp), err);
}

/* What a structural parameter gives as a size is remembered. */
static enum tt_code remember(struct tt_k3_unit *u, uint32_t port,
                             const void *value, tt_err *err)
{
    const struct tt_desc *d = u->k.base.desc;

    if (d->port[port].type != TT_U64 || d->port[port].n != 1)
        return TT_OK; /* FMI 3.0.2, 2.4.7.1: sizes are UInt64 */
    if (!u->sizes.of && !(u->sizes.of = tt_desc_sizes(d)))
        return tt_nomem(err, "sizes");
    memcpy(&u->sizes.of[port], value, sizeof(u->sizes.of[port]));
    return TT_OK;
}

static enum tt_code set_one(struct tt_k3_unit *u, const struct tt_span *one,
                            tt_err *err)
{
    const struct tt_port *p = &u->k.base.desc->port[one->port[0]];
    int structural = p->causality == TT_CAUS_STRUCTURAL;
    enum tt_code rc = structural ? enter(u, err) : leave(u, err);

    if (rc == TT_OK)
        rc = tt_kfmi_move(&u->k, one, 1, err);
    return rc == TT_OK && structural
               ? remember(u, one->port[0], one->value, err)
               : rc;
}

int tt_k3_is_configured_by(const struct tt_k3_unit *u, const struct tt_span *s)
{
    if (u->k.base.life != TT_LIFE_MADE)
        return 0;
    if (u->sizes.configuring)
        return 1;
    for (size_t i = 0; i < s->n; i++)
        if (u->k.base.desc->port[s->port[i]].causality == TT_CAUS_STRUCTURAL)
            return 1;
    return 0;
}

enum tt_code tt_k3_set_structural(struct tt_k3_unit *u, const struct tt_span *s,
                                  tt_err *err)
{
    const struct tt_port *port = u->k.base.desc->port;
    char *value = s->value;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && i < s->n; i++) {
        const struct tt_span one = {&s->port[i], 1, value};

        rc = set_one(u, &one, err);
        value += tt_port_size(&port[s->port[i]]);
    }
    return rc;
}

/* What was planned by the sizes of the description is planned again. */
static enum tt_code follow(struct tt_k3_unit *u, tt_err *err)
{
    if (u->k.me)
        return tt_kme_resize(&u->k, err);
    return u->course ? tt_k3_resize_courses(u, err) : TT_OK;
}

static void forget(struct tt_k3_unit *u)
{
    u->k.base.desc = &u->k.type->base.desc;
    tt_arena_free(u->sizes.arena);
    tt_free(u->sizes.of);
    u->sizes = (struct tt_k3_sizes){0};
}

enum tt_code tt_k3_configure(tt_unit *base, tt_err *err)
{
    struct tt_k3_unit *u = tt_k3_unit(base);
    struct tt_desc *d = NULL;
    enum tt_code rc = leave(u, err);

    if (rc != TT_OK || !u->sizes.of)
        return rc;
    u->sizes.arena = tt_arena_new();
    if (!u->sizes.arena)
        return tt_nomem(err, "sizes");
    rc = tt_desc_resize(&d, u->sizes.arena, base->desc, u->sizes.of, err);
    if (rc != TT_OK)
        return rc;
    base->desc = d;
    return follow(u, err);
}

enum tt_code tt_k3_forget_sizes(struct tt_k3_unit *u, tt_err *err)
{
    int sized = u->sizes.arena != NULL;

    forget(u);
    return sized ? follow(u, err) : TT_OK;
}

void tt_k3_free_sizes(struct tt_k3_unit *u)
{
    forget(u);
}
