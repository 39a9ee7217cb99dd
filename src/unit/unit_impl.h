/* SPDX-License-Identifier: MIT */
#ifndef TT_UNIT_UNIT_IMPL_H
#define TT_UNIT_UNIT_IMPL_H

/* Shared by the unit_*.c files: every cold call is admit, op, settle. */

#include "unit/unit.h"

/* One list gives the enum, the words in messages and breadcrumbs, and the
 * lives in which the call is allowed. */
#define TT_UC_LIVE (TT_UC_BIT(READY) | TT_UC_BIT(EVENT))
#define TT_UC_CALLS(X)                                                         \
    X(CONFIGURE, "configure", TT_UC_BIT(MADE))                                 \
    X(ENTER_INIT, "enter_init", TT_UC_BIT(CONFIGURED))                         \
    X(EXIT_INIT, "exit_init", TT_UC_BIT(INIT))                                 \
    X(PREPARE, "prepare", TT_UC_LIVE)                                          \
    X(END, "end", TT_UC_LIVE | TT_UC_BIT(ENDED))                               \
    X(RESET, "reset", ~0U)                                                     \
    X(GET, "get", TT_UC_BIT(INIT) | TT_UC_LIVE | TT_UC_BIT(ENDED))             \
    X(SET, "set",                                                              \
      TT_UC_BIT(MADE) | TT_UC_BIT(CONFIGURED) | TT_UC_BIT(INIT) | TT_UC_LIVE)  \
    X(COURSE, "course", TT_UC_LIVE)                                            \
    X(RATES, "rates", TT_UC_LIVE)                                              \
    X(JVP, "jvp", TT_UC_BIT(INIT) | TT_UC_LIVE)                                \
    X(STEP, "step", TT_UC_BIT(READY))                                          \
    X(STEP_BEGIN, "step_begin", TT_UC_BIT(READY))                              \
    X(STEP_FINISH, "step_finish", TT_UC_BIT(READY))                            \
    X(MAX_STEP, "max_step", TT_UC_LIVE)                                        \
    X(SAVE, "save", TT_UC_LIVE)                                                \
    X(RESTORE, "restore", TT_UC_LIVE | TT_UC_BIT(BROKEN))                      \
    X(PACK, "pack", TT_UC_LIVE)                                                \
    X(UNPACK, "unpack", TT_UC_LIVE)                                            \
    X(EVENT_ENTER, "event_enter", TT_UC_BIT(READY))                            \
    X(EVENT_UPDATE, "event_update", TT_UC_BIT(EVENT))                          \
    X(EVENT_LEAVE, "event_leave", TT_UC_BIT(EVENT))                            \
    X(BIND, "bind", TT_UC_BIT(CONFIGURED) | TT_UC_BIT(INIT) | TT_UC_LIVE)

enum tt_uc {
#define X(name, words, lives) TT_UC_##name,
    TT_UC_CALLS(X)
#undef X
};

/* Is the call allowed now? Leaves the breadcrumb. TT_ESTATE with words. */
TT_NODISCARD enum tt_code tt_uc_admit(tt_unit *u, enum tt_uc c, tt_err *err);

/* After the op: a failure breaks the unit, and any error gets its stamp. */
enum tt_code tt_uc_settle(tt_unit *u, enum tt_uc c, enum tt_code rc,
                          tt_err *err);

/* Refuse with a reason of the call's own; the unit stays as it is. */
TT_PRINTF(5, 6)
enum tt_code tt_uc_refuse(const tt_unit *u, enum tt_uc c, enum tt_code code,
                          tt_err *err, const char *fmt, ...);
/* "unit 'a' (mock): cannot <what>", TT_EUNSUPPORTED. */
enum tt_code tt_uc_cannot(const tt_unit *u, const char *what, tt_err *err);

/* Do the span's ports exist, and have they one type? */
TT_NODISCARD enum tt_code tt_uc_check_span(const tt_unit *u, enum tt_uc c,
                                           const struct tt_span *s,
                                           tt_err *err);

/* What the unit keeps for its bound calls. */
void tt_uc_drop_kept(tt_unit *u);
/* One step by ops->step, checked; updates now, n_step, max_lag, what it told.
 */
TT_NODISCARD enum tt_code tt_uc_advance(tt_unit *u, const struct tt_step *s,
                                        struct tt_stepped *r, tt_err *err);

/* Registers and steps as freshly made. */
void tt_uc_forget(tt_unit *u);

#endif
