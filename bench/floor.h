/* SPDX-License-Identifier: MIT */
#ifndef TT_BENCH_FLOOR_H
#define TT_BENCH_FLOOR_H

/* The floor: a bare loop that makes an engine's FMI calls on the same library,
 * in the same order, and nothing else. No engine can be faster, so its cost is
 * what ours is measured against. It knows nothing of Tutti.
 *
 * Every unit steps; then values move as `exchange` says. What every engine
 * must do at least it does: look at each status, in the cheapest way.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A value on its way: from (get) or to (set) instance c. */
struct floor_value {
    void *c;
    double *v;
    int set;
};
struct floor_pair { /* a get and then a set */
    struct floor_value get, set;
};

enum floor_kind {
    FLOOR_STEPS,  /* co-simulation */
    FLOOR_EVENTS, /* of FMI 3 with event mode: two units, an event each step */
    FLOOR_EXCHANGE, /* model exchange: one unit, see floor_me.c */
};

struct floor;
struct floor_ops {
    int (*make)(struct floor *f);
    int (*init)(struct floor *f);
    int (*play)(struct floor *f, uint64_t from, uint64_t n);
    /* out of the event mode that initialisation ends in, and what is needed
     * besides to play; NULL: there is no such kind */
    int (*leave)(struct floor *f);
    int (*play_events)(struct floor *f, uint64_t from, uint64_t n);
    /* of model exchange: what was exchanged; a step of the integrator is over,
     * in which nothing happened */
    int (*read)(const struct floor *f);
    int (*completed)(const struct floor *f);
    void (*free)(struct floor *f);
};

struct floor_me;

struct floor {
    const struct floor_ops *ops;
    enum floor_kind kind;
    const char *method;  /* of model exchange */
    struct floor_me *me; /* ... and its integrator */
    void *lib;
    void *fns; /* of the version */
    /* what instantiate is told: as long as what an engine tells, since FMUs
     * keep copies and a neighbour's place decides about caches */
    const char *token, *resources;
    uint32_t u, y;   /* references of the first input and output */
    uint32_t n_port; /* of each; references follow each other */
    uint32_t n_state;
    int completes; /* it is to be told of steps of the integrator */
    uint32_t n;    /* instances */
    void **c;      /* instances, in the order they are stepped */
    double *value; /* n * n_port: outputs */
    double h;
    /* the exchange, in three runs so that the usual one needs no branch */
    struct floor_value *lead, *tail;
    struct floor_pair *pair;
    uint32_t n_lead, n_pair, n_tail;
};

extern const struct floor_ops floor_fmi2, floor_fmi3;

/* Load the library and make n instances; 0, or -1 with words on stderr. */
int floor_open(struct floor *f, const char *library, int fmi, uint32_t n);
/* Take the exchange: n values of instance c[i] in playing order. */
int floor_exchange(struct floor *f, const struct floor_value *v, uint32_t n);
/* Initialise; then play n steps from the from-th on. */
int floor_start(struct floor *f);
int floor_play(struct floor *f, uint64_t from, uint64_t n);
void floor_close(struct floor *f);
/* dlsym into *fn; 0 or -1. */
int floor_symbol(struct floor *f, const char *name, void *fn, size_t size);

#endif
