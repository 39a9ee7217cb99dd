/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* pipe2, F_SETSIG */
#include "sys/lifeline.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

/* One pipe for all copies of a process; a copy that makes copies itself has
 * another. */
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;
static int line[2] = {-1, -1};
static pid_t owner;

int tt_lifeline_give(void)
{
    int fd;

    pthread_mutex_lock(&making);
    if (owner != getpid()) {
        if (owner) { /* what we were copied from shall not live on in us */
            close(line[0]);
            close(line[1]);
        }
        owner = pipe2(line, O_CLOEXEC) == 0 ? getpid() : 0;
    }
    fd = owner ? line[0] : -1;
    pthread_mutex_unlock(&making);
    return fd;
}

/* Opened anew, because which process it notifies is a matter of the open file,
 * which would be one for all copies. */
int tt_lifeline_take(int given)
{
    char path[40];
    int fd;

    if (given < 0)
        return -1;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", given);
    fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return -1;
    if (fcntl(fd, F_SETSIG, SIGKILL) == 0 &&
        fcntl(fd, F_SETOWN, getpid()) == 0 &&
        fcntl(fd, F_SETFL, O_ASYNC | O_NONBLOCK) == 0)
        return fd;
    close(fd);
    return -1;
}
