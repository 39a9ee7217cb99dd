/* SPDX-License-Identifier: MIT */
#ifndef TT_ADAPT_ADAPT_IMPL_H
#define TT_ADAPT_ADAPT_IMPL_H

/* The stages of a program: words (lex.c), the tree (parse.c), the inner units
 * (inner.c) and programs that clauses stand for (clause.c), the explicit form
 * (rewrite.c) and its text (print.c), code (compile.c) and what it comes to
 * (algebra.c), the machine (exec.c, live.c, events.c), the unit (type.c,
 * unit.c). */

#include "adapt/adapt.h"
#include "base/mem.h"
#include "expr/expr.h"

#define SA_TEXT_MAX  (1u << 20) /* bytes of a program */
#define SA_TOKENS    200000u
#define SA_DEPTH     50u      /* blocks in each other */
#define SA_TURNS     1000000u /* of loops, in one step */
#define SA_INNER_MAX 64u
#define SA_PORTS_MAX 4096u

/* --- words ---------------------------------------------------------------- */

enum sa_tok_kind {
    SA_END,
    SA_NAME, /* words with dots between them */
    SA_NUMBER,
    SA_STRING,
    SA_BRACKET, /* "[...]", with both */
    SA_SIGN,
};

struct sa_tok {
    enum sa_tok_kind kind;
    const char *s; /* NUL-terminated copy; of a string what is inside */
    uint32_t line, column;
    uint32_t from, to; /* bytes of the text */
};

struct sa_lexed {
    struct sa_tok *tok; /* in the arena; the last is SA_END */
    uint32_t n;
};
/* Messages are "name:line:column: fact". line: of the first word, where the
 * text is none of its own but stands for something at that place; else 0. */
struct sa_origin {
    const char *name;
    uint32_t line, column;
};
TT_NODISCARD enum tt_code sa_lex(struct sa_lexed *out, const char *text,
                                 const struct sa_origin *o, tt_arena *a,
                                 tt_err *err);
int sa_is(const struct sa_tok *t, const char *word);

/* --- the tree ------------------------------------------------------------- */

/* Words of an expression, borrowed. n is 0: there is none. */
struct sa_expr {
    const struct sa_tok *tok;
    uint32_t n;
};

enum sa_react { SA_REACT_OPEN, SA_REACTIVE, SA_DELAYED };
enum sa_feed { SA_FEED_OPEN, SA_MOORE, SA_MEALY };
enum sa_type { SA_TYPE_OPEN, SA_REAL, SA_INTEGER, SA_BOOL, SA_TEXT };

struct sa_port {
    const struct sa_tok *at;
    const char *name, *unit; /* unit: or NULL */
    enum sa_type type;
    struct sa_expr init;
    const char *bound; /* "inner.port", or NULL */
    const struct sa_tok *bound_at;
    const struct sa_face *is; /* it is this port, as it is, of the inner unit
                                 `of`; NULL: more, or not known */
    uint32_t of;
};

/* An array in the arena that grows. */
#define SA_LIST(type)                                                          \
    struct {                                                                   \
        type *v;                                                               \
        size_t n, cap;                                                         \
    }

typedef SA_LIST(struct sa_port) sa_ports;

/* A value of a parameter of an inner unit, which is none of the adaptation
 * then. */
struct sa_fixed {
    const struct sa_tok *at;
    const char *name;
    double value;
};

struct sa_inner {
    const struct sa_tok *at;
    const char *type, *name, *place;
    const struct sa_tok *place_at;
    enum sa_react react;
    enum sa_feed feed;
    sa_ports in, out;
    SA_LIST(struct sa_fixed) fixed;
};

struct sa_conn {
    const struct sa_tok *at;
    const char *from, *to; /* "inner.port" */
};

struct sa_decl {
    const struct sa_tok *at;
    const char *name;
    enum sa_type type;
    struct sa_expr init;
    const char *unit; /* of what it stands for; NULL: not known */
    int implied;      /* by a convention */
};

enum sa_stmt_kind {
    SA_VAR,
    SA_ASSIGN,
    SA_IF,
    SA_FOR,
    SA_BREAK,
    SA_CALL,
    SA_RETURN,
};
struct sa_stmt;
struct sa_block {
    struct sa_stmt *v;
    size_t n, cap;
};
struct sa_stmt {
    enum sa_stmt_kind kind;
    const struct sa_tok *at;
    const char *name; /* VAR, ASSIGN, FOR: what gets a value */
    enum sa_type type;
    struct sa_expr e, to; /* FOR: from e to `to` */
    struct sa_block body, other;
    int has_other;
};

struct sa_rule {
    const struct sa_tok *at;
    struct sa_expr when; /* n == 0: otherwise */
    struct sa_block first, second;
};

typedef SA_LIST(struct sa_decl) sa_decls;
typedef SA_LIST(struct sa_rule) sa_rules;

struct sa_prog {
    struct sa_origin origin;
    const struct sa_tok *at;
    const char *type, *name, *place;
    enum sa_react react;
    enum sa_feed feed;
    SA_LIST(struct sa_inner) inner;
    SA_LIST(struct sa_conn) conn;
    sa_ports in, out;
    sa_decls param, ctrl_var, in_var, out_var;
    struct sa_block ctrl;
    int has_ctrl, ctrl_implied;
    sa_rules in_rule, out_rule;
    int differences;   /* derivatives are differences ... */
    double difference; /* ... over this time; 0: a part of the step */
    tt_arena *arena;
};

TT_NODISCARD enum tt_code sa_parse(struct sa_prog *p, const char *text,
                                   tt_err *err);
/* Statements in a text that a convention adds, at the place of `at`. */
TT_NODISCARD enum tt_code sa_parse_block(struct sa_prog *p,
                                         const struct sa_tok *at,
                                         const char *text, struct sa_block *out,
                                         tt_err *err);
TT_NODISCARD enum tt_code sa_parse_expr(struct sa_prog *p,
                                        const struct sa_tok *at,
                                        const char *text, struct sa_expr *out,
                                        tt_err *err);
TT_PRINTF(5, 6)
enum tt_code sa_fail(const struct sa_prog *p, const struct sa_tok *at,
                     tt_err *err, enum tt_code code, const char *fmt, ...);

/* --- clauses -------------------------------------------------------------- */

/* How many of the last clauses become one program; 1 or more. */
uint32_t sa_clauses_together(const struct tt_source *s);
/* The program of the last n clauses, around a unit. */
TT_NODISCARD enum tt_code sa_write_clauses(struct tt_buf *out,
                                           const struct tt_source *s,
                                           uint32_t n, const struct tt_desc *d,
                                           tt_arena *a, tt_err *err);

/* --- inner units ---------------------------------------------------------- */

/* A port of an inner unit: as its type declares it, or the program. */
struct sa_face {
    const char *name, *unit;
    enum sa_type type;
    int input;
    uint32_t port;                /* of the description, or TT_NONE */
    const struct sa_port *stated; /* or NULL */
};
struct sa_opened {
    tt_unit_type *type; /* owned; NULL: not opened */
    const char *path;
    struct sa_face *face;
    uint32_t n_face;
    struct tt_names by_name;
    enum sa_feed feed;   /* by declaration, else by Assumption 11 */
    enum sa_react react; /* likewise */
};
struct sa_linked {
    struct sa_prog prog;
    struct sa_opened *inner; /* per inner unit */
    uint32_t *sigma;         /* order of the inner units; NULL: none exists */
    /* Of clauses: what they are about, until it is an inner unit, owned; all
     * its outputs that the program does not declare are outputs. */
    tt_unit_type *under;
    int all_out;
};
TT_NODISCARD enum tt_code
sa_link(struct sa_linked *l, const struct tt_source *s, int need, tt_err *err);
void sa_unlink(struct sa_linked *l);
/* "window.height": which inner unit, and its port. NULL: there is none. */
const struct sa_face *sa_find_face(const struct sa_linked *l, const char *name,
                                   uint32_t *inner);
uint32_t sa_find_inner(const struct sa_linked *l, const char *name, size_t n);
/* An input or output with one value that is no text and, but for units that
 * change at events only, there all the time. */
int sa_is_face(const struct tt_desc *d, const struct tt_port *p);
/* Does it state how far it can step? */
int sa_has_next(const struct tt_desc *d);

/* --- the explicit form ---------------------------------------------------- */

TT_NODISCARD enum tt_code sa_rewrite(struct sa_linked *l, tt_err *err);
void sa_print(const struct sa_linked *l, struct tt_buf *out);
void sa_print_expr(const struct sa_expr *e, struct tt_buf *out);
/* "a.b", kept; NULL: out of memory, or too long. */
const char *sa_dotted(tt_arena *arena, const char *a, const char *b);
void *sa_push(tt_arena *a, void **v, size_t *n, size_t *cap, size_t size);
#define SA_PUSH(arena, list)                                                   \
    sa_push((arena), (void **)&(list)->v, &(list)->n, &(list)->cap,            \
            sizeof(*(list)->v))

/* --- code ----------------------------------------------------------------- */

union sa_slot {
    double f;
    uint8_t b; /* of a Boolean */
};

enum sa_sym_kind {
    SA_SYM_OWN_IN,
    SA_SYM_OWN_OUT,
    SA_SYM_PARAM,
    SA_SYM_IN_VAR,
    SA_SYM_CTRL_VAR,
    SA_SYM_OUT_VAR,
    SA_SYM_LOCAL,
    SA_SYM_INNER_IN,
    SA_SYM_INNER_OUT,
    SA_SYM_LENGTH, /* H */
    SA_SYM_DT,     /* dt */
    SA_SYM_MAY,    /* may_reject */
};
struct sa_sym {
    const char *name;
    enum sa_sym_kind kind;
    int is_bool, hidden, set; /* set: something assigns it */
    struct tt_expr_unit unit;
    uint32_t slot; /* of INNER_IN four: as mapped, as the control rules have it
                      and whether they do, and that of the step before */
    uint32_t inner, port; /* of INNER: which; of OWN, PARAM: number */
    uint32_t kept; /* of INNER: the slots of its events; TT_NONE: it has none */
};

enum sa_op_kind {
    SA_OP_ASSIGN,
    SA_OP_JUMP,   /* with a slot: that is one more then */
    SA_OP_UNLESS, /* jump unless e */
    SA_OP_TURN,   /* jump unless slot < other; else count a turn */
    SA_OP_STEP,
    SA_OP_SAVE,
    SA_OP_ROLLBACK,
    SA_OP_NEXT,    /* largest next step */
    SA_OP_RESTART, /* reinitialise, with `to` values from `other` on */
    SA_OP_WARN,
    SA_OP_FAIL,
    SA_OP_RETURN,
    SA_OP_HALT,
};
struct sa_op {
    enum sa_op_kind kind;
    int is_bool;
    uint32_t slot, other; /* what it writes; mark of an assigned inner input,
                             of a STEP the slot that e2 is, or TT_NONE */
    uint32_t e, e2;       /* expressions */
    uint32_t from;        /* the slot that e is, TT_NONE: it is more */
    struct tt_expr_pair pair; /* that e is, of slots, if its op is not 0 */
    uint32_t to;              /* jump */
    uint32_t inner;
    uint32_t line, column;
    const char *text; /* WARN, FAIL */
};

/* A start value of an inner unit that begins anew. */
struct sa_give {
    uint32_t port, e;
};

struct sa_code_rule {
    uint32_t when;          /* expression; TT_NONE: otherwise */
    uint32_t first, second; /* where the code begins; it ends with HALT */
    uint32_t flag;          /* slot */
    int always; /* written `true`: nothing an otherwise depends on */
};

struct sa_code_rules {
    struct sa_code_rule *rule;
    uint32_t n;
    int all; /* are always in force */
};

struct sa_wire {       /* a connection between inner units */
    uint32_t from, to; /* slots */
    uint32_t inner;    /* of `to` */
    double factor, offset;
    int is_bool;
};

struct sa_code {
    struct sa_sym *sym;
    size_t n_sym, cap_sym;
    tt_expr *e;
    size_t n_e, cap_e;
    uint32_t *ref; /* per reference of each expression: its slot */
    size_t n_ref, cap_ref;
    uint32_t *first_ref; /* per expression */
    size_t n_first, cap_first;
    struct sa_op *op;
    size_t n_op, cap_op;
    struct sa_give *give;
    size_t n_give, cap_give;
    uint32_t n_warn;
    struct sa_code_rules in, out;
    uint32_t init_in, init_param, init_var, ctrl; /* where code begins */
    struct sa_wire *wire;
    uint32_t n_wire;
    uint32_t *next; /* per inner unit: the slots of when its next event is;
                       TT_NONE: it is asked for none */
    uint32_t n_slot;
    uint32_t slot_length, slot_dt, slot_may;
    int saves; /* control rules save states */
    tt_arena *arena;
};
TT_NODISCARD enum tt_code sa_compile(struct sa_code *c,
                                     const struct sa_linked *l, tt_err *err);

struct sa_algebra {
    int is;     /* one inner unit, plain steps, rules that only compute */
    int stands; /* what was read after a step stays right until an input
                   changes that an output follows */
};
struct sa_algebra sa_algebra_of(const struct sa_linked *l,
                                const struct sa_code *c);
/* Of an algebraic program: are all inputs and outputs those of the inner unit,
 * each one? Then to[] has its ports, of the inputs and behind these of the
 * outputs; there must be room. */
int sa_is_identity(const struct sa_linked *l, const struct sa_code *c,
                   uint32_t *to);

/* --- the machine ---------------------------------------------------------- */

struct sa_batch { /* ports of one type: moved by one call */
    uint32_t *slot, *port;
    uint32_t n;
    enum tt_type type;
    void *value;         /* room: what goes to the unit, or came from it */
    struct tt_call call; /* once the unit is prepared */
};
struct sa_event { /* an input or output that has events */
    uint32_t slot, kept, port, clock;
    enum tt_type type;
    int input, is_bool;
};
struct sa_live { /* an inner unit at work (live.c) */
    tt_unit *u;
    struct sa_batch *in, *out; /* what is set and read */
    uint32_t n_in, n_out;
    struct tt_call step;
    int bound;   /* its calls may be used */
    int delayed; /* gets the inputs of the step before */
    /* Of one that changes at events only (events.c), else TT_NONE and none: */
    uint32_t next;
    struct sa_event *event;
    uint32_t n_event, shift;
};
struct sa_machine;
/* Of what the code sets and reads. -1: out of memory */
int sa_live_make(struct sa_live *l, const struct sa_code *c, uint32_t inner);
void sa_live_fini(struct sa_live *l);
/* Once it is prepared: what follows is by bound calls from here on. */
TT_NODISCARD enum tt_code sa_live_bind(struct sa_live *l, tt_err *err);
/* From slots, `shift` behind those of the ports; to slots. */
TT_NODISCARD enum tt_code sa_live_set(struct sa_machine *m, struct sa_live *l,
                                      uint32_t shift, tt_err *err);
TT_NODISCARD enum tt_code sa_live_get(struct sa_machine *m, struct sa_live *l,
                                      tt_err *err);
/* The length is the one given, as the program has it: to minus where it stands
 * is off by rounding. */
TT_NODISCARD enum tt_code sa_live_step(struct sa_machine *m, struct sa_live *l,
                                       double to, double h,
                                       struct tt_stepped *r, tt_err *err);
/* What it can step at most, INFINITY: any length; as far as it reports that,
 * else NaN. */
TT_NODISCARD enum tt_code sa_live_max_step(const struct sa_machine *m,
                                           const struct sa_live *l, double *h,
                                           tt_err *err);
/* v is no value of this input. */
enum tt_code sa_live_no_fit(const struct sa_live *l, uint32_t port, double v,
                            tt_err *err);
/* As just initialised at time t, with its parameters and inputs; then in the
 * state it was in, unless start values are given. What registers hold stays. */
TT_NODISCARD enum tt_code sa_live_restart(struct sa_machine *m,
                                          struct sa_live *l,
                                          const struct sa_op *o, tt_err *err);
/* Of one that changes at events only: made; once it is prepared; a step; how
 * long until its next event; inputs and outputs; its slots, kept with its state
 * or brought back. -1: out of memory */
int sa_events_make(struct sa_live *l, const struct sa_code *c, uint32_t inner);
TT_NODISCARD enum tt_code sa_events_begin(struct sa_machine *m,
                                          struct sa_live *l, tt_err *err);
TT_NODISCARD enum tt_code sa_events_step(struct sa_machine *m,
                                         struct sa_live *l, double to,
                                         struct tt_stepped *r, tt_err *err);
double sa_events_next(const struct sa_machine *m, const struct sa_live *l);
void sa_events_set(struct sa_machine *m, struct sa_live *l, uint32_t shift);
void sa_events_get(struct sa_machine *m, struct sa_live *l);
void sa_events_keep(struct sa_machine *m, const struct sa_live *l, int back);

struct sa_machine {
    const struct sa_code *code;
    const struct tt_log *log;
    const char *instance;
    const char *name; /* of the file */
    union sa_slot *slot;
    const void **ref; /* per reference: where */
    struct sa_live *live;
    uint32_t n_live;
    const uint32_t *sigma; /* or NULL */
    double t, to, h_inner;
    uint8_t *saved;
    uint32_t reg;      /* of inner units, for save_state */
    unsigned flags;    /* of steps: enum tt_step_flags that are passed on */
    struct tt_now now; /* of bound calls */
    struct tt_experiment experiment;
    uint64_t warned; /* by number of the statement */
};
double sa_value(const struct sa_machine *m, uint32_t e);
void sa_run_in(struct sa_machine *m);
TT_NODISCARD enum tt_code sa_run(struct sa_machine *m, uint32_t at,
                                 double *result, tt_err *err);
/* All inner units at this instant: inputs, outputs. */
TT_NODISCARD enum tt_code sa_exchange(struct sa_machine *m, tt_err *err);
TT_NODISCARD enum tt_code sa_set_inputs(struct sa_machine *m, tt_err *err);
void sa_run_out(struct sa_machine *m);
void sa_keep_inputs(struct sa_machine *m);

#endif
