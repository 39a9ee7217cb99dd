/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_ME_IMPL_H
#define TT_KINDS_ME_IMPL_H

/* Model-exchange FMUs as units: a step integrates to the time asked for, inputs
 * along their courses, and handles the events in between. Shared by me.c (life
 * of one, what is asked of it), me_system.c (integration and events of one
 * alone, or of several as one system), me_event.c (event mode), me_inputs.c
 * (values, courses) and me_state.c (saving). Private to kinds/.
 *
 * Between steps an FMU is in continuous-time mode, or in event mode when inputs
 * leapt (`event`): the next step begins with the update. */

#include "kinds/fmi_common.h"
#include "ode/ode.h"

enum tt_kme_note {
    TT_KME_ASK,      /* in event mode: its discrete states are to be updated */
    TT_KME_NOMINALS, /* in event mode: nominal values have changed */
    TT_KME_CHANGED,  /* derivatives may be others than the integrator has */
    TT_KME_NOTES
};

/* What the FMU is remembered for besides its own state. */
struct tt_kme_kept {
    double next;    /* its next event, +inf: none */
    uint32_t event; /* it is in event mode */
    uint32_t note[TT_KME_NOTES];
};

struct tt_kme_input {
    uint32_t port, n;     /* elements */
    struct tt_poly *poly; /* n, with course_ok; NULL: takes no course */
    int active;           /* poly is for the step to come */
    int inner;            /* it comes from another member of the system */
    char *held;           /* what the FMU has, native elements */
    uint8_t *known;       /* whether that is known */
};

struct tt_kme_system;
struct tt_kme_tangent;

struct tt_kme {
    struct tt_integrator how;
    int events; /* they are played from outside: a step ends at one */
    struct tt_kme_system *system; /* NULL before initialisation ended */
    int leads;                    /* the first of its members owns it */
    uint32_t n_x, n_z;
    uint32_t first_x, first_z;    /* in the system's */
    double *x, *atol;             /* n_x each: parts of the system's */
    uint32_t *state_vr, *rate_vr; /* owned: of states and their derivatives */
    uint32_t n_vr;
    struct tt_kme_input *input; /* owned */
    uint32_t *input_of;         /* owned: per port, TT_NONE: no input */
    uint32_t n_input, n_active;
    struct tt_poly *poly; /* owned: of all */
    double *value;        /* owned: of the courses at a time */
    uint32_t *value_vr;   /* owned: references of the active ones */
    char *held;           /* owned: of all inputs, then known of each */
    size_t n_held;
    struct tt_kme_kept kept;
    char *saved; /* owned: images of the registers */
    size_t image;
    int saves;     /* the FMU can save itself */
    int by_states; /* it cannot, or not as bytes: time, states and inputs are
                      set instead */
};

/* Values that come from other members: when are they moved? */
enum tt_kme_when {
    TT_KME_BETWEEN, /* between steps */
    TT_KME_FLOWS,   /* the integrator looks at a point: nothing leaps */
    TT_KME_EVENT,   /* of an event, between updates */
};

struct tt_kme_system_kept {
    double last;      /* when the last event was */
    uint64_t crowded; /* events since time last went on */
    uint64_t n_event;
};

/* Units that one integrator advances together: one alone, or several. */
struct tt_kme_system {
    struct tt_kfmi_unit **member; /* owned array; the first owns the system */
    uint32_t n;
    /* of one alone: */
    struct tt_kfmi_unit *first; /* borrowed */
    struct tt_fmi_me_fns fns;
    int completes;               /* it needs completedIntegratorStep */
    struct tt_exchange exchange; /* among several */
    enum tt_kme_when when;
    double tolerance;
    tt_ode *ode; /* owned */
    uint32_t n_x, n_z;
    double *x, *atol;               /* n_x each; owned by x */
    uint8_t *pattern;               /* owned, NULL: not declared */
    struct tt_kme_tangent *tangent; /* owned, NULL: differences are made */
    struct tt_kme_system_kept kept;
    tt_err *err;      /* of the step under way: callbacks leave their words */
    int logged_stiff; /* that stiffness was found */
};

/* What differs between versions of FMI. FMI 1 has no modes to enter. */
struct tt_kme_version {
    const char *enter_event, *enter_continuous, *set_time, *set_states,
        *get_states, *get_derivatives, *get_indicators, *get_nominals,
        *completed_step, *update;
    enum tt_fmi_status (*completed)(struct tt_kfmi_unit *k, int no_prior,
                                    int *enter_event, int *terminate);
    enum tt_fmi_status (*updated)(struct tt_kfmi_unit *k,
                                  struct tt_event_result *r);
    /* OPTIONAL: how many states and indicators there are now. */
    enum tt_fmi_status (*count)(struct tt_kfmi_unit *k, size_t *n_x,
                                size_t *n_z);
    /* OPTIONAL: which variables its states are now, where the description does
     * not state it. */
    enum tt_fmi_status (*state_references)(struct tt_kfmi_unit *k,
                                           uint32_t *vr);
};

/* Functions that versions call alike, but for their own letters. */
#define TT_KME_CALLS(fmi)                                                      \
    .set_time = fmi "SetTime", .set_states = fmi "SetContinuousStates",        \
    .get_states = fmi "GetContinuousStates",                                   \
    .get_indicators = fmi "GetEventIndicators",                                \
    .completed_step = fmi "CompletedIntegratorStep"
#define TT_KME_MODES(fmi)                                                      \
    .enter_event = fmi "EnterEventMode",                                       \
    .enter_continuous = fmi "EnterContinuousTimeMode",                         \
    .get_nominals = fmi "GetNominalsOfContinuousStates"

/* me.c, asked of one; x, dx and z are its own. The first four answer as the
 * callbacks of an integrator do: what the FMU discards may work nearer to where
 * it stands; when it fails the words are with the system. place() puts it to
 * (t, x), its inputs where their courses are. */
int tt_kme_place(struct tt_kfmi_unit *k, double t, const double *x);
int tt_kme_derivatives(struct tt_kfmi_unit *k, double *dx);
int tt_kme_indicators(struct tt_kfmi_unit *k, double *z);
int tt_kme_along(struct tt_kfmi_unit *k, const double *seed, double *out);
/* ... what a status of this call means. */
int tt_kme_answer(struct tt_kfmi_unit *k, const char *call,
                  enum tt_fmi_status s);
/* ... outside of the integrator; of one of several it has its name. */
TT_NODISCARD enum tt_code tt_kme_check(struct tt_kfmi_unit *k, const char *call,
                                       enum tt_fmi_status s, tt_err *err);
/* Into event mode, if it is not there; it will be updated. */
TT_NODISCARD enum tt_code tt_kme_enter_event(struct tt_kfmi_unit *k,
                                             tt_err *err);
TT_NODISCARD enum tt_code tt_kme_update(struct tt_kfmi_unit *k,
                                        struct tt_event_result *r, tt_err *err);
TT_NODISCARD enum tt_code tt_kme_leave_event(struct tt_kfmi_unit *k,
                                             tt_err *err);
/* Are there as many states as the integrator has room for? After an event. */
TT_NODISCARD enum tt_code tt_kme_check_count(struct tt_kfmi_unit *k, double t,
                                             tt_err *err);
/* Absolute tolerances from nominal values; states; into its parts. */
TT_NODISCARD enum tt_code tt_kme_read_nominals(struct tt_kfmi_unit *k,
                                               tt_err *err);
TT_NODISCARD enum tt_code tt_kme_read_states(struct tt_kfmi_unit *k,
                                             tt_err *err);
/* The variable that is the derivative of state i, or, with *of, that state
 * itself; NULL: not known. */
const char *tt_kme_rate_name(struct tt_kfmi_unit *k, uint32_t i, int *of);

/* me_system.c: one for these units, in the order of their states; what they had
 * is freed. */
TT_NODISCARD enum tt_code tt_kme_system_new(struct tt_kfmi_unit *const *member,
                                            uint32_t n,
                                            const struct tt_exchange *x,
                                            tt_err *err);
void tt_kme_system_free(struct tt_kme_system *s); /* accepts NULL */
/* All members left initialisation mode at t, in event mode. */
TT_NODISCARD enum tt_code tt_kme_system_begin(struct tt_kme_system *s, double t,
                                              tt_err *err);
/* The first event, which ends in continuous-time mode. */
TT_NODISCARD enum tt_code tt_kme_system_settle(struct tt_kme_system *s,
                                               double t, tt_err *err);
/* Was this noted of any of them? Then it is forgotten. */
int tt_kme_take_note(struct tt_kme_system *s, enum tt_kme_note what);
/* Count an event at t: too many at one time are an error. */
TT_NODISCARD enum tt_code tt_kme_system_count(struct tt_kme_system *s, double t,
                                              tt_err *err);
/* In continuous-time mode after an event: where the integrator goes on. */
TT_NODISCARD enum tt_code tt_kme_system_restart(struct tt_kme_system *s,
                                                double t, int nominals,
                                                tt_err *err);
/* me_pattern.c: which derivatives follow which states, through what members
 * feed each other; left NULL where that is not declared. */
TT_NODISCARD enum tt_code tt_kme_plan_pattern(struct tt_kme_system *s,
                                              tt_err *err);
/* Does the output `out` follow this variable, as far as it is declared? */
int tt_kme_output_follows(const struct tt_md *md, uint32_t out, uint32_t var);
/* me_tangent.c: s->tangent, left NULL where derivatives by direction are not to
 * be had of all, or go round in a loop. */
TT_NODISCARD enum tt_code tt_kme_plan_tangent(struct tt_kme_system *s,
                                              tt_err *err);
void tt_kme_tangent_free(struct tt_kme_tangent *t); /* accepts NULL */
/* out = (d derivatives / d states) seed, where members stand. Answers as the
 * callbacks of an integrator do. */
int tt_kme_tangent_along(struct tt_kme_system *s, const double *seed,
                         double *out);

/* me_inputs.c: all that depends on the description. */
TT_NODISCARD enum tt_code tt_kme_plan_inputs(struct tt_kfmi_unit *k,
                                             tt_err *err);
/* Inputs with a course get their values at t. */
TT_NODISCARD enum tt_fmi_status tt_kme_inputs_at(struct tt_kfmi_unit *k,
                                                 double t);
/* The step is done: inputs hold what their courses ended with. */
void tt_kme_end_courses(struct tt_kfmi_unit *k);
/* The FMU gets all that is held. */
TT_NODISCARD enum tt_code tt_kme_set_held(struct tt_kfmi_unit *k, tt_err *err);
/* This input is fed by another member. */
void tt_kme_input_inner(struct tt_kme *m, uint32_t port);
/* me_state.c */
void tt_kme_plan_image(struct tt_kme *m);

/* Of fmi_unit.c's life: made with the unit (m->integrator may be NULL), freed
 * with it. */
TT_NODISCARD enum tt_code tt_kme_new(struct tt_kfmi_unit *k,
                                     const struct tt_make *m, tt_err *err);
void tt_kme_free(struct tt_kme *m); /* accepts NULL */
/* Its ports have other sizes, before it is initialised: as freshly made. */
TT_NODISCARD enum tt_code tt_kme_resize(struct tt_kfmi_unit *k, tt_err *err);

/* For a unit's table. */
enum tt_code tt_kme_exit_init(TT_PAR_PLAIN);
/* Its end, when the FMU has left initialisation. */
enum tt_code tt_kme_begin(TT_PAR_PLAIN);
enum tt_code tt_kme_join(tt_unit *const *member, uint32_t n,
                         const struct tt_exchange *x, tt_err *err);
enum tt_code tt_kme_prepare(TT_PAR_REGISTER);
enum tt_code tt_kme_reset(TT_PAR_PLAIN);
enum tt_code tt_kme_step(TT_PAR_STEP);
enum tt_code tt_kme_event_enter(TT_PAR_PLAIN);
enum tt_code tt_kme_event_update(TT_PAR_UPDATE);
enum tt_code tt_kme_event_leave(TT_PAR_PLAIN);
enum tt_code tt_kme_set(TT_PAR_SPAN);
enum tt_code tt_kme_course(TT_PAR_COURSE);
enum tt_code tt_kme_bind(TT_PAR_BIND);
enum tt_code tt_kme_save(TT_PAR_REGISTER);
enum tt_code tt_kme_restore(TT_PAR_REGISTER);
enum tt_code tt_kme_pack(TT_PAR_PACK);
enum tt_code tt_kme_unpack(TT_PAR_UNPACK);
enum tt_code tt_kme_packable(TT_PAR_PLAIN);

/* Of a unit's table: what all versions of FMI have alike. */
#define TT_KME_OPS                                                             \
    TT_HOOKS(tt_kme_, step, join, event_enter, event_update, event_leave,      \
             prepare, course, save, restore, pack, unpack, packable),          \
        TT_HOOKS(tt_kfmi_, end, free, settle)
/* ... and where values go as in co-simulation. */
#define TT_KME_OPS_ALL                                                         \
    TT_KME_OPS, TT_HOOKS(tt_kme_, exit_init, bind),                            \
        TT_HOOKS(tt_kfmi_, get, explain, jvp)

#endif
