/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_CHECKPOINT_H
#define TT_CLI_CHECKPOINT_H

/* Checkpoint files: --checkpoint, --every, --resume.
 *
 * The child packs the run between two steps, leaves the bytes in the temporary
 * folder of the run, marks the row in its results, and plays on. The *keeper*,
 * a thread of the parent, waits until all rows before the mark are on disk,
 * and writes the checkpoint under a new name, synced, then renamed: whenever
 * the machine stops, a whole checkpoint is there, and the rows it refers to.
 *
 * A file holds the command line and the folder it was given in, so that
 * `tutti run --resume FILE` is all that is needed.
 */

#include <stdint.h>

#include "base/err.h"
#include "base/mem.h"
#include "results/scribe.h"
#include "sys/ring.h"
#include "unit/unit.h"

/* How often, in s: 0, or by the wall clock or simulated time. */
struct tt_every {
    double wall, sim;
};
/* "10s", "500ms", "2min", "1h" of wall time; "sim:2" of simulated time. NULL: a
 * minute. */
TT_NODISCARD enum tt_code tt_every_parse(struct tt_every *out, const char *text,
                                         tt_err *err);

/* Files beside the results: --trace, --events. */
enum tt_side { TT_SIDE_TRACE, TT_SIDE_EVENTS, TT_SIDES };

/* A file that was read; pointers into `data`. */
struct tt_checkpoint_file {
    void *data; /* owned */
    const char *folder;
    char **argv; /* owned array */
    int argc;
    uint64_t steps;
    double t;
    struct tt_bytes state, rows, side[TT_SIDES];
};
/* Refuses by name what is no checkpoint, of another version, or damaged. */
TT_NODISCARD enum tt_code tt_checkpoint_read(struct tt_checkpoint_file *out,
                                             const char *path, tt_err *err);
void tt_checkpoint_fini(struct tt_checkpoint_file *f);

/* What the child sends the keeper; in memory both see, zeroed. */
struct tt_kept {
    struct tt_sign asked, done; /* so many were left, and were dealt with */
    struct tt_bell keeper, child;
    uint64_t mark, side_mark[TT_SIDES]; /* rows before it; 0: no such file */
    uint64_t steps;
    double t;
    volatile int wanted;                      /* one is due */
    volatile uint64_t written, written_steps; /* checkpoints that are there */
    volatile double written_t;
};

typedef struct tt_keeper tt_keeper;

struct tt_keeper_opts {
    const char *path;
    const char *folder; /* for what the child leaves */
    double wall;        /* s; 0: not by the wall clock */
    int argc;
    char *const *argv; /* what to type to have this run, after "tutti run" */
    struct tt_kept *kept;
    tt_scribe *scribe, *side[TT_SIDES]; /* NULL: no such file */
};

/* All is borrowed. States what would be wrong with the file before the run. */
TT_NODISCARD enum tt_code
tt_keeper_new(tt_keeper **out, const struct tt_keeper_opts *o, tt_err *err);
void tt_keeper_free(tt_keeper *k); /* accepts NULL */
/* In the parent: start it; and when the child is no more, deal with what it
 * left last. What went wrong with a file is in *err. */
void tt_keeper_start(tt_keeper *k);
TT_NODISCARD enum tt_code tt_keeper_finish(tt_keeper *k, tt_err *err);

/* In the child. Waits while the last one is not dealt with. */
struct tt_keep {
    tt_observer *record, *side[TT_SIDES];
    uint64_t steps;
    double t;
    int alone; /* there is no other process: write it now */
};
TT_NODISCARD enum tt_code tt_keeper_take(tt_keeper *k, const struct tt_keep *at,
                                         const struct tt_bytes *state,
                                         tt_err *err);

#endif
