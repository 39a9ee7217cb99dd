/* SPDX-License-Identifier: MIT */
/* Clauses about values: units, frames, quanta, delays. */
#include <math.h>
#include <string.h>

#include "adapt/clause_impl.h"

#define LEVELS_MAX 64

/* --- convert, frame, negate ----------------------------------------------- */

static enum tt_code read_convert(struct sa_writer *w, struct sa_clause *c)
{
    enum tt_code rc = sa_cl_variable(w, c);
    const char *own;

    if (rc != TT_OK)
        return rc;
    own = sa_cl_unit_of(c->port);
    c->inside = sa_cl_next(c);
    c->outside = sa_cl_next(c);
    if (!c->inside.n)
        return sa_cl_malformed(w, c, c->inside.s);
    if (!c->outside.n) {
        c->outside = c->inside;
        c->inside = (struct sa_word){own, own ? strlen(own) : 0};
    }
    if (!c->inside.n)
        return sa_cl_fail(
            c->given, c->outside.s, w->err,
            "'%s' has no unit: state the one it has, and the one it "
            "is to have",
            c->port->name);
    return sa_cl_end(w, c);
}

static void write_unit_inside(struct sa_writer *w, const struct sa_clause *c)
{
    tt_buf_fmt(w->out, "with %s ports %s (%.*s) ",
               sa_cl_is_input(c) ? "input" : "output", c->port->name,
               (int)c->inside.n, c->inside.s);
}

static void write_convert(struct sa_writer *w, const struct sa_clause *c)
{
    int in = sa_cl_is_input(c);

    tt_buf_fmt(w->out, "%s ports %s (%.*s) %s inside.%s ",
               in ? "input" : "output", c->port->name, (int)c->outside.n,
               c->outside.s, in ? "->" : "<-", c->port->name);
}

const struct sa_clause_kind sa_clause_convert = {
    "convert", "convert VARIABLE [UNIT] UNIT", read_convert, write_unit_inside,
    write_convert};

static enum tt_code read_negate(struct sa_writer *w, struct sa_clause *c)
{
    enum tt_code rc = sa_cl_variable(w, c);

    c->many[0] = c->port;
    c->n_many = 1;
    c->matrix[0][0] = -1;
    return rc == TT_OK ? sa_cl_end(w, c) : rc;
}

static int is_frame_word(struct sa_word word)
{
    return !word.n || sa_cl_is(word, "gain") || sa_cl_is(word, "matrix") ||
           sa_cl_is(word, "offset");
}

/* Variables of one frame go one way. */
static enum tt_code read_variables(struct sa_writer *w, struct sa_clause *c)
{
    enum tt_code rc = TT_OK;

    do {
        struct sa_word word = sa_cl_peek(c);

        if (c->n_many == SA_FRAME_MAX)
            return sa_cl_fail(c->given, word.s, w->err,
                              "a frame has at most %d variables", SA_FRAME_MAX);
        rc = sa_cl_variable(w, c);
        for (uint32_t i = 0; i < c->n_many && rc == TT_OK; i++)
            if (c->many[i] == c->port)
                return sa_cl_fail(c->given, word.s, w->err,
                                  "'%s' is in the frame twice", c->port->name);
        if (rc == TT_OK && c->n_many &&
            c->port->causality != c->many[0]->causality)
            return sa_cl_fail(c->given, word.s, w->err,
                              "'%s' is an %s and '%s' is not: a frame is of "
                              "either",
                              c->many[0]->name,
                              c->many[0]->causality == TT_CAUS_INPUT ? "input"
                                                                     : "output",
                              c->port->name);
        c->many[c->n_many++] = c->port;
    } while (rc == TT_OK && !is_frame_word(sa_cl_peek(c)));
    return rc;
}

static enum tt_code read_numbers(struct sa_writer *w, struct sa_clause *c,
                                 double *to, uint32_t n)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < n && rc == TT_OK; i++)
        rc = sa_cl_number(w, c, &to[i]);
    return rc;
}

/* Gauss and Jordan, largest pivots. -1: there is no inverse. */
static int invert(double (*m)[SA_FRAME_MAX], uint32_t n)
{
    double inverse[SA_FRAME_MAX][SA_FRAME_MAX] = {{0}};

    for (uint32_t i = 0; i < n; i++)
        inverse[i][i] = 1;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t best = i;

        for (uint32_t k = i + 1; k < n; k++)
            if (fabs(m[k][i]) > fabs(m[best][i]))
                best = k;
        if (fabs(m[best][i]) < 1e-300)
            return -1;
        for (uint32_t j = 0; j < n; j++) {
            double a = m[i][j], b = inverse[i][j];

            m[i][j] = m[best][j];
            m[best][j] = a;
            inverse[i][j] = inverse[best][j];
            inverse[best][j] = b;
        }
        for (uint32_t k = 0; k < n; k++) {
            double f = (k == i ? m[i][i] - 1 : m[k][i]) / m[i][i];

            for (uint32_t j = 0; j < n; j++) {
                m[k][j] -= f * m[i][j];
                inverse[k][j] -= f * inverse[i][j];
            }
        }
    }
    memcpy(m, inverse, sizeof(inverse));
    return 0;
}

/* Of inputs the matrix becomes that of the way in, whatever it is. */
static enum tt_code turn(struct sa_writer *w, struct sa_clause *c)
{
    double copy[SA_FRAME_MAX][SA_FRAME_MAX];

    memcpy(copy, c->matrix, sizeof(copy));
    if (invert(copy, c->n_many) != 0)
        return sa_cl_fail(c->given, c->given->text, w->err,
                          c->n_many == 1
                              ? "a gain of 0 has no way back"
                              : "the matrix has no inverse, so that there is "
                                "no way back");
    if (sa_cl_is_input(c) && c->n_many > 1)
        memcpy(c->matrix, copy, sizeof(copy));
    return TT_OK;
}

static enum tt_code read_matrix(struct sa_writer *w, struct sa_clause *c)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < c->n_many && rc == TT_OK; i++)
        rc = read_numbers(w, c, c->matrix[i], c->n_many);
    return rc;
}

static enum tt_code read_frame(struct sa_writer *w, struct sa_clause *c)
{
    enum tt_code rc = read_variables(w, c);
    double gain = 1;

    if (rc == TT_OK && !sa_cl_peek(c).n)
        return sa_cl_malformed(w, c, c->at);
    for (uint32_t i = 0; i < c->n_many; i++)
        c->matrix[i][i] = 1;
    while (rc == TT_OK && sa_cl_peek(c).n) {
        struct sa_word word = sa_cl_next(c);

        if (sa_cl_is(word, "gain")) {
            rc = sa_cl_number(w, c, &gain);
            for (uint32_t i = 0; i < c->n_many; i++)
                c->matrix[i][i] = gain;
        } else if (sa_cl_is(word, "matrix")) {
            rc = read_matrix(w, c);
        } else if (sa_cl_is(word, "offset")) {
            rc = read_numbers(w, c, c->offset, c->n_many);
        } else {
            return sa_cl_malformed(w, c, word.s);
        }
    }
    return rc == TT_OK ? turn(w, c) : rc;
}

/* gain * SIDE.name + ... of row i. */
static void put_sum(struct sa_writer *w, const struct sa_clause *c, uint32_t i,
                    int in)
{
    int n = 0;

    for (uint32_t k = 0; k < c->n_many; k++) {
        if (c->matrix[i][k] == 0)
            continue;
        tt_buf_str(w->out, n++ ? " + " : "");
        if (c->matrix[i][k] != 1) {
            sa_cl_put(w, c->matrix[i][k]);
            tt_buf_str(w->out, " * ");
        }
        tt_buf_fmt(w->out, in ? "(outside.%s" : "inside.%s", c->many[k]->name);
        if (in && c->offset[k] != 0) {
            tt_buf_str(w->out, " - ");
            sa_cl_put(w, c->offset[k]);
        }
        tt_buf_str(w->out, in ? ")" : "");
    }
    if (!in && c->offset[i] != 0) {
        tt_buf_str(w->out, " + ");
        sa_cl_put(w, c->offset[i]);
    }
}

/* One input is divided by its gain, which is the exact way back. */
static void put_inside(struct sa_writer *w, const struct sa_clause *c)
{
    tt_buf_fmt(w->out, "(outside.%s", c->port->name);
    if (c->offset[0] != 0) {
        tt_buf_str(w->out, " - ");
        sa_cl_put(w, c->offset[0]);
    }
    tt_buf_char(w->out, ')');
    if (c->matrix[0][0] != 1) {
        tt_buf_str(w->out, " / ");
        sa_cl_put(w, c->matrix[0][0]);
    }
}

/* What input i begins with outside, all of them being inside as they begin. */
static double start_outside(const struct sa_clause *c, uint32_t i)
{
    double m[SA_FRAME_MAX][SA_FRAME_MAX], v = c->offset[i];

    memcpy(m, c->matrix, sizeof(m));
    if (c->n_many > 1) /* that of the way in */
        (void)invert(m, c->n_many);
    for (uint32_t k = 0; k < c->n_many; k++)
        v += m[i][k] * sa_cl_start(c->many[k]);
    return v;
}

/* Outside it is the matrix times what is inside, and the offset. */
static void write_frame(struct sa_writer *w, const struct sa_clause *c)
{
    int in = sa_cl_is_input(c);

    for (uint32_t i = 0; i < c->n_many; i++)
        sa_cl_declare_from(w, c->many[i], in ? start_outside(c, i) : 0);
    tt_buf_fmt(w->out, "%s rules { true -> { } --> { ", in ? "in" : "out");
    for (uint32_t i = 0; i < c->n_many; i++) {
        tt_buf_fmt(w->out, "%s.%s := ", in ? "inside" : "outside",
                   c->many[i]->name);
        if (in && c->n_many == 1)
            put_inside(w, c);
        else
            put_sum(w, c, i, in);
        tt_buf_str(w->out, "; ");
    }
    tt_buf_str(w->out, "}; } ");
}

const struct sa_clause_kind sa_clause_negate = {"negate", "negate VARIABLE",
                                                read_negate, NULL, write_frame};
const struct sa_clause_kind sa_clause_frame = {
    "frame",
    "frame VARIABLE ... [gain NUMBER | matrix NUMBER ...] [offset NUMBER ...]",
    read_frame, NULL, write_frame};

/* --- blocks --------------------------------------------------------------- */

/* A dead time takes its input from the begin of a step and comes first; else
 * the order is that of the signal. */
static void write_block(struct sa_writer *w, const struct sa_clause *c)
{
    const char *name = c->port->name;
    int in = sa_cl_is_input(c), late = strcmp(c->block, "dead-time") == 0;

    tt_buf_fmt(w->out, "for inner fmu Block block at \"tutti:%s\" with param ",
               c->block);
    tt_buf_str(w->out, late ? "time := " : "step := ");
    sa_cl_put_plain(w, c->of_block[0]);
    if (!late) {
        tt_buf_str(w->out, ", hysteresis := ");
        sa_cl_put_plain(w, c->of_block[1]);
    }
    tt_buf_fmt(w->out,
               in ? "; with block.y -> inside.%s "
                  : "; with inside.%s -> block.u ",
               name);
    sa_cl_declare(w, c->port);
    tt_buf_fmt(w->out,
               "%s control rules { var a := do_step(%s, t, H); "
               "var b := do_step(%s, t, H); return min(a, b); } ",
               in ? "-> block.u" : "<- block.y",
               in || late ? "block" : "inside",
               in || late ? "inside" : "block");
}

/* Levels in their order, each the lower end of its region. */
static enum tt_code read_levels(struct sa_writer *w, struct sa_clause *c)
{
    enum tt_code rc = TT_OK;

    if (!TT_NEW_IN(w->arena, c->levels, LEVELS_MAX))
        return tt_nomem(w->err, c->given->file);
    do {
        struct sa_word word = sa_cl_peek(c);

        if (c->n_level == LEVELS_MAX)
            return sa_cl_fail(c->given, word.s, w->err,
                              "there are at most %d levels", LEVELS_MAX);
        rc = sa_cl_number(w, c, &c->levels[c->n_level]);
        if (rc == TT_OK && c->n_level &&
            c->levels[c->n_level] <= c->levels[c->n_level - 1])
            return sa_cl_fail(c->given, word.s, w->err,
                              "levels are in rising order");
        c->n_level++;
    } while (rc == TT_OK && sa_cl_peek(c).n);
    return rc;
}

static enum tt_code read_quantize(struct sa_writer *w, struct sa_clause *c)
{
    enum tt_code rc = sa_cl_variable(w, c);

    if (rc == TT_OK && sa_cl_is(sa_cl_peek(c), "at")) {
        (void)sa_cl_next(c);
        return read_levels(w, c);
    }
    c->block = "quantize";
    if (rc == TT_OK)
        rc = sa_cl_expect(w, c, "step");
    if (rc == TT_OK)
        rc = sa_cl_positive(w, c, &c->of_block[0], 0);
    if (rc == TT_OK && sa_cl_is(sa_cl_peek(c), "hysteresis")) {
        (void)sa_cl_next(c);
        rc = sa_cl_positive(w, c, &c->of_block[1], 1);
    }
    return rc == TT_OK ? sa_cl_end(w, c) : rc;
}

/* The highest level that is not above the value; below all: the lowest. */
static void write_levels(struct sa_writer *w, const struct sa_clause *c)
{
    int in = sa_cl_is_input(c);
    const char *name = c->port->name;

    sa_cl_declare(w, c->port);
    tt_buf_fmt(w->out,
               "%s rules { true -> { } --> { %s.%s := ", in ? "in" : "out",
               in ? "inside" : "outside", name);
    for (uint32_t i = 0; i < c->n_level; i++) {
        if (i + 1 < c->n_level) {
            tt_buf_fmt(w->out, "%s.%s < ", in ? "outside" : "inside", name);
            sa_cl_put(w, c->levels[i + 1]);
            tt_buf_str(w->out, " ? ");
        }
        sa_cl_put(w, c->levels[i]);
        tt_buf_str(w->out, i + 1 < c->n_level ? " : " : "; }; } ");
    }
}

static void write_quantize(struct sa_writer *w, const struct sa_clause *c)
{
    if (c->n_level)
        write_levels(w, c);
    else
        write_block(w, c);
}

const struct sa_clause_kind sa_clause_quantize = {
    "quantize",
    "quantize VARIABLE step NUMBER [hysteresis NUMBER] | at NUMBER ...",
    read_quantize, NULL, write_quantize};

/* --- delay ---------------------------------------------------------------- */

static enum tt_code read_delay(struct sa_writer *w, struct sa_clause *c)
{
    enum tt_code rc = sa_cl_variable(w, c);

    if (rc == TT_OK && sa_cl_is(sa_cl_peek(c), "start")) {
        (void)sa_cl_next(c);
        rc = sa_cl_number(w, c, &c->start);
    } else if (rc == TT_OK && sa_cl_is(sa_cl_peek(c), "by")) {
        (void)sa_cl_next(c);
        c->block = "dead-time";
        rc = sa_cl_positive(w, c, &c->of_block[0], 0);
    }
    return rc == TT_OK ? sa_cl_end(w, c) : rc;
}

/* What is kept by control rules does not follow the input at once: circles of
 * connections are open here. */
static void write_delay(struct sa_writer *w, const struct sa_clause *c)
{
    const char *name = c->port->name;

    if (c->block) {
        write_block(w, c);
        return;
    }
    sa_cl_declare(w, c->port);
    tt_buf_str(w->out, "control var before := ");
    sa_cl_put(w, c->start);
    if (sa_cl_is_input(c))
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

const struct sa_clause_kind sa_clause_delay = {
    "delay", "delay VARIABLE [start NUMBER | by SECONDS]", read_delay, NULL,
    write_delay};

/* --- derivatives ---------------------------------------------------------- */

static enum tt_code read_derivatives(struct sa_writer *w, struct sa_clause *c)
{
    enum tt_code rc = sa_cl_expect(w, c, "by");

    if (rc == TT_OK)
        rc = sa_cl_expect(w, c, "differences");
    if (rc == TT_OK && sa_cl_is(sa_cl_peek(c), "of")) {
        (void)sa_cl_next(c);
        rc = sa_cl_positive(w, c, &c->of_block[0], 0);
    }
    return rc == TT_OK ? sa_cl_end(w, c) : rc;
}

static void write_derivatives(struct sa_writer *w, const struct sa_clause *c)
{
    tt_buf_str(w->out, "derivatives by differences ");
    if (c->of_block[0] > 0) {
        tt_buf_str(w->out, "of ");
        sa_cl_put_plain(w, c->of_block[0]);
    }
    tt_buf_str(w->out, "; ");
}

const struct sa_clause_kind sa_clause_derivatives = {
    "derivatives", "derivatives by differences [of SECONDS]", read_derivatives,
    NULL, write_derivatives};
