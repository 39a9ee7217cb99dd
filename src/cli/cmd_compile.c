/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/filekind.h"
#include "cli/print.h"
#include "export/compile.h"
#include "sys/file.h"

struct args {
    struct tt_new_fmu to;
    const char *compiler;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_ALL(tt_new_fmu_opts, to),
    TT_OPT_TEXT("--compiler PROGRAM", compiler, "the C compiler (default: cc)"),
    {0},
};

static enum tt_code check_files(const struct args *a, const char *input,
                                tt_err *err)
{
    if (a->to.output && tt_file_same(input, a->to.output))
        return tt_fail(err, TT_EINPUT, "%s: that is the FMU to compile",
                       a->to.output);
    return tt_new_fmu_check(&a->to, err);
}

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    struct args *a = cli->args;
    struct tt_log log = {.sink_cb = tt_print_record,
                         .least = a->to.quiet ? TT_LOG_WARN : TT_LOG_NOTE};
    const struct tt_compile c = {.input = cli->words.word[0],
                                 .output = a->to.output,
                                 .compiler = a->compiler,
                                 .log = &log};
    struct tt_compiled made;
    enum tt_code rc = check_files(a, c.input, err);

    if (rc == TT_OK)
        rc = tt_compile_fmu(&c, &made, err);
    if (rc == TT_OK && !a->to.quiet)
        printf("%s: %u source%s built for %s with %s\n", a->to.output,
               made.n_source, made.n_source == 1 ? "" : "s", made.platform,
               made.compiler);
    return rc;
}

const struct tt_cmd_call tt_cmd_compile = {
    .args = {sizeof(struct args), options, NULL},
    .files = {1, 1, TT_FILE_FMU, "one FMU", "an FMU"},
    .exec = exec,
};
