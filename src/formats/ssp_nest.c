/* SPDX-License-Identifier: MIT */
/* Systems as scenarios inside: a connection between components of two systems
 * stands in the innermost one that both are in, and goes through ports of those
 * between. All that becomes of a value on its way is done there, at once, as
 * where systems are flattened.
 *
 * A port is named as the connector, if its value is the connector's: not where
 * it is transformed further inside, or where one connector feeds several.
 */
#include <string.h>

#include "formats/ssp_impl.h"

static struct ssp_deed *add_deed(struct ssp *s, uint32_t system,
                                 const struct ssp_deed *like)
{
    struct ssp_deeds *list = &s->deeds[system];
    struct ssp_deed *d = tt_arena_dup(s->arena, like, 1, sizeof(*like));

    if (!d)
        return NULL;
    if (list->last)
        list->last->next = d;
    else
        list->first = d;
    list->last = d;
    return d;
}

/* How many connectors of components get their values through each. */
static void count_fed(struct ssp *s)
{
    for (uint32_t i = 0; i < s->n_pin; i++) {
        size_t n = 0;

        if (!ssp_is_component(s, i))
            continue;
        for (uint32_t p = s->pin[i].driver; p != TT_NONE && n++ <= s->n_pin;
             p = s->pin[p].driver)
            s->fed[p]++;
    }
}

/* A key of its own, and "{key}.name". */
static enum tt_code name_system(struct ssp *s, uint32_t system)
{
    struct ssp_element *e = &s->element[system];
    const char *name = ssp_plain_name(s, e->name);
    enum tt_code rc =
        name ? ssp_new_key(s, name, &e->key) : tt_sc_no_memory(s->b);

    if (rc != TT_OK)
        return rc;
    e->unit = ssp_text(s, "%s.%s", e->key, name);
    return e->unit ? TT_OK : tt_sc_no_memory(s->b);
}

enum tt_code ssp_nest_begin(struct ssp *s)
{
    enum tt_code rc = TT_OK;

    if (!TT_NEW_IN(s->arena, s->deeds, s->n_element) ||
        !TT_NEW_IN(s->arena, s->fed, s->n_pin))
        return tt_sc_no_memory(s->b);
    count_fed(s);
    for (uint32_t e = 1; rc == TT_OK && e < s->n_element; e++)
        if (s->element[e].what == SSP_SYSTEM)
            rc = name_system(s, e);
    return rc;
}

/* --- ports ---------------------------------------------------------------- */

/* Of a system: the connector by which a value leaves it on its way to `pin`;
 * TT_NONE: there is none, or it is another value. */
static uint32_t outlet(const struct ssp *s, uint32_t pin, uint32_t origin,
                       uint32_t system)
{
    uint32_t found = TT_NONE;

    for (uint32_t p = pin; p != origin; p = s->pin[p].driver) {
        if (found == TT_NONE && s->pin[p].element == system)
            found = p;
        if (found != TT_NONE && s->pin[p].by)
            return TT_NONE;
    }
    return found;
}

/* ... the one by which it enters. */
static uint32_t inlet(const struct ssp *s, uint32_t pin, uint32_t system)
{
    for (uint32_t p = pin; p != TT_NONE; p = s->pin[p].driver) {
        if (s->pin[p].element == system)
            return s->fed[p] == 1 ? p : TT_NONE;
        if (s->pin[p].by)
            return TT_NONE;
    }
    return TT_NONE;
}

/* "motor.torque", of a component seen from a system around it. */
static const char *name_within(struct ssp *s, uint32_t pin, uint32_t system)
{
    const struct ssp_pin *p = &s->pin[pin];
    size_t above = strlen(s->element[system].path);

    return ssp_text(s, "%s.%s", s->element[p->element].path + above + !!above,
                    p->name);
}

/* A port of the system that stands for `ref`, once for each component's pin;
 * its name as the system around has it. */
static const char *port_of(struct ssp *s, uint32_t system, uint32_t pin,
                           uint32_t connector, const char *ref,
                           enum tt_sc_port_dir dir)
{
    const struct tt_where w =
        s->pin[connector != TT_NONE ? connector : pin].where;
    const char *key = ssp_text(s, "%u>%u", (unsigned)system, (unsigned)pin);
    uint32_t known = key ? tt_names_find(&s->port_by, key) : TT_NONE;
    struct ssp_deed d = {.what = SSP_PORT, .dir = dir, .to = {.where = w}};
    struct tt_sc_word *of = tt_arena_alloc(s->arena, 1, sizeof(*of));
    const char *name;

    if (!key || !of || !ref)
        return NULL;
    name = connector != TT_NONE ? s->pin[connector].name
                                : name_within(s, pin, system);
    for (unsigned n = 2; known == TT_NONE && name; n++) {
        const char *taken = ssp_text(s, "%u:%s", (unsigned)system, name);
        int added =
            taken ? tt_names_add(&s->port_by, taken, (uint32_t)s->n_port) : -1;

        if (added < 0)
            return NULL;
        if (added == 0)
            break;
        name = ssp_text(s, "%s %u", name_within(s, pin, system), n);
    }
    if (known == TT_NONE) {
        *of = (struct tt_sc_word){tt_sc_keep(s->b, ref), w};
        d.ref = of;
        d.n_ref = 1;
        d.to.text = name ? tt_sc_keep(s->b, name) : NULL;
        known = (uint32_t)s->n_port;
        if (!of->text || !d.to.text ||
            TT_GROW(s->port, s->n_port, s->cap_port) != 0 ||
            tt_names_add(&s->port_by, key, known) < 0 ||
            !add_deed(s, system, &d))
            return NULL;
        s->port[s->n_port++] = d.to.text;
    }
    return ssp_text(s, "%s.%s", s->element[system].unit, s->port[known]);
}

static const char *own_ref(struct ssp *s, uint32_t pin)
{
    const struct ssp_pin *p = &s->pin[pin];

    return ssp_text(s, "%s.%s", s->element[p->element].unit, p->name);
}

/* A component's output in a system around it; `to` is what it feeds. */
static const char *led_out(struct ssp *s, uint32_t pin, uint32_t to,
                           uint32_t system)
{
    const char *ref = own_ref(s, pin);

    for (uint32_t e = s->element[s->pin[pin].element].up; e != system;
         e = s->element[e].up)
        ref = port_of(s, e, pin, outlet(s, to, pin, e), ref, TT_SC_PORT_OUTPUT);
    return ref;
}

/* ... its input. */
static const char *led_in(struct ssp *s, uint32_t pin, uint32_t system)
{
    const char *ref = own_ref(s, pin);

    for (uint32_t e = s->element[s->pin[pin].element].up; e != system;
         e = s->element[e].up)
        ref = port_of(s, e, pin, inlet(s, pin, e), ref,
                      s->pin[pin].is_parameter ? TT_SC_PORT_PARAMETER
                                               : TT_SC_PORT_INPUT);
    return ref;
}

const char *ssp_nest_ref(struct ssp *s, uint32_t pin, uint32_t via)
{
    return s->pin[via].driver != TT_NONE ? led_out(s, pin, via, 0)
                                         : led_in(s, pin, 0);
}

/* --- connections and values ----------------------------------------------- */

/* The innermost system that both are in. */
static uint32_t common(const struct ssp *s, uint32_t a, uint32_t b)
{
    a = s->element[a].up;
    b = s->element[b].up;
    while (a != b) /* those inside come behind */
        if (a > b)
            a = s->element[a].up;
        else
            b = s->element[b].up;
    return a;
}

enum tt_code ssp_nest_connect(struct ssp *s, uint32_t pin)
{
    const struct ssp_pin *p = &s->pin[pin];
    uint32_t at = common(s, p->element, s->pin[p->origin].element);
    struct tt_sc_word *from = tt_arena_alloc(s->arena, 1, sizeof(*from));
    const char *to = led_in(s, pin, at), *of = led_out(s, p->origin, pin, at);
    struct ssp_deed d = {.what = SSP_CONNECT, .by = p->chain, .n_ref = 1};

    if (!from || !of || !to)
        return tt_sc_no_memory(s->b);
    *from = (struct tt_sc_word){tt_sc_keep(s->b, of), p->link};
    d.ref = from;
    d.to = (struct tt_sc_word){tt_sc_keep(s->b, to), p->link};
    return from->text && d.to.text && add_deed(s, at, &d)
               ? TT_OK
               : tt_sc_no_memory(s->b);
}

enum tt_code ssp_nest_port(struct ssp *s, enum tt_sc_port_dir dir,
                           struct tt_sc_word name, const struct tt_sc_word *ref,
                           uint32_t n)
{
    struct ssp_deed d = {.what = SSP_PORT, .dir = dir, .to = name, .n_ref = n};

    d.ref = tt_arena_dup(s->arena, ref, n, sizeof(*ref));
    return d.ref && add_deed(s, 0, &d) ? TT_OK : tt_sc_no_memory(s->b);
}

enum tt_code ssp_nest_give(struct ssp *s, uint32_t element,
                           struct tt_sc_word ref,
                           const struct tt_sc_parameter *value)
{
    struct ssp_deed d = {.what = SSP_VALUE, .to = ref};

    d.value = tt_arena_dup(s->arena, value, 1, sizeof(*value));
    return d.value && add_deed(s, s->element[element].up, &d)
               ? TT_OK
               : tt_sc_no_memory(s->b);
}

/* --- what is connected inside only ---------------------------------------- */

static int is_within(const struct ssp *s, uint32_t element, uint32_t system)
{
    while (element > system) /* those inside come behind */
        element = s->element[element].up;
    return element == system;
}

/* A connector of a system is its port, also where nothing outside has to do
 * with it: an output, or an input of the component's pin. */
static enum tt_code show(struct ssp *s, uint32_t pin)
{
    const struct ssp_pin *p = &s->pin[pin];
    uint32_t system = p->element, origin = p->origin;
    const struct tt_sc_transform *by;
    enum tt_code rc = TT_OK;
    const char *ref = "";

    if (ssp_is_component(s, pin)) {
        system = s->pin[origin].element;
        if (system && s->element[system].what == SSP_SYSTEM)
            ref = led_in(s, pin, s->element[system].up);
    } else if (system && p->driver != TT_NONE &&
               s->element[system].what == SSP_SYSTEM) {
        rc = ssp_origin(s, pin, &origin, &by);
        if (rc == TT_OK && !by && ssp_is_component(s, origin) &&
            is_within(s, s->pin[origin].element, system))
            ref = led_out(s, origin, pin, s->element[system].up);
    }
    return rc != TT_OK || ref ? rc : tt_sc_no_memory(s->b);
}

/* --- making them ---------------------------------------------------------- */

struct nesting {
    uint32_t *first, *next; /* elements of each system, in their order */
    tt_scenario **made;     /* per system: until the one around takes it */
};

static enum tt_code put_component(struct ssp *s, tt_sc_build *b, uint32_t e)
{
    const struct ssp_element *c = &s->element[e];
    const char *source = tt_sc_keep(s->b, c->source);
    struct tt_where w = ssp_where(c->doc, c->node);
    struct tt_sc_word name = {tt_sc_keep(s->b, c->unit + strlen(c->key) + 1),
                              w};
    const char *once = ssp_text(s, "%u+%s", (unsigned)c->up, c->key);
    enum tt_code rc = TT_OK;
    int added = once ? tt_names_add(&s->port_by, once, 0) : -1;

    if (!name.text || !source || added < 0)
        return tt_sc_no_memory(s->b);
    if (added == 0)
        rc = tt_sc_add_fmu(b, (struct tt_sc_word){c->key, w},
                           (struct tt_sc_word){source, w});
    if (rc == TT_OK)
        rc = tt_sc_add_instance(b, c->key, name);
    if (rc == TT_OK)
        tt_sc_use_interface(b, ssp_interface(c->node));
    return rc;
}

static enum tt_code put_system(struct ssp *s, tt_sc_build *b, uint32_t e,
                               struct nesting *n)
{
    const struct ssp_element *c = &s->element[e];
    struct tt_where w = ssp_where(c->doc, c->node);
    struct tt_sc_word name = {tt_sc_keep(s->b, c->unit + strlen(c->key) + 1),
                              w};
    enum tt_code rc =
        name.text
            ? tt_sc_add_inner(b, (struct tt_sc_word){c->key, w}, &n->made[e], w)
            : tt_sc_no_memory(s->b);

    return rc == TT_OK ? tt_sc_add_instance(b, c->key, name) : rc;
}

static enum tt_code do_deed(tt_sc_build *b, const struct ssp_deed *d)
{
    switch (d->what) {
    case SSP_CONNECT:
        return tt_sc_connect_by(b, d->ref[0], d->to, d->by);
    case SSP_PORT:
        return tt_sc_add_port(b, d->dir, d->to, d->ref, d->n_ref, d->to.where);
    case SSP_VALUE:
        break;
    }
    return tt_sc_add_parameter(b, d->to, d->value);
}

static enum tt_code fill(struct ssp *s, tt_sc_build *b, uint32_t system,
                         struct nesting *n)
{
    enum tt_code rc = TT_OK;

    for (uint32_t e = n->first[system]; rc == TT_OK && e != TT_NONE;
         e = n->next[e])
        if (s->element[e].what == SSP_COMPONENT)
            rc = put_component(s, b, e);
        else if (s->element[e].what == SSP_SYSTEM && n->made[e])
            rc = put_system(s, b, e, n);
    for (const struct ssp_deed *d = s->deeds[system].first; rc == TT_OK && d;
         d = d->next)
        rc = do_deed(b, d);
    return rc == TT_OK ? ssp_draw(s, b, system) : rc;
}

/* One that has nothing in it is left out. */
static enum tt_code make(struct ssp *s, uint32_t system, struct nesting *n)
{
    const struct ssp_element *e = &s->element[system];
    const char *name = tt_sc_keep(s->b, e->name);
    tt_sc_build *b = NULL;
    enum tt_code rc;

    if (n->first[system] == TT_NONE)
        return TT_OK;
    rc = name ? tt_sc_build_inside(&b, s->b, name, ssp_where(e->doc, e->node))
              : tt_sc_no_memory(s->b);
    if (rc == TT_OK)
        rc = fill(s, b, system, n);
    return tt_sc_build_end(b, rc, &n->made[system]);
}

static int begin(struct ssp *s, struct nesting *n)
{
    n->made = tt_arena_alloc(s->arena, s->n_element, sizeof(*n->made));
    if (!n->made || ssp_lists(s, s->n_element, &n->first, &n->next) != 0)
        return -1;
    for (uint32_t e = (uint32_t)s->n_element; e-- > 1;)
        if (s->element[e].what == SSP_COMPONENT ||
            (s->element[e].what == SSP_SYSTEM && n->first[e] != TT_NONE)) {
            n->next[e] = n->first[s->element[e].up];
            n->first[s->element[e].up] = e;
        }
    return 0;
}

enum tt_code ssp_nest_finish(struct ssp *s)
{
    struct nesting n = {0};
    enum tt_code rc = begin(s, &n) == 0 ? TT_OK : tt_sc_no_memory(s->b);

    for (uint32_t i = 0; rc == TT_OK && i < s->n_pin; i++)
        rc = show(s, i);
    for (uint32_t e = (uint32_t)s->n_element; rc == TT_OK && e-- > 1;)
        if (s->element[e].what == SSP_SYSTEM)
            rc = make(s, e, &n);
    if (rc == TT_OK)
        rc = fill(s, s->b, 0, &n);
    for (uint32_t e = 0; n.made && e < s->n_element; e++)
        tt_scenario_free(n.made[e]);
    return rc;
}
