/* SPDX-License-Identifier: MIT */
/* Private copies of libraries. FMI 2 does not promise that instances of an FMU
 * can be called at the same time, and globals behind them are common; with a
 * copy for each thread they can. */
#include "run/run_impl.h"

static int is_concerned(const tt_run *r, uint32_t u, uint32_t fmu)
{
    return r->scenario->unit[u].fmu == fmu && !run_is_isolated(r, u);
}

static uint32_t count(const tt_run *r, uint32_t fmu)
{
    uint32_t n = 0;

    for (uint32_t u = 0; u < r->scenario->n_unit; u++)
        n += is_concerned(r, u, fmu) != 0;
    return n;
}

/* The units of an FMU in turn, so that neighbours can meet. */
static void deal_copies(tt_run *r, uint32_t fmu, uint32_t copies)
{
    uint32_t next = 0;

    for (uint32_t u = 0; u < r->scenario->n_unit; u++)
        if (is_concerned(r, u, fmu))
            r->copy[u] = next++ % copies;
}

static void plan_type(tt_run *r, uint32_t fmu, uint32_t threads)
{
    tt_unit_type *t = r->type[fmu];
    const char *key = r->scenario->fmu[fmu].key, *why;
    uint32_t n;

    if (!t || t->desc.caps.threads != TT_THREADS_ONE || !t->kind->copy_refused)
        return;
    n = count(r, fmu);
    if (n < 2)
        return;
    why = t->kind->copy_refused(t);
    if (why) {
        run_note(r, "threads",
                 "the %u instances of '%s' are called by one thread at a "
                 "time: FMI 2 promises no more, and there can be no "
                 "private copies of its library, because %s",
                 (unsigned)n, key, why);
        return;
    }
    if (threads > n)
        threads = n;
    deal_copies(r, fmu, threads);
    run_note(r, "threads",
             "the %u instances of '%s' share %u private copies of its "
             "library, so that threads can call them at the same time",
             (unsigned)n, key, (unsigned)threads);
}

/* All units of a twin have a copy that the run it plays along with has not. */
static enum tt_code copy_for_twin(tt_run *r, tt_err *err)
{
    const tt_run *other = r->opts.like;
    uint32_t copy = 1;

    if (!TT_NEW_ARRAY(r->copy, r->scenario->n_unit))
        return run_nomem(err);
    for (uint32_t u = 0; u < r->scenario->n_unit && other->copy; u++)
        copy = other->copy[u] < copy ? copy : other->copy[u] + 1;
    for (uint32_t u = 0; u < r->scenario->n_unit; u++) {
        const tt_unit_type *t = r->type[r->scenario->unit[u].fmu];

        if (t->desc.caps.threads == TT_THREADS_ONE && !run_is_isolated(r, u))
            r->copy[u] = copy;
    }
    return TT_OK;
}

enum tt_code run_plan_copies(tt_run *r, tt_err *err)
{
    uint32_t threads = run_threads_wanted(r);

    if (r->opts.twin)
        return copy_for_twin(r, err);
    if (threads < 2 || r->opts.link || r->opts.host)
        return TT_OK;
    if (!TT_NEW_ARRAY(r->copy, r->scenario->n_unit))
        return run_nomem(err);
    for (uint32_t i = 0; i < r->scenario->n_fmu; i++)
        plan_type(r, i, threads);
    return TT_OK;
}
