/* SPDX-License-Identifier: MIT */
/* System structures of the Open Simulation Platform (OSP): simulators,
 * functions between them, connections of variables and of groups. Scenarios of
 * cosim, its time-triggered actions, are laid over one. */
#include <string.h>

#include "formats/formats.h"
#include "formats/osp_impl.h"
#include "sys/file.h"

#define OSP_MAIN OSP_ROOT ".xml"

static enum tt_code read_all(struct osp *o, const struct tt_format_source *f)
{
    const struct tt_xml_node *root;
    const char *path = f->path, *name;
    enum tt_code rc;

    if (tt_file_is_dir(path))
        path = ssp_text(&o->s, "%s/" OSP_MAIN, path);
    rc = path ? ssp_read(&o->s, path, OSP_ROOT, &o->doc)
              : tt_sc_no_memory(o->s.b);
    if (rc != TT_OK)
        return rc;
    root = tt_xml_root(o->doc->xml);
    name = tt_sc_keep(o->s.b, tt_path_base(f->path));
    if (!name)
        return tt_sc_no_memory(o->s.b);
    tt_sc_set_name(o->s.b, name);
    o->scripted = f->n_over > 0;
    rc = osp_add_units(o, root);
    if (rc == TT_OK)
        rc = osp_connect(o, root);
    if (rc == TT_OK)
        rc = osp_set_values(o);
    if (rc == TT_OK)
        rc = osp_set_times(o, root);
    for (size_t i = 0; rc == TT_OK && i < f->n_over; i++)
        rc = osp_add_events(o, f->over[i]);
    return rc;
}

static void osp_fini(struct osp *o)
{
    for (size_t i = 0; i < o->n_unit; i++)
        if (o->unit[i].type)
            o->unit[i].type->kind->close(o->unit[i].type);
    tt_names_fini(&o->unit_by);
    TT_FREE_ALL(o->unit, o->link);
    ssp_fini(&o->s);
}

static enum tt_code osp_read(tt_scenario **out,
                             const struct tt_format_source *f, tt_err *err)
{
    struct osp o = {.s = {.err = err, .log = f->log}};
    enum tt_code rc = tt_sc_build_new(&o.s.b, f->o, f->log, err);

    tt_names_init(&o.unit_by);
    if (ssp_init(&o.s) != 0 && rc == TT_OK)
        rc = tt_sc_no_memory(o.s.b);
    if (rc == TT_OK)
        rc = read_all(&o, f);
    rc = tt_sc_build_end(o.s.b, rc, out);
    osp_fini(&o);
    return rc;
}

/* By its name, or by its root. */
static int osp_is(const char *path)
{
    char head[4096 + 1];
    char *inside;
    size_t n;
    int there;

    if (tt_file_is_dir(path)) {
        inside = tt_path_join(path, OSP_MAIN);
        there = inside && tt_file_exists(inside);
        tt_free(inside);
        return there;
    }
    if (!tt_path_ends(path, ".xml"))
        return 0;
    if (strncmp(tt_path_base(path), OSP_ROOT, strlen(OSP_ROOT)) == 0)
        return 1;
    n = tt_file_head(path, head, sizeof(head) - 1);
    head[n] = '\0';
    return strstr(head, "<" OSP_ROOT) != NULL ||
           strstr(head, ":" OSP_ROOT " ") != NULL;
}

const struct tt_scformat tt_scformat_osp = {
    .what = "a system structure (OSP)",
    .ending = (const char *const[]){".xml", NULL},
    TT_HOOKS(osp_, is, read, write),
    .is_over = osp_is_events};
