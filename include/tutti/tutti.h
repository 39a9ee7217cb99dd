/* SPDX-License-Identifier: MIT */
#ifndef TUTTI_TUTTI_H
#define TUTTI_TUTTI_H

/* libtutti: co-simulation in your program.
 *
 * A *scenario* states what to simulate: units (FMUs), connections, parameters,
 * experiment; it is loaded from JSON and never changes. A *run* is one
 * performance of it. The short way:
 *
 *     struct tutti_run_options o = {.csv = "outputs.csv"};
 *     tutti_scenario *s = NULL;
 *     tutti_run *r = NULL;
 *     tutti_error e;
 *
 *     if (tutti_scenario_load(&s, "car.json", NULL, &e) != TUTTI_OK ||
 *         tutti_run_new(&r, s, &o, &e) != TUTTI_OK ||
 *         tutti_run_perform(r, &e) != TUTTI_OK)
 *         puts(e.message);
 *     tutti_run_free(r);
 *     tutti_scenario_free(s);
 *
 * and the long way, step by step, setting and reading variables in between:
 * examples/c-api/main.c.
 *
 * Rules. Handles are opaque; what `new` and `load` gave is freed by `free`,
 * which accepts NULL. There are no globals: two runs may play in two threads
 * at once, also of one scenario; one run belongs to one thread at a time.
 * Functions that can fail return a code and, when they do, fill in the error
 * (which may be NULL) and leave their other results alone; the message is
 * complete enough to show as it is, and names options as the program `tutti`
 * does (--master). Text handed out as `char *` is yours and
 * freed with tutti_free; as `const char *` it is borrowed from the handle.
 * Structs of options: zero them, then set what you want; members may be added
 * at their end, so compile again with a new version.
 *
 * FMUs are native code: in your process, a crash of theirs is a crash of
 * yours. The program `tutti` plays in a process of its own; so do units here,
 * if you set `isolate` or `sandbox`.
 */

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TUTTI_API __attribute__((visibility("default")))
#else
#define TUTTI_API
#endif

/* --- errors -------------------------------------------------------------- */

enum tutti_code {
    TUTTI_OK,
    TUTTI_NO_MEMORY,
    TUTTI_BAD_INPUT,   /* a file, name, value or option of yours */
    TUTTI_IO,          /* the machine: disk full, no permission */
    TUTTI_UNIT_FAILED, /* a unit returned an error */
    TUTTI_UNSUPPORTED,
    TUTTI_BAD_STATE /* not allowed now */
};

typedef struct tutti_error {
    enum tutti_code code;
    char message[2048];
} tutti_error;

TUTTI_API const char *tutti_version(void); /* "0.1.0" */
TUTTI_API void tutti_free(void *text);     /* accepts NULL */

/* --- messages ------------------------------------------------------------ */

enum tutti_level {
    TUTTI_DEBUG,
    TUTTI_INFO,
    TUTTI_NOTE, /* something was decided for you */
    TUTTI_WARNING,
    TUTTI_ERROR
};

/* A message; unit is NULL when Tutti itself logs. Units may log from
 * threads of their own, so this may be called from several at once. */
typedef void (*tutti_log_fn)(void *ctx, enum tutti_level level,
                             const char *unit, const char *text);

/* --- scenarios ----------------------------------------------------------- */

typedef struct tutti_scenario tutti_scenario;

/* Laid over the files. NULL: as they are. */
struct tutti_options {
    const char *const *set; /* "{key}.instance.variable=value" */
    size_t n_set;
    const double *start, *end, *step; /* s */
    const double *sample;             /* s between recorded rows */
    const double *tolerance;          /* relative, of the units' own solvers */
    const char *master;               /* "jacobi", "gauss-seidel" */
    const char *order;                /* "a,b" */
    const char *approximation;        /* "hold", "linear", "hermite", ... */
    const char *record;               /* "PATTERN,..." or "all" */
    tutti_log_fn log_cb; /* what is odd in the files, and does not hinder */
    void *log_ctx;

    /* As the options of `tutti run` of these names; man tutti-run. */
    const int *substeps;          /* 0: inputs are held */
    int rollback;                 /* 1: of a fixed step too */
    const char *iterate;          /* "3" turns, or "converged" */
    const char *acceleration;     /* "none", "relax", "aitken", ... */
    const char *error_control;    /* "richardson", "orders", ... */
    const double *step_tolerance; /* of error_control */
    const double *real_time;      /* simulated seconds per second */
    const char *overrun;          /* "continue", "stop" */
    const char *threads;          /* "4", or "auto" */
    int isolate;                  /* 1: a process for each unit of an FMU */
    const double *deadline;       /* s, for a call of a unit elsewhere; one in
                                     this process cannot be held to it */
    int no_stop_time;             /* 1: units are given none */
    const char *token_file, *tls_ca; /* of workers on other hosts */
    const char *base; /* folder of relative locations; NULL: each file's own */
    int only_base;    /* 1: and nothing outside of it is opened */
    /* Anything else a scenario can state ("rates", "powerBonds", ...): JSON
     * that is laid over the files like a last one. Relative locations in it
     * start from the working directory. Not with one FMU alone. */
    const char *json;
    const char *score; /* a score file to play, in place of a master: what
                          tutti_score() gives as JSON */
};

/* A scenario file, or one FMU alone. options may be NULL. */
TUTTI_API enum tutti_code
tutti_scenario_load(tutti_scenario **out, const char *path,
                    const struct tutti_options *options, tutti_error *error);
/* Several files, laid over each other, the last one wins. */
TUTTI_API enum tutti_code
tutti_scenario_load_many(tutti_scenario **out, const char *const *path,
                         size_t n, const struct tutti_options *options,
                         tutti_error *error);
/* n bytes of JSON in memory; relative paths of FMUs start from base_dir, or
 * from the working directory when it is NULL. */
TUTTI_API enum tutti_code
tutti_scenario_parse(tutti_scenario **out, const char *json, size_t n,
                     const char *base_dir, const struct tutti_options *options,
                     tutti_error *error);
/* Runs borrow their scenario: free it after them. */
TUTTI_API void tutti_scenario_free(tutti_scenario *s);

/* --- runs ---------------------------------------------------------------- */

typedef struct tutti_run tutti_run;

/* A row of results: one value per column (tutti_run_column), booleans as 0
 * and 1, NaN for texts. Return nonzero to end the run after this row. */
typedef int (*tutti_row_fn)(void *ctx, double t, const double *value, size_t n);

/* An event that an instance puts out: a value of an output that belongs to a
 * clock. Several at one time are counted by their microstep. */
struct tutti_run_event {
    double time; /* s */
    uint64_t microstep;
    const char *instance; /* "{key}.instance" */
    const char *port;
    const char *value; /* as text: "true", "0.5" */
};
/* Each of them as it happens; what it points to is valid until you return. */
typedef void (*tutti_event_fn)(void *ctx, const struct tutti_run_event *event);

/* What units may do to the machine. Zeros: they read files and start programs
 * as ever, write nothing, have no network, and cannot reach other processes or
 * change the system. What is refused fails with the system's usual error. */
struct tutti_sandbox {
    const char *const *write; /* folders, or files, they may write all the
                                 same; they exist */
    size_t n_write;
    int network;        /* 1: they have one */
    int only_limits;    /* 1: nothing is refused, but these hold: */
    uint64_t memory;    /* bytes a process may hold, what you hold when it is
                           forked included; 0: no limit */
    uint64_t file_size; /* bytes of each file they write; 0: no limit */
    uint64_t cpu;       /* s of processor time of each; 0: no limit */
};

struct tutti_run_options {
    const char *csv;    /* write results to this file: .mat is MAT v4, .h5 and
                           .hdf5 HDF5, else CSV; NULL: none */
    const char *report; /* write an HTML report; NULL: none */
    tutti_log_fn log_cb;
    void *log_ctx;
    tutti_row_fn row_cb;
    void *row_ctx;

    const char *const *output; /* more files like `csv`; all get the same rows
                                  (tutti_options.record, .sample) */
    size_t n_output;
    const char *dialect; /* spelling of CSV: "maestro1", "maestro2"; NULL: as
                            the scenario states */
    const char *trace;   /* CSV: a line for every attempt at a step */
    int profile;         /* 1: measure every call; tutti_run_profile */
    /* NULL: none. Else each unit that is not on another host has a process of
     * its own, like with tutti_options.isolate, and that is confined before
     * the first code of an FMU runs. Your process is not. Copied. */
    const struct tutti_sandbox *sandbox;
    const char *events; /* write a list of all events to this file, of a format
                           like `csv`; NULL: none */
    tutti_event_fn event_cb;
    void *event_ctx;
};

/* Load the units, check the scenario, choose and check the order of all
 * operations. Nothing is instantiated yet. options may be NULL. */
TUTTI_API enum tutti_code tutti_run_new(tutti_run **out,
                                        const tutti_scenario *s,
                                        const struct tutti_run_options *options,
                                        tutti_error *error);
/* Start unless that was done, step until done, end. */
TUTTI_API enum tutti_code tutti_run_perform(tutti_run *r, tutti_error *error);

/* Or one by one. start instantiates and initialises and gives the first row;
 * each step gives a row; end makes results durable and writes the report. A
 * run that failed can still be ended, and keeps the rows it had. A run plays
 * once. */
TUTTI_API enum tutti_code tutti_run_start(tutti_run *r, tutti_error *error);
TUTTI_API enum tutti_code tutti_run_step(tutti_run *r, tutti_error *error);
TUTTI_API int tutti_run_done(const tutti_run *r); /* no step is left */
TUTTI_API enum tutti_code tutti_run_end(tutti_run *r, tutti_error *error);
/* In any state; ends a run that plays. */
TUTTI_API void tutti_run_free(tutti_run *r);

enum tutti_end {
    TUTTI_END_NOT_YET,
    TUTTI_END_COMPLETE,   /* reached the end time */
    TUTTI_END_TERMINATED, /* a unit ended it: a normal end */
    TUTTI_END_STOPPED,    /* by row_cb, or ended before it was done */
    TUTTI_END_FAILED
};

TUTTI_API double tutti_run_time(const tutti_run *r);    /* s, reached */
TUTTI_API uint64_t tutti_run_steps(const tutti_run *r); /* made */
TUTTI_API enum tutti_end tutti_run_how(const tutti_run *r);
/* "completed: 50 steps to t=10 s"; empty before the end. */
TUTTI_API const char *tutti_run_sentence(const tutti_run *r);

/* Columns of results; NULL for an i that is too great. */
TUTTI_API size_t tutti_run_columns(const tutti_run *r);
TUTTI_API const char *tutti_run_column(const tutti_run *r, size_t i);

/* Variables, by "{key}.instance.variable", between start and end; elements of
 * arrays as "x[2]" and "m[1,3]". Numbers, booleans and enumerations travel as
 * double; every type travels as text ("true", "0.5"),
 * strings as they are and binaries in hexadecimal, whole however long.
 *
 * Inputs and tunable parameters can be set; other parameters are set when the
 * scenario is loaded. A connected input keeps what you set until the next
 * exchange, so through the next step. A name or a value that is refused does
 * the run no harm. */
TUTTI_API enum tutti_code tutti_run_get(tutti_run *r, const char *name,
                                        double *value, tutti_error *error);
TUTTI_API enum tutti_code tutti_run_set(tutti_run *r, const char *name,
                                        double value, tutti_error *error);
TUTTI_API enum tutti_code tutti_run_get_text(tutti_run *r, const char *name,
                                             char **value, tutti_error *error);
TUTTI_API enum tutti_code tutti_run_set_text(tutti_run *r, const char *name,
                                             const char *value,
                                             tutti_error *error);

/* --- looking ------------------------------------------------------------- */

enum tutti_form { TUTTI_TEXT, TUTTI_JSON, TUTTI_SVG };

/* Where the time went: by unit and operation (text or JSON). Of a run that was
 * started, with `profile` in its options. */
TUTTI_API enum tutti_code tutti_run_profile(const tutti_run *r,
                                            enum tutti_form form, char **out,
                                            tutti_error *error);
/* The score of a run: every operation, in order (text, JSON or a picture). */
TUTTI_API enum tutti_code tutti_score(const tutti_run *r, enum tutti_form form,
                                      char **out, tutti_error *error);
/* What an FMU declares of itself (text or JSON). Nothing is loaded. */
TUTTI_API enum tutti_code tutti_info(const char *fmu, enum tutti_form form,
                                     char **out, tutti_error *error);
/* Check an FMU's description against the standard's rules: every finding with
 * its line (text or JSON). *n_errors (may be NULL): how many break a rule. */
TUTTI_API enum tutti_code tutti_check(const char *fmu, enum tutti_form form,
                                      char **out, size_t *n_errors,
                                      tutti_error *error);
/* Draw a table of results, CSV, MAT v4 or HDF5 (text for a terminal of 80
 * columns, or SVG). columns chooses, "x*,tank.level"; NULL: all. */
TUTTI_API enum tutti_code tutti_plot(const char *csv, const char *columns,
                                     enum tutti_form form, char **out,
                                     tutti_error *error);

/* Values a and b agree when |a - b| <= absolute + relative |b|. */
struct tutti_tolerance {
    double absolute, relative;
};

/* Compare results with a reference, whose every row and column must be there.
 * tolerance NULL: to the last bit. *same is 1 or 0; out (text or JSON, may be
 * NULL) states where they differ. */
TUTTI_API enum tutti_code tutti_compare(const char *csv, const char *reference,
                                        const struct tutti_tolerance *tolerance,
                                        int *same, enum tutti_form form,
                                        char **out, tutti_error *error);

#ifdef __cplusplus
}
#endif

#endif
