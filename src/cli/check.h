/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_CHECK_H
#define TT_CLI_CHECK_H

/* The two halves of 'tutti check'. */

#include "cli/cli.h"
#include "cli/source.h"

struct tt_check_args {
    struct tt_source_args source;
    int walk, json, quiet, strict;
};

TT_NODISCARD enum tt_code
tt_check_fmu(struct tt_cli *cli, const struct tt_check_args *a, tt_err *err);
TT_NODISCARD enum tt_code tt_check_scenario(struct tt_cli *cli,
                                            const struct tt_check_args *a,
                                            tt_err *err);

#endif
