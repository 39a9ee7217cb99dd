/* SPDX-License-Identifier: MIT */
#ifndef TT_FMI_FMI_H
#define TT_FMI_FMI_H

/* What the C interfaces of all versions of FMI have alike. */

#include <stddef.h>

/* The numbers are the same in every version; FMI 3 has nothing pending. */
enum tt_fmi_status {
    TT_FMI_OK,
    TT_FMI_WARNING,
    TT_FMI_DISCARD,
    TT_FMI_ERROR,
    TT_FMI_FATAL,
    TT_FMI_PENDING,
};

/* "fmi2Error"; s may be any number. */
const char *tt_fmi_status_name(int version, enum tt_fmi_status s);

/* Interfaces of an FMU; bits, since functions may be needed by several. */
enum tt_fmi_face {
    TT_FMI_CS = 1 << 0,
    TT_FMI_ME = 1 << 1,
    TT_FMI_SE = 1 << 2, /* scheduled execution: FMI 3 */
};

/* Model exchange, as far as all versions have it alike. */
struct tt_fmi_me_fns {
    enum tt_fmi_status (*enter_event)(void *c);
    enum tt_fmi_status (*enter_continuous)(void *c);
    enum tt_fmi_status (*set_time)(void *c, double t);
    enum tt_fmi_status (*set_states)(void *c, const double *x, size_t n);
    enum tt_fmi_status (*get_states)(void *c, double *x, size_t n);
    enum tt_fmi_status (*get_derivatives)(void *c, double *dx, size_t n);
    enum tt_fmi_status (*get_indicators)(void *c, double *z, size_t n);
    enum tt_fmi_status (*get_nominals)(void *c, double *x, size_t n);
};

/* First in the table of functions of each version. Instances and states are
 * the FMU's own. Optional functions are NULL when the library has none. */
struct tt_fmi_fns {
    void (*free_instance)(void *c);
    enum tt_fmi_status (*exit_initialization)(void *c);
    enum tt_fmi_status (*terminate)(void *c);
    enum tt_fmi_status (*reset)(void *c);
    enum tt_fmi_status (*get_state)(void *c, void **state);
    enum tt_fmi_status (*set_state)(void *c, void *state);
    enum tt_fmi_status (*free_state)(void *c, void **state);
    enum tt_fmi_status (*serialized_state_size)(void *c, void *state,
                                                size_t *size);
    enum tt_fmi_status (*serialize_state)(void *c, void *state, void *bytes,
                                          size_t size);
    enum tt_fmi_status (*deserialize_state)(void *c, const void *bytes,
                                            size_t size, void **state);
    struct tt_fmi_me_fns me;
};

#endif
