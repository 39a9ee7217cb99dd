/* SPDX-License-Identifier: MIT */
#ifndef TT_SCENARIO_BUILD_IMPL_H
#define TT_SCENARIO_BUILD_IMPL_H

/* A scenario under construction: what the calls of build.h and the readers of
 * the single fields share.
 *
 * The readers run in the order of the field table (fields.c), not of the
 * document, because names must be known before they are referred to: FMUs,
 * then what creates units, then what refers to them. Then the options are
 * laid over, and tt_sc_finish checks what needs the whole.
 */

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/log.h"
#include "base/names.h"
#include "expr/expr.h"
#include "scenario/build.h"

/* What named a unit. */
enum tt_sc_named {
    TT_SC_BY_INSTANCES = 1 << 0,
    TT_SC_BY_CONNECTION = 1 << 1,
    TT_SC_BY_LOG = 1 << 2, /* logVariables, livestream, constraints */
    TT_SC_BY_PARAMETER = 1 << 3,
};

struct tt_sc_draft {
    struct tt_sc_unit unit;
    unsigned named; /* enum tt_sc_named */
    int shared;     /* its instance name occurs under another key, too */
};

enum tt_sc_warning {
    TT_SC_WARN_FIELD,     /* unknown field */
    TT_SC_WARN_PARAMETER, /* unused parameter */
    TT_SC_WARN_UNIT,      /* a unit or FMU that nothing uses */
    TT_SC_WARN_N
};
/* Of each kind only so many are reported: finding near names is quadratic. */
#define TT_SC_WARN_MAX 10

struct tt_sc_build {
    tt_scenario *s;            /* owned until handed over */
    int dialect_given;         /* by the command line */
    int in_base;               /* relative locations are in the base alone */
    uint32_t depth;            /* scenarios it is written in */
    struct tt_where where;     /* ... at this place */
    struct tt_text_file *file; /* owned, as are all lists below */
    size_t cap_file;
    const char **dir; /* of each file: resolves relative FMU paths */
    size_t cap_dir;
    const struct tt_sc_options *o; /* or NULL */
    const struct tt_log *log;
    tt_err *err;

    tt_arena *nodes;     /* owned: the JSON trees, die with the build */
    struct tt_buf given; /* members of JSON: what tt_sc_read was given */
    struct tt_buf word;  /* scratch: NUL-terminated parts of references */
    int starved;         /* a name could not be looked up for lack of memory */
    struct tt_names fmu_by_key, unit_by_name, unit_by_instance;
    struct tt_names input; /* connected inputs by reference: connection */
    struct tt_sc_fmu *fmu;
    size_t cap_fmu;
    struct tt_sc_draft *unit;
    size_t n_unit, cap_unit;
    struct tt_names stub; /* keys of FMUs that stand for the outside */
    struct tt_names port_by_name;
    struct tt_sc_port *port;
    size_t n_port, cap_port;
    struct tt_sc_connection *connection;
    size_t cap_connection;
    struct tt_sc_parameter *parameter;
    size_t cap_parameter;
    char *named;    /* per FMU: has instances besides those of parameters ... */
    size_t n_named; /* ... among so many units; NULL: not asked yet */
    const struct tt_doc *environment; /* "environmentParameters", or NULL */
    const struct tt_doc *fault_path;  /* of fault injection, or NULL */
    const char *score;                /* "score", or NULL */
    uint32_t *wrapper; /* in nodes: the instances of wrap.c, in its order */
    uint32_t warned[TT_SC_WARN_N];
};

/* The known fields: the one list that reading, unknown-field warnings and the
 * published schema's test share. Those at the top: */
typedef enum tt_code tt_sc_reader(struct tt_sc_build *b,
                                  const struct tt_doc *v);
struct tt_sc_field {
    const char *name;
    tt_sc_reader *read; /* NULL: ignored */
};
extern const struct tt_sc_field tt_sc_fields[];
extern const size_t tt_sc_n_fields;
/* ... and those of an object, which are read with it. */
struct tt_sc_members {
    const char *object;
    const char *const *name; /* NULL ends them */
};
extern const struct tt_sc_members tt_sc_objects[];
extern const size_t tt_sc_n_objects;

tt_sc_reader tt_sc_read_all; /* of the root */
/* Is `v` an object? Members of it that the object does not know: one that is
 * nearly a known one is an error, others are warned of. */
TT_NODISCARD enum tt_code tt_sc_check_members(struct tt_sc_build *b,
                                              const struct tt_doc *v,
                                              const char *object);

/* Facts (build.c). */
/* "'field' must be <want>, not <what it is>". Elements of an array have no
 * name of their own: then `parent` is the array's. */
enum tt_code tt_sc_wrong(struct tt_sc_build *b, const struct tt_doc *v,
                         const char *parent, const char *want);
/* Count one more warning of a kind; 0 when enough were reported. */
int tt_sc_may_warn(struct tt_sc_build *b, enum tt_sc_warning kind);
/* May reading go on after this rc, of something that stands for itself? 0: no.
 * `ref` as above. */
int tt_sc_pass(struct tt_sc_build *b, enum tt_code rc, const char *ref);

/* "; did you mean '...'?" or "". */
struct tt_sc_hint {
    char s[256];
};
struct tt_sc_hint tt_sc_hint(const char *wrong, size_t n, tt_name_fn get,
                             const void *ctx);

/* Values of one kind, or a message. */
int tt_sc_is_null(const struct tt_doc *v);
/* A member that is not null, or NULL. */
const struct tt_doc *tt_sc_member(const struct tt_doc *v, const char *name);
enum tt_code tt_sc_object(struct tt_sc_build *b, const struct tt_doc *v);
enum tt_code tt_sc_number(struct tt_sc_build *b, const struct tt_doc *v,
                          const char *parent, double *out);
enum tt_code tt_sc_integer(struct tt_sc_build *b, const struct tt_doc *v,
                           int64_t *out);
/* Of a member, if there is one; else *out stays. */
enum tt_code tt_sc_maybe_bool(struct tt_sc_build *b, const struct tt_doc *v,
                              const char *name, int *out);
enum tt_code tt_sc_maybe_number(struct tt_sc_build *b, const struct tt_doc *v,
                                const char *name, double *out);
/* Not less than `least`, and finite; what: "'margin' must be a factor". */
enum tt_code tt_sc_number_from(struct tt_sc_build *b, const struct tt_doc *v,
                               unsigned least, const char *what, double *out);
/* Of steps: from 1 to most. */
enum tt_code tt_sc_steps(struct tt_sc_build *b, const struct tt_doc *v,
                         uint32_t most, uint32_t *out);
enum tt_code tt_sc_bool(struct tt_sc_build *b, const struct tt_doc *v,
                        int *out);
enum tt_code tt_sc_text(struct tt_sc_build *b, const struct tt_doc *v,
                        const char *parent, const char **out);
/* Room for one thing per member of an object, or NULL and why not. */
void *tt_sc_members(struct tt_sc_build *b, const struct tt_doc *v, size_t size,
                    enum tt_code *rc);
/* That, and each is read. *n: how many; NULL if none are there. */
void *tt_sc_read_members(struct tt_sc_build *b, const struct tt_doc *v,
                         size_t size,
                         enum tt_code (*read)(struct tt_sc_build *b,
                                              const struct tt_doc *v, void *to),
                         uint32_t *n, enum tt_code *rc);
/* An array of strings; v itself is checked, then each element. */
enum tt_code tt_sc_texts(struct tt_sc_build *b, const struct tt_doc *v);
/* The same as words, in b->nodes; a string alone is one where `one` is set. */
enum tt_code tt_sc_words(struct tt_sc_build *b, const struct tt_doc *v, int one,
                         struct tt_sc_word **out, uint32_t *n);
static inline struct tt_sc_word tt_sc_key_word(const struct tt_doc *v)
{
    return (struct tt_sc_word){v->key, v->key_where};
}

/* One of a few words. `what` is used in the message: "'master'". */
struct tt_sc_choice {
    const char *what;
    const char *const *word;
    uint32_t n;
};
enum tt_code tt_sc_choose(struct tt_sc_build *b, struct tt_where w,
                          const struct tt_sc_choice *c, const char *text,
                          uint32_t *out);
enum tt_code tt_sc_choose_doc(struct tt_sc_build *b, const struct tt_doc *v,
                              const struct tt_sc_choice *c, uint32_t *out);

/* A number from 1 to `most`, or a word, which becomes 0 (count.c). */
struct tt_sc_count {
    const char *field, *option; /* in messages: "'threads'", "--threads" */
    const char *word, *of;      /* "auto", "threads" */
    int64_t most;
    void (*set)(struct tt_sc_build *b, int64_t n);
};
enum tt_code tt_sc_count_doc(struct tt_sc_build *b, const struct tt_doc *v,
                             const struct tt_sc_count *c);
enum tt_code tt_sc_count_text(struct tt_sc_build *b, const char *text,
                              const struct tt_sc_count *c);

/* An object's member, if it is there; *to stays when it is not. */
enum tt_code tt_sc_member_number(struct tt_sc_build *b, const struct tt_doc *v,
                                 const char *name, double *to, int zero_too);
enum tt_code tt_sc_member_word(struct tt_sc_build *b, const struct tt_doc *v,
                               const char *name, const struct tt_sc_choice *c,
                               uint32_t *to);

/* References (refs.c). */
struct tt_sc_parts {
    const char *text; /* the whole reference */
    size_t n_key;
    const char *instance;
    size_t n_instance;
    const char *variable; /* NULL in a unit's reference */
};
/* "{key}.instance.variable" or "{key}.instance" into parts; none is empty. */
enum tt_code tt_sc_split_ref(struct tt_sc_build *b, const char *text,
                             struct tt_where w, struct tt_sc_parts *out);
enum tt_code tt_sc_split_unit(struct tt_sc_build *b, const char *text,
                              struct tt_where w, struct tt_sc_parts *out);
/* Without a message: 0, or -1. */
int tt_sc_split(const char *text, struct tt_sc_parts *out);
/* n bytes as a NUL-terminated scratch text, valid until the next call. */
const char *tt_sc_word(struct tt_sc_build *b, const char *s, size_t n);
/* Index or TT_NONE. */
uint32_t tt_sc_find_fmu(struct tt_sc_build *b, const struct tt_sc_parts *p);
uint32_t tt_sc_find_unit(struct tt_sc_build *b, const struct tt_sc_parts *p);
/* The unit, created when it is new. */
enum tt_code tt_sc_mention(struct tt_sc_build *b, const struct tt_sc_parts *p,
                           struct tt_where w, enum tt_sc_named by,
                           uint32_t *unit);
/* Variables of units, which come to be; the list is in the arena. */
enum tt_code tt_sc_mention_all(struct tt_sc_build *b,
                               const struct tt_sc_word *word, uint32_t n,
                               enum tt_sc_named by,
                               const struct tt_sc_ref **out);
/* A unit that exists, by "{key}.instance" or by an unambiguous instance name;
 * else a message with the nearest name. */
enum tt_code tt_sc_get_unit(struct tt_sc_build *b, const char *name,
                            struct tt_where w, uint32_t *unit);
/* A variable of a unit that exists. */
enum tt_code tt_sc_get_ref(struct tt_sc_build *b, const char *text,
                           struct tt_where w, struct tt_sc_ref *ref);
/* Room for the units of an array of texts, and where each is named. */
enum tt_code tt_sc_room_for_units(struct tt_sc_build *b, const struct tt_doc *v,
                                  uint32_t **unit, struct tt_where **where);
/* An array of such, v->n of them in the arena. */
enum tt_code tt_sc_get_refs(struct tt_sc_build *b, const struct tt_doc *v,
                            struct tt_sc_ref **out);
struct tt_sc_hint tt_sc_unit_hint(struct tt_sc_build *b, const char *wrong);
struct tt_sc_hint tt_sc_fmu_hint(struct tt_sc_build *b, const char *wrong);

/* Where an FMU is (uri.c): path becomes an absolute path in the arena, behind
 * "coe:" where that stands; NULL when it is a stub for the outside. */
enum tt_code tt_sc_resolve_uri(struct tt_sc_build *b, struct tt_sc_fmu *fmu,
                               const char *dir);
/* Another file: beside the one that names it or else, where it is not there, in
 * the base. To be freed; NULL: out of memory. */
char *tt_sc_find_file(const struct tt_sc_build *b, struct tt_where where,
                      const char *name);

/* structure.c: one more FMU, or stub (b->stub). One without a path is known
 * all the same, so that references are good. */
enum tt_code tt_sc_put_fmu(struct tt_sc_build *b, const struct tt_sc_fmu *fmu,
                           struct tt_names *names);
/* Readers: structure.c. */
tt_sc_reader tt_sc_read_fmus, tt_sc_read_instances, tt_sc_read_terminals,
    tt_sc_read_connections, tt_sc_read_log, tt_sc_read_live, tt_sc_read_levels;
/* ports.c: "ports", and stubs for the outside in connections. */
tt_sc_reader tt_sc_read_outside, tt_sc_read_external;
int tt_sc_is_stub(struct tt_sc_build *b, const struct tt_sc_parts *p);
enum tt_code tt_sc_stub_feeds(struct tt_sc_build *b,
                              const struct tt_sc_parts *p, struct tt_where w,
                              const struct tt_sc_word *to, uint32_t n);
enum tt_code tt_sc_feeds_stub(struct tt_sc_build *b,
                              const struct tt_sc_parts *p, struct tt_where w,
                              const struct tt_sc_ref *from);
/* Readers: parameters.c. */
tt_sc_reader tt_sc_read_parameters, tt_sc_read_environment;
/* Warn of environment parameters without a value. */
enum tt_code tt_sc_check_environment(struct tt_sc_build *b);
/* A JSON value as a parameter's value. */
enum tt_code tt_sc_value(struct tt_sc_build *b, const struct tt_doc *v,
                         struct tt_sc_value *out);
/* "{key}.inst.var=value" behind the parameters there are. */
enum tt_code tt_sc_set(struct tt_sc_build *b, const char *text);
/* algorithm.c: a member that must be there, the ports of a constraint. */
enum tt_code tt_sc_need(struct tt_sc_build *b, const struct tt_doc *v,
                        const char *name, const struct tt_doc **out);
enum tt_code tt_sc_read_ports(struct tt_sc_build *b, const struct tt_doc *v,
                              uint32_t most, struct tt_sc_constraint *c);
/* error.c: a constraint of type "error", and the command line's. */
enum tt_code tt_sc_read_error(struct tt_sc_build *b, const struct tt_doc *v,
                              struct tt_sc_constraint *c);
enum tt_code tt_sc_set_error(struct tt_sc_build *b,
                             const struct tt_sc_options *o);
/* bonds.c */
tt_sc_reader tt_sc_read_bonds;
/* expect.c */
tt_sc_reader tt_sc_read_expect, tt_sc_read_hints, tt_sc_read_known;
/* policies.c */
tt_sc_reader tt_sc_read_policies, tt_sc_read_switching, tt_sc_read_allowed;
/* Readers: experiment.c and coupling.c. */
tt_sc_reader tt_sc_read_algorithm, tt_sc_read_start, tt_sc_read_end,
    tt_sc_read_positive, tt_sc_read_not_negative, tt_sc_read_attempts,
    tt_sc_read_flag, tt_sc_read_log_level, tt_sc_read_csv, tt_sc_read_dialect;
/* By the command line, before files are read: it wins over theirs. */
enum tt_code tt_sc_set_dialect(struct tt_sc_build *b, const char *text);
tt_sc_reader tt_sc_refuse_any, tt_sc_read_master, tt_sc_read_order,
    tt_sc_read_sequence, tt_sc_read_approx, tt_sc_read_substeps;
/* A number from a file or the command line (`what`), checked. */
enum tt_code tt_sc_set_substeps(struct tt_sc_build *b, struct tt_where w,
                                const char *what, double n, uint32_t *out);
tt_sc_reader tt_sc_read_record, tt_sc_read_consistent, tt_sc_read_evaluates,
    tt_sc_read_rates, tt_sc_read_quanta, tt_sc_read_reactivity,
    tt_sc_read_sigver;

/* Readers: diagram.c. */
tt_sc_reader tt_sc_read_diagram;
tt_sc_reader tt_sc_read_annotations;

/* Readers: clocks.c. */
tt_sc_reader tt_sc_read_clocks;
tt_sc_reader tt_sc_read_transformations;
/* A parameter that is an object: {"value": ..., "unit": ...}. */
TT_NODISCARD enum tt_code tt_sc_read_detailed(struct tt_sc_build *b,
                                              const struct tt_doc *v,
                                              struct tt_sc_parameter *to);

/* 1 or more, or that is refused. */
enum tt_code tt_sc_set_rate(struct tt_sc_build *b, struct tt_where w,
                            uint32_t unit, int64_t rate);
/* An expression alone, with the variables it names: the first part. */
enum tt_code tt_sc_read_rule(struct tt_sc_build *b, const struct tt_doc *v,
                             struct tt_sc_expect *to);
/* An object of rates by instance: v->n of them, of the scenario's arena. */
enum tt_code tt_sc_get_rates(struct tt_sc_build *b, const struct tt_doc *v,
                             const struct tt_sc_rate **out);

/* Readers: iterate.c. */
tt_sc_reader tt_sc_read_stabilise, tt_sc_read_start_of_steps,
    tt_sc_read_iterate, tt_sc_read_accel, tt_sc_read_iteration;
/* "3" or "converged", from the command line. */
enum tt_code tt_sc_set_iterate(struct tt_sc_build *b, const char *text);

/* Readers: real_time.c. */
tt_sc_reader tt_sc_read_delay, tt_sc_read_real_time;
extern const struct tt_sc_choice tt_sc_overruns;

/* Readers: elsewhere.c. */
tt_sc_reader tt_sc_read_isolate, tt_sc_read_late, tt_sc_read_interface;
/* events.c */
tt_sc_reader tt_sc_read_events;
/* locate.c: instances for the crossings of "events" (NULL: there are none),
 * before connections name them; what these are connected to. */
enum tt_code tt_sc_add_locators(struct tt_sc_build *b,
                                const struct tt_doc *events);
enum tt_code tt_sc_connect_locators(struct tt_sc_build *b,
                                    const struct tt_doc *events);
/* An instance for one, whose expressions are there; its variables. */
enum tt_code tt_sc_add_crossing(struct tt_sc_build *b, struct tt_sc_word key,
                                const char *instance, struct tt_sc_locate *l);
enum tt_code tt_sc_connect_crossing(struct tt_sc_build *b,
                                    const struct tt_sc_locate *l);
/* Is this a scenario in which crossings can be located? */
enum tt_code tt_sc_may_locate(struct tt_sc_build *b, const struct tt_doc *v);
enum tt_code tt_sc_read_tolerance(struct tt_sc_build *b, const struct tt_doc *v,
                                  double *out);
/* The key "{name}" of something that is built in, or front, its number and
 * "}". */
enum tt_code tt_sc_read_name(struct tt_sc_build *b, const struct tt_doc *v,
                             const char *what, const char *front, uint32_t i,
                             struct tt_sc_word *key);
/* wrap.c: hold, quantize, sample, delay of "events". Quantizers are crossings,
 * behind those that l has. */
uint32_t tt_sc_count_quantizers(const struct tt_doc *events);
enum tt_code tt_sc_add_wrappers(struct tt_sc_build *b,
                                const struct tt_doc *events,
                                struct tt_sc_locate *l);
enum tt_code tt_sc_connect_wrappers(struct tt_sc_build *b,
                                    const struct tt_doc *events);
/* One more, where a text of another field begins to hold, or also ends. */
enum tt_code tt_sc_locate_more(struct tt_sc_build *b, struct tt_sc_word key,
                               const struct tt_doc *when, int ends);
/* expression.c: three texts as one that is kept, or NULL; a member that is an
 * expression over variables of instances, a number or a condition; an instance
 * that is built in; a variable of v's to "name.x<i>". */
const char *tt_sc_join(struct tt_sc_build *b, const char *front,
                       const char *text, const char *back);
/* Of a scope: which variables there are, and of what type, is the plan's
 * matter; all are taken for numbers. */
int tt_sc_find_any(void *ctx, const char *name, struct tt_expr_variable *v);
enum tt_code tt_sc_expression(struct tt_sc_build *b, const struct tt_doc *v,
                              tt_expr *e);
/* ... and any, with what its scope offers; messages have its place. */
enum tt_code tt_sc_compile(struct tt_sc_build *b, const struct tt_sc_expr *x,
                           const struct tt_expr_scope *scope, tt_expr *e);
enum tt_code tt_sc_add_builtin(struct tt_sc_build *b, struct tt_sc_word key,
                               struct tt_sc_word source, const char *instance,
                               uint32_t *unit);
enum tt_code tt_sc_connect_variable(struct tt_sc_build *b,
                                    const struct tt_doc *v,
                                    const char *variable, const char *name,
                                    uint32_t i);
/* script.c, faults.c, swaps.c, together.c */
tt_sc_reader tt_sc_read_script, tt_sc_read_fault_path, tt_sc_read_faults,
    tt_sc_read_swaps, tt_sc_read_together, tt_sc_read_integrator;
enum tt_code tt_sc_set_interface(struct tt_sc_build *b, const char *text);
enum tt_code tt_sc_set_integrator(struct tt_sc_build *b, const char *text);
/* Members that are named like units. */
enum tt_code tt_sc_of_each_unit(struct tt_sc_build *b, const struct tt_doc *v,
                                enum tt_code (*read)(struct tt_sc_build *,
                                                     const struct tt_doc *,
                                                     struct tt_sc_unit *));
tt_sc_reader tt_sc_read_adapt; /* adapt.c */
/* Before freezing: FMUs that are used by two interfaces, or adapted and not,
 * are two. */
enum tt_code tt_sc_split_fmus(struct tt_sc_build *b);
tt_sc_reader tt_sc_read_no_stop, tt_sc_read_hosts, tt_sc_read_score,
    tt_sc_read_token_file, tt_sc_read_tls_ca, tt_sc_read_origin;

/* threads.c */
tt_sc_reader tt_sc_read_threads;
enum tt_code tt_sc_set_threads(struct tt_sc_build *b, const char *text);

extern const struct tt_sc_choice tt_sc_masters, tt_sc_approximations;
extern const struct tt_sc_choice tt_sc_accelerations;
/* Set the order from n names, the i-th at w[i] (NULL: the command line). */
struct tt_sc_order_names {
    const char *const *name;
    const struct tt_where *where;
    uint32_t n;
};
enum tt_code tt_sc_set_order(struct tt_sc_build *b, struct tt_where w,
                             const struct tt_sc_order_names *names);
extern const struct tt_sc_choice tt_sc_indicators;

/* Lay a command line's options over what was read (options.c). */
enum tt_code tt_sc_apply_options(struct tt_sc_build *b,
                                 const struct tt_sc_options *o);
/* What needs the whole (build.c). */
enum tt_code tt_sc_finish(struct tt_sc_build *b);
/* FMUs and files into the arena, which tt_sc_finish does too. */
enum tt_code tt_sc_freeze_fmus(struct tt_sc_build *b);
/* The scenario written here (scenario.c). */
enum tt_code tt_sc_read_inner(struct tt_sc_build *b, const struct tt_doc *v,
                              tt_scenario **inner);

#endif
