/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_SANDBOX_IMPL_H
#define TT_SYS_SANDBOX_IMPL_H

#include "sys/sandbox.h"

/* What the kernel can do. Tests pretend to have an older one. */
struct sandbox_kernel {
    int landlock; /* version of its interface; 0: none */
    int filters;  /* of system calls */
};
struct sandbox_kernel sandbox_kernel(void);
unsigned sandbox_can(struct sandbox_kernel k);
TT_NODISCARD enum tt_code sandbox_open(struct tt_box *box,
                                       const struct tt_sandbox *s,
                                       struct sandbox_kernel k, tt_err *err);

#define VERSION_REFER    2
#define VERSION_TRUNCATE 3
#define VERSION_TCP      4
#define VERSION_IOCTL    5
#define VERSION_SCOPE    6

/* --- sandbox_files.c: Landlock ---------------------------------------------
 */

/* 0: this kernel has none, or it is switched off. */
int sandbox_landlock(void);
/* As much of what s wants as there is, even where it is too little to be
 * called a guard; fills box->ruleset. */
TT_NODISCARD enum tt_code
sandbox_files_open(struct tt_box *box, const struct tt_sandbox *s, tt_err *err);
int sandbox_files_enter(const struct tt_box *box); /* 0, or -1 with errno */

/* --- sandbox_calls.c: filters of system calls -------------------------------
 */

int sandbox_filters(void);
/* Room in box->filter. */
TT_NODISCARD enum tt_code
sandbox_calls_open(struct tt_box *box, struct sandbox_kernel k, tt_err *err);
int sandbox_calls_enter(const struct tt_box *box);
/* Behind what is missing: "", or that Tutti was built without all of this. */
extern const char sandbox_lack[];
/* Root's powers but those it needs to read what it could. */
int sandbox_drop_powers(void);

#endif
