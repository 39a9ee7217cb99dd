/* SPDX-License-Identifier: MIT */
/* From the explicit form to code: names to slots, types and units checked. */
#include <stdio.h>
#include <string.h>

#include "adapt/compile_impl.h"
#include "base/num.h"

/* --- statements
 * ------------------------------------------------------------------ */

static enum tt_code block(struct sa_compiler *k, const struct sa_block *b,
                          enum sa_where w);

static enum tt_code fits(struct sa_compiler *k, const struct sa_tok *at,
                         const struct sa_sym *s, uint32_t e)
{
    const tt_expr *x = &k->c->e[e];
    int is_bool = x->kind == TT_EXPR_BOOL;

    if (s->is_bool != is_bool)
        return FAIL(k, at, "'%s' is %s, and what it is given is %s", s->name,
                    s->is_bool ? "a Boolean" : "a number",
                    is_bool ? "a Boolean" : "a number");
    if (s->unit.known && x->unit.known &&
        (memcmp(s->unit.exponent, x->unit.exponent, sizeof(s->unit.exponent)) !=
             0 ||
         s->unit.factor != x->unit.factor || s->unit.offset != x->unit.offset))
        return FAIL(k, at,
                    "'%s' is in %s, and what it is given is not: "
                    "convert it, as in x[%s]",
                    s->name, s->unit.name, s->unit.name);
    return TT_OK;
}

static enum tt_code set_symbol(struct sa_compiler *k, const struct sa_stmt *q,
                               enum sa_where w)
{
    struct sa_sym *s = sa_find_sym(k, q->name);
    uint32_t e;
    enum tt_code rc;

    if (!s) {
        struct sa_phrase t = {.k = k, .w = w};
        const char *near =
            tt_names_nearest(q->name, k->c->n_sym, sa_candidate, &t);

        return FAIL(k, q->at, "there is no variable '%s'%s%s%s", q->name,
                    near ? "; did you mean '" : "", near ? near : "",
                    near ? "'?" : "");
    }
    if (!(sa_may[s->kind].set & AT(w)))
        return FAIL(k, q->at, "'%s' is %s: it cannot be assigned in %s",
                    q->name, sa_may[s->kind].what, sa_place[w]);
    rc = sa_expression(k, &q->e, w, &e);
    s = sa_find_sym(k, q->name); /* symbols may have moved */
    if (rc == TT_OK)
        rc = fits(k, q->at, s, e);
    if (rc != TT_OK)
        return rc;
    s->set = 1;
    if (s->kind == SA_SYM_INNER_IN && w == CTRL)
        return sa_assign(k, q->at, s->slot + 1, s->slot + 2, e);
    return sa_assign(k, q->at, s->slot, TT_NONE, e);
}

static enum tt_code declare(struct sa_compiler *k, const struct sa_tok *at,
                            const char *name, enum sa_type type,
                            enum sa_sym_kind kind, const char *unit, uint32_t e)
{
    int is_bool = type ? type == SA_BOOL : k->c->e[e].kind == TT_EXPR_BOOL;
    enum tt_code rc = sa_new_sym(k, at, name, kind, is_bool, unit);

    if (rc == TT_OK)
        rc = fits(k, at, &k->c->sym[k->c->n_sym - 1], e);
    return rc == TT_OK
               ? sa_assign(k, at, k->c->sym[k->c->n_sym - 1].slot, TT_NONE, e)
               : rc;
}

static enum tt_code conditional(struct sa_compiler *k, const struct sa_stmt *q,
                                enum sa_where w)
{
    uint32_t e, unless, over;
    enum tt_code rc = sa_condition(k, &q->e, w, &e);

    if (rc != TT_OK)
        return rc;
    unless = (uint32_t)k->c->n_op;
    if (!sa_add_op(k, SA_OP_UNLESS, q->at))
        return sa_no_memory(k);
    sa_set_expr(k, &k->c->op[unless], e);
    rc = block(k, &q->body, w);
    if (rc == TT_OK && q->has_other) {
        over = (uint32_t)k->c->n_op;
        if (!sa_add_op(k, SA_OP_JUMP, q->at))
            return sa_no_memory(k);
        k->c->op[unless].to = (uint32_t)k->c->n_op;
        rc = block(k, &q->other, w);
        k->c->op[over].to = (uint32_t)k->c->n_op;
        return rc;
    }
    k->c->op[unless].to = (uint32_t)k->c->n_op;
    return rc;
}

/* What a bound is, if nothing can change it. */
static double constant(const struct sa_compiler *k, uint32_t e)
{
    return k->c->e[e].n_ref
               ? 1
               : tt_expr_value(&k->c->e[e], &(struct tt_expr_at){0});
}

static enum tt_code loop_head(struct sa_compiler *k, const struct sa_stmt *q,
                              uint32_t *from, uint32_t *to)
{
    enum tt_code rc = sa_number(k, &q->e, BOUND, from);

    if (rc == TT_OK)
        rc = sa_number(k, &q->to, BOUND, to);
    if (rc == TT_OK && !k->c->e[*from].n_ref && !k->c->e[*to].n_ref) {
        double n = constant(k, *to) - constant(k, *from);

        k->turns *= n > 1 ? n : 1;
        if (!(k->turns <= SA_TURNS))
            return FAIL(k, q->at, "more than %u turns of loops", SA_TURNS);
    }
    return rc;
}

static enum tt_code repeated(struct sa_compiler *k, const struct sa_stmt *q,
                             enum sa_where w)
{
    struct sa_loop loop = {.outer = k->loop};
    double turns = k->turns;
    size_t scope = k->c->n_sym;
    uint32_t from, to, top, i;
    enum tt_code rc = loop_head(k, q, &from, &to);

    if (rc == TT_OK)
        rc = declare(k, q->at, q->name, SA_REAL, SA_SYM_LOCAL, NULL, from);
    if (rc == TT_OK) {
        i = k->c->sym[k->c->n_sym - 1].slot;
        rc = sa_assign(k, q->at, k->c->n_slot++, TT_NONE, to);
        top = (uint32_t)k->c->n_op;
        if (rc == TT_OK && !sa_add_op(k, SA_OP_TURN, q->at))
            return sa_no_memory(k);
    }
    if (rc != TT_OK)
        return rc;
    k->c->op[top].slot = i;
    k->c->op[top].other = k->c->op[top - 1].slot;
    k->loop = &loop;
    rc = block(k, &q->body, w);
    k->loop = loop.outer;
    if (rc == TT_OK && !sa_add_op(k, SA_OP_JUMP, q->at))
        return sa_no_memory(k);
    k->c->op[k->c->n_op - 1].slot = i;
    k->c->op[k->c->n_op - 1].to = top;
    k->c->op[top].to = (uint32_t)k->c->n_op;
    for (size_t x = 0; x < loop.n; x++)
        k->c->op[loop.exit[x]].to = (uint32_t)k->c->n_op;
    for (size_t s = scope; s < k->c->n_sym; s++)
        k->c->sym[s].hidden = 1;
    k->turns = turns;
    return rc;
}

static enum tt_code leave(struct sa_compiler *k, const struct sa_stmt *q)
{
    uint32_t *exit;

    if (!k->loop)
        return FAIL(k, q->at, "'break' is not in a loop");
    exit = sa_push(k->c->arena, (void **)&k->loop->exit, &k->loop->n,
                   &k->loop->cap, sizeof(*exit));
    if (!exit)
        return sa_no_memory(k);
    *exit = (uint32_t)k->c->n_op;
    return sa_add_op(k, SA_OP_JUMP, q->at) ? TT_OK : sa_no_memory(k);
}

static enum tt_code called(struct sa_compiler *k, const struct sa_stmt *q,
                           enum sa_where w)
{
    static const char *const calls[] = {
        "do_step", "save_state", "rollback", "reinitialise", "warn", "fail"};
    struct sa_phrase t = {.k = k, .w = w};
    uint32_t end, slot;
    enum tt_code rc;

    if (q->e.n < 2 || !sa_is(&q->e.tok[1], "(") ||
        !tt_name_is_among(q->e.tok->s, calls, sizeof(calls) / sizeof(*calls)))
        return FAIL(k, q->at,
                    "'%s' is no statement: 'do_step', 'save_state', "
                    "'rollback', 'reinitialise', 'warn' and 'fail' can be "
                    "called",
                    q->e.tok->s);
    if (w != CTRL)
        return FAIL(k, q->at, "'%s' can only be used in control rules",
                    q->e.tok->s);
    rc = sa_call(k, &q->e, 0, &t, &end, &slot);
    if (rc == TT_OK && end + 1 != q->e.n)
        return FAIL(k, &q->e.tok[end + 1],
                    "expected ';' behind the call of '%s'", q->e.tok->s);
    return rc;
}

static enum tt_code answer(struct sa_compiler *k, const struct sa_stmt *q,
                           enum sa_where w)
{
    uint32_t e;
    enum tt_code rc;

    if (w != CTRL)
        return FAIL(k, q->at, "'return' can only be used in control rules");
    rc = sa_number(k, &q->e, w, &e);
    if (rc == TT_OK && !sa_add_op(k, SA_OP_RETURN, q->at))
        return sa_no_memory(k);
    if (rc == TT_OK)
        k->c->op[k->c->n_op - 1].e = e;
    return rc;
}

static enum tt_code statement(struct sa_compiler *k, const struct sa_stmt *q,
                              enum sa_where w)
{
    uint32_t e;
    enum tt_code rc;

    switch (q->kind) {
    case SA_VAR:
        rc = sa_expression(k, &q->e, w, &e);
        return rc == TT_OK
                   ? declare(k, q->at, q->name, q->type, SA_SYM_LOCAL, NULL, e)
                   : rc;
    case SA_ASSIGN:
        return set_symbol(k, q, w);
    case SA_IF:
        return conditional(k, q, w);
    case SA_FOR:
        return repeated(k, q, w);
    case SA_BREAK:
        return leave(k, q);
    case SA_CALL:
        return called(k, q, w);
    case SA_RETURN:
        break;
    }
    return answer(k, q, w);
}

static int ends_here(const struct sa_stmt *q)
{
    return q->kind == SA_RETURN || q->kind == SA_BREAK;
}

static enum tt_code block(struct sa_compiler *k, const struct sa_block *b,
                          enum sa_where w)
{
    size_t scope = k->c->n_sym;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < b->n && rc == TT_OK; i++) {
        if (i && ends_here(&b->v[i - 1]))
            return FAIL(k, b->v[i].at, "this is never reached");
        rc = statement(k, &b->v[i], w);
    }
    for (size_t s = scope; s < k->c->n_sym; s++)
        k->c->sym[s].hidden = 1;
    return rc;
}

static enum tt_code code_of(struct sa_compiler *k, const struct sa_block *b,
                            enum sa_where w, uint32_t *at)
{
    enum tt_code rc;

    *at = (uint32_t)k->c->n_op;
    rc = block(k, b, w);
    if (rc == TT_OK && !sa_add_op(k, SA_OP_HALT, k->p->at))
        return sa_no_memory(k);
    return rc;
}

/* --- sections
 * --------------------------------------------------------------------- */

static enum tt_code rules(struct sa_compiler *k, const sa_rules *l,
                          struct sa_code_rules *out, enum sa_where first,
                          enum sa_where second)
{
    enum tt_code rc = TT_OK;

    out->rule = tt_arena_alloc(k->c->arena, l->n + 1, sizeof(*out->rule));
    out->n = (uint32_t)l->n;
    out->all = 1;
    if (!out->rule)
        return sa_no_memory(k);
    for (size_t i = 0; i < l->n && rc == TT_OK; i++) {
        const struct sa_rule *q = &l->v[i];
        struct sa_code_rule *r = &out->rule[i];

        r->flag = k->c->n_slot++;
        r->when = TT_NONE;
        if (q->when.n == 1 && sa_is(q->when.tok, "false"))
            return FAIL(k, q->at, "this rule never applies");
        r->always = q->when.n == 1 && sa_is(q->when.tok, "true");
        out->all &= r->always;
        if (q->when.n)
            rc = sa_condition(k, &q->when, first, &r->when);
        if (rc == TT_OK)
            rc = code_of(k, &q->first, first, &r->first);
        if (rc == TT_OK)
            rc = code_of(k, &q->second, second, &r->second);
    }
    return rc;
}

static enum tt_code declarations(struct sa_compiler *k, const sa_decls *l,
                                 enum sa_sym_kind kind)
{
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < l->n && rc == TT_OK; i++) {
        uint32_t e;

        rc = sa_expression(k, &l->v[i].init, INIT, &e);
        if (rc == TT_OK)
            rc = declare(k, l->v[i].at, l->v[i].name, l->v[i].type, kind,
                         l->v[i].unit, e);
        if (rc == TT_OK)
            k->c->sym[k->c->n_sym - 1].port = (uint32_t)i;
    }
    return rc;
}

static enum tt_code add_ports(struct sa_compiler *k, const sa_ports *ports,
                              enum sa_sym_kind kind)
{
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < ports->n && rc == TT_OK; i++) {
        rc = sa_new_sym(k, ports->v[i].at, ports->v[i].name, kind,
                        ports->v[i].type == SA_BOOL, ports->v[i].unit);
        k->c->sym[k->c->n_sym - 1].port = (uint32_t)i;
    }
    return rc;
}

static enum tt_code input_starts(struct sa_compiler *k)
{
    const sa_ports *in = &k->p->in;
    enum tt_code rc = TT_OK;

    k->c->init_in = (uint32_t)k->c->n_op;
    for (size_t i = 0; i < in->n && rc == TT_OK; i++) {
        const struct sa_sym *s = sa_find_sym(k, in->v[i].name);
        uint32_t e;

        if (!in->v[i].init.n)
            continue;
        rc = sa_expression(k, &in->v[i].init, INIT, &e);
        if (rc == TT_OK)
            rc = fits(k, in->v[i].init.tok, s, e);
        if (rc == TT_OK)
            rc = sa_assign(k, in->v[i].at, s->slot, TT_NONE, e);
    }
    if (rc == TT_OK && !sa_add_op(k, SA_OP_HALT, k->p->at))
        return sa_no_memory(k);
    return rc;
}

static enum tt_code add_faces(struct sa_compiler *k, uint32_t i)
{
    for (uint32_t f = 0; f < k->l->inner[i].n_face; f++) {
        const struct sa_face *face = &k->l->inner[i].face[f];
        const char *kept =
            sa_dotted(k->c->arena, k->p->inner.v[i].name, face->name);
        struct sa_sym *s =
            kept ? sa_add_sym(k, kept,
                              face->input ? SA_SYM_INNER_IN : SA_SYM_INNER_OUT,
                              face->type == SA_BOOL, face->unit)
                 : NULL;
        if (!s)
            return sa_no_memory(k);
        s->inner = i;
        s->port = face->port;
    }
    return TT_OK;
}

static enum tt_code symbols(struct sa_compiler *k)
{
    enum tt_code rc = TT_OK;
    struct sa_sym *s = sa_add_sym(k, "H", SA_SYM_LENGTH, 0, "s");

    if (!s || !sa_add_sym(k, "dt", SA_SYM_DT, 0, "s") ||
        !sa_add_sym(k, "may_reject", SA_SYM_MAY, 1, NULL))
        return sa_no_memory(k);
    k->c->slot_length = 0;
    k->c->slot_dt = 1;
    k->c->slot_may = 2;
    for (uint32_t i = 0; i < k->p->inner.n && rc == TT_OK; i++)
        rc = add_faces(k, i);
    if (rc == TT_OK)
        rc = add_ports(k, &k->p->in, SA_SYM_OWN_IN);
    if (rc == TT_OK)
        rc = add_ports(k, &k->p->out, SA_SYM_OWN_OUT);
    if (rc == TT_OK)
        rc = input_starts(k);
    k->c->init_param = (uint32_t)k->c->n_op;
    if (rc == TT_OK)
        rc = declarations(k, &k->p->param, SA_SYM_PARAM);
    if (rc == TT_OK && !sa_add_op(k, SA_OP_HALT, k->p->at))
        return sa_no_memory(k);
    k->c->init_var = (uint32_t)k->c->n_op;
    if (rc == TT_OK)
        rc = declarations(k, &k->p->in_var, SA_SYM_IN_VAR);
    if (rc == TT_OK)
        rc = declarations(k, &k->p->ctrl_var, SA_SYM_CTRL_VAR);
    if (rc == TT_OK)
        rc = declarations(k, &k->p->out_var, SA_SYM_OUT_VAR);
    if (rc == TT_OK && !sa_add_op(k, SA_OP_HALT, k->p->at))
        return sa_no_memory(k);
    return rc;
}

static int returns(const struct sa_block *b)
{
    const struct sa_stmt *q = b->n ? &b->v[b->n - 1] : NULL;

    if (!q)
        return 0;
    return q->kind == SA_RETURN || (q->kind == SA_IF && q->has_other &&
                                    returns(&q->body) && returns(&q->other));
}

static enum tt_code wires(struct sa_compiler *k)
{
    const struct sa_prog *p = k->p;

    if (!TT_NEW_IN(k->c->arena, k->c->wire, p->conn.n + 1))
        return sa_no_memory(k);
    for (size_t i = 0; i < p->conn.n; i++) {
        const struct sa_sym *from = sa_find_sym(k, p->conn.v[i].from);
        struct sa_sym *to = sa_find_sym(k, p->conn.v[i].to);
        struct sa_wire *w = &k->c->wire[k->c->n_wire++];

        if (from->is_bool != to->is_bool)
            return FAIL(k, p->conn.v[i].at, "'%s' and '%s' are not of one type",
                        from->name, to->name);
        to->set = 1;
        *w = (struct sa_wire){.from = from->slot,
                              .to = to->slot,
                              .inner = to->inner,
                              .factor = 1,
                              .is_bool = to->is_bool};
        if (from->unit.known && to->unit.known) {
            w->factor = from->unit.factor / to->unit.factor;
            w->offset = (from->unit.offset - to->unit.offset) / to->unit.factor;
        }
    }
    return TT_OK;
}

static const struct tt_desc *desc_of(const struct sa_compiler *k, uint32_t i)
{
    return k->l->inner[i].type ? &k->l->inner[i].type->desc : NULL;
}

/* What is kept of inner units that change at events only: twice, since it goes
 * with their states. */
static enum tt_code event_slots(struct sa_compiler *k)
{
    struct sa_code *c = k->c;
    size_t n = k->p->inner.n;

    if (!TT_NEW_IN(c->arena, c->next, n))
        return sa_no_memory(k);
    for (uint32_t i = 0; i < n; i++) {
        const struct tt_desc *d = desc_of(k, i);

        c->next[i] = d && d->caps.discrete ? c->n_slot : TT_NONE;
        c->n_slot += d && d->caps.discrete ? 2 : 0;
    }
    for (size_t i = 0; i < c->n_sym; i++) {
        struct sa_sym *s = &c->sym[i];

        if ((s->kind != SA_SYM_INNER_IN && s->kind != SA_SYM_INNER_OUT) ||
            c->next[s->inner] == TT_NONE ||
            !desc_of(k, s->inner)->port[s->port].clock)
            continue;
        s->kept = c->n_slot;
        c->n_slot += 2;
    }
    return TT_OK;
}

enum tt_code sa_compile(struct sa_code *c, const struct sa_linked *l,
                        tt_err *err)
{
    struct sa_compiler k = {
        .c = c, .l = l, .p = &l->prog, .turns = 1, .err = err};
    enum tt_code rc;

    c->arena = l->prog.arena;
    rc = symbols(&k);
    if (rc == TT_OK)
        rc = rules(&k, &k.p->in_rule, &c->in, IN, MAP_IN);
    if (rc == TT_OK)
        rc = rules(&k, &k.p->out_rule, &c->out, MAP_OUT, OUT);
    if (rc == TT_OK)
        rc = code_of(&k, &k.p->ctrl, CTRL, &c->ctrl);
    if (rc == TT_OK && !returns(&k.p->ctrl))
        return FAIL(&k, k.p->at,
                    "the control rules must end with 'return', "
                    "and the length of the step that was made");
    if (rc == TT_OK)
        rc = wires(&k);
    return rc == TT_OK ? event_slots(&k) : rc;
}
