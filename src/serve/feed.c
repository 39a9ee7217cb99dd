/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/lists.h"
#include "base/mem.h"
#include "serve/api_impl.h"
#include "serve/events_impl.h"
#include "serve/feed_impl.h"
#include "sys/clock.h"
#include "sys/file.h"

#define CHANNELS_MAX 100u /* selections of one run */
#define BEHIND_MAX   4u   /* that read for themselves at once */
#define LOOK_EVERY   64u  /* rows, at the clock */
/* Time on the processor for a run's rows, per tick: while it runs it comes
 * first, afterwards watchers that want to see the end. */
#define RUNNING_NS   ((uint64_t)2000000)
#define ENDED_NS     ((uint64_t)20000000)
#define EVENTS_MAX   500u                 /* of one message */
#define EVENTS_NS    ((uint64_t)50000000) /* between two of them */

struct tt_feed *tt_feed_of(struct tt_sim *sim)
{
    if (!sim->feed && TT_NEW(sim->feed))
        sim->feed->state = sim->state;
    return sim->feed;
}

static void remove_channel(struct tt_feed *f, struct tt_channel *c)
{
    struct tt_channel **at = &f->channel;

    while (*at != c)
        at = &(*at)->next;
    *at = c->next;
    tt_channel_free(c);
}

/* --- channels ------------------------------------------------------------- */

static void enter(struct tt_channel *c, struct tt_watcher *w)
{
    w->channel = c;
    w->next = c->watcher;
    c->watcher = w;
    c->n_watcher++;
    if (c->columns)
        tt_watcher_give(w, TT_SLOT_COLUMNS, c->columns);
}

struct tt_channel *tt_feed_join(struct tt_feed *f, struct tt_watcher *w,
                                const struct tt_selection *want,
                                uint64_t hold_ns)
{
    struct tt_channel *c = f->channel;
    unsigned n = 0;

    for (; c; c = c->next, n++)
        if (c->state == TT_CHANNEL_NEW && c->want.from == want->from &&
            tt_selection_same(&c->want, want))
            break;
    if (!c && n < CHANNELS_MAX && (c = tt_channel_new(want))) {
        c->next = f->channel;
        c->hold_ns = hold_ns;
        f->channel = c;
    }
    if (c)
        enter(c, w);
    return c;
}

enum tt_code tt_feed_check(const struct tt_feed *f,
                           const struct tt_selection *want, tt_err *err)
{
    enum tt_code rc = TT_OK;
    uint32_t column;

    for (size_t i = 0; f->rows && rc == TT_OK && i < want->n; i++)
        rc = tt_channel_column(tt_rows_table(f->rows), want->name[i], &column,
                               err);
    return rc;
}

void tt_feed_left(struct tt_sim *sim, struct tt_channel *c)
{
    struct tt_feed *f = sim ? sim->feed : NULL;

    if (!f)
        return;
    remove_channel(f, c);
    if (!f->channel)
        tt_feed_free(sim); /* the next watcher begins anew */
}

/* --- reading -------------------------------------------------------------- */

/* A link in the place of the results is not theirs, whenever it is put there.
 */
static tt_rows *open_rows(const struct tt_sim *sim, const char *file)
{
    char *path = tt_sim_path(sim, file);
    uint64_t size = 0;
    int fd = path ? tt_file_open_plain(path, &size) : -1;
    char same[TT_FD_PATH];
    tt_rows *rows = NULL;

    tt_free(path);
    if (fd < 0)
        return NULL;
    tt_fd_path(same, fd);
    if (!size || tt_rows_open(&rows, same, NULL) != TT_OK)
        rows = NULL; /* its header is not complete yet */
    (void)close(fd);
    return rows;
}

/* Read what the channels want, each column once. */
static int choose(struct tt_feed *f)
{
    struct tt_channel *c;
    size_t n = 0, k = 0;
    uint32_t *column;

    for (c = f->channel; c; c = c->next)
        n += c->state == TT_CHANNEL_CURRENT ? c->n : 0;
    if (!TT_NEW_ARRAY(column, n + 1))
        return -1;
    n = 0;
    for (c = f->channel; c; c = c->next)
        for (size_t i = 0; c->state == TT_CHANNEL_CURRENT && i < c->n; i++)
            column[n++] = c->column[i];
    if (n)
        qsort(column, n, sizeof(*column), tt_by_u32);
    for (size_t i = 0; i < n; i++)
        if (k == 0 || column[k - 1] != column[i])
            column[k++] = column[i];
    tt_free(f->column);
    f->column = column;
    f->n = k;
    for (c = f->channel; c; c = c->next)
        for (size_t i = 0; c->state == TT_CHANNEL_CURRENT && i < c->n; i++)
            c->place[i] = (uint32_t)((const uint32_t *)bsearch(
                                         &c->column[i], column, k,
                                         sizeof(*column), tt_by_u32) -
                                     column);
    return tt_rows_choose(f->rows, column, k, NULL) == TT_OK ? 0 : -1;
}

/* It wants what is not there. */
static void refuse(const struct tt_channel *c, const tt_err *err)
{
    struct tt_message *m = tt_watcher_error(err->msg);

    for (struct tt_watcher *w = c->watcher; w; w = w->next) {
        tt_watcher_give(w, TT_SLOT_ERROR, m);
        tt_watcher_close(w);
    }
    tt_message_unref(m);
}

static void announce(struct tt_channel *c)
{
    for (struct tt_watcher *w = c->watcher; w; w = w->next)
        tt_watcher_give(w, TT_SLOT_COLUMNS, c->columns);
}

/* One that has seen all that c wants to see, and goes on the same way. */
static struct tt_channel *find_same(const struct tt_feed *f,
                                    const struct tt_channel *c)
{
    struct tt_channel *k = f->channel;

    while (k && (k == c || k->over || k->state == TT_CHANNEL_NEW ||
                 k->want.from > c->want.from ||
                 !tt_selection_same(&k->want, &c->want)))
        k = k->next;
    return k;
}

/* Its watchers see in one message what they missed, and then the same. */
static void join(struct tt_feed *f, struct tt_channel *c,
                 struct tt_channel *into)
{
    struct tt_message *m = tt_channel_overview(into, c->want.from);
    struct tt_watcher *w;

    while ((w = c->watcher)) {
        c->watcher = w->next;
        enter(into, w);
        if (m)
            tt_watcher_give(w, TT_SLOT_ROWS, m);
    }
    tt_message_unref(m);
    remove_channel(f, c);
}

/* A new channel begins with the feed, or reads what was before. */
static void begin(struct tt_sim *sim, struct tt_channel *c, unsigned *behind)
{
    struct tt_feed *f = sim->feed;
    int first = !f->moved;
    tt_err err;

    if (!first && *behind >= BEHIND_MAX)
        return;
    if (!c->columns) {
        if (tt_channel_resolve(c, tt_rows_table(f->rows), &err) != TT_OK) {
            refuse(c, &err);
            c->over = 1;
            return;
        }
        announce(c);
    }
    if (first) {
        c->state = TT_CHANNEL_CURRENT;
        return;
    }
    c->behind = open_rows(sim, TT_SIM_RESULTS);
    if (!c->behind ||
        tt_rows_choose(c->behind, c->column, c->n, NULL) != TT_OK ||
        tt_rows_seek(c->behind, c->want.from, NULL) != TT_OK) {
        tt_rows_close(c->behind);
        c->behind = NULL;
        return; /* at the next tick */
    }
    c->state = TT_CHANNEL_BEHIND;
    ++*behind;
}

/* Rows up to where the feed is. */
static void catch_up(struct tt_feed *f, struct tt_channel *c, uint64_t until)
{
    struct tt_row row;
    int more = 1;

    for (unsigned n = 0; tt_rows_at(c->behind) < tt_rows_at(f->rows); n++) {
        if (n % LOOK_EVERY == LOOK_EVERY - 1 && tt_clock_cpu_ns() > until)
            return;
        if (tt_rows_next(c->behind, &row, &more, NULL) != TT_OK || !more)
            break;
        tt_channel_row(c, &row, NULL);
    }
    tt_rows_close(c->behind);
    c->behind = NULL;
    c->state = TT_CHANNEL_CURRENT;
    if (choose(f) != 0)
        c->over = 1;
}

/* New rows to all that are current. 1: there are no more at present. */
static int read_on(struct tt_feed *f, uint64_t until)
{
    struct tt_channel *c = f->channel;
    struct tt_row row;
    int more = 1;

    while (c && c->state != TT_CHANNEL_CURRENT)
        c = c->next;
    if (!c)
        return 0; /* no watcher takes them */
    for (unsigned n = 1; more; n++) {
        if (n % LOOK_EVERY == 0 && tt_clock_cpu_ns() > until)
            return 0;
        if (tt_rows_next(f->rows, &row, &more, NULL) != TT_OK)
            return 1; /* what is broken stays so */
        for (c = f->channel; more && c; c = c->next)
            if (c->state == TT_CHANNEL_CURRENT)
                tt_channel_row(c, &row, c->place);
        f->moved |= more;
    }
    return 1;
}

/* --- ticking -------------------------------------------------------------- */

static void give_all(struct tt_feed *f, enum tt_slot_kind kind,
                     struct tt_message *m)
{
    for (struct tt_channel *c = f->channel; m && c; c = c->next)
        for (struct tt_watcher *w = c->watcher; w; w = w->next)
            tt_watcher_give(w, kind, m);
    tt_message_unref(m);
}

static void send_state(struct tt_service *s, struct tt_sim *sim)
{
    struct tt_feed *f = sim->feed;

    if (f->state == sim->state)
        return;
    f->state = sim->state;
    if (tt_sim_is_busy(sim))
        give_all(f, TT_SLOT_STATE, tt_watcher_state(s, sim, "state"));
}

/* Everything was sent to this channel: farewell. */
static void end_channel(struct tt_service *s, struct tt_sim *sim,
                        struct tt_channel *c)
{
    struct tt_message *m = tt_watcher_state(s, sim, "end");

    for (struct tt_watcher *w = c->watcher; w; w = w->next)
        tt_watcher_give(w, TT_SLOT_END, m);
    tt_message_unref(m);
    c->over = 1;
}

static tt_rows *open_events(const struct tt_sim *sim)
{
    tt_rows *rows = open_rows(sim, TT_SIM_EVENTS);

    if (!rows || tt_events_choose(rows, NULL) == TT_OK)
        return rows;
    tt_rows_close(rows);
    return NULL;
}

static void open_feed(struct tt_sim *sim)
{
    struct tt_feed *f = sim->feed;

    if (!f->rows)
        f->rows = open_rows(sim, TT_SIM_RESULTS);
    if (!f->events)
        f->events = open_events(sim);
}

/* New events in a message for all, which states how many were before. A client
 * that missed some, or came late, asks for them. 1: there are no more. */
static int send_events(struct tt_feed *f, uint64_t now, int last)
{
    struct tt_event_page p;
    struct tt_row row;
    struct tt_buf b;
    int more = 1;

    if (!f->events || (now < f->event_due_ns && !last))
        return 1;
    tt_event_page_init(&p);
    while (p.n < EVENTS_MAX &&
           tt_rows_next(f->events, &row, &more, NULL) == TT_OK && more)
        tt_event_page_add(&p, &row);
    if (p.n) {
        tt_buf_init(&b, TT_BODY_MAX);
        tt_buf_str(&b, "{\"type\":\"events\",");
        tt_event_page_put(&b, &p);
        tt_buf_fmt(&b, "\"first\":%llu}", (unsigned long long)f->n_event);
        f->n_event += p.n;
        f->event_due_ns = now + EVENTS_NS;
        give_all(f, TT_SLOT_EVENTS, tt_message_new(&b));
    }
    tt_event_page_fini(&p);
    return p.n < EVENTS_MAX;
}

static unsigned count_behind(const struct tt_feed *f)
{
    unsigned n = 0;

    for (const struct tt_channel *c = f->channel; c; c = c->next)
        n += c->state == TT_CHANNEL_BEHIND;
    return n;
}

static void begin_new(struct tt_sim *sim, uint64_t now)
{
    struct tt_feed *f = sim->feed;
    unsigned behind = count_behind(f);
    struct tt_channel *c, *next, *same;
    int some = 0;

    for (c = f->channel; c; c = next) {
        next = c->next;
        if (c->state != TT_CHANNEL_NEW || c->over || now < c->hold_ns)
            continue;
        same = find_same(f, c);
        if (same)
            join(f, c, same);
        else
            begin(sim, c, &behind);
        some |= !same;
    }
    if (some)
        (void)!choose(f); /* else columns are missing until the next change */
}

void tt_feed_tick(struct tt_service *s, struct tt_sim *sim)
{
    struct tt_feed *f = sim->feed;
    uint64_t now = tt_clock_ns(), until = tt_clock_cpu_ns();
    struct tt_channel *c;
    int all = 1;

    until += tt_sim_is_busy(sim) ? RUNNING_NS : ENDED_NS;
    send_state(s, sim);
    open_feed(sim);
    if (f->rows) {
        begin_new(sim, now);
        all = read_on(f, until);
        all &= send_events(f, now, !tt_sim_is_busy(sim));
    }
    for (c = f->channel; c; c = c->next) {
        int done;

        if (c->state == TT_CHANNEL_BEHIND)
            catch_up(f, c, until + RUNNING_NS);
        done = !tt_sim_is_busy(sim) && all &&
               (c->state == TT_CHANNEL_CURRENT || !f->rows);
        if (!c->over)
            tt_channel_flush(c, now, done);
        if (done && !c->over)
            end_channel(s, sim, c);
    }
}

int tt_feed_is_busy(const struct tt_sim *sim)
{
    for (const struct tt_channel *c = sim->feed ? sim->feed->channel : NULL; c;
         c = c->next)
        if (!c->over)
            return 1;
    return 0;
}

void tt_feed_free(struct tt_sim *sim)
{
    struct tt_feed *f = sim->feed;

    if (!f)
        return;
    while (f->channel) {
        struct tt_channel *c = f->channel;
        struct tt_watcher *w;

        while ((w = c->watcher)) {
            c->watcher = w->next;
            w->channel = NULL;
            w->sim = NULL;
            tt_watcher_close(w);
        }
        remove_channel(f, c);
    }
    tt_rows_close(f->rows);
    tt_rows_close(f->events);
    TT_FREE_ALL(f->column, f);
    sim->feed = NULL;
}
