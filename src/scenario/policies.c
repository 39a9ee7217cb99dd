/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

/* "policies": variants of a scenario among which a run may switch, and
 * "switching": when it does. */

/* "{k}.i.v=3" of each parameter. */
static enum tt_code read_set(struct tt_sc_build *b, const struct tt_doc *d,
                             struct tt_sc_policy *to)
{
    enum tt_code rc = TT_OK;
    const char **set = tt_sc_members(b, d, sizeof(*set), &rc);
    struct tt_sc_ref *ref = tt_arena_alloc(b->s->arena, d->n, sizeof(*ref));
    double *value = tt_arena_alloc(b->s->arena, d->n, sizeof(*value));

    if (rc == TT_OK && d->n && (!ref || !value))
        rc = tt_sc_no_memory(b);
    for (uint32_t i = 0; rc == TT_OK && i < d->n; i++) {
        char number[TT_NUM_MAX];
        struct tt_buf text;
        double x = 0;

        rc = tt_sc_number(b, &d->u.child[i], "parameters", &x);
        if (rc == TT_OK)
            rc = tt_sc_get_ref(b, d->u.child[i].key, d->u.child[i].key_where,
                               &ref[i]);
        if (rc != TT_OK)
            break;
        value[i] = x;
        tt_num_print_short(number, x);
        tt_buf_init(&text, 4096);
        tt_buf_fmt(&text, "%s=%s", d->u.child[i].key, number);
        set[i] = text.failed ? NULL : tt_sc_keep(b, text.data);
        tt_buf_fini(&text);
        rc = set[i] ? TT_OK : tt_sc_no_memory(b);
    }
    to->set = set;
    to->ref = ref;
    to->value = value;
    to->n_set = rc == TT_OK ? d->n : 0;
    return rc;
}

static enum tt_code read_word(struct tt_sc_build *b, const struct tt_doc *v,
                              const char *name, const struct tt_sc_choice *c,
                              const char **to, uint32_t *which)
{
    const struct tt_doc *d = tt_sc_member(v, name);
    enum tt_code rc;

    if (!d)
        return TT_OK;
    rc = tt_sc_choose_doc(b, d, c, which);
    if (rc == TT_OK)
        *to = c->word[*which];
    return rc;
}

/* Takes the text over; an empty one is none. */
static enum tt_code keep_text(struct tt_sc_build *b, struct tt_buf *text,
                              const char **to)
{
    int empty = !text->failed && !text->len;

    *to = text->failed || empty ? NULL : tt_sc_keep(b, text->data);
    tt_buf_fini(text);
    return *to || empty ? TT_OK : tt_sc_no_memory(b);
}

/* As the scenario's own "order", which is read after this. */
static enum tt_code read_order(struct tt_sc_build *b, const struct tt_doc *d,
                               struct tt_sc_policy *to)
{
    struct tt_buf text;
    enum tt_code rc = tt_sc_read_order(b, d);

    if (rc != TT_OK)
        return rc;
    to->order = b->s->order;
    b->s->order = NULL;
    b->s->n_order = 0;
    tt_buf_init(&text, 65536);
    for (uint32_t i = 0; i < d->n; i++)
        tt_buf_fmt(&text, "%s%s", i ? "," : "", d->u.child[i].u.text);
    return keep_text(b, &text, &to->order_text);
}

/* As the scenario's own "rates", of those that differ. */
static enum tt_code read_rates(struct tt_sc_build *b, const struct tt_doc *d,
                               struct tt_sc_policy *to)
{
    struct tt_buf text;
    enum tt_code rc = tt_sc_get_rates(b, d, &to->rate);

    if (rc != TT_OK)
        return rc;
    to->n_rate = d->n;
    tt_buf_init(&text, 65536);
    for (uint32_t i = 0; i < d->n; i++)
        tt_buf_fmt(&text, "%s%s=%u", i ? "," : "", d->u.child[i].key,
                   to->rate[i].rate);
    return keep_text(b, &text, &to->rates);
}

static enum tt_code read_policy(struct tt_sc_build *b, const struct tt_doc *v,
                                struct tt_sc_policy *to)
{
    static const struct {
        const char *name;
        enum tt_code (*read)(struct tt_sc_build *, const struct tt_doc *,
                             struct tt_sc_policy *);
    } more[] = {
        {"order", read_order}, {"rates", read_rates}, {"parameters", read_set}};
    const struct tt_doc *name = NULL;
    uint32_t master = 0, approximation = 0;
    enum tt_code rc = v->kind == TT_DOC_OBJECT
                          ? tt_sc_check_members(b, v, "policy")
                          : tt_sc_wrong(b, v, "policies", "an object");

    *to = (struct tt_sc_policy){.step = (double)NAN};
    if (rc == TT_OK)
        rc = tt_sc_need(b, v, "name", &name);
    if (rc == TT_OK)
        rc = tt_sc_text(b, name, NULL, &to->name);
    if (rc == TT_OK)
        rc = tt_sc_member_number(b, v, "step", &to->step, 0);
    if (rc == TT_OK)
        rc = read_word(b, v, "master", &tt_sc_masters, &to->master, &master);
    to->by = (enum tt_sc_master)master;
    if (rc == TT_OK)
        rc = read_word(b, v, "approximation", &tt_sc_approximations,
                       &to->approximation, &approximation);
    to->course = (enum tt_sc_approx)approximation;
    for (size_t i = 0; i < sizeof(more) / sizeof(more[0]) && rc == TT_OK; i++) {
        const struct tt_doc *d = tt_sc_member(v, more[i].name);

        if (d)
            rc = more[i].read(b, d, to);
    }
    return rc;
}

enum tt_code tt_sc_read_policies(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct tt_sc_policy *all;
    enum tt_code rc = TT_OK;

    if (v->kind != TT_DOC_ARRAY)
        return tt_sc_wrong(b, v, NULL, "an array");
    all = tt_arena_alloc(b->s->arena, v->n, sizeof(*all));
    if (v->n && !all)
        return tt_sc_no_memory(b);
    for (uint32_t i = 0; i < v->n && rc == TT_OK; i++)
        rc = read_policy(b, &v->u.child[i], &all[i]);
    b->s->policy = all;
    b->s->n_policy = rc == TT_OK ? v->n : 0;
    return rc;
}

/* --- switching -------------------------------------------------------------
 */

/* By its name, or its number from 1. */
static enum tt_code find_policy(struct tt_sc_build *b, const struct tt_doc *v,
                                uint32_t *which)
{
    const tt_scenario *s = b->s;

    if (v->kind == TT_DOC_INTEGER && v->u.integer >= 1 &&
        v->u.integer <= (int64_t)s->n_policy) {
        *which = (uint32_t)(v->u.integer - 1);
        return TT_OK;
    }
    for (uint32_t i = 0; v->kind == TT_DOC_TEXT && i < s->n_policy; i++)
        if (strcmp(v->u.text, s->policy[i].name) == 0) {
            *which = i;
            return TT_OK;
        }
    return tt_sc_fail(b, v->where, TT_EINPUT,
                      "'pattern' names policies, or their numbers from 1 to %u",
                      s->n_policy);
}

static enum tt_code read_pattern(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct tt_sc_switching *to = &b->s->switching;
    uint32_t *all;
    enum tt_code rc = TT_OK;

    if (v->kind != TT_DOC_ARRAY || !v->n)
        return tt_sc_wrong(b, v, NULL, "an array of policies");
    if (!TT_NEW_IN(b->s->arena, all, v->n))
        return tt_sc_no_memory(b);
    for (uint32_t i = 0; i < v->n && rc == TT_OK; i++)
        rc = find_policy(b, &v->u.child[i], &all[i]);
    to->pattern = all;
    to->n_pattern = rc == TT_OK ? v->n : 0;
    return rc;
}

static enum tt_code read_by(struct tt_sc_build *b, const struct tt_doc *v)
{
    const char *text = NULL;
    struct tt_sc_ref *ref = tt_arena_alloc(b->s->arena, 1, sizeof(*ref));
    enum tt_code rc = ref ? tt_sc_text(b, v, NULL, &text) : tt_sc_no_memory(b);

    if (rc == TT_OK)
        rc = tt_sc_get_ref(b, text, v->where, ref);
    if (rc == TT_OK)
        b->s->switching.by = ref;
    return rc;
}

static enum tt_code read_rule(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct tt_sc_expect *rule = tt_arena_alloc(b->s->arena, 1, sizeof(*rule));

    b->s->switching.rule = rule;
    return rule ? tt_sc_read_rule(b, v, rule) : tt_sc_no_memory(b);
}

enum tt_code tt_sc_read_switching(struct tt_sc_build *b, const struct tt_doc *v)
{
    const struct tt_doc *pattern, *by, *rule;
    enum tt_code rc = v->kind == TT_DOC_OBJECT
                          ? tt_sc_check_members(b, v, "switching")
                          : tt_sc_wrong(b, v, NULL, "an object");

    if (rc != TT_OK)
        return rc;
    pattern = tt_doc_find(v, "pattern");
    by = tt_doc_find(v, "by");
    rule = tt_doc_find(v, "rule");
    if (!!pattern + !!by + !!rule != 1)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'switching' takes one of 'pattern', 'by' and "
                          "'rule'");
    if (!b->s->n_policy)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'switching' needs 'policies' to switch among");
    return pattern ? read_pattern(b, pattern)
           : by    ? read_by(b, by)
                   : read_rule(b, rule);
}
