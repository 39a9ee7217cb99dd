/* SPDX-License-Identifier: MIT */
#include "fmi/fmu_copy.h"

#include <string.h>

#include "base/mem.h"
#include "sys/elf.h"
#include "sys/file.h"

/* The library's file, unpacked; owned by the caller. */
static enum tt_code library_file(tt_fmu *fmu, char **path, tt_err *err)
{
    const char *name, *dir;
    enum tt_code rc = tt_fmu_library_name(fmu, &name, err);

    if (rc == TT_OK)
        rc = tt_archive_unpack(tt_fmu_archive(fmu), &dir, err);
    if (rc != TT_OK)
        return rc;
    *path = tt_path_join(dir, name);
    return *path ? TT_OK : tt_fail(err, TT_ENOMEM, "%s", tt_fmu_path(fmu));
}

/* The loader takes a library that another one needs by its name, so all copies
 * would share it. */
static int has_neighbours(tt_fmu *fmu, const char *name)
{
    const tt_archive *a = tt_fmu_archive(fmu);
    size_t folder = (size_t)(tt_path_base(name) - name), n = 0;

    for (size_t i = 0; i < tt_archive_count(a); i++) {
        const char *other = tt_archive_name(a, i);

        n += strncmp(other, name, folder) == 0 &&
             strstr(other + folder, tt_platform_lib_suffix()) != NULL;
    }
    return n > 1;
}

const char *tt_fmu_copy_refused(tt_fmu *fmu)
{
    const char *name;
    char *path = NULL;
    int unique;

    if (tt_archive_is_dir(tt_fmu_archive(fmu)))
        return "it is a folder and not an archive";
    if (tt_fmu_library_name(fmu, &name, NULL) != TT_OK ||
        library_file(fmu, &path, NULL) != TT_OK)
        return "its library cannot be unpacked";
    unique = tt_elf_has_unique(path);
    tt_free(path);
    if (has_neighbours(fmu, name))
        return "it brings other libraries beside its own";
    return unique ? "its library has symbols that exist once in a process"
                  : NULL;
}

static enum tt_code copy_file(const char *from, const char *to, tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, (size_t)TT_ARCHIVE_MAX_ENTRY);
    rc = tt_file_read(&b, from, err);
    if (rc == TT_OK)
        rc = tt_file_write(to, b.data ? b.data : "", b.len, err);
    tt_buf_fini(&b);
    return rc;
}

enum tt_code tt_fmu_copy_library(tt_fmu *fmu, uint32_t number, tt_lib **lib,
                                 tt_err *err)
{
    struct tt_buf to;
    char *from = NULL;
    enum tt_code rc = library_file(fmu, &from, err);

    tt_buf_init(&to, (size_t)1 << 16);
    if (rc == TT_OK) {
        /* beside it: a library may look for its resources from there */
        tt_buf_fmt(&to, "%s.%u%s", from, (unsigned)number,
                   tt_platform_lib_suffix());
        rc = tt_buf_check(&to, "library name", err);
    }
    if (rc == TT_OK)
        rc = copy_file(from, to.data, err);
    if (rc == TT_OK)
        rc = tt_lib_open(lib, to.data, err);
    tt_free(from);
    tt_buf_fini(&to);
    return rc == TT_OK ? rc : tt_context(err, rc, "%s", tt_fmu_path(fmu));
}
