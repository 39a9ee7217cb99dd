/* SPDX-License-Identifier: MIT */
/* Model exchange in event mode: events are played at shared instants, where the
 * steps of all end. A step stops before the event it finds; what follows is
 * asked for from outside. For units that are integrated alone. */
#include "kinds/me_impl.h"

enum tt_code tt_kme_event_enter(tt_unit *u, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    enum tt_code rc = tt_kme_system_count(k->me->system, u->now, err);

    return rc == TT_OK ? tt_kme_enter_event(k, err) : rc;
}

enum tt_code tt_kme_event_update(tt_unit *u, struct tt_event_result *r,
                                 tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    enum tt_code rc = tt_kme_update(k, r, err);

    k->me->kept.nominals |= r->nominals_changed != 0;
    return rc;
}

enum tt_code tt_kme_event_leave(tt_unit *u, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    struct tt_kme_kept *kept = &k->me->kept;
    int nominals = (int)kept->nominals;
    enum tt_code rc = tt_kme_leave_event(k, err);

    kept->ask = kept->nominals = 0;
    return rc == TT_OK
               ? tt_kme_system_restart(k->me->system, u->now, nominals, err)
               : rc;
}
