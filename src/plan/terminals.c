/* SPDX-License-Identifier: MIT */
/* Terminals that meet become connections of their members, and power bonds
 * where a potential and a flow make a power.
 *
 * FMI 3.0.2, 2.4.9.2: signals are equal where terminals meet, flows sum to
 * zero. Between two terminals a flow has one end that gives it and one that
 * takes it: the negative, if both count it into their unit. Of more than two,
 * one takes what all others give, and a unit in between sums up. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plan/plan_impl.h"

/* One of the terminals that meet. */
struct end {
    const struct tt_sc_ref *ref;
    const struct tt_desc *desc;
    uint32_t at; /* its terminal */
};

/* A member of one of them. */
struct part {
    const struct end *end;
    const struct tt_member *m;
};

/* Flows of `n` terminals, one of which takes those of the others. */
struct sum {
    struct tt_sc_ref taker;
    uint32_t n;
};

struct joint {
    struct build *b;
    struct end *end;
    uint32_t n;
    struct tt_sc_connection *connection;
    size_t n_connection, cap_connection;
    struct tt_sc_bond *bond;
    size_t n_bond, cap_bond;
    /* When it is only looked for sums that are needed: what they are of. */
    int seeks;
    struct sum *sum;
    size_t n_sum, cap_sum;
    /* Of the terminals being joined: what became of signals and flows. */
    size_t first;    /* connection */
    struct part *at; /* room for one of each end */
};

static const struct tt_terminal *terminal(const struct end *e)
{
    return &e->desc->terminal[e->at];
}

static const char *unit_of(const struct joint *j, const struct end *e)
{
    return j->b->plan->unit[e->ref->unit].name;
}

static const struct tt_port *port_of(const struct part *p, uint32_t i)
{
    return &p->end->desc->port[i];
}

/* "'{a}.x.pin'" of two, for messages. */
struct two {
    char s[1024];
};
static struct two both(const struct joint *j, const struct end *a,
                       const struct end *b)
{
    struct two t;

    (void)snprintf(t.s, sizeof(t.s), "'%s.%s' and '%s.%s'", unit_of(j, a),
                   terminal(a)->name, unit_of(j, b), terminal(b)->name);
    return t;
}

/* --- connections -----------------------------------------------------------
 */

static enum tt_code check_free(const struct joint *j,
                               const struct tt_sc_ref *to, tt_err *err)
{
    const struct tt_sc_connection *c = j->b->sc->connection;
    size_t n = j->b->sc->n_connection;

    for (size_t i = 0; i < n + j->n_connection; i++) {
        const struct tt_sc_ref *other =
            i < n ? &c[i].to : &j->connection[i - n].to;

        if (other->unit == to->unit && !strcmp(other->variable, to->variable))
            return tt_scenario_fail_ref(
                j->b->sc, to, err, TT_EINPUT,
                "the input '%s.%s' of a terminal is connected already",
                j->b->plan->unit[to->unit].name, to->variable);
    }
    return TT_OK;
}

static struct tt_sc_ref ref_of(const struct part *p, uint32_t port)
{
    return (struct tt_sc_ref){p->end->ref->unit, port_of(p, port)->name,
                              p->end->ref->where};
}

static enum tt_code add(struct joint *j, const struct tt_sc_connection *c,
                        tt_err *err)
{
    enum tt_code rc = check_free(j, &c->to, err);

    if (rc != TT_OK)
        return rc;
    if (TT_GROW(j->connection, j->n_connection, j->cap_connection))
        return plan_nomem(err);
    j->connection[j->n_connection++] = *c;
    tt_plan_note(j->b->plan, "terminals", "%s.%s -> %s.%s%s",
                 j->b->plan->unit[c->from.unit].name, c->from.variable,
                 j->b->plan->unit[c->to.unit].name, c->to.variable,
                 c->by && c->by->factor < 0 ? ", negative" : "");
    return TT_OK;
}

static enum tt_code connect(struct joint *j, const struct part *from,
                            uint32_t out, const struct part *to, uint32_t in,
                            int negated, tt_err *err)
{
    static const struct tt_sc_transform minus = {.factor = -1};

    return add(j,
               &(struct tt_sc_connection){.from = ref_of(from, out),
                                          .to = ref_of(to, in),
                                          .by = negated ? &minus : NULL},
               err);
}

/* --- members that meet -----------------------------------------------------
 */

/* The only one of this causality; *n is how many there are. */
static const struct part *only(const struct part *p, uint32_t n_part,
                               enum tt_causality c, uint32_t *n)
{
    const struct part *found = NULL;

    *n = 0;
    for (uint32_t i = 0; i < n_part; i++)
        if (port_of(&p[i], p[i].m->port)->causality == c) {
            found = &p[i];
            (*n)++;
        }
    return found;
}

static void note_left(struct joint *j, const struct part *p, const char *why)
{
    tt_plan_note(j->b->plan, "terminals", "%s.%s is not connected: %s",
                 unit_of(j, p->end), port_of(p, p->m->port)->name, why);
}

static enum tt_code join_signals(struct joint *j, const struct part *p,
                                 uint32_t n, tt_err *err)
{
    uint32_t n_out, n_in;
    const struct part *out = only(p, n, TT_CAUS_OUTPUT, &n_out);
    const struct part *in = only(p, n, TT_CAUS_INPUT, &n_in);
    enum tt_code rc = TT_OK;

    if (n_out + n_in < n || !n_in || (!n_out && n == 1)) {
        note_left(j, p,
                  !n_in ? "no terminal takes it"
                        : "it is a parameter, or alone");
        return TT_OK;
    }
    if (n_out != 1)
        return tt_scenario_fail_ref(
            j->b->sc, in->end->ref, err, TT_EINPUT, "'%s.%s' %s",
            unit_of(j, in->end), port_of(in, in->m->port)->name,
            n_out
                ? "would follow several outputs of the terminals that meet"
                : "follows nothing: none of the terminals that meet gives it");
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        if (&p[i] != out)
            rc = connect(j, out, out->m->port, &p[i], p[i].m->port, 0, err);
    return rc;
}

/* Only two can be connected; of one there is a note. */
static enum tt_code not_two(struct joint *j, const struct part *p, uint32_t n,
                            const char *what, const char *advice, tt_err *err)
{
    char why[64];

    if (n > 2)
        return tt_scenario_fail_ref(j->b->sc, p->end->ref, err, TT_EUNSUPPORTED,
                                    "%ss of %u terminals meet at '%s.%s'%s",
                                    what, (unsigned)n, unit_of(j, p->end),
                                    terminal(p->end)->name, advice);
    snprintf(why, sizeof(why), "no other terminal has this %s", what);
    note_left(j, p, why);
    return TT_OK;
}

/* --- flows of more than two ------------------------------------------------
 */

/* The unit that sums up what this input takes, or TT_NONE. */
static uint32_t sum_for(const tt_scenario *s, const struct tt_sc_ref *taker)
{
    for (uint32_t i = 0; i < s->n_sum; i++)
        if (s->sum[i].unit == taker->unit &&
            strcmp(s->sum[i].variable, taker->variable) == 0)
            return s->n_unit - s->n_sum + i;
    return TT_NONE;
}

/* All that flows into units is 0: what the taker takes of this flow. The sum
 * is in the taker's unit. */
static enum tt_code share_of(struct joint *j, const struct part *p,
                             const struct part *taker,
                             struct tt_sc_transform *by, tt_err *err)
{
    const struct tt_port *from = port_of(p, p->m->port);
    const struct tt_port *to = port_of(taker, taker->m->port);
    double offset;

    *by = (struct tt_sc_transform){.factor = 1};
    if (from->quantity && to->quantity &&
        plan_map_units(from->quantity, to->quantity, &by->factor, &offset))
        return tt_scenario_fail_ref(
            j->b->sc, p->end->ref, err, TT_EINPUT,
            "'%s.%s' is in '%s' and '%s.%s' in '%s': these units measure "
            "different quantities",
            unit_of(j, p->end), from->name, from->quantity->name,
            unit_of(j, taker->end), to->name, to->quantity->name);
    if (p->m->kind == taker->m->kind)
        by->factor = -by->factor;
    return TT_OK;
}

static enum tt_code give_to_sum(struct joint *j, uint32_t sum, uint32_t nth,
                                const struct part *p, const struct part *taker,
                                tt_err *err)
{
    tt_arena *a = j->b->plan->arena;
    struct tt_sc_transform *by = tt_arena_alloc(a, 1, sizeof(*by));
    char input[16];
    struct tt_sc_connection c = {.from = ref_of(p, p->m->port), .by = by};
    enum tt_code rc;

    (void)snprintf(input, sizeof(input), "f%u", (unsigned)nth);
    c.to = (struct tt_sc_ref){sum, tt_arena_strdup(a, input), c.from.where};
    if (!by || !c.to.variable)
        return plan_nomem(err);
    rc = share_of(j, p, taker, by, err);
    return rc == TT_OK ? add(j, &c, err) : rc;
}

static enum tt_code join_many_flows(struct joint *j, const struct part *p,
                                    uint32_t n, tt_err *err)
{
    uint32_t n_out, n_in, sum, nth = 0;
    const struct part *in = only(p, n, TT_CAUS_INPUT, &n_in);
    struct tt_sc_connection c = {.from = {.variable = "y"}};
    enum tt_code rc = TT_OK;

    (void)only(p, n, TT_CAUS_OUTPUT, &n_out);
    if (n_in != 1 || n_out != n - 1)
        return tt_scenario_fail_ref(
            j->b->sc, p->end->ref, err, TT_EUNSUPPORTED,
            "of the flows of %u terminals that meet at '%s.%s' %u are inputs, "
            "and one is to take what all others give: connect their members "
            "one by one, to a coupling ('tutti:coupling') that makes the sum "
            "of the flows 0",
            (unsigned)n, unit_of(j, p->end), terminal(p->end)->name,
            (unsigned)n_in);
    c.to = ref_of(in, in->m->port);
    if (j->seeks) {
        if (TT_GROW(j->sum, j->n_sum, j->cap_sum))
            return plan_nomem(err);
        j->sum[j->n_sum++] = (struct sum){c.to, n - 1};
        return TT_OK;
    }
    sum = sum_for(j->b->sc, &c.to);
    if (sum == TT_NONE)
        return not_two(j, p, n, "flow", ", which nothing sums up", err);
    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        if (&p[i] != in)
            rc = give_to_sum(j, sum, ++nth, &p[i], in, err);
    c.from.unit = sum;
    c.from.where = c.to.where;
    return rc == TT_OK ? add(j, &c, err) : rc;
}

static enum tt_code join_flows(struct joint *j, const struct part *p,
                               uint32_t n, tt_err *err)
{
    uint32_t n_out, n_in;
    const struct part *out = only(p, n, TT_CAUS_OUTPUT, &n_out);
    const struct part *in = only(p, n, TT_CAUS_INPUT, &n_in);

    if (n > 2)
        return join_many_flows(j, p, n, err);
    if (n != 2)
        return not_two(j, p, n, "flow", "", err);
    if (n_out != 1 || n_in != 1)
        return tt_scenario_fail_ref(
            j->b->sc, p->end->ref, err, TT_EUNSUPPORTED,
            "the flows of %s are both %s: connect their members one by one, to "
            "a coupling ('tutti:coupling') that makes them agree",
            both(j, p[0].end, p[1].end).s,
            n_out  ? "outputs"
            : n_in ? "inputs"
                   : "neither input nor output");
    return connect(j, out, out->m->port, in, in->m->port,
                   out->m->kind == in->m->kind, err);
}

static enum tt_code join_streams(struct joint *j, const struct part *p,
                                 uint32_t n, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (n != 2)
        return not_two(j, p, n, "stream",
                       ", where they would mix: join two at a time", err);
    for (uint32_t i = 0; i < 2 && rc == TT_OK; i++)
        rc = connect(j, &p[i], p[i].m->port, &p[1 - i], p[1 - i].m->in, 0, err);
    return rc;
}

/* Members that are one and the same where terminals meet. */
static enum tt_code join_members(struct joint *j, const struct part *p,
                                 uint32_t n, tt_err *err)
{
    for (uint32_t i = 1; i < n; i++)
        if (!tt_member_same_kind(p[0].m, p[i].m))
            return tt_scenario_fail_ref(
                j->b->sc, p[i].end->ref, err, TT_EINPUT,
                "member '%s' of %s is of kind %s in one and %s in the other",
                p[0].m->name, both(j, p[0].end, p[i].end).s,
                tt_member_kind_name(p[0].m->kind),
                tt_member_kind_name(p[i].m->kind));
    switch (p[0].m->kind) {
    case TT_MEMBER_SIGNAL:
        return join_signals(j, p, n, err);
    case TT_MEMBER_INFLOW:
    case TT_MEMBER_OUTFLOW:
        return join_flows(j, p, n, err);
    case TT_MEMBER_STREAM:
        return join_streams(j, p, n, err);
    case TT_MEMBER_OTHER:
        break;
    }
    note_left(j, p, "it is of a kind that is not known");
    return TT_OK;
}

/* --- which members meet ----------------------------------------------------
 */

static const struct tt_member *member_named(const struct tt_terminal *t,
                                            const char *name)
{
    for (uint32_t i = 0; i < t->n_member; i++)
        if (strcmp(t->member[i].name, name) == 0)
            return &t->member[i];
    return NULL;
}

/* Did an end before this one have a member of that name? */
static int was_joined(const struct joint *j, uint32_t e, const char *name)
{
    for (uint32_t i = 0; i < e; i++)
        if (member_named(terminal(&j->end[i]), name))
            return 1;
    return 0;
}

static enum tt_code lacks(const struct joint *j, const struct end *who,
                          const struct end *has, const char *what,
                          const char *name, tt_err *err)
{
    return tt_scenario_fail_ref(
        j->b->sc, who->ref, err, TT_EINPUT,
        "'%s.%s' has no %s '%s', which '%s.%s' has: plugs must match",
        unit_of(j, who), terminal(who)->name, what, name, unit_of(j, has),
        terminal(has)->name);
}

static enum tt_code join_by_name(struct joint *j, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t e = 0; e < j->n && rc == TT_OK; e++) {
        const struct tt_terminal *t = terminal(&j->end[e]);

        for (uint32_t i = 0; i < t->n_member && rc == TT_OK; i++) {
            const char *name = t->member[i].name;
            uint32_t n = 0;

            if (was_joined(j, e, name))
                continue;
            for (uint32_t k = 0; k < j->n; k++) {
                const struct tt_member *m =
                    member_named(terminal(&j->end[k]), name);

                if (!m && t->match == TT_MATCH_PLUG)
                    return lacks(j, &j->end[k], &j->end[e], "member", name,
                                 err);
                if (m)
                    j->at[n++] = (struct part){&j->end[k], m};
            }
            rc = join_members(j, j->at, n, err);
        }
    }
    return rc;
}

static enum tt_code join_in_order(struct joint *j, tt_err *err)
{
    uint32_t n = terminal(j->end)->n_member;
    enum tt_code rc = TT_OK;

    for (uint32_t e = 1; e < j->n; e++)
        if (terminal(&j->end[e])->n_member != n)
            return tt_scenario_fail_ref(
                j->b->sc, j->end[e].ref, err, TT_EINPUT,
                "%s have %u and %u members: sequences must be equally long",
                both(j, j->end, &j->end[e]).s, (unsigned)n,
                (unsigned)terminal(&j->end[e])->n_member);
    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        for (uint32_t e = 0; e < j->n; e++)
            j->at[e] =
                (struct part){&j->end[e], &terminal(&j->end[e])->member[i]};
        rc = join_members(j, j->at, j->n, err);
    }
    return rc;
}

static enum tt_code check_rules(const struct joint *j, tt_err *err)
{
    const struct end *a = j->end;

    for (uint32_t e = 0; e < j->n; e++) {
        const struct end *b = &j->end[e];
        const char *k1 = terminal(a)->kind, *k2 = terminal(b)->kind;

        if (terminal(b)->match == TT_MATCH_NONE)
            return tt_scenario_fail_ref(
                j->b->sc, b->ref, err, TT_EUNSUPPORTED,
                "'%s.%s' has no matching rule that is known: connect its "
                "members one by one",
                unit_of(j, b), terminal(b)->name);
        if (terminal(b)->match != terminal(a)->match)
            return tt_scenario_fail_ref(
                j->b->sc, b->ref, err, TT_EINPUT,
                "%s have different matching rules: %s and %s", both(j, a, b).s,
                tt_match_name(terminal(a)->match),
                tt_match_name(terminal(b)->match));
        if (k1 && k2 && strcmp(k1, k2) != 0)
            tt_plan_note(j->b->plan, "terminals",
                         "%s are of different kinds: '%s' and '%s'",
                         both(j, a, b).s, k1, k2);
    }
    return TT_OK;
}

/* --- power -----------------------------------------------------------------
 */

/* A single signal one way and a single flow the other way, which are a power.
 */
static int is_power_pair(const struct joint *j,
                         const struct tt_sc_connection *x,
                         const struct tt_sc_connection *y)
{
    const struct tt_plan_unit *u = j->b->plan->unit;
    const struct tt_sc_ref *const end[] = {&x->from, &x->to, &y->from, &y->to};
    const struct tt_port *p[4];

    if (x->from.unit != y->to.unit || x->to.unit != y->from.unit)
        return 0;
    for (int i = 0; i < 4; i++) {
        const struct tt_desc *d = u[end[i]->unit].desc;

        p[i] = &d->port[tt_desc_find(d, end[i]->variable)];
        if (p[i]->type != TT_F64 || p[i]->n != 1 || !p[i]->quantity ||
            !p[i]->quantity->has_base)
            return 0;
    }
    return strcmp(p[0]->quantity->name, p[1]->quantity->name) == 0 &&
           strcmp(p[2]->quantity->name, p[3]->quantity->name) == 0 &&
           plan_is_power(p[0]->quantity, p[2]->quantity);
}

static enum tt_code add_bond(struct joint *j, tt_err *err)
{
    const struct tt_sc_connection *c = j->connection + j->first;
    struct tt_sc_bond bond = {.energy = 1};
    char name[1024];

    if (j->n != 2 || j->n_connection != j->first + 2 ||
        !is_power_pair(j, &c[0], &c[1]))
        return TT_OK;
    (void)snprintf(name, sizeof(name), "%s.%s", unit_of(j, j->end),
                   terminal(j->end)->name);
    bond.name = tt_arena_strdup(j->b->plan->arena, name);
    bond.in[0] = c[1].to; /* side a gives the first, and takes the second */
    bond.out[0] = c[0].from;
    bond.in[1] = c[0].to;
    bond.out[1] = c[1].from;
    if (!bond.name || TT_GROW(j->bond, j->n_bond, j->cap_bond))
        return plan_nomem(err);
    j->bond[j->n_bond++] = bond;
    tt_plan_note(j->b->plan, "terminals", "%s are a power bond",
                 both(j, &j->end[0], &j->end[1]).s);
    return TT_OK;
}

/* --- terminals within terminals --------------------------------------------
 */

/* The k-th child of a terminal from `from` on, or TT_NONE. */
static uint32_t next_child(const struct tt_desc *d, uint32_t parent,
                           uint32_t from)
{
    while (from < d->n_terminal && d->terminal[from].parent != parent)
        from++;
    return from < d->n_terminal ? from : TT_NONE;
}

/* What stands behind the parent's name. */
static const char *own_name(const struct tt_desc *d, uint32_t i)
{
    uint32_t parent = d->terminal[i].parent;

    return d->terminal[i].name +
           (parent == TT_NONE ? 0 : strlen(d->terminal[parent].name) + 1);
}

static uint32_t child_named(const struct end *e, const char *name)
{
    uint32_t i = next_child(e->desc, e->at, 0);

    while (i != TT_NONE && strcmp(own_name(e->desc, i), name) != 0)
        i = next_child(e->desc, e->at, i + 1);
    return i;
}

static enum tt_code join(struct build *b, struct joint *all, struct end *end,
                         uint32_t n, tt_err *err);

/* Children that the first end has: of a plug all have them, of a bus those that
 * several have meet; in a sequence names do not count. */
static enum tt_code join_children(struct joint *j, tt_err *err)
{
    const struct end *a = j->end;
    struct end *inner;
    uint32_t i = next_child(a->desc, a->at, 0), k = 0;
    enum tt_code rc = TT_OK;

    if (i == TT_NONE)
        return TT_OK;
    if (!TT_NEW_IN(j->b->plan->arena, inner, j->n))
        return plan_nomem(err);
    for (; i != TT_NONE && rc == TT_OK;
         i = next_child(a->desc, a->at, i + 1), k++) {
        uint32_t n = 0;

        for (uint32_t e = 0; e < j->n; e++) {
            uint32_t at = TT_NONE;

            if (terminal(a)->match == TT_MATCH_SEQUENCE) {
                at = next_child(j->end[e].desc, j->end[e].at, 0);
                for (uint32_t s = 0; s < k && at != TT_NONE; s++)
                    at = next_child(j->end[e].desc, j->end[e].at, at + 1);
            } else {
                at = child_named(&j->end[e], own_name(a->desc, i));
            }
            if (at == TT_NONE && terminal(a)->match != TT_MATCH_BUS)
                return lacks(j, &j->end[e], a, "terminal", own_name(a->desc, i),
                             err);
            if (at != TT_NONE)
                inner[n++] = (struct end){j->end[e].ref, j->end[e].desc, at};
        }
        if (n > 1)
            rc = join(j->b, j, inner, n, err);
    }
    return rc;
}

/* What is made goes to `all`. */
static enum tt_code join(struct build *b, struct joint *all, struct end *end,
                         uint32_t n, tt_err *err)
{
    struct end *was = all->end;
    uint32_t n_was = all->n;
    enum tt_code rc;

    all->b = b;
    all->end = end;
    all->n = n;
    all->first = all->n_connection;
    rc = check_rules(all, err);
    if (rc == TT_OK)
        rc = terminal(end)->match == TT_MATCH_SEQUENCE ? join_in_order(all, err)
                                                       : join_by_name(all, err);
    if (rc == TT_OK)
        rc = add_bond(all, err);
    if (rc == TT_OK)
        rc = join_children(all, err);
    all->end = was;
    all->n = n_was;
    return rc;
}

/* --- all --------------------------------------------------------------------
 */

static const char *terminal_name(const void *ctx, size_t i)
{
    return ((const struct tt_desc *)ctx)->terminal[i].name;
}

static enum tt_code find(const struct build *b, const struct tt_sc_ref *ref,
                         struct end *e, tt_err *err)
{
    const struct tt_plan_unit *u = &b->plan->unit[ref->unit];
    const char *near;

    *e = (struct end){ref, u->desc, tt_desc_terminal(u->desc, ref->variable)};
    if (e->at != TT_NONE)
        return TT_OK;
    if (tt_desc_find(u->desc, ref->variable) != TT_NONE)
        return tt_scenario_fail_ref(
            b->sc, ref, err, TT_EINPUT,
            "'%s.%s' is a variable, not a terminal; 'connections' connects it",
            u->name, ref->variable);
    near = tt_names_nearest(ref->variable, u->desc->n_terminal, terminal_name,
                            u->desc);
    return tt_scenario_fail_ref(
        b->sc, ref, err, TT_EINPUT, "instance '%s' has no terminal '%s'%s%s%s",
        u->name, ref->variable, near ? ", did you mean '" : "",
        near ? near : "", near ? "'?" : "");
}

static enum tt_code join_node(struct build *b, struct joint *all,
                              const struct tt_sc_node *node, tt_err *err)
{
    struct end *end = tt_arena_alloc(b->plan->arena, node->n, sizeof(*end));
    enum tt_code rc = TT_OK;

    all->at = tt_arena_alloc(b->plan->arena, node->n, sizeof(*all->at));
    if (!end || !all->at)
        return plan_nomem(err);
    for (uint32_t i = 0; i < node->n && rc == TT_OK; i++) {
        if (!b->plan->unit[node->ref[i].unit].desc)
            return TT_OK; /* of an FMU that cannot be read */
        rc = find(b, &node->ref[i], &end[i], err);
    }
    return rc == TT_OK ? join(b, all, end, node->n, err) : rc;
}

/* The scenario as if it had named the connections one by one. */
static enum tt_code spell_out(struct build *b, const struct joint *all,
                              tt_err *err)
{
    tt_arena *a = b->plan->arena;
    size_t n = b->sc->n_connection, m = b->sc->n_bond;
    tt_scenario *s = tt_arena_dup(a, b->sc, 1, sizeof(*s));
    struct tt_sc_connection *c =
        tt_arena_alloc(a, n + all->n_connection, sizeof(*c));
    struct tt_sc_bond *bond = tt_arena_alloc(a, m + all->n_bond, sizeof(*bond));

    if (!s || !c || !bond)
        return plan_nomem(err);
    if (n)
        memcpy(c, b->sc->connection, n * sizeof(*c));
    if (all->n_connection)
        memcpy(c + n, all->connection, all->n_connection * sizeof(*c));
    if (m)
        memcpy(bond, b->sc->bond, m * sizeof(*bond));
    if (all->n_bond)
        memcpy(bond + m, all->bond, all->n_bond * sizeof(*bond));
    s->connection = c;
    s->n_connection = (uint32_t)(n + all->n_connection);
    s->bond = bond;
    s->n_bond = (uint32_t)(m + all->n_bond);
    b->sc = b->plan->scenario = s;
    return TT_OK;
}

enum tt_code plan_terminals(struct build *b, tt_err *err)
{
    struct joint all = {.b = b};
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < b->sc->n_node && rc == TT_OK; i++) {
        rc = join_node(b, &all, &b->sc->node[i], err);
        if (plan_pass(b, rc, err))
            rc = TT_OK;
    }
    if (rc == TT_OK && b->sc->n_node)
        rc = spell_out(b, &all, err);
    TT_FREE_ALL(all.connection, all.bond);
    return rc;
}

/* --- units that sum up -----------------------------------------------------
 */

/* "{node1}", unless the scenario has that. */
static char *free_key(const tt_scenario *s, uint32_t *number, tt_arena *a)
{
    char key[32];
    uint32_t i = 0;

    do {
        (void)snprintf(key, sizeof(key), "{node%u}", (unsigned)++*number);
        for (i = 0; i < s->n_fmu && strcmp(s->fmu[i].key, key) != 0;)
            i++;
    } while (i < s->n_fmu);
    return tt_arena_strdup(a, key);
}

/* "tutti:formula: f1 + f2" */
static char *formula(uint32_t n, tt_arena *a)
{
    struct tt_buf b;
    char *text;

    tt_buf_init(&b, (size_t)64 + (size_t)n * 16);
    tt_buf_str(&b, "tutti:formula: f1");
    for (uint32_t i = 2; i <= n; i++)
        tt_buf_fmt(&b, " + f%u", (unsigned)i);
    text = b.failed ? NULL : tt_arena_strdup(a, b.data);
    tt_buf_fini(&b);
    return text;
}

static int add_sum(const tt_scenario *s, const struct sum *sum,
                   uint32_t *number, struct tt_sc_fmu *fmu,
                   struct tt_sc_unit *unit, tt_arena *a)
{
    char name[64];

    *fmu = (struct tt_sc_fmu){.key = free_key(s, number, a),
                              .uri = formula(sum->n, a),
                              .where = sum->taker.where};
    fmu->path = fmu->uri;
    if (!fmu->key || !fmu->uri)
        return -1;
    (void)snprintf(name, sizeof(name), "%s.flows", fmu->key);
    *unit = (struct tt_sc_unit){.instance = "flows",
                                .name = tt_arena_strdup(a, name),
                                .where = sum->taker.where,
                                .evaluates = -1};
    return unit->name ? 0 : -1;
}

/* The scenario with one more FMU and unit for each. */
static enum tt_code add_sums(const tt_scenario **s, const struct joint *all,
                             tt_arena *a, tt_err *err)
{
    const tt_scenario *was = *s;
    uint32_t n = (uint32_t)all->n_sum, number = 0;
    tt_scenario *is = tt_arena_dup(a, was, 1, sizeof(*is));
    struct tt_sc_fmu *fmu =
        tt_arena_alloc(a, (size_t)was->n_fmu + n, sizeof(*fmu));
    struct tt_sc_unit *unit =
        tt_arena_alloc(a, (size_t)was->n_unit + n, sizeof(*unit));
    struct tt_sc_ref *sum = tt_arena_alloc(a, n, sizeof(*sum));
    const char **host =
        tt_arena_alloc(a, (size_t)was->n_fmu + n, sizeof(*host));

    if (!is || !fmu || !unit || !sum || !host)
        return plan_nomem(err);
    memcpy(fmu, was->fmu, was->n_fmu * sizeof(*fmu));
    memcpy(unit, was->unit, was->n_unit * sizeof(*unit));
    for (uint32_t i = 0; was->host && i < was->n_fmu; i++)
        host[i] = was->host[i];
    for (uint32_t i = 0; i < n; i++) {
        if (add_sum(was, &all->sum[i], &number, &fmu[was->n_fmu + i],
                    &unit[was->n_unit + i], a))
            return plan_nomem(err);
        unit[was->n_unit + i].fmu = was->n_fmu + i;
        sum[i] = all->sum[i].taker;
    }
    is->fmu = fmu;
    is->n_fmu += n;
    is->unit = unit;
    is->n_unit += n;
    is->sum = sum;
    is->n_sum = n;
    if (was->host)
        is->host = host;
    *s = is;
    return TT_OK;
}

/* As if they were joined; what is wrong is reported when they are. */
enum tt_code tt_plan_sum_flows(const tt_scenario **s,
                               const struct tt_desc *const *desc, tt_arena *a,
                               tt_err *err)
{
    tt_plan plan = {.arena = a, .n_unit = (*s)->n_unit};
    struct build b = {.plan = &plan, .sc = *s};
    struct joint all = {.b = &b, .seeks = 1};
    enum tt_code rc = TT_OK;
    uint32_t most = 0;

    for (uint32_t i = 0; i < b.sc->n_node; i++)
        most = b.sc->node[i].n > most ? b.sc->node[i].n : most;
    if (most <= 2)
        return TT_OK;
    if (!TT_NEW_IN(a, plan.unit, plan.n_unit))
        return plan_nomem(err);
    for (uint32_t u = 0; u < plan.n_unit; u++) {
        plan.unit[u].name = b.sc->unit[u].name;
        plan.unit[u].desc = desc[b.sc->unit[u].fmu];
    }
    for (uint32_t i = 0; i < b.sc->n_node && rc != TT_ENOMEM; i++)
        rc = join_node(&b, &all, &b.sc->node[i], err);
    if (rc != TT_ENOMEM)
        rc = all.n_sum ? add_sums(s, &all, a, err) : TT_OK;
    TT_FREE_ALL(all.connection, all.bond, all.sum, plan.notes.note);
    return rc;
}
