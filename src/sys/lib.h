/* SPDX-License-Identifier: MIT */
#ifndef TT_SYS_LIB_H
#define TT_SYS_LIB_H

/* Foreign shared libraries.
 *
 * Opened local and deep-bound (many FMUs define the same global symbols, and
 * some carry a copy of a library we use), at once, and lazily when that fails
 * (some name symbols that do not exist). libm is made available first: many use
 * it without linking it. The floating-point mode of the calling thread is the
 * same afterwards: a library built with -ffast-math changes it at load. With
 * AddressSanitizer deep binding is left out, because the two exclude each
 * other. */

#include <stddef.h>

#include "base/err.h"

typedef struct tt_lib tt_lib;

TT_NODISCARD enum tt_code tt_lib_open(tt_lib **lib, const char *path,
                                      tt_err *err);
/* One of the system's own, by name ("libhdf5.so.103"). */
TT_NODISCARD enum tt_code tt_lib_find(tt_lib **lib, const char *name,
                                      tt_err *err);
void tt_lib_close(tt_lib *lib); /* accepts NULL */

/* Put a function's address into a function pointer, bytewise because ISO C has
 * no such cast: tt_lib_get(lib, "f", &fn, sizeof(fn)). Returns 0, or -1 when
 * the library has no such symbol; then fn is NULL. */
int tt_lib_get(tt_lib *lib, const char *name, void *fn_ptr, size_t size);

/* Floating-point environment (rounding, flush-to-zero) around calls into
 * foreign code that may change it: load and instantiate. */
struct tt_fpmode {
    unsigned char bytes[64];
};
void tt_fpmode_save(struct tt_fpmode *m);
void tt_fpmode_restore(const struct tt_fpmode *m);

/* The name of this platform in archives: "linux64" (FMI 1 and 2) or
 * "x86_64-linux" (FMI 3), and the file name ending ".so". */
const char *tt_platform_fmi2(void);
const char *tt_platform_fmi3(void);
const char *tt_platform_lib_suffix(void);

#endif
