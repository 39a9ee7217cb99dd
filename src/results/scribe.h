/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_SCRIBE_H
#define TT_RESULTS_SCRIBE_H

/* The thread that takes rows from a tape and writes them to files.
 *
 * The ending of a file's name chooses its format: .mat, .h5 and .hdf5, else
 * CSV; "-" is standard output, as CSV. A file that takes no more keeps the
 * rows it has; the player is told, and the other files get every row it still
 * makes. Who closes the pipe of standard output has seen enough: a wish to
 * stop, no error.
 *
 * In the parent of a playing process it outlives that process.
 */

#include <stdint.h>

#include "results/tape.h"
#include "results/writer.h"

#define TT_FILES_MAX 16u

struct tt_files {
    const char *const *path;
    uint32_t n; /* at least 1, at most TT_FILES_MAX */
    enum tt_csv_dialect dialect;
};

typedef struct tt_scribe tt_scribe;

/* Paths are copied. `size` is what tt_tape_init was given; the tape outlives
 * us. */
TT_NODISCARD enum tt_code tt_scribe_new(tt_scribe **out, struct tt_tape *tape,
                                        size_t size,
                                        const struct tt_files *files,
                                        tt_err *err);
/* Start the thread, which waits for a player. A process that is to be forked
 * starts it afterwards: a child of several threads finds locks taken by those
 * it has not. When there is no thread to be had, the player is told. */
void tt_scribe_start(tt_scribe *s);
/* After the player ended or died: every complete row is written, the files are
 * complete, the thread has ended. *rows (may be NULL): rows of the first file.
 * Once; the error is what the player was told, if it lived to hear it. */
TT_NODISCARD enum tt_code tt_scribe_finish(tt_scribe *s, uint64_t *rows,
                                           tt_err *err);
void tt_scribe_free(tt_scribe *s); /* accepts NULL; finishes first */

#endif
