/* SPDX-License-Identifier: MIT */
/* Contract rules: steps and state registers. */
#include "unit/contract_impl.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"

/* --- steps ------------------------------------------------------------- */

void contract_lands(struct contract *k)
{
    tt_unit *u = contract_ready(k, "lands", 0);

    for (uint32_t i = 1; u && i <= 3; i++) {
        double to = contract_time(k, i);
        struct tt_stepped r = {.reached = 0};
        tt_err err;

        if (!contract_ok(k,
                         tt_unit_step(u, &(struct tt_step){.to = to}, &r, &err),
                         &err, "step"))
            break;
        if (r.reached != to || u->now != to || tt_unit_last(u).reached != to)
            contract_violated(k, "step %u ends elsewhere", (unsigned)i);
        if (r.flags & (TT_STEP_REJECT | TT_STEP_EARLY))
            contract_violated(k, "step %u was not made", (unsigned)i);
        if (r.after != TT_AFTER_AT_REACHED)
            contract_violated(k, "after step %u it is not where it says",
                              (unsigned)i);
        if (u->n_step != i)
            contract_violated(k, "after step %u it has counted %u", (unsigned)i,
                              (unsigned)u->n_step);
    }
    tt_unit_free(u);
}

void contract_step_stay(struct contract *k)
{
    tt_unit *u = contract_ready(k, "stay", 0);
    void *a = NULL, *b = NULL;

    if (u && contract_drive(k, u, 1)) {
        a = contract_values(k, u);
        if (contract_step(k, u, u->now))
            b = contract_values(k, u);
        contract_same(k, u, a, b, "a step to where it stands");
        if (u->n_step != 1 || u->now != contract_time(k, 1))
            contract_violated(k, "a step to where it stands counts as one");
    }
    tt_free(a);
    tt_free(b);
    tt_unit_free(u);
}

void contract_step_back(struct contract *k)
{
    tt_unit *u = contract_ready(k, "back", 0);
    void *a = NULL, *b = NULL;
    struct tt_stepped r;
    tt_err err = {.msg = ""};

    if (u && contract_drive(k, u, 1)) {
        a = contract_values(k, u);
        contract_refused(
            k, u,
            tt_unit_step(u, &(struct tt_step){.to = k->s->start}, &r, &err),
            TT_ESTATE, &err, "a step back");
        contract_says(k, &err, "is refused, only restore goes back",
                      "a step back");
        b = contract_values(k, u);
        contract_same(k, u, a, b, "a refused step back");
        contract_step(k, u, contract_time(k, 2));
    }
    tt_free(a);
    tt_free(b);
    tt_unit_free(u);
}

/* Two units driven alike, one in one phase and one in two. */
void contract_two_phase(struct contract *k)
{
    tt_unit *one = contract_ready(k, "one", 0);
    tt_unit *two = contract_ready(k, "two", 0);
    struct tt_step s = {.to = contract_time(k, 1)};
    struct tt_stepped r = {.reached = 0};
    void *a = NULL, *b = NULL;
    tt_err err = {.msg = ""};

    if (!one || !two || !contract_drive(k, one, 1) ||
        !contract_set_inputs(k, two, 1))
        goto out;
    contract_refused(k, two, tt_unit_step_finish(two, &r, &err), TT_ESTATE,
                     &err, "step_finish without a begin");
    if (!contract_ok(k, tt_unit_step_begin(two, &s, &err), &err, "step_begin"))
        goto out;
    contract_refused(k, two, tt_unit_step(two, &s, &r, &err), TT_ESTATE, &err,
                     "a step while a step is under way");
    contract_refused(k, two,
                     tt_unit_get(two, &(struct tt_span){NULL, 0, NULL}, &err),
                     TT_ESTATE, &err, "get while a step is under way");
    if (!contract_ok(k, tt_unit_step_finish(two, &r, &err), &err,
                     "step_finish"))
        goto out;
    if (r.reached != s.to || two->now != s.to || two->n_step != 1)
        contract_violated(k, "a step in two phases ends elsewhere");
    a = contract_values(k, one);
    b = contract_values(k, two);
    contract_same(k, one, a, b, "a step in two phases");
out:
    tt_free(a);
    tt_free(b);
    tt_unit_free(one);
    tt_unit_free(two);
}

void contract_max_step(struct contract *k)
{
    tt_unit *u = contract_ready(k, "max", 0);
    double h = -1;
    tt_err err;

    if (u && contract_ok(k, tt_unit_max_step(u, &h, &err), &err, "max_step")) {
        if (!(h > 0))
            contract_violated(k, "its largest step is not positive");
        if (!u->desc->caps.max_step && !isinf(h))
            contract_violated(k, "it tells a largest step without claiming it");
    }
    tt_unit_free(u);
}

/* --- registers --------------------------------------------------------- */

/* The capability is missing: every call says so. 1 when it is there. */
static int can_save(struct contract *k, tt_unit *u)
{
    tt_err err = {.msg = ""};

    if (u->desc->caps.save)
        return 1;
    contract_refused(k, u, tt_unit_save(u, 0, &err), TT_EUNSUPPORTED, &err,
                     "save");
    contract_says(k, &err, "cannot save its state", "save");
    contract_refused(k, u, tt_unit_restore(u, 0, &err), TT_EUNSUPPORTED, &err,
                     "restore");
    contract_says(k, &err, "cannot restore a state", "restore");
    return 0;
}

void contract_restore(struct contract *k)
{
    tt_unit *u = contract_ready(k, "restore", 1);
    void *saved = NULL, *first = NULL, *back = NULL, *again = NULL;
    tt_err err;

    if (!u || !can_save(k, u) || !contract_drive(k, u, 1) ||
        !contract_ok(k, tt_unit_save(u, 0, &err), &err, "save"))
        goto out;
    saved = contract_values(k, u);
    if (!contract_drive(k, u, 2))
        goto out;
    first = contract_values(k, u);
    if (!contract_drive(k, u, 3) ||
        !contract_ok(k, tt_unit_restore(u, 0, &err), &err, "restore"))
        goto out;
    if (u->now != contract_time(k, 1))
        contract_violated(k, "a restore does not set the time back");
    back = contract_values(k, u);
    contract_same(k, u, saved, back, "values after a restore");
    if (!contract_drive(k, u, 2))
        goto out;
    again = contract_values(k, u);
    contract_same(k, u, first, again, "the same step after a restore");
out:
    tt_free(saved);
    tt_free(first);
    tt_free(back);
    tt_free(again);
    tt_unit_free(u);
}

void contract_registers(struct contract *k)
{
    static const uint32_t order[] = {0, 2, 1, 1, 2, 0};
    tt_unit *u = contract_ready(k, "registers", 3);
    void *at[3] = {NULL, NULL, NULL}, *now;
    tt_err err;

    for (uint32_t i = 0; u && u->desc->caps.save && i < 3; i++) {
        if (!contract_drive(k, u, i + 1) ||
            !contract_ok(k, tt_unit_save(u, i, &err), &err, "save"))
            goto out;
        at[i] = contract_values(k, u);
    }
    for (int i = 0; u && u->desc->caps.save && i < 6; i++) {
        char what[64];

        if (!contract_ok(k, tt_unit_restore(u, order[i], &err), &err,
                         "restore"))
            goto out;
        snprintf(what, sizeof(what), "register %u", (unsigned)order[i]);
        if (u->now != contract_time(k, order[i] + 1))
            contract_violated(k, "%s has another time", what);
        now = contract_values(k, u);
        contract_same(k, u, at[order[i]], now, what);
        tt_free(now);
    }
out:
    for (int i = 0; i < 3; i++)
        tt_free(at[i]);
    tt_unit_free(u);
}

void contract_no_register(struct contract *k)
{
    tt_unit *u = contract_ready(k, "none", 2);
    tt_err err = {.msg = ""};

    if (u && u->desc->caps.save) {
        contract_refused(k, u, tt_unit_restore(u, 1, &err), TT_ESTATE, &err,
                         "restore of an empty register");
        contract_says(k, &err, "state register 1 is empty", "restore");
        contract_refused(k, u, tt_unit_save(u, 2, &err), TT_EINPUT, &err,
                         "save to a missing register");
        contract_says(k, &err, "there is no state register 2", "save");
        contract_refused(k, u, tt_unit_restore(u, 64, &err), TT_EINPUT, &err,
                         "restore of a missing register");
    }
    tt_unit_free(u);
}

static int can_pack(struct contract *k, tt_unit *u)
{
    struct tt_bytes b = {NULL, 0};
    tt_err err = {.msg = ""};

    if (u->desc->caps.serialise)
        return 1;
    contract_refused(k, u, tt_unit_pack(u, 0, &b, &err), TT_EUNSUPPORTED, &err,
                     "pack");
    contract_refused(k, u, tt_unit_unpack(u, 0, &b, &err), TT_EUNSUPPORTED,
                     &err, "unpack");
    return 0;
}

static void strangers_refused(struct contract *k, tt_unit *u)
{
    char junk[64] = "not a state of any unit";
    struct tt_bytes b = {junk, sizeof(junk)};
    tt_err err = {.msg = ""};

    contract_refused(k, u, tt_unit_unpack(u, 1, &b, &err), TT_EINPUT, &err,
                     "unpack of junk");
    b.n = 3;
    contract_refused(k, u, tt_unit_unpack(u, 1, &b, &err), TT_EINPUT, &err,
                     "unpack of three bytes");
    contract_refused(k, u, tt_unit_restore(u, 1, &err), TT_ESTATE, &err,
                     "restore of what was not unpacked");
}

void contract_pack(struct contract *k)
{
    tt_unit *u = contract_ready(k, "here", 2), *v = NULL;
    struct tt_bytes b = {NULL, 0};
    void *a = NULL, *c = NULL;
    tt_err err;

    if (!u || !can_pack(k, u) || u->desc->caps.once_per_process)
        goto out;
    v = contract_ready(k, "there", 2);
    if (!v || !contract_drive(k, u, 1) || !contract_drive(k, u, 2) ||
        !contract_ok(k, tt_unit_save(u, 0, &err), &err, "save") ||
        !contract_ok(k, tt_unit_pack(u, 0, &b, &err), &err, "pack") ||
        !contract_ok(k, tt_unit_unpack(v, 0, &b, &err), &err, "unpack") ||
        !contract_ok(k, tt_unit_restore(v, 0, &err), &err, "restore"))
        goto out;
    if (v->now != u->now)
        contract_violated(k, "the time does not travel with the state");
    if (contract_drive(k, u, 3) && contract_drive(k, v, 3)) {
        a = contract_values(k, u);
        c = contract_values(k, v);
        contract_same(k, u, a, c, "a step from a packed state");
    }
    strangers_refused(k, v);
out:
    tt_free(b.data);
    tt_free(a);
    tt_free(c);
    tt_unit_free(u);
    tt_unit_free(v);
}
