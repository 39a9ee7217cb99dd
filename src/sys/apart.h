/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_APART_H
#define TT_SYS_APART_H

/* Work that a foreign file may turn against us, in a copy of this process: it
 * cannot write files, reach the network or other processes, and when it crashes
 * we do not. */

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "sys/proc.h"

#define TT_APART_SECONDS 120u /* of processor time; then it is ended */

/* main_cb(ctx, to) in a confined copy; what it writes is appended to *out,
 * which is not to be trusted. Waits for its end, which *res reports. The guards
 * are those this system has. */
TT_NODISCARD enum tt_code tt_apart_run(int (*main_cb)(void *ctx, FILE *to),
                                       void *ctx, struct tt_buf *out,
                                       struct tt_proc_result *res, tt_err *err);

#endif
