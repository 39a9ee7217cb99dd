/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_FMI3_H
#define TT_FMI_FMI3_H

/* The C interface of FMI 3.0 for Co-Simulation, in our own words (FMI 3.0.2,
 * 2.2.3: each type is the C type of the same name), and one table of
 * functions. Arrays are passed flattened: n references, value_n elements. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sys/lib.h"

enum tt_fmi3_status {
    TT_FMI3_OK,
    TT_FMI3_WARNING,
    TT_FMI3_DISCARD,
    TT_FMI3_ERROR,
    TT_FMI3_FATAL,
};

enum tt_fmi3_dependency {
    TT_FMI3_INDEPENDENT,
    TT_FMI3_CONSTANT,
    TT_FMI3_FIXED,
    TT_FMI3_TUNABLE,
    TT_FMI3_DISCRETE,
    TT_FMI3_DEPENDENT,
};

enum tt_fmi3_interval {
    TT_FMI3_INTERVAL_NOT_YET_KNOWN,
    TT_FMI3_INTERVAL_UNCHANGED,
    TT_FMI3_INTERVAL_CHANGED,
};

typedef void tt_fmi3_instance; /* the FMU's own */
typedef void tt_fmi3_state;    /* the FMU's own */

/* What the FMU calls: the logger from any thread, before instantiate returns,
 * with NULL texts. `message` is plain text. */
typedef void (*tt_fmi3_log_fn)(void *env, enum tt_fmi3_status status,
                               const char *category, const char *message);
/* Intermediate update, inside do_step. Some call it unasked. */
typedef void (*tt_fmi3_intermediate_fn)(void *env, double time,
                                        bool set_requested, bool get_allowed,
                                        bool step_finished,
                                        bool can_return_early,
                                        bool *return_early,
                                        double *return_time);

/* The functions of a library. Optional ones are NULL when it has none: needed
 * are only those without which there is no simulation at all. */
struct tt_fmi3_fns {
    const char *(*get_version)(void);
    enum tt_fmi3_status (*set_debug_logging)(tt_fmi3_instance *c, bool on,
                                             size_t n,
                                             const char *const *category);
    tt_fmi3_instance *(*instantiate_cs)(
        const char *instance, const char *token, const char *resources,
        bool visible, bool logging, bool event_mode, bool early_return,
        const uint32_t *intermediate, size_t intermediate_n, void *env,
        tt_fmi3_log_fn log, tt_fmi3_intermediate_fn update);
    void (*free_instance)(tt_fmi3_instance *c);
    enum tt_fmi3_status (*enter_initialization)(tt_fmi3_instance *c,
                                                bool has_tolerance,
                                                double tolerance, double start,
                                                bool has_stop, double stop);
    enum tt_fmi3_status (*exit_initialization)(tt_fmi3_instance *c);
    enum tt_fmi3_status (*enter_event_mode)(tt_fmi3_instance *c);
    enum tt_fmi3_status (*terminate)(tt_fmi3_instance *c);
    enum tt_fmi3_status (*reset)(tt_fmi3_instance *c);
    enum tt_fmi3_status (*get_float32)(tt_fmi3_instance *c, const uint32_t *vr,
                                       size_t n, float *value, size_t value_n);
    enum tt_fmi3_status (*get_float64)(tt_fmi3_instance *c, const uint32_t *vr,
                                       size_t n, double *value, size_t value_n);
    enum tt_fmi3_status (*get_int8)(tt_fmi3_instance *c, const uint32_t *vr,
                                    size_t n, int8_t *value, size_t value_n);
    enum tt_fmi3_status (*get_uint8)(tt_fmi3_instance *c, const uint32_t *vr,
                                     size_t n, uint8_t *value, size_t value_n);
    enum tt_fmi3_status (*get_int16)(tt_fmi3_instance *c, const uint32_t *vr,
                                     size_t n, int16_t *value, size_t value_n);
    enum tt_fmi3_status (*get_uint16)(tt_fmi3_instance *c, const uint32_t *vr,
                                      size_t n, uint16_t *value,
                                      size_t value_n);
    enum tt_fmi3_status (*get_int32)(tt_fmi3_instance *c, const uint32_t *vr,
                                     size_t n, int32_t *value, size_t value_n);
    enum tt_fmi3_status (*get_uint32)(tt_fmi3_instance *c, const uint32_t *vr,
                                      size_t n, uint32_t *value,
                                      size_t value_n);
    enum tt_fmi3_status (*get_int64)(tt_fmi3_instance *c, const uint32_t *vr,
                                     size_t n, int64_t *value, size_t value_n);
    enum tt_fmi3_status (*get_uint64)(tt_fmi3_instance *c, const uint32_t *vr,
                                      size_t n, uint64_t *value,
                                      size_t value_n);
    enum tt_fmi3_status (*get_boolean)(tt_fmi3_instance *c, const uint32_t *vr,
                                       size_t n, bool *value, size_t value_n);
    enum tt_fmi3_status (*get_string)(tt_fmi3_instance *c, const uint32_t *vr,
                                      size_t n, const char **value,
                                      size_t value_n);
    enum tt_fmi3_status (*get_binary)(tt_fmi3_instance *c, const uint32_t *vr,
                                      size_t n, size_t *size,
                                      const uint8_t **value, size_t value_n);
    enum tt_fmi3_status (*get_clock)(tt_fmi3_instance *c, const uint32_t *vr,
                                     size_t n, bool *value);
    enum tt_fmi3_status (*set_float32)(tt_fmi3_instance *c, const uint32_t *vr,
                                       size_t n, const float *value,
                                       size_t value_n);
    enum tt_fmi3_status (*set_float64)(tt_fmi3_instance *c, const uint32_t *vr,
                                       size_t n, const double *value,
                                       size_t value_n);
    enum tt_fmi3_status (*set_int8)(tt_fmi3_instance *c, const uint32_t *vr,
                                    size_t n, const int8_t *value,
                                    size_t value_n);
    enum tt_fmi3_status (*set_uint8)(tt_fmi3_instance *c, const uint32_t *vr,
                                     size_t n, const uint8_t *value,
                                     size_t value_n);
    enum tt_fmi3_status (*set_int16)(tt_fmi3_instance *c, const uint32_t *vr,
                                     size_t n, const int16_t *value,
                                     size_t value_n);
    enum tt_fmi3_status (*set_uint16)(tt_fmi3_instance *c, const uint32_t *vr,
                                      size_t n, const uint16_t *value,
                                      size_t value_n);
    enum tt_fmi3_status (*set_int32)(tt_fmi3_instance *c, const uint32_t *vr,
                                     size_t n, const int32_t *value,
                                     size_t value_n);
    enum tt_fmi3_status (*set_uint32)(tt_fmi3_instance *c, const uint32_t *vr,
                                      size_t n, const uint32_t *value,
                                      size_t value_n);
    enum tt_fmi3_status (*set_int64)(tt_fmi3_instance *c, const uint32_t *vr,
                                     size_t n, const int64_t *value,
                                     size_t value_n);
    enum tt_fmi3_status (*set_uint64)(tt_fmi3_instance *c, const uint32_t *vr,
                                      size_t n, const uint64_t *value,
                                      size_t value_n);
    enum tt_fmi3_status (*set_boolean)(tt_fmi3_instance *c, const uint32_t *vr,
                                       size_t n, const bool *value,
                                       size_t value_n);
    enum tt_fmi3_status (*set_string)(tt_fmi3_instance *c, const uint32_t *vr,
                                      size_t n, const char *const *value,
                                      size_t value_n);
    enum tt_fmi3_status (*set_binary)(tt_fmi3_instance *c, const uint32_t *vr,
                                      size_t n, const size_t *size,
                                      const uint8_t *const *value,
                                      size_t value_n);
    enum tt_fmi3_status (*set_clock)(tt_fmi3_instance *c, const uint32_t *vr,
                                     size_t n, const bool *value);
    enum tt_fmi3_status (*get_dependency_count)(tt_fmi3_instance *c,
                                                uint32_t vr, size_t *n);
    enum tt_fmi3_status (*get_dependencies)(
        tt_fmi3_instance *c, uint32_t dependent, size_t *dependent_element,
        uint32_t *independent, size_t *independent_element,
        enum tt_fmi3_dependency *kind, size_t n);
    enum tt_fmi3_status (*get_state)(tt_fmi3_instance *c,
                                     tt_fmi3_state **state);
    enum tt_fmi3_status (*set_state)(tt_fmi3_instance *c, tt_fmi3_state *state);
    enum tt_fmi3_status (*free_state)(tt_fmi3_instance *c,
                                      tt_fmi3_state **state);
    enum tt_fmi3_status (*serialized_state_size)(tt_fmi3_instance *c,
                                                 tt_fmi3_state *state,
                                                 size_t *size);
    enum tt_fmi3_status (*serialize_state)(tt_fmi3_instance *c,
                                           tt_fmi3_state *state, uint8_t *bytes,
                                           size_t size);
    enum tt_fmi3_status (*deserialize_state)(tt_fmi3_instance *c,
                                             const uint8_t *bytes, size_t size,
                                             tt_fmi3_state **state);
    enum tt_fmi3_status (*get_directional_derivative)(
        tt_fmi3_instance *c, const uint32_t *unknown, size_t unknown_n,
        const uint32_t *known, size_t known_n, const double *seed,
        size_t seed_n, double *sensitivity, size_t sensitivity_n);
    enum tt_fmi3_status (*get_adjoint_derivative)(
        tt_fmi3_instance *c, const uint32_t *unknown, size_t unknown_n,
        const uint32_t *known, size_t known_n, const double *seed,
        size_t seed_n, double *sensitivity, size_t sensitivity_n);
    enum tt_fmi3_status (*enter_configuration)(tt_fmi3_instance *c);
    enum tt_fmi3_status (*exit_configuration)(tt_fmi3_instance *c);
    enum tt_fmi3_status (*get_interval_decimal)(
        tt_fmi3_instance *c, const uint32_t *vr, size_t n, double *interval,
        enum tt_fmi3_interval *qualifier);
    enum tt_fmi3_status (*get_interval_fraction)(
        tt_fmi3_instance *c, const uint32_t *vr, size_t n, uint64_t *counter,
        uint64_t *resolution, enum tt_fmi3_interval *qualifier);
    enum tt_fmi3_status (*get_shift_decimal)(tt_fmi3_instance *c,
                                             const uint32_t *vr, size_t n,
                                             double *shift);
    enum tt_fmi3_status (*get_shift_fraction)(tt_fmi3_instance *c,
                                              const uint32_t *vr, size_t n,
                                              uint64_t *counter,
                                              uint64_t *resolution);
    enum tt_fmi3_status (*set_interval_decimal)(tt_fmi3_instance *c,
                                                const uint32_t *vr, size_t n,
                                                const double *interval);
    enum tt_fmi3_status (*set_interval_fraction)(tt_fmi3_instance *c,
                                                 const uint32_t *vr, size_t n,
                                                 const uint64_t *counter,
                                                 const uint64_t *resolution);
    enum tt_fmi3_status (*set_shift_decimal)(tt_fmi3_instance *c,
                                             const uint32_t *vr, size_t n,
                                             const double *shift);
    enum tt_fmi3_status (*set_shift_fraction)(tt_fmi3_instance *c,
                                              const uint32_t *vr, size_t n,
                                              const uint64_t *counter,
                                              const uint64_t *resolution);
    enum tt_fmi3_status (*evaluate_discrete_states)(tt_fmi3_instance *c);
    enum tt_fmi3_status (*update_discrete_states)(
        tt_fmi3_instance *c, bool *need_update, bool *terminate,
        bool *nominals_changed, bool *values_changed, bool *has_next_event,
        double *next_event);
    enum tt_fmi3_status (*enter_step_mode)(tt_fmi3_instance *c);
    enum tt_fmi3_status (*get_output_derivatives)(tt_fmi3_instance *c,
                                                  const uint32_t *vr, size_t n,
                                                  const int32_t *order,
                                                  double *value,
                                                  size_t value_n);
    enum tt_fmi3_status (*do_step)(tt_fmi3_instance *c, double now, double step,
                                   bool no_set_state_prior, bool *event_needed,
                                   bool *terminate, bool *early,
                                   double *reached);
};

/* Look up every function. Fails, naming all that are missing, when a required
 * one is not there. */
TT_NODISCARD enum tt_code tt_fmi3_bind(tt_lib *lib, struct tt_fmi3_fns *fns,
                                       tt_err *err);

const char *tt_fmi3_status_name(enum tt_fmi3_status s); /* "fmi3Error", ... */

#endif
