/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/print.h"
#include "remote/listen.h"
#include "remote/token.h"
#include "sys/file.h"
#include "sys/proc.h"
#include "sys/sandbox.h"
#include "sys/tcp.h"
#include "sys/temp.h"

struct args {
    const char *listen, *token_file, *dir, *cache, *cert, *key;
    double most;
    int verbose, sandbox;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_TEXT(
        "--listen ADDRESS:PORT", listen,
        "where masters reach it (127.0.0.1:7117); port 0: any free one"),
    TT_OPT_TEXT("--token-file FILE", token_file,
                "what masters must know: the first line of this file"),
    TT_OPT_TEXT("--tls-cert FILE", cert,
                "encrypt, with this certificate (PEM) ..."),
    TT_OPT_TEXT("--tls-key FILE", key, "... and its private key"),
    TT_OPT_TEXT("--dir FOLDER", dir,
                "FMUs that are here already: tutti://HOST:PORT/NAME.fmu"),
    TT_OPT_TEXT("--cache FOLDER", cache,
                "keep uploaded FMUs here (a temporary folder)"),
    TT_OPT_WHOLE("--most N", most, "instances at once (64)", 1, TT_LISTEN_MOST),
    TT_OPT_FLAG(
        "--sandbox", sandbox,
        "instances write to their temporary folder only, and have no network"),
    TT_OPT_FLAG("-v, --verbose", verbose, "log connections"),
    {0},
};

static enum tt_code check(const struct args *a, tt_err *err)
{
    if (!a->token_file)
        return tt_fail(err, TT_EINPUT,
                       "'tutti worker' needs a --token-file: a client that "
                       "reaches it runs programs here");
    if (!a->cert != !a->key)
        return tt_fail(err, TT_EINPUT, "--tls-cert and --tls-key go together");
    if (a->dir && !tt_file_is_dir(a->dir))
        return tt_fail(err, TT_EINPUT, "--dir: there is no folder '%s'",
                       a->dir);
    return TT_OK;
}

/* One line each, whole, since several processes write. */
static void log_record(void *ctx, const struct tt_log_record *r)
{
    (void)ctx;
    fprintf(stderr, "tutti worker: %s\n", r->text);
}

static void ready(void *ctx, const char *address)
{
    (void)ctx;
    printf("tutti worker listens at %s\n", address);
    fflush(stdout);
}

static enum tt_code work(const struct args *a, const struct tt_temp *temp,
                         tt_err *err)
{
    static volatile int stop;
    char host[TT_HOST_MAX], port[6], token[TT_TOKEN_MAX];
    const unsigned guards =
        TT_GUARD_FILES | TT_GUARD_NETWORK | TT_GUARD_CALLS | TT_GUARD_SIGNALS;
    const struct tt_sandbox box = {.guards = guards,
                                   .need = TT_GUARD_FILES | TT_GUARD_NETWORK};
    const struct tt_log log = {.sink_cb = log_record,
                               .least = a->verbose ? TT_LOG_INFO : TT_LOG_WARN};
    const struct tt_listen l = {.host = host,
                                .port = port,
                                .token = token,
                                .dir = a->dir,
                                .cache = a->cache ? a->cache : temp->path,
                                .cert = a->cert,
                                .key = a->key,
                                .temp = temp->path,
                                .sandbox = a->sandbox ? &box : NULL,
                                .most = (uint32_t)a->most,
                                .log = &log,
                                .stop = &stop,
                                .ready_cb = ready};
    enum tt_code rc = tt_addr_split(a->listen, host, port, err);

    if (rc == TT_OK)
        rc = tt_token_read(a->token_file, token, err);
    if (rc == TT_OK && a->cache)
        rc = tt_dir_make(a->cache, err);
    if (rc != TT_OK)
        return rc;
    tt_signal_watch(&stop);
    rc = tt_listen_serve(&l, err);
    tt_signal_watch(NULL);
    return rc;
}

static const struct args usual = {.listen = "127.0.0.1:7117", .most = 64};

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_temp temp = {0};
    enum tt_code rc = check(a, err);

    tt_temp_sweep();
    if (rc == TT_OK)
        rc = tt_temp_open(&temp, err);
    if (rc == TT_OK)
        rc = work(a, &temp, err);
    tt_temp_close(&temp);
    return tt_cmd_served(cli, rc);
}

const struct tt_cmd_call tt_cmd_worker = {
    .args = {sizeof(struct args), options, &usual},
    .exec = exec,
};
