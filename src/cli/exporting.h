/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_EXPORTING_H
#define TT_CLI_EXPORTING_H

/* Of commands that make an FMU of a scenario: what their arguments begin with.
 */

#include "cli/filekind.h"

struct tt_exporting {
    struct tt_new_fmu to;
    const char *fmi;
    const char *only_base;
};

/* Write it, and print what was made. */
TT_NODISCARD enum tt_code tt_exporting_write(const struct tt_exporting *a,
                                             const char *scenario, tt_err *err);

#endif
