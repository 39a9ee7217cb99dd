/* SPDX-License-Identifier: MIT */
/* Events of a composite: one microstep outside is one inside. */
#include "compose/compose_impl.h"
#include "player/event.h"

static const struct tt_port *port_inside(const struct composite *c,
                                         const struct tt_plan_target *t)
{
    return &tt_run_plan(c->run)->unit[t->unit].desc->port[t->port];
}

enum tt_code composite_event_room(struct composite *c, tt_err *err)
{
    const struct tt_desc *d = c->base.desc;
    size_t most = 1;

    for (uint32_t i = 0; i < d->n_port; i++)
        if (d->port[i].causality == TT_CAUS_INPUT &&
            tt_port_size(&d->port[i]) > most)
            most = tt_port_size(&d->port[i]);
    c->value = tt_zalloc(1, most);
    return c->value ? TT_OK : composite_nomem(err);
}

/* --- inputs ---------------------------------------------------------------
 */

/* In event mode everything is; otherwise what units inside take nowhere else.
 */
int composite_is_event(const struct composite *c, uint32_t port,
                       const struct tt_plan_target *to)
{
    const struct tt_plan_unit *u = &tt_run_plan(c->run)->unit[to->unit];
    const struct tt_port *is = port_inside(c, to);

    if (c->port[port].causality != TT_CAUS_INPUT || !c->value ||
        (c->base.life != TT_LIFE_READY && c->base.life != TT_LIFE_EVENT))
        return 0;
    return c->base.life == TT_LIFE_EVENT ||
           (u->events && (is->variability != TT_VAR_CONTINUOUS || is->clock ||
                          is->type == TT_CLOCK));
}

/* What this value means to the unit inside, which knows its last one. What
 * comes with a clock is there, and a clock that does not tick is not. */
static enum tt_code find_news(struct composite *c,
                              const struct tt_plan_target *to,
                              const void *value, enum tt_news *news,
                              tt_err *err)
{
    const struct tt_port *is = port_inside(c, to);
    enum tt_code rc;

    if (is->type == TT_CLOCK || is->clock) {
        *news = is->type == TT_CLOCK && !*(const uint8_t *)value ? TT_NEWS_NONE
                                                                 : TT_NEWS_LEAP;
        return TT_OK;
    }
    rc = tt_unit_get(tt_guest_unit(c->run, to->unit),
                     &(struct tt_span){&to->port, 1, c->value}, err);
    if (rc == TT_OK)
        *news = tt_event_news(is, value, c->value);
    return rc;
}

enum tt_code composite_event_set(struct composite *c,
                                 const struct tt_plan_target *to, void *value,
                                 tt_err *err)
{
    enum tt_news news = TT_NEWS_NONE;
    enum tt_code rc = find_news(c, to, value, &news, err);

    if (rc == TT_OK && news == TT_NEWS_LEAP)
        rc = tt_guest_event_join(c->run, to->unit, err);
    if (rc != TT_OK || news == TT_NEWS_NONE)
        return rc;
    return tt_unit_set(tt_guest_unit(c->run, to->unit),
                       &(struct tt_span){&to->port, 1, value}, err);
}

/* --- outputs --------------------------------------------------------------
 */

enum tt_code composite_show(struct composite *c, const struct tt_span *s,
                            tt_err *err)
{
    for (size_t i = 0; i < s->n; i++)
        if (c->port[s->port[i]].slot != TT_NONE)
            tt_guest_event_want(c->run, c->port[s->port[i]].slot);
    return tt_guest_event_show(c->run, err);
}

/* --- event mode -----------------------------------------------------------
 */

enum tt_code composite_event_enter(tt_unit *u, tt_err *err)
{
    struct composite *c = composite_of(u);
    uint32_t was = tt_guest_begin(c->run);
    enum tt_code rc = tt_guest_refresh(c->run, err);

    if (rc == TT_OK)
        tt_guest_event_enter(c->run, u->quiet);
    u->quiet = 0;
    return tt_guest_done(c->run, was, rc);
}

enum tt_code composite_event_update(tt_unit *u, struct tt_event_result *r,
                                    tt_err *err)
{
    tt_run *run = composite_of(u)->run;
    uint32_t was = tt_guest_begin(run);

    return tt_guest_done(run, was, tt_guest_event_update(run, r, err));
}

enum tt_code composite_event_leave(tt_unit *u, tt_err *err)
{
    tt_run *run = composite_of(u)->run;
    uint32_t was = tt_guest_begin(run);

    return tt_guest_done(run, was, tt_guest_event_leave(run, err));
}
