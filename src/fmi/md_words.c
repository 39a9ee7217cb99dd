/* SPDX-License-Identifier: MIT */
#include "fmi/md_impl.h"

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

const char *tt_md_type_name(const struct tt_md *md, enum tt_type t)
{
    if (md->version != TT_FMI_3 && t == TT_F64)
        return "Real";
    if (md->version != TT_FMI_3 && t == TT_I32)
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
    [NO] = {0, TT_INIT_NONE},
    [A] = {BIT(TT_INIT_EXACT), TT_INIT_EXACT},
    [B] = {BIT(TT_INIT_APPROX) | BIT(TT_INIT_CALCULATED), TT_INIT_CALCULATED},
    [C] = {BIT(TT_INIT_EXACT) | BIT(TT_INIT_APPROX) | BIT(TT_INIT_CALCULATED),
           TT_INIT_CALCULATED},
    [D] = {BIT(TT_INIT_EXACT), TT_INIT_EXACT},
    [N] = {BIT(TT_INIT_NONE), TT_INIT_NONE},
};

/* By causality: constant, fixed, tunable, discrete, continuous. */
static const uint8_t combination[TT_CAUS_N][TT_VAR_N] = {
    [TT_CAUS_LOCAL] = {A, B, B, C, C},
    [TT_CAUS_PARAMETER] = {NO, A, A, NO, NO},
    [TT_CAUS_CALCULATED] = {NO, B, B, NO, NO},
    [TT_CAUS_INPUT] = {NO, NO, NO, D, D},
    [TT_CAUS_OUTPUT] = {A, NO, NO, C, C},
    [TT_CAUS_INDEPENDENT] = {NO, NO, NO, NO, N},
    [TT_CAUS_STRUCTURAL] = {NO, A, A, NO, NO},
};

struct md_initial_rule md_initial_rule(enum tt_md_version version,
                                       enum tt_causality causality,
                                       enum tt_variability variability)
{
    unsigned row = combination[causality][variability];

    if (row == D && version != TT_FMI_3)
        row = N; /* before FMI 3 inputs have no `initial` */
    return rules[row];
}
