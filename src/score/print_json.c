/* SPDX-License-Identifier: MIT */
/* The file form of a score: everything that changes what is played as fields,
 * by names. docs/reference/score-file.md is its description, file.c its
 * reader. */
#include <inttypes.h>

#include "base/num.h"
#include "score/file.h"
#include "unit/call.h"

struct printing {
    const tt_score *s;
    struct tt_buf *out;
    int indent;
    int first; /* of its list */
};

/* "unit.port", however long. */
static void whole_name(struct printing *g, uint32_t slot)
{
    const tt_plan *p = g->s->plan;
    struct tt_buf name;

    tt_buf_init(&name, g->out->max);
    tt_buf_fmt(&name, "%s.%s", p->unit[p->slot[slot].unit].name,
               tt_plan_port(p, slot)->name);
    tt_buf_json(g->out, name.failed ? "" : name.data);
    g->out->failed |= name.failed;
    tt_buf_fini(&name);
}

static void names(struct printing *g, const char *field, const uint32_t *slot,
                  uint32_t n)
{
    tt_buf_fmt(g->out, ", \"%s\": [", field);
    for (uint32_t k = 0; k < n; k++) {
        tt_buf_str(g->out, k ? ", " : "");
        whole_name(g, slot[k]);
    }
    tt_buf_char(g->out, ']');
}

static void ports(struct printing *g, const uint32_t *slot, uint32_t n)
{
    tt_buf_str(g->out, ", \"ports\": [");
    for (uint32_t k = 0; k < n; k++) {
        tt_buf_str(g->out, k ? ", " : "");
        tt_buf_json(g->out, tt_plan_port(g->s->plan, slot[k])->name);
    }
    tt_buf_char(g->out, ']');
}

static void text(struct printing *g, const char *field, const char *value)
{
    tt_buf_fmt(g->out, ", \"%s\": ", field);
    tt_buf_json(g->out, value);
}

static void flag(struct printing *g, const char *field, int on)
{
    if (on)
        tt_buf_fmt(g->out, ", \"%s\": true", field);
}

static void number(struct printing *g, const char *field, double value)
{
    char digits[TT_NUM_MAX];

    tt_num_print_short(digits, value);
    tt_buf_fmt(g->out, ", \"%s\": %s", field, digits);
}

/* Where an input's value comes from. */
static void sources(struct printing *g, const struct tt_batch *of)
{
    const tt_plan *p = g->s->plan;

    tt_buf_str(g->out, ", \"sources\": [");
    for (uint32_t k = 0; k < of->n; k++) {
        uint32_t slot = g->s->member[of->first + k];

        tt_buf_str(g->out, k ? ", " : "");
        whole_name(g, p->feed[p->slot[slot].feed].from);
    }
    tt_buf_char(g->out, ']');
}

static void span(struct printing *g, const struct tt_op *op)
{
    text(g, "from", tt_register_name(op->at));
    text(g, "to", tt_register_name(op->to));
}

static void move(struct printing *g, const struct tt_op *op)
{
    const struct tt_batch *of = &g->s->batch[op->arg];

    ports(g, g->s->member + of->first, of->n);
    if (op->code == TT_OP_SET)
        sources(g, of);
    if (op->flags & TT_OP_COURSE)
        text(g, "course", op->flags & TT_OP_INTERPOLATE ? "new" : "past");
    if (!(op->flags & TT_OP_COURSE))
        text(g, "at", tt_register_name(op->at));
    else if (op->at != TT_T0)
        span(g, op);
    flag(g, "predicted", op->flags & TT_OP_PREDICTED);
    flag(g, "cut", op->flags & TT_OP_CUT);
    flag(g, "late", op->flags & TT_OP_LATE);
    flag(g, "guess", op->flags & TT_OP_GUESS);
    flag(g, "later", op->flags & TT_OP_LATER);
}

static void solver(struct printing *g, const struct tt_solver *v)
{
    tt_buf_fmt(g->out, ", \"solve\": {\"method\": \"%s\"",
               tt_file_methods[v->opts.method]);
    names(g, "unknowns", g->s->member + v->first, v->n);
    number(g, "abstol", v->opts.atol);
    number(g, "reltol", v->opts.rtol);
    if (v->opts.relax != 0)
        number(g, "relax", v->opts.relax);
    if (v->opts.least)
        tt_buf_fmt(g->out, ", \"least\": %u", v->opts.least);
    text(g, "unconverged",
         tt_file_unconverged[v->reduce   ? TT_FILE_REDUCE
                             : v->accept ? TT_FILE_ACCEPT
                                         : TT_FILE_FAIL]);
    tt_buf_char(g->out, '}');
}

static void loop(struct printing *g, const struct tt_op *op)
{
    const struct tt_solver *v = op->until ? &g->s->solver[op->until - 1] : NULL;

    tt_buf_fmt(g->out, ", \"%s\": %u",
               v && !v->substitute        ? "most"
               : op[1].code == TT_OP_TIME ? "substeps"
                                          : "times",
               op->arg);
    if (v)
        solver(g, v);
    tt_buf_str(g->out, ", \"do\": [");
    g->indent += 2;
    g->first = 1;
}

static void messages(struct printing *g, const struct tt_xfer *x)
{
    tt_buf_str(g->out, ", \"messages\": [");
    for (uint32_t i = x->first; i < x->first + x->n; i++) {
        const struct tt_message *m = &g->s->message[i];

        tt_buf_fmt(g->out, "%s{\"from\": %u, \"to\": %u",
                   i > x->first ? ", " : "", m->from, m->to);
        names(g, "values", g->s->member + m->first, m->n);
        tt_buf_char(g->out, '}');
    }
    tt_buf_char(g->out, ']');
}

static void fields(struct printing *g, const struct tt_op *op)
{
    switch ((enum tt_op_code)op->code) {
    case TT_OP_GET:
    case TT_OP_SET:
    case TT_OP_TICK:
        move(g, op);
        break;
    case TT_OP_STEP:
        span(g, op);
        break;
    case TT_OP_SAVE:
    case TT_OP_RESTORE:
        tt_buf_fmt(g->out, ", \"register\": %u", op->arg);
        flag(g, "later", op->flags & TT_OP_LATER);
        break;
    case TT_OP_TIME:
        text(g, "half", tt_file_halves[op->arg - TT_HALF_FIRST]);
        break;
    case TT_OP_XFER:
        messages(g, &g->s->xfer[op->arg]);
        break;
    case TT_OP_LOOP:
    case TT_OP_SOLVE:
    case TT_OP_END:
    case TT_OP_COMMIT:
    case TT_OP_ENTER:
    case TT_OP_UPDATE:
    case TT_OP_INTERVAL:
    case TT_OP_LEAVE:
        break;
    }
}

/* A loop's time and solver are fields of it. */
static int is_field(const struct tt_op *op)
{
    return op->code == TT_OP_SOLVE ||
           (op->code == TT_OP_TIME && op->arg == TT_HALF_LOOP);
}

static void new_line(struct printing *g)
{
    tt_buf_fmt(g->out, "%s\n%*s", g->first ? "" : ",", g->indent, "");
    g->first = 0;
}

static void operation(struct printing *g, const struct tt_op *op)
{
    if (is_field(op))
        return;
    if (op->code == TT_OP_END) {
        g->indent -= 2;
        g->first = 1;
        new_line(g);
        tt_buf_str(g->out, "]}");
        return;
    }
    new_line(g);
    tt_buf_fmt(g->out, "{\"op\": \"%s\"",
               tt_op_name((enum tt_op_code)op->code));
    if (op->unit != TT_NONE)
        text(g, "instance", g->s->plan->unit[op->unit].name);
    if (op->code == TT_OP_LOOP) {
        loop(g, op);
        return;
    }
    fields(g, op);
    tt_buf_char(g->out, '}');
}

static void section(struct printing *g, enum tt_section i)
{
    tt_buf_fmt(g->out, "  \"%s\": [", tt_section_name(i));
    g->indent = 4;
    g->first = 1;
    for (uint32_t k = 0; k < g->s->section[i].n; k++)
        operation(g, &g->s->op[g->s->section[i].first + k]);
    tt_buf_str(g->out, "\n  ],\n");
}

static void note(const struct tt_note *n, int first, struct tt_buf *out)
{
    tt_buf_str(out, first ? "\n    {\"topic\": " : ",\n    {\"topic\": ");
    tt_buf_json(out, n->topic);
    tt_json_text(out, ", \"text\": ", n->text);
    tt_buf_char(out, '}');
}

static void warnings(const tt_score *s, struct tt_buf *out)
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

static void ranks(const tt_score *s, struct tt_buf *out)
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

static void decisions(const tt_score *s, struct tt_buf *out)
{
    const tt_plan *p = s->plan;
    int first = 1;

    tt_buf_str(out, "  \"decisions\": [");
    for (size_t i = 0; i < p->notes.n; i++, first = 0)
        note(&p->notes.note[i], first, out);
    for (uint32_t i = 0; i < s->n_note; i++, first = 0)
        note(&s->note[i], first, out);
    tt_buf_str(out, "\n  ]\n}\n");
}

void tt_score_print_json(const tt_score *s, struct tt_buf *out)
{
    const tt_plan *p = s->plan;
    struct printing g = {.s = s, .out = out};

    tt_buf_fmt(out, "{\n  \"version\": %d,\n  \"hash\": \"%016" PRIx64 "\"",
               TT_FILE_VERSION, s->hash);
    tt_json_text(out, ",\n  \"master\": ", s->writer);
    tt_buf_fmt(out, ",\n  \"protocol\": \"%s\"", s->protocol->name);
    tt_buf_str(out, ",\n  \"order\": [");
    for (uint32_t i = 0; i < p->n_unit; i++) {
        tt_buf_str(out, i ? ", " : "");
        tt_buf_json(out, p->unit[s->order[i]].name);
    }
    tt_buf_str(out, "],\n");
    ranks(s, out);
    for (int i = 0; i < TT_SEC_N; i++)
        if (tt_score_shows(s, (enum tt_section)i))
            section(&g, (enum tt_section)i);
    warnings(s, out);
    decisions(s, out);
}
