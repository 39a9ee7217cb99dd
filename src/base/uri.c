/* SPDX-License-Identifier: MIT */
#include "base/uri.h"

#include <string.h>

#include "base/mem.h"
#include "base/num.h"

char *tt_uri_unescape(const char *s)
{
    char *out = tt_strdup(s), *to = out;

    while (out && *s) {
        int high = s[0] == '%' ? tt_num_hex(s[1]) : -1;
        int low = high >= 0 ? tt_num_hex(s[2]) : -1;

        if (low >= 0 && high + low > 0) {
            *to++ = (char)(high * 16 + low);
            s += 3;
        } else {
            *to++ = *s++;
        }
    }
    if (out)
        *to = '\0';
    return out;
}

const char *tt_uri_strip(const char *uri, size_t n)
{
    const char *p = uri + n + 1;

    if (strncmp(p, "//", 2) == 0)
        p += 2;
    if (strncmp(p, "localhost/", 10) == 0)
        p += 9;
    while (p[0] == '/' && p[1] == '/')
        p++;
    return p;
}

char *tt_uri_path(const char *uri)
{
    if (strncmp(uri, "file:", 5) != 0)
        return tt_strdup(uri);
    return tt_uri_unescape(tt_uri_strip(uri, 4));
}
