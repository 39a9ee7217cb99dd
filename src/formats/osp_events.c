/* SPDX-License-Identifier: MIT */
/* Scenarios of cosim: at a time a value is overridden, biased or released. They
 * become a script. */
#include <math.h>
#include <string.h>

#include "base/num.h"
#include "formats/osp_impl.h"
#include "sys/file.h"

#define HEAD 4096

int osp_is_events(const char *path)
{
    char head[HEAD + 1];
    size_t n = tt_file_is_dir(path) ? 0 : tt_file_head(path, head, HEAD);

    head[n] = '\0';
    return strstr(head, "\"events\"") && !strstr(head, "\"fmus\"") &&
           head[strspn(head, " \t\r\n")] == '{';
}

struct events {
    struct osp *o;
    const struct tt_doc *defaults; /* or NULL */
    struct tt_buf json;            /* of the script */
    struct tt_where *where;        /* of each entry */
    uint32_t n;
    struct tt_buf touched; /* "ref","ref" */
    struct tt_names known; /* ... each once */
    double last;
};

static enum tt_code text_of(struct events *e, const struct tt_doc *event,
                            const char *name, const char **out)
{
    const struct tt_doc *v = tt_doc_find(event, name);

    if (!v && e->defaults)
        v = tt_doc_find(e->defaults, name);
    if (v && v->kind == TT_DOC_TEXT) {
        *out = v->u.text;
        return TT_OK;
    }
    return tt_sc_fail(e->o->s.b, v ? v->where : event->where, TT_EINPUT,
                      v ? "'%s' must be a string"
                        : "the event has no '%s', and there is no default",
                      name);
}

static enum tt_code number_of(struct events *e, const struct tt_doc *of,
                              const char *name, double *out)
{
    const struct tt_doc *v = tt_doc_find(of, name);

    *out = tt_doc_number(v, (double)NAN);
    if (!isnan(*out))
        return TT_OK;
    return tt_sc_fail(e->o->s.b, v ? v->where : of->where, TT_EINPUT,
                      v ? "'%s' must be a number" : "the event has no '%s'",
                      name);
}

static enum tt_code touch(struct events *e, const char *ref)
{
    int known = tt_names_add(&e->known, ref, 0);

    if (known == 0) {
        tt_buf_str(&e->touched, e->touched.len ? "," : "");
        tt_buf_json(&e->touched, ref);
    }
    return known < 0 ? tt_sc_no_memory(e->o->s.b) : TT_OK;
}

static void begin_entry(struct events *e, double at, struct tt_where w)
{
    tt_buf_str(&e->json, e->n ? ",{" : "{");
    tt_fields_key(&e->json, "at");
    tt_buf_num(&e->json, at);
    tt_fields_key(&e->json, "do");
    tt_buf_char(&e->json, '{');
    e->where[e->n++] = w;
}

static enum tt_code put_value(struct events *e, const struct tt_doc *event,
                              const char *action, const char *ref)
{
    const struct tt_doc *v = tt_doc_find(event, "value");

    if (!v || (v->kind != TT_DOC_INTEGER && v->kind != TT_DOC_NUMBER &&
               v->kind != TT_DOC_BOOL))
        return tt_sc_fail(e->o->s.b, v ? v->where : event->where,
                          v ? TT_EUNSUPPORTED : TT_EINPUT,
                          v ? "'value' must be a number or a Boolean; others "
                              "are not supported"
                            : "the event has no 'value'");
    tt_fields_key(&e->json, action);
    tt_buf_char(&e->json, '{');
    tt_fields_key(&e->json, ref);
    if (v->kind == TT_DOC_BOOL)
        tt_buf_str(&e->json, v->u.integer ? "true" : "false");
    else
        tt_buf_num(&e->json, tt_doc_number(v, 0));
    tt_buf_str(&e->json, "}}}");
    return TT_OK;
}

static enum tt_code put_release(struct events *e, const char *refs)
{
    tt_fields_key(&e->json, "release");
    tt_buf_fmt(&e->json, "[%s]}}", refs);
    return TT_OK;
}

static enum tt_code put_action(struct events *e, const struct tt_doc *event,
                               const char *action, const char *ref, double at)
{
    struct tt_buf one;
    enum tt_code rc;

    if (strcmp(action, "override") != 0 && strcmp(action, "bias") != 0 &&
        strcmp(action, "reset") != 0)
        return tt_sc_fail(e->o->s.b, event->where, TT_EINPUT,
                          "the action is '%s', and not override, bias or reset",
                          action);
    begin_entry(e, at, event->where);
    if (strcmp(action, "reset") != 0)
        return put_value(e, event, action, ref);
    tt_buf_init(&one, TT_DOC_MAX);
    tt_buf_json(&one, ref);
    rc = put_release(e, one.data ? one.data : "");
    tt_buf_fini(&one);
    return rc;
}

/* Times count from the start. */
static enum tt_code put_event(struct events *e, const struct tt_doc *event)
{
    const char *model = NULL, *variable = NULL, *action = NULL, *ref = NULL;
    double at = 0;
    uint32_t unit = 0;
    enum tt_code rc;

    if (event->kind != TT_DOC_OBJECT)
        return tt_sc_fail(e->o->s.b, event->where, TT_EINPUT,
                          "an event must be an object");
    rc = number_of(e, event, "time", &at);
    if (rc == TT_OK)
        rc = text_of(e, event, "model", &model);
    if (rc == TT_OK)
        rc = text_of(e, event, "variable", &variable);
    if (rc == TT_OK)
        rc = text_of(e, event, "action", &action);
    if (rc == TT_OK)
        rc = osp_find(e->o, model, event->where, &unit);
    if (rc != TT_OK)
        return rc;
    ref = osp_ref(e->o, unit, variable);
    rc = ref ? touch(e, ref) : tt_sc_no_memory(e->o->s.b);
    if (at > e->last)
        e->last = at;
    return rc == TT_OK ? put_action(e, event, action, ref, e->o->start + at)
                       : rc;
}

/* What is left is released at the end, or a step behind the last event. */
static enum tt_code put_end(struct events *e, const struct tt_doc *root)
{
    const struct tt_doc *v = tt_doc_find(root, "end");
    double end = e->last + e->o->step * (e->o->many ? e->o->many : 1), at = end;
    enum tt_code rc = v ? number_of(e, root, "end", &at) : TT_OK;

    if (rc != TT_OK || !e->touched.len)
        return rc;
    if (at < end)
        at = end;
    begin_entry(e, e->o->start + at, v ? v->where : root->where);
    return put_release(e, e->touched.data);
}

static enum tt_code put_script(struct events *e, const struct tt_doc *root)
{
    const struct tt_doc *list = tt_doc_find(root, "events");
    enum tt_code rc = TT_OK;

    e->defaults = tt_doc_find(root, "defaults");
    if (e->defaults && e->defaults->kind != TT_DOC_OBJECT)
        return tt_sc_fail(e->o->s.b, e->defaults->where, TT_EINPUT,
                          "'defaults' must be an object");
    if (!list || list->kind != TT_DOC_ARRAY)
        return tt_sc_fail(e->o->s.b, list ? list->where : root->where,
                          TT_EINPUT, "'events' must be an array");
    if (!TT_NEW_IN(e->o->s.arena, e->where, list->n + (size_t)1))
        return tt_sc_no_memory(e->o->s.b);
    tt_buf_str(&e->json, "{\"script\":[");
    for (uint32_t i = 0; rc == TT_OK && i < list->n; i++)
        rc = put_event(e, &list->u.child[i]);
    if (rc == TT_OK)
        rc = put_end(e, root);
    tt_buf_str(&e->json, "]}");
    return rc;
}

static enum tt_code read_file(struct osp *o, const char *path,
                              struct tt_doc *root)
{
    struct tt_text_file file = {.path = path};
    char *dir = tt_path_dir(path);
    struct tt_buf text;
    enum tt_code rc;

    tt_buf_init(&text, TT_DOC_MAX);
    rc = dir ? tt_file_read(&text, path, o->s.err) : tt_sc_no_memory(o->s.b);
    if (rc == TT_OK)
        rc = tt_sc_add_file(o->s.b, path, dir, text.data, text.len);
    file.text = text.data;
    file.n = text.len;
    if (rc == TT_OK)
        rc = tt_doc_parse(root, &file, o->s.n_file++, o->s.arena, o->s.arena,
                          o->s.err);
    tt_buf_fini(&text);
    tt_free(dir);
    return rc;
}

enum tt_code osp_add_events(struct osp *o, const char *path)
{
    struct events e = {.o = o};
    struct tt_doc root;
    enum tt_code rc = read_file(o, path, &root);

    tt_buf_init(&e.json, TT_DOC_MAX);
    tt_buf_init(&e.touched, TT_DOC_MAX);
    tt_names_init(&e.known);
    if (rc == TT_OK)
        rc = put_script(&e, &root);
    if (rc == TT_OK && e.n)
        rc = tt_fields_read(o->s.b, &e.json, root.where, e.where, o->s.arena,
                            o->s.err);
    tt_buf_fini(&e.json);
    tt_buf_fini(&e.touched);
    tt_names_fini(&e.known);
    return rc;
}
