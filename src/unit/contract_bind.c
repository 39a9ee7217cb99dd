/* SPDX-License-Identifier: MIT */
/* Contract rules: bound calls, and instances side by side. */
#include "unit/contract_impl.h"

#include <string.h>

#include "base/mem.h"

/* --- bound calls ------------------------------------------------------- */

/* Every input and every other port of a unit as a bound call with a value of
 * its own, around one bound step. */
struct bound {
    tt_unit *unit;
    uint32_t *port;       /* owned */
    void **value;         /* owned array of owned values */
    struct tt_call *call; /* owned: one per port, then the step */
    struct tt_now now;
};

static void bound_fini(struct bound *b)
{
    for (uint32_t i = 0; b->unit && i < b->unit->desc->n_port; i++)
        tt_free(b->value[i]);
    tt_free(b->value);
    tt_free(b->port);
    tt_free(b->call);
    tt_unit_free(b->unit);
}

static int bind_port(struct contract *k, struct bound *b, uint32_t i)
{
    const struct tt_port *p = &b->unit->desc->port[i];
    struct tt_span s = {&b->port[i], 1, NULL};
    enum tt_verb verb =
        contract_is_input(k, b->unit, i) ? TT_VERB_SET : TT_VERB_GET;
    tt_err err;

    b->port[i] = i;
    s.value = b->value[i] = tt_zalloc(1, tt_port_size(p));
    TT_ASSERT(s.value);
    if (p->type == TT_CLOCK || p->clock)
        s.n = 0;
    if (!contract_ok(k, tt_unit_bind(b->unit, verb, &s, &b->call[i], &err),
                     &err, "bind"))
        return 0;
    if (s.n > 0 && b->call[i].what->n_val != p->n)
        contract_violated(k, "'%s' is bound with %u elements, it has %u",
                          p->name, (unsigned)b->call[i].what->n_val,
                          (unsigned)p->n);
    return 1;
}

static int bound_init(struct contract *k, struct bound *b, const char *name)
{
    struct tt_call *step;
    uint32_t n;
    tt_err err;

    *b = (struct bound){.unit = contract_ready(k, name, 0)};
    if (!b->unit)
        return 0;
    n = b->unit->desc->n_port;
    b->port = tt_zalloc(n + 1, sizeof(*b->port));
    b->value = tt_zalloc(n + 1, sizeof(*b->value));
    b->call = tt_zalloc(n + 1, sizeof(*b->call));
    TT_ASSERT(b->port && b->value && b->call);
    for (uint32_t i = 0; i < n; i++)
        if (!bind_port(k, b, i))
            return 0;
    step = &b->call[n];
    if (!contract_ok(k, tt_unit_bind(b->unit, TT_VERB_STEP, NULL, step, &err),
                     &err, "bind"))
        return 0;
    step->from = TT_T0;
    step->to = TT_T1;
    return 1;
}

static int play(struct contract *k, struct bound *b, const struct tt_call *c)
{
    enum tt_call_result r = tt_call_make(c, &b->now);
    tt_err err = {.msg = ""};

    if (r == TT_CALL_OK || r == TT_CALL_OUTCOME)
        return 1;
    tt_unit_explain(b->unit, c, &b->now, &err);
    contract_violated(k, "a bound call failed: %s", err.msg);
    return 0;
}

static void bound_time(struct contract *k, struct bound *b, uint32_t i)
{
    b->now.t[TT_T0] = contract_time(k, i - 1);
    b->now.t[TT_T1] = contract_time(k, i);
    b->now.h[TT_T1] = contract_time(k, i) - contract_time(k, i - 1);
}

/* What contract_drive does, by bound calls; then read everything. */
static int bound_drive(struct contract *k, struct bound *b, uint32_t i)
{
    uint32_t n = b->unit->desc->n_port;
    int ok = 1;

    bound_time(k, b, i);
    for (uint32_t j = 0; ok && j < n; j++)
        if (b->call[j].what->verb == TT_VERB_SET)
            ok = play(k, b, &b->call[j]);
    ok = ok && play(k, b, &b->call[n]);
    for (uint32_t j = 0; ok && j < n; j++)
        if (b->call[j].what->verb == TT_VERB_GET)
            ok = play(k, b, &b->call[j]);
    return ok;
}

static void probe_inputs(struct contract *k, struct bound *b, uint32_t which)
{
    for (uint32_t i = 0; i < b->unit->desc->n_port; i++) {
        void *v;

        if (!contract_is_input(k, b->unit, i))
            continue;
        v = contract_probe(b->unit, i, which);
        memcpy(b->value[i], v, tt_port_size(&b->unit->desc->port[i]));
        tt_free(v);
    }
}

static void compare(struct contract *k, tt_unit *cold, const struct bound *b)
{
    void *a = contract_values(k, cold), *c = contract_values(k, b->unit);

    contract_same(k, cold, a, c, "after bound calls");
    tt_free(a);
    tt_free(c);
    if (cold->now != b->unit->now || cold->n_step != b->unit->n_step ||
        tt_unit_last(cold).reached != tt_unit_last(b->unit).reached ||
        tt_unit_last(cold).flags != tt_unit_last(b->unit).flags)
        contract_violated(k, "a bound step does not keep time as a cold one");
    for (uint32_t i = 0; i < cold->desc->n_port; i++) {
        void *v = tt_zalloc(1, tt_port_size(&cold->desc->port[i]));
        struct tt_span s = {&i, 1, v};
        tt_err err;

        TT_ASSERT(v);
        if (b->call[i].what->verb == TT_VERB_GET &&
            cold->desc->port[i].type != TT_CLOCK &&
            !cold->desc->port[i].clock &&
            contract_ok(k, tt_unit_get(cold, &s, &err), &err, "get") &&
            !contract_equal(cold, i, v, b->value[i]))
            contract_violated(k, "a bound get of '%s' gives another value",
                              cold->desc->port[i].name);
        tt_free(v);
    }
}

void contract_bind(struct contract *k)
{
    tt_unit *cold = contract_ready(k, "cold", 0);
    struct bound b = {.unit = NULL};

    if (cold && bound_init(k, &b, "bound"))
        for (uint32_t i = 1; i <= 3; i++) {
            probe_inputs(k, &b, i);
            if (!contract_drive(k, cold, i) || !bound_drive(k, &b, i))
                break;
            compare(k, cold, &b);
        }
    bound_fini(&b);
    tt_unit_free(cold);
}

void contract_bind_stay(struct contract *k)
{
    struct bound b;
    void *before = NULL, *after = NULL;

    if (bound_init(k, &b, "stay") && bound_drive(k, &b, 1)) {
        before = contract_values(k, b.unit);
        if (play(k, &b, &b.call[b.unit->desc->n_port]))
            after = contract_values(k, b.unit);
        contract_same(k, b.unit, before, after, "a bound step to where it is");
        if (b.unit->n_step != 1 || b.unit->now != contract_time(k, 1))
            contract_violated(k, "a bound step to where it is counts as one");
    }
    tt_free(before);
    tt_free(after);
    bound_fini(&b);
}

void contract_no_heap(struct contract *k)
{
    struct bound b;
    uint64_t n;

    if (bound_init(k, &b, "lean") && bound_drive(k, &b, 1)) {
        n = tt_mem_count();
        for (uint32_t i = 2; i <= 5; i++)
            if (!bound_drive(k, &b, i))
                break;
        n = tt_mem_count() - n;
        if (n != 0)
            contract_violated(k, "4 steps allocate %u times", (unsigned)n);
    }
    bound_fini(&b);
}

/* --- instances --------------------------------------------------------- */

/* Drives `of` three times, and `other`, when there, with other inputs in
 * between; gives the values `of` has then. */
static void *trace(struct contract *k, tt_unit *of, tt_unit *other)
{
    for (uint32_t i = 1; i <= 3; i++) {
        if (!contract_drive(k, of, i))
            return NULL;
        if (other && (!contract_set_inputs(k, other, i + 7) ||
                      !contract_step(k, other, contract_time(k, i))))
            return NULL;
    }
    return contract_values(k, of);
}

static void side_by_side(struct contract *k, int disturb, const char *what)
{
    tt_unit *a = contract_ready(k, "a", 0), *b = NULL, *other = NULL;
    void *va = NULL, *vb = NULL;

    if (!a || a->desc->caps.once_per_process)
        goto out;
    va = trace(k, a, NULL);
    b = contract_ready(k, "b", 0);
    if (disturb)
        other = contract_ready(k, "c", 0);
    if (!b || (disturb && !other))
        goto out;
    vb = trace(k, b, other);
    contract_same(k, a, va, vb, what);
out:
    tt_free(va);
    tt_free(vb);
    tt_unit_free(a);
    tt_unit_free(b);
    tt_unit_free(other);
}

void contract_independent(struct contract *k)
{
    side_by_side(k, 1, "beside another instance");
}

void contract_repeatable(struct contract *k)
{
    side_by_side(k, 0, "a second instance");
}
