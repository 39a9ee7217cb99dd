/* SPDX-License-Identifier: MIT */
#ifndef TT_ADAPT_TYPE_IMPL_H
#define TT_ADAPT_TYPE_IMPL_H

/* The unit kind: a type (type.c) and its units (unit.c). */

#include "adapt/adapt_impl.h"

struct adapted_through { /* a port that is one of an inner unit */
    uint32_t inner, port;
};

/* Ports: inputs, outputs, parameters of the program, parameters of inner
 * units. */
struct adapted_type {
    tt_unit_type base;
    struct sa_linked l;
    struct sa_code code;
    union sa_slot *first; /* the block as it begins */
    uint32_t n_in, n_out, n_param;
    uint32_t *in_slot, *out_slot, *param_slot;
    struct adapted_through *through;
    int mealy, follows;
    struct sa_algebra algebra;
    int same; /* it changes nothing: through[] has inputs and outputs, too */
};

/* The rest of a machine whose slots are there; -1: out of memory. */
int adapted_machine(struct adapted_type *t, struct sa_machine *m);
TT_NODISCARD enum tt_code adapted_make(tt_unit **out, tt_unit_type *t,
                                       const struct tt_make *m, tt_err *err);

#endif
