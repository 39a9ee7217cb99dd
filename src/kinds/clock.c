/* SPDX-License-Identifier: MIT */
/* Unit kind clock: ticks what is connected to it, after the same interval each
 * time. The location states when: "tutti:clock: 1/3", or with the time of the
 * first tick after the start "tutti:clock: 0.3 from 0.1". When it is due is
 * known to the run, as of any clock that ticks by time, which counts exactly;
 * the unit has no state. */
#include <string.h>

#include "kinds/builtin.h"
#include "kinds/kinds.h"

#define SOURCE "tutti:clock"
#define FROM   " from "

struct clock_type {
    struct tt_builtin_type b;
    struct tt_port port;
    struct tt_clock ticks;
    struct tt_deps deps;
};

struct clock_unit {
    tt_unit base;
    int event_mode;
};

/* --- unit --------------------------------------------------------------- */

static enum tt_code exit_init(tt_unit *u, tt_err *err)
{
    (void)err;
    if (((const struct clock_unit *)(const void *)u)->event_mode)
        u->life = TT_LIFE_EVENT;
    return TT_OK;
}

/* A clock is active while it ticks, and then not any more. */
static enum tt_code get(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    memset(s->value, 0, s->n);
    return tt_unit_idle(u, err);
}

static enum tt_code set(tt_unit *u, const struct tt_span *s, tt_err *err)
{
    (void)s;
    return tt_unit_idle(u, err);
}

static enum tt_code update(tt_unit *u, struct tt_event_result *r, tt_err *err)
{
    (void)r;
    return tt_unit_idle(u, err);
}

static enum tt_code intervals(tt_unit *u, struct tt_timing *t, uint32_t n,
                              tt_err *err)
{
    for (uint32_t i = 0; i < n; i++) {
        const struct tt_clock *c = u->desc->port[t[i].port].ticks;

        t[i].known = TT_KNOWN_CHANGED;
        t[i].interval = c->period;
        t[i].shift = c->shift;
    }
    return tt_unit_idle(u, err);
}

static enum tt_code set_intervals(tt_unit *u, struct tt_timing *t, uint32_t n,
                                  tt_err *err)
{
    (void)t;
    (void)n;
    return tt_unit_idle(u, err);
}

static const struct tt_unit_ops unit_ops = {
    TT_BUILTIN_VALUES, TT_BUILTIN_EVENTS, .event_update = update,
    TT_HOOKS(, exit_init, get, set, intervals, set_intervals)};

/* --- kind --------------------------------------------------------------- */

static enum tt_code read_time(struct tt_ratio *out, const char *path,
                              const char *text, size_t n, tt_err *err)
{
    *out = tt_ratio_parse(text, n);
    if (tt_ratio_is(*out))
        return TT_OK;
    return tt_fail(err, TT_EINPUT,
                   "%s: '%.*s' is no time in seconds, a decimal or a fraction "
                   "of whole numbers",
                   path, (int)n, text);
}

static enum tt_code read_source(struct tt_clock *c, const char *path,
                                tt_err *err)
{
    const char *text = path + strlen(SOURCE), *from;
    enum tt_code rc;

    if (*text)
        text += 1 + strspn(text + 1, " ");
    if (!*text)
        return tt_fail(err, TT_EINPUT,
                       "%s: its interval is missing, as in '" SOURCE ": 1/3' "
                       "or '" SOURCE ": 0.3" FROM "0.1'",
                       path);
    from = strstr(text, FROM);
    *c = (struct tt_clock){
        .interval = TT_INTERVAL_FIXED, .fraction = 1, .shift = {0, 1}};
    rc = read_time(&c->period, path, text,
                   from ? (size_t)(from - text) : strlen(text), err);
    if (rc == TT_OK && from)
        rc = read_time(&c->shift, path, from + strlen(FROM),
                       strlen(from + strlen(FROM)), err);
    if (rc == TT_OK && !c->period.num)
        return tt_fail(err, TT_EINPUT, "%s: its interval is 0", path);
    return rc;
}

static int describe(struct clock_type *t, const char *path)
{
    struct tt_desc *d = &t->b.base.desc;

    t->deps.known = 1;
    t->port = (struct tt_port){TT_PORT_SCALAR,
                               .name = "tick",
                               .text = "ticks what is connected to it",
                               .type = TT_CLOCK,
                               .causality = TT_CAUS_INPUT,
                               .variability = TT_VAR_DISCRETE,
                               .initial = TT_INIT_NONE,
                               .ticks = &t->ticks};
    d->model = tt_arena_strdup(t->b.arena, path);
    d->port = &t->port;
    d->n_port = 1;
    d->run = d->init = &t->deps;
    return d->model && tt_names_add(&d->by_name, t->port.name, 0) >= 0;
}

static enum tt_code read(struct tt_builtin_type *b, const struct tt_source *s,
                         tt_err *err)
{
    struct clock_type *t = (struct clock_type *)(void *)b;
    enum tt_code rc = read_source(&t->ticks, s->path, err);

    if (rc == TT_OK && !describe(t, s->path))
        return tt_fail(err, TT_ENOMEM, "opening %s", s->path);
    return rc;
}

static int begin(tt_unit *u, const struct tt_builtin_type *t,
                 const struct tt_make *m)
{
    (void)t;
    ((struct clock_unit *)(void *)u)->event_mode = m->event_mode;
    return 1;
}

const struct tt_builtin tt_builtin_clock = {
    TT_BUILTIN_OF(struct clock_type, struct clock_unit), .source = SOURCE,
    .caps = {.evaluates = TT_EVAL_EVENT, .event_mode = 1, .clocks = 1},
    TT_HOOKS(, read, begin)};
