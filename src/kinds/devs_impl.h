/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_DEVS_IMPL_H
#define TT_KINDS_DEVS_IMPL_H

/* A discrete-event unit in a file: states, how long each lasts, and where they
 * lead (docs/reference/devs.md). Private to the kind; immutable once read. */

#include "expr/expr.h"
#include "kinds/discrete.h"

/* Nearly all are a constant, or a number plus one: made at once. */
struct tt_devs_expr {
    enum {
        TT_DEVS_COMPUTED,
        TT_DEVS_CONSTANT, /* `plus` alone */
        TT_DEVS_SUM       /* ... and the number at `at` in the state */
    } how;
    uint32_t at;
    double plus;
    tt_expr e;
    uint32_t first; /* its references, in `where` of the unit's block */
};

struct tt_devs_set {
    uint32_t to; /* in the state */
    struct tt_devs_expr is;
};

/* A way out of a state, or to stay in it. */
struct tt_devs_way {
    struct tt_devs_set *set;
    uint32_t n_set;
    uint32_t next;                  /* TT_NONE: the state goes on */
    const struct tt_devs_state *to; /* the next one; or NULL */
    int guarded;
    struct tt_devs_expr when;
};

/* The first of them whose guard holds. */
struct tt_devs_ways {
    struct tt_devs_way *way;
    uint32_t n;
    uint32_t plain; /* the first has no guard, and sets no computed values */
};

struct tt_devs_output {
    uint32_t to, there; /* in the state: its value, its clock */
    struct tt_devs_expr is;
    int guarded;
    struct tt_devs_expr when;
};

struct tt_devs_on {
    uint32_t port;
    const struct tt_text *value; /* NULL: whatever comes */
    struct tt_devs_ways ways;
};

#define TT_DEVS_SHOWN 24
struct tt_devs_state {
    /* How a text of its name begins: if that is short all of it, and its NUL.
     */
    _Alignas(8) unsigned char shown[TT_DEVS_SHOWN];
    struct tt_devs_expr after; /* +inf: it does not end by itself */
    const char *name;
    uint32_t n_name; /* bytes of it that are shown */
    uint32_t plain;  /* all outputs are made at once, and none is guarded */
    struct tt_devs_output *output;
    uint32_t n_output;
    struct tt_devs_ways then;
    struct tt_devs_on *on;
    uint32_t n_on;
};

/* The way that one event alone takes, where nothing is to be looked for: by the
 * byte of its clock among those that lie together, its own for the end of the
 * state. NULL: it is to be looked for. */
struct tt_devs_alone {
    const struct tt_devs_way *by[sizeof(uint64_t)];
};

enum tt_devs_confluent {
    TT_DEVS_INTERNAL_FIRST,
    TT_DEVS_EXTERNAL_FIRST,
    TT_DEVS_EXTERNAL_ONLY,
};

struct tt_devs_table {
    const char *path;
    struct tt_devs_state *state;
    struct tt_devs_alone *alone; /* per state */
    uint32_t n_state;
    uint32_t start;
    double elapsed;
    enum tt_devs_confluent confluent;
    int strict;        /* an input that no state provides for is an error */
    uint32_t port;     /* which state it is in, ... */
    uint32_t state_at; /* ... and where that is */
    struct tt_devs_input {
        uint32_t port, there; /* where its clock is in the state */
    } * input;                /* in the order of the file */
    uint32_t n_input;
};

#define TT_DEVS_ENDING    ".devs.json"
#define TT_DEVS_MAX_BYTES ((size_t)16 << 20)

/* Reads the file into a type of the kind and its table. Messages are
 * "path:line:column: fact". */
TT_NODISCARD enum tt_code tt_devs_read(struct tt_discrete_type *t,
                                       struct tt_devs_table *table,
                                       const char *path, tt_err *err);
/* Behind that: table->alone. Answers -1: out of memory. */
int tt_devs_find_alone(const struct tt_discrete_type *t,
                       struct tt_devs_table *table);
/* Is all of its name in `shown`? */
static inline int tt_devs_is_short(const struct tt_devs_state *s)
{
    return s->n_name + sizeof(s->n_name) < sizeof(s->shown);
}

#endif
