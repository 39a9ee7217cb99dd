/* SPDX-License-Identifier: MIT */
/* Recording by a tape and a scribe: nothing is lost, whatever dies or fills. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "results/test_rows.h"
#include "table/h5.h"

/* --- a process that dies -------------------------------------------------- */

struct desk {
    struct tt_tape *tape;
    tt_scribe *scribe;
};

static struct desk open_desk(const char *const *path, uint32_t n)
{
    const struct tt_files files = {.path = path, .n = n};
    struct desk d = {
        .tape = tt_tape_init(tt_shared_alloc(TT_TAPE_SIZE), TT_TAPE_SIZE)};
    tt_err err = {0};

    assert_non_null(d.tape);
    if (tt_scribe_new(&d.scribe, d.tape, TT_TAPE_SIZE, &files, &err) != TT_OK)
        fail_msg("%s", err.msg);
    return d;
}

static void close_desk(struct desk *d)
{
    tt_scribe_free(d->scribe);
    tt_shared_free(d->tape, TT_TAPE_SIZE);
}

/* Record n rows, then die as from `kill -9`. */
static void play_and_die(struct tt_tape *tape, uint64_t n, double interval)
{
    tt_observer *o = NULL;

    if (tt_record_new(&o, tape, interval, NULL) != TT_OK ||
        tt_observer_begin(o, &just_x, NULL) != TT_OK)
        _exit(1);
    for (uint64_t i = 0; i < n; i++) {
        x = (double)i;
        if (tt_observer_row(o, tt_at((double)i), 1, NULL) != TT_OK)
            _exit(1);
    }
    raise(SIGKILL);
    _exit(1);
}

static uint64_t finish(struct desk *d)
{
    uint64_t rows = 0;
    tt_err err = {0};

    if (tt_scribe_finish(d->scribe, &rows, &err) != TT_OK)
        fail_msg("%s", err.msg);
    return rows;
}

static void expect_rows_of_the_dead(const char *name, uint64_t n)
{
    const char *path = in_folder(name);
    struct desk d = open_desk(&path, 1);
    pid_t pid = fork();

    if (pid == 0)
        play_and_die(d.tape, n, 0);
    tt_scribe_start(d.scribe);
    wait_for(pid, SIGKILL, 0);
    assert_int_equal(finish(&d), n);
    expect_counting_rows(path, n);
    assert_int_equal(finish(&d), n); /* once more changes nothing */
    expect_counting_rows(path, n);
    close_desk(&d);
}

static void no_row_is_lost_when_the_process_is_killed(void **state)
{
    static const char *const name[] = {"dead.csv", "dead.mat", "dead.h5"};

    (void)state;
    for (int i = 0; i < 2 + tt_h5_is_there(); i++) {
        expect_rows_of_the_dead(name[i], 0);
        expect_rows_of_the_dead(name[i], 1);
        expect_rows_of_the_dead(name[i], 37);
        expect_rows_of_the_dead(name[i], 300000); /* more than the tape holds */
    }
}

static void a_process_killed_at_any_moment_leaves_whole_rows(void **state)
{
    (void)state;
    for (unsigned i = 0; i < 20; i++) {
        const char *path = in_folder("killed.csv");
        struct desk d = open_desk(&path, 1);
        uint64_t well_on_its_way = UINT64_C(2000) * (i + 1), rows;
        pid_t pid = fork();

        if (pid == 0)
            play_and_die(d.tape, UINT64_MAX, i % 2 ? 7 : 0);
        tt_scribe_start(d.scribe);
        while (tt_sign_get(&d.tape->ring.filled) < well_on_its_way)
            ;
        kill(pid, SIGKILL);
        wait_for(pid, SIGKILL, 0);
        rows = finish(&d);
        assert_true(rows >= tt_sign_get(&d.tape->ring.filled));
        assert_true(rows <= tt_sign_get(&d.tape->ring.filled) + 1); /* held */
        if (i % 2 == 0)
            expect_counting_rows(path, rows);
        close_desk(&d);
    }
}

static void the_row_that_sampling_held_is_kept_too(void **state)
{
    const char *path = in_folder("held.csv");
    struct desk d = open_desk(&path, 1);
    pid_t pid = fork();

    (void)state;
    if (pid == 0)
        play_and_die(d.tape, 26, 10);
    tt_scribe_start(d.scribe);
    wait_for(pid, SIGKILL, 0);
    assert_int_equal(finish(&d), 4);
    expect_text(path,
                "time,{a}.a.x\n0.0,0.0\n10.0,10.0\n20.0,20.0\n25.0,25.0\n");
    close_desk(&d);
}

static void a_run_that_never_began_makes_no_file(void **state)
{
    const char *path = in_folder("never.csv");
    struct desk d = open_desk(&path, 1);

    (void)state;
    tt_scribe_start(d.scribe);
    assert_int_equal(finish(&d), 0);
    assert_false(tt_file_exists(path));
    close_desk(&d);
}

/* --- memory that was overwritten ------------------------------------------ */

static void expect_overwritten(struct tt_tape *t, size_t size)
{
    struct tt_layout *layout = NULL;
    struct tt_ring_end e;
    tt_err err = {0};

    assert_int_equal(tt_tape_read(t, size, &layout, &e, &err), TT_ECRASH);
    assert_string_equal(err.msg, "the rows waiting for the result file were "
                                 "overwritten in memory");
    assert_null(layout);
}

static void columns_that_were_overwritten_are_noticed(void **state)
{
    size_t size = (size_t)1 << 20;
    struct tt_tape *t = tt_tape_init(tt_zalloc(1, size), size);
    struct tt_tape good;
    struct tt_ring_end e;
    uint32_t bad = 1000, sound;

    (void)state;
    assert_int_equal(tt_tape_lay_out(t, &all, &e, NULL), TT_OK);
    memcpy(&good, t, sizeof(good));
    t->magic++;
    expect_overwritten(t, size);
    memcpy(t, &good, sizeof(good));
    t->n = UINT32_MAX;
    expect_overwritten(t, size);
    memcpy(t, &good, sizeof(good));
    t->n_word = SIZE_MAX;
    expect_overwritten(t, size);
    memcpy(t, &good, sizeof(good));
    t->ring_at = size;
    expect_overwritten(t, size);
    memcpy(t, &good, sizeof(good));
    t->ring_len = size;
    expect_overwritten(t, size);
    memcpy(t, &good, sizeof(good));
    t->record = 8;
    expect_overwritten(t, size);
    memcpy(t, &good, sizeof(good));
    t->record = t->record / 16 * 8; /* columns lie beyond it */
    expect_overwritten(t, size);
    memcpy(t, &good, sizeof(good));
    memcpy(&sound, t->data, sizeof(sound));
    memcpy(t->data, &bad, sizeof(bad)); /* the type of a column */
    expect_overwritten(t, size);
    memcpy(t->data, &sound, sizeof(sound));
    bad = UINT32_MAX;
    memcpy(t->data + 12, &bad, sizeof(bad)); /* where its name is */
    expect_overwritten(t, size);
    tt_free(t);
}

static void a_counter_that_was_overwritten_is_noticed(void **state)
{
    const char *path = in_folder("counter.csv");
    struct desk d = open_desk(&path, 1);
    pid_t pid = fork();
    tt_err err = {0};

    (void)state;
    if (pid == 0) {
        tt_observer *o = NULL;

        if (tt_record_new(&o, d.tape, 0, NULL) != TT_OK ||
            tt_observer_begin(o, &just_x, NULL) != TT_OK)
            _exit(1);
        tt_sign_set(&d.tape->ring.filled, UINT64_MAX / 2);
        raise(SIGKILL);
    }
    tt_scribe_start(d.scribe);
    wait_for(pid, SIGKILL, 0);
    assert_int_equal(tt_scribe_finish(d.scribe, NULL, &err), TT_ECRASH);
    assert_string_equal(err.msg, "the rows waiting for the result file were "
                                 "overwritten in memory");
    close_desk(&d);
}

/* --- bounded memory ------------------------------------------------------- */

static void rows_longer_than_the_tape_are_refused_at_the_start(void **state)
{
    size_t size = sizeof(struct tt_tape) + 256;
    void *memory = tt_zalloc(1, size);
    tt_observer *o = NULL;
    tt_err err = {0};

    (void)state;
    assert_int_equal(tt_record_new(&o, tt_tape_init(memory, size), 0, &err),
                     TT_OK);
    assert_int_equal(tt_observer_begin(o, &all, &err), TT_ENOMEM);
    assert_string_equal(err.msg, "results of 17 columns need 9216 bytes of "
                                 "memory, there are 256");
    assert_int_equal(tt_observer_end(o, &err), TT_OK);
    tt_observer_free(o);
    assert_null(tt_tape_init(memory, sizeof(struct tt_tape)));
    assert_null(tt_tape_init(NULL, size));
    tt_free(memory);
}

#define MANY 1000000u

static void play_to(struct tt_tape *tape)
{
    tt_observer *o = NULL;

    if (tt_record_new(&o, tape, 0, NULL) != TT_OK ||
        tt_observer_begin(o, &just_x, NULL) != TT_OK)
        _exit(1);
    for (uint64_t i = 0; i < MANY; i++) {
        x = (double)i;
        if (tt_observer_row(o, tt_at((double)i), 1, NULL) != TT_OK)
            _exit(2);
    }
    _exit(tt_observer_end(o, NULL) == TT_OK ? 0 : 3);
}

/* The file is a pipe that is not emptied until the tape is full. */
static void a_player_waits_for_a_slow_disk_and_loses_nothing(void **state)
{
    const char *path = in_folder("slow.csv"), *copy = in_folder("copy.csv");
    struct desk d;
    char *bytes_read = tt_alloc(1 << 16);
    struct tt_ring *ring;
    ssize_t got;
    FILE *to;
    pid_t pid;
    int fd;

    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    d = open_desk(&path, 1);
    ring = &d.tape->ring;
    pid = fork();
    if (pid == 0)
        play_to(d.tape);
    tt_scribe_start(d.scribe);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    while (tt_sign_get(&d.tape->player) != TT_TAPE_LAID_OUT ||
           tt_sign_get(&ring->filled) - tt_sign_get(&ring->taken) <
               d.tape->ring_len / d.tape->record)
        ;
    assert_true(tt_sign_get(&ring->filled) < MANY); /* so it waits */
    to = fopen(copy, "wb");
    while ((got = read(fd, bytes_read, 1 << 16)) > 0)
        assert_int_equal(fwrite(bytes_read, 1, (size_t)got, to), got);
    assert_int_equal(fclose(to), 0);
    close(fd);
    wait_for(pid, 0, 0);
    assert_int_equal(finish(&d), MANY);
    expect_counting_rows(copy, MANY);
    close_desk(&d);
    tt_free(bytes_read);
}

static void rows_allocate_nothing(void **state)
{
    tt_observer *o =
        record_to(in_folder("alloc.csv"), 3, TT_CSV_MAESTRO2, &all);
    uint64_t before = tt_mem_count();

    (void)state;
    for (int i = 0; i < 5000; i++)
        row(o, i, 1);
    assert_int_equal(tt_mem_count(), before);
    end(o);
}

/* --- several files -------------------------------------------------------- */

static void several_files_get_the_same_rows(void **state)
{
    const char *const path[] = {in_folder("both.csv"), in_folder("both.mat"),
                                in_folder("both.h5")};
    const struct tt_files files = {.path = path,
                                   .n = 2 + (uint32_t)tt_h5_is_there()};
    tt_observer *o = NULL;

    (void)state;
    assert_int_equal(tt_record_files(&o, &files, 0, NULL), TT_OK);
    assert_int_equal(tt_observer_begin(o, &just_x, NULL), TT_OK);
    for (int i = 0; i < 10000; i++) {
        x = i;
        row(o, i, 1);
    }
    assert_int_equal(tt_record_rows(o), 10000);
    end(o);
    for (uint32_t i = 0; i < files.n; i++)
        expect_counting_rows(path[i], 10000);
}

/* One file is a pipe whose reader goes away; the other gets every row. */
static void a_file_that_breaks_leaves_the_others_whole(void **state)
{
    const char *const path[] = {in_folder("broken.csv"), in_folder("good.csv")};
    const struct tt_files files = {.path = path, .n = 2};
    tt_observer *o = NULL;
    enum tt_code rc = TT_OK;
    tt_err err = {0};
    char words[512];
    uint64_t rows;
    pid_t pid;

    (void)state;
    assert_int_equal(mkfifo(path[0], 0600), 0);
    pid = fork();
    if (pid == 0) {
        int fd = open(path[0], O_RDONLY | O_CLOEXEC);
        char c;

        _exit(fd >= 0 && read(fd, &c, 1) == 1 ? 0 : 1);
    }
    assert_int_equal(tt_record_files(&o, &files, 0, NULL), TT_OK);
    assert_int_equal(tt_observer_begin(o, &just_x, NULL), TT_OK);
    for (int i = 0; rc == TT_OK; i++) {
        x = i;
        rc = tt_observer_row(o, tt_at(i), 1, &err);
    }
    assert_int_equal(rc, TT_EIO);
    snprintf(words, sizeof(words), "cannot write %s: Broken pipe", path[0]);
    assert_int_equal(strncmp(err.msg, words, strlen(words)), 0);
    rows = tt_record_rows(o);
    assert_int_equal(tt_observer_end(o, &err), TT_EIO);
    assert_int_equal(strncmp(err.msg, words, strlen(words)), 0);
    tt_observer_free(o);
    wait_for(pid, 0, 0);
    expect_counting_rows(path[1], rows);
}

/* --- refusals ------------------------------------------------------------- */

static void expect_refusal(const char *const *path, uint32_t n, double interval,
                           const char *words)
{
    const struct tt_files files = {.path = path, .n = n};
    tt_observer *o = NULL;
    tt_err err = {0};

    assert_int_equal(tt_record_files(&o, &files, interval, &err), TT_EINPUT);
    assert_string_equal(err.msg, words);
    assert_null(o);
}

static void bad_options_are_refused(void **state)
{
    static const char *const path[] = {"a.csv", "b.csv", "a.csv"};

    (void)state;
    expect_refusal(path, 1, -1,
                   "the interval between result rows must be a number of "
                   "seconds, 0 or more");
    expect_refusal(path, 3, 0, "the result file 'a.csv' is named twice");
    expect_refusal(path, 0, 0, "0 result files; there may be 16");
    expect_refusal(path, 17, 0, "17 result files; there may be 16");
}

static void expect_no_file(const char *path, const char *words)
{
    const struct tt_files files = {.path = &path, .n = 1};
    tt_observer *o = NULL;
    tt_err err = {0};

    assert_int_equal(tt_record_files(&o, &files, 0, &err), TT_OK);
    assert_int_equal(tt_observer_begin(o, &just_x, &err), TT_EIO);
    assert_string_equal(err.msg, words);
    assert_int_equal(tt_observer_end(o, &err), TT_EIO);
    assert_string_equal(err.msg, words);
    tt_observer_free(o);
}

static void a_folder_that_is_not_there_is_named(void **state)
{
    (void)state;
    expect_no_file("/nonexistent/out.csv", "cannot write /nonexistent/out.csv:"
                                           " No such file or directory");
    expect_no_file("/nonexistent/out.mat", "cannot write /nonexistent/out.mat:"
                                           " No such file or directory");
    if (tt_h5_is_there())
        expect_no_file("/nonexistent/out.h5",
                       "cannot write /nonexistent/out.h5: No such file or "
                       "directory");
}

static void an_observer_freed_early_ends_its_scribe(void **state)
{
    const char *const path = in_folder("early.csv");
    const struct tt_files files = {.path = &path, .n = 1};
    tt_observer *o = NULL;

    (void)state;
    assert_int_equal(tt_record_files(&o, &files, 0, NULL), TT_OK);
    tt_observer_free(o); /* never began */
    assert_false(tt_file_exists(path));
    o = record_to(path, 0, TT_CSV_MAESTRO2, &just_x);
    x = 1;
    row(o, 0, 0);
    tt_observer_free(o); /* never ended */
    expect_text(path, "time,{a}.a.x\n0.0,1.0\n");
}

static enum tt_code record_little(const char *path)
{
    const struct tt_files files = {.path = &path, .n = 1};
    tt_observer *o = NULL;
    enum tt_code rc = tt_record_files(&o, &files, 1, NULL);

    if (rc == TT_OK)
        rc = tt_observer_begin(o, &all, NULL);
    if (rc == TT_OK)
        rc = tt_observer_row(o, tt_at(0), 0, NULL);
    if (rc == TT_OK)
        rc = tt_observer_row(o, tt_at(0.5), 0.5, NULL);
    if (rc == TT_OK)
        rc = tt_observer_end(o, NULL);
    tt_mem_fail_after(0);
    tt_observer_free(o);
    return rc;
}

static void a_failed_allocation_loses_nothing(void **state)
{
    static const char *const name[] = {"nomem.csv", "nomem.mat", "nomem.h5"};

    (void)state;
    for (int i = 0; i < 2 + tt_h5_is_there(); i++) {
        enum tt_code rc = TT_ENOMEM;

        for (uint64_t n = 1; rc != TT_OK; n++) {
            tt_mem_fail_after(n);
            rc = record_little(in_folder(name[i]));
            assert_true(rc == TT_OK || rc == TT_ENOMEM || rc == TT_EIO);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_row_is_lost_when_the_process_is_killed),
        cmocka_unit_test(a_process_killed_at_any_moment_leaves_whole_rows),
        cmocka_unit_test(the_row_that_sampling_held_is_kept_too),
        cmocka_unit_test(a_run_that_never_began_makes_no_file),
        cmocka_unit_test(columns_that_were_overwritten_are_noticed),
        cmocka_unit_test(a_counter_that_was_overwritten_is_noticed),
        cmocka_unit_test(rows_longer_than_the_tape_are_refused_at_the_start),
        cmocka_unit_test(a_player_waits_for_a_slow_disk_and_loses_nothing),
        cmocka_unit_test(rows_allocate_nothing),
        cmocka_unit_test(several_files_get_the_same_rows),
        cmocka_unit_test(a_file_that_breaks_leaves_the_others_whole),
        cmocka_unit_test(bad_options_are_refused),
        cmocka_unit_test(a_folder_that_is_not_there_is_named),
        cmocka_unit_test(an_observer_freed_early_ends_its_scribe),
        cmocka_unit_test(a_failed_allocation_loses_nothing),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
