/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_MD_CHECK_IMPL_H
#define TT_FMI_MD_CHECK_IMPL_H

/* What the parts of the checker share. Private to fmi/. */

#include "fmi/md_impl.h"
#include "fmi/modeldesc.h"
#include "text/archive.h"

/* What the model structure makes of a variable. */
enum md_role {
    MD_ROLE_STATE = 1 << 0, /* a listed derivative is its derivative */
    MD_ROLE_DERIVATIVE = 1 << 1,
    MD_ROLE_OUTPUT = 1 << 2, /* listed among the outputs */
    MD_ROLE_INITIAL = 1 << 3,
    MD_ROLE_CLOCKED = 1 << 4,
    MD_ROLE_EVENT = 1 << 5,
    MD_ROLE_PREVIOUS = 1 << 6, /* some variable's `previous` */
};

struct md_check {
    const struct tt_md *md;
    struct tt_findings *f;
    tt_arena *arena;      /* owned */
    uint8_t *role;        /* enum md_role of each variable */
    int64_t **enum_value; /* of each type, sorted; NULL: not an enumeration */
    int nomem;
};

#define MD_ERR(c, line, rule, ...)                                             \
    tt_findings_add((c)->f, TT_SEV_ERROR, (line), (rule), __VA_ARGS__)
#define MD_WARN(c, line, rule, ...)                                            \
    tt_findings_add((c)->f, TT_SEV_WARNING, (line), (rule), __VA_ARGS__)

void md_check_definitions(struct md_check *c); /* units, types, categories */
void md_check_vars(struct md_check *c);
void md_check_var_fmi3(struct md_check *c, const struct tt_md_var *v);
void md_check_aliases(struct md_check *c); /* FMI 2 */
void md_find_roles(struct md_check *c);
void md_check_structure(struct md_check *c);
void md_check_files(struct md_check *c, tt_archive *a);
/* Is the name well-formed by the structured convention? */
int md_name_is_structured(const char *name);
int md_enum_has(const struct md_check *c, const struct tt_md_type *t,
                int64_t value);

#endif
