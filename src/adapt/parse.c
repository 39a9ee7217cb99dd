/* SPDX-License-Identifier: MIT */
/* The grammar, by recursive descent: a function per production. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "adapt/adapt_impl.h"
#include "base/num.h"

struct production {
    const char *name, *is;
};
/* What the functions below take, in their order; the reference has it. */
static const struct production grammar[] = {
    {"program", "\"semantic\" \"adaptation\" kind [ name ] name [ \"at\" text "
                "] { inner } { \"with\" coupling } [ \"coupled\" \"as\" "
                "coupling { \",\" coupling } ] { section }"},
    {"kind", "[ \"reactive\" | \"delayed\" ] [ \"moore\" | \"mealy\" ]"},
    {"inner",
     "\"for\" \"inner\" \"fmu\" kind [ name ] name \"at\" text { "
     "\"with\" ( ( \"input\" | \"output\" ) \"ports\" ports | \"param\" "
     "fixed { \",\" fixed } [ \";\" ] ) }"},
    {"fixed", "name \":=\" constant"},
    {"constant", "[ \"-\" ] number | \"true\" | \"false\""},
    {"coupling", "name \".\" name \"->\" name \".\" name"},
    {"ports", "port { [ \",\" ] port }"},
    {"port", "[ type ] name [ \":=\" constant ] [ \"(\" unit \")\" ] [ ( "
             "\"->\" | \"<-\" ) name \".\" name ]"},
    {"type", "\"Real\" | \"Integer\" | \"Bool\""},
    {"section", "( \"input\" | \"output\" ) \"ports\" ports | \"param\" "
                "declarations | ( \"control\" | \"in\" | \"out\" ) \"var\" "
                "declarations | \"control\" \"rules\" block | ( \"in\" | "
                "\"out\" ) \"rules\" \"{\" { rule } \"}\" | "
                "\"derivatives\" \"by\" \"differences\" [ \"of\" number "
                "] [ \";\" ]"},
    {"declarations", "declaration { [ \",\" ] declaration } [ \";\" ]"},
    {"declaration", "[ type ] name \":=\" expression"},
    {"rule", "( expression | \"otherwise\" ) \"->\" block ( \"-->\" | \"->\" ) "
             "block [ \";\" ]"},
    {"block", "\"{\" { statement } \"}\""},
    {"statement",
     "\"var\" [ type ] name \":=\" expression \";\" | name \":=\" expression "
     "\";\" | \"if\" \"(\" expression \")\" block [ \"else\" ( block | "
     "statement ) ] | \"for\" \"(\" \"var\" name \"in\" expression \"..\" "
     "expression \")\" block | \"break\" \";\" | \"return\" expression \";\" | "
     "call \";\""},
    {"call", "\"do_step\" \"(\" name \",\" expression \",\" expression \")\" | "
             "( \"save_state\" | \"rollback\" ) \"(\" name \")\" | "
             "\"reinitialise\" \"(\" name { \",\" name \",\" expression } "
             "\")\" | ( \"warn\" | \"fail\" ) \"(\" text \")\""},
};

void tt_adapt_grammar(struct tt_buf *out)
{
    for (size_t i = 0; i < sizeof(grammar) / sizeof(grammar[0]); i++)
        tt_buf_fmt(out, "%s = %s ;\n", grammar[i].name, grammar[i].is);
}

/* Of a mistake the first is reported; after it there is only the end. */
struct parser {
    struct sa_prog *p;
    const struct sa_tok *at;
    const char *text;
    unsigned depth;
    enum tt_code rc;
    tt_err *err;
};

static const struct sa_tok end = {.kind = SA_END, .s = ""};

void *sa_push(tt_arena *a, void **v, size_t *n, size_t *cap, size_t size)
{
    if (*n == *cap) {
        size_t more = *cap ? 2 * *cap : 8;
        char *grown = tt_arena_alloc(a, more, size);

        if (!grown)
            return NULL;
        if (*n)
            memcpy(grown, *v, *n * size);
        *v = grown;
        *cap = more;
    }
    return (char *)*v + (*n)++ * size;
}

enum tt_code sa_fail(const struct sa_prog *p, const struct sa_tok *at,
                     tt_err *err, enum tt_code code, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    code = tt_vfail(err, code, fmt, ap);
    va_end(ap);
    if (err)
        tt_spot_at(&err->place, p->origin.name, at->line, at->column);
    return tt_context(err, code, "%s:%u:%u", p->origin.name, (unsigned)at->line,
                      (unsigned)at->column);
}

#define FAIL(s, where, ...)                                                    \
    ((s)->rc == TT_OK ? (void)((s)->rc = sa_fail((s)->p, (where), (s)->err,    \
                                                 TT_EINPUT, __VA_ARGS__))      \
                      : (void)0,                                               \
     (s)->at = &end)

static void *no_memory(struct parser *s)
{
    if (s->rc == TT_OK)
        s->rc = tt_nomem(s->err, s->p->origin.name);
    s->at = &end;
    return NULL;
}

/* Appends to a list, as long as nothing has failed. */
#define ADD(s, list, what)                                                     \
    ((s)->rc == TT_OK && (SA_PUSH((s)->p->arena, list) || no_memory(s))        \
         ? (void)((list)->v[(list)->n - 1] = (what))                           \
         : (void)0)

struct shown {
    char s[64];
};
static struct shown shown(const struct sa_tok *t)
{
    struct shown w;

    if (t->kind == SA_END)
        (void)snprintf(w.s, sizeof(w.s), "the end");
    else
        (void)snprintf(w.s, sizeof(w.s), "'%.40s'", t->s);
    return w;
}

static int take(struct parser *s, const char *word)
{
    if (!sa_is(s->at, word))
        return 0;
    s->at++;
    return 1;
}

static void expect(struct parser *s, const char *word)
{
    if (!take(s, word))
        FAIL(s, s->at, "expected '%s', found %s", word, shown(s->at).s);
}

static int is_word(const struct sa_tok *t)
{
    return t->kind == SA_NAME && !strchr(t->s, '.');
}

static const char *const reserved[] = {
    "t",       "H",     "h",          "dt",     "true",   "false", "pi",
    "and",     "or",    "not",        "if",     "then",   "else",  "var",
    "for",     "in",    "may_reject", "break",  "return", "der",   "pre",
    "present", "param", "with",       "do_step"};

/* A name that is declared here. */
static const char *declared(struct parser *s, const char *of)
{
    const struct sa_tok *t = s->at;

    if (!is_word(t)) {
        FAIL(s, t, "expected the name of %s, found %s", of, shown(t).s);
        return "";
    }
    if (tt_name_is_among(t->s, reserved,
                         sizeof(reserved) / sizeof(reserved[0]))) {
        FAIL(s, t, "'%s' is of the language and cannot name %s", t->s, of);
        return "";
    }
    s->at++;
    return t->s;
}

/* "inner.port" */
static const char *dotted(struct parser *s)
{
    const struct sa_tok *t = s->at;

    if (t->kind != SA_NAME || !strchr(t->s, '.')) {
        FAIL(s, t,
             "expected a port of an inner unit, as in 'tank.level', "
             "found %s",
             shown(t).s);
        return "";
    }
    s->at++;
    return t->s;
}

static const char *string(struct parser *s, const char *what)
{
    const struct sa_tok *t = s->at;

    if (t->kind != SA_STRING) {
        FAIL(s, t, "expected %s in quotes, found %s", what, shown(t).s);
        return "";
    }
    s->at++;
    return t->s;
}

/* --- expressions: their words, up to what ends them ------------------------
 */

static int ends(const struct sa_tok *t)
{
    static const char *const sign[] = {";",  ",",  ")",   "{", "}",
                                       "->", ":=", "-->", ".."};

    for (size_t i = 0; i < sizeof(sign) / sizeof(sign[0]); i++)
        if (sa_is(t, sign[i]))
            return 1;
    return t->kind == SA_END;
}

static void refuse_word(struct parser *s, const struct sa_tok *t)
{
    static const char *const not_yet[] = {
        ">!", "<!", "discard", "is_set", "elapsed", "last_execution_time",
        "MAX"};

    if ((t->kind == SA_NAME || t->kind == SA_SIGN) &&
        tt_name_is_among(t->s, not_yet, sizeof(not_yet) / sizeof(not_yet[0])))
        FAIL(s, t, "'%s' is not supported", t->s);
    else if (t->kind == SA_BRACKET &&
             (!strcmp(t->s, "[prev]") || !strcmp(t->s, "[now]") ||
              !strncmp(t->s, "[-", 2)))
        FAIL(s, t,
             "the past of a signal, '%s', is not supported: keep it in "
             "a variable",
             t->s);
}

static struct sa_expr expression(struct parser *s)
{
    struct sa_expr e = {.tok = s->at};
    const struct sa_tok *open[128];
    unsigned depth = 0;

    for (; depth || !ends(s->at); s->at++, e.n++) {
        if (s->at->kind == SA_END || sa_is(s->at, ";") || sa_is(s->at, "{") ||
            sa_is(s->at, "}")) {
            FAIL(s, open[depth - 1], "a '(' lacks its ')'");
            return e;
        }
        refuse_word(s, s->at);
        if (s->rc != TT_OK)
            return e;
        if (sa_is(s->at, "(") && depth == 128) {
            FAIL(s, s->at, "nested too deeply: at most 128 levels");
            return e;
        }
        if (sa_is(s->at, "("))
            open[depth++] = s->at;
        depth -= depth && sa_is(s->at, ")") ? 1 : 0;
    }
    if (!e.n)
        FAIL(s, s->at, "expected an expression, found %s", shown(s->at).s);
    return e;
}

/* A value in a list whose commas may be missing: it ends before "name :=". */
static struct sa_expr listed(struct parser *s)
{
    struct sa_expr e = expression(s);

    if (sa_is(s->at, ":=") && e.n > 1 && is_word(s->at - 1)) {
        s->at--;
        e.n--;
        if (e.n > 1 &&
            (sa_is(s->at - 1, "Real") || sa_is(s->at - 1, "Integer") ||
             sa_is(s->at - 1, "Bool"))) {
            s->at--;
            e.n--;
        }
    }
    return e;
}

static enum sa_type type(struct parser *s)
{
    static const char *const name[] = {[SA_REAL] = "Real",
                                       [SA_INTEGER] = "Integer",
                                       [SA_BOOL] = "Bool",
                                       [SA_TEXT] = "String"};

    for (int i = SA_REAL; i <= SA_TEXT; i++)
        if (sa_is(s->at, name[i]) && is_word(s->at + 1)) {
            if (i == SA_TEXT)
                FAIL(s, s->at, "texts are not supported");
            else
                s->at++;
            return (enum sa_type)i;
        }
    return SA_TYPE_OPEN;
}

/* --- ports and inner units -------------------------------------------------
 */

static void unit(struct parser *s, struct sa_port *q)
{
    const struct sa_tok *open = s->at;

    if (!take(s, "("))
        return;
    while (s->at->kind != SA_END && !sa_is(s->at, ")"))
        s->at++;
    if (s->at->kind == SA_END) {
        FAIL(s, open, "a '(' lacks its ')'");
        return;
    }
    q->unit = tt_arena_strndup(s->p->arena, s->text + open->to,
                               s->at->from - open->to);
    if (!q->unit)
        (void)no_memory(s);
    else
        s->at++;
}

/* A word that begins something else does not name the next port. */
static int begins_more(const struct sa_tok *t)
{
    static const char *const word[] = {
        "with",     "for",        "input",    "output",     "param",
        "control",  "in",         "out",      "coupled",    "delay",
        "multiply", "successive", "semantic", "derivatives"};

    return tt_name_is_among(t->s, word, sizeof(word) / sizeof(word[0]));
}

static double constant(struct parser *s)
{
    int minus = take(s, "-");
    double v = 0;

    if (!minus && take(s, "true"))
        return 1;
    if (!minus && take(s, "false"))
        return 0;
    if (s->at->kind != SA_NUMBER || tt_num_parse(s->at->s, &v) != 0)
        FAIL(s, s->at, "expected a number, 'true' or 'false', found %s",
             shown(s->at).s);
    else
        s->at++;
    return minus ? -v : v;
}

/* The words of one. */
static struct sa_expr start(struct parser *s)
{
    struct sa_expr e = {.tok = s->at};

    (void)constant(s);
    e.n = (uint32_t)(s->at - e.tok);
    return e;
}

static void port(struct parser *s, sa_ports *list)
{
    struct sa_port *q = SA_PUSH(s->p->arena, list);
    enum sa_type of;

    if (!q) {
        (void)no_memory(s);
        return;
    }
    if (list->n > SA_PORTS_MAX)
        FAIL(s, s->at, "more than %u ports", SA_PORTS_MAX);
    of = type(s);
    *q = (struct sa_port){.at = s->at, .type = of};
    q->name = declared(s, "a port");
    if (s->at->kind == SA_STRING)
        FAIL(s, s->at, "aliases of ports are not supported");
    unit(s, q);
    if (take(s, ":="))
        q->init = start(s);
    if (s->at->kind == SA_BRACKET)
        s->at++; /* a range, which nothing depends on */
    unit(s, q);
    if (take(s, "->") || take(s, "<-")) {
        q->bound_at = s->at;
        q->bound = dotted(s);
    }
}

static void ports(struct parser *s, sa_ports *list)
{
    do {
        port(s, list);
    } while (s->rc == TT_OK &&
             (take(s, ",") || (is_word(s->at) && !begins_more(s->at))));
}

static void kind(struct parser *s, enum sa_react *react, enum sa_feed *feed)
{
    *react = take(s, "reactive")  ? SA_REACTIVE
             : take(s, "delayed") ? SA_DELAYED
                                  : SA_REACT_OPEN;
    *feed = take(s, "moore")   ? SA_MOORE
            : take(s, "mealy") ? SA_MEALY
                               : SA_FEED_OPEN;
}

/* "Window window": type and name; one word is both. */
static void type_and_name(struct parser *s, const char **of, const char **name)
{
    *of = *name = declared(s, "a unit");
    if (is_word(s->at) && !sa_is(s->at, "at") && !begins_more(s->at))
        *name = declared(s, "a unit");
}

static void fixed(struct parser *s, struct sa_inner *f)
{
    do {
        struct sa_fixed q = {.at = s->at};

        q.name = declared(s, "a parameter");
        expect(s, ":=");
        if (s->rc == TT_OK)
            q.value = constant(s);
        ADD(s, &f->fixed, q);
    } while (s->rc == TT_OK && take(s, ","));
    (void)take(s, ";");
}

static void inner(struct parser *s)
{
    struct sa_inner *f = SA_PUSH(s->p->arena, &s->p->inner);

    if (!f) {
        (void)no_memory(s);
        return;
    }
    *f = (struct sa_inner){0};
    if (s->p->inner.n > SA_INNER_MAX)
        FAIL(s, s->at, "more than %u inner units", SA_INNER_MAX);
    if (take(s, "fmu"))
        FAIL(s, s->at - 1,
             "'for fmu', which refers to another module, is not "
             "supported: write 'for inner fmu ... at \"FILE\"'");
    expect(s, "inner");
    expect(s, "fmu");
    kind(s, &f->react, &f->feed);
    f->at = s->at;
    type_and_name(s, &f->type, &f->name);
    expect(s, "at");
    f->place_at = s->at;
    f->place = string(s, "the location of the inner unit");
    while (s->rc == TT_OK && sa_is(s->at, "with") &&
           (sa_is(s->at + 1, "input") || sa_is(s->at + 1, "output") ||
            sa_is(s->at + 1, "param"))) {
        int input = sa_is(s->at + 1, "input");

        s->at += 2;
        if (sa_is(s->at - 1, "param")) {
            fixed(s, f);
            continue;
        }
        expect(s, "ports");
        ports(s, input ? &f->in : &f->out);
    }
}

static void coupling(struct parser *s)
{
    struct sa_conn c = {.at = s->at};

    c.from = dotted(s);
    expect(s, "->");
    c.to = dotted(s);
    ADD(s, &s->p->conn, c);
}

/* --- statements ------------------------------------------------------------
 */

static void statement(struct parser *s, struct sa_block *b);

static void block(struct parser *s, struct sa_block *b)
{
    const struct sa_tok *open = s->at;

    expect(s, "{");
    if (s->depth++ >= SA_DEPTH)
        FAIL(s, open, "nested too deeply: at most %u blocks in each other",
             SA_DEPTH);
    while (s->rc == TT_OK && !sa_is(s->at, "}")) {
        if (s->at->kind == SA_END)
            FAIL(s, open, "a '{' lacks its '}'");
        else
            statement(s, b);
    }
    if (s->rc == TT_OK)
        s->at++;
    s->depth--;
}

static void conditional(struct parser *s, struct sa_stmt *q)
{
    const struct sa_tok *open = s->at;

    if (!sa_is(open, "("))
        FAIL(s, open, "expected '(' behind 'if', found %s", shown(open).s);
    q->e = expression(s);
    block(s, &q->body);
    if (!take(s, "else"))
        return;
    q->has_other = 1;
    if (sa_is(s->at, "{"))
        block(s, &q->other);
    else if (sa_is(s->at, "if"))
        statement(s, &q->other);
    else
        FAIL(s, s->at, "expected '{' or 'if' behind 'else', found %s",
             shown(s->at).s);
}

static void loop(struct parser *s, struct sa_stmt *q)
{
    expect(s, "(");
    (void)take(s, "var");
    q->name = declared(s, "a variable");
    expect(s, "in");
    q->e = expression(s);
    expect(s, "..");
    q->to = expression(s);
    expect(s, ")");
    block(s, &q->body);
}

static void assignment(struct parser *s, struct sa_stmt *q, int is_new)
{
    if (is_new) {
        q->type = type(s);
        q->name = declared(s, "a variable");
    } else {
        q->name = s->at->s;
        s->at++;
    }
    expect(s, ":=");
    q->e = expression(s);
    expect(s, ";");
}

static void statement(struct parser *s, struct sa_block *b)
{
    struct sa_stmt q = {.at = s->at};

    if (take(s, "var")) {
        q.kind = SA_VAR;
        assignment(s, &q, 1);
    } else if (take(s, "if")) {
        q.kind = SA_IF;
        if (s->depth++ >= SA_DEPTH)
            FAIL(s, s->at, "nested too deeply: at most %u blocks in each other",
                 SA_DEPTH);
        else
            conditional(s, &q);
        s->depth--;
    } else if (take(s, "for")) {
        q.kind = SA_FOR;
        loop(s, &q);
    } else if (take(s, "break")) {
        q.kind = SA_BREAK;
        expect(s, ";");
    } else if (take(s, "return")) {
        q.kind = SA_RETURN;
        q.e = expression(s);
        expect(s, ";");
    } else if (s->at->kind == SA_NAME && sa_is(s->at + 1, ":=")) {
        q.kind = SA_ASSIGN;
        assignment(s, &q, 0);
    } else if (s->at->kind == SA_NAME) {
        q.kind = SA_CALL;
        q.e = expression(s);
        expect(s, ";");
    } else {
        FAIL(s, s->at, "expected a statement, found %s", shown(s->at).s);
    }
    ADD(s, b, q);
}

/* --- sections --------------------------------------------------------------
 */

static void declarations(struct parser *s, sa_decls *list)
{
    do {
        struct sa_decl d = {.type = type(s)};

        d.at = s->at;
        d.name = declared(s, "a variable");
        expect(s, ":=");
        if (s->rc == TT_OK)
            d.init = listed(s);
        ADD(s, list, d);
    } while (
        s->rc == TT_OK &&
        (take(s, ",") || (is_word(s->at) && sa_is(s->at + 1, ":=")) ||
         (is_word(s->at) && is_word(s->at + 1) && sa_is(s->at + 2, ":="))));
    (void)take(s, ";");
}

static void rules(struct parser *s, sa_rules *list)
{
    const struct sa_tok *open = s->at;

    if (take(s, "with"))
        FAIL(s, s->at - 1,
             "settings of rules (crossing, hold) are not "
             "supported");
    expect(s, "{");
    while (s->rc == TT_OK && !take(s, "}")) {
        struct sa_rule r = {.at = s->at};

        if (s->at->kind == SA_END) {
            FAIL(s, open, "a '{' lacks its '}'");
            return;
        }
        if (!take(s, "otherwise"))
            r.when = expression(s);
        else if (!list->n)
            FAIL(s, s->at - 1, "'otherwise' needs a rule before it");
        expect(s, "->");
        block(s, &r.first);
        if (!take(s, "->"))
            expect(s, "-->");
        block(s, &r.second);
        (void)take(s, ";");
        ADD(s, list, r);
    }
}

static void control(struct parser *s)
{
    struct sa_prog *p = s->p;

    if (take(s, "var")) {
        declarations(s, &p->ctrl_var);
        return;
    }
    expect(s, "rules");
    if (p->has_ctrl)
        FAIL(s, s->at - 1, "there are control rules already");
    if (s->at->kind == SA_NAME)
        FAIL(s, s->at,
             "control rules '%s' are not supported: write them out, "
             "in braces",
             s->at->s);
    p->has_ctrl = 1;
    block(s, &p->ctrl);
}

static void derivatives(struct parser *s)
{
    struct sa_prog *p = s->p;

    expect(s, "by");
    expect(s, "differences");
    p->differences = 1;
    if (take(s, "of")) {
        if (s->at->kind != SA_NUMBER ||
            tt_num_parse(s->at->s, &p->difference) != 0 ||
            !(p->difference > 0) || isinf(p->difference))
            FAIL(s, s->at, "expected a time greater than 0, found %s",
                 shown(s->at).s);
        else
            s->at++;
    }
    (void)take(s, ";");
}

static void section(struct parser *s)
{
    struct sa_prog *p = s->p;
    const struct sa_tok *at = s->at;

    if (take(s, "input")) {
        expect(s, "ports");
        ports(s, &p->in);
    } else if (take(s, "output")) {
        expect(s, "ports");
        ports(s, &p->out);
    } else if (take(s, "param")) {
        declarations(s, &p->param);
    } else if (take(s, "control")) {
        control(s);
    } else if (take(s, "in") || take(s, "out")) {
        int in = at->s[0] == 'i';

        if (take(s, "var")) {
            declarations(s, in ? &p->in_var : &p->out_var);
        } else {
            expect(s, "rules");
            rules(s, in ? &p->in_rule : &p->out_rule);
        }
    } else if (take(s, "derivatives")) {
        derivatives(s);
    } else if (sa_is(at, "successive") || sa_is(at, "delay") ||
               sa_is(at, "multiply")) {
        FAIL(s, at,
             "the clause '%s' is not supported in a file: write control "
             "rules",
             at->s);
    } else {
        FAIL(s, at,
             "expected 'input', 'output', 'param', 'control', 'in', 'out' "
             "or 'derivatives', found %s",
             shown(at).s);
    }
}

static void program(struct parser *s)
{
    struct sa_prog *p = s->p;

    if (sa_is(s->at, "import") || sa_is(s->at, "module") ||
        sa_is(s->at, "fmu")) {
        FAIL(s, s->at,
             "'%s' is not supported: a file has one adaptation, and "
             "names its inner units",
             s->at->s);
        return;
    }
    expect(s, "semantic");
    expect(s, "adaptation");
    kind(s, &p->react, &p->feed);
    p->at = s->at;
    type_and_name(s, &p->type, &p->name);
    if (take(s, "at"))
        p->place = string(s, "the FMU to be made");
    while (s->rc == TT_OK && take(s, "for"))
        inner(s);
    if (!p->inner.n)
        FAIL(s, s->at, "expected 'for inner fmu', found %s", shown(s->at).s);
    while (s->rc == TT_OK && take(s, "with"))
        coupling(s);
    if (take(s, "coupled")) {
        expect(s, "as");
        do
            coupling(s);
        while (s->rc == TT_OK && take(s, ","));
    }
    while (s->rc == TT_OK && s->at->kind != SA_END)
        section(s);
}

/* --- doors -----------------------------------------------------------------
 */

static struct parser begin(struct sa_prog *p, const char *text,
                           const struct sa_origin *o, tt_err *err)
{
    struct sa_lexed words;
    enum tt_code rc = sa_lex(&words, text, o, p->arena, err);

    return (struct parser){.p = p,
                           .text = text,
                           .at = rc == TT_OK ? words.tok : &end,
                           .err = err,
                           .rc = rc};
}

/* What the rules write stands where the program has `at`. */
static struct parser begin_at(struct sa_prog *p, const struct sa_tok *at,
                              const char *text, tt_err *err)
{
    const struct sa_origin o = {p->origin.name, at->line, at->column};

    return begin(p, text, &o, err);
}

enum tt_code sa_parse(struct sa_prog *p, const char *text, tt_err *err)
{
    struct parser s = begin(p, text, &p->origin, err);

    if (s.rc == TT_OK)
        program(&s);
    return s.rc;
}

enum tt_code sa_parse_block(struct sa_prog *p, const struct sa_tok *at,
                            const char *text, struct sa_block *out, tt_err *err)
{
    struct parser s = begin_at(p, at, text, err);

    while (s.rc == TT_OK && s.at->kind != SA_END)
        statement(&s, out);
    return s.rc;
}

enum tt_code sa_parse_expr(struct sa_prog *p, const struct sa_tok *at,
                           const char *text, struct sa_expr *out, tt_err *err)
{
    struct parser s = begin_at(p, at, text, err);

    if (s.rc == TT_OK)
        *out = expression(&s);
    return s.rc;
}

enum tt_code tt_adapt_parse(const char *text, size_t n, const char *name,
                            tt_err *err)
{
    struct sa_prog p = {.origin = {.name = name}, .arena = tt_arena_new()};
    char *copy = p.arena ? tt_arena_strndup(p.arena, text, n) : NULL;
    enum tt_code rc = copy ? sa_parse(&p, copy, err) : tt_nomem(err, name);

    tt_arena_free(p.arena);
    return rc;
}
