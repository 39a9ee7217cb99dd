/* SPDX-License-Identifier: MIT */
#include "mpi/mpi_link.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "sys/child.h"
#include "sys/file.h"
#include "sys/lib.h"

/* Open MPI, PMIx, MPICH and its relatives, Slurm. */
static const struct {
    const char *n, *rank;
} launcher[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"PMI_SIZE", "PMI_RANK"},
    {"MPI_LOCALNRANKS", "MPI_LOCALRANKID"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID"},
};

static int read_number(const char *name, uint32_t *out)
{
    const char *text = getenv(name);
    uint64_t v;

    if (!text || tt_num_parse_u64(text, &v) != 0 || v > UINT32_MAX)
        return 0;
    *out = (uint32_t)v;
    return 1;
}

struct tt_mpi_place tt_mpi_place(void)
{
    struct tt_mpi_place p = {.rank = 0, .n = 1};

    for (size_t i = 0; i < sizeof(launcher) / sizeof(*launcher); i++) {
        struct tt_mpi_place q;

        if (read_number(launcher[i].n, &q.n) &&
            read_number(launcher[i].rank, &q.rank) && q.rank < q.n)
            return q;
    }
    return p;
}

/* --- the library ---------------------------------------------------------- */

/* Never unloaded: MPI does not like to be. */
static const struct tt_mpi_plugin *plugin;

/* Beside the program, as it was built, or where it was installed to. */
static const char *const place[] = {"tutti-mpi.so",
                                    TT_PLUGIN_DIR "/tutti-mpi.so"};

static char *find_library(void)
{
    char *self = NULL, *dir, *path = NULL;

    if (tt_child_self(&self, NULL) != TT_OK)
        return NULL;
    dir = tt_path_dir(self);
    for (size_t i = 0; dir && i < sizeof(place) / sizeof(*place); i++) {
        tt_free(path);
        path = tt_path_join(dir, place[i]);
        if (path && tt_file_exists(path))
            break;
    }
    TT_FREE_ALL(dir, self);
    return path;
}

static enum tt_code load(tt_err *err)
{
    char *path = find_library();
    tt_lib *lib = NULL;
    enum tt_code rc;

    if (!path)
        return tt_fail(err, TT_ENOMEM,
                       "meeting the other ranks: out of "
                       "memory");
    rc = tt_lib_open(&lib, path, err);
    if (rc == TT_OK &&
        (tt_lib_get(lib, TT_MPI_SYMBOL, &plugin, sizeof(plugin)) != 0 ||
         plugin->version != TT_MPI_VERSION)) {
        plugin = NULL;
        rc = tt_fail(err, TT_EINPUT, "%s is of another version of Tutti", path);
    }
    tt_free(path);
    if (rc == TT_OK)
        return TT_OK;
    return tt_context(err, rc,
                      "started as one of several ranks, but this Tutti has no "
                      "MPI (build it with libopenmpi-dev)");
}

/* Open MPI (4, then 5) shares memory in files it removes at the end, and reads
 * long messages out of the other's memory, which no sandbox allows. What the
 * user sets goes before. */
static void prepare_for_sandbox(const char *folder)
{
    setenv("OMPI_MCA_btl_vader_backing_directory", folder, 0);
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);
    setenv("OMPI_MCA_btl_sm_backing_directory", folder, 0);
    setenv("OMPI_MCA_smsc", "^cma", 0);
}

enum tt_code tt_mpi_open(tt_link **out, const char *confined_to, tt_err *err)
{
    enum tt_code rc = plugin ? TT_OK : load(err);

    if (rc != TT_OK)
        return rc;
    if (confined_to)
        prepare_for_sandbox(confined_to);
    return plugin->open(out, confined_to != NULL, err);
}

void tt_mpi_close(tt_link *l)
{
    if (l)
        plugin->close(l);
}

void tt_mpi_abort(tt_link *l, int code)
{
    plugin->abort(l, code);
    _Exit(code);
}
