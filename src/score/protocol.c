/* SPDX-License-Identifier: MIT */
#include "score/protocol.h"

#include "score/score.h"

#define STOP TT_PHASE_STOP
#define DONE TT_PHASE_DONE

/* Where the ways of a phase lead that has nothing else: it must be OK. */
#define WAYS(ok, cut, retry, end)                                              \
    {                                                                          \
        [TT_WAY_OK] = (ok), [TT_WAY_CUT] = (cut), [TT_WAY_RETRY] = (retry),    \
        [TT_WAY_END] = (end), [TT_WAY_EVENT] = STOP                            \
    }
#define PLAIN(what, ok)                                                        \
    {                                                                          \
        .act = TT_ACT_##what, .next = WAYS(ok, STOP, STOP, STOP)               \
    }
#define STATES(what, sec, ok)                                                  \
    {                                                                          \
        .act = TT_ACT_##what, .section = TT_SEC_##sec,                         \
        .next = WAYS(ok, STOP, STOP, STOP)                                     \
    }
/* The row of a step, at phase i; then its events: the last phases. */
#define ROW_AND_EVENTS(i)                                                      \
    {.act = TT_ACT_ROW,                                                        \
     .next = {DONE, STOP, STOP, STOP, [TT_WAY_EVENT] = (i) + 1}},              \
        {.act = TT_ACT_EVENT,                                                  \
         .section = TT_SEC_EVENT,                                              \
         .next = {(i) + 2, STOP, STOP, STOP, [TT_WAY_EVENT] = (i) + 1}},       \
    {                                                                          \
        .act = TT_ACT_SETTLE, .section = TT_SEC_LEAVE,                         \
        .next = WAYS(DONE, STOP, STOP, STOP)                                   \
    }
#define JUDGE(ok, retry, event)                                                \
    {                                                                          \
        .act = TT_ACT_JUDGE, .next = {                                         \
            [TT_WAY_OK] = (ok),                                                \
            [TT_WAY_CUT] = STOP,                                               \
            [TT_WAY_RETRY] = (retry),                                          \
            [TT_WAY_END] = STOP,                                               \
            [TT_WAY_EVENT] = (event)                                           \
        }                                                                      \
    }
#define PLAY(sec, a, b, ok, cut, end)                                          \
    {                                                                          \
        .act = TT_ACT_PLAY, .section = TT_SEC_##sec, .from = TT_MARK_##a,      \
        .to = TT_MARK_##b, .next = WAYS(ok, cut, STOP, end)                    \
    }
#define TRY(sec, ok, cut, end)                                                 \
    {                                                                          \
        .act = TT_ACT_PLAY, .section = TT_SEC_##sec, .from = TT_MARK_START,    \
        .to = TT_MARK_END, .trial = 1, .next = WAYS(ok, cut, STOP, end)        \
    }
#define PROTOCOL(of)                                                           \
    const tt_protocol tt_protocol_##of = {                                     \
        .name = #of, .phase = (of), .n = sizeof(of) / sizeof(*(of))}

static const struct tt_phase fixed[] = {
    /* 0 */ PLAIN(PROPOSE, 1),
    /* 1 */ PLAY(STEP, START, END, 2, STOP, 2),
    /* 2 */ PLAY(EXCHANGE, START, END, 3, STOP, 3),
    /* 3 */ PLAIN(COMMIT, 4),
    /* 4 */ ROW_AND_EVENTS(4),
};

/* Units state the longest step they accept: some steps are shorter. */
static const struct tt_phase divided[] = {
    /* 0 */ PLAIN(PROPOSE, 1),
    /* 1 */ PLAY(STEP, START, END, 2, STOP, 2),
    /* 2 */ PLAY(EXCHANGE, START, END, 3, STOP, 4),
    /* 3 */ JUDGE(4, STOP, STOP),
    /* 4 */ PLAIN(COMMIT, 5),
    /* 5 */ ROW_AND_EVENTS(5),
};

static const struct tt_phase varied[] = {
    /* 0 */ PLAIN(PROPOSE, 1),
    /* 1 */ STATES(KEEP, BEGIN, 2),
    /* 2 */ PLAY(STEP, START, END, 3, 4, 3),
    /* 3 */ PLAY(EXCHANGE, START, END, 4, 4, 5),
    /* 4 */ JUDGE(5, 9, 11),
    /* 5 */ PLAIN(COMMIT, 6),
    /* 6 */ ROW_AND_EVENTS(6),
    /* 9 */ STATES(UNDO, UNDO, 10),
    /* 10 */ PLAIN(PROPOSE, 2),
    /* 11 */ STATES(UNDO, UNDO, 7), /* an event where the step began */
};

/* Values are exchanged when all units have stepped: what is judged first is
 * that the others could make the step. */
static const struct tt_phase last[] = {
    /* 0 */ PLAIN(PROPOSE, 1),
    /* 1 */ STATES(KEEP, BEGIN, 2),
    /* 2 */ PLAY(STEP, START, END, 3, 3, 4),
    /* 3 */ JUDGE(4, 11, 13),
    /* 4 */ PLAY(LAST, START, END, 5, STOP, 5),
    /* 5 */ PLAY(EXCHANGE, START, END, 6, STOP, 7),
    /* 6 */ JUDGE(7, STOP, STOP),
    /* 7 */ PLAIN(COMMIT, 8),
    /* 8 */ ROW_AND_EVENTS(8),
    /* 11 */ STATES(UNDO, UNDO, 12),
    /* 12 */ PLAIN(PROPOSE, 2),
    /* 13 */ STATES(UNDO, UNDO, 9),
};

/* A unit that ends the simulation does so when the halves are played. */
static const struct tt_phase doubled[] = {
    /* 0 */ PLAIN(PROPOSE, 1),
    /* 1 */ STATES(KEEP, BEGIN, 2),
    /* 2 */ TRY(STEP, 3, 9, 3),
    /* 3 */ TRY(EXCHANGE, 4, 9, 4),
    /* 4 */ STATES(UNDO, UNDO, 5),
    /* 5 */ PLAY(STEP, START, MIDDLE, 6, 9, 6),
    /* 6 */ PLAY(EXCHANGE, START, MIDDLE, 7, 9, 10),
    /* 7 */ PLAY(STEP, MIDDLE, END, 8, 9, 8),
    /* 8 */ PLAY(EXCHANGE, MIDDLE, END, 9, 9, 10),
    /* 9 */ JUDGE(10, 14, 16),
    /* 10 */ PLAIN(COMMIT, 11),
    /* 11 */ ROW_AND_EVENTS(11),
    /* 14 */ STATES(UNDO, UNDO, 15),
    /* 15 */ PLAIN(PROPOSE, 2),
    /* 16 */ STATES(UNDO, UNDO, 12),
};

static const struct tt_phase embedded[] = {
    /* 0 */ PLAIN(PROPOSE, 1),
    /* 1 */ STATES(KEEP, BEGIN, 2),
    /* 2 */ TRY(STEP, 3, 7, 3),
    /* 3 */ TRY(EXCHANGE, 4, 7, 4),
    /* 4 */ STATES(UNDO, UNDO, 5),
    /* 5 */ PLAY(STEP, START, END, 6, 7, 6),
    /* 6 */ PLAY(EXCHANGE, START, END, 7, 7, 8),
    /* 7 */ JUDGE(8, 12, 14),
    /* 8 */ PLAIN(COMMIT, 9),
    /* 9 */ ROW_AND_EVENTS(9),
    /* 12 */ STATES(UNDO, UNDO, 13),
    /* 13 */ PLAIN(PROPOSE, 2),
    /* 14 */ STATES(UNDO, UNDO, 10),
};

PROTOCOL(fixed);
PROTOCOL(divided);
PROTOCOL(varied);
PROTOCOL(last);
PROTOCOL(doubled);
PROTOCOL(embedded);

const tt_protocol *tt_protocol_of(const tt_score *s)
{
    if (!s->plan->rejects)
        return &tt_protocol_fixed;
    if (s->section[TT_SEC_LAST].n)
        return &tt_protocol_last;
    return s->plan->doubles  ? &tt_protocol_doubled
           : s->plan->embeds ? &tt_protocol_embedded
                             : &tt_protocol_varied;
}

static void print_phase(const struct tt_phase *p, struct tt_buf *out)
{
    static const char *const act[] = {[TT_ACT_PROPOSE] = "propose",
                                      [TT_ACT_KEEP] = "keep",
                                      [TT_ACT_JUDGE] = "judge",
                                      [TT_ACT_UNDO] = "undo",
                                      [TT_ACT_COMMIT] = "commit",
                                      [TT_ACT_ROW] = "row",
                                      [TT_ACT_EVENT] =
                                          "microstep, row, while there is more",
                                      [TT_ACT_SETTLE] = "leave"};

    if (p->act != TT_ACT_PLAY)
        tt_buf_str(out, act[p->act]);
    else
        tt_buf_str(out, tt_section_name((enum tt_section)p->section));
    if (p->act == TT_ACT_PLAY && p->trial)
        tt_buf_str(out, " (trial)");
    else if (p->act == TT_ACT_PLAY && p->to == TT_MARK_MIDDLE)
        tt_buf_str(out, " (to the middle)");
    else if (p->act == TT_ACT_PLAY && p->from == TT_MARK_MIDDLE)
        tt_buf_str(out, " (from the middle)");
}

/* From this phase on, as long as each is followed by the one behind it. */
static void print_from(const tt_protocol *p, uint32_t i, int events,
                       struct tt_buf *out)
{
    const char *between = "";

    for (; i < p->n; i++) {
        const struct tt_phase *at = &p->phase[i];

        tt_buf_str(out, between);
        print_phase(at, out);
        if (at->act == TT_ACT_JUDGE && at->next[TT_WAY_RETRY] < p->n) {
            tt_buf_str(out, " (retry: ");
            print_from(p, at->next[TT_WAY_RETRY], events, out);
            tt_buf_str(out, ")");
        }
        if (at->act == TT_ACT_ROW && events) {
            tt_buf_str(out, " (event: ");
            print_from(p, at->next[TT_WAY_EVENT], events, out);
            tt_buf_str(out, ")");
        }
        if (at->next[TT_WAY_OK] != i + 1)
            return;
        between = ", ";
    }
}

void tt_protocol_print(const tt_protocol *p, int events, struct tt_buf *out)
{
    print_from(p, 0, events, out);
}
