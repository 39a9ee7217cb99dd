/* SPDX-License-Identifier: MIT */
/* Values set before initialisation: what the scenario gives, converted to the
 * variable's type. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "plan/plan_impl.h"

int plan_settable(const struct tt_port *p)
{
    if (p->variability == TT_VAR_CONSTANT ||
        p->causality == TT_CAUS_INDEPENDENT ||
        p->causality == TT_CAUS_CALCULATED)
        return 0;
    if (p->causality == TT_CAUS_INPUT || p->causality == TT_CAUS_PARAMETER ||
        p->causality == TT_CAUS_STRUCTURAL)
        return 1;
    return p->initial == TT_INIT_EXACT || p->initial == TT_INIT_APPROX;
}

/* A value on its way to tt_plan.start. */
struct given {
    void *value;
    uint8_t *known; /* of an array without declared values: per element */
    const struct tt_sc_parameter *par; /* the last one for it */
};

struct starts {
    uint32_t **at; /* per unit: per port, TT_NONE: no value; NULL: none has */
    struct given *given; /* as tt_plan.start */
};

static const char *shown(const struct tt_sc_value *v, char *out, size_t size)
{
    char num[TT_NUM_MAX];

    switch (v->kind) {
    case TT_SC_TEXT:
        snprintf(out, size, "\"%s\"", v->text);
        break;
    case TT_SC_BOOL:
        snprintf(out, size, "%s", v->integer ? "true" : "false");
        break;
    case TT_SC_INTEGER:
        tt_num_print_i64(num, v->integer);
        snprintf(out, size, "%s", num);
        break;
    case TT_SC_NUMBER:
        tt_num_print_short(num, v->number);
        snprintf(out, size, "%s", num);
        break;
    case TT_SC_ARRAY:
        snprintf(out, size, "an array of %u", v->n);
        break;
    }
    return out;
}

/* Exact 64-bit integers do not fit a double. */
static int from_integer(enum tt_type t, void *to, int64_t i)
{
    if (t == TT_I64 || t == TT_ENUM64) {
        memcpy(to, &i, sizeof(i));
        return 0;
    }
    if (t == TT_U64) {
        if (i < 0)
            return -1;
        memcpy(to, &i, sizeof(i));
        return 0;
    }
    return tt_value_from_double(t, to, (double)i);
}

int plan_convert(tt_texts *texts, enum tt_type t, void *to,
                 const struct tt_sc_value *v)
{
    if (t == TT_CLOCK) /* ticks or not; has no value to start with */
        return -1;
    /* 12 or true typed for a string is "12" or "true" */
    if (t == TT_TEXT || (t == TT_BYTES && v->kind == TT_SC_TEXT))
        return v->text && tt_text_parse(texts, t, to, v->text, NULL) == TT_OK
                   ? 0
                   : -1;
    switch (v->kind) {
    case TT_SC_TEXT:
        return v->text ? tt_value_parse(t, to, v->text) : -1;
    case TT_SC_BOOL: /* true for a number is an error of the author */
        if (!tt_type_is_bool(t))
            return -1;
        return tt_value_from_double(t, to, v->integer ? 1 : 0);
    case TT_SC_INTEGER:
        if (tt_type_is_bool(t) && v->integer != 0 && v->integer != 1)
            return -1;
        return from_integer(t, to, v->integer);
    case TT_SC_NUMBER:
        if (tt_type_is_bool(t) && v->number != 0 && v->number != 1)
            return -1;
        if (t == TT_U64 && v->text) /* as typed: more than an int64 holds */
            return tt_value_parse(t, to, v->text);
        return tt_value_from_double(t, to, v->number);
    case TT_SC_ARRAY:
        return -1;
    }
    return -1;
}

/* The item that a value names; NULL: none. */
static const struct tt_item *item_of(const struct tt_port *port,
                                     const struct tt_sc_value *v)
{
    if ((v->kind != TT_SC_TEXT && v->kind != TT_SC_INTEGER) || !v->text)
        return NULL;
    return tt_items_find(port->items, v->text);
}

static int convert_one(const struct build *b, const struct tt_port *port,
                       void *to, const struct tt_sc_value *v)
{
    const struct tt_item *item = item_of(port, v);

    return item ? from_integer(port->type, to, item->value)
                : plan_convert(b->plan->texts, port->type, to, v);
}

/* What an enumeration could have been set to instead. */
static void list_items(const struct tt_port *port, char *out, size_t size)
{
    size_t n = 0;

    *out = '\0';
    for (uint32_t i = 0; port->items && i < port->items->n && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s'%s'",
                              i ? ", " : "; its items are ",
                              port->items->item[i].name);
}

static enum tt_code convert_all(const struct build *b,
                                const struct tt_sc_parameter *par,
                                const struct tt_port *port, void *to,
                                tt_err *err)
{
    const struct tt_sc_value *v = &par->value;
    size_t size = tt_type_size(port->type);
    char text[256], items[256];
    int bad = 0;

    if (v->kind != TT_SC_ARRAY) {
        for (uint32_t i = 0; i < port->n; i++) /* a scalar fills an array */
            bad |= convert_one(b, port, (char *)to + i * size, v);
    } else if (v->n != port->n) {
        return tt_scenario_fail_ref(
            b->sc, &par->ref, err, TT_EINPUT,
            "'%s.%s' has %u element%s, %u value%s given",
            b->plan->unit[par->ref.unit].name, port->name, port->n,
            port->n == 1 ? "" : "s", v->n, v->n == 1 ? " was" : "s were");
    } else {
        for (uint32_t i = 0; i < port->n; i++)
            bad |= convert_one(b, port, (char *)to + i * size, &v->item[i]);
    }
    if (!bad)
        return TT_OK;
    list_items(port, items, sizeof(items));
    return tt_scenario_fail_ref(b->sc, &par->ref, err, TT_EINPUT,
                                "'%s.%s' is %s and cannot be set to %s%s",
                                b->plan->unit[par->ref.unit].name, port->name,
                                tt_type_name(port->type),
                                shown(v, text, sizeof(text)), items);
}

/* Is it of another kind than the variable, although it was clear what is
 * meant? On a command line everything is text. */
static int is_odd(const struct tt_port *port, const struct tt_sc_value *v)
{
    enum tt_type t = port->type;
    int number = v->kind == TT_SC_INTEGER || v->kind == TT_SC_NUMBER;

    for (uint32_t i = 0; v->kind == TT_SC_ARRAY && i < v->n; i++)
        if (is_odd(port, &v->item[i]))
            return 1;
    if (v->kind == TT_SC_TEXT) /* JSON has no larger integers than int64 */
        return !tt_type_is_text(t) && t != TT_U64 && !item_of(port, v);
    return number && !v->text && tt_type_is_bool(t);
}

static void warn_odd(const struct build *b, const struct tt_sc_parameter *par,
                     const struct tt_port *port, const void *value)
{
    char text[256], taken[TT_TEXT_MAX];
    tt_err warning;

    if (par->ref.where.file == TT_NONE || !is_odd(port, &par->value))
        return;
    tt_value_print(taken, port->type, value);
    tt_scenario_fail_ref(b->sc, &par->ref, &warning, TT_EINPUT,
                         "'%s.%s' is %s and given as %s, which is taken as %s",
                         b->plan->unit[par->ref.unit].name, port->name,
                         tt_type_name(port->type),
                         shown(&par->value, text, sizeof(text)), taken);
    tt_log_place(b->log, TT_LOG_WARN, &warning.place, warning.msg);
}

static int in_range(const struct tt_port *port, const void *element)
{
    double d = tt_value_as_double(port->type, element);

    return d >= port->min && d <= port->max;
}

/* The first element outside is enough for a message. */
static void warn_range(const struct build *b, const struct tt_sc_parameter *par,
                       const struct tt_port *port, const void *value)
{
    size_t size = tt_type_size(port->type);
    char v[TT_TEXT_MAX], lo[TT_NUM_MAX], hi[TT_NUM_MAX];
    const char *element = value;
    tt_err warning;
    uint32_t i = 0;

    if (!tt_type_is_number(port->type))
        return;
    while (i < port->n && in_range(port, element + i * size))
        i++;
    if (i == port->n)
        return;
    tt_value_print(v, port->type, element + i * size);
    tt_num_print_short(lo, port->min);
    tt_num_print_short(hi, port->max);
    tt_scenario_fail_ref(b->sc, &par->ref, &warning, TT_EINPUT,
                         "'%s.%s' is set to %s, outside its declared range "
                         "%s .. %s",
                         b->plan->unit[par->ref.unit].name, port->name, v, lo,
                         hi);
    tt_log_place(b->log, TT_LOG_WARN, &warning.place, warning.msg);
}

/* --- what a value is for ---------------------------------------------------
 */

/* A port, or one element of it. */
struct target {
    uint32_t port;
    uint32_t element; /* TT_NONE: all */
};

static enum tt_code find(const struct build *b, const struct tt_sc_ref *ref,
                         struct target *t, tt_err *err)
{
    struct tt_element e;
    enum tt_code rc = plan_find_element(b, ref, &e, err);

    *t = (struct target){e.port, e.port == TT_NONE ? TT_NONE : e.at};
    if (rc != TT_OK)
        t->port = TT_NONE;
    if (rc != TT_OK || e.port != TT_NONE)
        return rc;
    return plan_find_port(b, ref, &t->port, err);
}

static enum tt_code check_settable(const struct build *b,
                                   const struct tt_sc_ref *ref,
                                   const struct tt_port *port, tt_err *err)
{
    int calculated = port->initial == TT_INIT_CALCULATED;

    if (plan_settable(port))
        return TT_OK;
    return tt_scenario_fail_ref(
        b->sc, ref, err, TT_EINPUT, "'%s.%s' cannot be set: it is %s, %s%s%s",
        b->plan->unit[ref->unit].name, port->name,
        tt_causality_name(port->causality),
        tt_variability_name(port->variability), calculated ? ", " : "",
        calculated ? "calculated" : "");
}

/* The values of an array before one of its elements gets another; `known` is
 * which of them something gave, NULL: all. */
static enum tt_code begin_array(struct build *b, const struct tt_port *port,
                                struct given *g, tt_err *err)
{
    tt_arena *a = b->plan->arena;

    g->value =
        port->start
            ? tt_arena_dup(a, port->start, port->n, tt_type_size(port->type))
            : tt_arena_alloc(a, port->n, tt_type_size(port->type));
    if (g->value && !port->start)
        g->known = tt_arena_alloc(a, port->n, 1);
    return g->value && (port->start || g->known) ? TT_OK : plan_nomem(err);
}

/* One value for one element, of an array that has values or gets them. */
static enum tt_code give_element(struct build *b,
                                 const struct tt_sc_parameter *par,
                                 struct target t, struct given *g, tt_err *err)
{
    struct tt_port one = b->plan->unit[par->ref.unit].desc->port[t.port];
    size_t size = tt_type_size(one.type);
    enum tt_code rc = g->value ? TT_OK : begin_array(b, &one, g, err);
    char *to;

    if (rc != TT_OK)
        return rc;
    to = (char *)g->value + t.element * size;
    one.name = par->ref.variable;
    one.n = 1;
    rc = convert_all(b, par, &one, to, err);
    if (rc == TT_OK && tt_type_is_text(one.type))
        rc = tt_texts_hold(b->plan->texts, (void *)to, size, err);
    if (rc != TT_OK)
        return rc;
    if (g->known)
        g->known[t.element] = 1;
    warn_odd(b, par, &one, to);
    warn_range(b, par, &one, to);
    return TT_OK;
}

static enum tt_code give_whole(struct build *b,
                               const struct tt_sc_parameter *par,
                               struct target t, struct given *g, tt_err *err)
{
    const struct tt_port *port =
        &b->plan->unit[par->ref.unit].desc->port[t.port];
    enum tt_code rc;

    g->value =
        tt_arena_alloc(b->plan->arena, port->n, tt_type_size(port->type));
    g->known = NULL;
    if (!g->value)
        return plan_nomem(err);
    rc = convert_all(b, par, port, g->value, err);
    if (rc == TT_OK && tt_type_is_text(port->type))
        rc = tt_texts_hold(b->plan->texts, g->value, tt_port_size(port), err);
    if (rc != TT_OK)
        return rc;
    warn_odd(b, par, port, g->value);
    warn_range(b, par, port, g->value);
    return TT_OK;
}

/* Of an array without declared values all elements are needed. */
static enum tt_code check_whole(const struct build *b,
                                const struct tt_sc_parameter *par,
                                const struct tt_port *port,
                                const struct given *g, tt_err *err)
{
    uint32_t n = 0;

    for (uint32_t i = 0; g->known && i < port->n; i++)
        n += g->known[i];
    if (!g->known || n == port->n)
        return TT_OK;
    return tt_scenario_fail_ref(
        b->sc, &par->ref, err, TT_EINPUT,
        "of '%s.%s' %u of %u elements are given, and it declares no values for "
        "the others",
        b->plan->unit[par->ref.unit].name, port->name, (unsigned)n,
        (unsigned)port->n);
}

/* Maestro takes no notice of a parameter that there is not. The command line is
 * ours. */
static int warn_unknown(const struct build *b,
                        const struct tt_sc_parameter *par, const tt_err *err)
{
    if (!err || err->code != TT_EINPUT)
        return 0;
    if (par->optional)
        return 1;
    if (!b->sc->dialect || par->ref.where.file == TT_NONE)
        return 0;
    tt_log_place(b->log, TT_LOG_WARN, &err->place, err->msg);
    return 1;
}

/* Does Maestro set it before initialisation, to what is declared? */
static int declared(const struct tt_port *p)
{
    return p->start && plan_settable(p) && p->causality != TT_CAUS_INPUT &&
           p->causality != TT_CAUS_STRUCTURAL;
}

static uint32_t count_declared(const tt_plan *p)
{
    uint32_t n = 0;

    for (uint32_t u = 0; u < p->n_unit; u++)
        for (uint32_t i = 0; p->unit[u].desc && i < p->unit[u].desc->n_port;
             i++)
            n += declared(&p->unit[u].desc->port[i]) != 0;
    return n;
}

/* Some units start with other values than they declare: with Maestro the
 * declared ones hold, as it sets them. */
static void give_declared(tt_plan *p, uint32_t *const *at)
{
    for (uint32_t u = 0; u < p->n_unit; u++)
        for (uint32_t i = 0; p->unit[u].desc && i < p->unit[u].desc->n_port;
             i++)
            if (declared(&p->unit[u].desc->port[i]) &&
                !(at[u] && at[u][i] != TT_NONE))
                p->start[p->n_start++] =
                    (struct tt_start){.unit = u,
                                      .port = i,
                                      .value = p->unit[u].desc->port[i].start};
}

static void scale(struct tt_sc_value *v, double factor, double offset)
{
    if (v->kind != TT_SC_NUMBER && v->kind != TT_SC_INTEGER)
        return;
    v->kind = TT_SC_NUMBER;
    v->number = factor * v->number + offset;
    v->text = NULL;
}

static enum tt_code scale_all(struct build *b, struct tt_sc_value *v,
                              double factor, double offset, tt_err *err)
{
    struct tt_sc_value *item;

    if (v->kind != TT_SC_ARRAY) {
        scale(v, factor, offset);
        return TT_OK;
    }
    item = tt_arena_dup(b->plan->arena, v->item, v->n, sizeof(*item));
    if (!item)
        return plan_nomem(err);
    for (uint32_t i = 0; i < v->n; i++)
        scale(&item[i], factor, offset);
    v->item = item;
    return TT_OK;
}

/* Into the variable's unit, and then what the file does to it. */
static enum tt_code transform(struct build *b, const struct tt_port *port,
                              struct tt_sc_parameter *par, tt_err *err)
{
    double factor = 1, offset = 0;

    if (par->quantity && port->quantity && !(par->by && par->by->keep_unit) &&
        plan_map_units(par->quantity, port->quantity, &factor, &offset) != 0)
        return tt_scenario_fail_ref(
            b->sc, &par->ref, err, TT_EINPUT,
            "the value is in '%s' and '%s.%s' in '%s': these units measure "
            "different quantities",
            par->quantity->name, b->plan->unit[par->ref.unit].name, port->name,
            port->quantity->name);
    if (par->by) {
        factor *= par->by->factor;
        offset = offset * par->by->factor + par->by->offset;
    }
    return factor == 1 && offset == 0
               ? TT_OK
               : scale_all(b, &par->value, factor, offset, err);
}

/* A later value for the same port wins. */
static enum tt_code give(struct build *b, const struct tt_sc_parameter *par,
                         struct target t, struct given *g, tt_err *err)
{
    const struct tt_port *port =
        &b->plan->unit[par->ref.unit].desc->port[t.port];
    struct tt_sc_parameter here = *par;
    enum tt_code rc = check_settable(b, &par->ref, port, err);

    if (rc == TT_OK)
        rc = transform(b, port, &here, err);
    if (rc != TT_OK)
        return rc;
    g->par = par;
    return t.element == TT_NONE ? give_whole(b, &here, t, g, err)
                                : give_element(b, &here, t, g, err);
}

/* One parameter, and which value it is: made with the first one for a port. */
static enum tt_code take(struct build *b, const struct tt_sc_parameter *par,
                         struct starts *st, tt_err *err)
{
    tt_plan *p = b->plan;
    uint32_t u = par->ref.unit, n_port = p->unit[u].desc->n_port;
    struct target t;
    uint32_t *at;
    enum tt_code rc = find(b, &par->ref, &t, err);

    if (rc != TT_OK)
        return t.port == TT_NONE && warn_unknown(b, par, err) ? TT_OK : rc;
    if (!st->at[u]) {
        st->at[u] = tt_arena_alloc(p->arena, n_port, sizeof(**st->at));
        if (!st->at[u])
            return plan_nomem(err);
        memset(st->at[u], 0xff, n_port * sizeof(**st->at));
    }
    at = &st->at[u][t.port];
    if (*at == TT_NONE)
        st->given[p->n_start] = (struct given){0};
    rc = give(b, par, t, &st->given[*at == TT_NONE ? p->n_start : *at], err);
    if (rc != TT_OK)
        return rc;
    if (*at == TT_NONE)
        *at = p->n_start++;
    p->start[*at] = (struct tt_start){
        .unit = u, .port = t.port, .value = st->given[*at].value, .given = 1};
    return TT_OK;
}

int plan_is_given(const tt_plan *p, uint32_t unit, uint32_t port)
{
    for (uint32_t i = 0; i < p->n_start; i++)
        if (p->start[i].unit == unit && p->start[i].port == port)
            return 1;
    return 0;
}

enum tt_code plan_start_values(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    uint32_t more = p->dialect ? count_declared(p) : 0, n = b->sc->n_parameter;
    struct starts st = {
        .at = tt_arena_alloc(p->arena, p->n_unit, sizeof(*st.at)),
        .given = tt_arena_alloc(p->arena, (size_t)n + 1, sizeof(*st.given))};
    enum tt_code rc = TT_OK;

    more += b->sc->script ? b->sc->script->n_gate : 0;
    p->start = tt_arena_alloc(p->arena, (size_t)n + more, sizeof(*p->start));
    if (!p->start || !st.at || !st.given)
        return plan_nomem(err);
    for (uint32_t k = 0; k < n && rc == TT_OK; k++) {
        if (!p->unit[b->sc->parameter[k].ref.unit].desc)
            continue; /* of an FMU that cannot be read */
        rc = take(b, &b->sc->parameter[k], &st, err);
        if (plan_pass(b, rc, err))
            rc = TT_OK;
    }
    for (uint32_t i = 0; i < p->n_start && rc == TT_OK; i++) {
        const struct tt_start *s = &p->start[i];

        rc = check_whole(b, st.given[i].par,
                         &p->unit[s->unit].desc->port[s->port], &st.given[i],
                         err);
        if (plan_pass(b, rc, err))
            rc = TT_OK;
    }
    if (rc == TT_OK && p->dialect)
        give_declared(p, st.at);
    return rc;
}

/* Start values that may be changed: numbers that count as they are given. */
enum tt_code plan_adjust(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;

    if (!TT_NEW_IN(p->arena, p->adjust, b->sc->n_consistent))
        return plan_nomem(err);
    for (uint32_t i = 0; i < b->sc->n_consistent && rc == TT_OK; i++) {
        const struct tt_sc_ref *ref = &b->sc->consistent[i];
        const struct tt_port *port;
        uint32_t at;

        rc = plan_find_port(b, ref, &at, err);
        if (rc != TT_OK)
            break;
        port = &p->unit[ref->unit].desc->port[at];
        if (port->type != TT_F64 || port->n != 1 || !plan_settable(port) ||
            (b->mark[ref->unit][at] & MARK_IN))
            return tt_scenario_fail_ref(
                b->sc, ref, err, TT_EINPUT,
                "'%s.%s' has no start value that could be changed: that is a "
                "Float64 that is set before the start",
                p->unit[ref->unit].name, port->name);
        if (p->unit[ref->unit].desc->caps.no_init_mode)
            return tt_scenario_fail_ref(
                b->sc, ref, err, TT_EUNSUPPORTED,
                "'%s.%s' cannot be changed while the start is sought: its "
                "instance has no initialisation mode",
                p->unit[ref->unit].name, port->name);
        p->adjust[p->n_adjust++] = (struct tt_plan_target){ref->unit, at};
    }
    return rc;
}
