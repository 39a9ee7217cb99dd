/* SPDX-License-Identifier: MIT */
/* A program as text, which is a program again. */
#include <string.h>

#include "adapt/adapt_impl.h"
#include "base/num.h"

static int hugs(const struct sa_tok *before, const struct sa_tok *t)
{
    if (sa_is(before, "(") || sa_is(t, ")") || sa_is(t, ",") ||
        t->kind == SA_BRACKET)
        return 1;
    return sa_is(t, "(") && before->kind == SA_NAME && !sa_is(before, "and") &&
           !sa_is(before, "or") && !sa_is(before, "not");
}

/* A sign before an operand, not between two. */
static int is_prefix(const struct sa_expr *e, uint32_t i)
{
    return (sa_is(&e->tok[i], "-") || sa_is(&e->tok[i], "+")) &&
           (i == 0 ||
            (e->tok[i - 1].kind == SA_SIGN && !sa_is(&e->tok[i - 1], ")")));
}

void sa_print_expr(const struct sa_expr *e, struct tt_buf *out)
{
    for (uint32_t i = 0; i < e->n; i++) {
        const struct sa_tok *t = &e->tok[i];

        if (i && !hugs(t - 1, t) && !is_prefix(e, i - 1))
            tt_buf_char(out, ' ');
        if (t->kind == SA_STRING)
            tt_buf_fmt(out, "\"%s\"", t->s);
        else if (sa_is(t, "<-"))
            tt_buf_str(out, "< -");
        else
            tt_buf_str(out, t->s);
    }
}

static void indent(struct tt_buf *out, int depth)
{
    for (int i = 0; i < depth; i++)
        tt_buf_str(out, "    ");
}

static void print_block(const struct sa_block *b, int depth,
                        struct tt_buf *out);

static void print_if(const struct sa_stmt *s, int depth, struct tt_buf *out)
{
    tt_buf_str(out, "if ");
    sa_print_expr(&s->e, out);
    tt_buf_char(out, ' ');
    print_block(&s->body, depth, out);
    if (s->has_other) {
        tt_buf_str(out, " else ");
        print_block(&s->other, depth, out);
    }
}

static void print_statement(const struct sa_stmt *s, int depth,
                            struct tt_buf *out)
{
    switch (s->kind) {
    case SA_IF:
        print_if(s, depth, out);
        return;
    case SA_FOR:
        tt_buf_fmt(out, "for (var %s in ", s->name);
        sa_print_expr(&s->e, out);
        tt_buf_str(out, " .. ");
        sa_print_expr(&s->to, out);
        tt_buf_str(out, ") ");
        print_block(&s->body, depth, out);
        return;
    case SA_BREAK:
        tt_buf_str(out, "break");
        break;
    case SA_VAR:
    case SA_ASSIGN:
        tt_buf_fmt(out, "%s%s := ", s->kind == SA_VAR ? "var " : "", s->name);
        sa_print_expr(&s->e, out);
        break;
    case SA_RETURN:
        tt_buf_str(out, "return ");
        sa_print_expr(&s->e, out);
        break;
    case SA_CALL:
        sa_print_expr(&s->e, out);
        break;
    }
    tt_buf_char(out, ';');
}

static void print_block(const struct sa_block *b, int depth, struct tt_buf *out)
{
    if (!b->n) {
        tt_buf_str(out, "{ }");
        return;
    }
    tt_buf_str(out, "{\n");
    for (size_t i = 0; i < b->n; i++) {
        indent(out, depth + 1);
        print_statement(&b->v[i], depth + 1, out);
        tt_buf_char(out, '\n');
    }
    indent(out, depth);
    tt_buf_char(out, '}');
}

static void print_ports(const char *head, const sa_ports *p, struct tt_buf *out)
{
    static const char *const type[] = {[SA_TYPE_OPEN] = "",
                                       [SA_REAL] = "",
                                       [SA_INTEGER] = "Integer ",
                                       [SA_BOOL] = "Bool ",
                                       [SA_TEXT] = "String "};

    if (!p->n)
        return;
    tt_buf_str(out, head);
    for (size_t i = 0; i < p->n; i++) {
        tt_buf_fmt(out, "%s%s%s", i ? ", " : " ", type[p->v[i].type],
                   p->v[i].name);
        if (p->v[i].unit)
            tt_buf_fmt(out, " (%s)", p->v[i].unit);
        if (p->v[i].init.n) {
            tt_buf_str(out, " := ");
            sa_print_expr(&p->v[i].init, out);
        }
    }
    tt_buf_char(out, '\n');
}

static void print_fixed(const struct sa_inner *f, struct tt_buf *out)
{
    char text[TT_NUM_MAX];

    for (size_t i = 0; i < f->fixed.n; i++) {
        tt_num_print_short(text, f->fixed.v[i].value);
        tt_buf_fmt(out, "%s %s := %s", i ? "," : "    with param",
                   f->fixed.v[i].name, text);
    }
    tt_buf_str(out, f->fixed.n ? "\n" : "");
}

static void print_decls(const char *head, const sa_decls *d, struct tt_buf *out)
{
    if (!d->n)
        return;
    tt_buf_fmt(out, "\n%s", head);
    for (size_t i = 0; i < d->n; i++) {
        tt_buf_fmt(out, "%s%s := ", i ? ",\n    " : " ", d->v[i].name);
        sa_print_expr(&d->v[i].init, out);
    }
    tt_buf_str(out, ";\n");
}

static void print_rules(const char *head, const sa_rules *r, struct tt_buf *out)
{
    if (!r->n)
        return;
    tt_buf_fmt(out, "%s {\n", head);
    for (size_t i = 0; i < r->n; i++) {
        indent(out, 1);
        if (r->v[i].when.n)
            sa_print_expr(&r->v[i].when, out);
        else
            tt_buf_str(out, "otherwise");
        tt_buf_str(out, " -> ");
        print_block(&r->v[i].first, 1, out);
        tt_buf_str(out, " --> ");
        print_block(&r->v[i].second, 1, out);
        tt_buf_str(out, ";\n");
    }
    tt_buf_str(out, "}\n");
}

static const char *react_word(enum sa_react r)
{
    return r == SA_REACTIVE ? "reactive " : r == SA_DELAYED ? "delayed " : "";
}

static const char *feed_word(enum sa_feed f)
{
    return f == SA_MOORE ? "moore " : f == SA_MEALY ? "mealy " : "";
}

void sa_print(const struct sa_linked *l, struct tt_buf *out)
{
    const struct sa_prog *p = &l->prog;
    char text[TT_NUM_MAX];

    tt_buf_fmt(out, "semantic adaptation %s%s%s %s\n", react_word(p->react),
               feed_word(p->feed), p->type, p->name);
    if (p->place)
        tt_buf_fmt(out, "at \"%s\"\n", p->place);
    for (size_t i = 0; i < p->inner.n; i++) {
        const struct sa_inner *f = &p->inner.v[i];

        tt_buf_fmt(out, "\nfor inner fmu %s%s%s %s\n    at \"%s\"\n",
                   react_word(f->react), feed_word(l->inner[i].feed), f->type,
                   f->name, f->place);
        print_ports("    with input ports", &f->in, out);
        print_ports("    with output ports", &f->out, out);
        print_fixed(f, out);
    }
    for (size_t i = 0; i < p->conn.n; i++)
        tt_buf_fmt(out, "with %s -> %s\n", p->conn.v[i].from, p->conn.v[i].to);
    tt_buf_char(out, '\n');
    print_ports("input ports", &p->in, out);
    print_ports("output ports", &p->out, out);
    print_decls("param", &p->param, out);
    print_decls("control var", &p->ctrl_var, out);
    tt_buf_str(out, "\ncontrol rules ");
    print_block(&p->ctrl, 0, out);
    tt_buf_char(out, '\n');
    print_decls("in var", &p->in_var, out);
    print_rules("in rules", &p->in_rule, out);
    print_decls("out var", &p->out_var, out);
    print_rules("out rules", &p->out_rule, out);
    if (p->differences)
        tt_buf_str(out, "\nderivatives by differences");
    if (p->difference > 0) {
        tt_num_print_short(text, p->difference);
        tt_buf_fmt(out, " of %s", text);
    }
    tt_buf_str(out, p->differences ? ";\n" : "");
}
