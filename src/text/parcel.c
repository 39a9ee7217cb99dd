/* SPDX-License-Identifier: MIT */
#include "text/parcel.h"

#include <zip.h>

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "sys/file.h"

/* 1980-01-01, the first a zip can state: the same input gives the same file. */
#define NO_TIME ((time_t)315532800)

struct tt_parcel {
    zip_t *zip; /* owned */
    char *path; /* owned */
};

static enum tt_code fail_zip(const tt_parcel *p, const char *what, tt_err *err)
{
    return tt_fail(err, TT_EIO, "%s: cannot be written: %s%s", p->path, what,
                   zip_strerror(p->zip));
}

enum tt_code tt_parcel_new(tt_parcel **out, const char *path, tt_err *err)
{
    tt_parcel *p;
    int code = 0;

    if (!TT_NEW(p))
        return tt_fail(err, TT_ENOMEM, "writing %s", path);
    p->path = tt_strdup(path);
    p->zip = p->path ? zip_open(path, ZIP_CREATE | ZIP_TRUNCATE, &code) : NULL;
    if (p->zip) {
        *out = p;
        return TT_OK;
    }
    if (p->path) {
        zip_error_t e;

        zip_error_init_with_code(&e, code);
        (void)tt_fail(err, TT_EIO, "%s: cannot be written: %s", path,
                      zip_error_strerror(&e));
        zip_error_fini(&e);
    } else {
        (void)tt_fail(err, TT_ENOMEM, "writing %s", path);
    }
    tt_parcel_drop(p);
    return err ? err->code : TT_EIO;
}

void tt_parcel_drop(tt_parcel *p)
{
    if (!p)
        return;
    if (p->zip)
        zip_discard(p->zip);
    TT_FREE_ALL(p->path, p);
}

static enum tt_code add(tt_parcel *p, const char *name, zip_source_t *source,
                        tt_err *err)
{
    zip_int64_t at = source ? zip_file_add(p->zip, name, source,
                                           ZIP_FL_ENC_UTF_8 | ZIP_FL_OVERWRITE)
                            : -1;

    if (at < 0) {
        enum tt_code rc = fail_zip(p, "", err);

        zip_source_free(source);
        return rc;
    }
    if (zip_file_set_mtime(p->zip, (zip_uint64_t)at, NO_TIME, 0) != 0)
        return fail_zip(p, "", err);
    return TT_OK;
}

enum tt_code tt_parcel_add(tt_parcel *p, const char *name,
                           const struct tt_buf *b, tt_err *err)
{
    enum tt_code rc = tt_buf_check(b, name, err);
    zip_source_t *source;
    void *copy; /* the source frees it */

    if (rc != TT_OK)
        return rc;
    copy = malloc(b->len ? b->len : 1);
    if (!copy)
        return tt_fail(err, TT_ENOMEM, "writing %s", p->path);
    memcpy(copy, b->data ? b->data : "", b->len);
    source = zip_source_buffer(p->zip, copy, b->len, 1);
    if (!source)
        free(copy);
    /* NOLINTNEXTLINE(clang-analyzer-unix.Malloc): the source has it */
    return add(p, name, source, err);
}

enum tt_code tt_parcel_add_file(tt_parcel *p, const char *name,
                                const char *path, tt_err *err)
{
    return add(p, name, zip_source_file(p->zip, path, 0, -1), err);
}

enum tt_code tt_parcel_close(tt_parcel *p, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (zip_close(p->zip) == 0)
        p->zip = NULL;
    else
        rc = fail_zip(p, "", err);
    tt_parcel_drop(p);
    return rc;
}
