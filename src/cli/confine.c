/* SPDX-License-Identifier: MIT */
#include "cli/confine.h"

#include <string.h>

#include "base/num.h"

#define AT(member) offsetof(struct tt_confine_args, member)
const struct tt_opt tt_confine_opts[] = {
    TT_OPT_FLAG(
        "--sandbox", sandbox,
        "instances write to a temporary folder only, and have no network"),
    TT_OPT_LIST("--allow-write DIR", write,
                "with --sandbox: instances may write in this folder too"),
    TT_OPT_FLAG("--allow-network", network,
                "with --sandbox: instances may use the network"),
    TT_OPT_SIZE("--memory-limit SIZE", memory,
                "of the process instances play in: 512M, 2G"),
    TT_OPT_SIZE("--file-limit SIZE", file_size, "of each file instances write"),
    TT_OPT_POSITIVE("--cpu-limit S", cpu_s,
                    "processor time of the run, in seconds"),
    {0},
};

#define NEEDED (TT_GUARD_FILES | TT_GUARD_NETWORK | TT_GUARD_CALLS)
#define WORDS  ((size_t)16384)

/* --- from options -----------------------------------------------------------
 */

const char *tt_confine_option(const struct tt_confine_args *a)
{
    return a->sandbox     ? "--sandbox"
           : a->memory    ? "--memory-limit"
           : a->file_size ? "--file-limit"
           : a->cpu_s > 0 ? "--cpu-limit"
                          : NULL;
}

static enum tt_code check(const struct tt_confine_args *a, tt_err *err)
{
    if (!a->sandbox && (a->network || a->write.n))
        return tt_fail(err, TT_EINPUT, "--allow-%s goes with --sandbox",
                       a->network ? "network" : "write");
    for (uint32_t i = 0; i < a->write.n; i++)
        if (!*a->write.word[i])
            return tt_fail(err, TT_EINPUT,
                           "--allow-write needs a value: --allow-write DIR");
    return TT_OK;
}

static enum tt_code list_folders(struct tt_sandbox *s,
                                 const struct tt_confine_args *a,
                                 const char *temp, const struct tt_cli *cli,
                                 tt_err *err)
{
    const char **list =
        tt_arena_alloc(cli->arena, a->write.n + (size_t)1, sizeof(*list));

    if (!list)
        return tt_nomem(err, "preparing the sandbox");
    list[0] = temp;
    for (uint32_t i = 0; i < a->write.n; i++)
        list[i + 1] = a->write.word[i];
    s->write = list;
    s->n_write = a->write.n + (size_t)1;
    return TT_OK;
}

/* --- in words ---------------------------------------------------------------
 */

static void put_limits(struct tt_buf *b, const struct tt_limits *l)
{
    if (l->memory) {
        tt_buf_str(b, b->len ? "; memory up to " : "memory up to ");
        tt_size_words(b, l->memory);
    }
    if (l->file_size) {
        tt_buf_str(b, b->len ? "; files up to " : "files up to ");
        tt_size_words(b, l->file_size);
    }
    if (l->cpu_s)
        tt_buf_fmt(b, "%sprocessor time up to %llu s", b->len ? "; " : "",
                   (unsigned long long)l->cpu_s);
}

/* "no writes outside, no network, ...; but writes in 'logs'; memory up to
 * 512 MB; missing: ..." */
static enum tt_code describe(struct tt_note *note, const struct tt_sandbox *s,
                             const struct tt_cli *cli, tt_err *err)
{
    unsigned can = tt_sandbox_can();
    struct tt_buf b;

    tt_buf_init(&b, WORDS);
    tt_sandbox_words(&b, s->guards & can);
    for (size_t i = 1; i < s->n_write; i++)
        tt_buf_fmt(&b, "%s'%s'", i == 1 ? "; but writes in " : ", ",
                   s->write[i]);
    if (s->guards && !(s->guards & TT_GUARD_NETWORK))
        tt_buf_str(&b,
                   s->n_write > 1 ? ", and the network" : "; but the network");
    put_limits(&b, &s->limit);
    if (s->guards & ~can) {
        tt_buf_str(&b, "; missing: ");
        tt_sandbox_excuses(&b, s->guards & ~can);
    }
    note->topic = "sandbox";
    note->text = b.failed ? NULL : tt_arena_strndup(cli->arena, b.data, b.len);
    tt_buf_fini(&b);
    return note->text ? TT_OK : tt_nomem(err, "preparing the sandbox");
}

enum tt_code tt_confine(struct tt_sandbox *out, struct tt_note *note,
                        const struct tt_confine_args *a, const char *temp,
                        const struct tt_cli *cli, tt_err *err)
{
    struct tt_sandbox s = {.limit = {.memory = a->memory,
                                     .file_size = a->file_size,
                                     .cpu_s = (uint64_t)a->cpu_s}};
    enum tt_code rc = check(a, err);

    *out = (struct tt_sandbox){0};
    if (rc != TT_OK || !tt_confine_option(a))
        return rc;
    if (a->cpu_s > 0 && s.limit.cpu_s < 1)
        s.limit.cpu_s = 1;
    if (a->sandbox) {
        s.guards = NEEDED | TT_GUARD_SIGNALS;
        if (a->network)
            s.guards &= ~(unsigned)TT_GUARD_NETWORK;
        s.need = s.guards & NEEDED;
        rc = list_folders(&s, a, temp, cli, err);
    }
    if (rc == TT_OK)
        rc = tt_limit_check(a->memory, "--memory-limit",
                            "that are in use before any instance is loaded",
                            err);
    if (rc == TT_OK)
        rc = describe(note, &s, cli, err);
    if (rc == TT_OK)
        *out = s;
    return rc;
}

/* --- at the end -------------------------------------------------------------
 */

/* One more block would most likely not have fitted. */
static int is_near(uint64_t used, uint64_t limit)
{
    return used >= limit - limit / 8;
}

static void put_memory(struct tt_buf *b, uint64_t limit, uint64_t used)
{
    tt_buf_str(b, is_near(used, limit) ? "; the memory limit of "
                                       : "; a memory limit of ");
    tt_size_words(b, limit);
    if (is_near(used, limit)) {
        tt_buf_str(b, " was reached");
        return;
    }
    tt_buf_str(b, " was in force");
    if (!used)
        return;
    tt_buf_str(b, ", and ");
    tt_size_words(b, used);
    tt_buf_str(b, " were in use");
}

/* Refused, some units crash; which calls were refused is not known. */
static void put_sandbox(struct tt_buf *b, const struct tt_sandbox *s)
{
    if (s->guards)
        tt_buf_str(b, "; it played in a sandbox");
}

static void put_cpu(struct tt_buf *b, uint64_t seconds, const char *end)
{
    tt_buf_fmt(b, "; a limit of %llu s of processor time was %s",
               (unsigned long long)seconds, end);
}

void tt_confine_put_end(struct tt_buf *b, const struct tt_sandbox *s,
                        const struct tt_proc_result *how, uint64_t used)
{
    const char *sig =
        how->how == TT_PROC_KILLED ? tt_signal_name(how->value) : "";
    const struct tt_limits *l = &s->limit;

    if (l->cpu_s && strcmp(sig, "SIGXCPU") == 0) {
        put_cpu(b, l->cpu_s, "reached");
        return;
    }
    if (l->cpu_s && strcmp(sig, "SIGKILL") == 0)
        put_cpu(b, l->cpu_s, "in force");
    if (l->memory)
        put_memory(b, l->memory, used);
    if (!l->memory || !is_near(used, l->memory))
        put_sandbox(b, s);
}

void tt_confine_explain(tt_err *err, const struct tt_sandbox *s)
{
    uint64_t limit = s->limit.memory, used = limit ? tt_memory_used() : 0;
    struct tt_buf b;

    tt_buf_init(&b, TT_ERR_MAX);
    tt_buf_str(&b, err->msg);
    if (limit && (err->code == TT_ENOMEM || is_near(used, limit)))
        put_memory(&b, limit, used);
    else if (err->code == TT_EUNIT)
        put_sandbox(&b, s);
    else if (err->code == TT_EIO && s->limit.file_size) {
        tt_buf_str(&b, "; files are limited to ");
        tt_size_words(&b, s->limit.file_size);
    }
    if (!b.failed)
        tt_fail(err, err->code, "%s", b.data);
    tt_buf_fini(&b);
}
