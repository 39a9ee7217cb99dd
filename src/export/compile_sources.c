/* SPDX-License-Identifier: MIT */
/* Which sources an FMU has, and how they want to be compiled. All of it is
 * foreign: names stay below sources/, definitions and libraries are words. */
#include <string.h>

#include "export/compile_impl.h"
#include "sys/lib.h"
#include "text/xml.h"

#define BUILD     "sources/buildDescription.xml"
#define BUILD_MAX ((size_t)16 << 20)
#define WORD_MAX  65536

static enum tt_code nomem(tt_err *err)
{
    return tt_fail(err, TT_ENOMEM, "listing sources");
}

/* --- words ---------------------------------------------------------------- */

/* Append a word: what, then the name. */
static enum tt_code add(struct tt_sources *s, struct tt_word_list *l,
                        const char *what, const char *name, tt_err *err)
{
    struct tt_buf b;
    const char *word;

    if (l->n >= TT_COMPILE_MAX)
        return tt_fail(err, TT_EINPUT, "more than %d sources or options",
                       TT_COMPILE_MAX);
    tt_buf_init(&b, WORD_MAX);
    tt_buf_fmt(&b, "%s%s", what, name);
    word = b.failed ? NULL : tt_arena_strdup(s->arena, b.data);
    tt_buf_fini(&b);
    if (!word || TT_GROW(l->word, l->n, l->cap))
        return nomem(err);
    l->word[l->n++] = word;
    return TT_OK;
}

/* Relative, and going down only. */
static int is_inside(const char *name)
{
    for (const char *p = name;; p++) {
        size_t n = strcspn(p, "/");

        if (n == 0 || (n == 2 && strncmp(p, "..", 2) == 0))
            return 0;
        p += n;
        if (!*p)
            return !strpbrk(name, "\\\n\r");
    }
}

static int is_word(const char *s, const char *more)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_"
                                "abcdefghijklmnopqrstuvwxyz0123456789";

    for (; *s; s++)
        if (!strchr(plain, *s) && !strchr(more, *s))
            return 0;
    return 1;
}

static struct tt_source_set *new_set(struct tt_sources *s)
{
    if (TT_GROW(s->set, s->n_set, s->cap_set))
        return NULL;
    s->set[s->n_set] = (struct tt_source_set){0};
    return &s->set[s->n_set++];
}

static enum tt_code add_file(struct tt_sources *s, struct tt_source_set *set,
                             const tt_archive *a, const char *name, tt_err *err)
{
    struct tt_buf b;
    int there;

    if (!is_inside(name))
        return tt_fail(err, TT_EINPUT,
                       "source file '%s' does not lie below sources/", name);
    tt_buf_init(&b, WORD_MAX);
    tt_buf_fmt(&b, "sources/%s", name);
    there = !b.failed && tt_archive_has(a, b.data);
    tt_buf_fini(&b);
    if (!there)
        return tt_fail(err, TT_EINPUT, "source file 'sources/%s' is missing",
                       name);
    return add(s, &set->file, "sources/", name, err);
}

/* --- FMI 1 and 2 ---------------------------------------------------------- */

/* The file name directly in sources/, or NULL. */
static const char *c_file(const char *entry)
{
    size_t n = strlen(entry);

    if (strncmp(entry, "sources/", 8) != 0 || strchr(entry + 8, '/') ||
        n < 11 || strcmp(entry + n - 2, ".c") != 0)
        return NULL;
    return entry + 8;
}

/* Nothing is declared: what includes all others, or all. */
static enum tt_code take_all(struct tt_sources *s, struct tt_source_set *set,
                             const tt_archive *a, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (tt_archive_has(a, "sources/all.c"))
        return add_file(s, set, a, "all.c", err);
    for (size_t i = 0; i < tt_archive_count(a) && rc == TT_OK; i++)
        if (c_file(tt_archive_name(a, i)))
            rc = add_file(s, set, a, c_file(tt_archive_name(a, i)), err);
    if (rc == TT_OK && !set->file.n)
        rc = tt_fail(err, TT_EUNSUPPORTED, "it has no sources");
    return rc;
}

static enum tt_code read_listed(struct tt_sources *s, tt_fmu *fmu,
                                const struct tt_md_interface *i, tt_err *err)
{
    const tt_archive *a = tt_fmu_archive(fmu);
    struct tt_source_set *set = new_set(s);
    enum tt_code rc = set ? TT_OK : nomem(err);

    for (uint32_t k = 0; k < i->source_n && rc == TT_OK; k++)
        if (i->source[k])
            rc = add_file(s, set, a, i->source[k], err);
    if (rc == TT_OK && !set->file.n)
        rc = take_all(s, set, a, err);
    /* What wrappers of several interfaces look for; in FMI 1 nothing is
     * declared.
     */
    if (rc == TT_OK && tt_fmu_md(fmu)->version == TT_FMI_1 &&
        i == &tt_fmu_md(fmu)->cs)
        rc = add(s, &set->flag, "-D", "FMI_COSIMULATION", err);
    if (rc == TT_OK && tt_fmu_md(fmu)->version == TT_FMI_2)
        rc = add(s, &set->flag, "-D", "FMI2_OVERRIDE_FUNCTION_PREFIX", err);
    return rc;
}

/* --- FMI 3 ---------------------------------------------------------------- */

static enum tt_code at_line(const struct tt_xml_node *e, enum tt_code rc,
                            tt_err *err)
{
    return rc == TT_OK
               ? rc
               : tt_context(err, rc, "buildDescription.xml:%d", e->line);
}

static enum tt_code read_definition(struct tt_sources *s,
                                    struct tt_source_set *set,
                                    const struct tt_xml_node *e, tt_err *err)
{
    const char *name = tt_xml_value(e, "name"),
               *value = tt_xml_value(e, "value");
    struct tt_buf b;
    enum tt_code rc;

    if (!name || !*name || !is_word(name, ""))
        return tt_fail(err, TT_EINPUT, "definition '%s' is not an identifier",
                       name ? name : "");
    tt_buf_init(&b, WORD_MAX);
    tt_buf_fmt(&b, "%s%s%s", name, value ? "=" : "", value ? value : "");
    rc = b.failed ? nomem(err) : add(s, &set->flag, "-D", b.data, err);
    tt_buf_fini(&b);
    return rc;
}

static enum tt_code read_include(struct tt_sources *s,
                                 struct tt_source_set *set,
                                 const struct tt_xml_node *e, tt_err *err)
{
    const char *name = tt_xml_value(e, "name");

    if (!name || !is_inside(name))
        return tt_fail(err, TT_EINPUT,
                       "include directory '%s' does not lie below sources/",
                       name ? name : "");
    return add(s, &set->flag, "-Isources/", name, err);
}

static enum tt_code read_set(struct tt_sources *s, const tt_archive *a,
                             const struct tt_xml_node *node,
                             const struct tt_log *log, tt_err *err)
{
    struct tt_source_set *set = new_set(s);
    const char *language = tt_xml_value(node, "language");
    enum tt_code rc = set ? TT_OK : nomem(err);

    if (rc == TT_OK && language)
        set->language = tt_arena_strdup(s->arena, language);
    if (tt_xml_value(node, "compilerOptions"))
        tt_log(log, TT_LOG_NOTE, "compilerOptions \"%s\" are not used",
               tt_xml_value(node, "compilerOptions"));
    if (rc == TT_OK)
        rc = add(s, &set->flag, "-D", "FMI3_OVERRIDE_FUNCTION_PREFIX", err);
    for (const struct tt_xml_node *e = node->children; e && rc == TT_OK;
         e = e->next) {
        if (strcmp(e->name, "SourceFile") == 0)
            rc = add_file(
                s, set, a,
                tt_xml_value(e, "name") ? tt_xml_value(e, "name") : "", err);
        else if (strcmp(e->name, "PreprocessorDefinition") == 0)
            rc = read_definition(s, set, e, err);
        else if (strcmp(e->name, "IncludeDirectory") == 0)
            rc = read_include(s, set, e, err);
        rc = at_line(e, rc, err);
    }
    return rc;
}

static enum tt_code read_library(struct tt_sources *s,
                                 const struct tt_xml_node *e, tt_err *err)
{
    const char *name = tt_xml_value(e, "name"),
               *external = tt_xml_value(e, "external");

    if (!name || !*name || !is_word(name, "+.-"))
        return tt_fail(err, TT_EINPUT, "library '%s' is not a name",
                       name ? name : "");
    if (!external ||
        (strcmp(external, "true") != 0 && strcmp(external, "1") != 0))
        return tt_fail(err, TT_EUNSUPPORTED,
                       "library '%s' is to come with the FMU, which is not "
                       "supported",
                       name);
    return add(s, &s->library, "-l", name, err);
}

static enum tt_code read_configuration(struct tt_sources *s,
                                       const tt_archive *a,
                                       const struct tt_xml_node *node,
                                       const struct tt_log *log, tt_err *err)
{
    enum tt_code rc = TT_OK;

    for (const struct tt_xml_node *e = node->children; e && rc == TT_OK;
         e = e->next) {
        if (strcmp(e->name, "SourceFileSet") == 0)
            rc = read_set(s, a, e, log, err);
        else if (strcmp(e->name, "Library") == 0)
            rc = at_line(e, read_library(s, e, err), err);
    }
    if (rc == TT_OK && !s->n_set)
        rc = at_line(node, tt_fail(err, TT_EINPUT, "it names no sources"), err);
    return rc;
}

/* Is it for this machine, and this library (NULL: any)? */
static int fits(const struct tt_xml_node *e, const char *identifier)
{
    const char *id = tt_xml_value(e, "modelIdentifier"),
               *on = tt_xml_value(e, "platform");

    return strcmp(e->name, "BuildConfiguration") == 0 &&
           (!identifier || (id && strcmp(id, identifier) == 0)) &&
           (!on || strcmp(on, tt_platform_fmi3()) == 0);
}

/* Some name another model by mistake: the only one there is will be meant. */
static const struct tt_xml_node *choose(const struct tt_xml_node *first,
                                        const char *identifier,
                                        const struct tt_log *log)
{
    const struct tt_xml_node *any = NULL;
    int n = 0;

    for (const struct tt_xml_node *e = first; e; e = e->next) {
        if (fits(e, identifier))
            return e;
        n += fits(e, NULL);
        any = fits(e, NULL) ? e : any;
    }
    if (n != 1)
        return NULL;
    tt_log(log, TT_LOG_WARN,
           "buildDescription.xml:%d: it is of '%s', not of '%s'; the only "
           "configuration is used",
           any->line,
           tt_xml_value(any, "modelIdentifier")
               ? tt_xml_value(any, "modelIdentifier")
               : "",
           identifier);
    return any;
}

static enum tt_code read_description(struct tt_sources *s, tt_fmu *fmu,
                                     const struct tt_log *log, tt_err *err)
{
    tt_archive *a = tt_fmu_archive(fmu);
    const struct tt_xml_node *e;
    tt_xml *xml = NULL;
    struct tt_buf text;
    enum tt_code rc;

    if (!tt_archive_has(a, BUILD))
        return tt_fail(err, TT_EUNSUPPORTED, "it has no " BUILD);
    tt_buf_init(&text, BUILD_MAX);
    rc = tt_archive_read(a, BUILD, &text, err);
    if (rc == TT_OK)
        rc = tt_xml_parse(&xml, "buildDescription.xml",
                          text.data ? text.data : "", text.len, err);
    if (rc == TT_OK) {
        e = choose(tt_xml_root(xml)->children, s->identifier, log);
        rc = e ? read_configuration(s, a, e, log, err)
               : tt_fail(err, TT_EUNSUPPORTED,
                         "buildDescription.xml has no configuration of '%s' "
                         "for %s",
                         s->identifier, tt_platform_fmi3());
    }
    tt_xml_free(xml);
    tt_buf_fini(&text);
    return rc;
}

/* --- all ------------------------------------------------------------------ */

enum tt_code tt_sources_read(struct tt_sources *s, tt_fmu *fmu,
                             const struct tt_md_interface *i,
                             const struct tt_log *log, tt_err *err)
{
    const char *id = i->model_identifier ? i->model_identifier : "";

    *s = (struct tt_sources){.arena = tt_arena_new(), .identifier = id};
    if (!s->arena)
        return nomem(err);
    /* it becomes the name of a file */
    if (!*id || !is_word(id, ""))
        return tt_fail(err, TT_EINPUT,
                       "modelIdentifier \"%s\" is not a C identifier", id);
    return tt_fmu_md(fmu)->version == TT_FMI_3
               ? read_description(s, fmu, log, err)
               : read_listed(s, fmu, i, err);
}

void tt_sources_fini(struct tt_sources *s)
{
    for (size_t i = 0; i < s->n_set; i++)
        TT_FREE_ALL(s->set[i].file.word, s->set[i].flag.word);
    TT_FREE_ALL(s->set, s->library.word);
    tt_arena_free(s->arena);
}
