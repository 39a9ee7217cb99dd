/* SPDX-License-Identifier: MIT */
#include "export/compile.h"

#include <stdio.h>
#include <string.h>

#include "export/compile_impl.h"
#include "export/export_impl.h"
#include "sys/file.h"
#include "sys/lib.h"
#include "sys/sandbox.h"
#include "sys/temp.h"

/* All that is held on the way. */
struct making {
    const struct tt_compile *c;
    tt_fmu *fmu;              /* owned */
    struct tt_temp temp;      /* owned */
    struct tt_workshop w;     /* its compilers are owned */
    char *work, *headers;     /* owned */
    char *dir;                /* owned */
    char *built[3], *name[3]; /* owned: libraries, and their place in the FMU */
    size_t n_built;
};

static const char *platform_of(const struct making *m)
{
    return tt_fmu_md(m->fmu)->version == TT_FMI_3 ? tt_platform_fmi3()
                                                  : tt_platform_fmi2();
}

static enum tt_code nomem(tt_err *err)
{
    return tt_fail(err, TT_ENOMEM, "compiling");
}

/* --- the workshop --------------------------------------------------------- */

static enum tt_code write_headers(const struct making *m, tt_err *err)
{
    enum tt_code rc = tt_dir_make(m->headers, err);

    for (const struct tt_header *h = tt_headers; h->name && rc == TT_OK; h++) {
        char *path = tt_path_join(m->headers, h->name);

        rc = path ? tt_file_write(path, h->data, h->n, err) : nomem(err);
        tt_free(path);
    }
    return rc;
}

/* What this system cannot keep from a compiler is logged. */
static void log_guards(const struct making *m)
{
    unsigned missing = (TT_GUARD_FILES | TT_GUARD_NETWORK) & ~tt_sandbox_can();
    struct tt_buf b;

    if (!missing)
        return;
    tt_buf_init(&b, 4096);
    tt_sandbox_excuses(&b, missing);
    tt_log(m->c->log, TT_LOG_WARN, "the compiler is not wholly confined: %s",
           b.data && !b.failed ? b.data : "");
    tt_buf_fini(&b);
}

static enum tt_code set_up(struct making *m, tt_err *err)
{
    tt_archive *a = tt_fmu_archive(m->fmu);
    const char *dir;
    enum tt_code rc = tt_temp_open(&m->temp, err);

    if (rc == TT_OK)
        rc = tt_archive_unpack(a, &dir, err);
    if (rc != TT_OK)
        return rc;
    m->dir = tt_path_real(dir);
    m->work = tt_path_real(m->temp.path);
    m->headers = m->work ? tt_path_join(m->work, "fmi") : NULL;
    if (!m->dir || !m->headers)
        return nomem(err);
    m->w.fmu = m->c->input;
    m->w.dir = m->dir;
    m->w.work = m->work;
    m->w.headers = m->headers;
    m->w.folder = tt_archive_is_dir(a);
    m->w.log = m->c->log;
    log_guards(m);
    rc =
        tt_workshop_find(&m->w.cc, m->c->compiler ? m->c->compiler : "cc", err);
    return rc == TT_OK ? write_headers(m, err) : rc;
}

/* --- building ------------------------------------------------------------- */

static char *place_of(const struct making *m, const char *identifier)
{
    struct tt_buf b;
    char *name;

    tt_buf_init(&b, 65536);
    tt_buf_fmt(&b, "binaries/%s/%s%s", platform_of(m), identifier,
               tt_platform_lib_suffix());
    name = b.failed ? NULL : tt_buf_take(&b);
    tt_buf_fini(&b);
    return name;
}

static int is_built(const struct making *m, const char *place)
{
    for (size_t i = 0; i < m->n_built; i++)
        if (strcmp(m->name[i], place) == 0)
            return 1;
    return 0;
}

/* The library of one interface, unless another one has it too. */
static enum tt_code build(struct making *m, const struct tt_md_interface *i,
                          struct tt_compiled *made, tt_err *err)
{
    const char *id = i->model_identifier ? i->model_identifier : "";
    char *place = place_of(m, id);
    struct tt_sources s = {.arena = NULL};
    enum tt_code rc = place ? TT_OK : nomem(err);

    if (rc != TT_OK || !i->present || is_built(m, place)) {
        tt_free(place);
        return rc;
    }
    m->name[m->n_built++] = place;
    rc = tt_sources_read(&s, m->fmu, i, m->c->log, err);
    if (rc != TT_OK)
        rc = tt_context(err, rc, "%s", m->c->input);
    if (rc == TT_OK)
        rc = tt_workshop_build(&m->w, &s, &m->built[m->n_built - 1], err);
    for (size_t k = 0; k < s.n_set; k++)
        made->n_source += (uint32_t)s.set[k].file.n;
    tt_sources_fini(&s);
    return rc;
}

static enum tt_code build_all(struct making *m, struct tt_compiled *made,
                              tt_err *err)
{
    const struct tt_md *md = tt_fmu_md(m->fmu);
    enum tt_code rc = build(m, &md->cs, made, err);

    if (rc == TT_OK)
        rc = build(m, &md->me, made, err);
    if (rc == TT_OK)
        rc = build(m, &md->se, made, err);
    if (rc == TT_OK && !m->n_built)
        rc = tt_fail(err, TT_EINPUT, "%s: it has no interface to build",
                     m->c->input);
    return rc;
}

/* --- the FMU -------------------------------------------------------------- */

static enum tt_code pack(const struct making *m, tt_err *err)
{
    const tt_archive *a = tt_fmu_archive(m->fmu);
    tt_parcel *p = NULL;
    enum tt_code rc = tt_parcel_new(&p, m->c->output, err);

    for (size_t i = 0; i < tt_archive_count(a) && rc == TT_OK; i++) {
        const char *name = tt_archive_name(a, i);
        char *path;

        if (is_built(m, name))
            continue;
        path = tt_path_join(m->dir, name);
        rc = path ? tt_parcel_add_file(p, name, path, err) : nomem(err);
        tt_free(path);
    }
    for (size_t i = 0; i < m->n_built && rc == TT_OK; i++)
        rc = tt_parcel_add_file(p, m->name[i], m->built[i], err);
    if (rc == TT_OK)
        return tt_parcel_close(p, err);
    tt_parcel_drop(p);
    return rc;
}

static void finish(struct making *m)
{
    for (size_t i = 0; i < m->n_built; i++)
        TT_FREE_ALL(m->built[i], m->name[i]);
    TT_FREE_ALL(m->w.cc, m->w.cxx, m->headers, m->work, m->dir);
    tt_fmu_close(m->fmu);
    tt_temp_close(&m->temp);
}

enum tt_code tt_compile_fmu(const struct tt_compile *c,
                            struct tt_compiled *made, tt_err *err)
{
    struct making m = {.c = c};
    enum tt_code rc = tt_fmu_open(&m.fmu, c->input, err);

    *made = (struct tt_compiled){0};
    if (rc == TT_OK)
        rc = set_up(&m, err);
    if (rc == TT_OK)
        rc = build_all(&m, made, err);
    if (rc == TT_OK)
        rc = pack(&m, err);
    if (rc == TT_OK) {
        (void)snprintf(made->compiler, sizeof(made->compiler), "%s", m.w.cc);
        made->platform = platform_of(&m);
    }
    finish(&m);
    return rc;
}
