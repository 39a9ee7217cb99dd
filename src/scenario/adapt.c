/* SPDX-License-Identifier: MIT */
/* "adapt": how instances are used otherwise than as their FMUs are made. What
 * the clauses mean is looked at when the FMU is opened (adapt/clause.c). */
#include "scenario/build_impl.h"

#include "unit/unit.h"

static enum tt_code clauses_of_unit(struct tt_sc_build *b,
                                    const struct tt_doc *v,
                                    struct tt_sc_unit *u)
{
    struct tt_sc_word *word;
    struct tt_clause *c;
    uint32_t n;
    enum tt_code rc = tt_sc_words(b, v, 1, &word, &n);

    if (rc != TT_OK)
        return rc;
    if (!TT_NEW_IN(b->s->arena, c, (size_t)n + 1))
        return tt_sc_no_memory(b);
    for (uint32_t i = 0; i < n; i++) {
        struct tt_spot at = {.line = 0};

        tt_scenario_place(b->s, word[i].where, &at);
        c[i] = (struct tt_clause){.text = tt_sc_keep(b, word[i].text),
                                  .file = tt_sc_keep(b, at.file),
                                  .line = (uint32_t)at.line,
                                  .column = (uint32_t)at.column + 1};
        if (!c[i].text || !c[i].file)
            return tt_sc_no_memory(b);
    }
    u->clause = n ? c : NULL;
    u->n_clause = n;
    return TT_OK;
}

enum tt_code tt_sc_read_adapt(struct tt_sc_build *b, const struct tt_doc *v)
{
    enum tt_code rc = tt_sc_object(b, v);

    return rc == TT_OK ? tt_sc_of_each_unit(b, v, clauses_of_unit) : rc;
}
