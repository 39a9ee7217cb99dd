/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_TEST_MD_H
#define TT_FMI_TEST_MD_H

/* Descriptions as strings, for tests. */

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "fmi/md_impl.h"

static inline struct tt_md *md_of(const char *xml)
{
    struct tt_md *md = NULL;
    tt_err err = {.code = TT_OK};

    if (tt_md_parse(&md, xml, strlen(xml), &err) != TT_OK)
        fail_msg("%s", err.msg);
    return md;
}

/* A description without findings. */
static inline struct tt_md *clean_md_of(const char *xml)
{
    struct tt_md *md = md_of(xml);

    if (md->findings.n)
        fail_msg("line %d: %s", md->findings.item[0].line,
                 md->findings.item[0].text);
    return md;
}

static inline const struct tt_md_var *var_of(const struct tt_md *md,
                                             const char *name)
{
    uint32_t i = tt_md_find(md, name);

    assert_int_not_equal(i, TT_NONE);
    return &md->var[i];
}

/* The finding of that rule, line and text is there. */
static inline void expect_finding(const struct tt_findings *f, const char *rule,
                                  int line, const char *text)
{
    for (size_t i = 0; i < f->n; i++) {
        if (strcmp(f->item[i].rule, rule) == 0 && f->item[i].line == line &&
            strcmp(f->item[i].text, text) == 0)
            return;
    }
    for (size_t i = 0; i < f->n; i++)
        print_message("found: line %d: %s [%s]\n", f->item[i].line,
                      f->item[i].text, f->item[i].rule);
    fail_msg("not found: line %d: %s [%s]", line, text, rule);
}

/* FMI 3: variable with that value reference, or TT_NONE. Before: the first one
 * of that value reference and type group. */
static inline uint32_t find_vr(const struct tt_md *md, enum tt_type type,
                               uint32_t vr)
{
    return md_vrs_find(md->vrs, md_vr_group(md->version, type), vr);
}

/* Entry of `u` for variable var, or NULL. */
static inline const struct tt_md_unknown *
find_unknown(const struct tt_md_unknowns *u, uint32_t var)
{
    for (uint32_t i = 0; i < u->n; i++)
        if (u->item[i].var == var)
            return &u->item[i];
    return NULL;
}

#endif
