/* SPDX-License-Identifier: MIT */
#include "fmi/fmu.h"

#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "sys/file.h"
#include "text/xml.h"

#define DESCRIPTION "modelDescription.xml"
#define TEXT_MAX    ((size_t)64 * 1024) /* a path, a list of platforms */

struct tt_fmu {
    tt_archive *archive; /* owned */
    struct tt_md *md;    /* owned */
    tt_arena *arena;     /* owned: its terminals */
    struct tt_terminals terminals;
    enum tt_fmi_face face; /* what its library is for; 0: not reported */
    char *library_name;    /* owned: in the archive, or NULL: not yet sought */
    tt_lib *lib;           /* owned: NULL until loaded */
    char *resources;       /* owned: NULL until asked for */
};

static enum tt_code load_description(tt_fmu *fmu, tt_err *err)
{
    struct tt_buf xml;
    enum tt_code rc;

    if (!tt_archive_has(fmu->archive, tt_xml_description))
        return tt_fail(err, TT_EINPUT,
                       "%s: it has no " DESCRIPTION ", so it is not an FMU",
                       tt_archive_path(fmu->archive));
    tt_buf_init(&xml, TT_MD_MAX_BYTES);
    rc = tt_archive_read(fmu->archive, tt_xml_description, &xml, err);
    if (rc == TT_OK) {
        rc = tt_md_parse(&fmu->md, xml.data ? xml.data : "", xml.len, err);
        if (rc != TT_OK)
            rc = tt_context(err, rc, "%s", tt_archive_path(fmu->archive));
        else
            tt_archive_keep(fmu->archive, tt_xml_description, &xml);
    }
    tt_buf_fini(&xml);
    return rc;
}

static enum tt_code load_terminals(tt_fmu *fmu, tt_err *err)
{
    struct tt_findings found; /* those who check an FMU report them */
    enum tt_code rc;

    fmu->arena = tt_arena_new();
    if (!fmu->arena)
        return tt_nomem(err, "terminals");
    tt_findings_init(&found);
    rc = tt_terminals_read(&fmu->terminals, fmu->arena, fmu->md, fmu->archive,
                           &found, err);
    tt_findings_fini(&found);
    return rc;
}

enum tt_code tt_fmu_open_any(tt_fmu **out, const char *path, tt_err *err)
{
    tt_fmu *fmu;
    enum tt_code rc;

    if (!TT_NEW(fmu))
        return tt_fail(err, TT_ENOMEM, "opening %s", path);
    rc = tt_archive_open(&fmu->archive, path, err);
    if (rc == TT_OK)
        rc = load_description(fmu, err);
    if (rc == TT_OK)
        rc = load_terminals(fmu, err);
    return TT_HAND_OVER(rc, out, fmu, tt_fmu_close);
}

enum tt_code tt_fmu_open(tt_fmu **out, const char *path, tt_err *err)
{
    tt_fmu *fmu = NULL;
    enum tt_code rc = tt_fmu_open_any(&fmu, path, err);

    if (rc != TT_OK || !fmu)
        return rc;
    rc = tt_findings_fail(&fmu->md->findings, err);
    if (rc != TT_OK) {
        tt_fmu_close(fmu);
        return tt_context(err, rc, "%s: " DESCRIPTION, path);
    }
    *out = fmu;
    return TT_OK;
}

void tt_fmu_close(tt_fmu *fmu)
{
    if (!fmu)
        return;
    tt_lib_close(fmu->lib);
    tt_arena_free(fmu->arena);
    tt_md_free(fmu->md);
    tt_archive_close(fmu->archive);
    TT_FREE_ALL(fmu->resources, fmu->library_name, fmu);
}

const char *tt_fmu_path(const tt_fmu *fmu)
{
    return tt_archive_path(fmu->archive);
}

const struct tt_md *tt_fmu_md(const tt_fmu *fmu)
{
    return fmu->md;
}

const struct tt_terminals *tt_fmu_terminals(const tt_fmu *fmu)
{
    return &fmu->terminals;
}

tt_archive *tt_fmu_archive(tt_fmu *fmu)
{
    return fmu->archive;
}

static const struct tt_md_interface *interface_of(const struct tt_md *md,
                                                  enum tt_fmi_face face)
{
    return face == TT_FMI_ME ? &md->me : face == TT_FMI_SE ? &md->se : &md->cs;
}

enum tt_code tt_fmu_need(tt_fmu *fmu, enum tt_fmi_face face, tt_err *err)
{
    fmu->face = face;
    if (interface_of(fmu->md, face)->present)
        return TT_OK;
    return tt_fail(err, TT_EUNSUPPORTED, "%s: it has %s, but %s is needed",
                   tt_fmu_path(fmu), tt_md_interfaces(fmu->md),
                   face == TT_FMI_ME   ? "Model Exchange"
                   : face == TT_FMI_SE ? "Scheduled Execution"
                                       : "Co-Simulation");
}

enum tt_code tt_fmu_platforms(const tt_archive *a, tt_fmu_platform_fn fn,
                              void *ctx, tt_err *err)
{
    struct tt_buf last;
    enum tt_code rc;

    tt_buf_init(&last, TEXT_MAX);
    tt_buf_str(&last, "");
    for (size_t i = 0; i < tt_archive_count(a) && !last.failed; i++) {
        const char *name = tt_archive_name(a, i), *slash;
        size_t n;

        if (strncmp(name, "binaries/", 9) != 0)
            continue;
        name += 9;
        slash = strchr(name, '/');
        n = slash ? (size_t)(slash - name) : 0;
        if (!slash || (n == last.len && memcmp(name, last.data, n) == 0))
            continue;
        tt_buf_clear(&last);
        tt_buf_add(&last, name, n);
        if (!last.failed)
            fn(ctx, last.data);
    }
    rc = tt_buf_check(&last, "list of platforms", err);
    tt_buf_fini(&last);
    return rc;
}

static void add_platform(void *ctx, const char *platform)
{
    struct tt_buf *b = ctx;

    tt_buf_fmt(b, "%s%s", b->len ? ", " : "", platform);
}

static int has_sources(const tt_archive *a)
{
    for (size_t i = 0; i < tt_archive_count(a); i++)
        if (strncmp(tt_archive_name(a, i), "sources/", 8) == 0)
            return 1;
    return 0;
}

static enum tt_code no_library(const tt_fmu *fmu, const char *folder,
                               size_t libraries, tt_err *err)
{
    struct tt_buf list;
    enum tt_code rc;

    if (libraries)
        return tt_fail(err, TT_EINPUT,
                       "%s: %s holds %zu libraries, none named after "
                       "modelIdentifier or the archive",
                       tt_fmu_path(fmu), folder, libraries);
    tt_buf_init(&list, TEXT_MAX);
    rc = tt_fmu_platforms(fmu->archive, add_platform, &list, err);
    if (rc == TT_OK)
        rc = tt_fail(err, TT_EUNSUPPORTED,
                     "%s: it has no library for this platform (%s); "
                     "it has: %s%s",
                     tt_fmu_path(fmu), folder + 9,
                     list.len ? list.data : "no binaries at all",
                     has_sources(fmu->archive)
                         ? "; 'tutti compile' builds its sources"
                         : "");
    tt_buf_fini(&list);
    return rc;
}

/* In folder: the number of libraries, and the first. */
static size_t count_libraries(const tt_archive *a, const char *folder,
                              const char **first)
{
    size_t nf = strlen(folder), ns = strlen(tt_platform_lib_suffix());
    size_t count = 0;

    for (size_t i = 0; i < tt_archive_count(a); i++) {
        const char *name = tt_archive_name(a, i);
        size_t n = strlen(name);

        if (n > nf + 1 + ns && strncmp(name, folder, nf) == 0 &&
            name[nf] == '/' && !strchr(name + nf + 1, '/') &&
            strcmp(name + n - ns, tt_platform_lib_suffix()) == 0 &&
            count++ == 0)
            *first = name;
    }
    return count;
}

static const char *identifier(const tt_fmu *fmu)
{
    const struct tt_md *md = fmu->md;
    const struct tt_md_interface *i = interface_of(md, fmu->face);

    if (!i->present)
        i = md->cs.present ? &md->cs : md->me.present ? &md->me : &md->se;
    return i->model_identifier ? i->model_identifier : "";
}

/* 1 and fmu->library_name set when folder has <stem>.so. */
static int try_stem(tt_fmu *fmu, const char *folder, const char *stem, size_t n)
{
    struct tt_buf b;

    tt_buf_init(&b, TEXT_MAX);
    tt_buf_fmt(&b, "%s/", folder);
    tt_buf_add(&b, stem, n);
    tt_buf_str(&b, tt_platform_lib_suffix());
    if (n && !b.failed && tt_archive_has(fmu->archive, b.data))
        fmu->library_name = tt_buf_take(&b);
    tt_buf_fini(&b);
    return fmu->library_name != NULL;
}

static enum tt_code find_library(tt_fmu *fmu, const char *folder, tt_err *err)
{
    const char *base = tt_path_base(tt_fmu_path(fmu)), *first = NULL;
    const char *id = identifier(fmu);
    size_t n;

    if (try_stem(fmu, folder, id, strlen(id)) ||
        try_stem(fmu, folder, base, strcspn(base, ".")))
        return TT_OK;
    n = count_libraries(fmu->archive, folder, &first);
    if (n != 1)
        return no_library(fmu, folder, n, err);
    fmu->library_name = tt_strdup(first);
    if (!fmu->library_name)
        return tt_fail(err, TT_ENOMEM, "%s", tt_fmu_path(fmu));
    return TT_OK;
}

/* Some tools name the folder as the other version of FMI does. */
static int elsewhere(const tt_fmu *fmu, struct tt_buf *folder)
{
    const char *first;
    struct tt_buf other;
    int found;

    tt_buf_init(&other, TEXT_MAX);
    tt_buf_fmt(&other, "binaries/%s",
               fmu->md->version == TT_FMI_3 ? tt_platform_fmi2()
                                            : tt_platform_fmi3());
    found = !other.failed &&
            count_libraries(fmu->archive, folder->data, &first) == 0 &&
            count_libraries(fmu->archive, other.data, &first) > 0;
    if (found) {
        tt_buf_fini(folder);
        *folder = other;
    } else {
        tt_buf_fini(&other);
    }
    return found;
}

enum tt_code tt_fmu_library_name(tt_fmu *fmu, const char **name, tt_err *err)
{
    struct tt_buf folder;
    enum tt_code rc;

    if (!fmu->library_name) {
        tt_buf_init(&folder, TEXT_MAX);
        tt_buf_fmt(&folder, "binaries/%s",
                   fmu->md->version == TT_FMI_3 ? tt_platform_fmi3()
                                                : tt_platform_fmi2());
        rc = tt_buf_check(&folder, "library name", err);
        if (rc == TT_OK)
            (void)elsewhere(fmu, &folder);
        if (rc == TT_OK)
            rc = find_library(fmu, folder.data, err);
        tt_buf_fini(&folder);
        if (rc != TT_OK)
            return rc;
    }
    *name = fmu->library_name;
    return TT_OK;
}

enum tt_code tt_fmu_library(tt_fmu *fmu, tt_lib **lib, tt_err *err)
{
    const char *name, *dir;
    enum tt_code rc = TT_OK;
    char *full;

    if (!fmu->lib) {
        rc = tt_fmu_need(fmu, fmu->face ? fmu->face : TT_FMI_CS, err);
        if (rc == TT_OK)
            rc = tt_fmu_library_name(fmu, &name, err);
        if (rc == TT_OK)
            rc = tt_archive_unpack(fmu->archive, &dir, err);
        if (rc != TT_OK)
            return rc;
        full = tt_path_join(dir, name);
        rc = full ? tt_lib_open(&fmu->lib, full, err)
                  : tt_fail(err, TT_ENOMEM, "loading %s", name);
        tt_free(full);
        if (rc != TT_OK)
            return tt_context(err, rc, "%s", tt_fmu_path(fmu));
    }
    *lib = fmu->lib;
    return TT_OK;
}

/* RFC 3986: unreserved characters and '/' stand for themselves. */
static void add_uri(struct tt_buf *b, const char *path)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789-._~/";

    tt_buf_str(b, "file://");
    for (const char *p = path; *p; p++) {
        if (strchr(plain, *p))
            tt_buf_char(b, *p);
        else
            tt_buf_fmt(b, "%%%02X", (unsigned)(unsigned char)*p);
    }
}

enum tt_code tt_fmu_resources(tt_fmu *fmu, const char **location, tt_err *err)
{
    enum tt_code rc;
    const char *dir;
    char *path;
    struct tt_buf b;

    if (fmu->resources) {
        *location = fmu->resources;
        return TT_OK;
    }
    rc = tt_archive_unpack(fmu->archive, &dir, err);
    if (rc != TT_OK)
        return rc;
    path = fmu->md->version == TT_FMI_1 ? tt_strdup(dir)
                                        : tt_path_join(dir, "resources");
    tt_buf_init(&b, TEXT_MAX);
    if (path && fmu->md->version == TT_FMI_3)
        tt_buf_fmt(&b, "%s/", path);
    else if (path)
        add_uri(&b, path);
    tt_free(path);
    fmu->resources = b.failed ? NULL : tt_buf_take(&b);
    tt_buf_fini(&b);
    if (!fmu->resources)
        return tt_fail(err, TT_ENOMEM, "%s", tt_fmu_path(fmu));
    *location = fmu->resources;
    return TT_OK;
}
