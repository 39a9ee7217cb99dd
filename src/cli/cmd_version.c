/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/say.h"
#include "sys/lib.h"
#include "tutti/tutti.h"

struct args {
    int json;
};

static const struct tt_opt options[] = {
    {"json", 0, TT_OPT_FLAG, offsetof(struct args, json), NULL,
     "as JSON, for machines"},
    {0},
};

static enum tt_exit exec(const struct tt_cli *cli)
{
    struct args args = {0};
    struct tt_words rest;
    enum tt_exit code;
    struct tt_buf b;
    tt_err err;

    if (tt_opts_parse(cli, &args, &rest, &err) != TT_OK)
        return tt_say_error(&err);
    tt_buf_init(&b, TT_SAY_MAX);
    if (args.json)
        tt_buf_fmt(&b,
                   "{\"name\": \"tutti\", \"version\": \"%s\", "
                   "\"fmi\": [\"2.0\", \"3.0\"], \"platform\": \"%s\"}\n",
                   tutti_version(), tt_platform_fmi3());
    else
        tt_buf_fmt(&b, "tutti %s (FMI 2.0 and 3.0 co-simulation, %s)\n",
                   tutti_version(), tt_platform_fmi3());
    code = tt_say_out(&b, TT_EXIT_OK);
    tt_buf_fini(&b);
    return code;
}

const struct tt_cmd tt_cmd_version = {
    .name = "version",
    .args = "",
    .brief = "say which version this is",
    .text = "Prints the version, the FMI versions it runs and the platform.",
    .example = "  tutti version --json",
    .opt = options,
    .exec = exec,
};
