/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_FMI1_IMPL_H
#define TT_KINDS_FMI1_IMPL_H

/* Shared by fmi1.c (co-simulation) and fmi1me.c (model exchange). Private to
 * these kinds. */

#include "kinds/fmi2_impl.h"

static inline const struct tt_fmi1_fns *tt_k1_fns(const struct tt_k2_unit *u)
{
    return (const void *)u->k.fns;
}

extern const struct tt_kfmi_access tt_k1_access[TT_TYPE_N];

/* What the FMU calls. */
TT_PRINTF(5, 6)
void tt_k1_logger(void *c, const char *instance, enum tt_fmi_status status,
                  const char *category, const char *message, ...);
enum tt_fmi_status tt_k1_set_logging(struct tt_kfmi_unit *k,
                                     const struct tt_make *m);
void tt_k1_renew(struct tt_kfmi_unit *k);

/* fmiInitialize of model exchange. */
enum tt_fmi_status tt_k1_initialise_model(struct tt_k2_unit *u);
/* Initialise, if no value was read so far. */
TT_NODISCARD enum tt_code tt_k1_need_initialised(struct tt_k2_unit *u,
                                                 tt_err *err);

/* Does a span have negated aliases? */
int tt_k1_any_negated(const tt_unit *u, const struct tt_span *s);
/* Set by `set`, values of negated aliases the other way round. */
enum tt_code tt_k1_set_with(enum tt_code (*set)(tt_unit *u,
                                                const struct tt_span *s,
                                                tt_err *err),
                            tt_unit *u, const struct tt_span *s, tt_err *err);

/* The callbacks of either interface. */
#define TT_K1_CALLBACKS(u)                                                     \
    tt_k1_logger, (u)->callbacks.of.allocate_memory,                           \
        (u)->callbacks.of.free_memory

/* Of a tt_kfmi_version: what both interfaces have alike. */
#define TT_K1_COMMON                                                           \
    .number = TT_FMI_1, .type_size = sizeof(struct tt_k2_type),                \
    .unit_size = sizeof(struct tt_k2_unit), .access = tt_k1_access,            \
    .set_logging = tt_k1_set_logging, .renew = tt_k1_renew, TT_K2_COMMON

/* For a unit's table. */
enum tt_code tt_k1_enter_init(TT_PAR_START);
enum tt_code tt_k1_get(TT_PAR_SPAN);
enum tt_code tt_k1_explain(TT_PAR_EXPLAIN);

#endif
