/* SPDX-License-Identifier: MIT */
#ifndef TT_RESULTS_SERIES_H
#define TT_RESULTS_SERIES_H

/* What a plot shows, as inert data: panels, each with a few series over a
 * common time axis. */

#include <stddef.h>
#include <stdint.h>

#include "base/mem.h"
#include "results/curves.h"
#include "table/table.h"

struct tt_series {
    const char *name; /* for the legend */
    const char *full; /* full name, or NULL: the same */
    const char *unit; /* physical unit, or NULL */
    const double *t;  /* s, finite, never goes back; see tt_panel for x-y */
    const double *y;  /* NaN and infinities are gaps */
    const char *const *word; /* texts instead of y, a band for each; NULL: none
                                there */
    size_t n;
    int steps; /* holds its value until the next point */
    int marks; /* single points, not a line */
    int stems; /* values of single instants: a line from zero to each */
};

/* More series than this in one panel cannot be distinguished. */
#define TT_PANEL_SERIES 8u
/* More texts than this cannot either. */
#define TT_PANEL_WORDS  12u

/* An x-y panel has a name for its x axis. There t of a series is its x, which
 * goes where it likes and need not be finite, and `unit` names the y axis. */
struct tt_panel {
    const char *title;  /* or NULL */
    const char *unit;   /* of all series, or NULL */
    const char *x_name; /* or NULL: over time */
    const struct tt_series *series;
    size_t n;
    double from, to; /* s: times to show besides those of the series; from < to,
                        or 0 */

    /* All series have words: the different ones, in the order they appear. None
     * if they are more than TT_PANEL_WORDS. */
    const char *const *word;
    size_t n_word;
};

struct tt_panels {
    tt_arena *arena; /* owned: everything below */
    struct tt_panel *panel;
    size_t n;
};

/* Series that belong together share a panel: the same physical unit (or none),
 * lines, steps or stems, and sizes within a factor of twenty. Stems are columns
 * none of whose values has a neighbour: those of a clock that ticks.
 * by_instance: panels besides hold one instance each ("{k}.i"), which is their
 * title, and series are named after the variable alone. */
TT_NODISCARD enum tt_code tt_panels_from_curves(struct tt_panels *p,
                                                const tt_curves *curves,
                                                int by_instance, tt_err *err);
/* The chosen columns of a table; those of texts have panels of their own.
 * Borrows the values from the table, which must outlive p. */
TT_NODISCARD enum tt_code tt_panels_from_table(struct tt_panels *p,
                                               const tt_table *table,
                                               const uint32_t *column, size_t n,
                                               int by_instance, tt_err *err);
/* Of a list of events (results/eventlist.h) the outputs that the patterns
 * choose, none: all: with a stem for each number and a mark for each text. */
TT_NODISCARD enum tt_code tt_panels_from_events(struct tt_panels *p,
                                                const tt_table *list,
                                                const char *const *pattern,
                                                size_t n_pattern, tt_err *err);
void tt_panels_fini(struct tt_panels *p); /* zeroed is fine */

/* Where the variable begins in "{k}.i.v": behind the second dot, because keys
 * and instances have none. NULL when the name has another form. */
const char *tt_series_variable(const char *name);

/* Least and greatest number of a series; 0 when it has none. */
int tt_series_range(const struct tt_series *s, double *lo, double *hi);
/* The same over all series of a panel, and of their times (or x). */
int tt_panel_range(const struct tt_panel *p, double *lo, double *hi);
int tt_panel_times(const struct tt_panel *p, double *lo, double *hi);
/* Texts over time, a band for each series. */
int tt_panel_is_bands(const struct tt_panel *p);
/* Number of this text among the panel's words; 0 if there are too many. */
size_t tt_panel_word(const struct tt_panel *p, const char *word);
/* Does a text begin at point i? Then *end is the point where another one does,
 * or n: those of events are there for an instant, others until then. */
int tt_series_span(const struct tt_series *s, size_t i, size_t *end);
/* Steps between whole numbers only: no ticks between them. */
int tt_panel_is_whole(const struct tt_panel *p);
/* Whole, and not more than two neighbours: on and off need less height. */
int tt_panel_is_binary(const struct tt_panel *p);

#endif
