/* SPDX-License-Identifier: MIT */
/* Result files that are continued after a checkpoint are those of a run that
 * was not interrupted, byte for byte, whenever it was killed. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cmocka.h>

#include "results/test_rows.h"
#include "results/curves.h"
#include "sys/shared.h"
#include "table/h5.h"

#define ROWS  UINT64_C(12000) /* three chunks of an HDF5 file, not whole */
#define KILLS 100u            /* or TUTTI_KILLS */

/* --- a run ---------------------------------------------------------------- */

/* Files of all formats, or of one. */
struct set {
    const char *path[4];
    uint32_t n;
    double sample;
    enum tt_csv_dialect dialect;
    const struct tt_rows *rows;
};

static struct set set_of(const char *name, double sample)
{
    static const char *const ending[] = {"csv", "mat", "h5"};
    struct set s = {.sample = sample, .rows = &all};
    static char path[4][3][4200];
    static unsigned turn;
    unsigned k = turn++ % 4;

    for (; s.n < 2u + (tt_h5_is_there() ? 1u : 0u); s.n++) {
        (void)snprintf(path[k][s.n], sizeof(path[0][0]), "%s/%s.%s", folder,
                       name, ending[s.n]);
        s.path[s.n] = path[k][s.n];
    }
    return s;
}

/* What a checkpoint file would have. */
struct checkpoint {
    uint64_t row; /* the next one */
    struct tt_buf state, positions;
};

static void checkpoint_init(struct checkpoint *c)
{
    *c = (struct checkpoint){0};
    tt_buf_init(&c->state, (size_t)1 << 24);
    tt_buf_init(&c->positions, (size_t)1 << 28);
}

static void checkpoint_fini(struct checkpoint *c)
{
    tt_buf_fini(&c->state);
    tt_buf_fini(&c->positions);
}

static enum tt_code write_checkpoint(const struct checkpoint *c,
                                     const char *path)
{
    const uint64_t head[3] = {c->row, c->state.len, c->positions.len};
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, (size_t)1 << 29);
    tt_buf_add(&b, head, sizeof(head));
    tt_buf_add(&b, c->state.data, c->state.len);
    tt_buf_add(&b, c->positions.data, c->positions.len);
    rc = b.failed ? TT_ENOMEM : tt_file_write(path, b.data, b.len, NULL);
    tt_buf_fini(&b);
    return rc;
}

static int read_checkpoint(struct checkpoint *c, const char *path)
{
    struct tt_buf b;
    uint64_t head[3];

    checkpoint_init(c);
    if (!tt_file_exists(path))
        return 0;
    tt_buf_init(&b, (size_t)1 << 29);
    assert_int_equal(tt_file_read(&b, path, NULL), TT_OK);
    memcpy(head, b.data, sizeof(head));
    c->row = head[0];
    tt_buf_add(&c->state, b.data + sizeof(head), (size_t)head[1]);
    tt_buf_add(&c->positions, b.data + sizeof(head) + head[1], (size_t)head[2]);
    tt_buf_fini(&b);
    return 1;
}

static struct tt_files files_of(const struct set *s, const struct checkpoint *c)
{
    struct tt_files f = {.path = s->path, .n = s->n, .dialect = s->dialect};

    if (c && c->row) {
        f.from = c->positions.data;
        f.n_from = c->positions.len;
    }
    return f;
}

struct desk {
    struct tt_tape *tape;
    tt_scribe *scribe;
    tt_observer *o;
};

static enum tt_code open_desk(struct desk *d, const struct set *s,
                              const struct checkpoint *c, tt_err *err)
{
    struct tt_files files = files_of(s, c);
    enum tt_code rc;

    *d = (struct desk){
        .tape = tt_tape_init(tt_shared_alloc(TT_TAPE_SIZE), TT_TAPE_SIZE)};
    rc = tt_scribe_new(&d->scribe, d->tape, TT_TAPE_SIZE, &files, err);
    return rc == TT_OK ? tt_record_new(&d->o, d->tape, s->sample, err) : rc;
}

static enum tt_code begin_desk(struct desk *d, const struct set *s,
                               const struct checkpoint *c, tt_err *err)
{
    enum tt_code rc = tt_observer_begin(d->o, s->rows, err);

    if (rc == TT_OK && c && c->row)
        rc = tt_observer_restore(d->o, c->state.data, c->state.len, err);
    return rc;
}

static void close_desk(struct desk *d)
{
    tt_observer_free(d->o);
    tt_scribe_free(d->scribe);
    tt_shared_free(d->tape, TT_TAPE_SIZE);
}

/* The values of a row; texts and binaries repeat after a while. */
static void set_row(uint64_t i)
{
    char word[32] = {0};

    f64 = any_double(i);
    x = f64;
    f32 = (float)i * 0.5f;
    u16 = (uint16_t)i;
    i64 = -(int64_t)i;
    yes = i % 3 == 0;
    (void)snprintf(word, sizeof(word), "%s%" PRIu64, i % 5 ? "a,\"" : "\n",
                   i % 97);
    assert_int_equal(tt_text_set(&text, word), 0);
    tt_bytes_set(&bytes, word, i % 11);
}

static enum tt_code put_row(const struct desk *d, uint64_t i, tt_err *err)
{
    set_row(i);
    return tt_observer_row(d->o, tt_at(0.1 * (double)i), i ? 0.1 : 0, err);
}

static uint64_t random_next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void make_reference(const struct set *s)
{
    struct desk d;
    tt_err err = {0};
    enum tt_code rc = open_desk(&d, s, NULL, &err);

    tt_scribe_start(d.scribe);
    if (rc == TT_OK)
        rc = begin_desk(&d, s, NULL, &err);
    for (uint64_t i = 0; i < ROWS && rc == TT_OK; i++)
        rc = put_row(&d, i, &err);
    if (rc == TT_OK)
        rc = tt_observer_end(d.o, &err);
    if (rc != TT_OK)
        fail_msg("%s", err.msg);
    close_desk(&d);
}

static void expect_same_files(const struct set *a, const struct set *b)
{
    for (uint32_t i = 0; i < a->n; i++) {
        struct tt_buf x1, x2;
        size_t at;

        tt_buf_init(&x1, (size_t)1 << 30);
        tt_buf_init(&x2, (size_t)1 << 30);
        assert_int_equal(tt_file_read(&x1, a->path[i], NULL), TT_OK);
        assert_int_equal(tt_file_read(&x2, b->path[i], NULL), TT_OK);
        for (at = 0; at < x1.len && at < x2.len;)
            if (x1.data[at] != x2.data[at])
                break;
            else
                at++;
        if (at < x1.len || at < x2.len)
            fail_msg("%s (%zu bytes) and %s (%zu) differ at byte %zu",
                     a->path[i], x1.len, b->path[i], x2.len, at);
        tt_buf_fini(&x1);
        tt_buf_fini(&x2);
    }
}

/* --- killed with everything it is ----------------------------------------- */

/* Plays from the last checkpoint, and makes more: marks, goes on, and writes
 * when the files are that far. `seen` reports how many rows it made. */
static int play(const struct set *s, const char *file, uint64_t seed,
                volatile uint64_t *seen)
{
    struct checkpoint c, last;
    struct desk d;
    tt_err err = {0};
    uint64_t mark = 0, due = 0;
    enum tt_code rc;

    (void)read_checkpoint(&last, file);
    checkpoint_init(&c);
    rc = open_desk(&d, s, &last, &err);
    tt_scribe_start(d.scribe);
    if (rc == TT_OK)
        rc = begin_desk(&d, s, &last, &err);
    for (uint64_t i = last.row; i < ROWS && rc == TT_OK; i++) {
        rc = put_row(&d, i, &err);
        *seen = i + 1;
        if (rc == TT_OK && !mark && random_next(&seed) % 700 == 0) {
            c.row = i + 1;
            tt_buf_clear(&c.state);
            tt_observer_save(d.o, &c.state);
            rc = tt_record_mark(d.o, &mark, &err);
            due = i + random_next(&seed) % 50;
        } else if (rc == TT_OK && mark && i >= due) {
            tt_buf_clear(&c.positions);
            rc = tt_scribe_position(d.scribe, mark, &c.positions, &err);
            if (rc == TT_OK)
                rc = write_checkpoint(&c, file);
            mark = 0;
        }
    }
    if (rc == TT_OK)
        rc = tt_observer_end(d.o, &err);
    if (rc != TT_OK)
        (void)fprintf(stderr, "%s\n", err.msg);
    close_desk(&d);
    checkpoint_fini(&c);
    checkpoint_fini(&last);
    return rc != TT_OK;
}

/* Returns 1 when it was killed, 0 when it came to its end before. */
static int play_and_kill(const struct set *s, const char *file, uint64_t *seed,
                         volatile uint64_t *seen)
{
    struct checkpoint c;
    uint64_t from, at, spin = random_next(seed) % 100000;
    int status = 0;
    pid_t pid;

    (void)read_checkpoint(&c, file);
    from = c.row;
    checkpoint_fini(&c);
    at = from + random_next(seed) % (ROWS - from + 1500);
    *seen = 0;
    pid = fork();
    if (pid == 0)
        _exit(play(s, file, random_next(seed) | 1, seen));
    while (*seen < at && waitpid(pid, &status, WNOHANG) == 0)
        (void)sched_yield();
    for (volatile uint64_t i = 0; i < spin; i++)
        ;
    if (*seen >= at) {
        kill(pid, SIGKILL);
        (void)waitpid(pid, &status, 0);
    }
    if (!WIFSIGNALED(status))
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status);
}

static uint64_t first_seed(void)
{
    const char *given = getenv("TT_SEED");

    return given ? strtoull(given, NULL, 10) : UINT64_C(88172645463325252);
}

/* Dialect and sampling: one of six, with a file to compare with. */
static struct set variant(unsigned i, const char *name)
{
    char numbered[32];
    struct set s;

    (void)snprintf(numbered, sizeof(numbered), "%s%u", name, i);
    s = set_of(numbered, i % 3 == 1 ? 0.35 : 0);
    s.dialect = i % 2 ? TT_CSV_MAESTRO1 : TT_CSV_MAESTRO2;
    return s;
}

static unsigned wanted_kills(void)
{
    const char *given = getenv("TUTTI_KILLS");

    return given ? (unsigned)strtoul(given, NULL, 10) : KILLS;
}

static void a_run_killed_at_any_moment_continues_its_files(void **state)
{
    volatile uint64_t *seen = tt_shared_alloc(sizeof(*seen));
    const char *file = in_folder("checkpoint");
    uint64_t seed = first_seed();
    unsigned kills = 0;

    (void)state;
    for (unsigned chain = 0; kills < wanted_kills(); chain++) {
        struct set ref = variant(chain % 6, "reference");
        struct set got = variant(chain % 6, "killed");

        print_message("chain %u: TT_SEED=%" PRIu64 "\n", chain, seed);
        if (!tt_file_exists(ref.path[0]))
            make_reference(&ref);
        (void)remove(file);
        while (play_and_kill(&got, file, &seed, seen))
            kills++;
        expect_same_files(&ref, &got);
    }
    tt_shared_free((void *)(uintptr_t)seen, sizeof(*seen));
}

/* --- killed, and survived by its parent ------------------------------------
 */

/* The state is where the parent finds it; marks come as they like. */
struct kept {
    volatile uint64_t row, mark, n;
    char state[65536];
};

static void play_and_die(struct desk *d, const struct set *s, struct kept *kept)
{
    for (uint64_t i = 0; i < 9000; i++) {
        if (put_row(d, i, NULL) != TT_OK)
            _exit(1);
        if (i % 1000 == 999 && i < 6000) {
            struct tt_buf b;
            uint64_t mark;

            tt_buf_init(&b, sizeof(kept->state));
            tt_observer_save(d->o, &b);
            if (tt_record_mark(d->o, &mark, NULL) != TT_OK)
                _exit(1);
            memcpy(kept->state, b.data, b.len);
            kept->n = b.len;
            kept->row = i + 1;
            kept->mark = mark;
        }
    }
    (void)s;
    raise(SIGKILL);
    _exit(1);
}

static void go_on(const struct set *s, const struct checkpoint *c)
{
    struct desk d;
    tt_err err = {0};
    enum tt_code rc = open_desk(&d, s, c, &err);

    tt_scribe_start(d.scribe);
    if (rc == TT_OK)
        rc = begin_desk(&d, s, c, &err);
    assert_int_equal(tt_record_rows(d.o), c->row);
    for (uint64_t i = c->row; i < ROWS && rc == TT_OK; i++)
        rc = put_row(&d, i, &err);
    if (rc == TT_OK)
        rc = tt_observer_end(d.o, &err);
    if (rc != TT_OK)
        fail_msg("%s", err.msg);
    assert_int_equal(tt_record_rows(d.o), ROWS);
    close_desk(&d);
}

static void who_survives_a_crash_knows_the_positions(void **state)
{
    struct set ref = set_of("whole", 0), got = set_of("crashed", 0);
    struct kept *kept = tt_shared_alloc(sizeof(*kept));
    struct checkpoint c;
    struct desk d;
    uint64_t rows = 0;
    tt_err err = {0};
    pid_t pid;

    (void)state;
    make_reference(&ref);
    assert_int_equal(open_desk(&d, &got, NULL, &err), TT_OK);
    pid = fork();
    if (pid == 0) {
        if (begin_desk(&d, &got, NULL, NULL) != TT_OK)
            _exit(1);
        play_and_die(&d, &got, kept);
    }
    tt_scribe_start(d.scribe);
    wait_for(pid, SIGKILL, 0);
    assert_int_equal(tt_scribe_finish(d.scribe, &rows, &err), TT_OK);
    assert_int_equal(rows, 9000); /* all are kept, also those after */
    checkpoint_init(&c);
    c.row = kept->row;
    tt_buf_add(&c.state, kept->state, kept->n);
    assert_int_equal(c.row, 6000);
    assert_int_equal(
        tt_scribe_position(d.scribe, kept->mark, &c.positions, &err), TT_OK);
    go_on(&got, &c);
    expect_same_files(&ref, &got);
    go_on(&got, &c); /* once more from the same */
    expect_same_files(&ref, &got);
    /* marks that are not known any more, or never were */
    assert_int_equal(tt_scribe_position(d.scribe, 2, &c.positions, &err),
                     TT_EINPUT);
    assert_string_equal(
        err.msg, "the position of the result files at mark 2 is not known");
    assert_int_equal(tt_scribe_position(d.scribe, 7, &c.positions, &err),
                     TT_EINPUT);
    checkpoint_fini(&c);
    close_desk(&d);
    tt_shared_free(kept, sizeof(*kept));
}

/* --- sampling --------------------------------------------------------------
 */

static double sign = 1;

/* Rows 0..n-1 with x = i, a checkpoint before row `at`. */
static void checkpoint_at(struct checkpoint *c, const struct set *s,
                          uint64_t at, uint64_t n)
{
    struct desk d;
    tt_err err = {0};
    uint64_t mark = 0;
    enum tt_code rc = open_desk(&d, s, NULL, &err);

    checkpoint_init(c);
    tt_scribe_start(d.scribe);
    if (rc == TT_OK)
        rc = begin_desk(&d, s, NULL, &err);
    for (uint64_t i = 0; i < n && rc == TT_OK; i++) {
        x = sign * (double)i;
        rc = tt_observer_row(d.o, tt_at((double)i), 1, &err);
        if (rc == TT_OK && i + 1 == at) {
            c->row = at;
            tt_observer_save(d.o, &c->state);
            rc = tt_record_mark(d.o, &mark, &err);
        }
    }
    if (rc == TT_OK)
        rc = tt_scribe_position(d.scribe, mark, &c->positions, &err);
    if (rc != TT_OK)
        fail_msg("%s", err.msg);
    close_desk(&d);
}

static struct set just(const char *name, double sample)
{
    return (struct set){
        .path = {in_folder(name)}, .n = 1, .sample = sample, .rows = &just_x};
}

static void a_row_held_back_at_the_checkpoint_may_be_the_last(void **state)
{
    struct set s = just("held.csv", 10);
    struct checkpoint c;
    struct desk d;

    (void)state;
    checkpoint_at(&c, &s, 26, 38);
    expect_text(s.path[0], "time,{a}.a.x\n0.0,0.0\n10.0,10.0\n20.0,20.0\n"
                           "30.0,30.0\n37.0,37.0\n");
    assert_int_equal(open_desk(&d, &s, &c, NULL), TT_OK);
    tt_scribe_start(d.scribe);
    assert_int_equal(begin_desk(&d, &s, &c, NULL), TT_OK);
    assert_int_equal(tt_record_rows(d.o), 3);
    assert_int_equal(tt_observer_end(d.o, NULL), TT_OK);
    close_desk(&d);
    expect_text(s.path[0], "time,{a}.a.x\n0.0,0.0\n10.0,10.0\n20.0,20.0\n"
                           "25.0,25.0\n");
    s.sample = 5;
    assert_int_equal(open_desk(&d, &s, &c, NULL), TT_OK);
    tt_scribe_start(d.scribe);
    {
        tt_err err = {0};

        assert_int_equal(begin_desk(&d, &s, &c, &err), TT_EINPUT);
        assert_string_equal(err.msg, "the checkpoint is of a run with another "
                                     "interval between result rows");
    }
    close_desk(&d);
    checkpoint_fini(&c);
}

/* --- what is refused --------------------------------------------------------
 */

static enum tt_code try_again(const struct set *s, const struct checkpoint *c,
                              tt_err *err)
{
    struct desk d;
    enum tt_code rc = open_desk(&d, s, c, err);

    if (rc == TT_OK) {
        tt_scribe_start(d.scribe);
        rc = begin_desk(&d, s, c, err);
    }
    close_desk(&d);
    return rc;
}

/* fmt: %s is the path. */
static void expect_refused(const struct set *s, const struct checkpoint *c,
                           enum tt_code code, const char *fmt)
{
    const char *at = strstr(fmt, "%s");
    tt_err err = {0};
    char words[TT_ERR_MAX];

    if (at)
        (void)snprintf(words, sizeof(words), "%.*s%s%s", (int)(at - fmt), fmt,
                       s->path[0], at + 2);
    else
        (void)snprintf(words, sizeof(words), "%s", fmt);
    assert_int_equal(try_again(s, c, &err), code);
    assert_string_equal(err.msg, words);
}

static void put_file(const char *path, const char *data, size_t n)
{
    assert_int_equal(tt_file_write(path, data, n, NULL), TT_OK);
}

/* The file is changed, refused with these words, and not touched. */
static void expect_file_refused(const struct set *s, const struct checkpoint *c,
                                const char *data, size_t n, const char *fmt)
{
    struct tt_buf b;

    put_file(s->path[0], data, n);
    expect_refused(s, c, TT_EINPUT, fmt);
    tt_buf_init(&b, (size_t)1 << 24);
    assert_int_equal(tt_file_read(&b, s->path[0], NULL), TT_OK);
    assert_int_equal(b.len, n);
    assert_memory_equal(b.data, data, n);
    tt_buf_fini(&b);
}

static void expect_other_kinds_refused(const struct set *s,
                                       const struct checkpoint *c)
{
    const char *aside = in_folder("aside");

    (void)remove(s->path[0]);
    expect_refused(s, c, TT_EINPUT,
                   "cannot continue %s: No such file or directory");
    put_file(aside, "secret", 6);
    assert_int_equal(symlink(aside, s->path[0]), 0);
    expect_refused(s, c, TT_EINPUT,
                   "%s cannot be continued after a checkpoint: it is no "
                   "regular file");
    expect_text(aside, "secret");
    (void)remove(s->path[0]);
    assert_int_equal(mkdir(s->path[0], 0700), 0);
    expect_refused(s, c, TT_EINPUT,
                   "%s cannot be continued after a checkpoint: it is no "
                   "regular file");
    assert_int_equal(rmdir(s->path[0]), 0);
}

static void spoil(struct tt_buf *b, double at)
{
    for (size_t i = 0; i < 100; i++)
        b->data[(size_t)(at * (double)b->len) + i] ^= 1;
}

/* at: where in the file the rows checked are, 0 .. 1. */
static void expect_other_files_refused(const char *name, double at,
                                       const char *no_file,
                                       const char *other_columns)
{
    static const struct tt_column y = {
        .name = "{a}.a.y", .type = TT_F64, .value = &x};
    static const struct tt_rows just_y = {&y, 1, 0, 1};
    struct set s = just(name, 0), other = s;
    struct checkpoint c, theirs;
    struct tt_buf good;
    char words[256];
    size_t n;

    checkpoint_at(&c, &s, 5000, 6000);
    tt_buf_init(&good, (size_t)1 << 24);
    assert_int_equal(tt_file_read(&good, s.path[0], NULL), TT_OK);
    n = good.len;
    expect_file_refused(&s, &c, "nonsense of some length", 23, no_file);
    other.rows = &just_y;
    sign = -1;
    checkpoint_at(&theirs, &other, 5000, 6000);
    sign = 1;
    expect_refused(&s, &c, TT_EINPUT, other_columns);
    expect_refused(&other, &c, TT_EINPUT,
                   "cannot continue %s: the checkpoint has other columns than "
                   "this run");
    spoil(&good, at);
    expect_file_refused(&s, &c, good.data, n,
                        "cannot continue %s: its rows are not those of the "
                        "checkpoint");
    spoil(&good, at);
    put_file(s.path[0], good.data, n / 8);
    {
        tt_err err = {0};

        assert_int_equal(try_again(&s, &c, &err), TT_EINPUT);
        (void)snprintf(words, sizeof(words), ": it has %zu bytes, and ", n / 8);
        assert_non_null(strstr(err.msg, words));
    }
    expect_other_kinds_refused(&s, &c);
    put_file(s.path[0], good.data, n);
    assert_int_equal(try_again(&s, &c, NULL), TT_OK);
    expect_counting_rows(s.path[0], 5000);
    tt_buf_fini(&good);
    checkpoint_fini(&c);
    checkpoint_fini(&theirs);
}

static void a_file_that_is_not_the_one_is_refused_and_left_alone(void **state)
{
    (void)state;
    expect_other_files_refused(
        "other.csv", 0.82, "cannot continue %s: it is no CSV file of results",
        "cannot continue %s: its columns are not those of this run: '{a}.a.y' "
        "instead of '{a}.a.x'");
    expect_other_files_refused(
        "other.mat", 0.82,
        "cannot continue %s: it is no MAT file with the columns of this run",
        "cannot continue %s: it is no MAT file with the columns of this run");
    if (tt_h5_is_there()) /* which has its columns in tables that may be torn */
        expect_other_files_refused(
            "other.h5", 0.4, "cannot continue %s: it is no HDF5 file",
            "cannot continue %s: its rows are not those of the checkpoint");
}

static void other_files_than_at_the_checkpoint_are_refused(void **state)
{
    struct set s = just("one.csv", 0), other;
    struct checkpoint c;

    (void)state;
    checkpoint_at(&c, &s, 3, 5);
    other = just("one.mat", 0);
    expect_refused(&other, &c, TT_EINPUT,
                   "cannot continue %s: the checkpoint has its position as "
                   "CSV, the name stands for MAT");
    other = s;
    other.path[other.n++] = in_folder("two.csv");
    expect_refused(&other, &c, TT_EINPUT,
                   "the checkpoint has positions of 1 result files, this run "
                   "has 2");
    other = just("-", 0);
    other.path[0] = "-";
    expect_refused(&other, &c, TT_EINPUT,
                   "standard output cannot be continued after a checkpoint: "
                   "write the results to a file (-o FILE)");
    c.positions.data[0] ^= 1;
    expect_refused(&s, &c, TT_EINPUT,
                   "the positions of result files in the checkpoint are "
                   "damaged");
    checkpoint_fini(&c);
}

/* Of positions that were cut anywhere nothing bad comes. */
static void a_position_cut_short_is_damaged(void **state)
{
    struct set s = set_of("cut", 0);
    struct checkpoint c;

    (void)state;
    checkpoint_at(&c, &s, 5000, 6000);
    for (size_t n = c.positions.len; n-- > 1;) {
        struct checkpoint cut = c;
        tt_err err = {0};

        if (n % 1009)
            continue;
        cut.positions.len = n;
        assert_int_equal(try_again(&s, &cut, &err), TT_EINPUT);
        assert_non_null(strstr(err.msg, "damaged"));
    }
    assert_int_equal(try_again(&s, &c, NULL), TT_OK);
    checkpoint_fini(&c);
}

/* The administrator may write everything, so another user tries. */
static void a_file_that_must_not_be_written_is_named(void **state)
{
    struct set s = just("readonly.csv", 0);
    struct checkpoint c;
    pid_t pid;

    (void)state;
    checkpoint_at(&c, &s, 3, 5);
    assert_int_equal(chmod(s.path[0], 0444), 0);
    assert_int_equal(chmod(folder, 0755), 0);
    pid = fork();
    if (pid == 0) {
        char words[TT_ERR_MAX];
        tt_err err = {0};

        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(1);
        (void)snprintf(words, sizeof(words),
                       "cannot continue %s: Permission denied", s.path[0]);
        _exit(try_again(&s, &c, &err) != TT_EIO || strcmp(err.msg, words) != 0);
    }
    wait_for(pid, 0, 0);
    checkpoint_fini(&c);
}

/* --- a full disk ------------------------------------------------------------
 */

/* In a child, because the limit stays. */
static int continue_until_full(const struct set *s, const struct checkpoint *c,
                               rlim_t size)
{
    const struct rlimit limit = {size, size};
    enum tt_code rc;
    struct desk d;
    tt_err err = {0};

    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &limit) != 0 ||
        open_desk(&d, s, c, NULL) != TT_OK)
        return 1;
    tt_scribe_start(d.scribe);
    rc = begin_desk(&d, s, c, &err);
    for (uint64_t i = c->row; rc == TT_OK && i < 10000000; i++) {
        x = (double)i;
        rc = tt_observer_row(d.o, tt_at((double)i), 1, &err);
    }
    close_desk(&d);
    return rc != TT_EIO || !strstr(err.msg, "File too large");
}

static void a_full_disk_keeps_what_was_continued(void **state)
{
    static const char *const name[] = {"full.csv", "full.mat", "full.h5"};

    (void)state;
    for (int i = 0; i < 2 + tt_h5_is_there(); i++) {
        struct set s = just(name[i], 0);
        struct checkpoint c;
        struct stat st;
        uint64_t rows;
        tt_table *t;
        pid_t pid;

        checkpoint_at(&c, &s, 9000, 10000);
        assert_int_equal(stat(s.path[0], &st), 0);
        pid = fork();
        if (pid == 0)
            _exit(continue_until_full(&s, &c, (rlim_t)st.st_size + 300000));
        wait_for(pid, 0, 0);
        t = load(s.path[0]);
        rows = tt_table_rows(t);
        tt_table_free(t);
        assert_true(rows > 9000);
        expect_counting_rows(s.path[0], rows);
        /* and where there is no room to begin, it is as it was */
        pid = fork();
        if (pid == 0)
            _exit(i == 2 ? continue_until_full(&s, &c, 1000) : 0);
        wait_for(pid, 0, 0);
        expect_counting_rows(s.path[0], rows);
        checkpoint_fini(&c);
    }
}

/* --- plots ------------------------------------------------------------------
 */

static void see(tt_curves *t, uint64_t from, uint64_t to)
{
    for (uint64_t i = from; i < to; i++) {
        x = (double)(i * i % 1009);
        assert_int_equal(
            tt_observer_row(tt_curves_observer(t), tt_at((double)i), 1, NULL),
            TT_OK);
    }
}

static void what_plots_keep_is_taken_up_again(void **state)
{
    static const uint64_t at[] = {0, 1, 7, 8, 9, 500, 999};

    (void)state;
    for (size_t k = 0; k < sizeof(at) / sizeof(*at); k++) {
        tt_curves *whole = NULL, *first = NULL, *second = NULL;
        double want[64], got[64];
        struct tt_buf b;
        tt_err err = {0};

        tt_buf_init(&b, 65536);
        assert_int_equal(tt_curves_new(&whole, 8, NULL), TT_OK);
        assert_int_equal(tt_curves_new(&first, 8, NULL), TT_OK);
        assert_int_equal(tt_curves_new(&second, 8, NULL), TT_OK);
        assert_int_equal(
            tt_observer_begin(tt_curves_observer(whole), &just_x, NULL), TT_OK);
        assert_int_equal(
            tt_observer_begin(tt_curves_observer(first), &just_x, NULL), TT_OK);
        assert_int_equal(
            tt_observer_begin(tt_curves_observer(second), &just_x, NULL),
            TT_OK);
        see(whole, 0, 1000);
        see(first, 0, at[k]);
        tt_observer_save(tt_curves_observer(first), &b);
        assert_int_equal(tt_observer_restore(tt_curves_observer(second), b.data,
                                             b.len, NULL),
                         TT_OK);
        see(second, at[k], 1000);
        assert_int_equal(tt_curves_points(whole), tt_curves_points(second));
        tt_curves_get_values(whole, 0, want);
        tt_curves_get_values(second, 0, got);
        assert_memory_equal(want, got, tt_curves_points(whole) * sizeof(*want));
        tt_curves_get_times(whole, want);
        tt_curves_get_times(second, got);
        assert_memory_equal(want, got, tt_curves_points(whole) * sizeof(*want));
        assert_int_equal(tt_observer_restore(tt_curves_observer(second), b.data,
                                             b.len - 1, &err),
                         TT_EINPUT);
        assert_string_equal(err.msg, "what plots need of the run so far is "
                                     "damaged in the checkpoint");
        tt_buf_fini(&b);
        tt_observer_free(tt_curves_observer(whole));
        tt_observer_free(tt_curves_observer(first));
        tt_observer_free(tt_curves_observer(second));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_run_killed_at_any_moment_continues_its_files),
        cmocka_unit_test(who_survives_a_crash_knows_the_positions),
        cmocka_unit_test(a_row_held_back_at_the_checkpoint_may_be_the_last),
        cmocka_unit_test(a_file_that_is_not_the_one_is_refused_and_left_alone),
        cmocka_unit_test(other_files_than_at_the_checkpoint_are_refused),
        cmocka_unit_test(a_position_cut_short_is_damaged),
        cmocka_unit_test(a_file_that_must_not_be_written_is_named),
        cmocka_unit_test(a_full_disk_keeps_what_was_continued),
        cmocka_unit_test(what_plots_keep_is_taken_up_again),
    };

    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
