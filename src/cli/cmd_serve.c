/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <math.h>
#include <string.h>

#include "base/hooks.h"
#include "cli/cli.h"
#include "cli/print.h"
#include "serve/serve.h"
#include "sys/proc.h"
#include "remote/token.h"
#include "tutti/tutti.h"

struct args {
    double port, max_runs, max_queue, max_sessions, max_time, expire,
        upload_time;
    uint64_t max_upload, max_disk, max_memory;
    int local_files, confined, no_sandbox, allow_network;
    struct tt_words allow_write;
    const char *bind, *dir, *token, *token_file, *examples, *dialect;
    char secret[TT_TOKEN_MAX]; /* read from token_file */
    const char *tls_cert, *tls_key, *pack, *levels, *steps;
    const char *events, *search;
    double points, from, to; /* of --steps and --events */
};

#define PORT_MAX  65535
#define RUNS_MAX  1024
#define QUEUE_MAX 1000000

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_WHOLE("-p, --port N", port,
                 "listen on this port (8082); 0: any free one", 0, PORT_MAX),
    TT_OPT_TEXT("--bind ADDRESS", bind, "listen on this address (127.0.0.1)"),
    TT_OPT_TEXT("--dir FOLDER", dir,
                "where sessions are kept ($XDG_DATA_HOME/tutti/sessions)"),
    TT_OPT_TEXT("--examples FOLDER", examples,
                "examples to begin with (those that came with this program)"),
    TT_OPT_TEXT("--token T", token,
                "every request must bring this bearer token"),
    TT_OPT_TEXT("--token-file FILE", token_file,
                "the same, read from a file: others can see the command line"),
    TT_OPT_TEXT(
        "--tls-cert FILE", tls_cert,
        "use TLS (https, wss), with this certificate and its chain (PEM)"),
    TT_OPT_TEXT("--tls-key FILE", tls_key,
                "the private key of --tls-cert (PEM)"),
    TT_OPT_WHOLE("--max-runs N", max_runs,
                 "simulations at once (2); others wait for their turn", 1,
                 RUNS_MAX),
    TT_OPT_WHOLE("--max-queue N", max_queue,
                 "simulations that wait for their turn (1000)", 0, QUEUE_MAX),
    TT_OPT_WHOLE("--max-sessions N", max_sessions, "sessions at once (1000)", 1,
                 QUEUE_MAX),
    TT_OPT_POSITIVE("--max-time S", max_time,
                    "seconds a simulation may take; then it is ended"),
    TT_OPT_SIZE("--max-memory SIZE", max_memory,
                "memory the instances of a simulation may take"),
    TT_OPT_SIZE("--max-disk SIZE", max_disk,
                "of a session's folder, while something runs in it"),
    TT_OPT_FLAG("--no-sandbox", no_sandbox,
                "simulations may write anywhere, and use the network"),
    TT_OPT_FLAG("--allow-network", allow_network,
                "simulations may use the network"),
    TT_OPT_LIST("--allow-write FOLDER", allow_write,
                "simulations may write in this folder too"),
    TT_OPT_FLAG("--local-files", local_files,
                "scenarios may name files outside of their session"),
    TT_OPT_SIZE("--max-upload SIZE", max_upload,
                "of the files in a session (1G)"),
    TT_OPT_POSITIVE(
        "--upload-time S", upload_time,
        "seconds for a request's body (60), and one for each 64K of it"),
    TT_OPT_NUMBER(
        "--expire S", expire,
        "remove sessions not asked for in S seconds (86400); 0: never"),
    TT_OPT_TEXT("--dialect maestro1|maestro2", dialect,
                "whose answers clients expect (maestro2)"),
    /* what the service starts itself for */
    TT_OPT_TEXT("--pack FILE", pack, NULL),
    /* ... and to look at the steps of a run */
    TT_OPT_TEXT("--steps TRACE", steps, NULL),
    TT_OPT_POSITIVE("--points N", points, NULL),
    /* ... and at its events */
    TT_OPT_TEXT("--events LIST", events, NULL),
    TT_OPT_TEXT("--search WORDS", search, NULL),
    TT_OPT_NUMBER("--from T", from, NULL),
    TT_OPT_NUMBER("--to T", to, NULL),
    TT_OPT_TEXT("--levels FILE", levels, NULL),
    TT_OPT_FLAG("--confined", confined, NULL),
    {0},
};

static int is_loopback(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0 ||
           strcmp(address, "lo") == 0 || strcmp(address, "localhost") == 0;
}

static enum tt_code check(const struct args *a, tt_err *err)
{
    if (a->allow_write.n > TT_ALLOW_MAX)
        return tt_fail(err, TT_EINPUT, "--allow-write: at most %u folders",
                       TT_ALLOW_MAX);
    if (!(a->expire >= 0))
        return tt_fail(err, TT_EINPUT,
                       "--expire needs a number of seconds, not negative");
    if (strcmp(a->dialect, "maestro1") != 0 &&
        strcmp(a->dialect, "maestro2") != 0)
        return tt_fail(err, TT_EINPUT,
                       "--dialect needs maestro1 or maestro2, not '%s'",
                       a->dialect);
    if (!a->tls_cert != !a->tls_key)
        return tt_fail(err, TT_EINPUT,
                       "--tls-cert and --tls-key belong together: give both");
    if (a->token && !*a->token)
        return tt_fail(err, TT_EINPUT, "--token needs a value: --token T");
    if (!a->token && !is_loopback(a->bind))
        return tt_fail(err, TT_EINPUT,
                       "--bind %s lets other machines in: give a --token",
                       a->bind);
    return TT_OK;
}

static enum tt_code read_token(struct args *a, tt_err *err)
{
    enum tt_code rc;

    if (!a->token_file)
        return TT_OK;
    if (a->token)
        return tt_fail(err, TT_EINPUT,
                       "--token and --token-file: give one of them");
    rc = tt_token_read(a->token_file, a->secret, err);
    a->token = a->secret;
    return rc;
}

static void ready(const struct tt_serve_opts *o, const struct tt_serve_ready *r)
{
    struct tt_buf b;

    tt_buf_init(&b, TT_SHOW_MAX);
    tt_buf_fmt(&b,
               "open %s in a browser; the service answers there too\n"
               "sessions: ",
               r->url);
    tt_show_clean(&b, r->folder);
    if (r->note) {
        tt_buf_str(&b, "; ");
        tt_show_clean(&b, r->note);
    }
    tt_buf_str(&b, "\nsandbox: ");
    tt_serve_guards(o, &b);
    tt_buf_char(&b, '\n');
    /* Maestro's sentence; programs that start us read the port from it */
    fprintf(stderr, "Server acquired port: {%d}\n", r->port);
    if (!b.failed)
        (void)!fwrite(b.data, 1, b.len, stdout);
    tt_buf_fini(&b);
    fflush(stdout);
}

static enum tt_code show_steps(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, TT_SHOW_MAX);
    rc = tt_serve_steps(a->steps, (uint64_t)a->points, &b, err);
    return tt_cmd_print(cli, &b, rc);
}

static enum tt_code show_events(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    const struct tt_serve_event_query q = {.points = (uint64_t)a->points,
                                           .from = a->from,
                                           .to = a->to,
                                           .search = a->search};
    struct tt_buf b;
    enum tt_code rc;

    tt_buf_init(&b, TT_SHOW_MAX);
    rc = tt_serve_events(a->events, &q, &b, err);
    return tt_cmd_print(cli, &b, rc);
}

static void fill(struct tt_serve_opts *o, const struct args *a)
{
    o->port = (int)a->port;
    o->bind = strcmp(a->bind, "localhost") == 0 ? "127.0.0.1" : a->bind;
    TT_TAKE(o, a, dir, examples, token, tls_cert, tls_key);
    o->maestro1 = strcmp(a->dialect, "maestro1") == 0;
    o->max_runs = (unsigned)a->max_runs;
    o->expire = a->expire;
    o->upload_time = a->upload_time;
    o->max_upload = a->max_upload;
    o->max_queue = (unsigned)a->max_queue;
    o->max_sessions = (unsigned)a->max_sessions;
    TT_TAKE(o, a, max_time, max_disk, max_memory, no_sandbox, allow_network);
    o->allow_write = a->allow_write.word;
    o->n_allow_write = a->allow_write.n;
    o->loopback = is_loopback(a->bind);
    o->local_files = !a->confined && (a->local_files || o->loopback);
}

static const struct args usual = {.port = 8082,
                                  .points = 2000,
                                  .from = -(double)INFINITY,
                                  .to = (double)INFINITY,
                                  .max_runs = 2,
                                  .max_queue = 1000,
                                  .max_sessions = 1000,
                                  .expire = 86400,
                                  .upload_time = 60,
                                  .bind = "127.0.0.1",
                                  .dialect = "maestro2",
                                  .max_upload = (uint64_t)1 << 30};

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    struct args *a = cli->args;
    static volatile int stop;
    struct tt_serve_opts o = {
        .stop = &stop, .version = tutti_version(), .ready_cb = ready};
    enum tt_code rc = read_token(a, err);

    if (rc == TT_OK)
        rc = check(a, err);
    if (rc != TT_OK)
        return rc;
    if (a->steps)
        return show_steps(cli, err);
    if (a->events)
        return show_events(cli, err);
    fill(&o, a);
    tt_signal_watch(&stop);
    if (a->pack)
        rc = tt_serve_pack(&o, a->pack, err);
    else if (a->levels)
        rc = tt_serve_levels(&o, a->levels, err);
    else
        rc = tt_serve(&o, err);
    tt_signal_watch(NULL);
    return tt_cmd_served(cli, rc);
}

const struct tt_cmd_call tt_cmd_serve = {
    .args = {sizeof(struct args), options, &usual},
    .exec = exec,
};
