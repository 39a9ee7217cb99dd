/* SPDX-License-Identifier: MIT */
#ifndef TT_SCORE_FILE_IMPL_H
#define TT_SCORE_FILE_IMPL_H

/* The rooms of the reader: values (file_doc.c), operations (file_ops.c), and
 * the file as a whole (file.c). */

#include "text/json.h"
#include "score/file.h"
#include "unit/call.h"

#define TT_FILE_TURNS  1000000000 /* most turns of a loop */
#define TT_FILE_STATES 64         /* most state registers */

struct tt_reading {
    struct tt_draft *w;
    tt_err *err;
    struct tt_names unit, slot; /* by whole names; keys are in the arena */
    const char **slot_name;     /* the same, per slot */
    enum tt_section section;
    int substeps;       /* what is read is in a loop that divides the step */
    uint32_t n_state;   /* registers used so far */
    struct tt_buf word; /* scratch: a name */
    uint32_t *list;     /* scratch: slots */
    uint8_t *listed;    /* scratch, per slot: it is in the list */
    uint8_t *fresh;     /* per slot: the steps may have moved it */
    struct tt_where *where; /* of the operations so far */
    size_t n_where, cap_where;
};

/* file_doc.c: every one of them states where, and what would be right. */
TT_PRINTF(3, 4)
enum tt_code file_fail(struct tt_reading *r, struct tt_where at,
                       const char *fmt, ...);
enum tt_code file_wrong(struct tt_reading *r, const struct tt_doc *d,
                        const char *wanted);
/* ", did you mean '...'?" into out, or "". */
const char *file_hint(char *out, size_t size, const char *wrong, size_t n,
                      tt_name_fn get, const void *ctx);
/* An object with none but these fields, and comments. */
TT_NODISCARD enum tt_code file_object(struct tt_reading *r,
                                      const struct tt_doc *d,
                                      const char *const *known);
/* A field that must be there, of this kind. */
TT_NODISCARD enum tt_code file_field(struct tt_reading *r,
                                     const struct tt_doc *d, const char *name,
                                     enum tt_doc_kind kind,
                                     const struct tt_doc **out);
/* Fields that may be missing: *flags, *out stay as they are. */
TT_NODISCARD enum tt_code file_flag(struct tt_reading *r,
                                    const struct tt_doc *d, const char *name,
                                    unsigned bit, uint8_t *flags);
TT_NODISCARD enum tt_code file_word(struct tt_reading *r,
                                    const struct tt_doc *d, const char *name,
                                    const char *const *words, uint32_t *out);
TT_NODISCARD enum tt_code file_number(struct tt_reading *r,
                                      const struct tt_doc *d, const char *name,
                                      double *out);
/* A whole number that must be there, within limits. */
TT_NODISCARD enum tt_code file_count(struct tt_reading *r,
                                     const struct tt_doc *d, const char *name,
                                     int64_t least, int64_t most,
                                     uint32_t *out);

/* file.c: operations written since the last mark come from here. */
void file_mark(struct tt_reading *r, struct tt_where where);

/* file_ops.c: the instant of values, unless stated otherwise. */
uint16_t file_instant(const struct tt_reading *r);
/* Slots into r->list, each once; then forget that they are in it. */
TT_NODISCARD enum tt_code file_list(struct tt_reading *r,
                                    const struct tt_doc *d, uint32_t slot,
                                    uint32_t n);
void file_unlist(struct tt_reading *r, uint32_t n);
/* file_loops.c */
TT_NODISCARD enum tt_code
file_read_loop(struct tt_reading *r, const struct tt_doc *d, struct tt_op op);
/* The operations of a section, or of a loop in it. */
TT_NODISCARD enum tt_code file_operations(struct tt_reading *r,
                                          const struct tt_doc *list);

/* What the file calls a unit: by the scenario it belongs to, also where that is
 * inside another one. */
static inline const char *file_unit(const tt_plan *p, uint32_t unit)
{
    return p->scenario->unit[unit].name;
}

#endif
