/* SPDX-License-Identifier: MIT */
#ifndef TT_KINDS_FMI_COMMON_H
#define TT_KINDS_FMI_COMMON_H

/* What the kinds fmi2 and fmi3 share. Private to kinds/.
 *
 * A type is one opened FMU. Its library is loaded with the first instance and
 * stays until the type is closed. Port i is variable i of the description.
 *
 * The type's lists of references grow in bind; see kinds.h for who may.
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

struct tt_kfmi_list { /* references of a list of ports that calls share */
    const uint32_t *port, *vr;
    size_t n;
};

struct tt_kfmi_type {
    tt_unit_type base;
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
    uint32_t n_live;
};

/* An instance's voice. The FMU may speak from threads of its own: `lock`
 * guards `last`; the rest is const once set. */
struct tt_kfmi_voice {
    const struct tt_log *log; /* borrowed */
    const char *unit;         /* borrowed */
    struct tt_lock lock;
    struct tt_buf *all; /* borrowed: gets everything, and no log does; NULL */
    char *last; /* owned: the last warning or worse, cut if longer; NULL until
                   there is one, since most units never have any */
};

/* What bound steps call. In FMI 2 it refuses while a restore is due. */
union tt_kfmi_do_step {
    enum tt_fmi2_status (*v2)(void *c, double now, double step,
                              int no_set_state_prior);
    enum tt_fmi3_status (*v3)(void *c, double now, double step,
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
    int fatal;   /* the FMU said so: no further call, not even free */
    void *env;   /* what it is to call back with: fmi_live.c; NULL: none */
    double stop; /* the stop time it was told; +inf: none */
    int running; /* initialised and not ended: terminate is legal */
    struct tt_kfmi_type *type; /* borrowed: outlives us */
    const void *fns; /* the version's function table; borrowed from the type */
    struct tt_kfmi_voice voice;
    uint32_t *scratch; /* owned: references of a cold call */
    size_t n_scratch;
    void **state;     /* owned array of the FMU's own; reused, freed with it */
    uint32_t n_state; /* registers there is room for */
};

/* --- description (fmi_desc.c) ------------------------------------------- */

/* Fill t->base.desc, t->vr and t->arena from t->md. log may be NULL. */
TT_NODISCARD enum tt_code tt_kfmi_describe(struct tt_kfmi_type *t,
                                           const char *kind,
                                           const struct tt_log *log,
                                           tt_err *err);

/* --- type --------------------------------------------------------------- */

/* Open the FMU of s, which must be of that version, and describe it. fini
 * accepts what a failed init left. */
TT_NODISCARD enum tt_code tt_kfmi_type_init(struct tt_kfmi_type *t,
                                            const struct tt_kind_ops *kind,
                                            const struct tt_source *s,
                                            enum tt_md_version version,
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
/* Elements of all these ports. */
size_t tt_kfmi_elements(const struct tt_desc *d, const uint32_t *port,
                        size_t n);

/* --- unit --------------------------------------------------------------- */

/* First part of make: refuses what may not be, loads the library into t->lib,
 * says in the crumb what it is doing. *loaded: the library is new, so its
 * functions are to be looked up. */
TT_NODISCARD enum tt_code tt_kfmi_load(struct tt_kfmi_type *t,
                                       const struct tt_make *m, int *loaded,
                                       tt_err *err);
/* Memory for an instance of the kind's own size, zeroed; goes with the type.
 * Side by side, apart from what FMUs allocate and each with its hot part at the
 * begin of a cache line, instances are fast to walk along. NULL: out of
 * memory. */
void *tt_kfmi_unit_alloc(struct tt_kfmi_type *t, size_t size);
/* Fill the common part; counts the instance. fini accepts half-built ones. */
TT_NODISCARD enum tt_code tt_kfmi_unit_init(struct tt_kfmi_unit *k,
                                            struct tt_kfmi_type *t,
                                            const struct tt_unit_ops *ops,
                                            const struct tt_make *m,
                                            tt_err *err);
void tt_kfmi_unit_fini(struct tt_kfmi_unit *k);
/* Room for state registers; what they hold stays. */
TT_NODISCARD enum tt_code tt_kfmi_prepare(struct tt_kfmi_unit *k,
                                          uint32_t n_state, tt_err *err);

/* Say which FMI call is being made, for whoever finds the crumb. */
void tt_kfmi_crumb(struct tt_crumb *crumb, const char *call);

/* References for a cold call; valid until the next one. */
TT_NODISCARD enum tt_code tt_kfmi_refs_now(struct tt_kfmi_unit *k,
                                           const uint32_t *port, size_t n,
                                           const uint32_t **vr, tt_err *err);

/* The same for two lists at once; does not touch the type. */
TT_NODISCARD enum tt_code tt_kfmi_refs_jvp(struct tt_kfmi_unit *k,
                                           const struct tt_jvp *j,
                                           const uint32_t **unknown,
                                           const uint32_t **known, tt_err *err);

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
/* While an instance is made that could not be without logging: what it says
 * goes into `all` instead of the log. NULL: into the log again. */
void tt_kfmi_listen(struct tt_kfmi_unit *k, struct tt_buf *all);
/* No instance: what it said, all of it or the last warning; and of which draft
 * of the standard it is. */
TT_COLD enum tt_code tt_kfmi_not_made(struct tt_kfmi_unit *k, const char *call,
                                      const struct tt_buf *all, tt_err *err);
/* A failure of an FMU that is of a draft of the standard says so. Returns rc.
 */
enum tt_code tt_kfmi_tell_draft(const struct tt_kfmi_type *t, enum tt_code rc,
                                tt_err *err);
/* "needs <call>, which the library of the FMU does not export", TT_EINPUT. */
TT_COLD enum tt_code tt_kfmi_missing(const char *call, tt_err *err);
/* The FMU has declared itself dead. */
TT_COLD enum tt_code tt_kfmi_dead(const char *status, tt_err *err);
/* A text of a variable does not fit its slot. */
TT_COLD enum tt_code tt_kfmi_too_long(const struct tt_kfmi_unit *k,
                                      uint32_t port, size_t size, tt_err *err);

/* --- who speaks (fmi_live.c) --------------------------------------------- */

/* From here on k->env is known, until it is removed, which waits for callbacks
 * that use it. */
TT_NODISCARD enum tt_code tt_kfmi_live_add(struct tt_kfmi_unit *k, tt_err *err);
void tt_kfmi_live_remove(const struct tt_kfmi_unit *k);
/* Whose call a play on this thread is making; NULL: nobody's. */
struct tt_kfmi_unit *tt_kfmi_played(void);
/* For a callback with this environment, on any thread: the instance being
 * played on this thread, else that of the environment, else that of a cold call
 * on this thread, else the only one there is. It lives until unpin. NULL: not
 * known, which unpin accepts. */
struct tt_kfmi_unit *tt_kfmi_pin(const void *env);
void tt_kfmi_unpin(const struct tt_kfmi_unit *k);

/* --- logger (fmi_log.c) ------------------------------------------------- */

void tt_kfmi_voice_init(struct tt_kfmi_voice *v, const struct tt_make *m);
void tt_kfmi_voice_fini(struct tt_kfmi_voice *v);
/* Pass on one message; texts may be NULL. Any thread. */
void tt_kfmi_say(struct tt_kfmi_voice *v, enum tt_log_level level,
                 const char *category, const char *text);
/* The same with a format of the FMU's, which is not trusted: taken literally
 * unless all its conversions are ones that cannot do harm. */
TT_PRINTF(4, 0)
void tt_kfmi_vsay(struct tt_kfmi_voice *v, enum tt_log_level level,
                  const char *category, const char *format, va_list ap);
/* A copy of the last warning or worse; "" when there was none. */
void tt_kfmi_last(struct tt_kfmi_voice *v, char *out, size_t size);

#endif
