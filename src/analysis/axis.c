/* SPDX-License-Identifier: MIT */
#include "analysis/axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* A number up to `end`, or to the end of the text. */
static int take(const char *text, const char *end, double *out)
{
    return tt_num_parse_n(text, end ? (size_t)(end - text) : strlen(text), out);
}

int tt_axis_parse(struct tt_axis *out, const char *text, uint32_t most)
{
    const char *equal = strrchr(text, '='), *one, *two;
    uint64_t n = 0;

    if (!equal || equal == text ||
        (size_t)(equal - text) >= sizeof(out->parameter))
        return -1;
    one = strchr(equal, ':');
    two = one ? strchr(one + 1, ':') : NULL;
    if (!one || !two != !most || take(equal + 1, one, &out->first) ||
        take(one + 1, two, &out->last) ||
        (two && tt_num_parse_u64(two + 1, &n)) || (two && n < 2) || n > most)
        return -1;
    memcpy(out->parameter, text, (size_t)(equal - text));
    out->parameter[equal - text] = '\0';
    out->n = (uint32_t)n;
    return isfinite(out->first) && isfinite(out->last) && out->first < out->last
               ? 0
               : -1;
}

double tt_axis_at(const struct tt_axis *a, uint32_t i)
{
    return a->first + i * (a->last - a->first) / (a->n - 1);
}

void tt_axis_setting(const struct tt_axis *a, double value,
                     char out[TT_AXIS_SETTING])
{
    char number[TT_NUM_MAX];

    tt_num_print(number, value);
    (void)snprintf(out, TT_AXIS_SETTING, "%s=%s", a->parameter, number);
}
