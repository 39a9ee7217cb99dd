/* SPDX-License-Identifier: MIT */
#include "scenario/build_impl.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

/* "algorithm": the step, fixed or variable within constraints. */

enum tt_code tt_sc_need(struct tt_sc_build *b, const struct tt_doc *v,
                        const char *name, const struct tt_doc **out)
{
    *out = tt_sc_member(v, name);
    if (*out)
        return TT_OK;
    return tt_sc_fail(b, v->where, TT_EINPUT, "'%s' lacks '%s'", v->key, name);
}

static enum tt_code check_size(struct tt_sc_build *b, double h,
                               struct tt_where w)
{
    char text[TT_NUM_MAX];

    if (h > 0)
        return TT_OK;
    tt_num_print_short(text, h);
    return tt_sc_fail(b, w, TT_EINPUT,
                      "the step size must be greater than 0, not %s", text);
}

/* A step size; `parent` for those in an array. */
static enum tt_code read_size(struct tt_sc_build *b, const struct tt_doc *v,
                              const char *parent, double *out)
{
    enum tt_code rc = tt_sc_number(b, v, parent, out);

    return rc == TT_OK ? check_size(b, *out, v->where) : rc;
}

enum tt_code tt_sc_set_step(tt_sc_build *b, double h, struct tt_where w)
{
    b->s->algorithm = TT_ALG_FIXED;
    b->s->step = h;
    b->s->step_where = w;
    return check_size(b, h, w);
}

enum tt_code tt_sc_set_steps(tt_sc_build *b, double least, double most,
                             double first, struct tt_where w)
{
    tt_scenario *s = b->s;
    enum tt_code rc = check_size(b, fmin(fmin(least, most), first), w);

    s->algorithm = TT_ALG_VARIABLE;
    s->step_min = fmin(least, most); /* reversed ones are swapped, as in */
    s->step_max = fmax(least, most); /* Maestro */
    s->step_init = fmin(fmax(first, s->step_min), s->step_max);
    s->step_where = w;
    return rc;
}

static enum tt_code need_integer(struct tt_sc_build *b, const struct tt_doc *v,
                                 const char *name, int64_t *out)
{
    const struct tt_doc *d;
    enum tt_code rc = tt_sc_need(b, v, name, &d);

    return rc == TT_OK ? tt_sc_integer(b, d, out) : rc;
}

enum tt_code tt_sc_read_ports(struct tt_sc_build *b, const struct tt_doc *v,
                              uint32_t most, struct tt_sc_constraint *c)
{
    const struct tt_doc *ports = NULL;
    enum tt_code rc = tt_sc_need(b, v, "ports", &ports);
    struct tt_sc_word *word;

    if (rc == TT_OK)
        rc = tt_sc_words(b, ports, 0, &word, &c->n_port);
    if (rc != TT_OK)
        return rc;
    if (ports->n == 0 || ports->n > most)
        return tt_sc_fail(b, ports->where, TT_EINPUT,
                          "'ports' of '%s' must name %s, not %u", v->key,
                          most == 2 ? "one or two variables"
                                    : "at least one variable",
                          (unsigned)ports->n);
    return tt_sc_mention_all(b, word, ports->n, TT_SC_BY_LOG, &c->port);
}

/* The tolerances both value constraints share, with Maestro's defaults. */
static enum tt_code read_tolerances(struct tt_sc_build *b,
                                    const struct tt_doc *v,
                                    struct tt_sc_constraint *c)
{
    enum tt_code rc;

    c->abstol = 1e-3;
    c->reltol = 1e-2;
    rc = tt_sc_maybe_number(b, v, "abstol", &c->abstol);
    if (rc == TT_OK)
        rc = tt_sc_maybe_number(b, v, "reltol", &c->reltol);
    if (rc == TT_OK)
        rc = tt_sc_maybe_number(b, v, "safety", &c->safety);
    return rc;
}

static enum tt_code read_zero_crossing(struct tt_sc_build *b,
                                       const struct tt_doc *v,
                                       struct tt_sc_constraint *c)
{
    const struct tt_doc *order = tt_sc_member(v, "order");
    int64_t n = 2;
    enum tt_code rc = tt_sc_read_ports(b, v, 2, c);

    if (rc == TT_OK)
        rc = read_tolerances(b, v, c);
    if (rc == TT_OK && order)
        rc = tt_sc_integer(b, order, &n);
    if (rc != TT_OK)
        return rc;
    if (n != 1 && n != 2)
        return tt_sc_fail(b, order->where, TT_EINPUT,
                          "'order' of '%s' must be 1 or 2, not %lld", v->key,
                          (long long)n);
    c->order = (int)n;
    return TT_OK;
}

static enum tt_code read_difference(struct tt_sc_build *b,
                                    const struct tt_doc *v,
                                    struct tt_sc_constraint *c)
{
    enum tt_code rc = tt_sc_read_ports(b, v, UINT32_MAX, c);

    if (rc == TT_OK)
        rc = read_tolerances(b, v, c);
    c->skip_discrete = 1;
    if (rc == TT_OK)
        rc = tt_sc_maybe_bool(b, v, "skipDiscrete", &c->skip_discrete);
    return rc;
}

static enum tt_code read_rate(struct tt_sc_build *b, const struct tt_doc *v,
                              struct tt_sc_constraint *c)
{
    enum tt_code rc = need_integer(b, v, "base", &c->base);

    if (rc == TT_OK)
        rc = need_integer(b, v, "rate", &c->rate);
    if (rc == TT_OK)
        rc = need_integer(b, v, "startTime", &c->start);
    if (rc == TT_OK && c->rate <= 0)
        return tt_sc_fail(b, v->where, TT_EINPUT,
                          "'rate' of '%s' must be greater than 0, not %lld",
                          v->key, (long long)c->rate);
    return rc;
}

static void to_lower(char *out, size_t size, const char *s)
{
    size_t i = 0;

    for (; i + 1 < size && s[i]; i++)
        out[i] = s[i] >= 'A' && s[i] <= 'Z' ? (char)(s[i] - 'A' + 'a') : s[i];
    out[i] = '\0';
}

static enum tt_code read_max_step(struct tt_sc_build *b, const struct tt_doc *v,
                                  struct tt_sc_constraint *c)
{
    (void)b;
    (void)v;
    (void)c;
    return TT_OK; /* its type is all there is */
}

static enum tt_code read_constraint(struct tt_sc_build *b,
                                    const struct tt_doc *v, void *to)
{
    struct tt_sc_constraint *c = to;
    /* In the order of enum tt_sc_constraint_kind. */
    static const char *const word[] = {"zerocrossing", "boundeddifference",
                                       "samplingrate", "fmumaxstepsize",
                                       "error"};
    static enum tt_code (*const read[])(struct tt_sc_build *,
                                        const struct tt_doc *,
                                        struct tt_sc_constraint *) = {
        read_zero_crossing, read_difference, read_rate, read_max_step,
        tt_sc_read_error};
    static const struct tt_sc_choice types = {"the 'type' of a constraint",
                                              word, 5};
    const struct tt_doc *type = NULL;
    const char *text = "";
    char lower[64];
    uint32_t kind = 0;
    enum tt_code rc = tt_sc_object(b, v);

    if (rc == TT_OK)
        rc = tt_sc_need(b, v, "type", &type);
    if (rc == TT_OK)
        rc = tt_sc_text(b, type, NULL, &text);
    if (rc != TT_OK)
        return rc;
    to_lower(lower, sizeof(lower), text);
    rc = tt_sc_choose(b, type->where, &types, lower, &kind);
    if (rc != TT_OK)
        return rc;
    rc = tt_sc_check_members(b, v, "constraint");
    if (rc != TT_OK)
        return rc;
    *c = (struct tt_sc_constraint){.kind = (enum tt_sc_constraint_kind)kind,
                                   .name = v->key,
                                   .where = v->where};
    return read[kind](b, v, c);
}

static enum tt_code read_constraints(struct tt_sc_build *b,
                                     const struct tt_doc *v)
{
    enum tt_code rc;

    b->s->constraint =
        tt_sc_read_members(b, v, sizeof(*b->s->constraint), read_constraint,
                           &b->s->n_constraint, &rc);
    return rc;
}

static enum tt_code read_variable(struct tt_sc_build *b, const struct tt_doc *v,
                                  const struct tt_doc *size, struct tt_where w)
{
    const struct tt_doc *init = NULL, *constraints;
    double least = 0, most = 0, first = 0;
    enum tt_code rc;

    if (size->kind != TT_DOC_ARRAY || size->n != 2)
        return tt_sc_fail(b, size->where, TT_EINPUT,
                          "'size' of a 'var-step' algorithm must be "
                          "[smallest, largest]");
    rc = read_size(b, &size->u.child[0], "size", &least);
    if (rc == TT_OK)
        rc = read_size(b, &size->u.child[1], "size", &most);
    if (rc == TT_OK)
        rc = tt_sc_need(b, v, "initsize", &init);
    if (rc == TT_OK)
        rc = read_size(b, init, NULL, &first);
    if (rc == TT_OK)
        rc = tt_sc_set_steps(b, least, most, first, w);
    constraints = tt_sc_member(v, "constraints");
    if (rc == TT_OK && constraints)
        rc = read_constraints(b, constraints);
    return rc;
}

/* Steps that are fixed look at no constraint. */
static void warn_of_constraints(struct tt_sc_build *b, const struct tt_doc *v)
{
    const struct tt_doc *c = tt_doc_find(v, "constraints");

    if (c && c->kind == TT_DOC_OBJECT && c->n)
        tt_sc_warn(b, c->key_where, NULL,
                   "'constraints' are not looked at: steps are fixed; 'type' "
                   "'var-step' varies them");
}

enum tt_code tt_sc_read_algorithm(struct tt_sc_build *b, const struct tt_doc *v)
{
    static const char *const word[] = {"fixed-step", "var-step"};
    static const struct tt_sc_choice types = {"'type' of 'algorithm'", word, 2};
    const struct tt_doc *type = NULL, *size = NULL;
    uint32_t kind = 0;
    double h = 0;
    enum tt_code rc = tt_sc_object(b, v);

    if (rc == TT_OK)
        rc = tt_sc_need(b, v, "type", &type);
    if (rc == TT_OK)
        rc = tt_sc_choose_doc(b, type, &types, &kind);
    if (rc == TT_OK)
        rc = tt_sc_need(b, v, "size", &size);
    if (rc != TT_OK)
        return rc;
    rc = tt_sc_check_members(b, v, "algorithm");
    if (rc != TT_OK)
        return rc;
    if (kind == 1)
        return read_variable(b, v, size, type->where);
    warn_of_constraints(b, v);
    if (size->kind == TT_DOC_TEXT && strcmp(size->u.text, "default") == 0) {
        tt_sc_open_step(b);
        return TT_OK;
    }
    rc = tt_sc_number(b, size, NULL, &h);
    return rc == TT_OK ? tt_sc_set_step(b, h, size->where) : rc;
}
