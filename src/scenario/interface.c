/* SPDX-License-Identifier: MIT */
/* Which interface of its FMU an instance is used by, and who integrates its
 * states: "interface", "integrator", --interface, --integrator. */
#include "scenario/build_impl.h"

#include "unit/unit.h"

static const char *const interface_words[] = {"cs", "me", "se"};
static const enum tt_interface interfaces[] = {
    TT_INTERFACE_CO_SIMULATION, TT_INTERFACE_MODEL_EXCHANGE,
    TT_INTERFACE_SCHEDULED_EXECUTION};
static const struct tt_sc_choice interface_choice = {"'interface'",
                                                     interface_words, 3};

static enum tt_code read_interface(struct tt_sc_build *b,
                                   const struct tt_doc *v, uint8_t *to)
{
    uint32_t i = 0;
    enum tt_code rc = tt_sc_choose_doc(b, v, &interface_choice, &i);

    *to = (uint8_t)interfaces[i];
    return rc;
}

enum tt_code tt_sc_of_each_unit(struct tt_sc_build *b, const struct tt_doc *v,
                                enum tt_code (*read)(struct tt_sc_build *,
                                                     const struct tt_doc *,
                                                     struct tt_sc_unit *))
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; rc == TT_OK && i < v->n; i++) {
        const struct tt_doc *d = &v->u.child[i];
        uint32_t unit = 0;

        rc = tt_sc_get_unit(b, d->key, d->key_where, &unit);
        if (rc == TT_OK)
            rc = read(b, d, &b->unit[unit].unit);
    }
    return rc;
}

static enum tt_code interface_of_unit(struct tt_sc_build *b,
                                      const struct tt_doc *v,
                                      struct tt_sc_unit *u)
{
    return read_interface(b, v, &u->interface);
}

enum tt_code tt_sc_read_interface(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc;

    if (v->kind == TT_DOC_TEXT)
        return read_interface(b, v, &b->s->interface);
    rc = v->kind == TT_DOC_OBJECT
             ? TT_OK
             : tt_sc_wrong(b, v, NULL, "a string or an object of instances");
    return rc == TT_OK ? tt_sc_of_each_unit(b, v, interface_of_unit) : rc;
}

enum tt_code tt_sc_set_interface(struct tt_sc_build *b, const char *text)
{
    struct tt_sc_choice c = interface_choice;
    uint32_t i = 0;
    enum tt_code rc;

    c.what = "--interface";
    rc = tt_sc_choose(b, TT_SC_NOWHERE, &c, text, &i);
    b->s->interface = (uint8_t)interfaces[i];
    for (size_t u = 0; u < b->n_unit; u++)
        b->unit[u].unit.interface = 0; /* whatever the file states */
    if (b->s->interface != TT_INTERFACE_MODEL_EXCHANGE)
        b->s->n_together = 0;
    return rc;
}

/* --- one FMU, two interfaces ---------------------------------------------- */

static void claim(struct tt_sc_fmu *f, const struct tt_sc_unit *u,
                  uint8_t interface)
{
    f->claimed = 1;
    f->interface = interface;
    f->clause = u->clause;
    f->n_clause = u->n_clause;
}

/* The entry of this FMU that is for this interface, and adapted like the unit;
 * TT_NONE: none yet. An entry that no instance has claimed may become any. */
static uint32_t entry_for(struct tt_sc_build *b, const struct tt_sc_unit *u,
                          uint8_t interface)
{
    for (uint32_t i = u->fmu; i < b->s->n_fmu; i++) {
        struct tt_sc_fmu *f = &b->fmu[i];

        if (f->key != b->fmu[u->fmu].key)
            continue;
        if (!f->claimed ||
            (f->interface == interface && f->clause == u->clause)) {
            claim(f, u, interface);
            return i;
        }
    }
    return TT_NONE;
}

static enum tt_code add_entry(struct tt_sc_build *b, const struct tt_sc_unit *u,
                              uint8_t interface, uint32_t *entry)
{
    uint32_t n = b->s->n_fmu;
    const char **host;

    if (TT_GROW(b->fmu, n, b->cap_fmu) != 0)
        return tt_sc_no_memory(b);
    b->fmu[n] = b->fmu[u->fmu];
    claim(&b->fmu[n], u, interface);
    b->s->fmu = b->fmu;
    *entry = b->s->n_fmu++;
    if (!b->s->host)
        return TT_OK;
    if (!TT_NEW_IN(b->s->arena, host, n + 1))
        return tt_sc_no_memory(b);
    for (uint32_t i = 0; i < n; i++)
        host[i] = b->s->host[i];
    host[n] = host[u->fmu];
    b->s->host = host;
    return TT_OK;
}

/* An FMU is opened for one interface: one that is used by two is two. So is one
 * of which an instance is adapted. */
enum tt_code tt_sc_split_fmus(struct tt_sc_build *b)
{
    enum tt_code rc = TT_OK;

    for (size_t u = 0; u < b->n_unit && rc == TT_OK; u++) {
        struct tt_sc_unit *unit = &b->unit[u].unit;
        uint8_t want = unit->interface ? unit->interface : b->s->interface;
        uint32_t entry = entry_for(b, unit, want);

        if (entry == TT_NONE && b->fmu[unit->fmu].inner)
            return tt_sc_fail(b, unit->where, TT_EINPUT,
                              "instance '%s': a scenario in place has one "
                              "interface only, and is adapted or not",
                              unit->name);
        if (entry == TT_NONE)
            rc = add_entry(b, unit, want, &entry);
        if (rc == TT_OK)
            unit->fmu = entry;
    }
    return rc;
}

/* --- integrators -----------------------------------------------------------
 */

static enum tt_code read_method(struct tt_sc_build *b, struct tt_where w,
                                const char *what, const char *text,
                                struct tt_integrator *to)
{
    const char *word[TT_ODE_METHOD_N];
    const struct tt_sc_choice c = {what, word, TT_ODE_METHOD_N};
    uint32_t m = 0;
    enum tt_code rc;

    for (int i = 0; i < TT_ODE_METHOD_N; i++)
        word[i] = tt_ode_method_name((enum tt_ode_method)i);
    rc = tt_sc_choose(b, w, &c, text, &m);
    to->method = (enum tt_ode_method)m;
    if (rc == TT_OK && !tt_ode_method_there(to->method))
        return tt_sc_fail(b, w, TT_EINPUT,
                          "%s: '%s' needs SUNDIALS, and Tutti was built "
                          "without it",
                          what, text);
    return rc;
}

/* A method, or an object with it and its settings. */
static enum tt_code read_integrator(struct tt_sc_build *b,
                                    const struct tt_doc *v,
                                    struct tt_integrator *to)
{
    const struct tt_doc *m =
        v->kind == TT_DOC_OBJECT ? tt_doc_find(v, "method") : v;
    const char *text = NULL;
    enum tt_code rc = TT_OK;

    if (v->kind == TT_DOC_OBJECT)
        rc = tt_sc_check_members(b, v, "integrator");
    if (rc == TT_OK && m && !tt_sc_is_null(m))
        rc = tt_sc_text(b, m, NULL, &text);
    if (rc == TT_OK && text)
        rc = read_method(b, m->where, "'integrator'", text, to);
    if (rc == TT_OK && v->kind == TT_DOC_OBJECT)
        rc = tt_sc_member_number(b, v, "tolerance", &to->tolerance, 0);
    if (rc == TT_OK && v->kind == TT_DOC_OBJECT)
        rc = tt_sc_member_number(b, v, "step", &to->step, 0);
    return rc;
}

static int names_instances(const struct tt_doc *v)
{
    return v->kind == TT_DOC_OBJECT && v->n && v->u.child[0].key[0] == '{';
}

static enum tt_code integrator_of_unit(struct tt_sc_build *b,
                                       const struct tt_doc *v,
                                       struct tt_sc_unit *u)
{
    u->has_integrator = 1;
    return read_integrator(b, v, &u->integrator);
}

enum tt_code tt_sc_read_integrator(struct tt_sc_build *b,
                                   const struct tt_doc *v)
{
    return names_instances(v) ? tt_sc_of_each_unit(b, v, integrator_of_unit)
                              : read_integrator(b, v, &b->s->integrator);
}

enum tt_code tt_sc_set_integrator(struct tt_sc_build *b, const char *text)
{
    for (size_t u = 0; u < b->n_unit; u++)
        b->unit[u].unit.has_integrator = 0; /* whatever the file states */
    return read_method(b, TT_SC_NOWHERE, "--integrator", text,
                       &b->s->integrator);
}
