/* SPDX-License-Identifier: MIT */
/* The protocol of a score, walked once on time stamps. */
#include <string.h>

#include "score/check_impl.h"

static enum tt_code keep(struct check *c, const struct tt_phase *at,
                         tt_err *err)
{
    if (c->p->n_slot)
        memcpy(c->kept, c->slot, c->p->n_slot * sizeof(*c->kept));
    return check_play(c, (enum tt_section)at->section, err);
}

/* After a rejected step every unit stands where it began. */
static enum tt_code all_back(const struct check *c, tt_err *err)
{
    char name[512];

    for (uint32_t u = 0; u < c->p->n_unit; u++)
        if (c->unit[u].time != AT_T0)
            return check_ended(c, err,
                               "instance '%s' is not back at T0 when the undo "
                               "section ends",
                               c->p->unit[u].name);
    for (uint32_t f = 0; f < c->p->n_feed; f++)
        if (c->slot[c->p->feed[f].to].stamp != AT_T0 &&
            !c->p->slot[c->p->feed[f].to].event_only)
            return check_ended(
                c, err,
                "'%s' is not back at its value of T0 when the "
                "undo section ends",
                tt_plan_slot_name(c->p, c->p->feed[f].to, name, sizeof(name)));
    return TT_OK;
}

/* Values go back with the frame; inputs of units went back with them. */
static enum tt_code undo(struct check *c, const struct tt_phase *at,
                         tt_err *err)
{
    enum tt_code rc = check_play(c, (enum tt_section)at->section, err);

    for (uint32_t i = 0; i < c->p->n_slot && rc == TT_OK; i++)
        if (c->p->slot[i].dir != TT_SLOT_IN)
            c->slot[i] = c->kept[i];
    return rc == TT_OK ? all_back(c, err) : rc;
}

/* What constraints are judged by is there before units step last. */
static enum tt_code judge(struct check *c, const struct tt_phase *at,
                          tt_err *err)
{
    char name[512];

    (void)at;
    for (uint32_t i = 0; i < c->p->n_watch; i++) {
        uint32_t slot = c->p->watch[i].slot;

        if (c->p->slot[slot].dir != TT_SLOT_IN &&
            c->slot[slot].stamp != AT_T1 &&
            c->p->unit[c->p->slot[slot].unit].desc->caps.save)
            return check_ended(
                c, err,
                "'%s', which a constraint looks at, was not "
                "read at T1 when the step section ends",
                tt_plan_slot_name(c->p, slot, name, sizeof(name)));
    }
    return TT_OK;
}

/* What was the end of one half is the start of the next. */
static void begin_at_end(struct check *c)
{
    for (uint32_t u = 0; u < c->p->n_unit; u++)
        if (c->unit[u].time == AT_T1)
            c->unit[u].time = AT_T0;
    for (uint32_t i = 0; i < c->p->n_slot; i++)
        if (c->slot[i].stamp == AT_T1)
            c->slot[i].stamp = AT_T0;
}

static enum tt_code play_phase(struct check *c, const struct tt_phase *at,
                               tt_err *err)
{
    enum tt_section section = (enum tt_section)at->section;

    if (at->from == TT_MARK_MIDDLE && section == TT_SEC_STEP)
        begin_at_end(c);
    return check_play(c, section, err);
}

static enum tt_code commit(struct check *c, const struct tt_phase *at,
                           tt_err *err)
{
    (void)at;
    return check_committed(c, AT_T1, err);
}

/* Nothing is to be checked of the others; check_event.c looks at events. */
static enum tt_code (*const perform[])(struct check *c,
                                       const struct tt_phase *at,
                                       tt_err *err) = {
    [TT_ACT_KEEP] = keep, [TT_ACT_PLAY] = play_phase, [TT_ACT_JUDGE] = judge,
    [TT_ACT_UNDO] = undo, [TT_ACT_COMMIT] = commit,   [TT_ACT_SETTLE] = NULL};

/* One macro step, taken back once where the score can do that. */
enum tt_code check_protocol(struct check *c, tt_err *err)
{
    const tt_protocol *p = c->s->protocol;
    int retries = c->s->section[TT_SEC_UNDO].n > 0;
    enum tt_code rc = TT_OK;
    uint32_t i = 0;

    c->section = TT_SEC_LAST;
    if (c->s->section[TT_SEC_LAST].n && !retries)
        return check_ended(
            c, err, "instances step last although nothing is rolled back");
    while (i < p->n && rc == TT_OK) {
        const struct tt_phase *at = &p->phase[i];
        int retry =
            at->act == TT_ACT_JUDGE && retries && at->next[TT_WAY_RETRY] < p->n;

        rc = perform[at->act] ? perform[at->act](c, at, err) : TT_OK;
        i = at->next[retry ? TT_WAY_RETRY : TT_WAY_OK];
        retries -= retry;
    }
    return rc;
}
