/* SPDX-License-Identifier: MIT */
/* A process kept apart does nothing to another process, here its parent's other
 * child, and everything else as ever; with all versions of Landlock, and with
 * none. */
#define _GNU_SOURCE /* syscall, F_SETOWN_EX */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sys/sandbox_impl.h"

#define SKIPPED 77
#define SCOPE   6 /* the version of Landlock that guards signals */

static struct sandbox_kernel kernel, pretended;
static pid_t victim;
static char word[] = "unharmed"; /* in our memory, and in the victim's */

/* In the child: what is not so is recognised by its line. */
#define EXPECT(cond)                                                           \
    do {                                                                       \
        if (!(cond)) {                                                         \
            fprintf(stderr, "line %d: %s (errno %d)\n", __LINE__, #cond,       \
                    errno);                                                    \
            return 1;                                                          \
        }                                                                      \
    } while (0)
#define REFUSED(call) EXPECT((call) == -1 && errno == EPERM)

static int within(unsigned guards, int (*fn)(void))
{
    const struct tt_sandbox s = {.guards = guards};
    struct tt_box box;
    tt_err err = {0};
    int status = 0;
    pid_t pid;

    if (sandbox_open(&box, &s, pretended, &err) != TT_OK)
        fail_msg("%s", err.msg);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        setpgid(0, 0); /* as tt_child_fork() does */
        if (tt_box_enter(&box, &err) == TT_OK)
            _exit(fn());
        fprintf(stderr, "%s\n", err.msg);
        _exit(255);
    }
    tt_box_close(&box);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static void start_victim(void)
{
    victim = fork();
    assert_true(victim >= 0);
    if (victim == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        setpgid(0, 0);
        for (;;)
            pause();
    }
    setpgid(victim, victim); /* whichever of us comes first */
}

/* It lives, and nothing about it has changed. */
static void see_victim(void)
{
    char seen[sizeof(word)];
    struct iovec here = {seen, sizeof(seen)}, there = {word, sizeof(word)};
    struct rlimit l;
    int status;

    assert_int_equal(waitpid(victim, &status, WNOHANG), 0);
    assert_int_equal(process_vm_readv(victim, &here, 1, &there, 1, 0),
                     sizeof(seen));
    assert_string_equal(seen, "unharmed");
    assert_int_equal(getpriority(PRIO_PROCESS, (id_t)victim),
                     getpriority(PRIO_PROCESS, 0));
    assert_int_equal(prlimit(victim, RLIMIT_CPU, NULL, &l), 0);
    assert_true(l.rlim_cur == RLIM_INFINITY);
}

/* --- what is refused ------------------------------------------------------ */

static int send_signals(void)
{
    siginfo_t info = {.si_code = SI_QUEUE};
    int fd = (int)syscall(SYS_pidfd_open, victim, 0);

    REFUSED(kill(victim, SIGKILL));
    REFUSED(kill(-victim, SIGKILL));
    REFUSED(kill(getppid(), SIGKILL));
    REFUSED(syscall(SYS_tgkill, victim, victim, SIGKILL));
    REFUSED(syscall(SYS_tkill, victim, SIGKILL));
    REFUSED(syscall(SYS_rt_sigqueueinfo, victim, SIGKILL, &info));
    REFUSED(syscall(SYS_rt_tgsigqueueinfo, victim, victim, SIGKILL, &info));
    if (fd >= 0)
        REFUSED(syscall(SYS_pidfd_send_signal, fd, SIGKILL, NULL, 0));
    return 0;
}

/* The owner of a pipe is signalled when something comes. */
static int signal_by_descriptor(void)
{
    struct f_owner_ex owner = {F_OWNER_PID, victim};
    int p[2];

    EXPECT(pipe(p) == 0);
    EXPECT(fcntl(p[0], F_SETSIG, SIGKILL) == 0);
    if (fcntl(p[0], F_SETOWN, victim) != 0)
        REFUSED(fcntl(p[0], F_SETOWN_EX, &owner));
    EXPECT(fcntl(p[0], F_SETFL, O_ASYNC) == 0);
    EXPECT(write(p[1], "x", 1) == 1);
    return 0;
}

static int reach_into_memory(void)
{
    char path[64], harm[] = "harmed!!";
    struct iovec here = {harm, sizeof(harm)}, there = {word, sizeof(word)};
    int fd;

    REFUSED(ptrace(PTRACE_ATTACH, victim, 0, 0));
    REFUSED(ptrace(PTRACE_SEIZE, victim, 0, 0));
    REFUSED(process_vm_writev(victim, &here, 1, &there, 1, 0));
    REFUSED(process_vm_readv(victim, &here, 1, &there, 1, 0));
    (void)snprintf(path, sizeof(path), "/proc/%d/mem", (int)victim);
    fd = open(path, O_RDWR);
    if (pretended.landlock >= 2)
        EXPECT(fd < 0);
    return 0;
}

static int change_priorities(void)
{
    struct sched_param p = {0};
    struct rlimit l = {1, 1};
    cpu_set_t set;

    EXPECT(sched_getaffinity(0, sizeof(set), &set) == 0);
    REFUSED(sched_setaffinity(victim, sizeof(set), &set));
    REFUSED(sched_setscheduler(victim, SCHED_BATCH, &p));
    REFUSED(sched_setparam(victim, &p));
    REFUSED(syscall(SYS_sched_setattr, victim, &p, 0));
    REFUSED(setpriority(PRIO_PROCESS, (id_t)victim, 10));
    REFUSED(setpriority(PRIO_PGRP, (id_t)victim, 10));
    REFUSED(setpriority(PRIO_USER, getuid(), 10));
    REFUSED(syscall(SYS_ioprio_set, 1, victim, 3 << 13));
    REFUSED(syscall(SYS_ioprio_set, 3, getuid(), 3 << 13));
    REFUSED(prlimit(victim, RLIMIT_CPU, &l, NULL));
    REFUSED(prlimit(getppid(), RLIMIT_CPU, &l, NULL));
    /* to itself, by either name */
    for (int i = 0; i < 2; i++) {
        pid_t self = i ? getpid() : 0;

        EXPECT(sched_setaffinity(self, sizeof(set), &set) == 0);
        EXPECT(sched_setscheduler(self, SCHED_BATCH, &p) == 0);
        EXPECT(setpriority(PRIO_PROCESS, (id_t)self, 1) == 0);
        EXPECT(syscall(SYS_ioprio_set, 1, self, 2 << 13 | 4) == 0);
        EXPECT(prlimit(self, RLIMIT_CORE, NULL, &l) == 0);
    }
    return 0;
}

/* --- what is not ---------------------------------------------------------- */

static volatile sig_atomic_t came;

static void on_signal(int sig)
{
    (void)sig;
    came++;
}

/* Of a process it has started itself, where Landlock guards signals. */
static int end_own_child(void)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0)
        for (;;)
            pause();
    EXPECT(pid > 0 && kill(pid, SIGTERM) == 0);
    EXPECT(waitpid(pid, &status, 0) == pid && WTERMSIG(status) == SIGTERM);
    return 0;
}

static int run_shell(const char *line)
{
    int status = -1;
    pid_t pid = fork();

    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", line, (char *)NULL);
        _exit(127);
    }
    return waitpid(pid, &status, 0) == pid ? status : -1;
}

static int live_as_ever(void)
{
    char from[] = "/tmp/apartXXXXXX", to[] = "/tmp/apartXXXXXX", old[64],
         new[64];
    int fd;

    signal(SIGUSR1, on_signal);
    EXPECT(raise(SIGUSR1) == 0 && kill(getpid(), SIGUSR1) == 0);
    EXPECT(kill(0, SIGUSR1) == 0 && came == 3);
    EXPECT(kill(getppid(), 0) == 0 || pretended.landlock >= SCOPE);
    EXPECT(mkdtemp(from) && mkdtemp(to));
    (void)snprintf(old, sizeof(old), "%s/file", from);
    (void)snprintf(new, sizeof(new), "%s/file", to);
    EXPECT((fd = open(old, O_WRONLY | O_CREAT, 0600)) >= 0);
    EXPECT(close(fd) == 0 && chmod(old, 0644) == 0);
    EXPECT(rename(old, new) == 0); /* from folder to folder */
    EXPECT(unlink(new) == 0 && rmdir(from) == 0 && rmdir(to) == 0);
    EXPECT((fd = socket(AF_INET, SOCK_DGRAM, 0)) >= 0 && close(fd) == 0);
    EXPECT(run_shell("exit 3") == 3 << 8);
    return pretended.landlock >= SCOPE ? end_own_child() : 0;
}

/* --- with every kernel ---------------------------------------------------- */

static void for_each_kernel(unsigned guards, int (*fn)(void))
{
    static const int versions[] = {0, 1, 2, 5, 99};

    for (size_t i = 0; i < sizeof(versions) / sizeof(*versions); i++) {
        pretended = kernel;
        if (versions[i] < kernel.landlock)
            pretended.landlock = versions[i];
        start_victim();
        assert_int_equal(within(guards, fn), 0);
        see_victim();
        kill(victim, SIGKILL);
        waitpid(victim, NULL, 0);
    }
}

static void no_other_process_is_signalled(void **state)
{
    (void)state;
    for_each_kernel(TT_GUARD_APART, send_signals);
    for_each_kernel(TT_GUARD_APART, signal_by_descriptor);
}

static void nobodys_memory_is_reached(void **state)
{
    (void)state;
    for_each_kernel(TT_GUARD_APART, reach_into_memory);
}

static void no_other_process_is_slowed_down(void **state)
{
    (void)state;
    for_each_kernel(TT_GUARD_APART, change_priorities);
    for_each_kernel(TT_GUARD_CALLS, change_priorities);
}

static void all_else_is_as_ever(void **state)
{
    (void)state;
    for_each_kernel(TT_GUARD_APART, live_as_ever);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_other_process_is_signalled),
        cmocka_unit_test(nobodys_memory_is_reached),
        cmocka_unit_test(no_other_process_is_slowed_down),
        cmocka_unit_test(all_else_is_as_ever),
    };

    kernel = sandbox_kernel();
    if (!kernel.landlock || !kernel.filters) {
        printf("skipped: this system has no %s%s\n",
               kernel.landlock ? "filters of system calls" : "Landlock",
               sandbox_lack);
        return SKIPPED;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
