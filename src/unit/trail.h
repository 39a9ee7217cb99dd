/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_TRAIL_H
#define TT_UNIT_TRAIL_H

/* Values of a unit within its steps: what FMI calls intermediate.
 *
 * A unit that was made for it (tt_make.trail) notes rows in its trail while it
 * steps: a time, and the value of every element of the ports that were chosen.
 * Rows lie in the order of time; two of one time are the limits of an event. A
 * step that is rolled back takes its rows along. They stay until they are taken
 * (tt_unit_trail). A value that was not to be had at a row's time is NaN. */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* Rows that do not fit are counted, and not kept. */
#define TT_TRAIL_MAX_BYTES ((size_t)16 << 20)

/* What is handed over; the memory stays the unit's, and as it is until its next
 * call. */
struct tt_trail_rows {
    size_t n;            /* rows */
    size_t width;        /* values of each */
    const double *time;  /* n */
    const double *value; /* n times width */
    uint64_t lost;       /* rows there was no room for */
};

struct tt_desc;
typedef struct tt_trail tt_trail;

/* All F64 ports. */
TT_NODISCARD enum tt_code tt_trail_new(tt_trail **out, const uint32_t *port,
                                       uint32_t n, tt_err *err);
void tt_trail_free(tt_trail *t); /* accepts NULL */

const uint32_t *tt_trail_ports(const tt_trail *t, uint32_t *n);
/* Sizes of ports are final: make room, for many rows if it is fine. What it had
 * is gone. */
TT_NODISCARD enum tt_code tt_trail_prepare(tt_trail *t, const struct tt_desc *d,
                                           int fine, tt_err *err);
size_t tt_trail_width(const tt_trail *t);
/* Where to put the values of a row of this time; NULL: there is no room. Rows
 * later than that are gone. */
double *tt_trail_add(tt_trail *t, double time);
/* The row added last is gone: its values could not be had. */
void tt_trail_drop(tt_trail *t);
/* Rows later than this are gone. Accepts NULL. */
void tt_trail_cut(tt_trail *t, double time);
/* All rows; unless they are kept, the next one that is added is the first. */
void tt_trail_take(tt_trail *t, int keep, struct tt_trail_rows *r);

#endif
