/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "score/protocol.h"
#include "score/score.h"

static const tt_protocol *const all[] = {
    &tt_protocol_fixed, &tt_protocol_divided, &tt_protocol_varied,
    &tt_protocol_last,  &tt_protocol_doubled, &tt_protocol_embedded};
#define N_ALL (sizeof(all) / sizeof(*all))

static int is_phase(const tt_protocol *p, uint8_t next)
{
    return next < p->n;
}

/* Which phases can be reached, whatever happens? */
static void reach(const tt_protocol *p, uint32_t i, uint8_t *seen)
{
    if (seen[i])
        return;
    seen[i] = 1;
    for (int w = 0; w < TT_WAY_N; w++)
        if (is_phase(p, p->phase[i].next[w]))
            reach(p, p->phase[i].next[w], seen);
}

static void test_every_phase_is_reached(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_ALL; k++) {
        uint8_t seen[32] = {0};

        reach(all[k], 0, seen);
        for (uint32_t i = 0; i < all[k]->n; i++)
            assert_true(seen[i]);
    }
}

static void test_ways_lead_somewhere(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_ALL; k++)
        for (uint32_t i = 0; i < all[k]->n; i++)
            for (int w = 0; w < TT_WAY_N; w++) {
                uint8_t next = all[k]->phase[i].next[w];

                assert_true(is_phase(all[k], next) || next == TT_PHASE_DONE ||
                            next == TT_PHASE_STOP);
            }
}

/* A step on which all agree: begins at the start, ends at the end without a
 * gap, exchanges where it steps, stands once and is shown once. Plays that are
 * trials are taken back. */
static void test_the_plain_way_makes_one_step(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_ALL; k++) {
        const tt_protocol *p = all[k];
        uint8_t at = TT_MARK_START, commits = 0, rows = 0, kept = 0, i = 0;
        int trial = 0, stepped = 0;

        while (is_phase(p, i)) {
            const struct tt_phase *ph = &p->phase[i];

            kept |= ph->act == TT_ACT_KEEP;
            if (ph->act == TT_ACT_PLAY && ph->section == TT_SEC_STEP) {
                assert_false(stepped || trial);
                assert_int_equal(ph->from, at);
                stepped = 1;
                at = ph->to;
            }
            if (ph->act == TT_ACT_PLAY)
                trial |= ph->trial;
            if (ph->act == TT_ACT_PLAY && ph->section == TT_SEC_EXCHANGE) {
                assert_true(stepped);
                stepped = 0;
            }
            if (ph->act == TT_ACT_UNDO) {
                assert_true(kept && trial);
                trial = 0;
                at = TT_MARK_START;
            }
            if (ph->act == TT_ACT_COMMIT) {
                assert_true(at == TT_MARK_END && !trial && !stepped);
                commits++;
            }
            if (ph->act == TT_ACT_ROW) {
                assert_int_equal(commits, 1);
                rows++;
            }
            i = ph->next[TT_WAY_OK];
        }
        assert_int_equal(i, TT_PHASE_DONE);
        assert_int_equal(commits, 1);
        assert_int_equal(rows, 1);
    }
}

/* A retry takes back what was kept, asks for a nearer end, and steps anew. */
static void test_a_retry_steps_from_the_start(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_ALL; k++)
        for (uint32_t i = 0; i < all[k]->n; i++) {
            const struct tt_phase *ph = all[k]->phase;
            uint8_t undo = ph[i].next[TT_WAY_RETRY];

            if (ph[i].act != TT_ACT_JUDGE || undo == TT_PHASE_STOP)
                continue;
            assert_int_equal(ph[undo].act, TT_ACT_UNDO);
            undo = ph[undo].next[TT_WAY_OK];
            assert_int_equal(ph[undo].act, TT_ACT_PROPOSE);
            undo = ph[undo].next[TT_WAY_OK];
            assert_int_equal(ph[undo].act, TT_ACT_PLAY);
            assert_int_equal(ph[undo].from, TT_MARK_START);
        }
}

/* An event comes after the row of its step, as often as it asks, and is left
 * once; then the step is over. */
static void test_events_follow_the_row(void **state)
{
    (void)state;
    for (size_t k = 0; k < N_ALL; k++) {
        const struct tt_phase *ph = all[k]->phase;

        for (uint32_t i = 0; i < all[k]->n; i++) {
            uint8_t next = ph[i].next[TT_WAY_EVENT];

            if (ph[i].act == TT_ACT_JUDGE && next != TT_PHASE_STOP) {
                assert_int_equal(ph[next].act, TT_ACT_UNDO);
                next = ph[next].next[TT_WAY_OK];
            } else if (ph[i].act != TT_ACT_ROW && ph[i].act != TT_ACT_EVENT) {
                assert_int_equal(next, TT_PHASE_STOP);
                continue;
            }
            assert_int_equal(ph[next].act, TT_ACT_EVENT);
            next = ph[next].next[TT_WAY_OK];
            assert_int_equal(ph[next].act, TT_ACT_SETTLE);
            assert_int_equal(ph[next].next[TT_WAY_OK], TT_PHASE_DONE);
        }
    }
}

static void test_words(void **state)
{
    static const char *const words[] = {
        "propose, step, exchange, commit, row",
        "propose, step, exchange, judge, commit, row",
        "propose, keep, step, exchange, judge (retry: undo, propose), commit, "
        "row",
        "propose, keep, step, judge (retry: undo, propose), last, exchange, "
        "judge, commit, row",
        "propose, keep, step (trial), exchange (trial), undo, step (to the "
        "middle), exchange (to the middle), step (from the middle), exchange "
        "(from the middle), judge (retry: undo, propose), commit, row",
        "propose, keep, step (trial), exchange (trial), undo, step, exchange, "
        "judge (retry: undo, propose), commit, row"};

    (void)state;
    for (size_t k = 0; k < N_ALL; k++) {
        struct tt_buf b;

        tt_buf_init(&b, 4096);
        tt_protocol_print(all[k], 0, &b);
        assert_string_equal(b.data, words[k]);
        tt_protocol_print(all[k], 1, &b);
        assert_non_null(strstr(b.data, "commit, row (event: microstep, row, "
                                       "while there is more, leave)"));
        tt_buf_fini(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_phase_is_reached),
        cmocka_unit_test(test_ways_lead_somewhere),
        cmocka_unit_test(test_the_plain_way_makes_one_step),
        cmocka_unit_test(test_a_retry_steps_from_the_start),
        cmocka_unit_test(test_events_follow_the_row),
        cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
