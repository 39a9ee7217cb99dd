/* SPDX-License-Identifier: MIT */
#include "adapt/adapt.h"
#include "cli/cli.h"
#include "cli/print.h"
#include "compose/compose.h"

struct args {
    int is_explicit;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    {"explicit", 0, TT_OPT_FLAG, AT(is_explicit), NULL,
     "print the program with every convention written out"},
    {0},
};

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const char *path = cli->words.word[0];
    struct tt_log log = {.sink_cb = tt_print_record, .least = TT_LOG_WARN};
    const struct tt_source s = {
        .path = path, .log = &log, .kind_cb = tt_compose_kind_for};
    struct tt_buf b;
    enum tt_code rc;

    if (!tt_kind_adapted.accepts(&s))
        return tt_fail(err, TT_EINPUT, "%s: an adaptation's name ends in .sa",
                       path);
    tt_buf_init(&b, (size_t)16 << 20);
    rc = tt_adapt_explicit(&s, &b, err);
    if (rc == TT_OK && ((const struct args *)cli->args)->is_explicit)
        cli->exit = tt_print_out(&b, TT_EXIT_OK);
    tt_buf_fini(&b);
    return rc;
}

const struct tt_cmd_call tt_cmd_adapt = {
    .args = {sizeof(struct args), options, NULL, NULL, NULL},
    .files = {1, 1, 0, "one adaptation", "an adaptation"},
    .exec = exec,
};
