/* SPDX-License-Identifier: MIT */
#include "fmi/md_impl.h"

#include <math.h>
#include <string.h>

/* Tutti's own words about a unit:
 *     <Unit evaluates="always|event|never" discrete="true|false"
 *           propagationDelay="s" shortestReaction="s" outputFrequency="Hz">
 *         <Port name="x1" reactivity="reactive|delayed|either"/>
 *     </Unit>
 * in <VendorAnnotations><Tool name="org.tutti"> (FMI 2; for FMI 1 see below) or
 * <Annotations><Annotation type="org.tutti"> (FMI 3). */

#define OURS "org.tutti"

static void read_port(struct md_in *in, const struct tt_xml_node *node)
{
    static const uint8_t allowed[] = {MD_NAME, MD_REACTIVITY, MD_END};
    unsigned word;
    uint32_t i;

    md_attrs(in, node, allowed);
    if (!md_need(in, MD_NAME))
        return;
    i = tt_md_find(in->md, in->value[MD_NAME]);
    if (i == TT_NONE) {
        tt_findings_add(in->f, TT_SEV_WARNING, in->line, "TUTTI-PORT",
                        "annotated port '%s' is not a variable",
                        in->value[MD_NAME]);
        return;
    }
    if (md_get_word(in, MD_REACTIVITY, md_reactivity_words, TT_MD_REACTIVITY_N,
                    &word))
        in->var[i].reactivity = (enum tt_md_reactivity)word;
}

/* A positive number. */
static void read_timing(struct md_in *in, enum md_attr a, double *to)
{
    double v = 0;

    if (!md_get_f64(in, a, &v))
        return;
    if (v > 0 && isfinite(v))
        *to = v;
    else
        tt_findings_add(in->f, TT_SEV_WARNING, in->line, "TUTTI-TIMING",
                        "an annotated time or frequency is %s, not a finite "
                        "number greater than 0",
                        in->value[a]);
}

static void read_unit(struct md_in *in, const struct tt_xml_node *node)
{
    static const uint8_t allowed[] = {
        MD_EVALUATES,         MD_DISCRETE,         MD_PROPAGATION_DELAY,
        MD_SHORTEST_REACTION, MD_OUTPUT_FREQUENCY, MD_END};
    static const char *const children[] = {"Port", NULL};
    unsigned word;

    md_attrs(in, node, allowed);
    if (md_get_word(in, MD_EVALUATES, md_evaluates_words, TT_MD_EVALUATES_N,
                    &word))
        in->md->evaluates = (enum tt_md_evaluates)word;
    (void)md_get_bool(in, MD_DISCRETE, &in->md->discrete);
    read_timing(in, MD_PROPAGATION_DELAY, &in->md->propagation_delay);
    read_timing(in, MD_SHORTEST_REACTION, &in->md->shortest_reaction);
    read_timing(in, MD_OUTPUT_FREQUENCY, &in->md->output_frequency);
    md_only(in, node, children);
    for (const struct tt_xml_node *e = node->children; e; e = e->next) {
        if (md_is(e, "Port"))
            read_port(in, e);
    }
}

static int is_ours(const struct tt_xml_node *node, const char *attribute)
{
    for (uint32_t i = 0; i < node->attr_n; i++) {
        if (strcmp(node->attr[i].name, attribute) == 0)
            return strcmp(node->attr[i].value, OURS) == 0;
    }
    return 0;
}

/* FMI 1 has only pairs: <Annotation name="evaluates" value="always"/>,
 * <Annotation name="reactivity x1" value="delayed"/>. Its own words know one
 * interface only; <Annotation name="modelExchange" value="true"/> states that a
 * unit for co-simulation has both. */
static void read_pair(struct md_in *in, const struct tt_xml_node *node)
{
    static const uint8_t allowed[] = {MD_NAME, MD_VALUE, MD_END};
    static const char reactivity[] = "reactivity ";
    size_t n = sizeof(reactivity) - 1;
    struct tt_md *md = in->md;
    const char *name;
    unsigned word;
    uint32_t i;
    int both = 0;

    md_attrs(in, node, allowed);
    name = in->value[MD_NAME] ? in->value[MD_NAME] : "";
    if (strcmp(name, "modelExchange") == 0 &&
        md_get_bool(in, MD_VALUE, &both) && both) {
        md->me.present = 1;
        md->me.model_identifier =
            md->cs.present ? md->cs.model_identifier : md->me.model_identifier;
    }
    if (strcmp(name, "evaluates") == 0 &&
        md_get_word(in, MD_VALUE, md_evaluates_words, TT_MD_EVALUATES_N, &word))
        md->evaluates = (enum tt_md_evaluates)word;
    i = strncmp(name, reactivity, n) == 0 ? tt_md_find(md, name + n) : TT_NONE;
    if (i != TT_NONE && md_get_word(in, MD_VALUE, md_reactivity_words,
                                    TT_MD_REACTIVITY_N, &word))
        in->var[i].reactivity = (enum tt_md_reactivity)word;
}

static void read_block(struct md_in *in, const struct tt_xml_node *block,
                       const char *element, const char *attribute)
{
    for (const struct tt_xml_node *t = block->children; t; t = t->next) {
        if (!md_is(t, element) || !is_ours(t, attribute))
            continue;
        for (const struct tt_xml_node *e = t->children; e; e = e->next) {
            if (in->md->version == TT_FMI_1 && md_is(e, "Annotation"))
                read_pair(in, e);
            else if (in->md->version != TT_FMI_1 && md_is(e, "Unit"))
                read_unit(in, e);
            else
                md_unknown_element(in, e);
        }
    }
}

void md_read_annotations(struct md_in *in, const struct tt_xml_node *root)
{
    for (const struct tt_xml_node *e = root->children; e; e = e->next) {
        if (in->md->version != TT_FMI_3 && md_is(e, "VendorAnnotations"))
            read_block(in, e, "Tool", "name");
        if (in->md->version == TT_FMI_3 && md_is(e, "Annotations"))
            read_block(in, e, "Annotation", "type");
    }
}
