/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/say.h"
#include "serve/serve.h"
#include "sys/proc.h"
#include "tutti/tutti.h"

struct args {
    double port, max_runs, expire;
    const char *bind, *dir, *token;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    {"port", 'p', TT_OPT_NUMBER, AT(port), "N",
     "listen on this port (8082); 0: any free one"},
    {"bind", 0, TT_OPT_TEXT, AT(bind), "ADDRESS",
     "listen on this address (127.0.0.1)"},
    {"dir", 0, TT_OPT_TEXT, AT(dir), "FOLDER",
     "where session folders go (a temporary folder)"},
    {"token", 0, TT_OPT_TEXT, AT(token), "T",
     "every request must bring this bearer token"},
    {"max-runs", 0, TT_OPT_NUMBER, AT(max_runs), "N",
     "simulations at once (2); others wait for their turn"},
    {"expire", 0, TT_OPT_NUMBER, AT(expire), "S",
     "remove sessions nobody asked for in S seconds (86400); 0: never"},
    {0},
};

#define PORT_MAX 65535
#define RUNS_MAX 1024

static int is_whole(double v, double least, double most)
{
    return v >= least && v <= most && v == floor(v);
}

static int is_loopback(const char *address)
{
    return strncmp(address, "127.", 4) == 0 || strcmp(address, "::1") == 0 ||
           strcmp(address, "lo") == 0 || strcmp(address, "localhost") == 0;
}

static enum tt_code check(const struct args *a, const struct tt_words *rest,
                          tt_err *err)
{
    if (rest->n)
        return tt_fail(err, TT_EINPUT, "'tutti serve' takes no files: '%s'",
                       rest->word[0]);
    if (!is_whole(a->port, 0, PORT_MAX))
        return tt_fail(err, TT_EINPUT,
                       "--port wants a whole number from 0 to %d", PORT_MAX);
    if (!is_whole(a->max_runs, 1, RUNS_MAX))
        return tt_fail(err, TT_EINPUT,
                       "--max-runs wants a whole number from 1 to %d",
                       RUNS_MAX);
    if (!(a->expire >= 0))
        return tt_fail(err, TT_EINPUT,
                       "--expire wants a number of seconds, not negative");
    if (a->token && !*a->token)
        return tt_fail(err, TT_EINPUT, "--token wants a value: --token T");
    if (!a->token && !is_loopback(a->bind))
        return tt_fail(err, TT_EINPUT,
                       "--bind %s lets other machines in: give a --token",
                       a->bind);
    return TT_OK;
}

static void ready(const char *address, int port)
{
    /* Maestro's sentence; programs that start us read the port from it */
    fprintf(stderr, "Server acquired port: {%d}\n", port);
    printf("tutti serves http://%s:%d\n", address, port);
    fflush(stdout);
}

static enum tt_exit exec(const struct tt_cli *cli)
{
    struct args a = {
        .port = 8082, .max_runs = 2, .expire = 86400, .bind = "127.0.0.1"};
    static volatile int stop;
    struct tt_serve_opts o = {
        .stop = &stop, .version = tutti_version(), .ready_cb = ready};
    struct tt_words rest;
    tt_err err;
    enum tt_code rc = tt_opts_parse(cli, &a, &rest, &err);

    if (rc == TT_OK)
        rc = check(&a, &rest, &err);
    if (rc != TT_OK)
        return tt_say_error(&err);
    o.port = (int)a.port;
    o.bind = strcmp(a.bind, "localhost") == 0 ? "127.0.0.1" : a.bind;
    o.dir = a.dir;
    o.token = a.token;
    o.max_runs = (unsigned)a.max_runs;
    o.expire = a.expire;
    tt_signal_watch(&stop);
    rc = tt_serve(&o, &err);
    tt_signal_watch(NULL);
    return rc == TT_OK ? TT_EXIT_OK : tt_say_error(&err);
}

const struct tt_cmd tt_cmd_serve = {
    .name = "serve",
    .args = "",
    .brief = "answer simulation requests over HTTP, in Maestro's dialect",
    .text = "Sessions are created, initialized with a scenario, simulated and\n"
            "asked for their results over HTTP, as with Maestro 2. Each "
            "simulation\n"
            "is a process of its own; a unit that crashes ends its run only.\n"
            "SIGINT or SIGTERM ends the service, its runs and its sessions.",
    .example = "  tutti serve --port 8082\n"
               "  curl http://127.0.0.1:8082/createSession",
    .opt = options,
    .exec = exec,
};
