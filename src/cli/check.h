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

enum tt_exit tt_check_fmu(const struct tt_check_args *a, const char *path);
enum tt_exit tt_check_scenario(const struct tt_cli *cli,
                               const struct tt_check_args *a,
                               const struct tt_words *files);

#endif
