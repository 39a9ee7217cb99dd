/* SPDX-License-Identifier: MIT */
/* Robertson's chemical reaction, whose rates are 0.04, 1e4 and 3e7. */
#include "tutti_kit.h"

struct reaction {
    double a, b, c, da, db, dc;
};

static const struct tutti_var vars[] = {
    TUTTI_STATE(struct reaction, a, .start = 1),
    TUTTI_STATE(struct reaction, b, .start = 0, .nominal = 1e-5),
    TUTTI_STATE(struct reaction, c, .start = 0),
    TUTTI_REAL_LOCAL(struct reaction, da, .derivative_of = "a",
                     .depends = "a b c"),
    TUTTI_REAL_LOCAL(struct reaction, db, .derivative_of = "b",
                     .depends = "a b c"),
    TUTTI_REAL_LOCAL(struct reaction, dc, .derivative_of = "c", .depends = "b"),
};

static void derivatives(void *model, double t, double *dx)
{
    const struct reaction *m = model;
    double slow = 0.04 * m->a - 1e4 * m->b * m->c, fast = 3e7 * m->b * m->b;

    (void)t;
    dx[0] = -slow;
    dx[1] = slow - fast;
    dx[2] = fast;
}

const struct tutti_model tutti_model = {
    .name = "robertson",
    .size = sizeof(struct reaction),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .derivatives = derivatives,
    .stop_time = 40,
    .step_size = 1,
};
