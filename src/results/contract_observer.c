/* SPDX-License-Identifier: MIT */
#include "results/contract_observer.h"

#include <stdbool.h>
#include <string.h>

#include "base/mem.h"

#define ROWS  29u   /* no multiple of what sampling keeps */
#define STEP  0.125 /* exact, and so are its sums */
#define STATE ((size_t)1 << 24)

static double real;
static int32_t whole;
static bool flag;
static struct tt_text words;

static const struct tt_column column[] = {
    {.name = "{a}.a.real", .unit = "m", .type = TT_F64, .value = &real},
    {.name = "{a}.a.whole", .type = TT_I32, .value = &whole, .discrete = 1},
    {.name = "{a}.a.flag", .type = TT_BOOL, .value = &flag, .discrete = 1},
    {.name = "{a}.a.words", .type = TT_TEXT, .value = &words, .discrete = 1},
};
static const struct tt_rows rows = {column, 4, 0, (ROWS - 1) * STEP};

static void set_values(uint32_t i)
{
    real = 1.0 / (i + 3.0);
    whole = -(int32_t)i * 1000;
    flag = i % 3 == 0;
    TT_ASSERT(tt_text_set(&words, i % 2 ? "odd" : "e\"ve,n") == 0);
}

static enum tt_code put(tt_observer *o, uint32_t from, uint32_t to, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = from; i < to && rc == TT_OK; i++) {
        set_values(i);
        rc = tt_observer_row(o, tt_at(i * STEP), i ? STEP : 0, err);
    }
    return rc;
}

static tt_observer *begun(const struct tt_observer_sample *s,
                          const struct tt_buf *from)
{
    tt_observer *o = NULL;
    tt_err err;

    TT_ASSERT(s->make(s, from, &o, &err) == TT_OK);
    TT_ASSERT(tt_observer_begin(o, &rows, &err) == TT_OK);
    return o;
}

/* --- the clauses ---------------------------------------------------------- */

/* Rows of a run of n, by the words of the contract. */
static uint32_t expected(const struct tt_observer_sample *s, uint32_t n,
                         uint32_t *row)
{
    uint32_t kept = 0;
    double due = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (i * STEP < due && i + 1 < n)
            continue;
        row[kept++] = i;
        while (s->interval > 0 && due <= i * STEP)
            due += s->interval;
    }
    return kept;
}

static void check_kept(const struct tt_observer_sample *s, tt_observer *o,
                       uint32_t n)
{
    uint32_t row[ROWS], kept = expected(s, n, row);
    struct tt_seen seen = {0};

    s->read(s, o, &seen);
    TT_ASSERT(seen.n == kept);
    for (uint32_t i = 0; i < kept; i++) {
        set_values(row[i]);
        TT_ASSERT(seen.t[i] == row[i] * STEP);
        TT_ASSERT(seen.v[i][0] == real && seen.v[i][1] == whole);
        TT_ASSERT(seen.v[i][2] == (double)flag);
    }
}

static void end(const struct tt_observer_sample *s, tt_observer *o, uint32_t n)
{
    tt_err err;

    TT_ASSERT(tt_observer_end(o, &err) == TT_OK);
    check_kept(s, o, n);
    tt_observer_free(o);
}

static void check_rows(const struct tt_observer_sample *s)
{
    for (uint32_t n = 0; n <= ROWS; n++) {
        tt_observer *o = begun(s, NULL);
        tt_err err;

        TT_ASSERT(put(o, 0, n, &err) == TT_OK);
        end(s, o, n);
    }
}

static void save(const tt_observer *o, struct tt_buf *to)
{
    tt_buf_init(to, STATE);
    tt_observer_save(o, to);
    TT_ASSERT(!to->failed);
}

/* One that was saved goes on as ever. */
static void check_saving(const struct tt_observer_sample *s)
{
    tt_observer *o = begun(s, NULL);
    struct tt_buf a, b;
    tt_err err;

    for (uint32_t i = 0; i < ROWS; i++) {
        TT_ASSERT(put(o, i, i + 1, &err) == TT_OK);
        save(o, &a);
        save(o, &b);
        TT_ASSERT(a.len == b.len && (!a.len || !memcmp(a.data, b.data, a.len)));
        tt_buf_fini(&a);
        tt_buf_fini(&b);
    }
    end(s, o, ROWS);
}

static void check_cut_state(const struct tt_observer_sample *s,
                            const struct tt_buf *state,
                            const struct tt_buf *more)
{
    tt_observer *o = begun(s, more);
    tt_err err;

    for (size_t n = 0; n < state->len; n++) {
        err.msg[0] = '\0';
        TT_ASSERT(tt_observer_restore(o, state->data, n, &err) == TT_EINPUT);
        TT_ASSERT(*err.msg);
    }
    TT_ASSERT(tt_observer_end(o, &err) == TT_OK);
    tt_observer_free(o);
}

static void check_continuing(const struct tt_observer_sample *s, uint32_t at)
{
    tt_observer *first = begun(s, NULL), *second;
    struct tt_buf state, more;
    tt_err err;

    TT_ASSERT(put(first, 0, at, &err) == TT_OK);
    save(first, &state);
    tt_buf_init(&more, STATE);
    if (s->mark)
        s->mark(s, first, &more);
    TT_ASSERT(put(first, at, ROWS, &err) == TT_OK); /* rows that are undone */
    TT_ASSERT(tt_observer_end(first, &err) == TT_OK);
    tt_observer_free(first);
    check_cut_state(s, &state, &more);
    second = begun(s, &more);
    TT_ASSERT(tt_observer_restore(second, state.data, state.len, &err) ==
              TT_OK);
    TT_ASSERT(put(second, at, ROWS, &err) == TT_OK);
    end(s, second, ROWS);
    tt_buf_fini(&state);
    tt_buf_fini(&more);
}

/* It may take some rows before it fails, or report it at the end. */
static void check_failing(const struct tt_observer_sample *s)
{
    tt_observer *o = NULL;
    tt_err err = {0}, last = {0};
    enum tt_code rc = s->make_broken(s, &o, &err), ended;

    if (rc == TT_OK) {
        rc = tt_observer_begin(o, &rows, &err);
        if (rc == TT_OK)
            rc = put(o, 0, TT_SEEN_ROWS, &err);
        ended = tt_observer_end(o, &last);
        TT_ASSERT(ended == TT_OK || *last.msg);
        TT_ASSERT(rc != TT_OK || ended != TT_OK);
    }
    TT_ASSERT(rc == TT_OK || *err.msg);
    tt_observer_free(o);
}

static void check_freeing(const struct tt_observer_sample *s)
{
    tt_observer *o = NULL;
    tt_err err;

    TT_ASSERT(s->make(s, NULL, &o, &err) == TT_OK);
    tt_observer_free(o);
    tt_observer_free(begun(s, NULL));
    o = begun(s, NULL);
    TT_ASSERT(put(o, 0, 3, &err) == TT_OK);
    tt_observer_free(o);
}

static enum tt_code play(const struct tt_observer_sample *s, uint64_t starve,
                         tt_err *err)
{
    tt_observer *o = NULL;
    enum tt_code rc, ended = TT_OK;

    tt_mem_fail_after(starve);
    rc = s->make(s, NULL, &o, err);
    if (rc == TT_OK) {
        rc = tt_observer_begin(o, &rows, err);
        if (rc == TT_OK)
            rc = put(o, 0, ROWS, err);
        ended = tt_observer_end(o, rc == TT_OK ? err : NULL);
    }
    tt_mem_fail_after(0);
    tt_observer_free(o);
    return rc == TT_OK ? ended : rc;
}

static void check_starving(const struct tt_observer_sample *s)
{
    uint64_t before = tt_mem_count(), n, failed = 0;
    tt_err err = {0};

    TT_ASSERT(play(s, 0, &err) == TT_OK);
    n = tt_mem_count() - before;
    for (uint64_t i = 1; i <= n; i++) {
        enum tt_code rc;

        err.msg[0] = '\0';
        rc = play(s, i, &err);
        TT_ASSERT(rc == TT_OK || *err.msg);
        failed += rc != TT_OK;
    }
    TT_ASSERT(failed > 0);
}

void tt_observer_contract(const struct tt_observer_sample *s)
{
    check_rows(s);
    check_saving(s);
    for (uint32_t at = 0; at <= ROWS; at += 4)
        check_continuing(s, at);
    check_failing(s);
    check_freeing(s);
    check_starving(s);
}
