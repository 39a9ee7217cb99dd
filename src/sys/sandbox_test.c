/* SPDX-License-Identifier: MIT */
/* Each refusal is seen from inside, by errno, and from outside: the file is as
 * it was, nothing connected. */
#define _GNU_SOURCE /* syscall, unshare's flags */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/child.h"
#include "sys/file.h"
#include "sys/sandbox_impl.h"
#include "sys/sync.h"

#define SKIPPED 77 /* what CTest takes for "not tested here" */
#define BASIC   (TT_GUARD_FILES | TT_GUARD_NETWORK | TT_GUARD_CALLS)

static char *in, *out; /* folders: may write, may not */
static char path_in[4096], path_out[4096], path_kept[4096];
static struct sandbox_kernel kernel;

static void put_path(char *to, const char *dir, const char *name)
{
    (void)snprintf(to, 4096, "%s/%s", dir, name);
}

/* The answer of fn in a process within: its exit code, or minus the signal. */
static int within_kernel(const struct tt_sandbox *s, struct sandbox_kernel k,
                         int (*fn)(void))
{
    struct tt_box box;
    tt_err err = {0};
    int status;
    pid_t pid;

    if (sandbox_open(&box, s, k, &err) != TT_OK)
        fail_msg("%s", err.msg);
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (tt_box_enter(&box, &err) == TT_OK)
            _exit(fn());
        fprintf(stderr, "%s\n", err.msg);
        _exit(255);
    }
    tt_box_close(&box);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

static int within(const struct tt_sandbox *s, int (*fn)(void))
{
    return within_kernel(s, kernel, fn);
}

static struct tt_sandbox usual(void)
{
    static const char *folder;

    folder = in;
    return (struct tt_sandbox){.guards = BASIC | TT_GUARD_SIGNALS,
                               .need = BASIC,
                               .write = &folder,
                               .n_write = 1};
}

/* In the child: what is not so is recognised by its line, which is the answer.
 */
#define EXPECT(cond)                                                           \
    do {                                                                       \
        if (!(cond)) {                                                         \
            fprintf(stderr, "line %d: %s (errno %d)\n", __LINE__, #cond,       \
                    errno);                                                    \
            return 1;                                                          \
        }                                                                      \
    } while (0)
#define REFUSED(call, e) EXPECT((call) == -1 && errno == (e))

/* --- files ---------------------------------------------------------------- */

static int write_outside(void)
{
    char other[8192];

    REFUSED(open(path_out, O_WRONLY | O_CREAT, 0600), EACCES);
    REFUSED(open(path_kept, O_WRONLY), EACCES);
    REFUSED(open(path_kept, O_RDWR | O_APPEND), EACCES);
    REFUSED(unlink(path_kept), EACCES);
    REFUSED(mkdir(path_out, 0700), EACCES);
    REFUSED(symlink("x", path_out), EACCES);
    REFUSED(mkfifo(path_out, 0600), EACCES);
    REFUSED(rename(path_kept, path_out), EACCES);
    REFUSED(rmdir(out), EACCES);
    (void)snprintf(other, sizeof(other), "%s/../%s/trick", in,
                   tt_path_base(out));
    REFUSED(open(other, O_WRONLY | O_CREAT, 0600), EACCES);
    /* what is linked inside can be written there */
    (void)snprintf(other, sizeof(other), "%s/linked", in);
    EXPECT(link(path_kept, other) == -1 && (errno == EXDEV || errno == EACCES));
    EXPECT(rename(path_kept, other) == -1 &&
           (errno == EXDEV || errno == EACCES));
    return 0;
}

/* By EACCES from Landlock, or EPERM from the filter. */
static int empty_outside(void)
{
    EXPECT(truncate(path_kept, 0) == -1);
    EXPECT(errno == EACCES || errno == EPERM);
    EXPECT(open(path_kept, O_RDONLY | O_TRUNC) == -1);
    EXPECT(errno == EACCES || errno == EPERM);
    return 0;
}

static int write_inside(void)
{
    char other[8192];
    int fd = open(path_in, O_RDWR | O_CREAT | O_TRUNC, 0600);

    EXPECT(fd >= 0 && write(fd, "words", 5) == 5 && ftruncate(fd, 3) == 0);
    (void)snprintf(other, sizeof(other), "%s/folder", in);
    EXPECT(mkdir(other, 0700) == 0);
    (void)snprintf(other, sizeof(other), "%s/folder/file", in);
    if (kernel.landlock >= 2)
        EXPECT(rename(path_in, other) == 0 && rename(other, path_in) == 0);
    (void)snprintf(other, sizeof(other), "%s/folder", in);
    EXPECT(rmdir(other) == 0 && symlink("file", other) == 0);
    EXPECT(unlink(other) == 0);
    return 0;
}

/* The way to a disk is refused even here, and to root. */
static int make_device(void)
{
    REFUSED(mknod(path_in, S_IFCHR | 0600, 0x103), EACCES);
    return 0;
}

static int read_anywhere(void)
{
    char c;
    int fd = open(path_kept, O_RDONLY);

    EXPECT(fd >= 0 && read(fd, &c, 1) == 1 && c == 'k');
    fd = open("/dev/null", O_WRONLY | O_TRUNC);
    EXPECT(fd >= 0 && write(fd, "x", 1) == 1);
    return 0;
}

static void expect_as_it_was(void)
{
    struct tt_buf b;

    tt_buf_init(&b, 100);
    assert_int_equal(tt_file_read(&b, path_kept, NULL), TT_OK);
    assert_string_equal(b.data, "kept");
    tt_buf_fini(&b);
    assert_false(tt_file_exists(path_out));
}

static void writing_outside_is_refused(void **state)
{
    struct tt_sandbox s = usual();

    (void)state;
    assert_int_equal(within(&s, write_outside), 0);
    assert_int_equal(within(&s, empty_outside), 0);
    expect_as_it_was();
}

static void writing_inside_and_reading_are_not(void **state)
{
    struct tt_sandbox s = usual();

    (void)state;
    assert_int_equal(within(&s, write_inside), 0);
    assert_true(tt_file_exists(path_in));
    assert_int_equal(unlink(path_in), 0);
    s.guards = s.need = TT_GUARD_FILES;
    if (getuid() == 0)
        assert_int_equal(within(&s, make_device), 0);
    assert_false(tt_file_exists(path_in));
    s = usual();
    assert_int_equal(within(&s, read_anywhere), 0);
}

static int write_kept(void)
{
    int fd = open(path_kept, O_WRONLY | O_TRUNC);

    EXPECT(fd >= 0 && write(fd, "kept", 4) == 4);
    REFUSED(unlink(path_kept), EACCES);
    REFUSED(open(path_out, O_WRONLY | O_CREAT, 0600), EACCES);
    return 0;
}

static void a_single_file_can_be_allowed(void **state)
{
    struct tt_sandbox s = usual();
    const char *file = path_kept;

    (void)state;
    s.write = &file;
    assert_int_equal(within(&s, write_kept), 0);
    expect_as_it_was();
}

/* What newer kernels add is not asked of older ones; what they cannot see, the
 * filter does. */
static void older_landlocks_hold_as_well(void **state)
{
    struct tt_sandbox s = usual();

    (void)state;
    for (int version = 1; version <= kernel.landlock; version++) {
        struct sandbox_kernel k = {version, 1};

        assert_int_equal(sandbox_can(k) & BASIC, BASIC);
        assert_int_equal(!(sandbox_can(k) & TT_GUARD_SIGNALS), version < 6);
        assert_int_equal(within_kernel(&s, k, write_outside), 0);
        assert_int_equal(within_kernel(&s, k, empty_outside), 0);
        expect_as_it_was();
        assert_int_equal(within_kernel(&s, k, read_anywhere), 0);
    }
    /* without filters it takes a Landlock that sees files being emptied */
    assert_false(sandbox_can((struct sandbox_kernel){2, 0}) & TT_GUARD_FILES);
    s.guards = s.need = TT_GUARD_FILES;
    assert_int_equal(
        within_kernel(&s, (struct sandbox_kernel){3, 0}, empty_outside), 0);
    expect_as_it_was();
}

/* --- network ---------------------------------------------------------------
 */

static struct sockaddr_in door;
static struct sockaddr_un hatch = {.sun_family = AF_UNIX};

static int listen_at(int family, void *address, socklen_t n)
{
    int fd = socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(bind(fd, address, n), 0);
    assert_int_equal(listen(fd, 8), 0);
    assert_int_equal(getsockname(fd, address, &n), 0);
    return fd;
}

static int knocked(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};

    return poll(&p, 1, 0) == 1;
}

static int knock(void)
{
    int pair[2];
    char c = 'x';

    REFUSED(socket(AF_INET, SOCK_STREAM, 0), EPERM);
    REFUSED(socket(AF_INET6, SOCK_DGRAM, 0), EPERM);
    REFUSED(socket(AF_UNIX, SOCK_STREAM, 0), EPERM);
    REFUSED(socket(AF_NETLINK, SOCK_RAW, 0), EPERM);
    REFUSED(socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, pair), EPERM);
    REFUSED(socketpair(AF_UNIX, SOCK_RAW, 0, pair), EPERM); /* as datagrams */
    for (int type = 0; type < 16; type++)
        if (type != SOCK_STREAM && type != SOCK_SEQPACKET)
            REFUSED(socketpair(AF_UNIX, type | SOCK_NONBLOCK, 0, pair), EPERM);
    EXPECT(socketpair(AF_UNIX, SOCK_SEQPACKET, 0, pair) == 0);
    EXPECT(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) == 0);
    REFUSED(connect(pair[0], (void *)&hatch, sizeof(hatch)), EPERM);
    EXPECT(write(pair[0], &c, 1) == 1 && read(pair[1], &c, 1) == 1);
    return 0;
}

static int visit(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    EXPECT(fd >= 0 && connect(fd, (void *)&door, sizeof(door)) == 0);
    fd = socket(AF_UNIX, SOCK_STREAM, 0);
    EXPECT(fd >= 0 && connect(fd, (void *)&hatch, sizeof(hatch)) == 0);
    REFUSED(socket(AF_VSOCK, SOCK_STREAM, 0), EAFNOSUPPORT);
    REFUSED(socket(AF_PACKET, SOCK_RAW, 0), EAFNOSUPPORT);
    return 0;
}

/* A descriptor that was open before: Landlock's rules about ports. */
static int old_socket;

static int knock_by_old(void)
{
    EXPECT(connect(old_socket, (void *)&door, sizeof(door)) == -1);
    EXPECT(errno == EPERM || errno == EACCES);
    return 0;
}

static int knock_and_see(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    EXPECT(fd >= 0);
    REFUSED(connect(fd, (void *)&door, sizeof(door)), EACCES);
    return 0;
}

/* Not all of the network, so it is not called a guard, but better than none. */
static void expect_tcp_guarded_without_filters(void)
{
    struct tt_sandbox s = {.guards = TT_GUARD_NETWORK};

    if (kernel.landlock >= 4)
        assert_int_equal(
            within_kernel(&s, (struct sandbox_kernel){kernel.landlock, 0},
                          knock_and_see),
            0);
}

static void nothing_gets_out(void **state)
{
    struct tt_sandbox s = usual();
    int tcp, local;

    (void)state;
    door = (struct sockaddr_in){.sin_family = AF_INET,
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    (void)snprintf(hatch.sun_path, sizeof(hatch.sun_path), "%s/hatch", out);
    tcp = listen_at(AF_INET, &door, sizeof(door));
    local = listen_at(AF_UNIX, &hatch, sizeof(hatch));
    old_socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(old_socket >= 0);
    assert_int_equal(within(&s, knock), 0);
    assert_int_equal(within(&s, knock_by_old), 0);
    expect_tcp_guarded_without_filters();
    assert_false(knocked(tcp));
    assert_false(knocked(local));
    s.guards &= ~(unsigned)TT_GUARD_NETWORK;
    s.need = s.guards & BASIC;
    assert_int_equal(within(&s, visit), 0);
    assert_true(knocked(tcp));
    assert_true(knocked(local));
    close(tcp);
    close(local);
    close(old_socket);
    assert_int_equal(unlink(hatch.sun_path), 0);
}

/* --- calls ------------------------------------------------------------------
 */

static int try_calls(void)
{
    static const long nr[] = {
        SYS_ptrace,
        SYS_process_vm_readv,
        SYS_process_vm_writev,
        SYS_pidfd_getfd,
        SYS_kcmp,
        SYS_unshare,
        SYS_setns,
        SYS_mount,
        SYS_umount2,
        SYS_pivot_root,
        SYS_chroot,
        SYS_move_mount,
        SYS_open_tree,
        SYS_fsopen,
        SYS_open_by_handle_at,
        SYS_bpf,
        SYS_perf_event_open,
        SYS_userfaultfd,
        SYS_io_uring_setup,
        SYS_io_uring_enter,
        SYS_keyctl,
        SYS_add_key,
        SYS_request_key,
        SYS_init_module,
        SYS_finit_module,
        SYS_kexec_load,
        SYS_reboot,
        SYS_swapon,
        SYS_settimeofday,
        SYS_clock_settime,
        SYS_sethostname,
        SYS_syslog,
        SYS_shmget,
        SYS_shmat,
        SYS_semget,
        SYS_msgget,
        SYS_mq_open,
        SYS_fanotify_init,
        SYS_fchmod,
        SYS_fchmodat,
        SYS_fchown,
        SYS_setxattr,
        SYS_fremovexattr,
        452 /* fchmodat2 */,
        469 /* file_setattr */,
    };

    for (size_t i = 0; i < sizeof(nr) / sizeof(*nr); i++)
        if (syscall(nr[i], 0, 0, 0, 0, 0, 0) != -1 || errno != EPERM) {
            fprintf(stderr, "call %ld: errno %d\n", nr[i], errno);
            return 1;
        }
    REFUSED(syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0), EPERM);
    REFUSED(syscall(SYS_clone3, 0, 0), ENOSYS);
    REFUSED(syscall(500), ENOSYS);
#ifdef __x86_64__
    REFUSED(syscall(0x40000000 + 59), ENOSYS);
#endif
    REFUSED(ioctl(0, TIOCSTI, "x"), EPERM);
    return 0;
}

static int change_modes(void)
{
    struct rlimit l = {0, 0};

    REFUSED(chmod(path_kept, 0777), EPERM);
    REFUSED(chown(path_kept, 1, 1), EPERM);
    REFUSED(prlimit(getppid(), RLIMIT_CPU, &l, NULL), EPERM);
    EXPECT(prlimit(0, RLIMIT_CPU, NULL, &l) == 0);
    return 0;
}

static void *answer_42(void *x)
{
    *(int *)x = 42;
    return x;
}

static int live_on(void)
{
    pthread_t t;
    int x = 0, status = 0;
    pid_t pid;

    EXPECT(pthread_create(&t, NULL, answer_42, &x) == 0);
    EXPECT(pthread_join(t, NULL) == 0 && x == 42);
    pid = fork();
    if (pid == 0)
        _exit(write_outside() == 0 ? 7 : 8);
    EXPECT(waitpid(pid, &status, 0) == pid && WEXITSTATUS(status) == 7);
    EXPECT(ioctl(0, FIONREAD, &x) == 0 || errno != EPERM);
    return 0;
}

static void calls_that_reach_out_are_refused(void **state)
{
    struct tt_sandbox s = usual();
    struct stat before, after;

    (void)state;
    assert_int_equal(within(&s, try_calls), 0);
    assert_int_equal(stat(path_kept, &before), 0);
    assert_int_equal(within(&s, change_modes), 0);
    assert_int_equal(stat(path_kept, &after), 0);
    assert_int_equal(before.st_mode, after.st_mode);
    assert_int_equal(before.st_uid, after.st_uid);
}

static void threads_and_forks_live_on_within(void **state)
{
    struct tt_sandbox s = usual();

    (void)state;
    assert_int_equal(within(&s, live_on), 0);
}

static int be_root_no_more(void)
{
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct has[2] = {{0}};
    struct rlimit l;

    EXPECT(syscall(SYS_capget, &head, has) == 0);
    EXPECT((has[0].permitted &
            ~(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH |
              1u << CAP_SYS_NICE | 1u << CAP_IPC_LOCK)) == 0);
    EXPECT(has[1].permitted == 0);
    EXPECT(getrlimit(RLIMIT_FSIZE, &l) == 0 && l.rlim_max == 1000);
    l.rlim_max = l.rlim_cur = 2000;
    REFUSED(setrlimit(RLIMIT_FSIZE, &l), EPERM);
    return 0;
}

static void limits_cannot_be_lifted_again(void **state)
{
    struct tt_sandbox s = usual();

    (void)state;
    s.limit.file_size = 1000;
    assert_int_equal(within(&s, be_root_no_more), 0);
}

static int enter_again(void)
{
    struct tt_sandbox s = usual();
    const char *other = out;
    struct tt_box box;

    s.write = &other;
    EXPECT(tt_box_open(&box, &s, NULL) == TT_OK);
    EXPECT(tt_box_enter(&box, NULL) == TT_OK);
    /* what both allow: nothing */
    REFUSED(open(path_in, O_WRONLY | O_CREAT, 0600), EACCES);
    return write_outside();
}

static void a_box_in_a_box_allows_what_both_do(void **state)
{
    struct tt_sandbox s = usual();

    (void)state;
    assert_int_equal(within(&s, enter_again), 0);
    expect_as_it_was();
}

/* --- signals -----------------------------------------------------------------
 */

static int shoot(void)
{
    int status = 0;
    pid_t pid;

    REFUSED(kill(getppid(), 0), EPERM);
    REFUSED(kill(getppid(), SIGTERM), EPERM);
    pid = fork();
    if (pid == 0)
        for (;;)
            pause();
    EXPECT(kill(pid, SIGKILL) == 0);
    EXPECT(waitpid(pid, &status, 0) == pid && WTERMSIG(status) == SIGKILL);
    return raise(SIGCONT);
}

static void only_who_is_within_can_be_signalled(void **state)
{
    struct tt_sandbox s = usual();

    (void)state;
    if (!(tt_sandbox_can() & TT_GUARD_SIGNALS)) {
        print_message("not tested: Landlock is older than version 6\n");
        skip();
    }
    assert_int_equal(within(&s, shoot), 0);
}

/* --- limits ------------------------------------------------------------------
 */

static int fill_disk(void)
{
    static char block[4096];
    int fd = open(path_in, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    size_t n = 0;

    EXPECT(fd >= 0);
    while (write(fd, block, sizeof(block)) == (ssize_t)sizeof(block))
        n++;
    EXPECT(errno == EFBIG && n == 25);
    return 0;
}

static int open_many(void)
{
    int n = 0;

    while (open("/dev/null", O_RDONLY) >= 0)
        n++;
    EXPECT(errno == EMFILE && n > 0 && n <= 64);
    return 0;
}

static int burn(void)
{
    volatile int on = 1;

    while (on)
        ;
    return 0;
}

static void files_descriptors_and_time_are_limited(void **state)
{
    struct tt_sandbox s = {.limit.file_size = (uint64_t)25 * 4096};
    struct stat st;

    (void)state;
    assert_int_equal(within(&s, fill_disk), 0);
    assert_int_equal(stat(path_in, &st), 0);
    assert_int_equal(st.st_size, 25 * 4096);
    s = (struct tt_sandbox){.limit.descriptors = 64};
    assert_int_equal(within(&s, open_many), 0);
    s = (struct tt_sandbox){.limit.cpu_s = 1};
    assert_int_equal(within(&s, burn), -SIGXCPU);
}

static int multiply(void)
{
    int n = 0;

    for (; n < 100; n++) {
        pid_t pid = fork();

        if (pid == 0) {
            pause();
            _exit(0);
        }
        if (pid < 0)
            break;
    }
    signal(SIGTERM, SIG_IGN);
    (void)kill(0, SIGTERM);
    return n < 100 ? n : 255;
}

/* The user's threads are counted, root's are not limited: as another user, of
 * whom no other test that runs at the same time has processes. */
static int multiply_within(void)
{
    struct tt_sandbox s = {.limit.processes = 8};
    const unsigned own = 60000 + (unsigned)getpid() % 5000;
    struct tt_box box;

    setpgid(0, 0);
    if (getuid() == 0 && (setgid(own) != 0 || setuid(own) != 0))
        return 254;
    if (tt_box_open(&box, &s, NULL) != TT_OK ||
        !(box.guards & TT_GUARD_PROCESSES) || tt_box_enter(&box, NULL) != TT_OK)
        return 253;
    return multiply();
}

static void processes_are_limited(void **state)
{
    struct tt_sandbox none = {0};
    int n;

    (void)state;
    n = within(&none, multiply_within);
    /* others of this user come and go */
    assert_true(n > 0 && n < 100);
    if (getuid() == 0)
        assert_int_equal(n, 8);
}

/* --- programs ----------------------------------------------------------------
 */

static char *run_python(const struct tt_sandbox *s, const char *script)
{
    const char *const argv[] = {"/usr/bin/env", "python3", "-c", script, NULL};
    const struct tt_child_spec spec = {
        .argv = argv, .dir = in, .out = "out", .err = "err", .sandbox = s};
    struct tt_proc_result res;
    struct tt_buf b;
    char path[8192];
    tt_err err = {0};
    int pid;

    if (tt_child_start(&spec, &pid, &err) != TT_OK)
        fail_msg("%s", err.msg);
    while (!tt_child_poll(pid, &res))
        tt_sleep_ns(1000000);
    tt_buf_init(&b, 65536);
    (void)snprintf(path, sizeof(path), "%s/err", in);
    assert_int_equal(tt_file_read(&b, path, NULL), TT_OK);
    if (res.how != TT_PROC_EXITED || res.value != 0)
        fail_msg("ended with %d: %s", res.value, b.data ? b.data : "");
    tt_buf_clear(&b);
    (void)snprintf(path, sizeof(path), "%s/out", in);
    assert_int_equal(tt_file_read(&b, path, NULL), TT_OK);
    return tt_buf_take(&b);
}

static void a_program_is_confined_and_so_is_what_it_starts(void **state)
{
    struct tt_sandbox s = usual();
    char script[16384], *printed;

    (void)state;
    (void)snprintf(script, sizeof(script),
                   "import os, subprocess, socket\n"
                   "open('mine', 'w').write('x')\n"
                   "try: open('%s', 'w')\n"
                   "except PermissionError: print('no file')\n"
                   "try: socket.socket()\n"
                   "except PermissionError: print('no socket')\n"
                   "print(subprocess.run(['sh', '-c', 'echo y >%s'],\n"
                   "    stderr=subprocess.DEVNULL).returncode)\n"
                   "print(os.path.exists('%s'), os.path.exists('mine'))\n",
                   path_out, path_out, path_out);
    printed = run_python(&s, script);
    assert_string_equal(printed, "no file\nno socket\n2\nFalse True\n");
    tt_free(printed);
    expect_as_it_was();
}

/* Of a program without sanitizers, which take terabytes for themselves. */
static void memory_is_limited(void **state)
{
    struct tt_sandbox s = {.limit.memory = (uint64_t)200 << 20};
    char *printed;

    (void)state;
    printed = run_python(&s, "held = []\n"
                             "try:\n"
                             "    while len(held) < 1000:\n"
                             "        held.append(bytearray(1 << 20))\n"
                             "except MemoryError: pass\n"
                             "print(100 < len(held) < 200)\n"
                             "held = None\n"
                             "print(len(bytearray(50 << 20)) >> 20)\n");
    assert_string_equal(printed, "True\n50\n");
    tt_free(printed);
}

static void what_is_used_is_known(void **state)
{
    const size_t size = (size_t)64 << 20;
    uint64_t before = tt_memory_used(), with;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    (void)state;
    assert_ptr_not_equal(p, MAP_FAILED);
    with = tt_memory_used();
    munmap(p, size);
    assert_true(before > 0);
    assert_in_range(with - before, size, size + ((size_t)1 << 20));
}

/* --- words -------------------------------------------------------------------
 */

static void what_is_needed_and_missing_is_an_error(void **state)
{
    struct tt_sandbox s = usual();
    struct tt_box box;
    tt_err err;

    (void)state;
    s.need |= TT_GUARD_SIGNALS;
    assert_int_equal(
        sandbox_open(&box, &s, (struct sandbox_kernel){0, 0}, &err),
        TT_EUNSUPPORTED);
    assert_string_equal(
        err.msg,
        "cannot make the sandbox: no writes outside (Landlock is missing), no "
        "network (filters of calls are missing), no calls that reach other "
        "processes or the system (filters of calls are missing), no signals to "
        "other processes (Landlock is older than version 6)");
    tt_box_close(&box);
    s.need = 0;
    assert_int_equal(
        sandbox_open(&box, &s, (struct sandbox_kernel){0, 0}, &err), TT_OK);
    assert_int_equal(box.guards, 0);
    tt_box_close(&box);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
    struct tt_sandbox s = usual();
    const char *no = "/no/such/folder";
    const char *const argv[] = {"/bin/true", NULL};
    const struct tt_child_spec spec = {
        .argv = argv, .dir = in, .out = "out", .err = "err", .sandbox = &s};
    tt_err err;
    int pid;

    (void)state;
    s.write = &no;
    assert_int_equal(tt_child_start(&spec, &pid, &err), TT_EINPUT);
    assert_string_equal(err.msg, "cannot allow writing in '/no/such/folder': "
                                 "No such file or directory");
}

static void guards_have_words(void **state)
{
    struct tt_buf b;

    (void)state;
    tt_buf_init(&b, 1000);
    tt_sandbox_words(&b, TT_GUARDS_ALL);
    assert_string_equal(
        b.data, "no writes outside, no network, no calls that reach other "
                "processes or the system, no signals to other processes, no "
                "reach into other processes, limited memory, limited size of "
                "files, limited processor "
                "time, limited number of processes, limited number of open "
                "files");
    tt_buf_fini(&b);
}

static void sizes_have_words(void **state)
{
    static const struct {
        uint64_t bytes;
        const char *words;
    } cases[] = {{0, "0 bytes"},
                 {1023, "1023 bytes"},
                 {1024, "1 KB"},
                 {(uint64_t)512 << 20, "512 MB"},
                 {(uint64_t)3 << 29, "1.5 GB"},
                 {((uint64_t)512 << 20) - 1, "512 MB"},
                 {(uint64_t)2048 << 40, "2048 TB"}};

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        struct tt_buf b;

        tt_buf_init(&b, 100);
        tt_size_words(&b, cases[i].bytes);
        assert_string_equal(b.data, cases[i].words);
        tt_buf_fini(&b);
    }
}

static int prepare(void)
{
    if (tt_dir_temp(&in, NULL) != TT_OK || tt_dir_temp(&out, NULL) != TT_OK)
        return -1;
    put_path(path_in, in, "file");
    put_path(path_out, out, "file");
    put_path(path_kept, out, "kept");
    return tt_file_write(path_kept, "kept", 4, NULL) == TT_OK ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writing_outside_is_refused),
        cmocka_unit_test(writing_inside_and_reading_are_not),
        cmocka_unit_test(a_single_file_can_be_allowed),
        cmocka_unit_test(older_landlocks_hold_as_well),
        cmocka_unit_test(nothing_gets_out),
        cmocka_unit_test(calls_that_reach_out_are_refused),
        cmocka_unit_test(threads_and_forks_live_on_within),
        cmocka_unit_test(limits_cannot_be_lifted_again),
        cmocka_unit_test(a_box_in_a_box_allows_what_both_do),
        cmocka_unit_test(only_who_is_within_can_be_signalled),
        cmocka_unit_test(files_descriptors_and_time_are_limited),
        cmocka_unit_test(processes_are_limited),
        cmocka_unit_test(a_program_is_confined_and_so_is_what_it_starts),
        cmocka_unit_test(memory_is_limited),
        cmocka_unit_test(what_is_used_is_known),
        cmocka_unit_test(what_is_needed_and_missing_is_an_error),
        cmocka_unit_test(a_folder_that_is_not_there_is_named),
        cmocka_unit_test(guards_have_words),
        cmocka_unit_test(sizes_have_words),
    };
    int failed;

    kernel = sandbox_kernel();
    if (!kernel.landlock || !kernel.filters) {
        printf("skipped: this system has no %s%s\n",
               kernel.landlock ? "filters of system calls" : "Landlock",
               sandbox_lack);
        return SKIPPED;
    }
    if (prepare() != 0)
        return 1;
    failed = cmocka_run_group_tests(tests, NULL, NULL);
    if (tt_dir_remove(in, NULL) != TT_OK || tt_dir_remove(out, NULL) != TT_OK)
        failed++;
    tt_free(in);
    tt_free(out);
    return failed;
}
