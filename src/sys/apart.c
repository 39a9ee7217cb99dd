/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* pipe2 */
#include "sys/apart.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "sys/child.h"
#include "sys/sandbox.h"
#include "sys/sync.h"

#define PIECE  ((size_t)65536)
#define NAP_NS ((uint64_t)100000)

struct work {
    int (*main_cb)(void *ctx, FILE *to);
    void *ctx;
    int fd;
};

static int begin(void *ctx)
{
    const struct work *w = ctx;
    FILE *to = fdopen(w->fd, "wb");
    int rc = to ? w->main_cb(w->ctx, to) : 1;

    return to && fclose(to) != 0 ? 1 : rc;
}

/* To the end. What does not fit is not kept: the buffer states it. */
static void read_all(int fd, struct tt_buf *out)
{
    char piece[PIECE];
    ssize_t n;

    while ((n = read(fd, piece, sizeof(piece))) > 0 ||
           (n < 0 && errno == EINTR)) {
        if (n > 0)
            tt_buf_add(out, piece, (size_t)n);
        if (out->failed)
            return;
    }
}

enum tt_code tt_apart_run(int (*main_cb)(void *ctx, FILE *to), void *ctx,
                          struct tt_buf *out, struct tt_proc_result *res,
                          tt_err *err)
{
    const struct tt_sandbox box = {.guards = TT_GUARD_FILES | TT_GUARD_NETWORK |
                                             TT_GUARD_CALLS | TT_GUARD_SIGNALS |
                                             TT_GUARD_APART,
                                   .limit = {.cpu_s = TT_APART_SECONDS}};
    struct work w = {.main_cb = main_cb, .ctx = ctx};
    struct tt_child_copy c = {.main_cb = begin, .ctx = &w, .sandbox = &box};
    enum tt_code rc;
    int ends[2], pid = 0;

    if (pipe2(ends, O_CLOEXEC) != 0)
        return tt_fail(err, TT_EIO, "cannot make a pipe: %s", strerror(errno));
    w.fd = c.keep_fd = ends[1];
    rc = tt_child_fork(&c, &pid, err);
    (void)close(ends[1]);
    if (rc == TT_OK)
        read_all(ends[0], out);
    (void)close(ends[0]);
    while (rc == TT_OK && !tt_child_poll(pid, res))
        tt_sleep_ns(NAP_NS);
    return rc;
}
