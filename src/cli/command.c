/* SPDX-License-Identifier: MIT */
#include "cli/command.h"

#include <math.h>
#include <string.h>

#include "base/names.h"
#include "base/num.h"
#include "base/show.h"

enum { KEY_ID, KEY_DO, KEY_SET, KEY_GET, KEY_STEPS, KEY_TO, KEY_FACTOR, KEY_N };

static const char *const key_name[KEY_N] = {"id",    "do", "set",   "get",
                                            "steps", "to", "factor"};
#define BIT(key) (1u << (unsigned)(key))

static const struct {
    const char *name;
    unsigned takes; /* besides id and do */
} verb[TT_DO_N] = {
    [TT_DO_PAUSE] = {"pause", 0},
    [TT_DO_RESUME] = {"resume", 0},
    [TT_DO_STOP] = {"stop", 0},
    [TT_DO_STEP] = {"step",
                    BIT(KEY_SET) | BIT(KEY_GET) | BIT(KEY_STEPS) | BIT(KEY_TO)},
    [TT_DO_SET] = {"set", BIT(KEY_SET)},
    [TT_DO_GET] = {"get", BIT(KEY_GET)},
    [TT_DO_PACE] = {"pace", BIT(KEY_FACTOR)},
};

static const char *key_of(const void *ctx, size_t i)
{
    (void)ctx;
    return key_name[i];
}

static const char *verb_of(const void *ctx, size_t i)
{
    (void)ctx;
    return verb[i].name;
}

static enum tt_code unknown(const char *what, const char *wrong,
                            const char *near, tt_err *err)
{
    if (near)
        return tt_fail(err, TT_EINPUT,
                       "there is no %s '%s'; did you mean '%s'?", what, wrong,
                       near);
    return tt_fail(err, TT_EINPUT, "there is no %s '%s'", what, wrong);
}

static enum tt_code wrong(const struct tt_doc *v, const char *want, tt_err *err)
{
    return tt_fail(err, TT_EINPUT, "'%s' must be %s, not %s", v->key, want,
                   tt_doc_kind_text(v->kind));
}

static int is_number(const struct tt_doc *v)
{
    return v->kind == TT_DOC_INTEGER || v->kind == TT_DOC_NUMBER;
}

/* Each member by its key; one that is not known is an error. */
static enum tt_code sort(const struct tt_doc *line,
                         const struct tt_doc *member[KEY_N], tt_err *err)
{
    for (uint32_t i = 0; i < line->n; i++) {
        const struct tt_doc *v = &line->u.child[i];
        size_t k = 0;

        while (k < KEY_N && strcmp(v->key, key_name[k]) != 0)
            k++;
        if (k == KEY_N)
            return unknown("field", v->key,
                           tt_names_nearest(v->key, KEY_N, key_of, NULL), err);
        if (member[k])
            return tt_fail(err, TT_EINPUT, "'%s' appears twice", v->key);
        member[k] = v;
    }
    return TT_OK;
}

static enum tt_code read_verb(struct tt_command *c,
                              const struct tt_doc *const member[KEY_N],
                              tt_err *err)
{
    const struct tt_doc *v = member[KEY_DO];
    int k = 0;

    if (!v)
        return tt_fail(err, TT_EINPUT,
                       "a command lacks \"do\": \"pause\", \"resume\", "
                       "\"stop\", \"step\", \"set\", \"get\" or "
                       "\"pace\"");
    if (v->kind != TT_DOC_TEXT)
        return wrong(v, "a string", err);
    while (k < TT_DO_N && strcmp(v->u.text, verb[k].name) != 0)
        k++;
    if (k == TT_DO_N)
        return unknown("command", v->u.text,
                       tt_names_nearest(v->u.text, TT_DO_N, verb_of, NULL),
                       err);
    c->what = (enum tt_do)k;
    for (int i = KEY_SET; i < KEY_N; i++)
        if (member[i] && !(verb[k].takes & BIT(i)))
            return tt_fail(err, TT_EINPUT, "'%s' takes no '%s'", verb[k].name,
                           key_name[i]);
    return TT_OK;
}

static enum tt_code read_set(struct tt_command *c, const struct tt_doc *v,
                             tt_err *err)
{
    if (!v)
        return TT_OK;
    if (v->kind != TT_DOC_OBJECT)
        return wrong(v, "an object of variables and their values", err);
    for (uint32_t i = 0; i < v->n; i++)
        if (!is_number(&v->u.child[i]) && v->u.child[i].kind != TT_DOC_BOOL &&
            v->u.child[i].kind != TT_DOC_TEXT)
            return wrong(&v->u.child[i], "a number, a boolean or a string",
                         err);
    c->set = v;
    return TT_OK;
}

static enum tt_code read_get(struct tt_command *c, const struct tt_doc *v,
                             tt_err *err)
{
    int texts = v && v->kind == TT_DOC_ARRAY;

    if (!v)
        return TT_OK;
    for (uint32_t i = 0; texts && i < v->n; i++)
        texts = v->u.child[i].kind == TT_DOC_TEXT;
    if (!texts)
        return tt_fail(err, TT_EINPUT, "'get' must be an array of strings");
    c->get = v;
    return TT_OK;
}

static double number_of(const struct tt_doc *v)
{
    return v->kind == TT_DOC_NUMBER ? v->u.number : (double)v->u.integer;
}

static enum tt_code read_factor(struct tt_command *c, const struct tt_doc *v,
                                tt_err *err)
{
    if (c->what != TT_DO_PACE)
        return TT_OK;
    if (!v || !is_number(v) || !(number_of(v) > 0) || !isfinite(number_of(v)))
        return tt_fail(err, TT_EINPUT,
                       "'pace' needs a 'factor' greater than 0");
    c->factor = number_of(v);
    return TT_OK;
}

static enum tt_code read_length(struct tt_command *c,
                                const struct tt_doc *const member[KEY_N],
                                tt_err *err)
{
    const struct tt_doc *steps = member[KEY_STEPS], *to = member[KEY_TO];

    if (steps && to)
        return tt_fail(err, TT_EINPUT, "'steps' and 'to' exclude each other");
    if (steps && (steps->kind != TT_DOC_INTEGER || steps->u.integer < 1))
        return tt_fail(err, TT_EINPUT,
                       "'steps' must be a whole number, 1 or "
                       "more");
    if (to && !is_number(to))
        return wrong(to, "a number", err);
    if (steps)
        c->steps = (uint64_t)steps->u.integer;
    if (to)
        c->to = number_of(to);
    return TT_OK;
}

enum tt_code tt_command_parse(struct tt_command *c, const char *line, size_t n,
                              tt_arena *arena, tt_err *err)
{
    const struct tt_text_file text = {"command", line, n};
    const struct tt_doc *member[KEY_N] = {NULL};
    struct tt_doc *doc = tt_arena_alloc(arena, 1, sizeof(*doc));
    enum tt_code rc;

    *c = (struct tt_command){.steps = 1, .to = (double)NAN};
    if (!doc)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    rc = tt_doc_parse(doc, &text, 0, arena, arena, err);
    if (rc == TT_OK && doc->kind != TT_DOC_OBJECT)
        rc = tt_fail(err, TT_EINPUT, "a command is an object, not %s",
                     tt_doc_kind_text(doc->kind));
    if (rc == TT_OK)
        rc = sort(doc, member, err);
    if (member[KEY_ID] && is_number(member[KEY_ID]))
        c->id = member[KEY_ID];
    if (rc == TT_OK && member[KEY_ID] && !c->id)
        rc = wrong(member[KEY_ID], "a number", err);
    if (rc == TT_OK)
        rc = read_verb(c, member, err);
    if (rc == TT_OK)
        rc = read_set(c, member[KEY_SET], err);
    if (rc == TT_OK)
        rc = read_get(c, member[KEY_GET], err);
    if (rc == TT_OK)
        rc = read_length(c, member, err);
    if (rc == TT_OK)
        rc = read_factor(c, member[KEY_FACTOR], err);
    if (rc == TT_OK && ((c->what == TT_DO_SET && !c->set) ||
                        (c->what == TT_DO_GET && !c->get)))
        rc = tt_fail(err, TT_EINPUT, "'%s' lacks what to %s",
                     verb[c->what].name, verb[c->what].name);
    return rc;
}

void tt_command_answer(struct tt_buf *b, const struct tt_command *c)
{
    char number[TT_NUM_MAX];

    tt_buf_char(b, '{');
    if (!c->id)
        return;
    tt_buf_str(b, "\"id\":");
    if (c->id->kind == TT_DOC_INTEGER)
        tt_buf_add(b, number, tt_num_print_i64(number, c->id->u.integer));
    else
        tt_show_json_num(b, c->id->u.number);
    tt_buf_char(b, ',');
}
