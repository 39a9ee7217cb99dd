/* SPDX-License-Identifier: MIT */
#include "base/utf8.h"

size_t tt_utf8_decode(const char *s, size_t n, uint32_t *c)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    unsigned char first = n ? (unsigned char)s[0] : 0xff;
    size_t length = first < 0x80           ? 1
                    : (first >> 5) == 0x06 ? 2
                    : (first >> 4) == 0x0e ? 3
                    : (first >> 3) == 0x1e ? 4
                                           : 0;

    if (length == 0 || length > n)
        return 0;
    *c = length == 1 ? first : first & (0x7fu >> length);
    for (size_t i = 1; i < length; i++) {
        if (((unsigned char)s[i] & 0xc0) != 0x80)
            return 0;
        *c = *c << 6 | ((unsigned char)s[i] & 0x3fu);
    }
    /* shortest form, no surrogates */
    return *c < least[length] || *c > 0x10ffff || (*c >= 0xd800 && *c < 0xe000)
               ? 0
               : length;
}

size_t tt_utf8_encode(char *to, uint32_t c)
{
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    size_t more = c < 0x80 ? 0 : c < 0x800 ? 1 : c < 0x10000 ? 2 : 3;

    *to++ = (char)(first[more] | c >> 6 * more);
    for (size_t i = more; i-- > 0;)
        *to++ = (char)(0x80 | (c >> 6 * i & 0x3f));
    return more + 1;
}
