/* SPDX-License-Identifier: MIT */
/*
 * A floor with a dark line on it, and how much light comes back from two
 * places.
 *
 * The line is a peanut of four arcs: one of radius endRadius about each of
 * (+-endX, 0), one about each of (0, +-sideY) that turns the other way and
 * touches them, so its radius is hypot(endX, sideY) - endRadius. Where arcs
 * touch, both have the same normal: the straight line through their centres. In
 * the quarter of positive x and y it parts the points nearest to the one arc
 * from those nearest to the other, and the distance from an arc is that from
 * its centre less its radius.
 *
 * A sensor sees a round spot with soft borders. If the spot is a normal
 * distribution, its share on a straight strip whose middle is s away is
 *     Phi((width/2 - s)/spot) - Phi((-width/2 - s)/spot)
 * with the normal distribution function Phi, which is smooth at the edges.
 */
#include <math.h>

#include "tutti_kit.h"

struct map {
    double leftX, leftY, rightX, rightY;
    double left, right, lineX, lineY;
    double endX, endRadius, sideY, width, spot, paint, floor;
};

#define TRACK "endX endRadius sideY"
#define LIGHT TRACK " width spot paint floor"

static const struct tutti_var vars[] = {
    TUTTI_REAL_INPUT(struct map, leftX, .unit = "m",
                     .description = "a place on the floor"),
    TUTTI_REAL_INPUT(struct map, leftY, .unit = "m",
                     .description = "a place on the floor"),
    TUTTI_REAL_INPUT(struct map, rightX, .unit = "m",
                     .description = "another place"),
    TUTTI_REAL_INPUT(struct map, rightY, .unit = "m",
                     .description = "another place"),
    TUTTI_REAL_OUTPUT(struct map, left, .unit = "1",
                      .depends = "leftX leftY " LIGHT,
                      .description = "reflectance at the one place"),
    TUTTI_REAL_OUTPUT(struct map, right, .unit = "1",
                      .depends = "rightX rightY " LIGHT,
                      .description = "reflectance at the other"),
    TUTTI_REAL_LOCAL(struct map, lineX, .unit = "m",
                     .depends = "leftX leftY rightX rightY " TRACK,
                     .description = "middle of the line, nearest to the middle "
                                    "between the places"),
    TUTTI_REAL_LOCAL(struct map, lineY, .unit = "m",
                     .depends = "leftX leftY rightX rightY " TRACK,
                     .description = "as lineX"),
    TUTTI_REAL_PARAMETER(struct map, endX, .unit = "m", .start = 0.45,
                         .min = 1e-3, .max = HUGE_VAL,
                         .description = "centres of the ends are at +-endX"),
    TUTTI_REAL_PARAMETER(struct map, endRadius, .unit = "m", .start = 0.3,
                         .min = 1e-3, .max = HUGE_VAL,
                         .description = "radius of the ends"),
    TUTTI_REAL_PARAMETER(struct map, sideY, .unit = "m", .start = 0.6,
                         .min = 1e-3, .max = HUGE_VAL,
                         .description = "centres of the sides are at +-sideY"),
    TUTTI_REAL_PARAMETER(struct map, width, .unit = "m", .start = 0.03,
                         .max = HUGE_VAL, .description = "of the line"),
    TUTTI_REAL_PARAMETER(struct map, spot, .unit = "m", .start = 0.015,
                         .min = 1e-6, .max = HUGE_VAL,
                         .description = "standard deviation of what a sensor "
                                        "sees"),
    TUTTI_REAL_PARAMETER(struct map, paint, .unit = "1", .start = 0.1, .max = 1,
                         .description = "reflectance of the line"),
    TUTTI_REAL_PARAMETER(struct map, floor, .unit = "1", .start = 0.9, .max = 1,
                         .description = "reflectance of the floor"),
};

struct arc {
    double x, y, radius; /* in the quarter of positive x and y */
};

static double side_radius(const struct map *m)
{
    return hypot(m->endX, m->sideY) - m->endRadius;
}

static struct arc nearest_arc(const struct map *m, double x, double y)
{
    if (fabs(x) / m->endX + fabs(y) / m->sideY < 1)
        return (struct arc){0, m->sideY, side_radius(m)};
    return (struct arc){m->endX, 0, m->endRadius};
}

/* From the middle of the line, either way. */
static double distance(const struct map *m, double x, double y)
{
    struct arc a = nearest_arc(m, x, y);

    return fabs(hypot(fabs(x) - a.x, fabs(y) - a.y) - a.radius);
}

static double phi(double z)
{
    return erfc(-z / sqrt(2)) / 2;
}

static double reflectance(const struct map *m, double x, double y)
{
    double s = distance(m, x, y), half = m->width / 2;
    double share = phi((half - s) / m->spot) - phi((-half - s) / m->spot);

    return m->floor + (m->paint - m->floor) * share;
}

/* From the centre of an end all of it is equally far: its tip is taken. */
static void onto_line(struct map *m, double x, double y)
{
    struct arc a = nearest_arc(m, x, y);
    double dx = fabs(x) - a.x, dy = fabs(y) - a.y, away = hypot(dx, dy);

    if (away == 0)
        dx = away = 1;
    m->lineX = copysign(a.x + dx / away * a.radius, x);
    m->lineY = copysign(a.y + dy / away * a.radius, y);
}

static void init(void *model, double t)
{
    const struct map *m = model;

    (void)t;
    if (!(side_radius(m) > 0 && side_radius(m) < m->sideY))
        tutti_fail(model,
                   "endRadius must be less than hypot(endX, sideY) and more "
                   "than hypot(endX, sideY) - sideY");
}

static void outputs(void *model, double t)
{
    struct map *m = model;

    (void)t;
    m->left = reflectance(m, m->leftX, m->leftY);
    m->right = reflectance(m, m->rightX, m->rightY);
    onto_line(m, (m->leftX + m->rightX) / 2, (m->leftY + m->rightY) / 2);
}

const struct tutti_model tutti_model = {
    .name = "linemap",
    .description = "Floor with a dark line on it",
    .size = sizeof(struct map),
    .vars = vars,
    .n_vars = TUTTI_COUNT(vars),
    .init = init,
    .outputs = outputs,
    .stop_time = 20,
    .step_size = 0.05,
};
