/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_FMI2_IMPL_H
#define TT_KINDS_FMI2_IMPL_H

/* Shared by fmi2.c (life, steps, states) and fmi2_values.c (values, courses,
 * bound calls). Private to the kind. */

#include "fmi/fmi2.h"
#include "kinds/fmi_common.h"

struct tt_k2_copy { /* a private one of the library */
    tt_lib *lib;    /* owned; NULL: not loaded yet */
    struct tt_fmi2_fns f;
};

struct tt_k2_type {
    struct tt_kfmi_type k;
    struct tt_fmi2_fns f;     /* filled with the first instance */
    struct tt_k2_copy **copy; /* owned: number 1 and up */
    uint32_t n_copy;
};

struct tt_k2_unit {
    struct tt_kfmi_unit k;
    struct tt_fmi2_callbacks callbacks; /* the FMU keeps a pointer to it */
    struct tt_experiment told; /* to fmi2SetupExperiment, or to be told */
    int knows;                 /* `told` is known ... */
    int set_up;                /* ... and the FMU was told */
    /* Input derivatives, per port: the highest order the FMU may hold at a
     * value other than 0 now, and the highest ever sent. An FMU may keep them
     * over steps and in saved states, so a plain set takes them back. NULL
     * when no course will be given. owned */
    uint8_t *sent, *ever;
    uint32_t n_sent; /* ports with sent > 0 */
};

static inline struct tt_k2_unit *tt_k2_unit(tt_unit *u)
{
    return (struct tt_k2_unit *)(void *)u;
}

/* TT_OK for fmi2OK and fmi2Warning, else the words; remembers fmi2Fatal. */
TT_NODISCARD enum tt_code tt_k2_check(struct tt_k2_unit *u, const char *call,
                                      enum tt_fmi2_status s, tt_err *err);
/* What a step from now to `to` came to that returned something but fmi2OK:
 * waits if pending. With TT_FMI2_DISCARD *r holds the outcome. */
TT_COLD enum tt_fmi2_status tt_k2_outcome(struct tt_k2_unit *u,
                                          enum tt_fmi2_status s, double now,
                                          double to, struct tt_stepped *r);

/* The status of a do_step that refuses until somebody restores. */
#define TT_K2_RESTORE_FIRST ((enum tt_fmi2_status)100)

/* Ops of fmi2_values.c. */
enum tt_code tt_k2_get(tt_unit *u, const struct tt_span *s, tt_err *err);
enum tt_code tt_k2_set(tt_unit *u, const struct tt_span *s, tt_err *err);
enum tt_code tt_k2_course(tt_unit *u, const struct tt_span *s,
                          const struct tt_poly *p, tt_err *err);
enum tt_code tt_k2_rates(tt_unit *u, const struct tt_span *s, uint32_t order,
                         tt_err *err);
enum tt_code tt_k2_jvp(tt_unit *u, const struct tt_jvp *j, tt_err *err);
enum tt_code tt_k2_bind(tt_unit *u, enum tt_verb verb, const struct tt_span *s,
                        struct tt_call *c, tt_err *err);
enum tt_call_result tt_k2_settle(tt_unit *u, const struct tt_call *c,
                                 const struct tt_now *now, int status);
enum tt_code tt_k2_explain(tt_unit *u, const struct tt_call *c, int status,
                           tt_err *err);
/* The FMU's state was replaced: what it holds may be anything ever sent. */
void tt_k2_distrust(struct tt_k2_unit *u);

#endif
