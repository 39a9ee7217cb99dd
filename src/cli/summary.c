/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "api/profile.h"
#include "base/buf.h"
#include "base/num.h"
#include "cli/play.h"
#include "cli/residuals.h"
#include "cli/print.h"
#include "sys/clock.h"

/* --- for people ------------------------------------------------------------
 */

struct paper {
    struct tt_buf *b;
    const struct tt_played *p;
    struct tt_brief brief;
    int colours, terminal;
};

static void headline(const struct paper *w)
{
    const struct tt_played *p = w->p;
    enum tt_ink ink =
        tt_run_why(p->run) == TT_RUN_STOPPED ? TT_INK_YELLOW : TT_INK_GREEN;

    tt_buf_fmt(w->b, "%s", tt_show_ink(w->colours, TT_INK_BOLD));
    tt_show_clean(w->b, p->play->scenario->name);
    tt_buf_fmt(w->b, "%s  %s%s%s\n", tt_show_ink(w->colours, TT_INK_OFF),
               tt_show_ink(w->colours, ink), tt_run_sentence(p->run),
               tt_show_ink(w->colours, TT_INK_OFF));
}

void tt_summary_files(struct tt_buf *b, const struct tt_files *f)
{
    for (uint32_t i = 0; i < f->n; i++)
        tt_buf_fmt(b, "%s%s", i ? ", " : "",
                   strcmp(f->path[i], "-") == 0 ? "standard output"
                                                : f->path[i]);
}

/* Not in a pipe: it differs from run to run. */
static void timing(const struct paper *w)
{
    const struct tt_played *p = w->p;
    double span = tt_run_time(p->run) - tt_run_plan(p->run)->experiment.start;
    char text[TT_NUM_MAX];

    if (!w->terminal || !(p->wall > 0))
        return;
    tt_show_label(w->b, w->colours, "took");
    tt_show_duration(text, p->wall);
    tt_buf_fmt(w->b, "%s (", text);
    tt_num_print_digits(text, span / p->wall, 3);
    tt_buf_fmt(w->b, "%s x real time, ", text);
    tt_num_print_digits(text, (double)tt_run_steps(p->run) / p->wall, 3);
    tt_buf_fmt(w->b, "%s steps/s)\n", text);
}

/* "auto: 2 used, 4 cores, about 1.9 x as fast as one", where several were asked
 * for. What differs from run to run is stated on a terminal only. */
static void threads(const struct paper *w)
{
    struct tt_run_threads t = tt_run_threads(w->p->run);
    char text[TT_NUM_MAX];

    if (t.wanted < 2 && !t.automatic)
        return;
    tt_show_label(w->b, w->colours, "threads");
    if (t.automatic)
        tt_buf_str(w->b, "auto");
    else
        tt_buf_fmt(w->b, "%u", t.team.threads);
    if (w->terminal) {
        tt_buf_fmt(w->b, ": %u used, %u core%s", t.team.used, t.cores,
                   t.cores == 1 ? "" : "s");
        tt_num_print_digits(text, t.team.speed_up, 2);
        if (t.team.used > 1)
            tt_buf_fmt(w->b, ", about %s x as fast as one", text);
    }
    tt_buf_char(w->b, '\n');
}

static void method(const struct paper *w)
{
    const tt_plan *plan = tt_run_plan(w->p->run);

    tt_show_label(w->b, w->colours, "master");
    tt_buf_fmt(w->b, "%s, ", tt_run_score(w->p->run)->writer);
    tt_run_step_text(w->p->run, w->b);
    tt_buf_fmt(w->b, ", inputs %s\n", plan->n_course ? plan->courses : "held");
}

static void pace(const struct paper *w)
{
    struct tt_buf words;

    tt_buf_init(&words, 4096);
    if (tt_run_pace_text(w->p->run, &words) && !words.failed) {
        tt_show_label(w->b, w->colours, "real time");
        tt_buf_fmt(w->b, "%s\n", words.data);
    }
    tt_buf_fini(&words);
}

/* "{a}.a, {b}.b and 3 more" of the units with this exchange; 0: none. */
static int list_units(struct tt_buf *b, const tt_plan *plan, int consistent)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < plan->n_unit; i++) {
        if (plan->unit[i].consistent != consistent)
            continue;
        if (n < 4) {
            tt_buf_str(b, n ? ", " : "");
            tt_show_clean(b, plan->unit[i].name);
        }
        n++;
    }
    if (n > 4)
        tt_buf_fmt(b, " and %u more", n - 4);
    return n > 0;
}

static void exchange(const struct paper *w)
{
    const tt_plan *plan = tt_run_plan(w->p->run);

    for (int consistent = 1; consistent >= 0; consistent--) {
        struct tt_buf names;

        tt_buf_init(&names, 65536);
        if (list_units(&names, plan, consistent) && !names.failed) {
            tt_show_label(w->b, w->colours, "exchange");
            tt_buf_fmt(w->b, "%s: %s\n", consistent ? "consistent" : "standard",
                       names.data);
        }
        tt_buf_fini(&names);
    }
}

static int has_input(const struct tt_play *p)
{
    for (size_t i = 0; i < p->n_note; i++)
        if (strcmp(p->note[i].topic, "input") == 0)
            return 1;
    return 0;
}

/* Other decisions: the first few of each topic. */
static void notes(const struct paper *w, const struct tt_note *note, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        size_t before = 0, after = 0;

        if (strcmp(note[i].topic, "exchange") == 0)
            continue;
        /* what --input decided is stated by its own note */
        if (has_input(w->p->play) && strcmp(note[i].topic, "reactivity") == 0)
            continue;
        for (size_t k = 0; k < n; k++)
            if (strcmp(note[k].topic, note[i].topic) == 0)
                *(k < i ? &before : &after) += 1;
        if (before < 3) {
            tt_show_label(w->b, w->colours, note[i].topic);
            tt_show_clean(w->b, note[i].text);
            tt_buf_char(w->b, '\n');
        } else if (before == 3) {
            tt_show_label(w->b, w->colours, note[i].topic);
            tt_buf_fmt(w->b, "and %zu more (--verbose lists all)\n", after);
        }
    }
}

static void files(const struct paper *w)
{
    const struct tt_played *p = w->p;

    if (p->warnings->n) {
        tt_show_label(w->b, w->colours, "warnings");
        tt_buf_fmt(w->b, "%u\n", p->warnings->n);
    }
    tt_show_label(w->b, w->colours, "results");
    tt_buf_str(w->b, tt_show_ink(w->colours, TT_INK_BOLD));
    tt_summary_files(w->b, &p->play->files);
    tt_buf_fmt(w->b, "%s: ", tt_show_ink(w->colours, TT_INK_OFF));
    tt_show_count(w->b, p->rows, "row", "rows");
    tt_buf_str(w->b, ", ");
    tt_show_count(w->b, tt_run_plan(p->run)->n_column, "variable", "variables");
    tt_buf_char(w->b, '\n');
    for (int i = 0; i < TT_SIDES; i++) {
        int steps = i == TT_SIDE_TRACE;

        if (!p->play->side[i])
            continue;
        tt_show_label(w->b, w->colours, steps ? "trace" : "events");
        tt_buf_fmt(w->b, "%s%s%s: ", tt_show_ink(w->colours, TT_INK_BOLD),
                   p->play->side[i], tt_show_ink(w->colours, TT_INK_OFF));
        tt_show_count(w->b, p->n_side[i], steps ? "attempt" : "event",
                      steps ? "attempts" : "events");
        tt_buf_char(w->b, '\n');
    }
    if (!p->play->report)
        return;
    tt_show_label(w->b, w->colours, "report");
    tt_buf_fmt(w->b, "%s%s%s\n", tt_show_ink(w->colours, TT_INK_BOLD),
               p->play->report, tt_show_ink(w->colours, TT_INK_OFF));
}

/* How far to trust it, and how to find out more; on a terminal only. */
static void trust(const struct paper *w)
{
    char half[TT_NUM_MAX];

    if (!w->terminal || tt_run_plan(w->p->run)->variable ||
        tt_run_plan(w->p->run)->by_events)
        return;
    tt_num_print_digits(half, tt_run_plan(w->p->run)->step / 2, 6);
    tt_show_label(w->b, w->colours, "trust");
    tt_buf_fmt(w->b,
               "fixed step, error not estimated; to see it: --step %s -o "
               "half.csv,\n",
               half);
    tt_show_label(w->b, w->colours, "");
    tt_buf_fmt(w->b, "then tutti compare half.csv %s --tol 1e-3,1e-3\n",
               w->p->play->files.path[0]);
}

static void unit_row(const struct paper *w, uint32_t i, size_t width)
{
    struct tt_run_unit u = tt_run_unit(w->p->run, i);
    struct tt_buf name;
    char share[TT_NUM_MAX] = "-";

    tt_buf_init(&name, 65536);
    tt_show_clean(&name, tt_brief_name(&w->brief, u.name));
    if (!isnan(u.share))
        tt_num_print_digits(share, round(u.share * 100), 3);
    tt_buf_str(w->b, "  ");
    tt_show_pad(w->b, name.data ? name.data : "", width, 0, 1);
    tt_buf_fmt(w->b, "  %-6s %10" PRIu64 " %5s %%\n", u.kind, u.steps, share);
    tt_buf_fini(&name);
}

#define UNITS_SHOWN 12u

static void units(const struct paper *w)
{
    uint32_t n = tt_run_units(w->p->run);
    size_t width = 4;

    if (!w->terminal)
        return;
    for (uint32_t i = 0; i < n && i < UNITS_SHOWN; i++) {
        size_t one = tt_show_width(
            tt_brief_name(&w->brief, tt_run_unit(w->p->run, i).name));

        width = one > width ? one : width;
    }
    width = width > 48 ? 48 : width;
    tt_buf_fmt(w->b, "\n  %s", tt_show_ink(w->colours, TT_INK_DIM));
    tt_show_pad(w->b, "instance", width, 0, 0);
    tt_buf_fmt(w->b, "  %-6s %10s %7s%s\n", "kind", "steps", "time",
               tt_show_ink(w->colours, TT_INK_OFF));
    for (uint32_t i = 0; i < n && i < UNITS_SHOWN; i++)
        unit_row(w, i, width);
    if (n > UNITS_SHOWN)
        tt_buf_fmt(w->b, "  and %u more\n", n - UNITS_SHOWN);
}

void tt_summary_text(struct tt_buf *b, const struct tt_played *p)
{
    struct paper w = {.b = b,
                      .p = p,
                      .colours = tt_print_colours(1),
                      .terminal = tt_tty_is(1)};
    const tt_plan *plan = tt_run_plan(p->run);
    const tt_score *score = tt_run_score(p->run);
    const struct tt_notes *own = tt_run_notes(p->run);
    size_t from = b->len;

    tt_plan_brief(plan, &w.brief);
    headline(&w);
    timing(&w);
    method(&w);
    pace(&w);
    threads(&w);
    exchange(&w);
    notes(&w, p->play->note, p->play->n_note);
    notes(&w, plan->notes.note, plan->notes.n);
    notes(&w, own->note, own->n);
    notes(&w, score->note, score->n_note);
    files(&w);
    trust(&w);
    units(&w);
    tt_brief_text(&w.brief, b, from);
    tt_brief_fini(&w.brief);
}

/* --- for machines ------------------------------------------------------------
 */

static void json_warnings(struct tt_buf *b, const struct tt_warnings *warnings)
{
    tt_buf_str(b, "  \"warnings\": ");
    tt_warnings_json(b, warnings);
    tt_buf_str(b, ",\n");
}

static void json_threads(struct tt_buf *b, const tt_run *run)
{
    struct tt_run_threads t = tt_run_threads(run);

    tt_buf_fmt(b,
               "  \"threads\": {\"auto\": %s, \"wanted\": %u, \"made\": %u, "
               "\"used\": %u, \"cores\": %u, \"ahead\": %" PRIu64
               ", \"speed_up\": ",
               t.automatic ? "true" : "false", t.wanted, t.team.threads,
               t.team.used, t.cores, t.team.ahead);
    tt_show_json_num(b, t.team.speed_up);
    tt_buf_str(b, "},\n");
}

static void json_units(struct tt_buf *b, const tt_run *run)
{
    tt_buf_str(b, "  \"units\": [");
    for (uint32_t i = 0; i < tt_run_units(run); i++) {
        struct tt_run_unit u = tt_run_unit(run, i);

        tt_buf_str(b, i ? ",\n    {\"name\": " : "\n    {\"name\": ");
        tt_buf_json(b, u.name);
        tt_buf_fmt(b, ", \"kind\": \"%s\", \"model\": ", u.kind);
        tt_buf_json(b, u.model ? u.model : "");
        tt_buf_fmt(b, ", \"exchange\": \"%s\", \"steps\": %" PRIu64,
                   u.consistent ? "consistent" : "standard", u.steps);
        tt_json_num(b, ", \"time_share\": ", u.share);
        tt_json_num(b, ", \"max_lag\": ", u.max_lag);
        tt_buf_char(b, '}');
    }
    tt_buf_str(b, "\n  ],\n");
}

void tt_summary_json_notes(struct tt_buf *b, const struct tt_note *note,
                           size_t n, int *first)
{
    for (size_t i = 0; i < n; i++) {
        tt_buf_str(b, *first ? "\n    {\"topic\": " : ",\n    {\"topic\": ");
        tt_buf_json(b, note[i].topic);
        tt_json_text(b, ", \"text\": ", note[i].text);
        tt_buf_char(b, '}');
        *first = 0;
    }
}

static void json_paths(struct tt_buf *b, const struct tt_files *f)
{
    for (uint32_t i = 0; i < f->n; i++) {
        tt_buf_str(b, i ? ", " : "");
        tt_buf_json(b, f->path[i]);
    }
}

static void json_files(struct tt_buf *b, const struct tt_played *p)
{
    tt_buf_str(b, "  \"files\": [");
    if (p->rows)
        json_paths(b, &p->play->files);
    if (p->rows && p->play->report)
        tt_json_text(b, ", ", p->play->report);
    for (int i = 0; i < TT_SIDES; i++)
        if (p->rows && p->play->side[i])
            tt_json_text(b, ", ", p->play->side[i]);
    tt_buf_str(b, "],\n");
}

/* null, when the run need not keep to the clock */
static void json_pace(struct tt_buf *b, const struct tt_played *p)
{
    const struct tt_sc_real_time *o = &p->play->scenario->real_time;
    struct tt_pace_stats s = tt_run_pace(p->run);
    const struct {
        const char *key;
        double v;
    } number[] = {
        {"factor", s.factor},
        {"tolerance", o->tolerance},
        {"worst_lateness", s.worst},
        {"worst_t", s.overruns ? s.worst_t : (double)NAN},
        {"mean_lateness", tt_pace_mean(&s)},
    };

    if (!(o->factor > 0)) {
        tt_buf_str(b, "  \"real_time\": null,\n");
        return;
    }
    tt_buf_fmt(
        b, "  \"real_time\": {\"steps\": %" PRIu64 ", \"overruns\": %" PRIu64,
        s.steps, s.overruns);
    for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++) {
        tt_buf_fmt(b, ", \"%s\": ", number[i].key);
        tt_show_json_num(b, number[i].v);
    }
    tt_buf_str(b, "},\n");
}

/* null, when nothing explodes */
static void json_growth(struct tt_buf *b, const tt_run *run)
{
    struct tt_run_growth g = tt_run_growth(run);
    struct tt_buf name;

    if (g.cause == TT_GROWTH_NONE) {
        tt_buf_str(b, "  \"growth\": null,\n");
        return;
    }
    tt_buf_init(&name, 65536);
    tt_run_growth_name(run, &name);
    tt_json_text(b,
                 "  \"growth\": {\"instance\": ", tt_run_growth_instance(run));
    tt_json_text(b, ", \"variable\": ", name.failed ? "" : name.data);
    tt_json_num(b, ", \"since\": ", g.since);
    tt_json_num(b, ", \"factor\": ", g.factor);
    tt_buf_fmt(b, ", \"cause\": \"%s\"},\n", tt_run_growth_cause(run));
    tt_buf_fini(&name);
}

static void json_verdict(struct tt_buf *b, const tt_run *run)
{
    struct tt_run_verdict v;

    if (!tt_run_verdict(run, &v)) {
        tt_buf_str(b, "null");
        return;
    }
    tt_buf_fmt(b, "{\"result\": \"%s\", \"because\": ", v.word);
    tt_buf_json(b, v.because ? v.because : "");
    tt_json_text(b, ", \"entry\": ", v.entry);
    tt_json_num(b, ", \"t\": ", v.t);
    tt_buf_char(b, '}');
}

static void json_script(struct tt_buf *b, const tt_run *run)
{
    uint32_t n = tt_run_cues(run);

    if (!n)
        return;
    tt_buf_str(b, "  \"script\": {\"verdict\": ");
    json_verdict(b, run);
    tt_buf_str(b, ", \"entries\": [");
    for (uint32_t i = 0; i < n; i++) {
        struct tt_run_cue c = tt_run_cue(run, i);

        tt_buf_fmt(b, "%s\n    {\"name\": ", i ? "," : "");
        tt_buf_json(b, c.name);
        tt_buf_fmt(b, ", \"ends\": %s, \"count\": %" PRIu64 ", \"last\": ",
                   c.ends ? "true" : "false", c.n);
        tt_show_json_num(b, c.n ? c.last : (double)NAN);
        tt_buf_char(b, '}');
    }
    tt_buf_str(b, "\n  ]},\n");
}

static void json_expected(struct tt_buf *b, const tt_run *run, uint32_t i)
{
    static const char *const word[] = {"open", "held", "violated"};
    struct tt_run_expectation e = tt_run_expectation(run, i);
    struct tt_buf why;

    tt_buf_init(&why, TT_ERR_MAX);
    tt_run_expectation_why(run, i, &why);
    tt_buf_fmt(b, "%s\n    {\"name\": ", i ? "," : "");
    tt_buf_json(b, e.name);
    tt_buf_fmt(b, ", \"result\": \"%s\", \"fails\": %s, \"t\": ", word[e.is],
               e.fails ? "true" : "false");
    tt_show_json_num(b, e.t);
    tt_json_num(b, ", \"value\": ", e.value);
    tt_json_num(b, ", \"margin\": ", e.margin);
    tt_json_num(b, ", \"degree\": ", e.degree);
    tt_json_text(b, ", \"because\": ", why.len && !why.failed ? why.data : "");
    tt_buf_char(b, '}');
    tt_buf_fini(&why);
}

static void json_expect(struct tt_buf *b, const tt_run *run)
{
    uint32_t n = tt_run_expectations(run);

    if (!n)
        return;
    tt_buf_str(b, "  \"expect\": [");
    for (uint32_t i = 0; i < n; i++)
        json_expected(b, run, i);
    tt_buf_str(b, "\n  ],\n");
}

static void json_switching(struct tt_buf *b, const struct tt_played *p)
{
    struct tt_run_switching s = tt_run_switching(p->run);

    if (!s.n)
        return;
    tt_buf_fmt(b,
               "  \"switching\": {\"switches\": %" PRIu64
               ", \"guarded\": %s, \"requests\": %" PRIu64
               ", \"refused\": %" PRIu64 ", \"cut\": %" PRIu64 ", \"steps\": {",
               s.switches, s.guarded ? "true" : "false", s.requests, s.refused,
               s.cut);
    for (uint32_t i = 0; i < s.n; i++) {
        tt_buf_str(b, i ? ", " : "");
        tt_buf_json(b, p->play->scenario->policy[i].name);
        tt_buf_fmt(b, ": %" PRIu64, s.steps[i]);
    }
    tt_buf_str(b, "}},\n");
}

static void json_sequence(struct tt_buf *b, const tt_run *run)
{
    struct tt_run_sequence s = tt_run_sequence(run);

    if (!s.n)
        return;
    tt_buf_fmt(b,
               "  \"sequence\": {\"switches\": %" PRIu64
               ", \"guarded\": %s, \"refused\": %" PRIu64 ", \"cut\": %" PRIu64,
               s.switches, s.guarded ? "true" : "false", s.refused, s.cut);
    tt_json_num(b, ", \"estimate\": ", s.estimate);
    tt_buf_str(b, ", \"orders\": [");
    for (uint32_t i = 0; i < s.n; i++) {
        struct tt_buf name;

        tt_buf_init(&name, 4096);
        tt_run_sequence_order(run, i, &name);
        tt_buf_str(b, i ? ", {\"order\": " : "{\"order\": ");
        tt_buf_json(b, name.failed ? "" : name.data);
        tt_buf_fini(&name);
        tt_json_num(b, ", \"share\": ", s.share[i]);
        tt_json_num(b, ", \"estimate\": ", s.fixed[i]);
        tt_buf_char(b, '}');
    }
    tt_buf_fmt(b, "], \"best\": %u},\n", s.best + 1);
}

void tt_summary_json(struct tt_buf *b, const struct tt_played *p)
{
    const tt_plan *plan = tt_run_plan(p->run);
    const tt_score *score = tt_run_score(p->run);
    struct tt_run_steps steps = tt_run_step_account(p->run);
    double span = tt_run_time(p->run) - plan->experiment.start;
    int first = 1;

    tt_json_text(
        b, "{\n  \"outcome\": ", tt_play_outcome(p->code, tt_run_why(p->run)));
    tt_json_text(
        b, ",\n  \"message\": ", p->msg ? p->msg : tt_run_sentence(p->run));
    tt_json_text(b, ",\n  \"scenario\": ", p->play->scenario->name);
    tt_json_text(b, ",\n  \"master\": ", score->writer);
    tt_json_num(b, ",\n  \"start\": ", plan->experiment.start);
    tt_json_num(b, ",\n  \"end\": ", plan->experiment.end);
    tt_json_num(b, ",\n  \"step\": ", plan->step);
    tt_json_num(b, ",\n  \"least_step\": ", steps.least);
    tt_json_num(b, ",\n  \"most_step\": ", steps.most);
    tt_json_num(b, ",\n  \"t\": ", tt_run_time(p->run));
    tt_buf_fmt(b,
               ",\n  \"steps\": %" PRIu64 ",\n  \"rows\": %" PRIu64
               ",\n  \"variables\": %u,\n"
               "  \"rejected\": %" PRIu64 ",\n  \"doubled\": %" PRIu64
               ",\n  \"evaluations\": %" PRIu64 ",\n",
               tt_run_steps(p->run), p->rows, plan->n_column, steps.rejected,
               steps.doubled, tt_run_stats(p->run).evaluations);
    json_warnings(b, p->warnings);
    tt_json_num(b, "  \"wall_seconds\": ", p->wall);
    tt_json_num(b, ",\n  \"real_time_factor\": ", span / p->wall);
    tt_buf_str(b, ",\n");
    json_growth(b, p->run);
    json_script(b, p->run);
    json_expect(b, p->run);
    json_switching(b, p);
    json_sequence(b, p->run);
    if (p->play->beside)
        tt_buf_str(b, p->play->beside);
    tt_summary_json_sources(b, p);
    json_pace(b, p);
    json_files(b, p);
    json_threads(b, p->run);
    json_units(b, p->run);
    tt_residuals_json(b, p);
    if (p->play->profile) {
        tt_buf_str(b, "  \"profile\": ");
        tt_profile_json(b, p->run);
        tt_buf_str(b, ",\n");
    }
    tt_buf_str(b, "  \"decisions\": [");
    tt_summary_json_notes(b, p->play->note, p->play->n_note, &first);
    tt_summary_json_notes(b, plan->notes.note, plan->notes.n, &first);
    tt_summary_json_notes(b, tt_run_notes(p->run)->note,
                          tt_run_notes(p->run)->n, &first);
    tt_summary_json_notes(b, score->note, score->n_note, &first);
    tt_buf_str(b, "\n  ]\n}\n");
}

/* One line: a line end in JSON is but a blank. */
static void last_line(struct tt_buf *b, const char *text, size_t n)
{
    tt_buf_str(b, "{\"type\":\"end\",\"summary\":");
    for (size_t i = 0; i < n; i++)
        if (text[i] != '\n')
            tt_buf_char(b, text[i]);
    tt_buf_str(b, "}\n");
}

enum tt_code tt_play_print(const struct tt_play *p, const char *text, size_t n,
                           tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    if (!p->control)
        return tt_print_bytes(text, n, err);
    tt_buf_init(&b, TT_SHOW_MAX);
    last_line(&b, text, n);
    rc = tt_buf_check(&b, "the output", err);
    if (rc == TT_OK)
        rc = tt_print_bytes(b.data, b.len, err);
    tt_buf_fini(&b);
    return rc;
}

void tt_play_json_failure(const struct tt_play *p,
                          const struct tt_warnings *warnings, const char *msg,
                          uint64_t rows, double t)
{
    struct tt_buf b;
    tt_err err;

    tt_buf_init(&b, TT_SHOW_MAX);
    tt_json_text(&b, "{\n  \"outcome\": \"failed\",\n  \"message\": ", msg);
    tt_buf_fmt(&b, ",\n  \"rows\": %" PRIu64 ",\n  \"t\": ", rows);
    tt_show_json_num(&b, t);
    tt_buf_str(&b, ",\n");
    json_warnings(&b, warnings);
    tt_buf_str(&b, "  \"files\": [");
    if (rows)
        json_paths(&b, &p->files);
    tt_buf_str(&b, "]\n}\n");
    if (tt_buf_check(&b, "the output", &err) != TT_OK ||
        tt_play_print(p, b.data, b.len, &err) != TT_OK)
        (void)tt_print_error(&err);
    tt_buf_fini(&b);
}
