/* SPDX-License-Identifier: MIT */
/*
 * Private to the unit kit: what an instance is.
 *
 * tutti_kit.c includes the other sources, so that a user compiles one file and
 * everything but the FMI functions is static. Reading order: this header,
 * tutti_kit_table.c (variables), tutti_kit_log.c (messages), tutti_kit.c (life,
 * evaluation, access), tutti_kit_solve.c (courses, solver, step) with
 * tutti_kit_linear.c (its exact half), tutti_kit_events.c (discrete events),
 * tutti_kit_state.c (snapshots, derivatives), tutti_kit_me.c (model exchange),
 * then the FMI faces, whose values and clocks have files of their own, as has
 * scheduled execution (tutti_kit_se.c), and tutti_kit_check.c with
 * tutti_kit_xml.c and tutti_kit_xml_vars.c (the model description).
 */
#ifndef TUTTI_KIT_IMPL_H
#define TUTTI_KIT_IMPL_H

#include <stdarg.h>
#include <stdlib.h>

/* 1, 2 or 3: the only face; 0: those of 2 and 3, which describing needs. */
#if defined(TUTTI_KIT_DESCRIBE) || !defined(TUTTI_KIT_FMI)
#undef TUTTI_KIT_FMI
#define TUTTI_KIT_FMI 0
#endif

#include "tutti_kit.h"
#include "tutti_kit_fmi1.h"
#include "tutti_kit_fmi2.h"
#include "tutti_kit_fmi3.h"

/* Numbered as fmi2Status and fmi3Status, so that a cast converts. */
enum status { ST_OK, ST_WARNING, ST_DISCARD, ST_ERROR, ST_FATAL };

/* Where in its life an instance is; bits, so that a set of them states where a
 * function may be called. */
enum phase {
    PH_INSTANTIATED = 1 << 0,
    PH_INIT = 1 << 1,
    PH_EVENT = 1 << 2, /* FMI 3 event mode */
    PH_STEP = 1 << 3,
    PH_INTERMEDIATE = 1 << 4, /* inside the FMI 3 intermediate update */
    PH_TERMINATED = 1 << 5,
    PH_ERROR = 1 << 6, /* the model failed: reset, restore or free */
    PH_FATAL = 1 << 7,
    PH_CLOCKS = 1 << 8, /* inside the clock update of scheduled execution */
    PH_CONFIG = 1 << 9, /* FMI 3 configuration mode */
};

enum {
    PH_RUN = PH_EVENT | PH_STEP,
    PH_LIVE = PH_INSTANTIATED | PH_INIT | PH_RUN,
    PH_ANY = PH_LIVE | PH_INTERMEDIATE | PH_TERMINATED | PH_ERROR,
};

/* Log categories, in the order of `category_names`. */
enum category {
    CAT_EVENTS,
    CAT_WARNING,
    CAT_DISCARD,
    CAT_ERROR,
    CAT_FATAL,
    CAT_COUNT,
};

enum {
    COURSE_ORDER = 3,   /* highest derivative of an input course */
    MESSAGE_SIZE = 512, /* longer messages are cut */
    NUMBER_SIZE = 40,
    EVENT_ROUNDS = 100,  /* event iterations before giving up */
    EVENT_LIMIT = 10000, /* ... of discrete events */
};

#define NONE ((uint32_t)-1)

/* What a value reference means: an element of a row, or time (row NONE). */
struct place {
    uint32_t row, element;
};

/* A member of the model that holds the derivative of state `state`. */
struct derivative_slot {
    size_t offset;
    uint32_t state;
};

/* Scratch and cache of the solver. Nothing in it outlives a step but the
 * cache, which is a function of its own key (h and a). */
struct workspace {
    double *x, *x0, *dx, *k1, *k2, *k3; /* nx */
    double *f[COURSE_ORDER + 1];        /* nx: b u^(k) */
    double *u0, *uk;                    /* nu: inputs at the step's begin */
    double *sample[COURSE_ORDER + 1];   /* nu: FMI 3 samples of a course */
    struct tutti_linear sys;
    double *key_a, key_h; /* nx*nx: what phi and gamma were computed for */
    double *phi, *gamma[COURSE_ORDER + 1], *p, *q; /* nx*nx */
    bool cached;
};

/* The model's struct follows the instance in one allocation; see model_of(). */
struct instance {
    const struct tutti_model *model; /* borrowed: static */
    char *name;                      /* owned */
    char *resources;                 /* owned */
    uint64_t token[2];

    double time;
    enum phase phase;
    enum status worst;     /* raised by tutti_fail() during a call */
    enum status last_step; /* what the last step returned */
    bool dirty;            /* outputs are older than inputs, states or time */
    bool terminated;       /* the unit has ended the simulation */
    bool next_known;       /* the next event is at `next` */

    /* Input courses: derivatives 1..3 per input at time `time`. A course lasts
     * one step; afterwards it is stale, which means held. */
    bool moving, stale;
    bool event_mode, early_allowed; /* by the importer */
    bool exchange;                  /* it integrates: model exchange */
    bool scheduled;                 /* it activates partitions */
    bool log_on[CAT_COUNT];
    double *rate; /* owned: COURSE_ORDER * nu */
    double base;  /* where the courses of the step under way begin */
    double asked; /* time of the last intermediate update */
    double next, last_successful;

    /* Table, resolved. owned */
    struct place *place;
    uint32_t *row_x, *row_u, *row_vr; /* per row: first state, input, vr */
    size_t *x_at, *u_at;              /* offsets of states and inputs */
    struct derivative_slot *slot;
    uint32_t n_place, nx, nu, n_slot;
    const struct tutti_var *method_var, *microsteps_var; /* borrowed */
    struct tutti_events *events; /* in the model's struct, or NULL */

    struct workspace w;
    double *pool;  /* owned: all doubles of the workspace and rate */
    double **rows; /* owned: row pointers of sys.a and sys.b */
    void *backup;  /* owned: snapshot at the begin of a step */
    void *scratch; /* owned: copy of the model during differentiation */
    size_t snapshot_size;

    /* The importer. */
    void (*log_message)(struct instance *k, enum status status,
                        const char *category, const char *message);
    void (*ask)(struct instance *k, double t);  /* NULL: courses are ours */
    struct fmi1_me_callbacks fmi1;              /* what both interfaces have */
    void (*show)(struct instance *k, double t); /* NULL: within steps nothing */
    struct fmi2_callbacks fmi2;
    struct fmi3_callbacks fmi3;
};

#endif
