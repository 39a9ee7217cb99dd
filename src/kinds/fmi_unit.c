/* SPDX-License-Identifier: MIT */
/* What FMUs of all versions do alike: they are opened, loaded, made and freed,
 * and their states are saved, restored, packed. */
#include "kinds/fmi_common.h"

#include <string.h>

#include "kinds/me_impl.h"

/* --- one FMI call, one check -------------------------------------------- */

TT_COLD enum tt_code tt_kfmi_not_ok(struct tt_kfmi_unit *k, const char *call,
                                    enum tt_fmi_status s, tt_err *err)
{
    if (s == TT_FMI_WARNING)
        return TT_OK;
    if (s == TT_FMI_FATAL)
        k->fatal = 1;
    return tt_kfmi_failed(k, call,
                          tt_fmi_status_name(k->type->version->number, s), err);
}

enum tt_log_level tt_kfmi_level(enum tt_fmi_status s)
{
    switch (s) {
    case TT_FMI_OK:
        return TT_LOG_INFO;
    case TT_FMI_PENDING:
        return TT_LOG_DEBUG;
    case TT_FMI_WARNING:
    case TT_FMI_DISCARD:
        return TT_LOG_WARN;
    case TT_FMI_ERROR:
    case TT_FMI_FATAL:
        break;
    }
    return TT_LOG_ERROR;
}

static const struct tt_kfmi_calls *calls(const struct tt_kfmi_unit *k)
{
    return &k->type->version->calls;
}

static enum tt_code check_alive(const struct tt_kfmi_unit *k, tt_err *err)
{
    if (!k->fatal)
        return TT_OK;
    return tt_kfmi_dead(
        tt_fmi_status_name(k->type->version->number, TT_FMI_FATAL), err);
}

/* --- type --------------------------------------------------------------- */

enum tt_code tt_kfmi_open(tt_unit_type **out, const struct tt_kfmi_version *v,
                          const struct tt_source *s, tt_err *err)
{
    struct tt_kfmi_type *t = tt_zalloc(1, v->type_size);
    enum tt_code rc;

    if (!t)
        return tt_fail(err, TT_ENOMEM, "opening %s", s->path);
    t->version = v;
    rc = tt_kfmi_type_init(t, s, err);
    if (rc == TT_OK && t->md->discrete && t->version->face == TT_FMI_CS &&
        !s->no_event_mode)
        rc = tt_kfmi_wrap_events(out, t, err);
    else if (rc == TT_OK)
        *out = &t->base;
    if (rc != TT_OK)
        v->kind->close(&t->base);
    return rc;
}

void tt_kfmi_close(tt_unit_type *base)
{
    struct tt_kfmi_type *t = (struct tt_kfmi_type *)(void *)base;

    if (!t)
        return;
    if (t->version->forget)
        t->version->forget(t);
    tt_kfmi_type_fini(t);
    tt_free(t);
}

static enum tt_code load(struct tt_kfmi_type *t, const struct tt_make *m,
                         tt_err *err)
{
    int loaded;
    enum tt_code rc = tt_kfmi_load_library(t, m, &loaded, err);

    if (rc != TT_OK || !loaded)
        return rc;
    rc = tt_kfmi_name_draft(t, t->version->bind(t, err), err);
    if (rc != TT_OK)
        t->lib = NULL; /* so that the next instance fails alike */
    return rc;
}

/* --- making ------------------------------------------------------------- */

static void choose_categories(struct tt_kfmi_unit *k, const struct tt_make *m)
{
    enum tt_fmi_status s =
        m->n_log_category ? k->type->version->set_logging(k, m) : TT_FMI_OK;

    if (s == TT_FMI_FATAL)
        k->fatal = 1;
    if (s > TT_FMI_WARNING) /* no reason not to simulate */
        tt_log(m->log, TT_LOG_WARN,
               "instance '%s': fmi%dSetDebugLogging returned %s; its log "
               "categories may be others than asked for",
               k->base.name, k->type->version->number,
               tt_fmi_status_name(k->type->version->number, s));
}

static void call_instantiate(struct tt_kfmi_unit *k, const struct tt_make *m,
                             const char *resources, int logging)
{
    const char *token = k->type->md->token;
    const struct tt_kfmi_birth b = {m->instance ? m->instance : m->name,
                                    token ? token : "",
                                    resources,
                                    m->visible,
                                    logging,
                                    m->early_return};
    struct tt_fpmode mode;

    tt_fpmode_save(&mode);
    k->comp = k->type->version->instantiate(k, &b);
    tt_fpmode_restore(&mode);
}

/* Without logging many log nothing of a licence or a file they miss. */
static enum tt_code ask_why(struct tt_kfmi_unit *k, const struct tt_make *m,
                            const char *resources, tt_err *err)
{
    struct tt_buf all;
    enum tt_code rc = TT_OK;

    tt_buf_init(&all, TT_ERR_MAX / 2);
    tt_kfmi_listen(k, &all);
    call_instantiate(k, m, resources, 1);
    tt_kfmi_listen(k, NULL);
    if (!k->comp)
        rc = tt_kfmi_not_made(k, calls(k)->instantiate, &all, err);
    tt_buf_fini(&all);
    return rc;
}

static enum tt_code instantiate(struct tt_kfmi_unit *k, const struct tt_make *m,
                                tt_err *err)
{
    const char *resources;
    enum tt_code rc = tt_fmu_resources(k->type->fmu, &resources, err);

    if (rc != TT_OK)
        return rc;
    tt_kfmi_activity(m->activity, calls(k)->instantiate);
    call_instantiate(k, m, resources, m->logging);
    if (!k->comp)
        rc = ask_why(k, m, resources, err);
    if (rc != TT_OK)
        return rc;
    choose_categories(k, m);
    return check_alive(k, err);
}

static enum tt_code make(tt_unit **out, struct tt_kfmi_type *t,
                         const struct tt_make *m, tt_err *err)
{
    const struct tt_kfmi_version *v = t->version;
    const struct tt_fmi_fns *fns = NULL;
    struct tt_kfmi_unit *k;
    enum tt_code rc = load(t, m, err);

    if (rc == TT_OK)
        rc = v->choose(t, m, &fns, err);
    if (rc != TT_OK)
        return rc;
    k = tt_kfmi_unit_alloc(t, v->unit_size, m->n_like);
    if (!k)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    k->fns = fns;
    rc = tt_kfmi_unit_init(k, t, m, err);
    if (rc == TT_OK)
        rc = tt_unit_keep_trail(&k->base, m, err);
    if (rc == TT_OK)
        rc = v->begin(k, m, err);
    if (rc == TT_OK && v->me)
        rc = tt_kme_new(k, m, err);
    if (rc == TT_OK)
        rc = instantiate(k, m, err);
    if (rc == TT_OK && v->made)
        rc = v->made(k, m, err);
    return TT_HAND_OVER(rc, out, &k->base, tt_kfmi_free);
}

enum tt_code tt_kfmi_make(tt_unit **out, tt_unit_type *base,
                          const struct tt_make *m, tt_err *err)
{
    enum tt_code rc = make(out, (struct tt_kfmi_type *)(void *)base, m, err);

    return rc == TT_OK ? TT_OK
                       : tt_context(err, rc, "instance '%s' (%s)", m->name,
                                    base->kind->name);
}

void tt_kfmi_free(tt_unit *u)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    const struct tt_fmi_fns *f = k->fns;

    if (k->comp && k->running && !k->fatal && u->life != TT_LIFE_BROKEN)
        if (f->terminate(k->comp) == TT_FMI_FATAL)
            k->fatal = 1;
    for (uint32_t i = 0; i < k->n_state && !k->fatal; i++)
        if (k->state[i] && f->free_state)
            (void)f->free_state(k->comp, &k->state[i]);
    if (k->comp && !k->fatal)
        f->free_instance(k->comp);
    if (k->type)
        k->type->version->release(k);
    tt_kme_free(k->me);
    tt_kfmi_unit_fini(k); /* its memory is the type's */
}

/* --- life --------------------------------------------------------------- */

enum tt_code tt_kfmi_exit_init(tt_unit *u, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    enum tt_code rc = tt_kfmi_check(k, calls(k)->exit_init,
                                    k->fns->exit_initialization(k->comp), err);

    k->running = rc == TT_OK;
    return rc;
}

enum tt_code tt_kfmi_end(tt_unit *u, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);

    k->running = 0;
    return tt_kfmi_check(k, calls(k)->terminate, k->fns->terminate(k->comp),
                         err);
}

/* May it be called, and does the library have it? */
static enum tt_code can_call(struct tt_kfmi_unit *k, int has, const char *call,
                             tt_err *err)
{
    enum tt_code rc = check_alive(k, err);

    return rc == TT_OK && !has ? tt_kfmi_missing(call, err) : rc;
}

enum tt_code tt_kfmi_reset(tt_unit *u, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    enum tt_code rc = can_call(k, k->fns->reset != NULL, calls(k)->reset, err);

    if (rc != TT_OK)
        return rc;
    k->running = 0;
    k->type->version->renew(k);
    return tt_kfmi_check(k, calls(k)->reset, k->fns->reset(k->comp), err);
}

/* --- states ------------------------------------------------------------- */

enum tt_code tt_kfmi_save(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);

    if (!k->fns->get_state)
        return tt_kfmi_missing(calls(k)->get_state, err);
    return tt_kfmi_check(k, calls(k)->get_state,
                         k->fns->get_state(k->comp, &k->state[reg]), err);
}

enum tt_code tt_kfmi_restore(tt_unit *u, uint32_t reg, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    enum tt_code rc =
        can_call(k, k->fns->set_state != NULL, calls(k)->set_state, err);

    if (rc != TT_OK)
        return rc;
    k->type->version->renew(k);
    return tt_kfmi_check(k, calls(k)->set_state,
                         k->fns->set_state(k->comp, k->state[reg]), err);
}

/* Descriptions promise what libraries do not always have. */
enum tt_code tt_kfmi_packable(tt_unit *u, tt_err *err)
{
    const struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    const struct tt_fmi_fns *f = k->fns;

    if (!u->desc->caps.serialise)
        return TT_OK; /* not even promised */
    if (!f->serialized_state_size)
        return tt_kfmi_missing(calls(k)->state_size, err);
    if (!f->serialize_state)
        return tt_kfmi_missing(calls(k)->serialize, err);
    if (!f->deserialize_state)
        return tt_kfmi_missing(calls(k)->deserialize, err);
    return TT_OK;
}

enum tt_code tt_kfmi_pack(tt_unit *u, uint32_t reg, struct tt_bytes *b,
                          tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    const struct tt_fmi_fns *f = k->fns;
    size_t n = 0;
    void *data;
    enum tt_code rc;

    rc = tt_kfmi_packable(u, err);
    if (rc != TT_OK)
        return rc;
    rc = tt_kfmi_check(k, calls(k)->state_size,
                       f->serialized_state_size(k->comp, k->state[reg], &n),
                       err);
    if (rc != TT_OK)
        return rc;
    data = tt_alloc(n);
    if (!data)
        return tt_fail(err, TT_ENOMEM, "%zu bytes of state", n);
    rc =
        tt_kfmi_check(k, calls(k)->serialize,
                      f->serialize_state(k->comp, k->state[reg], data, n), err);
    if (rc == TT_OK)
        *b = (struct tt_bytes){data, n};
    else
        tt_free(data);
    return rc;
}

static void forget_state(struct tt_kfmi_unit *k, uint32_t reg)
{
    if (k->state[reg] && k->fns->free_state)
        (void)k->fns->free_state(k->comp, &k->state[reg]);
    k->state[reg] = NULL;
}

enum tt_code tt_kfmi_unpack_state(tt_unit *u, uint32_t reg,
                                  const struct tt_bytes *b, tt_err *err)
{
    struct tt_kfmi_unit *k = tt_kfmi_unit(u);
    const struct tt_fmi_fns *f = k->fns;

    if (!f->deserialize_state)
        return tt_kfmi_missing(calls(k)->deserialize, err);
    forget_state(k, reg); /* it makes a new one */
    return tt_kfmi_check(
        k, calls(k)->deserialize,
        f->deserialize_state(k->comp, b->data, b->n, &k->state[reg]), err);
}

enum tt_code tt_kfmi_pack_with(tt_unit *u, uint32_t reg,
                               struct tt_kfmi_image image, struct tt_bytes *b,
                               tt_err *err)
{
    struct tt_bytes own = {NULL, 0};
    enum tt_code rc = image.alone ? TT_OK : tt_kfmi_pack(u, reg, &own, err);
    char *all;

    if (rc != TT_OK)
        return rc;
    all = tt_resize(own.data, own.n + image.n, 1);
    if (!all) {
        tt_free(own.data);
        return tt_fail(err, TT_ENOMEM, "%zu bytes of state", own.n);
    }
    memcpy(all + own.n, image.data, image.n);
    *b = (struct tt_bytes){all, own.n + image.n};
    return TT_OK;
}

enum tt_code tt_kfmi_unpack_with(tt_unit *u, uint32_t reg,
                                 struct tt_kfmi_image image,
                                 const struct tt_bytes *b, tt_err *err)
{
    struct tt_bytes own = {b->data, b->n - image.n};
    enum tt_code rc = TT_OK;

    if (b->n < image.n || (image.alone && own.n))
        return tt_fail(err, TT_EINPUT, "%zu bytes are no packed state", b->n);
    if (image.alone)
        forget_state(tt_kfmi_unit(u), reg);
    else
        rc = tt_kfmi_unpack_state(u, reg, &own, err);
    if (rc == TT_OK)
        memcpy(image.data, (const char *)b->data + own.n, image.n);
    return rc;
}
