/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/print.h"

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    if (cli->words.n == 0)
        tt_help_all();
    for (uint32_t i = 0; i < cli->words.n; i++) {
        const struct tt_cmd *cmd = tt_cmd_find(cli->words.word[i]);

        if (!cmd)
            return tt_cmd_unknown(cli->words.word[i], err);
        tt_help_cmd(cmd);
    }
    return TT_OK;
}

const struct tt_cmd_call tt_cmd_help = {
    .files = {.most = UINT32_MAX},
    .exec = exec,
};
