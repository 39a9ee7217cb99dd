/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_CSV_H
#define TT_RESULTS_CSV_H

/* Results as a CSV file.
 *
 * Numbers are written in their shortest form that reads back exactly, in
 * Java's spelling, independent of the locale. The file is made at `begin`,
 * grows while the run plays (a person may watch it) and is never renamed.
 *
 * No row is lost when the playing process dies: rows wait in a spill, a buffer
 * that may live in memory shared with the parent, and the parent appends with
 * tt_csv_rescue() what did not reach the file. A partly formatted row is
 * never counted, so it never reaches the file.
 *
 * When the file takes no more, it is cut back to its last complete row, and
 * the rows that found no place are given up. When a reader closes the pipe of
 * standard output, it has seen enough: that is a wish to stop, no error.
 */

#include <stddef.h>
#include <stdint.h>

#include "results/observer.h"

enum tt_csv_dialect {
    TT_CSV_MAESTRO2, /* "time,..." in the order of the columns */
    TT_CSV_MAESTRO1, /* "time,step-size,..." sorted by name, texts quoted */
};

#define TT_CSV_PATH_MAX   4096u
/* A good size for a spill; untouched pages of shared memory cost nothing. */
#define TT_CSV_SPILL_SIZE ((size_t)16 << 20)

/* Everything needed to finish the file. Written by the playing process only;
 * the parent reads it after that process ended. data[0 .. filled-written) are
 * the bytes that belong at position `written` of the file: one store to
 * `written` empties the buffer, one store to `filled` adds a row. */
struct tt_csv_spill {
    uint64_t magic;
    size_t cap;                /* bytes in data */
    volatile uint64_t filled;  /* bytes of header and complete rows so far */
    volatile uint64_t written; /* of these, how many the file has */
    volatile uint64_t rows;    /* complete rows */
    volatile uint32_t held;    /* 1: the row left out by sampling is whole */
    volatile uint32_t closed;  /* 1: who read our standard output went away */
    uint32_t dialect;          /* enum tt_csv_dialect */
    double held_t, held_h;
    size_t held_at; /* in data: the layout of the held row, then its values */
    uint32_t n;     /* columns */
    char path[TT_CSV_PATH_MAX]; /* empty: nothing began */
    char data[];
};

/* Make a spill of `size` bytes of memory (tt_shared_alloc, or any aligned
 * memory). NULL when size is too small to hold anything. */
struct tt_csv_spill *tt_csv_spill_init(void *memory, size_t size);

struct tt_csv_opts {
    const char *path; /* "-" is standard output */
    enum tt_csv_dialect dialect;
    double interval; /* s between rows; 0: every row. The first row, then the
                        first at or after each start + k*interval, and the
                        last row of the run always */
    struct tt_csv_spill *spill; /* borrowed, outlives us; NULL: our own */
};

TT_NODISCARD enum tt_code
tt_csv_new(tt_observer **out, const struct tt_csv_opts *opts, tt_err *err);
/* Rows written or waiting, without one that sampling holds back. */
uint64_t tt_csv_rows(const tt_observer *o);

/* In the parent, after the playing process died: append the rows that are not
 * in the file yet. `size` is what tt_csv_spill_init was given; the content is
 * not trusted, because the process that died may have written anywhere. Does
 * nothing after a run that ended well. *rows (may be NULL): rows of the file,
 * all told. */
TT_NODISCARD enum tt_code tt_csv_rescue(struct tt_csv_spill *spill, size_t size,
                                        uint64_t *rows, tt_err *err);

#endif
