/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "api/info.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "sys/clock.h"

struct args {
    int all, json;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    {"all", 'a', TT_OPT_FLAG, AT(all), NULL,
     "every variable, not only the first 50"},
    {"json", 0, TT_OPT_FLAG, AT(json), NULL, "everything, for machines"},
    {0},
};

static enum tt_exit exec(const struct tt_cli *cli)
{
    struct args a = {0};
    struct tt_words files;
    enum tt_exit code;
    tt_fmu *fmu = NULL;
    struct tt_buf b;
    tt_err err;
    enum tt_code rc = tt_opts_parse(cli, &a, &files, &err);

    if (rc == TT_OK && files.n != 1)
        rc = tt_fail(&err, TT_EINPUT,
                     "'tutti info' wants one FMU: tutti info MODEL.fmu");
    if (rc == TT_OK)
        rc = tt_fmu_open_any(&fmu, files.word[0], &err);
    tt_buf_init(&b, TT_SAY_MAX);
    if (rc == TT_OK && a.json)
        rc = tt_info_json(&b, fmu, &err);
    else if (rc == TT_OK)
        rc = tt_info_text(
            &b, fmu,
            &(struct tt_info_look){.all = a.all,
                                   .colours = tt_say_colours(1),
                                   .width = (size_t)tt_tty_width(1)},
            &err);
    code = rc == TT_OK ? tt_say_out(&b, TT_EXIT_OK) : tt_say_error(&err);
    tt_buf_fini(&b);
    tt_fmu_close(fmu);
    return code;
}

const struct tt_cmd tt_cmd_info = {
    .name = "info",
    .args = "MODEL.fmu",
    .brief = "show what an FMU is and has",
    .text =
        "Model, capabilities, default experiment, platforms, variables and\n"
        "what its outputs depend on. Nothing is loaded.",
    .example = "  tutti info pump.fmu --all",
    .opt = options,
    .exec = exec,
};
