/* SPDX-License-Identifier: MIT */
/* What tutti stability --adaptive wrote, for a run that obeys it. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "run/run_impl.h"
#include "step/allowed.h"
#include "sys/file.h"
#include "text/json.h"

#define MOST (16u << 20) /* nodes times policies */

struct file {
    const char *path;
    struct tt_doc doc;
    uint32_t n_node;
    struct tt_allowed_edge *edge; /* owned */
    uint32_t n_edge;
};

static enum tt_code is_none(const struct file *f, tt_err *err)
{
    return tt_fail(err, TT_EINPUT,
                   "%s is not what 'tutti stability --adaptive -o' writes",
                   f->path);
}

/* A whole number from `least` on and below `end`. */
static int is_within(const struct tt_doc *v, int64_t least, int64_t end)
{
    return v->kind == TT_DOC_INTEGER && v->u.integer >= least &&
           v->u.integer < end;
}

static enum tt_code read_edges(struct file *f, uint32_t n_policy, tt_err *err)
{
    const struct tt_doc *all = tt_doc_find(&f->doc, "allowed");

    if (!all || all->kind != TT_DOC_ARRAY)
        return is_none(f, err);
    if (!TT_NEW_ARRAY(f->edge, all->n))
        return run_nomem(err);
    for (uint32_t i = 0; i < all->n; i++) {
        const struct tt_doc *e = &all->u.child[i], *x = e->u.child;

        if (e->kind != TT_DOC_ARRAY || e->n != 3 ||
            !is_within(&x[0], 0, f->n_node) ||
            !is_within(&x[1], 1, (int64_t)n_policy + 1) ||
            !is_within(&x[2], 0, f->n_node))
            return is_none(f, err);
        f->edge[i] = (struct tt_allowed_edge){(uint32_t)x[0].u.integer,
                                              (uint32_t)x[1].u.integer - 1,
                                              (uint32_t)x[2].u.integer};
    }
    f->n_edge = all->n;
    return TT_OK;
}

/* Every word goes on: behind each edge there is another. */
static enum tt_code check_ends(const struct file *f, tt_err *err)
{
    uint8_t *goes_on;
    enum tt_code rc = TT_OK;

    if (!TT_NEW_ARRAY(goes_on, f->n_node))
        return run_nomem(err);
    for (uint32_t i = 0; i < f->n_edge; i++)
        goes_on[f->edge[i].from] = 1;
    for (uint32_t i = 0; i < f->n_edge && rc == TT_OK; i++)
        if (!goes_on[f->edge[i].to])
            rc = is_none(f, err);
    tt_free(goes_on);
    return rc;
}

/* Is it about this scenario, and does it prove something? */
static enum tt_code check(struct file *f, uint32_t n, const tt_run *r,
                          tt_err *err)
{
    const struct tt_doc *stamp, *nodes, *proof;
    char now[17];

    if (f->doc.kind != TT_DOC_OBJECT)
        return is_none(f, err);
    stamp = tt_doc_find(&f->doc, "stamp");
    nodes = tt_doc_find(&f->doc, "nodes");
    proof = tt_doc_find(&f->doc, "certificate");
    if (!stamp || stamp->kind != TT_DOC_TEXT || !nodes || !proof ||
        !is_within(nodes, 1, MOST / n))
        return is_none(f, err);
    (void)snprintf(now, sizeof(now), "%016" PRIx64, tt_run_policies_hash(r));
    if (strcmp(stamp->u.text, now) != 0)
        return tt_fail(err, TT_EINPUT,
                       "%s is about another scenario, or this one has changed "
                       "since: make it anew with 'tutti stability --adaptive'",
                       f->path);
    f->n_node = (uint32_t)nodes->u.integer;
    if (proof->kind != TT_DOC_OBJECT)
        return tt_fail(err, TT_EINPUT,
                       "%s allows nothing: no policies are stable", f->path);
    return TT_OK;
}

static enum tt_code parse(struct tt_allowed *out, struct file *f,
                          const struct tt_buf *text, tt_arena *arena,
                          uint32_t n, const double *step, const tt_run *r,
                          tt_err *err)
{
    const struct tt_text_file file = {f->path, text->data, text->len};
    enum tt_code rc = tt_doc_parse(&f->doc, &file, 0, arena, arena, err);

    if (rc == TT_OK)
        rc = check(f, n, r, err);
    if (rc == TT_OK)
        rc = read_edges(f, n, err);
    if (rc == TT_OK)
        rc = check_ends(f, err);
    if (rc == TT_OK && !f->n_edge)
        rc = is_none(f, err);
    if (rc == TT_OK &&
        !tt_allowed_make(out, f->n_node, n, f->edge, f->n_edge, step))
        rc = run_nomem(err);
    return rc;
}

enum tt_code run_read_allowed(struct tt_allowed *out, uint32_t n,
                              const double *step, const tt_run *r, tt_err *err)
{
    struct file f = {.path = r->scenario->allowed};
    struct tt_buf text;
    tt_arena *arena = tt_arena_new();
    enum tt_code rc = arena ? TT_OK : run_nomem(err);

    tt_buf_init(&text, TT_DOC_MAX);
    if (rc == TT_OK)
        rc = tt_file_read(&text, f.path, err);
    if (rc == TT_OK)
        rc = parse(out, &f, &text, arena, n, step, r, err);
    tt_free(f.edge);
    tt_buf_fini(&text);
    tt_arena_free(arena);
    return rc;
}
