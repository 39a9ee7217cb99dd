/* SPDX-License-Identifier: MIT */
#ifndef TT_API_INFO_H
#define TT_API_INFO_H

/* What an FMU is and has: for people (info_text.c), for machines
 * (info_json.c). */

#include <stddef.h>

#include "base/buf.h"
#include "fmi/fmu.h"

#define TT_INFO_VARIABLES 50u /* shown unless all are asked for */

struct tt_info_look {
    int all; /* every variable */
    int colours;
    size_t width; /* columns of a line; 0: as long as they are */
};

TT_NODISCARD enum tt_code tt_info_text(struct tt_buf *b, tt_fmu *fmu,
                                       const struct tt_info_look *look,
                                       tt_err *err);
TT_NODISCARD enum tt_code tt_info_json(struct tt_buf *b, tt_fmu *fmu,
                                       tt_err *err);

struct tt_desc;
/* The same of a unit that is no FMU: kind, name, variables. */
void tt_info_desc_json(struct tt_buf *b, const char *path,
                       const struct tt_desc *d);
TT_NODISCARD enum tt_code tt_info_desc_text(struct tt_buf *b, const char *path,
                                            const struct tt_desc *d,
                                            const struct tt_info_look *look,
                                            tt_err *err);

/* Start value number i of a variable as text, appended. */
void tt_info_start(struct tt_buf *b, const struct tt_md_var *v, uint64_t i);

/* info_terminals.c: parts of the above. Nothing where there is none. */
void tt_info_terminals_text(struct tt_buf *b, const tt_fmu *fmu);
void tt_info_terminals_json(struct tt_buf *b, const tt_fmu *fmu);
TT_NODISCARD enum tt_code tt_info_layers_text(struct tt_buf *b, tt_fmu *fmu,
                                              tt_err *err);
TT_NODISCARD enum tt_code tt_info_layers_json(struct tt_buf *b, tt_fmu *fmu,
                                              tt_err *err);

#endif
