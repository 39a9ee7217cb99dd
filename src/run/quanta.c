/* SPDX-License-Identifier: MIT */
/* Units that sleep: how many steps they made. */
#include "base/num.h"
#include "run/run_impl.h"

/* Of units on other ranks nothing is known here. */
static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    (void)err;
    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        *wanted |= r->plan->unit[u].quantum.most && !r->opts.link;
    return TT_OK;
}

struct tt_run_quanta tt_run_quanta(const tt_run *r)
{
    struct tt_run_quanta all = {0};

    for (uint32_t u = 0; r->unit && u < r->plan->n_unit; u++) {
        uint64_t asked, made;

        if (!tt_quantum_steps(r->unit[u], &asked, &made))
            continue;
        all.n++;
        all.steps += asked;
        all.made += made;
    }
    return all;
}

static void end(tt_run *r)
{
    struct tt_run_quanta q = tt_run_quanta(r);
    char share[TT_NUM_MAX];

    tt_num_print_digits(
        share, q.steps ? 100 * (double)q.made / (double)q.steps : 0, 3);
    run_note(r, "quanta", "%llu of %llu steps were made (%s %%)",
             (unsigned long long)q.made, (unsigned long long)q.steps, share);
}

const struct run_companion run_quanta_companion = {.make = make, .end = end};
