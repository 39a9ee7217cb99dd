/* SPDX-License-Identifier: MIT */
/* A unit that attacks those it shares a machine with, in every step that ends
 * at or after `when`: 0 not at all, 1 writes over all memory it can write and
 * others see, 2 the same from a thread that never ends, while it goes on, and
 * 3 hangs after that was begun, 4 signals its parent, 5 writes
 * into the memory of its parent through /proc and by ptrace. `seed` chooses
 * what is written. `found` says how many shared pieces there were, or how many
 * attacks were not refused. */
#define _GNU_SOURCE

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "tutti_kit.h"

enum what { NOTHING, ONCE, FOREVER, HANG, SIGNAL, REACH };

struct scribble {
    double y, when;
    int32_t what, seed, found;
};

static const struct tutti_var vars[] = {
    TUTTI_STATE(struct scribble, y, .start = 0, .description = "the time"),
    TUTTI_VAR(struct scribble, found, TUTTI_INT32, TUTTI_OUTPUT,
              .variability = TUTTI_DISCRETE),
    TUTTI_INTEGER_PARAMETER(struct scribble, what, .max = REACH),
    TUTTI_INTEGER_PARAMETER(struct scribble, seed, .max = 1000),
    TUTTI_REAL_PARAMETER(struct scribble, when, .unit = "s", .start = 0.05),
};

static void derivatives(void *model, double t, double *dx)
{
    (void)model;
    (void)t;
    dx[0] = 1;
}

static uint32_t random_state;

static uint32_t next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

/* Zeros, ones, noise everywhere, noise here and there, small numbers. */
static void scribble(volatile uint32_t *p, size_t n, unsigned how)
{
    for (size_t i = 0; i < n; i++)
        if (how == 0)
            p[i] = 0;
        else if (how == 1)
            p[i] = UINT32_MAX;
        else if (how == 2)
            p[i] = next_random();
        else if (how == 3 && next_random() % 16 == 0)
            p[i] = next_random();
        else if (how == 4)
            p[i] = next_random() % 64;
}

static int scribble_all(unsigned how)
{
    FILE *f = fopen("/proc/self/maps", "r");
    char line[512], rights[8];
    unsigned long from, to;
    int n = 0;

    while (f && fgets(line, sizeof(line), f))
        if (sscanf(line, "%lx-%lx %7s", &from, &to, rights) == 3 &&
            rights[1] == 'w' && rights[3] == 's') {
            scribble((volatile uint32_t *)from, (to - from) / 4, how);
            n++;
        }
    if (f)
        (void)fclose(f);
    return n;
}

static void *scribble_on(void *how)
{
    for (;;)
        (void)scribble_all(*(unsigned *)how);
    return NULL;
}

static void start_scribbling(unsigned how)
{
    static unsigned forever;
    static int begun;
    pthread_t t;

    forever = how;
    if (!begun)
        begun = pthread_create(&t, NULL, scribble_on, &forever) == 0;
}

static int signal_others(void)
{
    int n = kill(getppid(), SIGKILL) == 0;

    return n + (syscall(SYS_tgkill, getppid(), getppid(), SIGKILL) == 0);
}

static int reach_out(void)
{
    static char harm[4096];
    struct iovec here = {harm, 64}, there = {harm, 64};
    char path[64];
    int fd, n = 0;

    (void)snprintf(path, sizeof(path), "/proc/%d/mem", (int)getppid());
    fd = open(path, O_RDWR);
    if (fd >= 0) {
        n++;
        close(fd);
    }
    n += ptrace(PTRACE_ATTACH, getppid(), 0, 0) == 0;
    n += process_vm_writev(getppid(), &here, 1, &there, 1, 0) > 0;
    return n;
}

static void act(struct scribble *m)
{
    unsigned how = (unsigned)m->seed % 5;

    random_state = (uint32_t)m->seed;
    if (m->what == ONCE)
        m->found = scribble_all(how);
    if (m->what == FOREVER || m->what == HANG)
        start_scribbling(how);
    while (m->what == HANG)
        pause();
    if (m->what == SIGNAL)
        m->found = signal_others();
    if (m->what == REACH)
        m->found = reach_out();
}

static void after_step(void *model, struct tutti_step *s)
{
    struct scribble *m = model;

    if (s->reached >= m->when - 1e-9)
        act(m);
}

const struct tutti_model tutti_model = {
    .name = "scribble",
    .size = sizeof(struct scribble),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .after_step = after_step,
    .microsteps = 1,
    .stop_time = 1,
    .step_size = 0.1,
};
