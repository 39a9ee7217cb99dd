/* SPDX-License-Identifier: MIT */
#ifndef TT_REMOTE_WORKER_IMPL_H
#define TT_REMOTE_WORKER_IMPL_H

/* worker.c: messages; worker_calls.c: what a command does to the unit;
 * worker_bound.c: the same for what every macro step does, bound once;
 * worker_files.c: which connections are accepted, which FMU is meant. */

#include <stdatomic.h>

#include "remote/wire.h"
#include "remote/worker.h"
#include "sys/sync.h"

/* A list of ports, room for their values, and the call that moves them once
 * it is bound. Zeroed is empty. */
struct tt_moved {
    uint32_t *port; /* owned */
    uint32_t n;
    struct tt_wire_shape shape;
    void *value; /* owned */
    struct tt_call call;
    int bound;
};

/* What the master wants with every NEWS. */
struct tt_subscription {
    uint8_t command; /* GET, RATES, MAX_STEP */
    uint32_t order;  /* of RATES */
    struct tt_moved list;
};

/* What was set before will be set again: known by its ports as they are on the
 * wire. */
struct tt_known_set {
    char *key; /* owned */
    size_t n_key;
    struct tt_moved list;
};

struct tt_worker {
    const struct tt_worker_host *host;
    tt_stream *stream;
    tt_unit_type *type; /* the host's, or: */
    int own_type;
    char *path; /* owned: of an own type */
    tt_unit *unit;
    tt_arena *arena; /* owned: texts of MAKE */
    tt_texts *texts; /* owned: none is held between two requests but by the unit
                      */
    int welcome;     /* the token was right, or none is wanted */
    int done;        /* BYE came */
    int rejected;    /* the last step was, so there is no news */
    struct tt_wire in, out;
    uint32_t *port;         /* owned scratch: a list of ports */
    struct tt_poly **piece; /* owned, and what it points to: per port, the
                               further pieces of its courses */
    uint32_t n_piece;       /* ports of it */
    void *value;            /* owned scratch, and its size */
    size_t value_size;
    struct tt_subscription *subscription; /* owned */
    size_t n_subscription, cap_subscription;
    struct tt_known_set *set; /* owned */
    size_t n_set, cap_set;
    size_t next_set; /* where the next one is if the request is the last one's
                        like */
    struct tt_call step;
    int step_bound;
    struct tt_now now;         /* of bound calls */
    struct tt_worker_put *put; /* owned: an FMU that is being uploaded */
    /* Messages of the unit since the last answer; its threads may log. */
    struct tt_log log;
    struct tt_lock lock;
    struct tt_wire messages;
    uint32_t n_logged, n_lost;
    atomic_int logged; /* there is something in it */
};

typedef enum tt_code (*tt_worker_fn)(struct tt_worker *w, struct tt_wire_in *a,
                                     struct tt_wire *out, tt_err *err);

/* The function of each command; others are none. From CONFIGURE on there must
 * be a unit, but to send goodbye. */
extern const tt_worker_fn tt_worker_call[TT_WIRE_COUNT];

/* worker.c: the result of a command that failed. */
void tt_worker_put_failure(struct tt_worker *w, unsigned command,
                           enum tt_code rc, const tt_err *err);

/* worker_bound.c */

/* Obey as many commands as can be done by bound calls. 0: one has failed. */
int tt_worker_play(struct tt_worker *w, struct tt_wire_in *a);
/* The values of all watched lists. */
void tt_worker_put_news(struct tt_worker *w, struct tt_wire *out);
/* Remember a set that went well: n_key bytes of ports at `key`. */
void tt_worker_learn_set(struct tt_worker *w, const char *key, size_t n_key,
                         const struct tt_span *s);
/* Ports of one type, copied. */
TT_NODISCARD enum tt_code tt_worker_list(struct tt_worker *w,
                                         struct tt_moved *m,
                                         const uint32_t *port, uint32_t n,
                                         tt_err *err);
void tt_worker_drop_list(struct tt_moved *m);
/* Pieces of courses, whose sizes may change. */
void tt_worker_drop_pieces(struct tt_worker *w);
/* Structural parameters have changed sizes. */
TT_NODISCARD enum tt_code tt_worker_resize(struct tt_worker *w, tt_err *err);
/* No set is known. */
void tt_worker_unlearn(struct tt_worker *w);

/* worker_files.c */
enum tt_code tt_worker_hello(struct tt_worker *w, struct tt_wire_in *a,
                             struct tt_wire *out, tt_err *err);
enum tt_code tt_worker_open(struct tt_worker *w, struct tt_wire_in *a,
                            struct tt_wire *out, tt_err *err);
enum tt_code tt_worker_have(struct tt_worker *w, struct tt_wire_in *a,
                            struct tt_wire *out, tt_err *err);
enum tt_code tt_worker_put(struct tt_worker *w, struct tt_wire_in *a,
                           struct tt_wire *out, tt_err *err);
void tt_worker_drop_put(struct tt_worker *w);

/* Arguments that make no sense: the master breaks the rules. */
enum tt_code tt_worker_nonsense(tt_err *err);

#endif
