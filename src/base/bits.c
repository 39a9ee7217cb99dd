/* SPDX-License-Identifier: MIT */
#include "base/bits.h"

/* Words of a level that has n bits. */
static size_t words(size_t n)
{
    return (n + 63) / 64;
}

size_t tt_bits_words(uint32_t n)
{
    size_t all = 0, level = words(n ? n : 1);

    for (; level > 1; level = words(level))
        all += level;
    return all + 1;
}

/* The levels above that of i, whose word was 0. */
void tt_bits_note_far(const struct tt_bits *b, uint32_t i)
{
    uint64_t *word = b->word, was = 0;
    size_t n = words(b->n);

    while (!was && n > 1) {
        word += n;
        n = words(n);
        i /= 64;
        was = word[i / 64];
        word[i / 64] = was | UINT64_C(1) << (i % 64);
    }
}

void tt_bits_drop_far(const struct tt_bits *b, uint32_t i)
{
    uint64_t *word = b->word;
    size_t n = words(b->n);

    for (;;) {
        word[i / 64] &= ~(UINT64_C(1) << (i % 64));
        if (word[i / 64] || n <= 1)
            return;
        word += n;
        i /= 64;
        n = words(n);
    }
}

static uint32_t lowest(uint64_t w)
{
    return (uint32_t)__builtin_ctzll(w);
}

/* Up until a word has one at or behind, then down to it. */
uint32_t tt_bits_next_far(const struct tt_bits *b, uint32_t from)
{
    const uint64_t *level[8];
    size_t n = words(b->n), bits = b->n;
    uint32_t top = 0, i = from;

    level[0] = b->word;
    for (;;) {
        uint64_t rest =
            i < bits ? level[top][i / 64] >> (i % 64) << (i % 64) : 0;

        if (rest) {
            i = i / 64 * 64 + lowest(rest);
            break;
        }
        if (n <= 1 || i / 64 + 1 >= n)
            return TT_BITS_END;
        level[top + 1] = level[top] + n;
        top++;
        i = i / 64 + 1;
        bits = n;
        n = words(n);
    }
    while (top > 0) {
        top--;
        i = i * 64 + lowest(level[top][i]);
    }
    return i;
}

uint32_t tt_bits_take_far(const struct tt_bits *b)
{
    uint32_t i = tt_bits_next_far(b, 0);

    if (i != TT_BITS_END)
        tt_bits_drop_far(b, i);
    return i;
}

/* The levels above the first are a set of its words. */
static struct tt_bits words_used(const struct tt_bits *b)
{
    uint32_t n = (uint32_t)words(b->n);

    return (struct tt_bits){b->word + n, n};
}

void tt_bits_clear_far(const struct tt_bits *b)
{
    const struct tt_bits used = words_used(b);
    uint32_t k;

    while ((k = tt_bits_take(&used)) != TT_BITS_END)
        b->word[k] = 0;
}

uint32_t tt_bits_next_word(const struct tt_bits *b, uint32_t from)
{
    const struct tt_bits used = words_used(b);

    if (b->n > 64)
        return tt_bits_next(&used, from);
    return from == 0 && b->word[0] ? 0 : TT_BITS_END;
}

static uint32_t *list_word(uint64_t *word, uint32_t k, uint32_t *list)
{
    for (uint64_t w = word[k]; w; w &= w - 1)
        *list++ = 64 * k + lowest(w);
    word[k] = 0;
    return list;
}

static void add_word(const struct tt_bits *b, uint32_t k, uint64_t w)
{
    uint64_t was = b->word[k];

    b->word[k] = was | w;
    if (!was && b->n > 64)
        tt_bits_note_far(b, 64 * k);
}

uint32_t tt_bits_move(const struct tt_bits *b, const struct tt_bits *to,
                      uint32_t *list)
{
    uint32_t k, *end = list;
    const struct tt_bits used = words_used(b);

    if (b->n <= 64) {
        to->word[0] |= b->word[0];
        return (uint32_t)(list_word(b->word, 0, list) - list);
    }
    while ((k = tt_bits_take(&used)) != TT_BITS_END) {
        add_word(to, k, b->word[k]);
        end = list_word(b->word, k, end);
    }
    return (uint32_t)(end - list);
}

void tt_bits_pour(const struct tt_bits *b, const struct tt_bits *to)
{
    uint32_t k;
    const struct tt_bits used = words_used(b);

    if (b->n <= 64) {
        if (b->word[0])
            add_word(to, 0, b->word[0]);
        b->word[0] = 0;
        return;
    }
    while ((k = tt_bits_take(&used)) != TT_BITS_END) {
        add_word(to, k, b->word[k]);
        b->word[k] = 0;
    }
}

uint32_t tt_bits_empty(const struct tt_bits *b, uint32_t *list)
{
    uint32_t k, *end = list;
    const struct tt_bits used = words_used(b);

    if (b->n <= 64)
        return (uint32_t)(list_word(b->word, 0, list) - list);
    while ((k = tt_bits_take(&used)) != TT_BITS_END)
        end = list_word(b->word, k, end);
    return (uint32_t)(end - list);
}
