/* SPDX-License-Identifier: MIT */
#include "base/buf.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

void tt_buf_init(struct tt_buf *b, size_t max)
{
    *b = (struct tt_buf){.max = max};
}

void tt_buf_fini(struct tt_buf *b)
{
    tt_free(b->data);
    *b = (struct tt_buf){.max = b->max};
}

void tt_buf_clear(struct tt_buf *b)
{
    b->len = 0;
    b->failed = 0;
    if (b->data)
        b->data[0] = '\0';
}

/* Room for n more bytes and the NUL. */
static int reserve(struct tt_buf *b, size_t n)
{
    size_t want = b->cap ? b->cap : 64;
    char *grown;

    if (b->failed)
        return -1;
    if (n > b->max || b->len > b->max - n) {
        b->failed = 1;
        return -1;
    }
    if (b->len + n < b->cap)
        return 0;
    while (want <= b->len + n)
        want *= 2;
    grown = tt_resize(b->data, want, 1);
    if (!grown) {
        b->failed = 1;
        return -1;
    }
    b->data = grown;
    b->cap = want;
    return 0;
}

void tt_buf_add(struct tt_buf *b, const void *data, size_t n)
{
    if (reserve(b, n) != 0)
        return;
    if (n)
        memcpy(b->data + b->len, data, n);
    b->len += n;
    b->data[b->len] = '\0';
}

void tt_buf_str(struct tt_buf *b, const char *s)
{
    tt_buf_add(b, s, strlen(s));
}

void tt_buf_char(struct tt_buf *b, char c)
{
    tt_buf_add(b, &c, 1);
}

void tt_buf_fmt(struct tt_buf *b, const char *fmt, ...)
{
    va_list ap, again;
    int n;

    va_start(ap, fmt);
    va_copy(again, ap);
    n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    if (n < 0)
        b->failed = 1;
    else if (reserve(b, (size_t)n) == 0) {
        vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
}

void tt_buf_num(struct tt_buf *b, double v)
{
    char text[TT_NUM_MAX];

    tt_buf_add(b, text, tt_num_print(text, v));
}

void tt_buf_json(struct tt_buf *b, const char *s)
{
    if (!s) {
        tt_buf_str(b, "null");
        return;
    }
    tt_buf_char(b, '"');
    for (; *s; s++) {
        unsigned char c = (unsigned char)*s;

        if (c == '"' || c == '\\')
            tt_buf_fmt(b, "\\%c", c);
        else if (c == '\n')
            tt_buf_str(b, "\\n");
        else if (c < 0x20)
            tt_buf_fmt(b, "\\u%04x", c);
        else
            tt_buf_char(b, *s);
    }
    tt_buf_char(b, '"');
}

void tt_json_text(struct tt_buf *b, const char *before, const char *s)
{
    tt_buf_str(b, before);
    tt_buf_json(b, s);
}

const char *tt_xml_entity(uint32_t c)
{
    return c == '<'   ? "&lt;"
           : c == '>' ? "&gt;"
           : c == '&' ? "&amp;"
           : c == '"' ? "&quot;"
                      : NULL;
}

void tt_buf_xml(struct tt_buf *b, const char *s)
{
    for (; *s; s++) {
        const char *entity = tt_xml_entity((unsigned char)*s);

        if (entity)
            tt_buf_str(b, entity);
        /* as they are, readers would take them for blanks */
        else if (*s == '\t' || *s == '\n' || *s == '\r')
            tt_buf_fmt(b, "&#%d;", *s);
        /* XML 1.0, 2.2 has no other control characters */
        else if ((unsigned char)*s < 0x20)
            tt_buf_str(b, "\xef\xbf\xbd"); /* U+FFFD */
        else
            tt_buf_char(b, *s);
    }
}

void tt_xml_text(struct tt_buf *b, const char *name, const char *value)
{
    tt_buf_fmt(b, " %s=\"", name);
    tt_buf_xml(b, value);
    tt_buf_char(b, '"');
}

void tt_xml_num(struct tt_buf *b, const char *name, double v)
{
    tt_buf_fmt(b, " %s=\"", name);
    tt_buf_num(b, v);
    tt_buf_char(b, '"');
}

enum tt_code tt_buf_check(const struct tt_buf *b, const char *what, tt_err *err)
{
    if (!b->failed)
        return TT_OK;
    return tt_fail(err, TT_ENOMEM,
                   "%s: out of memory or larger than the limit of %zu bytes",
                   what, b->max);
}

char *tt_buf_take(struct tt_buf *b)
{
    char *text = NULL;

    if (!b->failed && reserve(b, 0) == 0) {
        b->data[b->len] = '\0';
        text = b->data;
        b->data = NULL;
    }
    tt_buf_fini(b);
    return text;
}
