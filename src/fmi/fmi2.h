/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_FMI2_H
#define TT_FMI_FMI2_H

/* The C interface of FMI 2.0 for Co-Simulation, in our own words: types by
 * their meaning (FMI 2.0.5, 2.1.2: Real is double, Integer and Boolean are
 * int), and one table of functions. */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "sys/lib.h"

enum tt_fmi2_status {
    TT_FMI2_OK,
    TT_FMI2_WARNING,
    TT_FMI2_DISCARD,
    TT_FMI2_ERROR,
    TT_FMI2_FATAL,
    TT_FMI2_PENDING,
};

enum tt_fmi2_type {
    TT_FMI2_MODEL_EXCHANGE,
    TT_FMI2_CO_SIMULATION,
};

enum tt_fmi2_status_kind {
    TT_FMI2_DO_STEP_STATUS,
    TT_FMI2_PENDING_STATUS,
    TT_FMI2_LAST_SUCCESSFUL_TIME,
    TT_FMI2_TERMINATED,
};

typedef void tt_fmi2_component; /* the FMU's own */
typedef void tt_fmi2_state;     /* the FMU's own */

/* What the FMU calls. It may call the logger from any thread, before
 * instantiate returns, and with NULL texts; `message` is a printf format only
 * by the standard's word, so treat it with care. */
struct tt_fmi2_callbacks {
    void (*logger)(void *env, const char *instance, enum tt_fmi2_status status,
                   const char *category, const char *message, ...);
    void *(*allocate_memory)(size_t n, size_t size); /* zeroed, as calloc */
    void (*free_memory)(void *p);
    void (*step_finished)(void *env, enum tt_fmi2_status status);
    void *env;
};

/* The functions of a library. Optional ones are NULL when it has none: needed
 * are only those without which there is no simulation at all. */
struct tt_fmi2_fns {
    const char *(*get_types_platform)(void);
    const char *(*get_version)(void);
    enum tt_fmi2_status (*set_debug_logging)(tt_fmi2_component *c, int on,
                                             size_t n,
                                             const char *const *category);
    tt_fmi2_component *(*instantiate)(const char *instance,
                                      enum tt_fmi2_type type, const char *guid,
                                      const char *resources,
                                      const struct tt_fmi2_callbacks *callbacks,
                                      int visible, int logging);
    void (*free_instance)(tt_fmi2_component *c);
    enum tt_fmi2_status (*setup_experiment)(tt_fmi2_component *c,
                                            int has_tolerance, double tolerance,
                                            double start, int has_stop,
                                            double stop);
    enum tt_fmi2_status (*enter_initialization)(tt_fmi2_component *c);
    enum tt_fmi2_status (*exit_initialization)(tt_fmi2_component *c);
    enum tt_fmi2_status (*terminate)(tt_fmi2_component *c);
    enum tt_fmi2_status (*reset)(tt_fmi2_component *c);
    enum tt_fmi2_status (*get_real)(tt_fmi2_component *c, const uint32_t *vr,
                                    size_t n, double *value);
    enum tt_fmi2_status (*get_integer)(tt_fmi2_component *c, const uint32_t *vr,
                                       size_t n, int *value);
    enum tt_fmi2_status (*get_boolean)(tt_fmi2_component *c, const uint32_t *vr,
                                       size_t n, int *value);
    enum tt_fmi2_status (*get_string)(tt_fmi2_component *c, const uint32_t *vr,
                                      size_t n, const char **value);
    enum tt_fmi2_status (*set_real)(tt_fmi2_component *c, const uint32_t *vr,
                                    size_t n, const double *value);
    enum tt_fmi2_status (*set_integer)(tt_fmi2_component *c, const uint32_t *vr,
                                       size_t n, const int *value);
    enum tt_fmi2_status (*set_boolean)(tt_fmi2_component *c, const uint32_t *vr,
                                       size_t n, const int *value);
    enum tt_fmi2_status (*set_string)(tt_fmi2_component *c, const uint32_t *vr,
                                      size_t n, const char *const *value);
    enum tt_fmi2_status (*get_state)(tt_fmi2_component *c,
                                     tt_fmi2_state **state);
    enum tt_fmi2_status (*set_state)(tt_fmi2_component *c,
                                     tt_fmi2_state *state);
    enum tt_fmi2_status (*free_state)(tt_fmi2_component *c,
                                      tt_fmi2_state **state);
    enum tt_fmi2_status (*serialized_state_size)(tt_fmi2_component *c,
                                                 tt_fmi2_state *state,
                                                 size_t *size);
    enum tt_fmi2_status (*serialize_state)(tt_fmi2_component *c,
                                           tt_fmi2_state *state, char *bytes,
                                           size_t size);
    enum tt_fmi2_status (*deserialize_state)(tt_fmi2_component *c,
                                             const char *bytes, size_t size,
                                             tt_fmi2_state **state);
    enum tt_fmi2_status (*get_directional_derivative)(
        tt_fmi2_component *c, const uint32_t *unknown, size_t unknown_n,
        const uint32_t *known, size_t known_n, const double *d_known,
        double *d_unknown);
    enum tt_fmi2_status (*set_real_input_derivatives)(tt_fmi2_component *c,
                                                      const uint32_t *vr,
                                                      size_t n,
                                                      const int *order,
                                                      const double *value);
    enum tt_fmi2_status (*get_real_output_derivatives)(tt_fmi2_component *c,
                                                       const uint32_t *vr,
                                                       size_t n,
                                                       const int *order,
                                                       double *value);
    enum tt_fmi2_status (*do_step)(tt_fmi2_component *c, double now,
                                   double step, int no_set_state_prior);
    enum tt_fmi2_status (*cancel_step)(tt_fmi2_component *c);
    enum tt_fmi2_status (*get_status)(tt_fmi2_component *c,
                                      enum tt_fmi2_status_kind kind,
                                      enum tt_fmi2_status *value);
    enum tt_fmi2_status (*get_real_status)(tt_fmi2_component *c,
                                           enum tt_fmi2_status_kind kind,
                                           double *value);
    enum tt_fmi2_status (*get_integer_status)(tt_fmi2_component *c,
                                              enum tt_fmi2_status_kind kind,
                                              int *value);
    enum tt_fmi2_status (*get_boolean_status)(tt_fmi2_component *c,
                                              enum tt_fmi2_status_kind kind,
                                              int *value);
    enum tt_fmi2_status (*get_string_status)(tt_fmi2_component *c,
                                             enum tt_fmi2_status_kind kind,
                                             const char **value);
    /* An extension, not in the standard: the largest step accepted now. */
    enum tt_fmi2_status (*get_max_step_size)(tt_fmi2_component *c,
                                             double *step);
};

/* Look up every function. Fails, naming all that are missing, when a required
 * one is not there. The extension is found under any of its spellings. */
TT_NODISCARD enum tt_code tt_fmi2_bind(tt_lib *lib, struct tt_fmi2_fns *fns,
                                       tt_err *err);

const char *tt_fmi2_status_name(enum tt_fmi2_status s); /* "fmi2Error", ... */

#endif
