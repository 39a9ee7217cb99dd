/* SPDX-License-Identifier: MIT */
/* The compiler, confined. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "export/compile_impl.h"
#include "sys/child.h"
#include "sys/file.h"
#include "sys/sync.h"

#define PRINTED_MAX ((size_t)4 << 20) /* what is read of a compiler's words */
#define MOST_ERRORS 5                 /* of them in a message */
#define PATH_BYTES  65536
#define WAIT_NS     2000000u

/* Enough for any compiler, and an end for what should have none. */
static const struct tt_limits limits = {
    .memory = UINT64_C(4) << 30, .file_size = UINT64_C(1) << 30, .cpu_s = 900};

/* --- the program ---------------------------------------------------------- */

/* A program, and no link to a compiler cache, which would write to its own
 * folder and cannot. */
static int is_compiler(const char *path)
{
    char *real = tt_file_exists(path) ? tt_path_real(path) : NULL;
    int is = real && !tt_file_is_dir(real) &&
             strcmp(tt_path_base(real), "ccache") != 0;

    tt_free(real);
    return is;
}

enum tt_code tt_workshop_find(char **path, const char *name, tt_err *err)
{
    const char *p = getenv("PATH");

    if (strchr(name, '/')) {
        *path = tt_path_real(name);
        return *path ? TT_OK : tt_fail(err, TT_EINPUT, "no compiler %s", name);
    }
    while (p && *p) {
        size_t n = strcspn(p, ":");
        struct tt_buf full;

        tt_buf_init(&full, PATH_BYTES);
        tt_buf_add(&full, p, n);
        tt_buf_fmt(&full, "/%s", name);
        if (n && !full.failed && is_compiler(full.data))
            *path = tt_buf_take(&full);
        tt_buf_fini(&full);
        if (*path)
            return TT_OK;
        p += n + (p[n] == ':');
    }
    return tt_fail(err, TT_EUNSUPPORTED,
                   "there is no compiler '%s' here; install one, or give "
                   "--compiler",
                   name);
}

/* --- one run of it -------------------------------------------------------- */

struct call {
    struct tt_word_list word;
    struct tt_workshop *w;
};

static int put(struct call *c, const char *word)
{
    if (TT_GROW(c->word.word, c->word.n, c->word.cap))
        return 0;
    c->word.word[c->word.n++] = word;
    return 1;
}

static int put_all(struct call *c, const struct tt_word_list *l)
{
    for (size_t i = 0; i < l->n; i++)
        if (!put(c, l->word[i]))
            return 0;
    return 1;
}

/* The lines that name what is wrong, the first few. */
static void pick_errors(char *printed, struct tt_buf *out)
{
    int n = 0;

    while (*printed && n < MOST_ERRORS) {
        size_t len = strcspn(printed, "\n");
        int more = printed[len] == '\n';

        printed[len] = '\0';
        if (strstr(printed, "error") || strstr(printed, "undefined"))
            tt_buf_fmt(out, "%s%s", n++ ? "; " : "", printed);
        printed += len + (size_t)more;
    }
}

static enum tt_code report(const struct tt_workshop *w, const char *what,
                           const char *words, const struct tt_proc_result *how,
                           tt_err *err)
{
    struct tt_buf printed, first;
    enum tt_code rc;

    tt_buf_init(&printed, PRINTED_MAX);
    tt_buf_init(&first, TT_ERR_MAX / 2);
    if (tt_file_read_plain(&printed, words, NULL) == TT_OK && printed.data)
        pick_errors(printed.data, &first);
    if (how->how == TT_PROC_KILLED)
        rc = tt_fail(err, TT_EINPUT, "%s: %s: the compiler was ended by %s",
                     w->fmu, what, tt_signal_name(how->value));
    else if (first.len && !first.failed)
        rc = tt_fail(err, TT_EINPUT, "%s: %s: %s", w->fmu, what, first.data);
    else
        rc = tt_fail(err, TT_EINPUT, "%s: %s: the compiler ended with code %d",
                     w->fmu, what, how->value);
    tt_buf_fini(&printed);
    tt_buf_fini(&first);
    return rc;
}

/* What is ours is out of sight, unless it is what is compiled. */
static enum tt_code start(struct call *c, const char *out, const char *words,
                          int *pid, tt_err *err)
{
    struct tt_workshop *w = c->w;
    const char *const write[] = {w->work, w->dir};
    const char *home = getenv("HOME");
    const char *const hide[] = {home ? home : ""};
    const struct tt_sandbox box = {
        .guards = TT_GUARD_FILES | TT_GUARD_NETWORK | TT_GUARD_CALLS |
                  TT_GUARD_SIGNALS | TT_GUARD_APART,
        .write = write,
        .n_write = w->folder ? 1 : 2,
        .hide = hide,
        .n_hide = !w->folder && home && tt_file_is_dir(home) &&
                  !tt_path_is_below(c->word.word[0], home),
        .limit = limits};
    const struct tt_child_spec spec = {.argv = c->word.word,
                                       .dir = w->dir,
                                       .out = out,
                                       .err = words,
                                       .temp = w->work,
                                       .sandbox = &box};

    return tt_child_start(&spec, pid, err);
}

/* `what` names in a message what failed. */
static enum tt_code make(struct call *c, const char *what, tt_err *err)
{
    char *out = tt_path_join(c->w->work, "printed.out");
    char *words = tt_path_join(c->w->work, "printed.err");
    struct tt_proc_result how = {.how = TT_PROC_EXITED};
    enum tt_code rc = TT_ENOMEM;
    int pid = 0;

    if (out && words && put(c, NULL))
        rc = start(c, out, words, &pid, err);
    else
        (void)tt_fail(err, TT_ENOMEM, "compiling");
    if (rc == TT_OK) {
        while (!tt_child_poll(pid, &how))
            tt_sleep_ns(WAIT_NS);
        if (how.how != TT_PROC_EXITED || how.value != 0)
            rc = report(c->w, what, words, &how, err);
    }
    TT_FREE_ALL(out, words);
    return rc;
}

/* --- compiling and linking ------------------------------------------------ */

static int is_cxx(const struct tt_source_set *set)
{
    return set->language && strncmp(set->language, "C++", 3) == 0;
}

/* "-std=gnu99" for "C99"; NULL: not known, the compiler's own. */
static const char *standard_of(const struct tt_source_set *set)
{
    static const char *const known[][2] = {
        {"C89", "-std=gnu89"},     {"C90", "-std=gnu90"},
        {"C99", "-std=gnu99"},     {"C11", "-std=gnu11"},
        {"C17", "-std=gnu17"},     {"C18", "-std=gnu17"},
        {"C++98", "-std=gnu++98"}, {"C++11", "-std=gnu++11"},
        {"C++14", "-std=gnu++14"}, {"C++17", "-std=gnu++17"},
        {"C++20", "-std=gnu++20"}};

    for (size_t i = 0; set->language && i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(set->language, known[i][0]) == 0)
            return known[i][1];
    return NULL;
}

static enum tt_code compile_file(struct tt_workshop *w,
                                 const struct tt_source_set *set,
                                 const char *file, const char *object,
                                 tt_err *err)
{
    static const char *const first[] = {"-c", "-O2", "-fPIC", "-w",
                                        "-Isources"};
    struct call c = {.w = w};
    int ok = put(&c, is_cxx(set) ? w->cxx : w->cc);
    char what[512];
    enum tt_code rc;

    for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
        ok = ok && put(&c, first[i]);
    if (standard_of(set))
        ok = ok && put(&c, standard_of(set));
    ok = ok && put_all(&c, &set->flag) && put(&c, "-idirafter") &&
         put(&c, w->headers) && put(&c, file) && put(&c, "-o") &&
         put(&c, object);
    (void)snprintf(what, sizeof(what), "%.400s does not compile", file);
    rc = ok ? make(&c, what, err) : tt_fail(err, TT_ENOMEM, "compiling");
    tt_free(c.word.word);
    return rc;
}

static enum tt_code link_all(struct tt_workshop *w, const struct tt_sources *s,
                             const struct tt_word_list *object,
                             const char *library, int cxx, tt_err *err)
{
    struct call c = {.w = w};
    int ok = put(&c, cxx ? w->cxx : w->cc) && put(&c, "-shared") &&
             put(&c, "-Wl,-z,defs") && put(&c, "-o") && put(&c, library) &&
             put_all(&c, object) && put_all(&c, &s->library) && put(&c, "-lm");
    enum tt_code rc = ok ? make(&c, "it does not link", err)
                         : tt_fail(err, TT_ENOMEM, "linking");

    tt_free(c.word.word);
    return rc;
}

static enum tt_code compile_set(struct tt_workshop *w,
                                const struct tt_source_set *set,
                                struct tt_word_list *object, tt_err *err)
{
    enum tt_code rc = TT_OK;

    if (is_cxx(set) && !w->cxx)
        rc = tt_workshop_find(&w->cxx, "c++", err);
    for (size_t i = 0; i < set->file.n && rc == TT_OK; i++) {
        char name[64], *path;

        (void)snprintf(name, sizeof(name), "object%zu.o", object->n);
        path = tt_path_join(w->work, name);
        if (!path || TT_GROW(object->word, object->n, object->cap)) {
            tt_free(path);
            return tt_fail(err, TT_ENOMEM, "compiling");
        }
        object->word[object->n++] = path;
        rc = compile_file(w, set, set->file.word[i], path, err);
    }
    return rc;
}

enum tt_code tt_workshop_build(struct tt_workshop *w,
                               const struct tt_sources *s, char **library,
                               tt_err *err)
{
    struct tt_word_list object = {NULL, 0, 0};
    enum tt_code rc = TT_OK;
    struct tt_buf name;
    int cxx = 0;

    for (size_t i = 0; i < s->n_set && rc == TT_OK; i++) {
        cxx |= is_cxx(&s->set[i]);
        rc = compile_set(w, &s->set[i], &object, err);
    }
    tt_buf_init(&name, 65536);
    tt_buf_fmt(&name, "%s.so", s->identifier);
    *library = name.failed ? NULL : tt_path_join(w->work, name.data);
    tt_buf_fini(&name);
    if (rc == TT_OK && !*library)
        rc = tt_fail(err, TT_ENOMEM, "linking");
    if (rc == TT_OK)
        rc = link_all(w, s, &object, *library, cxx, err);
    for (size_t i = 0; i < object.n; i++)
        tt_free((char *)(uintptr_t)object.word[i]);
    tt_free(object.word);
    return rc;
}
