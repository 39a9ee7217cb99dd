/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* prctl, close_range, pipe2 */
#include "sys/child.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/crash.h"
#include "sys/file.h"
#include "sys/file_impl.h"
#include "sys/lifeline.h"
#include "sys/orphans.h"
#include "sys/sync.h"

#define CANNOT_EXEC 127
#define PATH_CAP    4096
#define DYING_MS    20

/* What is opened for it before it is there: nothing that runs beside it can
 * put a link, or anything else, in the way. */
struct files {
    int dir, in, out, err; /* -1: none */
};

static void close_files(const struct files *f)
{
    if (f->dir >= 0)
        (void)close(f->dir);
    if (f->in >= 0)
        (void)close(f->in);
    if (f->out >= 0)
        (void)close(f->out);
    if (f->err >= 0)
        (void)close(f->err);
}

/* A new file for its words, instead of what is there. */
static int open_fresh(int dir, const char *path)
{
    int at = dir, fd, e;
    char *below = *path == '/' ? tt_path_dir(path) : NULL;

    if (*path == '/')
        at = below ? tt_plain_open(below, O_PATH | O_DIRECTORY, 0) : -1;
    tt_free(below);
    if (at < 0)
        return -1;
    (void)unlinkat(at, tt_path_base(path), 0);
    fd = openat(at, tt_path_base(path),
                O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    e = errno;
    if (at != dir)
        (void)close(at);
    errno = e;
    return fd;
}

/* What is there now, whatever comes in its place. */
static int open_input(int dir, const char *path)
{
    int fd =
        *path == '/'
            ? tt_plain_open(path, O_RDONLY | O_NONBLOCK, 0)
            : openat(dir, path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;

    if (fd < 0 ||
        (fstat(fd, &st) == 0 && (S_ISREG(st.st_mode) || S_ISCHR(st.st_mode))))
        return fd;
    (void)close(fd);
    errno = EINVAL;
    return -1;
}

static enum tt_code open_files(const struct tt_child_spec *s, struct files *f,
                               tt_err *err)
{
    const char *what = s->dir;

    *f = (struct files){-1, -1, -1, -1};
    f->dir = tt_plain_open(s->dir, O_RDONLY | O_DIRECTORY, 0);
    if (f->dir >= 0)
        f->in = open_input(f->dir, what = s->in ? s->in : "/dev/null");
    if (f->in >= 0)
        f->err = open_fresh(f->dir, what = s->err);
    if (f->err >= 0 && !s->pipes)
        f->out = open_fresh(f->dir, what = s->out);
    if (f->err >= 0 && (s->pipes || f->out >= 0))
        return TT_OK;
    return tt_file_fail(err, "open", what);
}

static void default_signals(void)
{
    sigset_t none;

    sigemptyset(&none);
    pthread_sigmask(SIG_SETMASK, &none, NULL);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    signal(SIGHUP, SIG_DFL);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGCHLD, SIG_DFL);
}

/* Its ends, and ours. */
struct ends {
    int in[2], out[2]; /* as pipe() gives them: reading, writing */
};

static void close_ends(struct ends *e)
{
    for (int i = 0; i < 2; i++) {
        if (e->in[i] >= 0)
            (void)close(e->in[i]);
        if (e->out[i] >= 0)
            (void)close(e->out[i]);
        e->in[i] = e->out[i] = -1;
    }
}

static int open_ends(struct ends *e)
{
    *e = (struct ends){{-1, -1}, {-1, -1}};
    if (pipe2(e->in, O_CLOEXEC) == 0 && pipe2(e->out, O_CLOEXEC) == 0 &&
        fcntl(e->in[1], F_SETFL, O_NONBLOCK) == 0 &&
        fcntl(e->out[0], F_SETFL, O_NONBLOCK) == 0)
        return 0;
    close_ends(e);
    return -1;
}

/* Where its input comes from, and its output goes to. */
static int put_streams(const struct files *f, const struct ends *e)
{
    int in = e->in[0] >= 0 ? e->in[0] : f->in;
    int out = e->out[1] >= 0 ? e->out[1] : f->out;

    return dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(f->err, 2) < 0 ? -1 : 0;
}

static int confine(const struct tt_box *box)
{
    tt_err err;

    if (tt_box_enter(box, &err) == TT_OK)
        return 0;
    (void)!write(2, err.msg, strlen(err.msg));
    (void)!write(2, "\n", 1);
    return -1;
}

TT_NORETURN static void be_child(const struct tt_child_spec *s,
                                 const struct files *f, const struct ends *e,
                                 const struct tt_box *box, pid_t parent)
{
    char *const *argv;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before we asked */
        _exit(CANNOT_EXEC);
    setpgid(0, 0);
    tt_orphans_adopt(); /* so that we know whose they are */
    default_signals();
    if (fchdir(f->dir) != 0 || put_streams(f, e) != 0 ||
        (s->temp && setenv("TMPDIR", s->temp, 1) != 0) ||
        (s->sandbox && confine(box) != 0))
        _exit(CANNOT_EXEC);
    close_range(3, ~0u, 0);
    memcpy(&argv, &s->argv, sizeof(argv)); /* execv changes none of it */
    execv(argv[0], argv);
    _exit(CANNOT_EXEC);
}

static enum tt_code start(const struct tt_child_spec *spec,
                          const struct files *f, const struct tt_box *box,
                          int *pid, tt_err *err)
{
    struct ends e = {{-1, -1}, {-1, -1}};
    pid_t parent = getpid(), child = -1;

    if (!spec->pipes || open_ends(&e) == 0)
        child = fork();
    if (child == 0)
        be_child(spec, f, &e, box, parent);
    if (child < 0) {
        (void)tt_fail(err, TT_EIO, "cannot start '%s': %s", spec->argv[0],
                      strerror(errno));
        close_ends(&e);
        return TT_EIO;
    }
    setpgid(child, child); /* whichever of us comes first */
    if (spec->pipes) {
        *spec->pipes = (struct tt_child_pipes){.to = e.in[1], .from = e.out[0]};
        e.in[1] = e.out[0] = -1;
        close_ends(&e);
    }
    *pid = child;
    return TT_OK;
}

enum tt_code tt_child_start(const struct tt_child_spec *spec, int *pid,
                            tt_err *err)
{
    struct tt_box box = {.ruleset = -1};
    struct files f;
    enum tt_code rc = open_files(spec, &f, err);

    if (spec->pipes)
        *spec->pipes = (struct tt_child_pipes){-1, -1};
    if (rc == TT_OK && spec->sandbox)
        rc = tt_box_open(&box, spec->sandbox, err);
    if (rc == TT_OK)
        rc = start(spec, &f, &box, pid, err);
    tt_box_close(&box);
    close_files(&f);
    return rc;
}

/* --- copies ------------------------------------------------------------ */

/* Handlers of the program we are a copy of (a debugger's, a test's, another
 * language's) would make something else of a crash. */
static void default_crashes(void)
{
    static const int crash[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                SIGABRT, SIGTRAP, SIGSYS};

    for (size_t i = 0; i < sizeof(crash) / sizeof(*crash); i++)
        signal(crash[i], SIG_DFL);
}

static pid_t forked_by; /* of a copy: its parent; set once, in the child */

#if defined(__SANITIZE_ADDRESS__)
/* The search for leaks at exit() wants to trace the process, which a confined
 * copy may not; asked by the sanitizer. */
__attribute__((visibility("default"))) int __lsan_is_turned_off(void);

int __lsan_is_turned_off(void)
{
    return forked_by != 0;
}
#endif

/* All but the three and these two, where there are such. */
static void close_others(int a, int b)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    unsigned from = 3;

    if (low > 3)
        close_range(from, (unsigned)low - 1, 0);
    if (low >= 3)
        from = (unsigned)low + 1;
    if (high > (int)from)
        close_range(from, (unsigned)high - 1, 0);
    if (high >= (int)from)
        from = (unsigned)high + 1;
    close_range(from, ~0u, 0);
}

/* What ends a copy when its parent ends. */
struct bond {
    pid_t parent;
    int by_first; /* the process's first thread has forked */
    int line;     /* else: of tt_lifeline_give() */
};

TT_NORETURN static void be_copy(const struct tt_child_copy *c,
                                const struct tt_box *box, const struct bond *b)
{
    int value, line = -1;

    if (b->by_first)
        prctl(PR_SET_PDEATHSIG, SIGKILL);
    else
        line = tt_lifeline_take(b->line);
    if (getppid() != b->parent) /* it died before we asked */
        _exit(CANNOT_EXEC);
    forked_by = b->parent;
    setpgid(0, 0);
    tt_crash_watch(NULL, NULL);
    default_signals();
    default_crashes();
    if (tt_shared_leave(c->share) != 0 || (c->sandbox && confine(box) != 0))
        _exit(TT_CHILD_NOT_CONFINED);
    close_others(c->keep_fd, line);
    value = c->main_cb(c->ctx);
    fflush(NULL);
    _exit(value & 0xff);
}

/* Where Landlock does not close our memory to a copy that is kept apart, we ask
 * to be left alone by all but root. */
static void close_memory(const struct tt_box *box)
{
    if ((box->guards & TT_GUARD_APART) && box->ruleset < 0)
        prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

static enum tt_code copy(const struct tt_child_copy *c,
                         const struct tt_box *box, int *pid, tt_err *err)
{
    struct bond b = {.parent = getpid(), .line = -1};
    pid_t child;

    b.by_first = (pid_t)syscall(SYS_gettid) == b.parent;
    if (!b.by_first)
        b.line = tt_lifeline_give();
    close_memory(box);
    fflush(NULL); /* or both would write what is still buffered */
    child = fork();
    if (child < 0)
        return tt_fail(err, TT_EIO, "cannot start a process: %s",
                       strerror(errno));
    if (child == 0)
        be_copy(c, box, &b);
    setpgid(child, child); /* whichever of us comes first */
    *pid = child;
    return TT_OK;
}

enum tt_code tt_child_fork(const struct tt_child_copy *c, int *pid, tt_err *err)
{
    struct tt_box box = {.ruleset = -1};
    enum tt_code rc = TT_OK;

    if (c->sandbox)
        rc = tt_box_open(&box, c->sandbox, err);
    if (rc == TT_OK)
        rc = copy(c, &box, pid, err);
    tt_box_close(&box);
    return rc;
}

int tt_child_ended(int pid)
{
    siginfo_t info = {0};

    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
           info.si_pid != 0;
}

int tt_child_has_parent(void)
{
    return getppid() == forked_by;
}

int tt_child_poll(int pid, struct tt_proc_result *res)
{
    siginfo_t info = {0};
    int status = 0;
    pid_t got;

    if (waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
        info.si_pid == 0)
        return 0;
    kill(-pid, SIGKILL); /* before it is reaped: the number is still its own */
    got = waitpid(pid, &status, 0);
    memset(res, 0, sizeof(*res));
    res->how =
        got == pid && WIFEXITED(status) ? TT_PROC_EXITED : TT_PROC_KILLED;
    if (got == pid)
        res->value =
            res->how == TT_PROC_EXITED ? WEXITSTATUS(status) : WTERMSIG(status);
    return 1;
}

void tt_child_ask(int pid)
{
    kill(pid, SIGINT);
}

void tt_child_end(int pid)
{
    kill(-pid, SIGKILL);
}

void tt_child_kill(int pid)
{
    kill(-pid, SIGKILL);
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    for (int i = 0; i < DYING_MS && kill(-pid, SIGKILL) == 0; i++)
        tt_sleep_ns(1000000);
}

enum tt_code tt_child_self(char **path, tt_err *err)
{
    char buf[PATH_CAP];
    ssize_t n = readlink("/proc/self/exe", buf, sizeof(buf) - 1);

    if (n < 0)
        return tt_fail(err, TT_EIO, "cannot find this program's file: %s",
                       strerror(errno));
    buf[n] = '\0';
    *path = tt_strdup(buf);
    return *path ? TT_OK
                 : tt_fail(err, TT_ENOMEM,
                           "finding this program's file: out "
                           "of memory");
}

unsigned tt_descriptors_max(void)
{
    long n = sysconf(_SC_OPEN_MAX);

    return n > 0 && n < INT_MAX ? (unsigned)n : 1024;
}

enum tt_code tt_random_bytes(void *out, size_t n, tt_err *err)
{
    char *p = out;

    while (n > 0) {
        ssize_t got = getrandom(p, n, 0);

        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return tt_fail(err, TT_EIO, "no random bytes: %s", strerror(errno));
        p += got;
        n -= (size_t)got;
    }
    return TT_OK;
}
