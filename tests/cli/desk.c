/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <jansson.h>
#include <unistd.h>
#include <zip.h>

#include "base/mem.h"
#include "desk.h"
#include "support/run_tutti.h"
#include "sys/file.h"
#include "text/archive.h"

#define MAX_TEXT ((size_t)1 << 24)

static char *folder;
static tt_arena *names; /* what at() gave */

int desk_open(void **state)
{
    (void)state;
    /* In a sanitized build crashes are still crashes. */
    (void)setenv("ASAN_OPTIONS", "handle_segv=0", 0);
    names = tt_arena_new();
    if (!names || tt_dir_temp(&folder, NULL) != TT_OK)
        return -1;
    return setenv("XDG_CACHE_HOME", at("cache"), 1);
}

int desk_close(void **state)
{
    int rc = tt_dir_remove(folder, NULL) == TT_OK ? 0 : -1;

    (void)state;
    tt_free(folder);
    tt_arena_free(names);
    return rc;
}

const char *at(const char *name)
{
    char *path = tt_path_join(folder, name);
    const char *kept = tt_arena_strdup(names, path);

    tt_free(path);
    assert_non_null(kept);
    return kept;
}

void put(const char *name, const char *text, size_t n)
{
    assert_int_equal(tt_file_write(at(name), text, n, NULL), TT_OK);
}

void put_text(const char *name, const char *text)
{
    put(name, text, strlen(text));
}

int exists(const char *name)
{
    return tt_file_exists(at(name));
}

char *read_text(const char *name)
{
    struct tt_buf b;

    tt_buf_init(&b, MAX_TEXT);
    tt_buf_str(&b, "");
    assert_int_equal(tt_file_read(&b, at(name), NULL), TT_OK);
    return tt_buf_take(&b);
}

void expect_same_file(const char *a, const char *b)
{
    char *one = read_text(a), *two = read_text(b);

    assert_true(strlen(one) > 20);
    assert_string_equal(one, two);
    tt_free(one);
    tt_free(two);
}

size_t count_lines(const char *name)
{
    char *text = read_text(name);
    size_t n = 0;

    for (const char *p = text; *p; p++)
        n += *p == '\n';
    tt_free(text);
    return n;
}

void tutti(struct output *s, const char *const argv[])
{
    tt_buf_init(&s->out, MAX_TEXT);
    tt_buf_init(&s->err, MAX_TEXT);
    tt_buf_str(&s->out, "");
    tt_buf_str(&s->err, "");
    s->code = run_tutti(argv, &s->out, &s->err);
}

pid_t tutti_start(const char *const argv[], int out, int err)
{
    pid_t pid = fork();
    char *args[24] = {NULL};

    assert_true(pid >= 0);
    if (pid > 0)
        return pid;
    args[0] = tt_strdup("tutti");
    for (size_t i = 0; argv[i] && i < 22; i++)
        args[i + 1] = tt_strdup(argv[i]);
    (void)dup2(out, 1);
    (void)dup2(err, 2);
    (void)execv(TT_BUILD_DIR "/tutti", args);
    _exit(127);
}

void output_fini(struct output *s)
{
    tt_buf_fini(&s->out);
    tt_buf_fini(&s->err);
}

TT_PRINTF(2, 0)
static void expect(const struct tt_buf *is, const char *fmt, va_list ap)
{
    char text[8192];

    (void)vsnprintf(text, sizeof(text), fmt, ap);
    assert_string_equal(is->data ? is->data : "", text);
}

void expect_err(const struct output *s, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    expect(&s->err, fmt, ap);
    va_end(ap);
}

void expect_out(const struct output *s, const char *fmt, ...)
{
    va_list ap;

    va_start(ap, fmt);
    expect(&s->out, fmt, ap);
    va_end(ap);
}

void refuse(const char *file, const char *fmt, ...)
{
    struct output s;
    va_list ap;

    TUTTI(&s, "run", file, "--output", at("refused.csv"));
    va_start(ap, fmt);
    expect(&s.err, fmt, ap);
    va_end(ap);
    assert_int_equal(s.code, 2);
    assert_int_equal(s.out.len, 0);
    assert_false(exists("refused.csv"));
    output_fini(&s);
}

void expect_json(const struct output *s)
{
    json_error_t where;
    json_t *j = json_loads(s->out.data ? s->out.data : "", 0, &where);

    if (!j)
        fail_msg("%s at line %d of:\n%s", where.text, where.line, s->out.data);
    json_decref(j);
}

void replace(struct tt_buf *data, const char *from, const char *to)
{
    char *hit;
    struct tt_buf b;

    tt_buf_char(data, '\0'); /* for strstr */
    hit = strstr(data->data, from);
    assert_non_null(hit);
    tt_buf_init(&b, MAX_TEXT);
    tt_buf_add(&b, data->data, (size_t)(hit - data->data));
    tt_buf_str(&b, to);
    tt_buf_str(&b, hit + strlen(from));
    assert_false(b.failed);
    tt_buf_fini(data);
    *data = b;
}

static void add_entry(zip_t *z, const char *name, struct tt_buf *data)
{
    size_t n = data->len;
    zip_source_t *source;
    char *bytes = tt_alloc(n + 1);

    assert_non_null(bytes);
    memcpy(bytes, data->data ? data->data : "", n);
    source = zip_source_buffer(z, bytes, n, 1); /* frees it */
    assert_non_null(source);
    assert_true(zip_file_add(z, name, source, ZIP_FL_ENC_UTF_8) >= 0);
}

void put_fmu(const char *name, const char *from, edit_fn edit_cb)
{
    tt_archive *a = NULL;
    zip_t *z = zip_open(at(name), ZIP_CREATE | ZIP_TRUNCATE, NULL);

    assert_non_null(z);
    assert_int_equal(tt_archive_open(&a, from, NULL), TT_OK);
    for (size_t i = 0; i < tt_archive_count(a); i++) {
        struct tt_buf data;
        char entry[1024];

        tt_buf_init(&data, MAX_TEXT);
        (void)snprintf(entry, sizeof(entry), "%s", tt_archive_name(a, i));
        assert_int_equal(tt_archive_read(a, entry, &data, NULL), TT_OK);
        if (edit_cb(entry, &data))
            add_entry(z, entry, &data);
        tt_buf_fini(&data);
    }
    assert_int_equal(zip_close(z), 0);
    tt_archive_close(a);
}
