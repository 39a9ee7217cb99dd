/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_COMPARE_H
#define TT_RESULTS_COMPARE_H

/* Compare a table of results (a) with a reference (b).
 *
 * Two values agree when |a - b| <= atol + rtol * |b|; two NaN agree, equal
 * infinities agree, texts agree when equal. Rows are paired by time. The
 * tables are the same when every row and every column of the reference has
 * its partner and all pairs agree; columns that only a has are listed and do
 * no harm.
 *
 * Two lists of events (results/eventlist.h) are the same when they have the
 * same signals in the same order, at times and with values that agree, in the
 * same microsteps. */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "table/table.h"

struct tt_compare_opts {
    double atol, rtol; /* 0, 0: equal to the last bit */
    double time_tol;   /* of times, relative, at least of 1 s; 0 is 1e-9 */
    int interpolate;   /* where the grids differ: a between its rows, linear
                          for numbers, held for whole numbers and texts */
    const char *const *pattern; /* columns of b, or events of both, to compare;
                                   none: all */
    size_t n_pattern;
};

/* "ABS[,REL]", as in --tol 1e-6,1e-4. */
TT_NODISCARD enum tt_code tt_compare_parse_tol(const char *text,
                                               struct tt_compare_opts *opts,
                                               tt_err *err);

enum tt_compare_verdict {
    TT_COMPARE_SAME,
    TT_COMPARE_DIFFERENT,
    TT_COMPARE_MISSING, /* a does not have the column */
};

struct tt_compare_column {
    const char *name;
    enum tt_compare_verdict verdict;
    int is_text;
    double max_abs; /* greatest |a - b|; +inf for NaN against a number */
    double at;      /* s: time of the pair that is furthest beyond its
                       tolerance (of max_abs while all agree) */
    double a, b;    /* that pair; NaN for texts */
    double rms;
    size_t beyond; /* pairs that do not agree */
};

/* An event, of either list. */
struct tt_compare_event {
    const char *signal; /* "{k}.i.port"; NULL: the list has ended */
    const char *name;   /* what people read: of `signal` */
    const char *value;
    double t, microstep;
    size_t line; /* counted from 1, those that are not chosen too */
};

struct tt_compare_events {
    double
        max_late; /* s: greatest distance of two times, as far as they agree */
    struct tt_compare_event a, b; /* the first pair that does not agree */
};

/* Names are borrowed from the tables. */
struct tt_compare {
    tt_arena *arena;  /* owned: the arrays below */
    tt_table *own[2]; /* owned, after tt_compare_files */
    const char *file_a, *file_b;
    struct tt_compare_column *column; /* those of the reference */
    size_t n;
    const char **extra; /* names only a has */
    size_t n_extra;
    size_t rows_a, rows_b, pairs;
    size_t alone_a, alone_b; /* rows without a partner */
    double first_alone;      /* s: time of the first such row */
    int interpolated;
    double atol, rtol;
    int same;

    /* Of lists of events: `column`, `extra` and what rows lack are empty, and
     * `rows` are events that the patterns choose. */
    struct tt_compare_events *events; /* or NULL; in the arena */
};

/* opts may be NULL: exact. */
TT_NODISCARD enum tt_code tt_compare(struct tt_compare *out, const tt_table *a,
                                     const tt_table *b,
                                     const struct tt_compare_opts *opts,
                                     tt_err *err);
/* The same of two files, which are read first. */
TT_NODISCARD enum tt_code tt_compare_files(struct tt_compare *out,
                                           const char *a, const char *b,
                                           const struct tt_compare_opts *opts,
                                           tt_err *err);
void tt_compare_fini(struct tt_compare *c); /* zeroed is fine */

/* For people: a table, then a sentence. For machines: one JSON object. */
void tt_compare_text(struct tt_buf *b, const struct tt_compare *c);
void tt_compare_json(struct tt_buf *b, const struct tt_compare *c);

#endif
