/* SPDX-License-Identifier: MIT */
/* The link over MPI. A library of its own; it has its own small memory and
 * error functions, since the program's are not to be seen from here. */
#include <mpi.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hooks.h"
#include "mpi/mpi_link.h"

#define TAG 1

/* Long enough to go over all network devices there are. */
#define GREETING ((size_t)1 << 18)

struct mpi_link {
    tt_link base;
    MPI_Request *request;
    uint32_t cap;
};

static enum tt_code broken(tt_err *err, const char *call, int status)
{
    char words[MPI_MAX_ERROR_STRING] = "";
    int n = 0;

    MPI_Error_string(status, words, &n);
    if (err) {
        err->code = TT_EIO;
        snprintf(err->msg, sizeof(err->msg), "the other ranks: %s: %s", call,
                 words);
    }
    return TT_EIO;
}

static enum tt_code no_memory(tt_err *err)
{
    if (err) {
        err->code = TT_ENOMEM;
        snprintf(err->msg, sizeof(err->msg), "the other ranks: out of memory");
    }
    return TT_ENOMEM;
}

/* Room for so many at once; they are the same ones step after step. */
static int make_room(struct mpi_link *l, uint32_t n)
{
    MPI_Request *more;

    if (n <= l->cap)
        return 1;
    more = realloc(l->request, n * sizeof(*more));
    if (!more)
        return 0;
    l->request = more;
    l->cap = n;
    return 1;
}

static enum tt_code mpi_move(tt_link *link, const struct tt_link_box *box,
                             uint32_t n, tt_err *err)
{
    struct mpi_link *l = (struct mpi_link *)(void *)link;
    int status = MPI_SUCCESS;

    if (!make_room(l, n))
        return no_memory(err);
    for (uint32_t i = 0; i < n && status == MPI_SUCCESS; i++)
        status = box[i].out ? MPI_Isend(box[i].data, (int)box[i].n, MPI_BYTE,
                                        (int)box[i].peer, TAG, MPI_COMM_WORLD,
                                        &l->request[i])
                            : MPI_Irecv(box[i].data, (int)box[i].n, MPI_BYTE,
                                        (int)box[i].peer, TAG, MPI_COMM_WORLD,
                                        &l->request[i]);
    if (status == MPI_SUCCESS)
        status = MPI_Waitall((int)n, l->request, MPI_STATUSES_IGNORE);
    return status == MPI_SUCCESS ? TT_OK : broken(err, "transfer", status);
}

static enum tt_code mpi_gather(tt_link *link, const void *mine, size_t n,
                               void *all, tt_err *err)
{
    int status = MPI_Allgather(mine, (int)n, MPI_BYTE, all, (int)n, MPI_BYTE,
                               MPI_COMM_WORLD);

    (void)link;
    return status == MPI_SUCCESS ? TT_OK : broken(err, "agreement", status);
}

static enum tt_code mpi_share(tt_link *link, uint32_t from, void *data,
                              size_t n, tt_err *err)
{
    int status = MPI_Bcast(data, (int)n, MPI_BYTE, (int)from, MPI_COMM_WORLD);

    (void)link;
    return status == MPI_SUCCESS ? TT_OK : broken(err, "announcement", status);
}

static const struct tt_link_ops ops = {
    TT_HOOKS(mpi_, move, gather, share),
};

/* Connections are made when they are first used: so everyone greets everyone,
 * in turns. */
static enum tt_code greet_all(const tt_link *l, tt_err *err)
{
    char *greeting = calloc(2, GREETING);
    int n = (int)l->n, rank = (int)l->rank, status = MPI_SUCCESS;

    if (!greeting)
        return no_memory(err);
    for (int k = 1; k < n && status == MPI_SUCCESS; k++)
        status = MPI_Sendrecv(greeting, GREETING, MPI_BYTE, (rank + k) % n, TAG,
                              greeting + GREETING, GREETING, MPI_BYTE,
                              (rank - k + n) % n, TAG, MPI_COMM_WORLD,
                              MPI_STATUS_IGNORE);
    free(greeting);
    return status == MPI_SUCCESS ? TT_OK : broken(err, "greeting", status);
}

static enum tt_code open_link(tt_link **out, int all, tt_err *err)
{
    struct mpi_link *l = calloc(1, sizeof(*l));
    int rank, n, status;

    if (!l)
        return no_memory(err);
    status = MPI_Init(NULL, NULL);
    if (status != MPI_SUCCESS) {
        free(l);
        return broken(err, "beginning", status);
    }
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    l->base = (tt_link){.ops = &ops, .rank = (uint32_t)rank, .n = (uint32_t)n};
    *out = &l->base;
    return all ? greet_all(&l->base, err) : TT_OK;
}

static void close_link(tt_link *link)
{
    struct mpi_link *l = (struct mpi_link *)(void *)link;

    MPI_Finalize();
    free(l->request);
    free(l);
}

static void abort_link(tt_link *link, int code)
{
    (void)link;
    MPI_Abort(MPI_COMM_WORLD, code);
}

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct tt_mpi_plugin tt_mpi_plugin = {
    .version = TT_MPI_VERSION,
    .open = open_link,
    .close = close_link,
    .abort = abort_link,
};
