/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_SANDBOX_H
#define TT_SYS_SANDBOX_H

/* What foreign code may do to the machine.
 *
 * A sandbox is described by a `struct tt_sandbox`, made ready by tt_box_open()
 * where errors can be reported, and entered by tt_box_enter() in the process
 * that is to be confined. There is no way out: programs it executes and
 * processes it forks are confined as well. A refused call fails (EPERM, EACCES,
 * ENOMEM), it does not kill, so that units can report what they miss.
 *
 * What is confined reads and executes all it could before, unless something is
 * hidden from it.
 *
 * Not every system can do everything. The caller gets what will be in force: a
 * mask of guards, and words for people.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum tt_guard {
    TT_GUARD_FILES = 1 << 0,   /* no writes but below the named folders */
    TT_GUARD_NETWORK = 1 << 1, /* no sockets but pairs */
    TT_GUARD_CALLS = 1 << 2,   /* no calls that reach into other processes,
                                * change modes of files, or the system */
    TT_GUARD_SIGNALS = 1 << 3, /* no signals to processes outside */
    TT_GUARD_MEMORY = 1 << 4,  /* the limits below */
    TT_GUARD_FILE_SIZE = 1 << 5,
    TT_GUARD_CPU = 1 << 6,
    TT_GUARD_PROCESSES = 1 << 7,
    TT_GUARD_DESCRIPTORS = 1 << 8,
    TT_GUARD_APART = 1 << 9, /* nothing is done to other processes: no
                              * signals, no look at or change of their memory,
                              * limits, priorities; files and network are left
                              * alone */
};
#define TT_GUARDS_ALL 0x3ffu

/* 0: no limit. Each holds for every single process, but `processes`. */
struct tt_limits {
    uint64_t memory;      /* bytes of private memory it may change */
    uint64_t file_size;   /* bytes of a file it writes; EFBIG beyond */
    uint64_t cpu_s;       /* of processor time; then SIGXCPU, then SIGKILL */
    uint64_t processes;   /* of this user, threads too, more than there are
                           * when the box is opened; root is exempt */
    uint64_t descriptors; /* open at once */
};

struct tt_sandbox {
    unsigned guards; /* wanted: FILES, NETWORK, CALLS, SIGNALS, APART */
    unsigned need;   /* guards, limits too, without which not to begin */
    const char *const *write; /* folders, or single files, that exist */
    size_t n_write;
    /* With FILES: folders and files whose content it cannot see, but for those
     * below that it may write. The folders above them cannot be listed, and
     * what comes into those later is hidden as well. */
    const char *const *hide;
    size_t n_hide;
    struct tt_limits limit;
};

/* Guards this system can put in force. */
unsigned tt_sandbox_can(void);
/* "no writes outside, no network, ..."; nothing for no guards. */
void tt_sandbox_words(struct tt_buf *b, unsigned guards);
/* The same of guards that are missing here, each with its reason. */
void tt_sandbox_excuses(struct tt_buf *b, unsigned guards);
/* What the process holds now of what limit.memory counts; 0: unknown. Safe in
 * a signal handler. */
uint64_t tt_memory_used(void);
/* "512 MB", "1.5 GB": of 1024s, as --memory-limit takes them. */
void tt_size_words(struct tt_buf *b, uint64_t bytes);
/* A process is a copy of this one: a limit of its memory below what we hold
 * would end it with a riddle. "LIMIT 1 MB is less than the 2 MB HELD". */
TT_NODISCARD enum tt_code tt_limit_check(uint64_t memory, const char *limit,
                                         const char *held, tt_err *err);

/* A sandbox that is ready to be entered. */
struct tt_box {
    unsigned guards;            /* what will be in force */
    struct tt_limits limit;     /* processes: counted already */
    int landlock;               /* version of its interface */
    int ruleset;                /* Landlock's, or -1 */
    struct sock_filter *filter; /* owned: room for one, or NULL */
};

/* TT_EUNSUPPORTED when something in s->need cannot be had, TT_EINPUT for a
 * folder that is not there. s is no longer needed afterwards. Close it also
 * after a failure. */
TT_NODISCARD enum tt_code tt_box_open(struct tt_box *box,
                                      const struct tt_sandbox *s, tt_err *err);
void tt_box_close(struct tt_box *box);

/* Confine the calling process, which must have one thread, and all it starts.
 * Allocates nothing and takes no lock, so that it may follow a fork. After a
 * failure it is confined by half: end it. */
TT_NODISCARD enum tt_code tt_box_enter(const struct tt_box *box, tt_err *err);

#endif
