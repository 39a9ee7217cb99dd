/* SPDX-License-Identifier: MIT */
#include "fmi/md_impl.h"

const char *const md_causality_words[TT_MD_CAUSALITY_N] = {
    [TT_MD_LOCAL] = "local",
    [TT_MD_PARAMETER] = "parameter",
    [TT_MD_CALCULATED_PARAMETER] = "calculatedParameter",
    [TT_MD_INPUT] = "input",
    [TT_MD_OUTPUT] = "output",
    [TT_MD_INDEPENDENT] = "independent",
    [TT_MD_STRUCTURAL_PARAMETER] = "structuralParameter",
};

const char *const md_variability_words[TT_MD_VARIABILITY_N] = {
    [TT_MD_CONSTANT] = "constant",     [TT_MD_FIXED] = "fixed",
    [TT_MD_TUNABLE] = "tunable",       [TT_MD_DISCRETE] = "discrete",
    [TT_MD_CONTINUOUS] = "continuous",
};

const char *const md_initial_words[TT_MD_INITIAL_N] = {
    [TT_MD_EXACT] = "exact",
    [TT_MD_APPROX] = "approx",
    [TT_MD_CALCULATED] = "calculated",
};

const char *const md_dep_words[TT_MD_DEP_N] = {
    [TT_MD_DEP_DEPENDENT] = "dependent", [TT_MD_DEP_CONSTANT] = "constant",
    [TT_MD_DEP_FIXED] = "fixed",         [TT_MD_DEP_TUNABLE] = "tunable",
    [TT_MD_DEP_DISCRETE] = "discrete",
};

const char *const md_interval_words[TT_MD_INTERVAL_N] = {
    [TT_MD_INTERVAL_CONSTANT] = "constant",
    [TT_MD_INTERVAL_FIXED] = "fixed",
    [TT_MD_INTERVAL_TUNABLE] = "tunable",
    [TT_MD_INTERVAL_CHANGING] = "changing",
    [TT_MD_INTERVAL_COUNTDOWN] = "countdown",
    [TT_MD_INTERVAL_TRIGGERED] = "triggered",
};

const char *const md_evaluates_words[TT_MD_EVALUATES_N] = {
    [TT_MD_EVALUATES_ALWAYS] = "always",
    [TT_MD_EVALUATES_EVENT] = "event",
    [TT_MD_EVALUATES_NEVER] = "never",
};

const char *const md_reactivity_words[TT_MD_REACTIVITY_N] = {
    [TT_MD_REACTIVE] = "reactive",
    [TT_MD_DELAYED] = "delayed",
    [TT_MD_EITHER] = "either",
};

const char *tt_md_causality_name(enum tt_md_causality c)
{
    return md_causality_words[c];
}

const char *tt_md_variability_name(enum tt_md_variability v)
{
    return md_variability_words[v];
}

const char *tt_md_initial_name(enum tt_md_initial i)
{
    return md_initial_words[i] ? md_initial_words[i] : "-";
}

const char *tt_md_dep_name(enum tt_md_dep d)
{
    return md_dep_words[d];
}

const char *tt_md_interval_name(enum tt_md_interval i)
{
    return md_interval_words[i] ? md_interval_words[i] : "-";
}

const char *tt_md_type_name(const struct tt_md *md, enum tt_type t)
{
    if (md->version == TT_FMI_2 && t == TT_F64)
        return "Real";
    if (md->version == TT_FMI_2 && t == TT_I32)
        return "Integer";
    return tt_type_name(t);
}

const char *tt_md_interfaces(const struct tt_md *md)
{
    static const char *const text[] = {
        "no interface type",
        "Co-Simulation",
        "Model Exchange",
        "Co-Simulation and Model Exchange",
        "Scheduled Execution",
        "Co-Simulation and Scheduled Execution",
        "Model Exchange and Scheduled Execution",
        "Co-Simulation, Model Exchange and Scheduled Execution",
    };

    return text[(md->cs.present ? 1 : 0) | (md->me.present ? 2 : 0) |
                (md->se.present ? 4 : 0)];
}

#define BIT(i) (1u << (i))

/* The letters of FMI 2.0.5; D is the input of FMI 3, N the row without a
 * value of `initial`. */
enum { NO, A, B, C, D, N };

static const struct md_initial_rule rules[] = {
    [NO] = {0, TT_MD_NO_INITIAL},
    [A] = {BIT(TT_MD_EXACT), TT_MD_EXACT},
    [B] = {BIT(TT_MD_APPROX) | BIT(TT_MD_CALCULATED), TT_MD_CALCULATED},
    [C] = {BIT(TT_MD_EXACT) | BIT(TT_MD_APPROX) | BIT(TT_MD_CALCULATED),
           TT_MD_CALCULATED},
    [D] = {BIT(TT_MD_EXACT), TT_MD_EXACT},
    [N] = {BIT(TT_MD_NO_INITIAL), TT_MD_NO_INITIAL},
};

/* By causality: constant, fixed, tunable, discrete, continuous. */
static const uint8_t combination[TT_MD_CAUSALITY_N][TT_MD_VARIABILITY_N] = {
    [TT_MD_LOCAL] = {A, B, B, C, C},
    [TT_MD_PARAMETER] = {NO, A, A, NO, NO},
    [TT_MD_CALCULATED_PARAMETER] = {NO, B, B, NO, NO},
    [TT_MD_INPUT] = {NO, NO, NO, D, D},
    [TT_MD_OUTPUT] = {A, NO, NO, C, C},
    [TT_MD_INDEPENDENT] = {NO, NO, NO, NO, N},
    [TT_MD_STRUCTURAL_PARAMETER] = {NO, A, A, NO, NO},
};

struct md_initial_rule md_initial_rule(enum tt_md_version version,
                                       enum tt_md_causality causality,
                                       enum tt_md_variability variability)
{
    unsigned row = combination[causality][variability];

    if (row == D && version == TT_FMI_2)
        row = N; /* FMI 2 has no `initial` for inputs */
    return rules[row];
}
