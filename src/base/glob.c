/* SPDX-License-Identifier: MIT */
#include "base/glob.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

int tt_glob(const char *pattern, const char *text)
{
    const char *star = NULL, *again = NULL;

    while (*text) {
        if (*pattern == '*') {
            star = pattern++;
            again = text;
        } else if (*pattern == '?' || *pattern == *text) {
            pattern++;
            text++;
        } else if (star) { /* let the last star take one more */
            pattern = star + 1;
            text = ++again;
        } else {
            return 0;
        }
    }
    while (*pattern == '*')
        pattern++;
    return *pattern == '\0';
}

int tt_glob_variable(const char *pattern, const char *unit,
                     const char *instance, const char *variable)
{
    char name[1024];

    if (strcmp(pattern, "all") == 0 || tt_glob(pattern, variable))
        return 1;
    snprintf(name, sizeof(name), "%s.%s", instance, variable);
    if (tt_glob(pattern, name))
        return 1;
    snprintf(name, sizeof(name), "%s.%s", unit, variable);
    return tt_glob(pattern, name);
}
