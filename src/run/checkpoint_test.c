/* SPDX-License-Identifier: MIT */
/* A checkpoint in the middle of an instant: between any two microsteps. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/hash.h"
#include "base/mem.h"
#include "run/testing.h"

/* A source counts five times at an instant, a microstep each, and relays
 * follow. */
enum { IN, OUT };
static const struct tt_mock_port port[] = {
    {.name = "in", .type = TT_I32, .causality = TT_CAUS_INPUT},
    {.name = "out", .type = TT_I32, .causality = TT_CAUS_OUTPUT, .deps = ""}};

static volatile int wanted; /* a checkpoint */
static int updates, want_at;

static void count(const struct tt_mock_view *v, struct tt_event_result *r)
{
    int32_t *out = v->value[OUT];

    r->again = ++*out % 5 != 0;
    if (++updates == want_at)
        wanted = 1;
}

static void follow(const struct tt_mock_view *v, struct tt_event_result *r)
{
    (void)r;
    *(int32_t *)v->value[OUT] = 10 * *(const int32_t *)v->value[IN];
}

#define UNIT(handler, cues, n)                                                 \
    {                                                                          \
        .model = "unit", .port = port, .n_port = 2,                            \
        .caps = {.evaluates = TT_EVAL_EVENT,                                   \
                 .save = 1,                                                    \
                 .serialise = 1,                                               \
                 .variable_step = 1,                                           \
                 .event_mode = 1,                                              \
                 .early_return = 1},                                           \
        .behaviour = {.event = (handler)}, .cue = (cues), .n_cue = (n)         \
    }

/* In the middle of a step, at the end of one, and at the end of the run. */
static const struct tt_mock_cue cue[] = {
    {.at = TT_MOCK_STEP, .time = 0.5, .act = TT_MOCK_EVENT},
    {.at = TT_MOCK_STEP, .time = 1.5, .act = TT_MOCK_EVENT},
    {.at = TT_MOCK_STEP, .time = 3, .act = TT_MOCK_EVENT}};
static const struct tt_mock_spec source = UNIT(count, cue, 3);
static const struct tt_mock_spec relay = UNIT(follow, NULL, 0);

#define CHAIN(more)                                                            \
    "{\"fmus\": {\"{s}\": \"s\", \"{r}\": \"r\"}, \"connections\": "           \
    "{\"{s}.s.out\": [\"{r}.a.in\"], \"{r}.a.out\": [\"{r}.b.in\"]}, "         \
    "\"record\": [\"{s}.s.out\", \"{r}.a.out\", \"{r}.b.out\"], "              \
    "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 1}, \"endTime\": "    \
    "3" more "}"

struct kept {
    struct tt_bytes bytes;
    const struct stage *of;
    uint32_t rows; /* shown so far */
};

static enum tt_code keep(void *ctx, const struct tt_bytes *state, tt_err *err)
{
    struct kept *k = ctx;

    (void)err;
    tt_free(k->bytes.data);
    k->bytes = (struct tt_bytes){tt_alloc(state->n), state->n};
    assert_non_null(k->bytes.data);
    memcpy(k->bytes.data, state->data, state->n);
    k->rows = k->of->n_row;
    return TT_OK;
}

static struct stage *stage_of(int microsteps)
{
    struct stage *st = st_new();

    tt_mock_register("s", &source);
    tt_mock_register("r", &relay);
    st->opts.microsteps = microsteps;
    updates = want_at = wanted = 0;
    return st;
}

static void played(struct stage *st, const char *json)
{
    if (st_play(st, json) != TT_OK)
        fail_msg("%s", st->err.msg);
}

/* A run that makes a checkpoint after the k-th microstep; what follows it is
 * what a run shows that goes on from there. Returns whether there was one. */
static int resumed(const char *json, int microsteps, int k)
{
    struct stage *whole = stage_of(microsteps), *rest;
    struct kept kept = {.of = whole};
    struct tt_run_checkpoint c = {
        .wanted = &wanted, .take_cb = keep, .ctx = &kept};
    int there;

    whole->opts.checkpoint = &c;
    want_at = k;
    played(whole, json);
    there = kept.bytes.data != NULL;
    if (there && microsteps && k % 5) { /* it is in the middle */
        assert_int_equal(whole->row_n[kept.rows - 1], k % 5);
        assert_int_equal(whole->row_n[kept.rows], k % 5 + 1);
    }
    rest = stage_of(microsteps);
    rest->opts.resume = &kept.bytes;
    if (there) {
        played(rest, json);
        assert_int_equal(rest->n_row, whole->n_row - kept.rows);
    }
    for (uint32_t i = 0; there && i < rest->n_row; i++) {
        uint32_t j = kept.rows + i;

        assert_true(rest->row_t[i] == whole->row_t[j]);
        assert_int_equal(rest->row_n[i], whole->row_n[j]);
        assert_memory_equal(rest->row_v[i], whole->row_v[j],
                            sizeof(rest->row_v[i]));
    }
    st_free(whole);
    st_free(rest);
    tt_free(kept.bytes.data);
    return there;
}

static void wherever_it_is_made_the_run_goes_on(void **state)
{
    static const char *const json[] = {CHAIN(""), CHAIN(", \"rollback\": true"),
                                       CHAIN(", \"threads\": 2")};
    int n = 0;

    (void)state;
    for (size_t i = 0; i < sizeof(json) / sizeof(*json); i++)
        for (int microsteps = 0; microsteps < 2; microsteps++)
            for (int k = 1; k <= 15; k++)
                n += resumed(json[i], microsteps, k);
    assert_int_equal(n, 3 * 2 * 15);
}

/* In one of a single rank: a piece behind two counts, which begins with its
 * magic and its format, and ends with its sum. */
enum { PIECE = sizeof(uint32_t) + sizeof(uint64_t), FORMAT = PIECE + 8 };

static void date_back(const struct tt_bytes *b)
{
    char *at = b->data;
    uint32_t format;
    uint64_t n, sum;

    memcpy(&n, at + sizeof(uint32_t), sizeof(n));
    memcpy(&format, at + FORMAT, sizeof(format));
    assert_int_equal(format, 4);
    format--;
    memcpy(at + FORMAT, &format, sizeof(format));
    n -= sizeof(sum);
    sum = tt_hash(TT_HASH_START, at + PIECE, (size_t)n);
    memcpy(at + PIECE + n, &sum, sizeof(sum));
}

/* States of some kinds had another form in it, of the same size. */
static void an_older_format_is_refused(void **state)
{
    struct stage *whole = stage_of(0), *rest = stage_of(0);
    struct kept kept = {.of = whole};
    struct tt_run_checkpoint c = {
        .wanted = &wanted, .take_cb = keep, .ctx = &kept};

    (void)state;
    whole->opts.checkpoint = &c;
    want_at = 1;
    played(whole, CHAIN(""));
    date_back(&kept.bytes);
    rest->opts.resume = &kept.bytes;
    assert_int_equal(st_play(rest, CHAIN("")), TT_EINPUT);
    assert_string_equal(rest->err.msg, "resuming: the saved state is of format "
                                       "3, and this is for format 4");
    st_free(whole);
    st_free(rest);
    tt_free(kept.bytes.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wherever_it_is_made_the_run_goes_on),
        cmocka_unit_test(an_older_format_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
