/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "api/info.h"
#include "base/show.h"
#include "unit/desc.h"

/* Members are written as ", \"key\": value"; the first one of an object has
 * no comma before it. */

static void text(struct tt_buf *b, const char *key, const char *s)
{
    if (!s)
        return;
    tt_buf_fmt(b, ", \"%s\": ", key);
    tt_buf_json(b, s);
}

static void number(struct tt_buf *b, const char *key, int has, double v)
{
    if (!has)
        return;
    tt_buf_fmt(b, ", \"%s\": ", key);
    tt_show_json_num(b, v);
}

static void flag(struct tt_buf *b, const char *key, int v)
{
    tt_buf_fmt(b, ", \"%s\": %s", key, v ? "true" : "false");
}

/* --- the model ---------------------------------------------------------------
 */

static void interface(struct tt_buf *b, const char *key,
                      const struct tt_md_interface *i)
{
    if (!i->present)
        return;
    tt_buf_fmt(b, ",\n  \"%s\": {\"modelIdentifier\": ", key);
    tt_buf_json(b, i->model_identifier ? i->model_identifier : "");
    flag(b, "needsExecutionTool", i->needs_execution_tool);
    flag(b, "canBeInstantiatedOnlyOncePerProcess", i->once_per_process);
    flag(b, "canGetAndSetFMUState", i->get_set_state);
    flag(b, "canSerializeFMUState", i->serialize_state);
    flag(b, "providesDirectionalDerivatives", i->directional_derivatives);
    flag(b, "providesAdjointDerivatives", i->adjoint_derivatives);
    flag(b, "canHandleVariableCommunicationStepSize", i->variable_step);
    flag(b, "canInterpolateInputs", i->interpolate_inputs);
    tt_buf_fmt(b, ", \"maxOutputDerivativeOrder\": %u",
               i->max_output_derivative);
    number(b, "fixedInternalStepSize", i->has_fixed_internal_step,
           i->fixed_internal_step);
    flag(b, "providesIntermediateUpdate", i->intermediate_update);
    flag(b, "mightReturnEarlyFromDoStep", i->might_return_early);
    flag(b, "canReturnEarlyAfterIntermediateUpdate", i->can_return_early);
    flag(b, "hasEventMode", i->event_mode);
    tt_buf_char(b, '}');
}

static void experiment(struct tt_buf *b, const struct tt_md_experiment *e)
{
    size_t at;

    if (!e->line)
        return;
    tt_buf_str(b, ",\n  \"defaultExperiment\": {");
    at = b->len;
    number(b, "startTime", e->has_start, e->start);
    number(b, "stopTime", e->has_stop, e->stop);
    number(b, "tolerance", e->has_tolerance, e->tolerance);
    number(b, "stepSize", e->has_step, e->step);
    if (!b->failed && b->len > at) /* the comma before the first one */
        b->data[at] = ' ';
    tt_buf_char(b, '}');
}

struct joined {
    struct tt_buf *b;
    int n;
};

static void join_platform(void *ctx, const char *platform)
{
    struct joined *j = ctx;

    tt_buf_str(j->b, j->n++ ? ", " : "");
    tt_buf_json(j->b, platform);
}

static enum tt_code model(struct tt_buf *b, tt_fmu *fmu, tt_err *err)
{
    const struct tt_md *md = tt_fmu_md(fmu);
    struct joined j = {.b = b};
    enum tt_code rc;

    tt_json_text(b, "{\n  \"file\": ", tt_fmu_path(fmu));
    text(b, "modelName", md->model_name);
    text(b, "fmiVersion", md->fmi_version);
    text(b, "description", md->description);
    text(b, "author", md->author);
    text(b, "version", md->model_version);
    text(b, "copyright", md->copyright);
    text(b, "license", md->license);
    text(b, "generationTool", md->generation_tool);
    text(b, "generationDateAndTime", md->generation_date);
    text(b, "instantiationToken", md->token);
    tt_buf_str(b, ",\n  \"platforms\": [");
    rc = tt_fmu_platforms(tt_fmu_archive(fmu), join_platform, &j, err);
    tt_buf_char(b, ']');
    interface(b, "coSimulation", &md->cs);
    interface(b, "modelExchange", &md->me);
    interface(b, "scheduledExecution", &md->se);
    experiment(b, &md->experiment);
    return rc;
}

/* --- variables -------------------------------------------------------------
 */

static void start(struct tt_buf *b, const struct tt_md_var *v, uint64_t i)
{
    struct tt_buf s;

    if (!tt_type_is_text(v->type)) {
        if (tt_type_is_float(v->type))
            tt_show_json_num(
                b, tt_value_as_double(v->type, (const char *)v->start +
                                                   i * tt_type_size(v->type)));
        else
            tt_info_start(b, v, i);
        return;
    }
    tt_buf_init(&s, TT_SHOW_MAX);
    tt_info_start(&s, v, i);
    tt_buf_json(b, s.data ? s.data : "");
    tt_buf_fini(&s);
}

static void starts(struct tt_buf *b, const struct tt_md_var *v)
{
    if (!v->start_n)
        return;
    tt_buf_str(b, v->dim_n ? ", \"start\": [" : ", \"start\": ");
    for (uint64_t i = 0; i < v->start_n && (i == 0 || v->dim_n); i++) {
        tt_buf_str(b, i ? ", " : "");
        start(b, v, i);
    }
    tt_buf_str(b, v->dim_n ? "]" : "");
}

static void shape(struct tt_buf *b, const struct tt_md_var *v)
{
    if (v->dim_n) {
        tt_buf_str(b, ", \"dimensions\": [");
        for (uint32_t i = 0; i < v->dim_n; i++)
            tt_buf_fmt(b, "%s%llu", i ? ", " : "",
                       (unsigned long long)v->dim[i].start);
        tt_buf_char(b, ']');
    }
    if (v->alias_n) {
        tt_buf_str(b, ", \"aliases\": [");
        for (uint32_t i = 0; i < v->alias_n; i++) {
            tt_buf_str(b, i ? ", " : "");
            tt_buf_json(b, v->alias[i].name ? v->alias[i].name : "");
        }
        tt_buf_char(b, ']');
    }
}

/* Of a clock when it ticks, of others which clocks they belong to. */
static void clocks(struct tt_buf *b, const struct tt_md *md,
                   const struct tt_md_var *v)
{
    const struct tt_md_clock *k = &v->clk;

    if (v->type == TT_CLOCK)
        text(b, "intervalVariability", tt_interval_name(k->interval));
    number(b, "intervalDecimal", k->has_interval_decimal, k->interval_decimal);
    number(b, "shiftDecimal", k->has_interval_decimal, k->shift_decimal);
    number(b, "priority", k->has_priority, k->priority);
    if (!v->clock_n)
        return;
    tt_buf_str(b, ", \"clocks\": [");
    for (uint32_t i = 0; i < v->clock_n; i++) {
        tt_buf_str(b, i ? ", " : "");
        tt_buf_json(b, md->var[v->clock[i]].name);
    }
    tt_buf_char(b, ']');
}

static void variable(struct tt_buf *b, const struct tt_md *md,
                     const struct tt_md_var *v)
{
    tt_json_text(b, "{\"name\": ", v->name ? v->name : "");
    tt_buf_fmt(b, ", \"valueReference\": %u", v->vr);
    text(b, "type", tt_md_type_name(md, v->type));
    text(b, "causality", tt_causality_name(v->causality));
    text(b, "variability", tt_variability_name(v->variability));
    if (v->initial != TT_INIT_NONE)
        text(b, "initial", tt_initial_name(v->initial));
    text(b, "unit", v->range.unit_name);
    text(b, "displayUnit", v->range.display_name);
    text(b, "quantity", v->range.quantity);
    number(b, "min", (v->range.has & TT_MD_HAS_MIN) != 0, v->range.min);
    number(b, "max", (v->range.has & TT_MD_HAS_MAX) != 0, v->range.max);
    number(b, "nominal", (v->range.has & TT_MD_HAS_NOMINAL) != 0,
           v->range.nominal);
    starts(b, v);
    shape(b, v);
    clocks(b, md, v);
    if (v->derivative_of != TT_NONE)
        text(b, "derivativeOf", md->var[v->derivative_of].name);
    text(b, "description", v->description);
    tt_buf_char(b, '}');
}

static void unknowns(struct tt_buf *b, const struct tt_md *md, const char *key,
                     const struct tt_md_unknowns *u)
{
    const char *comma = "";

    tt_buf_fmt(b, ",\n  \"%s\": [", key);
    for (uint32_t i = 0; i < u->n; i++) {
        const struct tt_md_unknown *one = &u->item[i];

        if (one->var == TT_NONE)
            continue;
        tt_buf_fmt(b, "%s\n    {\"name\": ", comma);
        tt_buf_json(b, md->var[one->var].name);
        comma = ",";
        if (one->known) {
            const char *and = "";

            tt_buf_str(b, ", \"dependencies\": [");
            for (uint32_t k = 0; k < one->dep_n; k++) {
                if (one->dep[k] == TT_NONE)
                    continue;
                tt_buf_str(b, and);
                tt_buf_json(b, md->var[one->dep[k]].name);
                and = ", ";
            }
            tt_buf_char(b, ']');
        }
        tt_buf_char(b, '}');
    }
    tt_buf_str(b, "]");
}

/* What a unit of measure is made of: those with the same exponents convert. */
static void unit_of_measure(struct tt_buf *b, int first, const char *name,
                            const int exponent[TT_MD_BASE_UNIT_N],
                            double factor, double offset)
{
    tt_buf_str(b, first ? "\n    {\"name\": " : ",\n    {\"name\": ");
    tt_buf_json(b, name);
    tt_buf_str(b, ", \"exponents\": [");
    for (int i = 0; i < TT_MD_BASE_UNIT_N; i++)
        tt_buf_fmt(b, "%s%d", i ? ", " : "", exponent[i]);
    tt_json_num(b, "], \"factor\": ", factor);
    tt_json_num(b, ", \"offset\": ", offset);
    tt_buf_char(b, '}');
}

static void units(struct tt_buf *b, const struct tt_md *md)
{
    int first = 1;

    tt_buf_str(b, ",\n  \"units\": [");
    for (uint32_t i = 0; i < md->unit_n; i++) {
        const struct tt_md_unit *u = &md->unit[i];

        if (!u->has_base || u->factor == 0)
            continue;
        unit_of_measure(b, first, u->name, u->exponent, u->factor, u->offset);
        first = 0;
    }
    tt_buf_str(b, first ? "]" : "\n  ]");
}

enum tt_code tt_info_json(struct tt_buf *b, tt_fmu *fmu, tt_err *err)
{
    const struct tt_md *md = tt_fmu_md(fmu);
    enum tt_code rc = model(b, fmu, err);

    units(b, md);
    tt_buf_str(b, ",\n  \"variables\": [");
    for (uint32_t i = 0; i < md->var_n; i++) {
        tt_buf_str(b, i ? ",\n    " : "\n    ");
        variable(b, md, &md->var[i]);
    }
    tt_buf_str(b, "\n  ]");
    unknowns(b, md, "outputs", &md->output);
    unknowns(b, md, "derivatives", &md->derivative);
    unknowns(b, md, "initialUnknowns", &md->initial_unknown);
    tt_info_terminals_json(b, fmu);
    if (rc == TT_OK)
        rc = tt_info_layers_json(b, fmu, err);
    tt_buf_str(b, "\n}\n");
    return rc;
}

/* --- other kinds -----------------------------------------------------------
 */

static void element(struct tt_buf *b, enum tt_type t, const void *v)
{
    char words[TT_TEXT_MAX];

    if (tt_type_is_float(t)) {
        tt_show_json_num(b, tt_value_as_double(t, v));
        return;
    }
    tt_value_print(words, t, v);
    if (tt_type_is_text(t))
        tt_buf_json(b, words);
    else
        tt_buf_str(b, words);
}

static void port_start(struct tt_buf *b, const struct tt_port *p)
{
    const char *at = p->start;

    if (!at)
        return;
    tt_buf_str(b, p->n_dim ? ", \"start\": [" : ", \"start\": ");
    for (uint32_t i = 0; i < p->n && (i == 0 || p->n_dim); i++) {
        tt_buf_str(b, i ? ", " : "");
        element(b, p->type, at + i * tt_type_size(p->type));
    }
    tt_buf_str(b, p->n_dim ? "]" : "");
}

static void port(struct tt_buf *b, const struct tt_port *p)
{
    tt_json_text(b, "{\"name\": ", p->name);
    text(b, "type", tt_type_name(p->type));
    text(b, "causality", tt_causality_name(p->causality));
    text(b, "variability", tt_variability_name(p->variability));
    if (p->clock)
        tt_buf_str(b, ", \"event\": true");
    if (p->initial != TT_INIT_NONE)
        text(b, "initial", tt_initial_name(p->initial));
    text(b, "unit", p->quantity ? p->quantity->name : NULL);
    number(b, "min", isfinite(p->min), p->min);
    number(b, "max", isfinite(p->max), p->max);
    port_start(b, p);
    if (p->n_dim) {
        tt_buf_str(b, ", \"dimensions\": [");
        for (uint32_t i = 0; i < p->n_dim; i++)
            tt_buf_fmt(b, "%s%u", i ? ", " : "", p->dim[i]);
        tt_buf_char(b, ']');
    }
    text(b, "description", p->text);
    tt_buf_char(b, '}');
}

/* Ports of one kind of unit follow each other, and share it. */
static void port_units(struct tt_buf *b, const struct tt_desc *d)
{
    const struct tt_quantity *last = NULL;
    int first = 1, exponent[TT_MD_BASE_UNIT_N];

    tt_buf_str(b, ",\n  \"units\": [");
    for (uint32_t i = 0; i < d->n_port; i++) {
        const struct tt_quantity *q = d->port[i].quantity;

        if (!q || q == last || !q->has_base || q->factor == 0)
            continue;
        for (int k = 0; k < TT_MD_BASE_UNIT_N; k++)
            exponent[k] = (int)q->exponent[k];
        unit_of_measure(b, first, q->name, exponent, q->factor, q->offset);
        first = 0;
        last = q;
    }
    tt_buf_str(b, first ? "]" : "\n  ]");
}

void tt_info_desc_json(struct tt_buf *b, const char *path,
                       const struct tt_desc *d)
{
    int first = 1;

    tt_json_text(b, "{\n  \"file\": ", path);
    text(b, "kind", d->kind);
    text(b, "modelName", d->model);
    port_units(b, d);
    tt_buf_str(b, ",\n  \"variables\": [");
    for (uint32_t i = 0; i < d->n_port; i++) {
        if (d->port[i].hidden)
            continue;
        tt_buf_str(b, first ? "\n    " : ",\n    ");
        port(b, &d->port[i]);
        first = 0;
    }
    tt_buf_str(b, "\n  ]\n}\n");
}
