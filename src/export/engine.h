/* SPDX-License-Identifier: MIT */
#ifndef TT_EXPORT_ENGINE_H
#define TT_EXPORT_ENGINE_H

/* The engine inside an exported FMU: one composite unit behind the functions
 * of FMI. engine_fmi2.c and engine_fmi3.c spell those out, with engine_alike.h
 * for the calls that both have; what they share is here. These files are in no
 * module: with one of the two they make a library of their own
 * (tutti-engine-fmi2.so, -fmi3.so) that is copied into what 'tutti export'
 * writes.
 *
 * An instance is confined to one thread at a time. Instances share nothing. */

#include "export/types.h"
#include "unit/unit.h"

enum tt_engine_level { TT_ENGINE_INFO, TT_ENGINE_WARNING, TT_ENGINE_ERROR };

struct tt_engine_opts {
    int fmi;               /* 2 or 3 */
    const char *instance;  /* name */
    const char *token;     /* guid or instantiationToken */
    const char *resources; /* path, or file: URI */
    int visible, logging;
    int early_return; /* steps may be rejected or end early */
    int ends_early;   /* ... the latter also where a crossing inside is */
    int event_mode;   /* events are the importer's to handle, if there are any;
                         otherwise they are handled inside */
    /* Where messages go. `instance` of what made the engine is ctx. */
    void (*log_cb)(void *ctx, enum tt_engine_level level, const char *text);
    void *ctx;
};

/* What engine_events.c keeps, in one block without pointers. */
struct tt_engine_own {
    double next; /* when its own event is due */
};

struct tt_engine_state;
typedef struct tt_engine {
    struct tt_engine_opts opts; /* texts are not kept */
    struct tt_log log;
    tt_unit_type *type;       /* owned */
    tt_unit *unit;            /* owned */
    struct tt_experiment exp; /* to be entered */
    void *scratch;            /* owned: the largest port's value */
    struct tt_poly *course;   /* owned, per port: inputs until the next step */
    uint8_t *has_course;      /* owned, per port */
    uint32_t n_course;
    struct tt_text *text; /* owned: what the last call read or sets */
    size_t text_cap;
    tt_texts *texts;           /* owned: long ones, of what is inside too */
    int driven;                /* the importer lets its own events happen */
    struct tt_engine_own *own; /* owned: a part of states */
    size_t own_size;
    size_t *value_at;                     /* owned, per port: place in it */
    char *kept;                           /* owned: it, per register */
    uint32_t n_register;                  /* for states; the last one is ours */
    struct tt_engine_state **in_register; /* owned array, borrowed states */
} tt_engine;

/* Fails with a message, and without an engine to report it. */
TT_NODISCARD enum tt_code
tt_engine_new(tt_engine **out, const struct tt_engine_opts *o, tt_err *err);
void tt_engine_free(tt_engine *e); /* accepts NULL */
void tt_engine_logging(tt_engine *e, int on);

/* --- life: engine.c ------------------------------------------------------- */

TT_NODISCARD enum tt_code tt_engine_enter(tt_engine *e, tt_err *err);
TT_NODISCARD enum tt_code tt_engine_leave(tt_engine *e, tt_err *err);
TT_NODISCARD enum tt_code tt_engine_reset(tt_engine *e, tt_err *err);

/* Event mode, if the importer uses it. Initialisation ends in it. */
TT_NODISCARD enum tt_code tt_engine_event_enter(tt_engine *e, tt_err *err);
TT_NODISCARD enum tt_code
tt_engine_event_update(tt_engine *e, struct tt_event_result *r, tt_err *err);
TT_NODISCARD enum tt_code tt_engine_event_leave(tt_engine *e, tt_err *err);

/* A step as the importer has it. Its t and h need not add up to the time it
 * calls the end: what is a point of the grid inside, within rounding, is that
 * point. */
struct tt_engine_step {
    double t, h;
    int may_restore;
};
TT_NODISCARD enum tt_code tt_engine_step(tt_engine *e,
                                         const struct tt_engine_step *s,
                                         struct tt_stepped *r, tt_err *err);

/* --- discrete events in FMI 2: engine_events.c -----------------------------
 */

TT_NODISCARD enum tt_code tt_engine_event_room(tt_engine *e, tt_err *err);
void tt_engine_event_forget(tt_engine *e);
/* Is it the value or the counter of an event? Then these move it, a counter as
 * int32_t. Other variants of FMI have none. */
int tt_engine_is_event(const tt_engine *e, uint32_t port);
TT_NODISCARD enum tt_code tt_engine_event_get(tt_engine *e, uint32_t port,
                                              void *value, tt_err *err);
TT_NODISCARD enum tt_code tt_engine_event_set(tt_engine *e, uint32_t port,
                                              const void *value, tt_err *err);
/* When initialisation is over. */
TT_NODISCARD enum tt_code tt_engine_event_begin(tt_engine *e, tt_err *err);
/* Is a step made here, with the events in it? It may have no length. */
int tt_engine_event_steps(const tt_engine *e);
TT_NODISCARD enum tt_code tt_engine_event_step(tt_engine *e, double to,
                                               struct tt_stepped *r,
                                               tt_err *err);

/* --- values: engine_values.c ---------------------------------------------- */

/* Some variables, all of one type of FMI. */
struct tt_engine_vars {
    enum tt_type type;
    const uint32_t *vr;
    size_t n, n_value; /* variables, and elements of all of them */
};
TT_NODISCARD enum tt_code tt_engine_get(tt_engine *e,
                                        const struct tt_engine_vars *v,
                                        void *value, tt_err *err);
TT_NODISCARD enum tt_code tt_engine_set(tt_engine *e,
                                        const struct tt_engine_vars *v,
                                        const void *value, tt_err *err);
TT_NODISCARD enum tt_code tt_engine_get_texts(tt_engine *e,
                                              const struct tt_engine_vars *v,
                                              const char **value, tt_err *err);
TT_NODISCARD enum tt_code tt_engine_set_texts(tt_engine *e,
                                              const struct tt_engine_vars *v,
                                              const char *const *value,
                                              tt_err *err);
/* Derivatives of inputs over the next step, and of outputs at its end; one
 * order for each variable. */
TT_NODISCARD enum tt_code tt_engine_set_rates(tt_engine *e,
                                              const struct tt_engine_vars *v,
                                              const int32_t *order,
                                              const double *value, tt_err *err);
TT_NODISCARD enum tt_code tt_engine_get_rates(tt_engine *e,
                                              const struct tt_engine_vars *v,
                                              const int32_t *order,
                                              double *value, tt_err *err);
/* Derivatives that were set become the courses of the next step. */
TT_NODISCARD enum tt_code tt_engine_send_courses(tt_engine *e, tt_err *err);
void tt_engine_forget_courses(tt_engine *e);
/* How outputs follow inputs at this instant. Ports are references here. */
struct tt_engine_jvp {
    struct tt_jvp of;
    size_t n_seed, n_out; /* values of dv_known and dv_unknown */
};
TT_NODISCARD enum tt_code
tt_engine_jvp(tt_engine *e, const struct tt_engine_jvp *j, tt_err *err);

/* --- states: engine_state.c ----------------------------------------------- */

/* *s may be a state already: it is overwritten. */
TT_NODISCARD enum tt_code
tt_engine_save(tt_engine *e, struct tt_engine_state **s, tt_err *err);
TT_NODISCARD enum tt_code
tt_engine_restore(tt_engine *e, struct tt_engine_state *s, tt_err *err);
void tt_engine_drop(tt_engine *e, struct tt_engine_state *s);
/* A state as bytes: how many, and the bytes themselves into `room` of them. */
TT_NODISCARD enum tt_code tt_engine_packed_size(tt_engine *e,
                                                struct tt_engine_state *s,
                                                size_t *size, tt_err *err);
TT_NODISCARD enum tt_code tt_engine_pack(tt_engine *e,
                                         struct tt_engine_state *s, void *bytes,
                                         size_t room, tt_err *err);
TT_NODISCARD enum tt_code tt_engine_unpack(tt_engine *e,
                                           const struct tt_bytes *b,
                                           struct tt_engine_state **s,
                                           tt_err *err);
/* Of a step that is to be as if it had not been. */
TT_NODISCARD enum tt_code tt_engine_keep(tt_engine *e, tt_err *err);
TT_NODISCARD enum tt_code tt_engine_undo(tt_engine *e, tt_err *err);
/* Registers, once there is something to save. */
TT_NODISCARD enum tt_code tt_engine_prepare(tt_engine *e, tt_err *err);

#endif
