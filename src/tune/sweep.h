/* SPDX-License-Identifier: MIT */
#ifndef TT_TUNE_SWEEP_H
#define TT_TUNE_SWEEP_H

/* A scenario run at many points, on several processes (pool.h), and one table
 * of what came of each. FMUs are read once here, and loaded once by each
 * worker. What is done is kept in a journal: a sweep that was killed goes on
 * where it was. A point that fails, crashes or takes too long is named, and the
 * others do not suffer. */

#include "player/link.h"
#include "run/run.h"
#include "tune/points.h"
#include "tune/pool.h"
#include "tune/tally.h"

/* What is run: texts are borrowed. */
struct tt_sweep_source {
    const char *const *path;
    size_t n_path;
    const char *variant; /* as of tt_format_open */
    struct tt_sc_options o;
    enum tt_code (*kind_cb)(const struct tt_kind_ops **kind,
                            const struct tt_source *s, tt_err *err);
};

struct tt_sweep_opts {
    struct tt_sweep_source source;
    const struct tt_points *points; /* borrowed */
    const char *const *pattern;     /* columns; none: all numbers */
    size_t n_pattern;
    uint32_t n_instant; /* of curves that are kept; 0: none */
    uint32_t n_worker;
    tt_link *link; /* of the ranks; NULL: there is one */
    double warm;   /* s: points have all in common up to there; NaN: nothing */
    double patience;     /* s for a point; 0: as long as it takes */
    const char *journal; /* file; NULL: none */
    const char *words;   /* what distinguishes it, for the journal: the line */
    volatile int *stop;  /* may be NULL */
    void *ctx;
    /* Words about a worker that died. */
    void (*death_cb)(struct tt_buf *b, struct tt_stage *stage,
                     const struct tt_proc_result *how);
    /* Now and then: so many are done, of which so many failed. May be NULL. */
    void (*progress_cb)(void *ctx, uint32_t done, uint32_t failed, uint32_t n);
};

enum tt_sweep_state {
    TT_SWEEP_OPEN, /* not run */
    TT_SWEEP_DONE,
    TT_SWEEP_FAILED,
    TT_SWEEP_CRASHED,
    TT_SWEEP_LATE,
};
const char *tt_sweep_state_name(enum tt_sweep_state s); /* "done" */

#define TT_SWEEP_WORDS 504u

struct tt_sweep_record {
    uint32_t state; /* enum tt_sweep_state */
    char problem[TT_SWEEP_WORDS];
    /* TT_TALLY_N per column, then n_instant per column */
    double value[];
};

struct tt_sweep {
    const struct tt_points *points;
    tt_arena *arena;     /* owned: the names */
    const char **column; /* n_column names */
    uint32_t n_column, n_instant;
    double start, end; /* s, of the experiment */
    uint32_t n_done, n_failed;
    uint32_t n_found; /* of these, in the journal */
    size_t stride;
    char *record; /* owned */
};

/* TT_ESTOPPED: asked to; *out has what was done. */
TT_NODISCARD enum tt_code
tt_sweep_run(struct tt_sweep *out, const struct tt_sweep_opts *o, tt_err *err);
void tt_sweep_fini(struct tt_sweep *s); /* zeroed is fine */

const struct tt_sweep_record *tt_sweep_at(const struct tt_sweep *s,
                                          uint32_t point);

/* One run of a source with settings laid over it, whose types `like` lends, if
 * that is not NULL; the caller frees both. */
TT_NODISCARD enum tt_code tt_sweep_open(tt_scenario **sc, tt_run **run,
                                        const struct tt_sweep_source *s,
                                        const struct tt_run_opts *o,
                                        tt_err *err);

/* The tables: a line per point; per instant with quantiles over the points; per
 * parameter with differences (of tt_points_about). take: bits of enum
 * tt_tally_what. */
void tt_sweep_put_table(struct tt_buf *b, const struct tt_sweep *s,
                        unsigned take);
TT_NODISCARD enum tt_code tt_sweep_put_bands(struct tt_buf *b,
                                             const struct tt_sweep *s,
                                             const double *quantile,
                                             uint32_t n_quantile, tt_err *err);
void tt_sweep_put_slopes(struct tt_buf *b, const struct tt_sweep *s,
                         unsigned take);
/* "{a}.x.p=3, {a}.x.q=4" */
void tt_sweep_put_point(struct tt_buf *b, const struct tt_points *p,
                        uint32_t point);

#endif
