/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_FMI1_H
#define TT_FMI_FMI1_H

/* The C interface of FMI 1.0 for Co-Simulation and Model Exchange, in our own
 * words. Real and
 * Integer are those of FMI 2, Boolean is a char. Functions carry the model
 * identifier and '_' before their names. */

#include "fmi/fmi2.h"

/* Those of co-simulation; of model exchange are the first alone. Passed by
 * value. The logger's first argument is the FMU's instance, of which nothing is
 * known while it is being made. */
struct tt_fmi1_callbacks {
    struct tt_fmi_callbacks of;
    void (*step_finished)(void *c, enum tt_fmi_status status);
};

/* What an event came to. */
struct tt_fmi1_event_info {
    char converged, references_changed, values_changed, terminate, upcoming;
    double next;
};

/* The functions of a library, for one interface. */
struct tt_fmi1_fns {
    /* Those of the shape they have in FMI 2, in which the others are NULL. */
    struct tt_fmi2_fns like2;
    /* timeout in milliseconds; 0: wait for ever. */
    void *(*instantiate)(const char *instance, const char *guid,
                         const char *location, const char *mime, double timeout,
                         char visible, char interactive,
                         struct tt_fmi1_callbacks callbacks, char logging);
    void *(*instantiate_model)(const char *instance, const char *guid,
                               struct tt_fmi_callbacks callbacks, char logging);
    enum tt_fmi_status (*initialize)(void *c, double start, char has_stop,
                                     double stop);
    enum tt_fmi_status (*initialize_model)(void *c, char has_tolerance,
                                           double tolerance,
                                           struct tt_fmi1_event_info *info);
    enum tt_fmi_status (*set_debug_logging)(void *c, char on);
    enum tt_fmi_status (*get_boolean)(void *c, const uint32_t *vr, size_t n,
                                      char *value);
    enum tt_fmi_status (*set_boolean)(void *c, const uint32_t *vr, size_t n,
                                      const char *value);
    enum tt_fmi_status (*do_step)(void *c, double now, double step,
                                  char new_step);
    enum tt_fmi_status (*completed_step)(void *c, char *event);
    /* With `intermediate` after each round, else when nothing changes. */
    enum tt_fmi_status (*event_update)(void *c, char intermediate,
                                       struct tt_fmi1_event_info *info);
    enum tt_fmi_status (*get_state_references)(void *c, uint32_t *vr, size_t n);
};

/* Look up every function of an interface: "<identifier>_fmiDoStep", or plain
 * "fmiDoStep". Fails, naming all that are missing, when a required one is not
 * there. */
TT_NODISCARD enum tt_code tt_fmi1_bind(tt_lib *lib, enum tt_fmi_face face,
                                       const char *identifier,
                                       struct tt_fmi1_fns *fns, tt_err *err);

#endif
