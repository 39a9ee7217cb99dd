/* SPDX-License-Identifier: MIT */
/* DEVStone by hand: devstone loop NET END with counting atoms, devstone delays
 * NET END with delays, devstone fmi3 NET END FOLDER. Prints the numbers of
 * internal and external transitions and the seconds of CPU time that they took.
 */
#include "devstone.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static int count_targets(struct net *g, FILE *f, uint32_t *m)
{
    unsigned from, to;

    if (fscanf(f, "%u %u", &g->n, &g->n_outside) != 2 || g->n < 1 ||
        g->n > 100000000 || g->n_outside >= g->n)
        return -1;
    g->first = calloc((size_t)g->n + 2, sizeof(*g->first));
    while (g->first && fscanf(f, "%u %u", &from, &to) == 2) {
        if (from >= g->n || to >= g->n)
            return -1;
        g->first[from + 2]++;
        ++*m;
    }
    return g->first ? 0 : -1;
}

static void list_targets(struct net *g, FILE *f)
{
    unsigned from, to;

    for (uint32_t i = 0; i < g->n; i++)
        g->first[i + 2] += g->first[i + 1];
    rewind(f);
    (void)!fscanf(f, "%u %u", &from, &to);
    while (fscanf(f, "%u %u", &from, &to) == 2)
        g->to[g->first[from + 1]++] = to;
}

int net_read(struct net *g, const char *path)
{
    FILE *f = fopen(path, "r");
    uint32_t m = 0;
    int rc = f ? count_targets(g, f, &m) : -1;

    *g = (struct net){.n = g->n, .n_outside = g->n_outside, .first = g->first};
    if (rc == 0) {
        g->to = calloc((size_t)m + 1, sizeof(*g->to));
        g->due = calloc(g->n, sizeof(*g->due));
        g->hit = calloc(g->n, sizeof(*g->hit));
        g->is_hit = calloc(g->n, 1);
        g->heap = calloc(g->n, sizeof(*g->heap));
        g->at = calloc(g->n, sizeof(*g->at));
        g->next = calloc(g->n, sizeof(*g->next));
        rc = g->to && g->due && g->hit && g->is_hit && g->heap && g->at &&
                     g->next
                 ? 0
                 : -1;
    }
    for (uint32_t i = 0; i < g->n && rc == 0; i++) {
        g->heap[i] = g->at[i] = i;
        g->next[i] = i ? (double)INFINITY : 1; /* the source begins at 1 */
    }
    if (rc == 0)
        list_targets(g, f);
    else
        (void)fprintf(stderr, "devstone: cannot read %s\n", path);
    if (f)
        (void)fclose(f);
    return rc;
}

void net_free(struct net *g)
{
    free(g->to);
    free(g->first);
    free(g->due);
    free(g->hit);
    free(g->is_hit);
    free(g->heap);
    free(g->at);
    free(g->next);
}

/* --- the event queue: units by the time of their next event ----------------
 */

static void swap(struct net *g, uint32_t i, uint32_t k)
{
    uint32_t u = g->heap[i];

    g->heap[i] = g->heap[k];
    g->heap[k] = u;
    g->at[g->heap[i]] = i;
    g->at[g->heap[k]] = k;
}

static int before(const struct net *g, uint32_t i, uint32_t k)
{
    return g->next[g->heap[i]] < g->next[g->heap[k]];
}

void net_set_next(struct net *g, uint32_t u, double t)
{
    uint32_t i = g->at[u];

    g->next[u] = t;
    while (i && before(g, i, (i - 1) / 2)) {
        swap(g, i, (i - 1) / 2);
        i = (i - 1) / 2;
    }
    for (;;) {
        uint32_t k = 2 * i + 1;

        if (k + 1 < g->n && before(g, k + 1, k))
            k++;
        if (k >= g->n || !before(g, k, i))
            return;
        swap(g, i, k);
        i = k;
    }
}

/* Those that are due first, and when; they have no next event any more. */
double net_take_due(struct net *g)
{
    double t = g->next[g->heap[0]];

    g->n_due = 0;
    while (isfinite(t) && g->next[g->heap[0]] == t) {
        g->due[g->n_due++] = g->heap[0];
        net_set_next(g, g->heap[0], (double)INFINITY);
    }
    return t;
}

void net_hit(struct net *g, uint32_t u)
{
    g->external++;
    if (g->is_hit[u])
        return;
    g->is_hit[u] = 1;
    g->hit[g->n_hit++] = u;
}

/* --- units in C -------------------------------------------------------------
 */

/* An atom: how many events it has had, and what has come since its last
 * transition: outputs follow from states as they were before anything arrives,
 * so those of all that are due are made before any of them changes. */
struct atom {
    double n, value;
    uint32_t got;
    int active;
};

static void put_out(struct net *g, struct atom *a, uint32_t i)
{
    for (uint32_t k = g->first[i]; k < g->first[i + 1]; k++) {
        a[g->to[k]].value = a[i].n;
        a[g->to[k]].got++;
        net_hit(g, g->to[k]);
    }
}

/* All that are due put out, then change; then those that got something do. */
static void microstep(struct net *g, struct atom *a, double t)
{
    g->n_hit = 0;
    g->internal += g->n_due;
    for (uint32_t i = 0; i < g->n_due; i++)
        put_out(g, a, g->due[i]);
    for (uint32_t i = 0; i < g->n_due; i++)
        a[g->due[i]].active = 0;
    for (uint32_t i = 0; i < g->n_hit; i++) {
        struct atom *to = &a[g->hit[i]];

        g->is_hit[g->hit[i]] = 0;
        to->n += to->got;
        to->got = 0;
        if (to->active || g->hit[i] >= g->n - g->n_outside)
            continue;
        to->active = 1;
        net_set_next(g, g->hit[i], t);
    }
}

void net_play(struct net *g, double end)
{
    struct atom *a = calloc(g->n, sizeof(*a));
    double t = a ? net_take_due(g) : end + 1;

    while (t <= end) {
        if (g->due[0] == 0) {
            a[0].n += 1;
            net_set_next(g, 0, t + 1);
        }
        microstep(g, a, t);
        t = net_take_due(g);
    }
    free(a);
}

/* --- delays in C ------------------------------------------------------------
 */

/* What it holds, each with the time when it is due: `n` from `first` on, around
 * a ring of a power of two. One that waits already goes when it was planned. */
struct delay {
    struct held {
        double value, due;
    } * held;
    uint32_t first, n, cap;
};

/* Answers 0, or -1: out of memory. */
static int hold(struct delay *d, double value, double due)
{
    if (d->n == d->cap) {
        uint32_t cap = d->cap ? 2 * d->cap : 8;
        struct held *held = calloc(cap, sizeof(*held));

        if (!held)
            return -1;
        for (uint32_t i = 0; i < d->n; i++)
            held[i] = d->held[(d->first + i) & (d->cap - 1)];
        free(d->held);
        d->held = held;
        d->first = 0;
        d->cap = cap;
    }
    d->held[(d->first + d->n++) & (d->cap - 1)] = (struct held){value, due};
    return 0;
}

/* What arrives is held behind what is there: no output changes. */
static int put_out_held(struct net *g, struct delay *d, uint32_t i, double t)
{
    double value = i ? d[i].held[d[i].first].value : 1;
    int rc = 0;

    for (uint32_t k = g->first[i]; k < g->first[i + 1]; k++) {
        net_hit(g, g->to[k]);
        if (g->to[k] < g->n - g->n_outside)
            rc |= hold(&d[g->to[k]], value, t);
    }
    return rc;
}

static void plan_next(struct net *g, const struct delay *d, uint32_t i)
{
    if (i && i < g->n - g->n_outside && d[i].n)
        net_set_next(g, i, d[i].held[d[i].first].due);
}

static int microstep_held(struct net *g, struct delay *d, double t)
{
    int rc = 0;

    g->n_hit = 0;
    g->internal += g->n_due;
    for (uint32_t i = 0; i < g->n_due; i++)
        rc |= put_out_held(g, d, g->due[i], t);
    for (uint32_t i = 0; i < g->n_due; i++) {
        struct delay *own = &d[g->due[i]];

        if (!g->due[i])
            continue;
        own->first = (own->first + 1) & (own->cap - 1);
        own->n--;
        plan_next(g, d, g->due[i]);
    }
    for (uint32_t i = 0; i < g->n_hit; i++) {
        g->is_hit[g->hit[i]] = 0;
        if (g->next[g->hit[i]] > t)
            plan_next(g, d, g->hit[i]);
    }
    return rc;
}

int net_play_delays(struct net *g, double end)
{
    struct delay *d = calloc(g->n, sizeof(*d));
    int rc = d ? 0 : -1;

    for (double t = net_take_due(g); rc == 0 && t <= end; t = net_take_due(g)) {
        if (g->due[0] == 0)
            net_set_next(g, 0, t + 1);
        rc = microstep_held(g, d, t);
    }
    for (uint32_t i = 0; d && i < g->n; i++)
        free(d[i].held);
    free(d);
    return rc;
}

static double cpu(void)
{
    struct timespec t;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(int argc, char **argv)
{
    struct net g = {0};
    double began;
    int fmi3 = argc == 5 && !strcmp(argv[1], "fmi3"), rc;
    int delays = argc == 4 && !strcmp(argv[1], "delays");

    if (!fmi3 && !delays && !(argc == 4 && !strcmp(argv[1], "loop"))) {
        (void)fprintf(stderr, "usage: devstone loop NET END\n"
                              "       devstone delays NET END\n"
                              "       devstone fmi3 NET END FOLDER\n");
        return 2;
    }
    rc = net_read(&g, argv[2]);
    began = cpu();
    if (rc == 0 && fmi3)
        rc = net_play_fmi3(&g, argv[4], strtod(argv[3], NULL));
    else if (rc == 0 && delays)
        rc = net_play_delays(&g, strtod(argv[3], NULL));
    else if (rc == 0)
        net_play(&g, strtod(argv[3], NULL));
    if (rc == 0)
        (void)printf("%llu %llu %.9f\n", (unsigned long long)g.internal,
                     (unsigned long long)g.external, cpu() - began);
    net_free(&g);
    return rc == 0 ? 0 : 1;
}
