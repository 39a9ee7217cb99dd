/* SPDX-License-Identifier: MIT */
#include "cli/cli.h"
#include "cli/print.h"
#include "sys/lib.h"
#include "tutti/tutti.h"

struct args {
    int json;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_JSON,
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
    .args = {sizeof(struct args), options, NULL},
    .files = {.most = UINT32_MAX},
    .exec = exec,
};
