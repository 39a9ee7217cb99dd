/* SPDX-License-Identifier: MIT */
/* Clauses of a scenario, each a program: "negate torque" is what would be
 * written by hand around the unit. */
#include <string.h>

#include "adapt/clause_impl.h"

/* --- all of them ---------------------------------------------------------- */

static const struct sa_clause_kind *const kinds[] = {
#define X(name) &sa_clause_##name,
    SA_CLAUSES(X)
#undef X
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const struct sa_clause_kind *kind_of(const struct tt_clause *given)
{
    struct sa_clause c = {.at = given->text};
    struct sa_word first = sa_cl_next(&c);

    for (size_t i = 0; i < KINDS; i++)
        if (sa_cl_is(first, kinds[i]->name))
            return kinds[i];
    return NULL;
}

static const char *kind_name(const void *ctx, size_t i)
{
    (void)ctx;
    return kinds[i]->name;
}

/* By name, and with what there is. */
static enum tt_code no_kind(struct sa_writer *w, const struct tt_clause *given)
{
    struct sa_clause c = {.at = given->text};
    struct sa_word first = sa_cl_next(&c);
    const char *name = tt_arena_strndup(w->arena, first.s, first.n);
    const char *near =
        name ? tt_names_nearest(name, KINDS, kind_name, NULL) : NULL;
    struct tt_buf all;
    enum tt_code rc;

    tt_buf_init(&all, 4096);
    for (size_t i = 0; i < KINDS; i++)
        tt_buf_fmt(&all, "%s'%s'", i ? ", " : "", kinds[i]->name);
    rc = sa_cl_fail(
        given, first.s, w->err, "there is no clause '%s'%s%s%s; there are %s",
        name ? name : "", near ? "; did you mean '" : "", near ? near : "",
        near ? "'?" : "", all.failed ? "" : all.data);
    tt_buf_fini(&all);
    return rc;
}

/* --- those that are one ---------------------------------------------------
 */

/* The word that the clause is about. */
static struct sa_word subject(const struct tt_clause *given)
{
    struct sa_clause c = {.at = given->text};

    (void)sa_cl_next(&c);
    if (kind_of(given) == &sa_clause_reinitialise)
        (void)sa_cl_next(&c);
    return sa_cl_next(&c);
}

static int same_subject(const struct tt_clause *a, const struct tt_clause *b)
{
    struct sa_word x = subject(a), y = subject(b);

    return x.n == y.n && !strncmp(x.s, y.s, x.n);
}

/* Only computes, of one variable. */
static int is_plain_value(const struct tt_clause *c)
{
    const struct sa_clause_kind *k = kind_of(c);

    return k == &sa_clause_convert || k == &sa_clause_negate ||
           (k == &sa_clause_frame && !strstr(c->text, "matrix"));
}

/* Those of different variables do not touch each other. */
static uint32_t values_together(const struct tt_source *s)
{
    const struct tt_clause *last = s->clause + s->n_clause - 1;
    uint32_t n = 0;

    for (; n < s->n_clause && is_plain_value(last - n); n++)
        for (uint32_t k = 0; k < n; k++)
            if (same_subject(last - n, last - k))
                return n;
    return n;
}

/* Interpolation is about the steps that a rate makes, and so may turns of an
 * iteration inside be: neighbours are one. */
static uint32_t steps_together(const struct tt_source *s)
{
    uint32_t n = 0, rates = 0;

    while (n < s->n_clause) {
        const struct sa_clause_kind *k =
            kind_of(&s->clause[s->n_clause - 1 - n]);

        if (k == &sa_clause_iterate && rates)
            return n + 1;
        if (k != &sa_clause_interpolate && k != &sa_clause_multiply)
            break;
        rates += k == &sa_clause_multiply;
        if (rates > 1)
            break;
        n++;
    }
    return n;
}

uint32_t sa_clauses_together(const struct tt_source *s)
{
    uint32_t steps = steps_together(s), values = values_together(s);

    return steps ? steps : values ? values : 1;
}

uint32_t tt_adapt_clauses(const struct tt_source *s, uint32_t n)
{
    struct tt_source some = *s;

    do {
        some.n_clause = n;
        n -= sa_clauses_together(&some);
    } while (n > s->n_clause);
    return some.n_clause;
}

/* --- those that cannot be ------------------------------------------------- */

struct clash {
    const struct sa_clause_kind *inner, *outer; /* NULL: any that steps */
    int same; /* where they are about one variable */
    const char *why;
};

#define MADE "where it would be found the step has been made: put it behind"
#define HELD "outputs are held inside, so that repeating a step changes nothing"
static const struct clash clashes[] = {
    {&sa_clause_locate, &sa_clause_divide, 0, MADE},
    {&sa_clause_locate, &sa_clause_run, 0, MADE},
    {&sa_clause_run, &sa_clause_run, 0,
     "both decide when it runs: 'run when CONDITION or at next event' is one"},
    {&sa_clause_divide, &sa_clause_iterate, 0, HELD},
    {&sa_clause_run, &sa_clause_iterate, 0, HELD},
    {&sa_clause_divide, &sa_clause_locate, 0, HELD},
    {&sa_clause_run, &sa_clause_locate, 0, HELD},
    {&sa_clause_delay, &sa_clause_iterate, 0,
     "a delay opens the circle, so that there is nothing to be iterated"},
    {&sa_clause_interpolate, &sa_clause_quantize, 1,
     "between two levels there would be a line"},
    {&sa_clause_reinitialise, &sa_clause_interpolate, 1,
     "a jump would become a line, and none be seen"},
    {&sa_clause_derivatives, NULL, 0,
     "they would be lost in it: put 'derivatives by differences' last"},
};

static int keeps_derivatives(const struct tt_clause *c)
{
    const struct sa_clause_kind *k = kind_of(c);

    return !k || k == &sa_clause_convert || k == &sa_clause_negate ||
           k == &sa_clause_frame || k == &sa_clause_derivatives;
}

static int clash_is(const struct clash *x, const struct tt_clause *inner,
                    const struct tt_clause *outer)
{
    if (x->inner != kind_of(inner) ||
        (x->outer ? x->outer != kind_of(outer) : keeps_derivatives(outer)))
        return 0;
    return !x->same || same_subject(inner, outer);
}

static enum tt_code check_clashes(const struct tt_source *s, uint32_t n,
                                  tt_err *err)
{
    for (uint32_t o = s->n_clause - n; o < s->n_clause; o++)
        for (uint32_t i = 0; i < o; i++)
            for (size_t k = 0; k < sizeof(clashes) / sizeof(*clashes); k++)
                if (clash_is(&clashes[k], &s->clause[i], &s->clause[o]))
                    return sa_cl_fail(&s->clause[o], s->clause[o].text, err,
                                      "'%s' cannot be around '%s': %s",
                                      s->clause[o].text, s->clause[i].text,
                                      clashes[k].why);
    return TT_OK;
}

/* --- programs ------------------------------------------------------------- */

static enum tt_code read(struct sa_writer *w, struct sa_clause *c)
{
    c->kind = kind_of(c->given);
    if (!c->kind)
        return no_kind(w, c->given);
    c->at = c->given->text;
    (void)sa_cl_next(c);
    return c->kind->read(w, c);
}

static enum tt_code check_twice(struct sa_writer *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        for (uint32_t k = 0; k < i; k++)
            if (w->c[i].port && w->c[i].port == w->c[k].port)
                return sa_cl_fail(w->c[i].given, w->c[i].given->text, w->err,
                                  "'%s' is interpolated twice",
                                  w->c[i].port->name);
    return TT_OK;
}

/* One of them makes the steps. */
static enum tt_code check_rates(struct sa_writer *w)
{
    struct sa_clause *makes = NULL;

    for (uint32_t i = 0; i < w->n; i++) {
        struct sa_clause *c = &w->c[i];

        if (c->rate <= 0)
            continue;
        if (makes && makes->rate != c->rate)
            return sa_cl_fail(c->given, c->given->text, w->err,
                              "'%s' and '%s' want different numbers of steps",
                              makes->given->text, c->given->text);
        if (makes && c->kind == &sa_clause_multiply)
            makes->rate = 0;
        else if (makes)
            c->rate = 0;
        if (!makes || c->rate > 0)
            makes = c;
    }
    if (!makes && w->c[0].kind == &sa_clause_interpolate)
        return sa_cl_fail(w->c[0].given, w->c[0].given->text, w->err,
                          "'interpolate' needs a number of steps, or 'multiply "
                          "rate' beside it: a single step has nothing in "
                          "between");
    return TT_OK;
}

/* Where the unit is that the clauses are about; as far as that has a place. */
static const char *place_of(const struct tt_source *s, uint32_t n)
{
    return n == s->n_clause && !s->inner && !strchr(s->path, '"') ? s->path
                                                                  : "inside";
}

static int is_reactive(const struct sa_clause *c)
{
    return c->kind == &sa_clause_interpolate || c->kind == &sa_clause_locate ||
           c->kind == &sa_clause_reinitialise;
}

enum tt_code sa_write_clauses(struct tt_buf *out, const struct tt_source *s,
                              uint32_t n, const struct tt_desc *d, tt_arena *a,
                              tt_err *err)
{
    const struct tt_clause *c = s->clause + s->n_clause - n;
    struct sa_writer w = {.out = out,
                          .d = d,
                          .c = tt_arena_alloc(a, n, sizeof(*w.c)),
                          .n = n,
                          .arena = a,
                          .err = err};
    int reactive = 0;
    enum tt_code rc = w.c ? check_clashes(s, n, err) : tt_nomem(err, c->file);

    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        w.c[i] = (struct sa_clause){.given = &c[i]};
        rc = read(&w, &w.c[i]);
        reactive |= is_reactive(&w.c[i]);
    }
    if (rc == TT_OK)
        rc = check_twice(&w);
    if (rc == TT_OK)
        rc = check_rates(&w);
    if (rc != TT_OK)
        return rc;
    tt_buf_fmt(out,
               "semantic adaptation %sOutside outside for inner fmu Inside "
               "inside at \"%s\" ",
               reactive ? "reactive " : "", place_of(s, n));
    for (uint32_t i = 0; i < n; i++)
        if (w.c[i].kind->write_inner)
            w.c[i].kind->write_inner(&w, &w.c[i]);
    for (uint32_t i = 0; i < n; i++)
        w.c[i].kind->write(&w, &w.c[i]);
    return tt_buf_check(out, "clauses", err);
}
