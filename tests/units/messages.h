/* SPDX-License-Identifier: MIT */
/* A unit that passes on long messages: `y` (FMI 3) and `s` follow from its time
 * and from `sum`, the CRC-32 of all it was given at `u` and `v` so far. FMI 2
 * has no binaries, and so no `y` and `u`. x and z are a slow loop of numbers,
 * for masters that iterate. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum {
    VR_SIZE,  /* bytes of a message, at most */
    VR_PICKY, /* steps longer than 0.015 that end in 0.3 to 0.4 are rejected */
    VR_SUM,
    VR_GOT, /* bytes of the messages the last step had */
    VR_X,
    VR_Z,
    VR_V,
    VR_S,
    VR_U,
    VR_Y,
    VR_CLAIM, /* bytes that y claims to have, a thousandth; 0: as many */
};

struct text {
    size_t n;
    unsigned char *s; /* owned, NUL-terminated */
};

/* What a state is: numbers, and the two texts that were given. */
struct numbers {
    double time, x, z;
    int32_t size, picky, got, claim;
    uint32_t sum;
};

struct messages {
    struct numbers at;
    struct text u, v;
    struct text y, s; /* as last read */
};

static int text_set(struct text *t, const void *s, size_t n)
{
    unsigned char *more = realloc(t->s, n + 1);

    if (!more)
        return 0;
    if (n)
        memcpy(more, s, n);
    more[n] = '\0';
    t->s = more;
    t->n = n;
    return 1;
}

static void messages_clear(struct messages *m)
{
    free(m->u.s);
    free(m->v.s);
    free(m->y.s);
    free(m->s.s);
    *m = (struct messages){.at = {.size = 100}};
}

static uint32_t crc32_of(uint32_t crc, const struct text *t)
{
    static uint32_t table[256];

    if (!table[1])
        for (uint32_t i = 0; i < 256; i++) {
            uint32_t c = i;

            for (int k = 0; k < 8; k++)
                c = c & 1 ? 0xedb88320u ^ c >> 1 : c >> 1;
            table[i] = c;
        }
    crc = ~crc;
    for (size_t i = 0; i < t->n; i++)
        crc = table[(crc ^ t->s[i]) & 255] ^ crc >> 8;
    return ~crc;
}

/* A block of 256 bytes again and again, and every 64 KiB its number. */
static int write_message(const struct messages *m, struct text *t, int letters)
{
    uint32_t k = (uint32_t)(int32_t)floor(m->at.time * 1000 + 0.5);
    uint32_t size = (uint32_t)m->at.size;
    size_t n = size / 2 + k * 7919u % (size / 2 + 1);

    if (!text_set(t, NULL, 0) || !(t->s = realloc(t->s, n + 1)))
        return 0;
    for (size_t i = 0; i < n; i++) {
        uint32_t j = i & 255;
        uint32_t b = (m->at.sum >> 8 * (j & 3) ^ j * 131u ^ k) & 255;

        if ((i & 65535) == 65535)
            b = (uint32_t)(i >> 16 & 255);
        t->s[i] = (unsigned char)(letters ? 'a' + b % 26 : b);
    }
    t->s[n] = '\0';
    t->n = n;
    return 1;
}

/* 0: it is rejected. */
static int messages_step(struct messages *m, double t, double h)
{
    double end = t + h;

    if (m->at.picky && h > 0.015 && end > 0.3 && end <= 0.4)
        return 0;
    m->at.sum = crc32_of(crc32_of(m->at.sum, &m->u), &m->v);
    m->at.got = (int32_t)(m->u.n + m->v.n);
    m->at.z += h * (1 + m->at.x - m->at.z) / 4;
    m->at.time = end;
    return 1;
}

/* --- states ------------------------------------------------------------- */

struct packed {
    size_t n;
    unsigned char s[];
};

static size_t packed_size(const struct messages *m)
{
    return sizeof(m->at) + 2 * sizeof(size_t) + m->u.n + m->v.n;
}

static struct packed *messages_pack(const struct messages *m)
{
    size_t n = packed_size(m);
    struct packed *p = malloc(sizeof(*p) + n);
    unsigned char *at;

    if (!p)
        return NULL;
    p->n = n;
    at = p->s;
    memcpy(at, &m->at, sizeof(m->at));
    at += sizeof(m->at);
    memcpy(at, &m->u.n, sizeof(size_t));
    at += sizeof(size_t);
    if (m->u.n)
        memcpy(at, m->u.s, m->u.n);
    at += m->u.n;
    memcpy(at, &m->v.n, sizeof(size_t));
    at += sizeof(size_t);
    if (m->v.n)
        memcpy(at, m->v.s, m->v.n);
    return p;
}

static int messages_unpack(struct messages *m, const struct packed *p)
{
    const unsigned char *at = p->s;
    size_t n;

    memcpy(&m->at, at, sizeof(m->at));
    at += sizeof(m->at);
    memcpy(&n, at, sizeof(n));
    at += sizeof(n);
    if (!text_set(&m->u, at, n))
        return 0;
    at += n;
    memcpy(&n, at, sizeof(n));
    at += sizeof(n);
    return text_set(&m->v, at, n);
}

#endif
