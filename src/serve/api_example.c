/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/mem.h"
#include "base/names.h"
#include "kinds/kinds.h"
#include "serve/api_impl.h"
#include "sys/file.h"
#include "text/json.h"

/* Examples: folders with a README.md, scenarios and the FMUs these name. */

#define README      "README.md"
#define README_MAX  ((size_t)1 << 20)
#define EXAMPLE_MAX ((size_t)256 << 20) /* bytes of one of its files */
#define DEPTH_MAX   8u                  /* scenarios inside each other */

/* Names in a folder. */
struct names {
    char **name;
    size_t n, cap;
};

static enum tt_code keep(struct names *l, const char *name, tt_err *err)
{
    if (TT_GROW(l->name, l->n, l->cap) != 0 ||
        !(l->name[l->n] = tt_strdup(name)))
        return tt_nomem(err, "an example");
    l->n++;
    return TT_OK;
}

static void names_fini(struct names *l)
{
    for (size_t i = 0; i < l->n; i++)
        tt_free(l->name[i]);
    tt_free(l->name);
    *l = (struct names){0};
}

static const char *name_at(const void *ctx, size_t i)
{
    return ((const struct names *)ctx)->name[i];
}

static int has(const struct names *l, const char *name)
{
    for (size_t i = 0; i < l->n; i++)
        if (strcmp(l->name[i], name) == 0)
            return 1;
    return 0;
}

/* --- where they are ------------------------------------------------------- */

/* Where examples are looked for: in the build tree and where they are
 * installed, from the program's own folder. */
static char *examples_dir(const struct tt_service *s)
{
    static const char *const place[] = {"examples", "../examples",
                                        "../share/tutti/examples"};
    char *here, *dir = NULL;

    if (s->opts->examples)
        return tt_strdup(s->opts->examples);
    here = tt_path_dir(s->self);
    for (size_t i = 0; here && !dir && i < sizeof(place) / sizeof(*place);
         i++) {
        dir = tt_path_join(here, place[i]);
        if (dir && !tt_file_is_dir(dir)) {
            tt_free(dir);
            dir = NULL;
        }
    }
    tt_free(here);
    return dir;
}

static enum tt_code add_scenario(void *ctx, const char *name, tt_err *err)
{
    if (strncmp(name, "scenario", 8) != 0 || !tt_path_ends(name, ".json"))
        return TT_OK;
    return keep(ctx, name, err);
}

/* The plain one comes first: it is what people want to see first. */
static void plain_first(struct names *l)
{
    for (size_t i = 1; i < l->n; i++) {
        char *name = l->name[i];

        if (strcmp(name, TT_API_SCENARIO) != 0)
            continue;
        memmove(l->name + 1, l->name, i * sizeof(*l->name));
        l->name[0] = name;
    }
}

static void scenarios_in(const char *dir, struct names *l)
{
    if (tt_file_is_dir(dir))
        (void)!tt_dir_list(dir, add_scenario, l,
                           NULL); /* else there are none */
    plain_first(l);
}

struct search {
    const char *root;
    struct names *found;
};

static enum tt_code add_example(void *ctx, const char *name, tt_err *err)
{
    struct search *f = ctx;
    char *dir = tt_path_join(f->root, name);
    struct names scenarios = {0};
    enum tt_code rc = TT_OK;

    if (dir)
        scenarios_in(dir, &scenarios);
    if (scenarios.n)
        rc = keep(f->found, name, err);
    names_fini(&scenarios);
    tt_free(dir);
    return rc;
}

/* Their names, in order. */
static void examples_in(const char *root, struct names *l)
{
    struct search f = {.root = root, .found = l};

    if (root && tt_file_is_dir(root))
        (void)!tt_dir_list(root, add_example, &f, NULL); /* what can be seen */
}

/* --- showing them --------------------------------------------------------- */

/* Skip what is no text for people: comments, blank lines. */
static const char *skip_to_text(const char *p)
{
    for (;;) {
        p += strspn(p, " \t\r\n");
        if (strncmp(p, "<!--", 4) != 0)
            return p;
        p = strstr(p, "-->");
        if (!p)
            return "";
        p += 3;
    }
}

/* The first heading, and the paragraph after it as one line. */
static void read_readme(const char *text, struct tt_buf *title,
                        struct tt_buf *summary)
{
    const char *p = skip_to_text(text);

    if (*p == '#') {
        p += strspn(p, "# ");
        tt_buf_add(title, p, strcspn(p, "\r\n"));
        p = skip_to_text(p + strcspn(p, "\r\n"));
    }
    while (*p && *p != '\n' && *p != '\r' && *p != '#') {
        size_t n = strcspn(p, "\r\n");

        tt_buf_str(summary, summary->len ? " " : "");
        tt_buf_add(summary, p, n);
        p += n;
        p += strspn(p, "\r");
        p += *p == '\n';
    }
}

static void put_words(struct tt_buf *b, const char *dir, const char *name)
{
    char *path = tt_path_join(dir, README);
    struct tt_buf text, title, summary;

    tt_buf_init(&text, README_MAX);
    tt_buf_init(&title, README_MAX);
    tt_buf_init(&summary, README_MAX);
    if (path && tt_file_read(&text, path, NULL) == TT_OK && text.data)
        read_readme(text.data, &title, &summary);
    tt_json_text(b, ",\"title\":", title.len ? title.data : name);
    tt_json_text(b, ",\"summary\":", summary.len ? summary.data : "");
    tt_buf_fini(&summary);
    tt_buf_fini(&title);
    tt_buf_fini(&text);
    tt_free(path);
}

static void put_example(struct tt_buf *b, const char *root, const char *name)
{
    char *dir = tt_path_join(root, name);
    struct names scenarios = {0};

    tt_json_text(b, "{\"name\":", name);
    put_words(b, dir ? dir : "", name);
    tt_buf_str(b, ",\"scenarios\":[");
    if (dir)
        scenarios_in(dir, &scenarios);
    for (size_t i = 0; i < scenarios.n; i++) {
        tt_buf_str(b, i ? "," : "");
        tt_buf_json(b, scenarios.name[i]);
    }
    tt_buf_str(b, "]}");
    names_fini(&scenarios);
    tt_free(dir);
}

void tt_api_examples(struct tt_service *s, struct tt_request *r)
{
    char *root = examples_dir(s);
    struct tt_buf *b = &r->answer.body;
    struct names names = {0};

    examples_in(root, &names);
    tt_buf_char(b, '[');
    for (size_t i = 0; i < names.n; i++) {
        tt_buf_str(b, i ? "," : "");
        put_example(b, root, names.name[i]);
    }
    tt_buf_char(b, ']');
    tt_answer_json(&r->answer, 200);
    names_fini(&names);
    tt_free(root);
}

/* --- taking one ----------------------------------------------------------- */

static enum tt_code copy_file(const char *from, const struct tt_session *ses,
                              const char *name, tt_err *err)
{
    char *to = tt_session_path(ses, name);
    struct tt_buf data;
    enum tt_code rc;

    tt_buf_init(&data, EXAMPLE_MAX);
    rc = to ? tt_file_read(&data, from, err) : tt_nomem(err, "an example");
    if (rc == TT_OK)
        rc = tt_file_replace(to, data.data, data.len, err);
    tt_buf_fini(&data);
    tt_free(to);
    return rc;
}

static enum tt_code take(const char *path, const struct tt_session *ses,
                         const char *as, unsigned depth, tt_err *err);

/* Copy what a location names, under its plain name. A scenario inside brings
 * its own FMUs along. */
static enum tt_code take_location(const char *dir, const struct tt_session *ses,
                                  const char *location, unsigned depth,
                                  tt_err *err)
{
    const char *name = tt_path_base(location);
    const char *why = tt_api_name_refused(name);
    char *from = tt_path_join(dir, location);
    enum tt_code rc = from ? TT_OK : tt_nomem(err, "an example");

    if (rc == TT_OK && (why || depth == DEPTH_MAX))
        rc = tt_fail(err, TT_EINPUT, "a file cannot be called '%s': it %s",
                     name, why ? why : "is inside too many others");
    if (rc == TT_OK && tt_path_ends(name, ".json") && !tt_devs_is(name))
        rc = take(from, ses, name, depth + 1, err);
    else if (rc == TT_OK)
        rc = copy_file(from, ses, name, err);
    tt_free(from);
    return rc;
}

/* The text of the scenario, with the locations of FMUs as they are in the
 * session: `text` behind `*done` up to this value, and the value. */
static void splice(struct tt_buf *out, const char *text, size_t *done,
                   const struct tt_doc *v)
{
    size_t at = v->where.offset, end = at + 1;

    while (text[end] && text[end] != '"')
        end += text[end] == '\\' && text[end + 1] ? 2 : 1;
    tt_buf_add(out, text + *done, at - *done);
    tt_buf_json(out, tt_path_base(v->u.text));
    *done = end + 1;
}

struct taking {
    const char *dir; /* of the scenario */
    const struct tt_session *session;
    unsigned depth; /* scenarios it is inside of */
};

/* Also those of scenarios in place. */
static enum tt_code take_fmus(const struct taking *k, const struct tt_doc *doc,
                              const char *text, struct tt_buf *out,
                              size_t *done, tt_err *err)
{
    const struct tt_doc *fmus = tt_doc_find(doc, "fmus");
    enum tt_code rc = TT_OK;

    for (uint32_t i = 0; fmus && rc == TT_OK && i < fmus->n; i++) {
        const struct tt_doc *v = &fmus->u.child[i];

        if (v->kind == TT_DOC_OBJECT)
            rc = take_fmus(k, v, text, out, done, err);
        if (v->kind != TT_DOC_TEXT || strchr(v->u.text, ':'))
            continue;
        rc = take_location(k->dir, k->session, v->u.text, k->depth, err);
        splice(out, text, done, v);
    }
    return rc;
}

static enum tt_code keep_text(const struct tt_session *ses, const char *as,
                              const struct tt_buf *text, tt_err *err)
{
    char *to = tt_session_path(ses, as);
    enum tt_code rc = to ? tt_buf_check(text, "an example", err)
                         : tt_nomem(err, "an example");

    if (rc == TT_OK)
        rc = tt_file_replace(to, text->data, text->len, err);
    tt_free(to);
    return rc;
}

/* A scenario and what it names, into the session under this name. */
static enum tt_code take(const char *path, const struct tt_session *ses,
                         const char *as, unsigned depth, tt_err *err)
{
    char *dir = tt_path_dir(path);
    tt_arena *arena = tt_arena_new();
    struct tt_text_file f = {.path = tt_path_base(path)};
    const struct taking k = {dir, ses, depth};
    struct tt_buf text, out;
    struct tt_doc doc;
    size_t done = 0;
    enum tt_code rc;

    tt_buf_init(&text, TT_BODY_MAX);
    tt_buf_init(&out, TT_BODY_MAX);
    rc = dir && arena ? tt_file_read(&text, path, err)
                      : tt_nomem(err, "an example");
    f.text = text.data ? text.data : "";
    f.n = text.len;
    if (rc == TT_OK)
        rc = tt_doc_parse(&doc, &f, 0, arena, arena, err);
    if (rc == TT_OK && doc.kind == TT_DOC_OBJECT)
        rc = take_fmus(&k, &doc, f.text, &out, &done, err);
    tt_buf_str(&out, f.text + done);
    if (rc == TT_OK)
        rc = keep_text(ses, as, &out, err);
    tt_buf_fini(&out);
    tt_buf_fini(&text);
    tt_arena_free(arena);
    tt_free(dir);
    return rc;
}

static enum tt_code not_among(const char *what, const char *name,
                              const struct names *l, tt_err *err)
{
    const char *near = tt_names_nearest(name, l->n, name_at, l);

    return tt_fail(err, TT_EINPUT, "there is no %s '%s'%s%s%s", what, name,
                   near ? "; did you mean '" : "", near ? near : "",
                   near ? "'?" : "");
}

enum tt_code tt_api_example_copy(const struct tt_service *s,
                                 const struct tt_session *ses, const char *name,
                                 const char *scenario, tt_err *err)
{
    char *root = examples_dir(s), *dir = NULL, *path = NULL;
    struct names names = {0}, scenarios = {0};
    enum tt_code rc = TT_OK;

    examples_in(root, &names);
    if (!has(&names, name))
        rc = not_among("example", name, &names, err);
    else if (!(dir = tt_path_join(root, name)))
        rc = tt_nomem(err, "an example");
    if (rc == TT_OK) {
        scenarios_in(dir, &scenarios);
        if (scenario ? !has(&scenarios, scenario) : !scenarios.n)
            rc = not_among("scenario", scenario ? scenario : "scenario.json",
                           &scenarios, err);
    }
    if (rc == TT_OK && !scenario)
        scenario = scenarios.n ? scenarios.name[0] : NULL;
    if (rc == TT_OK && !(path = tt_path_join(dir, scenario)))
        rc = tt_nomem(err, "an example");
    if (rc == TT_OK)
        rc = take(path, ses, TT_API_SCENARIO, 0, err);
    tt_free(path);
    names_fini(&scenarios);
    names_fini(&names);
    TT_FREE_ALL(dir, root);
    return rc;
}
