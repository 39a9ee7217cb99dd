/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* prctl */
#include "sys/orphans.h"

#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "sys/clock.h"
#include "sys/sync.h"

#define PATIENCE_NS ((uint64_t)5000000000u)
#define NAP_NS      ((uint64_t)200000)

void tt_orphans_adopt(void)
{
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
}

int tt_kin_add(struct tt_kin *k, int pid)
{
    if (TT_GROW(k->pid, k->n, k->cap) != 0)
        return -1;
    k->pid[k->n++] = pid;
    return 0;
}

void tt_kin_fini(struct tt_kin *k)
{
    tt_free(k->pid);
    *k = (struct tt_kin){0};
}

/* The system lists children by the thread they belong to. */
static void add_of_thread(struct tt_kin *k, const char *tid)
{
    char path[64];
    FILE *f;
    int pid;

    (void)snprintf(path, sizeof(path), "/proc/self/task/%.20s/children", tid);
    f = fopen(path, "re");
    if (!f)
        return;
    while (fscanf(f, "%d", &pid) == 1)
        if (tt_kin_add(k, pid) != 0)
            break;
    (void)fclose(f);
}

void tt_kin_init(struct tt_kin *k)
{
    DIR *dir = opendir("/proc/self/task");
    const struct dirent *e;

    *k = (struct tt_kin){0};
    while (dir && (e = readdir(dir)))
        if (e->d_name[0] != '.')
            add_of_thread(k, e->d_name);
    if (dir)
        (void)closedir(dir);
}

static int has(const struct tt_kin *k, int pid)
{
    for (size_t i = 0; i < k->n; i++)
        if (k->pid[i] == pid)
            return 1;
    return 0;
}

/* How many are still there. A child that is not reaped keeps its number, and
 * only we reap it: the signal reaches no other. */
static size_t end_once(const struct tt_kin *spare)
{
    struct tt_kin all;
    size_t left = 0;

    tt_kin_init(&all);
    for (size_t i = 0; i < all.n; i++) {
        if (has(spare, all.pid[i]))
            continue;
        (void)kill(all.pid[i], SIGKILL);
        left++;
    }
    for (size_t i = 0; i < all.n; i++)
        if (!has(spare, all.pid[i]))
            (void)waitpid(all.pid[i], NULL, WNOHANG);
    tt_kin_fini(&all);
    return left;
}

void tt_orphans_end(const struct tt_kin *spare)
{
    uint64_t until = tt_clock_ns() + PATIENCE_NS;

    /* Also when all were reaped: their children have only now become ours. */
    while (end_once(spare) > 0 && tt_clock_ns() < until)
        tt_sleep_ns(NAP_NS);
}
