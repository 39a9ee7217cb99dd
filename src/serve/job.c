/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "serve/serve_impl.h"
#include "sys/child.h"
#include "sys/clock.h"
#include "sys/file.h"

#define ARGS_MAX    32u
#define JOBS_MAX    4u /* at once */
#define JOB_SECONDS 60u
#define OUTPUT_MAX  ((size_t)64 << 20)
#define OUT_FILE    "out"
#define ERR_FILE    "err"

struct tt_job {
    struct tt_request *waiting; /* one, or NULL: it has gone */
    tt_job_fn done;
    char *arg[ARGS_MAX]; /* argv, without the program; NULL ends them */
    char *dir;           /* to work in */
    char *folder;        /* its own, for what it prints */
    int pid;             /* 0: not its turn yet */
    uint64_t begun_ns;
    struct tt_job *next;
};

static void job_free(struct tt_service *s, struct tt_job *j)
{
    struct tt_job **at = &s->job;

    while (*at && *at != j)
        at = &(*at)->next;
    if (*at)
        *at = j->next;
    if (j->folder)
        (void)!tt_dir_remove(j->folder, NULL); /* it goes with the root */
    for (size_t i = 0; i < ARGS_MAX && j->arg[i]; i++)
        tt_free(j->arg[i]);
    tt_free(j->dir);
    tt_free(j->folder);
    tt_free(j);
}

/* --- starting ------------------------------------------------------------- */

static enum tt_code copy_args(struct tt_job *j, const char *const *arg,
                              tt_err *err)
{
    size_t n = 0;

    for (; arg[n]; n++) {
        if (n + 2 >= ARGS_MAX)
            return tt_fail(err, TT_EINPUT, "too much asked at once");
        if (!(j->arg[n] = tt_strdup(arg[n])))
            return tt_fail(err, TT_ENOMEM, "a job: out of memory");
    }
    return TT_OK;
}

static enum tt_code start(struct tt_service *s, struct tt_job *j, tt_err *err)
{
    const char *argv[ARGS_MAX + 1] = {s->self};
    char *out = tt_path_join(j->folder, OUT_FILE);
    char *words = tt_path_join(j->folder, ERR_FILE);
    const struct tt_child_spec spec = {.argv = argv,
                                       .dir = j->dir,
                                       .out = out,
                                       .err = words,
                                       .temp = j->folder};
    enum tt_code rc;

    for (size_t i = 0; i < ARGS_MAX - 1 && j->arg[i]; i++)
        argv[i + 1] = j->arg[i];
    rc = out && words ? tt_child_start(&spec, &j->pid, err)
                      : tt_fail(err, TT_ENOMEM, "a job: out of memory");
    j->begun_ns = tt_clock_ns();
    tt_free(out);
    tt_free(words);
    return rc;
}

static enum tt_code make(struct tt_service *s, struct tt_job *j,
                         const char *const *arg, const char *dir, tt_err *err)
{
    char name[32];
    enum tt_code rc = copy_args(j, arg, err);

    if (rc != TT_OK)
        return rc;
    snprintf(name, sizeof(name), "job-%llu", (unsigned long long)++s->turn);
    j->dir = tt_strdup(dir);
    j->folder = tt_path_join(s->root, name);
    if (!j->dir || !j->folder)
        return tt_fail(err, TT_ENOMEM, "a job: out of memory");
    return tt_dir_make(j->folder, err);
}

enum tt_code tt_job_start(struct tt_service *s, struct tt_request *r,
                          const char *const *arg, const char *dir,
                          tt_job_fn done, tt_err *err)
{
    struct tt_job *j;
    enum tt_code rc;

    if (!TT_NEW(j))
        return tt_fail(err, TT_ENOMEM, "a job: out of memory");
    rc = make(s, j, arg, dir, err);
    if (rc != TT_OK) {
        job_free(s, j);
        return rc;
    }
    j->done = done;
    j->next = s->job;
    s->job = j;
    tt_request_wait(r, &j->waiting);
    tt_job_tick(s);
    return TT_OK;
}

/* --- ending --------------------------------------------------------------- */

static void read_words(const struct tt_job *j, const char *name,
                       struct tt_buf *b)
{
    char *path = tt_path_join(j->folder, name);

    tt_buf_init(b, OUTPUT_MAX);
    if (!path || tt_file_read(b, path, NULL) != TT_OK)
        tt_buf_clear(b);
    tt_free(path);
}

static void deliver(struct tt_service *s, struct tt_job *j,
                    const struct tt_proc_result *how)
{
    struct tt_request *r = tt_request_next(&j->waiting);
    struct tt_job_result res = {.status = 200};

    if (!r)
        return;
    read_words(j, OUT_FILE, &res.out);
    read_words(j, ERR_FILE, &res.err);
    res.ok = how->how == TT_PROC_EXITED && how->value == 0;
    if (how->how == TT_PROC_KILLED)
        tt_answer_error(&r->answer, 500, "the process was ended by %s",
                        tt_signal_name(how->value));
    if (!res.ok)
        res.status = how->how == TT_PROC_EXITED && how->value == 2 ? 400 : 500;
    if (how->how == TT_PROC_EXITED)
        j->done(s, r, &res);
    tt_request_send(r);
    tt_buf_fini(&res.out);
    tt_buf_fini(&res.err);
}

/* What takes too long is ended, and so is what nobody waits for any more. */
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

static void look_after(struct tt_service *s, struct tt_job *j)
{
    struct tt_proc_result how;

    if (tt_child_poll(j->pid, &how))
        deliver(s, j, &how);
    else if (!is_over(j))
        return;
    job_free(s, j);
}

void tt_job_tick(struct tt_service *s)
{
    struct tt_job *j = s->job, *next, *oldest;
    unsigned n = 0;

    for (; j; j = next) {
        next = j->next;
        if (j->pid)
            look_after(s, j);
    }
    do {
        for (n = 0, oldest = NULL, j = s->job; j; j = j->next)
            if (j->pid)
                n++;
            else
                oldest = j; /* the last in the list joined first */
        if (oldest && n < JOBS_MAX)
            begin(s, oldest);
    } while (oldest && n < JOBS_MAX);
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
}
