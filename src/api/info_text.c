/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "api/grid.h"
#include "api/info.h"
#include "base/show.h"
#include "sys/lib.h"

struct paper {
    struct tt_buf *b;
    tt_fmu *fmu;
    const struct tt_md *md;
    tt_arena *arena; /* for the cells of tables */
    int colours;
    size_t width; /* 0: no limit */
};

static void line(const struct paper *w, const char *name, const char *text)
{
    if (!text || !*text)
        return;
    tt_show_label(w->b, w->colours, name);
    tt_show_clean(w->b, text);
    tt_buf_char(w->b, '\n');
}

static void heading(const struct paper *w, const char *text)
{
    tt_buf_fmt(w->b, "\n%s%s%s\n", tt_show_ink(w->colours, TT_INK_BOLD), text,
               tt_show_ink(w->colours, TT_INK_OFF));
}

/* --- the model ---------------------------------------------------------------
 */

struct joined {
    struct tt_buf *b;
    int n;
};

static void join_platform(void *ctx, const char *platform)
{
    struct joined *j = ctx;
    int ours = strcmp(platform, tt_platform_fmi2()) == 0 ||
               strcmp(platform, tt_platform_fmi3()) == 0;

    tt_buf_str(j->b, j->n++ ? ", " : "");
    tt_show_clean(j->b, platform);
    if (ours)
        tt_buf_str(j->b, " (this one)");
}

static enum tt_code platforms(const struct paper *w, tt_err *err)
{
    struct tt_buf names;
    struct joined j = {.b = &names};
    enum tt_code rc;

    tt_buf_init(&names, 65536);
    rc = tt_fmu_platforms(tt_fmu_archive(w->fmu), join_platform, &j, err);
    line(w, "platforms", names.data ? names.data : "none: no binaries");
    tt_buf_fini(&names);
    return rc;
}

static enum tt_code layers(const struct paper *w, tt_err *err)
{
    struct tt_buf names;
    enum tt_code rc;

    tt_buf_init(&names, 65536);
    rc = tt_info_layers_text(&names, w->fmu, err);
    line(w, "standards", names.data);
    tt_buf_fini(&names);
    return rc;
}

static void experiment(const struct paper *w)
{
    const struct tt_md_experiment *e = &w->md->experiment;
    const struct {
        int has;
        double v;
        const char *words;
    } part[] = {
        {e->has_start, e->start, "from "},
        {e->has_stop, e->stop, "to "},
        {e->has_step, e->step, "step "},
        {e->has_tolerance, e->tolerance, "tolerance "},
    };
    char number[TT_NUM_MAX];
    const char *comma = "";

    if (!e->has_start && !e->has_stop && !e->has_step && !e->has_tolerance)
        return;
    tt_show_label(w->b, w->colours, "experiment");
    for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++) {
        if (!part[i].has)
            continue;
        tt_num_print_short(number, part[i].v);
        tt_buf_fmt(w->b, "%s%s%s%s", comma, part[i].words, number,
                   i < 3 ? " s" : "");
        comma = ", ";
    }
    tt_buf_char(w->b, '\n');
}

static void capabilities(const struct paper *w, const char *name,
                         const struct tt_md_interface *i)
{
    const struct {
        int has;
        const char *words;
    } cap[] = {
        {i->variable_step, "variable step"},
        {i->get_set_state, "saves state"},
        {i->serialize_state, "serialises state"},
        {i->interpolate_inputs, "input derivatives"},
        {i->max_output_derivative > 0, "output derivatives"},
        {i->directional_derivatives, "directional derivatives"},
        {i->adjoint_derivatives, "adjoint derivatives"},
        {i->event_mode, "event mode"},
        {i->intermediate_update, "intermediate update"},
        {i->can_return_early, "early return"},
        {i->once_per_process, "once per process"},
        {i->needs_execution_tool, "needs its tool"},
    };
    const char *comma = "";

    if (!i->present)
        return;
    tt_show_label(w->b, w->colours, name);
    tt_show_clean(w->b, i->model_identifier ? i->model_identifier : "?");
    tt_buf_str(w->b, ": ");
    for (size_t k = 0; k < sizeof(cap) / sizeof(*cap); k++) {
        if (!cap[k].has)
            continue;
        tt_buf_fmt(w->b, "%s%s", comma, cap[k].words);
        comma = ", ";
    }
    tt_buf_fmt(w->b, "%s\n", *comma ? "" : "no optional capabilities");
}

static uint64_t elements(const struct tt_md *md, const struct tt_md_unknowns *u)
{
    uint64_t n = 0;

    for (uint32_t i = 0; i < u->n; i++)
        n += md->var[u->item[i].var].size;
    return n;
}

/* What is left to the importer. */
static void states(const struct paper *w)
{
    const struct tt_md *md = w->md;
    uint64_t n =
        md->version == TT_FMI_1 ? md->state_n : elements(md, &md->derivative);
    uint64_t z = md->version == TT_FMI_3 ? elements(md, &md->event_indicator)
                                         : md->event_indicator_n;

    if (!md->me.present)
        return;
    tt_show_label(w->b, w->colours, "");
    tt_buf_fmt(w->b, "%llu state%s, %llu event indicator%s\n",
               (unsigned long long)n, n == 1 ? "" : "s", (unsigned long long)z,
               z == 1 ? "" : "s");
}

static enum tt_code model(const struct paper *w, tt_err *err)
{
    const struct tt_md *md = w->md;
    enum tt_code rc;

    tt_buf_str(w->b, tt_show_ink(w->colours, TT_INK_BOLD));
    tt_show_clean(w->b, md->model_name ? md->model_name : "(no name)");
    tt_buf_fmt(w->b, "%s  FMI ", tt_show_ink(w->colours, TT_INK_OFF));
    tt_show_clean(w->b, md->fmi_version);
    tt_buf_fmt(w->b, ", %s\n", tt_md_interfaces(md));
    line(w, "description", md->description);
    line(w, "file", tt_fmu_path(w->fmu));
    line(w, "version", md->model_version);
    line(w, "author", md->author);
    line(w, "made by", md->generation_tool);
    line(w, "made on", md->generation_date);
    line(w, "licence", md->license);
    line(w, "copyright", md->copyright);
    line(w, md->version == TT_FMI_3 ? "token" : "guid", md->token);
    rc = platforms(w, err);
    experiment(w);
    capabilities(w, "co-simulation", &md->cs);
    capabilities(w, "model exchange", &md->me);
    states(w);
    capabilities(w, "scheduled", &md->se);
    return rc == TT_OK ? layers(w, err) : rc;
}

/* --- variables -------------------------------------------------------------
 */

void tt_info_start(struct tt_buf *b, const struct tt_md_var *v, uint64_t i)
{
    char text[TT_TEXT_MAX];
    char number[TT_NUM_MAX];
    const char *at = v->start;

    if (tt_type_is_text(v->type)) {
        if (v->type == TT_TEXT)
            tt_buf_str(b, v->start_bytes[i].s);
        else
            tt_buf_fmt(b, "%zu bytes", v->start_bytes[i].n);
        return;
    }
    if (tt_type_is_float(v->type)) {
        tt_num_print_short(
            number,
            tt_value_as_double(v->type, at + i * tt_type_size(v->type)));
        tt_buf_str(b, number);
        return;
    }
    tt_value_print(text, v->type, at + i * tt_type_size(v->type));
    tt_buf_str(b, text);
}

static void values_cell(struct tt_buf *b, const struct tt_md_var *v)
{
    uint64_t shown = v->start_n < 4 ? v->start_n : 4;

    for (uint64_t i = 0; i < shown; i++) {
        tt_buf_str(b, i ? " " : "");
        tt_info_start(b, v, i);
    }
    if (shown < v->start_n)
        tt_buf_str(b, " ...");
}

/* When a clock ticks, as far as it is declared. */
static void ticks_cell(struct tt_buf *b, const struct tt_md_clock *k)
{
    char every[TT_NUM_MAX], shift[TT_NUM_MAX];

    if (!k->has_interval_decimal)
        return;
    tt_num_print_short(every, k->interval_decimal);
    tt_num_print_short(shift, k->shift_decimal);
    tt_buf_fmt(b, "every %s s", every);
    if (k->shift_decimal > 0)
        tt_buf_fmt(b, " from %s s on", shift);
}

static void start_cell(struct tt_buf *b, const struct tt_md_var *v)
{
    if (v->type == TT_CLOCK)
        ticks_cell(b, &v->clk);
    else
        values_cell(b, v);
}

static void type_cell(struct tt_buf *b, const struct tt_md *md,
                      const struct tt_md_var *v)
{
    tt_buf_str(b, tt_md_type_name(md, v->type));
    for (uint32_t i = 0; i < v->dim_n; i++) {
        uint32_t by = v->dim[i].var;

        tt_buf_str(b, i ? "," : "[");
        if (by != TT_NONE && md->var[by].causality == TT_CAUS_STRUCTURAL)
            tt_buf_fmt(b, "%s=", md->var[by].name);
        tt_buf_fmt(b, "%llu", (unsigned long long)v->dim[i].start);
    }
    if (v->dim_n)
        tt_buf_char(b, ']');
}

static void variable_row(const struct paper *w, struct tt_grid *g,
                         const struct tt_md_var *v)
{
    struct tt_buf type, start;
    const char *unit = v->range.unit_name ? v->range.unit_name : "";

    tt_buf_init(&type, 4096);
    tt_buf_init(&start, 65536);
    type_cell(&type, w->md, v);
    start_cell(&start, v);
    tt_grid_add(g,
                (const char *const[]){
                    v->name ? v->name : "?", type.data ? type.data : "",
                    tt_causality_name(v->causality),
                    v->type == TT_CLOCK ? tt_interval_name(v->clk.interval)
                                        : tt_variability_name(v->variability),
                    unit, start.data && !start.failed ? start.data : "",
                    v->description ? v->description : ""});
    tt_buf_fini(&type);
    tt_buf_fini(&start);
}

static void variables(const struct paper *w, int all)
{
    static const char *const head[] = {"name",        "type", "causality",
                                       "variability", "unit", "start",
                                       "description"};
    uint32_t n = w->md->var_n;
    struct tt_grid g;

    if (!all && n > TT_INFO_VARIABLES)
        n = TT_INFO_VARIABLES;
    heading(w, "variables");
    tt_grid_init(&g, w->arena, head, 7);
    for (uint32_t i = 0; i < n; i++)
        variable_row(w, &g, &w->md->var[i]);
    if (n)
        tt_grid_print(&g, w->b, w->colours, w->width);
    else
        tt_buf_str(w->b, "  none\n");
    if (n < w->md->var_n)
        tt_buf_fmt(w->b, "  and %u more (--all shows them)\n",
                   w->md->var_n - n);
    tt_grid_fini(&g);
}

/* --- dependencies ----------------------------------------------------------
 */

static void dependency(const struct paper *w, const struct tt_md_unknown *u)
{
    const struct tt_md_var *var = w->md->var;
    uint32_t shown = u->dep_n < 8 ? u->dep_n : 8;

    tt_buf_str(w->b, "  ");
    tt_show_clean(w->b, var[u->var].name);
    if (!u->known)
        tt_buf_str(w->b, ": not declared, so perhaps on every input");
    else if (u->dep_n == 0)
        tt_buf_str(w->b, ": on nothing directly");
    else
        tt_buf_str(w->b, ": on ");
    for (uint32_t i = 0; u->known && i < shown; i++) {
        tt_buf_str(w->b, i ? ", " : "");
        if (u->dep[i] != TT_NONE)
            tt_show_clean(w->b, var[u->dep[i]].name);
        if (u->kind[i] != TT_DEP_DEPENDENT)
            tt_buf_fmt(w->b, " (%s)", tt_dep_name(u->kind[i]));
    }
    if (u->known && shown < u->dep_n)
        tt_buf_fmt(w->b, " and %u more", u->dep_n - shown);
    tt_buf_char(w->b, '\n');
}

static void dependencies(const struct paper *w, int all)
{
    uint32_t n = w->md->output.n;

    if (!n)
        return;
    heading(w, "outputs depend");
    if (!all && n > TT_INFO_VARIABLES)
        n = TT_INFO_VARIABLES;
    for (uint32_t i = 0; i < n; i++)
        if (w->md->output.item[i].var != TT_NONE)
            dependency(w, &w->md->output.item[i]);
    if (n < w->md->output.n)
        tt_buf_fmt(w->b, "  and %u more (--all shows them)\n",
                   w->md->output.n - n);
}

enum tt_code tt_info_text(struct tt_buf *b, tt_fmu *fmu,
                          const struct tt_info_look *look, tt_err *err)
{
    const struct tt_md *md = tt_fmu_md(fmu);
    struct paper w = {.b = b,
                      .fmu = fmu,
                      .md = md,
                      .arena = tt_arena_new(),
                      .colours = look->colours,
                      .width = look->width};
    enum tt_code rc = w.arena ? model(&w, err) : tt_nomem(err, NULL);

    if (rc == TT_OK) {
        variables(&w, look->all);
        dependencies(&w, look->all);
        if (tt_fmu_terminals(fmu)->n) {
            heading(&w, "terminals");
            tt_info_terminals_text(b, fmu);
        }
        if (md->findings.error_n + md->findings.warning_n)
            tt_buf_fmt(b,
                       "\n%zu errors and %zu warnings on reading; tutti check "
                       "lists all findings\n",
                       md->findings.error_n, md->findings.warning_n);
    }
    tt_arena_free(w.arena);
    return rc;
}
