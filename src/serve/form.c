/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/mem.h"
#include "serve/multipart.h"
#include "serve/serve_impl.h"

/* Files for a session, as a form sends them: any fields, any number. They are
 * kept when all have come, so that half an upload changes nothing. */

struct file {
    char name[TT_NAME_MAX + 1];
    struct tt_incoming in;
};

struct upload {
    struct tt_intake base;
    struct tt_service *service;
    struct tt_multipart form;
    struct file *file;
    size_t n, cap;
    int in_file; /* the last one comes in */
    tt_err err;  /* why a callback returned -1 */
};

static void upload_free(struct tt_intake *in)
{
    struct upload *u = (struct upload *)(void *)in;

    for (size_t i = 0; i < u->n; i++)
        tt_incoming_drop(&u->file[i].in);
    TT_FREE_ALL(u->file, u);
}

/* --- what the form has ---------------------------------------------------- */

/* Some send whole paths, of Windows too. */
static const char *base_name(const char *name)
{
    for (const char *p = name; *p; p++)
        if (*p == '/' || *p == '\\')
            name = p + 1;
    return name;
}

static enum tt_code add_file(struct upload *u, const char *sent, tt_err *err)
{
    const char *name = base_name(sent), *why = tt_file_name_refused(name);
    struct file *f;

    if (why)
        return tt_fail(err, TT_EINPUT,
                       "a file cannot be called '%.200s': it "
                       "%s",
                       sent, why);
    if (TT_GROW(u->file, u->n, u->cap) != 0)
        return tt_nomem(err, "an upload");
    f = &u->file[u->n++];
    f->in = (struct tt_incoming)TT_INCOMING_INIT;
    memcpy(f->name, name, strlen(name) + 1);
    u->in_file = 1;
    return tt_incoming_open(u->service, &f->in, err);
}

static int on_begin(void *ctx, const char *file)
{
    struct upload *u = ctx;

    u->in_file = 0;
    /* a form without a choice sends a file without a name */
    if (!file || !*file)
        return 0;
    return add_file(u, file, &u->err) == TT_OK ? 0 : -1;
}

static int on_data(void *ctx, const char *data, size_t n)
{
    struct upload *u = ctx;

    if (!u->in_file)
        return 0;
    return tt_incoming_write(&u->file[u->n - 1].in, data, n, &u->err) == TT_OK
               ? 0
               : -1;
}

static int on_end(void *ctx)
{
    ((struct upload *)ctx)->in_file = 0;
    return 0;
}

static int take(struct tt_request *r, const void *data, size_t n)
{
    struct upload *u = (struct upload *)(void *)r->intake;
    tt_err err;
    enum tt_code rc = tt_multipart_feed(&u->form, data, n, &err);

    if (rc == TT_OK)
        return 0;
    tt_answer_err(&r->answer, rc == TT_ESTOPPED ? &u->err : &err);
    return -1;
}

int tt_form_open(struct tt_service *s, struct tt_request *r, uint64_t length)
{
    static const struct tt_multipart_cb cb = {on_begin, on_data, on_end};
    uint64_t room = tt_session_room(s, r->place.session);
    char type[256];
    struct upload *u;
    tt_err err;

    if (length > room) {
        tt_answer_error(&r->answer, 413,
                        "an upload of %llu bytes; the session has room for "
                        "%llu (--max-upload)",
                        (unsigned long long)length, (unsigned long long)room);
        return -1;
    }
    if (!TT_NEW(u)) {
        tt_answer_error(&r->answer, 500, "an upload: out of memory");
        return -1;
    }
    u->base = (struct tt_intake){.take = take, .free = upload_free};
    u->service = s;
    r->intake = &u->base;
    tt_request_type(r, type, sizeof(type));
    if (tt_multipart_init(&u->form, type, &cb, u, &err) == TT_OK)
        return 0;
    tt_answer_err(&r->answer, &err);
    return -1;
}

/* --- all of it has come --------------------------------------------------- */

static enum tt_code keep_all(struct upload *u, const struct tt_session *ses,
                             tt_err *err)
{
    enum tt_code rc = tt_multipart_end(&u->form, err);

    if (rc == TT_OK && u->n == 0)
        rc = tt_fail(err, TT_EINPUT,
                     "the upload has no file: send it as a form does, with a "
                     "file name");
    for (size_t i = 0; rc == TT_OK && i < u->n; i++)
        rc = tt_incoming_keep(&u->file[i].in, ses, u->file[i].name, err);
    return rc;
}

int tt_form_keep(struct tt_request *r)
{
    struct upload *u = (struct upload *)(void *)r->intake;
    tt_err err;

    if (!u) {
        tt_answer_error(&r->answer, 400, "the upload is empty");
        return -1;
    }
    if (keep_all(u, r->place.session, &err) == TT_OK)
        return 0;
    tt_answer_err(&r->answer, &err);
    return -1;
}
