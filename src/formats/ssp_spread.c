/* SPDX-License-Identifier: MIT */
/* Elements of arrays at connectors of systems.
 *
 * A connector may be fed by elements and read whole, or the other way round.
 * First whole connections behind such connectors become one for each element
 * that has a source; then elements of connectors that are fed whole get the
 * element of that source.
 */
#include "formats/ssp_impl.h"

static enum tt_code fail_twice(struct ssp *s, uint32_t pin, struct tt_where w)
{
    const struct ssp_pin *p = &s->pin[pin];

    return tt_sc_fail(s->b, w, TT_EINPUT,
                      "the connector '%s' of '%s' is fed whole and by elements",
                      s->pin[p->whole].name, s->element[p->element].name);
}

/* --- whole ones behind elements ------------------------------------------- */

static int has_fed_parts(const struct ssp *s, uint32_t pin)
{
    uint32_t i = s->pin[pin].part;

    while (i != TT_NONE && s->pin[i].driver == TT_NONE)
        i = s->pin[i].next_part;
    return i != TT_NONE;
}

static enum tt_code split(struct ssp *s, uint32_t pin)
{
    const struct ssp_pin p = s->pin[pin]; /* a copy: they may move */
    uint32_t part;

    if (p.driver == TT_NONE || s->pin[p.driver].driver != TT_NONE ||
        !has_fed_parts(s, p.driver))
        return TT_OK;
    for (uint32_t i = s->pin[p.driver].part; i != TT_NONE;
         i = s->pin[i].next_part) {
        if (s->pin[i].driver == TT_NONE)
            continue;
        part = ssp_get_element_pin(s, pin, s->pin[i].index);
        if (part == TT_NONE)
            return tt_sc_no_memory(s->b);
        if (s->pin[part].driver != TT_NONE)
            return fail_twice(s, part, p.link);
        s->pin[part].driver = i;
        s->pin[part].by = p.by;
        s->pin[part].link = p.link;
    }
    s->pin[pin].driver = TT_NONE;
    return TT_OK;
}

/* What drives a connector is split before it. */
static enum tt_code split_all(struct ssp *s)
{
    uint32_t n = (uint32_t)s->n_pin, depth;
    uint32_t *stack = tt_arena_alloc(s->arena, n, sizeof(*stack));
    char *seen = tt_arena_alloc(s->arena, n, 1);
    enum tt_code rc = TT_OK;

    if (!stack || !seen)
        return tt_sc_no_memory(s->b);
    for (uint32_t i = 0; rc == TT_OK && i < n; i++) {
        depth = 0;
        for (uint32_t p = i; p != TT_NONE && p < n && !seen[p];
             p = s->pin[p].driver) {
            seen[p] = 1;
            stack[depth++] = p;
        }
        while (rc == TT_OK && depth > 0)
            rc = split(s, stack[--depth]);
    }
    return rc;
}

/* --- elements of whole ones ----------------------------------------------- */

static enum tt_code take_element(struct ssp *s, uint32_t pin)
{
    const struct ssp_pin p = s->pin[pin];
    const struct ssp_pin whole = s->pin[p.whole];
    uint32_t from;

    if (whole.driver == TT_NONE)
        return TT_OK;
    if (p.driver != TT_NONE)
        return fail_twice(s, pin, p.link);
    from = ssp_get_element_pin(s, whole.driver, p.index);
    if (from == TT_NONE)
        return tt_sc_no_memory(s->b);
    s->pin[pin].driver = from;
    s->pin[pin].by = whole.by;
    s->pin[pin].link = whole.link;
    return TT_OK;
}

enum tt_code ssp_spread(struct ssp *s)
{
    enum tt_code rc = TT_OK;
    uint32_t i = 0;

    while (i < s->n_pin && s->pin[i].whole == TT_NONE)
        i++;
    if (i == s->n_pin)
        return TT_OK;
    rc = split_all(s);
    for (; rc == TT_OK && i < s->n_pin; i++) /* they become more */
        if (s->pin[i].whole != TT_NONE)
            rc = take_element(s, i);
    return rc;
}
