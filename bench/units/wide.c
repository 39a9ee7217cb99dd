/* SPDX-License-Identifier: MIT */
/* Ten inputs and ten outputs, for scenarios with many connections. */
#include "tutti_kit.h"

struct wide {
    double u1, u2, u3, u4, u5, u6, u7, u8, u9, u10;
    double y1, y2, y3, y4, y5, y6, y7, y8, y9, y10;
};

#define IN(name)  TUTTI_REAL_INPUT(struct wide, name, .start = 0)
#define OUT(name) TUTTI_REAL_OUTPUT(struct wide, name, .depends = "")

static const struct tutti_var vars[] = {
    IN(u1),  IN(u2),  IN(u3),  IN(u4),  IN(u5),  IN(u6),   IN(u7),
    IN(u8),  IN(u9),  IN(u10), OUT(y1), OUT(y2), OUT(y3),  OUT(y4),
    OUT(y5), OUT(y6), OUT(y7), OUT(y8), OUT(y9), OUT(y10),
};

static void step(void *model, struct tutti_step *s)
{
    struct wide *m = model;

    m->y1 = 0.7 * m->u1 + s->to;
}

const struct tutti_model tutti_model = {
    .name = "wide",
    .size = sizeof(struct wide),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .step = step,
    .stop_time = 1,
    .step_size = 0.01,
};
