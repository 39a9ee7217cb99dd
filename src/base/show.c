/* SPDX-License-Identifier: MIT */
#include "base/show.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "base/utf8.h"

const char *tt_show_ink(int colours, enum tt_ink ink)
{
    static const char *const code[] = {
        [TT_INK_OFF] = "\033[0m",    [TT_INK_BOLD] = "\033[1m",
        [TT_INK_DIM] = "\033[2m",    [TT_INK_RED] = "\033[31m",
        [TT_INK_GREEN] = "\033[32m", [TT_INK_YELLOW] = "\033[33m",
        [TT_INK_CYAN] = "\033[36m",
    };

    return colours ? code[ink] : "";
}

/* --- text ---------------------------------------------------------------- */

void tt_show_clean(struct tt_buf *b, const char *s)
{
    while (s && *s) {
        uint32_t c;
        size_t n = tt_utf8_decode(s, 4, &c);

        if (*s == '\n' || *s == '\r' || *s == '\t')
            tt_buf_char(b, ' ');
        else if (n == 0 || c < 0x20 || (c >= 0x7f && c < 0xa0))
            tt_buf_char(b, '?');
        else
            tt_buf_add(b, s, n);
        s += n ? n : 1;
    }
}

size_t tt_show_width(const char *s)
{
    size_t n = 0;

    for (; *s; s++)
        n += ((unsigned char)*s & 0xc0) != 0x80;
    return n;
}

/* At most `width` characters of s. */
static void add_cut(struct tt_buf *b, const char *s, size_t width)
{
    size_t n = 0, bytes = 0;

    while (s[bytes]) {
        if (((unsigned char)s[bytes] & 0xc0) != 0x80 && n++ == width)
            break;
        bytes++;
    }
    tt_buf_add(b, s, bytes);
}

void tt_show_pad(struct tt_buf *b, const char *s, size_t width, int right,
                 int cut)
{
    size_t n = tt_show_width(s);

    if (cut && n > width && width > 1) {
        add_cut(b, s, width - 1);
        tt_buf_str(b, "…");
        return;
    }
    if (right)
        for (size_t i = n; i < width; i++)
            tt_buf_char(b, ' ');
    tt_buf_str(b, s);
    if (!right)
        for (size_t i = n; i < width; i++)
            tt_buf_char(b, ' ');
}

/* --- numbers ------------------------------------------------------------- */

void tt_show_label(struct tt_buf *b, int colours, const char *name)
{
    tt_buf_fmt(b, "  %s", tt_show_ink(colours, TT_INK_DIM));
    tt_show_pad(b, name, 14, 0, 0);
    tt_buf_fmt(b, "%s ", tt_show_ink(colours, TT_INK_OFF));
}

static void with_unit(char *out, double v, const char *unit)
{
    (void)tt_num_print_digits(out, v, 3);
    snprintf(out + strlen(out), TT_NUM_MAX - strlen(out), "%s", unit);
}

void tt_show_duration(char *out, double seconds)
{
    if (!(seconds >= 0) || !(seconds < 1e9))
        snprintf(out, TT_NUM_MAX, "?");
    else if (seconds < 1e-3)
        with_unit(out, seconds * 1e6, " us");
    else if (seconds < 1)
        with_unit(out, seconds * 1e3, " ms");
    else if (seconds < 60)
        with_unit(out, seconds, " s");
    else if (seconds < 3600)
        snprintf(out, TT_NUM_MAX, "%d min %02d s", (int)(seconds / 60),
                 (int)fmod(seconds, 60));
    else
        snprintf(out, TT_NUM_MAX, "%ld h %02d min", (long)(seconds / 3600),
                 (int)(fmod(seconds, 3600) / 60));
}

void tt_show_count(struct tt_buf *b, uint64_t n, const char *one,
                   const char *many)
{
    tt_buf_fmt(b, "%" PRIu64 " %s", n, n == 1 ? one : many);
}

void tt_show_json_num(struct tt_buf *b, double v)
{
    char text[TT_NUM_MAX];

    if (!isfinite(v)) {
        tt_buf_str(b, "null");
        return;
    }
    tt_num_print_short(text, v);
    tt_buf_str(b, text);
}

void tt_json_num(struct tt_buf *b, const char *before, double v)
{
    tt_buf_str(b, before);
    tt_show_json_num(b, v);
}

void tt_json_member(struct tt_buf *b, const char *key, double v)
{
    tt_buf_fmt(b, ", \"%s\": ", key);
    tt_show_json_num(b, v);
}

void tt_show_digits(struct tt_buf *b, const char *before, double v, int digits)
{
    char text[TT_NUM_MAX];

    tt_num_print_digits(text, v, digits);
    tt_buf_str(b, before);
    tt_buf_str(b, text);
}

void tt_show_cell(struct tt_buf *b, double v, int digits, size_t width)
{
    char text[TT_NUM_MAX] = "-";

    if (isfinite(v))
        tt_num_print_digits(text, v, digits);
    tt_show_pad(b, text, width, 1, 0);
}
