/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "cli/among.h"
#include "cli/cli.h"
#include "cli/filekind.h"
#include "cli/print.h"
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
    TT_OPT_ALL(tt_source_opts, source),
    TT_OPT_TEXT("--svg FILE.svg", svg, "a picture of the score"),
    TT_OPT_WHOLE("--ranks K", ranks,
                 "as K ranks play it: instances of each rank, what crosses", 1,
                 65536),
    TT_OPT_TEXT("--costs FILE.json", costs,
                "deal instances out by what they cost in an earlier run"),
    TT_OPT_JSON,
    TT_OPT_QUIET,
    {0},
};

static enum tt_code write_svg(const tt_score *score, const char *path,
                              tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, TT_SHOW_MAX);
    tt_score_svg(score, &b);
    rc = tt_file_write_buf(path, &b, err);
    tt_buf_fini(&b);
    return rc;
}

static enum tt_code show(struct tt_cli *cli, const tt_score *score, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_buf b;

    if (a->svg && write_svg(score, a->svg, err) != TT_OK)
        return err->code;
    tt_buf_init(&b, TT_SHOW_MAX);
    if (a->json)
        tt_score_print_json(score, &b);
    else if (!a->quiet)
        tt_score_print(score, &b);
    cli->exit = tt_print_out(&b, TT_EXIT_OK);
    tt_buf_fini(&b);
    return TT_OK;
}

/* As several play it. */
static enum tt_code show_split(struct tt_cli *cli, const tt_scenario *s,
                               const tt_score *score, tt_err *err)
{
    const struct args *a = cli->args;
    const tt_plan *plan = score->plan;
    tt_score *split = NULL;
    uint32_t *owner = NULL;
    double *cost = NULL;
    enum tt_code rc = tt_costs_load(&cost, s, a->costs, err);

    if (rc == TT_OK && !TT_NEW_ARRAY(owner, plan->n_unit))
        rc = tt_nomem(err, "the score");
    if (rc == TT_OK)
        rc = tt_ranks_assign(plan, (uint32_t)a->ranks, cost, owner, err);
    if (rc == TT_OK)
        rc = tt_score_split(&split, score, (uint32_t)a->ranks, owner, err);
    if (rc == TT_OK)
        rc = show(cli, split, err);
    tt_score_free(split);
    TT_FREE_ALL(owner, cost);
    return rc;
}

static const struct args usual = {.source = TT_SOURCE_ARGS_INIT};

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_sink sink = {0};
    tt_scenario *s = NULL;
    tt_run *run = NULL;
    enum tt_code rc =
        tt_sink_init(&sink, &(struct tt_sink_opts){.quiet = a->quiet}, err);

    if (rc == TT_OK && a->svg)
        rc = tt_filekind_over(a->svg, TT_FILE_XML, err);
    if (rc == TT_OK)
        rc = tt_source_load(&s, cli, &a->source, &sink.log, err);
    if (rc == TT_OK)
        rc = tt_run_new(&run, s,
                        &(struct tt_run_opts){.log = &sink.log,
                                              .kind_cb = tt_compose_kind_for},
                        err);
    if (rc == TT_OK)
        rc = a->ranks > 0 ? show_split(cli, s, tt_run_score(run), err)
                          : show(cli, tt_run_score(run), err);
    tt_run_free(run);
    tt_scenario_free(s);
    tt_sink_fini(&sink);
    return rc;
}

const struct tt_cmd_call tt_cmd_score = {
    .args = {sizeof(struct args), options, &usual},
    .files = {1, UINT32_MAX, TT_FILES_MODEL, "a scenario or an FMU",
              "a scenario or an FMU"},
    .exec = exec,
};
