/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdint.h>

#include "analysis/adaptive.h"
#include "analysis/along.h"
#include "analysis/late.h"
#include "analysis/plane.h"
#include "analysis/study.h"
#include "analysis/switching.h"
#include "cli/cli.h"
#include "cli/culprit.h"
#include "cli/filekind.h"
#include "cli/print.h"
#include "cli/source.h"
#include "compose/compose.h"
#include "sys/file.h"
#include "sys/proc.h"

struct args {
    struct tt_source_args source;
    const char *svg, *output, *region, *late, *from;
    double lift, at, points;
    int json, quiet, brief, delay, adaptive, bounds, along, gain;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_ALL(tt_source_opts, source),
    TT_OPT_TEXT("--svg FILE.svg", svg,
                "pictures: eigenvalues in the unit disc, rho over the step"),
    TT_OPT_FLAG("--brief", brief,
                "the verdict alone: no other steps, connections and masters"),
    TT_OPT_NUMBER("--at T", at,
                  "of what is not linear: small changes from this time on, s"),
    TT_OPT_FLAG("--along", along,
                "of what is not linear: at many instants along the run"),
    TT_OPT_WHOLE("--points N", points, "with --along: at so many instants (20)",
                 1, TT_ALONG_MOST),
    TT_OPT_TEXT("--region PARAM=A:B:N", region,
                "over the step and N values of a parameter, from A to B"),
    TT_OPT_FLAG(
        "--gain", gain,
        "what noise or a quantum on each connection becomes in outputs"),
    TT_OPT_FLAG(
        "--delay", delay,
        "how late a located crossing may switch an instance of two states"),
    TT_OPT_TEXT("--late PARAM=A:B", late,
                "with --delay: by runs, with this parameter as the delay, s"),
    TT_OPT_TEXT("--from PARAM=A:B:N", from, "with --late: from N starts"),
    TT_OPT_FLAG(
        "--adaptive", adaptive,
        "which words of the scenario's policies, or orders, are stable"),
    TT_OPT_WHOLE(
        "--lift K", lift,
        "with --adaptive: what is allowed depends on the last K policies (0)",
        0, 8),
    TT_OPT_FLAG(
        "--bounds", bounds,
        "with --adaptive: how fast any word of them grows, between two bounds"),
    TT_OPT_TEXT("-o, --output FILE.json", output,
                "with --adaptive: write what is allowed, and the proof"),
    TT_OPT_JSON,
    TT_OPT_QUIET,
    {0},
};

/* What the playing process does; it leaves its words on stdout itself. */
struct child {
    struct tt_cli *cli;
    struct tt_stage *stage; /* shared */
};

/* What was found, in the forms it can be asked for. */
struct shown {
    struct tt_buf text, json, svg;
};

static enum tt_code show(struct tt_cli *cli, const struct shown *s,
                         enum tt_code rc, tt_err *err)
{
    const struct args *a = cli->args;

    if (rc == TT_OK && a->svg)
        rc = tt_file_write_buf(a->svg, &s->svg, err);
    if (rc == TT_OK && (a->json || !a->quiet))
        cli->exit = tt_print_out(a->json ? &s->json : &s->text, TT_EXIT_OK);
    return rc;
}

/* The first of the list, to be typed as it stands, if it is better. */
static void put_advice(struct tt_buf *b, const struct tt_study *s,
                       const struct tt_cli *cli)
{
    const struct args *a = cli->args;
    struct tt_source_args best = a->source;

    if (!s->n_row || s->now.verdict == TT_STABILITY_STABLE ||
        s->row[0].verdict != TT_STABILITY_STABLE)
        return;
    best.o = s->row[0].o;
    tt_buf_str(b, "\ntry: tutti run");
    tt_source_put(b, cli, &best);
    tt_buf_char(b, '\n');
}

static enum tt_code study(struct shown *s, const struct tt_case *c,
                          const struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_study study = {0};
    unsigned wants = TT_STUDY_TREND | (a->brief ? 0 : TT_STUDY_ALL) |
                     (a->gain ? TT_STUDY_GAIN : 0);
    enum tt_code rc = tt_study_make(&study, c, wants, err);

    if (rc == TT_OK) {
        tt_study_text(&s->text, &study);
        put_advice(&s->text, &study, cli);
        tt_study_json(&s->json, &study);
        tt_study_svg(&s->svg, &study);
    }
    tt_study_fini(&study);
    return rc;
}

static enum tt_code along(struct shown *s, const struct tt_case *c,
                          uint32_t points, tt_err *err)
{
    struct tt_along found;
    enum tt_code rc = tt_along_find(&found, c, points, err);

    if (rc != TT_OK)
        return rc;
    tt_along_text(&s->text, &found);
    tt_along_json(&s->json, &found);
    tt_along_svg(&s->svg, &found);
    tt_along_fini(&found);
    return TT_OK;
}

static enum tt_code region(struct shown *s, const struct tt_case *c,
                           const char *text, tt_err *err)
{
    struct tt_axis axis;
    struct tt_plane found;
    enum tt_code rc = tt_plane_axis(&axis, text, err);

    if (rc == TT_OK)
        rc = tt_plane_find(&found, c, &axis, err);
    if (rc != TT_OK)
        return rc;
    tt_plane_text(&s->text, &found);
    tt_plane_json(&s->json, &found);
    tt_plane_svg(&s->svg, &found);
    tt_plane_fini(&found);
    return TT_OK;
}

static enum tt_code delay(struct shown *s, const struct tt_case *c, tt_err *err)
{
    struct tt_switching found;
    enum tt_code rc = c->n_path == 1 && tt_switching_is_file(c->path[0])
                          ? tt_switching_of_file(&found, c->path[0], err)
                          : tt_switching_find(&found, c, err);

    if (rc == TT_OK) {
        tt_switching_text(&s->text, &found);
        tt_switching_json(&s->json, &found);
        tt_switching_svg(&s->svg, &found);
    }
    return rc;
}

static enum tt_code experiment(struct shown *s, const struct tt_case *c,
                               const struct args *a, tt_err *err)
{
    struct tt_axis late, from;
    struct tt_late found;
    enum tt_code rc = TT_OK;

    if (tt_axis_parse(&late, a->late, 0) != 0)
        rc = tt_fail(err, TT_EINPUT,
                     "--late wants PARAMETER=A:B, A less than B, not '%s'",
                     a->late);
    else if (a->from && tt_axis_parse(&from, a->from, TT_LATE_STARTS))
        rc = tt_fail(err, TT_EINPUT,
                     "--from wants PARAMETER=FIRST:LAST:N, FIRST less than "
                     "LAST and N from 2 to %u, not '%s'",
                     TT_LATE_STARTS, a->from);
    if (rc == TT_OK)
        rc = tt_late_make(&found, c, &late, a->from ? &from : NULL, err);
    if (rc == TT_OK) {
        tt_late_text(&s->text, &found);
        tt_late_json(&s->json, &found);
    }
    return rc;
}

static enum tt_code adaptive(struct shown *s, const struct tt_case *c,
                             const struct args *a, tt_err *err)
{
    struct tt_adaptive found;
    enum tt_code rc =
        tt_adaptive_find(&found, c, (uint32_t)a->lift, a->bounds, err);

    if (rc != TT_OK)
        return rc;
    tt_adaptive_text(&s->text, &found);
    tt_adaptive_json(&s->json, &found);
    if (a->output && found.reason[0])
        rc = tt_fail(err, TT_EUNSUPPORTED, "%s is not written: %s", a->output,
                     found.reason);
    tt_adaptive_fini(&found);
    return rc == TT_OK && a->output
               ? tt_file_write_buf(a->output, &s->json, err)
               : rc;
}

/* What is meant for people has short names. */
static void shorten(struct tt_buf *text, const tt_scenario *s)
{
    struct tt_brief brief;

    tt_brief_init(&brief);
    for (uint32_t u = 0; s && u < s->n_unit; u++)
        tt_brief_add(&brief, s->unit[u].name);
    tt_brief_text(&brief, text, 0);
    tt_brief_fini(&brief);
}

static int play(void *ctx)
{
    const struct child *c = ctx;
    struct tt_cli *cli = c->cli;
    const struct args *a = cli->args;
    struct tt_case now = {.path = cli->words.word,
                          .n_path = cli->words.n,
                          .variant = a->source.variant,
                          .o = tt_source_options(&a->source),
                          .held = TT_NONE,
                          .at = isfinite(a->at) ? &a->at : NULL,
                          .stage = c->stage,
                          .kind_cb = tt_compose_kind_for};
    struct shown s;
    tt_err err = {0};
    enum tt_code rc;

    tt_buf_init(&s.text, TT_SHOW_MAX);
    tt_buf_init(&s.json, TT_SHOW_MAX);
    tt_buf_init(&s.svg, TT_SHOW_MAX);
    tt_case_share(&now);
    rc = a->late       ? experiment(&s, &now, a, &err)
         : a->delay    ? delay(&s, &now, &err)
         : a->adaptive ? adaptive(&s, &now, a, &err)
         : a->region   ? region(&s, &now, a->region, &err)
         : a->along    ? along(&s, &now, (uint32_t)a->points, &err)
                       : study(&s, &now, cli, &err);
    shorten(&s.text, now.scenario);
    tt_case_unshare(&now);
    rc = show(cli, &s, rc, &err);
    tt_buf_fini(&s.text);
    tt_buf_fini(&s.json);
    tt_buf_fini(&s.svg);
    return (int)(rc == TT_OK ? cli->exit : tt_print_error(&err));
}

/* It died on the way: that is no verdict. */
static enum tt_code died(struct tt_cli *cli, struct tt_stage *stage,
                         const struct tt_proc_result *how, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_study s;
    struct tt_buf words, json;

    tt_buf_init(&words, TT_ERR_MAX);
    tt_buf_init(&json, TT_SHOW_MAX);
    tt_culprit_death(&words, stage, how);
    tt_study_unknown(&s, words.failed ? "the analysis ended" : words.data);
    if (a->json) {
        tt_study_json(&json, &s);
        (void)tt_print_out(&json, TT_EXIT_FAILED);
    }
    tt_buf_fini(&json);
    tt_buf_fini(&words);
    return tt_fail(err, TT_ECRASH, "unknown whether it is stable: %s",
                   s.now.reason);
}

/* Questions exclude each other; what belongs to one goes with that one only.
 */
static enum tt_code check_questions(const struct args *a, tt_err *err)
{
    const struct {
        const char *name;
        int is;
    } question[] = {
        {"--delay", a->delay},           {"--adaptive", a->adaptive},
        {"--region", a->region != NULL}, {"--along", a->along},
        {"--at", isfinite(a->at)},       {"--gain", a->gain}};
    const char *first = NULL;

    for (size_t i = 0; i < sizeof(question) / sizeof(*question); i++) {
        if (!question[i].is)
            continue;
        if (first && !(a->gain && isfinite(a->at) && !a->along))
            return tt_fail(err, TT_EINPUT, "%s and %s are two questions", first,
                           question[i].name);
        first = question[i].name;
    }
    return TT_OK;
}

/* Pictures, and files, belong to what is asked for. */
static enum tt_code check(const struct args *a, tt_err *err)
{
    enum tt_code rc = check_questions(a, err);

    if (rc != TT_OK)
        return rc;
    if (!a->adaptive && (a->output || a->lift > 0 || a->bounds))
        return tt_fail(err, TT_EINPUT, "%s goes with --adaptive",
                       a->output   ? "--output"
                       : a->bounds ? "--bounds"
                                   : "--lift");
    if ((a->late && !a->delay) || (a->from && !a->late))
        return tt_fail(err, TT_EINPUT, "%s goes with %s",
                       a->late ? "--late" : "--from",
                       a->late ? "--delay" : "--late");
    if ((a->adaptive || a->late) && a->svg)
        return tt_fail(err, TT_EINPUT, "--svg does not go with %s",
                       a->adaptive ? "--adaptive" : "--late");
    return a->svg ? tt_filekind_over(a->svg, TT_FILE_XML, err) : TT_OK;
}

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    struct child c = {.cli = cli, .stage = tt_shared_alloc(sizeof(*c.stage))};
    struct tt_proc_result how = {0};
    enum tt_code rc = check(a, err);

    if (rc == TT_OK && a->output)
        rc = tt_filekind_over(a->output, TT_FILE_JSON, err);
    if (rc == TT_OK && !c.stage)
        rc = tt_nomem(err, "the analysis");
    if (rc == TT_OK)
        rc = tt_proc_run(play, &c, &c.stage->done, &how, err);
    if (rc == TT_OK && how.how == TT_PROC_EXITED && c.stage->done)
        cli->exit = (enum tt_exit)how.value;
    else if (rc == TT_OK)
        rc = died(cli, c.stage, &how, err);
    if (c.stage)
        tt_shared_free(c.stage, sizeof(*c.stage));
    return rc;
}

static const struct args usual = {
    .source = TT_SOURCE_ARGS_INIT, .at = (double)NAN, .points = 20};

const struct tt_cmd_call tt_cmd_stability = {
    .args = {sizeof(struct args), options, &usual},
    .files = {1, UINT32_MAX, TT_FILES_MODEL, "a scenario or an FMU",
              "a scenario or an FMU"},
    .exec = exec,
};
