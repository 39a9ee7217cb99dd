/* SPDX-License-Identifier: MIT */
/* Contract rules: description, life, failure. */
#include "unit/contract_impl.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

/* --- description ------------------------------------------------------- */

static void check_port(struct contract *k, const struct tt_desc *d, uint32_t i)
{
    const struct tt_port *p = &d->port[i];
    uint64_t n = 1;

    if (!p->name || !*p->name) {
        contract_violated(k, "port %u has no name", (unsigned)i);
        return;
    }
    if (tt_desc_find(d, p->name) != i)
        contract_violated(k, "port %u '%s' is not found by its name",
                          (unsigned)i, p->name);
    if ((unsigned)p->type >= TT_TYPE_N)
        contract_violated(k, "'%s' has no type", p->name);
    for (uint32_t j = 0; j < p->n_dim; j++)
        n *= p->dim[j];
    if (n != p->n)
        contract_violated(k, "'%s' has %u elements, its sizes give %u", p->name,
                          (unsigned)p->n, (unsigned)n);
    if (!(p->min <= p->max))
        contract_violated(k, "'%s' has no values between min and max", p->name);
    if (!(p->nominal != 0))
        contract_violated(k, "'%s' has nominal 0", p->name);
    if (p->derivative_of != TT_NONE && p->derivative_of >= d->n_port)
        contract_violated(k, "'%s' is the derivative of no port", p->name);
    if (p->start && (p->type == TT_TEXT || p->type == TT_BYTES))
        for (uint32_t j = 0; j < p->n; j++)
            if (((const struct tt_text *)p->start)[j].n >= TT_TEXT_MAX)
                contract_violated(k, "'%s' starts too long", p->name);
}

static void check_deps(struct contract *k, const struct tt_desc *d, uint32_t i,
                       const struct tt_deps *deps)
{
    if (deps->n > 0 && (!deps->known || !deps->port)) {
        contract_violated(k, "'%s' has dependencies that are not known",
                          d->port[i].name);
        return;
    }
    for (uint32_t j = 0; j < deps->n; j++) {
        if (deps->port[j] >= d->n_port)
            contract_violated(k, "'%s' depends on port %u, there are %u",
                              d->port[i].name, (unsigned)deps->port[j],
                              (unsigned)d->n_port);
        if (deps->kind && deps->kind[j] > TT_DEP_DISCRETE)
            contract_violated(k, "'%s' has a dependency of no kind",
                              d->port[i].name);
    }
}

void contract_description(struct contract *k)
{
    tt_unit *u = contract_make(k, "d");
    const struct tt_desc *d;

    if (!u)
        return;
    d = u->desc;
    if (!d->kind || !d->model)
        contract_violated(k, "the description has no kind or no model");
    for (uint32_t i = 0; i < d->n_port; i++) {
        check_port(k, d, i);
        if (d->run)
            check_deps(k, d, i, &d->run[i]);
        if (d->init)
            check_deps(k, d, i, &d->init[i]);
    }
    if (!d->run || !d->init)
        contract_violated(k, "the description has no dependency tables");
    if (d->caps.serialise && !d->caps.save)
        contract_violated(k, "it packs states but cannot save them");
    if (d->caps.course_order > TT_POLY_MAX)
        contract_violated(k, "it takes courses of order %u, there are %d",
                          (unsigned)d->caps.course_order, TT_POLY_MAX);
    tt_unit_free(u);
}

/* --- order ------------------------------------------------------------- */

enum { ENTER, EXIT, PREPARE, END, STEP, GET, SET, CONFIGURE, CALLS };

static const char *const call_name[CALLS] = {
    "enter_init", "exit_init", "prepare", "end",
    "step",       "get",       "set",     "configure"};

static enum tt_code call(struct contract *k, tt_unit *u, int which, tt_err *err)
{
    struct tt_experiment e = contract_experiment(k);
    struct tt_span none = {NULL, 0, NULL};
    struct tt_stepped r;

    switch (which) {
    case ENTER:
        return tt_unit_enter_init(u, &e, err);
    case EXIT:
        return tt_unit_exit_init(u, err);
    case PREPARE:
        return tt_unit_prepare(u, 0, err);
    case END:
        return tt_unit_end(u, err);
    case STEP:
        return tt_unit_step(u, &(struct tt_step){.to = u->now + contract_h(k)},
                            &r, err);
    case GET:
        return tt_unit_get(u, &none, err);
    case SET:
        return tt_unit_set(u, &none, err);
    default:
        return tt_unit_configure(u, err);
    }
}

static void all_refused(struct contract *k, tt_unit *u, const int *which,
                        size_t n, const char *when)
{
    for (size_t i = 0; i < n; i++) {
        char what[64];
        tt_err err = {.msg = ""};
        enum tt_code rc = call(k, u, which[i], &err);

        snprintf(what, sizeof(what), "%s%s", call_name[which[i]], when);
        contract_refused(k, u, rc, TT_ESTATE, &err, what);
    }
}

void contract_life_order(struct contract *k)
{
    static const int made[] = {ENTER, EXIT, PREPARE, END, STEP, GET};
    static const int configured[] = {CONFIGURE, EXIT, PREPARE, END, STEP, GET};
    static const int init[] = {CONFIGURE, ENTER, PREPARE, END, STEP};
    static const int ready[] = {CONFIGURE, ENTER, EXIT, PREPARE};
    static const int ended[] = {CONFIGURE, ENTER, EXIT, PREPARE, SET, STEP};
    struct tt_experiment e = contract_experiment(k);
    tt_unit *u = contract_make(k, "order");
    tt_err err;

    if (!u)
        return;
    all_refused(k, u, made, 6, " when made");
    if (contract_ok(k, tt_unit_configure(u, &err), &err, "configure"))
        all_refused(k, u, configured, 6, " when configured");
    if (contract_ok(k, tt_unit_enter_init(u, &e, &err), &err, "enter_init"))
        all_refused(k, u, init, 5, " in initialisation");
    u = contract_go_ready(k, u, 0);
    if (!u)
        return;
    all_refused(k, u, ready, 4, " when ready");
    contract_step(k, u, contract_time(k, 1));
    if (contract_ok(k, tt_unit_end(u, &err), &err, "end"))
        all_refused(k, u, ended, 6, " after the end");
    tt_unit_free(u);
}

void contract_no_err(struct contract *k)
{
    tt_unit *u = contract_make(k, "quiet");

    if (!u)
        return;
    if (tt_unit_exit_init(u, NULL) != TT_ESTATE)
        contract_violated(k,
                          "exit_init when made, without err, is not refused");
    if (tt_unit_configure(u, NULL) != TT_OK)
        contract_violated(k, "configure without err fails");
    tt_unit_free(u);
}

void contract_activity(struct contract *k)
{
    struct tt_activity activity = {.time = 0};
    tt_unit *u = contract_ready(k, "busy", 0);

    if (!u)
        return;
    u->activity = &activity;
    if (contract_step(k, u, contract_time(k, 1)) &&
        (strcmp(activity.unit, "busy") != 0 ||
         strcmp(activity.call, "step") != 0 || activity.time != k->s->start))
        contract_violated(k, "after a step its activity is '%s', '%s'",
                          activity.unit, activity.call);
    tt_unit_free(u);
}

/* --- ends -------------------------------------------------------------- */

void contract_free_anywhere(struct contract *k)
{
    tt_unit *u = contract_make(k, "made");
    tt_err err;

    tt_unit_free(u);
    u = contract_make(k, "configured");
    if (u)
        contract_ok(k, tt_unit_configure(u, &err), &err, "configure");
    tt_unit_free(u);
    tt_unit_free(contract_init(k, "init"));
    u = contract_ready(k, "stepped", 2);
    if (u)
        contract_step(k, u, contract_time(k, 1));
    tt_unit_free(u);
    u = contract_ready(k, "ended", 0);
    if (u) {
        contract_ok(k, tt_unit_end(u, &err), &err, "end");
        contract_ok(k, tt_unit_end(u, &err), &err, "end again");
    }
    tt_unit_free(u);
    tt_unit_free(NULL);
}

void contract_reset(struct contract *k)
{
    tt_unit *u = contract_ready(k, "again", 1);
    tt_unit *fresh = contract_ready(k, "fresh", 1);
    void *a = NULL, *b = NULL;
    enum tt_code rc;
    tt_err err;

    if (!u || !fresh || !contract_drive(k, u, 1) || !contract_drive(k, u, 2))
        goto out;
    rc = tt_unit_reset(u, &err);
    if (rc == TT_EUNSUPPORTED) {
        contract_refused(k, u, rc, TT_EUNSUPPORTED, &err, "reset");
        goto out;
    }
    if (!contract_ok(k, rc, &err, "reset"))
        goto out;
    if (u->life != TT_LIFE_MADE)
        contract_violated(k, "after a reset it is not as just made");
    u = contract_go_ready(k, u, 1);
    if (!u || !contract_drive(k, u, 1) || !contract_drive(k, fresh, 1))
        goto out;
    a = contract_values(k, u);
    b = contract_values(k, fresh);
    contract_same(k, fresh, a, b, "a reset instance and a new one");
out:
    tt_free(a);
    tt_free(b);
    tt_unit_free(u);
    tt_unit_free(fresh);
}

/* --- failure ----------------------------------------------------------- */

static void refused_when_broken(struct contract *k, tt_unit *u)
{
    static const int all[] = {ENTER, EXIT, PREPARE, END,
                              STEP,  GET,  SET,     CONFIGURE};

    for (size_t i = 0; i < CALLS; i++) {
        tt_err err = {.msg = ""};
        enum tt_code rc = call(k, u, all[i], &err);

        contract_refused(k, u, rc, TT_ESTATE, &err, call_name[all[i]]);
        contract_message(k, &err, "because it failed earlier",
                         call_name[all[i]]);
    }
}

static void recovers(struct contract *k, tt_unit *u)
{
    enum tt_code rc;
    tt_err err;

    if (u->desc->caps.save) {
        if (contract_ok(k, tt_unit_restore(u, 0, &err), &err,
                        "restore after a failure") &&
            u->life != TT_LIFE_READY)
            contract_violated(k, "after a restore it is not ready");
        return;
    }
    rc = tt_unit_reset(u, &err);
    if (rc == TT_EUNSUPPORTED) {
        contract_refused(k, u, rc, TT_EUNSUPPORTED, &err, "reset");
        return;
    }
    if (contract_ok(k, rc, &err, "reset after a failure") &&
        u->life != TT_LIFE_MADE)
        contract_violated(k, "after a reset it is not as just made");
}

void contract_failure(struct contract *k)
{
    tt_unit *u = NULL;
    struct tt_stepped r;
    tt_err err = {.msg = ""};
    enum tt_code rc;

    if (!k->s->make_failing)
        return;
    if (!contract_ok(k, k->s->make_failing(k->s->ctx, "bad", &u, &err), &err,
                     "make"))
        return;
    u = contract_go_ready(k, u, 1);
    if (!u)
        return;
    if (u->desc->caps.save)
        contract_ok(k, tt_unit_save(u, 0, &err), &err, "save");
    if (!contract_step(k, u, contract_time(k, 1)))
        goto out;
    rc =
        tt_unit_step(u, &(struct tt_step){.to = contract_time(k, 2)}, &r, &err);
    if (rc == TT_OK)
        contract_violated(k, "the step that should fail did not");
    else
        contract_refused(k, u, rc, err.code, &err, "the failing step");
    if (rc == TT_OK)
        goto out;
    contract_message(k, &err, "step at t=", "the failing step");
    refused_when_broken(k, u);
    recovers(k, u);
out:
    tt_unit_free(u);
}
