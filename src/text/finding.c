/* SPDX-License-Identifier: MIT */
#include "text/finding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX 1000 /* bytes of one finding; names in it may be cut */

struct tt_finding_rule {
    const char *rule;
    size_t n; /* met so often */
};

void tt_findings_init(struct tt_findings *f)
{
    *f = (struct tt_findings){.n = 0};
}

void tt_findings_fini(struct tt_findings *f)
{
    TT_FREE_ALL(f->item, f->rule);
    tt_arena_free(f->arena);
    tt_findings_init(f);
}

/* Counts one more of that rule; 0 when out of memory. There are a few dozen
 * rules, and string literals mostly compare by address. */
static size_t rule_count(struct tt_findings *f, const char *rule)
{
    for (size_t i = 0; i < f->rule_n; i++) {
        if (f->rule[i].rule == rule || strcmp(f->rule[i].rule, rule) == 0)
            return ++f->rule[i].n;
    }
    if (TT_GROW(f->rule, f->rule_n, f->rule_cap) != 0)
        return 0;
    f->rule[f->rule_n++] = (struct tt_finding_rule){.rule = rule, .n = 1};
    return 1;
}

static void append(struct tt_findings *f, struct tt_finding item)
{
    if (!f->arena)
        f->arena = tt_arena_new();
    item.text = f->arena ? tt_arena_strdup(f->arena, item.text) : NULL;
    if (!item.text || TT_GROW(f->item, f->n, f->cap) != 0)
        f->failed = 1;
    else
        f->item[f->n++] = item;
}

static void keep(struct tt_findings *f, const struct tt_finding *item)
{
    size_t met = rule_count(f, item->rule);

    f->error_n += item->severity == TT_SEV_ERROR;
    f->warning_n += item->severity == TT_SEV_WARNING;
    f->fatal_n += item->fatal != 0;
    if (met == 0)
        f->failed = 1;
    else if (met <= TT_FINDING_SAME || (item->fatal && f->fatal_n == 1))
        append(f, *item);
}

TT_PRINTF(3, 0)
static void add(struct tt_findings *f, struct tt_finding *item, const char *fmt,
                va_list ap)
{
    char text[TEXT_MAX];

    (void)vsnprintf(text, sizeof(text), fmt, ap);
    item->text = text;
    keep(f, item); /* copies the text */
    item->text = NULL;
}

void tt_findings_add(struct tt_findings *f, enum tt_severity severity, int line,
                     const char *rule, const char *fmt, ...)
{
    struct tt_finding item = {.severity = severity, .line = line, .rule = rule};
    va_list ap;

    va_start(ap, fmt);
    add(f, &item, fmt, ap);
    va_end(ap);
}

void tt_findings_fatal(struct tt_findings *f, int line, const char *rule,
                       const char *fmt, ...)
{
    struct tt_finding item = {
        .severity = TT_SEV_ERROR, .fatal = 1, .line = line, .rule = rule};
    va_list ap;

    va_start(ap, fmt);
    add(f, &item, fmt, ap);
    va_end(ap);
}

int tt_findings_full(const struct tt_findings *f, const char *rule)
{
    for (size_t i = 0; i < f->rule_n; i++) {
        if (f->rule[i].rule == rule || strcmp(f->rule[i].rule, rule) == 0)
            return f->rule[i].n >= TT_FINDING_SAME;
    }
    return 0;
}

void tt_findings_copy(struct tt_findings *f, const struct tt_findings *from)
{
    f->error_n += from->error_n;
    f->warning_n += from->warning_n;
    f->fatal_n += from->fatal_n;
    f->failed |= from->failed;
    for (size_t i = 0; i < from->n; i++)
        append(f, from->item[i]);
}

static int by_line(const void *a, const void *b)
{
    const struct tt_finding *x = a, *y = b;

    if (x->line != y->line)
        return x->line < y->line ? -1 : 1;
    if (x->rule != y->rule)
        return strcmp(x->rule, y->rule);
    return strcmp(x->text, y->text);
}

enum tt_code tt_findings_finish(struct tt_findings *f, tt_err *err)
{
    if (f->n > 1)
        qsort(f->item, f->n, sizeof(*f->item), by_line);
    for (size_t i = 0; i < f->rule_n; i++) {
        size_t more = f->rule[i].n;

        if (more <= TT_FINDING_SAME)
            continue;
        more -= TT_FINDING_SAME;
        f->rule[i].n = 0; /* stated once, and the note below is kept */
        tt_findings_add(f, TT_SEV_NOTE, 0, f->rule[i].rule,
                        "%zu more of this kind are not shown", more);
    }
    if (f->failed)
        return tt_fail(err, TT_ENOMEM, "collecting findings");
    return TT_OK;
}

enum tt_code tt_findings_fail(const struct tt_findings *f, tt_err *err)
{
    char more[64] = "";
    char where[32] = "";

    for (size_t i = 0; i < f->n; i++) {
        const struct tt_finding *x = &f->item[i];

        if (!x->fatal)
            continue;
        if (f->fatal_n > 1)
            (void)snprintf(more, sizeof(more), " (and %zu more)",
                           f->fatal_n - 1);
        if (x->line > 0)
            (void)snprintf(where, sizeof(where), "line %d: ", x->line);
        return tt_fail(err, TT_EINPUT, "%s%s [%s]%s", where, x->text, x->rule,
                       more);
    }
    return TT_OK;
}

const char *tt_severity_name(enum tt_severity s)
{
    static const char *const name[] = {"error", "warning", "note"};

    return name[s];
}
