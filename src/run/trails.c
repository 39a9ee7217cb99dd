/* SPDX-License-Identifier: MIT */
/* Values that units note within their steps: rows of results, and where watched
 * values cross zero.
 *
 * When a step stands, the rows of all units that have some are merged in the
 * order of time and given to the observers before the row of its end. For them
 * columns show an image instead of the frame, which has the values of the end
 * already: what is not continuous holds the values of the last row, and what is
 * continuous but was not noted at this time is absent. On several ranks all
 * rows go to all, and one shows them. Those of a run inside a unit go to that
 * unit's trail. */
#include <math.h>
#include <string.h>

#include "base/lists.h"
#include "base/num.h"
#include "run/run_impl.h"
#include "step/policy.h"

struct source { /* a unit that notes */
    uint32_t unit;
    uint32_t *port; /* owned */
    uint32_t n_port;
    struct tt_trail_rows rows;
    size_t at;    /* the next of them */
    double *room; /* owned: rows that came from another rank */
    size_t cap;
};

struct cell { /* a column or a watched value that is an element of its rows */
    uint32_t source;
    uint32_t to;      /* which column, watched value or element for a host */
    uint32_t element; /* of the row */
};

struct tt_trails {
    struct source *source; /* owned */
    uint32_t n_source;
    int gathered; /* their rows are those of the step under way */
    int warned;
    /* of watched values */
    struct cell *seen; /* owned */
    uint32_t n_seen;
    struct tt_policy_inside inside;
    double *time, *value; /* owned: its arrays */
    size_t cap;           /* rows of them */
    /* of columns, if they are recorded */
    int records;
    struct cell *cell; /* owned */
    uint32_t n_cell;
    struct tt_shown {
        const void *from; /* in the frame */
        char *to;         /* in the image */
    } * shown;            /* owned, per column */
    char *image;          /* owned: values of all columns */
    uint8_t *present;     /* owned, per column */
    uint8_t between;      /* value of the last column: 1 within a step */
};

/* --- what is noted ------------------------------------------------------- */

static int is_noted(const tt_run *r, uint32_t slot)
{
    const struct tt_port *p = tt_plan_port(r->plan, slot);

    return p->trail_ok && p->type == TT_F64;
}

static struct source *source_of(struct tt_trails *t, uint32_t unit)
{
    for (uint32_t i = 0; i < t->n_source; i++)
        if (t->source[i].unit == unit)
            return &t->source[i];
    t->source[t->n_source].unit = unit;
    return &t->source[t->n_source++];
}

/* Of an array a column each is recorded, and the port noted once. */
static int add_port(struct source *s, uint32_t port, uint32_t most)
{
    if (tt_list_has(s->port, s->n_port, port))
        return 0;
    if (!s->port && !TT_NEW_ARRAY(s->port, most))
        return -1;
    s->port[s->n_port++] = port;
    return 0;
}

/* Slots whose values within steps a host wants. */
static uint32_t n_passed(const tt_run *r)
{
    return r->opts.host ? r->opts.host->n_trail : 0;
}

static enum tt_code add_slot(tt_run *r, uint32_t slot, uint32_t *n, tt_err *err)
{
    const struct tt_slot *s = &r->plan->slot[slot];
    uint32_t most =
        r->plan->n_column + r->plan->n_watch + r->plan->n_wave + n_passed(r);

    if (!is_noted(r, slot))
        return TT_OK;
    (*n)++;
    return add_port(source_of(r->trails, s->unit), s->port, most) == 0
               ? TT_OK
               : run_nomem(err);
}

/* By Maestro's rules a crossing is located by the ends of a step alone. */
static int looks_inside(const tt_run *r, uint32_t constraint)
{
    return r->scenario->constraint[constraint].kind ==
               TT_CONSTRAINT_ZERO_CROSSING &&
           !r->plan->dialect;
}

static enum tt_code list_watched(tt_run *r, tt_err *err)
{
    const tt_plan *p = r->plan;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < p->n_constraint; i++)
        for (uint32_t k = 0; looks_inside(r, i) && k < p->watched_by[i].n; k++)
            if (rc == TT_OK)
                rc = add_slot(r, p->watch[p->watched_by[i].at[k]].slot,
                              &r->trails->n_seen, err);
    return rc;
}

static enum tt_code list_sources(tt_run *r, tt_err *err)
{
    const tt_plan *p = r->plan;
    struct tt_trails *t = r->trails;
    enum tt_code rc = TT_OK;

    uint32_t n = 0;

    if (!TT_NEW_ARRAY(t->source, p->n_unit + 1))
        return run_nomem(err);
    for (uint32_t i = 0; i < p->n_wave && rc == TT_OK; i++)
        rc = add_slot(r, p->wave[i].slot, &n, err); /* theirs come first */
    for (uint32_t i = 0; i < n_passed(r) && rc == TT_OK; i++)
        rc = add_slot(r, r->opts.host->trail_slot[i], &n, err);
    for (uint32_t i = 0; t->records && i < p->n_column && rc == TT_OK; i++)
        rc = add_slot(r, p->column[i].slot, &t->n_cell, err);
    return rc == TT_OK && !r->opts.link ? list_watched(r, err) : rc;
}

static void drop(tt_run *r)
{
    struct tt_trails *t = r->trails;

    if (!t)
        return;
    for (uint32_t i = 0; i < t->n_source; i++)
        TT_FREE_ALL(t->source[i].port, t->source[i].room);
    TT_FREE_ALL(t->source, t->cell, t->seen, t->time, t->value, t->shown,
                t->image, t->present, t);
    r->trails = NULL;
}

/* Ports of a source that are in columns. */
static uint32_t recorded(const tt_run *r, const struct source *s)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < s->n_port; i++) {
        uint32_t c = 0;

        while (c < r->plan->n_column &&
               (r->plan->slot[r->plan->column[c].slot].unit != s->unit ||
                r->plan->slot[r->plan->column[c].slot].port != s->port[i]))
            c++;
        n += c < r->plan->n_column;
    }
    return n;
}

static void report(tt_run *r)
{
    struct tt_trails *t = r->trails;

    for (uint32_t i = 0; t->n_cell && i < t->n_source; i++) {
        uint32_t n = recorded(r, &t->source[i]);

        if (n)
            run_note(r, "record", "%s: %u output%s also within steps",
                     r->plan->unit[t->source[i].unit].name, (unsigned)n,
                     n == 1 ? "" : "s");
    }
    if (t->n_seen)
        run_note(r, "steps",
                 "zero crossings of %u watched value%s are looked "
                 "for within steps, too",
                 (unsigned)t->n_seen, t->n_seen == 1 ? "" : "s");
    if (t->records && t->n_cell == 0)
        tt_log(r->opts.log, TT_LOG_WARN,
               "values within steps are to be recorded, but no recorded "
               "variable has any");
}

/* Ranks exchange values of communication points. */
static enum tt_code refuse_waves(const tt_run *r, tt_err *err)
{
    const struct tt_plan *p = r->plan;
    char name[512];
    uint32_t c = 0;

    while (p->course[c].wave == TT_NONE)
        c++;
    return tt_fail(err, TT_EUNSUPPORTED,
                   "input '%s' is to follow what its source does within steps "
                   "(approximation 'waveform'), which several ranks cannot",
                   tt_plan_slot_name(p, p->course[c].slot, name, sizeof(name)));
}

static enum tt_code make(tt_run *r, int *wanted, tt_err *err)
{
    enum tt_code rc;

    (void)wanted; /* there are no hooks */
    if (r->opts.host && !r->plan->n_wave && !n_passed(r))
        return TT_OK;
    if (r->opts.link && r->plan->n_wave)
        return refuse_waves(r, err);
    if (!TT_NEW(r->trails))
        return run_nomem(err);
    /* one rank shows what all have noted */
    r->trails->records = !r->opts.host && r->scenario->intermediate &&
                         (r->opts.n_observer || r->opts.link);
    rc = list_sources(r, err);
    if (rc != TT_OK)
        return rc;
    report(r);
    r->trails->records = r->trails->n_cell > 0;
    if (r->trails->n_source == 0)
        drop(r);
    return TT_OK;
}

const uint32_t *run_trail_ports(const tt_run *r, uint32_t unit, uint32_t *n)
{
    const struct tt_trails *t = r->trails;

    *n = 0;
    for (uint32_t i = 0; t && i < t->n_source; i++)
        if (t->source[i].unit == unit) {
            *n = t->source[i].n_port;
            return t->source[i].port;
        }
    return NULL;
}

int run_trail_is_fine(const tt_run *r, uint32_t unit)
{
    const tt_plan *p = r->plan;

    for (uint32_t i = 0; i < p->n_wave; i++)
        if (p->slot[p->wave[i].slot].unit == unit)
            return 1;
    for (uint32_t i = 0; i < n_passed(r) && r->opts.host->trail_fine; i++)
        if (p->slot[r->opts.host->trail_slot[i]].unit == unit)
            return 1;
    return 0;
}

int run_takes_trails(const tt_run *r)
{
    return r->trails &&
           (r->trails->records || r->trails->n_seen || n_passed(r));
}

/* --- columns ------------------------------------------------------------- */

/* Which element of a row of its source this one of a slot is. Sizes of ports
 * are final now. */
static struct cell cell_of(tt_run *r, uint32_t slot, uint32_t element,
                           uint32_t to)
{
    const struct tt_slot *is = &r->plan->slot[slot];
    const struct source *s = source_of(r->trails, is->unit);
    uint32_t k = 0;

    while (s->port[k] != is->port)
        k++;
    return (struct cell){.source = (uint32_t)(s - r->trails->source),
                         .to = to,
                         .element = (uint32_t)tt_desc_elements(
                                        r->unit[is->unit]->desc, s->port, k) +
                                    element};
}

static void list_cells(tt_run *r)
{
    const tt_plan *p = r->plan;
    struct tt_trails *t = r->trails;

    t->n_cell = 0;
    for (uint32_t i = 0; i < p->n_column; i++)
        if (is_noted(r, p->column[i].slot))
            t->cell[t->n_cell++] =
                cell_of(r, p->column[i].slot, p->column[i].element, i);
}

static int may_be_absent(const struct tt_column *c)
{
    return !c->discrete && tt_type_is_float(c->type);
}

/* The column behind all others states which rows are which. */
enum tt_code run_trail_columns(tt_run *r, tt_err *err)
{
    struct tt_trails *t = r->trails;
    size_t size = 0, at = 0;

    if (!t->records)
        return TT_OK;
    for (uint32_t i = 0; i < r->rows.n; i++)
        size += tt_type_size(r->column[i].type);
    if (!TT_NEW_ARRAY(t->cell, t->n_cell) ||
        !TT_NEW_ARRAY(t->shown, r->rows.n) || !TT_NEW_ARRAY(t->image, size) ||
        !TT_NEW_ARRAY(t->present, r->rows.n))
        return run_nomem(err);
    list_cells(r);
    for (uint32_t i = 0; i < r->rows.n; i++) {
        struct tt_column *c = &r->column[i];

        t->shown[i] = (struct tt_shown){c->value, t->image + at};
        c->value = t->image + at;
        at += tt_type_size(c->type);
        if (may_be_absent(c))
            c->present = &t->present[i];
    }
    r->column[r->rows.n++] = (struct tt_column){.name = "intermediate",
                                                .type = TT_BOOL,
                                                .value = &t->between,
                                                .discrete = 1};
    return TT_OK;
}

/* --- rows ---------------------------------------------------------------- */

void run_trail_row(tt_run *r)
{
    struct tt_trails *t = r->trails;

    if (!t->shown)
        return;
    for (uint32_t i = 0; i + 1 < r->rows.n; i++)
        memcpy(t->shown[i].to, t->shown[i].from,
               tt_type_size(r->column[i].type));
    memset(t->present, 1, r->rows.n - 1);
    t->between = 0;
}

static void warn_lost(tt_run *r, const struct source *s)
{
    char t[TT_NUM_MAX];

    r->trails->warned = 1;
    tt_num_print_short(t, r->now->t[TT_T1]);
    tt_log(r->opts.log, TT_LOG_WARN,
           "instance '%s' notes more within the step to t=%s than there is "
           "room for: %llu rows are missing (reported once)",
           r->plan->unit[s->unit].name, t, (unsigned long long)s->rows.lost);
}

/* Rows at t0 and before were given away, t1 has a row of its own. A unit that
 * has not stepped since it was asked has no others. */
static enum tt_code take(tt_run *r, struct source *s, double t0, double t1,
                         tt_err *err)
{
    struct tt_trail_rows rows;
    enum tt_code rc = tt_unit_trail(r->unit[s->unit], 0, &rows, err);

    if (rc != TT_OK)
        return rc;
    if (rows.n || !r->trails->gathered)
        s->rows = rows;
    if (s->rows.lost && !r->trails->warned)
        warn_lost(r, s);
    s->at = 0;
    while (s->at < s->rows.n && !(s->rows.time[s->at] > t0))
        s->at++;
    while (s->rows.n > s->at && !(s->rows.time[s->rows.n - 1] < t1))
        s->rows.n--;
    return TT_OK;
}

/* --- of another rank ----------------------------------------------------- */

/* The owner's words, if it has none to give. */
struct head {
    int32_t code;
    uint32_t unused;
    uint64_t n, lost;
};

static enum tt_code make_rows(struct source *s, uint64_t n, size_t width,
                              tt_err *err)
{
    size_t row = (width + 1) * sizeof(double);
    double *room = s->room;

    if (n > TT_TRAIL_MAX_BYTES / row)
        return tt_fail(err, TT_EIO, "%llu rows within a step",
                       (unsigned long long)n);
    if (n > s->cap) {
        room = tt_resize(s->room, (size_t)n, row);
        if (!room)
            return run_nomem(err);
        s->room = room;
        s->cap = (size_t)n;
    }
    return TT_OK;
}

/* What is left of the owner's rows, where all have room for it. */
static void lay_out(struct source *s, const struct head *h, size_t width)
{
    double *value = s->room + h->n;

    if (s->rows.n && h->n) {
        memcpy(s->room, s->rows.time + s->at, (size_t)h->n * sizeof(*s->room));
        memcpy(value, s->rows.value + s->at * s->rows.width,
               (size_t)h->n * width * sizeof(*value));
    }
    s->rows = (struct tt_trail_rows){.n = (size_t)h->n,
                                     .width = width,
                                     .time = s->room,
                                     .value = value,
                                     .lost = h->lost};
    s->at = 0;
}

/* From the rank that has the unit to all. */
static enum tt_code take_shared(tt_run *r, struct source *s, double t0,
                                double t1, tt_err *err)
{
    tt_link *link = r->opts.link;
    uint32_t owner = r->score->owner[s->unit];
    size_t width = tt_desc_elements(r->unit[s->unit]->desc, s->port, s->n_port);
    tt_err words = {.msg = ""};
    struct head h = {.code = TT_OK};
    enum tt_code rc = TT_OK;

    s->rows = (struct tt_trail_rows){.n = 0};
    s->at = 0;
    if (owner == link->rank) {
        h.code = (int32_t)take(r, s, t0, t1, &words);
        h.n = s->rows.n - s->at;
        h.lost = s->rows.lost;
    }
    rc = link->ops->share(link, owner, &h, sizeof(h), err);
    if (rc == TT_OK && h.code != TT_OK)
        rc = link->ops->share(link, owner, words.msg, sizeof(words.msg), err);
    if (rc != TT_OK || h.code != TT_OK)
        return rc != TT_OK
                   ? rc
                   : tt_fail(err, (enum tt_code)h.code, "%s", words.msg);
    if (h.n == 0) {
        s->rows.n = 0;
        return TT_OK;
    }
    rc = run_agree(r, make_rows(s, h.n, width, err), err);
    if (rc != TT_OK)
        return rc;
    lay_out(s, &h, width);
    return link->ops->share(link, owner, s->room,
                            (size_t)h.n * (width + 1) * sizeof(double), err);
}

static enum tt_code gather(tt_run *r, double t0, double t1, tt_err *err)
{
    struct tt_trails *t = r->trails;
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < t->n_source && rc == TT_OK; i++)
        rc = r->opts.link ? take_shared(r, &t->source[i], t0, t1, err)
                          : take(r, &t->source[i], t0, t1, err);
    t->gathered = rc == TT_OK;
    run_between_calls(r);
    return rc;
}

/* The earliest of the rows that are left; +inf: there is none. */
static double next_time(const struct tt_trails *t)
{
    double next = (double)INFINITY;

    for (uint32_t i = 0; i < t->n_source; i++) {
        const struct source *s = &t->source[i];

        if (s->at < s->rows.n)
            next = fmin(next, s->rows.time[s->at]);
    }
    return next;
}

static int has_row_at(const struct source *s, double time)
{
    return s->at < s->rows.n && s->rows.time[s->at] == time;
}

/* The value of a cell in the row of this time; NULL: it has none. */
static const double *value_at(const struct tt_trails *t, const struct cell *c,
                              double time)
{
    const struct source *s = &t->source[c->source];
    const double *v;

    if (!has_row_at(s, time))
        return NULL;
    v = s->rows.value + s->at * s->rows.width + c->element;
    return isnan(*v) ? NULL : v;
}

static void pass(struct tt_trails *t, double time)
{
    for (uint32_t i = 0; i < t->n_source; i++)
        t->source[i].at += has_row_at(&t->source[i], time) != 0;
}

static enum tt_code show(tt_run *r, double time, tt_err *err)
{
    struct tt_trails *t = r->trails;

    memset(t->present, 0, r->rows.n - 1);
    t->between = 1;
    for (uint32_t i = 0; i < t->n_cell; i++) {
        const double *v = value_at(t, &t->cell[i], time);

        if (!v)
            continue;
        t->present[t->cell[i].to] = 1;
        memcpy(t->shown[t->cell[i].to].to, v, sizeof(*v));
    }
    pass(t, time);
    return run_give_row(r, (struct tt_instant){time, 0}, 0, err);
}

enum tt_code run_show_trails(tt_run *r, tt_err *err)
{
    struct tt_trails *t = r->trails;
    enum tt_code rc = TT_OK;
    double time;

    if (!t->records)
        return TT_OK;
    if (!t->gathered)
        rc = gather(r, r->now->t[TT_T0], r->now->t[TT_T1], err);
    while (rc == TT_OK && t->shown && (time = next_time(t)) < (double)INFINITY)
        rc = show(r, time, err);
    t->gathered = 0;
    return rc;
}

/* --- of a guest ---------------------------------------------------------- */

static enum tt_code list_passed(tt_run *r, tt_err *err)
{
    const struct tt_run_host *host = r->opts.host;
    struct tt_trails *t = r->trails;
    uint32_t to = 0;

    if (t->cell)
        return TT_OK;
    if (!TT_NEW_ARRAY(t->cell, tt_trail_width(host->trail) + 1))
        return run_nomem(err);
    for (uint32_t i = 0; i < host->n_trail; i++)
        for (uint32_t e = 0; e < r->plan->slot[host->trail_slot[i]].n; e++) {
            t->cell[t->n_cell++] = cell_of(r, host->trail_slot[i], e, to);
            to++;
        }
    return TT_OK;
}

static void pass_row(tt_run *r, double time)
{
    struct tt_trails *t = r->trails;
    double *row = tt_trail_add(r->opts.host->trail, time);

    for (uint32_t i = 0; row && i < t->n_cell; i++) {
        const double *v = value_at(t, &t->cell[i], time);

        row[t->cell[i].to] = v ? *v : (double)NAN;
    }
    pass(t, time);
}

/* At the end of a step inside all are known. */
static void pass_end(tt_run *r)
{
    const struct tt_run_host *host = r->opts.host;
    double *row = tt_trail_add(host->trail, r->now->t[TT_T1]);

    for (uint32_t i = 0; row && i < host->n_trail; i++) {
        uint32_t slot = host->trail_slot[i], n = r->plan->slot[slot].n;

        memcpy(row, tt_part_value(r->part, slot), n * sizeof(*row));
        row += n;
    }
}

enum tt_code run_pass_trails(tt_run *r, tt_err *err)
{
    struct tt_trails *t = r->trails;
    enum tt_code rc;
    double time;

    if (!n_passed(r))
        return TT_OK;
    rc = list_passed(r, err);
    if (rc == TT_OK && !t->gathered)
        rc = gather(r, r->now->t[TT_T0], r->now->t[TT_T1], err);
    while (rc == TT_OK && (time = next_time(t)) < (double)INFINITY)
        pass_row(r, time);
    if (rc == TT_OK)
        pass_end(r);
    t->gathered = 0;
    return rc;
}

/* --- watched values ------------------------------------------------------ */

static enum tt_code list_seen(tt_run *r, tt_err *err)
{
    const tt_plan *p = r->plan;
    struct tt_trails *t = r->trails;
    uint32_t n = 0;

    if (t->seen)
        return TT_OK;
    if (!TT_NEW_ARRAY(t->seen, t->n_seen))
        return run_nomem(err);
    for (uint32_t i = 0; i < p->n_constraint; i++)
        for (uint32_t k = 0; looks_inside(r, i) && k < p->watched_by[i].n;
             k++) {
            uint32_t w = p->watched_by[i].at[k];

            if (is_noted(r, p->watch[w].slot))
                t->seen[n++] =
                    cell_of(r, p->watch[w].slot, p->watch[w].element, w);
        }
    return TT_OK;
}

static int make_room(struct tt_trails *t, uint32_t width)
{
    size_t cap = t->cap ? 2 * t->cap : 64;
    double *time, *value;

    if (t->inside.n < t->cap)
        return 0;
    time = tt_resize(t->time, cap, sizeof(*time));
    t->time = time ? time : t->time;
    value = time ? tt_resize(t->value, cap * width, sizeof(*value)) : NULL;
    t->value = value ? value : t->value;
    t->cap = value ? cap : t->cap;
    return value ? 0 : -1;
}

/* What is not continuous, as a limit that is a parameter, is v0 throughout. */
static enum tt_code add_inside(tt_run *r, double time, const double *v0,
                               tt_err *err)
{
    const tt_plan *p = r->plan;
    struct tt_trails *t = r->trails;
    uint32_t width = p->n_watch;
    double *row;

    if (make_room(t, width) != 0)
        return run_nomem(err);
    t->time[t->inside.n] = time;
    row = t->value + (size_t)t->inside.n++ * width;
    for (uint32_t i = 0; i < width; i++)
        row[i] =
            tt_plan_port(p, p->watch[i].slot)->variability == TT_VAR_CONTINUOUS
                ? (double)NAN
                : v0[i];
    for (uint32_t i = 0; i < t->n_seen; i++) {
        const double *v = value_at(t, &t->seen[i], time);

        if (v)
            row[t->seen[i].to] = *v;
    }
    pass(t, time);
    return TT_OK;
}

static void rewind_rows(struct tt_trails *t, double t0)
{
    for (uint32_t i = 0; i < t->n_source; i++) {
        struct source *s = &t->source[i];

        s->at = 0;
        while (s->at < s->rows.n && !(s->rows.time[s->at] > t0))
            s->at++;
    }
}

enum tt_code run_look_inside(tt_run *r, double t0, double t1, const double *v0,
                             const struct tt_policy_inside **inside,
                             tt_err *err)
{
    struct tt_trails *t = r->trails;
    enum tt_code rc;
    double time;

    *inside = NULL;
    if (!t || !t->n_seen)
        return TT_OK;
    rc = list_seen(r, err);
    if (rc == TT_OK)
        rc = gather(r, t0, t1, err);
    t->inside.n = 0;
    while (rc == TT_OK && (time = next_time(t)) < (double)INFINITY)
        rc = add_inside(r, time, v0, err);
    rewind_rows(t, t0);
    t->inside.t = t->time;
    t->inside.v = t->value;
    *inside = &t->inside;
    return rc;
}

void run_forget_inside(tt_run *r)
{
    if (r->trails)
        r->trails->gathered = 0;
}

const struct run_companion run_trails_companion = {
    .make = make,
    .free = drop,
};
