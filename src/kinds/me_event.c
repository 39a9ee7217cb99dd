/* SPDX-License-Identifier: MIT */
/* Model exchange in event mode: events are played at shared instants, where the
 * steps of all end. A step stops before the event it finds; what follows is
 * asked for from outside. Of units that are integrated together any may take
 * part; when none is in event mode any more, integration goes on. */
#include "kinds/me_impl.h"

/* Is another of those integrated with it in event mode? */
static int others_in_event(const struct tt_kfmi_unit *k)
{
    const struct tt_kme_system *s = k->me->system;

    for (uint32_t i = 0; i < s->n; i++)
        if (s->member[i] != k && s->member[i]->base.life == TT_LIFE_EVENT)
            return 1;
    return 0;
}

enum tt_code tt_kme_event_enter(tt_unit *u, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    struct tt_kme_system *s = k->me->system;
    enum tt_code rc =
        others_in_event(k) ? TT_OK : tt_kme_system_count(s, u->now, err);

    return rc == TT_OK ? tt_kme_enter_event(k, err) : rc;
}

enum tt_code tt_kme_event_update(tt_unit *u, struct tt_event_result *r,
                                 tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    enum tt_code rc = tt_kme_update(k, r, err);

    k->me->kept.note[TT_KME_NOMINALS] |= r->nominals_changed != 0;
    return rc;
}

enum tt_code tt_kme_event_leave(tt_unit *u, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    struct tt_kme_system *s = k->me->system;
    enum tt_code rc = tt_kme_leave_event(k, err);

    k->me->kept.note[TT_KME_ASK] = 0;
    return rc != TT_OK || others_in_event(k)
               ? rc
               : tt_kme_system_restart(
                     s, u->now, tt_kme_take_note(s, TT_KME_NOMINALS), err);
}
