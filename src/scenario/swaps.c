/* SPDX-License-Identifier: MIT */
/* Maestro's "modelSwaps", as a script: where stepCondition begins to hold the
 * new instance steps, by its own clock; where swapCondition does, inputs follow
 * what swapConnections states, and the old one steps no more. Both are for
 * good. */
#include "scenario/script_impl.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

/* --- conditions ----------------------------------------------------------- */

static int is_name(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '.';
}

/* "instance.port" becomes "{key}.instance.port", true 1 and false 0. */
static enum tt_code put_word(struct script_draft *d, const struct tt_doc *v,
                             const char *word, size_t n, struct tt_buf *out)
{
    const char *dot = memchr(word, '.', n);
    uint32_t unit;
    enum tt_code rc;

    if (n == 4 && !strncmp(word, "true", n))
        tt_buf_char(out, '1');
    else if (n == 5 && !strncmp(word, "false", n))
        tt_buf_char(out, '0');
    if ((n == 4 && !strncmp(word, "true", n)) ||
        (n == 5 && !strncmp(word, "false", n)))
        return TT_OK;
    if (dot && !isdigit((unsigned char)*word)) {
        const char *name =
            tt_arena_strndup(d->b->nodes, word, (size_t)(dot - word));

        if (!name)
            return tt_sc_no_memory(d->b);
        rc = tt_sc_get_unit(d->b, name, v->where, &unit);
        if (rc != TT_OK)
            return rc;
        tt_buf_str(out, d->b->unit[unit].unit.name);
        n -= (size_t)(dot - word);
        word = dot;
    }
    tt_buf_add(out, word, n);
    return TT_OK;
}

static enum tt_code translate(struct script_draft *d, const struct tt_doc *v,
                              const char **text)
{
    const char *s = v->u.text;
    struct tt_buf out;
    enum tt_code rc = TT_OK;

    tt_buf_init(&out, TT_DOC_MAX);
    while (*s && rc == TT_OK) {
        size_t n = 0;

        while (is_name(s[n]))
            n++;
        if (n)
            rc = put_word(d, v, s, n, &out);
        else
            tt_buf_char(&out, s[n++]);
        s += n;
    }
    if (rc == TT_OK && (out.failed || !(*text = tt_sc_keep(d->b, out.data))))
        rc = tt_sc_no_memory(d->b);
    tt_buf_fini(&out);
    return rc;
}

/* One that names no variable holds from the start, or never. */
static enum tt_code read_condition(struct script_draft *d,
                                   const struct tt_doc *v, struct tt_sc_cue *c)
{
    struct tt_doc own = *v;
    tt_expr e;
    const char *text;
    enum tt_code rc = tt_sc_text(d->b, v, NULL, &text);

    if (rc == TT_OK)
        rc = translate(d, v, &own.u.text);
    if (rc == TT_OK)
        rc = tt_sc_expression(d->b, &own, &e);
    if (rc != TT_OK || e.n_ref || e.uses_t)
        return rc == TT_OK ? script_condition(d, &own, 0, &c->when) : rc;
    c->at = tt_expr_value(&e, &(struct tt_expr_at){0}) != 0 ? -(double)INFINITY
                                                            : (double)INFINITY;
    return TT_OK;
}

/* --- one of them ---------------------------------------------------------- */

struct swap {
    const struct tt_doc *v;
    uint32_t from, to; /* instances */
};

static struct tt_sc_cue cue_of(struct script_draft *d, const struct swap *s,
                               const char *what)
{
    return (struct tt_sc_cue){.name = tt_sc_join(d->b, s->v->key, what, ""),
                              .at = (double)NAN,
                              .lasts = (double)NAN,
                              .first = d->s.n_action,
                              .where = s->v->where};
}

static enum tt_code put_cue(struct script_draft *d, struct tt_sc_cue *c)
{
    c->n = d->s.n_action - c->first;
    return c->name ? script_cue(d, c) : tt_sc_no_memory(d->b);
}

static enum tt_code put_sleeper(struct script_draft *d, uint32_t unit,
                                enum tt_sc_act act, struct tt_where w)
{
    struct tt_sc_action a = {.act = act, .where = w};
    enum tt_code rc = script_sleeper(d, unit, act == TT_SC_ACT_SLEEP, &a.which);

    a.label = script_label(
        d, act == TT_SC_ACT_SLEEP ? "no more steps of " : "steps of ",
        d->b->unit[unit].unit.name, "", "");
    return rc == TT_OK ? script_add(d, &a) : rc;
}

static enum tt_code read_step(struct script_draft *d, const struct swap *s)
{
    const struct tt_doc *v = tt_doc_find(s->v, "stepCondition");
    struct tt_sc_cue c = cue_of(d, s, ": step");
    enum tt_code rc = put_sleeper(d, s->to, TT_SC_ACT_WAKE, s->v->where);

    c.at = -(double)INFINITY; /* none is given: from the start */
    if (rc == TT_OK && v) {
        c.at = (double)NAN;
        rc = read_condition(d, v, &c);
    }
    return rc == TT_OK ? put_cue(d, &c) : rc;
}

static enum tt_code read_swap(struct script_draft *d, const struct swap *s)
{
    const struct tt_doc *v = tt_doc_find(s->v, "swapCondition");
    const struct tt_doc *to = tt_doc_find(s->v, "swapConnections");
    struct tt_sc_cue c = cue_of(d, s, ": swap");
    enum tt_code rc =
        v ? TT_OK
          : tt_sc_fail(d->b, s->v->where, TT_EINPUT,
                       "the swap of '%s' lacks 'swapCondition'", s->v->key);

    if (rc == TT_OK && to)
        rc = tt_sc_object(d->b, to);
    for (uint32_t i = 0; to && i < to->n && rc == TT_OK; i++)
        rc = script_do_connect(d, &to->u.child[i]);
    if (rc == TT_OK)
        rc = put_sleeper(d, s->from, TT_SC_ACT_SLEEP, s->v->where);
    if (rc == TT_OK)
        rc = read_condition(d, v, &c);
    return rc == TT_OK ? put_cue(d, &c) : rc;
}

static enum tt_code read_one(struct script_draft *d, const struct tt_doc *v)
{
    struct swap s = {.v = v};
    const struct tt_doc *to;
    const char *name;
    enum tt_code rc = tt_sc_check_members(d->b, v, "modelSwap");

    if (rc == TT_OK)
        rc = tt_sc_need(d->b, v, "swapInstance", &to);
    if (rc == TT_OK)
        rc = tt_sc_text(d->b, to, NULL, &name);
    if (rc == TT_OK)
        rc = tt_sc_get_unit(d->b, v->key, v->key_where, &s.from);
    if (rc == TT_OK)
        rc = tt_sc_get_unit(d->b, name, to->where, &s.to);
    if (rc == TT_OK && s.from == s.to)
        rc = tt_sc_fail(d->b, to->where, TT_EINPUT,
                        "'%s' cannot take its own place", name);
    if (rc == TT_OK)
        rc = read_step(d, &s);
    return rc == TT_OK ? read_swap(d, &s) : rc;
}

enum tt_code tt_sc_read_swaps(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct script_draft d = {.b = b};
    enum tt_code rc = tt_sc_object(b, v);

    if (rc != TT_OK || !v->n)
        return rc;
    rc = script_begin(&d, v);
    for (uint32_t i = 0; i < v->n && rc == TT_OK; i++)
        rc = read_one(&d, &v->u.child[i]);
    return script_end(&d, rc);
}
