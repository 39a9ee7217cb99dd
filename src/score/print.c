/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "score/score.h"
#include "unit/call.h"

const char *tt_op_name(enum tt_op_code code)
{
    static const char *const name[] = {
#define X(name, word, scope) word,
        TT_OPS(X)
#undef X
    };

    return (unsigned)code < sizeof(name) / sizeof(*name) ? name[code] : "?";
}

enum tt_op_scope tt_op_scope(const struct tt_op *op)
{
    static const enum tt_op_scope of[] = {
#define X(name, word, scope) TT_SCOPE_##scope,
        TT_OPS(X)
#undef X
    };

    return of[op->code];
}

const char *tt_section_name(enum tt_section section)
{
    static const char *const name[] = {
        [TT_SEC_INIT] = "init",         [TT_SEC_BEGIN] = "begin",
        [TT_SEC_STEP] = "step",         [TT_SEC_LAST] = "last",
        [TT_SEC_EXCHANGE] = "exchange", [TT_SEC_UNDO] = "undo",
        [TT_SEC_AGAIN] = "again",       [TT_SEC_START] = "start",
        [TT_SEC_EVENT] = "event",       [TT_SEC_LEAVE] = "leave",
        [TT_SEC_RHS] = "rhs",
    };

    return name[section];
}

/* "x1 <- {a}.b.y" for a set, "x1" for a get. */
static void member_text(const tt_score *s, const struct tt_op *op,
                        uint32_t slot, struct tt_buf *out)
{
    char from[512];

    tt_buf_str(out, tt_plan_port(s->plan, slot)->name);
    if (op->code == TT_OP_SET)
        tt_buf_fmt(out, " <- %s",
                   tt_plan_slot_name(
                       s->plan, s->plan->feed[s->plan->slot[slot].feed].from,
                       from, sizeof(from)));
}

static void members_text(const tt_score *s, const struct tt_op *op,
                         struct tt_buf *out)
{
    const struct tt_batch *g = &s->batch[op->arg];

    for (uint32_t k = 0; k < g->n; k++) {
        if (k)
            tt_buf_str(out, ", ");
        member_text(s, op, s->member[g->first + k], out);
    }
}

static const char *flag_text(const struct tt_op *op)
{
    if (op->flags & TT_OP_LATER)
        return " (the guess), from the second turn on";
    if (op->flags & TT_OP_GUESS)
        return op->flags & TT_OP_COURSE ? " (course to the guess)"
                                        : " (the guess)";
    if (op->flags & TT_OP_LATE)
        return " (what ticks only now counts in the next microstep)";
    if (op->flags & TT_OP_CUT)
        return " (a loop is cut here)";
    if (op->flags & TT_OP_PREDICTED)
        return " (predicted: inputs at the end of their courses)";
    if (op->flags & TT_OP_INTERPOLATE)
        return " (course to the new value)";
    if (op->flags & TT_OP_COURSE)
        return " (course through past values)";
    return "";
}

/* "at most 100 times, until solved", "3 times" */
static void loop_text(const struct tt_score *s, const struct tt_op *op,
                      struct tt_buf *out)
{
    if (op->until && !s->solver[op->until - 1].substitute)
        tt_buf_fmt(out, "at most %u times, until solved", op->arg);
    else
        tt_buf_fmt(out, "%u times", op->arg);
}

static void solve_text(const struct tt_score *s, const struct tt_op *op,
                       struct tt_buf *out)
{
    const struct tt_solver *v = &s->solver[op->arg];

    tt_buf_fmt(out, "%u guess%s, %s", v->n, v->n == 1 ? "" : "es",
               v->opts.method == TT_SOLVE_NONE
                   ? "by substitution"
                   : tt_solve_method_name(v->opts.method));
}

/* "0 -> 1: {a}.b.y, {a}.b.z; 1 -> 0: ..." */
static void xfer_text(const struct tt_score *s, const struct tt_op *op,
                      struct tt_buf *out)
{
    const struct tt_xfer *x = &s->xfer[op->arg];
    char name[512];

    for (uint32_t i = x->first; i < x->first + x->n; i++) {
        const struct tt_message *m = &s->message[i];

        tt_buf_fmt(out, "%s%u -> %u: ", i > x->first ? "; " : "", m->from,
                   m->to);
        for (uint32_t k = 0; k < m->n; k++)
            tt_buf_fmt(out, "%s%s", k ? ", " : "",
                       tt_plan_slot_name(s->plan, s->member[m->first + k], name,
                                         sizeof(name)));
    }
}

const char *tt_register_name(unsigned i)
{
    static const char *const name[] = {"T0", "T1", "S0", "S1"};

    return i < sizeof(name) / sizeof(*name) ? name[i] : "?";
}

void tt_score_op_text(const tt_score *s, uint32_t i, struct tt_buf *out)
{
    const struct tt_op *op = &s->op[i];
    enum tt_op_code code = (enum tt_op_code)op->code;

    tt_buf_str(out, tt_op_name(code));
    if (op->unit != TT_NONE && op->unit < s->plan->n_unit)
        tt_buf_fmt(out, " %s", s->plan->unit[op->unit].name);
    if (code == TT_OP_GET || code == TT_OP_SET || code == TT_OP_TICK) {
        tt_buf_str(out, ": ");
        members_text(s, op, out);
        tt_buf_str(out, flag_text(op));
    } else if (code == TT_OP_LOOP) {
        tt_buf_char(out, ' ');
        loop_text(s, op, out);
    } else if (code == TT_OP_SOLVE) {
        tt_buf_char(out, ' ');
        solve_text(s, op, out);
    } else if (code == TT_OP_XFER) {
        tt_buf_char(out, ' ');
        xfer_text(s, op, out);
    } else if (code == TT_OP_SAVE || code == TT_OP_RESTORE) {
        tt_buf_fmt(out, " in register %u", op->arg);
    } else if (code == TT_OP_STEP) {
        tt_buf_fmt(out, " to %s", tt_register_name(op->to));
    }
}

/* A name is foreign text: no control character of it reaches a terminal, and no
 * line of it looks like one of ours. */
static void make_plain(struct tt_buf *out, size_t from)
{
    for (size_t i = from; i < out->len; i++)
        if ((unsigned char)out->data[i] < 0x20 || out->data[i] == 0x7f)
            out->data[i] = '?';
}

static size_t longest_name(const tt_plan *p, const struct tt_brief *brief)
{
    size_t longest = 4;

    for (uint32_t u = 0; u < p->n_unit; u++) {
        size_t n = strlen(tt_brief_name(brief, p->unit[u].name));

        longest = n > longest ? n : longest;
    }
    return longest > 40 ? 40 : longest;
}

struct layout {
    struct tt_brief brief;
    int width; /* of names */
};

static void print_row(const tt_score *s, uint32_t i, uint32_t number,
                      int indent, const struct layout *l, struct tt_buf *out)
{
    const struct tt_op *op = &s->op[i];
    enum tt_op_code code = (enum tt_op_code)op->code;
    size_t from = out->len;

    tt_buf_fmt(out, "%5u  %*s%-7s ", number, indent, "", tt_op_name(code));
    if (op->unit != TT_NONE)
        tt_buf_fmt(out, "%-*s  ", l->width,
                   tt_brief_name(&l->brief, s->plan->unit[op->unit].name));
    if (code == TT_OP_GET || code == TT_OP_SET || code == TT_OP_TICK) {
        members_text(s, op, out);
        tt_buf_str(out, flag_text(op));
    } else if (code == TT_OP_LOOP) {
        loop_text(s, op, out);
    } else if (code == TT_OP_SOLVE) {
        solve_text(s, op, out);
    } else if (code == TT_OP_SAVE || code == TT_OP_RESTORE) {
        tt_buf_fmt(out, "register %u%s", op->arg,
                   op->flags & TT_OP_LATER ? ", from the second turn on" : "");
    } else if (code == TT_OP_STEP) {
        tt_buf_fmt(out, "%s -> %s", tt_register_name(op->at),
                   tt_register_name(op->to));
    } else if (code == TT_OP_TIME) {
        tt_buf_str(out, op->arg == TT_HALF_FIRST
                            ? "S0 -> S1, the first half of T0 -> T1"
                        : op->arg == TT_HALF_SECOND
                            ? "S0 -> S1, the second half of T0 -> T1"
                            : "S0 -> S1, the next part of T0 -> T1");
    } else if (code == TT_OP_COMMIT) {
        tt_buf_str(out, "the values of this instant stand");
    } else if (code == TT_OP_XFER) {
        xfer_text(s, op, out);
    }
    while (out->len && out->data[out->len - 1] == ' ')
        out->data[--out->len] = '\0';
    make_plain(out, from);
    tt_buf_char(out, '\n');
}

int tt_score_shows(const tt_score *s, enum tt_section section)
{
    return s->section[section].n || section == TT_SEC_INIT ||
           section == TT_SEC_STEP || section == TT_SEC_EXCHANGE;
}

static void print_section(const tt_score *s, enum tt_section section,
                          const struct layout *l, struct tt_buf *out)
{
    static const char *const heading[] = {
        [TT_SEC_INIT] = "init: first values, in initialisation mode",
        [TT_SEC_BEGIN] = "begin: before a step that may be rejected",
        [TT_SEC_STEP] = "step: every instance from T0 to T1",
        [TT_SEC_LAST] =
            "last: instances that cannot be rolled back, when the step stands",
        [TT_SEC_EXCHANGE] = "exchange: values at T1",
        [TT_SEC_UNDO] = "undo: after a rejected step",
        [TT_SEC_AGAIN] = "again: when values from outside have changed",
        [TT_SEC_START] =
            "start: all values, if leaving initialisation mode changed one",
        [TT_SEC_EVENT] = "event: one microstep, of the instances concerned",
        [TT_SEC_LEAVE] = "leave: the event is over",
        [TT_SEC_RHS] =
            ("rhs: among instances integrated together, wherever they are "
             "looked at"),
    };
    uint32_t first = s->section[section].first;
    int indent = 0;

    tt_buf_fmt(out, "\n%s\n", heading[section]);
    if (section == TT_SEC_START && first == s->section[TT_SEC_EXCHANGE].first) {
        tt_buf_str(out, "       as the exchange, but its commit\n");
        return;
    }
    for (uint32_t k = 0; k < s->section[section].n; k++) {
        if (s->op[first + k].code == TT_OP_END && indent)
            indent -= 2;
        print_row(s, first + k, k + 1, indent, l, out);
        if (s->op[first + k].code == TT_OP_LOOP)
            indent += 2;
    }
}

static void print_note(const struct tt_note *n, struct tt_buf *out)
{
    size_t from = out->len;

    tt_buf_fmt(out, "  %-14s %s", n->topic, n->text);
    make_plain(out, from);
    tt_buf_char(out, '\n');
}

/* Which rank plays which units. */
static void print_ranks(const tt_score *s, struct tt_buf *out)
{
    for (uint32_t r = 0; r < s->n_rank; r++) {
        size_t from;
        uint32_t n = 0;

        tt_buf_fmt(out, "%srank %u: ", r ? "" : "\n", r);
        from = out->len;
        for (uint32_t u = 0; u < s->plan->n_unit; u++)
            if (s->owner[u] == r)
                tt_buf_fmt(out, "%s%s", n++ ? ", " : "", s->plan->unit[u].name);
        tt_buf_str(out, n ? "" : "no instance");
        make_plain(out, from);
        tt_buf_char(out, '\n');
    }
}

void tt_score_print(const tt_score *s, struct tt_buf *out)
{
    const tt_plan *p = s->plan;
    size_t from = out->len;
    struct layout l;

    tt_plan_brief(p, &l.brief);
    l.width = (int)longest_name(p, &l.brief);
    tt_buf_fmt(out,
               "score %016" PRIx64 ": %s, %u instance%s, %u connection%s\n",
               s->hash, s->writer, p->n_unit, p->n_unit == 1 ? "" : "s",
               p->n_feed, p->n_feed == 1 ? "" : "s");
    tt_buf_fmt(out, "protocol %s: ", s->protocol->name);
    tt_protocol_print(s->protocol, p->n_event > 0, out);
    tt_buf_char(out, '\n');
    print_ranks(s, out);
    for (int i = 0; i < TT_SEC_N; i++)
        if (tt_score_shows(s, (enum tt_section)i))
            print_section(s, (enum tt_section)i, &l, out);
    if (s->n_note + p->notes.n)
        tt_buf_str(out, "\ndecisions\n");
    for (size_t i = 0; i < p->notes.n; i++)
        print_note(&p->notes.note[i], out);
    for (uint32_t i = 0; i < s->n_note; i++)
        print_note(&s->note[i], out);
    tt_brief_text(&l.brief, out, from);
    tt_brief_fini(&l.brief);
}
