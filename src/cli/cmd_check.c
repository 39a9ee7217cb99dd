/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "cli/check.h"
#include "cli/filekind.h"

#define AT(member) offsetof(struct tt_check_args, member)
static const struct tt_opt options[] = {
    TT_OPT_ALL(tt_source_opts, source),
    TT_OPT_FLAG("-w, --walk", walk,
                "also load the FMU and walk through the life of an instance"),
    TT_OPT_JSON,
    TT_OPT_FLAG("-q, --quiet", quiet,
                "print nothing; the exit code is the result"),
    TT_OPT_FLAG("--strict", strict, "a warning is an error"),
    {0},
};

static const struct tt_check_args usual = {.source = TT_SOURCE_ARGS_INIT};

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const struct tt_check_args *a = cli->args;

    if (cli->words.n == 1 && tt_scenario_is_fmu(cli->words.word[0]))
        return tt_check_fmu(cli, a, err);
    if (a->walk)
        return tt_fail(err, TT_EINPUT, "--walk goes with one FMU");
    return tt_check_scenario(cli, a, err);
}

const struct tt_cmd_call tt_cmd_check = {
    .args = {sizeof(struct tt_check_args), options, &usual},
    .files = {1, UINT32_MAX, TT_FILES_MODEL, "a scenario or an FMU",
              "a scenario or an FMU"},
    .exec = exec,
};
