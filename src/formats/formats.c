/* SPDX-License-Identifier: MIT */
#include "formats/formats.h"
#include "scenario/build.h"

#include <stdarg.h>
#include <string.h>
#include <strings.h>

#include "base/buf.h"
#include "sys/file.h"

/* The first that recognises a file takes it: JSON, which takes what no other
 * recognises, is the last. */
static const struct tt_scformat *const formats[] = {
    &tt_scformat_ssp,
    &tt_scformat_osp,
    &tt_scformat_msim,
    &tt_scformat_json,
};
#define N_FORMATS (sizeof(formats) / sizeof(*formats))

static int has_ending(const struct tt_scformat *f, const char *path)
{
    size_t n = strlen(path), m;

    for (const char *const *e = f->ending; *e; e++) {
        m = strlen(*e);
        if (n > m && strcasecmp(path + n - m, *e) == 0)
            return 1;
    }
    return 0;
}

const struct tt_scformat *tt_scformat_of(const char *path)
{
    for (size_t i = 0; i < N_FORMATS; i++) {
        const struct tt_scformat *f = formats[i];

        if (f->read && (f->is ? f->is(path) : has_ending(f, path)))
            return f;
    }
    return NULL;
}

static const struct tt_scformat *format_to(const char *path)
{
    for (size_t i = 0; i < N_FORMATS; i++)
        if (formats[i]->write && has_ending(formats[i], path))
            return formats[i];
    return NULL;
}

/* --- reading --------------------------------------------------------------
 */

/* One that is not ours; JSON is laid over each other, and FMUs run alone. */
static const struct tt_scformat *foreign(const char *path)
{
    const struct tt_scformat *f = tt_scformat_of(path);

    return f == &tt_scformat_json ? NULL : f;
}

static enum tt_code check_variant(const struct tt_scformat *f,
                                  const char *variant,
                                  const struct tt_sc_options *o, tt_err *err)
{
    if (f == &tt_scformat_ssp)
        return TT_OK;
    if (variant)
        return tt_fail(err, TT_EINPUT,
                       "--variant chooses a system structure of an SSP "
                       "package: there is none");
    if (o && o->nested)
        return tt_fail(err, TT_EINPUT,
                       "--nested keeps systems of a system structure (SSP): "
                       "there is none");
    return TT_OK;
}

/* One that is not ours comes first, with what its format lets lie over it. */
static enum tt_code check_over(const struct tt_scformat *f,
                               const char *const *path, size_t n, tt_err *err)
{
    const struct tt_scformat *other;

    for (size_t i = 0; n > 1 && i < n; i++) {
        if (f &&
            (i == 0 ? f->is_over != NULL : f->is_over && f->is_over(path[i])))
            continue;
        other = i == 0 ? f : foreign(path[i]);
        if (other || f)
            return tt_fail(err, TT_EINPUT,
                           "'%s' is %s and is read "
                           "alone; settings can be given by options",
                           other ? path[i] : path[0],
                           other ? other->what : f->what);
    }
    return TT_OK;
}

enum tt_code tt_format_open(tt_scenario **out, const char *const *path,
                            size_t n, const char *variant,
                            const struct tt_sc_options *o,
                            const struct tt_log *log, tt_err *err)
{
    const struct tt_scformat *f = n ? foreign(path[0]) : NULL;
    enum tt_code rc = check_over(f, path, n, err);

    if (rc == TT_OK)
        rc = check_variant(f, variant, o, err);
    if (rc != TT_OK)
        return rc;
    if (!f)
        return tt_scenario_open(out, path, n, o, log, err);
    return f->read(out,
                   &(struct tt_format_source){.path = path[0],
                                              .over = path + 1,
                                              .n_over = n - 1,
                                              .variant = variant,
                                              .o = o,
                                              .log = log},
                   err);
}

/* --- writing --------------------------------------------------------------
 */

static enum tt_code unknown_target(const char *path, tt_err *err)
{
    struct tt_buf known;
    enum tt_code rc;

    tt_buf_init(&known, TT_ERR_MAX);
    for (size_t i = 0; i < N_FORMATS; i++)
        for (const char *const *e = formats[i]->ending; formats[i]->write && *e;
             e++)
            tt_buf_fmt(&known, "%s%s", known.len ? ", " : "", *e);
    rc = tt_fail(err, TT_EINPUT,
                 "%s: the ending states the format, and is one of %s", path,
                 known.data ? known.data : "");
    tt_buf_fini(&known);
    return rc;
}

enum tt_code tt_format_write(const tt_scenario *s, struct tt_format_target *t,
                             tt_err *err)
{
    const struct tt_scformat *f = format_to(t->path);

    /* a file of ours names the structure, which keeps it */
    if (f && f != &tt_scformat_ssp && s->left_out &&
        !(f == &tt_scformat_json && s->origin))
        tt_format_lost(t, s, TT_SC_NOWHERE,
                       "of the system structure these are not kept: %s",
                       s->left_out);
    return f ? f->write(s, t, err) : unknown_target(t->path, err);
}

void tt_format_lost(struct tt_format_target *t, const tt_scenario *s,
                    struct tt_where w, const char *fmt, ...)
{
    tt_err what = {0};
    char at[512];
    va_list ap;

    t->n_lost++;
    va_start(ap, fmt);
    tt_vfail(&what, TT_EUNSUPPORTED, fmt, ap);
    va_end(ap);
    tt_scenario_place(s, w, &what.place);
    if (w.file != TT_NONE)
        (void)tt_context(&what, what.code, "%s",
                         tt_scenario_at(s, w, at, sizeof(at)));
    tt_log_place(t->log, TT_LOG_WARN, &what.place, what.msg);
}

/* An instance's own where no other has it, else with a number. */
static const char *free_name(tt_arena *arena, const struct tt_names *taken,
                             const char *instance, char between)
{
    const char *name = instance;
    struct tt_buf b;

    tt_buf_init(&b, (size_t)1 << 20);
    for (unsigned k = 2; name && tt_names_find(taken, name) != TT_NONE; k++) {
        tt_buf_clear(&b);
        tt_buf_fmt(&b, "%s%c%u", instance, between, k);
        name = b.failed ? NULL : tt_arena_strdup(arena, b.data);
    }
    tt_buf_fini(&b);
    return name;
}

const char **tt_format_names(const tt_scenario *s, tt_arena *arena,
                             const char *const *source, char between,
                             int adapted)
{
    const char **name = tt_arena_alloc(arena, s->n_unit, sizeof(*name));
    struct tt_names taken;
    int failed = !name;

    tt_names_init(&taken);
    for (uint32_t i = 0; !failed && i < s->n_unit; i++) {
        const struct tt_sc_unit *u = &s->unit[i];

        if (!source[u->fmu] || (u->n_clause && !adapted))
            continue;
        name[i] = free_name(arena, &taken, u->instance, between);
        failed = !name[i] || tt_names_add(&taken, name[i], i) < 0;
    }
    tt_names_fini(&taken);
    return failed ? NULL : name;
}
