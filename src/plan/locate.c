/* SPDX-License-Identifier: MIT */
/* Crossings that are located: values that the step policy looks at, whether
 * steps are fixed or not. */
#include <string.h>

#include "plan/plan_impl.h"

static uint32_t port_of(const struct build *b, uint32_t unit, const char *name)
{
    return tt_desc_find(b->plan->unit[unit].desc, name);
}

void plan_mark_located(struct build *b)
{
    for (uint32_t i = 0; i < b->sc->n_locate; i++) {
        uint32_t u = b->sc->locate[i].unit;

        b->mark[u][port_of(b, u, "value")] |= MARK_WATCH;
    }
}

/* Is something to happen there besides the end of a step? */
static int is_asked_for(const struct build *b, uint32_t unit)
{
    static const char *const news[] = {"crossed", "rests", "above", "count"};

    for (size_t i = 0; i < sizeof(news) / sizeof(*news); i++)
        if (b->mark[unit][port_of(b, unit, news[i])])
            return 1;
    return 0;
}

static uint32_t clock_of(const struct build *b, uint32_t unit, const char *name)
{
    uint32_t slot = b->slot_of[unit][port_of(b, unit, name)];

    return b->plan->slot[slot].ticked;
}

static void note(const struct build *b)
{
    tt_plan *p = b->plan;

    if (p->rejects && plan_all_go_back(p))
        tt_plan_note(p, "events", "crossings are located by repeated steps");
    else
        tt_plan_note(p, "events",
                     p->foretells
                         ? "crossings are foretold, and may be late: not all "
                           "instances can be rolled back"
                         : "crossings are noticed at the end of a step: not "
                           "all instances can vary their step");
}

static int all_vary(const tt_plan *p)
{
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (!p->unit[u].desc->caps.variable_step)
            return 0;
    return 1;
}

enum tt_code plan_locate(struct build *b, tt_err *err)
{
    tt_plan *p = b->plan;

    p->locate = tt_arena_alloc(p->arena, b->sc->n_locate, sizeof(*p->locate));
    if (!p->locate)
        return plan_nomem(err);
    p->n_locate = b->sc->n_locate;
    p->foretells = all_vary(p) && !(p->rejects && plan_all_go_back(p));
    for (uint32_t i = 0; i < p->n_locate; i++) {
        uint32_t u = b->sc->locate[i].unit;

        p->locate[i] = (struct tt_plan_locate){.given = &b->sc->locate[i],
                                               .unit = u,
                                               .watch = p->n_watch,
                                               .emits = p->unit[u].events &&
                                                        is_asked_for(b, u)};
        p->locate[i].fire = clock_of(b, u, "fire");
        p->locate[i].settle = clock_of(b, u, "settle");
        p->watch[p->n_watch++] =
            (struct tt_watch){b->slot_of[u][port_of(b, u, "value")], 0};
    }
    if (p->n_locate)
        note(b);
    return TT_OK;
}
