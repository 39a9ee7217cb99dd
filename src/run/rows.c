/* SPDX-License-Identifier: MIT */
/* Rows of results, to the observers. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "player/event.h"
#include "run/run_impl.h"

/* --- NaN ---------------------------------------------------------------- */

/* The player lets no NaN pass from unit to unit; what is only recorded it does
 * not look at. */
static int list_looked_at(tt_run *r)
{
    const tt_plan *p = r->plan;

    if (!TT_NEW_ARRAY(r->look, p->n_column) ||
        !TT_NEW_ARRAY(r->texts_at, p->n_column))
        return 0;
    for (uint32_t i = 0; i < p->n_column; i++) {
        const struct tt_slot *s = &p->slot[p->column[i].slot];

        if (s->dir == TT_SLOT_EXTRA && (s->type == TT_F64 || s->type == TT_F32))
            r->look[r->n_look++] = i;
        if (tt_type_is_text(r->column[i].type))
            r->texts_at[r->n_texts_at++] = i;
    }
    return 1;
}

static int is_nan(const struct tt_column *c)
{
    double d;
    float f;

    if (c->type == TT_F64) {
        memcpy(&d, c->value, sizeof(d));
        return isnan(d);
    }
    memcpy(&f, c->value, sizeof(f));
    return isnan(f);
}

/* Reported once: after the first there are mostly more. */
static void report_nan(tt_run *r)
{
    const struct tt_slot *slot;
    char t[TT_NUM_MAX];
    uint32_t i = 0;

    while (i < r->n_look && !is_nan(&r->column[r->look[i]]))
        i++;
    if (i == r->n_look)
        return;
    slot = &r->plan->slot[r->plan->column[r->look[i]].slot];
    tt_num_print_digits(t, r->agenda->t, 12);
    tt_log(r->opts.log, TT_LOG_WARN,
           "instance '%s' gave NaN for '%s' at t=%s; it is recorded as it is",
           r->plan->unit[slot->unit].name, r->column[r->look[i]].name, t);
    r->memory->warned_nan = 1;
}

/* --- rows --------------------------------------------------------------- */

/* Behind all others, if every microstep is a row. */
static uint32_t count_microsteps(tt_run *r)
{
    const struct tt_events *e = tt_part_events(r->part);

    if (!r->opts.microsteps || !e)
        return 0;
    r->column[r->plan->n_column] = (struct tt_column){
        .name = "microstep", .type = TT_U32, .value = &e->n, .discrete = 1};
    return 1;
}

static enum tt_code make_columns(tt_run *r, tt_err *err)
{
    const tt_plan *p = r->plan;
    enum tt_code rc;

    if (!TT_NEW_ARRAY(r->column, p->n_column + 2))
        return run_nomem(err);
    for (uint32_t i = 0; i < p->n_column; i++) {
        uint32_t slot = p->column[i].slot;
        const struct tt_port *port = tt_plan_port(p, slot);
        const char *value = tt_part_value(r->part, slot);

        r->column[i] = (struct tt_column){
            .name = p->column[i].name,
            .unit = port->quantity ? port->quantity->name : NULL,
            .text = port->text,
            .type = port->type,
            .value = value + p->column[i].element * tt_type_size(port->type),
            .discrete = port->variability != TT_VAR_CONTINUOUS,
        };
    }
    if (!list_looked_at(r))
        return run_nomem(err);
    r->rows = (struct tt_rows){.column = r->column,
                               .n = p->n_column + count_microsteps(r),
                               .start = r->experiment.start,
                               .end = r->experiment.end};
    rc = run_presence_columns(r, err);
    return rc == TT_OK && r->trails ? run_trail_columns(r, err) : rc;
}

enum tt_code run_begin_rows(tt_run *r, tt_err *err)
{
    enum tt_code rc = make_columns(r, err);

    for (uint32_t i = 0; i < r->opts.n_observer && rc == TT_OK; i++) {
        rc = tt_observer_begin(r->opts.observer[i], &r->rows, err);
        r->n_begun++;
    }
    return rc;
}

static void report_long(tt_run *r)
{
    char t[TT_NUM_MAX];

    for (uint32_t i = 0; i < r->n_texts_at; i++) {
        const struct tt_column *c = &r->column[r->texts_at[i]];
        const struct tt_text *text = c->value;

        if (!tt_bytes_is_cut(text))
            continue;
        r->memory->warned_long = 1;
        tt_num_print_short(t, r->agenda->t);
        tt_log(r->opts.log, TT_LOG_WARN,
               "'%s' has %u bytes at t=%s: of strings and binaries longer than "
               "%d bytes results have length and SHA-256 (reported once)",
               c->name, (unsigned)text->n, t, TT_TEXT_MAX - 1);
        return;
    }
}

enum tt_code run_row(tt_run *r, double h, tt_err *err)
{
    const struct tt_instant at = {r->agenda->t, run_microstep(r)};

    if (r->trails)
        run_trail_row(r);
    if (r->n_look && !r->memory->warned_nan && r->opts.n_observer)
        report_nan(r);
    if (r->n_texts_at && !r->memory->warned_long && r->opts.n_observer)
        report_long(r);
    return run_give_row(r, at, h, err);
}

/* An observer that asks to stop does not keep the others from this row. */
enum tt_code run_give_row(tt_run *r, struct tt_instant at, double h,
                          tt_err *err)
{
    enum tt_code stop = TT_OK;

    for (uint32_t i = 0; i < r->opts.n_observer; i++) {
        enum tt_code rc = tt_observer_row(r->opts.observer[i], at, h, err);

        if (rc != TT_OK && rc != TT_ESTOPPED)
            return rc;
        if (rc == TT_ESTOPPED)
            stop = rc;
    }
    r->memory->rows++;
    if (stop == TT_ESTOPPED)
        run_want_stop(r);
    return TT_OK;
}

/* Every observer is ended; the first failure is reported. */
enum tt_code run_end_rows(tt_run *r, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; i < r->n_begun; i++) {
        enum tt_code one =
            tt_observer_end(r->opts.observer[i], rc == TT_OK ? err : NULL);

        if (rc == TT_OK)
            rc = one;
    }
    r->n_begun = 0;
    return rc;
}
