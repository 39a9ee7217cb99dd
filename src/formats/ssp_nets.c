/* SPDX-License-Identifier: MIT */
/* What is connected to what: from connector to connector as it is written, and
 * from component to component as it is played. */
#include <string.h>

#include "formats/ssp_impl.h"

/* --- as it is written -------------------------------------------------------
 */

/* One end of a connection: which connector, and does it give a value? */
struct end {
    uint32_t pin;
    enum ssp_way way; /* seen from the connection: OUT gives */
};

static enum tt_code find_end(struct ssp *s, uint32_t system,
                             const struct tt_xml_node *c, const char *which,
                             struct end *end)
{
    const struct ssp_doc *d = s->element[system].doc;
    const char *at = ssp_text(s, "%sElement", which);
    const char *pin = ssp_text(s, "%sConnector", which), *name = NULL;
    uint32_t element = system;
    enum tt_code rc =
        at && pin ? ssp_need(s, d, c, pin, &name) : tt_sc_no_memory(s->b);
    const char *of = at ? tt_xml_value(c, at) : NULL;

    if (rc != TT_OK)
        return rc;
    if (of && *of)
        element = ssp_find_element(s, system, of);
    if (element == TT_NONE)
        return tt_sc_fail(s->b, ssp_where(d, c), TT_EINPUT,
                          "the system has no element '%s'", of);
    end->pin = ssp_get_pin(s, element, name, ssp_where(d, c));
    if (end->pin == TT_NONE)
        return tt_sc_no_memory(s->b);
    end->way = s->pin[end->pin].way;
    if (element == system && end->way != SSP_EITHER) /* seen from within */
        end->way = end->way == SSP_IN ? SSP_OUT : SSP_IN;
    return TT_OK;
}

/* A connector of array elements: "y[2,1]". */
static enum tt_code element_of(struct ssp *s, const struct tt_xml_node *c,
                               const char *which, struct end *end)
{
    const char *attr = ssp_text(s, "%sIndices", which);
    const char *indices = attr ? tt_xml_value(c, attr) : NULL;
    char *index;

    if (!attr)
        return tt_sc_no_memory(s->b);
    if (!indices || !*indices)
        return TT_OK;
    index = ssp_text(s, "[%s]", indices);
    for (char *i = index; i && *i; i++)
        if (*i == ' ')
            *i = ',';
    if (index)
        end->pin = ssp_get_element_pin(s, end->pin, index);
    return index && end->pin != TT_NONE ? TT_OK : tt_sc_no_memory(s->b);
}

static enum tt_code drive(struct ssp *s, const struct ssp_doc *d,
                          const struct tt_xml_node *c, uint32_t from,
                          uint32_t to)
{
    struct ssp_pin *p = &s->pin[to];

    if (p->driver != TT_NONE)
        return tt_sc_fail(s->b, ssp_where(d, c), TT_EINPUT,
                          "the connector '%s' of '%s' already has a source, "
                          "'%s' of '%s'",
                          p->name, s->element[p->element].name,
                          s->pin[p->driver].name,
                          s->element[s->pin[p->driver].element].name);
    p->driver = from;
    p->link = ssp_where(d, c);
    p->items = ssp_child(c, SSP_ITEMS);
    p->items_doc = d;
    return p->items ? TT_OK : ssp_transform(s, d, c, &p->by);
}

static enum tt_code wrong_way(struct ssp *s, const struct ssp_doc *d,
                              const struct tt_xml_node *c,
                              const struct end end[2])
{
    return tt_sc_fail(s->b, ssp_where(d, c), TT_EINPUT,
                      "'%s' and '%s' both %s a value: they cannot be connected",
                      s->pin[end[0].pin].name, s->pin[end[1].pin].name,
                      end[0].way == SSP_OUT ? "give" : "take");
}

/* "start" and "end" are just two ends: kinds decide the direction. */
static enum tt_code link_one(struct ssp *s, uint32_t system,
                             const struct tt_xml_node *c)
{
    const struct ssp_doc *d = s->element[system].doc;
    struct end end[2] = {{0}};
    int back;
    enum tt_code rc = find_end(s, system, c, "start", &end[0]);

    if (rc == TT_OK)
        rc = find_end(s, system, c, "end", &end[1]);
    if (rc == TT_OK)
        rc = element_of(s, c, "start", &end[0]);
    if (rc == TT_OK)
        rc = element_of(s, c, "end", &end[1]);
    if (rc != TT_OK)
        return rc;
    if (end[0].way == end[1].way && end[0].way != SSP_EITHER)
        return wrong_way(s, d, c, end);
    back = end[0].way == SSP_IN || end[1].way == SSP_OUT;
    return drive(s, d, c, end[back].pin, end[!back].pin);
}

enum tt_code ssp_link(struct ssp *s)
{
    enum tt_code rc = TT_OK;

    for (uint32_t e = 0; rc == TT_OK && e < s->n_element; e++) {
        const struct tt_xml_node *all =
            s->element[e].what == SSP_SYSTEM
                ? ssp_child(s->element[e].node, "Connections")
                : NULL;

        for (const struct tt_xml_node *c = all ? all->children : NULL;
             rc == TT_OK && c; c = c->next)
            if (strcmp(c->name, "Connection") == 0)
                rc = link_one(s, e, c);
    }
    if (rc == TT_OK)
        rc = ssp_map_items(s);
    return rc == TT_OK ? ssp_spread(s) : rc;
}

/* --- as it is played --------------------------------------------------------
 */

enum tt_code ssp_origin(struct ssp *s, uint32_t pin, uint32_t *origin,
                        const struct tt_sc_transform **by)
{
    enum tt_code rc = TT_OK;
    size_t n = 0;

    *by = NULL;
    for (*origin = pin; rc == TT_OK && s->pin[*origin].driver != TT_NONE;
         *origin = s->pin[*origin].driver) {
        if (++n > s->n_pin)
            return tt_sc_fail(s->b, s->pin[pin].link, TT_EINPUT,
                              "the connector '%s' gets its value from itself",
                              s->pin[pin].name);
        rc = ssp_combine(s, s->pin[*origin].by, *by, by);
    }
    return rc;
}

/* A component's variable as the outermost system names it; `via` is the
 * connector there that it belongs to, if it is of nested systems. */
static const char *variable_of(struct ssp *s, uint32_t pin, uint32_t via)
{
    const struct ssp_pin *p = &s->pin[pin];
    const char *text =
        s->nested ? ssp_nest_ref(s, pin, via)
                  : ssp_text(s, "%s.%s", s->element[p->element].unit, p->name);

    return text ? tt_sc_keep(s->b, text) : NULL;
}

static enum tt_code connect_one(struct ssp *s, uint32_t pin)
{
    struct ssp_pin *p = &s->pin[pin];
    struct tt_sc_word source, target = {.where = p->link};
    enum tt_code rc = ssp_origin(s, pin, &p->origin, &p->chain);

    if (rc != TT_OK || p->origin == pin || !ssp_is_component(s, p->origin))
        return rc;
    if (s->nested)
        return ssp_nest_connect(s, pin);
    source = (struct tt_sc_word){variable_of(s, p->origin, pin), target.where};
    target.text = variable_of(s, pin, pin);
    if (!source.text || !target.text)
        return tt_sc_no_memory(s->b);
    return tt_sc_connect_by(s->b, source, target, p->chain);
}

/* Per connector, those of components that get their values from it as they
 * are: a list, in their order. */
struct fed {
    uint32_t *first, *next;
    struct tt_sc_word *ref; /* room for all */
};

static int list_fed(struct ssp *s, struct fed *f)
{
    f->ref = tt_arena_alloc(s->arena, s->n_pin, sizeof(*f->ref));
    if (!f->ref || ssp_lists(s, s->n_pin, &f->first, &f->next) != 0)
        return -1;
    for (uint32_t i = (uint32_t)s->n_pin; i-- > 0;) {
        const struct ssp_pin *p = &s->pin[i];

        if (!ssp_is_component(s, i) || p->chain)
            continue;
        f->next[i] = f->first[p->origin];
        f->first[p->origin] = i;
    }
    return 0;
}

/* What a connector of the root stands for: an output for a component's, an
 * input or parameter for all that it feeds. */
static uint32_t refs_of(struct ssp *s, uint32_t pin, const struct fed *f)
{
    const struct ssp_pin *p = &s->pin[pin];
    uint32_t n = 0;

    if (p->driver != TT_NONE) {
        if (ssp_is_component(s, p->origin) && !p->chain)
            f->ref[n++].text = variable_of(s, p->origin, pin);
        return n;
    }
    for (uint32_t i = f->first[pin]; i != TT_NONE; i = f->next[i])
        f->ref[n++].text = variable_of(s, i, pin);
    return n;
}

static enum tt_code add_port(struct ssp *s, uint32_t pin, const struct fed *f)
{
    struct ssp_pin *p = &s->pin[pin];
    struct tt_sc_word name = {tt_sc_keep(s->b, p->name), p->where};
    enum tt_code rc = ssp_origin(s, pin, &p->origin, &p->chain);
    enum tt_sc_port_dir dir = p->driver != TT_NONE ? TT_SC_PORT_OUTPUT
                              : p->is_parameter    ? TT_SC_PORT_PARAMETER
                                                   : TT_SC_PORT_INPUT;
    uint32_t n;

    if (!name.text)
        return tt_sc_no_memory(s->b);
    n = rc == TT_OK ? refs_of(s, pin, f) : 0;
    for (uint32_t i = 0; i < n; i++) {
        f->ref[i].where = p->where;
        if (!f->ref[i].text)
            return tt_sc_no_memory(s->b);
    }
    if (n == 0)
        return rc;
    return s->nested ? ssp_nest_port(s, dir, name, f->ref, n)
                     : tt_sc_add_port(s->b, dir, name, f->ref, n, p->where);
}

enum tt_code ssp_connect(struct ssp *s)
{
    struct fed fed = {0};
    enum tt_code rc = s->nested ? ssp_nest_begin(s) : TT_OK;

    for (uint32_t i = 0; rc == TT_OK && i < s->n_pin; i++)
        if (ssp_is_component(s, i))
            rc = connect_one(s, i);
    if (rc == TT_OK && list_fed(s, &fed) != 0)
        rc = tt_sc_no_memory(s->b);
    for (uint32_t i = 0; rc == TT_OK && i < s->n_pin; i++)
        if (s->pin[i].element == 0)
            rc = add_port(s, i, &fed);
    return rc;
}
