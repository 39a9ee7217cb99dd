/* SPDX-License-Identifier: MIT */
/* Preloaded: whoever opens a file *.h5 for reading does what $HOSTILE says, as
 * a library might that a file made for it has taken over. */
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

static int pass_on(const char *name, const char *path, int flags, va_list more)
{
    open_fn real;
    void *found = dlsym(RTLD_NEXT, name);

    memcpy(&real, &found, sizeof(real));
    if ((flags & O_ACCMODE) == O_RDONLY)
        act(path);
    return flags & O_CREAT ? real(path, flags, va_arg(more, mode_t))
                           : real(path, flags);
}

int open(const char *path, int flags, ...)
{
    va_list more;
    int fd;

    va_start(more, flags);
    fd = pass_on("open", path, flags, more);
    va_end(more);
    return fd;
}

int open64(const char *path, int flags, ...)
{
    va_list more;
    int fd;

    va_start(more, flags);
    fd = pass_on("open64", path, flags, more);
    va_end(more);
    return fd;
}
