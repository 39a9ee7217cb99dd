/* SPDX-License-Identifier: MIT */
#ifndef TT_BASE_ERR_H
#define TT_BASE_ERR_H

/* Errors with context.
 *
 * A fallible function returns enum tt_code and takes `tt_err *err` last. err
 * may be NULL and is untouched on success. The deepest frame states the fact
 * with tt_fail(); each frame above adds what only it knows with tt_context(),
 * so that the message reads from the outside in:
 *
 *     instance '{t}.tank' (fmi2): step at t=1.25: fmi2DoStep returned fmi2Error
 *
 * tt_err is fixed storage: reporting "out of memory" cannot fail. Messages
 * have no newline and no trailing period, and quote names.
 */

#include <stdarg.h>
#include <stddef.h>

#if defined(__GNUC__)
#define TT_NODISCARD       __attribute__((warn_unused_result))
#define TT_PRINTF(fmt, va) __attribute__((format(printf, fmt, va)))
#define TT_NORETURN        __attribute__((noreturn))
#define TT_LIKELY(x)       (__builtin_expect(!!(x), 1) != 0)
#define TT_TLS_NEAR        __attribute__((tls_model("initial-exec")))
#define TT_UNLIKELY(x)     (__builtin_expect(!!(x), 0) != 0)
#define TT_COLD            __attribute__((cold, noinline))
#else
#define TT_NODISCARD
#define TT_PRINTF(fmt, va)
#define TT_NORETURN
#define TT_LIKELY(x) (x)
#define TT_TLS_NEAR
#define TT_UNLIKELY(x) (x)
#define TT_COLD
#endif

/* Add a code only when a caller would act differently. */
enum tt_code {
    TT_OK,
    TT_ENOMEM,
    TT_EINPUT, /* the user's file, name, value, option */
    TT_EIO,    /* the machine: disk full, no permission */
    TT_EUNIT,  /* a unit returned an error */
    TT_EUNSUPPORTED,
    TT_ESTATE,   /* not allowed in this state */
    TT_ESTOPPED, /* asked to stop by an observer or the user */
    TT_ECRASH,   /* a process died */
};

#define TT_ERR_MAX 2048

/* What a problem is at, for callers that show it there: a place in a file, a
 * unit, a variable of it. Empty and 0: not known. */
struct tt_spot {
    char file[512];
    size_t line, column; /* from 1 */
    char unit[256];      /* "{key}.instance" */
    char port[256];
};
void tt_spot_at(struct tt_spot *p, const char *file, size_t line,
                size_t column);
/* NULL: not known. A name that is too long is not known either. */
void tt_spot_of(struct tt_spot *p, const char *unit, const char *port);

typedef struct tt_err {
    enum tt_code code;
    struct tt_spot place;
    int sys; /* errno, where the system refused something; else 0 */
    char msg[TT_ERR_MAX]; /* complete enough to show as it is */
} tt_err;

/* State a fact. Replaces whatever err held; its place is not known. Returns
 * code. */
TT_PRINTF(3, 4)
enum tt_code tt_fail(tt_err *err, enum tt_code code, const char *fmt, ...);
TT_PRINTF(3, 0)
enum tt_code tt_vfail(tt_err *err, enum tt_code code, const char *fmt,
                      va_list ap);

/* For the static analyzer, which cannot see that the code comes back. */
#ifdef __clang_analyzer__
#define tt_fail(err, code, ...) ((tt_fail)((err), (code), __VA_ARGS__), (code))
#endif

/* "what: out of memory"; what may be NULL. Returns TT_ENOMEM. */
static inline enum tt_code tt_nomem(tt_err *err, const char *what)
{
    return tt_fail(err, TT_ENOMEM, "%s%sout of memory", what ? what : "",
                   what ? ": " : "");
}

/* Put "context: " before the message in err. Returns code. */
TT_PRINTF(3, 4)
enum tt_code tt_context(tt_err *err, enum tt_code code, const char *fmt, ...);

/* The end of making something: it is *out, or what there is of it is freed.
 * Answers rc. */
#define TT_HAND_OVER(rc, out, made, free_fn)                                   \
    ((rc) == TT_OK ? (void)(*(out) = (made)) : (free_fn)(made), (rc))
/* The same for what is not allocated itself. */
#define TT_HAND_OVER_VALUE(rc, out, made, fini_fn)                             \
    ((rc) == TT_OK ? (void)(*(out) = (made)) : (fini_fn)(&(made)), (rc))

/* TT_ASSERT is for our own mistakes and is on in every build; what a user, a
 * file, a peer or a unit can make false is an error instead. */
#define TT_ASSERT(cond)                                                        \
    ((cond) ? (void)0 : tt_assert_failed(#cond, __FILE__, __LINE__, __func__))
TT_NORETURN void tt_assert_failed(const char *cond, const char *file, int line,
                                  const char *func);

#endif
