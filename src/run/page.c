/* SPDX-License-Identifier: MIT */
#include "run/page.h"

#include <string.h>

#include "base/buf.h"
#include "results/pattern.h"
#include "results/report.h"
#include "results/series.h"
#include "sys/clock.h"

struct page {
    struct tt_report r;
    const struct tt_page *p;
    tt_arena *arena; /* owned: what the report borrows */
    struct tt_panels panels, steps;
    struct tt_buf score, picture, trust, pace;
    char made[32];
};

static void add_notes(struct page *g, const struct tt_note *note, size_t n,
                      struct tt_report_decision *decision,
                      const char **conversion)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(note[i].topic, "conversion") == 0)
            conversion[g->r.n_conversion++] = note[i].text;
        else
            decision[g->r.n_decision++] = (struct tt_report_decision){
                .topic = note[i].topic, .text = note[i].text};
    }
}

static int fill_decisions(struct page *g)
{
    const tt_plan *plan = tt_run_plan(g->p->run);
    const tt_score *score = tt_run_score(g->p->run);
    size_t n = plan->n_note + score->n_note + g->p->n_note;
    struct tt_report_decision *d = tt_arena_alloc(g->arena, n, sizeof(*d));
    const char **c = tt_arena_alloc(g->arena, n, sizeof(*c));

    if (!d || !c)
        return -1;
    add_notes(g, g->p->note, g->p->n_note, d, c);
    add_notes(g, plan->note, plan->n_note, d, c);
    add_notes(g, score->note, score->n_note, d, c);
    g->r.decision = d;
    g->r.conversion = c;
    return 0;
}

static int fill_units(struct page *g)
{
    const tt_run *run = g->p->run;
    uint32_t n = tt_run_units(run);
    struct tt_report_unit *u = tt_arena_alloc(g->arena, n, sizeof(*u));

    if (!u)
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        struct tt_run_unit one = tt_run_unit(run, i);

        u[i] = (struct tt_report_unit){
            .name = one.name,
            .kind = one.kind,
            .model = one.model,
            .exchange = one.consistent ? "consistent" : "standard",
            .steps = one.steps,
            .time_share = one.share * 100,
            .max_lag = one.max_lag * tt_run_plan(run)->step,
        };
    }
    g->r.unit = u;
    g->r.n_unit = n;
    return 0;
}

static void fill_method(struct page *g)
{
    const tt_plan *plan = tt_run_plan(g->p->run);

    g->r.start = plan->experiment.start;
    g->r.end = plan->experiment.end;
    g->r.step = plan->variable ? 0 : plan->step;
    g->r.master = tt_run_score(g->p->run)->writer;
    g->r.approximation = plan->n_course ? plan->courses : "hold";
    g->r.n_connection = plan->n_feed;
    tt_score_print(tt_run_score(g->p->run), &g->score);
    tt_score_svg(tt_run_score(g->p->run), &g->picture);
    if (!g->score.failed)
        g->r.score = g->score.data;
    if (!g->picture.failed)
        g->r.score_svg = g->picture.data;
}

static int estimates_error(const struct page *g)
{
    const tt_plan *p = tt_run_plan(g->p->run);

    for (uint32_t i = 0; i < p->n_constraint; i++)
        if (p->scenario->constraint[i].kind == TT_CONSTRAINT_ERROR)
            return 1;
    return 0;
}

/* Constraints keep a step short where they look; nobody measured the rest. */
static void trust_variable(struct page *g)
{
    tt_buf_str(&g->trust, "The step was chosen by constraints (");
    tt_run_step_text(g->p->run, &g->trust);
    tt_buf_str(&g->trust, estimates_error(g)
                              ? "), with an estimate of its error. "
                              : "), and its error was not estimated. ");
    tt_buf_str(&g->trust,
               "To see how far to trust "
               "these numbers, run again with tighter constraints or a smaller "
               "largest step and see how much they change.");
    if (!g->trust.failed)
        g->r.trust = g->trust.data;
}

/* To whoever typed a command we can say which one to type next. */
static void fill_trust(struct page *g)
{
    if (tt_run_plan(g->p->run)->variable) {
        trust_variable(g);
        return;
    }
    tt_buf_str(&g->trust,
               "The step was fixed and its error was not estimated. To see how "
               "far to trust these numbers, run again with half the step ");
    if (g->p->command)
        tt_buf_str(&g->trust, "(--step H/2 --output half.csv) ");
    tt_buf_str(&g->trust, "and see how much they change");
    if (g->p->command)
        tt_buf_fmt(&g->trust, ": tutti compare half.csv %s --tol 1e-3,1e-3",
                   g->p->n_file && strcmp(g->p->file[0], "-") != 0
                       ? g->p->file[0]
                       : "outputs.csv");
    tt_buf_char(&g->trust, '.');
    if (!g->trust.failed)
        g->r.trust = g->trust.data;
}

static void fill_outcome(struct page *g)
{
    const struct tt_page *p = g->p;
    int stopped = tt_run_why(p->run) == TT_RUN_STOPPED;

    g->r.outcome = p->code != TT_OK ? TT_REPORT_FAILED
                   : stopped        ? TT_REPORT_STOPPED
                                    : TT_REPORT_COMPLETED;
    g->r.status = p->msg ? p->msg : tt_run_sentence(p->run);
    fill_trust(g);
}

static void fill_pace(struct page *g)
{
    if (tt_run_pace_text(g->p->run, &g->pace) && !g->pace.failed)
        g->r.pace = g->pace.data;
}

static int fill(struct page *g)
{
    const struct tt_page *p = g->p;

    if (fill_decisions(g) || fill_units(g))
        return -1;
    tt_clock_text(g->made, sizeof(g->made));
    g->r.title = g->r.scenario = p->name;
    g->r.command = p->command;
    g->r.made = g->made;
    g->r.version = p->version;
    g->r.file = p->file;
    g->r.n_file = p->n_file;
    if (p->said) {
        g->r.log = p->said->record;
        g->r.n_log = p->said->n;
        g->r.warning = p->said->warning;
        g->r.n_warning = p->said->n_warning;
    }
    g->r.panels = &g->panels;
    g->r.steps = &g->steps;
    fill_pace(g);
    fill_outcome(g);
    fill_method(g);
    return 0;
}

static enum tt_code table_panels(struct tt_panels *panels,
                                 const tt_table *table, tt_err *err)
{
    uint32_t *column = NULL;
    size_t n = 0;
    enum tt_code rc = tt_pattern_select(table, NULL, 0, &column, &n, err);

    if (rc == TT_OK)
        rc = tt_panels_from_table(panels, table, column, n, 1, err);
    tt_free(column);
    return rc;
}

enum tt_code tt_page_write(const char *path, const struct tt_page *p,
                           tt_err *err)
{
    struct page g = {.p = p, .arena = tt_arena_new()};
    enum tt_code rc = TT_OK;

    tt_buf_init(&g.score, TT_REPORT_MAX_BYTES);
    tt_buf_init(&g.picture, TT_REPORT_MAX_BYTES);
    tt_buf_init(&g.trust, 65536);
    tt_buf_init(&g.pace, 65536);
    if (!g.arena || fill(&g) != 0)
        rc = tt_fail(err, TT_ENOMEM, "writing %s: out of memory", path);
    if (rc == TT_OK && p->trace)
        rc = tt_panels_from_trace(&g.panels, p->trace, 1, err);
    else if (rc == TT_OK && p->table)
        rc = table_panels(&g.panels, p->table, err);
    if (rc == TT_OK && p->steps)
        rc = tt_steplog_panels(p->steps, &g.steps, err);
    if (rc == TT_OK)
        rc = tt_report_write(path, &g.r, err);
    tt_panels_fini(&g.panels);
    tt_panels_fini(&g.steps);
    tt_buf_fini(&g.score);
    tt_buf_fini(&g.picture);
    tt_buf_fini(&g.trust);
    tt_buf_fini(&g.pace);
    tt_arena_free(g.arena);
    return rc;
}
