/* SPDX-License-Identifier: MIT */
/* What the model description of an exported scenario declares of variables. */
#include <math.h>
#include <string.h>

#include "export/describe_impl.h"
#include "export/types.h"

/* --- units ---------------------------------------------------------------- */

static int same_quantity(const struct tt_quantity *a,
                         const struct tt_quantity *b)
{
    return a->has_base == b->has_base &&
           memcmp(a->exponent, b->exponent, sizeof(a->exponent)) == 0 &&
           a->factor == b->factor && a->offset == b->offset;
}

/* The one of that name. */
static const struct tt_quantity *find_unit(const struct describing *w,
                                           const char *name)
{
    for (uint32_t i = 0; i < w->n_unit; i++)
        if (strcmp(w->unit[i]->name, name) == 0)
            return w->unit[i];
    return NULL;
}

/* Two FMUs may call two units the same: the first one keeps the name. */
static int has_unit(const struct describing *w, const struct tt_port *p)
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
    describe_text(b, "name", u->name);
    if (!u->has_base) {
        tt_buf_str(b, "/>\n");
        return;
    }
    tt_buf_str(b, "><BaseUnit");
    for (size_t i = 0; i < 8; i++)
        if (u->exponent[i])
            tt_buf_fmt(b, " %s=\"%d\"", base[i], u->exponent[i]);
    if (u->factor != 1)
        describe_number(b, "factor", u->factor);
    if (u->offset != 0)
        describe_number(b, "offset", u->offset);
    tt_buf_str(b, "/></Unit>\n");
}

void describe_units(struct describing *w)
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
    case TT_CAUS_N:
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

static int is_unknown(const struct nature *n)
{
    return (n->causality == TT_CAUS_OUTPUT ||
            n->causality == TT_CAUS_CALCULATED) &&
           n->initial != TT_INIT_EXACT;
}

int describe_is_unknown(const struct describing *w, uint32_t port)
{
    const struct tt_port *p = &w->d->port[port];
    struct nature n = nature_of(p, tt_export_type(w->x->fmi, p));

    return w->index[port] && p->type != TT_CLOCK && is_unknown(&n);
}

int describe_has_events(const struct describing *w)
{
    return tt_export_has_events(w->d);
}

int describe_is_clock(const struct describing *w, uint32_t port)
{
    return describe_has_events(w) && w->d->port[port].type == TT_CLOCK &&
           w->d->port[port].hidden;
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
        describe_number_text(b, tt_value_as_double(p->type, v));
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
static void put_range(const struct describing *w, const struct tt_port *p)
{
    struct tt_buf *b = w->b;

    if (!tt_type_is_float(p->type))
        return;
    if (has_unit(w, p)) {
        describe_text(b, "unit", p->quantity->name);
        if (p->relative)
            tt_buf_str(b, " relativeQuantity=\"true\"");
    }
    if (isfinite(p->min))
        describe_number(b, "min", p->min);
    if (isfinite(p->max))
        describe_number(b, "max", p->max);
    if (p->nominal != 1)
        describe_number(b, "nominal", p->nominal);
}

static void put_common(const struct describing *w, uint32_t i,
                       const struct nature *n)
{
    const struct tt_port *p = &w->d->port[i];
    struct tt_buf *b = w->b;

    describe_text(b, "name", p->name);
    tt_buf_fmt(b, " valueReference=\"%u\"", (unsigned)i);
    describe_text(b, "causality", tt_causality_name(n->causality));
    describe_text(b, "variability", tt_variability_name(n->variability));
    if (n->initial != TT_INIT_NONE)
        describe_text(b, "initial", tt_initial_name(n->initial));
    if (w->x->fmi == 3 && p->clock && w->index[p->clock - 1])
        tt_buf_fmt(b, " clocks=\"%u\"", (unsigned)p->clock - 1);
    describe_text(b, "description", p->text);
}

/* The clock of an event port, or of the unit's own events; in FMI 2 what counts
 * them. */
static void put_clock(const struct describing *w, uint32_t i)
{
    enum tt_causality c = w->d->port[i].causality;
    const char *of = NULL;

    for (uint32_t k = 0; k < w->d->n_port; k++)
        if (w->d->port[k].clock == i + 1)
            of = w->d->port[k].name;
    tt_buf_fmt(w->b, "    <%s name=\"",
               w->x->fmi == 3 ? "Clock" : "ScalarVariable");
    if (of)
        tt_buf_xml(w->b, of);
    tt_buf_fmt(w->b,
               "%s\" valueReference=\"%u\" causality=\"%s\" "
               "variability=\"discrete\"%s",
               of ? "_clock" : "events_internal", (unsigned)i,
               tt_causality_name(c),
               w->x->fmi == 3 ? " intervalVariability=\"triggered\"/>\n" : "");
    if (w->x->fmi == 2)
        tt_buf_fmt(w->b, "%s><Integer start=\"0\"/></ScalarVariable>\n",
                   c == TT_CAUS_OUTPUT ? " initial=\"exact\"" : "");
}

/* What an importer needs that decides itself when its own events happen. */
static void put_events(const struct describing *w)
{
    int is3 = w->x->fmi == 3;

    tt_buf_fmt(w->b,
               "    <%s name=\"events_next\" valueReference=\"%u\" "
               "causality=\"local\" variability=\"discrete\" "
               "initial=\"calculated\"%s/>%s\n"
               "    <%s name=\"events_driven\" valueReference=\"%u\" "
               "causality=\"parameter\" variability=\"fixed\" "
               "initial=\"exact\"%s start=\"false\"/>%s\n",
               is3 ? "Float64" : "ScalarVariable", (unsigned)w->d->n_port + 1,
               is3 ? "" : "><Real", is3 ? "" : "</ScalarVariable>",
               is3 ? "Boolean" : "ScalarVariable", (unsigned)w->d->n_port + 2,
               is3 ? "" : "><Boolean", is3 ? "" : "</ScalarVariable>");
}

static void put_variable2(const struct describing *w, uint32_t i,
                          enum tt_type as, const struct nature *n)
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
static void put_inside3(const struct describing *w, const struct tt_port *p,
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

static void put_variable3(const struct describing *w, uint32_t i,
                          enum tt_type as, const struct nature *n)
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
static void put_time(const struct describing *w)
{
    char name[16] = "time";

    while (tt_desc_find(w->d, name) != TT_NONE && strlen(name) < 15)
        memmove(name + 1, name, strlen(name) + 1), name[0] = '_';
    tt_buf_fmt(w->b,
               "    <Float64 name=\"%s\" valueReference=\"%u\" "
               "causality=\"independent\" variability=\"continuous\"/>\n",
               name, (unsigned)w->d->n_port);
}

void describe_variables(const struct describing *w)
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
        if (describe_is_clock(w, i))
            put_clock(w, i);
        else if (w->x->fmi == 3)
            put_variable3(w, i, as, &n);
        else
            put_variable2(w, i, as, &n);
    }
    if (describe_has_events(w)) /* last: FMI 2 counts */
        put_events(w);
    tt_buf_str(w->b, "  </ModelVariables>\n");
}
