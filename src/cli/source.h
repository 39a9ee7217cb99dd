/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_SOURCE_H
#define TT_CLI_SOURCE_H

/* What to simulate, as the command line says it: scenario files or one FMU,
 * and the options laid over them. Shared by run, check and score. */

#include "cli/cli.h"
#include "scenario/scenario.h"

struct tt_source_args {
    struct tt_words set, record;
    double start, end, step, sample, tolerance, substeps, step_tolerance;
    const char *master, *order, *approximation;
    const char *iterate, *acceleration, *error_control, *dialect;
    const char *base_dir, *only_base;
    int rollback;
    double real_time; /* of `run` only, like the next */
    const char *overrun;
    const char *threads; /* an option of run only: it changes no result */
    int isolate;         /* the same */
    double deadline;
    int no_stop_time;
    const char *token_file, *tls_ca;
};
#define TT_SOURCE_ARGS_INIT                                                    \
    {                                                                          \
        .start = (double)NAN, .end = (double)NAN, .step = (double)NAN,         \
        .sample = (double)NAN, .tolerance = (double)NAN,                       \
        .real_time = (double)NAN, .substeps = (double)NAN,                     \
        .step_tolerance = (double)NAN, .deadline = (double)NAN                 \
    }

#define TT_SOURCE_AT(base, member)                                             \
    ((base) + offsetof(struct tt_source_args, member))
/* Entries of an options table; the struct is at `base` in the command's. */
#define TT_SOURCE_OPTIONS(base)                                                \
    {                                                                          \
        "set",                                                                 \
        0,                                                                     \
        TT_OPT_LIST,                                                           \
        TT_SOURCE_AT(base, set),                                               \
        "REF=VALUE",                                                           \
        "set a parameter or start value: {key}.instance.variable=3"},          \
        {"until",       0,                                                     \
         TT_OPT_NUMBER, TT_SOURCE_AT(base, end),                               \
         "T",           "end at this time, s"},                                \
        {"end", 0, TT_OPT_NUMBER, TT_SOURCE_AT(base, end), "T", NULL},         \
        {"start",       0,                                                     \
         TT_OPT_NUMBER, TT_SOURCE_AT(base, start),                             \
         "T",           "start at this time, s"},                              \
        {"step",                                                               \
         0,                                                                    \
         TT_OPT_POSITIVE,                                                      \
         TT_SOURCE_AT(base, step),                                             \
         "H",                                                                  \
         "communication step, s"},                                             \
        {"master",                                                             \
         0,                                                                    \
         TT_OPT_TEXT,                                                          \
         TT_SOURCE_AT(base, master),                                           \
         "jacobi|gauss-seidel",                                                \
         "how units take turns"},                                              \
        {"order",     0,                                                       \
         TT_OPT_TEXT, TT_SOURCE_AT(base, order),                               \
         "A,B",       "the order of units within a step"},                     \
        {"approximation", 0,                                                   \
         TT_OPT_TEXT,     TT_SOURCE_AT(base, approximation),                   \
         "WAY",           "inputs within a step: hold, linear, hermite, ..."}, \
        {"substeps",                                                           \
         0,                                                                    \
         TT_OPT_NUMBER,                                                        \
         TT_SOURCE_AT(base, substeps),                                         \
         "N",                                                                  \
         "of units that cannot follow inputs themselves; 0: none"},            \
        {"rollback",  0,                                                       \
         TT_OPT_FLAG, TT_SOURCE_AT(base, rollback),                            \
         NULL,        "take a step back that a unit rejects, and go shorter"}, \
        {"iterate",     0,                                                     \
         TT_OPT_TEXT,   TT_SOURCE_AT(base, iterate),                           \
         "N|converged", "repeat each step N times, or until units agree"},     \
        {"acceleration", 0,                                                    \
         TT_OPT_TEXT,    TT_SOURCE_AT(base, acceleration),                     \
         "METHOD",       "none, relax, aitken, anderson or newton"},           \
        {"error-control",                                                      \
         0,                                                                    \
         TT_OPT_TEXT,                                                          \
         TT_SOURCE_AT(base, error_control),                                    \
         "METHOD",                                                             \
         "vary the step by its error: richardson, orders, milne, energy"},     \
        {"step-tolerance",                                                     \
         0,                                                                    \
         TT_OPT_POSITIVE,                                                      \
         TT_SOURCE_AT(base, step_tolerance),                                   \
         "TOL",                                                                \
         "of --error-control; default 1e-3"},                                  \
        {"sample",                                                             \
         0,                                                                    \
         TT_OPT_POSITIVE,                                                      \
         TT_SOURCE_AT(base, sample),                                           \
         "DT",                                                                 \
         "a row of results every DT seconds"},                                 \
        {"record",          0,                                                 \
         TT_OPT_LIST,       TT_SOURCE_AT(base, record),                        \
         "PATTERN,...|all", "record these variables too; may be repeated"},    \
        {"tolerance",                                                          \
         0,                                                                    \
         TT_OPT_POSITIVE,                                                      \
         TT_SOURCE_AT(base, tolerance),                                        \
         "R",                                                                  \
         "relative tolerance for the units' own solvers"},                     \
        {"dialect",                                                            \
         0,                                                                    \
         TT_OPT_TEXT,                                                          \
         TT_SOURCE_AT(base, dialect),                                          \
         "maestro2|maestro1",                                                  \
         "keep to that Maestro's rules, and write its CSV"},                   \
        {"base",      0,                                                       \
         TT_OPT_TEXT, TT_SOURCE_AT(base, base_dir),                            \
         "FOLDER",    "what relative FMU locations are relative to"},          \
    {                                                                          \
        "only-base", 0, TT_OPT_TEXT, TT_SOURCE_AT(base, only_base), "FOLDER",  \
            "the same, and FMUs outside of it are refused"                     \
    }

/* Load what `files` names. */
TT_NODISCARD enum tt_code tt_source_load(tt_scenario **out,
                                         const struct tt_cli *cli,
                                         const struct tt_words *files,
                                         const struct tt_source_args *a,
                                         const struct tt_log *log, tt_err *err);
void tt_source_options(const struct tt_source_args *a, struct tt_sc_options *o);

#endif
