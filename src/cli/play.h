/* SPDX-License-Identifier: MIT */
#ifndef TT_CLI_PLAY_H
#define TT_CLI_PLAY_H

/* A run, played in a child process: what units do to their process they do
 * not do to us. The child leaves its words in shared memory; when it dies, we
 * state which unit, which call and when, and rescue the rows. */

#include <stddef.h>
#include <stdint.h>

#include "cli/checkpoint.h"
#include "cli/cli.h"
#include "cli/sink.h"
#include "results/scribe.h"
#include "results/curves.h"
#include "run/run.h"
#include "run/steplog.h"
#include "scenario/scenario.h"
#include "sys/sandbox.h"

struct tt_play {
    const tt_scenario *scenario;
    struct tt_sink *sink;       /* what was logged so far, and will be */
    const char *temp;           /* a folder for what the child unpacks */
    struct tt_files files;      /* "-" is standard output */
    const char *report;         /* HTML file, or NULL */
    const char *side[TT_SIDES]; /* CSV files: all attempts at steps, all events
                                   put out; or NULL */
    const char *typed;
    const char *beside;         /* members of the summary as JSON, found out
                                   beside the run (beside.h); or NULL */
    const struct tt_note *note; /* decisions of the command itself */
    size_t n_note;
    int plot, quiet, json, profile, no_child;
    int no_event_mode;                /* events stay inside instances */
    int microsteps;                   /* of events are rows, too */
    double event_shift;               /* s: how it moves later events; 0: no */
    int strict;                       /* a warning is a failure */
    const struct tt_sandbox *sandbox; /* of the child, or NULL */
    uint32_t rank, n_rank; /* of several that play together; n_rank 1: alone */
    const double *cost;    /* of each unit, to deal them out by; or NULL */
    int control; /* led over standard input and output; wants json ... */
    int paused;  /* ... and begins paused */
    const char *checkpoint; /* file, or NULL */
    struct tt_every every;
    int argc; /* what to type to have this run */
    char *const *argv;
    const struct tt_checkpoint_file *resume; /* NULL: from the start */
};

#define TT_OUTCOME_TEXT ((size_t)4 << 20)

/* How it went; in shared memory. */
struct tt_outcome {
    volatile int playing; /* start and end are known */
    volatile double start, end;
    volatile double factor;  /* of real time; 0: not paced */
    volatile int variable;   /* the step is */
    volatile int concluding; /* the units are done, the words are made */
    volatile int ready;      /* all below is complete */
    int together;            /* it came to its end with all other ranks */
    enum tt_code code;
    char msg[TT_ERR_MAX];
    enum tt_run_why why;
    int failed; /* by the verdict of a script, or an expectation */
    uint64_t steps, rows;
    double t, wall;
    size_t n_text;
    char text[TT_OUTCOME_TEXT]; /* to print on stdout */
};

struct tt_shared {
    struct tt_stage stage;
    struct tt_outcome outcome;
    struct tt_complaint last;
    struct tt_warnings warnings;
    volatile int stop;
    volatile uint64_t used; /* memory when it crashed; 0: unknown */
    struct tt_kept kept;
};

/* Play, print, and return the exit code. */
enum tt_exit tt_play(const struct tt_play *p);

/* Is one of the files standard output? */
int tt_play_to_stdout(const struct tt_files *f);

/* What --json prints when there is nothing but a failure to report. */
void tt_play_json_failure(const struct tt_play *p,
                          const struct tt_warnings *warnings, const char *msg,
                          uint64_t rows, double t);
/* On standard output: the text, or, of a run that is led, its last line with
 * the text, which is JSON, as summary. */
TT_NODISCARD enum tt_code
tt_play_print(const struct tt_play *p, const char *text, size_t n, tt_err *err);

/* --- its parts ------------------------------------------------------------ */

/* After the play, before the units are freed. */
struct tt_played {
    const struct tt_play *play;
    const tt_run *run;
    const tt_curves *curves;   /* or NULL ... */
    const tt_table *table;     /* ... the rows that were rescued, or NULL */
    const tt_steplog *steps;   /* or NULL */
    uint64_t n_side[TT_SIDES]; /* rows of these files */
    enum tt_code code;
    const char *msg;    /* of a failure */
    const char *report; /* where to write it for now; NULL: where it goes */
    double wall;        /* s */
    uint64_t rows;      /* in the file */
    const struct tt_warnings *warnings;
};

/* summary.c: for people, and for machines. */
void tt_summary_text(struct tt_buf *b, const struct tt_played *p);
void tt_summary_json(struct tt_buf *b, const struct tt_played *p);
/* "outputs.csv, outputs.h5"; "-" is "standard output". */
void tt_summary_files(struct tt_buf *b, const struct tt_files *f);
/* Elements of a JSON array; *first: no comma is needed before the next. */
void tt_summary_json_notes(struct tt_buf *b, const struct tt_note *note,
                           size_t n, int *first);
/* facts.c: members of the object: what it was made of. */
void tt_summary_json_sources(struct tt_buf *b, const struct tt_played *p);
/* after.c: the HTML report, and a rough picture. */
TT_NODISCARD enum tt_code tt_play_report(const struct tt_played *p,
                                         tt_err *err);
void tt_play_plot(struct tt_buf *b, const struct tt_played *p);

/* progress.c: draws a bar from what the child leaves in shared memory. */
int tt_progress_wanted(const struct tt_play *p);
void tt_progress_start(const struct tt_shared *shared);
void tt_progress_stop(void);

/* "stopped", "failed", ... */
const char *tt_play_outcome(enum tt_code code, enum tt_run_why why);

#endif
