/* SPDX-License-Identifier: MIT */
/* Playing: a straight run down an array of calls. */
#include "player/part_impl.h"
#include "sys/clock.h"

/* A step that is complete but says something besides: go on, remember. */
static int goes_on(const struct tt_call *c, struct tt_halt *halt)
{
    tt_unit *u = c->unit;
    const unsigned stop = TT_STEP_REJECT | TT_STEP_EARLY | TT_STEP_EVENT;

    if (tt_is_loop(c)) {
        halt->lost = 1;
        return 0;
    }
    if (!(u->last.flags & ~(unsigned)TT_STEP_LAG))
        return 1;
    /* the first that speaks is heard, but who halts the play says why */
    if (!halt->unit || (u->last.flags & stop)) {
        halt->unit = u;
        halt->flags = u->last.flags;
    }
    return !(u->last.flags & stop);
}

/* Bound unit calls ask the unit for words; cold ones left theirs. */
static enum tt_code explain(tt_part *p, const struct tt_call *c, tt_err *err)
{
    if (tt_is_watch(c))
        return tt_explain_watch(p, c, err);
    if (tt_is_loop(c))
        return tt_explain_loop(p, err);
    if (c->verb == TT_VERB_OTHER)
        return tt_fail(err, p->cold.code, "%s", p->cold.msg);
    return tt_unit_explain(c->unit, c, p->now, err);
}

/* Down the calls first .. end, which are of neighbouring sections; the play
 * rests at `rest` when a unit has spoken by then. */
static inline enum tt_code play(tt_part *p, uint32_t pc, uint32_t last,
                                uint32_t rest, struct tt_halt *halt,
                                tt_err *err)
{
    struct tt_now *now = p->now;
    const struct tt_call *c = p->call + pc, *stop = p->call + rest;

    *halt = (struct tt_halt){0};
    for (;;) {
        enum tt_call_result r;

        if (TT_UNLIKELY(c == stop)) {
            if (halt->unit || pc == last)
                return TT_OK;
            stop = p->call + last;
            continue;
        }
        now->pc = pc;
        r = tt_call_make(c, now);
        if (TT_UNLIKELY(r != TT_CALL_OK)) {
            if (r == TT_CALL_FAILED)
                return explain(p, c, err);
            if (r == TT_CALL_OUTCOME && !goes_on(c, halt))
                return TT_OK;
            if (r == TT_CALL_JUMP) {
                pc = now->pc;
                c = p->call + pc;
                continue;
            }
        }
        pc++;
        c++;
    }
}

static uint32_t end_of(const tt_part *p, enum tt_section section)
{
    return p->section[section].first + p->section[section].n;
}

enum tt_code tt_part_play(tt_part *p, enum tt_section section,
                          struct tt_halt *halt, tt_err *err)
{
    uint32_t end = end_of(p, section);

    return play(p, p->section[section].first, end, end, halt, err);
}

enum tt_code tt_part_play_step(tt_part *p, struct tt_halt *halt, tt_err *err)
{
    return play(p, p->section[TT_SEC_STEP].first, end_of(p, TT_SEC_EXCHANGE),
                end_of(p, TT_SEC_STEP), halt, err);
}

enum tt_code tt_part_play_on(tt_part *p, enum tt_section section,
                             struct tt_halt *halt, tt_err *err)
{
    uint32_t end = end_of(p, section);

    return play(p, p->now->pc, end, end, halt, err);
}

/* Timed by playing call by call: the same calls in the same order. */
enum tt_code tt_part_play_timed(tt_part *p, enum tt_section section,
                                struct tt_halt *halt, tt_err *err)
{
    struct tt_now *now = p->now;
    uint32_t pc = p->section[section].first;
    const uint32_t end = pc + p->section[section].n;
    uint64_t before = tt_clock_ns();

    *halt = (struct tt_halt){0};
    while (pc < end) {
        const struct tt_call *c = &p->call[pc];
        uint32_t unit = p->score->op[c->op].unit;
        enum tt_call_result r;
        uint64_t after;

        now->pc = pc;
        r = tt_call_make(c, now);
        after = tt_clock_ns();
        if (unit == TT_NONE || c->verb == TT_VERB_OTHER)
            unit = p->plan->n_unit; /* our own work */
        p->spent[unit] += after - before;
        before = after;
        if (r == TT_CALL_FAILED)
            return explain(p, c, err);
        if (r == TT_CALL_OUTCOME && !goes_on(c, halt))
            return TT_OK;
        pc = r == TT_CALL_JUMP ? now->pc : pc + 1;
    }
    return TT_OK;
}

enum tt_code tt_part_explain_lost(const tt_part *p, tt_err *err)
{
    return tt_explain_loop(p, err);
}

struct tt_part_stats tt_part_stats(const tt_part *p)
{
    return p->stats;
}

struct tt_frame *tt_part_frame(const tt_part *p, size_t *size)
{
    *size = p->frame_size;
    return p->frame;
}

const uint64_t *tt_part_time(const tt_part *p, uint64_t *total)
{
    *total = 0;
    for (uint32_t u = 0; u <= p->plan->n_unit; u++)
        *total += p->spent[u];
    return p->spent;
}

int tt_part_describe(const tt_part *p, uint32_t pc, const char **unit,
                     const char **call)
{
    const struct tt_op *op;

    if (pc >= p->n_call)
        return 0;
    op = &p->score->op[p->call[pc].op];
    *unit = op->unit == TT_NONE ? "" : p->plan->unit[op->unit].name;
    *call = tt_op_name((enum tt_op_code)op->code);
    return 1;
}
