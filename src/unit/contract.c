/* SPDX-License-Identifier: MIT */
/* The contract suite: its frame and helpers. The rules are in contract_*.c. */
#include "unit/contract_impl.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* --- reports ----------------------------------------------------------- */

void contract_violated(struct contract *k, const char *fmt, ...)
{
    char detail[TT_ERR_MAX];
    va_list ap;

    va_start(ap, fmt);
    vsnprintf(detail, sizeof(detail), fmt, ap);
    va_end(ap);
    k->violations++;
    if (k->s->violated_cb)
        k->s->violated_cb(k->s->violated_ctx, k->rule, k->sentence, detail);
    else
        fprintf(stderr, "contract '%s' (%s): %s\n", k->rule, k->sentence,
                detail);
}

int contract_ok(struct contract *k, enum tt_code rc, const tt_err *err,
                const char *what)
{
    if (rc != TT_OK)
        contract_violated(k, "%s failed: %s", what, err->msg);
    return rc == TT_OK;
}

void contract_refused(struct contract *k, const tt_unit *u, enum tt_code rc,
                      enum tt_code want, const tt_err *err, const char *what)
{
    char head[512];
    int n =
        snprintf(head, sizeof(head), "instance '%s' (%s): ", u->name, u->kind);

    if (rc == TT_OK)
        contract_violated(k, "%s was not refused", what);
    else if (rc != want || err->code != want)
        contract_violated(k, "%s: refused with code %d, not %d: %s", what,
                          (int)rc, (int)want, err->msg);
    else if (strncmp(err->msg, head, (size_t)n) != 0)
        contract_violated(k, "%s: the message does not name the instance: %s",
                          what, err->msg);
}

void contract_message(struct contract *k, const tt_err *err, const char *words,
                      const char *what)
{
    if (!strstr(err->msg, words))
        contract_violated(k, "%s: the message does not contain '%s': %s", what,
                          words, err->msg);
}

/* --- units on the way -------------------------------------------------- */

double contract_h(const struct contract *k)
{
    return k->s->h > 0 ? k->s->h : 0.1;
}

double contract_time(const struct contract *k, uint32_t i)
{
    return k->s->start + i * contract_h(k);
}

struct tt_experiment contract_experiment(const struct contract *k)
{
    return (struct tt_experiment){.start = k->s->start,
                                  .end = contract_time(k, 100)};
}

tt_unit *contract_make(struct contract *k, const char *name)
{
    tt_unit *u = NULL;
    tt_err err;

    contract_ok(k, k->s->make(k->s->ctx, name, &u, &err), &err, "make");
    return u;
}

tt_unit *contract_init(struct contract *k, const char *name)
{
    tt_unit *u = contract_make(k, name);
    struct tt_experiment e = contract_experiment(k);
    tt_err err;

    if (!u)
        return NULL;
    if (contract_ok(k, tt_unit_configure(u, &err), &err, "configure") &&
        contract_ok(k, tt_unit_enter_init(u, &e, &err), &err, "enter_init"))
        return u;
    tt_unit_free(u);
    return NULL;
}

static int leave_event_mode(struct contract *k, tt_unit *u)
{
    struct tt_event_result r = {.again = 1};
    tt_err err;

    if (u->life != TT_LIFE_EVENT)
        return 1;
    for (int i = 0; r.again && i < 10; i++)
        if (!contract_ok(k, tt_unit_event_update(u, &r, &err), &err,
                         "event_update"))
            return 0;
    return contract_ok(k, tt_unit_event_leave(u, &err), &err, "event_leave");
}

tt_unit *contract_go_ready(struct contract *k, tt_unit *u, uint32_t n_state)
{
    struct tt_experiment e = contract_experiment(k);
    tt_err err;
    int ok = 1;

    if (!u)
        return NULL;
    if (!u->desc->caps.save)
        n_state = 0;
    if (u->life == TT_LIFE_MADE)
        ok = contract_ok(k, tt_unit_configure(u, &err), &err, "configure");
    if (ok && u->life == TT_LIFE_CONFIGURED)
        ok =
            contract_ok(k, tt_unit_enter_init(u, &e, &err), &err, "enter_init");
    if (ok && contract_ok(k, tt_unit_exit_init(u, &err), &err, "exit_init") &&
        leave_event_mode(k, u) &&
        contract_ok(k, tt_unit_prepare(u, n_state, &err), &err, "prepare"))
        return u;
    tt_unit_free(u);
    return NULL;
}

tt_unit *contract_ready(struct contract *k, const char *name, uint32_t n_state)
{
    return contract_go_ready(k, contract_make(k, name), n_state);
}

/* --- values ------------------------------------------------------------ */

static int left_alone(const struct contract *k, const char *name)
{
    for (size_t i = 0; i < k->s->n_leave_alone; i++)
        if (strcmp(k->s->leave_alone[i], name) == 0)
            return 1;
    return 0;
}

int contract_is_input(const struct contract *k, const tt_unit *u, uint32_t i)
{
    const struct tt_port *p = &u->desc->port[i];

    return p->causality == TT_CAUS_INPUT && p->type != TT_CLOCK && !p->clock &&
           !left_alone(k, p->name);
}

int contract_settable(const struct contract *k, const tt_unit *u, uint32_t i)
{
    const struct tt_port *p = &u->desc->port[i];

    /* without initialisation mode what was read may be final */
    return contract_is_input(k, u, i) ||
           (!u->desc->caps.no_init_mode && p->causality == TT_CAUS_PARAMETER &&
            p->type != TT_CLOCK && !p->clock &&
            p->variability != TT_VAR_CONSTANT && !left_alone(k, p->name));
}

static double probe_number(const struct tt_port *p, uint32_t which)
{
    double d = p->start ? tt_value_as_double(p->type, p->start) : 0;
    double moved =
        tt_type_is_float(p->type) ? d + 0.25 * (which + 1) : d + 1 + which % 5;

    if (tt_type_is_bool(p->type))
        return which % 2;
    if (tt_type_is_enum(p->type)) /* items need not be consecutive */
        return p->start ? d : p->min > 1 ? p->min : 1;
    if (moved >= p->min && moved <= p->max)
        return moved;
    return d < p->min ? p->min : d;
}

void *contract_probe(const tt_unit *u, uint32_t i, uint32_t which)
{
    const struct tt_port *p = &u->desc->port[i];
    size_t size = tt_type_size(p->type);
    unsigned char *v = tt_zalloc(p->n, size);

    TT_ASSERT(v);
    for (uint32_t j = 0; j < p->n; j++) {
        void *element = v + j * size;
        char text[64];

        if (p->type == TT_TEXT || p->type == TT_BYTES) {
            snprintf(text, sizeof(text), "probe %u of '\xc3\xa9' %u",
                     (unsigned)which, (unsigned)j);
            (void)tt_text_set(element, text);
        } else {
            (void)tt_value_from_double(p->type, element,
                                       probe_number(p, which + j));
        }
    }
    return v;
}

int contract_equal(const tt_unit *u, uint32_t i, const void *a, const void *b)
{
    const struct tt_port *p = &u->desc->port[i];

    return tt_values_same(p->type, p->n, a, b);
}

static size_t padded(const struct tt_port *p)
{
    return (tt_port_size(p) + 7) / 8 * 8;
}

void *contract_values(struct contract *k, tt_unit *u)
{
    const struct tt_desc *d = u->desc;
    unsigned char *all, *v;
    size_t size = 8;
    tt_err err;

    for (uint32_t i = 0; i < d->n_port; i++)
        size += padded(&d->port[i]);
    v = all = tt_zalloc(1, size);
    TT_ASSERT(all);
    for (uint32_t i = 0; i < d->n_port; i++) {
        struct tt_span s = {&i, 1, v};

        if (d->port[i].type != TT_CLOCK && !d->port[i].clock &&
            !contract_ok(k, tt_unit_get(u, &s, &err), &err, "get")) {
            tt_free(all);
            return NULL;
        }
        v += padded(&d->port[i]);
    }
    return all;
}

void contract_same(struct contract *k, const tt_unit *u, const void *a,
                   const void *b, const char *what)
{
    const unsigned char *va = a, *vb = b;

    for (uint32_t i = 0; a && b && i < u->desc->n_port; i++) {
        if (!contract_equal(u, i, va, vb))
            contract_violated(k, "%s: '%s' differs", what,
                              u->desc->port[i].name);
        va += padded(&u->desc->port[i]);
        vb += padded(&u->desc->port[i]);
    }
}

int contract_set_inputs(struct contract *k, tt_unit *u, uint32_t which)
{
    int ok = 1;

    for (uint32_t i = 0; ok && i < u->desc->n_port; i++) {
        void *v;
        tt_err err;

        if (!contract_is_input(k, u, i))
            continue;
        v = contract_probe(u, i, which);
        ok = contract_ok(k, tt_unit_set(u, &(struct tt_span){&i, 1, v}, &err),
                         &err, "set");
        tt_free(v);
    }
    return ok;
}

int contract_step(struct contract *k, tt_unit *u, double to)
{
    struct tt_stepped r;
    tt_err err;

    return contract_ok(
        k,
        tt_unit_step(u, &(struct tt_step){.to = to, .may_restore = 1}, &r,
                     &err),
        &err, "step");
}

int contract_drive(struct contract *k, tt_unit *u, uint32_t i)
{
    return contract_set_inputs(k, u, i) &&
           contract_step(k, u, contract_time(k, i));
}

/* --- frame ------------------------------------------------------------- */

uint32_t tt_unit_contract_run(const struct tt_contract_subject *s)
{
    static const struct {
        const char *name, *sentence;
        void (*check)(struct contract *k);
    } rule[] = {
#define X(name, sentence) {#name, (sentence), contract_##name},
        TT_CONTRACT_RULES(X)
#undef X
    };
    struct contract k = {.s = s};
    int found = 0;

    for (size_t i = 0; i < sizeof(rule) / sizeof(rule[0]); i++) {
        if (s->only && strcmp(s->only, rule[i].name) != 0)
            continue;
        found = 1;
        k.rule = rule[i].name;
        k.sentence = rule[i].sentence;
        rule[i].check(&k);
    }
    TT_ASSERT(found); /* a rule that does not exist checks nothing */
    return k.violations;
}
