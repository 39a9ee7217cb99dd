/* SPDX-License-Identifier: MIT */
/* Score files from arbitrary bytes, over a plan of three units.
 *
 * What is read and passes the checker can be printed, read again, and is the
 * same then: same hash. */

#include <stdint.h>
#include <string.h>

#include "plan/crowd.h"
#include "score/score.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static tt_score *read_score(struct tt_crowd *c, const tt_plan *plan,
                            const struct tt_text_file *file)
{
    tt_score *score = NULL;
    tt_err err = {0};

    c->scenario.file = c->scenario.score = file;
    c->scenario.n_file = 1;
    if (tt_score_new(&score, plan, &err) != TT_OK)
        TT_ASSERT(strncmp(err.msg, "a.json", 6) == 0);
    return score;
}

static void check_text(struct tt_crowd *c, const tt_plan *plan,
                       const struct tt_text_file *file)
{
    tt_score *score = read_score(c, plan, file), *again;
    struct tt_buf text;

    if (!score)
        return;
    tt_buf_init(&text, (size_t)1 << 26);
    tt_score_print_json(score, &text);
    TT_ASSERT(!text.failed);
    again = read_score(c, plan,
                       &(struct tt_text_file){"a.json", text.data, text.len});
    TT_ASSERT(again && again->hash == score->hash);
    tt_buf_fini(&text);
    tt_score_free(again);
    tt_score_free(score);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const struct tt_crowd_opts o = {.seed = 5,
                                    .n_type = 1,
                                    .n_unit = 3,
                                    .n_in = 2,
                                    .n_out = 2,
                                    .full = 1,
                                    .linear = 50,
                                    .acyclic = 1};
    char *text = tt_alloc(size + 1);
    struct tt_crowd c;
    tt_plan *plan = NULL;
    tt_err err;

    memcpy(text, data, size);
    text[size] = '\0';
    tt_crowd_init(&c, &o);
    TT_ASSERT(tt_plan_new(&plan, &c.scenario, c.desc, NULL, &err) == TT_OK);
    check_text(&c, plan, &(struct tt_text_file){"a.json", text, size});
    tt_plan_free(plan);
    tt_crowd_fini(&c);
    tt_free(text);
    return 0;
}
