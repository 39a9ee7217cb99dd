/* SPDX-License-Identifier: MIT */
#ifndef TT_TUNE_POOL_H
#define TT_TUNE_POOL_H

/* Many jobs on a few worker processes. Workers are copies of this process and
 * take the next job themselves, one after the other, so that what they opened
 * for the first serves the others. One that dies takes its own job along and no
 * other: a new worker goes on with the next. */

#include "run/run.h"
#include "sys/proc.h"

#define TT_POOL_WORKERS 256u

struct tt_pool {
    uint32_t n_worker;  /* 1 .. TT_POOL_WORKERS */
    size_t record;      /* bytes that a job leaves; zeroed before */
    double patience;    /* s: a job that takes longer is ended; 0: none is */
    volatile int *stop; /* set from outside: end the workers; may be NULL */
    void *ctx;
    /* In a worker: do it and leave what came of it. */
    void (*work_cb)(void *ctx, uint32_t job, struct tt_stage *stage,
                    void *record);
    /* Here: the worker died of this job; leave words about it. */
    void (*died_cb)(void *ctx, uint32_t job, struct tt_stage *stage,
                    const struct tt_proc_result *how, void *record);
    /* Here: a job has ended, in the order in which they end. */
    enum tt_code (*done_cb)(void *ctx, uint32_t job, const void *record,
                            tt_err *err);
    void (*idle_cb)(void *ctx); /* here, now and then; may be NULL */
};

/* The n jobs of the list, begun in its order. TT_ESTOPPED: asked to stop, and
 * some are not done. */
TT_NODISCARD enum tt_code tt_pool_run(const struct tt_pool *p,
                                      const uint32_t *job, uint32_t n,
                                      tt_err *err);

#endif
