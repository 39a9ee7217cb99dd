/* SPDX-License-Identifier: MIT */
/* Runs that are more than one simulation: `tutti stability`, `tune`, `sweep`.
 * They have a place among the others: a number, a folder, a turn. What they
 * print is their summary, and the last line of their log states how far they
 * are. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/names.h"
#include "base/num.h"
#include "serve/serve_impl.h"
#include "sys/file.h"

#define ARGS_MAX    48u /* that a request may lead to */
#define SUMMARY_MAX ((size_t)64 << 20)
#define TAIL        4096u /* bytes of a log that are looked at */

struct tt_study {
    const char *name;
    const char *const *usual;  /* arguments it always has */
    const char *const *option; /* that a request may state */
};

static const char *const stability_usual[] = {"--json", NULL};
static const char *const stability_option[] = {
    "step",  "master", "approximation", "iterate", "at",
    "along", "points", "brief",         NULL};
static const char *const tune_usual[] = {"--json", "--progress", NULL};
static const char *const tune_option[] = {
    "tolerance", "budget", "keep", "until", "start", "record", "warm", NULL};
static const char *const sweep_usual[] = {"--json", "--progress", "--output",
                                          TT_SIM_RESULTS, NULL};
static const char *const sweep_option[] = {
    "vary",     "draw",  "seed",  "columns", "take", "sensitivity",
    "patience", "until", "start", "step",    "warm", NULL};

static const struct tt_study studies[] = {
    {"stability", stability_usual, stability_option},
    {"tune", tune_usual, tune_option},
    {"sweep", sweep_usual, sweep_option},
};
#define STUDIES (sizeof(studies) / sizeof(*studies))

const struct tt_study *tt_study_find(const char *name)
{
    for (size_t i = 0; name && i < STUDIES; i++)
        if (strcmp(studies[i].name, name) == 0)
            return &studies[i];
    return NULL;
}

const char *tt_study_name(const struct tt_study *study)
{
    return study ? study->name : "run";
}

/* --- arguments ------------------------------------------------------------ */

struct list {
    char **arg;
    size_t n;
};

static enum tt_code add(struct list *l, const char *name, const char *value,
                        tt_err *err)
{
    struct tt_buf b;

    if (l->n + 1 >= ARGS_MAX)
        return tt_fail(err, TT_EINPUT, "'options' are more than %u", ARGS_MAX);
    tt_buf_init(&b, TT_BODY_MAX);
    tt_buf_fmt(&b, value ? "--%s=%s" : "--%s", name, value);
    l->arg[l->n] = b.failed ? NULL : tt_strdup(b.data);
    tt_buf_fini(&b);
    return l->arg[l->n++] ? TT_OK : tt_nomem(err, "a run");
}

/* Points that are drawn have a name of their own, because `--points` may also
 * name a file, and files are not the request's to name. */
static enum tt_code add_draw(struct list *l, const char *value, tt_err *err)
{
    if (strncmp(value, "lhs:", 4) != 0 && strncmp(value, "random:", 7) != 0)
        return tt_fail(err, TT_EINPUT,
                       "'draw' must be lhs:N or random:N, not '%s'", value);
    return add(l, "points", value, err);
}

static enum tt_code add_value(struct list *l, const char *name, const json_t *v,
                              tt_err *err)
{
    char num[TT_NUM_MAX];

    if (json_is_true(v))
        return add(l, name, NULL, err);
    if (json_is_false(v) || json_is_null(v))
        return TT_OK;
    if (json_is_number(v)) {
        tt_num_print(num, json_number_value(v));
        return add(l, name, num, err);
    }
    if (!json_is_string(v))
        return tt_fail(err, TT_EINPUT,
                       "'%s' must be a text, a number or true, or a list of "
                       "texts",
                       name);
    return strcmp(name, "draw") == 0 ? add_draw(l, json_string_value(v), err)
                                     : add(l, name, json_string_value(v), err);
}

static enum tt_code add_option(struct list *l, const struct tt_study *study,
                               const char *name, const json_t *v, tt_err *err)
{
    enum tt_code rc = TT_OK;
    const json_t *item;
    const char *near;
    size_t n = 0, i;

    while (study->option[n] && strcmp(study->option[n], name) != 0)
        n++;
    if (!study->option[n]) {
        near = tt_names_nearest(name, n, tt_name_in, study->option);
        return tt_fail(err, TT_EINPUT, "'%s' has no option '%s'%s%s%s",
                       study->name, name, near ? "; did you mean '" : "",
                       near ? near : "", near ? "'?" : "");
    }
    if (!json_is_array(v))
        return add_value(l, name, v, err);
    json_array_foreach(v, i, item)
    {
        if (rc == TT_OK)
            rc = add_value(l, name, item, err);
    }
    return rc;
}

static enum tt_code add_options(struct tt_sim *sim, json_t *options,
                                tt_err *err)
{
    struct list l = {.arg = sim->option};
    enum tt_code rc = TT_OK;
    const char *name;
    json_t *v;

    json_object_foreach(options, name, v)
    {
        if (rc == TT_OK)
            rc = add_option(&l, sim->study, name, v, err);
    }
    return rc;
}

enum tt_code tt_study_set(struct tt_sim *sim, const char *kind,
                          const json_t *options, tt_err *err)
{
    json_t *own;
    enum tt_code rc;

    if (!kind || strcmp(kind, tt_study_name(NULL)) == 0)
        return options ? tt_fail(err, TT_EINPUT,
                                 "'options' are of a 'kind': stability, tune "
                                 "or sweep")
                       : TT_OK;
    sim->study = tt_study_find(kind);
    if (!sim->study)
        return tt_fail(err, TT_EINPUT,
                       "'kind' must be run, stability, tune or sweep, not "
                       "'%s'",
                       kind);
    own = options ? json_deep_copy(options) : json_object();
    if (!own || !TT_NEW_ARRAY(sim->option, ARGS_MAX + 1))
        rc = tt_nomem(err, "a run");
    else
        rc = add_options(sim, own, err);
    json_decref(own);
    return rc;
}

void tt_study_free(struct tt_sim *sim)
{
    for (size_t i = 0; sim->option && sim->option[i]; i++)
        tt_free(sim->option[i]);
    tt_free(sim->option);
}

/* The program, the kind, the folder; a scenario and what is laid over it. */
#define BESIDE_MAX 12u

const char **tt_study_args(const struct tt_service *s, const struct tt_sim *sim)
{
    const char *const lead[] = {s->self, sim->study->name, tt_base_option(s),
                                sim->session->dir, NULL};
    const char *const *const part[] = {
        lead, sim->study->usual, (const char *const *)sim->option, sim->config};
    const char **argv;
    size_t n = 0;

    if (!TT_NEW_ARRAY(argv, ARGS_MAX + BESIDE_MAX))
        return NULL;
    for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++)
        for (const char *const *a = part[i]; *a; a++)
            argv[n++] = *a;
    return argv;
}

/* --- how far it is -------------------------------------------------------- */

/* The last complete line of its log, or "". */
static void last_line(const struct tt_sim *sim, char line[TAIL])
{
    char *path = tt_sim_path(sim, TT_SIM_LOG), *at;
    uint64_t size;
    int fd = path ? tt_file_open_plain(path, &size) : -1;
    ssize_t n = 0;

    if (fd >= 0) {
        n = pread(fd, line, TAIL - 1,
                  (off_t)(size > TAIL - 1 ? size - (TAIL - 1) : 0));
        (void)close(fd);
    }
    tt_free(path);
    while (n > 0 && line[n - 1] != '\n')
        n--;
    line[n > 0 ? n - 1 : 0] = '\0';
    at = strrchr(line, '\n');
    if (at)
        memmove(line, at + 1, strlen(at + 1) + 1);
}

/* "12 of 60 runs" */
double tt_study_progress(const struct tt_sim *sim, char *words, size_t size)
{
    char line[TAIL];
    unsigned long done, all;
    char *end;

    last_line(sim, line);
    snprintf(words, size, "%s", line);
    done = strtoul(line, &end, 10);
    if (end == line || strncmp(end, " of ", 4) != 0)
        return 0;
    all = strtoul(end + 4, NULL, 10);
    return all ? fmin((double)done / (double)all, 1) : 0;
}

/* --- how it ended --------------------------------------------------------- */

static json_t *summary_of(const struct tt_sim *sim)
{
    char *path = tt_sim_path(sim, TT_SIM_SUMMARY);
    json_t *v = NULL;
    struct tt_buf text;

    tt_buf_init(&text, SUMMARY_MAX);
    if (path && tt_file_read_plain(&text, path, NULL) == TT_OK && text.len)
        v = json_loadb(text.data, text.len, 0, NULL);
    tt_buf_fini(&text);
    tt_free(path);
    return v;
}

static const char *text_at(const json_t *v, const char *name)
{
    return json_string_value(json_object_get(v, name));
}

static double number_at(const json_t *v, const char *name)
{
    const json_t *n = json_object_get(v, name);

    return json_is_number(n) ? json_number_value(n) : 0;
}

/* "Gauss-Seidel, linear at 0.1 s: error 0.0004, confirmed" */
static void put_best(struct tt_buf *b, const json_t *best)
{
    const char *name = text_at(best, "variant");
    char step[TT_NUM_MAX], error[TT_NUM_MAX];

    if (!name) {
        tt_buf_str(b, "no settings were found");
        return;
    }
    tt_num_print_digits(step, number_at(best, "step"), 4);
    tt_num_print_digits(error, number_at(best, "error"), 3);
    tt_buf_fmt(b, "%s at %s s: error %s, %s", name, step, error,
               json_is_true(json_object_get(best, "confirmed"))
                   ? "confirmed"
                   : "not confirmed");
}

/* "8 of 9 points, 1 failed" */
static void put_points(struct tt_buf *b, const json_t *v)
{
    tt_buf_fmt(
        b, "%lld of %lld points, %lld failed", (long long)number_at(v, "done"),
        (long long)number_at(v, "points"), (long long)number_at(v, "failed"));
}

/* A sentence about what was found. */
static void put_finding(struct tt_buf *b, const json_t *v)
{
    const char *verdict = text_at(v, "verdict"), *why = text_at(v, "reason");

    if (verdict)
        tt_buf_fmt(b, "%s%s%s", verdict, why ? ": " : "", why ? why : "");
    else if (json_object_get(v, "best"))
        put_best(b, json_object_get(v, "best"));
    else
        put_points(b, v);
}

/* Without a summary the last words are the reason. */
static void put_failure(struct tt_buf *b, const struct tt_sim *sim,
                        const struct tt_proc_result *how)
{
    static const char name[] = "tutti: ";
    char line[TAIL];

    last_line(sim, line);
    if (how->how == TT_PROC_KILLED)
        tt_buf_fmt(b, "the process was ended by %s",
                   tt_signal_name(how->value));
    else if (line[0])
        tt_buf_str(b, strncmp(line, name, sizeof(name) - 1) == 0
                          ? line + sizeof(name) - 1
                          : line);
    else
        tt_buf_fmt(b, "the process ended with exit code %d and no words",
                   how->value);
}

void tt_study_conclude(struct tt_sim *sim, const struct tt_proc_result *how)
{
    json_t *v = summary_of(sim);
    unsigned status = 200;
    struct tt_buf b;

    tt_buf_init(&b, TT_BODY_MAX);
    if (v) {
        put_finding(&b, v);
    } else {
        put_failure(&b, sim, how);
        status = how->how != TT_PROC_KILLED && how->value == 2 ? 400 : 500;
    }
    tt_sim_set_words(sim, status, b.len ? b.data : "");
    if (sim->state == TT_SIM_STOPPING)
        sim->state = TT_SIM_STOPPED;
    else
        sim->state = status == 200 ? TT_SIM_FINISHED : TT_SIM_FAILED;
    tt_buf_fini(&b);
    json_decref(v);
}
