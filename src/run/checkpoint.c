/* SPDX-License-Identifier: MIT */
/* Checkpoints: between two steps all that a run is becomes bytes, from which
 * another process goes on. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "run/run_impl.h"
#include "base/hooks.h"
#include "run/trial.h"

/* The bytes: the number of ranks, for each what tt_run_pack gave there, then
 * what observers keep. Each piece with its length. */

struct tt_checkpoint {
    struct tt_run_checkpoint opts;
    uint64_t taken; /* by simulated time, so many are due */
    int asked;      /* the other ranks were notified */
};

#define REGISTER 0u

static uint64_t due_by(const tt_run *r, double t)
{
    double every = r->checkpoint->opts.every;

    if (!(every > 0))
        return 0;
    return (uint64_t)floor((t - r->experiment.start) / every * (1 + 1e-12));
}

/* --- which units can --------------------------------------------------------
 */

/* What keeps a unit from being packed, into why; 0: nothing does. */
static int lacks(const tt_run *r, uint32_t unit, char *why)
{
    const struct tt_caps *c = &r->plan->unit[unit].desc->caps;
    char seen[TT_TRIAL_WHY];

    if (!c->save || !c->serialise) {
        (void)snprintf(why, TT_TRIAL_WHY, "cannot %s",
                       c->save ? "turn its state into bytes"
                               : "save its state");
        return 1;
    }
    if (!r->opts.trial || r->opts.link || r->opts.resume ||
        !run_doubt_packing(r, unit, seen))
        return 0;
    (void)snprintf(why, TT_TRIAL_WHY,
                   "packs a state that serves no other process (%.300s)", seen);
    return 1;
}

static enum tt_code check_units(const tt_run *r, tt_err *err)
{
    struct tt_buf names;
    uint32_t n = 0;
    enum tt_code rc = TT_OK;

    tt_buf_init(&names, TT_ERR_MAX / 2);
    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        const struct tt_plan_unit *one = &r->plan->unit[u];
        char why[TT_TRIAL_WHY];

        if (lacks(r, u, why))
            tt_buf_fmt(&names, "%s'%s' (%s) %s", n++ ? ", " : "", one->name,
                       one->desc->kind, why);
    }
    if (n)
        rc = tt_fail(err, TT_EUNSUPPORTED,
                     "no checkpoint can be made of this scenario: %s; an FMU "
                     "must offer canGetAndSetFMUstate and canSerializeFMUstate "
                     "for that, which many tools can export",
                     names.data ? names.data : "");
    tt_buf_fini(&names);
    return rc;
}

/* --- making one -------------------------------------------------------------
 */

static void add_piece(struct tt_buf *b, const void *data, size_t size)
{
    uint64_t n = size;

    tt_buf_add(b, (const char *)&n, sizeof(n));
    if (n)
        tt_buf_add(b, data, size);
}

/* The observers, then what keeps attempts; NULL behind the last. */
static tt_observer *keeper(const tt_run *r, uint32_t i)
{
    if (i < r->opts.n_observer)
        return r->opts.observer[i];
    return i == r->opts.n_observer ? r->keeper : NULL;
}

void tt_run_keep(tt_run *r, tt_observer *o)
{
    r->keeper = o;
}

static void add_observers(const tt_run *r, struct tt_buf *b)
{
    for (uint32_t i = 0; keeper(r, i); i++) {
        struct tt_buf one;

        tt_buf_init(&one, RUN_MOST_PACKED);
        tt_observer_save(keeper(r, i), &one);
        b->failed |= one.failed;
        add_piece(b, one.data, one.len);
        tt_buf_fini(&one);
    }
}

/* What every rank packed, one after the other; the first rank keeps it. */
static enum tt_code gather(const tt_run *r, const struct tt_bytes *mine,
                           struct tt_buf *b, tt_err *err)
{
    tt_link *link = r->opts.link;
    uint64_t n = mine->n, *of;
    enum tt_code rc;

    if (!link) {
        add_piece(b, mine->data, mine->n);
        return TT_OK;
    }
    if (!TT_NEW_ARRAY(of, link->n))
        return run_nomem(err);
    rc = link->ops->gather(link, &n, sizeof(n), of, err);
    for (uint32_t i = 0; i < link->n && rc == TT_OK; i++) {
        void *piece = tt_zalloc(1, (size_t)of[i] + 1);

        if (piece && i == link->rank)
            memcpy(piece, mine->data, mine->n);
        rc = piece ? link->ops->share(link, i, piece, (size_t)of[i], err)
                   : run_nomem(err);
        if (rc == TT_OK && link->rank == 0)
            add_piece(b, piece, (size_t)of[i]);
        tt_free(piece);
    }
    tt_free(of);
    return rc;
}

static uint32_t ranks_of(const tt_run *r)
{
    return r->opts.link ? r->opts.link->n : 1;
}

static enum tt_code make_bytes(tt_run *r, struct tt_buf *b, tt_err *err)
{
    struct tt_bytes mine = {NULL, 0};
    uint32_t n_rank = ranks_of(r);
    enum tt_code rc = tt_run_save(r, REGISTER, err);

    tt_buf_add(b, (const char *)&n_rank, sizeof(n_rank));
    if (rc == TT_OK)
        rc = tt_run_pack(r, REGISTER, &mine, err);
    rc = run_agree(r, rc, err);
    if (rc == TT_OK)
        rc = gather(r, &mine, b, err);
    if (rc == TT_OK)
        add_observers(r, b);
    tt_free(mine.data);
    tt_activity_clear(r->activity);
    return rc;
}

static enum tt_code take(tt_run *r, tt_err *err)
{
    const struct tt_run_checkpoint *o = &r->checkpoint->opts;
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, RUN_MOST_PACKED);
    rc = o->carried ? run_pack_carried(r, REGISTER, &b, err)
                    : make_bytes(r, &b, err);
    if (rc == TT_OK && b.failed)
        rc = run_nomem(err);
    if (rc != TT_OK)
        rc = tt_context(err, rc, "checkpoint");
    else if (o->take_cb)
        rc = o->take_cb(o->ctx, &(struct tt_bytes){b.data, b.len}, err);
    tt_buf_fini(&b);
    return rc;
}

/* One that was asked for from outside, or the run is to stop; other ranks know
 * of it a step later. */
static int is_wanted(tt_run *r)
{
    struct tt_checkpoint *c = r->checkpoint;
    int wanted = c->opts.wanted && *c->opts.wanted;

    if (!r->opts.link) {
        if (wanted)
            *c->opts.wanted = 0;
        r->stop_seen = r->opts.stop && *r->opts.stop;
        return wanted || r->stop_seen;
    }
    if (tt_part_wishes(r->part) & (RUN_WISH_CHECKPOINT | RUN_WISH_STOP)) {
        tt_part_unwish(r->part, RUN_WISH_CHECKPOINT);
        if (c->asked)
            *c->opts.wanted = 0;
        c->asked = 0;
        return 1;
    }
    if (wanted && !c->asked) {
        tt_part_wish(r->part, RUN_WISH_CHECKPOINT);
        c->asked = 1;
    }
    return 0;
}

static enum tt_code shown(tt_run *r, tt_err *err)
{
    struct tt_checkpoint *c = r->checkpoint;
    uint64_t due = due_by(r, r->agenda->t);
    int wanted = is_wanted(r);

    if (due <= c->taken && !wanted)
        return TT_OK;
    c->taken = due;
    return take(r, err);
}

/* An instant may have many microsteps. Ranks agree at the end of steps only. */
enum tt_code run_checkpoint_between(tt_run *r, tt_err *err)
{
    const struct tt_checkpoint *c = r->checkpoint;

    if (!c || r->opts.link || !c->opts.wanted || !*c->opts.wanted)
        return TT_OK;
    *c->opts.wanted = 0;
    return take(r, err);
}

/* --- going on from one ------------------------------------------------------
 */

static enum tt_code damaged(tt_err *err)
{
    return tt_fail(err, TT_EINPUT, "the checkpoint is damaged");
}

static int take_piece(struct tt_bytes *rest, struct tt_bytes *piece)
{
    uint64_t n;

    if (!run_take_bytes(rest, piece, sizeof(n)))
        return 0;
    memcpy(&n, piece->data, sizeof(n));
    return run_take_bytes(rest, piece, n);
}

static enum tt_code restore(tt_run *r, struct tt_bytes *rest, tt_err *err)
{
    uint32_t n, rank = r->opts.link ? r->opts.link->rank : 0;
    struct tt_bytes piece, mine = {NULL, 0};
    enum tt_code rc;

    if (!run_take_bytes(rest, &piece, sizeof(n)))
        return damaged(err);
    memcpy(&n, piece.data, sizeof(n));
    if (n != ranks_of(r))
        return tt_fail(err, TT_EINPUT,
                       "the checkpoint is of a run of %u rank%s, and this is "
                       "one of %u",
                       n, n == 1 ? "" : "s", ranks_of(r));
    for (uint32_t i = 0; i < n; i++) {
        if (!take_piece(rest, &piece))
            return damaged(err);
        if (i == rank)
            mine = piece;
    }
    rc = tt_run_unpack(r, REGISTER, &mine, err);
    return rc == TT_OK ? tt_run_restore(r, REGISTER, err) : rc;
}

static enum tt_code restore_observers(const tt_run *r, struct tt_bytes *rest,
                                      tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; keeper(r, i) && rc == TT_OK; i++) {
        struct tt_bytes piece;

        rc = take_piece(rest, &piece)
                 ? tt_observer_restore(keeper(r, i), piece.data, piece.n, err)
                 : damaged(err);
    }
    return rc;
}

/* Before observers begin: where it fails, no file has been touched. */
enum tt_code run_resume(tt_run *r, struct tt_bytes *rest, tt_err *err)
{
    enum tt_code rc;

    *rest = *r->opts.resume;
    rc = restore(r, rest, err);
    return rc == TT_OK ? rc : tt_context(err, rc, "resuming");
}

enum tt_code run_resume_rows(tt_run *r, struct tt_bytes *rest, tt_err *err)
{
    enum tt_code rc = run_recover_resumed(r, err);

    if (rc == TT_OK)
        rc = restore_observers(r, rest, err);
    if (rc != TT_OK)
        return tt_context(err, rc, "resuming");
    r->attempts.evaluations = tt_run_stats(r).evaluations;
    if (r->trails)
        run_trail_row(r);
    if (r->checkpoint)
        r->checkpoint->taken = due_by(r, r->agenda->t);
    tt_activity_clear(r->activity);
    return TT_OK;
}

/* --- the companion ----------------------------------------------------------
 */

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    enum tt_code rc;

    if (r->opts.host ||
        (!r->opts.checkpoint && !r->opts.resume && !r->opts.begin))
        return TT_OK;
    if (!r->extra_registers)
        r->extra_registers = 1;
    rc = check_units(r, err);
    if (rc == TT_OK && r->opts.begin)
        rc = run_check_begin(r, err);
    if (rc != TT_OK || !r->opts.checkpoint)
        return rc;
    if (!RUN_NEW(r, r->checkpoint, 1))
        return run_nomem(err);
    r->checkpoint->opts = *r->opts.checkpoint;
    *wanted = 1;
    return TT_OK;
}

/* What only the units know, before the first step. */
static enum tt_code start(tt_run *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        rc = tt_unit_packable(r->unit[u], err);
    return rc == TT_OK ? rc
                       : tt_context(err, rc,
                                    "no checkpoint can be made of "
                                    "this scenario");
}

const struct run_companion run_checkpoint_companion = {
    TT_HOOKS(, make, start, shown),
};
