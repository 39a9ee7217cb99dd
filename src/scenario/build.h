/* SPDX-License-Identifier: MIT */
#ifndef TT_SCENARIO_BUILD_H
#define TT_SCENARIO_BUILD_H

/* Making a scenario by calls, whatever it is written in. The reader of JSON is
 * one client; a format of its own reads its text and calls these.
 *
 *     tt_sc_build_new
 *     tt_sc_add_file                   the texts that positions are in
 *     tt_sc_add_fmu, tt_sc_add_inner   before anything names them
 *     tt_sc_add_instance, tt_sc_connect, tt_sc_add_port
 *     tt_sc_set_parameter              behind all of these: see there
 *     tt_sc_set_start, ..., tt_sc_read, in any order
 *     tt_sc_build_finish               options over it, and checks of the whole
 *
 * Every word comes with its place, so that messages, also those of the plan,
 * name file, line and column. Texts are borrowed until the scenario is freed;
 * tt_sc_keep puts a copy into it. A call that fails has put the reason into the
 * err of tt_sc_build_new; the build can then only be freed. Where the log wants
 * all problems (tt_log_problem), what has one is left out instead.
 */

#include "scenario/scenario.h"
#include "text/json.h"

typedef struct tt_sc_build tt_sc_build;

/* A text and where it stands. */
struct tt_sc_word {
    const char *text;
    struct tt_where where;
};
/* From no file: a command line. */
#define TT_SC_NOWHERE ((struct tt_where){TT_NONE, 0})

/* Options (may be NULL), log and err are borrowed until it is freed. */
TT_NODISCARD enum tt_code tt_sc_build_new(tt_sc_build **out,
                                          const struct tt_sc_options *o,
                                          const struct tt_log *log,
                                          tt_err *err);
/* One for tt_sc_add_inner. Its positions are in the same files, those that `b`
 * has by now, and its texts may be kept by `b`, which takes it and outlives
 * it. `name` is borrowed. */
TT_NODISCARD enum tt_code tt_sc_build_inside(tt_sc_build **out, tt_sc_build *b,
                                             const char *name,
                                             struct tt_where w);
void tt_sc_build_free(tt_sc_build *b); /* accepts NULL */
/* A copy that lives as long as the scenario; NULL: out of memory. */
const char *tt_sc_keep(tt_sc_build *b, const char *text);
/* Room for n of size bytes that lives as long, zeroed; NULL: out of memory. */
void *tt_sc_room(tt_sc_build *b, size_t n, size_t size);
/* The scenario's name, for people; and what was decided in reading it. */
void tt_sc_set_name(tt_sc_build *b, const char *name);
void tt_sc_set_decided(tt_sc_build *b, const char *decision);
/* The system structure description it is read from, for writing one. */
void tt_sc_set_origin(tt_sc_build *b, const char *path);
/* What the reader has no place for, and a writer reports as lost. */
void tt_sc_set_left_out(tt_sc_build *b, const char *what);

/* An archive that files of it were unpacked from becomes the scenario's, or is
 * closed. */
TT_NODISCARD enum tt_code tt_sc_take_package(tt_sc_build *b,
                                             tt_archive *package);
/* All archives of it become those of a scenario that has none. */
void tt_sc_give_packages(tt_sc_build *b, tt_scenario *to);
/* What was unpacked there is the base: nothing outside of it where others are
 * refused. */
TT_NODISCARD enum tt_code tt_sc_set_base(tt_sc_build *b, const char *dir);
/* With only_base: is it out of bounds? */
int tt_sc_is_outside(const tt_sc_build *b, const char *path);
/* What is wrong or odd at a place; fail returns `code`. */
enum tt_code tt_sc_no_memory(tt_sc_build *b);
TT_PRINTF(4, 5)
enum tt_code tt_sc_fail(tt_sc_build *b, struct tt_where w, enum tt_code code,
                        const char *fmt, ...);
/* `ref` names the unit or variable at which it may be shown, or NULL. */
TT_PRINTF(4, 5)
void tt_sc_warn(tt_sc_build *b, struct tt_where w, const char *ref,
                const char *fmt, ...);

/* A file that positions refer to: the first is number 0. Relative locations in
 * it are relative to `dir`. All three are copied. */
TT_NODISCARD enum tt_code tt_sc_add_file(tt_sc_build *b, const char *path,
                                         const char *dir, const char *text,
                                         size_t n);

/* "{tank}", and where it is: a path or URI as users write it. */
TT_NODISCARD enum tt_code tt_sc_add_fmu(tt_sc_build *b, struct tt_sc_word key,
                                        struct tt_sc_word location);
/* A scenario inside this one, which takes it. */
TT_NODISCARD enum tt_code tt_sc_add_inner(tt_sc_build *b, struct tt_sc_word key,
                                          tt_scenario **inner,
                                          struct tt_where w);
/* An instance that nothing else names. */
TT_NODISCARD enum tt_code tt_sc_add_instance(tt_sc_build *b, const char *key,
                                             struct tt_sc_word name);
/* "{key}.instance.variable" feeds n others. Instances come to be by being
 * named. */
TT_NODISCARD enum tt_code tt_sc_connect(tt_sc_build *b, struct tt_sc_word from,
                                        const struct tt_sc_word *to,
                                        uint32_t n);
/* The same for one, with what becomes of values; `by` is borrowed until the
 * scenario is freed. */
TT_NODISCARD enum tt_code tt_sc_connect_by(tt_sc_build *b,
                                           struct tt_sc_word from,
                                           struct tt_sc_word to,
                                           const struct tt_sc_transform *by);
/* What the scenario shows where it is inside another one: a name for n
 * variables, which are written at w. */
TT_NODISCARD enum tt_code
tt_sc_add_port(tt_sc_build *b, enum tt_sc_port_dir dir, struct tt_sc_word name,
               const struct tt_sc_word *ref, uint32_t n, struct tt_where w);
/* A start value. One of an instance that nothing names is
 * warned of; only without connections, and where nothing else has named one of
 * that FMU, does it create the instance. */
TT_NODISCARD enum tt_code tt_sc_set_parameter(tt_sc_build *b,
                                              struct tt_sc_word ref,
                                              const struct tt_sc_value *value);

/* The same with all its members but `ref`. */
TT_NODISCARD enum tt_code
tt_sc_add_parameter(tt_sc_build *b, struct tt_sc_word ref,
                    const struct tt_sc_parameter *like);
/* A value is what it looks like; the text, which is borrowed, stays, because a
 * variable of type String may be given 1. */
void tt_sc_typed(struct tt_sc_value *out, const char *text);
/* The instance that was added last is used by this interface (enum
 * tt_interface). */
void tt_sc_use_interface(tt_sc_build *b, uint8_t interface);

TT_NODISCARD enum tt_code tt_sc_set_start(tt_sc_build *b, double t,
                                          struct tt_where w);
/* Infinite: open. */
TT_NODISCARD enum tt_code tt_sc_set_end(tt_sc_build *b, double t,
                                        struct tt_where w);
TT_NODISCARD enum tt_code tt_sc_set_step(tt_sc_build *b, double h,
                                         struct tt_where w);
/* The format has no word for a step: without one a default will do. */
void tt_sc_open_step(tt_sc_build *b);
/* Between the two, which may be reversed; `first` is brought between them.
 * Constraints follow with tt_sc_read, in an "algorithm". */
TT_NODISCARD enum tt_code tt_sc_set_steps(tt_sc_build *b, double least,
                                          double most, double first,
                                          struct tt_where w);
/* Any field of the scenario reference: a tree of JSON with the field's name as
 * key, borrowed until the build is freed. */
TT_NODISCARD enum tt_code tt_sc_read(tt_sc_build *b, const struct tt_doc *v);

/* Lay the options over it and check the whole. *out is untouched on failure. */
TT_NODISCARD enum tt_code tt_sc_build_finish(tt_sc_build *b, tt_scenario **out);
/* The same if all went well (rc), and the build is freed. */
TT_NODISCARD enum tt_code tt_sc_build_end(tt_sc_build *b, enum tt_code rc,
                                          tt_scenario **out);

#endif
