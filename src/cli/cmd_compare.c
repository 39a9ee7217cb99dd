/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/cli.h"
#include "cli/filekind.h"
#include "cli/print.h"
#include "results/compare.h"
#include "results/pattern.h"

struct args {
    const char *tol;
    struct tt_words columns;
    int interpolate, json, quiet;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_TEXT("-t, --tol ABS[,REL]", tol,
                "agree when |a - b| <= ABS + REL * |b| (0,0: to the last bit)"),
    TT_OPT_LIST("-c, --columns PATTERN,...", columns,
                "only these columns, or events of these outputs"),
    TT_OPT_FLAG("--interpolate", interpolate,
                "read A between its rows where the times differ"),
    TT_OPT_JSON,
    TT_OPT_FLAG("-q, --quiet", quiet,
                "print nothing; the exit code is the result"),
    {0},
};

static enum tt_exit show(const struct args *a, const struct tt_compare *c)
{
    enum tt_exit code = c->same ? TT_EXIT_OK : TT_EXIT_FAILED;
    struct tt_buf b;

    if (a->quiet)
        return code;
    tt_buf_init(&b, TT_SHOW_MAX);
    if (a->json)
        tt_compare_json(&b, c);
    else
        tt_compare_text(&b, c);
    if (b.len && b.data[b.len - 1] != '\n')
        tt_buf_char(&b, '\n');
    code = tt_print_out(&b, code);
    tt_buf_fini(&b);
    return code;
}

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_patterns patterns = {0};
    struct tt_compare_opts o = {.interpolate = a->interpolate};
    struct tt_compare c = {0};
    enum tt_code rc = a->tol ? tt_compare_parse_tol(a->tol, &o, err) : TT_OK;

    if (rc == TT_OK)
        rc = tt_pattern_split(&patterns, a->columns.word, a->columns.n,
                              cli->arena, err);
    o.pattern = patterns.item;
    o.n_pattern = patterns.n;
    if (rc == TT_OK)
        rc = tt_compare_files(&c, cli->words.word[0], cli->words.word[1], &o,
                              err);
    if (rc == TT_OK)
        cli->exit = show(a, &c);
    tt_compare_fini(&c);
    return rc;
}

const struct tt_cmd_call tt_cmd_compare = {
    .args = {sizeof(struct args), options, NULL},
    .files = {2, 2, TT_FILES_TABLE, "two tables", "a table of results"},
    .exec = exec,
};
