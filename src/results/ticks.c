/* SPDX-License-Identifier: MIT */
#include "results/ticks.h"

#include <math.h>
#include <string.h>

#define FAR     1e300  /* values beyond are drawn here */
#define NARROW  1e-12  /* a range this small beside its values is constant */
#define LARGEST 100000 /* labels from here on use a power of ten */

void tt_ticks_range(double *lo, double *hi)
{
    double size, pad;

    *lo = fmax(fmin(*lo, FAR), -FAR);
    *hi = fmax(fmin(*hi, FAR), -FAR);
    size = fmax(fabs(*lo), fabs(*hi));
    pad = 0.05 * (*hi - *lo);
    if (*hi - *lo <= NARROW * size || size < 1 / FAR)
        pad = size < 1 / FAR ? 1 : 0.1 * size;
    *lo -= pad;
    *hi += pad;
}

/* 10^e times m without leaving the range of doubles on the way. */
static double scaled(double m, int e)
{
    return e < -300 ? m * pow(10, e + 50) * 1e-50 : m * pow(10, e);
}

/* The power of ten to take out of labels up to `most`: a multiple of three,
 * or none when the plain numbers are short. */
static int common_power(double most, int exponent)
{
    int power;

    if (most < LARGEST && exponent >= -4)
        return 0;
    power = (int)floor(log10(most));
    if (most < LARGEST && power >= -2)
        return 0; /* many digits, but of ordinary size */
    if (most >= LARGEST && power < 9 && exponent < 3)
        return 0; /* a power would only move the point: 101325.1 */
    return (int)floor(power / 3.0) * 3;
}

struct tt_ticks tt_ticks(double lo, double hi, int want, int whole)
{
    static const int mantissas[] = {1, 2, 5};
    double raw = (hi - lo) / want;
    int e = (int)floor(log10(raw)), m = 10;
    struct tt_ticks t = {.n = 0};
    double step;

    for (int i = 2; i >= 0; i--)
        if (scaled(mantissas[i], e) >= raw * (1 - 1e-9))
            m = mantissas[i];
    if (m == 10) {
        m = 1;
        e++;
    }
    if (whole && e < 0) {
        m = 1;
        e = 0;
    }
    step = scaled(m, e);
    t.mantissa = m;
    t.exponent = e;
    t.first = (int64_t)ceil(lo / step - 1e-9);
    t.n = (int)(floor(hi / step + 1e-9) - (double)t.first) + 1;
    if (t.n < 0)
        t.n = 0;
    t.scale = common_power(fmax(fabs(lo), fabs(hi)), e);
    return t;
}

double tt_tick_value(const struct tt_ticks *t, int i)
{
    return scaled((double)((t->first + i) * t->mantissa), t->exponent);
}

/* digits * 10^power in plain decimal. */
static size_t plain(char *out, uint64_t digits, int power)
{
    char text[TT_NUM_MAX];
    size_t n = tt_num_print_u64(text, digits), len = 0, whole;

    if (digits == 0)
        power = 0;
    while (power < 0 && n > 1 && text[n - 1] == '0') { /* 0.50 is 0.5 */
        n--;
        power++;
    }
    if (power >= 0) {
        memcpy(out, text, n);
        memset(out + n, '0', (size_t)power);
        return n + (size_t)power;
    }
    if (n > (size_t)-power) {
        whole = n - (size_t)-power;
        memcpy(out, text, whole);
        out[whole] = '.';
        memcpy(out + whole + 1, text + whole, n - whole);
        return n + 1;
    }
    out[len++] = '0';
    out[len++] = '.';
    while (len < 2 + (size_t)-power - n)
        out[len++] = '0';
    memcpy(out + len, text, n);
    return len + n;
}

size_t tt_tick_label(char *out, const struct tt_ticks *t, int i)
{
    int64_t k = (t->first + i) * t->mantissa;
    uint64_t a = k < 0 ? 0 - (uint64_t)k : (uint64_t)k;
    int power = t->exponent - t->scale;
    size_t n = 0;

    if (power > 16 || power < -16) /* cannot be: scale follows the values */
        power = 0;
    if (k < 0)
        out[n++] = '-';
    n += plain(out + n, a, power);
    out[n] = '\0';
    return n;
}
