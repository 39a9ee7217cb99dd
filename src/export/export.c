/* SPDX-License-Identifier: MIT */
#include "export/export.h"

#include <string.h>

#include "base/hash.h"
#include "base/mem.h"
#include "compose/compose.h"
#include "export/export_impl.h"
#include "export/types.h"
#include "sys/file.h"

#define TEXT_MAX ((size_t)256 << 20)

const char *tt_export_engine_name(int fmi)
{
    return fmi == 3 ? "tutti-engine-fmi3.so" : "tutti-engine-fmi2.so";
}

/* --- names ---------------------------------------------------------------- */

/* A C identifier, as the standard wants it. */
static void put_identifier(struct tt_buf *b, const char *model)
{
    if (*model >= '0' && *model <= '9')
        tt_buf_char(b, '_');
    for (; *model; model++) {
        char c = *model;
        int fine = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                   (c >= '0' && c <= '9');

        tt_buf_char(b, fine ? c : '_');
    }
}

/* Of what the description states without it, so that it changes when that
 * does. */
static void put_token(struct tt_buf *b, const struct tt_buf *description)
{
    uint64_t h[2];

    h[0] = tt_hash(TT_HASH_START, description->data, description->len);
    h[1] = tt_hash(h[0], "tutti", 5);
    tt_buf_fmt(b, "{%08x-%04x-%04x-%04x-%04x%08x}", (unsigned)(h[0] >> 32),
               (unsigned)(h[0] >> 16 & 0xFFFF), (unsigned)(h[0] & 0xFFFF),
               (unsigned)(h[1] >> 48), (unsigned)(h[1] >> 32 & 0xFFFF),
               (unsigned)(h[1] & 0xFFFFFFFF));
}

/* --- parts ---------------------------------------------------------------- */

static enum tt_code put_contents(tt_parcel *p, const char *scenario,
                                 const char *token, tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, TEXT_MAX);
    tt_buf_fmt(&b, "{\"version\": %d, \"token\": ", TT_EXPORT_VERSION);
    tt_buf_json(&b, token);
    tt_json_text(&b, ", \"scenario\": ", scenario);
    tt_buf_str(&b, "}\n");
    rc = tt_parcel_add(p, "resources/" TT_EXPORT_FILE, &b, err);
    tt_buf_fini(&b);
    return rc;
}

static enum tt_code put_engine(tt_parcel *p, const struct tt_export *x,
                               const char *identifier, tt_err *err)
{
    struct tt_buf name;
    enum tt_code rc;

    tt_buf_init(&name, TT_ARCHIVE_MAX_NAME);
    tt_buf_fmt(&name, "binaries/%s/%s%s",
               x->fmi == 3 ? tt_platform_fmi3() : tt_platform_fmi2(),
               identifier, tt_platform_lib_suffix());
    rc = tt_buf_check(&name, "the library's name", err);
    if (rc == TT_OK)
        rc = tt_parcel_add_file(p, name.data, x->engine, err);
    tt_buf_fini(&name);
    return rc;
}

/* Once without a token, to make one, and once with it. */
static enum tt_code put_description(tt_parcel *p, struct tt_describe *d,
                                    struct tt_buf *token, uint32_t *n_variable,
                                    tt_err *err)
{
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, TEXT_MAX);
    d->token = "";
    rc = tt_export_describe(&b, d, n_variable, err);
    if (rc == TT_OK)
        put_token(token, &b);
    if (rc == TT_OK)
        rc = tt_buf_check(token, "the token", err);
    tt_buf_clear(&b);
    d->token = token->data;
    d->log = NULL; /* it has been reported */
    if (rc == TT_OK)
        rc = tt_export_describe(&b, d, n_variable, err);
    if (rc == TT_OK)
        rc = tt_parcel_add(p, "modelDescription.xml", &b, err);
    tt_buf_fini(&b);
    return rc;
}

static enum tt_code fill(tt_parcel *p, struct tt_bundle *bundle,
                         const struct tt_export *x, const struct tt_desc *desc,
                         struct tt_exported *made, tt_err *err)
{
    struct tt_buf identifier, token;
    struct tt_describe d = {.desc = desc, .fmi = x->fmi, .log = x->log};
    const char *scenario = NULL;
    enum tt_code rc;

    tt_buf_init(&identifier, TT_ARCHIVE_MAX_NAME);
    tt_buf_init(&token, TT_ARCHIVE_MAX_NAME);
    put_identifier(&identifier, desc->model);
    rc = tt_buf_check(&identifier, "the model's name", err);
    d.identifier = identifier.data;
    if (rc == TT_OK)
        rc = put_description(p, &d, &token, &made->n_variable, err);
    if (rc == TT_OK)
        rc = put_engine(p, x, d.identifier, err);
    if (rc == TT_OK)
        rc = tt_bundle_scenario(bundle, x->scenario, &scenario, err);
    if (rc == TT_OK)
        rc = put_contents(p, scenario, token.data, err);
    made->n_fmu = bundle->n_fmu;
    tt_buf_fini(&identifier);
    tt_buf_fini(&token);
    return rc;
}

/* --- the whole ------------------------------------------------------------ */

static enum tt_code pack(const struct tt_export *x, const struct tt_desc *desc,
                         struct tt_exported *made, tt_err *err)
{
    struct tt_bundle bundle = {0};
    tt_parcel *p = NULL;
    enum tt_code rc = tt_parcel_new(&p, x->output, err);

    if (rc != TT_OK)
        return rc;
    rc = tt_bundle_init(&bundle, p, err);
    bundle.only_base = x->only_base;
    if (rc == TT_OK)
        rc = fill(p, &bundle, x, desc, made, err);
    if (rc == TT_OK)
        rc = tt_parcel_close(p, err);
    else
        tt_parcel_drop(p);
    tt_bundle_fini(&bundle);
    return rc;
}

static enum tt_code check(const struct tt_export *x, tt_err *err)
{
    if (!tt_file_exists(x->engine))
        return tt_fail(err, TT_EIO,
                       "%s: it goes into exported FMUs and is not there",
                       x->engine);
    if (tt_file_is_dir(x->output))
        return tt_fail(err, TT_EINPUT, "%s: it is a folder", x->output);
    return TT_OK;
}

enum tt_code tt_export_write(const struct tt_export *x,
                             struct tt_exported *made, tt_err *err)
{
    /* what is decided for a run comes from its caller */
    struct tt_log log = {.least = TT_LOG_WARN};
    const struct tt_source s = {
        .path = x->scenario, .log = &log, .here = TT_EXPORT_HERE};
    tt_unit_type *type = NULL;
    enum tt_code rc = check(x, err);

    if (x->log) {
        log.sink_cb = x->log->sink_cb;
        log.ctx = x->log->ctx;
    }
    if (rc == TT_OK)
        rc = tt_kind_composite.open(&type, &s, err);
    if (rc != TT_OK)
        return rc;
    rc = pack(x, &type->desc, made, err);
    type->kind->close(type);
    return rc;
}
