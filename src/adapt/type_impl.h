/* SPDX-License-Identifier: MIT */
#ifndef TT_ADAPT_TYPE_IMPL_H
#define TT_ADAPT_TYPE_IMPL_H

/* The unit kind: a type (type.c), its units (unit.c) and their derivatives
 * (tangent.c). */

#include "adapt/adapt_impl.h"
#include "kinds/kept.h"

struct adapted_through { /* a port that is one of an inner unit */
    uint32_t inner, port;
};

/* Ports: inputs, outputs, parameters of the program, then what inner units have
 * besides. */
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

struct adapted {
    struct tt_kept_unit k; /* its block is the slots */
    const struct adapted_type *t;
    struct sa_machine m;
    union sa_slot *before; /* owned: the block, to come back to */
    union sa_slot *shown;  /* owned: outputs, as last computed */
    uint8_t *given;        /* owned: per parameter, it was set */
    double *stood;         /* owned: where inner units were */
    tt_arena *bound; /* owned: ports of bound calls, if it changes nothing */
    uint32_t n_reg;
    uint8_t takes_back;              /* its steps can be taken back */
    double length;                   /* of the last step */
    struct adapted_tangent *tangent; /* owned: room for derivatives, or NULL */
    int fresh; /* `shown` is of this instant and these inputs */
};

static inline struct adapted *adapted_of(tt_unit *u)
{
    return (struct adapted *)(void *)u;
}

static inline size_t block_size(const struct adapted *a)
{
    return a->k.size;
}

/* Registers of inner units besides those asked for: of control rules, and the
 * last of differences. */
static inline uint32_t adapted_registers(const struct adapted_type *t)
{
    return (t->code.saves ? 1u : 0) + (t->l.prog.differences ? 1u : 0);
}

/* Outputs at this instant, with these inputs. */
TT_NODISCARD enum tt_code adapted_refresh(struct adapted *a, tt_err *err);
TT_NODISCARD enum tt_code adapted_step(tt_unit *u, const struct tt_step *s,
                                       struct tt_stepped *r, tt_err *err);
TT_NODISCARD enum tt_code adapted_make_tangent(struct adapted *a, tt_err *err);
void adapted_free_tangent(struct adapted *a);
TT_NODISCARD enum tt_code adapted_jvp(tt_unit *u, const struct tt_jvp *j,
                                      tt_err *err);
TT_NODISCARD enum tt_code adapted_rates(tt_unit *u, const struct tt_span *s,
                                        uint32_t order, tt_err *err);
TT_NODISCARD enum tt_code adapted_course(tt_unit *u, const struct tt_span *s,
                                         const struct tt_poly *p, tt_err *err);

/* The rest of a machine whose slots are there; -1: out of memory. */
int adapted_machine(struct adapted_type *t, struct sa_machine *m);
TT_NODISCARD enum tt_code adapted_make(tt_unit **out, tt_unit_type *t,
                                       const struct tt_make *m, tt_err *err);

#endif
