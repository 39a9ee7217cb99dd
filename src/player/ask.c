/* SPDX-License-Identifier: MIT */
/* What units are asked out of the order of a score: derivatives, their longest
 * step, a value. With several ranks the owner asks and all get the answer; all
 * ranks ask the same. */
#include <string.h>

#include "player/ranks.h"

/* The answer goes to everyone, good or bad. */
static enum tt_code share(const tt_part *p, uint32_t unit, enum tt_code rc,
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

/* The bytes of a long text, of which everyone has the length. */
static enum tt_code share_text(const tt_part *p, uint32_t unit,
                               struct tt_text *t, tt_err *err)
{
    tt_link *link = p->ranks->link;
    uint32_t owner = p->score->owner[unit], n = t->n;
    tt_texts *texts = p->unit[unit]->texts;
    char *bytes = tt_alloc(n);
    const char *data =
        link->rank == owner ? tt_text_data(texts, t, err) : bytes;
    enum tt_code rc = TT_ENOMEM;

    if (bytes && data) {
        if (data != bytes)
            memcpy(bytes, data, n);
        rc = link->ops->share(link, owner, bytes, n, err);
    }
    if (rc == TT_OK)
        rc = tt_text_put(texts, t, bytes, n, err);
    tt_free(bytes);
    return rc;
}

static enum tt_code share_texts(const tt_part *p, uint32_t unit,
                                const struct tt_span *s, tt_err *err)
{
    const struct tt_desc *d = p->unit[unit]->desc;
    enum tt_type type = d->port[s->port[0]].type;
    size_t n = tt_desc_elements(d, s->port, s->n);
    struct tt_text *t = s->value;
    enum tt_code rc = TT_OK;

    if (!p->ranks || !tt_type_is_text(type))
        return TT_OK;
    for (size_t i = 0; i < n && rc == TT_OK; i++)
        if (tt_bytes_is_cut(&t[i]))
            rc = share_text(p, unit, &t[i], err);
    return rc;
}

enum tt_code tt_part_get(tt_part *p, uint32_t unit, const struct tt_span *s,
                         tt_err *err)
{
    tt_unit *u = p->unit[unit];

    enum tt_code rc =
        share(p, unit, tt_unit_get(u, s, err), s->value, span_bytes(u, s), err);

    return rc == TT_OK ? share_texts(p, unit, s, err) : rc;
}

enum tt_code tt_ask_rates(tt_part *p, uint32_t unit, const struct tt_span *s,
                          tt_err *err)
{
    tt_unit *u = p->unit[unit];

    return share(p, unit, tt_unit_rates(u, s, 1, err), s->value,
                 span_bytes(u, s), err);
}

enum tt_code tt_ask_jvp(const tt_part *p, uint32_t unit, const struct tt_jvp *j,
                        tt_err *err)
{
    tt_unit *u = p->unit[unit];
    size_t n = 0;

    for (size_t i = 0; i < j->n_unknown; i++)
        n += u->desc->port[j->unknown[i]].n;
    return share(p, unit, tt_unit_jvp(u, j, err), j->dv_unknown,
                 n * sizeof(*j->dv_unknown), err);
}

enum tt_code tt_part_max_step(tt_part *p, uint32_t unit, double *h, tt_err *err)
{
    return share(p, unit, tt_unit_max_step(p->unit[unit], h, err), h,
                 sizeof(*h), err);
}
