/* SPDX-License-Identifier: MIT */
/* Events in random networks, against a reference (event_network.h). And no
 * operation of an event can be left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "base/buf.h"
#include "base/mem.h"
#include "run/event_network.h"
#include "run/testing.h"
#include "score/ranks.h"

/* To be looked at. */
static struct stage *load(const struct en_network *w)
{
    struct stage *st = st_new();
    struct tt_buf json;

    st->unseen = 1;
    tt_buf_init(&json, 1 << 16);
    en_write(w, "", &json);
    en_register(w);
    if (st_load(st, json.data) != TT_OK)
        fail_msg("%s\n%s", st->err.msg, json.data);
    tt_buf_fini(&json);
    return st;
}

/* Plays a network to its end; returns how many values were compared. */
static uint64_t play(const struct en_network *w, uint64_t seed, uint32_t ranks,
                     const char *more)
{
    const struct en_how how = {.more = more, .ranks = ranks};
    struct en_result r;

    en_play(w, &how, &r);
    if (*r.wrong)
        fail_msg("network %llu%s, %u ranks: %s", (unsigned long long)seed, more,
                 ranks, r.wrong);
    assert_int_equal(r.is_short,
                     w->plain); /* a word holds all flags of these */
    return r.compared;
}

static uint64_t compare(uint64_t seed, uint32_t ranks, const char *more)
{
    struct en_network w;

    en_make(&w, seed);
    return play(&w, seed, ranks, more);
}

/* Steps in other ways, which must make no difference. */
static const char *const ways[] = {
    "",
    ", \"threads\": 2",
    ", \"rollback\": true",
    ", \"iterate\": 3",
    ", \"iterate\": \"converged\", \"acceleration\": \"anderson\"",
    ", \"rollback\": true, \"iterate\": 2, \"master\": \"gauss-seidel\"",
    ", \"rollback\": true, \"rates\": {\"{t0}.u\": 3, \"{t1}.u\": 2}",
};
#define N_WAY (sizeof(ways) / sizeof(*ways))

static void random_networks_are_the_reference(void **state)
{
    uint64_t n = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 2000; seed++)
        n += compare(seed, 0, "");
    for (uint64_t seed = 1; seed <= 40; seed++)
        for (size_t i = 1; i < N_WAY; i++)
            n += compare(seed, 0, ways[i]);
    print_message("%llu values compared\n", (unsigned long long)n);
    assert_true(n > 1000000);
}

/* ... which are played by words (event_short.c). */
static void random_networks_without_clocks_are_the_reference(void **state)
{
    uint64_t n = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 1000; seed++) {
        struct en_network w;

        en_make(&w, seed);
        en_leave_clocks_out(&w);
        n += play(&w, seed, 0, "");
        n += play(&w, seed, 0, ways[1 + seed % (N_WAY - 1)]);
    }
    print_message("%llu values compared\n", (unsigned long long)n);
    assert_true(n > 400000);
}

static void random_networks_over_ranks_are_the_reference(void **state)
{
    uint64_t n = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 200; seed++)
        n += compare(seed, 2 + (uint32_t)seed % 3, "");
    for (uint64_t seed = 1; seed <= 20; seed++)
        for (size_t i = 2; i < N_WAY; i++)
            n += compare(seed, 2 + (uint32_t)seed % 3, ways[i]);
    assert_true(n > 100000);
}

/* --- operations that are left out ----------------------------------------
 */

/* The score without operation k of a section. */
static enum tt_code check_without(const tt_score *s, enum tt_section section,
                                  uint32_t k, tt_err *err)
{
    tt_score copy = *s;
    struct tt_op *op = tt_zalloc(s->n_op, sizeof(*op));
    uint32_t at = s->section[section].first + k;
    enum tt_code rc;

    assert_non_null(op);
    memcpy(op, s->op, at * sizeof(*op));
    memcpy(op + at, s->op + at + 1, (s->n_op - at - 1) * sizeof(*op));
    copy.op = op;
    copy.n_op--;
    copy.section[section].n--;
    for (int i = 0; i < TT_SEC_N; i++)
        if (copy.section[i].first > at)
            copy.section[i].first--;
    rc = tt_score_check(&copy, err);
    tt_free(op);
    return rc;
}

static void no_operation_of_an_event_can_be_left_out(void **state)
{
    uint32_t n = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct en_network w;
        struct stage *st;
        const tt_score *score;

        en_make(&w, seed);
        st = load(&w);
        score = tt_run_score(st->run);
        assert_int_equal(tt_score_check(score, &st->err), TT_OK);
        for (int sec = TT_SEC_EVENT; sec <= TT_SEC_LEAVE; sec++)
            for (uint32_t k = 0; k < score->section[sec].n; k++, n++)
                if (check_without(score, (enum tt_section)sec, k, &st->err) ==
                    TT_OK)
                    fail_msg("network %llu: operation %u of section %d can be "
                             "left out",
                             (unsigned long long)seed, k, sec);
        st_free(st);
    }
    print_message("%u operations left out\n", n);
    assert_true(n > 1000);
}

/* Nor can a transfer, which goes as late as it may, but the one behind
 * everything. */
static uint32_t leave_transfers_out(tt_score *s, tt_err *err)
{
    uint32_t first = s->section[TT_SEC_EVENT].first, n = 0;

    assert_int_equal(tt_score_check(s, err), TT_OK);
    for (uint32_t k = 0; k + 1 < s->section[TT_SEC_EVENT].n; k++) {
        const struct tt_op *op = &s->op[first + k];
        uint32_t was;

        if (op->code != TT_OP_XFER)
            continue;
        was = s->xfer[op->arg].n;
        s->xfer[op->arg].n = 0;
        assert_int_equal(tt_score_check(s, err), TT_ESTATE);
        assert_non_null(strstr(err->msg, " has not got"));
        s->xfer[op->arg].n = was;
        n++;
    }
    return n;
}

static void no_transfer_of_an_event_can_be_left_out(void **state)
{
    static const uint32_t owner[EN_UNITS] = {0, 1, 0, 1, 0, 1, 0};
    uint32_t n = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct en_network w;
        struct stage *st;
        tt_score *split;

        en_make(&w, seed);
        st = load(&w);
        assert_int_equal(
            tt_score_split(&split, tt_run_score(st->run), 2, owner, &st->err),
            TT_OK);
        n += leave_transfers_out(split, &st->err);
        tt_score_free(split);
        st_free(st);
    }
    assert_true(n > 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_networks_are_the_reference),
        cmocka_unit_test(random_networks_without_clocks_are_the_reference),
        cmocka_unit_test(random_networks_over_ranks_are_the_reference),
        cmocka_unit_test(no_operation_of_an_event_can_be_left_out),
        cmocka_unit_test(no_transfer_of_an_event_can_be_left_out),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
