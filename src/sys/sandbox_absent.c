/* SPDX-License-Identifier: MIT */
/* For systems without Landlock and filters of system calls: limits remain. */
#include "sys/sandbox_impl.h"

const char sandbox_lack[] = "; this Tutti was built without them";

int sandbox_landlock(void)
{
    return 0;
}

enum tt_code sandbox_files_open(struct tt_box *box, const struct tt_sandbox *s,
                                tt_err *err)
{
    (void)box;
    (void)s;
    (void)err;
    return TT_OK;
}

int sandbox_files_enter(const struct tt_box *box)
{
    (void)box;
    return 0;
}

int sandbox_filters(void)
{
    return 0;
}

enum tt_code sandbox_calls_open(struct tt_box *box, struct sandbox_kernel k,
                                tt_err *err)
{
    (void)box;
    (void)k;
    (void)err;
    return TT_OK;
}

int sandbox_calls_enter(const struct tt_box *box)
{
    (void)box;
    return 0;
}

int sandbox_drop_powers(void)
{
    return 0;
}
