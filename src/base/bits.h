/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_BITS_H
#define TT_BASE_BITS_H

/* A set of small numbers that is walked in their order, at a cost that follows
 * how many there are and not how many there could be. A word of the first level
 * has a bit for each number; each further level has one for each word of the
 * level before that is not 0. Plain memory of the caller, zeros at first: it
 * may lie in the frame. */

#include <stddef.h>
#include <stdint.h>

struct tt_bits {
    uint64_t *word; /* tt_bits_words(n) of them */
    uint32_t n;     /* numbers 0 .. n-1 */
};

#define TT_BITS_END UINT32_MAX

size_t tt_bits_words(uint32_t n);

/* What the calls below do in more than one word. */
void tt_bits_note_far(const struct tt_bits *b, uint32_t i);
void tt_bits_drop_far(const struct tt_bits *b, uint32_t i);
void tt_bits_clear_far(const struct tt_bits *b);
uint32_t tt_bits_next_far(const struct tt_bits *b, uint32_t from);
uint32_t tt_bits_take_far(const struct tt_bits *b);

static inline void tt_bits_add(const struct tt_bits *b, uint32_t i)
{
    uint64_t was = b->word[i / 64];

    b->word[i / 64] = was | UINT64_C(1) << (i % 64);
    if (!was && b->n > 64) /* else what is above knows */
        tt_bits_note_far(b, i);
}

/* Many that are added one after the other, most of them near the one before:
 * a word goes into the set when another one begins, and behind the last. */
struct tt_bits_stream {
    const struct tt_bits *to;
    uint64_t word;
    uint32_t at; /* which word it is */
};

static inline void tt_bits_flush(struct tt_bits_stream *s)
{
    uint64_t was;

    if (!s->word)
        return;
    was = s->to->word[s->at];
    s->to->word[s->at] = was | s->word;
    if (!was && s->to->n > 64)
        tt_bits_note_far(s->to, 64 * s->at);
    s->word = 0;
}

static inline void tt_bits_put(struct tt_bits_stream *s, uint32_t i)
{
    if (i / 64 != s->at)
        tt_bits_flush(s);
    s->at = i / 64;
    s->word |= UINT64_C(1) << (i % 64);
}

static inline void tt_bits_drop(const struct tt_bits *b, uint32_t i)
{
    if (b->n > 64)
        tt_bits_drop_far(b, i);
    else
        b->word[0] &= ~(UINT64_C(1) << i);
}

/* 0: there is none. Of so many numbers that there are more than two levels this
 * does not know at a glance, and answers 1. */
static inline int tt_bits_some(const struct tt_bits *b)
{
    return b->n > 64 * 64 || b->word[b->n > 64 ? (b->n + 63) / 64 : 0];
}

static inline void tt_bits_clear(const struct tt_bits *b)
{
    if (b->n <= 64)
        b->word[0] = 0;
    else if (tt_bits_some(b))
        tt_bits_clear_far(b);
}

/* The first at or behind `from`; TT_BITS_END: none. */
static inline uint32_t tt_bits_next(const struct tt_bits *b, uint32_t from)
{
    uint64_t rest;

    if (b->n > 64)
        return tt_bits_some(b) ? tt_bits_next_far(b, from) : TT_BITS_END;
    rest = from < 64 ? b->word[0] >> from << from : 0;
    return rest ? (uint32_t)__builtin_ctzll(rest) : TT_BITS_END;
}

/* The first, which is dropped; TT_BITS_END: none. */
static inline uint32_t tt_bits_take(const struct tt_bits *b)
{
    uint64_t w;

    if (b->n > 64)
        return tt_bits_some(b) ? tt_bits_take_far(b) : TT_BITS_END;
    w = b->word[0];
    b->word[0] = w & (w - 1);
    return w ? (uint32_t)__builtin_ctzll(w) : TT_BITS_END;
}

/* All of them in their order into `list`, which has room for n; answers how
 * many. The set is empty then. */
uint32_t tt_bits_empty(const struct tt_bits *b, uint32_t *list);

/* ... and all of them into `to`, of as many numbers. */
uint32_t tt_bits_move(const struct tt_bits *b, const struct tt_bits *to,
                      uint32_t *list);

/* ... and all of them into `to`, of as many numbers or more; unlisted. */
void tt_bits_pour(const struct tt_bits *b, const struct tt_bits *to);

/* The first word of 64 numbers at or behind number `from` that has one;
 * TT_BITS_END: none. */
uint32_t tt_bits_next_word(const struct tt_bits *b, uint32_t from);

static inline int tt_bits_has(const struct tt_bits *b, uint32_t i)
{
    return (int)(b->word[i / 64] >> (i % 64) & 1);
}

#endif
