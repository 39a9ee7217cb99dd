/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "cli/among.h"
#include "cli/beside.h"
#include "cli/cli.h"
#include "cli/confine.h"
#include "cli/filekind.h"
#include "cli/input.h"
#include "cli/play.h"
#include "cli/print.h"
#include "cli/source.h"
#include "sys/file.h"
#include "sys/temp.h"

struct args {
    struct tt_source_args source;
    struct tt_confine_args confine;
    struct tt_words output;
    const char *report, *title, *trace, *events, *input, *costs;
    const char *checkpoint, *every, *resume;
    const char *control;   /* NULL, "" or "paused" */
    const char *stability; /* NULL, "" or "off" */
    double event_shift;
    int plot, quiet, strict, verbose, json, profile, no_child, microsteps,
        no_event_mode, assess, optimistic;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_ALL(tt_source_opts, source),
    TT_OPT_TEXT("--input FILE.csv", input,
                "drive the inputs of a single FMU from a table"),
    TT_OPT_FACTOR("--real-time [FACTOR]", source.o.real_time,
                  "pace to the wall clock, FACTOR times as fast (1)"),
    TT_OPT_TEXT("--overrun continue|stop", source.o.overrun,
                "what to do when a step is late (continue)"),
    TT_OPT_TEXT("--threads N|auto", source.o.threads,
                "step instances on several threads (1); results are the same"),
    TT_OPT_FLAG("--isolate", source.o.isolate,
                "each instance in a process of its own; results are the same"),
    TT_OPT_NUMBER("--deadline SECONDS", source.o.deadline,
                  "the longest one call of an instance may take"),
    TT_OPT_FLAG(
        "--no-stop-time", source.o.no_stop_time,
        "give instances no stop time, for those that run to it at once"),
    TT_OPT_TEXT("--token-file FILE", source.o.token_file,
                "the token that workers of remote instances need"),
    TT_OPT_TEXT(
        "--tls-ca FILE", source.o.tls_ca,
        "encrypt links to workers, whose certificates must be from here"),
    TT_OPT_LIST(
        "-o, --output FILE", output,
        "results as .csv, .mat or .h5 (outputs.csv); - is standard output"),
    TT_OPT_TEXT("--report FILE.html", report, "a report to read and keep"),
    TT_OPT_TEXT("--title TEXT", title,
                "of report and summary (the scenario's name)"),
    TT_OPT_TEXT("--trace FILE.csv", trace,
                "a log of every attempt at a step, and why it was rejected"),
    TT_OPT_TEXT("--events FILE", events,
                "a list of all events that instances put out"),
    TT_OPT_TEXT("--checkpoint FILE", checkpoint,
                "keep all that is needed to go on from there, again and again"),
    TT_OPT_TEXT("--every 10s|sim:2", every,
                "how often, in wall or simulated time (60s)"),
    TT_OPT_TEXT("--resume FILE", resume,
                "go on from a checkpoint; the results are continued"),
    TT_OPT_FLAG("--plot", plot, "draw the results at the end"),
    TT_OPT_QUIET,
    TT_OPT_FLAG("--strict", strict, "a warning is an error"),
    TT_OPT_FLAG("-v, --verbose", verbose,
                "print every decision and what instances log"),
    TT_OPT_FLAG("--json", json, "the summary as JSON, for machines"),
    TT_OPT_MAYBE("--control[=paused]", control,
                 "pause, step, set and get by lines of JSON on standard input"),
    TT_OPT_FLAG("--no-event-mode", no_event_mode,
                "instances handle their events inside their steps"),
    TT_OPT_FLAG(
        "--microsteps", microsteps,
        "a row for each microstep of an event, with a column that counts"),
    TT_OPT_POSITIVE(
        "--event-shift S", event_shift,
        "state how later crossings move when the first one is S s late"),
    TT_OPT_FLAG("--profile", profile,
                "print where the time went: instances, operations, threads"),
    TT_OPT_MAYBE("--stability[=off]", stability,
                 "find out first whether what is played is stable"),
    TT_OPT_FLAG(
        "--assess", assess,
        "play it with shorter steps and another master too, and compare"),
    TT_OPT_ALL(tt_confine_opts, confine),
    TT_OPT_TEXT(
        "--costs FILE.json", costs,
        "deal instances out to ranks by what they cost in an earlier run"),
    TT_OPT_FLAG("--no-child", no_child, "play in this process (for debuggers)"),
    /* refused, with the reason */
    TT_OPT_FLAG("--optimistic", optimistic, NULL),
    {0},
};

/* Checked before the run, not after it. */
static enum tt_code check_report(const char *path, tt_err *err)
{
    char *dir = tt_path_dir(path);
    enum tt_code rc = TT_OK;

    if (!dir)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    if (tt_file_is_dir(path))
        rc = tt_fail(err, TT_EINPUT,
                     "cannot write the report %s: it is a folder", path);
    else if (!tt_file_is_dir(dir))
        rc = tt_fail(err, TT_EINPUT,
                     "cannot write the report %s: there is no folder '%s'",
                     path, dir);
    tt_free(dir);
    return rc;
}

/* Files beside the results, each under a name of its own. */
static enum tt_code check_side(const struct args *a, const struct tt_files *f,
                               const char *option, const char *path,
                               tt_err *err)
{
    const char *other = path == a->trace ? a->events : a->trace;
    int same = (a->report && strcmp(path, a->report) == 0) ||
               (other && strcmp(path, other) == 0);

    for (uint32_t i = 0; i < f->n; i++)
        same |= strcmp(path, f->path[i]) == 0;
    if (strcmp(path, "-") == 0)
        return tt_fail(err, TT_EINPUT, "%s needs a file, not '-'", option);
    if (same)
        return tt_fail(err, TT_EINPUT,
                       "%s and another option name the same file '%s'", option,
                       path);
    return TT_OK;
}

static enum tt_code check_args(const struct args *a, const struct tt_files *f,
                               tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (a->optimistic)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "--optimistic is refused: " TT_NOT_OPTIMISTIC);
    if (a->control && *a->control && strcmp(a->control, "paused") != 0)
        return tt_fail(err, TT_EINPUT, "--control takes 'paused', not '%s'",
                       a->control);
    if (a->stability && *a->stability && strcmp(a->stability, "off") != 0)
        return tt_fail(err, TT_EINPUT, "--stability takes 'off', not '%s'",
                       a->stability);
    if (a->control && tt_play_to_stdout(f))
        return tt_fail(err, TT_EINPUT,
                       "--control and --output - both need standard output");
    if (a->control && a->no_child)
        return tt_fail(err, TT_EINPUT,
                       "--control listens beside the playing process, and "
                       "--no-child has none");
    if (a->json && tt_play_to_stdout(f))
        return tt_fail(err, TT_EINPUT,
                       "--json and --output - both need standard output");
    for (uint32_t i = 0; i < f->n; i++)
        if (!*f->path[i])
            return tt_fail(err, TT_EINPUT,
                           "--output needs a value: --output FILE");
        else if (a->report && strcmp(a->report, f->path[i]) == 0)
            return tt_fail(err, TT_EINPUT,
                           "--report and --output name the same file '%s'",
                           a->report);
    if (a->no_child && tt_confine_option(&a->confine))
        return tt_fail(err, TT_EINPUT,
                       "%s confines the process of the instances, and with "
                       "--no-child they have none of their own",
                       tt_confine_option(&a->confine));
    if (a->every && !a->checkpoint)
        return tt_fail(err, TT_EINPUT,
                       "--every goes with --checkpoint FILE, which is missing");
    if (a->trace)
        rc = check_side(a, f, "--trace", a->trace, err);
    if (rc == TT_OK && a->events)
        rc = check_side(a, f, "--events", a->events, err);
    return rc == TT_OK && a->report ? check_report(a->report, err) : rc;
}

/* What is written may replace what an earlier run wrote, and nothing that this
 * one reads. */
static enum tt_code check_over(const char *path, unsigned may,
                               const struct args *a, const tt_scenario *s,
                               tt_err *err)
{
    enum tt_code rc = TT_OK;
    int read = path && a->input && tt_file_same(path, a->input);

    if (path && strcmp(path, "-") != 0)
        rc = tt_filekind_over(path, may, err);
    for (uint32_t i = 0; path && !read && i < s->n_fmu; i++)
        read = s->fmu[i].path && tt_file_same(path, s->fmu[i].path);
    if (rc == TT_OK && read)
        rc = tt_fail(err, TT_EINPUT,
                     "%s: this run reads it and would write over it; give "
                     "another name",
                     path);
    return rc;
}

static enum tt_code check_all_over(const struct args *a,
                                   const struct tt_files *f,
                                   const tt_scenario *s, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < f->n && rc == TT_OK; i++)
        rc = check_over(f->path[i], TT_FILES_TABLE, a, s, err);
    if (rc == TT_OK)
        rc = check_over(a->trace, TT_FILES_TABLE, a, s, err);
    if (rc == TT_OK)
        rc = check_over(a->report, TT_FILE_XML, a, s, err);
    return rc == TT_OK ? check_over(a->checkpoint, 0, a, s, err) : rc;
}

static int asks_stability(const struct args *a)
{
    return a->stability && !*a->stability;
}

/* May it be found out without being asked for? */
static int may_glance(const struct args *a)
{
    return !a->stability && !a->input && !a->resume && !a->control &&
           !a->no_child && !tt_confine_option(&a->confine) &&
           (!a->quiet || a->json || a->report);
}

/* What is played beside the run is the same run, in processes that are not
 * confined. */
static enum tt_code check_beside(const struct args *a, tt_err *err)
{
    const char *option = a->assess ? "--assess" : "--stability";

    if (!a->assess && !asks_stability(a))
        return TT_OK;
    if (a->input || a->resume || a->control)
        return tt_fail(err, TT_EINPUT, "%s does not go with %s", option,
                       a->input    ? "--input"
                       : a->resume ? "--resume"
                                   : "--control");
    if (tt_confine_option(&a->confine))
        return tt_fail(err, TT_EINPUT,
                       "%s plays instances in processes of their own, which "
                       "%s does not reach",
                       option, tt_confine_option(&a->confine));
    return TT_OK;
}

/* Find out what was asked for, and put the notes of both together. */
static enum tt_code look_beside(struct tt_beside *b, struct tt_play *play,
                                const struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    enum tt_code rc = TT_OK;

    if (asks_stability(a))
        rc = tt_beside_stability(b, cli, &a->source, err);
    else if (may_glance(a))
        rc = tt_beside_glance(b, cli, &a->source, play->scenario, err);
    if (rc == TT_OK && a->assess)
        rc = tt_beside_assess(b, cli, &a->source, play->temp, err);
    if (rc != TT_OK || !b->json.len)
        return rc;
    for (size_t i = 0; i < play->n_note; i++)
        if (b->n_note < TT_BESIDE_NOTES)
            b->note[b->n_note++] = play->note[i];
    play->note = b->note;
    play->n_note = b->n_note;
    play->beside = b->json.data;
    return tt_buf_check(&b->json, "the summary", err);
}

/* The scenario, and what was decided on the way to it. */
static enum tt_code load(tt_scenario **s, const struct tt_cli *cli,
                         struct tt_input *in, tt_err *err)
{
    const struct tt_words *files = &cli->words;
    const struct args *a = cli->args;
    enum tt_code rc;

    if (!files->n)
        return tt_fail(err, TT_EINPUT,
                       "'tutti run' needs a scenario or an FMU: tutti run %s",
                       cli->cmd->args);
    if (!a->input) {
        rc = tt_filekind_expect(files, TT_FILES_MODEL, "a scenario or an FMU",
                                err);
        return rc == TT_OK ? tt_source_load(s, cli, &a->source, in->log, err)
                           : rc;
    }
    if (files->n != 1 || !tt_scenario_is_fmu(files->word[0]))
        return tt_fail(err, TT_EINPUT,
                       "--input goes with a single FMU: tutti run MODEL.fmu "
                       "--input FILE.csv (in a scenario, a .csv file is an "
                       "instance like an FMU)");
    in->fmu = files->word[0];
    in->table = a->input;
    return tt_input_scenario(s, in, &a->source, err);
}

/* Where results go. */
static struct tt_files outputs(const struct args *a)
{
    static const char *const usual[] = {"outputs.csv"};

    if (!a->output.n)
        return (struct tt_files){.path = usual, .n = 1};
    return (struct tt_files){.path = a->output.word, .n = a->output.n};
}

/* What the options state of it. */
static struct tt_play play_of(const struct tt_cli *cli)
{
    const struct args *a = cli->args;

    return (struct tt_play){.argc = cli->argc,
                            .argv = cli->argv,
                            .files = outputs(a),
                            .side = {a->trace, a->events},
                            .typed = a->control ? NULL : cli->typed,
                            .json = a->json || a->control,
                            .control = a->control != NULL,
                            .paused = a->control && *a->control,
                            TT_SAME(a, checkpoint, report, plot, quiet, strict,
                                    profile, microsteps, event_shift,
                                    no_event_mode, no_child)};
}

static enum tt_code play(struct tt_cli *cli, struct tt_sink *sink,
                         const struct tt_checkpoint_file *resume, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_play play = play_of(cli);
    struct tt_input in = {.arena = cli->arena, .log = &sink->log};
    struct tt_sandbox box;
    struct tt_note confined = {0};
    struct tt_beside beside;
    double *cost = NULL;
    struct tt_temp temp;
    tt_scenario *s = NULL;
    enum tt_code rc = tt_temp_open(&temp, err);

    tt_beside_init(&beside, cli->arena);
    play.sink = sink;
    play.resume = resume;
    tt_temp_sweep();
    if (rc == TT_OK)
        rc = tt_every_parse(&play.every, a->every, err);
    in.temp = play.temp = temp.path;
    if (rc == TT_OK)
        rc = tt_confine(&box, &confined, &a->confine, temp.path, cli, err);
    if (rc == TT_OK)
        rc = check_beside(a, err);
    if (rc == TT_OK)
        rc = load(&s, cli, &in, err);
    if (rc == TT_OK)
        rc = check_all_over(a, &play.files, s, err);
    if (rc == TT_OK) {
        play.files.dialect = s->m1_dialect ? TT_CSV_MAESTRO1 : TT_CSV_MAESTRO2;
        s->logging_on |= a->verbose;
        if (a->title)
            s->name = a->title;
        play.scenario = s;
        if (confined.topic) {
            play.sandbox = &box;
            in.note[in.n_note++] = confined;
        }
        play.note = in.note;
        play.n_note = in.n_note;
        rc = tt_costs_load(&cost, s, a->costs, err);
        play.cost = cost;
    }
    if (rc == TT_OK)
        rc = look_beside(&beside, &play, cli, err);
    if (rc == TT_OK)
        rc = tt_play_among(&play, err);
    if (rc == TT_OK)
        cli->exit = tt_play(&play);
    tt_free(cost);
    tt_beside_fini(&beside);
    tt_scenario_free(s);
    tt_temp_close(&temp);
    return rc;
}

/* The words of the run that made the checkpoint, then ours, but --resume. */
static enum tt_code words_of(struct tt_cli *cli,
                             const struct tt_checkpoint_file *f, tt_err *err)
{
    size_t n = (size_t)f->argc + (size_t)cli->argc;
    char **argv = tt_arena_alloc(cli->arena, n + 1, sizeof(*argv));
    int k = 0;

    if (!argv)
        return tt_fail(err, TT_ENOMEM, "reading the command line");
    for (int i = 0; i < f->argc; i++)
        argv[k++] = f->argv[i];
    for (int i = 0; i < cli->argc; i++)
        if (strcmp(cli->argv[i], "--resume") == 0)
            i++;
        else if (strncmp(cli->argv[i], "--resume=", 9) != 0)
            argv[k++] = cli->argv[i];
    cli->argc = k;
    cli->argv = argv;
    return TT_OK;
}

/* Options of a run that goes on: with a scenario they are its own, without one
 * those it was begun with, in the folder it was begun in. */
static enum tt_code take_up(struct tt_cli *cli, struct tt_checkpoint_file *f,
                            tt_err *err)
{
    struct args *a = cli->args;
    enum tt_code rc = tt_checkpoint_read(f, a->resume, err);

    if (rc != TT_OK || cli->words.n)
        return rc;
    rc = words_of(cli, f, err);
    if (rc == TT_OK && tt_dir_enter(f->folder) != 0)
        rc = tt_fail(err, TT_EINPUT,
                     "cannot resume from %s: its run was begun in the folder "
                     "'%s', which cannot be entered",
                     a->resume, f->folder);
    *a = (struct args){.source = TT_SOURCE_ARGS_INIT, .resume = a->resume};
    return rc == TT_OK ? tt_opts_parse(cli, err) : rc;
}

/* With words for programs that ask for them, should it fail before it plays. */
static enum tt_code start(struct tt_cli *cli,
                          const struct tt_checkpoint_file *resume, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_sink sink = {0};
    enum tt_code rc =
        tt_sink_init(&sink,
                     &(struct tt_sink_opts){.quiet = a->quiet,
                                            .verbose = a->verbose,
                                            .keep = a->report != NULL},
                     err);

    if (rc == TT_OK)
        rc = play(cli, &sink, resume, err);
    tt_sink_fini(&sink);
    if (rc != TT_OK && (a->json || a->control))
        tt_play_json_failure(&(struct tt_play){.files = outputs(a),
                                               .control = a->control != NULL},
                             sink.warnings, err->msg, 0, (double)NAN);
    return rc;
}

static const struct args usual = {.source = TT_SOURCE_ARGS_INIT};

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_checkpoint_file resume = {.data = NULL};
    struct tt_files results;
    enum tt_code rc = TT_OK;

    if (a->resume)
        rc = take_up(cli, &resume, err);
    results = outputs(a);
    if (rc == TT_OK)
        rc = check_args(a, &results, err);
    if (rc == TT_OK)
        rc = start(cli, a->resume ? &resume : NULL, err);
    tt_checkpoint_fini(&resume);
    return rc;
}

const struct tt_cmd_call tt_cmd_run = {
    .args = {sizeof(struct args), options, &usual},
    .files = {.most = UINT32_MAX},
    .exec = exec,
};
