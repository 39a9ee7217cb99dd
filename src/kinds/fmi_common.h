/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_FMI_COMMON_H
#define TT_KINDS_FMI_COMMON_H

/* What the kinds of FMUs share. Private to kinds/.
 *
 * A type is one opened FMU. Its library is loaded with the first instance and
 * stays until the type is closed. Port i is variable i of the description.
 *
 * The type's lists of references grow in bind; see kinds.h for when.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/mem.h"
#include "fmi/fmi2.h"
#include "fmi/fmi3.h"
#include "fmi/fmu.h"
#include "sys/sync.h"
#include "unit/unit.h"

enum {
    TT_KFMI_CHUNK = 64,     /* values moved at once where types differ */
    TT_KFMI_LAST_MAX = 512, /* bytes kept of an FMU's last message */
};

struct tt_kfmi_unit;
struct tt_kfmi_type;

/* How values of a type move. Texts and binaries are copied one by one and have
 * no bound call of their own. */
struct tt_kfmi_access {
    enum tt_call_result (*get)(const struct tt_call *c, struct tt_now *now);
    enum tt_call_result (*set)(const struct tt_call *c, struct tt_now *now);
    const char *get_name, *set_name;
    size_t get_at, set_at; /* in the table of functions */
};
/* "fmi2GetReal" of a version's table, with its bound calls or NULL. */
#define TT_KFMI_ACCESS(version, get_fn, set_fn, member, words)                 \
    {                                                                          \
        .get = (get_fn), .set = (set_fn),                                      \
        .get_name = "fmi" #version "Get" words,                                \
        .set_name = "fmi" #version "Set" words,                                \
        .get_at = offsetof(struct tt_fmi##version##_fns, get_##member),        \
        .set_at = offsetof(struct tt_fmi##version##_fns, set_##member)         \
    }

/* A call to one function of the FMU, as bound: (handle, vr, n, value). */
#define TT_KFMI_BOUND(name, value)                                             \
    typedef enum tt_fmi_status name##_fn(void *c, const uint32_t *vr,          \
                                         size_t n, value);                     \
    static enum tt_call_result name(const struct tt_call *c,                   \
                                    struct tt_now *now)                        \
    {                                                                          \
        const struct tt_what *w = c->what;                                     \
                                                                               \
        (void)now;                                                             \
        return (enum tt_call_result)((name##_fn *)w->target)(c->handle, w->vr, \
                                                             w->n, c->val);    \
    }

/* What a version calls its functions. */
struct tt_kfmi_calls {
    const char *instantiate, *exit_init, *terminate, *reset, *do_step;
    const char *get_state, *set_state, *state_size, *serialize, *deserialize;
    const char *set_rates, *get_rates; /* derivatives of inputs, of outputs */
    const char *along;
};

/* Those that versions with states call alike, but for their own letters. */
#define TT_KFMI_CALLS(fmi, State, De)                                          \
    .exit_init = fmi "ExitInitializationMode", .terminate = fmi "Terminate",   \
    .reset = fmi "Reset", .do_step = fmi "DoStep",                             \
    .get_state = fmi "Get" State, .set_state = fmi "Set" State,                \
    .state_size = fmi "Serialized" State "Size",                               \
    .serialize = fmi "Serialize" State, .deserialize = fmi De State,           \
    .along = fmi "GetDirectionalDerivative"

/* A derivative by direction: d(unknown) = J d(known), by value references. */
struct tt_kfmi_along {
    const uint32_t *unknown, *known;
    size_t n_unknown, n_known;
    const double *seed;
    double *out;
    size_t n_seed, n_out; /* elements */
};

/* How an instance is to be made. */
struct tt_kfmi_birth {
    const char *name, *token, *resources; /* never NULL, but resources */
    int visible, logging, early_return;
};

struct tt_kme;
struct tt_kme_version;

/* What differs between versions of FMI, and between their interfaces. */
struct tt_kfmi_version {
    int number;
    enum tt_fmi_face face;
    const struct tt_kind_ops *kind;
    const struct tt_kme_version *me; /* of model exchange; else NULL */
    /* OPTIONAL: what an FMU without this interface may have instead. */
    const struct tt_kfmi_version *instead; /* or that may have, and so on */
    size_t type_size, unit_size;
    const struct tt_unit_ops *ops;
    const struct tt_kfmi_access *access; /* by type */
    struct tt_kfmi_calls calls;
    /* Look up the functions in the library that was just loaded. */
    enum tt_code (*bind)(struct tt_kfmi_type *t, tt_err *err);
    /* The functions an instance is to call, after tt_kfmi_load(). */
    enum tt_code (*choose)(struct tt_kfmi_type *t, const struct tt_make *m,
                           const struct tt_fmi_fns **fns, tt_err *err);
    void (*forget)(struct tt_kfmi_type *t); /* OPTIONAL: what it has besides */
    /* Of a unit on the way: before it is instantiated, that, which categories
     * it logs (TT_FMI_OK if it cannot be known), and OPTIONAL afterwards. */
    enum tt_code (*begin)(struct tt_kfmi_unit *k, const struct tt_make *m,
                          tt_err *err);
    void *(*instantiate)(struct tt_kfmi_unit *k, const struct tt_kfmi_birth *b);
    enum tt_fmi_status (*set_logging)(struct tt_kfmi_unit *k,
                                      const struct tt_make *m);
    enum tt_code (*made)(struct tt_kfmi_unit *k, const struct tt_make *m,
                         tt_err *err);
    /* Of outputs, and by direction; where the type has them. */
    enum tt_fmi_status (*rates)(struct tt_kfmi_unit *k, const uint32_t *vr,
                                size_t n, const int *order, double *value,
                                size_t n_value);
    enum tt_fmi_status (*along)(struct tt_kfmi_unit *k,
                                const struct tt_kfmi_along *a);
    /* Its state will be replaced. */
    void (*renew)(struct tt_kfmi_unit *k);
    void (*release)(struct tt_kfmi_unit *k); /* what is its own */
    enum tt_code (*get_texts)(struct tt_kfmi_unit *k, const struct tt_span *s,
                              const uint32_t *vr, tt_err *err);
    enum tt_code (*set_texts)(struct tt_kfmi_unit *k, const struct tt_span *s,
                              const uint32_t *vr, tt_err *err);
    /* OPTIONAL: make room for so many texts. */
    enum tt_code (*text_room)(struct tt_kfmi_unit *k, size_t n, tt_err *err);
};

struct tt_kfmi_list { /* references of a list of ports that calls share */
    const uint32_t *port, *vr;
    size_t n;
};

struct tt_kfmi_type {
    tt_unit_type base;
    const struct tt_kfmi_version *version;
    tt_fmu *fmu;            /* owned */
    const struct tt_md *md; /* borrowed from fmu */
    tt_arena *arena; /* owned: what base.desc refers to, the lists, instances */
    char *room;      /* in the arena: for the next n_room instances */
    uint32_t n_room;
    const uint32_t *vr;        /* value reference of each port */
    struct tt_kfmi_list *list; /* owned */
    size_t n_list, cap_list;
    const struct tt_what **what; /* owned: what calls of all instances share */
    size_t n_what, cap_what, next_what;
    tt_lib *lib; /* borrowed from fmu; NULL until the first instance */
    int has_rates, has_along; /* the library has the function */
    uint32_t n_live;
};

/* An instance's messages. The FMU may log from threads of its own: `lock`
 * guards `last`; the rest is const once set. */
struct tt_kfmi_logger {
    const struct tt_log *log; /* borrowed */
    const char *unit;         /* borrowed */
    struct tt_lock lock;
    struct tt_buf *all; /* borrowed: gets everything, and no log does; NULL */
    char *last; /* owned: the last warning or worse, cut if longer; NULL until
                   there is one, since most units never have any */
};

/* What bound steps call. Before FMI 3 it refuses while a restore is due. */
union tt_kfmi_do_step {
    enum tt_fmi_status (*v1)(void *c, double now, double step, char new_step);
    enum tt_fmi_status (*v2)(void *c, double now, double step,
                             int no_set_state_prior);
    enum tt_fmi_status (*v3)(void *c, double now, double step,
                             bool no_set_state_prior, bool *event_needed,
                             bool *terminate, bool *early, double *reached);
};

/* The common part of an instance. What bound calls use comes first, right
 * behind the hot part of the base: one cache line. */
struct tt_kfmi_unit {
    tt_unit base;
    void *comp; /* the FMU's own instance; NULL: none */
    double was; /* where the last bound step began */
    union tt_kfmi_do_step do_step;
    bool no_prior; /* noSetFMUStatePriorToCurrentPoint of bound steps */
    int status;    /* what the last bound call that failed returned */
    /* cold */
    int fatal;        /* the FMU returned it: no further call, not even free */
    void *env;        /* what it is to call back with: fmi_live.c; NULL: none */
    double stop;      /* the stop time it was given; +inf: none */
    double tolerance; /* of the experiment it was reported; 0: none */
    struct tt_kme *me; /* owned: of model exchange; else NULL */
    int running;       /* initialised and not ended: terminate is legal */
    struct tt_kfmi_type *type;    /* borrowed: outlives us */
    const struct tt_fmi_fns *fns; /* borrowed: begins the version's table */
    struct tt_kfmi_logger logger;
    uint32_t *scratch; /* owned: references of a cold call */
    size_t n_scratch;
    void **state;     /* owned array of the FMU's own; reused, freed with it */
    uint32_t n_state; /* registers there is room for */
};

static inline struct tt_kfmi_unit *tt_kfmi_unit(tt_unit *u)
{
    return (struct tt_kfmi_unit *)(void *)u;
}

/* --- kinds (fmi_unit.c) --------------------------------------------------- */

extern const struct tt_kfmi_version tt_kfmi_version_fmi1, tt_kfmi_version_fmi2,
    tt_kfmi_version_fmi3, tt_kfmi_version_fmi1me, tt_kfmi_version_fmi2me,
    tt_kfmi_version_fmi3me, tt_kfmi_version_fmi3se;

/* For a kind's table. */
TT_NODISCARD enum tt_code tt_kfmi_open(tt_unit_type **out,
                                       const struct tt_kfmi_version *v,
                                       const struct tt_source *s, tt_err *err);
void tt_kfmi_close(tt_unit_type *t);
/* discrete_fmu.c: the type as one of discrete events, which it is annotated to
 * be; it is part of the other then, which has a kind of its own. */
TT_NODISCARD enum tt_code
tt_kfmi_wrap_events(tt_unit_type **out, struct tt_kfmi_type *fmu, tt_err *err);
TT_NODISCARD enum tt_code tt_kfmi_make(tt_unit **out, tt_unit_type *t,
                                       const struct tt_make *m, tt_err *err);

/* For a unit's table. */
void tt_kfmi_free(tt_unit *u);
enum tt_code tt_kfmi_exit_init(TT_PAR_PLAIN);
enum tt_code tt_kfmi_end(TT_PAR_PLAIN);
enum tt_code tt_kfmi_reset(TT_PAR_PLAIN);
enum tt_code tt_kfmi_save(TT_PAR_REGISTER);
enum tt_code tt_kfmi_restore(TT_PAR_REGISTER);
enum tt_code tt_kfmi_packable(TT_PAR_PLAIN);
enum tt_code tt_kfmi_pack(TT_PAR_PACK);
enum tt_code tt_kfmi_unpack_state(TT_PAR_UNPACK);
/* The same with what we remember beside the FMU's own state, or in its place.
 */
struct tt_kfmi_image {
    void *data;
    size_t n;
    int alone; /* there is no state of its own */
};
enum tt_code tt_kfmi_pack_with(tt_unit *u, uint32_t reg,
                               struct tt_kfmi_image image, struct tt_bytes *b,
                               tt_err *err);
enum tt_code tt_kfmi_unpack_with(tt_unit *u, uint32_t reg,
                                 struct tt_kfmi_image image,
                                 const struct tt_bytes *b, tt_err *err);

/* TT_OK for OK and warnings, else the words; remembers what is fatal. */
enum tt_code tt_kfmi_not_ok(struct tt_kfmi_unit *k, const char *call,
                            enum tt_fmi_status s, tt_err *err);
TT_NODISCARD static inline enum tt_code tt_kfmi_check(struct tt_kfmi_unit *k,
                                                      const char *call,
                                                      enum tt_fmi_status s,
                                                      tt_err *err)
{
    return TT_LIKELY(s == TT_FMI_OK) ? TT_OK : tt_kfmi_not_ok(k, call, s, err);
}
/* Of a message that comes with a status. */
enum tt_log_level tt_kfmi_level(enum tt_fmi_status s);

/* --- values (fmi_values.c) ------------------------------------------------ */

/* For a unit's table. */
enum tt_code tt_kfmi_get(TT_PAR_SPAN);
enum tt_code tt_kfmi_rates(TT_PAR_RATES);
enum tt_code tt_kfmi_jvp(TT_PAR_JVP);
#define TT_KFMI_OPS                                                            \
    TT_HOOKS(tt_kfmi_, end, free, get, jvp, save, restore, pack, packable),    \
        .unpack = tt_kfmi_unpack_state
enum tt_code tt_kfmi_explain(TT_PAR_EXPLAIN);

/* The values of its trail, as a row of this time. */
TT_NODISCARD enum tt_code tt_kfmi_note(struct tt_kfmi_unit *k, double t,
                                       tt_err *err);

/* Get or set once. */
TT_NODISCARD enum tt_code tt_kfmi_move(struct tt_kfmi_unit *k,
                                       const struct tt_span *s, int set,
                                       tt_err *err);
/* The FMI function that moves values of this type. */
const char *tt_kfmi_call_name(const struct tt_kfmi_unit *k, enum tt_type type,
                              int set);
/* The op bind, with the calls that differ. */
struct tt_kfmi_bound {
    const struct tt_what *step;
    /* sets Float64 where courses may be ended by it; NULL: as ever */
    enum tt_call_result (*set_held)(const struct tt_call *c,
                                    struct tt_now *now);
};
TT_NODISCARD enum tt_code
tt_kfmi_bind(struct tt_kfmi_unit *k, enum tt_verb verb, const struct tt_span *s,
             const struct tt_kfmi_bound *b, struct tt_call *c, tt_err *err);
/* Nothing is kept over the FMI call: a bound call ends in a jump to it, and its
 * status is the answer. Only what is not OK comes here, so a warning, which is
 * fine, takes the long way. */
TT_COLD enum tt_call_result tt_kfmi_call_failed(struct tt_kfmi_unit *k,
                                                enum tt_fmi_status s);
/* ... as the op. */
enum tt_call_result tt_kfmi_settle(TT_PAR_SETTLE);

/* --- description (fmi_desc.c) ------------------------------------------- */

/* Fill t->base.desc, t->vr and t->arena from t->md. log may be NULL. */
TT_NODISCARD enum tt_code tt_kfmi_describe(struct tt_kfmi_type *t,
                                           const char *kind,
                                           const struct tt_log *log,
                                           tt_err *err);

/* --- type --------------------------------------------------------------- */

/* Of model exchange: are time, states and inputs all there is to set? */
int tt_kfmi_states_suffice(const struct tt_md *md);
/* Open the FMU of s, which must be of t->version or, if s leaves it open, have
 * what that has instead, and describe it. fini
 * accepts what a failed init left. */
TT_NODISCARD enum tt_code tt_kfmi_type_init(struct tt_kfmi_type *t,
                                            const struct tt_source *s,
                                            tt_err *err);
void tt_kfmi_type_fini(struct tt_kfmi_type *t);
/* The kinds' unpack. */
TT_NODISCARD enum tt_code tt_kfmi_unpack(tt_unit_type *t, tt_err *err);

/* The major FMI version that the description of the FMU at path names. Reads
 * no more than that; has no side effects. */
TT_NODISCARD enum tt_code tt_kfmi_version(const char *path, int *version,
                                          tt_err *err);

/* References of a list of ports, shared by all calls with the same list;
 * lives as long as the type. */
TT_NODISCARD enum tt_code tt_kfmi_refs(struct tt_kfmi_type *t,
                                       const uint32_t *port, size_t n,
                                       const uint32_t **vr, tt_err *err);
/* For bind: *what becomes w with the references of s, the one that all calls
 * alike share. */
TT_NODISCARD enum tt_code
tt_kfmi_what(struct tt_kfmi_type *t, const struct tt_span *s, struct tt_what w,
             const struct tt_what **what, tt_err *err);
/* The ports behind what tt_kfmi_refs gave. NULL when they are the consecutive
 * ports that begin with *first. */
const uint32_t *tt_kfmi_ports(const struct tt_kfmi_type *t, const uint32_t *vr,
                              uint32_t *first);

/* --- unit --------------------------------------------------------------- */

/* First part of make: refuses what may not be, loads the library into t->lib,
 * states in the activity what it is doing. *loaded: the library is new, so its
 * functions are to be looked up. */
TT_NODISCARD enum tt_code tt_kfmi_load_library(struct tt_kfmi_type *t,
                                               const struct tt_make *m,
                                               int *loaded, tt_err *err);
/* Memory for an instance of the kind's own size, zeroed; goes with the type.
 * Side by side, apart from what FMUs allocate and each with its hot part at the
 * begin of a cache line, instances are fast to walk along; so they are on as
 * few pages as there can be, n_like at once (tt_make). NULL: out of memory. */
void *tt_kfmi_unit_alloc(struct tt_kfmi_type *t, size_t size, uint32_t n_like);
/* Fill the common part; counts the instance. fini accepts half-built ones. */
TT_NODISCARD enum tt_code tt_kfmi_unit_init(struct tt_kfmi_unit *k,
                                            struct tt_kfmi_type *t,
                                            const struct tt_make *m,
                                            tt_err *err);
void tt_kfmi_unit_fini(struct tt_kfmi_unit *k);
/* Room for state registers; what they hold stays. */
TT_NODISCARD enum tt_code tt_kfmi_prepare(struct tt_kfmi_unit *k,
                                          uint32_t n_state, tt_err *err);

/* Note which FMI call is being made, for reports of a crash. */
void tt_kfmi_activity(struct tt_activity *activity, const char *call);

/* References for a cold call; valid until the next one. */
TT_NODISCARD enum tt_code tt_kfmi_refs_now(struct tt_kfmi_unit *k,
                                           const uint32_t *port, size_t n,
                                           const uint32_t **vr, tt_err *err);

/* The function whose pointer is at this offset of fns; NULL: the library has
 * none. */
void (*tt_kfmi_fn(const struct tt_kfmi_unit *k, size_t offset))(void);

/* --- words -------------------------------------------------------------- */

/* "<call> returned <status>: last message: "..."", TT_EUNIT. */
TT_COLD enum tt_code tt_kfmi_failed(struct tt_kfmi_unit *k, const char *call,
                                    const char *status, tt_err *err);
/* Put "'a', 'b' and 3 more: " before err's message: the ports of a bound
 * call. */
TT_COLD enum tt_code tt_kfmi_name_ports(const struct tt_kfmi_unit *k,
                                        const struct tt_call *c,
                                        enum tt_code rc, tt_err *err);
/* While an instance is made that could not be without logging: what it logs
 * goes into `all` instead of the log. NULL: into the log again. */
void tt_kfmi_listen(struct tt_kfmi_unit *k, struct tt_buf *all);
/* No instance: what it logged, all of it or the last warning; and of which
 * draft of the standard it is. */
TT_COLD enum tt_code tt_kfmi_not_made(struct tt_kfmi_unit *k, const char *call,
                                      const struct tt_buf *all, tt_err *err);
/* A failure of an FMU that is of a draft of the standard states it. Returns rc.
 */
enum tt_code tt_kfmi_name_draft(const struct tt_kfmi_type *t, enum tt_code rc,
                                tt_err *err);
/* "needs <call>, which the library of the FMU does not export", TT_EINPUT. */
TT_COLD enum tt_code tt_kfmi_missing(const char *call, tt_err *err);
/* The FMU has declared itself dead. */
TT_COLD enum tt_code tt_kfmi_dead(const char *status, tt_err *err);
/* What the FMU points to becomes the value of a port's element; NULL counts as
 * empty. */
enum tt_code tt_kfmi_take(const struct tt_kfmi_unit *k, uint32_t port,
                          struct tt_text *to, const void *from, size_t n,
                          tt_err *err);
enum tt_code tt_kfmi_take_text(const struct tt_kfmi_unit *k, uint32_t port,
                               struct tt_text *to, const char *from,
                               tt_err *err);

/* --- whose call it is (fmi_live.c) ---------------------------------------- */

/* From here on k->env is known, until it is removed, which waits for callbacks
 * that use it. */
TT_NODISCARD enum tt_code tt_kfmi_live_add(struct tt_kfmi_unit *k, tt_err *err);
void tt_kfmi_live_remove(const struct tt_kfmi_unit *k);
/* Whose call a play on this thread is making; NULL: none. */
struct tt_kfmi_unit *tt_kfmi_played(void);
/* For a callback with this environment, on any thread: the instance being
 * played on this thread, else that of the environment, else that of a cold call
 * on this thread, else the only one there is. It lives until unpin. NULL: not
 * known, which unpin accepts. */
struct tt_kfmi_unit *tt_kfmi_pin(const void *env);
void tt_kfmi_unpin(const struct tt_kfmi_unit *k);

/* --- logger (fmi_log.c) ------------------------------------------------- */

void tt_kfmi_logger_init(struct tt_kfmi_logger *v, const struct tt_make *m);
void tt_kfmi_logger_fini(struct tt_kfmi_logger *v);
/* Pass on one message; texts may be NULL. Any thread. */
void tt_kfmi_log(struct tt_kfmi_logger *v, enum tt_log_level level,
                 const char *category, const char *text);
/* The same with a format of the FMU's, which is not trusted: taken literally
 * unless all its conversions are ones that cannot do harm. */
TT_PRINTF(4, 0)
void tt_kfmi_vlog(struct tt_kfmi_logger *v, enum tt_log_level level,
                  const char *category, const char *format, va_list ap);
/* A copy of the last warning or worse; "" when there was none. */
void tt_kfmi_last(struct tt_kfmi_logger *v, char *out, size_t size);

#endif
