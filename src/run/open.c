/* SPDX-License-Identifier: MIT */
/* Types are opened once per FMU, instances made once per unit. */

#include <math.h>
#include <string.h>

#include "kinds/kinds.h"
#include "remote/isolate.h"
#include "remote/remote.h"
#include "run/run_impl.h"
#include "unit/substep.h"

enum tt_code run_nomem(tt_err *err)
{
    return tt_fail(err, TT_ENOMEM, "preparing the run: out of memory");
}

static void leave_crumb(tt_run *r, const char *name, const char *call)
{
    r->crumb->playing = 0;
    tt_crumb_leave(r->crumb, name, call);
}

static double deadline(const tt_run *r)
{
    return isnan(r->scenario->deadline) ? 0 : r->scenario->deadline;
}

static enum tt_code open_here(tt_run *r, uint32_t i, const struct tt_source *s,
                              tt_err *err)
{
    const struct tt_kind_ops *kind;
    enum tt_code rc = r->opts.kind_cb ? r->opts.kind_cb(&kind, s, err)
                                      : tt_kind_for(&kind, s, err);

    return rc == TT_OK ? kind->open(&r->type[i], s, err) : rc;
}

/* On another host, if nobody around us objects: no connection is made then. */
static enum tt_code open_far(tt_run *r, uint32_t i, const struct tt_source *s,
                             const struct tt_remote *far, tt_err *err)
{
    for (const struct tt_source *o = s->within; o; o = o->within)
        if (o->here)
            return tt_fail(err, TT_EUNSUPPORTED, "it is on another host; %s",
                           o->here);
    return tt_remote_open(&r->type[i], s, far, err);
}

#define KEYS_COMPARED 256u

/* Is it one that was opened under another key, as far as that is looked for? */
static int was_opened(const tt_run *r, uint32_t fmu)
{
    const struct tt_sc_fmu *f = r->scenario->fmu;

    for (uint32_t i = 0; i < r->scenario->n_fmu && i < KEYS_COMPARED; i++)
        if (r->type[i] && f[i].path && strcmp(f[i].path, f[fmu].path) == 0)
            return 1;
    return 0;
}

/* The FMU of a unit, which is the first to need it. */
static enum tt_code open_type(tt_run *r, uint32_t unit, uint32_t *opened,
                              tt_err *err)
{
    uint32_t i = r->scenario->unit[unit].fmu;
    const struct tt_sc_fmu *f = &r->scenario->fmu[i];
    struct tt_source s = {.path = f->path,
                          .log = r->opts.log,
                          .within = r->opts.within,
                          .opened = opened,
                          .kind_cb = r->opts.kind_cb,
                          .base = r->scenario->base,
                          .only_base = r->scenario->only_base,
                          .known = was_opened(r, i)};
    const struct tt_remote far = {
        .host = r->scenario->host ? r->scenario->host[i] : NULL,
        .token_file = r->scenario->token_file,
        .ca = r->scenario->tls_ca,
        .deadline = deadline(r)};
    char at[512];
    enum tt_code rc;

    leave_crumb(r, f->key, "load");
    rc = tt_remote_is(&s, &far) ? open_far(r, i, &s, &far, err)
                                : open_here(r, i, &s, err);
    if (rc == TT_OK)
        return TT_OK;
    if (f->where.file == TT_NONE)
        return rc;
    if (err) {
        tt_scenario_place(r->scenario, f->where, &err->place);
        tt_spot_of(&err->place, r->scenario->unit[unit].name, NULL);
    }
    return tt_context(err, rc, "%s: FMU '%s'",
                      tt_scenario_at(r->scenario, f->where, at, sizeof(at)),
                      f->key);
}

#define MOST_INSIDE 100000u

static uint64_t count_of(const tt_unit_type *t)
{
    return t && t->desc.inside ? t->desc.inside : 1;
}

/* Ten scenarios of ten scenarios each, and so on, are soon more than any
 * machine holds, written in a few lines. */
static enum tt_code check_inside(const tt_run *r, tt_err *err)
{
    const tt_scenario *s = r->scenario;
    uint64_t n = 0;

    for (uint32_t u = 0; u < s->n_unit; u++)
        n += count_of(r->type[s->unit[u].fmu]);
    if (n == s->n_unit || n <= MOST_INSIDE)
        return TT_OK;
    return tt_fail(err, TT_EINPUT,
                   "scenario '%s': with those in it these are %llu instances; "
                   "at most %u",
                   s->name, (unsigned long long)n, MOST_INSIDE);
}

/* FMUs that no unit uses are not opened. Those that cannot be are passed over
 * when somebody wants to know all problems; the plan does without them. */
enum tt_code run_open_types(tt_run *r, tt_err *err)
{
    const tt_scenario *s = r->scenario;
    uint32_t first = 0;
    uint32_t *opened = r->opts.within ? r->opts.within->opened : &first;
    enum tt_code rc = TT_OK;
    char *seen = tt_zalloc(s->n_fmu, 1);

    if (r->opts.host) {
        tt_free(seen);
        r->type = r->opts.host->like->type; /* borrowed */
        return TT_OK;
    }
    if (!TT_NEW_ARRAY(r->type, s->n_fmu) || !seen)
        rc = run_nomem(err);
    for (uint32_t u = 0; u < s->n_unit && rc == TT_OK; u++) {
        uint32_t i = s->unit[u].fmu;

        if (seen[i] || !s->fmu[i].path)
            continue;
        seen[i] = 1;
        rc = open_type(r, u, opened, err);
        if (rc != TT_OK && tt_log_problem(r->opts.log, rc, err))
            rc = TT_OK;
    }
    tt_free(seen);
    return rc == TT_OK ? check_inside(r, err) : rc;
}

enum tt_code tt_run_unpack(tt_run *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < r->scenario->n_fmu && rc == TT_OK; i++)
        if (r->type[i] && r->type[i]->kind->unpack)
            rc = r->type[i]->kind->unpack(r->type[i], err);
    return rc;
}

/* --- where units live ---------------------------------------------------- */

static uint32_t instances(const tt_run *r, uint32_t fmu)
{
    uint32_t n = 0;

    for (uint32_t u = 0; u < r->scenario->n_unit; u++)
        n += r->scenario->unit[u].fmu == fmu;
    return n;
}

/* Units of one FMU that allows one instance per process. */
static int must_part(const tt_run *r, uint32_t fmu)
{
    return r->type[fmu]->desc.caps.once_per_process && instances(r, fmu) > 1 &&
           r->type[fmu]->kind != &tt_kind_remote;
}

static int is_fmu(const tt_unit_type *t)
{
    return t->kind == &tt_kind_fmi2 || t->kind == &tt_kind_fmi3;
}

/* No code of strangers in it; a scenario inside may have some. */
static int is_ours(const tt_unit_type *t)
{
    return t->kind == &tt_kind_signal || t->kind == &tt_kind_coupling;
}

int run_is_isolated(const tt_run *r, uint32_t u)
{
    const struct tt_sc_unit *s = &r->scenario->unit[u];
    const tt_unit_type *t = r->type[s->fmu];

    if (!t || t->kind == &tt_kind_remote)
        return 0;
    return s->isolate || (r->scenario->isolate && is_fmu(t)) ||
           (r->opts.sandbox && !is_ours(t)) || must_part(r, s->fmu);
}

static int is_elsewhere(const tt_run *r, uint32_t u)
{
    const tt_unit_type *t = r->type[r->scenario->unit[u].fmu];

    return run_is_isolated(r, u) || (t && t->kind == &tt_kind_remote);
}

void run_note_places(tt_run *r)
{
    const tt_scenario *s = r->scenario;
    uint32_t n = 0, far = 0;

    for (uint32_t i = 0; i < s->n_fmu; i++)
        if (r->type[i] && must_part(r, i))
            tt_plan_note(r->plan, "isolation",
                         "the %u units of '%s' live in processes of their own, "
                         "because it allows one instance per process",
                         (unsigned)instances(r, i), s->fmu[i].key);
    for (uint32_t u = 0; u < s->n_unit; u++) {
        n += run_is_isolated(r, u) != 0;
        far += is_elsewhere(r, u) != 0;
    }
    if (n)
        tt_plan_note(r->plan, "isolation",
                     "%u of %u unit%s in processes of their own", (unsigned)n,
                     (unsigned)s->n_unit, s->n_unit == 1 ? "" : "s");
    if (far > n)
        tt_plan_note(r->plan, "isolation", "%u of %u unit%s on other hosts",
                     (unsigned)(far - n), (unsigned)s->n_unit,
                     s->n_unit == 1 ? "" : "s");
    if (!far && !r->opts.held && deadline(r) > 0)
        tt_log(r->opts.log, TT_LOG_WARN,
               "a deadline was given, but no unit lives in a process of its "
               "own (--isolate): none can be held to it");
}

static int wants_course(const tt_plan *p, uint32_t unit)
{
    const struct tt_plan_unit *u = &p->unit[unit];
    uint32_t first = u->slot + u->n_read;

    for (uint32_t s = first; s < first + u->n_in; s++)
        if (p->slot[s].course != TT_NONE)
            return 1;
    return 0;
}

static enum tt_code substep_unit(tt_run *r, uint32_t u, const struct tt_make *m,
                                 tt_err *err)
{
    tt_unit *inner = r->unit[u];

    r->unit[u] = NULL; /* taken, also when it fails */
    return tt_substep_new(&r->unit[u], inner, r->plan->unit[u].substeps, m,
                          err);
}

static enum tt_code make_unit(tt_run *r, uint32_t u, tt_err *err)
{
    const tt_scenario *s = r->scenario;
    const struct tt_plan_unit *pu = &r->plan->unit[u];
    const struct tt_run_host *host = r->opts.host;
    const struct tt_experiment e = run_experiment(r, u);
    const char *category[32];
    struct tt_make m = {
        .name = pu->name,
        .instance = pu->instance,
        .log = r->opts.log,
        .crumb = r->crumb,
        .visible = s->visible || (host && host->visible),
        .logging = s->logging_on || (host && host->logging),
        .early_return = (r->plan->rejects || (host && host->takes_back)) &&
                        pu->desc->caps.early_return,
        .want_course = !pu->substeps.n &&
                       (wants_course(r->plan, u) || (host && host->wrap_cb)),
        .experiment = host && !host->experiment ? NULL : &e,
        .log_category = category,
        .copy = r->copy ? r->copy[u] : 0,
    };
    tt_unit_type *t = r->type[pu->fmu];
    enum tt_code rc;

    for (uint32_t i = 0; i < s->n_log_level && m.n_log_category < 32; i++)
        if (s->log_level[i].unit == u)
            category[m.n_log_category++] = s->log_level[i].variable;
    m.logging |= m.n_log_category > 0;
    if (run_is_away(r, u))
        return run_make_away(r, u, &m, err);
    leave_crumb(r, pu->name, "instantiate");
    /* the kind stamps its messages with the unit's name */
    if (run_is_isolated(r, u))
        rc = tt_isolate_make(&r->unit[u], t, &m,
                             &(struct tt_isolate){.deadline = deadline(r),
                                                  .sandbox = r->opts.sandbox},
                             err);
    else
        rc = t->kind->make(&r->unit[u], t, &m, err);
    if (rc == TT_OK && pu->substeps.n)
        rc = substep_unit(r, u, &m, err);
    if (rc == TT_OK && host && host->wrap_cb)
        rc = host->wrap_cb(host->wrap_ctx, u, &r->unit[u], &m, err);
    return rc;
}

enum tt_code run_make_units(tt_run *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (!TT_NEW_ARRAY(r->unit, r->plan->n_unit))
        return run_nomem(err);
    for (uint32_t u = 0; u < r->plan->n_unit && rc == TT_OK; u++)
        rc = make_unit(r, u, err);
    return rc;
}

/* Units before their types: an instance may not outlive its library. */
void run_close(tt_run *r)
{
    if (r->unit)
        for (uint32_t u = 0; u < r->plan->n_unit; u++) {
            if (r->unit[u])
                leave_crumb(r, r->plan->unit[u].name, "free");
            tt_unit_free(r->unit[u]);
        }
    tt_free(r->unit);
    r->unit = NULL;
    if (r->type && !r->opts.host)
        for (uint32_t i = 0; i < r->scenario->n_fmu; i++)
            if (r->type[i]) {
                leave_crumb(r, r->scenario->fmu[i].key, "unload");
                r->type[i]->kind->close(r->type[i]);
            }
    if (!r->opts.host)
        tt_free(r->type);
    r->type = NULL;
}
