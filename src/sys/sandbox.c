/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* RLIMIT_NPROC */
#include "sys/sandbox.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/sandbox_impl.h"

/* --- words
 * --------------------------------------------------------------------
 */

static const struct {
    unsigned guard;
    const char *words, *excuse;
} guards[] = {
    {TT_GUARD_FILES, "no writes outside", "Landlock is missing"},
    {TT_GUARD_NETWORK, "no network", "filters of calls are missing"},
    {TT_GUARD_CALLS, "no calls that reach other processes or the system",
     "filters of calls are missing"},
    {TT_GUARD_SIGNALS, "no signals to other processes",
     "Landlock is older than version 6"},
    {TT_GUARD_APART, "no reach into other processes",
     "filters of calls are missing"},
    {TT_GUARD_MEMORY, "limited memory", ""},
    {TT_GUARD_FILE_SIZE, "limited size of files", ""},
    {TT_GUARD_CPU, "limited processor time", ""},
    {TT_GUARD_PROCESSES, "limited number of processes", "root is exempt"},
    {TT_GUARD_DESCRIPTORS, "limited number of open files", ""},
};
#define N_GUARDS (sizeof(guards) / sizeof(*guards))

static void put_word(struct tt_buf *b, unsigned which, int excuse)
{
    const char *between = "";

    for (size_t i = 0; i < N_GUARDS; i++) {
        if (!(which & guards[i].guard))
            continue;
        tt_buf_fmt(b, "%s%s", between, guards[i].words);
        if (excuse)
            tt_buf_fmt(b, " (%s)", guards[i].excuse);
        between = ", ";
    }
}

void tt_sandbox_words(struct tt_buf *b, unsigned which)
{
    put_word(b, which, 0);
}

void tt_sandbox_excuses(struct tt_buf *b, unsigned which)
{
    put_word(b, which, 1);
}

void tt_size_words(struct tt_buf *b, uint64_t bytes)
{
    static const char *const unit[] = {"bytes", "KB", "MB", "GB", "TB"};
    uint64_t tenths;
    unsigned u = 0;

    while (u < 4 && bytes >> (10 * (u + 1)))
        u++;
    if (!u) {
        tt_buf_fmt(b, "%" PRIu64 " bytes", bytes);
        return;
    }
    tenths = ((bytes >> (10 * (u - 1))) * 10 + 512) >> 10;
    tt_buf_fmt(b, "%" PRIu64, tenths / 10);
    if (tenths % 10 && tenths < 1000)
        tt_buf_fmt(b, ".%" PRIu64, tenths % 10);
    tt_buf_fmt(b, " %s", unit[u]);
}

enum tt_code tt_limit_check(uint64_t memory, const char *limit,
                            const char *held, tt_err *err)
{
    uint64_t used = tt_memory_used();
    struct tt_buf b;

    if (!memory || memory > used)
        return TT_OK;
    tt_buf_init(&b, TT_ERR_MAX);
    tt_buf_str(&b, limit);
    tt_buf_str(&b, " ");
    tt_size_words(&b, memory);
    tt_buf_str(&b, " is less than the ");
    tt_size_words(&b, used);
    tt_buf_str(&b, " ");
    tt_buf_str(&b, held);
    tt_fail(err, TT_EINPUT, "%s", b.failed ? "" : b.data);
    tt_buf_fini(&b);
    return TT_EINPUT;
}

/* --- what can be had
 * ----------------------------------------------------------
 */

struct sandbox_kernel sandbox_kernel(void)
{
    return (struct sandbox_kernel){sandbox_landlock(), sandbox_filters()};
}

unsigned sandbox_can(struct sandbox_kernel k)
{
    unsigned can = TT_GUARD_MEMORY | TT_GUARD_FILE_SIZE | TT_GUARD_CPU |
                   TT_GUARD_DESCRIPTORS;

    if (k.landlock >= VERSION_TRUNCATE || (k.landlock && k.filters))
        can |= TT_GUARD_FILES;
    if (k.landlock >= VERSION_SCOPE)
        can |= TT_GUARD_SIGNALS;
    if (k.filters)
        can |= TT_GUARD_NETWORK | TT_GUARD_CALLS | TT_GUARD_APART;
    if (getuid() != 0)
        can |= TT_GUARD_PROCESSES;
    return can;
}

unsigned tt_sandbox_can(void)
{
    return sandbox_can(sandbox_kernel());
}

/* All that s asks for, limits too. */
static unsigned guards_wanted(const struct tt_sandbox *s)
{
    const struct tt_limits *l = &s->limit;

    return (s->guards & (TT_GUARD_FILES | TT_GUARD_NETWORK | TT_GUARD_CALLS |
                         TT_GUARD_SIGNALS | TT_GUARD_APART)) |
           (l->memory ? TT_GUARD_MEMORY : 0u) |
           (l->file_size ? TT_GUARD_FILE_SIZE : 0u) |
           (l->cpu_s ? TT_GUARD_CPU : 0u) |
           (l->processes ? TT_GUARD_PROCESSES : 0u) |
           (l->descriptors ? TT_GUARD_DESCRIPTORS : 0u);
}

/* --- what is used
 * -------------------------------------------------------------
 */

/* The sixth number of the line, in pages. */
uint64_t tt_memory_used(void)
{
    int saved = errno, fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    char line[256];
    ssize_t n = fd < 0 ? 0 : read(fd, line, sizeof(line));
    uint64_t pages = 0;
    int spaces = 0;

    if (fd >= 0)
        close(fd);
    for (ssize_t i = 0; i < n && spaces < 6; i++) {
        if (line[i] == ' ')
            spaces++;
        else if (spaces == 5 && line[i] >= '0' && line[i] <= '9')
            pages = pages * 10 + (uint64_t)(line[i] - '0');
    }
    errno = saved;
    return pages * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Threads of this user. A folder has a link from each of its folders. */
static uint64_t count_tasks(void)
{
    DIR *proc = opendir("/proc");
    const struct dirent *e;
    uint64_t n = 0;

    while (proc && (e = readdir(proc))) {
        char path[64];
        struct stat st;

        if (!isdigit((unsigned char)e->d_name[0]))
            continue;
        snprintf(path, sizeof(path), "/proc/%.20s/task", e->d_name);
        if (stat(path, &st) == 0 && st.st_uid == getuid() && st.st_nlink > 2)
            n += st.st_nlink - 2;
    }
    if (proc)
        closedir(proc);
    return n;
}

/* --- opening
 * ------------------------------------------------------------------
 */

static enum tt_code check_need(const struct tt_sandbox *s, unsigned can,
                               tt_err *err)
{
    unsigned missing = s->need & ~(can & guards_wanted(s));
    struct tt_buf b;

    if (!missing)
        return TT_OK;
    tt_buf_init(&b, TT_ERR_MAX);
    tt_sandbox_excuses(&b, missing);
    tt_fail(err, TT_EUNSUPPORTED, "cannot make the sandbox: %s%s",
            b.failed ? "" : b.data, sandbox_lack);
    tt_buf_fini(&b);
    return TT_EUNSUPPORTED;
}

enum tt_code sandbox_open(struct tt_box *box, const struct tt_sandbox *s,
                          struct sandbox_kernel k, tt_err *err)
{
    unsigned can = sandbox_can(k);
    enum tt_code rc = check_need(s, can, err);

    *box = (struct tt_box){
        .landlock = k.landlock, .ruleset = -1, .limit = s->limit};
    if (rc != TT_OK)
        return rc;
    box->guards = guards_wanted(s) & can;
    if (box->guards & TT_GUARD_PROCESSES)
        box->limit.processes += count_tasks();
    else
        box->limit.processes = 0;
    rc = sandbox_files_open(box, s, err);
    return rc == TT_OK ? sandbox_calls_open(box, k, err) : rc;
}

enum tt_code tt_box_open(struct tt_box *box, const struct tt_sandbox *s,
                         tt_err *err)
{
    return sandbox_open(box, s, sandbox_kernel(), err);
}

void tt_box_close(struct tt_box *box)
{
    if (box->ruleset >= 0)
        close(box->ruleset);
    tt_free(box->filter);
    *box = (struct tt_box){.ruleset = -1};
}

/* --- entering
 * -----------------------------------------------------------------
 */

/* Lower, never higher. `more` is what the hard limit has above the soft one. */
static int limit(int which, uint64_t value, uint64_t more)
{
    struct rlimit l;

    if (getrlimit((__rlimit_resource_t)which, &l) != 0)
        return -1;
    if (l.rlim_max == RLIM_INFINITY || l.rlim_max > value + more)
        l.rlim_max = value + more;
    if (l.rlim_cur == RLIM_INFINITY || l.rlim_cur > value)
        l.rlim_cur = value;
    return setrlimit((__rlimit_resource_t)which, &l);
}

static int limit_all(const struct tt_limits *l)
{
    int rc = limit(RLIMIT_CORE, 0, 0);

    /* Not RLIMIT_AS: that counts what is only reserved, and libraries reserve
     * far more than they use. */
    if (rc == 0 && l->memory)
        rc = limit(RLIMIT_DATA, l->memory, 0);
    if (rc == 0 && l->file_size) {
        (void)signal(SIGXFSZ, SIG_IGN); /* EFBIG states it better */
        rc = limit(RLIMIT_FSIZE, l->file_size, 0);
    }
    if (rc == 0 && l->cpu_s)
        rc = limit(RLIMIT_CPU, l->cpu_s, 1);
    if (rc == 0 && l->processes)
        rc = limit(RLIMIT_NPROC, l->processes, 0);
    if (rc == 0 && l->descriptors)
        rc = limit(RLIMIT_NOFILE, l->descriptors, 0);
    return rc;
}

/* The memory of a process is open to its equals through /proc, unless it has a
 * domain of Landlock that they do not share, or asks to be left alone. */
static int close_memory(const struct tt_box *box)
{
    if (!(box->guards & TT_GUARD_APART) || box->ruleset >= 0)
        return 0;
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
}

/* The filter comes last: it may refuse what the others need. */
enum tt_code tt_box_enter(const struct tt_box *box, tt_err *err)
{
    const char *what = "limits";
    int rc = limit_all(&box->limit);

    if (rc == 0) {
        what = "privileges";
        rc = prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    }
    if (rc == 0 && (box->guards & TT_GUARD_CALLS))
        rc = sandbox_drop_powers();
    if (rc == 0)
        rc = close_memory(box);
    if (rc == 0) {
        what = "files";
        rc = sandbox_files_enter(box);
    }
    if (rc == 0) {
        what = "calls";
        rc = sandbox_calls_enter(box);
    }
    return rc == 0 ? TT_OK
                   : tt_fail(err, TT_EIO, "cannot enter the sandbox (%s): %s",
                             what, strerror(errno));
}
