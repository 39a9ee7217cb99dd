/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_UNIT_IMPL_H
#define TT_UNIT_UNIT_IMPL_H

/* Shared by the unit_*.c files: every cold call is admit, op, settle. */

#include "unit/unit.h"

/* Calls with a rule of their own: those of unit/ops.h, and bind. */
#define TT_UC_CALLS(X)                                                         \
    TT_UNIT_OPS(X)                                                             \
    X(bind, BIND, 0, TT_OP_IN(CONFIGURED) | TT_OP_INIT, 0, NONE)

enum tt_uc {
#define X(op, name, wire, lives, claim, shape) TT_UC_##name,
    TT_UC_CALLS(X)
#undef X
};

/* Is the call allowed now? Sets the activity. TT_ESTATE with words. */
TT_NODISCARD enum tt_code tt_uc_admit(tt_unit *u, enum tt_uc c, tt_err *err);

/* After the op: a failure breaks the unit, and any error gets its stamp. */
enum tt_code tt_uc_failed(tt_unit *u, enum tt_uc c, enum tt_code rc,
                          tt_err *err);
static inline enum tt_code tt_uc_settle(tt_unit *u, enum tt_uc c,
                                        enum tt_code rc, tt_err *err)
{
    return TT_LIKELY(rc == TT_OK) ? TT_OK : tt_uc_failed(u, c, rc, err);
}

/* Refuse with a reason of the call's own; the unit stays as it is. */
TT_PRINTF(5, 6)
enum tt_code tt_uc_refuse(const tt_unit *u, enum tt_uc c, enum tt_code code,
                          tt_err *err, const char *fmt, ...);
/* "instance 'a' (mock): cannot <what>", TT_EUNSUPPORTED. */
enum tt_code tt_uc_cannot(const tt_unit *u, const char *what, tt_err *err);

/* Do the span's ports exist, and have they one type? */
TT_NODISCARD enum tt_code tt_uc_check_span(const tt_unit *u, enum tt_uc c,
                                           const struct tt_span *s,
                                           tt_err *err);

/* What the unit keeps for its bound calls. */
void tt_uc_drop_kept(tt_unit *u);
/* One step by ops->step, checked; updates now, n_step, max_lag, what it
 * reported.
 */
TT_NODISCARD enum tt_code tt_uc_advance(tt_unit *u, const struct tt_step *s,
                                        struct tt_stepped *r, tt_err *err);

#endif
