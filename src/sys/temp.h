/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_TEMP_H
#define TT_SYS_TEMP_H

/* A temporary folder that goes when its owner goes.
 *
 * Closing removes it. A killed process cannot, so the folder is locked as long
 * as a process lives that opened it, or that was forked while it was open: one
 * that is not locked has lost its owner, and the next process sweeps it away.
 * Nothing is kept from one run to the next.
 */

#include "base/err.h"

struct tt_temp {
    char *path; /* owned; NULL: none */
    int lock;   /* the folder itself, open and locked */
};

/* A fresh private folder (mode 0700) below $TMPDIR or /tmp. */
TT_NODISCARD enum tt_code tt_temp_open(struct tt_temp *t, tt_err *err);
/* Remove it with all in it; accepts zeros. What cannot be removed is left to
 * the next sweep. */
void tt_temp_close(struct tt_temp *t);

/* Remove what killed processes of this user left below $TMPDIR or /tmp. Never
 * fails: what cannot be looked at or removed stays. */
void tt_temp_sweep(void);

/* Keep a folder to ourselves, until the descriptor is closed or we die.
 * TT_ESTATE while another process has it. */
TT_NODISCARD enum tt_code tt_dir_lock(const char *path, int *fd, tt_err *err);

#endif
