/* SPDX-License-Identifier: MIT */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/num.h"
#include "sys/file.h"
#include "support/run_tutti.h"

#define MAX_ARGS   40
#define MAX_OUTPUT ((size_t)1 << 24)

extern char **environ;

/* Files instead of pipes: no reader is needed while the program runs, so
 * neither side can block the other. */
static void read_back(FILE *f, struct tt_buf *b)
{
    char chunk[4096];
    size_t n;

    rewind(f);
    while (b && (n = fread(chunk, 1, sizeof(chunk), f)) > 0)
        tt_buf_add(b, chunk, n);
    assert_true(!b || !b->failed);
    (void)fclose(f);
}

static void copy_arguments(char *to[], const char *const argv[])
{
    size_t n = 0;

    to[n++] = tt_strdup(TT_BUILD_DIR "/tutti");
    for (size_t i = 0; argv[i]; i++) {
        assert_true(n + 1 < MAX_ARGS);
        to[n++] = tt_strdup(argv[i]);
    }
    for (size_t i = 0; i < n; i++)
        assert_non_null(to[i]);
    to[n] = NULL;
}

int run_tutti(const char *const argv[], struct tt_buf *out, struct tt_buf *err)
{
    FILE *output = tmpfile(), *complained = tmpfile();
    char *args[MAX_ARGS];
    posix_spawn_file_actions_t redirect;
    pid_t pid;
    int status;

    assert_true(output && complained);
    copy_arguments(args, argv);
    assert_int_equal(posix_spawn_file_actions_init(&redirect), 0);
    assert_int_equal(posix_spawn_file_actions_addopen(&redirect, STDIN_FILENO,
                                                      "/dev/null", O_RDONLY, 0),
                     0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&redirect, fileno(output),
                                                      STDOUT_FILENO),
                     0);
    assert_int_equal(posix_spawn_file_actions_adddup2(
                         &redirect, fileno(complained), STDERR_FILENO),
                     0);
    assert_int_equal(posix_spawn(&pid, args[0], &redirect, NULL, args, environ),
                     0);
    assert_int_equal(posix_spawn_file_actions_destroy(&redirect), 0);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    for (size_t i = 0; args[i]; i++)
        tt_free(args[i]);
    read_back(output, out);
    read_back(complained, err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/* Adds "--name value" if there is a value; `text` holds it. */
static size_t number_option(const char **argv, size_t n, const char *name,
                            double value, char *text)
{
    if (value == 0)
        return n;
    (void)tt_num_print_short(text, value);
    argv[n] = name;
    argv[n + 1] = text;
    return n + 2;
}

static size_t counted(const struct tt_buf *json, const char *key)
{
    const char *at = strstr(json->data, key);

    assert_non_null(at);
    return (size_t)strtoull(at + strlen(key), NULL, 10);
}

/* The table that `tutti run` with these arguments leaves at csv. */
static tt_table *run_and_load(const char *const *argv, const char *csv,
                              struct tally *tally)
{
    struct tt_buf out, err;
    tt_table *t = NULL;
    tt_err e = {0};
    int code;

    tt_buf_init(&out, MAX_OUTPUT);
    tt_buf_init(&err, MAX_OUTPUT);
    code = run_tutti(argv, &out, &err);
    if (code != 0)
        fail_msg("tutti run %s ended with %d: %s", argv[1], code,
                 err.data ? err.data : "");
    if (tally)
        *tally = (struct tally){counted(&out, "\"steps\": "),
                                counted(&out, "\"rejected\": ")};
    tt_buf_fini(&out);
    tt_buf_fini(&err);
    if (tt_table_load(&t, csv, &e) != TT_OK)
        fail_msg("%s", e.msg);
    return t;
}

tt_table *play(const struct play *p)
{
    return play_tally(p, NULL);
}

tt_table *play_tally(const struct play *p, struct tally *tally)
{
    const char *argv[MAX_ARGS] = {"run"};
    char step[TT_NUM_MAX], end[TT_NUM_MAX];
    char *dir = NULL, *scenario, *csv;
    size_t n = 2;
    tt_table *t;

    assert_int_equal(tt_dir_temp(&dir, NULL), TT_OK);
    scenario = tt_path_join(TT_BUILD_DIR "/examples", p->scenario);
    csv = tt_path_join(dir, "results.csv");
    assert_true(scenario && csv);
    argv[1] = scenario;
    for (size_t i = 0; p->options[i]; i++)
        argv[n++] = p->options[i];
    n = number_option(argv, n, "--step", p->step, step);
    n = number_option(argv, n, "--until", p->end, end);
    if (tally)
        argv[n++] = "--json";
    argv[n++] = "--output";
    argv[n] = csv;
    t = run_and_load(argv, csv, tally);
    assert_int_equal(tt_dir_remove(dir, NULL), TT_OK);
    tt_free(csv);
    tt_free(scenario);
    tt_free(dir);
    return t;
}

const double *column(const tt_table *t, const char *name)
{
    uint32_t c;
    tt_err e = {0};

    if (tt_table_get(t, name, &c, &e) != TT_OK)
        fail_msg("%s", e.msg);
    return tt_table_values(t, c);
}
