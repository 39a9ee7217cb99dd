/* SPDX-License-Identifier: MIT */
#ifndef TT_SERVE_SERVE_H
#define TT_SERVE_SERVE_H

/* The engine as a service: HTTP in Maestro 2's dialect. Every simulation is a
 * process of its own; the loop that answers never waits for one. */

#include "base/err.h"

struct tt_serve_opts {
    int port;            /* 0: any free one */
    const char *bind;    /* an address of this machine */
    const char *dir;     /* where session folders go; NULL: a temporary one */
    const char *token;   /* bearer token every request must bring, or NULL */
    unsigned max_runs;   /* simulations at once; others wait */
    double expire;       /* s: sessions nobody asks for go; 0: never */
    volatile int *stop;  /* becomes 1 when the service is to end */
    const char *version; /* of the engine */
    /* Called once, when requests are taken. */
    void (*ready_cb)(const char *address, int port);
};

/* Serve until *stop. Sessions that are left are removed with their folders.
 * Built without the library it fails, saying how to get it. */
TT_NODISCARD enum tt_code tt_serve(const struct tt_serve_opts *o, tt_err *err);

#endif
