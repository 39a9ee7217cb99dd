/* SPDX-License-Identifier: MIT */
/* Which units are repeated together in an iterated step: all of them, or only
 * those that feed each other (the strongly connected parts). A part with a
 * coupling in it is repeated in any case. */
#include <string.h>

#include "score/graph.h"
#include "score/write.h"

/* A unit that is repeated must be able to go back. */
static enum tt_code need_save(const tt_plan *p, const uint32_t *size,
                              const uint32_t *part, tt_err *err)
{
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (part[u] != TT_NONE && size[part[u]] > 1 &&
            !p->unit[u].desc->caps.save)
            return tt_fail(err, TT_EINPUT,
                           "a step cannot be repeated: unit '%s' (%s) cannot "
                           "save and restore its state",
                           p->unit[u].name, p->unit[u].desc->kind);
    return TT_OK;
}

/* A delayed input wants what was there before the step, so it closes no circle
 * within it. */
static enum tt_code connected_parts(const tt_plan *p, uint32_t *part,
                                    tt_err *err)
{
    struct tt_graph g;
    enum tt_code rc;

    tt_graph_init(&g, p->n_unit);
    for (uint32_t f = 0; f < p->n_feed; f++)
        if (p->slot[p->feed[f].to].reactivity != TT_REACT_DELAYED)
            tt_graph_add(&g, p->slot[p->feed[f].from].unit,
                         p->slot[p->feed[f].to].unit);
    tt_write_tie_groups(p, &g);
    rc = tt_graph_seal(&g, err);
    if (rc == TT_OK && p->n_unit && tt_graph_components(&g, part) == 0)
        rc = tt_fail(err, TT_ENOMEM, "ordering units: out of memory");
    tt_graph_fini(&g);
    return rc;
}

/* Parts in their order, units within a part as they were. */
static void keep_together(const tt_plan *p, const uint32_t *part, uint32_t *at,
                          const uint32_t *was, uint32_t *order)
{
    for (uint32_t u = 0; u < p->n_unit; u++)
        at[part[u] + 1]++;
    for (uint32_t c = 0; c < p->n_unit; c++)
        at[c + 1] += at[c];
    for (uint32_t i = 0; i < p->n_unit; i++)
        order[at[part[was[i]]]++] = was[i];
}

int tt_write_iterates(const tt_plan *p)
{
    return p->scenario->iteration.turns || p->scenario->iteration.converged;
}

/* Units of parts that need no repetition belong to none. */
static void leave_out(const tt_plan *p, uint8_t *implicit, uint32_t *part)
{
    if (tt_write_iterates(p))
        return;
    for (uint32_t u = 0; u < p->n_unit; u++)
        implicit[part[u]] |= p->unit[u].desc->caps.implicit != 0;
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (!implicit[part[u]])
            part[u] = TT_NONE;
}

static int by_loops(const tt_plan *p)
{
    return p->scenario->iteration.loops_only || !tt_write_iterates(p);
}

enum tt_code tt_write_parts(struct tt_writer *w, uint32_t *order,
                            uint32_t *part, tt_err *err)
{
    const tt_plan *p = w->plan;
    uint32_t *size = tt_zalloc((size_t)p->n_unit + 1, sizeof(*size));
    uint32_t *at = tt_zalloc((size_t)p->n_unit + 1, sizeof(*at));
    uint32_t *was = tt_zalloc(p->n_unit, sizeof(*was));
    uint8_t *implicit = tt_zalloc(p->n_unit, 1);
    enum tt_code rc = TT_OK;

    if (!size || !at || !was || !implicit)
        rc = tt_fail(err, TT_ENOMEM, "ordering units: out of memory");
    else if (by_loops(p))
        rc = connected_parts(p, part, err);
    if (rc == TT_OK) {
        memcpy(was, order, p->n_unit * sizeof(*was));
        keep_together(p, part, at, was, order);
        for (uint32_t u = 0; u < p->n_unit; u++)
            size[part[u]]++;
        leave_out(p, implicit, part);
        rc = need_save(p, size, part, err);
    }
    tt_free(size);
    tt_free(at);
    tt_free(was);
    tt_free(implicit);
    return rc;
}
