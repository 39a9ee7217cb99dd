/* SPDX-License-Identifier: MIT */
#include "adapt/adapt.h"
#include "base/mem.h"
#include "cli/cli.h"
#include "cli/exporting.h"
#include "cli/print.h"
#include "compose/compose.h"
#include "remote/remote.h"
#include "scenario/scenario.h"
#include "sys/file.h"

struct args {
    struct tt_exporting to;
    int is_explicit;
};

#define AT(member) offsetof(struct args, member)
static const struct tt_opt options[] = {
    TT_OPT_ALL(tt_new_fmu_opts, to.to),
    TT_OPT_FLAG("--explicit", is_explicit,
                "print the program with every convention written out"),
    TT_OPT_TEXT("--only-base FOLDER", to.only_base,
                "where FMUs are; others are refused"),
    TT_OPT_TEXT("--fmi VERSION", to.fmi, "2 (the default) or 3"),
    {0},
};

/* --- as an FMU -------------------------------------------------------------
 */

static void put_ports(struct tt_buf *b, const struct tt_desc *d,
                      enum tt_causality c, const char *what)
{
    int n = 0;

    tt_buf_fmt(b, "\"%s\": {", what);
    for (uint32_t i = 0; i < d->n_port; i++) {
        struct tt_buf full;

        if (d->port[i].causality != c)
            continue;
        tt_buf_init(&full, 65536);
        tt_buf_fmt(&full, "{a}.a.%s", d->port[i].name);
        tt_buf_str(b, n++ ? ", " : "");
        tt_buf_json(b, d->port[i].name);
        tt_json_text(b, ": ", full.failed ? "" : full.data);
        tt_buf_fini(&full);
    }
    tt_buf_char(b, '}');
}

/* A scenario of one instance, with its ports under their own names. */
static enum tt_code put_scenario(struct tt_buf *b, const struct tt_source *s,
                                 tt_err *err)
{
    tt_unit_type *t = NULL;
    char *path = tt_path_absolute(s->path);
    enum tt_code rc =
        path ? tt_kind_adapted.open(&t, s, err) : tt_nomem(err, s->path);

    if (rc == TT_OK) {
        tt_json_text(b, "{\"fmus\": {\"{a}\": ", path);
        tt_buf_str(b, "}, \"instances\": {\"{a}\": [\"a\"]}, \"ports\": {");
        put_ports(b, &t->desc, TT_CAUS_INPUT, "inputs");
        tt_buf_str(b, ", ");
        put_ports(b, &t->desc, TT_CAUS_OUTPUT, "outputs");
        tt_buf_str(b, ", ");
        put_ports(b, &t->desc, TT_CAUS_PARAMETER, "parameters");
        tt_buf_str(b, "}}");
        rc = tt_buf_check(b, "a scenario", err);
        tt_kind_adapted.close(t);
    }
    tt_free(path);
    return rc;
}

static char *scenario_path(const char *dir, const char *output)
{
    struct tt_buf name;
    char *path;

    tt_buf_init(&name, 65536);
    tt_buf_fmt(&name, "%s.json", tt_path_base(output));
    path = name.failed ? NULL : tt_path_join(dir, name.data);
    tt_buf_fini(&name);
    return path;
}

static enum tt_code write_fmu(const struct tt_exporting *to,
                              const struct tt_source *s, tt_err *err)
{
    char *dir = NULL, *path = NULL;
    struct tt_buf b;
    enum tt_code rc = tt_dir_temp(&dir, err);

    tt_buf_init(&b, (size_t)16 << 20);
    if (rc == TT_OK)
        rc = put_scenario(&b, s, err);
    if (rc == TT_OK) {
        path = scenario_path(dir, to->to.output);
        rc = path ? tt_file_write(path, b.data, b.len, err)
                  : tt_nomem(err, s->path);
    }
    if (rc == TT_OK)
        rc = tt_exporting_write(to, path, err);
    tt_buf_fini(&b);
    if (dir)
        (void)!tt_dir_remove(dir, NULL);
    TT_FREE_ALL(dir, path);
    return rc;
}

/* --- of a scenario ---------------------------------------------------------
 */

/* The programs that the clauses of an instance stand for, innermost first. */
static enum tt_code put_clauses(struct tt_buf *b, const tt_scenario *sc,
                                const struct tt_sc_unit *u,
                                const struct tt_log *log, tt_err *err)
{
    const struct tt_sc_fmu *f = &sc->fmu[u->fmu];
    const struct tt_remote far = tt_remote_of(sc, u->fmu);
    struct tt_source s = {.path = f->path,
                          .inner = f->inner,
                          .clause = f->clause,
                          .interface = (enum tt_interface)f->interface,
                          .log = log,
                          .far = &far,
                          .kind_cb = tt_compose_kind_for};
    enum tt_code rc = TT_OK;

    while (s.n_clause < f->n_clause && rc == TT_OK) {
        uint32_t from = s.n_clause;

        s.n_clause = tt_adapt_clauses(&s, f->n_clause);
        tt_buf_fmt(b, "%s// %s", b->len ? "\n" : "", u->name);
        for (uint32_t i = from; i < s.n_clause; i++)
            tt_buf_fmt(b, "%s %s", i > from ? "," : ":", f->clause[i].text);
        tt_buf_char(b, '\n');
        rc = tt_adapt_explicit(&s, b, err);
    }
    return rc;
}

static enum tt_code put_adapted(struct tt_buf *b, const char *path,
                                const char *only_base, const struct tt_log *log,
                                tt_err *err)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    tt_scenario *sc = NULL;
    enum tt_code rc;

    o.base = only_base;
    o.only_base = only_base != NULL;
    rc = tt_scenario_load(&sc, &path, 1, &o, log, err);

    for (uint32_t i = 0; rc == TT_OK && i < sc->n_unit; i++)
        rc = put_clauses(b, sc, &sc->unit[i], log, err);
    if (rc == TT_OK && !b->len)
        rc = tt_fail(err, TT_EINPUT, "%s: no instance has clauses in 'adapt'",
                     path);
    tt_scenario_free(sc);
    return rc;
}

/* --- the command -----------------------------------------------------------
 */

static enum tt_code exec(struct tt_cli *cli, tt_err *err)
{
    const struct args *a = cli->args;
    struct tt_log log = {.sink_cb = tt_print_record, .least = TT_LOG_WARN};
    const struct tt_source s = {.path = cli->words.word[0],
                                .log = &log,
                                .kind_cb = tt_compose_kind_for};
    int is_scenario = tt_path_ends(s.path, ".json");
    struct tt_buf b;
    enum tt_code rc;

    if (!is_scenario && !tt_kind_adapted.accepts(&s))
        return tt_fail(err, TT_EINPUT,
                       "%s: an adaptation's name ends in .sa, that of a "
                       "scenario in .json",
                       s.path);
    if (is_scenario && a->to.to.output)
        return tt_fail(err, TT_EINPUT,
                       "%s: 'tutti export' makes an FMU of a scenario", s.path);
    tt_buf_init(&b, (size_t)16 << 20);
    rc = is_scenario ? put_adapted(&b, s.path, a->to.only_base, &log, err)
                     : tt_adapt_explicit(&s, &b, err);
    if (rc == TT_OK && a->is_explicit)
        cli->exit = tt_print_out(&b, TT_EXIT_OK);
    tt_buf_fini(&b);
    return rc == TT_OK && a->to.to.output ? write_fmu(&a->to, &s, err) : rc;
}

const struct tt_cmd_call tt_cmd_adapt = {
    .args = {sizeof(struct args), options, NULL},
    .files = {1, 1, 0, "one adaptation", "an adaptation"},
    .exec = exec,
};
