/* SPDX-License-Identifier: MIT */
/* A run led by commands: between two steps it looks whether there is one. */
#include <math.h>
#include <stdio.h>

#include "api/variable.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/show.h"
#include "cli/command.h"
#include "cli/control.h"
#include "results/record.h"
#include "sys/clock.h"
#include "sys/capture.h"
#include "sys/tick.h"

/* A time that is missed by less than this, relatively, is reached. */
#define SLACK 1e-9

enum state { RUNNING, PAUSED, STEPPING };

/* A command, its memory, and what is wrong with it. */
struct mail {
    tt_arena *arena; /* owned; NULL: there is none */
    int is_end;      /* of the input: no command */
    struct tt_command cmd;
    tt_err wrong; /* code TT_OK: nothing */
};

struct lead {
    struct tt_lead *l;
    enum state state;
    struct mail step; /* being done, while STEPPING */
    uint64_t left;    /* of its steps */
    int made;         /* one of them, at least */
    struct mail next; /* taken, and not done yet */
    uint64_t paused_at;
};

/* --- answers ---------------------------------------------------------------
 */

static void send(struct tt_buf *b)
{
    tt_buf_str(b, "}\n");
    if (!b->failed)
        tt_tty_write(tt_stdout_fd(), b->data, b->len);
    tt_buf_fini(b);
}

static void begin(struct tt_buf *b, const struct tt_command *cmd)
{
    tt_buf_init(b, TT_SHOW_MAX);
    tt_command_answer(b, cmd);
}

static void answer_error(const struct mail *m, const tt_err *err)
{
    struct tt_buf b;

    begin(&b, &m->cmd);
    tt_json_text(&b, "\"error\":", err->msg);
    send(&b);
}

static const char *state_word(const struct lead *d)
{
    if (*d->l->stop || tt_run_why(d->l->run) == TT_RUN_STOPPED)
        return "stopping";
    if (tt_run_done(d->l->run))
        return "finished";
    return d->state == RUNNING ? "running" : "paused";
}

/* values: the members of an object, or NULL. */
static void answer(const struct lead *d, const struct mail *m,
                   const struct tt_buf *values)
{
    struct tt_buf b;

    begin(&b, &m->cmd);
    tt_buf_fmt(&b, "\"state\":\"%s\",\"time\":", state_word(d));
    tt_show_json_num(&b, tt_run_time(d->l->run));
    if (values) {
        tt_buf_str(&b, ",\"values\":{");
        tt_buf_add(&b, values->data, values->len);
        tt_buf_char(&b, '}');
        b.failed |= values->failed;
    }
    send(&b);
}

/* --- values ----------------------------------------------------------------
 */

static enum tt_code put_value(struct lead *d, struct tt_buf *b,
                              const struct tt_variable *v, void *all,
                              tt_err *err)
{
    enum tt_type type = v->desc->type;
    char *text;

    if (tt_type_is_float(type)) {
        tt_show_json_num(b,
                         tt_value_as_double(type, tt_variable_element(v, all)));
        return TT_OK;
    }
    text = tt_variable_print(d->l->run, v, all, err);
    if (!text)
        return err->code;
    if (tt_type_is_text(type))
        tt_buf_json(b, text);
    else
        tt_buf_str(b, text);
    tt_free(text);
    return b->failed ? tt_fail(err, TT_EUNSUPPORTED,
                               "'%s' is too long for an answer", v->name)
                     : TT_OK;
}

static enum tt_code read_one(struct lead *d, const char *name, struct tt_buf *b,
                             tt_err *err)
{
    struct tt_variable v;
    void *all = NULL;
    enum tt_code rc = tt_variable_find(tt_run_plan(d->l->run), name, &v, err);

    if (rc == TT_OK)
        rc = tt_variable_read(d->l->run, &v, &all, err);
    if (rc == TT_OK) {
        tt_buf_str(b, b->len ? "," : "");
        tt_buf_json(b, name);
        tt_buf_char(b, ':');
        rc = put_value(d, b, &v, all, err);
    }
    tt_free(all);
    return rc;
}

/* An answer with all that is asked for, or an error. */
static void answer_values(struct lead *d, const struct mail *m)
{
    const struct tt_doc *get = m->cmd.get;
    enum tt_code rc = TT_OK;
    struct tt_buf b;
    tt_err err;

    tt_buf_init(&b, TT_SHOW_MAX);
    tt_buf_str(&b, "");
    for (uint32_t i = 0; get && rc == TT_OK && i < get->n; i++)
        rc = read_one(d, get->u.child[i].u.text, &b, &err);
    if (rc == TT_OK)
        answer(d, m, get ? &b : NULL);
    else
        answer_error(m, &err);
    tt_buf_fini(&b);
}

/* An input that is connected would be overwritten before it is read. */
static enum tt_code refuse_connected(const tt_plan *p,
                                     const struct tt_variable *v, tt_err *err)
{
    char from[1024];

    for (uint32_t i = 0; i < p->n_feed; i++) {
        const struct tt_slot *to = &p->slot[p->feed[i].to];

        if (to->unit == v->unit && to->port == v->port)
            return tt_fail(
                err, TT_EINPUT,
                "'%s' cannot be set: it is connected, and follows "
                "'%s'",
                v->name,
                tt_plan_slot_name(p, p->feed[i].from, from, sizeof(from)));
    }
    return TT_OK;
}

static enum tt_code convert(tt_run *r, const struct tt_variable *v,
                            const struct tt_doc *d, void *all, tt_err *err)
{
    void *to = tt_variable_element(v, all);
    int is_text = tt_type_is_text(v->desc->type);
    char number[TT_NUM_MAX] = "";
    struct tt_buf shown;
    int bad = -1;

    if (d->kind == TT_DOC_INTEGER) {
        tt_num_print_i64(number, d->u.integer);
        bad =
            tt_type_is_float(v->desc->type) || tt_type_is_bool(v->desc->type)
                ? tt_value_from_double(v->desc->type, to, (double)d->u.integer)
            : is_text ? -1
                      : tt_value_parse(v->desc->type, to, number);
    } else if (d->kind == TT_DOC_NUMBER) {
        tt_num_print_short(number, d->u.number);
        bad = tt_value_from_double(v->desc->type, to, d->u.number);
    } else if (d->kind == TT_DOC_BOOL) {
        snprintf(number, sizeof(number), "%s", d->u.integer ? "true" : "false");
        bad =
            tt_type_is_bool(v->desc->type)
                ? tt_value_from_double(v->desc->type, to, (double)d->u.integer)
                : -1;
    } else if (is_text) {
        bad = tt_variable_parse(r, v, all, d->u.text, err) != TT_OK;
    }
    if (bad == 0)
        return TT_OK;
    tt_buf_init(&shown, 256); /* longer ones are not worth showing */
    if (d->kind == TT_DOC_TEXT)
        tt_buf_json(&shown, d->u.text);
    else
        tt_buf_str(&shown, number);
    (void)tt_variable_cannot_hold(v, shown.failed ? "this text" : shown.data,
                                  err);
    tt_buf_fini(&shown);
    return TT_EINPUT;
}

/* One value; without `apply` it is only looked whether that could be done. */
static enum tt_code set_one(struct lead *d, const struct tt_doc *value,
                            int apply, tt_err *err)
{
    const tt_plan *p = tt_run_plan(d->l->run);
    struct tt_variable v;
    void *all = NULL;
    enum tt_code rc = tt_variable_find(p, value->key, &v, err);

    if (rc == TT_OK)
        rc = tt_variable_check_settable(&v, err);
    if (rc == TT_OK)
        rc = refuse_connected(p, &v, err);
    if (rc == TT_OK)
        rc = tt_variable_read(d->l->run, &v, &all, err);
    if (rc == TT_OK)
        rc = convert(d->l->run, &v, value, all, err);
    if (rc == TT_OK && apply)
        rc = tt_run_set(d->l->run, v.unit, v.port, all, err);
    tt_free(all);
    return rc;
}

/* All or nothing. */
static enum tt_code set_all(struct lead *d, const struct tt_doc *set,
                            tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (int apply = 0; set && apply < 2; apply++)
        for (uint32_t i = 0; rc == TT_OK && i < set->n; i++)
            rc = set_one(d, &set->u.child[i], apply, err);
    return rc;
}

/* What shall be read after the step must be there before it. */
static enum tt_code check_names(const struct lead *d, const struct tt_doc *get,
                                tt_err *err)
{
    enum tt_code rc = TT_OK;
    struct tt_variable v;

    for (uint32_t i = 0; get && rc == TT_OK && i < get->n; i++)
        rc = tt_variable_find(tt_run_plan(d->l->run), get->u.child[i].u.text,
                              &v, err);
    return rc;
}

/* --- commands --------------------------------------------------------------
 */

static void drop(struct mail *m)
{
    tt_arena_free(m->arena);
    m->arena = NULL;
}

/* The next mail, if there is one. */
static int take(struct lead *d)
{
    struct mail *m = &d->next;
    enum tt_control_what what;
    size_t n;
    char *line;

    if (m->arena)
        return 1;
    what = tt_control_take(d->l->control, &line, &n);
    if (what == TT_CONTROL_NOTHING)
        return 0;
    *m = (struct mail){.arena = tt_arena_new(),
                       .is_end = what == TT_CONTROL_END};
    if (m->arena && what == TT_CONTROL_LOST)
        tt_fail(&m->wrong, TT_EINPUT, "this line has more than %zu bytes",
                TT_CONTROL_LINE);
    else if (m->arena && what == TT_CONTROL_TEXT &&
             tt_command_parse(&m->cmd, line, n, m->arena, &m->wrong) == TT_OK)
        m->wrong.code = TT_OK;
    tt_free(line);
    return m->arena != NULL;
}

static enum tt_code pause(struct lead *d, tt_err *err)
{
    enum tt_code rc;

    d->state = PAUSED;
    d->paused_at = tt_clock_ns();
    tt_run_pause(d->l->run);
    rc = tt_record_flush(d->l->record, err);
    for (size_t i = 0; rc == TT_OK && i < d->l->n_side; i++)
        if (d->l->side[i])
            rc = tt_record_flush(d->l->side[i], err);
    return rc;
}

static void go_on(struct lead *d, enum state state)
{
    if (d->state == PAUSED) {
        tt_run_resume(d->l->run);
        d->l->paused_for += (double)(tt_clock_ns() - d->paused_at) * 1e-9;
    }
    d->state = state;
}

static int is_reached(const struct lead *d, double to)
{
    return tt_run_time(d->l->run) >= to - SLACK * fmax(fabs(to), 1);
}

static enum tt_code begin_step(struct lead *d, struct mail *m, tt_err *err)
{
    enum tt_code rc = check_names(d, m->cmd.get, err);

    if (rc == TT_OK && d->state == RUNNING)
        rc = tt_fail(err, TT_ESTATE,
                     "the run is not paused; \"pause\" it before a \"step\"");
    if (rc == TT_OK && is_reached(d, m->cmd.to))
        rc = tt_fail(err, TT_EINPUT, "'to' is not after the time reached");
    if (rc == TT_OK)
        rc = set_all(d, m->cmd.set, err);
    if (rc != TT_OK)
        return rc;
    go_on(d, STEPPING);
    d->left = m->cmd.steps;
    d->made = 0;
    d->step = *m;
    m->arena = NULL; /* its memory has moved */
    return TT_OK;
}

/* The step is made, or ends early: it is answered now. */
static enum tt_code end_step(struct lead *d, tt_err *err)
{
    enum tt_code rc = pause(d, err);

    answer_values(d, &d->step);
    drop(&d->step);
    return rc;
}

static enum tt_code do_mail(struct lead *d, tt_err *err)
{
    struct mail *m = &d->next;
    enum tt_code rc = TT_OK, bad = m->wrong.code;

    if (m->is_end) {
        *d->l->stop = 1;
        drop(m);
        return TT_OK;
    }
    if (bad == TT_OK && m->cmd.what == TT_DO_STEP)
        bad = begin_step(d, m, &m->wrong);
    else if (bad == TT_OK && m->cmd.what == TT_DO_SET)
        bad = set_all(d, m->cmd.set, &m->wrong);
    else if (bad == TT_OK && m->cmd.what == TT_DO_PACE)
        bad = tt_run_set_pace(d->l->run, m->cmd.factor, &m->wrong);
    else if (bad == TT_OK && m->cmd.what == TT_DO_PAUSE && d->state == RUNNING)
        rc = pause(d, err);
    else if (bad == TT_OK && m->cmd.what == TT_DO_RESUME)
        go_on(d, RUNNING);
    else if (bad == TT_OK && m->cmd.what == TT_DO_STOP)
        *d->l->stop = 1;
    if (bad != TT_OK)
        answer_error(m, &m->wrong);
    else if (m->arena)
        answer_values(d, m);
    drop(m);
    return rc;
}

/* A step that is being made ends early for these, but not before it began; all
 * else waits its turn. */
static int interrupts(const struct lead *d)
{
    const struct mail *m = &d->next;

    return d->made && m->wrong.code == TT_OK && !m->is_end &&
           (m->cmd.what == TT_DO_PAUSE || m->cmd.what == TT_DO_STOP);
}

/* Do what was asked; while paused, wait for more. */
static enum tt_code attend(struct lead *d, tt_err *err)
{
    enum tt_code rc = TT_OK;

    while (rc == TT_OK && !*d->l->stop) {
        if (!take(d)) {
            if (d->state != PAUSED)
                return TT_OK;
            tt_control_await(d->l->control);
            continue;
        }
        if (d->state == STEPPING && !interrupts(d))
            return TT_OK;
        if (d->state == STEPPING)
            rc = end_step(d, err);
        if (rc == TT_OK)
            rc = do_mail(d, err);
    }
    return rc;
}

/* Commands that will not be done any more. */
static void refuse_rest(struct lead *d)
{
    while (take(d)) {
        struct mail *m = &d->next;

        if (m->is_end) {
            drop(m);
            return;
        }
        if (m->wrong.code == TT_OK && m->cmd.what == TT_DO_STOP) {
            answer(d, m, NULL);
        } else {
            if (m->wrong.code == TT_OK)
                tt_fail(&m->wrong, TT_ESTATE, "the run has ended");
            answer_error(m, &m->wrong);
        }
        drop(m);
    }
}

static enum tt_code step(struct lead *d, tt_err *err)
{
    enum tt_code rc = tt_run_step(d->l->run, err);

    if (d->state != STEPPING)
        return rc;
    if (rc != TT_OK) {
        answer_error(&d->step, err);
        drop(&d->step);
        return rc;
    }
    d->made = 1;
    if (isnan(d->step.cmd.to))
        d->left--;
    if (d->left == 0 || is_reached(d, d->step.cmd.to) || tt_run_done(d->l->run))
        rc = end_step(d, err);
    return rc;
}

enum tt_code tt_lead(struct tt_lead *l, tt_err *err)
{
    struct lead d = {.l = l, .state = RUNNING};
    enum tt_code rc = tt_run_start(l->run, err);

    if (rc == TT_OK && l->paused)
        rc = pause(&d, err);
    while (rc == TT_OK && !tt_run_done(l->run)) {
        if (d.state != RUNNING || d.next.arena ||
            tt_control_has_line(l->control))
            rc = attend(&d, err);
        if (rc != TT_OK || *l->stop)
            break;
        rc = step(&d, err);
    }
    go_on(&d, RUNNING);
    if (d.step.arena) /* stopped before it was made */
        answer(&d, &d.step, NULL);
    drop(&d.step);
    refuse_rest(&d);
    if (rc != TT_OK)
        (void)!tt_run_end(l->run, NULL);
    else
        rc = tt_run_end(l->run, err);
    return rc;
}
