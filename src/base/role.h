/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_ROLE_H
#define TT_BASE_ROLE_H

/* What a variable is to others, in the words of FMI. */

enum tt_causality {
    TT_CAUS_LOCAL, /* the default of the standard */
    TT_CAUS_PARAMETER,
    TT_CAUS_CALCULATED, /* calculatedParameter */
    TT_CAUS_STRUCTURAL, /* structuralParameter */
    TT_CAUS_INPUT,
    TT_CAUS_OUTPUT,
    TT_CAUS_INDEPENDENT,
    TT_CAUS_N
};

enum tt_variability {
    TT_VAR_CONSTANT,
    TT_VAR_FIXED,
    TT_VAR_TUNABLE,
    TT_VAR_DISCRETE,
    TT_VAR_CONTINUOUS,
    TT_VAR_N
};

enum tt_initial {
    TT_INIT_NONE, /* FMI 1 and 2 inputs, clocks, the independent variable */
    TT_INIT_EXACT,
    TT_INIT_APPROX,
    TT_INIT_CALCULATED,
    TT_INIT_N
};

/* What a clock's ticks follow from: intervalVariability. */
enum tt_interval {
    TT_INTERVAL_NONE, /* not a clock, or missing */
    TT_INTERVAL_CONSTANT,
    TT_INTERVAL_FIXED,
    TT_INTERVAL_TUNABLE,
    TT_INTERVAL_CHANGING,
    TT_INTERVAL_COUNTDOWN,
    TT_INTERVAL_TRIGGERED,
    TT_INTERVAL_N
};

/* How an unknown depends on a known: factor kinds of the standard. */
enum tt_dep_kind {
    TT_DEP_DEPENDENT,
    TT_DEP_CONSTANT,
    TT_DEP_FIXED,
    TT_DEP_TUNABLE,
    TT_DEP_DISCRETE,
    TT_DEP_N
};

extern const char *const tt_causality_words[TT_CAUS_N];
extern const char *const tt_variability_words[TT_VAR_N];
extern const char *const tt_initial_words[TT_INIT_N];      /* NULL for none */
extern const char *const tt_interval_words[TT_INTERVAL_N]; /* NULL: none */
extern const char *const tt_dep_words[TT_DEP_N];

/* "?" for what is no such value. */
const char *tt_causality_name(enum tt_causality c);
const char *tt_variability_name(enum tt_variability v);
const char *tt_initial_name(enum tt_initial i);   /* "-" for none */
const char *tt_interval_name(enum tt_interval i); /* "-" for none */
const char *tt_dep_name(enum tt_dep_kind d);

#endif
