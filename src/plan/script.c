/* SPDX-License-Identifier: MIT */
/* What a script may set, and what its gates stand for. */
#include <stdio.h>
#include <string.h>

#include "plan/plan_impl.h"

/* --- instances that sleep ------------------------------------------------- */

/* What it puts out follows from being awake, and from what it begins with. */
static const struct tt_deps *longer(tt_arena *a, const struct tt_desc *of,
                                    const struct tt_deps *was, uint32_t more)
{
    uint32_t n = of->n_port;
    struct tt_deps *d = tt_arena_alloc(a, (size_t)n + more, sizeof(*d));

    for (uint32_t i = 0; d && i < n; i++) {
        uint32_t *port = tt_arena_alloc(a, (size_t)was[i].n + more, 4);
        uint8_t *kind = tt_arena_alloc(a, (size_t)was[i].n + more, 1);

        if (!port || !kind)
            return NULL;
        d[i] = was[i];
        if (!was[i].known || of->port[i].causality == TT_CAUS_INPUT)
            continue;
        for (uint32_t k = 0; k < was[i].n + more; k++) {
            port[k] = k < was[i].n ? was[i].port[k] : n + k - was[i].n;
            kind[k] =
                k < was[i].n && was[i].kind ? was[i].kind[k] : TT_DEP_DEPENDENT;
        }
        d[i] = (struct tt_deps){
            .known = 1, .n = was[i].n + more, .port = port, .kind = kind};
    }
    return d;
}

static enum tt_code find_starts(struct build *b, const struct tt_sc_sleeper *s,
                                struct tt_sleeper_start *start, tt_err *err)
{
    uint32_t *port = tt_arena_alloc(b->plan->arena, s->n_carry, sizeof(*port));
    const struct tt_plan_unit *u = &b->plan->unit[s->unit];
    enum tt_code rc = port ? TT_OK : plan_nomem(err);

    for (uint32_t i = 0; i < s->n_carry && rc == TT_OK; i++) {
        const struct tt_port *p;

        rc = plan_find_port(b, &s->carry[i], &port[i], err);
        if (rc != TT_OK)
            break;
        p = &u->desc->port[port[i]];
        if (!plan_settable(p) || p->n != 1 || tt_type_is_text(p->type))
            return tt_scenario_fail_ref(
                b->sc, &s->carry[i], err, TT_EINPUT,
                "'%s.%s' has no start value, a number or Boolean, that could "
                "be carried over: it is %s, %s, %s",
                u->name, p->name, tt_type_name(p->type),
                tt_causality_name(p->causality),
                tt_variability_name(p->variability));
    }
    *start = (struct tt_sleeper_start){s->n_carry, port, s->carried};
    return rc;
}

static enum tt_code describe(struct build *b, const struct tt_sc_sleeper *s,
                             tt_err *err)
{
    struct tt_plan_unit *u = &b->plan->unit[s->unit];
    tt_arena *a = b->plan->arena;
    const struct tt_desc *of = u->desc;
    uint32_t more = 1 + s->n_carry;
    struct tt_desc *d = tt_arena_alloc(a, 1, sizeof(*d));
    struct tt_port *port =
        tt_arena_alloc(a, (size_t)of->n_port + more, sizeof(*port));

    if (!d || !port)
        return plan_nomem(err);
    tt_sleeper_describe(d, port, of, &u->start);
    d->run = longer(a, of, of->run, more);
    d->init = longer(a, of, of->init, more);
    u->desc = d;
    return d->run && d->init ? TT_OK : plan_nomem(err);
}

static enum tt_code make_sleeper(struct build *b, const struct tt_sc_sleeper *s,
                                 tt_err *err)
{
    struct tt_plan_unit *u = &b->plan->unit[s->unit];
    const char *why = tt_sleeper_refused(u->desc);
    enum tt_code rc;

    if (why)
        return tt_scenario_fail(b->sc, b->sc->unit[s->unit].where, err,
                                TT_EUNSUPPORTED, "'%s' cannot be switched: %s",
                                u->name, why);
    rc = find_starts(b, s, &u->start, err);
    u->sleeper = s->awake ? TT_SLEEPER_AWAKE : TT_SLEEPER_ASLEEP;
    return rc == TT_OK ? describe(b, s, err) : rc;
}

enum tt_code plan_sleepers(struct build *b, tt_err *err)
{
    const struct tt_sc_script *s = b->sc->script;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; s && i < s->n_sleeper && rc == TT_OK; i++)
        if (b->plan->unit[s->sleeper[i].unit].desc)
            rc = make_sleeper(b, &s->sleeper[i], err);
    return rc;
}

uint32_t plan_awake_port(const struct build *b, const struct tt_sc_ref *ref)
{
    const struct tt_plan_unit *u = &b->plan->unit[ref->unit];
    uint32_t first = u->desc->n_port - u->n_element - u->start.n;

    if (!u->sleeper)
        return TT_NONE;
    if (ref->variable == tt_sc_awake)
        return first - 1;
    for (uint32_t i = 0; i < u->start.n; i++)
        if (ref->variable == u->start.name[i])
            return first + i;
    return TT_NONE;
}

/* --- targets -------------------------------------------------------------- */

enum tt_code plan_script_target(const struct build *b,
                                const struct tt_sc_ref *ref,
                                const struct tt_port *p, tt_err *err)
{
    const struct tt_plan_unit *u = &b->plan->unit[ref->unit];

    if (p->clock && u->desc->caps.discrete)
        return tt_scenario_fail_ref(
            b->sc, ref, err, TT_EUNSUPPORTED,
            "'%s.%s' takes events, which a script cannot send", u->name,
            p->name);
    if (p->causality == TT_CAUS_INPUT ||
        (p->causality == TT_CAUS_PARAMETER && p->variability == TT_VAR_TUNABLE))
        return TT_OK;
    return tt_scenario_fail_ref(
        b->sc, ref, err, TT_EINPUT,
        "'%s.%s' cannot be set by a script: it is %s, %s; inputs and tunable "
        "parameters can",
        u->name, p->name, tt_causality_name(p->causality),
        tt_variability_name(p->variability));
}

uint32_t plan_script_inputs(const struct build *b, uint32_t unit, uint32_t *in)
{
    const struct tt_plan_unit *u = &b->plan->unit[unit];
    uint32_t first = u->slot + u->n_read, n = 0;

    for (uint32_t s = first; s < first + u->n_in; s++) {
        if (tt_plan_port(b->plan, s)->causality != TT_CAUS_PARAMETER)
            continue;
        if (in)
            in[n] = s;
        n++;
    }
    return n;
}

static const struct tt_sc_gate *gate_of(const struct build *b, uint32_t unit)
{
    for (uint32_t i = 0; i < b->sc->script->n_gate; i++)
        if (b->sc->script->gate[i].unit == unit)
            return &b->sc->script->gate[i];
    return NULL;
}

/* What a gate stands for is in front of the connection or behind it: so units
 * are converted once. */
const struct tt_port *plan_script_port(const struct build *b, uint32_t unit,
                                       const struct tt_port *p,
                                       struct tt_port *stand_in)
{
    const struct tt_sc_gate *g =
        b->plan->unit[unit].desc->caps.script ? gate_of(b, unit) : NULL;
    const struct tt_desc *d;
    uint32_t port;

    if (!g || !strchr("uyb", p->name[0]))
        return p;
    d = b->plan->unit[g->ref.unit].desc;
    port = d ? tt_desc_find(d, g->ref.variable) : TT_NONE;
    if (port == TT_NONE)
        return p;
    *stand_in = *p;
    stand_in->quantity = d->port[port].quantity;
    stand_in->relative = d->port[port].relative;
    return stand_in;
}

/* --- what it does --------------------------------------------------------- */

int plan_is_diary(const struct tt_plan_unit *u, uint32_t port)
{
    const struct tt_port *p = &u->desc->port[port];

    return p->hidden && p->causality == TT_CAUS_OUTPUT && p->type == TT_I32 &&
           port < u->desc->n_port - u->n_element && tt_deeds_begin(p->text);
}

static uint32_t count_acts(const tt_plan *p, struct build *b)
{
    uint32_t n = 0;

    for (uint32_t u = 0; u < p->n_unit; u++)
        for (uint32_t i = 0; i < p->unit[u].desc->n_port; i++)
            if (plan_is_diary(&p->unit[u], i)) {
                b->mark[u][i] |= MARK_EVENT;
                n += p->unit[u].desc->port[i].n;
            }
    return n;
}

enum tt_code plan_mark_script(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;

    p->deed =
        tt_arena_alloc(p->arena, count_acts(p, b), sizeof(*b->plan->deed));
    return p->deed ? TT_OK : plan_nomem(err);
}

/* "{script}.script", or "{in}.in.{script}.script" where it is inside. */
static const char *who_decides(struct build *b, uint32_t unit, uint32_t port)
{
    static const char done[] = ".done";
    const struct tt_plan_unit *u = &b->plan->unit[unit];
    const char *name = u->desc->port[port].name;
    size_t n = strlen(name), all = strlen(u->name) + n + 2;
    char *text;

    if (n <= strlen(done) || strcmp(name + n - strlen(done), done) != 0)
        return u->name;
    text = tt_arena_alloc(b->plan->arena, all, 1);
    if (text)
        snprintf(text, all, "%s.%.*s", u->name, (int)(n - strlen(done)), name);
    return text;
}

static enum tt_code add_acts(struct build *b, uint32_t unit, uint32_t port,
                             uint32_t cue, tt_err *err)
{
    tt_plan *p = b->plan;
    const struct tt_port *is = &p->unit[unit].desc->port[port];
    const char *at = tt_deeds_begin(is->text);
    const char *who = who_decides(b, unit, port);

    if (!who)
        return plan_nomem(err);
    for (uint32_t i = 0; i < is->n; i++) {
        struct tt_plan_deed *a = &p->deed[p->n_deed];

        *a = (struct tt_plan_deed){b->slot_of[unit][port], i, who, {0}};
        if (!tt_deeds_next(&at, p->arena, &a->is))
            break;
        a->is.cue += cue;
        p->n_deed++;
    }
    return TT_OK;
}

static enum tt_code list_acts(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < p->n_unit; u++)
        for (uint32_t i = 0; i < p->unit[u].desc->n_port && rc == TT_OK; i++)
            if (plan_is_diary(&p->unit[u], i))
                rc = add_acts(b, u, i,
                              p->n_deed ? p->deed[p->n_deed - 1].is.cue + 1 : 0,
                              err);
    return rc;
}

static const struct tt_start *start_of(const tt_plan *p, uint32_t unit,
                                       uint32_t port)
{
    for (uint32_t i = 0; i < p->n_start; i++)
        if (p->start[i].unit == unit && p->start[i].port == port)
            return &p->start[i];
    return NULL;
}

/* Until it is set an input or parameter has its start value. */
static enum tt_code hold_start(struct build *b, const struct tt_sc_gate *g,
                               tt_err *err)
{
    tt_plan *p = b->plan;
    uint32_t port;
    enum tt_code rc = plan_find_port(b, &g->ref, &port, err);
    const struct tt_start *given;
    const struct tt_port *is;
    const void *from;
    double *value = tt_arena_alloc(p->arena, 1, sizeof(*value));

    if (rc != TT_OK || g->connected)
        return rc;
    if (!value)
        return plan_nomem(err);
    is = &p->unit[g->ref.unit].desc->port[port];
    given = start_of(p, g->ref.unit, port);
    from = given ? given->value : is->start;
    if (from && !tt_type_is_text(is->type))
        *value = tt_value_as_double(is->type, from);
    else
        tt_plan_note(p, "script",
                     "'%s' declares no start value, and 'parameters' gives "
                     "none: it is 0 until it is set",
                     g->name);
    p->start[p->n_start++] =
        (struct tt_start){.unit = g->unit,
                          .port = tt_desc_find(p->unit[g->unit].desc, "start"),
                          .value = value};
    return TT_OK;
}

static void note(struct build *b)
{
    const struct tt_sc_script *s = b->sc->script;

    for (uint32_t i = 0; i < s->n_gate; i++)
        tt_plan_note(b->plan, "script", "'%s' stands %s '%s'",
                     b->plan->unit[s->gate[i].unit].name,
                     s->gate[i].at_output ? "behind" : "before",
                     s->gate[i].name);
    if (!b->plan->unit[s->unit].events)
        tt_plan_note(b->plan, "script",
                     "it acts at communication points, without events");
}

enum tt_code plan_script(struct build *b, tt_err *err)
{
    const struct tt_sc_script *s = b->sc->script;
    enum tt_code rc = list_acts(b, err);

    if (!s || rc != TT_OK)
        return rc;
    for (uint32_t i = 0; i < s->n_gate && rc == TT_OK; i++) {
        rc = hold_start(b, &s->gate[i], err);
        if (plan_pass(b, rc, err))
            rc = TT_OK;
    }
    note(b);
    return rc;
}
