/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "serve/serve_impl.h"
#include "sys/child.h"
#include "sys/clock.h"
#include "sys/file.h"

#define ID_BYTES 16

/* A random UUID (version 4): a session cannot be guessed. */
static enum tt_code new_id(char out[TT_ID_SIZE], tt_err *err)
{
    unsigned char b[ID_BYTES] = {0};
    enum tt_code rc = tt_random_bytes(b, sizeof(b), err);
    size_t at = 0;

    b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
    b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
    for (int i = 0; i < ID_BYTES; i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            out[at++] = '-';
        out[at++] = "0123456789abcdef"[b[i] >> 4];
        out[at++] = "0123456789abcdef"[b[i] & 15];
    }
    out[at] = '\0';
    return rc;
}

const char *tt_base_option(const struct tt_service *s)
{
    return s->opts->local_files ? "--base" : "--only-base";
}

int tt_session_is_id(const char *text)
{
    for (size_t i = 0; i < TT_ID_SIZE - 1; i++) {
        int dash = i == 8 || i == 13 || i == 18 || i == 23;

        if (!text[i] ||
            (dash ? text[i] != '-' : !strchr("0123456789abcdef", text[i])))
            return 0;
    }
    return text[TT_ID_SIZE - 1] == '\0';
}

static void session_free(struct tt_session *ses)
{
    TT_FREE_ALL(ses->name, ses->dir, ses);
}

/* Among the others, the newest first; their order survives the service. */
static void enlist(struct tt_service *s, struct tt_session *ses)
{
    struct tt_session **at = &s->session;

    while (*at && (*at)->created_ms > ses->created_ms)
        at = &(*at)->next;
    ses->next = *at;
    *at = ses;
    s->n_session++;
}

/* Maestro's, in a folder of its own: its units write there, and nowhere else in
 * the session. */
static enum tt_code make_sim(struct tt_service *s, struct tt_session *ses,
                             tt_err *err)
{
    char *dir = tt_session_path(ses, TT_MAESTRO_RUN);
    enum tt_code rc = TT_OK;

    if (!dir)
        rc = tt_nomem(err, "a session");
    else if (!tt_file_is_dir(dir))
        rc = tt_dir_make_new(dir, err);
    if (rc == TT_OK)
        rc = tt_sim_new(s, ses, dir, &ses->sim, err);
    tt_free(dir);
    return rc;
}

/* `fresh`: its folder is made. */
static enum tt_code make(struct tt_service *s, struct tt_session *ses,
                         int fresh, tt_err *err)
{
    enum tt_code rc = TT_OK;

    ses->used_ns = tt_clock_ns();
    if (!(ses->dir = tt_path_join(s->root, ses->id)))
        return tt_nomem(err, "a session");
    if (fresh)
        rc = tt_dir_make_new(ses->dir, err);
    if (rc == TT_OK && fresh)
        rc = tt_store_session(ses, err);
    return rc == TT_OK ? make_sim(s, ses, err) : rc;
}

static enum tt_code add(struct tt_service *s, const char *id,
                        struct tt_session **out, tt_err *err)
{
    struct tt_session *ses;
    enum tt_code rc = TT_OK;

    if (!TT_NEW(ses))
        return tt_nomem(err, "a session");
    if (id)
        memcpy(ses->id, id, TT_ID_SIZE);
    else
        rc = new_id(ses->id, err);
    ses->created_ms = tt_clock_wall_ms();
    if (rc == TT_OK)
        rc = make(s, ses, !id, err);
    if (rc != TT_OK) {
        if (!id && ses->dir)
            (void)!tt_dir_remove(ses->dir, NULL); /* it never was one */
        session_free(ses);
        return rc;
    }
    *out = ses;
    return TT_OK;
}

int tt_session_may_come(const struct tt_service *s, struct tt_answer *a)
{
    if (s->n_session < s->opts->max_sessions)
        return 1;
    tt_answer_full(a,
                   "there are %u sessions already (--max-sessions); destroy "
                   "some",
                   s->n_session);
    return 0;
}

enum tt_code tt_session_new(struct tt_service *s, struct tt_session **out,
                            tt_err *err)
{
    enum tt_code rc = add(s, NULL, out, err);

    if (rc == TT_OK)
        enlist(s, *out);
    return rc;
}

enum tt_code tt_session_open(struct tt_service *s, const char *id,
                             uint64_t created_ms, struct tt_session **out,
                             tt_err *err)
{
    enum tt_code rc = add(s, id, out, err);

    if (rc != TT_OK)
        return rc;
    (*out)->created_ms = created_ms;
    enlist(s, *out);
    return TT_OK;
}

struct tt_session *tt_session_find(struct tt_service *s, const char *id)
{
    struct tt_session *ses = s->session;

    while (ses && strcmp(ses->id, id) != 0)
        ses = ses->next;
    if (ses)
        ses->used_ns = tt_clock_ns();
    return ses;
}

static void end_sims(struct tt_service *s, struct tt_session *ses,
                     const char *why)
{
    struct tt_sim *sim = s->sim, *next;

    tt_job_forget(s, ses, NULL, why);
    for (; sim; sim = next) {
        next = sim->next;
        if (sim->session == ses)
            tt_sim_free(s, sim, why);
    }
}

static void delist(struct tt_service *s, struct tt_session *ses)
{
    struct tt_session **at = &s->session;

    while (*at != ses)
        at = &(*at)->next;
    *at = ses->next;
    s->n_session--;
}

void tt_session_end(struct tt_service *s, struct tt_session *ses,
                    const char *why)
{
    end_sims(s, ses, why);
    tt_job_forget(s, ses, NULL, why);
    delist(s, ses);
    (void)!tt_dir_remove_plain(ses->dir,
                               NULL); /* what stays goes with the root */
    session_free(ses);
}

void tt_session_close(struct tt_service *s, struct tt_session *ses)
{
    for (struct tt_sim *sim = s->sim; sim; sim = sim->next)
        if (sim->session == ses)
            tt_store_interrupt(sim);
    end_sims(s, ses, "the service ends");
    tt_job_forget(s, ses, NULL, "the service ends");
    delist(s, ses);
    session_free(ses);
}

/* Does something run in it, or does a client look, or wait? */
static int is_used(const struct tt_service *s, const struct tt_session *ses)
{
    if (tt_job_is_awaited(s, ses))
        return 1;
    for (const struct tt_sim *sim = s->sim; sim; sim = sim->next)
        if (sim->session == ses &&
            (tt_sim_is_busy(sim) || sim->socket || sim->feed))
            return 1;
    return 0;
}

/* What a user of this machine gave a name is not ours to remove. */
static int may_expire(const struct tt_service *s, const struct tt_session *ses)
{
    return s->opts->expire > 0 && !(s->opts->loopback && ses->name);
}

void tt_session_sweep(struct tt_service *s, uint64_t now_ns)
{
    struct tt_session *ses = s->session, *next;

    for (; ses; ses = next) {
        double idle = (double)(now_ns - ses->used_ns) * 1e-9;

        next = ses->next;
        if (is_used(s, ses))
            ses->used_ns = now_ns;
        else if (may_expire(s, ses) && now_ns > ses->used_ns &&
                 idle > s->opts->expire)
            tt_session_end(s, ses, "it expired");
    }
}

char *tt_session_path(const struct tt_session *ses, const char *name)
{
    return tt_path_join(ses->dir, name);
}

enum tt_code tt_session_put(const struct tt_session *ses, const char *name,
                            const char *data, size_t n, tt_err *err)
{
    char *path = tt_session_path(ses, name);
    enum tt_code rc =
        path ? tt_file_replace(path, data, n, err) : tt_nomem(err, "a session");

    tt_free(path);
    return rc;
}

void tt_session_hide(const struct tt_session *ses, const char *text,
                     struct tt_buf *out)
{
    size_t n = strlen(ses->dir);
    const char *at;

    while ((at = strstr(text, ses->dir))) {
        tt_buf_add(out, text, (size_t)(at - text));
        text = at + n + (at[n] == '/');
    }
    tt_buf_str(out, text);
}
