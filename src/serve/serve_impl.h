/* SPDX-License-Identifier: MIT */
#ifndef TT_SERVE_SERVE_IMPL_H
#define TT_SERVE_SERVE_IMPL_H

/* What the files of the service share.
 *
 *   loop.c     the library's loop: listening, ticking, ending
 *   http.c     requests and answers on the wire
 *   address.c  where it listens
 *   access.c   which requests are allowed
 *   tls.c      certificates
 *   route.c    which function answers which request
 *   query.c    what stands behind the question mark
 *   maestro.c  the answers of Maestro's dialect
 *   dialect.c  ... in the words of Maestro 1 and 2
 *   form.c     ... and its uploads
 *   multipart.c  files in the body of a form
 *   describe.c what `initialize` reads of FMUs
 *   pack.c     a session's folder as a zip file
 *   incoming.c files on their way into a session's folder
 *   api*.c     the answers of /api/v1
 *   feed.c, channel.c, select.c, watcher.c  its live stream
 *   steps.c    attempts at steps, from the trace of a run
 *   events.c   events, from the list of a run
 *   page.c     the page, and other files that are part of the program
 *   session.c  sessions and their folders
 *   home.c     the folder they are all in
 *   store.c    what is remembered of them from one service to the next
 *   sim.c      simulations: a queue, and a process for each
 *   study.c    ... that are many: stability, settings, sweeps
 *   commands.c commands to the process of a simulation
 *   guard.c    what processes may do to the machine
 *   limits.c   what a simulation may take
 *   ending.c   how a simulation ended, in words
 *   warned.c   what it warns of while it runs
 *   job.c      short work for an answer, in a process of its own
 *   live.c     rows of a run as messages, while it makes them
 *   socket.c   WebSockets, and what waits to be sent to them
 *   answer.c   answers and errors, as the dialect has them
 */

#include <stddef.h>
#include <stdint.h>

#include <jansson.h>

#include "base/buf.h"
#include "serve/serve.h"
#include "sys/child.h"
#include "sys/orphans.h"
#include "sys/proc.h"
#include "sys/sandbox.h"

#define TT_BODY_MAX ((size_t)16 << 20) /* bytes of a JSON body */
#define TT_PATH_MAX 512u               /* bytes of a request's path */
#define TT_ID_SIZE  37u                /* a UUID as text, and NUL */

struct tt_service;
struct tt_session;
struct tt_sim;
struct tt_study;
struct tt_request;

/* --- answers -------------------------------------------------------------- */

/* How errors are spelt. */
enum tt_dialect {
    TT_DIALECT_MAESTRO2,
    TT_DIALECT_MAESTRO1,
    TT_DIALECT_API, /* /api/v1 */
};
/* By the path alone, before anything can fail. */
enum tt_dialect tt_dialect_of(const struct tt_service *s, const char *path,
                              size_t n);

struct tt_answer {
    enum tt_dialect dialect;
    int ready;
    unsigned status;
    const char *type;    /* of the content */
    const char *attach;  /* file name for the reader to save it as, or NULL */
    const char *etag;    /* names this version of it, or NULL */
    const char *headers; /* further ones, each with its line end, or NULL */
    struct tt_buf body;
    const char *text; /* send this instead: it outlives us; or NULL */
    size_t text_n;
    int file; /* or this; -1: none. Owned */
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
/* 503, and when to ask again. */
TT_PRINTF(2, 3)
void tt_answer_full(struct tt_answer *a, const char *fmt, ...);
/* Ready, with a body of JSON that was put into it. */
void tt_answer_json(struct tt_answer *a, unsigned status);
/* 204, without a body. */
void tt_answer_nothing(struct tt_answer *a);
/* Send this file; -1: it cannot be opened. */
int tt_answer_file(struct tt_answer *a, const char *path, const char *type);

/* dialect.c: answers of Maestro, 1 or 2 by a->dialect. */
const char *tt_dialect_state(const struct tt_session *ses);
void tt_dialect_put_state(struct tt_buf *b, const struct tt_session *ses);
/* The body has states: ready. */
void tt_dialect_states(struct tt_answer *a);
void tt_dialect_version(struct tt_answer *a, const char *engine);
void tt_dialect_created(struct tt_answer *a, const struct tt_session *ses);
void tt_dialect_initialized(struct tt_answer *a, const struct tt_session *ses,
                            const struct tt_buf *levels, const char *lines);
void tt_dialect_ended(struct tt_answer *a, const struct tt_sim *sim);
/* It is done: Maestro 1 states it in words, Maestro 2 states nothing. */
void tt_dialect_done(struct tt_answer *a, const char *words);
/* How the dialect counts an error. */
unsigned tt_dialect_status(const struct tt_answer *a, unsigned status);

/* --- requests ------------------------------------------------------------- */

enum tt_method { TT_GET, TT_POST, TT_PUT, TT_DELETE, TT_OTHER };
#define TT_BIT(method) (1u << (method))

/* What a path names; found by the router. */
struct tt_named {
    struct tt_session *session; /* {session} */
    struct tt_sim *run;         /* {run} of it */
    char name[TT_PATH_MAX];     /* {file}: a file, or another free word */
};

/* Where a body goes that is too large for memory. */
struct tt_intake {
    /* A piece of it. -1: no more of this; the answer states why. */
    int (*take)(struct tt_request *r, const void *data, size_t n);
    void (*free)(struct tt_intake *in);
};

/* What stands behind the question mark, decoded: "a=1" twice NUL-ended. */
#define TT_QUERY_MAX 16u
struct tt_query {
    struct tt_buf text;
    size_t at[TT_QUERY_MAX]; /* of each "name=value" */
    unsigned n;
    int too_many;
};

struct tt_request {
    void *wire; /* http.c's */
    enum tt_method method;
    int head; /* it wants to know what GET would answer, without the body */
    char path[TT_PATH_MAX];
    const struct tt_route *route;
    struct tt_named place;
    struct tt_query query;
    struct tt_buf body;
    int asked;                /* its route was, for the answer */
    uint64_t left;            /* bytes of its body that are still to come */
    uint64_t length;          /* ... and all of them */
    uint64_t begun_ns;        /* when they were asked for */
    struct tt_intake *intake; /* instead of body, or NULL; owned */
    struct tt_answer answer;
    struct tt_request **list; /* it waits in, or NULL: it does not */
    struct tt_request *next;  /* waits there too */
};

/* http.c: the value of its Content-Type; "": none. */
void tt_request_type(const struct tt_request *r, char *out, size_t size);
/* The answer is complete; to be sent when the wire takes it. */
void tt_request_send(struct tt_request *r);
/* Wait for something, until tt_request_next() takes it out or its wire goes. */
void tt_request_wait(struct tt_request *r, struct tt_request **list);
/* The first that waits here, which then no longer does; NULL: none. */
struct tt_request *tt_request_next(struct tt_request **list);
void tt_request_leave(struct tt_request *r);

/* --- routes --------------------------------------------------------------- */

/* "initialize/{session}": words stand for themselves, {session} for a session
 * that exists, {run} for a run of it, {file} for any word. */
struct tt_route {
    const char *pattern;
    unsigned methods; /* TT_BIT */
    /* Fill in r->answer, now or, when something is awaited, later. */
    void (*answer)(struct tt_service *s, struct tt_request *r);
    /* When the body does not go to memory: open r->intake for it, before it
     * comes. -1: it is not wanted; the answer states why. */
    int (*open)(struct tt_service *s, struct tt_request *r, uint64_t length);
};

/* A pattern of NULL ends them. */
extern const struct tt_route tt_routes_maestro[];
extern const struct tt_route tt_routes_maestro1[];
extern const struct tt_route tt_routes_api[];
extern const struct tt_route tt_routes_page[];
/* Names its query may have, NULL ends them; NULL: none. */
const char *const *tt_api_query(const struct tt_route *route);

/* May it be seen without a token? */
int tt_page_is_open(const char *path);
/* form.c */
int tt_form_open(struct tt_service *s, struct tt_request *r, uint64_t length);
/* Keep the files. -1: there are none, or not all of it came; the answer states
 * so. */
int tt_form_keep(struct tt_request *r);

/* Find the route and what its path names. -1: there is none, and the answer
 * states why. */
int tt_route_find(struct tt_service *s, struct tt_request *r);
/* May it have a body of this size? Else -1, and the answer states why not. */
int tt_route_accepts(struct tt_request *r, uint64_t length);

/* The value of a parameter, or NULL: it is not there. */
const char *tt_query_get(const struct tt_query *q, const char *name);
/* All of these names, each once? Else -1, and the answer states what is wrong.
 */
int tt_query_check(struct tt_request *r, const char *const *known);

/* --- access --------------------------------------------------------------- */

/* Is it encrypted when it has to be, has it the token, and does no page of
 * another site ask? Else the HTTP status to refuse it with, and why. */
unsigned tt_access_refuses(void *wire, const char *path, const char **why);

/* address.c: how a browser on this machine gets there. */
void tt_serve_url(const struct tt_serve_opts *o, int port,
                  char out[TT_URL_MAX]);
/* Does this process listen on the port at this address only? */
int tt_address_is_kept(const char *bind, int port);

/* tls.c: can a service use TLS with these files? */
TT_NODISCARD enum tt_code tt_tls_check(const char *cert, const char *key,
                                       tt_err *err);
/* Options of OpenSSL: versions that are no longer safe. */
long tt_tls_refused(void);

/* --- sessions ------------------------------------------------------------- */

struct tt_session {
    char id[TT_ID_SIZE];
    char *dir;
    char *name;          /* its user's word for it, or NULL */
    uint64_t created_ms; /* wall clock */
    int initialized;     /* has a configuration */
    unsigned last_run;   /* number of the newest in runs/, 0: none yet */
    struct tt_sim *sim;  /* Maestro's: one, made again for each simulate;
                            in the service's list, as all are */
    uint64_t used_ns;    /* last request */
    struct tt_session *next;
};

struct tt_service {
    const struct tt_serve_opts *opts;
    const char *self; /* this program's file */
    char *root;       /* absolute; holds the session folders */
    int lock;         /* of the root: it is ours alone; -1: temporary */
    char note[1024];  /* what is special about the root, or "" */
    struct tt_session *session;
    struct tt_sim *sim; /* of all sessions */
    struct tt_job *job; /* the last one first */
    unsigned n_session, n_running;
    uint64_t turn;     /* of the last that joined the queue */
    struct tt_kin kin; /* children that were there before */
    void *loop;
};

/* home.c: find the root, and the sessions in it; opts->dir, or the user's. */
struct tt_temp;
TT_NODISCARD enum tt_code tt_home_open(struct tt_service *s,
                                       struct tt_temp *temp, tt_err *err);
/* Where this service is, for others that want the same folder. */
void tt_home_sign(const struct tt_service *s, const char *url);
void tt_home_close(struct tt_service *s, struct tt_temp *temp);

/* loop.c: something is awaited; look for it sooner. */
void tt_loop_hurry(struct tt_service *s);

/* How processes are given the folder where FMUs may be: "--base" or
 * "--only-base". */
const char *tt_base_option(const struct tt_service *s);
/* Is it a session id by its form? */
int tt_session_is_id(const char *text);
/* Is there room for another? Else 0, and the answer states it. */
int tt_session_may_come(const struct tt_service *s, struct tt_answer *a);
TT_NODISCARD enum tt_code tt_session_new(struct tt_service *s,
                                         struct tt_session **out, tt_err *err);
/* One that is there already, in a folder of this name. */
TT_NODISCARD enum tt_code tt_session_open(struct tt_service *s, const char *id,
                                          uint64_t created_ms,
                                          struct tt_session **out, tt_err *err);
struct tt_session *tt_session_find(struct tt_service *s, const char *id);
/* Kills its simulations, answers requests that wait for them, removes the
 * folder. */
void tt_session_end(struct tt_service *s, struct tt_session *ses,
                    const char *why);
/* The service ends: the same, but the folder stays for the next one. */
void tt_session_close(struct tt_service *s, struct tt_session *ses);
/* End those without a request in opts->expire seconds, unless they are the
 * named ones of a user on this machine. */
void tt_session_sweep(struct tt_service *s, uint64_t now_ns);
/* The text without the folder before names of its files: where they are is
 * for no other request. */
void tt_session_hide(const struct tt_session *ses, const char *text,
                     struct tt_buf *out);
/* A path in its folder, owned by the caller; NULL: out of memory. */
char *tt_session_path(const struct tt_session *ses, const char *name);
/* A file in its folder, whole, in place of an older one. */
TT_NODISCARD enum tt_code tt_session_put(const struct tt_session *ses,
                                         const char *name, const char *data,
                                         size_t n, tt_err *err);

/* --- files of a session --------------------------------------------------- */

#define TT_NAME_MAX 128u /* bytes of a file's name */

/* May a client's file have this name? Else why not. It is one word without a
 * slash, and not hidden. */
const char *tt_file_name_refused(const char *name);

/* A file on its way into a session's folder. It lies elsewhere until it is
 * complete, and goes again if it never is. */
struct tt_incoming {
    int fd; /* -1: none */
    char *temp;
    uint64_t size; /* so far */
};
#define TT_INCOMING_INIT                                                       \
    {                                                                          \
        .fd = -1                                                               \
    }

TT_NODISCARD enum tt_code tt_incoming_open(struct tt_service *s,
                                           struct tt_incoming *in, tt_err *err);
TT_NODISCARD enum tt_code tt_incoming_write(struct tt_incoming *in,
                                            const void *data, size_t n,
                                            tt_err *err);
/* It is complete: its place and name, where it replaces an older one. */
TT_NODISCARD enum tt_code tt_incoming_keep(struct tt_incoming *in,
                                           const struct tt_session *ses,
                                           const char *name, tt_err *err);
void tt_incoming_drop(struct tt_incoming *in); /* accepts what was kept */

/* How many bytes a session may still take; 0: it is full. */
uint64_t tt_session_room(const struct tt_service *s,
                         const struct tt_session *ses);

/* --- simulations ---------------------------------------------------------- */

/* The files of a simulation, in its folder. */
#define TT_SIM_RESULTS "outputs.csv"
#define TT_SIM_SUMMARY "summary.json" /* what `tutti run --json` prints */
#define TT_SIM_LOG     "run.log"
#define TT_SIM_TRACE   "trace.csv" /* of runs in runs/, as the next two */
#define TT_SIM_EVENTS  "events.csv"
#define TT_SIM_REPORT  "report.html"
#define TT_SIM_TEMP    "temp" /* while it runs */

enum tt_sim_state {
    TT_SIM_IDLE, /* not requested yet */
    TT_SIM_QUEUED,
    TT_SIM_RUNNING,
    TT_SIM_PAUSED, /* it waits for a command */
    TT_SIM_STOPPING,
    TT_SIM_FINISHED,
    TT_SIM_STOPPED, /* on request */
    TT_SIM_FAILED,
    TT_SIM_INTERRUPTED, /* the service ended before it did */
};

/* One simulation: `tutti run` in a folder. What its units do to it they do not
 * do to us. */
struct tt_sim {
    struct tt_session *session;
    enum tt_dialect dialect;      /* of its rows */
    unsigned id;                  /* its number, in runs/; 0: Maestro's */
    char *name;                   /* its user's word for it, or NULL */
    char *note;                   /* what its user noted of it, or NULL */
    const struct tt_study *study; /* it is more than one simulation; or NULL */
    char **option;         /* ... with these arguments, NULL ends them; owned */
    int stepwise;          /* it steps when it is asked to */
    int traced;            /* attempts of steps are kept */
    char *dir;             /* its results, its words */
    const char *config[3]; /* files to run, in dir; NULL ends them */
    enum tt_sim_state state;
    unsigned revision; /* how often that changed: answers overtake each other */
    int pid;           /* while it runs, else 0 */
    char over[256];    /* the limit it went over, and is ended for; or "" */
    uint64_t over_ns, looked_ns; /* since when; when it was measured */
    uint64_t turn;               /* its place in the queue */
    uint64_t begun_ns;           /* the run */
    uint64_t exec_ms;            /* how long it ran */
    uint64_t queued_ms, started_ms, ended_ms; /* wall clock; 0: not yet */
    double start, end;                        /* simulated, s; NaN: not given */
    char msg[TT_ERR_MAX];                     /* how it ended */
    unsigned status;                          /* ... as an HTTP status */
    struct tt_request *waiting;               /* for its end */
    struct tt_commands *commands; /* commands to it; NULL: it takes none */
    struct tt_live *live;         /* its rows, followed; or NULL */
    struct tt_socket *socket;     /* clients that see them */
    struct tt_feed *feed;         /* ... over the API, or NULL: none */
    struct tt_warned *warned; /* what its log states it far; or NULL. Owned */
    struct tt_sim *next;      /* in the service */
};

/* A new one in this folder, which is there. */
TT_NODISCARD enum tt_code tt_sim_new(struct tt_service *s,
                                     struct tt_session *ses, const char *dir,
                                     struct tt_sim **out, tt_err *err);
/* The session's run of this number, or NULL. */
struct tt_sim *tt_sim_find(const struct tt_service *s,
                           const struct tt_session *ses, unsigned id);
/* Is there room for another in the queue? Else 0, and the answer states it. */
int tt_sim_may_come(const struct tt_service *s, struct tt_answer *a);
/* Join the queue. Its folder is new: nothing in it passes for its results. */
TT_NODISCARD enum tt_code tt_sim_submit(struct tt_service *s,
                                        struct tt_sim *sim, tt_err *err);
/* It is in another state now, which is remembered. */
void tt_sim_change(struct tt_sim *sim, enum tt_sim_state state);
/* Leave the queue, or end after the current step. */
void tt_sim_stop(struct tt_service *s, struct tt_sim *sim);
/* Kills it; its files stay. Accepts NULL. */
void tt_sim_free(struct tt_service *s, struct tt_sim *sim, const char *why);
/* Look after processes that ended and turns that came. */
void tt_sim_tick(struct tt_service *s);
/* Is it waiting for its turn, or running? */
int tt_sim_is_busy(const struct tt_sim *sim);
/* The simulated time of the last row so far; NaN: none. */
double tt_sim_time(const struct tt_sim *sim);
/* 0 .. 1, from the rows so far; `at`: their last time is known. */
double tt_sim_progress(const struct tt_sim *sim);
double tt_sim_progress_at(const struct tt_sim *sim, double time);
char *tt_sim_path(const struct tt_sim *sim, const char *name);

/* study.c: its kind by a request, and arguments by its options. */
TT_NODISCARD enum tt_code tt_study_set(struct tt_sim *sim, const char *kind,
                                       const json_t *options, tt_err *err);
void tt_study_free(struct tt_sim *sim);
/* The kind of this name, or NULL; NULL is called "run". */
const struct tt_study *tt_study_find(const char *name);
const char *tt_study_name(const struct tt_study *study);
/* What to start, NULL ends it; the list is owned by the caller. NULL: out of
 * memory. */
const char **tt_study_args(const struct tt_service *s,
                           const struct tt_sim *sim);
/* 0 .. 1, and the last line of its log. */
double tt_study_progress(const struct tt_sim *sim, char *words, size_t size);
/* State, status and words, from what it printed. */
void tt_study_conclude(struct tt_sim *sim, const struct tt_proc_result *how);

/* limits.c: does it take too long, or too much? Then it is ended. */
void tt_limit_look(const struct tt_service *s, struct tt_sim *sim);
/* It has ended: if it was for a limit, these are the words. */
void tt_limit_conclude(struct tt_sim *sim);

/* "queued", "running": the word for a state, in files and in the API. */
const char *tt_sim_state_name(enum tt_sim_state state);

/* ending.c: state, status and words, from what the process left behind. */
void tt_sim_conclude(struct tt_sim *sim, const struct tt_proc_result *how);
/* It ended so: the words, as its clients are to see them. */
void tt_sim_set_words(struct tt_sim *sim, unsigned status, const char *words);
/* warned.c: its warnings so far, the first of them, as a JSON array of unit
 * (or null) and message. Out of memory, there are none. */
struct tt_warned *tt_warned_new(void);
void tt_warned_free(struct tt_warned *w); /* accepts NULL */
void tt_warned_put(struct tt_buf *b, const struct tt_sim *sim);
/* Lines of its log, as elements of a JSON array. */
/* The lines of a text, separated by commas, each as JSON, without the folder
 * of the session. */
void tt_lines_json(const struct tt_session *ses, const char *text,
                   struct tt_buf *out);
void tt_sim_warnings(const struct tt_sim *sim, struct tt_buf *out);

/* Its files, in the session's folder. */
#define TT_MAESTRO_CONFIG "initialize.json"
#define TT_MAESTRO_BODY   "simulate.json"
#define TT_MAESTRO_RUN    "simulation" /* its run's folder, new for each */

/* maestro.c: its simulation has ended; answer requests that wait for it. */
void tt_maestro_answer_waiting(struct tt_sim *sim);
/* One of its two files; NULL: it is not there. */
json_t *tt_maestro_load(const struct tt_session *ses, const char *name);

/* --- commands to a run ---------------------------------------------------- */

/* The process of a run takes commands and answers them, a line each (`tutti run
 * --control`). These are the lines, and the requests that wait for answers. */
struct tt_commands;

/* Its answer; sim is the run. Fills in the answer. */
typedef void (*tt_commands_fn)(struct tt_service *s, struct tt_request *r,
                               const json_t *message);

/* Takes the pipes over; NULL: out of memory, and they are closed. */
struct tt_commands *tt_commands_new(const struct tt_child_pipes *pipes);
void tt_commands_free(struct tt_commands *k); /* accepts NULL */
/* Send the command, an object, which becomes ours; the request waits for its
 * answer. */
TT_NODISCARD enum tt_code tt_commands_ask(struct tt_service *s,
                                          struct tt_sim *sim,
                                          struct tt_request *r, json_t *command,
                                          tt_commands_fn done, tt_err *err);
/* Read its messages. */
void tt_commands_tick(struct tt_service *s, struct tt_sim *sim);
/* Its process has ended: its last words go to their file. */
void tt_commands_end(struct tt_service *s, struct tt_sim *sim);
/* Its report of the whole run at its end; 0: none. */
int tt_commands_summary(const struct tt_sim *sim, struct tt_buf *out);
/* How it ended is known: requests that still wait are answered. */
void tt_commands_drop(struct tt_sim *sim);
/* Does a request wait for an answer? */
int tt_commands_awaited(const struct tt_service *s);

/* guard.c: what a process of ours may do: write in this folder, which is there,
 * and in those the user named. NULL: anything. */
struct tt_guarded {
    struct tt_sandbox box;
    const char *write[TT_ALLOW_MAX + 1];
};
const struct tt_sandbox *tt_guard(const struct tt_service *s,
                                  const char *folder, struct tt_guarded *g);

/* A process of ours has ended: end what it left behind. */
void tt_guard_sweep(const struct tt_service *s);

/* --- the store ------------------------------------------------------------ */

/* What a service remembers lies beside the results and is written at each
 * change, whole or not at all, so that a service that is killed leaves what is
 * true. Runs may write where these files are: they are read as foreign
 * files. */
#define TT_STORE_SESSION "session.json" /* in a session's folder */
#define TT_STORE_RUN     "run.json"     /* in a simulation's */
#define TT_STORE_RUNS    "runs"         /* in a session's: runs/1, runs/2 ... */

TT_NODISCARD enum tt_code tt_store_session(const struct tt_session *ses,
                                           tt_err *err);
TT_NODISCARD enum tt_code tt_store_sim(const struct tt_sim *sim, tt_err *err);
/* It waits or runs, and the service ends: remember that. */
void tt_store_interrupt(struct tt_sim *sim);
/* The sessions and simulations in the root. What waited or ran is interrupted
 * now, and its temporary files go; folders that are no sessions stay as they
 * are. */
TT_NODISCARD enum tt_code tt_store_load(struct tt_service *s, tt_err *err);

/* --- jobs ----------------------------------------------------------------- */

#define TT_JOBS_DIR ".jobs" /* in the root: what is in the making */

/* Work whose answer needs what clients sent to be opened and read: FMUs,
 * tables. A process of this program does it, so the loop neither waits nor
 * breaks. */
struct tt_job_result {
    int code;           /* its exit code */
    const char *out;    /* file with what it printed */
    struct tt_buf err;  /* its words, without the program's name */
    const char *folder; /* its own, with the files it made; goes after */
};

typedef void (*tt_job_fn)(struct tt_service *s, struct tt_request *r,
                          const struct tt_job_result *res);

#define TT_JOB_FILE                                                            \
    "@/" /* begins an argument: a file in the job's own folder */

#define TT_JOB_INPUT "/dev/stdin"

struct tt_job_spec {
    const char *const *arg; /* `tutti ARG...`; NULL ends them. Copied */
    const char *dir;        /* to work in; NULL: a fresh one, with ... */
    const char *input;      /* a file in dir that it reads as TT_JOB_INPUT, and
                               no other that comes in its place; or NULL */
    const char *file;       /* ... this file in it, or NULL */
    const char *text;
    size_t text_n;
    tt_job_fn done; /* fills in the answer. Not called when the request's wire
                       has gone before, or its session, or run */
};

TT_NODISCARD enum tt_code tt_job_start(struct tt_service *s,
                                       struct tt_request *r,
                                       const struct tt_job_spec *spec,
                                       tt_err *err);
/* All of what it printed; "" when it is too much to be kept. */
void tt_job_read(const struct tt_job_result *res, struct tt_buf *out);
/* Their processes, added to these; else -1. */
int tt_job_pids(const struct tt_service *s, struct tt_kin *kin);
/* Look after those that ended, or take too long. */
void tt_job_tick(struct tt_service *s);
/* The session goes, or this run of it (NULL: all of the session): who waits
 * for a job about it is refused. */
void tt_job_forget(struct tt_service *s, const struct tt_session *ses,
                   const struct tt_sim *run, const char *why);
/* Does a request wait for one in this session? */
int tt_job_is_awaited(const struct tt_service *s, const struct tt_session *ses);
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

/* --- the API's live stream ------------------------------------------------ */

struct tt_watcher;

/* The run a WebSocket's path names, or NULL. */
struct tt_sim *tt_watcher_find(struct tt_service *s, const char *path);
/* A socket that watches it; NULL: out of memory. */
struct tt_watcher *tt_watcher_open(struct tt_service *s, void *wire,
                                   struct tt_sim *sim);
void tt_watcher_free(struct tt_watcher *w);    /* accepts NULL */
int tt_watcher_writable(struct tt_watcher *w); /* -1: close it */
int tt_watcher_receive(struct tt_service *s, struct tt_watcher *w,
                       const void *data, size_t n);

/* Send what is new to the watchers. */
void tt_feed_tick(struct tt_service *s, struct tt_sim *sim);
/* Is there a watcher that has not seen all? */
int tt_feed_is_busy(const struct tt_sim *sim);
/* The run goes. */
void tt_feed_free(struct tt_sim *sim);

#endif
