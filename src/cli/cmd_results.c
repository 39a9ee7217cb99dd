/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "cli/cli.h"
#include "cli/filekind.h"
#include "cli/print.h"
#include "results/cut.h"
#include "results/pattern.h"

struct args {
    struct tt_words variables;
    double from, to, points;
    int json, csv, force;
    const char *output;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_LIST("--variables PATTERN,...", variables,
                "only these: 'level', 'tank.*', '{t}.tank.level'"),
    TT_OPT_NUMBER("--from T", from, "begin at this time (s)"),
    TT_OPT_NUMBER("--to T", to, "end at this time (s)"),
    TT_OPT_WHOLE("--points N", points,
                 "at most N rows, with the extremes of all (--json, --csv)", 2,
                 1000000000),
    TT_OPT_JSON,
    TT_OPT_FLAG("--csv", csv, "as a table"),
    TT_OPT_TEXT("-o, --output FILE", output, "write them as .csv, .mat or .h5"),
    TT_OPT_FORCE,
    {0},
};

static enum tt_code print(void *ctx, const char *data, size_t n, tt_err *err)
{
    enum tt_code rc = tt_print_bytes(data, n, err);

    (void)ctx;
    return rc == TT_OK && ferror(stdout) ? TT_ESTOPPED : rc;
}

static enum tt_code show(const struct args *a, const char *file,
                         const struct tt_cut_opts *o, tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    if (a->output) {
        rc = tt_filekind_new(a->output, a->force, err);
        return rc == TT_OK ? tt_cut_file(file, o, a->output, err) : rc;
    }
    if (a->json)
        return tt_cut_json(file, o, print, NULL, err);
    if (a->csv)
        return tt_cut_csv(file, o, print, NULL, err);
    tt_buf_init(&b, TT_SHOW_MAX);
    rc = tt_cut_text(file, o, &b, err);
    if (rc == TT_OK)
        rc = tt_print_bytes(b.data, b.len, err);
    tt_buf_fini(&b);
    return rc;
}

static const struct args usual = {.from = -(double)INFINITY,
                                  .to = (double)INFINITY};

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_patterns patterns = {0};
    struct tt_cut_opts o = {
        .from = a->from, .to = a->to, .points = (uint64_t)a->points};
    enum tt_code rc;

    if ((a->json != 0) + (a->csv != 0) + (a->output != NULL) > 1)
        return tt_fail(err, TT_EINPUT,
                       "--json, --csv and --output are forms of the same: give "
                       "one of them");
    if (a->from > a->to)
        return tt_fail(err, TT_EINPUT, "--from is after --to");
    rc = tt_pattern_split(&patterns, a->variables.word, a->variables.n,
                          cli->arena, err);
    o.pattern = patterns.item;
    o.n_pattern = patterns.n;
    if (rc == TT_OK)
        rc = show(a, cli->words.word[0], &o, err);
    return rc == TT_ESTOPPED ? TT_OK : rc; /* "| head" has seen enough */
}

const struct tt_cmd_call tt_cmd_results = {
    .args = {sizeof(struct args), options, &usual},
    .files = {1, 1, TT_FILES_TABLE, "one table of results",
              "a table of results"},
    .exec = exec,
};
