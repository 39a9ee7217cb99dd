/* SPDX-License-Identifier: MIT */
/* Connections of an OSP system structure: of variables, of signals of
 * functions, and of groups of either. */
#include <stdlib.h>
#include <string.h>

#include "formats/osp_impl.h"

/* One end of a connection: variables of a unit, in order. */
struct end {
    uint32_t unit;
    const char *name; /* as written */
    const char **ref; /* "{key}.instance.variable" */
    int *gives;       /* of each: 1 yes, 0 no, -1 not known */
    uint32_t n;
};

static enum tt_code room(struct osp *o, struct end *e, uint32_t n)
{
    e->ref = tt_arena_alloc(o->s.arena, n + 1u, sizeof(*e->ref));
    e->gives = tt_arena_alloc(o->s.arena, n + 1u, sizeof(*e->gives));
    return e->ref && e->gives ? TT_OK : tt_sc_no_memory(o->s.b);
}

/* --- variables --------------------------------------------------------------
 */

/* Which way values go: by the model description, else as stated. */
static int gives(const struct osp_unit *u, const char *variable,
                 const char *causality)
{
    const struct tt_desc *d = u->type ? &u->type->desc : NULL;
    uint32_t port = d ? tt_desc_find(d, variable) : TT_NONE;

    if (port != TT_NONE)
        return d->port[port].causality != TT_CAUS_INPUT &&
               d->port[port].causality != TT_CAUS_PARAMETER;
    if (!causality)
        return -1;
    return strcmp(causality, "input") != 0 &&
           strcmp(causality, "parameter") != 0;
}

static enum tt_code put(struct osp *o, struct end *e, const char *variable,
                        const char *causality)
{
    e->ref[e->n] = osp_ref(o, e->unit, variable);
    e->gives[e->n] = gives(&o->unit[e->unit], variable, causality);
    return e->ref[e->n++] ? TT_OK : tt_sc_no_memory(o->s.b);
}

/* --- groups of variables ----------------------------------------------------
 */

static const struct tt_xml_node *find_group(const struct tt_xml_node *list,
                                            const char *name)
{
    const struct tt_xml_node *found = NULL;
    const char *n;

    for (const struct tt_xml_node *c = list->children; c && !found;
         c = c->next) {
        n = tt_xml_value(c, "name");
        if (n && strcmp(n, name) == 0)
            found = c;
    }
    for (const struct tt_xml_node *c = list->children; c && !found; c = c->next)
        found = find_group(c, name);
    return found;
}

static uint32_t count_variables(const struct tt_xml_node *group)
{
    uint32_t n = 0;

    for (const struct tt_xml_node *c = group->children; c; c = c->next)
        n += strcmp(c->name, "Variable") == 0 ? 1 : count_variables(c);
    return n;
}

static enum tt_code put_group(struct osp *o, const struct ssp_doc *d,
                              const struct tt_xml_node *group, struct end *e)
{
    enum tt_code rc = TT_OK;
    const char *ref = NULL;

    for (const struct tt_xml_node *c = group->children; rc == TT_OK && c;
         c = c->next) {
        if (strcmp(c->name, "Variable") != 0) {
            rc = put_group(o, d, c, e);
            continue;
        }
        rc = ssp_need(&o->s, d, c, "ref", &ref);
        if (rc == TT_OK)
            rc = put(o, e, ref, NULL);
    }
    return rc;
}

static enum tt_code variable_group(struct osp *o, struct tt_where w,
                                   struct end *e)
{
    const struct ssp_doc *d = o->unit[e->unit].groups;
    const struct tt_xml_node *all =
        d ? ssp_child(tt_xml_root(d->xml), "VariableGroups") : NULL;
    const struct tt_xml_node *group = all ? find_group(all, e->name) : NULL;
    enum tt_code rc;

    if (!d)
        return tt_sc_fail(o->s.b, w, TT_EINPUT,
                          "'%s' has no groups: there is no "
                          "MODEL_OspModelDescription.xml beside its FMU or "
                          "this file, where MODEL is its model's name",
                          o->unit[e->unit].name);
    if (!group)
        return tt_sc_fail(o->s.b, w, TT_EINPUT,
                          "'%s' has no group of variables '%s'",
                          o->unit[e->unit].name, e->name);
    rc = room(o, e, count_variables(group));
    return rc == TT_OK ? put_group(o, d, group, e) : rc;
}

/* --- signals of functions ---------------------------------------------------
 */

/* "in[1][2]" with stem "in": 2 numbers; -1: it is not of that form. */
static int indices(const char *name, const char *stem, uint32_t at[2])
{
    size_t n = strlen(stem);
    int count = 0;
    char *end;

    if (strncmp(name, stem, n) != 0)
        return -1;
    for (name += n; *name == '[' && count < 2; name = end + 1) {
        unsigned long v = strtoul(name + 1, &end, 10);

        if (end == name + 1 || *end != ']' || v > OSP_MOST_INPUTS)
            return -1;
        at[count++] = (uint32_t)v;
    }
    return *name ? -1 : count;
}

/* Input i, or (TT_NONE) the output, of dimension j of a function. */
static enum tt_code put_signal(struct osp *o, struct end *e, uint32_t i,
                               uint32_t j)
{
    const struct osp_unit *u = &o->unit[e->unit];
    const char *of = u->what == OSP_VECTOR
                         ? ssp_text(&o->s, "%s%u", u->unit, (unsigned)j)
                         : u->unit;
    const char *ref;

    if (i == TT_NONE)
        ref = ssp_text(&o->s, "%s.y", of ? of : "");
    else if (u->what == OSP_LINEAR)
        ref = ssp_text(&o->s, "%s.in", of ? of : "");
    else
        ref = ssp_text(&o->s, "%s.in%u", of ? of : "", (unsigned)i);
    e->gives[e->n] = i == TT_NONE;
    e->ref[e->n] = ref ? tt_sc_keep(o->s.b, ref) : NULL;
    return of && e->ref[e->n++] ? TT_OK : tt_sc_no_memory(o->s.b);
}

/* A signal, or a group of one for each dimension. */
static enum tt_code signal(struct osp *o, struct tt_where w, struct end *e)
{
    const struct osp_unit *u = &o->unit[e->unit];
    uint32_t at[2] = {0, 0}, in = TT_NONE, j = 0;
    int n = indices(e->name, "out", at), most = u->what == OSP_VECTOR;
    enum tt_code rc = room(o, e, u->n_dim);

    if (n >= 0) {
        j = at[0];
    } else {
        n = indices(e->name, "in", at);
        in = at[0];
        j = at[1];
        most += u->what != OSP_LINEAR;
    }
    if (rc == TT_OK && (n < 0 || n > most || n < most - 1 || j >= u->n_dim ||
                        (in != TT_NONE && (in >= u->n_in || (most && n == 0)))))
        rc = tt_sc_fail(o->s.b, w, TT_EINPUT, "'%s' has no signal '%s'",
                        u->name, e->name);
    if (rc == TT_OK && n == most)
        return put_signal(o, e, in, j);
    for (j = 0; rc == TT_OK && j < u->n_dim; j++)
        rc = put_signal(o, e, in, j);
    return rc;
}

/* --- connections ------------------------------------------------------------
 */

static enum tt_code read_end(struct osp *o, const struct tt_xml_node *node,
                             struct end *e)
{
    struct tt_where w = ssp_where(o->doc, node);
    int is_signal = strncmp(node->name, "Signal", 6) == 0;
    const char *of = NULL;
    enum tt_code rc = ssp_need(&o->s, o->doc, node,
                               is_signal ? "function" : "simulator", &of);

    if (rc == TT_OK)
        rc = ssp_need(&o->s, o->doc, node, "name", &e->name);
    if (rc == TT_OK)
        rc = osp_find(o, of, w, &e->unit);
    if (rc != TT_OK)
        return rc;
    if (is_signal != (o->unit[e->unit].what != OSP_SIMULATOR))
        return tt_sc_fail(o->s.b, w, TT_EINPUT, "'%s' is a %s, not a %s", of,
                          is_signal ? "simulator" : "function",
                          is_signal ? "function" : "simulator");
    if (is_signal)
        return signal(o, w, e);
    if (strcmp(node->name, "VariableGroup") == 0)
        return variable_group(o, w, e);
    rc = room(o, e, 1);
    return rc == TT_OK ? put(o, e, e->name, tt_xml_value(node, "causality"))
                       : rc;
}

static enum tt_code join(struct osp *o, const struct end end[2], uint32_t i,
                         const char *bond, struct tt_where w)
{
    int a = end[0].gives[i], b = end[1].gives[i];
    int back = a == 0 || (a < 0 && b == 1);
    struct osp_link l = {.from = end[back].unit,
                         .to = end[!back].unit,
                         .source = end[back].ref[i],
                         .target = end[!back].ref[i],
                         .bond = bond,
                         .where = w};
    struct tt_sc_word to = {l.target, w};

    if (a == b && a >= 0)
        return tt_sc_fail(o->s.b, w, TT_EINPUT,
                          "'%s' and '%s' both %s a value: they cannot be "
                          "connected",
                          end[0].ref[i], end[1].ref[i], a ? "give" : "take");
    if (TT_GROW(o->link, o->n_link, o->cap_link) != 0)
        return tt_sc_no_memory(o->s.b);
    o->link[o->n_link++] = l;
    return tt_sc_connect(o->s.b, (struct tt_sc_word){l.source, w}, &to, 1);
}

static enum tt_code connect_ends(struct osp *o, const struct tt_xml_node *node)
{
    struct tt_where w = ssp_where(o->doc, node);
    const char *bond = tt_xml_value(node, "powerBond");
    struct end end[2] = {{0}};
    enum tt_code rc = TT_OK;
    uint32_t n = 0;

    for (const struct tt_xml_node *c = node->children; rc == TT_OK && c;
         c = c->next, n++)
        if (n < 2)
            rc = read_end(o, c, &end[n]);
    if (rc != TT_OK)
        return rc;
    if (n != 2)
        return tt_sc_fail(o->s.b, w, TT_EINPUT,
                          "<%s> joins two ends, and has %u", node->name,
                          (unsigned)n);
    if (end[0].n != end[1].n)
        return tt_sc_fail(o->s.b, w, TT_EINPUT,
                          "'%s' of '%s' has %u variables, '%s' of '%s' has %u",
                          end[0].name, o->unit[end[0].unit].name,
                          (unsigned)end[0].n, end[1].name,
                          o->unit[end[1].unit].name, (unsigned)end[1].n);
    for (uint32_t i = 0; rc == TT_OK && i < end[0].n; i++)
        rc = join(o, end, i, bond, w);
    return rc;
}

enum tt_code osp_connect(struct osp *o, const struct tt_xml_node *root)
{
    const struct tt_xml_node *all = ssp_child(root, "Connections");
    enum tt_code rc = TT_OK;

    for (const struct tt_xml_node *c = all ? all->children : NULL;
         rc == TT_OK && c; c = c->next)
        rc = connect_ends(o, c);
    return rc;
}

/* --- power bonds ------------------------------------------------------------
 */

static void put_side(struct tt_buf *b, const char *side, const char *input,
                     const char *output)
{
    tt_fields_key(b, side);
    tt_json_text(b, "{\"input\":", input);
    tt_json_text(b, ",\"output\":", output);
    tt_buf_char(b, '}');
}

static int is_of(const struct osp_link *l, const char *bond)
{
    return l->bond && strcmp(l->bond, bond) == 0;
}

/* The bond that begins with connection i, or NULL: it began before. *n: of how
 * many it is; *two: its last. */
static const char *bond_from(const struct osp *o, size_t i,
                             const struct osp_link **two, uint32_t *n)
{
    const char *bond = o->link[i].bond;

    *n = 0;
    for (size_t k = 0; bond && k < o->n_link; k++) {
        if (!is_of(&o->link[k], bond))
            continue;
        if (k < i)
            return NULL;
        *two = &o->link[k];
        ++*n;
    }
    return bond;
}

static enum tt_code add_bond(struct osp *o, const struct osp_link *one,
                             const struct osp_link *two, uint32_t n,
                             struct tt_buf *json)
{
    if (n != 2 || one->from != two->to || one->to != two->from)
        return tt_sc_fail(o->s.b, one->where, TT_EINPUT,
                          "the power bond '%s' has %u connection%s; it is two, "
                          "one each way between two simulators",
                          one->bond, (unsigned)n, n == 1 ? "" : "s");
    tt_fields_key(json, one->bond);
    tt_buf_char(json, '{');
    put_side(json, "a", one->target, two->source);
    put_side(json, "b", two->target, one->source);
    tt_buf_char(json, '}');
    return TT_OK;
}

enum tt_code osp_bonds(struct osp *o, struct tt_buf *json, uint32_t *n)
{
    const struct osp_link *two = NULL;
    enum tt_code rc = TT_OK;
    uint32_t members = 0;

    *n = 0;
    tt_fields_key(json, "powerBonds");
    tt_buf_char(json, '{');
    for (size_t i = 0; rc == TT_OK && i < o->n_link; i++) {
        if (!bond_from(o, i, &two, &members))
            continue;
        rc = add_bond(o, &o->link[i], two, members, json);
        ++*n;
    }
    tt_buf_char(json, '}');
    return rc;
}
