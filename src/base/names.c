/* SPDX-License-Identifier: MIT */
#include "base/names.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"

#define FIRST_CAP ((size_t)16)

void tt_names_init(struct tt_names *m)
{
    *m = (struct tt_names){0};
}

void tt_names_fini(struct tt_names *m)
{
    tt_free(m->key);
    tt_free(m->value);
    tt_names_init(m);
}

/* Where `key` is, or the free place where it belongs. The map is never full,
 * so the walk ends. */
static size_t place(const char *const *keys, size_t cap, const char *key)
{
    size_t i = (size_t)tt_hash(TT_HASH_START, key, strlen(key)) & (cap - 1);

    while (keys[i] && strcmp(keys[i], key) != 0)
        i = (i + 1) & (cap - 1);
    return i;
}

/* Twice as large; the old map stays whole when out of memory. */
static int grow(struct tt_names *m)
{
    size_t cap = m->cap ? m->cap * 2 : FIRST_CAP;
    const char **key;
    uint32_t *value;

    TT_NEW_ARRAY(key, cap);
    TT_NEW_ARRAY(value, cap);
    if (!key || !value) {
        tt_free(key);
        tt_free(value);
        return -1;
    }
    for (size_t i = 0; i < m->cap; i++) {
        size_t to;

        if (!m->key[i])
            continue;
        to = place(key, cap, m->key[i]);
        key[to] = m->key[i];
        value[to] = m->value[i];
    }
    tt_free(m->key);
    tt_free(m->value);
    m->key = key;
    m->value = value;
    m->cap = cap;
    return 0;
}

int tt_names_add(struct tt_names *m, const char *key, uint32_t value)
{
    size_t i;

    if (m->n * 3 >= m->cap * 2 && grow(m) != 0) /* at most two thirds full */
        return -1;
    i = place(m->key, m->cap, key);
    if (m->key[i])
        return 1;
    m->key[i] = key;
    m->value[i] = value;
    m->n++;
    return 0;
}

uint32_t tt_names_find(const struct tt_names *m, const char *key)
{
    size_t i;

    if (m->cap == 0)
        return TT_NONE;
    i = place(m->key, m->cap, key);
    return m->key[i] ? m->value[i] : TT_NONE;
}

/* --- the nearest name -------------------------------------------------- */

/* Costs are counted in halves of an edit, because case counts half. */
#define EDIT     2u
#define CASE     1u
#define MOST     (4u * EDIT) /* further away than this is another name */
#define NAME_MAX 511u        /* longer names are compared for case only */
#define FAR      (2u * EDIT * NAME_MAX)

/* Not tolower(): that follows the locale. */
static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

static unsigned change(char a, char b)
{
    if (a == b)
        return 0;
    return lower(a) == lower(b) ? CASE : EDIT;
}

static int same_but_case(const char *a, const char *b)
{
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

static unsigned least(unsigned a, unsigned b)
{
    return a < b ? a : b;
}

/* One row of the table of distances between the beginnings of a and b: from
 * the row before and, for swaps, the one before that. Returns its minimum. */
static unsigned next_row(unsigned *row, const unsigned *before,
                         const unsigned *before2, const char *a, size_t i,
                         const char *b, size_t nb)
{
    unsigned min = row[0] = (unsigned)i * EDIT;

    for (size_t j = 1; j <= nb; j++) {
        unsigned d = before[j - 1] + change(a[i - 1], b[j - 1]);

        d = least(d, least(before[j], row[j - 1]) + EDIT);
        if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
            d = least(d, before2[j - 2] + EDIT);
        row[j] = d;
        min = least(min, d);
    }
    return min;
}

/* Edit distance of a and b, or FAR as soon as it must exceed `limit`. */
static unsigned distance(const char *a, const char *b, unsigned limit)
{
    unsigned rows[3][NAME_MAX + 1];
    unsigned min = 0, min_before;
    size_t na = strlen(a), nb = strlen(b);

    if (na > NAME_MAX || nb > NAME_MAX ||
        (na > nb ? na - nb : nb - na) * EDIT > limit)
        return FAR;
    for (size_t j = 0; j <= nb; j++)
        rows[0][j] = (unsigned)j * EDIT;
    for (size_t i = 1; i <= na; i++) {
        min_before = min;
        min = next_row(rows[i % 3], rows[(i + 2) % 3], rows[(i + 1) % 3], a, i,
                       b, nb);
        if (min > limit && min_before > limit)
            return FAR;
    }
    min = rows[na % 3][nb];
    /* As many edits as characters: the names have nothing in common. */
    return min < (na > nb ? na : nb) * EDIT ? min : FAR;
}

const char *tt_names_nearest(const char *wrong, size_t n, tt_name_fn get,
                             const void *ctx)
{
    size_t third = strlen(wrong) / 3;
    unsigned limit = third >= MOST / EDIT ? MOST
                     : third > 1          ? (unsigned)third * EDIT
                                          : EDIT;
    const char *best = NULL;

    for (size_t i = 0; i < n; i++) {
        const char *name = get(ctx, i);
        unsigned d;

        if (!name)
            continue;
        /* However long, a name that differs only in case is worth naming. */
        d = strcmp(wrong, name) == 0     ? 0
            : same_but_case(wrong, name) ? CASE
                                         : distance(wrong, name, limit);
        if (d == 0)
            return name;
        if (d > limit)
            continue;
        best = name;
        limit = d - 1; /* only a nearer one replaces it: ties to the first */
    }
    return best;
}

int tt_name_is_among(const char *name, const char *const *list, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(name, list[i]) == 0)
            return 1;
    return 0;
}
