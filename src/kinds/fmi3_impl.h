/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_FMI3_IMPL_H
#define TT_KINDS_FMI3_IMPL_H

/* Shared by fmi3.c (life, steps, states, events), fmi3_values.c (values, bound
 * calls), fmi3_sizes.c (structural parameters) and fmi3_course.c (courses,
 * derivatives). Private to the kind. */

#include "fmi/fmi3.h"
#include "kinds/fmi_common.h"

struct tt_k3_type {
    struct tt_kfmi_type k;
    struct tt_fmi3_fns f; /* filled with the first instance */
};

/* An input whose course the FMU asks for in intermediate update. */
struct tt_k3_course {
    uint32_t port;
    uint32_t n;           /* elements */
    struct tt_poly *poly; /* n; borrowed from the unit's block */
    int active;           /* given for the step to come */
};

/* Pointers and lengths of texts and binaries on their way. */
struct tt_k3_texts {
    const char **text;     /* owned */
    const uint8_t **bytes; /* owned */
    size_t *size;          /* owned */
    size_t n;              /* elements there is room for */
};

/* What structural parameters made of its sizes. */
struct tt_k3_sizes {
    int configuring; /* it is in configuration mode */
    uint64_t *of;    /* owned, per port: what they are; NULL: none was set */
    tt_arena *arena; /* owned: its own description; NULL: the type's */
};

struct tt_k3_unit {
    struct tt_kfmi_unit k;
    uint32_t n_active;           /* courses given for the step to come */
    int event_mode;              /* it was instantiated with */
    struct tt_k3_course *course; /* owned; NULL when none will be given */
    uint32_t n_course;
    struct tt_poly *poly; /* owned: of all courses */
    double *value;        /* owned: elements of the largest of them */
    uint32_t *vr;         /* owned: of all that is set or read within steps */
    uint32_t n_vr;
    struct tt_k3_texts texts;
    struct tt_k3_sizes sizes;
};

/* The four answers of fmi3DoStep besides its status. */
struct tt_k3_answer {
    bool flags[3]; /* event, terminate, early */
    double own_time;
};
struct tt_k3_span {
    double now, to, h;
};
enum { TT_K3_EVENT, TT_K3_TERMINATE, TT_K3_EARLY };

/* Its own time may miss the end of the step by this much of its length. */
#define TT_K3_LAG_TOLERANCE 1e-9

static inline struct tt_k3_unit *tt_k3_unit(tt_unit *u)
{
    return (struct tt_k3_unit *)(void *)u;
}

static inline const struct tt_fmi3_fns *tt_k3_fns(const struct tt_k3_unit *u)
{
    return (const void *)u->k.fns;
}

/* What a step of length h from now to `to` came to, when s is no worse than
 * fmi3Discard. */
TT_COLD struct tt_stepped tt_k3_outcome(const struct tt_k3_unit *u,
                                        enum tt_fmi_status s,
                                        const struct tt_k3_answer *a,
                                        const struct tt_k3_span *t);

/* What intermediate update is used for. Courses: made with the unit, given to
 * the FMU when it asks, used up by a step. Its trail. */
TT_NODISCARD enum tt_code tt_k3_plan_update(struct tt_k3_unit *u,
                                            int want_course, tt_err *err);
void tt_k3_intermediate(void *env, double time, bool set_requested,
                        bool get_allowed, bool step_finished,
                        bool can_return_early, bool *return_early,
                        double *return_time);
void tt_k3_no_update(void *env, double time, bool set_requested,
                     bool get_allowed, bool step_finished,
                     bool can_return_early, bool *return_early,
                     double *return_time);
void tt_k3_used_up(struct tt_k3_unit *u);
/* Inputs have other sizes. */
TT_NODISCARD enum tt_code tt_k3_resize_courses(struct tt_k3_unit *u,
                                               tt_err *err);
/* A plain set of these: they hold from now on. */
void tt_k3_end_courses(struct tt_k3_unit *u, const uint32_t *port, size_t n);

extern const struct tt_kfmi_access tt_k3_access[TT_TYPE_N];
enum tt_code tt_k3_get_texts(struct tt_kfmi_unit *k, const struct tt_span *s,
                             const uint32_t *vr, tt_err *err);
enum tt_code tt_k3_set_texts(struct tt_kfmi_unit *k, const struct tt_span *s,
                             const uint32_t *vr, tt_err *err);
enum tt_code tt_k3_text_room(struct tt_kfmi_unit *k, size_t n, tt_err *err);

/* fmi3_sizes.c: does setting these need configuration mode, or end it? Then
 * this sets them. */
int tt_k3_is_configured_by(const struct tt_k3_unit *u, const struct tt_span *s);
TT_NODISCARD enum tt_code tt_k3_set_structural(struct tt_k3_unit *u,
                                               const struct tt_span *s,
                                               tt_err *err);
enum tt_code tt_k3_configure(TT_PAR_PLAIN);
/* Sizes as they are described, again; and when the unit is freed. */
TT_NODISCARD enum tt_code tt_k3_forget_sizes(struct tt_k3_unit *u, tt_err *err);
void tt_k3_free_sizes(struct tt_k3_unit *u);

/* Ops of fmi3_clocks.c, fmi3_values.c and fmi3_course.c. */
enum tt_code tt_k3_intervals(TT_PAR_TIMINGS);
enum tt_code tt_k3_set_intervals(TT_PAR_TIMINGS);
enum tt_code tt_k3_set(TT_PAR_SPAN);
enum tt_code tt_k3_course(TT_PAR_COURSE);
enum tt_code tt_k3_rates(TT_PAR_RATES);
enum tt_code tt_k3_bind(TT_PAR_BIND);

#endif
