/* SPDX-License-Identifier: MIT */
#ifndef fmi3Functions_h
#define fmi3Functions_h

/* In a shared library the names have no prefix: FMI3_FUNCTION_PREFIX is not
 * used. */

#include "fmi3FunctionTypes.h"

#define fmi3Version              "3.0"
#define FMI3_Export              __attribute__((visibility("default")))
#define fmi3FullName(name)       name
#define FMI3_DECLARE(r, name, a) FMI3_Export name##TYPE name;

#ifdef __cplusplus
extern "C" {
#endif
FMI3_FUNCTIONS(FMI3_DECLARE)
#ifdef __cplusplus
}
#endif

#endif
