/* SPDX-License-Identifier: MIT */
/* Which numbers of steps are tried. */
#include "base/num.h"
#include "step/agenda.h"
#include "tune/tune_impl.h"

/* Per experiment: multiples of those between two instants. */
static const uint32_t usual[] = {50,   100,  200,   500,   1000,
                                 2000, 5000, 10000, 20000, 50000};
#define USUAL (sizeof(usual) / sizeof(*usual))

_Static_assert(USUAL == STEPS_MOST, "room for all");

/* The first instance that takes steps of one length only; TT_NONE: there is
 * none. */
static uint32_t find_rigid(const tt_plan *p)
{
    for (uint32_t u = 0; u < p->n_unit; u++)
        if (!p->unit[u].desc->caps.variable_step)
            return u;
    return TT_NONE;
}

/* The tuned scenario is of the whole experiment: a last, shorter step of it
 * would be left out. */
static int divides_whole(const struct search *s, uint32_t n)
{
    struct tt_agenda whole;

    tt_agenda_init(&whole, s->begin.start, s->end, (s->end - s->start) / n);
    return !whole.short_last;
}

int search_fits(const struct search *s, uint32_t n)
{
    return n > 0 && tt_known_fits(&s->known, (s->end - s->start) / n) &&
           (!s->whole || divides_whole(s, n));
}

uint32_t search_steps(const struct search *s, uint32_t round)
{
    return tt_known_steps(&s->known, s->end - s->start, s->steps, s->n_steps,
                          round);
}

/* The usual number, or the next one that steps between instants allow; 0: there
 * is none. */
static uint32_t from(const struct search *s, uint32_t n)
{
    for (; n <= usual[USUAL - 1]; n += INSTANTS - 1)
        if (!s->whole || divides_whole(s, n))
            return n;
    return 0;
}

static enum tt_code refuse(const struct search *s, uint32_t unit, tt_err *err)
{
    char at[TT_NUM_MAX], to[TT_NUM_MAX];

    tt_num_print_short(at, s->start);
    tt_num_print_short(to, s->end);
    return tt_fail(err, TT_EINPUT,
                   "--warm (without it every run begins at the start): "
                   "instance '%s' cannot vary its step, and of %u to %u steps "
                   "from %s s to %s s none divides the time before, too; "
                   "another time would help",
                   tt_run_plan(s->like)->unit[unit].name, usual[0],
                   usual[USUAL - 1], at, to);
}

enum tt_code search_list_steps(struct search *s, tt_err *err)
{
    uint32_t rigid = find_rigid(tt_run_plan(s->like));
    char at[TT_NUM_MAX];

    s->whole = s->begin.state.data && rigid != TT_NONE;
    for (uint32_t i = 0; i < USUAL; i++) {
        uint32_t n = s->n_steps && s->steps[s->n_steps - 1] >= usual[i]
                         ? 0
                         : from(s, usual[i]);

        if (n)
            s->steps[s->n_steps++] = n;
    }
    if (!s->n_steps)
        return refuse(s, rigid, err);
    tt_num_print_short(at, s->start);
    if (s->whole)
        search_note(s,
                    "'%s' cannot vary its step: only steps that divide the "
                    "time before %s s, too, are chosen from.",
                    tt_run_plan(s->like)->unit[rigid].name, at);
    return TT_OK;
}
