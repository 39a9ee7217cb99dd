/* SPDX-License-Identifier: MIT */
/* Crossings that are located: the policy finds where they are, and the step
 * that ends there is followed by their events. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "player/event.h"
#include "run/vary_impl.h"
#include "score/concern.h"

static const char *name_of(const tt_run *r, uint32_t i)
{
    return r->plan->unit[r->plan->locate[i].unit].name;
}

void run_locate_members(const tt_run *r, struct tt_policy_opts *o)
{
    for (uint32_t i = 0; i < r->plan->n_locate; i++) {
        const struct tt_plan_locate *l = &r->plan->locate[i];

        o[i] =
            (struct tt_policy_opts){.kind = TT_POLICY_LOCATE,
                                    .name = name_of(r, i),
                                    .ports = &l->watch,
                                    .n_ports = 1,
                                    .locate = {.up = l->given->up,
                                               .down = l->given->down,
                                               .tolerance = l->given->tolerance,
                                               .predicts = r->plan->foretells,
                                               .shift = r->opts.event_shift}};
    }
}

/* Steps that are not taken back are judged all the same. */
void run_locate_start(tt_run *r)
{
    if (r->plan->n_locate && r->protocol == &tt_protocol_fixed)
        r->protocol = &tt_protocol_divided;
}

static uint32_t count(const uint8_t *mark, uint32_t n)
{
    uint32_t sum = 0;

    for (uint32_t i = 0; i < n; i++)
        sum += mark[i];
    return sum;
}

enum tt_code run_locate_concern(tt_run *r, tt_err *err)
{
    uint8_t *unit, *op;
    enum tt_code rc;
    uint32_t n;

    if (!r->plan->n_locate || r->protocol != &tt_protocol_varied ||
        r->opts.link)
        return TT_OK;
    if (!RUN_NEW(r, unit, r->plan->n_unit) || !RUN_NEW(r, op, r->score->n_op))
        return run_nomem(err);
    for (uint32_t i = 0; i < r->plan->n_locate; i++)
        unit[r->plan->locate[i].unit] = 1;
    rc = tt_score_concern(r->score, unit, op, err);
    n = count(unit, r->plan->n_unit);
    if (rc != TT_OK || n == r->plan->n_unit)
        return rc;
    r->vary->scout = op;
    run_note(r, "events",
             "crossings depend on %u of %u instances: only these make the "
             "attempts between the first and the one that stands",
             n - r->plan->n_locate, r->plan->n_unit - r->plan->n_locate);
    return TT_OK;
}

int run_locate_scouts(const tt_run *r)
{
    return r->vary->scout && !r->memory->recovered;
}

enum tt_code run_play_scouts(tt_run *r, enum tt_section section,
                             struct tt_halt *halt, tt_err *err)
{
    enum tt_code rc;

    r->activity->playing = TT_PLAYING_STEP;
    rc = tt_part_play_only(r->part, section, r->vary->scout, halt, err);
    r->activity->playing = TT_PLAYING_NOT;
    return rc;
}

static void warn_late(tt_run *r, uint32_t i,
                      const struct tt_policy_crossings *c)
{
    char t[TT_NUM_MAX], late[TT_NUM_MAX];

    if (c->late == 0 || c->n_late > 1)
        return;
    tt_num_print_short(t, c->at);
    tt_num_print_digits(late, c->late, 3);
    tt_log(r->opts.log, TT_LOG_WARN,
           "crossing '%s' is noticed at t=%s, about %s s late: %s (reported "
           "once; the report counts)",
           name_of(r, i), t, late,
           r->plan->foretells ? "not all instances can be rolled back"
                              : "not all instances can vary their step");
}

/* A step to where a crossing was found before need not look for it again. */
void run_locate_begin(const tt_run *r, const struct run_macro *m)
{
    struct tt_vary *v = r->vary;
    size_t n = v->n_member * sizeof(*v->hunt);

    if (r->guest && m->t0 == v->found_t0 && m->asked->to == v->found_t1)
        memcpy(v->hunt, v->found, n);
    else
        memset(v->hunt, 0, n);
}

static void remember(const tt_run *r, const struct run_macro *m)
{
    struct tt_vary *v = r->vary;

    memcpy(v->found, v->hunt, v->n_member * sizeof(*v->hunt));
    v->found_t0 = m->t0;
    v->found_t1 = m->s.t1;
}

int run_locate_ended(const tt_run *r)
{
    for (uint32_t i = 0; r->vary && i < r->plan->n_locate; i++)
        if (tt_policy_crossed(r->vary->policy, r->vary->crossing + i).fired)
            return 1;
    return 0;
}

void run_locate_ask(tt_run *r)
{
    for (uint32_t i = 0; i < r->plan->n_locate; i++) {
        const struct tt_plan_locate *l = &r->plan->locate[i];
        struct tt_policy_crossings c =
            tt_policy_crossed(r->vary->policy, r->vary->crossing + i);

        if (!l->emits || !c.fired)
            continue;
        tt_part_clock_ask(r->part, l->fire);
        if (c.silent) /* of those without end this one is the last */
            tt_part_clock_ask(r->part, l->settle);
    }
}

/* Where nothing has an event the values go on, but perhaps not as before. */
void run_locate_commit(tt_run *r, const struct run_macro *m)
{
    int turns = 0;

    for (uint32_t i = 0; i < r->plan->n_locate; i++) {
        const struct tt_plan_locate *l = &r->plan->locate[i];
        struct tt_policy_crossings c =
            tt_policy_crossed(r->vary->policy, r->vary->crossing + i);

        if (!c.fired)
            continue;
        warn_late(r, i, &c);
        if (run_zeno_note(r, l->unit, c.at) &&
            r->scenario->zeno == TT_ZENO_REGULARISE)
            tt_policy_silence(r->vary->policy, r->vary->crossing + i);
        turns = 1;
    }
    if (turns) {
        run_locate_ask(r);
        if (r->guest)
            remember(r, m);
        tt_part_forget(r->part, NULL);
        r->memory->anew = 1;
        tt_policy_start(r->vary->policy, r->now->t[TT_T1], r->vary->v0);
    }
}

uint32_t tt_run_crossings(const tt_run *r)
{
    return r->vary ? r->plan->n_locate : 0;
}

struct tt_run_crossing tt_run_crossing(const tt_run *r, uint32_t i)
{
    struct tt_policy_crossings c =
        tt_policy_crossed(r->vary->policy, r->vary->crossing + i);

    return (struct tt_run_crossing){
        .name = name_of(r, i),
        .n = c.n,
        .late = c.n_late,
        .attempts = c.trials,
        .last = c.at,
        .rests = c.silent,
        .moved = r->vary->moved ? r->vary->moved[i] : (double)NAN,
        .error = c.error_most,
        .late_most = c.late_most,
        .late_mean = c.n_late ? c.late_sum / (double)c.n_late : 0};
}

static void put_words(const tt_run *r, uint32_t i, struct tt_buf *out)
{
    struct tt_run_crossing c = tt_run_crossing(r, i);
    char a[TT_NUM_MAX], b[TT_NUM_MAX];

    tt_buf_fmt(out, "crossing '%s': %llu", c.name, (unsigned long long)c.n);
    if (c.n > c.late) {
        tt_num_print_digits(a, c.error, 3);
        tt_buf_fmt(out, ", located within %s s, by %llu attempts more", a,
                   (unsigned long long)c.attempts);
    }
    if (c.late) {
        tt_num_print_digits(a, c.late_mean, 3);
        tt_num_print_digits(b, c.late_most, 3);
        tt_buf_fmt(out, ", %llu late, by %s s on average and %s s at most",
                   (unsigned long long)c.late, a, b);
    }
    if (c.rests) {
        tt_num_print_short(a, c.last);
        tt_buf_fmt(out, ", at rest since t=%s", a);
    }
}

/* --- how an error of an event's time moves later ones ---------------------
 */

static void compare_crossings(tt_run *r, const tt_run *late, double shift)
{
    char by[TT_NUM_MAX];

    for (uint32_t i = 0; i < r->plan->n_locate; i++) {
        struct tt_run_crossing a = tt_run_crossing(r, i),
                               b = tt_run_crossing(late, i);

        r->vary->moved[i] =
            a.n && a.n == b.n ? (b.last - a.last) / shift : (double)NAN;
        if (isnan(r->vary->moved[i]))
            continue;
        tt_num_print_digits(by, r->vary->moved[i], 6);
        run_note(r, "events",
                 "crossing '%s': the last one moves by %s s for each s that "
                 "the first one of all is late",
                 a.name, by);
    }
}

enum tt_code tt_run_shift_events(tt_run *r, double shift, tt_err *err)
{
    const struct tt_run_opts o = {.no_event_mode = r->opts.no_event_mode,
                                  .kind_cb = r->opts.kind_cb,
                                  .sandbox = r->opts.sandbox,
                                  .event_shift = shift};
    tt_run *late = NULL;
    enum tt_code rc;

    if (!tt_run_crossings(r) || r->opts.link)
        return TT_OK;
    if (!RUN_NEW(r, r->vary->moved, r->plan->n_locate))
        return run_nomem(err);
    rc = tt_run_new(&late, r->scenario, &o, err);
    if (rc == TT_OK)
        rc = tt_run_perform(late, err);
    if (rc == TT_OK)
        compare_crossings(r, late, shift);
    else
        rc = tt_context(err, rc, "with its first crossing late");
    tt_run_free(late);
    return rc;
}

void run_locate_report(tt_run *r)
{
    for (uint32_t i = 0; i < r->plan->n_locate; i++) {
        struct tt_buf words;

        tt_buf_init(&words, TT_ERR_MAX);
        put_words(r, i, &words);
        if (!words.failed)
            run_note(r, "events", "%s", words.data);
        tt_buf_fini(&words);
    }
}
