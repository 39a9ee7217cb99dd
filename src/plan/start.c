/* SPDX-License-Identifier: MIT */
/* Values set before initialisation: what the scenario gives, converted to the
 * variable's type. */
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "plan/plan_impl.h"

/* May a value be given for this port before initialisation? */
static int settable(const struct tt_port *p)
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

/* One element. Returns 0, or -1 when the type cannot hold the value. */
static int convert(enum tt_type t, void *to, const struct tt_sc_value *v)
{
    if (t == TT_CLOCK) /* ticks or not; has no value to start with */
        return -1;
    if (t == TT_TEXT) /* 12 or true typed for a string is "12" or "true" */
        return v->text ? tt_text_set(to, v->text) : -1;
    switch (v->kind) {
    case TT_SC_TEXT:
        return v->text ? tt_value_parse(t, to, v->text) : -1;
    case TT_SC_BOOL: /* whoever writes true for a number means another one */
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
        return tt_value_from_double(t, to, v->number);
    case TT_SC_ARRAY:
        return -1;
    }
    return -1;
}

static enum tt_code convert_all(const struct build *b,
                                const struct tt_sc_parameter *par,
                                const struct tt_port *port, void *to,
                                tt_err *err)
{
    const struct tt_sc_value *v = &par->value;
    size_t size = tt_type_size(port->type);
    char text[256];
    int bad = 0;

    if (v->kind != TT_SC_ARRAY) {
        for (uint32_t i = 0; i < port->n; i++) /* a scalar fills an array */
            bad |= convert(port->type, (char *)to + i * size, v);
    } else if (v->n != port->n) {
        return tt_scenario_fail_ref(
            b->sc, &par->ref, err, TT_EINPUT,
            "'%s.%s' has %u element%s, %u value%s given",
            b->plan->unit[par->ref.unit].name, port->name, port->n,
            port->n == 1 ? "" : "s", v->n, v->n == 1 ? " was" : "s were");
    } else {
        for (uint32_t i = 0; i < port->n; i++)
            bad |= convert(port->type, (char *)to + i * size, &v->item[i]);
    }
    if (!bad)
        return TT_OK;
    return tt_scenario_fail_ref(b->sc, &par->ref, err, TT_EINPUT,
                                "'%s.%s' is %s and cannot be set to %s",
                                b->plan->unit[par->ref.unit].name, port->name,
                                tt_type_name(port->type),
                                shown(v, text, sizeof(text)));
}

/* Is it of another kind than the variable, although it was clear what is
 * meant? On a command line everything is text. */
static int is_odd(enum tt_type t, const struct tt_sc_value *v)
{
    int number = v->kind == TT_SC_INTEGER || v->kind == TT_SC_NUMBER;

    for (uint32_t i = 0; v->kind == TT_SC_ARRAY && i < v->n; i++)
        if (is_odd(t, &v->item[i]))
            return 1;
    if (v->kind == TT_SC_TEXT)
        return t != TT_TEXT && t != TT_BYTES;
    return number && !v->text && tt_type_is_bool(t);
}

static void warn_odd(const struct build *b, const struct tt_sc_parameter *par,
                     const struct tt_port *port, const void *value)
{
    char text[256], taken[TT_TEXT_MAX];
    tt_err warning;

    if (par->ref.where.file == TT_NONE || !is_odd(port->type, &par->value))
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

/* The first element outside is enough to say. */
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

/* 'u[2]' of an array 'u', which FMI knows as a whole only: the port of the
 * array, else TT_NONE. */
static uint32_t array_of(const struct tt_desc *d, const char *variable,
                         tt_arena *arena)
{
    const char *open = strchr(variable, '[');
    const char *name;
    uint32_t i;

    if (!open || tt_desc_find(d, variable) != TT_NONE)
        return TT_NONE;
    name = tt_arena_strndup(arena, variable, (size_t)(open - variable));
    i = name ? tt_desc_find(d, name) : TT_NONE;
    return i != TT_NONE && d->port[i].n_dim ? i : TT_NONE;
}

static enum tt_code find(struct build *b, const struct tt_sc_ref *ref,
                         uint32_t *port, tt_err *err)
{
    const struct tt_plan_unit *u = &b->plan->unit[ref->unit];
    uint32_t i = array_of(u->desc, ref->variable, b->plan->arena);

    if (i == TT_NONE)
        return plan_find_port(b, ref, port, err);
    return tt_scenario_fail_ref(
        b->sc, ref, err, TT_EINPUT,
        "unit '%s' has no variable '%s': '%s' is an array "
        "of %u elements, which are set together, for "
        "example %s=[1,2,3]",
        u->name, ref->variable, u->desc->port[i].name, u->desc->port[i].n,
        u->desc->port[i].name);
}

static enum tt_code give(struct build *b, const struct tt_sc_parameter *par,
                         uint32_t *index, tt_err *err)
{
    tt_plan *p = b->plan;
    const struct tt_port *port;
    void *value;
    uint32_t i = 0;
    enum tt_code rc = find(b, &par->ref, &i, err);

    if (rc != TT_OK)
        return rc;
    port = &p->unit[par->ref.unit].desc->port[i];
    if (!settable(port))
        return tt_scenario_fail_ref(
            b->sc, &par->ref, err, TT_EINPUT,
            "'%s.%s' cannot be set: it is %s, %s%s%s",
            p->unit[par->ref.unit].name, port->name,
            tt_causality_name(port->causality),
            tt_variability_name(port->variability),
            port->initial == TT_INIT_CALCULATED ? ", " : "",
            port->initial == TT_INIT_CALCULATED ? "calculated" : "");
    value = tt_arena_alloc(p->arena, port->n, tt_type_size(port->type));
    if (!value)
        return plan_nomem(err);
    rc = convert_all(b, par, port, value, err);
    if (rc != TT_OK)
        return rc;
    warn_odd(b, par, port, value);
    warn_range(b, par, port, value);
    if (*index == TT_NONE) /* a later value for the same port wins */
        *index = p->n_start++;
    p->start[*index] = (struct tt_start){
        .unit = par->ref.unit, .port = i, .value = value, .given = 1};
    return TT_OK;
}

/* Maestro takes no notice of a parameter that there is not. The command line is
 * ours. */
static int warn_unknown(const struct build *b,
                        const struct tt_sc_parameter *par, const tt_err *err)
{
    if (!b->sc->dialect || par->ref.where.file == TT_NONE || !err ||
        err->code != TT_EINPUT)
        return 0;
    tt_log_place(b->log, TT_LOG_WARN, &err->place, err->msg);
    return 1;
}

/* Does Maestro set it before initialisation, to what is declared? */
static int declared(const struct tt_port *p)
{
    return p->start && settable(p) && p->causality != TT_CAUS_INPUT &&
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

enum tt_code plan_start_values(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    uint32_t **at;
    uint32_t more = p->dialect ? count_declared(p) : 0;
    enum tt_code rc = TT_OK;

    p->start = tt_arena_alloc(p->arena, (size_t)b->sc->n_parameter + more,
                              sizeof(*p->start));
    at = tt_arena_alloc(p->arena, p->n_unit, sizeof(*at));
    if (!p->start || !at)
        return plan_nomem(err);
    for (uint32_t k = 0; k < b->sc->n_parameter && rc == TT_OK; k++) {
        const struct tt_sc_parameter *par = &b->sc->parameter[k];
        uint32_t u = par->ref.unit, none = TT_NONE, port, n_port;

        if (!p->unit[u].desc)
            continue; /* of an FMU that cannot be read */
        n_port = p->unit[u].desc->n_port;
        port = tt_desc_find(p->unit[u].desc, par->ref.variable);
        if (!at[u]) {
            at[u] = tt_arena_alloc(p->arena, n_port, sizeof(**at));
            if (!at[u])
                return plan_nomem(err);
            memset(at[u], 0xff, n_port * sizeof(**at));
        }
        rc = give(b, par, port == TT_NONE ? &none : &at[u][port], err);
        if (rc != TT_OK && port == TT_NONE && warn_unknown(b, par, err))
            rc = TT_OK;
        if (plan_pass(b, rc, err))
            rc = TT_OK;
    }
    if (rc == TT_OK && more)
        give_declared(p, at);
    return rc;
}

/* Start values that may be changed: numbers that count as they are given. */
enum tt_code plan_adjust(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;

    p->adjust =
        tt_arena_alloc(p->arena, b->sc->n_consistent, sizeof(*p->adjust));
    if (!p->adjust)
        return plan_nomem(err);
    for (uint32_t i = 0; i < b->sc->n_consistent && rc == TT_OK; i++) {
        const struct tt_sc_ref *ref = &b->sc->consistent[i];
        const struct tt_port *port;
        uint32_t at;

        rc = plan_find_port(b, ref, &at, err);
        if (rc != TT_OK)
            break;
        port = &p->unit[ref->unit].desc->port[at];
        if (port->type != TT_F64 || port->n != 1 || !settable(port) ||
            (b->mark[ref->unit][at] & MARK_IN))
            return tt_scenario_fail_ref(
                b->sc, ref, err, TT_EINPUT,
                "'%s.%s' has no start value that could be changed: that is a "
                "Float64 that is set before the start",
                p->unit[ref->unit].name, port->name);
        p->adjust[p->n_adjust++] = (struct tt_plan_target){ref->unit, at};
    }
    return rc;
}
