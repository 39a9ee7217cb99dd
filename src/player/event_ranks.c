/* SPDX-License-Identifier: MIT */
/* Events of several ranks: each decides for its own units, and states at the
 * end of a microstep what the others cannot know. */
#include <string.h>

#include "player/event_impl.h"
#include "player/ranks.h"

/* What a rank sends: this, then a note for each of its units and, behind it,
 * when its clocks tick, in their order; ranks that have fewer than others send
 * as many. */
struct head {
    uint32_t at;    /* behind which operation it found `due` */
    uint32_t due;   /* TT_NONE: none */
    uint32_t ender; /* as in struct tt_events */
    uint32_t unused;
};

struct note {
    double next, tick;
    uint64_t again;
};

static size_t note_size(const tt_part *p, uint32_t unit)
{
    return sizeof(struct note) +
           p->plan->unit[unit].n_clock * sizeof(struct tt_tick);
}

static size_t size_of(const tt_part *p)
{
    size_t most = 0;

    for (uint32_t r = 0; r < p->ranks->link->n; r++) {
        size_t n = 0;

        for (uint32_t u = 0; u < p->plan->n_unit; u++)
            n += p->score->owner[u] == r ? note_size(p, u) : 0;
        most = n > most ? n : most;
    }
    return sizeof(struct head) + most;
}

static struct tt_tick *ticks_of(const tt_part *p, uint32_t unit)
{
    return tt_events_tick(p->events) + p->plan->unit[unit].clock;
}

enum tt_code tt_ranks_note_events(tt_part *p, tt_err *err)
{
    struct tt_ranks_play *r = p->ranks;

    r->due = TT_NONE;
    r->n_note = size_of(p);
    r->notes = tt_zalloc(r->link->n + 1, r->n_note);
    return r->notes ? TT_OK : tt_part_nomem(err);
}

static struct head *notes_of(const struct tt_ranks_play *r, uint32_t rank)
{
    return (struct head *)(void *)(r->notes + rank * r->n_note);
}

static void write_notes(tt_part *p, struct head *h)
{
    struct tt_events *e = p->events;
    char *at = (char *)(h + 1);

    h->at = tt_event_due(p, &h->due);
    h->ender = e->ender;
    for (uint32_t u = 0; u < p->plan->n_unit; u++)
        if (!tt_ranks_away(p, u)) {
            struct note note = {
                tt_events_next(e, u),
                tt_events_next(e, e->n_unit + e->n_clock + u),
                (uint64_t)tt_bits_has(&p->event->set[TT_SET_AGAIN], u)};

            memcpy(at, &note, sizeof(note));
            memcpy(at + sizeof(note), ticks_of(p, u),
                   note_size(p, u) - sizeof(note));
            at += note_size(p, u);
        }
}

/* The first in the order of the score, as one that plays alone finds it. */
static void take_head(const tt_part *p, const struct head *h, uint32_t *at)
{
    struct tt_events *e = p->events;

    if (h->due != TT_NONE && h->at < *at) {
        *at = h->at;
        p->ranks->due = h->due;
    }
    if (h->ender && (!e->ender || h->ender < e->ender))
        e->ender = h->ender;
}

static void take_notes(const tt_part *p, uint32_t rank, const struct head *h)
{
    struct tt_events *e = p->events;
    const char *at = (const char *)(h + 1);

    for (uint32_t u = 0; u < p->plan->n_unit; u++)
        if (p->score->owner[u] == rank) {
            struct note note;

            memcpy(&note, at, sizeof(note));
            tt_events_set_next(e, u, note.next);
            tt_events_set_next(e, e->n_unit + e->n_clock + u, note.tick);
            if (note.again)
                tt_bits_add(&p->event->set[TT_SET_AGAIN], u);
            else
                tt_bits_drop(&p->event->set[TT_SET_AGAIN], u);
            memcpy(ticks_of(p, u), at + sizeof(note),
                   note_size(p, u) - sizeof(note));
            for (uint32_t k = 0; k < p->plan->unit[u].n_clock; k++)
                tt_event_note_clock(p, p->plan->unit[u].clock + k);
            at += note_size(p, u);
        }
}

static TT_COLD enum tt_code share(tt_part *p, tt_err *err)
{
    struct tt_ranks_play *r = p->ranks;
    uint32_t at = TT_NONE;
    enum tt_code rc;

    write_notes(p, notes_of(r, r->link->n));
    rc = r->link->ops->gather(r->link, notes_of(r, r->link->n), r->n_note,
                              r->notes, err);
    if (rc != TT_OK)
        return rc;
    r->due = TT_NONE;
    for (uint32_t rank = 0; rank < r->link->n; rank++) {
        take_head(p, notes_of(r, rank), &at);
        take_notes(p, rank, notes_of(r, rank));
    }
    return TT_OK;
}

/* Between all microsteps: alone it is next to nothing. */
enum tt_code tt_part_event_share(tt_part *p, tt_err *err)
{
    return p->ranks ? share(p, err) : TT_OK;
}
