/* SPDX-License-Identifier: MIT */
/* Two lists of events: the same ones in the same order, up to the first pair
 * that does not agree. */
#include <math.h>
#include <string.h>

#include "base/brief.h"
#include "results/compare_impl.h"
#include "results/eventlist.h"
#include "results/pattern.h"

struct cursor {
    struct tt_eventlist list;
    size_t row;
};

/* On to an event that is chosen; 0: there is no more. */
static int find(struct cursor *c, const struct tt_compare_opts *o)
{
    while (c->row < tt_table_rows(c->list.table) &&
           !tt_pattern_any(o->pattern, o->n_pattern, c->list.signal[c->row]))
        c->row++;
    return c->row < tt_table_rows(c->list.table);
}

static size_t count(struct cursor c, const struct tt_compare_opts *o)
{
    size_t n = 0;

    for (c.row = 0; find(&c, o); c.row++)
        n++;
    return n;
}

static int agree(struct tt_compare *c, const struct cursor *a,
                 const struct cursor *b, double time_tol)
{
    double ta = tt_table_time(a->list.table)[a->row];
    double tb = tt_table_time(b->list.table)[b->row];
    double x = tt_eventlist_number(&a->list, a->row);
    double y = tt_eventlist_number(&b->list, b->row), late, d;
    char na[TT_NUM_MAX], nb[TT_NUM_MAX];

    if (compare_excess(c, ta, tb, &late) > 0 &&
        !compare_same_time(ta, tb, time_tol))
        return 0;
    if (tt_eventlist_microstep(&a->list, a->row) !=
            tt_eventlist_microstep(&b->list, b->row) ||
        strcmp(a->list.signal[a->row], b->list.signal[b->row]) != 0)
        return 0;
    if (isnan(x) || isnan(y)) {
        if (strcmp(tt_eventlist_value(&a->list, a->row, na),
                   tt_eventlist_value(&b->list, b->row, nb)) != 0)
            return 0;
    } else if (compare_excess(c, x, y, &d) > 0) {
        return 0;
    }
    c->events->max_late = fmax(c->events->max_late, late);
    return 1;
}

static void add_names(struct tt_brief *b, const struct tt_eventlist *list)
{
    for (size_t i = 0; i < tt_table_rows(list->table); i++)
        tt_brief_add(b, list->signal[i]);
}

static int note(struct tt_compare_event *e, const struct cursor *c,
                const struct tt_brief *brief, tt_arena *arena)
{
    char number[TT_NUM_MAX];

    if (c->row >= tt_table_rows(c->list.table))
        return 1;
    *e = (struct tt_compare_event){
        .signal = c->list.signal[c->row],
        .name = tt_brief_name(brief, c->list.signal[c->row]),
        .value = tt_arena_strdup(arena,
                                 tt_eventlist_value(&c->list, c->row, number)),
        .t = tt_table_time(c->list.table)[c->row],
        .microstep = tt_eventlist_microstep(&c->list, c->row),
        .line = c->row + 1};
    return e->value != NULL;
}

/* Where the lists part: the event of each, by names that are short where both
 * lists allow it. */
static enum tt_code note_both(struct tt_compare *c, const struct cursor *a,
                              const struct cursor *b, tt_err *err)
{
    struct tt_brief brief;
    int ok;

    tt_brief_init(&brief);
    add_names(&brief, &a->list);
    add_names(&brief, &b->list);
    ok = note(&c->events->a, a, &brief, c->arena) &&
         note(&c->events->b, b, &brief, c->arena);
    tt_brief_fini(&brief);
    return ok ? TT_OK : tt_fail(err, TT_ENOMEM, "comparing events");
}

static enum tt_code walk(struct tt_compare *c, struct cursor *a,
                         struct cursor *b, const struct tt_compare_opts *o,
                         tt_err *err)
{
    double tol = compare_time_tol(o);
    int more_a, more_b;

    c->rows_a = count(*a, o);
    c->rows_b = count(*b, o);
    if (o->n_pattern && c->rows_a + c->rows_b == 0)
        return tt_fail(err, TT_EINPUT, "%s: there is no event of '%s'%s",
                       c->file_b, o->pattern[0],
                       o->n_pattern > 1 ? " or the others" : "");
    for (;;) {
        more_a = find(a, o);
        more_b = find(b, o);
        if (!more_a || !more_b || !agree(c, a, b, tol))
            break;
        c->pairs++;
        a->row++;
        b->row++;
    }
    c->same = !more_a && !more_b;
    return c->same ? TT_OK : note_both(c, a, b, err);
}

static enum tt_code check(const tt_table *a, const tt_table *b,
                          const struct tt_compare_opts *o, tt_err *err)
{
    const tt_table *list = tt_eventlist_is(a) ? a : b;
    const tt_table *other = list == a ? b : a;

    if (!tt_eventlist_is(other))
        return tt_fail(err, TT_EINPUT,
                       "%s is a list of events, and %s is none: they cannot be "
                       "compared",
                       tt_table_file(list), tt_table_file(other));
    if (o->interpolate)
        return tt_fail(err, TT_EINPUT,
                       "%s is a list of events, and between them there is "
                       "nothing to interpolate",
                       tt_table_file(list));
    return TT_OK;
}

enum tt_code compare_events(struct tt_compare *out, const tt_table *a,
                            const tt_table *b, const struct tt_compare_opts *o,
                            tt_err *err)
{
    struct tt_compare c = {.file_a = tt_table_file(a),
                           .file_b = tt_table_file(b),
                           .atol = o->atol,
                           .rtol = o->rtol};
    struct cursor left = {0}, right = {0};
    enum tt_code rc = check(a, b, o, err);

    if (rc != TT_OK)
        return rc;
    c.arena = tt_arena_new();
    if (!c.arena || !TT_NEW_IN(c.arena, c.events, 1))
        rc = tt_fail(err, TT_ENOMEM, "comparing events");
    if (rc == TT_OK)
        rc = tt_eventlist_read(&left.list, a, c.arena, err);
    if (rc == TT_OK)
        rc = tt_eventlist_read(&right.list, b, c.arena, err);
    if (rc == TT_OK)
        rc = walk(&c, &left, &right, o, err);
    if (rc != TT_OK)
        tt_compare_fini(&c);
    else
        *out = c;
    return rc;
}

/* --- words ---------------------------------------------------------------- */

static void put_event(struct tt_buf *b, const char *file,
                      const struct tt_compare_event *e)
{
    char t[TT_NUM_MAX], n[TT_NUM_MAX];

    if (!e->signal) {
        tt_buf_fmt(b, "  %s  has ended\n", file);
        return;
    }
    tt_num_print_short(t, e->t);
    tt_num_print_short(n, e->microstep);
    tt_buf_fmt(b, "  %s  event %zu: t=%s s, microstep %s, %s = %s\n", file,
               e->line, t, n, e->name, e->value);
}

void compare_events_text(struct tt_buf *b, const struct tt_compare *c)
{
    char late[TT_NUM_MAX];

    if (c->same) {
        tt_num_print_digits(late, c->events->max_late, 3);
        tt_buf_fmt(b, "same: %zu of %zu events agree ", c->pairs, c->rows_b);
        compare_tolerance(b, c);
        tt_buf_fmt(b, ", their times to %s s\n", late);
        return;
    }
    tt_buf_fmt(b, "the first %zu events agree, then\n", c->pairs);
    put_event(b, c->file_a, &c->events->a);
    put_event(b, c->file_b, &c->events->b);
    tt_buf_fmt(b, "different: %zu and %zu events, not the same ", c->rows_a,
               c->rows_b);
    compare_tolerance(b, c);
    tt_buf_char(b, '\n');
}

static void json_event(struct tt_buf *b, const char *key,
                       const struct tt_compare_event *e)
{
    tt_buf_fmt(b, ",\"%s\":", key);
    if (!e->signal) {
        tt_buf_str(b, "null");
        return;
    }
    tt_buf_fmt(b, "{\"event\":%zu", e->line);
    compare_json_number(b, "time", e->t);
    compare_json_number(b, "microstep", e->microstep);
    tt_json_text(b, ",\"signal\":", e->signal);
    tt_json_text(b, ",\"value\":", e->value);
    tt_buf_char(b, '}');
}

void compare_events_json(struct tt_buf *b, const struct tt_compare *c)
{
    tt_buf_fmt(b, ",\"events\":{\"a\":%zu,\"b\":%zu,\"agree\":%zu", c->rows_a,
               c->rows_b, c->pairs);
    compare_json_number(b, "maxLate", c->events->max_late);
    if (!c->same) {
        json_event(b, "firstA", &c->events->a);
        json_event(b, "firstB", &c->events->b);
    }
    tt_buf_str(b, "}}\n");
}
