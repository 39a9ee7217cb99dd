/* SPDX-License-Identifier: MIT */
#ifndef TT_FORMATS_FORMATS_H
#define TT_FORMATS_FORMATS_H

/* Scenarios in whatever format they come: JSON of ours, one FMU alone, or a
 * system structure that another tool wrote; and back.
 *
 * A format is a row of a table: how its files are recognised, who makes a
 * scenario of one, who writes a scenario as one. To add a format: its row in a
 * file of its own, declared below, and listed in formats.c.
 */

#include "base/hooks.h"
#include "base/log.h"
#include "scenario/scenario.h"
#include "unit/move.h"

/* What is read. */
struct tt_format_source {
    const char *path;
    const char *variant;     /* of an SSP package, or NULL */
    const char *const *over; /* files that are laid over it */
    size_t n_over;
    const struct tt_sc_options *o; /* or NULL */
    const struct tt_log *log;
};

/* What is written, and how. */
struct tt_format_target {
    const char *path;
    const char *version;       /* of the format, "1.0"; NULL: the usual one.
                                * Written: what it is, where there are several */
    uint32_t n_inside;         /* written: so many FMUs are in the package */
    const struct tt_log *log;  /* gets what the format cannot express */
    uint32_t n_lost;           /* so many of these there were */
    tt_unit_moved_cb moved_cb; /* tt_adapt_moved, which is rooms above */
};

struct tt_scformat {
    const char *what;          /* "a system structure (SSP)" */
    const char *const *ending; /* of its files, in lower case; NULL ends it */
    /* Is it one, by more than the ending? NULL: the ending decides. */
    int (*is)(const char *path);
    /* Is it a file that is laid over one of this format? NULL: none is. */
    int (*is_over)(const char *path);
    /* NULL: it is only written. */
    enum tt_code (*read)(tt_scenario **out, const struct tt_format_source *f,
                         tt_err *err);
    /* NULL: it is only read. What the format cannot express is passed to
     * tt_format_lost, and the rest is written. */
    enum tt_code (*write)(const tt_scenario *s, struct tt_format_target *t,
                          tt_err *err);
};

/* The rows; formats.c lists them. */
extern const struct tt_scformat tt_scformat_json, tt_scformat_ssp,
    tt_scformat_osp, tt_scformat_msim;

/* The format of a file that is there. NULL: none of the table's. */
const struct tt_scformat *tt_scformat_of(const char *path);

/* As tt_scenario_open, which it calls for what is ours; besides all formats of
 * the table. `variant` chooses among several .ssd files of an SSP package by
 * file name without ending; NULL: SystemStructure. */
TT_NODISCARD enum tt_code tt_format_open(tt_scenario **out,
                                         const char *const *path, size_t n,
                                         const char *variant,
                                         const struct tt_sc_options *o,
                                         const struct tt_log *log, tt_err *err);

/* Write it in the format that the ending of t->path names. */
TT_NODISCARD enum tt_code
tt_format_write(const tt_scenario *s, struct tt_format_target *t, tt_err *err);

/* The target cannot express this: a warning at its place, counted. */
TT_PRINTF(4, 5)
void tt_format_lost(struct tt_format_target *t, const tt_scenario *s,
                    struct tt_where w, const char *fmt, ...);
/* Is it an SSP package, or a system structure description? */
int tt_format_is_ssp(const char *path);
/* Is it, by its name, a file of XML that a package of SSP has: a structure,
 * values, a mapping or a dictionary? */
int tt_format_is_ssp_xml(const char *name);

/* What each unit is called in another format, where `source` has its FMU: its
 * instance's name, a later one of the same name with a number
 * behind `between`. NULL: it has none; those with clauses get one if `adapted`.
 * In the arena; answers NULL: out of memory. */
const char **tt_format_names(const tt_scenario *s, tt_arena *arena,
                             const char *const *source, char between,
                             int adapted);

#endif
