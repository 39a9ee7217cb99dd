/* SPDX-License-Identifier: MIT */
#ifndef TT_EXPORT_TYPES_H
#define TT_EXPORT_TYPES_H

/* How the ports of a unit appear as variables of an FMU: agreed between what
 * writes the description and the engine that serves it. A port's value
 * reference is its index; FMI 3 has the time, too, behind the last one. */

#include "unit/desc.h"

/* The type through which FMI (2 or 3) moves this port's elements; TT_TYPE_N:
 * it has none for it. */
enum tt_type tt_export_type(int fmi, const struct tt_port *p);

/* The file in resources/ that states what is in there, and its version. */
#define TT_EXPORT_FILE    "tutti.json"
#define TT_EXPORT_VERSION 1

/* Is what is described a discrete-event unit? Then it has, behind the variable
 * that is the time, or its place, events_next and events_driven (kinds/
 * discrete_fmu.c). */
int tt_export_has_events(const struct tt_desc *d);

#endif
