/* SPDX-License-Identifier: MIT */
#include <math.h>

#include "cli/check.h"
#include "cli/filekind.h"
#include "cli/say.h"

#define AT(member) offsetof(struct tt_check_args, member)
static const struct tt_opt options[] = {
    {"walk", 'w', TT_OPT_FLAG, AT(walk), NULL,
     "also load the FMU and walk through the life of an instance"},
    {"json", 0, TT_OPT_FLAG, AT(json), NULL, "as JSON, for machines"},
    {"quiet", 'q', TT_OPT_FLAG, AT(quiet), NULL, "the exit code says it all"},
    {"strict", 0, TT_OPT_FLAG, AT(strict), NULL, "a warning is an error"},
    TT_SOURCE_OPTIONS(offsetof(struct tt_check_args, source)),
    {0},
};

static enum tt_exit exec(const struct tt_cli *cli)
{
    struct tt_check_args a = {.source = TT_SOURCE_ARGS_INIT};
    struct tt_words files;
    tt_err err;
    enum tt_code rc = tt_opts_parse(cli, &a, &files, &err);

    if (rc == TT_OK && files.n == 0)
        rc = tt_fail(&err, TT_EINPUT,
                     "'tutti check' wants a scenario or an FMU: tutti check %s",
                     cli->cmd->args);
    if (rc == TT_OK)
        rc = tt_filekind_expect(&files, TT_FILES_MODEL, "a scenario or an FMU",
                                &err);
    if (rc == TT_OK && files.n == 1 && tt_scenario_is_fmu(files.word[0]))
        return tt_check_fmu(&a, files.word[0]);
    if (rc == TT_OK && a.walk)
        rc = tt_fail(&err, TT_EINPUT, "--walk goes with one FMU");
    if (rc != TT_OK)
        return tt_say_error(&err);
    return tt_check_scenario(cli, &a, &files);
}

const struct tt_cmd tt_cmd_check = {
    .name = "check",
    .args = "SCENARIO.json [MORE.json ...] | MODEL.fmu",
    .brief = "find problems before running",
    .text =
        "An FMU: its description against the rules of FMI, every finding with\n"
        "its line. A scenario: names, types, units, times and the score, all\n"
        "problems with their places, and what would be decided. Nothing is\n"
        "instantiated, except with --walk.\n"
        "Exit code 2 when there are errors; with --strict, warnings are.",
    .example = "  tutti check car.json\n"
               "  tutti check --walk pump.fmu",
    .opt = options,
    .exec = exec,
};
