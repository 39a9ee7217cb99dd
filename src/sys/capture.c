/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* pipe2, F_DUPFD_CLOEXEC */
#include "sys/capture.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/sync.h"

#define LOOK_MS 20 /* between looks whether it is over */

struct tt_capture {
    void (*line_cb)(void *ctx, const char *line);
    void *ctx;
    int in, out;     /* of the pipe */
    int begun;       /* descriptor 1 is the pipe, and a thread reads */
    atomic_int over; /* nothing more will be written */
    sem_t reads;     /* posted by the reader as soon as it runs */
    pthread_t reader;
    char line[TT_CAPTURE_LINE + 1];
    size_t n;
};

/* Of this process, since FILE stdout and descriptor 1 are. */
static FILE *own_out;

FILE *tt_stdout(void)
{
    return own_out ? own_out : stdout;
}

int tt_stdout_fd(void)
{
    return fileno(tt_stdout());
}

void tt_stdout_to_stderr(void)
{
    fflush(stdout);
    (void)dup2(2, 1);
}

void tt_output_to_nowhere(void)
{
    int fd = open("/dev/null", O_WRONLY | O_CLOEXEC);

    fflush(stdout);
    if (fd < 0)
        return;
    (void)dup2(fd, 1);
    (void)dup2(fd, 2);
    (void)close(fd);
}

enum tt_code tt_capture_new(tt_capture **out,
                            void (*line_cb)(void *ctx, const char *line),
                            void *ctx, tt_err *err)
{
    tt_capture *s;
    int fd[2];

    if (!TT_NEW(s))
        return tt_fail(err, TT_ENOMEM, "out of memory");
    if (pipe2(fd, O_CLOEXEC) != 0) {
        tt_free(s);
        return tt_fail(err, TT_EIO, "cannot make a pipe: %s", strerror(errno));
    }
    s->line_cb = line_cb;
    s->ctx = ctx;
    s->in = fd[0];
    s->out = fd[1];
    *out = s;
    return TT_OK;
}

/* --- reading ----------------------------------------------------------------
 */

/* Held while a line is passed on, and over every fork: what the reader holds
 * then (the log's lock, with sanitizers the heap's) would be held in the copy
 * for ever. */
static struct tt_lock passing = TT_LOCK_STATIC;

static void before_fork(void)
{
    tt_lock_take(&passing);
}

static void after_fork(void)
{
    tt_lock_give(&passing);
}

static void guard(void)
{
    tt_lock_over_fork(before_fork, after_fork, after_fork);
}

static void guard_forks(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;

    (void)pthread_once(&once, guard);
}

static void pass_line(tt_capture *s)
{
    if (!s->n)
        return;
    if (s->line[s->n - 1] == '\r')
        s->n--;
    s->line[s->n] = '\0';
    if (s->n)
        s->line_cb(s->ctx, s->line);
    s->n = 0;
}

static void take(tt_capture *s, const char *data, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (data[i] == '\n') {
            pass_line(s);
            continue;
        }
        s->line[s->n++] = data[i] ? data[i] : ' ';
        if (s->n == TT_CAPTURE_LINE)
            pass_line(s);
    }
}

/* What comes within ms; 0: nothing did. */
static int read_some(tt_capture *s, int ms)
{
    struct pollfd p = {.fd = s->in, .events = POLLIN};
    char data[4096];
    ssize_t n;

    if (poll(&p, 1, ms) <= 0 || !(p.revents & POLLIN))
        return 0;
    n = read(s->in, data, sizeof(data));
    if (n <= 0)
        return 0;
    tt_lock_take(&passing);
    take(s, data, (size_t)n);
    tt_lock_give(&passing);
    return 1;
}

/* Signals are the playing thread's. */
static void *read_all(void *ctx)
{
    tt_capture *s = ctx;

    (void)sem_post(&s->reads);
    while (!atomic_load(&s->over))
        (void)read_some(s, LOOK_MS);
    while (read_some(s, 0))
        continue;
    tt_lock_take(&passing);
    pass_line(s);
    tt_lock_give(&passing);
    return NULL;
}

/* Back when it runs: a thread that is being made may hold the heap, too. */
static int start_reader(tt_capture *s)
{
    sigset_t every, before;
    int rc;

    guard_forks();
    (void)sem_init(&s->reads, 0, 0);
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    rc = pthread_create(&s->reader, NULL, read_all, s);
    while (rc == 0 && sem_wait(&s->reads) != 0)
        continue;
    (void)sem_destroy(&s->reads);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return rc;
}

/* --- the descriptor ---------------------------------------------------------
 */

enum tt_code tt_capture_begin(tt_capture *s, tt_err *err)
{
    int own, rc;

    fflush(stdout);
    own = fcntl(1, F_DUPFD_CLOEXEC, 3);
    own_out = own >= 0 ? fdopen(own, "w") : NULL;
    if (!own_out)
        return tt_fail(err, TT_EIO, "cannot keep standard output: %s",
                       strerror(errno));
    (void)dup2(s->out, 1);
    (void)setvbuf(stdout, NULL, _IOLBF, BUFSIZ); /* so that lines come soon */
    rc = start_reader(s);
    if (rc == 0) {
        s->begun = 1;
        return TT_OK;
    }
    (void)dup2(own, 1);
    return tt_fail(err, TT_EIO, "cannot read standard output: %s",
                   strerror(rc));
}

void tt_capture_end(tt_capture *s)
{
    if (!s->begun)
        return;
    fflush(stdout);
    fflush(own_out);
    (void)dup2(tt_stdout_fd(), 1);
    atomic_store(&s->over, 1);
    (void)pthread_join(s->reader, NULL);
    s->begun = 0;
}

void tt_capture_drain(tt_capture *s)
{
    if (!s)
        return;
    while (read_some(s, 0))
        continue;
    pass_line(s);
}

void tt_capture_free(tt_capture *s)
{
    if (!s)
        return;
    (void)close(s->in);
    (void)close(s->out);
    tt_free(s);
}
