/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_SOURCE_H
#define TT_CLI_SOURCE_H

/* What to simulate, as the command line states it: scenario files or one FMU,
 * and the options laid over them. Shared by run, check and score. */

#include "cli/cli.h"
#include "scenario/scenario.h"

struct tt_base_args { /* where relative locations of FMUs are */
    const char *base, *only_base;
};
extern const struct tt_opt tt_base_opts[];
void tt_base_set(struct tt_sc_options *o, const struct tt_base_args *a);

struct tt_source_args {
    struct tt_sc_options o;
    struct tt_words set, record;
    struct tt_base_args base;
    const char *variant; /* of an SSP package */
};
#define TT_SOURCE_ARGS_INIT                                                    \
    {                                                                          \
        .o = TT_SC_OPTIONS_INIT                                                \
    }
/* Options for the above; those of `run` alone are not among them. */
extern const struct tt_opt tt_source_opts[];

/* Load what the words of the command name. */
TT_NODISCARD enum tt_code tt_source_load(tt_scenario **out,
                                         const struct tt_cli *cli,
                                         const struct tt_source_args *a,
                                         const struct tt_log *log, tt_err *err);
struct tt_sc_options tt_source_options(const struct tt_source_args *a);
/* What to type behind a command for the same: the words, and the options that
 * differ from the usual, each behind a blank. */
void tt_source_put(struct tt_buf *b, const struct tt_cli *cli,
                   const struct tt_source_args *a);

#endif
