/* SPDX-License-Identifier: MIT */
/* Preloaded: when the HDF5 library opens a file *.h5 for reading, it does what
 * $HOSTILE says, as it might if the file was made to take it over. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

typedef int (*open_fn)(const char *, int, ...);

static int is_hdf5(void *caller)
{
    Dl_info info;

    return dladdr(caller, &info) && info.dli_fname &&
           strstr(info.dli_fname, "hdf5");
}

static void act(const char *path)
{
    const char *what = getenv("HOSTILE"), *victim = getenv("VICTIM");
    size_t n = strlen(path);

    if (!what || n < 3 || strcmp(path + n - 3, ".h5") != 0)
        return;
    if (strcmp(what, "crash") == 0)
        (void)raise(SIGSEGV);
    if (strcmp(what, "exit") == 0)
        _exit(0);
    if (strcmp(what, "kill") == 0)
        (void)kill(getppid(), SIGKILL);
    if (strcmp(what, "write") == 0 && victim)
        (void)!truncate(victim, 0);
}

static int pass_on(const char *name, void *caller, const char *path, int flags,
                   va_list more)
{
    open_fn real;
    void *found = dlsym(RTLD_NEXT, name);

    memcpy(&real, &found, sizeof(real));
    if ((flags & O_ACCMODE) == O_RDONLY && is_hdf5(caller))
        act(path);
    return flags & O_CREAT ? real(path, flags, va_arg(more, mode_t))
                           : real(path, flags);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    int fd;

    va_start(more, flags);
    fd = pass_on("open", __builtin_return_address(0), path, flags, more);
    va_end(more);
    return fd;
}

int open64(const char *path, int flags, ...)
{
    va_list more;
    int fd;

    va_start(more, flags);
    fd = pass_on("open64", __builtin_return_address(0), path, flags, more);
    va_end(more);
    return fd;
}
