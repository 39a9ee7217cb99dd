/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* SCHED_RESET_ON_FORK */
#include "sys/sched.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

/* On Linux pid 0 of these calls is the calling thread, not its process, and
 * unlike pthread_setschedparam they take the flag. */

enum tt_code tt_sched_fifo(struct tt_sched *was, tt_err *err)
{
    struct sched_param p = {0};
    int policy = sched_getscheduler(0);

    if (policy < 0 || sched_getparam(0, &p) != 0)
        return tt_fail(err, TT_EUNSUPPORTED, "%s", strerror(errno));
    *was = (struct tt_sched){policy, p.sched_priority};
    p.sched_priority = sched_get_priority_min(SCHED_FIFO);
    if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &p) != 0)
        return tt_fail(err, TT_EUNSUPPORTED, "%s", strerror(errno));
    return TT_OK;
}

void tt_sched_restore(const struct tt_sched *was)
{
    struct sched_param p = {.sched_priority = was->priority};

    (void)sched_setscheduler(0, was->policy, &p);
}
