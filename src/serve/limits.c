/* SPDX-License-Identifier: MIT */
#include <stdio.h>

#include "base/num.h"
#include "serve/serve_impl.h"
#include "sys/child.h"
#include "sys/clock.h"
#include "sys/file.h"

/* Time and disk are watched from here; memory is the run's own matter, which
 * the system refuses to it. */

#define SECOND ((uint64_t)1000000000u)
#define GRACE  (3 * SECOND) /* to end by itself, with its files complete */

static void end_for(struct tt_sim *sim, uint64_t now)
{
    sim->over_ns = now;
    tt_child_ask(sim->pid);
}

static void look_at_time(const struct tt_service *s, struct tt_sim *sim,
                         uint64_t now)
{
    double limit = s->opts->max_time;
    char text[TT_NUM_MAX];

    if (limit <= 0 || (double)(now - sim->begun_ns) < limit * (double)SECOND)
        return;
    tt_num_print_short(text, limit);
    snprintf(sim->over, sizeof(sim->over),
             "the run was ended: it may take %s s (--max-time)", text);
    end_for(sim, now);
}

/* Now and then only, since many files may have to be looked at. */
static void look_at_disk(const struct tt_service *s, struct tt_sim *sim,
                         uint64_t now)
{
    uint64_t limit = s->opts->max_disk;

    if (limit == 0 || now - sim->looked_ns < SECOND / 4)
        return;
    sim->looked_ns = now;
    if (tt_dir_size(sim->session->dir, limit) <= limit)
        return;
    snprintf(sim->over, sizeof(sim->over),
             "the run was ended: the files of a session may take %llu bytes "
             "(--max-disk)",
             (unsigned long long)limit);
    end_for(sim, now);
}

void tt_limit_look(const struct tt_service *s, struct tt_sim *sim)
{
    uint64_t now = tt_clock_ns();

    if (!sim->over[0])
        look_at_time(s, sim, now);
    if (!sim->over[0])
        look_at_disk(s, sim, now);
    if (sim->over[0] && now - sim->over_ns > GRACE) {
        sim->over_ns = now;
        tt_child_end(sim->pid);
    }
}

void tt_limit_conclude(struct tt_sim *sim)
{
    if (!sim->over[0])
        return;
    sim->state = TT_SIM_FAILED;
    tt_sim_set_words(sim, 500, sim->over);
}
