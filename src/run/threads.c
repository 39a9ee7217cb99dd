/* SPDX-License-Identifier: MIT */
/* Threads for a run: as many as are wanted and could have work at once. */
#include "run/twin.h"
#include "sys/baton.h"

_Static_assert(TT_SC_THREADS_MAX <= TT_CREW_MAX, "scenarios may ask for more");

int run_threads_auto(const tt_run *r)
{
    const tt_scenario *s = r->scenario;

    return s->threads == TT_SC_THREADS_AUTO || (s->threads == 0 && s->parallel);
}

uint32_t run_threads_wanted(const tt_run *r)
{
    const tt_scenario *s = r->scenario;
    uint32_t cores;

    if (r->opts.twin)
        return 1;
    if (!run_threads_auto(r))
        return s->threads > 0 ? (uint32_t)s->threads : 1;
    cores = tt_cores();
    return cores < TT_CREW_MAX ? cores : TT_CREW_MAX;
}

static enum tt_code share(tt_run *r, uint32_t n, tt_err *err)
{
    struct tt_stage *stage = r->opts.stage;
    struct tt_now *mates = stage ? stage->mate : r->own_mate;
    enum tt_code rc;

    if (!stage && !mates) {
        mates = TT_NEW_ARRAY(r->own_mate, n - 1);
        if (!mates)
            return run_nomem(err);
    }
    rc = tt_part_share(r->part, r->crew, mates, !run_threads_auto(r), err);
    if (rc == TT_OK && stage)
        stage->n_mate = n - 1;
    return rc;
}

enum tt_code run_make_crew(tt_run *r, tt_err *err)
{
    uint32_t n = run_threads_wanted(r), width;
    enum tt_code rc;

    if (n > 1 && r->opts.link)
        tt_log(r->opts.log, TT_LOG_WARN,
               "each rank plays with one thread; more ranks do what threads "
               "would");
    if (n < 2 || r->opts.link)
        return TT_OK;
    rc = tt_part_width(r->part, &width, err);
    if (rc == TT_OK)
        rc = run_twin_plan(r, err);
    if (rc != TT_OK)
        return rc;
    if (run_ahead_width(r) > width)
        width = run_ahead_width(r);
    if (n > width)
        n = width;
    if (n < 2 && r->twin) /* there is work for two all the same */
        return run_twin_crew(r, err);
    if (n < 2) {
        run_note(r, "threads",
                 "one thread plays, because no two instances can be called "
                 "at the same time ('tutti score' shows the order; in a "
                 "Jacobi step all can)");
        return TT_OK;
    }
    rc =
        tt_crew_new(&r->crew, n, r->opts.stage ? r->opts.stage->id : NULL, err);
    if (rc == TT_OK)
        rc = share(r, n, err);
    if (rc == TT_OK)
        rc = run_go_ahead(r, err);
    if (rc == TT_OK && !run_threads_auto(r) &&
        tt_part_team(r->part).threads < n)
        tt_log(r->opts.log, TT_LOG_WARN,
               "the system gave %u of %u threads; the results are the same",
               tt_part_team(r->part).threads, n);
    return rc;
}

void run_join_crew(tt_run *r)
{
    if (r->opts.stage)
        r->opts.stage->n_mate = 0;
    tt_crew_free(r->crew);
    r->crew = NULL;
}

struct tt_run_threads tt_run_threads(const tt_run *r)
{
    struct tt_run_threads t = {
        .wanted = run_threads_wanted(r),
        .automatic = run_threads_auto(r),
        .cores = tt_cores(),
        .team = {.threads = 1, .used = 1, .speed_up = 1}};

    if (r->part)
        t.team = tt_part_team(r->part);
    return t;
}
