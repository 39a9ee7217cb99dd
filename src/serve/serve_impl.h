/* SPDX-License-Identifier: MIT */
#ifndef TT_SERVE_SERVE_IMPL_H
#define TT_SERVE_SERVE_IMPL_H

/* What the files of the service share.
 *
 *   http.c     the library: connections, bodies, answers on the wire
 *   route.c    which function answers which request
 *   session.c  sessions and their folders
 *   sim.c      simulations: a queue, and a process for each
 *   live.c     rows of a run as messages, while it makes them
 *   socket.c   WebSockets, and what waits to be sent to them
 *   answer.c   JSON as the dialect has it
 */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "serve/serve.h"

#define TT_BODY_MAX  ((size_t)16 << 20) /* bytes of a JSON body */
#define TT_PATH_MAX  256u               /* bytes of a request's path */
#define TT_ID_SIZE   37u                /* a UUID as text, and NUL */
#define SESSIONS_MAX 10000u

/* --- requests and answers ------------------------------------------------- */

enum tt_method { TT_GET, TT_POST, TT_OTHER };

struct tt_answer {
    int ready;
    unsigned status;
    const char *type;   /* of the content */
    const char *attach; /* file name for the reader to save it as, or NULL */
    struct tt_buf body;
    int file; /* send this instead of the body; -1: none. Owned */
    uint64_t file_size;
};

struct tt_service;
struct tt_session;

struct tt_request {
    void *wire; /* http.c's */
    enum tt_method method;
    char path[TT_PATH_MAX];
    struct tt_buf body;
    struct tt_answer answer;
    struct tt_session *awaits; /* the end of its simulation, or NULL */
    struct tt_request *next;   /* who awaits the same */
};

/* http.c: the answer is complete; to be sent when the wire takes it. */
void tt_request_send(struct tt_request *r);

/* answer.c */
void tt_answer_init(struct tt_answer *a);
void tt_answer_fini(struct tt_answer *a);
void tt_answer_text(struct tt_answer *a, const char *text);
/* `[{"logref": ..., "message": ...}]`, and ready. */
TT_PRINTF(3, 4)
void tt_answer_error(struct tt_answer *a, unsigned status, const char *fmt,
                     ...);
void tt_answer_err(struct tt_answer *a, const tt_err *err);
/* The HTTP status of a code. */
unsigned tt_answer_status(enum tt_code code);

/* route.c: fill in r->answer, now or, when a simulation is awaited, later. */
void tt_route(struct tt_service *s, struct tt_request *r);
/* May this path have a body of this size? Else the answer says why not. */
int tt_route_accepts(struct tt_request *r, uint64_t length);

/* --- sessions ------------------------------------------------------------- */

enum tt_session_state {
    TT_SES_NEW,
    TT_SES_INITIALIZED,
    TT_SES_SIMULATING, /* waiting for its turn, or running */
    TT_SES_STOPPING,
    TT_SES_FINISHED,
    TT_SES_ERROR,
};

struct tt_session {
    char id[TT_ID_SIZE];
    char *dir;
    enum tt_session_state state;
    int pid;                    /* of the running simulation, or 0 */
    uint64_t turn;              /* its place in the queue */
    uint64_t begun_ns;          /* the run */
    uint64_t used_ns;           /* last request */
    uint64_t exec_ms;           /* of the last run */
    double start, end;          /* of the run; NaN: not said */
    struct tt_request *waiting; /* for its end */
    struct tt_live *live;       /* its rows, followed; or NULL */
    struct tt_socket *socket;   /* who sees them */
    struct tt_session *next;
};

struct tt_service {
    const struct tt_serve_opts *opts;
    const char *self; /* this program's file */
    char *root;       /* absolute; holds the session folders */
    struct tt_session *session;
    unsigned n_session, n_running;
    uint64_t turn; /* of the last that joined the queue */
};

/* Is it a session id by its form? */
int tt_session_is_id(const char *text);
TT_NODISCARD enum tt_code tt_session_new(struct tt_service *s,
                                         struct tt_session **out, tt_err *err);
struct tt_session *tt_session_find(struct tt_service *s, const char *id);
const char *tt_session_state_name(const struct tt_session *ses);
/* Kills its simulation, answers who waits for it, removes the folder. */
void tt_session_end(struct tt_service *s, struct tt_session *ses,
                    const char *why);
/* End those nobody has asked for in opts->expire seconds. */
void tt_session_sweep(struct tt_service *s, uint64_t now_ns);
/* A path in its folder, owned by the caller; NULL: out of memory. */
char *tt_session_path(const struct tt_session *ses, const char *name);
void tt_session_json(struct tt_buf *b, const struct tt_session *ses);

/* --- simulations ---------------------------------------------------------- */

/* Check and keep the configuration. */
TT_NODISCARD enum tt_code tt_sim_initialize(struct tt_session *ses,
                                            const struct tt_buf *body,
                                            struct tt_buf *levels, tt_err *err);
/* Keep the body, and join the queue. */
TT_NODISCARD enum tt_code tt_sim_submit(struct tt_service *s,
                                        struct tt_session *ses,
                                        const struct tt_buf *body, tt_err *err);
void tt_sim_stop(struct tt_service *s, struct tt_session *ses);
/* Look after processes that ended and turns that came. */
void tt_sim_tick(struct tt_service *s);
/* 0 .. 1, from the rows so far. */
double tt_sim_progress(const struct tt_session *ses);
/* Who waited no longer does. */
void tt_sim_forget(struct tt_request *r);

/* --- the live stream ------------------------------------------------------ */

/* Send what is new in the results to the session's sockets. */
void tt_live_tick(struct tt_session *ses);
void tt_live_end(struct tt_session *ses);

/* NULL: out of memory. */
struct tt_socket *tt_socket_new(void *wire, struct tt_session *ses);
void tt_socket_free(struct tt_socket *k);    /* accepts NULL */
int tt_socket_writable(struct tt_socket *k); /* -1: close it */
void tt_sockets_send(struct tt_session *ses, const char *text, size_t n);
/* Close them once all is sent; `forget`: the session goes. */
void tt_sockets_end(struct tt_session *ses, int forget);

#endif
