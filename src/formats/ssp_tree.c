/* SPDX-License-Identifier: MIT */
/* Systems in systems, components, and their connectors. */
#include <stdio.h>
#include <string.h>

#include "formats/ssp_impl.h"
#include "sys/file.h"
#include "unit/unit.h"

#define PROXY "proxyfmu:"

/* "3/name": what something is called within element 3. */
static const char *key_of(struct ssp *s, uint32_t within, const char *name)
{
    return ssp_text(s, "%u/%s", (unsigned)within, name);
}

static uint32_t find(struct ssp *s, const struct tt_names *names,
                     uint32_t within, const char *name)
{
    const char *key = key_of(s, within, name);

    return key ? tt_names_find(names, key) : TT_NONE;
}

uint32_t ssp_find_element(struct ssp *s, uint32_t up, const char *name)
{
    return find(s, &s->element_by, up, name);
}

uint32_t ssp_find_pin(struct ssp *s, uint32_t element, const char *name)
{
    return find(s, &s->pin_by, element, name);
}

/* --- connectors -------------------------------------------------------------
 */

static enum ssp_way way_of(const char *kind)
{
    static const struct {
        const char *kind;
        enum ssp_way way;
    } known[] = {
        {"input", SSP_IN},
        {"parameter", SSP_IN},
        {"output", SSP_OUT},
        {"calculatedParameter", SSP_OUT},
        {"constant", SSP_OUT},
        {"local", SSP_OUT},
        {"structuralParameter", SSP_IN},
    };

    for (size_t i = 0; kind && i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(kind, known[i].kind) == 0)
            return known[i].way;
    return SSP_EITHER;
}

/* n times TT_NONE, in the arena. NULL: out of memory. */
static uint32_t *nones(struct ssp *s, size_t n)
{
    uint32_t *all = tt_arena_alloc(s->arena, n, sizeof(*all));

    for (size_t i = 0; all && i < n; i++)
        all[i] = TT_NONE;
    return all;
}

int ssp_lists(struct ssp *s, size_t n, uint32_t **first, uint32_t **next)
{
    *first = nones(s, n);
    *next = tt_arena_alloc(s->arena, n, sizeof(**next));
    return *first && *next ? 0 : -1;
}

static uint32_t add_pin(struct ssp *s, uint32_t element, const char *name,
                        enum ssp_way way, struct tt_where w)
{
    uint32_t n = (uint32_t)s->n_pin;
    const char *key = key_of(s, element, name);

    if (!key || TT_GROW(s->pin, s->n_pin, s->cap_pin) != 0 ||
        tt_names_add(&s->pin_by, key, n) < 0)
        return TT_NONE;
    s->pin[s->n_pin++] =
        (struct ssp_pin){TT_HOOKS(, element, name, way), .where = w,
                         .whole = TT_NONE, .part = TT_NONE, .driver = TT_NONE};
    return n;
}

uint32_t ssp_get_pin(struct ssp *s, uint32_t element, const char *name,
                     struct tt_where w)
{
    uint32_t pin = ssp_find_pin(s, element, name);

    if (pin != TT_NONE)
        return pin;
    if (s->element[element].what != SSP_DICTIONARY)
        tt_sc_warn(s->b, w, s->element[element].unit,
                   "'%s' has no connector '%s'; it is taken to have one",
                   s->element[element].name, name);
    return add_pin(s, element, name, SSP_EITHER, w);
}

uint32_t ssp_get_element_pin(struct ssp *s, uint32_t pin, const char *index)
{
    struct ssp_pin p = s->pin[pin];
    const char *name = ssp_text(s, "%s%s", p.name, index);
    uint32_t known = name ? ssp_find_pin(s, p.element, name) : TT_NONE;

    if (!name || known != TT_NONE)
        return known;
    known = add_pin(s, p.element, name, p.way, p.where);
    if (known == TT_NONE)
        return TT_NONE;
    s->pin[known].whole = pin;
    s->pin[known].index = index;
    s->pin[known].next_part = p.part;
    s->pin[pin].part = known;
    s->pin[known].is_parameter = p.is_parameter;
    return known;
}

static enum tt_code add_connector(struct ssp *s, const struct ssp_doc *d,
                                  const struct tt_xml_node *c, uint32_t element,
                                  const char *name)
{
    const char *kind = tt_xml_value(c, "kind");
    const struct tt_xml_node *type = ssp_child(c, "Enumeration");
    uint32_t pin = add_pin(s, element, name, way_of(kind), ssp_where(d, c));

    if (pin == TT_NONE)
        return tt_sc_no_memory(s->b);
    s->pin[pin].enumeration = type ? tt_xml_value(type, "name") : NULL;
    s->pin[pin].is_parameter =
        kind && (strcmp(kind, "parameter") == 0 ||
                 strcmp(kind, "structuralParameter") == 0);
    return TT_OK;
}

static enum tt_code add_pins(struct ssp *s, struct ssp_doc *d,
                             const struct tt_xml_node *element, uint32_t index)
{
    const struct tt_xml_node *all = ssp_child(element, "Connectors");
    enum tt_code rc = TT_OK;
    const char *name;

    for (const struct tt_xml_node *c = all ? all->children : NULL;
         rc == TT_OK && c; c = c->next) {
        if (strcmp(c->name, "Connector") != 0)
            continue;
        rc = ssp_need(s, d, c, "name", &name);
        if (rc == TT_OK && ssp_find_pin(s, index, name) != TT_NONE)
            tt_sc_warn(s->b, ssp_where(d, c), NULL,
                       "the connector '%s' is listed twice; the first counts",
                       name);
        else if (rc == TT_OK)
            rc = add_connector(s, d, c, index, name);
    }
    return rc;
}

/* --- elements ---------------------------------------------------------------
 */

static uint32_t depth_of(const struct ssp *s, uint32_t e)
{
    uint32_t depth = 0;

    for (; e != TT_NONE; e = s->element[e].up)
        depth++;
    return depth;
}

static enum tt_code add_element(struct ssp *s, struct ssp_doc *d,
                                const struct tt_xml_node *node, uint32_t up,
                                enum ssp_what what)
{
    uint32_t n = (uint32_t)s->n_element;
    struct ssp_element e = {
        .what = what, .node = node, .doc = d, .up = up, .path = ""};
    const char *key, *above = up == TT_NONE ? "" : s->element[up].path;
    enum tt_code rc = TT_OK;

    e.name = tt_xml_value(node, "name");
    if (up != TT_NONE)
        rc = ssp_need(s, d, node, "name", &e.name);
    if (rc != TT_OK)
        return rc;
    if (depth_of(s, up) >= SSP_MOST_DEPTH)
        return tt_sc_fail(s->b, ssp_where(d, node), TT_EINPUT,
                          "systems are more than %u deep in each other",
                          SSP_MOST_DEPTH);
    if (!e.name)
        e.name = "";
    if (up != TT_NONE)
        e.path = ssp_text(s, "%s%s%s", above, *above ? "/" : "", e.name);
    key = key_of(s, up,
                 what == SSP_DICTIONARY ? ssp_text(s, "|%s", e.name) : e.name);
    if (n == SSP_MOST_ELEMENTS)
        return tt_sc_fail(s->b, ssp_where(d, node), TT_EINPUT,
                          "there are more than %u systems and components", n);
    if (!e.path || !key || TT_GROW(s->element, s->n_element, s->cap_element))
        return tt_sc_no_memory(s->b);
    switch (tt_names_add(&s->element_by, key, n)) {
    case 0:
        s->element[s->n_element++] = e;
        return TT_OK;
    case 1:
        return tt_sc_fail(s->b, ssp_where(d, node), TT_EINPUT,
                          "the system has two elements '%s'", e.name);
    default:
        return tt_sc_no_memory(s->b);
    }
}

/* --- components -------------------------------------------------------------
 */

const char *ssp_plain_name(struct ssp *s, const char *text)
{
    char *name = tt_arena_strdup(s->arena, text);

    for (char *p = name; p && *p; p++)
        if (strchr(".{}", *p))
            *p = '_';
    return name;
}

enum tt_code ssp_new_key(struct ssp *s, const char *stem, const char **out)
{
    const char *key = NULL;

    stem = stem ? ssp_plain_name(s, stem) : NULL;
    for (unsigned i = 1; stem; i++) {
        key = i == 1 ? ssp_text(s, "{%s}", stem)
                     : ssp_text(s, "{%s %u}", stem, i);
        if (!key || tt_names_find(&s->key_by, key) == TT_NONE)
            break;
    }
    if (!key || tt_names_add(&s->key_by, key, 0) < 0)
        return tt_sc_no_memory(s->b);
    *out = tt_sc_keep(s->b, key);
    return *out ? TT_OK : tt_sc_no_memory(s->b);
}

/* "{motor}" of ".../motor.fmu"; of a second file of that name "{motor 2}". */
static enum tt_code file_key(struct ssp *s, const char *source,
                             const char **out)
{
    const char *base = tt_path_base(source), *dot = strrchr(base, '.');

    return ssp_new_key(
        s,
        ssp_text(s, "%.*s", dot ? (int)(dot - base) : (int)strlen(base), base),
        out);
}

enum tt_code ssp_add_fmu(struct ssp *s, const struct ssp_doc *d,
                         const char *source, const char *key, struct tt_where w,
                         const char **out)
{
    const char *place = ssp_text(s, "%s|%s", d->dir, source);
    uint32_t known = place ? tt_names_find(&s->fmu_by, place) : TT_NONE;
    const char *kept;
    enum tt_code rc = TT_OK;

    if (known != TT_NONE) {
        *out = s->key[known];
        return TT_OK;
    }
    if (key)
        *out = tt_sc_keep(s->b, key);
    else
        rc = file_key(s, source, out);
    kept = tt_sc_keep(s->b, source);
    if (!place || !kept || (rc == TT_OK && !*out) ||
        TT_GROW(s->key, s->n_key, s->cap_key) != 0 ||
        tt_names_add(&s->fmu_by, place, (uint32_t)s->n_key) < 0)
        return tt_sc_no_memory(s->b);
    s->key[s->n_key++] = *out;
    if (s->nested)
        return rc; /* each system has its own */
    return rc == TT_OK ? tt_sc_add_fmu(s->b, (struct tt_sc_word){*out, w},
                                       (struct tt_sc_word){kept, w})
                       : rc;
}

enum tt_code ssp_unproxy(struct ssp *s, const struct ssp_doc *d,
                         const struct tt_xml_node *node, const char **source,
                         int *alone)
{
    const char *file;

    *alone = strncmp(*source, PROXY, strlen(PROXY)) == 0;
    if (!*alone)
        return TT_OK;
    file = strstr(*source, "?file=");
    if (!file)
        return tt_sc_fail(s->b, ssp_where(d, node), TT_EUNSUPPORTED,
                          "'%s' names no file ('?file=...') and cannot be "
                          "reached",
                          *source);
    if (strncmp(*source, PROXY "//localhost?", strlen(PROXY) + 12) != 0)
        tt_sc_warn(s->b, ssp_where(d, node), NULL,
                   "'%s' is taken from this host, in a process of its own; "
                   "'hosts' of a scenario states others",
                   *source);
    *source = file + strlen("?file=");
    return TT_OK;
}

uint8_t ssp_interface(const struct tt_xml_node *component)
{
    static const char *const name[] = {
        [TT_INTERFACE_ANY] = "any",
        [TT_INTERFACE_CO_SIMULATION] = "CoSimulation",
        [TT_INTERFACE_MODEL_EXCHANGE] = "ModelExchange",
        [TT_INTERFACE_SCHEDULED_EXECUTION] = "ScheduledExecution"};
    const char *wanted = tt_xml_value(component, "implementation");

    for (uint8_t i = 0; wanted && i < sizeof(name) / sizeof(*name); i++)
        if (strcmp(wanted, name[i]) == 0)
            return i;
    return TT_INTERFACE_ANY;
}

const char *ssp_own_name(const struct tt_xml_node *component)
{
    const struct tt_xml_node *all = ssp_child(component, "Annotations"), *one;

    for (const struct tt_xml_node *a = all ? all->children : NULL; a;
         a = a->next) {
        one = ssp_child(a, "Instance");
        if (one)
            return tt_xml_value(one, "name");
    }
    return NULL;
}

static enum tt_code add_instance(struct ssp *s, uint32_t index,
                                 const char *source)
{
    struct ssp_element *e = &s->element[index];
    const char *own = ssp_own_name(e->node),
               *dot = own ? strrchr(own, '.') : NULL;
    const char *name, *key = NULL, *fmu = NULL;
    struct tt_where w = ssp_where(e->doc, e->node);
    enum tt_code rc;

    name = dot ? dot + 1 : ssp_plain_name(s, s->nested ? e->name : e->path);
    if (dot)
        key = ssp_text(s, "%.*s", (int)(dot - own), own);
    rc = name ? ssp_add_fmu(s, e->doc, source, key, w, &fmu)
              : tt_sc_no_memory(s->b);
    if (rc == TT_OK && !s->nested) {
        rc = tt_sc_add_instance(s->b, fmu, (struct tt_sc_word){name, w});
        if (rc == TT_OK)
            tt_sc_use_interface(s->b, ssp_interface(e->node));
    }
    if (rc != TT_OK)
        return rc;
    e->key = fmu;
    e->source = source;
    e->unit = ssp_text(s, "%s.%s", fmu, name);
    return e->unit ? TT_OK : tt_sc_no_memory(s->b);
}

static int is_structure(const char *source, const char *type)
{
    return tt_path_ends(source, ".ssp") || tt_path_ends(source, ".ssd") ||
           (type && (strcmp(type, "application/x-ssp-package") == 0 ||
                     strcmp(type, "application/x-ssp-definition") == 0));
}

/* --- the tree ---------------------------------------------------------------
 */

static enum tt_code add_system(struct ssp *s, uint32_t index);

/* The file of a structure, unless one that it is in is the same. */
static enum tt_code set_file(struct ssp *s, uint32_t index, const char *path)
{
    const struct ssp_element *e = &s->element[index];
    char *real = tt_path_real(path);
    const char *file = tt_arena_strdup(s->arena, real ? real : path);

    tt_free(real);
    if (!file)
        return tt_sc_no_memory(s->b);
    for (uint32_t up = e->up; up != TT_NONE; up = s->element[up].up)
        if (s->element[up].file && strcmp(s->element[up].file, file) == 0)
            return tt_sc_fail(s->b, ssp_where(e->doc, e->node), TT_EINPUT,
                              "'%s' contains itself: it is the source of "
                              "'%s'",
                              tt_path_base(path), e->path);
    s->element[index].file = file;
    return TT_OK;
}

/* Another structure takes the component's place. */
static enum tt_code add_structure(struct ssp *s, uint32_t index,
                                  const char *source)
{
    struct ssp_element *e = &s->element[index];
    struct ssp_doc *d = NULL;
    const char *path = NULL;
    enum tt_code rc = ssp_path(s, e->doc, source, &path);

    if (rc == TT_OK)
        rc = set_file(s, index, path);
    if (rc == TT_OK && !tt_path_ends(path, ".ssd"))
        rc = ssp_unpack(s, path, NULL, &path);
    if (rc == TT_OK)
        rc = ssp_read(s, path, "SystemStructureDescription", &d);
    if (rc != TT_OK)
        return rc;
    e = &s->element[index];
    e->outer = e->node;
    e->outer_doc = e->doc;
    e->node = ssp_child(tt_xml_root(d->xml), "System");
    e->doc = d;
    e->what = SSP_SYSTEM;
    if (!e->node)
        return tt_sc_fail(s->b, ssp_where(d, tt_xml_root(d->xml)), TT_EINPUT,
                          "the description has no <System>");
    return add_system(s, index);
}

static enum tt_code add_component(struct ssp *s, uint32_t index)
{
    const struct ssp_element *e = &s->element[index];
    const char *source = NULL;
    int alone = 0;
    enum tt_code rc = ssp_need(s, e->doc, e->node, "source", &source);

    if (rc == TT_OK)
        rc = ssp_unproxy(s, e->doc, e->node, &source, &alone);
    s->element[index].alone = alone;
    if (rc == TT_OK && is_structure(source, tt_xml_value(e->node, "type")))
        return add_structure(s, index, source);
    if (rc == TT_OK)
        rc = add_pins(s, e->doc, e->node, index);
    return rc == TT_OK ? add_instance(s, index, source) : rc;
}

/* Another name for a dictionary of this system or one around it. */
static enum tt_code add_reference(struct ssp *s, uint32_t up,
                                  const struct tt_xml_node *node)
{
    struct ssp_doc *d = s->element[up].doc;
    const char *name = NULL, *dictionary = NULL, *key;
    enum tt_code rc = ssp_need(s, d, node, "name", &name);
    uint32_t found = TT_NONE;

    if (rc == TT_OK)
        rc = ssp_need(s, d, node, "dictionary", &dictionary);
    if (rc != TT_OK)
        return rc;
    key = ssp_text(s, "|%s", dictionary);
    for (uint32_t e = up; key && e != TT_NONE && found == TT_NONE;
         e = s->element[e].up)
        found = ssp_find_element(s, e, key);
    if (key && found == TT_NONE)
        return tt_sc_fail(s->b, ssp_where(d, node), TT_EINPUT,
                          "there is no signal dictionary '%s'", dictionary);
    key = key ? key_of(s, up, name) : NULL;
    if (!key || tt_names_add(&s->element_by, key, found) < 0)
        return tt_sc_no_memory(s->b);
    return TT_OK;
}

static enum tt_code add_child(struct ssp *s, uint32_t up,
                              const struct tt_xml_node *node)
{
    struct ssp_doc *d = s->element[up].doc;
    uint32_t index = (uint32_t)s->n_element;
    int is_system = strcmp(node->name, "System") == 0;
    enum tt_code rc;

    if (strcmp(node->name, "SignalDictionaryReference") == 0)
        return add_reference(s, up, node);
    if (!is_system && strcmp(node->name, "Component") != 0)
        return TT_OK;
    rc = add_element(s, d, node, up, is_system ? SSP_SYSTEM : SSP_COMPONENT);
    if (rc != TT_OK)
        return rc;
    return is_system ? add_system(s, index) : add_component(s, index);
}

static enum tt_code add_dictionaries(struct ssp *s, uint32_t up)
{
    const struct tt_xml_node *all =
        ssp_child(s->element[up].node, "SignalDictionaries");
    enum tt_code rc = TT_OK;

    for (const struct tt_xml_node *c = all ? all->children : NULL;
         rc == TT_OK && c; c = c->next)
        if (strcmp(c->name, "SignalDictionary") == 0)
            rc = add_element(s, s->element[up].doc, c, up, SSP_DICTIONARY);
    return rc;
}

static enum tt_code add_system(struct ssp *s, uint32_t index)
{
    const struct tt_xml_node *all =
        ssp_child(s->element[index].node, "Elements");
    enum tt_code rc =
        add_pins(s, s->element[index].doc, s->element[index].node, index);

    if (rc == TT_OK)
        rc = add_dictionaries(s, index);
    for (const struct tt_xml_node *c = all ? all->children : NULL;
         rc == TT_OK && c; c = c->next)
        rc = add_child(s, index, c);
    return rc;
}

enum tt_code ssp_add_root(struct ssp *s, struct ssp_doc *d,
                          const struct tt_xml_node *system, const char *path)
{
    enum tt_code rc = add_element(s, d, system, TT_NONE, SSP_SYSTEM);

    if (rc == TT_OK)
        rc = set_file(s, 0, path);
    return rc == TT_OK ? add_system(s, 0) : rc;
}
