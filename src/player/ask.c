/* SPDX-License-Identifier: MIT */
/* What units are asked out of the order of a score: derivatives, their longest
 * step, a value. With several ranks the owner asks and all hear the answer;
 * all ranks ask the same. */
#include "player/ranks.h"

/* The answer goes to everyone, good or bad. */
static enum tt_code tell(const tt_part *p, uint32_t unit, enum tt_code rc,
                         void *data, size_t n, tt_err *err)
{
    tt_link *link = p->ranks ? p->ranks->link : NULL;
    uint32_t owner;
    tt_err words = {.code = rc};
    enum tt_code sent;

    if (!link)
        return rc;
    owner = p->score->owner[unit];
    if (rc != TT_OK)
        words = *err;
    sent = link->ops->share(link, owner, &words.code, sizeof(words.code), err);
    if (sent == TT_OK && words.code == TT_OK)
        return n ? link->ops->share(link, owner, data, n, err) : TT_OK;
    if (sent == TT_OK)
        sent = link->ops->share(link, owner, words.msg, sizeof(words.msg), err);
    return sent == TT_OK ? tt_fail(err, words.code, "%s", words.msg) : sent;
}

static size_t span_bytes(const tt_unit *u, const struct tt_span *s)
{
    size_t n = 0;

    for (size_t i = 0; i < s->n; i++)
        n += tt_port_size(&u->desc->port[s->port[i]]);
    return n;
}

enum tt_code tt_part_get(tt_part *p, uint32_t unit, const struct tt_span *s,
                         tt_err *err)
{
    tt_unit *u = p->unit[unit];

    return tell(p, unit, tt_unit_get(u, s, err), s->value, span_bytes(u, s),
                err);
}

enum tt_code tt_ask_rates(tt_part *p, uint32_t unit, const struct tt_span *s,
                          tt_err *err)
{
    tt_unit *u = p->unit[unit];

    return tell(p, unit, tt_unit_rates(u, s, 1, err), s->value,
                span_bytes(u, s), err);
}

enum tt_code tt_ask_jvp(const tt_part *p, uint32_t unit, const struct tt_jvp *j,
                        tt_err *err)
{
    tt_unit *u = p->unit[unit];
    size_t n = 0;

    for (size_t i = 0; i < j->n_unknown; i++)
        n += u->desc->port[j->unknown[i]].n;
    return tell(p, unit, tt_unit_jvp(u, j, err), j->dv_unknown,
                n * sizeof(*j->dv_unknown), err);
}

enum tt_code tt_part_max_step(tt_part *p, uint32_t unit, double *h, tt_err *err)
{
    return tell(p, unit, tt_unit_max_step(p->unit[unit], h, err), h, sizeof(*h),
                err);
}
