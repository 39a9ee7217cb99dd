/* SPDX-License-Identifier: MIT */
/* Loops of a score file: counted, of sub-steps, or until a solver is done. */
#include "score/file_impl.h"

const char *const tt_file_methods[] = {
    [TT_SOLVE_NONE] = "none",     [TT_SOLVE_RELAX] = "relax",
    [TT_SOLVE_AITKEN] = "aitken", [TT_SOLVE_ANDERSON] = "anderson",
    [TT_SOLVE_NEWTON] = "newton", [TT_SOLVE_AUTO] = "auto",
    [TT_SOLVE_AUTO + 1] = NULL};
const char *const tt_file_unconverged[] = {[TT_FILE_FAIL] = "fail",
                                           [TT_FILE_ACCEPT] = "accept",
                                           [TT_FILE_REDUCE] = "reduce",
                                           [TT_FILE_REDUCE + 1] = NULL};

static const char *output_name(const void *ctx, size_t i)
{
    const struct tt_reading *r = ctx;

    return r->w->plan->slot[i].dir == TT_SLOT_IN ? NULL : r->slot_name[i];
}

static enum tt_code read_unknown(struct tt_reading *r, const struct tt_doc *d,
                                 uint32_t n)
{
    const tt_plan *p = r->w->plan;
    char hint[512];
    uint32_t slot;

    if (d->kind != TT_DOC_TEXT)
        return file_wrong(r, d, "a string");
    slot = tt_names_find(&r->slot, d->u.text);
    if (slot != TT_NONE && p->slot[slot].dir != TT_SLOT_IN)
        return file_list(r, d, slot, n);
    return file_fail(
        r, d->where, "'%s' is no output that is connected or recorded%s",
        d->u.text,
        file_hint(hint, sizeof(hint), d->u.text, p->n_slot, output_name, r));
}

static enum tt_code read_unknowns(struct tt_reading *r, const struct tt_doc *d,
                                  uint32_t *n)
{
    const struct tt_doc *f;
    enum tt_code rc = file_field(r, d, "unknowns", TT_DOC_ARRAY, &f);

    *n = 0;
    if (rc == TT_OK && !f->n)
        rc = file_fail(r, f->where, "'unknowns' must name an output");
    for (uint32_t i = 0; rc == TT_OK && i < f->n; i++) {
        rc = read_unknown(r, &f->u.child[i], *n);
        *n += rc == TT_OK;
    }
    file_unlist(r, *n);
    return rc;
}

/* What is not there is as in the struct. */
static enum tt_code read_method(struct tt_reading *r, const struct tt_doc *d,
                                struct tt_solver *v)
{
    uint32_t method = TT_SOLVE_NONE, end = TT_FILE_FAIL;
    enum tt_code rc = file_word(r, d, "method", tt_file_methods, &method);

    if (rc == TT_OK)
        rc = file_number(r, d, "abstol", &v->opts.atol);
    if (rc == TT_OK)
        rc = file_number(r, d, "reltol", &v->opts.rtol);
    if (rc == TT_OK)
        rc = file_number(r, d, "relax", &v->opts.relax);
    if (rc == TT_OK && tt_doc_find(d, "least"))
        rc = file_count(r, d, "least", 0, TT_FILE_TURNS, &v->opts.least);
    if (rc == TT_OK)
        rc = file_word(r, d, "unconverged", tt_file_unconverged, &end);
    if (rc == TT_OK && end == TT_FILE_REDUCE && !r->w->plan->rejects)
        rc = file_fail(r, tt_doc_find(d, "unconverged")->where,
                       "no step of this scenario can be reduced");
    v->opts.method = (enum tt_solve_method)method;
    v->accept = end == TT_FILE_ACCEPT;
    v->reduce = end == TT_FILE_REDUCE;
    return rc;
}

/* *until becomes the solver's index plus 1. */
static enum tt_code read_solver(struct tt_reading *r, const struct tt_doc *d,
                                struct tt_solver v, uint16_t *until)
{
    static const char *const known[] = {"method",      "unknowns", "abstol",
                                        "reltol",      "relax",    "least",
                                        "unconverged", NULL};
    uint32_t n;
    enum tt_code rc = file_object(r, d, known);

    if (rc == TT_OK)
        rc = read_method(r, d, &v);
    if (rc == TT_OK)
        rc = read_unknowns(r, d, &n);
    if (rc == TT_OK)
        *until = (uint16_t)(tt_write_solver(r->w, v, r->list, n) + 1);
    return rc;
}

/* The fields that count turns: each is a loop of its own kind. */
enum turns { TIMES, MOST, SUBSTEPS, TURNS };
static const char *const turns_field[TURNS] = {
    [TIMES] = "times", [MOST] = "most", [SUBSTEPS] = "substeps"};

static enum tt_code check_solve(struct tt_reading *r, const struct tt_doc *d,
                                enum turns kind)
{
    const struct tt_doc *solve = tt_doc_find(d, "solve");

    if (!solve && kind == MOST)
        return file_fail(r, d->where, "a loop with 'most' needs 'solve'");
    if (solve && kind == SUBSTEPS)
        return file_fail(r, solve->key_where,
                         "a loop of sub-steps has no 'solve'");
    return TT_OK;
}

/* The one of them that is there. */
static enum tt_code find_turns(struct tt_reading *r, const struct tt_doc *d,
                               enum turns *kind)
{
    int found = 0;

    *kind = TIMES;
    for (int i = 0; i < TURNS; i++) {
        const struct tt_doc *f = tt_doc_find(d, turns_field[i]);

        if (f && found)
            return file_fail(r, f->key_where,
                             "a loop has '%s' or '%s', not both",
                             turns_field[*kind], turns_field[i]);
        if (f)
            *kind = (enum turns)i;
        found |= f != NULL;
    }
    if (!found)
        return file_fail(r, d->where,
                         "a loop needs 'times', 'substeps', or 'most' and "
                         "'solve'");
    return check_solve(r, d, *kind);
}

static int steps_since(const struct tt_draft *w, size_t first)
{
    for (size_t i = first; i < w->n_op; i++)
        if (w->op[i].code == TT_OP_STEP)
            return 1;
    return 0;
}

/* At one instant, or over a step? The body knows. */
static void close_loop(struct tt_reading *r, size_t first, uint16_t until)
{
    int steps = steps_since(r->w, first);
    struct tt_op *loop = &r->w->op[first];
    uint16_t at = file_instant(r);

    if (r->w->failed)
        return;
    loop->at = !steps ? at : r->substeps ? TT_S0 : TT_T0;
    loop->to = at;
    if (until) {
        r->w->solver[until - 1].init = !steps;
        tt_write_op(r->w, (struct tt_op){.code = TT_OP_SOLVE,
                                         .unit = TT_NONE,
                                         .arg = until - 1u,
                                         .at = at,
                                         .to = at});
    }
    tt_write_op(r->w, (struct tt_op){.code = TT_OP_END, .unit = TT_NONE});
}

static enum tt_code read_body(struct tt_reading *r, const struct tt_doc *d,
                              int substeps)
{
    int around = r->substeps;
    const struct tt_doc *body;
    enum tt_code rc = file_field(r, d, "do", TT_DOC_ARRAY, &body);

    if (substeps)
        tt_write_op(r->w, (struct tt_op){.code = TT_OP_TIME,
                                         .unit = TT_NONE,
                                         .at = TT_S0,
                                         .to = TT_S1});
    file_mark(r, d->where);
    r->substeps |= substeps;
    if (rc == TT_OK)
        rc = file_operations(r, body);
    r->substeps = around;
    return rc;
}

enum tt_code file_read_loop(struct tt_reading *r, const struct tt_doc *d,
                            struct tt_op op)
{
    const struct tt_doc *solve = tt_doc_find(d, "solve");
    size_t first = r->w->n_op;
    enum turns kind;
    enum tt_code rc = find_turns(r, d, &kind);

    if (rc == TT_OK)
        rc = file_count(r, d, turns_field[kind], 1, TT_FILE_TURNS, &op.arg);
    if (rc == TT_OK && solve)
        rc = read_solver(r, solve,
                         (struct tt_solver){.substitute = kind == TIMES},
                         &op.until);
    if (rc != TT_OK)
        return rc;
    tt_write_op(r->w, op);
    rc = read_body(r, d, kind == SUBSTEPS);
    if (rc == TT_OK)
        close_loop(r, first, op.until);
    return rc;
}
