/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "serve/serve_impl.h"
#include "sys/child.h"
#include "sys/clock.h"
#include "sys/file.h"

#define PAUSED_PER_SLOT 8u

char *tt_sim_path(const struct tt_sim *sim, const char *name)
{
    return tt_path_join(sim->dir, name);
}

enum tt_code tt_sim_new(struct tt_service *s, struct tt_session *ses,
                        const char *dir, struct tt_sim **out, tt_err *err)
{
    struct tt_sim *sim;

    if (!TT_NEW(sim))
        return tt_nomem(err, "a simulation");
    sim->session = ses;
    sim->dialect =
        s->opts->maestro1 ? TT_DIALECT_MAESTRO1 : TT_DIALECT_MAESTRO2;
    sim->start = sim->end = (double)NAN;
    sim->dir = tt_strdup(dir);
    sim->warned = tt_warned_new();
    if (!sim->dir) {
        tt_warned_free(sim->warned);
        tt_free(sim);
        return tt_nomem(err, "a simulation");
    }
    sim->next = s->sim;
    s->sim = sim;
    *out = sim;
    return TT_OK;
}

struct tt_sim *tt_sim_find(const struct tt_service *s,
                           const struct tt_session *ses, unsigned id)
{
    struct tt_sim *sim = s->sim;

    while (sim && (sim->session != ses || sim->id != id))
        sim = sim->next;
    return id ? sim : NULL;
}

int tt_sim_is_busy(const struct tt_sim *sim)
{
    return sim->state == TT_SIM_QUEUED || sim->state == TT_SIM_RUNNING ||
           sim->state == TT_SIM_PAUSED || sim->state == TT_SIM_STOPPING;
}

void tt_sim_free(struct tt_service *s, struct tt_sim *sim, const char *why)
{
    struct tt_sim **at = &s->sim;
    struct tt_request *r;

    if (!sim)
        return;
    while (*at != sim)
        at = &(*at)->next;
    *at = sim->next;
    if (sim->id)
        tt_job_forget(s, sim->session, sim, why);
    tt_commands_free(sim->commands);
    tt_feed_free(sim);
    if (sim->pid) {
        tt_child_kill(sim->pid);
        tt_guard_sweep(s);
        s->n_running--;
    }
    while ((r = tt_request_next(&sim->waiting))) {
        tt_answer_error(&r->answer, 500, "session '%s': %s", sim->session->id,
                        why);
        tt_request_send(r);
    }
    tt_live_end(sim);
    tt_sockets_end(sim, 1);
    tt_warned_free(sim->warned);
    tt_study_free(sim);
    TT_FREE_ALL(sim->name, sim->note, sim->dir, sim);
}

/* --- progress ------------------------------------------------------------- */

#define LAST_LINE 65536u

/* The time in the last complete row; NaN: none yet. */
static double last_time(int fd, uint64_t size)
{
    char data[LAST_LINE], *line;
    double t = (double)NAN;
    ssize_t n = pread(fd, data, sizeof(data),
                      (off_t)(size > LAST_LINE ? size - LAST_LINE : 0));

    while (n > 0 && data[n - 1] != '\n')
        n--;
    if (n <= 0)
        return t;
    data[n - 1] = '\0';
    line = strrchr(data, '\n');
    line = line ? line + 1 : data;
    if (tt_num_parse_n(line, strcspn(line, ","), &t) != 0)
        return (double)NAN;
    return t;
}

double tt_sim_time(const struct tt_sim *sim)
{
    char *path = sim->study ? NULL : tt_sim_path(sim, TT_SIM_RESULTS);
    uint64_t size;
    int fd = path ? tt_file_open_plain(path, &size) : -1;
    double t = (double)NAN;

    tt_free(path);
    if (fd < 0)
        return t;
    t = last_time(fd, size);
    (void)close(fd);
    return t;
}

double tt_sim_progress_at(const struct tt_sim *sim, double time)
{
    double start = isnan(sim->start) ? 0 : sim->start, part;
    char words[2];

    if (sim->state == TT_SIM_FINISHED)
        return 1;
    if (sim->state == TT_SIM_STOPPED && !sim->id)
        return 1; /* as Maestro has it */
    if (sim->study)
        return tt_study_progress(sim, words, sizeof(words));
    if (sim->state == TT_SIM_IDLE || isnan(sim->end))
        return 0;
    part = (time - start) / (sim->end - start);
    return part > 0 && part <= 1 ? part : 0;
}

double tt_sim_progress(const struct tt_sim *sim)
{
    return tt_sim_progress_at(sim, tt_sim_time(sim));
}

/* --- the queue ------------------------------------------------------------ */

static enum tt_code discard(const struct tt_sim *sim, const char *name,
                            tt_err *err)
{
    char *path = tt_sim_path(sim, name);
    enum tt_code rc =
        path ? tt_dir_remove_plain(path, err) : tt_nomem(err, "a simulation");

    tt_free(path);
    return rc;
}

enum tt_code tt_sim_submit(struct tt_service *s, struct tt_sim *sim,
                           tt_err *err)
{
    enum tt_code rc;

    sim->over[0] = '\0';
    sim->queued_ms = tt_clock_wall_ms();
    sim->started_ms = sim->ended_ms = sim->exec_ms = 0;
    sim->msg[0] = '\0';
    sim->state = TT_SIM_QUEUED;
    rc = tt_store_sim(sim, err);
    if (rc != TT_OK) {
        sim->state = TT_SIM_IDLE;
        return rc;
    }
    sim->turn = ++s->turn;
    tt_sim_tick(s);
    return TT_OK;
}

/* What cannot be remembered now (a full disk) goes on all the same. */
void tt_sim_change(struct tt_sim *sim, enum tt_sim_state state)
{
    sim->state = state;
    sim->revision++;
    (void)!tt_store_sim(sim, NULL);
}

/* It has ended, well or not. */
static void finish(struct tt_sim *sim)
{
    sim->ended_ms = tt_clock_wall_ms();
    tt_sim_change(sim, sim->state);
    if (sim->socket)
        tt_live_tick(sim);
    tt_live_end(sim);
    tt_sockets_end(sim, 0);
    (void)!discard(sim, TT_SIM_TEMP,
                   NULL); /* what stays goes with the session */
    tt_maestro_answer_waiting(sim);
    tt_commands_drop(sim);
}

#define ARGS_MAX  22u
#define TITLE_MAX ((size_t)1024) /* bytes; names have at most 200 each */

static void put_args(const char **argv, size_t *n, const char *const *more)
{
    for (; *more; more++)
        argv[(*n)++] = *more;
}

/* What its report is called: by its users' words, as far as there are some. */
static void put_title(const struct tt_sim *sim, struct tt_buf *b)
{
    const char *of = sim->session->name, *name = sim->name;

    tt_buf_str(b, "--title=");
    if (of)
        tt_buf_fmt(b, "%s%s", of, name ? ": " : "");
    if (name)
        tt_buf_str(b, name);
    if (!of && !name)
        tt_buf_fmt(b, "Run %u", sim->id);
}

/* What is reported of a run that depends on it. */
struct words {
    char memory[TT_NUM_MAX];
    struct tt_buf title;
};

/* What to start: `tutti run` with these. Runs of the API take commands. */
static void list_args(const struct tt_service *s, const struct tt_sim *sim,
                      const struct words *w, const char *argv[ARGS_MAX])
{
    const char *const usual[] = {
        s->self,        "run", tt_base_option(s), sim->session->dir, "--output",
        TT_SIM_RESULTS, NULL};
    const char *const api[] = {sim->stepwise ? "--control=paused" : "--control",
                               "--report",
                               TT_SIM_REPORT,
                               w->title.data,
                               "--events",
                               TT_SIM_EVENTS,
                               NULL};
    const char *const trace[] = {"--trace", TT_SIM_TRACE, NULL};
    const char *const maestro[] = {"--json", NULL};
    const char *const rules[] = {
        "--dialect",
        sim->dialect == TT_DIALECT_MAESTRO1 ? "maestro1" : "maestro2", NULL};
    const char *const limit[] = {"--memory-limit", w->memory, NULL};
    size_t n = 0;

    put_args(argv, &n, usual);
    put_args(argv, &n, sim->id ? api : maestro);
    if (sim->traced)
        put_args(argv, &n, trace);
    if (!sim->id)
        put_args(argv, &n, rules);
    if (s->opts->max_memory)
        put_args(argv, &n, limit);
    put_args(argv, &n, sim->config);
    argv[n] = NULL;
}

/* Its processes are many: what they may take is the system's to limit, not
 * theirs. */
static enum tt_code start_study(struct tt_service *s, struct tt_sim *sim,
                                tt_err *err)
{
    const char **argv = tt_study_args(s, sim);
    char *temp = tt_sim_path(sim, TT_SIM_TEMP);
    struct tt_guarded guarded;
    struct tt_child_spec spec = {.argv = argv,
                                 .dir = sim->dir,
                                 .out = TT_SIM_SUMMARY,
                                 .err = TT_SIM_LOG,
                                 .temp = temp,
                                 .sandbox = tt_guard(s, sim->dir, &guarded)};
    enum tt_code rc = argv && temp ? tt_dir_make_new(temp, err)
                                   : tt_nomem(err, "a simulation");

    guarded.box.limit.memory = s->opts->max_memory;
    if (s->opts->max_memory)
        spec.sandbox = &guarded.box;
    if (rc == TT_OK)
        rc = tt_child_start(&spec, &sim->pid, err);
    TT_FREE_ALL(temp, argv);
    return rc;
}

static enum tt_code start(struct tt_service *s, struct tt_sim *sim, tt_err *err)
{
    const char *argv[ARGS_MAX];
    char *temp = tt_sim_path(sim, TT_SIM_TEMP);
    struct words w;
    struct tt_child_pipes pipes;
    struct tt_guarded guarded;
    const struct tt_child_spec spec = {.argv = argv,
                                       .dir = sim->dir,
                                       .out = TT_SIM_SUMMARY,
                                       .err = TT_SIM_LOG,
                                       .temp = temp,
                                       .pipes = sim->id ? &pipes : NULL,
                                       .sandbox =
                                           tt_guard(s, sim->dir, &guarded)};
    enum tt_code rc =
        temp ? tt_dir_make_new(temp, err) : tt_nomem(err, "a simulation");

    tt_num_print_u64(w.memory, s->opts->max_memory);
    tt_buf_init(&w.title, TITLE_MAX);
    put_title(sim, &w.title);
    if (rc == TT_OK)
        rc = tt_buf_check(&w.title, "a title", err);
    list_args(s, sim, &w, argv);
    if (rc == TT_OK)
        rc = tt_child_start(&spec, &sim->pid, err);
    if (rc == TT_OK && sim->id && !(sim->commands = tt_commands_new(&pipes))) {
        tt_child_kill(sim->pid);
        rc = tt_nomem(err, "a simulation");
    }
    tt_buf_fini(&w.title);
    tt_free(temp);
    return rc;
}

static void begin(struct tt_service *s, struct tt_sim *sim)
{
    tt_err err;

    sim->begun_ns = tt_clock_ns();
    sim->started_ms = tt_clock_wall_ms();
    if ((sim->study ? start_study : start)(s, sim, &err) == TT_OK) {
        s->n_running++;
        tt_sim_change(sim, sim->stepwise ? TT_SIM_PAUSED : TT_SIM_RUNNING);
        return;
    }
    sim->pid = 0;
    sim->state = TT_SIM_FAILED;
    tt_sim_set_words(sim, 500, err.msg);
    finish(sim);
}

/* The one that has waited longest, or NULL. */
static struct tt_sim *first_waiting(struct tt_service *s)
{
    struct tt_sim *first = NULL;

    for (struct tt_sim *sim = s->sim; sim; sim = sim->next)
        if (sim->state == TT_SIM_QUEUED && (!first || sim->turn < first->turn))
            first = sim;
    return first;
}

/* A paused run does nothing, and lets others go first; but there is an end to
 * that, because it holds memory. */
static unsigned slots_taken(const struct tt_service *s)
{
    unsigned paused = 0, idle_max = PAUSED_PER_SLOT * s->opts->max_runs;

    for (const struct tt_sim *sim = s->sim; sim; sim = sim->next)
        paused += sim->state == TT_SIM_PAUSED;
    return s->n_running - (paused < idle_max ? paused : idle_max);
}

int tt_sim_may_come(const struct tt_service *s, struct tt_answer *a)
{
    unsigned n = 0;

    for (const struct tt_sim *sim = s->sim; sim; sim = sim->next)
        n += sim->state == TT_SIM_QUEUED;
    if (n < s->opts->max_queue ||
        (n == 0 && slots_taken(s) < s->opts->max_runs))
        return 1;
    if (n)
        tt_answer_full(a,
                       "no more than %u may wait for their turn "
                       "(--max-queue)",
                       s->opts->max_queue);
    else
        tt_answer_full(a,
                       "no more than %u may run, and none may wait for its "
                       "turn (--max-runs, --max-queue)",
                       s->opts->max_runs);
    return 0;
}

static void look_after(struct tt_service *s, struct tt_sim *sim)
{
    struct tt_proc_result how;

    if (!sim->pid)
        return;
    if (sim->socket)
        tt_live_tick(sim);
    if (sim->commands)
        tt_commands_tick(s, sim);
    if (!tt_child_poll(sim->pid, &how)) {
        tt_limit_look(s, sim);
        return;
    }
    sim->pid = 0;
    s->n_running--;
    tt_guard_sweep(s); /* before anything in its folder is read */
    if (sim->commands)
        tt_commands_end(s, sim);
    sim->exec_ms = (tt_clock_ns() - sim->begun_ns) / 1000000u;
    (sim->study ? tt_study_conclude : tt_sim_conclude)(sim, &how);
    tt_limit_conclude(sim);
    finish(sim);
}

void tt_sim_tick(struct tt_service *s)
{
    struct tt_sim *sim;

    for (sim = s->sim; sim; sim = sim->next) {
        look_after(s, sim);
        if (sim->feed)
            tt_feed_tick(s, sim);
    }
    while (slots_taken(s) < s->opts->max_runs && (sim = first_waiting(s)))
        begin(s, sim);
}

void tt_sim_stop(struct tt_service *s, struct tt_sim *sim)
{
    (void)s;
    if (sim->state == TT_SIM_RUNNING || sim->state == TT_SIM_PAUSED) {
        tt_sim_change(sim, TT_SIM_STOPPING);
        tt_child_ask(sim->pid);
    } else if (sim->state == TT_SIM_QUEUED) {
        sim->state = TT_SIM_STOPPED; /* it was not its turn yet */
        finish(sim);
    }
}
