/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/cli.h"
#include "cli/filekind.h"
#include "cli/say.h"
#include "results/compare.h"
#include "results/pattern.h"

struct args {
    const char *tol;
    struct tt_words columns;
    int interpolate, json, quiet;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    {"tol", 't', TT_OPT_TEXT, AT(tol), "ABS[,REL]",
     "agree when |a - b| <= ABS + REL * |b| (0,0: to the last bit)"},
    {"columns", 'c', TT_OPT_LIST, AT(columns), "PATTERN,...",
     "only these columns"},
    {"interpolate", 0, TT_OPT_FLAG, AT(interpolate), NULL,
     "read A between its rows where the times differ"},
    {"json", 0, TT_OPT_FLAG, AT(json), NULL, "as JSON, for machines"},
    {"quiet", 'q', TT_OPT_FLAG, AT(quiet), NULL, "the exit code says it all"},
    {0},
};

static enum tt_exit show(const struct args *a, const struct tt_compare *c)
{
    enum tt_exit code = c->same ? TT_EXIT_OK : TT_EXIT_FAILED;
    struct tt_buf b;

    if (a->quiet)
        return code;
    tt_buf_init(&b, TT_SAY_MAX);
    if (a->json)
        tt_compare_json(&b, c);
    else
        tt_compare_text(&b, c);
    if (b.len && b.data[b.len - 1] != '\n')
        tt_buf_char(&b, '\n');
    code = tt_say_out(&b, code);
    tt_buf_fini(&b);
    return code;
}

static enum tt_exit exec(const struct tt_cli *cli)
{
    struct args a = {0};
    struct tt_words files;
    struct tt_patterns patterns = {0};
    struct tt_compare_opts o = {0};
    struct tt_compare c = {0};
    enum tt_exit code;
    tt_err err;
    enum tt_code rc = tt_opts_parse(cli, &a, &files, &err);

    if (rc == TT_OK && files.n != 2)
        rc = tt_fail(&err, TT_EINPUT,
                     "'tutti compare' wants two tables: tutti compare A.csv "
                     "REFERENCE.csv --tol 1e-6");
    if (rc == TT_OK)
        rc = tt_filekind_expect(&files, TT_FILES_TABLE, "a table of results",
                                &err);
    if (rc == TT_OK && a.tol)
        rc = tt_compare_parse_tol(a.tol, &o, &err);
    if (rc == TT_OK)
        rc = tt_pattern_split(&patterns, a.columns.word, a.columns.n,
                              cli->arena, &err);
    o.interpolate = a.interpolate;
    o.pattern = patterns.item;
    o.n_pattern = patterns.n;
    if (rc == TT_OK)
        rc = tt_compare_files(&c, files.word[0], files.word[1], &o, &err);
    code = rc == TT_OK ? show(&a, &c) : tt_say_error(&err);
    tt_compare_fini(&c);
    return code;
}

const struct tt_cmd tt_cmd_compare = {
    .name = "compare",
    .args = "A.csv REFERENCE.csv",
    .brief = "compare results with a reference",
    .text = "Rows are paired by time. Every row and column of the reference\n"
            "must have its partner; columns that only A has do no harm.\n"
            "Exit code 0: equal within the tolerance, 1: different, 2: bad\n"
            "input. Reads .csv, .mat and .h5.",
    .example = "  tutti compare outputs.csv reference.csv --tol 1e-6,1e-4",
    .opt = options,
    .exec = exec,
};
