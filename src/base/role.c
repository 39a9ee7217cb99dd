/* SPDX-License-Identifier: MIT */
#include "base/role.h"

#include <stddef.h>

const char *const tt_causality_words[TT_CAUS_N] = {
    [TT_CAUS_LOCAL] = "local",
    [TT_CAUS_PARAMETER] = "parameter",
    [TT_CAUS_CALCULATED] = "calculatedParameter",
    [TT_CAUS_STRUCTURAL] = "structuralParameter",
    [TT_CAUS_INPUT] = "input",
    [TT_CAUS_OUTPUT] = "output",
    [TT_CAUS_INDEPENDENT] = "independent",
};

const char *const tt_variability_words[TT_VAR_N] = {
    "constant", "fixed", "tunable", "discrete", "continuous"};

const char *const tt_initial_words[TT_INIT_N] = {NULL, "exact", "approx",
                                                 "calculated"};

const char *const tt_interval_words[TT_INTERVAL_N] = {
    NULL, "constant", "fixed", "tunable", "changing", "countdown", "triggered"};

const char *const tt_dep_words[TT_DEP_N] = {"dependent", "constant", "fixed",
                                            "tunable", "discrete"};

const char *tt_causality_name(enum tt_causality c)
{
    return (unsigned)c < TT_CAUS_N ? tt_causality_words[c] : "?";
}

const char *tt_variability_name(enum tt_variability v)
{
    return (unsigned)v < TT_VAR_N ? tt_variability_words[v] : "?";
}

const char *tt_initial_name(enum tt_initial i)
{
    if (i == TT_INIT_NONE)
        return "-";
    return (unsigned)i < TT_INIT_N ? tt_initial_words[i] : "?";
}

const char *tt_interval_name(enum tt_interval i)
{
    if (i == TT_INTERVAL_NONE)
        return "-";
    return (unsigned)i < TT_INTERVAL_N ? tt_interval_words[i] : "?";
}

const char *tt_dep_name(enum tt_dep_kind d)
{
    return (unsigned)d < TT_DEP_N ? tt_dep_words[d] : "?";
}
