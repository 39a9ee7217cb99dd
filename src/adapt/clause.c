/* SPDX-License-Identifier: MIT */
/* Clauses of a scenario, each a program: "negate torque" is what would be
 * written by hand around the unit. */
#include <math.h>
#include <stdarg.h>
#include <string.h>

#include "adapt/adapt_impl.h"
#include "base/num.h"

#define RATE_MAX 1000000.0

struct word {
    const char *s; /* in the clause */
    size_t n;      /* 0: there is none */
};

struct clause {
    const struct tt_clause *given;
    const struct kind *kind;
    const char *at; /* what was not read yet */
    const struct tt_port *port;
    struct word inside, outside; /* units */
    double gain, offset, rate, start;
    const char *block; /* one that is built in stands before or behind it ... */
    double of_block[2]; /* ... with these parameters */
    const char *when;
};

struct writer {
    struct tt_buf *out;
    const struct tt_desc *d;
    struct clause *c;
    uint32_t n;
    tt_arena *arena;
    tt_err *err;
};

struct kind {
    const char *name, *form;
    enum tt_code (*read)(struct writer *w, struct clause *c);
    void (*write)(struct writer *w, const struct clause *c);
};

/* --- words ---------------------------------------------------------------- */

/* "file:line:column: fact", of this place in the clause. */
TT_PRINTF(4, 5)
static enum tt_code fail(const struct tt_clause *c, const char *at, tt_err *err,
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

static struct word peek(struct clause *c)
{
    c->at += strspn(c->at, " \t");
    return (struct word){c->at, strcspn(c->at, " \t")};
}

static struct word next(struct clause *c)
{
    struct word w = peek(c);

    c->at += w.n;
    return w;
}

static int is(struct word w, const char *text)
{
    return w.n == strlen(text) && !strncmp(w.s, text, w.n);
}

static enum tt_code malformed(struct writer *w, const struct clause *c,
                              const char *at)
{
    return fail(c->given, at, w->err, "a clause '%s' is '%s'", c->kind->name,
                c->kind->form);
}

static enum tt_code expect(struct writer *w, struct clause *c, const char *text)
{
    struct word found = next(c);

    return is(found, text) ? TT_OK : malformed(w, c, found.s);
}

static enum tt_code end(struct writer *w, struct clause *c)
{
    struct word more = peek(c);

    return more.n ? malformed(w, c, more.s) : TT_OK;
}

static enum tt_code number(struct writer *w, struct clause *c, double *to)
{
    struct word found = next(c);

    if (found.n && tt_num_parse_n(found.s, found.n, to) == 0 && isfinite(*to))
        return TT_OK;
    return fail(c->given, found.s, w->err, "expected a number, found '%.*s'",
                (int)found.n, found.s);
}

static enum tt_code positive(struct writer *w, struct clause *c, double *to,
                             int zero_too)
{
    struct word found = peek(c);
    enum tt_code rc = number(w, c, to);

    if (rc != TT_OK || *to > 0 || (zero_too && *to == 0))
        return rc;
    return fail(c->given, found.s, w->err, "expected a number %s, found '%.*s'",
                zero_too ? "that is not negative" : "greater than 0",
                (int)found.n, found.s);
}

/* --- variables ------------------------------------------------------------ */

static int is_input(const struct clause *c)
{
    return c->port->causality == TT_CAUS_INPUT;
}

static const char *unit_of(const struct tt_port *p)
{
    return p->quantity ? p->quantity->name : NULL;
}

static int is_plain(const struct tt_port *p)
{
    return (p->causality == TT_CAUS_INPUT || p->causality == TT_CAUS_OUTPUT) &&
           p->n == 1 && !p->n_dim && !p->clock && !p->hidden &&
           (tt_type_is_number(p->type) || tt_type_is_bool(p->type));
}

static enum tt_code no_port(struct writer *w, const struct clause *c,
                            struct word found, const char *name)
{
    const char *near = tt_desc_nearest(w->d, name, -1);

    if (c->port)
        return fail(c->given, found.s, w->err,
                    "'%s' is not an input or output with one number", name);
    return fail(c->given, found.s, w->err,
                "there is no input or output '%s'%s%s%s", name,
                near ? "; did you mean '" : "", near ? near : "",
                near ? "'?" : "");
}

/* An input or output that is a real number. */
static enum tt_code variable(struct writer *w, struct clause *c)
{
    struct word found = next(c);
    const char *name = tt_arena_strndup(w->arena, found.s, found.n);
    uint32_t i = name ? tt_desc_find(w->d, name) : TT_NONE;

    if (!found.n)
        return malformed(w, c, found.s);
    if (!name)
        return tt_nomem(w->err, c->given->file);
    c->port = i == TT_NONE ? NULL : &w->d->port[i];
    if (!c->port || !is_plain(c->port))
        return no_port(w, c, found, name);
    if (!tt_type_is_float(c->port->type))
        return fail(c->given, found.s, w->err, "'%s' is not a real number",
                    name);
    if (strchr(name, '.'))
        return fail(c->given, found.s, w->err,
                    "'%s' has a '.' in its name, which clauses do not take",
                    name);
    return TT_OK;
}

static enum tt_code input(struct writer *w, struct clause *c)
{
    struct word found = peek(c);
    enum tt_code rc = variable(w, c);

    return rc != TT_OK || is_input(c)
               ? rc
               : fail(c->given, found.s, w->err, "'%s' is not an input",
                      c->port->name);
}

/* --- pieces of programs --------------------------------------------------- */

static void put_plain(struct writer *w, double v)
{
    char text[TT_NUM_MAX];

    tt_num_print(text, v);
    tt_buf_str(w->out, text);
}

static void put(struct writer *w, double v)
{
    tt_buf_str(w->out, v < 0 ? "(" : "");
    put_plain(w, v);
    tt_buf_str(w->out, v < 0 ? ")" : "");
}

/* The variable as one of the adaptation, of its type and unit. */
static void declare(struct writer *w, const struct tt_port *p)
{
    const char *unit = unit_of(p);
    int real = tt_type_is_float(p->type);

    tt_buf_fmt(w->out, "%s ports %s %s ",
               p->causality == TT_CAUS_INPUT ? "input" : "output",
               tt_type_is_bool(p->type) ? "Bool"
               : real                   ? "Real"
                                        : "Integer",
               p->name);
    if (unit)
        tt_buf_fmt(w->out, "(%s) ", unit);
}

/* Outputs stay as they are while the inner unit does not move. */
static void hold(struct writer *w)
{
    for (uint32_t i = 0; i < w->d->n_port; i++) {
        const struct tt_port *p = &w->d->port[i];

        if (!is_plain(p) || p->causality != TT_CAUS_OUTPUT)
            continue;
        declare(w, p);
        tt_buf_fmt(w->out, "out var held%u := %s; ", i,
                   tt_type_is_bool(p->type) ? "false" : "0.0");
    }
    tt_buf_str(w->out, "out rules { h > 0 or not begun -> { ");
    for (int outer = 0; outer < 2; outer++) {
        for (uint32_t i = 0; i < w->d->n_port; i++) {
            const struct tt_port *p = &w->d->port[i];

            if (!is_plain(p) || p->causality != TT_CAUS_OUTPUT)
                continue;
            if (outer)
                tt_buf_fmt(w->out, "outside.%s := held%u; ", p->name, i);
            else
                tt_buf_fmt(w->out, "held%u := inside.%s; ", i, p->name);
        }
        tt_buf_str(w->out, outer ? "}; } " : "} --> { }; true -> { } --> { ");
    }
}

/* --- convert, frame, negate ----------------------------------------------- */

static enum tt_code read_convert(struct writer *w, struct clause *c)
{
    enum tt_code rc = variable(w, c);
    const char *own;

    if (rc != TT_OK)
        return rc;
    own = unit_of(c->port);
    c->inside = next(c);
    c->outside = next(c);
    if (!c->inside.n)
        return malformed(w, c, c->inside.s);
    if (!c->outside.n) {
        c->outside = c->inside;
        c->inside = (struct word){own, own ? strlen(own) : 0};
    }
    if (!c->inside.n)
        return fail(c->given, c->outside.s, w->err,
                    "'%s' has no unit: state the one it has, and the one it "
                    "is to have",
                    c->port->name);
    return end(w, c);
}

static void write_convert(struct writer *w, const struct clause *c)
{
    const char *what = is_input(c) ? "input" : "output";

    tt_buf_fmt(w->out,
               "with %s ports %s (%.*s) %s ports %s (%.*s) %s inside.%s ", what,
               c->port->name, (int)c->inside.n, c->inside.s, what,
               c->port->name, (int)c->outside.n, c->outside.s,
               is_input(c) ? "->" : "<-", c->port->name);
}

static enum tt_code read_negate(struct writer *w, struct clause *c)
{
    enum tt_code rc = variable(w, c);

    c->gain = -1;
    return rc == TT_OK ? end(w, c) : rc;
}

static enum tt_code read_frame(struct writer *w, struct clause *c)
{
    enum tt_code rc = variable(w, c);
    struct word word;

    if (rc == TT_OK && !peek(c).n)
        return malformed(w, c, c->at);
    while (rc == TT_OK && peek(c).n) {
        word = next(c);
        if (is(word, "gain"))
            rc = number(w, c, &c->gain);
        else if (is(word, "offset"))
            rc = number(w, c, &c->offset);
        else
            return malformed(w, c, word.s);
        if (rc == TT_OK && c->gain == 0)
            return fail(c->given, word.s, w->err,
                        "a gain of 0 has no way "
                        "back");
    }
    return rc;
}

/* Outside it is gain times what is inside, and the offset. */
static void put_outside(struct writer *w, const struct clause *c)
{
    if (c->gain != 1) {
        put(w, c->gain);
        tt_buf_str(w->out, " * ");
    }
    tt_buf_fmt(w->out, "inside.%s", c->port->name);
    if (c->offset != 0) {
        tt_buf_str(w->out, " + ");
        put(w, c->offset);
    }
}

static void put_inside(struct writer *w, const struct clause *c)
{
    tt_buf_fmt(w->out, "(outside.%s", c->port->name);
    if (c->offset != 0) {
        tt_buf_str(w->out, " - ");
        put(w, c->offset);
    }
    tt_buf_char(w->out, ')');
    if (c->gain != 1) {
        tt_buf_str(w->out, " / ");
        put(w, c->gain);
    }
}

static void write_frame(struct writer *w, const struct clause *c)
{
    const char *name = c->port->name;

    declare(w, c->port);
    tt_buf_fmt(w->out, "%s rules { true -> { } --> { %s.%s := ",
               is_input(c) ? "in" : "out", is_input(c) ? "inside" : "outside",
               name);
    if (is_input(c))
        put_inside(w, c);
    else
        put_outside(w, c);
    tt_buf_str(w->out, "; }; } ");
}

/* --- blocks --------------------------------------------------------------- */

/* A dead time takes its input from the begin of a step and comes first; else
 * the order is that of the signal. */
static void write_block(struct writer *w, const struct clause *c)
{
    const char *name = c->port->name;
    int in = is_input(c), late = strcmp(c->block, "dead-time") == 0;

    tt_buf_fmt(w->out, "for inner fmu Block block at \"tutti:%s\" with param ",
               c->block);
    tt_buf_str(w->out, late ? "time := " : "step := ");
    put_plain(w, c->of_block[0]);
    if (!late) {
        tt_buf_str(w->out, ", hysteresis := ");
        put_plain(w, c->of_block[1]);
    }
    tt_buf_fmt(w->out,
               in ? "; with block.y -> inside.%s "
                  : "; with inside.%s -> block.u ",
               name);
    declare(w, c->port);
    tt_buf_fmt(w->out,
               "%s control rules { var a := do_step(%s, t, H); "
               "var b := do_step(%s, t, H); return min(a, b); } ",
               in ? "-> block.u" : "<- block.y",
               in || late ? "block" : "inside",
               in || late ? "inside" : "block");
}

static enum tt_code read_quantize(struct writer *w, struct clause *c)
{
    enum tt_code rc = variable(w, c);

    c->block = "quantize";
    if (rc == TT_OK)
        rc = expect(w, c, "step");
    if (rc == TT_OK)
        rc = positive(w, c, &c->of_block[0], 0);
    if (rc == TT_OK && is(peek(c), "hysteresis")) {
        (void)next(c);
        rc = positive(w, c, &c->of_block[1], 1);
    }
    return rc == TT_OK ? end(w, c) : rc;
}

/* --- delay ---------------------------------------------------------------- */

static enum tt_code read_delay(struct writer *w, struct clause *c)
{
    enum tt_code rc = variable(w, c);

    if (rc == TT_OK && is(peek(c), "start")) {
        (void)next(c);
        rc = number(w, c, &c->start);
    } else if (rc == TT_OK && is(peek(c), "by")) {
        (void)next(c);
        c->block = "dead-time";
        rc = positive(w, c, &c->of_block[0], 0);
    }
    return rc == TT_OK ? end(w, c) : rc;
}

/* What is kept by control rules does not follow the input at once: circles of
 * connections are open here. */
static void write_delay(struct writer *w, const struct clause *c)
{
    const char *name = c->port->name;

    if (c->block) {
        write_block(w, c);
        return;
    }
    declare(w, c->port);
    tt_buf_str(w->out, "control var before := ");
    put(w, c->start);
    if (is_input(c))
        tt_buf_fmt(w->out,
                   "; control rules { var made := do_step(inside, t, H); "
                   "before := outside.%s; return made; } "
                   "in rules { true -> { } --> { inside.%s := before; }; } ",
                   name, name);
    else
        tt_buf_fmt(w->out,
                   "; control rules { before := inside.%s; "
                   "var made := do_step(inside, t, H); return made; } "
                   "out rules { true -> { } --> { outside.%s := before; }; } ",
                   name, name);
}

/* --- rates ---------------------------------------------------------------- */

static enum tt_code read_rate(struct writer *w, struct clause *c)
{
    enum tt_code rc = expect(w, c, "rate");
    struct word word = peek(c);

    if (rc == TT_OK)
        rc = number(w, c, &c->rate);
    if (rc == TT_OK &&
        (c->rate < 1 || c->rate > RATE_MAX || c->rate != floor(c->rate)))
        return fail(c->given, word.s, w->err,
                    "a rate is a whole number from 1 to 1000000, not '%.*s'",
                    (int)word.n, word.s);
    return rc;
}

static enum tt_code read_multiply(struct writer *w, struct clause *c)
{
    enum tt_code rc = read_rate(w, c);

    return rc == TT_OK ? end(w, c) : rc;
}

/* A statement of each input that is interpolated: its number stands for '#',
 * its name for '@'. */
static void each_line(struct writer *w, const char *text)
{
    for (uint32_t i = 0; i < w->n; i++)
        for (const char *s = text; w->c[i].port && *s; s++)
            if (*s == '#')
                tt_buf_fmt(w->out, "%u", i);
            else if (*s == '@')
                tt_buf_str(w->out, w->c[i].port->name);
            else
                tt_buf_char(w->out, *s);
}

/* A step that ends early ends all; the line of the next step begins where this
 * one is left. */
static void write_multiply(struct writer *w, const struct clause *c)
{
    char n[TT_NUM_MAX];

    tt_num_print_short(n, c->rate);
    tt_buf_str(w->out, "control var begun := false; control rules { ");
    each_line(w, "if (not begun) { from# := was#; } var line# := from#; "
                 "var rise# := to# - from#; ");
    tt_buf_str(w->out, "begun := true; ");
    for (uint32_t i = 0; i < w->n; i++)
        if (w->c[i].port)
            tt_buf_fmt(w->out, "rise%u := rise%u / %s; ", i, i, n);
    tt_buf_fmt(w->out,
               "var part := H / %s; var least := 0.999999999 * part; "
               "var made := part; for (var k in 0 .. %s) { ",
               n, n);
    each_line(w, "line# := line# + rise#; inside.@ := line#; ");
    tt_buf_str(w->out, "made := do_step(inside, t + k * part, part); "
                       "if (made < least) { ");
    each_line(w, "from# := line# - rise# * (1 - made / part); ");
    tt_buf_str(w->out, "return k * part + made; } } ");
    each_line(w, "from# := to#; ");
    tt_buf_str(w->out, "return H; } ");
}

static enum tt_code read_interpolate(struct writer *w, struct clause *c)
{
    enum tt_code rc = input(w, c);

    return rc == TT_OK ? end(w, c) : rc;
}

/* A line over the step, from what the input was at the end of the step before
 * to what it is now. */
static void write_interpolate(struct writer *w, const struct clause *c)
{
    const char *name = c->port->name;
    unsigned i = (unsigned)(c - w->c);

    declare(w, c->port);
    tt_buf_fmt(w->out,
               "in var to%u := 0.0, was%u := 0.0; control var from%u := 0.0; "
               "in rules { true -> { was%u := to%u; to%u := outside.%s; } "
               "--> { inside.%s := to%u; }; } ",
               i, i, i, i, i, i, name, name, i);
}

static enum tt_code read_divide(struct writer *w, struct clause *c)
{
    enum tt_code rc = read_rate(w, c);

    if (rc == TT_OK)
        rc = expect(w, c, "with");
    if (rc == TT_OK)
        rc = expect(w, c, "hold");
    return rc == TT_OK ? end(w, c) : rc;
}

/* The inner unit stands where it stepped to last, and makes up for it. */
#define LATE                                                                   \
    "if (not begun) { last := t; begun := true; } n := n + 1; var made := H; " \
    "if (%s) { n := 0; made := do_step(inside, last, t + H - last); "          \
    "if (made < 0.999999999 * (t + H - last)) "                                \
    "{ last := last + made; return last - t; } last := t + H; } return H; } "

static void write_late(struct writer *w, const char *when)
{
    tt_buf_str(w->out, "control var n := 0, last := 0.0, begun := false; "
                       "control rules { ");
    tt_buf_fmt(w->out, LATE, when);
    hold(w);
}

static void write_divide(struct writer *w, const struct clause *c)
{
    char when[TT_NUM_MAX + 8] = "n >= ";

    tt_num_print_short(when + strlen(when), c->rate);
    write_late(w, when);
}

/* --- run ------------------------------------------------------------------ */

/* Its words, without comments. */
static enum tt_code keep_condition(struct writer *w, struct clause *c,
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

static enum tt_code read_run(struct writer *w, struct clause *c)
{
    enum tt_code rc = expect(w, c, "when");
    const char *from = peek(c).s;
    struct sa_expr e;
    struct sa_prog p = {.arena = w->arena};
    struct sa_tok at = {.line = c->given->line};

    if (rc != TT_OK)
        return rc;
    at.column = c->given->column + (uint32_t)(from - c->given->text);
    p.origin.name = c->given->file;
    rc = sa_parse_expr(&p, &at, from, &e, w->err);
    if (rc == TT_OK && e.tok[e.n].kind != SA_END)
        return fail(c->given, from + e.tok[e.n].from, w->err,
                    "'%s' is not of an expression", e.tok[e.n].s);
    return rc == TT_OK ? keep_condition(w, c, &e) : rc;
}

static void write_run(struct writer *w, const struct clause *c)
{
    write_late(w, c->when);
}

/* --- all of them ---------------------------------------------------------- */

enum { INTERPOLATE, MULTIPLY };
static const struct kind kinds[] = {
    [INTERPOLATE] = {"interpolate", "interpolate INPUT", read_interpolate,
                     write_interpolate},
    [MULTIPLY] = {"multiply", "multiply rate N", read_multiply, write_multiply},
    {"convert", "convert VARIABLE [UNIT] UNIT", read_convert, write_convert},
    {"delay", "delay VARIABLE [start NUMBER | by SECONDS]", read_delay,
     write_delay},
    {"divide", "divide rate N with hold", read_divide, write_divide},
    {"frame", "frame VARIABLE [gain NUMBER] [offset NUMBER]", read_frame,
     write_frame},
    {"negate", "negate VARIABLE", read_negate, write_frame},
    {"quantize", "quantize VARIABLE step NUMBER [hysteresis NUMBER]",
     read_quantize, write_block},
    {"run", "run when CONDITION", read_run, write_run},
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))

static const struct kind *kind_of(const struct tt_clause *given)
{
    struct clause c = {.at = given->text};
    struct word first = next(&c);

    for (size_t i = 0; i < KINDS; i++)
        if (is(first, kinds[i].name))
            return &kinds[i];
    return NULL;
}

static const char *kind_name(const void *ctx, size_t i)
{
    (void)ctx;
    return kinds[i].name;
}

/* By name, and with what there is. */
static enum tt_code no_kind(struct writer *w, const struct tt_clause *given)
{
    struct clause c = {.at = given->text};
    struct word first = next(&c);
    const char *name = tt_arena_strndup(w->arena, first.s, first.n);
    const char *near =
        name ? tt_names_nearest(name, KINDS, kind_name, NULL) : NULL;
    struct tt_buf all;
    enum tt_code rc;

    tt_buf_init(&all, 4096);
    for (size_t i = 0; i < KINDS; i++)
        tt_buf_fmt(&all, "%s'%s'", i ? ", " : "", kinds[i].form);
    rc = fail(given, first.s, w->err,
              "there is no clause '%s'%s%s%s; there are "
              "%s",
              name ? name : "", near ? "; did you mean '" : "",
              near ? near : "", near ? "'?" : "", all.failed ? "" : all.data);
    tt_buf_fini(&all);
    return rc;
}

/* Interpolation is about the steps that a rate makes: neighbours are one. */
uint32_t sa_clauses_together(const struct tt_source *s)
{
    uint32_t n = 0;
    int rates = 0;

    while (n < s->n_clause) {
        const struct kind *k = kind_of(&s->clause[s->n_clause - 1 - n]);

        if (k != &kinds[INTERPOLATE] && k != &kinds[MULTIPLY])
            break;
        rates += k == &kinds[MULTIPLY];
        if (rates > 1)
            break;
        n++;
    }
    return n ? n : 1;
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

static enum tt_code read(struct writer *w, struct clause *c)
{
    c->kind = kind_of(c->given);
    if (!c->kind)
        return no_kind(w, c->given);
    c->gain = 1;
    c->at = c->given->text;
    (void)next(c);
    return c->kind->read(w, c);
}

static enum tt_code check(struct writer *w)
{
    int rates = 0;

    for (uint32_t i = 0; i < w->n; i++) {
        rates += w->c[i].kind == &kinds[MULTIPLY];
        for (uint32_t k = 0; k < i; k++)
            if (w->c[i].port && w->c[i].port == w->c[k].port)
                return fail(w->c[i].given, w->c[i].given->text, w->err,
                            "'%s' is interpolated twice", w->c[i].port->name);
    }
    if (!rates && w->c[0].kind == &kinds[INTERPOLATE])
        return fail(w->c[0].given, w->c[0].given->text, w->err,
                    "'interpolate' needs 'multiply rate' beside it: a single "
                    "step has nothing in between");
    return TT_OK;
}

/* Where the unit is that the clauses are about; as far as that has a place. */
static const char *place_of(const struct tt_source *s, uint32_t n)
{
    return n == s->n_clause && !s->inner && !strchr(s->path, '"') ? s->path
                                                                  : "inside";
}

enum tt_code sa_write_clauses(struct tt_buf *out, const struct tt_source *s,
                              uint32_t n, const struct tt_desc *d, tt_arena *a,
                              tt_err *err)
{
    const struct tt_clause *c = s->clause + s->n_clause - n;
    struct writer w = {.out = out,
                       .d = d,
                       .c = tt_arena_alloc(a, n, sizeof(*w.c)),
                       .n = n,
                       .arena = a,
                       .err = err};
    int reactive = 0;
    enum tt_code rc = w.c ? TT_OK : tt_nomem(err, c->file);

    for (uint32_t i = 0; i < n && rc == TT_OK; i++) {
        w.c[i] = (struct clause){.given = &c[i]};
        rc = read(&w, &w.c[i]);
        reactive |= w.c[i].kind == &kinds[INTERPOLATE];
    }
    if (rc == TT_OK)
        rc = check(&w);
    if (rc != TT_OK)
        return rc;
    tt_buf_fmt(out,
               "semantic adaptation %sOutside outside for inner fmu Inside "
               "inside at \"%s\" ",
               reactive ? "reactive " : "", place_of(s, n));
    for (uint32_t i = 0; i < n; i++)
        w.c[i].kind->write(&w, &w.c[i]);
    return tt_buf_check(out, "clauses", err);
}
