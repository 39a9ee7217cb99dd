/* SPDX-License-Identifier: MIT */
#ifndef TT_REMOTE_WORKER_IMPL_H
#define TT_REMOTE_WORKER_IMPL_H

/* worker.c: messages; worker_calls.c: what a command does to the unit;
 * worker_files.c: who may come in, and which FMU is meant. */

#include "remote/wire.h"
#include "remote/worker.h"
#include "sys/sync.h"

/* What the master wants to hear with every NEWS. */
struct tt_watch {
    uint8_t command; /* GET, RATES, MAX_STEP */
    uint32_t order;  /* of RATES */
    uint32_t *port;  /* owned */
    uint32_t n;
};

struct tt_worker {
    const struct tt_worker_host *host;
    tt_stream *stream;
    tt_unit_type *type; /* the host's, or: */
    int own_type;
    char *path; /* owned: of an own type */
    tt_unit *unit;
    tt_arena *arena; /* owned: texts of MAKE */
    int welcome;     /* the token was right, or none is wanted */
    int done;        /* BYE was said */
    int rejected;    /* the last step was, so there is no news */
    struct tt_wire in, out;
    uint32_t *port; /* owned scratch: a list of ports */
    void *value;    /* owned scratch, and its size */
    size_t value_size;
    struct tt_watch *watch; /* owned */
    size_t n_watch, cap_watch;
    struct tt_worker_put *put; /* owned: an FMU that is being uploaded */
    /* What the unit said since the last answer; its threads may speak. */
    struct tt_log log;
    struct tt_lock lock;
    struct tt_wire said;
    uint32_t n_said, n_lost;
};

typedef enum tt_code (*tt_worker_fn)(struct tt_worker *w, struct tt_wire_in *a,
                                     struct tt_wire *out, tt_err *err);

/* The function of a command, or NULL. */
tt_worker_fn tt_worker_call(unsigned command);
/* Is it one for which there must be a unit? */
int tt_worker_wants_unit(unsigned command);

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
