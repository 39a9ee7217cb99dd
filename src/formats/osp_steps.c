/* SPDX-License-Identifier: MIT */
/* Times and steps of an OSP system structure, and its algorithm. */
#include <math.h>
#include <string.h>
#include <strings.h>

#include "base/num.h"
#include "base/ratio.h"
#include "formats/osp_impl.h"

#define OSP_STEP 0.1 /* where none is stated */

/* What is written in an element, <StartTime>1</StartTime>, as a number. *at is
 * the element, or NULL: there is none. */
static enum tt_code number_in(struct osp *o, const struct tt_xml_node *in,
                              const char *name, double *value,
                              const struct tt_xml_node **at)
{
    const char *text;

    *at = ssp_child(in, name);
    if (!*at)
        return TT_OK;
    text = tt_xml_value(*at, "text");
    if (text && tt_num_parse(text, value) == 0)
        return TT_OK;
    return tt_sc_fail(o->s.b, ssp_where(o->doc, *at), TT_EINPUT,
                      "<%s> is '%s', not a number", name, text ? text : "");
}

static enum tt_code set_span(struct osp *o, const struct tt_xml_node *root)
{
    const struct tt_xml_node *at;
    double end = 0;
    enum tt_code rc = number_in(o, root, "StartTime", &o->start, &at);

    if (rc == TT_OK)
        rc = tt_sc_set_start(o->s.b, o->start,
                             ssp_where(o->doc, at ? at : root));
    if (rc == TT_OK)
        rc = number_in(o, root, "EndTime", &end, &at);
    if (rc == TT_OK && at)
        rc = tt_sc_set_end(o->s.b, end, ssp_where(o->doc, at));
    return rc;
}

/* --- steps of simulators ----------------------------------------------------
 */

static uint32_t common(uint32_t a, uint32_t b)
{
    uint64_t both = (uint64_t)a / tt_gcd(a, b) * b;

    return both > OSP_MOST_RATE ? OSP_MOST_RATE + 1 : (uint32_t)both;
}

/* A simulator's step in base steps: whole ones, and fewer rather than more. */
static enum tt_code find_factor(struct osp *o, struct osp_unit *u)
{
    char wanted[TT_NUM_MAX], base[TT_NUM_MAX], taken[TT_NUM_MAX];
    double step = 0, ratio;
    enum tt_code rc = ssp_number(&o->s, o->doc, u->node, "stepSize", &step);

    u->factor = 1;
    if (rc != TT_OK || step <= 0)
        return rc;
    ratio = floor(step / o->step * (1 + 1e-9));
    if (ratio > OSP_MOST_RATE)
        ratio = OSP_MOST_RATE + 1;
    if (ratio >= 1)
        u->factor = (uint32_t)ratio;
    ratio = u->factor * o->step;
    if (u->factor <= OSP_MOST_RATE && fabs(step - ratio) > 1e-9 * step) {
        tt_num_print_short(wanted, step);
        tt_num_print_short(base, o->step);
        tt_num_print_short(taken, ratio);
        tt_sc_warn(o->s.b, ssp_where(o->doc, u->node), u->unit,
                   "the step of '%s', %s s, is no multiple of the base step, "
                   "%s s: it makes steps of %s s",
                   u->name, wanted, base, taken);
    }
    return rc;
}

/* A function is computed as often as all that it feeds step. */
static void find_function_factor(struct osp *o, uint32_t unit)
{
    uint32_t factor = 1;

    for (size_t i = 0; i < o->n_link; i++)
        if (o->link[i].from == unit)
            factor = common(factor, o->unit[o->link[i].to].factor);
    o->unit[unit].factor = factor;
}

static void warn_of_exchange(struct osp *o)
{
    for (size_t i = 0; i < o->n_link; i++) {
        const struct osp_unit *a = &o->unit[o->link[i].from];
        const struct osp_unit *b = &o->unit[o->link[i].to];
        char here[TT_NUM_MAX], there[TT_NUM_MAX];

        if (a->factor == b->factor || common(a->factor, b->factor) == o->many)
            continue;
        tt_num_print_short(here, o->step * o->many);
        tt_num_print_short(there, o->step * common(a->factor, b->factor));
        tt_sc_warn(o->s.b, o->link[i].where, NULL,
                   "'%s' and '%s' exchange values every %s s, and not every "
                   "%s s: there are more than two steps",
                   a->name, b->name, here, there);
    }
}

static enum tt_code find_factors(struct osp *o, const struct tt_xml_node *root)
{
    enum tt_code rc = TT_OK;

    o->many = 1;
    for (size_t i = 0; rc == TT_OK && i < o->n_unit; i++)
        if (o->unit[i].what == OSP_SIMULATOR) {
            rc = find_factor(o, &o->unit[i]);
            o->many = common(o->many, o->unit[i].factor);
        }
    if (rc == TT_OK && o->many > OSP_MOST_RATE)
        return tt_sc_fail(o->s.b, ssp_where(o->doc, root), TT_EUNSUPPORTED,
                          "the steps of the simulators have no common multiple "
                          "of at most %u base steps",
                          OSP_MOST_RATE);
    for (uint32_t i = 0; rc == TT_OK && i < o->n_unit; i++)
        if (o->unit[i].what != OSP_SIMULATOR)
            find_function_factor(o, i);
    if (rc == TT_OK)
        warn_of_exchange(o);
    return rc;
}

static void put_rate(struct osp *o, const struct osp_unit *u, struct tt_buf *b)
{
    uint32_t rate = o->many / u->factor;

    for (uint32_t i = 0; rate > 1 && i < (u->n_dim ? u->n_dim : 1); i++) {
        const char *unit = u->what == OSP_VECTOR
                               ? ssp_text(&o->s, "%s%u", u->unit, (unsigned)i)
                               : u->unit;

        tt_fields_key(b, unit);
        tt_buf_fmt(b, "%u", (unsigned)rate);
    }
}

static enum tt_code set_fixed(struct osp *o, const struct tt_xml_node *root,
                              struct tt_buf *json)
{
    const struct tt_xml_node *at = NULL;
    enum tt_code rc;

    o->step = OSP_STEP;
    rc = number_in(o, root, "BaseStepSize", &o->step, &at);
    if (rc == TT_OK && !(o->step > 0 && isfinite(o->step)))
        return tt_sc_fail(o->s.b, ssp_where(o->doc, at ? at : root), TT_EINPUT,
                          "<BaseStepSize> must be greater than 0");
    if (rc == TT_OK)
        rc = find_factors(o, root);
    if (rc != TT_OK)
        return rc;
    tt_fields_key(json, "rates");
    tt_buf_char(json, '{');
    for (size_t i = 0; i < o->n_unit; i++)
        put_rate(o, &o->unit[i], json);
    tt_buf_char(json, '}');
    return tt_sc_set_step(o->s.b, o->step * o->many,
                          ssp_where(o->doc, at ? at : root));
}

/* --- ECCO -------------------------------------------------------------------
 */

enum { FIRST, LEAST, MOST, SAFETY, SHRINK, GROW, RELATIVE, ABSOLUTE, N_ECCO };

static enum tt_code read_ecco(struct osp *o, const struct tt_xml_node *e,
                              double v[N_ECCO])
{
    static const char *const name[N_ECCO] = {
        "StepSize",          "MinimumStepSize",   "MaximumStepSize",
        "SafetyFactor",      "MinimumChangeRate", "MaximumChangeRate",
        "RelativeTolerance", "AbsoluteTolerance"};
    const struct tt_xml_node *at = e;
    enum tt_code rc = TT_OK;

    for (int i = 0; rc == TT_OK && i < N_ECCO; i++) {
        rc = number_in(o, e, name[i], &v[i], &at);
        if (rc == TT_OK && !at)
            rc = tt_sc_fail(o->s.b, ssp_where(o->doc, e), TT_EINPUT,
                            "<%s> has no <%s>", e->name, name[i]);
    }
    return rc;
}

static void put_ecco(struct tt_buf *b, const double v[N_ECCO])
{
    tt_fields_key(b, "algorithm");
    tt_buf_str(b, "{\"type\":\"var-step\",\"size\":[");
    tt_buf_num(b, v[LEAST]);
    tt_buf_char(b, ',');
    tt_buf_num(b, v[MOST]);
    tt_buf_char(b, ']');
    tt_fields_num(b, "initsize", v[FIRST]);
    tt_buf_str(b, ",\"constraints\":{\"ecco\":{\"type\":\"error\","
                  "\"method\":\"energy\",\"perUnitTime\":0");
    tt_fields_num(b, "abstol", v[ABSOLUTE]);
    tt_fields_num(b, "reltol", v[RELATIVE]);
    tt_fields_num(b, "safety", v[SAFETY]);
    tt_fields_num(b, "shrink", v[SHRINK]);
    tt_fields_num(b, "grow", v[GROW]);
    tt_buf_str(b, "}}}");
}

static enum tt_code set_ecco(struct osp *o, const struct tt_xml_node *root,
                             uint32_t n_bond, struct tt_buf *json)
{
    const struct tt_xml_node *e = ssp_child(root, "EccoConfiguration");
    double v[N_ECCO] = {0};
    enum tt_code rc;

    if (!e)
        return tt_sc_fail(o->s.b, ssp_where(o->doc, root), TT_EINPUT,
                          "the algorithm is ecco, and there is no "
                          "<EccoConfiguration>");
    rc = read_ecco(o, e, v);
    if (rc != TT_OK)
        return rc;
    if (n_bond == 0) {
        tt_sc_warn(
            o->s.b, ssp_where(o->doc, e), NULL,
            "there is no power bond, which ecco looks at: the step stays "
            "as it is");
        return tt_sc_set_step(o->s.b, v[FIRST], ssp_where(o->doc, e));
    }
    tt_sc_warn(o->s.b, ssp_where(o->doc, e), NULL,
               "steps are chosen by the energy of power bonds, as ecco does; "
               "<ProportionalGain> and <IntegralGain> are not used");
    put_ecco(json, v);
    return TT_OK;
}

/* --- all --------------------------------------------------------------------
 */

static enum tt_code read_algorithm(struct osp *o,
                                   const struct tt_xml_node *root, int *ecco)
{
    const struct tt_xml_node *a = ssp_child(root, "Algorithm");
    const char *name = a ? tt_xml_value(a, "text") : NULL;

    *ecco = name && strcasecmp(name, "ecco") == 0;
    if (!name || *ecco || strcasecmp(name, "fixedStep") == 0)
        return TT_OK;
    return tt_sc_fail(o->s.b, ssp_where(o->doc, a), TT_EINPUT,
                      "the algorithm is '%s', and not fixedStep or ecco", name);
}

/* Bonds count energy in any run; behind the gates of events they cannot, and
 * only ecco needs them. */
static enum tt_code put_settings(struct osp *o, const struct tt_xml_node *root,
                                 struct tt_buf *json)
{
    uint32_t n_bond = 0;
    int ecco = 0;
    enum tt_code rc = read_algorithm(o, root, &ecco);

    tt_buf_char(json, '{');
    if (rc == TT_OK && (ecco || !o->scripted))
        rc = osp_bonds(o, json, &n_bond);
    if (rc == TT_OK)
        rc = ecco ? set_ecco(o, root, n_bond, json) : set_fixed(o, root, json);
    tt_buf_char(json, '}');
    return rc;
}

enum tt_code osp_set_times(struct osp *o, const struct tt_xml_node *root)
{
    struct tt_buf json;
    enum tt_code rc = set_span(o, root);

    tt_buf_init(&json, TT_DOC_MAX);
    if (rc == TT_OK)
        rc = put_settings(o, root, &json);
    if (rc == TT_OK)
        rc = tt_fields_read(o->s.b, &json, ssp_where(o->doc, root), NULL,
                            o->s.arena, o->s.err);
    tt_buf_fini(&json);
    return rc;
}
