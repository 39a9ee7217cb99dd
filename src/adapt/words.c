/* SPDX-License-Identifier: MIT */
/* Words of clauses, and pieces of the programs they stand for. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "adapt/clause_impl.h"
#include "base/num.h"

/* --- words ---------------------------------------------------------------- */

enum tt_code sa_cl_fail(const struct tt_clause *c, const char *at, tt_err *err,
                        const char *fmt, ...)
{
    uint32_t column = c->column;
    va_list ap;

    for (const char *s = c->text; s < at; s++)
        column += (*s & 0xc0) != 0x80;
    va_start(ap, fmt);
    (void)tt_vfail(err, TT_EINPUT, fmt, ap);
    va_end(ap);
    if (err)
        tt_spot_at(&err->place, c->file, c->line, column);
    return tt_context(err, TT_EINPUT, "%s:%u:%u", c->file, (unsigned)c->line,
                      (unsigned)column);
}

struct sa_word sa_cl_peek(struct sa_clause *c)
{
    c->at += strspn(c->at, " \t");
    return (struct sa_word){c->at, strcspn(c->at, " \t")};
}

struct sa_word sa_cl_next(struct sa_clause *c)
{
    struct sa_word w = sa_cl_peek(c);

    c->at += w.n;
    return w;
}

int sa_cl_is(struct sa_word w, const char *text)
{
    return w.n == strlen(text) && !strncmp(w.s, text, w.n);
}

enum tt_code sa_cl_malformed(struct sa_writer *w, const struct sa_clause *c,
                             const char *at)
{
    return sa_cl_fail(c->given, at, w->err, "a clause '%s' is '%s'",
                      c->kind->name, c->kind->form);
}

enum tt_code sa_cl_expect(struct sa_writer *w, struct sa_clause *c,
                          const char *text)
{
    struct sa_word found = sa_cl_next(c);

    return sa_cl_is(found, text) ? TT_OK : sa_cl_malformed(w, c, found.s);
}

enum tt_code sa_cl_end(struct sa_writer *w, struct sa_clause *c)
{
    struct sa_word more = sa_cl_peek(c);

    return more.n ? sa_cl_malformed(w, c, more.s) : TT_OK;
}

enum tt_code sa_cl_number(struct sa_writer *w, struct sa_clause *c, double *to)
{
    struct sa_word found = sa_cl_next(c);

    if (found.n && tt_num_parse_n(found.s, found.n, to) == 0 && isfinite(*to))
        return TT_OK;
    return sa_cl_fail(c->given, found.s, w->err,
                      "expected a number, found '%.*s'", (int)found.n, found.s);
}

enum tt_code sa_cl_positive(struct sa_writer *w, struct sa_clause *c,
                            double *to, int zero_too)
{
    struct sa_word found = sa_cl_peek(c);
    enum tt_code rc = sa_cl_number(w, c, to);

    if (rc != TT_OK || *to > 0 || (zero_too && *to == 0))
        return rc;
    return sa_cl_fail(c->given, found.s, w->err,
                      "expected a number %s, found '%.*s'",
                      zero_too ? "that is not negative" : "greater than 0",
                      (int)found.n, found.s);
}

/* --- variables ------------------------------------------------------------ */

int sa_cl_is_input(const struct sa_clause *c)
{
    return c->port->causality == TT_CAUS_INPUT;
}

const char *sa_cl_unit_of(const struct tt_port *p)
{
    return p->quantity ? p->quantity->name : NULL;
}

static enum tt_code no_port(struct sa_writer *w, const struct sa_clause *c,
                            struct sa_word found, const char *name)
{
    const char *near = tt_desc_nearest(w->d, name, -1);

    if (c->port)
        return sa_cl_fail(c->given, found.s, w->err,
                          "'%s' is not an input or output with one number",
                          name);
    return sa_cl_fail(c->given, found.s, w->err,
                      "there is no input or output '%s'%s%s%s", name,
                      near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

enum tt_code sa_cl_variable(struct sa_writer *w, struct sa_clause *c)
{
    struct sa_word found = sa_cl_next(c);
    const char *name = tt_arena_strndup(w->arena, found.s, found.n);
    uint32_t i = name ? tt_desc_find(w->d, name) : TT_NONE;

    if (!found.n)
        return sa_cl_malformed(w, c, found.s);
    if (!name)
        return tt_nomem(w->err, c->given->file);
    c->port = i == TT_NONE ? NULL : &w->d->port[i];
    if (!c->port || !sa_is_face(w->d, c->port))
        return no_port(w, c, found, name);
    if (!tt_type_is_float(c->port->type))
        return sa_cl_fail(c->given, found.s, w->err,
                          "'%s' is not a real number", name);
    if (strchr(name, '.'))
        return sa_cl_fail(
            c->given, found.s, w->err,
            "'%s' has a '.' in its name, which clauses do not take", name);
    return TT_OK;
}

enum tt_code sa_cl_input(struct sa_writer *w, struct sa_clause *c)
{
    struct sa_word found = sa_cl_peek(c);
    enum tt_code rc = sa_cl_variable(w, c);

    return rc != TT_OK || sa_cl_is_input(c)
               ? rc
               : sa_cl_fail(c->given, found.s, w->err, "'%s' is not an input",
                            c->port->name);
}

/* --- pieces of programs --------------------------------------------------- */

void sa_cl_put_plain(struct sa_writer *w, double v)
{
    char text[TT_NUM_MAX];

    tt_num_print(text, v);
    tt_buf_str(w->out, text);
}

void sa_cl_put(struct sa_writer *w, double v)
{
    tt_buf_str(w->out, v < 0 ? "(" : "");
    sa_cl_put_plain(w, v);
    tt_buf_str(w->out, v < 0 ? ")" : "");
}

void sa_cl_declare(struct sa_writer *w, const struct tt_port *p)
{
    sa_cl_declare_from(w, p, sa_cl_start(p));
}

double sa_cl_start(const struct tt_port *p)
{
    double v = p->start && p->causality == TT_CAUS_INPUT
                   ? tt_value_as_double(p->type, p->start)
                   : 0;

    return isfinite(v) ? v : 0;
}

void sa_cl_declare_from(struct sa_writer *w, const struct tt_port *p, double v)
{
    const char *unit = sa_cl_unit_of(p);
    int real = tt_type_is_float(p->type);

    tt_buf_fmt(w->out, "%s ports %s %s ",
               p->causality == TT_CAUS_INPUT ? "input" : "output",
               tt_type_is_bool(p->type) ? "Bool"
               : real                   ? "Real"
                                        : "Integer",
               p->name);
    if (unit)
        tt_buf_fmt(w->out, "(%s) ", unit);
    if (v == 0)
        return;
    tt_buf_str(w->out, ":= ");
    sa_cl_put_plain(w, v);
    tt_buf_char(w->out, ' ');
}

void sa_cl_hold(struct sa_writer *w)
{
    for (uint32_t i = 0; i < w->d->n_port; i++) {
        const struct tt_port *p = &w->d->port[i];

        if (!sa_is_face(w->d, p) || p->causality != TT_CAUS_OUTPUT)
            continue;
        sa_cl_declare(w, p);
        tt_buf_fmt(w->out, "out var held%u := %s; ", i,
                   tt_type_is_bool(p->type) ? "false" : "0.0");
    }
    tt_buf_str(w->out, "out rules { h > 0 or not begun -> { ");
    for (int outer = 0; outer < 2; outer++) {
        for (uint32_t i = 0; i < w->d->n_port; i++) {
            const struct tt_port *p = &w->d->port[i];

            if (!sa_is_face(w->d, p) || p->causality != TT_CAUS_OUTPUT)
                continue;
            if (outer)
                tt_buf_fmt(w->out, "outside.%s := held%u; ", p->name, i);
            else
                tt_buf_fmt(w->out, "held%u := inside.%s; ", i, p->name);
        }
        tt_buf_str(w->out, outer ? "}; } " : "} --> { }; true -> { } --> { ");
    }
}
