/* SPDX-License-Identifier: MIT */
/* A unit that does `what` in the first step that ends at or after `when`, and
 * fails with the system's words where it is refused: 0 nothing, 1 allocate
 * without end and not look, 2 the same and look, 3 ask for too much at once,
 * 4 write to `path`, 5 fill `path`, or a temporary file if it is empty,
 * 6 connect to `port` on this machine, 7 start a shell that writes to `path`,
 * 8 signal its parent, 9 use the processor without end, 10 crash,
 * 11 all that is allowed: threads, temporary files, reading `path`,
 * 12 let a shell do `path`. */
#define _GNU_SOURCE

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tutti_kit.h"

enum what {
    NOTHING,
    ALLOCATE,
    ALLOCATE_AND_LOOK,
    TOO_MUCH,
    WRITE,
    FILL,
    CONNECT,
    SHELL,
    SIGNAL,
    BURN,
    CRASH,
    BEHAVE,
    COMMAND,
};

struct trespass {
    double y, when;
    int32_t what, port;
    char path[4096];
};

static const struct tutti_var vars[] = {
    TUTTI_STATE(struct trespass, y, .start = 0, .description = "the time"),
    TUTTI_INTEGER_PARAMETER(struct trespass, what, .max = COMMAND),
    TUTTI_INTEGER_PARAMETER(struct trespass, port, .max = 65535),
    TUTTI_REAL_PARAMETER(struct trespass, when, .unit = "s", .start = 1),
    TUTTI_VAR(struct trespass, path, TUTTI_STRING, TUTTI_PARAMETER, .text = ""),
};

static void derivatives(void *model, double t, double *dx)
{
    (void)model;
    (void)t;
    dx[0] = 1;
}

#define BLOCK ((size_t)1 << 20)

static void allocate(struct trespass *m, int look)
{
    for (size_t n = 0;; n++) {
        char *p = malloc(BLOCK);

        if (!p && look) {
            tutti_fail(m, "no memory");
            return;
        }
        memset(p, 1, BLOCK); /* NULL, if nobody looks */
    }
}

/* More than any limit, but not than the machine reserves. */
static void too_much(void)
{
    volatile char *p = malloc((size_t)1 << 32);

    p[0] = 1;
}

static void write_file(struct trespass *m)
{
    int fd = open(m->path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    if (fd < 0 || write(fd, "x", 1) != 1)
        tutti_fail(m, "cannot write %s: %s", m->path, strerror(errno));
    if (fd >= 0)
        close(fd);
}

#define ENOUGH ((size_t)64 << 20)

static void fill(struct trespass *m)
{
    static const char block[65536];
    FILE *f = m->path[0] ? fopen(m->path, "w") : tmpfile();
    int fd = f ? fileno(f) : -1;

    for (size_t n = 0; f && n < ENOUGH; n += sizeof(block))
        if (write(fd, block, sizeof(block)) != (ssize_t)sizeof(block)) {
            tutti_fail(m, "the disk is full at %zu bytes: %s", n,
                       strerror(errno));
            break;
        }
    if (!f)
        tutti_fail(m, "cannot open: %s", strerror(errno));
    else
        (void)fclose(f);
}

static void call_home(struct trespass *m)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons((uint16_t)m->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    if (fd < 0 || connect(fd, (struct sockaddr *)&to, sizeof(to)) != 0)
        tutti_fail(m, "cannot connect: %s", strerror(errno));
    if (fd >= 0)
        close(fd);
}

static void start_shell(struct trespass *m, const char *command)
{
    int status = 0;
    pid_t pid = fork();

    if (pid == 0) {
        execl("/bin/sh", "sh", "-c", command, m->path, (char *)NULL);
        _exit(126);
    }
    if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
        tutti_fail(m, "the shell said %d", WEXITSTATUS(status));
}

static void *touch(void *x)
{
    *(int *)x = 1;
    return x;
}

static void behave(struct trespass *m)
{
    char name[5000];
    const char *temp = getenv("TMPDIR");
    FILE *f = fopen(m->path, "r");
    pthread_t t;
    int x = 0;

    if (!f || fgetc(f) == EOF)
        tutti_fail(m, "cannot read %s: %s", m->path, strerror(errno));
    if (f)
        (void)fclose(f);
    (void)snprintf(name, sizeof(name), "%s/mine", temp ? temp : "/tmp");
    f = fopen(name, "w");
    if (!f || fclose(f) != 0 || remove(name) != 0)
        tutti_fail(m, "cannot use %s: %s", name, strerror(errno));
    if (pthread_create(&t, NULL, touch, &x) != 0 || pthread_join(t, NULL) != 0)
        tutti_fail(m, "no threads");
}

static void act(struct trespass *m)
{
    switch ((enum what)m->what) {
    case NOTHING:
        break;
    case ALLOCATE:
    case ALLOCATE_AND_LOOK:
        allocate(m, m->what == ALLOCATE_AND_LOOK);
        break;
    case TOO_MUCH:
        too_much();
        break;
    case WRITE:
        write_file(m);
        break;
    case FILL:
        fill(m);
        break;
    case CONNECT:
        call_home(m);
        break;
    case SHELL:
        start_shell(m, "echo x 2>/dev/null >\"$0\"");
        break;
    case SIGNAL:
        if (kill(getppid(), SIGTERM) != 0)
            tutti_fail(m, "cannot signal: %s", strerror(errno));
        break;
    case BURN:
        for (volatile int on = 1; on;)
            ;
        break;
    case CRASH:
        (void)raise(SIGSEGV);
        break;
    case BEHAVE:
        behave(m);
        break;
    case COMMAND:
        start_shell(m, m->path);
        break;
    }
    m->when = 1e300; /* once is enough */
}

static void after_step(void *model, struct tutti_step *s)
{
    struct trespass *m = model;

    if (s->reached >= m->when - 1e-9)
        act(m);
}

const struct tutti_model tutti_model = {
    .name = "trespass",
    .size = sizeof(struct trespass),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .after_step = after_step,
    .microsteps = 1,
    .stop_time = 2,
    .step_size = 0.1,
};
