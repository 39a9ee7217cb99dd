/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_OBSERVER_H
#define TT_RESULTS_OBSERVER_H

/* An observer sees values at communication points and may ask to stop.
 *
 * It is told once which columns there are and where their values live; the
 * pointers stay good for the whole run. At each row the values are those of
 * instant t, after the exchange. Observers run on the playing thread.
 */

#include <stdint.h>

#include "base/err.h"
#include "base/value.h"

struct tt_column {
    const char *name; /* "{tank}.tank1.level", "{a}.a.x[2]" for an element */
    const char *unit; /* physical unit for people, or NULL */
    const char *text; /* description, or NULL */
    enum tt_type type;
    const void *value; /* one native element */
    int discrete;      /* not continuous: plot as steps */
};

struct tt_rows {
    const struct tt_column *column;
    uint32_t n;
    double start, end; /* of the experiment; end may be +inf */
};

typedef struct tt_observer tt_observer;

struct tt_observer_ops {
    const char *name;
    /* Before the first row. rows outlives the observer. */
    enum tt_code (*begin)(tt_observer *o, const struct tt_rows *rows,
                          tt_err *err);
    /* t: instant; h: length of the step that led here (0 at the start).
     * TT_ESTOPPED asks for a normal end of the run after this row. */
    enum tt_code (*row)(tt_observer *o, double t, double h, tt_err *err);
    /* After the last row, also of a run that failed: make all durable. */
    enum tt_code (*end)(tt_observer *o, tt_err *err);
    void (*free)(tt_observer *o); /* any state */
};

struct tt_observer { /* first member of every implementation */
    const struct tt_observer_ops *ops;
};

TT_NODISCARD enum tt_code
tt_observer_begin(tt_observer *o, const struct tt_rows *rows, tt_err *err);
TT_NODISCARD enum tt_code tt_observer_row(tt_observer *o, double t, double h,
                                          tt_err *err);
TT_NODISCARD enum tt_code tt_observer_end(tt_observer *o, tt_err *err);
void tt_observer_free(tt_observer *o); /* accepts NULL */

#endif
