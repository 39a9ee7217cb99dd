/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_FMI2_H
#define TT_FMI_FMI2_H

/* The C interface of FMI 2.0 for Co-Simulation and Model Exchange, in our own
 * words: types by
 * their meaning (FMI 2.0.5, 2.1.2: Real is double, Integer and Boolean are
 * int), and one table of functions. */

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "fmi/fmi.h"
#include "sys/lib.h"

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

/* What the FMU calls. It may call the logger from any thread, before
 * instantiate returns, and with NULL texts; `message` is a printf format only
 * by the standard's word, so treat it with care. */
struct tt_fmi_callbacks {
    void (*logger)(void *env, const char *instance, enum tt_fmi_status status,
                   const char *category, const char *message, ...);
    void *(*allocate_memory)(size_t n, size_t size); /* zeroed, as calloc */
    void (*free_memory)(void *p);
};
struct tt_fmi2_callbacks {
    struct tt_fmi_callbacks of;
    void (*step_finished)(void *env, enum tt_fmi_status status);
    void *env;
};

/* What an event came to. */
struct tt_fmi2_event_info {
    int again, terminate, nominals_changed, values_changed, next_defined;
    double next;
};

/* The functions of a library. Optional ones are NULL when it has none: needed
 * are only those without which there is no simulation at all. */
struct tt_fmi2_fns {
    struct tt_fmi_fns all;
    enum tt_fmi_status (*set_debug_logging)(void *c, int on, size_t n,
                                            const char *const *category);
    void *(*instantiate)(const char *instance, enum tt_fmi2_type type,
                         const char *guid, const char *resources,
                         const struct tt_fmi2_callbacks *callbacks, int visible,
                         int logging);
    enum tt_fmi_status (*setup_experiment)(void *c, int has_tolerance,
                                           double tolerance, double start,
                                           int has_stop, double stop);
    enum tt_fmi_status (*enter_initialization)(void *c);
    enum tt_fmi_status (*get_real)(void *c, const uint32_t *vr, size_t n,
                                   double *value);
    enum tt_fmi_status (*get_integer)(void *c, const uint32_t *vr, size_t n,
                                      int *value);
    enum tt_fmi_status (*get_boolean)(void *c, const uint32_t *vr, size_t n,
                                      int *value);
    enum tt_fmi_status (*get_string)(void *c, const uint32_t *vr, size_t n,
                                     const char **value);
    enum tt_fmi_status (*set_real)(void *c, const uint32_t *vr, size_t n,
                                   const double *value);
    enum tt_fmi_status (*set_integer)(void *c, const uint32_t *vr, size_t n,
                                      const int *value);
    enum tt_fmi_status (*set_boolean)(void *c, const uint32_t *vr, size_t n,
                                      const int *value);
    enum tt_fmi_status (*set_string)(void *c, const uint32_t *vr, size_t n,
                                     const char *const *value);
    enum tt_fmi_status (*get_directional_derivative)(
        void *c, const uint32_t *unknown, size_t unknown_n,
        const uint32_t *known, size_t known_n, const double *d_known,
        double *d_unknown);
    enum tt_fmi_status (*set_real_input_derivatives)(void *c,
                                                     const uint32_t *vr,
                                                     size_t n, const int *order,
                                                     const double *value);
    enum tt_fmi_status (*get_real_output_derivatives)(
        void *c, const uint32_t *vr, size_t n, const int *order, double *value);
    enum tt_fmi_status (*do_step)(void *c, double now, double step,
                                  int no_set_state_prior);
    enum tt_fmi_status (*get_status)(void *c, enum tt_fmi2_status_kind kind,
                                     enum tt_fmi_status *value);
    enum tt_fmi_status (*get_real_status)(void *c,
                                          enum tt_fmi2_status_kind kind,
                                          double *value);
    enum tt_fmi_status (*get_boolean_status)(void *c,
                                             enum tt_fmi2_status_kind kind,
                                             int *value);
    enum tt_fmi_status (*completed_step)(void *c, int no_set_state_prior,
                                         int *enter_event, int *terminate);
    enum tt_fmi_status (*new_discrete_states)(void *c,
                                              struct tt_fmi2_event_info *info);
    /* An extension, not in the standard: the largest step accepted now. */
    enum tt_fmi_status (*get_max_step_size)(void *c, double *step);
};

/* Look up every function. Fails, naming all that are missing, when one is not
 * there that the interface requires. The extension is found under any of its
 * spellings. */
TT_NODISCARD enum tt_code tt_fmi2_bind(tt_lib *lib, enum tt_fmi_face face,
                                       struct tt_fmi2_fns *fns, tt_err *err);

#endif
