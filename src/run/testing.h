/* SPDX-License-Identifier: MIT */
#ifndef TT_RUN_TESTING_H
#define TT_RUN_TESTING_H

/* For tests of whole runs on mocks: a stage that takes a JSON text, whose FMUs
 * are registered mocks, and keeps what was called, logged and recorded. Asserts
 * with TT_ASSERT. In tutti_testing only. */

#include "base/buf.h"
#include "base/log.h"
#include "run/run.h"
#include "unit/mock.h"

struct stage {
    struct tt_buf tape;
    tt_scenario *scenario;
    tt_run *run;
    tt_err err;
    struct tt_log log;
    struct tt_buf logged; /* notes and warnings */
    tt_observer observer;
    double row_t[64];
    uint32_t row_n[64]; /* microsteps */
    double row_v[64][8];
    int row_absent[64][8];
    uint32_t n_row;
    const struct tt_rows *rows;
    double stop_at;
    struct tt_run_opts opts;          /* further ones, before loading */
    const struct tt_sc_options *over; /* laid over the scenario; NULL: none */
    int unseen;                       /* without the observer: those of opts */
};

struct stage *st_new(void); /* forgets all mocks */
void st_free(struct stage *st);
enum tt_code st_load(struct stage *st, const char *json);
enum tt_code st_play(struct stage *st, const char *json);
/* Loads and starts it, with the kinds that a user has, without the observer. */
void st_begin_unseen(struct stage *st, const char *json);
/* A new stage, with an integrator "i" and a gain "g", that has played. */
struct stage *st_played(const char *json);
/* What was called in macro step n (1 is the first). */
char *st_step_tape(struct stage *st, const char *json, int n);
/* Starts what was loaded and plays it: how many allocations were made after
 * the first step. */
uint64_t st_allocations(struct stage *st);

/* For other runs and observers of tests: every FMU is a mock, and nothing is
 * left to do at the end. */
enum tt_code st_kind_of_mocks(const struct tt_kind_ops **kind,
                              const struct tt_source *s, tt_err *err);
enum tt_code st_observer_end(tt_observer *o, tt_err *err);
void st_observer_free(tt_observer *o);

/* Plays something with the n-th allocation failing; 0: none. */
typedef enum tt_code (*st_torture_fn)(struct stage *st, uint64_t n);
/* With the n-th allocation failing, for every n: nothing leaks (the sanitizer
 * watches), nothing crashes, and the code states why. A note that found no
 * memory is no reason to fail, but more than half of them are. */
void st_torture(st_torture_fn play);

/* Two rings of an integrator and a gain, apart from each other. */
#define ST_RINGS(more)                                                         \
    "{\"fmus\": {\"{i}\": \"i\", \"{g}\": \"g\"}, \"connections\": "           \
    "{\"{i}.a.y\": [\"{g}.c.u\"], \"{g}.c.y\": [\"{i}.a.u\"], \"{i}.b.y\": "   \
    "[\"{g}.d.u\"], \"{g}.d.y\": [\"{i}.b.u\"]}, \"parameters\": "             \
    "{\"{g}.c.k\": -1, \"{g}.d.k\": -0.3, \"{i}.a.y0\": 1, \"{i}.b.y0\": "     \
    "0.7}, \"endTime\": 2, " more "}"
#define ST_FIXED "\"algorithm\": {\"type\": \"fixed-step\", \"size\": 0.1}"
#define ST_VARIABLE                                                            \
    "\"algorithm\": {\"type\": \"var-step\", \"size\": [1e-3, 0.3], "          \
    "\"initsize\": 0.1, \"constraints\": {\"c\": {\"type\": "                  \
    "\"boundeddifference\", \"ports\": [\"{i}.a.y\"], \"abstol\": 0.02, "      \
    "\"reltol\": 0.02}}}"

#endif
