/* SPDX-License-Identifier: MIT */
#include "unit/texts.h"

#include <string.h>

#include "base/mem.h"
#include "base/sha256.h"
#include "sys/sync.h"

struct blob {
    struct blob *next; /* in its bucket, or of those to be used again */
    size_t cap;        /* bytes of s */
    uint32_t n;
    unsigned char sum[TT_SHA256_BYTES];
    int marked;
    char s[]; /* NUL-terminated */
};

#define BUCKETS 1024u

struct tt_texts {
    struct tt_lock lock;
    struct blob *bucket[BUCKETS]; /* owned */
    struct blob *spare;           /* owned */
    struct range {
        const char *p;
        size_t n;
    } * range; /* owned list of what is borrowed */
    size_t n_range, cap_range;
    int fresh; /* something was put since the last sweep */
};

tt_texts *tt_texts_new(void)
{
    tt_texts *s;

    if (TT_NEW(s))
        tt_lock_init(&s->lock);
    return s;
}

static void free_list(struct blob *b)
{
    while (b) {
        struct blob *next = b->next;

        tt_free(b);
        b = next;
    }
}

void tt_texts_free(tt_texts *s)
{
    if (!s)
        return;
    for (size_t i = 0; i < BUCKETS; i++)
        free_list(s->bucket[i]);
    free_list(s->spare);
    tt_free(s->range);
    tt_lock_fini(&s->lock);
    tt_free(s);
}

/* --- finding and putting ---------------------------------------------------
 */

static struct blob **bucket_of(tt_texts *s, const void *sum)
{
    uint32_t first;

    memcpy(&first, sum, sizeof(first));
    return &s->bucket[first % BUCKETS];
}

static struct blob *find(tt_texts *s, uint32_t n, const void *sum)
{
    struct blob *b = *bucket_of(s, sum);

    while (b && (b->n != n || memcmp(b->sum, sum, sizeof(b->sum)) != 0))
        b = b->next;
    return b;
}

/* Of those to be used again the smallest that is large enough, else any. */
static struct blob **best_spare(tt_texts *s, size_t cap)
{
    struct blob **best = &s->spare;

    for (struct blob **at = &s->spare; *at; at = &(*at)->next)
        if ((*at)->cap >= cap &&
            ((*best)->cap < cap || (*at)->cap < (*best)->cap))
            best = at;
    return best;
}

/* One that is too small makes room for a larger one, so that there are never
 * more than were needed at a time. */
static struct blob *take_blob(tt_texts *s, size_t cap)
{
    struct blob **at = best_spare(s, cap), *b = *at;

    if (b)
        *at = b->next;
    if (b && b->cap >= cap)
        return b;
    tt_free(b);
    cap += cap / 4;
    b = tt_alloc(sizeof(*b) + cap);
    if (b)
        b->cap = cap;
    return b;
}

static int keep(tt_texts *s, const struct tt_text *t, const void *data)
{
    struct blob **bucket = bucket_of(s, t->s), *b = find(s, t->n, t->s);

    s->fresh = 1;
    if (b)
        return 1;
    b = take_blob(s, (size_t)t->n + 1);
    if (!b)
        return 0;
    b->n = t->n;
    b->marked = 0;
    memcpy(b->sum, t->s, sizeof(b->sum));
    memcpy(b->s, data, t->n);
    b->s[t->n] = '\0';
    b->next = *bucket;
    *bucket = b;
    return 1;
}

enum tt_code tt_text_put(tt_texts *s, struct tt_text *t, const void *data,
                         size_t n, tt_err *err)
{
    int kept = 1;

    if (n > TT_TEXT_MOST) {
        tt_bytes_set(t, NULL, 0);
        return tt_fail(err, TT_EUNSUPPORTED, "%zu bytes, at most %zu are taken",
                       n, TT_TEXT_MOST);
    }
    tt_bytes_set(t, data, n);
    if (!s || !tt_bytes_is_cut(t))
        return TT_OK;
    tt_lock_take(&s->lock);
    kept = keep(s, t, data);
    tt_lock_give(&s->lock);
    if (kept)
        return TT_OK;
    tt_bytes_set(t, NULL, 0);
    return tt_fail(err, TT_ENOMEM, "%zu bytes: out of memory", n);
}

const char *tt_text_data(tt_texts *s, const struct tt_text *t, tt_err *err)
{
    const struct blob *b = NULL;

    if (!tt_bytes_is_cut(t))
        return t->s;
    if (s) {
        tt_lock_take(&s->lock);
        b = find(s, t->n, t->s);
        tt_lock_give(&s->lock);
    }
    if (b)
        return b->s;
    (void)tt_fail(err, TT_EUNSUPPORTED,
                  "of a value of %u bytes only length and SHA-256 are known "
                  "here",
                  (unsigned)t->n);
    return NULL;
}

static enum tt_code put_hex(tt_texts *s, struct tt_text *t, const char *text,
                            tt_err *err)
{
    size_t n = strlen(text) / 2;
    char *bytes = tt_alloc(n + 1);
    enum tt_code rc;

    if (!bytes)
        return tt_fail(err, TT_ENOMEM, "%zu bytes: out of memory", n);
    rc = tt_bytes_parse(bytes, text) ? tt_fail(err, TT_EINPUT, "no hexadecimal")
                                     : tt_text_put(s, t, bytes, n, err);
    tt_free(bytes);
    return rc;
}

enum tt_code tt_text_parse(tt_texts *s, enum tt_type type, struct tt_text *t,
                           const char *text, tt_err *err)
{
    return type == TT_BYTES ? put_hex(s, t, text, err)
                            : tt_text_put(s, t, text, strlen(text), err);
}

char *tt_text_print(tt_texts *s, enum tt_type type, const struct tt_text *t,
                    tt_err *err)
{
    const char *data = tt_text_data(s, t, err);
    char *out = data ? tt_alloc(2 * (size_t)t->n + 1) : NULL;

    if (!data)
        return NULL;
    if (!out)
        (void)tt_fail(err, TT_ENOMEM, "%u bytes: out of memory",
                      (unsigned)t->n);
    else if (type == TT_BYTES)
        tt_bytes_hex(out, data, t->n);
    else
        memcpy(out, data, (size_t)t->n + 1);
    return out;
}

/* --- what counts -----------------------------------------------------------
 */

enum tt_code tt_texts_hold(tt_texts *s, const void *p, size_t n, tt_err *err)
{
    int full;

    if (!s)
        return TT_OK;
    tt_lock_take(&s->lock);
    full = TT_GROW(s->range, s->n_range, s->cap_range);
    if (!full)
        s->range[s->n_range++] = (struct range){p, n};
    tt_lock_give(&s->lock);
    return full ? tt_fail(err, TT_ENOMEM, "out of memory") : TT_OK;
}

void tt_texts_release(tt_texts *s, const void *p)
{
    if (!s || !p)
        return;
    tt_lock_take(&s->lock);
    for (size_t i = 0; i < s->n_range; i++)
        if (s->range[i].p == p) {
            s->range[i] = s->range[--s->n_range];
            break;
        }
    tt_lock_give(&s->lock);
}

/* Anything that looks like a slot and names a text that is here counts as one:
 * a mistake keeps a text too long, and no more. */
static void mark(tt_texts *s, const char *p, size_t n, size_t stride)
{
    const size_t least = offsetof(struct tt_text, s) + TT_SHA256_BYTES;

    for (size_t at = 0; at + least <= n; at += stride) {
        struct blob *b;
        uint32_t size;

        memcpy(&size, p + at, sizeof(size));
        if (size < TT_TEXT_MAX || size > TT_TEXT_MOST)
            continue;
        b = find(s, size, p + at + offsetof(struct tt_text, s));
        if (b)
            b->marked = 1;
    }
}

void tt_texts_sweep(tt_texts *s)
{
    if (!s || !s->fresh)
        return;
    tt_lock_take(&s->lock);
    for (size_t i = 0; i < s->n_range; i++)
        mark(s, s->range[i].p, s->range[i].n, _Alignof(struct tt_text));
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct blob **at = &s->bucket[i]; *at;) {
            struct blob *b = *at;

            if (b->marked) {
                b->marked = 0;
                at = &b->next;
                continue;
            }
            *at = b->next;
            b->next = s->spare;
            s->spare = b;
        }
    s->fresh = 0;
    tt_lock_give(&s->lock);
}

/* --- bytes -----------------------------------------------------------------
 */

static void pack_marked(struct blob *t, struct tt_buf *b)
{
    for (; t; t = t->next)
        if (t->marked) {
            t->marked = 0;
            tt_buf_add(b, (const char *)&t->n, sizeof(t->n));
            tt_buf_add(b, t->s, t->n);
        }
}

/* Each with its length before it; a length of 0 ends them. */
void tt_texts_pack(tt_texts *s, const void *data, size_t n, struct tt_buf *b)
{
    const uint32_t none = 0;

    if (s) {
        tt_lock_take(&s->lock);
        mark(s, data, n, 1);
        for (size_t i = 0; i < BUCKETS; i++)
            pack_marked(s->bucket[i], b);
        tt_lock_give(&s->lock);
    }
    tt_buf_add(b, (const char *)&none, sizeof(none));
}

int tt_texts_unpack(tt_texts *s, const char **rest, size_t *n_rest)
{
    for (;;) {
        struct tt_text t;
        uint32_t n;

        if (*n_rest < sizeof(n))
            return 0;
        memcpy(&n, *rest, sizeof(n));
        *rest += sizeof(n);
        *n_rest -= sizeof(n);
        if (n == 0)
            return 1;
        if (n > *n_rest || tt_text_put(s, &t, *rest, n, NULL) != TT_OK)
            return 0;
        *rest += n;
        *n_rest -= n;
    }
}
