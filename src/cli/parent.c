/* SPDX-License-Identifier: MIT */
/* The parent's half of a play. */
#include "cli/play.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "base/num.h"
#include "cli/culprit.h"
#include "cli/play_impl.h"
#include "cli/print.h"
#include "compose/compose.h"
#include "results/report.h"
#include "sys/clock.h"
#include "sys/file.h"
#include "sys/proc.h"
#include "sys/tick.h"

const char *tt_play_outcome(enum tt_code code, enum tt_run_why why)
{
    if (code != TT_OK)
        return "failed";
    return why == TT_RUN_STOPPED      ? "stopped"
           : why == TT_RUN_TERMINATED ? "terminated"
                                      : "completed";
}

/* A unit that does not return when we are asked to stop: first a word about
 * it, then its end. */
#define NOTICE_MS 2000u
#define END_MS    10000u

/* An end that was asked for is not the unit's doing. */
static enum tt_code put_end(struct tt_buf *b, const struct tt_culprit *c,
                            const struct tt_proc_result *how, double deadline)
{
    char s[TT_NUM_MAX];
    int by_user = how->asked && how->how == TT_PROC_KILLED &&
                  !tt_is_crash(how->value) && !how->lost_it;

    if (how->hung) {
        tt_buf_str(b, "the run was ended because");
        tt_culprit_put_call(b, c, "did not return from");
        tt_num_print_short(s, deadline);
        tt_buf_fmt(b, " within %s s", s);
        return TT_EUNIT;
    }
    if (by_user) {
        tt_buf_str(b, "stopped by you");
        if (c->unit[0]) {
            tt_buf_str(b, " while");
            tt_culprit_put_call(b, c, "was in");
        }
        return TT_ESTOPPED;
    }
    if (!how->lost_it) {
        tt_culprit_put_death(b, c, how);
        return TT_ECRASH;
    }
    tt_buf_str(b, "asked to stop, the run was ended because");
    tt_culprit_put_call(b, c, "did not return from");
    tt_buf_fmt(b, " for %u s", END_MS / 1000);
    return TT_ESTOPPED;
}

/* "; results so far: outputs.csv (126 rows to t=1.25)" */
static void put_rows(struct tt_buf *b, const struct tt_play *p, uint64_t rows,
                     double t)
{
    char at[TT_NUM_MAX];

    if (!rows)
        return;
    tt_num_print_digits(at, t, 12);
    tt_buf_str(b, "; results so far: ");
    tt_summary_files(b, &p->files);
    tt_buf_fmt(b, " (%" PRIu64 " row%s to t=%s)", rows, rows == 1 ? "" : "s",
               at);
}

/* "; checkpoint c.tutti is of t=1.25, 3 steps are lost: resume with 'tutti run
 * --resume c.tutti'" */
static void put_checkpoint(struct tt_buf *b, const struct child *c,
                           uint64_t steps)
{
    const struct tt_kept *k = &c->shared->kept;
    char at[TT_NUM_MAX];
    uint64_t lost = steps - k->written_steps;

    if (!c->keeper || !k->written)
        return;
    tt_num_print_digits(at, k->written_t, 12);
    tt_buf_fmt(b, "; checkpoint %s is of t=%s", c->play->checkpoint, at);
    if (lost)
        tt_buf_fmt(b, ", %" PRIu64 " step%s lost", lost,
                   lost == 1 ? " is" : "s are");
    tt_buf_fmt(b, ": 'tutti run --resume %s' goes on from there",
               c->play->checkpoint);
}

/* The last complete row: of the step that was being made, or the last one. */
static double last_row(const struct tt_stage *s)
{
    return s->now.t[s->activity.playing == TT_PLAYING_STEP ? TT_T0 : TT_T1];
}

/* The child cannot report any more: plan again, and draw the rescued rows. A
 * report that fails is not what this run failed of. */
static void report_death(struct child *c, const tt_err *why, uint64_t rows)
{
    struct tt_played p = {
        .play = c->play, .code = why->code, .msg = why->msg, .rows = rows};
    tt_run *run = NULL;
    tt_table *table = NULL;
    tt_err err;
    enum tt_code rc =
        tt_run_new(&run, c->play->scenario,
                   &(struct tt_run_opts){.kind_cb = tt_compose_kind_for}, &err);

    if (rc == TT_OK && strcmp(c->play->files.path[0], "-") != 0)
        rc = tt_table_load(&table, c->play->files.path[0], &err);
    p.run = run;
    p.table = table;
    if (rc == TT_OK)
        rc = tt_play_report(&p, &err);
    if (rc != TT_OK)
        tt_print_warning("no report: %s", err.msg);
    tt_table_free(table);
    tt_run_free(run);
}

static void rescue_sides(struct child *c)
{
    tt_err err;

    for (int i = 0; i < TT_SIDES; i++)
        if (c->side_scribe[i] &&
            tt_scribe_finish(c->side_scribe[i], NULL, &err) != TT_OK)
            tt_print_warning("the %s is not complete: %s",
                             i == TT_SIDE_TRACE ? "log of steps"
                                                : "list of events",
                             err.msg);
}

static enum tt_exit died(struct child *c, const struct tt_proc_result *how)
{
    struct tt_culprit who = tt_culprit_find(&c->shared->stage);
    double t = last_row(&c->shared->stage);
    uint64_t rows = 0;
    enum tt_code rc;
    struct tt_buf b;
    tt_err err, trouble;

    tt_buf_init(&b, TT_ERR_MAX);
    if (c->play->n_rank > 1)
        tt_buf_fmt(&b, "rank %u: ", c->play->rank);
    rc = put_end(&b, &who, how, c->play->scenario->deadline);
    if (rc == TT_ECRASH && c->play->sandbox)
        tt_confine_put_end(&b, c->play->sandbox, how, c->shared->used);
    if (tt_scribe_finish(c->scribe, &rows, &trouble) != TT_OK)
        tt_buf_fmt(&b, "; rows are lost: %s", trouble.msg);
    else
        put_rows(&b, c->play, rows, t);
    put_checkpoint(&b, c, c->shared->stage.now.steps);
    tt_fail(&err, rc, "%s", b.data ? b.data : "");
    tt_buf_fini(&b);
    tt_sink_flush(&c->shared->last, NULL);
    rescue_sides(c);
    if (c->play->report && rows)
        report_death(c, &err, rows);
    if (c->play->json)
        tt_play_json_failure(c->play, &c->shared->warnings, err.msg, rows, t);
    return tt_print_error(&err);
}

/* A unit that dies after everything was written does no harm: it is worth a
 * warning. */
static void died_late(struct child *c, const struct tt_proc_result *how)
{
    struct tt_culprit who = tt_culprit_find(&c->shared->stage);
    struct tt_buf b;

    who.t = (double)NAN;
    tt_buf_init(&b, TT_ERR_MAX);
    tt_culprit_put_death(&b, &who, how);
    tt_print_warning("%s after the run; the results are complete", b.data);
    tt_buf_fini(&b);
}

/* A confined child cannot write where the report belongs. */
static enum tt_code fetch_report(const struct child *c, tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    if (!tt_file_exists(c->page))
        return TT_OK; /* there was nothing to report */
    tt_buf_init(&b, TT_REPORT_MAX_BYTES);
    rc = tt_file_read_plain(&b, c->page, err);
    if (rc == TT_OK)
        rc = tt_file_write(c->play->report, b.data, b.len, err);
    tt_buf_fini(&b);
    return rc;
}

static enum tt_exit report_outcome(struct child *c)
{
    struct tt_outcome *o = &c->shared->outcome;
    size_t n_text = o->n_text <= sizeof(o->text) ? o->n_text : 0;
    struct tt_buf b;
    char t[TT_NUM_MAX];
    tt_err err;

    o->msg[sizeof(o->msg) - 1] = '\0'; /* units can write here, too */
    if (c->play->rank) /* the first prints, unless a launcher sees us fail */
        return o->together ? TT_EXIT_OK : TT_EXIT_FAILED;
    tt_sink_flush(&c->shared->last, o->code == TT_OK ? NULL : o->msg);
    if (o->code == TT_OK &&
        tt_sign_get(&c->tape->trouble) == TT_TAPE_SEEN_ENOUGH)
        return TT_EXIT_OK; /* "| head" has seen enough */
    if (n_text && tt_play_print(c->play, o->text, n_text, &err) != TT_OK)
        return tt_print_error(&err);
    if (c->page && fetch_report(c, &err) != TT_OK)
        return tt_print_error(&err);
    if (o->code == TT_OK && o->why != TT_RUN_STOPPED)
        return o->failed ? TT_EXIT_FAILED : TT_EXIT_OK;
    tt_buf_init(&b, TT_ERR_MAX);
    if (o->code != TT_OK) {
        tt_buf_str(&b, o->msg);
    } else {
        tt_num_print_digits(t, o->t, 12);
        tt_buf_fmt(&b, "stopped at t=%s", t);
    }
    if (o->code != TT_EIO) /* what could not be written is not there */
        put_rows(&b, c->play, o->rows, o->t);
    put_checkpoint(&b, c, o->steps);
    tt_fail(&err, o->code == TT_OK ? TT_ESTOPPED : o->code, "%s",
            b.data ? b.data : "");
    tt_buf_fini(&b);
    if (c->play->json && !n_text)
        tt_play_json_failure(c->play, &c->shared->warnings, err.msg, 0,
                             (double)NAN);
    return tt_print_error(&err);
}

/* A unit is in a call, as far as we can see. */
static int is_stuck(void *ctx)
{
    struct child *c = ctx;

    return !c->shared->outcome.concluding &&
           tt_culprit_find(&c->shared->stage).unit[0];
}

static void report_waiting(void *ctx)
{
    struct child *c = ctx;
    struct tt_culprit who = tt_culprit_find(&c->shared->stage);
    struct tt_buf b;

    if (c->play->quiet)
        return;
    tt_buf_init(&b, TT_ERR_MAX);
    if (tt_progress_wanted(c->play))
        tt_buf_str(&b, "\r\033[K");
    tt_buf_str(&b, "tutti: waiting for");
    if (is_stuck(c))
        tt_culprit_put_call(&b, &who, "to return from");
    else
        tt_buf_str(&b, " the run to end");
    tt_buf_str(&b, "; interrupt again to end it now\n");
    if (!b.failed)
        tt_tty_write(2, b.data, b.len);
    tt_buf_fini(&b);
}

static void begin_beside(void *ctx)
{
    struct child *c = ctx;

    tt_scribe_start(c->scribe);
    for (int i = 0; i < TT_SIDES; i++)
        if (c->side_scribe[i])
            tt_scribe_start(c->side_scribe[i]);
    if (c->control)
        tt_control_listen(c->control, &c->shared->stop);
    if (c->keeper)
        tt_keeper_start(c->keeper);
}

/* What a unit elsewhere may take more than its deadline until it was noticed by
 * its caller, which knows more. */
#define GRACE 1.0

/* Is the caller of a unit elsewhere dealing with it? */
static int is_dealt_with(const struct tt_stage *s, uint32_t guests)
{
    uint32_t n = s->activity.signs.dealing;

    for (uint32_t i = 0; i < guests; i++)
        n += s->guest[i].activity.signs.dealing;
    return n > 0;
}

/* Does the run stand in one and the same call of a unit for longer than the
 * deadline, and waits for one and the same answer? What moves is in shared
 * memory. */
static int exceeds_deadline(void *ctx)
{
    struct child *c = ctx;
    struct tt_stage *s = &c->shared->stage;
    uint32_t mates = s->n_mate < TT_CREW_MAX ? s->n_mate : TT_CREW_MAX - 1;
    uint32_t guests = s->n_guest < TT_STAGE_GUESTS ? s->n_guest : 0;
    uint64_t seen = tt_hash(TT_HASH_START, &s->now, sizeof(s->now));
    uint64_t now = tt_clock_ns();

    seen = tt_hash(seen, &s->activity, sizeof(s->activity));
    seen = tt_hash(seen, s->mate, mates * sizeof(*s->mate));
    seen = tt_hash(seen, s->guest, guests * sizeof(*s->guest));
    if (seen != c->seen || !is_stuck(c) || is_dealt_with(s, guests)) {
        c->seen = seen;
        c->seen_at = now;
        return 0;
    }
    return (double)(now - c->seen_at) >
           (c->play->scenario->deadline + GRACE) * 1e9;
}

static enum tt_exit watch(struct child *c)
{
    const struct tt_proc_patience patience = {
        .begun_cb = begin_beside,
        .notice = {NOTICE_MS, report_waiting},
        .end = {END_MS, is_stuck},
        .look_cb = isnan(c->play->scenario->deadline) ? NULL : exceeds_deadline,
        .ctx = c,
    };
    int bar = tt_progress_wanted(c->play);
    struct tt_proc_result how;
    enum tt_code rc;
    tt_err err;

    if (c->play->no_child) {
        begin_beside(c);
        (void)tt_play_child(c);
        return report_outcome(c);
    }
    if (bar)
        tt_progress_start(c->shared);
    rc = tt_proc_run_within(&patience, tt_play_child, c, &c->shared->stage.done,
                            &how, &err);
    if (bar)
        tt_progress_stop();
    if (c->control)
        tt_control_hang_up(c->control);
    if (c->keeper && tt_keeper_finish(c->keeper, &err) != TT_OK)
        tt_print_warning("the last checkpoint was not written: %s", err.msg);
    tt_capture_drain(c->capture);
    if (rc != TT_OK)
        return tt_print_error(&err);
    if (!c->shared->outcome.ready)
        return died(c, &how);
    if ((how.how == TT_PROC_KILLED || !c->shared->stage.done) &&
        (c->play->n_rank < 2 || c->shared->outcome.together))
        died_late(c, &how); /* else the first to end ends the others */
    return report_outcome(c);
}

int tt_play_to_stdout(const struct tt_files *f)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (strcmp(f->path[i], "-") == 0)
            return 1;
    return 0;
}

static enum tt_code prepare_box(struct child *c, tt_err *err)
{
    if (c->play->report && (c->play->sandbox->guards & TT_GUARD_FILES)) {
        c->page = tt_path_join(c->play->temp, "report.html");
        if (!c->page)
            return tt_nomem(err, "preparing the run");
    }
    return tt_box_open(&c->box, c->play->sandbox, err);
}

/* A unit wrote to standard output. Which unit is known if there is but one:
 * when a line is read others may have been called. */
static void take_line(void *ctx, const char *line)
{
    struct child *c = ctx;
    const tt_scenario *s = c->play->scenario;

    if (s->n_unit == 1)
        tt_log_unit(&c->play->sink->log, TT_LOG_INFO, s->unit[0].name, "stdout",
                    line);
    else
        tt_log(&c->play->sink->log, TT_LOG_INFO,
               "an instance wrote to standard output: %s", line);
}

static void continue_files(const struct tt_checkpoint_file *f,
                           struct tt_files *files, struct tt_files *side)
{
    files->from = f->rows.data;
    files->n_from = f->rows.n;
    for (int i = 0; i < TT_SIDES; i++) {
        side[i].from = f->side[i].n ? f->side[i].data : NULL;
        side[i].n_from = f->side[i].n;
    }
}

static enum tt_code make_keeper(struct child *c, tt_err *err)
{
    const struct tt_play *p = c->play;
    const struct tt_keeper_opts o = {
        .path = p->checkpoint,
        .folder = p->temp,
        .wall = p->every.wall,
        .argc = p->argc,
        .argv = p->argv,
        .kept = &c->shared->kept,
        .scribe = c->scribe,
        .side = {c->side_scribe[0], c->side_scribe[1]}};
    enum tt_code rc = tt_files_can_continue(&p->files, err);

    return rc == TT_OK ? tt_keeper_new(&c->keeper, &o, err) : rc;
}

/* What both processes share, and the thread that writes while the child
 * plays. */
static enum tt_code prepare(struct child *c, void *tape, void **sides,
                            tt_err *err)
{
    const struct tt_play *p = c->play;
    struct tt_files files = p->files, side[TT_SIDES] = {0};
    enum tt_code rc;
    int failed = 0;

    c->shared = tt_shared_alloc(sizeof(*c->shared));
    c->tape = tt_tape_init(tape, TT_TAPE_SIZE);
    for (int i = 0; i < TT_SIDES; i++) {
        side[i] = (struct tt_files){.path = &p->side[i], .n = 1};
        c->side_tape[i] = tt_tape_init(sides[i], TT_TAPE_SIZE);
        failed |= p->side[i] && !c->side_tape[i];
    }
    if (!c->shared || !c->tape || failed)
        return tt_nomem(err, "preparing the run");
    if (p->resume && !p->rank)
        continue_files(p->resume, &files, side);
    rc = tt_capture_new(&c->capture, take_line, c, err);
    if (rc == TT_OK && p->no_child)
        rc = tt_capture_begin(c->capture, err);
    if (rc == TT_OK && p->sandbox)
        rc = prepare_box(c, err);
    if (rc == TT_OK && p->control)
        rc = tt_control_new(&c->control, err);
    if (rc == TT_OK)
        rc = tt_scribe_new(&c->scribe, c->tape, TT_TAPE_SIZE, &files, err);
    for (int i = 0; i < TT_SIDES; i++)
        if (rc == TT_OK && p->side[i])
            rc = tt_scribe_new(&c->side_scribe[i], c->side_tape[i],
                               TT_TAPE_SIZE, &side[i], err);
    return rc == TT_OK && p->checkpoint && !p->rank ? make_keeper(c, err) : rc;
}

enum tt_exit tt_play(const struct tt_play *p)
{
    void *tape = tt_shared_alloc(TT_TAPE_SIZE);
    void *sides[TT_SIDES];
    struct child c = {.play = p, .box.ruleset = -1};
    enum tt_exit code;
    tt_err err;

    for (int i = 0; i < TT_SIDES; i++)
        sides[i] = p->side[i] ? tt_shared_alloc(TT_TAPE_SIZE) : NULL;
    if (prepare(&c, tape, sides, &err) == TT_OK)
        code = watch(&c);
    else
        code = tt_print_error(&err);
    tt_box_close(&c.box);
    tt_capture_free(c.capture);
    tt_free(c.page);
    tt_scribe_free(c.scribe);
    for (int i = 0; i < TT_SIDES; i++)
        tt_scribe_free(c.side_scribe[i]);
    tt_control_free(c.control);
    tt_keeper_free(c.keeper);
    tt_shared_free(c.shared, sizeof(*c.shared));
    tt_shared_free(tape, TT_TAPE_SIZE);
    for (int i = 0; i < TT_SIDES; i++)
        tt_shared_free(sides[i], TT_TAPE_SIZE);
    return code;
}
