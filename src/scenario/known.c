/* SPDX-License-Identifier: MIT */
/* Hints of what instances are: "software", with its rate, and "powerBond". */
#include <math.h>
#include <stdio.h>
#include <strings.h>

#include "base/num.h"
#include "scenario/build_impl.h"

/* "1 MHz", "1.0e+6 hz"; a number is in Hz. */
static int to_hertz(const char *text, double *hertz)
{
    static const struct {
        const char *name;
        double factor;
    } unit[] = {{"Hz", 1}, {"kHz", 1e3}, {"MHz", 1e6}, {"GHz", 1e9}};
    size_t n = strcspn(text, " ");

    if (tt_num_parse_n(text, n, hertz) != 0)
        return 0;
    text += n;
    while (*text == ' ')
        text++;
    for (size_t i = 0; i < sizeof(unit) / sizeof(*unit); i++)
        if (strcasecmp(text, unit[i].name) == 0) {
            *hertz *= unit[i].factor;
            return 1;
        }
    return 0;
}

static enum tt_code read_rate(struct tt_sc_build *b, const struct tt_doc *v,
                              double *rate)
{
    const char *text = NULL;
    enum tt_code rc;

    if (!v || tt_sc_is_null(v))
        return TT_OK;
    if (v->kind != TT_DOC_TEXT) {
        rc = tt_sc_number(b, v, NULL, rate);
    } else {
        rc = tt_sc_text(b, v, NULL, &text);
        if (rc == TT_OK && !to_hertz(text, rate))
            rc = tt_sc_fail(b, v->where, TT_EINPUT,
                            "'rate' is a number and Hz, kHz, MHz or GHz, not "
                            "'%s'",
                            text);
    }
    if (rc == TT_OK && !(*rate > 0 && isfinite(*rate)))
        rc =
            tt_sc_fail(b, v->where, TT_EINPUT, "'rate' must be greater than 0");
    return rc;
}

static enum tt_code read_software(struct tt_sc_build *b, const struct tt_doc *v,
                                  struct tt_sc_known *to)
{
    const struct tt_doc *d = tt_doc_find(v, "software");
    const char *text = NULL;
    enum tt_code rc = tt_sc_check_members(b, v, "software");

    if (rc == TT_OK)
        rc = tt_sc_text(b, d, NULL, &text);
    if (rc == TT_OK)
        rc = tt_sc_get_unit(b, text, d->where, &to->unit);
    if (rc == TT_OK)
        rc = read_rate(b, tt_doc_find(v, "rate"), &to->rate);
    to->name = text;
    for (uint32_t i = 0; i < b->s->n_known && rc == TT_OK; i++)
        if (!b->s->known[i].bond && b->s->known[i].unit == to->unit)
            rc = tt_sc_fail(b, d->where, TT_EINPUT,
                            "'%s' is stated to be software already", text);
    return rc;
}

static enum tt_code read_bond(struct tt_sc_build *b, const struct tt_doc *v,
                              struct tt_sc_known *to)
{
    const struct tt_doc *d = tt_doc_find(v, "powerBond");
    enum tt_code rc = tt_sc_check_members(b, v, "powerBondHint");

    to->bond = 1;
    if (rc == TT_OK)
        rc = tt_sc_texts(b, d);
    if (rc == TT_OK && d->n != 2)
        rc = tt_sc_fail(b, d->where, TT_EINPUT,
                        "'powerBond' names two variables, not %u", d->n);
    for (uint32_t i = 0; i < 2 && rc == TT_OK; i++)
        rc = tt_sc_get_ref(b, d->u.child[i].u.text, d->u.child[i].where,
                           &to->end[i]);
    if (rc == TT_OK)
        to->name = d->u.child[0].u.text;
    return rc;
}

enum tt_code tt_sc_read_known(struct tt_sc_build *b, const struct tt_doc *v)
{
    const struct tt_doc *name = tt_sc_member(v, "name");
    uint32_t n = b->s->n_known;
    struct tt_sc_known *list =
        tt_arena_alloc(b->s->arena, (size_t)n + 1, sizeof(*list));
    enum tt_code rc;

    if (!list)
        return tt_sc_no_memory(b);
    if (n)
        memcpy(list, b->s->known, n * sizeof(*list));
    list[n] = (struct tt_sc_known){.rate = (double)NAN, .where = v->where};
    rc = tt_doc_find(v, "software") ? read_software(b, v, &list[n])
                                    : read_bond(b, v, &list[n]);
    if (rc == TT_OK && name)
        rc = tt_sc_text(b, name, NULL, &list[n].name);
    if (rc != TT_OK)
        return rc;
    list[n].name = tt_sc_keep(b, list[n].name);
    b->s->known = list;
    b->s->n_known++;
    return list[n].name ? TT_OK : tt_sc_no_memory(b);
}
