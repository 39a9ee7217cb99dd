/* SPDX-License-Identifier: MIT */
/* Reads HDF5 files as we write them: a dataset `time`, and others of the same
 * length, in the order they were made. */
#include "table/h5.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/sha256.h"
#include "base/value.h"
#include "sys/apart.h"
#include "sys/file.h"
#include "sys/sync.h"
#include "table/h5_lib.h"
#include "table/table_impl.h"
#include "table/transfer.h"

/* --- one at a time ------------------------------------------------------- */

static struct tt_lock lock = {PTHREAD_MUTEX_INITIALIZER};
static char reason[512]; /* of the first failure since it was taken */

/* The deepest entry of the stack comes first. The system's reason is within
 * its words: "..., errno = 28, error message = 'No space left on device', ...".
 */
static herr_t take_reason(unsigned n, const H5E_error2_t *e, void *ctx)
{
    static const char before[] = "error message = '";
    const char *words = e->desc ? e->desc : "", *from, *end;

    (void)ctx;
    if (n > 0)
        return 0;
    from = strstr(words, before);
    from = from ? from + sizeof(before) - 1 : words;
    end = from == words ? NULL : strchr(from, '\'');
    (void)snprintf(reason, sizeof(reason), "%.*s",
                   (int)(end ? (size_t)(end - from) : strlen(from)), from);
    return 0;
}

/* Called at every failure, while the stack is still there. */
static herr_t remember(hid_t stack, void *ctx)
{
    if (!*reason)
        H5Ewalk2(stack, H5E_WALK_UPWARD, take_reason, ctx);
    return 0;
}

void tt_h5_take(void)
{
    tt_lock_take(&lock);
    *reason = '\0';
    H5Eset_auto2(H5E_DEFAULT, remember, NULL);
}

void tt_h5_give(void)
{
    tt_lock_give(&lock);
}

enum tt_code tt_h5_fail(const char *verb, const char *path, tt_err *err)
{
    return tt_fail(err, TT_EIO, "cannot %s %s: %s", verb, path,
                   *reason ? reason : "HDF5 gives no reason");
}

/* --- reading ------------------------------------------------------------- */

struct reader {
    tt_table *t;
    hid_t file;
    const char *path;
    H5_index_t order;
    hsize_t n;        /* links */
    const char *time; /* the dataset of the time */
};

/* Name of link i into *b. */
static enum tt_code link_name(const struct reader *r, hsize_t i,
                              struct tt_buf *b, tt_err *err)
{
    char name[4096];
    ssize_t n = H5Lget_name_by_idx(r->file, ".", r->order, H5_ITER_INC, i, name,
                                   sizeof(name), H5P_DEFAULT);

    if (n < 0)
        return tt_h5_fail("read", r->path, err);
    tt_buf_clear(b);
    tt_buf_str(b, name);
    return tt_buf_check(b, "table", err);
}

static hid_t native(hid_t type)
{
    H5T_class_t c = H5Tget_class(type);
    hid_t super, n;

    if (c != H5T_ENUM)
        return c == H5T_FLOAT || c == H5T_INTEGER ? H5Tcopy(H5T_NATIVE_DOUBLE)
                                                  : -1;
    super = H5Tget_super(type);
    /* HDF5 does not look at what a file's enumeration is made of, and its
     * values are read into the room of a double each */
    n = H5Tget_class(super) == H5T_INTEGER
            ? H5Tget_native_type(super, H5T_DIR_ASCEND)
            : -1;
    H5Tclose(super);
    if (n >= 0 && H5Tget_size(n) > sizeof(double)) {
        H5Tclose(n);
        n = -1;
    }
    return n;
}

/* Numbers; those of an enumeration are read as they are and converted in
 * place. */
static int read_numbers(struct column *c, size_t rows, hid_t set, hid_t type,
                        hid_t mem)
{
    int done = H5Dread(set, mem, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->value) >= 0;

    if (done && H5Tget_class(type) == H5T_ENUM)
        done = H5Tconvert(mem, H5T_NATIVE_DOUBLE, rows, c->value, NULL,
                          H5P_DEFAULT) >= 0;
    c->has_point = H5Tget_class(type) == H5T_FLOAT;
    return done ? 0 : -1;
}

static int split_texts(struct reader *r, struct column *c, const char *all,
                       size_t size)
{
    for (size_t i = 0; i < r->t->rows; i++) {
        c->text[i] = tt_arena_strndup(r->t->arena, all + i * size,
                                      strnlen(all + i * size, size));
        c->value[i] = (double)NAN;
        if (!c->text[i])
            return -1;
    }
    return 0;
}

/* As many bytes as the file states, which need not be in it. */
static int texts_fit(const struct reader *r, hid_t type)
{
    size_t size = H5Tget_size(type);

    return H5Tis_variable_str(type) <= 0 && size > 0 &&
           r->t->rows <= TT_TABLE_MAX_BYTES / size;
}

static int read_texts(struct reader *r, struct column *c, hid_t set, hid_t type)
{
    size_t size = H5Tget_size(type);
    char *all = tt_zalloc(r->t->rows, size);
    int done = all != NULL;

    c->is_text = 1;
    c->text = tt_arena_alloc(r->t->arena, r->t->rows, sizeof(*c->text));
    done = done && c->text &&
           H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0 &&
           split_texts(r, c, all, size) == 0;
    tt_free(all);
    return done ? 0 : -1;
}

static int is_bytes(hid_t type)
{
    hid_t super;
    int bytes;

    if (H5Tget_class(type) != H5T_VLEN)
        return 0;
    super = H5Tget_super(type);
    bytes = H5Tget_class(super) == H5T_INTEGER && H5Tget_size(super) == 1;
    H5Tclose(super);
    return bytes;
}

/* As CSV has them: length and SHA-256, which is what the file itself has of
 * long ones. */
static void sum_of(char sum[TT_BYTES_SUM_MAX], const hvl_t *v)
{
    size_t n = v->p ? v->len : 0, digits;

    if (n && n < TT_BYTES_SUM_MAX) {
        memcpy(sum, v->p, n);
        sum[n] = '\0';
        digits = strspn(sum, "0123456789");
        if (digits && sum[digits] == ':' && n == digits + TT_SHA256_HEX &&
            strspn(sum + digits + 1, "0123456789abcdef") == n - digits - 1)
            return;
    }
    (void)tt_bytes_sum(sum, n ? v->p : "", n);
}

static int read_bytes(struct reader *r, struct column *c, hid_t set)
{
    hid_t type = H5Tvlen_create(H5T_NATIVE_UCHAR), space = H5Dget_space(set);
    hvl_t *all = tt_zalloc(r->t->rows + 1, sizeof(*all));
    char sum[TT_BYTES_SUM_MAX];
    int done;

    c->is_text = 1;
    c->text = tt_arena_alloc(r->t->arena, r->t->rows, sizeof(*c->text));
    done = all && c->text &&
           H5Dread(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, all) >= 0;
    for (size_t i = 0; done && i < r->t->rows; i++) {
        sum_of(sum, &all[i]);
        c->text[i] = tt_arena_strdup(r->t->arena, sum);
        c->value[i] = (double)NAN;
        done = c->text[i] != NULL;
    }
    if (all)
        H5Dvlen_reclaim(type, space, H5P_DEFAULT, all);
    tt_free(all);
    H5Sclose(space);
    H5Tclose(type);
    return done ? 0 : -1;
}

/* Rows of a dataset of one dimension, or -1. */
static hssize_t length(hid_t set)
{
    hid_t space = H5Dget_space(set);
    hssize_t n = H5Sget_simple_extent_ndims(space) == 1
                     ? H5Sget_simple_extent_npoints(space)
                     : -1;

    H5Sclose(space);
    return n;
}

static enum tt_code bad_set(const struct reader *r, const char *name,
                            tt_err *err)
{
    return tt_fail(err, TT_EINPUT,
                   "%s: '%s' is no dataset of %zu numbers or texts", r->path,
                   name, r->t->rows);
}

/* Whether attribute `a` of this type is one text of fixed size below `max`. */
static int is_one_text(hid_t a, hid_t type, size_t max)
{
    hid_t space = H5Aget_space(a);
    hssize_t n = H5Sget_simple_extent_npoints(space);

    H5Sclose(space);
    return n == 1 && H5Tget_class(type) == H5T_STRING &&
           H5Tis_variable_str(type) <= 0 && H5Tget_size(type) < max;
}

/* The name it would have but for its slashes. */
static enum tt_code set_name(struct reader *r, uint32_t column, hid_t set,
                             const char *link, tt_err *err)
{
    char name[4096] = "";
    hid_t a, type;

    if (H5Aexists(set, "name") <= 0)
        return table_set_name(r->t, column, link, strlen(link), err);
    a = H5Aopen(set, "name", H5P_DEFAULT);
    type = H5Aget_type(a);
    if (is_one_text(a, type, sizeof(name)))
        (void)!H5Aread(a, type, name);
    H5Tclose(type);
    H5Aclose(a);
    return table_set_name(r->t, column, *name ? name : link,
                          strlen(*name ? name : link), err);
}

/* A file may name others as the place of its values; they are none of its
 * reader's business. */
static int lies_elsewhere(hid_t set)
{
    hid_t p = H5Dget_create_plist(set);
    int elsewhere =
        H5Pget_layout(p) == H5D_VIRTUAL || H5Pget_external_count(p) > 0;

    H5Pclose(p);
    return elsewhere;
}

static herr_t refuse_link(const char *parent_file, const char *parent_group,
                          const char *child_file, const char *child_object,
                          unsigned *flags, hid_t access, void *ctx)
{
    (void)parent_file, (void)parent_group, (void)child_file;
    (void)child_object, (void)flags, (void)access, (void)ctx;
    return -1;
}

static hid_t open_set(const struct reader *r, const char *name)
{
    hid_t access = H5Pcreate(H5P_DATASET_ACCESS);
    hid_t set;

    H5Pset_elink_cb(access, refuse_link, NULL);
    set = H5Dopen2(r->file, name, access);
    H5Pclose(access);
    if (set < 0 || !lies_elsewhere(set))
        return set;
    H5Dclose(set);
    return -1;
}

static enum tt_code read_values(struct reader *r, struct column *c, hid_t set,
                                const char *name, tt_err *err)
{
    hid_t type = H5Dget_type(set);
    int text = H5Tget_class(type) == H5T_STRING;
    hid_t mem = text ? -1 : native(type);
    enum tt_code rc = TT_OK;

    if (is_bytes(type))
        rc = read_bytes(r, c, set) ? tt_h5_fail("read", r->path, err) : TT_OK;
    else if (text ? !texts_fit(r, type) : mem < 0)
        rc = bad_set(r, name, err);
    else if (text ? read_texts(r, c, set, type)
                  : read_numbers(c, r->t->rows, set, type, mem))
        rc = tt_h5_fail("read", r->path, err);
    if (mem >= 0)
        H5Tclose(mem);
    H5Tclose(type);
    return rc;
}

static enum tt_code read_column(struct reader *r, uint32_t column,
                                const char *name, tt_err *err)
{
    hid_t set = open_set(r, name);
    enum tt_code rc;

    if (set < 0)
        return bad_set(r, name, err);
    rc = length(set) == (hssize_t)r->t->rows
             ? set_name(r, column, set, name, err)
             : bad_set(r, name, err);
    if (rc == TT_OK)
        rc = read_values(r, &r->t->column[column], set, name, err);
    H5Dclose(set);
    return rc;
}

static enum tt_code no_time(const struct reader *r, tt_err *err)
{
    return tt_fail(err, TT_EINPUT,
                   "%s: there is no dataset 'time' of one dimension", r->path);
}

/* As whatever wrote it calls the time. */
static const char *time_name(const struct reader *r)
{
    static const char *const usual[] = {"time", "Time", "t", "T", NULL};
    size_t i = 0;

    while (usual[i] && H5Lexists(r->file, usual[i], H5P_DEFAULT) <= 0)
        i++;
    return usual[i];
}

static enum tt_code find_rows(struct reader *r, tt_err *err)
{
    uint32_t columns = r->n < UINT32_MAX ? (uint32_t)r->n : UINT32_MAX;
    hid_t set;
    hssize_t n = -1;

    r->time = time_name(r);
    if (r->time) {
        set = open_set(r, r->time);
        if (set >= 0) {
            n = length(set);
            H5Dclose(set);
        }
    }
    if (n < 0)
        return no_time(r, err);
    return table_make_room(r->t, columns, (size_t)n, err);
}

/* All but time. In a damaged file the list of links need not agree with what
 * is found by name, so that `time` may be missing or come twice. */
static enum tt_code read_others(struct reader *r, tt_err *err)
{
    uint32_t column = 1;
    enum tt_code rc = TT_OK;
    struct tt_buf name;

    tt_buf_init(&name, 1 << 16);
    for (hsize_t i = 0; i < r->n && rc == TT_OK; i++) {
        rc = link_name(r, i, &name, err);
        if (rc != TT_OK || strcmp(name.data, r->time) == 0)
            continue;
        if (column < r->t->n)
            rc = read_column(r, column, name.data, err);
        column++;
    }
    tt_buf_fini(&name);
    if (rc == TT_OK && column != r->t->n)
        return tt_fail(err, TT_EINPUT, "%s: its list of datasets is damaged",
                       r->path);
    return rc;
}

static enum tt_code read_all(struct reader *r, tt_err *err)
{
    enum tt_code rc = find_rows(r, err);

    if (rc == TT_OK)
        rc = read_column(r, 0, r->time, err);
    if (rc == TT_OK)
        rc = read_others(r, err);
    return rc == TT_OK ? table_check_times(r->t, err) : rc;
}

static enum tt_code count_links(struct reader *r, tt_err *err)
{
    hid_t root = H5Gopen2(r->file, "/", H5P_DEFAULT);
    hid_t p = H5Gget_create_plist(root);
    unsigned flags = 0;
    H5G_info_t info;

    (void)!H5Pget_link_creation_order(p, &flags);
    H5Pclose(p);
    H5Gclose(root);
    r->order =
        flags & H5P_CRT_ORDER_INDEXED ? H5_INDEX_CRT_ORDER : H5_INDEX_NAME;
    if (H5Gget_info(r->file, &info) < 0)
        return tt_h5_fail("read", r->path, err);
    r->n = info.nlinks;
    return r->n ? TT_OK : no_time(r, err);
}

static enum tt_code load(struct reader *r, tt_err *err)
{
    enum tt_code rc;

    r->file = H5Fopen(r->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    if (r->file < 0)
        return tt_h5_fail("read", r->path, err);
    rc = count_links(r, err);
    if (rc == TT_OK)
        rc = read_all(r, err);
    H5Fclose(r->file);
    return rc;
}

static enum tt_code load_table(tt_table **out, const char *path, tt_err *err)
{
    struct reader r = {.path = path};
    enum tt_code rc = table_new(&r.t, path, err);

    if (rc == TT_OK)
        rc = load(&r, err);
    return TT_HAND_OVER(rc, out, r.t, tt_table_free);
}

/* --- in a process of its own --------------------------------------------- */

/* The library trusts files more than they deserve: a damaged one can crash it,
 * and one made for it do worse. */

#define ANSWER_MAX ((size_t)4 << 30)

static int load_apart(void *ctx, FILE *to)
{
    const char *path = ctx;
    tt_table *t = NULL;
    tt_err err;

    if (load_table(&t, path, &err) != TT_OK)
        return table_send_failure(to, &err);
    return table_send(to, t); /* it goes with the process */
}

static enum tt_code not_read(const char *path, const struct tt_proc_result *how,
                             tt_err *err)
{
    return tt_fail(err, TT_EINPUT,
                   "cannot read %s: the process that read it was ended by %s; "
                   "the file is damaged, or made to do harm",
                   path, tt_signal_name(how->value));
}

enum tt_code table_load_h5(tt_table **out, const char *path, tt_err *err)
{
    struct tt_proc_result how = {0};
    struct tt_buf answer;
    enum tt_code rc;
    char *name;

    if (!tt_file_exists(path)) {
        errno = ENOENT;
        return tt_file_fail_read(err, path);
    }
    if (!tt_h5_is_there())
        return tt_h5_missing("read", path, err);
    name = tt_strdup(path);
    if (!name)
        return tt_fail(err, TT_ENOMEM, "reading table %s", path);
    tt_buf_init(&answer, ANSWER_MAX);
    tt_h5_take(); /* the copy holds it, too */
    rc = tt_apart_run(load_apart, name, &answer, &how, err);
    tt_h5_give();
    if (rc == TT_OK)
        rc = how.how == TT_PROC_KILLED ? not_read(path, &how, err)
                                       : table_receive(out, path, &answer, err);
    tt_buf_fini(&answer);
    tt_free(name);
    return rc;
}
