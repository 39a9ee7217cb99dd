/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "serve/serve_impl.h"
#include "sys/child.h"
#include "sys/clock.h"
#include "sys/file.h"

#define JOBS_MAX    4u /* at once */
#define JOB_SECONDS 60u
#define OUTPUT_MAX  ((size_t)64 << 20)
#define WORDS_MAX   ((size_t)1 << 20)
#define OUT_FILE    "out"
#define ERR_FILE    "err"

struct tt_job {
    struct tt_request *waiting; /* one, or NULL: it has gone */
    tt_job_fn done;
    char **argv;  /* NULL ends them */
    char *dir;    /* to work in */
    char *input;  /* in dir, or NULL */
    char *folder; /* its own, for what it prints */
    int pid;      /* 0: not its turn yet */
    uint64_t begun_ns;
    struct tt_job *next;
};

static void delist(struct tt_service *s, const struct tt_job *j)
{
    struct tt_job **at = &s->job;

    while (*at && *at != j)
        at = &(*at)->next;
    if (*at)
        *at = j->next;
}

static void job_free(struct tt_service *s, struct tt_job *j)
{
    delist(s, j);
    if (j->folder)
        (void)!tt_dir_remove_plain(j->folder, NULL); /* it goes with the root */
    for (size_t i = 0; j->argv && j->argv[i]; i++)
        tt_free(j->argv[i]);
    TT_FREE_ALL(j->argv, j->dir, j->input, j->folder, j);
}

/* --- starting ------------------------------------------------------------- */

static enum tt_code copy_args(struct tt_job *j, const char *self,
                              const char *const *arg, tt_err *err)
{
    size_t n = 0;

    while (arg[n])
        n++;
    if (!TT_NEW_ARRAY(j->argv, n + 2)) /* the program, and the end */
        return tt_nomem(err, "a job");
    for (size_t i = 0; i <= n; i++)
        if (!(j->argv[i] = tt_strdup(i ? arg[i - 1] : self)))
            return tt_nomem(err, "a job");
    return TT_OK;
}

/* Arguments that name files of its own get their folder. */
static enum tt_code place_args(struct tt_job *j, tt_err *err)
{
    for (size_t i = 1; j->argv[i]; i++) {
        size_t n = strlen(TT_JOB_FILE);
        char *path;

        if (strncmp(j->argv[i], TT_JOB_FILE, n) != 0)
            continue;
        path = tt_path_join(j->folder, j->argv[i] + n);
        if (!path)
            return tt_nomem(err, "a job");
        tt_free(j->argv[i]);
        j->argv[i] = path;
    }
    return TT_OK;
}

static enum tt_code start(const struct tt_service *s, struct tt_job *j,
                          tt_err *err)
{
    char *out = tt_path_join(j->folder, OUT_FILE);
    char *words = tt_path_join(j->folder, ERR_FILE);
    struct tt_guarded guarded;
    const struct tt_child_spec spec = {.argv = (const char *const *)j->argv,
                                       .dir = j->dir,
                                       .in = j->input,
                                       .out = out,
                                       .err = words,
                                       .temp = j->folder,
                                       .sandbox =
                                           tt_guard(s, j->folder, &guarded)};
    enum tt_code rc;

    rc = out && words ? tt_child_start(&spec, &j->pid, err)
                      : tt_nomem(err, "a job");
    j->begun_ns = tt_clock_ns();
    TT_FREE_ALL(out, words);
    return rc;
}

static enum tt_code put_file(const struct tt_job *j,
                             const struct tt_job_spec *spec, tt_err *err)
{
    char *path = tt_path_join(j->folder, spec->file);
    enum tt_code rc = path
                          ? tt_file_replace(path, spec->text, spec->text_n, err)
                          : tt_nomem(err, "a job");

    tt_free(path);
    return rc;
}

static enum tt_code make(struct tt_service *s, struct tt_job *j,
                         const struct tt_job_spec *spec, tt_err *err)
{
    char name[32];
    enum tt_code rc = copy_args(j, s->self, spec->arg, err);

    if (rc != TT_OK)
        return rc;
    snprintf(name, sizeof(name), TT_JOBS_DIR "/%llu",
             (unsigned long long)++s->turn);
    j->done = spec->done;
    j->folder = tt_path_join(s->root, name);
    j->dir = tt_strdup(spec->dir ? spec->dir : j->folder);
    j->input = tt_strdup(spec->input);
    if (!j->dir || !j->folder || (spec->input && !j->input))
        return tt_nomem(err, "a job");
    rc = place_args(j, err);
    if (rc == TT_OK)
        rc = tt_dir_make_new(j->folder, err);
    return rc == TT_OK && spec->file ? put_file(j, spec, err) : rc;
}

enum tt_code tt_job_start(struct tt_service *s, struct tt_request *r,
                          const struct tt_job_spec *spec, tt_err *err)
{
    struct tt_job *j;
    enum tt_code rc;

    if (!TT_NEW(j))
        return tt_nomem(err, "a job");
    rc = make(s, j, spec, err);
    if (rc != TT_OK) {
        job_free(s, j);
        return rc;
    }
    j->next = s->job;
    s->job = j;
    tt_request_wait(r, &j->waiting);
    tt_job_tick(s);
    tt_loop_hurry(s);
    return TT_OK;
}

/* --- ending --------------------------------------------------------------- */

void tt_job_read(const struct tt_job_result *res, struct tt_buf *out)
{
    tt_buf_init(out, OUTPUT_MAX);
    if (!res->out || tt_file_read_plain(out, res->out, NULL) != TT_OK)
        tt_buf_clear(out);
}

/* Its input has a name that clients know. */
static void add_words(struct tt_buf *b, const char *text, size_t n,
                      const char *input)
{
    const char *end = text + n, *at;

    while (input && (at = strstr(text, TT_JOB_INPUT)) && at < end) {
        tt_buf_add(b, text, (size_t)(at - text));
        tt_buf_str(b, input);
        text = at + strlen(TT_JOB_INPUT);
    }
    tt_buf_add(b, text, (size_t)(end - text));
}

/* "tutti: what went wrong\n" without the frame; all it printed when nothing
 * did. */
static void read_words(const struct tt_job *j, int code, struct tt_buf *b)
{
    static const char name[] = "tutti: ";
    char *path = tt_path_join(j->folder, ERR_FILE);
    struct tt_buf raw;
    const char *text;

    tt_buf_init(&raw, WORDS_MAX);
    tt_buf_init(b, WORDS_MAX);
    if (!path || tt_file_read_plain(&raw, path, NULL) != TT_OK)
        tt_buf_clear(&raw);
    text = raw.len ? raw.data : "";
    if (strncmp(text, name, sizeof(name) - 1) == 0)
        text += sizeof(name) - 1;
    add_words(b, text, code ? strcspn(text, "\n") : strlen(text), j->input);
    tt_buf_fini(&raw);
    tt_free(path);
}

static void deliver(struct tt_service *s, struct tt_job *j,
                    const struct tt_proc_result *how)
{
    struct tt_request *r = tt_request_next(&j->waiting);
    struct tt_job_result res = {.code = how->value, .folder = j->folder};
    char *out;

    if (!r)
        return;
    if (how->how == TT_PROC_KILLED) {
        tt_answer_error(&r->answer, 500, "the process was ended by %s",
                        tt_signal_name(how->value));
    } else {
        res.out = out = tt_path_join(j->folder, OUT_FILE);
        read_words(j, res.code, &res.err);
        j->done(s, r, &res);
        tt_buf_fini(&res.err);
        tt_free(out);
    }
    tt_request_send(r);
}

/* What takes too long is ended, and so is what no request waits for any
 * more. */
static int is_over(struct tt_job *j)
{
    uint64_t ran = tt_clock_ns() - j->begun_ns;
    struct tt_request *r;

    if (j->waiting && ran < (uint64_t)JOB_SECONDS * 1000000000u)
        return 0;
    tt_child_kill(j->pid);
    r = tt_request_next(&j->waiting);
    if (r) {
        tt_answer_error(&r->answer, 500, "took longer than %u s", JOB_SECONDS);
        tt_request_send(r);
    }
    return 1;
}

static void begin(struct tt_service *s, struct tt_job *j)
{
    struct tt_request *r;
    tt_err err;

    if (j->waiting && start(s, j, &err) == TT_OK)
        return;
    if ((r = tt_request_next(&j->waiting))) {
        tt_answer_err(&r->answer, &err);
        tt_request_send(r);
    }
    job_free(s, j);
}

/* One that is over, taken out of the list; NULL: none is. What it leads to may
 * start others, so the list is looked through again after each. */
static struct tt_job *take_over(struct tt_service *s,
                                struct tt_proc_result *how, int *ended)
{
    for (struct tt_job *j = s->job; j; j = j->next) {
        if (!j->pid)
            continue;
        *ended = tt_child_poll(j->pid, how);
        if (*ended || is_over(j)) {
            delist(s, j);
            tt_guard_sweep(s);
            return j;
        }
    }
    return NULL;
}

/* The one that has waited longest, if there is room for it. */
static struct tt_job *take_waiting(struct tt_service *s)
{
    struct tt_job *oldest = NULL;
    unsigned n = 0;

    for (struct tt_job *j = s->job; j; j = j->next)
        if (j->pid)
            n++;
        else
            oldest = j; /* the last in the list joined first */
    return n < JOBS_MAX ? oldest : NULL;
}

void tt_job_tick(struct tt_service *s)
{
    struct tt_proc_result how;
    struct tt_job *j;
    int ended;

    while ((j = take_over(s, &how, &ended))) {
        if (ended)
            deliver(s, j, &how);
        job_free(s, j);
    }
    while ((j = take_waiting(s)))
        begin(s, j);
}

int tt_job_pids(const struct tt_service *s, struct tt_kin *kin)
{
    int bad = 0;

    for (const struct tt_job *j = s->job; j; j = j->next)
        if (j->pid)
            bad |= tt_kin_add(kin, j->pid);
    return bad;
}

void tt_job_forget(struct tt_service *s, const struct tt_session *ses,
                   const struct tt_sim *run, const char *why)
{
    for (struct tt_job *j = s->job; j; j = j->next) {
        struct tt_request *r = j->waiting;

        if (!r || r->place.session != ses || (run && r->place.run != run))
            continue;
        tt_request_leave(r);
        tt_answer_error(&r->answer, 404, "session '%s': %s", ses->id, why);
        tt_request_send(r);
    }
}

int tt_job_is_awaited(const struct tt_service *s, const struct tt_session *ses)
{
    for (const struct tt_job *j = s->job; j; j = j->next)
        if (j->waiting && j->waiting->place.session == ses)
            return 1;
    return 0;
}

void tt_job_end_all(struct tt_service *s)
{
    struct tt_request *r;

    while (s->job) {
        if (s->job->pid)
            tt_child_kill(s->job->pid);
        if ((r = tt_request_next(&s->job->waiting))) {
            tt_answer_error(&r->answer, 500, "the service ends");
            tt_request_send(r);
        }
        job_free(s, s->job);
    }
    tt_guard_sweep(s);
}
