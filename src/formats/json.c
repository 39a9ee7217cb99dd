/* SPDX-License-Identifier: MIT */
/* Scenarios of ours. */
#include <string.h>

#include "formats/beside.h"
#include "formats/formats.h"
#include "formats/move.h"
#include "sys/file.h"

#define COE "coe:"

static enum tt_code json_read(tt_scenario **out,
                              const struct tt_format_source *f, tt_err *err)
{
    return tt_scenario_open(out, &f->path, 1, f->o, f->log, err);
}

/* --- writing --------------------------------------------------------------
 */

static enum tt_code place(void *ctx, const char *path, int score,
                          const char **out, tt_err *err)
{
    struct tt_beside *w = ctx;
    int coe = !score && strncmp(path, COE, strlen(COE)) == 0;
    enum tt_code rc =
        tt_beside_name(w, coe ? path + strlen(COE) : path, out, err);
    struct tt_buf t;

    if (rc != TT_OK || !coe)
        return rc;
    tt_buf_init(&t, (size_t)TT_ARCHIVE_MAX_NAME * 8);
    tt_buf_fmt(&t, COE "%s", *out);
    *out = t.failed ? NULL : tt_arena_strdup(w->arena, t.data);
    tt_buf_fini(&t);
    return *out ? TT_OK : tt_nomem(err, w->path);
}

/* One that a package had in it does not state the package. */
static enum tt_code state_origin(struct tt_beside *w, struct tt_buf *text,
                                 struct tt_doc *root, tt_err *err)
{
    struct tt_text_file f = {.path = w->path};
    struct tt_buf more;
    enum tt_code rc;

    if (!w->s->origin || tt_doc_find(root, "origin"))
        return TT_OK;
    tt_buf_init(&more, TT_DOC_MAX);
    tt_json_text(&more, "{\"origin\": ", w->s->origin);
    tt_buf_str(&more, root->n ? ", " : "");
    tt_buf_str(&more, strchr(text->data, '{') + 1);
    f.text = tt_arena_strdup(w->arena, more.data ? more.data : "");
    f.n = more.len;
    rc = tt_buf_check(&more, w->path, err);
    tt_buf_fini(&more);
    if (rc == TT_OK && !f.text)
        rc = tt_nomem(err, w->path);
    return rc == TT_OK ? tt_doc_parse(root, &f, 0, w->arena, w->arena, err)
                       : rc;
}

static enum tt_code print_moved(struct tt_beside *w, struct tt_buf *text,
                                tt_err *err)
{
    const struct tt_mover m = {.ctx = w, .place_cb = place};
    struct tt_text_file f = {.path = w->path};
    struct tt_doc root;
    enum tt_code rc = tt_scenario_print(text, w->s, err);

    f.text = text->data;
    f.n = text->len;
    if (rc == TT_OK)
        rc = tt_doc_parse(&root, &f, 0, w->arena, w->arena, err);
    if (rc == TT_OK)
        rc = state_origin(w, text, &root, err);
    if (rc == TT_OK)
        rc = tt_move_places(w->s, &root, &m, err);
    if (rc != TT_OK)
        return rc;
    tt_buf_clear(text);
    tt_doc_print(text, &root);
    tt_buf_char(text, '\n');
    return tt_buf_check(text, w->path, err);
}

static enum tt_code json_write(const tt_scenario *s, struct tt_format_target *t,
                               tt_err *err)
{
    struct tt_beside w;
    struct tt_buf text;
    enum tt_code rc = tt_beside_begin(&w, s, t, err);

    tt_buf_init(&text, TT_DOC_MAX);
    if (rc == TT_OK)
        rc = print_moved(&w, &text, err);
    if (rc == TT_OK)
        rc = tt_file_write(t->path, text.data, text.len, err);
    tt_buf_fini(&text);
    tt_beside_end(&w);
    return rc;
}

const struct tt_scformat tt_scformat_json = {
    .what = "a scenario",
    .ending = (const char *const[]){".json", NULL},
    TT_HOOKS(json_, read, write)};
