/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/filekind.h"
#include "cli/scaffold.h"
#include "cli/print.h"
#include "sys/file.h"

struct args {
    const char *output;
    double step, end;
    int force;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_TEXT("-o, --output FILE.json", output,
                "where to write (scenario.json); - is standard output"),
    TT_OPT_POSITIVE("--step H", step, "communication step, s"),
    TT_OPT_NUMBER("--until T", end, "end time, s"),
    TT_OPT_NUMBER("--end T", end, NULL),
    TT_OPT_FORCE,
    {0},
};

static enum tt_code write_scenario(const struct args *a, const struct tt_buf *b,
                                   tt_err *err)
{
    enum tt_code rc = tt_buf_check(b, a->output, err);

    if (rc != TT_OK)
        return rc;
    if (strcmp(a->output, "-") == 0) {
        (void)!fwrite(b->data, 1, b->len, stdout);
        return TT_OK;
    }
    return tt_file_write(a->output, b->data, b->len, err);
}

static const struct args usual = {
    .output = "scenario.json", .step = (double)NAN, .end = (double)NAN};

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_scaffold s = {
        .arena = cli->arena, .step = a->step, .end = a->end};
    int to_stdout = strcmp(a->output, "-") == 0;
    struct tt_buf json, advice;
    enum tt_code rc;

    rc = to_stdout ? TT_OK : tt_filekind_new(a->output, a->force, err);
    if (rc == TT_OK)
        rc = tt_scaffold_open(&s, &cli->words, a->output, err);
    tt_buf_init(&json, TT_SHOW_MAX);
    tt_buf_init(&advice, TT_SHOW_MAX);
    if (rc == TT_OK)
        rc = tt_scaffold_connect(&s, err);
    if (rc == TT_OK) {
        tt_scaffold_json(&s, &json);
        rc = write_scenario(a, &json, err);
    }
    if (rc == TT_OK) {
        tt_scaffold_advice(&s, &advice, a->output);
        if (!advice.failed)
            (void)!fwrite(advice.data, 1, advice.len,
                          to_stdout ? stderr : stdout);
    }
    tt_buf_fini(&json);
    tt_buf_fini(&advice);
    tt_scaffold_close(&s);
    return rc;
}

const struct tt_cmd_call tt_cmd_new = {
    .args = {sizeof(struct args), options, &usual},
    .files = {1, UINT32_MAX, TT_FILE_FMU | TT_FILE_CSV, "FMUs", "an FMU"},
    .exec = exec,
};
