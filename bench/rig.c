/* SPDX-License-Identifier: MIT */
#include "rig.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "compose/compose.h"
#include "fmi/fmu.h"
#include "results/record.h"
#include "sys/file.h"

int rig_complain(const tt_err *err)
{
    (void)fprintf(stderr, "bench: %s\n", err->msg);
    return -1;
}

/* --- Tutti --------------------------------------------------------------- */

int rig_open_tutti(struct rig *r, const char *scenario, const char *csv)
{
    struct tt_sc_options o = TT_SC_OPTIONS_INIT;
    struct tt_files to = {.path = &csv, .n = 1};
    struct tt_run_opts opts = {.kind_cb = tt_compose_kind_for};
    struct tt_log log = {0};
    tt_err err;
    enum tt_code rc =
        tt_scenario_open(&r->scenario, &scenario, 1, &o, &log, &err);

    if (rc == TT_OK && csv)
        rc = tt_record_files(&r->csv, &to, 0, &err);
    if (csv) {
        opts.observer = &r->csv;
        opts.n_observer = 1;
    }
    if (rc == TT_OK)
        rc = tt_run_new(&r->run, r->scenario, &opts, &err);
    return rc == TT_OK ? 0 : rig_complain(&err);
}

int rig_start_tutti(struct rig *r)
{
    tt_err err;

    return tt_run_start(r->run, &err) == TT_OK ? 0 : rig_complain(&err);
}

int rig_play_tutti(struct rig *r, uint64_t n)
{
    tt_err err;

    for (uint64_t i = 0; i < n; i++)
        if (tt_run_step(r->run, &err) != TT_OK)
            return rig_complain(&err);
    return 0;
}

/* --- the floor ------------------------------------------------------------ */

/* Inputs and outputs lie one after the other; u and y are the first. */
static void read_ports(struct floor *f, const struct tt_md *md)
{
    int seen_u = 0, seen_y = 0;

    for (uint32_t i = 0; i < md->var_n; i++) {
        if (md->var[i].causality == TT_CAUS_INPUT && !seen_u++)
            f->u = md->var[i].vr;
        if (md->var[i].causality == TT_CAUS_OUTPUT && !seen_y++)
            f->y = md->var[i].vr;
        f->n_port += md->var[i].causality == TT_CAUS_OUTPUT;
    }
    f->n_state = md->derivative.n;
    f->completes = md->me.needs_completed_step;
}

void rig_choose_floor(struct rig *r, const char *name)
{
    r->floor.kind = FLOOR_EXCHANGE;
    r->floor.method = name;
    if (strcmp(name, "steps") == 0)
        r->floor.kind = FLOOR_STEPS;
    if (strcmp(name, "events") == 0)
        r->floor.kind = FLOOR_EVENTS;
}

int rig_open_floor(struct rig *r, const char *folder, uint32_t n)
{
    tt_fmu *fmu = NULL;
    const char *name;
    const char *location = NULL;
    char *library = NULL, *token = NULL, *resources = NULL;
    int bad = 1, fmi = 0;
    tt_err err;
    enum tt_code rc = tt_fmu_open(&fmu, folder, &err);

    if (rc == TT_OK)
        rc = tt_fmu_library_name(fmu, &name, &err);
    if (rc == TT_OK)
        rc = tt_fmu_resources(fmu, &location, &err);
    if (rc == TT_OK) {
        library = tt_path_join(folder, name);
        resources = tt_strdup(location);
        token = tt_strdup(tt_fmu_md(fmu)->token);
        fmi = tt_fmu_md(fmu)->version == TT_FMI_2 ? 2 : 3;
        read_ports(&r->floor, tt_fmu_md(fmu));
    } else {
        (void)rig_complain(&err);
    }
    tt_fmu_close(fmu);
    r->floor.token = token;
    r->floor.resources = resources;
    if (library)
        bad = floor_open(&r->floor, library, fmi, n);
    tt_free(library);
    tt_free(token);
    tt_free(resources);
    return bad ? -1 : 0;
}

static struct floor_value value_of(struct rig *r, const struct tt_op *op)
{
    const tt_score *s = tt_run_score(r->run);
    const tt_plan *p = tt_run_plan(r->run);
    uint32_t slot = s->member[s->batch[op->arg].first];
    int set = op->code == TT_OP_SET;
    uint32_t source = set ? p->feed[p->slot[slot].feed].from : slot;

    return (struct floor_value){.c = r->floor.c[op->unit],
                                .v = &r->floor.value[p->slot[source].unit],
                                .set = set};
}

/* The floor makes these calls and no others. */
static int take_exchange(struct rig *r)
{
    const tt_score *s = tt_run_score(r->run);
    uint32_t first = s->section[TT_SEC_EXCHANGE].first, n = 0;
    struct floor_value *list =
        tt_zalloc(s->section[TT_SEC_EXCHANGE].n, sizeof(*list));
    int bad = !list;

    for (uint32_t i = 0; !bad && i < s->section[TT_SEC_EXCHANGE].n; i++) {
        const struct tt_op *op = &s->op[first + i];

        if (op->code == TT_OP_COMMIT)
            continue;
        if ((op->code != TT_OP_GET && op->code != TT_OP_SET) ||
            s->batch[op->arg].n != 1)
            bad = 1;
        else
            list[n++] = value_of(r, op);
    }
    if (!bad)
        bad = floor_exchange(&r->floor, list, n);
    else
        (void)fprintf(stderr, "bench: the floor has no such exchange\n");
    tt_free(list);
    return bad ? -1 : 0;
}

static int same_steps(const struct rig *r)
{
    const tt_score *s = tt_run_score(r->run);
    uint32_t first = s->section[TT_SEC_STEP].first;

    if (s->section[TT_SEC_STEP].n != r->floor.n)
        return 0;
    for (uint32_t i = 0; i < r->floor.n; i++)
        if (s->op[first + i].code != TT_OP_STEP || s->op[first + i].unit != i)
            return 0;
    return 1;
}

int rig_start_floor(struct rig *r)
{
    r->floor.h = tt_run_plan(r->run)->step;
    if (!same_steps(r)) {
        (void)fprintf(stderr, "bench: the floor steps in another order\n");
        return -1;
    }
    return take_exchange(r) || floor_start(&r->floor) ? -1 : 0;
}

int rig_play_floor(struct rig *r, uint64_t n)
{
    int bad = floor_play(&r->floor, r->at, n);

    r->at += n;
    if (bad)
        (void)fprintf(stderr, "bench: a call of the floor failed\n");
    return bad;
}

/* --- the floor, writing ----------------------------------------------------
 */

static char *print_row(char *p, double t, const double *v, uint32_t n)
{
    p += tt_num_print(p, t);
    for (uint32_t i = 0; i < n; i++) {
        *p++ = ',';
        p += tt_num_print(p, v[i]);
    }
    *p++ = '\n';
    return p;
}

int rig_write_floor(struct rig *r, uint64_t n, const char *path)
{
    size_t row = ((size_t)r->floor.n + 1) * TT_NUM_MAX;
    size_t room = row > 65536 ? row : 65536;
    char *buffer = tt_alloc(room + row), *p = buffer;
    FILE *f = fopen(path, "w");
    /* the last unit's output goes nowhere, so nobody reads or records it */
    uint32_t columns = (uint32_t)tt_run_plan(r->run)->n_column;
    int bad = !buffer || !f;

    if (f)
        setbuf(f, NULL);
    for (uint64_t i = 0; i < n && !bad; i++) {
        bad = rig_play_floor(r, 1);
        p = print_row(p, (double)r->at * r->floor.h, r->floor.value, columns);
        if ((size_t)(p - buffer) >= room || i + 1 == n) {
            size_t bytes = (size_t)(p - buffer);

            bad |= fwrite(buffer, 1, bytes, f) != bytes;
            p = buffer;
        }
    }
    tt_free(buffer);
    if (f)
        bad |= fclose(f) != 0;
    return bad ? -1 : 0;
}

void rig_close(struct rig *r)
{
    tt_run_free(r->run);
    tt_observer_free(r->csv);
    tt_scenario_free(r->scenario);
    floor_close(&r->floor);
}
