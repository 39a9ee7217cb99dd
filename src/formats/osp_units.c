/* SPDX-License-Identifier: MIT */
/* Simulators and functions of an OSP system structure, as instances. */
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "formats/osp_impl.h"
#include "formats/ssp_write.h"
#include "sys/file.h"

const char *osp_ref(struct osp *o, uint32_t unit, const char *variable)
{
    const char *text = ssp_text(&o->s, "%s.%s", o->unit[unit].unit, variable);

    return text ? tt_sc_keep(o->s.b, text) : NULL;
}

static const char *unit_name(const void *ctx, size_t i)
{
    return ((const struct osp *)ctx)->unit[i].name;
}

enum tt_code osp_find(struct osp *o, const char *name, struct tt_where w,
                      uint32_t *unit)
{
    const char *near;

    *unit = tt_names_find(&o->unit_by, name);
    if (*unit != TT_NONE)
        return TT_OK;
    near = tt_names_nearest(name, o->n_unit, unit_name, o);
    return tt_sc_fail(o->s.b, w, TT_EINPUT,
                      "there is no simulator or function '%s'%s%s%s", name,
                      near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

static enum tt_code add_unit(struct osp *o, const struct tt_xml_node *node,
                             enum osp_what what)
{
    struct osp_unit u = {.what = what, .node = node};
    enum tt_code rc = ssp_need(&o->s, o->doc, node, "name", &u.name);

    if (rc != TT_OK)
        return rc;
    if (TT_GROW(o->unit, o->n_unit, o->cap_unit) != 0)
        return tt_sc_no_memory(o->s.b);
    switch (tt_names_add(&o->unit_by, u.name, (uint32_t)o->n_unit)) {
    case 0:
        o->unit[o->n_unit++] = u;
        return TT_OK;
    case 1:
        return tt_sc_fail(o->s.b, ssp_where(o->doc, node), TT_EINPUT,
                          "'%s' is there twice", u.name);
    default:
        return tt_sc_no_memory(o->s.b);
    }
}

/* --- simulators -------------------------------------------------------------
 */

static enum tt_code location(struct osp *o, const struct tt_xml_node *node,
                             const char **source, int *alone)
{
    enum tt_code rc = ssp_need(&o->s, o->doc, node, "source", source);

    *alone = 0;
    return rc == TT_OK ? ssp_unproxy(&o->s, o->doc, node, source, alone) : rc;
}

static const char *exists(struct osp *o, const char *dir, const char *name)
{
    const char *path = ssp_text(&o->s, "%s/%s", dir, name);

    return path && tt_file_exists(path) ? path : NULL;
}

/* What is known of its variables: their causality, and groups of them. */
static enum tt_code describe(struct osp *o, struct osp_unit *u,
                             const char *source)
{
    const char *path = NULL, *name, *found = NULL;
    enum tt_code rc = ssp_path(&o->s, o->doc, source, &path);
    char *dir = rc == TT_OK ? tt_path_dir(path) : NULL;

    if (dir && !tt_sc_is_outside(o->s.b, path))
        u->type = ssp_open_type(path);
    if (u->type && u->type->desc.model) {
        name =
            ssp_text(&o->s, "%s_OspModelDescription.xml", u->type->desc.model);
        found = name ? exists(o, dir, name) : NULL;
        if (name && !found)
            found = exists(o, o->doc->dir, name);
    }
    tt_free(dir);
    return found ? ssp_read(&o->s, found, "OspModelDescription", &u->groups)
                 : rc;
}

static enum tt_code add_simulator(struct osp *o, const struct tt_xml_node *node,
                                  struct tt_buf *alone)
{
    struct tt_where w = ssp_where(o->doc, node);
    const char *source = NULL, *key = NULL, *name;
    struct osp_unit *u;
    int is_alone = 0;
    enum tt_code rc = add_unit(o, node, OSP_SIMULATOR);

    if (rc == TT_OK)
        rc = location(o, node, &source, &is_alone);
    if (rc == TT_OK)
        rc = ssp_add_fmu(&o->s, o->doc, source, NULL, w, &key);
    if (rc != TT_OK)
        return rc;
    u = &o->unit[o->n_unit - 1];
    name = ssp_plain_name(&o->s, u->name);
    u->unit = name ? ssp_text(&o->s, "%s.%s", key, name) : NULL;
    if (!u->unit)
        return tt_sc_no_memory(o->s.b);
    if (is_alone) {
        tt_buf_str(alone, alone->len ? "," : "");
        tt_buf_json(alone, u->unit);
    }
    rc = tt_sc_add_instance(o->s.b, key, (struct tt_sc_word){name, w});
    return rc == TT_OK ? describe(o, u, source) : rc;
}

static enum tt_code add_simulators(struct osp *o,
                                   const struct tt_xml_node *list)
{
    struct tt_buf alone, fields;
    enum tt_code rc = TT_OK;

    tt_buf_init(&alone, TT_DOC_MAX);
    tt_buf_init(&fields, TT_DOC_MAX);
    for (const struct tt_xml_node *c = list->children; rc == TT_OK && c;
         c = c->next)
        if (strcmp(c->name, "Simulator") == 0)
            rc = add_simulator(o, c, &alone);
    if (rc == TT_OK && alone.len) {
        tt_buf_fmt(&fields, "{\"isolate\":[%s]}", alone.data);
        rc = tt_fields_read(o->s.b, &fields, ssp_where(o->doc, list), NULL,
                            o->s.arena, o->s.err);
    }
    tt_buf_fini(&alone);
    tt_buf_fini(&fields);
    return rc;
}

/* --- functions --------------------------------------------------------------
 */

static enum tt_code count(struct osp *o, const struct tt_xml_node *node,
                          const char *name, uint32_t *n)
{
    const char *text = NULL;
    int64_t v = 0;
    enum tt_code rc = ssp_need(&o->s, o->doc, node, name, &text);

    if (rc != TT_OK)
        return rc;
    if (tt_num_parse_i64(text, &v) != 0 || v < 1 || v > OSP_MOST_INPUTS)
        return tt_sc_fail(o->s.b, ssp_where(o->doc, node), TT_EINPUT,
                          "'%s' of '%s' is '%s', not a whole number from 1 to "
                          "%u",
                          name, o->unit[o->n_unit - 1].name, text,
                          OSP_MOST_INPUTS);
    *n = (uint32_t)v;
    return TT_OK;
}

/* The formula of a function: "0.5 * in + 2", "in0 + in1". */
static enum tt_code formula(struct osp *o, const struct osp_unit *u,
                            struct tt_buf *text)
{
    double factor = 1, offset = 0;
    enum tt_code rc = TT_OK;

    tt_buf_str(text, "tutti:formula:");
    if (u->what == OSP_LINEAR) {
        rc = ssp_number(&o->s, o->doc, u->node, "factor", &factor);
        if (rc == TT_OK)
            rc = ssp_number(&o->s, o->doc, u->node, "offset", &offset);
        tt_buf_char(text, ' ');
        tt_buf_num(text, factor);
        tt_buf_str(text, " * in + ");
        tt_buf_num(text, offset);
    }
    for (uint32_t i = 0; u->what != OSP_LINEAR && i < u->n_in; i++)
        tt_buf_fmt(text, " %sin%u", i ? "+ " : "", (unsigned)i);
    if (rc == TT_OK)
        rc = tt_buf_check(text, "a function", o->s.err);
    return rc;
}

/* A key that no simulator's FMU has. */
static const char *key_of(struct osp *o, const char *name)
{
    const char *key = ssp_text(&o->s, "{%s}", name);

    for (unsigned i = 2; key && tt_names_find(&o->s.key_by, key) != TT_NONE;
         i++)
        key = ssp_text(&o->s, "{%s %u}", name, i);
    if (!key || tt_names_add(&o->s.key_by, key, 0) < 0)
        return NULL;
    return tt_sc_keep(o->s.b, key);
}

/* An instance of its own for each dimension. */
static enum tt_code add_instances(struct osp *o, struct osp_unit *u,
                                  const char *text)
{
    struct tt_where w = ssp_where(o->doc, u->node);
    const char *name = ssp_plain_name(&o->s, u->name), *one;
    const char *key = name ? key_of(o, name) : NULL;
    enum tt_code rc;

    u->unit = key ? ssp_text(&o->s, "%s.%s", key, name) : NULL;
    text = tt_sc_keep(o->s.b, text);
    if (!u->unit || !text)
        return tt_sc_no_memory(o->s.b);
    rc = tt_sc_add_fmu(o->s.b, (struct tt_sc_word){key, w},
                       (struct tt_sc_word){text, w});
    for (uint32_t i = 0; rc == TT_OK && i < u->n_dim; i++) {
        one = u->what == OSP_VECTOR ? ssp_text(&o->s, "%s%u", name, (unsigned)i)
                                    : name;
        rc = one ? tt_sc_add_instance(o->s.b, key, (struct tt_sc_word){one, w})
                 : tt_sc_no_memory(o->s.b);
    }
    return rc;
}

static enum tt_code add_function(struct osp *o, const struct tt_xml_node *node)
{
    static const char *const known[] = {[OSP_LINEAR] = "LinearTransformation",
                                        [OSP_SUM] = "Sum",
                                        [OSP_VECTOR] = "VectorSum"};
    enum osp_what what = OSP_LINEAR;
    struct osp_unit *u;
    struct tt_buf text;
    enum tt_code rc;

    while (what <= OSP_VECTOR && strcmp(node->name, known[what]) != 0)
        what++;
    if (what > OSP_VECTOR)
        return tt_sc_fail(o->s.b, ssp_where(o->doc, node), TT_EUNSUPPORTED,
                          "<%s> is no function that is known", node->name);
    rc = add_unit(o, node, what);
    if (rc != TT_OK)
        return rc;
    u = &o->unit[o->n_unit - 1];
    u->n_in = u->n_dim = 1;
    if (what != OSP_LINEAR)
        rc = count(o, node, "inputCount", &u->n_in);
    if (rc == TT_OK && what == OSP_VECTOR)
        rc = count(o, node, "dimension", &u->n_dim);
    tt_buf_init(&text, TT_DOC_MAX);
    if (rc == TT_OK)
        rc = formula(o, u, &text);
    if (rc == TT_OK)
        rc = add_instances(o, u, text.data);
    tt_buf_fini(&text);
    return rc;
}

enum tt_code osp_add_units(struct osp *o, const struct tt_xml_node *root)
{
    const struct tt_xml_node *simulators = ssp_child(root, "Simulators");
    const struct tt_xml_node *functions = ssp_child(root, "Functions");
    enum tt_code rc;

    if (!simulators)
        return tt_sc_fail(o->s.b, ssp_where(o->doc, root), TT_EINPUT,
                          "the structure has no <Simulators>");
    rc = add_simulators(o, simulators);
    for (const struct tt_xml_node *c = functions ? functions->children : NULL;
         rc == TT_OK && c; c = c->next)
        rc = add_function(o, c);
    return rc;
}

/* --- initial values ---------------------------------------------------------
 */

static enum tt_code set_value(struct osp *o, uint32_t unit,
                              const struct tt_xml_node *node)
{
    struct tt_where w = ssp_where(o->doc, node);
    const struct tt_xml_node *v = node->children;
    const char *variable = NULL, *text = NULL, *ref;
    struct tt_sc_value value;
    enum tt_code rc = ssp_need(&o->s, o->doc, node, "variable", &variable);

    if (rc == TT_OK && !v)
        return tt_sc_fail(o->s.b, w, TT_EINPUT, "'%s' is given no value",
                          variable);
    text = rc == TT_OK ? tt_xml_value(v, "value") : NULL;
    if (rc != TT_OK)
        return rc;
    text = tt_sc_keep(o->s.b, text ? text : "");
    ref = osp_ref(o, unit, variable);
    if (!text || !ref)
        return tt_sc_no_memory(o->s.b);
    if (ssp_scalar(strcmp(v->name, "Enumeration") == 0 ? "Integer" : v->name,
                   text, &value) != 0)
        return tt_sc_fail(o->s.b, w, TT_EINPUT,
                          "the value of '%s' is '%s', not a %s", variable, text,
                          v->name);
    return tt_sc_set_parameter(o->s.b, (struct tt_sc_word){ref, w}, &value);
}

enum tt_code osp_set_values(struct osp *o)
{
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < o->n_unit; u++) {
        const struct tt_xml_node *all =
            ssp_child(o->unit[u].node, "InitialValues");

        for (const struct tt_xml_node *v = all ? all->children : NULL;
             rc == TT_OK && v; v = v->next)
            if (strcmp(v->name, "InitialValue") == 0)
                rc = set_value(o, u, v);
    }
    return rc;
}
