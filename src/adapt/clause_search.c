/* SPDX-License-Identifier: MIT */
/* Clauses that search: circles that are solved, crossings and jumps that are
 * found. */
#include <math.h>
#include <string.h>

#include "adapt/clause_impl.h"

/* A step that ended early, among those of a length. */
#define SHORT "< 0.999999999 * "

/* --- options -------------------------------------------------------------- */

struct option {
    const char *word;
    double *to;
    int zero_too;
};

/* The one that is next, or none: *found is 0 then. */
static enum tt_code read_option(struct sa_writer *w, struct sa_clause *c,
                                const struct option *o, size_t n, int *found)
{
    struct sa_word word = sa_cl_peek(c);

    *found = 0;
    for (size_t i = 0; i < n; i++) {
        if (!sa_cl_is(word, o[i].word))
            continue;
        (void)sa_cl_next(c);
        *found = 1;
        return sa_cl_positive(w, c, o[i].to, o[i].zero_too);
    }
    return TT_OK;
}

/* --- an input, and what it was at the end of the step before ------------- */

#define SEEN_STEP                                                              \
    "begun := true; before := seen; var made := do_step(inside, t, H); "       \
    "return made; } "

static void begin_seen(struct sa_writer *w, const struct sa_clause *c)
{
    const char *name = c->port->name;

    sa_cl_declare(w, c->port);
    tt_buf_fmt(w->out,
               "in var seen := 0.0; control var before := 0.0, begun := false; "
               "in rules { true -> { seen := outside.%s; } --> "
               "{ inside.%s := seen; }; } control rules { ",
               name, name);
}

/* --- iterate -------------------------------------------------------------- */

enum { SUBSTITUTION, AITKEN, NEWTON };

#define TURNS_MAX 1000

static enum tt_code read_ends(struct sa_writer *w, struct sa_clause *c)
{
    struct sa_word found;
    enum tt_code rc = sa_cl_input(w, c);

    c->many[0] = c->port;
    if (rc == TT_OK)
        rc = sa_cl_expect(w, c, "from");
    found = sa_cl_peek(c);
    if (rc == TT_OK)
        rc = sa_cl_variable(w, c);
    if (rc == TT_OK && sa_cl_is_input(c))
        return sa_cl_fail(c->given, found.s, w->err, "'%s' is not an output",
                          c->port->name);
    c->many[1] = c->port;
    c->port = c->many[0];
    return rc;
}

static enum tt_code read_iterate(struct sa_writer *w, struct sa_clause *c)
{
    const struct option option[] = {{"absolute", &c->absolute, 1},
                                    {"relative", &c->relative, 1},
                                    {"turns", &c->turns, 0}};
    enum tt_code rc = read_ends(w, c);

    c->absolute = c->relative = 1e-9;
    c->turns = 50;
    while (rc == TT_OK && sa_cl_peek(c).n) {
        struct sa_word word = sa_cl_peek(c);
        int found;

        rc = read_option(w, c, option, 3, &found);
        if (found)
            continue;
        (void)sa_cl_next(c);
        if (sa_cl_is(word, "start"))
            rc = sa_cl_number(w, c, &c->start);
        else if (sa_cl_is(word, "aitken"))
            c->way = AITKEN;
        else if (sa_cl_is(word, "newton"))
            c->way = NEWTON;
        else
            return sa_cl_malformed(w, c, word.s);
    }
    if (rc == TT_OK && (c->turns != floor(c->turns) || c->turns > TURNS_MAX))
        return sa_cl_fail(c->given, c->given->text, w->err,
                          "turns are a whole number from 1 to %d", TURNS_MAX);
    return rc;
}

/* The next guess, from what a step with this one came to. */
static void write_guess(struct sa_writer *w, const struct sa_clause *c,
                        const char *from, const char *length,
                        void (*inputs)(struct sa_writer *w))
{
    if (c->way == SUBSTITUTION)
        tt_buf_str(w->out, "guess := got; ");
    if (c->way == AITKEN)
        tt_buf_str(w->out,
                   "if (j > 0 and off != off_before) { "
                   "omega := -omega * off_before / (off - off_before); } "
                   "off_before := off; guess := guess + omega * off; ");
    if (c->way != NEWTON)
        return;
    tt_buf_str(w->out, "var d := 0.0000001 * max(1, abs(guess)); ");
    inputs(w);
    tt_buf_fmt(w->out,
               "inside.%s := guess + d; do_step(inside, %s, %s); "
               "var slope := (inside.%s - got) / d; rollback(inside); "
               "guess := guess + off / (1 - slope); ",
               c->many[0]->name, from, length, c->many[1]->name);
}

static void write_turn_vars(struct sa_writer *w, const struct sa_clause *c)
{
    tt_buf_str(w->out, "control var guess := ");
    sa_cl_put(w, c->start);
    tt_buf_str(w->out, "; ");
}

void sa_cl_write_turns(struct sa_writer *w, const struct sa_clause *c,
                       const char *from, const char *length,
                       void (*inputs)(struct sa_writer *w))
{
    const char *in = c->many[0]->name, *out = c->many[1]->name;

    tt_buf_fmt(w->out,
               "var got := guess; var off := 0.0; var off_before := 0.0; "
               "var omega := 1.0; var done := false; "
               "for (var j in 0 .. %d) { save_state(inside); ",
               (int)c->turns);
    inputs(w);
    tt_buf_fmt(w->out,
               "inside.%s := guess; made := do_step(inside, %s, %s); "
               "if (made " SHORT "%s) { done := true; break; } "
               "got := inside.%s; off := got - guess; "
               "done := is_close(got, guess, ",
               in, from, length, length, out);
    sa_cl_put_plain(w, c->relative);
    tt_buf_str(w->out, ", ");
    sa_cl_put_plain(w, c->absolute);
    tt_buf_str(w->out, "); if (done) { break; } rollback(inside); ");
    write_guess(w, c, from, length, inputs);
    tt_buf_fmt(w->out,
               "} if (not done) { fail(\"'%s' and '%s' do not settle in %d "
               "turns\"); } guess := got; ",
               in, out, (int)c->turns);
}

static void no_inputs(struct sa_writer *w)
{
    (void)w;
}

/* The input is the output, at the end of each step. */
static void write_iterate(struct sa_writer *w, const struct sa_clause *c)
{
    write_turn_vars(w, c);
    tt_buf_fmt(w->out, "in rules { true -> { } --> { inside.%s := guess; }; } ",
               c->many[0]->name);
    if (w->n > 1) /* a rate beside it makes the steps */
        return;
    tt_buf_str(w->out, "control rules { var made := H; ");
    sa_cl_write_turns(w, c, "t", "H", no_inputs);
    tt_buf_str(w->out, "return made; } ");
}

const struct sa_clause_kind sa_clause_iterate = {
    "iterate",
    "iterate INPUT from OUTPUT [start NUMBER] [absolute NUMBER] "
    "[relative NUMBER] [turns N] [aitken | newton]",
    read_iterate, NULL, write_iterate};

/* --- locate --------------------------------------------------------------- */

static enum tt_code read_locate(struct sa_writer *w, struct sa_clause *c)
{
    const struct option option = {"tolerance", &c->absolute, 0};
    enum tt_code rc = sa_cl_variable(w, c);

    if (rc == TT_OK)
        rc = sa_cl_expect(w, c, "crosses");
    if (rc == TT_OK)
        rc = sa_cl_number(w, c, &c->level);
    c->absolute = 1e-9 * fmax(1, fabs(c->level));
    while (rc == TT_OK && sa_cl_peek(c).n) {
        struct sa_word word = sa_cl_peek(c);
        int found;

        rc = read_option(w, c, &option, 1, &found);
        if (found)
            continue;
        (void)sa_cl_next(c);
        if (!sa_cl_is(word, "up") && !sa_cl_is(word, "down"))
            return sa_cl_malformed(w, c, word.s);
        c->way = sa_cl_is(word, "up") ? 1 : -1;
    }
    return rc;
}

/* off: below and above the level, at the begin and the end of a step; on the
 * level is on neither side. */
static void write_crosses(struct sa_writer *w, const struct sa_clause *c)
{
    tt_buf_str(w->out, c->way > 0   ? "low < 0 and high > 0"
                       : c->way < 0 ? "low > 0 and high < 0"
                                    : "low * high < 0");
    tt_buf_str(w->out, " and abs(low) > ");
    sa_cl_put_plain(w, c->absolute);
    tt_buf_str(w->out, " and abs(high) > ");
    sa_cl_put_plain(w, c->absolute);
}

/* A step of which the input is beyond the level at its end is rejected, with
 * where the line to there crosses it. */
static void write_locate_input(struct sa_writer *w, const struct sa_clause *c)
{
    begin_seen(w, c);
    tt_buf_str(w->out, "var low := before - ");
    sa_cl_put(w, c->level);
    tt_buf_str(w->out, "; var high := seen - ");
    sa_cl_put(w, c->level);
    tt_buf_str(w->out, "; if (begun and ");
    write_crosses(w, c);
    tt_buf_fmt(
        w->out,
        " and H > 0.000000000001 * max(1, abs(t))) { "
        "if (may_reject) { return H * low / (low - high); } "
        "warn(\"'%s' crosses its level inside a step, which is not taken "
        "back: there are instances that cannot restore a state\"); "
        "} " SEEN_STEP,
        c->port->name);
}

/* An output is searched for by steps from the same state: false position, the
 * side that stays with half its weight. */
static void write_locate_output(struct sa_writer *w, const struct sa_clause *c)
{
    const char *name = c->port->name;

    tt_buf_fmt(w->out, "control rules { var low := inside.%s - ", name);
    sa_cl_put(w, c->level);
    tt_buf_str(w->out, "; save_state(inside); "
                       "var made := do_step(inside, t, H); ");
    tt_buf_fmt(w->out, "var high := inside.%s - ", name);
    sa_cl_put(w, c->level);
    tt_buf_str(w->out, "; if (may_reject and ");
    write_crosses(w, c);
    tt_buf_fmt(w->out,
               ") { var from := 0.0; var to := made; var side := 0; "
               "for (var k in 0 .. 200) { "
               "var part := from + (to - from) * low / (low - high); "
               "rollback(inside); made := do_step(inside, t, part); "
               "var off := inside.%s - ",
               name);
    sa_cl_put(w, c->level);
    tt_buf_str(w->out, "; if (abs(off) <= ");
    sa_cl_put_plain(w, c->absolute);
    tt_buf_str(w->out,
               " or to - from <= 0.00000000000001 * max(1, abs(t))) { break; } "
               "if (off * low > 0) { from := part; low := off; "
               "if (side == 1) { high := high / 2; } side := 1; } else { "
               "to := part; high := off; "
               "if (side == 2) { low := low / 2; } side := 2; } } } "
               "return made; } ");
}

static void write_locate(struct sa_writer *w, const struct sa_clause *c)
{
    if (sa_cl_is_input(c))
        write_locate_input(w, c);
    else
        write_locate_output(w, c);
}

const struct sa_clause_kind sa_clause_locate = {
    "locate", "locate VARIABLE crosses NUMBER [up | down] [tolerance NUMBER]",
    read_locate, NULL, write_locate};

/* --- reinitialise --------------------------------------------------------- */

static enum tt_code start_variable(struct sa_writer *w, struct sa_clause *c,
                                   const struct tt_port **p)
{
    struct sa_word found = sa_cl_next(c);
    const char *name = tt_arena_strndup(w->arena, found.s, found.n), *near;
    uint32_t i = name ? tt_desc_find(w->d, name) : TT_NONE;

    if (!found.n)
        return sa_cl_malformed(w, c, found.s);
    *p = i == TT_NONE ? NULL : &w->d->port[i];
    if (*p && (*p)->n == 1 && tt_type_is_float((*p)->type))
        return TT_OK;
    near = name ? tt_desc_nearest(w->d, name, -1) : NULL;
    return sa_cl_fail(c->given, found.s, w->err,
                      "there is no real variable '%s'%s%s%s", name ? name : "",
                      near ? "; did you mean '" : "", near ? near : "",
                      near ? "'?" : "");
}

/* keep OUTPUT [as VARIABLE] */
static enum tt_code read_keep(struct sa_writer *w, struct sa_clause *c)
{
    const struct tt_port *jumps = c->port;
    struct sa_word found = sa_cl_peek(c);
    enum tt_code rc = sa_cl_variable(w, c);

    if (rc == TT_OK && c->n_many == SA_FRAME_MAX)
        return sa_cl_fail(c->given, found.s, w->err,
                          "at most %d variables are kept", SA_FRAME_MAX);
    if (rc == TT_OK && sa_cl_is_input(c))
        return sa_cl_fail(c->given, found.s, w->err, "'%s' is not an output",
                          c->port->name);
    c->many[c->n_many] = c->as[c->n_many] = c->port;
    c->port = jumps;
    if (rc == TT_OK && sa_cl_is(sa_cl_peek(c), "as")) {
        (void)sa_cl_next(c);
        rc = start_variable(w, c, &c->as[c->n_many]);
    }
    c->n_many++;
    return rc;
}

static enum tt_code read_reinitialise(struct sa_writer *w, struct sa_clause *c)
{
    const struct option option = {"within", &c->absolute, 0};
    enum tt_code rc = sa_cl_expect(w, c, "on");

    if (rc == TT_OK)
        rc = sa_cl_input(w, c);
    if (rc == TT_OK)
        rc = sa_cl_expect(w, c, "jump");
    if (rc == TT_OK)
        rc = sa_cl_expect(w, c, ">");
    if (rc == TT_OK)
        rc = sa_cl_positive(w, c, &c->level, 0);
    while (rc == TT_OK && sa_cl_peek(c).n) {
        int found;

        rc = read_option(w, c, &option, 1, &found);
        if (found)
            continue;
        rc = sa_cl_expect(w, c, "keep");
        if (rc == TT_OK)
            rc = read_keep(w, c);
    }
    return rc;
}

/* Steps over a jump are halved until they are short enough; then the unit
 * begins anew. */
static void write_reinitialise(struct sa_writer *w, const struct sa_clause *c)
{
    begin_seen(w, c);
    tt_buf_str(w->out, "if (begun and abs(seen - before) > ");
    sa_cl_put_plain(w, c->level);
    tt_buf_str(w->out, ") { ");
    if (c->absolute > 0) {
        tt_buf_str(w->out, "if (may_reject and H > ");
        sa_cl_put_plain(w, c->absolute);
        tt_buf_str(w->out, ") { return H / 2; } ");
    }
    tt_buf_str(w->out, "reinitialise(inside");
    for (uint32_t i = 0; i < c->n_many; i++)
        tt_buf_fmt(w->out, ", %s, inside.%s", c->as[i]->name, c->many[i]->name);
    tt_buf_str(w->out, "); } " SEEN_STEP);
}

const struct sa_clause_kind sa_clause_reinitialise = {
    "reinitialise",
    "reinitialise on INPUT jump > NUMBER [within SECONDS] "
    "[keep OUTPUT [as VARIABLE]] ...",
    read_reinitialise, NULL, write_reinitialise};
