/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_CONTRACT_IMPL_H
#define TT_UNIT_CONTRACT_IMPL_H

/* Helpers of the contract suite (contract.c) and its rules: life and values
 * (contract_life.c, contract_values.c), time and states (contract_time.c),
 * binding (contract_bind.c). */

#include "unit/contract.h"

struct contract {
    const struct tt_contract_subject *s;
    const char *rule, *sentence;
    uint32_t violations;
};

#define X(name, sentence) void contract_##name(struct contract *k);
TT_CONTRACT_RULES(X)
#undef X

TT_PRINTF(2, 3)
void contract_violated(struct contract *k, const char *fmt, ...);

/* Report unless rc is TT_OK; returns whether it was. */
int contract_ok(struct contract *k, enum tt_code rc, const tt_err *err,
                const char *what);
/* Report unless the call was refused with this code and a message that starts
 * with the unit's name and kind. */
void contract_refused(struct contract *k, const tt_unit *u, enum tt_code rc,
                      enum tt_code want, const tt_err *err, const char *what);
/* The same, and the message contains this. */
void contract_message(struct contract *k, const tt_err *err, const char *words,
                      const char *what);

/* Units on the way; NULL (reported) when they do not get there. ready:
 * initialised with start values, prepared with n_state registers if it can
 * save, out of event mode. */
tt_unit *contract_make(struct contract *k, const char *name);
tt_unit *contract_init(struct contract *k, const char *name);
tt_unit *contract_ready(struct contract *k, const char *name, uint32_t n_state);
/* The rest of the way from configured; frees u and gives NULL on failure. */
tt_unit *contract_go_ready(struct contract *k, tt_unit *u, uint32_t n_state);

double contract_h(const struct contract *k);
double contract_time(const struct contract *k, uint32_t i); /* start + i h */
struct tt_experiment contract_experiment(const struct contract *k);

/* May the suite set this port (an input or parameter) at all? */
int contract_settable(const struct contract *k, const tt_unit *u, uint32_t i);
int contract_is_input(const struct contract *k, const tt_unit *u, uint32_t i);

/* A value for port i, the which-th of a series, within its declared limits.
 * Owned by the caller (tt_free). */
void *contract_probe(const tt_unit *u, uint32_t i, uint32_t which);
int contract_equal(const tt_unit *u, uint32_t i, const void *a, const void *b);

/* All values of a unit, one port after the other. Owned by the caller. NULL
 * (reported) when one cannot be read. */
void *contract_values(struct contract *k, tt_unit *u);
/* Report each port in which a and b differ, "what" states why they should not.
 */
void contract_same(struct contract *k, const tt_unit *u, const void *a,
                   const void *b, const char *what);

int contract_set_inputs(struct contract *k, tt_unit *u, uint32_t which);
int contract_step(struct contract *k, tt_unit *u, double to);
/* Set inputs to the i-th probes and step from i-1 to i; 1 on success. */
int contract_drive(struct contract *k, tt_unit *u, uint32_t i);

#endif
