/* SPDX-License-Identifier: MIT */
/* Variables of a playing run, by name. */
#include <string.h>

#include "api/api_impl.h"
#include "api/variable.h"
#include "base/mem.h"
#include "base/names.h"
#include "base/num.h"

/* --- names --------------------------------------------------------------- */

/* "[3]" or "[2,1]": the element's index, or TT_NONE. */
static uint32_t element_of(const struct tt_port *p, const char *index)
{
    uint32_t at = 0;

    for (uint32_t d = 0; d < p->n_dim; d++) {
        uint32_t i = 0;

        if (*index != (d ? ',' : '['))
            return TT_NONE;
        for (index++; *index >= '0' && *index <= '9' && i < 100000000; index++)
            i = i * 10 + (uint32_t)(*index - '0');
        if (i < 1 || i > p->dim[d])
            return TT_NONE;
        at = at * p->dim[d] + i - 1;
    }
    return p->n_dim && strcmp(index, "]") == 0 ? at : TT_NONE;
}

static enum tt_code bad_element(const struct tt_variable *v, tt_err *err)
{
    struct tt_buf size;

    tt_buf_init(&size, 4096);
    for (uint32_t d = 0; d < v->desc->n_dim; d++)
        tt_buf_fmt(&size, "%s%u", d ? "," : "[", v->desc->dim[d]);
    if (v->desc->n_dim)
        tt_fail(err, TT_EINPUT,
                "'%s' names no element: '%s' is an array of size %s]", v->name,
                v->desc->name, size.data ? size.data : "[?");
    else
        tt_fail(err, TT_EINPUT, "'%s' names no element: '%s' is no array",
                v->name, v->desc->name);
    tt_buf_fini(&size);
    return TT_EINPUT;
}

static enum tt_code no_port(const struct tt_plan_unit *u, const char *name,
                            tt_err *err)
{
    const char *near = tt_desc_nearest(u->desc, name, -1);

    if (near)
        tt_fail(err, TT_EINPUT,
                "instance '%s' has no variable '%s'; did you mean '%s'?",
                u->name, name, near);
    else
        tt_fail(err, TT_EINPUT, "instance '%s' has no variable '%s'", u->name,
                name);
    return TT_EINPUT;
}

/* The port and element: a port may itself be named "x[2]". */
static enum tt_code find_port(const struct tt_plan_unit *u, const char *name,
                              struct tt_variable *v, tt_err *err)
{
    const char *index = name + strlen(name);

    v->port = tt_desc_find(u->desc, name);
    while (v->port == TT_NONE && index > name) {
        char *stem;

        if (*--index != '[')
            continue;
        stem = tt_strdup(name);
        if (!stem) {
            tt_fail(err, TT_ENOMEM, "out of memory");
            return TT_ENOMEM;
        }
        stem[index - name] = '\0';
        v->port = tt_desc_find(u->desc, stem);
        tt_free(stem);
    }
    if (v->port == TT_NONE)
        return no_port(u, name, err);
    v->desc = &u->desc->port[v->port];
    if (index < name + strlen(name) || v->desc->n_dim)
        v->element = element_of(v->desc, index);
    return v->element == TT_NONE ? bad_element(v, err) : TT_OK;
}

static const char *unit_name(const void *plan, size_t i)
{
    return ((const tt_plan *)plan)->unit[i].name;
}

static enum tt_code no_unit(const tt_plan *p, const char *name, tt_err *err)
{
    const char *dot = strrchr(name, '.'), *near = NULL;
    char *unit = tt_strdup(name);

    if (unit && dot) {
        unit[dot - name] = '\0';
        near = tt_names_nearest(unit, p->n_unit, unit_name, p);
    }
    tt_free(unit);
    if (near)
        tt_fail(err, TT_EINPUT,
                "'%s' is a variable of no instance; did you mean '%s%s'?", name,
                near, dot);
    else
        tt_fail(err, TT_EINPUT,
                "'%s' is a variable of no instance; write "
                "{key}.instance.variable",
                name);
    return TT_EINPUT;
}

enum tt_code tt_variable_find(const tt_plan *p, const char *name,
                              struct tt_variable *v, tt_err *err)
{
    *v = (struct tt_variable){.name = name};
    for (uint32_t u = 0; u < p->n_unit; u++) {
        size_t n = strlen(p->unit[u].name);

        if (strncmp(name, p->unit[u].name, n) != 0 || name[n] != '.')
            continue;
        v->unit = u;
        return find_port(&p->unit[u], name + n + 1, v, err);
    }
    return no_unit(p, name, err);
}

/* --- reading ------------------------------------------------------------- */

static int is_text(const struct tt_variable *v)
{
    return tt_type_is_text(v->desc->type);
}

void *tt_variable_element(const struct tt_variable *v, void *value)
{
    return (char *)value + v->element * tt_type_size(v->desc->type);
}

enum tt_code tt_variable_read(tt_run *r, const struct tt_variable *v,
                              void **value, tt_err *err)
{
    *value = tt_zalloc(1, tt_port_size(v->desc));
    if (!*value)
        return tt_fail(err, TT_ENOMEM, "out of memory");
    return tt_run_get(r, v->unit, v->port, *value, err);
}

char *tt_variable_print(tt_run *r, const struct tt_variable *v, void *value,
                        tt_err *err)
{
    char text[TT_TEXT_MAX], *copy;

    if (is_text(v))
        return tt_text_print(tt_run_texts(r), v->desc->type,
                             tt_variable_element(v, value), err);
    (void)tt_value_print(text, v->desc->type, tt_variable_element(v, value));
    copy = tt_strdup(text);
    if (!copy)
        (void)tt_fail(err, TT_ENOMEM, "out of memory");
    return copy;
}

enum tt_code tt_variable_parse(tt_run *r, const struct tt_variable *v,
                               void *value, const char *text, tt_err *err)
{
    void *to = tt_variable_element(v, value);

    if (!is_text(v))
        return tt_value_parse(v->desc->type, to, text) == 0
                   ? TT_OK
                   : tt_variable_cannot_hold(v, text, err);
    if (tt_text_parse(tt_run_texts(r), v->desc->type, to, text, err) == TT_OK)
        return TT_OK;
    return err && err->code == TT_EINPUT
               ? tt_variable_cannot_hold(v, text, err)
               : tt_context(err, TT_EUNSUPPORTED, "'%s'", v->name);
}

enum tutti_code tutti_run_get(tutti_run *r, const char *name, double *value,
                              tutti_error *error)
{
    struct tt_variable v;
    void *all = NULL;
    tt_err err = {0};
    enum tt_code rc = tt_variable_find(tt_run_plan(r->run), name, &v, &err);

    if (rc == TT_OK && is_text(&v))
        rc = tt_fail(&err, TT_EINPUT, "'%s' (%s) is not a number", name,
                     tt_type_name(v.desc->type));
    if (rc == TT_OK)
        rc = tt_variable_read(r->run, &v, &all, &err);
    if (rc == TT_OK)
        *value = tt_value_as_double(v.desc->type, tt_variable_element(&v, all));
    tt_free(all);
    return api_code(rc, &err, error);
}

enum tutti_code tutti_run_get_text(tutti_run *r, const char *name, char **value,
                                   tutti_error *error)
{
    char *copy = NULL;
    struct tt_variable v;
    void *all = NULL;
    tt_err err = {0};
    enum tt_code rc = tt_variable_find(tt_run_plan(r->run), name, &v, &err);

    if (rc == TT_OK)
        rc = tt_variable_read(r->run, &v, &all, &err);
    if (rc == TT_OK)
        copy = tt_variable_print(r->run, &v, all, &err);
    if (copy)
        *value = copy;
    else if (rc == TT_OK)
        rc = err.code;
    tt_free(all);
    return api_code(rc, &err, error);
}

/* --- setting ------------------------------------------------------------- */

enum tt_code tt_variable_check_settable(const struct tt_variable *v,
                                        tt_err *err)
{
    const struct tt_port *p = v->desc;

    if (p->causality == TT_CAUS_INPUT)
        return TT_OK;
    if (p->causality == TT_CAUS_PARAMETER && p->variability != TT_VAR_FIXED &&
        p->variability != TT_VAR_CONSTANT)
        return TT_OK;
    if (p->causality == TT_CAUS_PARAMETER || p->causality == TT_CAUS_STRUCTURAL)
        return tt_fail(err, TT_EINPUT,
                       "'%s' is a parameter that is fixed when the run starts; "
                       "set it when the scenario is loaded",
                       v->name);
    return tt_fail(err, TT_EINPUT,
                   "'%s' (%s) cannot be set; inputs and tunable parameters can",
                   v->name, tt_causality_name(p->causality));
}

/* All elements of what is to be set, as they are; the caller frees *value. */
static enum tt_code open_port(tutti_run *r, const char *name,
                              struct tt_variable *v, void **value, tt_err *err)
{
    enum tt_code rc = tt_variable_find(tt_run_plan(r->run), name, v, err);

    if (rc == TT_OK)
        rc = tt_variable_check_settable(v, err);
    return rc == TT_OK ? tt_variable_read(r->run, v, value, err) : rc;
}

enum tt_code tt_variable_cannot_hold(const struct tt_variable *v,
                                     const char *value, tt_err *err)
{
    return tt_fail(err, TT_EINPUT, "'%s' (%s) cannot hold %s", v->name,
                   tt_type_name(v->desc->type), value);
}

/* Set the whole port, unless rc states why not; `all` is freed. */
static enum tutti_code finish_set(tutti_run *r, const struct tt_variable *v,
                                  void *all, enum tt_code rc, tt_err *err,
                                  tutti_error *error)
{
    if (rc == TT_OK)
        rc = tt_run_set(r->run, v->unit, v->port, all, err);
    tt_free(all);
    return api_code(rc, err, error);
}

enum tutti_code tutti_run_set(tutti_run *r, const char *name, double value,
                              tutti_error *error)
{
    char number[TT_NUM_MAX];
    struct tt_variable v;
    void *all = NULL;
    tt_err err = {0};
    enum tt_code rc = open_port(r, name, &v, &all, &err);

    if (rc == TT_OK &&
        tt_value_from_double(v.desc->type, tt_variable_element(&v, all),
                             value) != 0) {
        (void)tt_num_print_short(number, value);
        rc = tt_variable_cannot_hold(&v, number, &err);
    }
    return finish_set(r, &v, all, rc, &err, error);
}

enum tutti_code tutti_run_set_text(tutti_run *r, const char *name,
                                   const char *value, tutti_error *error)
{
    struct tt_variable v;
    void *all = NULL;
    tt_err err = {0};
    enum tt_code rc = open_port(r, name, &v, &all, &err);

    if (rc == TT_OK)
        rc = tt_variable_parse(r->run, &v, all, value, &err);
    return finish_set(r, &v, all, rc, &err, error);
}
