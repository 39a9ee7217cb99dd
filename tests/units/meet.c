/* SPDX-License-Identifier: MIT */
/* A unit whose steps do not end before a partner's has begun: the two open both
 * ends of the pipe `path`, `who` 0 to write and 1 to read, and the system lets
 * neither go on alone. Stepped one after the other they wait for ever. `y` is
 * how often they met. */
#include <fcntl.h>
#include <unistd.h>

#include "tutti_kit.h"

struct meet {
    double x, u, y;
    int32_t who;
    char path[1024];
};

static const struct tutti_var vars[] = {
    TUTTI_STATE(struct meet, x, .start = 0, .description = "the time"),
    TUTTI_REAL_INPUT(struct meet, u, .start = 0),
    TUTTI_REAL_OUTPUT(struct meet, y, .start = 0),
    TUTTI_INTEGER_PARAMETER(struct meet, who, .max = 1),
    TUTTI_VAR(struct meet, path, TUTTI_STRING, TUTTI_PARAMETER, .text = ""),
};

static void derivatives(void *model, double t, double *dx)
{
    (void)model;
    (void)t;
    dx[0] = 1;
}

static void after_step(void *model, struct tutti_step *s)
{
    struct meet *m = model;
    int fd = open(m->path, m->who ? O_RDONLY : O_WRONLY);

    (void)s;
    if (fd < 0) {
        tutti_fail(m, "cannot open %s", m->path);
        return;
    }
    close(fd);
    m->y++;
}

const struct tutti_model tutti_model = {
    .name = "meet",
    .size = sizeof(struct meet),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .after_step = after_step,
    .microsteps = 1,
    .stop_time = 1,
    .step_size = 0.1,
};
