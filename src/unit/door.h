/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_DOOR_H
#define TT_UNIT_DOOR_H

/* Events of a unit without calls that look for ports: for kinds whose units
 * have nothing to do when event mode is entered or left, and outputs that
 * follow from the state alone. What it does is the same as get and set do in
 * event mode; a call that fails has the words of the set it stands for. */

#include <stdint.h>

#include "base/err.h"

struct tt_unit;

/* What is called at an event. */
struct tt_event_calls {
    /* Its own clock (desc.internal) ticks: outputs have their events. */
    enum tt_code (*tick)(struct tt_unit *u, tt_err *err);
    /* OPTIONAL: what has come in makes the transition, as event_update does,
     * which then has nothing but *next to report, +inf: none. The unit need not
     * be in event mode. */
    enum tt_code (*update)(struct tt_unit *u, double *next, tt_err *err);
};

struct tt_event_door {
    /* May it be used for this unit? */
    int (*is_open)(const struct tt_unit *u);
    /* Where the value of this port lies while the unit lives, NULL: nowhere. A
     * clock of an input is set there to 1 when it ticks. */
    void *(*at)(struct tt_unit *u, uint32_t port);
    /* An event arrives at an input with a clock. */
    enum tt_code (*take)(struct tt_unit *u, uint32_t port, const void *value,
                         tt_err *err);
    /* The same without a call for the first one of a microstep: its clock is
     * set to 1 and its value to at(). This takes those behind it. */
    enum tt_code (*more)(struct tt_unit *u, uint32_t port, const void *value,
                         tt_err *err);
    const struct tt_event_calls *(*calls)(const struct tt_unit *u);
};

#endif
