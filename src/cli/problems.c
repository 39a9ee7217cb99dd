/* SPDX-License-Identifier: MIT */
#include "cli/problems.h"

#include <stdio.h>
#include <string.h>

static void add(struct tt_problems *p, struct tt_problem_list *list,
                const char *text, const struct tt_spot *place)
{
    struct tt_problem *q;

    if (TT_GROW(list->item, list->n, list->cap) != 0) {
        p->starved = 1;
        return;
    }
    q = &list->item[list->n];
    *q = (struct tt_problem){.text = tt_arena_strdup(p->arena, text)};
    if (place)
        q->place = *place;
    if (q->text)
        list->n++;
    else
        p->starved = 1;
}

static void collect(void *ctx, const struct tt_log_record *r)
{
    struct tt_problems *p = ctx;
    struct tt_spot of_unit = {.line = 0};
    const struct tt_spot *place = r->place;

    if (!place && r->unit) {
        tt_spot_of(&of_unit, r->unit, NULL);
        place = &of_unit;
    }
    if (r->level == TT_LOG_ERROR && !r->unit)
        add(p, &p->error, r->text, place);
    else if (r->level >= TT_LOG_WARN)
        add(p, &p->warning, r->text, place);
    if (r->level != TT_LOG_ERROR && r->level >= p->next->least)
        p->next->sink_cb(p->next->ctx, r);
}

enum tt_code tt_problems_init(struct tt_problems *p, const struct tt_log *next,
                              tt_err *err)
{
    *p = (struct tt_problems){.next = next, .arena = tt_arena_new()};
    p->log = (struct tt_log){
        .sink_cb = collect, .ctx = p, .least = next->least, .all_problems = 1};
    return p->arena ? TT_OK : tt_nomem(err, "checking");
}

void tt_problems_fini(struct tt_problems *p)
{
    TT_FREE_ALL(p->error.item, p->warning.item);
    tt_arena_free(p->arena);
}

void tt_problems_add(struct tt_problems *p, size_t before, const tt_err *err)
{
    if (p->error.n == before)
        add(p, &p->error, err->msg, &err->place);
}

/* --- for machines ----------------------------------------------------------
 */

/* What follows "file:line:column: ", where the place states the same. */
static const char *fact(const struct tt_problem *p)
{
    char front[sizeof(p->place.file) + 64];
    size_t n =
        (size_t)snprintf(front, sizeof(front), "%s:%zu:%zu: ", p->place.file,
                         p->place.line, p->place.column);

    return strncmp(p->text, front, n) == 0 ? p->text + n : p->text;
}

static void put_name(struct tt_buf *b, const char *key, const char *name)
{
    tt_buf_fmt(b, ", \"%s\": ", key);
    tt_buf_json(b, *name ? name : NULL);
}

static void put_number(struct tt_buf *b, const char *key, size_t n)
{
    if (n)
        tt_buf_fmt(b, ", \"%s\": %zu", key, n);
    else
        tt_buf_fmt(b, ", \"%s\": null", key);
}

void tt_problems_json(struct tt_buf *b, const struct tt_problem_list *list)
{
    tt_buf_char(b, '[');
    for (size_t i = 0; i < list->n; i++) {
        const struct tt_problem *p = &list->item[i];

        tt_buf_str(b, i ? ",\n    {\"message\": " : "\n    {\"message\": ");
        tt_buf_json(b, fact(p));
        put_name(b, "file", p->place.file);
        put_number(b, "line", p->place.line);
        put_number(b, "column", p->place.column);
        put_name(b, "unit", p->place.unit);
        put_name(b, "port", p->place.port);
        tt_buf_char(b, '}');
    }
    tt_buf_char(b, ']');
}
