/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/filekind.h"
#include "cli/scaffold.h"
#include "cli/say.h"
#include "sys/file.h"

struct args {
    const char *output;
    double step, end;
    int force;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    {"output", 'o', TT_OPT_TEXT, AT(output), "FILE.json",
     "where to write (scenario.json); - is standard output"},
    {"step", 0, TT_OPT_POSITIVE, AT(step), "H", "communication step, s"},
    {"until", 0, TT_OPT_NUMBER, AT(end), "T", "end time, s"},
    {"end", 0, TT_OPT_NUMBER, AT(end), "T", NULL},
    {"force", 'f', TT_OPT_FLAG, AT(force), NULL, "overwrite an existing file"},
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

static enum tt_exit exec(const struct tt_cli *cli)
{
    struct args a = {
        .output = "scenario.json", .step = (double)NAN, .end = (double)NAN};
    struct tt_scaffold s = {.arena = cli->arena};
    struct tt_words files;
    struct tt_buf json, advice;
    tt_err err;
    enum tt_code rc = tt_opts_parse(cli, &a, &files, &err);
    int to_stdout = strcmp(a.output, "-") == 0;

    if (rc == TT_OK && files.n == 0)
        rc = tt_fail(&err, TT_EINPUT,
                     "'tutti new' wants FMUs: tutti new A.fmu B.fmu");
    if (rc == TT_OK)
        rc = tt_filekind_expect(&files, TT_FILE_FMU | TT_FILE_CSV, "an FMU",
                                &err);
    if (rc == TT_OK && !to_stdout && !a.force && tt_file_exists(a.output))
        rc = tt_fail(&err, TT_EINPUT, "%s exists; --force overwrites it",
                     a.output);
    if (rc == TT_OK)
        rc = tt_scaffold_open(&s, &files, a.output, &err);
    tt_buf_init(&json, TT_SAY_MAX);
    tt_buf_init(&advice, TT_SAY_MAX);
    if (rc == TT_OK) {
        s.step = a.step;
        s.end = a.end;
        tt_scaffold_connect(&s);
        tt_scaffold_json(&s, &json);
        rc = write_scenario(&a, &json, &err);
    }
    if (rc == TT_OK) {
        tt_scaffold_advice(&s, &advice, a.output);
        if (!advice.failed)
            (void)!fwrite(advice.data, 1, advice.len,
                          to_stdout ? stderr : stdout);
    }
    tt_buf_fini(&json);
    tt_buf_fini(&advice);
    tt_scaffold_close(&s);
    return rc == TT_OK ? TT_EXIT_OK : tt_say_error(&err);
}

const struct tt_cmd tt_cmd_new = {
    .name = "new",
    .args = "A.fmu [B.fmu ...]",
    .brief = "write a scenario to start from",
    .text =
        "Connects each input with the output of the same name and type, where\n"
        "there is exactly one; for the others it lists candidates. Edit the\n"
        "file, then 'tutti check' and 'tutti run' it.",
    .example = "  tutti new tank.fmu controller.fmu -o plant.json",
    .opt = options,
    .exec = exec,
};
