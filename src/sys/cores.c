/* SPDX-License-Identifier: MIT */
/* Processors this process may use: those it may run on, and no more than its
 * control group (cgroup v2) gives it time for. */
#define _GNU_SOURCE /* sched_getaffinity */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "sys/baton.h"
#include "sys/cores_impl.h"

/* "max 100000" or "150000 100000": of so many microseconds so many may be used.
 * 0: no limit, or no such file. */
static uint32_t quota_in(const char *dir)
{
    char path[4200];
    unsigned long quota, period;
    uint32_t n = 0;
    FILE *f;

    (void)snprintf(path, sizeof(path), "%s/cpu.max", dir);
    f = fopen(path, "r");
    if (!f)
        return 0;
    if (fscanf(f, "%lu %lu", &quota, &period) == 2 && period)
        n = quota < period ? 1 : (uint32_t)(quota / period);
    (void)fclose(f);
    return n;
}

/* "0::/user.slice/x\n": where we are in the tree; 0: it is not reported. */
static int find_group(const char *file, const char *root, char *dir,
                      size_t size)
{
    char line[4096];
    FILE *f = fopen(file, "r");
    int found = 0;

    while (f && !found && fgets(line, sizeof(line), f))
        if (strncmp(line, "0::/", 4) == 0) {
            line[strcspn(line, "\n")] = '\0';
            found = snprintf(dir, size, "%s%s", root, line + 3) < (int)size;
        }
    if (f)
        (void)fclose(f);
    return found;
}

uint32_t tt_cores_quota(const char *file, const char *root)
{
    char dir[4096];
    uint32_t least = 0;

    if (!find_group(file, root, dir, sizeof(dir)))
        return 0;
    while (strlen(dir) >= strlen(root)) { /* a group has what all above have */
        uint32_t n = quota_in(dir);
        char *slash = strrchr(dir, '/');

        if (n && (!least || n < least))
            least = n;
        if (!slash)
            break;
        *slash = '\0';
    }
    return least;
}

static uint32_t quota; /* read once: it seldom changes */

static void read_quota(void)
{
    quota = tt_cores_quota("/proc/self/cgroup", "/sys/fs/cgroup");
}

uint32_t tt_cores(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    cpu_set_t set;
    uint32_t n;
    long online;

    (void)pthread_once(&once, read_quota);
    if (sched_getaffinity(0, sizeof(set), &set) == 0) {
        n = (uint32_t)CPU_COUNT(&set);
    } else {
        online = sysconf(_SC_NPROCESSORS_ONLN);
        n = online > 0 ? (uint32_t)online : 1;
    }
    return quota && quota < n ? quota : n;
}
