/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* RTLD_DEEPBIND */
#include "sys/lib.h"

#include <dlfcn.h>
#include <fenv.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "sys/elf.h"
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

/* fenv_t is more than ISO C states: with glibc it holds all of MXCSR (or FPCR),
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

/* The loader states "path: reason"; our message names the path already. */
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

/* Libraries that a library wants and that are not found. */
struct missing {
    char *dir; /* of the library: what it brings along is in there */
    struct tt_buf names;
    unsigned n, depth;
};

#define DEPTH_MAX 8u

static const char *hint(const char *name)
{
    if (strncmp(name, "libgfortran", 11) == 0)
        return " (of an older Fortran compiler: install it beside the newer "
               "one)";
    if (strncmp(name, "libpython", 9) == 0)
        return " (of that version of Python: install it, or name it in "
               "LD_PRELOAD)";
    if (strncmp(name, "libjvm", 6) == 0)
        return " (of a Java runtime: add its lib/server to LD_LIBRARY_PATH)";
    return "";
}

static void add_missing(struct missing *m, const char *name, size_t n)
{
    char quoted[300];

    if (n > 250)
        return;
    (void)snprintf(quoted, sizeof(quoted), "'%.*s'", (int)n, name);
    if (m->names.data && strstr(m->names.data, quoted))
        return;
    quoted[n + 1] = '\0';
    tt_buf_fmt(&m->names, "%s'%s'%s", m->n++ ? ", " : "", quoted + 1,
               hint(quoted + 1));
}

/* Alone it is looked for as the loader would have, or beside the library. */
static void look_for(void *ctx, const char *name)
{
    static const char lacks[] = ": cannot open shared object file";
    struct missing *m = ctx;
    char *beside = tt_path_join(m->dir, name);
    void *handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    const char *why = handle ? NULL : dlerror();
    const char *end = why ? strstr(why, lacks) : NULL;

    if (handle)
        dlclose(handle);
    else if (beside && tt_file_exists(beside) && m->depth < DEPTH_MAX) {
        m->depth++;
        (void)tt_elf_needed(beside, look_for, m);
        m->depth--;
    } else if (end)
        add_missing(m, why, (size_t)(end - why));
    tt_free(beside);
}

/* All of them at once, not one after the other. 0: that is not why it cannot be
 * loaded. */
static int name_missing(const char *path, struct missing *m)
{
    m->dir = tt_path_dir(path);
    tt_buf_init(&m->names, TT_ERR_MAX / 2);
    if (m->dir)
        (void)tt_elf_needed(path, look_for, m);
    return m->n && !m->names.failed;
}

static enum tt_code cannot_load(const char *name, const char *path, tt_err *err)
{
    struct missing m = {0};
    char why[500];
    enum tt_code rc;

    (void)snprintf(why, sizeof(why), "%s", reason(path));
    if (name_missing(path, &m))
        rc = tt_fail(err, TT_EINPUT,
                     "cannot load %s: the librar%s %s %s missing here", name,
                     m.n == 1 ? "y" : "ies", m.names.data,
                     m.n == 1 ? "is" : "are");
    else
        rc = tt_fail(err, TT_EINPUT, "cannot load %s: %s", name, why);
    tt_buf_fini(&m.names);
    tt_free(m.dir);
    return rc;
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
        return cannot_load(name, at, err);
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
