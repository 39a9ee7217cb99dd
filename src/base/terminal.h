/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_TERMINAL_H
#define TT_BASE_TERMINAL_H

/* Terminals: groups of variables that belong together, as a pin has a voltage
 * and a current, so that they are connected as one. */

#include <stdint.h>

/* How members of two terminals find each other. */
enum tt_match {
    TT_MATCH_PLUG,     /* by name, and all must */
    TT_MATCH_BUS,      /* by name, as far as there are */
    TT_MATCH_SEQUENCE, /* by order, and there are equally many */
    TT_MATCH_NONE,     /* not meant to be connected, or by an unknown rule */
};

enum tt_member_kind {
    TT_MEMBER_SIGNAL,  /* equal where terminals meet */
    TT_MEMBER_INFLOW,  /* flows sum to zero: positive into the unit, */
    TT_MEMBER_OUTFLOW, /* ... out of it */
    TT_MEMBER_STREAM,  /* what a flow carries: given when it leaves (port), and
                          taken when it enters (in) */
    TT_MEMBER_OTHER,   /* of a kind that is not known */
};

struct tt_member {
    const char *name; /* "": none, in a sequence */
    enum tt_member_kind kind;
    uint32_t port;
    uint32_t in; /* of a stream; else as port */
};

static inline int tt_member_is_flow(const struct tt_member *m)
{
    return m->kind == TT_MEMBER_INFLOW || m->kind == TT_MEMBER_OUTFLOW;
}
/* Flows are one kind, whichever way is positive. */
static inline int tt_member_same_kind(const struct tt_member *a,
                                      const struct tt_member *b)
{
    return a->kind == b->kind || (tt_member_is_flow(a) && tt_member_is_flow(b));
}

struct tt_terminal {
    const char *name; /* "pin", or "plug.pin" of one within another */
    const char *text; /* description, or NULL */
    const char *kind; /* of what domain, or NULL */
    enum tt_match match;
    uint32_t parent; /* the one it is within, which comes before; or TT_NONE */
    const struct tt_member *member;
    uint32_t n_member;
};

/* "plug", "signal", ... */
const char *tt_match_name(enum tt_match m);
const char *tt_member_kind_name(enum tt_member_kind k);

#endif
