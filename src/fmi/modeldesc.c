/* SPDX-License-Identifier: MIT */
#include "fmi/modeldesc.h"

#include <string.h>

#include "fmi/md_impl.h"
#include "text/xml.h"

#define FILE_NAME   "modelDescription.xml"
#define SCRATCH_MAX ((size_t)16 << 20) /* longest name or reference token */

/* Fits "1.0", "2.0", "2.0.4", "3.0", "3.0.1", "3.0-beta". */
static enum tt_code read_version(struct md_in *in, tt_err *err)
{
    const char *text = in->value[MD_FMI_VERSION];
    struct tt_md *md = in->md;

    if (!text)
        return tt_fail(err, TT_EINPUT,
                       FILE_NAME ":%d: <fmiModelDescription> has no "
                                 "fmiVersion",
                       in->line);
    if (*text < '1' || *text > '3' || text[1] != '.')
        return tt_fail(err, TT_EUNSUPPORTED,
                       FILE_NAME ":%d: FMI version \"%s\" is not supported; "
                                 "1.0, 2.0 and 3.0 are",
                       in->line, text);
    md->version = (enum tt_md_version)(*text - '0');
    if (md->version == TT_FMI_2 && strcmp(text, "2.0") != 0)
        tt_findings_add(in->f, TT_SEV_WARNING, in->line, "FMI2-VERSION",
                        "fmiVersion is \"%s\"; every 2.0.x writes \"2.0\"",
                        text);
    if (md->version == TT_FMI_3 && strncmp(text, "3.0", 3) != 0)
        tt_findings_add(in->f, TT_SEV_WARNING, in->line, "FMI3-VERSION",
                        "fmiVersion is \"%s\"; it is read as 3.0", text);
    return TT_OK;
}

/* Attributes of the root, by version. */
static const uint8_t *root_attrs(enum tt_md_version version)
{
    static const uint8_t allowed1[] = {
        MD_FMI_VERSION, MD_MODEL_NAME, MD_MODEL_IDENTIFIER, MD_GUID,
        MD_DESCRIPTION, MD_AUTHOR,     MD_VERSION,          MD_TOOL,
        MD_DATE,        MD_NAMING,     MD_STATES,           MD_EVENT_INDICATORS,
        MD_END};
    static const uint8_t allowed2[] = {
        MD_FMI_VERSION, MD_MODEL_NAME, MD_GUID,      MD_DESCRIPTION,
        MD_AUTHOR,      MD_VERSION,    MD_COPYRIGHT, MD_LICENSE,
        MD_TOOL,        MD_DATE,       MD_NAMING,    MD_EVENT_INDICATORS,
        MD_END};
    static const uint8_t allowed3[] = {
        MD_FMI_VERSION, MD_MODEL_NAME, MD_INSTANTIATION_TOKEN,
        MD_DESCRIPTION, MD_AUTHOR,     MD_VERSION,
        MD_COPYRIGHT,   MD_LICENSE,    MD_TOOL,
        MD_DATE,        MD_NAMING,     MD_END};
    static const uint8_t *const allowed[] = {
        [TT_FMI_1] = allowed1, [TT_FMI_2] = allowed2, [TT_FMI_3] = allowed3};

    return allowed[version];
}

static enum tt_code read_root(struct md_in *in, const struct tt_xml_node *root,
                              tt_err *err)
{
    static const uint8_t version[] = {MD_FMI_VERSION, MD_END};
    static const char *const naming[] = {"flat", "structured"};
    struct tt_md *md = in->md;
    enum md_attr token;
    enum tt_code rc;
    unsigned word;

    /* The version decides which attributes there are: read it alone first,
     * and forget what that states about the others. */
    md_attrs(in, root, version);
    tt_findings_fini(in->f);
    rc = read_version(in, err);
    if (rc != TT_OK)
        return rc;
    md_attrs(in, root, root_attrs(md->version));
    token = md->version == TT_FMI_3 ? MD_INSTANTIATION_TOKEN : MD_GUID;
    md->line = in->line;
    md->fmi_version = md_get_text(in, MD_FMI_VERSION);
    (void)md_need(in, MD_MODEL_NAME);
    (void)md_need(in, token);
    md->model_name = md_get_text(in, MD_MODEL_NAME);
    md->token = md_get_text(in, token);
    md->description = md_get_text(in, MD_DESCRIPTION);
    md->author = md_get_text(in, MD_AUTHOR);
    md->model_version = md_get_text(in, MD_VERSION);
    md->copyright = md_get_text(in, MD_COPYRIGHT);
    md->license = md_get_text(in, MD_LICENSE);
    md->generation_tool = md_get_text(in, MD_TOOL);
    md->generation_date = md_get_text(in, MD_DATE);
    if (md_get_word(in, MD_NAMING, naming, 2, &word))
        md->structured_names = word == 1;
    (void)md_get_u32(in, MD_EVENT_INDICATORS, &md->event_indicator_n);
    (void)md_get_u32(in, MD_STATES, &md->state_n);
    if (md->version == TT_FMI_1)
        md_read_implementation(in, root);
    return TT_OK;
}

static void read_categories(struct md_in *in, const struct tt_xml_node *node)
{
    static const uint8_t allowed[] = {MD_NAME, MD_DESCRIPTION, MD_END};
    static const char *const children[] = {"Category", NULL};
    struct tt_md_category *c = md_alloc_for(in, node, "Category", sizeof(*c));

    md_only(in, node, children);
    in->md->category = c;
    for (const struct tt_xml_node *e = md_first(node, "Category"); e && c;
         e = md_next(e), c++) {
        md_attrs(in, e, allowed);
        md_named(in, &c->name, &c->description, &c->line);
        in->md->category_n++;
    }
}

static void read_experiment(struct md_in *in, const struct tt_xml_node *node)
{
    static const uint8_t allowed[] = {MD_START_TIME, MD_STOP_TIME, MD_TOLERANCE,
                                      MD_STEP_SIZE, MD_END};
    static const char *const children[] = {"Annotations", NULL};
    struct tt_md_experiment *x = &in->md->experiment;

    md_attrs(in, node, allowed);
    x->line = in->line;
    x->has_start = md_get_f64(in, MD_START_TIME, &x->start);
    x->has_stop = md_get_f64(in, MD_STOP_TIME, &x->stop);
    x->has_tolerance = md_get_f64(in, MD_TOLERANCE, &x->tolerance);
    x->has_step = md_get_f64(in, MD_STEP_SIZE, &x->step);
    md_only(in, node, children);
}

static void read_vars(struct md_in *in, const struct tt_xml_node *node)
{
    static void (*const read[])(struct md_in * in,
                                const struct tt_xml_node *node) = {
        [TT_FMI_1] = md_read_vars1,
        [TT_FMI_2] = md_read_vars2,
        [TT_FMI_3] = md_read_vars3};

    read[in->md->version](in, node);
}

static void read_structure(struct md_in *in, const struct tt_xml_node *node)
{
    if (!in->var)
        return; /* nothing to refer to */
    if (in->md->version == TT_FMI_2)
        md_read_structure2(in, node);
    else
        md_read_structure3(in, node);
}

/* In the order of reading: what a part refers to comes before it, wherever it
 * is in the file. */
enum {
    V1 = 1 << TT_FMI_1,
    V2 = 1 << TT_FMI_2,
    V3 = 1 << TT_FMI_3,
};
static const struct part {
    const char *name;
    unsigned versions; /* bits 1 << enum tt_md_version */
    int required;
    void (*read)(struct md_in *in, const struct tt_xml_node *node);
} parts[] = {
    {"Implementation", V1, 0, NULL}, /* md_read_implementation */
    {"ModelExchange", V2 | V3, 0, md_read_me},
    {"CoSimulation", V2 | V3, 0, md_read_cs},
    {"ScheduledExecution", V3, 0, md_read_se},
    {"UnitDefinitions", V1 | V2 | V3, 0, md_read_units},
    {"TypeDefinitions", V1 | V2 | V3, 0, md_read_types},
    {"LogCategories", V2 | V3, 0, read_categories},
    {"DefaultExperiment", V1 | V2 | V3, 0, read_experiment},
    {"ModelVariables", V1 | V2 | V3, 1, read_vars},
    {"ModelStructure", V2 | V3, 1, read_structure},
    {"VendorAnnotations", V1 | V2, 0, NULL}, /* md_read_annotations */
    {"Annotations", V3, 0, NULL},
};

static void read_part(struct md_in *in, const struct tt_xml_node *root,
                      const struct part *p)
{
    const struct tt_xml_node *found = NULL;

    for (const struct tt_xml_node *e = md_first(root, p->name); e;
         e = md_next(e)) {
        if (!found) {
            found = e;
            continue;
        }
        tt_findings_add(in->f, TT_SEV_ERROR, e->line, "FMI-XML-TWICE",
                        "element <%s> is there twice; the first one counts",
                        p->name);
    }
    if (found && p->read)
        p->read(in, found);
    if (!found && p->required)
        tt_findings_add(in->f, TT_SEV_ERROR, root->line, "FMI-XML-REQUIRED",
                        "<fmiModelDescription> lacks the required element <%s>",
                        p->name);
}

static void read_parts(struct md_in *in, const struct tt_xml_node *root)
{
    const char *known[sizeof(parts) / sizeof(parts[0]) + 1] = {NULL};
    size_t n = 0;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (!(parts[i].versions >> in->md->version & 1))
            continue;
        known[n++] = parts[i].name;
        read_part(in, root, &parts[i]);
    }
    md_only(in, root, known);
    md_read_annotations(in, root);
}

static void intern_attrs(struct md_in *in, tt_xml *xml)
{
    for (int i = 0; i < MD_ATTR_N; i++) {
        in->attr_name[i] = tt_xml_intern(xml, md_attr_name((enum md_attr)i));
        if (!in->attr_name[i])
            in->nomem = 1;
    }
}

static enum tt_code read_doc(struct tt_md *md, tt_xml *xml, tt_err *err)
{
    const struct tt_xml_node *root = tt_xml_root(xml);
    struct md_in *in;
    enum tt_code rc = TT_OK;

    if (!md_is(root, "fmiModelDescription"))
        return tt_fail(err, TT_EINPUT,
                       FILE_NAME ":%d: the root element is <%s>, not "
                                 "<fmiModelDescription>",
                       root->line, root->name);
    if (!TT_NEW(in))
        return tt_fail(err, TT_ENOMEM, "reading " FILE_NAME);
    in->md = md;
    in->f = &md->findings;
    tt_names_init(&in->units);
    tt_names_init(&in->types);
    tt_names_init(&in->displays);
    tt_buf_init(&in->scratch, SCRATCH_MAX);
    intern_attrs(in, xml);
    if (!in->nomem)
        rc = read_root(in, root, err);
    if (rc == TT_OK && !in->nomem)
        read_parts(in, root);
    if (rc == TT_OK && in->nomem)
        rc = tt_fail(err, TT_ENOMEM, "reading " FILE_NAME);
    tt_buf_fini(&in->scratch);
    tt_names_fini(&in->displays);
    tt_names_fini(&in->types);
    tt_names_fini(&in->units);
    tt_free(in);
    return rc;
}

static struct tt_md *md_new(void)
{
    struct tt_md *md;

    if (!TT_NEW(md))
        return NULL;
    tt_names_init(&md->names);
    tt_findings_init(&md->findings);
    md->arena = tt_arena_new();
    TT_NEW(md->vrs);
    if (md->arena && md->vrs)
        return md;
    tt_md_free(md);
    return NULL;
}

enum tt_code tt_md_parse(struct tt_md **out, const void *data, size_t n,
                         tt_err *err)
{
    struct tt_md *md = NULL;
    tt_xml *xml;
    enum tt_code rc;

    if (n > TT_MD_MAX_BYTES)
        return tt_fail(err, TT_EINPUT, FILE_NAME " is larger than %zu bytes",
                       TT_MD_MAX_BYTES);
    rc = tt_xml_parse(&xml, FILE_NAME, data, n, err);
    if (rc != TT_OK)
        return rc;
    md = md_new();
    rc = md ? read_doc(md, xml, err)
            : tt_fail(err, TT_ENOMEM, "reading " FILE_NAME);
    if (rc == TT_OK && tt_xml_latin1_line(xml))
        tt_findings_add(
            &md->findings, TT_SEV_WARNING, tt_xml_latin1_line(xml),
            "FMI-XML-ENCODING",
            "bytes are not in the encoding the file declares; read as "
            "ISO-8859-1");
    if (rc == TT_OK)
        rc = tt_findings_finish(&md->findings, err);
    tt_xml_free(xml);
    return TT_HAND_OVER(rc, out, md, tt_md_free);
}

void tt_md_free(struct tt_md *md)
{
    if (!md)
        return;
    tt_names_fini(&md->names);
    tt_findings_fini(&md->findings);
    if (md->vrs) {
        TT_FREE_ALL(md->vrs->at, md->vrs);
    }
    tt_arena_free(md->arena);
    tt_free(md);
}

uint32_t tt_md_find(const struct tt_md *md, const char *name)
{
    return tt_names_find(&md->names, name);
}
