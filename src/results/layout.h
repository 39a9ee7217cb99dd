/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_LAYOUT_H
#define TT_RESULTS_LAYOUT_H

/* A row of results as one record of bytes: the time, the length of the step
 * that led there, a native value per column, then a byte for each that may be
 * absent. Texts keep their place in
 * full, but only the bytes they use are set. */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/value.h"

struct tt_layout_column {
    const char *name;
    const char *unit; /* physical unit, or NULL */
    const char *text; /* description, or NULL */
    enum tt_type type;
    size_t at;      /* in the record */
    size_t present; /* where 0 states that there is no value; 0: there is */
};

struct tt_layout {
    const struct tt_layout_column *column;
    uint32_t n;
    size_t record; /* bytes, a multiple of 8 */
    double start;  /* of the experiment */
};

#define TT_RECORD_FRONT ((size_t)16) /* time and step */

static inline int tt_record_lacks(const char *record, size_t present)
{
    return present && !record[present];
}

static inline double tt_record_time(const char *record)
{
    double t;

    memcpy(&t, record, sizeof(t));
    return t;
}

static inline double tt_record_step(const char *record)
{
    double h;

    memcpy(&h, record + sizeof(h), sizeof(h));
    return h;
}

/* What files have of a text or binary cell: its bytes, or where there are none,
 * length and SHA-256. */
static inline const char *tt_cell_text(const struct tt_text *t,
                                       char sum[TT_BYTES_SUM_MAX], size_t *n)
{
    *n = tt_bytes_is_cut(t) ? tt_bytes_sum_of(sum, t) : t->n;
    return tt_bytes_is_cut(t) ? sum : t->s;
}

#endif
