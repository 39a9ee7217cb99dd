/* SPDX-License-Identifier: MIT */
/* Two methods at the same time: see twin.h. */
#include "run/twin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/num.h"
#include "run/orders.h"
#include "run/trial.h"
#include "sys/clock.h"

/* --- may there be one? -----------------------------------------------------
 */

static int put(char *why, const char *words)
{
    (void)snprintf(why, TT_TRIAL_WHY, "%s", words);
    return 1;
}

static int has_loops(const tt_score *s, enum tt_section section)
{
    const struct tt_op *op = s->op + s->section[section].first;

    for (uint32_t i = 0; i < s->section[section].n; i++)
        if (op[i].code == TT_OP_LOOP)
            return 1;
    return 0;
}

/* What is no unit's fault. */
static int is_hindered(const tt_run *r, char *why)
{
    const tt_scenario *s = r->scenario;

    if (has_loops(r->score, TT_SEC_STEP) ||
        has_loops(r->score, TT_SEC_EXCHANGE))
        return put(why, "steps are repeated");
    if (!r->plain)
        return put(why, "there is more to do before values are exchanged");
    if (r->trails)
        return put(why, "values within steps are noted");
    if (r->wait)
        return put(why, "the run is paced");
    if (r->ensemble)
        return put(why, "instances are integrated as one system");
    if (r->plan->has_texts)
        return put(why, "instances have texts or binaries");
    if (s->logging_on || s->n_log_level)
        return put(why, "what instances log is to be seen");
    return 0;
}

static int is_called_alone(const tt_run *r, uint32_t u, tt_unit_type *t)
{
    if (t->desc.caps.threads == TT_THREADS_ANY || run_is_isolated(r, u))
        return 0;
    return t->desc.caps.threads == TT_THREADS_MAIN || !t->kind->copy_refused ||
           t->kind->copy_refused(t) != NULL;
}

static int lacks(const tt_run *r, uint32_t u, char *why)
{
    tt_unit_type *t = r->type[r->plan->unit[u].fmu];
    const struct tt_caps *c = &r->plan->unit[u].desc->caps;
    char seen[TT_TRIAL_WHY];

    if (!c->save || !c->serialise)
        return put(why, "cannot turn its state into bytes");
    if (tt_type_has(t, TT_KIND_FAR))
        return put(why, "lives on another host");
    if (c->once_per_process && !run_is_isolated(r, u))
        return put(why, "allows one instance per process");
    if (is_called_alone(r, u, t))
        return put(why, "can be called by one thread at a time only");
    if (r->plan->unit[u].quantum.most)
        return put(why, "sleeps while little changes");
    if (run_restarts(r, u))
        return put(why, "starts anew where a state is restored");
    if (!r->opts.trial || !run_doubt_packing(r, u, seen))
        return 0;
    (void)snprintf(why, TT_TRIAL_WHY,
                   "packs a state that serves no other (%.300s)", seen);
    return 1;
}

enum tt_code run_twin_plan(tt_run *r, tt_err *err)
{
    char why[TT_TRIAL_WHY];
    const char *who = NULL;
    int no;

    if (r->protocol != &tt_protocol_embedded || r->opts.host || r->opts.like ||
        r->opts.nudge || r->opts.tangent || r->opts.profile)
        return TT_OK;
    no = is_hindered(r, why);
    for (uint32_t u = 0; u < r->plan->n_unit && !no; u++) {
        no = lacks(r, u, why);
        who = no ? r->plan->unit[u].name : NULL;
    }
    if (no) {
        run_note(r, "embedded", "one method after the other: %s%s%s",
                 who ? who : "", who ? " " : "", why);
        return TT_OK;
    }
    if (!RUN_NEW(r, r->twin, 1) || !RUN_NEW(r, r->twin->steps, r->plan->n_unit))
        return run_nomem(err);
    return TT_OK;
}

enum tt_code run_twin_crew(tt_run *r, tt_err *err)
{
    struct tt_stage *stage = r->opts.stage;
    enum tt_code rc = tt_crew_new(&r->crew, 2, stage ? stage->id : NULL, err);

    if (rc == TT_OK && stage) {
        stage->mate[0].pc = TT_NONE;
        stage->n_mate = 1;
    }
    return rc;
}

/* --- life ------------------------------------------------------------------
 */

static int is_alike(const tt_run *a, const tt_run *b)
{
    return tt_plan_hash(a->plan) == tt_plan_hash(b->plan) &&
           run_orders_hash(a) == run_orders_hash(b) &&
           a->plan->n_unit == b->plan->n_unit;
}

/* Its registers are those of the second thread: a crash there is found. */
static enum tt_code start(tt_run *r, struct tt_twin *t, tt_err *err)
{
    const struct tt_run_opts o = {
        TT_SAME(&r->opts, kind_cb, within, sandbox, no_event_mode, held),
        .like = r, .twin = 1};
    struct tt_stage *stage = r->opts.stage;
    tt_err *words = stage ? stage->mate[0].words : NULL;
    enum tt_code rc = tt_run_new(&t->run, r->scenario, &o, err);

    if (rc != TT_OK)
        return rc;
    if (!is_alike(r, t->run))
        return tt_fail(err, TT_EUNSUPPORTED, "it is planned differently");
    t->run->activity = r->activity;
    if (stage)
        t->run->now = &stage->mate[0];
    rc = tt_run_start(t->run, err);
    t->words = t->run->now->words;
    if (stage)
        stage->mate[0].words = words;
    t->run->now->pc = TT_NONE;
    return rc;
}

void run_twin_start(tt_run *r)
{
    struct tt_twin *t = r->twin;
    tt_err err = {0};

    if (!t)
        return;
    if (tt_crew_start(r->crew) < 2)
        (void)!tt_fail(&err, TT_EUNSUPPORTED, "the system gives no thread");
    else if (start(r, t, &err) == TT_OK) {
        run_note(r, "embedded",
                 "both methods at the same time, by instances made twice, if "
                 "a step takes longer than to pack states");
        return;
    }
    run_twin_end(r);
    run_note(r, "embedded", "one method after the other: %s", err.msg);
}

void run_twin_end(tt_run *r)
{
    if (r->twin)
        tt_run_free(r->twin->run);
    r->twin = NULL;
}

/* --- which way is faster ---------------------------------------------------
 */

#define LOOKS 2u   /* attempts of either way before one is chosen */
#define AGAIN 512u /* every so many the other one is tried */

static int is_faster(const struct tt_twin *t)
{
    if (t->n[0] < LOOKS || t->n[1] < LOOKS)
        return t->n[1] < LOOKS;
    return (t->ns[1] < t->ns[0]) != ((t->n[0] + t->n[1]) % AGAIN == 0);
}

void run_twin_keep(tt_run *r)
{
    if (r->twin)
        r->twin->loaded = 0;
}

int run_twin_joins(tt_run *r)
{
    struct tt_twin *t = r->twin;

    if (!t)
        return 0;
    t->beside = t->always || is_faster(t);
    t->began = tt_clock_ns();
    return t->beside;
}

/* What it takes falls fast and rises slowly: other processes use the
 * processors, too. */
void run_twin_made(tt_run *r)
{
    struct tt_twin *t = r->twin;
    double is, *ns;

    if (!t || !t->began)
        return;
    is = (double)(tt_clock_ns() - t->began);
    ns = &t->ns[t->beside];
    if (!t->n[t->beside]++)
        *ns = is;
    else
        *ns = is < *ns ? (*ns + 3 * is) / 4 : (7 * *ns + is) / 8;
    t->began = 0;
}

/* --- where a step begins ---------------------------------------------------
 */

static enum tt_code hand_over(tt_run *r, const struct tt_op *op, tt_err *err)
{
    struct tt_bytes b = {NULL, 0};
    enum tt_code rc = tt_unit_pack(r->unit[op->unit], op->arg, &b, err);

    if (rc == TT_OK)
        rc = tt_unit_unpack(r->twin->run->unit[op->unit], op->arg, &b, err);
    tt_free(b.data);
    return rc;
}

static void copy_block(const tt_run *r, uint32_t from, uint32_t to)
{
    if (from != TT_NONE)
        memcpy(tt_frame_at(r->twin->run->frame, to),
               tt_frame_at(r->frame, from), r->layout.block[from].n);
}

/* All that its part plays on. */
static void copy_values(const tt_run *r)
{
    const struct tt_part_blocks *a = &r->part_blocks,
                                *b = &r->twin->run->part_blocks;

    copy_block(r, a->values, b->values);
    copy_block(r, a->counts, b->counts);
    copy_block(r, a->events, b->events);
    r->twin->run->memory->anew = r->memory->anew;
}

/* The units' states were kept by the run, in the registers that UNDO restores;
 * so they are in the twin. */
static enum tt_code load(tt_run *r, tt_err *err)
{
    const tt_score *s = r->score;
    const struct tt_op *op = s->op + s->section[TT_SEC_BEGIN].first;
    struct tt_twin *t = r->twin;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < s->section[TT_SEC_BEGIN].n && rc == TT_OK; i++)
        if (op[i].code == TT_OP_SAVE && !t->loaded)
            rc = hand_over(r, &op[i], err);
    t->loaded = 1;
    if (rc == TT_OK)
        rc = run_play(t->run, TT_SEC_UNDO, err);
    copy_values(r);
    return rc;
}

/* --- one attempt -----------------------------------------------------------
 */

/* Every unit has made its step and has nothing to report that cannot wait. */
static int is_smooth(const struct tt_halt *h)
{
    return !h->lost &&
           !(h->unit &&
             (h->flags & (TT_STEP_REJECT | TT_STEP_EARLY | TT_STEP_TERMINATE)));
}

static void try_it(struct tt_twin *t)
{
    struct tt_halt halt = {0};
    tt_part *p = t->run->part;

    t->rc[1] = tt_part_play(p, TT_SEC_STEP, &halt, t->err[1]);
    if (t->rc[1] == TT_OK && is_smooth(&halt))
        t->rc[1] = tt_part_play(p, TT_SEC_EXCHANGE, &halt, t->err[1]);
    if (t->rc[1] == TT_OK && !is_smooth(&halt))
        t->rc[1] = TT_ESTOPPED;
    t->run->now->pc = TT_NONE; /* in no call: it is not to blame */
}

static void play_one(void *ctx, uint32_t thread)
{
    tt_run *r = ctx;
    struct tt_twin *t = r->twin;

    if (thread)
        try_it(t);
    else
        t->rc[0] = tt_part_play_alone(run_part_playing(r), TT_SEC_STEP, t->halt,
                                      t->err[0]);
}

static void play_both(tt_run *r, struct tt_halt *halt, tt_err *err)
{
    struct tt_twin *t = r->twin;
    struct tt_now *now = t->run->now;

    memcpy(now->t, r->now->t, sizeof(now->t));
    memcpy(now->h, r->now->h, sizeof(now->h));
    now->steps = r->now->steps;
    t->halt = halt;
    t->err[0] = err;
    t->err[1] = &t->own_err;
    tt_part_bend(t->run->part, (struct tt_bend){1, UINT32_MAX});
    tt_part_bend(run_part_playing(r), TT_BEND_NONE);
    r->activity->playing = TT_PLAYING_STEP;
    tt_crew_run(r->crew, 2, play_one, r);
    r->activity->playing = TT_PLAYING_NOT;
}

/* What its last step came to is stated by the number of that step. */
static void set_count(tt_unit *u, uint64_t n_step, double max_lag)
{
    const struct tt_stepped last = tt_unit_last(u);

    u->n_step = n_step;
    u->max_lag = max_lag;
    tt_unit_report(u, last);
}

/* Steps of the twin count as if the run had made them. */
static void count_trial(tt_run *r)
{
    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        const tt_unit *of = r->twin->run->unit[u];
        tt_unit *own = r->unit[u];

        set_count(own, own->n_step + of->n_step,
                  fmax(own->max_lag, of->max_lag));
    }
}

static void begin_counts(tt_run *r)
{
    for (uint32_t u = 0; u < r->plan->n_unit; u++) {
        r->twin->steps[u] =
            (struct tt_twin_steps){r->unit[u]->n_step, r->unit[u]->max_lag};
        set_count(r->twin->run->unit[u], 0, 0);
    }
}

/* The run's step is to be played again, behind the trial. */
static enum tt_code take_back(tt_run *r, tt_err *err)
{
    tt_frame_step_bring_back(r->frame, r->kept);
    for (uint32_t u = 0; u < r->plan->n_unit; u++)
        set_count(r->unit[u], r->twin->steps[u].n, r->twin->steps[u].lag);
    return run_play(r, TT_SEC_UNDO, err);
}

static void give_up(tt_run *r)
{
    char t[TT_NUM_MAX];

    tt_num_print_short(t, r->now->t[TT_T0]);
    run_note(r, "embedded", "from t=%s s on one method after the other: %s", t,
             r->twin->own_err.msg);
    run_twin_end(r);
}

int run_twin_play(tt_run *r, struct tt_halt *halt, enum tt_code *rc,
                  tt_err *err)
{
    struct tt_twin *t = r->twin;
    tt_err *words = t->run->now->words; /* of another, with a team */

    *rc = TT_OK;
    t->run->now->words = t->words;
    if (load(r, &t->own_err) != TT_OK) {
        t->run->now->words = words;
        give_up(r);
        return 0;
    }
    begin_counts(r);
    play_both(r, halt, err);
    t->run->now->words = words;
    *rc = t->rc[0];
    if (t->rc[1] == TT_OK) {
        count_trial(r);
        run_error_tried(r, t->run);
        return 1;
    }
    if (*rc != TT_OK && t->rc[1] != TT_ESTOPPED) { /* the trial came first */
        *rc = t->rc[1];
        if (err)
            *err = t->own_err;
        return 1;
    }
    *rc = take_back(r, err);
    return 0;
}
