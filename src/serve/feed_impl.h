/* SPDX-License-Identifier: MIT */
#ifndef TT_SERVE_FEED_IMPL_H
#define TT_SERVE_FEED_IMPL_H

/* The live stream of /api/v1.
 *
 *   feed.c     follows the results of a run, once for all watchers
 *   channel.c  one selection of them: gathers rows, makes messages
 *   watcher.c  the WebSockets, and what waits to be sent to each
 *   select.c   what a client wants to see
 *
 * Messages are made once per channel and shared by its watchers. A watcher
 * that reads slowly keeps only the newest rows, so neither the run nor we ever
 * wait for one. */

#include <stddef.h>
#include <stdint.h>

#include "results/thin.h"
#include "serve/serve_impl.h"
#include "table/rows.h"

/* --- messages ------------------------------------------------------------- */

/* A text for any number of sockets. */
struct tt_message;

/* Takes b's bytes (b is cleared); NULL: out of memory. */
struct tt_message *tt_message_new(struct tt_buf *b);
void tt_message_unref(struct tt_message *m); /* accepts NULL */
size_t tt_message_size(const struct tt_message *m);

/* --- selections ----------------------------------------------------------- */

struct tt_selection {
    char **name; /* owned; NULL: all */
    size_t n;
    double rate;   /* messages per second, at most */
    unsigned rows; /* of one message, at most */
    double from;   /* s */
};

void tt_selection_init(struct tt_selection *c); /* all, as by default */
void tt_selection_fini(struct tt_selection *c);
TT_NODISCARD enum tt_code tt_selection_parse(struct tt_selection *c,
                                             const char *text, size_t n,
                                             tt_err *err);
/* The same but for `from`? */
int tt_selection_same(const struct tt_selection *a,
                      const struct tt_selection *b);

/* --- channels ------------------------------------------------------------- */

/* Gathered rows: no more than can be kept, thinned out when there are. */
struct tt_gathered {
    size_t columns, n, cap;
    double *time;
    struct tt_rows_cell *cell; /* row by row; texts are owned */
};

struct tt_channel {
    struct tt_selection want;
    enum {
        TT_CHANNEL_NEW,     /* the results are not open yet */
        TT_CHANNEL_BEHIND,  /* reads by itself what was before */
        TT_CHANNEL_CURRENT, /* the feed's rows are its own */
    } state;
    uint32_t *column; /* of the table */
    uint32_t *place;  /* ... among those the feed reads */
    size_t n;
    tt_rows *behind;
    struct tt_gathered rows; /* for the next message */
    struct tt_gathered past; /* of all before, thinned out: for late watchers */
    struct tt_message *columns; /* states which; NULL: not known yet */
    uint64_t hold_ns; /* nothing before: its watchers may want something else */
    uint64_t due_ns;  /* for the next message */
    int over;         /* all rows were */
    struct tt_watcher *watcher;
    unsigned n_watcher;
    struct tt_channel *next;
};

struct tt_channel *tt_channel_new(const struct tt_selection *want); /* NULL */
void tt_channel_free(struct tt_channel *c);
/* The column of this name. */
TT_NODISCARD enum tt_code tt_channel_column(const tt_table *t, const char *name,
                                            uint32_t *column, tt_err *err);
/* Its columns, by the table's header. */
TT_NODISCARD enum tt_code tt_channel_resolve(struct tt_channel *c,
                                             const tt_table *t, tt_err *err);
/* A row with its columns, from `behind` or the feed. */
void tt_channel_row(struct tt_channel *c, const struct tt_row *row,
                    const uint32_t *place);
/* What it has sent so far, from this time on, in one message; NULL: nothing. */
struct tt_message *tt_channel_overview(struct tt_channel *c, double from);
/* Send what was gathered, if it is time; `last`: it is. */
void tt_channel_flush(struct tt_channel *c, uint64_t now_ns, int last);

/* --- feeds ---------------------------------------------------------------- */

struct tt_feed {
    tt_rows *rows; /* of the run; NULL: none yet */
    int moved;     /* a row was read */
    uint32_t *column;
    size_t n; /* columns it reads: those the channels want */
    struct tt_channel *channel;
    enum tt_sim_state state; /* that watchers know of */
    tt_rows *events;         /* of the run; NULL: none yet */
    uint64_t n_event;        /* read so far */
    uint64_t event_due_ns;   /* for the next message of them */
};

/* The run's feed, made if there is none; NULL: out of memory. */
struct tt_feed *tt_feed_of(struct tt_sim *sim);
/* Has the run what is wanted, as far as is known yet? */
TT_NODISCARD enum tt_code tt_feed_check(const struct tt_feed *f,
                                        const struct tt_selection *want,
                                        tt_err *err);
/* The channel has no watcher any more. */
void tt_feed_left(struct tt_sim *sim, struct tt_channel *c);
/* Show it this; the channel it then is in, or NULL: too many, out of memory. */
struct tt_channel *tt_feed_join(struct tt_feed *f, struct tt_watcher *w,
                                const struct tt_selection *want,
                                uint64_t hold_ns);

/* --- watchers ------------------------------------------------------------- */

/* What waits for a socket: at most one message of each kind, the newest. */
enum tt_slot_kind {
    TT_SLOT_ERROR,
    TT_SLOT_STATE,
    TT_SLOT_COLUMNS,
    TT_SLOT_ROWS,
    TT_SLOT_EVENTS,
    TT_SLOT_END,
    TT_SLOT_N
};

struct tt_watcher {
    void *wire;
    struct tt_sim *sim; /* NULL: it has gone */
    struct tt_channel *channel;
    struct tt_watcher *next; /* in the channel */
    struct tt_message *slot[TT_SLOT_N];
    struct tt_buf received; /* of a message, so far */
    int closing;            /* when all is sent */
};

/* Puts m in its place; an older one there is dropped. */
void tt_watcher_give(struct tt_watcher *w, enum tt_slot_kind kind,
                     struct tt_message *m);
/* Close it when all is sent. */
void tt_watcher_close(struct tt_watcher *w);

/* Messages for watchers; NULL: out of memory. */
struct tt_message *tt_watcher_error(const char *text);
struct tt_message *tt_watcher_state(const struct tt_service *s,
                                    const struct tt_sim *sim, const char *type);

#endif
