/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_PROC_H
#define TT_SYS_PROC_H

/* A child process that plays while its parent watches, and memory both see
 * (shared.h). */

#include <stddef.h>

#include "base/err.h"
#include "sys/shared.h"

enum tt_proc_end {
    TT_PROC_EXITED, /* `value` is what main returned, modulo 256 */
    TT_PROC_KILLED, /* `value` is the signal */
};

struct tt_proc_result {
    enum tt_proc_end how;
    int value;
    int asked;   /* SIGINT, SIGTERM or SIGHUP came while we waited */
    int lost_it; /* we ended it, because our patience did */
    int hung;    /* we ended it, because look_cb returned so */
};

/* What a parent does while its child lives, and about one that was asked to end
 * (SIGINT, SIGTERM, SIGHUP to the parent) and does not. Times count from the
 * first signal. */
struct tt_proc_patience {
    void (*begun_cb)(void *ctx); /* once the child is there; may be NULL */
    struct {
        unsigned ms;           /* when it is called, once */
        void (*cb)(void *ctx); /* an ordinary call, not from a handler */
    } notice;
    struct {
        unsigned ms;          /* when the child gets SIGKILL ... */
        int (*cb)(void *ctx); /* ... unless this returns 0; asked again later */
    } end;
    int (*look_cb)(void *ctx); /* asked every tenth of a second or so, also of a
                                  child that was not asked to end; not 0: it
                                  gets SIGKILL. May be NULL */
    void *ctx;
};

/* Run main(ctx) in a forked child and wait for it. While waiting, SIGINT,
 * SIGTERM and SIGHUP to the parent are passed to the child. If main returns,
 * the child ends with its value without running exit handlers (units' libraries
 * may have crashing ones). `done` (shared, may be NULL) is set to 1 by the
 * child just before it ends by returning: a child that exited with done unset
 * was ended from inside by a unit calling exit(). The child dies with its
 * parent, and what it left running with it. One at a time per process:
 * TT_ESTATE while another one runs. */
TT_NODISCARD enum tt_code tt_proc_run(int (*main_cb)(void *ctx), void *ctx,
                                      volatile int *done,
                                      struct tt_proc_result *res, tt_err *err);

/* The same with limited patience; NULL: for ever. */
TT_NODISCARD enum tt_code
tt_proc_run_within(const struct tt_proc_patience *patience,
                   int (*main_cb)(void *ctx), void *ctx, volatile int *done,
                   struct tt_proc_result *res, tt_err *err);

/* From another thread of the parent: as if SIGTERM had come, for the child that
 * runs now, if one does. */
void tt_proc_ask(void);

/* Is it one of the signals a program sends itself by its mistakes? */
int tt_is_crash(int sig);
const char *tt_signal_name(int sig); /* "SIGSEGV", or "signal 42" (static) */

/* Ask for a stop on SIGINT, SIGTERM or SIGHUP: sets *flag to 1. The first
 * signal only asks; one that follows half a second later or more ends the
 * process at once, so that a hanging unit cannot hold it. Signals that were
 * ignored stay so. NULL ends the watch and brings back the default action. */
void tt_signal_watch(volatile int *flag);
/* Was SIGINT (Ctrl-C) the first signal that asked for an end, since the last
 * watch or child began? */
int tt_signal_interrupted(void);

#endif
