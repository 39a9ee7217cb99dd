/* SPDX-License-Identifier: MIT */
#include "api/inventory.h"

#include <string.h>

#include "api/info.h"
#include "base/log.h"
#include "compose/compose.h"
#include "kinds/kinds.h"
#include "scenario/scenario.h"
#include "sys/file.h"

/* --- which there are -------------------------------------------------------
 */

/* A table or FMU; what is left is a scenario. */
static int is_unit(const char *path)
{
    return tt_scenario_is_alone(path) ||
           tt_kind_signal.accepts(&(struct tt_source){.path = path});
}

/* Locations that are wrong are reported one by one, in the scenario's order. */
struct wrong {
    tt_arena *arena;
    const char **text;
    size_t n, most;
};

static void take_record(void *ctx, const struct tt_log_record *r)
{
    struct wrong *w = ctx;

    if (r->level == TT_LOG_ERROR && w->n < w->most)
        w->text[w->n++] = tt_arena_strdup(w->arena, r->text);
}

#define WRONG_MAX 1000u /* locations whose problem is remembered */

static enum tt_code add_scenario(struct tt_inventory *v,
                                 const char *const *file, size_t n,
                                 const char *base, int only_base, tt_err *err)
{
    struct wrong w = {.arena = v->arena, .most = WRONG_MAX};
    struct tt_log log = {.sink_cb = take_record,
                         .ctx = &w,
                         .least = TT_LOG_ERROR,
                         .all_problems = 1};
    tt_scenario *s;
    size_t k = 0;
    enum tt_code rc;

    if (!TT_NEW_IN(v->arena, w.text, WRONG_MAX))
        return tt_nomem(err, "listing FMUs");
    rc = tt_scenario_load_fmus(&v->scenario, file, n, base, only_base, &log,
                               err);
    if (rc != TT_OK)
        return rc;
    s = v->scenario;
    v->item = tt_arena_alloc(v->arena, s->n_fmu, sizeof(*v->item));
    for (uint32_t i = 0; v->item && i < s->n_fmu; i++) {
        const struct tt_sc_fmu *f = &s->fmu[i];

        v->item[v->n++] = (struct tt_inventory_item){
            .key = tt_arena_strdup(v->arena, f->key),
            .location = tt_arena_strdup(v->arena, f->uri),
            .path = tt_arena_strdup(v->arena, f->path),
            .error = f->path   ? NULL
                     : k < w.n ? w.text[k++]
                               : "wrong location",
            .inner = f->inner,
        };
    }
    return v->item ? TT_OK : tt_nomem(err, "listing FMUs");
}

static int has(const struct tt_inventory *v, const char *path)
{
    for (size_t i = 0; i < v->n; i++)
        if (v->item[i].path && strcmp(v->item[i].path, path) == 0)
            return 1;
    return 0;
}

static enum tt_code add_file(struct tt_inventory *v, const char *file,
                             const char *base, int only_base, tt_err *err)
{
    char *joined = tt_path_join(base, file);
    char *path = joined ? tt_path_absolute(joined) : NULL;
    struct tt_inventory_item item = {
        .location = tt_arena_strdup(v->arena, file),
        .path = tt_arena_strdup(v->arena, path),
    };
    int known = path && has(v, path);
    int outside = path && only_base && !tt_path_is_below(path, base);

    TT_FREE_ALL(joined, path);
    if (!item.location || !item.path)
        return tt_nomem(err, "listing FMUs");
    if (outside) {
        item.path = NULL;
        item.error = "it is not in the session";
    }
    if (!known)
        v->item[v->n++] = item;
    return TT_OK;
}

/* Room for those of the scenario and the other files. */
static enum tt_code widen(struct tt_inventory *v, size_t more, tt_err *err)
{
    struct tt_inventory_item *item =
        tt_arena_alloc(v->arena, v->n + more, sizeof(*item));

    if (!item)
        return tt_nomem(err, "listing FMUs");
    if (v->n)
        memcpy(item, v->item, v->n * sizeof(*item));
    v->item = item;
    return TT_OK;
}

enum tt_code tt_inventory_load(struct tt_inventory *v, const char *const *file,
                               size_t n, const char *base, int only_base,
                               tt_err *err)
{
    const char **scenario;
    size_t n_scenario = 0;
    enum tt_code rc = TT_OK;

    *v = (struct tt_inventory){
        .arena = tt_arena_new(), .base = base, .only_base = only_base};
    scenario = v->arena ? tt_arena_alloc(v->arena, n, sizeof(*scenario)) : NULL;
    if (!scenario)
        return tt_nomem(err, "listing FMUs");
    for (size_t i = 0; i < n; i++)
        if (!is_unit(file[i]))
            scenario[n_scenario++] = file[i];
    if (n_scenario > 0)
        rc = add_scenario(v, scenario, n_scenario, base, only_base, err);
    if (rc == TT_OK)
        rc = widen(v, n, err);
    for (size_t i = 0; rc == TT_OK && i < n; i++)
        if (is_unit(file[i]))
            rc = add_file(v, file[i], base, only_base, err);
    return rc;
}

void tt_inventory_fini(struct tt_inventory *v)
{
    tt_scenario_free(v->scenario);
    tt_arena_free(v->arena);
    *v = (struct tt_inventory){0};
}

/* --- what they are ---------------------------------------------------------
 */

static enum tt_code describe_kind(struct tt_buf *b,
                                  const struct tt_source *source,
                                  const struct tt_kind_ops *kind, tt_err *err)
{
    tt_unit_type *type = NULL;
    enum tt_code rc = kind->open(&type, source, err);

    if (rc != TT_OK)
        return rc;
    tt_info_desc_json(b, source->path, &type->desc);
    type->kind->close(type);
    return TT_OK;
}

/* FMUs by their description, which also those have that cannot be simulated
 * here; other kinds, scenarios among them, by what they give. */
static enum tt_code describe(struct tt_buf *b, const struct tt_inventory *v,
                             const struct tt_inventory_item *item, tt_err *err)
{
    const struct tt_source source = {.path = item->path,
                                     .inner = item->inner,
                                     .base = v->base,
                                     .only_base = v->only_base};
    const struct tt_kind_ops *kind = NULL;
    tt_fmu *fmu = NULL;
    enum tt_code rc;

    if (tt_compose_kind_for(&kind, &source, NULL) == TT_OK && !kind->fmi)
        return describe_kind(b, &source, kind, err);
    rc = tt_fmu_open_any(&fmu, item->path, err);
    if (rc == TT_OK)
        rc = tt_info_json(b, fmu, err);
    tt_fmu_close(fmu);
    return rc;
}

static void put_item(struct tt_buf *b, const struct tt_inventory *v,
                     const struct tt_inventory_item *item)
{
    struct tt_buf info;
    tt_err err = {.code = TT_OK};
    enum tt_code rc = TT_EINPUT;

    tt_buf_init(&info, b->max);
    if (item->path)
        rc = describe(&info, v, item, &err);
    if (rc == TT_OK)
        rc = tt_buf_check(&info, "the description", &err);
    tt_json_text(b, "\n{\"key\": ", item->key);
    tt_json_text(b, ", \"location\": ", item->location);
    tt_buf_str(b, ", \"info\": ");
    if (rc == TT_OK)
        tt_buf_add(b, info.data, info.len);
    else
        tt_buf_str(b, "null");
    tt_json_text(b, ", \"error\": ",
                 rc == TT_OK  ? NULL
                 : item->path ? err.msg
                              : item->error);
    tt_buf_char(b, '}');
    tt_buf_fini(&info);
}

void tt_inventory_json(struct tt_buf *b, const struct tt_inventory *v)
{
    tt_buf_str(b, "{\"fmus\": [");
    for (size_t i = 0; i < v->n; i++) {
        tt_buf_str(b, i ? "," : "");
        put_item(b, v, &v->item[i]);
    }
    tt_buf_str(b, "\n]}\n");
}
