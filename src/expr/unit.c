/* SPDX-License-Identifier: MIT */
/* A physical unit from its name as people write it: "km/h", "N.m", "m/s2",
 * "degC". */
#include <math.h>
#include <string.h>

#include "expr/expr_impl.h"

enum { KG, M, S, A, K, MOL, CD, RAD };

#define PI 3.14159265358979323846

static const struct symbol {
    const char *name;
    int8_t exponent[8];
    double factor, offset;
    int plain; /* takes no prefix */
} symbols[] = {
    {"m", {[M] = 1}, 1, 0, 0},
    {"g", {[KG] = 1}, 1e-3, 0, 0},
    {"s", {[S] = 1}, 1, 0, 0},
    {"A", {[A] = 1}, 1, 0, 0},
    {"K", {[K] = 1}, 1, 0, 0},
    {"mol", {[MOL] = 1}, 1, 0, 0},
    {"cd", {[CD] = 1}, 1, 0, 0},
    {"rad", {[RAD] = 1}, 1, 0, 0},
    {"N", {[KG] = 1, [M] = 1, [S] = -2}, 1, 0, 0},
    {"Pa", {[KG] = 1, [M] = -1, [S] = -2}, 1, 0, 0},
    {"bar", {[KG] = 1, [M] = -1, [S] = -2}, 1e5, 0, 0},
    {"J", {[KG] = 1, [M] = 2, [S] = -2}, 1, 0, 0},
    {"W", {[KG] = 1, [M] = 2, [S] = -3}, 1, 0, 0},
    {"Wh", {[KG] = 1, [M] = 2, [S] = -2}, 3600, 0, 0},
    {"V", {[KG] = 1, [M] = 2, [S] = -3, [A] = -1}, 1, 0, 0},
    {"Ohm", {[KG] = 1, [M] = 2, [S] = -3, [A] = -2}, 1, 0, 0},
    {"C", {[S] = 1, [A] = 1}, 1, 0, 0},
    {"F", {[KG] = -1, [M] = -2, [S] = 4, [A] = 2}, 1, 0, 0},
    {"H", {[KG] = 1, [M] = 2, [S] = -2, [A] = -2}, 1, 0, 0},
    {"T", {[KG] = 1, [S] = -2, [A] = -1}, 1, 0, 0},
    {"Wb", {[KG] = 1, [M] = 2, [S] = -2, [A] = -1}, 1, 0, 0},
    {"Hz", {[S] = -1}, 1, 0, 0},
    {"l", {[M] = 3}, 1e-3, 0, 0},
    {"L", {[M] = 3}, 1e-3, 0, 0},
    {"t", {[KG] = 1}, 1e3, 0, 1},
    {"min", {[S] = 1}, 60, 0, 1},
    {"h", {[S] = 1}, 3600, 0, 1},
    {"d", {[S] = 1}, 86400, 0, 1},
    {"deg", {[RAD] = 1}, PI / 180, 0, 1},
    {"rev", {[RAD] = 1}, 2 * PI, 0, 1},
    {"rpm", {[S] = -1, [RAD] = 1}, PI / 30, 0, 1},
    {"degC", {[K] = 1}, 1, 273.15, 1},
    {"degF", {[K] = 1}, 5.0 / 9, 459.67 * 5 / 9, 1},
    {"%", {0}, 0.01, 0, 1},
    {"1", {0}, 1, 0, 1},
};

static const struct {
    const char *name;
    double factor;
} prefixes[] = {{"da", 1e1}, {"h", 1e2},  {"k", 1e3},  {"M", 1e6},
                {"G", 1e9},  {"T", 1e12}, {"d", 1e-1}, {"c", 1e-2},
                {"m", 1e-3}, {"u", 1e-6}, {"n", 1e-9}, {"p", 1e-12}};

static const struct symbol *find_symbol(const char *s, size_t n)
{
    for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
        if (strlen(symbols[i].name) == n && !memcmp(symbols[i].name, s, n))
            return &symbols[i];
    return NULL;
}

/* Whole symbols come before prefixes: "min" is no milli-inch. */
static const struct symbol *find_prefixed(const char *s, size_t n,
                                          double *factor)
{
    const struct symbol *found = find_symbol(s, n);

    *factor = 1;
    for (size_t i = 0; !found && i < sizeof(prefixes) / sizeof(*prefixes);
         i++) {
        size_t m = strlen(prefixes[i].name);

        if (n <= m || memcmp(s, prefixes[i].name, m) != 0)
            continue;
        found = find_symbol(s + m, n - m);
        if (found && found->plain)
            found = NULL;
        *factor = prefixes[i].factor;
    }
    return found;
}

/* "m2", "m^2", "m-2": the exponent behind a symbol; *n is its end. */
static int exponent_at(const char *s, size_t *n, size_t end)
{
    int e = 0, minus;

    if (*n < end && s[*n] == '^')
        ++*n;
    minus = *n < end && s[*n] == '-';
    *n += minus != 0;
    while (*n < end && s[*n] >= '0' && s[*n] <= '9' && e < 10)
        e = 10 * e + (s[(*n)++] - '0');
    if (!e)
        return minus ? 0 : 1;
    return minus ? -e : e;
}

static size_t symbol_length(const char *s, size_t n)
{
    size_t k = n && (*s == '1' || *s == '%') ? 1 : 0;

    while (k < n &&
           ((s[k] >= 'a' && s[k] <= 'z') || (s[k] >= 'A' && s[k] <= 'Z')))
        k++;
    return k;
}

/* One factor of the product. Returns its length; 0: it is not known. */
static size_t take_factor(struct tt_expr_unit *q, const char *s, size_t n,
                          int sign, int alone)
{
    size_t k = symbol_length(s, n);
    double prefix = 1;
    const struct symbol *f = find_prefixed(s, k, &prefix);
    int e;

    if (!f)
        return 0;
    e = sign * exponent_at(s, &k, n);
    for (int i = 0; i < 8; i++) {
        int sum = q->exponent[i] + e * f->exponent[i];

        if (sum < -99 || sum > 99)
            return 0;
        q->exponent[i] = (int8_t)sum;
    }
    q->factor *= pow(prefix * f->factor, e);
    if (alone && k == n && e == 1) /* elsewhere degrees are differences */
        q->offset = f->offset;
    return k;
}

static int parse(struct tt_expr_unit *q, const char *s, size_t n)
{
    int sign = 1;

    for (size_t at = 0; at < n;) {
        size_t k = take_factor(q, s + at, n - at, sign, at == 0);

        if (!k || n > 64)
            return 0;
        at += k;
        if (at == n)
            return 1;
        if (!strchr("./* ", s[at]))
            return 0;
        sign = s[at] == '/' ? -1 : 1;
        at++;
    }
    return 0;
}

int tt_expr_unit_parse(struct tt_expr_unit *out, const char *s, size_t n)
{
    *out = (struct tt_expr_unit){.factor = 1};
    out->known = parse(out, s, n) && isnormal(out->factor);
    return out->known ? 0 : -1;
}

static const char *symbol_at(const void *ctx, size_t i)
{
    (void)ctx;
    return symbols[i].name;
}

const char *tt_expr_nearest_unit(const char *wrong)
{
    return tt_names_nearest(wrong, sizeof(symbols) / sizeof(*symbols),
                            symbol_at, NULL);
}
