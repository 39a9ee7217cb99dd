/* SPDX-License-Identifier: MIT */
/* A structure that is written as it was read.
 *
 * A scenario knows less than the structure it came from: systems within it,
 * mappings, descriptions, geometry. As long as both are the same system, the
 * structure itself is written, with its files at their places and our
 * annotation in it. Otherwise it is written anew, and what is not kept is
 * listed. */
#include <string.h>

#include "base/uri.h"
#include "formats/move.h"
#include "formats/ssp.h"
#include "formats/ssp_rules.h"
#include "formats/ssp_write.h"
#include "scenario/build.h"
#include "sys/file.h"
#include "text/archive.h"

#define MAIN TT_SSP_MAIN ".ssd"

/* --- is it the same system? ----------------------------------------------- */

static int same_doc(const struct tt_doc *a, const struct tt_doc *b)
{
    struct tt_buf x, y;
    int same;

    if (!a || !b)
        return a == b;
    tt_buf_init(&x, TT_DOC_MAX);
    tt_buf_init(&y, TT_DOC_MAX);
    tt_doc_print(&x, a);
    tt_doc_print(&y, b);
    same = !x.failed && !y.failed && strcmp(x.data, y.data) == 0;
    tt_buf_fini(&x);
    tt_buf_fini(&y);
    return same;
}

/* From the folder of the structure where it is in there, else the name. */
static const char *from_folder(const char *path, const char *dir)
{
    size_t n = strlen(dir);

    return strncmp(path, dir, n) == 0 && path[n] == '/' ? path + n + 1
                                                        : tt_path_base(path);
}

static int same_path(const char *a, const char *b, const char *dir)
{
    char *x = a ? tt_path_real(a) : NULL, *y = b ? tt_path_real(b) : NULL;
    int same = strcmp(from_folder(x   ? x
                                  : a ? a
                                      : "",
                                  dir),
                      from_folder(y   ? y
                                  : b ? b
                                      : "",
                                  dir)) == 0;

    TT_FREE_ALL(x, y);
    return same;
}

static enum tt_code same_system(const tt_scenario *a, const tt_scenario *b,
                                const char *dir, tt_arena *arena, int *same,
                                tt_err *err);

static enum tt_code same_units(const tt_scenario *a, const tt_scenario *b,
                               const char *dir, tt_arena *arena, int *same,
                               tt_err *err)
{
    enum tt_code rc = TT_OK;

    *same = a->n_fmu == b->n_fmu;
    for (uint32_t i = 0; rc == TT_OK && *same && i < a->n_fmu; i++) {
        const struct tt_sc_fmu *x = &a->fmu[i], *y = &b->fmu[i];

        *same = strcmp(x->key, y->key) == 0 && !x->inner == !y->inner;
        if (*same && x->inner)
            rc = same_system(x->inner, y->inner, dir, arena, same, err);
        else if (*same)
            *same = same_path(x->path, y->path, dir);
    }
    return rc;
}

static enum tt_code to_doc(const tt_scenario *s, tt_arena *arena,
                           struct tt_doc *root, tt_err *err)
{
    struct tt_text_file f = {.path = s->name};
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, TT_DOC_MAX);
    rc = tt_scenario_print(&b, s, err);
    f.n = b.len;
    f.text = rc == TT_OK ? tt_arena_strdup(arena, b.data) : NULL;
    if (rc == TT_OK)
        rc = f.text ? tt_doc_parse(root, &f, 0, arena, arena, err)
                    : tt_nomem(err, "exporting");
    tt_buf_fini(&b);
    return rc;
}

static enum tt_code same_system(const tt_scenario *a, const tt_scenario *b,
                                const char *dir, tt_arena *arena, int *same,
                                tt_err *err)
{
    static const char *const field[] = {
        "instances", "connections", "transformations", "ports",  "parameters",
        "interface", "isolate",     "startTime",       "endTime"};
    struct tt_doc x, y;
    enum tt_code rc = same_units(a, b, dir, arena, same, err);

    if (rc == TT_OK && *same)
        rc = to_doc(a, arena, &x, err);
    if (rc == TT_OK && *same)
        rc = to_doc(b, arena, &y, err);
    for (size_t i = 0;
         rc == TT_OK && *same && i < sizeof(field) / sizeof(*field); i++)
        *same = same_doc(tt_doc_find(&x, field[i]), tt_doc_find(&y, field[i]));
    return rc;
}

/* As what is read of it, which is the scenario in our annotation (`own`) where
 * there is one, or the structure itself. Out of what cannot be read nothing is
 * written again. */
static int is_read_as(struct ssp_out *o, const char *dir, int own)
{
    tt_scenario *was = NULL;
    int nested = 0, same = 0;

    for (uint32_t i = 0; i < o->s->n_fmu; i++)
        nested |= o->s->fmu[i].inner != NULL;
    if (tt_ssp_read_again(&was, o->s->origin, nested, own, NULL) == TT_OK &&
        same_system(o->s, was, dir, o->places.arena, &same, NULL) != TT_OK)
        same = 0;
    tt_scenario_free(was);
    return same;
}

/* --- its files ------------------------------------------------------------ */

int tt_format_is_ssp_xml(const char *name)
{
    return tt_path_ends(name, ".ssd") || tt_path_ends(name, ".ssv") ||
           tt_path_ends(name, ".ssm") || tt_path_ends(name, ".ssb");
}

/* Does it follow the standard, but for what is of other namespaces? */
static int is_sound(const tt_xml *xml)
{
    uint32_t n = ssp_check_rules(xml, NULL, NULL);

    for (const struct tt_xml_foreign *f = tt_xml_foreign(xml); f; f = f->next)
        n--;
    return n == 0;
}

static void list_foreign(const tt_xml *xml, const char *name,
                         struct tt_format_target *t, const tt_scenario *s)
{
    for (const struct tt_xml_foreign *f = tt_xml_foreign(xml); f; f = f->next)
        tt_format_lost(t, s, TT_SC_NOWHERE,
                       f->attribute
                           ? "the attribute '%s' (%s:%d) is not kept: the "
                             "standard allows it in annotations only"
                           : "<%s> (%s:%d) is not kept: the standard allows "
                             "it in annotations only",
                       f->name, name, f->line);
}

/* A file of XML, without what is of other namespaces; *sound: it follows the
 * standard, and else nothing is written. */
static enum tt_code put_xml(struct ssp_out *o, const char *name,
                            const char *path, struct tt_format_target *t,
                            int *sound, tt_err *err)
{
    struct tt_buf was, b;
    tt_xml *xml = NULL;
    enum tt_code rc;

    tt_buf_init(&was, TT_DOC_MAX);
    tt_buf_init(&b, TT_DOC_MAX);
    rc = tt_file_read(&was, path, err);
    *sound = rc == TT_OK &&
             tt_xml_parse(&xml, name, was.data ? was.data : "", was.len,
                          NULL) == TT_OK &&
             is_sound(xml);
    if (rc == TT_OK && *sound) {
        list_foreign(xml, name, t, o->s);
        rc = tt_xml_foreign(xml)
                 ? tt_xml_annotate(&b, name, &was, NULL, NULL, err)
                 : TT_OK;
        if (rc == TT_OK)
            rc = ssp_put_bytes(o, name, b.len ? &b : &was, err);
    }
    tt_xml_free(xml);
    tt_buf_fini(&was);
    tt_buf_fini(&b);
    return rc;
}

static enum tt_code put_one(struct ssp_out *o, const char *name,
                            const char *dir, struct tt_format_target *t,
                            int *sound, tt_err *err)
{
    char *path = tt_path_join(dir, name);
    enum tt_code rc = path ? TT_OK : tt_nomem(err, name);

    *sound = 1;
    name = rc == TT_OK ? tt_arena_strdup(o->places.arena, name) : NULL;
    if (rc == TT_OK && !name)
        rc = tt_nomem(err, "exporting");
    if (rc == TT_OK && tt_names_find(&o->places.taken, name) == TT_NONE) {
        rc = tt_format_is_ssp_xml(name) ? put_xml(o, name, path, t, sound, err)
                                        : ssp_put_file(o, name, path, err);
        if (rc == TT_OK && *sound)
            rc = tt_places_keep(&o->places, path, name, err);
    }
    tt_free(path);
    return rc;
}

/* What belongs to a package, besides what is referred to. */
static int is_of_package(const char *name, const char *main)
{
    if (strcmp(name, MAIN) == 0 || strcmp(name, main) == 0)
        return 0;
    return strncmp(name, "resources/", 10) == 0 ||
           strncmp(name, "extra/", 6) == 0 ||
           strncmp(name, "documentation/", 14) == 0 ||
           (!strchr(name, '/') && tt_path_ends(name, ".ssd"));
}

/* All of a package, which is a folder here. */
static enum tt_code put_package(struct ssp_out *o, const char *dir,
                                struct tt_format_target *t, int *sound,
                                tt_err *err)
{
    const char *main = tt_path_base(o->s->origin);
    char *first = tt_path_join(dir, MAIN);
    tt_archive *a = NULL;
    enum tt_code rc = TT_OK;

    if (first && tt_file_exists(first) &&
        tt_archive_open(&a, dir, NULL) == TT_OK) {
        if (strcmp(main, MAIN) != 0)
            tt_format_lost(t, o->s, TT_SC_NOWHERE,
                           "the variant '%s' is not kept: '%s' takes its place",
                           MAIN, main);
        for (size_t i = 0; rc == TT_OK && *sound && i < tt_archive_count(a);
             i++)
            if (is_of_package(tt_archive_name(a, i), main))
                rc = put_one(o, tt_archive_name(a, i), dir, t, sound, err);
    }
    tt_archive_close(a);
    tt_free(first);
    return rc;
}

/* A location that is to be in the folder, without what is behind "#"; NULL: it
 * is none, or (*outside) elsewhere. */
static char *place_of(const struct tt_xml_node *node, const char *attr,
                      int *outside)
{
    const char *uri = tt_xml_value(node, attr);
    const char *base = tt_xml_value(node, "sourceBase");
    char *name, *hash;

    if (!uri || !*uri || *uri == '#' ||
        (base && strcmp(base, "SSD") != 0 && strcmp(base, "file") != 0))
        return NULL;
    name = tt_uri_unescape(uri);
    hash = name ? strchr(name, '#') : NULL;
    if (hash)
        *hash = '\0';
    if (name && (strchr(name, ':') || *name == '/' || strstr(name, "..")))
        *outside = 1;
    return name;
}

static enum tt_code put_referred(struct ssp_out *o, const char *dir,
                                 const struct tt_xml_node *node,
                                 struct tt_format_target *t, int *sound,
                                 tt_err *err)
{
    static const char *const attr[] = {"source", "iconSource"};
    int entry = strcmp(node->name, "MapEntry") == 0 ||
                strcmp(node->name, "MappingEntry") == 0;
    enum tt_code rc = TT_OK;

    for (size_t i = 0; rc == TT_OK && *sound && !entry && i < 2; i++) {
        int outside = 0;
        char *name = place_of(node, attr[i], &outside);
        char *path = name && !outside ? tt_path_join(dir, name) : NULL;

        *sound = !outside;
        if (path && tt_file_is_dir(path))
            *sound = 0; /* an FMU that is a folder is packed */
        else if (path && tt_file_exists(path))
            rc = put_one(o, name, dir, t, sound, err);
        TT_FREE_ALL(path, name);
    }
    for (const struct tt_xml_node *c = node->children;
         rc == TT_OK && *sound && c; c = c->next)
        rc = put_referred(o, dir, c, t, sound, err);
    return rc;
}

/* --- the whole ------------------------------------------------------------ */

static const char *why_anew(struct ssp_out *o, const char *version,
                            const char *dir)
{
    const char *stated = tt_xml_value(tt_xml_root(o->was), "version");

    if (!is_sound(o->was))
        return "breaks rules of the standard";
    if (version && stated && strcmp(version, "1.0") == 0 &&
        strcmp(stated, "1.0") != 0)
        return "is of SSP 2.0";
    return is_read_as(o, dir, 0) || is_read_as(o, dir, 1)
               ? NULL
               : "is another system by now";
}

static enum tt_code read_origin(struct ssp_out *o, tt_err *err)
{
    enum tt_code rc = tt_file_read(&o->text, o->s->origin, err);

    return rc == TT_OK ? tt_xml_parse(&o->was, o->s->origin, o->text.data,
                                      o->text.len, err)
                       : rc;
}

/* What was put so far is none of what is written anew. */
static enum tt_code begin_anew(struct ssp_out *o, const char *path, tt_err *err)
{
    enum tt_code rc;

    tt_parcel_drop(o->parcel);
    o->parcel = NULL;
    o->n_part = 0;
    tt_places_fini(&o->places);
    rc = tt_places_init(&o->places, err);
    return rc == TT_OK ? tt_parcel_new(&o->parcel, path, err) : rc;
}

static enum tt_code put_all(struct ssp_out *o, const char *dir,
                            struct tt_format_target *t, tt_err *err)
{
    int sound = 1;
    uint32_t n_lost = t->n_lost;
    enum tt_code rc = put_referred(o, dir, tt_xml_root(o->was), t, &sound, err);

    if (rc == TT_OK && sound)
        rc = put_package(o, dir, t, &sound, err);
    if (rc != TT_OK)
        return rc;
    o->again = sound;
    if (!sound) {
        t->n_lost = n_lost;
        return begin_anew(o, t->path, err);
    }
    list_foreign(o->was, MAIN, t, o->s);
    return TT_OK;
}

static void report_anew(const struct ssp_out *o, struct tt_format_target *t,
                        const char *why)
{
    struct tt_buf b;

    tt_buf_init(&b, TT_ERR_MAX);
    if (o->was)
        ssp_put_left_out(&b, o->was);
    tt_log(o->log, TT_LOG_NOTE, "the structure '%s' %s: it is written anew",
           tt_path_base(o->s->origin), why);
    if (b.len)
        tt_format_lost(t, o->s, TT_SC_NOWHERE,
                       "of the system structure these are not kept: %s",
                       b.data);
    tt_buf_fini(&b);
}

enum tt_code ssp_find_origin(struct ssp_out *o, struct tt_format_target *t,
                             tt_err *err)
{
    const char *why = NULL;
    char *dir, *real;
    enum tt_code rc = TT_OK;

    if (!o->s->origin)
        return TT_OK;
    dir = tt_path_dir(o->s->origin);
    real = dir ? tt_path_real(dir) : NULL;
    if (!real || read_origin(o, NULL) != TT_OK)
        why = "cannot be read";
    else
        why = why_anew(o, t->version, real);
    if (!why)
        rc = put_all(o, real, t, err);
    if (rc == TT_OK && !why && !o->again)
        why = "has files elsewhere, or ones that break rules of the standard";
    if (rc == TT_OK && why)
        report_anew(o, t, why);
    TT_FREE_ALL(real, dir);
    return rc;
}

enum tt_code ssp_put_again(struct tt_buf *b, const struct ssp_out *o,
                           const char *version, const char *hash, tt_err *err)
{
    struct tt_buf note;
    enum tt_code rc;

    tt_buf_init(&note, TT_DOC_MAX);
    ssp_put_own(&note, o, hash);
    rc = tt_buf_check(&note, MAIN, err);
    if (rc == TT_OK)
        rc = tt_xml_annotate(b, MAIN, &o->text, note.data, version, err);
    tt_buf_fini(&note);
    return rc;
}
