/* SPDX-License-Identifier: MIT */
/* Units elsewhere whose late values are predicted. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "plan/plan_impl.h"

static void note(tt_plan *p, const struct tt_plan_unit *u)
{
    char after[TT_NUM_MAX];

    tt_num_print_short(after, u->late->after);
    tt_plan_note(p, "late",
                 "%s: values that are not there %s%s%s are predicted, for %u "
                 "step%s at most: results depend on when answers come",
                 u->name, isinf(u->late->after) ? "" : "after ",
                 isinf(u->late->after) ? "when they are due" : after,
                 isinf(u->late->after) ? "" : " s", u->late->most,
                 u->late->most == 1 ? "" : "s");
}

/* What it lacks now it lacks for that reason, and messages name it. */
static const char *kind_of(struct build *b, const struct tt_desc *of)
{
    static const char words[] = ", late values";
    size_t n = strlen(of->kind) + sizeof(words);
    char *kind = tt_arena_alloc(b->plan->arena, n, 1);

    if (kind)
        (void)snprintf(kind, n, "%s%s", of->kind, words);
    return kind;
}

enum tt_code plan_late(struct build *b, tt_err *err)
{
    for (uint32_t i = 0; i < b->sc->n_late; i++) {
        struct tt_plan_unit *u = &b->plan->unit[b->sc->late[i].unit];
        struct tt_desc *d;
        struct tt_port *port;

        if (!u->desc)
            continue;
        d = tt_arena_alloc(b->plan->arena, 1, sizeof(*d));
        port = tt_arena_alloc(b->plan->arena, u->desc->n_port, sizeof(*port));
        if (!d || !port)
            return plan_nomem(err);
        tt_late_describe(d, port, u->desc);
        d->kind = kind_of(b, u->desc);
        if (!d->kind)
            return plan_nomem(err);
        u->desc = d;
        u->late = &b->sc->late[i];
        note(b->plan, u);
    }
    return TT_OK;
}

/* Why a unit cannot be predicted, or NULL. */
static const char *why_not(const tt_plan *p, const struct tt_plan_unit *u)
{
    if (u->desc->caps.discrete)
        return "has events";
    if (u->desc->caps.implicit)
        return "is a coupling";
    if (u->quantum.most)
        return "sleeps";
    if (u->sleeper) /* asleep it has a time of its own, and makes no steps */
        return "is switched by the script";
    for (uint32_t s = u->slot; s < u->slot + u->n_read + u->n_in; s++)
        if (tt_type_is_text(p->slot[s].type))
            return "takes or gives strings or binaries";
    return NULL;
}

enum tt_code plan_check_late(struct build *b, tt_err *err)
{
    for (uint32_t i = 0; i < b->sc->n_late; i++) {
        const struct tt_sc_late *l = &b->sc->late[i];
        const struct tt_plan_unit *u = &b->plan->unit[l->unit];
        const char *why = why_not(b->plan, u);

        if (why)
            return tt_scenario_fail(b->sc, l->where, err, TT_EINPUT,
                                    "instance '%s': late values cannot be "
                                    "predicted: it %s",
                                    u->name, why);
    }
    return TT_OK;
}
