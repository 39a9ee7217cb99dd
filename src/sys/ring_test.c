/* SPDX-License-Identifier: MIT */
#include "sys/ring.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/mem.h"
#include "sys/proc.h"
#include "sys/thread.h"

#define RECORD 40u

struct filler {
    struct tt_ring_end end;
    uint64_t n;
};

/* Records whose every word states which one it is. */
static void fill(void *ctx)
{
    struct filler *f = ctx;

    for (uint64_t i = 0; i < f->n; i++) {
        uint64_t *to = tt_ring_next(&f->end);

        while (!to) {
            tt_ring_await(&f->end, 1000);
            to = tt_ring_next(&f->end);
        }
        for (unsigned k = 0; k < RECORD / 8; k++)
            to[k] = i;
        tt_ring_publish(&f->end);
    }
    tt_bell_ring(&f->end.ring->reader);
}

static void read_all(struct tt_ring_end *e, uint64_t n)
{
    uint64_t next = 0;

    while (next < n) {
        uint32_t count = tt_bell_count(&e->ring->reader);
        const char *first = NULL;
        uint64_t got = tt_ring_peek(e, &first);

        assert_true(got <= e->cap);
        if (!got)
            tt_bell_wait(&e->ring->reader, count, 50);
        for (uint64_t i = 0; i < got; i++, next++) {
            uint64_t word[RECORD / 8];

            memcpy(word, first + i * RECORD, RECORD);
            for (unsigned k = 0; k < RECORD / 8; k++)
                assert_int_equal(word[k], next);
        }
        tt_ring_done(e, got);
    }
}

static void between_threads(size_t size, uint64_t n)
{
    struct tt_ring ring = {0};
    struct filler f = {.n = n};
    struct tt_ring_end reader;
    struct tt_thread thread;
    char *data = tt_zalloc(1, size);

    tt_ring_join(&f.end, &ring, data, size, RECORD);
    tt_ring_join(&reader, &ring, data, size, RECORD);
    assert_int_equal(tt_thread_start(&thread, fill, &f, NULL), TT_OK);
    read_all(&reader, n);
    tt_thread_join(&thread);
    tt_free(data);
}

static void records_pass_in_order_between_threads(void **state)
{
    (void)state;
    between_threads(RECORD, 2000);          /* room for one */
    between_threads(3 * RECORD + 7, 20000); /* for three */
    between_threads((size_t)1 << 16, 500000);
}

static void a_dead_process_leaves_what_it_published(void **state)
{
    size_t size = (size_t)1 << 16;
    char *memory = tt_shared_alloc(size + sizeof(struct tt_ring));
    struct tt_ring *ring = (struct tt_ring *)(void *)memory;
    struct filler f = {.n = 1000};
    struct tt_ring_end reader;
    const char *first = NULL;
    pid_t pid;

    (void)state;
    assert_non_null(memory);
    tt_ring_join(&f.end, ring, memory + sizeof(*ring), size, RECORD);
    tt_ring_join(&reader, ring, memory + sizeof(*ring), size, RECORD);
    pid = fork();
    if (pid == 0) {
        fill(&f);
        memset(tt_ring_next(&f.end), 0x55, RECORD); /* not published */
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(pid, NULL, 0), pid);
    assert_int_equal(tt_ring_peek(&reader, &first), 1000);
    read_all(&reader, 1000);
    assert_int_equal(tt_ring_peek(&reader, &first), 0);
    tt_shared_free(memory, size + sizeof(*ring));
}

static void a_full_ring_takes_no_more_until_there_is_room(void **state)
{
    struct tt_ring ring = {0};
    struct tt_ring_end filler, reader;
    uint64_t data[4];
    const char *first;

    (void)state;
    tt_ring_join(&filler, &ring, data, sizeof(data), 8);
    tt_ring_join(&reader, &ring, data, sizeof(data), 8);
    for (int i = 0; i < 4; i++) {
        assert_non_null(tt_ring_next(&filler));
        tt_ring_publish(&filler);
    }
    assert_null(tt_ring_next(&filler));
    assert_int_equal(tt_ring_peek(&reader, &first), 4);
    tt_ring_done(&reader, 1);
    assert_ptr_equal(tt_ring_next(&filler), &data[0]);
    tt_ring_publish(&filler);
    assert_null(tt_ring_next(&filler));
    assert_int_equal(tt_ring_peek(&reader, &first), 3); /* up to the end */
    tt_ring_done(&reader, 3);
    assert_int_equal(tt_ring_peek(&reader, &first), 1);
    assert_ptr_equal(first, &data[0]);
}

static void a_counter_that_cannot_be_is_noticed(void **state)
{
    struct tt_ring ring = {0};
    struct tt_ring_end reader;
    uint64_t data[4];
    const char *first;

    (void)state;
    tt_ring_join(&reader, &ring, data, sizeof(data), 8);
    tt_sign_set(&ring.filled, 5);
    assert_true(tt_ring_peek(&reader, &first) == TT_RING_BROKEN);
    tt_sign_set(&ring.filled, 4);
    assert_int_equal(tt_ring_peek(&reader, &first), 4);
    tt_ring_done(&reader, 4);
    tt_sign_set(&ring.filled, 3);
    assert_true(tt_ring_peek(&reader, &first) == TT_RING_BROKEN);
}

static void a_bell_that_rang_before_does_not_let_us_sleep(void **state)
{
    struct tt_bell bell = {0};
    uint32_t count = tt_bell_count(&bell);

    (void)state;
    tt_bell_ring(&bell);
    tt_bell_wait(&bell, count, 1000000); /* would be a quarter of an hour */
    assert_int_equal(tt_bell_count(&bell), count + 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(records_pass_in_order_between_threads),
        cmocka_unit_test(a_dead_process_leaves_what_it_published),
        cmocka_unit_test(a_full_ring_takes_no_more_until_there_is_room),
        cmocka_unit_test(a_counter_that_cannot_be_is_noticed),
        cmocka_unit_test(a_bell_that_rang_before_does_not_let_us_sleep),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
