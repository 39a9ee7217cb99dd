/* SPDX-License-Identifier: MIT */
/* The explicit form: what a program leaves to conventions is written out, by
 * the rules of the thesis, section 7.5.3, in their order. What is added is text
 * that the parser takes, at the place of what it is added for. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "adapt/adapt_impl.h"
#include "base/num.h"

struct rewriter {
    struct sa_linked *l;
    struct sa_prog *p;
    struct tt_buf first, second; /* of the rule that is being made */
    int all;                     /* outputs are exposed */
    enum tt_code rc;             /* of replace() */
    tt_err *err;
};

static const struct sa_tok nowhere = {
    .kind = SA_END, .s = "", .line = 1, .column = 1};

/* --- what the program uses --------------------------------------------------
 */

enum where { IN, MAP_IN, MAP_OUT, OUT, CTRL };
typedef int (*visit_fn)(const struct sa_stmt *s, const struct sa_expr *e,
                        enum where w, const void *ctx);

static int visit_block(const struct sa_block *b, enum where w, visit_fn f,
                       const void *ctx)
{
    for (size_t i = 0; i < b->n; i++) {
        const struct sa_stmt *s = &b->v[i];

        if (f(s, &s->e, w, ctx) || (s->to.n && f(NULL, &s->to, w, ctx)) ||
            visit_block(&s->body, w, f, ctx) ||
            visit_block(&s->other, w, f, ctx))
            return 1;
    }
    return 0;
}

static int visit_rules(const sa_rules *r, enum where first, enum where second,
                       visit_fn f, const void *ctx)
{
    for (size_t i = 0; i < r->n; i++)
        if (f(NULL, &r->v[i].when, first, ctx) ||
            visit_block(&r->v[i].first, first, f, ctx) ||
            visit_block(&r->v[i].second, second, f, ctx))
            return 1;
    return 0;
}

static int visit(const struct sa_prog *p, visit_fn f, const void *ctx)
{
    return visit_rules(&p->in_rule, IN, MAP_IN, f, ctx) ||
           visit_block(&p->ctrl, CTRL, f, ctx) ||
           visit_rules(&p->out_rule, MAP_OUT, OUT, f, ctx);
}

static int assigns(const struct sa_stmt *s, const struct sa_expr *e,
                   enum where w, const void *ctx)
{
    (void)e;
    (void)w;
    return s && s->kind == SA_ASSIGN && !strcmp(s->name, ctx);
}

static int refers(const struct sa_stmt *s, const struct sa_expr *e,
                  enum where w, const void *ctx)
{
    (void)s;
    (void)w;
    for (uint32_t i = 0; i < e->n; i++)
        if (e->tok[i].kind == SA_NAME && !strcmp(e->tok[i].s, ctx))
            return 1;
    return 0;
}

/* "sa.port" or "port" */
static int own_used(const struct sa_prog *p, const char *port, visit_fn f)
{
    struct tt_buf b;
    int used;

    tt_buf_init(&b, 4096);
    tt_buf_fmt(&b, "%s.%s", p->name, port);
    used = visit(p, f, port) || (!b.failed && visit(p, f, b.data));
    tt_buf_fini(&b);
    return used;
}

static const char *joined(struct rewriter *r, const char *prefix, const char *a,
                          const char *b, int upper)
{
    struct tt_buf t;
    char *s = NULL;

    tt_buf_init(&t, 4096);
    tt_buf_fmt(&t, "%s_%s_%s", prefix, a, b);
    if (!t.failed) {
        for (size_t i = 0; i < t.len; i++)
            t.data[i] = (char)(upper ? toupper((unsigned char)t.data[i])
                                     : tolower((unsigned char)t.data[i]));
        s = tt_arena_strdup(r->p->arena, t.data);
    }
    tt_buf_fini(&t);
    return s;
}

const char *sa_dotted(tt_arena *arena, const char *a, const char *b)
{
    struct tt_buf t;
    const char *s;

    tt_buf_init(&t, 4096);
    tt_buf_fmt(&t, "%s.%s", a, b);
    s = t.failed ? NULL : tt_arena_strdup(arena, t.data);
    tt_buf_fini(&t);
    return s;
}

/* The port of the adaptation that a name stands for, with or without its name
 * before it; NULL: none. */
static const struct sa_port *own_port(const struct sa_prog *p,
                                      const sa_ports *of, const char *name)
{
    size_t n = strlen(p->name);

    if (!strncmp(name, p->name, n) && name[n] == '.')
        name += n + 1;
    for (size_t i = 0; i < of->n; i++)
        if (!strcmp(of->v[i].name, name))
            return &of->v[i];
    return NULL;
}

static enum tt_code no_memory(struct rewriter *r)
{
    return tt_nomem(r->err, r->p->origin.name);
}

/* --- physical units ---------------------------------------------------------
 */

static void put_number(struct tt_buf *out, double v)
{
    char text[TT_NUM_MAX];

    tt_num_print_short(text, v);
    tt_buf_str(out, text);
}

/* `value` of one unit in another one, behind it what it takes. */
static enum tt_code converted(struct rewriter *r, struct tt_buf *out,
                              const char *value, const char *from,
                              const char *to, const struct sa_tok *at)
{
    struct tt_expr_unit a, b;
    double gain, inverse;

    tt_buf_str(out, value);
    if (!from || !to || !strcmp(from, to))
        return TT_OK;
    if (tt_expr_unit_parse(&a, from, strlen(from)) != 0 ||
        tt_expr_unit_parse(&b, to, strlen(to)) != 0)
        return sa_fail(r->p, at, r->err, TT_EINPUT,
                       "there is no way from the unit '%s' to '%s': one of "
                       "them is not known",
                       from, to);
    if (memcmp(a.exponent, b.exponent, sizeof(a.exponent)) != 0)
        return sa_fail(r->p, at, r->err, TT_EINPUT,
                       "the units '%s' and '%s' do not fit", from, to);
    if (a.offset != b.offset) { /* a scale with another zero is not a factor */
        tt_buf_fmt(out, "[%s]", to);
        return TT_OK;
    }
    gain = a.factor / b.factor;
    inverse = round(b.factor / a.factor);
    if (gain < 1 && fabs(inverse * gain - 1) < 1e-12) {
        tt_buf_str(out, " / ");
        put_number(out, inverse);
    } else if (gain != 1) {
        tt_buf_str(out, " * ");
        put_number(out, gain);
    }
    return TT_OK;
}

/* --- declarations ------------------------------------------------------------
 */

static int has_decl(const sa_decls *d, const char *name)
{
    for (size_t i = 0; i < d->n; i++)
        if (!strcmp(d->v[i].name, name))
            return 1;
    return 0;
}

static enum tt_code declare(struct rewriter *r, sa_decls *to,
                            const struct sa_tok *at, struct sa_decl d,
                            const char *init)
{
    struct sa_decl *q;
    enum tt_code rc;

    if (!d.name)
        return no_memory(r);
    if (has_decl(to, d.name))
        return TT_OK;
    rc = sa_parse_expr(r->p, at, init, &d.init, r->err);
    q = rc == TT_OK ? SA_PUSH(r->p->arena, to) : NULL;
    if (rc == TT_OK && !q)
        return no_memory(r);
    d.at = at;
    d.implied = 1;
    if (q)
        *q = d;
    return rc;
}

/* A parameter with the first value, and a variable that has it. */
static enum tt_code store(struct rewriter *r, sa_decls *to,
                          const struct sa_tok *at, const char *of,
                          const char *port, enum sa_type type, const char *unit)
{
    const char *param = joined(r, "INIT", of, port, 1);
    enum tt_code rc = declare(r, &r->p->param, at,
                              (struct sa_decl){.name = param, .type = type},
                              type == SA_BOOL      ? "false"
                              : type == SA_INTEGER ? "0"
                                                   : "0.0");

    if (rc != TT_OK)
        return rc;
    return declare(r, to, at,
                   (struct sa_decl){.name = joined(r, "stored", of, port, 0),
                                    .type = type,
                                    .unit = unit},
                   param);
}

static enum tt_code prepend(struct rewriter *r, sa_rules *to)
{
    struct sa_rule rule = {.at = r->p->at}, *room = SA_PUSH(r->p->arena, to);
    enum tt_code rc = sa_parse_expr(r->p, r->p->at, "true", &rule.when, r->err);

    if (!room || r->first.failed || r->second.failed)
        return no_memory(r);
    if (rc == TT_OK)
        rc = sa_parse_block(r->p, r->p->at, r->first.len ? r->first.data : "",
                            &rule.first, r->err);
    if (rc == TT_OK)
        rc = sa_parse_block(r->p, r->p->at, r->second.len ? r->second.data : "",
                            &rule.second, r->err);
    memmove(to->v + 1, to->v, (to->n - 1) * sizeof(*to->v));
    to->v[0] = rule;
    tt_buf_clear(&r->first);
    tt_buf_clear(&r->second);
    return rc;
}

/* --- inputs ------------------------------------------------------------------
 */

/* Is it an end of a connection, where this comes from or goes to? */
static int is_end(const struct sa_prog *p, const char *name, int source)
{
    for (size_t i = 0; i < p->conn.n; i++)
        if (!strcmp(source ? p->conn.v[i].from : p->conn.v[i].to, name))
            return 1;
    return 0;
}

static int is_bound(const sa_ports *ports, const char *name)
{
    for (size_t i = 0; i < ports->n; i++)
        if (ports->v[i].bound && !strcmp(ports->v[i].bound, name))
            return 1;
    return 0;
}

/* A port that a convention adds, or completes. */
static enum tt_code expose(struct rewriter *r, sa_ports *to,
                           const struct sa_face *f, uint32_t inner,
                           const char *name)
{
    const struct sa_prog *p = r->p;
    const struct sa_tok *at = p->inner.v[inner].at;
    struct sa_port *q = NULL;

    for (size_t i = 0; i < to->n && !q; i++)
        if (!strcmp(to->v[i].name, f->name))
            q = &to->v[i];
    if (q && (q->bound || own_used(p, f->name, f->input ? refers : assigns)))
        return sa_fail(p, q->at, r->err, TT_EINPUT,
                       "%s '%s' of the adaptation is not bound to '%s', which "
                       "would have the same name: bind it, or give it another "
                       "one",
                       f->input ? "input" : "output", f->name, name);
    if (!q) {
        q = SA_PUSH(p->arena, to);
        if (!q)
            return no_memory(r);
        *q = (struct sa_port){.at = at, .name = f->name, .is = f, .of = inner};
    }
    q->bound = name;
    q->bound_at = q->at;
    return TT_OK;
}

typedef enum tt_code (*face_fn)(struct rewriter *r, uint32_t inner,
                                const struct sa_face *f, const char *name);

/* Each port of the inner units, with its name in full. */
static enum tt_code each_face(struct rewriter *r, face_fn do_cb)
{
    struct sa_prog *p = r->p;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < p->inner.n; i++)
        for (uint32_t k = 0; k < r->l->inner[i].n_face && rc == TT_OK; k++) {
            const struct sa_face *f = &r->l->inner[i].face[k];
            const char *name = sa_dotted(p->arena, p->inner.v[i].name, f->name);

            rc = name ? do_cb(r, i, f, name) : no_memory(r);
        }
    return rc;
}

static enum tt_code add_in_port(struct rewriter *r, uint32_t inner,
                                const struct sa_face *f, const char *name)
{
    struct sa_prog *p = r->p;

    return f->input && !is_end(p, name, 0) && !is_bound(&p->in, name) &&
                   !visit(p, assigns, name)
               ? expose(r, &p->in, f, inner, name)
               : TT_OK;
}

static enum tt_code add_in_ports(struct rewriter *r)
{
    return each_face(r, add_in_port);
}

/* v of the inner port's unit in that of this one, where both are known. */
static double start_in(const struct sa_port *q, const struct sa_face *f,
                       double v)
{
    struct tt_expr_unit in, out;

    if (!q->unit || !f->unit ||
        tt_expr_unit_parse(&in, f->unit, strlen(f->unit)) != 0 ||
        tt_expr_unit_parse(&out, q->unit, strlen(q->unit)) != 0 ||
        (in.factor == out.factor && in.offset == out.offset))
        return v;
    return (in.factor * v + in.offset - out.offset) / out.factor;
}

/* An input begins with what the one that it is bound to begins with. */
static enum tt_code settle_start(struct rewriter *r, struct sa_port *q,
                                 const struct sa_face *f, uint32_t inner)
{
    const tt_unit_type *t = r->l->inner[inner].type;
    const struct tt_port *p = t ? &t->desc.port[f->port] : NULL;
    char text[TT_NUM_MAX];
    double v;

    if (!p || !p->start || q->type != f->type)
        return TT_OK;
    v = start_in(q, f, tt_value_as_double(p->type, p->start));
    if (v == 0 || !isfinite(v)) /* as without */
        return TT_OK;
    if (q->type == SA_BOOL)
        memcpy(text, "true", sizeof("true"));
    else
        tt_num_print(text, v);
    return sa_parse_expr(r->p, q->at, text, &q->init, r->err);
}

/* What a port is bound to gives it type and unit. */
static enum tt_code settle_ports(struct rewriter *r, sa_ports *ports, int input)
{
    for (size_t i = 0; i < ports->n; i++) {
        struct sa_port *q = &ports->v[i];
        uint32_t inner;
        const struct sa_face *f =
            q->bound ? sa_find_face(r->l, q->bound, &inner) : NULL;

        for (size_t k = 0; k < i; k++)
            if (!strcmp(ports->v[k].name, q->name))
                return sa_fail(r->p, q->at, r->err, TT_EINPUT,
                               "there are two %ss '%s'",
                               input ? "input" : "output", q->name);
        if (q->bound && (!f || f->input != input))
            return sa_fail(r->p, q->bound_at, r->err, TT_EINPUT,
                           "there is no inner %s '%s'",
                           input ? "input" : "output", q->bound);
        if (!q->type)
            q->type = f ? f->type : SA_REAL;
        if (!q->unit && f)
            q->unit = f->unit;
        if (input && f && !q->init.n) {
            enum tt_code rc = settle_start(r, q, f, inner);

            if (rc != TT_OK)
                return rc;
        }
    }
    return TT_OK;
}

static enum tt_code add_in_rule(struct rewriter *r)
{
    struct sa_prog *p = r->p;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < p->in.n && rc == TT_OK; i++) {
        struct sa_port *q = &p->in.v[i];
        const char *var = joined(r, "stored", p->name, q->name, 0);
        uint32_t inner;
        int known;
        const struct sa_face *f =
            q->bound ? sa_find_face(r->l, q->bound, &inner) : NULL;

        if (!var)
            return no_memory(r);
        known = has_decl(&p->in_var, var);
        rc = store(r, &p->in_var, q->at, p->name, q->name, q->type, q->unit);
        if (rc != TT_OK)
            return rc;
        if (!known)
            tt_buf_fmt(&r->first, "%s := %s.%s; ", var, p->name, q->name);
        if (f && ((f->type == SA_BOOL) == (q->type == SA_BOOL))) {
            tt_buf_fmt(&r->second, "%s := ", q->bound);
            rc = converted(r, &r->second, var, q->unit, f->unit, q->at);
            tt_buf_str(&r->second, "; ");
        } else if (f && !visit(p, assigns, q->bound)) {
            rc =
                sa_fail(p, q->bound_at, r->err, TT_EINPUT,
                        "'%s' and '%s' are not of one type", q->name, q->bound);
        }
        q->bound = NULL;
    }
    return rc == TT_OK && r->first.len ? prepend(r, &p->in_rule) : rc;
}

/* --- outputs -----------------------------------------------------------------
 */

static enum tt_code add_out_port(struct rewriter *r, uint32_t inner,
                                 const struct sa_face *f, const char *name)
{
    sa_ports *out = &r->p->out;
    const struct sa_port *q = own_port(r->p, out, f->name);

    return !f->input && (r->all || (r->l->all_out && inner == 0 && !q) ||
                         (q && !q->bound && !own_used(r->p, f->name, assigns)))
               ? expose(r, out, f, inner, name)
               : TT_OK;
}

static enum tt_code add_out_ports(struct rewriter *r)
{
    r->all = !r->p->out.n && !r->l->all_out;
    return each_face(r, add_out_port);
}

static enum tt_code keep_output(struct rewriter *r, uint32_t inner,
                                const struct sa_face *f, const char *name)
{
    struct sa_prog *p = r->p;
    const struct sa_inner *u = &p->inner.v[inner];
    const char *var = joined(r, "stored", u->name, f->name, 0);

    if (!var)
        return no_memory(r);
    if (f->input ||
        !(is_bound(&p->out, name) || is_end(p, name, 1) ||
          visit(p, refers, name)) ||
        has_decl(&p->out_var, var))
        return TT_OK;
    tt_buf_fmt(&r->first, "%s := %s; ", var, name);
    return store(r, &p->out_var, u->at, u->name, f->name, f->type, f->unit);
}

static enum tt_code add_out_rule(struct rewriter *r)
{
    struct sa_prog *p = r->p;
    enum tt_code rc = each_face(r, keep_output);

    for (size_t i = 0; i < p->out.n && rc == TT_OK; i++) {
        struct sa_port *q = &p->out.v[i];
        uint32_t inner;
        const struct sa_face *f =
            q->bound ? sa_find_face(r->l, q->bound, &inner) : NULL;
        const char *var =
            f ? joined(r, "stored", p->inner.v[inner].name, f->name, 0) : NULL;

        if (f && !var)
            return no_memory(r);
        if (f && (f->type == SA_BOOL) != (q->type == SA_BOOL))
            return sa_fail(p, q->bound_at, r->err, TT_EINPUT,
                           "'%s' and '%s' are not of one type", q->name,
                           q->bound);
        if (f) {
            tt_buf_fmt(&r->second, "%s.%s := ", p->name, q->name);
            rc = converted(r, &r->second, var, f->unit, q->unit, q->at);
            tt_buf_str(&r->second, "; ");
        } else if (!own_used(p, q->name, assigns)) {
            return sa_fail(p, q->at, r->err, TT_EINPUT,
                           "output '%s' is never set: bind it, or assign it in "
                           "an out rule",
                           q->name);
        }
        q->bound = NULL;
    }
    return rc == TT_OK && (r->first.len || r->second.len)
               ? prepend(r, &p->out_rule)
               : rc;
}

/* --- control -----------------------------------------------------------------
 */

static enum tt_code create_ctrl(struct rewriter *r)
{
    struct sa_prog *p = r->p;
    enum tt_code rc;

    if (p->has_ctrl)
        return TT_OK;
    if (!r->l->sigma)
        return sa_fail(p, p->at, r->err, TT_EINPUT,
                       "the inner units depend on each other in a circle: "
                       "there is no order to step them in, so control rules "
                       "are needed");
    for (size_t i = 0; i < p->inner.n; i++) {
        const char *name = p->inner.v[r->l->sigma[i]].name;

        tt_buf_fmt(&r->first, "var H_%s := do_step(%s, t, H); ", name, name);
        tt_buf_fmt(&r->second, "%sH_%s", i ? ", " : "", name);
    }
    tt_buf_fmt(&r->first, p->inner.n > 1 ? "return min(%s);" : "return %s;",
               r->second.failed ? "" : r->second.data);
    if (r->first.failed)
        return no_memory(r);
    rc = sa_parse_block(p, p->at, r->first.data, &p->ctrl, r->err);
    p->has_ctrl = p->ctrl_implied = 1;
    tt_buf_clear(&r->first);
    tt_buf_clear(&r->second);
    return rc;
}

/* Which inner unit a statement steps, or TT_NONE. */
static uint32_t steps(const struct sa_linked *l, const struct sa_stmt *s)
{
    for (uint32_t i = 0; i + 2 < s->e.n; i++)
        if (sa_is(&s->e.tok[i], "do_step") && sa_is(&s->e.tok[i + 1], "(") &&
            s->e.tok[i + 2].kind == SA_NAME)
            return sa_find_inner(l, s->e.tok[i + 2].s,
                                 strlen(s->e.tok[i + 2].s));
    return TT_NONE;
}

/* Was it assigned by statements before, behind the step before? */
static int was_assigned(const struct sa_linked *l, const struct sa_block *b,
                        size_t before, uint32_t inner, const char *name)
{
    for (size_t k = before; k-- > 0;) {
        if (b->v[k].kind == SA_ASSIGN && !strcmp(b->v[k].name, name))
            return 1;
        if (steps(l, &b->v[k]) == inner)
            return 0;
    }
    return 0;
}

static enum tt_code bind_inside(struct rewriter *r, struct sa_block *b);

static enum tt_code bind_step(struct rewriter *r, const struct sa_block *b,
                              size_t at, struct sa_block *to)
{
    struct sa_prog *p = r->p;
    uint32_t inner = steps(r->l, &b->v[at]), i;
    enum tt_code rc = TT_OK;

    for (size_t c = 0; inner != TT_NONE && c < p->conn.n && rc == TT_OK; c++) {
        const struct sa_conn *q = &p->conn.v[c];
        const struct sa_face *to_face = sa_find_face(r->l, q->to, &i), *from;
        uint32_t source;

        if (i != inner || was_assigned(r->l, b, at, inner, q->to))
            continue;
        from = sa_find_face(r->l, q->from, &source);
        tt_buf_fmt(&r->first, "%s := ", q->to);
        rc = converted(r, &r->first, q->from, from->unit, to_face->unit, q->at);
        tt_buf_str(&r->first, ";");
        if (rc == TT_OK)
            rc = r->first.failed ? no_memory(r)
                                 : sa_parse_block(p, b->v[at].at, r->first.data,
                                                  to, r->err);
        tt_buf_clear(&r->first);
    }
    return rc;
}

/* Values between inner units are set before the one that takes them steps. */
static enum tt_code bind_inside(struct rewriter *r, struct sa_block *b)
{
    struct sa_block to = {0};
    enum tt_code rc = TT_OK;

    for (size_t i = 0; i < b->n && rc == TT_OK; i++) {
        struct sa_stmt *q;

        rc = bind_inside(r, &b->v[i].body);
        if (rc == TT_OK)
            rc = bind_inside(r, &b->v[i].other);
        if (rc == TT_OK)
            rc = bind_step(r, b, i, &to);
        q = rc == TT_OK ? SA_PUSH(r->p->arena, &to) : NULL;
        if (rc == TT_OK && !q)
            return no_memory(r);
        if (q)
            *q = b->v[i];
    }
    *b = to;
    return rc;
}

/* --- names of ports where their values are in variables
 * ----------------------- */

static const char *stands_for(struct rewriter *r, const char *name,
                              enum where w)
{
    const struct sa_prog *p = r->p;
    const struct sa_port *q = own_port(p, &p->in, name);
    const struct sa_face *f;
    uint32_t inner;

    if (q && w != IN && !has_decl(&p->in_var, name))
        return joined(r, "stored", p->name, q->name, 0);
    f = sa_find_face(r->l, name, &inner);
    if (f && !f->input && w != MAP_OUT)
        return joined(r, "stored", p->inner.v[inner].name, f->name, 0);
    return name;
}

static enum tt_code replaced(struct rewriter *r, struct sa_expr *e,
                             enum where w)
{
    struct sa_tok *tok;

    if (!e->n)
        return TT_OK;
    tok = tt_arena_dup(r->p->arena, e->tok, e->n, sizeof(*tok));
    if (!tok)
        return no_memory(r);
    for (uint32_t i = 0; i < e->n; i++) {
        const struct sa_port *q = own_port(r->p, &r->p->in, tok[i].s);

        if (tok[i].kind != SA_NAME)
            continue;
        if (q && w == OUT && r->p->feed == SA_MOORE)
            return sa_fail(r->p, &tok[i], r->err, TT_EINPUT,
                           "'%s' is moore: its outputs cannot follow the input "
                           "'%s' at once",
                           r->p->name, q->name);
        tok[i].s = stands_for(r, tok[i].s, w);
        if (!tok[i].s)
            return no_memory(r);
    }
    e->tok = tok;
    return TT_OK;
}

/* Nothing more is done after the first failure, which r->rc keeps. */
static void replace(struct rewriter *r, struct sa_expr *e, enum where w)
{
    if (r->rc == TT_OK)
        r->rc = replaced(r, e, w);
}

static void replace_block(struct rewriter *r, struct sa_block *b, enum where w)
{
    for (size_t i = 0; i < b->n; i++) {
        replace(r, &b->v[i].e, w);
        replace(r, &b->v[i].to, w);
        replace_block(r, &b->v[i].body, w);
        replace_block(r, &b->v[i].other, w);
    }
}

static void replace_rules(struct rewriter *r, sa_rules *l, enum where first,
                          enum where second)
{
    for (size_t i = 0; i < l->n; i++) {
        replace(r, &l->v[i].when, first);
        replace_block(r, &l->v[i].first, first);
        replace_block(r, &l->v[i].second, second);
    }
}

static enum tt_code replace_all(struct rewriter *r)
{
    replace_rules(r, &r->p->in_rule, IN, MAP_IN);
    replace_rules(r, &r->p->out_rule, MAP_OUT, OUT);
    replace_block(r, &r->p->ctrl, CTRL);
    return r->rc;
}

static enum tt_code settle_in(struct rewriter *r)
{
    return settle_ports(r, &r->p->in, 1);
}

static enum tt_code settle_out(struct rewriter *r)
{
    return settle_ports(r, &r->p->out, 0);
}

static enum tt_code bind_ctrl(struct rewriter *r)
{
    return bind_inside(r, &r->p->ctrl);
}

enum tt_code sa_rewrite(struct sa_linked *l, tt_err *err)
{
    static enum tt_code (*const rule[])(struct rewriter *) = {
        add_in_ports, settle_in,   add_in_rule, add_out_ports, settle_out,
        add_out_rule, create_ctrl, bind_ctrl,   replace_all};
    struct rewriter r = {.l = l, .p = &l->prog, .err = err};
    enum tt_code rc = TT_OK;

    if (!l->prog.at)
        l->prog.at = &nowhere;
    tt_buf_init(&r.first, SA_TEXT_MAX);
    tt_buf_init(&r.second, SA_TEXT_MAX);
    for (size_t i = 0; i < sizeof(rule) / sizeof(rule[0]) && rc == TT_OK; i++)
        rc = rule[i](&r);
    tt_buf_fini(&r.first);
    tt_buf_fini(&r.second);
    return rc;
}
