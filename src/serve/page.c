/* SPDX-License-Identifier: MIT */
#include "serve/page_impl.h"

#include <string.h>

#include "serve/api_impl.h"
#include "serve/wire.h"

#define INDEX "index.html"
#define API   "openapi.json" /* no file of the page */

/* The page talks to this service and to no other, and runs only what came with
 * it. */
#define PAGE_HEADERS                                                           \
    "Content-Security-Policy: default-src 'none'; script-src 'self'; "         \
    "style-src 'self'; img-src 'self' data: blob:; font-src 'self'; "          \
    "connect-src 'self'; base-uri 'none'; form-action 'none'; "                \
    "frame-ancestors 'none'\r\n"                                               \
    "X-Content-Type-Options: nosniff\r\n"                                      \
    "Referrer-Policy: no-referrer\r\n"

static const struct tt_embedded *find(const char *path)
{
    const struct tt_embedded *f = tt_embedded;

    while (f->path && strcmp(f->path, path) != 0)
        f++;
    return f->path ? f : NULL;
}

static const char *type_of(const char *path)
{
    static const struct {
        const char *end, *type;
    } known[] = {
        {".html", "text/html; charset=utf-8"},
        {".js", "text/javascript; charset=utf-8"},
        {".css", "text/css; charset=utf-8"},
        {".svg", "image/svg+xml"},
        {".json", "application/json"},
        {".png", "image/png"},
        {".woff2", "font/woff2"},
    };
    const char *dot = strrchr(path, '.');

    for (size_t i = 0; dot && i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(known[i].end, dot) == 0)
            return known[i].type;
    return "application/octet-stream";
}

/* A browser that has this version need not get it again. */
static int is_known(struct tt_request *r, const struct tt_embedded *f)
{
    char seen[TT_HEADER_MAX];

    tt_wire_header(r->wire, WSI_TOKEN_HTTP_IF_NONE_MATCH, seen, sizeof(seen));
    return strstr(seen, f->hash) != NULL;
}

static void give(struct tt_request *r, const struct tt_embedded *f,
                 const char *headers)
{
    struct tt_answer *a = &r->answer;

    a->headers = headers;
    a->etag = f->hash;
    a->type = type_of(f->path);
    a->ready = 1;
    if (is_known(r, f)) {
        a->status = 304;
        return;
    }
    a->text = (const char *)f->data;
    a->text_n = f->n;
}

/* "/" and "/app.js" */
static const struct tt_embedded *wanted(const char *path)
{
    if (path[0] != '/' || strcmp(path + 1, API) == 0)
        return NULL;
    return find(path[1] ? path + 1 : INDEX);
}

int tt_page_is_open(const char *path)
{
    return wanted(path) != NULL;
}

static void answer_page(struct tt_service *s, struct tt_request *r)
{
    const struct tt_embedded *f = wanted(r->path);

    (void)s;
    if (f)
        give(r, f, PAGE_HEADERS);
    else
        tt_answer_error(&r->answer, 404, "no '%s' here", r->path);
}

void tt_api_openapi(struct tt_service *s, struct tt_request *r)
{
    const struct tt_embedded *f = find(API);

    (void)s;
    if (f)
        give(r, f, NULL);
    else
        tt_answer_error(&r->answer, 404, "no '%s' here", r->path);
}

const struct tt_route tt_routes_page[] = {
    {"", TT_BIT(TT_GET), answer_page, NULL},
    {"{file}", TT_BIT(TT_GET), answer_page, NULL},
    {0},
};
