/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_FMI3_H
#define TT_FMI_FMI3_H

/* The C interface of FMI 3.0 for Co-Simulation, Model Exchange and Scheduled
 * Execution, in our own words (FMI 3.0.2, 2.2.3: each type is the C type of the
 * same name), and one table of functions. Arrays are passed flattened: n
 * references, value_n elements. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fmi/fmi.h"
#include "sys/lib.h"

enum tt_fmi3_interval {
    TT_FMI3_INTERVAL_NOT_YET_KNOWN,
    TT_FMI3_INTERVAL_UNCHANGED,
    TT_FMI3_INTERVAL_CHANGED,
};

/* What the FMU calls: the logger from any thread, before instantiate returns,
 * with NULL texts. `message` is plain text. */
typedef void (*tt_fmi3_log_fn)(void *env, enum tt_fmi_status status,
                               const char *category, const char *message);
/* Intermediate update, inside do_step. Some call it unasked. */
typedef void (*tt_fmi3_intermediate_fn)(void *env, double time,
                                        bool set_requested, bool get_allowed,
                                        bool step_finished,
                                        bool can_return_early,
                                        bool *return_early,
                                        double *return_time);

/* Inside activate_partition: an output clock ticks, or a countdown has begun.
 */
typedef void (*tt_fmi3_clock_update_fn)(void *env);
/* Nothing may interrupt what the FMU does between the two. */
typedef void (*tt_fmi3_preemption_fn)(void);

/* Types whose values are got and set alike: enum tt_type, in names of ours and
 * of FMI, in C. */
#define TT_FMI3_TYPES(X)                                                       \
    X(F64, float64, Float64, double)                                           \
    X(F32, float32, Float32, float)                                            \
    X(I8, int8, Int8, int8_t)                                                  \
    X(U8, uint8, UInt8, uint8_t)                                               \
    X(I16, int16, Int16, int16_t)                                              \
    X(U16, uint16, UInt16, uint16_t)                                           \
    X(I32, int32, Int32, int32_t)                                              \
    X(U32, uint32, UInt32, uint32_t)                                           \
    X(I64, int64, Int64, int64_t)                                              \
    X(U64, uint64, UInt64, uint64_t)                                           \
    X(BOOL, boolean, Boolean, bool)

/* The functions of a library. Optional ones are NULL when it has none: needed
 * are only those without which there is no simulation at all. */
struct tt_fmi3_fns {
    struct tt_fmi_fns all;
    enum tt_fmi_status (*set_debug_logging)(void *c, bool on, size_t n,
                                            const char *const *category);
    void *(*instantiate_cs)(const char *instance, const char *token,
                            const char *resources, bool visible, bool logging,
                            bool event_mode, bool early_return,
                            const uint32_t *intermediate, size_t intermediate_n,
                            void *env, tt_fmi3_log_fn log,
                            tt_fmi3_intermediate_fn update);
    void *(*instantiate_me)(const char *instance, const char *token,
                            const char *resources, bool visible, bool logging,
                            void *env, tt_fmi3_log_fn log);
    void *(*instantiate_se)(const char *instance, const char *token,
                            const char *resources, bool visible, bool logging,
                            void *env, tt_fmi3_log_fn log,
                            tt_fmi3_clock_update_fn update,
                            tt_fmi3_preemption_fn lock,
                            tt_fmi3_preemption_fn unlock);
    enum tt_fmi_status (*activate_partition)(void *c, uint32_t clock,
                                             double time);
    enum tt_fmi_status (*completed_step)(void *c, bool no_set_state_prior,
                                         bool *enter_event, bool *terminate);
    enum tt_fmi_status (*count_states)(void *c, size_t *n);
    enum tt_fmi_status (*count_indicators)(void *c, size_t *n);
    enum tt_fmi_status (*enter_initialization)(void *c, bool has_tolerance,
                                               double tolerance, double start,
                                               bool has_stop, double stop);
    enum tt_fmi_status (*enter_event_mode)(void *c);
/* NOLINTBEGIN(bugprone-macro-parentheses): types */
#define X(type, name, Name, value_type)                                        \
    enum tt_fmi_status (*get_##name)(void *c, const uint32_t *vr, size_t n,    \
                                     value_type *value, size_t value_n);       \
    enum tt_fmi_status (*set_##name)(void *c, const uint32_t *vr, size_t n,    \
                                     const value_type *value, size_t value_n);
    TT_FMI3_TYPES(X)
#undef X
    /* NOLINTEND(bugprone-macro-parentheses) */
    enum tt_fmi_status (*get_string)(void *c, const uint32_t *vr, size_t n,
                                     const char **value, size_t value_n);
    enum tt_fmi_status (*get_binary)(void *c, const uint32_t *vr, size_t n,
                                     size_t *size, const uint8_t **value,
                                     size_t value_n);
    enum tt_fmi_status (*get_clock)(void *c, const uint32_t *vr, size_t n,
                                    bool *value);
    enum tt_fmi_status (*set_string)(void *c, const uint32_t *vr, size_t n,
                                     const char *const *value, size_t value_n);
    enum tt_fmi_status (*set_binary)(void *c, const uint32_t *vr, size_t n,
                                     const size_t *size,
                                     const uint8_t *const *value,
                                     size_t value_n);
    enum tt_fmi_status (*set_clock)(void *c, const uint32_t *vr, size_t n,
                                    const bool *value);
    enum tt_fmi_status (*get_directional_derivative)(
        void *c, const uint32_t *unknown, size_t unknown_n,
        const uint32_t *known, size_t known_n, const double *seed,
        size_t seed_n, double *sensitivity, size_t sensitivity_n);
    enum tt_fmi_status (*enter_configuration)(void *c);
    enum tt_fmi_status (*exit_configuration)(void *c);
    enum tt_fmi_status (*get_interval_decimal)(
        void *c, const uint32_t *vr, size_t n, double *interval,
        enum tt_fmi3_interval *qualifier);
    enum tt_fmi_status (*get_interval_fraction)(
        void *c, const uint32_t *vr, size_t n, uint64_t *counter,
        uint64_t *resolution, enum tt_fmi3_interval *qualifier);
    enum tt_fmi_status (*get_shift_decimal)(void *c, const uint32_t *vr,
                                            size_t n, double *shift);
    enum tt_fmi_status (*get_shift_fraction)(void *c, const uint32_t *vr,
                                             size_t n, uint64_t *counter,
                                             uint64_t *resolution);
    enum tt_fmi_status (*set_interval_decimal)(void *c, const uint32_t *vr,
                                               size_t n,
                                               const double *interval);
    enum tt_fmi_status (*set_interval_fraction)(void *c, const uint32_t *vr,
                                                size_t n,
                                                const uint64_t *counter,
                                                const uint64_t *resolution);
    enum tt_fmi_status (*set_shift_decimal)(void *c, const uint32_t *vr,
                                            size_t n, const double *shift);
    enum tt_fmi_status (*set_shift_fraction)(void *c, const uint32_t *vr,
                                             size_t n, const uint64_t *counter,
                                             const uint64_t *resolution);
    enum tt_fmi_status (*update_discrete_states)(
        void *c, bool *need_update, bool *terminate, bool *nominals_changed,
        bool *values_changed, bool *has_next_event, double *next_event);
    enum tt_fmi_status (*enter_step_mode)(void *c);
    enum tt_fmi_status (*get_output_derivatives)(void *c, const uint32_t *vr,
                                                 size_t n, const int32_t *order,
                                                 double *value, size_t value_n);
    enum tt_fmi_status (*do_step)(void *c, double now, double step,
                                  bool no_set_state_prior, bool *event_needed,
                                  bool *terminate, bool *early,
                                  double *reached);
};

/* Look up every function. Fails, naming all that are missing, when one is not
 * there that the interface requires. */
TT_NODISCARD enum tt_code tt_fmi3_bind(tt_lib *lib, enum tt_fmi_face face,
                                       struct tt_fmi3_fns *fns, tt_err *err);

#endif
