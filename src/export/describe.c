/* SPDX-License-Identifier: MIT */
/* The model description of an exported scenario. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "export/export_impl.h"
#include "export/types.h"

#ifndef TUTTI_VERSION
#error "the version comes from the build"
#endif

struct writing {
    struct tt_buf *b;
    const struct tt_describe *x;
    const struct tt_desc *d;
    uint32_t *index; /* owned, per port: its place, from 1; 0: left out */
    const struct tt_quantity **unit; /* owned: those defined */
    uint32_t n_unit;
    uint32_t n; /* variables */
};

/* --- attributes ----------------------------------------------------------- */

static void put_text(struct tt_buf *b, const char *name, const char *value)
{
    if (!value)
        return;
    tt_buf_fmt(b, " %s=\"", name);
    tt_buf_xml(b, value);
    tt_buf_char(b, '"');
}

static void put_number_text(struct tt_buf *b, double v)
{
    char text[TT_NUM_MAX];

    if (isinf(v)) { /* as XML Schema spells it */
        tt_buf_str(b, v < 0 ? "-INF" : "INF");
        return;
    }
    tt_num_print_short(text, v);
    tt_buf_str(b, isnan(v) ? "NaN" : text);
}

static void put_number(struct tt_buf *b, const char *name, double v)
{
    tt_buf_fmt(b, " %s=\"", name);
    put_number_text(b, v);
    tt_buf_char(b, '"');
}

static void put_flag(struct tt_buf *b, const char *name, int on)
{
    if (on)
        tt_buf_fmt(b, " %s=\"true\"", name);
}

/* --- which variables ------------------------------------------------------ */

static enum tt_code choose(struct writing *w, uint32_t i, tt_err *err)
{
    const struct tt_port *p = &w->d->port[i];
    int inside =
        p->causality != TT_CAUS_INPUT && p->causality != TT_CAUS_OUTPUT;

    if (p->hidden || p->causality == TT_CAUS_INDEPENDENT)
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

/* --- units ---------------------------------------------------------------- */

static int same_quantity(const struct tt_quantity *a,
                         const struct tt_quantity *b)
{
    return a->has_base == b->has_base &&
           memcmp(a->exponent, b->exponent, sizeof(a->exponent)) == 0 &&
           a->factor == b->factor && a->offset == b->offset;
}

/* The one of that name. */
static const struct tt_quantity *find_unit(const struct writing *w,
                                           const char *name)
{
    for (uint32_t i = 0; i < w->n_unit; i++)
        if (strcmp(w->unit[i]->name, name) == 0)
            return w->unit[i];
    return NULL;
}

/* Two FMUs may call two units the same: the first one keeps the name. */
static int has_unit(const struct writing *w, const struct tt_port *p)
{
    const struct tt_quantity *u =
        p->quantity ? find_unit(w, p->quantity->name) : NULL;

    return u && same_quantity(u, p->quantity);
}

static void put_unit(struct tt_buf *b, const struct tt_quantity *u)
{
    static const char *const base[] = {"kg", "m",   "s",  "A",
                                       "K",  "mol", "cd", "rad"};

    tt_buf_str(b, "    <Unit");
    put_text(b, "name", u->name);
    if (!u->has_base) {
        tt_buf_str(b, "/>\n");
        return;
    }
    tt_buf_str(b, "><BaseUnit");
    for (size_t i = 0; i < 8; i++)
        if (u->exponent[i])
            tt_buf_fmt(b, " %s=\"%d\"", base[i], u->exponent[i]);
    if (u->factor != 1)
        put_number(b, "factor", u->factor);
    if (u->offset != 0)
        put_number(b, "offset", u->offset);
    tt_buf_str(b, "/></Unit>\n");
}

static void put_units(struct writing *w)
{
    for (uint32_t i = 0; i < w->d->n_port; i++) {
        const struct tt_port *p = &w->d->port[i];

        if (w->index[i] && p->quantity && tt_type_is_float(p->type) &&
            !find_unit(w, p->quantity->name))
            w->unit[w->n_unit++] = p->quantity;
    }
    if (!w->n_unit)
        return;
    tt_buf_str(w->b, "  <UnitDefinitions>\n");
    for (uint32_t i = 0; i < w->n_unit; i++)
        put_unit(w->b, w->unit[i]);
    tt_buf_str(w->b, "  </UnitDefinitions>\n");
}

/* --- what a variable is --------------------------------------------------- */

/* Causality, variability and initial in a combination the standard knows
 * (FMI 2.0.5, 2.2.7; FMI 3.0.2, 2.4.7.4). */
struct nature {
    enum tt_causality causality;
    enum tt_variability variability;
    enum tt_initial initial; /* NONE: the attribute is not written */
};

static struct nature nature_of(const struct tt_port *p, enum tt_type type)
{
    struct nature n = {p->causality, p->variability, p->initial};

    if (n.variability == TT_VAR_CONTINUOUS && !tt_type_is_float(type))
        n.variability = TT_VAR_DISCRETE;
    switch (n.causality) {
    case TT_CAUS_INPUT:
        n.initial = TT_INIT_NONE;
        if (n.variability < TT_VAR_DISCRETE)
            n.variability = TT_VAR_DISCRETE;
        break;
    case TT_CAUS_PARAMETER:
        n.initial = TT_INIT_EXACT;
        if (n.variability != TT_VAR_TUNABLE)
            n.variability = TT_VAR_FIXED;
        break;
    case TT_CAUS_OUTPUT:
        if (n.variability < TT_VAR_DISCRETE)
            n.variability = TT_VAR_DISCRETE;
        break;
    case TT_CAUS_LOCAL:
    case TT_CAUS_CALCULATED:
    case TT_CAUS_STRUCTURAL: /* it cannot be changed from outside */
    case TT_CAUS_INDEPENDENT:
        if (n.causality != TT_CAUS_CALCULATED)
            n.causality = TT_CAUS_LOCAL;
        if (n.variability == TT_VAR_CONSTANT)
            n.variability = TT_VAR_FIXED;
        if (n.variability < TT_VAR_DISCRETE ||
            n.causality == TT_CAUS_CALCULATED)
            n.initial = TT_INIT_CALCULATED;
        break;
    }
    if (n.causality == TT_CAUS_CALCULATED && n.variability != TT_VAR_TUNABLE)
        n.variability = TT_VAR_FIXED;
    if (n.causality != TT_CAUS_INPUT &&
        (n.initial == TT_INIT_NONE ||
         (n.initial != TT_INIT_CALCULATED && !p->start &&
          n.causality != TT_CAUS_PARAMETER)))
        n.initial = TT_INIT_CALCULATED;
    return n;
}

static int wants_start(const struct nature *n)
{
    return n->causality == TT_CAUS_INPUT || n->initial == TT_INIT_EXACT ||
           n->initial == TT_INIT_APPROX;
}

/* Is its first value calculated, so that it is an initial unknown? */
static int is_unknown(const struct nature *n)
{
    return (n->causality == TT_CAUS_OUTPUT ||
            n->causality == TT_CAUS_CALCULATED) &&
           n->initial != TT_INIT_EXACT;
}

/* --- variables ------------------------------------------------------------ */

static void put_element(struct tt_buf *b, const struct tt_port *p,
                        enum tt_type as, uint32_t k)
{
    const char *v =
        p->start ? (const char *)p->start + k * tt_type_size(p->type) : NULL;
    char text[TT_TEXT_MAX];

    if (p->type == TT_TEXT) {
        tt_buf_xml(b, v ? ((const struct tt_text *)(const void *)v)->s : "");
    } else if (!v) {
        tt_buf_str(b, tt_type_is_bool(as) ? "false" : "0");
    } else if (tt_type_is_float(p->type)) {
        put_number_text(b, tt_value_as_double(p->type, v));
    } else {
        tt_value_print(text, p->type, v);
        tt_buf_xml(b, text);
    }
}

static void put_start(struct tt_buf *b, const struct tt_port *p,
                      enum tt_type as)
{
    tt_buf_str(b, " start=\"");
    for (uint32_t k = 0; k < p->n; k++) {
        if (k)
            tt_buf_char(b, ' ');
        put_element(b, p, as, k);
    }
    tt_buf_char(b, '"');
}

/* Integers' limits would have to be printed as such; they are the FMUs'. */
static void put_range(const struct writing *w, const struct tt_port *p)
{
    struct tt_buf *b = w->b;

    if (!tt_type_is_float(p->type))
        return;
    if (has_unit(w, p)) {
        put_text(b, "unit", p->quantity->name);
        if (p->relative)
            tt_buf_str(b, " relativeQuantity=\"true\"");
    }
    if (isfinite(p->min))
        put_number(b, "min", p->min);
    if (isfinite(p->max))
        put_number(b, "max", p->max);
    if (p->nominal != 1)
        put_number(b, "nominal", p->nominal);
}

static void put_common(const struct writing *w, uint32_t i,
                       const struct nature *n)
{
    const struct tt_port *p = &w->d->port[i];
    struct tt_buf *b = w->b;

    put_text(b, "name", p->name);
    tt_buf_fmt(b, " valueReference=\"%u\"", (unsigned)i);
    put_text(b, "causality", tt_causality_name(n->causality));
    put_text(b, "variability", tt_variability_name(n->variability));
    if (n->initial != TT_INIT_NONE)
        put_text(b, "initial", tt_initial_name(n->initial));
    put_text(b, "description", p->text);
}

static void put_variable2(const struct writing *w, uint32_t i, enum tt_type as,
                          const struct nature *n)
{
    const char *type = as == TT_F64      ? "Real"
                       : as == TT_I32    ? "Integer"
                       : as == TT_BOOL32 ? "Boolean"
                                         : "String";

    tt_buf_str(w->b, "    <ScalarVariable");
    put_common(w, i, n);
    tt_buf_fmt(w->b, "><%s", type);
    put_range(w, &w->d->port[i]);
    if (wants_start(n))
        put_start(w->b, &w->d->port[i], as);
    tt_buf_str(w->b, "/></ScalarVariable>\n");
}

/* Start values of texts are elements. */
static void put_inside3(const struct writing *w, const struct tt_port *p,
                        int start)
{
    for (uint32_t k = 0; k < p->n_dim; k++)
        tt_buf_fmt(w->b, "<Dimension start=\"%u\"/>", (unsigned)p->dim[k]);
    for (uint32_t k = 0; start && k < p->n; k++) {
        tt_buf_str(w->b, "<Start value=\"");
        put_element(w->b, p, TT_TEXT, k);
        tt_buf_str(w->b, "\"/>");
    }
}

static void put_variable3(const struct writing *w, uint32_t i, enum tt_type as,
                          const struct nature *n)
{
    const struct tt_port *p = &w->d->port[i];
    int start = wants_start(n), texts = start && as == TT_TEXT;

    tt_buf_fmt(w->b, "    <%s", tt_type_name(as));
    put_common(w, i, n);
    put_range(w, p);
    if (start && !texts)
        put_start(w->b, p, as);
    if (!p->n_dim && !texts) {
        tt_buf_str(w->b, "/>\n");
        return;
    }
    tt_buf_char(w->b, '>');
    put_inside3(w, p, texts);
    tt_buf_fmt(w->b, "</%s>\n", tt_type_name(as));
}

/* A name for the time that is not taken. */
static void put_time(const struct writing *w)
{
    char name[16] = "time";

    while (tt_desc_find(w->d, name) != TT_NONE && strlen(name) < 15)
        memmove(name + 1, name, strlen(name) + 1), name[0] = '_';
    tt_buf_fmt(w->b,
               "    <Float64 name=\"%s\" valueReference=\"%u\" "
               "causality=\"independent\" variability=\"continuous\"/>\n",
               name, (unsigned)w->d->n_port);
}

static void put_variables(const struct writing *w)
{
    tt_buf_str(w->b, "  <ModelVariables>\n");
    if (w->x->fmi == 3)
        put_time(w);
    for (uint32_t i = 0; i < w->d->n_port; i++) {
        const struct tt_port *p = &w->d->port[i];
        enum tt_type as = tt_export_type(w->x->fmi, p);
        struct nature n = nature_of(p, as);

        if (!w->index[i])
            continue;
        if (w->x->fmi == 3)
            put_variable3(w, i, as, &n);
        else
            put_variable2(w, i, as, &n);
    }
    tt_buf_str(w->b, "  </ModelVariables>\n");
}

/* --- structure ------------------------------------------------------------ */

/* FMI 2 counts variables, FMI 3 refers to them. */
static unsigned reference(const struct writing *w, uint32_t port)
{
    return w->x->fmi == 3 ? port : w->index[port];
}

static void put_deps(const struct writing *w, const struct tt_deps *d)
{
    if (!d->known)
        return;
    for (uint32_t k = 0; k < d->n; k++)
        if (!w->index[d->port[k]])
            return; /* on what cannot be said: then on anything */
    tt_buf_str(w->b, " dependencies=\"");
    for (uint32_t k = 0; k < d->n; k++)
        tt_buf_fmt(w->b, "%s%u", k ? " " : "", reference(w, d->port[k]));
    tt_buf_char(w->b, '"');
}

static void put_unknown(const struct writing *w, const char *element,
                        uint32_t port, const struct tt_deps *d)
{
    tt_buf_fmt(w->b, "    <%s %s=\"%u\"", element,
               w->x->fmi == 3 ? "valueReference" : "index", reference(w, port));
    put_deps(w, d);
    tt_buf_str(w->b, "/>\n");
}

static int is_output(const struct writing *w, uint32_t i)
{
    return w->index[i] && w->d->port[i].causality == TT_CAUS_OUTPUT;
}

static int is_initial_unknown(const struct writing *w, uint32_t i)
{
    const struct tt_port *p = &w->d->port[i];
    struct nature n = nature_of(p, tt_export_type(w->x->fmi, p));

    return w->index[i] && is_unknown(&n);
}

/* FMI 2 has a list around each kind of unknowns, and none around nothing. */
static void put_list(const struct writing *w, const char *list,
                     const char *element,
                     int (*is_in)(const struct writing *w, uint32_t i),
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

static void put_structure(const struct writing *w)
{
    tt_buf_str(w->b, "  <ModelStructure>\n");
    put_list(w, "Outputs", "Output", is_output, w->d->run);
    put_list(w, "InitialUnknowns", "InitialUnknown", is_initial_unknown,
             w->d->init);
    tt_buf_str(w->b, "  </ModelStructure>\n");
}

/* --- the rest ------------------------------------------------------------- */

static void put_interface(const struct writing *w)
{
    const struct tt_caps *c = &w->d->caps;
    int is3 = w->x->fmi == 3;
    struct tt_buf *b = w->b;

    tt_buf_str(b, "  <CoSimulation");
    put_text(b, "modelIdentifier", w->x->identifier);
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
        if (w->d->inner_step > 0)
            put_number(b, "fixedInternalStepSize", w->d->inner_step);
    } else {
        put_flag(b, "canNotUseMemoryManagementFunctions", 1);
        put_flag(b, "canInterpolateInputs", c->course_order > 0);
    }
    tt_buf_str(b, "/>\n");
}

static void put_categories(struct tt_buf *b)
{
    tt_buf_str(b, "  <LogCategories>\n"
                  "    <Category name=\"logAll\" description=\"what is decided "
                  "and what units inside say\"/>\n"
                  "    <Category name=\"logStatusWarning\"/>\n"
                  "    <Category name=\"logStatusError\"/>\n"
                  "  </LogCategories>\n");
}

static void put_experiment(const struct writing *w)
{
    const struct tt_experiment *e = &w->d->standard;
    struct tt_buf *b = w->b;

    tt_buf_str(b, "  <DefaultExperiment");
    if (isfinite(e->start))
        put_number(b, "startTime", e->start);
    if (isfinite(e->end))
        put_number(b, "stopTime", e->end);
    if (e->tolerance > 0)
        put_number(b, "tolerance", e->tolerance);
    if (w->d->standard_step > 0)
        put_number(b, "stepSize", w->d->standard_step);
    tt_buf_str(b, "/>\n");
}

static void put_annotations(const struct writing *w)
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
    tt_buf_fmt(b, "<Unit evaluates=\"%s\">", evaluates[w->d->caps.evaluates]);
    for (uint32_t i = 0; i < w->d->n_port; i++) {
        const struct tt_port *p = &w->d->port[i];

        if (!w->index[i] || p->causality != TT_CAUS_INPUT ||
            p->reactivity == TT_REACT_EITHER)
            continue;
        tt_buf_str(b, "<Port");
        put_text(b, "name", p->name);
        put_text(b, "reactivity", tt_reactivity_name(p->reactivity));
        tt_buf_str(b, "/>");
    }
    tt_buf_str(b, is3 ? "</Unit></Annotation></Annotations>\n"
                      : "</Unit></Tool></VendorAnnotations>\n");
}

static void put_head(const struct writing *w)
{
    int is3 = w->x->fmi == 3;

    tt_buf_str(w->b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                     "<fmiModelDescription");
    put_text(w->b, "fmiVersion", is3 ? "3.0" : "2.0");
    put_text(w->b, "modelName", w->d->model);
    put_text(w->b, is3 ? "instantiationToken" : "guid", w->x->token);
    put_text(w->b, "generationTool", "Tutti " TUTTI_VERSION);
    put_text(w->b, "variableNamingConvention", "flat");
    tt_buf_str(w->b, ">\n");
}

/* FMI 2 and 3 agree on the order, but for the annotations. */
static void put_all(struct writing *w)
{
    int is3 = w->x->fmi == 3;

    put_head(w);
    put_interface(w);
    put_units(w);
    put_categories(w->b);
    put_experiment(w);
    if (!is3)
        put_annotations(w);
    put_variables(w);
    put_structure(w);
    if (is3)
        put_annotations(w);
    tt_buf_str(w->b, "</fmiModelDescription>\n");
}

enum tt_code tt_export_describe(struct tt_buf *b, const struct tt_describe *x,
                                uint32_t *n_variable, tt_err *err)
{
    struct writing w = {.b = b, .x = x, .d = x->desc};
    enum tt_code rc = TT_OK;

    TT_NEW_ARRAY(w.index, w.d->n_port);
    TT_NEW_ARRAY(w.unit, w.d->n_port);
    if (!w.index || !w.unit)
        rc = tt_fail(err, TT_ENOMEM, "exporting: out of memory");
    for (uint32_t i = 0; i < w.d->n_port && rc == TT_OK; i++)
        rc = choose(&w, i, err);
    if (rc == TT_OK)
        put_all(&w);
    if (rc == TT_OK)
        rc = tt_buf_check(b, "modelDescription.xml", err);
    *n_variable = w.n;
    tt_free(w.index);
    tt_free(w.unit);
    return rc;
}
