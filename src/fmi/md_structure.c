/* SPDX-License-Identifier: MIT */
#include "fmi/md_impl.h"

#include <string.h>

/* <ModelStructure>: FMI 2 refers to variables by index from 1 and groups the
 * unknowns; FMI 3 refers by value reference and lists them side by side. */

static uint32_t variable_of(const struct md_in *in, uint32_t ref)
{
    if (in->md->version == TT_FMI_3)
        return md_vrs_find(in->md->vrs, 0, ref);
    return ref >= 1 && ref <= in->md->var_n ? ref - 1 : TT_NONE;
}

static const char *ref_words(const struct md_in *in)
{
    return in->md->version == TT_FMI_3 ? "value reference" : "index";
}

static int read_dep(struct md_in *in, const char *s, size_t len, uint32_t *dep)
{
    uint64_t ref;

    tt_buf_clear(&in->scratch);
    tt_buf_add(&in->scratch, s, len);
    if (in->scratch.failed) {
        in->nomem = 1;
        return -1;
    }
    if (tt_value_parse(TT_U64, &ref, in->scratch.data) != 0 || ref > UINT32_MAX)
        return -1;
    *dep = variable_of(in, (uint32_t)ref);
    return *dep == TT_NONE ? -1 : 0;
}

static int read_kind(const char *s, size_t len, enum tt_dep_kind *kind)
{
    for (unsigned i = 0; i < TT_DEP_N; i++) {
        if (strlen(tt_dep_words[i]) == len &&
            memcmp(tt_dep_words[i], s, len) == 0) {
            *kind = (enum tt_dep_kind)i;
            return 0;
        }
    }
    return -1;
}

/* Kinds that cannot be read, or are not one per dependency, state nothing. */
static void read_kinds(struct md_in *in, struct tt_md_unknown *u,
                       enum tt_dep_kind *kind)
{
    const char *list = in->value[MD_DEPENDENCIES_KIND], *s;
    size_t len, n;

    if (!list)
        return;
    u->kinds_given = 1;
    n = md_token_count(list);
    if (!in->value[MD_DEPENDENCIES])
        tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-STRUCT-KIND",
                        "dependenciesKind of '%s' is given without "
                        "dependencies",
                        in->var[u->var].name);
    else if (u->known && n != u->dep_n)
        tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-STRUCT-KIND",
                        "dependenciesKind of '%s' has %zu entries for %u "
                        "dependencies",
                        in->var[u->var].name, n, u->dep_n);
    if (!u->known || n != u->dep_n)
        return;
    for (uint32_t i = 0; (s = md_token(&list, &len)) != NULL; i++) {
        if (read_kind(s, len, &kind[i]) == 0)
            continue;
        tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-STRUCT-KIND",
                        "dependenciesKind '%.*s' of '%s' is not known; "
                        "taken as 'dependent'",
                        (int)(len < 40 ? len : 40), s, in->var[u->var].name);
    }
}

static void read_deps(struct md_in *in, struct tt_md_unknown *u)
{
    const char *list = in->value[MD_DEPENDENCIES], *s;
    enum tt_dep_kind *kind = NULL;
    uint32_t *dep = NULL;
    size_t len, n;

    if (!list) {
        read_kinds(in, u, NULL);
        return;
    }
    n = md_token_count(list);
    dep = md_alloc(in, n, sizeof(*dep));
    kind = md_alloc(in, n, sizeof(*kind));
    if (n && (!dep || !kind))
        return;
    u->known = 1;
    while ((s = md_token(&list, &len)) != NULL) {
        if (read_dep(in, s, len, &dep[u->dep_n]) == 0) {
            u->dep_n++;
            continue;
        }
        tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-STRUCT-DEPENDENCY",
                        "dependency %.*s of '%s' is not the %s of a variable; "
                        "it is taken to depend on everything",
                        (int)(len < 40 ? len : 40), s, in->var[u->var].name,
                        ref_words(in));
        u->known = 0;
        u->dep_n = 0;
        return;
    }
    u->dep = dep;
    u->kind = kind;
    read_kinds(in, u, kind);
}

/* One unknown. 1 when it refers to a variable, else it is left out. */
static uint32_t read_unknown(struct md_in *in, const struct tt_xml_node *node,
                             struct tt_md_unknown *u)
{
    static const uint8_t allowed2[] = {MD_INDEX, MD_DEPENDENCIES,
                                       MD_DEPENDENCIES_KIND, MD_END};
    static const uint8_t allowed3[] = {MD_VALUE_REFERENCE, MD_DEPENDENCIES,
                                       MD_DEPENDENCIES_KIND, MD_END};
    int fmi3 = in->md->version == TT_FMI_3;
    enum md_attr a = fmi3 ? MD_VALUE_REFERENCE : MD_INDEX;
    uint32_t ref;

    md_attrs(in, node, fmi3 ? allowed3 : allowed2);
    if (!md_need(in, a) || !md_get_u32(in, a, &ref))
        return 0;
    u->line = in->line;
    u->var = variable_of(in, ref);
    if (u->var == TT_NONE) {
        tt_findings_add(in->f, TT_SEV_ERROR, in->line, "FMI-STRUCT-REFERENCE",
                        "%s=\"%u\" of <%s> is not the %s of a variable; the "
                        "element is ignored",
                        md_attr_name(a), ref, in->element, ref_words(in));
        return 0;
    }
    read_deps(in, u);
    return 1;
}

static void read_list(struct md_in *in, const struct tt_xml_node *node,
                      const char *name, struct tt_md_unknowns *list)
{
    struct tt_md_unknown *item = md_alloc_for(in, node, name, sizeof(*item));
    uint32_t n = 0;

    for (const struct tt_xml_node *e = md_first(node, name); e && item;
         e = md_next(e)) {
        if (!list->line)
            list->line = e->line;
        n += read_unknown(in, e, &item[n]);
    }
    list->item = item;
    list->n = n;
}

void md_read_structure2(struct md_in *in, const struct tt_xml_node *node)
{
    static const char *const inner[] = {"Unknown", NULL};
    struct tt_md *md = in->md;

    md->has_structure = 1;
    for (const struct tt_xml_node *e = node->children; e; e = e->next) {
        struct tt_md_unknowns *list =
            md_is(e, "Outputs")           ? &md->output
            : md_is(e, "Derivatives")     ? &md->derivative
            : md_is(e, "InitialUnknowns") ? &md->initial_unknown
                                          : NULL;

        if (!list || list->line) {
            md_unknown_element(in, e);
            continue;
        }
        list->line = e->line;
        md_only(in, e, inner);
        read_list(in, e, "Unknown", list);
    }
}

void md_read_structure3(struct md_in *in, const struct tt_xml_node *node)
{
    static const char *const known[] = {
        "Output",         "ContinuousStateDerivative",
        "ClockedState",   "InitialUnknown",
        "EventIndicator", NULL};
    struct tt_md *md = in->md;
    struct tt_md_unknowns *list[] = {&md->output, &md->derivative,
                                     &md->clocked_state, &md->initial_unknown,
                                     &md->event_indicator};

    md->has_structure = 1;
    md_only(in, node, known);
    for (size_t i = 0; known[i]; i++)
        read_list(in, node, known[i], list[i]);
}
