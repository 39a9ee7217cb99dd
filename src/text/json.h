/* SPDX-License-Identifier: MIT */
#ifndef TT_TEXT_JSON_H
#define TT_TEXT_JSON_H

/* JSON that remembers where it is written.
 *
 * One grammar, RFC 8259 with UTF-8, for everything that users write: no name
 * twice in an object, no \u0000, numbers that fit, at most 2048 containers in
 * each other. It gives a tree of nodes in document order, each with the byte at
 * which it and its name begin. Trees of several files are merged into one whose
 * nodes keep the file they came from.
 */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "text/where.h"

/* Larger texts are refused, so that a byte offset fits struct tt_where. */
#define TT_DOC_MAX ((size_t)256 << 20)

enum tt_doc_kind {
    TT_DOC_NULL,
    TT_DOC_BOOL,
    TT_DOC_INTEGER,
    TT_DOC_NUMBER,
    TT_DOC_TEXT,
    TT_DOC_ARRAY,
    TT_DOC_OBJECT,
};

struct tt_doc {
    enum tt_doc_kind kind;
    uint32_t n;      /* children of an ARRAY or OBJECT */
    const char *key; /* name of an object's member, else NULL */
    struct tt_where key_where, where;
    union {
        int64_t integer; /* BOOL, INTEGER */
        double number;
        const char *text;
        struct tt_doc *child;
    } u;
};

/* Parse one file's text. Nodes go to `nodes`, names and texts to `texts`, so
 * that they can outlive the tree. `file` is its index, for the positions.
 * Messages begin with "path:line:column". */
TT_NODISCARD enum tt_code tt_doc_parse(struct tt_doc *out,
                                       const struct tt_text_file *f,
                                       uint32_t file, tt_arena *nodes,
                                       tt_arena *texts, tt_err *err);

/* Lay `over` onto `into`: objects merge by name, arrays by index, everything
 * else is replaced. */
TT_NODISCARD enum tt_code tt_doc_merge(struct tt_doc *into,
                                       const struct tt_doc *over,
                                       tt_arena *nodes, tt_err *err);

/* The member of that name, or NULL; linear in the number of members. */
const struct tt_doc *tt_doc_find(const struct tt_doc *object, const char *key);

/* A number of either kind; `otherwise` when it is none, or NULL. */
double tt_doc_number(const struct tt_doc *v, double otherwise);

/* Append the tree as text, which reads as the same tree. */
void tt_doc_print(struct tt_buf *b, const struct tt_doc *v);

/* "a string", "an object", ... */
const char *tt_doc_kind_text(enum tt_doc_kind kind);

#endif
