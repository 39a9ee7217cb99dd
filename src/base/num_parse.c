/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"

/* Texts are scanned here, with our own grammar; strtod only ever sees
 * "<digits>e<exponent>". Without a decimal point in it, there is nothing the
 * locale could change. */

/* No halfway case between two doubles has more significant digits than 767,
 * so that beyond these only "is there a nonzero digit" matters. */
#define DIGITS_MAX 768

/* Exponents beyond this in a text are all alike: no text in memory has digits
 * enough to make up for them, and sums with its length do not overflow. */
#define EXP_MAX INT64_C(1000000000000000)

/* What a text states: digits * 10^exp. */
struct scan {
    const char *p, *end;
    char digit[DIGITS_MAX + 1]; /* one more for the sticky digit */
    size_t n;                   /* significant digits kept */
    int64_t exp;
    uint64_t whole; /* the digits as an integer, while n <= 19 */
    int any;        /* there was a digit at all */
    int sticky;     /* a nonzero digit was not kept */
};

static int is_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static int is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static void trim(const char **text, const char **end)
{
    while (*text < *end && is_space(**text))
        (*text)++;
    while (*text < *end && is_space((*end)[-1]))
        (*end)--;
}

/* Is [p, end) this lower-case word, in any case? */
static int is_word(const char *p, const char *end, const char *word)
{
    size_t n = strlen(word);

    if ((size_t)(end - p) != n)
        return 0;
    for (size_t i = 0; i < n; i++) {
        if ((p[i] | 0x20) != word[i])
            return 0;
    }
    return 1;
}

/* A run of digits; each after the point lowers the exponent. */
static void scan_digits(struct scan *s, int after_point)
{
    for (; s->p < s->end && is_digit(*s->p); s->p++) {
        s->any = 1;
        s->exp -= after_point;
        if (s->n == 0 && *s->p == '0')
            continue;
        if (s->n < DIGITS_MAX) {
            s->digit[s->n++] = *s->p;
            s->whole = s->whole * 10 + (uint64_t)(*s->p - '0');
        } else {
            s->sticky |= *s->p != '0';
            s->exp++;
        }
    }
}

static int scan_exponent(struct scan *s)
{
    int64_t e = 0;
    int negative;

    if (s->p == s->end || (*s->p | 0x20) != 'e')
        return 0;
    s->p++;
    negative = s->p < s->end && *s->p == '-';
    if (s->p < s->end && (*s->p == '-' || *s->p == '+'))
        s->p++;
    if (s->p == s->end)
        return -1;
    for (; s->p < s->end && is_digit(*s->p); s->p++) {
        if (e < EXP_MAX)
            e = e * 10 + (*s->p - '0');
    }
    s->exp += negative ? -e : e;
    return 0;
}

static int scan_number(struct scan *s)
{
    scan_digits(s, 0);
    if (s->p < s->end && *s->p == '.') {
        s->p++;
        scan_digits(s, 1);
    }
    if (!s->any || scan_exponent(s) != 0)
        return -1;
    return s->p == s->end ? 0 : -1;
}

/* Both factors exact, hence one rounding: correct. */
static int convert_fast(const struct scan *s, double *v)
{
    static const double pow10[] = {
        1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
        1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

    if (s->n > 19 || s->whole > UINT64_C(1) << 53 || s->exp < -22 ||
        s->exp > 22)
        return 0;
    *v = (double)s->whole;
    *v = s->exp < 0 ? *v / pow10[-s->exp] : *v * pow10[s->exp];
    return 1;
}

static double convert(struct scan *s)
{
    char text[DIGITS_MAX + 16];
    int64_t exp;
    size_t n;
    double v;

    if (s->n == 0)
        return 0.0;
    if (convert_fast(s, &v))
        return v;
    if (s->sticky) {
        s->digit[s->n++] = '1';
        s->exp--;
    }
    /* With at most 769 digits, anything beyond is infinite or zero. */
    exp = s->exp > 2000 ? 2000 : s->exp < -2000 ? -2000 : s->exp;
    n = s->n;
    memcpy(text, s->digit, n);
    text[n++] = 'e';
    tt_num_print_i64(text + n, exp);
    return strtod(text, NULL);
}

/* What stands after the sign. */
static int parse_unsigned(const char *p, const char *end, double *v)
{
    struct scan s;

    if (is_word(p, end, "inf") || is_word(p, end, "infinity")) {
        *v = (double)INFINITY;
        return 0;
    }
    if (is_word(p, end, "nan")) {
        *v = (double)NAN;
        return 0;
    }
    s.p = p; /* not zeroed as a whole: this is called for every number read */
    s.end = end;
    s.n = 0;
    s.exp = 0;
    s.whole = 0;
    s.any = s.sticky = 0;
    if (scan_number(&s) != 0)
        return -1;
    *v = convert(&s);
    return 0;
}

/* Of what is between the blanks; is it negative? */
static int take_sign(const char **text, const char **end)
{
    int negative;

    trim(text, end);
    negative = *text < *end && **text == '-';
    if (*text < *end && (**text == '-' || **text == '+'))
        (*text)++;
    return negative;
}

int tt_num_parse_n(const char *text, size_t n, double *v)
{
    const char *end = text + n;
    int negative;
    double d;

    negative = take_sign(&text, &end);
    if (parse_unsigned(text, end, &d) != 0)
        return -1;
    *v = negative ? -d : d;
    return 0;
}

int tt_num_parse(const char *text, double *v)
{
    return tt_num_parse_n(text, strlen(text), v);
}

/* The digits of [p, end) as an integer not above max. */
static int parse_whole(const char *p, const char *end, uint64_t max,
                       uint64_t *v)
{
    uint64_t sum = 0;

    if (p == end)
        return -1;
    for (; p < end; p++) {
        uint64_t digit = (uint64_t)(*p - '0');

        if (!is_digit(*p) || sum > (max - digit) / 10)
            return -1;
        sum = sum * 10 + digit;
    }
    *v = sum;
    return 0;
}

int tt_num_parse_i64(const char *text, int64_t *v)
{
    const char *end = text + strlen(text);
    uint64_t size;
    int negative;

    negative = take_sign(&text, &end);
    if (parse_whole(text, end, (uint64_t)INT64_MAX + (unsigned)negative,
                    &size) != 0)
        return -1;
    if (!negative || size == 0)
        *v = (int64_t)size;
    else
        *v = -(int64_t)(size - 1) - 1;
    return 0;
}

int tt_num_parse_u64(const char *text, uint64_t *v)
{
    const char *end = text + strlen(text);

    trim(&text, &end);
    if (text < end && *text == '+')
        text++;
    return parse_whole(text, end, UINT64_MAX, v);
}

int tt_num_hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c |= 0x20;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}
