/* SPDX-License-Identifier: MIT */
/* Model exchange: which derivatives of a system follow which of its states, as
 * the FMUs declare it of themselves and connections lead on. */
#include <string.h>

#include "kinds/me_impl.h"
#include "base/lists.h"

struct walk {
    const struct tt_kme_system *s;
    uint8_t *pattern; /* n_x * n_x, row by row */
    uint32_t *base;   /* per member: of its first variable in seen */
    uint8_t *seen;    /* per variable of all members */
    size_t n_seen;
    uint32_t column;
};

/* Does it follow this variable? What is not declared may follow all. */
static int follows(const struct tt_md_unknown *u, uint32_t var)
{
    return !u->known || tt_list_has(u->dep, u->dep_n, var);
}

int tt_kme_output_follows(const struct tt_md *md, uint32_t out, uint32_t var)
{
    for (uint32_t i = 0; i < md->output.n && out != var; i++)
        if (md->output.item[i].var == out)
            return follows(&md->output.item[i], var);
    return 1;
}

static void follow(struct walk *w, uint32_t member, uint32_t var)
{
    const struct tt_exchange *x = &w->s->exchange;
    const struct tt_kme *m = w->s->member[member]->me;
    const struct tt_md *md = w->s->member[member]->type->md;

    if (w->seen[w->base[member] + var])
        return;
    w->seen[w->base[member] + var] = 1;
    for (uint32_t i = 0; i < md->derivative.n; i++)
        if (follows(&md->derivative.item[i], var))
            w->pattern[(size_t)(m->first_x + i) * w->s->n_x + w->column] = 1;
    for (uint32_t f = 0; f < x->n_feed; f++)
        if (x->feed[f].from == member &&
            tt_kme_output_follows(md, x->feed[f].out, var))
            follow(w, x->feed[f].to, x->feed[f].in);
}

/* All states are scalar variables that are named. */
static int is_declared(const struct tt_kme_system *s)
{
    for (uint32_t i = 0; i < s->n; i++) {
        const struct tt_md *md = s->member[i]->type->md;

        if (md->derivative.n != s->member[i]->me->n_x)
            return 0;
        for (uint32_t k = 0; k < md->derivative.n; k++)
            if (md->var[md->derivative.item[k].var].derivative_of == TT_NONE)
                return 0;
    }
    return s->n_x > 0;
}

static void fill(struct walk *w)
{
    for (uint32_t i = 0; i < w->s->n; i++) {
        const struct tt_md *md = w->s->member[i]->type->md;

        for (uint32_t k = 0; k < md->derivative.n; k++) {
            memset(w->seen, 0, w->n_seen);
            w->column = w->s->member[i]->me->first_x + k;
            follow(w, i, md->var[md->derivative.item[k].var].derivative_of);
        }
    }
}

static int make_room(struct walk *w)
{
    if (!TT_NEW_ARRAY(w->base, w->s->n))
        return 0;
    for (uint32_t i = 0; i < w->s->n; i++) {
        w->base[i] = (uint32_t)w->n_seen;
        w->n_seen += w->s->member[i]->type->md->var_n;
    }
    return TT_NEW_ARRAY(w->seen, w->n_seen) &&
           TT_NEW_ARRAY(w->pattern, (size_t)w->s->n_x * w->s->n_x);
}

enum tt_code tt_kme_plan_pattern(struct tt_kme_system *s, tt_err *err)
{
    struct walk w = {.s = s};
    enum tt_code rc = TT_OK;

    if (!is_declared(s))
        return TT_OK;
    if (make_room(&w))
        fill(&w);
    else
        rc = tt_fail(err, TT_ENOMEM, "dependencies of %u states", s->n_x);
    s->pattern = w.pattern;
    TT_FREE_ALL(w.base, w.seen);
    return rc;
}
