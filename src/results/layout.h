/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_LAYOUT_H
#define TT_RESULTS_LAYOUT_H

/* A row of results as one record of bytes: the time, the length of the step
 * that led there, then a native value per column. Texts keep their place in
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
    int discrete;
    size_t at; /* in the record */
};

struct tt_layout {
    const struct tt_layout_column *column;
    uint32_t n;
    size_t record;     /* bytes, a multiple of 8 */
    double start, end; /* of the experiment; end may be +inf */
};

#define TT_RECORD_FRONT ((size_t)16) /* time and step */

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

/* Bytes of a text or binary cell; never more than there are. */
static inline uint32_t tt_cell_length(const struct tt_text *t)
{
    return t->n < TT_TEXT_MAX ? t->n : TT_TEXT_MAX;
}

#endif
