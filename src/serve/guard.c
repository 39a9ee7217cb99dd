/* SPDX-License-Identifier: MIT */
#include "serve/serve_impl.h"
#include "sys/orphans.h"

/* What processes that open foreign files may do to this machine. */

#define WANTED                                                                 \
    (TT_GUARD_FILES | TT_GUARD_NETWORK | TT_GUARD_CALLS | TT_GUARD_SIGNALS)

static unsigned wanted(const struct tt_serve_opts *o)
{
    unsigned guards = o->no_sandbox ? 0 : WANTED;

    return o->allow_network ? guards & ~(unsigned)TT_GUARD_NETWORK : guards;
}

const struct tt_sandbox *tt_guard(const struct tt_service *s,
                                  const char *folder, struct tt_guarded *g)
{
    const struct tt_serve_opts *o = s->opts;

    *g = (struct tt_guarded){.box = {.guards = wanted(o), .write = g->write}};
    if (o->no_sandbox)
        return NULL;
    g->write[g->box.n_write++] = folder;
    for (size_t i = 0; i < o->n_allow_write && i < TT_ALLOW_MAX; i++)
        g->write[g->box.n_write++] = o->allow_write[i];
    return &g->box;
}

/* A run that ends takes along what its units started. What it could not, being
 * killed itself, has become a child of ours that we did not start. */
void tt_guard_sweep(const struct tt_service *s)
{
    struct tt_kin kin = {0};
    int bad = 0;

    for (size_t i = 0; i < s->kin.n; i++)
        bad |= tt_kin_add(&kin, s->kin.pid[i]);
    for (const struct tt_sim *sim = s->sim; sim; sim = sim->next)
        if (sim->pid)
            bad |= tt_kin_add(&kin, sim->pid);
    if (tt_job_pids(s, &kin) == 0 && !bad)
        tt_orphans_end(&kin);
    tt_kin_fini(&kin);
}

void tt_serve_guards(const struct tt_serve_opts *o, struct tt_buf *b)
{
    unsigned asked = wanted(o), has = asked & tt_sandbox_can();

    if (has)
        tt_sandbox_words(b, has);
    else
        tt_buf_str(b, "none");
    if (asked & ~has) {
        tt_buf_str(b, "; not here: ");
        tt_sandbox_excuses(b, asked & ~has);
    }
}
