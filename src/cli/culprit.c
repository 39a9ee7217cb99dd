/* SPDX-License-Identifier: MIT */
#include "cli/culprit.h"

#include <math.h>
#include <string.h>

#include "base/num.h"

/* The call a thread is in; beyond all names: in none. */
static uint32_t call_of(const struct tt_stage *s, uint32_t thread)
{
    return thread ? s->mate[thread - 1].pc : s->now.pc;
}

static int is_named(const struct tt_stage *s, uint32_t pc)
{
    return pc < s->n_name && s->first_name < TT_STAGE_NAMES &&
           pc < TT_STAGE_NAMES - s->first_name;
}

/* The call of the thread that brought the process down. Where that is not
 * known, the first call in the score that has not returned. */
static uint32_t last_call(const struct tt_stage *s, uint32_t *others)
{
    uint32_t n = s->n_mate < TT_CREW_MAX ? s->n_mate + 1 : TT_CREW_MAX;
    uint32_t first = TT_NONE, busy = 0;

    *others = 0;
    if (s->culprit && s->culprit <= n)
        return call_of(s, s->culprit - 1);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t pc = call_of(s, i);

        busy += is_named(s, pc) != 0;
        first = pc < first ? pc : first;
    }
    *others = busy ? busy - 1 : 0;
    return first;
}

/* Strings of the dead are terminated here, whatever it wrote. */
static struct tt_culprit by_call(struct tt_stage *s, uint32_t pc,
                                 const struct tt_now *now)
{
    struct tt_culprit c = {.unit = s->name[pc].unit, .call = s->name[pc].call};

    s->name[pc].unit[sizeof(s->name[pc].unit) - 1] = '\0';
    s->name[pc].call[sizeof(s->name[pc].call) - 1] = '\0';
    c.t = now->t[strcmp(c.call, "step") == 0 ? TT_T0 : TT_T1];
    return c;
}

static struct tt_culprit by_activity(struct tt_activity *activity,
                                     const struct tt_now *now)
{
    struct tt_culprit c = {
        .unit = activity->unit, .call = activity->call, .t = (double)NAN};

    activity->unit[sizeof(activity->unit) - 1] = '\0';
    activity->call[sizeof(activity->call) - 1] = '\0';
    if (strcmp(c.call, "end") == 0)
        c.call = "terminate";
    if (now->steps)
        c.t = now->t[TT_T1];
    return c;
}

/* Inside the unit that was called, as deep as there are runs: 0 when none is
 * busy. */
static int look_inside(struct tt_stage *s, struct tt_culprit *c)
{
    uint32_t n = s->n_guest < TT_STAGE_GUESTS ? s->n_guest : TT_STAGE_GUESTS;

    while (n > 0 && !s->guest[n - 1].busy)
        n--;
    if (n == 0)
        return 0;
    n--;
    if (s->guest[n].activity.playing) {
        uint32_t first = s->guest[n].first, pc = s->guest[n].now.pc;

        if (pc >= s->guest[n].n || first >= TT_STAGE_NAMES ||
            pc >= TT_STAGE_NAMES - first)
            return 0;
        *c = by_call(s, first + pc, &s->guest[n].now);
    } else {
        *c = by_activity(&s->guest[n].activity, &s->guest[n].now);
    }
    return c->unit[0] != '\0';
}

/* Units with runs inside are played by the first thread. */
struct tt_culprit tt_culprit_find(struct tt_stage *s)
{
    uint32_t others, pc = last_call(s, &others);
    int playing = s->activity.playing && is_named(s, pc);
    struct tt_culprit c;

    if ((playing && pc != s->now.pc) || !look_inside(s, &c))
        c = playing ? by_call(s, s->first_name + pc, &s->now)
                    : by_activity(&s->activity, &s->now);
    c.others = others;
    return c;
}

void tt_culprit_put_death(struct tt_buf *b, const struct tt_culprit *c,
                          const struct tt_proc_result *how)
{
    char t[TT_NUM_MAX];

    if (c->unit[0])
        tt_buf_fmt(b, "instance '%s'", c->unit);
    if (c->unit[0] && c->others)
        tt_buf_fmt(b, " or %s%u other%s that played at the same time",
                   c->others > 1 ? "one of " : "", c->others,
                   c->others > 1 ? "s" : "");
    if (c->unit[0])
        tt_buf_str(b, ": ");
    else
        tt_buf_str(b, "the playing process ");
    if (how->how == TT_PROC_KILLED)
        tt_buf_str(b, tt_is_crash(how->value) ? "crashed"
                      : c->unit[0]            ? "killed"
                                              : "was killed");
    else
        tt_buf_str(b, "ended the process");
    if (c->call[0])
        tt_buf_fmt(b, " in %s", c->call);
    if (how->how == TT_PROC_KILLED)
        tt_buf_fmt(b, " (%s)", tt_signal_name(how->value));
    else
        tt_buf_fmt(b, " (exit code %d)", how->value);
    if (isnan(c->t))
        return;
    tt_num_print_digits(t, c->t, 12);
    tt_buf_fmt(b, " at t=%s", t);
}

void tt_culprit_death(struct tt_buf *b, struct tt_stage *s,
                      const struct tt_proc_result *how)
{
    struct tt_culprit who = tt_culprit_find(s);

    tt_culprit_put_death(b, &who, how);
}

void tt_culprit_put_call(struct tt_buf *b, const struct tt_culprit *c,
                         const char *verb)
{
    char t[TT_NUM_MAX];

    tt_buf_fmt(b, " instance '%s' %s %s", c->unit, verb,
               c->call[0] ? c->call : "a call");
    if (isnan(c->t))
        return;
    tt_num_print_digits(t, c->t, 12);
    tt_buf_fmt(b, " at t=%s", t);
}
