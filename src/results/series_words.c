/* SPDX-License-Identifier: MIT */
/* Series of texts, and of events in a list. */
#include <math.h>
#include <string.h>

#include "results/eventlist.h"
#include "results/pattern.h"
#include "results/series_impl.h"

/* --- texts ---------------------------------------------------------------- */

const char *const *series_words(const tt_table *t, uint32_t column,
                                tt_arena *arena)
{
    size_t n = tt_table_rows(t);
    const char **word = tt_arena_alloc(arena, n, sizeof(*word));

    for (size_t i = 0; word && i < n; i++) {
        const char *text = tt_table_text(t, column, i);

        word[i] = *text ? text : NULL;
    }
    return word;
}

static size_t find_word(const struct tt_panel *p, const char *word)
{
    size_t k = 0;

    while (k < p->n_word && strcmp(p->word[k], word) != 0)
        k++;
    return k;
}

size_t tt_panel_word(const struct tt_panel *p, const char *word)
{
    size_t k = find_word(p, word);

    return k < p->n_word ? k : 0;
}

int tt_panel_is_bands(const struct tt_panel *p)
{
    return p->n > 0 && p->series[0].word != NULL;
}

static int add_word(struct tt_panel *p, const char **list, const char *word)
{
    if (!word || find_word(p, word) < p->n_word)
        return 1;
    if (p->n_word == TT_PANEL_WORDS)
        return 0;
    list[p->n_word++] = word;
    return 1;
}

int series_collect(struct tt_panel *p, tt_arena *arena)
{
    const char **list = tt_arena_alloc(arena, TT_PANEL_WORDS, sizeof(*list));
    int fits = 1;

    if (!list)
        return -1;
    p->word = list;
    for (size_t i = 0; i < p->n; i++)
        for (size_t k = 0; k < p->series[i].n && fits; k++)
            fits = add_word(p, list, p->series[i].word[k]);
    if (!fits)
        p->n_word = 0;
    return 0;
}

int tt_series_span(const struct tt_series *s, size_t i, size_t *end)
{
    size_t before = i;

    if (!s->word[i])
        return 0;
    while (before > 0 && !s->word[before - 1])
        before--;
    if (!s->stems && before > 0 && strcmp(s->word[before - 1], s->word[i]) == 0)
        return 0;
    for (*end = i + 1; *end < s->n; ++*end)
        if (s->word[*end] &&
            (s->stems || strcmp(s->word[*end], s->word[i]) != 0))
            break;
    return 1;
}

/* --- events --------------------------------------------------------------- */

struct points {
    double *t, *y;
    const char **word;
    size_t n;
    int is_text;
};

struct reader {
    struct tt_eventlist list;
    tt_arena *arena;
    struct tt_names number; /* of the signals that are chosen */
    struct tt_series *series;
    struct points *points;
    size_t n;
};

/* How many events each signal has; those that are chosen, by number. */
static int count_events(struct reader *r, const char *const *pattern,
                        size_t n_pattern)
{
    for (size_t i = 0; i < tt_table_rows(r->list.table); i++) {
        const char *signal = r->list.signal[i];
        uint32_t k = tt_names_find(&r->number, signal);

        if (k == TT_NONE && !tt_pattern_any(pattern, n_pattern, signal))
            continue;
        if (k == TT_NONE) {
            k = (uint32_t)r->n++;
            if (tt_names_add(&r->number, signal, k) != 0)
                return -1;
            r->series[k] = (struct tt_series){.full = signal, .stems = 1};
        }
        r->series[k].n++;
    }
    return 0;
}

/* Room for the points of each signal, whose count begins anew. */
static int make_room(struct reader *r)
{
    for (size_t k = 0; k < r->n; k++) {
        struct points *p = &r->points[k];
        size_t n = r->series[k].n;

        if (!TT_NEW_IN(r->arena, p->t, n) || !TT_NEW_IN(r->arena, p->y, n) ||
            !TT_NEW_IN(r->arena, p->word, n))
            return -1;
    }
    return 0;
}

static int take_event(struct reader *r, size_t row, struct points *p)
{
    char number[TT_NUM_MAX];
    const char *value = tt_eventlist_value(&r->list, row, number);

    p->t[p->n] = tt_table_time(r->list.table)[row];
    p->y[p->n] = tt_eventlist_number(&r->list, row);
    p->word[p->n] = tt_arena_strdup(r->arena, value);
    p->is_text |= isnan(p->y[p->n]);
    return p->word[p->n++] ? 0 : -1;
}

/* A signal one of whose values is no number is one of texts. */
static int take_events(struct reader *r)
{
    for (size_t i = 0; i < tt_table_rows(r->list.table); i++) {
        uint32_t k = tt_names_find(&r->number, r->list.signal[i]);

        if (k != TT_NONE && take_event(r, i, &r->points[k]) != 0)
            return -1;
    }
    for (size_t k = 0; k < r->n; k++) {
        const struct points *p = &r->points[k];

        r->series[k].t = p->t;
        r->series[k].y = p->is_text ? NULL : p->y;
        r->series[k].word = p->is_text ? p->word : NULL;
    }
    return 0;
}

enum tt_code series_from_events(struct tt_series **out, size_t *n,
                                const tt_table *t, const char *const *pattern,
                                size_t n_pattern, tt_arena *arena, tt_err *err)
{
    struct reader r = {.arena = arena};
    enum tt_code rc = tt_eventlist_read(&r.list, t, arena, err);

    if (rc != TT_OK)
        return rc;
    tt_names_init(&r.number);
    r.series = tt_arena_alloc(arena, tt_table_rows(t), sizeof(*r.series));
    r.points = tt_arena_alloc(arena, tt_table_rows(t), sizeof(*r.points));
    if (!r.series || !r.points || count_events(&r, pattern, n_pattern) ||
        make_room(&r) || take_events(&r))
        rc = tt_fail(err, TT_ENOMEM, "plot of %s", tt_table_file(t));
    else if (n_pattern && !r.n)
        rc = tt_fail(err, TT_EINPUT, "%s: there is no event of '%s'%s",
                     tt_table_file(t), pattern[0],
                     n_pattern > 1 ? " or the others" : "");
    tt_names_fini(&r.number);
    *out = r.series;
    *n = r.n;
    return rc;
}
