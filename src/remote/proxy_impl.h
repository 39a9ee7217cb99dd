/* SPDX-License-Identifier: MIT */
#ifndef TT_REMOTE_PROXY_IMPL_H
#define TT_REMOTE_PROXY_IMPL_H

/* proxy.c: messages and news; proxy_journal.c: what it takes to begin again;
 * proxy_unit.c: the unit's operations; proxy_values.c: those on values. */

#include "remote/proxy.h"
#include "remote/wire.h"

/* A list of values that comes with every answer that may have changed them. */
struct tt_news {
    uint8_t command; /* GET, RATES, MAX_STEP */
    uint32_t order;  /* of RATES */
    uint32_t n;
    uint32_t *port; /* owned */
    struct tt_wire_shape shape;
    void *value; /* owned: as they last came */
    int valid;
};

/* What was asked, so that it can be asked again. */
struct tt_journal {
    struct tt_wire make;  /* the first request */
    struct tt_wire life;  /* requests up to prepare */
    struct tt_wire since; /* and since then, or since: */
    struct tt_wire state; /* packed states: register, bytes, ... */
    int has_state;
    double at;         /* when that was */
    uint32_t steps;    /* requested since */
    size_t jotted;     /* bytes of the last request behind `since` or `life` */
    uint64_t in_state; /* registers the last request wants packed, bits */
    int asked;         /* the last request wants a state */
    int off;           /* the unit cannot be started again */
    uint32_t tries;    /* since the last new answer */
    uint32_t revived;  /* in all */
    char news[400]; /* of a fresh start, reported once the unit has gone on */
};

struct bound; /* proxy_values.c */

struct tt_proxy {
    tt_unit base;
    struct tt_signs *signs; /* borrowed, may be NULL */
    char kind[48];
    struct tt_proxy_link link;
    tt_stream *stream; /* NULL: there is none any more */
    struct tt_wire out, in;
    uint32_t seq;
    uint32_t n_waiting; /* commands in `out` */
    uint32_t main_at;   /* which of them the caller waits for */
    size_t body_end;    /* of `out`, without the wish for a state */
    int sent;           /* `out` was sent, its answer is to come */
    int ahead;          /* ... and it was begun ahead of its call */
    enum tt_code ahead_rc;
    struct tt_step begun;
    int is_step;          /* what waits ends in a step, `begun` */
    int fresh;            /* nothing was done since the news came */
    struct tt_news *news; /* owned */
    size_t n_news, cap_news;
    size_t n_sent;   /* of them the worker knows */
    uint32_t hidden; /* our own state register; TT_NONE: none */
    struct tt_journal j;
    tt_arena *arena;      /* owned: a description after configure */
    struct tt_desc *desc; /* in the arena, or NULL */
    uint32_t *trail_port; /* owned: whose values within steps are noted */
    uint32_t n_trail;
    double *trail; /* owned: their rows, the last that were asked for */
    size_t cap_trail;
    uint64_t requests, answers;
    struct bound *bound; /* owned: what bound calls are about */
    tt_err words;        /* of a bound call or a step begun ahead that failed */
};

static inline struct tt_proxy *tt_proxy_of(tt_unit *u)
{
    return (struct tt_proxy *)(void *)u;
}

/* --- proxy.c ------------------------------------------------------------ */

/* Begin a request if none waits. */
void tt_proxy_open(struct tt_proxy *p);
/* Begin a command; its arguments follow into p->out. */
void tt_proxy_put(struct tt_proxy *p, enum tt_wire_command c);
/* The command put last is what the caller waits for: send everything, with
 * the wish for news. */
TT_NODISCARD enum tt_code tt_proxy_send(struct tt_proxy *p, int news,
                                        tt_err *err);
/* Its result, into `r` until the next message. */
TT_NODISCARD enum tt_code tt_proxy_await(struct tt_proxy *p,
                                         struct tt_wire_in *r, tt_err *err);
/* Both, and nothing else; r may be NULL. */
TT_NODISCARD enum tt_code tt_proxy_call(struct tt_proxy *p, int news,
                                        struct tt_wire_in *r, tt_err *err);
/* An answer that does not state what was asked. */
enum tt_code tt_proxy_nonsense(tt_err *err);
/* Something was done to the unit: what is known of it is old. */
void tt_proxy_stale(struct tt_proxy *p);
/* A command that can wait was put. */
TT_NODISCARD enum tt_code tt_proxy_queued(struct tt_proxy *p, tt_err *err);
/* If a step begun ahead was never asked for, read its answer. */
TT_NODISCARD enum tt_code tt_proxy_settle(struct tt_proxy *p, tt_err *err);
/* That, and then the command is put: one that leaves the unit as it is, or one
 * that changes it. */
TT_NODISCARD enum tt_code tt_proxy_begin(struct tt_proxy *p,
                                         enum tt_wire_command c, tt_err *err);
TT_NODISCARD enum tt_code tt_proxy_change(struct tt_proxy *p,
                                          enum tt_wire_command c, tt_err *err);

/* The list, or NULL: it is not watched. */
struct tt_news *tt_proxy_news(struct tt_proxy *p, enum tt_wire_command c,
                              uint32_t order, const uint32_t *port, size_t n);
TT_NODISCARD enum tt_code tt_proxy_watch(struct tt_proxy *p,
                                         enum tt_wire_command c, uint32_t order,
                                         const uint32_t *port, size_t n,
                                         tt_err *err);

/* Structural parameters have changed sizes. */
TT_NODISCARD enum tt_code tt_proxy_resize_news(struct tt_proxy *p, tt_err *err);

/* For proxy_journal.c: one body out, its answer in. */
enum tt_stream_end tt_proxy_write(struct tt_proxy *p, const char *body,
                                  size_t n);
enum tt_stream_end tt_proxy_read(struct tt_proxy *p);
void tt_proxy_put_watches(struct tt_proxy *p, struct tt_wire *w);

/* --- proxy_values.c ----------------------------------------------------- */

enum tt_code tt_proxy_get(TT_PAR_SPAN);
enum tt_code tt_proxy_set(TT_PAR_SPAN);
enum tt_code tt_proxy_course(TT_PAR_COURSE);
enum tt_code tt_proxy_rates(TT_PAR_RATES);
enum tt_code tt_proxy_jvp(TT_PAR_JVP);
enum tt_code tt_proxy_bind(TT_PAR_BIND);
enum tt_code tt_proxy_explain(TT_PAR_EXPLAIN);
void tt_proxy_unbind(struct tt_proxy *p);
/* If v (or NULL) has come and nothing was done since, its values. */
int tt_proxy_take_known(const struct tt_proxy *p, const struct tt_news *v,
                        void *value);

/* --- proxy_journal.c ---------------------------------------------------- */

/* A stream and a unit made at its end. */
TT_NODISCARD enum tt_code tt_proxy_start(struct tt_proxy *p,
                                         struct tt_wire_in *r, tt_err *err);
/* The stream ended: begin again up to the request that has no answer, or report
 * what happened. */
TT_NODISCARD enum tt_code tt_proxy_revive(struct tt_proxy *p,
                                          enum tt_stream_end end, tt_err *err);
/* p->out was sent: write it down, but for its end, while the worker works. */
void tt_proxy_jot(struct tt_proxy *p);
/* p->out was answered: what was jotted counts. */
void tt_proxy_note(struct tt_proxy *p);
/* If it is time, state what a fresh start wants to know; before sending. */
void tt_proxy_put_state(struct tt_proxy *p);
/* p->out was answered, and here are the results of tt_proxy_put_state. May
 * begin again, but leaves p->in as it is. */
TT_NODISCARD enum tt_code
tt_proxy_read_state(struct tt_proxy *p, struct tt_wire_in *r, tt_err *err);
void tt_proxy_forget(struct tt_proxy *p); /* as just made */
void tt_proxy_journal_fini(struct tt_proxy *p);

#endif
