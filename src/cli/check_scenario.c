/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "cli/check.h"
#include "cli/play.h"
#include "cli/say.h"
#include "fmi/fmu.h"
#include "kinds/kinds.h"
#include "run/run.h"

/* Can every FMU be loaded here? Only its files are looked at. */
static enum tt_code check_binaries(const tt_scenario *s, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < s->n_fmu && rc == TT_OK; i++) {
        struct tt_source source = {.path = s->fmu[i].path};
        const char *name;
        tt_fmu *fmu = NULL;
        char at[512];

        if (tt_kind_signal.accepts(&source))
            continue;
        rc = tt_fmu_open(&fmu, s->fmu[i].path, err);
        if (rc == TT_OK)
            rc = tt_fmu_library_name(fmu, &name, err);
        tt_fmu_close(fmu);
        if (rc != TT_OK && s->fmu[i].where.file != TT_NONE)
            tt_context(err, rc, "%s: FMU '%s'",
                       tt_scenario_at(s, s->fmu[i].where, at, sizeof(at)),
                       s->fmu[i].key);
    }
    return rc;
}

/* --- for people
 * ------------------------------------------------------------------ */

static void notes_text(struct tt_buf *b, const struct tt_note *note, size_t n,
                       int c)
{
    for (size_t i = 0; i < n; i++) {
        tt_buf_fmt(b, "  %s", tt_say_ink(c, TT_INK_DIM));
        tt_say_pad(b, note[i].topic, 14, 0, 0);
        tt_buf_fmt(b, "%s ", tt_say_ink(c, TT_INK_OFF));
        tt_say_clean(b, note[i].text);
        tt_buf_char(b, '\n');
    }
}

static void result_text(struct tt_buf *b, const tt_run *run, const char *name)
{
    const tt_plan *plan = tt_run_plan(run);
    const tt_score *score = tt_run_score(run);
    int c = tt_say_colours(1);
    char h[TT_NUM_MAX], t0[TT_NUM_MAX], t1[TT_NUM_MAX];

    tt_num_print_short(h, plan->step);
    tt_num_print_short(t0, plan->experiment.start);
    tt_num_print_short(t1, plan->experiment.end);
    tt_say_clean(b, name);
    tt_buf_fmt(b, ": %sok%s (", tt_say_ink(c, TT_INK_GREEN),
               tt_say_ink(c, TT_INK_OFF));
    tt_say_count(b, plan->n_unit, "unit", "units");
    tt_buf_str(b, ", ");
    tt_say_count(b, plan->n_feed, "connection", "connections");
    tt_buf_fmt(b, ", %s, t=%s to %s s in steps of %s s, ", score->writer, t0,
               t1, h);
    tt_say_count(b, plan->n_column, "variable recorded)\n",
                 "variables recorded)\n");
    notes_text(b, plan->note, plan->n_note, c);
    notes_text(b, score->note, score->n_note, c);
}

/* --- for machines
 * ------------------------------------------------------------------ */

static void result_json(struct tt_buf *b, const tt_run *run,
                        const struct tt_sink *sink, const char *problem)
{
    int first = 1;

    tt_buf_fmt(b, "{\n  \"ok\": %s,\n  \"problems\": [",
               problem ? "false" : "true");
    if (problem)
        tt_buf_json(b, problem);
    tt_buf_str(b, "],\n  \"warnings\": [");
    for (size_t i = 0; i < sink->said.n_warning; i++) {
        tt_buf_str(b, i ? ", " : "");
        tt_buf_json(b, sink->said.warning[i]);
    }
    tt_buf_str(b, "],\n  \"decisions\": [");
    if (run) {
        const tt_plan *plan = tt_run_plan(run);
        const tt_score *score = tt_run_score(run);

        tt_summary_json_notes(b, plan->note, plan->n_note, &first);
        tt_summary_json_notes(b, score->note, score->n_note, &first);
    }
    tt_buf_str(b, "]\n}\n");
}

static enum tt_exit show(const struct tt_check_args *a, const tt_run *run,
                         const struct tt_sink *sink, const tt_err *err,
                         const char *name)
{
    enum tt_exit code = err ? tt_say_error(err) : TT_EXIT_OK;
    struct tt_buf b;

    tt_buf_init(&b, TT_SAY_MAX);
    if (a->json)
        result_json(&b, run, sink, err ? err->msg : NULL);
    else if (!a->quiet && !err)
        result_text(&b, run, name);
    code = tt_say_out(&b, code);
    tt_buf_fini(&b);
    return code;
}

enum tt_exit tt_check_scenario(const struct tt_cli *cli,
                               const struct tt_check_args *a,
                               const struct tt_words *files)
{
    struct tt_sink sink = {0};
    tt_scenario *s = NULL;
    tt_run *run = NULL;
    enum tt_exit code;
    tt_err err;
    enum tt_code rc = tt_sink_init(
        &sink, &(struct tt_sink_opts){.quiet = a->quiet, .keep = 1}, &err);

    if (rc == TT_OK)
        rc = tt_source_load(&s, cli, files, &a->source, &sink.log, &err);
    if (rc == TT_OK)
        rc = tt_run_new(&run, s, &(struct tt_run_opts){.log = &sink.log}, &err);
    if (rc == TT_OK)
        rc = check_binaries(s, &err);
    code = show(a, rc == TT_OK ? run : NULL, &sink, rc == TT_OK ? NULL : &err,
                files->word[0]);
    tt_run_free(run);
    tt_scenario_free(s);
    tt_sink_fini(&sink);
    return code;
}
