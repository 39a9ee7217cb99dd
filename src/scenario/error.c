/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

/* Error control of the step: a constraint of its own type, or two options of
 * the command line over any scenario. */

#define TOLERANCE 1e-3 /* absolute and relative, where none is given */
#define UNIT_TIME 1.0  /* s, where the estimate is of a local error */

/* In the order of enum tt_sc_error_method. */
static const char *const word[] = {"richardson", "orders",   "milne",
                                   "energy",     "embedded", "own"};
#define N_WORD (sizeof(word) / sizeof(*word))

/* When an error that is too large is corrected. */
static const char *const corrections[] = {"retry", "next"};

/* Estimates of a local error count per unit of time, so that what they add up
 * to is proportional to the tolerance; input errors are proportional to the
 * global error as they are. */
static double default_unit_time(enum tt_sc_error_method m)
{
    return m == TT_ERROR_RICHARDSON || m == TT_ERROR_ENERGY ||
                   m == TT_ERROR_EMBEDDED
               ? UNIT_TIME
               : 0;
}

/* What a member that may be there must be. */
struct limit {
    const char *name;
    double *to;
    double least, most; /* both included */
    const char *must;
};

static enum tt_code read_limit(struct tt_sc_build *b, const struct tt_doc *v,
                               const struct limit *l)
{
    const struct tt_doc *d = tt_sc_member(v, l->name);
    char text[TT_NUM_MAX];
    enum tt_code rc;

    if (!d)
        return TT_OK;
    rc = tt_sc_number(b, d, NULL, l->to);
    if (rc != TT_OK || (*l->to >= l->least && *l->to <= l->most))
        return rc;
    tt_num_print_short(text, *l->to);
    return tt_sc_fail(b, d->where, TT_EINPUT, "'%s' of '%s' must be %s, not %s",
                      l->name, v->key, l->must, text);
}

static enum tt_code read_limits(struct tt_sc_build *b, const struct tt_doc *v,
                                struct tt_sc_constraint *c)
{
    const double any = (double)INFINITY;
    const struct limit limit[] = {
        {"abstol", &c->abstol, 0, any, "0 or more"},
        {"reltol", &c->reltol, 0, any, "0 or more"},
        {"safety", &c->safety, 0.01, 1, "from 0.01 to 1"},
        {"shrink", &c->shrink, 0.01, 0.8, "from 0.01 to 0.8"},
        {"grow", &c->grow, 1, any, "1 or more"},
        {"perUnitTime", &c->unit_time, 0, any, "0 or more"},
    };
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && i < sizeof(limit) / sizeof(*limit); i++)
        rc = read_limit(b, v, &limit[i]);
    if (rc == TT_OK)
        rc = tt_sc_maybe_bool(b, v, "grid", &c->grid);
    if (rc == TT_OK && !(c->abstol > 0 || c->reltol > 0))
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'%s' has no tolerance: 'abstol' or 'reltol' must be "
                          "greater than 0",
                          v->key);
    return rc;
}

static enum tt_code read_correction(struct tt_sc_build *b,
                                    const struct tt_doc *v,
                                    struct tt_sc_constraint *c)
{
    const struct tt_sc_choice words = {"'correction' of a constraint",
                                       corrections, 2};
    const struct tt_doc *d = tt_sc_member(v, "correction");
    uint32_t which = 0;
    enum tt_code rc = d ? tt_sc_choose_doc(b, d, &words, &which) : TT_OK;

    c->next = (int)which;
    return rc;
}

/* Of what the estimate is made, where it is named. */
static enum tt_code read_ports(struct tt_sc_build *b, const struct tt_doc *v,
                               struct tt_sc_constraint *c)
{
    const struct tt_doc *ports = tt_sc_member(v, "ports");
    int given = ports != NULL;

    if (!given && c->method == TT_ERROR_OWN)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'%s' takes the error that instances state: 'ports' "
                          "must name the outputs that have it",
                          v->key);
    if (given && c->method == TT_ERROR_ENERGY)
        return tt_sc_fail(b, ports->where, TT_EINPUT,
                          "'%s' looks at the power bonds, not at 'ports'",
                          v->key);
    return given ? tt_sc_read_ports(b, v, UINT32_MAX, c) : TT_OK;
}

enum tt_code tt_sc_read_error(struct tt_sc_build *b, const struct tt_doc *v,
                              struct tt_sc_constraint *c)
{
    const struct tt_sc_choice methods = {"'method' of a constraint", word,
                                         N_WORD};
    const struct tt_doc *method = NULL;
    uint32_t m = 0;
    enum tt_code rc = tt_sc_need(b, v, "method", &method);

    if (rc == TT_OK)
        rc = tt_sc_choose_doc(b, method, &methods, &m);
    if (rc != TT_OK)
        return rc;
    c->method = (enum tt_sc_error_method)m;
    c->abstol = c->reltol = TOLERANCE;
    c->unit_time = default_unit_time(c->method);
    rc = read_limits(b, v, c);
    if (rc == TT_OK)
        rc = read_correction(b, v, c);
    return rc == TT_OK ? read_ports(b, v, c) : rc;
}

/* Behind the constraints of the files. What units declare of their next step is
 * honoured too: a leap they know of need not be searched. */
static enum tt_code add_constraints(struct tt_sc_build *b,
                                    const struct tt_sc_constraint *error)
{
    tt_scenario *s = b->s;
    uint32_t n = s->algorithm == TT_ALG_VARIABLE ? s->n_constraint : 0;
    struct tt_sc_constraint *c =
        tt_arena_alloc(s->arena, (size_t)n + 2, sizeof(*c));

    if (!c)
        return tt_sc_no_memory(b);
    if (n)
        memcpy(c, s->constraint, n * sizeof(*c));
    c[n] = *error;
    c[n + 1] = (struct tt_sc_constraint){.kind = TT_CONSTRAINT_MAX_STEP,
                                         .name = "units",
                                         .where = TT_SC_NOWHERE};
    s->constraint = c;
    s->n_constraint = n + 2;
    if (s->algorithm != TT_ALG_VARIABLE) /* the plan derives the limits */
        s->step_min = s->step_max = s->step_init = (double)NAN;
    s->algorithm = TT_ALG_VARIABLE;
    return TT_OK;
}

enum tt_code tt_sc_set_error(struct tt_sc_build *b,
                             const struct tt_sc_options *o)
{
    const struct tt_sc_choice methods = {"--error-control", word, TT_ERROR_OWN};
    double tolerance = isnan(o->step_tolerance) ? TOLERANCE : o->step_tolerance;
    struct tt_sc_constraint c = {.kind = TT_CONSTRAINT_ERROR,
                                 .name = "error-control",
                                 .abstol = tolerance,
                                 .reltol = tolerance,
                                 .where = TT_SC_NOWHERE};
    uint32_t m = 0;
    enum tt_code rc;

    if (!o->error_control && !isnan(o->step_tolerance))
        return tt_sc_fail(b, TT_SC_NOWHERE, TT_EINPUT,
                          "--step-tolerance needs --error-control");
    if (!o->error_control)
        return TT_OK;
    rc = tt_sc_choose(b, TT_SC_NOWHERE, &methods, o->error_control, &m);
    if (rc != TT_OK)
        return rc;
    if (!(tolerance > 0) || isinf(tolerance))
        return tt_sc_fail(b, TT_SC_NOWHERE, TT_EINPUT,
                          "--step-tolerance must be greater than 0 and finite");
    c.method = (enum tt_sc_error_method)m;
    c.unit_time = default_unit_time(c.method);
    return add_constraints(b, &c);
}
