/* SPDX-License-Identifier: MIT */
/* Playing: a straight run down an array of calls. */
#include "player/ranks.h"
#include "player/team.h"
#include "sys/clock.h"

/* A step that is complete but reports something besides: go on, remember. */
int tt_take_outcome(tt_unit *u, unsigned flags, struct tt_halt *halt)
{
    if (!(flags & ~(unsigned)TT_STEP_LAG))
        return 1;
    /* the first outcome counts, but a call that halts the play gives the
     * reason, and an end is more than an event */
    if (!halt->unit || (flags & TT_STEP_HALTS) ||
        ((flags & TT_STEP_TERMINATE) && halt->flags == TT_STEP_EVENT)) {
        halt->unit = u;
        halt->flags = flags;
    }
    return !(flags & TT_STEP_HALTS);
}

static int goes_on(const struct tt_call *c, struct tt_halt *halt)
{
    tt_unit *u = c->unit;

    if (c->what->verb != TT_VERB_STEP && tt_is_loop(c)) {
        halt->lost = 1;
        return 0;
    }
    return tt_take_outcome(u, tt_unit_last(u).flags, halt);
}

/* Bound unit calls ask the unit for words; cold ones left theirs. */
enum tt_code tt_explain(tt_part *p, const struct tt_call *c, tt_err *err)
{
    if (tt_is_watch(c))
        return tt_explain_watch(p, c, err);
    if (tt_is_loop(c))
        return tt_explain_loop(p, err);
    if (c->what->verb == TT_VERB_OTHER)
        return tt_fail(err, p->cold->code, "%s", p->cold->msg);
    return tt_unit_explain(c->unit, c, p->now, err);
}

/* Down the calls until one answers with anything but TT_CALL_OK, at the latest
 * the one behind the section; now->pc is its number. What a unit has is fetched
 * some calls ahead: ten thousand of them do not fit into a core's cache, and
 * only we know whose turn is next. */
static inline enum tt_call_result run_down(const struct tt_call *call,
                                           uint32_t pc, struct tt_now *now)
{
    enum tt_call_result r;

    call += pc;
    do {
        now->pc = pc;
        __builtin_prefetch(call[TT_CALLS_AHEAD].handle);
        r = call->what->fn(call, now);
        pc++;
        call++;
    } while (TT_LIKELY(r == TT_CALL_OK));
    return r;
}

static enum tt_call_result play_rest(const struct tt_call *c,
                                     struct tt_now *now)
{
    (void)c;
    (void)now;
    return TT_CALL_REST;
}

static enum tt_call_result play_pause(const struct tt_call *c,
                                      struct tt_now *now)
{
    const tt_part *p = c->unit;

    (void)now;
    return TT_UNLIKELY(p->rests) ? TT_CALL_REST : TT_CALL_OK;
}

void tt_bind_rest(tt_part *p, enum tt_section section, struct tt_call *c)
{
    static const struct tt_what rest = {.fn = play_rest, .verb = TT_VERB_OTHER},
                                pause = {.fn = play_pause,
                                         .verb = TT_VERB_OTHER};

    *c = (struct tt_call){.what = section == TT_SEC_STEP ? &pause : &rest,
                          .unit = p};
}

/* A call answered that is neither well nor the end. Returns whether the play
 * goes on at now->pc; if not, *rc states how it ended. */
static int go_on(tt_part *p, enum tt_call_result r, struct tt_halt *halt,
                 enum tt_code *rc, tt_err *err)
{
    const struct tt_call *c = &p->call[p->now->pc];

    if (r == TT_CALL_JUMP)
        return 1;
    *rc = TT_OK;
    if (r != TT_CALL_OUTCOME)
        r = tt_call_settle(c, p->now, r);
    if (r == TT_CALL_FAILED)
        *rc = tt_explain(p, c, err);
    if (r == TT_CALL_FAILED || (r == TT_CALL_OUTCOME && !goes_on(c, halt)))
        return 0;
    p->rests |= halt->unit && halt->flags != TT_STEP_EVENT;
    p->now->pc++;
    return 1;
}

/* From call pc on to where the play ends. */
static inline enum tt_code play(tt_part *p, uint32_t pc, int rests,
                                struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc;

    *halt = (struct tt_halt){0};
    p->rests = rests;
    for (;;) {
        enum tt_call_result r = run_down(p->call, pc, p->now);

        if (TT_LIKELY(r == TT_CALL_REST))
            return TT_OK;
        if (!go_on(p, r, halt, &rc, err))
            return rc;
        pc = p->now->pc;
    }
}

static uint32_t end_of(const tt_part *p, enum tt_section section)
{
    return p->section[section].first + p->section[section].n;
}

enum tt_code tt_play_plain(tt_part *p, enum tt_section section,
                           struct tt_halt *halt, tt_err *err)
{
    return play(p, p->section[section].first, 1, halt, err);
}

/* With others: ranks, threads, or the clock. */
static enum tt_code play_special(tt_part *p, enum tt_section section, int timed,
                                 struct tt_halt *halt, tt_err *err)
{
    if (p->ranks)
        return tt_ranks_play(p, p->section[section].first, end_of(p, section),
                             timed || p->profile, halt, err);
    return tt_team_play(p, section, timed, halt, err);
}

enum tt_code tt_part_play(tt_part *p, enum tt_section section,
                          struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc;

    tt_turn_take(&p->turn);
    if (TT_UNLIKELY(p->special))
        rc = play_special(p, section, 0, halt, err);
    else
        rc = tt_play_plain(p, section, halt, err);
    tt_turn_give(&p->turn);
    return rc;
}

enum tt_code tt_part_play_alone(tt_part *p, enum tt_section section,
                                struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc;

    tt_turn_take(&p->turn);
    if (p->team)
        tt_team_forget(p->team);
    rc = tt_play_section(p, section, 0, halt, err);
    tt_turn_give(&p->turn);
    return rc;
}

enum tt_code tt_part_play_start(tt_part *p, tt_err *err)
{
    struct tt_halt halt;
    enum tt_code rc;

    tt_turn_take(&p->turn);
    rc = p->ranks ? play_special(p, TT_SEC_START, 0, &halt, err)
                  : tt_play_section(p, TT_SEC_START, 0, &halt, err);
    tt_turn_give(&p->turn);
    return rc == TT_OK && halt.lost ? tt_part_explain_lost(p, err) : rc;
}

/* Sections one by one. */
static enum tt_code play_step_special(tt_part *p, struct tt_halt *halt,
                                      tt_err *err)
{
    enum tt_code rc = play_special(p, TT_SEC_STEP, 0, halt, err);

    if (rc != TT_OK || halt->unit || halt->lost)
        return rc;
    return play_special(p, TT_SEC_EXCHANGE, 0, halt, err);
}

enum tt_code tt_part_play_step(tt_part *p, struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc;

    tt_turn_take(&p->turn);
    if (TT_UNLIKELY(p->special))
        rc = play_step_special(p, halt, err);
    else
        rc = play(p, p->section[TT_SEC_STEP].first, 0, halt, err);
    if (halt->flags == TT_STEP_EVENT && !p->special && !halt->lost)
        halt->unit = NULL; /* at the end of a step that is made */
    tt_turn_give(&p->turn);
    return rc;
}

/* What stepped at the same time as the halting unit does not step again; its
 * outcomes are taken now. */
enum tt_code tt_part_play_on(tt_part *p, enum tt_section section,
                             struct tt_halt *halt, tt_err *err)
{
    uint32_t from = p->now->pc, end = end_of(p, section);
    enum tt_code rc;

    tt_turn_take(&p->turn);
    rc = p->ranks ? tt_ranks_play(p, from, end, 0, halt, err)
                  : play(p, from, 1, halt, err);
    tt_turn_give(&p->turn);
    if (rc == TT_OK && p->team && !p->ranks)
        tt_team_take_rest(p->team, from, end, halt);
    return rc;
}

/* --- with the clock --------------------------------------------------------
 */

static void note_cost(struct tt_call_cost *k, double t, uint64_t ns)
{
    k->recent = k->n ? tt_recent(k->recent, (double)ns) : (double)ns;
    k->n++;
    k->ns += ns;
    if (ns <= k->worst)
        return;
    k->worst = ns;
    k->worst_t = t;
}

enum tt_call_result tt_clock_call(tt_part *p, uint32_t pc, struct tt_now *now,
                                  uint64_t *own_ns, uint64_t *at)
{
    const struct tt_call *c = &p->call[pc];
    const struct tt_op *op = tt_op_of(p, c);
    enum tt_call_result r = tt_call_make(c, now);
    uint64_t after = tt_clock_ns(), ns = after - *at;

    *at = after;
    if (op->unit == TT_NONE || c->what->verb == TT_VERB_OTHER)
        *own_ns += ns;
    else
        p->spent[op->unit] += ns;
    if (p->cost)
        note_cost(&p->cost[pc], now->t[op->at], ns);
    return r;
}

static int is_played(const tt_part *p, const struct tt_passage *at, uint32_t pc)
{
    return p->op_of[pc] != TT_NONE && at->only[p->op_of[pc]];
}

/* The same calls in the same order, with and without the clock. */
enum tt_code tt_play_passage(tt_part *p, struct tt_passage *at, int timed,
                             struct tt_halt *halt, tt_err *err)
{
    struct tt_now *now = p->now;
    uint64_t clock = timed ? tt_clock_ns() : 0;
    uint64_t *own_ns = &p->spent[p->plan->n_unit];

    while (at->pc >= at->first && at->pc < at->end) {
        uint32_t pc = at->pc;
        const struct tt_call *c = &p->call[pc];
        enum tt_call_result r;

        if (at->only && !is_played(p, at, pc)) {
            at->pc++;
            continue;
        }
        now->pc = pc;
        if (p->stepped_by)
            tt_mark_step(p, c, 0);
        r = timed ? tt_clock_call(p, pc, now, own_ns, &clock)
                  : tt_call_make(c, now);
        if (r == TT_CALL_FAILED)
            return tt_explain(p, c, err);
        at->halted = r == TT_CALL_OUTCOME && !goes_on(c, halt);
        if (at->halted)
            return TT_OK;
        at->pc = r == TT_CALL_JUMP ? now->pc : pc + 1;
    }
    return TT_OK;
}

static enum tt_code play_passage_of(tt_part *p, enum tt_section section,
                                    int timed, const uint8_t *only,
                                    struct tt_halt *halt, tt_err *err)
{
    struct tt_passage all = {.first = p->section[section].first, .only = only};

    all.pc = all.first;
    all.end = all.pc + p->section[section].n;
    *halt = (struct tt_halt){0};
    return tt_play_passage(p, &all, timed, halt, err);
}

enum tt_code tt_play_section(tt_part *p, enum tt_section section, int timed,
                             struct tt_halt *halt, tt_err *err)
{
    return play_passage_of(p, section, timed, NULL, halt, err);
}

enum tt_code tt_part_play_only(tt_part *p, enum tt_section section,
                               const uint8_t *only, struct tt_halt *halt,
                               tt_err *err)
{
    enum tt_code rc;

    tt_turn_take(&p->turn);
    rc = play_passage_of(p, section, 0, only, halt, err);
    tt_turn_give(&p->turn);
    return rc;
}

static int code_at(const tt_part *p, uint32_t pc)
{
    return p->score->op[p->op_of[pc]].code;
}

struct tt_rhs tt_part_rhs(const tt_part *p, uint32_t group)
{
    uint32_t begin = p->section[TT_SEC_RHS].first;
    uint32_t end = begin + p->section[TT_SEC_RHS].n;
    struct tt_rhs at = {end, end};

    for (uint32_t pc = begin; pc < end; pc++) {
        uint32_t unit = p->score->op[p->op_of[pc]].unit;

        if (unit == TT_NONE || p->plan->unit[unit].group != group)
            continue;
        at.first = at.first == end ? pc : at.first;
        at.end = pc + 1;
    }
    while (at.first > begin && code_at(p, at.first - 1) == TT_OP_LOOP)
        at.first--;
    while (at.end < end && (code_at(p, at.end) == TT_OP_SOLVE ||
                            code_at(p, at.end) == TT_OP_END))
        at.end++;
    return at;
}

int tt_part_play_rhs(tt_part *p, const struct tt_rhs *of, tt_err *err)
{
    struct tt_passage at = {.first = of->first, .end = of->end};
    struct tt_halt halt = {0};
    uint32_t pc = p->now->pc; /* of the step under way */
    enum tt_code rc;

    at.pc = at.first;
    rc = tt_play_passage(p, &at, 0, &halt, err);
    p->now->pc = pc;
    return rc != TT_OK ? -1 : halt.lost;
}

enum tt_code tt_part_play_timed(tt_part *p, enum tt_section section,
                                struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc;

    tt_turn_take(&p->turn);
    rc = p->special ? play_special(p, section, 1, halt, err)
                    : tt_play_section(p, section, 1, halt, err);
    tt_turn_give(&p->turn);
    return rc;
}

void tt_part_keep_unit(tt_part *p, uint32_t unit)
{
    p->kept = unit == TT_NONE ? 0 : unit + 1;
}

enum tt_code tt_part_explain_lost(const tt_part *p, tt_err *err)
{
    return tt_explain_loop(p, err);
}

struct tt_part_stats tt_part_stats(const tt_part *p)
{
    const struct tt_part_counts *c = p->counts;

    return (struct tt_part_stats){
        TT_SAME(c, evaluations, unconverged, residual, given, tried),
        .refused = p->doubts};
}

const uint64_t *tt_part_time(const tt_part *p, uint64_t *total)
{
    *total = 0;
    for (uint32_t u = 0; u <= p->plan->n_unit; u++)
        *total += p->spent[u];
    return p->spent;
}

void tt_part_set_time(tt_part *p, uint32_t unit, uint64_t ns)
{
    p->spent[unit] = ns;
}

/* --- the profile ------------------------------------------------------------
 */

enum tt_code tt_part_measure(tt_part *p, tt_err *err)
{
    if (p->cost)
        return TT_OK;
    if (TT_NEW_ARRAY(p->cost, p->n_call) &&
        TT_NEW_ARRAY(p->stepped_by, p->plan->n_unit))
        return TT_OK;
    return tt_part_nomem(err);
}

enum tt_code tt_part_profile(tt_part *p, tt_err *err)
{
    enum tt_code rc = tt_part_measure(p, err);

    p->profile = rc == TT_OK;
    p->special |= p->profile;
    return rc;
}

void tt_part_costs(const tt_part *p, struct tt_op_cost *of)
{
    for (uint32_t i = 0; i < p->score->n_op; i++)
        of[i] = (struct tt_op_cost){0};
    for (size_t pc = 0; p->cost && pc < p->n_call; pc++) {
        const struct tt_call_cost *k = &p->cost[pc];
        struct tt_op_cost *o;

        if (p->op_of[pc] == TT_NONE)
            continue;
        o = &of[p->op_of[pc]];
        o->ns += k->ns;
        if (o->calls < k->n) /* one operation may be several calls */
            o->calls = k->n;
        if (o->worst < k->worst) {
            o->worst = k->worst;
            o->worst_at = k->worst_t;
        }
    }
}

uint64_t tt_part_stepped_by(const tt_part *p, uint32_t unit)
{
    if (p->stepped_by)
        return p->stepped_by[unit];
    return p->unit[unit]->n_step > 0;
}

tt_unit *tt_unit_at(const void *part, uint32_t pc)
{
    const tt_part *p = part;
    uint32_t op = pc < p->n_call ? p->op_of[pc] : TT_NONE;

    if (op == TT_NONE || p->score->op[op].unit == TT_NONE)
        return NULL;
    return p->unit[p->score->op[op].unit];
}

/* As the unit's own calls are named. */
static const char *call_name(const struct tt_op *op)
{
    if (op->code == TT_OP_ENTER)
        return "event_enter";
    if (op->code == TT_OP_UPDATE)
        return "event_update";
    return op->code == TT_OP_LEAVE ? "event_leave"
                                   : tt_op_name((enum tt_op_code)op->code);
}

int tt_part_describe(const tt_part *p, uint32_t pc, const char **unit,
                     const char **call)
{
    const struct tt_op *op;

    if (pc >= p->n_call)
        return 0;
    *unit = *call = "";
    if (p->op_of[pc] == TT_NONE)
        return 1;
    op = &p->score->op[p->op_of[pc]];
    *unit = op->unit == TT_NONE ? "" : p->plan->unit[op->unit].name;
    *call = call_name(op);
    return 1;
}
