/* SPDX-License-Identifier: MIT */
/* Single elements of arrays: those that the scenario names become ports of
 * their own. */
#include <stdio.h>

#include "base/glob.h"
#include "plan/plan_impl.h"

const char *plan_size_text(const struct tt_port *p, char *out, size_t size)
{
    size_t n = 0;

    (void)snprintf(out, size, p->n == 1 ? "a single value" : "an array of %u",
                   (unsigned)p->n);
    for (uint32_t i = 0; i < p->n_dim && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%u",
                              i ? " x " : "an array of ", (unsigned)p->dim[i]);
    return out;
}

enum tt_code plan_find_element(const struct build *b,
                               const struct tt_sc_ref *ref,
                               struct tt_element *e, tt_err *err)
{
    const struct tt_plan_unit *u = &b->plan->unit[ref->unit];
    const char *indices = tt_element_indices(ref->variable);
    char *name, size[128];

    *e = (struct tt_element){.port = TT_NONE};
    if (!indices || tt_names_find(&u->desc->by_name, ref->variable) != TT_NONE)
        return TT_OK;
    name = tt_arena_strndup(b->plan->arena, ref->variable,
                            (size_t)(indices - ref->variable));
    if (!name)
        return plan_nomem(err);
    e->port = tt_desc_find(u->desc, name);
    if (e->port == TT_NONE || !u->desc->port[e->port].n_dim) {
        e->port = TT_NONE;
        return TT_OK;
    }
    if (tt_element_at(&u->desc->port[e->port], indices, &e->at) == 0)
        return TT_OK;
    return tt_scenario_fail_ref(
        b->sc, ref, err, TT_EINPUT,
        "instance '%s' has no element '%s': '%s' is %s, counted from 1",
        u->name, ref->variable, name,
        plan_size_text(&u->desc->port[e->port], size, sizeof(size)));
}

/* --- which are named -------------------------------------------------------
 */

struct found {
    struct tt_element *e; /* owned */
    size_t n, cap;
};

static enum tt_code add_found(struct found *f, const struct tt_element *e,
                              tt_err *err)
{
    for (size_t i = 0; i < f->n; i++)
        if (f->e[i].port == e->port && f->e[i].at == e->at)
            return TT_OK;
    if (TT_GROW(f->e, f->n, f->cap))
        return plan_nomem(err);
    f->e[f->n++] = *e;
    return TT_OK;
}

static enum tt_code note_ref(struct build *b, const struct tt_sc_ref *ref,
                             struct found *found, tt_err *err)
{
    struct tt_element e;
    enum tt_code rc;

    if (!b->plan->unit[ref->unit].desc)
        return TT_OK; /* of an FMU that cannot be read */
    rc = plan_find_element(b, ref, &e, NULL);
    if (rc == TT_ENOMEM)
        return plan_nomem(err);
    if (rc != TT_OK || e.port == TT_NONE)
        return TT_OK; /* what is wrong is reported where it is used */
    return add_found(&found[ref->unit], &e, err);
}

static enum tt_code note_refs(struct build *b, const struct tt_sc_ref *ref,
                              uint32_t n, struct found *found, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        rc = note_ref(b, &ref[i], found, err);
    return rc;
}

/* Elements that patterns name: "*.y[2]". */
static enum tt_code note_pattern(struct build *b, const char *pattern,
                                 struct found *found, tt_err *err)
{
    const char *indices = tt_element_indices(pattern);
    char *name;
    enum tt_code rc = TT_OK;

    if (!indices)
        return TT_OK;
    name =
        tt_arena_strndup(b->plan->arena, pattern, (size_t)(indices - pattern));
    if (!name)
        return plan_nomem(err);
    for (uint32_t u = 0; u < b->plan->n_unit; u++) {
        const struct tt_plan_unit *unit = &b->plan->unit[u];
        uint32_t n = unit->desc ? unit->desc->n_port : 0;

        for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
            struct tt_element e = {.port = i};

            if (unit->desc->port[i].n_dim &&
                tt_element_at(&unit->desc->port[i], indices, &e.at) == 0 &&
                tt_glob_variable(name, unit->name, unit->instance,
                                 unit->desc->port[i].name))
                rc = add_found(&found[u], &e, err);
        }
    }
    return rc;
}

/* What a scenario connects, and what it states of connections. */
static enum tt_code note_connected(struct build *b, struct found *found,
                                   tt_err *err)
{
    const tt_scenario *s = b->sc;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < s->n_connection && rc == TT_OK; i++) {
        rc = note_ref(b, &s->connection[i].from, found, err);
        if (rc == TT_OK)
            rc = note_ref(b, &s->connection[i].to, found, err);
    }
    for (uint32_t i = 0; i < s->n_input_approx && rc == TT_OK; i++)
        rc = note_ref(b, &s->input_approx[i].ref, found, err);
    for (uint32_t i = 0; i < s->n_input_reactivity && rc == TT_OK; i++)
        rc = note_ref(b, &s->input_reactivity[i].ref, found, err);
    for (uint32_t i = 0; i < s->n_bond && rc == TT_OK; i++) {
        rc = note_refs(b, s->bond[i].in, 2, found, err);
        if (rc == TT_OK)
            rc = note_refs(b, s->bond[i].out, 2, found, err);
    }
    return rc;
}

static enum tt_code note_all(struct build *b, struct found *found, tt_err *err)
{
    const tt_scenario *s = b->sc;
    enum tt_code rc = note_connected(b, found, err);

    for (uint32_t i = 0; i < s->n_constraint && rc == TT_OK; i++)
        rc = note_refs(b, s->constraint[i].port, s->constraint[i].n_port, found,
                       err);
    for (uint32_t i = 0; i < s->n_port && rc == TT_OK; i++)
        rc = note_refs(b, s->port[i].ref, s->port[i].n_ref, found, err);
    if (rc == TT_OK)
        rc = note_refs(b, s->log_variable, s->n_log_variable, found, err);
    if (rc == TT_OK)
        rc = note_refs(b, s->live_variable, s->n_live_variable, found, err);
    for (uint32_t i = 0; i < s->n_expect; i++)
        for (uint32_t k = 0; k < s->expect[i].n_variable && rc == TT_OK; k++)
            rc = note_ref(b, &s->expect[i].variable[k].ref, found, err);
    for (uint32_t i = 0; i < s->n_record && rc == TT_OK; i++)
        rc = note_pattern(b, s->record[i], found, err);
    return rc;
}

/* --- ports -----------------------------------------------------------------
 */

static enum tt_code add_ports(struct build *b, uint32_t u,
                              const struct found *f, tt_err *err)
{
    struct tt_plan_unit *unit = &b->plan->unit[u];
    struct tt_element *e = tt_arena_dup(b->plan->arena, f->e, f->n, sizeof(*e));
    struct tt_desc *d = NULL;
    enum tt_code rc;

    if (!e)
        return plan_nomem(err);
    rc = tt_elements_describe(&d, b->plan->arena, unit->desc, e, (uint32_t)f->n,
                              err);
    if (rc != TT_OK)
        return rc;
    unit->desc = d;
    unit->element = e;
    unit->n_element = (uint32_t)f->n;
    return TT_OK;
}

enum tt_code plan_check_elements(const struct build *b, tt_err *err)
{
    for (uint32_t c = 0; c < b->sc->n_connection; c++) {
        const struct tt_sc_ref *to = &b->sc->connection[c].to;
        const struct tt_plan_unit *u = &b->plan->unit[to->unit];
        uint32_t i = u->n_element ? tt_desc_find(u->desc, to->variable) : 0;
        uint32_t plain = u->desc ? u->desc->n_port - u->n_element : 0;
        const struct tt_port *p;

        if (!u->n_element || i == TT_NONE || i < plain)
            continue;
        p = &u->desc->port[u->element[i - plain].port];
        if (b->mark[to->unit][u->element[i - plain].port] & MARK_IN)
            return tt_scenario_fail_ref(
                b->sc, to, err, TT_EINPUT,
                "'%s.%s' is connected as a whole, and its element '%s' is, too",
                u->name, p->name, to->variable);
        if (tt_type_is_text(p->type))
            return tt_scenario_fail_ref(
                b->sc, to, err, TT_EUNSUPPORTED,
                "'%s.%s' is an array of %s, which is connected as a whole only",
                u->name, p->name, tt_type_name(p->type));
    }
    return TT_OK;
}

enum tt_code plan_elements(struct build *b, tt_err *err)
{
    struct found *found;
    enum tt_code rc;

    if (!TT_NEW_ARRAY(found, b->plan->n_unit))
        return plan_nomem(err);
    rc = note_all(b, found, err);
    for (uint32_t u = 0; u < b->plan->n_unit; u++) {
        if (rc == TT_OK && found[u].n)
            rc = add_ports(b, u, &found[u], err);
        tt_free(found[u].e);
    }
    tt_free(found);
    return rc;
}
