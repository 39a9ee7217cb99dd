/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_SCRIBE_H
#define TT_RESULTS_SCRIBE_H

/* The thread that takes rows from a tape and writes them to files.
 *
 * The ending of a file's name chooses its format: .mat, .h5 and .hdf5, else
 * CSV; "-" is standard output, as CSV. A file that takes no more keeps the rows
 * it has; the player is notified, and the other files get every row it still
 * makes. A reader that closes standard output has seen enough: a wish to stop,
 * no error.
 *
 * In the parent of a playing process it outlives that process.
 *
 * For a checkpoint the player marks a row (tt_record_mark) and goes on. The
 * scribe, when it has come there, sees to it that all files are on disk up to
 * this row and notes their *positions*: bytes for the checkpoint file, from
 * which a scribe of another process continues the files. What follows the
 * position is cut off then, whole rows and half ones.
 */

#include <stdint.h>

#include "results/tape.h"
#include "results/writer.h"

#define TT_FILES_MAX 16u

struct tt_files {
    const char *const *path;
    uint32_t n; /* at least 1, at most TT_FILES_MAX */
    enum tt_csv_dialect dialect;
    /* Positions to continue at; copied. NULL: new files. */
    const void *from;
    size_t n_from;
};

/* Can they be continued after a checkpoint? A pipe and standard output cannot.
 */
TT_NODISCARD enum tt_code tt_files_can_continue(const struct tt_files *files,
                                                tt_err *err);

typedef struct tt_scribe tt_scribe;

/* Paths are copied. `size` is what tt_tape_init was given; the tape outlives
 * us. */
TT_NODISCARD enum tt_code tt_scribe_new(tt_scribe **out, struct tt_tape *tape,
                                        size_t size,
                                        const struct tt_files *files,
                                        tt_err *err);
/* Start the thread, which waits for a player. A process that is to be forked
 * starts it afterwards: a child of several threads finds locks taken by those
 * it has not. When there is no thread to be had, the player is notified. */
void tt_scribe_start(tt_scribe *s);
/* The positions at a mark, added to `out`; waits until they are noted, from any
 * thread but the scribe's. Fails with what went wrong with a file, for a mark
 * that was not made before the scribe ended, and for one older than the last
 * TT_TAPE_MARKS. */
TT_NODISCARD enum tt_code tt_scribe_position(tt_scribe *s, uint64_t mark,
                                             struct tt_buf *out, tt_err *err);
/* After the player ended or died: every complete row is written, the files are
 * complete, the thread has ended. *rows (may be NULL): rows of the first file.
 * Once; the error is the one the player got, if it still ran. */
TT_NODISCARD enum tt_code tt_scribe_finish(tt_scribe *s, uint64_t *rows,
                                           tt_err *err);
void tt_scribe_free(tt_scribe *s); /* accepts NULL; finishes first */

#endif
