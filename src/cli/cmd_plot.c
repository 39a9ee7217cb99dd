/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/cli.h"
#include "cli/filekind.h"
#include "cli/print.h"
#include "results/pattern.h"
#include "results/plot.h"

struct args {
    const char *output, *title;
    struct tt_words columns, xy;
    double width, height;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_TEXT("-o, --output FILE.svg", output,
                "write a picture instead of drawing on the terminal"),
    TT_OPT_LIST("-c, --columns PATTERN,...", columns,
                "only these: 'level', 'tank.*', '{t}.tank.level'"),
    TT_OPT_LIST("--xy X,Y", xy,
                "one column over another, to scale; may be repeated"),
    TT_OPT_TEXT("--title TEXT", title, "above the picture"),
    TT_OPT_WHOLE("--width N", width,
                 "characters of a line on the terminal (as it has, up to 120)",
                 1, 10000),
    TT_OPT_WHOLE("--height N", height,
                 "lines of a panel on the terminal (12; with --xy 20)", 1,
                 10000),
    {0},
};

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_patterns patterns = {0};
    struct tt_plot_opts o = {
        .xy = a->xy.word, .n_xy = a->xy.n, .title = a->title, .svg = a->output};
    struct tt_buf text;
    enum tt_code rc;

    if (a->columns.n > 0 && a->xy.n > 0)
        return tt_fail(err, TT_EINPUT,
                       "--columns is for plots over time, --xy chooses its "
                       "own: give one of them");
    rc = a->output ? tt_filekind_over(a->output, TT_FILE_XML, err) : TT_OK;
    if (rc != TT_OK)
        return rc;
    tt_print_plot_opts(&o.ascii, (int)a->width);
    o.ascii.height = (int)a->height;
    rc = tt_pattern_split(&patterns, a->columns.word, a->columns.n, cli->arena,
                          err);
    if (rc != TT_OK)
        return rc;
    tt_buf_init(&text, TT_PLOT_MAX_BYTES);
    o.pattern = patterns.item;
    o.n_pattern = patterns.n;
    o.text = a->output ? NULL : &text;
    rc = tt_plot_file(cli->words.word[0], &o, err);
    return tt_cmd_print(cli, &text, rc);
}

const struct tt_cmd_call tt_cmd_plot = {
    .args = {sizeof(struct args), options, NULL},
    .files = {1, 1, TT_FILES_TABLE, "one table of results",
              "a table of results"},
    .exec = exec,
};
