/* SPDX-License-Identifier: MIT */
#ifndef TT_TUNE_TUNE_H
#define TT_TUNE_TUNE_H

/* Settings found for a scenario: which master, order, approximation and step
 * give results within a tolerance at the least cost.
 *
 * A *way* is a master with its order, iteration and approximation; a variant is
 * a way at a step. What the checker refuses, or plays the same score as another
 * way, is cut before anything runs. Two ways with different masters are run at
 * ever smaller steps until they agree: that is the reference. Then all ways are
 * run at large steps, the next round at smaller ones: a way that met the
 * tolerance is finished, one that would cost more than the best so far is out.
 * The best is confirmed by half its step and by the reference of another
 * master. Error is the largest difference from the reference at 51 instants,
 * per output relative to its range; of discrete outputs the mean one. A variant
 * that violates what the scenario expects, hints at, or an instance declares
 * (min, max) is out, unless the reference violates it, too: then it contradicts
 * the model. Cost is counted in steps of instances: nothing depends on the
 * clock, so that a budget of runs leads to the same choice again. */

#include "tune/sweep.h"

#define TT_TUNE_WORDS 504u

struct tt_tune_opts {
    struct tt_sweep_source source; /* JSON files */
    const char *hints; /* of the files, the one with hints; NULL: none is */
    double warm;       /* s: all runs begin there, with what one led to; NaN */
    int list;          /* variants only, nothing is run */
    double tolerance;  /* of each output's range */
    uint32_t runs;     /* at most so many */
    double seconds;    /* +inf: no limit */
    uint32_t n_worker;
    tt_link
        *link; /* of the ranks, which all search alike; NULL: there is one */
    volatile int *stop;
    void *ctx;
    void (*death_cb)(struct tt_buf *b, struct tt_stage *stage,
                     const struct tt_proc_result *how);
    /* After each round, or each run; words about the best so far. May be
     * NULL. */
    int each_run;
    void (*progress_cb)(void *ctx, const char *words);
};

enum tt_tune_state {
    TT_TUNE_OPEN,
    TT_TUNE_DONE,
    TT_TUNE_FAILED,
    TT_TUNE_CRASHED,
    TT_TUNE_LATE,
    TT_TUNE_UNSTABLE, /* not run: its radius */
    TT_TUNE_CUT,      /* not run: refused, or the same as another */
};

enum tt_tune_role { TT_TUNE_CANDIDATE, TT_TUNE_REFERENCE, TT_TUNE_CONFIRMS };
const char *tt_tune_role_name(enum tt_tune_role r);

struct tt_tune_shown;
struct tt_tune_try {
    uint32_t way;
    double step; /* s; NaN: of a way that is cut altogether */
    enum tt_tune_role role;
    enum tt_tune_state state;
    const char *settings;        /* to be laid over the scenario; JSON */
    double error, cost, rho;     /* NaN: not known */
    char why[TT_TUNE_WORDS];     /* it is out; "": it is not */
    double *curve;               /* owned */
    struct tt_tune_shown *shown; /* of a reference: per fact, in the arena */
};

struct tt_tune {
    tt_arena *arena;
    const char **way; /* in words */
    uint32_t n_way;
    struct tt_tune_try *tried; /* owned */
    uint32_t n_tried;
    size_t cap_tried;
    uint32_t n_run;
    uint32_t best; /* of tried, or TT_NONE */
    int within;    /* ... within the tolerance */
    int confirmed;
    uint32_t n_contradicted; /* hints that the model itself violates */
    const char **reason;     /* sentences */
    uint32_t n_reason;
    size_t cap_reason;
    struct tt_tune_variant { /* by hints, in the order of visits */
        const char *words, *settings;
    } * variant;
    uint32_t n_variant;
    char *scenario; /* owned: of the best, as JSON; NULL: there is none */
    struct tt_brief brief; /* names of instances, for people */
    double begin;          /* s: of all runs but the first, which took ... */
    double begin_cost;
    const char *begin_by; /* ... these settings; NULL: all are whole */
    double end;           /* s */
};

TT_NODISCARD enum tt_code
tt_tune_run(struct tt_tune *out, const struct tt_tune_opts *o, tt_err *err);
void tt_tune_fini(struct tt_tune *t); /* zeroed is fine */

void tt_tune_text(struct tt_buf *b, const struct tt_tune *t, double tolerance,
                  uint32_t keep);
void tt_tune_json(struct tt_buf *b, const struct tt_tune *t, double tolerance,
                  uint32_t keep);
/* Of which part of the experiment errors are, if not of all. */
void tt_tune_put_begin(struct tt_buf *b, const struct tt_tune *t,
                       const char *before, const char *after);
/* A page of HTML that needs nothing else. */
void tt_tune_report(struct tt_buf *b, const struct tt_tune *t,
                    const char *scenario, double tolerance);
/* What was listed. */
void tt_tune_list_text(struct tt_buf *b, const struct tt_tune *t);
void tt_tune_list_json(struct tt_buf *b, const struct tt_tune *t);
/* "best", "tried" and "reasons", as members of an object. */
void tt_tune_members(struct tt_buf *b, const struct tt_tune *t,
                     double tolerance, uint32_t keep);

#endif
