/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_SCRIBE_IMPL_H
#define TT_RESULTS_SCRIBE_IMPL_H

/* A scribe from both sides: its thread (scribe.c), and marks with the
 * positions of its files (scribe_mark.c). Private to this folder. */

#include "results/scribe.h"
#include "sys/sync.h"
#include "sys/thread.h"

#define LOOK_MS 100u /* a person watching a slow run sees this lag */

struct file {
    char *path;   /* owned */
    tt_writer *w; /* owned; NULL: not open, or given up */
    uint64_t rows;
    struct tt_cursor from; /* its position in s.from */
};

/* Positions at a mark. */
struct note {
    uint64_t mark;
    struct tt_buf positions;
    enum tt_code code; /* of `keep` */
    tt_err why;
};

struct tt_scribe {
    struct tt_tape *tape;
    size_t size;
    struct file file[TT_FILES_MAX];
    uint32_t n;
    enum tt_csv_dialect dialect;
    struct tt_layout *layout; /* owned */
    struct tt_ring_end at;    /* the reader's end */
    uint64_t flushed_ns;
    struct tt_thread thread;
    int running;
    struct tt_sign alone; /* 1: the player is no more */
    enum tt_code code;    /* the first trouble */
    tt_err why;
    char *from;           /* owned: positions to continue at, or NULL */
    uint64_t noted;       /* the last mark that was come to */
    struct tt_lock lock;  /* of `note` */
    struct tt_bell bell;  /* rung when there is a new one, or none will be */
    struct tt_sign ended; /* 1: none will be */
    struct note note[TT_TAPE_MARKS];
};

/* Notify the player, and remember. */
void scribe_report(tt_scribe *s, enum tt_code rc, const tt_err *why);
/* Complete a file, also one that takes no more. */
void scribe_close(tt_scribe *s, struct file *f);

/* Notes the marks at the row we have come to. How many rows may be taken until
 * the next one, 0 when it cannot be true. Asked after rows were looked for, so
 * that the mark before any of them is seen. */
uint64_t scribe_rows_to_mark(tt_scribe *s);
void scribe_end_notes(tt_scribe *s); /* no mark will follow */

/* What files->from states, for each file. */
TT_NODISCARD enum tt_code
scribe_read_positions(tt_scribe *s, const struct tt_files *files, tt_err *err);
/* The rows a file had at its position, if that is one of this run; what its
 * writer needs follows in f->from. */
TT_NODISCARD enum tt_code scribe_find(tt_scribe *s, struct file *f,
                                      uint64_t *rows, tt_err *err);

#endif
