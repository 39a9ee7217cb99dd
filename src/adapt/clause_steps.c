/* SPDX-License-Identifier: MIT */
/* Clauses about when and how far the inner unit steps. */
#include <math.h>
#include <string.h>

#include "adapt/clause_impl.h"
#include "base/num.h"

#define RATE_MAX 1000000.0

/* --- rates ---------------------------------------------------------------- */

static enum tt_code read_count(struct sa_writer *w, struct sa_clause *c,
                               const char *what)
{
    struct sa_word word = sa_cl_peek(c);
    enum tt_code rc = sa_cl_number(w, c, &c->rate);

    if (rc == TT_OK &&
        (c->rate < 1 || c->rate > RATE_MAX || c->rate != floor(c->rate)))
        return sa_cl_fail(c->given, word.s, w->err,
                          "%s is a whole number from 1 to 1000000, not '%.*s'",
                          what, (int)word.n, word.s);
    return rc;
}

static enum tt_code read_rate(struct sa_writer *w, struct sa_clause *c)
{
    enum tt_code rc = sa_cl_expect(w, c, "rate");

    return rc == TT_OK ? read_count(w, c, "a rate") : rc;
}

static enum tt_code read_multiply(struct sa_writer *w, struct sa_clause *c)
{
    enum tt_code rc = read_rate(w, c);

    return rc == TT_OK ? sa_cl_end(w, c) : rc;
}

/* A statement of each input that is interpolated: its number stands for '#',
 * its name for '@'. */
static void each_line(struct sa_writer *w, const char *text)
{
    for (uint32_t i = 0; i < w->n; i++)
        for (const char *s = text; w->c[i].kind == &sa_clause_interpolate && *s;
             s++)
            if (*s == '#')
                tt_buf_fmt(w->out, "%u", i);
            else if (*s == '@')
                tt_buf_str(w->out, w->c[i].port->name);
            else
                tt_buf_char(w->out, *s);
}

static void put_lines(struct sa_writer *w)
{
    each_line(w, "inside.@ := line#; ");
}

/* One of the steps: as it is, or in turns. */
static void write_part(struct sa_writer *w)
{
    for (uint32_t i = 0; i < w->n; i++)
        if (w->c[i].kind == &sa_clause_iterate) {
            sa_cl_write_turns(w, &w->c[i], "t + k * part", "part", put_lines);
            return;
        }
    put_lines(w);
    tt_buf_str(w->out, "made := do_step(inside, t + k * part, part); ");
}

/* A step that ends early ends all; the line of the next step begins where this
 * one is left. */
static void write_multiply(struct sa_writer *w, const struct sa_clause *c)
{
    char n[TT_NUM_MAX];

    tt_num_print_short(n, c->rate);
    tt_buf_str(w->out, "control var begun := false; control rules { ");
    each_line(w, "if (not begun) { from# := was#; } var line# := from#; "
                 "var rise# := to# - from#; ");
    tt_buf_str(w->out, "begun := true; ");
    for (uint32_t i = 0; i < w->n; i++)
        if (w->c[i].kind == &sa_clause_interpolate)
            tt_buf_fmt(w->out, "rise%u := rise%u / %s; ", i, i, n);
    tt_buf_fmt(w->out,
               "var part := H / %s; var least := 0.999999999 * part; "
               "var made := part; for (var k in 0 .. %s) { ",
               n, n);
    each_line(w, "line# := line# + rise#; ");
    write_part(w);
    tt_buf_str(w->out, "if (made < least) { ");
    each_line(w, "from# := line# - rise# * (1 - made / part); ");
    tt_buf_str(w->out, "return k * part + made; } } ");
    each_line(w, "from# := to#; ");
    tt_buf_str(w->out, "return H; } ");
}

const struct sa_clause_kind sa_clause_multiply = {
    "multiply", "multiply rate N", read_multiply, NULL, write_multiply};

static enum tt_code read_interpolate(struct sa_writer *w, struct sa_clause *c)
{
    enum tt_code rc = sa_cl_input(w, c);

    if (rc == TT_OK && sa_cl_is(sa_cl_peek(c), "in")) {
        (void)sa_cl_next(c);
        rc = read_count(w, c, "the number of steps");
        if (rc == TT_OK)
            rc = sa_cl_expect(w, c, "steps");
    }
    return rc == TT_OK ? sa_cl_end(w, c) : rc;
}

/* A line over the step, from what the input was at the end of the step before
 * to what it is now. */
static void write_interpolate(struct sa_writer *w, const struct sa_clause *c)
{
    const char *name = c->port->name;
    unsigned i = (unsigned)(c - w->c);

    sa_cl_declare(w, c->port);
    tt_buf_fmt(w->out,
               "in var to%u := 0.0, was%u := 0.0; control var from%u := 0.0; "
               "in rules { true -> { was%u := to%u; to%u := outside.%s; } "
               "--> { inside.%s := to%u; }; } ",
               i, i, i, i, i, i, name, name, i);
    if (c->rate > 0)
        write_multiply(w, c);
}

const struct sa_clause_kind sa_clause_interpolate = {
    "interpolate", "interpolate INPUT [in N steps]", read_interpolate, NULL,
    write_interpolate};

static enum tt_code read_divide(struct sa_writer *w, struct sa_clause *c)
{
    enum tt_code rc = read_rate(w, c);

    if (rc == TT_OK)
        rc = sa_cl_expect(w, c, "with");
    if (rc == TT_OK)
        rc = sa_cl_expect(w, c, "hold");
    return rc == TT_OK ? sa_cl_end(w, c) : rc;
}

/* The inner unit stands where it stepped to last, and makes up for it. */
#define LATE                                                                   \
    "if (not begun) { last := t; begun := true; } n := n + 1; var made := H; " \
    "if (%s) { n := 0; made := do_step(inside, last, t + H - last); "          \
    "if (made < 0.999999999 * (t + H - last)) "                                \
    "{ last := last + made; return last - t; } last := t + H; } return H; } "

static void write_late(struct sa_writer *w, const char *when)
{
    tt_buf_str(w->out, "control var n := 0, last := 0.0, begun := false; "
                       "control rules { ");
    tt_buf_fmt(w->out, LATE, when);
    sa_cl_hold(w);
}

static void write_divide(struct sa_writer *w, const struct sa_clause *c)
{
    char when[TT_NUM_MAX + 8] = "n >= ";

    tt_num_print_short(when + strlen(when), c->rate);
    write_late(w, when);
}

const struct sa_clause_kind sa_clause_divide = {
    "divide", "divide rate N with hold", read_divide, NULL, write_divide};

/* --- run ------------------------------------------------------------------ */

/* Its words, without comments. */
static enum tt_code keep_condition(struct sa_writer *w, struct sa_clause *c,
                                   const struct sa_expr *e)
{
    struct tt_buf text;
    enum tt_code rc;

    tt_buf_init(&text, SA_TEXT_MAX);
    sa_print_expr(e, &text);
    rc = tt_buf_check(&text, "a condition", w->err);
    c->when = rc == TT_OK ? tt_arena_strdup(w->arena, text.data) : NULL;
    tt_buf_fini(&text);
    return rc != TT_OK || c->when ? rc : tt_nomem(w->err, c->given->file);
}

static const char or_next[] = "or at next event";

/* The condition, without "or at next event" behind it. */
static enum tt_code condition(struct sa_writer *w, struct sa_clause *c,
                              char **text)
{
    const char *from = sa_cl_peek(c).s;
    size_t n = strlen(from), most = sizeof(or_next) - 1;

    while (n && (from[n - 1] == ' ' || from[n - 1] == '\t'))
        n--;
    if (n > most && !strncmp(from + n - most, or_next, most)) {
        c->way = 1;
        n -= most;
    }
    *text = tt_arena_strndup(w->arena, from, n);
    return *text ? TT_OK : tt_nomem(w->err, c->given->file);
}

static enum tt_code read_condition(struct sa_writer *w, struct sa_clause *c)
{
    struct sa_expr e;
    struct sa_prog p = {.arena = w->arena};
    struct sa_tok at = {.line = c->given->line};
    const char *from = sa_cl_peek(c).s;
    char *text = NULL;
    enum tt_code rc = condition(w, c, &text);

    if (rc != TT_OK)
        return rc;
    at.column = c->given->column + (uint32_t)(from - c->given->text);
    p.origin.name = c->given->file;
    rc = sa_parse_expr(&p, &at, text, &e, w->err);
    if (rc == TT_OK && e.tok[e.n].kind != SA_END)
        return sa_cl_fail(c->given, from + e.tok[e.n].from, w->err,
                          "'%s' is not of an expression", e.tok[e.n].s);
    return rc == TT_OK ? keep_condition(w, c, &e) : rc;
}

/* It is asked when that is. */
static enum tt_code needs_next(struct sa_writer *w, const struct sa_clause *c)
{
    if (sa_has_next(w->d))
        return TT_OK;
    return sa_cl_fail(c->given, c->given->text, w->err,
                      "'%s': the instance does not state when its next event "
                      "is (fmi2GetMaxStepSize, a table, a discrete-event "
                      "unit)",
                      c->given->text);
}

static enum tt_code read_run(struct sa_writer *w, struct sa_clause *c)
{
    enum tt_code rc;

    if (sa_cl_is(sa_cl_peek(c), "at")) {
        c->way = 1;
        rc = sa_cl_expect(w, c, "at");
        if (rc == TT_OK)
            rc = sa_cl_expect(w, c, "next");
        if (rc == TT_OK)
            rc = sa_cl_expect(w, c, "event");
        if (rc == TT_OK)
            rc = sa_cl_end(w, c);
    } else {
        rc = sa_cl_expect(w, c, "when");
        if (rc == TT_OK)
            rc = read_condition(w, c);
    }
    return rc == TT_OK && c->way ? needs_next(w, c) : rc;
}

/* The inner unit is asked when its next event is, and makes a step up to each
 * one that lies in the step, and with a condition to the end of it. */
static void write_next(struct sa_writer *w, const struct sa_clause *c)
{
    tt_buf_str(w->out,
               "control var last := 0.0, due := 0.0, begun := false; "
               "control rules { if (not begun) { last := t; begun := true; "
               "due := t + get_next_time_step(inside); } var open := true; "
               "for (var k in 0 .. 100000) { "
               "if (due > t + H + 0.000000001 * H) { open := false; break; } "
               "var made := do_step(inside, last, due - last); "
               "last := last + made; "
               "due := last + get_next_time_step(inside); } "
               "if (open) { fail(\"more than 100000 events in a step\"); } ");
    if (c->when)
        tt_buf_fmt(w->out,
                   "if (t + H > last and (%s)) { "
                   "do_step(inside, last, t + H - last); last := t + H; "
                   "due := last + get_next_time_step(inside); } ",
                   c->when);
    tt_buf_str(w->out, "return H; } ");
    sa_cl_hold(w);
}

static void write_run(struct sa_writer *w, const struct sa_clause *c)
{
    if (c->way)
        write_next(w, c);
    else
        write_late(w, c->when);
}

const struct sa_clause_kind sa_clause_run = {
    "run", "run when CONDITION [or at next event] | at next event", read_run,
    NULL, write_run};
