/* SPDX-License-Identifier: MIT */
#include "remote/wire.h"

#include <string.h>

const char *tt_wire_name(unsigned command)
{
    static const char *const name[] = {
#define X(op, name, wire, lives, claim, shape) [wire] = #op,
        TT_WIRE_COMMANDS(X)
#undef X
    };

    if (command >= sizeof(name) / sizeof(*name) || !name[command])
        return "?";
    return name[command];
}

/* --- writing ------------------------------------------------------------ */

void tt_wire_fini(struct tt_wire *w)
{
    tt_free(w->data);
    *w = (struct tt_wire){0};
}

char *tt_wire_grow(struct tt_wire *w, size_t n)
{
    size_t want = w->n + n, size = w->size ? w->size : 1024;
    char *more = NULL;

    while (size <= want && size <= TT_WIRE_MAX)
        size *= 2;
    if (!w->failed && n <= TT_WIRE_MAX && want <= TT_WIRE_MAX)
        more = tt_resize(w->data, size, 1);
    if (!more) {
        w->failed = 1;
        w->cap = w->n;
        return NULL;
    }
    w->data = more;
    w->cap = w->size = size;
    w->n = want;
    return more + want - n;
}

void tt_wire_bytes(struct tt_wire *w, const void *data, size_t n)
{
    char *at;

    if (n > UINT32_MAX) {
        w->failed = 1;
        return;
    }
    tt_wire_u32(w, (uint32_t)n);
    at = tt_wire_room(w, n);
    if (at && n)
        memcpy(at, data, n);
}

/* A count of UINT32_MAX states that there is no text. */
void tt_wire_text(struct tt_wire *w, const char *s)
{
    if (s)
        tt_wire_bytes(w, s, strlen(s));
    else
        tt_wire_u32(w, UINT32_MAX);
}

/* --- reading ------------------------------------------------------------ */

const char *tt_wire_get_text(struct tt_wire_in *r, tt_arena *a)
{
    struct tt_wire_in ahead = *r;
    const char *at, *copy;
    size_t n;

    if (tt_wire_get_u32(&ahead) == UINT32_MAX && !ahead.bad) {
        *r = ahead;
        return NULL;
    }
    at = tt_wire_get_bytes(r, &n);
    if (!at || memchr(at, '\0', n)) {
        r->bad = 1;
        return NULL;
    }
    copy = tt_arena_strndup(a, at, n);
    r->bad |= !copy;
    return copy;
}

uint32_t tt_wire_get_count(struct tt_wire_in *r, size_t size)
{
    uint32_t n = tt_wire_get_u32(r);

    if (r->bad || (uint64_t)n * size > (uint64_t)(r->end - r->at)) {
        r->bad = 1;
        return 0;
    }
    return n;
}

void *tt_wire_get_room(struct tt_wire_in *r, tt_arena *a, size_t least,
                       size_t size, uint32_t *n)
{
    void *room;

    *n = tt_wire_get_count(r, least);
    room = tt_arena_alloc(a, *n, size);
    r->bad |= !room;
    return room;
}

const char *const *tt_wire_get_texts(struct tt_wire_in *r, tt_arena *a,
                                     uint32_t *n)
{
    const char **text =
        tt_wire_get_room(r, a, sizeof(uint32_t), sizeof(*text), n);

    for (uint32_t i = 0; i < *n && !r->bad; i++) {
        text[i] = tt_wire_get_text(r, a);
        r->bad |= !text[i];
    }
    return text;
}

/* --- values ------------------------------------------------------------- */

static void put_texts(struct tt_wire *w, const struct tt_text *text, size_t n,
                      tt_texts *texts)
{
    for (size_t i = 0; i < n; i++) {
        const char *data = tt_text_data(texts, &text[i], NULL);

        if (data)
            tt_wire_bytes(w, data, text[i].n);
        else
            w->failed = 1;
    }
}

void tt_wire_values(struct tt_wire *w, enum tt_type type, size_t n,
                    const void *value, tt_texts *texts)
{
    char *at;

    if (tt_type_is_text(type)) {
        put_texts(w, value, n, texts);
        return;
    }
    at = tt_wire_room(w, n * tt_type_size(type));
    if (at)
        tt_wire_copy(at, value, n, tt_type_size(type));
}

/* C's bool has two values only; others would be undefined to read. */
static void check_bools(struct tt_wire_in *r, const char *at, size_t n)
{
    for (size_t i = 0; i < n; i++)
        r->bad |= (unsigned char)at[i] > 1;
}

static void get_texts(struct tt_wire_in *r, struct tt_text *text, size_t n,
                      tt_texts *texts)
{
    for (size_t i = 0; i < n; i++) {
        size_t len;
        const char *at = tt_wire_get_bytes(r, &len);

        if (!r->bad)
            r->bad |= tt_text_put(texts, &text[i], at, len, NULL) != TT_OK;
        if (r->bad)
            return;
    }
}

void tt_wire_get_values(struct tt_wire_in *r, enum tt_type type, size_t n,
                        void *value, tt_texts *texts)
{
    const char *at;

    if (tt_type_is_text(type)) {
        get_texts(r, value, n, texts);
        return;
    }
    at = tt_wire_take(r, n * tt_type_size(type));
    if (at && (type == TT_BOOL || type == TT_CLOCK))
        check_bools(r, at, n);
    if (at && !r->bad)
        tt_wire_copy(value, at, n, tt_type_size(type));
}

struct tt_wire_shape tt_wire_shape_of(const struct tt_desc *d,
                                      const uint32_t *port, size_t n)
{
    struct tt_wire_shape s = {.type = n ? d->port[port[0]].type : TT_F64,
                              .n = n ? tt_desc_elements(d, port, n) : 1};

    s.is_plain = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ &&
                 s.type != TT_BOOL && s.type != TT_CLOCK &&
                 !tt_type_is_text(s.type);
    s.n_bytes = s.n * tt_type_size(s.type);
    return s;
}

size_t tt_wire_least(enum tt_type type, size_t n)
{
    return n * (tt_type_is_text(type) ? sizeof(uint32_t) : tt_type_size(type));
}

void tt_wire_ports(struct tt_wire *w, const uint32_t *port, size_t n)
{
    char *at;

    tt_wire_u32(w, (uint32_t)n);
    at = tt_wire_room(w, n * sizeof(*port));
    if (at)
        tt_wire_copy(at, port, n, sizeof(*port));
}

uint32_t tt_wire_get_ports(struct tt_wire_in *r, const struct tt_desc *d,
                           uint32_t *port, uint32_t cap)
{
    uint32_t n = tt_wire_get_count(r, sizeof(*port));
    const char *at;

    if (n > cap)
        r->bad = 1;
    at = tt_wire_take(r, n * sizeof(*port));
    if (!at)
        return 0;
    tt_wire_copy(port, at, n, sizeof(*port));
    for (uint32_t i = 0; i < n; i++)
        if (port[i] >= d->n_port ||
            d->port[port[i]].type != d->port[port[0]].type) {
            r->bad = 1;
            return 0;
        }
    return n;
}

/* --- structures --------------------------------------------------------- */

#define STEP    17u /* bytes of a step, and of an outcome */
#define STEPPED 18u

/* n bytes that begin with two numbers; what follows them. NULL: no room. */
static char *put_two(struct tt_wire *w, size_t n, double first, double second)
{
    char *at = tt_wire_room(w, n);

    if (!at)
        return NULL;
    tt_wire_copy(at, &first, 1, sizeof(first));
    tt_wire_copy(at + 8, &second, 1, sizeof(second));
    return at + 16;
}

static const char *take_two(struct tt_wire_in *r, size_t n, double *first,
                            double *second)
{
    const char *at = tt_wire_take(r, n);

    if (!at)
        return NULL;
    tt_wire_copy(first, at, 1, sizeof(*first));
    tt_wire_copy(second, at + 8, 1, sizeof(*second));
    return at + 16;
}

void tt_wire_step(struct tt_wire *w, const struct tt_step *s)
{
    char *at = put_two(w, STEP, s->to, s->h);

    if (at)
        *at = s->may_restore != 0;
}

void tt_wire_get_step(struct tt_wire_in *r, struct tt_step *s)
{
    const char *at;

    *s = (struct tt_step){0};
    at = take_two(r, STEP, &s->to, &s->h);
    if (!at)
        return;
    s->may_restore = *at == 1;
    r->bad |= (unsigned char)*at > 1;
}

void tt_wire_stepped(struct tt_wire *w, const struct tt_stepped *s)
{
    char *at = put_two(w, STEPPED, s->reached, s->lag);

    if (!at)
        return;
    at[0] = (char)s->after;
    at[1] = (char)s->flags;
}

void tt_wire_get_stepped(struct tt_wire_in *r, struct tt_stepped *s)
{
    const char *at;
    unsigned after;

    *s = (struct tt_stepped){0};
    at = take_two(r, STEPPED, &s->reached, &s->lag);
    if (!at)
        return;
    after = (unsigned char)at[0];
    s->flags = (unsigned char)at[1];
    r->bad |= after > TT_AFTER_NEEDS_RESTORE || s->flags > 31u;
    s->after = r->bad ? TT_AFTER_AT_REACHED : (enum tt_after)after;
}

#define EVENT_FLAGS(X, e)                                                      \
    X(e, again)                                                                \
    X(e, terminate)                                                            \
    X(e, values_changed) X(e, nominals_changed) X(e, next_defined)

void tt_wire_event(struct tt_wire *w, const struct tt_event_result *e)
{
    EVENT_FLAGS(TT_WIRE_PUT_FLAG, e)
    tt_wire_f64(w, e->next);
    tt_wire_u32(w, e->ran);
}

void tt_wire_get_event(struct tt_wire_in *r, struct tt_event_result *e)
{
    EVENT_FLAGS(TT_WIRE_GET_FLAG, e)
    e->next = tt_wire_get_f64(r);
    e->ran = tt_wire_get_u32(r);
}

void tt_wire_ratio(struct tt_wire *w, struct tt_ratio v)
{
    tt_wire_u64(w, v.num);
    tt_wire_u64(w, v.den);
}

struct tt_ratio tt_wire_get_ratio(struct tt_wire_in *r)
{
    struct tt_ratio is;

    is.num = tt_wire_get_u64(r);
    is.den = tt_wire_get_u64(r);
    r->bad |= is.den > TT_RATIO_DEN_MAX || (is.num && !is.den);
    return tt_ratio_reduce(is);
}

void tt_wire_timing(struct tt_wire *w, const struct tt_timing *t)
{
    tt_wire_u32(w, t->port);
    tt_wire_u8(w, (unsigned)t->known);
    tt_wire_ratio(w, t->interval);
    tt_wire_ratio(w, t->shift);
}

void tt_wire_get_timing(struct tt_wire_in *r, struct tt_timing *t)
{
    unsigned known;

    t->port = tt_wire_get_u32(r);
    known = tt_wire_get_u8(r);
    r->bad |= known > TT_KNOWN_CHANGED;
    t->known = (enum tt_known)known;
    t->interval = tt_wire_get_ratio(r);
    t->shift = tt_wire_get_ratio(r);
}

void tt_wire_trail(struct tt_wire *w, const struct tt_trail_rows *r)
{
    tt_wire_u32(w, (uint32_t)(r->lost < UINT32_MAX ? r->lost : UINT32_MAX));
    tt_wire_u32(w, (uint32_t)r->n);
    tt_wire_values(w, TT_F64, r->n, r->time, NULL);
    tt_wire_values(w, TT_F64, r->n * r->width, r->value, NULL);
}

void tt_wire_get_trail(struct tt_wire_in *r, size_t width, double **room,
                       size_t *cap, struct tt_trail_rows *rows)
{
    size_t row = (width + 1) * sizeof(double);
    uint32_t lost = tt_wire_get_u32(r), n = tt_wire_get_count(r, row);
    double *at = *room;

    if (r->bad)
        return;
    if (n > *cap) {
        at = tt_resize(*room, n, row);
        r->bad |= !at;
        if (r->bad)
            return;
        *room = at;
        *cap = n;
    }
    tt_wire_get_values(r, TT_F64, n, at, NULL);
    tt_wire_get_values(r, TT_F64, n * width, at + n, NULL);
    *rows = (struct tt_trail_rows){
        .n = n, .width = width, .time = at, .value = at + n, .lost = lost};
}

void tt_wire_experiment(struct tt_wire *w, const struct tt_experiment *e)
{
    tt_wire_f64(w, e->start);
    tt_wire_f64(w, e->end);
    tt_wire_f64(w, e->tolerance);
}

void tt_wire_get_experiment(struct tt_wire_in *r, struct tt_experiment *e)
{
    e->start = tt_wire_get_f64(r);
    e->end = tt_wire_get_f64(r);
    e->tolerance = tt_wire_get_f64(r);
}

static void put_integrator(struct tt_wire *w, const struct tt_integrator *i)
{
    tt_wire_u8(w, i ? (unsigned)i->method : TT_ODE_AUTO);
    tt_wire_f64(w, i ? i->tolerance : 0);
    tt_wire_f64(w, i ? i->step : 0);
}

static void get_integrator(struct tt_wire_in *r, tt_arena *a, struct tt_make *m)
{
    struct tt_integrator *i = tt_arena_alloc(a, 1, sizeof(*i));
    unsigned method = tt_wire_get_u8(r);

    r->bad |= !i || method >= TT_ODE_METHOD_N;
    if (r->bad)
        return;
    *i = (struct tt_integrator){.method = (enum tt_ode_method)method};
    i->tolerance = tt_wire_get_f64(r);
    i->step = tt_wire_get_f64(r);
    m->integrator = i;
}

#define MAKE_FLAGS(X, m)                                                       \
    X(m, visible)                                                              \
    X(m, logging)                                                              \
    X(m, event_mode) X(m, early_return) X(m, takes_back) X(m, want_course)

void tt_wire_make(struct tt_wire *w, const struct tt_make *m)
{
    tt_wire_text(w, m->name ? m->name : "?");
    tt_wire_text(w, m->instance);
    MAKE_FLAGS(TT_WIRE_PUT_FLAG, m)
    tt_wire_u32(w, m->n_trail);
    for (uint32_t i = 0; i < m->n_trail; i++)
        tt_wire_u32(w, m->trail[i]);
    tt_wire_u8(w, m->trail_fine != 0);
    put_integrator(w, m->integrator);
    tt_wire_u8(w, m->experiment != NULL);
    if (m->experiment)
        tt_wire_experiment(w, m->experiment);
    tt_wire_u8(w, m->log ? (unsigned)m->log->least : TT_LOG_ERROR);
    tt_wire_u32(w, m->n_log_category);
    for (uint32_t i = 0; i < m->n_log_category; i++)
        tt_wire_text(w, m->log_category[i]);
}

static void get_trail_ports(struct tt_wire_in *r, tt_arena *a,
                            struct tt_make *m)
{
    uint32_t n = tt_wire_get_count(r, sizeof(uint32_t));
    uint32_t *port = tt_arena_alloc(a, n, sizeof(*port));

    r->bad |= !port;
    for (uint32_t i = 0; i < n && !r->bad; i++)
        port[i] = tt_wire_get_u32(r);
    m->trail = port;
    m->n_trail = r->bad ? 0 : n;
    m->trail_fine = (int)tt_wire_get_flag(r);
}

/* The experiment of a make, if it has one. */
static void get_make_experiment(struct tt_wire_in *r, tt_arena *a,
                                struct tt_make *m)
{
    struct tt_experiment *e;

    if (!tt_wire_get_flag(r))
        return;
    e = tt_arena_alloc(a, 1, sizeof(*e));
    r->bad |= !e;
    if (e)
        tt_wire_get_experiment(r, e);
    m->experiment = e;
}

void tt_wire_get_make(struct tt_wire_in *r, tt_arena *a, struct tt_make *m,
                      enum tt_log_level *least)
{
    unsigned level;

    m->name = tt_wire_get_text(r, a);
    m->instance = tt_wire_get_text(r, a);
    MAKE_FLAGS(TT_WIRE_GET_FLAG, m)
    get_trail_ports(r, a, m);
    get_integrator(r, a, m);
    get_make_experiment(r, a, m);
    level = tt_wire_get_u8(r);
    r->bad |= level > TT_LOG_ERROR || !m->name;
    *least = r->bad ? TT_LOG_ERROR : (enum tt_log_level)level;
    m->log_category = tt_wire_get_texts(r, a, &m->n_log_category);
}

/* --- results ------------------------------------------------------------ */

enum tt_code tt_wire_failure(unsigned code, struct tt_wire_in *result,
                             tt_err *err)
{
    size_t n;
    const char *words = tt_wire_get_bytes(result, &n);

    if (!words)
        return tt_fail(err, TT_EIO, "it fails without a word");
    return tt_fail(err, (enum tt_code)code, "%.*s",
                   n < TT_ERR_MAX ? (int)n : TT_ERR_MAX, words);
}

/* --- heads -------------------------------------------------------------- */

void tt_wire_put_head(char out[TT_WIRE_HEAD], const struct tt_wire_head *h)
{
    uint32_t magic = TT_WIRE_MAGIC, none = 0;

    tt_wire_copy(out, &magic, 1, 4);
    tt_wire_copy(out + 4, &h->n, 1, 4);
    tt_wire_copy(out + 8, &h->seq, 1, 4);
    tt_wire_copy(out + 12, &h->type, 1, 2);
    tt_wire_copy(out + 14, &none, 1, 2);
}

enum tt_code tt_wire_get_head(const char in[TT_WIRE_HEAD], size_t most,
                              struct tt_wire_head *h, tt_err *err)
{
    uint32_t magic = 0;
    uint16_t none = 0;

    tt_wire_copy(&magic, in, 1, 4);
    tt_wire_copy(&h->n, in + 4, 1, 4);
    tt_wire_copy(&h->seq, in + 8, 1, 4);
    tt_wire_copy(&h->type, in + 12, 1, 2);
    tt_wire_copy(&none, in + 14, 1, 2);
    if (magic != TT_WIRE_MAGIC || none != 0 || h->type < TT_WIRE_REQUEST ||
        h->type > TT_WIRE_LAST_WORDS)
        return tt_fail(err, TT_EINPUT, "this is no message of Tutti");
    if (h->n > most)
        return tt_fail(err, TT_EINPUT,
                       "a message of %u bytes, at most %zu are taken",
                       (unsigned)h->n, most);
    return TT_OK;
}
