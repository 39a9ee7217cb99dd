/* SPDX-License-Identifier: MIT */
#ifndef TT_FORMATS_MSIM_IMPL_H
#define TT_FORMATS_MSIM_IMPL_H

/* A project of MasterSim while it is read: lines of words. */

#include "formats/fields.h"
#include "formats/formats.h"
#include "formats/ssp_impl.h"

#define MSIM_MOST_WORDS 8u
#define MSIM_MOST_CYCLE 1000000u

struct msim_slave {
    const char *name, *unit; /* "{key}.instance" */
    uint32_t cycle;
    int is_table;
};

/* What lines state, with MasterSim's defaults. */
enum msim_time {
    MSIM_START,
    MSIM_END,
    MSIM_LEAST,
    MSIM_MOST,
    MSIM_FIRST,
    MSIM_FALL_BACK,
    MSIM_OUTPUT,
    MSIM_TIMES
};
enum msim_master { MSIM_JACOBI, MSIM_SEIDEL, MSIM_NEWTON };
enum msim_control { MSIM_NONE, MSIM_CHECK, MSIM_DOUBLING };

struct msim {
    struct ssp s;       /* keys of FMUs, texts */
    struct ssp_doc doc; /* its folder */
    struct msim_slave *slave;
    size_t n_slave, cap_slave;
    struct tt_names slave_by;
    double time[MSIM_TIMES]; /* s */
    struct tt_where time_at[MSIM_TIMES];
    int adjusts, all_variables;
    double abstol, reltol;
    enum msim_master master;
    enum msim_control control;
    struct tt_where master_at, control_at;
    uint32_t turns;
};

/* One line, in words; the quotes of a word are off. */
struct msim_line {
    const char *word[MSIM_MOST_WORDS];
    uint32_t n;       /* beyond the most: one more */
    const char *rest; /* what follows the first word */
    struct tt_where where;
};

/* A line that is no simulator, graph or parameter: "hMax 30 min". */
TT_NODISCARD enum tt_code msim_setting(struct msim *m,
                                       const struct msim_line *l);
/* What all settings mean, behind the last line. */
TT_NODISCARD enum tt_code msim_apply(struct msim *m);

TT_NODISCARD enum tt_code msim_write(const tt_scenario *s,
                                     struct tt_format_target *t, tt_err *err);

#endif
