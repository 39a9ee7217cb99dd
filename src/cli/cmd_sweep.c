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
#include "results/cut.h"
#include "results/pattern.h"
#include "sys/baton.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "tune/sweep.h"

#define MOST_QUANTILES 32u
#define SHOWN          10u /* failed points that are listed */

struct args {
    struct tt_source_args source;
    struct tt_words vary, columns, take;
    const char *points, *output, *bands, *quantiles;
    double jobs, seed, instants, patience, warm;
    int sensitivity, json, quiet, progress;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_ALL(tt_source_opts, source),
    TT_OPT_LIST("--vary NAME=a:b:n", vary,
                "so many values; or a list 1,2,5, or normal:mean:dev"),
    TT_OPT_TEXT("--points lhs:N|FILE.csv", points,
                "draw N points (or random:N), or take them from a table"),
    TT_OPT_WHOLE("--seed N", seed, "of what is drawn (0)", 0, UINT32_MAX),
    TT_OPT_TEXT("-o, --output FILE.csv", output,
                "the table, a line per point, .csv, .h5 or .mat (sweep.csv)"),
    TT_OPT_LIST("-c, --columns PATTERN,...", columns,
                "only these results: 'level', 'tank.*'"),
    TT_OPT_LIST("--take WHAT,...", take, "of final, min, max, mean (all)"),
    TT_OPT_TEXT("--bands FILE.csv", bands,
                "quantiles over all points, over time"),
    TT_OPT_TEXT("--quantiles Q,...", quantiles, "of --bands (0.05,0.5,0.95)"),
    TT_OPT_WHOLE("--instants N", instants, "of --bands (201)", 2, 100000),
    TT_OPT_FLAG("--sensitivity", sensitivity,
                "how results change with each --vary NAME=value[:difference]"),
    TT_OPT_NUMBER("--warm T", warm,
                  "up to T, s, all points are one run; values change there"),
    TT_OPT_WHOLE("-j, --jobs N", jobs,
                 "processes at a time (as many as there are processors)", 0,
                 TT_POOL_WORKERS),
    TT_OPT_POSITIVE("--patience S", patience,
                    "a point that takes longer is ended, s"),
    TT_OPT_JSON,
    TT_OPT_FLAG("--progress", progress, "lines on stderr about how far it is"),
    TT_OPT_QUIET,
    {0},
};

/* What the line on stderr is made of. */
struct view {
    int wanted, drawn;
    int lines;             /* one below the other, for a program */
    uint64_t begun, shown; /* ns */
    uint32_t first;        /* done before */
};

static volatile int stop; /* set by a signal */

static void show(void *ctx, uint32_t done, uint32_t failed, uint32_t n)
{
    struct view *v = ctx;
    uint64_t now = tt_clock_ns();
    char left[TT_NUM_MAX] = "";

    if (!v->begun) {
        v->begun = now;
        v->first = done;
    }
    if ((!v->wanted && !v->lines) || now - v->shown < 100000000u)
        return;
    v->shown = now;
    if (v->lines) {
        fprintf(stderr, "%u of %u points, %u failed\n", done, n, failed);
        return;
    }
    v->drawn = 1;
    if (done > v->first)
        tt_show_duration(left, (double)(now - v->begun) * 1e-9 * (n - done) /
                                   (done - v->first));
    fprintf(stderr, "\r%u of %u points, %u failed%s%s%s  ", done, n, failed,
            left[0] ? ", " : "", left, left[0] ? " left" : "");
}

/* --- what the words mean -------------------------------------------------- */

static enum tt_code read_take(const struct tt_words *w, unsigned *take,
                              tt_arena *arena, tt_err *err)
{
    struct tt_patterns p = {0};
    enum tt_code rc = tt_pattern_split(&p, w->word, w->n, arena, err);

    *take = p.n ? 0 : (1u << TT_TALLY_N) - 1;
    for (size_t i = 0; i < p.n && rc == TT_OK; i++) {
        unsigned k = 0;

        while (k < TT_TALLY_N && strcmp(tt_tally_name[k], p.item[i]) != 0)
            k++;
        if (k == TT_TALLY_N)
            return tt_fail(err, TT_EINPUT,
                           "--take '%s' is not one of final, min, max, mean",
                           p.item[i]);
        *take |= 1u << k;
    }
    return rc;
}

static enum tt_code read_quantiles(const char *text, double *q, uint32_t *n,
                                   tt_arena *arena, tt_err *err)
{
    struct tt_patterns p = {0};
    enum tt_code rc = tt_pattern_split(&p, &text, 1, arena, err);

    if (rc != TT_OK)
        return rc;
    *n = 0;
    for (size_t i = 0; i < p.n; i++) {
        if (i == MOST_QUANTILES || tt_num_parse(p.item[i], &q[i]) != 0 ||
            !(q[i] >= 0 && q[i] <= 1))
            return tt_fail(err, TT_EINPUT,
                           "--quantiles '%s': numbers from 0 to 1, at most %u",
                           text, MOST_QUANTILES);
        (*n)++;
    }
    return TT_OK;
}

static enum tt_code check(const struct args *a, tt_err *err)
{
    enum tt_code rc = tt_filekind_over(a->output, TT_FILE_CSV, err);

    if (rc == TT_OK && a->bands)
        rc = tt_filekind_over(a->bands, TT_FILE_CSV, err);
    if (rc == TT_OK && a->bands && a->sensitivity)
        rc = tt_fail(err, TT_EINPUT, "--bands does not go with --sensitivity");
    if (rc == TT_OK && a->bands && !strcmp(a->bands, a->output))
        rc = tt_fail(err, TT_EINPUT, "--bands and --output are one file");
    return rc;
}

/* --- what is shown -------------------------------------------------------- */

static void put_text(struct tt_buf *b, const struct tt_sweep *s, double seconds,
                     uint32_t jobs, const char *table)
{
    char time[TT_NUM_MAX];
    uint32_t listed = 0;

    tt_show_duration(time, seconds);
    tt_show_count(b, s->points->n, "point", "points");
    tt_buf_fmt(b, ": %u done", s->n_done - s->n_failed);
    if (s->n_failed)
        tt_buf_fmt(b, ", %u failed", s->n_failed);
    if (s->n_done < s->points->n)
        tt_buf_fmt(b, ", %u open", s->points->n - s->n_done);
    if (s->n_found)
        tt_buf_fmt(b, ", %u of them before", s->n_found);
    tt_buf_fmt(b, "; %s, ", time);
    tt_show_count(b, jobs, "process", "processes");
    tt_buf_fmt(b, "; %s\n", table);
    for (uint32_t i = 0; i < s->points->n && listed < SHOWN; i++) {
        const struct tt_sweep_record *r = tt_sweep_at(s, i);

        if (r->state < TT_SWEEP_FAILED)
            continue;
        tt_buf_fmt(b, "point %u (", i);
        tt_sweep_put_point(b, s->points, i);
        tt_buf_str(b, "): ");
        tt_show_clean(b, r->problem);
        tt_buf_char(b, '\n');
        listed++;
    }
    if (s->n_failed > listed)
        tt_buf_fmt(b, "... and %u more\n", s->n_failed - listed);
}

static void put_json(struct tt_buf *b, const struct tt_sweep *s, double seconds,
                     uint32_t jobs, const char *table)
{
    const char *comma = "";

    tt_buf_fmt(b,
               "{\"points\": %u, \"done\": %u, \"failed\": %u, \"before\": %u, "
               "\"processes\": %u, \"seconds\": ",
               s->points->n, s->n_done - s->n_failed, s->n_failed, s->n_found,
               jobs);
    tt_show_json_num(b, seconds);
    tt_json_text(b, ",\n \"table\": ", table);
    tt_buf_str(b, ",\n \"problems\": [");
    for (uint32_t i = 0; i < s->points->n; i++) {
        const struct tt_sweep_record *r = tt_sweep_at(s, i);

        if (r->state < TT_SWEEP_FAILED)
            continue;
        tt_buf_fmt(b, "%s\n  {\"point\": %u, \"state\": \"%s\", \"problem\": ",
                   comma, i, tt_sweep_state_name(r->state));
        tt_buf_json(b, r->problem);
        tt_buf_str(b, ", \"values\": {");
        for (uint32_t k = 0; k < s->points->n_name; k++) {
            tt_buf_str(b, k ? ", " : "");
            tt_buf_json(b, s->points->name[k]);
            tt_json_text(b, ": ", tt_points_at(s->points, i, k));
        }
        tt_buf_str(b, "}}");
        comma = ",";
    }
    tt_buf_str(b, "]}\n");
}

/* --- files ---------------------------------------------------------------- */

static enum tt_code write_bands(const struct args *a, const struct tt_sweep *s,
                                tt_arena *arena, tt_err *err)
{
    double q[MOST_QUANTILES];
    uint32_t n = 0;
    struct tt_buf b;
    enum tt_code rc = read_quantiles(a->quantiles, q, &n, arena, err);

    tt_buf_init(&b, TT_SHOW_MAX);
    if (rc == TT_OK)
        rc = tt_sweep_put_bands(&b, s, q, n, err);
    if (rc == TT_OK)
        rc = tt_file_write_buf(a->bands, &b, err);
    tt_buf_fini(&b);
    return rc;
}

/* .mat and .h5 by way of the text. */
static enum tt_code write_table(const char *path, const struct tt_buf *table,
                                tt_err *err)
{
    const char *ending = strrchr(path, '.');
    struct tt_buf text;
    enum tt_code rc;

    if (!ending || (strcmp(ending, ".h5") != 0 && strcmp(ending, ".mat") != 0))
        return tt_file_write(path, table->data, table->len, err);
    tt_buf_init(&text, TT_SHOW_MAX);
    tt_buf_fmt(&text, "%s.part.csv", path);
    rc = tt_buf_check(&text, path, err);
    if (rc == TT_OK)
        rc = tt_file_write(text.data, table->data, table->len, err);
    if (rc == TT_OK) {
        rc = tt_cut_file(text.data,
                         &(struct tt_cut_opts){.from = -(double)INFINITY,
                                               .to = (double)INFINITY},
                         path, err);
        (void)remove(text.data);
    }
    tt_buf_fini(&text);
    return rc;
}

static enum tt_code write_files(const struct args *a, const struct tt_sweep *s,
                                unsigned take, tt_arena *arena, tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, (size_t)4 << 30);
    if (a->sensitivity)
        tt_sweep_put_slopes(&b, s, take);
    else
        tt_sweep_put_table(&b, s, take);
    rc = tt_buf_check(&b, a->output, err);
    if (rc == TT_OK)
        rc = write_table(a->output, &b, err);
    if (rc == TT_OK && a->bands)
        rc = write_bands(a, s, arena, err);
    tt_buf_fini(&b);
    return rc;
}

/* --- all ------------------------------------------------------------------ */

/* What distinguishes this sweep from others, besides its points. */
static const char *distinguish(const struct tt_cli *cli, const struct args *a,
                               tt_err *err)
{
    struct tt_buf b;
    char *text;

    tt_buf_init(&b, TT_SHOW_MAX);
    for (int i = 0; i < cli->argc; i++) {
        if (!strcmp(cli->argv[i], "-j") || !strcmp(cli->argv[i], "--jobs"))
            i++;
        else if (strncmp(cli->argv[i], "--jobs=", 7) != 0 &&
                 strcmp(cli->argv[i], "--json") != 0 &&
                 strcmp(cli->argv[i], "-q") != 0)
            tt_buf_fmt(&b, "%s\n", cli->argv[i]);
    }
    tt_buf_num(&b, a->instants);
    text = b.failed ? NULL : tt_arena_strdup(cli->arena, b.data);
    if (!text)
        (void)tt_nomem(err, "the sweep");
    tt_buf_fini(&b);
    return text;
}

static enum tt_code finish(struct tt_cli *cli, const struct args *a,
                           const struct tt_sweep *s, unsigned take,
                           enum tt_code rc, double seconds, tt_err *err)
{
    uint32_t jobs = (uint32_t)a->jobs;
    tt_err other = {0};
    struct tt_buf b;

    if (rc == TT_OK)
        rc = write_files(a, s, take, cli->arena, err);
    else if (write_files(a, s, take, cli->arena, &other) != TT_OK)
        tt_print_warning("%s", other.msg);
    tt_buf_init(&b, TT_SHOW_MAX);
    if (a->json)
        put_json(&b, s, seconds, jobs, a->output);
    else
        put_text(&b, s, seconds, jobs, a->output);
    if (a->json || !a->quiet)
        cli->exit = tt_print_out(&b, TT_EXIT_OK);
    if (cli->exit == TT_EXIT_OK && s->n_failed)
        cli->exit = TT_EXIT_FAILED;
    tt_buf_fini(&b);
    return rc;
}

static enum tt_code sweep(struct tt_cli *cli, struct args *a,
                          const struct tt_points *points, unsigned take,
                          tt_err *err)
{
    struct view view = {.wanted = !a->quiet && !a->json && tt_tty_is(2),
                        .lines = a->progress};
    struct tt_patterns columns = {0};
    struct tt_sweep_opts o = {.source = {.path = cli->words.word,
                                         .n_path = cli->words.n,
                                         .variant = a->source.variant,
                                         .o = tt_source_options(&a->source),
                                         .kind_cb = tt_compose_kind_for},
                              .points = points,
                              .n_instant = a->bands ? (uint32_t)a->instants : 0,
                              .n_worker = (uint32_t)a->jobs,
                              .warm = a->warm,
                              .patience =
                                  isfinite(a->patience) ? a->patience : 0,
                              .stop = &stop,
                              .ctx = &view,
                              .death_cb = tt_culprit_death,
                              .progress_cb = show};
    struct tt_sweep s = {0};
    struct tt_buf journal;
    uint64_t begun = tt_clock_ns();
    enum tt_code rc = tt_pattern_split(&columns, a->columns.word, a->columns.n,
                                       cli->arena, err);

    tt_buf_init(&journal, TT_SHOW_MAX);
    tt_buf_fmt(&journal, "%s.journal", a->output);
    o.pattern = columns.item;
    o.n_pattern = columns.n;
    o.journal = journal.data;
    if (rc == TT_OK)
        rc = tt_buf_check(&journal, a->output, err);
    if (rc == TT_OK && !(o.words = distinguish(cli, a, err)))
        rc = TT_ENOMEM;
    tt_signal_watch(&stop);
    if (rc == TT_OK)
        rc = tt_among_meet(&o.link, err);
    view.wanted &= !o.link || !o.link->rank;
    if (rc == TT_OK)
        rc = tt_sweep_run(&s, &o, err);
    tt_signal_watch(NULL);
    if (view.drawn)
        fputs("\r\033[K", stderr);
    if (rc == TT_ESTOPPED)
        (void)tt_fail(err, TT_ESTOPPED,
                      "stopped after %u of %u points; the same command goes "
                      "on",
                      s.n_done, points->n);
    if ((rc == TT_OK || rc == TT_ESTOPPED) && (!o.link || !o.link->rank))
        rc = finish(cli, a, &s, take, rc,
                    (double)(tt_clock_ns() - begun) * 1e-9, err);
    rc = tt_among_part(o.link, rc);
    tt_sweep_fini(&s);
    tt_buf_fini(&journal);
    return rc;
}

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    struct args *a = cli->args;
    const struct tt_points_opts o = {.vary = a->vary.word,
                                     .n_vary = a->vary.n,
                                     .from = a->points,
                                     .seed = (uint64_t)a->seed};
    struct tt_points points = {0};
    double q[MOST_QUANTILES];
    uint32_t n_q;
    unsigned take;
    enum tt_code rc = check(a, err);

    if (a->jobs < 1)
        a->jobs = fmin(tt_cores(), TT_POOL_WORKERS);
    if (rc == TT_OK)
        rc = read_take(&a->take, &take, cli->arena, err);
    if (rc == TT_OK)
        rc = read_quantiles(a->quantiles, q, &n_q, cli->arena, err);
    if (rc == TT_OK)
        rc = a->sensitivity ? tt_points_about(&points, &o, cli->arena, err)
                            : tt_points_make(&points, &o, cli->arena, err);
    return rc == TT_OK ? sweep(cli, a, &points, take, err) : rc;
}

static const struct args usual = {.source = TT_SOURCE_ARGS_INIT,
                                  .output = "sweep.csv",
                                  .quantiles = "0.05,0.5,0.95",
                                  .instants = 201,
                                  .warm = (double)NAN,
                                  .patience = (double)NAN};

const struct tt_cmd_call tt_cmd_sweep = {
    .args = {sizeof(struct args), options, &usual},
    .files = {1, UINT32_MAX, TT_FILES_MODEL, "a scenario or an FMU",
              "a scenario or an FMU"},
    .exec = exec,
};
