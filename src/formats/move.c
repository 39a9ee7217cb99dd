/* SPDX-License-Identifier: MIT */
#include "formats/move.h"

#include <string.h>

/* One that no unit uses was not opened, and would be named all the same. */
static enum tt_code check_here(const tt_scenario *s, uint32_t i,
                               const struct tt_mover *m, tt_err *err)
{
    const struct tt_sc_fmu *f = &s->fmu[i];

    if (!m->here || (!(s->host && s->host[i]) &&
                     !(f->path && strncmp(f->path, "tutti://", 8) == 0)))
        return TT_OK;
    return tt_scenario_fail(s, f->where, err, TT_EUNSUPPORTED,
                            "FMU '%s': it is on another host; %s", f->key,
                            m->here);
}

/* What is built in, or comes from outside, has no place. */
static int has_place(const struct tt_sc_fmu *f)
{
    return f->path && strncmp(f->path, "tutti:", 6) != 0;
}

static void forget_places(struct tt_doc *root)
{
    static const char *const idle[] = {"$schema", "multimodel_path", "origin",
                                       "postProcessingScript", "tokenFile"};
    uint32_t kept = 0;

    for (uint32_t i = 0; i < root->n; i++) {
        size_t k = 0;

        while (k < sizeof(idle) / sizeof(*idle) &&
               strcmp(root->u.child[i].key, idle[k]) != 0)
            k++;
        if (k == sizeof(idle) / sizeof(*idle))
            root->u.child[kept++] = root->u.child[i];
    }
    root->n = kept;
}

/* A file that a field names; NULL: none does. The field may have been left
 * out. */
static enum tt_code move_file(const char *path, const char *field,
                              struct tt_doc *root, const struct tt_mover *m,
                              tt_err *err)
{
    uint32_t i = 0;

    while (i < root->n && strcmp(root->u.child[i].key, field) != 0)
        i++;
    return path && i < root->n
               ? m->place_cb(m->ctx, path, 1, &root->u.child[i].u.text, err)
               : TT_OK;
}

/* Its new place goes into the text. */
static enum tt_code move_unit(const struct tt_sc_fmu *f, struct tt_doc *at,
                              const struct tt_mover *m, tt_err *err)
{
    enum tt_code rc;

    if (f->inner)
        return tt_move_places(f->inner, at, m, err);
    rc = m->place_cb(m->ctx, f->path, 0, &at->u.text, err);
    if (rc == TT_OK)
        at->kind = TT_DOC_TEXT;
    return rc;
}

/* The scenario was read from this text, so that all its keys are there. */
enum tt_code tt_move_places(const tt_scenario *s, struct tt_doc *root,
                            const struct tt_mover *m, tt_err *err)
{
    const struct tt_doc *fmus;
    enum tt_code rc = TT_OK;

    if (m->forget)
        forget_places(root);
    fmus = tt_doc_find(root, "fmus");
    for (uint32_t i = 0; i < s->n_fmu && rc == TT_OK; i++) {
        struct tt_doc *at = fmus->u.child;

        rc = check_here(s, i, m, err);
        if (rc != TT_OK || (!s->fmu[i].inner && !has_place(&s->fmu[i])))
            continue; /* perhaps of "events", and not in the text */
        while (strcmp(at->key, s->fmu[i].key) != 0)
            at++;
        rc = move_unit(&s->fmu[i], at, m, err);
    }
    if (rc == TT_OK)
        rc = move_file(s->allowed, "allowed", root, m, err);
    if (rc == TT_OK)
        rc = move_file(s->origin, "origin", root, m, err);
    return rc == TT_OK ? move_file(s->score ? s->score->path : NULL, "score",
                                   root, m, err)
                       : rc;
}
