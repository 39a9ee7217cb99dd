/* SPDX-License-Identifier: MIT */
#ifndef fmi2Functions_h
#define fmi2Functions_h

/* In a shared library the names have no prefix: FMI2_FUNCTION_PREFIX is not
 * used. */

#include "fmi2FunctionTypes.h"

#define fmi2Version              "2.0"
#define FMI2_Export              __attribute__((visibility("default")))
#define fmi2FullName(name)       name
#define FMI2_DECLARE(r, name, a) FMI2_Export name##TYPE name;

#ifdef __cplusplus
extern "C" {
#endif
FMI2_FUNCTIONS(FMI2_DECLARE)
#ifdef __cplusplus
}
#endif

#endif
