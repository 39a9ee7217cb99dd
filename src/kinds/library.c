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

#define MOST_PORTS 12

/* Of a type: its ports, in the order of its entry, which is that of the
 * enumeration above it. */
struct library {
    const struct item *item;
    uint32_t capacity;
    enum tt_type type; /* of what is held */
    uint32_t port[MOST_PORTS];
    /* Where their values are in the state, and the clocks of those that have
     * one. */
    uint32_t at[MOST_PORTS], there[MOST_PORTS];
};

struct port {
    const char *name;
    enum tt_causality causality;
    double start;
    const char *text; /* its start where it is a text */
};
#define PORT(name, is, start)                                                  \
    {                                                                          \
        (name), TT_CAUS_##is, (start), NULL                                    \
    }

struct item {
    const char *name;
    const struct tt_discrete_model *model;
    const struct port *port;
    uint32_t n_port;
    int own_events, stores, typed;
};

static const struct library *library_of(const struct tt_discrete *u)
{
    return u->type->own;
}

static void *place(const struct tt_discrete *u, int i)
{
    return (char *)u->is + library_of(u)->at[i];
}

static double *number(const struct tt_discrete *u, int i)
{
    return place(u, i);
}

static uint8_t *there(const struct tt_discrete *u, int i)
{
    return (uint8_t *)u->is + library_of(u)->there[i];
}

static int is_there(const struct tt_discrete *u, int i)
{
    return *there(u, i);
}

static void emit(const struct tt_discrete *u, int i, double v)
{
    *number(u, i) = v;
    *there(u, i) = 1;
}

/* --- what is drawn -------------------------------------------------------- */

enum { MEAN, SPREAD, SEED, DISTRIBUTION, DRAWN, TIMES };

#define TIMES_PORTS                                                            \
    PORT("mean", PARAMETER, 1), PORT("spread", PARAMETER, 0),                  \
        PORT("seed", PARAMETER, 1),                                            \
        {"distribution", TT_CAUS_PARAMETER, .text = "exponential"},            \
        PORT("drawn", LOCAL, 0)

static const char *const distributions[] = {"constant", "uniform",
                                            "exponential", "normal"};

static int distribution_of(const struct tt_discrete *u)
{
    const struct tt_text *how = place(u, DISTRIBUTION);
    int i = 0;

    while (i < 4 && strcmp(distributions[i], how->s) != 0)
        i++;
    return i;
}

static enum tt_code check_times(struct tt_discrete *u, tt_err *err)
{
    const struct tt_text *how = place(u, DISTRIBUTION);

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

static const struct port generator_port[] = {
    TIMES_PORTS, PORT("out", OUTPUT, 0), PORT("count", LOCAL, 0),
    PORT("interval", LOCAL, 0)};

static enum tt_code generator_begin(struct tt_discrete *u, tt_err *err)
{
    enum tt_code rc = check_times(u, err);

    if (rc == TT_OK)
        *number(u, G_WAIT) = draw(u);
    return rc;
}

static double generator_advance(const struct tt_discrete *u)
{
    return *number(u, G_WAIT);
}

/* What it puts out is when. */
static void generator_output(const struct tt_discrete *u)
{
    emit(u, G_OUT, u->k.base.now);
}

static void generator_internal(const struct tt_discrete *u)
{
    ++*number(u, G_COUNT);
    *number(u, G_WAIT) = draw(u);
}

static int generator_external(const struct tt_discrete *u)
{
    (void)u;
    return 1;
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

/* Which entry is the i-th of a ring that goes around. Nearly always it is i:
 * but a state from outside may begin anywhere. */
static uint64_t entry_at(const struct tt_discrete *u, uint64_t i)
{
    uint32_t capacity = library_of(u)->capacity;

    return TT_LIKELY(i < capacity) ? i : i % capacity;
}

static struct entry *head_of(const struct tt_discrete *u)
{
    struct ring *r = ring_of(u);

    return &r->entry[entry_at(u, r->first)];
}

/* 0: there is no room. */
static int put(const struct tt_discrete *u, double value, double due)
{
    struct ring *r = ring_of(u);

    if (r->n >= library_of(u)->capacity)
        return 0;
    r->entry[entry_at(u, r->first + r->n++)] = (struct entry){value, due};
    return 1;
}

/* An empty one begins at its first entry again: one that holds little stays
 * where it is in memory. */
static void drop(const struct tt_discrete *u)
{
    struct ring *r = ring_of(u);

    r->first = --r->n ? entry_at(u, r->first + 1) : 0;
}

/* --- queue ---------------------------------------------------------------- */

enum { Q_IN, Q_READY, Q_OUT, Q_LENGTH, Q_LOST, Q_FREE, Q_SERVERS };

static const struct port queue_port[] = {
    PORT("in", INPUT, 0),         PORT("ready", INPUT, 0),
    PORT("out", OUTPUT, 0),       PORT("length", LOCAL, 0),
    PORT("lost", LOCAL, 0),       PORT("free", LOCAL, 0),
    PORT("servers", PARAMETER, 1)};

static enum tt_code queue_begin(struct tt_discrete *u, tt_err *err)
{
    (void)err;
    *number(u, Q_FREE) = *number(u, Q_SERVERS);
    return TT_OK;
}

/* The first in line leaves at once when a server is free. */
static double queue_advance(const struct tt_discrete *u)
{
    return ring_of(u)->n && *number(u, Q_FREE) > 0 ? 0 : (double)INFINITY;
}

static void queue_output(const struct tt_discrete *u)
{
    emit(u, Q_OUT, head_of(u)->value);
}

static void queue_internal(const struct tt_discrete *u)
{
    drop(u);
    --*number(u, Q_FREE);
    *number(u, Q_LENGTH) = (double)ring_of(u)->n;
}

static int queue_external(const struct tt_discrete *u)
{
    if (is_there(u, Q_READY))
        ++*number(u, Q_FREE);
    if (is_there(u, Q_IN) && !put(u, *number(u, Q_IN), 0))
        ++*number(u, Q_LOST);
    *number(u, Q_LENGTH) = (double)ring_of(u)->n;
    return 0;
}

/* --- server --------------------------------------------------------------- */

enum { S_IN = TIMES, S_OUT, S_BUSY, S_SERVED, S_REFUSED, S_TIME };

static const struct port server_port[] = {TIMES_PORTS,
                                          PORT("in", INPUT, 0),
                                          PORT("out", OUTPUT, 0),
                                          PORT("busy", LOCAL, 0),
                                          PORT("served", LOCAL, 0),
                                          PORT("refused", LOCAL, 0),
                                          PORT("job", LOCAL, 0)};

static double server_advance(const struct tt_discrete *u)
{
    return *number(u, S_BUSY) != 0 ? draw(u) : (double)INFINITY;
}

static void server_output(const struct tt_discrete *u)
{
    emit(u, S_OUT, *number(u, S_TIME));
}

static void server_internal(const struct tt_discrete *u)
{
    *number(u, S_BUSY) = 0;
    ++*number(u, S_SERVED);
}

static int server_external(const struct tt_discrete *u)
{
    if (*number(u, S_BUSY) != 0) {
        ++*number(u, S_REFUSED);
        return 1;
    }
    *number(u, S_BUSY) = 1;
    *number(u, S_TIME) = *number(u, S_IN);
    return 0;
}

/* --- delay ---------------------------------------------------------------- */

enum { D_TIME, D_IN, D_OUT, D_LENGTH, D_LOST };

static const struct port delay_port[] = {
    PORT("delay", PARAMETER, 1), PORT("in", INPUT, 0), PORT("out", OUTPUT, 0),
    PORT("length", LOCAL, 0), PORT("lost", LOCAL, 0)};

static enum tt_code delay_begin(struct tt_discrete *u, tt_err *err)
{
    char text[TT_NUM_MAX];

    if (*number(u, D_TIME) >= 0)
        return TT_OK;
    tt_num_print_short(text, *number(u, D_TIME));
    return tt_fail(err, TT_EINPUT, "'delay' is %s s", text);
}

static double delay_advance(const struct tt_discrete *u)
{
    double left;

    if (!ring_of(u)->n)
        return (double)INFINITY;
    left = head_of(u)->due - u->k.base.now;
    return left > 0 ? left : 0;
}

static void delay_output(const struct tt_discrete *u)
{
    emit(u, D_OUT, head_of(u)->value);
}

static void delay_internal(const struct tt_discrete *u)
{
    drop(u);
    *number(u, D_LENGTH) = (double)ring_of(u)->n;
}

/* The time of the first stands as it was planned. */
static int delay_external(const struct tt_discrete *u)
{
    int waits = ring_of(u)->n > 0;

    if (!put(u, *number(u, D_IN), u->k.base.now + *number(u, D_TIME)))
        ++*number(u, D_LOST);
    *number(u, D_LENGTH) = (double)ring_of(u)->n;
    return waits;
}

/* --- switch, counter, scope ------------------------------------------------
 */

enum { W_IN, W_SELECT, W_A, W_B, W_TO, W_START };

static const struct port switch_port[] = {
    PORT("in", INPUT, 0),       PORT("select", INPUT, 0),
    PORT("a", OUTPUT, 0),       PORT("b", OUTPUT, 0),
    PORT("selected", LOCAL, 0), PORT("start", PARAMETER, 0)};

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

static void switch_follow(const struct tt_discrete *u)
{
    *there(u, W_A) = 0;
    *there(u, W_B) = 0;
    if (is_there(u, W_IN))
        emit(u, selected(u) != 0 ? W_B : W_A, *number(u, W_IN));
}

static int switch_external(const struct tt_discrete *u)
{
    *number(u, W_TO) = selected(u);
    return 1;
}

enum { C_IN, C_OUT, C_COUNT };

static const struct port counter_port[] = {
    PORT("in", INPUT, 0), PORT("out", OUTPUT, 0), PORT("count", LOCAL, 0)};

static void counter_follow(const struct tt_discrete *u)
{
    *there(u, C_OUT) = 0;
    if (is_there(u, C_IN))
        emit(u, C_OUT, *number(u, C_COUNT) + 1);
}

static int counter_external(const struct tt_discrete *u)
{
    ++*number(u, C_COUNT);
    return 1;
}

enum { O_IN, O_COUNT, O_MEAN, O_DEVIATION, O_LEAST, O_MOST, O_AGE, O_SQUARES };

static const struct port scope_port[] = {PORT("in", INPUT, 0),
                                         PORT("count", LOCAL, 0),
                                         PORT("mean", LOCAL, 0),
                                         PORT("deviation", LOCAL, 0),
                                         PORT("least", LOCAL, (double)INFINITY),
                                         PORT("most", LOCAL, -(double)INFINITY),
                                         PORT("age", LOCAL, 0),
                                         PORT("squares", LOCAL, 0)};

/* Welford's: exact where values are alike. */
static int scope_external(const struct tt_discrete *u)
{
    double x = *number(u, O_IN), n = ++*number(u, O_COUNT);
    double off = x - *number(u, O_MEAN);

    *number(u, O_MEAN) += off / n;
    *number(u, O_SQUARES) += off * (x - *number(u, O_MEAN));
    *number(u, O_DEVIATION) = n > 1 ? sqrt(*number(u, O_SQUARES) / (n - 1)) : 0;
    *number(u, O_LEAST) = fmin(*number(u, O_LEAST), x);
    *number(u, O_MOST) = fmax(*number(u, O_MOST), x);
    *number(u, O_AGE) += (u->k.base.now - x - *number(u, O_AGE)) / n;
    return 1;
}

/* --- hold ----------------------------------------------------------------- */

enum { H_IN, H_START, H_Y };

static const struct port hold_port[] = {
    PORT("in", INPUT, 0), PORT("start", PARAMETER, 0), PORT("y", LOCAL, 0)};

/* The last one is there all the time, and so has no clock. It lies where the
 * parameter does, so that it is that from the first instant of initialisation
 * on. */
static void hold_show(struct tt_discrete_type *t, const struct library *l)
{
    struct tt_port *y = &t->port[l->port[H_Y]];

    y->causality = TT_CAUS_OUTPUT;
    y->initial = TT_INIT_CALCULATED;
    y->start = NULL;
    t->at[l->port[H_Y]] = t->at[l->port[H_START]];
}

static int hold_external(const struct tt_discrete *u)
{
    memcpy(place(u, H_Y), place(u, H_IN), tt_type_size(library_of(u)->type));
    return 1;
}

/* --- all of them ---------------------------------------------------------- */

/* Hooks as models have them, of functions that refuse nothing. */
#define HOOK(name, does, ...)                                                  \
    static enum tt_code name(struct tt_discrete *u, __VA_ARGS__)               \
    {                                                                          \
        (void)err;                                                             \
        does;                                                                  \
        return TT_OK;                                                          \
    }
#define PLAIN(name, does) HOOK(name##_##does##s, name##_##does(u), tt_err *err)
#define ADVANCE(name)                                                          \
    HOOK(name##_ta, *ta = name##_advance(u), double *ta, tt_err *err)
#define EXTERNAL(name)                                                         \
    HOOK(name##_takes, *goes_on = name##_external(u), int *goes_on, tt_err *err)

/* Of those that have events of their own. */
#define OWN(name, begins)                                                      \
    ADVANCE(name)                                                              \
    PLAIN(name, output)                                                        \
    PLAIN(name, internal)                                                      \
    EXTERNAL(name) static const struct tt_discrete_model name##_model;         \
    TT_DISCRETE_CALLS(name##_calls, name##_model);                             \
    static const struct tt_discrete_model name##_model = {                     \
        .begin = (begins),                                                     \
        .advance = name##_ta,                                                  \
        .output = name##_outputs,                                              \
        .internal = name##_internals,                                          \
        .external = name##_takes,                                              \
        .calls = &name##_calls}

OWN(generator, generator_begin);
OWN(queue, queue_begin);
OWN(server, check_times);
OWN(delay, delay_begin);

/* ... and of those that only answer. */
#define ANSWERS(name, ...)                                                     \
    EXTERNAL(name)                                                             \
    static const struct tt_discrete_model name##_model = {                     \
        .external = name##_takes, __VA_ARGS__}

PLAIN(switch, follow)
PLAIN(counter, follow)
ANSWERS(switch, .begin = switch_begin, .follow = switch_follows);
ANSWERS(counter, .follow = counter_follows);
ANSWERS(hold, .begin = NULL);
ANSWERS(scope, .begin = NULL);

#define ITEM(word)                                                             \
    .name = #word, .model = &word##_model, .port = word##_port,                \
    .n_port = sizeof(word##_port) / sizeof(*word##_port)
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

static void find_places(const struct tt_discrete_type *t, struct library *l)
{
    for (uint32_t i = 0; i < l->item->n_port; i++) {
        const struct tt_port *p = &t->port[l->port[i]];

        l->at[i] = t->at[l->port[i]];
        l->there[i] = p->clock ? t->at[p->clock - 1] : 0;
    }
}

/* Answers -1: out of memory. */
static int add_ports(struct tt_discrete_type *t, struct library *l)
{
    const struct item *is = l->item;
    int twice;

    for (uint32_t i = 0; i < is->n_port; i++) {
        const struct port *p = &is->port[i];
        struct tt_text text;
        const void *start = is->typed ? NULL : &p->start;

        if (p->text)
            start = tt_text_set(&text, p->text) == 0 ? &text : NULL;
        l->port[i] =
            tt_discrete_add(t, p->name, p->causality,
                            p->text ? TT_TEXT : l->type, start, &twice);
        if (l->port[i] == TT_NONE)
            return -1;
    }
    if (is->typed)
        hold_show(t, l);
    find_places(t, l);
    return 0;
}

static enum tt_code build(struct tt_discrete_type *t, const struct item *item,
                          const char *rest, tt_err *err)
{
    struct library *l = tt_arena_alloc(t->b.arena, 1, sizeof(*l));
    enum tt_code rc =
        tt_discrete_describe(t, item->name, item->own_events, err);

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
    if (add_ports(t, l) != 0)
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
