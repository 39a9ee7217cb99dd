/* SPDX-License-Identifier: MIT */
#ifndef TT_BENCH_DEVSTONE_H
#define TT_BENCH_DEVSTONE_H

/* A network of DEVStone as a hand-written program has it: unit 0 puts out an
 * event every second; the others are atoms, which an event makes active for
 * no time, and then put one out; the last ones may be outside, and only take
 * events. All that are due go at once (parallel DEVS).
 *
 * The file has the number of units and of those outside, then per line a
 * connection, "from to". */

#include <stdint.h>

struct net {
    uint32_t n;         /* units, ... */
    uint32_t n_outside; /* the last so many of them outside */
    uint32_t *to;       /* targets, by source: */
    uint32_t *first;    /* those of i from first[i] to first[i + 1] */
    uint32_t *due;      /* units that are due, ... */
    uint32_t n_due;
    uint32_t *hit; /* ... and those that got an event */
    uint32_t n_hit;
    uint8_t *is_hit;
    uint32_t *heap, *at; /* units by next event, and where each is there */
    double *next;
    uint64_t internal, external; /* transitions so far */
};

/* Answers 0, or -1 with words on stderr. */
int net_read(struct net *g, const char *path);
void net_free(struct net *g);

/* The queue of events: when a unit has its next one; those that are due first,
 * into g->due, and when that is. */
void net_set_next(struct net *g, uint32_t u, double t);
double net_take_due(struct net *g);
/* An event comes to this unit. */
void net_hit(struct net *g, uint32_t u);

/* Seconds [0, end]: every transition is a few lines of C. */
void net_play(struct net *g, double end);
/* The same with delays of no time, which hold what comes. Answers 0 or -1. */
int net_play_delays(struct net *g, double end);
/* The same with atoms in the FMU in this folder, by the calls of FMI 3 that it
 * takes. Answers 0 or -1. */
int net_play_fmi3(struct net *g, const char *folder, double end);

#endif
