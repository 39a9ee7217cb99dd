/* SPDX-License-Identifier: MIT */
/* Runs of several ranks: rows are those of one, and so is what is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include <math.h>

#include "base/hash.h"
#include "base/mem.h"
#include "plan/crowd.h"
#include "player/local_ranks.h"
#include "run/testing.h"
#include "score/ranks.h"

#define RANKS 4

struct band {
    tt_local_ranks *ranks;
    struct stage *at[RANKS];
    enum tt_code rc[RANKS];
    const char *json;
    const double *cost;
};

static void play_rank(void *ctx, uint32_t rank)
{
    struct band *b = ctx;

    b->at[rank]->opts.link = tt_local_ranks_link(b->ranks, rank);
    b->at[rank]->opts.cost = b->cost;
    b->rc[rank] = st_play(b->at[rank], b->json);
}

static void together(struct band *b, uint32_t n)
{
    b->ranks = tt_local_ranks_new(n);
    tt_local_ranks_play(b->ranks, play_rank, b);
    tt_local_ranks_free(b->ranks);
}

static void stages(struct band *b, uint32_t n, const struct tt_mock_spec *i)
{
    for (uint32_t r = 0; r < n; r++)
        b->at[r] = st_new();
    tt_mock_register("i", i);
    tt_mock_register("g", &tt_mock_gain);
}

static void dismiss(struct band *b, uint32_t n)
{
    for (uint32_t r = 0; r < n; r++)
        st_free(b->at[r]);
}

static void same_rows(const struct stage *a, const struct stage *b)
{
    assert_true(a->n_row > 1);
    assert_int_equal(a->n_row, b->n_row);
    assert_memory_equal(a->row_t, b->row_t, sizeof(a->row_t));
    assert_memory_equal(a->row_v, b->row_v, sizeof(a->row_v));
}

/* One plays, then n do: rows, words and counts are the same. */
static void compare(const char *json, const struct tt_mock_spec *spec,
                    enum tt_code want)
{
    struct stage *alone = st_new();

    tt_mock_register("i", spec);
    tt_mock_register("g", &tt_mock_gain);
    assert_int_equal(st_play(alone, json), want);
    for (uint32_t n = 2; n <= RANKS; n++) {
        struct band b = {.json = json};

        stages(&b, n, spec);
        together(&b, n);
        same_rows(alone, b.at[0]);
        for (uint32_t r = 0; r < n; r++) {
            assert_int_equal(b.rc[r], want);
            if (want != TT_OK)
                assert_string_equal(b.at[r]->err.msg, alone->err.msg);
            assert_string_equal(tt_run_sentence(b.at[r]->run),
                                tt_run_sentence(alone->run));
            assert_int_equal(tt_run_step_account(b.at[r]->run).rejected,
                             tt_run_step_account(alone->run).rejected);
            /* when one fails, others may have stepped at the same time */
            for (uint32_t u = 0; u < tt_run_units(alone->run) && want == TT_OK;
                 u++)
                assert_int_equal(tt_run_unit(b.at[r]->run, u).steps,
                                 tt_run_unit(alone->run, u).steps);
        }
        dismiss(&b, n);
    }
    st_free(alone);
}

/* y' = u and u = -25 y, inputs held over 0.1 s: y_(n+1) = -1.5 y_n. The one
 * that has the unit, the same growth is found. */
static void growth_is_found_alike(void **state)
{
    static const char json[] =
        "{\"fmus\": {\"{i}\": \"i\", \"{g}\": \"g\"}, \"connections\": "
        "{\"{i}.i.y\": [\"{g}.g.u\"], \"{g}.g.y\": [\"{i}.i.u\"]}, "
        "\"parameters\": {\"{i}.i.y0\": 1, \"{g}.g.k\": -25}, " ST_FIXED
        ", \"endTime\": 4}";
    struct stage *alone = st_new();
    struct tt_run_growth want;
    struct band b = {.json = json};

    (void)state;
    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    assert_int_equal(st_play(alone, json), TT_OK);
    want = tt_run_growth(alone->run);
    assert_int_equal(want.cause, TT_GROWTH_COUPLING);
    assert_true(fabs(want.factor - 1.5) < 1e-9);
    stages(&b, 2, &tt_mock_integrator);
    together(&b, 2);
    for (uint32_t r = 0; r < 2; r++) {
        struct tt_run_growth got = tt_run_growth(b.at[r]->run);

        assert_int_equal(got.cause, want.cause);
        assert_int_equal(got.slot, want.slot);
        assert_int_equal(got.step, want.step);
        assert_true(got.factor == want.factor && got.since == want.since);
    }
    assert_non_null(strstr(b.at[0]->logged.data,
                           "grows by a factor of 1.5 per step since t=0.1"));
    dismiss(&b, 2);
    st_free(alone);
}

static void every_master_is_the_same(void **state)
{
    static const char *const json[] = {
        ST_RINGS(ST_FIXED),
        ST_RINGS(ST_FIXED ", \"master\": \"gauss-seidel\""),
        ST_RINGS(ST_FIXED ", \"approximation\": \"linear\""),
        ST_RINGS(ST_FIXED ", \"iterate\": 3"),
        ST_RINGS(ST_FIXED ", \"iterate\": \"converged\", \"acceleration\": "
                          "\"newton\""),
        ST_RINGS(ST_FIXED ", \"iterate\": \"converged\", \"acceleration\": "
                          "\"anderson\", \"approximation\": \"linear\""),
        ST_RINGS(ST_FIXED ", \"rates\": {\"{i}.a\": 4}"),
        ST_RINGS(ST_FIXED ", \"quanta\": 0.05"),
        ST_RINGS(ST_VARIABLE),
        ST_RINGS(ST_VARIABLE
                 ", \"master\": \"gauss-seidel\", \"approximation\": "
                 "\"quadratic\""),
    };

    (void)state;
    for (size_t i = 0; i < sizeof(json) / sizeof(*json); i++)
        compare(json[i], &tt_mock_integrator, TT_OK);
}

/* An integrator that does something at a step. */
static struct tt_mock_spec with_cue(const struct tt_mock_cue *cue)
{
    struct tt_mock_spec s = tt_mock_integrator;

    s.cue = cue;
    s.n_cue = 1;
    return s;
}

static void what_fails_is_reported_by_all(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .nth = 5, .act = TT_MOCK_ERROR, .text = "broke"},
        {.at = TT_MOCK_GET, .nth = 9, .act = TT_MOCK_ERROR, .text = "mute"},
        {.at = TT_MOCK_GET, .nth = 6, .act = TT_MOCK_NAN},
        {.at = TT_MOCK_STEP, .nth = 5, .act = TT_MOCK_REJECT, .value = 0.45},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cue) / sizeof(*cue); i++) {
        struct tt_mock_spec s = with_cue(&cue[i]);

        s.caps.save = 0; /* else a rejected step would be rolled back */
        compare(ST_RINGS(ST_FIXED), &s, TT_EUNIT);
        compare(ST_RINGS(ST_FIXED ", \"master\": \"gauss-seidel\""), &s,
                TT_EUNIT);
    }
}

static void a_start_that_fails_fails_for_all(void **state)
{
    static const enum tt_mock_verb at[] = {TT_MOCK_MAKE, TT_MOCK_ENTER_INIT,
                                           TT_MOCK_EXIT_INIT, TT_MOCK_PREPARE};

    (void)state;
    for (size_t i = 0; i < sizeof(at) / sizeof(*at); i++) {
        const struct tt_mock_cue cue = {
            .at = at[i], .nth = 1, .act = TT_MOCK_ERROR, .text = "will not"};
        const struct tt_mock_spec s = with_cue(&cue);
        struct band b = {.json = ST_RINGS(ST_FIXED)};

        stages(&b, 3, &s);
        together(&b, 3);
        for (uint32_t r = 0; r < 3; r++) {
            assert_int_equal(b.rc[r], TT_EUNIT);
            assert_non_null(strstr(b.at[r]->err.msg, "will not"));
            assert_string_equal(b.at[r]->err.msg, b.at[0]->err.msg);
        }
        dismiss(&b, 3);
    }
}

static void outcomes_are_everyones(void **state)
{
    static const struct tt_mock_cue cue[] = {
        {.at = TT_MOCK_STEP, .nth = 5, .act = TT_MOCK_EARLY, .value = 0.43},
        {.at = TT_MOCK_STEP, .nth = 5, .act = TT_MOCK_TERMINATE},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cue) / sizeof(*cue); i++) {
        struct tt_mock_spec s = with_cue(&cue[i]);

        compare(ST_RINGS(ST_VARIABLE), &s, TT_OK);
        s.caps.save = 0; /* else an early return would be rolled back */
        compare(ST_RINGS(ST_FIXED), &s, TT_OK);
        compare(ST_RINGS(ST_FIXED ", \"master\": \"gauss-seidel\""), &s, TT_OK);
    }
}

/* --- crowds --------------------------------------------------------------- */

struct seen {
    tt_observer observer;
    const struct tt_rows *rows;
    uint64_t hash;
    uint32_t n_row;
};

static enum tt_code seen_begin(tt_observer *o, const struct tt_rows *r,
                               tt_err *err)
{
    (void)err;
    ((struct seen *)(void *)o)->rows = r;
    return TT_OK;
}

static enum tt_code seen_row(tt_observer *o, struct tt_instant at, double h,
                             tt_err *err)
{
    struct seen *a = (struct seen *)(void *)o;

    (void)err;
    (void)h;
    a->hash = tt_hash(a->hash, &at.t, sizeof(at.t));
    for (uint32_t i = 0; i < a->rows->n; i++)
        a->hash = tt_hash(a->hash, a->rows->column[i].value,
                          tt_type_size(a->rows->column[i].type));
    a->n_row++;
    return TT_OK;
}

static const struct tt_observer_ops seen_ops = {.begin = seen_begin,
                                                .row = seen_row,
                                                .end = st_observer_end,
                                                .free = st_observer_free};

struct crowded {
    struct tt_crowd crowd;
    tt_local_ranks *ranks; /* NULL: alone */
    struct seen seen[RANKS];
    enum tt_code rc[RANKS];
};

static void play_crowd(void *ctx, uint32_t rank)
{
    struct crowded *c = ctx;
    tt_observer *const observer[] = {&c->seen[rank].observer};
    const struct tt_run_opts o = {
        .observer = observer,
        .n_observer = rank == 0,
        .kind_cb = st_kind_of_mocks,
        .link = c->ranks ? tt_local_ranks_link(c->ranks, rank) : NULL};
    tt_run *run = NULL;
    tt_err err;

    c->seen[rank].hash = TT_HASH_START;
    c->seen[rank].n_row = 0;
    c->seen[rank].observer.ops = &seen_ops;
    c->rc[rank] = tt_run_new(&run, &c->crowd.scenario, &o, &err);
    if (c->rc[rank] == TT_OK)
        c->rc[rank] = tt_run_perform(run, &err);
    tt_run_free(run);
}

static int same_crowd(uint64_t seed)
{
    const struct tt_crowd_opts o = {.seed = seed,
                                    .n_type = 1 + (uint32_t)seed % 4,
                                    .n_unit = 2 + (uint32_t)seed % 9,
                                    .n_in = 1 + (uint32_t)(seed / 2) % 3,
                                    .n_out = 1 + (uint32_t)(seed / 3) % 3,
                                    .through = 30,
                                    .unknown = (uint32_t)(seed / 5) % 3 * 15,
                                    .standard = (uint32_t)(seed / 7) % 3 * 50,
                                    .connected = 50 + (uint32_t)seed % 50,
                                    .recorded = 50,
                                    .fast = (uint32_t)(seed / 17) % 2 * 60,
                                    .gauss_seidel = seed % 2 == 0,
                                    .end = 2};
    uint32_t n = 2 + (uint32_t)seed % (RANKS - 1);
    struct crowded c = {.ranks = NULL};
    uint64_t hash;
    uint32_t rows;

    tt_crowd_init(&c.crowd, &o);
    tt_crowd_register(&c.crowd);
    play_crowd(&c, 0);
    hash = c.seen[0].hash;
    rows = c.seen[0].n_row;
    if (c.rc[0] == TT_OK) {
        c.ranks = tt_local_ranks_new(n);
        tt_local_ranks_play(c.ranks, play_crowd, &c);
        tt_local_ranks_free(c.ranks);
        assert_int_equal(c.rc[0], TT_OK);
        assert_int_equal(c.seen[0].n_row, rows);
        if (c.seen[0].hash != hash)
            fail_msg("seed %d: other values", (int)seed);
    }
    tt_mock_register(NULL, NULL);
    tt_crowd_fini(&c.crowd);
    return rows > 1;
}

static void random_crowds_are_the_same(void **state)
{
    int n = 0;

    (void)state;
    for (uint64_t seed = 1; seed <= 300; seed++)
        n += same_crowd(seed);
    print_message("%d runs\n", n);
    assert_true(n > 150);
}

/* --- stopping ------------------------------------------------------------- */

static void a_wish_to_stop_reaches_all(void **state)
{
    struct band b = {.json = ST_RINGS(ST_FIXED)};

    (void)state;
    stages(&b, 3, &tt_mock_integrator);
    b.at[0]->stop_at = 0.5;
    together(&b, 3);
    for (uint32_t r = 0; r < 3; r++) {
        assert_int_equal(b.rc[r], TT_OK);
        assert_int_equal(tt_run_why(b.at[r]->run), TT_RUN_STOPPED);
        assert_string_equal(tt_run_sentence(b.at[r]->run),
                            "stopped: 6 steps to t=0.6 s");
    }
    dismiss(&b, 3);
}

/* --- dealing out ---------------------------------------------------------- */

static void costs_decide_who_has_what(void **state)
{
    /* a, b, c, d as the scenario lists units */
    static const double heavy[] = {10, 1, 1, 1};
    struct stage *st = st_new();
    const tt_plan *p;
    uint32_t owner[4];
    tt_err err;

    (void)state;
    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    assert_int_equal(st_load(st, ST_RINGS(ST_FIXED)), TT_OK);
    p = tt_run_plan(st->run);
    assert_int_equal(tt_ranks_assign(p, 2, NULL, owner, &err), TT_OK);
    /* a ring stays together */
    for (uint32_t f = 0; f < p->n_feed; f++)
        assert_int_equal(owner[p->slot[p->feed[f].from].unit],
                         owner[p->slot[p->feed[f].to].unit]);
    assert_int_not_equal(owner[p->slot[p->feed[0].to].unit],
                         owner[p->slot[p->feed[p->n_feed - 1].to].unit]);
    assert_int_equal(tt_ranks_assign(p, 2, heavy, owner, &err), TT_OK);
    for (uint32_t u = 1; u < 4; u++)
        assert_int_not_equal(owner[u], owner[0]);
    st_free(st);
}

static void what_has_not_arrived_is_not_read(void **state)
{
    static const uint32_t owner[] = {0, 1, 0, 1};
    struct stage *st = st_new();
    tt_score *split;
    uint32_t n = 0;
    tt_err err;

    (void)state;
    tt_mock_register("i", &tt_mock_integrator);
    tt_mock_register("g", &tt_mock_gain);
    assert_int_equal(st_load(st, ST_RINGS(ST_FIXED)), TT_OK);
    assert_int_equal(
        tt_score_split(&split, tt_run_score(st->run), 2, owner, &err), TT_OK);
    for (uint32_t i = 0; i < split->n_xfer; i++) {
        struct tt_xfer was = split->xfer[i];

        split->xfer[i].n = 0; /* nothing is sent */
        n += tt_score_check(split, &err) != TT_OK;
        split->xfer[i] = was;
    }
    assert_true(n > 0);
    assert_non_null(strstr(err.msg, "its rank has not got: {"));
    split->message[0].to = 2;
    assert_int_equal(tt_score_check(split, &err), TT_ESTATE);
    assert_non_null(strstr(err.msg, "there is no such transfer"));
    tt_score_free(split);
    st_free(st);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(growth_is_found_alike),
        cmocka_unit_test(every_master_is_the_same),
        cmocka_unit_test(what_fails_is_reported_by_all),
        cmocka_unit_test(a_start_that_fails_fails_for_all),
        cmocka_unit_test(outcomes_are_everyones),
        cmocka_unit_test(random_crowds_are_the_same),
        cmocka_unit_test(a_wish_to_stop_reaches_all),
        cmocka_unit_test(costs_decide_who_has_what),
        cmocka_unit_test(what_has_not_arrived_is_not_read),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
