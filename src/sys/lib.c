/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* RTLD_DEEPBIND */
#include "sys/lib.h"

#include <dlfcn.h>
#include <fenv.h>
#include <string.h>

#include "base/mem.h"
#include "sys/file.h"

/* Sanitizers refuse RTLD_DEEPBIND: it would hide their own functions. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define TT_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define TT_SANITIZED 1
#endif
#endif

#if defined(TT_SANITIZED) || !defined(RTLD_DEEPBIND)
#define DEEPBIND 0
#else
#define DEEPBIND RTLD_DEEPBIND
#endif

struct tt_lib {
    void *handle; /* owned */
    int shared;   /* the system's own: others may have loaded it, too */
};

/* --- floating-point mode ----------------------------------------------- */

_Static_assert(sizeof(fenv_t) <= sizeof(struct tt_fpmode),
               "tt_fpmode is too small for this platform");

/* fenv_t is more than ISO C says: with glibc it holds all of MXCSR (or FPCR),
 * so flush-to-zero and denormals-are-zero are in it. */

void tt_fpmode_save(struct tt_fpmode *m)
{
    fenv_t env;

    fegetenv(&env);
    *m = (struct tt_fpmode){{0}};
    memcpy(m->bytes, &env, sizeof(env));
}

void tt_fpmode_restore(const struct tt_fpmode *m)
{
    fenv_t env;

    memcpy(&env, m->bytes, sizeof(env));
    fesetenv(&env);
}

/* --- libraries --------------------------------------------------------- */

/* The loader says "path: reason"; our message names the path already. */
static const char *reason(const char *path)
{
    const char *why = dlerror();
    size_t n = strlen(path);

    if (!why)
        return "unknown reason";
    if (strncmp(why, path, n) == 0 && strncmp(why + n, ": ", 2) == 0)
        return why + n + 2;
    return why;
}

static void *load(const char *path)
{
    void *handle;

    /* Stays loaded. Where there is no such file, libm is part of libc. */
    (void)dlopen("libm.so.6", RTLD_NOW | RTLD_GLOBAL);
    handle = dlopen(path, RTLD_NOW | RTLD_LOCAL | DEEPBIND);
    if (!handle)
        handle = dlopen(path, RTLD_LAZY | RTLD_LOCAL | DEEPBIND);
    return handle;
}

static void *load_system(const char *name)
{
    return dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

/* `name` is as the caller wrote it, `at` what the loader gets. */
static enum tt_code open_with(tt_lib **lib, void *(*loader)(const char *),
                              const char *name, const char *at, tt_err *err)
{
    struct tt_fpmode mode;
    tt_lib *l;

    if (!at || !TT_NEW(l))
        return tt_fail(err, TT_ENOMEM, "cannot load %s: out of memory", name);
    tt_fpmode_save(&mode);
    l->handle = loader(at);
    tt_fpmode_restore(&mode);
    if (!l->handle) {
        tt_free(l);
        return tt_fail(err, TT_EINPUT, "cannot load %s: %s", name, reason(at));
    }
    *lib = l;
    return TT_OK;
}

enum tt_code tt_lib_open(tt_lib **lib, const char *path, tt_err *err)
{
    char *full = tt_path_absolute(path); /* a bare name would be searched for */
    enum tt_code rc = open_with(lib, load, path, full, err);

    tt_free(full);
    return rc;
}

enum tt_code tt_lib_find(tt_lib **lib, const char *name, tt_err *err)
{
    enum tt_code rc = open_with(lib, load_system, name, name, err);

    if (rc == TT_OK)
        (*lib)->shared = 1;
    return rc;
}

void tt_lib_close(tt_lib *lib)
{
    struct tt_fpmode mode;

    if (!lib)
        return;
    tt_fpmode_save(&mode);
    if (lib->handle)
        dlclose(lib->handle);
    tt_fpmode_restore(&mode);
    tt_free(lib);
}

int tt_lib_get(tt_lib *lib, const char *name, void *fn_ptr, size_t size)
{
    /* A program that links the same library may have copied its variables
     * into itself: look where the library does. */
    void *address = lib->shared ? dlsym(RTLD_DEFAULT, name) : NULL;

    if (!address)
        address = dlsym(lib->handle, name);
    TT_ASSERT(size == sizeof(address));
    memcpy(fn_ptr, &address, size);
    return address ? 0 : -1;
}

/* --- names of this platform -------------------------------------------- */

#if defined(__linux__) && defined(__x86_64__)
#define FMI2 "linux64"
#define FMI3 "x86_64-linux"
#elif defined(__linux__) && defined(__aarch64__)
#define FMI2 "linux64" /* FMI 2 has no name for it; exporters use this one */
#define FMI3 "aarch64-linux"
#else
#error "name this platform as FMI archives do"
#endif

const char *tt_platform_fmi2(void)
{
    return FMI2;
}

const char *tt_platform_fmi3(void)
{
    return FMI3;
}

const char *tt_platform_lib_suffix(void)
{
    return ".so";
}
