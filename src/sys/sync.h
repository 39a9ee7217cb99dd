/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_SYNC_H
#define TT_SYS_SYNC_H

/* A lock for the few places where a foreign thread meets ours, and a short
 * sleep for polling one. Never on the hot path. */

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <time.h>

struct tt_lock {
    pthread_mutex_t mutex;
};

#define TT_LOCK_STATIC                                                         \
    {                                                                          \
        .mutex = PTHREAD_MUTEX_INITIALIZER                                     \
    }

static inline void tt_lock_init(struct tt_lock *l)
{
    (void)pthread_mutex_init(&l->mutex, NULL);
}

static inline void tt_lock_fini(struct tt_lock *l)
{
    (void)pthread_mutex_destroy(&l->mutex);
}

static inline void tt_lock_take(struct tt_lock *l)
{
    (void)pthread_mutex_lock(&l->mutex);
}

static inline void tt_lock_give(struct tt_lock *l)
{
    (void)pthread_mutex_unlock(&l->mutex);
}

/* Around every fork of this process: take what others may hold, and give it
 * back here and in the copy. */
static inline void tt_lock_over_fork(void (*before)(void), void (*after)(void),
                                     void (*in_the_copy)(void))
{
    (void)pthread_atfork(before, after, in_the_copy);
}

/* In a loop that waits for memory to change. */
static inline void tt_breathe(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* Gives the core to another that wants it. */
static inline void tt_yield(void)
{
    (void)sched_yield();
}

static inline void tt_sleep_ns(uint64_t ns)
{
    struct timespec t = {.tv_sec = (time_t)(ns / 1000000000u),
                         .tv_nsec = (long)(ns % 1000000000u)};

    (void)nanosleep(&t, NULL);
}

#endif
