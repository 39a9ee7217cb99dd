/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "score/score.h"
#include "unit/call.h"

const char *tt_op_name(enum tt_op_code code)
{
    static const char *const name[] = {
        [TT_OP_GET] = "get",         [TT_OP_SET] = "set",
        [TT_OP_STEP] = "step",       [TT_OP_SAVE] = "save",
        [TT_OP_RESTORE] = "restore", [TT_OP_LOOP] = "loop",
        [TT_OP_TIME] = "time",       [TT_OP_SOLVE] = "solve",
        [TT_OP_END] = "end",         [TT_OP_COMMIT] = "commit",
        [TT_OP_XFER] = "xfer",
    };

    return (unsigned)code < sizeof(name) / sizeof(*name) ? name[code] : "?";
}

const char *tt_section_name(enum tt_section section)
{
    static const char *const name[] = {
        [TT_SEC_INIT] = "init",         [TT_SEC_BEGIN] = "begin",
        [TT_SEC_STEP] = "step",         [TT_SEC_LAST] = "last",
        [TT_SEC_EXCHANGE] = "exchange", [TT_SEC_UNDO] = "undo",
        [TT_SEC_AGAIN] = "again",       [TT_SEC_START] = "start",
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
    const struct tt_group *g = &s->group[op->arg];

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

static const char *register_name(unsigned i)
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
    if (code == TT_OP_GET || code == TT_OP_SET) {
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
        tt_buf_fmt(out, " to %s", register_name(op->to));
    }
}

/* A name is somebody else's text: no control character of it reaches a
 * terminal, and no line of it looks like one of ours. */
static void make_plain(struct tt_buf *out, size_t from)
{
    for (size_t i = from; i < out->len; i++)
        if ((unsigned char)out->data[i] < 0x20 || out->data[i] == 0x7f)
            out->data[i] = '?';
}

static size_t longest_name(const tt_plan *p)
{
    size_t longest = 4;

    for (uint32_t u = 0; u < p->n_unit; u++)
        if (strlen(p->unit[u].name) > longest)
            longest = strlen(p->unit[u].name);
    return longest > 40 ? 40 : longest;
}

static void print_row(const tt_score *s, uint32_t i, uint32_t number,
                      int indent, int width, struct tt_buf *out)
{
    const struct tt_op *op = &s->op[i];
    enum tt_op_code code = (enum tt_op_code)op->code;
    size_t from = out->len;

    tt_buf_fmt(out, "%5u  %*s%-8s", number, indent, "", tt_op_name(code));
    if (op->unit != TT_NONE)
        tt_buf_fmt(out, "%-*s  ", width, s->plan->unit[op->unit].name);
    if (code == TT_OP_GET || code == TT_OP_SET) {
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
        tt_buf_fmt(out, "%s -> %s", register_name(op->at),
                   register_name(op->to));
    } else if (code == TT_OP_TIME) {
        tt_buf_str(out, "S0 -> S1, the next part of T0 -> T1");
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
    if (section == TT_SEC_START)
        return 0;
    return s->section[section].n ||
           !(section == TT_SEC_BEGIN || section == TT_SEC_LAST ||
             section == TT_SEC_UNDO || section == TT_SEC_AGAIN);
}

static void print_section(const tt_score *s, enum tt_section section,
                          struct tt_buf *out)
{
    static const char *const says[] = {
        [TT_SEC_INIT] = "init: first values, in initialisation mode",
        [TT_SEC_BEGIN] = "begin: before a step that may be rejected",
        [TT_SEC_STEP] = "step: every unit from T0 to T1",
        [TT_SEC_LAST] = "last: units that cannot go back, when the step stands",
        [TT_SEC_EXCHANGE] = "exchange: values at T1",
        [TT_SEC_UNDO] = "undo: after a rejected step",
        [TT_SEC_AGAIN] = "again: when values from outside have changed",
    };
    uint32_t first = s->section[section].first;
    int width = (int)longest_name(s->plan), indent = 0;

    tt_buf_fmt(out, "\n%s\n", says[section]);
    for (uint32_t k = 0; k < s->section[section].n; k++) {
        if (s->op[first + k].code == TT_OP_END && indent)
            indent -= 2;
        print_row(s, first + k, k + 1, indent, width, out);
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

/* Who plays whom. */
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
        tt_buf_str(out, n ? "" : "no unit");
        make_plain(out, from);
        tt_buf_char(out, '\n');
    }
}

void tt_score_print(const tt_score *s, struct tt_buf *out)
{
    const tt_plan *p = s->plan;

    tt_buf_fmt(out, "score %016" PRIx64 ": %s, %u unit%s, %u connection%s\n",
               s->hash, s->writer, p->n_unit, p->n_unit == 1 ? "" : "s",
               p->n_feed, p->n_feed == 1 ? "" : "s");
    print_ranks(s, out);
    for (int i = 0; i < TT_SEC_N; i++)
        if (tt_score_shows(s, (enum tt_section)i))
            print_section(s, (enum tt_section)i, out);
    if (s->n_note + p->n_note)
        tt_buf_str(out, "\ndecisions\n");
    for (size_t i = 0; i < p->n_note; i++)
        print_note(&p->note[i], out);
    for (uint32_t i = 0; i < s->n_note; i++)
        print_note(&s->note[i], out);
}

static void json_op(const tt_score *s, uint32_t i, struct tt_buf *out)
{
    const struct tt_op *op = &s->op[i];
    enum tt_op_code code = (enum tt_op_code)op->code;
    struct tt_buf text;

    tt_buf_fmt(out, "{\"op\": \"%s\"", tt_op_name(code));
    if (op->unit != TT_NONE) {
        tt_buf_str(out, ", \"unit\": ");
        tt_buf_json(out, s->plan->unit[op->unit].name);
    }
    if (code == TT_OP_GET || code == TT_OP_SET) {
        const struct tt_group *g = &s->group[op->arg];

        tt_buf_str(out, ", \"ports\": [");
        for (uint32_t k = 0; k < g->n; k++) {
            tt_buf_str(out, k ? ", " : "");
            tt_buf_json(out,
                        tt_plan_port(s->plan, s->member[g->first + k])->name);
        }
        tt_buf_char(out, ']');
    }
    if (code == TT_OP_LOOP)
        tt_buf_fmt(out, ", \"count\": %u", op->arg);
    tt_buf_init(&text, out->max);
    tt_score_op_text(s, i, &text);
    tt_buf_str(out, ", \"text\": ");
    tt_buf_json(out, text.data ? text.data : "");
    tt_buf_fini(&text);
    tt_buf_char(out, '}');
}

static void json_note(const struct tt_note *n, int first, struct tt_buf *out)
{
    tt_buf_str(out, first ? "\n    {\"topic\": " : ",\n    {\"topic\": ");
    tt_buf_json(out, n->topic);
    tt_buf_str(out, ", \"text\": ");
    tt_buf_json(out, n->text);
    tt_buf_char(out, '}');
}

static void json_warnings(const tt_score *s, struct tt_buf *out)
{
    int first = 1;

    tt_buf_str(out, "  \"warnings\": [");
    for (uint32_t i = 0; i < s->n_note; i++) {
        if (!s->note[i].warns)
            continue;
        tt_buf_str(out, first ? "\n    " : ",\n    ");
        tt_buf_json(out, s->note[i].text);
        first = 0;
    }
    tt_buf_str(out, first ? "],\n" : "\n  ],\n");
}

static void json_ranks(const tt_score *s, struct tt_buf *out)
{
    if (!s->n_rank)
        return;
    tt_buf_fmt(out, "  \"ranks\": %u,\n  \"owner\": {", s->n_rank);
    for (uint32_t u = 0; u < s->plan->n_unit; u++) {
        tt_buf_str(out, u ? ", " : "");
        tt_buf_json(out, s->plan->unit[u].name);
        tt_buf_fmt(out, ": %u", s->owner[u]);
    }
    tt_buf_str(out, "},\n");
}

void tt_score_print_json(const tt_score *s, struct tt_buf *out)
{
    const tt_plan *p = s->plan;
    int first = 1;

    tt_buf_fmt(out,
               "{\n  \"hash\": \"%016" PRIx64 "\",\n  \"writer\": \"%s\",\n",
               s->hash, s->writer);
    tt_buf_str(out, "  \"order\": [");
    for (uint32_t i = 0; i < p->n_unit; i++) {
        tt_buf_str(out, i ? ", " : "");
        tt_buf_json(out, p->unit[s->order[i]].name);
    }
    tt_buf_str(out, "],\n");
    json_ranks(s, out);
    for (int i = 0; i < TT_SEC_N; i++) {
        if (!tt_score_shows(s, (enum tt_section)i))
            continue;
        tt_buf_fmt(out, "  \"%s\": [", tt_section_name((enum tt_section)i));
        for (uint32_t k = 0; k < s->section[i].n; k++) {
            tt_buf_str(out, k ? ",\n    " : "\n    ");
            json_op(s, s->section[i].first + k, out);
        }
        tt_buf_str(out, "\n  ],\n");
    }
    json_warnings(s, out);
    tt_buf_str(out, "  \"decisions\": [");
    for (size_t i = 0; i < p->n_note; i++, first = 0)
        json_note(&p->note[i], first, out);
    for (uint32_t i = 0; i < s->n_note; i++, first = 0)
        json_note(&s->note[i], first, out);
    tt_buf_str(out, "\n  ]\n}\n");
}
