/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* prctl, ppoll */
#include "sys/proc.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "sys/orphans.h"

/* --- signals ----------------------------------------------------------- */

/* A terminal that goes (SIGHUP) asks for an end like anyone else. */
static const int passed_on[] = {SIGINT, SIGTERM, SIGHUP};
#define PASSED_N (sizeof(passed_on) / sizeof(passed_on[0]))

static atomic_int first_signal; /* of those that asked for an end, or 0 */

static void note_signal(int sig)
{
    int none = 0;

    atomic_compare_exchange_strong(&first_signal, &none, sig);
}

int tt_signal_interrupted(void)
{
    return atomic_load(&first_signal) == SIGINT;
}

static void block(sigset_t *before)
{
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < PASSED_N; i++)
        sigaddset(&set, passed_on[i]);
    sigaddset(&set, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &set, before);
}

/* Handle sig, unless the parent process wants it ignored. */
static void handle(int sig, void (*fn)(int, siginfo_t *, void *),
                   struct sigaction *before)
{
    struct sigaction sa = {.sa_sigaction = fn,
                           .sa_flags = SA_SIGINFO | SA_RESTART};

    sigaction(sig, NULL, before);
    if (!(before->sa_flags & SA_SIGINFO) && before->sa_handler == SIG_IGN)
        return;
    sigemptyset(&sa.sa_mask);
    sigaction(sig, &sa, NULL);
}

/* --- the watch --------------------------------------------------------- */

/* Handlers have no argument of ours, hence these globals; they are read and
 * written by tt_signal_watch and its handler only. */
static volatile int *_Atomic watch_flag;
static atomic_uint_fast64_t watch_since_ms; /* of the first signal, or 0 */

#define PATIENCE_MS 500u

static uint64_t now_ms(void)
{
    struct timespec t = {0};

    clock_gettime(CLOCK_MONOTONIC, &t); /* allowed in a handler */
    return (uint64_t)t.tv_sec * 1000u + (uint64_t)t.tv_nsec / 1000000u;
}

static void on_watched(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    volatile int *flag = atomic_load(&watch_flag);
    uint64_t now = now_ms(), since = 0;

    (void)info;
    (void)context;
    note_signal(sig);
    /* The same wish often comes twice at once: from the terminal or a
     * supervisor to the whole group, and passed on by our parent. */
    if (!atomic_compare_exchange_strong(&watch_since_ms, &since, now) &&
        now - since >= PATIENCE_MS) {
        signal(sig, SIG_DFL);
        raise(sig); /* takes effect when this handler returns */
    }
    if (flag)
        *flag = 1;
    errno = saved;
}

void tt_signal_watch(volatile int *flag)
{
    struct sigaction before;

    atomic_store(&watch_flag, flag);
    atomic_store(&watch_since_ms, 0);
    if (flag)
        atomic_store(&first_signal, 0);
    for (size_t i = 0; i < PASSED_N; i++) {
        if (flag)
            handle(passed_on[i], on_watched, &before);
        else if (sigaction(passed_on[i], NULL, &before) == 0 &&
                 (before.sa_flags & SA_SIGINFO))
            signal(passed_on[i], SIG_DFL);
    }
}

/* --- the child --------------------------------------------------------- */

#define NO_CHILD  0
#define MAKING_IT (-1)

static atomic_int child;              /* pid, or one of the two above */
static atomic_uint_fast64_t asked_ms; /* of the first signal, or 0 */
/* Held where `child` ends to be a process, and while one is asked to end. */
static pthread_mutex_t asking = PTHREAD_MUTEX_INITIALIZER;

#define LOOK_MS 100u /* between looks, should no signal wake us */

struct before {
    sigset_t mask;
    struct sigaction action[PASSED_N];
    struct sigaction chld;
};

/* What the terminal sends reaches the child by itself: it is in our process
 * group. */
static void on_passed(int sig, siginfo_t *info, void *context)
{
    int saved = errno;
    pid_t pid = atomic_load(&child);
    uint64_t never = 0;

    (void)context;
    note_signal(sig);
    atomic_compare_exchange_strong(&asked_ms, &never, now_ms());
    if (pid > 0 && info->si_code != SI_KERNEL)
        kill(pid, sig);
    errno = saved;
}

TT_NORETURN static void be_child(int (*main_cb)(void *ctx), void *ctx,
                                 volatile int *done, pid_t parent,
                                 const sigset_t *mask)
{
    int value;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) /* it died before we asked */
        _exit(127);
    atomic_store(&child, NO_CHILD); /* ours to use: we have none yet */
    signal(SIGCHLD, SIG_DFL);
    pthread_sigmask(SIG_SETMASK, mask, NULL);
    value = main_cb(ctx);
    fflush(NULL);
    if (done)
        *done = 1;
    _exit(value & 0xff);
}

/* The signals stay blocked: they come while we wait, and only then. */
static void start_passing(pid_t pid, struct before *b)
{
    atomic_store(&child, pid);
    atomic_store(&asked_ms, 0);
    atomic_store(&first_signal, 0);
    for (size_t i = 0; i < PASSED_N; i++)
        handle(passed_on[i], on_passed, &b->action[i]);
}

/* The child is dead but not yet reaped, so its pid is still its own: no signal
 * can have been passed to another process. */
static void end_passing(const struct before *b)
{
    sigset_t ignored;

    pthread_sigmask(SIG_SETMASK, &b->mask, NULL); /* let the last ones in */
    block(&ignored);
    for (size_t i = 0; i < PASSED_N; i++)
        sigaction(passed_on[i], &b->action[i], NULL);
    pthread_mutex_lock(&asking);
    atomic_store(&child, MAKING_IT);
    pthread_mutex_unlock(&asking);
}

void tt_proc_ask(void)
{
    uint64_t never = 0;
    pid_t pid;

    pthread_mutex_lock(&asking);
    pid = atomic_load(&child);
    if (pid > 0) {
        atomic_compare_exchange_strong(&asked_ms, &never, now_ms());
        kill(pid, SIGTERM);
    }
    pthread_mutex_unlock(&asking);
}

static void on_child(int sig)
{
    (void)sig; /* it wakes the waiting call */
}

/* The system forgets how children ended while SIGCHLD is ignored, and a parent
 * that starts us can have it so; a handler wakes us as well. */
static void keep_endings(struct before *b)
{
    struct sigaction sa = {.sa_handler = on_child, .sa_flags = SA_RESTART};

    sigemptyset(&sa.sa_mask);
    sigaction(SIGCHLD, &sa, &b->chld);
}

/* How far our patience went. */
struct wait {
    const struct tt_proc_patience *patience; /* or NULL */
    pid_t pid;
    int noticed, ended, hung;
};

static void lose_patience(struct wait *w)
{
    const struct tt_proc_patience *p = w->patience;
    uint64_t since = atomic_load(&asked_ms), waited;

    if (p && p->look_cb && !w->ended && p->look_cb(p->ctx)) {
        w->ended = w->hung = 1;
        kill(w->pid, SIGKILL);
    }
    if (!p || !since)
        return;
    waited = now_ms() - since;
    if (waited >= p->notice.ms && !w->noticed) {
        w->noticed = 1;
        p->notice.cb(p->ctx);
    }
    if (waited >= p->end.ms && !w->ended && p->end.cb(p->ctx)) {
        w->ended = 1;
        kill(w->pid, SIGKILL);
    }
}

/* Until the child is dead, but not reaped. Signals are blocked but for the
 * nap, so none is missed between a look and a nap; one that another thread
 * takes costs LOOK_MS. 0, or -1 with errno. */
static int wait_for_end(struct wait *w, const struct before *b)
{
    const struct timespec nap = {.tv_nsec = (long)LOOK_MS * 1000000};
    sigset_t open = b->mask;
    siginfo_t info;

    sigdelset(&open, SIGCHLD);
    for (;;) {
        info.si_pid = 0;
        if (waitid(P_PID, (id_t)w->pid, &info, WEXITED | WNOWAIT | WNOHANG) !=
                0 &&
            errno != EINTR)
            return -1;
        if (info.si_pid == w->pid)
            return 0;
        lose_patience(w);
        (void)ppoll(NULL, 0, &nap, &open);
    }
}

/* 0, or -1 with errno. */
static int wait_for(struct wait *w, const struct before *b,
                    struct tt_proc_result *res)
{
    int status = 0, rc = wait_for_end(w, b);

    end_passing(b);
    while (rc == 0 && waitpid(w->pid, &status, 0) != w->pid)
        rc = errno == EINTR ? 0 : -1;
    *res = (struct tt_proc_result){.asked = atomic_load(&asked_ms) != 0,
                                   .lost_it = w->ended && !w->hung,
                                   .hung = w->hung};
    res->how = WIFSIGNALED(status) ? TT_PROC_KILLED : TT_PROC_EXITED;
    res->value = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status);
    return rc;
}

enum tt_code tt_proc_run(int (*main_cb)(void *ctx), void *ctx,
                         volatile int *done, struct tt_proc_result *res,
                         tt_err *err)
{
    return tt_proc_run_within(NULL, main_cb, ctx, done, res, err);
}

enum tt_code tt_proc_run_within(const struct tt_proc_patience *patience,
                                int (*main_cb)(void *ctx), void *ctx,
                                volatile int *done, struct tt_proc_result *res,
                                tt_err *err)
{
    struct wait w = {.patience = patience};
    enum tt_code rc = TT_OK;
    int expected = NO_CHILD;
    pid_t parent = getpid(), pid;
    struct tt_kin others;
    struct before b;

    if (!atomic_compare_exchange_strong(&child, &expected, MAKING_IT))
        return tt_fail(err, TT_ESTATE, "another process is being watched");
    fflush(NULL); /* or both would write what is still buffered */
    keep_endings(&b);
    block(&b.mask);
    tt_orphans_adopt();
    tt_kin_init(&others);
    pid = fork();
    if (pid == 0)
        be_child(main_cb, ctx, done, parent, &b.mask);
    if (pid < 0) {
        rc =
            tt_fail(err, TT_EIO, "cannot start a process: %s", strerror(errno));
    } else {
        w.pid = pid;
        start_passing(pid, &b);
        if (patience && patience->begun_cb)
            patience->begun_cb(patience->ctx);
        if (wait_for(&w, &b, res) != 0)
            rc = tt_fail(err, TT_EIO, "cannot wait for process %ld: %s",
                         (long)pid, strerror(errno));
        tt_orphans_end(&others);
    }
    tt_kin_fini(&others);
    sigaction(SIGCHLD, &b.chld, NULL);
    pthread_sigmask(SIG_SETMASK, &b.mask, NULL);
    atomic_store(&child, NO_CHILD);
    return rc;
}

/* --- names ------------------------------------------------------------- */

#define NAMED(s)    [s] = #s
#define NUMBERED(n) [n] = "signal " #n

/* Real-time signals have numbers only; listed, so that no text is made here. */
static const char *const signal_names[] = {
    NAMED(SIGHUP),  NAMED(SIGINT),    NAMED(SIGQUIT), NAMED(SIGILL),
    NAMED(SIGTRAP), NAMED(SIGABRT),   NAMED(SIGBUS),  NAMED(SIGFPE),
    NAMED(SIGKILL), NAMED(SIGUSR1),   NAMED(SIGSEGV), NAMED(SIGUSR2),
    NAMED(SIGPIPE), NAMED(SIGALRM),   NAMED(SIGTERM), NAMED(SIGSTKFLT),
    NAMED(SIGCHLD), NAMED(SIGCONT),   NAMED(SIGSTOP), NAMED(SIGTSTP),
    NAMED(SIGTTIN), NAMED(SIGTTOU),   NAMED(SIGURG),  NAMED(SIGXCPU),
    NAMED(SIGXFSZ), NAMED(SIGVTALRM), NAMED(SIGPROF), NAMED(SIGWINCH),
    NAMED(SIGIO),   NAMED(SIGPWR),    NAMED(SIGSYS),  NUMBERED(32),
    NUMBERED(33),   NUMBERED(34),     NUMBERED(35),   NUMBERED(36),
    NUMBERED(37),   NUMBERED(38),     NUMBERED(39),   NUMBERED(40),
    NUMBERED(41),   NUMBERED(42),     NUMBERED(43),   NUMBERED(44),
    NUMBERED(45),   NUMBERED(46),     NUMBERED(47),   NUMBERED(48),
    NUMBERED(49),   NUMBERED(50),     NUMBERED(51),   NUMBERED(52),
    NUMBERED(53),   NUMBERED(54),     NUMBERED(55),   NUMBERED(56),
    NUMBERED(57),   NUMBERED(58),     NUMBERED(59),   NUMBERED(60),
    NUMBERED(61),   NUMBERED(62),     NUMBERED(63),   NUMBERED(64),
};

const char *tt_signal_name(int sig)
{
    const char *name = NULL;

    if (sig > 0 && (size_t)sig < sizeof(signal_names) / sizeof(*signal_names))
        name = signal_names[sig];
    return name ? name : "unknown signal";
}

int tt_is_crash(int sig)
{
    static const int crash[] = {SIGSEGV, SIGBUS,  SIGFPE, SIGILL,
                                SIGABRT, SIGTRAP, SIGSYS};

    for (size_t i = 0; i < sizeof(crash) / sizeof(*crash); i++)
        if (sig == crash[i])
            return 1;
    return 0;
}
