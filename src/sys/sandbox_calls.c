/* SPDX-License-Identifier: MIT */
/* A filter of system calls: a small program the kernel runs before each call.
 * It lists what is refused rather than what is allowed, since units are any
 * program; calls younger than this list do not exist for them. */
#define _GNU_SOURCE /* syscall, CLONE_NEWNS */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <asm/sockios.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/sandbox_impl.h"

#if defined(__x86_64__)
#define MACHINE AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define MACHINE AUDIT_ARCH_AARCH64
#elif defined(__riscv) && __riscv_xlen == 64
#define MACHINE AUDIT_ARCH_RISCV64
#endif

/* Newer than many systems' header; numbers from 424 on are the same on all
 * machines. */
#define NR_FCHMODAT2      452
#define NR_SETXATTRAT     463
#define NR_REMOVEXATTRAT  466
#define NR_OPEN_TREE_ATTR 467
#define NR_FILE_SETATTR   469
#define NR_YOUNGEST       469 /* of those we know */

/* What is for other processes only. */
static const unsigned others[] = {
    SYS_ptrace,      SYS_process_vm_readv, SYS_process_vm_writev,
    SYS_pidfd_getfd, SYS_process_madvise,  SYS_process_mrelease,
    SYS_kcmp,
};

/* What is done to the process or thread that the first argument states. */
static const unsigned by_pid[] = {
    SYS_sched_setaffinity, SYS_sched_setscheduler, SYS_sched_setparam,
    SYS_sched_setattr,     SYS_prlimit64,          SYS_migrate_pages,
    SYS_move_pages,
};

/* Signals, by the process that the first argument states. */
static const unsigned signals[] = {SYS_tgkill, SYS_tkill, SYS_rt_sigqueueinfo,
                                   SYS_rt_tgsigqueueinfo};

/* With TT_GUARD_CALLS. */
static const unsigned refused[] = {
    /* other processes */
    SYS_migrate_pages,
    SYS_move_pages,
    SYS_shmget,
    SYS_shmat,
    SYS_shmctl,
    SYS_semget,
    SYS_semop,
    SYS_semtimedop,
    SYS_semctl,
    SYS_msgget,
    SYS_msgsnd,
    SYS_msgrcv,
    SYS_msgctl,
    SYS_mq_open,
    SYS_mq_unlink,
    /* other worlds: name spaces, mounts */
    SYS_unshare,
    SYS_setns,
    SYS_mount,
    SYS_umount2,
    SYS_pivot_root,
    SYS_chroot,
    SYS_move_mount,
    SYS_open_tree,
    NR_OPEN_TREE_ATTR,
    SYS_fsopen,
    SYS_fsconfig,
    SYS_fsmount,
    SYS_fspick,
    SYS_mount_setattr,
    SYS_name_to_handle_at,
    SYS_open_by_handle_at,
    /* whom files belong to and what they are, which Landlock leaves alone */
    SYS_fchmod,
    SYS_fchmodat,
    NR_FCHMODAT2,
    SYS_fchown,
    SYS_fchownat,
    SYS_setxattr,
    SYS_lsetxattr,
    SYS_fsetxattr,
    NR_SETXATTRAT,
    SYS_removexattr,
    SYS_lremovexattr,
    SYS_fremovexattr,
    NR_REMOVEXATTRAT,
    NR_FILE_SETATTR,
    /* doors into the kernel that few need and that had many holes */
    SYS_bpf,
    SYS_perf_event_open,
    SYS_userfaultfd,
    SYS_io_uring_setup,
    SYS_io_uring_enter,
    SYS_io_uring_register,
    SYS_fanotify_init,
    SYS_keyctl,
    SYS_add_key,
    SYS_request_key,
    /* the system */
    SYS_init_module,
    SYS_finit_module,
    SYS_delete_module,
    SYS_kexec_load,
    SYS_reboot,
    SYS_swapon,
    SYS_swapoff,
    SYS_acct,
    SYS_quotactl,
    SYS_quotactl_fd,
    SYS_settimeofday,
    SYS_clock_settime,
    SYS_clock_adjtime,
    SYS_adjtimex,
    SYS_sethostname,
    SYS_setdomainname,
    SYS_syslog,
    SYS_vhangup,
#ifdef SYS_kexec_file_load
    SYS_kexec_file_load,
#endif
#ifdef __x86_64__
    SYS_chmod,
    SYS_chown,
    SYS_lchown,
    SYS_iopl,
    SYS_ioperm,
    SYS_modify_ldt,
    SYS_uselib,
    SYS_ustat,
    SYS_sysfs,
#endif
};

/* With TT_GUARD_NETWORK. Connected pairs stay, but not of datagrams, which
 * could be sent elsewhere. */
static const unsigned network[] = {SYS_socket, SYS_connect, SYS_bind,
                                   SYS_listen, SYS_accept,  SYS_accept4};

/* Without it, families of sockets that exist. */
static const unsigned families[] = {AF_UNIX, AF_INET, AF_INET6, AF_NETLINK};

/* What is typed into the terminal is read by the shell behind us; flags of
 * files are changed through descriptors that only read. */
static const unsigned ioctls[] = {TIOCSTI, TIOCLINUX, FS_IOC_SETFLAGS,
                                  FS_IOC_FSSETXATTR};

#define NEW_SPACES                                                             \
    (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC |             \
     CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)

#define COUNT(a) (sizeof(a) / sizeof(*(a)))
#define LONGEST  512u

/* --- the program
 * --------------------------------------------------------------
 */

struct draft {
    struct sock_filter *code;
    unsigned n;
};

static void add(struct draft *d, unsigned code, unsigned k, unsigned yes,
                unsigned no)
{
    TT_ASSERT(d->n < LONGEST && yes < 256 && no < 256);
    d->code[d->n++] = (struct sock_filter){
        .code = (uint16_t)code, .jt = (uint8_t)yes, .jf = (uint8_t)no, .k = k};
}

static void load(struct draft *d, size_t at)
{
    add(d, BPF_LD | BPF_W | BPF_ABS, (unsigned)at, 0, 0);
}

static void load_nr(struct draft *d)
{
    load(d, offsetof(struct seccomp_data, nr));
}

/* The lower half of an argument: all that counts of an int. */
static void load_arg(struct draft *d, unsigned i)
{
    size_t at = offsetof(struct seccomp_data, args) + i * sizeof(uint64_t);

#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    at += sizeof(uint32_t);
#endif
    load(d, at);
}

static void when(struct draft *d, unsigned test, unsigned k, unsigned yes,
                 unsigned no)
{
    add(d, BPF_JMP | test | BPF_K, k, yes, no);
}

static void answer(struct draft *d, unsigned with)
{
    add(d, BPF_RET | BPF_K, with, 0, 0);
}

static void refuse(struct draft *d, int e)
{
    answer(d, SECCOMP_RET_ERRNO | ((unsigned)e & SECCOMP_RET_DATA));
}

/* From here to end_call(): of this call only. The number is what is loaded,
 * before and after. */
static unsigned begin_call(struct draft *d, unsigned nr)
{
    when(d, BPF_JEQ, nr, 0, 0);
    return d->n - 1;
}

/* ... of which argument i decides. */
static unsigned begin_call_by(struct draft *d, unsigned nr, unsigned i)
{
    unsigned call = begin_call(d, nr);

    load_arg(d, i);
    return call;
}

static void end_call(struct draft *d, unsigned begun)
{
    load_nr(d);
    TT_ASSERT(d->n - begun - 2 < 256);
    d->code[begun].jf = (uint8_t)(d->n - begun - 1);
}

static void refuse_each(struct draft *d, const unsigned *nr, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        when(d, BPF_JEQ, nr[i], 0, 1);
        refuse(d, EPERM);
    }
}

#ifdef MACHINE
/* Calls of another machine (32 bits on one of 64) have other numbers, and those
 * younger than our list are not in it. Units that are only kept apart may have
 * them where Landlock keeps them apart as well. */
static void only_this_machine(struct draft *d, unsigned guards, int landlock)
{
    int lenient = !(guards & ~(unsigned)TT_GUARD_APART);

    load(d, offsetof(struct seccomp_data, arch));
    when(d, BPF_JEQ, MACHINE, 1, 0);
    answer(d, lenient && landlock >= VERSION_SCOPE ? SECCOMP_RET_ALLOW
                                                   : SECCOMP_RET_KILL_PROCESS);
    load_nr(d);
    if (lenient)
        return;
    when(d, BPF_JGT, NR_YOUNGEST, 0, 1);
    refuse(d, ENOSYS);
}
#else
static void only_this_machine(struct draft *d, unsigned guards, int landlock)
{
    (void)d;
    (void)guards;
    (void)landlock;
}
#endif

/* The flags of clone3 are out of a filter's sight. The C library asks for
 * clone instead when it is not there. */
static void clones(struct draft *d)
{
    unsigned call;

    when(d, BPF_JEQ, SYS_clone3, 0, 1);
    refuse(d, ENOSYS);
    call = begin_call_by(d, SYS_clone, 0);
    when(d, BPF_JSET, NEW_SPACES, 0, 1);
    refuse(d, EPERM);
    end_call(d, call);
}

static void controls(struct draft *d)
{
    unsigned call = begin_call_by(d, SYS_ioctl, 1);

    refuse_each(d, ioctls, COUNT(ioctls));
    end_call(d, call);
}

/* --- other processes ----------------------------------------------------- */

/* Refused unless argument i is this process: 0, or its number. Its threads
 * have numbers of their own that a filter cannot know. */
static void only_self(struct draft *d, unsigned i)
{
    load_arg(d, i);
    when(d, BPF_JEQ, 0, 2, 0);
    when(d, BPF_JEQ, (unsigned)getpid(), 1, 0);
    refuse(d, EPERM);
}

static void only_self_each(struct draft *d, const unsigned *nr, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned call = begin_call(d, nr[i]);

        only_self(d, 0);
        end_call(d, call);
    }
}

/* Of whom: one process, not a group or a user. */
static void priorities(struct draft *d, unsigned nr, unsigned process)
{
    unsigned call = begin_call_by(d, nr, 0);

    when(d, BPF_JEQ, process, 1, 0);
    refuse(d, EPERM);
    only_self(d, 1);
    end_call(d, call);
}

/* A process without processor time dies, one with little is late: neither is
 * done to others. */
static void leave_others_alone(struct draft *d)
{
    refuse_each(d, others, COUNT(others));
    only_self_each(d, by_pid, COUNT(by_pid));
    priorities(d, SYS_setpriority, PRIO_PROCESS);
    priorities(d, SYS_ioprio_set, 1); /* IOPRIO_WHO_PROCESS */
}

/* Which signal is 0 asks only whether a process is there. Its group is its own
 * as well (tt_child_fork). */
static void kills(struct draft *d)
{
    unsigned call = begin_call_by(d, SYS_kill, 1);

    when(d, BPF_JEQ, 0, 5, 0);
    load_arg(d, 0);
    when(d, BPF_JEQ, 0, 3, 0);
    when(d, BPF_JEQ, (unsigned)getpid(), 2, 0);
    when(d, BPF_JEQ, 0u - (unsigned)getpid(), 1, 0);
    refuse(d, EPERM);
    end_call(d, call);
}

/* The process signalled when there is something to read or write. */
static void owners(struct draft *d)
{
    unsigned call = begin_call_by(d, SYS_fcntl, 1);

    when(d, BPF_JEQ, F_SETOWN_EX, 0, 1); /* an owner out of sight */
    refuse(d, EPERM);
    when(d, BPF_JEQ, F_SETOWN, 0, 4);
    only_self(d, 2);
    end_call(d, call);
    call = begin_call_by(d, SYS_ioctl, 1);
    when(d, BPF_JEQ, FIOSETOWN, 1, 0);
    when(d, BPF_JEQ, SIOCSPGRP, 0, 1);
    refuse(d, EPERM);
    end_call(d, call);
}

/* Where Landlock does not guard signals. Processes that this one starts are
 * others, too: a filter knows numbers only. */
static void signal_none(struct draft *d)
{
    refuse_each(d, (const unsigned[]){SYS_pidfd_send_signal}, 1);
    only_self_each(d, signals, COUNT(signals));
    kills(d);
    owners(d);
}

/* --- sockets -------------------------------------------------------------- */

/* Pairs that stay connected. Others could be used to send anywhere; what type
 * is none of the two is one of them, or means one (a pair of SOCK_RAW is one of
 * datagrams). */
static void pairs(struct draft *d)
{
    unsigned call = begin_call_by(d, SYS_socketpair, 1);

    add(d, BPF_ALU | BPF_AND | BPF_K, 0xf, 0, 0); /* flags are above */
    when(d, BPF_JEQ, SOCK_STREAM, 2, 0);
    when(d, BPF_JEQ, SOCK_SEQPACKET, 1, 0);
    refuse(d, EPERM);
    end_call(d, call);
}

static void known_families(struct draft *d)
{
    unsigned call = begin_call_by(d, SYS_socket, 0);

    for (unsigned i = 0; i < COUNT(families); i++)
        when(d, BPF_JEQ, families[i], (unsigned)COUNT(families) - i, 0);
    refuse(d, EAFNOSUPPORT);
    end_call(d, call);
}

static void no_emptying(struct draft *d, unsigned nr, unsigned flags)
{
    unsigned call = begin_call_by(d, nr, flags);

    when(d, BPF_JSET, O_TRUNC, 0, 3);
    add(d, BPF_ALU | BPF_AND | BPF_K, O_ACCMODE, 0, 0);
    when(d, BPF_JEQ, O_RDONLY, 0, 1);
    refuse(d, EPERM);
    end_call(d, call);
}

/* Early versions of Landlock do not see files being emptied unless they are
 * opened for writing. */
static void no_truncation(struct draft *d)
{
    refuse_each(d, (const unsigned[]){SYS_truncate}, 1);
    when(d, BPF_JEQ, SYS_openat2, 0, 1); /* its flags are out of sight */
    refuse(d, ENOSYS);
    no_emptying(d, SYS_openat, 2);
#ifdef SYS_open
    no_emptying(d, SYS_open, 1);
#endif
}

static void write_program(struct draft *d, unsigned guards, int landlock)
{
    only_this_machine(d, guards, landlock);
    if (guards & TT_GUARD_CALLS) {
        refuse_each(d, refused, COUNT(refused));
        clones(d);
        controls(d);
    }
    if (guards & (TT_GUARD_CALLS | TT_GUARD_APART))
        leave_others_alone(d);
    if ((guards & TT_GUARD_APART) && landlock < VERSION_SCOPE)
        signal_none(d);
    if (guards & TT_GUARD_NETWORK) {
        refuse_each(d, network, COUNT(network));
        pairs(d);
    } else if (guards & TT_GUARD_CALLS) {
        known_families(d);
    }
    if ((guards & TT_GUARD_FILES) && landlock < VERSION_TRUNCATE)
        no_truncation(d);
    answer(d, SECCOMP_RET_ALLOW);
}

/* --- doors
 * --------------------------------------------------------------------
 */

const char sandbox_lack[] = "";

int sandbox_filters(void)
{
#ifdef MACHINE
    unsigned action = SECCOMP_RET_ERRNO;

    return syscall(SYS_seccomp, SECCOMP_GET_ACTION_AVAIL, 0, &action) == 0;
#else
    return 0;
#endif
}

enum tt_code sandbox_calls_open(struct tt_box *box, struct sandbox_kernel k,
                                tt_err *err)
{
    const unsigned by_filter =
        TT_GUARD_FILES | TT_GUARD_NETWORK | TT_GUARD_CALLS | TT_GUARD_APART;

    if (!k.filters || !(box->guards & by_filter))
        return TT_OK;
    if (!TT_NEW_ARRAY(box->filter, LONGEST))
        return tt_nomem(err, "preparing the sandbox");
    return TT_OK;
}

/* Written only here, because it has the number of this process in it. */
int sandbox_calls_enter(const struct tt_box *box)
{
    struct draft d = {.code = box->filter};
    struct sock_fprog program = {0, box->filter};

    if (!box->filter)
        return 0;
    write_program(&d, box->guards, box->landlock);
    program.len = (unsigned short)d.n;
    return (int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program);
}

int sandbox_drop_powers(void)
{
    /* reading, and a run in real time */
    const unsigned keep = 1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH |
                          1u << CAP_SYS_NICE | 1u << CAP_IPC_LOCK;
    struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
    struct __user_cap_data_struct has[2] = {{0}};

    if (syscall(SYS_capget, &head, has) != 0)
        return -1;
    has[0].permitted &= keep;
    has[0].effective &= keep;
    has[1].permitted = has[1].effective = 0;
    has[0].inheritable = has[1].inheritable = 0;
    return (int)syscall(SYS_capset, &head, has);
}
