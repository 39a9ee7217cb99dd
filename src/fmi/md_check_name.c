/* SPDX-License-Identifier: MIT */
#include "fmi/md_check_impl.h"

#include <string.h>

/* The grammar of structured names (FMI 2.0.5, 2.2.9; FMI 3.0.2, 2.4.7.5.1):
 *     name       = identifier | "der(" identifier ["," digits] ")"
 *     identifier = B-name [indices] {"." B-name [indices]}
 * Each function takes what it can from *p and states whether it found its part.
 */

static int digit(char c)
{
    return c >= '0' && c <= '9';
}

static int nondigit(char c)
{
    return c == '_' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int take_digits(const char **p)
{
    const char *s = *p;

    while (digit(**p))
        ++*p;
    return *p > s;
}

static int take_quoted(const char **p)
{
    static const char other[] = "!#$%&()*+,-./:;<>=?@[]^{}|~ ";
    static const char escaped[] = "'\"?\\abfnrtv";
    const char *s = ++*p;

    for (; **p && **p != '\''; ++*p) {
        if (**p == '\\' && (*p)[1] && strchr(escaped, (*p)[1]))
            ++*p;
        else if (!nondigit(**p) && !digit(**p) && !strchr(other, **p))
            return 0;
    }
    if (**p != '\'' || *p == s)
        return 0;
    ++*p;
    return 1;
}

static int take_part(const char **p)
{
    if (**p == '\'')
        return take_quoted(p);
    if (!nondigit(**p))
        return 0;
    while (nondigit(**p) || digit(**p))
        ++*p;
    return 1;
}

static int take_indices(const char **p)
{
    do {
        ++*p; /* "[" or "," */
        if (!take_digits(p))
            return 0;
    } while (**p == ',');
    if (**p != ']')
        return 0;
    ++*p;
    return 1;
}

static int take_identifier(const char **p)
{
    for (;;) {
        if (!take_part(p))
            return 0;
        if (**p == '[' && !take_indices(p))
            return 0;
        if (**p != '.')
            return 1;
        ++*p;
    }
}

int md_name_is_structured(const char *name)
{
    const char *p = name;

    if (strncmp(p, "der(", 4) != 0)
        return take_identifier(&p) && *p == '\0';
    p += 4;
    if (!take_identifier(&p))
        return 0;
    if (*p == ',') {
        p++;
        if (!take_digits(&p))
            return 0;
    }
    return p[0] == ')' && p[1] == '\0';
}
