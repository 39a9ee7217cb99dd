/* SPDX-License-Identifier: MIT */
/* Which units are repeated together in an iterated step: all of them, or only
 * those that feed each other (strongly connected components). A component with
 * a coupling in it is repeated in any case. */
#include <string.h>

#include "score/graph.h"
#include "score/write.h"

static enum tt_code cannot_repeat(const tt_plan *p, uint32_t u, tt_err *err)
{
    return tt_fail(
        err, TT_EINPUT,
        "a step cannot be repeated: instance '%s' (%s) cannot save and "
        "restore its state",
        p->unit[u].name, p->unit[u].desc->kind);
}

/* A unit that is repeated must be able to go back. */
static enum tt_code need_save(const tt_plan *p, const uint32_t *size,
                              const uint32_t *component, tt_err *err)
{
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (component[u] != TT_NONE && size[component[u]] > 1 &&
            !p->unit[u].desc->caps.save)
            return cannot_repeat(p, u, err);
    return TT_OK;
}

static int solves_sub_steps(const tt_plan *p, uint32_t u)
{
    return p->unit[u].desc->caps.implicit && p->unit[u].group != TT_NONE;
}

/* A coupling with a rate of its own is solved within each sub-step, which is
 * not within a step that is repeated itself; units of its group go back. */
static enum tt_code need_single_turns(const tt_plan *p,
                                      const uint32_t *component,
                                      uint8_t *coupled, tt_err *err)
{
    memset(coupled, 0, p->n_unit);
    for (uint32_t u = 0; u < p->n_unit; u++) {
        if (!solves_sub_steps(p, u))
            continue;
        coupled[p->unit[u].group] = 1;
        if (component[u] != TT_NONE)
            return tt_scenario_fail(
                p->scenario, p->scenario->unit[u].rate_where, err, TT_EINPUT,
                "'%s' is a coupling with a rate of its own in a step that is "
                "repeated: put it and what it couples into a composite, and "
                "give that a rate",
                p->unit[u].name);
    }
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (p->unit[u].group != TT_NONE && coupled[p->unit[u].group] &&
            !p->unit[u].desc->caps.save)
            return cannot_repeat(p, u, err);
    return TT_OK;
}

/* Components in their order, units within one as they were. */
static void keep_together(const tt_plan *p, const uint32_t *component,
                          uint32_t *at, const uint32_t *was, uint32_t *order)
{
    for (uint32_t u = 0; u < p->n_unit; u++)
        at[component[u] + 1]++;
    for (uint32_t c = 0; c < p->n_unit; c++)
        at[c + 1] += at[c];
    for (uint32_t i = 0; i < p->n_unit; i++)
        order[at[component[was[i]]]++] = was[i];
}

int tt_write_iterates(const tt_plan *p)
{
    return p->scenario->iteration.turns || p->scenario->iteration.converged;
}

/* Units of components that need no repetition belong to none. */
static void leave_out(const tt_plan *p, uint8_t *implicit, uint32_t *component)
{
    if (tt_write_iterates(p))
        return;
    for (uint32_t u = 0; u < p->n_unit; u++)
        implicit[component[u]] |=
            p->unit[u].desc->caps.implicit && p->unit[u].group == TT_NONE;
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (!implicit[component[u]])
            component[u] = TT_NONE;
}

static int by_loops(const tt_plan *p)
{
    return p->scenario->iteration.loops_only || !tt_write_iterates(p);
}

enum tt_code tt_write_repeated(struct tt_draft *w, uint32_t *order,
                               uint32_t *component, tt_err *err)
{
    const tt_plan *p = w->plan;
    uint32_t *size = tt_zalloc((size_t)p->n_unit + 1, sizeof(*size));
    uint32_t *at = tt_zalloc((size_t)p->n_unit + 1, sizeof(*at));
    uint32_t *was = tt_zalloc(p->n_unit, sizeof(*was));
    uint8_t *implicit = tt_zalloc(p->n_unit, 1);
    enum tt_code rc = TT_OK;

    if (!size || !at || !was || !implicit)
        rc = tt_nomem(err, "ordering instances");
    else if (by_loops(p))
        rc = tt_write_components(w, TT_COMPONENTS_MAY | TT_COMPONENTS_TIED,
                                 component, err);
    if (rc == TT_OK) {
        memcpy(was, order, p->n_unit * sizeof(*was));
        keep_together(p, component, at, was, order);
        for (uint32_t u = 0; u < p->n_unit; u++)
            size[component[u]]++;
        leave_out(p, implicit, component);
        rc = need_save(p, size, component, err);
    }
    if (rc == TT_OK) {
        rc = need_single_turns(p, component, implicit, err);
    }
    TT_FREE_ALL(size, at, was, implicit);
    return rc;
}
