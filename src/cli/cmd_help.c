/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/say.h"

static const struct tt_opt options[] = {{0}};

static enum tt_exit exec(const struct tt_cli *cli)
{
    const struct tt_cmd *cmd;
    struct tt_words names;
    tt_err err;

    if (tt_opts_parse(cli, NULL, &names, &err) != TT_OK)
        return tt_say_error(&err);
    if (names.n == 0)
        tt_help_all();
    for (uint32_t i = 0; i < names.n; i++) {
        cmd = tt_cmd_find(names.word[i]);
        if (!cmd)
            return tt_cmd_unknown(names.word[i]);
        tt_help_cmd(cmd);
    }
    return TT_EXIT_OK;
}

const struct tt_cmd tt_cmd_help = {
    .name = "help",
    .args = "[COMMAND]",
    .brief = "describe a command",
    .text = "Without a command: list them all.",
    .example = "  tutti help run",
    .opt = options,
    .exec = exec,
};
