/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_SINK_H
#define TT_CLI_SINK_H

/* Where the messages of a run go: warnings to stderr as they come, and all that
 * is asked for into a list for the report. Units that chatter are shown a few
 * times only. Units may log from threads of their own. */

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/log.h"
#include "run/logbook.h"
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
    char text[1024]; /* as the unit logged it */
    char line[1400]; /* as it would be printed */
};

/* The warnings of a run, one after the other and each with its NUL, as far as
 * there is room. Flat, for the same reason. */
struct tt_warnings {
    volatile uint32_t n;    /* all that were reported */
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
    struct tt_warnings own_warnings, *warnings; /* warnings and errors */
    struct tt_logbook logbook;                  /* what is kept */
    struct {
        char name[64];
        uint32_t n;
    } shown[TT_SINK_UNITS];
};

TT_NODISCARD enum tt_code
tt_sink_init(struct tt_sink *s, const struct tt_sink_opts *o, tt_err *err);
/* From now on the instant is *t, lines may stand below a bar, a complaint waits
 * in *last, and warnings are kept in *warnings, those so far too. */
void tt_sink_play(struct tt_sink *s, const volatile double *t, int bar,
                  struct tt_complaint *last, struct tt_warnings *warnings);
/* A copy of the warnings so far. */
void tt_sink_copy_warnings(struct tt_sink *s, struct tt_warnings *out);
/* Those of another process that does the same, as of another rank: what both
 * reported is there once, what was reported several times in one of them as
 * often as there. Nothing is printed. */
void tt_sink_merge_warnings(struct tt_sink *s, const struct tt_warnings *from);
/* A JSON array of texts. What is there is not trusted. */
void tt_warnings_json(struct tt_buf *b, const struct tt_warnings *t);
/* Print what waits, unless `quoted` (may be NULL) quotes it. */
void tt_sink_flush(struct tt_complaint *c, const char *logbook);
void tt_sink_fini(struct tt_sink *s);

#endif
