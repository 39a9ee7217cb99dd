/* SPDX-License-Identifier: MIT */
#include "fmi/md_check_impl.h"

#include <string.h>

#include "base/names.h"
#include "fmi/fmu.h"
#include "sys/lib.h"

#define LIST_MAX ((size_t)4096)

struct platforms {
    struct md_check *c;
    struct tt_buf list;
    int ours;
};

/* FMI 2.0.5, 2.3 and FMI 3.0.2, 2.5.1.4 name the folders differently. */
static int wrong_style(enum tt_md_version version, const char *name)
{
    static const char *const fmi2[] = {"win32",   "win64",    "linux32",
                                       "linux64", "darwin32", "darwin64"};
    int two = tt_name_is_among(name, fmi2, sizeof(fmi2) / sizeof(fmi2[0]));

    return version == TT_FMI_3 ? two
                               : strncmp(name, "x86_64-", 7) == 0 ||
                                     strncmp(name, "aarch64-", 8) == 0;
}

static void on_platform(void *ctx, const char *name)
{
    struct platforms *p = ctx;
    enum tt_md_version version = p->c->md->version;

    tt_buf_fmt(&p->list, "%s%s", p->list.len ? ", " : "", name);
    if (strcmp(name, version == TT_FMI_3 ? tt_platform_fmi3()
                                         : tt_platform_fmi2()) == 0)
        p->ours = 1;
    if (wrong_style(version, name))
        MD_WARN(p->c, 0, "FMI-FILE-PLATFORM",
                "folder binaries/%s is not named as FMI %d names platforms",
                name, (int)version);
}

static void check_library(struct md_check *c, const tt_archive *a,
                          const struct tt_md_interface *i)
{
    struct tt_buf name;

    if (!i->present || !i->model_identifier)
        return;
    tt_buf_init(&name, LIST_MAX);
    tt_buf_fmt(&name, "binaries/%s/%s%s",
               c->md->version == TT_FMI_3 ? tt_platform_fmi3()
                                          : tt_platform_fmi2(),
               i->model_identifier, tt_platform_lib_suffix());
    if (!name.failed && !tt_archive_has(a, name.data))
        MD_ERR(c, i->line, "FMI-FILE-LIBRARY",
               "the library '%s' named by modelIdentifier is missing",
               name.data);
    tt_buf_fini(&name);
}

static int has_folder(const tt_archive *a, const char *prefix)
{
    for (size_t i = 0; i < tt_archive_count(a); i++) {
        if (strncmp(tt_archive_name(a, i), prefix, strlen(prefix)) == 0)
            return 1;
    }
    return 0;
}

static void check_sources(struct md_check *c, const tt_archive *a,
                          const struct tt_md_interface *i)
{
    struct tt_buf name;

    tt_buf_init(&name, LIST_MAX);
    for (uint32_t k = 0; k < i->source_n; k++) {
        if (!i->source[k])
            continue;
        tt_buf_clear(&name);
        tt_buf_fmt(&name, "sources/%s", i->source[k]);
        if (!name.failed && !tt_archive_has(a, name.data))
            MD_ERR(c, i->line, "FMI2-FILE-SOURCE",
                   "the source file '%s' is missing", name.data);
    }
    tt_buf_fini(&name);
}

/* What is odd about its terminals. */
static void check_terminals(struct md_check *c, tt_archive *a)
{
    tt_arena *arena = tt_arena_new();
    struct tt_terminals t;

    if (!arena || tt_terminals_read(&t, arena, c->md, a, c->f, NULL) != TT_OK)
        c->nomem = 1;
    tt_arena_free(arena);
}

void md_check_files(struct md_check *c, tt_archive *a)
{
    struct platforms p = {.c = c};
    int sources = has_folder(a, "sources/");

    tt_buf_init(&p.list, LIST_MAX);
    if (tt_fmu_platforms(a, on_platform, &p, NULL) != TT_OK)
        c->nomem = 1;
    if (p.list.len)
        tt_findings_add(c->f, TT_SEV_NOTE, 0, "FMI-FILE-PLATFORMS",
                        "it has binaries for: %s", p.list.data);
    else if (!sources)
        MD_ERR(c, 0, "FMI-FILE-IMPLEMENTATION",
               "it has neither binaries nor sources");
    if (p.ours) {
        check_library(c, a, &c->md->cs);
        check_library(c, a, &c->md->me);
        check_library(c, a, &c->md->se);
    } else {
        MD_WARN(c, 0, "FMI-FILE-LIBRARY",
                "it has no library for this platform (%s)",
                c->md->version == TT_FMI_3 ? tt_platform_fmi3()
                                           : tt_platform_fmi2());
    }
    tt_buf_fini(&p.list);
    check_sources(c, a, &c->md->cs);
    check_sources(c, a, &c->md->me);
    if (c->md->version == TT_FMI_3 && sources &&
        !tt_archive_has(a, "sources/buildDescription.xml"))
        MD_ERR(c, 0, "FMI3-FILE-BUILD",
               "it has sources but no sources/buildDescription.xml");
    check_terminals(c, a);
}
