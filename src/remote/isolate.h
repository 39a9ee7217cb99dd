/* SPDX-License-Identifier: MIT */
#ifndef TT_REMOTE_ISOLATE_H
#define TT_REMOTE_ISOLATE_H

/* A unit in a process of its own on this machine, reached through shared
 * memory, which is all it shares with us. Whatever it does to its process
 * (crash, hang, exit, leak, write anywhere) it does not do to us, and as far as
 * the system can prevent it, it neither signals other processes nor reaches
 * into them (TT_GUARD_APART). */

#include "sys/sandbox.h"
#include "unit/unit.h"

struct tt_isolate {
    double deadline; /* s, for one call of the unit; 0: none */
    /* What its process may do; it and what it refers to outlive the unit. NULL:
     * all we may. */
    const struct tt_sandbox *sandbox;
};

/* Make an instance of a type that was opened here, elsewhere. The type is
 * reported what only its instances know. */
TT_NODISCARD enum tt_code tt_isolate_make(tt_unit **out, tt_unit_type *t,
                                          const struct tt_make *m,
                                          const struct tt_isolate *how,
                                          tt_err *err);
/* The process it lives in, for tests; 0 when it is not isolated. */
int tt_isolate_pid(const tt_unit *u);

#endif
