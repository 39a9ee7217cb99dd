/* SPDX-License-Identifier: MIT */
#include "text/archive_impl.h"

#include <string.h>

#define CHUNK       ((size_t)64 * 1024)
#define MODE_MASK   0170000u
#define MODE_FILE   0100000u
#define MODE_FOLDER 0040000u

static enum tt_code zip_fail(const tt_archive *a, zip_error_t *e, tt_err *err)
{
    int code = zip_error_code_zip(e);

    if (code == ZIP_ER_MEMORY)
        return tt_fail(err, TT_ENOMEM, "%s", a->path);
    if (code == ZIP_ER_OPEN || code == ZIP_ER_READ || code == ZIP_ER_NOENT)
        return tt_fail(err, TT_EIO, "%s: %s", a->path, zip_error_strerror(e));
    return tt_fail(err, TT_EINPUT, "%s: not a readable zip archive: %s",
                   a->path, zip_error_strerror(e));
}

/* libzip gives names as UTF-8, converted from code page 437 when they are not,
 * and a NUL in a name as a space: it cannot cut a name short. */
static enum tt_code entry_name(tt_archive *a, zip_uint64_t i, const char **name,
                               tt_err *err)
{
    const char *raw = zip_get_name(a->zip, i, ZIP_FL_ENC_RAW);

    *name = zip_get_name(a->zip, i, ZIP_FL_ENC_GUESS);
    if (!raw || !*name)
        return tt_fail(err, TT_EINPUT, "%s: entry %llu has an unreadable name",
                       a->path, (unsigned long long)i);
    for (const char *p = raw; *p; p++) {
        if ((unsigned char)*p < 0x20 || *p == 0x7f)
            return tt_fail(err, TT_EINPUT,
                           "%s: entry '%s' has a control character in its name",
                           a->path, archive_show(raw).s);
    }
    return TT_OK;
}

/* Neither links nor devices. The mode is there when a Unix tool packed it;
 * others leave these bits zero. */
static int special(tt_archive *a, zip_uint64_t i)
{
    zip_uint8_t system;
    zip_uint32_t attributes = 0;
    zip_uint32_t kind;

    if (zip_file_get_external_attributes(a->zip, i, 0, &system, &attributes))
        return 1;
    kind = attributes >> 16 & MODE_MASK;
    return kind != 0 && kind != MODE_FILE && kind != MODE_FOLDER;
}

/* What all entries state together. */
struct claims {
    uint64_t size, packed;
};

/* Entries that lie in each other make of few bytes as many as one likes. */
static enum tt_code check_overlap(const tt_archive *a, struct claims *all,
                                  uint64_t packed, tt_err *err)
{
    if (packed > a->bytes - all->packed)
        return tt_fail(err, TT_EINPUT,
                       "%s: its entries overlap, or claim more bytes than the "
                       "%llu of the file",
                       a->path, (unsigned long long)a->bytes);
    all->packed += packed;
    return TT_OK;
}

static enum tt_code list_one(tt_archive *a, zip_uint64_t i, struct claims *all,
                             tt_err *err)
{
    const char *name;
    enum tt_code rc = entry_name(a, i, &name, err);
    zip_stat_t st;

    if (rc != TT_OK)
        return rc;
    if (zip_stat_index(a->zip, i, 0, &st) != 0)
        return zip_fail(a, zip_get_error(a->zip), err);
    if (special(a, i))
        return tt_fail(err, TT_EINPUT, "%s: entry '%s' is a link or a device",
                       a->path, archive_show(name).s);
    if (st.valid & ZIP_STAT_ENCRYPTION_METHOD && st.encryption_method)
        return tt_fail(err, TT_EINPUT, "%s: entry '%s' is encrypted", a->path,
                       archive_show(name).s);
    if (st.size > TT_ARCHIVE_MAX_ENTRY ||
        st.size > TT_ARCHIVE_MAX_TOTAL - all->size)
        return tt_fail(err, TT_EINPUT,
                       "%s: entry '%s' claims %llu bytes; %llu are allowed for "
                       "one entry, %llu for all",
                       a->path, archive_show(name).s,
                       (unsigned long long)st.size,
                       (unsigned long long)TT_ARCHIVE_MAX_ENTRY,
                       (unsigned long long)TT_ARCHIVE_MAX_TOTAL);
    all->size += st.size;
    rc = check_overlap(a, all, st.comp_size, err);
    if (rc != TT_OK)
        return rc;
    if (st.comp_method != ZIP_CM_STORE && st.comp_method != ZIP_CM_DEFLATE)
        tt_findings_add(&a->findings, TT_SEV_WARNING, 0, "ZIP-METHOD",
                        "entry '%s' is compressed with method %u; FMI allows "
                        "8 (deflate) and 0 (store)",
                        archive_show(name).s, (unsigned)st.comp_method);
    return archive_add(
        a,
        &(struct archive_entry){
            .name = name, .index = i, .packed = st.comp_size, .size = st.size},
        err);
}

static enum tt_code list_all(tt_archive *a, tt_err *err)
{
    zip_int64_t n = zip_get_num_entries(a->zip, 0);
    struct claims all = {0};
    enum tt_code rc = TT_OK;

    if (n > (zip_int64_t)TT_ARCHIVE_MAX_ENTRIES)
        return tt_fail(err, TT_EINPUT, "%s: more than %u entries", a->path,
                       TT_ARCHIVE_MAX_ENTRIES);
    for (zip_int64_t i = 0; i < n && rc == TT_OK; i++)
        rc = list_one(a, (zip_uint64_t)i, &all, err);
    return rc;
}

static enum tt_code open_source(tt_archive *a, zip_source_t *source,
                                zip_error_t *e, tt_err *err)
{
    zip_stat_t st;

    if (!source)
        return zip_fail(a, e, err);
    if (zip_source_stat(source, &st) == 0 && st.valid & ZIP_STAT_SIZE)
        a->bytes = st.size;
    if (a->bytes == 0) { /* to libzip an archive without entries */
        zip_source_free(source);
        return tt_fail(err, TT_EINPUT, "%s: the file is empty", a->path);
    }
    a->zip = zip_open_from_source(source, ZIP_RDONLY, e);
    if (!a->zip) {
        zip_source_free(source); /* ours still */
        return zip_fail(a, e, err);
    }
    return list_all(a, err);
}

enum tt_code archive_zip_open(tt_archive *a, tt_err *err)
{
    enum tt_code rc;
    zip_error_t e;

    zip_error_init(&e);
    rc = open_source(a, zip_source_file_create(a->path, 0, -1, &e), &e, err);
    zip_error_fini(&e);
    return rc;
}

enum tt_code archive_zip_open_memory(tt_archive *a, const void *data, size_t n,
                                     tt_err *err)
{
    enum tt_code rc;
    zip_error_t e;

    zip_error_init(&e);
    rc = open_source(a, zip_source_buffer_create(data, n, 0, &e), &e, err);
    zip_error_fini(&e);
    return rc;
}

void archive_zip_close(tt_archive *a)
{
    if (a->zip)
        zip_discard(a->zip); /* we never change it */
    a->zip = NULL;
}

/* Whatever the headers state, these bytes were really made. */
static enum tt_code check_amount(const tt_archive *a,
                                 const struct archive_entry *e, uint64_t size,
                                 uint64_t total, tt_err *err)
{
    /* An entry cannot be packed into more bytes than the file has. */
    uint64_t packed = e->packed < a->bytes ? e->packed : a->bytes;

    if (size > e->size)
        return tt_fail(err, TT_EINPUT,
                       "%s: entry '%s' inflates to more than the %llu bytes it "
                       "claims",
                       a->path, archive_show(e->name).s,
                       (unsigned long long)e->size);
    if (size > TT_ARCHIVE_MAX_ENTRY)
        return tt_fail(err, TT_EINPUT,
                       "%s: entry '%s' inflates to more than %llu bytes",
                       a->path, archive_show(e->name).s,
                       (unsigned long long)TT_ARCHIVE_MAX_ENTRY);
    if (total > TT_ARCHIVE_MAX_TOTAL)
        return tt_fail(err, TT_EINPUT,
                       "%s: its entries inflate to more than %llu bytes",
                       a->path, (unsigned long long)TT_ARCHIVE_MAX_TOTAL);
    if (size > TT_ARCHIVE_RATIO_FROM && size / TT_ARCHIVE_MAX_RATIO > packed)
        return tt_fail(err, TT_EINPUT,
                       "%s: entry '%s' inflates to more than %u times its size "
                       "(a zip bomb?)",
                       a->path, archive_show(e->name).s, TT_ARCHIVE_MAX_RATIO);
    return TT_OK;
}

static enum tt_code read_fail(const tt_archive *a,
                              const struct archive_entry *e, zip_error_t *ze,
                              tt_err *err)
{
    enum tt_code code =
        zip_error_code_zip(ze) == ZIP_ER_MEMORY ? TT_ENOMEM : TT_EINPUT;

    return tt_fail(err, code, "%s: entry '%s' cannot be read: %s", a->path,
                   archive_show(e->name).s, zip_error_strerror(ze));
}

enum tt_code archive_zip_read(tt_archive *a, const struct archive_entry *e,
                              uint64_t *total, archive_chunk_fn fn, void *ctx,
                              tt_err *err)
{
    zip_file_t *f = zip_fopen_index(a->zip, e->index, 0);
    char *chunk = tt_alloc(CHUNK);
    enum tt_code rc = TT_OK;
    uint64_t size = 0;

    if (!f)
        rc = read_fail(a, e, zip_get_error(a->zip), err);
    else if (!chunk)
        rc = tt_fail(err, TT_ENOMEM, "%s", a->path);
    while (rc == TT_OK) {
        zip_int64_t got = zip_fread(f, chunk, CHUNK);

        if (got < 0)
            rc = read_fail(a, e, zip_file_get_error(f), err);
        if (got <= 0)
            break; /* at the end libzip has compared the checksum */
        size += (uint64_t)got;
        *total += (uint64_t)got;
        rc = check_amount(a, e, size, *total, err);
        if (rc == TT_OK)
            rc = fn(ctx, chunk, (size_t)got, err);
    }
    if (f)
        (void)zip_fclose(f);
    tt_free(chunk);
    return rc;
}
