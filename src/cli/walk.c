/* SPDX-License-Identifier: MIT */
#include "cli/walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "kinds/kinds.h"
#include "run/trial.h"
#include "sys/capture.h"
#include "sys/temp.h"
#include "sys/proc.h"

#define STEPS 3
#define WALK  20 /* steps of a walk and a trial, at most */

struct walker {
    struct tt_walk *w;
    const char *path;
    struct tt_temp temp; /* what a dead walker leaves behind is in here */
    tt_unit_type *type;
    tt_unit *u;
    const struct tt_desc *d;
    double t, h;
};

/* --- reporting
 * ------------------------------------------------------------------- */

static void problem(struct walker *k, const char *call, const char *text)
{
    struct tt_check_walk *f = &k->w->found;
    uint32_t n = f->n;

    if (n < TT_CHECK_PROBLEMS) {
        snprintf(f->problem[n].call, sizeof(f->problem[n].call), "%s", call);
        snprintf(f->problem[n].text, sizeof(f->problem[n].text), "%s", text);
    }
    f->n = n + 1;
}

/* Count a call; 1 when it went well. */
static int went(struct walker *k, const char *call, enum tt_code rc,
                const tt_err *err)
{
    k->w->found.n_call = k->w->found.n_call + 1;
    if (rc != TT_OK)
        problem(k, call, err->msg);
    return rc == TT_OK;
}

static int is_broken(const struct walker *k)
{
    return k->u->life == TT_LIFE_BROKEN;
}

/* --- values
 * ---------------------------------------------------------------------- */

static int may_set(const struct tt_port *p)
{
    if (!p->start || p->type == TT_CLOCK || p->variability == TT_VAR_CONSTANT)
        return 0;
    return p->causality == TT_CAUS_INPUT || p->causality == TT_CAUS_PARAMETER ||
           p->causality == TT_CAUS_STRUCTURAL;
}

static void set_starts(struct walker *k, int structural)
{
    tt_err err;

    for (uint32_t i = 0; i < k->d->n_port && !is_broken(k); i++) {
        const struct tt_port *p = &k->d->port[i];
        void *copy;
        struct tt_span s = {.port = &i, .n = 1};

        if (!may_set(p) ||
            (p->causality == TT_CAUS_STRUCTURAL) != (structural != 0))
            continue;
        copy = tt_alloc(tt_port_size(p));
        if (!copy)
            return;
        memcpy(copy, p->start, tt_port_size(p));
        s.value = copy;
        (void)went(k, "set", tt_unit_set(k->u, &s, &err), &err);
        tt_free(copy);
    }
}

/* What was set exactly must be read exactly. */
static void compare_start(struct walker *k, const struct tt_port *p,
                          const void *value)
{
    char is[TT_TEXT_MAX], was[TT_TEXT_MAX], text[600];

    if (!may_set(p) || tt_values_same(p->type, p->n, p->start, value))
        return;
    tt_value_print(is, p->type, value);
    tt_value_print(was, p->type, p->start);
    snprintf(text, sizeof(text),
             "'%s' was set to its start value %.100s and reads %.100s", p->name,
             was, is);
    problem(k, "get", text);
}

static size_t values_size(const struct tt_desc *d)
{
    size_t n = 0;

    for (uint32_t i = 0; i < d->n_port; i++)
        n += (tt_port_size(&d->port[i]) + 7) / 8 * 8;
    return n;
}

/* Every value into `to`, one after the other. */
static void get_all(struct walker *k, char *to, int compare)
{
    tt_err err;

    for (uint32_t i = 0; i < k->d->n_port && !is_broken(k); i++) {
        const struct tt_port *p = &k->d->port[i];
        struct tt_span s = {.port = &i, .n = 1, .value = to};

        if (p->type != TT_CLOCK &&
            went(k, "get", tt_unit_get(k->u, &s, &err), &err) && compare)
            compare_start(k, p, to);
        to += (tt_port_size(p) + 7) / 8 * 8;
    }
}

/* --- time
 * -------------------------------------------------------------------------- */

static int step(struct walker *k)
{
    struct tt_step s = {.to = k->t + k->h, .h = k->h, .may_restore = 1};
    struct tt_stepped r;
    char text[120], t[TT_NUM_MAX];
    tt_err err;

    if (!went(k, "step", tt_unit_step(k->u, &s, &r, &err), &err))
        return 0;
    if (r.flags & (TT_STEP_REJECT | TT_STEP_EARLY | TT_STEP_TERMINATE)) {
        tt_num_print_short(t, r.reached);
        snprintf(text, sizeof(text), "it %s at t=%s",
                 r.flags & TT_STEP_TERMINATE ? "ended the simulation"
                 : r.flags & TT_STEP_EARLY   ? "returned early"
                                             : "rejected the step",
                 t);
        problem(k, "step", text);
        return 0;
    }
    k->t = s.to;
    return 1;
}

static void compare_runs(struct walker *k, const char *a, const char *b)
{
    char text[600];

    for (uint32_t i = 0; i < k->d->n_port; i++) {
        const struct tt_port *p = &k->d->port[i];

        if (p->type != TT_CLOCK && !tt_values_same(p->type, p->n, a, b)) {
            snprintf(text, sizeof(text),
                     "'%.200s' differs when a step is repeated after restoring",
                     p->name);
            problem(k, "restore", text);
            return;
        }
        a += (tt_port_size(p) + 7) / 8 * 8;
        b += (tt_port_size(p) + 7) / 8 * 8;
    }
}

/* A step, back, and the same step again: the same values. */
static void save_and_restore(struct walker *k)
{
    size_t n = values_size(k->d);
    char *a = tt_zalloc(n + 1, 1), *b = tt_zalloc(n + 1, 1);
    double t = k->t;
    tt_err err;

    if (a && b && went(k, "save", tt_unit_save(k->u, 0, &err), &err) &&
        step(k)) {
        get_all(k, a, 0);
        if (went(k, "restore", tt_unit_restore(k->u, 0, &err), &err)) {
            k->t = t;
            if (step(k)) {
                get_all(k, b, 0);
                compare_runs(k, a, b);
            }
        }
    }
    TT_FREE_ALL(a, b);
}

static void pack_and_unpack(struct walker *k)
{
    struct tt_bytes bytes = {0};
    tt_err err;

    if (went(k, "save", tt_unit_save(k->u, 0, &err), &err) &&
        went(k, "serialise", tt_unit_pack(k->u, 0, &bytes, &err), &err) &&
        went(k, "deserialise", tt_unit_unpack(k->u, 1, &bytes, &err), &err))
        (void)went(k, "restore", tt_unit_restore(k->u, 1, &err), &err);
    tt_free(bytes.data);
}

/* --- life
 * ----------------------------------------------------------------------------
 */

static struct tt_experiment experiment_of(const struct tt_desc *desc, double *h)
{
    const struct tt_experiment *d = &desc->standard;
    struct tt_experiment e = {
        .start = isnan(d->start) ? 0 : d->start,
        .end = isnan(d->end) ? (double)INFINITY : d->end,
        .tolerance = isnan(d->tolerance) ? 0 : d->tolerance,
    };

    *h = desc->standard_step;
    if (isnan(*h))
        *h = isfinite(e.end) ? (e.end - e.start) / 500 : 0.01;
    if (e.start + WALK * *h > e.end) /* it would be passed */
        e.end = (double)INFINITY;
    return e;
}

/* The trial a run would make (run/trial.h), whatever is remembered. */
static void try_rollback(struct walker *k)
{
    struct tt_trial t = {.type = k->type, .instance = "walk"};
    char why[TT_TRIAL_WHY];
    enum tt_trial_verdict v;

    t.experiment = experiment_of(k->d, &t.h);
    v = tt_trial(&t, why);
    tt_trial_keep(TT_TRIAL_ROLLBACK, k->path, v);
    if (v >= TT_TRIAL_CANNOT)
        problem(k, "restore", why);
}

static int initialise(struct walker *k)
{
    struct tt_experiment e = experiment_of(k->d, &k->h);
    char *all;
    tt_err err;

    k->t = e.start;
    set_starts(k, 1);
    if (!went(k, "configure", tt_unit_configure(k->u, &err), &err))
        return 0;
    k->d = k->u->desc; /* sizes are final now */
    set_starts(k, 0);
    if (is_broken(k) || !went(k, "enter initialisation",
                              tt_unit_enter_init(k->u, &e, &err), &err))
        return 0;
    all = tt_zalloc(values_size(k->d) + 1, 1);
    if (all)
        get_all(k, all, 1);
    tt_free(all);
    if (is_broken(k) ||
        !went(k, "exit initialisation", tt_unit_exit_init(k->u, &err), &err))
        return 0;
    return went(k, "prepare",
                tt_unit_prepare(k->u, k->d->caps.save ? 2 : 0, &err), &err);
}

static void live(struct walker *k)
{
    for (int i = 0; i < STEPS; i++)
        if (!step(k))
            return;
    if (k->d->caps.save)
        save_and_restore(k);
    if (k->d->caps.serialise && !is_broken(k))
        pack_and_unpack(k);
}

static void end(struct walker *k)
{
    tt_err err;

    if (!is_broken(k) && k->u->life >= TT_LIFE_READY)
        (void)went(k, "terminate", tt_unit_end(k->u, &err), &err);
}

static void walk(struct walker *k)
{
    /* the FMU itself, whatever it is driven as */
    struct tt_source s = {.path = k->path, .no_event_mode = 1};
    struct tt_experiment e;
    struct tt_make m = {.name = "walk",
                        .instance = "walk",
                        .activity = &k->w->activity,
                        .experiment = &e};
    const struct tt_kind_ops *kind;
    tt_err err;

    if (!went(k, "open", tt_kind_for(&kind, &s, &err), &err) ||
        !went(k, "open", kind->open(&k->type, &s, &err), &err))
        return;
    k->d = &k->type->desc;
    e = experiment_of(k->d, &k->h);
    try_rollback(k);
    if (!went(k, "instantiate", k->type->kind->make(&k->u, k->type, &m, &err),
              &err))
        return;
    k->d = k->u->desc;
    if (initialise(k))
        live(k);
    end(k);
    if (went(k, "reset", tt_unit_reset(k->u, &err), &err) && initialise(k)) {
        (void)step(k);
        end(k);
    }
}

static int walk_main(void *ctx)
{
    struct walker *k = ctx;

    setenv("TMPDIR", k->temp.path, 1);
    tt_stdout_to_stderr();
    walk(k);
    snprintf(k->w->activity.call, sizeof(k->w->activity.call), "free");
    tt_unit_free(k->u);
    snprintf(k->w->activity.call, sizeof(k->w->activity.call), "unload");
    if (k->type)
        k->type->kind->close(k->type);
    k->w->finished = 1;
    return 0;
}

enum tt_code tt_walk(struct tt_walk *w, const char *path, tt_err *err)
{
    struct walker k = {.w = w, .path = path};
    struct tt_proc_result how;
    char text[200];
    enum tt_code rc = tt_temp_open(&k.temp, err);

    if (rc == TT_OK)
        rc = tt_proc_run(walk_main, &k, &w->done, &how, err);
    tt_temp_close(&k.temp);
    if (rc != TT_OK || w->finished)
        return rc;
    w->activity.call[sizeof(w->activity.call) - 1] = '\0';
    if (how.asked && how.how == TT_PROC_KILLED && !tt_is_crash(how.value))
        return tt_fail(err, TT_ESTOPPED, "%s: the walk was stopped by you",
                       path);
    if (how.how == TT_PROC_KILLED)
        snprintf(text, sizeof(text), "the process died of %s",
                 tt_signal_name(how.value));
    else
        snprintf(text, sizeof(text), "the FMU ended the process (exit code %d)",
                 how.value);
    problem(&k, w->activity.call[0] ? w->activity.call : "load", text);
    return TT_OK;
}
