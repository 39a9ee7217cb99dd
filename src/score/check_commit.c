/* SPDX-License-Identifier: MIT */
/* What must hold when values are committed. */
#include "score/check_impl.h"

static enum tt_code not_committed(const struct check *c, uint32_t slot,
                                  const char *what, tt_err *err)
{
    char name[512];

    return check_ended(
        c, err, "'%s' %s %s when the %s section ends",
        tt_plan_slot_name(c->p, slot, name, sizeof(name)), what,
        c->section == TT_SEC_INIT || c->section == TT_SEC_START ? "T0" : "T1",
        tt_section_name(c->section));
}

static uint64_t last_set(const struct check *c, uint32_t first, uint32_t n)
{
    uint64_t last = 0;

    for (uint32_t i = first; i < first + n; i++)
        if (c->slot[i].moved > last)
            last = c->slot[i].moved;
    return last;
}

/* An output is read after the inputs it depends on have got their values,
 * unless a loop is cut there. */
static int read_too_early(const struct check *c, uint32_t out, uint64_t set)
{
    struct tt_plan_inputs in =
        tt_plan_inputs_of(c->p, out, c->section == TT_SEC_INIT);

    if (c->slot[out].cut)
        return 0;
    if (!in.known)
        return set > c->slot[out].moved;
    for (uint32_t k = 0; k < in.n; k++)
        if (c->slot[in.slot[k]].moved > c->slot[out].moved)
            return 1;
    return 0;
}

static enum tt_code outputs_committed(const struct check *c, uint32_t unit,
                                      enum stamp at, tt_err *err)
{
    const struct tt_plan_unit *u = &c->p->unit[unit];
    uint64_t set = last_set(c, u->slot + u->n_read, u->n_in);
    int evaluates = u->consistent || c->section == TT_SEC_INIT;

    for (uint32_t i = u->slot; i < u->slot + u->n_read; i++) {
        if (c->p->slot[i].event_only)
            continue;
        if (c->slot[i].stamp != at)
            return not_committed(c, i, "was not read at", err);
        if (evaluates && read_too_early(c, i, set))
            return not_committed(
                c, i, "was read before an input it depends on had its value of",
                err);
    }
    return TT_OK;
}

enum tt_code check_committed(const struct check *c, enum stamp at, tt_err *err)
{
    for (uint32_t u = 0; u < c->p->n_unit; u++)
        if (c->unit[u].time != at)
            return check_ended(c, err,
                               "instance '%s' is not at %s when the %s section "
                               "ends",
                               c->p->unit[u].name, at == AT_T0 ? "T0" : "T1",
                               tt_section_name(c->section));
    for (uint32_t f = 0; f < c->p->n_feed; f++) {
        const struct slot_state *to = &c->slot[c->p->feed[f].to];

        if (c->p->slot[c->p->feed[f].to].event_only)
            continue;
        /* a course does not count as a value: it brings no new version */
        if (to->stamp != at ||
            to->version != c->slot[c->p->feed[f].from].version)
            return not_committed(c, c->p->feed[f].to,
                                 "does not carry its source's value of", err);
    }
    for (uint32_t u = 0; u < c->p->n_unit; u++) {
        enum tt_code rc = outputs_committed(c, u, at, err);

        if (rc != TT_OK)
            return rc;
    }
    return TT_OK;
}
