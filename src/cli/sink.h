/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_SINK_H
#define TT_CLI_SINK_H

/* Where the messages of a run go: warnings to stderr as they come, and all
 * that is asked for into a list for the report. Units that chatter are heard
 * a few times only. Units may speak from threads of their own. */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/log.h"
#include "run/said.h"
#include "sys/sync.h"

#define TT_SINK_UNITS 256u /* units whose chatter is counted one by one */

struct tt_sink_opts {
    int quiet;   /* print errors only */
    int verbose; /* print everything */
    int keep;    /* keep records for a report */
};

/* What a unit complained of last, and not printed yet: the error it leads to
 * mostly quotes it. Flat, so that it can outlive a process. */
struct tt_complaint {
    volatile int waits;
    char text[1024]; /* as the unit said it */
    char line[1400]; /* as it would be printed */
};

/* The warnings of a run, one after the other and each with its NUL, as far as
 * there is room. Flat, for the same reason. */
struct tt_told {
    volatile uint32_t n;    /* all that were told */
    volatile uint32_t kept; /* of them, in `text` ... */
    volatile uint32_t used; /* ... which is so long */
    char text[65536];
};

struct tt_sink {
    struct tt_sink_opts opts;
    struct tt_log log; /* give this to the engine */
    struct tt_lock lock;
    int colours;
    int bar;                  /* a progress bar may stand on the line */
    const volatile double *t; /* the instant, or NULL: not playing */
    struct tt_complaint own, *last;
    struct tt_told own_told, *told; /* warnings and errors */
    struct tt_said said;            /* what is kept */
    struct {
        char name[64];
        uint32_t n;
    } heard[TT_SINK_UNITS];
};

TT_NODISCARD enum tt_code
tt_sink_init(struct tt_sink *s, const struct tt_sink_opts *o, tt_err *err);
/* From now on the instant is *t, lines may stand below a bar, a complaint waits
 * in *last, and warnings are kept in *told, those so far too. */
void tt_sink_play(struct tt_sink *s, const volatile double *t, int bar,
                  struct tt_complaint *last, struct tt_told *told);
/* A JSON array of texts. What is there is not trusted. */
void tt_told_json(struct tt_buf *b, const struct tt_told *t);
/* Print what waits, unless `said` (may be NULL) quotes it. */
void tt_sink_flush(struct tt_complaint *c, const char *said);
void tt_sink_fini(struct tt_sink *s);

#endif
