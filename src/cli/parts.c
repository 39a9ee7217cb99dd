/* SPDX-License-Identifier: MIT */
#include "cli/parts.h"

#include <string.h>

#include "adapt/adapt.h"
#include "kinds/kinds.h"
#include "sys/digest.h"
#include "sys/file.h"
#include "text/archive.h"
#include "text/json.h"

#define COE "coe:"

static struct tt_part *add(struct tt_parts *p, const char *role, const char *of,
                           const char *path)
{
    struct tt_part *one;

    path = path ? tt_arena_strdup(p->arena, path) : NULL;
    of = of ? tt_arena_strdup(p->arena, of) : NULL;
    if (!path || TT_GROW(p->part, p->n, p->cap) != 0)
        return NULL;
    one = &p->part[p->n++];
    *one = (struct tt_part){.role = role, .of = of, .path = path};
    return one;
}

/* Of what was read, which the file may no longer be. */
static void add_text(struct tt_parts *p, const char *role,
                     const struct tt_text_file *f)
{
    struct tt_part *one = add(p, role, NULL, f->path);
    unsigned char sum[TT_SHA256_BYTES];
    struct tt_sha256 h;

    if (!one)
        return;
    tt_sha256_init(&h);
    tt_sha256_add(&h, f->text, f->n);
    tt_sha256_end(&h, sum);
    tt_sha256_hex(sum, one->sha256);
}

/* --- inside --------------------------------------------------------------- */

struct within {
    struct tt_parts *p;
    const char *of;
};

static void look_inside(const struct within *w, const char *path);

static void add_inner(const struct within *w, const char *path)
{
    struct tt_part *one;

    if (strncmp(path, COE, strlen(COE)) == 0)
        path += strlen(COE);
    one = add(w->p, "inner", w->of, path);
    if (one)
        (void)tt_file_digest(path, one->sha256);
    look_inside(w, path);
}

static enum tt_code add_adapted(void *ctx, const char *path, const char **name,
                                tt_err *err)
{
    (void)err;
    *name = "";
    add_inner(ctx, path);
    return TT_OK;
}

static void add_fmus(const struct within *w, const tt_scenario *s)
{
    for (uint32_t i = 0; i < s->n_fmu; i++) {
        const struct tt_sc_fmu *f = &s->fmu[i];

        if (f->inner)
            add_fmus(w, f->inner);
        else if (f->path && strncmp(f->path, "tutti:", 6) != 0)
            add_inner(w, f->path);
    }
}

static void add_scenario(const struct within *w, const char *path)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    tt_scenario *s = NULL;
    tt_err err;

    o.inside = 1;
    if (tt_scenario_load(&s, &path, 1, &o, NULL, &err) == TT_OK)
        add_fmus(w, s);
    tt_scenario_free(s);
}

/* Once, so that files which name each other come to an end. */
static int is_new(struct tt_parts *p, const char *path)
{
    char *real = tt_path_real(path);
    const char *key = real ? tt_arena_strdup(p->arena, real) : NULL;

    tt_free(real);
    return key && tt_names_add(&p->seen, key, 0) == 0;
}

/* The file was opened for the run: what cannot be read now has no parts. */
static void look_inside(const struct within *w, const char *path)
{
    struct within same = *w;
    const struct tt_unit_move all = {.ctx = &same, .move_cb = add_adapted};
    struct tt_buf text;
    tt_err err;

    if (tt_path_ends(path, ".sa") && is_new(w->p, path)) {
        tt_buf_init(&text, TT_DOC_MAX);
        if (tt_adapt_moved(path, &all, &text, &err) != TT_OK)
            tt_buf_clear(&text);
        tt_buf_fini(&text);
    } else if (tt_path_ends(path, ".json") && !tt_devs_is(path) &&
               is_new(w->p, path)) {
        add_scenario(w, path);
    }
}

void tt_parts_gather(struct tt_parts *p, const tt_scenario *s)
{
    *p = (struct tt_parts){.arena = tt_arena_new()};
    tt_names_init(&p->seen);
    if (!p->arena)
        return;
    for (size_t i = 0; i < s->n_package; i++) {
        struct tt_part *one =
            add(p, "package", NULL, tt_archive_path(s->package[i]));

        if (one)
            (void)tt_file_digest(one->path, one->sha256);
    }
    for (uint32_t i = 0; i < s->n_file; i++)
        if (s->file[i].text)
            add_text(p, &s->file[i] == s->score ? "master" : "scenario",
                     &s->file[i]);
    for (uint32_t i = 0; i < s->n_fmu; i++) {
        const struct within w = {p, s->fmu[i].key};
        const char *path = s->fmu[i].path;

        if (s->fmu[i].inner)
            add_fmus(&w, s->fmu[i].inner);
        else if (path)
            look_inside(&w, strncmp(path, COE, strlen(COE)) == 0
                                ? path + strlen(COE)
                                : path);
    }
}

void tt_parts_fini(struct tt_parts *p)
{
    tt_free(p->part);
    tt_names_fini(&p->seen);
    tt_arena_free(p->arena);
}
