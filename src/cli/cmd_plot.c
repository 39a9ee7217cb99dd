/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "cli/cli.h"
#include "cli/filekind.h"
#include "cli/say.h"
#include "results/pattern.h"
#include "results/plot.h"

struct args {
    const char *output, *title;
    struct tt_words columns, xy;
    double width, height;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    {"output", 'o', TT_OPT_TEXT, AT(output), "FILE.svg",
     "write a picture instead of drawing on the terminal"},
    {"columns", 'c', TT_OPT_LIST, AT(columns), "PATTERN,...",
     "only these: 'level', 'tank.*', '{t}.tank.level'"},
    {"xy", 0, TT_OPT_LIST, AT(xy), "X,Y",
     "one column over another, to scale; may be repeated"},
    {"title", 0, TT_OPT_TEXT, AT(title), "TEXT", "above the picture"},
    {"width", 0, TT_OPT_POSITIVE, AT(width), "N",
     "characters of a line on the terminal (as it has, up to 120)"},
    {"height", 0, TT_OPT_POSITIVE, AT(height), "N",
     "lines of a panel on the terminal (12; with --xy 20)"},
    {0},
};

static enum tt_code to_int(const char *option, double v, int *out, tt_err *err)
{
    if (v > 10000)
        return tt_fail(err, TT_EINPUT, "--%s is at most 10000", option);
    *out = (int)v;
    return TT_OK;
}

static enum tt_exit exec(const struct tt_cli *cli)
{
    struct args a = {0};
    struct tt_words files;
    struct tt_patterns patterns = {0};
    struct tt_plot_opts o = {0};
    struct tt_buf text;
    enum tt_exit code;
    int width = 0;
    tt_err err;
    enum tt_code rc = tt_opts_parse(cli, &a, &files, &err);

    if (rc == TT_OK && files.n != 1)
        rc = tt_fail(&err, TT_EINPUT,
                     "'tutti plot' wants one table of results: tutti plot "
                     "outputs.csv");
    if (rc == TT_OK)
        rc = tt_filekind_expect(&files, TT_FILES_TABLE, "a table of results",
                                &err);
    if (rc == TT_OK && a.columns.n > 0 && a.xy.n > 0)
        rc = tt_fail(&err, TT_EINPUT,
                     "--columns is for plots over time, --xy chooses its own: "
                     "give one of them");
    if (rc == TT_OK)
        rc = to_int("width", a.width, &width, &err);
    tt_say_plot_opts(&o.ascii, width);
    if (rc == TT_OK)
        rc = to_int("height", a.height, &o.ascii.height, &err);
    if (rc == TT_OK)
        rc = tt_pattern_split(&patterns, a.columns.word, a.columns.n,
                              cli->arena, &err);
    if (rc != TT_OK)
        return tt_say_error(&err);
    tt_buf_init(&text, TT_PLOT_MAX_BYTES);
    o.pattern = patterns.item;
    o.n_pattern = patterns.n;
    o.xy = a.xy.word;
    o.n_xy = a.xy.n;
    o.title = a.title;
    o.svg = a.output;
    o.text = a.output ? NULL : &text;
    rc = tt_plot_file(files.word[0], &o, &err);
    code = rc == TT_OK ? tt_say_out(&text, TT_EXIT_OK) : tt_say_error(&err);
    tt_buf_fini(&text);
    return code;
}

const struct tt_cmd tt_cmd_plot = {
    .name = "plot",
    .args = "RESULTS.csv",
    .brief = "draw results on the terminal or as SVG",
    .text = "Each unit has panels of its own; columns that are chosen are\n"
            "drawn together where their sizes allow it. Reads .csv, .mat, .h5.",
    .example = "  tutti plot outputs.csv --columns level,valve\n"
               "  tutti plot outputs.csv --xy body.x,body.y\n"
               "  tutti plot outputs.csv -o outputs.svg",
    .opt = options,
    .exec = exec,
};
