/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_OBSERVER_H
#define TT_RESULTS_OBSERVER_H

/* An observer sees values at communication points, and those that units note
 * between them, and may ask to stop.
 *
 * It is given once which columns there are and where their values live; the
 * pointers stay good for the whole run. At each row the values are those of
 * an instant, after the exchange: the limit from the left, and where there are
 * events a row for the limit from the right. Observers run on the playing
 * thread.
 */

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/hooks.h"
#include "base/instant.h"
#include "base/value.h"

struct tt_column {
    const char *name; /* "{tank}.tank1.level", "{a}.a.x[2]" for an element */
    const char *unit; /* physical unit for people, or NULL */
    const char *text; /* description, or NULL */
    enum tt_type type;
    const void *value;      /* one native element */
    const uint8_t *present; /* 0: it has no value in this row; NULL: always */
    int discrete;           /* not continuous: plot as steps */
};

static inline int tt_column_is_absent(const struct tt_column *c)
{
    return c->present && !*c->present;
}

/* Its value as a number; NaN where there is none. */
double tt_column_number(const struct tt_column *c);

struct tt_rows {
    const struct tt_column *column;
    uint32_t n;
    double start, end; /* of the experiment; end may be +inf */
};

typedef struct tt_observer tt_observer;

struct tt_observer_ops {
    /* Before the first row. rows outlives the observer. */
    enum tt_code (*begin)(tt_observer *o, const struct tt_rows *rows,
                          tt_err *err);
    /* at: instant, never before the last one; h: length of the step that led
     * here (0 at the start, and after an event). TT_ESTOPPED asks for a normal
     * end of the run after this row. */
    enum tt_code (*row)(tt_observer *o, struct tt_instant at, double h,
                        tt_err *err);
    /* After the last row, also of a run that failed: make all durable. This
     * and the next two may be NULL. */
    enum tt_code (*end)(tt_observer *o, tt_err *err);
    /* Between begin and end: what the rows so far left behind, added
     * to `to`, and the same taken up after `begin`, in place of those rows. */
    void (*save)(const tt_observer *o, struct tt_buf *to);
    enum tt_code (*restore)(tt_observer *o, const void *data, size_t n,
                            tt_err *err);
    void (*free)(tt_observer *o); /* any state */
};

struct tt_observer { /* first member of every implementation */
    const struct tt_observer_ops *ops;
};

TT_NODISCARD enum tt_code
tt_observer_begin(tt_observer *o, const struct tt_rows *rows, tt_err *err);
TT_NODISCARD enum tt_code tt_observer_row(tt_observer *o, struct tt_instant at,
                                          double h, tt_err *err);
TT_NODISCARD enum tt_code tt_observer_end(tt_observer *o, tt_err *err);
void tt_observer_save(const tt_observer *o, struct tt_buf *to);
TT_NODISCARD enum tt_code tt_observer_restore(tt_observer *o, const void *data,
                                              size_t n, tt_err *err);
void tt_observer_free(tt_observer *o); /* accepts NULL */

#endif
