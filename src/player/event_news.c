/* SPDX-License-Identifier: MIT */
/* Events: which inputs have another value to take. */
#include <math.h>
#include <string.h>

#include "player/event_impl.h"
#include "player/ranks.h"

#define LEAP                                                                   \
    1e-9 /* relative: a continuous input that changes by more leapt            \
          */

void tt_part_event_moved(tt_part *p)
{
    p->events->known = 0;
}

int tt_event_is_smooth(const struct tt_port *port)
{
    return port->variability == TT_VAR_CONTINUOUS &&
           tt_type_is_float(port->type);
}

/* By more than rounding? */
static int leaps(const struct tt_port *port, const char *a, const char *b)
{
    double nominal = fabs(port->nominal);

    for (uint32_t i = 0; i < port->n; i++) {
        size_t at = i * tt_type_size(port->type);
        double x = tt_value_as_double(port->type, a + at);
        double y = tt_value_as_double(port->type, b + at);

        if (!(fabs(x - y) <= LEAP * fmax(nominal, fmax(fabs(x), fabs(y)))))
            return 1;
    }
    return 0;
}

enum tt_news tt_event_news(const struct tt_port *port, const void *now,
                           const void *was)
{
    if (tt_values_same(port->type, port->n, now, was))
        return TT_NEWS_NONE;
    if (!tt_event_is_smooth(port))
        return TT_NEWS_LEAP;
    return leaps(port, now, was) ? TT_NEWS_LEAP : TT_NEWS_SMALL;
}

/* Its source's value as the input would have it; NULL where it does not fit,
 * which the move will state. */
static const void *new_value(const tt_part *p, const struct tt_move *m)
{
    struct tt_move there = *m;

    there.to = p->event->scratch;
    return tt_move_one(&there) ? NULL : there.to;
}

static enum tt_news news_of_any(const tt_part *p,
                                const struct tt_event_value *v)
{
    const void *value = new_value(p, v->move);

    return value ? tt_event_news(v->port, value, v->move->to) : TT_NEWS_LEAP;
}

enum tt_news tt_event_news_far(const tt_part *p, const struct tt_event_value *v)
{
    switch ((enum tt_event_kind)v->kind) {
    case TT_EVENT_CLOCK:
        return *v->source_ticks ? TT_NEWS_LEAP : TT_NEWS_NONE;
    case TT_EVENT_CLOCKED:
        return TT_NEWS_LEAP; /* the last value there is is sampled */
    case TT_EVENT_WORD:
    case TT_EVENT_ANY:
        break;
    }
    return news_of_any(p, v);
}

/* The strongest news of a batch. What comes with a clock is of the microstep it
 * ticked in. *due: the last that another value is due for, else TT_NONE. */
static enum tt_news look_at(tt_part *p, const struct tt_event_op *o,
                            uint32_t *due)
{
    enum tt_news most = TT_NEWS_NONE;

    *due = TT_NONE;
    p->event->looked++;
    for (uint32_t k = 0; k < o->n_value; k++) {
        enum tt_news one = tt_event_news_for(p, &o->value[k]);

        if (one > most)
            most = one;
        if (one == TT_NEWS_LEAP)
            *due = o->value[k].slot;
    }
    return most;
}

void tt_event_suspect_all(const tt_part *p)
{
    const struct tt_bits *news = &p->event->set[TT_SET_NEWS];

    memcpy(news->word, p->event->every,
           tt_bits_words(news->n) * sizeof(*news->word));
    p->events->known = 1;
}

uint32_t tt_event_due(tt_part *p, uint32_t *slot)
{
    const struct tt_event_play *e = p->event;
    const struct tt_bits *news = &e->set[TT_SET_NEWS], *looks = &e->looks;
    uint32_t i, n = looks->n, at = n;

    *slot = TT_NONE;
    tt_event_suspect(p);
    for (i = tt_bits_next(news, 0); i != TT_BITS_END;
         i = tt_bits_next(news, i + 1))
        tt_bits_add(looks, e->set_of[i]);
    while (at == n && (i = tt_bits_take(looks)) != TT_BITS_END) {
        const struct tt_event_op *o = &e->op[0][i];

        if (o->away)
            continue;
        if (look_at(p, o, slot) == TT_NEWS_NONE)
            tt_event_forget_news(p, o);
        if (*slot != TT_NONE)
            at = i + 1;
    }
    tt_bits_clear(looks);
    return at;
}

/* While a unit asks there is a microstep in any case, which finds the rest. */
int tt_part_event_pending(tt_part *p, uint32_t *unit, uint32_t *slot)
{
    *unit = tt_bits_next(&p->event->set[TT_SET_AGAIN], 0);
    *slot = p->ranks ? p->ranks->due : TT_NONE;
    if (!p->ranks && *unit == TT_NONE)
        (void)tt_event_due(p, slot);
    return *unit != TT_NONE || *slot != TT_NONE;
}
