/* SPDX-License-Identifier: MIT */
/* The texts of an SSP that is written. */
#include "formats/ssp_write.h"
#include "formats/flat.h"

#include <math.h>
#include <string.h>

#include "base/log.h"
#include "base/num.h"
#include "unit/unit.h"

static void put_unit(struct tt_buf *b, const struct tt_quantity *q)
{
    tt_buf_str(b, "    <ssc:Unit");
    tt_xml_text(b, "name", q->name);
    tt_buf_str(b, "><ssc:BaseUnit");
    for (size_t i = 0; i < TT_SC_BASE_UNITS; i++)
        if (q->exponent[i])
            tt_buf_fmt(b, " %s=\"%d\"", tt_sc_base_units[i], q->exponent[i]);
    tt_xml_num(b, "factor", q->factor);
    tt_xml_num(b, "offset", q->offset);
    tt_buf_str(b, "/></ssc:Unit>\n");
}

static void put_version(struct tt_buf *b, const struct ssp_out *o)
{
    tt_xml_text(b, "version", o->two ? "2.0" : "1.0");
    tt_xml_text(b, "name", *o->s->name ? o->s->name : "scenario");
}

static int is_shown(const struct ssp_out *o, uint32_t unit)
{
    return unit != TT_NONE && o->name[unit];
}

/* --- components ----------------------------------------------------------- */

/* Connectors of each unit: what connections and ports name, once each. */
struct pins {
    const char *kind;
    uint32_t unit;
    const char *variable;
    const char *name; /* of its own, or NULL */
};

static int is_new(struct tt_names *seen, tt_arena *arena, uint32_t unit,
                  const char *variable)
{
    struct tt_buf t;
    const char *key;
    int added;

    tt_buf_init(&t, (size_t)1 << 20);
    tt_buf_fmt(&t, "%u.%s", unit, variable);
    key = t.failed ? NULL : tt_arena_strdup(arena, t.data);
    tt_buf_fini(&t);
    added = key ? tt_names_add(seen, key, 0) : -1;
    return added == 0;
}

/* All pins, and per unit the first; `next` chains them. */
struct pin_list {
    struct pins *pin;
    uint32_t *next, *first, *last;
    uint32_t n;
    struct tt_names seen;
};

static void add_pin(const struct ssp_out *o, struct pin_list *l,
                    const struct tt_sc_ref *r, const char *kind)
{
    if (!is_shown(o, r->unit) ||
        !is_new(&l->seen, o->places.arena, r->unit, r->variable))
        return;
    l->pin[l->n] = (struct pins){kind, r->unit, r->variable, NULL};
    l->next[l->n] = TT_NONE;
    if (l->first[r->unit] == TT_NONE)
        l->first[r->unit] = l->n;
    else
        l->next[l->last[r->unit]] = l->n;
    l->last[r->unit] = l->n++;
}

static int make_pins(const struct ssp_out *o, struct pin_list *l)
{
    static const char *const kind[] = {[TT_SC_PORT_INPUT] = "input",
                                       [TT_SC_PORT_OUTPUT] = "output",
                                       [TT_SC_PORT_PARAMETER] = "parameter"};
    const tt_scenario *s = o->s;
    size_t most = (size_t)2 * s->n_connection;

    for (uint32_t i = 0; i < s->n_port; i++)
        most += s->port[i].n_ref;
    tt_names_init(&l->seen);
    if (!TT_NEW_IN(o->places.arena, l->pin, most) ||
        !TT_NEW_IN(o->places.arena, l->next, most) ||
        !TT_NEW_IN(o->places.arena, l->first, s->n_unit) ||
        !TT_NEW_IN(o->places.arena, l->last, s->n_unit))
        return -1;
    memset(l->first, 0xFF, s->n_unit * sizeof(*l->first));
    for (uint32_t i = 0; i < s->n_connection; i++) {
        add_pin(o, l, &s->connection[i].from, "output");
        add_pin(o, l, &s->connection[i].to, "input");
    }
    for (uint32_t i = 0; i < s->n_port; i++)
        for (uint32_t k = 0; k < s->port[i].n_ref; k++)
            add_pin(o, l, &s->port[i].ref[k], kind[s->port[i].dir]);
    return 0;
}

static const char *type_of(const char *source)
{
    size_t n = strlen(source);

    if (n > 4 && strcmp(source + n - 4, ".fmu") == 0)
        return "application/x-fmu-sharedlibrary";
    if (n > 5 && strcmp(source + n - 5, ".json") == 0)
        return "application/json";
    if (n > 3 && strcmp(source + n - 3, ".sa") == 0)
        return "text/plain";
    return "text/csv";
}

static void put_connector(struct tt_buf *b, const struct ssp_out *o,
                          const struct pins *p, const char *indent)
{
    const struct tt_sc_ref r = {.unit = p->unit, .variable = p->variable};
    const char *element = p->name ? "" : o->name[p->unit];

    tt_buf_fmt(b, "%s<ssd:Connector", indent);
    tt_xml_text(b, "name", p->name ? p->name : p->variable);
    tt_xml_text(b, "kind", p->kind);
    ssp_put_kept(b, o, element, p->name ? p->name : p->variable);
    tt_buf_str(b, ">");
    if (!ssp_put_kept_type(b, o, element, p->name ? p->name : p->variable))
        ssp_put_type(b, o, ssp_port(o, &r));
    ssp_put_notes(b, o,
                  p->name ? ssp_note_key(o, "system.%s", p->name)
                          : ssp_ref_key(o, &r));
    tt_buf_str(b, "</ssd:Connector>\n");
}

static void put_component(struct tt_buf *b, const struct ssp_out *o,
                          const struct pin_list *l, uint32_t unit)
{
    static const char *const interface[] = {
        [TT_INTERFACE_ANY] = "any",
        [TT_INTERFACE_CO_SIMULATION] = "CoSimulation",
        [TT_INTERFACE_MODEL_EXCHANGE] = "ModelExchange",
        [TT_INTERFACE_SCHEDULED_EXECUTION] = "ScheduledExecution"};
    const struct tt_sc_unit *u = &o->s->unit[unit];
    uint8_t i = u->interface ? u->interface : o->s->interface;

    tt_buf_str(b, "      <ssd:Component");
    tt_xml_text(b, "name", o->name[unit]);
    tt_xml_text(b, "type", type_of(o->source[u->fmu]));
    tt_xml_text(b, "source", o->source[u->fmu]);
    if (i && (o->two || i != TT_INTERFACE_SCHEDULED_EXECUTION))
        tt_xml_text(b, "implementation", interface[i]);
    ssp_put_kept(b, o, o->name[unit], NULL);
    tt_buf_str(b, ">\n");
    if (l->first[unit] != TT_NONE)
        tt_buf_str(b, "        <ssd:Connectors>\n");
    for (uint32_t p = l->first[unit]; p != TT_NONE; p = l->next[p])
        put_connector(b, o, &l->pin[p], "          ");
    if (l->first[unit] != TT_NONE)
        tt_buf_str(b, "        </ssd:Connectors>\n");
    ssp_put_box(b, o, unit);
    tt_buf_str(b,
               "        <ssd:Annotations><ssc:Annotation type=\"" TT_XML_TUTTI
               "\"><tutti:Instance");
    tt_xml_text(b, "name", u->name);
    tt_buf_str(b, "/></ssc:Annotation>");
    ssp_put_note(b, o, u->name);
    tt_buf_str(b, "</ssd:Annotations>\n"
                  "      </ssd:Component>\n");
}

/* --- connections ---------------------------------------------------------- */

/* Without a point, which whole numbers may not have. */
static void put_mapped(struct tt_buf *b, const char *name, double v)
{
    char text[TT_NUM_MAX];

    tt_num_print_short(text, v);
    tt_xml_text(b, name, text);
}

static void put_transform(struct tt_buf *b, const struct tt_sc_transform *t)
{
    int linear = t->factor != 1 || t->offset != 0;

    if (t->n_map && !linear) {
        tt_buf_str(b, "<ssc:IntegerMappingTransformation>");
        for (uint32_t i = 0; i < t->n_map; i++) {
            tt_buf_str(b, "<ssc:MapEntry");
            put_mapped(b, "source", t->map[i].from);
            put_mapped(b, "target", t->map[i].to);
            tt_buf_str(b, "/>");
        }
        tt_buf_str(b, "</ssc:IntegerMappingTransformation>");
    } else if (linear) {
        tt_buf_str(b, "<ssc:LinearTransformation");
        tt_xml_num(b, "factor", t->factor);
        tt_xml_num(b, "offset", t->offset);
        tt_buf_str(b, "/>");
    }
}

static void put_end(struct tt_buf *b, const struct ssp_out *o,
                    const char *which, const struct tt_sc_ref *r)
{
    tt_buf_fmt(b, " %sElement=\"", which);
    tt_buf_xml(b, o->name[r->unit]);
    tt_buf_fmt(b, "\" %sConnector=\"", which);
    tt_buf_xml(b, r->variable);
    tt_buf_str(b, "\"");
}

static void put_connection(struct tt_buf *b, const struct ssp_out *o,
                           const struct tt_sc_connection *c)
{
    tt_buf_str(b, "      <ssd:Connection");
    put_end(b, o, "start", &c->from);
    put_end(b, o, "end", &c->to);
    if (c->by && c->by->keep_unit)
        tt_xml_text(b, "suppressUnitConversion", "true");
    tt_buf_str(b, ">");
    if (c->by)
        put_transform(b, c->by);
    ssp_put_link_notes(b, o, ssp_ref_key(o, &c->from), ssp_ref_key(o, &c->to));
    tt_buf_str(b, "</ssd:Connection>\n");
}

/* Between a connector of the system and what stands behind it. */
static void put_outer(struct tt_buf *b, const struct ssp_out *o,
                      const struct tt_sc_port *p, const struct tt_sc_ref *r)
{
    int out = p->dir == TT_SC_PORT_OUTPUT;

    tt_buf_str(b, "      <ssd:Connection");
    if (out)
        put_end(b, o, "start", r);
    tt_xml_text(b, out ? "endConnector" : "startConnector", p->name);
    if (!out)
        put_end(b, o, "end", r);
    tt_buf_str(b, ">");
    ssp_put_link_notes(b, o, ssp_note_key(o, "system.%s", p->name),
                       ssp_ref_key(o, r));
    tt_buf_str(b, "</ssd:Connection>\n");
}

static int is_inside(const struct ssp_out *o, const struct tt_sc_connection *c)
{
    return is_shown(o, c->from.unit) && is_shown(o, c->to.unit);
}

static void put_connections(struct tt_buf *b, const struct ssp_out *o)
{
    const tt_scenario *s = o->s;
    int any = 0;

    for (uint32_t i = 0; i < s->n_connection; i++) {
        if (!is_inside(o, &s->connection[i]))
            continue;
        tt_buf_str(b, any++ ? "" : "    <ssd:Connections>\n");
        put_connection(b, o, &s->connection[i]);
    }
    for (uint32_t i = 0; i < s->n_port; i++)
        for (uint32_t k = 0; k < s->port[i].n_ref; k++)
            if (is_shown(o, s->port[i].ref[k].unit)) {
                tt_buf_str(b, any++ ? "" : "    <ssd:Connections>\n");
                put_outer(b, o, &s->port[i], &s->port[i].ref[k]);
            }
    tt_buf_str(b, any ? "    </ssd:Connections>\n" : "");
}

/* --- the structure -------------------------------------------------------- */

static void put_system(struct tt_buf *b, const struct ssp_out *o,
                       const struct pin_list *l)
{
    static const char *const kind[] = {[TT_SC_PORT_INPUT] = "input",
                                       [TT_SC_PORT_OUTPUT] = "output",
                                       [TT_SC_PORT_PARAMETER] = "parameter"};
    const tt_scenario *s = o->s;
    int any = 0;

    tt_buf_str(b, "  <ssd:System");
    tt_xml_text(b, "name", ssp_kept_name(o));
    ssp_put_kept(b, o, "", NULL);
    tt_buf_str(b, ">\n");
    for (uint32_t i = 0; i < s->n_port; i++) {
        const struct tt_sc_port *p = &s->port[i];
        const struct pins outer = {kind[p->dir],
                                   p->n_ref ? p->ref[0].unit : TT_NONE,
                                   p->n_ref ? p->ref[0].variable : "", p->name};

        tt_buf_str(b, i ? "" : "    <ssd:Connectors>\n");
        put_connector(b, o, &outer, "      ");
    }
    tt_buf_str(b, s->n_port ? "    </ssd:Connectors>\n" : "");
    if (s->n_parameter)
        tt_buf_str(b, "    <ssd:ParameterBindings><ssd:ParameterBinding "
                      "source=\"" SSP_VALUES "\"/></ssd:ParameterBindings>\n");
    for (uint32_t i = 0; i < s->n_unit; i++) {
        if (!o->name[i])
            continue;
        tt_buf_str(b, any++ ? "" : "    <ssd:Elements>\n");
        put_component(b, o, l, i);
    }
    tt_buf_str(b, any ? "    </ssd:Elements>\n" : "");
    put_connections(b, o);
    ssp_put_canvas(b, o);
    ssp_put_notes(b, o, "system");
    tt_buf_str(b, "  </ssd:System>\n");
}

static void put_experiment(struct tt_buf *b, const tt_scenario *s)
{
    if (isnan(s->start) && !isfinite(s->end))
        return;
    tt_buf_str(b, "  <ssd:DefaultExperiment");
    if (!isnan(s->start))
        tt_xml_num(b, "startTime", s->start);
    if (isfinite(s->end))
        tt_xml_num(b, "stopTime", s->end);
    tt_buf_str(b, "/>\n");
}

void ssp_put_own(struct tt_buf *b, const struct ssp_out *o, const char *hash)
{
    tt_buf_str(b, "<ssc:Annotation xmlns:ssc=\"" TT_XML_SSP
                  "SystemStructureCommon\" type=\"" TT_XML_TUTTI
                  "\"><tutti:Scenario xmlns:tutti=\"" TT_XML_TUTTI "\"");
    tt_xml_text(b, "structure", hash);
    tt_xml_text(b, "json", o->json.data);
    tt_buf_str(b, ">\n");
    for (size_t i = 0; i < o->n_part; i++) {
        tt_buf_str(b, "      <tutti:Part");
        tt_xml_text(b, "name", o->part[i].name);
        tt_xml_text(b, "sha256", o->part[i].sha256);
        if (*o->part[i].states)
            tt_xml_text(b, "structure", o->part[i].states);
        tt_buf_str(b, "/>\n");
    }
    tt_buf_str(b, "    </tutti:Scenario></ssc:Annotation>\n");
}

void ssp_put_structure(struct tt_buf *b, const struct ssp_out *o,
                       const char *hash)
{
    struct pin_list pins = {0};

    if (make_pins(o, &pins) != 0)
        b->failed = 1;
    tt_buf_str(b, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                  "<ssd:SystemStructureDescription\n"
                  "  xmlns:ssd=\"" TT_XML_SSP "SystemStructureDescription\"\n"
                  "  xmlns:ssc=\"" TT_XML_SSP "SystemStructureCommon\"\n"
                  "  xmlns:tutti=\"" TT_XML_TUTTI "\"\n ");
    put_version(b, o);
    ssp_put_kept_root(b, o);
    tt_buf_str(b, " generationTool=\"Tutti\">\n");
    if (!b->failed)
        put_system(b, o, &pins);
    ssp_put_kept_enumerations(b, o);
    for (size_t i = 0; i < o->n_unit; i++) {
        tt_buf_str(b, i ? "" : "  <ssd:Units>\n");
        put_unit(b, o->unit[i]);
    }
    tt_buf_str(b, o->n_unit ? "  </ssd:Units>\n" : "");
    put_experiment(b, o->s);
    tt_buf_str(b, "  <ssd:Annotations>\n    ");
    ssp_put_own(b, o, hash);
    ssp_put_note(b, o, "structure");
    tt_buf_str(b, "  </ssd:Annotations>\n");
    tt_buf_str(b, "</ssd:SystemStructureDescription>\n");
    tt_names_fini(&pins.seen);
}

/* --- values --------------------------------------------------------------- */

static const char *const value_type[] = {[TT_SC_NUMBER] = "Real",
                                         [TT_SC_INTEGER] = "Integer",
                                         [TT_SC_BOOL] = "Boolean",
                                         [TT_SC_TEXT] = "String"};

static void put_scalar(struct tt_buf *b, const struct tt_sc_value *v)
{
    if (v->kind == TT_SC_TEXT)
        tt_buf_xml(b, v->text);
    else
        tt_flat_put_value(b, v);
}

/* Real of mixed numbers. A list of texts would look like one text. */
static const char *list_type(const struct tt_sc_value *v)
{
    enum tt_sc_value_kind kind = v->n ? v->item[0].kind : TT_SC_TEXT;

    for (uint32_t i = 0; i < v->n; i++) {
        if (v->item[i].kind == TT_SC_TEXT || v->item[i].kind == TT_SC_ARRAY)
            return NULL;
        if (v->item[i].kind != kind)
            kind = TT_SC_NUMBER;
    }
    return v->n ? value_type[kind] : NULL;
}

static const char *why_not(const struct ssp_out *o,
                           const struct tt_sc_parameter *p)
{
    if (p->value.kind == TT_SC_ARRAY && !o->two)
        return "SSP 1.0 has no arrays";
    if (p->value.kind == TT_SC_ARRAY && !list_type(&p->value))
        return "SSP has no lists of texts";
    if (p->value.kind == TT_SC_INTEGER && !o->two &&
        (p->value.integer > INT32_MAX || p->value.integer < INT32_MIN))
        return "SSP 1.0 has no integers of 64 bits";
    if (p->by && (p->by->factor != 1 || p->by->offset != 0 || p->by->keep_unit))
        return "it is transformed";
    return NULL;
}

/* The item that an enumeration is set to; NULL: none, or it is none. */
static const char *item_of(const struct ssp_out *o,
                           const struct tt_sc_parameter *p)
{
    const struct tt_port *port = ssp_port(o, &p->ref);
    const struct tt_sc_value *v = &p->value;

    if (v->kind != TT_SC_TEXT && v->kind != TT_SC_INTEGER)
        return NULL;
    if (!port)
        return tt_sc_value_item(v);
    if (!tt_type_is_enum(port->type))
        return NULL;
    for (uint32_t i = 0; v->kind == TT_SC_INTEGER && !tt_sc_value_item(v) &&
                         port->items && i < port->items->n;
         i++)
        if (port->items->item[i].value == v->integer)
            return port->items->item[i].name;
    return v->kind == TT_SC_TEXT ? v->text : tt_sc_value_item(v);
}

static void put_value(struct tt_buf *b, const struct ssp_out *o,
                      const struct tt_sc_parameter *p)
{
    const struct tt_sc_value *v = &p->value;
    const char *item = item_of(o, p);
    int list = v->kind == TT_SC_ARRAY;

    if (item) {
        tt_buf_str(b, "<ssv:Enumeration");
        tt_xml_text(b, "value", item);
        tt_buf_str(b, "/>");
        return;
    }
    tt_buf_fmt(b, "<ssv:%s value=\"",
               list ? list_type(v) : value_type[v->kind]);
    if (!list)
        put_scalar(b, v);
    for (uint32_t i = 0; list && i < v->n; i++) {
        tt_buf_str(b, i ? " " : "");
        put_scalar(b, &v->item[i]);
    }
    tt_buf_str(b, "\"");
    if (p->quantity && v->kind == TT_SC_NUMBER)
        tt_xml_text(b, "unit", p->quantity->name);
    tt_buf_str(b, "/>");
    if (list)
        tt_buf_fmt(b, "<ssc:Dimension size=\"%u\"/>", v->n);
}

static void put_units(struct tt_buf *b, const struct ssp_out *o)
{
    struct tt_names seen;
    int any = 0;

    tt_names_init(&seen);
    for (uint32_t i = 0; i < o->s->n_parameter; i++) {
        const struct tt_quantity *q = o->s->parameter[i].quantity;

        if (!q || !q->has_base || why_not(o, &o->s->parameter[i]) ||
            tt_names_add(&seen, q->name, 0) != 0)
            continue;
        tt_buf_str(b, any++ ? "" : "  <ssv:Units>\n");
        put_unit(b, q);
    }
    tt_buf_str(b, any ? "  </ssv:Units>\n" : "");
    tt_names_fini(&seen);
}

void ssp_put_values(struct tt_buf *b, const struct ssp_out *o)
{
    tt_buf_str(b,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<ssv:ParameterSet\n"
               "  xmlns:ssv=\"" TT_XML_SSP "SystemStructureParameterValues\"\n"
               "  xmlns:ssc=\"" TT_XML_SSP "SystemStructureCommon\"\n ");
    put_version(b, o);
    tt_buf_str(b, ">\n  <ssv:Parameters>\n");
    for (uint32_t i = 0; i < o->s->n_parameter; i++) {
        const struct tt_sc_parameter *p = &o->s->parameter[i];
        const char *why = why_not(o, p);

        if (!is_shown(o, p->ref.unit))
            continue;
        if (why) {
            tt_log(o->log, TT_LOG_NOTE,
                   "other tools will not see the value of '%s.%s': %s",
                   o->s->unit[p->ref.unit].name, p->ref.variable, why);
            continue;
        }
        tt_buf_str(b, "    <ssv:Parameter name=\"");
        tt_buf_xml(b, o->name[p->ref.unit]);
        tt_buf_str(b, ".");
        tt_buf_xml(b, p->ref.variable);
        tt_buf_str(b, "\">");
        put_value(b, o, p);
        tt_buf_str(b, "</ssv:Parameter>\n");
    }
    tt_buf_str(b, "  </ssv:Parameters>\n");
    put_units(b, o);
    tt_buf_str(b, "</ssv:ParameterSet>\n");
}
