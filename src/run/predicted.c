/* SPDX-License-Identifier: MIT */
/* How well inputs that follow models were predicted. */
#include <math.h>

#include "approx/model.h"
#include "base/num.h"
#include "run/run_impl.h"

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    (void)err;
    for (uint32_t i = 0; i < r->plan->n_course; i++)
        *wanted |= r->plan->course[i].kind == TT_COURSE_MODEL;
    return TT_OK;
}

/* All elements of an input together. */
static struct tt_model sum_up(const tt_run *r, const struct tt_course *c)
{
    const struct tt_values *v = tt_frame_at(r->frame, r->part_blocks.values);
    uint32_t n = r->plan->slot[c->slot].n;
    struct tt_past *past =
        (struct tt_past *)(void *)((char *)(uintptr_t)v->value + c->history);
    const struct tt_model *m = tt_past_model(past, c, n);
    struct tt_model all = {.n = 0};

    for (uint32_t e = 0; e < n; e++) {
        for (int w = 0; w < TT_MODEL_WAYS; w++)
            all.led[w] += m[e].led[w];
        all.sum += m[e].sum;
        if (m[e].worst > all.worst) {
            all.worst = m[e].worst;
            all.worst_t = m[e].worst_t;
        }
    }
    return all;
}

static void put_shares(struct tt_buf *b, const struct tt_model *m,
                       uint64_t count)
{
    const char *comma = "";

    for (int w = TT_MODEL_WAYS - 1; w >= 0; w--) {
        if (!m->led[w])
            continue;
        tt_buf_fmt(b, "%s%s in %u %%", comma,
                   tt_model_way_name((enum tt_model_way)w),
                   (unsigned)((100 * m->led[w] + count / 2) / count));
        comma = ", ";
    }
}

static void note(tt_run *r, const struct tt_course *c)
{
    struct tt_model m = sum_up(r, c);
    char name[512], rms[TT_NUM_MAX], worst[TT_NUM_MAX], t[TT_NUM_MAX];
    uint64_t count = 0;
    struct tt_buf b;

    for (int w = 0; w < TT_MODEL_WAYS; w++)
        count += m.led[w];
    if (!count)
        return;
    tt_buf_init(&b, TT_ERR_MAX);
    put_shares(&b, &m, count);
    tt_num_print_digits(rms, sqrt(m.sum / (double)count), 3);
    tt_num_print_digits(worst, m.worst, 3);
    tt_num_print_digits(t, m.worst_t, 6);
    if (!b.failed)
        run_note(r, "prediction",
                 "%s: %s of the steps; it missed by %s (rms), at most by %s, "
                 "at t=%s",
                 tt_plan_slot_name(r->plan, c->slot, name, sizeof(name)),
                 b.data, rms, worst, t);
    tt_buf_fini(&b);
}

static void end(tt_run *r)
{
    for (uint32_t i = 0; r->frame && i < r->plan->n_course; i++)
        if (r->plan->course[i].kind == TT_COURSE_MODEL)
            note(r, &r->plan->course[i]);
}

const struct run_companion run_predicted_companion = {.make = make, .end = end};
