/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE /* SOCK_CLOEXEC, posix_spawn_file_actions_addchdir_np */
#include "python_link.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define THEIR_FD 3
#define MOST     ((uint32_t)1 << 30) /* bytes of an answer */

extern char **environ;

/* --- bytes -------------------------------------------------------------- */

static char *room(struct py_bytes *b, size_t n)
{
    if (n > b->cap - b->n) {
        size_t cap = b->cap * 2 > b->n + n ? b->cap * 2 : b->n + n;
        char *data = realloc(b->data, cap);

        if (!data) {
            b->failed = 1;
            return NULL;
        }
        b->data = data;
        b->cap = cap;
    }
    b->n += n;
    return b->data + b->n - n;
}

void py_put(struct py_bytes *b, const void *data, size_t n)
{
    char *at = n ? room(b, n) : NULL;

    if (at)
        memcpy(at, data, n);
}

void py_put_text(struct py_bytes *b, const char *text)
{
    uint32_t n = (uint32_t)strlen(text ? text : "");

    py_put(b, &n, sizeof(n));
    py_put(b, text, n);
}

/* --- the process -------------------------------------------------------- */

/* The one of the environment, or the first on PATH. */
static const char *interpreter(void)
{
    const char *given = getenv("TUTTI_PYTHON");

    return given && *given ? given : "python3";
}

static int start(struct py_link *l, int theirs, const char *folder)
{
    char *argv[] = {(char *)(uintptr_t)interpreter(), (char[]){"main.py"},
                    NULL};
    posix_spawn_file_actions_t actions;
    int e = posix_spawn_file_actions_init(&actions);

    if (e)
        return e;
    e = posix_spawn_file_actions_addchdir_np(&actions, folder);
    if (!e)
        e = posix_spawn_file_actions_adddup2(&actions, theirs, THEIR_FD);
    if (!e)
        e = posix_spawnp(&l->pid, argv[0], &actions, NULL, argv, environ);
    (void)posix_spawn_file_actions_destroy(&actions);
    return e;
}

int py_link_open(struct py_link *l, const char *folder)
{
    int fd[2], e;

    *l = (struct py_link){.fd = -1};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, fd) != 0) {
        (void)snprintf(l->why, sizeof(l->why), "no socket: %s",
                       strerror(errno));
        return -1;
    }
    e = start(l, fd[1], folder);
    (void)close(fd[1]);
    if (e) {
        (void)close(fd[0]);
        (void)snprintf(l->why, sizeof(l->why), "cannot start '%s': %s",
                       interpreter(), strerror(e));
        return -1;
    }
    l->fd = fd[0];
    return 0;
}

/* It ends by itself when the socket is closed. */
void py_link_close(struct py_link *l)
{
    if (l->fd >= 0)
        (void)close(l->fd);
    if (l->pid > 0)
        while (waitpid(l->pid, NULL, 0) < 0 && errno == EINTR)
            continue;
    free(l->out.data);
    free(l->in.data);
    *l = (struct py_link){.fd = -1};
}

/* Without a process there is nothing to ask. */
static int gone(struct py_link *l)
{
    int status = 0;

    if (l->fd >= 0)
        (void)close(l->fd);
    l->fd = -1;
    while (l->pid > 0 && waitpid(l->pid, &status, 0) < 0 && errno == EINTR)
        continue;
    if (l->pid > 0 && WIFSIGNALED(status))
        (void)snprintf(l->why, sizeof(l->why),
                       "its Python process was ended by signal %d",
                       WTERMSIG(status));
    else if (l->pid > 0)
        (void)snprintf(l->why, sizeof(l->why),
                       "its Python process ended (exit code %d)",
                       WEXITSTATUS(status));
    l->pid = 0;
    return 2;
}

/* --- requests ----------------------------------------------------------- */

size_t py_begin(struct py_link *l, char op)
{
    const uint32_t none = 0;

    py_put(&l->out, &op, 1);
    py_put(&l->out, &none, sizeof(none));
    return l->out.n;
}

void py_end(struct py_link *l, size_t began)
{
    uint32_t n = (uint32_t)(l->out.n - began);

    if (!l->out.failed)
        memcpy(l->out.data + began - sizeof(n), &n, sizeof(n));
}

static int send_all(int fd, const char *data, size_t n)
{
    while (n > 0) {
        ssize_t k = send(fd, data, n, MSG_NOSIGNAL);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return -1;
        data += k;
        n -= (size_t)k;
    }
    return 0;
}

static int receive_all(int fd, char *data, size_t n)
{
    while (n > 0) {
        ssize_t k = recv(fd, data, n, 0);

        if (k < 0 && errno == EINTR)
            continue;
        if (k <= 0)
            return -1;
        data += k;
        n -= (size_t)k;
    }
    return 0;
}

static int receive(struct py_link *l, char *failed)
{
    uint32_t n = 0;
    char *body;

    if (receive_all(l->fd, failed, 1) || receive_all(l->fd, (char *)&n, 4))
        return -1;
    l->in.n = 0;
    body = n <= MOST ? room(&l->in, n + 1u) : NULL;
    if (!body || receive_all(l->fd, body, n))
        return -1;
    body[n] = '\0'; /* a text may be read as it is */
    l->in.n = n;
    return 0;
}

int py_ask(struct py_link *l)
{
    char failed = 0;

    if (l->fd < 0)
        return 2;
    if (l->out.failed || send_all(l->fd, l->out.data, l->out.n) ||
        receive(l, &failed)) {
        l->out.n = 0;
        return gone(l);
    }
    l->out.n = 0;
    if (failed)
        (void)snprintf(l->why, sizeof(l->why), "%s", l->in.data);
    return failed != 0;
}
