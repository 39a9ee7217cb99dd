/* SPDX-License-Identifier: MIT */
#include "fmi/md_impl.h"

/* <CoSimulation>, <ModelExchange>, <ScheduledExecution>: capability flags. */

#define BASE2                                                                  \
    MD_MODEL_IDENTIFIER, MD_NEEDS_TOOL, MD_ONCE_PER_PROCESS, MD_NO_MEMORY,     \
        MD_GET_SET_STATE2, MD_SERIALIZE2, MD_DIRECTIONAL2
#define BASE3                                                                  \
    MD_MODEL_IDENTIFIER, MD_NEEDS_TOOL, MD_ONCE_PER_PROCESS,                   \
        MD_GET_SET_STATE3, MD_SERIALIZE3, MD_DIRECTIONAL3, MD_ADJOINT,         \
        MD_PER_ELEMENT

static void read_sources(struct md_in *in, const struct tt_xml_node *node,
                         struct tt_md_interface *i)
{
    static const uint8_t allowed[] = {MD_NAME, MD_END};
    static const char *const children[] = {"File", NULL};
    const char **source = md_alloc_for(in, node, "File", sizeof(*source));

    md_only(in, node, children);
    for (const struct tt_xml_node *e = md_first(node, "File"); e && source;
         e = md_next(e)) {
        md_attrs(in, e, allowed);
        if (md_need(in, MD_NAME))
            source[i->source_n++] = md_get_text(in, MD_NAME);
    }
    i->source = (const char *const *)source;
}

/* What FMI 2 and FMI 3 spell differently. */
static void get_bool(struct md_in *in, enum md_attr in2, enum md_attr in3,
                     int *to)
{
    (void)md_get_bool(in, in2, to);
    (void)md_get_bool(in, in3, to);
}

static void read_base(struct md_in *in, struct tt_md_interface *i)
{
    i->present = 1;
    i->line = in->line;
    if (md_need(in, MD_MODEL_IDENTIFIER))
        i->model_identifier = md_get_text(in, MD_MODEL_IDENTIFIER);
    (void)md_get_bool(in, MD_NEEDS_TOOL, &i->needs_execution_tool);
    (void)md_get_bool(in, MD_ONCE_PER_PROCESS, &i->once_per_process);
    (void)md_get_bool(in, MD_NO_MEMORY, &i->no_memory_functions);
    get_bool(in, MD_GET_SET_STATE2, MD_GET_SET_STATE3, &i->get_set_state);
    get_bool(in, MD_SERIALIZE2, MD_SERIALIZE3, &i->serialize_state);
    get_bool(in, MD_DIRECTIONAL2, MD_DIRECTIONAL3, &i->directional_derivatives);
    (void)md_get_bool(in, MD_ADJOINT, &i->adjoint_derivatives);
    (void)md_get_bool(in, MD_PER_ELEMENT, &i->per_element_dependencies);
    (void)md_get_bool(in, MD_EVALUATE_DISCRETE, &i->evaluate_discrete_states);
}

static void read_children(struct md_in *in, const struct tt_xml_node *node,
                          struct tt_md_interface *i)
{
    for (const struct tt_xml_node *e = node->children; e; e = e->next) {
        if (in->md->version == TT_FMI_2 && md_is(e, "SourceFiles"))
            read_sources(in, e, i);
        else if (in->md->version == TT_FMI_2 || !md_is(e, "Annotations"))
            md_unknown_element(in, e);
    }
}

void md_read_cs(struct md_in *in, const struct tt_xml_node *node)
{
    static const uint8_t allowed2[] = {BASE2,          MD_VARIABLE_STEP,
                                       MD_INTERPOLATE, MD_MAX_OUTPUT_DERIVATIVE,
                                       MD_ASYNC,       MD_END};
    static const uint8_t allowed3[] = {
        BASE3,           MD_VARIABLE_STEP,
        MD_FIXED_STEP,   MD_MAX_OUTPUT_DERIVATIVE,
        MD_SMOOTHNESS,   MD_PROVIDES_INTERMEDIATE,
        MD_MIGHT_RETURN, MD_RETURN_EARLY,
        MD_EVENT_MODE,   MD_EVALUATE_DISCRETE,
        MD_END};
    struct tt_md_interface *i = &in->md->cs;

    md_attrs(in, node, in->md->version == TT_FMI_2 ? allowed2 : allowed3);
    read_base(in, i);
    md_read_cs_flags(in, i);
    read_children(in, node, i);
}

void md_read_cs_flags(struct md_in *in, struct tt_md_interface *i)
{
    (void)md_get_bool(in, MD_VARIABLE_STEP, &i->variable_step);
    (void)md_get_bool(in, MD_INTERPOLATE, &i->interpolate_inputs);
    (void)md_get_bool(in, MD_ASYNC, &i->run_async);
    (void)md_get_u32(in, MD_MAX_OUTPUT_DERIVATIVE, &i->max_output_derivative);
    i->has_fixed_internal_step =
        md_get_f64(in, MD_FIXED_STEP, &i->fixed_internal_step);
    (void)md_get_i32(in, MD_SMOOTHNESS, &i->input_smoothness);
    (void)md_get_bool(in, MD_PROVIDES_INTERMEDIATE, &i->intermediate_update);
    (void)md_get_bool(in, MD_MIGHT_RETURN, &i->might_return_early);
    (void)md_get_bool(in, MD_RETURN_EARLY, &i->can_return_early);
    (void)md_get_bool(in, MD_EVENT_MODE, &i->event_mode);
}

void md_read_me(struct md_in *in, const struct tt_xml_node *node)
{
    static const uint8_t allowed2[] = {BASE2, MD_STEP_NOT_NEEDED, MD_END};
    static const uint8_t allowed3[] = {BASE3, MD_NEEDS_STEP,
                                       MD_EVALUATE_DISCRETE, MD_END};
    struct tt_md_interface *i = &in->md->me;
    int not_needed = 0;

    md_attrs(in, node, in->md->version == TT_FMI_2 ? allowed2 : allowed3);
    read_base(in, i);
    (void)md_get_bool(in, MD_NEEDS_STEP, &i->needs_completed_step);
    (void)md_get_bool(in, MD_STEP_NOT_NEEDED, &not_needed);
    if (in->md->version == TT_FMI_2)
        i->needs_completed_step = !not_needed;
    read_children(in, node, i);
}

void md_read_se(struct md_in *in, const struct tt_xml_node *node)
{
    static const uint8_t allowed[] = {BASE3, MD_END};

    md_attrs(in, node, allowed);
    read_base(in, &in->md->se);
    read_children(in, node, &in->md->se);
}
