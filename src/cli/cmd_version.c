/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/print.h"
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

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;

    (void)err;
    if (a->json)
        printf("{\"name\": \"tutti\", \"version\": \"%s\", "
               "\"fmi\": [\"1.0\", \"2.0\", \"3.0\"], \"platform\": \"%s\"}\n",
               tutti_version(), tt_platform_fmi3());
    else
        printf("tutti %s (FMI 1.0, 2.0 and 3.0, %s)\n", tutti_version(),
               tt_platform_fmi3());
    return TT_OK;
}

const struct tt_cmd_call tt_cmd_version = {
    .args = {sizeof(struct args), options, NULL, NULL, NULL},
    .files = {.most = UINT32_MAX},
    .exec = exec,
};
