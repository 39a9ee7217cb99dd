/* SPDX-License-Identifier: MIT */
#include "run/page.h"

#include <string.h>

#include "base/buf.h"
#include "base/num.h"
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
    struct tt_brief brief;
    char made[32];
};

/* A text with short names; as it is without memory. */
static const char *brief_text(struct page *g, const char *text)
{
    struct tt_buf b;
    const char *brief = NULL;

    tt_buf_init(&b, TT_REPORT_MAX_BYTES);
    tt_buf_str(&b, text);
    tt_brief_text(&g->brief, &b, 0);
    if (!b.failed)
        brief = tt_arena_strdup(g->arena, b.data);
    tt_buf_fini(&b);
    return brief ? brief : text;
}

static void add_notes(struct page *g, const struct tt_note *note, size_t n,
                      struct tt_report_decision *decision,
                      const char **conversion)
{
    for (size_t i = 0; i < n; i++) {
        const char *text = brief_text(g, note[i].text);

        if (strcmp(note[i].topic, "conversion") == 0)
            conversion[g->r.n_conversion++] = text;
        else
            decision[g->r.n_decision++] = (struct tt_report_decision){
                .topic = note[i].topic, .text = text};
    }
}

static int fill_decisions(struct page *g)
{
    const tt_plan *plan = tt_run_plan(g->p->run);
    const tt_score *score = tt_run_score(g->p->run);
    const struct tt_notes *own = tt_run_notes(g->p->run);
    size_t n = plan->notes.n + own->n + score->n_note + g->p->n_note;
    struct tt_report_decision *d = tt_arena_alloc(g->arena, n, sizeof(*d));
    const char **c = tt_arena_alloc(g->arena, n, sizeof(*c));

    if (!d || !c)
        return -1;
    add_notes(g, g->p->note, g->p->n_note, d, c);
    add_notes(g, plan->notes.note, plan->notes.n, d, c);
    add_notes(g, own->note, own->n, d, c);
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
            .name = tt_brief_name(&g->brief, one.name),
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
    g->r.step = plan->variable || plan->by_events ? 0 : plan->step;
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

/* Constraints keep a step short where they look; the rest is not measured. */
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
}

/* After a command the one to type next can be named. */
static void trust_fixed(struct page *g)
{
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
}

static void fill_trust(struct page *g)
{
    const tt_plan *p = tt_run_plan(g->p->run);

    if (p->variable)
        trust_variable(g);
    else if (p->discrete)
        tt_buf_str(&g->trust, "Time went from event to event: there was no "
                              "step that could be too long.");
    else
        trust_fixed(g);
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

static int fill_sources(struct page *g)
{
    const tt_run *run = g->p->run;
    uint32_t n = tt_run_sources(run);
    struct tt_report_source *s =
        tt_arena_alloc(g->arena, n + g->p->n_part, sizeof(*s));

    if (!s)
        return -1;
    for (uint32_t i = 0; i < n; i++) {
        const struct tt_run_source *one = tt_run_source(run, i);

        s[i] = (struct tt_report_source){
            TT_SAME(one, key, path, model, version, tool, sha256)};
    }
    if (g->p->n_part)
        memcpy(s + n, g->p->part, g->p->n_part * sizeof(*s));
    g->r.source = s;
    g->r.n_source = n + g->p->n_part;
    return 0;
}

/* A text of the page's own, from words; 0: no memory. */
static const char *keep(struct page *g, struct tt_buf *words)
{
    const char *text =
        words->failed ? NULL : tt_arena_strdup(g->arena, words->data);

    tt_buf_clear(words);
    return text;
}

static int fill_settings(struct page *g, struct tt_buf *words)
{
    const tt_plan *plan = tt_run_plan(g->p->run);
    const char **text = tt_arena_alloc(g->arena, plan->n_start, sizeof(*text));

    for (uint32_t i = 0; text && i < plan->n_start; i++) {
        if (!plan->start[i].given)
            continue;
        tt_run_setting_text(g->p->run, &plan->start[i], words);
        text[g->r.n_setting] = keep(g, words);
        if (!text[g->r.n_setting++])
            return -1;
    }
    g->r.setting = text;
    return text ? 0 : -1;
}

static void put_value(struct tt_buf *out, const char *before, double v,
                      const char *after)
{
    char number[TT_NUM_MAX];

    tt_num_print_digits(number, v, 4);
    tt_buf_fmt(out, "%s%s%s", before, number, after);
}

static void put_bond(const struct tt_run_bond *b, struct tt_buf *out)
{
    tt_buf_fmt(out, "energy of bond '%s': ", b->name);
    put_value(out, "", b->net, " J");
    put_value(out, ", in amounts ", b->gross, " J");
}

static void put_error(const struct tt_run_error *e, struct tt_buf *out)
{
    put_value(out, "error estimate of a step, 1 is tolerated: at most ",
              e->largest, "");
    put_value(out, ", on average ", e->mean, "");
}

static void put_iteration(const struct tt_part_stats *s, struct tt_buf *out)
{
    tt_buf_fmt(out, "%llu evaluations of repeated steps, ",
               (unsigned long long)s->evaluations);
    put_value(out, "left with a disagreement of at most ", s->residual, "");
    if (s->unconverged)
        tt_buf_fmt(out, ", %llu did not agree",
                   (unsigned long long)s->unconverged);
}

static int fill_residuals(struct page *g, struct tt_buf *words)
{
    const tt_run *run = g->p->run;
    struct tt_run_error e = tt_run_error(run);
    struct tt_part_stats s = tt_run_stats(run);
    uint32_t n = tt_run_bonds(run);
    const char **text = tt_arena_alloc(g->arena, n + 2, sizeof(*text));
    size_t k = 0;

    for (uint32_t i = 0; text && i < n; i++) {
        struct tt_run_bond b = tt_run_bond(run, i);

        put_bond(&b, words);
        text[k++] = keep(g, words);
    }
    if (text && e.estimated) {
        put_error(&e, words);
        text[k++] = keep(g, words);
    }
    if (text && s.evaluations) {
        put_iteration(&s, words);
        text[k++] = keep(g, words);
    }
    g->r.residual = text;
    g->r.n_residual = k;
    return text ? 0 : -1;
}

static int fill_facts(struct page *g)
{
    struct tt_buf words;
    int rc;

    tt_buf_init(&words, 65536);
    rc = fill_sources(g) || fill_settings(g, &words) ||
         fill_residuals(g, &words);
    tt_buf_fini(&words);
    return rc ? -1 : 0;
}

/* Where only the first events are known, marks would end in the middle. */
static int fill_events(struct page *g)
{
    const struct tt_logbook *l = g->p->logbook;
    double *at = tt_arena_alloc(g->arena, l->n_event, sizeof(*at));

    if (!at)
        return -1;
    g->r.event = l->event;
    g->r.n_event = l->n_event;
    g->r.more_events = l->more_events;
    g->r.instant = at;
    for (size_t i = 0; i < l->n_event && !l->more_events; i++)
        if (!i || l->event[i].t != l->event[i - 1].t)
            at[g->r.n_instant++] = l->event[i].t;
    return 0;
}

static int fill(struct page *g)
{
    const struct tt_page *p = g->p;

    if (fill_decisions(g) || fill_units(g) || fill_facts(g) ||
        (p->logbook && fill_events(g)))
        return -1;
    tt_clock_text(g->made, sizeof(g->made));
    g->r.title = g->r.scenario = p->name;
    g->r.command = p->command;
    g->r.made = g->made;
    g->r.version = p->version;
    g->r.file = p->file;
    g->r.n_file = p->n_file;
    if (p->logbook) {
        g->r.log = p->logbook->record;
        g->r.n_log = p->logbook->n;
        g->r.warning = p->logbook->warning;
        g->r.n_warning = p->logbook->n_warning;
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
    tt_plan_brief(tt_run_plan(p->run), &g.brief);
    if (!g.arena || fill(&g) != 0)
        rc = tt_fail(err, TT_ENOMEM, "writing %s: out of memory", path);
    if (rc == TT_OK && p->curves)
        rc = tt_panels_from_curves(&g.panels, p->curves, 1, err);
    else if (rc == TT_OK && p->table)
        rc = table_panels(&g.panels, p->table, err);
    if (rc == TT_OK && p->steps)
        rc = tt_steplog_panels(p->steps, &g.steps, err);
    if (rc == TT_OK)
        rc = tt_report_write(path, &g.r, err);
    tt_panels_fini(&g.panels);
    tt_panels_fini(&g.steps);
    tt_brief_fini(&g.brief);
    tt_buf_fini(&g.score);
    tt_buf_fini(&g.picture);
    tt_buf_fini(&g.trust);
    tt_buf_fini(&g.pace);
    tt_arena_free(g.arena);
    return rc;
}
