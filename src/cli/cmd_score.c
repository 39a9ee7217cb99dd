/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "cli/among.h"
#include "cli/cli.h"
#include "cli/say.h"
#include "cli/sink.h"
#include "cli/source.h"
#include "compose/compose.h"
#include "run/run.h"
#include "score/ranks.h"
#include "sys/file.h"

struct args {
    struct tt_source_args source;
    const char *svg, *costs;
    double ranks;
    int json, quiet;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_SOURCE_OPTIONS(offsetof(struct args, source)),
    {"svg", 0, TT_OPT_TEXT, AT(svg), "FILE.svg", "a picture of the score"},
    {"ranks", 0, TT_OPT_NUMBER, AT(ranks), "K",
     "as K ranks play it together: who has which unit, what crosses"},
    {"costs", 0, TT_OPT_TEXT, AT(costs), "FILE.json",
     "deal units out by what they cost in an earlier run"},
    {"json", 0, TT_OPT_FLAG, AT(json), NULL, "as JSON, for machines"},
    {"quiet", 'q', TT_OPT_FLAG, AT(quiet), NULL, "say nothing but errors"},
    {0},
};

static enum tt_code write_svg(const tt_score *score, const char *path,
                              tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, TT_SAY_MAX);
    tt_score_svg(score, &b);
    rc = tt_buf_check(&b, path, err);
    if (rc == TT_OK)
        rc = tt_file_write(path, b.data, b.len, err);
    tt_buf_fini(&b);
    return rc;
}

static enum tt_exit show(const struct args *a, const tt_score *score)
{
    enum tt_exit code;
    struct tt_buf b;
    tt_err err;

    if (a->svg && write_svg(score, a->svg, &err) != TT_OK)
        return tt_say_error(&err);
    tt_buf_init(&b, TT_SAY_MAX);
    if (a->json)
        tt_score_print_json(score, &b);
    else if (!a->quiet)
        tt_score_print(score, &b);
    code = tt_say_out(&b, TT_EXIT_OK);
    tt_buf_fini(&b);
    return code;
}

#define RANKS_MAX 65536

/* As several play it. */
static enum tt_exit show_split(const struct args *a, const tt_scenario *s,
                               const tt_score *score)
{
    const tt_plan *plan = score->plan;
    tt_score *split = NULL;
    uint32_t *owner = NULL;
    double *cost = NULL;
    enum tt_exit code;
    tt_err err;
    enum tt_code rc = TT_OK;

    if (!(a->ranks >= 1 && a->ranks <= RANKS_MAX &&
          a->ranks == floor(a->ranks)))
        rc = tt_fail(&err, TT_EINPUT,
                     "--ranks wants a whole number from 1 to %d", RANKS_MAX);
    if (rc == TT_OK)
        rc = tt_costs_load(&cost, s, a->costs, &err);
    if (rc == TT_OK && !TT_NEW_ARRAY(owner, plan->n_unit))
        rc = tt_fail(&err, TT_ENOMEM, "the score: out of memory");
    if (rc == TT_OK)
        rc = tt_ranks_assign(plan, (uint32_t)a->ranks, cost, owner, &err);
    if (rc == TT_OK)
        rc = tt_score_split(&split, score, (uint32_t)a->ranks, owner, &err);
    code = rc == TT_OK ? show(a, split) : tt_say_error(&err);
    tt_score_free(split);
    tt_free(owner);
    tt_free(cost);
    return code;
}

static enum tt_exit exec(const struct tt_cli *cli)
{
    struct args a = {.source = TT_SOURCE_ARGS_INIT, .ranks = (double)NAN};
    struct tt_words files;
    struct tt_sink sink = {0};
    tt_scenario *s = NULL;
    tt_run *run = NULL;
    enum tt_exit code;
    tt_err err;
    enum tt_code rc = tt_opts_parse(cli, &a, &files, &err);

    if (rc != TT_OK)
        return tt_say_error(&err);
    rc = tt_sink_init(&sink, &(struct tt_sink_opts){.quiet = a.quiet}, &err);
    if (rc == TT_OK)
        rc = tt_source_load(&s, cli, &files, &a.source, &sink.log, &err);
    if (rc == TT_OK)
        rc = tt_run_new(&run, s,
                        &(struct tt_run_opts){.log = &sink.log,
                                              .kind_cb = tt_compose_kind_for},
                        &err);
    if (rc != TT_OK)
        code = tt_say_error(&err);
    else
        code = isnan(a.ranks) ? show(&a, tt_run_score(run))
                              : show_split(&a, s, tt_run_score(run));
    tt_run_free(run);
    tt_scenario_free(s);
    tt_sink_fini(&sink);
    return code;
}

const struct tt_cmd tt_cmd_score = {
    .name = "score",
    .args = "SCENARIO.json [MORE.json ...] | MODEL.fmu",
    .brief = "show what will be played, operation by operation",
    .text = "A score is the master algorithm as data: what is set, read and\n"
            "stepped, in which order, at initialisation and in each step. It\n"
            "was checked before it is shown. Nothing is instantiated.",
    .example = "  tutti score car.json --master gauss-seidel --svg car.svg",
    .opt = options,
    .exec = exec,
};
