/* SPDX-License-Identifier: MIT */
/* Unit kind library: discrete-event units that are built in, "tutti:queue" and
 * so on (docs/reference/library.md). */
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/num.h"
#include "base/philox.h"
#include "kinds/discrete_hot.h"
#include "kinds/kinds.h"

#define SCHEME   "tutti:"
#define CAPACITY 1000u
#define MOST     1000000u

/* Of a type: where its ports are, in the order in which its entry adds them. */
struct library {
    const struct item *item;
    uint32_t capacity;
    enum tt_type type; /* of what is held */
    uint32_t port[12];
};

struct item {
    const char *name;
    const struct tt_discrete_model *model;
    void (*add)(struct tt_discrete_type *t, struct library *l, int *failed);
    int own_events, stores, typed;
};

static const struct library *library_of(const struct tt_discrete *u)
{
    return u->type->own;
}

static uint32_t port_of(const struct tt_discrete *u, int i)
{
    return library_of(u)->port[i];
}

static double *number(const struct tt_discrete *u, int i)
{
    return tt_discrete_value(u, port_of(u, i));
}

static int is_there(const struct tt_discrete *u, int i)
{
    return *tt_discrete_there(u, port_of(u, i));
}

static void emit(const struct tt_discrete *u, int i, double v)
{
    tt_discrete_emit_number(u, port_of(u, i), v);
}

/* --- ports ---------------------------------------------------------------- */

static void add(struct tt_discrete_type *t, struct library *l, int *failed,
                int i, enum tt_causality causality, const char *name,
                double start)
{
    int twice;

    l->port[i] = tt_discrete_add(t, name, causality, TT_F64, &start, &twice);
    *failed |= l->port[i] == TT_NONE;
}

/* --- what is drawn -------------------------------------------------------- */

enum { MEAN, SPREAD, SEED, DISTRIBUTION, DRAWN, TIMES };

static void add_times(struct tt_discrete_type *t, struct library *l,
                      int *failed)
{
    struct tt_text how;
    int twice;

    (void)tt_text_set(&how, "exponential");
    add(t, l, failed, MEAN, TT_CAUS_PARAMETER, "mean", 1);
    add(t, l, failed, SPREAD, TT_CAUS_PARAMETER, "spread", 0);
    add(t, l, failed, SEED, TT_CAUS_PARAMETER, "seed", 1);
    l->port[DISTRIBUTION] = tt_discrete_add(
        t, "distribution", TT_CAUS_PARAMETER, TT_TEXT, &how, &twice);
    *failed |= l->port[DISTRIBUTION] == TT_NONE;
    add(t, l, failed, DRAWN, TT_CAUS_LOCAL, "drawn", 0);
}

static const char *const distributions[] = {"constant", "uniform",
                                            "exponential", "normal"};

static int distribution_of(const struct tt_discrete *u)
{
    const struct tt_text *how = tt_discrete_value(u, port_of(u, DISTRIBUTION));
    int i = 0;

    while (i < 4 && strcmp(distributions[i], how->s) != 0)
        i++;
    return i;
}

static enum tt_code check_times(struct tt_discrete *u, tt_err *err)
{
    const struct tt_text *how = tt_discrete_value(u, port_of(u, DISTRIBUTION));

    if (distribution_of(u) < 4)
        return TT_OK;
    return tt_fail(err, TT_EINPUT,
                   "'distribution' is 'constant', 'uniform', 'exponential' or "
                   "'normal', not '%.100s'",
                   how->s);
}

/* A stream of its own for each instance and seed. */
static double uniform(const struct tt_discrete *u)
{
    double seed = *number(u, SEED);
    uint64_t key = tt_hash(u->stream, &seed, sizeof(seed));
    double n = (*number(u, DRAWN))++;

    return tt_philox_uniform((uint64_t)n, key);
}

static double draw(const struct tt_discrete *u)
{
    double mean = *number(u, MEAN), spread = *number(u, SPREAD), x;

    switch (distribution_of(u)) {
    case 0:
        return mean;
    case 1:
        return mean + spread * (2 * uniform(u) - 1);
    case 2:
        return -mean * log(uniform(u));
    default: /* Box and Muller; there are no negative times */
        x = sqrt(-2 * log(uniform(u)));
        return fmax(0, mean + spread * x * cos(2 * acos(-1) * uniform(u)));
    }
}

/* --- generator ------------------------------------------------------------ */

enum { G_OUT = TIMES, G_COUNT, G_WAIT };

static void generator_add(struct tt_discrete_type *t, struct library *l,
                          int *failed)
{
    add_times(t, l, failed);
    add(t, l, failed, G_OUT, TT_CAUS_OUTPUT, "out", 0);
    add(t, l, failed, G_COUNT, TT_CAUS_LOCAL, "count", 0);
    add(t, l, failed, G_WAIT, TT_CAUS_LOCAL, "interval", 0);
}

static enum tt_code generator_begin(struct tt_discrete *u, tt_err *err)
{
    enum tt_code rc = check_times(u, err);

    if (rc == TT_OK)
        *number(u, G_WAIT) = draw(u);
    return rc;
}

static enum tt_code generator_advance(struct tt_discrete *u, double *ta,
                                      tt_err *err)
{
    (void)err;
    *ta = *number(u, G_WAIT);
    return TT_OK;
}

/* What it puts out is when. */
static enum tt_code generator_output(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    emit(u, G_OUT, u->k.base.now);
    return TT_OK;
}

static enum tt_code generator_internal(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    ++*number(u, G_COUNT);
    *number(u, G_WAIT) = draw(u);
    return TT_OK;
}

static enum tt_code generator_external(struct tt_discrete *u, int *goes_on,
                                       tt_err *err)
{
    (void)u;
    (void)err;
    *goes_on = 1;
    return TT_OK;
}

/* --- what is stored ------------------------------------------------------- */

struct entry {
    double value, due;
};

struct ring {
    uint64_t first, n;
    struct entry entry[];
};

static struct ring *ring_of(const struct tt_discrete *u)
{
    return (struct ring *)(void *)((char *)u->is + u->type->own_at);
}

static struct entry *head_of(const struct tt_discrete *u)
{
    struct ring *r = ring_of(u);

    return &r->entry[r->first % library_of(u)->capacity];
}

/* 0: there is no room. */
static int put(const struct tt_discrete *u, double value, double due)
{
    uint32_t capacity = library_of(u)->capacity;
    struct ring *r = ring_of(u);

    if (r->n >= capacity)
        return 0;
    r->entry[(r->first + r->n++) % capacity] = (struct entry){value, due};
    return 1;
}

static void drop(const struct tt_discrete *u)
{
    ring_of(u)->first++;
    ring_of(u)->n--;
}

/* --- queue ---------------------------------------------------------------- */

enum { Q_IN, Q_READY, Q_OUT, Q_LENGTH, Q_LOST, Q_FREE, Q_SERVERS };

static void queue_add(struct tt_discrete_type *t, struct library *l,
                      int *failed)
{
    add(t, l, failed, Q_IN, TT_CAUS_INPUT, "in", 0);
    add(t, l, failed, Q_READY, TT_CAUS_INPUT, "ready", 0);
    add(t, l, failed, Q_OUT, TT_CAUS_OUTPUT, "out", 0);
    add(t, l, failed, Q_LENGTH, TT_CAUS_LOCAL, "length", 0);
    add(t, l, failed, Q_LOST, TT_CAUS_LOCAL, "lost", 0);
    add(t, l, failed, Q_FREE, TT_CAUS_LOCAL, "free", 0);
    add(t, l, failed, Q_SERVERS, TT_CAUS_PARAMETER, "servers", 1);
}

static enum tt_code queue_begin(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    *number(u, Q_FREE) = *number(u, Q_SERVERS);
    return TT_OK;
}

/* The first in line leaves at once when a server is free. */
static enum tt_code queue_advance(struct tt_discrete *u, double *ta,
                                  tt_err *err)
{
    (void)err;
    *ta = ring_of(u)->n && *number(u, Q_FREE) > 0 ? 0 : (double)INFINITY;
    return TT_OK;
}

static enum tt_code queue_output(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    emit(u, Q_OUT, head_of(u)->value);
    return TT_OK;
}

static enum tt_code queue_internal(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    drop(u);
    --*number(u, Q_FREE);
    *number(u, Q_LENGTH) = (double)ring_of(u)->n;
    return TT_OK;
}

static enum tt_code queue_external(struct tt_discrete *u, int *goes_on,
                                   tt_err *err)
{
    (void)err;
    (void)goes_on;
    if (is_there(u, Q_READY))
        ++*number(u, Q_FREE);
    if (is_there(u, Q_IN) && !put(u, *number(u, Q_IN), 0))
        ++*number(u, Q_LOST);
    *number(u, Q_LENGTH) = (double)ring_of(u)->n;
    return TT_OK;
}

/* --- server --------------------------------------------------------------- */

enum { S_IN = TIMES, S_OUT, S_BUSY, S_SERVED, S_REFUSED, S_TIME };

static void server_add(struct tt_discrete_type *t, struct library *l,
                       int *failed)
{
    add_times(t, l, failed);
    add(t, l, failed, S_IN, TT_CAUS_INPUT, "in", 0);
    add(t, l, failed, S_OUT, TT_CAUS_OUTPUT, "out", 0);
    add(t, l, failed, S_BUSY, TT_CAUS_LOCAL, "busy", 0);
    add(t, l, failed, S_SERVED, TT_CAUS_LOCAL, "served", 0);
    add(t, l, failed, S_REFUSED, TT_CAUS_LOCAL, "refused", 0);
    add(t, l, failed, S_TIME, TT_CAUS_LOCAL, "job", 0);
}

static enum tt_code server_advance(struct tt_discrete *u, double *ta,
                                   tt_err *err)
{
    (void)err;
    *ta = *number(u, S_BUSY) != 0 ? draw(u) : (double)INFINITY;
    return TT_OK;
}

static enum tt_code server_output(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    emit(u, S_OUT, *number(u, S_TIME));
    return TT_OK;
}

static enum tt_code server_internal(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    *number(u, S_BUSY) = 0;
    ++*number(u, S_SERVED);
    return TT_OK;
}

static enum tt_code server_external(struct tt_discrete *u, int *goes_on,
                                    tt_err *err)
{
    (void)err;
    *goes_on = *number(u, S_BUSY) != 0;
    if (*goes_on) {
        ++*number(u, S_REFUSED);
        return TT_OK;
    }
    *number(u, S_BUSY) = 1;
    *number(u, S_TIME) = *number(u, S_IN);
    return TT_OK;
}

/* --- delay ---------------------------------------------------------------- */

enum { D_TIME, D_IN, D_OUT, D_LENGTH, D_LOST };

static void delay_add(struct tt_discrete_type *t, struct library *l,
                      int *failed)
{
    add(t, l, failed, D_TIME, TT_CAUS_PARAMETER, "delay", 1);
    add(t, l, failed, D_IN, TT_CAUS_INPUT, "in", 0);
    add(t, l, failed, D_OUT, TT_CAUS_OUTPUT, "out", 0);
    add(t, l, failed, D_LENGTH, TT_CAUS_LOCAL, "length", 0);
    add(t, l, failed, D_LOST, TT_CAUS_LOCAL, "lost", 0);
}

static enum tt_code delay_begin(struct tt_discrete *u, tt_err *err)
{
    char text[TT_NUM_MAX];

    if (*number(u, D_TIME) >= 0)
        return TT_OK;
    tt_num_print_short(text, *number(u, D_TIME));
    return tt_fail(err, TT_EINPUT, "'delay' is %s s", text);
}

static enum tt_code delay_advance(struct tt_discrete *u, double *ta,
                                  tt_err *err)
{
    (void)err;
    *ta = ring_of(u)->n ? fmax(0, head_of(u)->due - u->k.base.now)
                        : (double)INFINITY;
    return TT_OK;
}

static enum tt_code delay_output(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    emit(u, D_OUT, head_of(u)->value);
    return TT_OK;
}

static enum tt_code delay_internal(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    drop(u);
    *number(u, D_LENGTH) = (double)ring_of(u)->n;
    return TT_OK;
}

/* The time of the first stands as it was planned. */
static enum tt_code delay_external(struct tt_discrete *u, int *goes_on,
                                   tt_err *err)
{
    (void)err;
    *goes_on = ring_of(u)->n > 0;
    if (!put(u, *number(u, D_IN), u->k.base.now + *number(u, D_TIME)))
        ++*number(u, D_LOST);
    *number(u, D_LENGTH) = (double)ring_of(u)->n;
    return TT_OK;
}

/* --- switch, counter, scope ------------------------------------------------
 */

enum { W_IN, W_SELECT, W_A, W_B, W_TO, W_START };

static void switch_add(struct tt_discrete_type *t, struct library *l,
                       int *failed)
{
    add(t, l, failed, W_IN, TT_CAUS_INPUT, "in", 0);
    add(t, l, failed, W_SELECT, TT_CAUS_INPUT, "select", 0);
    add(t, l, failed, W_A, TT_CAUS_OUTPUT, "a", 0);
    add(t, l, failed, W_B, TT_CAUS_OUTPUT, "b", 0);
    add(t, l, failed, W_TO, TT_CAUS_LOCAL, "selected", 0);
    add(t, l, failed, W_START, TT_CAUS_PARAMETER, "start", 0);
}

static enum tt_code switch_begin(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    *number(u, W_TO) = *number(u, W_START);
    return TT_OK;
}

static double selected(const struct tt_discrete *u)
{
    return *number(u, is_there(u, W_SELECT) ? W_SELECT : W_TO);
}

static enum tt_code switch_follow(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    *tt_discrete_there(u, port_of(u, W_A)) = 0;
    *tt_discrete_there(u, port_of(u, W_B)) = 0;
    if (is_there(u, W_IN))
        emit(u, selected(u) != 0 ? W_B : W_A, *number(u, W_IN));
    return TT_OK;
}

static enum tt_code switch_external(struct tt_discrete *u, int *goes_on,
                                    tt_err *err)
{
    (void)err;
    *goes_on = 1;
    *number(u, W_TO) = selected(u);
    return TT_OK;
}

enum { C_IN, C_OUT, C_COUNT };

static void counter_add(struct tt_discrete_type *t, struct library *l,
                        int *failed)
{
    add(t, l, failed, C_IN, TT_CAUS_INPUT, "in", 0);
    add(t, l, failed, C_OUT, TT_CAUS_OUTPUT, "out", 0);
    add(t, l, failed, C_COUNT, TT_CAUS_LOCAL, "count", 0);
}

static enum tt_code counter_follow(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    *tt_discrete_there(u, port_of(u, C_OUT)) = 0;
    if (is_there(u, C_IN))
        emit(u, C_OUT, *number(u, C_COUNT) + 1);
    return TT_OK;
}

static enum tt_code counter_external(struct tt_discrete *u, int *goes_on,
                                     tt_err *err)
{
    (void)err;
    *goes_on = 1;
    ++*number(u, C_COUNT);
    return TT_OK;
}

enum { O_IN, O_COUNT, O_MEAN, O_DEVIATION, O_LEAST, O_MOST, O_AGE, O_SQUARES };

static void scope_add(struct tt_discrete_type *t, struct library *l,
                      int *failed)
{
    add(t, l, failed, O_IN, TT_CAUS_INPUT, "in", 0);
    add(t, l, failed, O_COUNT, TT_CAUS_LOCAL, "count", 0);
    add(t, l, failed, O_MEAN, TT_CAUS_LOCAL, "mean", 0);
    add(t, l, failed, O_DEVIATION, TT_CAUS_LOCAL, "deviation", 0);
    add(t, l, failed, O_LEAST, TT_CAUS_LOCAL, "least", (double)INFINITY);
    add(t, l, failed, O_MOST, TT_CAUS_LOCAL, "most", -(double)INFINITY);
    add(t, l, failed, O_AGE, TT_CAUS_LOCAL, "age", 0);
    add(t, l, failed, O_SQUARES, TT_CAUS_LOCAL, "squares", 0);
}

/* Welford's: exact where values are alike. */
static enum tt_code scope_external(struct tt_discrete *u, int *goes_on,
                                   tt_err *err)
{
    double x = *number(u, O_IN), n = ++*number(u, O_COUNT);
    double off = x - *number(u, O_MEAN);

    (void)err;
    *goes_on = 1;
    *number(u, O_MEAN) += off / n;
    *number(u, O_SQUARES) += off * (x - *number(u, O_MEAN));
    *number(u, O_DEVIATION) = n > 1 ? sqrt(*number(u, O_SQUARES) / (n - 1)) : 0;
    *number(u, O_LEAST) = fmin(*number(u, O_LEAST), x);
    *number(u, O_MOST) = fmax(*number(u, O_MOST), x);
    *number(u, O_AGE) += (u->k.base.now - x - *number(u, O_AGE)) / n;
    return TT_OK;
}

/* --- hold ----------------------------------------------------------------- */

enum { H_IN, H_START, H_Y };

/* The last one is there all the time, and so has no clock. It lies where the
 * parameter does, so that it is that from the first instant of initialisation
 * on. */
static void hold_add(struct tt_discrete_type *t, struct library *l, int *failed)
{
    static const struct {
        const char *name;
        enum tt_causality causality;
    } port[] = {[H_IN] = {"in", TT_CAUS_INPUT},
                [H_START] = {"start", TT_CAUS_PARAMETER},
                [H_Y] = {"y", TT_CAUS_LOCAL}};
    int twice;

    for (int i = H_IN; i <= H_Y; i++) {
        l->port[i] = tt_discrete_add(t, port[i].name, port[i].causality,
                                     l->type, NULL, &twice);
        *failed |= l->port[i] == TT_NONE;
    }
    if (*failed)
        return;
    t->port[l->port[H_Y]].causality = TT_CAUS_OUTPUT;
    t->port[l->port[H_Y]].initial = TT_INIT_CALCULATED;
    t->port[l->port[H_Y]].start = NULL;
    t->at[l->port[H_Y]] = t->at[l->port[H_START]];
}

static enum tt_code hold_external(struct tt_discrete *u, int *goes_on,
                                  tt_err *err)
{
    (void)err;
    *goes_on = 1;
    memcpy(tt_discrete_value(u, port_of(u, H_Y)),
           tt_discrete_value(u, port_of(u, H_IN)),
           tt_type_size(library_of(u)->type));
    return TT_OK;
}

/* --- all of them ---------------------------------------------------------- */

/* Of those that have events of their own. */
#define OWN(name, begins)                                                      \
    static const struct tt_discrete_model name##_model;                        \
    TT_DISCRETE_CALLS(name##_calls, name##_model);                             \
    static const struct tt_discrete_model name##_model = {                     \
        .begin = (begins),                                                     \
        .advance = name##_advance,                                             \
        .output = name##_output,                                               \
        .internal = name##_internal,                                           \
        .external = name##_external,                                           \
        .calls = &name##_calls}

OWN(generator, generator_begin);
OWN(queue, queue_begin);
OWN(server, check_times);
OWN(delay, delay_begin);

static const struct tt_discrete_model switch_model = {.begin = switch_begin,
                                                      .follow = switch_follow,
                                                      .external =
                                                          switch_external};
static const struct tt_discrete_model counter_model = {
    .follow = counter_follow, .external = counter_external};
static const struct tt_discrete_model hold_model = {.external = hold_external};
static const struct tt_discrete_model scope_model = {.external =
                                                         scope_external};

#define ITEM(word) .name = #word, .add = word##_add, .model = &word##_model
static const struct item items[] = {
    {ITEM(generator), .own_events = 1},
    {ITEM(queue), .own_events = 1, .stores = 1},
    {ITEM(server), .own_events = 1},
    {ITEM(delay), .own_events = 1, .stores = 1},
    {ITEM(switch)},
    {ITEM(counter)},
    {ITEM(hold), .typed = 1},
    {ITEM(scope)},
};
enum { N_ITEM = sizeof(items) / sizeof(*items) };

/* The item of a source, and what is behind its name: "" or ": text". */
static const struct item *item_of(const char *path, const char **rest)
{
    if (strncmp(path, SCHEME, strlen(SCHEME)) != 0)
        return NULL;
    for (int i = 0; i < N_ITEM; i++) {
        const char *name = path + strlen(SCHEME);
        size_t n = strlen(items[i].name);

        if (strncmp(name, items[i].name, n) != 0 || (name[n] && name[n] != ':'))
            continue;
        *rest = name + n;
        return &items[i];
    }
    return NULL;
}

static int accepts(const struct tt_source *s)
{
    const char *rest;

    return item_of(s->path, &rest) != NULL;
}

/* "tutti:queue: 50": room for so many. */
static enum tt_code read_capacity(const struct item *item, const char *rest,
                                  uint32_t *capacity, tt_err *err)
{
    double n = CAPACITY;

    rest += *rest == ':';
    rest += strspn(rest, " ");
    if (*rest && !item->stores)
        return tt_fail(err, TT_EINPUT, "'%s' takes nothing behind its name",
                       item->name);
    if (*rest && (tt_num_parse_n(rest, strlen(rest), &n) != 0 || n < 1 ||
                  n > MOST || n != floor(n)))
        return tt_fail(err, TT_EINPUT,
                       "the room of a '%s' is a whole number from 1 to %u, not "
                       "'%.100s'",
                       item->name, MOST, rest);
    *capacity = (uint32_t)n;
    return TT_OK;
}

/* "tutti:hold: text": its events are texts. */
static enum tt_code read_type(const struct item *item, const char **rest,
                              enum tt_type *type, tt_err *err)
{
    static const char *const word[] = {"number", "boolean", "text"};
    static const enum tt_type is[] = {TT_F64, TT_BOOL, TT_TEXT};
    const char *text = *rest + (**rest == ':');

    text += strspn(text, " ");
    *type = TT_F64;
    if (!item->typed || !*text)
        return TT_OK;
    *rest = "";
    for (int i = 0; i < 3; i++)
        if (!strcmp(text, word[i])) {
            *type = is[i];
            return TT_OK;
        }
    return tt_fail(err, TT_EINPUT,
                   "what is held is a 'number', a 'boolean' or a 'text', not "
                   "'%.100s'",
                   text);
}

static enum tt_code build(struct tt_discrete_type *t, const struct item *item,
                          const char *rest, tt_err *err)
{
    struct library *l = tt_arena_alloc(t->b.arena, 1, sizeof(*l));
    enum tt_code rc =
        tt_discrete_describe(t, item->name, item->own_events, err);
    int failed = 0;

    if (rc != TT_OK || !l)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    t->own = l;
    t->model = item->model;
    l->item = item;
    rc = read_type(item, &rest, &l->type, err);
    if (rc == TT_OK)
        rc = read_capacity(item, rest, &l->capacity, err);
    if (rc != TT_OK)
        return rc;
    item->add(t, l, &failed);
    if (failed)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    return tt_discrete_finish(
        t,
        item->stores ? sizeof(struct ring) + l->capacity * sizeof(struct entry)
                     : 0,
        err);
}

static enum tt_code read(struct tt_builtin_type *t, const struct tt_source *s,
                         tt_err *err)
{
    const char *rest = "";
    const struct item *item = item_of(s->path, &rest);
    enum tt_code rc =
        build((struct tt_discrete_type *)(void *)t, item, rest, err);

    return rc == TT_OK ? rc : tt_context(err, rc, "%.200s", s->path);
}

const struct tt_builtin tt_builtin_library = {TT_DISCRETE, .accepts = accepts,
                                              .read = read};
