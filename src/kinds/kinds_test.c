/* SPDX-License-Identifier: MIT */
/* Which kind takes what, and what FMUs declare of themselves. */
#include "kinds/test_help.h"

#include "base/mem.h"
#include "sys/file.h"

static void the_content_states_the_kind(void **state)
{
    tt_unit_type *two = open_type(MSD "msd1.fmu");
    tt_unit_type *three = open_type(MSD "msd1-fmi3.fmu");

    (void)state;
    assert_ptr_equal(two->kind, &tt_kind_fmi2);
    assert_ptr_equal(three->kind, &tt_kind_fmi3);
    assert_string_equal(two->desc.kind, "fmi2");
    assert_string_equal(three->desc.kind, "fmi3");
    close_type(two);
    close_type(three);
}

static void the_wrong_kind_refuses(void **state)
{
    const struct tt_source s = {.path = MSD "msd1-fmi3.fmu"};
    tt_unit_type *t = NULL;
    tt_err err = {.msg = ""};

    (void)state;
    assert_int_equal(tt_kind_fmi2.open(&t, &s, &err), TT_EINPUT);
    assert_string_equal(err.msg,
                        MSD "msd1-fmi3.fmu: is an FMU of FMI 3.0, not of "
                            "FMI 2");
    assert_null(t);
}

static void an_interface_can_be_asked_for(void **state)
{
    struct tt_source s = {.path = MSD "msd1.fmu",
                          .interface = TT_INTERFACE_CO_SIMULATION};
    const struct tt_kind_ops *kind = NULL;
    tt_unit_type *t = NULL;

    (void)state;
    assert_ok(tt_kind_for(&kind, &s, err));
    assert_ptr_equal(kind, &tt_kind_fmi2);
    s.interface = TT_INTERFACE_MODEL_EXCHANGE;
    assert_ok(tt_kind_for(&kind, &s, err));
    assert_ptr_equal(kind, &tt_kind_fmi2me);
    s.interface = TT_INTERFACE_SCHEDULED_EXECUTION;
    assert_fails(TT_EUNSUPPORTED, tt_kind_for(&kind, &s, err),
                 MSD "msd1.fmu: FMI 2 for scheduled execution is not "
                     "supported");
    s.path = MSD "msd1-fmi3.fmu";
    assert_ok(tt_kind_for(&kind, &s, err));
    assert_ptr_equal(kind, &tt_kind_fmi3se);
    assert_fails(
        TT_EUNSUPPORTED, kind->open(&t, &s, err),
        MSD
        "msd1-fmi3.fmu: it has Co-Simulation and Model Exchange, but Scheduled "
        "Execution is needed");
}

static void what_is_no_unit_is_refused(void **state)
{
    const char *dir = TT_BUILD_DIR "/kinds_test.dir";
    static const char xml[] = "<fmiModelDescription fmiVersion=\"4.0\"/>";
    static const char none[] = "<fmiModelDescription/>";
    static const char junk[] = "\nthis is not XML";
    const struct tt_source missing = {.path = "/nowhere/at/all.fmu"};
    const struct tt_source unseen = {.path = "tutti:link"};
    const struct tt_source folder = {.path = dir};
    const struct tt_kind_ops *kind;

    (void)state;
    assert_fails(TT_EINPUT, tt_kind_for(&kind, &missing, err),
                 "/nowhere/at/all.fmu: no such file or folder");
    assert_fails(
        TT_EINPUT, tt_kind_for(&kind, &unseen, err),
        "tutti:link: there is no such instance built in, only "
        "'tutti:clock', 'tutti:coupling', 'tutti:dead-time', "
        "'tutti:formula:', 'tutti:locate:', "
        "'tutti:quantize', 'tutti:sample' and those of discrete events, "
        "'tutti:queue' for example");
    assert_ok(tt_dir_make(dir, err));
    assert_ok(tt_file_write(TT_BUILD_DIR "/kinds_test.dir/modelDescription.xml",
                            xml, sizeof(xml) - 1, err));
    assert_fails(TT_EUNSUPPORTED, tt_kind_for(&kind, &folder, err),
                 TT_BUILD_DIR
                 "/kinds_test.dir: FMI 4 is not supported, only 1, 2 and 3");
    assert_ok(tt_file_write(TT_BUILD_DIR "/kinds_test.dir/modelDescription.xml",
                            none, sizeof(none) - 1, err));
    assert_fails(TT_EINPUT, tt_kind_for(&kind, &folder, err),
                 TT_BUILD_DIR "/kinds_test.dir: its model description names no "
                              "FMI version");
    assert_ok(tt_file_write(TT_BUILD_DIR "/kinds_test.dir/modelDescription.xml",
                            junk, sizeof(junk) - 1, err));
    assert_fails(TT_EINPUT, tt_kind_for(&kind, &folder, err),
                 TT_BUILD_DIR
                 "/kinds_test.dir: modelDescription.xml:2:1: not "
                 "well-formed XML: Start tag expected, '<' not found");
    assert_ok(tt_dir_remove(dir, err));
}

static const struct tt_port *port(const tt_unit_type *t, const char *name)
{
    uint32_t i = tt_desc_find(&t->desc, name);

    if (i == TT_NONE)
        fail_msg("no port '%s'", name);
    return &t->desc.port[i];
}

static void a_kit_unit_is_described(const char *path, uint32_t order)
{
    tt_unit_type *t = open_type(path);
    const struct tt_desc *d = &t->desc;
    const struct tt_port *x = port(t, "x1"), *f = port(t, "F");
    uint32_t x_index = (uint32_t)(x - d->port);

    assert_string_equal(d->model, "msd1");
    assert_int_equal(x->causality, TT_CAUS_OUTPUT);
    assert_int_equal(x->variability, TT_VAR_CONTINUOUS);
    assert_int_equal(x->initial, TT_INIT_EXACT);
    assert_int_equal(x->type, TT_F64);
    assert_int_equal(x->n, 1);
    assert_near(*(const double *)x->start, 1, 0);
    assert_string_equal(x->quantity->name, "m");
    assert_int_equal(x->quantity->exponent[1], 1);
    assert_int_equal(f->causality, TT_CAUS_INPUT);
    assert_int_equal(f->course_ok, 1);
    assert_true(f->line > 0);
    assert_int_equal(d->run[x_index].known, 1);
    assert_int_equal(d->init[x_index].known, 1);
    assert_int_equal(d->init[x_index].n, 0);
    assert_int_equal(d->caps.evaluates, TT_EVAL_ALWAYS);
    assert_int_equal(d->caps.threads, TT_THREADS_ANY);
    assert_int_equal(d->caps.save, 1);
    assert_int_equal(d->caps.serialise, 1);
    assert_int_equal(d->caps.variable_step, 1);
    assert_int_equal(d->caps.course_order, order);
    assert_int_equal(d->caps.directional, 1);
    assert_int_equal(d->caps.once_per_process, 0);
    assert_near(d->standard.end, 10, 0);
    assert_near(d->standard_step, 0.2, 0);
    close_type(t);
}

/* A value that belongs to two clocks has both. */
static void clocks_of_values_are_described(void **state)
{
    tt_unit_type *t = open_type(UNITS "alarm-fmi3.fmu");
    const struct tt_port *one = port(t, "rings"), *two = port(t, "sounds");

    (void)state;
    assert_int_equal(one->clock, tt_desc_find(&t->desc, "ring") + 1);
    assert_int_equal(one->n_also, 0);
    assert_int_equal(two->clock, tt_desc_find(&t->desc, "beat") + 1);
    assert_int_equal(two->n_also, 1);
    assert_int_equal(two->also[0], tt_desc_find(&t->desc, "bell"));
    close_type(t);
}

static void kit_units_are_described(void **state)
{
    (void)state;
    a_kit_unit_is_described(MSD "msd1.fmu", TT_POLY_MAX);
    a_kit_unit_is_described(MSD "msd1-fmi3.fmu", TT_POLY_MAX);
}

static void a_raw_fmi2_unit_is_described(void **state)
{
    tt_unit_type *t = open_type(UNITS "raw2-once.fmu");
    const struct tt_desc *d = &t->desc;

    (void)state;
    assert_int_equal(d->n_port, 9);
    assert_int_equal(d->caps.evaluates, TT_EVAL_NEVER);
    assert_int_equal(d->caps.threads, TT_THREADS_ONE);
    assert_int_equal(d->caps.once_per_process, 1);
    assert_int_equal(d->caps.save, 0);
    assert_int_equal(d->caps.course_order, 1);
    assert_int_equal(d->caps.course_exact, 1);
    assert_true(isnan(d->standard.start));
    assert_true(isnan(d->standard_step));
    assert_true(d->inner_step == 0);
    assert_int_equal(d->run[1].known, 1); /* y: on nothing */
    assert_int_equal(d->run[1].n, 0);
    assert_int_equal(d->run[8].known, 0); /* text: not given */
    assert_int_equal(d->init[1].known, 0);
    close_type(t);
}

static void a_raw_fmi3_unit_is_described(void **state)
{
    tt_unit_type *t = open_type(UNITS "raw3.fmu");
    const struct tt_desc *d = &t->desc;
    const struct tt_port *a = port(t, "a");
    const struct tt_text *blob = port(t, "blob_in")->start;
    const struct tt_deps *y;

    (void)state;
    assert_int_equal(d->caps.evaluates, TT_EVAL_EVENT);
    assert_int_equal(d->caps.event_mode, 1);
    assert_int_equal(d->caps.early_return, 1);
    assert_near(d->standard_step, 0.125, 0); /* its own, inside */
    assert_near(d->inner_step, 0.125, 0);
    assert_int_equal(d->caps.course_order, TT_POLY_MAX);
    assert_int_equal(d->caps.course_exact, 0);
    assert_int_equal(a->n, 3);
    assert_int_equal(a->n_dim, 1);
    assert_int_equal(a->dim[0], 3);
    assert_near(((const double *)a->start)[2], 3, 0);
    assert_int_equal(a->course_ok, 0);
    assert_int_equal(port(t, "u")->course_ok, 1);
    assert_ptr_equal(port(t, "array"), a);
    assert_int_equal(port(t, "n")->causality, TT_CAUS_STRUCTURAL);
    assert_int_equal(port(t, "tick")->type, TT_CLOCK);
    assert_int_equal(port(t, "tick")->ticks->interval, TT_INTERVAL_TRIGGERED);
    assert_null(port(t, "y")->ticks);
    assert_int_equal(blob->n, 3);
    assert_memory_equal(blob->s, "ab\0", 3);
    y = &d->run[port(t, "y") - d->port];
    assert_int_equal(y->known, 1);
    assert_int_equal(y->n, 1);
    assert_ptr_equal(&d->port[y->port[0]], port(t, "u"));
    assert_int_equal(y->kind[0], TT_DEP_CONSTANT);
    assert_int_equal(d->init[port(t, "y") - d->port].known, 1);
    assert_int_equal(d->init[port(t, "y") - d->port].n, 0);
    close_type(t);
}

/* Every allocation fails once, and nothing is lost. */
static void a_constraint_without_memory_is_refused(void **state)
{
    const struct tt_source s = {.path = "tutti:coupling: x*cos(y) = z + t"};
    tt_unit_type *t = NULL;
    tt_err err = {.msg = ""};
    enum tt_code rc;
    uint64_t n = 1;

    (void)state;
    do {
        tt_mem_fail_after(n++);
        rc = tt_kind_coupling.open(&t, &s, &err);
        tt_mem_fail_after(0);
        assert_true(rc == TT_OK || rc == TT_ENOMEM);
    } while (rc != TT_OK);
    assert_true(n > 10);
    assert_string_equal(t->desc.port[0].name, "x");
    tt_kind_coupling.close(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_content_states_the_kind),
        cmocka_unit_test(the_wrong_kind_refuses),
        cmocka_unit_test(an_interface_can_be_asked_for),
        cmocka_unit_test(what_is_no_unit_is_refused),
        cmocka_unit_test(a_constraint_without_memory_is_refused),
        cmocka_unit_test(clocks_of_values_are_described),
        cmocka_unit_test(kit_units_are_described),
        cmocka_unit_test(a_raw_fmi2_unit_is_described),
        cmocka_unit_test(a_raw_fmi3_unit_is_described),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
