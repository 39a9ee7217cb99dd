/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "cli/cli.h"
#include "cli/filekind.h"
#include "cli/say.h"
#include "results/cut.h"
#include "results/pattern.h"

#define MAX_POINTS 1e9

struct args {
    struct tt_words variables;
    double from, to, points;
    int json, csv;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    {"variables", 0, TT_OPT_LIST, AT(variables), "PATTERN,...",
     "only these: 'level', 'tank.*', '{t}.tank.level'"},
    {"from", 0, TT_OPT_NUMBER, AT(from), "T", "begin at this time (s)"},
    {"to", 0, TT_OPT_NUMBER, AT(to), "T", "end at this time (s)"},
    {"points", 0, TT_OPT_POSITIVE, AT(points), "N",
     "at most N rows, with the extremes of all (--json, --csv)"},
    {"json", 0, TT_OPT_FLAG, AT(json), NULL, "as JSON, for machines"},
    {"csv", 0, TT_OPT_FLAG, AT(csv), NULL, "as a table"},
    {0},
};

static enum tt_code check(const struct args *a, const struct tt_words *files,
                          tt_err *err)
{
    if (files->n != 1)
        return tt_fail(err, TT_EINPUT,
                       "'tutti results' wants one table of results: tutti "
                       "results outputs.csv");
    if (a->json && a->csv)
        return tt_fail(err, TT_EINPUT,
                       "--json and --csv are two forms of the same: give one "
                       "of them");
    if (a->points != 0 && (a->points < 2 || a->points > MAX_POINTS ||
                           a->points != floor(a->points)))
        return tt_fail(err, TT_EINPUT,
                       "--points wants a whole number from 2 to 1000000000");
    if (a->from > a->to)
        return tt_fail(err, TT_EINPUT, "--from is after --to");
    return tt_filekind_expect(files, TT_FILES_TABLE, "a table of results", err);
}

static enum tt_code print(void *ctx, const char *data, size_t n, tt_err *err)
{
    enum tt_code rc = tt_say_bytes(data, n, err);

    (void)ctx;
    return rc == TT_OK && ferror(stdout) ? TT_ESTOPPED : rc;
}

static enum tt_code show(const struct args *a, const char *file,
                         const struct tt_cut_opts *o, tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    if (a->json)
        return tt_cut_json(file, o, print, NULL, err);
    if (a->csv)
        return tt_cut_csv(file, o, print, NULL, err);
    tt_buf_init(&b, TT_SAY_MAX);
    rc = tt_cut_text(file, o, &b, err);
    if (rc == TT_OK)
        rc = tt_say_bytes(b.data, b.len, err);
    tt_buf_fini(&b);
    return rc;
}

static enum tt_exit exec(const struct tt_cli *cli)
{
    struct args a = {.from = -(double)INFINITY, .to = (double)INFINITY};
    struct tt_patterns patterns = {0};
    struct tt_words files;
    tt_err err;
    enum tt_code rc = tt_opts_parse(cli, &a, &files, &err);

    if (rc == TT_OK)
        rc = check(&a, &files, &err);
    if (rc == TT_OK)
        rc = tt_pattern_split(&patterns, a.variables.word, a.variables.n,
                              cli->arena, &err);
    if (rc == TT_OK) {
        struct tt_cut_opts o = {.pattern = patterns.item,
                                .n_pattern = patterns.n,
                                .from = a.from,
                                .to = a.to,
                                .points = (uint64_t)a.points};

        rc = show(&a, files.word[0], &o, &err);
    }
    if (rc == TT_ESTOPPED) /* "| head" has seen enough */
        rc = TT_OK;
    return rc == TT_OK ? TT_EXIT_OK : tt_say_error(&err);
}

const struct tt_cmd tt_cmd_results = {
    .name = "results",
    .args = "RESULTS.csv",
    .brief = "look at results, or cut a part out of them",
    .text = "Says of each variable where it begins and ends, its least and\n"
            "greatest value and the mean of its rows; or gives the rows\n"
            "themselves. A .csv file may be larger than memory and may still\n"
            "be growing: its last line counts when it is complete. Reads\n"
            ".csv, .mat and .h5.",
    .example = "  tutti results outputs.csv\n"
               "  tutti results outputs.csv --variables level --from 10 --csv\n"
               "  tutti results outputs.csv --points 2000 --json",
    .opt = options,
    .exec = exec,
};
