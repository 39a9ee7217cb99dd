/* SPDX-License-Identifier: MIT */
/* Crossings that are located: "locate" of "events". Each is an instance of kind
 * locate, with the outputs that its expression names connected to it. */
#include "scenario/build_impl.h"

#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "expr/expr.h"

#define INSTANCE "locate"

static const struct tt_doc *list_of(const struct tt_doc *events)
{
    const struct tt_doc *v = events && events->kind == TT_DOC_OBJECT
                                 ? tt_doc_find(events, "locate")
                                 : NULL;

    return v && !tt_sc_is_null(v) ? v : NULL;
}

static const char *kept(struct tt_sc_build *b, const char *front,
                        const char *text, const char *back)
{
    struct tt_buf t;
    const char *copy;

    tt_buf_init(&t, TT_DOC_MAX);
    tt_buf_fmt(&t, "%s%s%s", front, text, back);
    copy = t.failed ? NULL : tt_sc_keep(b, t.data);
    tt_buf_fini(&t);
    return copy;
}

/* --- the expression ------------------------------------------------------- */

/* A byte of a text that is written as it is read. */
static struct tt_where within(const struct tt_doc *v, size_t byte)
{
    struct tt_where w = v->where;

    w.offset += 1 + (uint32_t)byte;
    return w;
}

/* Messages of expressions begin "line:column: ", in characters. */
static enum tt_code fail_expression(struct tt_sc_build *b,
                                    const struct tt_doc *v, const char *message)
{
    const char *s = v->u.text, *fact = strstr(message, ": ");
    const char *column = strchr(message, ':');
    unsigned long n = column ? strtoul(column + 1, NULL, 10) : 0;

    if (!fact || !n || strncmp(message, "1:", 2) != 0)
        return tt_sc_fail(b, v->where, TT_EINPUT, "'when': %s", message);
    for (; n > 1 && *s; n--)
        do
            s++;
        while (((unsigned char)*s & 0xc0) == 0x80);
    return tt_sc_fail(b, within(v, (size_t)(s - v->u.text)), TT_EINPUT,
                      "'when': %s", fact + 2);
}

/* Which variables there are is the plan's matter: all are taken for numbers. */
static int find(void *ctx, const char *name, struct tt_expr_variable *v)
{
    struct tt_sc_parts p;

    (void)ctx;
    (void)v;
    return tt_sc_split(name, &p);
}

static enum tt_code compile(struct tt_sc_build *b, const struct tt_doc *v,
                            tt_expr *e)
{
    static const struct tt_expr_scope scope = {.offers = TT_EXPR_WITH_T,
                                               .find = find};
    tt_err err = {.code = TT_OK};
    enum tt_code rc = tt_expr_compile(e, v->u.text, &scope, b->nodes, &err);

    if (rc == TT_ENOMEM)
        return tt_sc_no_memory(b);
    if (rc != TT_OK)
        return fail_expression(b, v, err.msg);
    if (e->kind != TT_EXPR_NUMBER && e->kind != TT_EXPR_BOOL)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'when' is a number or a condition, not %s",
                          tt_expr_kind_name(e->kind));
    return e->n_ref
               ? TT_OK
               : tt_sc_fail(b, v->where, TT_EINPUT, "'when' names no variable");
}

/* --- one of them ---------------------------------------------------------- */

static enum tt_code read_name(struct tt_sc_build *b, const struct tt_doc *v,
                              uint32_t i, struct tt_sc_word *key)
{
    const struct tt_doc *d = tt_doc_find(v, "name");
    const char *name = NULL;
    char number[32];
    enum tt_code rc = d ? tt_sc_text(b, d, NULL, &name) : TT_OK;

    if (rc != TT_OK)
        return rc;
    tt_num_print_short(number, i + 1);
    key->where = d ? d->where : v->where;
    key->text =
        name ? kept(b, "{", name, "}") : kept(b, "{crossing", number, "}");
    if (!key->text)
        return tt_sc_no_memory(b);
    if (tt_names_find(&b->fmu_by_key, key->text) != TT_NONE)
        return tt_sc_fail(b, key->where, TT_EINPUT,
                          "a crossing is called as the FMU '%s': give it "
                          "another 'name'",
                          key->text);
    return TT_OK;
}

static enum tt_code read_tolerance(struct tt_sc_build *b,
                                   const struct tt_doc *v, double *out)
{
    const struct tt_doc *d = tt_doc_find(v, "tolerance");
    char text[TT_NUM_MAX];
    enum tt_code rc = d ? tt_sc_number(b, d, NULL, out) : TT_OK;

    if (rc != TT_OK || *out > 0)
        return rc;
    tt_num_print_short(text, *out);
    return tt_sc_fail(b, d->where, TT_EINPUT,
                      "'tolerance' must be greater than 0, not %s", text);
}

static enum tt_code add_unit(struct tt_sc_build *b, struct tt_sc_word key,
                             const struct tt_doc *when, uint32_t *unit)
{
    const char *source = kept(b, "tutti:locate: ", when->u.text, "");
    const char *name = kept(b, key.text, "." INSTANCE, "");
    struct tt_sc_parts p;
    enum tt_code rc;

    if (!source || !name)
        return tt_sc_no_memory(b);
    rc = tt_sc_add_fmu(b, key, (struct tt_sc_word){source, when->where});
    if (rc == TT_OK)
        rc = tt_sc_split_unit(b, name, key.where, &p);
    return rc == TT_OK
               ? tt_sc_mention(b, &p, key.where, TT_SC_BY_CONNECTION, unit)
               : rc;
}

static enum tt_code add_one(struct tt_sc_build *b, const struct tt_doc *v,
                            uint32_t i, struct tt_sc_locate *to)
{
    static const char *const word[] = {"both", "up", "down"};
    static const struct tt_sc_choice directions = {"'direction'", word, 3};
    const struct tt_doc *when = NULL;
    const char *text;
    struct tt_sc_word key;
    uint32_t direction = 0;
    tt_expr e;
    enum tt_code rc = v->kind == TT_DOC_OBJECT
                          ? tt_sc_check_members(b, v, "locate")
                          : tt_sc_wrong(b, v, "locate", "an object");

    if (rc == TT_OK && !(when = tt_doc_find(v, "when")))
        rc = tt_sc_fail(b, v->where, TT_EINPUT, "a crossing lacks 'when'");
    if (rc == TT_OK)
        rc = tt_sc_text(b, when, NULL, &text);
    if (rc == TT_OK)
        rc = compile(b, when, &e);
    if (rc == TT_OK)
        rc = tt_sc_member_word(b, v, "direction", &directions, &direction);
    *to = (struct tt_sc_locate){.up = direction != 2,
                                .down = direction != 1,
                                .tolerance = TT_SC_LOCATE_TOLERANCE,
                                .where = v->where};
    if (rc == TT_OK)
        rc = read_tolerance(b, v, &to->tolerance);
    if (rc == TT_OK)
        rc = read_name(b, v, i, &key);
    if (rc == TT_OK)
        rc = add_unit(b, key, when, &to->unit);
    return rc;
}

static enum tt_code check_use(struct tt_sc_build *b, const struct tt_doc *v)
{
    if (v->kind != TT_DOC_ARRAY)
        return tt_sc_wrong(b, v, NULL, "an array of crossings");
    if (b->s->inside)
        return tt_sc_fail(b, v->where, TT_EUNSUPPORTED,
                          "'locate' of a scenario inside another one is not "
                          "supported: locate its outputs outside");
    if (b->s->dialect)
        return tt_sc_fail(b, v->where, TT_EUNSUPPORTED,
                          "crossings cannot be located where steps are "
                          "Maestro's ('dialect')");
    return TT_OK;
}

enum tt_code tt_sc_add_locators(struct tt_sc_build *b,
                                const struct tt_doc *events)
{
    const struct tt_doc *v = list_of(events);
    struct tt_sc_locate *l;
    enum tt_code rc = v ? check_use(b, v) : TT_OK;

    if (!v || rc != TT_OK)
        return rc;
    l = tt_arena_alloc(b->s->arena, v->n, sizeof(*l));
    if (!l)
        return tt_sc_no_memory(b);
    for (uint32_t i = 0; i < v->n && rc == TT_OK; i++)
        rc = add_one(b, &v->u.child[i], i, &l[i]);
    b->s->locate = l;
    b->s->n_locate = v->n;
    return rc;
}

/* --- connections ---------------------------------------------------------- */

static enum tt_code connect_variables(struct tt_sc_build *b,
                                      const struct tt_doc *when,
                                      const char *name)
{
    tt_expr e;
    enum tt_code rc = compile(b, when, &e);

    for (uint32_t i = 0; rc == TT_OK && i < e.n_ref; i++) {
        const char *at = strstr(when->u.text, e.ref[i].name);
        char number[TT_NUM_MAX];
        struct tt_sc_word from = {tt_sc_keep(b, e.ref[i].name),
                                  at ? within(when, (size_t)(at - when->u.text))
                                     : when->where};
        struct tt_sc_word to = {.where = from.where};

        tt_num_print_short(number, i + 1);
        to.text = kept(b, name, ".x", number);
        if (!from.text || !to.text)
            return tt_sc_no_memory(b);
        rc = tt_sc_connect(b, from, &to, 1);
    }
    return rc;
}

/* A clock of the crossing to those that a member names, if it does. */
static enum tt_code connect_clock(struct tt_sc_build *b, const struct tt_doc *v,
                                  const char *name, const char *clock)
{
    struct tt_sc_word from = {kept(b, name, clock, ""), v->where}, *to;
    uint32_t n;
    enum tt_code rc;

    if (!from.text)
        return tt_sc_no_memory(b);
    if (tt_sc_is_null(v))
        return TT_OK;
    rc = tt_sc_words(b, v, 1, &to, &n);
    return rc == TT_OK ? tt_sc_connect(b, from, to, n) : rc;
}

static enum tt_code connect_one(struct tt_sc_build *b, const struct tt_doc *v,
                                const char *name)
{
    const struct tt_doc *emit = tt_doc_find(v, "emit");
    const struct tt_doc *rest = tt_doc_find(v, "rest");
    enum tt_code rc = connect_variables(b, tt_doc_find(v, "when"), name);

    if (rc == TT_OK && emit)
        rc = connect_clock(b, emit, name, ".crossed");
    if (rc == TT_OK && rest)
        rc = connect_clock(b, rest, name, ".rests");
    return rc;
}

enum tt_code tt_sc_connect_locators(struct tt_sc_build *b,
                                    const struct tt_doc *events)
{
    const struct tt_doc *v = list_of(events);
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < b->s->n_locate && rc == TT_OK; i++)
        rc = connect_one(b, &v->u.child[i],
                         b->unit[b->s->locate[i].unit].unit.name);
    return rc;
}
