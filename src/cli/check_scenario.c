/* SPDX-License-Identifier: MIT */
#include "adapt/adapt.h"
#include "base/num.h"
#include "cli/check.h"
#include "cli/play.h"
#include "cli/problems.h"
#include "cli/print.h"
#include "compose/compose.h"
#include "fmi/fmu.h"
#include "kinds/kinds.h"
#include "run/run.h"

static enum tt_code check_inside(const tt_scenario *s,
                                 const struct tt_source *source, tt_err *err);

static enum tt_code check_fmu(const char *path, tt_err *err)
{
    const char *name;
    tt_fmu *fmu = NULL;
    enum tt_code rc = tt_fmu_open(&fmu, path, err);

    if (rc == TT_OK)
        rc = tt_fmu_library_name(fmu, &name, err);
    tt_fmu_close(fmu);
    return rc;
}

/* Can it be loaded here? Only its files are looked at. That it does not contain
 * itself is known by now. */
static enum tt_code check_source(const tt_scenario *s,
                                 const struct tt_source *source, tt_err *err)
{
    const struct tt_kind_ops *kind;
    unsigned traits =
        TT_KIND_FOREIGN; /* what is none gives its reason, below */

    if (tt_compose_kind_for(&kind, source, NULL) == TT_OK)
        traits = kind->traits;
    if (!traits || traits & TT_KIND_FAR ||
        strncmp(source->path, "coe:", 4) == 0)
        return TT_OK;
    return traits & TT_KIND_MADE_OF ? check_inside(s, source, err)
                                    : check_fmu(source->path, err);
}

static enum tt_code check_binary(const tt_scenario *s,
                                 const struct tt_sc_fmu *f, tt_err *err)
{
    const struct tt_source source = {.path = f->path, .inner = f->inner};
    enum tt_code rc = check_source(s, &source, err);
    char at[512];

    if (rc == TT_OK || f->where.file == TT_NONE)
        return rc;
    tt_scenario_place(s, f->where, &err->place);
    for (uint32_t u = 0; u < s->n_unit && !err->place.unit[0]; u++)
        if (&s->fmu[s->unit[u].fmu] == f)
            tt_spot_of(&err->place, s->unit[u].name, NULL);
    return tt_context(err, rc, "%s: FMU '%s'",
                      tt_scenario_at(s, f->where, at, sizeof(at)), f->key);
}

/* All of them, each for itself. */
static enum tt_code check_binaries(const tt_scenario *s,
                                   const struct tt_log *log, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < s->n_fmu; i++) {
        enum tt_code one = check_binary(s, &s->fmu[i], err);

        if (one == TT_OK)
            continue;
        rc = one;
        if (!tt_log_problem(log, rc, err))
            break;
    }
    return rc;
}

static enum tt_code check_place(void *ctx, const char *path, const char **name,
                                tt_err *err)
{
    (void)name;
    return check_source(ctx, &(struct tt_source){.path = path}, err);
}

/* What an adaptation names. */
static enum tt_code check_program(const tt_scenario *s, const char *path,
                                  tt_err *err)
{
    const struct tt_unit_move all = {(void *)(uintptr_t)s, check_place};
    struct tt_buf text;
    enum tt_code rc;

    tt_buf_init(&text, TT_SHOW_MAX);
    rc = tt_adapt_moved(path, &all, &text, err);
    tt_buf_fini(&text);
    return rc;
}

static enum tt_code check_inside(const tt_scenario *s,
                                 const struct tt_source *source, tt_err *err)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    tt_scenario *inner = NULL;
    enum tt_code rc;

    if (source->inner)
        return check_binaries(source->inner, NULL, err);
    if (tt_kind_adapted.accepts(source))
        return check_program(s, source->path, err);
    o.inside = 1;
    o.base = s->base;
    o.only_base = s->only_base;
    rc = tt_scenario_load(&inner, &source->path, 1, &o, NULL, err);
    if (rc == TT_OK)
        rc = check_binaries(inner, NULL, err);
    tt_scenario_free(inner);
    return rc;
}

/* --- for people
 * ------------------------------------------------------------------ */

static void notes_text(struct tt_buf *b, const struct tt_note *note, size_t n,
                       int c)
{
    for (size_t i = 0; i < n; i++) {
        tt_buf_fmt(b, "  %s", tt_show_ink(c, TT_INK_DIM));
        tt_show_pad(b, note[i].topic, 14, 0, 0);
        tt_buf_fmt(b, "%s ", tt_show_ink(c, TT_INK_OFF));
        tt_show_clean(b, note[i].text);
        tt_buf_char(b, '\n');
    }
}

static void result_text(struct tt_buf *b, const tt_run *run, const char *name)
{
    const tt_plan *plan = tt_run_plan(run);
    const tt_score *score = tt_run_score(run);
    int c = tt_print_colours(1);
    size_t from = b->len;
    struct tt_brief brief;
    char h[TT_NUM_MAX], t0[TT_NUM_MAX], t1[TT_NUM_MAX];

    tt_num_print_short(h, plan->step);
    tt_num_print_short(t0, plan->experiment.start);
    tt_num_print_short(t1, plan->experiment.end);
    tt_show_clean(b, name);
    tt_buf_fmt(b, ": %sok%s (", tt_show_ink(c, TT_INK_GREEN),
               tt_show_ink(c, TT_INK_OFF));
    tt_show_count(b, plan->n_unit, "instance", "instances");
    tt_buf_str(b, ", ");
    tt_show_count(b, plan->n_feed, "connection", "connections");
    tt_buf_fmt(b, ", %s, t=%s to %s s ", score->writer, t0, t1);
    if (plan->by_events)
        tt_buf_str(b, "from event to event, ");
    else
        tt_buf_fmt(b, "in steps of %s s, ", h);
    tt_show_count(b, plan->n_column, "variable recorded)\n",
                  "variables recorded)\n");
    notes_text(b, plan->notes.note, plan->notes.n, c);
    notes_text(b, tt_run_notes(run)->note, tt_run_notes(run)->n, c);
    notes_text(b, score->note, score->n_note, c);
    tt_plan_brief(plan, &brief);
    tt_brief_text(&brief, b, from);
    tt_brief_fini(&brief);
}

/* --- for machines
 * ------------------------------------------------------------------ */

static void result_json(struct tt_buf *b, const tt_run *run,
                        const struct tt_problems *p, int ok)
{
    int first = 1;

    tt_buf_fmt(b, "{\n  \"ok\": %s,\n  \"problems\": ", ok ? "true" : "false");
    tt_problems_json(b, &p->error);
    tt_buf_str(b, ",\n  \"warnings\": ");
    tt_problems_json(b, &p->warning);
    tt_buf_str(b, ",\n  \"decisions\": [");
    if (run) {
        const tt_plan *plan = tt_run_plan(run);
        const tt_score *score = tt_run_score(run);

        tt_summary_json_notes(b, plan->notes.note, plan->notes.n, &first);
        tt_summary_json_notes(b, tt_run_notes(run)->note, tt_run_notes(run)->n,
                              &first);
        tt_summary_json_notes(b, score->note, score->n_note, &first);
    }
    tt_buf_str(b, "]\n}\n");
}

static enum tt_exit show(const struct tt_check_args *a, const tt_run *run,
                         const struct tt_problems *p, enum tt_code rc,
                         const char *name)
{
    enum tt_exit code = p->error.n ? tt_print_exit(rc) : TT_EXIT_OK;
    size_t warnings = a->strict ? p->warning.n : 0;
    struct tt_buf b;

    for (size_t i = 0; i < p->error.n; i++) {
        tt_err err;

        tt_fail(&err, rc, "%s", p->error.item[i].text);
        (void)tt_print_error(&err);
    }
    if (warnings && !p->error.n) {
        tt_err err;

        tt_fail(&err, TT_EINPUT, "--strict: %s has %zu warning%s", name,
                warnings, warnings == 1 ? "" : "s");
        code = tt_print_error(&err);
    }
    tt_buf_init(&b, TT_SHOW_MAX);
    if (a->json)
        result_json(&b, p->error.n ? NULL : run, p, !p->error.n && !warnings);
    else if (!a->quiet && !p->error.n && !warnings)
        result_text(&b, run, name);
    code = tt_print_out(&b, code);
    tt_buf_fini(&b);
    return code;
}

struct checked {
    tt_scenario *scenario;
    tt_run *run;
};

/* Each stage goes on with what the one before has left. *rc is that of the
 * last problem. */
static void look(const struct tt_cli *cli, const struct tt_check_args *a,
                 struct tt_problems *p, struct checked *c, enum tt_code *rc)
{
    size_t before = p->error.n;
    tt_err err;

    *rc = tt_source_load(&c->scenario, cli, &a->source, &p->log, &err);
    if (*rc == TT_OK) {
        before = p->error.n;
        *rc = tt_run_new(&c->run, c->scenario,
                         &(struct tt_run_opts){.log = &p->log,
                                               .kind_cb = tt_compose_kind_for},
                         &err);
    }
    if (*rc == TT_OK) {
        before = p->error.n;
        *rc = check_binaries(c->scenario, &p->log, &err);
    }
    if (*rc != TT_OK)
        tt_problems_add(p, before, &err);
    else if (p->error.n)
        *rc = TT_EINPUT; /* passed over while loading */
}

enum tt_code tt_check_scenario(struct tt_cli *cli,
                               const struct tt_check_args *a, tt_err *err)
{
    struct tt_sink sink = {0};
    struct tt_problems p = {.starved = 0};
    struct checked c = {NULL, NULL};
    enum tt_code last,
        rc =
            tt_sink_init(&sink, &(struct tt_sink_opts){.quiet = a->quiet}, err);

    if (rc == TT_OK)
        rc = tt_problems_init(&p, &sink.log, err);
    if (rc == TT_OK) {
        look(cli, a, &p, &c, &last);
        if (p.starved)
            rc = tt_nomem(err, "checking");
        else
            cli->exit = show(a, c.run, &p, last, cli->words.word[0]);
    }
    tt_run_free(c.run);
    tt_scenario_free(c.scenario);
    tt_problems_fini(&p);
    tt_sink_fini(&sink);
    return rc;
}
