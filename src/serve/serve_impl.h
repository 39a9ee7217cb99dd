/* SPDX-License-Identifier: MIT */
#ifndef TT_SERVE_SERVE_IMPL_H
#define TT_SERVE_SERVE_IMPL_H

/* What the files of the service share.
 *
 *   loop.c     the library's loop: listening, ticking, ending
 *   http.c     requests and answers on the wire
 *   access.c   who may ask
 *   route.c    which function answers which request
 *   maestro.c  the answers of Maestro's dialect
 *   session.c  sessions and their folders
 *   sim.c      simulations: a queue, and a process for each
 *   ending.c   how a simulation ended, in words
 *   job.c      short work for an answer, in a process of its own
 *   live.c     rows of a run as messages, while it makes them
 *   socket.c   WebSockets, and what waits to be sent to them
 *   answer.c   answers and errors, as the dialect has them
 */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "serve/serve.h"
#include "sys/proc.h"

#define TT_BODY_MAX  ((size_t)16 << 20) /* bytes of a JSON body */
#define TT_PATH_MAX  512u               /* bytes of a request's path */
#define TT_ID_SIZE   37u                /* a UUID as text, and NUL */
#define SESSIONS_MAX 10000u

struct tt_service;
struct tt_session;
struct tt_sim;

/* --- answers -------------------------------------------------------------- */

/* How errors are spelt. */
enum tt_dialect { TT_DIALECT_MAESTRO2 };

struct tt_answer {
    enum tt_dialect dialect;
    int ready;
    unsigned status;
    const char *type;   /* of the content */
    const char *attach; /* file name for the reader to save it as, or NULL */
    struct tt_buf body;
    int file; /* send this instead of the body; -1: none. Owned */
    uint64_t file_size;
};

void tt_answer_init(struct tt_answer *a, enum tt_dialect d);
void tt_answer_fini(struct tt_answer *a);
void tt_answer_text(struct tt_answer *a, const char *text);
/* The error in the dialect's shape, and ready. */
TT_PRINTF(3, 4)
void tt_answer_error(struct tt_answer *a, unsigned status, const char *fmt,
                     ...);
void tt_answer_err(struct tt_answer *a, const tt_err *err);
/* The HTTP status of a code. */
unsigned tt_answer_status(enum tt_code code);
/* Send this file; -1: it cannot be opened. */
int tt_answer_file(struct tt_answer *a, const char *path, const char *type);

/* --- requests ------------------------------------------------------------- */

enum tt_method { TT_GET, TT_POST, TT_PUT, TT_DELETE, TT_OTHER };
#define TT_BIT(method) (1u << (method))

/* What a path names; found by the router. */
struct tt_place {
    struct tt_session *session; /* {session} */
    char name[TT_PATH_MAX];     /* {file}: a file, or another free word */
};

struct tt_request {
    void *wire; /* http.c's */
    enum tt_method method;
    char path[TT_PATH_MAX];
    const struct tt_route *route;
    struct tt_place place;
    struct tt_buf body;
    struct tt_answer answer;
    struct tt_request **list; /* it waits in, or NULL: it does not */
    struct tt_request *next;  /* who waits there too */
};

/* http.c: the answer is complete; to be sent when the wire takes it. */
void tt_request_send(struct tt_request *r);
/* Wait for something, until tt_request_next() takes it out or its wire goes. */
void tt_request_wait(struct tt_request *r, struct tt_request **list);
/* The first that waits here, which then no longer does; NULL: nobody. */
struct tt_request *tt_request_next(struct tt_request **list);
void tt_request_leave(struct tt_request *r);

/* --- routes --------------------------------------------------------------- */

/* "initialize/{session}": words stand for themselves, {session} for a session
 * that exists, {file} for any word. */
struct tt_route {
    const char *pattern;
    unsigned methods; /* TT_BIT */
    /* Fill in r->answer, now or, when something is awaited, later. */
    void (*answer)(struct tt_service *s, struct tt_request *r);
};

/* maestro.c; a pattern of NULL ends them */
extern const struct tt_route tt_routes_maestro[];

/* Find the route and what its path names. -1: there is none, and the answer
 * says why. */
int tt_route_find(struct tt_service *s, struct tt_request *r);
/* May it have a body of this size? Else -1, and the answer says why not. */
int tt_route_accepts(struct tt_request *r, uint64_t length);

/* --- access --------------------------------------------------------------- */

/* Has it the token, and does no page of another site ask? Else the HTTP status
 * to refuse it with, and why. */
unsigned tt_access_refuses(void *wire, const char *token, const char **why);

/* --- sessions ------------------------------------------------------------- */

struct tt_session {
    char id[TT_ID_SIZE];
    char *dir;
    int initialized;    /* has a configuration */
    struct tt_sim *sim; /* Maestro's: one, made again for each simulate;
                           in the service's list, as all are */
    uint64_t used_ns;   /* last request */
    struct tt_session *next;
};

struct tt_service {
    const struct tt_serve_opts *opts;
    const char *self; /* this program's file */
    char *root;       /* absolute; holds the session folders */
    struct tt_session *session;
    struct tt_sim *sim; /* of all sessions */
    struct tt_job *job; /* the last one first */
    unsigned n_session, n_running;
    uint64_t turn; /* of the last that joined the queue */
};

/* Is it a session id by its form? */
int tt_session_is_id(const char *text);
TT_NODISCARD enum tt_code tt_session_new(struct tt_service *s,
                                         struct tt_session **out, tt_err *err);
struct tt_session *tt_session_find(struct tt_service *s, const char *id);
/* Kills its simulations, answers who waits for them, removes the folder. */
void tt_session_end(struct tt_service *s, struct tt_session *ses,
                    const char *why);
/* End those nobody has asked for in opts->expire seconds. */
void tt_session_sweep(struct tt_service *s, uint64_t now_ns);
/* A path in its folder, owned by the caller; NULL: out of memory. */
char *tt_session_path(const struct tt_session *ses, const char *name);

/* --- simulations ---------------------------------------------------------- */

/* The files of a simulation, in its folder. */
#define TT_SIM_RESULTS "outputs.csv"
#define TT_SIM_SUMMARY "summary.json" /* what `tutti run --json` prints */
#define TT_SIM_LOG     "run.log"

enum tt_sim_state {
    TT_SIM_IDLE, /* nobody has asked for it yet */
    TT_SIM_QUEUED,
    TT_SIM_RUNNING,
    TT_SIM_STOPPING,
    TT_SIM_FINISHED,
    TT_SIM_STOPPED, /* because somebody asked */
    TT_SIM_FAILED,
};

/* One simulation: `tutti run` in a folder. What its units do to it they do not
 * do to us. */
struct tt_sim {
    struct tt_session *session;
    char *dir;             /* its results, its words */
    const char *config[3]; /* files to run, in dir; NULL ends them */
    enum tt_sim_state state;
    int pid;                    /* while it runs, else 0 */
    uint64_t turn;              /* its place in the queue */
    uint64_t begun_ns;          /* the run */
    uint64_t exec_ms;           /* how long it ran */
    double start, end;          /* simulated, s; NaN: not said */
    char msg[TT_ERR_MAX];       /* how it ended */
    unsigned status;            /* ... as an HTTP status */
    struct tt_request *waiting; /* for its end */
    struct tt_live *live;       /* its rows, followed; or NULL */
    struct tt_socket *socket;   /* who sees them */
    struct tt_sim *next;        /* in the service */
};

/* A new one in this folder. */
TT_NODISCARD enum tt_code tt_sim_new(struct tt_service *s,
                                     struct tt_session *ses, const char *dir,
                                     struct tt_sim **out, tt_err *err);
/* Join the queue. Earlier results in its folder go. */
TT_NODISCARD enum tt_code tt_sim_submit(struct tt_service *s,
                                        struct tt_sim *sim, tt_err *err);
/* Leave the queue, or end after the current step. */
void tt_sim_stop(struct tt_service *s, struct tt_sim *sim);
/* Kills it; its files stay. Accepts NULL. */
void tt_sim_free(struct tt_service *s, struct tt_sim *sim, const char *why);
/* Look after processes that ended and turns that came. */
void tt_sim_tick(struct tt_service *s);
/* Is it waiting for its turn, or running? */
int tt_sim_is_busy(const struct tt_sim *sim);
/* 0 .. 1, from the rows so far. */
double tt_sim_progress(const struct tt_sim *sim);
char *tt_sim_path(const struct tt_sim *sim, const char *name);

/* ending.c: state, status and words, from what the process left behind. */
void tt_sim_conclude(struct tt_sim *sim, const struct tt_proc_result *how);
/* Lines of its log, as elements of a JSON array. */
void tt_sim_warnings(const struct tt_sim *sim, struct tt_buf *out);

/* maestro.c: its simulation has ended; answer who waits for it. */
void tt_maestro_answer_waiting(struct tt_sim *sim);

/* --- jobs ----------------------------------------------------------------- */

/* Work whose answer needs what clients sent to be opened and read: FMUs,
 * tables. A process of this program does it, so the loop neither waits nor
 * breaks. */
struct tt_job_result {
    int ok;                 /* exit code 0 */
    unsigned status;        /* HTTP's word for how it ended */
    struct tt_buf out, err; /* what it printed */
};

typedef void (*tt_job_fn)(struct tt_service *s, struct tt_request *r,
                          const struct tt_job_result *res);

/* `tutti ARG...` (NULL ends them; copied) in this folder. `done` fills in the
 * answer; it is not called when the request's wire has gone before. */
TT_NODISCARD enum tt_code tt_job_start(struct tt_service *s,
                                       struct tt_request *r,
                                       const char *const *arg, const char *dir,
                                       tt_job_fn done, tt_err *err);
/* Look after those that ended, or take too long. */
void tt_job_tick(struct tt_service *s);
void tt_job_end_all(struct tt_service *s);

/* --- the live stream ------------------------------------------------------ */

/* Send what is new in the results to the simulation's sockets. */
void tt_live_tick(struct tt_sim *sim);
void tt_live_end(struct tt_sim *sim);

/* NULL: out of memory. */
struct tt_socket *tt_socket_new(void *wire, struct tt_sim *sim);
void tt_socket_free(struct tt_socket *k);    /* accepts NULL */
int tt_socket_writable(struct tt_socket *k); /* -1: close it */
void tt_sockets_send(struct tt_sim *sim, const char *text, size_t n);
/* Close them once all is sent; `forget`: the simulation goes. */
void tt_sockets_end(struct tt_sim *sim, int forget);

#endif
