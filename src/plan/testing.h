/* SPDX-License-Identifier: MIT */
#ifndef TT_PLAN_TESTING_H
#define TT_PLAN_TESTING_H

/* For tests of plans, and of what is made of them: a stand that turns a JSON
 * text and descriptions into a plan, and keeps all it logged. Descriptions are
 * faked by hand or come from mocks. Asserts with TT_ASSERT that memory is
 * there. In tutti_testing only.
 */

#include "base/buf.h"
#include "plan/plan.h"
#include "unit/mock.h"

#define TT_FAKE_PORTS 24
#define TT_STAND_KEYS 16

/* A description made by hand: change its members before planning. */
struct tt_fake {
    struct tt_desc desc;
    struct tt_port port[TT_FAKE_PORTS];
    struct tt_deps run[TT_FAKE_PORTS], init[TT_FAKE_PORTS];
};

/* Evaluates, takes courses of order 1, has no default experiment. */
void tt_fake_init(struct tt_fake *f);
void tt_fake_fini(struct tt_fake *f);
/* A scalar, continuous if it is a float, fixed if a parameter, without
 * feed-through (declared). */
struct tt_port *tt_fake_port(struct tt_fake *f, const char *name,
                             enum tt_causality causality, enum tt_type type);

struct tt_stand {
    tt_scenario *scenario; /* owned */
    tt_plan *plan;         /* owned */
    tt_err err;
    struct tt_log log;
    struct tt_buf logged; /* "note: exchange: ..." and warnings, line by line */
    struct {
        const char *key;
        const struct tt_desc *desc;
        tt_unit_type *type; /* owned; NULL for fakes */
    } of[TT_STAND_KEYS];
    uint32_t n_of;
};

void tt_stand_init(struct tt_stand *st);
void tt_stand_fini(struct tt_stand *st);
/* "{key}" in the scenario is this one; borrowed. */
void tt_stand_fake(struct tt_stand *st, const char *key, struct tt_fake *f);
void tt_stand_mock(struct tt_stand *st, const char *key,
                   const struct tt_mock_spec *spec);
/* The words are in st->err. The file is called "t.json". */
enum tt_code tt_stand_plan(struct tt_stand *st, const char *json);
/* A note or warning, as logged. */
int tt_stand_logged(const struct tt_stand *st, const char *line);

/* The slot of "{key}.instance.port"; asserts that there is one. */
uint32_t tt_stand_slot(const tt_plan *p, const char *name);
/* Does output slot `out` directly depend on input slot `in` of its unit?
 * 0 no, 1 as declared, -1 unknown (to be ordered after, not to be refused).
 * init selects the dependencies of initialisation. */
int tt_plan_depends(const tt_plan *p, uint32_t out, uint32_t in, int init);

#endif
