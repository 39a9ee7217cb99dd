/* SPDX-License-Identifier: MIT */
#ifndef TT_MPI_MPI_LINK_H
#define TT_MPI_MPI_LINK_H

/* Ranks that a launcher (mpirun, srun) started. MPI itself is in a library of
 * its own beside the program (plugin.c), loaded only by runs that need it: no
 * other pays for it. */

#include "player/link.h"

/* What the launcher's environment states; 1 process and rank 0 without one. */
struct tt_mpi_place {
    uint32_t rank, n;
};
struct tt_mpi_place tt_mpi_place(void);

/* Meet the others. From here on every end of this process without close is
 * noticed by them. A process that will enter a sandbox states in which folder
 * it can write then (else NULL): all it needs of the system for talking to them
 * is taken before. */
TT_NODISCARD enum tt_code tt_mpi_open(tt_link **out, const char *confined_to,
                                      tt_err *err);
/* All ranks have come to the same end. */
void tt_mpi_close(tt_link *l); /* accepts NULL */
/* We end, and the others are not to wait for us; does not return. */
TT_NORETURN void tt_mpi_abort(tt_link *l, int code);

/* What the library offers, under this name. */
#define TT_MPI_SYMBOL "tt_mpi_plugin"
struct tt_mpi_plugin {
    uint32_t version; /* TT_MPI_VERSION, or it is not ours */
    /* all: make every connection now, none can be made later. */
    enum tt_code (*open)(tt_link **out, int all, tt_err *err);
    void (*close)(tt_link *l);
    void (*abort)(tt_link *l, int code);
};
#define TT_MPI_VERSION 2u

#endif
