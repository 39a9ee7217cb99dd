/* SPDX-License-Identifier: MIT */
#include "kinds/fmi_common.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "fmi/md_check.h"
#include "sys/file.h"
#include "text/archive.h"
#include "text/xml.h"
#include "unit/turn.h"

/* --- which version ------------------------------------------------------ */

static int number_in(const char *text)
{
    text += strspn(text, " \t\r\n");
    return *text >= '1' && *text <= '9' ? *text - '0' : 0;
}

/* The number in the first fmiVersion="..." of a description, which is UTF-8
 * (FMI 2.0.5, 2.2) or at least contains ASCII nearly always, so that its bytes
 * may be searched as they are. */
static int version_in(const char *xml)
{
    const char *p = strstr(xml, "fmiVersion");

    if (!p)
        return 0;
    p += strlen("fmiVersion");
    p += strspn(p, " \t\r\n=");
    if (*p != '"' && *p != '\'')
        return 0;
    return number_in(p + 1);
}

static int version_of(const struct tt_xml_node *root)
{
    const char *version = tt_xml_value(root, "fmiVersion");

    return version ? number_in(version) : 0;
}

/* No version was seen: it is in another encoding, as UTF-16, or names none, or
 * is no XML at all. */
static enum tt_code need_version(const char *path, const struct tt_buf *b,
                                 int *version, tt_err *err)
{
    tt_xml *xml = NULL;
    enum tt_code rc = tt_xml_parse(&xml, "modelDescription.xml",
                                   b->data ? b->data : "", b->len, err);

    *version = rc == TT_OK ? version_of(tt_xml_root(xml)) : 0;
    tt_xml_free(xml);
    if (rc != TT_OK)
        return tt_context(err, rc, "%s", path);
    if (*version)
        return TT_OK;
    return tt_fail(err, TT_EINPUT,
                   "%s: its model description names no FMI version", path);
}

typedef enum tt_code (*read_fn)(tt_archive *a, const char *name,
                                struct tt_buf *b, tt_err *err);

static enum tt_code look_for_version(tt_archive *archive, read_fn read,
                                     struct tt_buf *xml, int *version,
                                     tt_err *err)
{
    enum tt_code rc = read(archive, tt_xml_description, xml, err);

    *version = rc == TT_OK && xml->data ? version_in(xml->data) : 0;
    return rc;
}

/* It stands at the start, but for a long comment before. */
enum tt_code tt_kfmi_version(const char *path, int *version, tt_err *err)
{
    tt_archive *archive = NULL;
    struct tt_buf xml;
    enum tt_code rc;

    tt_buf_init(&xml, TT_MD_MAX_BYTES);
    rc = tt_archive_open(&archive, path, err); /* names the path itself */
    if (rc == TT_OK)
        rc = look_for_version(archive, tt_archive_read_start, &xml, version,
                              err);
    if (rc == TT_OK && !*version) {
        tt_buf_clear(&xml);
        rc = look_for_version(archive, tt_archive_read, &xml, version, err);
    }
    if (rc == TT_OK && !*version)
        rc = need_version(path, &xml, version, err);
    tt_archive_close(archive);
    tt_buf_fini(&xml);
    return rc;
}

/* --- type --------------------------------------------------------------- */

static const char *line_of(const struct tt_finding *f, char *out, size_t size)
{
    out[0] = '\0';
    if (f->line)
        (void)snprintf(out, size, "modelDescription.xml:%d: ", f->line);
    return out;
}

/* A caller that wants all problems gets all findings, others the first. */
static void log_findings(const struct tt_source *s, const struct tt_findings *f)
{
    const char *file = tt_path_base(s->path);
    size_t n = f->error_n + f->warning_n, shown = 0;
    char at[64], more[128] = "";

    if (!s->log->all_problems && n > 1)
        (void)snprintf(more, sizeof(more),
                       ", and %zu more ('tutti check' of it lists "
                       "them)",
                       n - 1);
    for (size_t i = 0; i < f->n && (s->log->all_problems || !shown); i++) {
        const struct tt_finding *one = &f->item[i];

        if (one->severity == TT_SEV_NOTE)
            continue;
        tt_log(s->log, TT_LOG_WARN, "%s: %s%s: %s [%s]%s", file,
               line_of(one, at, sizeof(at)), tt_severity_name(one->severity),
               one->text, one->rule, more);
        shown++;
    }
}

/* Of the description only: what is missing among the files is reported by what
 * misses it. */
static enum tt_code check_findings(const struct tt_kfmi_type *t,
                                   const struct tt_source *s, tt_err *err)
{
    struct tt_findings f;
    enum tt_code rc;

    tt_findings_init(&f);
    rc = tt_md_check(t->md, NULL, &f, err);
    if (rc == TT_OK)
        log_findings(s, &f);
    tt_findings_fini(&f);
    return rc;
}

/* The interface asked for; any: the first there is. */
static enum tt_code choose_face(struct tt_kfmi_type *t,
                                const struct tt_source *s, tt_err *err)
{
    const struct tt_kfmi_version *other = t->version->instead;
    enum tt_code rc = tt_fmu_need(t->fmu, t->version->face, err);

    if (rc == TT_OK || s->interface != TT_INTERFACE_ANY)
        return rc;
    while (other && tt_fmu_need(t->fmu, other->face, NULL) != TT_OK)
        other = other->instead;
    if (!other)
        return rc; /* names what there is */
    t->version = other;
    t->base.kind = other->kind;
    return TT_OK;
}

enum tt_code tt_kfmi_type_init(struct tt_kfmi_type *t,
                               const struct tt_source *s, tt_err *err)
{
    enum tt_code rc;

    t->base.kind = t->version->kind;
    tt_names_init(&t->base.desc.by_name);
    rc = tt_fmu_open(&t->fmu, s->path, err);
    if (rc != TT_OK)
        return rc; /* names the path itself */
    t->md = tt_fmu_md(t->fmu);
    if ((int)t->md->version != t->version->number)
        return tt_fail(err, TT_EINPUT, "%s: is an FMU of FMI %s, not of FMI %d",
                       s->path, t->md->fmi_version, t->version->number);
    rc = choose_face(t, s, err);
    if (rc != TT_OK)
        return rc;
    rc = s->log && !s->known ? check_findings(t, s, err) : TT_OK;
    if (rc == TT_OK)
        rc = tt_kfmi_describe(t, t->base.kind->name, s->log, err);
    return rc == TT_OK ? rc : tt_context(err, rc, "%s", s->path);
}

void tt_kfmi_type_fini(struct tt_kfmi_type *t)
{
    TT_ASSERT(t->n_live == 0);
    TT_FREE_ALL(t->list, t->what);
    if (!t->md || t->base.desc.by_name.key != t->md->names.key)
        tt_names_fini(&t->base.desc.by_name);
    tt_arena_free(t->arena);
    tt_fmu_close(t->fmu);
}

enum tt_code tt_kfmi_unpack(tt_unit_type *t, tt_err *err)
{
    const char *unused;

    return tt_fmu_resources(((struct tt_kfmi_type *)(void *)t)->fmu, &unused,
                            err);
}

/* --- references --------------------------------------------------------- */

static int is_run(const uint32_t *port, size_t n)
{
    for (size_t i = 1; i < n; i++)
        if (port[i] != port[0] + i)
            return 0;
    return 1;
}

static const uint32_t *find_list(const struct tt_kfmi_type *t,
                                 const uint32_t *port, size_t n)
{
    for (size_t i = 0; i < t->n_list; i++) {
        const struct tt_kfmi_list *l = &t->list[i];

        if (l->n == n && !memcmp(l->port, port, n * sizeof(*port)))
            return l->vr;
    }
    return NULL;
}

/* References that are there: NULL, they must be made. */
static const uint32_t *find_refs(const struct tt_kfmi_type *t,
                                 const uint32_t *port, size_t n)
{
    return n == 0 || is_run(port, n) ? t->vr + (n ? port[0] : 0)
                                     : find_list(t, port, n);
}

static void fill(const struct tt_kfmi_type *t, const uint32_t *port, size_t n,
                 uint32_t *vr)
{
    for (size_t i = 0; i < n; i++)
        vr[i] = t->vr[port[i]];
}

enum tt_code tt_kfmi_refs(struct tt_kfmi_type *t, const uint32_t *port,
                          size_t n, const uint32_t **vr, tt_err *err)
{
    struct tt_kfmi_list l = {.n = n};
    uint32_t *refs;

    *vr = find_refs(t, port, n);
    if (*vr)
        return TT_OK;
    refs = tt_arena_alloc(t->arena, n, sizeof(*refs));
    l.port = tt_arena_dup(t->arena, port, n, sizeof(*port));
    l.vr = refs;
    if (!refs || !l.port || TT_GROW(t->list, t->n_list, t->cap_list))
        return tt_fail(err, TT_ENOMEM, "value references of %zu ports", n);
    fill(t, port, n, refs);
    t->list[t->n_list++] = l;
    *vr = refs;
    return TT_OK;
}

static int alike(const struct tt_what *a, const struct tt_what *b)
{
    return a->fn == b->fn && a->vr == b->vr && a->n == b->n &&
           a->n_val == b->n_val && a->type == b->type && a->verb == b->verb;
}

/* Instances are bound one like the other, so the next one is mostly it. */
static const struct tt_what *find_what(struct tt_kfmi_type *t,
                                       const struct tt_what *w)
{
    for (size_t i = 0; i < t->n_what; i++) {
        size_t k = (t->next_what + i) % t->n_what;

        if (alike(t->what[k], w)) {
            t->next_what = k + 1;
            return t->what[k];
        }
    }
    return NULL;
}

enum tt_code tt_kfmi_what(struct tt_kfmi_type *t, const struct tt_span *s,
                          struct tt_what w, const struct tt_what **what,
                          tt_err *err)
{
    enum tt_code rc = tt_kfmi_refs(t, s->port, s->n, &w.vr, err);

    if (rc != TT_OK)
        return rc;
    *what = find_what(t, &w);
    if (*what)
        return TT_OK;
    *what = tt_arena_dup(t->arena, &w, 1, sizeof(w));
    if (!*what || TT_GROW(t->what, t->n_what, t->cap_what))
        return tt_fail(err, TT_ENOMEM, "a call on %zu ports", s->n);
    t->what[t->n_what++] = *what;
    return TT_OK;
}

const uint32_t *tt_kfmi_ports(const struct tt_kfmi_type *t, const uint32_t *vr,
                              uint32_t *first)
{
    *first = 0;
    for (size_t i = 0; i < t->n_list; i++)
        if (t->list[i].vr == vr)
            return t->list[i].port;
    if (vr >= t->vr && vr < t->vr + t->base.desc.n_port)
        *first = (uint32_t)(vr - t->vr);
    return NULL;
}

static enum tt_code scratch_room(struct tt_kfmi_unit *k, size_t n, tt_err *err)
{
    uint32_t *more;

    if (n <= k->n_scratch)
        return TT_OK;
    more = tt_resize(k->scratch, n, sizeof(*more));
    if (!more)
        return tt_fail(err, TT_ENOMEM, "value references of %zu ports", n);
    k->scratch = more;
    k->n_scratch = n;
    return TT_OK;
}

enum tt_code tt_kfmi_refs_now(struct tt_kfmi_unit *k, const uint32_t *port,
                              size_t n, const uint32_t **vr, tt_err *err)
{
    enum tt_code rc;

    /* What was bound before need not be built again. */
    *vr = find_refs(k->type, port, n);
    if (*vr)
        return TT_OK;
    rc = scratch_room(k, n, err);
    if (rc != TT_OK)
        return rc;
    fill(k->type, port, n, k->scratch);
    *vr = k->scratch;
    return TT_OK;
}

enum tt_code tt_kfmi_rates(tt_unit *base, const struct tt_span *s,
                           uint32_t order, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(base);
    const struct tt_kfmi_version *v = k->type->version;
    int orders[TT_KFMI_CHUNK];
    double *value = s->value;
    const uint32_t *vr;
    enum tt_code rc;

    if (!k->type->has_rates)
        return tt_kfmi_missing(v->calls.get_rates, err);
    rc = tt_kfmi_refs_now(k, s->port, s->n, &vr, err);
    for (size_t i = 0; i < TT_KFMI_CHUNK; i++)
        orders[i] = (int)order;
    for (size_t i = 0; rc == TT_OK && i < s->n; i += TT_KFMI_CHUNK) {
        size_t n = s->n - i < TT_KFMI_CHUNK ? s->n - i : TT_KFMI_CHUNK;
        size_t n_value = tt_desc_elements(base->desc, s->port + i, n);

        rc = tt_kfmi_check(k, v->calls.get_rates,
                           v->rates(k, vr + i, n, orders, value, n_value), err);
        value += n_value;
    }
    return rc;
}

enum tt_code tt_kfmi_jvp(tt_unit *base, const struct tt_jvp *j, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(base);
    const struct tt_kfmi_version *v = k->type->version;
    struct tt_kfmi_along a = {
        .n_unknown = j->n_unknown,
        .n_known = j->n_known,
        .seed = j->dv_known,
        .out = j->dv_unknown,
        .n_seed = tt_desc_elements(base->desc, j->known, j->n_known),
        .n_out = tt_desc_elements(base->desc, j->unknown, j->n_unknown)};
    enum tt_code rc;

    if (!k->type->has_along)
        return tt_kfmi_missing(v->calls.along, err);
    rc = scratch_room(k, j->n_unknown + j->n_known, err);
    if (rc != TT_OK)
        return rc;
    a.unknown = k->scratch;
    a.known = k->scratch + j->n_unknown;
    fill(k->type, j->unknown, j->n_unknown, k->scratch);
    fill(k->type, j->known, j->n_known, k->scratch + j->n_unknown);
    return tt_kfmi_check(k, v->calls.along, v->along(k, &a), err);
}

/* --- unit --------------------------------------------------------------- */

void tt_kfmi_activity(struct tt_activity *activity, const char *call)
{
    if (activity)
        tt_activity_set(activity, NULL, call);
}

enum tt_code tt_kfmi_load_library(struct tt_kfmi_type *t,
                                  const struct tt_make *m, int *loaded,
                                  tt_err *err)
{
    *loaded = 0;
    if (t->base.desc.caps.once_per_process && t->n_live)
        return tt_fail(err, TT_EUNSUPPORTED,
                       "canBeInstantiatedOnlyOncePerProcess; a second "
                       "instance needs a process of its own");
    if (m->activity) {
        m->activity->playing = 0;
        m->activity->time = 0;
        (void)snprintf(m->activity->unit, sizeof(m->activity->unit), "%s",
                       m->name);
    }
    if (t->lib)
        return TT_OK;
    tt_kfmi_activity(m->activity, "loading its library");
    *loaded = 1;
    return tt_fmu_library(t->fmu, &t->lib, err);
}

enum {
    CACHE_LINE = 64,
    ROOM_MAX = 64,
    HOT = offsetof(struct tt_unit, now),
};
_Static_assert(offsetof(struct tt_kfmi_unit, fatal) - HOT <= CACHE_LINE,
               "what bound calls use is one cache line");

void *tt_kfmi_unit_alloc(struct tt_kfmi_type *t, size_t size, uint32_t n_like)
{
    char *u;

    size = (size + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
    if (!t->n_room) {
        /* few for the first, since most types have few */
        t->n_room = t->n_live < ROOM_MAX ? t->n_live + 1 : ROOM_MAX;
        if (n_like)
            t->n_room = n_like;
        t->room = tt_arena_alloc(t->arena, t->n_room * size + CACHE_LINE, 1);
        if (!t->room) {
            t->n_room = 0;
            return NULL;
        }
        t->room += CACHE_LINE - ((uintptr_t)t->room + HOT) % CACHE_LINE;
    }
    u = t->room;
    t->room += size;
    t->n_room--;
    return u;
}

enum tt_code tt_kfmi_unit_init(struct tt_kfmi_unit *k, struct tt_kfmi_type *t,
                               const struct tt_make *m, tt_err *err)
{
    enum tt_code rc;

    tt_kfmi_logger_init(&k->logger, m);
    k->type = t;
    t->n_live++;
    rc = tt_unit_init(&k->base, t->version->ops, &t->base.desc, m, err);
    k->logger.unit = k->base.name;
    tt_turn_note(&k->base);
    return rc == TT_OK ? tt_kfmi_live_add(k, err) : rc;
}

enum tt_code tt_kfmi_prepare(struct tt_kfmi_unit *k, uint32_t n_state,
                             tt_err *err)
{
    void **state;

    k->no_prior = n_state <= k->base.n_spare;
    if (n_state <= k->n_state)
        return TT_OK;
    state = tt_resize(k->state, n_state, sizeof(*state));
    if (!state)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    for (uint32_t i = k->n_state; i < n_state; i++)
        state[i] = NULL;
    k->state = state;
    k->n_state = n_state;
    return TT_OK;
}

void tt_kfmi_unit_fini(struct tt_kfmi_unit *k)
{
    if (!k->type)
        return;
    k->type->n_live--;
    tt_kfmi_live_remove(k);
    tt_kfmi_logger_fini(&k->logger);
    TT_FREE_ALL(k->scratch, k->state);
    tt_unit_fini(&k->base);
}

void (*tt_kfmi_fn(const struct tt_kfmi_unit *k, size_t offset))(void)
{
    void (*fn)(void);

    memcpy(&fn, (const char *)k->fns + offset, sizeof(fn));
    return fn;
}

/* --- words -------------------------------------------------------------- */

enum tt_code tt_kfmi_failed(struct tt_kfmi_unit *k, const char *call,
                            const char *status, tt_err *err)
{
    char last[TT_KFMI_LAST_MAX];

    tt_kfmi_last(&k->logger, last, sizeof(last));
    if (!*last)
        return tt_fail(err, TT_EUNIT, "%s returned %s", call, status);
    return tt_fail(err, TT_EUNIT, "%s returned %s: last message: \"%s\"", call,
                   status, last);
}

/* Before the final standard its functions had other names. */
static const char *early_function(tt_lib *lib)
{
    static const char *const name[] = {"fmiDoStep", "fmiInstantiateSlave",
                                       "fmiInstantiate"};
    void (*fn)(void);

    for (size_t i = 0; lib && i < sizeof(name) / sizeof(name[0]); i++)
        if (tt_lib_get(lib, name[i], &fn, sizeof(fn)) == 0)
            return name[i];
    return NULL;
}

enum tt_code tt_kfmi_name_draft(const struct tt_kfmi_type *t, enum tt_code rc,
                                tt_err *err)
{
    const char *v = t->md->fmi_version ? t->md->fmi_version : "";
    const char *early =
        t->md->version == TT_FMI_2 ? early_function(t->lib) : NULL;

    if (rc == TT_OK)
        return rc;
    if (strpbrk(v, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))
        return tt_context(err, rc,
                          "it is of FMI %.40s, a draft that differs from the "
                          "standard",
                          v);
    if (early)
        return tt_context(err, rc,
                          "it is of a release candidate of FMI 2.0, which has "
                          "'%s' and differs from the standard",
                          early);
    return rc;
}

enum tt_code tt_kfmi_not_made(struct tt_kfmi_unit *k, const char *call,
                              const struct tt_buf *all, tt_err *err)
{
    enum tt_code rc;

    if (all->len && !all->failed)
        rc = tt_fail(err, TT_EUNIT, "%s returned NULL: it logged %s", call,
                     all->data);
    else
        rc = tt_kfmi_failed(k, call, "NULL", err);
    return tt_kfmi_name_draft(k->type, rc, err);
}

static const char *bound_port(const struct tt_kfmi_unit *k,
                              const struct tt_call *c, uint32_t i)
{
    uint32_t first;
    const uint32_t *port = tt_kfmi_ports(k->type, c->what->vr, &first);

    return k->base.desc->port[port ? port[i] : first + i].name;
}

enum tt_code tt_kfmi_name_ports(const struct tt_kfmi_unit *k,
                                const struct tt_call *c, enum tt_code rc,
                                tt_err *err)
{
    if (c->what->n == 1)
        return tt_context(err, rc, "'%s'", bound_port(k, c, 0));
    if (c->what->n == 2)
        return tt_context(err, rc, "'%s', '%s'", bound_port(k, c, 0),
                          bound_port(k, c, 1));
    return tt_context(err, rc, "'%s', '%s' and %u more", bound_port(k, c, 0),
                      bound_port(k, c, 1), (unsigned)c->what->n - 2);
}

enum tt_code tt_kfmi_missing(const char *call, tt_err *err)
{
    return tt_fail(err, TT_EINPUT,
                   "needs %s, which the library of the FMU does not export",
                   call);
}

enum tt_code tt_kfmi_dead(const char *status, tt_err *err)
{
    return tt_fail(err, TT_ESTATE,
                   "the FMU returned %s earlier: only a new instance helps",
                   status);
}

enum tt_code tt_kfmi_take(const struct tt_kfmi_unit *k, uint32_t port,
                          struct tt_text *to, const void *from, size_t n,
                          tt_err *err)
{
    enum tt_code rc = tt_text_put(k->base.texts, to, from, n, err);

    return rc == TT_OK ? TT_OK
                       : tt_context(err, rc, "the value of '%s'",
                                    k->base.desc->port[port].name);
}

enum tt_code tt_kfmi_take_text(const struct tt_kfmi_unit *k, uint32_t port,
                               struct tt_text *to, const char *from,
                               tt_err *err)
{
    size_t n = from ? strnlen(from, TT_TEXT_MOST + 1) : 0;

    return tt_kfmi_take(k, port, to, from, n, err);
}
