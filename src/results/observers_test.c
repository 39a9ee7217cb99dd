/* SPDX-License-Identifier: MIT */
/* The contract of observers, kept by recording in every format, with and
 * without sampling, and by the curves. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
#include <cmocka.h>

#include "results/contract_observer.h"
#include "results/curves.h"
#include "results/test_rows.h"
#include "sys/shared.h"
#include "table/h5.h"

/* --- recording ------------------------------------------------------------ */

static struct desk { /* one recording at a time, its files beside it */
    struct tt_tape *tape;
    tt_scribe *scribe;
    const char *path;
} desk;

static void clear_desk(void)
{
    tt_scribe_free(desk.scribe);
    tt_shared_free(desk.tape, TT_TAPE_SIZE);
    desk = (struct desk){.path = desk.path};
}

static enum tt_code record_at(const char *path, double interval,
                              const struct tt_buf *from, tt_observer **out,
                              tt_err *err)
{
    struct tt_files files = {.path = &path, .n = 1};
    enum tt_code rc;

    clear_desk();
    if (from && from->len) {
        files.from = from->data;
        files.n_from = from->len;
    }
    desk.tape = tt_tape_init(tt_shared_alloc(TT_TAPE_SIZE), TT_TAPE_SIZE);
    rc = tt_scribe_new(&desk.scribe, desk.tape, TT_TAPE_SIZE, &files, err);
    if (rc != TT_OK)
        return rc;
    tt_scribe_start(desk.scribe);
    return tt_record_new(out, desk.tape, interval, err);
}

static enum tt_code make_record(const struct tt_observer_sample *s,
                                const struct tt_buf *from, tt_observer **out,
                                tt_err *err)
{
    return record_at(desk.path, s->interval, from, out, err);
}

/* A file that takes no byte, or a folder that is not there. */
static enum tt_code make_broken_record(const struct tt_observer_sample *s,
                                       tt_observer **out, tt_err *err)
{
    return record_at(s->ctx, s->interval, NULL, out, err);
}

static void mark_record(const struct tt_observer_sample *s, tt_observer *o,
                        struct tt_buf *to)
{
    uint64_t mark;
    tt_err err;

    (void)s;
    assert_int_equal(tt_record_mark(o, &mark, &err), TT_OK);
    assert_int_equal(tt_scribe_position(desk.scribe, mark, to, &err), TT_OK);
}

static void read_record(const struct tt_observer_sample *s, tt_observer *o,
                        struct tt_seen *out)
{
    tt_table *t;

    (void)s;
    /* An HDF5 file is read by a copy of this process, which is not to be made
     * while a thread ends: a sanitizer's locks would stay locked in it. */
    assert_int_equal(tt_scribe_finish(desk.scribe, NULL, NULL), TT_OK);
    t = load(desk.path);
    out->n = tt_table_rows(t);
    assert_int_equal(out->n, tt_record_rows(o));
    for (uint64_t i = 0; i < out->n; i++) {
        out->t[i] = tt_table_time(t)[i];
        for (uint32_t c = 0; c < TT_SEEN_COLUMNS; c++)
            out->v[i][c] = tt_table_values(t, c)[i];
    }
    tt_table_free(t);
}

static void record_keeps_to_it(const char *name, double interval, char *broken)
{
    const struct tt_observer_sample sample = {.name = name,
                                              .interval = interval,
                                              .make = make_record,
                                              .make_broken = make_broken_record,
                                              .mark = mark_record,
                                              .read = read_record,
                                              .ctx = broken};

    desk.path = in_folder(name);
    tt_observer_contract(&sample);
    clear_desk();
}

static void recording_keeps_to_the_contract(void **state)
{
    static char full[] = "/dev/full", gone[] = "/dev/null/there.mat",
                h5[] = "/dev/null/there.h5";

    (void)state;
    for (int sampled = 0; sampled < 2; sampled++) {
        record_keeps_to_it("a.csv", 0.3125 * sampled, full);
        record_keeps_to_it("a.mat", 0.3125 * sampled, gone);
        if (tt_h5_is_there())
            record_keeps_to_it("a.h5", 0.3125 * sampled, h5);
    }
}

/* --- curves --------------------------------------------------------------- */

static enum tt_code make_curves(const struct tt_observer_sample *s,
                                const struct tt_buf *from, tt_observer **out,
                                tt_err *err)
{
    tt_curves *c = NULL;
    enum tt_code rc = tt_curves_new(&c, 0, err);

    (void)s;
    (void)from;
    if (rc == TT_OK)
        *out = tt_curves_observer(c);
    return rc;
}

/* Curves fail for want of memory only. */
static enum tt_code make_broken_curves(const struct tt_observer_sample *s,
                                       tt_observer **out, tt_err *err)
{
    enum tt_code rc;

    tt_mem_fail_after(1);
    rc = make_curves(s, NULL, out, err);
    tt_mem_fail_after(0);
    return rc;
}

static void read_curves(const struct tt_observer_sample *s, tt_observer *o,
                        struct tt_seen *out)
{
    tt_curves *c = (tt_curves *)(void *)o;
    double v[TT_SEEN_ROWS];

    (void)s;
    out->n = tt_curves_points(c);
    tt_curves_get_times(c, out->t);
    for (uint32_t k = 0; k < TT_SEEN_COLUMNS; k++) {
        tt_curves_get_values(c, k, v);
        for (uint64_t i = 0; i < out->n; i++)
            out->v[i][k] = v[i];
    }
}

static void curves_keep_to_the_contract(void **state)
{
    const struct tt_observer_sample sample = {.name = "curves",
                                              .make = make_curves,
                                              .make_broken = make_broken_curves,
                                              .read = read_curves};

    (void)state;
    tt_observer_contract(&sample);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recording_keeps_to_the_contract),
        cmocka_unit_test(curves_keep_to_the_contract),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
