/* SPDX-License-Identifier: MIT */
#include "fmi/md_check.h"

#include <math.h>

#include "fmi/md_check_impl.h"

/* --- the model as a whole ----------------------------------------------- */

static int is_identifier(const char *s)
{
    if (!(*s == '_' || (*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z')))
        return 0;
    for (; *s; s++) {
        if (!(*s == '_' || (*s >= 'a' && *s <= 'z') ||
              (*s >= 'A' && *s <= 'Z') || (*s >= '0' && *s <= '9')))
            return 0;
    }
    return 1;
}

/* xs:dateTime begins "2024-01-31T23:59:59". Only the form is checked. */
static int is_date(const char *s)
{
    static const char form[] = "dddd-dd-ddTdd:dd:dd";

    for (size_t i = 0; form[i]; i++) {
        int digit = s[i] >= '0' && s[i] <= '9';

        if (form[i] == 'd' ? !digit : s[i] != form[i])
            return 0;
    }
    return 1;
}

static void check_root(struct md_check *c)
{
    const struct tt_md *md = c->md;

    if (md->model_name && !*md->model_name)
        MD_ERR(c, md->line, "FMI-MODEL-NAME", "modelName is empty");
    if (md->token && !*md->token)
        MD_WARN(c, md->line, "FMI-TOKEN", "%s is empty",
                md->version == TT_FMI_3 ? "instantiationToken" : "guid");
    if (md->generation_date && !is_date(md->generation_date))
        MD_WARN(c, md->line, "FMI-DATE",
                "generationDateAndTime=\"%s\" is not a date and time like "
                "2024-01-31T23:59:59Z",
                md->generation_date);
    if (!md->cs.present && !md->me.present && !md->se.present)
        MD_ERR(c, md->line, "FMI-INTERFACE",
               "none of <CoSimulation>, <ModelExchange>%s is there",
               md->version == TT_FMI_3 ? ", <ScheduledExecution>" : "");
}

static void check_interface(struct md_check *c, const struct tt_md_interface *i,
                            const char *name)
{
    if (!i->present)
        return;
    if (i->model_identifier && !is_identifier(i->model_identifier))
        MD_ERR(c, i->line, "FMI-IDENTIFIER",
               "modelIdentifier \"%s\" is not a C identifier",
               i->model_identifier);
    if (i->serialize_state && !i->get_set_state)
        MD_ERR(c, i->line, "FMI-STATE-SERIALIZE",
               "<%s> can serialise its state but cannot get and set it", name);
}

static int has_clocks(const struct tt_md *md)
{
    for (uint32_t i = 0; i < md->var_n; i++) {
        if (md->var[i].type == TT_CLOCK)
            return 1;
    }
    return 0;
}

static void check_cs(struct md_check *c)
{
    const struct tt_md_interface *cs = &c->md->cs;

    if (!cs->present)
        return;
    if (cs->can_return_early && !cs->intermediate_update)
        MD_ERR(c, cs->line, "FMI3-EARLY-RETURN",
               "canReturnEarlyAfterIntermediateUpdate needs "
               "providesIntermediateUpdate");
    if (!cs->event_mode && has_clocks(c->md))
        MD_ERR(c, cs->line, "FMI3-EVENT-MODE",
               "the FMU has clocks, so hasEventMode must be true");
    if (cs->has_fixed_internal_step && !(cs->fixed_internal_step > 0))
        MD_ERR(c, cs->line, "FMI3-FIXED-STEP",
               "fixedInternalStepSize must be positive");
}

static void check_experiment(struct md_check *c)
{
    const struct tt_md_experiment *x = &c->md->experiment;

    if ((x->has_start && !isfinite(x->start)) ||
        (x->has_stop && isnan(x->stop)))
        MD_ERR(c, x->line, "FMI-EXPERIMENT", "a time is not a finite number");
    else if (x->has_stop && !(x->stop > x->start))
        MD_ERR(c, x->line, "FMI-EXPERIMENT", "stopTime is not after startTime");
    if (x->has_tolerance && !(x->tolerance > 0))
        MD_ERR(c, x->line, "FMI-EXPERIMENT", "tolerance must be positive");
    if (x->has_step && !(x->step > 0))
        MD_ERR(c, x->line, "FMI-EXPERIMENT", "stepSize must be positive");
}

/* --- all ---------------------------------------------------------------- */

static void check_all(struct md_check *c, tt_archive *a)
{
    check_root(c);
    check_interface(c, &c->md->cs, "CoSimulation");
    check_interface(c, &c->md->me, "ModelExchange");
    check_interface(c, &c->md->se, "ScheduledExecution");
    check_cs(c);
    check_experiment(c);
    md_check_definitions(c);
    md_find_roles(c);
    md_check_vars(c);
    if (c->md->version == TT_FMI_2)
        md_check_aliases(c);
    if (c->md->has_structure)
        md_check_structure(c);
    if (a)
        md_check_files(c, a);
}

enum tt_code tt_md_check(const struct tt_md *md, tt_archive *a,
                         struct tt_findings *f, tt_err *err)
{
    struct md_check c = {.md = md, .f = f, .arena = tt_arena_new()};
    uint32_t types = md->type_n ? md->type_n : 1;
    uint32_t vars = md->var_n ? md->var_n : 1;

    if (c.arena) {
        c.role = tt_arena_alloc(c.arena, vars, sizeof(*c.role));
        c.enum_value = tt_arena_alloc(c.arena, types, sizeof(*c.enum_value));
    }
    c.nomem = !c.role || !c.enum_value;
    if (!c.nomem) {
        tt_findings_copy(f, &md->findings);
        if (a)
            tt_findings_copy(f, tt_archive_findings(a));
        check_all(&c, a);
    }
    tt_arena_free(c.arena);
    if (c.nomem)
        return tt_fail(err, TT_ENOMEM, "checking a model description");
    return tt_findings_finish(f, err);
}
