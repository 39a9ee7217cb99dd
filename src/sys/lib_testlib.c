/* SPDX-License-Identifier: MIT */
/* A foreign library, for lib_test.c. CMake builds it several times:
 *
 *   WHICH=n        what test_which() answers, by way of a global function that
 *                  other libraries and the program also have
 *   FAST_MATH      changes the floating-point mode when loaded, as a library
 *                  linked with -ffast-math does
 *   MISSING        calls a function that does not exist
 *   UNIQUE         has a variable that exists once in a process
 */
#ifdef FAST_MATH
#include <fenv.h>
#include <xmmintrin.h>

__attribute__((constructor)) static void loaded(void)
{
    fesetround(FE_UPWARD);
    _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, denormals are zero */
}

__attribute__((destructor)) static void unloaded(void)
{
    _mm_setcsr(_mm_getcsr() | 0x8040);
}
#endif

#define EXPORT __attribute__((visibility("default")))

EXPORT int test_global(void);
EXPORT int test_which(void);

int test_global(void)
{
    return WHICH;
}

int test_which(void)
{
    return test_global();
}

/* libm is not linked. */
double fmod(double x, double y);
EXPORT double test_libm(double x);

double test_libm(double x)
{
    return fmod(x, 4.0);
}

#ifdef MISSING
int test_no_library_has_this(void);
EXPORT int test_missing(void);

int test_missing(void)
{
    return test_no_library_has_this();
}
#endif

#ifdef UNIQUE
EXPORT extern int test_once;
int test_once;
__asm__(".type test_once, @gnu_unique_object");
#endif
