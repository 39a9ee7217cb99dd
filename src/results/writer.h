/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_WRITER_H
#define TT_RESULTS_WRITER_H

/* A file of results in some format. A scribe hands it the rows, in order, from
 * a thread of its own. */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hooks.h"
#include "results/layout.h"
#include "results/position.h"

enum tt_csv_dialect {
    TT_CSV_MAESTRO2, /* "time,..." in the order of the columns */
    TT_CSV_MAESTRO1, /* "time,step-size,..." sorted by name, texts quoted */
};

typedef struct tt_writer tt_writer;

struct tt_writer_ops {
    /* n records side by side. TT_ESTOPPED: the reader has seen enough; TT_EIO:
     * no more will fit. After either, only close and free follow. */
    enum tt_code (*rows)(tt_writer *w, const char *record, size_t n,
                         tt_err *err);
    /* What was given so far, for readers of the file; called when there is
     * nothing else to do. */
    enum tt_code (*flush)(tt_writer *w, tt_err *err);
    /* What was given so far reaches the disk; what continuing after it needs,
     * besides the number of rows, is added to `to`. */
    enum tt_code (*keep)(tt_writer *w, struct tt_buf *to, tt_err *err);
    /* Of a file that is continued: cut off what follows the position. Before
     * that it stays as it is. */
    enum tt_code (*go_on)(tt_writer *w, tt_err *err);
    /* Complete the file. */
    enum tt_code (*close)(tt_writer *w, tt_err *err);
    void (*free)(tt_writer *w); /* any state */
};

struct tt_writer { /* first member of every implementation */
    const struct tt_writer_ops *ops;
    uint64_t rows; /* complete rows the file has or will have */
};

/* What is to be written, and where; all outlives the writer. */
struct tt_writer_job {
    const char *path;
    const struct tt_layout *layout;
    enum tt_csv_dialect dialect;
    /* Continue after so many rows, from what `keep` added; NULL: a new file. A
     * file that is not the one is refused. */
    struct tt_cursor *from;
    uint64_t rows;
};

/* Whatever happens, nothing is left to free when they fail. */
TT_NODISCARD enum tt_code
tt_csv_open(tt_writer **out, const struct tt_writer_job *job, tt_err *err);
TT_NODISCARD enum tt_code
tt_mat_open(tt_writer **out, const struct tt_writer_job *job, tt_err *err);
TT_NODISCARD enum tt_code
tt_h5_open(tt_writer **out, const struct tt_writer_job *job, tt_err *err);

/* The one of these that the path's ending means. */
TT_NODISCARD enum tt_code
tt_writer_open(tt_writer **out, const struct tt_writer_job *job, tt_err *err);

/* "cannot write PATH: " and errno's reason; errno stays. "-" is standard
 * output. */
enum tt_code tt_writer_cannot(const char *path, tt_err *err);
/* Flushed, and on disk. */
TT_NODISCARD enum tt_code tt_writer_sync(tt_writer *w, FILE *file,
                                         const char *path, tt_err *err);
/* The same, and "; the first 83 rows are kept". */
enum tt_code tt_writer_broke(const char *path, int reason, uint64_t rows,
                             tt_err *err);

#endif
