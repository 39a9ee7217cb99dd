/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "cli/among.h"
#include "cli/cli.h"
#include "cli/confine.h"
#include "cli/input.h"
#include "cli/play.h"
#include "cli/say.h"
#include "cli/source.h"
#include "sys/file.h"
#include "sys/temp.h"

struct args {
    struct tt_source_args source;
    struct tt_confine_args confine;
    struct tt_words output;
    const char *report, *title, *trace, *input, *costs;
    const char *control; /* NULL, "" or "paused" */
    int plot, quiet, strict, verbose, json, profile, no_child;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_SOURCE_OPTIONS(offsetof(struct args, source)),
    {"input", 0, TT_OPT_TEXT, AT(input), "FILE.csv",
     "drive the inputs of a single FMU from a table"},
    {"real-time", 0, TT_OPT_FACTOR, AT(source.real_time), "[FACTOR]",
     "pace to the wall clock, FACTOR times as fast (1)"},
    {"overrun", 0, TT_OPT_TEXT, AT(source.overrun), "continue|stop",
     "what to do when a step is late (continue)"},
    {"threads", 0, TT_OPT_TEXT, AT(source.threads), "N|auto",
     "step units on several threads (1); results are the same"},
    {"isolate", 0, TT_OPT_FLAG, AT(source.isolate), NULL,
     "each FMU's units in processes of their own; results are the same"},
    {"deadline", 0, TT_OPT_NUMBER, AT(source.deadline), "SECONDS",
     "the longest one call of a unit may take"},
    {"no-stop-time", 0, TT_OPT_FLAG, AT(source.no_stop_time), NULL,
     "tell units no stop time, for those that run to it at once"},
    {"token-file", 0, TT_OPT_TEXT, AT(source.token_file), "FILE",
     "what the workers of remote units want to see"},
    {"tls-ca", 0, TT_OPT_TEXT, AT(source.tls_ca), "FILE",
     "encrypt links to workers, whose certificates must be from here"},
    {"output", 'o', TT_OPT_LIST, AT(output), "FILE",
     "results as .csv, .mat or .h5 (outputs.csv); - is standard output"},
    {"report", 0, TT_OPT_TEXT, AT(report), "FILE.html",
     "a report to read and keep"},
    {"title", 0, TT_OPT_TEXT, AT(title), "TEXT",
     "of report and summary (the scenario's name)"},
    {"trace", 0, TT_OPT_TEXT, AT(trace), "FILE.csv",
     "a log of every attempt at a step, and why it was rejected"},
    {"plot", 0, TT_OPT_FLAG, AT(plot), NULL, "draw the results at the end"},
    {"quiet", 'q', TT_OPT_FLAG, AT(quiet), NULL, "say nothing but errors"},
    {"strict", 0, TT_OPT_FLAG, AT(strict), NULL, "a warning is an error"},
    {"verbose", 'v', TT_OPT_FLAG, AT(verbose), NULL,
     "say every decision and what units log"},
    {"json", 0, TT_OPT_FLAG, AT(json), NULL,
     "the summary as JSON, for machines"},
    {"control", 0, TT_OPT_MAYBE, AT(control), "[=paused]",
     "pause, step, set and get by lines of JSON on standard input"},
    {"profile", 0, TT_OPT_FLAG, AT(profile), NULL,
     "say where the time went: units, operations, threads"},
    {"sandbox", 0, TT_OPT_FLAG, AT(confine.sandbox), NULL,
     "units write to a temporary folder only, and have no network"},
    {"allow-write", 0, TT_OPT_LIST, AT(confine.write), "DIR",
     "with --sandbox: units may write in this folder too"},
    {"allow-network", 0, TT_OPT_FLAG, AT(confine.network), NULL,
     "with --sandbox: units may use the network"},
    {"memory-limit", 0, TT_OPT_SIZE, AT(confine.memory), "SIZE",
     "of the process units play in: 512M, 2G"},
    {"file-limit", 0, TT_OPT_SIZE, AT(confine.file_size), "SIZE",
     "of each file units write"},
    {"cpu-limit", 0, TT_OPT_POSITIVE, AT(confine.cpu_s), "S",
     "processor time of the run, in seconds"},
    {"costs", 0, TT_OPT_TEXT, AT(costs), "FILE.json",
     "deal units out to ranks by what they cost in an earlier run"},
    {"no-child", 0, TT_OPT_FLAG, AT(no_child), NULL,
     "play in this process (for debuggers)"},
    {0},
};

/* Said before the run, not after it. */
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

static enum tt_code same_as_trace(const struct args *a, tt_err *err)
{
    return tt_fail(err, TT_EINPUT,
                   "--trace and another option name the same file '%s'",
                   a->trace);
}

static enum tt_code check_args(const struct args *a, const struct tt_files *f,
                               tt_err *err)
{
    if (a->control && *a->control && strcmp(a->control, "paused") != 0)
        return tt_fail(err, TT_EINPUT, "--control takes 'paused', not '%s'",
                       a->control);
    if (a->control && tt_play_to_stdout(f))
        return tt_fail(err, TT_EINPUT,
                       "--control and --output - both want standard output");
    if (a->control && a->no_child)
        return tt_fail(err, TT_EINPUT,
                       "--control listens beside the playing process, and "
                       "--no-child has none");
    if (a->json && tt_play_to_stdout(f))
        return tt_fail(err, TT_EINPUT,
                       "--json and --output - both want standard output");
    for (uint32_t i = 0; i < f->n; i++)
        if (!*f->path[i])
            return tt_fail(err, TT_EINPUT,
                           "--output wants a value: --output FILE");
        else if (a->report && strcmp(a->report, f->path[i]) == 0)
            return tt_fail(err, TT_EINPUT,
                           "--report and --output name the same file '%s'",
                           a->report);
        else if (a->trace && strcmp(a->trace, f->path[i]) == 0)
            return same_as_trace(a, err);
    if (a->no_child && tt_confine_option(&a->confine))
        return tt_fail(err, TT_EINPUT,
                       "%s confines the process of the units, and with "
                       "--no-child they have none of their own",
                       tt_confine_option(&a->confine));
    if (a->trace && strcmp(a->trace, "-") == 0)
        return tt_fail(err, TT_EINPUT, "--trace wants a file, not '-'");
    if (a->trace && a->report && strcmp(a->trace, a->report) == 0)
        return same_as_trace(a, err);
    return a->report ? check_report(a->report, err) : TT_OK;
}

/* The scenario, and what was decided on the way to it. */
static enum tt_code load(tt_scenario **s, const struct tt_cli *cli,
                         const struct args *a, const struct tt_words *files,
                         struct tt_input *in, tt_err *err)
{
    if (!a->input)
        return tt_source_load(s, cli, files, &a->source, in->log, err);
    if (files->n != 1 || !tt_scenario_is_fmu(files->word[0]))
        return tt_fail(err, TT_EINPUT,
                       "--input goes with a single FMU: tutti run MODEL.fmu "
                       "--input FILE.csv (in a scenario, a .csv file is a "
                       "unit like an FMU)");
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

static enum tt_code play(const struct tt_cli *cli, const struct args *a,
                         const struct tt_words *files, struct tt_sink *sink,
                         enum tt_exit *code, tt_err *err)
{
    struct tt_play play = {.sink = sink,
                           .files = outputs(a),
                           .report = a->report,
                           .trace = a->trace,
                           .typed = a->control ? NULL : cli->typed,
                           .plot = a->plot,
                           .quiet = a->quiet,
                           .strict = a->strict,
                           .json = a->json || a->control,
                           .control = a->control != NULL,
                           .paused = a->control && *a->control,
                           .profile = a->profile,
                           .no_child = a->no_child};
    struct tt_input in = {.arena = cli->arena, .log = &sink->log};
    struct tt_sandbox box;
    struct tt_note confined = {0};
    double *cost = NULL;
    struct tt_temp temp;
    tt_scenario *s = NULL;
    enum tt_code rc = tt_temp_open(&temp, err);

    tt_temp_sweep();
    in.temp = play.temp = temp.path;
    if (rc == TT_OK)
        rc = tt_confine(&box, &confined, &a->confine, temp.path, cli, err);
    if (rc == TT_OK)
        rc = load(&s, cli, a, files, &in, err);
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
        rc = tt_play_among(&play, err);
    if (rc == TT_OK)
        *code = tt_play(&play);
    tt_free(cost);
    tt_scenario_free(s);
    tt_temp_close(&temp);
    return rc;
}

static enum tt_exit exec(const struct tt_cli *cli)
{
    struct args a = {.source = TT_SOURCE_ARGS_INIT};
    struct tt_words files;
    struct tt_files results;
    struct tt_sink sink = {0};
    enum tt_exit code = TT_EXIT_OK;
    tt_err err;
    enum tt_code rc = tt_opts_parse(cli, &a, &files, &err);

    results = outputs(&a);
    if (rc == TT_OK)
        rc = check_args(&a, &results, &err);
    if (rc != TT_OK)
        return tt_say_error(&err);
    rc = tt_sink_init(&sink,
                      &(struct tt_sink_opts){.quiet = a.quiet,
                                             .verbose = a.verbose,
                                             .keep = a.report != NULL},
                      &err);
    if (rc == TT_OK)
        rc = play(cli, &a, &files, &sink, &code, &err);
    tt_sink_fini(&sink);
    if (rc == TT_OK)
        return code;
    if (a.json || a.control)
        tt_play_json_failure(
            &(struct tt_play){.files = results, .control = a.control != NULL},
            sink.told, err.msg, 0, (double)NAN);
    return tt_say_error(&err);
}

const struct tt_cmd tt_cmd_run = {
    .name = "run",
    .args = "SCENARIO.json [MORE.json ...] | MODEL.fmu",
    .brief = "simulate a scenario, or one FMU alone",
    .text =
        "Plays the scenario and writes a table of results. Several files are\n"
        "laid over each other, the last one wins. One FMU alone runs its own\n"
        "default experiment. Units play in a process of their own: whatever\n"
        "they do to it, the results so far are kept and the unit is named.",
    .example = "  tutti run car.json --until 60 --set {engine}.e1.power=90\n"
               "  tutti run pump.fmu --input valve.csv --report pump.html",
    .opt = options,
    .exec = exec,
};
