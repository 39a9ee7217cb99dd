/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_CHILD_H
#define TT_SYS_CHILD_H

/* Programs started beside us, any number at once, and never waited for: their
 * starter asks now and then whether it ended. A child has a process group of
 * its own, so that what the terminal sends to us does not reach it, and it is
 * killed when we die. */

#include "base/err.h"
#include "sys/proc.h"
#include "sys/sandbox.h"

/* Our ends of pipes to its input and from its output, which never block. The
 * caller closes them. */
struct tt_child_pipes {
    int to, from;
};

struct tt_child_spec {
    const char *const *argv; /* argv[0] is the program's path; NULL ends it */
    const char *dir;         /* its working directory; no part is a link */
    const char *out, *err;   /* files for its words, made anew, in dir or with
                                a whole path */
    const char *in;          /* a regular file for its input, in dir or with a
                                whole path, no part is a link; NULL: empty */
    const char *temp;        /* its $TMPDIR, or NULL: ours */
    struct tt_child_pipes *pipes;     /* instead of `out` and `in`, or NULL;
                                         both are -1 after a failure */
    const struct tt_sandbox *sandbox; /* or NULL: it may do what we may */
};

/* Descriptors other than the three are
 * closed. A program that cannot be executed exits with 127. A sandbox that
 * cannot be made is an error; one that cannot be entered is stated in `err`,
 * and the code is 127. */
TT_NODISCARD enum tt_code tt_child_start(const struct tt_child_spec *spec,
                                         int *pid, tt_err *err);
struct tt_child_copy {
    int (*main_cb)(void *ctx);
    void *ctx;
    int keep_fd;       /* a descriptor it needs; 0: none */
    const void *share; /* memory it shares with us (shared.h), or NULL */
    const struct tt_sandbox *sandbox; /* entered first; NULL: none */
};
#define TT_CHILD_NOT_CONFINED 126 /* its exit code when that failed */

/* Run main_cb(ctx) in a copy of this process: nothing is executed, all memory
 * is there as a copy, and nothing is shared but `share`. It ends with the value
 * main_cb returns, without exit handlers. Descriptors other than the three and
 * keep_fd are closed. */
TT_NODISCARD enum tt_code tt_child_fork(const struct tt_child_copy *c, int *pid,
                                        tt_err *err);
/* Has it ended? Asked as often as one likes; it is not reaped. */
int tt_child_ended(int pid);
/* In a forked child: is its parent still there? */
int tt_child_has_parent(void);
/* Did it end? Then 1, and the pid is no longer ours; what it left running in
 * its group is killed. Else 0. */
int tt_child_poll(int pid, struct tt_proc_result *res);
void tt_child_ask(int pid); /* SIGINT to it alone */
void tt_child_end(int pid); /* SIGKILL to its group; to be polled as ever */
/* SIGKILL to its group; reaps it. What it started is given a moment to die. */
void tt_child_kill(int pid);

/* The file this process was started from; owned by the caller. */
TT_NODISCARD enum tt_code tt_child_self(char **path, tt_err *err);

/* How many descriptors this process may have open. */
unsigned tt_descriptors_max(void);

/* n random bytes, for secrets. */
TT_NODISCARD enum tt_code tt_random_bytes(void *out, size_t n, tt_err *err);

#endif
