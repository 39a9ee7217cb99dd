/* SPDX-License-Identifier: MIT */
#ifndef TT_ADAPT_ADAPT_H
#define TT_ADAPT_ADAPT_H

/* Adaptations: a unit around other units, written in a small language (baseSA,
 * C. Gomes, Property Preservation in Co-simulation, chapter 7). Files end in
 * .sa. docs/reference/adaptation.md has the language.
 *
 * A program is parsed, brought into its explicit form (every convention written
 * out), checked, and compiled to a list of small operations over one block of
 * memory. The unit's state is that block and the states of the inner units: it
 * is saved, packed and restored where those can be.
 *
 * The inner units are of any kind, named relative to the file. A program that
 * names itself is refused.
 */

#include "base/buf.h"
#include "unit/move.h"
#include "unit/unit.h"

extern const struct tt_kind_ops tt_kind_adapted;

/* The explicit form of the program at s->path, or of the last clauses, as text.
 * The inner units are opened where there are files; where not, the ports that
 * the program declares are believed. */
TT_NODISCARD enum tt_code tt_adapt_explicit(const struct tt_source *s,
                                            struct tt_buf *out, tt_err *err);

/* Clauses that are neighbours may be one program: where that ends which begins
 * behind the s->n_clause first of n. */
uint32_t tt_adapt_clauses(const struct tt_source *s, uint32_t n);

/* The program at `path` with other locations of its inner units. */
TT_NODISCARD enum tt_code tt_adapt_moved(const char *path,
                                         const struct tt_unit_move *m,
                                         struct tt_buf *out, tt_err *err);

/* Parse only, for tests: n bytes, `name` for messages. */
TT_NODISCARD enum tt_code tt_adapt_parse(const char *text, size_t n,
                                         const char *name, tt_err *err);

/* The grammar, one production per line, as the parser has it. */
void tt_adapt_grammar(struct tt_buf *out);

#endif
