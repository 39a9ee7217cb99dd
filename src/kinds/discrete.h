/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_DISCRETE_H
#define TT_KINDS_DISCRETE_H

/* What discrete-event units share. Private to the kinds.
 *
 * Such a unit is a DEVS atomic model (Zeigler): a state that lasts ta, an
 * output right before it ends, an internal transition then, an external one
 * when an input comes before. Here it is a unit with event mode:
 *
 *     tick    its own clock (desc.internal): the run decides that it is due,
 * and which of several goes first. The outputs are made here get     output
 * clocks tick if the output has an event, with its value set     input clocks,
 * and values update  internal, external or confluent, by what ticked; when the
 * next event is
 *
 * A type describes ports and where each has its value in the state, one block
 * without pointers, so that states are copied and packed as they are. A model
 * is a table of hooks over that. */

#include "kinds/builtin.h"
#include "kinds/kept.h"

/* The state: this, the values of all ports, then what the model keeps. */
struct tt_discrete_state {
    double last, next; /* its last transition, and when it is over */
    double elapsed;    /* since the last one, while one is made */
    uint32_t phase;    /* the model's own */
    uint32_t pad;
    uint64_t clocks; /* the first eight, a byte each: its own is the first, and
                        is 1 where it is due and the run lets it go */
};

/* An event that waits for its turn within a microstep. */
struct tt_discrete_event {
    uint32_t port;
    _Alignas(8) unsigned char value[sizeof(struct tt_text)];
};

struct tt_discrete {
    struct tt_kept_unit k;
    const struct tt_discrete_type *type; /* borrowed */
    struct tt_discrete_state *is;        /* k.is */
    /* Of `more`: those that wait, and which is next. Looked at in every event,
     * as `some`: they lie beside what is. */
    uint32_t n_more, at_more;
    uint8_t some;                   /* an event was set in this microstep ... */
    uint8_t event_mode;             /* it was made with it */
    uint8_t *got;                   /* owned: ... per port */
    struct tt_discrete_event *more; /* owned: further ones */
    size_t cap_more;
    uint64_t stream; /* of random numbers: by its name as an instance */
};

/* What a model does. The first three report what they refuse. */
struct tt_discrete_model {
    /* The state is that of the start, parameters have their values. OPTIONAL */
    enum tt_code (*begin)(struct tt_discrete *u, tt_err *err);
    /* How long it stays as it is: +inf for ever. */
    enum tt_code (*advance)(struct tt_discrete *u, double *ta, tt_err *err);
    /* tt_discrete_emit() for each output that has an event now. */
    enum tt_code (*output)(struct tt_discrete *u, tt_err *err);
    enum tt_code (*internal)(struct tt_discrete *u, tt_err *err);
    /* is->elapsed counts. *goes_on: the state lasts as long as it would have,
     * else it begins anew. */
    enum tt_code (*external)(struct tt_discrete *u, int *goes_on, tt_err *err);
    /* OPTIONAL: outputs follow inputs of the same microstep; called before an
     * output is read. */
    enum tt_code (*follow)(struct tt_discrete *u, tt_err *err);
    /* Due, and there is an input. OPTIONAL, default: internal, then external
     * with elapsed 0. */
    enum tt_code (*confluent)(struct tt_discrete *u, int *goes_on, tt_err *err);
    /* OPTIONAL: tick and update, compiled for this model alone
     * (kinds/discrete_hot.h). */
    const struct tt_event_calls *calls;
};

struct tt_discrete_type {
    struct tt_builtin_type b;
    const struct tt_discrete_model *model;
    const void *own;    /* of the model */
    uint32_t *at;       /* per port: where its value is in the state */
    size_t size;        /* of a state */
    uint32_t n_phase;   /* phases there are; 1: the model has none */
    uint32_t own_at;    /* where the model's part of it begins */
    uint32_t *where_at; /* what expressions refer to, in the state */
    size_t n_where, cap_where;
    struct tt_port *port;
    size_t n_port, cap_port;
    uint64_t in_clocks; /* of the state's `clocks`: those of inputs, ... */
    uint64_t own_clock; /* ... and its own */
    uint32_t n_clock;   /* so far, its own among them */
    /* Where those behind the eighth are in the state: of inputs, then of
     * outputs. */
    uint32_t *far_clock, n_far_in, n_far;
};

/* --- making a type -------------------------------------------------------- */

/* Begin one of zeros, for units of this model, that have events of their own or
 * only answer. */
TT_NODISCARD enum tt_code tt_discrete_describe(struct tt_discrete_type *t,
                                               const char *model,
                                               int own_events, tt_err *err);

/* One more port, with its clock where it is an input or an output. The name
 * must outlive it; `start` is copied, NULL: 0, false or "". Answers its number,
 * TT_NONE: out of memory or, *twice, there is one of this name. */
uint32_t tt_discrete_add(struct tt_discrete_type *t, const char *name,
                         enum tt_causality causality, enum tt_type type,
                         const void *start, int *twice);
/* Puts the values of all ports so far where no texts, which are long, lie
 * between others: what transitions work with lies together. Before any place
 * is asked for. */
void tt_discrete_gather(struct tt_discrete_type *t);
/* The same as `p` has it, without a clock. Answers -1: out of memory. */
int tt_discrete_add_plain(struct tt_discrete_type *t, const struct tt_port *p);
/* A reference of an expression to a port's value, or to whether it is there.
 * Answers -1: out of memory. */
int tt_discrete_refer(struct tt_discrete_type *t, uint32_t at);
/* All ports are there: `own` bytes of the model's. */
TT_NODISCARD enum tt_code tt_discrete_finish(struct tt_discrete_type *t,
                                             size_t own, tt_err *err);

/* What is the same in the tables of such kinds. */
extern const struct tt_unit_ops tt_discrete_ops;
void tt_discrete_forget(struct tt_builtin_type *t);
int tt_discrete_begin(tt_unit *u, const struct tt_builtin_type *t,
                      const struct tt_make *m);
#define TT_DISCRETE                                                            \
    .type_size = sizeof(struct tt_discrete_type),                              \
    .unit_size = sizeof(struct tt_discrete),                                   \
    .caps = {.evaluates = TT_EVAL_EVENT, .event_mode = 1, .discrete = 1},      \
    .forget = tt_discrete_forget, .ops = &tt_discrete_ops,                     \
    .begin = tt_discrete_begin

/* --- for units that do some of it themselves ------------------------------ */

/* Of several events at one input the next one is there now, alone; answers 0:
 * there was none. */
int tt_discrete_another(struct tt_discrete *u);

/* Of their doors, too (unit/door.h). */
enum tt_code tt_discrete_tick(tt_unit *u, tt_err *err);
enum tt_code tt_discrete_take(tt_unit *u, uint32_t port, const void *value,
                              tt_err *err);
enum tt_code tt_discrete_more(tt_unit *u, uint32_t port, const void *value,
                              tt_err *err);

/* --- in hooks ------------------------------------------------------------- */

static inline void *tt_discrete_value(const struct tt_discrete *u,
                                      uint32_t port)
{
    return (char *)u->is + u->type->at[port];
}
static inline uint8_t *tt_discrete_byte(const struct tt_discrete *u,
                                        uint32_t port)
{
    return tt_discrete_value(u, port);
}
/* Is there an event at this input, or output? */
static inline uint8_t *tt_discrete_there(const struct tt_discrete *u,
                                         uint32_t port)
{
    return tt_discrete_value(u, u->type->port[port].clock - 1);
}
static inline void tt_discrete_emit(const struct tt_discrete *u, uint32_t port)
{
    *tt_discrete_there(u, port) = 1;
}

#endif
