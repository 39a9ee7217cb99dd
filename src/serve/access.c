/* SPDX-License-Identifier: MIT */
#include "serve/wire.h"

#include <string.h>
#include <strings.h>

void tt_wire_header(struct lws *wsi, enum lws_token_indexes h, char *out,
                    size_t size)
{
    if (lws_hdr_copy(wsi, out, (int)size, h) <= 0)
        out[0] = '\0';
}

/* Takes as long for a wrong token as for the right one. */
static int same_secret(const char *given, const char *secret)
{
    size_t n = strlen(secret), m = strlen(given);
    unsigned differs = n != m;

    for (size_t i = 0; i < m; i++)
        differs |= (unsigned)(given[i] ^ secret[n ? i % n : 0]);
    return !differs;
}

/* A browser's WebSocket cannot have a header of its own, but it can offer a
 * subprotocol: "bearer.TOKEN", beside the one that is used. */
static int offers_token(struct lws *wsi, const char *token)
{
    static const char lead[] = "bearer.";
    char list[TT_HEADER_MAX], *p = list;

    tt_wire_header(wsi, WSI_TOKEN_PROTOCOL, list, sizeof(list));
    while (*p) {
        char *end = p + strcspn(p, ", ");
        int more = *end != '\0';

        *end = '\0';
        if (strncmp(p, lead, sizeof(lead) - 1) == 0 &&
            same_secret(p + sizeof(lead) - 1, token))
            return 1;
        p = end + more;
    }
    return 0;
}

static int has_token(struct lws *wsi, const char *token)
{
    char given[TT_HEADER_MAX];

    if (!token || offers_token(wsi, token))
        return 1;
    tt_wire_header(wsi, WSI_TOKEN_HTTP_AUTHORIZATION, given, sizeof(given));
    return strncmp(given, "Bearer ", 7) == 0 && same_secret(given + 7, token);
}

/* The value of a header the library has no number for, "": none. */
static void other_header(struct lws *wsi, const char *name, char *out,
                         size_t size)
{
    if (lws_hdr_custom_copy(wsi, out, (int)size, name, (int)strlen(name)) <= 0)
        out[0] = '\0';
}

/* Browsers report where a request comes from even where they send no origin: an
 * image or a form of another site, for example. Following a link to the page is
 * allowed. */
static int is_from_elsewhere(struct lws *wsi, const char *path)
{
    char site[TT_HEADER_MAX], mode[TT_HEADER_MAX];

    other_header(wsi, "sec-fetch-site:", site, sizeof(site));
    other_header(wsi, "sec-fetch-mode:", mode, sizeof(mode));
    if (strcmp(site, "cross-site") != 0 && strcmp(site, "same-site") != 0)
        return 0;
    return strcmp(mode, "navigate") != 0 || !tt_page_is_open(path);
}

/* A page of another site must not use the browser of a user that may. One that
 * hides where it is from ("null") is of another site, too. */
static int is_foreign(struct lws *wsi, const char *path)
{
    char origin[TT_HEADER_MAX], host[TT_HEADER_MAX];
    const char *at;

    if (is_from_elsewhere(wsi, path))
        return 1;
    tt_wire_header(wsi, WSI_TOKEN_ORIGIN, origin, sizeof(origin));
    tt_wire_header(wsi, WSI_TOKEN_HOST, host, sizeof(host));
    if (strcmp(origin, "null") == 0)
        return 1;
    if (strncmp(origin, "http", 4) != 0)
        return 0;
    at = strstr(origin, "://");
    return !at || strcmp(at + 3, host) != 0;
}

/* Does "host:port" name this machine whatever name server is asked? A page that
 * has its own name lead to us, once it is loaded, is of the same origin as we
 * are; but it cannot change the name it asks for. */
static int is_plain(const char *host)
{
    static const char local[] = "localhost";
    size_t n = strcspn(host, ":"), m = sizeof(local) - 1;

    if (!*host || *host == '[' || strspn(host, "0123456789.") == n)
        return 1;
    return n >= m && strncasecmp(host + n - m, local, m) == 0 &&
           (n == m || host[n - m - 1] == '.');
}

/* Where no token is wanted, the address is all that keeps others out. */
static int is_misnamed(struct lws *wsi)
{
    const struct tt_service *s = tt_wire_service(wsi);
    char host[TT_HEADER_MAX];

    tt_wire_header(wsi, WSI_TOKEN_HOST, host, sizeof(host));
    return !s->opts->token && !is_plain(host);
}

/* The service as a whole does, or does not. */
static int wants_tls(struct lws *wsi)
{
    const struct tt_service *s = tt_wire_service(wsi);

    return s->opts->tls_cert != NULL;
}

unsigned tt_access_refuses(void *wire, const char *path, const char **why)
{
    const struct tt_service *s = tt_wire_service(wire);

    if (wants_tls(wire) && !lws_is_ssl(wire)) {
        *why = "this service uses TLS: ask for https://";
        return 426;
    }
    if (!tt_page_is_open(path) && !has_token(wire, s->opts->token)) {
        *why = "this service needs a token: Authorization: Bearer TOKEN";
        return 401;
    }
    if (is_misnamed(wire)) {
        *why = "without a token this service is asked for as localhost or by "
               "its address only";
        return 403;
    }
    if (is_foreign(wire, path)) {
        *why = "pages of other sites may not use this service";
        return 403;
    }
    return 0;
}
