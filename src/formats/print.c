/* SPDX-License-Identifier: MIT */
/* A scenario as text of ours. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "formats/move.h"
#include "unit/unit.h"

struct put {
    struct tt_buf *b;
    const tt_scenario *s;
    int n; /* members in the object that has begun, or is to */
};

static void put_number(struct tt_buf *b, const char *before, double v)
{
    char text[TT_NUM_MAX];

    tt_buf_str(b, before);
    (void)tt_num_print(text, v); /* 1.0 stays a number, not an integer */
    tt_buf_str(b, text);
}

/* A member of the object `field`, which begins with its first. */
static void member(struct put *p, const char *field, const char *key)
{
    if (p->n++ == 0) {
        tt_json_text(p->b, ",\n", field);
        tt_buf_str(p->b, ": {");
    } else {
        tt_buf_str(p->b, ", ");
    }
    tt_buf_json(p->b, key);
    tt_buf_str(p->b, ": ");
}

static void end(struct put *p)
{
    if (p->n)
        tt_buf_str(p->b, "}");
    p->n = 0;
}

static void put_ref(struct put *p, const struct tt_sc_ref *r)
{
    struct tt_buf t;

    tt_buf_init(&t, TT_DOC_MAX);
    tt_buf_fmt(&t, "%s.%s", p->s->unit[r->unit].name, r->variable);
    tt_buf_json(p->b, t.failed ? "" : t.data);
    p->b->failed |= t.failed;
    tt_buf_fini(&t);
}

static void member_ref(struct put *p, const char *field,
                       const struct tt_sc_ref *r)
{
    struct tt_buf t;

    tt_buf_init(&t, TT_DOC_MAX);
    tt_buf_fmt(&t, "%s.%s", p->s->unit[r->unit].name, r->variable);
    member(p, field, t.failed ? "" : t.data);
    p->b->failed |= t.failed;
    tt_buf_fini(&t);
}

/* --- what a script adds ---------------------------------------------------
 * Its field is written, and makes these again. */

static int is_added(const struct tt_sc_fmu *f)
{
    return f->uri && (strcmp(f->uri, "tutti:script") == 0 ||
                      strncmp(f->uri, "tutti:gate:", 11) == 0);
}

static int is_added_unit(const tt_scenario *s, uint32_t unit)
{
    return unit != TT_NONE && is_added(&s->fmu[s->unit[unit].fmu]);
}

/* Where a connection begins without the gates on it; NULL: the script added
 * it. */
static const struct tt_sc_ref *origin(const tt_scenario *s,
                                      const struct tt_sc_connection *c)
{
    const struct tt_sc_ref *from = &c->from;
    const struct tt_sc_script *script = s->script;
    uint32_t i = 0;

    if (is_added_unit(s, c->to.unit))
        return NULL;
    while (is_added_unit(s, from->unit)) {
        for (i = 0; i < script->n_gate && script->gate[i].unit != from->unit;)
            i++;
        if (i == script->n_gate || !script->gate[i].connected)
            return NULL;
        from = &script->gate[i].source[0];
    }
    return from;
}

/* --- structure ------------------------------------------------------------ */

static void put_fmu(struct put *p, const struct tt_sc_fmu *f)
{
    tt_buf_json(p->b, f->key);
    tt_buf_str(p->b, ": ");
    if (!f->inner)
        tt_buf_json(p->b, f->uri);
    else if (tt_scenario_print(p->b, f->inner, NULL) != TT_OK)
        p->b->failed = 1;
}

static void put_fmus(struct put *p)
{
    int any = 0;

    tt_buf_str(p->b, "{\"fmus\": {");
    for (uint32_t i = 0; i < p->s->n_fmu; i++) {
        if (is_added(&p->s->fmu[i]))
            continue;
        tt_buf_str(p->b, any++ ? ", " : "");
        put_fmu(p, &p->s->fmu[i]);
    }
    tt_buf_str(p->b, "},\n\"instances\": [");
    any = 0;
    for (uint32_t i = 0; i < p->s->n_unit; i++) {
        if (is_added_unit(p->s, i))
            continue;
        tt_buf_str(p->b, any++ ? ", " : "");
        tt_buf_json(p->b, p->s->unit[i].name);
    }
    tt_buf_str(p->b, "]");
}

/* Lists of those that begin at one variable: the next of each, and the last
 * so far of each first. */
static enum tt_code group(const tt_scenario *s, uint32_t *next, uint32_t *last,
                          tt_arena *arena, struct tt_names *by)
{
    for (uint32_t i = 0; i < s->n_connection; i++) {
        const struct tt_sc_ref *r = origin(s, &s->connection[i]);
        struct tt_buf t;
        const char *key;
        uint32_t first;

        last[i] = TT_NONE;
        if (!r)
            continue;
        tt_buf_init(&t, TT_DOC_MAX);
        tt_buf_fmt(&t, "%u.%s", r->unit, r->variable);
        key = t.failed ? NULL : tt_arena_strdup(arena, t.data);
        tt_buf_fini(&t);
        if (!key || tt_names_add(by, key, i) < 0)
            return TT_ENOMEM;
        first = tt_names_find(by, key);
        next[i] = TT_NONE;
        if (first != i)
            next[last[first]] = i;
        last[first] = i;
        last[i] = first == i ? i : TT_NONE;
    }
    return TT_OK;
}

static enum tt_code put_connections(struct put *p, tt_arena *arena)
{
    const tt_scenario *s = p->s;
    uint32_t *next = tt_arena_alloc(arena, s->n_connection, sizeof(*next));
    uint32_t *last = tt_arena_alloc(arena, s->n_connection, sizeof(*last));
    struct tt_names by;
    enum tt_code rc;

    tt_names_init(&by);
    rc = next && last ? group(s, next, last, arena, &by) : TT_ENOMEM;
    for (uint32_t i = 0; rc == TT_OK && i < s->n_connection; i++) {
        if (last[i] == TT_NONE)
            continue;
        member_ref(p, "connections", origin(s, &s->connection[i]));
        for (uint32_t k = i; k != TT_NONE; k = next[k]) {
            tt_buf_str(p->b, k == i ? "[" : ", ");
            put_ref(p, &s->connection[k].to);
        }
        tt_buf_str(p->b, "]");
    }
    end(p);
    tt_names_fini(&by);
    return rc;
}

static void put_linear(struct tt_buf *b, const struct tt_sc_transform *t)
{
    if (t->factor != 1)
        put_number(b, ", \"factor\": ", t->factor);
    if (t->offset != 0)
        put_number(b, ", \"offset\": ", t->offset);
}

static void put_transform(struct tt_buf *b, const struct tt_sc_transform *t)
{
    tt_buf_str(b,
               t->keep_unit ? "{\"keepUnit\": true" : "{\"keepUnit\": false");
    put_linear(b, t);
    for (uint32_t i = 0; i < t->n_map; i++) {
        tt_buf_str(b, i ? ", [" : ", \"map\": [[");
        put_number(b, "", t->map[i].from);
        put_number(b, ", ", t->map[i].to);
        tt_buf_str(b, "]");
    }
    tt_buf_str(b, t->n_map ? "]}" : "}");
}

static void put_transforms(struct put *p)
{
    for (uint32_t i = 0; i < p->s->n_connection; i++) {
        const struct tt_sc_connection *c = &p->s->connection[i];

        if (!c->by)
            continue;
        member_ref(p, "transformations", &c->to);
        put_transform(p->b, c->by);
    }
    end(p);
}

static void put_ports(struct put *p)
{
    static const char *const name[] = {[TT_SC_PORT_INPUT] = "inputs",
                                       [TT_SC_PORT_OUTPUT] = "outputs",
                                       [TT_SC_PORT_PARAMETER] = "parameters"};

    if (!p->s->ports_given)
        return;
    for (unsigned d = 0; d < TT_SC_PORT_N; d++) {
        int any = 0;

        if (!(p->s->ports_given & 1u << d))
            continue;
        member(p, "ports", name[d]);
        tt_buf_str(p->b, "{");
        for (uint32_t i = 0; i < p->s->n_port; i++) {
            const struct tt_sc_port *port = &p->s->port[i];

            if ((unsigned)port->dir != d)
                continue;
            tt_buf_str(p->b, any++ ? ", " : "");
            tt_buf_json(p->b, port->name);
            for (uint32_t k = 0; k < port->n_ref; k++) {
                tt_buf_str(p->b, k ? ", " : ": [");
                put_ref(p, &port->ref[k]);
            }
            tt_buf_str(p->b, "]");
        }
        tt_buf_str(p->b, "}");
    }
    end(p);
}

/* --- values --------------------------------------------------------------- */

static void put_value(struct tt_buf *b, const struct tt_sc_value *v)
{
    switch (v->kind) {
    case TT_SC_NUMBER:
        put_number(b, "", v->number);
        break;
    case TT_SC_INTEGER:
        if (tt_sc_value_item(v))
            tt_buf_json(b, v->text);
        else
            tt_buf_fmt(b, "%lld", (long long)v->integer);
        break;
    case TT_SC_BOOL:
        tt_buf_str(b, v->integer ? "true" : "false");
        break;
    case TT_SC_TEXT:
        tt_buf_json(b, v->text);
        break;
    case TT_SC_ARRAY:
        tt_buf_str(b, "[");
        for (uint32_t i = 0; i < v->n; i++) {
            tt_buf_str(b, i ? ", " : "");
            put_value(b, &v->item[i]);
        }
        tt_buf_str(b, "]");
        break;
    }
}

static void put_quantity(struct tt_buf *b, const struct tt_quantity *q)
{
    tt_json_text(b, ", \"unit\": {\"name\": ", q->name);
    for (size_t i = 0; q->has_base && i < TT_SC_BASE_UNITS; i++)
        if (q->exponent[i])
            tt_buf_fmt(b, ", \"%s\": %d", tt_sc_base_units[i], q->exponent[i]);
    if (q->has_base) {
        put_number(b, ", \"factor\": ", q->factor);
        put_number(b, ", \"offset\": ", q->offset);
    }
    tt_buf_str(b, "}");
}

static void put_parameter(struct put *p, const struct tt_sc_parameter *v)
{
    member_ref(p, "parameters", &v->ref);
    if (!v->quantity && !v->by && !v->optional) {
        put_value(p->b, &v->value);
        return;
    }
    tt_buf_str(p->b, "{\"value\": ");
    put_value(p->b, &v->value);
    if (v->quantity)
        put_quantity(p->b, v->quantity);
    if (v->by)
        put_linear(p->b, v->by);
    if (v->by && v->by->keep_unit)
        tt_buf_str(p->b, ", \"keepUnit\": true");
    tt_buf_str(p->b, v->optional ? ", \"optional\": true}" : "}");
}

/* A later one wins, and a name stands in an object once. */
static enum tt_code put_parameters(struct put *p, tt_arena *arena)
{
    const tt_scenario *s = p->s;
    struct tt_names by;
    char *last = tt_arena_alloc(arena, s->n_parameter, 1);
    enum tt_code rc = last ? TT_OK : TT_ENOMEM;

    tt_names_init(&by);
    for (uint32_t i = s->n_parameter; rc == TT_OK && i-- > 0;) {
        const struct tt_sc_ref *r = &s->parameter[i].ref;
        struct tt_buf t;
        const char *key;
        int added;

        tt_buf_init(&t, TT_DOC_MAX);
        tt_buf_fmt(&t, "%u.%s", r->unit, r->variable);
        key = t.failed ? NULL : tt_arena_strdup(arena, t.data);
        tt_buf_fini(&t);
        added = key ? tt_names_add(&by, key, i) : -1;
        rc = added < 0 ? TT_ENOMEM : TT_OK;
        last[i] = added == 0 && r->unit != TT_NONE;
    }
    for (uint32_t i = 0; rc == TT_OK && i < s->n_parameter; i++)
        if (last[i])
            put_parameter(p, &s->parameter[i]);
    end(p);
    tt_names_fini(&by);
    return rc;
}

/* --- experiment ----------------------------------------------------------- */

static int is_given(const tt_scenario *s, const char *field)
{
    size_t n = strlen(field);
    const char *at = s->given;

    for (; at && (at = strchr(at, '"')); at++)
        if (strncmp(at + 1, field, n) == 0 && at[1 + n] == '"' &&
            (at == s->given || at[-1] == ','))
            return 1;
    return 0;
}

static void put_field(struct put *p, const char *name, double v)
{
    if (isnan(v) || is_given(p->s, name))
        return;
    tt_buf_fmt(p->b, ",\n\"%s\": ", name);
    if (isinf(v))
        tt_buf_str(p->b, "null");
    else
        put_number(p->b, "", v);
}

static void put_algorithm(struct put *p)
{
    const tt_scenario *s = p->s;

    if (is_given(s, "algorithm") || (s->inside && isnan(s->step)))
        return;
    if (s->algorithm == TT_ALG_VARIABLE) {
        put_number(p->b,
                   ",\n\"algorithm\": {\"type\": \"var-step\", "
                   "\"size\": [",
                   s->step_min);
        put_number(p->b, ", ", s->step_max);
        put_number(p->b, "], \"initsize\": ", s->step_init);
    } else {
        tt_buf_str(p->b, ",\n\"algorithm\": {\"type\": \"fixed-step\", "
                         "\"size\": ");
        if (isnan(s->step))
            tt_buf_str(p->b, "\"default\"");
        else
            put_number(p->b, "", s->step);
    }
    tt_buf_str(p->b, "}");
}

static void put_interfaces(struct put *p)
{
    static const char *const word[] = {[TT_INTERFACE_CO_SIMULATION] = "cs",
                                       [TT_INTERFACE_MODEL_EXCHANGE] = "me",
                                       [TT_INTERFACE_SCHEDULED_EXECUTION] =
                                           "se"};

    for (uint32_t i = 0; i < p->s->n_unit; i++)
        if (p->s->unit[i].interface) {
            member(p, "interface", p->s->unit[i].name);
            tt_buf_json(p->b, word[p->s->unit[i].interface]);
        }
    end(p);
}

static int is_ours(const tt_scenario *s)
{
    const char *t = s->n_file ? s->file[0].text : "";

    return t && t[strspn(t, " \t\r\n")] == '{';
}

/* Files that are laid over each other become one, as they were read. */
static enum tt_code put_ours(struct tt_buf *out, const tt_scenario *s,
                             tt_err *err)
{
    uint32_t n = s->n_file - (s->score != NULL);
    struct tt_doc root, over;
    tt_arena *arena;
    enum tt_code rc;

    if (n < 2) {
        tt_buf_add(out, s->file[0].text, s->file[0].n);
        return tt_buf_check(out, "the scenario", err);
    }
    arena = tt_arena_new();
    rc = arena ? tt_doc_parse(&root, &s->file[0], 0, arena, arena, err)
               : tt_nomem(err, "writing the scenario");
    for (uint32_t i = 1; rc == TT_OK && i < n; i++) {
        rc = tt_doc_parse(&over, &s->file[i], i, arena, arena, err);
        if (rc == TT_OK)
            rc = tt_doc_merge(&root, &over, arena, err);
    }
    if (rc == TT_OK)
        tt_doc_print(out, &root);
    tt_arena_free(arena);
    return rc == TT_OK ? tt_buf_check(out, "the scenario", err) : rc;
}

enum tt_code tt_scenario_print(struct tt_buf *out, const tt_scenario *s,
                               tt_err *err)
{
    struct put p = {.b = out, .s = s};
    tt_arena *arena;
    enum tt_code rc;

    if (is_ours(s))
        return put_ours(out, s, err);
    arena = tt_arena_new();
    put_fmus(&p);
    rc = arena ? put_connections(&p, arena) : TT_ENOMEM;
    put_transforms(&p);
    put_ports(&p);
    if (rc == TT_OK)
        rc = put_parameters(&p, arena);
    if (!is_given(s, "interface"))
        put_interfaces(&p);
    put_field(&p, "startTime", s->start);
    put_field(&p, "endTime", s->end);
    put_field(&p, "tolerance", s->tolerance);
    put_algorithm(&p);
    if (s->origin && !is_given(s, "origin"))
        tt_json_text(out, ",\n\"origin\": ", s->origin);
    if (s->given)
        tt_buf_fmt(out, ",\n%s", s->given);
    tt_buf_str(out, "}\n");
    tt_arena_free(arena);
    return rc == TT_OK ? tt_buf_check(out, "the scenario", err)
                       : tt_nomem(err, "writing the scenario");
}
