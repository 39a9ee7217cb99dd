/* SPDX-License-Identifier: MIT */
/* Two modes as expressions:
 *
 *     {"states": {"x": 0.25, "v": 0}, "parameters": {"r": 0.25, ...},
 *      "mode1": {"x": "v", "v": "-9.81 + ..."}, "mode2": {...},
 *      "switch": "x - r"}
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/switching.h"
#include "expr/expr.h"
#include "sys/file.h"
#include "text/json.h"

#define NAMES_MOST 64u

/* A compiled expression, and where its values are. */
struct formula {
    tt_expr e;
    const void **at;
};

struct planar {
    tt_arena *arena; /* owned: everything */
    struct tt_text_file file;
    struct tt_doc root;
    const char *name[NAMES_MOST]; /* the states first */
    double value[NAMES_MOST];
    uint32_t n;
    struct formula rate[2][2], border;
};

/* "file:line:column: fact" */
static enum tt_code complain(const struct planar *p, const struct tt_doc *at,
                             const char *fact, tt_err *err)
{
    struct tt_text_position w = tt_text_locate(&p->file, at->where.offset);

    return tt_fail(err, TT_EINPUT, "%s:%zu:%zu: %s", p->file.path, w.line,
                   w.column, fact);
}

static enum tt_code want(const struct planar *p, const char *key,
                         enum tt_doc_kind kind, const struct tt_doc **out,
                         tt_err *err)
{
    char fact[160];

    *out = tt_doc_find(&p->root, key);
    if (*out && (*out)->kind == kind)
        return TT_OK;
    (void)snprintf(fact, sizeof(fact), "'%s' must be %s", key,
                   tt_doc_kind_text(kind));
    return complain(p, *out ? *out : &p->root, fact, err);
}

/* --- names -----------------------------------------------------------------
 */

static const char *name_at(const void *ctx, size_t i)
{
    return ((const struct planar *)ctx)->name[i];
}

static int find_name(void *ctx, const char *name, struct tt_expr_variable *v)
{
    const struct planar *p = ctx;

    for (uint32_t i = 0; i < p->n; i++)
        if (strcmp(p->name[i], name) == 0) {
            *v = (struct tt_expr_variable){.type = TT_F64};
            return 0;
        }
    return -1;
}

static enum tt_code read_names(struct planar *p, const struct tt_doc *of,
                               tt_err *err)
{
    for (uint32_t i = 0; i < of->n; i++) {
        const struct tt_doc *v = &of->u.child[i];
        struct tt_expr_variable known;

        if (v->kind != TT_DOC_NUMBER && v->kind != TT_DOC_INTEGER)
            return complain(p, v, "a number is wanted", err);
        if (find_name(p, v->key, &known) == 0)
            return complain(p, v, "there are two of this name", err);
        if (p->n == NAMES_MOST)
            return complain(p, v, "there are more than 64 names", err);
        p->name[p->n] = v->key;
        p->value[p->n++] = tt_doc_number(v, 0);
    }
    return TT_OK;
}

/* --- expressions -----------------------------------------------------------
 */

static enum tt_code compile(struct planar *p, struct formula *f,
                            const struct tt_doc *text, tt_err *err)
{
    const struct tt_expr_scope scope = {
        .ctx = p, .find = find_name, .near = name_at, .n_near = p->n};
    enum tt_code rc;

    if (!text || text->kind != TT_DOC_TEXT)
        return complain(p, text ? text : &p->root,
                        "an expression of each state is wanted", err);
    rc = tt_expr_compile(&f->e, text->u.text, &scope, p->arena, err);
    if (rc != TT_OK)
        return tt_context(err, rc, "%s: \"%s\"", p->file.path, text->u.text);
    if (f->e.kind != TT_EXPR_NUMBER)
        return complain(p, text, "a number is wanted", err);
    if (!TT_NEW_IN(p->arena, f->at, f->e.n_ref + (size_t)1))
        return tt_nomem(err, "the analysis");
    for (uint32_t r = 0; r < f->e.n_ref; r++)
        for (uint32_t i = 0; i < p->n; i++)
            if (strcmp(p->name[i], f->e.ref[r].name) == 0)
                f->at[r] = &p->value[i];
    return TT_OK;
}

static double evaluate(const struct formula *f)
{
    const struct tt_expr_at at = {.value = f->at};

    return tt_expr_value(&f->e, &at);
}

static enum tt_code read_modes(struct planar *p, tt_err *err)
{
    static const char *const key[] = {"mode1", "mode2"};
    const struct tt_doc *border = NULL;
    enum tt_code rc = want(p, "switch", TT_DOC_TEXT, &border, err);

    if (rc == TT_OK)
        rc = compile(p, &p->border, border, err);
    for (int m = 0; m < 2 && rc == TT_OK; m++) {
        const struct tt_doc *mode;

        rc = want(p, key[m], TT_DOC_OBJECT, &mode, err);
        for (int i = 0; i < 2 && rc == TT_OK; i++)
            rc = compile(p, &p->rate[m][i], tt_doc_find(mode, p->name[i]), err);
    }
    return rc;
}

static enum tt_code read_planar(struct planar *p, tt_err *err)
{
    const struct tt_doc *states = NULL, *parameters;
    enum tt_code rc = want(p, "states", TT_DOC_OBJECT, &states, err);

    if (rc == TT_OK && states->n != 2)
        rc = complain(p, states, "two states are wanted", err);
    if (rc == TT_OK)
        rc = read_names(p, states, err);
    if (rc == TT_OK && tt_doc_find(&p->root, "parameters")) {
        rc = want(p, "parameters", TT_DOC_OBJECT, &parameters, err);
        if (rc == TT_OK)
            rc = read_names(p, parameters, err);
    }
    return rc == TT_OK ? read_modes(p, err) : rc;
}

/* --- the system ------------------------------------------------------------
 */

static enum tt_code rate(void *ctx, int mode, const double *x, double *dx,
                         tt_err *err)
{
    struct planar *p = ctx;

    (void)err;
    memcpy(p->value, x, 2 * sizeof(*x));
    for (int i = 0; i < 2; i++)
        dx[i] = evaluate(&p->rate[mode - 1][i]);
    return TT_OK;
}

static enum tt_code side(void *ctx, const double *x, double *g, tt_err *err)
{
    struct planar *p = ctx;

    (void)err;
    memcpy(p->value, x, 2 * sizeof(*x));
    *g = evaluate(&p->border);
    return TT_OK;
}

/* Its root; the text stays in *text. */
static enum tt_code parse(struct planar *p, const char *path,
                          struct tt_buf *text, tt_err *err)
{
    enum tt_code rc = tt_file_read(text, path, err);

    if (rc != TT_OK)
        return rc;
    p->file = (struct tt_text_file){path, text->data, text->len};
    return tt_doc_parse(&p->root, &p->file, 0, p->arena, p->arena, err);
}

static enum tt_code find(struct tt_switching *out, struct planar *p,
                         tt_err *err)
{
    struct tt_planar system = {.ctx = p, .rate_cb = rate, .side_cb = side};
    enum tt_code rc = read_planar(p, err);

    if (rc != TT_OK)
        return rc;
    memcpy(system.near, p->value, sizeof(system.near));
    (void)snprintf(out->name, sizeof(out->name), "%s", p->file.path);
    for (int i = 0; i < 2; i++)
        (void)snprintf(out->state[i], sizeof(out->state[i]), "%s", p->name[i]);
    return tt_delay_find(&out->is, &system, err);
}

int tt_switching_is_file(const char *path)
{
    struct planar p = {.arena = tt_arena_new()};
    struct tt_buf text;
    int is = 0;

    tt_buf_init(&text, TT_DOC_MAX);
    if (p.arena && !tt_scenario_is_fmu(path) &&
        parse(&p, path, &text, NULL) == TT_OK)
        is = p.root.kind == TT_DOC_OBJECT && tt_doc_find(&p.root, "mode1") &&
             !tt_doc_find(&p.root, "fmus");
    tt_buf_fini(&text);
    tt_arena_free(p.arena);
    return is;
}

enum tt_code tt_switching_of_file(struct tt_switching *out, const char *path,
                                  tt_err *err)
{
    struct planar p = {.arena = tt_arena_new()};
    struct tt_buf text;
    enum tt_code rc;

    *out = (struct tt_switching){.late = (double)NAN};
    tt_buf_init(&text, TT_DOC_MAX);
    rc = p.arena ? parse(&p, path, &text, err) : tt_nomem(err, "the analysis");
    if (rc == TT_OK)
        rc = find(out, &p, err);
    tt_buf_fini(&text);
    tt_arena_free(p.arena);
    return rc;
}
