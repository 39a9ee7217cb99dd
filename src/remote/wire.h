/* SPDX-License-Identifier: MIT */
#ifndef TT_REMOTE_WIRE_H
#define TT_REMOTE_WIRE_H

/* The wire: what a master and a worker send each other about one unit.
 *
 * A *message* is a head and a body. The master sends a *request*: commands one
 * after the other. The worker obeys them in order, up to the first that fails,
 * and sends one *answer*: the result of each. So whatever can wait travels with
 * what cannot, and a macro step costs one message each way.
 *
 * Numbers are little-endian, floats their IEEE bits, texts counted. Everything
 * is bounded, and a reader that meets anything else is `bad` and reads zeros
 * from there on: check once at the end. docs/reference/wire.md states it all.
 */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/err.h"
#include "base/mem.h"
#include "unit/unit.h"

#define TT_WIRE_MAGIC     0x31545554u /* "TUT1" */
#define TT_WIRE_VERSION   17u
#define TT_WIRE_HEAD      16u                 /* bytes of a head */
#define TT_WIRE_MAX       ((size_t)256 << 20) /* bytes of a body */
#define TT_WIRE_HELLO_MAX 4096u /* of a body before the token was seen */
#define TT_WIRE_WATCH_MAX 4096u /* watched lists of one unit */

enum tt_wire_type {
    TT_WIRE_REQUEST = 1,
    TT_WIRE_ANSWER = 2,
    TT_WIRE_LAST_WORDS = 3, /* how the worker's process ended: a text */
};
#define TT_WIRE_LAST_MAX 128u /* bytes of last words */

/* Commands: the operations of a unit (unit/ops.h), and these. */
#define TT_WIRE_COMMANDS(X)                                                    \
    TT_UNIT_OPS(X)                                                             \
    X(hello, HELLO, 1, 0, 0, NONE)                                             \
    X(open, OPEN, 2, 0, 0, NONE)                                               \
    X(have, HAVE, 3, 0, 0, NONE)                                               \
    X(put, PUT, 4, 0, 0, NONE)                                                 \
    X(make, MAKE, 5, 0, 0, NONE)                                               \
    X(watch, WATCH, 26, 0, 0, NONE)                                            \
    X(news, NEWS, 27, 0, 0, NONE)                                              \
    X(bye, BYE, 28, 0, 0, NONE)
#define TT_WIRE_COUNT  64u /* all are less */
#define TT_WIRE_TIMING 37u /* bytes of one */

enum tt_wire_command {
#define X(op, name, wire, lives, claim, shape) TT_WIRE_##name = (wire),
    TT_WIRE_COMMANDS(X)
#undef X
};

const char *tt_wire_name(unsigned command); /* "?" when there is none */

/* --- byte order --------------------------------------------------------- */

/* n elements of `size` bytes between our order and the wire's. In line, like
 * all that is done for every value: a step of a unit elsewhere is mostly that.
 */
static inline void tt_wire_copy(void *to, const void *from, size_t n,
                                size_t size)
{
    unsigned char *t = to;
    const unsigned char *f = from;

    if (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ || size == 1) {
        if (n)
            memcpy(to, from, n * size);
        return;
    }
    for (size_t i = 0; i < n; i++, t += size, f += size)
        for (size_t k = 0; k < size; k++)
            t[k] = f[size - 1 - k];
}

/* --- writing ------------------------------------------------------------ */

/* A growing body. After a failed append it is `failed` and appends do
 * nothing. The memory stays when it is emptied. */
struct tt_wire {
    char *data; /* owned */
    size_t n;
    size_t cap;  /* that may be used: none beyond n after a failure */
    size_t size; /* of data */
    int failed;
};

void tt_wire_fini(struct tt_wire *w);
static inline void tt_wire_empty(struct tt_wire *w)
{
    w->n = 0;
    w->cap = w->size;
    w->failed = 0;
}

/* The same with new memory. */
char *tt_wire_grow(struct tt_wire *w, size_t n);
/* Room for n more bytes, to be written by the caller; NULL: failed. */
static inline char *tt_wire_room(struct tt_wire *w, size_t n)
{
    if (n >= w->cap - w->n)
        return tt_wire_grow(w, n);
    w->n += n;
    return w->data + w->n - n;
}

static inline void tt_wire_put(struct tt_wire *w, const void *v, size_t size)
{
    char *at = tt_wire_room(w, size);

    if (at)
        tt_wire_copy(at, v, 1, size);
}

static inline void tt_wire_u8(struct tt_wire *w, unsigned v)
{
    tt_wire_put(w, &(uint8_t){(uint8_t)v}, 1);
}

static inline void tt_wire_u32(struct tt_wire *w, uint32_t v)
{
    tt_wire_put(w, &v, sizeof(v));
}

static inline void tt_wire_u64(struct tt_wire *w, uint64_t v)
{
    tt_wire_put(w, &v, sizeof(v));
}

static inline void tt_wire_f64(struct tt_wire *w, double v)
{
    tt_wire_put(w, &v, sizeof(v));
}

void tt_wire_bytes(struct tt_wire *w, const void *data, size_t n); /* counted */
void tt_wire_text(struct tt_wire *w, const char *s); /* NULL is not "" */
/* --- reading ------------------------------------------------------------ */

struct tt_wire_in {
    const char *at, *end;
    int bad;
};

static inline struct tt_wire_in tt_wire_from(const void *data, size_t n)
{
    return (struct tt_wire_in){data, (const char *)data + n, 0};
}

/* n bytes, borrowed; NULL: bad. */
static inline const char *tt_wire_take(struct tt_wire_in *r, size_t n)
{
    const char *at = r->at;

    if (r->bad || (size_t)(r->end - r->at) < n) {
        r->bad = 1;
        return NULL;
    }
    r->at += n;
    return at;
}

/* v stays when it is bad. */
static inline void tt_wire_get(struct tt_wire_in *r, void *v, size_t size)
{
    const char *at = tt_wire_take(r, size);

    if (at)
        tt_wire_copy(v, at, 1, size);
}

static inline unsigned tt_wire_get_u8(struct tt_wire_in *r)
{
    uint8_t v = 0;

    tt_wire_get(r, &v, sizeof(v));
    return v;
}

/* 0 or 1, else bad. */
static inline unsigned tt_wire_get_flag(struct tt_wire_in *r)
{
    unsigned v = tt_wire_get_u8(r);

    r->bad |= v > 1;
    return v == 1;
}
/* Flags that follow each other are listed once for both ways, as
 * #define FLAGS(X, of) X(of, first) X(of, second): FLAGS(TT_WIRE_PUT_FLAG,
 * from) with a tt_wire `w`, FLAGS(TT_WIRE_GET_FLAG, to) with a tt_wire_in `r`.
 */
#define TT_WIRE_PUT_FLAG(from, flag)    tt_wire_u8(w, (from)->flag != 0);
#define TT_WIRE_GET_FLAG(to, flag)      (to)->flag = (int)tt_wire_get_flag(r);
/* Numbers likewise, as X(of, u32, first) X(of, f64, second). */
#define TT_WIRE_PUT(from, type, member) tt_wire_##type(w, (from)->member);
#define TT_WIRE_GET(to, type, member)   (to)->member = tt_wire_get_##type(r);

static inline uint32_t tt_wire_get_u32(struct tt_wire_in *r)
{
    uint32_t v = 0;

    tt_wire_get(r, &v, sizeof(v));
    return v;
}

static inline uint64_t tt_wire_get_u64(struct tt_wire_in *r)
{
    uint64_t v = 0;

    tt_wire_get(r, &v, sizeof(v));
    return v;
}

static inline double tt_wire_get_f64(struct tt_wire_in *r)
{
    double v = 0;

    tt_wire_get(r, &v, sizeof(v));
    return v;
}

/* Counted bytes, borrowed. */
static inline const char *tt_wire_get_bytes(struct tt_wire_in *r, size_t *n)
{
    const char *at;

    *n = tt_wire_get_u32(r);
    at = tt_wire_take(r, *n);
    if (!at)
        *n = 0;
    return at;
}

/* A copy in the arena; NULL when it is one, or bad. */
const char *tt_wire_get_text(struct tt_wire_in *r, tt_arena *a);
/* A count of things of at least `size` bytes each, of which there can be no
 * more than bytes left. */
uint32_t tt_wire_get_count(struct tt_wire_in *r, size_t size);
/* A count, and room for so many of `size`, each at least `least` bytes of the
 * message. NULL: it is bad. */
void *tt_wire_get_room(struct tt_wire_in *r, tt_arena *a, size_t least,
                       size_t size, uint32_t *n);
/* Texts, none of them missing. */
const char *const *tt_wire_get_texts(struct tt_wire_in *r, tt_arena *a,
                                     uint32_t *n);

/* --- values ------------------------------------------------------------- */

/* Has a value of the type no fixed size? */
/* n elements of a type, as their unit has them. Texts of any length are whole
 * on the wire: `texts` has, and gets, the bytes of long ones. */
void tt_wire_values(struct tt_wire *w, enum tt_type type, size_t n,
                    const void *value, tt_texts *texts);
void tt_wire_get_values(struct tt_wire_in *r, enum tt_type type, size_t n,
                        void *value, tt_texts *texts);

/* What the values of a list are, found out once. */
struct tt_wire_shape {
    enum tt_type type;
    int is_plain; /* on the wire they are as in memory, whatever the bytes */
    size_t n;
    size_t n_bytes; /* in memory */
};

/* Of no ports: one float. */
struct tt_wire_shape tt_wire_shape_of(const struct tt_desc *d,
                                      const uint32_t *port, size_t n);

/* A single number needs no call. */
static inline void tt_wire_move(void *to, const void *from, size_t n)
{
    if (n == sizeof(double))
        memcpy(to, from, sizeof(double));
    else
        memcpy(to, from, n);
}

static inline void tt_wire_shaped(struct tt_wire *w,
                                  const struct tt_wire_shape *s,
                                  const void *value, tt_texts *texts)
{
    char *at = s->is_plain ? tt_wire_room(w, s->n_bytes) : NULL;

    if (TT_LIKELY(at != NULL))
        tt_wire_move(at, value, s->n_bytes);
    else
        tt_wire_values(w, s->type, s->n, value, texts);
}

static inline void tt_wire_get_shaped(struct tt_wire_in *r,
                                      const struct tt_wire_shape *s,
                                      void *value, tt_texts *texts)
{
    const char *at = s->is_plain ? tt_wire_take(r, s->n_bytes) : NULL;

    if (TT_LIKELY(at != NULL))
        tt_wire_move(value, at, s->n_bytes);
    else
        tt_wire_get_values(r, s->type, s->n, value, texts);
}

/* Bytes they take at least, to refuse what cannot be there. */
size_t tt_wire_least(enum tt_type type, size_t n);

/* The ports of a list; they must exist and have one type. n at most
 * d->n_port. Elements of all of them in *n_value. */
void tt_wire_ports(struct tt_wire *w, const uint32_t *port, size_t n);
/* port (room for cap) is filled; returns n, or 0 and bad. */
uint32_t tt_wire_get_ports(struct tt_wire_in *r, const struct tt_desc *d,
                           uint32_t *port, uint32_t cap);

/* --- structures --------------------------------------------------------- */

void tt_wire_step(struct tt_wire *w, const struct tt_step *s);
void tt_wire_get_step(struct tt_wire_in *r, struct tt_step *s);
void tt_wire_stepped(struct tt_wire *w, const struct tt_stepped *s);
void tt_wire_get_stepped(struct tt_wire_in *r, struct tt_stepped *s);
/* Rows of a width both sides know, into *room, which has *cap rows. */
void tt_wire_trail(struct tt_wire *w, const struct tt_trail_rows *r);
void tt_wire_get_trail(struct tt_wire_in *r, size_t width, double **room,
                       size_t *cap, struct tt_trail_rows *rows);
void tt_wire_event(struct tt_wire *w, const struct tt_event_result *e);
void tt_wire_get_event(struct tt_wire_in *r, struct tt_event_result *e);
/* 0/0 is no ratio; what is read is in lowest terms. */
void tt_wire_ratio(struct tt_wire *w, struct tt_ratio v);
struct tt_ratio tt_wire_get_ratio(struct tt_wire_in *r);
/* Port, whether it is known, interval and shift. */
void tt_wire_timing(struct tt_wire *w, const struct tt_timing *t);
void tt_wire_get_timing(struct tt_wire_in *r, struct tt_timing *t);
void tt_wire_experiment(struct tt_wire *w, const struct tt_experiment *e);
void tt_wire_get_experiment(struct tt_wire_in *r, struct tt_experiment *e);
void tt_wire_make(struct tt_wire *w, const struct tt_make *m);
/* Texts and lists in the arena; least: the least level of its log. */
void tt_wire_get_make(struct tt_wire_in *r, tt_arena *a, struct tt_make *m,
                      enum tt_log_level *least);

/* wire_desc.c: a description. What is read lives in the arena, but for
 * by_name, which the caller ends (tt_names_fini), also after a failure. */
void tt_wire_desc(struct tt_wire *w, const struct tt_desc *d);
TT_NODISCARD enum tt_code tt_wire_get_desc(struct tt_wire_in *r, tt_arena *a,
                                           struct tt_desc *d, tt_err *err);

/* --- results ------------------------------------------------------------ */

/* Before what a command has to report: command u8, code u8, count u32. */
#define TT_WIRE_RESULT 6u

/* Room for it; returns where what it states begins. */
static inline size_t tt_wire_begin_result(struct tt_wire *w)
{
    (void)tt_wire_room(w, TT_WIRE_RESULT);
    return w->n;
}

/* What was written from `at` on is what the command has to report; there is
 * room before it. */
static inline void tt_wire_put_result(struct tt_wire *w, size_t at,
                                      unsigned command, enum tt_code code)
{
    uint32_t n = (uint32_t)(w->n - at);
    char *head = w->data + at - TT_WIRE_RESULT;

    if (w->failed)
        return;
    head[0] = (char)command;
    head[1] = (char)code;
    tt_wire_copy(head + 2, &n, 1, sizeof(n));
}

/* The next result of an answer, and its command; 0 after the last. */
static inline unsigned tt_wire_result(struct tt_wire_in *r, unsigned *code,
                                      struct tt_wire_in *result)
{
    unsigned command = tt_wire_get_u8(r);
    const char *at;
    uint32_t n;

    if (command == 0)
        return 0;
    at = tt_wire_take(r, TT_WIRE_RESULT - 1);
    if (!at)
        return 0;
    *code = (unsigned char)at[0];
    tt_wire_copy(&n, at + 1, 1, sizeof(n));
    at = tt_wire_take(r, n);
    *result = tt_wire_from(at, at ? n : 0);
    r->bad |= *code > TT_ECRASH;
    return r->bad ? 0 : command;
}

/* What a result that is not TT_OK states. */
enum tt_code tt_wire_failure(unsigned code, struct tt_wire_in *result,
                             tt_err *err);

/* --- heads -------------------------------------------------------------- */

struct tt_wire_head {
    uint32_t n;    /* bytes of the body */
    uint32_t seq;  /* of the request; its answer repeats it */
    uint16_t type; /* enum tt_wire_type */
};

void tt_wire_put_head(char out[TT_WIRE_HEAD], const struct tt_wire_head *h);
/* Refuses what no head can be, and bodies over `most`. */
TT_NODISCARD enum tt_code tt_wire_get_head(const char in[TT_WIRE_HEAD],
                                           size_t most, struct tt_wire_head *h,
                                           tt_err *err);

#endif
