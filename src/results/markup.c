/* SPDX-License-Identifier: MIT */
#include "results/markup.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"

/* Decode one character; returns its bytes, or 0 when they are not UTF-8 that
 * XML may hold (XML 1.0, 2.2: Char). */
static size_t decode(const char *s, uint32_t *c)
{
    size_t n = tt_utf8_decode(s, 4, c);

    if (n && ((*c < 0x20 && *c != '\t' && *c != '\n') ||
              (*c >= 0x7f && *c < 0xa0) || *c == 0xfffe || *c == 0xffff))
        return 0;
    return n;
}

static void put(struct tt_buf *b, const char *s, size_t n, uint32_t c)
{
    const char *entity = tt_xml_entity(c);

    if (n == 0)
        tt_buf_str(b, "\xef\xbf\xbd");
    else if (entity)
        tt_buf_str(b, entity);
    else if (c == '\'')
        tt_buf_str(b, "&#39;");
    else
        tt_buf_add(b, s, n);
}

void tt_markup_text_n(struct tt_buf *b, const char *s, size_t most)
{
    size_t length = tt_markup_length(s), n;
    uint32_t c = 0;

    for (size_t i = 0; i < length; i++) {
        if (length > most && i + 1 >= most) {
            tt_buf_str(b, "\xe2\x80\xa6");
            return;
        }
        n = decode(s, &c);
        put(b, s, n, c);
        s += n ? n : 1;
    }
}

void tt_markup_text(struct tt_buf *b, const char *s)
{
    tt_markup_text_n(b, s, SIZE_MAX);
}

size_t tt_markup_length(const char *s)
{
    size_t length = 0, n;
    uint32_t c;

    for (; s && *s; length++) {
        n = decode(s, &c);
        s += n ? n : 1;
    }
    return length;
}

void tt_markup_coord(struct tt_buf *b, double v)
{
    int64_t n = isfinite(v) && fabs(v) < 1e9 ? llround(v * 10) : 0;
    char text[TT_NUM_MAX];
    uint64_t a = n < 0 ? 0 - (uint64_t)n : (uint64_t)n;

    if (n < 0)
        tt_buf_char(b, '-');
    tt_buf_add(b, text, tt_num_print_u64(text, a / 10));
    if (a % 10 == 0)
        return;
    tt_buf_char(b, '.');
    tt_buf_char(b, (char)('0' + a % 10));
}
