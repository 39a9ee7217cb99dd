/* SPDX-License-Identifier: MIT */
/* A scenario as a system structure of OSP. */
#include <math.h>
#include <string.h>

#include "base/ratio.h"
#include "formats/flat.h"
#include "formats/osp_impl.h"

#define OSP_SPACE "http://opensimulationplatform.com/MSMI/OSPSystemStructure"

struct out {
    struct tt_flat f;
    struct tt_buf b;
    uint32_t many; /* base steps in a macro step */
};

static void put_element(struct tt_buf *b, const char *name, double v)
{
    tt_buf_fmt(b, "  <%s>", name);
    tt_buf_num(b, v);
    tt_buf_fmt(b, "</%s>\n", name);
}

/* --- times ---------------------------------------------------------------- */

static uint32_t rate_of(const tt_scenario *s, uint32_t unit)
{
    return s->unit[unit].rate > 1 ? s->unit[unit].rate : 1;
}

/* Base steps in a macro step. A structure makes its macro step as short as the
 * steps of its simulators allow. */
static void find_many(struct out *o)
{
    const tt_scenario *s = o->f.s;
    uint64_t all = 1, part = 0;

    for (uint32_t i = 0; i < s->n_unit; i++)
        if (o->f.name[i]) {
            uint32_t rate = rate_of(s, i);

            all = all / tt_gcd(all, rate) * rate;
            part = part ? tt_gcd(part, rate) : rate;
            if (all > OSP_MOST_RATE)
                break;
        }
    o->many = 1;
    if (all > OSP_MOST_RATE)
        return;
    tt_flat_covers(&o->f, "rates");
    o->many = (uint32_t)all;
    if (part > 1)
        tt_format_lost(o->f.t, s, TT_SC_NOWHERE,
                       "OSP exchanges values once in the longest step of a "
                       "simulator: all instances step more than once here");
}

static const struct tt_sc_constraint *find_ecco(const tt_scenario *s)
{
    for (uint32_t i = 0; i < s->n_constraint; i++)
        if (s->constraint[i].kind == TT_CONSTRAINT_ERROR &&
            s->constraint[i].method == TT_ERROR_ENERGY)
            return &s->constraint[i];
    return NULL;
}

/* Gains are what cosim has where none are stated. */
static void put_ecco(struct out *o, const struct tt_sc_constraint *c)
{
    const tt_scenario *s = o->f.s;
    struct tt_buf *b = &o->b;

    tt_buf_str(b, "  <Algorithm>ecco</Algorithm>\n  <EccoConfiguration>\n");
    put_element(b, "SafetyFactor", c->safety);
    put_element(b, "StepSize", s->step_init);
    put_element(b, "MinimumStepSize", s->step_min);
    put_element(b, "MaximumStepSize", s->step_max);
    put_element(b, "MinimumChangeRate", c->shrink > 0 ? c->shrink : 0.2);
    put_element(b, "MaximumChangeRate", c->grow > 0 ? c->grow : 1.5);
    put_element(b, "ProportionalGain", 0.2);
    put_element(b, "IntegralGain", 0.15);
    put_element(b, "RelativeTolerance", c->reltol);
    put_element(b, "AbsoluteTolerance", c->abstol);
    tt_buf_str(b, "  </EccoConfiguration>\n");
    tt_format_lost(o->f.t, s, c->where,
                   "ecco does not repeat steps that were too long, and has "
                   "gains of its own");
}

static void put_fixed(struct out *o)
{
    const tt_scenario *s = o->f.s;
    double step =
        s->algorithm == TT_ALG_VARIABLE ? s->step_init : tt_flat_step(&o->f);

    find_many(o);
    put_element(&o->b, "BaseStepSize", step / o->many);
    tt_buf_str(&o->b, "  <Algorithm>fixedStep</Algorithm>\n");
    if (s->algorithm == TT_ALG_VARIABLE)
        tt_format_lost(o->f.t, s, s->step_where,
                       "OSP has no variable steps but those of ecco: they are "
                       "fixed to the first");
}

static void put_times(struct out *o)
{
    const tt_scenario *s = o->f.s;
    const struct tt_sc_constraint *ecco =
        s->algorithm == TT_ALG_VARIABLE ? find_ecco(s) : NULL;

    tt_flat_covers(&o->f, "startTime");
    tt_flat_covers(&o->f, "algorithm");
    put_element(&o->b, "StartTime", isnan(s->start) ? 0 : s->start);
    if (isfinite(s->end)) {
        tt_flat_covers(&o->f, "endTime");
        put_element(&o->b, "EndTime", s->end);
    }
    if (ecco)
        put_ecco(o, ecco);
    else
        put_fixed(o);
    for (uint32_t i = 0; i < s->n_constraint; i++)
        if (&s->constraint[i] != ecco)
            tt_format_lost(o->f.t, s, s->constraint[i].where,
                           "OSP has no word for the constraint '%s'",
                           s->constraint[i].name);
}

/* --- simulators ----------------------------------------------------------- */

static const char *type_of(const struct tt_flat *f,
                           const struct tt_sc_parameter *p,
                           const struct tt_sc_value *v)
{
    static const char *const kind[] = {[TT_SC_NUMBER] = "Real",
                                       [TT_SC_INTEGER] = "Integer",
                                       [TT_SC_BOOL] = "Boolean",
                                       [TT_SC_TEXT] = "String"};
    const struct tt_port *port = tt_flat_port(f, &p->ref);

    if (port && tt_type_is_float(port->type))
        return kind[TT_SC_NUMBER];
    return kind[v->kind];
}

static void put_value(struct out *o, const struct tt_sc_parameter *p)
{
    const struct tt_sc_value v = tt_flat_value(&o->f, p);
    struct tt_buf value;

    tt_buf_init(&value, TT_DOC_MAX);
    tt_flat_put_value(&value, &v);
    tt_buf_str(&o->b, "        <InitialValue");
    tt_xml_text(&o->b, "variable", p->ref.variable);
    tt_buf_fmt(&o->b, "><%s", type_of(&o->f, p, &v));
    tt_xml_text(&o->b, "value", value.len ? value.data : "");
    tt_buf_str(&o->b, "/></InitialValue>\n");
    o->b.failed |= value.failed;
    tt_buf_fini(&value);
}

/* The parameters of each unit in a row: first[unit], next[parameter]. */
struct rows {
    uint32_t *first, *next;
};

static enum tt_code find_rows(struct out *o, struct rows *r)
{
    const tt_scenario *s = o->f.s;
    tt_arena *arena = o->f.beside.arena;

    if (!TT_NEW_IN(arena, r->first, s->n_unit) ||
        !TT_NEW_IN(arena, r->next, s->n_parameter))
        return tt_nomem(o->f.err, o->f.t->path);
    for (uint32_t i = 0; i < s->n_unit; i++)
        r->first[i] = TT_NONE;
    for (uint32_t i = s->n_parameter; i-- > 0;) {
        if (!tt_flat_gives(&o->f, &s->parameter[i]))
            continue;
        r->next[i] = r->first[s->parameter[i].ref.unit];
        r->first[s->parameter[i].ref.unit] = i;
    }
    return TT_OK;
}

static void put_simulator(struct out *o, uint32_t unit, const struct rows *r)
{
    const tt_scenario *s = o->f.s;
    const struct tt_sc_unit *u = &s->unit[unit];

    tt_buf_str(&o->b, "    <Simulator");
    tt_xml_text(&o->b, "name", o->f.name[unit]);
    tt_buf_str(&o->b, " source=\"");
    if (u->isolate || s->isolate)
        tt_buf_str(&o->b, "proxyfmu://localhost?file=");
    tt_buf_xml(&o->b, o->f.source[u->fmu]);
    tt_buf_char(&o->b, '"');
    if (o->many > 1)
        tt_xml_num(&o->b, "stepSize", s->step / rate_of(s, unit));
    if (r->first[unit] == TT_NONE) {
        tt_buf_str(&o->b, "/>\n");
        return;
    }
    tt_buf_str(&o->b, ">\n      <InitialValues>\n");
    for (uint32_t i = r->first[unit]; i != TT_NONE; i = r->next[i])
        put_value(o, &s->parameter[i]);
    tt_buf_str(&o->b, "      </InitialValues>\n    </Simulator>\n");
}

static enum tt_code put_simulators(struct out *o)
{
    struct rows r = {0};
    enum tt_code rc = find_rows(o, &r);

    if (rc != TT_OK)
        return rc;
    tt_flat_covers(&o->f, "isolate");
    tt_buf_str(&o->b, "  <Simulators>\n");
    for (uint32_t i = 0; i < o->f.s->n_unit; i++)
        if (o->f.name[i])
            put_simulator(o, i, &r);
    tt_buf_str(&o->b, "  </Simulators>\n");
    return TT_OK;
}

/* --- connections ---------------------------------------------------------- */

/* One with factor or offset goes through a function; they are numbered as
 * connections are. */
static int is_linear(const struct tt_sc_connection *c)
{
    return c->by && (c->by->factor != 1 || c->by->offset != 0);
}

static void put_functions(struct out *o, const char *shown)
{
    const tt_scenario *s = o->f.s;
    int any = 0;

    for (uint32_t i = 0; i < s->n_connection; i++) {
        const struct tt_sc_connection *c = &s->connection[i];

        if (!shown[i] || !is_linear(c))
            continue;
        tt_buf_str(&o->b, any++ ? "" : "  <Functions>\n");
        tt_buf_fmt(&o->b, "    <LinearTransformation name=\"linear %u\"",
                   (unsigned)i + 1);
        tt_xml_num(&o->b, "factor", c->by->factor);
        tt_xml_num(&o->b, "offset", c->by->offset);
        tt_buf_str(&o->b, "/>\n");
    }
    tt_buf_str(&o->b, any ? "  </Functions>\n" : "");
}

static const char *bond_of(const tt_scenario *s,
                           const struct tt_sc_connection *c)
{
    for (uint32_t i = 0; i < s->n_bond; i++)
        for (int k = 0; k < 2; k++)
            if (tt_sc_ref_same(&c->from, &s->bond[i].out[k]) &&
                tt_sc_ref_same(&c->to, &s->bond[i].in[!k]))
                return s->bond[i].name;
    return NULL;
}

static void put_variable(struct out *o, const struct tt_sc_ref *r)
{
    tt_buf_str(&o->b, "      <Variable");
    tt_xml_text(&o->b, "simulator", o->f.name[r->unit]);
    tt_xml_text(&o->b, "name", r->variable);
    tt_buf_str(&o->b, "/>\n");
}

static void put_signal(struct out *o, uint32_t i, const char *name)
{
    tt_buf_fmt(&o->b, "      <Signal function=\"linear %u\" name=\"%s\"/>\n",
               (unsigned)i + 1, name);
}

static void put_connection(struct out *o, uint32_t i)
{
    const struct tt_sc_connection *c = &o->f.s->connection[i];
    const char *bond = bond_of(o->f.s, c);

    if (is_linear(c)) {
        tt_buf_str(&o->b, "    <SignalConnection>\n");
        put_variable(o, &c->from);
        put_signal(o, i, "in");
        tt_buf_str(&o->b, "    </SignalConnection>\n    <SignalConnection>\n");
        put_signal(o, i, "out");
        put_variable(o, &c->to);
        tt_buf_str(&o->b, "    </SignalConnection>\n");
        return;
    }
    tt_buf_str(&o->b, "    <VariableConnection");
    if (bond)
        tt_xml_text(&o->b, "powerBond", bond);
    tt_buf_str(&o->b, ">\n");
    put_variable(o, &c->from);
    put_variable(o, &c->to);
    tt_buf_str(&o->b, "    </VariableConnection>\n");
}

static enum tt_code put_connections(struct out *o)
{
    const tt_scenario *s = o->f.s;
    char *shown = tt_arena_alloc(o->f.beside.arena, s->n_connection, 1);
    int any = 0;

    if (!shown)
        return tt_nomem(o->f.err, o->f.t->path);
    for (uint32_t i = 0; i < s->n_connection; i++)
        shown[i] = (char)tt_flat_connects(&o->f, &s->connection[i]);
    put_functions(o, shown);
    for (uint32_t i = 0; i < s->n_connection; i++) {
        if (!shown[i])
            continue;
        tt_buf_str(&o->b, any++ ? "" : "  <Connections>\n");
        put_connection(o, i);
    }
    tt_buf_str(&o->b, any ? "  </Connections>\n" : "");
    return TT_OK;
}

/* A level, or what is repaid, has no word. */
static void cover_bonds(struct out *o)
{
    const tt_scenario *s = o->f.s;
    int plain = 1;

    for (uint32_t i = 0; i < s->n_bond; i++)
        plain &= !s->bond[i].correct;
    if (plain)
        tt_flat_covers(&o->f, "powerBonds");
}

/* --- the whole ------------------------------------------------------------ */

static enum tt_code put_all(struct out *o)
{
    enum tt_code rc;

    tt_buf_str(&o->b,
               "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
               "<" OSP_ROOT " xmlns=\"" OSP_SPACE "\" version=\"0.1\">\n");
    put_times(o);
    cover_bonds(o);
    rc = put_simulators(o);
    if (rc == TT_OK)
        rc = put_connections(o);
    tt_buf_str(&o->b, "</" OSP_ROOT ">\n");
    return rc == TT_OK ? tt_flat_rest(&o->f) : rc;
}

enum tt_code osp_write(const tt_scenario *s, struct tt_format_target *t,
                       tt_err *err)
{
    struct out o = {.many = 1};
    enum tt_code rc = tt_flat_begin(&o.f, s, t, "OSP", err);

    tt_buf_init(&o.b, TT_DOC_MAX);
    if (rc == TT_OK)
        rc = put_all(&o);
    return tt_flat_end(&o.f, &o.b, rc);
}
