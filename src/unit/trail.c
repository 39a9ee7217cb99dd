/* SPDX-License-Identifier: MIT */
#include "unit/trail.h"

#include <string.h>

#include "base/hooks.h"
#include "base/mem.h"
#include "unit/desc.h"

#define FIRST_ROWS ((size_t)64)
#define FINE_ROWS  ((size_t)2048) /* more than courses follow */

struct tt_trail {
    uint32_t *port; /* owned */
    uint32_t n_port;
    size_t width;
    double *time, *value; /* owned: cap rows */
    size_t n, cap;
    uint64_t lost;
    int taken; /* what is there was handed over */
};

enum tt_code tt_trail_new(tt_trail **out, const uint32_t *port, uint32_t n,
                          tt_err *err)
{
    tt_trail *t;

    if (!TT_NEW(t) || !TT_NEW_ARRAY(t->port, n + 1)) {
        tt_trail_free(t);
        return tt_fail(err, TT_ENOMEM, "values of %u ports within steps",
                       (unsigned)n);
    }
    memcpy(t->port, port, n * sizeof(*port));
    t->n_port = n;
    *out = t;
    return TT_OK;
}

void tt_trail_free(tt_trail *t)
{
    if (t)
        TT_FREE_ALL(t->port, t->time, t->value, t);
}

const uint32_t *tt_trail_ports(const tt_trail *t, uint32_t *n)
{
    *n = t->n_port;
    return t->port;
}

size_t tt_trail_width(const tt_trail *t)
{
    return t->width;
}

/* Room for so many rows; 0: there is none. */
static int grow(tt_trail *t, size_t cap)
{
    size_t row = (t->width + 1) * sizeof(double);
    double *time, *value;

    if (cap > TT_TRAIL_MAX_BYTES / row)
        return 0;
    time = tt_resize(t->time, cap, sizeof(*time));
    t->time = time ? time : t->time;
    value = time ? tt_resize(t->value, cap * t->width, sizeof(*value)) : NULL;
    t->value = value ? value : t->value;
    t->cap = value ? cap : t->cap;
    return value != NULL;
}

enum tt_code tt_trail_prepare(tt_trail *t, const struct tt_desc *d, int fine,
                              tt_err *err)
{
    t->width = tt_desc_elements(d, t->port, t->n_port);
    t->n = t->cap = 0;
    t->lost = 0;
    if (grow(t, fine ? FINE_ROWS : FIRST_ROWS) || grow(t, 1))
        return TT_OK;
    return tt_fail(err, TT_ENOMEM, "%zu values within steps", t->width);
}

/* Most rows come behind all others. */
void tt_trail_cut(tt_trail *t, double time)
{
    while (t && t->n && t->time[t->n - 1] > time)
        t->n--;
}

double *tt_trail_add(tt_trail *t, double time)
{
    if (t->taken) {
        t->n = 0;
        t->lost = 0;
        t->taken = 0;
    }
    tt_trail_cut(t, time);
    if (t->n == t->cap && !grow(t, 2 * t->cap)) {
        t->lost++;
        return NULL;
    }
    t->time[t->n] = time;
    return t->value + t->n++ * t->width;
}

void tt_trail_drop(tt_trail *t)
{
    t->n--;
}

void tt_trail_take(tt_trail *t, int keep, struct tt_trail_rows *r)
{
    *r = (struct tt_trail_rows){.width = t->width};
    if (t->taken)
        return;
    t->taken = !keep;
    TT_TAKE(r, t, n, time, value, lost);
}
