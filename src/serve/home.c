/* SPDX-License-Identifier: MIT */
/* Where the sessions are, from one service to the next. A folder belongs to one
 * service at a time. The second one, if it was given no folder of its own,
 * keeps its sessions beside the others; the first that finds those free takes
 * them over. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "serve/serve_impl.h"
#include "sys/file.h"
#include "sys/temp.h"
#include "sys/user.h"

#define SESSIONS  "sessions"
#define OWNER     ".service" /* in the folder: its owner */
#define OWNER_MAX ((size_t)512)
#define BESIDE    99u /* services at once that keep something */

/* --- its owner ------------------------------------------------------------ */

/* "http://127.0.0.1:8082/ (process 4711)", or "". */
static void read_owner(const char *dir, char out[OWNER_MAX])
{
    char *path = tt_path_join(dir, OWNER);
    size_t n = path ? tt_file_head(path, out, OWNER_MAX - 1) : 0;

    out[n] = '\0';
    out[strcspn(out, "\n")] = '\0';
    tt_free(path);
}

void tt_home_sign(const struct tt_service *s, const char *url)
{
    char *path = s->lock >= 0 ? tt_path_join(s->root, OWNER) : NULL;
    char text[OWNER_MAX];

    snprintf(text, sizeof(text), "%s (process %ld)\n", url, (long)getpid());
    if (path) /* without it others know less, and that is all */
        (void)!tt_file_replace(path, text, strlen(text), NULL);
    tt_free(path);
}

static void unsign(const struct tt_service *s)
{
    char *path = tt_path_join(s->root, OWNER);

    if (path)
        (void)unlink(path);
    tt_free(path);
}

/* --- opening -------------------------------------------------------------- */

/* It is ours: free of what jobs left, and its sessions are known. */
static enum tt_code settle(struct tt_service *s, const char *dir, tt_err *err)
{
    char *jobs;
    enum tt_code rc;

    s->root = tt_path_real(dir); /* units could put links below, not above */
    jobs = s->root ? tt_path_join(s->root, TT_JOBS_DIR) : NULL;
    rc =
        jobs ? tt_dir_remove(jobs, err) : tt_nomem(err, "starting the service");
    tt_free(jobs);
    return rc == TT_OK ? tt_store_load(s, err) : rc;
}

static enum tt_code open_given(struct tt_service *s, tt_err *err)
{
    const char *dir = s->opts->dir;
    enum tt_code rc = tt_dir_make(dir, err);
    char owner[OWNER_MAX];

    if (rc == TT_OK)
        rc = tt_dir_lock(dir, &s->lock, err);
    if (rc == TT_ESTATE) {
        read_owner(dir, owner);
        if (owner[0])
            (void)tt_fail(err, rc,
                          "%s belongs to the service at %s; open that, or "
                          "give this one a folder of its own",
                          dir, owner);
    }
    if (rc != TT_OK)
        return tt_context(err, rc, "--dir");
    return settle(s, dir, err);
}

/* The n-th folder beside each other: "sessions", "sessions-2", ... */
static char *nth(const char *data, unsigned n)
{
    char name[32];

    snprintf(name, sizeof(name), n > 1 ? SESSIONS "-%u" : SESSIONS, n);
    return tt_path_join(data, name);
}

struct move {
    const char *from, *to;
    unsigned n;
};

static enum tt_code move_session(void *ctx, const char *name, tt_err *err)
{
    struct move *m = ctx;
    char *from = tt_path_join(m->from, name), *to = tt_path_join(m->to, name);

    (void)err;
    if (from && to && tt_session_is_id(name) && rename(from, to) == 0)
        m->n++; /* what cannot be moved stays where it is */
    TT_FREE_ALL(from, to);
    return TT_OK;
}

/* Sessions that services beside an earlier one kept, and that have no owner
 * now. */
static void take_over(struct tt_service *s, const char *data, const char *dir)
{
    struct move m = {.to = dir};
    int fd;

    for (unsigned n = 2; n <= BESIDE; n++) {
        char *from = nth(data, n);

        if (from && tt_file_is_dir(from) &&
            tt_dir_lock(from, &fd, NULL) == TT_OK) {
            m.from = from;
            (void)!tt_dir_list(from, move_session, &m, NULL);
            (void)close(fd);
        }
        tt_free(from);
    }
    if (m.n)
        snprintf(s->note, sizeof(s->note),
                 "%u of them kept by a service beside an earlier one", m.n);
}

/* The first of them that is free. */
static enum tt_code open_free(struct tt_service *s, const char *data,
                              tt_err *err)
{
    enum tt_code rc = TT_ESTATE;
    char owner[OWNER_MAX] = "";

    for (unsigned n = 1; rc == TT_ESTATE && n <= BESIDE; n++) {
        char *dir = nth(data, n);

        rc = dir ? tt_user_dir_make(dir, err)
                 : tt_nomem(err, "starting the service");
        if (rc == TT_OK)
            rc = tt_dir_lock(dir, &s->lock, err);
        if (rc == TT_ESTATE && n == 1)
            read_owner(dir, owner);
        if (rc == TT_OK && n == 1)
            take_over(s, data, dir);
        else if (rc == TT_OK)
            snprintf(s->note, sizeof(s->note),
                     "those in %s/" SESSIONS " belong to the service at %s",
                     data, owner[0] ? owner : "another address");
        if (rc == TT_OK)
            rc = settle(s, dir, err);
        tt_free(dir);
    }
    return rc;
}

static enum tt_code open_temporary(struct tt_service *s, struct tt_temp *temp,
                                   const tt_err *why, tt_err *err)
{
    enum tt_code rc;

    snprintf(s->note, sizeof(s->note),
             "they go with the service: %.300s; --dir FOLDER keeps them",
             why->msg);
    tt_temp_sweep();
    rc = tt_temp_open(temp, err);
    if (rc != TT_OK)
        return rc;
    s->root = tt_path_absolute(temp->path);
    return s->root ? TT_OK : tt_nomem(err, "starting the service");
}

enum tt_code tt_home_open(struct tt_service *s, struct tt_temp *temp,
                          tt_err *err)
{
    char *data = NULL;
    enum tt_code rc;
    tt_err why;

    if (s->opts->dir)
        return open_given(s, err);
    rc = tt_user_data(&data, &why);
    if (rc == TT_OK)
        rc = open_free(s, data, &why);
    tt_free(data);
    if (rc == TT_OK)
        return rc;
    if (s->root) { /* it is there, and ours, but cannot be read */
        *err = why;
        return rc;
    }
    return open_temporary(s, temp, &why, err);
}

void tt_home_close(struct tt_service *s, struct tt_temp *temp)
{
    while (s->session)
        if (s->lock >= 0)
            tt_session_close(s, s->session);
        else
            tt_session_end(s, s->session, "the service ends");
    if (s->lock >= 0) {
        if (s->root)
            unsign(s);
        (void)close(s->lock);
    }
    tt_free(s->root);
    tt_temp_close(temp);
}
