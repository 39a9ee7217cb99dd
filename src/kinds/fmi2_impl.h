/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_FMI2_IMPL_H
#define TT_KINDS_FMI2_IMPL_H

/* Shared by fmi2.c (life, steps, states), fmi2_values.c (values, courses, bound
 * calls), and by fmi1.c, whose functions begin with those of the shape they
 * have in FMI 2: what is here serves both. Private to these kinds. */

#include "fmi/fmi1.h"
#include "fmi/fmi2.h"
#include "kinds/fmi_common.h"

struct tt_k2_copy { /* a private one of the library */
    tt_lib *lib;    /* owned; NULL: not loaded yet */
    struct tt_fmi1_fns f;
};

struct tt_k2_type {
    struct tt_kfmi_type k;
    struct tt_fmi1_fns f; /* filled with the first instance; FMI 2 needs only
                             its begin */
    struct tt_k2_copy **copy; /* owned: number 1 and up */
    uint32_t n_copy;
};

struct tt_k2_unit {
    struct tt_kfmi_unit k;
    struct tt_fmi2_callbacks callbacks; /* the FMU keeps a pointer to it */
    struct tt_experiment experiment;    /* to fmi2SetupExperiment or
                                     fmiInitializeSlave, sent or not yet */
    int knows;                          /* `experiment` is known ... */
    int set_up;                         /* ... and the FMU has it */
    int not_initialised;                /* FMI 1: it was sent, and refused */
    struct tt_fmi1_event_info begun;    /* FMI 1: of fmiInitialize ... */
    int begun_known;                    /* ... and not yet heeded */
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

static inline const struct tt_fmi2_fns *tt_k2_fns(const struct tt_k2_unit *u)
{
    return (const void *)u->k.fns;
}

/* For a tt_kfmi_version. */
void tt_k2_forget(struct tt_kfmi_type *t);
enum tt_code tt_k2_choose(struct tt_kfmi_type *t, const struct tt_make *m,
                          const struct tt_fmi_fns **fns, tt_err *err);
enum tt_code tt_k2_bind_library(struct tt_kfmi_type *t, tt_err *err);
void tt_k2_release(struct tt_kfmi_unit *k);
enum tt_code tt_k2_prepare(TT_PAR_REGISTER);
/* Fills u->callbacks and makes room for what courses need. */
enum tt_code tt_k2_begin(struct tt_kfmi_unit *k, const struct tt_make *m,
                         tt_err *err);

/* What a step from now to `to` came to that returned something but OK:
 * waits if pending. With TT_FMI_DISCARD *r holds the outcome. */
TT_COLD enum tt_fmi_status tt_k2_outcome(struct tt_k2_unit *u,
                                         enum tt_fmi_status s, double now,
                                         double to, struct tt_stepped *r);

/* The end of the op step, after the FMU's own returned `status`. */
enum tt_code tt_k2_stepped(struct tt_k2_unit *u, enum tt_fmi_status status,
                           const struct tt_step *s, struct tt_stepped *r,
                           tt_err *err);

/* The status of a do_step that refuses until a state is restored. */
#define TT_K2_RESTORE_FIRST ((enum tt_fmi_status)100)

extern const struct tt_kfmi_access tt_k2_access[TT_TYPE_N];
enum tt_code tt_k2_get_texts(struct tt_kfmi_unit *k, const struct tt_span *s,
                             const uint32_t *vr, tt_err *err);
enum tt_code tt_k2_set_texts(struct tt_kfmi_unit *k, const struct tt_span *s,
                             const uint32_t *vr, tt_err *err);

enum tt_fmi_status tt_k2_rates(struct tt_kfmi_unit *k, const uint32_t *vr,
                               size_t n, const int *order, double *value,
                               size_t n_value);

/* Of a tt_kfmi_version: what FMI 1 has as FMI 2. */
#define TT_K2_COMMON                                                           \
    .bind = tt_k2_bind_library, .choose = tt_k2_choose,                        \
    .forget = tt_k2_forget, .begin = tt_k2_begin, .release = tt_k2_release,    \
    .get_texts = tt_k2_get_texts, .set_texts = tt_k2_set_texts,                \
    .rates = tt_k2_rates

/* Ops of fmi2_values.c. */
enum tt_code tt_k2_set(TT_PAR_SPAN);
enum tt_code tt_k2_course(TT_PAR_COURSE);
enum tt_code tt_k2_bind(TT_PAR_BIND);
enum tt_call_result tt_k2_settle(TT_PAR_SETTLE);
enum tt_code tt_k2_explain(TT_PAR_EXPLAIN);
/* Of a bound step: where it begins, and that it was made. NULL: there is
 * nothing to do. */
static inline struct tt_k2_unit *tt_k2_bound_step(const struct tt_call *c,
                                                  const struct tt_now *now,
                                                  double *was, double *h)
{
    struct tt_k2_unit *u = c->unit;
    tt_unit *b = &u->k.base;

    *was = b->now;
    *h = tt_call_h(c, b, now);
    if (TT_UNLIKELY(!(*h > 0)))
        return NULL;
    u->k.was = *was;
    b->now = now->t[c->to];
    b->n_step++;
    return u;
}
/* The same with another bound step. */
enum tt_code tt_k2_bind_with(tt_unit *u, enum tt_verb verb,
                             const struct tt_span *s,
                             const struct tt_what *step, struct tt_call *c,
                             tt_err *err);
/* The FMU's state was replaced: what it holds may be anything ever sent. */
void tt_k2_distrust(struct tt_k2_unit *u);

#endif
