/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_TAPE_H
#define TT_RESULTS_TAPE_H

/* Rows on their way from the player to the files.
 *
 * The player's end is an observer (record.h) that copies native values into a
 * ring of records and goes on; the other end is a scribe (scribe.h), a thread,
 * in the player's process or in its parent, that prints, compresses and
 * writes. The tape is the memory between them, of a fixed size: when it is
 * full, the player waits. When the player's process dies, the scribe in its
 * parent still has every row that was complete.
 *
 * Each field is written by one side only. What the player wrote is checked
 * before it is used and copied first: it may have died from writing where it
 * should not.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "results/layout.h"
#include "results/observer.h"
#include "sys/ring.h"

/* A good size; untouched pages cost nothing. */
#define TT_TAPE_SIZE ((size_t)64 << 20)

/* Rows to come back to, on their way at once. */
#define TT_TAPE_MARKS 4u

enum tt_tape_player { /* how far the player is */
                      TT_TAPE_BLANK,
                      TT_TAPE_LAID_OUT, /* the columns are known */
                      TT_TAPE_ENDED,    /* no row will follow */
};

enum tt_tape_scribe { /* how far the scribe is */
                      TT_TAPE_WAITING,
                      TT_TAPE_OPEN,  /* the files are there, or there is trouble
                                      */
                      TT_TAPE_CLOSED /* the files are complete, or there is
                                        trouble */
};

enum tt_tape_trouble {
    TT_TAPE_FINE,
    TT_TAPE_SEEN_ENOUGH, /* the reader of our standard output closed it */
    TT_TAPE_BROKEN,      /* code and msg state why */
};

struct tt_tape {
    uint64_t magic;
    size_t size; /* bytes in all */

    struct tt_sign player; /* enum tt_tape_player */
    /* 1 + the number of the record after the last published one, which
     * sampling left out but which is the last row so far; or 0. */
    struct tt_sign held;
    struct tt_sign wanted; /* so often rows were wanted in the files */
    struct tt_sign marked; /* the last mark: rows to come back to, from 1 ... */
    uint64_t mark_row[TT_TAPE_MARKS]; /* ... and how many rows precede it */
    uint32_t n;                       /* columns */
    size_t n_word;   /* bytes of their names, units and descriptions */
    size_t ring_at;  /* in data */
    size_t ring_len; /* bytes */
    size_t record;
    double start;

    struct tt_sign scribe;  /* enum tt_tape_scribe */
    uint64_t before;        /* rows of files that are continued; when open */
    struct tt_sign trouble; /* enum tt_tape_trouble */
    struct tt_sign flushed; /* all rows before this wish are there */
    struct tt_sign noted;   /* all rows before this mark are on disk, and its
                               position is known, or there is trouble */
    enum tt_code code;
    char msg[TT_ERR_MAX];

    struct tt_ring ring;
    char data[]; /* columns, words, ring */
};

/* Make a blank tape of `size` bytes of zeroed memory (tt_shared_alloc). NULL
 * when memory is, or size is too small. */
struct tt_tape *tt_tape_init(void *memory, size_t size);

/* The player's side: write down the columns; e becomes the filler's end. */
TT_NODISCARD enum tt_code tt_tape_lay_out(struct tt_tape *t,
                                          const struct tt_rows *rows,
                                          struct tt_ring_end *e, tt_err *err);
/* Where the value of a column goes in the record. */
size_t tt_tape_cell(const struct tt_tape *t, uint32_t column);
/* ... and whether it has one, if it may have none. */
size_t tt_tape_present(const struct tt_tape *t, uint32_t column);

/* The scribe's side: a checked copy (in one block, tt_free) of the layout; e
 * becomes the reader's end. `size` is what tt_tape_init was given. */
TT_NODISCARD enum tt_code tt_tape_read(struct tt_tape *t, size_t size,
                                       struct tt_layout **layout,
                                       struct tt_ring_end *e, tt_err *err);
/* Is there a row that only sampling held back? Read it at the ring's end. */
int tt_tape_has_held(struct tt_tape *t, const struct tt_ring_end *e);

TT_NODISCARD enum tt_code tt_tape_overwritten(tt_err *err);

#endif
