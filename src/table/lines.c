/* SPDX-License-Identifier: MIT */
#include "table/lines_impl.h"

#include <string.h>

#include "base/mem.h"
#include "table/rows.h"

#define WINDOW ((size_t)1 << 18)

enum tt_code tt_lines_open(struct lines *l, const char *path, tt_err *err)
{
    *l = (struct lines){.file = path, .cap = WINDOW};
    l->data = tt_alloc(l->cap);
    if (!l->data)
        return tt_fail(err, TT_ENOMEM, "reading table %s", path);
    return tt_in_open(&l->in, path, err);
}

void tt_lines_close(struct lines *l)
{
    tt_in_close(l->in);
    tt_free(l->data);
    *l = (struct lines){0};
}

void tt_lines_go(struct lines *l, uint64_t at)
{
    l->at = at;
    l->n = l->next = 0;
}

static enum tt_code widen(struct lines *l, tt_err *err)
{
    char *more;

    if (l->cap >= TT_ROWS_MAX_ROW)
        return tt_fail(err, TT_EINPUT,
                       "%s:%zu: this line has more than %zu bytes", l->file,
                       tt_lines_number(l, l->at), TT_ROWS_MAX_ROW);
    more = tt_resize(l->data, l->cap, 2);
    if (!more)
        return tt_fail(err, TT_ENOMEM, "reading table %s", l->file);
    l->data = more;
    l->cap *= 2;
    return TT_OK;
}

/* More of the file into the window; *more is 0 where the file ends. */
static enum tt_code fill(struct lines *l, int *more, tt_err *err)
{
    enum tt_code rc = TT_OK;
    size_t got = 0;

    if (l->next > 0) {
        memmove(l->data, l->data + l->next, l->n - l->next);
        l->at += l->next;
        l->n -= l->next;
        l->next = 0;
    }
    if (l->n == l->cap)
        rc = widen(l, err);
    if (rc == TT_OK)
        rc = tt_in_read(l->in, l->at + l->n, l->data + l->n, l->cap - l->n,
                        &got, err);
    l->n += got;
    *more = got > 0;
    return rc;
}

/* Bytes of the line at s with its line end; 0 when that is not among n. */
static size_t length(const char *s, size_t n)
{
    const char *end = memchr(s, '\n', n);
    int quoted = 0;

    if (!end || !memchr(s, '"', (size_t)(end - s)))
        return end ? (size_t)(end - s) + 1 : 0;
    for (size_t i = 0; i < n; i++) {
        quoted ^= s[i] == '"';
        if (s[i] == '\n' && !quoted)
            return i + 1;
    }
    return 0;
}

enum tt_code tt_lines_next(struct lines *l, struct line *line, tt_err *err)
{
    enum tt_code rc = TT_OK;
    int more = 1;

    *line = (struct line){0};
    while (rc == TT_OK && more) {
        size_t n = length(l->data + l->next, l->n - l->next);

        if (n > 0) {
            *line = (struct line){l->data + l->next, n, l->at + l->next};
            l->next += n;
            return TT_OK;
        }
        rc = fill(l, &more, err);
    }
    return rc;
}

size_t tt_lines_number(struct lines *l, uint64_t at)
{
    char piece[4096];
    size_t line = 1, got = sizeof(piece);

    for (uint64_t done = 0; done < at && got == sizeof(piece); done += got) {
        if (tt_in_read(l->in, done, piece, sizeof(piece), &got, NULL) != TT_OK)
            break;
        for (size_t i = 0; i < got && done + i < at; i++)
            line += piece[i] == '\n';
    }
    return line;
}
