/* SPDX-License-Identifier: MIT */
#define _XOPEN_SOURCE 700 /* mkdtemp, nftw */
#include "rig.h"

#include <ftw.h>
#include <unistd.h>

static char folder[64];

int rig_begin(void **state)
{
    (void)state;
    snprintf(folder, sizeof(folder), "/tmp/tutti-api-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int unlink_one(const char *path, const struct stat *s, int kind,
                      struct FTW *at)
{
    (void)s;
    (void)kind;
    (void)at;
    return remove(path);
}

int rig_end(void **state)
{
    (void)state;
    return nftw(folder, unlink_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *rig_file(const char *name)
{
    static char path[4][128];
    static unsigned turn;
    char *one = path[turn++ % 4];

    snprintf(one, sizeof(path[0]), "%s/%s", folder, name);
    return one;
}

void rig_write(const char *path, const char *text)
{
    FILE *f = fopen(path, "w");

    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, strlen(text), f), strlen(text));
    assert_int_equal(fclose(f), 0);
}

char *rig_read(const char *path)
{
    FILE *f = fopen(path, "r");
    char *text;
    size_t n;
    long size;

    if (!f)
        fail_msg("there is no %s", path);
    assert_int_equal(fseek(f, 0, SEEK_END), 0);
    size = ftell(f);
    assert_true(size >= 0);
    rewind(f);
    text = malloc((size_t)size + 1);
    assert_non_null(text);
    n = fread(text, 1, (size_t)size, f);
    assert_int_equal(n, size);
    text[n] = '\0';
    fclose(f);
    return text;
}

size_t rig_lines(const char *text)
{
    size_t n = 0;

    for (; *text; text++)
        n += *text == '\n';
    return n;
}

int rig_failed(enum tutti_code rc, const tutti_error *e)
{
    if (rc != TUTTI_OK)
        assert_int_equal(rc, e->code);
    return rc != TUTTI_OK;
}

tutti_scenario *rig_load(const char *path, const struct tutti_options *o)
{
    tutti_scenario *s = NULL;

    OK(tutti_scenario_load(&s, path, o, &e));
    return s;
}

tutti_scenario *rig_unit(const char *fmu, const struct tutti_options *o)
{
    char path[512];

    snprintf(path, sizeof(path), UNITS "%s", fmu);
    return rig_load(path, o);
}

tutti_run *rig_run(const tutti_scenario *s, const struct tutti_run_options *o)
{
    tutti_run *r = NULL;

    OK(tutti_run_new(&r, s, o, &e));
    return r;
}

int rig_row(void *rows, double t, const double *value, size_t n)
{
    struct rig_rows *r = rows;
    double *more = realloc(r->value, (r->n + n + 1) * sizeof(*more));

    if (!more)
        abort();
    r->value = more;
    r->value[r->n] = t;
    memcpy(r->value + r->n + 1, value, n * sizeof(*value));
    r->n += n + 1;
    r->width = n + 1;
    r->rows++;
    return r->stop_after && r->rows >= r->stop_after;
}

void rig_rows_free(struct rig_rows *r)
{
    free(r->value);
    *r = (struct rig_rows){0};
}

void rig_same_rows(const struct rig_rows *a, const struct rig_rows *b)
{
    assert_int_equal(a->rows, b->rows);
    assert_int_equal(a->n, b->n);
    assert_memory_equal(a->value, b->value, a->n * sizeof(*a->value));
}
