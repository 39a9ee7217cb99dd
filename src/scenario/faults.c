/* SPDX-License-Identifier: MIT */
/* Maestro's fault injection: an XML file of events, and which instances they
 * are for. An event is a condition over time, another one over variables of the
 * FMU, and values that some of these have while both hold. Each variable gets a
 * gate with one expression, in which the last event of the file comes first:
 *
 *     C2 ? v2 : C1 ? v1 : what it would be
 */
#include "scenario/script_impl.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/num.h"
#include "sys/file.h"
#include "text/archive.h"
#include "text/xml.h"

#define MOST_BYTES ((size_t)16 << 20)

struct injection {
    struct script_draft *d;
    const char *path;
    const struct tt_xml_node *events;
    uint32_t first; /* fault of its own */
    /* the instance at hand */
    const struct tt_doc *v; /* its member */
    uint32_t unit;
    const struct tt_xml_node *variables; /* of its FMU's description */
};

static enum tt_code wrong(const struct injection *j,
                          const struct tt_xml_node *node, const char *what,
                          const char *name)
{
    return tt_fail(j->d->b->err, TT_EINPUT, "%s:%d: %s'%s'", j->path,
                   node->line, what, name);
}

/* --- variables ------------------------------------------------------------ */

/* The element that declares a variable with this value reference, or NULL. */
static const struct tt_xml_node *var_of(const struct injection *j,
                                        const char *reference)
{
    const struct tt_xml_node *v = j->variables;
    double vr, is;

    if (tt_num_parse(reference, &vr) != 0)
        return NULL;
    while (v &&
           (!tt_xml_value(v, "name") || !tt_xml_value(v, "valueReference") ||
            tt_num_parse(tt_xml_value(v, "valueReference"), &is) != 0 ||
            is != vr))
        v = v->next;
    return v;
}

static int is_input(const struct tt_xml_node *var)
{
    const char *causality = tt_xml_value(var, "causality");

    return causality && strcmp(causality, "input") == 0;
}

static const char *name_of(const struct injection *j, const char *variable)
{
    return tt_sc_join(j->d->b, j->d->b->unit[j->unit].unit.name, ".", variable);
}

/* An input is what feeds it, without its faults. */
static const char *readable(const struct injection *j,
                            const struct tt_xml_node *var)
{
    struct tt_sc_build *b = j->d->b;
    const char *name = name_of(j, tt_xml_value(var, "name"));
    uint32_t c = name ? tt_names_find(&b->input, name) : TT_NONE;
    const struct tt_sc_ref *from;

    if (!is_input(var) || !name)
        return name;
    if (c == TT_NONE)
        return "";
    from = &b->connection[c].from;
    return tt_sc_join(b, b->unit[from->unit].unit.name, ".",
                      script_unfaulted(j->d, from));
}

/* "var_3" */
static enum tt_code put_variable(const struct injection *j,
                                 const struct tt_xml_node *node,
                                 const char *word, struct tt_buf *out)
{
    const struct tt_xml_node *var = var_of(j, word + 4);
    const char *name = var ? readable(j, var) : NULL;

    if (!var)
        return wrong(j, node, "the FMU has no variable ", word);
    if (!name)
        return tt_sc_no_memory(j->d->b);
    if (!*name)
        return wrong(j, node,
                     "an input that is not connected has no value: ", word);
    tt_buf_str(out, name);
    return TT_OK;
}

/* --- expressions ---------------------------------------------------------- */

static enum tt_code put_word(const struct injection *j,
                             const struct tt_xml_node *node, const char *word,
                             size_t n, struct tt_buf *out)
{
    const char *own = tt_arena_strndup(j->d->b->nodes, word, n);

    if (!own)
        return tt_sc_no_memory(j->d->b);
    if (strncmp(own, "var_", 4) == 0)
        return put_variable(j, node, own, out);
    tt_buf_str(out, strcmp(own, "true") == 0    ? "1"
                    : strcmp(own, "false") == 0 ? "0"
                                                : own);
    return TT_OK;
}

/* "=" is "==", and stands in "<=", too. */
static size_t put_sign(const char *s, struct tt_buf *out)
{
    int two = strchr("<>=!&|", s[0]) && s[1] && (s[1] == '=' || s[1] == s[0]);
    size_t n = two ? 2 : 1;

    if (s[0] == '&')
        tt_buf_str(out, " and ");
    else if (s[0] == '|')
        tt_buf_str(out, " or ");
    else if (s[0] == '~')
        tt_buf_str(out, " not ");
    else if (s[0] == '=')
        tt_buf_str(out, "==");
    else
        tt_buf_add(out, s, n);
    return n;
}

static enum tt_code translate(const struct injection *j,
                              const struct tt_xml_node *node, const char *s,
                              struct tt_buf *out)
{
    enum tt_code rc = TT_OK;

    while (*s && rc == TT_OK) {
        size_t n = 0;

        while (isalnum((unsigned char)s[n]) || s[n] == '_' || s[n] == '.')
            n++;
        if (n)
            rc = put_word(j, node, s, n, out);
        s += n ? n : put_sign(s, out);
    }
    return rc;
}

/* "t=9.0" is one communication point, as exactly as there is one. */
static int is_one_shot(const char *when, double *t)
{
    while (*when == '(' || *when == ' ')
        when++;
    if (*when++ != 't')
        return 0;
    while (*when == ' ' || *when == '=')
        when++;
    return tt_num_parse_n(when, strcspn(when, ") "), t) == 0;
}

static enum tt_code put_condition(const struct injection *j,
                                  const struct tt_xml_node *event,
                                  struct tt_buf *out)
{
    const char *when = tt_xml_value(event, "when");
    const char *other = tt_xml_value(event, "other");
    char text[TT_NUM_MAX];
    double t;
    enum tt_code rc = TT_OK;

    if (!when)
        return wrong(j, event, "an event lacks ", "when");
    tt_buf_char(out, '(');
    if (is_one_shot(when, &t)) {
        tt_num_print_short(text, t);
        tt_buf_fmt(out, "abs(t - %s) < 1e-9", text);
    } else {
        rc = translate(j, event, when, out);
    }
    if (rc == TT_OK && other && other[strspn(other, " ")]) {
        tt_buf_str(out, ") and (");
        rc = translate(j, event, other, out);
    }
    tt_buf_char(out, ')');
    return rc;
}

/* --- events --------------------------------------------------------------- */

static int is_for(const struct injection *j, const struct tt_xml_node *event)
{
    const char *id = tt_xml_value(event, "id");

    return strcmp(event->name, "event") == 0 && id &&
           strstr(id, j->v->u.text) != NULL;
}

static const char *reference(const struct tt_xml_node *variable)
{
    const char *vr = tt_xml_value(variable, "valRef");

    return vr ? vr : "";
}

static enum tt_code put_value(const struct injection *j,
                              const struct tt_xml_node *variable,
                              struct tt_buf *out)
{
    const char *type = tt_xml_value(variable, "type");
    const char *value = tt_xml_value(variable, "newVal");
    enum tt_code rc;

    if (!value)
        return wrong(j, variable, "a variable lacks ", "newVal");
    if (type && strcmp(type, "string") == 0)
        return wrong(j, variable, "a script changes no strings: valRef ",
                     reference(variable));
    tt_buf_str(out, type && strcmp(type, "int") == 0 ? "round(" : "(");
    rc = translate(j, variable, value, out);
    tt_buf_char(out, ')');
    return rc;
}

/* One event more for the variable: what was there comes behind it. */
static enum tt_code wrap(const struct injection *j,
                         const struct tt_xml_node *variable,
                         struct tt_buf *text)
{
    struct tt_buf front;
    enum tt_code rc;

    tt_buf_init(&front, MOST_BYTES);
    rc = put_condition(j, variable->parent, &front);
    tt_buf_str(&front, " ? ");
    if (rc == TT_OK)
        rc = put_value(j, variable, &front);
    tt_buf_fmt(&front, " : (%s)", text->data);
    tt_buf_clear(text);
    tt_buf_str(text, front.data ? front.data : "");
    text->failed |= front.failed;
    tt_buf_fini(&front);
    return rc == TT_OK && text->failed ? tt_sc_no_memory(j->d->b) : rc;
}

/* All events of the file that change what `first` does. */
static enum tt_code write_fault(const struct injection *j,
                                const struct tt_xml_node *first,
                                struct tt_buf *text)
{
    enum tt_code rc = TT_OK;

    for (const struct tt_xml_node *e = j->events; e && rc == TT_OK; e = e->next)
        for (const struct tt_xml_node *v = is_for(j, e) ? e->children : NULL;
             v && rc == TT_OK; v = v->next)
            if (strcmp(reference(v), reference(first)) == 0)
                rc = wrap(j, v, text);
    return rc;
}

static enum tt_code add_fault(const struct injection *j, const char *name,
                              const struct tt_xml_node *first)
{
    struct script_draft *d = j->d;
    struct tt_doc v = *j->v; /* its place; the text follows */
    struct tt_sc_word word = {name, j->v->key_where};
    const char *base = NULL;
    struct tt_buf text;
    uint32_t gate = 0;
    enum tt_code rc = script_gate(d, word, &gate);

    tt_buf_init(&text, MOST_BYTES);
    if (rc == TT_OK) {
        base = tt_sc_join(d->b, d->b->unit[d->gate[gate].unit].unit.name, ".",
                          "base");
        tt_buf_str(&text, base ? base : "");
        rc = base ? write_fault(j, first, &text) : tt_sc_no_memory(d->b);
    }
    v.kind = TT_DOC_TEXT;
    v.u.text = rc == TT_OK ? tt_sc_keep(d->b, text.data) : NULL;
    tt_buf_fini(&text);
    if (rc == TT_OK && !v.u.text)
        rc = tt_sc_no_memory(d->b);
    if (rc == TT_OK)
        rc = script_fault(d, gate, &v);
    return rc == TT_OK || !d->b->err || strstr(d->b->err->msg, j->path)
               ? rc
               : tt_context(d->b->err, rc, "%s:%d", j->path, first->line);
}

static int is_of(const struct injection *j, uint32_t fault, const char *name)
{
    return strcmp(j->d->gate[j->d->fault[fault].gate].name, name) == 0;
}

static enum tt_code inject(const struct injection *j)
{
    enum tt_code rc = TT_OK;

    for (const struct tt_xml_node *e = j->events; e && rc == TT_OK; e = e->next)
        for (const struct tt_xml_node *v = is_for(j, e) ? e->children : NULL;
             v && rc == TT_OK; v = v->next) {
            const struct tt_xml_node *var = var_of(j, reference(v));
            const char *name;
            uint32_t known = j->first;

            if (!var)
                return wrong(j, v, "the FMU has no variable with valRef ",
                             reference(v));
            name = name_of(j, tt_xml_value(var, "name"));
            if (!name)
                return tt_sc_no_memory(j->d->b);
            while (known < j->d->s.n_fault && !is_of(j, known, name))
                known++;
            if (known == j->d->s.n_fault)
                rc = add_fault(j, name, v);
        }
    return rc;
}

static enum tt_code read_description(struct tt_sc_build *b, const char *path,
                                     tt_xml **xml)
{
    struct tt_buf text;
    tt_archive *a = NULL;
    enum tt_code rc;

    if (!path || !tt_file_exists(path))
        return tt_fail(b->err, TT_EINPUT,
                       "faults are injected into FMUs, and '%s' is none",
                       path ? path : "");
    rc = tt_archive_open(&a, path, b->err);
    tt_buf_init(&text, MOST_BYTES);
    if (rc == TT_OK)
        rc = tt_archive_read(a, tt_xml_description, &text, b->err);
    if (rc == TT_OK)
        rc = tt_xml_parse(xml, path, text.data ? text.data : "", text.len,
                          b->err);
    tt_buf_fini(&text);
    tt_archive_close(a);
    return rc;
}

static const struct tt_xml_node *variables_of(const tt_xml *xml)
{
    const struct tt_xml_node *n = tt_xml_root(xml)->children;

    while (n && strcmp(n->name, "ModelVariables") != 0)
        n = n->next;
    return n ? n->children : NULL;
}

static enum tt_code inject_into(struct injection *j, const struct tt_doc *v)
{
    struct tt_sc_build *b = j->d->b;
    const char *text;
    tt_xml *xml = NULL;
    enum tt_code rc = tt_sc_text(b, v, NULL, &text);

    if (rc == TT_OK)
        rc = tt_sc_get_unit(b, v->key, v->key_where, &j->unit);
    if (rc == TT_OK)
        rc = read_description(b, b->fmu[b->unit[j->unit].unit.fmu].path, &xml);
    if (rc == TT_OK) {
        j->v = v;
        j->variables = variables_of(xml);
        rc = inject(j);
    }
    tt_xml_free(xml);
    return rc;
}

/* They begin with the run: when each counts is a matter of its expression. */
static enum tt_code begin_all(struct script_draft *d, const struct tt_doc *v,
                              uint32_t first)
{
    struct tt_sc_cue c = {.name = "fault injection",
                          .at = -(double)INFINITY,
                          .lasts = (double)NAN,
                          .first = first,
                          .n = d->s.n_action - first,
                          .where = v->where};

    return script_cue(d, &c);
}

static enum tt_code inject_all(struct script_draft *d, const char *path,
                               const struct tt_xml_node *root,
                               const struct tt_doc *v)
{
    struct injection j = {.d = d, .path = path, .events = root->children};
    enum tt_code rc = script_begin(d, v);
    uint32_t first = d->s.n_action;

    j.first = d->s.n_fault;
    if (rc == TT_OK && strcmp(root->name, "events") != 0)
        rc = wrong(&j, root, "the root must be 'events', not ", root->name);
    for (uint32_t i = 0; i < v->n && rc == TT_OK; i++)
        rc = inject_into(&j, &v->u.child[i]);
    return rc == TT_OK ? begin_all(d, v, first) : rc;
}

static const char *skip_scheme(const char *text)
{
    return strncmp(text, "file://", 7) == 0 ? text + 7 : text;
}

enum tt_code tt_sc_read_fault_path(struct tt_sc_build *b,
                                   const struct tt_doc *v)
{
    const char *text;

    b->fault_path = v;
    return tt_sc_text(b, v, NULL, &text);
}

enum tt_code tt_sc_read_faults(struct tt_sc_build *b, const struct tt_doc *v)
{
    struct script_draft d = {.b = b};
    struct tt_buf text;
    tt_xml *xml = NULL;
    char *path;
    enum tt_code rc = tt_sc_object(b, v);

    if (rc != TT_OK || !v->n)
        return rc;
    if (!b->fault_path || !*b->fault_path->u.text)
        return tt_sc_fail(b, v->key_where, TT_EINPUT,
                          "'faultInjectInstances' needs "
                          "'faultInjectConfigurationPath'");
    path = tt_sc_find_file(b, b->fault_path->where,
                           skip_scheme(b->fault_path->u.text));
    if (!path)
        return tt_sc_no_memory(b);
    tt_buf_init(&text, MOST_BYTES);
    if (tt_sc_is_outside(b, path))
        rc = tt_sc_fail(b, b->fault_path->where, TT_EINPUT,
                        "%s: it is not in the session", path);
    if (rc == TT_OK)
        rc = tt_file_read(&text, path, b->err);
    if (rc == TT_OK)
        rc = tt_xml_parse(&xml, path, text.data ? text.data : "", text.len,
                          b->err);
    if (rc == TT_OK)
        rc = inject_all(&d, path, tt_xml_root(xml), v);
    rc = script_end(&d, rc);
    tt_xml_free(xml);
    tt_buf_fini(&text);
    tt_free(path);
    return rc;
}
