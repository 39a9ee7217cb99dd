/* SPDX-License-Identifier: MIT */
#ifndef TT_SERVE_SERVE_H
#define TT_SERVE_SERVE_H

/* The engine as a service: HTTP in Maestro 2's dialect. Every simulation is a
 * process of its own; the loop that answers never waits for one. */

#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

#define TT_ALLOW_MAX 16u

struct tt_serve_opts;

#define TT_URL_MAX 256u

/* What the caller of a service may want to know. */
struct tt_serve_ready {
    int port;
    char url[TT_URL_MAX]; /* "http://127.0.0.1:8082/", for a browser here */
    const char *folder;   /* of the sessions */
    const char *note;     /* what is special about it, or NULL */
};

struct tt_serve_opts {
    int port;             /* 0: any free one */
    const char *bind;     /* an address of this machine */
    const char *dir;      /* sessions are kept here from one service to the
                             next; NULL: in the user's folder for data */
    const char *examples; /* folder of examples; NULL: those that came with
                             this program */
    const char *tls_cert, *tls_key; /* PEM files; NULL: no TLS */
    const char *token; /* bearer token every request must bring, or NULL */
    int maestro1;      /* Maestro 1's dialect, not 2's */
    int no_sandbox;    /* simulations may do what this process may */
    int allow_network; /* ... or only use the network, */
    const char *const *allow_write; /* ... or write in these folders */
    size_t n_allow_write;           /* at most TT_ALLOW_MAX */
    int local_files;    /* scenarios may name FMUs outside of sessions */
    unsigned max_runs;  /* simulations at once; others wait ... */
    unsigned max_queue; /* ... so many of them */
    unsigned max_sessions;
    double max_time;     /* s of wall clock a run may take; 0: any */
    uint64_t max_disk;   /* bytes of a session's folder; 0: any */
    uint64_t max_memory; /* bytes of a run; 0: any */
    uint64_t max_upload; /* bytes clients may put into a session */
    double upload_time;  /* s for a request's body, and one for each 64 KiB */
    int loopback;        /* other machines are not let in */
    double expire;       /* s: sessions without requests go, on loopback those
                            without a name; 0: never */
    volatile int *stop;  /* becomes 1 when the service is to end */
    const char *version; /* of the engine */
    /* Called once, when requests are taken. */
    void (*ready_cb)(const struct tt_serve_opts *o,
                     const struct tt_serve_ready *r);
};

/* Serve until *stop. Sessions stay, and what ran is interrupted. Where the user
 * has no place for them they are in a temporary folder, which goes.
 * Built without the library it fails, stating how to get it. */
TT_NODISCARD enum tt_code tt_serve(const struct tt_serve_opts *o, tt_err *err);

/* What simulations are kept from: "no writes outside, ..." */
void tt_serve_guards(const struct tt_serve_opts *o, struct tt_buf *b);

/* What a service starts itself for, to work with foreign files: */
/* opts->dir, which is a session's, as a zip file. */
TT_NODISCARD enum tt_code tt_serve_pack(const struct tt_serve_opts *o,
                                        const char *file, tt_err *err);
/* The log categories of the FMUs of a configuration, as JSON on stdout; their
 * relative locations are in opts->dir. */
TT_NODISCARD enum tt_code tt_serve_levels(const struct tt_serve_opts *o,
                                          const char *file, tt_err *err);
/* The attempts at steps in a trace, as JSON, about so many at most. */
TT_NODISCARD enum tt_code tt_serve_steps(const char *trace, uint64_t points,
                                         struct tt_buf *out, tt_err *err);
/* The events in a list, as JSON: the first so many of a time that have every
 * word of a search in instance, port or value. */
struct tt_serve_event_query {
    uint64_t points;
    double from, to;    /* s */
    const char *search; /* or NULL */
};
TT_NODISCARD enum tt_code tt_serve_events(const char *list,
                                          const struct tt_serve_event_query *q,
                                          struct tt_buf *out, tt_err *err);

#endif
