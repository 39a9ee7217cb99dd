/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_SEQUENCE_H
#define TT_RUN_SEQUENCE_H

/* What the choice of an order goes by. */

#include "run/orders.h"
#include "step/allowed.h"

/* In the frame. */
struct run_seq_memory {
    uint32_t order; /* that makes the next step */
    uint32_t last;  /* that made the last one */
    uint32_t since; /* steps since the last decision */
    int skip;       /* the next estimate states nothing */
    uint32_t node;  /* of what is allowed; TT_NONE: no step was made */
    uint64_t steps, switches;
    uint64_t refused, cut;   /* as in tt_run_sequence */
    double time[RUN_ORDERS]; /* s, spent in each order */
    double cost[RUN_ORDERS]; /* what each would have cost, and ... */
    double own;              /* ... what was */
    double now[RUN_ORDERS];  /* the last estimate of each; NaN: none */
    double e[];              /* per element: Eq. 4 */
};

/* An input that one of the orders extrapolates. */
struct run_seq_input {
    uint32_t feed;
    uint32_t first; /* its first element among all */
};

/* All that one unit gives to another one of its circle. */
struct run_side {
    uint32_t from, to;           /* units */
    uint32_t first, n;           /* inputs */
    uint32_t element, n_element; /* and their elements */
    uint32_t partner;            /* the other direction, or TT_NONE */
    const double *gain; /* into what the partner takes, its elements for each of
                           ours; NULL: it is measured by itself */
};

struct tt_sequence {
    uint32_t n_order;
    struct run_side *side;
    uint32_t n_side;
    struct run_seq_input *input; /* side by side */
    uint32_t n_input, n_element;
    uint8_t *cuts;           /* per order and side: it is extrapolated */
    double *predicted, *eps; /* per element, of the last step */
    double *error;           /* per side */
    double *reach; /* per element, of Eq. 4: how fast the states of its unit
                      follow, 1/s by their size; NULL: not wanted */
    int guarded;   /* by what is allowed */
    struct tt_allowed allowed;
    struct tt_signed *by_sign; /* signed.c; NULL: not wanted */
    struct {
        uint32_t order;
        double error[RUN_ORDERS];
    } shown; /* of the attempt at hand, for the trace */
    struct run_seq_memory *memory;
};

/* What it adds to the report of an attempt. */
void run_sequence_show(const tt_run *r, struct tt_run_attempt *a);

/* The value of an input's source, as the input takes it. */
double run_seq_taken(const tt_run *r, uint32_t feed, uint32_t element);

#endif
