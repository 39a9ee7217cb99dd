/* SPDX-License-Identifier: MIT */
/* Parameters that the command line names by their variable alone: they belong
 * to the one instance that has such a variable. */
#include <string.h>

#include "plan/plan_impl.h"

/* "x" or "x[2]" among the ports. */
static int has(const struct tt_desc *d, const char *name)
{
    size_t n = strcspn(name, "[");

    if (!d)
        return 0;
    if (tt_desc_find(d, name) != TT_NONE)
        return 1;
    for (uint32_t i = 0; name[n] && i < d->n_port; i++)
        if (!strncmp(d->port[i].name, name, n) && !d->port[i].name[n])
            return 1;
    return 0;
}

static enum tt_code several(const struct build *b, const struct tt_sc_ref *ref,
                            uint32_t other, tt_err *err)
{
    return tt_scenario_fail(
        b->sc, ref->where, err, TT_EINPUT,
        "'%s' and '%s' have a variable '%s'; write '%s.%s' for one of them",
        b->plan->unit[ref->unit].name, b->plan->unit[other].name, ref->variable,
        b->plan->unit[ref->unit].name, ref->variable);
}

static enum tt_code none(const struct build *b, const struct tt_sc_ref *ref,
                         tt_err *err)
{
    for (uint32_t u = 0; u < b->plan->n_unit; u++) {
        const struct tt_desc *d = b->plan->unit[u].desc;
        const char *near = d ? tt_desc_nearest(d, ref->variable, -1) : NULL;

        if (near)
            return tt_scenario_fail(b->sc, ref->where, err, TT_EINPUT,
                                    "no instance has a variable '%s', did you "
                                    "mean '%s' of '%s'?",
                                    ref->variable, near, b->plan->unit[u].name);
    }
    return tt_scenario_fail(b->sc, ref->where, err, TT_EINPUT,
                            "no instance has a variable '%s'", ref->variable);
}

static enum tt_code resolve(const struct build *b, struct tt_sc_ref *ref,
                            tt_err *err)
{
    for (uint32_t u = 0; u < b->plan->n_unit; u++) {
        if (!has(b->plan->unit[u].desc, ref->variable))
            continue;
        if (ref->unit != TT_NONE)
            return several(b, ref, u, err);
        ref->unit = u;
    }
    return ref->unit == TT_NONE ? none(b, ref, err) : TT_OK;
}

/* The scenario as if it had named their instances. */
static enum tt_code spell_out(struct build *b, tt_err *err)
{
    tt_arena *a = b->plan->arena;
    uint32_t n = b->sc->n_parameter, kept = 0;
    tt_scenario *s = tt_arena_dup(a, b->sc, 1, sizeof(*s));
    struct tt_sc_parameter *p =
        tt_arena_dup(a, b->sc->parameter, n, sizeof(*p));

    if (!s || !p)
        return plan_nomem(err);
    for (uint32_t i = 0; i < n; i++) {
        struct tt_sc_parameter one = p[i];
        enum tt_code rc =
            one.ref.unit == TT_NONE ? resolve(b, &one.ref, err) : TT_OK;

        if (rc == TT_OK)
            p[kept++] = one;
        else if (!plan_pass(b, rc, err))
            return rc;
    }
    s->parameter = p;
    s->n_parameter = kept;
    b->sc = b->plan->scenario = s;
    return TT_OK;
}

enum tt_code plan_bare(struct build *b, tt_err *err)
{
    for (uint32_t i = 0; i < b->sc->n_parameter; i++)
        if (b->sc->parameter[i].ref.unit == TT_NONE)
            return spell_out(b, err);
    return TT_OK;
}
