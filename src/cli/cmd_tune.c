/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "cli/among.h"
#include "cli/cli.h"
#include "cli/culprit.h"
#include "cli/filekind.h"
#include "cli/print.h"
#include "cli/source.h"
#include "compose/compose.h"
#include "results/report.h"
#include "sys/baton.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "tune/tune.h"

struct args {
    struct tt_words set, record;
    struct tt_base_args base;
    const char *budget, *output, *hints, *report;
    double tolerance, until, start, warm, jobs, keep;
    int json, quiet, progress, list;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_POSITIVE("--tolerance R", tolerance,
                    "of results, relative to each output's range (1e-3)"),
    TT_OPT_TEXT(
        "--hints FILE", hints,
        "what is known of the system: variants that violate it are out"),
    TT_OPT_FLAG("--list", list,
                "list the variants that hints lead to, and run nothing"),
    TT_OPT_TEXT("--budget N|40runs|60s", budget,
                "at most so many runs, or so much time (60runs)"),
    TT_OPT_WHOLE("--keep N", keep, "list so many good variants (5)", 1, 1000),
    TT_OPT_TEXT("-o, --output FILE.json", output,
                "the scenario with the best settings"),
    TT_OPT_TEXT("--report FILE.html", report,
                "error against cost, reasons, and what was tried, as a page"),
    TT_OPT_LIST("--set REF=VALUE", set,
                "set a parameter or start value while searching"),
    TT_OPT_NUMBER("--until T", until, "end at this time, s"),
    TT_OPT_NUMBER("--start T", start, "start at this time, s"),
    TT_OPT_NUMBER("--warm T", warm,
                  "one run up to T, s, where all others begin"),
    TT_OPT_LIST("--record PATTERN,...|all", record,
                "compare these variables, too"),
    TT_OPT_ALL(tt_base_opts, base),
    TT_OPT_WHOLE("-j, --jobs N", jobs,
                 "processes at a time (as many as there are processors)", 0,
                 TT_POOL_WORKERS),
    TT_OPT_JSON,
    TT_OPT_FLAG("--progress", progress,
                "a line on stderr after each run, how far it is"),
    TT_OPT_QUIET,
    {0},
};

static volatile int stop; /* set by a signal */

static void show(void *ctx, const char *words)
{
    (void)ctx;
    fprintf(stderr, "%s\n", words);
}

/* "40runs", "60s", "40". */
static enum tt_code read_budget(const char *text, struct tt_tune_opts *o,
                                tt_err *err)
{
    size_t n = strcspn(text, "rs");
    double v;

    if (tt_num_parse_n(text, n, &v) != 0 || !(v > 0) || !isfinite(v) ||
        (text[n] && strcmp(text + n, "runs") != 0 &&
         strcmp(text + n, "s") != 0) ||
        (strcmp(text + n, "s") != 0 && (v != floor(v) || v > 1e6)))
        return tt_fail(err, TT_EINPUT,
                       "--budget '%s': enter a number of runs such as 40runs, "
                       "or of seconds such as 60s",
                       text);
    o->runs = strcmp(text + n, "s") == 0 ? UINT32_MAX : (uint32_t)v;
    o->seconds = strcmp(text + n, "s") == 0 ? v : (double)INFINITY;
    return TT_OK;
}

static enum tt_code write_report(const struct tt_cli *cli, const struct args *a,
                                 const struct tt_tune *t, tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, TT_REPORT_MAX_BYTES);
    tt_tune_report(&b, t, cli->words.word[0], a->tolerance);
    rc = tt_file_write_buf(a->report, &b, err);
    tt_buf_fini(&b);
    return rc;
}

static enum tt_code finish(struct tt_cli *cli, const struct args *a,
                           const struct tt_tune *t, enum tt_code rc,
                           tt_err *err)
{
    struct tt_buf b;
    enum tt_code wrote = TT_OK;

    if (a->output && t->scenario)
        wrote = tt_file_write(a->output, t->scenario, strlen(t->scenario), err);
    if (wrote == TT_OK && a->report && !a->list)
        wrote = write_report(cli, a, t, err);
    tt_buf_init(&b, TT_SHOW_MAX);
    if (a->list && a->json)
        tt_tune_list_json(&b, t);
    else if (a->list)
        tt_tune_list_text(&b, t);
    else if (a->json)
        tt_tune_json(&b, t, a->tolerance, (uint32_t)a->keep);
    else
        tt_tune_text(&b, t, a->tolerance, (uint32_t)a->keep);
    if (a->json || !a->quiet)
        cli->exit = tt_print_out(&b, TT_EXIT_OK);
    if (cli->exit == TT_EXIT_OK && !a->list &&
        (!t->confirmed || t->n_contradicted))
        cli->exit = TT_EXIT_FAILED;
    tt_buf_fini(&b);
    return wrote == TT_OK ? rc : wrote;
}

/* Hints are laid over the scenario, as one more file of it. */
static enum tt_code add_hints(struct tt_cli *cli, const struct args *a,
                              struct tt_tune_opts *o, tt_err *err)
{
    size_t n = o->source.n_path;
    const char **path = tt_arena_alloc(cli->arena, n + 1, sizeof(*path));

    if (!path)
        return tt_nomem(err, NULL);
    memcpy(path, o->source.path, n * sizeof(*path));
    path[n] = a->hints;
    o->source.path = path;
    o->source.n_path = n + 1;
    o->hints = a->hints;
    return TT_OK;
}

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_tune_opts o = {
        .source = {.path = cli->words.word,
                   .n_path = cli->words.n,
                   .o = TT_SC_OPTIONS_INIT,
                   .kind_cb = tt_compose_kind_for},
        .warm = a->warm,
        .list = a->list,
        .tolerance = a->tolerance,
        .n_worker = a->jobs >= 1 ? (uint32_t)a->jobs
                                 : (uint32_t)fmin(tt_cores(), TT_POOL_WORKERS),
        .stop = &stop,
        .death_cb = tt_culprit_death,
        .each_run = a->progress,
        .progress_cb = a->progress || (!a->quiet && !a->json && tt_tty_is(2))
                           ? show
                           : NULL};
    struct tt_tune t = {0};
    enum tt_code rc = read_budget(a->budget, &o, err);

    o.source.o.set = a->set.word;
    o.source.o.n_set = a->set.n;
    o.source.o.record = a->record.word;
    o.source.o.n_record = a->record.n;
    o.source.o.start = a->start;
    o.source.o.end = a->until;
    tt_base_set(&o.source.o, &a->base);
    if (rc == TT_OK && a->hints)
        rc = add_hints(cli, a, &o, err);
    if (rc == TT_OK && a->output)
        rc = tt_filekind_over(a->output, TT_FILE_JSON | TT_FILE_SCENARIO, err);
    tt_signal_watch(&stop);
    if (rc == TT_OK)
        rc = tt_among_meet(&o.link, err);
    if (o.link && o.link->rank)
        o.progress_cb = NULL;
    if (rc == TT_OK)
        rc = tt_tune_run(&t, &o, err);
    tt_signal_watch(NULL);
    if (rc == TT_ESTOPPED)
        (void)tt_fail(err, TT_ESTOPPED,
                      "stopped after %u runs; what is best so far is kept",
                      t.n_run);
    if ((rc == TT_OK || rc == TT_ESTOPPED) && (!o.link || !o.link->rank))
        rc = finish(cli, a, &t, rc, err);
    tt_tune_fini(&t);
    return tt_among_part(o.link, rc);
}

static const struct args usual = {.budget = "60runs",
                                  .tolerance = 1e-3,
                                  .until = (double)NAN,
                                  .start = (double)NAN,
                                  .warm = (double)NAN,
                                  .keep = 5};

const struct tt_cmd_call tt_cmd_tune = {
    .args = {sizeof(struct args), options, &usual},
    .files = {1, UINT32_MAX, TT_FILE_SCENARIO | TT_FILE_JSON, "a scenario",
              "a scenario"},
    .exec = exec,
};
