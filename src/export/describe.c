/* SPDX-License-Identifier: MIT */
/* The model description of an exported scenario. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "export/describe_impl.h"
#include "export/types.h"

#ifndef TUTTI_VERSION
#error "the version comes from the build"
#endif

/* --- attributes ----------------------------------------------------------- */

void describe_text(struct tt_buf *b, const char *name, const char *value)
{
    if (value)
        tt_xml_text(b, name, value);
}

void describe_number_text(struct tt_buf *b, double v)
{
    char text[TT_NUM_MAX];

    if (isinf(v)) { /* as XML Schema spells it */
        tt_buf_str(b, v < 0 ? "-INF" : "INF");
        return;
    }
    tt_num_print_short(text, v);
    tt_buf_str(b, isnan(v) ? "NaN" : text);
}

void describe_number(struct tt_buf *b, const char *name, double v)
{
    tt_buf_fmt(b, " %s=\"", name);
    describe_number_text(b, v);
    tt_buf_char(b, '"');
}

static void put_flag(struct tt_buf *b, const char *name, int on)
{
    if (on)
        tt_buf_fmt(b, " %s=\"true\"", name);
}

/* --- which variables ------------------------------------------------------ */

static enum tt_code choose(struct describing *w, uint32_t i, tt_err *err)
{
    const struct tt_port *p = &w->d->port[i];
    int inside =
        p->causality != TT_CAUS_INPUT && p->causality != TT_CAUS_OUTPUT;

    if ((p->hidden && !describe_is_clock(w, i)) ||
        p->causality == TT_CAUS_INDEPENDENT)
        return TT_OK;
    if (tt_export_type(w->x->fmi, p) != TT_TYPE_N) {
        w->index[i] = ++w->n;
        return TT_OK;
    }
    if (!inside)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "%s '%s' is %s%s, which an exported FMU cannot have in "
                       "FMI %d%s",
                       tt_causality_name(p->causality), p->name,
                       p->n_dim ? "an array of " : "", tt_type_name(p->type),
                       w->x->fmi,
                       w->x->fmi == 2 && p->n_dim ? "; use --fmi 3" : "");
    tt_log(w->x->log, TT_LOG_NOTE, "'%s' (%s%s) is left out: FMI %d has none",
           p->name, p->n_dim ? "array of " : "", tt_type_name(p->type),
           w->x->fmi);
    return TT_OK;
}

/* --- structure ------------------------------------------------------------ */

/* FMI 2 counts variables, FMI 3 refers to them. */
static unsigned reference(const struct describing *w, uint32_t port)
{
    return w->x->fmi == 3 ? port : w->index[port];
}

static void put_deps(const struct describing *w, const struct tt_deps *d)
{
    if (!d->known || describe_has_events(w)) /* on its own clock, at least */
        return;
    for (uint32_t k = 0; k < d->n; k++)
        if (!w->index[d->port[k]])
            return; /* on what cannot be stated: then on anything */
    tt_buf_str(w->b, " dependencies=\"");
    for (uint32_t k = 0; k < d->n; k++)
        tt_buf_fmt(w->b, "%s%u", k ? " " : "", reference(w, d->port[k]));
    tt_buf_char(w->b, '"');
}

static void put_unknown(const struct describing *w, const char *element,
                        uint32_t port, const struct tt_deps *d)
{
    tt_buf_fmt(w->b, "    <%s %s=\"%u\"", element,
               w->x->fmi == 3 ? "valueReference" : "index", reference(w, port));
    put_deps(w, d);
    tt_buf_str(w->b, "/>\n");
}

static int is_output(const struct describing *w, uint32_t i)
{
    return w->index[i] && w->d->port[i].causality == TT_CAUS_OUTPUT;
}

/* FMI 2 has a list around each kind of unknowns, and none around nothing. */
static void put_list(const struct describing *w, const char *list,
                     const char *element,
                     int (*is_in)(const struct describing *w, uint32_t i),
                     const struct tt_deps *deps)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < w->d->n_port; i++) {
        if (!is_in(w, i))
            continue;
        if (n++ == 0 && w->x->fmi == 2)
            tt_buf_fmt(w->b, "    <%s>\n", list);
        put_unknown(w, w->x->fmi == 3 ? element : "Unknown", i, &deps[i]);
    }
    if (n && w->x->fmi == 2)
        tt_buf_fmt(w->b, "    </%s>\n", list);
}

static void put_structure(const struct describing *w)
{
    tt_buf_str(w->b, "  <ModelStructure>\n");
    put_list(w, "Outputs", "Output", is_output, w->d->run);
    put_list(w, "InitialUnknowns", "InitialUnknown", describe_is_unknown,
             w->d->init);
    tt_buf_str(w->b, "  </ModelStructure>\n");
}

/* --- the rest ------------------------------------------------------------- */

static void put_interface(const struct describing *w)
{
    const struct tt_caps *c = &w->d->caps;
    int is3 = w->x->fmi == 3;
    struct tt_buf *b = w->b;

    tt_buf_str(b, "  <CoSimulation");
    describe_text(b, "modelIdentifier", w->x->identifier);
    put_flag(b, "canBeInstantiatedOnlyOncePerProcess", c->once_per_process);
    put_flag(b, is3 ? "canGetAndSetFMUState" : "canGetAndSetFMUstate", c->save);
    put_flag(b, is3 ? "canSerializeFMUState" : "canSerializeFMUstate",
             c->save && c->serialise);
    put_flag(b, "canHandleVariableCommunicationStepSize", c->variable_step);
    put_flag(b,
             is3 ? "providesDirectionalDerivatives"
                 : "providesDirectionalDerivative",
             c->directional);
    if (c->rate_order)
        tt_buf_fmt(b, " maxOutputDerivativeOrder=\"%u\"",
                   (unsigned)c->rate_order);
    if (is3) {
        put_flag(b, "mightReturnEarlyFromDoStep", c->early_return);
        put_flag(b, "hasEventMode", c->event_mode);
        if (w->d->inner_step > 0)
            describe_number(b, "fixedInternalStepSize", w->d->inner_step);
    } else {
        put_flag(b, "canNotUseMemoryManagementFunctions", 1);
        put_flag(b, "canInterpolateInputs", c->course_order > 0);
    }
    tt_buf_str(b, "/>\n");
}

static void put_categories(struct tt_buf *b)
{
    tt_buf_str(b, "  <LogCategories>\n"
                  "    <Category name=\"logAll\" description=\"decisions, and "
                  "what instances inside log\"/>\n"
                  "    <Category name=\"logStatusWarning\"/>\n"
                  "    <Category name=\"logStatusError\"/>\n"
                  "  </LogCategories>\n");
}

static void put_experiment(const struct describing *w)
{
    const struct tt_experiment *e = &w->d->standard;
    struct tt_buf *b = w->b;

    tt_buf_str(b, "  <DefaultExperiment");
    if (isfinite(e->start))
        describe_number(b, "startTime", e->start);
    if (isfinite(e->end))
        describe_number(b, "stopTime", e->end);
    if (e->tolerance > 0)
        describe_number(b, "tolerance", e->tolerance);
    if (w->d->standard_step > 0)
        describe_number(b, "stepSize", w->d->standard_step);
    tt_buf_str(b, "/>\n");
}

static void put_annotations(const struct describing *w)
{
    static const char *const evaluates[] = {
        [TT_EVAL_NEVER] = "never",
        [TT_EVAL_EVENT] = "event",
        [TT_EVAL_ALWAYS] = "always",
    };
    int is3 = w->x->fmi == 3;
    struct tt_buf *b = w->b;

    tt_buf_str(b, is3 ? "  <Annotations><Annotation type=\"org.tutti\">"
                      : "  <VendorAnnotations><Tool name=\"org.tutti\">");
    tt_buf_fmt(b, "<Unit evaluates=\"%s\"%s>", evaluates[w->d->caps.evaluates],
               describe_has_events(w) ? " discrete=\"true\"" : "");
    for (uint32_t i = 0; i < w->d->n_port; i++) {
        const struct tt_port *p = &w->d->port[i];

        if (!w->index[i] || p->causality != TT_CAUS_INPUT ||
            p->reactivity == TT_REACT_EITHER)
            continue;
        tt_buf_str(b, "<Port");
        describe_text(b, "name", p->name);
        describe_text(b, "reactivity", tt_reactivity_name(p->reactivity));
        tt_buf_str(b, "/>");
    }
    tt_buf_str(b, is3 ? "</Unit></Annotation></Annotations>\n"
                      : "</Unit></Tool></VendorAnnotations>\n");
}

static void put_head(const struct describing *w)
{
    int is3 = w->x->fmi == 3;

    tt_buf_str(w->b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<fmiModelDescription");
    describe_text(w->b, "fmiVersion", is3 ? "3.0" : "2.0");
    describe_text(w->b, "modelName", w->d->model);
    describe_text(w->b, is3 ? "instantiationToken" : "guid", w->x->token);
    describe_text(w->b, "generationTool", "Tutti " TUTTI_VERSION);
    describe_text(w->b, "variableNamingConvention", "flat");
    tt_buf_str(w->b, ">\n");
}

/* FMI 2 and 3 agree on the order, but for the annotations. */
static void put_all(struct describing *w)
{
    int is3 = w->x->fmi == 3;

    put_head(w);
    put_interface(w);
    describe_units(w);
    put_categories(w->b);
    put_experiment(w);
    if (!is3)
        put_annotations(w);
    describe_variables(w);
    put_structure(w);
    if (is3)
        put_annotations(w);
    tt_buf_str(w->b, "</fmiModelDescription>\n");
}

enum tt_code tt_export_describe(struct tt_buf *b, const struct tt_describe *x,
                                uint32_t *n_variable, tt_err *err)
{
    struct describing w = {.b = b, .x = x, .d = x->desc};
    enum tt_code rc = TT_OK;

    TT_NEW_ARRAY(w.index, w.d->n_port);
    TT_NEW_ARRAY(w.unit, w.d->n_port);
    if (!w.index || !w.unit)
        rc = tt_nomem(err, "exporting");
    for (uint32_t i = 0; i < w.d->n_port && rc == TT_OK; i++)
        rc = choose(&w, i, err);
    if (rc == TT_OK)
        put_all(&w);
    if (rc == TT_OK)
        rc = tt_buf_check(b, "modelDescription.xml", err);
    *n_variable = w.n;
    TT_FREE_ALL(w.index, w.unit);
    return rc;
}
