/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "serve/serve_impl.h"
#include "sys/child.h"
#include "sys/clock.h"
#include "sys/file.h"

#define TEMP_DIR "temp" /* while it runs */

static enum tt_code no_memory(tt_err *err)
{
    return tt_fail(err, TT_ENOMEM, "a simulation: out of memory");
}

char *tt_sim_path(const struct tt_sim *sim, const char *name)
{
    return tt_path_join(sim->dir, name);
}

enum tt_code tt_sim_new(struct tt_service *s, struct tt_session *ses,
                        const char *dir, struct tt_sim **out, tt_err *err)
{
    struct tt_sim *sim;

    if (!TT_NEW(sim))
        return no_memory(err);
    sim->session = ses;
    sim->start = sim->end = (double)NAN;
    sim->dir = tt_strdup(dir);
    if (!sim->dir) {
        tt_free(sim);
        return no_memory(err);
    }
    sim->next = s->sim;
    s->sim = sim;
    *out = sim;
    return TT_OK;
}

int tt_sim_is_busy(const struct tt_sim *sim)
{
    return sim->state == TT_SIM_QUEUED || sim->state == TT_SIM_RUNNING ||
           sim->state == TT_SIM_STOPPING;
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
    if (sim->pid) {
        tt_child_kill(sim->pid);
        s->n_running--;
    }
    while ((r = tt_request_next(&sim->waiting))) {
        tt_answer_error(&r->answer, 500, "session '%s': %s", sim->session->id,
                        why);
        tt_request_send(r);
    }
    tt_live_end(sim);
    tt_sockets_end(sim, 1);
    tt_free(sim->dir);
    tt_free(sim);
}

/* --- progress ------------------------------------------------------------- */

#define LAST_LINE ((long)65536)

/* The time in the last complete row; NaN: none yet. */
static double last_time(FILE *f)
{
    char data[LAST_LINE], *line;
    double t = (double)NAN;
    size_t n;

    if (fseek(f, -LAST_LINE, SEEK_END) != 0)
        rewind(f);
    n = fread(data, 1, sizeof(data), f);
    while (n > 0 && data[n - 1] != '\n')
        n--;
    if (n == 0)
        return t;
    data[n - 1] = '\0';
    line = strrchr(data, '\n');
    line = line ? line + 1 : data;
    if (tt_num_parse_n(line, strcspn(line, ","), &t) != 0)
        return (double)NAN;
    return t;
}

double tt_sim_progress(const struct tt_sim *sim)
{
    double start = isnan(sim->start) ? 0 : sim->start, t, part;
    char *path;
    FILE *f;

    if (sim->state == TT_SIM_FINISHED || sim->state == TT_SIM_STOPPED)
        return 1;
    if (sim->state == TT_SIM_IDLE || isnan(sim->end))
        return 0;
    path = tt_sim_path(sim, TT_SIM_RESULTS);
    f = path ? fopen(path, "rbe") : NULL;
    tt_free(path);
    if (!f)
        return 0;
    t = last_time(f);
    fclose(f);
    part = (t - start) / (sim->end - start);
    return part > 0 && part <= 1 ? part : 0;
}

/* --- the queue ------------------------------------------------------------ */

static enum tt_code discard(const struct tt_sim *sim, const char *name,
                            tt_err *err)
{
    char *path = tt_sim_path(sim, name);
    enum tt_code rc = path ? tt_dir_remove(path, err) : no_memory(err);

    tt_free(path);
    return rc;
}

/* Results of an earlier run must not pass for those of this one. */
static enum tt_code clear_results(const struct tt_sim *sim, tt_err *err)
{
    static const char *const file[] = {TT_SIM_RESULTS, TT_SIM_SUMMARY,
                                       TT_SIM_LOG};
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && i < sizeof(file) / sizeof(*file); i++)
        rc = discard(sim, file[i], err);
    return rc;
}

enum tt_code tt_sim_submit(struct tt_service *s, struct tt_sim *sim,
                           tt_err *err)
{
    enum tt_code rc = clear_results(sim, err);

    if (rc != TT_OK)
        return rc;
    sim->state = TT_SIM_QUEUED;
    sim->turn = ++s->turn;
    tt_sim_tick(s);
    return TT_OK;
}

/* It has ended, well or not. */
static void finish(struct tt_sim *sim)
{
    if (sim->socket)
        tt_live_tick(sim);
    tt_live_end(sim);
    tt_sockets_end(sim, 0);
    (void)!discard(sim, TEMP_DIR, NULL); /* what stays goes with the session */
    tt_maestro_answer_waiting(sim);
}

static enum tt_code start(struct tt_service *s, struct tt_sim *sim, tt_err *err)
{
    const char *const argv[] = {
        s->self,        "run",          "--json",       "--output",
        TT_SIM_RESULTS, sim->config[0], sim->config[1], NULL};
    char *temp = tt_sim_path(sim, TEMP_DIR);
    const struct tt_child_spec spec = {.argv = argv,
                                       .dir = sim->dir,
                                       .out = TT_SIM_SUMMARY,
                                       .err = TT_SIM_LOG,
                                       .temp = temp};
    enum tt_code rc = temp ? tt_dir_make(temp, err) : no_memory(err);

    if (rc == TT_OK)
        rc = tt_child_start(&spec, &sim->pid, err);
    tt_free(temp);
    return rc;
}

static void begin(struct tt_service *s, struct tt_sim *sim)
{
    tt_err err;

    sim->begun_ns = tt_clock_ns();
    if (start(s, sim, &err) == TT_OK) {
        sim->state = TT_SIM_RUNNING;
        s->n_running++;
        return;
    }
    sim->pid = 0;
    sim->state = TT_SIM_FAILED;
    sim->status = 500;
    memcpy(sim->msg, err.msg, sizeof(sim->msg));
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

static void look_after(struct tt_service *s, struct tt_sim *sim)
{
    struct tt_proc_result how;

    if (!sim->pid)
        return;
    if (sim->socket)
        tt_live_tick(sim);
    if (!tt_child_poll(sim->pid, &how))
        return;
    sim->pid = 0;
    s->n_running--;
    sim->exec_ms = (tt_clock_ns() - sim->begun_ns) / 1000000u;
    tt_sim_conclude(sim, &how);
    finish(sim);
}

void tt_sim_tick(struct tt_service *s)
{
    struct tt_sim *sim;

    for (sim = s->sim; sim; sim = sim->next)
        look_after(s, sim);
    while (s->n_running < s->opts->max_runs && (sim = first_waiting(s)))
        begin(s, sim);
}

void tt_sim_stop(struct tt_service *s, struct tt_sim *sim)
{
    (void)s;
    if (sim->state == TT_SIM_RUNNING) {
        sim->state = TT_SIM_STOPPING;
        tt_child_ask(sim->pid);
    } else if (sim->state == TT_SIM_QUEUED) {
        sim->state = TT_SIM_STOPPED; /* it was not its turn yet */
        finish(sim);
    }
}
