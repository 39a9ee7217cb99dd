/* SPDX-License-Identifier: MIT */
#include "table/scan_impl.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "base/num.h"
#include "table/table.h"

enum tt_code tt_scan_fail(const struct scan *s, const struct cell *c,
                          tt_err *err, const char *fmt, ...)
{
    size_t col = (size_t)(s->p - s->line_start) + 1;
    va_list ap;

    va_start(ap, fmt);
    tt_vfail(err, TT_EINPUT, fmt, ap);
    va_end(ap);
    return tt_context(err, TT_EINPUT, "%s:%zu:%zu", s->file,
                      c ? c->line : s->line, c ? c->col : col);
}

enum tt_code tt_scan_init(struct scan *s, const char *file, const char *data,
                          size_t n, tt_err *err)
{
    const char *nul = memchr(data, '\0', n);

    *s = (struct scan){.file = file,
                       .p = data,
                       .end = data + n,
                       .line_start = data,
                       .line = 1,
                       .sep = ','};
    if (nul)
        return tt_fail(err, TT_EINPUT,
                       "%s: this is not a text file: byte %zu is zero", file,
                       (size_t)(nul - data) + 1);
    if (n >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0)
        s->p = s->line_start = data + 3;
    return TT_OK;
}

static int is_blank(const struct scan *s, char c)
{
    return (c == ' ' || c == '\t' || c == '\r') && c != s->sep;
}

static void next_line(struct scan *s)
{
    s->p++;
    s->line++;
    s->line_start = s->p;
}

int tt_scan_row(struct scan *s)
{
    for (;;) {
        const char *q = s->p;

        while (q < s->end && is_blank(s, *q))
            q++;
        if (q == s->end)
            return 0;
        if (*q != '\n')
            return 1;
        s->p = q;
        next_line(s);
    }
}

void tt_scan_separator(struct scan *s)
{
    int inside = 0, tabs = 0, by_tabs = tt_table_is_tsv(s->file);

    for (const char *q = s->p; q < s->end && (inside || *q != '\n'); q++) {
        if (*q == '"')
            inside = !inside;
        tabs |= !inside && *q == '\t';
        if (!inside && !by_tabs && (*q == ',' || *q == ';')) {
            s->sep = *q;
            return;
        }
    }
    if (tabs)
        s->sep = '\t';
}

/* p is on the opening quote; afterwards it is behind the closing one. */
static enum tt_code quoted_cell(struct scan *s, struct cell *c, tt_err *err)
{
    c->quoted = 1;
    c->s = ++s->p;
    for (; s->p < s->end; s->p++) {
        if (*s->p == '\n') {
            s->line++;
            s->line_start = s->p + 1;
        }
        if (*s->p != '"')
            continue;
        if (s->p + 1 < s->end && s->p[1] == '"') {
            s->p++;
            continue;
        }
        c->n = (size_t)(s->p - c->s);
        s->p++;
        return TT_OK;
    }
    return tt_scan_fail(s, c, err, "this quote is never closed");
}

static void plain_cell(struct scan *s, struct cell *c)
{
    const char *q;

    c->s = s->p;
    while (s->p < s->end && *s->p != s->sep && *s->p != '\n')
        s->p++;
    q = s->p;
    while (q > c->s && is_blank(s, q[-1]))
        q--;
    c->n = (size_t)(q - c->s);
}

enum tt_code tt_scan_cell(struct scan *s, struct cell *c, tt_err *err)
{
    while (s->p < s->end && is_blank(s, *s->p))
        s->p++;
    *c = (struct cell){.line = s->line,
                       .col = (size_t)(s->p - s->line_start) + 1};
    if (s->p < s->end && *s->p == '"') {
        enum tt_code rc = quoted_cell(s, c, err);

        if (rc != TT_OK)
            return rc;
        while (s->p < s->end && is_blank(s, *s->p))
            s->p++;
        if (s->p < s->end && *s->p != s->sep && *s->p != '\n')
            return tt_scan_fail(s, NULL, err,
                                "a separator or the end of the line belongs "
                                "after a closing quote");
    } else {
        plain_cell(s, c);
    }
    if (s->p < s->end && *s->p == s->sep) {
        s->p++;
        return TT_OK;
    }
    c->last = 1;
    if (s->p < s->end)
        next_line(s);
    return TT_OK;
}

size_t tt_scan_lines(const struct scan *s)
{
    const char *p = s->p;
    size_t lines = 0;

    while (p < s->end) {
        const char *nl = memchr(p, '\n', (size_t)(s->end - p));

        if (!nl)
            return lines + 1;
        lines += nl > p;
        p = nl + 1;
    }
    return lines;
}

char *tt_cell_dup(tt_arena *a, const struct cell *c)
{
    char *copy = tt_arena_strndup(a, c->s ? c->s : "", c->n);
    char *to = copy;

    if (!copy || !c->quoted)
        return copy;
    for (size_t i = 0; i < c->n; i++) {
        *to++ = copy[i];
        if (copy[i] == '"')
            i++; /* the scan saw that a second one follows */
    }
    *to = '\0';
    return copy;
}

static int same_word(const struct cell *c, const char *word)
{
    if (c->n != strlen(word))
        return 0;
    for (size_t i = 0; i < c->n; i++)
        if ((c->s[i] | 0x20) != word[i])
            return 0;
    return 1;
}

enum cell_kind tt_cell_number(const struct cell *c, double *v)
{
    *v = (double)NAN;
    if (same_word(c, "true"))
        *v = 1;
    else if (same_word(c, "false"))
        *v = 0;
    else if (c->n > 0 && tt_num_parse_n(c->s, c->n, v) != 0)
        return CELL_TEXT;
    else if (!(*v == floor(*v)) || memchr(c->s, '.', c->n) ||
             memchr(c->s, 'E', c->n) || memchr(c->s, 'e', c->n))
        return CELL_NUMBER;
    return CELL_WHOLE;
}
