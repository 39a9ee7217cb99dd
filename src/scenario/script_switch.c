/* SPDX-License-Identifier: MIT */
/* An instance in place of another one: what followed the outputs of the old one
 * follows those of the new one, which has the same inputs all the time and
 * steps from then on. */
#include "scenario/script_impl.h"

#include <string.h>

#include "base/num.h"

const char tt_sc_awake[] = "awake";

/* Its number among those that sleep; the connection that wakes it. */
enum tt_code script_sleeper(struct script_draft *d, uint32_t unit, int awake,
                            uint32_t *out)
{
    struct tt_where w = d->b->unit[unit].unit.where;
    char number[TT_NUM_MAX];
    struct tt_sc_ref from = {.unit = d->s.unit, .where = w};

    for (*out = 0; *out < d->s.n_sleeper; ++*out)
        if (d->sleeper[*out].unit == unit)
            return TT_OK;
    if (TT_GROW(d->sleeper, d->s.n_sleeper, d->cap_sleeper) != 0)
        return tt_sc_no_memory(d->b);
    d->sleeper[d->s.n_sleeper++] =
        (struct tt_sc_sleeper){.unit = unit, .awake = awake};
    tt_num_print_short(number, d->s.n_sleeper);
    from.variable = tt_sc_join(d->b, tt_sc_awake, number, "");
    return script_connect(d, from, (struct tt_sc_ref){unit, tt_sc_awake, w});
}

static const char *renamed(const struct tt_doc *rename, const char *name)
{
    const struct tt_doc *v = rename ? tt_doc_find(rename, name) : NULL;

    return v ? v->u.text : name;
}

static const char *name_of(struct script_draft *d, uint32_t unit,
                           const char *variable)
{
    return tt_sc_join(d->b, d->b->unit[unit].unit.name, ".", variable);
}

/* The gate that a connection leads to or gets; TT_NONE: it leads to something
 * that looks on. */
static enum tt_code gate_of(struct script_draft *d,
                            const struct tt_sc_connection *c, uint32_t *gate)
{
    const char *name = name_of(d, c->to.unit, c->to.variable);

    for (uint32_t i = 0; i < d->s.n_gate; i++)
        if (d->gate[i].unit == c->to.unit) {
            *gate = c->to.variable[0] == 'u' ? i : TT_NONE;
            return TT_OK;
        }
    for (uint32_t i = 0; i < d->b->s->n_locate; i++)
        if (d->b->s->locate[i].unit == c->to.unit) {
            *gate = TT_NONE;
            return TT_OK;
        }
    *gate = TT_NONE;
    if (c->to.unit == d->s.unit)
        return TT_OK;
    return name ? script_gate(d, (struct tt_sc_word){name, c->to.where}, gate)
                : tt_sc_no_memory(d->b);
}

struct change {
    uint32_t from, to; /* instances */
    const struct tt_doc *rename;
    struct tt_where where;
};

static enum tt_code take_output(struct script_draft *d, const struct change *is,
                                const struct tt_sc_connection *c)
{
    struct tt_sc_action a = {.act = TT_SC_ACT_CONNECT, .where = is->where};
    struct tt_sc_word from = {
        name_of(d, is->to, renamed(is->rename, c->from.variable)), is->where};
    enum tt_code rc = gate_of(d, c, &a.gate);

    if (rc != TT_OK || a.gate == TT_NONE)
        return rc;
    if (!from.text)
        return tt_sc_no_memory(d->b);
    rc = script_source(d, a.gate, from, &a.which);
    a.label =
        script_label(d, "connect ", from.text, " to ", d->gate[a.gate].name);
    return rc == TT_OK ? script_add(d, &a) : rc;
}

const char *script_unfaulted(const struct script_draft *d,
                             const struct tt_sc_ref *from)
{
    for (uint32_t i = 0; i < d->s.n_gate; i++)
        if (d->gate[i].unit == from->unit && !d->gate[i].at_output)
            return "base";
    return from->variable;
}

/* An input that is connected otherwise stays as it is. */
static enum tt_code take_input(struct script_draft *d, const struct change *is,
                               const struct tt_sc_connection *c)
{
    struct tt_sc_word from = {
        name_of(d, c->from.unit, script_unfaulted(d, &c->from)), c->from.where};
    struct tt_sc_word to = {
        name_of(d, is->to, renamed(is->rename, c->to.variable)), is->where};

    if (!from.text || !to.text)
        return tt_sc_no_memory(d->b);
    if (c->from.unit == d->s.unit ||
        tt_names_find(&d->b->input, to.text) != TT_NONE)
        return TT_OK;
    return tt_sc_connect(d->b, from, &to, 1);
}

static enum tt_code put_actions(struct script_draft *d, const struct change *is)
{
    struct tt_sc_action wake = {.act = TT_SC_ACT_WAKE, .where = is->where};
    struct tt_sc_action sleep = {.act = TT_SC_ACT_SLEEP, .where = is->where};
    const char *old = d->b->unit[is->from].unit.name;
    const char *new = d->b->unit[is->to].unit.name;
    enum tt_code rc = script_sleeper(d, is->from, 1, &sleep.which);

    if (rc == TT_OK)
        rc = script_sleeper(d, is->to, 0, &wake.which);
    wake.label = script_label(d, "switch ", old, " to ", new);
    sleep.label = script_label(d, "no more steps of ", old, "", "");
    if (rc == TT_OK)
        rc = script_add(d, &wake);
    return rc == TT_OK ? script_add(d, &sleep) : rc;
}

static enum tt_code switch_one(struct script_draft *d, const struct change *is)
{
    uint32_t n = d->b->s->n_connection;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        const struct tt_sc_connection c = d->b->connection[i];

        if (c.from.unit == is->from)
            rc = take_output(d, is, &c);
        if (rc == TT_OK && c.to.unit == is->from)
            rc = take_input(d, is, &c);
    }
    return rc == TT_OK ? put_actions(d, is) : rc;
}

static enum tt_code check_rename(struct script_draft *d,
                                 const struct tt_doc *rename)
{
    enum tt_code rc = rename ? tt_sc_object(d->b, rename) : TT_OK;
    const char *text;

    for (uint32_t i = 0; rename && i < rename->n && rc == TT_OK; i++)
        rc = tt_sc_text(d->b, &rename->u.child[i], NULL, &text);
    return rc;
}

/* --- what is carried over ------------------------------------------------- */

/* A port more of the instance, by which it is given the variable. */
static enum tt_code add_port(struct script_draft *d, struct tt_sc_sleeper *s,
                             const struct tt_sc_ref *ref)
{
    tt_arena *a = d->b->s->arena;
    uint32_t n = s->n_carry;
    struct tt_sc_ref *carry = tt_arena_alloc(a, (size_t)n + 1, sizeof(*carry));
    const char **name = tt_arena_alloc(a, (size_t)n + 1, sizeof(*name));
    struct tt_sc_ref from = {.unit = d->s.unit, .where = ref->where};
    char number[TT_NUM_MAX];

    tt_num_print_short(number, ++d->s.n_carry);
    from.variable = tt_sc_join(d->b, "carry", number, "");
    if (!carry || !name ||
        !(name[n] = tt_sc_join(d->b, "start of ", ref->variable, number)))
        return tt_sc_no_memory(d->b);
    for (uint32_t i = 0; i < n; i++) {
        carry[i] = s->carry[i];
        name[i] = s->carried[i];
    }
    carry[n] = *ref;
    s->carry = carry;
    s->carried = name;
    s->n_carry = n + 1;
    return script_connect(d, from,
                          (struct tt_sc_ref){ref->unit, name[n], ref->where});
}

static enum tt_code carry_one(struct script_draft *d, const struct tt_doc *v)
{
    struct tt_sc_action a = {
        .act = TT_SC_ACT_CARRY, .which = d->s.n_carry, .where = v->key_where};
    struct tt_sc_ref ref;
    uint32_t i = 0;
    enum tt_code rc = tt_sc_get_ref(d->b, v->key, v->key_where, &ref);

    if (rc == TT_OK)
        rc = script_value(d, v, TT_NONE, &a.value);
    if (rc != TT_OK)
        return rc;
    while (i < d->s.n_sleeper &&
           (d->sleeper[i].unit != ref.unit || d->sleeper[i].awake))
        i++;
    if (i == d->s.n_sleeper)
        return tt_sc_fail(d->b, v->key_where, TT_EINPUT,
                          "'carry' names variables of an instance that is "
                          "switched to, and '%s' is none",
                          v->key);
    a.label = script_label(d, "carry ", a.value, " to ", v->key);
    rc = add_port(d, &d->sleeper[i], &ref);
    return rc == TT_OK ? script_add(d, &a) : rc;
}

static enum tt_code carry_all(struct script_draft *d, const struct tt_doc *v)
{
    enum tt_code rc = v ? tt_sc_object(d->b, v) : TT_OK;

    for (uint32_t i = 0; v && i < v->n && rc == TT_OK; i++)
        rc = carry_one(d, &v->u.child[i]);
    return rc;
}

enum tt_code script_switch(struct script_draft *d, const struct tt_doc *v,
                           const struct tt_doc *action)
{
    struct tt_sc_build *b = d->b;
    const struct tt_doc *rename = tt_doc_find(action, "rename");
    enum tt_code rc = tt_sc_object(b, v);

    if (rc == TT_OK)
        rc = check_rename(d, rename);
    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++) {
        const struct tt_doc *one = &v->u.child[i];
        struct change is = {.rename = rename, .where = one->where};
        const char *name;

        rc = tt_sc_text(b, one, NULL, &name);
        if (rc == TT_OK)
            rc = tt_sc_get_unit(b, one->key, one->key_where, &is.from);
        if (rc == TT_OK)
            rc = tt_sc_get_unit(b, name, one->where, &is.to);
        if (rc == TT_OK && is.from == is.to)
            rc = tt_sc_fail(b, one->where, TT_EINPUT,
                            "'%s' cannot take its own place", name);
        if (rc == TT_OK)
            rc = switch_one(d, &is);
    }
    return rc == TT_OK ? carry_all(d, tt_doc_find(action, "carry")) : rc;
}
