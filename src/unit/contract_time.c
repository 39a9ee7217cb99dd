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
            contract_violated(k,
                              "after step %u it is not where it reports to be",
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
        contract_message(k, &err, "is refused, only a restore does that",
                         "a step back");
        b = contract_values(k, u);
        contract_same(k, u, a, b, "a refused step back");
        contract_step(k, u, contract_time(k, 2));
    }
    tt_free(a);
    tt_free(b);
    tt_unit_free(u);
}

void contract_max_step(struct contract *k)
{
    tt_unit *u = contract_ready(k, "max", 0);
    double h = -1;
    tt_err err;

    if (u && contract_ok(k, tt_unit_max_step(u, &h, &err), &err, "max_step")) {
        if (!(h > 0) && !isnan(h))
            contract_violated(k, "its largest step is not positive");
        if (!u->desc->caps.max_step && !isnan(h))
            contract_violated(k, "it gives a largest step without claiming it");
    }
    tt_unit_free(u);
}

/* --- registers --------------------------------------------------------- */

/* The capability is missing: every call states it. 1 when it is there. */
static int can_save(struct contract *k, tt_unit *u)
{
    tt_err err = {.msg = ""};

    if (u->desc->caps.save)
        return 1;
    contract_refused(k, u, tt_unit_save(u, 0, &err), TT_EUNSUPPORTED, &err,
                     "save");
    contract_message(k, &err, "cannot save its state", "save");
    contract_refused(k, u, tt_unit_restore(u, 0, &err), TT_EUNSUPPORTED, &err,
                     "restore");
    contract_message(k, &err, "cannot restore a state", "restore");
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
        contract_message(k, &err, "state register 1 is empty", "restore");
        contract_refused(k, u, tt_unit_save(u, 2, &err), TT_EINPUT, &err,
                         "save to a missing register");
        contract_message(k, &err, "there is no state register 2", "save");
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
    contract_refused(k, u, tt_unit_packable(u, &err), TT_EUNSUPPORTED, &err,
                     "packable");
    return 0;
}

static void foreign_states_refused(struct contract *k, tt_unit *u)
{
    char junk[64] = "not a state of any instance";
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

enum { PACKED_AT = 2, GOES_ON = 3 }; /* steps before and after */

/* The state of a unit that is gone afterwards, with all its memory. */
static int pack_and_go(struct contract *k, struct tt_bytes *b)
{
    tt_unit *u = contract_ready(k, "here", 2);
    tt_err err;
    int ok = u && can_pack(k, u);

    for (uint32_t i = 1; ok && i <= PACKED_AT; i++)
        ok = contract_drive(k, u, i);
    ok = ok && contract_ok(k, tt_unit_save(u, 0, &err), &err, "save") &&
         contract_ok(k, tt_unit_packable(u, &err), &err, "packable") &&
         contract_ok(k, tt_unit_pack(u, 0, b, &err), &err, "pack");
    tt_unit_free(u);
    return ok;
}

/* All values after each step from `first` on; owned by the caller. */
static int drive_and_look(struct contract *k, tt_unit *u, uint32_t first,
                          void **seen)
{
    int ok = 1;

    for (uint32_t i = first; ok && i <= PACKED_AT + GOES_ON; i++) {
        tt_err err;

        ok = contract_drive(k, u, i);
        if (ok && i == PACKED_AT) /* for some a step begins with it */
            ok = contract_ok(k, tt_unit_save(u, 0, &err), &err, "save");
        if (ok && i > PACKED_AT) {
            seen[i - PACKED_AT - 1] = contract_values(k, u);
            ok = seen[i - PACKED_AT - 1] != NULL;
        }
    }
    return ok;
}

/* A fresh instance goes on from the bytes. */
static int unpack_and_go_on(struct contract *k, struct tt_bytes *b, void **seen)
{
    tt_unit *u = contract_ready(k, "there", 2);
    tt_err err;
    int ok = u &&
             contract_ok(k, tt_unit_unpack(u, 0, b, &err), &err, "unpack") &&
             contract_ok(k, tt_unit_restore(u, 0, &err), &err, "restore");

    if (ok && u->now != contract_time(k, PACKED_AT))
        contract_violated(k, "the time does not travel with the state");
    ok = ok && drive_and_look(k, u, PACKED_AT + 1, seen);
    if (ok)
        foreign_states_refused(k, u);
    tt_unit_free(u);
    return ok;
}

/* One after the other, so that nothing of the first can be used by the second,
 * and the one that goes on itself last. */
void contract_pack(struct contract *k)
{
    struct tt_bytes b = {NULL, 0};
    void *seen[2][GOES_ON] = {{NULL}};
    tt_unit *u = NULL;

    if (pack_and_go(k, &b) && unpack_and_go_on(k, &b, seen[0])) {
        u = contract_ready(k, "whole", 1);
        if (u && drive_and_look(k, u, 1, seen[1]))
            for (uint32_t i = 0; i < GOES_ON; i++)
                contract_same(k, u, seen[1][i], seen[0][i],
                              "a step from a packed state");
    }
    for (uint32_t i = 0; i < GOES_ON; i++) {
        tt_free(seen[0][i]);
        tt_free(seen[1][i]);
    }
    tt_free(b.data);
    tt_unit_free(u);
}

/* --- clocks ------------------------------------------------------------- */

static uint32_t timed_clock(const struct tt_desc *d)
{
    for (uint32_t i = 0; i < d->n_port; i++)
        if (d->port[i].causality == TT_CAUS_INPUT &&
            tt_clock_is_timed(d->port[i].ticks))
            return i;
    return TT_NONE;
}

/* Intervals are stated in event mode, and not while time goes on. */
void contract_clocks(struct contract *k)
{
    tt_unit *u = contract_ready(k, "clocks", 0);
    struct tt_timing t = {0};
    struct tt_event_result r;
    tt_err err = {.msg = ""};

    if (!u)
        return;
    if (!u->desc->caps.clocks) {
        contract_refused(k, u, tt_unit_intervals(u, &t, 1, &err),
                         TT_EUNSUPPORTED, &err, "intervals");
        contract_message(k, &err, "cannot state intervals of clocks",
                         "intervals");
        tt_unit_free(u);
        return;
    }
    t.port = timed_clock(u->desc);
    if (t.port == TT_NONE)
        contract_violated(k, "it claims clocks and has none");
    else {
        contract_refused(k, u, tt_unit_intervals(u, &t, 1, &err), TT_ESTATE,
                         &err, "intervals out of event mode");
        if (contract_ok(k, tt_unit_event_enter(u, &err), &err, "event_enter") &&
            contract_ok(k, tt_unit_event_update(u, &r, &err), &err,
                        "event_update"))
            contract_ok(k, tt_unit_intervals(u, &t, 1, &err), &err,
                        "intervals");
    }
    tt_unit_free(u);
}
