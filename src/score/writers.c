/* SPDX-License-Identifier: MIT */
/* The score writers there are, and the choice between them. */
#include "score/file.h"

static enum tt_code jacobi(struct tt_draft *w, tt_err *err)
{
    return tt_write_one_by_one(w, 0, err);
}

static enum tt_code gauss_seidel(struct tt_draft *w, tt_err *err)
{
    return tt_write_one_by_one(w, 1, err);
}

/* Those a scenario names, in the order of enum tt_sc_master; then the one that
 * reads its score file. */
const struct tt_score_writer tt_score_writers[] = {
    [TT_MASTER_JACOBI] = {"jacobi", jacobi},
    [TT_MASTER_GAUSS_SEIDEL] = {"gauss-seidel", gauss_seidel},
    {"file", tt_write_file},
    {0},
};
#define FROM_FILE (TT_MASTER_GAUSS_SEIDEL + 1)

static enum tt_code write(tt_score **out, const tt_plan *plan, size_t by,
                          const uint32_t *order, tt_err *err)
{
    const struct tt_score_writer *writer = &tt_score_writers[by];
    struct tt_draft w;
    enum tt_code rc = tt_write_new(&w, plan, writer->name, err);

    if (order)
        w.given = order;
    if (rc == TT_OK)
        rc = writer->write(&w, err);
    return tt_write_done(&w, rc, out, err);
}

enum tt_code tt_score_new_in_order(tt_score **out, const tt_plan *plan,
                                   const uint32_t *order, tt_err *err)
{
    const tt_scenario *sc = plan->scenario;

    return write(out, plan, sc->score ? FROM_FILE : (size_t)sc->master, order,
                 err);
}

enum tt_code tt_score_new_by(tt_score **out, const tt_plan *plan,
                             enum tt_sc_master master, const uint32_t *order,
                             tt_err *err)
{
    return write(out, plan, (size_t)master, order, err);
}

enum tt_code tt_score_new(tt_score **out, const tt_plan *plan, tt_err *err)
{
    return tt_score_new_in_order(out, plan, NULL, err);
}
